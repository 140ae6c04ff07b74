"""A driver's own thread: takes the device, does what is due, and takes it again for ever when it was lost.

What the device is and does there is for those who derive from `Threaded`. The table hears of a lost device and of its
return, each once, and plays on in between.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

from drivers.common.backoff import rests
from hub.errors import DeviceError, DeviceLost
from hub.ports import Clock, DeviceDown, DeviceUp

log = logging.getLogger(__name__)

Inbox = Callable[[object], None]


class Threaded(ABC):
    """A device with a thread of its own. What its port is told, it passes on with `_thread.tell` or `_thread.wake`."""

    def __init__(self, name: str, inbox: Inbox, clock: Clock) -> None:
        """Staff know the device as `name`."""
        self._thread = OwnThread(name, self, inbox, clock)

    def start(self) -> None:
        """Take the device, now or when it is there."""
        self._thread.start()

    def close(self) -> None:
        """Do what was told, and give the device back."""
        self._thread.close()

    def wake(self) -> None:
        """Look at the clock now (a test has put it forward)."""
        self._thread.wake()

    # --- on the thread; DeviceError from `take` or `step` means: give it back, rest, take it again ---

    @abstractmethod
    def take(self) -> None:
        """Open the device."""

    @abstractmethod
    def step(self, now: float) -> float | None:
        """Do what is due; when to be called again at the latest."""

    @abstractmethod
    def give_back(self) -> None:
        """Close whatever is open; called before another try and at the end."""


class OwnThread:
    """The one thread of a device that staff know as `name`."""

    def __init__(self, name: str, device: Threaded, inbox: Inbox, clock: Clock) -> None:
        self._name = name
        self._device = device
        self._put = inbox
        self._clock = clock
        self._calls: deque[Callable[[], None]] = deque()
        self._turn = threading.Condition()
        self._woken = self._stopping = False
        self._taken = False
        self._again_at = 0.0
        self._rests = rests()
        self._trouble = ""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self, patience: float = 5.0) -> None:
        """End after the calls that were told, and give the device back."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        if self._thread.is_alive():
            self._thread.join(patience)

    def tell(self, call: Callable[[], None]) -> None:
        """Have `call` made on the thread, in order; returns at once."""
        self._calls.append(call)
        self.wake()

    def wake(self) -> None:
        """Look at the clock now."""
        with self._turn:
            self._woken = True
            self._turn.notify_all()

    def _run(self) -> None:
        until: float | None = 0.0
        while True:
            with self._turn:
                patience = None if until is None else max(0.0, until - self._clock.now())
                self._turn.wait_for(lambda: self._woken or self._stopping, patience)
                self._woken = False
                stopping = self._stopping
            self._make_calls()
            if stopping:
                break
            until = self._advance()
        self._attempt(self._device.give_back)

    def _make_calls(self) -> None:
        while self._calls:
            self._attempt(self._calls.popleft())

    def _advance(self) -> float | None:
        """Take the device if it is time, and do what is due; when to look again."""
        now = self._clock.now()
        if not self._taken and now < self._again_at:
            return self._again_at
        try:
            if not self._taken:
                self._device.take()
                self._taken = True
            until = self._device.step(now)
        except DeviceError as why:
            return self._lose(why)
        except Exception:  # a driver's thread lives on (design, section 6)
            log.exception("A step of %s failed.", self._name)
            return self._lose(DeviceLost(f"{self._name} is given a rest: its driver failed, and the log says how."))
        self._rests = rests()
        if self._trouble:
            self._trouble = ""
            log.info("%s is well again.", self._name)
            self._put(DeviceUp(self._name))
        return until

    def _lose(self, why: DeviceError) -> float:
        self._attempt(self._device.give_back)
        self._taken = False
        self._again_at = self._clock.now() + next(self._rests)
        if str(why) != self._trouble:
            self._trouble = str(why)
            log.warning("%s", why)
            self._put(DeviceDown(self._name, self._trouble))
        return self._again_at

    def _attempt(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:  # a driver's thread lives on (design, section 6)
            log.exception("A call to %s failed.", self._name)
