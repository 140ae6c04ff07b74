"""The example of drivers/README.md is real: its one new file, put beside the others, is a device of the hub."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import drivers
from drivers.common.pinout import as_svg, as_text
from hub.__main__ import main
from hub.app import Hub
from hub.config import Config, DevicePart, HubPart, TablePart, WebPart, load
from hub.devices import driver_names, header_wiring
from hub.errors import ConfigError
from hub.ports import LampPicture
from tests.phone_ui.rig import until

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

README = (Path(drivers.__path__[0]) / "README.md").read_text("utf-8")


def quoted(pattern: str) -> str:
    found = re.search(pattern, README, re.DOTALL)
    assert found, pattern
    return found[1]


@pytest.fixture
def bell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the one new file, which the hub looks into as if it lay in `drivers`."""
    folder = tmp_path / "drivers"
    folder.mkdir()
    (folder / "bell.py").write_text(quoted(r'```python\n("""A table bell.*?)```'), "utf-8")
    monkeypatch.setattr(drivers, "__path__", [*drivers.__path__, str(folder)])
    yield folder
    sys.modules.pop("drivers.bell", None)
    vars(drivers).pop("bell", None)


def made(folder: Path, **settings: object) -> Config:
    return Config(
        hub=HubPart(state=str(folder / "state")),
        web=WebPart("127.0.0.1", 0),
        table=(TablePart(seats=2),),
        device=(
            DevicePart("simulated", "1", "bench", {"seats": 2}),
            DevicePart("bell", "1", "", {"pins": "mock", **settings}),
        ),
    )


def test_a_made_up_device_touches_one_new_file_and_plays_at_the_table(bell: Path, tmp_path: Path) -> None:
    with Hub(made(tmp_path)) as hub:
        hub.start()
        guarded: Any = hub.devices[1]
        device = guarded.device
        until(lambda: device._relay is not None, "the relay's pin")
        relay = device._relay
        device.lamps.show({1: LampPicture("reveal")})
        until(lambda: bool(relay.value), "the bell")
        until(lambda: not relay.value, "silence")


def test_the_made_up_devices_settings_and_pins_are_checked_like_every_others(bell: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no key relais: did you mean relay"):
        Hub(made(tmp_path, relais=4))
    config = made(tmp_path, relay=13)
    config = replace(config, device=(*config.device, DevicePart("gpio_box", "1", "", {"pins": "mock"})))
    with pytest.raises(ConfigError, match=r"bell and gpio_box are both wired to GPIO13 \(IN and pins-1 push\)"):
        Hub(config)


def test_the_made_up_device_is_drawn_and_tried_like_every_other(
    bell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hub.toml"
    file.write_text('[[device]]\ndriver = "bell"\npins = "mock"\n')
    assert main(["pinout", "--config", str(file)]) == 0
    assert "(10) GPIO15    bell: IN" in capsys.readouterr().out


def test_the_drawing_in_the_readme_is_that_of_the_configuration_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(quoted(r"This configuration and this drawing.*?```toml\n(.*?)```"))
    drawing = quoted(r"This configuration and this drawing.*?```toml\n.*?```\n\n```\n(.*?)```")
    devices = header_wiring(load(file).device)
    assert as_text(devices) == drawing
    drawn = Path(drivers.__path__[0]) / "wiring.svg"
    assert drawn.read_text("utf-8") == as_svg(devices), "table-hub pinout --config FILE --svg drivers/wiring.svg"


@pytest.mark.parametrize("driver", ["gpio_box", "led_strip", "eink"])
def test_the_blocks_of_the_readme_are_the_defaults(driver: str, tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(quoted(rf'```toml\n(\[\[device\]\]\ndriver = "{driver}".*?)```'))
    block = load(file).device[0]
    assert header_wiring([block])[0][1] == header_wiring([DevicePart(driver)])[0][1]


def test_the_example_with_every_device_names_every_driver_and_can_run(tmp_path: Path) -> None:
    """As it stands, and with each other choice taken."""
    text = (Path(drivers.__path__[0]).parent / "systemd" / "every-device.toml").read_text("utf-8")
    file = tmp_path / "hub.toml"
    file.write_text(text)
    as_it_stands = [block.driver for block in load(file).device]
    file.write_text(re.sub(r"^#(?=\S)", "", text, flags=re.MULTILINE))
    config = load(file)
    names = driver_names()
    assert sorted(block.driver for block in config.device) == sorted(names)
    assert set(names) - set(as_it_stands) == {"ble_dice", "camera_tray", "simulated"}
    config = replace(config, hub=HubPart(state=str(tmp_path / "state")))
    with Hub(config):
        """Every block is understood, and no two are on one pin."""
