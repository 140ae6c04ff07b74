"""Statements on the database's rows of matches and entries, and the number in a match's id."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hub.ports import LastMatch, LogEntry, MatchPutAside


def insert_entries(db: sqlite3.Connection, match: str, entries: Sequence[LogEntry]) -> None:
    """Write entries of a match's log."""
    db.executemany(
        'INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)',
        [(match, entry.number, entry.line) for entry in entries],
    )


def last_match(db: sqlite3.Connection, table: str) -> LastMatch | None:
    """Return the newest match of a table, or None."""
    found = db.execute(
        'SELECT id, result, aside, put_aside FROM matches WHERE "table" = ? ORDER BY rowid DESC LIMIT 1', (table,)
    ).fetchone()
    return LastMatch(found[0], found[1], found[2], put_aside=bool(found[3])) if found else None


def matches_put_aside(db: sqlite3.Connection, table: str) -> list[MatchPutAside]:
    """Return the matches of a table that people have put aside, the newest first."""
    found = db.execute(
        """SELECT id, head, CAST(strftime('%s', put_aside) AS INTEGER),
                  (SELECT count(*) FROM entries WHERE "match" = matches.id)
           FROM matches WHERE "table" = ? AND put_aside IS NOT NULL AND result IS NULL ORDER BY rowid DESC""",
        (table,),
    ).fetchall()
    return [MatchPutAside(*row) for row in found]


def lines_of(db: sqlite3.Connection, match: str) -> list[bytes]:
    """Return the lines of a match's log, in order."""
    found = db.execute('SELECT line FROM entries WHERE "match" = ? ORDER BY number', (match,))
    return [bytes(line) for (line,) in found]


def number_of(match: str) -> int:
    """Return the number of a match, 0 for what is no id of a match."""
    digits = match.removeprefix("m-")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
