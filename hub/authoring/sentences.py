"""All that is said in a match: events, questions, refusals, facts and reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from hub import games
from hub.authoring.players import random_action, random_options
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.house_player import advise, sight_of
from hub.engine.match import Match
from hub.errors import RulesBug

MOST = 160
"""Actions of a match that are listened to."""
UNASKED = re.compile(r"The move \w+ wants ")
"""The sentence about a move of the wrong form, which no page makes."""
JUNK: list[Any] = [None, -1, 0, 7, 99, "", "x", [], ["a"], True]


def said(name: str, seed: int) -> Iterator[str]:
    """Yield all that is said in a match that is played by chance."""
    game, random = games.find(name), Random(f"{name} {seed}")
    count = random.randint(*game.seats)
    match = Match(game, range(1, count + 1), random_options(game, count, random))
    chance, told = Chance(seed), 0
    while match.open and len(match.log) < MOST:
        match.act(random_action(match, random, chance))
        for event in match.events[told:]:
            yield event.text
            yield from sentences(event.data)
        told = len(match.events)
        yield from _heard(match, random)
    if match.over:
        yield match.over.why


def sentences(value: Any) -> Iterator[str]:
    """Yield all texts of several words in a view."""
    if isinstance(value, str):
        if " " in value.strip():
            yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from sentences(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from sentences(one)


def _heard(match: Match, random: Random) -> Iterator[str]:
    """Yield what is said after an action."""
    for viewer in (None, *match.state.seats):
        yield from sentences(match.view(viewer))
    for seat in match.state.seats if match.open else ():
        yield from (bar["why"] for bar in match.barred(seat))
        yield from sentences(match.notes(seat))
    yield from _refusals(match, random)


def _refusals(match: Match, random: Random) -> Iterator[str]:
    """Yield what is said to actions that cannot be."""
    number = match.open.number if match.open else 0
    moves = list(match.game.labels.moves)
    for seat in match.state.seats:
        offered = [str(move["move"]) for move in match.moves(seat)] if match.open else []
        name = random.choice(moves + offered)
        parameters = list(match.game.labels.parameters)
        args = {
            key: random.choice(JUNK) for key in random.sample(parameters, min(len(parameters), random.randint(0, 2)))
        }
        refused = match.refusal(Action(seat=seat, move=name, args=args, number=number))
        if refused:
            yield refused.args[0]


def questions(name: str, seed: int) -> Iterator[str]:
    """Yield what people are asked in a match that is played by chance, and what the house gives as reasons."""
    game, random = games.find(name), Random(f"{name} {seed}")
    match, chance = Match(game, range(1, random.randint(*game.seats) + 1)), Chance(seed)
    while match.open and len(match.log) < MOST:
        match.act(random_action(match, random, chance))
        yield from _asked(match, random)


def _asked(match: Match, random: Random) -> Iterator[str]:
    if match.open is None or match.open.by_chance:
        return
    yield from (match.open.want, match.open.others)
    for seat in match.state.seats if random.random() < 0.2 else ():
        yield from _reasons(match, seat, random)


def _reasons(match: Match, seat: int, random: Random) -> Iterator[str]:
    sight = sight_of(match, seat)
    try:
        advice = advise(sight, match.game, random) if sight else None
    except RulesBug:  # other checks are about the house player
        return
    if advice and advice.say:
        yield advice.say
