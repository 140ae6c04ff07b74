"""The session with a board on one open line: identify it, receive its frames, and report it lost when it is silent.

A board does not speak first, and bytes that it sent before the port was opened are lost. So the hub sends `who`, with
growing delays, until the board says hello, and again when the board has been silent for QUIET seconds. Subclasses know the
kind of board and its frames. A session has no port, thread or clock: callers pass the time, in seconds.
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
    """A `LineSession` without `outgoing` and `on_close`, which subclasses define."""

    def __init__(self, port: str, first: int) -> None:
        """Start with frame number `first`."""
        self.finished = False
        self.accepted = False
        self.port = port
        self.state: State = "asking"
        self.link = Link(first=first)
        self._board = ("", "")  # id and boot of the board that is up
        self._reader = FrameReader(TO_HUB)
        self._who: Frame | None = None  # sent, and repeated until the board says hello
        self._ask_at = 0.0
        self._backoff = backoff()
        self._last_frame_at = 0.0

    # --- the line ---

    def on_open(self, now: float) -> None:
        """Start to ask for the board."""
        self._ask_at = now

    def on_data(self, data: bytes, now: float) -> None:
        """Handle bytes from the board."""
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
                        self._ask_at = now  # it sends again: ask at once

    def run_due(self, now: float) -> None:
        """Ask or repeat if that is due, and report a silent board."""
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
        """Return when to call `run_due` at the latest; None: not before bytes arrive."""
        if self.state == "asking":
            return self._ask_at
        if self.state != "up":
            return None
        quiet_at = self._last_frame_at + QUIET + 0.001  # just past it
        return quiet_at if self.link.deadline is None else min(quiet_at, self.link.deadline)

    # --- the board ---

    @property
    @abstractmethod
    def _name(self) -> str:
        """The name of the connected board at the start of a sentence."""

    @abstractmethod
    def _on_hello(self, hello: Hello) -> None:
        """Accept or reject a board that says hello for the first time, or with another id or boot."""

    @abstractmethod
    def _on_other_protocol(self, other: OtherProtocol) -> None:
        """Report firmware with another protocol."""

    @abstractmethod
    def _on_frame(self, frame: Frame) -> None:
        """Handle a frame of the accepted board, except hello."""

    @abstractmethod
    def _on_board_lost(self, sentence: str) -> None:
        """Report that the accepted board is lost."""

    # --- states ---

    def _accept(self, hello: Hello, seen: SeenFrames) -> None:
        """Accept this board. `seen` holds the frames that it has sent before."""
        self.state, self.accepted = "up", True
        self._board = (hello.id, hello.boot)
        self._who = None
        self.link.drop_question()
        self.link.seen = seen

    def _reject_board(self, sentence: str) -> None:
        """Release the port until something else is plugged in there: this board belongs to another driver."""
        log.info("%s", sentence)
        self.finished, self.state = True, "ignored"

    def _lose_board(self, sentence: str) -> None:
        """Report the board as lost, and start to ask again."""
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
