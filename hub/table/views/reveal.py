"""The reveal of a sealed choice: for a moment rings show nothing else, and every box that plays rings once.

The match goes on at once, and so do phones and screens; only what stands around the table is held.
"""

from __future__ import annotations

from hub.engine.decision import Decision
from hub.table.base.part import Part
from hub.table.core import Core

FEWEST = 2
"""A choice of one seat alone is an answer, and no reveal."""


class Reveal(Part):
    """The last reveal of one table; it stands for `seconds`."""

    def __init__(self, core: Core, seconds: float) -> None:
        self._play, self._seats, self._boxes = core.play, core.seats, core.ports.boxes
        self._clock, self._seconds = core.ports.clock, seconds
        self._last: tuple[str | None, int] | None = None  # the match, and the number of the sealed choice
        self._ends_at: float | None = None

    @property
    def due_at(self) -> float | None:
        """Return when the reveal has stood long enough, by the table's clock; None while none stands."""
        return self._ends_at

    @property
    def number(self) -> int | None:
        """Return the number of the sealed choice of this match that was opened last, if there is one."""
        last = self._last
        return last[1] if last and last[0] == self._play.log.match and self._play.match else None

    # It begins when the values are known, not at the last lock: a bell that rings for nothing is not believed again. The match
    # does not pause, because everybody would wait at each choice.
    def begin_after(self, before: Decision | None, match: str | None) -> None:
        """Begin where `before`, the decision of `match` that was open until now, was opened by its last lock."""
        if not self._is_opened(before, match) or before is None:
            return
        self._last = match, before.number
        self._ends_at = self._clock.now() + self._seconds if self._seconds else None
        for seat in self._seats if self._boxes else ():
            if self._boxes and seat.box_on and seat.number in self._play.seats:
                self._boxes.buzz(seat.box, "reveal")

    def _is_opened(self, before: Decision | None, match: str | None) -> bool:
        """Return whether a sealed choice is in the log with all its locks: not taken back, lost by the disk, or put aside."""
        if before is None or before.kind != "sealed" or len(before.asked) < FEWEST or self._play.match is None:
            return False
        whole = len(before.answers) == len(before.asked)
        return (
            whole and match == self._play.log.match and len(self._play.match.log) >= before.number + len(before.asked)
        )

    def refresh(self) -> bool:
        """End what has stood long enough; return whether it has ended now."""
        if self._ends_at is None or self._clock.now() < self._ends_at:
            return False
        self._ends_at = None
        return True
