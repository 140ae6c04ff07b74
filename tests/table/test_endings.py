"""A match is suspended or ended: by its players, by staff, or by the table itself."""

from __future__ import annotations

from typing import Any

import pytest

from hub.ports import BrokerDown, HelpRequest, PhoneLink, StaffRequest
from hub.table.people.absence import ASK_HERE_SECONDS, ASK_SECONDS
from hub.table.people.endings import IDLE_SECONDS, READ_SECONDS, WARNED_SECONDS
from hub.table.seating.questions import VOTE_SECONDS
from hub.table.seating.seat_list import ACTIVE_SECONDS
from hub.table.seating.seats import LEFT_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import keys, later, lock_all_but, pass_time, play_first, put_aside, question, sleep, staff, wake
from tests.table.test_house_seats import alone, play_to_end


def test_most_of_those_present_put_a_match_aside_and_it_is_kept_whole(phones: TableRig) -> None:
    before, entries = phones.seen(), len(phones.match.log)
    assert phones.say(1, "ask", {"what": "put_aside"})["ok"]
    asked = question(phones)
    assert (asked["kind"], asked["voters"], asked["votes"]) == ("put_aside", [1, 2, 3], {"1": "yes"})
    assert phones.state["state"] == "playing", "one seat alone does nothing"
    assert phones.say(3, "vote", {"say": "yes"})["ok"]
    assert (phones.state["state"], question(phones), phones.state["view"]) == ("lobby", None, None)
    (offer,) = phones.state["put_aside"]
    assert (offer["game"], offer["seats"], offer["people"]) == ("bid-and-bait", [1, 2, 3], [1, 2, 3])
    assert phones.say(2, "take_up", {"match": offer["match"]})["ok"]
    again = phones.seen()
    assert (again, len(phones.match.log)) == (before, entries)
    assert phones.state["put_aside"] == []


def test_notices_about_a_match_end_when_it_is_suspended(phones: TableRig) -> None:
    phones.table._notices.post("restarted", "This was said of the match.")
    phones.say(1, "ask", {"what": "put_aside"})
    assert [one["text"] for one in phones.state["notices"]] == ["This was said of the match."]
    phones.say(2, "vote", {"say": "yes"})
    assert (phones.state["state"], phones.state["notices"]) == ("lobby", [])


@pytest.mark.parametrize("votes", [{}, {2: "no", 3: "no"}, {2: "no"}])
def test_silence_and_no_play_on(phones: TableRig, votes: dict[int, str]) -> None:
    before = phones.seen()
    phones.say(1, "ask", {"what": "put_aside"})
    for seat, say in votes.items():
        assert phones.say(seat, "vote", {"say": say})["ok"]
    pass_time(phones, VOTE_SECONDS)
    assert question(phones) is None
    assert phones.seen() == before


def test_a_single_guest_puts_a_match_aside_only_after_the_others_could_have_said_no(phones: TableRig) -> None:
    sleep(phones, 2, 3)
    phones.say(1, "ask", {"what": "put_aside"})
    pass_time(phones, VOTE_SECONDS - 1)
    assert phones.state["state"] == "playing"
    pass_time(phones, 1)
    assert phones.state["state"] == "lobby"


def test_a_match_is_ended_for_good_by_all_who_are_there_and_never_by_one(phones: TableRig) -> None:
    phones.say(1, "ask", {"what": "end"})
    phones.say(2, "vote", {"say": "yes"})
    assert phones.state["state"] == "playing"
    phones.say(3, "vote", {"say": "yes"})
    assert (phones.state["state"], phones.state["put_aside"]) == ("lobby", [])
    phones.start()
    sleep(phones, 2, 3)
    phones.say(1, "ask", {"what": "end"})
    pass_time(phones, VOTE_SECONDS)
    assert phones.state["state"] == "playing"


def test_only_who_plays_decides_and_one_question_is_open_at_a_time(phones: TableRig) -> None:
    assert not phones.say(1, "vote", {"say": "yes"})["ok"], "nothing is asked"
    assert phones.say(1, "ask", {"what": "put_aside"})["ok"]
    assert phones.say(2, "ask", {"what": "end"})["error"].startswith("The table is answering another question")
    assert not phones.say(2, "vote", {"say": "perhaps"})["ok"]
    assert not phones.say(2, "vote", {"say": ["yes"]})["ok"]
    assert not phones.say(1, "ask", {"what": "sell"})["ok"]


@pytest.mark.parametrize("what", ["put_aside", "end"])
def test_only_a_seat_of_a_match_under_way_asks_whether_it_is_suspended_or_ended(what: str) -> None:
    rig = TableRig(4, boxes=False)
    rig.sit(1, 2, 3)
    assert rig.say(1, "ask", {"what": what})["error"] == "No match is under way."
    rig.start()
    rig.sit(4)
    assert rig.say(4, "ask", {"what": what})["error"] == "Only players of this match decide about it."
    assert question(rig) is None
    assert rig.say(3, "ask", {"what": what})["ok"]


@pytest.mark.parametrize("verb", ["aside", "end"])
def test_staff_suspend_or_end_no_match_while_the_disk_fails(phones: TableRig, verb: str) -> None:
    phones.store.broken = "no space"
    phones.say(1, "name", {"name": "Ada"})
    phones.store.broken = ""  # but the table has not tried it again
    assert staff(phones, verb) == (False, "The match is stopped: no space")
    pass_time(phones, 1)
    assert phones.state["state"] == "playing"
    assert staff(phones, verb)[0]
    assert phones.state["state"] == "lobby"


@pytest.mark.parametrize("verb", ["aside", "end"])
def test_a_match_that_leaves_the_table_leaves_no_readiness_and_no_question_there(verb: str) -> None:
    rig = TableRig(5, boxes=False)
    rig.sit(1, 2, 3)
    rig.start()
    rig.sit(4)
    assert rig.say(4, "ready", {"ready": True})["ok"]
    sleep(rig, 3)
    pass_time(rig, ASK_SECONDS)
    assert rig.claim(3, None, "Cleo") is None
    assert question(rig)["kind"] == "new_phone"
    code = rig.table._seats[5].code
    assert staff(rig, verb)[0]
    assert question(rig) is None
    assert not rig.decided[-1].held
    assert [seat["held"] for seat in rig.state["seats"]] == [True, True, False, True, False]
    assert not any(seat["ready"] for seat in rig.state["seats"])
    assert rig.code(5) == code, "somebody types it just now"


def test_a_player_whose_phone_sleeps_keeps_the_seat_of_a_suspended_match_if_the_box_was_used_lately() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    sleep(rig, 2, 3)
    rig.press(3, "k1")
    pass_time(rig, ACTIVE_SECONDS - 1)
    assert staff(rig, "aside")[0]
    assert [seat["held"] for seat in rig.state["seats"]] == [True, False, True]


def test_a_player_for_whom_the_house_plays_is_known_again_and_the_house_is_not(phones: TableRig) -> None:
    lock_all_but(phones, 3)
    sleep(phones, 3)
    key = phones.key(3)
    pass_time(phones, ASK_SECONDS)
    for seat in (1, 2):
        phones.say(seat, "vote", {"say": "house"})
    assert phones.state["seats"][2]["stands_in"]
    match = put_aside(phones)
    assert "Guest 3" in phones.say(1, "take_up", {"match": match})["error"], "the house does not play it on"
    phones.sit_again(3, [key])
    assert phones.say(1, "take_up", {"match": match})["ok"]
    assert (phones.state["state"], question(phones)) == ("playing", None)
    assert phones.hand(3)["you"]


def test_staff_are_offered_suspended_matches_between_matches_alone(phones: TableRig) -> None:
    match = put_aside(phones)
    (offer,) = phones.table.desk.put_aside
    assert (offer.match, offer.seats) == (match, {"1": "Guest 1", "2": "Guest 2", "3": "Guest 3"})
    phones.start()
    assert phones.table.desk.put_aside == []


def test_the_suspended_matches_are_read_from_the_disk_once_an_hour(
    phones: TableRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_aside(phones)
    read, all_put_aside = list[float](), phones.store.all_put_aside

    def reading(table: str) -> Any:
        read.append(phones.clock.time)
        return all_put_aside(table)

    monkeypatch.setattr(phones.store, "all_put_aside", reading)
    pass_time(phones, 2 * READ_SECONDS + 60)
    first, second = read
    assert READ_SECONDS <= second - first <= READ_SECONDS + 1
    assert phones.order.count("keep people") == 1, "the names are written only if one of them goes"


def test_a_match_that_nobody_plays_is_put_aside_and_said_so_before(phones: TableRig) -> None:
    pass_time(phones, IDLE_SECONDS - WARNED_SECONDS - 1)
    assert not any(one["key"] == "idle" for one in phones.state["notices"])
    pass_time(phones, 2)
    assert any(one["key"] == "idle" for one in phones.state["notices"])
    assert phones.say(1, "name", {"name": "Ada"})["ok"], "somebody is there"
    assert not any(one["key"] == "idle" for one in phones.state["notices"])
    sleep(phones, 2)
    pass_time(phones, IDLE_SECONDS)
    assert phones.state["state"] == "lobby"
    assert [seat["held"] for seat in phones.state["seats"]] == [True, False, True], "a ghost keeps no seat"


def test_a_match_that_nobody_plays_is_announced_a_minute_before_and_then_suspended(phones: TableRig) -> None:
    later(phones, IDLE_SECONDS - WARNED_SECONDS - 1)
    assert "idle" not in keys(phones)
    later(phones, 1)
    assert "idle" in keys(phones)
    later(phones, WARNED_SECONDS - 1)
    assert phones.state["state"] == "playing"
    later(phones, 1)
    assert (phones.state["state"], keys(phones)) == ("lobby", [])


def test_no_match_is_announced_to_be_suspended_while_the_disk_fails(phones: TableRig) -> None:
    later(phones, IDLE_SECONDS - WARNED_SECONDS)
    assert "idle" in keys(phones)
    phones.store.broken = "no space"
    phones.take(StaffRequest("light", {"percent": 60}, lambda *_: None))
    phones.take(HelpRequest())
    assert phones.state["state"] == "stopped"
    assert "idle" not in keys(phones)


@pytest.mark.parametrize("paused", [False, True])
def test_a_match_is_suspended_half_a_minute_after_everybody_has_left_it(phones: TableRig, paused: bool) -> None:
    if paused:
        assert phones.say(1, "pause")["ok"]
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    pass_time(phones, LEFT_SECONDS - 1)
    assert phones.state["state"] == "playing"
    pass_time(phones, 1)
    assert phones.state["state"] == "lobby"


@pytest.mark.parametrize("when", ["all choose", "asked about a seat", "paused", "announced", "stopped"])
def test_a_second_in_which_nothing_happens_sends_nothing_to_the_phones(phones: TableRig, when: str) -> None:
    if when == "asked about a seat":
        lock_all_but(phones, 3)
        sleep(phones, 3)
        pass_time(phones, ASK_SECONDS)
        assert question(phones)
    elif when == "paused":
        assert phones.say(1, "pause")["ok"]
    elif when == "announced":
        later(phones, IDLE_SECONDS - WARNED_SECONDS)
        pass_time(phones, VOTE_SECONDS + 1)
        assert (keys(phones), question(phones)) == (["idle"], None)
    elif when == "stopped":
        phones.store.broken = "no space"
        phones.say(1, "name", {"name": "Ada"})
    later(phones, 1)
    before = len(phones.phones.public)
    if when == "stopped":
        phones.take(PhoneLink("nobody", False))
    else:
        pass_time(phones, 5)
    assert len(phones.phones.public) == before


@pytest.mark.parametrize(("seat", "state"), [(1, "playing"), (3, "lobby")])
def test_a_match_is_kept_alive_by_its_players_and_not_by_spectators(seat: int, state: str) -> None:
    rig = TableRig(boxes=False)
    rig.sit(1)
    rig.sit(2)
    rig.start()
    rig.sit(3)
    for _ in range(3):
        pass_time(rig, IDLE_SECONDS / 2)
        rig.say(seat, "name", {"name": f"Ada {rig.clock.time}"})
    assert rig.state["state"] == state


def test_a_match_outlives_a_disk_that_fails_for_longer_than_anybody_may_be_idle(phones: TableRig) -> None:
    phones.store.broken = "no space"
    phones.say(1, "name", {"name": "Ada"})
    pass_time(phones, IDLE_SECONDS + 5)
    phones.claim(2)  # somebody else comes: time goes on for the table
    assert phones.state["state"] == "stopped"
    phones.store.broken = ""
    phones.say(1, "help")
    pass_time(phones, 1)
    assert phones.state["state"] == "playing"


def test_the_next_group_plays_after_everybody_has_left(phones: TableRig) -> None:
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    pass_time(phones, LEFT_SECONDS + 1)
    assert phones.state["state"] == "lobby"
    phones.sit()
    phones.start()
    assert phones.state["match"] == "m-2"
    assert len(phones.store.people_aside) == 1


def test_a_pause_stops_the_clocks_until_somebody_plays(phones: TableRig) -> None:
    assert phones.say(2, "pause")["ok"]
    assert phones.state["paused"] == 2
    pass_time(phones, IDLE_SECONDS + ASK_HERE_SECONDS)
    assert (phones.state["state"], phones.state["nudged"], question(phones)) == ("playing", [], None)
    play_first(phones, 1)
    assert phones.state["paused"] is None


def test_a_match_put_aside_survives_a_restart_and_is_not_resumed(phones: TableRig) -> None:
    phones.say(1, "ask", {"what": "put_aside"})
    phones.say(2, "vote", {"say": "yes"})
    again = TableRig(boxes=False, store=phones.store)
    again.sids = phones.sids
    assert (again.state["state"], len(again.state["put_aside"])) == ("lobby", 1)
    wake(again, 1, 2, 3)
    assert again.say(1, "take_up", {"match": again.state["put_aside"][0]["match"]})["ok"]
    assert again.state["state"] == "playing"


@pytest.mark.parametrize("reachable", [True, False])
def test_only_a_phone_that_could_be_reached_loses_the_seat_of_a_match_that_is_suspended(
    phones: TableRig, reachable: bool
) -> None:
    if reachable:
        sleep(phones, 1, 2, 3)
    else:
        phones.take(BrokerDown("The broker does not answer."))
    pass_time(phones, LEFT_SECONDS)
    assert staff(phones, "aside")[0]
    assert [seat["held"] for seat in phones.state["seats"]] == [not reachable] * 3


@pytest.mark.parametrize("reachable", [True, False])
def test_a_seat_that_is_played_on_its_box_alone_is_free_when_its_match_is_suspended(reachable: bool) -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.press(3, "push")
    rig.start()
    if not reachable:
        rig.take(BrokerDown("The broker does not answer."))
    assert staff(rig, "aside")[0]
    assert [seat["held"] for seat in rig.state["seats"]] == [True, True, False]


@pytest.mark.parametrize("connected", [True, False])
def test_a_result_is_shown_while_a_phone_is_connected_and_else_until_nobody_has_done_anything_for_long(
    connected: bool,
) -> None:
    rig = alone("goofspiel")
    rig.start("goofspiel")
    play_to_end(rig)
    assert rig.say(1, "name", {"name": "Ada"})["ok"]
    if not connected:
        sleep(rig, 1)
    later(rig, IDLE_SECONDS - 0.5)
    assert rig.state["state"] == "over"
    later(rig, 0.5)
    assert rig.state["state"] == ("over" if connected else "lobby")
    later(rig, 60)
    shown = len(rig.phones.public)
    later(rig, 1)
    assert len(rig.phones.public) == shown


# --- a disk that fails while people decide ---------------------------------------------------------------


@pytest.mark.parametrize("what", ["put_aside", "end"])
def test_a_vote_whose_time_ends_while_the_disk_fails_is_decided_afterwards(phones: TableRig, what: str) -> None:
    assert phones.say(1, "ask", {"what": what})["ok"]
    sleep(phones, 2, 3)
    phones.store.broken = "It is full."
    phones.say(1, "name", {"name": "Ada"})
    phones.clock.time += VOTE_SECONDS + ACTIVE_SECONDS
    phones.take(HelpRequest())  # no tick, which would try the disk first
    assert question(phones)["kind"] == what
    assert [one["key"] for one in phones.state["notices"]] == ["disk", "help:guest"]
    phones.store.broken = ""
    later(phones, 1)
    assert phones.state["question"] is None
    assert phones.state["state"] == ("lobby" if what == "put_aside" else "playing"), "two vetoes last"


def test_a_yes_is_kept_while_the_disk_fails(phones: TableRig) -> None:
    assert phones.say(1, "ask", {"what": "put_aside"})["ok"]
    phones.store.broken = "It is full."
    phones.say(1, "name", {"name": "Ada"})
    phones.say(2, "vote", {"say": "yes"})
    assert phones.state["state"] == "stopped"
    phones.store.broken = ""
    later(phones, 1)
    assert phones.state["state"] == "lobby"
