"""Show the reveal of a sealed choice: rings show only it for some seconds, and the playing boxes sound once.

The match, phones and screens go on at once.
"""

from __future__ import annotations

from hub.engine.decision import Decision
from hub.table.base.part import Part
from hub.table.core import Core

FEWEST = 2
"""The fewest seats of a reveal: the choice of a single seat is only an answer."""


class Reveal(Part):
    """The last reveal of one table, shown for `seconds`."""

    def __init__(self, core: Core, seconds: float) -> None:
        self._play, self._seats, self._boxes = core.play, core.seats, core.ports.boxes
        self._clock, self._seconds = core.ports.clock, seconds
        self._last: tuple[str | None, int] | None = None  # the match, and the number of the sealed choice
        self._ends_at: float | None = None

    @property
    def due_at(self) -> float | None:
        """Return when the reveal ends, in the clock's seconds; None if none is shown."""
        return self._ends_at

    @property
    def number(self) -> int | None:
        """Return the number of the last revealed choice of this match, or None."""
        last = self._last
        return last[1] if last and last[0] == self._play.log.match and self._play.match else None

    # It starts when the values are known, not at the last lock, as a lock may still be taken back. The match does not pause,
    # because everybody would wait at each choice.
    def begin_after(self, before: Decision | None, match: str | None) -> None:
        """Start a reveal if `before`, the decision of `match` that was open until now, ended with all its locks."""
        if not self._is_opened(before, match) or before is None:
            return
        self._last = match, before.number
        self._ends_at = self._clock.now() + self._seconds if self._seconds else None
        for seat in self._seats:
            if self._boxes and seat.box_on and seat.number in self._play.seats:
                self._boxes.buzz(seat.box, "reveal")

    def _is_opened(self, before: Decision | None, match: str | None) -> bool:
        """Return whether a sealed choice is in the current log with all its locks, and was not taken back or lost."""
        if before is None or before.kind != "sealed" or len(before.asked) < FEWEST or self._play.match is None:
            return False
        whole = len(before.answers) == len(before.asked)
        return (
            whole and match == self._play.log.match and len(self._play.match.log) >= before.number + len(before.asked)
        )

    def refresh(self) -> bool:
        """End the reveal if due; return whether it has ended now."""
        if self._ends_at is None or self._clock.now() < self._ends_at:
            return False
        self._ends_at = None
        return True
