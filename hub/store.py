"""The database on disk: the logs of matches, and the few private values of a table. SQLite.

WAL with ``synchronous=FULL``: when a method returns, the disk has it, and a plug pulled at any instant
costs nothing that was acknowledged. Only the hub's user may read the file, for it holds hands.

A file that cannot be opened now (a full disk, a backup that holds it) is tried again by each call. A file that is damaged
is set aside whole, and what can still be read of it goes on in a fresh one. How far each table had come stands outside the
database as well (`_Marks`), so that a loss is noticed.
"""

from __future__ import annotations

import fcntl
import hmac
import json
import logging
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from threading import Lock, get_ident
from time import monotonic
from typing import Any
from zlib import crc32

from hub.errors import ConfigError, DamagedLog, LogError, ReplayDiverged, TemporaryError, of_file
from hub.ports import LastMatch, LogEntry, Missing

log = logging.getLogger(__name__)

VERSION = 1
"""The `user_version` of a database that this hub writes. `_MIGRATIONS` lead there from each earlier one."""

_SCHEMA = """
CREATE TABLE matches (
    id TEXT PRIMARY KEY, "table" TEXT NOT NULL, head BLOB NOT NULL, result BLOB,
    begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended TEXT,
    cuts INTEGER NOT NULL DEFAULT 0, aside TEXT
) STRICT;
CREATE TABLE entries (
    "match" TEXT NOT NULL REFERENCES matches(id), number INTEGER NOT NULL, line BLOB NOT NULL,
    PRIMARY KEY ("match", number)
) STRICT, WITHOUT ROWID;
CREATE TABLE kept (
    "table" TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY ("table", name)
) STRICT, WITHOUT ROWID;
"""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
"""SQLite's primary codes (https://sqlite.org/rescode.html) for a file that no waiting mends."""
CHECK_SECONDS = 1.0
"""How long the file may be looked through at the start: a large one is not read whole on a slow card."""
BUSY_SECONDS = 5.0
"""How long one call waits for another program, such as a backup, that holds the file."""
CLOSE_SECONDS = 2.0
"""How long `close` waits for whoever is at the disk."""
CHECKPOINT_PAGES = 32
"""Write-ahead log of so many pages (4 KiB) at most: whoever loses a sector of it loses some 20 actions, not an evening."""
MARK_EVERY = 16
"""After so many entries at most the mark of a table is on the disk for sure; the system writes it within seconds anyway."""
LEFT = b'{"left":true}'


@contextmanager
def lock_state(folder: Path) -> Iterator[None]:
    """Hold a hub's state folder for this process alone. It is made where it is not there.

    The folder itself is locked (flock(2)): that leaves no file behind and works on a disk that is full or read-only. Raise
    TemporaryError where another hub has it, ConfigError or TemporaryError where it cannot be made or opened.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise of_file(error, f"{folder}: the state folder cannot be used ({error.strerror}).") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TemporaryError(
                f"{folder}: another hub runs with this state folder; "
                "stop it, or give this one another `state` in [hub]."
            ) from None
        yield
    finally:
        os.close(handle)


class Store:
    """The `LogStore` port in one SQLite file.

    Any thread may call any method, also during `close`. What fails is a LogError of one sentence, and has changed
    nothing. A Store whose file cannot be opened now tries again with each call; `notice` is one sentence for people where
    a damaged file was set aside.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._waiting: dict[int, float] = {}  # thread -> time.monotonic() since when it waits for the disk
        self._db: sqlite3.Connection | None = None
        self._closed = False
        self._marks = _Marks(path.parent / "marks")
        self._missing: dict[str, Missing] = {}
        self.notice = ""
        try:
            with self._at_the_disk():
                pass
        except LogError as error:
            log.error("%s", error)

    def close(self) -> None:
        """Close the file. Whatever is called later raises LogError. May be called twice."""
        self._closed = True
        if not self._lock.acquire(
            timeout=CLOSE_SECONDS
        ):  # somebody hangs at the disk, which is what a killed hub leaves, too
            log.error("The database %s is in use and is not closed.", self._path)
            return
        try:
            self._marks.close()
            if self._db:
                self._db.close()
        finally:
            self._lock.release()

    # --- the file ------------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        """Open the file, a damaged one set aside; bring an earlier schema to this one. Raise SQLite's errors or OSError."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make(self._path)
            return self._compared(_connect(self._path))
        except IsADirectoryError:
            reason = "it is a folder"
        except sqlite3.Error as error:
            if _code(error) not in DAMAGED:
                raise
            reason = str(error)
        return self._compared(self._begin_anew(reason))

    def _compared(self, db: sqlite3.Connection) -> sqlite3.Connection:
        """Return the connection, and note what each table's mark promises and it has no more. Raise sqlite3.Error."""
        try:
            self._missing = {name: gap for name in self._marks.names() if (gap := self._compare(db, name))}
        except BaseException:
            db.close()
            raise
        return db

    def _begin_anew(self, reason: str) -> sqlite3.Connection:
        """Set the file aside under a name with the date, begin a new one, and take over what can still be read."""
        date = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
        aside = self._path.with_name(f"{self._path.name}.unreadable-{date}")
        for suffix in ("-wal", "-shm", ""):  # the file itself last: a power cut in between finds it unreadable again
            with suppress(FileNotFoundError):
                Path(f"{self._path}{suffix}").rename(f"{aside}{suffix}")
        _make(self._path)
        db = _connect(self._path)
        kept = _rescue(aside, db) if aside.is_file() else 0
        saved = f"{kept} running match{'' if kept == 1 else 'es'} could be read from it" if kept else "no match could"
        self.notice = (
            f"The database was damaged and is set aside as {aside.name}; {saved}. Staff: run `table-hub doctor`."
        )
        log.error("The database %s cannot be read (%s). %s", self._path, reason, self.notice)
        return db

    def _compare(self, db: sqlite3.Connection, table: str) -> Missing | None:
        """Return what the mark of a table promises and the database has no more; None where nothing is missing."""
        mark = self._marks.read(table)
        if mark is None:
            return None
        found = _last(db, table)
        if found is None or _number(found.id) < _number(mark.match):
            return Missing(mark.match, mark.length, 0)
        if found.id != mark.match:
            return None
        (cuts,) = db.execute("SELECT cuts FROM matches WHERE id = ?", (mark.match,)).fetchone()
        lines = _lines(db, mark.match)
        if cuts < mark.cuts or (cuts == mark.cuts and len(lines) < mark.length):
            return Missing(mark.match, mark.length, len(lines))
        if cuts == mark.cuts and _chain(lines[: mark.length]).hex() != mark.hash:
            return Missing(mark.match, mark.length, len(lines), altered=True)
        return None

    @contextmanager
    def _log_errors(self) -> Iterator[None]:
        """Raise SQLite's errors as LogError."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            do = "Check the disk; nothing was deleted."
            if _code(error) in DAMAGED:
                do = "Nothing was deleted; the next start of the hub sets the file aside and goes on with what can be read."
            raise LogError(f"The database {self._path} failed: {error}. {do}") from error
        except OSError as error:
            raise LogError(f"The database {self._path} cannot be opened: {error.strerror}.") from error

    def waiting_since(self, thread: int) -> float | None:
        """Return since when (`time.monotonic`) the thread with this `ident` waits for the disk, or None."""
        return self._waiting.get(thread)

    @contextmanager
    def _at_the_disk(self) -> Iterator[sqlite3.Connection]:
        """Hold the file alone, opened if it was not yet, and show that this thread waits for the disk: it is not stuck."""
        self._waiting[get_ident()] = monotonic()
        try:
            with self._lock, self._log_errors():
                if self._closed:
                    raise sqlite3.ProgrammingError("Cannot operate on a closed database")
                if self._db is None:
                    self._db = self._open()
                yield self._db
        finally:
            del self._waiting[get_ident()]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all that is executed in the block, or nothing. At its end it is on disk."""
        with self._at_the_disk() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:  # a full disk has ended it already
                    db.execute("ROLLBACK")
                raise

    # --- matches -----------------------------------------------------------------------------------

    def begin(self, table: str, head: bytes) -> str:
        """Write the head of a new match, and that a running one of the table is left for it. Return its id."""
        with self._transaction() as db:
            match = f"m-{self._highest(db) + 1}"
            db.execute(
                'UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP WHERE "table" = ? AND result IS NULL AND aside IS NULL',
                (LEFT, table),
            )
            db.execute('INSERT INTO matches (id, "table", head) VALUES (?, ?, ?)', (match, table, head))
        self._marks.begin(table, match)
        return match

    def highest(self) -> int:
        """Return the highest number of a match that there has been, as far as is known."""
        with self._at_the_disk() as db:
            return self._highest(db)

    def _highest(self, db: sqlite3.Connection) -> int:
        numbers = [_number(name) for (name,) in db.execute("SELECT id FROM matches")]
        return max([*numbers, self._marks.highest()], default=0)

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Write the next entries of a match's log."""
        with self._transaction() as db:
            _insert(db, match, entries)
        self._marks.append(match, [entry.line for entry in entries])

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Drop a match's entries from number `length` on and write those of `instead`. A match that was over runs again."""
        with self._transaction() as db:
            db.execute('DELETE FROM entries WHERE "match" = ? AND number >= ?', (match, length))
            db.execute("UPDATE matches SET result = NULL, ended = NULL, cuts = cuts + 1 WHERE id = ?", (match,))
            _insert(db, match, instead)
            mark = _mark_of(db, match)
        if mark:
            self._marks.put(mark)

    def end(self, match: str, result: bytes) -> None:
        """Write that a match is over or was left: `result`, JSON, says which."""
        with self._transaction() as db:
            db.execute(
                "UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP, aside = NULL WHERE id = ?", (result, match)
            )

    def set_aside(self, match: str, reason: str | None) -> None:
        """Write why a match cannot go on for now, or with None that it goes on."""
        with self._transaction() as db:
            db.execute("UPDATE matches SET aside = ? WHERE id = ?", (reason, match))

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match. Raise DamagedLog where it is unknown or cannot be read whole."""
        try:
            with self._at_the_disk() as db:
                found = db.execute("SELECT head FROM matches WHERE id = ?", (match,)).fetchone()
                lines = db.execute('SELECT number, line FROM entries WHERE "match" = ? ORDER BY number', (match,))
                entries = [LogEntry(number, line) for number, line in lines]
        except LogError as error:
            if isinstance(error.__cause__, sqlite3.Error) and _code(error.__cause__) in DAMAGED:
                raise DamagedLog(f"Its log cannot be read ({error.__cause__}); it is kept as it is.") from error
            raise
        if found is None:
            raise DamagedLog(f"The database holds no match {match}.")
        if [entry.number for entry in entries] != list(range(len(entries))):
            raise DamagedLog(f"The log of match {match} has a gap; it is kept as it is.")
        return found[0], entries

    def last(self, table: str) -> LastMatch | None:
        """Return the newest match of a table, whatever has become of it, or None."""
        with self._at_the_disk() as db:
            return _last(db, table)

    def missing(self, table: str) -> Missing | None:
        """Return what the disk had of a table when it was last used, and had no more when it was opened; or None."""
        with self._at_the_disk():
            return self._missing.get(table)

    # --- private values of a table -------------------------------------------------------------------

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Write a private value of a table under a name, in place of the last one."""
        with self._transaction() as db:
            db.execute('INSERT OR REPLACE INTO kept ("table", name, value) VALUES (?, ?, ?)', (table, name, value))

    def recall(self, table: str, name: str) -> bytes | None:
        """Return the value that `keep` wrote last, or None."""
        with self._at_the_disk() as db:
            found = db.execute('SELECT value FROM kept WHERE "table" = ? AND name = ?', (table, name)).fetchone()
        return found[0] if found else None

    def settle(self, table: str) -> None:
        """Take what the database has of a table for whole from now on: what is missing was told."""
        with self._at_the_disk() as db:
            found = _last(db, table)
            mark = _mark_of(db, found.id) if found else None
            self._missing.pop(table, None)
        if mark:
            self._marks.put(mark)


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


# --- SQL ---------------------------------------------------------------------------------------------


def _make(path: Path) -> None:
    """Make the file, for its user alone, where it is not there. Raise OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection to a whole database of this schema. Raise sqlite3.Error, and then nothing is left open."""
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        db.text_factory = lambda text: text.decode("utf-8", "replace")  # a flipped bit is found out where it matters
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA foreign_keys=ON")
        db.execute("PRAGMA secure_delete=ON")  # a login that ended, a log that was cut: zeros in the file
        db.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        _check(db)
        _migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def _check(db: sqlite3.Connection) -> None:
    """Raise DatabaseError where the file is damaged, as far as that can be seen in a moment."""
    until = monotonic() + CHECK_SECONDS
    db.set_progress_handler(lambda: monotonic() > until, 10_000)
    try:
        rows = db.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.OperationalError as error:
        if _code(error) != sqlite3.SQLITE_INTERRUPT:
            raise
        return
    finally:
        db.set_progress_handler(None, 0)
    if rows != [("ok",)]:
        damage = sqlite3.DatabaseError(" ".join(str(rows[0][0]).split()) if rows else "quick_check says nothing")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage


def _migrate(db: sqlite3.Connection) -> None:
    """Bring the schema to `VERSION`, all of it or nothing. Raise OperationalError for a later one."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    if version > VERSION:
        raise sqlite3.OperationalError(
            f"it was written by a newer table-hub (form {version}; this one reads {VERSION}): install that one again"
        )
    db.execute("BEGIN IMMEDIATE")
    try:
        if db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'matches'").fetchone() == (0,):
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
        else:
            for step in _MIGRATIONS[version:]:
                step(db)
        db.execute(f"PRAGMA user_version={VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _from_0(db: sqlite3.Connection) -> None:
    """Count the cuts of each match; a match that was set aside has not ended."""
    db.execute("ALTER TABLE matches ADD COLUMN cuts INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE matches ADD COLUMN aside TEXT")
    for match, result in db.execute("SELECT id, result FROM matches WHERE result IS NOT NULL").fetchall():
        with suppress(ValueError):
            reason = json.loads(result).get("set_aside")
            if isinstance(reason, str):
                db.execute("UPDATE matches SET aside = ?, result = NULL, ended = NULL WHERE id = ?", (reason, match))


_MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_from_0,)
"""The step from version 0, from 1, ...: never changed once it was released."""


def _insert(db: sqlite3.Connection, match: str, entries: Sequence[LogEntry]) -> None:
    db.executemany(
        'INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)',
        [(match, entry.number, entry.line) for entry in entries],
    )


def _last(db: sqlite3.Connection, table: str) -> LastMatch | None:
    found = db.execute(
        'SELECT id, result, aside FROM matches WHERE "table" = ? ORDER BY rowid DESC LIMIT 1', (table,)
    ).fetchone()
    return LastMatch(*found) if found else None


def _lines(db: sqlite3.Connection, match: str) -> list[bytes]:
    found = db.execute('SELECT line FROM entries WHERE "match" = ? ORDER BY number', (match,))
    return [bytes(line) for (line,) in found]


def _code(error: sqlite3.Error | sqlite3.Warning) -> int:
    """Return SQLite's primary code of an error, or 0."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _number(match: str) -> int:
    """Return the number of a match, 0 for what is no id of a match."""
    digits = match.removeprefix("m-")
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _rescue(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy what can be read of the private values and of the matches under way; return how many matches there were.

    A copy is read, so that the damaged file and its write-ahead log stay as they are. Rows are read one by one: a damaged
    page takes what is on it, not what comes after it.
    """
    try:
        with tempfile.TemporaryDirectory(dir=damaged.parent, prefix="rescue-") as folder:
            copy = Path(folder, "copy.db")
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{damaged}{suffix}", f"{copy}{suffix}")
            with closing(sqlite3.connect(copy, isolation_level=None)) as db:
                db.text_factory = lambda text: text.decode("utf-8", "replace")
                return _copy_readable(db, into)
    except (sqlite3.Error, OSError) as error:
        log.error("Nothing can be read of %s: %s.", damaged, error)
        return 0


def _copy_readable(db: sqlite3.Connection, into: sqlite3.Connection) -> int:
    saved = 0
    columns = {name for _, name, *_ in _readable(db, "PRAGMA table_info(matches)")}
    aside = "aside" if "aside" in columns else "NULL"
    cuts = "cuts" if "cuts" in columns else "0"
    select = f'SELECT id, "table", head, begun, {cuts}, {aside} FROM matches'  # noqa: S608 - names of our own
    into.execute("BEGIN IMMEDIATE")
    for row in _readable(db, 'SELECT "table", name, value FROM kept'):
        with suppress(sqlite3.Error):
            into.execute('INSERT OR REPLACE INTO kept ("table", name, value) VALUES (?, ?, ?)', row)
    ends = [end for (end,) in _readable(db, "SELECT max(rowid) FROM matches") if isinstance(end, int)]
    for rowid in range(1, min(ends[0] if ends else 0, 100_000) + 1):
        for row in _readable(db, f"{select} WHERE rowid = ? AND result IS NULL", rowid):
            with suppress(sqlite3.Error):
                into.execute(
                    'INSERT INTO matches (id, "table", head, begun, cuts, aside) VALUES (?, ?, ?, ?, ?, ?)', row
                )
                for entry in _readable(
                    db, 'SELECT number, line FROM entries WHERE "match" = ? ORDER BY number', row[0]
                ):
                    into.execute('INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)', (row[0], *entry))
                saved += 1
    into.execute("COMMIT")
    return saved


def _readable(db: sqlite3.Connection, query: str, *values: object) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a query up to the first that is damaged."""
    with suppress(sqlite3.Error):
        yield from db.execute(query, values)


# --- how far each table had come, outside the database -------------------------------------------------


@dataclass(frozen=True)
class _Mark:
    """How far the log of a table's newest match had come: `hash` chains its lines."""

    table: str
    match: str
    cuts: int
    length: int
    hash: str


def _mark_of(db: sqlite3.Connection, match: str) -> _Mark | None:
    found = db.execute('SELECT "table", cuts FROM matches WHERE id = ?', (match,)).fetchone()
    if found is None:
        return None
    lines = _lines(db, match)
    return _Mark(found[0], match, found[1], len(lines), _chain(lines).hex())


def _chain(lines: Iterable[bytes], before: bytes = b"") -> bytes:
    """Return the hash of a log's lines, or of those that follow the ones with the hash `before`."""
    for line in lines:
        before = sha256(before + sha256(line).digest()).digest()
    return before


class _Marks:
    """One small file for each table: the newest match, how often it was cut, its length and its hash.

    A mark is written after its transaction is on disk, over the last one and without waiting: it may be older than the
    database, never newer. So a database that has less than its mark has lost something. Match, cuts and length only rise,
    in that order. Nothing is raised here: what is to be marked is written already.
    """

    SIZE = 512
    """Bytes: a disk writes a sector whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._files: dict[str, int] = {}
        self._now: dict[str, _Mark] = {}  # by match
        self._fresh: dict[str, int] = {}  # entries since the mark of a table was synced

    def names(self) -> list[str]:
        """Return the tables that have a mark."""
        with suppress(OSError):
            return sorted(file.stem for file in self._folder.glob("*.mark"))
        return []

    def highest(self) -> int:
        """Return the highest number of a match that any mark names."""
        marks = [mark for name in self.names() if (mark := self.read(name))]
        return max((_number(mark.match) for mark in marks), default=0)

    def read(self, table: str) -> _Mark | None:
        """Return the mark of a table, or None where there is none that can be read."""
        try:
            with (self._folder / f"{table}.mark").open("rb") as file:
                data = file.read(self.SIZE)
            check, _, text = data.rstrip(b" \n").partition(b" ")
            if int(check, 16) == crc32(text):
                return _Mark(table, **json.loads(text))
            log.warning("The mark of table %s is damaged.", table)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError) as error:
            log.warning("The mark of table %s cannot be read: %s.", table, error)
        return None

    def begin(self, table: str, match: str) -> None:
        """Mark a new match."""
        self.put(_Mark(table, match, 0, 0, ""))

    def append(self, match: str, lines: Sequence[bytes]) -> None:
        """Mark the next lines of a match. Of one that was not marked before nothing is known."""
        mark = self._now.get(match)
        if mark is None:
            return
        known = bytes.fromhex(mark.hash)
        new = replace(mark, length=mark.length + len(lines), hash=_chain(lines, known).hex())
        since = self._fresh.get(mark.table, 0) + len(lines)
        self._fresh[mark.table] = since
        self.put(new, sync=since >= MARK_EVERY)

    def put(self, mark: _Mark, *, sync: bool = True) -> None:
        """Write a mark in place of the last one of its table; with `sync` wait until the disk has it."""
        self._now[mark.match] = mark
        kept = {"match": mark.match, "cuts": mark.cuts, "length": mark.length, "hash": mark.hash}
        text = json.dumps(kept).encode()
        data = b"%08x %s" % (crc32(text), text)
        with self._lock:
            try:
                handle = self._file(mark.table)
                os.pwrite(handle, data.ljust(self.SIZE - 1) + b"\n", 0)
                if sync:
                    os.fdatasync(handle)
                    self._fresh[mark.table] = 0
            except OSError as error:
                log.warning("How far table %s has come cannot be marked: %s.", mark.table, error.strerror)

    def _file(self, table: str) -> int:
        """Return the open file of a table's mark; a new one is in its folder for good."""
        if table not in self._files:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            path = self._folder / f"{table}.mark"
            new = not path.exists()
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
                    out.write(token_bytes(32) + store.highest().to_bytes(8, "big"))
                    out.flush()
                    os.fsync(out.fileno())
                partial.rename(file)
            data = file.read_bytes()
        except LogError as error:  # which logs are without a key cannot be known now
            raise TemporaryError(str(error)) from error
        except OSError as error:
            raise of_file(error, f"{file}: the key of the logs cannot be kept there ({error.strerror}).") from error
        if len(data) != 40:
            raise ConfigError(f"{file}: this is no key of logs; remove it, and matches under way are set aside.")
        self._key, self._without = data[:32], int.from_bytes(data[32:], "big")
        self._last: dict[str, bytes] = {}  # the mac of each match's last line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin(self, table: str, head: bytes) -> str:
        """Write the head of a new match. Return its id."""
        line, mac = self._marked(head, b"")
        match = self._store.begin(table, line)
        self._last[match] = mac
        return match

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
