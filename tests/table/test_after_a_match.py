"""After a match: its result, and the seats of those who have gone."""

from __future__ import annotations

import pytest

from hub.ports import Tick
from hub.table.dice.dispute import ASK_SECONDS as DISPUTE_SECONDS
from hub.table.people.endings import IDLE_SECONDS
from hub.table.seating.seat_list import ACTIVE_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import later, pass_time, sleep, staff
from tests.table.test_dispute import GAMES, read
from tests.table.test_house_seats import alone, play_to_end


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


def test_a_result_without_phones_is_shown_for_the_idle_time_and_no_longer() -> None:
    rig = finished()
    rig.say(1, "help")
    sleep(rig, 1)
    later(rig, IDLE_SECONDS - 1)
    assert rig.state["state"] == "over"
    later(rig, 1)
    assert rig.state["state"] == "lobby"


@pytest.mark.parametrize("seconds", [1, IDLE_SECONDS + 2])
@pytest.mark.parametrize("played", [False, True])
def test_a_second_in_which_nothing_happens_between_matches_sends_nothing_to_the_phones(
    played: bool, seconds: float
) -> None:
    rig = finished() if played else TableRig(boxes=False)
    sleep(rig, *rig.sids)
    later(rig, 1)
    later(rig, seconds)
    before = len(rig.phones.public)
    pass_time(rig, 5)
    assert len(rig.phones.public) == before


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


def test_the_same_match_begins_again_with_its_options_once_it_is_over() -> None:
    rig = alone()
    assert rig.say(1, "again")["error"] == "There is no finished match to play again."
    rig.start(bait_supply=10)
    assert rig.say(1, "again")["error"] == "There is no finished match to play again."
    play_to_end(rig)
    assert rig.say(1, "again")["ok"]
    assert rig.state["state"] == "playing"
    assert rig.table.match
    assert rig.table.match.setup.options["bait_supply"] == 10


def test_a_box_starts_another_match_after_a_result_although_the_others_are_not_ready() -> None:
    rig = TableRig(3, offered=[GAMES["rolls"]])
    rig.boxes_up()
    rig.sit()
    rig.start("rolls")
    for faces in ([1] * 6, [1] * 2, [6]):
        read(rig, *faces)
    later(rig, DISPUTE_SECONDS)
    assert rig.state["state"] == "over"
    rig.press(2, "push")
    assert rig.state["state"] == "over"
    rig.press(2, "push")
    assert rig.state["state"] == "playing"


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
