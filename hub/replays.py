"""Finished matches, step by step, as the replay page shows them.

A step is a moment at which somebody else was asked, something was told, or the match was over. The hands are part of a replay only if
the match cannot go on any more: the last match of a table can, because its last action may be taken back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from hub.engine.game import Game
from hub.engine.match import Entry, Head, Match
from hub.engine.text import say
from hub.errors import NoReplay, ReplayDiverged
from hub.state import PublicEvent, Replay, ReplayStep
from hub.store.queries import last_match, lines_of
from hub.table.views.snapshot import view

MOST_ENTRIES = 5_000
"""A longer log was made long on purpose: people may change a sealed choice as often as they like."""


class Kept(NamedTuple):
    """A finished match whose log is still there. Two that are equal have the same replay."""

    match: str
    cuts: int
    entries: int
    is_last: bool


def kept(db: sqlite3.Connection, table: str, match: str) -> Kept:
    """Return a match that was played to its end at a table. Raise NoReplay, or sqlite3.Error."""
    query = 'SELECT result, cuts, (SELECT count(*) FROM entries WHERE "match" = matches.id) FROM matches WHERE id = ? AND "table" = ?'
    found = db.execute(query, (match, table)).fetchone()
    if not found or not found[0] or "winners" not in json.loads(found[0]):
        raise NoReplay(say("There is no finished match {match} at this table.", match=match))
    if not found[2]:
        raise NoReplay(say("This match is no longer kept. The hub only knows who won."))
    if found[2] > MOST_ENTRIES:
        raise NoReplay(say("This match is too long to be replayed."))
    last = last_match(db, table)
    return Kept(match, found[1], found[2], last is None or last.id == match)


def replay(db: sqlite3.Connection, found: Kept, games: Iterable[Game]) -> Replay:
    """Return a match step by step. Raise NoReplay if the games of today do not lead to its result, or sqlite3.Error."""
    raw, begun, result = db.execute("SELECT head, begun, result FROM matches WHERE id = ?", (found.match,)).fetchone()
    lines = lines_of(db, found.match)
    try:
        head = msgspec.json.decode(raw, type=Head)
        entries = [msgspec.json.decode(line, type=Entry) for line in lines]
        game = next(game for game in games if game.name == head.game)
        steps = [*_steps(game, head, entries, hands=not found.is_last)]
        _check_end(steps[-1], json.loads(result))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # other rules, or those of a package, may fail in any way, or exit
        raise NoReplay(say("This match was played with other rules or cards, so it cannot be replayed.")) from error
    return Replay(found.match, game.name, game.title, begun, head.seats, head.options, steps)


def _check_end(last: ReplayStep, result: Mapping[str, object]) -> None:
    """Raise ReplayDiverged if a match did not end as the hub has kept it."""
    if last.over is None or last.over.winners != result["winners"]:
        raise ReplayDiverged("It ends otherwise.")


def _steps(game: Game, head: Head, entries: Sequence[Entry], *, hands: bool) -> Iterator[ReplayStep]:
    """Yield the steps of a match. Raise ReplayDiverged if the rules do not lead to its log."""
    match, told, asked = Match.replay(game, head, []), 0, -1
    waiting: list[Entry | None] = [None, *entries]
    for entry in waiting:
        if entry is not None:
            match.apply_entries([entry])
        now = match.open.number if match.open else len(match.log)
        if (match.open and match.open.by_chance) or (now == asked and told == len(match.events)):
            continue  # nobody sees more: a pile was shuffled, or a sealed choice was locked or changed
        events = [
            PublicEvent(n, event.text, event.rule or None, event.kind, event.data)
            for n, event in enumerate(match.events[told:], told)
        ]
        asked, told = now, len(match.events)
        seen = {f"{seat}": match.view(seat)["you"] for seat in match.setup.seats} if hands else {}
        yield ReplayStep(view(match), events, seen, match.over)
