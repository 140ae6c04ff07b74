"""Matches of the house: a strength against random play, and against another strength."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from time import thread_time
from typing import NamedTuple, cast

from hub import games
from hub.authoring.players import LONGEST, value
from hub.authoring.time_limit import begin_again
from hub.chance import Chance
from hub.engine.decision import CHANCE, Answer
from hub.engine.house_player import play, sight_of
from hub.engine.match import Match
from hub.engine.sight import STRENGTHS, HousePlayer, Randomness, Sight, Strength

Z, SURE = 1.96, 3.0
"""A 95 % interval, and one of 99.7 %."""
RANDOM_PLAY = "random"
MATCHES, MOST_MATCHES = 60, 300
"""How many matches the house is tried in, and how many if it is not clear after fewer."""
SHARP_MATCHES, MOST_SHARP_MATCHES = 20, 100
"""The same for sharp, which takes much longer to decide and is seldom worse."""
TIMED_MATCHES = 20
MOST_MS = 20.0
"""Milliseconds that a decision of the sharp house may take on a small computer (`hub/engine/sight.py`)."""
FACTOR = 2.0
"""How many times as long a small computer takes, at least."""


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
    """One match.

    - `hero`: the seat that is measured; `wins`: parts of 1 by seat.
    - `answers`: how many answers all people gave.
    - `took`: milliseconds of processor time for each decision of the hero.
    """

    hero: int
    wins: dict[int, float]
    answers: int
    took: Sequence[float] = ()

    @property
    def slowest(self) -> float:
        """Return the milliseconds of the longest decision."""
        return max(self.took, default=0.0)

    @property
    def total(self) -> float:
        """Return the milliseconds of all decisions together."""
        return math.fsum(self.took)

    @property
    def asked(self) -> int:
        """Return how many decisions the hero made."""
        return len(self.took)


def play_match(
    figure: Figure, number: int, others: Mapping[str, HousePlayer] = {}, clock: Callable[[], float] = thread_time,
) -> Played:  # fmt: skip
    """Play one match; the same number is the same match.

    `others` are the players that are no strength of the house. `clock` returns seconds of processor time.
    """
    players = {RANDOM_PLAY: RANDOM} | dict(others)
    seed = f"{figure} {number}"
    random, chance = Random(seed), Chance(seed)
    match = Match(games.find(figure.game), range(1, figure.seats + 1))
    hero = 1 + number % figure.seats
    took = list[float]()
    answers = 0
    begin_again()
    chance.settle(match)
    while match.open:
        seat = next(seat for seat in match.state.seats if sight_of(match, seat))
        who = figure.hero if seat == hero else figure.field
        began = clock()
        strength = who if who in STRENGTHS else "steady"
        action = play(match, seat, strength, random, player=players.get(who))
        ms = 1000 * (clock() - began)
        assert action is not None
        if seat == hero and action.seat != CHANCE:
            took.append(ms)
        answers += 1
        match.act(action)
        chance.settle(match)
        assert len(match.log) < LONGEST, f"{seed} does not end"
    assert match.over
    winners = match.over.winners
    return Played(hero, {seat: 1 / len(winners) for seat in winners}, answers, took)


def wilson(won: float, of: int, z: float = Z) -> tuple[float, float]:
    """Return the interval of a share (Wilson's score interval, of 95 % by default); a shared win counts as its part."""
    share, square = won / of, z * z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(middle - half, 0.0), middle + half  # without rounding below 0, which is shown as -0%


# --- What check-game asks of a house player ------------------------------------------------------------


class Wins(NamedTuple):
    """What the hero won: its part of the matches with the interval, and the fair part, as several may win together."""

    won: float
    of: int
    low: float
    high: float
    fair: float

    def __str__(self) -> str:
        return f"{self.won:.0%} of {self.of} matches ({self.low:.0%} to {self.high:.0%}), its share is {self.fair:.0%}"


def contest(figure: Figure, is_clear: Callable[[Wins], bool], z: float, matches: int, most: int) -> Wins:
    """Play so many matches, again and again until it is clear who is better, but not more than `most`."""
    played = list[Played]()
    while True:
        played += [play_match(figure, len(played) + number) for number in range(matches)]
        won, of = sum(one.hero in one.wins for one in played), len(played)
        fair = sum(len(one.wins) for one in played) / of / figure.seats
        found = Wins(won / of, of, *wilson(won, of, z), fair)
        if of >= most or is_clear(found):
            return found


def beats_random_play(name: str, seats: int) -> str:
    """Return what steady wins against random play. Raise AssertionError if that is not more than its share."""
    figure = Figure(name, seats, "steady", RANDOM_PLAY)
    found = contest(figure, lambda one: not one.low <= one.fair <= one.high, Z, MATCHES, MOST_MATCHES)
    assert found.low > found.fair, f"{found}"
    return f"{found}"


def is_no_worse_than_steady(name: str, seats: int) -> str:
    """Return what sharp wins against steady. Raise AssertionError if that is clearly less than its share."""
    figure = Figure(name, seats, "sharp", "steady")
    found = contest(
        figure, lambda one: one.won >= one.fair or one.high < one.fair, SURE, SHARP_MATCHES, MOST_SHARP_MATCHES
    )
    assert found.high >= found.fair, f"sharp wins {found}: it must not choose worse than steady"
    return f"{found}"


class TooSlow(Exception):
    """Decisions that take long. It costs no level, because a time differs from one computer to the next."""


def decides_in_time(name: str, clock: Callable[[], float] = thread_time) -> str:
    """Return how long sharp decides. Raise TooSlow if that is too long on a small computer.

    `clock` returns seconds of processor time.
    """
    figure = Figure(name, games.find(name).seats[1], "sharp", "steady")
    took = sorted(ms for number in range(TIMED_MATCHES) for ms in play_match(figure, number, clock=clock).took)
    if not took:
        return "it decides nothing"
    high = took[len(took) * 95 // 100]
    found = (
        f"95 of 100 take at most {high:.1f} ms of processor time here, so at least {FACTOR * high:.0f} ms on a small "
        f"computer: {MOST_MS:.0f} ms are allowed there"
    )
    if FACTOR * high > MOST_MS:
        raise TooSlow(f"{found}. Measure again while this computer is idle, or let sharp look at fewer possibilities.")
    return found
