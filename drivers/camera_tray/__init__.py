"""A camera that looks down on the dice tray: a throw counts when three pictures running say the same of dice at rest.

What the pictures show is read by `vision.py`. Whatever is not certain there is asked of a person, never guessed. The
tray is calibrated once (`table-hub calibrate-tray`): what it looks like empty, and how large a die is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol

import cv2
import msgspec
import numpy as np

from drivers.camera_tray.vision import Calibration, Picture, PictureAnalysis, Reading, read
from drivers.common import settings as block
from drivers.common.requirements import Need
from drivers.common.worker import Inbox, ThreadedDevice
from hub.errors import Cause, DeviceLost
from hub.ports import Clock, DiceKit, DiceSeen, DiceState, MonotonicClock

AGREE = 3  # pictures running
REST = 0.7  # seconds that dice lie still before they count
DOUBTFUL = 2.0  # seconds of doubt, or of pictures that differ, before a person is asked
STILL = 4.0  # pixels that a die's middle may seem to wander
EVERY, IDLE = 0.12, 2.0  # seconds between two pictures, while a roll is watched and otherwise
WARM = 12  # pictures that are let pass before one is kept
STIRRED = 0.002  # share of a picture that changes when a die moves

NAME = "the dice tray"
MOST = 6  # dice in one throw: more of them hide each other
SILENT = "The tray's camera is silent: type what you see."
UNSURE = "I cannot read these dice: lay them flat and apart, or type what they show."


class Frames(Protocol):
    """Where pictures come from."""

    def frame(self) -> Picture:
        """Return the newest picture, height x width x 3 (blue, green, red). Raise DeviceLost."""

    def close(self) -> None:
        """Give the camera back."""


class Folder:
    """The newest picture of a folder, by name: another program's camera, or a test's."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder).expanduser()

    def frame(self) -> Picture:
        """Return the newest picture."""
        found = sorted(path for path in self._folder.glob("*") if path.suffix in (".png", ".jpg"))
        picture = cv2.imread(str(found[-1]), cv2.IMREAD_COLOR) if found else None
        if picture is None:
            raise DeviceLost(f"The dice tray's folder {self._folder} holds no picture (.png or .jpg).", Cause.MISSING)
        return np.asarray(picture, np.uint8)

    def close(self) -> None:
        """Do nothing: nothing is held open."""


class Video:
    """A camera of Video4Linux, by its number or device file."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._camera = cv2.VideoCapture(int(device) if device.isdigit() else device, cv2.CAP_V4L2)
        self._camera.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # a picture that waited shows the throw before

    def frame(self) -> Picture:
        """Return the newest picture."""
        good, picture = self._camera.read()
        if not good:
            raise DeviceLost(
                f"The dice tray's camera {self._device} gives no picture: is it plugged in, and used by nothing else?"
            )
        return np.asarray(picture, np.uint8)

    def close(self) -> None:
        """Give the camera back."""
        self._camera.release()


class PiCamera:
    """The Pi's own camera, through picamera2 (Debian's python3-picamera2)."""

    def __init__(self, number: str) -> None:
        try:
            from picamera2 import Picamera2  # noqa: PLC0415 - on a Pi only, and from Debian
        except ImportError:
            raise DeviceLost(
                "The dice tray's camera needs picamera2: apt install python3-picamera2.", Cause.PACKAGE
            ) from None
        try:
            self._camera = Picamera2(int(number))
            self._camera.configure(self._camera.create_video_configuration({"size": (640, 480), "format": "RGB888"}))
            self._camera.start()
        except (RuntimeError, IndexError) as error:
            raise DeviceLost(f"The Pi's camera {number} cannot be opened: {error}.", Cause.of(error)) from None

    def frame(self) -> Picture:
        """Return the newest picture; "RGB888" is blue first in memory."""
        return np.asarray(self._camera.capture_array(), np.uint8)

    def close(self) -> None:
        """Give the camera back."""
        self._camera.close()


SOURCES: Mapping[str, Callable[[str], Frames]] = {"folder": Folder, "v4l2": Video, "picamera2": PiCamera}


def open_frames(source: str) -> Frames:
    """Open the pictures of `source`: "v4l2:0", "picamera2:0" or "folder:/a/path". Raise DeviceLost."""
    kind, _, where = source.partition(":")
    return SOURCES[kind](where or "0")


# --- when a throw may be believed --------------------------------------------------------------------


class Watch:
    """What follows from one picture after another, from the moment a throw of `count` dice is asked for.

    Dice that lie there already are those of the last throw: until something stirs nothing is read, unless `lying`.
    """

    def __init__(self, count: int, now: float, *, lying: bool = False) -> None:
        self._count = count
        self._stirred = lying
        self._still_since = now
        self._last: Reading | None = None
        self._run: deque[Reading] = deque(maxlen=AGREE)
        self._unsure_since: float | None = None

    def look(self, reading: Reading | None, now: float) -> tuple[DiceState, tuple[int, ...], str]:
        """Return state, faces and sentence after a picture; `reading` is None while something moves."""
        if reading is None or (self._last is not None and not same(self._last, reading)):
            self._stirred = True
            self._still_since = now
            self._run.clear()
        if reading is None:
            self._unsure_since = None
            return "rolling", (), ""
        self._last = reading
        if not self._stirred:
            return "armed", (), ""
        self._run.append(reading)
        if len(self._run) == AGREE and now - self._still_since >= REST and not any(one.doubt for one in self._run):
            self._unsure_since = None
            return self._settled(tuple(face.number for face in reading.faces))
        self._unsure_since = now if self._unsure_since is None else self._unsure_since
        if now - self._unsure_since >= DOUBTFUL:
            return "cocked", (), reading.doubt or UNSURE
        return "rolling", (), ""

    def _settled(self, faces: tuple[int, ...]) -> tuple[DiceState, tuple[int, ...], str]:
        if not faces:
            return "armed", (), ""  # the dice were taken out, to be thrown
        if len(faces) != self._count:
            return (
                "wrong_count",
                (),
                f"I see {len(faces)} of {self._count}: throw them all again, or type what they show.",
            )
        return "settled", faces, ""


def same(a: Reading, b: Reading) -> bool:
    """Return whether two pictures show the same dice in the same places."""
    if len(a.faces) != len(b.faces) or bool(a.doubt) != bool(b.doubt):
        return False
    return all(
        any(one.number == two.number and np.hypot(one.x - two.x, one.y - two.y) < STILL for two in b.faces)
        for one in a.faces
    )


def stirred(before: Picture, after: Picture) -> bool:
    """Return whether something moved between two pictures: more pixels changed than grain and flicker change."""
    small = [cv2.GaussianBlur(one, (0, 0), 1.5)[::2, ::2].astype(np.int16) for one in (before, after)]
    return float(np.mean(np.abs(small[1] - small[0]).max(axis=2) > 18)) > STIRRED


# --- the device --------------------------------------------------------------------------------------


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "camera_tray"`."""

    source: Annotated[
        str, msgspec.Meta(description='the camera: "v4l2:0", "picamera2:0", or pictures in "folder:/a/path"')
    ] = "v4l2:0"
    calibration: Annotated[str, msgspec.Meta(description="the file that `table-hub calibrate-tray` writes")] = (
        "~/.local/state/table-hub/dice-tray.npz"
    )
    camera_mm: Annotated[
        float, msgspec.Meta(ge=80, le=2000, description="from the tray's floor to the camera", extra={"unit": "mm"})
    ] = 320.0
    die_mm: Annotated[float, msgspec.Meta(ge=8, le=40, description="a die's edge", extra={"unit": "mm"})] = 16.0

    def __post_init__(self) -> None:
        kind, _, _ = self.source.partition(":")
        if kind not in SOURCES:
            raise ValueError(f'source is "v4l2:0", "picamera2:0" or "folder:/a/path", not {self.source!r}')


class CameraTray(ThreadedDevice):
    """The `Dice` port on a camera, and the device of a `[[device]]` block."""

    lamps = page = boxes = None

    def __init__(self, settings: Settings, inbox: Inbox, clock: Clock | None = None) -> None:
        self._clock = clock if clock is not None else MonotonicClock()
        super().__init__(NAME, inbox, self._clock)
        self.dice = self
        self._settings = settings
        self._put = inbox
        self._frames: Frames | None = None
        self._calibration: Calibration | None = None
        self._before: Picture | None = None
        self._watch: Watch | None = None
        self._arm = self._count = 0
        self._reported: tuple[DiceState, tuple[int, ...], str] | None = None

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:  # noqa: ARG002 - a camera does not see who throws
        """Watch for a throw."""
        self._thread.call_soon(partial(self._begin, number, count, sides, lying=lying))

    def disarm(self) -> None:
        """Ignore whatever the dice do."""
        self._thread.call_soon(self._end)

    def _begin(self, number: int, count: int, sides: int, *, lying: bool) -> None:
        self._arm, self._reported, self._count = number, None, count
        self._watch = Watch(count, self._clock.now(), lying=lying)
        self._before = None  # no picture was taken while nobody asked: what lies there now is no throw
        if sides != 6:
            self._watch = None
            self._say("no_reader", (), f"The tray reads dice of six sides, not of {sides}: type what you see.")
        elif self._frames is None:
            self._say("no_reader", (), SILENT)
        else:
            self._say("armed", (), "")

    def _end(self) -> None:
        self._watch = None

    def _say(self, state: DiceState, faces: tuple[int, ...], text: str) -> None:
        if (state, faces, text) != self._reported:
            self._reported = (state, faces, text)
            self._put(DiceSeen(NAME, self._arm, state, faces, text))

    # --- on the thread ---

    def acquire(self) -> None:
        """Open the camera and read the calibration."""
        self._calibration = load(Path(self._settings.calibration).expanduser())
        self._frames = open_frames(self._settings.source)
        self._before = self._frames.frame()
        self._put(DiceKit(NAME, MOST))
        if self._watch is not None:
            self._watch = Watch(self._count, self._clock.now())
            self._say("armed", (), "")

    def step(self, now: float) -> float | None:
        """Take a picture, and tell what follows from it."""
        assert self._frames is not None
        assert self._calibration is not None
        if self._watch is None:
            return now + IDLE
        picture = self._frames.frame()
        before, self._before = self._before, picture
        moving = before is not None and (picture.shape != before.shape or stirred(before, picture))
        try:
            reading = None if moving else read(picture, self._calibration)
        except ValueError as error:
            raise DeviceLost(str(error), Cause.CALIBRATION) from None
        self._say(*self._watch.look(reading, now))
        return now + EVERY

    def release(self) -> None:
        """Close the camera. A roll that was watched is typed, until the camera is back."""
        if self._frames is not None:
            self._frames.close()
            self._put(DiceKit(NAME, 0))
        self._frames = self._before = None
        if self._watch is not None:
            self._say("no_reader", (), SILENT)


def needs(settings: Mapping[str, Any]) -> list[Need]:
    """Return what the machine must have for a `[[device]]` block: the camera, and the calibration."""
    asked = block.read(Settings, settings, "camera_tray")
    kind, _, where = asked.source.partition(":")
    match kind:
        case "v4l2":
            node = f"/dev/video{where or 0}" if (where or "0").isdigit() else where
            camera = Need("file", node, "plug the camera in; `ls /dev/video*` shows what is there")
        case "folder":
            camera = Need("file", str(Path(where).expanduser()), "start the program that writes pictures there")
        case _:
            camera = Need("package", "picamera2", "sudo apt install python3-picamera2")
    kept = Need("file", str(Path(asked.calibration).expanduser()), "run table-hub calibrate-tray as the hub's user")
    return [camera, kept]


def connect(settings: Mapping[str, Any], inbox: Inbox, draws: object = None) -> CameraTray:  # noqa: ARG001 - a tray draws nothing
    """Return the device of a `[[device]]` block. Raise ConfigError."""
    return CameraTray(block.read(Settings, settings, "camera_tray"), inbox)


# --- calibration -------------------------------------------------------------------------------------


def load(path: Path) -> Calibration:
    """Return a calibration as `calibrate` wrote it. Raise DeviceLost."""
    try:
        with np.load(path) as kept:
            return Calibration(np.asarray(kept["empty"], np.uint8), float(kept["side"]), float(kept["height"]))
    except (OSError, KeyError, ValueError):
        raise DeviceLost(
            f"The dice tray is not calibrated ({path}): run table-hub calibrate-tray.", Cause.CALIBRATION
        ) from None


def keep(calibration: Calibration, path: Path) -> None:
    """Write a calibration, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    with half.open("wb") as file:
        np.savez_compressed(file, empty=calibration.empty, side=calibration.side, height=calibration.height)
    half.replace(path)


def measure(empty: Picture, one: Picture, height: float) -> Calibration:
    """Return the calibration that two pictures give: of the empty tray, and with one flat die in the middle.

    `height` is the camera's above the tray, in sides of a die. Raise DeviceLost with what is wrong.
    """
    short, _ = PictureAnalysis(one, Calibration(empty, 1.0, height)).largest()
    if short == 0:
        raise DeviceLost(
            "I see no difference between the empty tray and the die: take dice of another colour, or more light."
        )
    if short < 24:
        raise DeviceLost(
            f"The die is only {short:.0f} pixels wide, 24 are needed: bring the camera nearer.", Cause.CALIBRATION
        )
    for part in (1.0, 0.97, 1.03, 0.94, 1.06):  # a shadow makes the die look larger, its round edges smaller
        calibration = Calibration(empty, part * short, height)
        reading = read(one, calibration)
        if len(reading.faces) == 1 and not reading.doubt:
            return calibration
    raise DeviceLost(
        "I cannot read the die: lay it flat into the middle of the tray, with soft light and nothing beside it."
    )


def calibrate(settings: Mapping[str, Any], ask: Callable[[str], object], say: Callable[[str], object]) -> None:
    """Lead a person through the two pictures, and keep what they tell. Raise ConfigError and DeviceLost."""
    chosen = block.read(Settings, settings, "camera_tray")
    frames = open_frames(chosen.source)
    try:
        ask("Empty the tray, as it will stand and be lit while you play; then press Enter. ")
        empty = _settled_frame(frames)
        ask("Lay one die flat into the middle, nothing else; then press Enter. ")
        calibration = measure(empty, _settled_frame(frames), chosen.camera_mm / chosen.die_mm)
        keep(calibration, Path(chosen.calibration).expanduser())
        say(f"A die is {calibration.side:.0f} pixels wide. Kept in {chosen.calibration}.")
        while ask("Throw some dice and press Enter to see what is read, or type q and Enter to end. ") != "q":
            reading = read(_settled_frame(frames), calibration)
            say(reading.doubt or " ".join(str(face.number) for face in reading.faces) or "No dice.")
    finally:
        frames.close()


def _settled_frame(frames: Frames) -> Picture:
    """Return a picture after some others: a camera needs a moment to find its light, and hands leave it."""
    for _ in range(WARM):
        frames.frame()
    return frames.frame()
