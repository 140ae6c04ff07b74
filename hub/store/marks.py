"""The progress of each table's log, stored outside the database, so that a loss is noticed."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from zlib import crc32

import msgspec

from hub.files import check_file, read_file
from hub.store.queries import lines_of, number_of

log = logging.getLogger(__name__)

MARK_EVERY = 16
"""Maximum number of entries between two syncs of a mark. The system also writes it within seconds by itself."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The progress of a table's current match. `hash` chains the lines of its log, `resumed` is the column in the database."""

    table: str
    match: str
    cuts: int
    length: int
    hash: str
    resumed: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        """Return a value that rises with each match that the table begins or resumes."""
        return self.resumed, number_of(self.match)


class _MarkFile(msgspec.Struct, frozen=True):
    """The content of a mark's file."""

    match: str
    cuts: int
    length: int
    hash: str
    resumed: int = 0


def mark_of(db: sqlite3.Connection, match: str) -> Mark | None:
    """Return the mark of a match from the database, or None if the match is unknown."""
    found = db.execute('SELECT "table", cuts, resumed FROM matches WHERE id = ?', (match,)).fetchone()
    if found is None:
        return None
    lines = lines_of(db, match)
    return Mark(found[0], match, found[1], len(lines), chain(lines).hex(), found[2])


def chain(lines: Iterable[bytes], before: bytes = b"") -> bytes:
    """Return the hash of a log's lines; `before` is the hash of the lines before these."""
    for line in lines:
        before = sha256(before + sha256(line).digest()).digest()
    return before


class Marks:
    """One small file per table: its current match, the number of cuts, the length and the hash of its log.

    A mark is written after its transaction is on disk, in place, and usually without a sync: it may be older than the
    database, but never newer. So a database with less data than its mark has lost some. The rank, cuts and length of marks
    only rise, in that order. Failures are only logged, because the marked data are on disk already.
    """

    SIZE = 512
    """One sector, in bytes: a disk writes it completely or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._files: dict[str, int] = {}
        self._now: dict[str, Mark] = {}  # by match, for the current matches of tables
        self._played: dict[str, str] = {}  # the current match, by table
        self._failing: set[str] = set()  # tables whose last mark could not be written
        self._fresh: dict[str, int] = {}  # entries since the mark of a table was synced

    def names(self) -> list[str]:
        """Return the names of the tables with a mark."""
        with suppress(OSError):
            return sorted(file.stem for file in self._folder.glob("*.mark"))
        return []

    def highest(self) -> int:
        """Return the highest number of a match in all marks, or 0."""
        marks = [mark for name in self.names() if (mark := self.read(name))]
        return max((number_of(mark.match) for mark in marks), default=0)

    def read(self, table: str) -> Mark | None:
        """Return the mark of a table, or None if there is no readable one."""
        try:
            data = read_file(self._folder / f"{table}.mark")[: self.SIZE]
            check, _, text = data.rstrip().partition(b" ")
            if int(check, 16) == crc32(text):
                stored = msgspec.json.decode(text, type=_MarkFile)
                return Mark(table, stored.match, stored.cuts, stored.length, stored.hash, stored.resumed)
            log.warning("The mark of table %s is damaged.", table)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError) as error:
            log.warning("The mark of table %s cannot be read: %s.", table, error)
        return None

    def append(self, match: str, lines: Sequence[bytes]) -> None:
        """Mark the next lines of a match. Nothing happens if the match has no mark."""
        mark = self._now.get(match)
        if mark is None:
            return
        known = bytes.fromhex(mark.hash)
        new = replace(mark, length=mark.length + len(lines), hash=chain(lines, known).hex())
        since = self._fresh.get(mark.table, 0) + len(lines)
        self._fresh[mark.table] = since
        self.put(new, sync=since >= MARK_EVERY)

    def put(self, mark: Mark, *, sync: bool = True) -> None:
        """Replace the mark of its table. With `sync`, wait until it is on disk."""
        before = self._played.get(mark.table)
        if before is not None and before != mark.match:
            self._now.pop(before, None)
        self._played[mark.table], self._now[mark.match] = mark.match, mark
        text = msgspec.json.encode(_MarkFile(mark.match, mark.cuts, mark.length, mark.hash, mark.resumed))
        data = b"%08x %s" % (crc32(text), text)
        with self._lock:
            try:
                handle = self._file(mark.table)
                os.pwrite(handle, data.ljust(self.SIZE - 1) + b"\n", 0)
                if sync:
                    os.fdatasync(handle)
                    self._fresh[mark.table] = 0
                self._failing.discard(mark.table)
            except OSError as error:
                if mark.table not in self._failing:  # only one line per failure
                    log.warning("How far table %s has come cannot be marked: %s.", mark.table, error.strerror)
                self._failing.add(mark.table)

    def _file(self, table: str) -> int:
        """Return the open file of a table's mark. The directory entry of a new one is synced."""
        if table not in self._files:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            path = self._folder / f"{table}.mark"
            new = not path.exists()
            check_file(path)
            self._files[table] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if new:
                for folder in (self._folder, self._folder.parent):
                    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                    try:
                        os.fsync(handle)
                    finally:
                        os.close(handle)
        return self._files[table]

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            for handle in self._files.values():
                os.close(handle)
            self._files.clear()
