"""A tiny game for the tests: it uses every verb of a game author, each in one line or two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from hub.engine.decision import Amount, Won, ask, offer, tell
from hub.engine.event import Setup, State
from hub.engine.game import Game, Rulebook
from hub.engine.labels import Labels
from hub.engine.options import Option


@dataclass
class Rungs:
    """How far each seat has climbed."""

    height: int = 0
    locked: bool = False


@dataclass
class Wall:
    """The ladder."""

    top: int


Climb: TypeAlias = State[Rungs, Wall]


def deal(setup: Setup) -> Climb:
    """Everybody stands on the ground."""
    return Climb(setup, {seat: Rungs() for seat in setup.seats}, Wall(setup.options["rungs"]), round=1, phase="climb")


async def play(s: Climb) -> None:
    """One rung after another, in turn, until together they reach the top."""
    while True:
        for seat in s.seats:
            answer = await ask(s, seat, [offer("climb", by=Amount(1, 2)), offer("rest")], "Climb a rung or two.")
            s.seats[seat].height += answer.args.get("by", 0)
            tell(s, f"Seat {seat} stands on {s.seats[seat].height}.", kind="climb", seat=seat)
            if sum(rungs.height for rungs in s.seats.values()) >= s.table.top:
                raise Won([seat], {other: rungs.height for other, rungs in s.seats.items()}, "The top is reached.")


def game(rulebook: Rulebook[Any], options: dict[str, Option] | None = None, seats: tuple[int, int] = (2, 6)) -> Game:
    """A game of the tests, made of functions."""
    return Game("ladder", "The ladder", seats, 1, "0" * 16, options or {}, [], Labels(), {}, rulebook)


LADDER = game(
    Rulebook(deal=deal, play=play, explain=lambda s, action: None),
    {"rungs": Option(default=10, effect="How high it is.", min=1)},
)
