"""What is forgotten: the logs of matches that ended some days ago, wiped from the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hub.errors import LogError
from hub.ports import LEFT
from hub.store.queries import CURRENT, keep_rolled
from hub.store.schema import connect

_WIPED = f"""
SELECT id FROM matches WHERE result IS NOT NULL AND julianday('now') - julianday(ended) >= ?
AND (? OR id NOT IN ({CURRENT})) AND EXISTS (SELECT 1 FROM entries WHERE "match" = matches.id)"""  # noqa: S608 - our own
"""The match that a table played last stays until it plays another: it may be taken back, or shown again after a power cut."""


_RUNNING = f'SELECT "table" FROM matches WHERE result IS NULL AND id IN ({CURRENT})'  # noqa: S608 - our own

_EXPIRE = """
UPDATE matches SET result = ?, ended = put_aside, aside = NULL, put_aside = NULL
WHERE put_aside IS NOT NULL AND result IS NULL AND julianday('now') - julianday(put_aside) >= ?"""
"""A match that nobody has taken up again was left on the day it was put aside."""


def wipe_logs(path: Path, days: float, *, newest: bool = False, aside_days: float | None = None) -> int:
    """Wipe the logs of matches that ended `days` ago or earlier, which is where hands are; return of how many.

    What stays of a match is who won what and when, which game and options, and how often each face of its dice came. With `newest` those that a table shows last are
    wiped, too, and every login of a seat: no hub may run. Zeros take the place of what was there, in the file and in its
    write-ahead log. Matches that were put aside `aside_days` ago, or with `newest` all of them, cannot be taken up any more.
    Raise LogError.
    """
    if not path.exists():
        return 0
    try:
        with closing(connect(path)) as db:
            db.execute("BEGIN IMMEDIATE")
            if newest or aside_days is not None:
                db.execute(_EXPIRE, (LEFT, 0 if newest else aside_days))
            wiped = [match for (match,) in db.execute(_WIPED, (days, newest)).fetchall()]
            for match in wiped:
                keep_rolled(db, match)
                db.execute('DELETE FROM entries WHERE "match" = ?', (match,))
            if newest:
                db.execute("DELETE FROM kept WHERE name = 'places'")
            running = {table for (table,) in db.execute(_RUNNING)}
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for mark in (path.parent / "marks").glob("*.mark") if newest else ():
            if mark.stem not in running:  # else the next start takes what was wiped for lost
                mark.unlink()
    except sqlite3.Error as error:
        raise LogError(f"The database {path} cannot be wiped now: {error}.") from error
    return len(wiped)
