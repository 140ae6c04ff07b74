"""The logs of matches and the private values of a table, in one SQLite file: the `LogStore` port."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, get_ident
from time import monotonic, time
from typing import NamedTuple

from hub.engine.text import say, say_count
from hub.errors import DamagedLog, LogError
from hub.files import check_file, kind_of
from hub.ports import LEFT, LastMatch, Length, LogEntry, MatchPutAside, Missing
from hub.store.marks import Marks, chain, mark_of
from hub.store.queries import (
    finished_after,
    insert_entries,
    insert_finished,
    last_match,
    lengths,
    lines_of,
    matches_put_aside,
    number_of,
    store_rolls,
)
from hub.store.rescue import rescue
from hub.store.schema import DAMAGED, PUT_ASIDE, RESUMED, code_of, connect, make_file

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
"""How long `close` waits for a thread that uses the disk."""


class SealedRow(NamedTuple):
    """The data of a match besides its log. `seal` is written by `KeyedStore` with the last entries."""

    table: str
    cuts: int
    seal: str | None
    ended: bool


def _sentence(error: sqlite3.Error | sqlite3.Warning) -> str:
    """Return a sentence about an error of the database. Guests read it, so it does not name a path."""
    match code_of(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return say("Another program uses the hub's database. Play goes on as soon as that program is done.")
        case sqlite3.SQLITE_FULL:
            return say("The hub's disk is full. Nothing was deleted.")
        case code if code in DAMAGED:
            return say(
                "The hub's database is damaged. Nothing was deleted. At its next start, the hub sets the file aside and keeps "
                "what it can read."
            )
    return say("The hub's database failed: {error}. Nothing was deleted. Check the disk.", error=str(error))


class Store:
    """The `LogStore` port in one SQLite file.

    Thread-safe, also during `close`. A method that fails raises LogError with one sentence, and has changed nothing. If the
    file cannot be opened now, each call tries again. `notice` is one sentence for people if a damaged file was set aside.
    """

    def __init__(self, path: Path, wall: Callable[[], float] = time) -> None:
        """`wall` returns the Unix time in seconds."""
        self._path, self._wall = path, wall
        self._lock = Lock()
        self._waiting: dict[int, float] = {}  # thread -> time.monotonic() when it started to wait for the disk
        self._db: sqlite3.Connection | None = None
        self._closed = False
        self._marks = Marks(path.parent / "marks")
        self._missing: dict[str, Missing] = {}
        self.notice = ""
        try:
            with self._connection():
                pass
        except LogError as error:
            log.error("%s", error)

    def close(self) -> None:
        """Close the file. Later calls of other methods raise LogError. May be called twice."""
        self._closed = True
        # a thread hangs at the disk; not closing is as safe as a killed hub
        if not self._lock.acquire(timeout=CLOSE_SECONDS):
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
        """Open the file and upgrade its schema. A damaged file is set aside first. Raise SQLite's errors or OSError."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for suffix in ("-wal", "-shm", "-journal"):
                check_file(self._path.with_name(f"{self._path.name}{suffix}"))
            if kind := kind_of(self._path):
                return self._checked_marks(self._recover(f"it is a {kind}"))
            make_file(self._path)
            return self._checked_marks(connect(self._path))
        except sqlite3.Error as error:
            if code_of(error) not in DAMAGED:
                raise
            reason = str(error)
        return self._checked_marks(self._recover(reason))

    def _checked_marks(self, db: sqlite3.Connection) -> sqlite3.Connection:
        """Return the connection, after noting the data that marks promise and the database lacks. Raise sqlite3.Error."""
        try:
            names = {*self._marks.names(), *(name for (name,) in db.execute('SELECT DISTINCT "table" FROM matches'))}
            self._missing = {name: gap for name in sorted(names) if (gap := self._compare(db, name))}
        except BaseException:
            db.close()
            raise
        return db

    def _recover(self, reason: str) -> sqlite3.Connection:
        """Set the file aside under a name with the date, make a new one, and copy the readable data."""
        date = datetime.fromtimestamp(self._wall(), UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
        aside = self._path.with_name(f"{self._path.name}.unreadable-{date}")
        for suffix in ("-wal", "-shm", ""):  # the file itself last: a power cut in between finds it unreadable again
            with suppress(FileNotFoundError):
                Path(f"{self._path}{suffix}").rename(f"{aside}{suffix}")
        make_file(self._path)
        db = connect(self._path)
        kept = rescue(aside, db) if aside.is_file() else 0
        self.notice = (
            say_count(
                "The database was damaged. It is set aside as {file}, and {count} running match could be read from it. "
                "Staff: run `table-hub doctor`.",
                "The database was damaged. It is set aside as {file}, and {count} running matches could be read from it. "
                "Staff: run `table-hub doctor`.",
                kept,
                file=aside.name,
            )
            if kept
            else say(
                "The database was damaged. It is set aside as {file}, and no match could be read from it. "
                "Staff: run `table-hub doctor`.",
                file=aside.name,
            )
        )
        log.error("The database %s cannot be read (%s). %s", self._path, reason, self.notice)
        return db

    def _compare(self, db: sqlite3.Connection, table: str) -> Missing | None:
        """Return the data that the mark of a table promises and the database lacks, or None.

        A running match has a mark before its first entry. If the mark is missing, the database may be an earlier copy.
        """
        mark, found = self._marks.read(table), last_match(db, table)
        if mark is None:
            return self._unmarked(db, found) if found else None
        now, lines = found and mark_of(db, found.id), lines_of(db, mark.match)
        if now is None or now.rank < mark.rank:
            return Missing(mark.match, mark.length, len(lines))
        if now.match != mark.match:
            return None
        if now.cuts < mark.cuts or (now.cuts == mark.cuts and now.length < mark.length):
            return Missing(mark.match, mark.length, now.length)
        if now.cuts == mark.cuts and chain(lines[: mark.length]).hex() != mark.hash:
            return Missing(mark.match, mark.length, now.length, altered=True)
        return None

    def _unmarked(self, db: sqlite3.Connection, found: LastMatch) -> Missing | None:
        """Report a running match without a mark; None if it has no entry yet, or is older than seals."""
        (seal,) = db.execute("SELECT seal FROM matches WHERE id = ?", (found.id,)).fetchone()
        if seal is None or found.result is not None or found.put_aside:
            return None
        (length,) = db.execute('SELECT count(*) FROM entries WHERE "match" = ?', (found.id,)).fetchone()
        return Missing(found.id, length, length, altered=True) if length else None

    @contextmanager
    def _log_errors(self) -> Iterator[None]:
        """Raise SQLite's errors as LogError."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise LogError(_sentence(error)) from error
        except OSError as error:
            raise LogError(f"The hub's database cannot be opened: {error.strerror}.") from error

    def waiting_since(self, thread: int) -> float | None:
        """Return when (`time.monotonic`) the thread with this `ident` started to wait for the disk, or None."""
        return self._waiting.get(thread)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection exclusively, opening it if necessary, and note that this thread waits for the disk."""
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
        """Execute the block as one transaction, which is on disk at its end."""
        with self._connection() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:  # a full disk has ended it already
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def _marked(self, match: str) -> Iterator[sqlite3.Connection]:
        """Execute the block like `_transaction`, then write the mark of the match."""
        with self._transaction() as db:
            yield db
            mark = mark_of(db, match)
        if mark:
            self._marks.put(mark)

    # --- matches -----------------------------------------------------------------------------------

    def begin(self, table: str, head: bytes, seal: Callable[[str], str] | None = None) -> str:
        """Write the head of a new match; a running match of the table is abandoned. Return the new id.

        `seal` returns the seal of the match with that id. Seals are written in the same transaction as the entries.
        """
        with self._transaction() as db:
            match = f"m-{self._highest(db) + 1}"
            db.execute(
                """UPDATE matches SET result = ?, ended = datetime(?, 'unixepoch')
                   WHERE "table" = ? AND result IS NULL AND aside IS NULL AND put_aside IS NULL""",
                (LEFT, self._wall(), table),
            )
            db.execute(
                """INSERT INTO matches (id, "table", head, seal, begun, resumed)
                   SELECT ?, ?, ?, ?, datetime(?, 'unixepoch'), coalesce(max(resumed), 0) FROM matches""",
                (match, table, head, seal(match) if seal else None, self._wall()),
            )
            mark = mark_of(db, match)
        if mark:
            self._marks.put(mark)
        return match

    def highest(self) -> int:
        """Return the highest known number of a match, past ones included."""
        with self._connection() as db:
            return self._highest(db)

    def _highest(self, db: sqlite3.Connection) -> int:
        numbers = [number_of(name) for (name,) in db.execute("SELECT id FROM matches")]
        return max([*numbers, self._marks.highest()])

    def append(self, match: str, entries: Sequence[LogEntry], seal: str | None = None) -> None:
        """Write the next entries of a match's log."""
        with self._transaction() as db:
            insert_entries(db, match, entries)
            if seal:
                db.execute("UPDATE matches SET seal = ? WHERE id = ?", (seal, match))
        self._marks.append(match, [entry.line for entry in entries])

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = (), seal: str | None = None) -> None:
        """Drop a match's entries from number `length` on and write those of `instead`. A match that was over runs again."""
        with self._marked(match) as db:
            db.execute('DELETE FROM entries WHERE "match" = ? AND number >= ?', (match, length))
            db.execute(
                "UPDATE matches SET result = NULL, ended = NULL, cuts = cuts + 1, seal = ? WHERE id = ?", (seal, match)
            )
            insert_entries(db, match, instead)

    def end(self, match: str, result: bytes) -> None:
        """Write that a match has ended: by its rules or abandoned, as `result` (JSON) says."""
        with self._transaction() as db:
            db.execute(
                "UPDATE matches SET result = ?, ended = datetime(?, 'unixepoch'), aside = NULL WHERE id = ?",
                (result, self._wall(), match),
            )
            insert_finished(db, match)

    def finished_after(self, number: int, most: int = 100) -> list[tuple[int, bytes]]:
        """Return number and JSON of at most `most` finished matches after `number`, in order."""
        with self._connection() as db:
            return finished_after(db, number, most)

    def finished(self) -> int:
        """Return the number of the newest finished match; 0 before the first one."""
        with self._connection() as db:
            (found,) = db.execute("SELECT max(number) FROM finished").fetchone()
        return found or 0

    def wipe(self, match: str) -> None:
        """Overwrite the log of a finished match with zeros, in the write-ahead log, too. The counts of its dice stay."""
        # The whole log, because shuffles and choices reveal hands, and a log with holes cannot be replayed.
        with self._marked(match) as db:
            if db.execute("SELECT 1 FROM matches WHERE id = ? AND result IS NOT NULL", (match,)).fetchone():
                store_rolls(db, match)
                db.execute('DELETE FROM entries WHERE "match" = ?', (match,))
            db.execute("UPDATE matches SET cuts = cuts + 1 WHERE id = ?", (match,))  # so that its mark still rises
        with self._connection() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def started_at(self, match: str) -> int | None:
        """Return when a match began (Unix time), or None."""
        with self._connection() as db:
            found = db.execute("SELECT strftime('%s', begun) FROM matches WHERE id = ?", (match,)).fetchone()
        return int(found[0]) if found and found[0] else None

    def set_aside(self, match: str, reason: str | None) -> None:
        """Write why a match cannot continue for now, or with None that it can."""
        with self._transaction() as db:
            db.execute("UPDATE matches SET aside = ? WHERE id = ?", (reason, match))

    def put_aside(self, match: str) -> None:
        """Suspend a match: it is not the table's current match until `take_up`."""
        with self._transaction() as db:
            db.execute(
                """UPDATE matches SET put_aside = datetime(?, 'unixepoch'), aside = ?, result = NULL, ended = NULL
                   WHERE id = ?""",
                (self._wall(), PUT_ASIDE, match),
            )

    def all_put_aside(self, table: str) -> list[MatchPutAside]:
        """Return the suspended matches of a table, the last one first."""
        with self._connection() as db:
            return matches_put_aside(db, table)

    def take_up(self, match: str) -> None:
        """Resume a suspended match, as its table's current one. Raise DamagedLog if it is not suspended."""
        with self._marked(match) as db:
            resumed = db.execute(
                """UPDATE matches SET put_aside = NULL, aside = NULL, resumed = (SELECT max(resumed) + 1 FROM matches)
                   WHERE id = ? AND put_aside IS NOT NULL AND result IS NULL""",
                (match,),
            )
            if not resumed.rowcount:
                raise DamagedLog(say("Match {match} is not suspended.", match=match))
            db.execute(f"PRAGMA user_version={RESUMED}")

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match. Raise DamagedLog if it is unknown or not completely readable."""
        try:
            with self._connection() as db:
                found = db.execute("SELECT head FROM matches WHERE id = ?", (match,)).fetchone()
                lines = db.execute('SELECT number, line FROM entries WHERE "match" = ? ORDER BY number', (match,))
                entries = [LogEntry(number, line) for number, line in lines]
        except LogError as error:
            if isinstance(error.__cause__, sqlite3.Error) and code_of(error.__cause__) in DAMAGED:
                sentence = say("Its log cannot be read ({error}). It is kept as it is.", error=str(error.__cause__))
                raise DamagedLog(sentence) from error
            raise
        if found is None:
            raise DamagedLog(say("There is no match {match} in the database.", match=match))
        if [entry.number for entry in entries] != list(range(len(entries))):
            raise DamagedLog(say("The log of match {match} has a gap. It is kept as it is.", match=match))
        return found[0], entries

    def sealed_row(self, match: str) -> SealedRow:
        """Return the data of a match besides its log. Raise DamagedLog if it is unknown."""
        with self._connection() as db:
            found = db.execute(
                'SELECT "table", cuts, seal, result IS NOT NULL FROM matches WHERE id = ?', (match,)
            ).fetchone()
        if found is None:
            raise DamagedLog(say("There is no match {match} in the database.", match=match))
        return SealedRow(found[0], found[1], found[2], bool(found[3]))

    def seal(self, match: str, seal: str) -> None:
        """Write the seal of a match's present log."""
        with self._transaction() as db:
            db.execute("UPDATE matches SET seal = ? WHERE id = ?", (seal, match))

    def last(self, table: str) -> LastMatch | None:
        """Return the current or last match of a table, in any state; None before the first one."""
        with self._connection() as db:
            return last_match(db, table)

    def lengths(self, game: str, seats: int) -> list[Length]:
        """Return the lengths of the newest finished matches of a game with this number of seats, at all tables."""
        with self._connection() as db:
            return lengths(db, game, seats)

    def missing(self, table: str) -> Missing | None:
        """Return which data of a table were missing when the database was opened, or None."""
        with self._connection():
            return self._missing.get(table)

    # --- private values of a table -------------------------------------------------------------------

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Write a private value of a table under a name, replacing the previous one."""
        with self._transaction() as db:
            db.execute('INSERT OR REPLACE INTO kept ("table", name, value) VALUES (?, ?, ?)', (table, name, value))

    def recall(self, table: str, name: str) -> bytes | None:
        """Return the value that `keep` wrote last, or None."""
        with self._connection() as db:
            found = db.execute('SELECT value FROM kept WHERE "table" = ? AND name = ?', (table, name)).fetchone()
        return found[0] if found else None

    def settle(self, table: str) -> None:
        """Accept the data of a table as complete from now on, after a loss was reported."""
        with self._connection() as db:
            found = last_match(db, table)
            mark = mark_of(db, found.id) if found else None
            self._missing.pop(table, None)
        if mark:
            self._marks.put(mark)
