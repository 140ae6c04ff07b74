"""Schematic, perfboard, parts list and firmware tell of one circuit."""

from __future__ import annotations

from collections import Counter
from math import hypot

import pytest

from firmware.button_box import pins
from firmware.hardware import circuit, parts, perfboard, schematic
from firmware.hardware.circuit import PARTS, Pin, PlacedWrong, nets
from firmware.hardware.schematic import Schematic, differences
from firmware.hardware.svg import Area, Sheet, unreadable
from tests.dial import CLOCKWISE, Contacts


def test_each_wire_of_the_firmwares_table_is_a_net_with_that_one_pin_of_the_pico() -> None:
    made = nets()
    for name, _, pin, _ in pins.WIRES:
        assert {end for end in made[name] if end.part == "U1"} == {Pin("U1", str(pin))}
    supplies = {net: {end.name for end in made[net] if end.part == "U1"} for net in ("5V", "3V3", "GND")}
    wanted = {name: set(map(str, places)) for name, places, _ in pins.SUPPLIES}
    assert supplies == {"5V": wanted["5 V"], "3V3": wanted["3.3 V"], "GND": wanted["ground"]}
    assert set(made) == {name for name, *_ in pins.WIRES} | {"5V", "3V3", "GND", "ring_5V", "ring_data"}
    assert max(Counter(end for joined in made.values() for end in joined).values()) == 1, "no pin has two nets"


def test_the_schematic_joins_what_the_list_joins() -> None:
    assert differences(schematic.read(Schematic()), nets()) == []


def test_the_perfboard_joins_what_the_list_joins_and_no_hole_is_for_two() -> None:
    assert differences(perfboard.read(), nets()) == []
    assert perfboard.clashes() == []


@pytest.mark.parametrize(("one", "other"), [("k1", "k6"), ("dial_a", "dial_b"), ("ring", "display_data")])
def test_both_drawings_follow_the_firmwares_table(one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = circuit.BOARD_PIN.copy()
    monkeypatch.setitem(circuit.BOARD_PIN, one, before[other])
    monkeypatch.setitem(circuit.BOARD_PIN, other, before[one])
    made = nets()
    assert Pin("U1", str(before[other])) in made[one]
    assert differences(schematic.read(Schematic()), made) == []
    if one != "ring":  # its resistor and the display's header have holes of their own
        assert differences(perfboard.read(), made) == []
    else:
        with pytest.raises(ValueError, match="aslant"):
            perfboard.read()


def test_a_pin_on_the_other_side_of_the_pico_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(circuit.BOARD_PIN, "k1", 26)
    with pytest.raises(PlacedWrong, match="k1 is on pin 26"):
        nets()


def test_a_wire_left_out_or_drawn_onto_another_is_found() -> None:
    drawn = Schematic()
    bar = next(wire for wire in drawn.wires if wire[0] == drawn.at[Pin("U1", str(circuit.BOARD_PIN["bar"]))])
    drawn.wires.remove(bar)
    assert "bar is not in the drawing" in differences(schematic.read(drawn), nets())
    drawn = Schematic()
    drawn.wires.append([drawn.at[Pin("K1", "1")], drawn.at[Pin("K2", "1")]])
    assert {"k1 is not in the drawing", "k2 is not in the drawing"} <= set(differences(schematic.read(drawn), nets()))


def test_a_run_over_a_foreign_hole_and_two_legs_in_one_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    laid, legs = perfboard.runs(), perfboard.legs()
    with monkeypatch.context() as patch:
        patch.setattr(perfboard, "runs", lambda: [*laid, ["C9", "C10"]])
        assert "k1 is not in the drawing" in differences(perfboard.read(), nets())
    monkeypatch.setattr(perfboard, "legs", lambda: legs | {Pin("R1", "2"): "Q5"})
    assert perfboard.clashes() == ["Q5 is for D1 K and for R1 2"]


def apart(one: str, other: str, areas: dict[str, Area]) -> bool:
    """Whether two bodies leave each other room; capacitor and buzzer are round."""
    a, b = areas[one], areas[other]
    if other in ("C1", "LS1"):
        a, b, one = b, a, other
    if one in ("C1", "LS1"):
        x, y = (a.left + a.right) / 2, (a.top + a.bottom) / 2
        across, down = max(b.left - x, 0, x - b.right), max(b.top - y, 0, y - b.bottom)
        return hypot(across, down) >= perfboard.BODIES[one][0]
    return not a.meets(b)


def test_the_bodies_stand_beside_each_other_on_the_board() -> None:
    areas, board = perfboard.outlines(), perfboard.board()
    names = sorted(areas)
    assert [(one, other) for one in names for other in names if one < other and not apart(one, other, areas)] == []
    for area in areas.values():
        assert board.left <= area.left <= area.right <= board.right
        assert board.top <= area.top <= area.bottom <= board.bottom
    assert areas["U1"].right - areas["U1"].left == pytest.approx(51.0)


def test_every_part_of_the_circuit_is_in_the_parts_list_as_often_as_it_is_drawn() -> None:
    listed = parts.load()
    used = Counter(key for key, _ in PARTS.values())
    del used["header"]  # strips of pins that are broken off one
    assert {key: listed[key].needed["box"] for key in used} == used
    assert listed["header"].needed["box"] == 1
    keys = sum(1 for name, *_ in pins.WIRES if name.startswith("k"))
    assert listed["key"].needed == {"box": keys, "tray": keys}
    assert f"ring of {pins.LAMPS} " in listed["ring"].name


def test_every_part_is_named_in_all_three_drawings() -> None:
    board = {pin.part for pin in perfboard.legs()} | {pin.part for pin in perfboard.cables().values()}
    assert board == set(PARTS)
    for sheet, named in (
        (Schematic().sheet, set(PARTS)),
        (perfboard.View(copper=False).sheet, {pin.part for pin in perfboard.legs()}),
        (perfboard.View(copper=True).sheet, {pin.part for pin in perfboard.legs()}),
    ):
        written = " ".join(words.text for words in sheet.words).replace(":", " ").split()
        assert named <= set(written)


def test_the_copper_side_is_the_board_turned_over() -> None:
    above, below = perfboard.View(copper=False), perfboard.View(copper=True)
    for name in ("A1", "F20", "T24"):
        (x1, y1), (x2, y2) = above.at(name), below.at(name)
        assert x1 + x2 == pytest.approx(above.at("A1")[0] + above.at("A24")[0])
        assert y1 == y2


def test_the_schematic_tells_the_golden_direction_of_the_dial() -> None:
    assert CLOCKWISE[0] == Contacts(a=True, b=False)
    words = " ".join(words.text for words in Schematic().sheet.words)
    assert "Turned clockwise, seen from above, ENC1 closes A before B." in words


@pytest.mark.parametrize("drawn", ["schematic", "above", "below"])
def test_a_drawing_can_be_read_on_paper(drawn: str) -> None:
    sheet = Schematic().sheet if drawn == "schematic" else perfboard.View(copper=drawn == "below").sheet
    assert unreadable(sheet) == []


def test_what_cannot_be_read_is_found() -> None:
    sheet = Sheet(100, 50, "")
    sheet.text(10, 10, "one")
    sheet.text(12, 11, "two")
    sheet.text(95, 30, "beyond")
    sheet.text(10, 40, "small", size=2)
    sheet.line((0, 29), (100, 29))
    assert unreadable(sheet) == [
        "'two' lies over 'one'",
        "'beyond' runs out of the paper",
        "a line runs through 'beyond'",
        "'small' is written too small",
    ]
