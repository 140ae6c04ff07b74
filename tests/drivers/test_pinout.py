"""The wiring drawn from the configuration: every wire once, at a pin that is what it says."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from drivers import eink, gpio_box, led_strip
from drivers.common.gpio_header import PLACES, Wire
from drivers.common.pinout import as_svg, as_text, joints, named
from hub.__main__ import main

TABLE = [("box", gpio_box.wiring({})), ("panel", eink.wiring({})), ("strip", led_strip.wiring({"spi": "1.0"}))]


def test_the_header_has_forty_places_each_named_once() -> None:
    places = [place for all_of_it in PLACES.values() for place in all_of_it]
    assert sorted(places) == list(range(1, 41))
    assert [named(place) for place in (1, 2, 6, 8, 27, 40)] == ["3V3", "5V", "GND", "GPIO14", "(EEPROM)", "GPIO21"]


def test_every_wire_is_drawn_once_at_its_own_pin() -> None:
    found = joints(TABLE)
    assert len(found) == sum(len(wires) for _, wires in TABLE)
    for joint in found:
        assert joint.place in PLACES[joint.wire.pin]
    grounds = [joint.place for joint in found if joint.wire.pin == "GND"]
    assert len(grounds) == len(set(grounds)) == 3, "a ground for each, near its other wires"


def test_more_grounds_than_the_header_has_are_joined() -> None:
    many = [(f"lamp {n}", [Wire(n, "in"), Wire("GND", "GND", shared=True)]) for n in range(2, 14)]
    assert as_text(many).count("GND") >= 8 + 12


def test_the_text_shows_pin_1_at_the_upper_left_and_what_goes_where() -> None:
    lines = as_text(TABLE).splitlines()
    assert len(lines) == 20
    assert "3V3 ( 1) ( 2) 5V" in lines[0]
    assert "box: pins-1 push    GPIO13 (33) (34)" in lines[16]
    assert lines[11].endswith("(24) GPIO8     panel: CS")
    assert lines[5].endswith("panel: PWR; strip: kept by the bus (nothing connected)")


def test_the_drawing_says_the_same_as_the_text() -> None:
    drawing = ET.fromstring(as_svg(TABLE))
    drawn = "\n".join(str(text.text) for text in drawing.iter("{http://www.w3.org/2000/svg}text"))
    for joint in joints(TABLE):
        assert f"{joint.device}: {joint.wire.to}" in drawn


def test_the_command_draws_the_owners_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hub.toml"
    file.write_text('[[device]]\ndriver = "eink"\nname = "score board"\npanel = "inky-what"\n')
    assert main(["pinout", "--config", str(file)]) == 0
    assert "score board: RST    GPIO27 (13)" in capsys.readouterr().out
    assert main(["pinout", "--config", str(file), "--svg", str(tmp_path / "hub.svg")]) == 0
    assert "score board: BUSY" in (tmp_path / "hub.svg").read_text()
    file.write_text('[[device]]\ndriver = "button_box"\n')
    assert main(["pinout", "--config", str(file)]) == 0
    assert "No device of this configuration is wired" in capsys.readouterr().out


def test_the_command_refuses_what_the_hub_would_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hub.toml"
    file.write_text('[[device]]\ndriver = "eink"\n[[device]]\ndriver = "led_strip"\n')
    assert main(["pinout", "--config", str(file)]) == 78
    assert "eink and led_strip are both wired to GPIO10 (DIN and DI" in capsys.readouterr().err
