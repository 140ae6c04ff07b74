"""The dummy of Bid & Bait (BB-D01): a seat of the match that nobody plays, with or without a place at the table."""

from __future__ import annotations

import pytest

from hub.ports import Tick
from tests.table.fakes import TableRig
from tests.table.guests import later, put_aside
from tests.table.test_house_seats import play_to_end

SEAT = "3"


@pytest.fixture(params=[2, 3, 6])
def rig(request: pytest.FixtureRequest) -> TableRig:
    """Two people with the dummy at seat 3, at a table that has this many places."""
    rig = TableRig(request.param, boxes=False)
    rig.sit(1, 2)
    rig.start(dummy=True)
    assert rig.state["state"] == "playing"
    assert SEAT in rig.state["view"]["seats"]
    return rig


def test_two_people_play_with_it_to_the_end(rig: TableRig) -> None:
    play_to_end(rig, 1, 2)
    assert rig.state["state"] == "over"
    assert set(rig.state["played"]) == {"1", "2"}
    assert rig.table.fault == ""


def test_a_restarted_hub_goes_on(rig: TableRig) -> None:
    again = TableRig(rig.seats, boxes=False, store=rig.store)
    again.take(Tick())
    assert again.state["state"] == "playing"
    assert again.state["notices"] == []


def test_the_match_can_be_suspended_and_resumed(rig: TableRig) -> None:
    match = put_aside(rig)
    assert rig.say(1, "take_up", {"match": match})["ok"]
    assert rig.state["state"] == "playing"


def test_who_sits_down_at_its_place_neither_plays_nor_votes(rig: TableRig) -> None:
    if rig.seats < 3:
        return
    rig.sit(3)
    assert rig.hand(3)["you"] == {}
    assert not rig.say(3, "ask", {"what": "end"})["ok"]
    assert rig.say(1, "ask", {"what": "end"})["ok"]
    assert rig.state["question"]["voters"] == [1, 2]
    later(rig, 1)
    assert rig.table.fault == ""
