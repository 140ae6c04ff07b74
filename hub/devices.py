"""Devices: find the driver that a `[[device]]` block names, connect the device, and keep what it reports about itself."""

from __future__ import annotations

import logging
import pkgutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any, Literal, Protocol, TypeVar, cast, runtime_checkable

import drivers
from drivers.common.gpio_header import Wire
from drivers.common.requirements import Need
from hub import packages, toml
from hub.config import DevicePart
from hub.engine.text import say
from hub.errors import ConfigError
from hub.ports import (
    BoxDown,
    Boxes,
    BoxUp,
    BrokerDown,
    BrokerUp,
    Device,
    DeviceDown,
    DeviceSubject,
    DeviceUp,
    Dice,
    DiceKit,
    DiceSeen,
    Driver,
    DriverContext,
    LampPicture,
    Lamps,
    Page,
    SealedRound,
)
from hub.version import make_for

log = logging.getLogger(__name__)

T = TypeVar("T")

SECONDS = 20.0
"""How long code of a package may take to be imported, or to connect a device: OpenCV takes several seconds on a Pi Zero 2."""
MOST_WIRES = 200
"""Wires or needs of one device at most, if a driver yields them without end."""
SHARED = "common"  # the only folder of `drivers/` that is not a driver: code that drivers share


@runtime_checkable
class Simulated(Protocol):
    """A simulated device for a whole table, operated on the bench page."""

    names: Mapping[int, str]

    def snapshot(self) -> Mapping[str, object]:
        """Return the whole visible state, ready for JSON."""

    def wait(self, version: int, timeout: float) -> int:
        """Wait at most `timeout` seconds for a state newer than `version`; return the present version."""

    def do(self, command: Mapping[str, object]) -> str | None:
        """Execute a command of the bench page. Return None, or a sentence that says why that is impossible."""

    def png(self, size: str) -> bytes | None:
        """Return the content of the panel of this size as a PNG; None if there is no such panel."""


@runtime_checkable
class WiredDriver(Protocol):
    """A driver for devices that are wired to the GPIO header."""

    def wiring(self, settings: Mapping[str, object], /) -> Sequence[Wire]:
        """Return the wires of a `[[device]]` block."""


@runtime_checkable
class NeedyDriver(Protocol):
    """A driver with requirements: a device file, a package, the radio, a cable."""

    def needs(self, settings: Mapping[str, object], /) -> Sequence[Need]:
        """Return the requirements of a `[[device]]` block."""


class AllBoxes:
    """Several devices with seat boxes as one port. Each device ignores the boxes of the others."""

    def __init__(self, devices: Sequence[Boxes]) -> None:
        self._devices = devices

    def open(self, box: str, sealed: SealedRound) -> None:
        """Ask a box for a sealed choice."""
        for device in self._devices:
            device.open(box, sealed)

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        """Ask boxes to reveal the values of a round."""
        for device in self._devices:
            device.reveal(boxes, round)

    def cancel(self, box: str, round: int) -> None:
        """End the sealed choice of a box, because it is over or void."""
        for device in self._devices:
            device.cancel(box, round)

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on the ring of a box."""
        for device in self._devices:
            device.ring(box, picture)

    def say(self, box: str, text: str) -> None:
        """Show one line on the small display of a box."""
        for device in self._devices:
            device.say(box, text)

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a short sound."""
        for device in self._devices:
            device.buzz(box, kind)


class UnusableDevice:
    """Takes the place of a device whose driver comes from a package and fails: it says so, and does nothing.

    `why` is a sentence for the owner; screens do not show it.
    """

    lamps = page = boxes = dice = None

    def __init__(self, name: str, why: str, inbox: Callable[[object], None]) -> None:
        self._name, self.why, self._inbox = name, why, inbox

    def start(self) -> None:
        """Report that the driver cannot be used."""
        self._inbox(DeviceDown(self._name, say("Its driver cannot be used: the journal says why.")))

    def close(self) -> None:
        """Do nothing."""


class TakesTooLong(Exception):
    """Code of a package has not ended in time."""


def within_time(run: Callable[[], T], doing: str) -> T:
    """Run code of a package on a thread of its own, and return its result. It may raise any error.

    Raise TakesTooLong if it does not end within `SECONDS`; then the thread goes on in vain. `doing` names
    it, as in "its import".
    """
    ended: list[tuple[T | None, BaseException | None]] = []

    def work() -> None:
        try:
            ended.append((run(), None))
        except BaseException as error:  # noqa: BLE001 - it is raised again below
            ended.append((None, error))

    thread = threading.Thread(target=work, name="a package", daemon=True)
    thread.start()
    thread.join(SECONDS)
    if not ended:
        raise TakesTooLong(f"{doing} takes more than {SECONDS:.0f} s.")
    [(result, error)] = ended
    if isinstance(error, KeyboardInterrupt):  # nobody can have pressed Ctrl-C on that thread
        raise RuntimeError("it raises KeyboardInterrupt.") from error  # noqa: TRY004 - of no wrong type
    if error is not None:
        raise error
    return cast(T, result)


def header_wiring(blocks: Sequence[DevicePart]) -> list[tuple[str, Sequence[Wire]]]:
    """Return the name and the wires of each device on the GPIO header, for all tables. Raise ConfigError."""
    found: list[tuple[str, Sequence[Wire]]] = []
    for number, block in enumerate(blocks, 1):
        try:
            wires = _wires_of(block)
        except packages.Unusable as error:  # the device is left out, or used as a device without wires
            log.error("%s", error)
            continue
        if wires is not None:
            several = sum(other.driver == block.driver for other in blocks) > 1
            found.append((block.name or (f"{block.driver} (device {number})" if several else block.driver), wires))
    return found


def _wires_of(block: DevicePart) -> Sequence[Wire] | None:
    """Return the wires of a block; None if its driver uses no header. Raise ConfigError."""
    with _packages_code(block):
        driver = driver_of(block)
        if not isinstance(driver, WiredDriver):
            return None
        wires = _timed(block, lambda: [*islice(driver.wiring(block.settings), MOST_WIRES)], "wiring")
        if not all(isinstance(one, Wire) for one in wires):
            raise TypeError("wiring returns something else than wires.")
        return wires
    raise AssertionError("the block above returns or raises")


def connect(block: DevicePart, context: DriverContext) -> Device:
    """Return the device of a `[[device]]` block, not started yet. Raise ConfigError."""
    try:
        with _packages_code(block):
            driver = driver_of(block)
            if block.driver not in packaged_drivers():
                return driver.connect(block.settings, context)
            return within_time(lambda: DeviceOfPackage(driver.connect(block.settings, context)), "connect")
    except packages.Unusable as error:
        log.error("%s", error)
        return UnusableDevice(block.name or block.driver, str(error), context.inbox)


class DeviceOfPackage:
    """A device of a package, whose ports are read once. Raise AttributeError or TypeError if it lacks something.

    Whatever else of it is read later is there, or is missing: an error of the driver's is no error of the hub's.
    """

    lamps: Lamps | None
    page: Page | None
    boxes: Boxes | None
    dice: Dice | None

    def __init__(self, device: Device) -> None:
        self.device = device
        _check_parts(device, self.__dict__)

    def start(self) -> None:
        """Start the device."""
        self.device.start()

    def close(self) -> None:
        """Close the device."""
        self.device.close()

    def __getattr__(self, name: str) -> Any:
        """Return what the device has besides, such as the picture of a camera."""
        try:
            return getattr(self.device, name)
        except BaseException as error:
            raise AttributeError(name) from error


def _check_parts(device: Device, ports: dict[str, Any]) -> None:
    """Read the ports of a device. Raise AttributeError or TypeError if it lacks something that a table calls."""
    for name, port in (("lamps", Lamps), ("page", Page), ("boxes", Boxes), ("dice", Dice)):
        ports[name] = part = getattr(device, name)
        for method in [one for one in vars(port) if not one.startswith("_")] if part else []:
            if not callable(getattr(part, method, None)):
                raise TypeError(f"its port {name} has no method {method}.")
    for method in ("start", "close"):
        if not callable(getattr(device, method, None)):
            raise TypeError(f"its device has no method {method}.")


def needs(block: DevicePart) -> Sequence[Need]:
    """Return the requirements of the device of a `[[device]]` block. Raise ConfigError."""
    with _packages_code(block):
        driver = driver_of(block)
        if not isinstance(driver, NeedyDriver):
            return []
        found = _timed(block, lambda: [*islice(driver.needs(block.settings), MOST_WIRES)], "needs")
        if not all(isinstance(one, Need) for one in found):
            raise TypeError("needs returns something else than Need.")
        return found
    raise AssertionError("the block above returns or raises")


@contextmanager
def _packages_code(block: DevicePart) -> Iterator[None]:
    """Turn an error that nobody foresaw into Unusable if the driver of a block comes from a package: the hub goes on."""
    try:
        yield
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        entry = packaged_drivers().get(block.driver)
        if entry is None:
            raise
        sentence = f"The driver {entry.name} of the package {entry.package} fails: {packages.why(error)}"
        if isinstance(error, TakesTooLong):
            _TOO_SLOW[entry.module] = sentence  # its other devices must not take as long
        raise packages.Unusable(sentence) from error


def _timed(block: DevicePart, run: Callable[[], T], doing: str) -> T:
    """Run code of the driver of a block, within the time limit if it comes from a package. Raise TakesTooLong."""
    return within_time(run, doing) if block.driver in packaged_drivers() else run()


def packaged_drivers() -> Mapping[str, packages.Entry]:
    """Return the drivers of packages by their names. None takes the place of a driver of table-hub, or of an earlier package."""
    ours = built_in_drivers()
    found: dict[str, packages.Entry] = {}
    for entry in packages.found(packages.DRIVERS).entries:
        if entry.name not in ours:
            found.setdefault(entry.name, entry)
    return found


def built_in_drivers() -> list[str]:
    """Return the names of the drivers of table-hub: each file and each folder of `drivers/` except `common`."""
    return [found.name for found in pkgutil.iter_modules(drivers.__path__) if found.name != SHARED]


def driver_names() -> list[str]:
    """Return the names of all drivers, in alphabetical order."""
    return sorted({*built_in_drivers(), *packaged_drivers()})


def driver_of(block: DevicePart) -> Driver:
    """Return the driver that a block names: `driver = "eink"` is the module `drivers.eink`. Raise ConfigError."""
    names = driver_names()
    if block.driver not in names:
        error = packages.Unusable if packages.problems() else ConfigError  # it may be in a package that cannot be read
        raise error(f"[[device]] driver = {block.driver!r}: there is none; there are {', '.join(names)}.")
    return load_driver(block.driver)


def load_driver(name: str) -> Driver:
    """Import a driver. Raise ConfigError if a Python package that it uses is not installed, Unusable if it comes from a package."""
    if entry := packaged_drivers().get(name):
        return _load_packaged(entry)
    try:
        return cast(Driver, import_module(f"drivers.{name}"))
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"[[device]] driver = {name!r} needs the Python package {error.name}: run {make_for('pi,ble,camera')}"
        ) from None


_TOO_SLOW: dict[str, str] = {}
"""By module, why its code was given up, until the hub restarts. A second import would wait for the first."""


def _load_packaged(entry: packages.Entry) -> Driver:
    if sentence := _TOO_SLOW.get(entry.module):
        raise packages.Unusable(sentence)
    try:
        driver = within_time(lambda: import_module(entry.module), "its import")
        packages.check_api(getattr(driver, "API", None), "API")
        toml.keys(driver.Settings)  # a Struct whose keys an owner can write
    except TakesTooLong as error:
        _TOO_SLOW[entry.module] = _unusable(entry, error)
        raise packages.Unusable(_TOO_SLOW[entry.module]) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the code of others
        raise packages.Unusable(_unusable(entry, error)) from error
    return cast(Driver, driver)


def _unusable(entry: packages.Entry, error: BaseException) -> str:
    return f"The driver {entry.name} of the package {entry.package} cannot be used: {packages.why(error)}"


class DeviceHealth:
    """The last report of each device of one table, for staff and `table-hub doctor`.

    It gets the same signals as the inbox of the table but knows nothing about a match, so it holds no secrets. Thread-safe:
    each entry is replaced as a whole.
    """

    def __init__(self) -> None:
        self._boxes: dict[str, dict[str, object]] = {}
        self._devices: dict[str, str] = {}
        self._dice: dict[str, dict[str, object]] = {}
        self._broker = ""

    def update(self, signal: object) -> None:
        """Note a signal that was put into the inbox of the table."""
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

    def forget(self, gone: Iterable[DeviceSubject]) -> None:
        """Forget boxes, devices and dice readers that the table no longer has."""
        kinds: dict[type, dict[str, Any]] = {BoxUp: self._boxes, DeviceUp: self._devices, DiceKit: self._dice}
        for kind, name in gone:
            kinds[kind].pop(name, None)

    def _reader(self, reader: str) -> dict[str, object]:
        return self._dice.get(reader, {"dice": 0, "weak": [], "why": ""})

    def snapshot(self) -> Mapping[str, Any]:
        """Return all reports, ready for JSON. An empty sentence means that the device works."""
        return {
            "boxes": dict(self._boxes),
            "devices": dict(self._devices),
            "dice": dict(self._dice),
            "broker": self._broker,
        }
