"""Dice on the air, without a radio: bumble devices that answer like real ones, and bleak backends that reach them.

Everything here lives on the event loop of the driver that is tested; `Air.do` lets a test reach in.
"""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any

from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.client import BaseBleakClient
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData, BaseBleakScanner
from bleak.backends.service import BleakGATTService, BleakGATTServiceCollection
from bleak.exc import BleakError
from bumble.controller import Controller
from bumble.core import AdvertisingData
from bumble.device import Connection, Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

from drivers.ble_dice.protocols import DieProtocol
from tests.patience import PATIENCE


class StillLoop(asyncio.SelectorEventLoop):
    """An event loop on a clock that a test holds: its timers are due when the clock says so, and never earlier.

    Everything on the air happens on it, so that there is one clock and not two.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._turn = threading.Condition()
        self._asked = self._reached = self._settled = 0
        super().__init__(_StillSelector(self._idle))

    def time(self) -> float:
        return self._now()

    def settle(self) -> None:
        """Wait until nothing is left to do at the present time of the clock. Called from another thread."""
        with self._turn:
            self._asked = asked = self._asked + 1
        try:
            self.call_soon_threadsafe(self._reach, asked)
        except RuntimeError:  # the loop is closed
            return
        with self._turn:
            assert self._turn.wait_for(lambda: self._settled >= asked, timeout=PATIENCE), (
                "the air does not come to rest"
            )

    def close(self) -> None:
        with self._turn:
            self._settled = self._asked
            self._turn.notify_all()
        super().close()

    def _reach(self, asked: int) -> None:
        self._reached = asked

    def _idle(self) -> None:
        with self._turn:
            self._settled = max(self._settled, self._reached)
            self._turn.notify_all()


class _StillSelector(selectors.DefaultSelector):
    """Waits for files and wake-ups only: time does not pass by itself."""

    def __init__(self, idle: Callable[[], None]) -> None:
        super().__init__()
        self._idle = idle

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        self._idle()
        return super().select(None)


class AirDie:
    """A die on the air. `answer` gives what it notifies when something is written to it."""

    def __init__(self, name: str, address: str, protocol: DieProtocol, answer: Callable[[bytes], list[bytes]]) -> None:
        self.name, self.address, self.protocol = name, address, protocol
        self.asked: list[bytes] = []
        self._answer = answer
        self.on = True
        self.manufacturer: dict[int, bytes] = {}  # what it advertises beside its name
        self.service_data: dict[str, bytes] = {}
        self.visits = 0
        self._device: Device | None = None
        self._says: Characteristic[bytes] | None = None

    async def power_on(self, link: LocalLink) -> None:
        controller = Controller(self.name, link=link)
        self._device = Device(self.name, Address(self.address), host=Host(controller, AsyncPipeSink(controller)))
        properties = Characteristic.Properties
        self._says = Characteristic(self.protocol.notify, properties.NOTIFY, Characteristic.Permissions(0), b"")
        hears: Characteristic[Any] = Characteristic(
            self.protocol.write, properties.WRITE | properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE,
            CharacteristicValue(write=self._written),
        )  # fmt: skip
        self._device.add_service(Service(self.protocol.service, [self._says, hears]))
        await self._device.power_on()

    async def _written(self, _connection: Connection, value: bytes) -> None:
        self.asked.append(bytes(value))
        for data in self._answer(bytes(value)):
            await self.say(data)

    async def say(self, data: bytes) -> None:
        """Notify whoever listens."""
        assert self._device
        assert self._says
        await self._device.notify_subscribers(self._says, data)

    async def fall_silent(self) -> None:
        """The battery is empty, or it was carried away."""
        assert self._device
        self.on = False
        for connection in list(self._device.connections.values()):
            await connection.disconnect()

    async def come_back(self) -> None:
        self.on = True

    async def listen(self) -> None:
        """Be there to be connected to."""
        assert self._device
        if self.on and not self._device.connections and not self._device.is_advertising:
            data = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode())]))
            await self._device.start_advertising(auto_restart=False, advertising_data=data)


class Air:
    """All dice around, and the two classes with which bleak finds and reaches them."""

    def __init__(self, dice: list[AirDie]) -> None:
        self.dice = {die.address: die for die in dice}
        self.broken = False
        self.link: LocalLink | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._hub: Device | None = None
        air = self

        class Scanner(_Scanner):
            def __init__(self, *arguments: Any, **named: Any) -> None:
                super().__init__(air, *arguments, **named)

        class Client(_Client):
            def __init__(self, *arguments: Any, **named: Any) -> None:
                super().__init__(air, *arguments, **named)

        self.scanner, self.client = Scanner, Client

    async def hub(self) -> Device:
        """The hub's own radio; switched on with the first use."""
        if self._hub is None:
            self.loop, self.link = asyncio.get_running_loop(), LocalLink()  # type: ignore[no-untyped-call]
            controller = Controller("hub", link=self.link)
            self._hub = Device("hub", Address("C0:00:00:00:00:01"), host=Host(controller, AsyncPipeSink(controller)))
            await self._hub.power_on()
            for die in self.dice.values():
                await die.power_on(self.link)
        return self._hub

    def do(self, what: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine on the driver's loop, and wait for it."""
        assert self.loop
        done: Future[Any] = asyncio.run_coroutine_threadsafe(what, self.loop)
        done.result(timeout=5)


class _Scanner(BaseBleakScanner):
    def __init__(self, air: Air, detection_callback: Any, service_uuids: Any = None, *_: Any, **__: Any) -> None:
        super().__init__(detection_callback, service_uuids)
        self._air = air
        self._scanning = False
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        if self._air.broken:
            raise BleakError("No Bluetooth adapters found")
        await self._air.hub()
        self._scanning = True
        self._task = asyncio.create_task(self._scan())

    async def _scan(self) -> None:
        while self._scanning:
            for die in self._air.dice.values():
                if die.on:
                    await die.listen()
                    said = AdvertisementData(
                        die.name, die.manufacturer, die.service_data, [die.protocol.service], None, -50, ()
                    )
                    self.call_detection_callbacks(BLEDevice(die.address, die.name, None), said)
            await asyncio.sleep(0.02)

    async def stop(self) -> None:
        self._scanning = False  # not by cancelling: bumble does not bear that in the middle of a command


class _Client(BaseBleakClient):
    def __init__(self, air: Air, address_or_ble_device: Any, **named: Any) -> None:
        named.setdefault("timeout", 5.0)
        super().__init__(address_or_ble_device, disconnected_callback=named.get("disconnected_callback"), timeout=5.0)
        self._air = air
        self._connection: Connection | None = None
        self._found: dict[int, Any] = {}

    @property
    def mtu_size(self) -> int:
        return 247

    @property
    def is_connected(self) -> bool:
        return self._connection is not None

    async def connect(self, pair: bool, **_: Any) -> None:
        die = self._air.dice[self.address]
        if not die.on:
            raise BleakError(f"Device with address {self.address} was not found")
        die.visits += 1
        hub = await self._air.hub()
        self._connection = await hub.connect(Address(self.address), timeout=5.0)
        self._connection.on("disconnection", self._gone)
        peer = Peer(self._connection)
        await peer.request_mtu(247)
        self.services = BleakGATTServiceCollection()
        for number, service in enumerate(await peer.discover_services()):
            mine = BleakGATTService(service, number * 100, _uuid(service.uuid))
            self.services.add_service(mine)
            for found in await service.discover_characteristics():
                self._found[found.handle] = found
                names: Any = [
                    (flag.name or "").lower().replace("_", "-")
                    for flag in Characteristic.Properties
                    if found.properties & flag
                ]
                self.services.add_characteristic(
                    BleakGATTCharacteristic(found, found.handle, _uuid(found.uuid), names, lambda: 244, mine)
                )

    def _gone(self, *_: Any) -> None:
        self._connection = None
        if self._disconnected_callback:
            self._disconnected_callback()

    async def disconnect(self) -> None:
        if self._connection:
            await self._connection.disconnect()

    async def write_gatt_char(self, characteristic: BleakGATTCharacteristic, data: Any, response: bool) -> None:
        await self._found[characteristic.handle].write_value(bytes(data), with_response=response)

    async def start_notify(self, characteristic: BleakGATTCharacteristic, callback: Any, **_: Any) -> None:
        await self._found[characteristic.handle].subscribe(lambda data: callback(bytearray(data)))

    async def stop_notify(self, characteristic: BleakGATTCharacteristic) -> None:
        await self._found[characteristic.handle].unsubscribe()

    async def pair(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError

    async def unpair(self) -> None:
        raise NotImplementedError

    async def read_gatt_char(self, *_: Any, **__: Any) -> bytearray:
        raise NotImplementedError

    async def read_gatt_descriptor(self, *_: Any, **__: Any) -> bytearray:
        raise NotImplementedError

    async def write_gatt_descriptor(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError


def _uuid(uuid: Any) -> str:
    text = uuid.to_hex_str("-").lower()
    return text if len(text) > 8 else f"0000{text}-0000-1000-8000-00805f9b34fb"
