"""Devices: find the driver that a `[[device]]` block names, connect it, and keep what it says of itself."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol, runtime_checkable

import drivers
from drivers.common.gpio_header import Wire
from drivers.common.requirements import Need
from hub.config import DevicePart
from hub.errors import ConfigError
from hub.ports import (
    BoxDown,
    Boxes,
    BoxUp,
    BrokerDown,
    BrokerUp,
    Device,
    DeviceDown,
    DeviceUp,
    DiceKit,
    DiceSeen,
    Driver,
    DriverContext,
    LampPicture,
    SealedRound,
)
from hub.version import make_for

SHARED = "common"  # the one folder of `drivers/` that is no driver: what several of them use


@runtime_checkable
class Simulated(Protocol):
    """A device that stands for a whole table, and that a person handles at the bench page."""

    names: Mapping[int, str]

    def snapshot(self) -> Mapping[str, Any]:
        """Return all there is to see, ready for JSON."""

    def wait(self, version: int, timeout: float) -> int:
        """Wait `timeout` seconds at most for something newer than `version`; return the version there is now."""

    def do(self, command: Mapping[str, Any]) -> str | None:
        """Do what a person does at the bench; return a sentence where it cannot be done."""

    def png(self, size: str) -> bytes | None:
        """Return what a panel shows, as a PNG."""


@runtime_checkable
class WiredDriver(Protocol):
    """A driver of devices that are wired to the header."""

    def wiring(self, settings: Mapping[str, object], /) -> Sequence[Wire]:
        """Return the wires of a `[[device]]` block."""


@runtime_checkable
class NeedyDriver(Protocol):
    """A driver that needs something of the machine: a device file, a package, the radio, a cable."""

    def needs(self, settings: Mapping[str, object], /) -> Sequence[Need]:
        """Return what a `[[device]]` block needs."""


class AllBoxes:
    """Several devices with seat boxes as one port: each knows its own boxes and leaves the others alone."""

    def __init__(self, devices: Sequence[Boxes]) -> None:
        self._devices = devices

    def open(self, box: str, sealed: SealedRound) -> None:
        """Ask the box for a sealed choice."""
        for device in self._devices:
            device.open(box, sealed)

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        """Ask these boxes for their values."""
        for device in self._devices:
            device.reveal(boxes, round)

    def cancel(self, box: str, round: int) -> None:
        """End the sealed choice: it is over or void."""
        for device in self._devices:
            device.cancel(box, round)

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on the box's own ring."""
        for device in self._devices:
            device.ring(box, picture)

    def say(self, box: str, text: str) -> None:
        """Show one line on the box's small display."""
        for device in self._devices:
            device.say(box, text)

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a short sound."""
        for device in self._devices:
            device.buzz(box, kind)


def wired(blocks: Sequence[DevicePart]) -> list[tuple[str, Sequence[Wire]]]:
    """Return the devices that are wired to the header, whichever tables they belong to, each with its wires.

    Raise ConfigError.
    """
    found = []
    for number, block in enumerate(blocks, 1):
        driver = driver_of(block)
        if isinstance(driver, WiredDriver):
            several = sum(other.driver == block.driver for other in blocks) > 1
            known = block.name or (f"{block.driver} (device {number})" if several else block.driver)
            found.append((known, driver.wiring(block.settings)))
    return found


def connect(block: DevicePart, context: DriverContext) -> Device:
    """Return the device of a `[[device]]` block, made but not started. Raise ConfigError."""
    return driver_of(block).connect(block.settings, context)


def needs(block: DevicePart) -> Sequence[Need]:
    """Return what the device of a `[[device]]` block needs of the machine. Raise ConfigError."""
    driver = driver_of(block)
    return driver.needs(block.settings) if isinstance(driver, NeedyDriver) else ()


def driver_names() -> list[str]:
    """Return the names of all drivers: every file and every folder of `drivers/` is one, but `common`."""
    return [found.name for found in pkgutil.iter_modules(drivers.__path__) if found.name != SHARED]


def driver_of(block: DevicePart) -> Driver:
    """Return the driver that a block names: `driver = "eink"` is the module `drivers.eink`. Raise ConfigError."""
    names = driver_names()
    if block.driver not in names:
        raise ConfigError(f"[[device]] driver = {block.driver!r}: there is none; there are {', '.join(names)}.")
    return load_driver(block.driver)


def load_driver(name: str) -> Driver:
    """Import a driver. Raise ConfigError where a Python package that it works with was not installed."""
    try:
        driver: Driver = import_module(f"drivers.{name}")
        return driver
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"[[device]] driver = {name!r} needs the Python package {error.name}: run {make_for('pi,ble,camera')}"
        ) from None


class DeviceHealth:
    """What every device of one table said of itself last, for whoever looks after the tables.

    It listens beside the table's inbox and knows of no match, so nothing in it is secret. It is called from many
    threads; each entry is replaced whole.
    """

    def __init__(self) -> None:
        self._boxes: dict[str, dict[str, Any]] = {}
        self._devices: dict[str, str] = {}
        self._dice: dict[str, dict[str, Any]] = {}
        self._broker = ""

    def take(self, signal: object) -> None:
        """Take note of what went into the table's inbox."""
        match signal:
            case BoxUp(box, _, firmware, controls):
                self._boxes[box] = {"on": True, "firmware": firmware, "controls": controls, "why": ""}
            case BoxDown(box, why):
                self._boxes[box] = (
                    {"firmware": "", "controls": 0} | self._boxes.get(box, {}) | {"on": False, "why": why}
                )
            case DeviceDown(device, why):
                self._devices[device] = why
            case DeviceUp(device):
                self._devices[device] = ""
            case DiceKit(reader, dice, weak):
                self._dice[reader] = self._reader(reader) | {"dice": dice, "weak": list(weak)}
            case DiceSeen(reader, _, state, _, say):
                self._dice[reader] = self._reader(reader) | {"why": say if state == "no_reader" else ""}
            case BrokerDown(why):
                self._broker = why
            case BrokerUp():
                self._broker = ""
            case _:
                return

    def _reader(self, reader: str) -> dict[str, Any]:
        return self._dice.get(reader, {"dice": 0, "weak": [], "why": ""})

    def snapshot(self) -> Mapping[str, Any]:
        """Return all of it, ready for JSON. An empty sentence means that all is well."""
        return {
            "boxes": dict(self._boxes),
            "devices": dict(self._devices),
            "dice": dict(self._dice),
            "broker": self._broker,
        }
