"""The seat box's plywood housing: its pieces and holes from housing.toml and parts.toml, as SVG and DXF, 1:1.

In space x runs from left to right, y from the player to the back, z upwards from the floor. A piece is drawn flat as it
is seen from above or, standing up, from the player's side or from the right; plywood has no wrong side. Two pieces that
meet share a strip of thickness by thickness, cut into an odd number of fingers, which belong to them in turn.
"""

from __future__ import annotations

import io
import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec
import shapely
from ezdxf.addons.r12writer import r12writer
from shapely import Polygon
from shapely.affinity import translate
from shapely.geometry import box as rectangle

from firmware.button_box.pins import CONTROLS, LAMPS
from firmware.hardware import parts, perfboard
from firmware.hardware.svg import LETTER, number

FILE = Path(__file__).parent / "housing.toml"
CONTROL_SQUARE = 50.0  # mm
Pair = tuple[float, float]


class Sizes(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What housing.toml says, in mm."""

    thickness: float
    kerf: float
    play: float
    width: float
    depth: float
    inside: float
    hood: float
    roof: float
    slope: float
    finger: float
    sheet: Pair
    gap: float
    bar: Pair
    bar_size: Pair
    bar_guides: float
    dial: Pair
    lamp_hole: float
    keys: Pair
    key_pitch: float
    display: Pair
    cable: Pair
    tie: Pair
    board: Pair
    block: float
    drain: float

    @property
    def lid(self) -> float:
        """Return the height of the lid's upper side above the floor."""
        return self.inside + self.thickness

    @property
    def top(self) -> float:
        """Return the height of the roof's upper side above the floor."""
        return self.lid + self.hood


def load() -> Sizes:
    """Return the sizes of the housing."""
    return msgspec.convert(tomllib.loads(FILE.read_text("utf-8")), Sizes, strict=False)


class Round(NamedTuple):
    """A round hole: its middle on the piece, its diameter, what goes through it."""

    x: float
    y: float
    diameter: float
    what: str


class Square(NamedTuple):
    """A rectangular hole: its middle on the piece, its size, what goes through it."""

    x: float
    y: float
    width: float
    height: float
    what: str


@dataclass
class Piece:
    """A piece of plywood, flat: its outline, its holes, and what is only marked on it."""

    name: str
    outline: Polygon
    seen: str  # from where it is drawn
    # Where its lower side lies on the axis across it, in space; None for one that is no part of the walls.
    at: float | None
    rounds: list[Round] = field(default_factory=list)
    squares: list[Square] = field(default_factory=list)
    marks: list[tuple[Polygon, str]] = field(default_factory=list)

    def holes(self) -> Iterator[tuple[str, Polygon]]:
        """Yield each hole as an area, with what goes through it."""
        for hole in self.rounds:
            yield hole.what, shapely.Point(hole.x, hole.y).buffer(hole.diameter / 2, quad_segs=16)
        for square in self.squares:
            yield square.what, around(square.x, square.y, square.width, square.height)

    def cuts(self, kerf: float) -> tuple[list[list[Pair]], list[Round]]:
        """Return the closed lines and circles that the middle of the cut follows: half a kerf outside of what is to stay."""
        stays = self.outline
        for square in self.squares:
            stays = stays.difference(around(square.x, square.y, square.width, square.height))
        stays = stays.buffer(kerf / 2, join_style="mitre")
        rings = [stays.exterior, *stays.interiors]
        lines = [[(round(x, 3), round(y, 3)) for x, y in list(ring.coords)[:-1]] for ring in rings]
        return lines, [hole._replace(diameter=hole.diameter - kerf) for hole in self.rounds]


def around(x: float, y: float, width: float, height: float) -> Polygon:
    """Return a rectangle around its middle."""
    return rectangle(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def fingers(start: float, end: float, about: float) -> list[Pair]:
    """Return an odd number of equal pieces of a strip, at least three: those with even numbers are the first owner's."""
    count = max(3, round((end - start) / about) // 2 * 2 + 1)
    step = (end - start) / count
    return [(start + step * place, start + step * (place + 1)) for place in range(count)]


class Joint(NamedTuple):
    """A strip that two pieces share: along which axis, from where to where, and who has the first finger."""

    axis: str
    start: float
    end: float
    first: str
    second: str
    corner: tuple[float, float, float]  # the strip's lowest corner
    pieces: list[Pair]


def joints(sizes: Sizes) -> list[Joint]:
    """Return every joint of the housing."""
    t, width, depth = sizes.thickness, sizes.width, sizes.depth
    far, deep, under, eaves = width - t, depth - t, sizes.lid - t, sizes.top - t
    brow = depth - sizes.roof
    plan = [
        ("z", 0, under, "front", "left", (0, 0, 0)),
        ("z", 0, under, "front", "right", (far, 0, 0)),
        ("z", 0, eaves, "back", "left", (0, deep, 0)),
        ("z", 0, eaves, "back", "right", (far, deep, 0)),
        ("x", t, far, "front", "lid", (t, 0, under)),
        ("x", t, far, "back", "lid", (t, deep, under)),
        ("y", t, deep, "left", "lid", (0, t, under)),
        ("y", t, deep, "right", "lid", (far, t, under)),
        ("x", t, far, "back", "roof", (t, deep, eaves)),
        ("y", brow, deep, "roof", "left", (0, brow, eaves)),
        ("y", brow, deep, "roof", "right", (far, brow, eaves)),
    ]
    return [
        Joint(axis, start, end, first, second, corner, fingers(start, end, sizes.finger))
        for axis, start, end, first, second, corner in plan
    ]


def walls(sizes: Sizes) -> dict[str, Polygon]:
    """Return the outlines of the six pieces that are joined: what is a piece's alone, and its fingers."""
    t, width, depth = sizes.thickness, sizes.width, sizes.depth
    far, deep, under, eaves = width - t, depth - t, sizes.lid - t, sizes.top - t
    brow = depth - sizes.roof
    # A cheek begins where a finger of its own begins, not over a notch of the lid: else it would have a thin tip.
    side = next(joint for joint in joints(sizes) if (joint.first, joint.second) == ("left", "lid"))
    foot = min((start for start, _ in side.pieces[::2]), key=lambda start: abs(start - (brow - sizes.slope)))
    cheek = Polygon([(foot, sizes.lid), (deep, sizes.lid), (deep, eaves), (brow, eaves)])
    own = {
        "lid": [rectangle(t, t, far, deep)],
        "roof": [rectangle(t, brow, far, deep)],
        "front": [
            rectangle(t, 0, far, under),
            rectangle(0, under, t, sizes.lid),
            rectangle(far, under, width, sizes.lid),
        ],
        "back": [
            rectangle(t, 0, far, under),
            rectangle(t, sizes.lid, far, eaves),
            rectangle(0, eaves, t, sizes.top),
            rectangle(far, eaves, width, sizes.top),
        ],
        "left": [rectangle(t, 0, deep, under), cheek],
        "right": [rectangle(t, 0, deep, under), cheek],
    }
    for joint in joints(sizes):
        for place, (start, end) in enumerate(joint.pieces):
            owner = joint.second if place % 2 else joint.first
            own[owner].append(on_piece(owner, joint, start, end, t))
    return {name: one(shapely.union_all(areas, grid_size=0.0001), name) for name, areas in own.items()}


PLANES = {
    "lid": ("x", "y"), "roof": ("x", "y"), "front": ("x", "z"), "back": ("x", "z"), "left": ("y", "z"), "right": ("y", "z"),
}  # fmt: skip


def on_piece(name: str, joint: Joint, start: float, end: float, thickness: float) -> Polygon:
    """Return a finger on the plane of the piece that has it."""
    low = dict(zip("xyz", joint.corner, strict=True)) | {joint.axis: start}
    high = {axis: at + thickness for axis, at in low.items()} | {joint.axis: end}
    across, up = PLANES[name]
    return rectangle(low[across], low[up], high[across], high[up])


def one(area: shapely.Geometry, name: str) -> Polygon:
    """Return an area that hangs together. Raise ValueError where it does not."""
    if area.geom_type != "Polygon":
        raise ValueError(f"{name} falls into pieces: change the sizes in housing.toml")
    return shapely.simplify(area, 0.001)


def pieces(sizes: Sizes) -> list[Piece]:
    """Return all pieces of one housing."""
    t, width, depth = sizes.thickness, sizes.width, sizes.depth
    at = {"lid": sizes.lid - t, "roof": sizes.top - t, "front": 0.0, "back": depth - t, "left": 0.0, "right": width - t}
    seen = {"lid": "from above", "roof": "from above", "left": "from the right", "right": "from the right"}
    made = {
        name: Piece(name, outline, seen.get(name, "from the player"), at[name])
        for name, outline in walls(sizes).items()
    }
    _lid(made["lid"], sizes)
    listed = parts.load()
    cable = math.hypot(*listed["cable"].plug) + 2 * sizes.play
    made["back"].rounds.append(Round(sizes.cable[0], sizes.cable[1], round(cable, 1), "cable"))
    bar = Piece("bar", rectangle(0, 0, *sizes.bar_size), "from above", None)
    for side in (-1, 1):
        x = sizes.bar_size[0] / 2 + side * sizes.bar_guides / 2
        bar.rounds.append(Round(x, sizes.bar_size[1] / 2, listed["dowel"].thread, "dowel"))
    return [*made.values(), _floor(sizes), bar]


def _lid(lid: Piece, sizes: Sizes) -> None:
    listed = parts.load()
    middle = sizes.width / 2

    def place(where: Pair) -> Pair:
        return middle + where[0], where[1]

    def through(key: str) -> float:
        return listed[key].thread + sizes.play

    x, y = place(sizes.bar)
    lid.rounds.append(Round(x, y, through("bar"), "bar"))
    for side in (-1, 1):
        lid.rounds.append(Round(x + side * sizes.bar_guides / 2, y, listed["dowel"].thread + 1.0, "guide"))
    lid.marks.append((around(x, y, *sizes.bar_size), ""))
    x, y = place(sizes.dial)
    lid.rounds.append(Round(x, y, through("dial"), "dial"))
    radius = listed["ring"].across / 2
    for lamp in range(LAMPS):
        angle = 2 * math.pi * lamp / LAMPS  # clockwise from the player's side, seen from above
        lid.rounds.append(
            Round(x - radius * math.sin(angle), y - radius * math.cos(angle), sizes.lamp_hole, f"lamp {lamp}")
        )
    x, y = place(sizes.keys)
    keys = [name for name in CONTROLS if name.startswith("k")]
    for number_, name in enumerate(keys):
        lid.rounds.append(Round(x + (number_ - (len(keys) - 1) / 2) * sizes.key_pitch, y, through("key"), name))
    x, y = place(sizes.display)
    lid.squares.append(Square(x, y, *listed["display"].window, "display"))


def _floor(sizes: Sizes) -> Piece:
    floor = Piece("floor", rectangle(0, 0, sizes.width, sizes.depth), "from above", -sizes.thickness)
    inset = sizes.thickness + sizes.block / 2
    listed = parts.load()
    for x in (inset, sizes.width - inset):
        for y in (inset, sizes.depth - inset):
            floor.rounds.append(Round(x, y, listed["screw"].thread + 2 * sizes.play, "screw"))
            block = around(x, y, sizes.block, sizes.block)
            floor.marks.append((block, ""))  # the wood it goes into
    slot = (2.0, listed["tie"].width + 2 * sizes.play)
    for side in (-1, 1):
        floor.squares.append(Square(sizes.tie[0] + side * 5, sizes.tie[1], *slot, "tie"))
    for x in (sizes.width / 4, sizes.width * 3 / 4):
        floor.rounds.append(Round(x, inset + sizes.block, sizes.drain, "drain"))
    x, y = sizes.board
    floor.marks.append((rectangle(x, y, x + perfboard.BOARD[0], y + perfboard.BOARD[1]), "perfboard"))
    return floor


# --- on the sheet ---------------------------------------------------------------------------------------


class Laid(NamedTuple):
    """A piece on a sheet or page: where its own corner 0, 0 comes to lie; y runs upwards on it."""

    piece: Piece
    x: float
    y: float


def lay(found: list[Piece], size: Pair, gap: float) -> list[Laid]:
    """Lay pieces on a sheet in rows, in the given order. Raise ValueError where they do not fit."""
    laid = []
    x, y, tall = gap, gap, 0.0
    for piece in found:
        left, low, right, high = piece.outline.bounds
        if x + right - left + gap > size[0]:
            x, y, tall = gap, y + tall + gap, 0.0
        if y + high - low + gap > size[1] or x + right - left + gap > size[0]:
            raise ValueError(f"{piece.name} does not fit on {size[0]:g} x {size[1]:g} mm")
        laid.append(Laid(piece, x - left, y - low))
        x, tall = x + right - left + gap, max(tall, high - low)
    return laid


PAGE = (210.0, 297.0)  # A4
MARGIN = 8.0  # mm that a printer leaves free
PAGES = (("lid", "front"), ("floor", "bar"), ("back", "left"), ("right", "roof"))
BED = ("lid", "floor", "back", "left", "right", "roof", "front", "bar")


@dataclass
class Drawing:
    """Pieces on a sheet: what is cut, what is marked, and the square by which a print is checked."""

    size: Pair
    laid: list[Laid]
    kerf: float
    square: Pair  # its lower left corner
    title: str

    def lines(self) -> list[list[Pair]]:
        """Return the closed lines to be cut, on the sheet."""
        return [
            [(round(x + at.x, 3), round(y + at.y, 3)) for x, y in line]
            for at in self.laid
            for line in at.piece.cuts(self.kerf)[0]
        ]

    def circles(self) -> list[Round]:
        """Return the circles to be cut, on the sheet."""
        return [
            hole._replace(x=round(hole.x + at.x, 3), y=round(hole.y + at.y, 3), diameter=round(hole.diameter, 3))
            for at in self.laid
            for hole in at.piece.cuts(self.kerf)[1]
        ]

    def marks(self) -> list[list[Pair]]:
        """Return the closed lines that are only marked; the last one is the square of 50 mm."""
        x, y = self.square
        marked = [translate(mark, at.x, at.y) for at in self.laid for mark, _ in at.piece.marks]
        marked.append(rectangle(x, y, x + CONTROL_SQUARE, y + CONTROL_SQUARE))
        return [[(round(x, 3), round(y, 3)) for x, y in list(mark.exterior.coords)[:-1]] for mark in marked]

    def words(self) -> list[tuple[float, float, str]]:
        """Return what is written where, by the middle of the line."""
        written = []
        for at in self.laid:
            x, y = label_of(at.piece)
            written.append((at.x + x, at.y + y, f"{at.piece.name}, seen {at.piece.seen}"))
            named = set()
            for hole in at.piece.rounds:
                if hole.what in BESIDE and hole.what not in named:
                    named.add(hole.what)
                    across, up = BESIDE[hole.what]
                    written.append(
                        (at.x + hole.x + across, at.y + hole.y + up, f"{hole.what}: {number(hole.diameter)}")
                    )
            for square in at.piece.squares:
                if square.what not in named:
                    named.add(square.what)
                    across, up = BESIDE[square.what]
                    size = f"{square.what}: {number(square.width)} x {number(square.height)}"
                    written.append((at.x + square.x + across, at.y + square.y + up, size))
            written += [
                (at.x + mark.centroid.x, at.y + mark.centroid.y, words) for mark, words in at.piece.marks if words
            ]
        x, y = self.square
        written.append((x + CONTROL_SQUARE / 2, y + CONTROL_SQUARE / 2, "50 x 50 mm"))
        return written

    def svg(self) -> str:
        """Return the drawing as SVG: mm, cut lines in one group, marks in another; y downwards."""
        width, height = self.size

        def path(points: list[Pair]) -> str:
            return '<path d="M' + "L".join(f"{number(x)} {number(height - y)}" for x, y in points) + 'Z"/>'

        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}mm" height="{number(height)}mm" '
            f'viewBox="0 0 {number(width)} {number(height)}" font-family="DejaVu Sans, Arial, sans-serif" font-size="{LETTER}">'
        )
        out = [
            head,
            f"<title>{self.title}</title>",
            '<g id="cut" fill="none" stroke="#000" stroke-width="0.25">',
            *(path(line) for line in self.lines()),
            *(
                f'<circle cx="{number(hole.x)}" cy="{number(height - hole.y)}" r="{number(hole.diameter / 2)}"/>'
                for hole in self.circles()
            ),
            "</g>",
            '<g id="mark" fill="none" stroke="#888" stroke-width="0.2" stroke-dasharray="2 1">',
            *(path(line) for line in self.marks()),
            "</g>",
            '<g id="words" text-anchor="middle" fill="#555">',
            *(f'<text x="{number(x)}" y="{number(height - y)}">{words}</text>' for x, y, words in self.words()),
            "</g>",
            "</svg>",
        ]
        return "\n".join(out) + "\n"

    def dxf(self) -> str:
        """Return the drawing as DXF R12: mm, the layers CUT, MARK and WORDS."""
        out = io.StringIO()
        with r12writer(out) as dxf:
            for line in self.lines():
                dxf.add_polyline_2d(line, closed=True, layer="CUT")
            for hole in self.circles():
                dxf.add_circle((hole.x, hole.y), radius=round(hole.diameter / 2, 4), layer="CUT")
            for line in self.marks():
                dxf.add_polyline_2d(line, closed=True, layer="MARK")
            for x, y, words in self.words():
                dxf.add_text(words, (x, y), height=LETTER * 0.73, align="CENTER", layer="WORDS")
        return out.getvalue()


# Where the name and the size of a hole stand, from its middle. Of several alike the first one has them.
BESIDE = {
    "bar": (0.0, -1.3),
    "guide": (1.0, 5.0),
    "dial": (0.0, 6.0),
    "lamp 0": (0.0, -6.2),
    "k1": (0.0, 8.6),
    "display": (0.0, -10.6),
    "cable": (0.0, 9.5),
    "screw": (19.0, -1.3),
    "drain": (0.0, 4.6),
    "tie": (5.0, 4.6),
    "dowel": (3.0, 5.0),
}


def label_of(piece: Piece) -> Pair:
    """Return where a piece's name stands on it: where it is widest and nothing is cut."""
    left, low, right, high = piece.outline.bounds
    places = {
        "lid": ((left + right) / 2, high - 9.4),
        "floor": ((left + right) / 2, high - 30),
        "back": ((left + right) / 2, high - 14),
        "left": ((left + right) / 2, low + 22),
        "right": ((left + right) / 2, low + 22),
        "bar": ((left + right) / 2, (low + high) / 2 - 1.3),
    }
    return places.get(piece.name, ((left + right) / 2, (low + high) / 2))


def drawings(sizes: Sizes) -> dict[str, Drawing]:
    """Return the laser's sheet, and the pages of A4 for a saw."""
    found = {piece.name: piece for piece in pieces(sizes)}
    bed = lay([found[name] for name in BED], sizes.sheet, sizes.gap)
    corner = (sizes.sheet[0] - CONTROL_SQUARE - sizes.gap, sizes.sheet[1] - CONTROL_SQUARE - sizes.gap)
    made = {"housing": Drawing(sizes.sheet, bed, sizes.kerf, corner, "Seat box: housing, laser sheet")}
    for page, names in enumerate(PAGES, 1):
        laid = lay([found[name] for name in names], PAGE, MARGIN)
        above = max(at.y + at.piece.outline.bounds[3] for at in laid)
        made[f"housing-a4-{page}"] = Drawing(
            PAGE, laid, 0.0, (MARGIN, above + MARGIN), f"Seat box: housing 1:1, page {page} of {len(PAGES)}"
        )
    return made
