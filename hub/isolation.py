"""A guard around each device: whatever its driver does wrong, it takes only itself down.

A driver is one file that anybody may write. One that raises, that never starts, never comes back from a call or never
closes, that says what is no signal, or more than a table can take, is named on the screens; the table, and all others, play
on.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
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
ANSWER_SECONDS = 5.0
"""A driver that has not come back from a call for so long does not answer: its port asks for calls that return at once."""
MOST_WAITING = 256
"""What a driver was asked and has not taken; then the oldest is forgotten."""
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
    """A device with its guard around it, and with the ports of the device.

    Its driver is called on a thread of its own, so that a call that never comes back holds no table: calls return at once.
    Of what it shows only the newest waits for it; what it is asked waits in its order.
    """

    def __init__(self, device: Device, guard: DeviceGuard) -> None:
        self.device = device
        self._guard = guard
        self._turn = threading.Condition()
        self._waiting: dict[object, tuple[str, Callable[[], None]]] = {}  # what it is doing in words, and the call
        self._asked = itertools.count()
        self._closing = False
        self._since: float | None = None  # when the call that is under way began
        self._thread = threading.Thread(target=self._run, name="device", daemon=True)
        self._started = threading.Event()
        self.lamps: Lamps | None = _Lamps(device.lamps, self) if device.lamps else None
        self.page: Page | None = _Page(device.page, self) if device.page else None
        self.boxes: Boxes | None = _Boxes(device.boxes, self) if device.boxes else None
        self.dice: Dice | None = _Dice(device.dice, self) if device.dice else None

    def start(self) -> None:
        """Start the device; return after `START_SECONDS` at most. It is shown and asked nothing before it has started."""
        self._thread.start()
        if not self._started.wait(START_SECONDS):
            self._guard.fault("starting", "does not come back from its start", trace=False)

    def close(self) -> None:
        """Close the device after the calls that wait, as far as they come back; what it raises is told in the journal."""
        with self._turn:
            self._closing = True
            self._turn.notify()
        if self._thread.is_alive():
            self._thread.join(CLOSE_SECONDS / 2)
        with self._guard.guarded("closing"):
            self.device.close()

    def look(self) -> None:
        """Tell whether the driver answers. Call it every few seconds, from any thread."""
        since = self._since
        if since is not None and monotonic() - since >= ANSWER_SECONDS:
            self._guard.fault("answering", "does not answer", trace=False)
        else:
            self._guard.recovered("answering")

    def show(self, doing: str, what: object, call: Callable[[], None]) -> None:
        """Have the driver called soon, in place of what still waits to be shown as this `what`."""
        with self._turn:
            self._waiting[what] = doing, call
            self._turn.notify()

    def ask(self, doing: str, call: Callable[[], None]) -> None:
        """Have the driver called soon, after what it was asked before."""
        with self._turn:
            self._waiting[next(self._asked)] = doing, call
            if len(self._waiting) > MOST_WAITING:
                del self._waiting[next(one for one in self._waiting if isinstance(one, int))]
            self._turn.notify()

    def _run(self) -> None:
        with self._guard.guarded("starting"):
            self.device.start()
        self._started.set()
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                doing, call = self._waiting.pop(next(iter(self._waiting)))
            self._since = monotonic()
            with self._guard.guarded(doing):
                call()
            self._since = None


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
    def __init__(self, lamps: Lamps, device: GuardedDevice) -> None:
        self._lamps, self._device = lamps, device

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        self._device.show("showing lamps", "lamps", partial(self._lamps.show, rings))


class _Page:
    def __init__(self, page: Page, device: GuardedDevice) -> None:
        self._page, self._device = page, device
        self._settled = False

    def show(self, public: ScreenState, settled: bool) -> None:
        self._settled = self._settled or settled  # of a picture that was never shown, too
        self._device.show("showing a page", "page", partial(self._show, public))

    def _show(self, public: ScreenState) -> None:
        settled, self._settled = self._settled, False
        self._page.show(public, settled)


class _Boxes:
    def __init__(self, boxes: Boxes, device: GuardedDevice) -> None:
        self._boxes, self._device = boxes, device
        self._rings: dict[str, LampPicture] = {}  # what each was told last: most stay as they are while others act

    def open(self, box: str, sealed: SealedRound) -> None:
        self._device.ask("asking", partial(self._boxes.open, box, sealed))

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        self._device.ask("asking", partial(self._boxes.reveal, boxes, round))

    def cancel(self, box: str, round: int) -> None:
        self._device.ask("asking", partial(self._boxes.cancel, box, round))

    def ring(self, box: str, picture: LampPicture) -> None:
        if self._rings.get(box) != picture:
            self._rings[box] = picture
            self._device.show("showing rings", ("ring", box), partial(self._ring, box, picture))

    def _ring(self, box: str, picture: LampPicture) -> None:
        try:
            self._boxes.ring(box, picture)
        except BaseException:
            self._rings.pop(box, None)  # it is told again
            raise

    def say(self, box: str, text: str) -> None:
        self._device.show("showing text", ("text", box), partial(self._boxes.say, box, text))

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        self._device.ask("sounding", partial(self._boxes.buzz, box, kind))


class _Dice:
    def __init__(self, dice: Dice, device: GuardedDevice) -> None:
        self._dice, self._device = dice, device

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:
        self._device.ask("watching dice", partial(self._dice.arm, number, seat, count, sides, lying=lying))

    def disarm(self) -> None:
        self._device.ask("watching dice", self._dice.disarm)
