"""A guard around each device: whatever its driver does wrong, it takes only itself down.

A driver is one file that anybody may write. One that raises, that never starts or never closes, that says what is no
signal, or more than a table can take, is named on the screens; the table, and all others, play on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from time import monotonic
from typing import Literal

import msgspec

from hub.ports import (
    BoxBid,
    BoxCheated,
    BoxDown,
    Boxes,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    Device,
    DeviceDown,
    DeviceUp,
    Dice,
    DiceKit,
    DiceSeen,
    Key,
    LampPicture,
    Lamps,
    Page,
    SealedRound,
    Turn,
)
from hub.state import ScreenState

log = logging.getLogger(__name__)

START_SECONDS = 5.0
"""How long the hub waits for a device to start; it may do so later."""
CLOSE_SECONDS = 2.0
"""How long the hub waits for all devices to close."""
PER_SECOND, AT_ONCE = 100.0, 300.0
"""Signals that a device may send: six people who turn their dials as fast as they can send 60 a second."""
CALM_SECONDS = 2.0
"""A device that has done nothing wrong for so long has recovered."""

SIGNALS = (
    BoxUp, BoxDown, DeviceDown, DeviceUp, Key, Turn, BoxLocked, BoxUnlocked, BoxBid, BoxCheated, DiceSeen, DiceKit,
)  # fmt: skip
"""What a device may say."""


class DeviceGuard:
    """What stands between one device, which staff know as `name`, and its table: `put` is the inbox for its driver."""

    def __init__(self, name: str, inbox: Callable[[object], None]) -> None:
        self._name, self._inbox = name, inbox
        self._lock = threading.Lock()  # a driver may put from many threads
        self._left, self._counted = AT_ONCE, monotonic()
        self._too_many = 0.0  # when the last signal too many came
        self._faults: dict[str, str] = {}  # what it does wrong now, by what it was doing
        self._failed = 0.0  # when it last did something wrong

    def put(self, signal: object) -> None:
        """Put a device's signal into the table's inbox, unless it is none, or one too many."""
        if self._is_one_too_many():
            return
        try:
            if not isinstance(signal, SIGNALS):
                raise msgspec.ValidationError(f"{type(signal).__name__} is no signal of a device")  # noqa: TRY301
            msgspec.convert({one.name: getattr(signal, one.name) for one in fields(signal)}, type(signal))
        except msgspec.ValidationError:
            self.fault("speaking", "says what is no signal")
            return
        self._inbox(signal)

    def _is_one_too_many(self) -> bool:
        with self._lock:
            now = monotonic()
            self._left = min(AT_ONCE, self._left + (now - self._counted) * PER_SECOND)
            self._counted = now
            if self._left >= 1.0:
                self._left -= 1.0
                return False
            first, self._too_many = self._too_many == 0.0, now
        if first:
            self.fault("flooding", "sends more than a table can take, so some of it is left out", trace=False)
            self._look_whether_calm()
        return True

    def _look_whether_calm(self) -> None:
        with self._lock:
            calm = monotonic() - self._too_many >= CALM_SECONDS
            if calm:
                self._too_many = 0.0
        if calm:
            self.recovered("flooding")
        if "flooding" not in self._faults:
            return
        later = threading.Timer(CALM_SECONDS, self._look_whether_calm)
        later.daemon = True
        later.start()

    def fault(self, doing: str, what: str, *, trace: bool = True) -> None:
        """Tell once that the driver fails at what it is doing. `trace`: the exception that is handled goes to the journal."""
        self._failed = monotonic()
        if doing in self._faults:
            return
        self._faults[doing] = what
        log.error("The driver of %s %s.", self._name, what, exc_info=trace)
        self._tell()

    def recovered(self, doing: str) -> None:
        """Take back what `fault` told, after a while: who fails every other time is not told every time."""
        if monotonic() - self._failed >= CALM_SECONDS and self._faults.pop(doing, None) is not None:
            self._tell()

    def _tell(self) -> None:
        about = f"{self._name} (driver)"  # the driver itself tells of the device under its own name
        if self._faults:
            what = " and ".join(self._faults.values())
            self._inbox(DeviceDown(about, f"The driver of {self._name} {what}; the table plays on without it."))
        else:
            self._inbox(DeviceUp(about))

    @contextmanager
    def guarded(self, doing: str) -> Iterator[None]:
        """Let whatever the driver raises in the block end the block alone."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever a driver raises
            self.fault(doing, f"has failed ({type(error).__name__})")
        else:
            if self._faults:
                self.recovered(doing)


class GuardedDevice:
    """A device with its guard around it, and with the ports of the device."""

    def __init__(self, device: Device, guard: DeviceGuard) -> None:
        self.device = device
        self._guard = guard
        self.lamps: Lamps | None = _Lamps(device.lamps, guard) if device.lamps else None
        self.page: Page | None = _Page(device.page, guard) if device.page else None
        self.boxes: Boxes | None = _Boxes(device.boxes, guard) if device.boxes else None
        self.dice: Dice | None = _Dice(device.dice, guard) if device.dice else None

    def start(self) -> None:
        """Start the device; return after `START_SECONDS` at most."""
        started = threading.Event()

        def start() -> None:
            with self._guard.guarded("starting"):
                self.device.start()
            started.set()

        threading.Thread(target=start, name="device-start", daemon=True).start()
        if not started.wait(START_SECONDS):
            self._guard.fault("starting", "does not come back from its start", trace=False)

    def close(self) -> None:
        """Close the device; whatever it raises is told in the journal."""
        with self._guard.guarded("closing"):
            self.device.close()


def close_all(devices: Sequence[Device]) -> None:
    """Close devices, all at the same time; leave those alone that take longer than `CLOSE_SECONDS`."""
    threads = {
        threading.Thread(target=device.close, name=f"device-close-{number}", daemon=True): device
        for number, device in enumerate(devices)
    }
    for thread in threads:
        thread.start()
    until = monotonic() + CLOSE_SECONDS
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))
    late = [
        type(getattr(device, "device", device)).__module__ for thread, device in threads.items() if thread.is_alive()
    ]
    if late:
        log.error("Not closed within %.0f s, so left alone: %s.", CLOSE_SECONDS, ", ".join(late))


class _Lamps:
    def __init__(self, lamps: Lamps, guard: DeviceGuard) -> None:
        self._lamps, self._guarded = lamps, guard.guarded

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        with self._guarded("showing lamps"):
            self._lamps.show(rings)


class _Page:
    def __init__(self, page: Page, guard: DeviceGuard) -> None:
        self._page, self._guarded = page, guard.guarded

    def show(self, public: ScreenState, settled: bool) -> None:
        with self._guarded("showing a page"):
            self._page.show(public, settled)


class _Boxes:
    def __init__(self, boxes: Boxes, guard: DeviceGuard) -> None:
        self._boxes, self._guarded = boxes, guard.guarded

    def open(self, box: str, sealed: SealedRound) -> None:
        with self._guarded("asking"):
            self._boxes.open(box, sealed)

    def reveal(self, box: str, round: int) -> None:
        with self._guarded("asking"):
            self._boxes.reveal(box, round)

    def cancel(self, box: str, round: int) -> None:
        with self._guarded("asking"):
            self._boxes.cancel(box, round)

    def ring(self, box: str, picture: LampPicture) -> None:
        with self._guarded("showing rings"):
            self._boxes.ring(box, picture)

    def say(self, box: str, text: str) -> None:
        with self._guarded("showing text"):
            self._boxes.say(box, text)

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        with self._guarded("sounding"):
            self._boxes.buzz(box, kind)


class _Dice:
    def __init__(self, dice: Dice, guard: DeviceGuard) -> None:
        self._dice, self._guarded = dice, guard.guarded

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:
        with self._guarded("watching dice"):
            self._dice.arm(number, seat, count, sides, lying=lying)

    def disarm(self) -> None:
        with self._guarded("watching dice"):
            self._dice.disarm()
