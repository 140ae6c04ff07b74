"""Limit the number of connections, fairly between networks. Use it from the event loop only.

A network that holds more places than another loses one to it, so nobody can block the others. Seated networks, which have a
logged-in phone or a screen of the table, lose places only to each other.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_SECONDS = 1.0
"""An idle place is safe for this long; then a network with fewer places may get it."""
REMEMBERED_SECONDS = 3600.0
"""How long a network counts as seated after its last phone or screen has left."""


class Seated:
    """The networks that have a logged-in phone or a screen of the table, or had one within the last hour."""

    MOST = 512

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._there: Counter[str] = Counter()
        self._until: dict[str, float] = {}

    def arrive(self, network: str) -> None:
        """Count a phone or screen that connected from this network."""
        self._there[network] += 1

    def leave(self, network: str) -> None:
        """Uncount a phone or screen that disconnected."""
        self._there[network] -= 1
        if not self._there[network]:
            del self._there[network]
        self._until.pop(network, None)
        self._until[network] = self._now() + REMEMBERED_SECONDS
        if len(self._until) > self.MOST:
            del self._until[next(iter(self._until))]

    def __contains__(self, network: str) -> bool:
        return network in self._there or self._until.get(network, 0.0) > self._now()


@dataclass(eq=False, slots=True)
class Place:
    """A place that is in use. It is idle unless `busy`."""

    network: str
    since: float
    end: Callable[[], None] = field(repr=False)
    busy: bool = False


class Places:
    """A limited number of places, in total (`most`) and for each network (`most_each`)."""

    def __init__(
        self, most: int, most_each: int, seated: Seated | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._most_each, self._now = most, most_each, now
        self._seated = seated or Seated(now)
        self._held: dict[str, dict[Place, None]] = {}  # by network, the oldest first
        self.used = 0

    def take(self, network: str, end: Callable[[], None], *, busy: bool = False) -> Place | None:
        """Return a place, or None if the network has its share. `end` is called if another network gets the place."""
        if len(self._held.get(network, ())) >= self._most_each:
            return None
        if self.used >= self._most:
            replaced = self._find_replaceable(network)
            if replaced is None:
                return None
            self.release(replaced)
            replaced.end()
        place = Place(network, self._now(), end, busy)
        self._held.setdefault(network, {})[place] = None
        self.used += 1
        return place

    def is_seated(self, network: str) -> bool:
        """Return whether a network counts as seated."""
        return network in self._seated

    def release(self, place: Place) -> None:
        """Give a place back. Nothing happens if another network has it."""
        held = self._held.get(place.network, {})
        if place in held:
            del held[place]
            self.used -= 1
            if not held:
                del self._held[place.network]

    def _find_replaceable(self, network: str) -> Place | None:
        """Return the place that this network may have: the oldest idle one, else the oldest, of the network that holds most."""
        now, seated = self._now(), self._seated
        most = max(self._held, key=lambda one: (one not in seated, len(self._held[one])))
        held = self._held[most]
        idle = next((place for place in held if not place.busy and now - place.since >= GRACE_SECONDS), None)
        found = idle or next(iter(held))
        if most not in seated and network in seated:
            return found
        if most in seated and network not in seated:
            return None
        return found if len(held) >= len(self._held.get(network, ())) + (1 if idle else 2) else None
