"""What a changed configuration does to a hub that runs: some of it counts at once, the rest after a restart."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from drivers.common.found import Found
from hub import table_devices
from hub.app import LIVE_KEYS, Hub
from hub.config import Config, DevicePart, HubPart, TablePart, load
from hub.decks import CardLists
from hub.errors import ConfigError, HubError
from hub.found_devices import IN_USE, IS_PLANNED
from hub.network.staff_messages import Settings, StaffAsk
from hub.network.staff_verbs import ChangeSettingsArgs, SettingChange, SettingsArgs
from hub.network.verbs import NOT_UNDERSTOOD
from hub.package_folder import PackageFolder
from hub.power import PowerControl
from hub.settings.desk import SettingsDesk
from hub.venue import VenueDesk, VenueTable
from tests.complete_states import read_state

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

TEXT = """\
[hub]
state = "{state}"
find_devices = true
[web]
host = "127.0.0.1"
[[table]]
id = "1"
[[table]]
id = "2"
"""


class HubRig:
    """A hub of two tables with a file, its threads not started."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "table-hub.toml"
        self.file.write_text(TEXT.format(state=folder / "state"), "utf-8")
        self.checked: list[Config] = []
        self.hub = Hub(load(self.file), file=str(self.file), check=self.checked.append)
        for table in self.hub.tables.values():
            table.start()

    def change(self, *changes: tuple[list[Any], Any]) -> tuple[str, Settings]:
        _, now = self.hub.venue.settings(SettingsArgs())
        made = [SettingChange(at, to) for at, to in changes]
        answer = self.hub.venue.settings(ChangeSettingsArgs(now.seen, made))
        self.settle()
        return answer

    def settle(self) -> None:
        """Let the tables handle what waits for them."""
        for table in self.hub.tables.values():
            while table.waiting:
                table.step(0)

    def screen(self, table: str = "1") -> dict[str, Any]:
        return read_state(self.hub.access[table].screen.get()[1])


def closing_times(hub: Hub) -> list[int | None]:
    """When each table's time ends, as if the second after the last look had passed."""
    limits = [table._staff.limit for table in hub.tables.values()]
    for limit in limits:
        limit._checked_at = 0.0
        limit.run_due()
    return [limit.until for limit in limits]


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[HubRig]:
    level = logging.getLogger().level
    made = HubRig(tmp_path)
    with made.hub:
        yield made
    logging.getLogger().setLevel(level)


def test_what_needs_no_restart_counts_at_once(rig: HubRig) -> None:
    said, after = rig.change(
        (["hub", "log_level"], "error"),
        (["hours", "closes"], "23:00"),
        (["wifi", "name"], "Cafe"),
        (["table", 1, "name"], "Window"),
        (["preset", 0], {"game": "bid-it", "name": "full", "options": {"advanced": True}}),
    )
    assert (said, after.waiting) == ("Saved.", [])
    assert logging.getLogger().level == logging.ERROR
    assert all(closing_times(rig.hub))
    assert rig.screen()["wifi"]["name"] == "Cafe"
    assert (rig.screen("1")["name"], rig.screen("2")["name"]) == ("Table 1", "Window")
    offered = next(game for game in rig.screen()["games"] if game["name"] == "bid-it")
    assert [preset["name"] for preset in offered["presets"]] == ["full"]
    _, after = rig.change((["hours", "closes"], None), (["wifi", "name"], None), (["preset", 0], None))
    assert after.waiting == []
    assert rig.screen()["wifi"] is None
    assert closing_times(rig.hub) == [None, None]


def test_a_table_whose_settings_stay_is_not_restarted(rig: HubRig) -> None:
    parts = {name: table._parts for name, table in rig.hub.tables.items()}
    rig.change((["table", 1, "idle_minutes"], 30))
    assert rig.hub.tables["1"]._parts is parts["1"]
    assert rig.hub.tables["2"]._parts is not parts["2"]


def test_the_rest_waits_for_a_restart(rig: HubRig) -> None:
    said, after = rig.change(
        (["table", 0, "seats"], 5), (["web", "names"], ["hub.cafe"]), (["table", 0, "name"], "Door")
    )
    assert said == "Saved. Some changes take effect after a restart of the hub."
    assert after.waiting == ["[web] names", "[table] 1 seats"]
    assert rig.screen()["name"] == "Door"
    assert len(rig.screen()["seats"]) == 4


def test_other_tables_wait_for_a_restart_with_all_their_settings(rig: HubRig) -> None:
    _, after = rig.change((["table", 2], {"id": "3"}), (["table", 0, "name"], "Door"))
    assert after.waiting == ["[table]"]
    assert rig.screen()["name"] == "Table 1"


def test_a_changed_configuration_is_checked_before_it_is_written(rig: HubRig) -> None:
    rig.change((["hub", "id"], "bar"))
    assert rig.checked[-1].hub.id == "bar"


def test_every_live_key_is_one_of_a_table() -> None:
    assert set(LIVE_KEYS) < set(TablePart.__struct_fields__)


# --- restarting ---------------------------------------------------------------------------------------------


class OneTable:
    """A table that is played or not, as far as the venue asks."""

    def __init__(self) -> None:
        self.is_playing = True


class FakePower:
    """A hub that can restart, unless it says why not."""

    def __init__(self, why_no_restart: str = "") -> None:
        self.why_no_restart, self.restarts = why_no_restart, 0

    def restart_hub(self) -> None:
        self.restarts += 1


def venue(power: FakePower, settings: SettingsDesk | None = None) -> tuple[VenueDesk, OneTable]:
    table = OneTable()
    desk = VenueDesk(
        "hub", cast(PowerControl, power), {"1": cast(VenueTable, table)}, threading.Event(), CardLists([]),
        settings=settings, packages=PackageFolder(Path("no such folder")),
    )  # fmt: skip
    return desk, table


def restart(desk: VenueDesk, **args: str) -> str:
    return str(desk.do(StaffAsk(1, "restart", "", dict(args)))[0])


def test_a_planned_restart_waits_until_no_match_is_played() -> None:
    power = FakePower()
    desk, table = venue(power)
    assert restart(desk, when="idle") == "The hub restarts when no match is being played."
    desk.restart_if_planned()
    assert power.restarts == 0
    table.is_playing = False
    desk.restart_if_planned()
    desk.restart_if_planned()
    assert power.restarts == 1


def test_a_restart_without_a_match_and_one_that_is_wanted_now_are_at_once() -> None:
    power = FakePower()
    desk, table = venue(power)
    restart(desk)
    assert power.restarts == 1
    table.is_playing = False
    restart(desk, when="idle")
    assert power.restarts == 2


def test_a_hub_that_cannot_restart_plans_nothing() -> None:
    power = FakePower("This hub was started by hand.")
    desk, table = venue(power)
    with pytest.raises(HubError, match="started by hand"):
        restart(desk, when="idle")
    table.is_playing = False
    desk.restart_if_planned()
    assert power.restarts == 0


def test_the_page_is_told_of_a_match_and_of_a_planned_restart(tmp_path: Path) -> None:
    file = tmp_path / "table-hub.toml"
    file.write_text("", "utf-8")
    desk, table = venue(FakePower(), SettingsDesk(str(file), load(file), lambda _: None))
    _, settings = desk.settings(SettingsArgs())
    assert (settings.is_playing, settings.restart_is_planned) == (True, False)
    restart(desk, when="idle")
    _, settings = desk.settings(SettingsArgs())
    assert settings.restart_is_planned
    table.is_playing = False
    assert not desk.settings(SettingsArgs())[1].is_playing


def test_a_venue_without_settings_understands_no_request_for_them() -> None:
    desk, _ = venue(FakePower())
    with pytest.raises(HubError, match=NOT_UNDERSTOOD):
        desk.settings(SettingsArgs())


# --- devices that are plugged in ------------------------------------------------------------------------------

TRAY = Found("tray /dev/ttyACM0 e661", "e661", "dice_tray", {"tray": "e661"})
USE = StaffAsk(1, "use_device", "2", {"device": TRAY.id})


def with_tray(rig: HubRig) -> VenueDesk:
    """The venue of the hub, at which a dice tray is plugged in."""
    assert rig.hub.found
    rig.hub.found._trays, rig.hub.found._cameras, rig.hub.found._by_label = (
        lambda: [TRAY],
        lambda _: [],
        rig.file.parent,
    )
    rig.hub.found.look()
    return rig.hub.venue


def seen(rig: HubRig) -> list[tuple[list[str], str]]:
    """The tables to which new devices are offered, and what staff read about each."""
    assert rig.hub.found
    return [([*one.tables], one.note) for one in rig.hub.found.seen]


def test_a_tray_that_is_plugged_in_gets_its_block_and_is_used_at_once(rig: HubRig) -> None:
    desk = with_tray(rig)
    assert seen(rig) == [(["1", "2"], "")]
    assert desk.do(USE)[0] == "The table uses the device now."
    assert load(rig.file).device == (DevicePart("dice_tray", "2", settings={"tray": "e661"}),)
    assert seen(rig) == []
    rig.settle()
    assert [type(one.device).__name__ for one in rig.hub.devices] == ["DiceTray"]
    assert rig.hub.tables["2"]._ports.dice is not None
    assert rig.hub.tables["1"]._ports.dice is None
    with pytest.raises(HubError, match="A table of this hub has it already"):
        desk.do(USE)
    assert len(load(rig.file).device) == 1


def test_two_phones_that_press_at_once_add_one_block(rig: HubRig, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, found = with_tray(rig), rig.hub.found
    assert found
    both, block_for = threading.Barrier(2), found.block_for

    def slow(device: str, table: str) -> DevicePart:
        block = block_for(device, table)
        with suppress(threading.BrokenBarrierError):  # the other phone has to wait, and is not here
            both.wait(0.5)
        return block

    monkeypatch.setattr(found, "block_for", slow)
    refused: list[str] = []

    def press(table: str) -> None:
        try:
            desk.do(StaffAsk(1, "use_device", table, {"device": TRAY.id}))
        except HubError as error:
            refused.append(error.sentence)

    phones = [threading.Thread(target=press, args=(table,)) for table in ("1", "2")]
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join()
    assert refused == [IN_USE]
    assert len(load(rig.file).device) == 1


def test_a_device_is_used_after_the_match_that_is_being_played(rig: HubRig, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = with_tray(rig)
    monkeypatch.setattr(VenueTable, "is_playing", True)
    assert desk.do(USE)[0] == "Saved. The table uses the device after this match."


def test_a_device_of_a_table_that_waits_for_a_restart_waits_as_well(rig: HubRig) -> None:
    desk = with_tray(rig)
    rig.change((["table", 2], {"id": "3"}))
    assert desk.do(USE)[0] == "Saved. The hub uses the device after a restart."
    assert seen(rig) == [([], IS_PLANNED)]
    assert rig.hub.devices == []


def test_devices_change_at_the_table_whose_blocks_changed(rig: HubRig) -> None:
    tray, other = (
        {"driver": "dice_tray", "table": "1", "tray": "e661"},
        {"driver": "dice_tray", "table": "2", "tray": "e662"},
    )
    said, after = rig.change((["device", 0], tray), (["device", 1], other))
    assert (said, after.waiting) == ("Saved.", [])
    first, second = rig.hub.devices
    rig.change((["device", 1, "tray"], "e663"))
    assert rig.hub.devices[0] is first
    assert rig.hub.devices[1] is not second
    _, after = rig.change((["device", 0], None), (["device", 0], None))
    assert (rig.hub.devices, after.waiting) == ([], [])
    assert [table._ports.dice for table in rig.hub.tables.values()] == [None, None]


def test_a_device_that_gets_another_table_waits_for_a_restart(rig: HubRig) -> None:
    tray = {"driver": "dice_tray", "table": "1", "tray": "e661"}
    rig.change((["device", 0], tray))
    before = rig.hub.devices
    _, after = rig.change((["device", 0, "table"], "2"))
    assert after.waiting == ["[device] 1 table"]
    assert rig.hub.devices == before
    _, after = rig.change((["device", 0, "table"], "1"))
    assert after.waiting == []


def test_a_simulated_device_waits_for_a_restart_because_its_bench_page_does(rig: HubRig) -> None:
    said, after = rig.change((["device", 0], {"driver": "simulated", "table": "1"}))
    assert said == "Saved. Some changes take effect after a restart of the hub."
    assert after.waiting == ["[device]"]
    assert rig.hub.devices == []


def test_a_device_that_cannot_be_connected_now_waits_for_a_restart(
    rig: HubRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: object) -> None:
        raise ConfigError("It was right a moment ago.")

    monkeypatch.setattr(table_devices, "connect", connect)
    _, after = rig.change((["device", 0], {"driver": "dice_tray", "table": "1", "tray": "e661"}))
    assert after.waiting == ["[device]"]
    assert rig.hub.devices == []


def test_a_device_that_the_configuration_cannot_take_changes_nothing(rig: HubRig) -> None:
    desk = with_tray(rig)
    before = rig.file.read_text("utf-8")
    rig.file.write_text(before.replace('id = "2"', 'id = "2"\nseats = 99'), "utf-8")
    with pytest.raises(HubError, match="seats"):
        desk.do(USE)
    assert "[[device]]" not in rig.file.read_text("utf-8")


def test_a_hub_that_looks_for_no_devices_takes_no_such_request(rig: HubRig) -> None:
    desk, _ = venue(FakePower())
    for ask in (
        USE,
        StaffAsk(2, "firmware", "", {"device": "RPI-RP2", "program": "box"}),
        StaffAsk(3, "leave_device", "", {"device": TRAY.id}),
    ):
        with pytest.raises(HubError, match=NOT_UNDERSTOOD):
            desk.do(ask)


def test_only_a_hub_with_a_file_that_says_so_looks_for_devices(rig: HubRig, tmp_path: Path) -> None:
    assert rig.hub.found
    other = HubPart(state=str(tmp_path / "other"))
    with Hub(Config(hub=msgspec.structs.replace(other, find_devices=True))) as without_file:
        assert without_file.found is None
    with Hub(Config(hub=other), file=str(rig.file)) as unasked:
        assert unasked.found is None
