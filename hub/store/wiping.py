"""Wipe the logs of matches that ended some days ago from the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hub.errors import LogError
from hub.ports import LEFT
from hub.store.queries import CURRENT, store_rolls
from hub.store.schema import connect

_WIPED = f"""
SELECT id FROM matches WHERE result IS NOT NULL AND julianday('now') - julianday(ended) >= ?
AND (? OR id NOT IN ({CURRENT})) AND EXISTS (SELECT 1 FROM entries WHERE "match" = matches.id)"""  # noqa: S608 - our own
"""The last match of a table stays until the next one: it may be undone, or shown again after a power cut."""


_RUNNING = f'SELECT "table" FROM matches WHERE result IS NULL AND id IN ({CURRENT})'  # noqa: S608 - our own

_EXPIRE = """
UPDATE matches SET result = ?, ended = put_aside, aside = NULL, put_aside = NULL
WHERE put_aside IS NOT NULL AND result IS NULL AND julianday('now') - julianday(put_aside) >= ?"""
"""A suspended match that was never resumed counts as abandoned on the day of its suspension."""


def wipe_logs(path: Path, days: float, *, newest: bool = False, aside_days: float | None = None) -> int:
    """Wipe the logs, and so the hands, of matches that ended `days` ago or earlier. Return their number. Raise LogError.

    - The result, date, game, options and dice counts of a match stay.
    - With `newest`, the last matches of tables are wiped, too, and all logins of seats; no hub may run.
    - Wiped data are overwritten with zeros, in the file and in its write-ahead log.
    - Matches suspended `aside_days` ago, or with `newest` all suspended ones, can no longer be resumed.
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
                store_rolls(db, match)
                db.execute('DELETE FROM entries WHERE "match" = ?', (match,))
            if newest:
                db.execute("DELETE FROM kept WHERE name = 'places'")
            running = {table for (table,) in db.execute(_RUNNING)}
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for mark in (path.parent / "marks").glob("*.mark") if newest else ():
            if mark.stem not in running:  # otherwise the next start would report the wiped log as lost
                mark.unlink()
    except sqlite3.Error as error:
        raise LogError(f"The database {path} cannot be wiped now: {error}.") from error
    return len(wiped)
