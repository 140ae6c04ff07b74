"""SQL for rows of matches and entries, and the number in a match's id."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress

from hub.ports import LastMatch, Length, LogEntry, MatchPutAside

LOOKED_AT = 400  # number of newest matches that `lengths` reads
MOST_LENGTHS = 60  # maximum number of lengths that it returns
LONGEST = 12 * 60.0
"""Maximum duration in minutes: a longer match was interrupted, or the clock was changed, so statistics ignore it."""


def insert_entries(db: sqlite3.Connection, match: str, entries: Sequence[LogEntry]) -> None:
    """Write entries of a match's log."""
    db.executemany(
        'INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)',
        [(match, entry.number, entry.line) for entry in entries],
    )


LATEST_FIRST = "resumed DESC, rowid DESC"
"""The order of a table's matches: the first one is its current or last match."""
CURRENT = f"""
SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY "table" ORDER BY {LATEST_FIRST}) AS place FROM matches)
WHERE place = 1"""  # noqa: S608 - our own names
"""The ids of the tables' current or last matches."""


def last_match(db: sqlite3.Connection, table: str) -> LastMatch | None:
    """Return the current or last match of a table; None before the first one."""
    query = f'SELECT id, result, aside, put_aside FROM matches WHERE "table" = ? ORDER BY {LATEST_FIRST} LIMIT 1'  # noqa: S608 - as above
    found = db.execute(query, (table,)).fetchone()
    if not found:
        return None
    return LastMatch(found[0], found[1], None if found[3] else found[2], put_aside=bool(found[3]))


def matches_put_aside(db: sqlite3.Connection, table: str) -> list[MatchPutAside]:
    """Return the suspended matches of a table, the last one first."""
    found = db.execute(
        f"""SELECT id, head, CAST(strftime('%s', put_aside) AS INTEGER),
                  (SELECT count(*) FROM entries WHERE "match" = matches.id)
           FROM matches WHERE "table" = ? AND put_aside IS NOT NULL AND result IS NULL ORDER BY {LATEST_FIRST}""",  # noqa: S608 - as above
        (table,),
    ).fetchall()
    return [MatchPutAside(*row) for row in found]


def lengths(db: sqlite3.Connection, game: str, seats: int) -> list[Length]:
    """Return the lengths of the newest finished matches of a game with this number of seats."""
    found: list[Length] = []
    ended = db.execute(
        "SELECT id, head, result, (julianday(ended) - julianday(begun)) * 1440 FROM matches "
        "WHERE result IS NOT NULL AND ended IS NOT NULL ORDER BY rowid DESC LIMIT ?",
        (LOOKED_AT,),
    )
    for match, head, result, minutes in ended:
        if len(found) == MOST_LENGTHS:
            break
        if minutes is not None and _played(head, result) == (game, seats):
            (entries,) = db.execute('SELECT count(*) FROM entries WHERE "match" = ?', (match,)).fetchone()
            found.append(Length(minutes, entries))
    return found


def _played(head: bytes, result: bytes) -> tuple[str, int] | None:
    """Return the game and number of seats of a finished match; None if it was abandoned or cannot be read."""
    with suppress(ValueError, TypeError, AttributeError, KeyError):
        known, over = json.loads(head), json.loads(result)
        if "winners" in over:
            return known["game"], len(known["seats"])
    return None


def insert_finished(db: sqlite3.Connection, match: str) -> None:
    """Write the statistics of a finished match. Nothing is written for an abandoned one."""
    found = db.execute(
        """SELECT "table", head, result, (julianday(ended) - julianday(begun)) * 1440,
                  CAST(strftime('%s', ended) AS INTEGER), (SELECT count(*) FROM entries WHERE "match" = matches.id)
           FROM matches WHERE id = ?""",
        (match,),
    ).fetchone()
    if not found:
        return
    table, head, result, minutes, ended, actions = found
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        known, over = json.loads(head), json.loads(result)
        if "winners" not in over:
            return
        (before,) = db.execute('SELECT max(number) FROM finished WHERE "match" = ?', (match,)).fetchone()
        summary = {
            "match": match,
            "table": table,
            "game": known["game"],
            "options": known["options"],
            "seats": len(known["seats"]),
            "actions": actions,
            "minutes": round(minutes, 1) if minutes is not None and 0 <= minutes <= LONGEST else None,
            "ended": max(0, ended),
            "replaces": before,
        }
        line = json.dumps(summary, separators=(",", ":")).encode()
        db.execute('INSERT INTO finished ("match", line) VALUES (?, ?)', (match, line))


def finished_after(db: sqlite3.Connection, number: int, most: int) -> list[tuple[int, bytes]]:
    """Return number and statistics of at most `most` finished matches after `number`, in order."""
    found = db.execute("SELECT number, line FROM finished WHERE number > ? ORDER BY number LIMIT ?", (number, most))
    return [(one, bytes(line)) for one, line in found]


SIDES = 6
KINDS = ("read", "typed", "hub")
"""Sources of dice: read by a reader, typed by people, rolled by the hub."""


def count_rolls(lines: Iterable[bytes]) -> Counter[tuple[str, int]]:
    """Return how often each face of a six-sided die was rolled in the lines of a log, by source."""
    rolled = Counter[tuple[str, int]]()
    for line in lines:
        if b'"move":"roll"' in line:
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                entry = json.loads(line)
                kind = entry["args"].get("read", "typed")
                if entry["seat"] == 0 and kind in KINDS:
                    rolled.update((kind, face) for face in entry["args"]["faces"] if face in range(1, SIDES + 1))
    return rolled


def store_rolls(db: sqlite3.Connection, match: str) -> None:
    """Add the dice of a match to the counts that outlive its log, if it was played to its end."""
    table, head, result = db.execute('SELECT "table", head, result FROM matches WHERE id = ?', (match,)).fetchone()
    if _played(head, result) is not None:
        db.executemany(
            """INSERT INTO rolled ("table", kind, face, count) VALUES (?, ?, ?, ?)
               ON CONFLICT DO UPDATE SET count = count + excluded.count""",
            [(table, kind, face, count) for (kind, face), count in count_rolls(lines_of(db, match)).items()],
        )


def stored_rolls(db: sqlite3.Connection, table: str) -> Counter[tuple[str, int]]:
    """Return the counts of `store_rolls` at a table, or with "" at all tables."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'rolled'").fetchone():
        return Counter()  # a database of an earlier version
    rows = db.execute(
        "SELECT kind, face, sum(count) FROM rolled WHERE ? = '' OR \"table\" = ? GROUP BY kind, face", (table, table)
    )
    return Counter({(kind, face): count for kind, face, count in rows})


def lines_of(db: sqlite3.Connection, match: str) -> list[bytes]:
    """Return the lines of a match's log, in order."""
    found = db.execute('SELECT line FROM entries WHERE "match" = ? ORDER BY number', (match,))
    return [bytes(line) for (line,) in found]


def number_of(match: str) -> int:
    """Return the number in the id of a match, or 0 if it is not an id of a match."""
    digits = match.removeprefix("m-")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
