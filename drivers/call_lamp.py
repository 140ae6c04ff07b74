"""A lamp or a bell on a relay that calls staff: on while somebody at the table calls for help, or for a moment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import msgspec
from gpiozero import DigitalOutputDevice, Factory

from drivers.common import gpio_header
from drivers.common import settings as block
from drivers.common.gpio_header import GPIO, PinFactory, Wire
from drivers.common.requirements import Need
from drivers.common.worker import Inbox, ThreadedDevice
from hub.engine.text import say
from hub.errors import Cause, DeviceLost
from hub.ports import Clock, DriverContext, MonotonicClock
from hub.state import ScreenState

CALL = "help"
"""The kind of notice for a call; the caller follows after a colon."""


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "call_lamp"`."""

    pin: Annotated[int, msgspec.Meta(description="the relay's input", extra=GPIO)] = 15
    active_high: Annotated[bool, msgspec.Meta(description="the relay is on while its input is at 3.3 V")] = True
    seconds: Annotated[
        float,
        msgspec.Meta(
            ge=0, le=60, description="for a bell: seconds on at each new call; 0: on until the call is dismissed"
        ),
    ] = 0
    pins: Annotated[PinFactory, msgspec.Meta(description="how pins are opened; mock switches nothing, for tests")] = (
        "lgpio"
    )


class CallLamp(ThreadedDevice):
    """Switches a relay according to the notices of the table."""

    lamps = boxes = dice = None

    def __init__(self, asked: Settings, inbox: Inbox, clock: Clock) -> None:
        super().__init__("call_lamp", inbox, clock)
        self._asked, self._clock = asked, clock
        self._factory: Factory | None = None
        self._relay: DigitalOutputDevice | None = None
        self._calls: frozenset[str] = frozenset()
        self._until = 0.0  # when the bell stops

    @property
    def page(self) -> CallLamp:
        """Return the device: it receives the public state like a panel."""
        return self

    def show(self, public: ScreenState, settled: bool) -> None:  # noqa: ARG002 (the port's)
        """Update the present calls."""
        calls = frozenset(one.key for one in public.notices if one.key.partition(":")[0] == CALL)
        self._thread.call_soon(partial(self._update, calls))

    def _update(self, calls: frozenset[str]) -> None:
        if calls - self._calls:
            self._until = self._clock.now() + self._asked.seconds
        self._calls = calls

    # --- the thread's work ---------------------------------------------------------------------------

    def acquire(self) -> None:
        """Claim the pin, off."""
        self._factory = gpio_header.open_pins(self._asked.pins)
        try:
            self._relay = DigitalOutputDevice(
                self._asked.pin, active_high=self._asked.active_high, pin_factory=self._factory
            )
        except gpio_header.pin_errors() as error:
            sentence = say("The pin of the call lamp cannot be used ({error}).", error=str(error))
            raise DeviceLost(sentence, Cause.of(error)) from error

    def step(self, now: float) -> float | None:
        """Switch the relay; return when that has to change."""
        assert self._relay is not None
        rings = bool(self._calls) and now < self._until
        self._relay.value = rings if self._asked.seconds else bool(self._calls)
        return self._until if rings else None

    def release(self) -> None:
        """Switch off and free the pin."""
        for opened in (self._relay, self._factory):
            if opened is not None:
                opened.close()
        self._relay = self._factory = None


def wiring(settings: Mapping[str, object]) -> list[Wire]:
    """Return the wires of a `[[device]]` block."""
    asked = block.read(Settings, settings, "call_lamp")
    return [Wire(asked.pin, "relay IN"), Wire("5V", "relay VCC", shared=True), Wire("GND", "relay GND", shared=True)]


def needs(settings: Mapping[str, object]) -> list[Need]:
    """Return the requirements of a `[[device]]` block."""
    return gpio_header.needs_of_pins(block.read(Settings, settings, "call_lamp").pins)


def connect(settings: Mapping[str, object], context: DriverContext) -> CallLamp:
    """Return the device of a `[[device]]` block. Raise ConfigError."""
    gpio_header.check_pins("call_lamp", wiring(settings))
    return CallLamp(block.read(Settings, settings, "call_lamp"), context.inbox, MonotonicClock())
