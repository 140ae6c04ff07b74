"""The calibration of a camera over a tray: a picture of the empty tray, and the size of a die."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from drivers.camera_tray.cameras import Camera
from drivers.camera_tray.vision import Calibration, Picture, PictureAnalysis, read
from hub.engine.text import say
from hub.errors import Cause, DeviceLost

WARM = 12  # pictures that are skipped before one is used
UNCALIBRATED = say("The dice tray is not calibrated. “Dice camera” on the staff page does that.")


def load(path: Path) -> Calibration:
    """Load a calibration that `calibrate` wrote. Raise DeviceLost."""
    try:
        with np.load(path) as saved:
            return Calibration(np.asarray(saved["empty"], np.uint8), float(saved["side"]), float(saved["height"]))
    except (OSError, KeyError, ValueError):
        raise DeviceLost(UNCALIBRATED, Cause.CALIBRATION) from None


def equal(one: Calibration, other: Calibration) -> bool:
    """Return whether two calibrations are the same."""
    return (one.side, one.height) == (other.side, other.height) and np.array_equal(one.empty, other.empty)


def save(calibration: Calibration, path: Path) -> None:
    """Save a calibration atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    with half.open("wb") as file:
        np.savez_compressed(file, empty=calibration.empty, side=calibration.side, height=calibration.height)
    half.replace(path)


def measure(empty: Picture, one: Picture, height: float) -> Calibration:
    """Return the calibration from two pictures: the empty tray, and one flat die in the middle.

    `height` is the camera's height above the tray, in sides of a die. Raise DeviceLost with the reason.
    """
    short, _ = PictureAnalysis(one, Calibration(empty, 1.0, height)).largest()
    if short == 0:
        raise DeviceLost(
            say("I see no difference between the empty tray and the die: take dice of another color, or more light.")
        )
    if short < 24:
        raise DeviceLost(
            say("The die is only {width} pixels wide, 24 are needed: bring the camera nearer.", width=f"{short:.0f}"),
            Cause.CALIBRATION,
        )
    for part in (1.0, 0.97, 1.03, 0.94, 1.06):  # a shadow makes the die look larger, its round edges smaller
        calibration = Calibration(empty, part * short, height)
        reading = read(one, calibration)
        if len(reading.faces) == 1 and not reading.doubt:
            return calibration
    raise DeviceLost(
        say("I cannot read the die: lay it flat into the middle of the tray, with soft light and nothing beside it.")
    )


def settled_picture(camera: Camera) -> Picture:
    """Return a picture after WARM others, when the exposure has settled and hands are out of view."""
    for _ in range(WARM):
        camera.picture()
    return camera.picture()
