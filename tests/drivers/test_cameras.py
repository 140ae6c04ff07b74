"""The tray's cameras: the Pi's own through its maker's program, as a process with a pipe, and those on USB."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from drivers.camera_tray import NAME, CameraTray, Settings, calibrate, cameras, connect
from drivers.camera_tray.calibration import measure, save
from drivers.camera_tray.cameras import PiCamera, Video, open_camera
from drivers.camera_tray.mjpeg import MOST, JpegSplitter
from hub.errors import Cause, ConfigError, DeviceLost
from hub.ports import DeviceDown, DeviceUp, DiceKit, DiceSeen
from tests.drivers.contexts import context
from tests.vision.painter import CAMERA, DIE, PaintedDie, Scene, empty, paint, upright
from tests.vision.rpicam_vid import install

pytestmark = pytest.mark.real_time

CHANCE = np.random.default_rng
SHARP = Settings(source="rpicam:0").camera_settings


def jpeg(n: int, *options: int) -> bytes:
    """A picture in many grey levels, with bytes of every kind in it."""
    grain = CHANCE(n).integers(0, 255, (48, 64, 3)).astype(np.uint8)
    return cv2.imencode(".jpg", grain, list(options))[1].tobytes()


# --- the stream ----------------------------------------------------------------------------------


PICTURES = [
    jpeg(1),
    jpeg(2, cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    jpeg(3, cv2.IMWRITE_JPEG_RST_INTERVAL, 2),
    jpeg(4, cv2.IMWRITE_JPEG_QUALITY, 3),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 4096, 10**6])
def test_pictures_are_whole_however_the_reads_fall(size: int) -> None:
    stream, splitter = b"".join(PICTURES * 2), JpegSplitter()
    found = [one for at in range(0, len(stream), size) for one in splitter.feed(stream[at : at + size])]
    assert found == PICTURES * 2


def with_a_thumbnail(picture: bytes) -> bytes:
    """The picture with a whole smaller one inside its head, as cameras put it (APP1)."""
    thumb = b"Exif\0\0" + PICTURES[0]
    return picture[:2] + b"\xff\xe1" + (len(thumb) + 2).to_bytes(2, "big") + thumb + picture[2:]


def test_the_last_bytes_of_a_picture_inside_its_head_end_nothing() -> None:
    inside = with_a_thumbnail(PICTURES[2])
    assert JpegSplitter().feed(inside + PICTURES[0]) == [inside, PICTURES[0]]


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_that_is_cut_anywhere_is_dropped_and_the_next_ones_are_whole(picture: bytes) -> None:
    for cut in range(0, len(picture), 37):
        found = JpegSplitter().feed(picture[:cut] + PICTURES[0] * 200)  # a cut head may swallow 65,535 bytes
        assert len(found) > 100
        assert set(found) == {PICTURES[0]}


def test_noise_is_no_picture_and_is_not_kept() -> None:
    splitter = JpegSplitter()
    noise = CHANCE(5).integers(0, 255, 3_000_000).astype(np.uint8).tobytes()
    found = [one for at in range(0, len(noise), 50_000) for one in splitter.feed(noise[at : at + 50_000])]
    assert not [one for one in found if cv2.imdecode(np.frombuffer(one, np.uint8), cv2.IMREAD_COLOR) is not None]
    endless = b"\xff\xd8\xff\xda\x00\x02" + bytes(2 * MOST)
    splitter.feed(endless)
    assert len(splitter._data) <= MOST
    assert splitter.feed(PICTURES[1]) == [PICTURES[1]]


# --- the Pi's own --------------------------------------------------------------------------------


class Pi:
    """A computer on whose PATH is `rpicam-vid`, and what its camera sees."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._scene, self._calls = folder / "scene.json", folder / "calls"
        self.told: dict[str, Any] = {}
        self.see()
        self._calls.touch()
        self.path = f"{install(folder / 'bin')}:{os.environ['PATH']}"
        patch.setenv("PATH", self.path)
        patch.setenv("RPICAM_SCENE", str(self._scene))
        patch.setenv("RPICAM_CALLS", str(self._calls))

    def see(self, *faces: int, **told: Any) -> None:
        half = self._scene.with_suffix(".half")
        half.write_text(json.dumps({"faces": faces} | told), "utf-8")
        half.rename(self._scene)

    def calls(self) -> list[list[Any]]:
        return [json.loads(line) for line in self._calls.read_text("utf-8").splitlines()]

    def running(self) -> list[int]:
        return [call[0] for call in self.calls() if lives(call[0])]


def lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(right: Callable[[], object], patience: float = 60.0) -> None:
    deadline = time.monotonic() + patience
    while not right():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)


def look_on(camera: PiCamera) -> None:
    for _ in range(9):
        camera.picture()


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pi]:
    pi = Pi(tmp_path, monkeypatch)
    monkeypatch.setattr(cameras, "STARTING", 60.0)  # a slow computer starts the program slowly
    yield pi
    for number in pi.running():
        os.kill(number, signal.SIGKILL)


def test_the_newest_picture_of_the_program_is_seen_and_closing_ends_it(pi: Pi) -> None:
    camera = PiCamera("0", SHARP)
    try:
        first = camera.picture()
        assert first.shape == (480, 640, 3)
        assert len(pi.running()) == 1
        pi.see(6, 6)
        until(lambda: np.abs(camera.picture().astype(int) - first).max() > 60)
    finally:
        camera.close()
    assert pi.running() == []


def test_focus_exposure_and_white_balance_are_the_configurations(pi: Pi) -> None:
    settings = Settings(
        source="rpicam:0", width=800, height=600, exposure_us=8000, gain=2.5, white_balance=[1.8, 1.5], camera_mm=320
    )
    camera = open_camera(settings.source, settings.camera_settings)
    try:
        assert camera.picture().shape == (600, 800, 3)
    finally:
        camera.close()
    line = " ".join(pi.calls()[0][1:])
    assert "--autofocus-mode manual --lens-position 3.29" in line  # 1 / 0.304 m: the tops of the dice
    assert "--shutter 8000 --gain 2.5 --awbgains 1.8,1.5" in line
    assert "--width 800 --height 600" in line


@pytest.mark.parametrize(
    ("told", "number", "cause", "said"),
    [
        ({"trouble": "busy"}, "0", Cause.BUSY, "Another program uses the Pi's camera 0"),
        ({"trouble": "none"}, "0", Cause.MISSING, "check its ribbon cable"),
        ({}, "3", Cause.MISSING, "camera 3 is not there"),
        ({"trouble": "platform"}, "0", Cause.MISSING, "not a Raspberry Pi"),
        pytest.param({"trouble": "garbage"}, "0", Cause.FAULT, "does not send pictures", marks=pytest.mark.slow),
        pytest.param({"trouble": "silent"}, "0", Cause.SILENT, "sends no picture", marks=pytest.mark.slow),
    ],
)
def test_what_is_wrong_with_the_camera_is_one_sentence(
    pi: Pi, monkeypatch: pytest.MonkeyPatch, told: dict[str, Any], number: str, cause: Cause, said: str
) -> None:
    if told.get("trouble") in ("garbage", "silent"):  # else the program says it, however late
        monkeypatch.setattr(cameras, "STARTING", 6.0)
        monkeypatch.setattr(cameras, "SILENT", 6.0)
    pi.see(**told)
    camera = PiCamera(number, SHARP)
    try:
        with pytest.raises(DeviceLost, match=said) as lost:
            camera.picture()
        assert lost.value.cause is cause
    finally:
        camera.close()
    assert pi.running() == []


def test_a_camera_that_hangs_or_is_killed_is_noticed(pi: Pi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "SILENT", 2.0)
    pi.see(trouble="hang")
    camera = PiCamera("0", SHARP)
    with pytest.raises(DeviceLost, match="sends no picture") as lost:
        look_on(camera)
    assert lost.value.cause is Cause.SILENT
    camera.close()
    assert pi.running() == []
    pi.see()
    camera = PiCamera("0", SHARP)
    camera.picture()
    os.kill(pi.running()[0], signal.SIGKILL)
    with pytest.raises(DeviceLost, match=r"has ended \(killed by signal 9") as lost:
        look_on(camera)
    assert lost.value.cause is Cause.UNPLUGGED
    camera.close()


def test_a_program_that_does_not_end_is_killed(pi: Pi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "ENDING", 0.5)
    pi.see(trouble="late")
    camera = PiCamera("0", SHARP)
    camera.picture()
    camera.close()
    assert pi.running() == []


def test_the_old_name_of_the_program_will_do_and_without_any_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    monkeypatch.setenv("PATH", str(bare))
    with pytest.raises(DeviceLost, match="sudo apt install rpicam-apps-lite") as lost:
        PiCamera("0", SHARP)
    assert lost.value.cause is Cause.PACKAGE
    install(bare, "libcamera-vid")
    assert cameras.find_program() == str(bare / "libcamera-vid")


KILLED = """
import sys, time
from drivers.camera_tray import cameras
from drivers.camera_tray.cameras import CameraSettings, PiCamera
cameras.STARTING = 60.0
camera = PiCamera("0", CameraSettings())
camera.picture()
print("sees", flush=True)
time.sleep(60)
"""


def test_a_hub_that_is_killed_leaves_no_program_behind(pi: Pi) -> None:
    hub = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert hub.stdout is not None
    with hub.stdout:
        assert hub.stdout.readline() == "sees\n"
    assert len(pi.running()) == 1
    hub.kill()
    hub.wait()
    until(lambda: not pi.running())


@pytest.mark.slow
def test_a_throw_is_read_by_the_pis_own_camera_which_is_started_again_when_it_dies(pi: Pi, tmp_path: Path) -> None:
    kept, told = tmp_path / "tray.npz", queue.Queue[object]()
    one = paint(Scene([PaintedDie((0, 0), upright(5, 0.4))]), CHANCE(3))
    save(measure(empty(Scene([]), CHANCE(4)), one, CAMERA / DIE), kept)
    tray = CameraTray(Settings(source="rpicam:0", calibration=str(kept)), told.put)

    def hear(kind: type[Any], right: Callable[[Any], bool]) -> Any:
        while True:
            signal = told.get(timeout=60)
            if isinstance(signal, kind) and right(signal):
                return signal

    def arm(number: int) -> None:
        tray.arm(number, 1, 2, 6)
        hear(DiceSeen, lambda seen: (seen.arm, seen.state) == (number, "armed"))
        until(lambda: tray._before is not None)  # it has seen what lies there before the throw

    tray.start()
    try:
        hear(DiceKit, lambda kit: kit.dice == 6)
        arm(1)
        pi.see(6, 1, shift=20)
        assert hear(DiceSeen, lambda seen: seen.state == "settled").faces == (6, 1)
        os.kill(pi.running()[0], signal.SIGKILL)
        assert "has ended" in hear(DeviceDown, lambda _: True).why
        hear(DeviceUp, lambda _: True)
        arm(2)
        pi.see(2, 3, shift=-5)
        assert hear(DiceSeen, lambda seen: (seen.arm, seen.state) == (2, "settled")).faces == (2, 3)
        assert len(pi.calls()) == 2
    finally:
        began = time.monotonic()
        tray.close()
    assert time.monotonic() - began < 10, "a camera may take longer than that to begin"
    assert pi.running() == []


def test_closing_does_not_wait_for_a_camera_that_never_comes(pi: Pi, tmp_path: Path) -> None:
    pi.see(trouble="silent")
    save(measure(empty(Scene([]), CHANCE(4)), paint(Scene([PaintedDie((0, 0), upright(5, 0.4))]), CHANCE(3)), 20), tmp_path / "t.npz")  # fmt: skip
    tray = CameraTray(Settings(source="rpicam:0", calibration=str(tmp_path / "t.npz")), lambda _: None)
    tray.start()
    until(pi.running)
    began = time.monotonic()
    tray.close()
    assert time.monotonic() - began < 10, "a camera may take longer than that to begin"
    until(lambda: not pi.running())


# --- USB -----------------------------------------------------------------------------------------


class FakeCapture:
    """OpenCV's camera of Video4Linux: controls by number; a focus that cannot be set while it is automatic."""

    lacks: tuple[int, ...] = ()
    made: list[FakeCapture]

    def __init__(self, device: int | str, backend: int) -> None:
        self.device, self.given, self.done = device, {cv2.CAP_PROP_AUTOFOCUS: 1.0, cv2.CAP_PROP_AUTO_EXPOSURE: 3.0}, ""
        assert backend == cv2.CAP_V4L2
        FakeCapture.made.append(self)

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, control: int, value: float) -> bool:
        automatic = {cv2.CAP_PROP_FOCUS: cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_EXPOSURE: cv2.CAP_PROP_AUTO_EXPOSURE}
        held = self.given.get(automatic.get(control, -1), 0.0)
        if control in self.lacks or held not in (0.0, 1.0) or (control == cv2.CAP_PROP_FOCUS and held):
            return False
        self.given[control] = value
        return True

    def grab(self) -> bool:
        self.done += "g"
        return True

    def read(self) -> tuple[bool, Any]:
        self.done += "r"
        return True, np.zeros((480, 640, 3), np.uint8)

    def release(self) -> None:
        self.done += "x"


@pytest.fixture
def capture(monkeypatch: pytest.MonkeyPatch) -> type[FakeCapture]:
    FakeCapture.made, FakeCapture.lacks = [], ()
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    return FakeCapture


def test_a_camera_on_usb_is_opened_by_its_lasting_name_and_its_automatics_are_switched_off(
    capture: type[FakeCapture],
) -> None:
    name = "/dev/v4l/by-id/usb-Acme_C1-video-index0"
    settings = Settings(source=f"v4l2:{name}", focus=30, exposure_us=15600, gain=4, white_balance=4300)
    open_camera(settings.source, settings.camera_settings)
    (camera,) = capture.made
    assert camera.device == name
    given = camera.given
    assert (given[cv2.CAP_PROP_AUTOFOCUS], given[cv2.CAP_PROP_FOCUS]) == (0, 30)
    assert (given[cv2.CAP_PROP_AUTO_EXPOSURE], given[cv2.CAP_PROP_EXPOSURE]) == (1, 156)
    assert (given[cv2.CAP_PROP_AUTO_WB], given[cv2.CAP_PROP_WB_TEMPERATURE]) == (0, 4300)
    assert given[cv2.CAP_PROP_GAIN] == 4
    open_camera("v4l2:0", Settings().camera_settings)
    assert cv2.CAP_PROP_FOCUS not in capture.made[1].given


def test_a_control_that_the_camera_has_not_is_refused_by_its_name(capture: type[FakeCapture]) -> None:
    capture.lacks = (cv2.CAP_PROP_FOCUS,)
    with pytest.raises(DeviceLost, match="cannot be set to focus = 30"):
        Video("0", Settings(focus=30).camera_settings)
    assert capture.made[0].done == "x"


def test_a_picture_that_waited_in_the_driver_is_passed_over(capture: type[FakeCapture]) -> None:
    camera = Video("0", Settings().camera_settings)
    camera.picture()
    camera.picture()
    camera._taken_at -= 2
    camera.picture()
    assert capture.made[0].done == "grrgr"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"source": "picamera2:0"}, '"rpicam:0"'),
        ({"source": "rpicam:front"}, '"rpicam:0"'),
        ({"source": "rpicam:0", "white_balance": 4500}, "two gains, of red and blue"),
        ({"source": "v4l2:0", "white_balance": [1.5, 1.5]}, "kelvin"),
        ({"source": "folder:/a", "focus": 3}, "focus is set by the program that writes the pictures"),
        ({"exposure_us": 0}, "exposure_us"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        connect(settings, context())


def test_calibrating_names_the_cameras_that_are_there(capture: type[FakeCapture], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # fmt: skip
    (tmp_path / "usb-Acme_C1-video-index0").touch()
    monkeypatch.setattr("drivers.camera_tray.BY_ID", f"{tmp_path}/*-video-index0")
    said: list[str] = []

    def stop(_: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibrate({"source": "v4l2:0"}, stop, said.append)
    assert said == [
        f'The name of a camera on USB, whatever its number: source = "v4l2:{tmp_path}/usb-Acme_C1-video-index0"'
    ]
    assert capture.made[0].done == "x"


def test_a_tray_without_a_camera_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    save(measure(empty(Scene([]), CHANCE(4)), paint(Scene([PaintedDie((0, 0), upright(5, 0.4))]), CHANCE(3)), 20), tmp_path / "t.npz")  # fmt: skip
    told: queue.Queue[object] = queue.Queue()
    tray = CameraTray(Settings(source="rpicam:0", calibration=str(tmp_path / "t.npz")), told.put)
    tray.start()
    try:
        assert told.get(timeout=9) == DeviceDown(NAME, "The Pi's own camera needs the program rpicam-vid: sudo apt install rpicam-apps-lite.")  # fmt: skip
    finally:
        tray.close()
