"""A suspended match goes on with its own people: no hand goes to somebody else."""

from __future__ import annotations

import json
from collections.abc import Collection
from hashlib import sha256

import pytest

from hub import games
from hub.errors import StartRefused
from hub.ports import BoxUp, Missing, PhoneLink, StaffRequest, Tick
from hub.table.people.endings import IDLE_SECONDS, NOT_YOURS, READ_SECONDS, STRANGERS
from hub.table.people.house_seats import HouseSettings
from hub.table.seating.questions import caption
from tests.table.fakes import TableRig
from tests.table.guests import pass_time, put_aside, question, sleep, staff, wake


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


def test_who_has_played_against_the_house_alone_resumes_beside_a_friend_without_a_question() -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seats=2))
    rig.sit(1)
    rig.start()
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    match = rig.state["put_aside"][0]["match"]
    rig.sit(2)
    assert rig.say(1, "take_up", {"match": match})["ok"]
    assert (rig.state["state"], rig.state["question"]) == ("playing", None)
    assert [bool(seat["house"]) for seat in rig.state["seats"]] == [False, False, True]


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
