"""The wiring on paper is the wiring in the box."""

from __future__ import annotations

import importlib

from tests.firmware.pico import PINS, ROOT

FIRMWARE = ROOT / "firmware"


def test_the_table_of_the_readme_is_the_table_of_pins() -> None:
    rows = [f"| {pin} | GP{gpio} | {to} |" for _, gpio, pin, to in PINS["WIRES"]]
    rows += [f"| {', '.join(map(str, pins))} | {name} | {to} |" for name, pins, to in PINS["SUPPLIES"]]
    assert "\n".join(rows) in (FIRMWARE / "README.md").read_text(encoding="utf-8")


def test_the_drawing_is_made_from_the_table_of_pins() -> None:
    drawing = importlib.import_module("firmware.draw_wiring").drawing()
    drawn = (FIRMWARE / "wiring.svg").read_text(encoding="utf-8")
    assert drawn == drawing, "run firmware/draw_wiring.py"
    for _, gpio, _, to in PINS["WIRES"]:
        assert f">GP{gpio}<" in drawn
        assert to in drawn


def test_every_file_of_the_box_is_named_in_the_readme() -> None:
    text = (FIRMWARE / "README.md").read_text(encoding="utf-8")
    for file in (FIRMWARE / "button_box").glob("*.py"):
        assert file.name in text, file.name
