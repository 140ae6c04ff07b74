"""`Match.refusal` and `Match.answers` judge an action of any game exactly as `Match.act` does, and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec import json

from hub.authoring.laws import beginning, copy, seen, steps, wrong_actions
from hub.authoring.players import args, offers
from hub.chance import Chance
from hub.engine.decision import CHANCE, Action, OneOf, ask, offer
from hub.engine.match import Match
from hub.engine.text import to_json
from hub.errors import IllegalAction, NotAsked, NotOffered, RulesBug, Stale
from tests.engine.test_match import Made, match
from tests.seeds import every_game, every_seed

pytestmark = pytest.mark.timeout(600)  # many matches, and a machine may be busy

JUDGED = 100
"""The most actions that are judged at one moment of a match: some decisions have thousands of wrong answers."""

PLAYED = 3
"""The most legal actions that are taken at one moment, each on a match that is played again from its log."""


def everything(match: Match) -> tuple[Any, ...]:
    """Return all there is of a match, as bytes wherever it could be changed in place."""
    shown = [seen(match, viewer) for viewer in (None, *match.state.seats)]
    return shown, match.fingerprint(), to_json((match.log, match.events, match.open)), match.over, match.fault


def tried(match: Match, random: Random) -> Iterator[Action]:
    """Yield legal actions of people and of chance, and actions with other values, names, seats and numbers."""
    number = match.open.number if match.open else 0
    for seat, move in offers(match):
        yield Action(seat=seat, move=move.name, args=args(move, random), number=random.choice([None, number]))
    if match.open and match.open.by_chance:
        yield Chance(random.randrange(2**32)).answer(match.open)
    if match.open and (roll := match.open.roll):
        faces = [random.randint(1, roll.sides) for _ in range(roll.count)]
        yield Action(
            seat=CHANCE, move="roll", args={"faces": faces, "read": random.choice(["read", "typed", "hub", "?"])}
        )
        yield Action(seat=CHANCE, move="roll", args={"faces": faces, "first": random.choice([faces, {"faces": faces}])})
        yield Action(seat=CHANCE, move="roll", args={"faces": faces}, number=number + 1)
    yield from wrong_actions(match, random)


def wording(error: IllegalAction) -> tuple[type[IllegalAction], str, str]:
    """Return everything that a player or a program reads of a refusal."""
    return type(error), error.sentence, error.code


def has_answered(before: Match, after: Match, seat: int) -> bool:
    """Return whether the decision open `before` is closed `after`, or a choice of `seat` locked that was not."""
    assert before.open
    if after.open is None or after.open.number != before.open.number:
        return True
    return seat in after.open.locked - before.open.locked


@every_game
@every_seed
def test_an_action_is_refused_beforehand_exactly_as_it_is_when_taken(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        if match.open and random.random() > 0.05:
            continue
        actions = list(tried(match, random))
        actions = random.sample(actions, min(JUDGED, len(actions)))
        written = json.encode(actions)
        before = everything(match)
        refusals = [match.refusal(action) for action in actions]
        answering = [match.answers(action) for action in actions]
        assert everything(match) == before
        assert json.encode(actions) == written
        twin, legal = copy(match), list[tuple[Action, bool]]()
        for action, refusal, answers in zip(actions, refusals, answering, strict=True):
            if refusal is None:
                legal.append((action, answers))
                continue
            assert not answers
            with pytest.raises(IllegalAction) as refused:
                twin.act(action)
            assert wording(refusal) == wording(refused.value)
        assert match.open or not legal, "nothing is legal once the match has ended"
        for action, answers in random.sample(legal, min(PLAYED, len(legal))):
            twin = copy(match)
            twin.act(action)
            assert len(twin.log) == len(match.log) + 1
            if twin.over and action.move in {move.name for move in match.standing(action.seat)}:
                assert not answers, "a standing offer may end a match, and answers nothing"
            elif match.open and action.seat not in match.open.locked:
                assert answers == has_answered(match, twin, action.seat)


@every_game
@every_seed
def test_whatever_is_offered_is_refused_to_nobody_and_answers_unless_it_is_a_standing_offer(
    name: str, seed: int
) -> None:
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        for seat in match.state.seats if match.open and random.random() < 0.3 else ():
            asked, standing = match.open.offers(seat) if match.open else [], match.standing(seat)
            for move in (*asked, *standing):
                action = Action(seat=seat, move=move.name, args=args(move, random))
                assert match.refusal(action) is None
                assert match.answers(action) == any(one.name == move.name and one.accepts(action.args) for one in asked)


def coins(s: Made, seat: int) -> list[Any]:
    """Return the standing offer of a made-up game: take one or two coins at any time."""
    return [offer("borrow", coins=OneOf([1, 2]))] if s.seats[seat].coins < 7 else []


def lend(s: Made, seat: int, answer: Any) -> None:
    """Hand out the coins that were borrowed."""
    s.seats[seat].coins += answer["coins"]


async def one_question_and_a_fault(s: Made) -> None:
    """Ask seat 2 once, then fail."""
    await ask(s, 2, [offer("take", card=OneOf([1, 2])), offer("pass")], "Take?")
    raise ZeroDivisionError


def test_a_standing_offer_is_legal_and_does_not_answer() -> None:
    open_match = match(one_question_and_a_fault, standing=coins, stand=lend)
    borrow, take = Action(seat=1, move="borrow", args={"coins": 2}), Action(seat=2, move="take", args={"card": 1})
    assert (open_match.refusal(borrow), open_match.answers(borrow)) == (None, False)
    assert (open_match.refusal(take), open_match.answers(take)) == (None, True)
    assert (open_match.state.seats[1].coins, open_match.log) == (5, [])
    open_match.act(borrow)
    refusal = open_match.refusal(borrow)
    assert isinstance(refusal, NotAsked)
    assert not open_match.answers(borrow)


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (Action(seat=1, move="take", args={"card": 1}), NotAsked),
        (Action(seat=9, move="take", args={"card": 1}), NotAsked),
        (Action(seat=CHANCE, move="roll", args={"faces": [1]}), NotAsked),
        (Action(seat=2, move="take", args={"card": 3}), NotOffered),
        (Action(seat=2, move="take", args={"card": True}), NotOffered),
        (Action(seat=2, move="take"), NotOffered),
        (Action(seat=2, move="pass", args={"card": 1}), NotOffered),
        (Action(seat=2, move="pass", number=1), Stale),
        (Action(seat=2, move="pass", number=0), None),
    ],
)
def test_a_refusal_says_of_which_kind_it_is(action: Action, error: type[IllegalAction] | None) -> None:
    refusal = match(one_question_and_a_fault).refusal(action)
    assert (refusal and type(refusal)) == error


def test_a_match_that_its_rules_have_stopped_refuses_everything() -> None:
    stopped, action = match(one_question_and_a_fault), Action(seat=2, move="pass")
    with pytest.raises(RulesBug):
        stopped.act(action)
    refusal = stopped.refusal(action)
    with pytest.raises(NotAsked) as refused:
        stopped.act(action)
    assert refusal
    assert wording(refusal) == wording(refused.value)
    assert (refusal.code, stopped.answers(action)) == ("FAULT", False)
