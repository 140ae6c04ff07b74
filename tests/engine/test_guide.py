"""When each lesson is told, and to whom."""

from __future__ import annotations

from typing import Any

import pytest

from hub.engine.decision import Decision, Kind, Roll, offer
from hub.engine.event import MatchView
from hub.engine.guide import Lesson, Moment, To, moment_of, next_lesson

VIEW: MatchView = {
    "game": "ladder",
    "round": 2,
    "phase": "climb",
    "table": {"stake": {"now": 3, "before": 0}},
    "seats": {"1": {"out": True}, "2": {"out": False}},
    "waiting": {"seats": ["1", "3"]},
}
MOMENT = Moment(2, "climb", "turn", [1, 3], VIEW, ["fall", "rise"])
"""Seats 1 and 3 are asked; seat 2 and the room look on."""


def lesson(key: str = "a", **more: Any) -> Lesson:
    return Lesson(key, "main", **{"rule": f"R-{key}", "say": "You.", "all": "All.", "until": 2, **more})


def told(
    seat: int | None, *lessons: Lesson, moves: tuple[str, ...] = (), known: tuple[tuple[str, To], ...] = ()
) -> tuple[str, str] | None:
    """The key of the lesson that is told at the moment, and to whom."""
    found = next_lesson(lessons, MOMENT, seat, moves, known)
    return (found[0].key, found[1]) if found else None


# --- the moment ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "comes"),
    [
        ({}, True),
        ({"until": 3}, True),
        ({"until": 1}, False),
        ({"phase": ["rest", "climb"]}, True),
        ({"phase": ["rest"]}, False),
        ({"kind": "turn"}, True),
        ({"kind": "roll"}, False),
        ({"event": ["fall"]}, True),
        ({"event": ["slip", "rise"]}, True),
        ({"event": ["slip"]}, False),
        ({"when": "table.stake.now"}, True),
        ({"when": "table.stake.before"}, False),
        ({"when": "seats.1.out"}, True),
        ({"when": "seats.2.out"}, False),
        ({"when": "phase"}, True),
        ({"when": "table.hoard"}, False),
        ({"when": "table.hoard.now"}, False),
        ({"when": "phase.climb"}, False),
        ({"phase": ["climb"], "kind": "turn", "event": ["rise"], "when": "table.stake", "until": 2}, True),
        ({"phase": ["climb"], "kind": "turn", "event": ["rise"], "when": "table.hoard", "until": 2}, False),
    ],
)
def test_a_lesson_comes_when_all_its_conditions_hold(conditions: dict[str, Any], comes: bool) -> None:
    for seat, to in ((1, "asked"), (2, "all"), (None, "all")):
        assert told(seat, lesson(**conditions)) == (("a", to) if comes else None)


@pytest.mark.parametrize(
    ("kind", "asked", "roll", "wanted"),
    [
        ("ask", [2], None, ("turn", [2])),
        ("sealed", [3, 1], None, ("sealed", [3, 1])),
        ("roll", [], Roll(4, 1, 6, "luck"), ("roll", [4])),
        ("roll", [2], Roll(4, 1, 6, "luck"), ("roll", [2])),
    ],
)
def test_a_moment_says_what_is_asked_of_whom(
    kind: Kind, asked: list[int], roll: Roll | None, wanted: tuple[str, list[int]]
) -> None:
    decision = Decision(7, kind, "Go.", {seat: [offer("go")] for seat in asked}, roll)
    moment = moment_of(decision, 2, VIEW, ["fall"])
    assert moment
    assert (moment.kind, moment.asked) == wanted
    assert (moment.round, moment.phase, moment.view, moment.events) == (2, "climb", VIEW, ["fall"])


@pytest.mark.parametrize("kind", ["shuffle", "pick"])
def test_what_chance_decides_is_no_moment(kind: Kind) -> None:
    assert moment_of(Decision(7, kind, "", {}), 2, VIEW, []) is None


# --- to whom ---------------------------------------------------------------------------------------------


def test_the_asked_seats_are_told_one_thing_and_everybody_else_another() -> None:
    for seat, to in ((1, "asked"), (2, "all"), (3, "asked"), (None, "all")):
        assert told(seat, lesson()) == ("a", to)


def test_a_lesson_for_the_room_alone_is_told_to_the_asked_seat_too() -> None:
    for seat in (1, 2, None):
        assert told(seat, lesson(say="")) == ("a", "all")


def test_a_lesson_for_the_asked_seat_alone_is_told_to_nobody_else() -> None:
    assert [told(seat, lesson(all="")) for seat in (1, 2, None)] == [("a", "asked"), None, None]


def test_a_lesson_is_told_once_and_then_the_next() -> None:
    both = lesson("a"), lesson("b")
    assert told(1, *both) == ("a", "asked")
    assert told(1, *both, known=(("a", "asked"),)) == ("b", "asked")
    assert told(1, *both, known=(("a", "all"),)) == ("a", "asked")
    assert told(1, *both, known=(("a", "asked"), ("b", "asked"))) is None
    assert told(2, *both) == ("a", "all")
    assert told(2, *both, known=(("a", "all"),)) == ("b", "all")
    assert told(2, *both, known=(("a", "all"), ("b", "all"))) is None


def test_lessons_for_the_asked_seat_come_before_those_for_all() -> None:
    room, own = lesson("a", say=""), lesson("b")
    assert told(1, room, own) == ("b", "asked")
    assert told(1, room, own, known=(("b", "asked"),)) == ("a", "all")
    assert told(2, room, own) == ("a", "all")


def test_a_seat_that_was_told_a_rule_is_not_told_it_again_as_one_of_all() -> None:
    own, room, other = lesson("a", rule="R-1"), lesson("b", rule="R-1", say=""), lesson("c", rule="R-2", say="")
    assert told(2, own, room, other, known=(("a", "asked"),)) == ("c", "all")
    assert told(2, room, other, own, known=(("a", "asked"),)) == ("c", "all")
    assert told(2, own, room, other, known=(("a", "all"),)) == ("b", "all")


def test_a_lesson_about_moves_is_for_an_asked_seat_that_is_offered_one_of_them() -> None:
    one = lesson(asks=["pay", "owe"])
    assert told(1, one, moves=("rest", "owe")) == ("a", "asked")
    assert told(1, one, moves=("rest",)) is None
    assert told(1, one) is None
    assert told(1, one, lesson("b"), moves=("rest",)) == ("b", "asked")
    assert told(2, one, moves=("pay",)) is None
    assert told(None, one, moves=("pay",)) is None
    assert told(2, one, lesson("b"), moves=("pay",)) == ("b", "all")
