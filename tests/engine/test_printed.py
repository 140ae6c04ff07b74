"""What the hub knows of printed cards, and how it waits until people have laid them out."""

from __future__ import annotations

from typing import Any

import pytest

from hub.engine.decision import Answer, OneOf, Question, offer
from hub.engine.event import Setup, State
from hub.engine.printed import LAY_OUT, face_down, is_printed, lay_out, possible, shuffled

PRINTED = Setup((1, 2), {"printed_cards": True}, {})
OWN = [Setup((1, 2), options, {}) for options in ({"printed_cards": False}, {})]


def course(setup: Setup) -> State[Any, Any]:
    return State(setup, {}, None, round=1, phase="deal")


def test_printed_cards_lie_face_down_for_the_hub_too() -> None:
    cards = ["ace", "ten"]
    assert is_printed(PRINTED)
    assert face_down(PRINTED, cards) == ["?", "?"]
    for setup in OWN:
        assert not is_printed(setup)
        assert face_down(setup, cards) == cards
        assert face_down(setup, cards) is not cards


def test_an_unknown_card_is_one_of_those_that_nobody_has_seen() -> None:
    assert possible(["ten", "ace", "ten", "six"], ["ten", "six"]) == ["ten", "ace"]
    assert possible(["ten", "ten"], ["ten", "ten", "ace"]) == []
    assert possible(["ten"], []) == ["ten"]


def test_people_shuffle_printed_cards_and_the_hub_its_own() -> None:
    with pytest.raises(StopIteration) as stopped:
        shuffled(course(PRINTED), ("b", "a"), "deck").send(None)
    assert stopped.value.value == ["b", "a"]
    question = shuffled(course(OWN[0]), ("b", "a"), "deck").send(None)
    assert question == Question("shuffle", "", {}, pile="deck", cards=["b", "a"])


def test_the_hub_waits_until_a_seat_says_that_printed_cards_are_laid_out() -> None:
    s, top = course(PRINTED), OneOf(["ace", "ten"])
    waiting = lay_out(s, 2, "Lay out the deck.", top=top)
    question = waiting.send(None)
    assert question == Question(
        "ask", "Lay out the deck.", {2: [offer("laid_out", top=top)]}, "Lay out the deck. Seat 2 says when everything is ready."
    )  # fmt: skip
    assert s.phase == LAY_OUT
    answer = Answer("laid_out", {"top": "ace"})
    with pytest.raises(StopIteration) as stopped:
        waiting.send(answer)
    assert (stopped.value.value, s.phase) == (answer, "deal")


def test_a_layout_without_a_choice_is_confirmed_too_and_others_may_read_something_else() -> None:
    question = lay_out(course(PRINTED), 2, "Lay out the deck.", "Seat 2 is busy.").send(None)
    assert question == Question("ask", "Lay out the deck.", {2: [offer("laid_out")]}, "Seat 2 is busy.")


@pytest.mark.parametrize("setup", OWN)
def test_nobody_lays_out_the_cards_of_the_hub(setup: Setup) -> None:
    s = course(setup)
    with pytest.raises(StopIteration) as stopped:
        lay_out(s, 2, "Lay out the deck.").send(None)
    assert (stopped.value.value, s.phase) == (None, "deal")
