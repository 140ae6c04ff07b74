"""The Pi's 40-pin header: the wires of devices, and access to pins and SPI buses.

Every driver that uses the header declares its wires as data (`wiring(settings)`), so that two devices on one pin are refused
before anything is opened, and the wiring can be drawn. Pins have GPIO (BCM) numbers.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Literal, NamedTuple, Protocol

from gpiozero import Factory, GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPWMPin

from drivers.common.requirements import Need
from hub.errors import Cause, ConfigError, DeviceLost
from hub.version import make_for

Rail = Literal["3V3", "5V", "GND"]
PinFactory = Literal["lgpio", "mock"]
GPIO = {"unit": "GPIO number"}  # the unit of pin settings

# Raspberry Pi documentation, "GPIO and the 40-pin header": the same on every Pi with 40 pins.
PLACES: Mapping[int | Rail, tuple[int, ...]] = {
    "3V3": (1, 17), "5V": (2, 4), "GND": (6, 9, 14, 20, 25, 30, 34, 39),
    2: (3,), 3: (5,), 4: (7,), 14: (8,), 15: (10,), 17: (11,), 18: (12,), 27: (13,), 22: (15,), 23: (16,), 24: (18,),
    10: (19,), 9: (21,), 25: (22,), 11: (23,), 8: (24,), 7: (26,), 0: (27,), 1: (28,), 5: (29,), 6: (31,), 12: (32,),
    13: (33,), 19: (35,), 16: (36,), 26: (37,), 20: (38,), 21: (40,),
}  # fmt: skip
LEAST_GPIO, MOST_GPIO = 2, 27  # 0 and 1 read the EEPROM of a board on the header

MISSING = make_for("pi")
_importing_lgpio = threading.Lock()
PIN_CHIP = "/dev/gpiochip0"  # on a Pi 5, too, since Linux 6.6.45


class Wire(NamedTuple):
    """One wire: from a GPIO or a rail of the header to a terminal of a device.

    A `shared` wire may go to several devices: a rail, or the clock and data of an SPI bus with selects. On an `idle`
    one the SPI `bus` keeps a pin to which this device connects nothing; another device on that bus may have it.
    """

    pin: int | Rail
    to: str
    shared: bool = False
    idle: bool = False
    bus: int | None = None

    @property
    def place(self) -> str:
        """The name of the pin for people."""
        return f"GPIO{self.pin}" if isinstance(self.pin, int) else self.pin

    def clashes(self, other: Wire) -> bool:
        """Return whether the two wires exclude each other."""
        if self.pin != other.pin or (self.shared and other.shared):
            return False
        return self.bus is None or self.bus != other.bus or not (self.idle or other.idle)


class Spi(NamedTuple):
    """A place on an SPI bus, `/dev/spidev<bus>.<select>`, and the GPIOs behind it."""

    bus: int
    select: int
    moved: int | None = None  # the GPIO of the select, if config.txt has moved it

    @property
    def path(self) -> str:
        """The device file."""
        return f"/dev/spidev{self.bus}.{self.select}"

    @property
    def overlay(self) -> str:
        """The line of config.txt that creates the device file."""
        if self.moved is not None:
            return f"dtoverlay=spi{self.bus}-1cs,cs0_pin={self.moved}"
        return "dtparam=spi=on" if self.bus == 0 else f"dtoverlay=spi1-{self.select + 1}cs"

    def data(self, to: str, *, shared: bool) -> Wire:
        """Return the data wire from the Pi."""
        return Wire(_SPI[self.bus].mosi, to, shared, bus=self.bus)

    def clock(self, to: str, *, shared: bool, idle: bool = False) -> Wire:
        """Return the clock wire."""
        return Wire(_SPI[self.bus].sclk, to, shared, idle, self.bus)

    def selects(self, to: str | None) -> list[Wire]:
        """Return the select wire, if it is connected, and the other pins of the bus: its other selects, MISO.

        No device here sends data, but the kernel claims MISO for the bus.
        """
        usual = _SPI[self.bus].selects
        kept = (self.moved,) if self.moved is not None else usual if self.bus == 0 else usual[: self.select + 1]
        own = self.moved if self.moved is not None else usual[self.select]
        others = (*(pin for pin in kept if to is None or pin != own), _SPI[self.bus].miso)
        idle = [Wire(pin, "kept by the bus", idle=True, bus=self.bus) for pin in others]
        return idle if to is None else [Wire(own, to, bus=self.bus), *idle]


class _SpiPins(NamedTuple):
    mosi: int
    miso: int
    sclk: int
    selects: tuple[int, ...]


_SPI = {0: _SpiPins(10, 9, 11, (8, 7)), 1: _SpiPins(20, 19, 21, (18, 17, 16))}


def spi(text: str, device: str, select: int | None = None) -> Spi:
    """Return the SPI place for a setting such as "0.0", with its select moved to a GPIO if given. Raise ConfigError."""
    places = {f"{bus}.{number}": Spi(bus, number) for bus, pins in _SPI.items() for number in range(len(pins.selects))}
    if text not in places:
        raise ConfigError(f'{device}: spi = "{text}" is no place on a bus; there are {", ".join(sorted(places))}.')
    if select is not None and places[text].select != 0:
        raise ConfigError(f'{device}: select is for "0.0" and "1.0": a bus with a moved select has but one.')
    return places[text]._replace(moved=select)


# --- who uses which pin ------------------------------------------------------------------------------


def check_pins(device: str, wires: Sequence[Wire]) -> None:
    """Raise ConfigError for a GPIO that the header does not have, or that the device uses twice."""
    for wire in wires:
        if isinstance(wire.pin, int) and not LEAST_GPIO <= wire.pin <= MOST_GPIO:
            raise ConfigError(
                f"{device}: there is no GPIO{wire.pin} for {wire.to}; the header has GPIO{LEAST_GPIO} to {MOST_GPIO}."
            )
    for one, other in combinations(wires, 2):
        if one.clashes(other):
            raise ConfigError(f"{device}: {one.place} is given to {one.to} and to {other.to}: give each its own.")


def check_devices(devices: Sequence[tuple[str, Sequence[Wire]]]) -> None:
    """Raise ConfigError for pins that two devices use, with the names of both and all such pins."""
    for (one, own), (other, others) in combinations(devices, 2):
        clashes = [
            f"{wire.place} ({wire.to} and {second.to})" for wire in own for second in others if wire.clashes(second)
        ]
        if clashes:
            raise ConfigError(f"{one} and {other} are both wired to {', '.join(clashes)}: move one of them.")


# --- pins --------------------------------------------------------------------------------------------


def open_pins(kind: PinFactory) -> Factory:
    """Return the pin factory of this kind, never another one, so that a Pi never uses mock pins by mistake. Raise DeviceLost.

    gpiozero's default (and `GPIOZERO_PIN_FACTORY`) is not used: on a Pi 5 it may choose a library that does not work there.
    """
    if kind == "mock":
        return MockFactory(pin_class=MockPWMPin)
    try:
        _import_lgpio()
        from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415 - needs lgpio
    except ImportError as error:
        raise DeviceLost(
            f"The Python package lgpio is missing, which opens the header's pins: {MISSING}.", Cause.PACKAGE
        ) from error
    except OSError as error:
        raise DeviceLost(
            f"lgpio, which opens the header's pins, cannot make its pipe in a temporary folder ({error.strerror}); "
            "is the disk full, or LG_WD set?",
            Cause.of(error),
        ) from error
    try:
        return LGPIOFactory()
    except pin_errors() as error:
        raise DeviceLost(
            f"The header's pins cannot be opened ({error}): is this a Raspberry Pi, and the hub's user in group gpio?",
            Cause.of(error),
        ) from error


def _import_lgpio() -> ModuleType:
    """Import lgpio in a temporary folder. Raise ImportError or OSError.

    On import, lgpio creates a pipe `.lgd-nfy<n>` in the working folder and opens it there, but the present folder may belong
    to another user. The name is not needed once the pipe is open.
    """
    with _importing_lgpio:
        if "lgpio" in sys.modules:
            return sys.modules["lgpio"]
        before = Path.cwd()
        with TemporaryDirectory(prefix="table-hub-") as folder:
            os.chdir(folder)
            try:
                return import_module("lgpio")
            finally:
                try:
                    os.chdir(before)
                except OSError:  # a folder of another user, without access
                    os.chdir("/")


def needs_of_pins(kind: PinFactory) -> list[Need]:
    """Return the requirements of `open_pins`."""
    if kind == "mock":
        return []
    chip = Need("file", PIN_CHIP, "play on a Raspberry Pi, or take this device out")
    return [Need("package", "lgpio", f"run {MISSING}"), chip]


def pin_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of pins: gpiozero's, the system's, and lgpio's own."""
    lgpio = sys.modules.get("lgpio")  # only a Pi has it, and only `open_pins` imports it
    return (GPIOZeroError, OSError, lgpio.error) if lgpio else (GPIOZeroError, OSError)


# --- SPI ---------------------------------------------------------------------------------------------


class Bus(Protocol):
    """An open SPI bus for lamps and panels."""

    def write(self, data: bytes) -> None:
        """Send bytes. Raise DeviceLost."""

    def close(self) -> None:
        """Close the bus."""


OpenBus = Callable[[Spi, int], Bus]


def needs_of_spi(place: Spi) -> list[Need]:
    """Return the requirements of `open_spi`."""
    overlay = f"write {place.overlay} into /boot/firmware/config.txt and restart the Pi"
    return [Need("package", "spidev", f"run {MISSING}"), Need("file", place.path, overlay)]


def open_spi(place: Spi, hertz: int) -> Bus:
    """Open the bus at `place` in mode 0. Raise DeviceLost with a remedy."""
    try:
        from spidev import SpiDev  # noqa: PLC0415 - only a Pi has it
    except ImportError as error:
        raise DeviceLost(
            f"The Python package spidev is missing, which opens the SPI bus: {MISSING}.", Cause.PACKAGE
        ) from error
    opened = SpiDev()
    try:
        opened.open(place.bus, place.select)
        opened.max_speed_hz = hertz
        opened.mode = 0
    except OSError as error:
        opened.close()
        raise DeviceLost(_spi_sentence(place, error), Cause.of(error)) from error
    return _SpidevBus(place, opened)


def _spi_sentence(place: Spi, error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return f"There is no {place.path}: write {place.overlay} into /boot/firmware/config.txt and restart the Pi."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"The hub may not open {place.path}: put its user into the group spi."
    return f"{place.path} cannot be used ({error.strerror})."


class _SpidevBus:
    """spidev as a `Bus`."""

    def __init__(self, place: Spi, opened: Any) -> None:
        self._place = place
        self._spi = opened

    def write(self, data: bytes) -> None:
        try:
            self._spi.writebytes2(data)
        except OSError as error:
            raise DeviceLost(_spi_sentence(self._place, error), Cause.of(error)) from error

    def close(self) -> None:
        self._spi.close()
