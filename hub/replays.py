"""Finished matches, step by step, as the replay page shows them.

A step is a moment at which somebody else was asked, something was told, or the match was over. The hands are part of a replay only if
the match cannot go on any more: the last match of a table can, because its last action may be taken back.
What the house would have done follows from the hands, so the same rule holds for it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from hub.engine.decision import CHANCE, Answer, Choose
from hub.engine.game import Game
from hub.engine.house_player import advise, sight_of
from hub.engine.match import Entry, Head, Match
from hub.engine.sight import Sight
from hub.engine.text import say
from hub.errors import NoReplay, ReplayDiverged
from hub.state import Hint, HouseChoice, HouseChoices, PublicEvent, Replay, ReplayStep
from hub.store.queries import last_match, lines_of
from hub.table.dice.table_dice import wanted
from hub.table.views.snapshot import view

MOST_ENTRIES = 5_000
"""A longer log was made long on purpose: people may change a sealed choice as often as they like."""


class Kept(NamedTuple):
    """A finished match whose log is still there. Two that are equal have the same replay."""

    match: str
    cuts: int
    entries: int
    is_last: bool


class Choice(NamedTuple):
    """What a seat knew when it chose, and what it did then (None: it rolled the dice).

    The `events` of the sight are those of the whole match; the seat knew the first `told`.
    """

    sight: Sight
    told: int
    did: Answer | None


class Choices(NamedTuple):
    """The choices of a match, by step. A long match takes some 20 MB."""

    game: Game
    steps: list[list[Choice]]

    def at(self, step: int) -> list[Choice]:
        """Return the choices at a step, counted from 1. Raise NoReplay."""
        if not 1 <= step <= len(self.steps):
            raise NoReplay(say("This match has no step {number}.", number=step))
        return self.steps[step - 1]


def kept(db: sqlite3.Connection, table: str, match: str, *, with_hands: bool = False) -> Kept:
    """Return a match that was played to its end at a table. Raise NoReplay, or sqlite3.Error.

    `with_hands`: also raise NoReplay while its hands may not be shown.
    """
    query = 'SELECT result, cuts, (SELECT count(*) FROM entries WHERE "match" = matches.id) FROM matches WHERE id = ? AND "table" = ?'
    found = db.execute(query, (match, table)).fetchone()
    if not found or not found[0] or "winners" not in json.loads(found[0]):
        raise NoReplay(say("There is no finished match {match} at this table.", match=match))
    if not found[2]:
        raise NoReplay(say("This match is no longer kept. The hub only knows who won."))
    if found[2] > MOST_ENTRIES:
        raise NoReplay(say("This match is too long to be replayed."))
    last = last_match(db, table)
    is_last = last is None or last.id == match
    if with_hands and is_last:
        raise NoReplay(say("What the house would have done is shown once this table plays another match."))
    return Kept(match, found[1], found[2], is_last)


class _Log(NamedTuple):
    """The log of a finished match, as it is in the database."""

    head: bytes
    begun: str
    result: str
    lines: Sequence[bytes]


def _log(db: sqlite3.Connection, match: str) -> _Log:
    head, begun, result = db.execute("SELECT head, begun, result FROM matches WHERE id = ?", (match,)).fetchone()
    return _Log(head, begun, result, lines_of(db, match))


def _game_of(log: _Log, games: Iterable[Game]) -> tuple[Game, Head]:
    head = msgspec.json.decode(log.head, type=Head)
    return next(game for game in games if game.name == head.game), head


def replay(db: sqlite3.Connection, found: Kept, games: Iterable[Game]) -> Replay:
    """Return a match step by step. Raise NoReplay if the games of today do not lead to its result, or sqlite3.Error."""
    log = _log(db, found.match)
    with _same_rules():
        game, head = _game_of(log, games)
        steps = [*_steps(game, head, log, hands=not found.is_last)]
    return Replay(found.match, game.name, game.title, log.begun, head.seats, head.options, steps)


def choices(db: sqlite3.Connection, found: Kept, games: Iterable[Game]) -> Choices:
    """Return the choices of a match whose hands may be shown. Raise the same as `replay`."""
    log = _log(db, found.match)
    with _same_rules():
        game, head = _game_of(log, games)
        return Choices(game, _choices(game, head, log))


def house_choices(game: Game, step: int, made: Sequence[Choice]) -> HouseChoices:
    """Return the choices of a step, each beside that of the sharp house, always the same. Raise NoReplay."""
    if game.house is None:
        raise NoReplay(say("This game has no house player."))
    return HouseChoices([found for choice in made if (found := _house_choice(game, step, choice))])


def _house_choice(game: Game, step: int, choice: Choice) -> HouseChoice | None:
    """Return a choice beside that of the house; None if it was none, such as telling secret dice."""
    seat, did = choice.sight.seat, choice.did
    sight = replace(choice.sight, events=choice.sight.events[: choice.told])
    try:
        advice = advise(sight, game, Random(f"{step}/{seat}"))  # noqa: S311 - advice is no secret
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - the house player of a package may fail in any way, or exit
        return HouseChoice(seat, _wire(did), None, False)
    if advice is None:
        return None
    same = _comparable(sight, did) == _comparable(sight, advice.answer)
    return HouseChoice(seat, _wire(did), Hint(_wire(advice.answer), advice.say), same)


def _wire(answer: Answer | None) -> dict[str, Any] | None:
    return {"move": answer.move, **answer.args} if answer else None


def _comparable(sight: Sight, answer: Answer | None) -> object:
    """Return an answer so that equal ones are equal, because the order of a subset does not matter."""
    if answer is None:
        return None
    listed = (*sight.offers, *sight.standing)
    params = next((move.params for move in listed if move.name == answer.move and move.accepts(answer.args)), {})
    return answer.move, {
        name: sorted(map(repr, value)) if isinstance(params.get(name), Choose) else value
        for name, value in answer.args.items()
    }


@contextmanager
def _same_rules() -> Iterator[None]:
    """Raise NoReplay if the games of today do not lead to a log."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # other rules, or those of a package, may fail in any way, or exit
        raise NoReplay(say("This match was played with other rules or cards, so it cannot be replayed.")) from error


def _moments(game: Game, head: Head, log: _Log) -> Iterator[Match]:
    """Yield a match at each of its steps. Raise ReplayDiverged if the rules do not lead to its log and its result."""
    match, told, asked = Match.replay(game, head, []), 0, -1
    waiting: list[Entry | None] = [None, *(msgspec.json.decode(line, type=Entry) for line in log.lines)]
    for entry in waiting:
        if entry is not None:
            match.apply_entries([entry])
        now = match.open.number if match.open else len(match.log)
        if (match.open and match.open.by_chance) or (now == asked and told == len(match.events)):
            continue  # nobody sees more: a pile was shuffled, or a sealed choice was locked or changed
        asked, told = now, len(match.events)
        yield match
    if match.over is None or match.over.winners != json.loads(log.result)["winners"]:
        raise ReplayDiverged("It ends otherwise.")


def _steps(game: Game, head: Head, log: _Log, *, hands: bool) -> Iterator[ReplayStep]:
    """Yield the steps of a match. Raise ReplayDiverged."""
    told = 0
    for match in _moments(game, head, log):
        events = [
            PublicEvent(n, event.text, event.rule or None, event.kind, event.data)
            for n, event in enumerate(match.events[told:], told)
        ]
        told = len(match.events)
        seen = {f"{seat}": match.view(seat)["you"] for seat in match.setup.seats} if hands else {}
        asked = match.open
        wants = wanted(asked.roll, asked.wants) if asked and asked.roll and asked.wants else None
        yield ReplayStep(view(match), events, seen, match.over, wants)


def _choices(game: Game, head: Head, log: _Log) -> list[list[Choice]]:
    """Return the choices of a match, by step. Raise ReplayDiverged."""
    steps: list[list[Choice]] = []
    asked: list[Sight] = []
    done = told = 0
    for match in _moments(game, head, log):
        if steps:
            steps[-1] = [choice for sight in asked if (choice := _choice(sight, told, match.log[done:]))]
        steps.append([])
        done, told = len(match.log), len(match.events)
        asked = [_copy(sight) for seat in match.setup.seats if (sight := sight_of(match, seat)) and sight.offers]
    return steps


def _choice(sight: Sight, told: int, entries: Sequence[Entry]) -> Choice | None:
    """Return the choice of a seat by its last entry of these, because a sealed choice may be changed, or None."""
    for entry in reversed(entries):
        if entry.seat == sight.seat:
            return Choice(sight, told, Answer(entry.move, entry.args))
        if sight.roll and (entry.seat, entry.move) == (CHANCE, "roll"):
            return Choice(sight, told, None)
    return None


def _copy(sight: Sight) -> Sight:
    """Return a sight that the rest of the match does not change: moves may hold the lists of a rulebook's state."""
    offers, standing = deepcopy((sight.offers, sight.standing))
    return replace(sight, offers=offers, standing=standing)
