"""Moves, parameters and questions: what they accept, and what becomes of them on the way to the table."""

from __future__ import annotations

from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from hub.engine.decision import (
    Amount,
    Answer,
    Choose,
    Decision,
    Faces,
    Fixed,
    Move,
    OneOf,
    Order,
    Param,
    Question,
    Roll,
    Won,
    ask,
    ask_all,
    offer,
    pick,
    reckoned,
    roll,
    roll_or,
    shuffle,
    starter,
    tell,
)
from hub.engine.event import Event, Setup, State
from hub.engine.odds import AtLeast
from hub.engine.text import money, say

# --- parameters and moves --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("param", "first", "wire"),
    [
        (Fixed("boat"), "boat", "boat"),
        (OneOf([3, 4]), 3, {"one_of": [3, 4]}),
        (Amount(2, 8), 2, {"min": 2, "max": 8}),
        (Amount(2, 8, 2), 2, {"min": 2, "max": 8, "step": 2}),
        (Choose(["a", "b", "c"], 2, 3), ["a", "b"], {"choose": {"min": 2, "max": 3}, "from": ["a", "b", "c"]}),
        (Choose(["a", "b"], 0, 1), [], {"choose": {"min": 0, "max": 1}, "from": ["a", "b"]}),
        (Order([2, 1]), [2, 1], {"order": [2, 1]}),
        (Faces(3, 6), [1, 1, 1], {"faces": {"count": 3, "sides": 6}}),
    ],
)
def test_a_parameter_has_a_smallest_value_and_a_form_on_the_wire(param: Param, first: object, wire: object) -> None:
    move = Move("do", {"it": param, "also": Fixed(1)})
    assert move.first() == {"it": first, "also": 1}
    assert move.wire() == {"move": "do", "it": wire, "also": 1}
    assert list(move.wire()) == ["move", "it", "also"]


@pytest.mark.parametrize(("param", "tells"), [(Faces(1, 6), True), (OneOf([1, 6]), False), (Amount(1, 6), False)])
def test_a_move_tells_dice_if_one_of_its_parameters_is_their_faces(param: Param, tells: bool) -> None:
    assert offer("do", also=1, it=param).tells_dice is tells
    assert not offer("do", it=Faces(1, 1)).single(), "nobody enters dice for a player"


@pytest.mark.parametrize(
    ("param", "inside", "outside"),
    [
        (Amount(2, 8), [2, 8], [1, 9]),
        (Amount(2, 9, 3), [2, 8], [3, 9]),
        (Choose(["a", "b", "c"], 1, 2), [["a"], ["a", "c"]], [[], ["a", "b", "c"], ("a",)]),
        (Choose(["a", "b"], 0, 2), [[], ["b", "a"]], [["a", "a"]]),
        (OneOf([[1, 2]]), [[1, 2]], [[1, True], [1], [2, 1], (1, 2)]),
        (Faces(0, 6), [[]], [0, None, [1], {}]),
        (Faces(2, 6), [[1, 6], [6, 6]], [[0, 6], [1, 7], [1], [1, 2, 3], [1, True], [1, 2.0], (1, 2), 12, None]),
    ],
)
def test_the_ends_of_a_parameter_are_in_it(param: Param, inside: list[Any], outside: list[Any]) -> None:
    assert all(map(param.accepts, inside))
    assert not any(map(param.accepts, outside))


@pytest.mark.parametrize(
    ("move", "single"),
    [
        (offer("pass"), True),
        (offer("pay", amount=3, what="boat"), True),
        (offer("pay", amount=3, what=OneOf(["boat", "car"])), False),
        (offer("pay", amount=Amount(3, 4), what="boat"), False),
    ],
)
def test_a_move_has_one_way_if_each_parameter_has(move: Move, single: bool) -> None:
    assert move.single() == single


def test_a_plain_value_is_a_fixed_parameter_and_a_bare_move_is_made_once() -> None:
    one = OneOf([1, 2])
    assert offer("buy", what="boat", spot=[1, 2], one=one) == Move(
        "buy", {"what": Fixed("boat"), "spot": Fixed([1, 2]), "one": one}
    )
    assert offer("pass") == Move("pass", {})
    assert offer("pass") is offer("pass")


BUY = offer("buy", what="boat", cards=Choose(["a", "b", "b"], 2, 2), price=Amount(5, 15, 5))


@pytest.mark.parametrize(
    ("args", "fits", "leads"),
    [
        ({}, True, True),
        ({"what": "boat"}, True, True),
        ({"what": "car"}, False, False),
        ({"price": 10}, True, True),
        ({"price": 11}, True, False),
        ({"what": "boat", "price": 11}, True, False),
        ({"cards": []}, True, True),
        ({"cards": ["b"]}, True, True),
        ({"cards": ["b", "b"]}, True, True),
        ({"cards": ["a", "a"]}, True, False),
        ({"cards": ["a", "b", "b"]}, True, False),
        ({"cards": "a"}, True, False),
        ({"cards": None}, True, False),
        ({"colour": "red"}, True, False),
        ({"price": 10, "colour": "red"}, True, False),
    ],
)
def test_a_part_of_an_answer_fits_a_move_or_leads_to_it(args: dict[str, Any], fits: bool, leads: bool) -> None:
    """It fits unless a fixed parameter is another one; it leads there only if all that is named can stay."""
    assert BUY.fits(args) == fits
    assert BUY.leads_to(args) == leads
    assert not BUY.accepts(args)


# --- decisions -------------------------------------------------------------------------------------------


def sealed(*, final: bool) -> Decision:
    asked = {1: [offer("bid", number=Amount(1, 3))], 3: [offer("pass")]}
    return Decision(4, "sealed", "Bid.", asked, answers={3: Answer("pass", {})}, final=final)


def test_a_lock_ends_the_offers_of_a_seat_only_if_it_is_final() -> None:
    for final in (True, False):
        decision = sealed(final=final)
        assert decision.locked == {3}
        assert decision.offers(1) == [offer("bid", number=Amount(1, 3))]
        assert decision.offers(2) == []
        assert decision.offers(3) == ([] if final else [offer("pass")])


def test_offers_are_made_ready_for_messages_once_and_again_when_they_have_changed() -> None:
    decision = sealed(final=False)
    first = decision.offers_on_wire(1)
    assert first == [{"move": "bid", "number": {"min": 1, "max": 3}}]
    assert decision.offers_on_wire(1) is first
    assert decision.offers_on_wire(3) == [{"move": "pass"}]
    assert decision.offers_on_wire(2) == []
    decision.asked[1] = [offer("bid", number=2), offer("pass")]
    assert decision.offers_on_wire(1) == [{"move": "bid", "number": 2}, {"move": "pass"}]


def test_decisions_that_differ_in_anything_that_is_asked_have_other_fingerprints() -> None:
    ask_1 = {1: [offer("pass")]}
    asked = [
        Decision(4, "ask", "Bid.", ask_1),
        Decision(4, "sealed", "Bid.", ask_1),
        Decision(4, "ask", "Bid.", {2: [offer("pass")]}),
        Decision(4, "ask", "Bid.", {1: [offer("bid")]}),
        Decision(4, "roll", "", {}, Roll(1, 2, 6, "luck")),
        Decision(4, "roll", "", {}, Roll(1, 3, 6, "luck")),
        Decision(4, "pick", "", {}, pile="deck", cards=[1, 2]),
        Decision(4, "pick", "", {}, pile="deck", cards=[2, 1]),
        Decision(4, "pick", "", {}, pile="first", cards=[1, 2]),
    ]
    found = [decision.fingerprint() for decision in asked]
    assert len({*found, 0, 1}) == len(asked) + 2
    assert found[0] == Decision(9, "ask", "Pass.", ask_1).fingerprint(), "words and numbers are no part of it"
    assert [decision.fingerprint() for decision in asked] == found


# --- verbs -----------------------------------------------------------------------------------------------


def course(**options: Any) -> State[Any, Any]:
    seats = {seat: SimpleNamespace(bid=None, locked=False) for seat in (1, 2)}
    return State(Setup((1, 2), options, {}), seats, None, round=3)


def asked(verb: Coroutine[Any, Any, Any]) -> Question:
    """The question that a verb sends; its answer is what comes back."""
    question: Question = verb.send(None)
    answer = object()
    with pytest.raises(StopIteration) as stopped:
        verb.send(answer)
    assert stopped.value.value is answer
    return question


def test_every_verb_sends_its_question_and_returns_what_comes_back() -> None:
    s, moves, goal = course(), [offer("pass"), offer("bid")], AtLeast(5)
    assert asked(ask(s, 2, moves, "Bid.", "Wait.")) == Question("ask", "Bid.", {2: moves}, "Wait.")
    assert asked(ask(s, 2, moves, "Bid.")) == Question("ask", "Bid.", {2: moves}, say("Seat {seat} decides.", seat=2))
    assert asked(ask_all(s, {1: moves}, "Bid.", "Wait.", into="bid")) == Question(
        "sealed", "Bid.", {1: moves}, "Wait.", into="bid"
    )
    assert asked(ask_all(s, {1: moves}, "Bid.", into="bid")).others == "Players are choosing in secret."
    assert asked(roll(s, 2, 3, 8, "luck", "Roll.", goal, "Wait.")) == Question(
        "roll", "Roll.", {}, "Wait.", roll=Roll(2, 3, 8, "luck"), wants=goal
    )
    assert asked(roll(s, 2, 3, 8, "luck", "Roll.")) == Question(
        "roll", "Roll.", {}, "Seat 2 rolls.", roll=Roll(2, 3, 8, "luck")
    )
    assert asked(roll_or(s, 2, 3, 8, "luck", "Roll.", moves, goal, "Wait.")) == Question(
        "roll", "Roll.", {2: moves}, "Wait.", roll=Roll(2, 3, 8, "luck"), wants=goal
    )
    assert asked(roll_or(s, 2, 3, 8, "luck", "Roll.", [])) == Question(
        "roll", "Roll.", {}, "Seat 2 rolls.", roll=Roll(2, 3, 8, "luck")
    )
    assert asked(shuffle(s, ("a", "b"), "deck")) == Question("shuffle", "", {}, pile="deck", cards=["a", "b"])
    assert asked(pick(s, (4, 5), "first")) == Question("pick", "", {}, pile="first", cards=[4, 5])


@pytest.mark.parametrize("flag", ["final", "known", "laid"])
def test_a_sealed_question_says_of_what_kind_its_choices_are(flag: str) -> None:
    given: dict[str, Any] = {flag: True}
    question = asked(ask_all(course(), {1: [offer("pass")]}, "Bid.", into="bid", **given))
    assert {name: getattr(question, name) for name in ("final", "known", "laid")} == {
        "final": False, "known": False, "laid": False, **given
    }  # fmt: skip


@pytest.mark.parametrize("field", ["bid", "locked"])
def test_a_sealed_question_needs_two_fields_in_the_state_of_each_asked_seat(field: str) -> None:
    s = course()
    (kept,) = {"bid", "locked"} - {field}
    s.seats[2] = type("Seat", (), {"__slots__": (kept,), "__init__": lambda self: setattr(self, kept, None)})()
    asked(ask_all(s, {1: [offer("pass")]}, "Bid.", into="bid"))
    with pytest.raises(TypeError, match=f"the field {field} in the state of a seat"):
        asked(ask_all(s, {1: [offer("pass")], 2: [offer("pass")]}, "Bid.", into="bid"))


def test_a_number_of_dice_that_may_change_is_asked_again() -> None:
    counts = iter([2, 3])
    question = asked(roll(course(), 1, lambda: next(counts), 6, "luck", "Roll."))
    assert question.roll == Roll(1, 2, 6, "luck")
    assert question.dice
    assert question.dice() == 3


@pytest.mark.parametrize("moves", [[offer("pay", amount=3)], lambda: [offer("pay", amount=3)]])
def test_a_seat_with_one_answer_gives_it_without_being_asked_unless_that_would_show_something(moves: Any) -> None:
    with pytest.raises(StopIteration) as stopped:
        ask(course(), 1, moves, "Pay.").send(None)
    assert stopped.value.value == Answer("pay", {"amount": 3})
    assert asked(ask(course(), 1, moves, "Pay.", hidden=True)).asked == {1: moves}


@pytest.mark.parametrize("moves", [[offer("pay", amount=Amount(3, 4))], [offer("pay", amount=3), offer("pass")]])
def test_a_seat_with_several_answers_is_asked(moves: list[Move]) -> None:
    assert asked(ask(course(), 1, moves, "Pay.")).asked == {1: moves}


def test_the_seat_that_starts_is_the_one_in_the_option_or_a_random_one() -> None:
    with pytest.raises(StopIteration) as stopped:
        starter(course(first=2), "first", (1, 2), "first").send(None)
    assert stopped.value.value == 2
    for nobody in (0, 3):
        question = asked(starter(course(first=nobody), "first", (1, 2), "who"))
        assert question == Question("pick", "", {}, pile="who", cards=[1, 2])


def test_an_event_keeps_its_sentence_its_rule_and_its_facts_with_money_as_numbers() -> None:
    s = course()
    tell(s, "Seat {seat} pays {amount}.", rule="L-1", kind="pay", seat=2, amount=money(25))
    text = say("It rains.")
    tell(s, text, seat=1)
    tell(s, "It rains again.")
    assert s.new_events == [
        Event("Seat 2 pays $25.", "L-1", "pay", {"seat": 2, "amount": 25}, 3),
        Event("It rains.", "", "", {"seat": 1}, 3),
        Event("It rains again.", "", "", {}, 3),
    ]
    assert s.new_events[1].text is text


def test_an_event_about_money_says_how_it_was_reckoned() -> None:
    assert reckoned(2, "coins", 5, 8, "5 + 3") == {"seat": 2, "what": "coins", "from": 5, "to": 8, "sum": "5 + 3"}


def test_a_match_is_won_by_seats_with_scores_for_a_reason() -> None:
    winners, scores = (2, 3), {2: 9, 3: 9}
    won = Won(winners, scores, "It is a tie.", rule="L-9")
    assert (won.winners, won.scores, won.why, won.rule, str(won)) == (
        [2, 3], {2: 9, 3: 9}, "It is a tie.", "L-9", "It is a tie."
    )  # fmt: skip
    assert won.scores is not scores
    assert Won([1], {}, "Over.").rule == ""
