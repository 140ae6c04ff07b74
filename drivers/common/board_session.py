"""The session with a board on one open line: asked who it is, listened to, and let go when it is silent.

A board does not speak first, and what it says before the port was opened is lost. So it is asked, with growing
delays, until it says hello; and again when nothing was heard of it for a while. What kind of board it is and what it
has to say is for those who derive from `BoardSession`. No port, thread or clock of its own: times are handed in, in
seconds.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Literal

from drivers.common.backoff import backoff
from drivers.common.frames import (
    TO_HUB,
    Chatter,
    Frame,
    FrameReader,
    Garbled,
    Hello,
    Link,
    OtherProtocol,
    SeenFrames,
    Who,
)
from hub.engine.text import say

log = logging.getLogger(__name__)

QUIET = 3.0  # seconds without a frame until a board counts as lost (protocol: `beat`)

State = Literal["asking", "up", "duplicate", "ignored"]  # duplicate: another line has the board of that id


class BoardSession(ABC):
    """All of a `LineSession` but what is said to the board, and to the table when the line is gone."""

    def __init__(self, port: str, first: int) -> None:
        """`first` is the first number on the line."""
        self.finished = False
        self.accepted = False
        self.port = port
        self.state: State = "asking"
        self.link = Link(first=first)
        self._board = ("", "")  # id and boot of the board that is up
        self._reader = FrameReader(TO_HUB)
        self._who: Frame | None = None  # as asked since the board was last heard to say hello
        self._ask_at = 0.0
        self._backoff = backoff()
        self._last_frame_at = 0.0

    # --- what the line says ---

    def on_open(self, now: float) -> None:
        """Begin to ask who is there."""
        self._ask_at = now

    def on_data(self, data: bytes, now: float) -> None:
        """Take in bytes from the board."""
        for line in self._reader.feed(data):
            match line:
                case Chatter(text):
                    if '":' not in text:  # a torn frame may hold a bid, and that is never logged
                        log.debug("%s says: %s", self.port, text)
                case Garbled(sentence):
                    log.debug("%s: %s", self.port, sentence)
                case OtherProtocol():
                    if self.state != "ignored":
                        self._on_other_protocol(line)
                case Hello():
                    self._last_frame_at = now
                    if self.state != "ignored" and (line.id, line.boot) != self._board:
                        self._on_hello(line)
                case Frame():
                    before, self._last_frame_at = self._last_frame_at, now
                    if self.state == "up":
                        self._on_frame(line)
                    elif self.state == "asking" and now - before > QUIET:
                        self._ask_at = now  # it speaks again: no long delay now

    def run_due(self, now: float) -> None:
        """Ask again, repeat, or find that the board is silent."""
        if self.state == "asking" and now >= self._ask_at:
            self._ask(now)
        if self.state != "up":
            return
        if now - self._last_frame_at > QUIET:
            self._ask_at = now
            self._lose_board(say("{device} is silent. Check its cable.", device=self._name))
        elif self.link.run_due(now) is not None:
            self._ask_later(now)
            self._lose_board(say("{device} does not answer. Check its cable.", device=self._name))

    def deadline(self) -> float | None:
        """Return when `run_due` is to be called at the latest; None: not before bytes come."""
        if self.state == "asking":
            return self._ask_at
        if self.state != "up":
            return None
        quiet_at = self._last_frame_at + QUIET + 0.001  # just past it
        return quiet_at if self.link.deadline is None else min(quiet_at, self.link.deadline)

    # --- what the board is and says ---

    @property
    @abstractmethod
    def _name(self) -> str:
        """The board that is up, as a sentence about it begins."""

    @abstractmethod
    def _on_hello(self, hello: Hello) -> None:
        """Accept a board that says hello or has become another one, give it up, or do neither."""

    @abstractmethod
    def _on_other_protocol(self, other: OtherProtocol) -> None:
        """Report that the board's firmware is none for this hub."""

    @abstractmethod
    def _on_frame(self, frame: Frame) -> None:
        """Act on what the board that is up said, other than hello."""

    @abstractmethod
    def _on_board_lost(self, sentence: str) -> None:
        """Report that the board that was up is lost."""

    # --- states ---

    def _accept(self, hello: Hello, seen: SeenFrames) -> None:
        """Speak with this board from now on: it is ours. `seen` has what was heard of it before."""
        self.state, self.accepted = "up", True
        self._board = (hello.id, hello.boot)
        self._who = None
        self.link.drop_question()
        self.link.seen = seen

    def _reject_board(self, sentence: str) -> None:
        """Leave the port alone until something else is plugged in there: this board is not ours."""
        log.info("%s", sentence)
        self.finished, self.state = True, "ignored"

    def _lose_board(self, sentence: str) -> None:
        """Report the board as lost, and ask anew who is there."""
        log.info("%s: %s", self.port, sentence)
        self.state, self._board = "asking", ("", "")
        self.link.drop_question()
        self.link.seen = SeenFrames()
        self._on_board_lost(sentence)

    def _ask(self, now: float) -> None:
        if self._who is None:
            self._who = self.link.send(Who())
        else:
            self.link.resend(self._who)
        self._ask_later(now)

    def _ask_later(self, now: float) -> None:
        self._ask_at = now + next(self._backoff)
