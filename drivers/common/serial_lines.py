"""The cables: finds serial ports, opens them, moves bytes. The only place that opens a tty.

One thread serves every line of a driver: it waits for bytes, deadlines and calls from other threads. What the
bytes mean is the business of a `Speaker`. Whatever goes wrong with a port is DeviceLost, and is tried again for
ever, 0.5 to 5 s apart; a port that vanished and came back is new.
"""

from __future__ import annotations

import logging
import os
import select
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import serial
from serial.tools import list_ports

from drivers.common.backoff import rests
from hub.errors import DeviceLost
from hub.ports import Clock

log = logging.getLogger(__name__)

PICO = 0x2E8A  # the USB vendor id of Raspberry Pi (hardware: "hot plug")
SCAN = 0.5  # seconds between two looks for ports


class SteadyClock:
    """The clock of the machine, which never jumps."""

    def now(self) -> float:
        """Seconds, monotonic."""
        return time.monotonic()


class Speaker(Protocol):
    """Who talks over one open line. Called on the line thread only, never blocks."""

    finished: bool  # set by the speaker: not our device, give the port up until it is plugged in again
    fine: bool  # set by the speaker: it is our device, so that the next trouble starts with a short rest

    def opened(self, now: float) -> None:
        """The line is open: say the first thing."""

    def heard(self, data: bytes, now: float) -> None:
        """Bytes came in."""

    def due(self, now: float) -> None:
        """Look at the deadlines."""

    def deadline(self) -> float | None:
        """When `due` should be called at the latest."""

    def outgoing(self, now: float) -> bytes:
        """What is to be written; asked for only when everything before it is written."""

    def lost(self, why: DeviceLost) -> None:
        """The line is gone, or was given up: the last word."""


class Calls:
    """Calls from other threads, made in order on one thread that waits on a file descriptor."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._woken, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._lock = threading.Lock()
        self._open = True

    def fileno(self) -> int:
        """Readable while calls are waiting."""
        return self._woken

    def tell(self, call: Callable[[], None]) -> None:
        """Have `call` made soon; returns at once."""
        self._calls.append(call)
        self.wake()

    def wake(self) -> None:
        """Have the thread look at its clock."""
        with self._lock:
            if self._open:
                try:
                    os.write(self._waker, b"!")
                except BlockingIOError:  # it has thousands of wake-ups to read already
                    return

    def run(self) -> None:
        """On the thread: make the calls that are waiting."""
        try:
            while os.read(self._woken, 512):
                pass
        except BlockingIOError:
            pass  # all wake-ups are read
        while self._calls:
            self._calls.popleft()()

    def close(self) -> None:
        """After the thread has ended."""
        with self._lock:
            self._open = False
            os.close(self._woken)
            os.close(self._waker)


class Line:
    """One open tty, exclusively ours. Never blocks; every trouble is DeviceLost."""

    def __init__(self, port: str) -> None:
        try:
            self._tty = serial.Serial(port, 115200, timeout=0, write_timeout=0, exclusive=True)
        except (serial.SerialException, termios.error, OSError, ValueError) as trouble:
            # termios.error, which is no OSError: the port vanished while it was being opened.
            raise DeviceLost(f"{port} cannot be opened: {trouble}.") from trouble
        self.port = port

    def fileno(self) -> int:
        """For select."""
        return int(self._tty.fileno())

    def read(self) -> bytes:
        """What has come in; empty if nothing has."""
        try:
            return bytes(self._tty.read(4096))
        except (serial.SerialException, OSError, TypeError) as trouble:  # TypeError: pyserial read while closed
            raise DeviceLost(f"{self.port} was unplugged.") from trouble

    def write(self, data: bytes) -> int:
        """Write as much as fits now. Call when select says there is room."""
        try:
            return int(self._tty.write(data) or 0)
        except (serial.SerialException, OSError) as trouble:
            raise DeviceLost(f"{self.port} was unplugged.") from trouble

    def close(self) -> None:
        """Give the port back."""
        try:
            self._tty.close()
        except (serial.SerialException, OSError) as trouble:
            log.debug("Closing %s: %s", self.port, trouble)


def usb_ports() -> Sequence[str]:
    """The serial ports of boards with Raspberry Pi's USB vendor id."""
    return [port.device for port in list_ports.comports() if port.vid == PICO]


def named_ports(names: Sequence[str]) -> Callable[[], Sequence[str]]:
    """Those of the named ports that are there now."""
    return lambda: [name for name in names if Path(name).exists()]


@dataclass(slots=True)
class _Served:
    """One open line, its speaker, and what did not fit into the tty yet."""

    line: Line
    speaker: Speaker
    unwritten: bytes = b""


@dataclass(slots=True)
class _Rest:
    """A port that gave trouble: when it is tried again, None for not until replugged; and the rests after that."""

    until: float | None = None
    lengths: Iterator[float] = field(default_factory=rests)


class Lines:
    """Every line of one driver on one thread."""

    def __init__(
        self,
        speaker: Callable[[str], Speaker],
        clock: Clock,
        find: Callable[[], Sequence[str]] = usb_ports,
        open_line: Callable[[str], Line] = Line,
    ) -> None:
        self._speaker = speaker
        self._clock = clock
        self._find = find
        self._open_line = open_line
        self._calls = Calls()
        self._served: dict[str, _Served] = {}
        self._rests: dict[str, _Rest] = {}
        self._scan_at = clock.now()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="lines", daemon=True)

    def start(self) -> None:
        """Begin to look for ports."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and give every port back."""
        self.tell(self._stop)
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._calls.close()

    def tell(self, call: Callable[[], None]) -> None:
        """Have `call` made on the line thread."""
        self._calls.tell(call)

    def wake(self) -> None:
        """Look at the clock now (it was put forward)."""
        self._calls.wake()

    def _stop(self) -> None:
        self._stopping = True

    def _run(self) -> None:
        while True:
            self._attempt(self._calls.run)
            if self._stopping:
                break
            now = self._clock.now()
            if now >= self._scan_at:
                self._attempt(self._scan)
                self._scan_at = now + SCAN
            for served in list(self._served.values()):
                self._serve(served, lambda served=served: self._advance(served))  # type: ignore[misc]
            self._wait()
        for served in list(self._served.values()):
            served.line.close()

    def _attempt(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception:  # a driver's thread lives on (design, section 6)
            log.exception("A step of the line thread failed.")

    def _serve(self, served: _Served, step: Callable[[], None]) -> None:
        """One step of one line; if it fails, this line rests and the others go on."""
        try:
            step()
        except DeviceLost as lost:
            self._lose(served, lost)
        except Exception:  # a driver's thread lives on (design, section 6)
            log.exception("The driver at %s failed.", served.line.port)
            self._lose(served, DeviceLost(f"{served.line.port} is given a rest: its driver failed."))

    def _scan(self) -> None:
        now = self._clock.now()
        there = self._find()
        for port in [port for port in self._rests if port not in there]:
            del self._rests[port]
        for port in there:
            if port in self._served:
                continue
            rest = self._rests.get(port)
            if rest is not None and (rest.until is None or now < rest.until):
                continue
            self._open(port, now)

    def _open(self, port: str, now: float) -> None:
        try:
            line = self._open_line(port)
        except DeviceLost as lost:
            log.info("%s", lost)
            self._let_rest(port, now)
            return
        served = _Served(line, self._speaker(port))
        self._served[port] = served
        self._serve(served, lambda: served.speaker.opened(now))

    def _advance(self, served: _Served) -> None:
        now = self._clock.now()
        served.speaker.due(now)
        self._write(served, now)
        if served.speaker.fine:
            self._rests.pop(served.line.port, None)
        if served.speaker.finished:
            del self._served[served.line.port]
            served.line.close()
            self._rests[served.line.port] = _Rest()
            self._attempt(lambda: served.speaker.lost(DeviceLost(f"{served.line.port} is given up.")))

    def _write(self, served: _Served, now: float) -> None:
        while True:
            if not served.unwritten:
                served.unwritten = served.speaker.outgoing(now)
            if not served.unwritten or not select.select([], [served.line], [], 0)[1]:
                return
            written = served.line.write(served.unwritten)
            served.unwritten = served.unwritten[written:]

    def _lose(self, served: _Served, why: DeviceLost) -> None:
        now = self._clock.now()
        port = served.line.port
        self._served.pop(port, None)
        served.line.close()
        self._let_rest(port, now)
        self._attempt(lambda: served.speaker.lost(why))

    def _let_rest(self, port: str, now: float) -> None:
        rest = self._rests.setdefault(port, _Rest())
        rest.until = now + next(rest.lengths)

    def _wait(self) -> None:
        deadlines = [self._scan_at]
        deadlines += [at for served in self._served.values() if (at := served.speaker.deadline()) is not None]
        patience = max(0.0, min(deadlines) - self._clock.now())
        waiter = select.poll()
        waiter.register(self._calls, select.POLLIN)
        by_number: Mapping[int, _Served] = {served.line.fileno(): served for served in self._served.values()}
        for number, served in by_number.items():
            waiter.register(number, select.POLLIN | (select.POLLOUT if served.unwritten else 0))
        for number, what in waiter.poll(patience * 1000):
            if number in by_number and what & ~select.POLLOUT:
                self._serve(by_number[number], lambda served=by_number[number]: self._read(served))  # type: ignore[misc]

    def _read(self, served: _Served) -> None:
        data = served.line.read()
        if data:
            served.speaker.heard(data, self._clock.now())
