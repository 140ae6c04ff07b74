"""A simulated seat box: the real firmware on a pty, and methods that press and turn its controls."""

from __future__ import annotations

import logging
import os
import select
import threading
import tty
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from drivers.common.serial_lines import CallQueue
from drivers.simulated.firmware import box_module
from hub.ports import Clock, Control

log = logging.getLogger(__name__)

HOLDING: tuple[Control, ...] = ("bar", "k1", "k2", "k3", "k4", "k5", "k6")  # a long push counts as a push


class BoxProgram(Protocol):
    """The program of a box, seen from outside: the firmware, in CPython or in MicroPython.

    Times are seconds of the caller's clock.
    """

    @property
    def wants_firmware(self) -> bool:
        """Whether the box has restarted as a USB drive for new firmware."""

    def power_up(self) -> None:
        """Forget everything, as after a loss of power."""

    def press(self, control: Control, hold: bool = False) -> None:
        """Press a control, or press and hold it."""

    def hold_both(self) -> None:
        """Hold bar and push together for a second, the bar first."""

    def turn(self, detents: int) -> None:
        """Turn the dial; right is positive."""

    def on_plug_in(self) -> None:
        """Start on a new cable."""

    def on_data(self, data: bytes) -> None:
        """Handle bytes from the hub."""

    def run_due(self, now: float) -> None:
        """Do what is due at this time."""

    def deadline(self) -> float:
        """Return when to call `run_due` at the latest."""

    def outgoing(self, now: float) -> bytes:
        """Return the bytes to send now."""

    def state(self) -> dict[str, Any]:
        """Return the state that a person at this seat sees; `hood` is visible only under the hood."""


class CPythonBox:
    """The firmware's `Box`, run by CPython. It keeps a sealed value and its nonce until the hub asks for them."""

    def __init__(self, name: str, make: Callable[[str], Any] | None = None) -> None:
        """`make` returns the `Box` with that id; the default is the firmware's."""
        self.name = name
        self._make = make if make is not None else box_module().Box
        self.power_up()

    @property
    def wants_firmware(self) -> bool:
        """Whether the box has restarted as a USB drive for new firmware."""
        return bool(self._box.wants_firmware)

    def power_up(self) -> None:
        """Forget everything, as after a loss of power."""
        self._box = self._make(self.name)
        self._sounds: list[str] = []
        self._now = 0.0

    def press(self, control: Control, hold: bool = False) -> None:
        """Press a control, or press and hold it. The firmware reports one of the two, never both."""
        self._box.happened(control, "hold" if hold and control in HOLDING else "down")

    def hold_both(self) -> None:
        """Hold bar and push together for a second, which is a `hold` of the push."""
        self._box.happened("push", "hold")

    def turn(self, detents: int) -> None:
        """Turn the dial; right is positive."""
        self._box.happened("dial", detents)

    def on_plug_in(self) -> None:
        """Do nothing: the firmware does not detect its cable."""

    def on_data(self, data: bytes) -> None:
        """Handle bytes from the hub."""
        self._box.heard(data)
        if self._box.sound is not None:
            self._sounds.append(self._box.sound)
            self._box.sound = None

    def run_due(self, now: float) -> None:
        """Send the heartbeat, and repeat what the hub has not acknowledged."""
        self._now = now
        self._box.due(_ticks(now))

    def deadline(self) -> float:
        """Return when to call `run_due` at the latest."""
        return self._now + float(self._box.patience(_ticks(self._now))) / 1000

    def outgoing(self, now: float) -> bytes:
        """Return the bytes to send now."""
        self._now = now
        return bytes(self._box.outgoing(_ticks(now)))

    def state(self) -> dict[str, Any]:
        """Return the state that a person at this seat sees; `hood` is visible only under the hood."""
        box = self._box
        hood = box.hood()
        return {
            "id": self.name,
            "lamps": dict(zip(("pattern", "n", "colour"), box.ring, strict=True)) if box.ring else None,
            "display": box.display_text(),
            "sealed": hood is not None,
            "locked": hood is not None and hood[2],
            "opened": box.opened(),
            "hood": str(hood[0]) if hood is not None else "",
            "buzz": {"kind": self._sounds[-1] if self._sounds else "", "count": len(self._sounds)},
        }


def _ticks(now: float) -> int:
    """Return a time in seconds as the firmware's milliseconds."""
    return round(now * 1000)


class SimBox:
    """A box's program on a pty. The hub opens `port`, a link to the pty that exists while the box is plugged in."""

    def __init__(
        self,
        name: str,
        port: Path,
        clock: Clock,
        changed: Callable[[], None] = lambda: None,
        program: BoxProgram | None = None,
    ) -> None:
        self.name = name
        self.port = port
        self._program: BoxProgram = program if program is not None else CPythonBox(name)
        self._clock = clock
        self._changed = changed
        self._calls = CallQueue()
        self._lock = threading.Lock()
        self._pty: tuple[int, int] | None = None  # box end, hub end
        self._reported_state: dict[str, object] = {}
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Plug the box in and start its thread."""
        self._plug()  # before the thread starts, so that the port exists when this returns
        self._thread.start()

    def close(self) -> None:
        """Unplug for good."""
        self._calls.call_soon(self._stop)
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._calls.close()

    def wake(self) -> None:
        """Check the clock now, after a test has advanced it."""
        self._calls.wake()

    def press(self, control: Control, hold: bool = False) -> None:
        """Press a control."""
        self._calls.call_soon(partial(self._program.press, control, hold))

    def hold_both(self) -> None:
        """Hold bar and push together for a second."""
        self._calls.call_soon(self._program.hold_both)

    def turn(self, detents: int) -> None:
        """Turn the dial; right is positive."""
        self._calls.call_soon(partial(self._program.turn, detents))

    def plug(self) -> None:
        """Put the cable in."""
        self._calls.call_soon(self._plug)

    def unplug(self) -> None:
        """Pull the cable; the box keeps its power and its memory."""
        self._calls.call_soon(self._unplug)

    def power_cycle(self) -> None:
        """Interrupt the power: the box forgets everything."""
        self._calls.call_soon(self._power_cycle)

    def state(self) -> dict[str, Any]:
        """Return the state that a person at this seat sees, and whether the box is plugged in."""
        with self._lock:
            return {"connected": self._pty is not None, **self._program.state()}

    def _stop(self) -> None:
        self._unplug()
        self._stopping = True

    def _plug(self) -> None:
        if self._pty is None:
            box_end, hub_end = os.openpty()
            tty.setraw(hub_end)
            os.set_blocking(box_end, False)
            self._pty = (box_end, hub_end)
            self.port.unlink(missing_ok=True)
            self.port.symlink_to(os.ttyname(hub_end))
            self._program.on_plug_in()

    def _unplug(self) -> None:
        if self._pty is not None:
            self.port.unlink(missing_ok=True)
            for number in self._pty:
                os.close(number)
            self._pty = None

    def _power_cycle(self) -> None:
        plugged = self._pty is not None
        self._unplug()
        self._program.power_up()
        if plugged:
            self._plug()

    def _run(self) -> None:
        while not self._stopping:
            try:
                with self._lock:
                    self._calls.run()
                    self._send()
                self._report()
                if not self._stopping:
                    self._wait()
            except Exception:  # a fault in one box does not end its thread
                log.exception("The simulated box %s failed and is unplugged.", self.name)
                self._unplug()

    def _send(self) -> None:
        if self._pty is None:
            return
        now = self._clock.now()
        self._program.run_due(now)
        data = self._program.outgoing(now)
        if data:
            try:
                os.write(self._pty[0], data)
            except BlockingIOError:
                return  # output is lost while no hub has opened the port
        if self._program.wants_firmware:  # it is now a USB drive
            self._unplug()

    def _report(self) -> None:
        state = self.state()
        if state != self._reported_state:
            self._reported_state = state
            self._changed()

    def _wait(self) -> None:
        waiter = select.poll()
        waiter.register(self._calls, select.POLLIN)
        patience: float | None = None
        if self._pty is not None:
            waiter.register(self._pty[0], select.POLLIN)
            patience = max(0.0, self._program.deadline() - self._clock.now()) * 1000
        ready = dict(waiter.poll(patience))
        if self._pty is not None and self._pty[0] in ready:
            data = os.read(self._pty[0], 4096)
            with self._lock:
                self._program.on_data(data)
