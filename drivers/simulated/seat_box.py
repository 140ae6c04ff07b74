"""A seat box at its own end of the cable: what its firmware does, without thread, port or clock.

A sealed value and its nonce stay in here until the reveal; while a sealed round is open nothing that goes on the
cable tells of the dial, the push or a key. The simulated table and the tests put it on a pty.
"""

from __future__ import annotations

import secrets
from collections import deque
from typing import Any, Protocol

from drivers.common.frames import (
    TO_BOX,
    Ack,
    Beat,
    Bid,
    Boot,
    Buzz,
    Cancel,
    Detents,
    Frame,
    Garbled,
    Hello,
    Link,
    Locked,
    Nak,
    Name,
    Ok,
    Open,
    Press,
    Reader,
    Reveal,
    Ring,
    Say,
    Unlocked,
    Who,
    commitment,
)
from hub.ports import CONTROLS, Control

CHOOSERS = 6  # K1 to K6
HOLDING: tuple[Control, ...] = ("bar", "k1", "k2", "k3", "k4", "k5", "k6")  # a long push is a push
MOST_DETENTS = 127  # in one frame


class End(Protocol):
    """What a box is to the cable, the person and a test: `BoxEnd`, or the real firmware in an interpreter."""

    @property
    def wants_firmware(self) -> bool:
        """It has become a drive, and is no box any more."""

    def power_up(self) -> None:
        """Everything that was in the box is forgotten."""

    def press(self, control: Control, hold: bool = False) -> None:
        """A control is pressed, or pressed and held."""

    def turn(self, detents: int) -> None:
        """The dial is turned; right is positive."""

    def plugged_in(self) -> None:
        """A fresh cable."""

    def heard(self, data: bytes) -> None:
        """Bytes from the hub."""

    def due(self, now: float) -> None:
        """Look at the clock."""

    def deadline(self) -> float:
        """When `due` should be called."""

    def outgoing(self, now: float) -> bytes:
        """What goes on the cable now."""

    def state(self) -> dict[str, Any]:
        """What a person at this seat sees; `hood` only under the hood."""


class BoxEnd:
    """A box at its own end of the cable: its controls, its lamps, its display, and what is locked inside."""

    VERSION = "sim-1"

    def __init__(self, name: str) -> None:
        self.name = name
        self.power_up()

    def power_up(self) -> None:
        """Everything that was in the box is forgotten."""
        self.boot = secrets.token_hex(4)
        self.ring: Ring | None = None
        self.display = ""
        self.buzzed = 0
        self.buzz = ""
        self._link = Link(answer_type=Ok, first=1)
        self._reader = Reader(TO_BOX)
        self._queue: deque[Frame] = deque()
        self._sealed: Open | None = None
        self._value = 0
        self._names: dict[int, str] = {}
        self._bid: Bid | None = None  # what will be told: its presence is the lock
        self._unlocking = False
        self._told: Bid | None = None  # of the last revealed round
        self._up_at: float | None = None
        self._beat_at = 0.0
        self.wants_firmware = False

    # --- the person ---

    def press(self, control: Control, hold: bool = False) -> None:
        """A control is pressed, or pressed and held: one press is told as one of the two, never as both."""
        held = hold and control in HOLDING
        sealed = self._sealed
        if sealed is None:
            self._queue.append(Press(k=control, e="hold" if held else "down"))
        elif held:
            if control == "bar":  # staff may be called from a sealed round; what a key means may not be asked
                self._queue.append(Press(k="bar", e="hold"))
        elif control == "push":
            self._lock(sealed)
        elif control == "bar":
            self._take_back(sealed)
        elif self._bid is None and sealed.hi - sealed.lo < CHOOSERS:
            self._value = min(sealed.lo + int(control[1]) - 1, sealed.hi)

    def turn(self, detents: int) -> None:
        """The dial is turned; in a sealed round that moves the secret value and says nothing."""
        if self._sealed is not None:
            if self._bid is None:
                self._value = max(self._sealed.lo, min(self._sealed.hi, self._value + detents))
        elif self._queue and isinstance(last := self._queue[-1], Detents) and abs(last.d + detents) <= MOST_DETENTS:
            self._queue[-1] = Detents(d=last.d + detents)
        else:
            self._queue.append(Detents(d=detents))

    def _lock(self, sealed: Open) -> None:
        if self._bid is not None:
            return
        nonce = secrets.token_hex(8)
        self._bid = Bid(r=sealed.r, b=self._value, n=nonce)
        self._queue.append(Locked(r=sealed.r, c=commitment(self.name, sealed.r, self._value, nonce)))

    def _take_back(self, sealed: Open) -> None:
        if self._bid is None:
            self._queue.append(Press(k="bar", e="down"))
        elif not self._unlocking:
            # The lock holds until the hub has heard this: else a box could change its bid after the others' reveal.
            self._unlocking = True
            self._queue.append(Unlocked(r=sealed.r))

    # --- the cable ---

    def plugged_in(self) -> None:
        """A fresh cable: half lines of the old one are gone."""
        self._reader = Reader(TO_BOX)
        self._link.outgoing()

    def heard(self, data: bytes) -> None:
        """Bytes from the hub."""
        for heard in self._reader.feed(data):
            if isinstance(heard, Garbled):
                self._link.tell(Nak())
            elif isinstance(heard, Frame):
                self._understand(heard)

    def due(self, now: float) -> None:
        """The heartbeat, and repeats of what the hub has not acknowledged."""
        if self._up_at is None:
            self._up_at = self._beat_at = now
        if now >= self._beat_at:
            self._beat_at = now + 1.0
            self._link.tell(Beat(up=int(now - self._up_at), st="open" if self._sealed else "idle"))
        self._link.due(now)

    def deadline(self) -> float:
        """When `due` should be called."""
        return self._beat_at if self._link.deadline is None else min(self._beat_at, self._link.deadline)

    def outgoing(self, now: float) -> bytes:
        """What goes on the cable now."""
        if self._link.asked is None and self._queue:
            frame = self._queue.popleft()
            # A key that nobody heard for a second is stale; what belongs to a lock is repeated for ever.
            self._link.ask(frame, now, tries=Link.TRIES if isinstance(frame, Press | Detents) else None)
        return self._link.outgoing()

    def hello(self) -> Frame:
        """Who this is."""
        return Hello(id=self.name, boot=self.boot, p=1, v=self.VERSION, k="buttons", n=len(CONTROLS))

    def _understand(self, frame: Frame) -> None:
        match frame:
            case Who():
                if ("", frame.s) not in self._link.memory:
                    self._link.memory.add(("", frame.s))
                    self._drop(Press, Detents)  # a new conversation: what was pressed before it is stale
                self._link.tell(self.hello())
                self._link.hurry()
            case Ack(re=re):
                if isinstance(self._link.confirm(re), Unlocked):
                    self._bid, self._unlocking = None, False
            case Ring():
                self.ring = frame
            case Say(x=text):
                self.display = text
            case Buzz(k=kind):
                self.buzz, self.buzzed = kind, self.buzzed + 1
            case Open() | Name() | Reveal() | Cancel() | Boot():
                if not self._link.repeated(frame) and self._obey(frame):
                    self._link.answer(frame)

    def _obey(self, frame: Frame) -> bool:
        match frame:
            case Open(r=round):
                if self._sealed is None or self._sealed.r != round:
                    self._close()
                    self._drop(Bid)
                    self._told = None
                    self._sealed = frame
                    self._value = max(frame.lo, min(frame.hi, frame.at))
            case Name(r=round, i=place, x=text):
                if self._sealed is not None and self._sealed.r == round:
                    self._names[place] = text
            case Reveal(r=round):
                return self._reveal(round)
            case Cancel(r=round):
                if self._sealed is not None and round in {0, self._sealed.r}:
                    self._close()
                if self._told is not None and round in {0, self._told.r}:
                    self._drop(Bid)
            case Boot():
                self.wants_firmware = True
        return True

    def _reveal(self, round: int) -> bool:
        """Tell the locked value of this very round; anything else is met with silence."""
        if self._bid is not None and self._bid.r == round:
            self._told = self._bid
            self._close()
            self._queue.appendleft(self._told)
            return True
        if self._told is None or self._told.r != round:
            return False
        if self._told not in self._queue and not isinstance(self._link.asked, Bid):
            self._queue.appendleft(self._told)
        return True

    def _close(self) -> None:
        self._sealed = self._bid = None
        self._unlocking = False
        self._names = {}
        self._drop(Locked, Unlocked)

    def _drop(self, *kinds: type[Frame]) -> None:
        self._queue = deque(frame for frame in self._queue if not isinstance(frame, kinds))
        if isinstance(self._link.asked, kinds):
            self._link.settle()

    def state(self) -> dict[str, Any]:
        """What a person at this seat sees; `hood` only under the hood."""
        ring = self.ring
        return {
            "id": self.name,
            "lamps": {"pattern": ring.p, "n": ring.n, "colour": ring.c} if ring else None,
            "display": self._names.get(self._value, self.display),
            "sealed": self._sealed is not None,
            "locked": self._bid is not None,
            "hood": str(self._value + 1) if self._sealed is not None else "",
            "buzz": {"kind": self.buzz, "count": self.buzzed},
        }
