"""The owner's settings change while the hub runs: the table restarts with them, after its match."""

from __future__ import annotations

import pytest

from hub.engine.text import say
from hub.ports import BoxUp, DeviceDown, DeviceSubject, DeviceUp, DiceKit, StaffRequest
from hub.state import Preset
from hub.table import restarts
from hub.table.base.ports import NewDevices, Ports
from hub.table.parts import TableSettings
from hub.table.people.house_seats import HouseSettings
from tests.table.fakes import FakeLamps, FakePage, TableRig

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


# --- other devices ------------------------------------------------------------------------------------------


def end_match(rig: TableRig) -> None:
    rig.table.receive(StaffRequest("end", {}, lambda *_: None))


def new_lamps(rig: TableRig, *gone: DeviceSubject) -> tuple[FakeLamps, FakePage, NewDevices]:
    """Other lamps and a panel for the table, in place of devices that are gone."""
    lamps, panel = FakeLamps(rig.order), FakePage()

    def put_into(ports: Ports) -> set[DeviceSubject]:
        ports.lamps, ports.panels = [lamps], [panel]
        return set(gone)

    return lamps, panel, NewDevices(put_into)


def test_a_free_table_shows_its_state_on_new_devices_at_once() -> None:
    rig = TableRig(2)
    before = len(rig.lamps.shown)
    lamps, panel, new = new_lamps(rig)
    rig.table.receive(new)
    assert lamps.shown
    assert panel.newest is not None
    assert len(rig.lamps.shown) == before, "the old ones are no longer asked"
    assert notices(rig) == []


def test_a_match_is_played_to_its_end_on_the_devices_it_began_with() -> None:
    rig = TableRig(2)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start("bid-and-bait")
    lamps, _, new = new_lamps(rig)
    rig.table.receive(new)
    assert lamps.shown == []
    end_match(rig)
    assert lamps.shown


def test_the_newest_devices_and_the_newest_settings_count_both() -> None:
    rig = TableRig(2)
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start("bid-and-bait")
    (first, _, old), (second, _, new) = new_lamps(rig), new_lamps(rig)
    rig.table.receive(old)
    rig.table.receive(TableSettings("Window"))
    rig.table.receive(new)
    end_match(rig)
    assert (first.shown, bool(second.shown)) == ([], True)
    assert rig.state["name"] == "Window"
    rig.table.receive(TableSettings("Door"))
    assert rig.ports.lamps == [second], "settings alone change no device"


def test_a_device_that_is_gone_is_forgotten_and_the_others_are_not() -> None:
    rig = TableRig(2)
    rig.boxes_up()
    rig.table.receive(BoxUp("box-2", "b1", "1", 8))
    rig.table.receive(DeviceDown("panel", say("The panel does not answer.")))
    rig.table.receive(DeviceDown("lamps", say("The lamps do not answer.")))
    assert notices(rig) == ["device:panel", "device:lamps"]
    rig.table.put(DeviceDown("panel", "What it said last."))
    rig.table.receive(new_lamps(rig, (DeviceUp, "panel"))[2])
    while rig.table.waiting:
        rig.table.step(0)
    assert notices(rig) == ["device:lamps"]
    assert rig.state["seats"][1]["box"] == "on"


def test_a_box_and_a_reader_that_are_gone_are_forgotten() -> None:
    rig = TableRig(2, reader=True)
    rig.table.receive(BoxUp("box-1", "b1", "1", 8))
    rig.table.receive(BoxUp("box-2", "b1", "1", 8))
    rig.table.receive(DiceKit("tray", 4))
    assert rig.state["kit"]["dice"] == 4
    rig.table.receive(new_lamps(rig, (BoxUp, "box-1"), (DiceKit, "tray"))[2])
    assert [seat["box"] == "on" for seat in rig.state["seats"]] == [False, True]
    assert not rig.state["kit"]


def test_devices_that_break_a_table_are_a_fault_like_any_other() -> None:
    rig = TableRig(2)

    def put_into(ports: Ports) -> set[DeviceSubject]:
        raise RuntimeError("boom")

    rig.table.receive(NewDevices(put_into))
    assert "restarted" in notices(rig)
    rig.table.receive(TableSettings("Window"))
    assert rig.state["name"] == "Window"
