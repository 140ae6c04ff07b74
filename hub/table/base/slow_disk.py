"""Measure how long writes to the log store take, and post a notice while the disk is slow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hub.engine.text import say
from hub.ports import Clock, LastMatch, Length, LogEntry, LogStore, MatchPutAside, Missing
from hub.table.base.notices import Notices

SLOW_SECONDS = 1.0  # a write that takes this long posts the notice
QUICK_SECONDS = 0.3  # a write within this time ends it
SLOW_DISK = say("The disk is slow: what you do counts once it is written. Please wait a moment.")


class TimedStore:
    """A `LogStore` that times the writes of another. `pending_seconds` may be called from any thread."""

    def __init__(self, store: LogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._since: float | None = None
        self._slowest: float | None = None  # of the writes since `pop_slowest`, in seconds

    def pending_seconds(self) -> float:
        """Return for how many seconds the current write has been running; 0 if there is none."""
        since = self._since
        return 0.0 if since is None else self._clock.now() - since

    def pop_slowest(self) -> float | None:
        """Return the seconds of the slowest write since the last call, or None if nothing was written."""
        slowest, self._slowest = self._slowest, None
        return slowest

    @contextmanager
    def _timed(self) -> Iterator[None]:
        self._since = since = self._clock.now()
        try:
            yield
        finally:
            self._since = None
            self._slowest = max(self._slowest or 0.0, self._clock.now() - since)

    @property
    def notice(self) -> str:
        """Return a sentence for people if a damaged file was set aside; else ""."""
        return self._store.notice

    def begin(self, table: str, head: bytes) -> str:
        """Start a match with its head, and return its id."""
        with self._timed():
            return self._store.begin(table, head)

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Append entries to the log of a match."""
        with self._timed():
            self._store.append(match, entries)

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Keep the first `length` entries, and replace the rest by `instead`."""
        with self._timed():
            self._store.cut(match, length, instead)

    def end(self, match: str, result: bytes) -> None:
        """Record that a match is over or was ended early."""
        with self._timed():
            self._store.end(match, result)

    def put_aside(self, match: str) -> None:
        """Record that people have suspended a match."""
        with self._timed():
            self._store.put_aside(match)

    def all_put_aside(self, table: str) -> list[MatchPutAside]:
        """Return the suspended matches of a table."""
        return self._store.all_put_aside(table)

    def take_up(self, match: str) -> None:
        """Make a suspended match the current one of its table."""
        with self._timed():
            self._store.take_up(match)

    def wipe(self, match: str) -> None:
        """Wipe the log of a match that is over."""
        with self._timed():
            self._store.wipe(match)

    def started_at(self, match: str) -> int | None:
        """Return the Unix time at which a match began, or None."""
        return self._store.started_at(match)

    def set_aside(self, match: str, reason: str | None) -> None:
        """Record why a match cannot go on; None: it goes on."""
        with self._timed():
            self._store.set_aside(match, reason)

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match."""
        return self._store.load(match)

    def last(self, table: str) -> LastMatch | None:
        """Return the current or last match of a table, also if it was suspended or ended."""
        return self._store.last(table)

    def lengths(self, game: str, seats: int) -> list[Length]:
        """Return the lengths of the newest matches of a game with this number of seats."""
        return self._store.lengths(game, seats)

    def missing(self, table: str) -> Missing | None:
        """Return what the disk has lost of a table since its last use, or None."""
        return self._store.missing(table)

    def settle(self, table: str) -> None:
        """Accept the data of a table on disk as complete."""
        with self._timed():
            self._store.settle(table)

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Store one small private value of a table."""
        with self._timed():
            self._store.keep(table, name, value)

    def recall(self, table: str, name: str) -> bytes | None:
        """Return a stored value, or None."""
        return self._store.recall(table, name)


def update_slow_disk(disk: TimedStore, notices: Notices) -> bool:
    """Post or end the notice of a slow disk. Return whether that has changed anything."""
    took = disk.pop_slowest()
    if took is None:
        return False
    if took >= SLOW_SECONDS and not notices.is_posted("disk"):  # a failed disk has a notice of its own
        return notices.post("slow_disk", SLOW_DISK)
    return took <= QUICK_SECONDS and notices.end("slow_disk")
