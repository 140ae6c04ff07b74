"""Serial lines: find ports, open them, move bytes. The only place that opens a tty.

One thread serves every line of a driver: it waits for bytes, deadlines and calls from other threads. A `LineSession`
interprets the bytes. Every failure of a port is DeviceLost; the port is tried again without end, every 0.5 to 5 s. A port
that vanished and came back is new.
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
SCAN = 0.5  # seconds between two scans for ports


class LineSession(Protocol):
    """The protocol on one open line. Methods are called on the line thread only and never block. Times are in seconds."""

    finished: bool  # set by the session: another driver's device, so release the port until it is plugged in again
    accepted: bool  # set by the session: it is our device, so the next retry starts with a short delay

    def on_open(self, now: float) -> None:
        """Start: the line is open."""

    def on_data(self, data: bytes, now: float) -> None:
        """Handle received bytes."""

    def run_due(self, now: float) -> None:
        """Do what is due at this time."""

    def deadline(self) -> float | None:
        """Return when to call `run_due` at the latest; None: not before bytes arrive."""

    def outgoing(self, now: float) -> bytes:
        """Return the bytes to write. Called only when all earlier bytes are written."""

    def on_close(self, error: DeviceLost) -> None:
        """Stop: the line is lost, or was released."""


class CallQueue:
    """Calls from other threads, executed in order on one thread that waits on a file descriptor."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._woken, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._lock = threading.Lock()
        self._open = True
        self._wake_pending = False  # a byte is in the pipe

    def fileno(self) -> int:
        """Return the descriptor, which is readable while calls wait."""
        return self._woken

    def call_soon(self, call: Callable[[], None]) -> None:
        """Queue `call` for the thread and return at once."""
        self._calls.append(call)
        self.wake()

    def wake(self) -> None:
        """Wake the thread, so that it checks its clock."""
        with self._lock:
            if self._open and not self._wake_pending:
                self._wake_pending = True
                os.write(self._waker, b"!")

    def run(self) -> bool:
        """Execute all queued calls; return whether the thread was woken. Call this on the thread only."""
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
    """One open tty, locked for this process. Never blocks; every failure is DeviceLost with its cause."""

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
        """Return the received bytes, possibly none. Raise DeviceLost."""
        # Not pyserial's `read`: its select() fails for file descriptors from 1024 on, which many phones use up.
        waiter = select.poll()
        try:
            waiter.register(self, select.POLLIN)
            is_ready = bool(waiter.poll(0))
            data = os.read(self.fileno(), 4096) if is_ready else b""
        except BlockingIOError:
            return b""
        except (serial.SerialException, OSError, TypeError) as error:  # TypeError: the port is being closed
            raise DeviceLost(f"{self.port} was unplugged.", Cause.UNPLUGGED) from error
        if is_ready and not data:  # the far end is gone
            raise DeviceLost(f"{self.port} was unplugged.", Cause.UNPLUGGED)
        return data

    def write(self, data: bytes) -> int:
        """Write as much as fits and return the number of bytes. Call this when poll reports room. Raise DeviceLost."""
        try:
            return int(self._tty.write(data) or 0)
        except (serial.SerialException, OSError) as error:
            raise DeviceLost(f"{self.port} was unplugged.", Cause.UNPLUGGED) from error

    def close(self) -> None:
        """Close the port."""
        try:
            self._tty.close()
        except (serial.SerialException, OSError) as error:
            log.debug("Closing %s: %s", self.port, error)


def usb_ports() -> Sequence[str]:
    """Return the serial ports of boards with Raspberry Pi's USB vendor id."""
    return [port.device for port in list_ports.comports() if port.vid == PICO]


def named_ports(names: Sequence[str]) -> Callable[[], Sequence[str]]:
    """Return a function that returns the named ports that are present."""
    return lambda: [name for name in names if Path(name).exists()]


@dataclass(slots=True)
class _Served:
    """One open line, its session, and bytes that did not fit into the tty yet."""

    line: Line
    session: LineSession
    unwritten: bytes = b""


@dataclass(slots=True)
class _Retry:
    """A failed port: when to try it again (None: when it is plugged in again), and the delays after that."""

    until: float | None = None
    delays: Iterator[float] = field(default_factory=backoff)


class Lines:
    """All lines of one driver, on one thread. `session` makes the session for a port."""

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
        """Stop the thread and close all ports."""
        self.call_soon(self._stop)
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._calls.close()

    def call_soon(self, call: Callable[[], None]) -> None:
        """Queue `call` for the line thread."""
        self._calls.call_soon(call)

    def wake(self) -> None:
        """Check the clock now, after a test has advanced it."""
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
            # After a call or a deadline any line may have output; after input, only its own line.
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
        """Execute one step of one line. If it fails, close and retry only this line."""
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
        """Wait for input, a call or a deadline; return the lines with input."""
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
