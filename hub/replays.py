"""Finished matches, step by step, as the replay page shows them.

A step is a moment at which people or dice were awaited, or the end. The hands are part of a replay only if the match cannot go on any
more: the last match of a table can, because its last action may be taken back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from hub.engine.decision import Action
from hub.engine.game import Game
from hub.engine.match import Entry, Head, Match
from hub.engine.text import say
from hub.errors import HubError, NoReplay
from hub.state import PublicEvent, Replay, ReplayStep
from hub.store.queries import last_match, lines_of
from hub.table.views.snapshot import view


def is_kept(db: sqlite3.Connection, table: str, match: str) -> bool:
    """Return whether a table has finished this match, and its log is still there. Raise sqlite3.Error."""
    query = (
        'SELECT 1 FROM matches WHERE id = ? AND "table" = ? AND result IS NOT NULL '
        'AND EXISTS(SELECT 1 FROM entries WHERE "match" = matches.id)'
    )
    return db.execute(query, (match, table)).fetchone() is not None


def replay(db: sqlite3.Connection, table: str, match: str, games: Iterable[Game]) -> Replay:
    """Return a finished match of a table. Raise NoReplay, or sqlite3.Error."""
    query = 'SELECT head, begun FROM matches WHERE id = ? AND "table" = ? AND result IS NOT NULL'
    found = db.execute(query, (match, table)).fetchone()
    if not found:
        raise NoReplay(say("There is no finished match {match} at this table.", match=match))
    lines = lines_of(db, match)
    if not lines:
        raise NoReplay(say("This match is no longer kept. The hub only knows who won."))
    try:
        head = msgspec.json.decode(found[0], type=Head)
        entries = [msgspec.json.decode(line, type=Entry) for line in lines]
        game = next(game for game in games if game.name == head.game and head.digest in (game.digest, *game.earlier))
        last = last_match(db, table)
        steps = list(_steps(game, head, entries, hands=last is None or last.id != match))
    except (StopIteration, ValueError, HubError):
        raise NoReplay(say("This match was played with other rules or cards, so it cannot be replayed.")) from None
    return Replay(match, game.name, game.title, found[1], head.seats, head.options, steps)


def _steps(game: Game, head: Head, entries: Sequence[Entry], *, hands: bool) -> Iterator[ReplayStep]:
    match, told = Match(game, head.seats, head.options), 0
    waiting: list[Entry | None] = [None, *entries]
    for entry in waiting:
        if entry is not None:
            match.act(Action(seat=entry.seat, move=entry.move, args=entry.args))
        if match.open and match.open.by_chance:
            continue
        events = [
            PublicEvent(n, event.text, event.rule or None, event.kind, event.data)
            for n, event in enumerate(match.events[told:], told)
        ]
        told = len(match.events)
        seen = {f"{seat}": match.view(seat)["you"] for seat in match.setup.seats} if hands else {}
        yield ReplayStep(view(match), events, seen, match.over)
