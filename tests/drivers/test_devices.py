"""Drivers are found by name: whatever lies in `drivers/` is one, but `common`."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import drivers
from drivers import (
    ble_dice,
    button_box,
    call_lamp,
    camera_tray,
    dice_tray,
    eink,
    gpio_box,
    led_strip,
    simulated,
)
from hub.config import DevicePart
from hub.devices import NeedyDriver, WiredDriver, connect, driver_names, driver_of, load_driver
from hub.errors import ConfigError
from hub.ports import Driver
from tests.drivers.contexts import context

OURS: list[Driver] = [
    ble_dice, button_box, call_lamp, camera_tray, dice_tray, eink, gpio_box, led_strip, simulated,
]  # fmt: skip
"""mypy holds each against the protocols: how `hub.devices` imports them tells it nothing."""
WIRED: list[WiredDriver] = [call_lamp, eink, gpio_box, led_strip]
NEEDY: list[NeedyDriver] = [ble_dice, button_box, call_lamp, camera_tray, dice_tray, eink, gpio_box, led_strip]
NAMES = [
    "ble_dice",
    "button_box",
    "call_lamp",
    "camera_tray",
    "dice_tray",
    "eink",
    "gpio_box",
    "led_strip",
    "simulated",
]


def test_every_file_and_folder_of_drivers_is_one_but_common() -> None:
    assert driver_names() == NAMES
    assert [load_driver(name) for name in NAMES] == OURS
    for name in NAMES:
        assert callable(driver_of(DevicePart(name)).connect)
    assert [driver for driver in OURS if isinstance(driver, WiredDriver)] == WIRED
    assert [driver for driver in OURS if isinstance(driver, NeedyDriver)] == NEEDY


@pytest.mark.parametrize("name", ["common", "frames", "serial_lines", "README", "__init__", "buttonbox"])
def test_what_is_no_driver_is_refused_with_those_that_are(name: str) -> None:
    sentence = f"[[device]] driver = {name!r}: there is none; there are {', '.join(NAMES)}."
    with pytest.raises(ConfigError) as refused:
        connect(DevicePart(name), context())
    assert str(refused.value) == sentence


def test_a_driver_whose_package_was_not_installed_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "barometer.py").write_text("import no_such_package\n")
    monkeypatch.setattr(drivers, "__path__", [*drivers.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    with pytest.raises(ConfigError, match="'barometer' needs the Python package no_such_package: run make setup"):
        load_driver("barometer")
