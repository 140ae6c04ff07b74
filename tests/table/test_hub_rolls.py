"""A table without dice: one choice in the lobby, and the hub rolls all of them."""

from __future__ import annotations

from typing import Any

import pytest

from hub import games
from hub.engine.decision import offer
from hub.ports import Tick
from hub.table.dice.rolls import HUB_CHOICE_SECONDS, HUB_SECONDS
from tests.table.fakes import TableRig
from tests.table.test_pitches import launched, table


def started(*, chosen: bool = True, **options: Any) -> TableRig:
    rig = TableRig(2, reader=False, offered=[games.find("bid-and-bait")])
    rig.boxes_up()
    rig.sit()
    if chosen:
        assert rig.say(1, "hub_rolls", {"on": True})["ok"]
        assert rig.state["hub_rolls"]
    rig.start("bid-and-bait", **options)
    rig.act(1, "bid", number=6)
    rig.act(2, "bid", number=5)
    assert rig.state["dice"]["seat"] == 1
    return rig


def wait(rig: TableRig, seconds: float) -> None:
    rig.clock.time += seconds
    rig.take(Tick())


def test_a_roll_needs_no_tap_and_is_seen_to_be_the_hubs() -> None:
    rig = started()
    assert rig.state["dice"]["say"] == "The hub rolls for Seat 1."
    wait(rig, HUB_SECONDS - 0.1)
    assert rig.state["view"]["phase"] == "roll", "whose roll it is can be read first"
    wait(rig, 0.2)
    assert rig.state["view"]["phase"] != "roll" or rig.state["dice"]["seat"] == 2
    rolls = [event for event in rig.state["events"] if event["kind"] == "roll"]
    assert [event["data"]["read"] for event in rolls] == ["hub"]


def test_the_roller_need_not_wait() -> None:
    rig = started()
    assert not rig.say(2, "dice", {"say": "hub"})["ok"] or rig.state["dice"]["seat"] == 1, "another seat only votes"
    assert rig.say(1, "dice", {"say": "hub"})["ok"]
    assert [event["kind"] for event in rig.state["events"]].count("roll") == 1


def test_without_that_choice_nothing_falls_by_itself() -> None:
    rig = started(chosen=False)
    wait(rig, HUB_CHOICE_SECONDS + 1)
    assert rig.state["dice"]["seat"] == 1
    assert not any(event["kind"] == "roll" for event in rig.state["events"])


def test_who_may_do_something_before_the_roll_has_time_for_it() -> None:
    rig = started()
    decision = rig.table._play.decision
    assert decision
    decision.asked[1] = [offer("use", spot=2)]
    wait(rig, HUB_SECONDS + 0.1)
    assert rig.state["dice"]["seat"] == 1
    wait(rig, HUB_CHOICE_SECONDS)
    assert [event["kind"] for event in rig.state["events"]].count("roll") == 1


def test_it_is_said_between_matches_and_ends_with_the_party() -> None:
    rig = started()
    refused = rig.say(2, "hub_rolls", {"on": False})
    assert (refused["ok"], refused["code"]) == (False, "DICE")
    again = TableRig(2, reader=False, store=rig.store)
    assert again.state["hub_rolls"], "a restart keeps it"
    empty = TableRig(2, reader=False)
    empty.sit()
    assert empty.say(1, "hub_rolls", {"on": True})["ok"]
    empty.say_leave(1)
    assert empty.state["hub_rolls"]
    empty.say_leave(2)
    empty.take(Tick())
    assert not empty.state["hub_rolls"]


def test_nobody_else_acts_during_a_pitch() -> None:
    rig = launched(table(boxes=True))
    for seat in (1, 2, 3):
        refused = rig.act(seat, "abstain")
        assert (refused["code"], refused["error"]) == ("PITCH", "Wait for the end of the pitch.")


@pytest.mark.parametrize("on", [None, 1, "yes"])
def test_nonsense_is_refused(on: object) -> None:
    rig = TableRig(2, reader=False)
    rig.sit()
    assert not rig.say(1, "hub_rolls", {"on": on})["ok"]


def test_the_hub_does_not_roll_again_for_a_roller_who_objects_to_typed_dice() -> None:
    rig = started()
    assert rig.say(1, "roll", {"faces": [1] * rig.state["dice"]["batch"]})["ok"]
    assert rig.say(1, "dice", {"say": "again"})["ok"]
    assert rig.say(1, "dice", {"say": "hub"})["code"] == "DICE"
    wait(rig, HUB_CHOICE_SECONDS)
    assert not any(event["kind"] == "roll" for event in rig.state["events"])
