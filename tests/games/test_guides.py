"""Every guide keeps the laws of guides (`hub/authoring/guides.py`)."""

from __future__ import annotations

import pytest

from hub import games
from hub.authoring.guides import GUIDE_LAWS, Law
from hub.engine.event import MatchView
from hub.engine.guide import Lesson, Moment, next_lesson


@pytest.mark.slow
@pytest.mark.parametrize("name", games.names())
@pytest.mark.parametrize("law", GUIDE_LAWS, ids=lambda law: law.__name__)
def test_a_guide_keeps_a_law(name: str, law: Law) -> None:
    law(name)


def test_what_the_room_is_told_does_not_depend_on_what_a_seat_is_offered() -> None:
    """A lesson that is bound to moves is for the seat that is asked; the room is told of no such thing."""
    lesson = Lesson("x", "choices", "R", say="You may pay.", all="Somebody may pay.", asks=["pay"])
    view: MatchView = {"game": "x", "round": 1, "phase": "take", "table": {}, "seats": {}, "waiting": {}}
    moment = Moment(1, "take", "turn", [2], view, ())
    assert next_lesson([lesson], moment, None, ["pay"], ()) is None
    assert next_lesson([lesson], moment, 2, ["pay"], ()) == (lesson, "asked")
    assert next_lesson([lesson], moment, 2, ["fail"], ()) is None
    assert next_lesson([lesson], moment, 2, ["pay"], {("x", "asked")}) is None
