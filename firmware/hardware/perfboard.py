"""The perfboard of a seat box: which leg goes into which hole, and which holes are joined on the copper side.

A hole is named by its row (a letter, A at the edge of the header J1) and its column (a number, 1 at the Pico's USB
end), seen from the components' side: `C9`. The column of a pin of the Pico's left row is the pin's number. `read`
returns what the holes join, and refuses a hole that two nets share.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from firmware.hardware.circuit import BOARD_PIN, COMMON, HANDS, J1_COLUMNS, PARTS, SIGNALS, SUPPLY, Joints, Pin
from firmware.hardware.svg import A4_LANDSCAPE, Area, Sheet, number

ROWS = "ABCDEFGHJKLMNPQRST"  # 18: without I and O, which look like 1 and 0
COLUMNS = 24
GRID = 2.54  # mm
BOARD = (70.0, 50.0)  # mm: the common board of 5 by 7 cm
HEIGHT = (
    30.0  # mm from the floor to the top of the plugs on J1: spacer 5, board 2, header and plug 18, bend of the wire 5
)
LEFT_ROW, RIGHT_ROW = "F", "N"  # the Pico's two rows of pins: seven rows or 17.78 mm apart (Pico datasheet)
PICO = (51.0, 21.0)  # mm
J2 = {"+": "T8", "DIN": "T9", "GND": "T10"}
J3 = {"VCC": "Q17", "GND": "Q18", "SCL": "Q19", "SDA": "Q20"}


class Hole(NamedTuple):
    """A hole: its row and column, counted from 0 in the corner A1."""

    row: int
    column: int

    @property
    def name(self) -> str:
        """Return the hole's name: row, then column."""
        return f"{ROWS[self.row]}{self.column + 1}"


def hole(name: str) -> Hole:
    """Return the hole of that name."""
    return Hole(ROWS.index(name[0]), int(name[1:]) - 1)


def legs() -> dict[Pin, str]:
    """Return the hole of each leg that is soldered into the board."""
    placed = {Pin("U1", str(pin)): f"{LEFT_ROW}{pin}" for pin in range(1, 21)}
    placed |= {Pin("U1", str(pin)): f"{RIGHT_ROW}{41 - pin}" for pin in range(21, 41)}
    placed |= {Pin("J1", f"{row}{column}"): f"{row}{column}" for row in "BC" for column in J1_COLUMNS}
    placed |= {Pin("J2", name): at for name, at in J2.items()}
    placed |= {Pin("J3", name): at for name, at in J3.items()}
    placed |= {Pin("D1", "A"): "Q1", Pin("D1", "K"): "Q5"}
    placed |= {Pin("R1", "1"): "Q12", Pin("R1", "2"): "Q9"}
    placed |= {Pin("C1", "+"): "S6", Pin("C1", "-"): "R6"}
    placed |= {Pin("LS1", "1"): "C22", Pin("LS1", "2"): "C24"}
    return placed


def runs() -> list[list[str]]:
    """Return the bare wires of the copper side: each goes straight from hole to hole and is soldered to all of them."""
    laid = [[f"{LEFT_ROW}{BOARD_PIN[name]}", f"C{BOARD_PIN[name]}"] for name in HANDS]
    laid += [["B3", "B24", "C24"]]  # ground of the header and the buzzer
    laid += [[f"{LEFT_ROW}{pin}", f"B{pin}"] for pin in SUPPLY["ground"] if pin <= 20]
    buzzer = BOARD_PIN["buzzer"]
    laid += [[f"{LEFT_ROW}{buzzer}", f"E{buzzer}", "E22", "C22"]]
    column = {name: 41 - BOARD_PIN[name] for name in ("ring", "display_data", "display_clock")}
    five, plus = 41 - SUPPLY["5 V"][0], 41 - SUPPLY["3.3 V"][0]
    laid += [[f"{RIGHT_ROW}{five}", f"Q{five}"]]  # to the diode
    laid += [["Q5", "T5", "T8"], ["S5", "S6"]]  # from the diode to the ring, and to the capacitor
    laid += [[f"{RIGHT_ROW}8", "R8", "R6"]]  # the capacitor's ground
    laid += [[f"{RIGHT_ROW}{column['ring']}", f"Q{column['ring']}"]]  # to the resistor
    laid += [["Q9", "T9"]]  # from the resistor to the ring
    laid += [[f"{RIGHT_ROW}13", "R13", "R10", "T10"]]  # the ring's ground
    laid += [[f"{RIGHT_ROW}{plus}", f"P{plus}"]]
    laid += [["P17", "Q17"]]
    laid += [[f"{RIGHT_ROW}18", "Q18"]]  # the display's ground
    laid += [[f"{RIGHT_ROW}{column['display_clock']}", J3["SCL"]], [f"{RIGHT_ROW}{column['display_data']}", J3["SDA"]]]
    return laid


LINKS = [("P5", "P17")]  # insulated wires on the components' side: they may pass over other holes


def cables() -> dict[Pin, Pin]:
    """Return which pin of a header is wired to which pin of a part in the lid."""
    wired = {Pin("J2", name): Pin("LED1", name) for name in J2} | {Pin("J3", name): Pin("DS1", name) for name in J3}
    for name in HANDS:
        wired[Pin("J1", f"C{BOARD_PIN[name]}")] = SIGNALS[name]
        if name in COMMON:
            wired[Pin("J1", f"B{BOARD_PIN[name]}")] = COMMON[name]
    return wired


def along(run: list[str]) -> Iterator[Hole]:
    """Yield every hole that a run passes. Raise ValueError where a piece of it is neither level nor upright."""
    holes = [hole(name) for name in run]
    yield holes[0]
    for before, after in pairwise(holes):
        if before.row != after.row and before.column != after.column:
            raise ValueError(f"the run from {before.name} to {after.name} is aslant")
        steps = max(abs(after.row - before.row), abs(after.column - before.column))
        for step in range(1, steps + 1):
            row = before.row + (after.row - before.row) * step // steps
            yield Hole(row, before.column + (after.column - before.column) * step // steps)


def clashes() -> list[str]:
    """Return the holes into which more than one thing is to go, as sentences."""
    said = []
    taken: dict[str, str] = {}
    things = [(at, f"{pin.part} {pin.name}") for pin, at in legs().items()]
    things += [(end, f"link {first}-{last}") for first, last in LINKS for end in (first, last)]
    for at, what in things:
        if at in taken:
            said.append(f"{at} is for {taken[at]} and for {what}")
        taken[at] = what
        place = hole(at)
        if not (0 <= place.row < len(ROWS) and 0 <= place.column < COLUMNS):
            said.append(f"{what} is beside the board")
    return said


def read() -> set[frozenset[Pin]]:
    """Return which pins the board and its cables join; the Pico itself joins its grounds."""
    joints: Joints[Hole | Pin] = Joints()
    for run in runs():
        joints.join(along(run))
    for first, last in LINKS:
        joints.join([hole(first), hole(last)])
    for pin, at in legs().items():
        joints.join([hole(at), pin])
    for header, part in cables().items():
        joints.join([header, part])
    joints.join(Pin("U1", str(pin)) for pin in SUPPLY["ground"])
    together: dict[Hole | Pin, set[Pin]] = {}
    for pin in [*legs(), *cables().values()]:
        together.setdefault(joints.root(pin), set()).add(pin)
    return {frozenset(group) for group in together.values() if len(group) > 1}


# What stands on the board: how far it reaches around its legs, in mm. The Pico has its own size, and it overhangs the
# board with its USB socket only.
BODIES = {
    "D1": (0.0, 1.4),  # a DO-41 lies between its legs
    "R1": (0.0, 1.3),
    "C1": (3.15, 3.15),  # upright, 6.3 mm across
    "LS1": (6.3, 6.3),  # upright, 12.6 mm across
    "J1": (1.27, 1.27),
    "J2": (1.27, 1.27),
    "J3": (1.27, 1.27),
}


def outlines() -> dict[str, Area]:
    """Return the area that each part covers, in mm from the hole A1."""
    placed = legs()
    areas = {}
    for part in (*BODIES, "U1"):
        holes = [hole(at) for pin, at in placed.items() if pin.part == part]
        left, right = (GRID * end(place.column for place in holes) for end in (min, max))
        top, bottom = (GRID * end(place.row for place in holes) for end in (min, max))
        if part == "U1":
            across, down = (PICO[0] - (right - left)) / 2, (PICO[1] - (bottom - top)) / 2
        elif part in ("C1", "LS1"):  # round: around the middle of both legs
            middle = ((left + right) / 2, (top + bottom) / 2)
            left, right, top, bottom = middle[0], middle[0], middle[1], middle[1]
            across, down = BODIES[part]
        else:
            across, down = BODIES[part]
        areas[part] = Area(left - across, top - down, right + across, bottom + down)
    return areas


def board() -> Area:
    """Return the board, in mm from the hole A1."""
    across, down = (BOARD[0] - GRID * (COLUMNS - 1)) / 2, (BOARD[1] - GRID * (len(ROWS) - 1)) / 2
    return Area(-across, -down, BOARD[0] - across, BOARD[1] - down)


# --- the drawings ---------------------------------------------------------------------------------------

SCALE = 3.1
STEP = GRID * SCALE  # mm on paper between two holes
CORNER = (30.0, 41.0)  # the upper left hole on paper


class View:
    """The board seen from one side. The copper side is the board turned over like a page: the columns run backwards."""

    def __init__(self, *, copper: bool) -> None:
        self.copper = copper
        title = "copper side (mirrored, as you solder)" if copper else "components' side"
        self.sheet = Sheet(*A4_LANDSCAPE, f"Seat box: perfboard, {title}")
        self.sheet.box(Area(7, 7, 290, 203), width=0.5)
        self.sheet.text(12, 16, self.sheet.title, size=5.5, bold=True)
        self.sheet.text(
            12,
            24.5,
            f"{COLUMNS} x {len(ROWS)} holes, {number(GRID)} mm apart, drawn {number(SCALE)} times as large as it is.",
        )
        self.sheet.box(self.area(board()), width=0.5, radius=2)
        self._holes()
        self._joined()
        self._parts()
        self._legend()

    def at(self, place: str | Hole) -> tuple[float, float]:
        """Return where a hole is on paper."""
        where = hole(place) if isinstance(place, str) else place
        return self.point(GRID * where.column, GRID * where.row)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the board, in mm from the hole A1, is on paper."""
        across = GRID * (COLUMNS - 1) - x if self.copper else x
        return CORNER[0] + SCALE * across, CORNER[1] + SCALE * y

    def area(self, area: Area) -> Area:
        """Return where an area of the board, in mm from the hole A1, is on paper."""
        (x1, y1), (x2, y2) = self.point(area.left, area.top), self.point(area.right, area.bottom)
        return Area(min(x1, x2), y1, max(x1, x2), y2)

    def _holes(self) -> None:
        used = {hole(at) for at in legs().values()}
        every = [Hole(row, column) for row in range(len(ROWS)) for column in range(COLUMNS)]
        self.sheet.holes([self.at(place) for place in every if place not in used], 0.6)
        self.sheet.holes([self.at(place) for place in every if place in used], 1.3)
        for row, letter in enumerate(ROWS):
            for side in (-1.85, COLUMNS + 0.85):
                x, y = self.point(GRID * side, GRID * row)
                self.sheet.text(x, y + 1.3, letter, "middle")
        for column in range(COLUMNS):
            for side in (-1, len(ROWS)):
                x, y = self.at(Hole(side, column))
                self.sheet.text(x, y + (2.4 if side < 0 else 0.2), str(column + 1), "middle")

    def _joined(self) -> None:
        for run in runs():
            points = [self.at(name) for name in run]
            if self.copper:
                self.sheet.line(*points, width=1.3)
            else:
                self.sheet.line(*points, width=0.35, dash="1.2 1")
        for first, last in LINKS:
            ends = [self.at(first), self.at(last)]
            if self.copper:
                self.sheet.line(*ends, width=0.35, dash="1.2 1")
            else:
                self.sheet.line(*ends, width=1.5)
                self.sheet.line(*ends, width=0.8, colour="#fff")
            for end in ends:
                self.sheet.circle(*end, 1.3, "#fff", 0.4)
        for at in legs().values():
            self.sheet.circle(*self.at(at), 0.75, "#000" if self.copper else "#fff", 0.35)

    def _parts(self) -> None:
        sheet, areas = self.sheet, outlines()
        for part, area in areas.items():
            drawn = self.area(area)
            if part in ("C1", "LS1"):
                sheet.circle(
                    (drawn.left + drawn.right) / 2,
                    (drawn.top + drawn.bottom) / 2,
                    SCALE * BODIES[part][0],
                    width=0.4,
                    dash=self._dash,
                )
            else:
                sheet.box(drawn, width=0.4, dash=self._dash)
        for column, row, words in (
            (9.5, 8.5, "U1  Raspberry Pi Pico"),
            (17.9, 8.5, "pin 20 / 21"),
            (1.4, 8.5, "USB →" if self.copper else "← USB"),
            (1.5, 14, "D1"),
            (9.5, 14, "R1"),
            (5, 15.5, "C1"),
            (22, 3.5, "LS1"),
            (15.5, 1.5, "J1"),
            (10.5, 16.5, "J2"),
            (17.5, 15.5, "J3"),
        ):
            x, y = self.point(GRID * column, GRID * row)
            sheet.text(x, y + 1.3, words, "middle", bold=True, halo=True)
        band = self.area(Area(GRID * 4 - 3.6, GRID * 14 - 1.4, GRID * 4 - 2.6, GRID * 14 + 1.4))
        sheet.box(band, "#000", 0.2)
        x, y = self.point(GRID * 5.7, GRID * 16)
        sheet.text(x, y + 1.3, "+", "middle", bold=True)

    @property
    def _dash(self) -> str:
        return "0.6 1.2" if self.copper else ""

    def _legend(self) -> None:
        x, y = 234.0, 36.0
        named = {BOARD_PIN[name]: PARTS[SIGNALS[name].part][1] for name in HANDS}
        named |= {
            BOARD_PIN["dial_a"]: "dial A (its C: ground)",
            BOARD_PIN["dial_b"]: "dial B",
            BOARD_PIN["push"]: "push of the dial",
        }
        lines = [
            "J1 (C signal, B ground)",
            *(f"{column}  {named.get(column, 'ground, spare')}" for column in J1_COLUMNS),
        ]
        lines += ["J2: ring", *(f"{at}  {name}" for name, at in J2.items())]
        lines += ["J3: display", *(f"{at}  {name}" for name, at in J3.items())]
        places = legs()
        lines += [
            f"D1 {PARTS['D1'][1]}: {places[Pin('D1', 'A')]}, stripe {places[Pin('D1', 'K')]}",
            f"R1 {PARTS['R1'][1]}: {places[Pin('R1', '1')]}, {places[Pin('R1', '2')]}",
            f"C1 {PARTS['C1'][1]}: + {places[Pin('C1', '+')]}, {places[Pin('C1', '-')]}",
            f"LS1 {PARTS['LS1'][1]}: {places[Pin('LS1', '1')]}, {places[Pin('LS1', '2')]}",
            *(f"Link, insulated: {first} to {last}" for first, last in LINKS),
        ]
        for line in lines:
            self.sheet.text(x, y, line, bold=line.startswith("J"))
            y += 5.0
        if self.copper:
            foot = "Thick lines: bare wire, soldered to every hole it touches. Black: a leg comes through here. Dotted: parts on the other side."
        else:
            foot = "Large holes: a leg goes in. Dashed: bare wire on the copper side. Double line: insulated wire on this side."
        self.sheet.text(12, 199.5, foot)
