"""The schematic of a seat box, drawn from the list of its parts and nets.

The drawing is also read: `read` goes along its wires as an eye does and returns which pins they join. Wires that cross
are not joined; a wire that ends on another one is, and has a dot there.
"""

from __future__ import annotations

from itertools import pairwise

from firmware.button_box import pins
from firmware.hardware.circuit import BOARD_PIN, HANDS, J1_COLUMNS, PARTS, SUPPLY, Joints, Nets, Pin
from firmware.hardware.perfboard import J2, J3
from firmware.hardware.svg import A4_LANDSCAPE, LETTER, Area, Sheet

Point = tuple[float, float]
PITCH, TOP = 7.4, 27.0  # mm between two pins of the Pico; the y of its first pin
LEFT, RIGHT = 124.0, 166.0  # the sides of the Pico
GROUND = 20.0  # x of the line to which the other legs of all switches go
SWITCH = (46.0, 66.0)  # x of a switch's two legs
J1_GROUND, J1_SIGNAL = 32.0, 88.0  # x of the two rows of the header
DIAL = 72.0  # right side of the dial
RING, DISPLAY = 250.0, 250.0  # left sides of these two
PLUG = 236.0  # x of the headers J2 and J3

# The names that MicroPython's pins have on the board (Raspberry Pi Pico datasheet, figure "the pinout").
NUMBERED = (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29)  # GP0, GP1, ... GP22
OTHERS = {
    30: "RUN",
    33: "AGND",
    35: "ADC_VREF",
    36: "3V3",
    37: "3V3_EN",
    39: "VSYS",
    40: "VBUS",
    31: "GP26",
    32: "GP27",
    34: "GP28",
}


def name_of(pin: int) -> str:
    """Return what the Pico's datasheet calls a pin."""
    if pin in NUMBERED:
        return f"GP{NUMBERED.index(pin)}"
    return OTHERS.get(pin, "GND")


def height_of(pin: int) -> float:
    """Return the y of a pin of the Pico: 1 to 20 downwards at the left, 21 to 40 upwards at the right."""
    return TOP + PITCH * ((pin if pin <= 20 else 41 - pin) - 1)


class Schematic:
    """The drawing, its wires, and where its pins are."""

    def __init__(self) -> None:
        self.sheet = Sheet(*A4_LANDSCAPE, "Schematic of a seat box")
        self.wires: list[list[Point]] = []
        self.at: dict[Pin, Point] = {}
        self.grounds: list[Point] = []
        self._pico()
        self._hands()
        self._ring()
        self._display()
        self._dots()
        self._words()

    # --- what is drawn with ---

    def wire(self, *points: Point, name: str = "", name_at: float = 0) -> None:
        """Draw a wire; write its net's name above it."""
        self.wires.append([(round(x, 3), round(y, 3)) for x, y in points])
        self.sheet.line(*points)
        if name:
            self.sheet.text(name_at, points[0][1] - 1.1, name, "middle")

    def pin(self, part: str, name: str, point: Point) -> None:
        """Note where a pin of a part is."""
        self.at[Pin(part, name)] = (round(point[0], 3), round(point[1], 3))

    def ground(self, x: float, y: float) -> None:
        """Draw the sign of ground, hanging from a point."""
        self.grounds.append((round(x, 3), round(y, 3)))
        for row, half in enumerate((2.4, 1.5, 0.6)):
            self.sheet.line((x - half, y + 0.9 * row), (x + half, y + 0.9 * row), width=0.5)

    def plug(self, part: str, name: str, point: Point, words: str, side: str = "middle") -> None:
        """Draw a pin of a header: a ring on the wire with the hole it has on the perfboard."""
        self.pin(part, name, point)
        x, y = point
        self.sheet.circle(x, y, 0.9, "#fff")
        self.sheet.text(x, y - 1.6, words, side)

    def label(self, x: float, y: float, part: str, value: str = "", anchor: str = "middle") -> None:
        """Write a part's reference and its value."""
        self.sheet.text(x, y, f"{part}  {value or PARTS[part][1]}", anchor, bold=True)

    # --- the parts ---

    def _pico(self) -> None:
        sheet = self.sheet
        sheet.box(Area(LEFT, TOP - 5, RIGHT, TOP + 19 * PITCH + 5), width=0.6)
        sheet.text((LEFT + RIGHT) / 2, TOP + 12.5 * PITCH + 1.2, "U1", "middle", bold=True)
        sheet.text((LEFT + RIGHT) / 2, TOP + 13.3 * PITCH + 1.2, "Pico", "middle", bold=True)
        sheet.box(Area((LEFT + RIGHT) / 2 - 7, TOP - 8, (LEFT + RIGHT) / 2 + 7, TOP - 5), width=0.6)
        sheet.text((LEFT + RIGHT) / 2, TOP - 9.2, "USB: cable to the hub", "middle")
        for pin in range(1, 41):
            y = height_of(pin)
            left = pin <= 20
            side = -1 if left else 1
            edge = LEFT if left else RIGHT
            sheet.text(edge - side * 1.2, y + 1.3, name_of(pin), "start" if left else "end")
            used = pin in BOARD_PIN.values() or any(pin in places for places in SUPPLY.values())
            if used:
                self.pin("U1", str(pin), (edge, y))
                sheet.text(edge + side * 1.2, y - 0.9, str(pin), "end" if left else "start")

    def _hands(self) -> None:
        """Draw everything at the left: the dial, the bar, the keys, the buzzer, and the line of ground."""
        rows = {pin: name for name, pin in BOARD_PIN.items() if pin <= 20}
        grounds = [pin for pin in SUPPLY["ground"] if pin <= 20]
        for pin, name in rows.items():
            y = height_of(pin)
            if name in HANDS:
                inner = SWITCH[1] if name not in ("dial_a", "dial_b", "push") else DIAL
                self.wire((LEFT, y), (inner, y), name=name, name_at=(J1_SIGNAL + LEFT) / 2 + 2)
                self.plug("J1", f"C{pin}", (J1_SIGNAL, y), f"C{pin}")
        for pin in grounds:
            y = height_of(pin)
            self.wire((LEFT, y), (GROUND, y), name="GND", name_at=(J1_SIGNAL + LEFT) / 2 + 2)
            if pin in J1_COLUMNS:
                self.plug("J1", f"C{pin}", (J1_SIGNAL, y), f"C{pin}")
        for column in J1_COLUMNS:
            y = height_of(column)
            if column not in grounds:
                self.wire((GROUND, y), (J1_GROUND if rows.get(column) == "dial_b" else SWITCH[0], y))
            self.plug("J1", f"B{column}", (J1_GROUND, y), f"B{column}")
        for x in (J1_GROUND, J1_SIGNAL):
            self.sheet.text(x, height_of(J1_COLUMNS[0]) - PITCH - 1.6, "J1", "middle", bold=True)
        for name in HANDS:
            if name not in ("dial_a", "dial_b", "push"):
                part = "S1" if name == "bar" else name.upper()
                self._switch(part, height_of(BOARD_PIN[name]))
        self._dial()
        y = height_of(BOARD_PIN["buzzer"])
        self.wire((LEFT, y), (SWITCH[1], y), name="buzzer", name_at=(J1_SIGNAL + LEFT) / 2 + 2)
        self.wire((SWITCH[0], y), (GROUND, y))
        self.sheet.box(Area(51, y - 2.2, 61, y + 2.2))
        for leg, plate in zip(SWITCH, (49.5, 62.5), strict=True):
            self.sheet.line((plate, y - 2.2), (plate, y + 2.2), width=0.6)
            self.sheet.line((leg, y), (plate, y))
        self.pin("LS1", "1", (SWITCH[1], y))
        self.pin("LS1", "2", (SWITCH[0], y))
        self.label(62, y + 6.8, "LS1", "piezo, without electronics")
        ends = [height_of(pin) for pin in (*J1_COLUMNS, *grounds, BOARD_PIN["buzzer"])]
        self.wire((GROUND, min(ends)), (GROUND, max(ends) + 4))
        self.ground(GROUND, max(ends) + 4)

    def _switch(self, part: str, y: float) -> None:
        left, right = SWITCH
        middle = (left + right) / 2
        self.sheet.line((left, y), (middle - 5, y))
        self.sheet.line((middle + 5, y), (right, y))
        for x in (middle - 4.4, middle + 4.4):
            self.sheet.circle(x, y, 0.6, "#fff")
        self.sheet.line((middle - 4.4, y - 1.7), (middle + 4.4, y - 1.7), width=0.5)
        self.sheet.line((middle, y - 1.7), (middle, y - 3.0), width=0.5)
        self.pin(part, "1", (right, y))
        self.pin(part, "2", (left, y))
        self.sheet.text(left - 1, y - 1.1, part, "end", bold=True)
        self.sheet.text(middle + 7, y - 1.1, PARTS[part][1], "start")

    def _dial(self) -> None:
        first, second, push = (height_of(BOARD_PIN[name]) for name in ("dial_a", "dial_b", "push"))
        self.sheet.box(Area(SWITCH[0], first - 4.4, DIAL, push + 2.8))
        self.sheet.text(DIAL - 1.2, first + 1.3, "A", "end")
        self.sheet.text(DIAL - 1.2, second + 1.3, "B", "end")
        self.sheet.text(DIAL - 1.2, push + 1.3, "1", "end")
        self.sheet.text(SWITCH[0] + 1.2, first + 1.3, "C", "start")
        self.sheet.text(SWITCH[0] + 1.2, push + 1.3, "2", "start")
        self.sheet.text(59, (first + second) / 2 + 1.3, "ENC1", "middle", bold=True)
        self.sheet.text(59, push + 1.3, "push", "middle")
        for name, point in {
            "A": (DIAL, first),
            "B": (DIAL, second),
            "1": (DIAL, push),
            "C": (SWITCH[0], first),
            "2": (SWITCH[0], push),
        }.items():
            self.pin("ENC1", name, point)

    def _ring(self) -> None:
        five, data = height_of(SUPPLY["5 V"][0]), height_of(BOARD_PIN["ring"])
        din = five + 2 * PITCH
        ground = five + 3 * PITCH
        # 5 V, through the diode, to the capacitor and the ring
        self.wire((RIGHT, five), (192, five), name="5V", name_at=180)
        self.sheet.line((192, five), (195, five))
        self.sheet.shape([(195, five - 2), (195, five + 2), (199, five)], "#000")
        self.sheet.line((199, five - 2), (199, five + 2), width=0.6)
        self.sheet.line((199, five), (202, five))
        self.pin("D1", "A", (192, five))
        self.pin("D1", "K", (202, five))
        self.label(197, five + 6.4, "D1")
        self.wire((202, five), (RING, five), name="ring_5V", name_at=224)
        self.plug("J2", "+", (PLUG, five), J2["+"])
        self.pin("LED1", "+", (RING, five))
        capacitor = 213.0
        self.wire((capacitor, five), (capacitor, five + 8))
        self.sheet.line((capacitor, five + 8), (capacitor, five + 10))
        self.sheet.line((capacitor - 2.6, five + 10), (capacitor + 2.6, five + 10), width=0.6)
        self.sheet.box(Area(capacitor - 2.6, five + 11.2, capacitor + 2.6, five + 12.2), "#000")
        self.sheet.text(capacitor - 3.4, five + 10.6, "+", "end")
        self.sheet.line((capacitor, five + 12.2), (capacitor, five + 15.4))
        self.ground(capacitor, five + 15.4)
        self.pin("C1", "+", (capacitor, five + 8))
        self.pin("C1", "-", (capacitor, five + 15.4))
        self.sheet.text(capacitor - 3.4, five + 15.4, "C1", "end", bold=True)
        self.sheet.text(capacitor - 3.4, five + 20.2, "100 µF", "end", bold=True)
        # data, through the resistor
        self.wire((RIGHT, data), (192, data), name="ring", name_at=180)
        self.sheet.line((192, data), (194, data))
        self.sheet.box(Area(194, data - 1.6, 202, data + 1.6))
        self.sheet.line((202, data), (204, data))
        self.pin("R1", "1", (192, data))
        self.pin("R1", "2", (204, data))
        self.label(198, data + 6.6, "R1")
        self.wire((204, data), (225, data), (225, din), (RING, din))
        self.sheet.text(213.6, data - 1.1, "ring_data", "middle")
        self.plug("J2", "DIN", (PLUG, din), J2["DIN"])
        self.pin("LED1", "DIN", (RING, din))
        self.wire((RING, ground), (PLUG - 7, ground))
        self.ground(PLUG - 7, ground)
        self.plug("J2", "GND", (PLUG, ground), J2["GND"])
        self.pin("LED1", "GND", (RING, ground))
        self.sheet.box(Area(RING, five - 5, 287, ground + 5), width=0.6)
        for y, words in ((five, "+"), (din, "DIN"), (ground, "GND")):
            self.sheet.text(RING + 1.2, y + 1.3, words)
        self.sheet.text(274, din - 1.2, "LED1", "middle", bold=True)
        self.sheet.text(274, din + 3.6, "ring of", "middle")
        self.sheet.text(274, din + 8.4, f"{pins.LAMPS} WS2812", "middle")
        self.sheet.text(PLUG, five - 7.2, "J2", "middle", bold=True)

    def _display(self) -> None:
        clock, data = (height_of(BOARD_PIN[name]) for name in ("display_clock", "display_data"))
        ground, supply = min(clock, data) - PITCH, min(clock, data) - 2 * PITCH
        plus = height_of(SUPPLY["3.3 V"][0])
        self.wire((RIGHT, plus), (229, plus), (229, supply), (DISPLAY, supply))
        self.sheet.text(180, plus - 1.1, "3V3", "middle")
        self.wire((RIGHT, clock), (DISPLAY, clock), name="display_clock", name_at=205)
        self.wire((RIGHT, data), (DISPLAY, data), name="display_data", name_at=205)
        self.wire((DISPLAY, ground), (PLUG - 7, ground))
        self.ground(PLUG - 7, ground)
        for name, y in (("VCC", supply), ("GND", ground), ("SCL", clock), ("SDA", data)):
            self.plug("J3", name, (PLUG, y), J3[name])
            self.pin("DS1", name, (DISPLAY, y))
            self.sheet.text(DISPLAY + 1.2, y + 1.3, name)
        self.sheet.box(Area(DISPLAY, supply - 5, 287, max(clock, data) + 5), width=0.6)
        self.sheet.text(274, ground + 2.2, "DS1", "middle", bold=True)
        self.sheet.text(274, ground + 7.0, "SSD1306", "middle")
        self.sheet.text(274, ground + 11.8, "128 x 64", "middle")
        self.sheet.text(PLUG, supply - 7.2, "J3", "middle", bold=True)
        for pin in (pin for pin in SUPPLY["ground"] if pin > 20):
            y = height_of(pin)
            self.wire((RIGHT, y), (173, y), (173, y + 1.2))
            self.ground(173, y + 1.2)

    def _dots(self) -> None:
        """Draw a dot where a wire ends within another one."""
        for wire in self.wires:
            for end in (wire[0], wire[-1]):
                if any(
                    within(end, other) and end not in (other[0], other[-1]) for other in self.wires if other is not wire
                ):
                    self.sheet.circle(*end, 0.7, "#000")

    def _words(self) -> None:
        sheet = self.sheet
        y = TOP + 19 * PITCH + 14.4
        sheet.box(Area(7, 7, 290, 203), width=0.5)
        sheet.text(12, 15, "Seat box: schematic", size=5.5, bold=True)
        lines = (
            "Switches are drawn at rest: all are open. Lines that cross are joined only where there is a dot.",
            "A ring on a wire is a pin of a header, with its hole on the perfboard: J1 rows B and C, J2 row T, J3 row Q.",
            "Turned clockwise, seen from above, ENC1 closes A before B. One that counts the wrong way has A and B exchanged.",
            "Pins of the Pico without a wire stay free. DS1, J3 and LS1 may be left out.",
        )
        for row, line in enumerate(lines):
            sheet.text(12, y + 5.2 * row, line, size=LETTER)


def within(point: Point, wire: list[Point]) -> bool:
    """Return whether a point lies on a wire of level and upright pieces."""
    return any(
        min(x1, x2) <= point[0] <= max(x1, x2) and min(y1, y2) <= point[1] <= max(y1, y2)
        for (x1, y1), (x2, y2) in pairwise(wire)
    )


def read(drawn: Schematic) -> set[frozenset[Pin]]:
    """Return which pins the wires of a drawing join."""
    joints: Joints[Point] = Joints()
    everywhere = joints.root((-1.0, -1.0))  # ground is one, wherever its sign hangs
    for point in drawn.grounds:
        joints.join([everywhere, point])
    points = {*drawn.at.values(), *drawn.grounds, *(end for wire in drawn.wires for end in (wire[0], wire[-1]))}
    for wire in drawn.wires:
        joints.join(point for point in [wire[0], *(point for point in points if within(point, wire))])
    together: dict[Point, set[Pin]] = {}
    for pin, point in drawn.at.items():
        together.setdefault(joints.root(point), set()).add(pin)
    return {frozenset(group) for group in together.values()}


def differences(found: set[frozenset[Pin]], wanted: Nets) -> list[str]:
    """Return how nets that were read from a drawing differ from the list, as sentences."""
    names = {joined: name for name, joined in wanted.items()}
    said = [f"{names[joined]} is not in the drawing" for joined in names.keys() - found]
    said += [
        f"the drawing joins {', '.join(sorted('.'.join(pin) for pin in joined))}" for joined in found - names.keys()
    ]
    return sorted(said)
