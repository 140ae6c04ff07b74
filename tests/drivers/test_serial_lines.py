"""The cables: opened exclusively, tried again for ever, closed for good when they are not ours."""

from __future__ import annotations

import contextlib
import os
import pty
import resource
import select
import threading
import tty
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from serial.tools import list_ports

from drivers.common import serial_lines
from drivers.common.serial_lines import CallQueue, Line, Lines, named_ports
from hub.errors import DeviceLost
from tests.drivers.bench import StillClock
from tests.patience import PATIENCE


class Listener:
    """A speaker that notes what it hears and says what it is told."""

    def __init__(self) -> None:
        self.finished = False
        self.accepted = False
        self.came = threading.Condition()
        self.notes: list[object] = []
        self.to_say = b""
        self.asked = 0  # how often for something to say

    def note(self, what: object) -> None:
        with self.came:
            self.notes.append(what)
            self.came.notify_all()

    def wait_for(self, what: object) -> None:
        with self.came:
            assert self.came.wait_for(lambda: what in self.notes, PATIENCE), self.notes

    def on_open(self, now: float) -> None:
        self.note("opened")

    def on_data(self, data: bytes, now: float) -> None:
        if data == b"fault":
            raise ZeroDivisionError
        self.note(data)

    def run_due(self, now: float) -> None:
        """Nothing is ever due."""

    def deadline(self) -> float | None:
        return None

    def outgoing(self, now: float) -> bytes:
        self.asked += 1
        said, self.to_say = self.to_say, b""
        return said

    def on_close(self, why: DeviceLost) -> None:
        self.note("lost")
        self.note(str(why))


class Cables:
    """Ports that a test makes and breaks, and lines that look for them."""

    def __init__(self, folder: Path) -> None:
        self.clock = StillClock()
        self.folder = folder
        self.ports: list[str] = []
        self.tries: list[float] = []
        self.tried = threading.Semaphore(0)
        self.looked = threading.Semaphore(0)
        self.scanned_at = 0.0
        self.fails = False
        self.listener = Listener()
        self.lines = Lines(lambda port: self.listener, self.clock, self.find, self.open)
        self.clock.wakes.append(self.lines.wake)
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)

    def start(self) -> None:
        """Start the lines, and wait until they have looked once: then the time moves only while they wait."""
        self.lines.start()
        assert self.looked.acquire(timeout=PATIENCE)

    def find(self) -> Sequence[str]:
        self.scanned_at = self.clock.now()  # before the test goes on, and the time with it
        self.looked.release()
        return list(self.ports)

    def open(self, port: str) -> Line:
        self.tries.append(self.scanned_at)
        self.tried.release()
        if self.fails:
            raise DeviceLost(f"{port} cannot be opened.")
        return Line(port)

    def look(self) -> None:
        """Half a second passes and the ports have been looked at."""
        while self.looked.acquire(blocking=False):
            pass
        self.clock.advance(serial_lines.SCAN)
        assert self.looked.acquire(timeout=PATIENCE)

    def close(self) -> None:
        self.lines.close()
        for number in (self.master, self.slave):
            os.close(number)


@pytest.fixture
def cables(tmp_path: Path) -> Iterator[Cables]:
    cables = Cables(tmp_path)
    yield cables
    cables.close()


def test_a_line_is_read_where_a_crowd_holds_more_files_than_select_knows() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    near, far = pty.openpty()
    tty.setraw(far)
    with contextlib.ExitStack() as crowd:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, hard), hard))
        crowd.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        while (file := os.open(os.devnull, os.O_RDONLY)) < 1024:
            crowd.callback(os.close, file)
        crowd.callback(os.close, file)
        line = Line(os.ttyname(far))
        crowd.callback(line.close)
        assert line.fileno() > 1024
        assert line.read() == b""
        os.write(near, b"hello")
        assert line.read() == b"hello"
        assert line.write(b"who") == 3
        assert os.read(near, 100) == b"who"
        os.close(far)
        os.close(near)
        with pytest.raises(DeviceLost):
            line.read()


def test_a_port_is_opened_as_soon_as_it_is_there_and_bytes_go_both_ways(cables: Cables) -> None:
    cables.start()
    cables.ports = [cables.port]
    cables.look()
    cables.listener.wait_for("opened")
    os.write(cables.master, b"hello")
    cables.listener.wait_for(b"hello")

    def say() -> None:
        cables.listener.to_say = b"who"

    cables.lines.call_soon(say)
    assert os.read(cables.master, 100) == b"who"


def test_what_one_line_says_makes_no_work_for_another(tmp_path: Path) -> None:
    clock, listeners = StillClock(), {"a": Listener(), "b": Listener()}
    pairs = {name: pty.openpty() for name in listeners}
    for name, (_, slave) in pairs.items():
        tty.setraw(slave)
        (tmp_path / name).symlink_to(os.ttyname(slave))
    lines = Lines(
        lambda port: listeners[Path(port).name], clock, lambda: [str(tmp_path / name) for name in listeners], Line
    )
    clock.wakes.append(lines.wake)
    lines.start()
    for listener in listeners.values():
        listener.wait_for("opened")
    for turn in range(3):
        os.write(pairs["a"][0], b"%d" % turn)
        listeners["a"].wait_for(b"%d" % turn)
    before = listeners["b"].asked
    for turn in range(3, 9):
        os.write(pairs["a"][0], b"%d" % turn)
        listeners["a"].wait_for(b"%d" % turn)
    assert listeners["b"].asked == before
    assert listeners["a"].asked >= before + 5
    lines.close()
    for pair in pairs.values():
        for number in pair:
            os.close(number)


def test_a_thread_is_woken_once_for_all_that_waits() -> None:
    queue, made = CallQueue(), list[int]()
    assert not queue.run()
    for number in range(3):
        queue.call_soon(lambda number=number: made.append(number))  # type: ignore[misc]
    assert select.select([queue], [], [], PATIENCE)[0]
    assert queue.run()
    assert made == [0, 1, 2]
    assert not select.select([queue], [], [], 0)[0]
    queue.wake()
    assert select.select([queue], [], [], PATIENCE)[0], "it is woken again"
    queue.close()
    queue.wake()


def test_a_port_that_fails_is_tried_again_for_ever_at_most_five_seconds_apart(cables: Cables) -> None:
    cables.fails = True
    cables.ports = [cables.port]
    cables.start()
    for _ in range(70):
        cables.look()
    gaps = [later - sooner for sooner, later in zip(cables.tries, cables.tries[1:], strict=False)]
    assert gaps[:4] == [0.5, 1.0, 2.0, 4.0]
    assert set(gaps[4:]) == {5.0}


def test_a_port_that_vanished_and_came_back_is_tried_at_once(cables: Cables) -> None:
    cables.fails = True
    cables.ports = [cables.port]
    cables.start()
    for _ in range(20):
        cables.look()
    cables.ports = []
    cables.look()
    cables.look()
    before = len(cables.tries)
    cables.ports = [cables.port]
    cables.look()
    cables.look()
    assert len(cables.tries) > before


def test_an_unplugged_cable_is_lost_with_a_sentence(cables: Cables) -> None:
    cables.ports = [cables.port]
    cables.start()
    cables.listener.wait_for("opened")
    os.close(cables.master)
    cables.listener.wait_for("lost")
    assert f"{cables.port} was unplugged." in cables.listener.notes
    cables.master = os.open(os.devnull, os.O_RDONLY)


def test_a_fault_of_the_driver_gives_the_line_a_rest_and_not_the_thread(cables: Cables) -> None:
    cables.ports = [cables.port]
    cables.start()
    cables.listener.wait_for("opened")
    os.write(cables.master, b"fault")
    cables.listener.wait_for("lost")
    cables.listener.notes.clear()
    cables.look()
    cables.look()
    cables.listener.wait_for("opened")


def test_a_device_that_is_not_ours_leaves_its_port_free_until_it_is_plugged_in_again(cables: Cables) -> None:
    cables.ports = [cables.port]
    cables.start()
    cables.listener.wait_for("opened")

    def finish() -> None:
        cables.listener.finished = True

    cables.lines.call_soon(finish)
    for _ in range(20):
        cables.look()
    assert len(cables.tries) == 1
    cables.listener.wait_for("lost")
    Line(cables.port).close()
    cables.listener.finished = False
    cables.ports = []
    cables.look()
    cables.look()
    cables.ports = [cables.port]
    cables.look()
    cables.look()
    assert len(cables.tries) == 2


def test_a_port_is_opened_by_one_only(cables: Cables) -> None:
    first = Line(cables.port)
    with pytest.raises(DeviceLost, match="cannot be opened"):
        Line(cables.port)
    first.close()
    Line(cables.port).close()


def test_a_missing_port_is_a_lost_device(tmp_path: Path) -> None:
    with pytest.raises(DeviceLost, match="cannot be opened"):
        Line(str(tmp_path / "nothing"))


def test_of_named_ports_those_are_found_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    assert named_ports([str(tmp_path / "here"), str(tmp_path / "gone")])() == [str(tmp_path / "here")]


def test_only_boards_with_the_right_usb_vendor_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    class Port:
        def __init__(self, device: str, vid: int | None) -> None:
            self.device = device
            self.vid = vid

    found = [Port("/dev/ttyS0", None), Port("/dev/ttyACM0", 0x2E8A), Port("/dev/ttyUSB0", 0x1A86)]
    monkeypatch.setattr(list_ports, "comports", lambda: found)
    assert serial_lines.usb_ports() == ["/dev/ttyACM0"]
