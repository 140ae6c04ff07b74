"""How long to rest between two tries to reach what does not answer: a port, a device, a board, the radio."""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST, LONGEST = 0.5, 5.0  # seconds


def rests() -> Iterator[float]:
    """The first rest and those after it, each twice as long as the one before, up to the longest."""
    rest = SHORTEST
    while True:
        yield rest
        rest = min(2 * rest, LONGEST)
