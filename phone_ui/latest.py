"""The newest picture of something, for followers that skip and never queue."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Newest:
    """One picture as bytes; whoever puts it never waits for whoever looks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = 0
        self._picture = b""
        self._followers: list[Callable[[], None]] = []

    def put(self, picture: bytes) -> None:
        """Replace the picture and nudge every follower."""
        with self._lock:
            self._version += 1
            self._picture = picture
            followers = tuple(self._followers)
        for nudge in followers:
            nudge()

    def get(self) -> tuple[int, bytes]:
        """Version (0: nothing yet) and picture."""
        with self._lock:
            return self._version, self._picture

    def follow(self, nudge: Callable[[], None]) -> Callable[[], None]:
        """Call `nudge` (from the putter's thread; it must return at once) after each change; returns the way out."""
        with self._lock:
            self._followers.append(nudge)

        def leave() -> None:
            with self._lock:
                if nudge in self._followers:
                    self._followers.remove(nudge)

        return leave
