"""The record on disk: logs of matches, and the few private values of a table. SQLite.

WAL with ``synchronous=FULL``: when a method returns, the disk has it, and a plug pulled at any instant
costs nothing that was acknowledged. The file is private to the hub's user, for it holds hands.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from hub.errors import LogError
from hub.ports import LogEntry

_SCHEMA = """
CREATE TABLE IF NOT EXISTS matches (
    id TEXT PRIMARY KEY, "table" TEXT NOT NULL, head BLOB NOT NULL, result BLOB,
    begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS entries (
    "match" TEXT NOT NULL REFERENCES matches(id), number INTEGER NOT NULL, line BLOB NOT NULL,
    PRIMARY KEY ("match", number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (
    "table" TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY ("table", name)
) STRICT, WITHOUT ROWID;
"""


class Store:
    """Fulfils the `LogStore` port in one file. Any thread may call it. Raises LogError with one sentence."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as why:
            raise LogError(f"The record {path} cannot be opened: {why.strerror}.") from why
        with self._told():
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.execute("PRAGMA foreign_keys=ON")
                self._db.executescript(_SCHEMA)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as why:
            raise LogError(f"The record {self._path} failed: {why}. Check the disk; nothing was deleted.") from why

    @contextmanager
    def _written(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing, and on disk at the end."""
        with self._lock, self._told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("ROLLBACK")
                raise

    # --- matches -----------------------------------------------------------------------------------

    def begin(self, match: str, table: str, head: bytes) -> None:
        """A new match with its head."""
        with self._written() as db:
            db.execute('INSERT INTO matches (id, "table", head) VALUES (?, ?, ?)', (match, table, head))

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """More of a match's log."""
        with self._written() as db:
            _insert(db, match, entries)

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Undo: keep the first `length` entries, with others `instead` of those cut off. A match that was over runs again."""
        with self._written() as db:
            db.execute('DELETE FROM entries WHERE "match" = ? AND number >= ?', (match, length))
            db.execute("UPDATE matches SET result = NULL, ended = NULL WHERE id = ?", (match,))
            _insert(db, match, instead)

    def end(self, match: str, result: bytes) -> None:
        """The match is over, or was left: `result` says which."""
        with self._written() as db:
            db.execute("UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP WHERE id = ?", (result, match))

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Head and entries of a match."""
        with self._lock, self._told():
            found = self._db.execute("SELECT head FROM matches WHERE id = ?", (match,)).fetchone()
            if found is None:
                raise LogError(f"The record holds no match {match}.")
            lines = self._db.execute('SELECT number, line FROM entries WHERE "match" = ? ORDER BY number', (match,))
            entries = [LogEntry(number, line) for number, line in lines]
        if [entry.number for entry in entries] != list(range(len(entries))):
            raise LogError(f"The record of match {match} has a gap; it is kept as it is.")
        return found[0], entries

    def running(self, table: str) -> str | None:
        """The match of a table that has not ended, if any."""
        with self._lock, self._told():
            found = self._db.execute(
                'SELECT id FROM matches WHERE "table" = ? AND result IS NULL ORDER BY rowid DESC LIMIT 1', (table,)
            ).fetchone()
        return found[0] if found else None

    def count(self) -> int:
        """How many matches there have been: the next one's number."""
        with self._lock, self._told():
            (found,) = self._db.execute("SELECT count(*) FROM matches").fetchone()
        return int(found)

    # --- private values of a table -------------------------------------------------------------------

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Remember one small private value of a table."""
        with self._written() as db:
            db.execute('INSERT OR REPLACE INTO kept ("table", name, value) VALUES (?, ?, ?)', (table, name, value))

    def recall(self, table: str, name: str) -> bytes | None:
        """What was kept, or None."""
        with self._lock, self._told():
            found = self._db.execute('SELECT value FROM kept WHERE "table" = ? AND name = ?', (table, name)).fetchone()
        return found[0] if found else None


def _insert(db: sqlite3.Connection, match: str, entries: Sequence[LogEntry]) -> None:
    db.executemany(
        'INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)',
        [(match, entry.number, entry.line) for entry in entries],
    )
