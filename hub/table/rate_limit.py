"""Limit how often a value may change of which only the last one matters: a name on disk, a phone's link."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class RateLimit(Generic[T]):
    """At most `changes` within `seconds` for each key; further ones wait until they are due."""

    MOST_KEYS = 64

    def __init__(self, changes: int, seconds: float) -> None:
        self._changes, self._seconds = changes, seconds
        self._times: dict[str, tuple[float, ...]] = {}  # times of a key's last `changes`, oldest first
        self._waiting: dict[str, list[T]] = {}

    def defer(self, key: str, value: T, now: float) -> bool:
        """Return whether a change must wait: it is queued for `pop_due`. Otherwise count it as done."""
        if key not in self._waiting and self._due_at(key) <= now:
            self._note(key, now)
            return False
        self._waiting.setdefault(key, []).append(value)
        return True

    def pop_due(self, now: float) -> list[list[T]]:
        """Remove and return the changes that are due, by key in their order; those of one key count as one."""
        found = []
        for key in [key for key in self._waiting if self._due_at(key) <= now]:
            found.append(self._waiting.pop(key))
            self._note(key, now)
        return found

    @property
    def due_at(self) -> float | None:
        """Return when the next waiting change is due, in the clock's seconds, or None."""
        return min(map(self._due_at, self._waiting), default=None)

    def _due_at(self, key: str) -> float:
        done = self._times.get(key)
        return done[0] + self._seconds if done and len(done) == self._changes else float("-inf")

    def _note(self, key: str, now: float) -> None:
        self._times[key] = (*self._times.pop(key, ()), now)[-self._changes :]
        if len(self._times) > self.MOST_KEYS:
            del self._times[next(iter(self._times))]
