"""The matches in a hub's database, seen from outside: `table-hub matches` and `table-hub export`.

Nothing is changed, and a hub may run beside it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from hub import games
from hub.config import load, owners_file
from hub.engine.match import Head
from hub.errors import HubError
from hub.files import check_file
from hub.operations.own_files import as_owner_of, new_private_file
from hub.operations.state_folder import DATABASE
from hub.state import History
from hub.store import READS_UP_TO
from hub.store.history import as_text, history
from hub.store.schema import SET_ASIDE
from hub.table.base.kept import UNREADABLE

Stage = Literal["under way", "put aside", "set aside", "over", "left"]


class KeptMatch(NamedTuple):
    """A match of the database; `begun` is a date in UTC, `reason` why it was set aside."""

    id: str
    table: str
    game: str
    begun: str
    entries: int
    stage: Stage
    reason: str = ""


class Record(NamedTuple):
    """What a state folder holds: why its database cannot be used, or else what is in it.

    `damaged` are names of private values by table, `aside` the damaged databases that were set aside.
    """

    error: str = ""
    matches: tuple[KeptMatch, ...] = ()
    damaged: tuple[tuple[str, str], ...] = ()
    aside: tuple[str, ...] = ()

    def at(self, stage: Stage) -> list[KeptMatch]:
        """Return the matches at that stage; of those set aside only what a table played last, and so can go on."""
        last = {match.table: match for match in self.matches}
        return [match for match in last.values() if match.stage == stage]


def examine(folder: Path) -> Record:
    """Look through a state folder. Raise OSError where it may not be read."""
    if not folder.exists():
        return Record()
    files = sorted(file.name for file in folder.iterdir())  # PermissionError: the caller says whose folder it is
    marks = (f"{DATABASE}.unreadable-",)
    aside = tuple(name for name in files if name.startswith(marks) and not name.endswith(("-wal", "-shm")))
    if DATABASE not in files:
        return Record(aside=aside)
    try:
        with reading(folder) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > READS_UP_TO:
                return Record(f"it was written by a newer table-hub (form {version})", aside=aside)
            (checked,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if checked != "ok":
                return Record(f"it is damaged: {' '.join(str(checked).split())}", aside=aside)
            if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'matches'").fetchone():
                return Record(aside=aside)
            names = db.execute('SELECT "table", name FROM kept WHERE name LIKE ?', (f"{UNREADABLE}%",)).fetchall()
            damaged = tuple((table, name.removeprefix(UNREADABLE)) for table, name in names)
            return Record("", tuple(_matches(db)), damaged, aside)
    except UnicodeDecodeError:  # SQLite's own message has the damaged bytes in it
        return Record("it is damaged: its schema cannot be read", aside=aside)
    except sqlite3.Error as error:
        return Record(str(error), aside=aside)


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of a state folder without changing anything. Raise OSError or sqlite3.Error.

    Beside a hub that runs it is read where it lies: SQLite sees to it that both are right. Without one a copy is read, as
    SQLite would write into a folder whose write-ahead log a power cut has left; no hub starts while that is made.
    """
    database = folder / DATABASE
    check_file(database)
    database.open("rb").close()
    with tempfile.TemporaryDirectory() as copies:
        with _keeping_hubs_out(folder) as alone:
            source = str(copied(folder, Path(copies))) if alone else f"file:{_quoted(database)}?mode=ro"
        with closing(sqlite3.connect(source, uri=not alone, timeout=2)) as db:
            yield _lenient(db)


def copied(folder: Path, into: Path) -> Path:
    """Copy the database of a state folder and its write-ahead log, while no hub runs; return the copy. Raise OSError."""
    for suffix in ("", "-wal"):
        with suppress(FileNotFoundError):
            shutil.copyfile(folder / f"{DATABASE}{suffix}", into / f"{DATABASE}{suffix}")
    return into / DATABASE


def _lenient(db: sqlite3.Connection) -> sqlite3.Connection:
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    return db


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


@contextmanager
def _keeping_hubs_out(folder: Path) -> Iterator[bool]:
    """Let no hub start with this state folder; False where one runs with it already."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(handle)


def _matches(db: sqlite3.Connection) -> Iterator[KeptMatch]:
    columns = {name for _, name, *_ in db.execute("PRAGMA table_info(matches)")}
    aside = "aside" if "aside" in columns else "NULL"
    put_aside = "put_aside" if "put_aside" in columns else "NULL"
    lengths = dict(db.execute('SELECT "match", count(*) FROM entries GROUP BY "match"'))
    order = "resumed, rowid" if "resumed" in columns else "rowid"
    query = f'SELECT id, "table", head, begun, result, {aside}, {put_aside} FROM matches ORDER BY {order}'  # noqa: S608 - our own names
    for match, table, head, begun, result, reason, by_people in db.execute(query):
        if bytes(result or b"").startswith(SET_ASIDE):  # by an early hub, which a start of this one puts right
            with suppress(ValueError, TypeError):
                reason, result = f"{msgspec.json.decode(result)['set_aside']}", None
        game = "?"
        with suppress(ValueError, TypeError):
            game = msgspec.json.decode(head, type=Head).game
        stage: Stage = "put aside" if by_people else "set aside" if reason else "under way"
        if result is not None:
            stage = "left" if {b'"left"', b'"continued"'} & set(bytes(result).strip(b"{}").split(b":")) else "over"
        told = reason if reason and not by_people else ""  # people know why they put theirs aside
        yield KeptMatch(match, table, game, begun, lengths.get(match, 0), stage, told)


def examine_or_refuse(folder: Path) -> Record:
    """Look through a state folder for a person who asks. Raise HubError where its database cannot be read."""
    try:
        record = examine(folder)
    except (OSError, sqlite3.Error) as error:
        raise HubError(refusal(folder, error)) from None
    if record.error:
        raise HubError(f"{folder / DATABASE} cannot be read: {record.error}.")
    return record


# --- the command ---------------------------------------------------------------------------------------


def matches(args: Namespace) -> int:
    """List the matches of a hub's database."""
    record = examine_or_refuse(Path(load(owners_file(args.config)).hub.state).expanduser())
    for match in record.matches:
        print(
            f"{match.id:8}{match.begun}  table {match.table:10}{match.game:16}{match.entries:6} entries  "
            f"{match.stage}{f': {match.reason}' if match.reason else ''}"
        )
    if not record.matches:
        print("There has been no match.")
    return 0


def show_history(args: Namespace) -> int:
    """Print what is known of the finished matches."""
    config = load(owners_file(args.config))
    folder = Path(config.hub.state).expanduser()
    if args.table and args.table not in [table.id for table in config.table]:
        raise HubError(f"There is no table {args.table}; `[[table]]` of the configuration has their ids.")
    record = examine_or_refuse(folder)
    found = History(0, [], [], [], [])
    if record.matches:
        try:
            with reading(folder) as db:
                found = history(db, {name: games.find(name).title for name in games.names()}, args.table)
        except (OSError, sqlite3.Error) as error:
            raise HubError(refusal(folder, error, "history")) from None
    print(as_text(found), end="")
    return 0


def export(args: Namespace) -> int:
    """Write the log of a match into a file of its own, for its user alone: it holds what everybody had in their hands.

    There are no names in it: a log knows seats by their numbers.
    """
    folder, match = Path(load(owners_file(args.config)).hub.state).expanduser(), args.match
    to = args.file or Path(f"{match}.jsonl")
    with new_private_file(to) as file:
        try:
            with as_owner_of(folder), reading(folder) as db:
                lines = _log(db, match)
        except (OSError, sqlite3.Error) as error:
            raise HubError(refusal(folder, error, "export")) from None
        file.writelines(line + b"\n" for line in lines)
    print(
        f"{to}: {len(lines) - 1} entries; `table-hub replay {to}` plays them again. It holds every hand, and no names."
    )
    return 0


def _log(db: sqlite3.Connection, match: str) -> list[bytes]:
    """Return the head and the entries of a match that nobody plays. Raise HubError, or sqlite3.Error."""
    known = {one.id: one for one in _matches(db)}
    if match not in known:
        raise HubError(f"There is no match {match}; `table-hub matches` lists them.")
    if known[match].stage in ("under way", "put aside"):
        raise HubError(f"Match {match} is {known[match].stage}: its log holds the hands of those who play it.")
    (head,) = db.execute("SELECT head FROM matches WHERE id = ?", (match,)).fetchone()
    lines = [line for (line,) in db.execute('SELECT line FROM entries WHERE "match" = ? ORDER BY number', (match,))]
    if not lines:
        raise HubError(f"The log of match {match} was wiped; who won stays.")
    return [head, *lines]


def refusal(folder: Path, error: OSError | sqlite3.Error, command: str = "matches") -> str:
    """Return in a sentence why the database of a state folder cannot be read, and who may."""
    if isinstance(error, PermissionError):
        return f"You may not read {folder}: ask as the hub's own user, or with sudo (sudo table-hub {command})."
    return f"{folder / DATABASE} cannot be read ({getattr(error, 'strerror', None) or error})."
