"""Calls for staff: notices that stay until somebody dismisses them, or whoever called takes the call back.

They are on disk, because a call was acknowledged: the hub may restart before staff have come.
"""

from __future__ import annotations

from contextlib import suppress

from hub.engine.text import say, to_json
from hub.errors import LogError
from hub.table.base.kept import KeptValues
from hub.table.base.notices import Notices
from hub.table.base.part import Part

GUEST = "guest"
"""In place of a seat: somebody who has none calls."""


class Calls(Part):
    """The calls of one table, each from a seat or from a guest without one."""

    def __init__(self, kept: KeptValues, notices: Notices) -> None:
        self._kept, self._notices = kept, notices
        self._on_disk: list[str] = []

    def toggle(self, seat: int) -> None:
        """Call staff to a seat, or take the call back."""
        if not self._notices.end("help", f"{seat}"):
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
        if present != self._on_disk:
            with suppress(LogError):  # staff come all the same
                self._kept.write("calls", to_json(present))
                self._on_disk = present
