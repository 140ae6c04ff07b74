"""After a match: its result, and the seats of those who have gone."""

from __future__ import annotations

import pytest

from hub.ports import Tick
from hub.table.people.endings import IDLE_SECONDS
from hub.table.seating.seat_list import ACTIVE_SECONDS
from tests.table.fakes import TableRig
from tests.table.test_house_seats import alone, play_to_end
from tests.table.test_people import pass_time, sleep, staff


def finished() -> TableRig:
    """Return a table at which one person and the house have played Bid & Bait! to its end."""
    rig = alone()
    rig.start()
    play_to_end(rig)
    return rig


def test_a_result_names_who_played_whoever_sits_there_by_now() -> None:
    rig = finished()
    played = {"1": "Guest 1", "2": "House 2", "3": "House 3"}
    assert rig.state["played"] == played
    rig.say_leave(1)
    rig.claim(2, rig.code(2), "Late")
    assert [seat["name"] for seat in rig.state["seats"]] == ["", "Late", "House 3"]
    assert rig.state["played"] == played


def test_a_result_that_nobody_looks_at_makes_room_for_the_lobby() -> None:
    rig = finished()
    pass_time(rig, IDLE_SECONDS + 1)
    assert rig.state["state"] == "over", "a phone still shows it"
    rig.press(1, "bar")  # somebody does something
    sleep(rig, 1)
    rig.table._notices.post("restarted", "This was said of the match.")
    pass_time(rig, IDLE_SECONDS - 2)
    assert rig.state["state"] == "over"
    rig.clock.time += 3
    rig.take(Tick())
    assert (rig.state["state"], rig.state["over"], rig.state["played"]) == ("lobby", None, {})
    assert rig.state["notices"] == [], "what was said of the match goes with it"


@pytest.mark.parametrize(("again", "state"), [(True, "over"), (False, "lobby")])
def test_a_result_stays_while_a_phone_without_a_link_still_does_something(again: bool, state: str) -> None:
    """The match has ended, so anybody at the table counts, and not its players only."""
    rig = finished()
    pass_time(rig, IDLE_SECONDS - 1)
    if again:
        rig.say(1, "help")
    sleep(rig, 1)
    pass_time(rig, 2)
    assert rig.state["state"] == state


@pytest.mark.parametrize("verb", ["aside", "end"])
def test_a_match_that_is_over_is_neither_suspended_nor_ended(verb: str) -> None:
    rig = finished()
    result = rig.store.results["m-1"]
    assert staff(rig, verb) == (False, "No match is under way.")
    assert (rig.state["state"], rig.store.results["m-1"], rig.store.people_aside) == ("over", result, {})


def test_a_box_that_nobody_touches_is_freed_between_matches_and_one_that_was_touched_is_not() -> None:
    rig = TableRig(4)
    rig.boxes_up()
    rig.sit(1)
    rig.press(3, "push")
    refused = rig.say(1, "free", {"seat": 3})
    assert (refused["ok"], refused["error"]) == (
        False,
        "Its box was touched in the last three minutes: somebody sits there.",
    )
    pass_time(rig, ACTIVE_SECONDS)
    assert rig.say(1, "free", {"seat": 3})["ok"]
    assert not rig.state["seats"][2]["held"]
    rig.press(3, "push")
    assert rig.state["seats"][2]["held"], "whoever comes to it sits down as ever"
