"""Calls for staff: notices that stay until somebody dismisses them, or whoever called takes the call back.

They are on disk, because a call was acknowledged: the hub may restart before staff have come. How long each call was open is kept
for the statistics of the venue, without the seat.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hub.engine.text import say, to_json
from hub.errors import LogError
from hub.evenings import ANSWERED, AnsweredCall, evening_of, month_of
from hub.table.base.kept import KeptValues
from hub.table.base.notices import Notices
from hub.table.base.part import Part

GUEST = "guest"
"""In place of a seat: somebody who has none calls."""
MOST = 2_000
"""Calls of a month that are kept; a table has about 500 if it calls every half hour."""


class Calls(Part):
    """The calls of one table, each from a seat or from a guest without one.

    `wall` returns the time of day (Unix time).
    """

    def __init__(self, kept: KeptValues, notices: Notices, wall: Callable[[], float]) -> None:
        self._kept, self._notices, self._wall = kept, notices, wall
        self._on_disk: list[str] = []
        self._standing: list[str] = []  # those of this run, whose time is known

    def toggle(self, seat: int) -> None:
        """Call staff to a seat, or take the call back."""
        if self._notices.end("help", f"{seat}"):
            self._standing = [about for about in self._standing if about != f"{seat}"]  # nobody has answered it
        else:
            self._call(f"{seat}")
        self.update()

    def call_guest(self) -> bool:
        """Call staff to somebody without a seat. Return whether that is new."""
        is_new = self._call(GUEST)
        self.update()
        return is_new

    def _call(self, about: str) -> bool:
        if about == GUEST:
            return self._notices.post("help", say("Somebody without a seat calls for staff."), GUEST)
        return self._notices.post("help", say("Seat {seat} calls for help.", seat=int(about)), about)

    def restore(self) -> None:
        """Restore the calls. Raise LogError."""
        self._on_disk = self._kept.read("calls", list[str], say("who calls for staff")) or []
        for about in self._on_disk:
            if about == GUEST or about.isdecimal():
                self._call(about)

    def update(self) -> None:
        """Write the calls if they have changed. If the disk fails, they are written with a later signal."""
        present = self._notices.subjects("help")
        for about in self._standing:
            if about not in present:
                self._note_answer(about)
        self._standing = [about for about in present if about in self._standing or about not in self._on_disk]
        if present != self._on_disk:
            with suppress(LogError):  # staff come all the same
                self._kept.write("calls", to_json(present))
                self._on_disk = present

    def _note_answer(self, about: str) -> None:
        """Keep how long a call was open. If the disk fails, the statistics lack it."""
        now = self._wall()
        name = ANSWERED.format(month=month_of(evening_of(now)))
        with suppress(LogError):
            before = self._kept.read(name, list[AnsweredCall], say("how fast staff came")) or []
            call = AnsweredCall(int(now), round(self._notices.stood("help", about)))
            self._kept.write(name, to_json([*before, call][-MOST:]))
