"""How long a table is its guests': until when, as staff have set it, and when that is announced. No match ends by it."""

from __future__ import annotations

import time
from collections.abc import Callable

from hub.errors import IllegalAction
from hub.ports import Clock
from hub.table.kept import KeptValues
from hub.table.notices import Notices

LAST_ORDERS, FEW = 15 * 60, 5 * 60
"""Seconds before the end at which it is announced."""
LONGEST = 24 * 3600


class SessionLimit:
    """The time of one table. `wall` returns seconds since 1970; what passes meanwhile is measured by the table's clock."""

    def __init__(
        self, kept: KeptValues, notices: Notices, clock: Clock, wall: Callable[[], float] = time.time
    ) -> None:  # fmt: skip
        self._kept, self._notices, self._clock, self._wall = kept, notices, clock, wall
        self.until: int | None = None
        self._ends = 0.0  # by the table's clock

    def recall(self) -> None:
        """Take up what was set before a restart. Raise LogError."""
        until = self._kept.read("until", int, "until when the table is taken")
        if until and abs(until - self._wall()) < LONGEST:  # else it is long over, or this clock is wrong
            self._begin(until)

    def set(self, until: object) -> None:
        """Set until when, in seconds since 1970, or with None that there is no limit. Raise IllegalAction or LogError."""
        if until is None:
            self._kept.forget("until")
            self.until = None
        elif type(until) is int and 0 < until - self._wall() <= LONGEST:
            self._kept.write("until", str(until).encode())
            self._begin(until)
        else:
            raise IllegalAction("A table's time ends within a day from now.", "TIME")
        self.due()

    def _begin(self, until: int) -> None:
        self.until, self._ends = until, self._clock.now() + until - self._wall()

    def due(self) -> bool:
        """Announce the end when it is time; return whether there is news."""
        if self.until is None:
            return self._notices.end("time")
        left = self._ends - self._clock.now()
        at = time.strftime("%H:%M", time.localtime(self.until))
        if left <= 0:
            return self._notices.post("time", f"The time for this table was over at {at}. Nothing ends by itself.")
        if left <= FEW:
            return self._notices.post("time", f"A few minutes are left: the time for this table is over at {at}.")
        if left <= LAST_ORDERS:
            return self._notices.post("time", f"Last orders: the time for this table is over at {at}.")
        return self._notices.end("time")
