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
    keep_rolled,
    last_match,
    lengths,
    lines_of,
    matches_put_aside,
    number_of,
)
from hub.store.rescue import rescue
from hub.store.schema import DAMAGED, PUT_ASIDE, RESUMED, code_of, connect, make_file

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
"""How long `close` waits for whoever is at the disk."""


class SealedRow(NamedTuple):
    """What the database has of a match beside its log: `seal` is what `KeyedStore` wrote with the last entries."""

    table: str
    cuts: int
    seal: str | None
    ended: bool


def _said(error: sqlite3.Error | sqlite3.Warning) -> str:
    """Return an error of the database as a sentence. Guests read it, so it names no path."""
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
        self._marks = Marks(path.parent / "marks")
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
            for suffix in ("-wal", "-shm", "-journal"):
                check_file(self._path.with_name(f"{self._path.name}{suffix}"))
            if kind := kind_of(self._path):
                return self._compared(self._begin_anew(f"it is a {kind}"))
            make_file(self._path)
            return self._compared(connect(self._path))
        except sqlite3.Error as error:
            if code_of(error) not in DAMAGED:
                raise
            reason = str(error)
        return self._compared(self._begin_anew(reason))

    def _compared(self, db: sqlite3.Connection) -> sqlite3.Connection:
        """Return the connection, and note what each table's mark promises and it has no more. Raise sqlite3.Error."""
        try:
            names = {*self._marks.names(), *(name for (name,) in db.execute('SELECT DISTINCT "table" FROM matches'))}
            self._missing = {name: gap for name in sorted(names) if (gap := self._compare(db, name))}
        except BaseException:
            db.close()
            raise
        return db

    def _begin_anew(self, reason: str) -> sqlite3.Connection:
        """Set the file aside under a name with the date, begin a new one, and take over what can still be read."""
        date = datetime.fromtimestamp(time(), UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
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
        """Return what the mark of a table promises and the database has no more; None where nothing is missing.

        A match under way has a mark before its first entry. If the mark is gone, the database may be an earlier copy.
        """
        mark, found = self._marks.read(table), last_match(db, table)
        if mark is None:
            return self._unmarked(db, found) if found else None
        now, lines = found and mark_of(db, found.id), lines_of(db, mark.match)
        if now is None or now.place < mark.place:
            return Missing(mark.match, mark.length, len(lines))
        if now.match != mark.match:
            return None
        if now.cuts < mark.cuts or (now.cuts == mark.cuts and now.length < mark.length):
            return Missing(mark.match, mark.length, now.length)
        if now.cuts == mark.cuts and chain(lines[: mark.length]).hex() != mark.hash:
            return Missing(mark.match, mark.length, now.length, altered=True)
        return None

    def _unmarked(self, db: sqlite3.Connection, found: LastMatch) -> Missing | None:
        """Return that a match under way has no mark; None if it has no entry yet, or is of a hub that kept no seals."""
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
            raise LogError(_said(error)) from error
        except OSError as error:
            raise LogError(f"The hub's database cannot be opened: {error.strerror}.") from error

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

    @contextmanager
    def _marked(self, match: str) -> Iterator[sqlite3.Connection]:
        """Write as `_transaction` does, then mark how far the match has come."""
        with self._transaction() as db:
            yield db
            mark = mark_of(db, match)
        if mark:
            self._marks.put(mark)

    # --- matches -----------------------------------------------------------------------------------

    def begin(self, table: str, head: bytes, seal: Callable[[str], str] | None = None) -> str:
        """Write the head of a new match, and that a running one of the table is left for it. Return its id.

        `seal` returns the seal of the match with that id. Here and below it is written with the entries, or not at all.
        """
        with self._transaction() as db:
            match = f"m-{self._highest(db) + 1}"
            db.execute(
                """UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP
                   WHERE "table" = ? AND result IS NULL AND aside IS NULL AND put_aside IS NULL""",
                (LEFT, table),
            )
            db.execute(
                """INSERT INTO matches (id, "table", head, seal, resumed)
                   SELECT ?, ?, ?, ?, coalesce(max(resumed), 0) FROM matches""",
                (match, table, head, seal(match) if seal else None),
            )
            mark = mark_of(db, match)
        if mark:
            self._marks.put(mark)
        return match

    def highest(self) -> int:
        """Return the highest number of a match that there has been, as far as is known."""
        with self._at_the_disk() as db:
            return self._highest(db)

    def _highest(self, db: sqlite3.Connection) -> int:
        numbers = [number_of(name) for (name,) in db.execute("SELECT id FROM matches")]
        return max([*numbers, self._marks.highest()], default=0)

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
        """Write that a match is over or was left: `result`, JSON, says which."""
        with self._transaction() as db:
            db.execute(
                "UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP, aside = NULL WHERE id = ?", (result, match)
            )
            insert_finished(db, match)

    def finished_after(self, number: int, most: int = 100) -> list[tuple[int, bytes]]:
        """Return number and JSON of the matches that were played to their end after the `number`th, in order."""
        with self._at_the_disk() as db:
            return finished_after(db, number, most)

    def finished(self) -> int:
        """Return the number of the newest match that was played to its end; 0 before the first."""
        with self._at_the_disk() as db:
            (found,) = db.execute("SELECT max(number) FROM finished").fetchone()
        return found or 0

    def wipe(self, match: str) -> None:
        """Wipe the log of a match that has ended; its dice stay counted. Zeros take the place of what was there, in the write-ahead log, too."""
        # The whole log: hands are in it as shuffles and choices, and a log with holes cannot be replayed.
        with self._marked(match) as db:
            if db.execute("SELECT 1 FROM matches WHERE id = ? AND result IS NOT NULL", (match,)).fetchone():
                keep_rolled(db, match)
                db.execute('DELETE FROM entries WHERE "match" = ?', (match,))
            db.execute("UPDATE matches SET cuts = cuts + 1 WHERE id = ?", (match,))  # marks never go back otherwise
        with self._at_the_disk() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def started_at(self, match: str) -> int | None:
        """Return when a match began, in seconds since 1970, or None."""
        with self._at_the_disk() as db:
            found = db.execute("SELECT strftime('%s', begun) FROM matches WHERE id = ?", (match,)).fetchone()
        return int(found[0]) if found and found[0] else None

    def set_aside(self, match: str, reason: str | None) -> None:
        """Write why a match cannot go on for now, or with None that it goes on."""
        with self._transaction() as db:
            db.execute("UPDATE matches SET aside = ? WHERE id = ?", (reason, match))

    def put_aside(self, match: str) -> None:
        """Write that people have put a match aside: it is not the table's any more until `take_up`."""
        with self._transaction() as db:
            db.execute(
                """UPDATE matches SET put_aside = CURRENT_TIMESTAMP, aside = ?, result = NULL, ended = NULL
                   WHERE id = ?""",
                (PUT_ASIDE, match),
            )

    def all_put_aside(self, table: str) -> list[MatchPutAside]:
        """Return the matches of a table that people have put aside, the one that was played last first."""
        with self._at_the_disk() as db:
            return matches_put_aside(db, table)

    def take_up(self, match: str) -> None:
        """Make a match that was put aside the one that its table plays. Raise DamagedLog if it was not put aside."""
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
        """Return the head and the entries of a match. Raise DamagedLog where it is unknown or cannot be read whole."""
        try:
            with self._at_the_disk() as db:
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
        """Return what is known of a match beside its log. Raise DamagedLog where it is unknown."""
        with self._at_the_disk() as db:
            found = db.execute(
                'SELECT "table", cuts, seal, result IS NOT NULL FROM matches WHERE id = ?', (match,)
            ).fetchone()
        if found is None:
            raise DamagedLog(say("There is no match {match} in the database.", match=match))
        return SealedRow(found[0], found[1], found[2], bool(found[3]))

    def seal(self, match: str, seal: str) -> None:
        """Write the seal of a match's log as the log is now."""
        with self._transaction() as db:
            db.execute("UPDATE matches SET seal = ? WHERE id = ?", (seal, match))

    def last(self, table: str) -> LastMatch | None:
        """Return the match that a table plays, or played last, whatever has become of it; None before the first."""
        with self._at_the_disk() as db:
            return last_match(db, table)

    def lengths(self, game: str, seats: int) -> list[Length]:
        """Return how long the newest matches of a game with so many seats took, at whichever table, that came to an end."""
        with self._at_the_disk() as db:
            return lengths(db, game, seats)

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
            found = last_match(db, table)
            mark = mark_of(db, found.id) if found else None
            self._missing.pop(table, None)
        if mark:
            self._marks.put(mark)
