"""The latest value of something, for subscribers that skip intermediate values."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Latest:
    """One value as bytes. A writer never waits for readers. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = 0
        self._value = b""
        self._followers: list[Callable[[], None]] = []

    def put(self, value: bytes) -> None:
        """Replace the value and call every subscriber."""
        with self._lock:
            self._version += 1
            self._value = value
            followers = tuple(self._followers)
        for nudge in followers:
            nudge()

    def get(self) -> tuple[int, bytes]:
        """Return version (0: nothing yet) and value."""
        with self._lock:
            return self._version, self._value

    @property
    def has_followers(self) -> bool:
        """Return whether there are subscribers."""
        with self._lock:
            return bool(self._followers)

    def subscribe(self, nudge: Callable[[], None]) -> Callable[[], None]:
        """Call `nudge` after each change, on the writer's thread, so it must return at once. Return a function that ends this."""
        with self._lock:
            self._followers.append(nudge)

        def unsubscribe() -> None:
            with self._lock:
                if nudge in self._followers:
                    self._followers.remove(nudge)

        return unsubscribe
