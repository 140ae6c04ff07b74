"""What must not follow from a phone that loses its network, a person who walks off, a newcomer, or a power cut."""

from __future__ import annotations

import pytest

from hub import games
from hub.ports import StaffRequest
from hub.table.dice.roll_states import TYPED_SECONDS
from hub.table.people.absence import ASK_SECONDS
from hub.table.people.endings import IDLE_SECONDS
from hub.table.seating.questions import VOTE_SECONDS
from hub.table.seating.seats import LEFT_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import bring_on, pass_time, question, sleep, wake


@pytest.fixture
def four() -> TableRig:
    """Four phones without boxes in a match of Bid & Bait!"""
    rig = TableRig(4, boxes=False)
    rig.sit()
    rig.start()
    return rig


def asked_about(rig: TableRig, seat: int) -> None:
    """Let a seat's phone be gone for so long that a new one may ask for it."""
    sleep(rig, seat)
    pass_time(rig, ASK_SECONDS - 1)
    rig.claim(seat, None, "Mal")
    pass_time(rig, 1)
    rig.claim(seat, None, "Mal")


# --- votes -----------------------------------------------------------------------------------------------


def test_a_phone_that_is_gone_for_a_second_keeps_its_voice_about_a_hand(four: TableRig) -> None:
    asked_about(four, 3)
    assert question(four)["voters"] == [1, 2, 4]
    four.say(1, "vote", {"say": "yes"})
    four.say(2, "vote", {"say": "yes"})
    sleep(four, 4)
    pass_time(four, 2)
    assert not any(decided.held and decided.sid not in four.sids.values() for decided in four.decided)
    assert question(four)["voters"] == [1, 2, 4]
    wake(four, 4)
    assert four.say(4, "vote", {"say": "no"})["ok"]
    assert not four.decided[-1].held


def test_a_match_is_not_ended_in_the_moment_in_which_a_phone_sleeps(four: TableRig) -> None:
    four.say(1, "ask", {"what": "end"})
    four.say(2, "vote", {"say": "yes"})
    four.say(3, "vote", {"say": "yes"})
    sleep(four, 4)
    pass_time(four, VOTE_SECONDS)
    assert (four.state["state"], question(four)) == ("playing", None)


def test_who_has_left_the_table_has_no_voice_any_more(four: TableRig) -> None:
    four.say(1, "ask", {"what": "end"})
    four.say(2, "vote", {"say": "yes"})
    four.say(3, "vote", {"say": "yes"})
    four.say_leave(4)
    pass_time(four, 1)
    assert four.state["state"] == "lobby"


def test_the_next_person_at_a_seat_does_not_rest_for_the_last_one(four: TableRig) -> None:
    four.say(1, "ask", {"what": "end"})
    four.say(2, "vote", {"say": "no"})
    assert "ask again" in four.say(1, "ask", {"what": "put_aside"})["error"]
    four.say_leave(1)
    four.say(2, "code", {"seat": 1})
    four.sit_again(1, [])
    assert four.say(1, "ask", {"what": "put_aside"})["ok"]


def test_the_next_group_asks_at_once(four: TableRig) -> None:
    four.say(1, "ask", {"what": "end"})
    four.say(2, "vote", {"say": "no"})
    four.take(StaffRequest("reset", {"match": "end"}, lambda *_: None))
    four.sit()
    four.start()
    assert four.say(1, "ask", {"what": "put_aside"})["ok"]


def test_a_newcomer_may_let_the_others_wait_but_nobody_holds_a_start_up_by_sitting_down_anew() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()

    def let_wait() -> bool:
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        ok: bool = rig.say(3, "wait")["ok"]
        return ok

    assert [let_wait() for _ in range(3)] == [True, True, False]
    waited = 2
    while waited < 40:
        rig.say_leave(3)
        rig.sit(3)
        if not let_wait():
            break
        waited += 1
        if not let_wait():
            break
        waited += 1
    assert 4 <= waited <= 12


# --- nobody is there ---------------------------------------------------------------------------------------


def test_typed_dice_count_after_a_minute_in_which_nobody_says_no() -> None:
    rig = TableRig(2, boxes=False, offered=[games.find("bid-and-bait")])
    rig.sit()
    rig.start()
    while not rig.state["dice"]:
        for seat in (1, 2):
            bring_on(rig, seat)
    roller = rig.state["dice"]["seat"]
    faces = [1] * rig.state["dice"]["count"]
    while rig.state["dice"] and rig.state["dice"]["state"] != "typed":
        assert rig.say(roller, "roll", {"faces": faces[:6]})["ok"]
    before = len(rig.match.log)
    pass_time(rig, TYPED_SECONDS - 1)
    assert (rig.state["dice"]["state"], len(rig.match.log)) == ("typed", before)
    assert not rig.say(roller, "dice", {"say": "accept"})["ok"]
    pass_time(rig, 1)
    assert rig.state["dice"] is None or rig.state["dice"]["state"] != "typed"


def test_what_somebody_who_does_not_play_asks_keeps_no_match_alive() -> None:
    rig = TableRig(4, boxes=False)
    rig.sit(1, 2, 3)
    rig.start()
    rig.sit(4)
    sleep(rig, 1, 2, 3)
    wake(rig, 1)
    for _ in range(int(IDLE_SECONDS / 10) + 2):
        pass_time(rig, 10)
        rig.say(4, "undo")
    assert rig.state["state"] == "lobby"


# --- power cuts --------------------------------------------------------------------------------------------


def restarted(rig: TableRig) -> TableRig:
    again = TableRig(rig.seats, boxes=False, store=rig.store)
    again.sids = rig.sids
    return again


def test_a_wish_and_who_is_ready_outlive_a_power_cut() -> None:
    rig = TableRig(3, boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    assert rig.say(2, "wish", {"game": "bid-it"})["ok"]
    assert rig.say(3, "ready", {"ready": True})["ok"]
    again = TableRig(3, boxes=False, store=rig.store, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    assert [seat["wish"] for seat in again.state["seats"]] == ["", "bid-it", ""]
    assert [seat["ready"] for seat in again.state["seats"]] == [False, False, True]
    assert again.state["game"] == "bid-it"


def test_a_pause_outlives_a_power_cut_and_ends_as_ever(four: TableRig) -> None:
    assert four.say(2, "pause")["ok"]
    again = restarted(four)
    assert again.state["paused"] == 2
    wake(again, 1, 2, 3, 4)
    assert again.say(1, "pause")["ok"]
    assert again.state["paused"] is None
    assert restarted(again).state["paused"] is None


def test_a_pause_of_one_match_is_none_of_the_next(four: TableRig) -> None:
    four.say(2, "pause")
    four.say(1, "ask", {"what": "put_aside"})
    four.say(2, "vote", {"say": "yes"})
    four.say(3, "vote", {"say": "yes"})
    assert four.state["state"] == "lobby"
    assert restarted(four).state["paused"] is None


def test_the_house_that_stands_in_by_a_vote_does_so_after_a_power_cut(four: TableRig) -> None:
    sleep(four, 4)
    while not (question(four) and question(four)["kind"] == "absent"):
        for seat in (1, 2, 3):
            bring_on(four, seat)
        pass_time(four, 5)
    four.say(1, "vote", {"say": "house"})
    four.say(2, "vote", {"say": "house"})
    assert four.state["seats"][3]["stands_in"]
    again = restarted(four)
    seat = again.state["seats"][3]
    assert (seat["stands_in"], seat["held"], seat["name"]) == (True, True, "Guest 4")
    assert "4" not in again.page.codes, "it is a person's seat"
    wake(again, 4)
    assert not again.state["seats"][3]["stands_in"]
    assert not restarted(again).state["seats"][3]["stands_in"]


def test_a_phone_without_network_for_a_moment_keeps_its_seat_when_a_match_is_put_aside(four: TableRig) -> None:
    sleep(four, 4)
    pass_time(four, LEFT_SECONDS - 2)
    sleep(four, 3)
    pass_time(four, 2)
    four.take(StaffRequest("aside", {}, lambda *_: None))
    assert [seat["held"] for seat in four.state["seats"]] == [True, True, True, False]
