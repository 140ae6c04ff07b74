"""The housing's pieces fit into each other, onto the sheet, and around the parts of the list."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import shapely
from ezdxf.entities.circle import Circle
from ezdxf.entities.polyline import Polyline
from ezdxf.filemanagement import readfile
from msgspec.structs import replace as resized
from shapely import Polygon
from shapely.affinity import translate

from firmware.button_box.pins import LAMPS
from firmware.hardware import housing, parts, perfboard
from firmware.hardware.housing import Drawing, Piece, Sizes
from firmware.hardware.svg import LETTER, width_of

HERE = Path(housing.__file__).parent
SIZES = housing.load()
PIECES = {piece.name: piece for piece in housing.pieces(SIZES)}
LID, FLOOR = PIECES["lid"], PIECES["floor"]
LISTED = parts.load()


def filled(sizes: Sizes, pieces: list[Piece]) -> np.ndarray:
    """How many pieces are in each cubic millimetre of the box; without holes, for wood has to meet wood at its edges."""
    space = np.zeros((round(sizes.width), round(sizes.depth), round(sizes.top)), dtype=np.int8)
    for piece in pieces:
        if piece.name not in housing.PLANES:
            continue
        assert piece.at is not None
        axes = ["xyz".index(axis) for axis in housing.PLANES[piece.name]]
        (across,) = {0, 1, 2} - {*axes}
        rows, columns = (np.arange(space.shape[axis]) + 0.5 for axis in axes)
        flat = shapely.contains_xy(piece.outline, *np.meshgrid(rows, columns, indexing="ij"))
        slab = [slice(None)] * 3
        slab[across] = slice(round(piece.at), round(piece.at + sizes.thickness))
        space[tuple(slab)] += np.expand_dims(flat, across)
    return space


@pytest.mark.parametrize("change", [{}, {"thickness": 3, "width": 163, "finger": 9}])
def test_neighbouring_edges_are_complementary(change: dict[str, float]) -> None:
    sizes = resized(SIZES, **change)
    space = filled(sizes, housing.pieces(sizes))
    assert space.max() == 1, "no two pieces want the same wood"
    for joint in housing.joints(sizes):
        low = {axis: round(at) for axis, at in zip("xyz", joint.corner, strict=True)}
        high = {axis: round(at + sizes.thickness) for axis, at in low.items()} | {joint.axis: round(joint.end)}
        strip = space[tuple(slice(low[axis], high[axis]) for axis in "xyz")]
        assert strip.size
        assert strip.min() == 1, f"a gap between {joint.first} and {joint.second}"


def test_a_finger_too_many_is_found() -> None:
    pieces = [replace(piece) for piece in PIECES.values()]
    lid = next(piece for piece in pieces if piece.name == "lid")
    lid.outline = Polygon(lid.outline.envelope)
    assert filled(SIZES, pieces).max() == 2


def test_both_owners_of_a_joint_have_fingers_about_as_long_as_asked() -> None:
    for joint in housing.joints(SIZES):
        assert len(joint.pieces) % 2 == 1
        assert len(joint.pieces) >= 3
        assert SIZES.finger * 0.6 < joint.pieces[0][1] - joint.pieces[0][0] < SIZES.finger * 1.6


def test_the_laser_takes_its_kerf_from_what_falls_out_and_not_from_what_stays() -> None:
    for piece in PIECES.values():
        lines, circles = piece.cuts(SIZES.kerf)
        cut = Polygon(lines[0], lines[1:])
        burnt = cut.buffer(-SIZES.kerf / 2, join_style="mitre")
        stays = piece.outline
        for square in piece.squares:
            stays = stays.difference(housing.around(square.x, square.y, square.width, square.height))
        assert burnt.symmetric_difference(stays).area < 0.5
        assert [hole.diameter for hole in circles] == [hole.diameter - SIZES.kerf for hole in piece.rounds]


def test_holes_are_within_their_pieces_and_clear_of_edges_and_of_each_other() -> None:
    for piece in PIECES.values():
        holes = list(piece.holes())
        for what, hole in holes:
            assert piece.outline.contains(hole), f"{what} is not in {piece.name}"
            assert piece.outline.boundary.distance(hole) >= 3.0, f"{what} is near an edge of {piece.name}"
        for (what, one), (other, two) in combinations(holes, 2):
            assert one.distance(two) >= 3.0, f"{what} and {other} are near each other"


def faces() -> dict[str, Polygon]:
    """What covers the lid from above or below around each hole."""
    covered = {}
    for hole in LID.rounds:
        key = "key" if re.fullmatch("k[1-6]", hole.what) else hole.what
        if key in ("key", "bar"):
            covered[hole.what] = shapely.Point(hole.x, hole.y).buffer(LISTED[key].face / 2)
        if key == "dial":
            covered["ring"] = shapely.Point(hole.x, hole.y).buffer(LISTED["ring"].outside / 2)
    (window,) = LID.squares
    covered["display"] = housing.around(window.x, window.y, LISTED["display"].face, LISTED["display"].face)
    return covered


def test_nuts_bezels_and_boards_do_not_touch_each_other_or_the_walls() -> None:
    inside = shapely.box(SIZES.thickness, SIZES.thickness, SIZES.width - SIZES.thickness, SIZES.depth - SIZES.thickness)
    covered = faces()
    for what, area in covered.items():
        assert inside.contains(area), f"{what} meets a wall"
    for (what, one), (other, two) in combinations(covered.items(), 2):
        assert not one.intersects(two), f"{what} meets {other}"


def test_nothing_under_the_lid_meets_the_perfboard_or_the_floor() -> None:
    x, y = SIZES.board
    board = shapely.box(x, y, x + perfboard.BOARD[0], y + perfboard.BOARD[1])
    (marked,) = (mark for mark, words in FLOOR.marks if words == "perfboard")
    assert marked.equals(board)
    plugs = perfboard.HEIGHT
    below = {what: LISTED["key" if what[0] == "k" else what].below for what in faces()}
    dial = LISTED["dial"].below
    for what, area in {**faces(), "dial": faces()["ring"].centroid.buffer(LISTED["dial"].face / 2)}.items():
        deep = dial if what == "dial" else below[what]
        assert deep > 0
        assert deep + (plugs if area.intersects(board) else 0) <= SIZES.inside, f"{what} meets what is below it"
    for piece in (mark for mark, words in FLOOR.marks if not words):
        assert not piece.intersects(board), "a corner block stands on the perfboard"
    usb = shapely.box(x - 35, y, x, y + perfboard.BOARD[1])
    assert shapely.box(SIZES.thickness, SIZES.thickness, SIZES.width, SIZES.depth).contains(usb), "room for the plug"


def test_sizes_are_those_of_the_parts_list() -> None:
    holes = {hole.what: hole.diameter for piece in PIECES.values() for hole in piece.rounds}
    for what, key in {"dial": "dial", "bar": "bar", **{f"k{n}": "key" for n in range(1, 7)}}.items():
        assert LISTED[key].thread < holes[what] <= LISTED[key].thread + 0.5
    for key in ("dial", "key"):
        assert LISTED[key].bushing - LISTED[key].nut >= SIZES.thickness, (
            f"the thread of {key} is too short for this wood"
        )
    lamps = [hole for hole in LID.rounds if hole.what.startswith("lamp")]
    (dial,) = (hole for hole in LID.rounds if hole.what == "dial")
    assert len(lamps) == LAMPS
    for lamp in lamps:
        assert math.hypot(lamp.x - dial.x, lamp.y - dial.y) == pytest.approx(LISTED["ring"].across / 2)
    ring = LISTED["ring"]
    assert ring.inside < ring.across - SIZES.lamp_hole < ring.across + SIZES.lamp_hole < ring.outside
    assert LISTED["dial"].face * math.sqrt(2) < ring.inside, "the dial's body sits in the ring"
    assert LISTED["knob"].face < ring.across - SIZES.lamp_hole, "the knob covers no lamp"
    assert (LID.squares[0].width, LID.squares[0].height) == LISTED["display"].window
    assert holes["cable"] >= math.hypot(*LISTED["cable"].plug)
    (tie, _) = FLOOR.squares
    assert LISTED["tie"].width < tie.height < LISTED["tie"].width + 1
    assert holes["dowel"] == LISTED["dowel"].thread < holes["guide"]


def test_lamp_0_is_at_the_players_side_and_the_others_follow_clockwise() -> None:
    lamps = {hole.what: hole for hole in LID.rounds if hole.what.startswith("lamp")}
    (dial,) = (hole for hole in LID.rounds if hole.what == "dial")
    assert lamps["lamp 0"].y < dial.y
    assert lamps["lamp 0"].x == pytest.approx(dial.x)
    assert lamps["lamp 4"].x < dial.x, "from six o'clock to nine o'clock, seen from above"


def test_the_hood_covers_keys_and_display_and_leaves_a_hand_its_room() -> None:
    roofed = PIECES["roof"].outline.bounds[1]
    keys = [hole for hole in LID.rounds if hole.what[0] == "k"]
    assert all(key.y - LISTED["key"].face / 2 > roofed for key in keys)
    assert LID.squares[0].y - LID.squares[0].height / 2 > roofed
    assert SIZES.hood - SIZES.thickness >= 40, "a hand's height"
    for cheek in (PIECES["left"], PIECES["right"]):
        for key in keys:
            assert cheek.outline.contains(shapely.Point(key.y - LISTED["key"].face / 2, SIZES.lid + 20))


def test_the_player_sees_all_of_the_display_under_the_roof() -> None:
    eye = (-300.0, 400.0)  # in front of the box and above its lid: somebody of 1.75 m at a table of 0.73 m
    far = LID.squares[0].y + LID.squares[0].height / 2
    brow = PIECES["roof"].outline.bounds[1]
    above_the_lid = eye[1] * (far - brow) / (far - eye[0])
    assert above_the_lid < SIZES.hood - SIZES.thickness


DRAWN = housing.drawings(SIZES)


@pytest.mark.parametrize("name", DRAWN)
def test_the_pieces_fit_on_the_sheet_beside_each_other(name: str) -> None:
    drawing = DRAWN[name]
    sheet = shapely.box(0, 0, *drawing.size)
    square = Polygon(drawing.marks()[-1])
    assert square.equals(shapely.box(*square.bounds))
    assert (square.bounds[2] - square.bounds[0], square.bounds[3] - square.bounds[1]) == pytest.approx((50, 50))
    areas = [translate(at.piece.outline, at.x, at.y).buffer(SIZES.kerf) for at in drawing.laid] + [square]
    margin = SIZES.gap if name == "housing" else 7.5
    for area in areas:
        assert sheet.buffer(-margin + SIZES.kerf).covers(area)
    for one, two in combinations(areas, 2):
        assert one.distance(two) > 3


def test_every_piece_is_on_the_laser_sheet_and_on_one_page() -> None:
    names = sorted(PIECES)
    assert sorted(at.piece.name for at in DRAWN["housing"].laid) == names
    pages = [at.piece.name for name, drawing in DRAWN.items() if name != "housing" for at in drawing.laid]
    assert sorted(pages) == names
    assert all(drawing.kerf == 0 for name, drawing in DRAWN.items() if name != "housing"), "a saw follows the line"


def words_of(drawing: Drawing) -> list[tuple[str, Polygon]]:
    return [
        (
            words,
            shapely.box(
                x - width_of(words, LETTER) / 2, y - 0.2 * LETTER, x + width_of(words, LETTER) / 2, y + 0.73 * LETTER
            ),
        )
        for x, y, words in drawing.words()
    ]


@pytest.mark.parametrize("name", DRAWN)
def test_no_word_of_a_drawing_lies_on_a_line_or_another_word(name: str) -> None:
    drawing = DRAWN[name]
    lines = [Polygon(line).exterior for line in (*drawing.lines(), *drawing.marks())]
    lines += [shapely.Point(hole.x, hole.y).buffer(hole.diameter / 2).exterior for hole in drawing.circles()]
    found = words_of(drawing)
    assert [words for words, area in found if any(area.intersects(line) for line in lines)] == []
    assert [(one, two) for (one, a), (two, b) in combinations(found, 2) if a.intersects(b)] == []


def test_svg_and_dxf_hold_the_same_outlines() -> None:
    svg = (HERE / "housing.svg").read_text("utf-8")
    height = SIZES.sheet[1]
    cut = re.search(r'<g id="cut".*?</g>', svg, re.DOTALL)
    assert cut
    lines = {
        tuple((float(x), round(height - float(y), 3)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", path))
        for path in re.findall(r'd="M([^"]+)Z"', cut[0])
    }
    circles = {
        (float(x), round(height - float(y), 3), float(r))
        for x, y, r in re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', cut[0])
    }
    model = readfile(HERE / "housing.dxf").modelspace()
    in_dxf = [entity for entity in model.query('POLYLINE[layer=="CUT"]') if isinstance(entity, Polyline)]
    assert all(line.is_closed for line in in_dxf)
    assert {tuple((round(p.x, 3), round(p.y, 3)) for p in line.points()) for line in in_dxf} == lines
    round_holes = [entity.dxf for entity in model.query('CIRCLE[layer=="CUT"]') if isinstance(entity, Circle)]
    assert {(round(one.center.x, 3), round(one.center.y, 3), round(one.radius, 3)) for one in round_holes} == circles
    assert len(lines) == len(DRAWN["housing"].lines())
    assert len(circles) == len({(hole.x, hole.y) for hole in DRAWN["housing"].circles()})


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_is_as_large_as_its_paper_in_millimetres(name: str) -> None:
    width, height = DRAWN[name].size
    head = (HERE / f"{name}.svg").read_text("utf-8").splitlines()[0]
    assert f'width="{width:g}mm" height="{height:g}mm" viewBox="0 0 {width:g} {height:g}"' in head
