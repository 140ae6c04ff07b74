"""The conversation with a board on one open line: asked who it is, heard, and let go when it is silent.

A board does not speak first, and its words before the opening are lost. So it is asked, again with growing rests,
until it says hello; and again when nothing was heard of it for a while. What kind of board it is and what it has to
say is for those who derive from `Conversation`. No port, thread or clock of its own.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Literal

from drivers.common.backoff import rests
from drivers.common.frames import (
    TO_HUB,
    Ack,
    Chatter,
    Frame,
    Garbled,
    Hello,
    Link,
    Memory,
    OtherProtocol,
    Reader,
    Who,
)

log = logging.getLogger(__name__)

QUIET = 3.0  # seconds without a frame until a board counts as lost (protocol: `beat`)

State = Literal["asking", "up", "twin", "ignored"]  # twin: another line has the board of that id


class Conversation(ABC):
    """All of a `Speaker` but what is said to the board, and to the hub when the line is gone."""

    def __init__(self, port: str, first: int) -> None:
        """`first` is the first number on the line."""
        self.finished = False
        self.fine = False
        self.port = port
        self.state: State = "asking"
        self.link = Link(answer_type=Ack, first=first)
        self._known = ("", "")  # id and boot of the board that is up
        self._reader = Reader(TO_HUB)
        self._who: Frame | None = None  # as asked since the board was last heard to say hello
        self._who_at = 0.0
        self._rests = rests()
        self._heard_at = 0.0

    # --- what the line says ---

    def opened(self, now: float) -> None:
        """Ask who is there."""
        self._who_at = now

    def heard(self, data: bytes, now: float) -> None:
        """Understand what came."""
        for heard in self._reader.feed(data):
            match heard:
                case Chatter(text):
                    if '":' not in text:  # a torn frame may hold a bid, and that is never logged
                        log.debug("%s says: %s", self.port, text)
                case Garbled(sentence):
                    log.debug("%s: %s", self.port, sentence)
                case OtherProtocol():
                    if self.state != "ignored":
                        self._refuse(heard)
                case Hello():
                    self._heard_at = now
                    if self.state != "ignored" and (heard.id, heard.boot) != self._known:
                        self._greet(heard)
                case Frame():
                    before, self._heard_at = self._heard_at, now
                    if self.state == "up":
                        self._obey(heard)
                    elif self.state == "asking" and now - before > QUIET:
                        self._who_at = now  # it speaks again: no long rest now

    def due(self, now: float) -> None:
        """Ask again, repeat, or find that the board is silent."""
        if self.state == "asking" and now >= self._who_at:
            self._ask(now)
        if self.state != "up":
            return
        if now - self._heard_at > QUIET:
            self._who_at = now
            self._let_go(f"{self._name} is silent: look at its cable ({self.port}).")
        elif self.link.due(now) is not None:
            self._sleep(now)
            self._let_go(f"{self._name} is not answering: look at its cable ({self.port}).")

    def deadline(self) -> float | None:
        """The next thing that time alone brings."""
        if self.state == "asking":
            return self._who_at
        if self.state != "up":
            return None
        quiet_at = self._heard_at + QUIET + 0.001  # just past it
        return quiet_at if self.link.deadline is None else min(quiet_at, self.link.deadline)

    # --- what the board is and says ---

    @property
    @abstractmethod
    def _name(self) -> str:
        """The board that is up, as a sentence about it begins."""

    @abstractmethod
    def _greet(self, hello: Hello) -> None:
        """A board says hello, or has become another one: `_meet` it, `_give_up`, or neither."""

    @abstractmethod
    def _refuse(self, other: OtherProtocol) -> None:
        """Its firmware is none for this hub."""

    @abstractmethod
    def _obey(self, frame: Frame) -> None:
        """The board that is up said something else than hello."""

    @abstractmethod
    def _lose(self, why: str) -> None:
        """The board that was up is no more."""

    # --- states ---

    def _meet(self, hello: Hello, memory: Memory) -> None:
        """This board is ours: speak with it from now on. `memory` has what was heard of it before."""
        self.state, self.fine = "up", True
        self._known = (hello.id, hello.boot)
        self._who = None
        self.link.settle()
        self.link.memory = memory

    def _give_up(self, why: str) -> None:
        """This board is not ours: leave the port alone until something else is plugged in there."""
        log.info("%s", why)
        self.finished, self.state = True, "ignored"

    def _let_go(self, why: str) -> None:
        """Ask anew who is there."""
        self.state, self._known = "asking", ("", "")
        self.link.settle()
        self.link.memory = Memory()
        self._lose(why)

    def _ask(self, now: float) -> None:
        if self._who is None:
            self._who = self.link.tell(Who())
        else:
            self.link.tell_again(self._who)
        self._sleep(now)

    def _sleep(self, now: float) -> None:
        self._who_at = now + next(self._rests)
