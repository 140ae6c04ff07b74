"""The present look of the empty tray: an average that adapts to pictures that show only the tray.

Daylight changes, lamps are switched on, dust settles. A picture shows the empty tray if it has no pips and no edges that the
tray does not have; light has no edges. So a die that lies there for an hour is never learned, and a hand leaves no trace. The
average is not saved: it is restored within a minute after a start.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera_tray.vision import Calibration, Picture, PictureAnalysis, channels_max, channels_mean

RATE = 0.12  # weight of the newest picture; with one picture every two seconds, a change is half learned after eleven seconds
SURE = 3  # consecutive pictures of the empty tray before one is learned
EDGE = 0.09  # by which a place's ratio to the tray may differ from that of its surroundings
NOISE = 5.0  # standard deviations of the picture's grain that are no edge
LARGEST = 0.1  # side of an edge's patch, in sides of a die, that may be dust
DARKEST, BRIGHTEST = 0.4, 2.5  # factor by which a place may have changed
SOFT = 8.0  # levels of 0 to 255, so that a black tray's grain is no large share


class Background:
    """A calibration whose empty tray is updated by pictures."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._learned = calibration.empty.astype(np.float32)
        self._running = 0

    def update(self, picture: Picture, *, moving: bool = False) -> bool:
        """Evaluate a picture; return whether it shows the empty tray. Nothing is learned while something moves."""
        empty = not moving and picture.shape == self.calibration.empty.shape and is_empty(picture, self.calibration)
        self._running = self._running + 1 if empty else 0
        if self._running >= SURE:
            self._learned += RATE * (picture - self._learned)
            learned = np.clip(np.round(self._learned), 0, 255).astype(np.uint8)
            self.calibration = replace(self.calibration, empty=learned)
        return empty


def is_empty(picture: Picture, calibration: Calibration) -> bool:
    """Return whether a picture of the calibrated size shows only the tray, in any light without edges."""
    side = calibration.side
    now, before = _soft(picture), _soft(calibration.empty)
    ratio = np.log((now + SOFT) / (before + SOFT))
    around = cv2.GaussianBlur(ratio, (0, 0), 0.3 * side)  # at half size, like all of this
    if float(around.min()) < np.log(DARKEST) or float(around.max()) > np.log(BRIGHTEST):
        return False
    analysis = PictureAnalysis(picture, calibration)
    grain = 0.2 * analysis.noise / (channels_mean(now) + SOFT)  # the grain that remains after the blur
    edges = channels_max(np.abs(ratio - around)) > EDGE + NOISE * grain
    count, _, boxes, _ = cv2.connectedComponentsWithStats(edges.astype(np.uint8))
    largest = max((int(box[4]) for box in boxes[1:count]), default=0)
    return largest <= (LARGEST * side / 2) ** 2 and not analysis.has_pips


def _soft(picture: Picture) -> NDArray[np.float32]:
    """Return a picture at half its size, without the finest grain."""
    soft = cv2.GaussianBlur(picture, (0, 0), 1.5)[::2, ::2]
    return soft.astype(np.float32)
