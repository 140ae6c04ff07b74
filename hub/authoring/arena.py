"""Matches of the house: a strength against random play, and against another strength."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from time import thread_time
from typing import NamedTuple, cast

from hub import games
from hub.authoring.players import LONGEST, value
from hub.chance import Chance
from hub.engine.decision import CHANCE, Answer
from hub.engine.house_player import play, sight_of
from hub.engine.match import Match
from hub.engine.sight import STRENGTHS, HousePlayer, Randomness, Sight, Strength

Z = 1.96  # a 95 % interval
RANDOM_PLAY = "random"


class AnyLegal:
    """Random legal play: each move as likely as another, each value too."""

    @staticmethod
    def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:  # noqa: ARG004 - the port has it
        """Return any answer; mostly, let dice fall where they are wanted."""
        if sight.roll and chance.random() < 0.7:
            return None
        move = chance.choice(sight.offers)
        return Answer(move.name, {name: value(param, cast(Random, chance)) for name, param in move.params.items()})


RANDOM: HousePlayer = AnyLegal()


class Figure(NamedTuple):
    """What is measured: one seat of a strength, or with a rule of thumb, among others of another strength."""

    game: str
    seats: int
    hero: str
    field: str


class Played(NamedTuple):
    """One match: who won (parts of 1 by seat), where the hero sat, answers of people, and milliseconds of the hero's."""

    hero: int
    wins: dict[int, float]
    answers: int
    slowest: float
    total: float
    asked: int


def play_match(figure: Figure, number: int, others: Mapping[str, HousePlayer] = {}) -> Played:
    """Play one match; the same number is the same match. `others` are the players that are no strength of the house."""
    players = {RANDOM_PLAY: RANDOM} | dict(others)
    seed = f"{figure} {number}"
    random, chance = Random(seed), Chance(seed)
    match = Match(games.find(figure.game), range(1, figure.seats + 1))
    hero = 1 + number % figure.seats
    slowest = total = 0.0
    asked = answers = 0
    chance.settle(match)
    while match.open:
        seat = next(seat for seat in match.state.seats if sight_of(match, seat))
        who = figure.hero if seat == hero else figure.field
        began = thread_time()
        strength = who if who in STRENGTHS else "steady"
        action = play(match, seat, strength, random, player=players.get(who))
        took = 1000 * (thread_time() - began)
        assert action is not None
        if seat == hero and action.seat != CHANCE:
            slowest, total, asked = max(slowest, took), total + took, asked + 1
        answers += 1
        match.act(action)
        chance.settle(match)
        assert len(match.log) < LONGEST, f"{seed} does not end"
    assert match.over
    winners = match.over.winners
    return Played(hero, {seat: 1 / len(winners) for seat in winners}, answers, slowest, total, asked)


def wilson(won: float, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson's score interval); a shared win counts as its part."""
    share, square = won / of, Z * Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(middle - half, 0.0), middle + half  # without rounding below 0, which is shown as -0%
