"""Copy the readable part of a damaged database to a new one."""

from __future__ import annotations

import logging
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from hub.store.schema import LATER_COLUMNS, RESUMED

log = logging.getLogger(__name__)


def rescue(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy the readable private values and running matches. Return the number of matches copied.

    It reads a copy, so that the damaged file and its write-ahead log stay unchanged. Rows are read one by one, so that a
    damaged page costs only the rows on it, not those after it.
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
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        log.error("Nothing can be read of %s: %s.", damaged, error)
        return 0


def _copy_readable(db: sqlite3.Connection, into: sqlite3.Connection) -> int:
    saved = 0
    columns = {name for _, name, *_ in _readable(db, "PRAGMA table_info(matches)")}
    there = ", ".join(['id, "table", head, begun', *(name for name in LATER_COLUMNS if name in columns)])
    select = f"SELECT {there} FROM matches"  # noqa: S608 - names of our own
    into.execute("BEGIN IMMEDIATE")
    for row in _readable(db, 'SELECT "table", name, value FROM kept'):
        with suppress(sqlite3.Error):
            into.execute('INSERT OR REPLACE INTO kept ("table", name, value) VALUES (?, ?, ?)', row)
    for row in _readable(db, 'SELECT "table", kind, face, count FROM rolled'):
        with suppress(sqlite3.Error):
            into.execute('INSERT OR REPLACE INTO rolled ("table", kind, face, count) VALUES (?, ?, ?, ?)', row)
    ends = [end for (end,) in _readable(db, "SELECT max(rowid) FROM matches") if isinstance(end, int)]
    for rowid in range(1, min(ends[0] if ends else 0, 100_000) + 1):
        for row in _readable(db, f"{select} WHERE rowid = ? AND result IS NULL", rowid):
            with suppress(sqlite3.Error):
                into.execute(f"INSERT INTO matches ({there}) VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608 - as above
                for entry in _readable(
                    db, 'SELECT number, line FROM entries WHERE "match" = ? ORDER BY number', row[0]
                ):
                    into.execute('INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)', (row[0], *entry))
                saved += 1
    if into.execute("SELECT max(resumed) FROM matches").fetchone()[0]:
        into.execute(f"PRAGMA user_version={RESUMED}")
    into.execute("COMMIT")
    return saved


def _readable(db: sqlite3.Connection, query: str, *values: object) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a query until the first damaged one."""
    with suppress(sqlite3.Error):
        yield from db.execute(query, values)
