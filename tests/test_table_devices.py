"""The devices of a table while their blocks change: which go on, which are closed before which start, and what is forgotten."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import pytest

from hub import table_devices, toml
from hub.chance import Chance
from hub.config import DevicePart
from hub.devices import DeviceHealth, connect, load_driver
from hub.errors import ConfigError
from hub.isolation import DeviceGuard, GuardedDevice
from hub.ports import BoxUp, DeviceDown, DeviceSubject, DeviceUp, DiceKit, DiceSeen, DriverContext, SearchedDice
from hub.table.base.ports import NewDevices, Ports
from hub.table_devices import TableDevices
from tests.patience import PATIENCE
from tests.phone_ui.rig import until
from tests.table.fakes import FakePhones, HeldClock, MemoryStore

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

LAMPS, PANEL, TRAY = DevicePart("lamps"), DevicePart("panel"), DevicePart("tray")
BRIGHT = DevicePart("lamps", settings={"brightness": 100})


class Gadget:
    """A device with the port that its driver's name stands for."""

    def __init__(self, block: DevicePart, context: DriverContext, rig: Rig) -> None:
        self.block, self.inbox, self._rig = block, context.inbox, rig
        self.lamps: Any = self if block.driver == "lamps" else None
        self.page: Any = self if block.driver == "panel" else None
        self.boxes: Any = None
        self.dice: Any = self if block.driver == "tray" else None

    def start(self) -> None:
        self._rig.on_start()
        self._rig.happened.append(("start", self.block))

    def close(self) -> None:
        self._rig.happened.append(("close", self.block))


class Bench(Gadget):
    """A simulated device."""

    names: Mapping[int, str] = {}

    def snapshot(self) -> Mapping[str, object]:
        return {}

    def wait(self, version: int, timeout: float) -> int:
        return version

    def do(self, command: Mapping[str, object]) -> str | None:
        return None

    def png(self, size: str) -> bytes | None:
        return None


class Watched(Gadget):
    """A tray with a camera over it."""

    def __init__(self, block: DevicePart, context: DriverContext, rig: Rig) -> None:
        super().__init__(block, context, rig)
        self.dice = self

    def look(self) -> None:
        """Show staff what lies there."""

    def calibrate(self, step: str) -> None:
        """Do a step of the calibration."""


class Searched(Gadget):
    """Dice that the driver searches for."""

    named_by = "dice"

    def __init__(self, block: DevicePart, context: DriverContext, rig: Rig) -> None:
        super().__init__(block, context, rig)
        self.dice = self


class Rig:
    """A table's devices, which have started, their health, and the ports of the table."""

    def __init__(self, *blocks: DevicePart) -> None:
        self.happened: list[tuple[str, DevicePart]] = []
        self.signals: list[object] = []
        self.on_start: Callable[[], object] = lambda: None
        self.health = DeviceHealth()
        self.ports = Ports(MemoryStore(), FakePhones([]), HeldClock(), Chance(1), lambda: 0.0, Random(1))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table_devices, "connect", self.connect)
            self.devices = TableDevices(blocks, self.put, {}, Random(1), self.health)
        self.devices.put_into(self.ports)
        self.devices.start()

    def connect(self, block: DevicePart, context: DriverContext) -> Gadget:
        if block.driver == "abacus":
            raise ConfigError("There is no such driver.")
        return {"bench": Bench, "camera": Watched, "searched": Searched}.get(block.driver, Gadget)(block, context, self)

    def start_slowly(self) -> tuple[threading.Event, threading.Event]:
        """Let devices start slowly. Return the event that one is starting, and the one that lets it go on."""
        starting, go_on = threading.Event(), threading.Event()

        def wait() -> None:
            starting.set()
            go_on.wait(PATIENCE)

        self.on_start = wait
        return starting, go_on

    def context(self) -> DriverContext:
        return DriverContext(self.put, {}, Random(1))

    def put(self, signal: object) -> None:
        self.health.update(signal)
        self.signals.append(signal)

    def gadget(self, block: DevicePart) -> Gadget:
        (found,) = [one.device for one in self.devices.devices if getattr(one.device, "block", None) == block]
        assert isinstance(found, Gadget)
        return found

    def apply(self, new: NewDevices, *done: tuple[str, DevicePart]) -> set[DeviceSubject]:
        """Put them into the ports, as the table does, and wait until exactly that was `done` to devices."""
        del self.happened[:]
        gone = new.put_into(self.ports)
        until(lambda: len(self.happened) >= len(done), f"{done}")
        assert self.happened == list(done)
        return gone


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Rig]]:
    """Make a rig, and close it after the test."""
    rigs: list[Rig] = []

    def made(*blocks: DevicePart) -> Rig:
        rigs.append(Rig(*blocks))
        monkeypatch.setattr(table_devices, "connect", rigs[-1].connect)
        return rigs[-1]

    yield made
    for rig in rigs:
        rig.devices.close()


def test_a_device_with_another_setting_is_closed_before_the_new_one_starts(make: Callable[..., Rig]) -> None:
    rig = make(LAMPS, PANEL)
    panel = rig.gadget(PANEL)
    rig.apply(rig.devices.replace_by([BRIGHT, PANEL]), ("close", LAMPS), ("start", BRIGHT))
    assert rig.gadget(PANEL) is panel, "its block stays the same"
    assert len(rig.ports.lamps) == len(rig.ports.panels) == 1
    assert rig.ports.dice is None


def test_a_device_is_added_and_another_one_removed(make: Callable[..., Rig]) -> None:
    rig = make(LAMPS)
    rig.apply(rig.devices.replace_by([LAMPS, TRAY]), ("start", TRAY))
    assert rig.ports.dice is not None
    rig.apply(rig.devices.replace_by([TRAY]), ("close", LAMPS))
    assert rig.ports.lamps == []
    assert rig.ports.dice is not None


def test_nothing_is_connected_twice_for_one_of_two_equal_blocks(make: Callable[..., Rig]) -> None:
    rig = make(LAMPS)
    rig.apply(rig.devices.replace_by([LAMPS, LAMPS]), ("start", LAMPS))
    assert len(rig.devices.devices) == 2
    rig.apply(rig.devices.replace_by([LAMPS]), ("close", LAMPS))
    assert len(rig.devices.devices) == 1


def test_a_later_change_replaces_one_that_still_waits_for_the_end_of_a_match(make: Callable[..., Rig]) -> None:
    rig = make(LAMPS)
    rig.devices.replace_by([TRAY])
    rig.apply(rig.devices.replace_by([LAMPS, PANEL]), ("start", PANEL))
    assert rig.ports.dice is None


def test_a_device_that_another_change_removed_meanwhile_is_connected_again(make: Callable[..., Rig]) -> None:
    rig = make(LAMPS)
    first, second = rig.devices.replace_by([]), rig.devices.replace_by([LAMPS])
    before = rig.gadget(LAMPS)
    rig.apply(first, ("close", LAMPS))
    rig.apply(second, ("start", LAMPS))
    assert rig.gadget(LAMPS) is not before


def test_a_block_that_cannot_be_used_changes_nothing(make: Callable[..., Rig]) -> None:
    rig = make(LAMPS)
    with pytest.raises(ConfigError, match="no such driver"):
        rig.devices.replace_by([LAMPS, PANEL, DevicePart("abacus")])
    assert [one.device for one in rig.devices.devices] == [rig.gadget(LAMPS)]
    assert rig.happened == [("start", LAMPS), ("close", PANEL)], "what was connected for it is closed"


UNDER = [DevicePart("tray", name="of 2", cup=2), DevicePart("tray", name="of 1", cup=1)]


def test_dice_under_the_cup_of_a_seat_are_not_those_of_the_table(make: Callable[..., Rig]) -> None:
    rig = make(UNDER[0], TRAY, UNDER[1])
    assert sorted(rig.ports.cups) == [1, 2]
    table, seats = rig.ports.dice, rig.ports.cups
    assert table
    assert len({id(one) for one in (table, *seats.values())}) == 3
    rig.ports.cups = {}
    rig.devices.replace_by([TRAY]).put_into(rig.ports)
    assert rig.ports.cups == {}
    assert rig.ports.dice


def test_what_is_read_under_a_cup_is_marked_with_its_seat_whatever_the_driver_says(make: Callable[..., Rig]) -> None:
    rig = make(UNDER[0], TRAY)
    for block in (UNDER[0], TRAY):
        gadget = rig.gadget(block)
        gadget.inbox(DiceSeen("r", 1, "settled", (3, 4), "", 5))
        gadget.inbox(DiceKit("r", 2, (), 5))
        gadget.inbox(DeviceDown("r", "It is lost."))
    found = [signal for signal in rig.signals if isinstance(signal, DiceSeen | DiceKit)]
    assert [(signal.cup, signal.reader) for signal in found] == [(2, "of 2"), (2, "of 2"), (0, "r"), (0, "r")]
    assert [signal.device for signal in rig.signals if isinstance(signal, DeviceDown)] == ["of 2", "r"]


def test_two_readers_of_one_driver_are_told_apart_by_their_seats(make: Callable[..., Rig]) -> None:
    one, two = DevicePart("tray", cup=1), DevicePart("tray", cup=2)
    rig = make(one, two)
    for block in (one, two):
        rig.gadget(block).inbox(DiceKit("the smart dice", 5))
    assert rig.devices.replace_by([two]).put_into(rig.ports) == {(DiceKit, "the smart dice, seat 1")}


def test_only_dice_that_nobody_else_sees_can_be_under_a_cup(make: Callable[..., Rig]) -> None:
    rig = make(UNDER[0])
    refused = (
        (DevicePart("lamps", cup=1), "it reads no dice"),
        (DevicePart("camera", cup=1), "picture"),
        (DevicePart("searched", cup=1), "name its own with dice"),
        (DevicePart("searched", cup=1, settings={"dice": []}), "name its own with dice"),
    )
    for block, why in refused:
        with pytest.raises(ConfigError, match=why):
            rig.devices.replace_by([UNDER[0], block])
    assert sorted(rig.ports.cups) == [2]
    named = DevicePart("searched", cup=1, settings={"dice": ["c1:d2:e3:f4:a5:b6"]})
    rig.devices.replace_by([UNDER[0], named]).put_into(rig.ports)
    assert sorted(rig.ports.cups) == [1, 2]


@pytest.mark.parametrize("driver", ["ble_dice", "dice_tray"])
def test_the_drivers_that_search_for_dice_say_which_setting_names_them(driver: str) -> None:
    device = connect(DevicePart(driver), DriverContext(lambda _: None, {}, Random(1)))
    assert isinstance(device, SearchedDice)
    assert device.named_by in [key.name for key in toml.keys(load_driver(driver).Settings)]


def test_a_simulated_device_neither_comes_nor_goes_but_others_do_beside_it(make: Callable[..., Rig]) -> None:
    bench, other = DevicePart("bench"), DevicePart("bench", settings={"seats": 6})
    rig = make(bench, LAMPS)
    for blocks, closed in (([LAMPS], []), ([other, LAMPS], [other]), ([bench, TRAY, other], [TRAY, other])):
        rig.happened.clear()
        with pytest.raises(ConfigError, match="needs a restart"):
            rig.devices.replace_by(blocks)
        assert sorted(rig.happened, key=str) == sorted([("close", one) for one in closed], key=str)
    rig.apply(rig.devices.replace_by([bench, TRAY]), ("close", LAMPS), ("start", TRAY))
    assert len(rig.devices.simulated) == 1


def test_what_a_device_reported_about_is_gone_with_it(make: Callable[..., Rig]) -> None:
    rig = make(TRAY, PANEL)
    tray, panel = rig.gadget(TRAY), rig.gadget(PANEL)
    tray.inbox(DiceKit("dice tray", 4))
    tray.inbox(DeviceDown("dice tray", "It was unplugged."))
    tray.inbox(BoxUp("box-1", "b1", "1", 8))
    panel.inbox(DeviceUp("panel"))
    gone = rig.apply(rig.devices.replace_by([PANEL]), ("close", TRAY))
    assert gone == {(DiceKit, "dice tray"), (DeviceUp, "dice tray"), (BoxUp, "box-1")}
    assert rig.health.snapshot() == {"boxes": {}, "devices": {"panel": ""}, "dice": {}, "broker": ""}
    rig.signals.clear()
    tray.inbox(DiceKit("dice tray", 0))
    assert rig.signals == [], "it is not heard any more"
    panel.inbox(DeviceDown("panel", "It does not answer."))
    assert len(rig.signals) == 1


def test_a_reader_that_only_said_why_it_cannot_read_is_forgotten_too(make: Callable[..., Rig]) -> None:
    rig = make(TRAY)
    rig.gadget(TRAY).inbox(DiceSeen("dice tray", 1, "no_reader", say="It is dark."))
    assert rig.apply(rig.devices.replace_by([]), ("close", TRAY)) == {(DiceKit, "dice tray")}
    assert rig.health.snapshot()["dice"] == {}


def test_what_a_device_that_stays_reports_about_too_is_not_forgotten(make: Callable[..., Rig]) -> None:
    other = DevicePart("tray", settings={"tray": "2"})
    rig = make(TRAY, other)
    for block in (TRAY, other):
        rig.gadget(block).inbox(DiceKit("dice tray", 4))
    assert rig.apply(rig.devices.replace_by([other]), ("close", TRAY)) == set()
    assert rig.health.snapshot()["dice"]


def test_a_device_that_is_starting_while_the_hub_closes_is_closed_and_the_next_never_starts(
    make: Callable[..., Rig],
) -> None:
    rig = make()
    starting, go_on = rig.start_slowly()
    rig.devices.replace_by([TRAY, PANEL]).put_into(rig.ports)
    assert starting.wait(PATIENCE)
    rig.devices.close()
    del rig.happened[:]
    go_on.set()
    until(lambda: not any(one.name == "new devices" for one in threading.enumerate()), "the end of the change")
    assert rig.happened == [("start", TRAY), ("close", TRAY)]


def test_a_device_that_was_closed_does_not_start_any_more(make: Callable[..., Rig]) -> None:
    rig = make(LAMPS)
    guarded = GuardedDevice(Gadget(TRAY, rig.context(), rig), DeviceGuard("tray", rig.put))
    guarded.close()
    guarded.start()
    assert rig.happened == [("start", LAMPS), ("close", TRAY)]


def test_a_change_waits_until_the_one_before_has_closed_and_started_its_devices(make: Callable[..., Rig]) -> None:
    rig = make()
    starting, go_on = rig.start_slowly()
    rig.devices.replace_by([TRAY]).put_into(rig.ports)
    assert starting.wait(PATIENCE)
    rig.on_start = lambda: None
    rig.devices.replace_by([PANEL]).put_into(rig.ports)
    go_on.set()
    until(lambda: len(rig.happened) == 3, "both changes")
    assert rig.happened == [("start", TRAY), ("close", TRAY), ("start", PANEL)]
