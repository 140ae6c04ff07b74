"""How long the disk takes: the log store of a table with a clock beside it, for the notice that the disk is slow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hub.engine.text import say
from hub.ports import Clock, LastMatch, Length, LogEntry, LogStore, MatchPutAside, Missing
from hub.table.base.notices import Notices

SLOW_SECONDS = 1.0  # a write that takes so long is said to everybody ...
QUICK_SECONDS = 0.3  # ... until one takes no longer than this
SLOW_DISK = say("The disk is slow: what you do counts once it is written. Please wait a moment.")


class TimedStore:
    """A `LogStore` that times the writes of another. `waiting` may be asked from any thread."""

    def __init__(self, store: LogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._since: float | None = None
        self._slowest: float | None = None  # of the writes since `took`

    def pending_seconds(self) -> float:
        """Return for how many seconds a write has not come back; 0 where none is under way."""
        since = self._since
        return 0.0 if since is None else self._clock.now() - since

    def pop_slowest(self) -> float | None:
        """Return how many seconds the slowest write took since this was asked last; None where there was none."""
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
        """Return one sentence for people where a damaged file was set aside; else ""."""
        return self._store.notice

    def begin(self, table: str, head: bytes) -> str:
        """Begin a new match with its head, and return its id."""
        with self._timed():
            return self._store.begin(table, head)

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Append to a match's log."""
        with self._timed():
            self._store.append(match, entries)

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Keep the first `length` entries, with others `instead` of those cut off."""
        with self._timed():
            self._store.cut(match, length, instead)

    def end(self, match: str, result: bytes) -> None:
        """Note that the match is over, or was left."""
        with self._timed():
            self._store.end(match, result)

    def put_aside(self, match: str) -> None:
        """Note that people have put a match aside."""
        with self._timed():
            self._store.put_aside(match)

    def all_put_aside(self, table: str) -> list[MatchPutAside]:
        """Return the matches of a table that people have put aside."""
        return self._store.all_put_aside(table)

    def take_up(self, match: str) -> None:
        """Make a match that was put aside the one that its table plays."""
        with self._timed():
            self._store.take_up(match)

    def wipe(self, match: str) -> None:
        """Wipe the log of a match that is over."""
        with self._timed():
            self._store.wipe(match)

    def begun(self, match: str) -> int | None:
        """Return when a match began, in seconds since 1970, or None."""
        return self._store.begun(match)

    def set_aside(self, match: str, reason: str | None) -> None:
        """Note why a match cannot go on for now; None: it goes on."""
        with self._timed():
            self._store.set_aside(match, reason)

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match."""
        return self._store.load(match)

    def last(self, table: str) -> LastMatch | None:
        """Return the match that a table plays, or played last, whatever has become of it."""
        return self._store.last(table)

    def lengths(self, game: str, seats: int) -> list[Length]:
        """Return how long the newest matches of a game with so many seats took."""
        return self._store.lengths(game, seats)

    def missing(self, table: str) -> Missing | None:
        """Return what the disk has lost of a table since it was last used, or None."""
        return self._store.missing(table)

    def settle(self, table: str) -> None:
        """Take what the disk has of a table for whole from now on."""
        with self._timed():
            self._store.settle(table)

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Keep one small private value of a table."""
        with self._timed():
            self._store.keep(table, name, value)

    def recall(self, table: str, name: str) -> bytes | None:
        """Return what was kept, or None."""
        return self._store.recall(table, name)


def update_slow_disk(disk: TimedStore, notices: Notices) -> bool:
    """Say that the disk is slow, or say it no longer; return whether that is news."""
    took = disk.pop_slowest()
    if took is None:
        return False
    if took >= SLOW_SECONDS and not notices.is_posted("disk"):  # a disk that does not work is not slow
        return notices.post("slow_disk", SLOW_DISK)
    return took <= QUICK_SECONDS and notices.end("slow_disk")
