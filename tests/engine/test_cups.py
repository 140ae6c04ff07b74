"""Dice that the others may not see: rolled by the hub, or by people under cups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from hub.chance import Chance
from hub.engine.cups import roll_hidden, with_cups
from hub.engine.decision import Action, Faces, Question, Won, offer
from hub.engine.event import Setup, State
from hub.engine.game import Rulebook
from hub.engine.match import Match
from hub.engine.options import Option
from hub.engine.secret import Secret
from hub.errors import NotOffered
from tests.engine.ladder import game

DICE = {2: 2, 1: 3}


@dataclass
class Player:
    """What a player has rolled."""

    hand: Secret[list[int]] = field(default_factory=lambda: Secret([]))
    locked: bool = False


@dataclass
class Table:
    """Nothing lies on the table."""


async def play(s: Any) -> None:
    """Two players roll, and the higher sum wins."""
    rolled = await roll_hidden(s, DICE, 6, "Roll.", "They roll.", into="hand")
    scores = {seat: sum(faces) for seat, faces in rolled.items()}
    raise Won([max(scores, key=lambda seat: scores[seat])], scores, "Rolled.")


def deal(setup: Setup) -> State[Player, Table]:
    return State(setup, {seat: Player() for seat in setup.seats}, Table(), round=1, phase="roll")


GAME = game(
    Rulebook(deal=deal, play=play, explain=lambda s, action: None),
    {"dice_cups": Option(default=False, effect="Real dice.")},
)


def match(*, cups: bool) -> Match:
    return Match(GAME, (1, 2), {"dice_cups": cups})


@pytest.mark.parametrize("options", [{}, {"dice_cups": False}])
def test_without_cups_the_hub_rolls_one_die_after_another(options: Mapping[str, bool]) -> None:
    setup = Setup((1, 2), options, {})
    assert not with_cups(setup)
    s = State(setup, {1: Player(), 2: Player()}, None)
    rolling = roll_hidden(s, {2: 2, 1: 1}, 8, "Roll.", "", into="hand", pile="bones")
    question = rolling.send(None)
    assert question == Question("pick", "", {}, pile="bones", cards=list(range(8)))
    assert rolling.send(7) == question
    assert s.seats[2].hand == Secret([8], (2,)), "each die is a secret at once"
    assert rolling.send(0) == question
    with pytest.raises(StopIteration) as stopped:
        rolling.send(3)
    assert stopped.value.value == {2: [1, 8], 1: [4]}
    assert {seat: player.hand for seat, player in s.seats.items()} == {2: Secret([1, 8], (2,)), 1: Secret([4], (1,))}


def test_with_cups_every_seat_enters_its_own_dice() -> None:
    played = match(cups=True)
    assert played.open
    assert (played.open.kind, played.open.others) == ("sealed", "They roll.")
    assert played.open.asked == {2: [offer("rolled", faces=Faces(2, 6))], 1: [offer("rolled", faces=Faces(3, 6))]}
    played.act(Action(seat=1, move="rolled", args={"faces": [6, 2, 4]}))
    assert (played.own(1), played.own(2)) == ({"hand": [6, 2, 4]}, {"hand": None})
    assert b"6" not in played.view_json()
    with pytest.raises(NotOffered):
        played.act(Action(seat=2, move="rolled", args={"faces": [6, 2, 4]}))
    played.act(Action(seat=1, move="rolled", args={"faces": [6, 2, 5]}))
    played.act(Action(seat=2, move="rolled", args={"faces": [3, 1]}))
    assert played.over
    assert played.over.scores == {2: 4, 1: 13}
    assert (played.own(1), played.own(2)) == ({"hand": [2, 5, 6]}, {"hand": [1, 3]})


def test_either_way_the_match_ends_with_as_many_dice() -> None:
    hub = match(cups=False)
    Chance(1).settle(hub)
    assert hub.over
    assert {seat: len(hub.own(seat)["hand"]) for seat in (1, 2)} == {1: 3, 2: 2}  # type: ignore[arg-type]


def test_a_log_with_cups_is_played_again() -> None:
    played, random = match(cups=True), Random(3)
    for seat, count in DICE.items():
        played.act(Action(seat=seat, move="rolled", args={"faces": [random.randint(1, 6) for _ in range(count)]}))
    again = Match.replay(GAME, played.head, played.log)
    assert again.fingerprint() == played.fingerprint()
