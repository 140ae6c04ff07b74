"""Statements on the database's rows of matches and entries, and the number in a match's id."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress

from hub.ports import LastMatch, Length, LogEntry, MatchPutAside

LOOKED_AT = 400  # newest matches of a hub that `lengths` looks through
MOST_LENGTHS = 60  # and so many of one game and number of seats it returns
LONGEST = 12 * 60.0
"""Minutes: what took longer was left lying, or the clock was set meanwhile, and says nothing of the game."""


def insert_entries(db: sqlite3.Connection, match: str, entries: Sequence[LogEntry]) -> None:
    """Write entries of a match's log."""
    db.executemany(
        'INSERT INTO entries ("match", number, line) VALUES (?, ?, ?)',
        [(match, entry.number, entry.line) for entry in entries],
    )


LATEST_FIRST = "resumed DESC, rowid DESC"
"""The order of a table's matches: the first is the one that the table plays, or played last."""
CURRENT = f"""
SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY "table" ORDER BY {LATEST_FIRST}) AS place FROM matches)
WHERE place = 1"""  # noqa: S608 - our own names
"""The ids of the matches that the tables play, or played last."""


def last_match(db: sqlite3.Connection, table: str) -> LastMatch | None:
    """Return the match that a table plays, or played last; None before the first."""
    query = f'SELECT id, result, aside, put_aside FROM matches WHERE "table" = ? ORDER BY {LATEST_FIRST} LIMIT 1'  # noqa: S608 - as above
    found = db.execute(query, (table,)).fetchone()
    if not found:
        return None
    return LastMatch(found[0], found[1], None if found[3] else found[2], put_aside=bool(found[3]))


def matches_put_aside(db: sqlite3.Connection, table: str) -> list[MatchPutAside]:
    """Return the matches of a table that people have put aside, the one that was played last first."""
    found = db.execute(
        f"""SELECT id, head, CAST(strftime('%s', put_aside) AS INTEGER),
                  (SELECT count(*) FROM entries WHERE "match" = matches.id)
           FROM matches WHERE "table" = ? AND put_aside IS NOT NULL AND result IS NULL ORDER BY {LATEST_FIRST}""",  # noqa: S608 - as above
        (table,),
    ).fetchall()
    return [MatchPutAside(*row) for row in found]


def lengths(db: sqlite3.Connection, game: str, seats: int) -> list[Length]:
    """Return how long the newest matches of a game with so many seats took that came to an end."""
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
    """Return the game and how many seats played it to its end; None for a match that was left, or cannot be read."""
    with suppress(ValueError, TypeError, AttributeError, KeyError):
        known, over = json.loads(head), json.loads(result)
        if "winners" in over:
            return known["game"], len(known["seats"])
    return None


def insert_finished(db: sqlite3.Connection, match: str) -> None:
    """Write what statistics tell of a match that was played to its end; nothing where it was left."""
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
        told = {
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
        line = json.dumps(told, separators=(",", ":")).encode()
        db.execute('INSERT INTO finished ("match", line) VALUES (?, ?)', (match, line))


def finished_after(db: sqlite3.Connection, number: int, most: int) -> list[tuple[int, bytes]]:
    """Return what statistics tell of the matches that ended after the `number`th, in order, `most` of them at once."""
    found = db.execute("SELECT number, line FROM finished WHERE number > ? ORDER BY number LIMIT ?", (number, most))
    return [(one, bytes(line)) for one, line in found]


SIDES = 6
KINDS = ("read", "typed", "hub")
"""How dice come in: read by a reader, typed by people, rolled by the hub."""


def rolled_in(lines: Iterable[bytes]) -> Counter[tuple[str, int]]:
    """Return how often each face of a six-sided die came in the lines of a log, by how the dice were read."""
    rolled = Counter[tuple[str, int]]()
    for line in lines:
        if b'"move":"roll"' in line:
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                entry = json.loads(line)
                kind = entry["args"].get("read", "typed")
                if entry["seat"] == 0 and kind in KINDS:
                    rolled.update((kind, face) for face in entry["args"]["faces"] if face in range(1, SIDES + 1))
    return rolled


def keep_rolled(db: sqlite3.Connection, match: str) -> None:
    """Add the dice of a match to the counts that outlive its log, if it was played to its end."""
    table, head, result = db.execute('SELECT "table", head, result FROM matches WHERE id = ?', (match,)).fetchone()
    if _played(head, result) is not None:
        db.executemany(
            """INSERT INTO rolled ("table", kind, face, count) VALUES (?, ?, ?, ?)
               ON CONFLICT DO UPDATE SET count = count + excluded.count""",
            [(table, kind, face, count) for (kind, face), count in rolled_in(lines_of(db, match)).items()],
        )


def kept_rolled(db: sqlite3.Connection, table: str) -> Counter[tuple[str, int]]:
    """Return what `keep_rolled` has added up at a table, or with "" at all tables."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'rolled'").fetchone():
        return Counter()  # of an earlier hub
    rows = db.execute(
        "SELECT kind, face, sum(count) FROM rolled WHERE ? = '' OR \"table\" = ? GROUP BY kind, face", (table, table)
    )
    return Counter({(kind, face): count for kind, face, count in rows})


def lines_of(db: sqlite3.Connection, match: str) -> list[bytes]:
    """Return the lines of a match's log, in order."""
    found = db.execute('SELECT line FROM entries WHERE "match" = ? ORDER BY number', (match,))
    return [bytes(line) for (line,) in found]


def number_of(match: str) -> int:
    """Return the number of a match, 0 for what is no id of a match."""
    digits = match.removeprefix("m-")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
