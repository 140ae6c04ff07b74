"""The match goes on when an awaited seat does not answer, and nobody loses a seat by that."""

from __future__ import annotations

from typing import Any

import pytest

from hub import games
from hub.ports import BoxDown, BoxLocked, BoxUp, HelpRequest, Key, PhoneLink, Turn
from hub.table.people.absence import ASK_HERE_SECONDS, ASK_SECONDS, CALL_SECONDS, OPTIONS
from hub.table.people.house_seats import ROLL_SECONDS, HouseSettings
from hub.table.people.house_seats import SECONDS as HOUSE_SECONDS
from hub.table.people.lobby import START_SECONDS
from hub.table.seating.questions import VOTE_SECONDS, caption
from hub.table.seating.seat_list import ACTIVE_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import (
    bring_on,
    first_asked,
    later,
    lock_all_but,
    pass_time,
    play_first,
    question,
    sleep,
    staff,
    two_put_aside,
    wake,
)


def test_a_sleeper_is_called_then_the_others_decide_and_the_hand_stays_theirs(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    assert phones.state["seats"][2]["presence"] == "away"
    pass_time(phones, CALL_SECONDS)
    assert phones.state["nudged"] == [3]
    pass_time(phones, ASK_SECONDS - CALL_SECONDS)
    asked = question(phones)
    assert (asked["kind"], asked["seat"], asked["voters"]) == ("absent", 3, [1, 2])
    assert phones.say(1, "vote", {"say": "safe"})["ok"]
    assert phones.say(2, "vote", {"say": "safe"})["ok"]
    assert [entry.seat for entry in phones.match.log].count(3) == 1, "once"
    assert not phones.state["seats"][2]["house"]
    wake(phones, 3)
    assert phones.hand(3)["you"]


def test_a_player_asks_about_somebody_who_has_gone_once_they_had_time_to_come_back(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    refused = phones.say(1, "ask", {"what": "absent"})
    assert refused["error"] == "The table is not waiting for anybody who has gone.", "seat 3 is there"
    sleep(phones, 3)
    pass_time(phones, CALL_SECONDS - 1)
    assert phones.say(1, "ask", {"what": "absent"})["error"] == "They may be back in a moment: ask again in 1 s."
    pass_time(phones, 1)
    assert phones.say(1, "ask", {"what": "absent"})["ok"]
    asked = question(phones)
    assert (asked["kind"], asked["seat"], asked["voters"]) == ("absent", 3, [1, 2])
    assert asked["votes"] == {}, "whoever asks has not yet said what to do"
    assert not phones.say(2, "ask", {"what": "absent"})["ok"], "it is asked already"
    for seat in (1, 2):
        assert phones.say(seat, "vote", {"say": "wait"})["ok"]
    refused = phones.say(1, "ask", {"what": "absent"})
    assert "you may ask again in 60 s" in refused["error"], "the others have just answered"
    assert phones.say(1, "ask", {"what": "put_aside"})["ok"], "that is another matter"
    assert not phones.say(2, "ask", {"what": "absent"})["ok"], "another question is open"
    assert question(phones)["kind"] == "put_aside"


def test_a_question_of_a_player_delays_the_one_of_the_table_no_more(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, CALL_SECONDS)
    assert phones.say(1, "ask", {"what": "absent"})["ok"]
    pass_time(phones, VOTE_SECONDS)
    assert question(phones) is None, "nobody has answered"
    pass_time(phones, ASK_SECONDS - CALL_SECONDS - VOTE_SECONDS)
    assert question(phones)["kind"] == "absent"


@pytest.mark.parametrize("why", ["nothing is asked of them", "a pause", "between matches"])
def test_nobody_asks_about_somebody_whom_the_table_does_not_wait_for(phones: TableRig, why: str) -> None:
    lock_all_but(phones, 3)
    if why == "nothing is asked of them":
        sleep(phones, 2)  # has locked
    else:
        sleep(phones, 3)
    pass_time(phones, CALL_SECONDS)
    if why == "a pause":
        assert phones.say(1, "pause")["ok"]
    if why == "between matches":
        two_put_aside(phones)
    assert not phones.say(1, "ask", {"what": "absent"})["ok"]
    assert question(phones) is None


@pytest.mark.parametrize(("before", "safe"), [({"move": "bid", "quantity": 9, "rank": 1}, "challenge"), (None, "bid")])
def test_the_safe_move_is_the_one_of_the_bar_if_there_is_one(before: dict[str, Any] | None, safe: str) -> None:
    """After a bid, BID*IT! offers `perfecto` and `draw` after `challenge`, which is the move of the bar."""
    rig = TableRig(3, boxes=False, offered=[games.find("bid-it")])
    rig.sit()
    rig.start("bid-it")
    if before:
        assert rig.say(first_asked(rig), "act", before)["ok"]
    asked = first_asked(rig)
    sleep(rig, asked)
    pass_time(rig, ASK_SECONDS)
    for seat in {1, 2, 3} - {asked}:
        assert rig.say(seat, "vote", {"say": "safe"})["ok"]
    assert next(one for one in reversed(rig.match.log) if one.seat == asked).move == safe


def test_nobody_is_called_while_most_are_still_choosing_nor_the_moment_they_are_the_last(phones: TableRig) -> None:
    pass_time(phones, 2 * CALL_SECONDS)
    assert phones.state["nudged"] == [], "nobody has acted"
    play_first(phones, 1)
    pass_time(phones, 2 * CALL_SECONDS)
    assert phones.state["nudged"] == [], "most are still choosing"
    play_first(phones, 2)
    pass_time(phones, CALL_SECONDS - 1)
    assert phones.state["nudged"] == []
    pass_time(phones, 1)
    assert phones.state["nudged"] == [3]
    pass_time(phones, 5)
    assert phones.state["nudged"] == [3], "once"


def test_a_seat_is_called_twenty_seconds_after_the_others_have_locked_for_good(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    pass_time(phones, CALL_SECONDS - 5)
    assert phones.say(2, "undo")["ok"]
    pass_time(phones, CALL_SECONDS)
    assert phones.state["nudged"] == [], "seat 2 chooses once more"
    play_first(phones, 2)
    pass_time(phones, CALL_SECONDS - 1)
    assert phones.state["nudged"] == []
    pass_time(phones, 1)
    assert phones.state["nudged"] == [3]


def test_the_last_two_of_four_are_called_and_the_last_three_are_not() -> None:
    rig = TableRig(4, boxes=False)
    rig.sit()
    rig.start()
    play_first(rig, 1)
    pass_time(rig, 2 * CALL_SECONDS)
    assert rig.state["nudged"] == []
    play_first(rig, 4)
    pass_time(rig, CALL_SECONDS)
    assert rig.state["nudged"] == [2, 3]


def test_nobody_is_called_for_the_house_or_for_people_who_have_left() -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seats=1, seconds=0.1))
    rig.sit(1, 2)
    rig.start()
    pass_time(rig, 5)
    rig.say_leave(2)
    pass_time(rig, 2 * CALL_SECONDS)
    assert rig.state["locked"] == [3]
    assert rig.state["nudged"] == []


def test_a_question_to_one_seat_calls_it_when_the_others_wait(boxed: TableRig) -> None:
    (asked,) = boxed.state["view"]["waiting"]["seats"]
    pass_time(boxed, CALL_SECONDS - 1)
    assert boxed.state["nudged"] == []
    pass_time(boxed, 1)
    assert boxed.state["nudged"] == [int(asked)]


def test_the_house_plays_until_its_seat_is_back(phones: TableRig) -> None:
    sleep(phones, 3)
    lock_all_but(phones, 3)
    pass_time(phones, ASK_SECONDS)
    for seat in (1, 2):
        phones.say(seat, "vote", {"say": "house"})
    assert phones.state["seats"][2]["house"]
    for _ in range(30):
        for seat in (1, 2):
            bring_on(phones, seat)
        pass_time(phones, HOUSE_SECONDS + 1)
    assert [entry.seat for entry in phones.match.log].count(3) >= 3
    wake(phones, 3)
    assert not phones.state["seats"][2]["house"]
    before = len(phones.match.log)
    pass_time(phones, 10 * HOUSE_SECONDS)
    assert len(phones.match.log) == before, "nobody plays for who is there"


def test_a_player_who_comes_back_while_the_disk_fails_plays_at_once(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    for seat in (1, 2):
        phones.say(seat, "vote", {"say": "house"})
    assert phones.state["seats"][2]["stands_in"]
    phones.store.broken = "no space"
    wake(phones, 3)
    assert (phones.state["state"], phones.state["seats"][2]["stands_in"]) == ("playing", False)


def test_a_seat_that_was_called_is_called_again_for_its_next_decision_and_not_sooner() -> None:
    rig = TableRig(boxes=False, offered=[games.find("bid-it")])
    rig.sit()
    rig.start("bid-it")
    first = first_asked(rig)
    pass_time(rig, CALL_SECONDS)
    assert rig.state["nudged"] == [first]
    play_first(rig, first)
    assert first_asked(rig) != first
    for _ in range(20):
        if first_asked(rig) == first:
            break
        bring_on(rig, first_asked(rig))
    assert first_asked(rig) == first
    assert rig.state["nudged"] == []
    pass_time(rig, CALL_SECONDS)
    assert rig.state["nudged"] == [first]


def test_people_who_have_left_count_neither_as_waiting_nor_as_waited_for(phones: TableRig) -> None:
    phones.say_leave(3)
    play_first(phones, 1)
    pass_time(phones, CALL_SECONDS - 1)
    assert phones.state["nudged"] == []
    pass_time(phones, 1)
    assert phones.state["nudged"] == [2], "one of the two who are left waits for it"


def test_the_house_that_stands_in_waits_for_nobody() -> None:
    rig = TableRig(4, boxes=False, offered=[games.find("goofspiel")], house=HouseSettings(seconds=0.1))
    rig.sit()
    rig.start("goofspiel")
    sleep(rig, 3, 4)
    lock_all_but(rig, 3, 4)
    for _ in range(int(3 * ASK_SECONDS)):
        for seat in (1, 2) if question(rig) else ():
            rig.say(seat, "vote", {"say": "house"})
        pass_time(rig, 1)
        if rig.state["seats"][2]["stands_in"] and rig.state["seats"][3]["stands_in"]:
            break
    pass_time(rig, 3)
    assert sorted(rig.state["locked"]) == [3, 4], "the next round"
    pass_time(rig, CALL_SECONDS + 1)
    assert rig.state["nudged"] == []


@pytest.mark.parametrize("asleep", [False, True])
def test_nothing_is_played_for_the_only_person_whether_they_think_or_are_away(asleep: bool) -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seats=2, seconds=0.1))
    rig.sit(1)
    rig.start()
    if asleep:
        sleep(rig, 1)
    pass_time(rig, 3 * ASK_HERE_SECONDS)
    assert rig.state["state"] == "playing"
    assert 1 not in [entry.seat for entry in rig.match.log]


def test_what_was_voted_about_an_absent_player_does_not_count_against_another_phone_at_that_seat(
    phones: TableRig,
) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert phones.say(1, "vote", {"say": "house"})["ok"]
    assert question(phones)["votes"] == {"1": "house"}
    phones.claim(3, phones.table._seats[3].code)
    assert question(phones)["votes"] == {}, "until it connects, it is a question of its own"
    phones.take(PhoneLink(phones.decided[-1].sid, True))
    assert question(phones) is None


def test_a_box_that_is_plugged_in_again_is_waited_for_as_for_anybody_who_is_there(boxed: TableRig) -> None:
    asked = first_asked(boxed)
    others = [seat for seat in (1, 2, 3) if seat != asked]
    boxed.take(BoxDown(f"box-{asked}", "unplugged"))
    pass_time(boxed, ASK_SECONDS)
    for seat in others:
        boxed.press(seat, "k2")
    assert [entry.seat for entry in boxed.match.log].count(asked) == 1, "it plays safe"
    boxed.take(BoxUp(f"box-{asked}", "b2", "1", 8))
    for _ in range(20):
        if first_asked(boxed) == asked:
            break
        boxed.take(Turn(f"box-{first_asked(boxed)}", 1))
        boxed.press(first_asked(boxed), "push")
    assert first_asked(boxed) == asked
    pass_time(boxed, ASK_SECONDS + 1)
    assert [entry.seat for entry in boxed.match.log].count(asked) == 1
    assert question(boxed) is None


def test_who_comes_back_is_not_played_for(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    wake(phones, 3)
    assert question(phones) is None


def test_a_pause_stops_the_wait_for_a_seat_and_ends_what_was_asked_about_it(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert question(phones)["kind"] == "absent"
    assert phones.say(1, "pause")["ok"]
    assert question(phones) is None
    pass_time(phones, 5 * ASK_SECONDS)
    assert phones.say(2, "pause")["ok"]
    assert phones.state["paused"] is None
    pass_time(phones, ASK_SECONDS - 1)
    assert question(phones) is None, "the wait begins again with the end of the pause"
    pass_time(phones, 1)
    assert question(phones)["kind"] == "absent"


def test_a_seat_is_called_twenty_seconds_after_a_pause_and_not_at_once(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    phones.say(1, "pause")
    pass_time(phones, 5 * CALL_SECONDS)
    phones.say(1, "pause")
    pass_time(phones, CALL_SECONDS - 1)
    assert phones.state["nudged"] == []
    pass_time(phones, 1)
    assert phones.state["nudged"] == [3]


def test_a_pause_ends_even_while_the_disk_fails(phones: TableRig) -> None:
    assert phones.say(2, "pause")["ok"]
    phones.store.broken = "no space"
    assert phones.say(1, "pause")["ok"]
    assert (phones.state["state"], phones.state["paused"]) == ("playing", None)


def test_the_table_wakes_when_the_house_is_to_play_and_not_in_a_pause() -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seats=1, seconds=0.5))
    rig.sit(1, 2)
    rig.start()
    assert rig.table.wait_seconds() < 1.0
    assert rig.say(1, "pause")["ok"]
    assert rig.table.wait_seconds() == 1.0


def test_a_pause_outlives_a_restart_until_somebody_ends_it(phones: TableRig) -> None:
    assert phones.say(2, "pause")["ok"]
    again = TableRig(boxes=False, store=phones.store)
    assert again.state["paused"] == 2
    again.sids = phones.sids
    wake(again, 1, 2, 3)
    assert again.say(1, "pause")["ok"]
    assert TableRig(boxes=False, store=phones.store).state["paused"] is None


def test_nobody_is_called_or_asked_about_while_the_disk_fails(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    phones.store.broken = "no space"
    phones.say(1, "name", {"name": "Ada"})
    for _ in range(2):
        phones.clock.time += ASK_HERE_SECONDS
        phones.take(HelpRequest())
    assert (phones.state["state"], phones.state["nudged"], question(phones)) == ("stopped", [], None)


def test_a_seat_that_sleeps_is_asked_about_although_one_before_it_is_there_and_thinks() -> None:
    rig = TableRig(4, boxes=False)
    rig.sit()
    rig.start()
    lock_all_but(rig, 2, 3)
    sleep(rig, 3)
    pass_time(rig, ASK_SECONDS)
    assert (question(rig)["kind"], question(rig)["seat"], question(rig)["voters"]) == ("absent", 3, [1, 2, 4])


def test_only_a_seat_of_the_match_has_paused_it_after_a_restart(phones: TableRig) -> None:
    phones.say(2, "pause")
    phones.store.kept["1", "paused"] = b"4"  # as a match of other seats left it
    assert TableRig(4, boxes=False, store=phones.store).state["paused"] is None


def test_a_lock_of_somebody_else_does_not_make_the_wait_for_a_seat_longer(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS - 5)
    lock_all_but(phones, 3)
    pass_time(phones, 5)
    assert (question(phones)["kind"], question(phones)["seat"]) == ("absent", 3)


def test_after_a_vote_to_wait_the_others_are_asked_after_twice_the_time(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    for patience in (ASK_SECONDS, 2 * ASK_SECONDS, 2 * ASK_SECONDS):
        pass_time(phones, patience - 1)
        assert question(phones) is None
        pass_time(phones, 1)
        assert question(phones)["kind"] == "absent"
        for seat in (1, 2):
            assert phones.say(seat, "vote", {"say": "wait"})["ok"]
    assert phones.state["locked"] == [1, 2]


def test_a_seat_that_was_there_when_the_others_played_safe_for_it_is_asked_about_the_next_time(
    phones: TableRig,
) -> None:
    """Only for a seat that was away, they have said so for the rest of its absence."""
    lock_all_but(phones, 3)
    pass_time(phones, ASK_HERE_SECONDS)
    for seat in (1, 2):
        assert phones.say(seat, "vote", {"say": "safe"})["ok"]
    assert phones.state["dice"]["seat"] == 3, "and it is asked for the first roll"
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS - 1)
    assert not phones.state["dice"]["faces"], "nobody has said that the hub rolls for it"
    pass_time(phones, 1)
    assert question(phones)["kind"] == "absent"


def test_a_seat_that_was_back_in_between_is_asked_about_as_soon_as_the_first_time(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS + VOTE_SECONDS)
    assert question(phones) is None, "silence has waited"
    wake(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert question(phones)["kind"] == "absent"


@pytest.mark.parametrize("then", ["plays on", "another match", "put aside and resumed"])
def test_that_a_seat_is_to_be_waited_for_counts_until_its_match_leaves_the_table(phones: TableRig, then: str) -> None:
    """The phone of seat 3 is on, but nobody uses it; the others have waited for it once, and then play safe for it."""
    lock_all_but(phones, 3)
    pass_time(phones, ASK_HERE_SECONDS)
    assert question(phones)["voters"] == [1, 2], "nobody is asked about themselves"
    for seat in (1, 2):
        phones.say(seat, "vote", {"say": "wait"})
    if then == "put aside and resumed":
        two_put_aside(phones)
        assert phones.say(1, "take_up", {"match": "m-1"})["ok"]
    elif then == "another match":
        assert staff(phones, "end")[0]
        phones.say(1, "start", {"game": "bid-and-bait", "options": {}})
        phones.say(2, "ready")
        pass_time(phones, START_SECONDS)
        assert "3" in phones.state["view"]["seats"]
    else:
        pass_time(phones, 2 * ASK_HERE_SECONDS)
        for seat in (1, 2):
            phones.say(seat, "vote", {"say": "safe"})
    for _ in range(20):
        for seat in (1, 2):
            bring_on(phones, seat)
        decision = phones.match.open
        if decision and [one for one in decision.asked if one not in decision.answers] == [3]:
            break
        pass_time(phones, 1)
    pass_time(phones, ASK_HERE_SECONDS + 1)
    assert (question(phones) is not None) is (then != "plays on")


def test_a_question_about_a_seat_ends_when_its_decision_is_taken_back() -> None:
    rig = TableRig(boxes=False, offered=[games.find("bid-it")])
    rig.sit()
    rig.start("bid-it")
    play_first(rig, first_asked(rig))
    absent = first_asked(rig)
    sleep(rig, absent)
    pass_time(rig, ASK_SECONDS)
    assert (question(rig)["kind"], question(rig)["seat"]) == ("absent", absent)
    assert staff(rig, "undo", after=rig.state["events"][-1]["n"])[0]
    assert first_asked(rig) != absent
    assert question(rig) is None


def test_a_touch_of_the_box_ends_the_question_about_its_seat_for_everybody(boxed: TableRig) -> None:
    asked = first_asked(boxed)
    pass_time(boxed, ASK_HERE_SECONDS)
    assert (question(boxed)["kind"], question(boxed)["seat"]) == ("absent", asked)
    boxed.take(Turn(f"box-{asked}", 1))
    assert question(boxed) is None
    pass_time(boxed, ASK_HERE_SECONDS - 1)
    assert question(boxed) is None, "somebody is there, and thinks"
    pass_time(boxed, 1)
    assert question(boxed)["seat"] == asked


def test_a_lock_in_the_box_of_a_sleeping_phone_ends_the_question_about_its_seat() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    play_first(rig, 1)
    sleep(rig, 3)
    pass_time(rig, ASK_SECONDS)
    assert question(rig)["seat"] == 3
    rig.take(BoxLocked("box-3", rig.boxes.rounds["box-3"].round))
    assert question(rig) is None
    assert rig.state["seats"][2]["presence"] == "here"


def test_what_is_played_for_a_seat_that_plays_safe_is_shown_at_once(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    for seat in (1, 2):
        assert phones.say(seat, "vote", {"say": "safe"})["ok"]
    assert phones.state["dice"]["seat"] == 3, "and it is asked for the first roll"
    pass_time(phones, CALL_SECONDS - 1)
    assert not phones.state["dice"]["faces"]
    pass_time(phones, 1)
    assert phones.state["dice"] is None or phones.state["dice"]["seat"] != 3 or phones.state["dice"]["faces"]
    assert phones.state["stood_in"]


def test_a_single_player_left_brings_the_table_on(phones: TableRig) -> None:
    lock_all_but(phones, 2, 3)
    sleep(phones, 2, 3)
    for _ in range(2):
        pass_time(phones, ASK_SECONDS + 1)
        assert phones.say(1, "vote", {"say": "house"})["ok"]
    pass_time(phones, 2 * HOUSE_SECONDS + 2 + ROLL_SECONDS)
    decision = phones.match.open
    assert decision
    assert 1 in decision.asked or (decision.roll and decision.roll.seat == 1), "the two others have answered"


@pytest.mark.parametrize(
    ("presence", "how"), [("here", "has not answered"), ("asleep", "is asleep"), ("away", "is away")]
)
def test_the_others_are_told_how_a_seat_is_missed(presence: str, how: str) -> None:
    rig = TableRig(boxes=presence == "asleep")
    for seat in (1, 2, 3):
        rig.sit(seat)
    rig.start()
    if presence == "asleep":
        rig.boxes_up()
    lock_all_but(rig, 3)
    if presence != "here":
        sleep(rig, 3)
    pass_time(rig, ASK_HERE_SECONDS + 1 if presence == "here" else ASK_SECONDS)
    assert question(rig)["text"] == f"Seat 3 {how}. What shall we do?"


def test_silence_about_an_absent_seat_waits_and_asks_again(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS + VOTE_SECONDS)
    assert question(phones) is None
    assert 3 not in [entry.seat for entry in phones.match.log]
    pass_time(phones, ASK_SECONDS + 1)
    assert question(phones) is None, "it was asked: the next time it is waited for twice as long"
    pass_time(phones, ASK_SECONDS)
    assert question(phones)["kind"] == "absent"


def test_who_is_to_play_safe_does_so_until_somebody_is_back_and_nobody_is_asked_again(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    for seat in (1, 2):
        assert phones.say(seat, "vote", {"say": "safe"})["ok"]
    before = [entry.seat for entry in phones.match.log].count(3)
    for _ in range(30):
        for seat in (1, 2):
            bring_on(phones, seat)
        pass_time(phones, CALL_SECONDS + 1)
        assert question(phones) is None or question(phones)["kind"] != "absent"
    assert [entry.seat for entry in phones.match.log].count(3) >= before + 2
    wake(phones, 3)
    phones.say(3, "help")
    sleep(phones, 3)
    for _ in range(40):
        for seat in (1, 2):
            bring_on(phones, seat)
        pass_time(phones, CALL_SECONDS + 1)
        if question(phones):
            break
    assert question(phones)["seat"] == 3, "it was there in between"


def test_boxes_are_asked_and_answer_with_their_keys(boxed: TableRig) -> None:
    asked = first_asked(boxed)
    others = [seat for seat in (1, 2, 3) if seat != asked]
    boxed.take(BoxDown(f"box-{asked}", "unplugged"))
    pass_time(boxed, ASK_SECONDS)
    for seat in others:
        assert boxed.boxes.texts[f"box-{seat}"] == caption("absent", asked, OPTIONS)
        boxed.press(seat, "k2")
    assert question(boxed) is None
    assert asked in [entry.seat for entry in boxed.match.log]


def test_boxes_that_have_locked_can_be_asked_nothing_and_a_seat_without_cable_plays_safe_once() -> None:
    rig = TableRig()
    rig.boxes_up()
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    rig.press(1, "push")
    for box in ("box-1", "box-2"):
        rig.take(BoxLocked(box, rig.boxes.rounds[box].round))
    rig.take(BoxDown("box-3", "unplugged"))
    assert rig.state["locked"] == [1, 2]
    pass_time(rig, ASK_SECONDS + 1)
    assert rig.boxes.revealed() == {"box-1", "box-2"}, "seat 3 has answered, so what the others locked is opened"


def test_boxes_that_have_locked_are_asked_about_a_seat_whose_box_is_there_and_whose_player_is_not() -> None:
    rig = TableRig()
    rig.boxes_up()
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    rig.press(1, "push")
    before = rig.boxes.texts["box-1"]
    for box in ("box-1", "box-2"):
        rig.take(BoxLocked(box, rig.boxes.rounds[box].round))
    pass_time(rig, ASK_HERE_SECONDS + 1)
    asked = question(rig)
    assert (asked["kind"], asked["seat"], asked["voters"]) == ("absent", 3, [1, 2])
    assert rig.boxes.texts["box-1"] == caption("absent", 3, OPTIONS)
    assert rig.boxes.texts["box-3"] != caption("absent", 3, OPTIONS)
    rig.press(1, "push", "k1")
    assert question(rig)["votes"] == {"1": "wait"}
    assert rig.boxes.texts["box-1"] == before, "it has answered"
    pass_time(rig, VOTE_SECONDS + 2 * ASK_HERE_SECONDS + 1)
    rig.press(1, "k2")
    rig.press(2, "k2")
    assert rig.boxes.revealed() == {"box-1", "box-2"}, "seat 3 has answered, so what the others locked is opened"


def test_a_box_that_has_locked_answers_nothing_that_the_bar_would_say_no_to() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit(3)
    rig.say(3, "ready")
    for seat in (1, 2):
        rig.press(seat, "push")
    rig.press(1, "push")
    for box in ("box-1", "box-2"):
        rig.take(BoxLocked(box, rig.boxes.rounds[box].round))
    rig.say(3, "ask", {"what": "end"})
    rig.press(1, "bar")
    assert question(rig)["votes"] == {"3": "yes"}


def test_a_box_that_is_asked_nothing_pauses_and_puts_aside(boxed: TableRig) -> None:
    asked = first_asked(boxed)
    first, second = (seat for seat in (1, 2, 3) if seat != asked)
    boxed.press(first, "push")
    assert question(boxed) is None, "a push alone means nothing"
    boxed.take(Turn(f"box-{first}", 1))
    boxed.press(first, "push")
    assert boxed.state["paused"] == first
    boxed.take(Turn(f"box-{first}", 2))
    boxed.press(first, "push")
    assert question(boxed)["kind"] == "put_aside"
    boxed.press(asked, "k1")
    assert question(boxed)["votes"] == {f"{first}": "yes"}, "whoever is asked by the game answers the game"
    boxed.press(second, "push")
    assert boxed.state["state"] == "lobby"


def test_a_box_whose_player_has_gone_outvotes_nobody(boxed: TableRig) -> None:
    asked = first_asked(boxed)
    stays, gone = (seat for seat in (1, 2, 3) if seat != asked)
    pass_time(boxed, ACTIVE_SECONDS)
    boxed.take(BoxDown(f"box-{asked}", "unplugged"))
    while not question(boxed):
        pass_time(boxed, 1)
    assert question(boxed)["voters"] == sorted([stays, gone])
    boxed.press(stays, "k2")
    assert question(boxed), "there is time to say otherwise"
    pass_time(boxed, VOTE_SECONDS)
    assert asked in [entry.seat for entry in boxed.match.log]


def test_typed_dice_wait_for_nobody_whose_box_lies_there_alone() -> None:
    rig = TableRig(2, reader=False, offered=[games.find("bidness")])
    rig.boxes_up()
    rig.sit(1)
    rig.press(2, "push")
    rig.start("bidness")
    roller = rig.state["dice"]["seat"]
    assert roller == 1, "of this seed"
    count = rig.state["dice"]["count"]
    assert rig.say(1, "roll", {"faces": [3] * count})["ok"]
    assert rig.state["dice"]["state"] == "typed", "seat 2 has just been pushed"
    pass_time(rig, ACTIVE_SECONDS)
    assert not (rig.state["dice"] and rig.state["dice"]["seat"] == 1)


def test_a_pause_ends_with_a_lock_in_a_box() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit(3)
    rig.say(3, "ready")
    for seat in (1, 2):
        rig.press(seat, "push")
    rig.press(1, "push")
    assert rig.say(3, "pause")["ok"]
    sleep(rig, 3)
    rig.take(BoxLocked("box-1", rig.boxes.rounds["box-1"].round))
    assert rig.state["paused"] is None


def test_a_box_goes_on_with_a_paused_match_while_another_seat_is_to_roll() -> None:
    rig = TableRig(2, reader=False, offered=[games.find("bidness")])
    rig.boxes_up()
    rig.sit(1)
    rig.press(2, "push")
    rig.start("bidness")
    assert rig.state["dice"]["seat"] == 1
    rig.say(1, "pause")
    sleep(rig, 1)
    rig.take(Turn("box-2", 1))
    rig.press(2, "push")
    assert rig.state["paused"] is None


def test_the_house_stands_in_for_nobody_once_the_match_has_left_the_table(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    pass_time(phones, ASK_HERE_SECONDS)
    for seat in (1, 2):
        phones.say(seat, "vote", {"say": "house"})
    assert phones.state["seats"][2]["stands_in"]
    assert staff(phones, "end")[0]
    seat = phones.state["seats"][2]
    assert (seat["held"], seat["house"], seat["stands_in"]) == (True, "", False)


def asked_to_roll(rig: TableRig) -> None:
    """Let the others play safe for seat 3, which sleeps. It is asked for the first roll then."""
    lock_all_but(rig, 3)
    sleep(rig, 3)
    pass_time(rig, ASK_SECONDS)
    for seat in (1, 2):
        assert rig.say(seat, "vote", {"say": "safe"})["ok"]
    assert rig.state["dice"]["seat"] == 3


def test_the_hub_does_not_roll_for_a_seat_that_plays_safe_while_thrown_dice_lie_there(phones: TableRig) -> None:
    asked_to_roll(phones)
    faces, shown = [5] * phones.state["dice"]["count"], list[int]()
    for _ in range(2):
        later(phones, CALL_SECONDS - 0.5)
        phones.see("settled", *faces)
        before = len(phones.phones.public)
        later(phones, 0.5)
        assert (phones.state["dice"]["state"], phones.state["dice"]["faces"]) == ("settled", faces)
        shown.append(len(phones.phones.public) - before)
        assert phones.say(1, "dice", {"say": "again"})["ok"]
    assert shown == [1, 0], "it was called the first time; now nothing changes"


def test_what_a_seat_that_plays_safe_answers_is_shown_at_once() -> None:
    rig = TableRig(boxes=False, offered=[games.find("goofspiel")])
    rig.sit()
    rig.start("goofspiel")
    lock_all_but(rig, 3)
    sleep(rig, 3)
    pass_time(rig, ASK_SECONDS)
    for seat in (1, 2):
        assert rig.say(seat, "vote", {"say": "safe"})["ok"]
    assert rig.state["locked"] == [], "the next round: the others still choose, so nobody is called"
    later(rig, CALL_SECONDS - 0.5)
    assert rig.state["locked"] == []
    later(rig, 0.5)
    assert rig.state["locked"] == [3]


def test_a_control_without_a_meaning_ends_the_question_about_its_seat_for_everybody(boxed: TableRig) -> None:
    asked = first_asked(boxed)
    pass_time(boxed, ASK_HERE_SECONDS)
    assert question(boxed)["seat"] == asked
    boxed.take(Key(f"box-{asked}", "k1", "hold"))
    assert question(boxed) is None


@pytest.mark.parametrize(("asleep", "shows"), [(False, False), (True, True)])
def test_a_control_without_a_meaning_shows_something_only_if_its_player_was_missed(asleep: bool, shows: bool) -> None:
    rig = TableRig(3, offered=[games.find("bid-it")])
    rig.boxes_up()
    rig.sit()
    rig.start("bid-it")
    idle = next(seat for seat in (1, 2, 3) if seat != first_asked(rig))
    if asleep:
        sleep(rig, idle)
    before = len(rig.phones.public)
    rig.press(idle, "k3")
    assert (len(rig.phones.public) > before) is shows


def test_a_box_for_which_there_is_no_seat_shows_nothing(boxed: TableRig) -> None:
    before = len(boxed.phones.public)
    boxed.take(Key("box-9", "k3", "down"))
    assert len(boxed.phones.public) == before


# --- where the house moved for somebody ------------------------------------------------------------------


def test_the_log_says_where_the_house_moved_for_somebody_who_was_away(phones: TableRig) -> None:
    assert phones.state["stood_in"] == {}
    sleep(phones, 3)
    for seat in (1, 2):
        bring_on(phones, seat)
    pass_time(phones, ASK_SECONDS + 2)
    first = phones.state["events"][-1]["n"] + 1
    for seat in (1, 2):
        assert phones.say(seat, "vote", {"say": "safe"})["ok"]
    assert phones.state["stood_in"] == {f"{first}": [3]}, "before the reveal"
    again = TableRig(boxes=False, store=phones.store)
    assert again.state["stood_in"] == {f"{first}": [3]}, "also after a power cut"


def test_a_match_that_was_put_aside_still_says_where_the_house_moved_also_after_another_one(phones: TableRig) -> None:
    sleep(phones, 3)
    for seat in (1, 2):
        bring_on(phones, seat)
    pass_time(phones, ASK_SECONDS + 2)
    for seat in (1, 2):
        assert phones.say(seat, "vote", {"say": "safe"})["ok"]
    before = phones.state["stood_in"]
    assert before
    wake(phones, 3)
    two_put_aside(phones)
    phones.start()
    sleep(phones, 3)
    for seat in (1, 2):
        bring_on(phones, seat)
    pass_time(phones, ASK_SECONDS + 2)
    for seat in (1, 2):
        assert phones.say(seat, "vote", {"say": "safe"})["ok"]
    wake(phones, 3)
    two_put_aside(phones)
    older = phones.state["put_aside"][-1]["match"]
    assert phones.say(1, "take_up", {"match": older})["ok"]
    assert phones.state["stood_in"] == before
    assert TableRig(boxes=False, store=phones.store).state["stood_in"] == before


def test_a_match_resumed_among_others_is_the_one_that_the_table_plays(phones: TableRig) -> None:
    play_first(phones, 1)
    before, epoch = phones.seen(), phones.state["epoch"]
    two_put_aside(phones)
    phones.start()
    two_put_aside(phones)
    assert phones.say(1, "take_up", {"match": "m-1"})["ok"]
    assert phones.seen() == before
    assert phones.state["epoch"] > epoch, "what phones asked before is stale, and pages read all events anew"
    play_first(phones, 2)
    log = phones.store.entries["m-1"]
    again = TableRig(boxes=False, store=phones.store)
    assert (again.state["match"], again.match.log) == ("m-1", phones.match.log), "also after a restart"
    assert phones.store.entries["m-1"] is log, "and its log stayed where it was"
    again.sids = phones.sids
    wake(again, 1, 2, 3)
    assert [one["match"] for one in again.state["put_aside"]] == []
    two_put_aside(again)
    assert [one["match"] for one in again.state["put_aside"]] == ["m-1", "m-2"], "as they were played last"


def test_the_log_says_each_move_of_the_house_until_its_person_is_back(phones: TableRig) -> None:
    sleep(phones, 3)
    lock_all_but(phones, 3)
    pass_time(phones, ASK_SECONDS)
    for seat in (1, 2):
        phones.say(seat, "vote", {"say": "house"})
    for _ in range(8):
        for seat in (1, 2):
            bring_on(phones, seat)
        pass_time(phones, HOUSE_SECONDS + 1)
    told = stood_in(phones)
    assert len(told) >= 2
    assert {seat for seats in told.values() for seat in seats} == {3}
    wake(phones, 3)
    for _ in range(8):
        for seat in (1, 2, 3):
            bring_on(phones, seat)
        pass_time(phones, 1)
    assert len(phones.match.events) > max(map(int, told)), "the match goes on"
    assert stood_in(phones) == told


def stood_in(rig: TableRig) -> dict[str, list[int]]:
    """Where the whole log says that the house moved; a public state says it of the newest events alone."""
    log = rig.table.event_feed.page_before(len(rig.match.events))
    newest = {one["n"] for one in rig.state["events"]}
    assert rig.state["stood_in"] == {n: seats for n, seats in log.stood_in.items() if int(n) in newest}
    return log.stood_in


def test_what_a_person_and_the_house_itself_do_is_not_told_as_stood_in(phones: TableRig) -> None:
    for seat in (1, 2, 3):
        bring_on(phones, seat)
    assert len(phones.state["events"]) > 1
    assert phones.state["stood_in"] == {}


def test_a_move_that_names_cards_is_made_for_an_absent_seat_if_the_hub_holds_the_cards() -> None:
    """With printed cards, only the player knows them: see `test_printed_cards.py`."""
    rig = TableRig(3, boxes=False, offered=[games.find("i-bid-you-not")])
    rig.sit()
    rig.start("i-bid-you-not")
    asked = first_asked(rig)
    while not names_cards(rig, asked):
        bring_on(rig, asked)
        asked = first_asked(rig)
    sleep(rig, asked)
    pass_time(rig, ASK_SECONDS)
    assert (question(rig)["kind"], question(rig)["seat"]) == ("absent", asked)


def names_cards(rig: TableRig, seat: int) -> bool:
    """Whether each answer of a seat names cards."""
    decision, moves = rig.match.open, rig.match.game.labels.moves
    return decision is not None and all(moves[move.name].told for move in decision.offers(seat))
