"""A device's own thread: whatever the driver does on it, the thread goes on and staff are told."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from drivers.common.worker import LEAST_WAIT, ThreadedDevice
from hub.ports import DeviceDown, DeviceUp, MonotonicClock
from tests.phone_ui.rig import until

pytestmark = [pytest.mark.real_time, pytest.mark.real_chance]


class Odd(ThreadedDevice):
    """A device that does on its thread what a test wants of it."""

    lamps = page = boxes = dice = None

    def __init__(self, does: Callable[[], Any], of: str) -> None:
        self.told: list[object] = []
        self.does, self.of, self.steps = does, of, 0
        super().__init__("odd", self.told.append, MonotonicClock())

    def _do(self, what: str) -> Any:
        return self.does() if self.of == what else None

    @property
    def problem(self) -> str:
        return self._do("problem") or ""

    def acquire(self) -> None:
        self._do("acquire")

    def step(self, now: float) -> float | None:
        self.steps += 1
        answer: float | None = self._do("step")
        return answer

    def release(self) -> None:
        self._do("release")


def fails() -> None:
    raise ValueError


def is_cancelled() -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize("of", ["acquire", "step", "problem"])
@pytest.mark.parametrize("does", [fails, sys.exit, is_cancelled])
def test_a_driver_that_raises_anything_is_told_and_tried_again(of: str, does: Callable[[], Any]) -> None:
    device = Odd(does, of)
    device.start()
    until(lambda: bool(device.told), "the fault")
    (down,) = device.told
    assert isinstance(down, DeviceDown)
    assert down.why == "The driver of odd failed. The hub's log has the details. The hub tries again."
    device.of = "nothing"
    until(lambda: len(device.told) > 1, "it works again")
    assert device.told[1:] == [DeviceUp("odd")]
    device.close()
    assert not device._thread._thread.is_alive()


@pytest.mark.parametrize("returned", [1e300, float(2**62)])
def test_a_time_that_never_comes_ends_no_thread(returned: float) -> None:
    device = Odd(lambda: returned, "step")
    device.start()
    until(lambda: device.steps > 0, "a step")
    device.wake()
    until(lambda: device.steps > 1, "another one")
    device.close()
    assert not device._thread._thread.is_alive()
    assert device.told == []


def test_a_time_that_is_over_does_not_keep_the_processor() -> None:
    device = Odd(lambda: 0.5, "step")  # as of a driver that returns a delay
    began = time.monotonic()
    device.start()
    until(lambda: device.steps > 20, "steps")
    device.close()
    assert device.steps <= (time.monotonic() - began) / LEAST_WAIT + 2


@pytest.mark.parametrize("returned", ["soon", [], float("nan")])
def test_a_time_that_is_none_is_a_fault_of_the_driver(returned: Any) -> None:
    device = Odd(lambda: returned, "step")
    device.start()
    until(lambda: bool(device.told), "the fault")
    assert isinstance(device.told[0], DeviceDown)
    device.close()


def test_a_driver_that_cannot_release_its_device_holds_nobody_up() -> None:
    device = Odd(sys.exit, "release")
    device.start()
    until(lambda: device.steps > 0, "a step")
    device.close()
    assert not device._thread._thread.is_alive()
    assert device.told == []
