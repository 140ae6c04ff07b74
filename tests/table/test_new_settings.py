"""The owner's settings change while the hub runs: the table restarts with them, after its match."""

from __future__ import annotations

import pytest

from hub.ports import StaffRequest
from hub.state import Preset
from hub.table import restarts
from hub.table.parts import TableSettings
from hub.table.people.house_seats import HouseSettings
from tests.table.fakes import TableRig

FULL = Preset("full", "All the advanced rules.", {"advanced": True})


def notices(rig: TableRig) -> list[str]:
    return [notice["key"] for notice in rig.state["notices"]]


def test_a_free_table_has_its_new_settings_at_once_and_says_nothing_of_a_fault() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1)
    sid, code = rig.table._seats[1].sid, rig.state["code"]
    rig.table.receive(TableSettings("Window", presets={"bid-and-bait": [FULL]}))
    assert rig.state["name"] == "Window"
    assert rig.table.name == "Window"
    assert rig.state["games"][0]["presets"][0]["name"] == "full"
    assert rig.state["code"] == code
    assert rig.table._seats[1].sid == sid, "people keep their seats"
    assert "restarted" not in notices(rig)


def test_a_match_is_played_to_its_end_with_the_settings_it_began_with() -> None:
    rig = TableRig(2)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start("bid-and-bait")
    match = rig.state["match"]
    rig.table.receive(TableSettings("Window", house=HouseSettings(seats=1)))
    assert rig.state["name"] == "Table 1"
    answers: list[bool] = []
    rig.table.receive(StaffRequest("end", {}, lambda is_done, _: answers.append(is_done)))
    assert answers == [True]
    assert rig.state["name"] == "Window"
    assert rig.state["match"] in (match, None)


def test_the_newest_of_several_changes_counts() -> None:
    rig = TableRig(2)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start("bid-and-bait")
    rig.table.receive(TableSettings("Window"))
    rig.table.receive(TableSettings("Door"))
    rig.table.receive(StaffRequest("end", {}, lambda *_: None))
    assert rig.state["name"] == "Door"


def test_settings_that_break_a_table_are_a_fault_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = TableRig(2)
    set_up, tries = restarts.Restarts._set_up, []

    def fail_once(table: restarts.Restarts) -> None:
        tries.append(table)
        if len(tries) == 1:
            raise RuntimeError("boom")
        set_up(table)

    monkeypatch.setattr(restarts.Restarts, "_set_up", fail_once)
    rig.table.receive(TableSettings("Window"))
    assert rig.state["name"] == "Window"
    assert "restarted" in notices(rig)
