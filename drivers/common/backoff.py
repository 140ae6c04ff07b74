"""How long to wait between two tries to reach what does not answer: a port, a device, a board, the radio."""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST, LONGEST = 0.5, 5.0  # seconds


def backoff() -> Iterator[float]:
    """Yield delays in seconds for ever, each twice as long as the one before, from SHORTEST up to LONGEST."""
    delay = SHORTEST
    while True:
        yield delay
        delay = min(2 * delay, LONGEST)
