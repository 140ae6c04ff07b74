"""Notices about the broker, and about seats that move to another phone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from hub.ports import BrokerDown, BrokerUp
from hub.table.seating.conditions import NO_BROKER, post_moved_seats, update_notices
from tests.table.fakes import TableRig
from tests.table.guests import keys


@pytest.fixture
def rig() -> TableRig:
    rig = TableRig(3, boxes=False)
    rig.sit()
    return rig


def notices(rig: TableRig) -> list[tuple[str, str]]:
    rig.table._show()
    return [(one["key"], one["text"]) for one in rig.state["notices"]]


@pytest.mark.parametrize(("was_down", "away_since"), [(True, None), (False, 900.0)])
def test_phones_are_away_from_the_moment_in_which_they_can_be_reached_again(
    rig: TableRig, was_down: bool, away_since: float | None
) -> None:
    seats = rig.table._seats
    if was_down:
        update_notices(BrokerDown("It is gone."), rig.table._notices, seats)
        assert notices(rig) == [("broker", NO_BROKER)]
        assert not any(seat.phone_on for seat in seats)
    for seat in seats:
        seat.away_since = 900.0
    update_notices(BrokerUp(), rig.table._notices, seats)
    assert notices(rig) == []
    assert {seat.away_since for seat in seats} == {away_since}


@pytest.mark.parametrize(
    ("sid", "joined", "playing", "key"),
    [
        ("old", True, [2], "taken"),
        ("old", True, [], "taken"),
        ("", True, [2], "on_phone"),
        ("", True, [1], ""),
        ("", False, [2], ""),
    ],
)
def test_everybody_is_told_that_a_seat_in_use_has_another_phone(
    rig: TableRig, sid: str, joined: bool, playing: Collection[int], key: str
) -> None:
    """Seat 2 has a new phone; before, it had this login or none."""
    seats = rig.table._seats
    rig.table._notices.post("not_started", "It was refused.")
    before = {seat.number: (seat.sid, seat.joined) for seat in seats} | {2: (sid, joined)}
    assert post_moved_seats(before, seats, playing, rig.table._notices)
    assert [one for one, _ in notices(rig)] == ([f"{key}:2"] if key else []), "and the lobby starts afresh"


@pytest.mark.parametrize("change", ["none", "moved", "left"])
def test_nothing_is_told_of_a_phone_that_stays_at_the_table_or_leaves_it(rig: TableRig, change: str) -> None:
    seats = rig.table._seats
    rig.table._notices.post("not_started", "It was refused.")
    before: dict[int, Any] = {seat.number: (seat.sid, seat.joined) for seat in seats}
    if change == "moved":
        before[1], before[2] = before[2], before[1]
    elif change == "left":
        seats[2].sid = ""
    assert not post_moved_seats(before, seats, [1, 2, 3], rig.table._notices)
    rig.table._show()
    assert keys(rig) == ["not_started"]
