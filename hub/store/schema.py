"""The database file: making, opening and checking it, its schema, and the upgrades from earlier schemas."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

from hub.errors import ConfigError

VERSION = 1
"""The `user_version` of a database that this hub writes: the number of the first hubs that read and write it rightly.

What only adds to it keeps the number, so that after a way back the release before plays on with it (`_ADDED`).
"""
RESUMED = 3
"""The `user_version` once a match has been resumed: an earlier hub would take a table's newest row for the match that it plays.

2 stood for the column `put_aside` for a day.
"""
READS_UP_TO = RESUMED
"""The latest `user_version` that this hub reads; the next one is another."""

PUT_ASIDE = "It was put aside. A newer table-hub goes on with it."
"""What stands in `aside` of a match that people put aside, for an earlier hub, which would end it for another match."""

LATER_COLUMNS = {
    "cuts": "INTEGER NOT NULL DEFAULT 0",
    "aside": "TEXT",
    "put_aside": "TEXT",
    "seal": "TEXT",
    "resumed": "INTEGER NOT NULL DEFAULT 0",
}
"""Columns of `matches` that the first hubs had not.

`resumed` counts the hub's resumed matches: a new match gets the highest number there is, a resumed one the next. So the
match that a table plays is the newest row among those with the table's highest number.
"""

_FIRST = """
CREATE TABLE matches (
    id TEXT PRIMARY KEY, "table" TEXT NOT NULL, head BLOB NOT NULL, result BLOB,
    begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended TEXT
) STRICT;
CREATE TABLE entries (
    "match" TEXT NOT NULL REFERENCES matches(id), number INTEGER NOT NULL, line BLOB NOT NULL,
    PRIMARY KEY ("match", number)
) STRICT, WITHOUT ROWID;
CREATE TABLE kept (
    "table" TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY ("table", name)
) STRICT, WITHOUT ROWID;
"""

_FINISHED = """
CREATE TABLE IF NOT EXISTS finished (
    number INTEGER PRIMARY KEY AUTOINCREMENT, "match" TEXT NOT NULL, line BLOB NOT NULL
) STRICT
"""
"""The statistics of each finished match, in order. A match whose end was undone and that ended again has two."""

ROLLED = """
CREATE TABLE IF NOT EXISTS rolled (
    "table" TEXT NOT NULL, kind TEXT NOT NULL, face INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY ("table", kind, face)
) STRICT, WITHOUT ROWID
"""
"""How often each face of a die was rolled in wiped logs, by table and source of the dice."""

_ADDED_TABLES = (_FINISHED, ROLLED)
"""Tables added without a new version, because earlier hubs ignore them."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
"""SQLite's primary codes (https://sqlite.org/rescode.html) for a damaged file."""
CHECK_SECONDS = 1.0
"""Time limit for checking the file at the start: a large one is not checked completely on a slow card."""
BUSY_SECONDS = 5.0
"""How long one call waits for another program that locks the file, such as a backup."""
CHECKPOINT_PAGES = 48
"""Maximum pages (4 KiB) of the write-ahead log, so that a lost sector costs about 20 actions, not an evening."""


def make_file(path: Path) -> None:
    """Make the file, accessible only for its user, if it is missing. Raise OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection to an intact database with this schema. Raise sqlite3.Error after closing it."""
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        _check_version(db)  # before anything is changed
        db.text_factory = lambda text: text.decode("utf-8", "replace")  # a flipped bit is found out where it matters
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA foreign_keys=ON")
        db.execute("PRAGMA secure_delete=ON")  # a login that ended, a log that was cut: zeros in the file
        db.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        _check(db)
        _migrate(db)
    except UnicodeDecodeError as error:  # SQLite's own message has the damaged bytes in it
        db.close()
        raise _damage("its schema cannot be read") from error
    except BaseException:
        db.close()
        raise
    return db


def is_ours(db: sqlite3.Connection) -> bool:
    """Return whether a database has the tables of a hub, of any version, and nothing else: no trigger, no view, no other table.

    Raise sqlite3.Error.
    """
    found = {}
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_schema"):
        if kind == "index" and sql is None:  # SQLite's own, of a primary key
            continue
        if kind != "table":
            return False
        found[name] = _bare(sql)
    for column, declared in LATER_COLUMNS.items():
        found["matches"] = found.get("matches", "").replace(_bare(f", {column} {declared}"), "", 1)
    wanted = dict(_tables(_FIRST))
    known = {
        **wanted,
        **dict(_tables(";".join(_ADDED_TABLES))),
        "sqlite_sequence": "CREATETABLEsqlite_sequence(name,seq)",
    }
    return found.keys() >= wanted.keys() and all(known.get(name) == sql for name, sql in found.items())


def _tables(schema: str) -> Iterator[tuple[str, str]]:
    """Yield name and normalized statement of each table that a schema makes."""
    for statement in schema.split(";"):
        if sql := _bare(statement).replace("IFNOTEXISTS", ""):
            yield sql.removeprefix("CREATETABLE").partition("(")[0], sql


def _bare(sql: str | None) -> str:
    return "".join((sql or "").split())


def _check(db: sqlite3.Connection) -> None:
    """Raise DatabaseError if a check within the time limit finds the file damaged."""
    until = monotonic() + CHECK_SECONDS
    db.set_progress_handler(lambda: monotonic() > until, 10_000)
    try:
        rows = db.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.OperationalError as error:
        if code_of(error) != sqlite3.SQLITE_INTERRUPT:
            raise
        return
    finally:
        db.set_progress_handler(None, 0)
    if rows != [("ok",)]:
        raise _damage(" ".join(str(rows[0][0]).split()) if rows else "quick_check says nothing")
    columns, version = {name for _, name, *_ in db.execute("PRAGMA table_info(matches)")}, _check_version(db)
    wanted = LATER_COLUMNS.keys() - ({*_ADDED} if version < RESUMED else set())
    if columns and version >= 1 and not columns.issuperset(wanted):
        raise _damage("its schema cannot be read")  # a letter in the name of a column


def _damage(reason: str) -> sqlite3.DatabaseError:
    damage = sqlite3.DatabaseError(reason)
    damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return damage


def _check_version(db: sqlite3.Connection) -> int:
    """Return the `user_version`. Raise ConfigError if it is of a later hub."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > READS_UP_TO:
        file = db.execute("PRAGMA database_list").fetchone()[2]
        raise ConfigError(
            f"{file} was written by a newer table-hub (form {version}; this one reads {READS_UP_TO}): install that one again, "
            "or give this one another `state` in [hub]; nothing was changed."
        )
    return int(version)


def _migrate(db: sqlite3.Connection) -> None:
    """Upgrade the schema to this one, completely or not at all."""
    version = _check_version(db)
    columns = {name for _, name, *_ in db.execute("PRAGMA table_info(matches)")}
    (added,) = db.execute("SELECT count(*) FROM sqlite_schema WHERE name IN ('finished', 'rolled')").fetchone()
    if (
        version in (VERSION, RESUMED)
        and columns.issuperset(_ADDED)
        and added == len(_ADDED_TABLES)
        and not _set_aside_by_version_0(db)
    ):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        if not columns:
            for statement in _FIRST.split(";"):
                db.execute(statement)
            _add_columns(db, LATER_COLUMNS)
        else:
            for step in _MIGRATIONS[version:]:
                step(db)
            _add_columns(db, [column for column in _ADDED if column not in columns])
            for match, reason in _set_aside_by_version_0(db):
                db.execute("UPDATE matches SET aside = ?, result = NULL, ended = NULL WHERE id = ?", (reason, match))
            db.execute("UPDATE matches SET aside = ? WHERE put_aside IS NOT NULL AND result IS NULL", (PUT_ASIDE,))
        for statement in _ADDED_TABLES:
            db.execute(statement)
        db.execute(f"PRAGMA user_version={RESUMED if version == RESUMED else VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _from_0(db: sqlite3.Connection) -> None:
    """Add columns for the number of cuts and for the reason why a match is set aside."""
    _add_columns(db, ("cuts", "aside"))


def _add_columns(db: sqlite3.Connection, columns: Iterable[str]) -> None:
    for column in columns:
        db.execute(f"ALTER TABLE matches ADD COLUMN {column} {LATER_COLUMNS[column]}")


SET_ASIDE = b'{"set_aside":'
"""Start of the result of a match that a hub of version 0 has set aside. Such a match has not ended."""


def _set_aside_by_version_0(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return id and reason of the matches that a hub of version 0 has set aside.

    Any start may find some: such a hub writes this before it notices that another one runs with the same state folder.
    """
    found = []
    rows = db.execute("SELECT id, result FROM matches WHERE substr(result, 1, ?) = ?", (len(SET_ASIDE), SET_ASIDE))
    for match, result in rows.fetchall():
        with suppress(ValueError):
            reason = json.loads(result).get("set_aside")
            if isinstance(reason, str):
                found.append((match, reason))
    return found


_MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_from_0,)
"""The upgrades from version 0, from 1, ... A released upgrade never changes."""
_ADDED = ("put_aside", "seal", "resumed")
"""Columns of `matches` added without a new version, because earlier hubs ignore them until a match was resumed."""


def code_of(error: sqlite3.Error | sqlite3.Warning) -> int:
    """Return SQLite's primary code of an error, or 0."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
