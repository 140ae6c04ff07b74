"""What was played in a venue, evening by evening, and how long calls for staff were open: without a name or a seat."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from statistics import median

import msgspec

from hub.evenings import ANSWERED, AnsweredCall, evening_of, month_of
from hub.network.staff_messages import CallsOfEvening, Evenings, PlayedGame
from hub.store.queries import LONGEST

MATCHES = """
SELECT CAST(strftime('%s', begun) AS INTEGER), "table", head, (julianday(ended) - julianday(begun)) * 1440
FROM matches WHERE result IS NOT NULL ORDER BY begun"""


def evenings(db: sqlite3.Connection, titles: Mapping[str, str], tables: Mapping[str, str], month: str = "") -> Evenings:
    """Return the evenings of a month ("2026-11"), or with "" of the newest month with a finished match. Raise sqlite3.Error.

    `titles` are the names of the games, `tables` those of the tables.
    """
    played: dict[tuple[date, str, str], list[tuple[int, float]]] = defaultdict(list)
    months = Counter[str]()
    for seconds, table, head, minutes in db.execute(MATCHES):
        with suppress(ValueError, TypeError, KeyError):  # a row of the disk may be damaged
            known = json.loads(head)
            evening, title = evening_of(seconds), titles.get(known["game"], str(known["game"]))
            took = minutes if minutes is not None and 0 < minutes <= LONGEST else 0.0
            played[evening, str(table), title].append((len(known["seats"]), took))
            months[month_of(evening)] += 1
    month = month or max(months, default="")
    return Evenings(
        month,
        sorted({*months, *([month] if month else [])}),
        [
            PlayedGame(
                evening.isoformat(), tables.get(table, table), title, len(matches),
                sum(seats for seats, _ in matches), round(sum(took for _, took in matches)),
            )
            for (evening, table, title), matches in sorted(played.items())
            if month_of(evening) == month
        ],
        _calls(db, month),
    )  # fmt: skip


def _calls(db: sqlite3.Connection, month: str) -> list[CallsOfEvening]:
    """Return for each evening of a month how long the calls that were answered had been open."""
    waited: dict[date, list[int]] = defaultdict(list)
    for (value,) in db.execute("SELECT value FROM kept WHERE name = ?", (ANSWERED.format(month=month),)):
        with suppress(ValueError, TypeError):
            for call in msgspec.json.decode(value, type=list[AnsweredCall]):
                waited[evening_of(call.at)].append(call.seconds)
    return [
        CallsOfEvening(evening.isoformat(), len(seconds), round(median(seconds)), max(seconds))
        for evening, seconds in sorted(waited.items())
    ]
