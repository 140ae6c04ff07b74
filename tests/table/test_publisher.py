"""The pictures that phones, rings and panels get: of a table that plays, waits for its disk, or has stopped."""

from __future__ import annotations

from typing import Any

import pytest

from hub.ports import BoxDown, BoxUp, StaffRequest, Tick
from hub.table.base.slow_disk import SLOW_DISK, SLOW_SECONDS
from hub.table.faults import RESTARTED, STOPPED
from hub.table.people.people import People
from hub.table.views.publisher import Publisher
from tests.table.fakes import TableRig
from tests.table.test_faults import Guarded, failing, playing
from tests.table.test_notices import SlowStore


def notices(picture: Any) -> list[tuple[str, str, str, bool]]:
    return [(one.key, one.severity, one.text, one.can_acknowledge) for one in picture.notices]


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Guarded:
    """A table that stays stopped after repeated errors in the middle of a match."""
    rig = playing()
    rig.take(StaffRequest("light", {"percent": 30}, lambda *_: None))
    with monkeypatch.context() as broken:
        broken.setattr(People, "run_due", failing)
        rig.take(Tick(), Tick())
    assert rig.table.fault == STOPPED
    return rig


def test_a_stopped_table_shows_its_last_picture_with_the_reason_alone(stopped: Guarded) -> None:
    before, state = stopped.phones.public[-2], stopped.state
    assert state["state"] == "stopped"
    changed = {key for key in state if state[key] != before.get(key)} - {"texts"}
    assert changed <= {"state", "notices", "seq"}
    assert state["seq"] == before["seq"] + 1
    expected = [("fault", "error", STOPPED, False)]
    assert [(one["key"], one["severity"], one["text"], one["can_acknowledge"]) for one in state["notices"]] == expected
    screen = stopped.page.newest
    assert screen
    assert notices(screen) == expected
    assert (screen.seq, screen.state, screen.view is None) == (state["seq"], "stopped", False)
    assert (screen.name, screen.code, screen.light) == (state["name"], state["code"], 30)
    assert stopped.page.shown[-1] == (state["seq"], False), "no time for a full refresh"


@pytest.mark.parametrize("seats", [2, 5])
def test_a_table_that_never_started_shows_free_seats(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Guarded(seats, start=False)
    monkeypatch.setattr(Publisher, "show_phones", failing)
    rig.table.start()
    state = rig.state
    assert [(seat["seat"], seat["held"]) for seat in state["seats"]] == [(n, False) for n in range(1, seats + 1)]
    assert (state["table"], state["name"], state["state"]) == ("1", "Table 1", "stopped")
    assert (state["epoch"], state["seq"], state["url"]) == (0, 1, "http://10.42.0.1:8080")
    assert [one["text"] for one in state["notices"]] == [RESTARTED]


def test_a_table_that_cannot_show_its_new_start_keeps_its_last_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    before = rig.state
    with monkeypatch.context() as broken:
        broken.setattr(People, "run_due", failing)
        broken.setattr(Publisher, "show_phones", failing)
        rig.take(Tick())
    assert (rig.state["state"], [one["text"] for one in rig.state["notices"]]) == ("stopped", [RESTARTED])
    assert rig.state["seats"] == before["seats"]
    assert rig.state["view"] == before["view"] is not None


# --- a disk that is waited for -----------------------------------------------------------------------------


def waiting(seconds: float) -> tuple[TableRig, list[Any], list[Any]]:
    """A table whose disk takes so long, and what another thread has shown of it meanwhile: to phones and to pages."""
    store = SlowStore()
    rig = TableRig(store=store)
    store.clock = rig.clock
    rig.sit()
    rig.take(StaffRequest("light", {"percent": 30}, lambda *_: None))
    assert rig.say(1, "help")["ok"]
    phones: list[Any] = []
    pages: list[Any] = []

    def look() -> None:
        before, shown = len(rig.phones.public), len(rig.page.shown)
        rig.table.show_waiting()
        phones.extend(rig.phones.public[before:])
        pages.extend((one, rig.page.newest) for one in rig.page.shown[shown:])

    store.takes, store.during = seconds, look
    assert rig.say(1, "name", {"name": "Ana"})["ok"]
    return rig, phones, pages


def test_a_table_that_waits_for_its_disk_says_so_from_the_first_second_on() -> None:
    assert waiting(SLOW_SECONDS - 0.01)[1] == []
    rig, (state,), (((seq, settled), screen),) = waiting(SLOW_SECONDS)
    expected = [("Seat 1 calls for help."), SLOW_DISK]
    assert [one["text"] for one in state["notices"]] == [one.text for one in screen.notices] == expected
    slow = next(one for one in state["notices"] if one["key"] == "slow_disk")
    assert slow["can_acknowledge"] is False
    assert (state["seq"], state["state"], seq, settled) == (screen.seq, "lobby", state["seq"], False)
    assert (screen.light, set(screen.claim_codes)) == (30, set(rig.page.codes))


def test_a_notice_of_a_slow_disk_is_not_shown_twice() -> None:
    rig, _, _ = waiting(SLOW_SECONDS)
    assert [one["text"] for one in rig.state["notices"]].count(SLOW_DISK) == 1
    assert rig.say(1, "name", {"name": "Ben"})["ok"]
    assert all([one["text"] for one in state["notices"]].count(SLOW_DISK) <= 1 for state in rig.phones.public)


# --- rings -------------------------------------------------------------------------------------------------


def test_boxes_and_lamps_have_the_same_rings_and_a_table_without_a_box_there_its_lamps_alone() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1, 2)
    assert {f"box-{seat}": picture for seat, picture in rig.lamps.shown[-1].items()} == rig.boxes.rings
    bare = TableRig(3, placed=False)
    bare.take(BoxUp("x", "b1", "1", 8))
    bare.sit(1, 2)
    assert bare.boxes.rings == {}
    assert set(bare.lamps.shown[-1]) == {1, 2, 3}


def test_rings_are_as_bright_as_staff_want_them() -> None:
    rig = TableRig(2)
    rig.boxes_up()
    bright = rig.lamps.shown[-1]
    rig.take(StaffRequest("light", {"percent": 30}, lambda *_: None))
    for seat, picture in rig.lamps.shown[-1].items():
        assert picture.colour != bright[seat].colour
        assert picture.pattern == bright[seat].pattern


def test_hands_take_as_many_blocks_as_those_of_the_game_and_go_to_phones_alone() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.press(3, "push")
    rig.take(BoxDown("box-3", "gone"))
    assert rig.phones.blocks == 1
    rig.ready()
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    assert set(rig.phones.hands) == set(rig.sids.values())
    assert rig.phones.blocks == rig.table._play.hand_blocks


def test_a_disk_that_fails_is_not_called_slow_as_well() -> None:
    rig, _, _ = waiting(0.0)
    store = rig.store
    assert isinstance(store, SlowStore)
    store.broken = "The disk is full."
    assert not rig.say(1, "name", {"name": "Ben"})["ok"]
    seen: list[int] = []

    def look() -> None:
        pictures = len(rig.phones.public)
        rig.table.show_waiting()
        seen.append(len(rig.phones.public) - pictures)

    store.takes, store.during = SLOW_SECONDS, look
    rig.take(Tick())
    assert seen
    assert not any(seen)
