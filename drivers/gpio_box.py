"""Seat boxes without a microcontroller: buttons, dial and lamps wired straight to the Pi's header.

The table receives the same signals as from a box on a cable. A sealed value stays here until the reveal; during a sealed round
nothing about dial, push or keys is reported or logged. No commitment is needed, because there is no cable on which a value
could be changed.

Every switch lies between its pin and GND, the pin pulled up inside the Pi. Lamps are plain LEDs with a resistor.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from random import Random
from typing import Annotated, Literal, TypeVar

import msgspec
from gpiozero import PWMLED, Device, DigitalInputDevice, DigitalOutputDevice, Factory, RotaryEncoder

from drivers.common import gpio_header
from drivers.common import settings as block
from drivers.common.gpio_header import GPIO, PinFactory, Wire
from drivers.common.requirements import Need
from drivers.common.ring_animation import RingAnimation
from drivers.common.worker import Inbox, ThreadedDevice
from hub.display.rings import LAMPS, Colour
from hub.engine.text import say
from hub.errors import Cause, ConfigError, DeviceLost
from hub.ports import (
    CONTROLS,
    BoxBid,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    Clock,
    Control,
    DriverContext,
    Key,
    LampPicture,
    MonotonicClock,
    SealedRound,
    Turn,
)

log = logging.getLogger(__name__)

Opened = TypeVar("Opened", bound=Device)

BOUNCE = 0.02  # seconds; switches are quiet within 5 to 10 ms (Ganssle, "A Guide to Debouncing", 2004)
STEADY = 0.003  # seconds for which a level must last; interference in a meter of wire is far shorter
HOLD: Mapping[Control, float] = {"bar": 3.0}
KEY_HOLD = 2.0
BOTH_HOLD = 1.0  # seconds that bar and push are held together, the bar first
CHOOSERS = 6  # K1 to K6
LAMP_HERTZ = 100  # of the software PWM that dims a lamp

# Seconds from the start of a sound at which the buzzer is switched on, off, on, and so on.
_SOUNDS: Mapping[str, tuple[float, ...]] = {
    "lock": (0.0, 0.03),
    "error": (0.0, 0.08, 0.16, 0.24),
    "reveal": (0.0, 0.2),
}


class BoxPins(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One box of the block: GPIO numbers. The defaults leave SPI, I2C and the usual panels' pins free."""

    id: Annotated[str, msgspec.Meta(description="the box's name in screens and notices, different for each box")] = (
        "pins-1"
    )
    dial: Annotated[
        tuple[int, int],
        msgspec.Meta(description="contacts A and B; exchange them if it turns the wrong way", extra=GPIO),
    ] = (5, 6)
    push: Annotated[int, msgspec.Meta(description="the dial's push", extra=GPIO)] = 13
    bar: Annotated[int, msgspec.Meta(description="the PASS bar", extra=GPIO)] = 26
    keys: Annotated[
        list[int], msgspec.Meta(max_length=CHOOSERS, description="the keys, from the first", extra=GPIO)
    ] = msgspec.field(default_factory=lambda: [4, 12, 16, 22, 23, 27])
    lamps: Annotated[
        list[int], msgspec.Meta(max_length=LAMPS, description="lamps, clockwise from the player's side", extra=GPIO)
    ] = msgspec.field(default_factory=lambda: [21])
    buzzer: Annotated[int | None, msgspec.Meta(description="a buzzer; left out: none", extra=GPIO)] = None

    def inputs(self) -> dict[Control, int]:
        """Return each control's GPIO."""
        keys: Sequence[Control] = CONTROLS[2:]
        return {"push": self.push, "bar": self.bar, **dict(zip(keys, self.keys, strict=False))}

    def wiring(self) -> list[Wire]:
        """Return its wires."""
        wires = [Wire(self.dial[0], f"{self.id} dial A"), Wire(self.dial[1], f"{self.id} dial B")]
        wires += [Wire(pin, f"{self.id} {control}") for control, pin in self.inputs().items()]
        wires += [Wire(pin, f"{self.id} lamp {number}") for number, pin in enumerate(self.lamps, 1)]
        if self.buzzer is not None:
            wires.append(Wire(self.buzzer, f"{self.id} buzzer"))
        return [*wires, Wire("GND", f"{self.id} common of all", shared=True)]


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "gpio_box"`, with a `[[device.boxes]]` block for each box."""

    pins: Annotated[PinFactory, msgspec.Meta(description="how pins are opened; mock hears nothing, for tests")] = (
        "lgpio"
    )
    boxes: Annotated[
        list[BoxPins], msgspec.Meta(min_length=1, description="a [[device.boxes]] block for each box on the header")
    ] = msgspec.field(default_factory=lambda: [BoxPins()])


# --- one switch, one box: no pins, threads or clocks ----------------------------------------


class Contact:
    """One switch. A change counts if its level lasts for STEADY seconds, at the earliest BOUNCE seconds after the last change."""

    def __init__(self) -> None:
        self.closed = False
        self.since = 0.0  # when the last counted change began
        self.level = False  # last reading, perhaps a spike
        self._level_since = 0.0
        self._quiet_at: float | None = None  # when the last change stops bouncing

    def on_edge(self, closed: bool, now: float) -> None:
        """Handle a level at `now`. Call `settle` for the time before first."""
        if closed != self.level:
            self.level, self._level_since = closed, now

    def deadline(self) -> float | None:
        """Return when to call `settle`; None: the switch is at rest."""
        if self.level == self.closed:
            return self._quiet_at
        return max(self._level_since + STEADY, self._quiet_at or 0.0)

    def settle(self, now: float) -> bool:
        """Return whether a change counts by now."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return False
        changed = self.level != self.closed
        if changed:
            self.closed, self.since = self.level, self._level_since
        self._quiet_at = self.since + BOUNCE if changed and now < self.since + BOUNCE else None
        return changed


class BoxState:
    """One box as the table knows it: turns controls into signals."""

    def __init__(self, name: str, inbox: Inbox) -> None:
        self.id = name
        self._put = inbox
        self._sealed: SealedRound | None = None
        self._value = 0
        self._locked = False
        self._turned = 0
        self._down: tuple[Control, float] | None = None  # a pressed control, and when it counts as held
        self._both: float | None = None  # when the pressed bar and push count as held together

    def press(self, control: Control, now: float) -> None:
        """Handle a press. A control that can be held is reported when it is released, or at the next action."""
        self.run_due(now)
        if control == "push" and self._down is not None and self._down[0] == "bar":
            self._both = now + BOTH_HOLD
            return
        self._settle()
        if control == "push":
            self._on_short_press(control)
        else:
            self._down = (control, now + HOLD.get(control, KEY_HOLD))

    def _settle(self) -> None:
        """Report the present presses as short ones."""
        down, both = self._down, self._both
        self._down = self._both = None
        if down is not None:
            self._on_short_press(down[0])
        if both is not None:
            self._on_short_press("push")

    def _on_short_press(self, control: Control) -> None:
        sealed = self._sealed
        if sealed is None:
            self._put(Key(self.id, control, "down"))
        elif control == "push":
            if not self._locked:
                self._locked = True
                self._put(BoxLocked(self.id, sealed.round))
        elif control == "bar":
            self._on_bar(sealed)
        elif not self._locked and sealed.high < CHOOSERS:
            self._value = min(int(control[1]) - 1, sealed.high)

    def release(self, control: Control, now: float) -> None:
        """Handle a release."""
        self.run_due(now)
        if self._down is not None and (self._down[0] == control or (self._both is not None and control == "push")):
            self._settle()

    def turn(self, detents: int) -> None:
        """Handle a turn of the dial; right is positive."""
        self._settle()
        if self._sealed is None:
            self._turned += detents
        elif not self._locked:
            self._value = max(0, min(self._sealed.high, self._value + detents))

    def run_due(self, now: float) -> None:
        """Report turns, and a control that is held long enough."""
        self.report_turns()
        if self._both is not None:
            if now >= self._both:
                self._down = self._both = None
                self._put(Key(self.id, "push", "hold"))
        elif self._down is not None and now >= self._down[1]:
            control, self._down = self._down[0], None
            if self._sealed is None or control == "bar":
                self._put(Key(self.id, control, "hold"))

    def deadline(self) -> float | None:
        """Return when a press counts as held; None: nothing is pressed."""
        if self._both is not None:
            return self._both
        return self._down[1] if self._down is not None else None

    def report_turns(self) -> None:
        """Report the detents since the last report as one signal."""
        if self._turned:
            self._put(Turn(self.id, self._turned))
            self._turned = 0

    def _on_bar(self, sealed: SealedRound) -> None:
        if self._locked:
            self._locked = False
            self._put(BoxUnlocked(self.id, sealed.round))
        else:
            self._put(Key(self.id, "bar", "down"))

    # --- requests of the table ---

    def open(self, sealed: SealedRound) -> None:
        """Start a sealed choice. If this round is open already, nothing changes."""
        if self._sealed is None or self._sealed.round != sealed.round:
            self.report_turns()
            self._sealed, self._locked = sealed, False
            self._value = max(0, min(sealed.high, sealed.at))

    def reveal(self, round: int) -> None:
        """Report the value of this round if it is locked."""
        if self._locked and self._sealed is not None and self._sealed.round == round:
            value = self._value
            self._close()
            self._put(BoxBid(self.id, round, value))

    def cancel(self, round: int) -> None:
        """End the sealed choice; keys are reported again."""
        if self._sealed is not None and self._sealed.round == round:
            self._close()

    def on_pins_back(self) -> None:
        """Report the lock again, because the pins were opened again."""
        self._down = self._both = None
        if self._sealed is not None and self._locked:
            self._put(BoxLocked(self.id, self._sealed.round))

    def _close(self) -> None:
        self._sealed, self._locked, self._value = None, False, 0


# --- on the header ---------------------------------------------------------------------------------------


class _WiredBox:
    """A box on its pins."""

    def __init__(self, pins: BoxPins, inbox: Inbox) -> None:
        self.pins = pins
        self.box = BoxState(pins.id, inbox)
        self.light = RingAnimation()
        self.contacts: dict[Control, Contact] = {control: Contact() for control in pins.inputs()}
        self._switches: dict[Control, DigitalInputDevice] = {}
        self._opened: list[Device] = []
        self._report_edge: Callable[[_WiredBox, Control, bool], None] = lambda *_: None
        self._lamps: list[PWMLED] = []
        self._levels: list[float] = []
        self._buzzer: DigitalOutputDevice | None = None
        self._toggles: list[float] = []

    def acquire(self, factory: Factory, edge: Callable[[_WiredBox, Control, bool], None], turn: _OnTurn) -> None:
        """Claim the pins. `edge` and `turn` are called on gpiozero's thread and queue `on_edge` and `on_turn`."""
        self._report_edge = edge
        for control, pin in self.pins.inputs().items():
            switch = self._register(DigitalInputDevice(pin, pull_up=True, pin_factory=factory))
            switch.when_activated = partial(edge, self, control, True)
            switch.when_deactivated = partial(edge, self, control, False)
            self._switches[control] = switch
            self.contacts[control] = Contact()
        dial = self._register(RotaryEncoder(*self.pins.dial, max_steps=0, pin_factory=factory))
        dial.when_rotated_clockwise = partial(turn, self, 1)
        dial.when_rotated_counter_clockwise = partial(turn, self, -1)
        self._lamps = [
            self._register(PWMLED(pin, frequency=LAMP_HERTZ, pin_factory=factory)) for pin in self.pins.lamps
        ]
        self._levels = [0.0] * len(self._lamps)
        if self.pins.buzzer is not None:
            self._buzzer = self._register(DigitalOutputDevice(self.pins.buzzer, pin_factory=factory))

    def _register(self, opened: Opened) -> Opened:
        self._opened.append(opened)
        return opened

    def release(self) -> None:
        """Free the pins."""
        opened, self._opened = self._opened, []
        self._switches, self._lamps, self._buzzer = {}, [], None
        for one in reversed(opened):
            one.close()

    def on_edge(self, control: Control, closed: bool, at: float) -> None:
        """Handle a change or a bounce of a switch."""
        self._settle(at)
        self.contacts[control].on_edge(closed, at)

    def on_turn(self, detents: int, at: float) -> None:
        """Handle a turn of the dial."""
        self._settle(at)
        self.box.turn(detents)

    def _settle(self, now: float, unsure: Collection[Control] = ()) -> None:
        """Handle all changes that count by `now`, in the order in which they began, except those of `unsure` controls."""
        changed = [
            (contact.since, control)
            for control, contact in self.contacts.items()
            if control not in unsure and contact.settle(now)
        ]
        for since, control in sorted(changed):
            if self.contacts[control].closed:
                self.box.press(control, since)
            else:
                self.box.release(control, since)

    def sound(self, kind: str, now: float) -> None:
        """Start a sound."""
        self._toggles = [now + after for after in _SOUNDS[kind]]

    def step(self, now: float) -> float | None:
        """Do everything that is due; return when to call this again."""
        deadlines: list[float | None] = []
        unsure = set()
        for control, contact in self.contacts.items():
            level = bool(self._switches[control].is_active)
            # A queued edge has an exact time and comes first. A missed edge is queued now.
            if contact.deadline() is not None and level != contact.level:
                unsure.add(control)
                self._report_edge(self, control, level)
        self._settle(now, unsure)
        deadlines += [contact.deadline() for contact in self.contacts.values()]
        self.box.run_due(now)
        if self._lamps:
            self._show(levels(self.light.lamps(now), len(self._lamps)))
            deadlines.append(self.light.next_change_at(now))
        deadlines += [self.box.deadline(), self._make_sound(now)]
        return min((at for at in deadlines if at is not None), default=None)

    def _show(self, new: Sequence[float]) -> None:
        for number, (lamp, level) in enumerate(zip(self._lamps, new, strict=True)):
            if level != self._levels[number]:
                self._levels[number] = lamp.value = level

    def _make_sound(self, now: float) -> float | None:
        """Switch the buzzer; return when it changes next."""
        if self._buzzer is None or not self._toggles:
            return None
        while self._toggles and now >= self._toggles[0]:
            del self._toggles[0]
        self._buzzer.value = len(self._toggles) % 2 == 1
        return self._toggles[0] if self._toggles else None


_OnTurn = Callable[[_WiredBox, int], None]


def levels(ring: Sequence[Colour], count: int) -> list[float]:
    """Return a ring of 16 as the levels, 0 to 1, of `count` plain lamps round the seat, the first at the player's side.

    Each lamp has the level of the brightest place nearest to it. A place between two lamps belongs to the one nearer to the
    player. A single lamp shows the half that faces the player.
    """

    def distance(one: float, other: float) -> float:
        return abs((one - other + LAMPS / 2) % LAMPS - LAMPS / 2)

    places = [number * LAMPS / count for number in range(count)]
    lamps = [0.0] * count
    for place, colour in enumerate(ring):
        if count > 1 or distance(place, 0) <= LAMPS / 4:
            nearest = min(
                range(count), key=lambda number: (distance(place, places[number]), distance(0, places[number]))
            )
            lamps[nearest] = max(lamps[nearest], max(colour) / 255)
    return lamps


class GpioBoxes(ThreadedDevice):
    """The `Boxes` port on the header, and the device of a `[[device]]` block. No method blocks."""

    lamps = page = dice = None

    def __init__(
        self,
        boxes: Sequence[BoxPins],
        inbox: Inbox,
        clock: Clock,
        open_pins: Callable[[], Factory],
        random: Random,
    ) -> None:
        super().__init__(f"gpio_box {', '.join(pins.id for pins in boxes)}", inbox, clock)
        self._clock = clock
        self._put = inbox
        self._open_pins = open_pins
        self._factory: Factory | None = None
        self._wired = {pins.id: _WiredBox(pins, inbox) for pins in boxes}
        self._boot = random.randbytes(4).hex()
        self._up = False

    @property
    def boxes(self) -> GpioBoxes:
        """The device implements its port itself."""
        return self

    # --- the thread's work ---

    def acquire(self) -> None:
        """Claim every pin, or none."""
        self._factory = self._open_pins()
        for wired in self._wired.values():
            try:
                wired.acquire(self._factory, self._edge, self._turn)
            except gpio_header.pin_errors() as error:
                raise DeviceLost(
                    say(
                        "The pins of box {box} cannot be used ({error}). Does another program or an overlay in config.txt use them?",
                        box=wired.pins.id,
                        error=str(error),
                    ),
                    Cause.of(error),
                ) from error
        self._up = True
        for wired in self._wired.values():
            controls = len(wired.pins.inputs())
            self._put(BoxUp(wired.pins.id, self._boot, "header", controls))
            wired.box.on_pins_back()

    def step(self, now: float) -> float | None:
        """Do what is due: holds, the end of bouncing, moving lamps. Return when to call this again."""
        try:
            deadlines = [wired.step(now) for wired in self._wired.values()]
        except gpio_header.pin_errors() as error:
            sentence = say("The header's pins fail ({error}). The hub opens them again.", error=str(error))
            raise DeviceLost(sentence, Cause.of(error)) from error
        return min((at for at in deadlines if at is not None), default=None)

    def release(self) -> None:
        """Free all pins; the boxes are down until the pins are claimed again."""
        up, self._up = self._up, False
        for name in self._wired if up else ():
            self._put(BoxDown(name, say("The pins of box {box} are closed.", box=name)))
        factory, self._factory = self._factory, None
        if factory is None:
            return
        try:
            for wired in self._wired.values():
                wired.release()
        finally:
            factory.close()

    def _edge(self, wired: _WiredBox, control: Control, closed: bool) -> None:
        self._thread.call_soon(partial(wired.on_edge, control, closed, self._clock.now()))

    def _turn(self, wired: _WiredBox, detents: int) -> None:
        self._thread.call_soon(partial(wired.on_turn, detents, self._clock.now()))

    # --- the port ---

    def _call_box(self, name: str, call: Callable[[_WiredBox], None]) -> None:
        if name in self._wired:
            self._thread.call_soon(partial(call, self._wired[name]))

    def open(self, box: str, sealed: SealedRound) -> None:
        """Start a sealed choice in place of any other. If this round is open already, nothing changes."""
        self._call_box(box, lambda wired: wired.box.open(sealed))

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        """Ask these boxes for their values. If an owner has just unlocked, BoxUnlocked is in the inbox instead."""
        for box in boxes:
            self._call_box(box, lambda wired: wired.box.reveal(round))

    def cancel(self, box: str, round: int) -> None:
        """End the sealed choice, because it is over or void."""
        self._call_box(box, lambda wired: wired.box.cancel(round))

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on the box's lamps, which have one color."""
        plain = LampPicture(picture.pattern, picture.n)
        self._call_box(box, lambda wired: wired.light.show(plain))

    def say(self, box: str, text: str) -> None:
        """Do nothing: a box on the header has no display."""

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a short sound, if the box has a buzzer."""
        self._call_box(box, lambda wired: wired.sound(kind, self._clock.now()))


def wiring(settings: Mapping[str, object]) -> list[Wire]:
    """Return the wires of a `[[device]]` block."""
    return [wire for box in block.read(Settings, settings, "gpio_box").boxes for wire in box.wiring()]


def needs(settings: Mapping[str, object]) -> list[Need]:
    """Return the requirements of a `[[device]]` block."""
    return gpio_header.needs_of_pins(block.read(Settings, settings, "gpio_box").pins)


def connect(settings: Mapping[str, object], context: DriverContext) -> GpioBoxes:
    """Return the device of a `[[device]]` block. Raise ConfigError for two wires on one pin."""
    asked = block.read(Settings, settings, "gpio_box")
    names = [box.id for box in asked.boxes]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"gpio_box: two boxes have the id {name!r}: give each its own.")
    gpio_header.check_pins("gpio_box", wiring(settings))
    open_pins = partial(gpio_header.open_pins, asked.pins)
    return GpioBoxes(asked.boxes, context.inbox, MonotonicClock(), open_pins, context.random)
