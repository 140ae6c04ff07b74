"""The clock of the machine, for devices that run outside tests."""

from __future__ import annotations

import time


class MonotonicClock:
    """A `Clock` that never jumps, whatever is done to the date."""

    def now(self) -> float:
        """Return seconds since some moment in the past."""
        return time.monotonic()
