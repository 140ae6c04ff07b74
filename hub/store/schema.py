"""The database file: making and opening it, looking whether it is whole, its schema and the steps to it from earlier ones."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from hub.errors import ConfigError

VERSION = 1
"""The `user_version` of a database that this hub writes: the number of the first hubs that read and write it rightly.

What only adds to it keeps the number, so that after a way back the release before plays on with it (`_ADDED`).
"""
READS_UP_TO = 2
"""The latest `user_version` that this hub reads; the next one is another. 2 stood for the column `put_aside` for a day."""

PUT_ASIDE = "It was put aside. A newer table-hub goes on with it."
"""What stands in `aside` of a match that people put aside, for an earlier hub, which would end it for another match."""

_SCHEMA = """
CREATE TABLE matches (
    id TEXT PRIMARY KEY, "table" TEXT NOT NULL, head BLOB NOT NULL, result BLOB,
    begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended TEXT,
    cuts INTEGER NOT NULL DEFAULT 0, aside TEXT, put_aside TEXT
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
"""What statistics tell of each match that was played to its end, in order: one that is taken back and ends again has two."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
"""SQLite's primary codes (https://sqlite.org/rescode.html) for a file that no waiting mends."""
CHECK_SECONDS = 1.0
"""How long the file may be looked through at the start: a large one is not read whole on a slow card."""
BUSY_SECONDS = 5.0
"""How long one call waits for another program, such as a backup, that holds the file."""
CHECKPOINT_PAGES = 32
"""Write-ahead log of so many pages (4 KiB) at most: whoever loses a sector of it loses some 20 actions, not an evening."""


def make_file(path: Path) -> None:
    """Make the file, for its user alone, where it is not there. Raise OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection to a whole database of this schema. Raise sqlite3.Error, and then nothing is left open."""
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
        damage = sqlite3.DatabaseError("its schema cannot be read")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage from error
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
        if code_of(error) != sqlite3.SQLITE_INTERRUPT:
            raise
        return
    finally:
        db.set_progress_handler(None, 0)
    if rows != [("ok",)]:
        damage = sqlite3.DatabaseError(" ".join(str(rows[0][0]).split()) if rows else "quick_check says nothing")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage


def _check_version(db: sqlite3.Connection) -> int:
    """Return the `user_version`. Raise ConfigError for one of a later hub."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > READS_UP_TO:
        file = db.execute("PRAGMA database_list").fetchone()[2]
        raise ConfigError(
            f"{file} was written by a newer table-hub (form {version}; this one reads {READS_UP_TO}): install that one again, "
            "or give this one another `state` in [hub]; nothing was changed."
        )
    return int(version)


def _migrate(db: sqlite3.Connection) -> None:
    """Bring the schema to this one, all of it or nothing."""
    version = _check_version(db)
    columns = {name for _, name, *_ in db.execute("PRAGMA table_info(matches)")}
    (added,) = db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'finished'").fetchone()
    if version == VERSION and columns.issuperset(_ADDED) and added:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        if db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'matches'").fetchone() == (0,):
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
        else:
            for step in _MIGRATIONS[version:]:
                step(db)
            for column, declared in _ADDED.items():
                if column not in columns:
                    db.execute(f"ALTER TABLE matches ADD COLUMN {column} {declared}")
            db.execute("UPDATE matches SET aside = ? WHERE put_aside IS NOT NULL AND aside IS NULL", (PUT_ASIDE,))
        db.execute(_FINISHED)
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
_ADDED = {"put_aside": "TEXT"}
"""Columns of `matches` that came without another version: earlier hubs leave them alone."""


def code_of(error: sqlite3.Error | sqlite3.Warning) -> int:
    """Return SQLite's primary code of an error, or 0."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
