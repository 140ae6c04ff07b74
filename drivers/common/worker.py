"""A device's own thread: opens the device, does its work, and opens it again whenever it was lost.

Subclasses of `ThreadedDevice` do the work. The table gets one signal when the device is lost and one when it works again.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from math import inf

from drivers.common.backoff import backoff
from hub.engine.text import say
from hub.errors import DeviceError, DeviceLost
from hub.ports import Clock, DeviceDown, DeviceUp

log = logging.getLogger(__name__)

Inbox = Callable[[object], None]
LEAST_WAIT = 0.002
"""Seconds between two steps at least: a driver that returns a time that is over must not keep the processor."""
LONGEST_WAIT = 3600.0
"""Seconds between two steps at most, because a lock waits for no more than some days."""


class ThreadedDevice(ABC):
    """A device with its own thread. Methods of its port queue their work with `_thread.call_soon`."""

    def __init__(self, name: str, inbox: Inbox, clock: Clock) -> None:
        """Staff know the device as `name`."""
        self._thread = WorkerThread(name, self, inbox, clock)

    def start(self) -> None:
        """Start the thread, which opens the device as soon as possible."""
        self._thread.start()

    def close(self) -> None:
        """Execute the queued calls, release the device and end the thread."""
        self._thread.close()

    def wake(self) -> None:
        """Check the clock now, after a test has advanced it."""
        self._thread.wake()

    @property
    def problem(self) -> str:
        """Return why the device is of no use although it is open, as a sentence for staff; "" if it works."""
        return ""

    # --- on the thread; after a DeviceError of `acquire` or `step` the device is released and acquired again later ---

    @abstractmethod
    def acquire(self) -> None:
        """Open the device. Raise DeviceError if that is not possible now."""

    @abstractmethod
    def step(self, now: float) -> float | None:
        """Do what is due; return when to call this again at the latest, None: not before the next call or wake-up.

        Raise DeviceError if the device is lost.
        """

    @abstractmethod
    def release(self) -> None:
        """Close everything; called before each new attempt and at the end."""


class WorkerThread:
    """The thread of a device that staff know as `name`."""

    def __init__(self, name: str, device: ThreadedDevice, inbox: Inbox, clock: Clock) -> None:
        self._name = name
        self._device = device
        self._inbox = inbox
        self._clock = clock
        self._calls: deque[Callable[[], None]] = deque()
        self._turn = threading.Condition()
        self._woken = self._stopping = False
        self._acquired = False
        self._retry_at = 0.0
        self._backoff = backoff()
        self._reported = ""  # the sentence of the failure that staff know of
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def failure(self) -> str:
        """Return why the device does not work, as staff know it; "" if it works."""
        return self._reported

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self, patience: float = 5.0) -> None:
        """End the thread after all queued calls; wait for at most `patience` seconds."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        if self._thread.is_alive():
            self._thread.join(patience)

    def call_soon(self, call: Callable[[], None]) -> None:
        """Queue `call` for the thread and return at once."""
        self._calls.append(call)
        self.wake()

    def wake(self) -> None:
        """Wake the thread, so that it checks its clock."""
        with self._turn:
            self._woken = True
            self._turn.notify_all()

    def _run(self) -> None:
        until: float | None = 0.0
        while True:
            with self._turn:
                patience = None if until is None else min(max(LEAST_WAIT, until - self._clock.now()), LONGEST_WAIT)
                self._turn.wait_for(lambda: self._woken or self._stopping, patience)
                self._woken = False
                stopping = self._stopping
            while self._calls:
                self._attempt(self._calls.popleft())
            if stopping:
                break
            until = self._advance()
        self._attempt(self._device.release)

    def _advance(self) -> float | None:
        """Acquire the device if that is due, and do one step; return when to call this again."""
        now = self._clock.now()
        if not self._acquired and now < self._retry_at:
            return self._retry_at
        try:
            if not self._acquired:
                self._device.acquire()
                self._acquired = True
            until = self._device.step(now)
            if until is not None and not until < inf:
                raise ValueError("step returns no time")  # noqa: TRY301 - it is told like an error of the driver
            problem = self._device.problem
        except DeviceError as error:
            return self._lose(error)
        except BaseException:  # a fault in one driver, SystemExit, too, ends neither its thread nor the match
            log.exception("A step of %s failed.", self._name)
            sentence = say(
                "The driver of {device} failed. The hub's log has the details. The hub tries again.", device=self._name
            )
            return self._lose(DeviceLost(sentence))
        self._backoff = backoff()
        self._report(problem)
        return until

    def _lose(self, error: DeviceError) -> float:
        self._attempt(self._device.release)
        self._acquired = False
        self._retry_at = self._clock.now() + next(self._backoff)
        self._report(error.sentence)
        return self._retry_at

    def _report(self, problem: str) -> None:
        """Tell staff of another problem, or that there is none any more."""
        if problem == self._reported:
            return
        self._reported = problem
        if problem:
            log.warning("%s", problem)
            self._inbox(DeviceDown(self._name, problem))
        else:
            log.info("%s works again.", self._name)
            self._inbox(DeviceUp(self._name))

    def _attempt(self, call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException:  # as above
            log.exception("A call to %s failed.", self._name)
