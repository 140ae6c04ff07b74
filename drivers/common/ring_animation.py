"""The animation of a ring of lamps: the newest picture, drawn frame by frame with the driver's clock.

For lamps that the hub itself drives (strips, lamps on the header). A seat box animates its own ring.
"""

from __future__ import annotations

from hub.display.rings import Colour, frame, moves
from hub.ports import LampPicture

FRAME = 1 / 30  # seconds between two frames of a moving pattern
# No light flashes more than three times a second (WCAG 2.2, 2.3.1): a flash is two changes, so a ring takes six
# pictures a second at most. Within a pattern the same is promised by hub.display.
SHORTEST_PICTURE = 1 / 6  # seconds

_DARK = LampPicture("off")


class RingAnimation:
    """One ring. A new picture shows at once, or SHORTEST_PICTURE after the last change; intermediate pictures are skipped.

    Times are seconds of a monotonic clock.
    """

    def __init__(self) -> None:
        self._shown = _DARK
        self._since = 0.0
        self._newest: LampPicture | None = None
        self._free_at = 0.0

    def show(self, picture: LampPicture) -> None:
        """Show this picture next."""
        self._newest = picture

    def lamps(self, now: float) -> list[Colour]:
        """Return the colors of the 16 lamps now, clockwise from the player's side."""
        if self._newest is not None and now >= self._free_at:
            if self._newest != self._shown:
                self._shown, self._since, self._free_at = self._newest, now, now + SHORTEST_PICTURE
            self._newest = None
        return frame(self._shown, now - self._since)

    def next_change_at(self, now: float) -> float | None:
        """Return when `lamps` may change; None: not before the next picture."""
        waiting = self._free_at if self._newest is not None else None
        moving = now + FRAME if moves(self._shown) else None
        return min((at for at in (waiting, moving) if at is not None), default=None)
