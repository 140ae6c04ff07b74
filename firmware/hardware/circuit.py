"""The circuit of a seat box as data: its parts, and which of their pins are joined.

The Pico's pins come from the firmware's own table (`firmware/button_box/pins.py`) and from nowhere else; the schematic
and the perfboard are drawn from this list, and what is read back from either drawing must be this list again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from firmware.button_box import pins


class Pin(NamedTuple):
    """A pin of a part: the part's reference in the drawings, and the pin's name."""

    part: str
    name: str


Nets = dict[str, frozenset[Pin]]

# reference in the drawings -> key in parts.toml, value or name to be printed beside it
PARTS = {
    "U1": ("pico", "Raspberry Pi Pico"),
    "ENC1": ("dial", "dial"),
    "S1": ("bar", "PASS bar"),
    **{f"K{key}": ("key", f"key {key}") for key in range(1, 7)},
    "LED1": ("ring", f"ring of {pins.LAMPS} WS2812"),
    "D1": ("diode", "1N4001"),
    "R1": ("resistor", "330 Ω"),
    "C1": ("capacitor", "100 µF"),
    "DS1": ("display", "SSD1306"),
    "LS1": ("buzzer", "piezo"),
    "J1": ("header", "hands"),
    "J2": ("header", "ring"),
    "J3": ("header", "display"),
}

# What the wire of the firmware's table leads to. The switch of the dial has the pins 1 and 2, as all switches.
SIGNALS: dict[str, Pin] = {
    "dial_a": Pin("ENC1", "A"),
    "dial_b": Pin("ENC1", "B"),
    "push": Pin("ENC1", "1"),
    "bar": Pin("S1", "1"),
    **{f"k{key}": Pin(f"K{key}", "1") for key in range(1, 7)},
    "buzzer": Pin("LS1", "1"),
    "display_data": Pin("DS1", "SDA"),
    "display_clock": Pin("DS1", "SCL"),
    "ring": Pin("R1", "1"),
}
COMMON = {"dial_a": Pin("ENC1", "C"), "push": Pin("ENC1", "2")} | {
    name: Pin(SIGNALS[name].part, "2") for name in ("bar", "k1", "k2", "k3", "k4", "k5", "k6", "buzzer")
}
BOARD_PIN = {name: pin for name, _gpio, pin, _to in pins.WIRES}
SUPPLY = {name: places for name, places, _to in pins.SUPPLIES}

# The perfboard's column of a pin on the Pico's left side is the pin's number, and so is its place in the header J1:
# row C has the signals, row B ground. J1 spans the pins of everything that hands touch.
HANDS = [name for name in SIGNALS if name not in ("buzzer", "display_data", "display_clock", "ring")]
J1_COLUMNS = range(min(BOARD_PIN[name] for name in HANDS), max(BOARD_PIN[name] for name in HANDS) + 1)


class PlacedWrong(Exception):
    """The table of pins asks for what the perfboard cannot do; `str()` says what."""


def check_sides() -> None:
    """Raise PlacedWrong where a pin lies on the side of the Pico on which its part is not."""
    for name in (*HANDS, "buzzer"):
        if BOARD_PIN[name] > 20:
            raise PlacedWrong(f"{name} is on pin {BOARD_PIN[name]}: hands and buzzer belong on pins 1 to 20.")
    for name in ("display_data", "display_clock", "ring"):
        if BOARD_PIN[name] <= 20:
            raise PlacedWrong(f"{name} is on pin {BOARD_PIN[name]}: ring and display belong on pins 21 to 40.")


def nets() -> Nets:
    """Return every net of a box by name."""
    check_sides()
    found: dict[str, set[Pin]] = {"GND": {Pin("U1", str(pin)) for pin in SUPPLY["ground"]}}
    for name, end in SIGNALS.items():
        found[name] = {Pin("U1", str(BOARD_PIN[name])), end}
    for name in HANDS:
        found[name].add(Pin("J1", f"C{BOARD_PIN[name]}"))
    found["display_data"].add(Pin("J3", "SDA"))
    found["display_clock"].add(Pin("J3", "SCL"))
    found["ring_data"] = {Pin("R1", "2"), Pin("J2", "DIN"), Pin("LED1", "DIN")}
    found["5V"] = {Pin("U1", str(SUPPLY["5 V"][0])), Pin("D1", "A")}
    found["ring_5V"] = {Pin("D1", "K"), Pin("C1", "+"), Pin("J2", "+"), Pin("LED1", "+")}
    found["3V3"] = {Pin("U1", str(SUPPLY["3.3 V"][0])), Pin("J3", "VCC"), Pin("DS1", "VCC")}
    found["GND"] |= set(COMMON.values())
    found["GND"] |= {Pin("J1", f"B{column}") for column in J1_COLUMNS}
    found["GND"] |= {Pin("J1", f"C{column}") for column in J1_COLUMNS if column in SUPPLY["ground"]}
    found["GND"] |= {Pin(part, "GND") for part in ("LED1", "DS1", "J2", "J3")} | {Pin("C1", "-")}
    return {name: frozenset(joined) for name, joined in found.items()}


Point = TypeVar("Point", bound=Hashable)


class Joints(Generic[Point]):
    """Points that are joined, and joined again: what hangs together in the end."""

    def __init__(self) -> None:
        self._to: dict[Point, Point] = {}

    def root(self, point: Point) -> Point:
        """Return the point that stands for all that hang together with this one."""
        while (further := self._to.setdefault(point, point)) != point:
            point = further
        return point

    def join(self, points: Iterable[Point]) -> None:
        """Join points."""
        first, *rest = points
        for point in rest:
            self._to[self.root(point)] = self.root(first)
