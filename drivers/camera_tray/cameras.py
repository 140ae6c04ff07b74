"""Sources of the tray's pictures: a camera on USB, the Pi's own camera, or a folder that another program fills.

The Pi's own camera cannot be opened through Video4Linux alone, and its Python package is Debian's, which a virtual environment
cannot use. So its maker's program runs as a child process and sends Motion JPEG. Options and errors:
raspberrypi/rpicam-apps 1.12 (core/options.cpp, core/video_options.hpp, core/rpicam_app.cpp, output/file_output.cpp).
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Annotated, NamedTuple, Protocol

import cv2
import msgspec
import numpy as np

from drivers.camera_tray.mjpeg import JpegSplitter
from drivers.camera_tray.vision import Picture
from hub.engine.text import Text, say
from hub.errors import Cause, DeviceLost

log = logging.getLogger(__name__)

PROGRAMS = ("rpicam-vid", "libcamera-vid")  # the second one on Raspberry Pi OS before October 2023
INSTALL = "sudo apt install rpicam-apps-lite"
STARTING = 15.0  # seconds until the first picture: a Pi Zero takes long to start the camera
SILENT = (
    4.0  # seconds without a picture until the camera counts as hung; the program itself restarts it after one or two
)
ENDING = 2.0  # seconds in which the program must end
RATE = 10  # pictures per second
QUALITY = 90  # of their JPEG; the program's own 50 blurs pips
STALE = 0.3  # seconds after which a buffered picture is too old
MOST_READ = 65536  # bytes per read: the size of a pipe
LAST_LINES = 20
_LARGE = 1_000_000  # bytes, more than one picture

Positive = Annotated[float, msgspec.Meta(gt=0)]


class CameraSettings(NamedTuple):
    """Settings of a camera; None: automatic.

    focus: of a Pi's camera in dioptres, 1 / metres; of one on USB in its own units.
    exposure_us: microseconds. gain: of a Pi's camera a factor from 1; of one on USB in its own units.
    white_balance: of a Pi's camera the gains of red and blue; of one on USB in kelvin.
    """

    size: tuple[int, int] = (640, 480)
    focus: float | None = None
    exposure_us: int | None = None
    gain: float | None = None
    white_balance: list[float] | int | None = None


class Camera(Protocol):
    """A source of pictures of the tray."""

    def picture(self) -> Picture:
        """Return the newest picture, height x width x 3 (blue, green, red). Raise DeviceLost."""

    def interrupt(self) -> None:
        """Make a call of `picture` on another thread end soon."""

    def close(self) -> None:
        """Release the camera."""


class Folder:
    """The newest picture in a folder, by name, from another program or a test."""

    def __init__(self, folder: str, _settings: CameraSettings) -> None:
        self._folder = Path(folder).expanduser()

    def picture(self) -> Picture:
        """Return the newest picture."""
        found = sorted(path for path in self._folder.glob("*") if path.suffix in (".png", ".jpg"))
        picture = cv2.imread(str(found[-1]), cv2.IMREAD_COLOR) if found else None
        if picture is None:
            raise DeviceLost(
                say("There is no picture (.png or .jpg) in the dice tray's folder {path}.", path=str(self._folder)),
                Cause.MISSING,
            )
        return np.asarray(picture, np.uint8)

    def interrupt(self) -> None:
        """Do nothing: `picture` does not wait."""

    def close(self) -> None:
        """Do nothing: nothing is held open."""


# --- USB ---------------------------------------------------------------------------------------------

_MANUAL = 1  # V4L2_EXPOSURE_MANUAL (linux/v4l2-controls.h)


class Video:
    """A camera of Video4Linux, by its device file or number."""

    def __init__(self, device: str, settings: CameraSettings) -> None:
        self._device = device or "0"
        number = self._device.isdigit()
        self._camera = cv2.VideoCapture(int(self._device) if number else self._device, cv2.CAP_V4L2)
        self._camera.set(cv2.CAP_PROP_FRAME_WIDTH, settings.size[0])
        self._camera.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.size[1])
        self._camera.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._taken_at = 0.0
        if self._camera.isOpened():
            self._fix(settings)

    def _fix(self, settings: CameraSettings) -> None:
        """Set the given controls, after switching off the automatic control that would override them."""
        for asked, automatic, off, control, value in (
            ("focus", cv2.CAP_PROP_AUTOFOCUS, 0, cv2.CAP_PROP_FOCUS, settings.focus),
            # V4L2 counts the exposure in steps of 100 microseconds (V4L2_CID_EXPOSURE_ABSOLUTE).
            ("exposure_us", cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL, cv2.CAP_PROP_EXPOSURE,
             None if settings.exposure_us is None else max(1, round(settings.exposure_us / 100))),
            ("gain", None, 0, cv2.CAP_PROP_GAIN, settings.gain),
            ("white_balance", cv2.CAP_PROP_AUTO_WB, 0, cv2.CAP_PROP_WB_TEMPERATURE, settings.white_balance),
        ):  # fmt: skip
            if value is None:
                continue
            if automatic is not None:
                self._camera.set(automatic, off)  # fails if the camera has no such automatic control
            if not isinstance(value, int | float) or not self._camera.set(control, value):
                self._camera.release()
                raise DeviceLost(
                    f"The dice tray's camera {self._device} cannot be set to {asked} = {value}: take that out of its "
                    "[[device]], or give a value that `v4l2-ctl -L` names."
                )

    def picture(self) -> Picture:
        """Return the newest picture."""
        if time.monotonic() - self._taken_at > STALE:
            self._camera.grab()  # drop the buffered picture, which is too old
        good, picture = self._camera.read()
        self._taken_at = time.monotonic()
        if not good:
            raise DeviceLost(
                say("The dice tray's camera sends no picture. Is it plugged in? Does another program use it?")
            )
        return np.asarray(picture, np.uint8)

    def interrupt(self) -> None:
        """Do nothing: the driver returns within seconds."""

    def close(self) -> None:
        """Give the camera back."""
        self._camera.release()


# --- the Pi's own ------------------------------------------------------------------------------------


def find_program() -> str | None:
    """Return the path of the maker's program; None if it is not installed."""
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


def options(number: str, settings: CameraSettings) -> list[str]:
    """Return the options of `rpicam-vid` for an endless stream of pictures on its standard output."""
    width, height = settings.size
    arguments = ["--camera", number, "--codec", "mjpeg", "--quality", str(QUALITY), "--timeout", "0", "--nopreview"]
    # Without `flush` the end of each picture stays in a buffer until the next one.
    arguments += ["--flush", "--output", "-", "--width", str(width), "--height", str(height), "--framerate", str(RATE)]
    if settings.focus is not None:  # ignored by a lens without a motor
        arguments += ["--autofocus-mode", "manual", "--lens-position", f"{settings.focus:.2f}"]
    if settings.exposure_us is not None:
        arguments += ["--shutter", str(settings.exposure_us)]
    if settings.gain is not None:
        arguments += ["--gain", f"{settings.gain:g}"]
    match settings.white_balance:
        case [red, blue]:
            arguments += ["--awbgains", f"{red:g},{blue:g}"]
    return arguments


class PiCamera:
    """A camera on the Pi's own connector: the newest picture of a child process, which ends with this object or the hub."""

    def __init__(self, number: str, settings: CameraSettings) -> None:
        self._number = number or "0"
        program = find_program()
        if program is None:
            raise DeviceLost(f"The Pi's own camera needs the program rpicam-vid: {INSTALL}.", Cause.PACKAGE)
        setpriv = shutil.which("setpriv")
        # pdeathsig: if the hub is killed, the program ends too and releases the camera.
        prefix = [setpriv, "--pdeathsig", "KILL"] if setpriv else []
        self._newest: bytes | None = None
        self._unread = 0  # bytes since the last picture
        self._ended = self._interrupted = False
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._news = threading.Condition()
        self._first_by = time.monotonic() + STARTING
        try:
            self._child = subprocess.Popen(
                [*prefix, program, *options(self._number, settings)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal must reach only the hub, which ends the program itself
            )
        except OSError as error:
            raise DeviceLost(f"{program} cannot be started ({error.strerror}).", Cause.of(error)) from None
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._threads = [
            threading.Thread(target=self._read_pictures, args=(self._child.stdout,), name="rpicam", daemon=True),
            threading.Thread(target=self._read_lines, args=(self._child.stderr,), name="rpicam-log", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def picture(self) -> Picture:
        """Return the newest picture since the last call, or wait for the next one."""
        until = max(self._first_by, time.monotonic() + SILENT)
        while True:
            with self._news:
                left = max(0.0, until - time.monotonic())
                self._news.wait_for(lambda: self._newest or self._ended or self._interrupted, left)
                data, self._newest = self._newest, None
            if data is None or self._interrupted or left == 0:
                raise self._failure()
            picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
            if picture is not None:
                self._first_by = 0.0
                return np.asarray(picture, np.uint8)

    def interrupt(self) -> None:
        """End a wait for a picture."""
        with self._news:
            self._interrupted = True
            self._news.notify_all()

    def close(self) -> None:
        """End the program with SIGINT, so that it releases the camera, or with SIGKILL if it does not end."""
        self.interrupt()
        with suppress(ProcessLookupError):
            self._child.send_signal(signal.SIGINT)
        try:
            self._child.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._child.kill()
            with suppress(subprocess.TimeoutExpired):  # it hangs in the kernel
                self._child.wait(ENDING)
        for thread in self._threads:
            thread.join(ENDING)

    def _failure(self) -> DeviceLost:
        """Return the error to raise if the program has ended or hangs."""
        if self._interrupted:
            return DeviceLost(say("The Pi's camera {number} is closed.", number=self._number))
        if not self._ended:
            if self._unread > (0 if self._first_by else _LARGE):
                return DeviceLost(
                    say(
                        "The Pi's camera {number} does not send pictures. Is {program} the maker's own program?",
                        number=self._number,
                        program=PROGRAMS[0],
                    )
                )
            return DeviceLost(
                say(
                    "The Pi's camera {number} sends no picture. Switch the power off, then check its ribbon cable.",
                    number=self._number,
                ),
                Cause.SILENT,
            )
        for thread in self._threads:
            thread.join(ENDING)  # read the last output
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(ENDING)
        output = "\n".join(self._lines)
        for sentence, cause, signs in _endings(self._number):
            if any(sign in output for sign in signs):
                return DeviceLost(sentence, cause)
        code = self._child.returncode
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"exit status {code}"
        errors = [line for line in self._lines if "ERROR" in line] or list(self._lines)
        last = f"; it said: {errors[-1]}" if errors else ""
        ended = say("The program of the Pi's camera {number} has ended ({end}).", number=self._number, end=how + last)
        return DeviceLost(ended, Cause.UNPLUGGED)

    def _read_pictures(self, stream: IO[bytes]) -> None:
        splitter = JpegSplitter()
        with stream:
            while data := os.read(stream.fileno(), MOST_READ):
                whole = splitter.feed(data)
                with self._news:
                    self._unread += len(data)
                    if whole:
                        self._unread = 0
                        self._newest = whole[-1]
                        self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _read_lines(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                text = line.decode("utf-8", "replace").strip()[:300]
                log.debug("rpicam-vid: %s", text)
                if text and not text.startswith("#"):  # older programs print a line per picture
                    self._lines.append(text)


def _endings(number: str) -> Sequence[tuple[Text, Cause, Sequence[str]]]:
    """Return the known failures: sentence, cause, and output of the program that indicates it.

    Sources: core/rpicam_app.cpp (OpenCamera); libcamera, camera.cpp (Camera::acquire).
    """
    return (
        (
            say("Another program uses the Pi's camera {number}: end that program.", number=number),
            Cause.BUSY,
            ("in use by another process", "failed to acquire camera"),
        ),
        (
            say(
                "The Pi's camera {number} is not there. Switch the power off, then check its ribbon cable.",
                number=number,
            ),
            Cause.MISSING,
            ("no cameras available", "selected camera is not available"),
        ),
        (
            say(
                "The Pi's camera {number} cannot be used: this is not a Raspberry Pi with a current camera system.",
                number=number,
            ),
            Cause.MISSING,
            ("only supports the Raspberry Pi platforms", "legacy camera stack"),
        ),
    )


SOURCES: dict[str, Callable[[str, CameraSettings], Camera]] = {"folder": Folder, "v4l2": Video, "rpicam": PiCamera}


def open_camera(source: str, settings: CameraSettings) -> Camera:
    """Open a source of pictures: "v4l2:/dev/v4l/by-id/...", "rpicam:0" or "folder:/a/path". Raise DeviceLost."""
    kind, _, where = source.partition(":")
    return SOURCES[kind](where, settings)
