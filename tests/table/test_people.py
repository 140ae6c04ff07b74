"""What people at a table decide together: putting a match aside and taking it up, absent seats, new phones, starting."""

from __future__ import annotations

import json
from collections.abc import Collection
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from hub import games
from hub.errors import StartRefused
from hub.languages import language_of
from hub.ports import (
    CONTROLS,
    BoxBid,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    HelpRequest,
    Key,
    Missing,
    PhoneLink,
    StaffRequest,
    Tick,
    Turn,
)
from hub.table.people.absence import ASK_HERE_SECONDS, ASK_SECONDS, CALL_SECONDS, OPTIONS
from hub.table.people.endings import IDLE_SECONDS, NOT_YOURS, READ_SECONDS, STRANGERS, WARNED_SECONDS
from hub.table.people.house_seats import ROLL_SECONDS, HouseSettings
from hub.table.people.house_seats import SECONDS as HOUSE_SECONDS
from hub.table.people.lobby import MOST_SEATS, MOST_WAITS, START_SECONDS
from hub.table.seating.questions import VOTE_SECONDS, caption
from hub.table.seating.seat_list import ACTIVE_SECONDS
from hub.table.seating.seats import CLAIM_SECONDS, LEFT_SECONDS
from tests.table.fakes import TableRig


def pass_time(rig: TableRig, seconds: float) -> None:
    """Let time go on in steps of a second, as the loop does."""
    for _ in range(int(seconds)):
        rig.clock.time += 1.0
        rig.take(Tick())


def later(rig: TableRig, seconds: float) -> None:
    """Let time pass at once."""
    rig.clock.time += seconds
    rig.take(Tick())


@pytest.fixture
def phones() -> TableRig:
    """Three phones without boxes in a match of Bid & Bait, whose first question is sealed."""
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    return rig


@pytest.fixture
def boxed() -> TableRig:
    """Three boxes, no phone, in a match where seats are asked in turn."""
    rig = TableRig(3, offered=[games.find("bid-it")])
    rig.boxes_up()
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    rig.press(1, "push", "push")  # hands are on phones, of which there are none: the first push is told so
    assert rig.state["state"] == "playing"
    return rig


def sleep(rig: TableRig, *seats: int) -> None:
    rig.take(*(PhoneLink(rig.sids[seat], False) for seat in seats))


def wake(rig: TableRig, *seats: int) -> None:
    rig.take(*(PhoneLink(rig.sids[seat], True) for seat in seats))


# --- put aside, ended ----------------------------------------------------------------------------------


def question(rig: TableRig) -> Any:
    """What the table is asked."""
    return rig.state["question"]


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


def staff(rig: TableRig, verb: str, **args: Any) -> tuple[bool, str]:
    """What staff ask of the table, and its answer."""
    answers: list[tuple[bool, str]] = []
    rig.take(StaffRequest(verb, args, lambda done, say: answers.append((done, say))))
    return answers[0]


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


def keys(rig: TableRig) -> list[str]:
    """The kinds of the notices that are shown."""
    return [one["key"].partition(":")[0] for one in rig.state["notices"]]


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


# --- whose hand it is ----------------------------------------------------------------------------------


def put_aside(rig: TableRig) -> str:
    rig.say(1, "ask", {"what": "put_aside"})
    rig.say(2, "vote", {"say": "yes"})
    match: str = rig.state["put_aside"][0]["match"]
    return match


def test_no_hand_goes_to_a_phone_that_nobody_who_is_known_knows(phones: TableRig) -> None:
    match = put_aside(phones)
    phones.say_leave(3)
    answer = phones.say(1, "take_up", {"match": match})
    assert answer["error"] == "Not everybody is here: \u2068Guest 3\u2069 at seat 3 is missing."
    phones.sit(3)
    assert phones.say(3, "take_up", {"match": match})["error"] == NOT_YOURS
    assert phones.say(1, "take_up", {"match": match})["ok"], "it is asked"
    assert phones.state["state"] == "lobby"
    asked = question(phones)
    assert (asked["kind"], asked["voters"]) == ("same_person", [1, 2])
    assert not phones.say(3, "vote", {"say": "yes"})["ok"], "nobody vouches for themselves"
    assert phones.say(2, "vote", {"say": "no"})["ok"]
    assert phones.state["state"] == "lobby"
    assert "you may ask again in" in phones.say(1, "take_up", {"match": match})["error"]
    assert phones.say(2, "take_up", {"match": match})["ok"], "only seat 1 has to wait"
    assert phones.say(2, "vote", {"say": "yes"})["ok"]
    assert phones.state["state"] == "lobby", "one yes is not enough"
    assert phones.say(1, "vote", {"say": "yes"})["ok"]
    assert phones.state["state"] == "playing"


def test_one_guest_with_phones_of_others_gets_no_hand(phones: TableRig) -> None:
    keys = {seat: phones.key(seat) for seat in phones.sids}
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    phones.sit_again(1, [keys[1]])
    phones.sit(2, 3)
    assert "known" in phones.say(1, "take_up", {"match": match})["error"]


def test_the_hand_of_who_left_goes_to_no_stranger(phones: TableRig) -> None:
    phones.say_leave(3)
    match = put_aside(phones)
    for seat in (1, 2):
        phones.say_leave(seat)
    phones.sit()
    for seat in (1, 2, 3):
        assert phones.say(seat, "take_up", {"match": match})["error"] == NOT_YOURS
    assert question(phones) is None


def test_strangers_do_not_get_the_hands_of_others(phones: TableRig) -> None:
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    phones.sit()
    assert phones.say(1, "take_up", {"match": match})["error"] == NOT_YOURS
    assert phones.state["state"] == "lobby"


def test_a_match_is_offered_while_one_of_its_people_sits_here_and_names_nobody_who_has_left(phones: TableRig) -> None:
    key = phones.key(3)
    match = put_aside(phones)
    phones.say_leave(3)
    assert [(one["seats"], one["people"]) for one in phones.state["put_aside"]] == [([1, 2, 3], [1, 2])]
    for seat in (1, 2):
        phones.say_leave(seat)
    assert phones.state["put_aside"] == []
    assert "Guest" not in str(phones.state)
    phones.sit(1)
    assert phones.state["put_aside"] == [], "a stranger is offered nothing"
    phones.sit_again(2, [key])
    assert [(one["match"], one["people"]) for one in phones.state["put_aside"]] == [(match, [2])]


def test_matches_that_are_too_old_are_offered_no_longer_and_the_names_of_their_people_forgotten(
    phones: TableRig,
) -> None:
    put_aside(phones)
    assert b"Guest 3" in phones.store.kept["1", "people"]
    phones.store.people_aside.clear()  # `aside_days` are over
    pass_time(phones, READ_SECONDS - 1)
    assert b"Guest 3" in phones.store.kept["1", "people"]
    pass_time(phones, 2)
    assert phones.table.desk.put_aside == []
    assert b"Guest" not in phones.store.kept["1", "people"]


def test_phones_that_are_known_go_to_the_seats_that_they_had(phones: TableRig) -> None:
    keys = {seat: phones.key(seat) for seat in phones.sids}
    before = {seat: phones.hand(seat)["you"] for seat in (1, 2, 3)}
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    for now, had in {1: 2, 2: 3, 3: 1}.items():
        phones.sit_again(now, [keys[had]])
    sat = dict(phones.sids)
    assert phones.say(1, "take_up", {"match": match})["ok"]
    assert phones.state["state"] == "playing"
    for now, had in {1: 2, 2: 3, 3: 1}.items():
        hand = phones.phones.hands[sat[now]][-1]
        assert (hand["seat"], hand["you"]) == (had, before[had])
    assert not any(one["key"].startswith("taken") for one in phones.state["notices"])
    again = TableRig(boxes=False, store=phones.store)
    assert [seat["name"] for seat in again.state["seats"]] == ["Guest 3", "Guest 1", "Guest 2"]


def test_only_the_question_who_somebody_is_names_people_of_a_suspended_match(phones: TableRig) -> None:
    for seat, name in enumerate(("Ana", "Ben", "Cem"), 1):
        assert phones.say(seat, "name", {"name": name})["ok"]
    keys = {seat: phones.key(seat) for seat in phones.sids}
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    for seat in (1, 2):
        phones.sit_again(seat, [keys[seat]])
    phones.sit(3)
    assert not any(name in json.dumps(phones.state) for name in ("Ana", "Ben", "Cem"))
    assert phones.say(3, "take_up", {"match": match})["error"] == NOT_YOURS
    assert phones.say(1, "take_up", {"match": match})["ok"]
    assert [name in json.dumps(phones.state) for name in ("Ana", "Ben", "Cem")] == [False, False, True]


def test_who_sits_at_a_seat_of_the_match_and_was_not_in_it_changes_places_with_who_was() -> None:
    rig = TableRig(4, boxes=False)
    rig.sit(1, 2, 3)
    rig.start()
    keys = {seat: rig.key(seat) for seat in rig.sids}
    match = put_aside(rig)
    for seat in (1, 2, 3):
        rig.say_leave(seat)
    rig.sit_again(2, [keys[2]])
    rig.sit_again(3, [keys[3]])
    rig.sit_again(4, [keys[1]])
    rig.sit(1)  # somebody who looks on
    looks_on = rig.sids[1]
    assert rig.say(4, "take_up", {"match": match})["ok"]
    assert rig.state["state"] == "playing"
    assert rig.phones.hands[rig.sids[4]][-1]["seat"] == 1
    looker = rig.phones.hands[looks_on][-1]
    assert (looker["seat"], looker["you"]) == (4, {})


def test_nobody_changes_places_where_boxes_stand() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    keys = {seat: rig.key(seat) for seat in rig.sids}
    match = put_aside(rig)
    for seat in (1, 2, 3):
        rig.say_leave(seat)
    for now, had in {1: 2, 2: 1, 3: 3}.items():
        rig.sit_again(now, [keys[had]])
    refused = rig.say(1, "take_up", {"match": match})["error"]
    assert refused == "\u2068Guest 1\u2069 had seat 1: sit down there again, where its box is."
    assert rig.state["state"] == "lobby"


@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_a_disk_that_fails_while_places_change_gives_no_hand_to_another(
    phones: TableRig, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {seat: phones.key(seat) for seat in phones.sids}
    hands = {seat: phones.hand(seat)["you"] for seat in (1, 2, 3)}
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    had = {1: 2, 2: 1, 3: 3}
    for now in had:
        phones.sit_again(now, [keys[had[now]]])
    write, left = phones.store._write, [writes]

    def fails_then(what: str) -> None:
        if left[0] == 0:
            phones.store.broken = "full"
        left[0] -= 1
        write(what)

    monkeypatch.setattr(phones.store, "_write", fails_then)
    phones.say(1, "take_up", {"match": match})
    for now, sid in phones.sids.items():
        for hand in phones.phones.hands[sid]:
            assert hand["you"] in ({}, hands[had[now]])


def test_changed_places_stand_as_they_were_where_the_disk_fails(phones: TableRig) -> None:
    keys = {seat: phones.key(seat) for seat in phones.sids}
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    for now, had in {1: 2, 2: 1, 3: 3}.items():
        phones.sit_again(now, [keys[had]])
    phones.store.broken = "full"
    phones.say(1, "take_up", {"match": match})
    assert [seat["name"] for seat in phones.state["seats"]] == ["Guest 1", "Guest 2", "Guest 3"]
    phones.store.broken = ""
    pass_time(phones, 2)
    assert phones.state["state"] == "lobby"
    assert phones.say(1, "take_up", {"match": match})["ok"]
    assert phones.phones.hands[phones.sids[1]][-1]["seat"] == 2


def test_a_box_vouches_for_nobody() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit(1, 2)
    rig.press(3, "push")
    rig.start()
    match = put_aside(rig)
    rig.say_leave(1)
    rig.say_leave(2)
    rig.sit(1, 2)
    rig.press(3, "push")
    assert rig.say(1, "take_up", {"match": match})["error"] == NOT_YOURS, "whoever pushes box 3 now may be anybody"
    assert question(rig) is None


@pytest.mark.parametrize("by", ["box", "phone"])
def test_only_a_phone_that_is_known_says_who_somebody_is(by: str) -> None:
    """A guest with a second phone at the seat of somebody who has left pushes the box of another one, whose phone sleeps."""
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    match = put_aside(rig)
    rig.say_leave(3)
    rig.sit(3)
    rig.take(PhoneLink(rig.sids[2], False))
    rig.press(2, "k1")
    assert rig.say(1, "take_up", {"match": match})["ok"]
    assert question(rig)["voters"] == [1, 2]
    rig.say(1, "vote", {"say": "yes"})
    assert rig.boxes.texts["box-2"] == caption("same_person", 3, ["yes", "no"])
    if by == "box":
        rig.press(2, "push")
        assert question(rig)["votes"] == {"1": "yes"}
        assert ("buzz", "box-2", "error") in rig.boxes.sent
        assert rig.state["state"] == "lobby"
        assert not rig.state["seats"][1]["ready"], "its push answered a question"
    else:
        rig.say(2, "vote", {"say": "yes"})
        assert rig.state["state"] == "playing"


def aside_with_a_stranger(rig: TableRig) -> None:
    """Four phones put a match aside; at seat 3 another phone sits then, and the others are asked who it is."""
    rig.sit()
    rig.start()
    rig.say(1, "ask", {"what": "put_aside"})
    for seat in (2, 3):
        rig.say(seat, "vote", {"say": "yes"})
    (offer,) = rig.state["put_aside"]
    rig.say_leave(3)
    rig.sit(3)
    assert rig.say(1, "take_up", {"match": offer["match"]})["ok"]
    assert (question(rig)["kind"], question(rig)["voters"]) == ("same_person", [1, 2, 4])


@pytest.mark.parametrize("voted", [False, True])
def test_who_sits_down_while_the_others_are_asked_who_somebody_is_gets_no_hand(voted: bool) -> None:
    rig = TableRig(4, boxes=False)
    aside_with_a_stranger(rig)
    if voted:
        rig.say(4, "vote", {"say": "yes"})
    rig.say_leave(4)
    rig.sit(4)
    assert question(rig) is None, "it was asked about others"
    for seat in (1, 2, 4):
        rig.say(seat, "vote", {"say": "yes"})
    assert rig.state["state"] == "lobby"
    assert not rig.hand(4)["you"]


def test_another_stranger_at_the_seat_in_question_is_asked_about_anew() -> None:
    rig = TableRig(4, boxes=False)
    aside_with_a_stranger(rig)
    rig.say_leave(3)
    rig.sit(3)
    for seat in (1, 2, 4):
        rig.say(seat, "vote", {"say": "yes"})
    assert rig.state["state"] == "lobby"


@pytest.mark.parametrize(("seat", "is_asked"), [(1, False), (2, False), (3, False), (5, False), (6, True)])
def test_the_question_who_somebody_is_ends_if_a_seat_that_it_is_about_changes(seat: int, is_asked: bool) -> None:
    """Seat 1 is empty: its player sits at 5 now and will move there. Seat 6 has no part in the match."""
    rig = TableRig(6, boxes=False)
    rig.sit(1, 2, 3, 4)
    rig.start()
    keys = {number: rig.key(number) for number in (1, 2, 3, 4)}
    rig.say(1, "ask", {"what": "put_aside"})
    for number in (2, 3):
        rig.say(number, "vote", {"say": "yes"})
    match = rig.state["put_aside"][0]["match"]
    for number in keys:
        rig.say_leave(number)
    for number, sits_at in ((1, 5), (2, 2), (4, 4)):
        rig.sit_again(sits_at, [keys[number]])
    rig.sit(3)
    assert rig.say(5, "take_up", {"match": match})["ok"]
    assert (question(rig)["kind"], question(rig)["voters"]) == ("same_person", [2, 4, 5])
    if seat in rig.sids and rig.state["seats"][seat - 1]["held"]:
        rig.say_leave(seat)
    rig.sit(seat)
    assert (question(rig) is not None) is is_asked


def test_after_a_yes_everybody_moves_to_the_seat_that_they_had() -> None:
    """Seats 1 and 2 have changed places; another phone is at seat 3."""
    rig = TableRig(3, boxes=False)
    rig.sit()
    rig.start()
    keys, hands = {seat: rig.key(seat) for seat in (1, 2)}, {seat: rig.hand(seat)["you"] for seat in (1, 2, 3)}
    match = put_aside(rig)
    for seat in (1, 2, 3):
        rig.say_leave(seat)
    rig.sit_again(1, [keys[2]])
    rig.sit_again(2, [keys[1]])
    rig.sit(3)
    at = dict(rig.sids)
    assert rig.say(1, "take_up", {"match": match})["ok"]
    for seat in (1, 2):
        assert rig.say(seat, "vote", {"say": "yes"})["ok"]
    assert rig.state["state"] == "playing"
    rig.sids = {1: at[2], 2: at[1], 3: at[3]}
    assert {seat: rig.hand(seat)["you"] for seat in (1, 2, 3)} == hands


def test_everybody_reads_why_a_match_does_not_go_on_after_all_have_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = TableRig(4, boxes=False)
    aside_with_a_stranger(rig)
    match = rig.state["put_aside"][0]["match"]

    def refuse(_: str) -> None:
        raise StartRefused("It began with other cards.")

    monkeypatch.setattr(rig.table._play, "take_up", refuse)
    for _ in range(2):  # the same reason twice is news twice
        for seat in (1, 2, 4):
            if not question(rig)["votes"].get(str(seat)):
                assert rig.say(seat, "vote", {"say": "yes"})["ok"]
        assert (rig.state["state"], question(rig)) == ("lobby", None)
        (notice,) = rig.state["notices"]
        assert (notice["key"], notice["text"]) == ("not_started", "It began with other cards.")
        assert rig.say(1, "take_up", {"match": match})["ok"]
        assert rig.state["notices"] == [], "the next request ends it"


def test_a_seat_freed_under_a_sleeping_voter_ends_the_question() -> None:
    rig = TableRig(5, boxes=False)
    rig.sit(1, 2, 3, 4)
    rig.start()
    rig.say(1, "ask", {"what": "put_aside"})
    for seat in (2, 3):
        rig.say(seat, "vote", {"say": "yes"})
    (offer,) = rig.state["put_aside"]
    rig.say_leave(3)
    rig.sit(3, 5)
    assert rig.say(1, "take_up", {"match": offer["match"]})["ok"]
    rig.say(4, "vote", {"say": "yes"})
    sleep(rig, 4)
    rig.take(StaffRequest("free", {"seat": 4}, lambda *_: None))
    rig.sit(4)
    for seat in (1, 2):
        rig.say(seat, "vote", {"say": "yes"})
    assert rig.state["state"] == "lobby"


def test_who_gets_up_from_a_box_leaves_no_name_and_no_proof_there() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    seat = rig.table._seats[3]
    seat.joined, seat.name, seat.earlier_persons = True, "Cy", ["proof"]  # as a phone left it in a match that is over
    rig.press(3, "bar")
    assert (rig.state["seats"][2]["held"], rig.state["seats"][2]["name"], seat.earlier_persons) == (False, "", [])


def test_whoever_pushes_a_box_has_none_of_the_proof_of_who_sat_there() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit()
    keys = {seat: rig.key(seat) for seat in rig.sids}
    rig.start()
    match = put_aside(rig)
    rig.say_leave(3)
    rig.sit_again(3, [keys[3]])
    rig.start()
    rig.say_leave(3)  # the seat stays in the match
    rig.say(1, "ask", {"what": "end"})
    rig.say(2, "vote", {"say": "yes"})
    if rig.state["question"]:
        pass_time(rig, 200)
    rig.take(StaffRequest("reset", {"match": "end"} if rig.state["state"] == "playing" else {}, lambda *_: None))
    for seat in (1, 2):
        rig.sit_again(seat, [keys[seat]])
    rig.press(3, "push")
    assert rig.state["seats"][2]["name"] == ""
    rig.say(1, "take_up", {"match": match})
    assert rig.state["state"] != "playing"


def test_nobody_changes_places_while_a_match_is_under_way() -> None:
    """One who was at seat 1 of a match put aside sits at 3 now, and somebody else at 1 plays another match."""
    rig = TableRig(4, boxes=False)
    rig.sit(1, 2)
    keys = {seat: rig.key(seat) for seat in rig.sids}
    rig.start()
    match = put_aside(rig)
    rig.say_leave(1)
    rig.sit_again(3, [keys[1]])
    rig.sit(1)
    rig.start()
    before = [(seat.sid, seat.name) for seat in rig.table._seats]
    refused = rig.say(3, "take_up", {"match": match})
    assert refused["error"] == "A match is under way at this table."
    assert [(seat.sid, seat.name) for seat in rig.table._seats] == before


def test_the_hand_of_a_phone_that_left_is_no_boxs() -> None:
    rig = TableRig(4)
    rig.boxes_up()
    rig.sit(1, 2, 3)
    rig.start()
    rig.say_leave(3)
    again = TableRig(4, store=rig.store)
    again.boxes_up()
    again.sids = rig.sids
    for seat in (1, 2):
        again.take(PhoneLink(again.sids[seat], True))
    again.take(StaffRequest("aside", {}, lambda *_: None))
    (offer,) = again.state["put_aside"]
    again.press(3, "push")
    assert again.say(1, "take_up", {"match": offer["match"]})["ok"]
    assert again.state["state"] == "lobby"
    assert question(again)["kind"] == "same_person"


def test_who_left_a_match_proves_nothing_of_the_next_one_on_that_box() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1, 2, 3)
    rig.start()
    rig.say_leave(3)
    assert rig.table._seats[3].left_by
    rig.table._people.lobby.on_match_started()  # another match, in which somebody plays on box 3
    assert not rig.table._seats[3].left_by
    again = TableRig(3, store=rig.store)
    assert not again.table._seats[3].left_by


def test_where_all_phones_have_left_nobody_takes_the_match_up_by_boxes() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start()
    for seat in (1, 2):
        rig.say_leave(seat)
    rig.take(StaffRequest("aside", {}, lambda *_: None))
    assert rig.state["put_aside"] == []
    rig.sit(3)
    rig.press(1, "push")
    rig.press(2, "push")
    assert rig.say(3, "take_up", {"match": "m-1"})["error"] == NOT_YOURS
    assert rig.state["state"] == "lobby"


def test_a_start_that_is_asked_for_again_and_again_begins_in_time() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(int(START_SECONDS)):
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        pass_time(rig, 1)
    assert rig.state["state"] == "playing"


def test_one_guest_holds_a_start_up_twice_and_no_more() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(MOST_WAITS):
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        rig.say(3, "ready", {"ready": False})
        assert rig.state["starting"] is None
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    rig.say(3, "ready", {"ready": False})
    assert rig.state["starting"]
    pass_time(rig, START_SECONDS - 1)
    rig.say(3, "start", {"game": "bid-and-bait", "options": {}})
    pass_time(rig, 1)
    assert rig.state["state"] == "playing", "another start does not begin the seconds anew"


def test_who_would_start_another_game_lets_the_first_wait_before() -> None:
    rig = TableRig(boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    assert "Seat 1 is starting another game" in rig.say(3, "start", {"game": "bid-it", "options": {}})["error"]
    assert rig.state["starting"]["game"] == "bid-and-bait"
    odd: list[Any] = [None, False, 0, [], {}]
    for preset in odd:
        assert not rig.say(3, "wish", {"game": "bid-it", "preset": preset})["ok"]


def test_a_phone_that_proves_its_earlier_key_is_known(phones: TableRig) -> None:
    keys = {seat: phones.key(seat) for seat in phones.sids}
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    for seat in (1, 2, 3):
        phones.sit_again(seat, [keys[seat]])
    assert phones.say(1, "take_up", {"match": match})["ok"]
    assert phones.state["state"] == "playing"


def test_a_phone_of_another_key_is_a_stranger_at_its_own_seat(phones: TableRig) -> None:
    keys = {seat: phones.key(seat) for seat in phones.sids}
    match = put_aside(phones)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    for seat in (1, 2):
        phones.sit_again(seat, [keys[seat]])
    phones.sit_again(3, [bytes(32)])
    assert phones.say(1, "take_up", {"match": match})["ok"], "the others are asked"
    assert (question(phones)["kind"], question(phones)["seat"]) == ("same_person", 3)
    assert phones.state["state"] == "lobby"


@pytest.mark.parametrize("phone", [False, True])
def test_a_seat_that_was_played_on_its_box_alone_knows_that_box_and_no_phone(phone: bool) -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.press(3, "push")
    rig.start()
    match = put_aside(rig)
    if phone:
        rig.sit(3)
        rig.sids = {seat: rig.sids[seat] for seat in (1, 2, 3)}
    else:
        rig.press(3, "push")
    assert rig.say(1, "take_up", {"match": match})["ok"]
    if phone:
        assert (question(rig)["kind"], question(rig)["voters"]) == ("same_person", [1, 2])
        assert rig.state["state"] == "lobby"
        assert not rig.hand(3)["you"]
    else:
        assert question(rig) is None
        assert rig.state["state"] == "playing"


def test_a_seat_of_which_nothing_is_kept_knows_nobody(phones: TableRig) -> None:
    match = put_aside(phones)
    people = json.loads(phones.store.kept["1", "people"])
    del people[match]["3"]
    phones.store.kept["1", "people"] = json.dumps(people).encode()
    again = TableRig(boxes=False, store=phones.store)
    again.sids = phones.sids
    wake(again, 1, 2, 3)
    again.take(Tick())
    assert again.table.desk.put_aside[0].seats == {"1": "Guest 1", "2": "Guest 2", "3": ""}
    assert again.say(1, "take_up", {"match": match})["ok"]
    assert (question(again)["kind"], question(again)["seat"]) == ("same_person", 3)
    assert question(again)["text"] == "This phone was not in that match. Is it the same person (seat 3)?"


@pytest.mark.parametrize(("people", "strangers", "asked"), [(3, (3,), True), (4, (3, 4), False)])
def test_more_than_half_of_the_people_have_to_be_known_before_anybody_is_asked_about_the_others(
    people: int, strangers: Collection[int], asked: bool
) -> None:
    """The house has the other seats, which do not count."""
    rig = TableRig(5, boxes=False, house=HouseSettings(seats=5 - people))
    rig.sit(*range(1, people + 1))
    rig.start()
    assert staff(rig, "aside")[0]
    match = rig.state["put_aside"][0]["match"]
    for seat in strangers:
        rig.say_leave(seat)
        rig.sit(seat)
    answer = rig.say(1, "take_up", {"match": match})
    assert (answer["ok"], answer["error"]) == ((True, None) if asked else (False, STRANGERS))
    assert bool(question(rig)) is asked


def test_people_on_boxes_are_not_counted_as_known() -> None:
    rig = TableRig(4)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.press(3, "push")
    rig.press(4, "push")
    rig.start()
    assert staff(rig, "aside")[0]
    match = rig.state["put_aside"][0]["match"]
    rig.say_leave(2)
    rig.sit(2)
    rig.press(3, "push")
    rig.press(4, "push")
    assert rig.say(1, "take_up", {"match": match})["error"] == STRANGERS, "of four, one has proved who it is"


def test_a_match_is_not_resumed_beside_a_question_and_not_twice() -> None:
    rig = TableRig(4, boxes=False)
    aside_with_a_stranger(rig)
    match = rig.state["put_aside"][0]["match"]
    refused = rig.say(2, "take_up", {"match": match})
    assert not refused["ok"]
    assert refused["error"].startswith("The table is answering another question")
    assert staff(rig, "again", match=match)[0]
    assert staff(rig, "again", match=match) == (False, "This match is no longer suspended here.")
    assert rig.say(1, "take_up", {"match": match})["error"] == "This match is no longer suspended here."


@pytest.mark.parametrize("agreed", [False, True])
def test_a_person_on_the_box_of_a_seat_that_the_house_had_is_a_stranger_there(agreed: bool) -> None:
    rig = TableRig(3, house=HouseSettings(seats=1))
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start()
    match = put_aside(rig)
    rig.press(3, "push")
    assert not rig.state["seats"][2]["house"], "it was taken from the house"
    assert rig.say(1, "take_up", {"match": match})["ok"]
    assert (question(rig)["kind"], question(rig)["seat"]) == ("same_person", 3)
    assert question(rig)["text"] == "This phone was not in that match. Is it House 3 (seat 3)?"
    for seat in (1, 2) if agreed else ():
        assert rig.say(seat, "vote", {"say": "yes"})["ok"]
    assert rig.state["state"] == ("playing" if agreed else "lobby")
    assert not rig.state["seats"][2]["house"], "and it stays theirs"


def test_the_house_holds_no_seat_for_a_person_who_is_missing_and_has_given_no_name(phones: TableRig) -> None:
    phones.say(3, "name", {"name": ""})
    match = put_aside(phones)
    phones.say_leave(3)
    assert phones.say(1, "house", {"seat": 3, "strength": "easy"})["ok"]
    refused = phones.say(1, "take_up", {"match": match})
    assert refused["error"] == "Not everybody is here: somebody at seat 3 is missing."
    assert staff(phones, "again", match=match) == (False, "Nobody sits at seat 3 yet.")


def test_the_house_comes_back_to_the_seat_of_its_own_that_was_freed() -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seats=1, strength="easy"))
    rig.sit(1, 2)
    rig.start()
    match = put_aside(rig)
    assert rig.say(1, "house", {"seat": 3, "strength": ""})["ok"]
    assert not rig.state["seats"][2]["held"]
    assert rig.say(1, "take_up", {"match": match})["ok"]
    assert (rig.state["seats"][2]["house"], rig.state["seats"][2]["held"]) == ("easy", True)


@pytest.mark.parametrize(("box", "goes_on"), [(1, False), (2, False), (3, True)])
def test_nobody_changes_places_if_a_box_stands_at_either_of_them(box: int, goes_on: bool) -> None:
    """Seats 1 and 3 have played; the phone of seat 1 sits at 2 now, which had no part in the match."""
    rig = TableRig(3)
    rig.sit(1, 3)
    rig.start()
    keys = {seat: rig.key(seat) for seat in (1, 3)}
    rig.say(1, "ask", {"what": "put_aside"})
    rig.say(3, "vote", {"say": "yes"})
    (offer,) = rig.state["put_aside"]
    rig.say_leave(1)
    rig.sit_again(2, [keys[1]])
    rig.take(BoxUp(f"box-{box}", "b1", "1", 8))
    answer = rig.say(3, "take_up", {"match": offer["match"]})
    refused = "\u2068Guest 1\u2069 had seat 1: sit down there again, where its box is."
    assert answer["error"] == (None if goes_on else refused)
    assert rig.state["state"] == ("playing" if goes_on else "lobby")


def test_a_person_who_goes_on_with_the_hand_of_a_phone_on_its_box_has_no_proof_of_it_the_next_time() -> None:
    """Staff let somebody play seat 1 on its box; its hand is still the phone's when the match is suspended once more."""
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit()
    rig.start()
    match = put_aside(rig)
    rig.say_leave(1)
    rig.press(1, "push")
    assert staff(rig, "again", match=match)[0]
    assert staff(rig, "aside")[0]
    rig.press(1, "push")
    assert rig.say(2, "take_up", {"match": rig.state["put_aside"][0]["match"]})["ok"]
    assert rig.state["state"] == "lobby"
    assert (question(rig)["kind"], question(rig)["seat"]) == ("same_person", 1)


def test_no_suspended_match_goes_on_while_the_disk_fails(phones: TableRig) -> None:
    match = put_aside(phones)
    phones.store.broken = "no space"
    phones.say(1, "name", {"name": "Ada"})
    phones.store.broken = ""  # but the table has not tried it again
    assert phones.say(1, "take_up", {"match": match})["error"] == "The table is stopped: no space"
    pass_time(phones, 1)
    assert phones.say(1, "take_up", {"match": match})["ok"]


def test_a_match_that_staff_let_go_on_after_a_long_wait_is_not_suspended_at_once(phones: TableRig) -> None:
    match = put_aside(phones)
    pass_time(phones, IDLE_SECONDS + 5)
    assert staff(phones, "again", match=match)[0]
    pass_time(phones, 5)
    assert (phones.state["state"], phones.state["notices"][0]["key"]) == ("playing", "staff")


def test_what_the_disk_has_lost_of_a_suspended_match_is_told_once_when_it_goes_on(phones: TableRig) -> None:
    match = put_aside(phones)
    phones.store.lost["1"] = Missing(match, had=9, has=7)
    assert phones.say(1, "take_up", {"match": match})["ok"]
    lost = [one["text"] for one in phones.state["notices"] if one["key"] == "lost"]
    assert lost == ["The disk has lost the last 2 actions. The table continues from the one before."]
    assert phones.store.lost == {}


def test_a_match_of_a_game_that_this_table_has_no_more_is_not_offered() -> None:
    both = [games.find(name) for name in ("bid-and-bait", "bid-it")]
    rig = TableRig(boxes=False, offered=both)
    rig.sit()
    rig.start("bid-it")
    put_aside(rig)
    again = TableRig(boxes=False, store=rig.store, offered=both[:1])
    again.sids = rig.sids
    wake(again, 1, 2, 3)
    assert (again.state["state"], again.state["put_aside"], again.table.desk.put_aside) == ("lobby", [], [])


def test_the_game_of_a_resumed_match_is_the_one_that_the_lobby_proposes_after_it() -> None:
    rig = TableRig(boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    rig.start("bid-it")
    match = put_aside(rig)
    for seat in (1, 2):
        rig.say(seat, "wish", {"game": "bid-and-bait"})
    assert rig.state["game"] == "bid-and-bait"
    assert rig.say(1, "take_up", {"match": match})["ok"]
    assert staff(rig, "end")[0]
    assert rig.state["game"] == "bid-it"
    assert rig.state["put_aside"] == []


def of_an_earlier_hub(rig: TableRig, logins: dict[int, tuple[str, str]]) -> None:
    """Write who played a suspended match as hubs did that knew a phone by its login."""
    people = json.loads(rig.store.kept["1", "people"])
    for seats in people.values():
        for seat, login in logins.items():
            seats[str(seat)]["person"] = sha256(":".join(login).encode()).hexdigest()
    rig.store.kept["1", "people"] = json.dumps(people).encode()


def test_phones_that_kept_their_seats_go_on_with_a_match_of_a_hub_that_knew_logins(phones: TableRig) -> None:
    logins = {seat: (sid, phones.phones.admitted[sid]) for seat, sid in phones.sids.items()}
    match = put_aside(phones)
    of_an_earlier_hub(phones, logins)
    again = TableRig(boxes=False, store=phones.store)
    again.sids = phones.sids
    wake(again, 1, 2, 3)
    assert again.say(1, "take_up", {"match": match})["ok"]
    assert again.state["state"] == "playing"


def test_what_a_password_proved_to_an_earlier_hub_counts_no_more(phones: TableRig) -> None:
    logins = {seat: (sid, phones.phones.admitted[sid]) for seat, sid in phones.sids.items()}
    match = put_aside(phones)
    of_an_earlier_hub(phones, logins)
    for seat in (1, 2, 3):
        phones.say_leave(seat)
    phones.sit()
    places = json.loads(phones.store.kept["1", "places"])
    for seat in places:  # the hub before had been given a captured login at each of these seats
        seat["earlier"] = [sha256(":".join(logins[seat["seat"]]).encode()).hexdigest()]
    phones.store.kept["1", "places"] = json.dumps(places).encode()
    again = TableRig(boxes=False, store=phones.store)
    again.sids = phones.sids
    wake(again, 1, 2, 3)
    assert again.say(1, "take_up", {"match": match})["error"] == NOT_YOURS
    answers: list[bool] = []
    again.take(StaffRequest("again", {"match": match}, lambda done, _: answers.append(done)))
    assert answers == [True], "staff know them"
    assert again.state["state"] == "playing"


# --- absent seats --------------------------------------------------------------------------------------


def play_first(rig: TableRig, seat: int) -> None:
    """Let a seat that is asked make the first of its moves."""
    decision = rig.match.open
    assert decision
    if seat in decision.asked and seat not in decision.answers:
        move = decision.offers(seat)[0]
        assert rig.act(seat, move.name, **move.first())["ok"]


def lock_all_but(rig: TableRig, *absent: int) -> None:
    for seat in rig.sids:
        if seat not in absent:
            play_first(rig, seat)


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


def first_asked(rig: TableRig) -> int:
    return int(rig.state["view"]["waiting"]["seats"][0])


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


# --- a new phone ---------------------------------------------------------------------------------------


def test_the_other_players_say_who_comes_with_a_new_phone(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert phones.claim(3, None, "Cleo") is None, "it waits for the others"
    asked = question(phones)
    assert (asked["kind"], asked["seat"], asked["voters"]) == ("new_phone", 3, [1, 2])
    assert asked["text"] == "A new phone, named \u2068Cleo\u2069, asks for seat 3. Is it \u2068Guest 3\u2069?"
    open_question = phones.table._people.questions.open
    assert open_question
    german = language_of("de", "bid-and-bait").translate(open_question.text)
    assert german == ("Ein neues Handy namens \u2068Cleo\u2069 fragt nach Platz 3. Ist das \u2068Guest 3\u2069?", ())
    assert asked["seconds"] == CLAIM_SECONDS
    before = phones.sids[3]
    assert phones.say(1, "vote", {"say": "yes"})["ok"]
    assert before not in phones.phones.released, "one opponent alone gives no hand away"
    assert phones.say(2, "vote", {"say": "yes"})["ok"]
    assert phones.decided[-1].held
    assert before in phones.phones.released


def test_nobody_is_named_in_the_question_about_a_new_phone_if_nobody_has_given_a_name(phones: TableRig) -> None:
    phones.say(3, "name", {"name": ""})
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert phones.claim(3) is None
    assert question(phones)["text"] == "A new phone asks for seat 3. Is it the same person?"


@pytest.mark.parametrize("playing", [False, True])
def test_all_at_the_table_are_asked_about_a_new_phone_and_in_a_match_its_players_alone(playing: bool) -> None:
    rig = TableRig(5, boxes=False)
    rig.sit(1, 2, 3)
    if playing:
        rig.start()
    rig.sit(4)
    sleep(rig, 3)
    pass_time(rig, ASK_SECONDS)
    assert rig.claim(3, None, "Cleo") is None
    assert question(rig)["voters"] == ([1, 2] if playing else [1, 2, 4])


def test_a_stranger_gets_no_seat_that_the_others_do_not_give(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    phones.claim(3, None, "Eve")
    assert phones.say(1, "vote", {"say": "yes"})["ok"]
    assert phones.say(2, "vote", {"say": "no"})["ok"]
    assert not phones.decided[-1].held
    phones.claim(3, None, "Eve")
    assert not phones.decided[-1].held, "and it is not asked again at once"


def test_a_phone_that_has_just_fallen_asleep_is_not_asked_about(phones: TableRig) -> None:
    sleep(phones, 3)
    decided = phones.claim(3, None, "Eve")
    assert decided
    assert not decided.held
    assert question(phones) is None


def test_a_phone_that_is_back_keeps_its_seat_whatever_the_others_say(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    phones.claim(3, None, "Eve")
    wake(phones, 3)
    assert question(phones) is None
    assert not phones.decided[-1].held


def test_one_opponent_is_never_asked_about_the_hand_of_the_other() -> None:
    rig = TableRig(2, boxes=False)
    rig.sit()
    rig.start()
    sleep(rig, 2)
    pass_time(rig, ASK_SECONDS)
    decided = rig.claim(2, None, "Eve")
    assert decided
    assert not decided.held


def test_what_nobody_agreed_to_is_not_asked_again_at_once_and_never_hides_an_absent_seat(phones: TableRig) -> None:
    phones.say(1, "ask", {"what": "end"})
    phones.say(2, "vote", {"say": "no"})
    assert "you may ask again in 60 s" in phones.say(1, "ask", {"what": "end"})["error"]
    assert phones.say(2, "ask", {"what": "put_aside"})["ok"], "others may"
    pass_time(phones, VOTE_SECONDS)
    lock_all_but(phones, 3)
    sleep(phones, 3)
    for _ in range(int(2 * ASK_SECONDS)):
        if not question(phones):
            pass_time(phones, 1)
    assert question(phones)["kind"] == "absent"
    assert not phones.say(1, "ask", {"what": "end"})["ok"]
    assert question(phones)["kind"] == "absent"


def test_a_new_phone_gives_way_to_what_the_table_is_asked_and_may_come_again(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS - 1)
    phones.say(1, "ask", {"what": "put_aside"})
    pass_time(phones, 1)
    decided = phones.claim(3, None, "Cleo")
    assert decided
    assert not decided.held
    pass_time(phones, VOTE_SECONDS)
    assert phones.claim(3, None, "Cleo") is None, "nobody was asked before, so nothing counts against it"


def test_two_waits_are_enough() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(2):
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        assert rig.say(2, "wait")["ok"]
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    assert not rig.say(2, "wait")["ok"]
    pass_time(rig, START_SECONDS)
    assert rig.state["state"] == "playing"
    assert not rig.say(2, "ready", {"ready": "no"})["ok"]


def test_a_phone_that_is_on_is_not_replaced_by_others(phones: TableRig) -> None:
    decided = phones.claim(3, None, "Eve")
    assert decided
    assert not decided.held


# --- the lobby -----------------------------------------------------------------------------------------


def test_the_starts_of_a_match_are_delayed_twelve_times_in_all_whoever_sits_down_anew() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for _ in range(2):  # the count begins anew with each match
        for delays in range(MOST_WAITS * MOST_SEATS):
            if delays % MOST_WAITS == 0:
                rig.say_leave(2)
                rig.sit(2)
            assert rig.say(1, "start", {"game": "bid-and-bait", "options": {}})["ok"]
            assert rig.say(2, "wait")["ok"]
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
        assert not rig.say(3, "wait")["ok"]
        later(rig, START_SECONDS)
        assert rig.state["state"] == "playing"
        assert staff(rig, "end")[0]


def test_a_start_whose_time_is_past_while_the_disk_fails_is_shown_without_seconds() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    rig.store.broken = "no space"
    rig.clock.time += START_SECONDS + 3
    before = len(rig.phones.public)
    rig.say(2, "name", {"name": "Ada"})
    shown = rig.phones.public[before:]
    assert [one["starting"]["seconds"] for one in shown if one["starting"]] == [0]


@pytest.mark.parametrize(("seat", "freed"), [(2, False), (3, False), (4, True), (6, False)])
def test_only_the_seat_of_somebody_who_is_gone_is_freed(seat: int, freed: bool) -> None:
    """Seat 2 is the house's, seat 3 is empty; somebody has pushed box 4, which has just been unplugged."""
    rig = TableRig(4)
    rig.boxes_up()
    rig.sit(1)
    assert rig.say(1, "house", {"seat": 2, "strength": "easy"})["ok"]
    rig.press(4, "push")
    rig.take(BoxDown("box-4", "unplugged"))
    before = [one["held"] for one in rig.state["seats"]]
    assert rig.say(1, "free", {"seat": seat})["ok"] is freed
    assert [one["held"] for one in rig.state["seats"]] == ([*before[:3], False] if freed else before)


def test_the_seat_of_a_player_who_is_gone_is_not_freed_in_a_match(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, LEFT_SECONDS)
    assert not phones.say(1, "free", {"seat": 3})["ok"]
    assert phones.state["seats"][2]["held"]


@pytest.mark.parametrize(
    ("wishes", "chosen"),
    [(("bid-it", "bid-and-bait", "bid-and-bait"), "bid-and-bait"), (("bid-and-bait", "bid-it"), "bid-it")],
)
def test_the_game_with_most_wishes_is_chosen_and_in_a_tie_the_newest(wishes: tuple[str, ...], chosen: str) -> None:
    rig = TableRig(boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    for seat, game in enumerate(wishes, 1):
        assert rig.say(seat, "wish", {"game": game})["ok"]
    assert (rig.state["game"], rig.state["preset"]) == (chosen, "")


def test_what_most_wish_for_is_chosen_after_a_restart_too() -> None:
    offered = [games.find(name) for name in ("bid-and-bait", "bid-it")]
    rig = TableRig(boxes=False, offered=offered)
    rig.sit()
    for seat in (1, 2):
        assert rig.say(seat, "wish", {"game": "bid-it"})["ok"]
    assert TableRig(boxes=False, offered=offered, store=rig.store).state["game"] == "bid-it"


def test_a_match_begins_when_all_are_ready_or_five_seconds_after_one_insists() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    assert rig.say(1, "start", {"game": "bid-and-bait", "options": {}})["ok"]
    assert (rig.state["state"], rig.state["starting"]["seconds"]) == ("lobby", START_SECONDS)
    assert rig.say(2, "wait")["ok"]
    assert rig.state["starting"] is None
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    rig.say(2, "ready")
    assert rig.state["state"] == "lobby"
    rig.say(3, "ready")
    assert rig.state["state"] == "playing"
    other = TableRig(boxes=False)
    other.sit()
    other.say(1, "start", {"game": "bid-and-bait", "options": {}})
    pass_time(other, START_SECONDS)
    assert other.state["state"] == "playing"


def test_a_dead_phone_is_not_dealt_in_and_anybody_seated_frees_its_seat() -> None:
    rig = TableRig(4, boxes=False)
    rig.sit()
    sleep(rig, 4)
    assert not rig.say(1, "free", {"seat": 3})["ok"], "somebody is there"
    rig.ready_but(4)
    assert rig.say(1, "start", {"game": "bid-and-bait", "options": {}})["ok"]
    assert rig.state["starting"], "a phone that sleeps for a moment may come back"
    pass_time(rig, START_SECONDS)
    assert set(rig.state["view"]["seats"]) == {"1", "2", "3"}
    other = TableRig(4, boxes=False)
    other.sit()
    sleep(other, 4)
    pass_time(other, LEFT_SECONDS)
    assert other.say(1, "free", {"seat": 4})["ok"]
    assert not other.state["seats"][3]["held"]


def test_what_most_wish_for_is_chosen() -> None:
    rig = TableRig(boxes=False, offered=[games.find(name) for name in ("bid-and-bait", "bid-it")])
    rig.sit()
    assert rig.say(1, "wish", {"game": "bid-and-bait"})["ok"]
    assert rig.say(2, "wish", {"game": "bid-it"})["ok"]
    assert rig.say(3, "wish", {"game": "bid-it"})["ok"]
    assert [seat["wish"] for seat in rig.state["seats"]] == ["bid-and-bait", "bid-it", "bid-it"]
    assert rig.say(1, "wish", {"game": "bid-and-bait"})["ok"]
    assert rig.state["game"] == "bid-it"
    assert not rig.say(1, "wish", {"game": "chess"})["ok"]
    assert not rig.say(1, "wish", {"game": ["bid-it"]})["ok"]
    rig.start("bid-it")
    assert not rig.say(1, "wish", {"game": "bid-it"})["ok"]
    assert {seat["wish"] for seat in rig.state["seats"]} == {""}


# --- the law -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("look", "within"),
    [(VOTE_SECONDS / 2, 2 * (ASK_SECONDS + VOTE_SECONDS)), (ASK_SECONDS + HOUSE_SECONDS, 10 * ASK_SECONDS)],
    ids=["who looks", "who looks once a minute"],
)
@pytest.mark.parametrize("game", games.names())
def test_whoever_is_there_can_always_bring_the_table_on(game: str, look: float, within: float) -> None:
    """People, phones and time at random; then one who stays: in time something is done, or the lobby is open.

    A question about an absent seat is open for `VOTE_SECONDS` after `ASK_SECONDS`, and once more after twice as long. Who looks
    within a question's time is there for the first one or for the second. Who looks once a minute may miss some, and
    gets there later.
    """
    random, found = Random(game), games.find(game)
    for _ in range(3):
        seats = max(3, found.seats[0])
        rig = TableRig(seats, boxes=False, offered=[found], seed=random.randrange(99))
        rig.sit(*range(1, seats + 1))
        rig.start(game)
        for _ in range(30):
            seat = random.choice(list(rig.sids))
            random.choice([sleep, sleep, wake])(rig, seat)
            if random.random() < 0.3:
                rig.say(seat, *random.choice([("pause", {}), ("ask", {"what": "put_aside"}), ("ask", {"what": "end"})]))
            if question(rig) and random.random() < 0.5:
                rig.say(seat, "vote", {"say": random.choice(list(question(rig)["options"]))})
            pass_time(rig, random.randrange(20))
            if rig.state["state"] != "playing":
                break
        if rig.state["state"] != "playing":
            continue
        stays = random.choice(list(rig.sids))
        sleep(rig, *(seat for seat in rig.sids if seat != stays))
        wake(rig, stays)
        if rig.state["paused"]:
            rig.say(stays, "pause")
        for _ in range(12):
            before = len(rig.match.log)
            for _ in range(int(within / look)):
                bring_on(rig, stays)
                pass_time(rig, look)
                if rig.state["state"] != "playing" or len(rig.match.log) > before:
                    break
            assert rig.state["state"] != "playing" or len(rig.match.log) > before
            if rig.state["state"] != "playing":
                break


def bring_on(rig: TableRig, seat: int) -> None:
    """Do the one thing that is asked of this seat, if there is one."""
    asked = question(rig)
    if asked and seat in asked["voters"]:
        rig.say(seat, "vote", {"say": "house" if "house" in asked["options"] else "no"})
        return
    match = rig.match
    dice: dict[str, Any] = rig.state["dice"]
    if dice and seat not in dice["votes"] and (dice["votes"] or dice["seat"] == seat):
        rig.say(seat, "dice", {"say": "hub"})
    elif match.open and seat in match.open.asked and seat not in match.open.answers:
        move = match.open.offers(seat)[-1]
        rig.say(seat, "act", {"move": move.name, **move.first()})


STEP_SECONDS = 15
"""How often who stays looks at what is asked."""


class Evening:
    """People, phones, boxes, staff and time at random; then one who stays and does what is asked of them."""

    def __init__(self, game: str, random: Random) -> None:
        self.random, self.game = random, game
        found = games.find(game)
        self.seats = max(3, found.seats[0])
        self.rig = TableRig(self.seats, offered=[found], seed=random.randrange(99))
        self.rig.boxes_up()
        self.lock: dict[str, int] = {}  # by box: the round that it has locked

    @property
    def state(self) -> str:
        found: str = self.rig.state["state"]
        return found

    def begin(self) -> None:
        """Some sit down on phones, the others on their boxes; a match begins."""
        rig = self.rig
        phones = [seat for seat in range(1, self.seats + 1) if self.random.random() < 0.5]
        if phones:
            rig.sit(*phones)
        for seat in phones:
            rig.say(seat, "ready", {"ready": True})
        boxes = [seat for seat in range(1, self.seats + 1) if seat not in phones]
        for seat in boxes:
            rig.press(seat, "push")
        if phones:
            rig.say(phones[0], "start", {"game": self.game, "options": {}})
            pass_time(rig, START_SECONDS + 1)
        else:
            rig.press(boxes[0], "push", "push")
        assert self.state == "playing", rig.notice()

    def staff(self, verb: str, **args: Any) -> bool:
        done: list[bool] = []
        self.rig.take(StaffRequest(verb, args, lambda ok, _: done.append(ok)))
        assert len(done) == 1
        return done[0]

    def plug(self, seat: int, *, on: bool) -> None:
        """Put a box's cable in or out. It kept its power, and so its lock."""
        box = f"box-{seat}"
        self.rig.take(BoxUp(box, "b1", "1", 8) if on else BoxDown(box, "unplugged"))
        sealed = self.rig.boxes.rounds.get(box)
        if on and sealed and self.lock.get(box) == sealed.round:
            self.rig.take(BoxLocked(box, sealed.round))

    def press_at_random(self, seat: int) -> None:
        """A person's hands on a box, as its firmware tells of them: in a sealed choice of the lock alone."""
        box, random = f"box-{seat}", self.random
        sealed = self.rig.boxes.rounds.get(box)
        if not self.rig.table._seats[seat].box_on:
            return
        if sealed and self.lock.get(box) != sealed.round:
            if random.random() < 0.7:
                self.lock[box] = sealed.round
                self.rig.take(BoxLocked(box, sealed.round))
        elif sealed:
            if random.random() < 0.2:
                del self.lock[box]
                self.rig.take(BoxUnlocked(box, sealed.round))
            else:
                self.rig.press(seat, random.choice(["k1", "k2", "k3"]))
        elif random.random() < 0.3:
            self.rig.take(Turn(box, random.choice([-2, -1, 1, 3])))
        else:
            self.rig.take(Key(box, random.choice(CONTROLS), random.choice(["down", "down", "down", "hold"])))
        self.open_boxes()

    def open_boxes(self) -> None:
        """Boxes that are asked to open what they have locked do."""
        rig = self.rig
        for what in list(rig.boxes.sent):
            if what[0] == "reveal" and self.lock.get(what[1]) == what[2] and what[1] in rig.boxes.rounds:
                del self.lock[what[1]]
                rig.take(BoxBid(what[1], what[2], 0))
        rig.boxes.sent.clear()

    def step(self) -> None:
        """Something happens at the table."""
        rig, random = self.rig, self.random
        seat = random.randint(1, self.seats)
        kind = random.random()
        if seat in rig.sids and kind < 0.3:
            random.choice([sleep, wake])(rig, seat)
        elif seat in rig.sids and kind < 0.4:
            rig.say(
                seat,
                *random.choice([("pause", {}), ("ask", {"what": "put_aside"}), ("ask", {"what": "end"}), ("help", {})]),
            )
        elif seat in rig.sids and kind < 0.55 and self.state == "playing":
            bring_on(rig, seat)
        elif kind < 0.7:
            self.plug(seat, on=random.random() < 0.6)
        elif kind < 0.94:
            self.press_at_random(seat)
        else:
            self.staff_at_random(seat)
        self.open_boxes()
        if question(rig) and random.random() < 0.3:
            voters = [one for one in question(rig)["voters"] if one in rig.sids]
            if voters:
                rig.say(random.choice(voters), "vote", {"say": random.choice(list(question(rig)["options"]))})
        pass_time(rig, random.randrange(12))
        self.open_boxes()

    def staff_at_random(self, seat: int) -> None:
        events = self.rig.state["events"]
        asks: list[tuple[str, dict[str, Any]]] = [
            ("free", {"seat": seat}), ("undo", {"after": events[-1]["n"] if events else -1}), ("aside", {}), ("end", {}),
            ("reset", {"match": self.random.choice(["aside", "end"])}), ("light", {"percent": 60}),
            ("volume", {"percent": self.random.randrange(101)}),
        ]  # fmt: skip
        verb, args = self.random.choice(asks)
        self.staff(verb, **args)
        taken = [one["seat"] for one in self.rig.state["seats"] if one["phone"] == "none"]
        for gone in taken:
            self.rig.sids.pop(gone, None)

    def one_stays(self) -> int:
        """All go but one, who has a phone or a box that is plugged in; the others' boxes lie there, on or off."""
        rig, random = self.rig, self.random
        stays = random.choice([int(number) for number in rig.state["view"]["seats"]])
        sleep(rig, *(seat for seat in rig.sids if seat != stays))
        for seat in range(1, self.seats + 1):
            if seat != stays and random.random() < 0.5:
                self.plug(seat, on=False)
        self.plug(stays, on=True)
        if stays in rig.sids:
            wake(rig, stays)
        return stays

    def answer(self, seat: int) -> None:
        """Do what is asked of who stays, on the phone, else on the box."""
        rig = self.rig
        if rig.state["paused"]:
            self.go_on(seat)
        if seat in rig.sids:
            bring_on(rig, seat)
        else:
            self.press_what_is_asked(seat)
        self.open_boxes()

    def go_on(self, seat: int) -> None:
        if seat in self.rig.sids:
            self.rig.say(seat, "pause")
        elif f"box-{seat}" not in self.rig.boxes.rounds:
            self.rig.take(Turn(f"box-{seat}", -9))
            self.rig.press(seat, "push")

    def press_what_is_asked(self, seat: int) -> None:
        """A question: let the house play, else no. A sealed choice: lock. Else yes, and then something else."""
        rig, box = self.rig, f"box-{seat}"
        asked = question(rig)
        sealed = rig.boxes.rounds.get(box)
        if asked and seat in asked["voters"]:
            rig.press(seat, "k3" if len(asked["options"]) == 3 else "bar")
        elif sealed and self.lock.get(box) != sealed.round:
            self.lock[box] = sealed.round
            rig.take(BoxLocked(box, sealed.round))
        elif sealed:  # a box tells of nothing else now
            if rig.state["paused"]:
                del self.lock[box]
                rig.take(BoxUnlocked(box, sealed.round))
        elif rig.state["dice"]:
            rig.take(Key(box, "push", "down"))
            if rig.state["dice"] and rig.state["dice"]["seat"] == seat:
                rig.press(seat, "k3", "push")
        elif str(seat) not in rig.state["view"]["waiting"]["seats"]:
            return
        elif self.random.random() < 0.7:
            rig.press(seat, "push")
        else:
            rig.take(Turn(box, 1))
            rig.press(seat, self.random.choice(["push", "bar", "k1"]))


@pytest.mark.slow
@pytest.mark.parametrize("game", games.names())
def test_whoever_is_there_can_always_bring_the_table_on_with_boxes_and_staff_about(game: str) -> None:
    """Whatever people, cables and staff do, one who stays with a phone or a box brings the match on, or the lobby opens."""
    random = Random(f"boxes and staff, {game}")
    tried = 0
    for _ in range(12):
        evening = Evening(game, random)
        evening.begin()
        for _ in range(random.randrange(40)):
            evening.step()
            if evening.state != "playing":
                break
        if evening.state != "playing":
            continue
        stays = evening.one_stays()
        tried += 1
        for _ in range(6):
            before, rig = rig_log(evening.rig), evening.rig
            for _ in range(int(2 * evening.seats * (ASK_HERE_SECONDS + VOTE_SECONDS) / STEP_SECONDS)):
                evening.answer(stays)
                pass_time(rig, STEP_SECONDS)
                if evening.state != "playing" or rig_log(rig) != before:
                    break
            assert evening.state != "playing" or rig_log(rig) != before, stuck(evening, stays)
            if evening.state != "playing":
                break
    assert tried


def rig_log(rig: TableRig) -> tuple[str, int]:
    """Which match the table plays, and how long its log is."""
    match = rig.store.current["1"]
    return match, len(rig.store.entries[match])


def stuck(evening: Evening, stays: int) -> str:
    rig = evening.rig
    state = {
        key: rig.state[key]
        for key in ("state", "question", "paused", "locked", "nudged", "dice", "notices", "seats", "want")
    }
    return f"seat {stays} cannot bring it on: {state} {rig.state['view']['waiting']} {rig.boxes.texts}"


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


def two_put_aside(rig: TableRig) -> None:
    """Two of three put the match aside."""
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    assert rig.state["state"] == "lobby"


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
