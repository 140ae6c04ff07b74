"""The venue as staff see it: nothing but what everybody may see, faults in plain words."""

from __future__ import annotations

import threading
from random import Random
from typing import Any

import msgspec
import pytest

from hub import games
from hub.decks import CardLists
from hub.devices import DeviceHealth
from hub.engine.text import to_json
from hub.errors import HubError
from hub.network.screen_messages import ScreenSeen
from hub.network.staff_messages import (
    BackupSeen,
    CameraSeen,
    Desk,
    Did,
    Fault,
    FoundDevice,
    HardwareTest,
    HubSeen,
    StaffAsk,
    StaffTable,
    TableSeen,
    UpdateSeen,
    Upstream,
    Venue,
    VenueWifi,
    WifiNetwork,
)
from hub.ports import BoxDown, BoxUp, BrokerDown, DeviceDown, DeviceUp, DiceKit, DiceSeen, StaffRequest
from hub.power import PowerControl
from hub.stick_backups import StickBackups
from hub.updates import Updates
from hub.venue import StaffFeed, VenueDesk, VenueTable
from tests.complete_states import read_state
from tests.table.fakes import TableRig
from tests.table.test_claims import step

TRIMMED = {"events", "texts"}


class HouseRig:
    """A venue with one table."""

    def __init__(self, rig: TableRig | None = None, examine: Any = None, hotspot: Any = None) -> None:
        self.rig = rig or TableRig()
        self.time = 1_790_000_000.0
        self.cards = CardLists([], self.rig.store)
        self.health = DeviceHealth()
        changed = threading.Event()
        self.feed = StaffFeed(changed.set)
        self.rig.ports.pages.append(self.feed)
        tables = {"1": VenueTable(self.rig.table, self.feed, self.health, self.rig.store)}
        power, wall = PowerControl(lambda: None, {}), lambda: self.time
        self.desk = VenueDesk("hub", power, tables, changed, self.cards, examine=examine, hotspot=hotspot, wall=wall)

    @property
    def venue(self) -> Venue:
        self.time += 60
        self.desk.update()
        venue = self.desk.picture[1]
        assert venue is not None
        return venue

    @property
    def table(self) -> StaffTable:
        return self.venue.tables[0]

    def faults(self, *signals: object) -> list[Fault]:
        for signal in signals:
            self.health.update(signal)
        self.rig.table._show()
        return self.table.faults

    def do(self, verb: Any, table: str = "1", **args: Any) -> str:
        """Ask as the web port does, while the table's own thread runs."""
        thread = threading.Thread(target=self.rig.table.run)
        thread.start()
        try:
            return self.desk.do(StaffAsk(1, verb, table, args))[0]
        finally:
            self.rig.table.stop()
            thread.join()


# --- secrets -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game", games.names())
def test_staff_see_of_a_match_what_everybody_sees_and_nothing_else(game: str) -> None:
    rig = TableRig(4, offered=[games.find(game)])
    venue = HouseRig(rig)
    rig.boxes_up()
    rig.sit()
    rig.start(game)
    random = Random(7)
    for _ in range(60):
        if rig.state["state"] == "over":
            break
        step(rig, random)
        table = venue.table
        shown = read_state(to_json(table.public))
        public = rig.state
        assert {key: value for key, value in shown.items() if key not in TRIMMED} == {
            key: value for key, value in public.items() if key not in TRIMMED
        }
        assert shown["events"] == public["events"][-1:]
        assert table.desk == Desk(), "the table tells nothing else unless staff ask for it"


def test_what_staff_get_has_no_field_in_which_a_secret_could_stand() -> None:
    """Each field is counted here: a new one is to be looked at."""
    assert set(StaffTable.__struct_fields__) == {"public", "desk", "begun", "faults", "screens", "camera", "panels"}
    assert set(ScreenSeen.__struct_fields__) == {"address", "seconds"}
    assert set(Desk.__struct_fields__) == {"did", "until", "light", "volume", "test", "by_hours", "put_aside"}
    assert set(Did.__struct_fields__) == {"at", "text", "match", "entries"}
    assert set(HardwareTest.__struct_fields__) == {"seconds", "boxes", "dice", "panels"}
    assert set(Venue.__struct_fields__) == {
        "now",
        "hub",
        "version",
        "tables",
        "faults",
        "restart",
        "off",
        "upstream",
        "update",
        "wifi",
        "found",
        "backup",
    }
    assert set(FoundDevice.__struct_fields__) == {"device", "text", "tables", "programs", "note"}
    assert set(CameraSeen.__struct_fields__) == {"picture", "step", "text"}
    assert set(VenueWifi.__struct_fields__) == {"state", "name", "own", "networks", "problem"}
    assert set(Upstream.__struct_fields__) == {"broker", "venue", "up", "since", "why", "waiting", "twin", "hubs"}
    assert set(HubSeen.__struct_fields__) == {"hub", "state", "heard", "version", "tables"}
    assert set(TableSeen.__struct_fields__) == {
        "table", "name", "state", "game", "round", "seats", "people", "calls", "minutes_left",
    }  # fmt: skip
    assert set(Fault.__struct_fields__) == {"what", "do", "severity"}


def test_codes_and_logins_of_seats_are_no_part_of_the_picture() -> None:
    rig = TableRig()
    venue = HouseRig(rig)
    rig.boxes_up()
    rig.sit(1, 2)
    said = to_json(venue.venue).decode()
    for seat in rig.table._seats:
        assert seat.code not in said
        assert not seat.password or seat.password not in said
        assert not seat.sid or seat.sid not in said


# --- faults ------------------------------------------------------------------------------------------------


def test_faults_are_plain_words_with_what_to_do_and_pass_with_their_cause() -> None:
    venue = HouseRig()
    assert venue.faults() == []
    found = venue.faults(
        BoxUp("box-1", "b", "1", 8),
        BoxDown("box-1", "The box at seat 1 is unplugged."),
        DeviceDown("panel", "It does not answer."),
        DiceKit("pixels", 6, ("red",)),
        BrokerDown("The broker has ended."),
    )
    assert [fault.what for fault in found] == [
        "The box of seat 1 is disconnected.",
        "panel: It does not answer.",
        "pixels: low battery: red.",
        "Phones cannot be reached: The broker has ended.",
    ]
    assert all(fault.do.endswith(".") for fault in found)
    assert found[-1].severity == "error"
    (dark,) = venue.faults(DiceSeen("pixels", 1, "no_reader", (), "The reader is dark."))[2:3]
    assert dark.what == "pixels: The reader is dark."
    left = venue.faults(BoxUp("box-1", "b", "1", 8), DeviceUp("panel"))
    assert [fault.what for fault in left] == [dark.what, found[-1].what]


def test_a_box_that_is_gone_is_named_by_its_seat_and_without_a_path() -> None:
    rig = TableRig()
    venue = HouseRig(rig)
    rig.boxes_up()
    box = rig.table._seats[2].box
    assert box
    found = venue.faults(BoxUp(box, "b", "1", 8), BoxDown(box, "Box sim-2 is gone: /dev/ttyACM1 was unplugged."))
    assert [fault.what for fault in found] == ["The box of seat 2 is disconnected."]
    assert "with a phone" in found[0].do


def test_many_wrong_pins_are_told_to_staff() -> None:
    venue = HouseRig()
    venue.desk.note_wrong_pins(9)
    assert venue.venue.faults == []
    venue.desk.note_wrong_pins(10)
    (fault,) = venue.venue.faults
    assert fault.what.startswith("10 wrong staff PINs")


def test_a_look_over_the_machine_says_what_is_not_well() -> None:
    found = [Fault("The disk is nearly full.", "Make room.")]
    venue = HouseRig(examine=lambda: found)
    assert venue.desk.do(StaffAsk(1, "doctor")) == ("To check: 1.", found)
    with pytest.raises(HubError, match="table-hub doctor"):
        HouseRig().desk.do(StaffAsk(1, "doctor"))


# --- the picture -------------------------------------------------------------------------------------------


def test_a_picture_is_told_once_and_anew_when_something_changes() -> None:
    venue = HouseRig()
    venue.rig.boxes_up()
    told: list[int] = []
    venue.desk.on_change(lambda: told.append(venue.desk.picture[0]))
    venue.desk.update()
    number = venue.desk.picture[0]
    venue.desk.update()
    assert venue.desk.picture[0] == number
    venue.rig.sit(1)
    venue.desk.update()
    assert venue.desk.picture[0] == number + 1
    assert told[-1] == number + 1


def test_staff_see_since_when_a_match_runs() -> None:
    venue = HouseRig()
    venue.rig.boxes_up()
    venue.rig.sit(1, 2)
    assert venue.table.begun is None
    venue.rig.start()
    assert venue.table.begun == venue.rig.store.started_at("m-1")


# --- what staff ask ----------------------------------------------------------------------------------------


def test_a_table_does_it_and_says_so_or_why_not() -> None:
    venue = HouseRig()
    venue.rig.boxes_up()
    venue.rig.sit(1, 2)
    assert venue.do("free", seat=2) == "Seat 2 was freed."
    with pytest.raises(HubError, match="Nobody sits there"):
        venue.do("free", seat=2)
    with pytest.raises(HubError, match="no such table"):
        venue.do("free", "9", seat=2)


def test_a_table_that_does_not_answer_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.venue.ANSWER_SECONDS", 0.05)
    asked: list[object] = []
    venue = HouseRig()
    monkeypatch.setattr(venue.rig.table, "put", asked.append)
    with pytest.raises(HubError, match="did not answer in time"):
        venue.desk.do(StaffAsk(1, "undo", "1", {"after": 1}))
    assert isinstance(asked[0], StaffRequest)


class NotedUpdates(Updates):
    """Updates that note what staff begin."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def seen(self) -> UpdateSeen | None:
        return UpdateSeen("install", "Version 1.1 is there.", 5)

    def look(self) -> None:
        self.begun.append("look")

    def install(self) -> None:
        self.begun.append("install")


def test_staff_update_the_hub_while_nobody_plays() -> None:
    venue = HouseRig()
    updates = venue.desk._updates = NotedUpdates()
    assert venue.venue.update == UpdateSeen("install", "Version 1.1 is there.", 5)
    venue.do("update", "", what="look")
    venue.do("update", "", what="install")
    assert updates.begun == ["look", "install"]
    venue.rig.sit(1, 2)
    venue.rig.start()
    with pytest.raises(HubError, match=r"^A match is being played at Table 1: do this after it, or suspend it\.$"):
        venue.do("update", "", what="install")
    venue.do("update", "", what="look")
    assert updates.begun == ["look", "install", "look"]


class NotedBackups(StickBackups):
    """Backups that note what staff begin."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[str] = []

    def seen(self) -> BackupSeen | None:
        return BackupSeen("restore", "The stick has a backup.")

    def begin(self, step: str) -> None:
        self.begun.append(step)


def test_staff_save_a_backup_at_any_time_and_restore_one_while_nobody_plays() -> None:
    venue = HouseRig()
    backups = venue.desk._backups = NotedBackups()
    assert venue.venue.backup == BackupSeen("restore", "The stick has a backup.")
    venue.do("backup", "", step="restore")
    venue.rig.sit(1, 2)
    venue.rig.start()
    with pytest.raises(HubError, match=r"^A match is being played at Table 1: do this after it, or suspend it\.$"):
        venue.do("backup", "", step="restore")
    venue.do("backup", "", step="look")
    venue.do("backup", "", step="save")
    assert backups.begun == ["restore", "look", "save"]


# --- the network --------------------------------------------------------------------------------------------


class NotedWifi:
    """A Wi-Fi that notes what staff ask of it."""

    def __init__(self) -> None:
        self.joined: list[tuple[str, str]] = []
        self.status = VenueWifi("hotspot", "", "table-hub-abcd", [WifiNetwork("Cafe", False)], "")

    def join(self, name: str, password: str) -> None:
        self.joined.append((name, password))


def test_staff_bring_the_hub_into_another_wifi() -> None:
    wifi = NotedWifi()
    venue = HouseRig(hotspot=wifi)
    assert venue.venue.wifi == wifi.status
    assert (
        "The hub joins “\u2068Cafe\u2069”."
        in venue.desk.do(StaffAsk(1, "wifi", "", {"name": "Cafe", "password": "dice-and-tea"}))[0]
    )
    venue.desk.do(StaffAsk(2, "wifi", "", {"name": "Open"}))
    assert wifi.joined == [("Cafe", "dice-and-tea"), ("Open", "")]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({}, ""),
        ({"name": ""}, ""),
        ({"name": "x" * 33}, ""),
        ({"name": "ü" * 17}, "That name is too long for a Wi-Fi."),
        ({"name": "Cafe", "password": "short"}, "A Wi-Fi password has 8 to 63 characters."),
        ({"name": "Cafe", "password": "x" * 64}, "A Wi-Fi password has 8 to 63 characters."),
        ({"name": "Cafe", "password": "x" * 65}, ""),
    ],
)
def test_what_is_no_wifi_is_not_joined(args: Any, sentence: str) -> None:
    wifi = NotedWifi()
    with pytest.raises(HubError, match=f"^{sentence}"):
        HouseRig(hotspot=wifi).desk.do(StaffAsk(1, "wifi", "", args))
    assert wifi.joined == []


@pytest.mark.parametrize(
    "args", [{"name": "ü" * 16}, {"name": "Cafe", "password": "8letters"}, {"name": "Cafe", "password": "0aF9" * 16}]
)
def test_the_longest_and_shortest_wifi_is_joined(args: Any) -> None:
    wifi = NotedWifi()
    HouseRig(hotspot=wifi).desk.do(StaffAsk(1, "wifi", "", args))
    assert wifi.joined == [(args["name"], args.get("password", ""))]


def test_a_hub_whose_radio_is_off_joins_nothing() -> None:
    wifi = NotedWifi()
    wifi.status = msgspec.structs.replace(wifi.status, state="off")
    with pytest.raises(HubError, match="has no Wi-Fi"):
        HouseRig(hotspot=wifi).desk.do(StaffAsk(1, "wifi", "", {"name": "Cafe"}))
    assert wifi.joined == []


def test_a_hub_that_leaves_the_network_alone_says_so() -> None:
    with pytest.raises(HubError, match="leaves the network alone"):
        HouseRig().desk.do(StaffAsk(1, "wifi", "", {"name": "Cafe"}))


def test_staff_read_a_failure_of_the_wifi_until_it_has_passed() -> None:
    wifi = NotedWifi()
    well, venue = wifi.status, HouseRig(hotspot=wifi)
    wifi.status = msgspec.structs.replace(well, problem="It does not work.")
    assert [one.what for one in venue.venue.faults] == ["It does not work."]
    wifi.status = well
    assert venue.venue.faults == []
    assert HouseRig().venue.wifi is None
