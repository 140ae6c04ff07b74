"""A box on pretended pins, with the hands that press and turn it: gpiozero's mock pins under the real driver."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from gpiozero import Factory
from gpiozero.pins.mock import MockFactory, MockPWMPin

from drivers.gpio_box import BOTH_HOLD, BOUNCE, HOLD, KEY_HOLD, BoxPins, GpioBoxes
from hub.ports import BoxBid, BoxLocked, BoxUnlocked, BoxUp, Control, SealedRound
from tests.dial import ANTICLOCKWISE, CLOCKWISE
from tests.drivers.bench import Inbox, StillClock


class Header:
    """One or more boxes on a header whose voltages a test sets."""

    def __init__(self, *boxes: BoxPins, open_pins: Callable[[], Factory] | None = None) -> None:
        self.pins = boxes or (BoxPins(id="box-1"),)
        self.factory = MockFactory(pin_class=MockPWMPin)
        self.clock = StillClock()
        self.inbox = Inbox()
        self.device = GpioBoxes(self.pins, self.inbox, self.clock, open_pins or (lambda: self.factory), Random(1))
        self.clock.wakes.append(self.device.wake)

    def start(self) -> BoxUp:
        self.device.start()
        return self.inbox.next(BoxUp)

    def close(self) -> None:
        self.device.close()
        self.factory.close()

    def level(self, pin: int) -> float:
        """How bright a lamp is."""
        return float(self.factory.pin(pin).state)

    def drive(self, pin: int, closed: bool) -> None:
        """Connect a pin to GND, or catch nothing."""
        wire = self.factory.pin(pin)
        if closed:
            wire.drive_low()
        else:
            wire.drive_high()

    def press(self, control: Control, hold: bool = False, box: int = 0) -> None:
        pin = self.pins[box].inputs()[control]
        self.drive(pin, True)
        self.clock.advance(HOLD.get(control, KEY_HOLD) if hold else 2 * BOUNCE)
        self.drive(pin, False)
        self.clock.advance(2 * BOUNCE)

    def hold_both(self, box: int = 0) -> None:
        pins = self.pins[box].inputs()
        pressed: tuple[Control, ...] = ("bar", "push")
        for control in pressed:
            self.drive(pins[control], True)
            self.clock.advance(2 * BOUNCE)
        self.clock.advance(BOTH_HOLD)
        for control in reversed(pressed):
            self.drive(pins[control], False)
            self.clock.advance(2 * BOUNCE)

    def turn(self, detents: int, box: int = 0) -> None:
        for _ in range(abs(detents)):
            for contacts in CLOCKWISE if detents > 0 else ANTICLOCKWISE:
                for pin, closed in zip(self.pins[box].dial, contacts, strict=True):
                    self.drive(pin, closed)


class WiredTable:
    """One box on the header, and the words a test of boxes needs."""

    BOX = "box-1"

    def __init__(self) -> None:
        self.header = Header()
        self.inbox = self.header.inbox
        self.hub = self.header.device
        self.up = self.header.start()

    def press(self, control: Control, hold: bool = False) -> None:
        self.header.press(control, hold)

    def hold_both(self) -> None:
        self.header.hold_both()

    def turn(self, detents: int) -> None:
        self.header.turn(detents)

    def open(self, round: int = 1, high: int = 5, at: int = 2) -> None:
        self.hub.open(self.BOX, SealedRound(round, high, at))

    def lock(self, *, choice: Control = "k5") -> None:
        self.press(choice)
        self.press("push")
        self.inbox.next(BoxLocked)

    def take_back(self) -> BoxUnlocked:
        self.press("bar")
        return self.inbox.next(BoxUnlocked)

    def bid(self, round: int = 1) -> int:
        self.hub.reveal([self.BOX], round)
        return self.inbox.next(BoxBid).index

    def cancel(self, round: int = 1) -> None:
        self.hub.cancel(self.BOX, round)

    def close(self) -> None:
        self.header.close()
