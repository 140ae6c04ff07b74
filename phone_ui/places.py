"""Places: who may hold one of a limited number of connections, and who gives one up for whom. Used from the event loop only.

Nobody keeps others out by sitting there. A network that holds more than its share gives up a place for one that holds less;
networks at which a phone has logged in, or a screen of the table's own stands, give one up to each other only.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_SECONDS = 1.0
"""So long an idle place has to come to something; then it goes to a network that holds fewer."""
REMEMBERED_SECONDS = 3600.0
"""So long a network counts as one of the table's after its last login."""


class Seated:
    """The networks of the table: a phone with a login, or a screen of its own, is or was there within the hour."""

    MOST = 512

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._there: Counter[str] = Counter()
        self._until: dict[str, float] = {}

    def arrive(self, network: str) -> None:
        """Note that one of them is connected from there."""
        self._there[network] += 1

    def leave(self, network: str) -> None:
        """Note that one is not connected any more."""
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
    """One place that is held. `busy`: something is under way there, so that it is not idle."""

    network: str
    since: float
    end: Callable[[], None] = field(repr=False)
    busy: bool = False


class Places:
    """So many places in all, and so many for each network."""

    def __init__(
        self, most: int, most_each: int, seated: Seated | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._most_each, self._now = most, most_each, now
        self._seated = seated or Seated(now)
        self._held: dict[str, dict[Place, None]] = {}  # by network, the oldest first
        self.used = 0

    def take(self, network: str, end: Callable[[], None], *, busy: bool = False) -> Place | None:
        """Return a place, or None where the network has its share. `end` is called when the place is given to another."""
        if len(self._held.get(network, ())) >= self._most_each:
            return None
        if self.used >= self._most:
            given_up = self._given_up_for(network)
            if given_up is None:
                return None
            self.release(given_up)
            given_up.end()
        place = Place(network, self._now(), end, busy)
        self._held.setdefault(network, {})[place] = None
        self.used += 1
        return place

    def is_seated(self, network: str) -> bool:
        """Return whether a network is one of the table's."""
        return network in self._seated

    def release(self, place: Place) -> None:
        """Give a place back; nothing where it was given to another."""
        held = self._held.get(place.network, {})
        if place in held:
            del held[place]
            self.used -= 1
            if not held:
                del self._held[place.network]

    def _given_up_for(self, network: str) -> Place | None:
        """Return the place that is given up for one more of this network: of who holds most, an idle one, the oldest."""
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
