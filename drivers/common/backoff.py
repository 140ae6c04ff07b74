"""Delays between attempts to reach something that does not answer: a port, a device, a board, the radio."""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST, LONGEST = 0.5, 5.0  # seconds


def backoff() -> Iterator[float]:
    """Yield delays in seconds without end: SHORTEST first, each twice the last one, at most LONGEST."""
    delay = SHORTEST
    while True:
        yield delay
        delay = min(2 * delay, LONGEST)
