"""The builder's book: its drawings and tables are current, and its figures are those of the firmware."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from firmware.button_box import pins
from firmware.hardware import circuit, draw, parts, perfboard, power

ROOT = draw.ROOT
BOOK = draw.BOOK.read_text("utf-8")
DRAWINGS = draw.drawings()


@pytest.mark.parametrize("file", DRAWINGS, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_committed_drawing_is_the_one_that_is_drawn(file: Path) -> None:
    assert file.read_text("utf-8") == DRAWINGS[file], "run `make drawings`"


def test_no_drawing_is_forgotten_and_none_is_large() -> None:
    there = {file for ending in ("svg", "dxf", "html") for file in draw.HERE.glob(f"*.{ending}")}
    assert there == {file for file in DRAWINGS if file.parent == draw.HERE}
    assert all(len(text) < 40_000 for text in DRAWINGS.values())
    for file in there:
        assert re.sub(r"a4-\d", "a4-<n>", file.name) in BOOK


def test_every_drawing_of_a4_is_on_the_page_for_the_printer_once() -> None:
    page = DRAWINGS[draw.HERE / "print.html"]
    for name, size in (("wide", (297, 210)), ("upright", (210, 297))):
        for drawing in re.findall(rf'<img class="{name}" src="([^"]+)"', page):
            assert f'width="{size[0]}mm" height="{size[1]}mm"' in DRAWINGS[draw.HERE / drawing]
    sheets = [file.name for file in DRAWINGS if file.suffix == ".svg" and file.parent == draw.HERE]
    assert sorted(re.findall(r'src="([^"]+)"', page)) == sorted(set(sheets) - {"housing.svg"})


def test_the_tables_are_those_of_the_data() -> None:
    assert draw.book(BOOK) == BOOK, "run `make drawings`"


def test_a_table_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="the book has places for"):
        draw.book(BOOK.replace("<!-- table: power of a box -->", ""))


def test_the_command_writes_what_is_not_current_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, current, book = tmp_path / "old.svg", tmp_path / "current.svg", tmp_path / "README.md"
    old.write_text("before", "utf-8")
    current.write_text("drawn", "utf-8")
    book.write_text(BOOK.replace("**sum**", ""), "utf-8")
    monkeypatch.setattr(draw, "ROOT", tmp_path)
    monkeypatch.setattr(draw, "BOOK", book)
    monkeypatch.setattr(draw, "drawings", lambda: {old: "drawn", current: "drawn"})
    assert draw.main([]) == 0
    assert capsys.readouterr().out == "old.svg is new.\nREADME.md is new.\n"
    assert (old.read_text("utf-8"), book.read_text("utf-8")) == ("drawn", BOOK)


def test_what_cannot_be_drawn_is_said_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(draw, "HERE", tmp_path)
    monkeypatch.setattr(draw, "ROOT", tmp_path)
    monkeypatch.setitem(circuit.BOARD_PIN, "ring", 2)
    assert draw.main([]) == 1
    assert [*tmp_path.iterdir()] == []
    assert "Nothing was drawn: ring is on pin 2: ring and display belong on pins 21 to 40." in capsys.readouterr().err


def test_four_boxes_are_ordered_as_four_times_one() -> None:
    for part in parts.load().values():
        low, high = part.price
        assert 0 <= low < high
        assert part.order or part.equal or part.key == "screw"
        if "box" in part.needed:
            assert f"| {part.name} | {part.needed['box']} | {4 * part.needed['box']} |" in BOOK


def test_a_box_draws_its_ring_and_what_is_around_it() -> None:
    assert sum(power.BOX.values()) == pins.MILLIAMPERES + pins.LAMPS + power.PICO + power.DISPLAY
    assert power.of_a_box() - 10 < sum(power.BOX.values()) <= power.of_a_box()
    assert "asks for 250 mA" in BOOK
    assert power.of_a_box() < 500, "what a port of USB 2 gives"


def test_each_hub_feeds_as_many_boxes_as_its_ports_give() -> None:
    assert [hub.milliamperes for hub in power.HUBS] == [1200, 600, 1600]
    for hub in power.HUBS:
        boxes = power.boxes(hub)
        assert boxes * power.of_a_box() <= hub.milliamperes < (boxes + 1) * power.of_a_box()
        assert f"| {hub.name} | {hub.milliamperes} mA | {boxes} |" in BOOK


def test_a_part_in_the_table_of_wires_is_where_the_board_has_it() -> None:
    wires = BOOK[BOOK.index("| from | to | wire |") : BOOK.index("## The housing")]
    column = circuit.BOARD_PIN
    for key in range(1, 7):
        assert f"C{column[f'k{key}']} and B{column[f'k{key}']}" in wires
    assert f"C{column['dial_a']} and C{column['dial_b']} | dial, A and B |" in wires
    assert f"C{column['push']} and B{column['push']}" in wires
    assert f"C{column['bar']} and B{column['bar']}" in wires
    assert f"J2, {', '.join(perfboard.J2.values())} | ring, 5 V, DIN" in wires
    assert f"J3, {', '.join(perfboard.J3.values())} | display, {', '.join(perfboard.J3)} |" in wires
    spare = {f"B{pin}" for pin in circuit.J1_COLUMNS} - {
        f"B{column[name]}" for name in circuit.HANDS if name in circuit.COMMON
    }
    assert "B5" in spare, "where the dial's metal goes nothing else does"


def test_the_lamps_of_the_self_test_are_told_as_they_are() -> None:
    source = ast.parse((ROOT / "firmware" / "button_box" / "selftest.py").read_text("utf-8"))
    values = {
        node.targets[0].id: node.value
        for node in source.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    places = ast.literal_eval(values["PLACES"])
    assert [places[f"k{key}"] for key in range(1, 7)] == list(range(6))
    assert f"the push the one opposite ({places['push']}), the bar lamp {places['bar']}" in BOOK
    assert places["push"] == pins.LAMPS // 2
    assert f"in {pins.LAMPS * ast.literal_eval(values['STEP']) / 1000:g} s" in BOOK


def test_the_sentences_that_the_builder_reads_are_those_of_the_program() -> None:
    said = (ROOT / "hub" / "operations" / "device_test.py").read_text("utf-8")
    for words in (
        "is there, with {controls} controls (firmware",
        "is held",
        "is pressed",
        "that was all",
        "not heard: ",
    ):
        assert words in said
        assert words.format(controls=len(pins.CONTROLS)).replace("not heard: ", "not heard") in BOOK
    assert "does not identify itself as a seat box" in (ROOT / "drivers" / "button_box.py").read_text("utf-8")
    assert "does not identify itself as a seat box" in BOOK
    for words, file in (("You may not open", "__main__.py"), ("no box said hello", "operations/device_test.py")):
        assert words in (ROOT / "hub" / file).read_text("utf-8")
        assert f'"{words}' in BOOK


def test_both_books_count_the_dial_clockwise() -> None:
    for document in ("firmware/hardware/README.md", "firmware/README.md"):
        text = " ".join((ROOT / document).read_text("utf-8").split())
        assert "closes first when it is turned clockwise, seen from above" in text, document
        assert "at the player's side" in text
    assert "Turned clockwise, the encoder closes A before B." in DRAWINGS[ROOT / "firmware" / "wiring.svg"]
    assert "A, which closes first clockwise" in (ROOT / "drivers" / "README.md").read_text("utf-8")
