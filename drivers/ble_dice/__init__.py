"""Dice with a radio (Pixels, GoDice) as a dice reader, over Bluetooth Low Energy with bleak.

`protocols.py` reads the messages of a die, and `Kit` decides what a throw is. The radio's event loop has its own thread, scans
for dice as long as one is missing, and reconnects to dice that were lost.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import msgspec
from bleak import BleakClient, BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakCharacteristicNotFoundError, BleakError

from drivers.ble_dice.protocols import Battery, DieMessage, DieProtocol, Identified, Moved, is_certain, protocol_of
from drivers.common import settings as block
from drivers.common.backoff import SHORTEST, backoff
from drivers.common.requirements import Need
from drivers.common.worker import Inbox
from hub.engine.text import say, say_count
from hub.errors import Cause, DeviceLost
from hub.ports import Clock, DeviceDown, DeviceUp, DiceKit, DiceSeen, DiceState, DriverContext, MonotonicClock

log = logging.getLogger(__name__)

REST = 0.7  # seconds that dice must lie still
STRAGGLER = 4.0  # seconds at rest after which a missing die is reported
WEAK = 20  # battery level in percent
TICK = 0.1
DISCONNECT_SECONDS = 2.0  # seconds that a die has to disconnect
PROOF = 2.0  # seconds after the connection in which a possible die must identify itself
TRIES = 5  # failed connections before an unidentified device is ignored
MOST = 7  # connections per adapter

NAME = say("the smart dice")
LEANS = say("One die is leaning: throw that one again.")


@dataclass
class _Die:
    """One die of the kit, according to its messages."""

    name: str
    connected: bool = True
    sides: int = 6
    percent: int = 100
    move: str = "handled"
    face: int | None = None
    since: float = 0.0
    thrown: bool = False  # since the arm
    last_arm: int = 0  # the arm of its last throw, if it still lies there


@dataclass(frozen=True)
class _Arm:
    number: int
    count: int
    sides: int


class Kit:
    """All dice of a table and the requested throw. Pure: takes messages of dice and the time, and returns signals."""

    def __init__(self, put: Inbox) -> None:
        self._put = put
        self._dice: dict[str, _Die] = {}
        self._arm: _Arm | None = None
        self._reported_throw: tuple[DiceState, tuple[int, ...], str] | None = None
        self._reported_kit: DiceKit | None = None

    # --- the table ---

    def arm(self, number: int, count: int, sides: int, now: float, *, lying: bool) -> None:
        """Watch for a throw. `lying`: report the last throw again, even if another throw was requested meanwhile."""
        self._arm, self._reported_throw = _Arm(number, count, sides), None
        last = max((die.last_arm for die in self._dice.values()), default=0)
        for die in self._dice.values():
            die.thrown = lying and 0 < die.last_arm == last
            die.since = now
        if self._can_read():
            self._report("armed")
        self.run_due(now)

    def disarm(self) -> None:
        """Ignore the dice."""
        self._arm = None

    # --- the dice ---

    def on_connected(self, key: str, name: str, now: float) -> None:
        """Register a die that has connected, for the first time or again."""
        die = self._dice.setdefault(key, _Die(name))
        die.connected, die.since = True, now
        self._report_kit()
        if self._arm and self._reported_throw and self._reported_throw[0] == "no_reader" and self._can_read():
            self._report("armed")

    def on_disconnected(self, key: str, now: float) -> None:
        """Note that a die is disconnected. Its state is kept, and queried when it is back."""
        self._dice[key].connected = False
        self._report_kit()
        self.run_due(now)

    def on_message(self, key: str, message: DieMessage, now: float) -> None:
        """Handle a message of a die."""
        die = self._dice[key]
        match message:
            case Identified(sides):
                die.sides = sides
                self._report_kit()
            case Battery(percent):
                die.percent = percent
                self._report_kit()
            case Moved(move, face):
                if move == "rolled":
                    die.thrown = True
                    die.last_arm = self._arm.number if self._arm else 0
                elif move != "handled" or face != die.face:  # a repeated state is not a new event
                    die.thrown, die.last_arm = False, 0
                die.move, die.face, die.since = move, face, now
                self.run_due(now)

    def run_due(self, now: float) -> None:
        """Do what is due: report dice at rest, and missing dice."""
        arm = self._arm
        if arm is None:
            return
        if not self._can_read():
            self._report("no_reader", sentence=self._no_reader_sentence())
            return
        dice = [die for die in self._dice.values() if die.connected and die.sides == arm.sides]
        thrown = [die for die in dice if die.thrown]
        faces = tuple(die.face for die in thrown if die.face is not None)
        if any(die.move == "rolling" for die in dice):
            self._report("rolling")
        elif any(die.move == "leaning" for die in dice):
            if all(now - die.since >= REST for die in dice if die.move == "leaning"):
                self._report("cocked", faces, LEANS)
        elif thrown:
            rest = now - max(die.since for die in thrown)
            if rest >= REST and len(thrown) == arm.count:
                self._report("settled", faces)
            elif rest >= REST and (len(thrown) > arm.count or rest >= STRAGGLER):
                sentence = say("I see {seen} of {count} dice: throw them all again.", seen=len(thrown), count=arm.count)
                self._report("wrong_count", sentence=sentence)
                for die in thrown:
                    die.thrown = False

    def _can_read(self) -> bool:
        arm = self._arm
        return arm is not None and self._usable(arm.sides) >= arm.count

    def _usable(self, sides: int) -> int:
        return sum(die.connected and die.sides == sides for die in self._dice.values())

    def _no_reader_sentence(self) -> str:
        assert self._arm is not None
        here = self._usable(self._arm.sides)
        if here == 0:
            return say("No smart die answers: type what you see.")
        return say_count(
            "Only {count} of {dice} smart dice answers: type what you see.",
            "Only {count} of {dice} smart dice answer: type what you see.",
            here,
            dice=self._arm.count,
        )

    def _report_kit(self) -> None:
        here = [die for die in self._dice.values() if die.connected]
        kit = DiceKit(NAME, self._usable(6), tuple(die.name for die in here if die.percent < WEAK))
        if kit != self._reported_kit:
            self._reported_kit = kit
            self._put(kit)

    def _report(self, state: DiceState, faces: tuple[int, ...] = (), sentence: str = "") -> None:
        assert self._arm is not None
        if (state, faces, sentence) != self._reported_throw:
            self._reported_throw = (state, faces, sentence)
            self._put(DiceSeen(NAME, self._arm.number, state, faces, sentence))


# --- the radio ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Radio:
    """The backends of bleak and the event loop; tests replace them."""

    scanner: type | None = None
    client: type | None = None
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "ble_dice"`."""

    dice: Annotated[
        list[str],
        msgspec.Meta(description="names or addresses (`table-hub find-dice`); empty: the first ones in range"),
    ] = []
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST, description="largest number of dice if `dice` is empty")] = 6


class BleDice:
    """The `Dice` port for the dice of one table, on a thread with an event loop."""

    lamps = page = boxes = None
    named_by = "dice"

    def __init__(
        self, settings: Settings, inbox: Inbox, clock: Clock | None = None, radio: Radio | None = None
    ) -> None:
        self.dice = self
        self._names = [name.lower() for name in settings.dice]
        self._most = settings.most if not settings.dice else len(settings.dice)
        self._put = inbox
        self._clock = clock if clock is not None else MonotonicClock()
        self._radio = radio if radio is not None else Radio()
        self._kit = Kit(inbox)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._ready = threading.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._disconnected: dict[str, asyncio.Event] = {}  # set when a connection must end or has ended
        self._strangers: set[str] = set()  # addresses that are no dice, ignored
        self._failures: dict[str, int] = {}  # failed connections of unidentified devices
        self._protocols: dict[str, DieProtocol] = {}  # kept while a die is lost: it may have been rolling
        self._reported = ""  # the sentence of the failure that staff know of
        self._thread = threading.Thread(target=self._run, name="ble-dice", daemon=True)

    def start(self) -> None:
        """Start to scan for the dice."""
        self._thread.start()
        self._ready.wait(5)

    def close(self) -> None:
        """Disconnect from the dice."""
        if self._loop and self._stopped and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join(timeout=10)

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:  # noqa: ARG002 - dice do not know who throws
        """Watch for a throw."""
        self._call_soon(lambda: self._kit.arm(number, count, sides, self._clock.now(), lying=lying))

    def disarm(self) -> None:
        """Ignore the dice."""
        self._call_soon(self._kit.disarm)

    def _call_soon(self, call: Callable[[], None]) -> None:
        if self._loop and self._thread.is_alive():
            self._loop.call_soon_threadsafe(call)

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=self._radio.loop) as runner:
                runner.run(self._main())
        except Exception:  # a fault in one driver does not end the match; its event loop is gone
            log.exception("The radio of the smart dice failed.")
            self._put(
                DeviceDown(
                    NAME,
                    say("The smart dice no longer work: their driver failed. The hub's log has the details."),
                )
            )

    async def _main(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._ready.set()
        ticking = asyncio.create_task(self._tick())
        scanning = asyncio.create_task(self._scan())
        await self._stopped.wait()
        for disconnected in self._disconnected.values():  # a connection that is being made may swallow its cancellation
            disconnected.set()
        tasks = [ticking, scanning, *self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=2 * DISCONNECT_SECONDS)

    async def _tick(self) -> None:
        while True:
            self._kit.run_due(self._clock.now())
            await asyncio.sleep(TICK)

    async def _scan(self) -> None:
        """Scan while a die is missing. Each die gets its own task."""
        pauses = backoff()
        while True:
            try:
                async with BleakScanner(self._on_advertisement, **_backend(self._radio.scanner)):
                    self._report_up()
                    pauses = backoff()
                    while len(self._tasks) < self._most:
                        await asyncio.sleep(TICK)
                while len(self._tasks) >= self._most:
                    await asyncio.sleep(TICK)
            except (BleakError, OSError) as error:
                self._report_down(
                    say(
                        "The Bluetooth radio cannot be used ({error}). Is it plugged in and switched on? Type the rolls.",
                        error=str(error),
                    )
                )
                await asyncio.sleep(next(pauses))

    def _on_advertisement(self, device: BLEDevice, advertisement: AdvertisementData) -> None:
        if self._stopped is None or self._stopped.is_set():
            return
        name = advertisement.local_name or device.name or ""
        protocol = protocol_of(name, advertisement.service_uuids)
        is_wanted = not self._names or name.lower() in self._names or device.address.lower() in self._names
        held = device.address in self._tasks or device.address in self._strangers
        if protocol and is_wanted and not held and len(self._tasks) < self._most:
            proven = device.address in self._protocols or is_certain(
                name, advertisement.manufacturer_data, advertisement.service_data
            )
            protocol = self._protocols.get(device.address, protocol)
            task = asyncio.create_task(self._stay_connected(device, name, protocol, proven=proven))
            self._tasks[device.address] = task
            task.add_done_callback(lambda _: self._tasks.pop(device.address, None))

    async def _stay_connected(self, device: BLEDevice, name: str, protocol: DieProtocol, *, proven: bool) -> None:
        """Stay connected to a die until it is lost; the scan then finds it again. Disconnect from other devices."""
        address = device.address
        disconnected, connected = self._disconnected.setdefault(address, asyncio.Event()), False
        disconnected.clear()
        client = BleakClient(device, lambda _: disconnected.set(), **_backend(self._radio.client))
        answers = _Answers(protocol)

        def on_notify(_: object, data: bytearray) -> None:
            answers.on_data(data)
            if connected:
                self._forward(address, answers)

        try:
            async with self._one_at_a_time:  # an adapter cannot make two connections at once
                await client.connect()
            await client.start_notify(protocol.notify, on_notify)
            for question in protocol.hello():
                await client.write_gatt_char(protocol.write, question, response=False)
            if proven or await answers.identify(disconnected):
                self._protocols[address] = protocol
                self._kit.on_connected(address, name, self._clock.now())
                connected = True
                self._forward(address, answers)
                await client.write_gatt_char(protocol.write, protocol.blink(), response=False)  # for the people here
                await disconnected.wait()
            elif not disconnected.is_set():
                self._reject(address, name)
        except (BleakError, OSError, TimeoutError) as error:
            log.info("The die %s cannot be reached: %s", name, error)
            self._failures[address] = self._failures.get(address, 0) + 1
            lacking = isinstance(error, BleakCharacteristicNotFoundError)
            if not proven and not connected and (lacking or self._failures[address] >= TRIES):
                self._reject(address, name)
        finally:
            if connected:
                self._kit.on_disconnected(address, self._clock.now())
            with suppress(BleakError, OSError, TimeoutError):
                await asyncio.wait_for(client.disconnect(), DISCONNECT_SECONDS)
        await asyncio.sleep(SHORTEST)

    def _forward(self, address: str, answers: _Answers) -> None:
        for message in answers.waiting:
            self._kit.on_message(address, message, self._clock.now())
        answers.waiting.clear()

    def _reject(self, address: str, name: str) -> None:
        self._strangers.add(address)
        log.info("%s (%s) offers the service of a smart die and does not answer as one: it is let go.", name, address)

    def _report_down(self, sentence: str) -> None:
        if sentence != self._reported:
            self._reported = sentence
            log.warning("%s", sentence)
            self._put(DeviceDown(NAME, sentence))

    def _report_up(self) -> None:
        if self._reported:
            self._reported = ""
            self._put(DeviceUp(NAME))


def needs(settings: Mapping[str, object]) -> list[Need]:  # noqa: ARG001 - whatever the dice, it takes the radio
    """Return the requirements of a `[[device]]` block."""
    return [Need("radio", "", "plug in a Bluetooth adapter")]


def connect(settings: Mapping[str, object], context: DriverContext) -> BleDice:
    """Return the device of a `[[device]]` block. Raise ConfigError."""
    return BleDice(block.read(Settings, settings, "ble_dice"), context.inbox)


class Found(NamedTuple):
    """A device in radio range, and whether it is a die."""

    name: str
    address: str
    die: bool


def find(seconds: float, radio: Radio | None = None) -> list[Found]:
    """Light up all dice in radio range, and return them with possible dice. Raise DeviceLost without a radio."""
    try:
        return asyncio.run(_find(seconds, radio if radio is not None else Radio()))
    except (BleakError, OSError) as error:
        raise DeviceLost(
            f"The Bluetooth radio cannot be used ({error}): is it there and switched on?", Cause.of(error)
        ) from None


async def _find(seconds: float, radio: Radio) -> list[Found]:
    devices: dict[str, tuple[BLEDevice, str, DieProtocol]] = {}
    certain: set[str] = set()

    def on_air(device: BLEDevice, advertisement: AdvertisementData) -> None:
        name = advertisement.local_name or device.name or ""
        if protocol := protocol_of(name, advertisement.service_uuids):
            devices.setdefault(device.address, (device, name, protocol))
            if is_certain(name, advertisement.manufacturer_data, advertisement.service_data):
                certain.add(device.address)

    async with BleakScanner(on_air, **_backend(radio.scanner)):
        await asyncio.sleep(seconds)
    found = []
    for device, name, protocol in devices.values():
        die = device.address in certain
        try:
            die = await _light_up(device, protocol, radio, certain=die) or die
        except (BleakError, OSError, TimeoutError) as error:
            log.info("%s is heard, but did not light up: %s", name, error)
        found.append(Found(name, device.address, die))
    return sorted(found)


async def _light_up(device: BLEDevice, protocol: DieProtocol, radio: Radio, *, certain: bool) -> bool:
    """Light a die up green; return whether it is one. An unidentified device gets only the query for its identity."""
    disconnected, answers = asyncio.Event(), _Answers(protocol)
    async with BleakClient(device, lambda _: disconnected.set(), **_backend(radio.client)) as client:
        if not certain:
            await client.start_notify(protocol.notify, lambda _, data: answers.on_data(data))
            await client.write_gatt_char(protocol.write, protocol.hello()[0], response=False)
        if certain or await answers.identify(disconnected):
            await client.write_gatt_char(protocol.write, protocol.blink(), response=False)
            return True
    return False


class _Answers:
    """The messages of a possible die."""

    def __init__(self, protocol: DieProtocol) -> None:
        self.waiting: list[DieMessage] = []
        self._protocol = protocol
        self._identified = asyncio.Event()

    def on_data(self, data: bytearray) -> None:
        """Handle a notification."""
        messages = self._protocol.parse(bytes(data))
        self.waiting += messages
        if any(isinstance(message, Identified) for message in messages):
            self._identified.set()

    async def identify(self, disconnected: asyncio.Event) -> bool:
        """Wait for at most PROOF seconds, or until the connection ends; return whether the device is a die."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._identified, disconnected)]
        await asyncio.wait(waits, timeout=PROOF, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return self._identified.is_set()


def _backend(kind: type | None) -> dict[str, Any]:
    return {"backend": kind} if kind else {}
