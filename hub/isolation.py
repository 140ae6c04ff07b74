"""A guard around each device: a faulty driver disables only its own device.

Anybody may write a driver. These faults are reported on the screens, while this table and all others play on:

- The driver raises an exception.
- It never starts, never returns from a call, or never closes.
- It sends something that is not a signal, or more signals than a table can handle.
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
from typing import Literal, Protocol

import msgspec

from hub.engine.text import Text, listed, say
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
    DeviceSubject,
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
    subject_of,
)
from hub.state import ScreenState
from phone_ui.limits import TokenBucket

log = logging.getLogger(__name__)

START_SECONDS = 5.0
"""How long the hub waits for a device to start. The device may still start later."""
ANSWER_SECONDS = 5.0
"""A driver that has not returned from a call after this long does not answer. Calls have to return at once."""
MAX_QUEUED = 256
"""Requests that wait for a driver; if there are more, the oldest one is dropped."""
CLOSE_SECONDS = 2.0
"""How long the hub waits for all devices to close."""
PER_SECOND, AT_ONCE = 100.0, 300.0
"""Rate and burst of signals that a device may send. Six people who turn their dials as fast as they can send 60 per second."""
CALM_SECONDS = 2.0
"""A device that has had no fault for this long has recovered."""

MOST_SUBJECTS = 64
"""Boxes, devices and dice readers that one device may report about. Each has a place on every screen."""
MOST_LETTERS = 1_000
"""Letters of a name or a sentence in a signal."""
MOST_VALUES = 200
"""Values of a list in a signal, such as the faces of dice."""
LARGEST = 2**53
"""All numbers in a signal are smaller."""

SIGNALS = (
    BoxUp, BoxDown, DeviceDown, DeviceUp, Key, Turn, BoxLocked, BoxUnlocked, BoxBid, BoxCheated, DiceSeen, DiceKit,
)  # fmt: skip
"""The signals that a device may send."""


class Closable(Protocol):
    """What `close_all` closes."""

    def close(self) -> None:
        """Close it."""


class DeviceGuard:
    """The guard between one device and its table. `name` is what staff call the device; its driver sends signals to `put`."""

    def __init__(self, name: str, inbox: Callable[[object], None]) -> None:
        self.name, self._inbox = name, inbox
        self._lock = threading.Lock()  # a driver may put from many threads
        self._bucket = TokenBucket(PER_SECOND, AT_ONCE, monotonic())
        self._excess_at = 0.0  # when the last excess signal came; 0.0: the rate is normal
        self._faults: dict[str, Text] = {}  # present faults, by activity
        self._sending = threading.Lock()
        self._is_retired = False
        self._subjects: set[DeviceSubject] = set()
        self._fault_at = 0.0  # when the last fault occurred

    def put(self, signal: object) -> None:
        """Put a signal of the device into the inbox of the table, unless it is invalid or exceeds the rate."""
        if self._exceeds_rate():
            return
        try:
            if not isinstance(signal, SIGNALS):
                raise msgspec.ValidationError(f"{type(signal).__name__} is no signal of a device")  # noqa: TRY301
            values = {one.name: getattr(signal, one.name) for one in fields(signal)}
            msgspec.convert(values, type(signal))
            for value in values.values():
                _check_size(value)
        except (msgspec.ValidationError, UnicodeEncodeError):
            self.report_fault("speaking", say("sends invalid signals"))
            return
        subject = subject_of(signal)
        if subject and subject not in self.subjects and len(self.subjects) >= MOST_SUBJECTS:
            self.report_fault("naming", say("reports about too many devices"), trace=False)
            return
        self._send(signal)

    def _send(self, signal: object) -> None:
        with self._sending:
            if not self._is_retired:
                self._subjects |= {subject for subject in [subject_of(signal)] if subject}
                self._inbox(signal)

    @property
    def subjects(self) -> set[DeviceSubject]:
        """Return what the device has reported about."""
        with self._sending:
            return set(self._subjects)

    def retire(self) -> set[DeviceSubject]:
        """Let no further signal through, because the device is no longer used. Return what it has reported about."""
        with self._sending:
            self._is_retired = True
        return self.subjects

    def _exceeds_rate(self) -> bool:
        with self._lock:
            now = monotonic()
            if self._bucket.spend(1.0, now):
                return False
            first, self._excess_at = self._excess_at == 0.0, now
        if first:
            self.report_fault("flooding", say("sends too many signals, so some are lost"), trace=False)
            self._check_flooding()
        return True

    def _check_flooding(self) -> None:
        with self._lock:
            is_calm = monotonic() - self._excess_at >= CALM_SECONDS
            if is_calm:
                self._excess_at = 0.0
        if is_calm:
            self.clear_fault("flooding")
        if "flooding" not in self._faults:
            return
        later = threading.Timer(CALM_SECONDS, self._check_flooding)
        later.daemon = True
        later.start()

    def report_fault(self, activity: str, what: Text, *, trace: bool = True) -> None:
        """Report, once, that the driver fails at an activity.

        - `what`: the rest of a sentence that begins with "The driver of NAME".
        - `trace`: log the exception that is being handled.
        """
        self._fault_at = monotonic()
        if activity in self._faults:
            return
        self._faults[activity] = what
        log.error("The driver of %s %s.", self.name, what, exc_info=trace)
        self._report()

    def clear_fault(self, activity: str) -> None:
        """Withdraw the fault of an activity after `CALM_SECONDS` without faults, so that an intermittent one is reported once."""
        if monotonic() - self._fault_at >= CALM_SECONDS and self._faults.pop(activity, None) is not None:
            self._report()

    def _report(self) -> None:
        about = say("{device} (driver)", device=self.name)  # the driver reports its device under the bare name
        if self._faults:
            why = say(
                "The driver of {device} {faults}. The table plays on without it.",
                device=self.name,
                faults=listed(self._faults.values()),
            )
            self._send(DeviceDown(about, why))
        else:
            self._send(DeviceUp(about))

    @contextmanager
    def guarded(self, activity: str) -> Iterator[None]:
        """Report an exception of the driver in the block as a fault, and go on after the block."""
        try:
            yield
        except BaseException:  # noqa: BLE001 - whatever a driver raises: SystemExit, too, must not end the thread
            self.report_fault(activity, say("has failed"))
        else:
            if self._faults:
                self.clear_fault(activity)


class GuardedDevice:
    """A device and its ports behind a guard.

    The driver is called on a separate thread, so every call of a port returns at once, even if the driver hangs. Of each
    thing to show, only the newest waits for the driver; requests wait in a queue.
    """

    def __init__(self, device: Device, guard: DeviceGuard) -> None:
        self.device, self.name = device, guard.name
        self._guard = guard
        self._condition = threading.Condition()
        # Activity and call: of a request by its number, of a picture by what it shows.
        self._queue: dict[object, tuple[str, Callable[[], None]]] = {}
        self._request_numbers = itertools.count()
        self._closing = False
        self._call_began: float | None = None
        self._thread = threading.Thread(target=self._run, name="device", daemon=True)
        self._started = threading.Event()
        self.lamps: Lamps | None = _Lamps(device.lamps, self) if device.lamps else None
        self.page: Page | None = _Page(device.page, self) if device.page else None
        self.boxes: Boxes | None = _Boxes(device.boxes, self) if device.boxes else None
        self.dice: Dice | None = _Dice(device.dice, self) if device.dice else None

    def start(self) -> None:
        """Start the device, unless it was closed, and wait for at most `START_SECONDS`. Calls wait until it has started."""
        with self._condition:
            if self._closing:
                return
            self._thread.start()
        if not self._started.wait(START_SECONDS):
            self._guard.report_fault("starting", say("hangs at startup"), trace=False)

    def close(self) -> None:
        """Close the device, if possible after the calls that still wait. Exceptions of the driver are logged."""
        with self._condition:
            self._closing = True
            self._condition.notify()
        if self._thread.is_alive():
            self._thread.join(CLOSE_SECONDS / 2)
        with self._guard.guarded("closing"):
            self.device.close()

    def check_answering(self) -> None:
        """Report or clear the fault that the driver does not answer. Call this every few seconds, from any thread."""
        began = self._call_began
        if began is not None and monotonic() - began >= ANSWER_SECONDS:
            self._guard.report_fault("answering", say("does not answer"), trace=False)
        else:
            self._guard.clear_fault("answering")

    def show(self, activity: str, key: object, call: Callable[[], None]) -> None:
        """Queue a call that shows something. It replaces a call with the same key that still waits."""
        with self._condition:
            self._queue[key] = activity, call
            self._condition.notify()

    def ask(self, activity: str, call: Callable[[], None]) -> None:
        """Queue a call that requests something, after all earlier requests."""
        with self._condition:
            self._queue[next(self._request_numbers)] = activity, call
            if len(self._queue) > MAX_QUEUED:
                del self._queue[next(one for one in self._queue if isinstance(one, int))]
            self._condition.notify()

    def _run(self) -> None:
        with self._guard.guarded("starting"):
            self.device.start()
        self._started.set()
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._queue or self._closing)
                if not self._queue:
                    return
                activity, call = self._queue.pop(next(iter(self._queue)))
            self._call_began = monotonic()
            with self._guard.guarded(activity):
                call()
            self._call_began = None


def _check_size(value: object) -> None:
    """Raise ValidationError or UnicodeEncodeError if a value of a signal is too large, or no message can hold it."""
    if isinstance(value, list | tuple):
        if not isinstance(value, tuple) or len(value) > MOST_VALUES:
            raise msgspec.ValidationError(f"{type(value).__name__} of {len(value)} values")
        for one in value:
            _check_size(one)
    elif isinstance(value, str):
        value.encode()  # halves of characters, as from a file's name
        if len(value) > MOST_LETTERS:
            raise msgspec.ValidationError(f"a text of {len(value)} letters")
    elif isinstance(value, int) and not abs(value) < LARGEST:
        raise msgspec.ValidationError("a number that JavaScript cannot hold")


def close_all(devices: Sequence[Closable]) -> None:
    """Close all devices at the same time. Abandon devices that take longer than `CLOSE_SECONDS`."""
    threads = {
        threading.Thread(target=device.close, name=f"device-close-{number}", daemon=True): device
        for number, device in enumerate(devices)
    }
    for thread in threads:
        thread.start()
    until = monotonic() + CLOSE_SECONDS
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))
    late = [getattr(device, "name", type(device).__name__) for thread, device in threads.items() if thread.is_alive()]
    if late:
        log.error("Not closed within %.0f s, so left alone: %s.", CLOSE_SECONDS, ", ".join(late))


# Each call looks up the driver's method on the device's thread, inside the guard: a port may lack it.


class _Lamps:
    def __init__(self, lamps: Lamps, device: GuardedDevice) -> None:
        self._lamps, self._device = lamps, device

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        self._device.show("showing lamps", "lamps", lambda: self._lamps.show(rings))


class _Page:
    def __init__(self, page: Page, device: GuardedDevice) -> None:
        self._page, self._device = page, device
        self._settled = False

    def show(self, public: ScreenState, settled: bool) -> None:
        self._settled = self._settled or settled  # also if the driver skips this state
        self._device.show("showing a page", "page", partial(self._show, public))

    def _show(self, public: ScreenState) -> None:
        settled, self._settled = self._settled, False
        self._page.show(public, settled)


class _Boxes:
    def __init__(self, boxes: Boxes, device: GuardedDevice) -> None:
        self._boxes, self._device = boxes, device
        self._rings: dict[str, LampPicture] = {}  # the last ones, as most rings stay the same while other players act

    def open(self, box: str, sealed: SealedRound) -> None:
        self._device.ask("asking", lambda: self._boxes.open(box, sealed))

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        self._device.ask("asking", lambda: self._boxes.reveal(boxes, round))

    def cancel(self, box: str, round: int) -> None:
        self._device.ask("asking", lambda: self._boxes.cancel(box, round))

    def ring(self, box: str, picture: LampPicture) -> None:
        if self._rings.get(box) != picture:
            self._rings[box] = picture
            self._device.show("showing rings", ("ring", box), partial(self._ring, box, picture))

    def _ring(self, box: str, picture: LampPicture) -> None:
        try:
            self._boxes.ring(box, picture)
        except BaseException:
            self._rings.pop(box, None)  # so that the picture is sent again
            raise

    def say(self, box: str, text: str) -> None:
        self._device.show("showing text", ("text", box), lambda: self._boxes.say(box, text))

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        self._device.ask("sounding", lambda: self._boxes.buzz(box, kind))


class _Dice:
    def __init__(self, dice: Dice, device: GuardedDevice) -> None:
        self._dice, self._device = dice, device

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:
        self._device.ask("watching dice", lambda: self._dice.arm(number, seat, count, sides, lying=lying))

    def disarm(self) -> None:
        self._device.ask("watching dice", lambda: self._dice.disarm())  # noqa: PLW0108 - see above
