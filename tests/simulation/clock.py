"""Virtual time: one queue of actions, run in the order of their times."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count


class Scheduler:
    """Runs actions at virtual times. Actions of the same time run in the order in which they were scheduled."""

    def __init__(self, now: float = 1000.0) -> None:
        self.time = now
        self._queue: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()

    def now(self) -> float:
        """Return the time in seconds: the `Clock` port of a table."""
        return self.time

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Run `action` in so many seconds."""
        heapq.heappush(self._queue, (self.time + seconds, next(self._numbers), action))

    def run_until(self, end: float) -> None:
        """Run all actions until that time."""
        while self._queue and self._queue[0][0] <= end:
            self.time, _, action = heapq.heappop(self._queue)
            action()
        self.time = max(self.time, end)
