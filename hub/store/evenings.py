"""What was played in a venue, evening by evening, and how long calls for staff were open: without a name or a seat."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from statistics import median

import msgspec

from hub.evenings import ANSWERED, LASTS_UNTIL_HOUR, AnsweredCall, evening_of, month_of
from hub.network.staff_messages import CallsOfEvening, Evenings, PlayedGame
from hub.store.queries import LONGEST

EVENING = f"date(begun, 'localtime', '-{LASTS_UNTIL_HOUR} hours')"
"""The evening of a match in SQL, as `hub.evenings.evening_of` has it; None if the time on disk is damaged."""
FINISHED = """instr(result, '"winners"') > 0"""
"""A match was played to its end: the result of one that was left has no winners."""
MONTHS = f"SELECT DISTINCT substr({EVENING}, 1, 7) FROM matches WHERE {FINISHED}"  # noqa: S608 - our own words
MATCHES = f"""
SELECT {EVENING}, "table", head, (julianday(ended) - julianday(begun)) * 1440 FROM matches
WHERE {FINISHED} AND substr({EVENING}, 1, 7) = ?"""  # noqa: S608 - as above


def evenings(
    db: sqlite3.Connection, titles: Mapping[str, str], tables: Mapping[str, str], wall: float, month: str = ""
) -> Evenings:
    """Return the evenings of a month ("2026-11"), or with "" of the newest month with a finished match. Raise sqlite3.Error.

    `titles` are the names of the games, `tables` those of the tables. `wall` is the time of day (Unix time).
    """
    months = {found for (found,) in db.execute(MONTHS) if found and re.fullmatch("[0-9]{4}-[0-9]{2}", found)}
    now = month_of(evening_of(wall))  # a later month is of a clock that was wrong
    month = month or max((one for one in months if one <= now), default=max(months, default=""))
    played: dict[tuple[str, str, str], list[tuple[int, float]]] = defaultdict(list)
    for evening, table, head, minutes in db.execute(MATCHES, (month,)):
        with suppress(ValueError, TypeError, KeyError):  # a row of the disk may be damaged
            known = json.loads(head)
            title = titles.get(known["game"], str(known["game"]))
            took = minutes if minutes is not None and 0 < minutes <= LONGEST else 0.0
            played[evening, str(table), title].append((len(known["seats"]), took))
    return Evenings(
        month,
        sorted({*months, *([month] if month else [])}),
        [
            PlayedGame(
                evening, tables.get(table, table), title, len(matches), sum(seats for seats, _ in matches),
                round(sum(took for _, took in matches)),
            )
            for (evening, table, title), matches in sorted(played.items())
        ],
        _calls(db, month),
    )  # fmt: skip


def _calls(db: sqlite3.Connection, month: str) -> list[CallsOfEvening]:
    """Return for each evening of a month how long the calls that were answered had been open."""
    waited: dict[date, list[int]] = defaultdict(list)
    for (value,) in db.execute("SELECT value FROM kept WHERE name = ?", (ANSWERED.format(month=month),)):
        with suppress(ValueError, TypeError, OverflowError, OSError):  # damaged
            for call in msgspec.json.decode(value, type=list[AnsweredCall]):
                waited[evening_of(call.at)].append(max(0, call.seconds))
    return [
        CallsOfEvening(evening.isoformat(), len(seconds), round(median(seconds)), max(seconds))
        for evening, seconds in sorted(waited.items())
    ]
