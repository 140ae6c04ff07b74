"""Serial lines: find ports, open them, move bytes. The only place that opens a tty.

One thread serves every line of a driver: it waits for bytes, deadlines and calls from other threads. What the
bytes mean is the business of a `LineSession`. Whatever goes wrong with a port is DeviceLost, and is tried again for
ever, 0.5 to 5 s apart; a port that vanished and came back is new.
"""

from __future__ import annotations

import logging
import os
import select
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

import serial
from serial.tools import list_ports

from drivers.common.backoff import backoff
from hub.errors import Cause, DeviceLost
from hub.ports import Clock

T = TypeVar("T")

log = logging.getLogger(__name__)

PICO = 0x2E8A  # the USB vendor id of Raspberry Pi
SCAN = 0.5  # seconds between two looks for ports


class LineSession(Protocol):
    """What is said and understood on one open line. Called on the line thread only; never blocks. Times are seconds."""

    finished: bool  # set by the session: not our device, give the port up until it is plugged in again
    accepted: bool  # set by the session: it is our device, so that the next failure starts with a short delay

    def on_open(self, now: float) -> None:
        """Begin: the line is open."""

    def on_data(self, data: bytes, now: float) -> None:
        """Take in bytes."""

    def run_due(self, now: float) -> None:
        """Do what time alone brings."""

    def deadline(self) -> float | None:
        """Return when `run_due` is to be called at the latest; None: not before bytes come."""

    def outgoing(self, now: float) -> bytes:
        """Return what is to be written; called only when everything before it is written."""

    def on_close(self, error: DeviceLost) -> None:
        """End: the line is gone, or was given up."""


class CallQueue:
    """CallQueue from other threads, made in order on one thread that waits on a file descriptor."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._woken, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._lock = threading.Lock()
        self._open = True
        self._wake_pending = False  # and has not looked yet

    def fileno(self) -> int:
        """Return the descriptor that is readable while calls are waiting."""
        return self._woken

    def call_soon(self, call: Callable[[], None]) -> None:
        """Have `call` made on the thread, in order; return at once."""
        self._calls.append(call)
        self.wake()

    def wake(self) -> None:
        """Have the thread look at its clock."""
        with self._lock:
            if self._open and not self._wake_pending:
                self._wake_pending = True
                os.write(self._waker, b"!")

    def run(self) -> bool:
        """Make the calls that are waiting; return whether anybody has woken the thread. On the thread only."""
        with self._lock:
            was_woken = self._wake_pending
            if was_woken:
                os.read(self._woken, 1)
                self._wake_pending = False
        while self._calls:
            self._calls.popleft()()
        return was_woken

    def close(self) -> None:
        """Close the descriptors, after the thread has ended."""
        with self._lock:
            self._open = False
            os.close(self._woken)
            os.close(self._waker)


class Line:
    """One open tty, exclusively ours. Never blocks; whatever fails is DeviceLost with its cause."""

    def __init__(self, port: str) -> None:
        try:
            self._tty = serial.Serial(port, 115200, timeout=0, write_timeout=0, exclusive=True)
        except (serial.SerialException, termios.error, OSError, ValueError) as error:
            # termios.error, which is no OSError: the port vanished while it was being opened.
            raise DeviceLost(f"{port} cannot be opened: {error}.", Cause.of(error)) from error
        self.port = port

    def fileno(self) -> int:
        """Return the descriptor, for select."""
        return int(self._tty.fileno())

    def read(self) -> bytes:
        """Return what has come in; empty if nothing has. Raise DeviceLost."""
        # Not pyserial's own `read`: its select refuses the files that a crowd leaves, from the 1,024th on.
        waiter = select.poll()
        try:
            waiter.register(self, select.POLLIN)
            is_ready = bool(waiter.poll(0))
            data = os.read(self.fileno(), 4096) if is_ready else b""
        except BlockingIOError:
            return b""
        except (serial.SerialException, OSError, TypeError) as error:  # TypeError: it is being closed
            raise DeviceLost(f"{self.port} was unplugged.", Cause.UNPLUGGED) from error
        if is_ready and not data:  # a line whose far end is gone
            raise DeviceLost(f"{self.port} was unplugged.", Cause.UNPLUGGED)
        return data

    def write(self, data: bytes) -> int:
        """Write as much as fits now; return how many bytes. Call when select says there is room. Raise DeviceLost."""
        try:
            return int(self._tty.write(data) or 0)
        except (serial.SerialException, OSError) as error:
            raise DeviceLost(f"{self.port} was unplugged.", Cause.UNPLUGGED) from error

    def close(self) -> None:
        """Give the port back."""
        try:
            self._tty.close()
        except (serial.SerialException, OSError) as error:
            log.debug("Closing %s: %s", self.port, error)


def usb_ports() -> Sequence[str]:
    """Return the serial ports of boards with Raspberry Pi's USB vendor id."""
    return [port.device for port in list_ports.comports() if port.vid == PICO]


def named_ports(names: Sequence[str]) -> Callable[[], Sequence[str]]:
    """Return a function that finds those of the named ports that are there now."""
    return lambda: [name for name in names if Path(name).exists()]


@dataclass(slots=True)
class _Served:
    """One open line, its session, and what did not fit into the tty yet."""

    line: Line
    session: LineSession
    unwritten: bytes = b""


@dataclass(slots=True)
class _Retry:
    """A port that failed: when it is tried again, None for not until replugged; and the delays after that."""

    until: float | None = None
    delays: Iterator[float] = field(default_factory=backoff)


class Lines:
    """Every line of one driver on one thread. `session` makes what speaks on the line at a port."""

    def __init__(
        self,
        session: Callable[[str], LineSession],
        clock: Clock,
        find: Callable[[], Sequence[str]] = usb_ports,
        open_line: Callable[[str], Line] = Line,
    ) -> None:
        self._make_session = session
        self._clock = clock
        self._find = find
        self._open_line = open_line
        self._calls = CallQueue()
        self._served: dict[str, _Served] = {}
        self._retries: dict[str, _Retry] = {}
        self._scan_at = self._due_at = clock.now()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="lines", daemon=True)

    def start(self) -> None:
        """Start to look for ports."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and give every port back."""
        self.call_soon(self._stop)
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._calls.close()

    def call_soon(self, call: Callable[[], None]) -> None:
        """Have `call` made on the line thread."""
        self._calls.call_soon(call)

    def wake(self) -> None:
        """Look at the clock now (it was put forward)."""
        self._calls.wake()

    def _stop(self) -> None:
        self._stopping = True

    def _run(self) -> None:
        ready: list[_Served] = []
        while True:
            was_woken = self._attempt(self._calls.run) is not False
            if self._stopping:
                break
            now = self._clock.now()
            if is_scanned := now >= self._scan_at:
                self._attempt(self._scan)
                self._scan_at = now + SCAN
            # With calls and clocks any line may have something to say; with what one says, only that one.
            for served in list(self._served.values()) if was_woken or is_scanned or now >= self._due_at else ready:
                if self._served.get(served.line.port) is served:
                    self._serve(served, lambda served=served: self._advance(served))  # type: ignore[misc]
            ready = self._wait()
        for served in list(self._served.values()):
            served.line.close()

    def _attempt(self, step: Callable[[], T]) -> T | None:
        try:
            return step()
        except Exception:  # a fault in one driver ends neither its thread nor the match
            log.exception("A step of the line thread failed.")
            return None

    def _serve(self, served: _Served, step: Callable[[], None]) -> None:
        """Make one step of one line; if it fails, this line is tried again later and the others go on."""
        try:
            step()
        except DeviceLost as error:
            self._lose(served, error)
        except Exception:  # a fault in one driver ends neither its thread nor the match
            log.exception("The driver at %s failed.", served.line.port)
            self._lose(served, DeviceLost(f"{served.line.port} is given a rest: its driver failed."))

    def _scan(self) -> None:
        now = self._clock.now()
        present = self._find()
        for port in [port for port in self._retries if port not in present]:
            del self._retries[port]
        for port in present:
            if port in self._served:
                continue
            retry = self._retries.get(port)
            if retry is not None and (retry.until is None or now < retry.until):
                continue
            self._open(port, now)

    def _open(self, port: str, now: float) -> None:
        try:
            line = self._open_line(port)
        except DeviceLost as error:
            log.info("%s", error)
            self._retry_later(port, now)
            return
        served = _Served(line, self._make_session(port))
        self._served[port] = served
        self._serve(served, lambda: served.session.on_open(now))

    def _advance(self, served: _Served) -> None:
        now = self._clock.now()
        served.session.run_due(now)
        self._write(served, now)
        if served.session.accepted:
            self._retries.pop(served.line.port, None)
        if served.session.finished:
            del self._served[served.line.port]
            served.line.close()
            self._retries[served.line.port] = _Retry()
            self._attempt(lambda: served.session.on_close(DeviceLost(f"{served.line.port} is given up.")))

    def _write(self, served: _Served, now: float) -> None:
        waiter = select.poll()
        waiter.register(served.line, select.POLLOUT)
        while True:
            if not served.unwritten:
                served.unwritten = served.session.outgoing(now)
            if not served.unwritten or not waiter.poll(0):
                return
            written = served.line.write(served.unwritten)
            served.unwritten = served.unwritten[written:]

    def _lose(self, served: _Served, error: DeviceLost) -> None:
        now = self._clock.now()
        port = served.line.port
        self._served.pop(port, None)
        served.line.close()
        self._retry_later(port, now)
        self._attempt(lambda: served.session.on_close(error))

    def _retry_later(self, port: str, now: float) -> None:
        retry = self._retries.setdefault(port, _Retry())
        retry.until = now + next(retry.delays)

    def _wait(self) -> list[_Served]:
        """Wait until something is to be done; return the lines on which something came."""
        deadlines = [self._scan_at]
        deadlines += [at for served in self._served.values() if (at := served.session.deadline()) is not None]
        self._due_at = min(deadlines)
        patience = max(0.0, self._due_at - self._clock.now())
        waiter = select.poll()
        waiter.register(self._calls, select.POLLIN)
        by_number: Mapping[int, _Served] = {served.line.fileno(): served for served in self._served.values()}
        for number, served in by_number.items():
            waiter.register(number, select.POLLIN | (select.POLLOUT if served.unwritten else 0))
        ready = [(by_number[number], what) for number, what in waiter.poll(patience * 1000) if number in by_number]
        for served, what in ready:
            if what & ~select.POLLOUT:
                self._serve(served, lambda served=served: self._read(served))  # type: ignore[misc]
        return [served for served, _ in ready]

    def _read(self, served: _Served) -> None:
        data = served.line.read()
        if data:
            served.session.on_data(data, self._clock.now())
