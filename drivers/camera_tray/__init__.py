"""A camera that looks down on the dice tray: a throw counts when three pictures in a row agree about dice at rest.

`vision.py` reads the pictures. If it is not certain, a person is asked; nothing is guessed. The tray is calibrated once, on the
staff page or with `table-hub calibrate-tray`: a picture of the empty tray, and the size of a die.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import cv2
import msgspec

from drivers.camera_tray.background import Background
from drivers.camera_tray.calibration import UNCALIBRATED, equal, load, measure, save, settled_picture
from drivers.camera_tray.cameras import INSTALL, PROGRAMS, SOURCES, Camera, CameraSettings, Positive, open_camera
from drivers.camera_tray.doubtful import DoubtfulPictures
from drivers.camera_tray.throw_watch import ThrowWatch, has_moved
from drivers.camera_tray.vision import Calibration, Picture, Reading, read
from drivers.common import settings as block
from drivers.common.requirements import Need
from drivers.common.worker import Inbox, ThreadedDevice
from hub.engine.text import say
from hub.errors import Cause, DeviceLost
from hub.ports import (
    CalibrationStep,
    CameraView,
    Clock,
    DiceKit,
    DiceSeen,
    DiceState,
    DriverContext,
    MonotonicClock,
    NextStep,
)

EVERY, IDLE = 0.12, 2.0  # seconds between two pictures, while a roll is watched and otherwise

WATCHED = 5.0  # seconds after the last look of staff in which pictures are prepared for them
VIEW_WIDTH, VIEW_QUALITY = 480, 60  # of a picture for staff: pixels, and percent of JPEG
BY_ID = "/dev/v4l/by-id/*-video-index0"  # stable names of cameras on USB; index 1 is metadata
FOLDER = "doubtful-dice"  # the folder of pictures that could not be read, beside the calibration
NAME = say("the dice tray")
NO_VIEW = CameraView(b"", "empty", "")
MOST = 6  # dice in one throw: more of them hide each other
SILENT = say("The tray's camera is silent: type what you see.")


# --- the device --------------------------------------------------------------------------------------


SOURCE = '"v4l2:/dev/v4l/by-id/..." (USB), "rpicam:0" (the Pi\'s own) or "folder:/a/path"'


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "camera_tray"`."""

    source: Annotated[
        str,
        msgspec.Meta(description='the camera: "v4l2:/dev/v4l/by-id/...", "v4l2:0", "rpicam:0" or "folder:/a/path"'),
    ] = "v4l2:0"
    calibration: Annotated[str, msgspec.Meta(description="the file with the calibration")] = (
        "~/.local/state/table-hub/dice-tray.npz"
    )
    camera_mm: Annotated[
        float, msgspec.Meta(ge=80, le=2000, description="from the tray's floor to the camera", extra={"unit": "mm"})
    ] = 320.0
    die_mm: Annotated[float, msgspec.Meta(ge=8, le=40, description="a die's edge", extra={"unit": "mm"})] = 16.0
    doubtful: Annotated[
        int, msgspec.Meta(ge=0, le=1000, description="how many pictures of unreadable throws to keep")
    ] = 0
    width: Annotated[int, msgspec.Meta(ge=320, le=1920, description="width of a picture", extra={"unit": "pixels"})] = (
        640
    )
    height: Annotated[
        int, msgspec.Meta(ge=240, le=1440, description="height of a picture", extra={"unit": "pixels"})
    ] = 480
    focus: Annotated[
        Annotated[float, msgspec.Meta(ge=0)] | None,
        msgspec.Meta(
            description="focus of a Pi's camera: diopters (left out: at the dice); a USB camera: its own units"
        ),
    ] = None
    exposure_us: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None,
        msgspec.Meta(description="exposure in microseconds; left out: automatic"),
    ] = None
    gain: Annotated[
        Annotated[float, msgspec.Meta(ge=0)] | None,
        msgspec.Meta(description="gain of a Pi's camera: from 1; a USB camera: its own units; left out: automatic"),
    ] = None
    white_balance: Annotated[
        Annotated[list[Positive], msgspec.Meta(min_length=2, max_length=2)]
        | Annotated[int, msgspec.Meta(ge=1000)]
        | None,
        msgspec.Meta(
            description="white balance of a USB camera: kelvin; a Pi's camera: [red, blue] gains; left out: automatic"
        ),
    ] = None

    def __post_init__(self) -> None:
        kind, _, where = self.source.partition(":")
        if kind not in SOURCES or (kind == "rpicam" and not (where or "0").isdigit()):
            raise ValueError(f"source is {SOURCE}, not {self.source!r}")
        fixed = {"focus": self.focus, "exposure_us": self.exposure_us, "gain": self.gain}
        given = [name for name, value in {**fixed, "white_balance": self.white_balance}.items() if value is not None]
        if kind == "folder" and given:
            raise ValueError(f"{given[0]} is set by the program that writes the pictures of {self.source!r}")
        if self.white_balance is not None and isinstance(self.white_balance, int) == (kind == "rpicam"):
            form = "two gains, of red and blue, as [1.8, 1.6]" if kind == "rpicam" else "kelvin, as 4500"
            raise ValueError(f"white_balance of {self.source!r} is {form}")

    @property
    def camera_settings(self) -> CameraSettings:
        """The camera settings. Without `focus`, the motor lens of a Pi's camera is focused on the dice."""
        focus = self.focus
        if focus is None and self.source.startswith("rpicam"):
            focus = 1000 / (self.camera_mm - self.die_mm)
        return CameraSettings((self.width, self.height), focus, self.exposure_us, self.gain, self.white_balance)


class CameraTray(ThreadedDevice):
    """The `Dice` port on a camera, and the device of a `[[device]]` block."""

    lamps = page = boxes = None

    def __init__(self, settings: Settings, inbox: Inbox, clock: Clock | None = None) -> None:
        self._clock = clock if clock is not None else MonotonicClock()
        super().__init__(NAME, inbox, self._clock)
        self.dice = self
        self._settings = settings
        self._put = inbox
        self._camera: Camera | None = None
        self._background: Background | None = None
        self._loaded: Calibration | None = None
        self._doubtful = DoubtfulPictures(Path(settings.calibration).expanduser().parent / FOLDER, settings.doubtful)
        self._before: Picture | None = None
        self._watch: ThrowWatch | None = None
        self._arm = self._count = 0
        self._reported: tuple[DiceState, tuple[int, ...], str] | None = None
        self._looked_at = -WATCHED
        self._empty: Picture | None = None  # the first picture of a calibration that has begun
        self._problem: str = ""  # why the last step of a calibration failed
        self._view = NO_VIEW

    # --- for staff ---

    def look(self) -> CameraView:
        """Return what the camera shows. Pictures are prepared for `WATCHED` seconds after each look."""
        self._looked_at = self._clock.now()
        self._thread.wake()
        failure = self._thread.failure
        if self._view is NO_VIEW and failure != UNCALIBRATED:
            return CameraView(b"", "empty", failure)
        return self._view

    def calibrate(self, step: CalibrationStep) -> None:
        """Do a step of the calibration soon; `look` shows what came of it."""
        self._thread.call_soon(partial(self._do_step, step))

    @property
    def problem(self) -> str:
        """Return that the tray is not calibrated: the camera may be open all the same, for staff who look."""
        return "" if self._background is not None else UNCALIBRATED

    # --- for the table ---

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:  # noqa: ARG002 - a camera does not see who throws
        """Watch for a throw."""
        self._thread.call_soon(partial(self._begin, number, count, sides, lying=lying))

    def close(self) -> None:
        """Release the camera and end the thread, even while it waits for a picture."""
        camera = self._camera
        if camera is not None:
            camera.interrupt()
        super().close()

    def disarm(self) -> None:
        """Ignore the dice."""
        self._thread.call_soon(self._end)

    def _begin(self, number: int, count: int, sides: int, *, lying: bool) -> None:
        self._arm, self._reported, self._count = number, None, count
        self._watch = ThrowWatch(count, self._clock.now(), lying=lying)
        self._before = None  # the last picture may be old, so a difference to it is no movement
        if sides != 6:
            self._watch = None
            sentence = say("The tray reads dice with 6 sides, not with {sides}: type what you see.", sides=sides)
            self._report("no_reader", (), sentence)
        elif self._camera is None or self._background is None:
            self._report("no_reader", (), SILENT)
        else:
            self._report("armed", (), "")

    def _end(self) -> None:
        self._watch = None

    def _report(self, state: DiceState, faces: tuple[int, ...], text: str) -> None:
        if (state, faces, text) != self._reported:
            self._reported = (state, faces, text)
            self._put(DiceSeen(NAME, self._arm, state, faces, text))

    # --- on the thread ---

    def acquire(self) -> None:
        """Open the camera and read the calibration. Without one, the camera is opened only for staff who look."""
        try:
            self._use(load(self._path))
        except DeviceLost:
            self._background = self._loaded = None
            if not self._is_watched(self._clock.now()):
                raise
        self._camera = open_camera(self._settings.source, self._settings.camera_settings)
        self._before = self._camera.picture()
        if self._background is not None:
            self._begin_reading()

    @property
    def _path(self) -> Path:
        return Path(self._settings.calibration).expanduser()

    def _is_watched(self, now: float) -> bool:
        return now - self._looked_at < WATCHED

    def _use(self, loaded: Calibration) -> None:
        if self._background is None or self._loaded is None or not equal(loaded, self._loaded):
            self._background, self._loaded = Background(loaded), loaded  # else keep what was learned since

    def _begin_reading(self) -> None:
        self._put(DiceKit(NAME, MOST))
        if self._watch is not None:
            self._watch = ThrowWatch(self._count, self._clock.now())
            self._report("armed", (), "")

    def step(self, now: float) -> float | None:
        """Take a picture, and report the state of the throw."""
        assert self._camera is not None
        is_watched = self._is_watched(now)
        if not is_watched:
            self._empty, self._problem, self._view = None, "", NO_VIEW
        picture = self._camera.picture()
        before, self._before = self._before, picture
        if self._background is None:
            if not is_watched:
                raise DeviceLost(UNCALIBRATED, Cause.CALIBRATION)
            self._show(picture, None)
            return now + EVERY
        moving = before is not None and (picture.shape != before.shape or has_moved(before, picture))
        empty = self._background.update(picture, moving=moving)
        if self._watch is None and not is_watched:
            return now + IDLE
        try:
            reading = None if moving else Reading(()) if empty else read(picture, self._background.calibration)
        except ValueError as error:
            raise DeviceLost(error.args[0], Cause.CALIBRATION) from None
        if is_watched:
            self._show(picture, reading)
        if self._watch is None:
            return now + EVERY
        known = self._reported
        state, faces, words = self._watch.update(reading, now)
        self._report(state, faces, words)
        if state in ("cocked", "wrong_count") and self._reported != known:
            self._doubtful.save(picture, self._arm, self._count, words)
        return now + EVERY

    def _show(self, picture: Picture, reading: Reading | None) -> None:
        """Prepare a picture for staff, with what is read there; `reading` is None while something moves."""
        step: NextStep = "die" if self._empty is not None else "ready" if self._background is not None else "empty"
        text = self._problem
        if not text and step == "ready":
            faces = " ".join(str(face.number) for face in reading.faces) if reading else ""
            text = (
                say("The dice are moving.") if reading is None
                else reading.doubt or (say("It reads {faces}.", faces=faces) if faces else say("It sees no dice."))
            )  # fmt: skip
        scale = min(1.0, VIEW_WIDTH / picture.shape[1])
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, VIEW_QUALITY])[1].tobytes()
        self._view = CameraView(jpeg, step, text)

    def _do_step(self, step: CalibrationStep) -> None:
        """Do a step of the calibration, and keep the sentence if it fails."""
        self._problem = ""
        try:
            self._take(step)
        except DeviceLost as error:
            self._problem = error.sentence
        except OSError as error:
            self._problem = say("The calibration cannot be saved ({error}).", error=error.strerror or "")

    def _take(self, step: CalibrationStep) -> None:
        """Begin again, take the empty tray, or take the die and finish. Raise DeviceLost or OSError."""
        if self._watch is not None:
            raise DeviceLost(say("Dice are being rolled at this table. Calibrate after that."))
        if self._camera is None:
            raise DeviceLost(say("The camera does not answer. Check its cable."))
        match step:
            case "again":
                self._empty, self._background, self._loaded = None, None, None
            case "empty":
                self._empty = settled_picture(self._camera)
            case "die" if self._empty is not None:
                height = self._settings.camera_mm / self._settings.die_mm
                save(measure(self._empty, settled_picture(self._camera), height), self._path)
                self._empty = None
                self._use(load(self._path))
                self._begin_reading()

    def release(self) -> None:
        """Close the camera. Until it is back, people type the roll."""
        if self._camera is not None:
            self._camera.close()
            self._put(DiceKit(NAME, 0))
        self._camera = self._before = None
        self._view = NO_VIEW
        if self._watch is not None:
            self._report("no_reader", (), SILENT)


def needs(settings: Mapping[str, object]) -> list[Need]:
    """Return the requirements of a `[[device]]` block: the camera, and the calibration."""
    asked = block.read(Settings, settings, "camera_tray")
    kind, _, where = asked.source.partition(":")
    needs = []
    match kind:
        case "v4l2":
            node = f"/dev/video{where or 0}" if (where or "0").isdigit() else where
            needs.append(Need("file", node, "plug the camera in; `ls /dev/v4l/by-id` shows what is there"))
            if node.startswith("/dev/video"):
                needs.append(
                    Need(
                        "name",
                        BY_ID,
                        'write source = "v4l2:{}"',
                    )
                )
        case "folder":
            needs.append(Need("file", str(Path(where).expanduser()), "start the program that writes pictures there"))
        case _:
            needs.append(Need("camera", " ".join(PROGRAMS), f"install it: {INSTALL}"))
    calibration = Need(
        "file", str(Path(asked.calibration).expanduser()), "calibrate it on the staff page, under “Dice camera”"
    )
    return [*needs, calibration]


def connect(settings: Mapping[str, object], context: DriverContext) -> CameraTray:
    """Return the device of a `[[device]]` block. Raise ConfigError."""
    return CameraTray(block.read(Settings, settings, "camera_tray"), context.inbox)


def calibrate(settings: Mapping[str, object], ask: Callable[[str], object], say: Callable[[str], object]) -> None:
    """Guide a person through both pictures, and save the calibration. Raise ConfigError and DeviceLost."""
    chosen = block.read(Settings, settings, "camera_tray")
    for need in needs(settings):
        if need.kind == "name":
            for path in sorted(Path("/").glob(need.name.lstrip("/"))):
                say(f'The name of a camera on USB, whatever its number: source = "v4l2:{path}"')
    camera = open_camera(chosen.source, chosen.camera_settings)
    try:
        ask("Empty the tray, as it will stand and be lit while you play; then press Enter. ")
        empty = settled_picture(camera)
        ask("Lay one die flat into the middle, nothing else; then press Enter. ")
        calibration = measure(empty, settled_picture(camera), chosen.camera_mm / chosen.die_mm)
        save(calibration, Path(chosen.calibration).expanduser())
        say(f"A die is {calibration.side:.0f} pixels wide. Kept in {chosen.calibration}.")
        while ask("Throw some dice and press Enter to see what is read, or type q and Enter to end. ") != "q":
            reading = read(settled_picture(camera), calibration)
            say(reading.doubt or " ".join(str(face.number) for face in reading.faces) or "No dice.")
    finally:
        camera.close()
