"""The lamp or bell of a table's calls, on gpiozero's mock pins: what its pin does when somebody calls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from drivers.call_lamp import CallLamp, Settings, connect
from hub.errors import ConfigError
from hub.state import Notice, ScreenState
from tests.drivers.contexts import context
from tests.phone_ui.rig import until
from tests.table.fakes import HeldClock

pytestmark = pytest.mark.real_time


class Rig:
    """A lamp and the pin that it switches."""

    def __init__(self, **settings: object) -> None:
        self.clock, self.said = HeldClock(), list[object]()
        self.lamp = CallLamp(Settings(pins="mock", **settings), self.said.append, self.clock)  # type: ignore[arg-type]
        self.lamp.start()
        until(lambda: self.lamp._relay is not None, "the pin")

    def show(self, *keys: str) -> None:
        notices = [Notice(key, "warning", "So it is.") for key in keys]
        self.lamp.show(ScreenState("1", "", "", "", 0, 0, "lobby", [], notices=notices), False)
        until(lambda: not self.lamp._thread._calls and not self.lamp._thread._woken, "the lamp's thread")

    @property
    def high(self) -> bool:
        """The level of the pin itself."""
        relay = self.lamp._relay
        assert relay is not None
        return bool(relay.pin.state)

    def becomes(self, high: bool) -> None:
        until(lambda: self.high == high, f"the pin is {'high' if high else 'low'}")

    def wait(self, seconds: float) -> None:
        self.clock.time += seconds
        self.lamp.wake()


@pytest.fixture
def made() -> Iterator[list[Rig]]:
    rigs: list[Rig] = []
    yield rigs
    for rig in rigs:
        rig.lamp.close()


def test_the_lamp_is_on_from_a_call_until_staff_have_come(made: list[Rig]) -> None:
    made.append(rig := Rig())
    rig.show("device:panel", "disk")
    rig.becomes(False)
    rig.show("device:panel", "help:2")
    rig.becomes(True)
    rig.wait(3600)
    rig.becomes(True)
    rig.show("device:panel")
    rig.becomes(False)


def test_a_relay_that_is_on_at_low_is_switched_the_other_way_round(made: list[Rig]) -> None:
    made.append(rig := Rig(active_high=False))
    rig.becomes(True)
    rig.show("help:1")
    rig.becomes(False)


def test_a_bell_rings_a_moment_at_each_new_call_and_not_at_the_same_again(made: list[Rig]) -> None:
    made.append(rig := Rig(seconds=2))
    rig.show("help:1")
    rig.becomes(True)
    rig.wait(2)
    rig.becomes(False)
    rig.show("help:1", "dial")
    rig.becomes(False)
    rig.show("help:1", "help:2")
    rig.becomes(True)
    rig.show()
    rig.becomes(False)


def test_a_pin_that_the_header_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="GPIO99"):
        connect({"pin": 99}, context())
