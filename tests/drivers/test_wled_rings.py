"""The example of a driver in a package: rings on a WLED controller, with a real socket that goes and comes back."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from hub.config import DevicePart
from hub.devices import connect
from hub.errors import ConfigError, DeviceLost
from hub.ports import DeviceDown, DeviceUp, DriverContext, LampPicture
from hub.settings.form import about_driver, parts
from tests.made_packages import installed, wheel
from tests.phone_ui.rig import until

pytestmark = [pytest.mark.real_time, pytest.mark.real_chance]
FOLDER = Path(__file__).parents[2] / "hub/docs/examples/drivers/wled-rings"
ENTRY = "[table_hub.drivers]\nwled_rings = wled_rings\n"


@pytest.fixture(scope="module")
def wled() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(f"{FOLDER}")
        yield import_module("wled_rings")
    del sys.modules["wled_rings"]


class Clock:
    """A clock that a test sets."""

    time = 0.0

    def now(self) -> float:
        return self.time


class Line:
    """A socket that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.error: OSError | None = None
        self.is_closed = False

    def send(self, data: bytes) -> int:
        if self.error:
            raise self.error
        self.sent.append(data)
        return len(data)

    def close(self) -> None:
        self.is_closed = True


def made(wled: ModuleType, line: Line, **asked: Any) -> Any:
    device = wled.WledRings(wled.Settings(**asked), [].append, Clock(), lambda _address, _port: line)
    device.acquire()
    return device


def lit(frame: bytes) -> list[bool]:
    return [any(frame[at : at + 3]) for at in range(2, len(frame), 3)]


def context(told: list[object]) -> DriverContext:
    return DriverContext(told.append, {}, Random(1))


def test_a_frame_is_a_packet_of_drgb(wled: ModuleType) -> None:
    assert wled.packet([(255, 0, 10), (0, 100, 0)], 50) == bytes((2, 5, 127, 0, 5, 0, 50, 0))


def test_a_section_of_any_length_shows_the_whole_ring(wled: ModuleType) -> None:
    ring = [(place, 0, 0) for place in range(16)]
    assert wled.section(ring, 16) == ring
    assert [red for red, _, _ in wled.section(ring, 4)] == [3, 7, 11, 15]
    assert [red for red, _, _ in wled.section(ring, 32)] == [place // 2 for place in range(32)]
    assert wled.section(ring, 1) == [(15, 0, 0)]
    assert all(len(wled.section(ring, leds)) == leds for leds in range(1, 246))


@pytest.mark.parametrize("leds", [8, 16, 30])
@pytest.mark.parametrize("number", [1, 5, 8])
def test_a_number_has_as_many_lamps_as_it_says(wled: ModuleType, leds: int, number: int) -> None:
    line = Line()
    device = made(wled, line, leds=leds, seats=[1])
    device._show({1: LampPicture("number", number, "ff0000")})
    device.step(1.0)
    assert sum(lit(line.sent[-1])) == number
    assert len(lit(line.sent[-1])) == leds


def test_each_seat_has_its_section_in_the_order_of_the_strip(wled: ModuleType) -> None:
    line = Line()
    device = made(wled, line, leds=4, seats=[3, 1])
    device._show({1: LampPicture("locked", 0, "00ff00")})
    device.step(1.0)
    assert lit(line.sent[-1]) == [False] * 4 + [True] * 4


def test_a_picture_that_stays_is_sent_again_every_second(wled: ModuleType) -> None:
    line, now = Line(), 0.0
    device = made(wled, line, seats=[2])
    device._show({2: LampPicture("locked", 0, "0000ff")})
    while now < 10:
        now = max(now + 0.001, device.step(now))
    assert 9 <= len(line.sent) <= 12


def test_a_refusal_is_told_and_forgotten_after_some_seconds_without_one(wled: ModuleType) -> None:
    line = Line()
    device = made(wled, line)
    line.error = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
    device.step(1.0)
    assert device.problem == "The WLED controller wled.local does not answer (Connection refused)."
    line.error = None
    device.step(2.5)
    assert device.problem
    device.step(9.0)
    assert device.problem == ""
    line.error = BlockingIOError()
    device.step(11.0)
    assert device.problem == "", "the socket is full for a moment"


@pytest.mark.parametrize("error", [OSError(2, "Name or service not known"), UnicodeError("label empty")])
def test_a_name_that_leads_nowhere_is_told_and_tried_again(wled: ModuleType, error: Exception) -> None:
    def fails(_address: str, _port: int) -> None:
        raise error

    device = wled.WledRings(wled.Settings(address="wled..local"), [].append, Clock(), fails)
    with pytest.raises(DeviceLost, match=r"^The WLED controller wled\.\.local is not found in the network"):
        device.acquire()


def test_the_lamps_are_dark_in_the_end(wled: ModuleType) -> None:
    line = Line()
    device = made(wled, line)
    device.release()
    device.release()
    assert line.is_closed
    assert not any(lit(line.sent[-1]))


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"leds": 200}, "800 lamps do not fit into a frame of WLED: at most 490."), ({"seats": [1, 1]}, "has two sections"),
        ({"seats": [7]}, "there is no seat 7"), ({"address": "my wled"}, "address is an address or a name such as"),
        ({"led": 3}, "did you mean leds"), ({"brightness": 0}, "from 1 to 100"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_with_a_sentence(wled: ModuleType, asked: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        wled.connect(asked, context([]))


def test_a_hub_finds_it_in_its_wheel_and_staff_see_its_settings(tmp_path: Path) -> None:
    text = (FOLDER / "wled_rings.py").read_text("utf-8")
    with installed(wheel(tmp_path, {"wled_rings.py": text}, ENTRY, name="wled-rings")):
        device = connect(DevicePart("wled_rings", settings={"address": "127.0.0.1"}), context([]))
        assert type(device.device).__name__ == "WledRings"  # type: ignore[attr-defined]
        keys = [field.key for field in parts(["wled_rings"], ["1"])["device wled_rings"].fields]
        assert keys == ["cup", "address", "port", "leds", "seats", "brightness", "reverse"]
    about_driver.cache_clear()


def test_a_controller_that_goes_and_comes_back_is_told_and_lit_again(wled: ModuleType) -> None:
    def listening(port: int = 0) -> socket.socket:
        controller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        controller.bind(("127.0.0.1", port))
        controller.settimeout(60)
        return controller

    controller, told = listening(), list[object]()
    port = controller.getsockname()[1]
    device = wled.connect({"address": "127.0.0.1", "port": port, "leds": 3}, context(told))
    device.start()
    try:
        device.lamps.show({1: LampPicture("locked", 0, "00ff00")})
        until(lambda: any(lit(controller.recv(999))), "the picture")
        assert told == []
        controller.close()
        until(lambda: any(isinstance(one, DeviceDown) for one in told), "it is lost")
        controller = listening(port)
        until(lambda: any(lit(controller.recv(999))), "the picture, without a word of the table")
        until(lambda: any(isinstance(one, DeviceUp) for one in told), "it works again")
        assert len(told) == 2
    finally:
        device.close()
        controller.close()
