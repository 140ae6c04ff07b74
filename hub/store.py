"""The database on disk: the logs of matches, and the few private values of a table. SQLite.

WAL with ``synchronous=FULL``: when a method returns, the disk has it, and a plug pulled at any instant
costs nothing that was acknowledged. Only the hub's user may read the file, for it holds hands.
"""

from __future__ import annotations

import hmac
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_bytes
from threading import Lock, get_ident
from time import monotonic
from typing import Any

from hub.errors import ConfigError, LogError, ReplayDiverged, of_file
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
    """The `LogStore` port in one SQLite file.

    Any thread may call any method, also during `close`. What fails is a LogError of one sentence, and has changed
    nothing. A Store that could not be made has closed its connection; any other is closed by `close`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._waiting: dict[int, float] = {}  # thread -> time.monotonic() since when it waits for the disk
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise LogError(f"The database {path} cannot be opened: {error.strerror}.") from error
        with self._log_errors():
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.execute("PRAGMA foreign_keys=ON")
                self._db.execute("PRAGMA secure_delete=ON")  # a login that ended, a log that was cut: zeros in the file
                self._db.executescript(_SCHEMA)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Close the file. Whatever is called later raises LogError. May be called twice."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _log_errors(self) -> Iterator[None]:
        """Raise SQLite's errors as LogError."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise LogError(
                f"The database {self._path} failed: {error}. Check the disk; nothing was deleted."
            ) from error

    def waiting_since(self, thread: int) -> float | None:
        """Return since when (`time.monotonic`) the thread with this `ident` waits for the disk, or None."""
        return self._waiting.get(thread)

    @contextmanager
    def _at_the_disk(self) -> Iterator[None]:
        """Hold the file alone, and show that this thread waits for the disk: it is not stuck."""
        self._waiting[get_ident()] = monotonic()
        try:
            with self._lock, self._log_errors():
                yield
        finally:
            del self._waiting[get_ident()]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all that is executed in the block, or nothing. At its end it is on disk."""
        with self._at_the_disk():
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
        """Write the head of a new match, and that a running one of the table is left for it."""
        with self._transaction() as db:
            db.execute(
                'UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP WHERE "table" = ? AND result IS NULL',
                (b'{"left":true}', table),
            )
            db.execute('INSERT INTO matches (id, "table", head) VALUES (?, ?, ?)', (match, table, head))

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Write the next entries of a match's log."""
        with self._transaction() as db:
            _insert(db, match, entries)

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Drop a match's entries from number `length` on and write those of `instead`. A match that was over runs again."""
        with self._transaction() as db:
            db.execute('DELETE FROM entries WHERE "match" = ? AND number >= ?', (match, length))
            db.execute("UPDATE matches SET result = NULL, ended = NULL WHERE id = ?", (match,))
            _insert(db, match, instead)

    def end(self, match: str, result: bytes) -> None:
        """Write that a match is over or was left: `result`, JSON, says which."""
        with self._transaction() as db:
            db.execute("UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP WHERE id = ?", (result, match))

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match. Raise LogError where the match is unknown or an entry is missing."""
        with self._at_the_disk():
            found = self._db.execute("SELECT head FROM matches WHERE id = ?", (match,)).fetchone()
            if found is None:
                raise LogError(f"The database holds no match {match}.")
            lines = self._db.execute('SELECT number, line FROM entries WHERE "match" = ? ORDER BY number', (match,))
            entries = [LogEntry(number, line) for number, line in lines]
        if [entry.number for entry in entries] != list(range(len(entries))):
            raise LogError(f"The log of match {match} has a gap; it is kept as it is.")
        return found[0], entries

    def running(self, table: str) -> str | None:
        """Return the last match of a table that has not ended, or None."""
        with self._at_the_disk():
            found = self._db.execute(
                'SELECT id FROM matches WHERE "table" = ? AND result IS NULL ORDER BY rowid DESC LIMIT 1', (table,)
            ).fetchone()
        return found[0] if found else None

    def count(self) -> int:
        """Return how many matches there have been at all tables."""
        with self._at_the_disk():
            (found,) = self._db.execute("SELECT count(*) FROM matches").fetchone()
        return int(found)

    # --- private values of a table -------------------------------------------------------------------

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Write a private value of a table under a name, in place of the last one."""
        with self._transaction() as db:
            db.execute('INSERT OR REPLACE INTO kept ("table", name, value) VALUES (?, ?, ?)', (table, name, value))

    def recall(self, table: str, name: str) -> bytes | None:
        """Return the value that `keep` wrote last, or None."""
        with self._at_the_disk():
            found = self._db.execute('SELECT value FROM kept WHERE "table" = ? AND name = ?', (table, name)).fetchone()
        return found[0] if found else None


# --- what is forgotten ---------------------------------------------------------------------------------

_WIPE = """
DELETE FROM entries WHERE "match" IN (
    SELECT id FROM matches AS ended WHERE result IS NOT NULL AND julianday('now') - julianday(ended) >= ?
    AND (? OR rowid < (SELECT max(rowid) FROM matches WHERE "table" = ended."table"))
)"""
"""A table's newest match stays until another has begun: it may be taken back, or shown again after a power cut."""


def wipe_logs(path: Path, days: float, *, newest: bool = False) -> int:
    """Wipe the logs of matches that ended `days` ago or earlier, which is where hands are; return of how many.

    What stays of a match is who won what and when, which game and options. With `newest` those that a table shows last are
    wiped, too, and every login of a seat: no hub may run. Zeros take the place of what was there, in the file and in its
    write-ahead log. Raise LogError.
    """
    if not path.exists():
        return 0
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=5)) as db:
            db.execute("PRAGMA secure_delete=ON")
            db.execute("BEGIN IMMEDIATE")
            before = _logs(db)
            db.execute(_WIPE, (days, newest))
            if newest:
                db.execute("DELETE FROM kept WHERE name = 'places'")
            found = before - _logs(db)
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for mark in (path.parent / "marks").glob("*.mark") if newest else ():
            mark.unlink()  # else the next start takes what was wiped for lost
    except sqlite3.Error as error:
        raise LogError(f"The database {path} cannot be wiped now: {error}.") from error
    return found


def _logs(db: sqlite3.Connection) -> int:
    (count,) = db.execute('SELECT count(DISTINCT "match") FROM entries').fetchone()
    return int(count)


def _insert(db: sqlite3.Connection, match: str, entries: Sequence[LogEntry]) -> None:
    db.executemany(
        'INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)',
        [(match, entry.number, entry.line) for entry in entries],
    )


# --- a log that nobody else can write ------------------------------------------------------------------

_MAC = re.compile(rb',"mac":"([0-9a-f]{64})"\}\Z')


class KeyedStore:
    """A `LogStore` whose logs nobody can change without the key of the state folder, a file beside the database.

    Each line gets a field `mac`: HMAC-SHA-256 of the line, chained with that of the line before it, the head's first. Readers
    that know no such field leave it out. Logs that began before there was a key have none. It is no help against who reads
    the key: root, or whoever holds the card.
    """

    def __init__(self, store: Store, file: Path) -> None:
        """Read the key, or make one. Raise ConfigError where the file is no such key, TemporaryError where the disk fails."""
        self._store = store
        try:
            if not file.exists():
                partial = file.with_name(f"{file.name}.new")
                partial.unlink(missing_ok=True)
                with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                    out.write(token_bytes(32) + store.count().to_bytes(8, "big"))
                    out.flush()
                    os.fsync(out.fileno())
                partial.rename(file)
            data = file.read_bytes()
        except OSError as error:
            raise of_file(error, f"{file}: the key of the logs cannot be kept there ({error.strerror}).") from error
        if len(data) != 40:
            raise ConfigError(f"{file}: this is no key of logs; remove it, and matches under way are set aside.")
        self._key, self._without = data[:32], int.from_bytes(data[32:], "big")
        self._last: dict[str, bytes] = {}  # the mac of each match's last line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin(self, match: str, table: str, head: bytes) -> None:
        """Write the head of a new match."""
        line, mac = self._marked(head, b"")
        self._store.begin(match, table, line)
        self._last[match] = mac

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Write the next entries of a match's log."""
        marked, mac = self._all_marked(entries, self._mac_before(match, None))
        self._store.append(match, marked)
        self._last[match] = mac

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Drop a match's entries from number `length` on and write those of `instead`."""
        marked, mac = self._all_marked(instead, self._mac_before(match, length))
        self._store.cut(match, length, marked)
        self._last[match] = mac

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match. Raise LogError; ReplayDiverged where a line is not the hub's."""
        head, entries = self._store.load(match)
        if not self._is_keyed(match):
            return head, entries
        mac = self._checked(match, head, b"", "in its head")
        for entry in entries:
            mac = self._checked(match, entry.line, mac, f"at entry {entry.number}")
        self._last[match] = mac
        return head, entries

    def _is_keyed(self, match: str) -> bool:
        number = match.removeprefix("m-")
        return number.isdigit() and int(number) > self._without

    def _mac_before(self, match: str, length: int | None) -> bytes | None:
        """Return the mac that the next line of a match follows, its log cut to `length`; None for one without."""
        if not self._is_keyed(match):
            return None
        if length is None and match in self._last:
            return self._last[match]
        head, entries = self._store.load(match)
        lines = [head, *(entry.line for entry in entries[:length])]
        found = _MAC.search(lines[-1])
        return bytes.fromhex(found[1].decode()) if found else b""

    def _all_marked(self, entries: Sequence[LogEntry], mac: bytes | None) -> tuple[Sequence[LogEntry], bytes]:
        if mac is None:
            return entries, b""
        marked = []
        for entry in entries:
            line, mac = self._marked(entry.line, mac)
            marked.append(LogEntry(entry.number, line))
        return marked, mac

    def _marked(self, line: bytes, before: bytes) -> tuple[bytes, bytes]:
        mac = hmac.digest(self._key, before + line, "sha256")
        return b'%s,"mac":"%s"}' % (line.removesuffix(b"}"), mac.hex().encode()), mac

    def _checked(self, match: str, line: bytes, before: bytes, where: str) -> bytes:
        found = _MAC.search(line)
        mac = hmac.digest(self._key, before + _MAC.sub(b"}", line), "sha256")
        if not found or not hmac.compare_digest(mac.hex().encode(), found[1]):
            raise ReplayDiverged(f"The log of match {match} was changed {where} by something else than this hub.")
        return mac
