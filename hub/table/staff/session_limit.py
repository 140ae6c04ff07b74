"""The time limit of a table, set by staff or by the venue's closing time, and its announcements.

The limit ends no match.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from msgspec import UNSET, UnsetType

from hub.engine.text import say
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.staff.opening_hours import closing

LAST_ORDERS, FEW = 15 * 60, 5 * 60
"""The times of the two announcements, in seconds before the end."""
LONGEST = 24 * 3600
CHECK_SECONDS = 1.0
"""How often the closing time is computed."""


class SessionLimit(Part):
    """The time limit of one table. The table's clock measures the time that is left of a limit set by staff.

    A limit set by staff counts before the venue's hours (`evenings`, see `hub.table.staff.opening_hours`).
    """

    def __init__(self, core: Core, evenings: Sequence[str] = ()) -> None:
        self._kept, self._notices, self._evenings = core.kept, core.notices, evenings
        self._clock, self._wall = core.ports.clock, core.ports.wall
        self._staff_until: int | None = None  # by staff
        self._ends_at = 0.0  # by the table's clock
        self._closing_at: int | None = None  # by the venue's hours
        self._checked_at = -CHECK_SECONDS  # when that was computed, in seconds since 1970

    @property
    def until(self) -> int | None:
        """Return when the table's time is over, in seconds since 1970; None without a limit."""
        return self._closing_at if self._staff_until is None else self._staff_until

    @property
    def by_hours(self) -> bool:
        """Return whether the limit is that of the venue's hours."""
        return self._staff_until is None and self._closing_at is not None

    def restore(self) -> None:
        """Restore a limit from before a restart. Raise LogError."""
        until = self._kept.read("until", int, say("how long the table is taken"))
        if until and abs(until - self._wall()) < LONGEST:  # else it is long over, or this clock is wrong
            self._set_end(until)

    def choose(self, minutes: int | UnsetType, at: str | UnsetType) -> None:
        """Set the limit: in `minutes`, else at the next time `at` ("22:30"), else none. Raise LogError."""
        if minutes is not UNSET:
            self.set(int(self._wall()) + 60 * minutes)
        elif at is not UNSET:
            now, (hour, minute) = datetime.fromtimestamp(self._wall()).astimezone(), map(int, at.split(":"))
            then = now.replace(hour=hour, minute=minute, second=0)
            self.set(int((then if then > now else then + timedelta(days=1)).timestamp()))
        else:
            self.set(None)

    def set(self, until: int | None) -> None:
        """Set the limit in seconds since 1970; None: no limit. Raise LogError."""
        if until is None:
            self._kept.forget("until")
            self._staff_until = None
        else:
            self._kept.write("until", str(until).encode())
            self._set_end(until)
        self.run_due()

    def _set_end(self, until: int) -> None:
        self._staff_until, self._ends_at = until, self._clock.now() + until - self._wall()

    def run_due(self) -> bool:
        """Announce the end when it is due; return whether anything has changed."""
        before = self.until
        wall = self._wall()
        has_hours = any(self._evenings) or self._closing_at is not None  # the owner may change them meanwhile
        if has_hours and abs(wall - self._checked_at) >= CHECK_SECONDS:
            self._closing_at, self._checked_at = closing(self._evenings, wall), wall
        until = self.until
        if until is None:
            return self._notices.end("time") or before is not None
        left = self._ends_at - self._clock.now() if self._staff_until is not None else until - self._wall()
        if sentence := self._announcement(until, left):
            return self._notices.post("time", sentence)
        return self._notices.end("time") or until != before

    def _announcement(self, until: int, left: float) -> str:
        """Return the announcement with `left` seconds to go, "" for none."""
        at = datetime.fromtimestamp(until, UTC).astimezone().strftime("%H:%M")
        if left > LAST_ORDERS:
            return ""
        if self.by_hours:
            if left <= 0:
                return say("The venue closed at {time}. Your match does not stop by itself.", time=at)
            if left <= FEW:
                return say("A few minutes are left: the venue closes at {time}.", time=at)
            return say("Last orders: the venue closes at {time}.", time=at)
        if left <= 0:
            return say("The time for this table ended at {time}. Your match does not stop by itself.", time=at)
        if left <= FEW:
            return say("A few minutes are left: the time for this table ends at {time}.", time=at)
        return say("Last orders: the time for this table ends at {time}.", time=at)
