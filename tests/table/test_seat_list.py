"""Who counts as being at a seat, and what of a seat survives a restart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf
from typing import Any

import pytest

from hub.errors import LogError
from hub.table.base.kept import KeptValues
from hub.table.seating.seat import Seat, person_of
from hub.table.seating.seat_list import ACTIVE_SECONDS, HAND_OVER_SECONDS, SeatList
from tests.table.fakes import TableRig

PHONE: dict[str, Any] = {"sid": "s" * 16, "password": "p" * 32, "phone_key": bytes(32), "joined": True}
"""What a seat has while a phone holds it."""
NOW = 1000.0
"""What the rig's clock shows."""


@pytest.fixture
def rig() -> TableRig:
    return TableRig(3, boxes=False)


def seats_of(rig: TableRig) -> SeatList:
    kept = KeptValues("1", rig.store)
    kept.open()
    return SeatList(3, kept, rig.ports, list)


def with_seat(rig: TableRig, fields: Mapping[str, Any], number: int = 2) -> tuple[SeatList, Seat]:
    """Return seats, of which one has these fields."""
    seats = seats_of(rig)
    seat = seats[number]
    for name, value in fields.items():
        setattr(seat, name, value)
    return seats, seat


# --- who is there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        (PHONE | {"phone_on": True, "away_since": NOW - 50, "touched_at": NOW - 20}, 0.0),
        (PHONE, 0.0),  # it has been given the seat just now
        (PHONE | {"away_since": NOW - 50}, 50.0),
        (PHONE | {"away_since": NOW - 50, "touched_at": NOW - 20}, 20.0),
        (PHONE | {"away_since": NOW - 50, "touched_at": NOW - 80}, 50.0),
        ({"joined": True, "on_box": True, "touched_at": NOW - 20}, 20.0),
        ({"joined": True, "away_since": NOW - 50}, inf),
        ({}, inf),
    ],
)
def test_a_seat_is_silent_since_its_phone_or_its_box_was_heard_last(
    rig: TableRig, fields: Mapping[str, Any], seconds: float
) -> None:
    seats, seat = with_seat(rig, fields)
    assert seats.silent_seconds(seat) == seconds


@pytest.mark.parametrize(
    ("fields", "silent"),
    [
        (PHONE, 50.0),
        ({"joined": True, "on_box": True}, 50.0),
        ({"joined": True}, inf),
        (PHONE | {"on_box": True}, 50.0),
    ],
)
def test_silence_from_before_a_restart_counts_for_whoever_has_the_seat(
    rig: TableRig, fields: Mapping[str, Any], silent: float
) -> None:
    seats, seat = with_seat(rig, fields)
    seats.set_silent(seat, 50.0)
    assert seats.silent_seconds(seat) == silent


@pytest.mark.parametrize(
    ("fields", "active"),
    [
        ({}, False),
        (PHONE, False),
        (PHONE | {"phone_on": True}, True),
        ({"touched_at": NOW - ACTIVE_SECONDS + 1}, True),
        ({"touched_at": NOW - ACTIVE_SECONDS}, False),
        (PHONE | {"phone_on": True, "touched_at": NOW - ACTIVE_SECONDS}, True),
    ],
)
def test_a_seat_is_active_while_its_phone_is_connected_and_for_three_minutes_after_a_touch(
    rig: TableRig, fields: Mapping[str, Any], active: bool
) -> None:
    seats, seat = with_seat(rig, fields)
    assert seats.is_active(seat.number) is active


@pytest.mark.parametrize(
    ("fields", "presence", "is_dealt_in", "is_present"),
    [
        ({}, "away", False, False),
        (PHONE | {"phone_on": True}, "here", True, True),
        (PHONE | {"phone_on": True, "joined": False}, "here", False, True),
        (PHONE, "away", False, False),
        (PHONE | {"box_on": True, "away_since": NOW - ACTIVE_SECONDS + 1}, "asleep", True, False),
        (PHONE | {"box_on": True, "away_since": NOW - ACTIVE_SECONDS}, "asleep", False, False),
        (PHONE | {"box_on": True, "on_box": True}, "here", True, True),
        ({"joined": True, "box_on": True, "on_box": True}, "here", True, True),
        ({"joined": True, "box_on": True}, "away", False, False),
        ({"joined": True, "on_box": True}, "away", False, False),
        ({"joined": True, "house": "easy"}, "here", True, False),
        (PHONE | {"house": "easy", "stands_in": True}, "away", False, False),
        (PHONE | {"house": "easy", "stands_in": True, "phone_on": True}, "here", True, False),
    ],
)
def test_who_is_there_is_dealt_in_and_asked(
    rig: TableRig, fields: Mapping[str, Any], presence: str, is_dealt_in: bool, is_present: bool
) -> None:
    """The house is dealt in, but nobody asks it. A phone that has just fallen asleep beside its box is dealt in."""
    seats, seat = with_seat(rig, fields)
    assert seat.presence == presence
    assert seats.dealt_in() == ([2] if is_dealt_in else [])
    assert seats.present([1, 2]) == ([2] if is_present else [])
    assert seats.present([1, 3]) == []


@pytest.mark.parametrize(
    ("fields", "whose"),
    [
        ({"joined": True}, False),  # somebody has left it
        ({"joined": True, "on_box": True}, True),
        (PHONE, True),
        (PHONE | {"joined": False}, False),
        ({"joined": True, "house": "easy", "on_box": True}, False),
        (PHONE | {"house": "easy", "stands_in": True}, True),
    ],
)
def test_a_seat_is_a_persons_by_a_phone_or_a_touched_box(rig: TableRig, fields: Mapping[str, Any], whose: bool) -> None:
    assert with_seat(rig, fields)[1].is_somebodys is whose


@pytest.mark.parametrize(
    ("fields", "on_box", "writes"),
    [
        ({"joined": True}, True, 1),
        ({}, True, 0),
        (PHONE, True, 0),
        (PHONE | {"phone_on": True}, False, 0),
        ({"joined": True, "on_box": True}, True, 0),
    ],
)
def test_a_touch_means_a_person_on_the_box_and_is_written_only_if_no_phone_proves_it(
    rig: TableRig, fields: Mapping[str, Any], on_box: bool, writes: int
) -> None:
    seats, seat = with_seat(rig, fields)
    before = rig.order.count("keep places")
    seats.on_touch(seat)
    assert (seat.on_box, seat.touched_at) == (on_box, NOW)
    assert rig.order.count("keep places") - before == writes


@pytest.mark.parametrize(("met", "on", "writes"), [(False, True, 1), (True, True, 0), (False, False, 0)])
def test_only_the_first_connection_of_a_phone_is_written(rig: TableRig, met: bool, on: bool, writes: int) -> None:
    seats, seat = with_seat(rig, PHONE | {"has_connected": met})
    before = rig.order.count("keep places")
    seats.on_connection(seat, on=on)
    assert (seat.phone_on, seat.has_connected) == (on, met or on)
    assert rig.order.count("keep places") - before == writes


def test_touches_and_connections_count_while_the_disk_fails(rig: TableRig) -> None:
    seats, seat = with_seat(rig, {"joined": True})
    rig.store.broken = "no space"
    seats.on_touch(seat)
    seats.on_connection(seat, on=True)
    assert (seat.on_box, seat.has_connected) == (True, True)


@pytest.mark.parametrize(
    ("fields", "away_since", "on_box", "changed"),
    [
        ({}, None, False, False),
        ({"away_since": NOW - 5}, None, False, False),
        (PHONE, NOW, False, False),
        (PHONE | {"away_since": NOW - 5}, NOW - 5, False, False),
        (PHONE | {"away_since": NOW - 5, "phone_on": True}, None, False, False),
        (PHONE | {"on_box": True, "phone_on": True}, None, False, False),
        (PHONE | {"on_box": True, "touched_at": NOW - ACTIVE_SECONDS + 1}, NOW, True, False),
        (PHONE | {"on_box": True, "touched_at": NOW - ACTIVE_SECONDS}, NOW, False, True),
        ({"joined": True, "on_box": True, "touched_at": NOW - ACTIVE_SECONDS}, None, True, False),
    ],
)
def test_a_sleeping_phone_loses_its_box_three_minutes_after_the_last_touch(
    rig: TableRig, fields: Mapping[str, Any], away_since: float | None, on_box: bool, changed: bool
) -> None:
    """A person who plays on a box alone may think for longer. A connected phone is the better sign, so nothing is shown."""
    seats, seat = with_seat(rig, fields)
    assert seats.update_phones() is changed
    assert (seat.away_since, seat.on_box) == (away_since, on_box)


# --- boxes, names and codes --------------------------------------------------------------------------------


def test_a_new_box_goes_to_a_seat_without_one_and_else_to_one_whose_box_is_lost(rig: TableRig) -> None:
    seats = seats_of(rig)
    seats.bind("a", 1)
    assert [seat.number for seat in seats.without_box()] == [2, 3]
    for number, box in enumerate("abc", 1):
        seats.bind(box, number)
        seats[number].box_on = number != 2
    assert [seat.number for seat in seats.without_box()] == [2]


def test_a_box_is_at_one_seat(rig: TableRig) -> None:
    seats = seats_of(rig)
    seats.bind("a", 1)
    seats.bind("b", 2)
    seats[1].box_on = seats[2].box_on = True
    seats.bind("a", 3)
    assert [(seat.box, seat.box_on) for seat in seats] == [("", False), ("b", True), ("a", False)]
    seats.bind("b", 4)
    assert seats.of_box("b") is seats[2], "there is no seat 4"
    seats.bind("b", 2)
    assert seats[2].box_on, "it was there before"
    assert seats.of_box("c") is None


@pytest.mark.parametrize(
    ("name", "number", "similar"), [("Ada", 1, True), ("ADA", 3, True), ("Ada", 2, False), ("Ben", 1, False)]
)
def test_two_people_at_a_table_have_names_that_differ(rig: TableRig, name: str, number: int, similar: bool) -> None:
    seats, seat = with_seat(rig, {"joined": True, "name": "Ada"})
    assert seats.has_similar_name(name, number) is similar
    seat.joined = False
    assert not seats.has_similar_name(name, number), "nobody is called that any more"


@pytest.mark.parametrize(
    ("passed", "left"), [(0, HAND_OVER_SECONDS), (0.5, HAND_OVER_SECONDS), (119, 1), (120, 0), (125, 0)]
)
def test_a_code_to_scan_shows_how_long_it_is_valid(rig: TableRig, passed: float, left: int) -> None:
    seats, seat = with_seat(rig, PHONE)
    assert seats.hand_over_seconds(seat) == 0
    seats.show_hand_over(seat)
    rig.clock.time += passed
    assert seats.hand_over_seconds(seat) == left
    seat.hand_over = ""
    assert seats.hand_over_seconds(seat) == 0


@pytest.mark.parametrize(
    ("fields", "phone", "box"),
    [
        ({}, "none", "none"),
        ({"box": "a"}, "none", "lost"),
        ({"box": "a", "box_on": True}, "none", "on"),
        (PHONE, "away", "none"),
        (PHONE | {"phone_on": True}, "on", "none"),
    ],
)
def test_everybody_sees_whether_phone_and_box_of_a_seat_are_connected(
    rig: TableRig, fields: Mapping[str, Any], phone: str, box: str
) -> None:
    shown = with_seat(rig, fields)[1].public()
    assert (shown.seat, shown.phone, shown.box) == (2, phone, box)


def test_everybody_sees_who_sits_there_and_what_they_wish(rig: TableRig) -> None:
    fields = PHONE | {"name": "Ada", "wish": "bid-it", "ready": True, "house": "easy", "stands_in": True}
    shown = with_seat(rig, fields)[1].public()
    assert (shown.name, shown.held, shown.ready, shown.wish) == ("Ada", True, True, "bid-it")
    assert (shown.house, shown.stands_in, shown.presence) == ("easy", True, "away")


@pytest.mark.parametrize(
    ("fields", "person", "known"),
    [
        (PHONE | {"has_connected": True}, person_of(bytes(32)), True),
        (PHONE | {"has_connected": True, "earlier_persons": ["e"]}, "e", True),
        (PHONE | {"has_connected": True}, "e", False),
        (PHONE | {"has_connected": True}, "", False),
        (PHONE, person_of(bytes(32)), False),  # it may be a replay of an old claim
        ({"joined": True, "has_connected": True, "earlier_persons": ["e"]}, "e", False),
    ],
)
def test_only_a_phone_that_has_connected_proves_who_somebody_is(
    rig: TableRig, fields: Mapping[str, Any], person: str, known: bool
) -> None:
    assert with_seat(rig, fields)[1].is_person(person) is known


# --- on disk ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        PHONE | {"name": "Ada", "has_connected": True, "earlier_persons": ["e"], "ready": True, "wish": "bid-it"},
        PHONE | {"phone_key": bytes(range(32)), "house": "easy", "stands_in": True},
        PHONE | {"on_box": True, "box": "b"},
        {"joined": True, "on_box": True, "house_before": "easy"},
        {"joined": True, "left_by": "f", "name": "Ada"},
        {"joined": True, "house": "easy", "ready": True},
        {"code": "BCDFGH"},
    ],
)
def test_a_seat_is_the_same_after_a_restart(rig: TableRig, fields: Mapping[str, Any]) -> None:
    seats, _ = with_seat(rig, fields)
    seats.save()
    again = seats_of(rig)
    again.restore()
    assert list(again) == list(seats)
    assert list(rig.phones.admitted.items()) == ([("s" * 16, "p" * 32)] if "sid" in fields else [])


@pytest.mark.parametrize(
    ("fields", "on_box"),
    [
        ({}, True),
        ({"sid": "s"}, False),
        ({"left": "f"}, False),
        ({"joined": False}, False),
        ({"house": "easy"}, False),
        ({"on_box": False}, False),
        ({"on_box": True, "sid": "s"}, True),
        ({"on_box": True, "joined": False}, False),
    ],
)
def test_an_older_hub_left_a_person_on_a_box_if_no_phone_had_the_seat(
    rig: TableRig, fields: dict[str, Any], on_box: bool
) -> None:
    kept: dict[str, Any] = {
        "seat": 2, "code": "1234", "sid": "", "password": "", "phone_key": "A" * 43 + "=", "name": "", "box": "",
        "joined": True,
    }  # fmt: skip
    rig.store.keep("1", "places", json.dumps([kept | fields, kept | {"seat": 9}]).encode())
    seats = seats_of(rig)
    seats.restore()
    assert seats[2].on_box is on_box
    assert len(seats[2].code) == 6, "its code had four digits"
    assert seats[2].ready is ("house" in fields), "the house is always ready"
    assert [seat.number for seat in seats] == [1, 2, 3], "a seat that is gone stays away"


def test_a_change_that_the_disk_does_not_take_is_undone(rig: TableRig) -> None:
    seats, seat = with_seat(rig, {"joined": True, "name": "Ada"})
    rig.store.broken = "no space"
    with pytest.raises(LogError), seats.changing(seat):
        seat.name = "Ben"
    assert seat.name == "Ada"
    rig.store.broken = ""
    with seats.changing(seat):
        seat.name = "Ben"
    assert seat.name == "Ben"


# --- seats that are left and taken --------------------------------------------------------------------------

PERSON: dict[str, Any] = PHONE | {
    "name": "Ada", "ready": True, "wish": "bid-it", "on_box": True, "touched_at": NOW, "phone_on": True, "left_by": "f",
    "hand_over": "B" * 16, "earlier_persons": ["e"], "box": "b", "box_on": True,
}  # fmt: skip
"""What a seat has while a person with a phone and a box sits there."""


def left(rig: TableRig, fields: Mapping[str, Any], *, playing: bool) -> Seat:
    """Return a seat with these fields after it was released."""
    rig.phones.admitted["s" * 16] = ""
    seat = rig.table._seats[2]
    for name, value in fields.items():
        setattr(seat, name, value)
    code = seat.code
    rig.table._seats.release(seat, playing=playing)
    assert seat.code != code, "whoever knows the old code cannot come back with it"
    assert rig.phones.released == (["s" * 16] if "sid" in fields else [])
    return seat


def test_nothing_of_a_person_stays_at_a_seat_that_is_free(rig: TableRig) -> None:
    seat = left(rig, PERSON, playing=False)
    assert seat == Seat(2, seat.code, box="b", box_on=True)


def test_a_person_who_leaves_a_match_keeps_the_seat_by_name_and_by_the_phone_that_was_there(rig: TableRig) -> None:
    seat = left(rig, PERSON, playing=True)
    here = person_of(bytes(32))
    assert seat == Seat(
        2, seat.code, name="Ada", joined=True, ready=True, wish="bid-it", left_by=here, box="b", box_on=True
    )


def test_the_hand_of_a_phone_stays_its_own_when_a_person_on_the_box_leaves_as_well(rig: TableRig) -> None:
    seat = left(rig, {"joined": True, "on_box": True, "left_by": "f"}, playing=True)
    assert (seat.joined, seat.on_box, seat.left_by) == (True, False, "f")


@pytest.mark.parametrize("playing", [True, False])
def test_a_seat_that_was_taken_from_the_house_goes_back_to_it_in_a_match_alone(rig: TableRig, playing: bool) -> None:
    seat = left(rig, PHONE | {"name": "Ada", "house_before": "easy"}, playing=playing)
    back = Seat(2, seat.code, joined=True, ready=True, house="easy")
    assert seat == (back if playing else Seat(2, seat.code))


@pytest.mark.parametrize(("stands_in", "before", "ready"), [(False, "easy", False), (True, "", True)])
def test_only_a_seat_of_the_houses_own_is_taken_from_it_and_its_readiness_with_it(
    stands_in: bool, before: str, ready: bool
) -> None:
    seat = Seat(2, "", joined=True, ready=True, house="easy", stands_in=stands_in)
    seat.take_from_house()
    assert (seat.house, seat.stands_in, seat.house_before, seat.ready) == ("", False, before, ready)
