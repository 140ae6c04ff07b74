"""`table-hub test-device`: one device tried by itself, and what it reports."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest
import serial
from PIL import Image

from drivers.common.frames import PROTOCOL, checksum
from drivers.common.serial_lines import Line
from drivers.simulated.seat_box import SimBox
from hub.__main__ import main
from hub.display import SIZES, checkerboard
from hub.operations.device_test import DeviceTest
from hub.ports import CONTROLS, BoxDown, BoxUp, DeviceDown, DeviceUp, Key, LampPicture, MonotonicClock, Turn
from tests.drivers.bench import BOX
from tests.firmware.live import LiveBox
from tests.firmware.pico import needs_micropython
from tests.firmware.tray import TRAY, TRAY_ID
from tests.patience import PATIENCE
from tests.phone_ui.rig import until


@pytest.mark.real_chance
@pytest.mark.real_time
def test_a_simulated_table_is_tested_with_every_key_a_picture_and_a_roll(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test-device", "--simulated", "--seconds", str(PATIENCE)]) == 0
    output = capsys.readouterr().out
    for box in ("sim-1", "sim-2"):
        for what in ("push", "bar", "k1", "k6", "dial right", "dial left"):
            assert f"{box}: {what} " in output
        assert f"{box}: dial left by 1; that was all." in output
    assert "simulated: settled: " in output
    assert "a test picture" in output


class Rings:
    """A device that has lamps only, and sends the signals that it is given."""

    page = boxes = dice = None

    def __init__(self, test: DeviceTest, *signals: object) -> None:
        self.test, self.signals = test, signals
        self.shown: list[LampPicture] = []
        self.closed = False

    @property
    def lamps(self) -> Rings:
        return self

    def show(self, rings: dict[int, LampPicture]) -> None:
        self.shown.append(rings[6])

    def start(self) -> None:
        for signal in self.signals:
            self.test.inbox(signal)

    def close(self) -> None:
        self.closed = True


class JumpingClock:
    """A clock that goes on by 10 s whenever it is read."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        self._now += 10.0
        return self._now


def device_test(output: list[str]) -> DeviceTest:
    return DeviceTest("strip", output.append, JumpingClock())


def test_each_lamp_of_each_ring_is_lit() -> None:
    output: list[str] = []
    one = device_test(output)
    device = Rings(one)
    assert one.run(device, 1.0)  # type: ignore[arg-type]
    assert [picture.pattern for picture in device.shown] == ["roll", "locked"]
    assert device.closed
    assert "three lamps run round each ring" in output[1]


def test_a_device_that_is_not_there_fails_its_test_and_says_why() -> None:
    output: list[str] = []
    one = device_test(output)
    assert not one.run(Rings(one, DeviceDown("strip", "There is no /dev/spidev0.0.")), 1.0)  # type: ignore[arg-type]
    assert "There is no /dev/spidev0.0." in output
    one = device_test(output)
    assert one.run(Rings(one, DeviceDown("strip", "Gone."), DeviceUp("strip")), 1.0)  # type: ignore[arg-type]
    assert "strip is connected again." in output


def test_what_was_not_heard_of_a_box_is_said_at_the_end() -> None:
    output: list[str] = []
    one = DeviceTest("boxes", output.append, JumpingClock())
    device = Boxes(one, BoxUp("b", "0", "1", 4), Key("b", "push", "down"), Turn("b", -2), BoxDown("b", "Unplugged."))
    assert not one.run(device, 1.0)  # type: ignore[arg-type]
    assert "b: push is pressed; still to be tried: bar, k1, k2, dial right, dial left." in output
    assert "b: dial left by 2; still to be tried: bar, k1, k2, dial right." in output
    assert "b: Unplugged." in output
    assert output[-1] == "b: not heard: bar, k1, k2, dial right."
    assert device.shown[-1] == LampPicture("number", 4)


class Boxes(Rings):
    """A device that has boxes only."""

    lamps = None  # type: ignore[assignment]

    @property
    def boxes(self) -> Boxes:  # type: ignore[override]
        return self

    def ring(self, _box: str, picture: LampPicture) -> None:
        self.shown.append(picture)

    def say(self, box: str, text: str) -> None:
        assert len(text) <= 40

    def buzz(self, box: str, kind: str) -> None:
        assert kind in {"lock", "error", "reveal"}


@pytest.mark.parametrize("size", SIZES)
def test_the_test_picture_shows_which_way_is_up(size: str) -> None:
    sheet = checkerboard(size)  # type: ignore[arg-type]
    assert sheet.size == (SIZES[size].width, SIZES[size].height)  # type: ignore[index]
    assert sheet != sheet.transpose(Image.Transpose.ROTATE_180)
    corners = [sheet.getpixel(at) for at in ((0, 0), (sheet.width - 1, 0), (0, sheet.height - 1))]
    assert corners == [0, 0, 0]


@pytest.mark.parametrize(
    ("toml", "name", "sentence"),
    [
        ("", [], "There is no [[device]] in the configuration; `--simulated` tries"),
        (
            '[[device]]\ndriver = "eink"\n[[device]]\ndriver = "led_strip"\nspi = "1.2"\n',
            [],
            "Which device? There are eink",
        ),
        ('[[device]]\ndriver = "eink"\n', ["strip"], "There is no device 'strip': there are eink."),
        (
            '[[device]]\ndriver = "gpio_box"\n[[device]]\ndriver = "gpio_box"\n',
            ["gpio_box"],
            "Several devices are called",
        ),
    ],
)
def test_a_device_that_is_not_meant_clearly_is_not_guessed(
    toml: str, name: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(toml)
    assert main(["test-device", *name, "--config", str(file)]) == 78
    assert sentence in capsys.readouterr().err


@pytest.mark.real_chance
@pytest.mark.real_time
def test_the_owners_device_is_tried_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hub.toml"
    file.write_text('[[device]]\ndriver = "gpio_box"\nname = "corner"\npins = "mock"\n')
    assert main(["test-device", "corner", "--config", str(file), "--seconds", "0.3"]) == 1
    assert "pins-1: is there, with 8 controls (firmware header)" in capsys.readouterr().out


@pytest.mark.real_chance
@pytest.mark.real_time
def test_one_box_is_tried_at_its_port_without_a_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box = SimBox(BOX, tmp_path / "port", MonotonicClock())
    box.start()

    def hands() -> None:
        until(lambda: box.state()["lamps"], "the lamps that say that the box is tested")
        box.turn(1)
        for control in CONTROLS:
            box.press(control)
        box.turn(-1)

    person = threading.Thread(target=hands)
    person.start()
    try:
        assert main(["test-box", str(box.port), "--seconds", str(PATIENCE)]) == 0
    finally:
        person.join()
        box.close()
    output = capsys.readouterr().out
    assert f"{BOX}: is there, with 8 controls" in output
    assert "that was all" in output


@pytest.mark.real_chance
@pytest.mark.real_time
@needs_micropython
def test_a_tray_is_tried_at_its_port_by_its_own_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tray = LiveBox(TRAY_ID, TRAY / "main.py")
    pictures: list[str] = []  # those of the ring that nobody has looked at yet: a throw stands for a moment only

    def shows(colour: str) -> bool:
        pictures.extend(tray.lit(0.1))
        while pictures:
            if pictures.pop(0).startswith(colour):
                return True
        return False

    def hands() -> None:
        for keys in (("k1", "k2", "k3", "k4", "k5", "k5"), ("k6",) * 6):  # one key was missed the first time
            until(lambda: shows("080808"), "the tray to ask")
            tray.tap(*keys)
            until(lambda: shows("002800"), "the throw to stand")

    person = threading.Thread(target=hands)
    person.start()
    try:
        assert main(["test-box", tray.port, "--seconds", str(PATIENCE)]) == 0
    finally:
        person.join()
        tray.close()
    output = capsys.readouterr().out
    assert "roll six dice, 1 to 6: on a tray press each of its keys" in output
    assert "settled: 1 2 3 4 5 5" in output
    assert "not seen yet: 6." in output


@pytest.mark.real_time
def test_a_port_where_nobody_is_fails_the_test_of_a_box(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = str(tmp_path / "none")
    assert main(["test-box", port, "--seconds", "0.3"]) == 1
    output, error = capsys.readouterr()
    assert output.startswith(f"There is no {port} yet: plug the box in. On USB there is ")
    assert f"Nothing was plugged in at {port}." in error


@pytest.mark.real_chance
@pytest.mark.real_time
@pytest.mark.parametrize(
    ("protocol", "sentence"),
    [
        (PROTOCOL - 1, "Box box-old has older firmware than this hub: install this hub's firmware on it"),
        (
            PROTOCOL + 1,
            "Box box-old has newer firmware than this hub: update the hub, or install this hub's firmware on the box.",
        ),
    ],
)
def test_a_box_of_another_protocol_is_told_at_once(
    protocol: int, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    near, far = os.openpty()
    port = tmp_path / "late"  # it is plugged in while the test waits for it
    hello = json.dumps(
        {"t": "hello", "s": 1, "p": protocol, "id": "box-old", "v": "0.0.9", "k": "box", "n": 8}
    ).encode()

    def box() -> None:
        port.symlink_to(os.ttyname(far))
        os.read(near, 1)  # until it is asked
        os.write(near, b"~" + hello + b"*" + checksum(hello).encode() + b"\n")

    person = threading.Thread(target=box)
    person.start()
    try:
        assert main(["test-box", str(port), "--seconds", str(PATIENCE)]) == 1
    finally:
        person.join()
        os.close(near)
        os.close(far)
    output, error = capsys.readouterr()
    assert sentence in error
    assert "Trying" not in output


def test_a_port_that_another_program_has_or_that_is_anothers_is_told_at_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = os.openpty()
    port = os.ttyname(far)
    held = Line(port)
    try:
        assert main(["test-box", port]) == 1
        assert f"{port} is open in another program: stop the hub (sudo systemctl stop" in capsys.readouterr().err
    finally:
        held.close()

    def refused(*_: object, **__: object) -> None:  # as pyserial 3.5 passes on what open(2) said
        raise serial.SerialException(errno.EACCES, f"could not open port {port}: Permission denied")

    monkeypatch.setattr(serial, "Serial", refused)
    assert main(["test-box", port]) == 1
    assert f"You may not open {port}: sudo usermod -a -G dialout" in capsys.readouterr().err
    os.close(near)
    os.close(far)
