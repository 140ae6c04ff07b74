"""Devices that are plugged in and that no driver uses: which boards are asked, and which cameras are free."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.common import boot_drive, found
from drivers.common.found import Found, TrayFinder, cameras
from drivers.common.frames import Hello, OtherProtocol
from drivers.common.probe import Answer
from hub.errors import Cause, DeviceLost
from hub.ports import Clock
from tests.table.fakes import HeldClock

TRAY = Answer(Hello(id="e661", boot="b1", p=3, v="1.0.0", k="tray", n=6))
BOX = Answer(Hello(id="e662", boot="b1", p=3, v="1.0.0", k="box", n=12))
OLD = Answer(OtherProtocol(2, "e663", "0.9"))
FOUND = Found("tray /dev/ttyACM0 e661", "e661", "dice_tray", {"tray": "e661"})


class Cables:
    """Serial ports, and what is at their other ends; a port that is `busy` belongs to a driver."""

    def __init__(self, **boards: Answer | None) -> None:
        self.boards = {f"/dev/{name}": answer for name, answer in boards.items()}
        self.busy: set[str] = set()
        self.asked: list[str] = []
        self.finder = TrayFinder(HeldClock(), lambda: list(self.boards), self.ask)

    def ask(self, port: str, _: Clock) -> Answer | None:
        self.asked.append(port)
        if port in self.busy:
            raise DeviceLost(f"{port} is in use.", Cause.BUSY)
        return self.boards[port]

    def look(self, times: int = 2) -> list[Found]:
        return [self.finder.trays() for _ in range(times)][-1]


def test_a_tray_is_asked_once_and_only_after_drivers_had_their_turn() -> None:
    cables = Cables(ttyACM0=TRAY)
    assert cables.look(1) == []
    assert cables.asked == []
    assert cables.look(3) == [FOUND]
    assert cables.asked == ["/dev/ttyACM0"]


@pytest.mark.parametrize("answer", [BOX, OLD, None], ids=["a seat box", "older firmware", "silent"])
def test_what_is_no_tray_is_passed_over_and_asked_once(answer: Answer | None) -> None:
    cables = Cables(ttyACM0=answer)
    assert cables.look(3) == []
    assert cables.asked == ["/dev/ttyACM0"]


def test_a_port_that_a_driver_uses_is_asked_again_until_it_is_free() -> None:
    cables = Cables(ttyACM0=TRAY)
    cables.busy = {"/dev/ttyACM0"}
    assert cables.look(3) == []
    cables.busy = set()
    assert cables.look(1) == [FOUND]


def test_a_tray_that_is_unplugged_is_forgotten_and_asked_when_it_is_back() -> None:
    cables = Cables(ttyACM0=TRAY)
    cables.look()
    cables.boards = {}
    assert cables.look(1) == []
    cables.boards = {"/dev/ttyACM0": BOX}
    assert cables.look() == []
    assert len(cables.asked) == 2


def test_after_another_driver_has_begun_boards_are_asked_again() -> None:
    cables = Cables(ttyACM0=TRAY)
    assert cables.look(3) == [FOUND]
    cables.busy = {"/dev/ttyACM0"}
    assert cables.look(3) == [FOUND], "nobody has said that a driver began"
    cables.finder.forget()
    assert cables.look(1) == [], "the driver gets its turn first"
    assert cables.look(3) == []


@pytest.fixture
def by_id(tmp_path: Path) -> Path:
    """The names of two cameras, as udev makes them below /dev/v4l/by-id."""
    folder = tmp_path / "v4l" / "by-id"
    folder.mkdir(parents=True)
    for number, name in ((0, "usb-046d_HD_Webcam_C270"), (2, "usb-Arducam_8MP")):
        for index in (0, 1):
            (tmp_path / f"video{number + index}").touch()
            (folder / f"{name}-video-index{index}").symlink_to(f"../../video{number + index}")
    return folder


def test_cameras_that_no_block_names_are_found_by_their_stable_names(by_id: Path, tmp_path: Path) -> None:
    first, second = cameras([], by_id, tmp_path)
    assert (first.name, second.name) == ("046d HD Webcam C270", "Arducam 8MP")
    assert first.driver == "camera_tray"
    assert first.settings == {"source": f"v4l2:{by_id}/usb-046d_HD_Webcam_C270-video-index0"}


def test_a_camera_in_use_is_known_by_each_of_its_names(by_id: Path, tmp_path: Path) -> None:
    webcam = f"v4l2:{by_id}/usb-046d_HD_Webcam_C270-video-index0"
    for source in ("v4l2:0", "v4l2:", webcam, f"v4l2:{tmp_path}/video0"):
        assert [one.name for one in cameras([source], by_id, tmp_path)] == ["Arducam 8MP"], source
    assert len(cameras(["v4l2:1", "rpicam:0", "folder:/pictures"], by_id, tmp_path)) == 2


@pytest.mark.parametrize("name", found.PI_CAMERA_NAMES)
def test_a_camera_on_the_pis_own_connector_is_found_unless_it_is_used(name: str, tmp_path: Path) -> None:
    (tmp_path / "video0").mkdir()
    (tmp_path / "video0" / "name").write_text(f"{name}\n", "ascii")
    assert [one.settings for one in cameras([], tmp_path, tmp_path)] == [{"source": "rpicam:0"}]
    assert cameras(["rpicam:0"], tmp_path, tmp_path) == []


def test_other_video_devices_of_a_pi_are_no_camera(tmp_path: Path) -> None:
    (tmp_path / "video10").mkdir()
    (tmp_path / "video10" / "name").write_text("bcm2835-codec-decode\n", "ascii")
    assert cameras([], tmp_path, tmp_path) == []


def test_each_kind_of_pico_that_waits_is_known_by_its_drive(tmp_path: Path) -> None:
    one, other = tmp_path / "sda1", tmp_path / "sdb1"
    one.touch()
    other.touch()
    assert found.waiting_picos(tmp_path) == {}
    (tmp_path / "RPI-RP2").symlink_to(one)
    assert found.waiting_picos(tmp_path) == {boot_drive.PICO: one}
    (tmp_path / "RP2350").symlink_to(other)
    assert found.waiting_picos(tmp_path) == {boot_drive.PICO: one, boot_drive.PICO_2: other}
