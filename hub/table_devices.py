"""The devices of one table, each behind a guard. Other `[[device]]` blocks are applied while the hub runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from random import Random
from typing import NamedTuple

from PIL import Image

from hub.config import DevicePart
from hub.devices import AllBoxes, DeviceHealth, Simulated, UnusableDevice, connect
from hub.engine.text import say
from hub.errors import ConfigError
from hub.isolation import DeviceGuard, GuardedDevice, close_all
from hub.ports import (
    Device,
    DeviceDown,
    DeviceSubject,
    DeviceUp,
    DiceCamera,
    DiceKit,
    DiceSeen,
    DriverContext,
    SearchedDice,
)
from hub.state import PublicState
from hub.table.base.ports import NewDevices, Ports


class _Connected(NamedTuple):
    block: DevicePart
    guard: DeviceGuard
    device: GuardedDevice


class TableDevices:
    """The devices of one table.

    - `blocks`: their `[[device]]` blocks.
    - `inbox`: takes their signals, from any thread.
    - `draws`, `random`: see `DriverContext`.
    - `health`: forgets devices that are no longer used.
    """

    def __init__(
        self,
        blocks: Sequence[DevicePart],
        inbox: Callable[[object], None],
        draws: Mapping[str, Callable[[PublicState], Image.Image]],
        random: Random,
        health: DeviceHealth,
    ) -> None:
        """Connect the devices. Raise ConfigError."""
        self._inbox, self._draws, self._random, self._health = inbox, draws, random, health
        self._connected: list[_Connected] = []
        self._closing = threading.Event()
        self._replacing = threading.Lock()  # one change at a time closes and starts devices
        try:
            for block in blocks:
                self._connected.append(self._connect(block))
        except BaseException:
            self.close()
            raise

    def _connect(self, block: DevicePart) -> _Connected:
        guard = DeviceGuard(block.name or block.driver, self._inbox)
        put = partial(_put_of, block, guard.put)
        device = connect(block, DriverContext(put, self._draws, self._random))
        if block.cup and (why := _unfit_for_cup(block, device)):
            with guard.guarded("closing"):
                device.close()
            raise ConfigError(f"[[device]] driver = {block.driver!r} cannot be under the cup of a seat: {why}.")
        return _Connected(block, guard, GuardedDevice(device, guard))

    @property
    def devices(self) -> list[GuardedDevice]:
        """Return the devices, in the order of their blocks."""
        return [one.device for one in self._connected]

    @property
    def simulated(self) -> list[Simulated]:
        """Return the devices that the bench page operates."""
        return [one.device for one in self.devices if isinstance(one.device, Simulated)]

    @property
    def camera(self) -> DiceCamera | None:
        """Return the camera over the dice tray, if there is one."""
        return next((one.device for one in self.devices if isinstance(one.device, DiceCamera)), None)

    @property
    def has_panels(self) -> bool:
        """Return whether there is a panel."""
        return any(one.page for one in self.devices)

    def put_into(self, ports: Ports) -> None:
        """Set the ports of the table that these devices implement."""
        devices = self.devices
        dice = [(one.block.cup, one.device.dice) for one in self._connected if one.device.dice]
        boxes = [one.boxes for one in devices if one.boxes]
        ports.lamps = [one.lamps for one in devices if one.lamps]
        ports.panels = [one.page for one in devices if one.page]
        ports.boxes = AllBoxes(boxes) if boxes else None
        ports.dice = next((reader for cup, reader in reversed(dice) if not cup), None)
        ports.cups = {cup: reader for cup, reader in dice if cup}

    def start(self) -> None:
        """Start all devices."""
        for device in self.devices:
            device.start()

    def check(self) -> None:
        """Report each device that does not answer, or that answers again. Call this every few seconds."""
        for device in self.devices:
            device.check_answering()

    def close(self) -> None:
        """Close all devices."""
        self._closing.set()
        close_all(self.devices)

    # --- other blocks while the hub runs ---------------------------------------------------------

    def replace_by(self, blocks: Sequence[DevicePart]) -> NewDevices:
        """Return the signal with which the table gets the devices of other blocks.

        Devices whose blocks stay the same go on. The others are closed, then the new ones are started. Raise ConfigError, also
        for a simulated device: its bench page is there from the start of the hub or not at all.
        """
        present = [one.block for one in self._connected]
        changed = [one for one in self._connected if one.block not in blocks]
        new = []
        with ExitStack() as on_refusal:
            for block in blocks:
                if block not in present:
                    new.append(self._connect(block))
                    on_refusal.callback(new[-1].device.close)
            if any(isinstance(one.device.device, Simulated) for one in (*new, *changed)):
                raise ConfigError("A simulated device needs a restart of the hub.")
            on_refusal.pop_all()
        return NewDevices(partial(self._replace, blocks, new))

    def _replace(self, blocks: Sequence[DevicePart], new: Sequence[_Connected], ports: Ports) -> set[DeviceSubject]:
        """Use the devices of these blocks from now on, and return what is gone. Runs on the table's thread."""
        before, spare, after = list(self._connected), list(new), []
        for block in blocks:
            of = before if any(one.block == block for one in before) else spare
            same = next((one for one in of if one.block == block), None)
            if same:
                of.remove(same)
            # A device that was there may have been replaced while this change waited for the end of a match.
            after.append(same or self._connect(block))
        started = [one.device for one in after if one not in self._connected]
        self._connected = after
        self.put_into(ports)
        gone = {subject for one in before for subject in one.guard.retire()}
        gone -= {subject for one in after for subject in one.guard.subjects}
        self._health.forget(gone)
        work = [one.device for one in before], started
        threading.Thread(target=self._close_and_start, args=work, name="new devices", daemon=True).start()
        return gone

    def _close_and_start(self, gone: Sequence[GuardedDevice], new: Sequence[GuardedDevice]) -> None:
        """Close devices first, because a new one may need their cable or pins. Runs in a thread of its own."""
        with self._replacing:
            close_all(gone)
            for device in new:
                if self._closing.is_set():
                    return
                device.start()
                if self._closing.is_set():  # `close` came before it had started
                    device.close()


def _put_of(block: DevicePart, put: Callable[[object], None], signal: object) -> None:
    """Put a signal of a device. What a reader under a cup reports is for its seat, and under a name of its own."""
    match signal:
        case DiceSeen() | DiceKit():
            name = _name_under_cup(block, signal.reader)
            put(replace(signal, cup=block.cup, reader=name))
        case DeviceUp() | DeviceDown():
            put(replace(signal, device=_name_under_cup(block, signal.device)))
        case _:
            put(signal)


def _name_under_cup(block: DevicePart, name: str) -> str:
    """Return what staff call a device: all of one driver have the same name, so the seat is added under a cup."""
    return (block.name or say("{device}, seat {seat}", device=name, seat=block.cup)) if block.cup else name


def _unfit_for_cup(block: DevicePart, device: Device) -> str:
    """Return why a device cannot read dice that only one seat may see; "" if it can."""
    if isinstance(device, DiceCamera):
        return "staff see the picture of a camera"
    if isinstance(device, SearchedDice) and not block.settings.get(device.named_by):
        return f"name its own with {device.named_by}, or it could read those of another seat"
    return "" if device.dice or isinstance(device, UnusableDevice) else "it reads no dice"
