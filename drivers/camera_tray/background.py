"""The empty tray as it looks now: learned a little from each picture that shows nothing but the tray, and from no other.

Daylight wanders, a lamp is switched on, dust settles; dice, hands and coins are none of that. A picture is of the empty
tray where it has no edge that the tray has not (the light has none), and no pip. So a die that lies there for an hour
is never learned, and a hand that is taken away again leaves nothing behind. What was learned is not kept on disk: a
minute after a start it is there again.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera_tray.vision import Calibration, Picture, PictureAnalysis, channels_max, channels_mean

RATE = 0.12  # of the newest picture in what is learned: at one picture every two seconds half of it in eleven
SURE = 3  # pictures running that show the empty tray before one is learned from
EDGE = 0.09  # share of its brightness by which a place may differ from what lies around it more than the tray does
NOISE = 5.0  # standard deviations of the picture's grain that are no edge either
LARGEST = 0.1  # side of an edge's patch, in sides of a die, that may be dust
DARKEST, BRIGHTEST = 0.4, 2.5  # by which factor a place may have changed at all
SOFT = 8.0  # levels of 0 to 255, so that a black tray's grain is no large share


class Background:
    """What a calibration says of the empty tray, brought up to date by pictures."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._learned = calibration.empty.astype(np.float32)
        self._running = 0

    def update(self, picture: Picture, *, moving: bool = False) -> bool:
        """Take in a picture; return whether it shows the empty tray. While something moves nothing is learned."""
        empty = not moving and picture.shape == self.calibration.empty.shape and is_empty(picture, self.calibration)
        self._running = self._running + 1 if empty else 0
        if self._running >= SURE:
            self._learned += RATE * (picture - self._learned)
            learned = np.clip(np.round(self._learned), 0, 255).astype(np.uint8)
            self.calibration = replace(self.calibration, empty=learned)
        return empty


def is_empty(picture: Picture, calibration: Calibration) -> bool:
    """Return whether a picture of the calibrated size shows nothing but the tray, in whatever light without edges."""
    side = calibration.side
    now, before = _soft(picture), _soft(calibration.empty)
    ratio = np.log((now + SOFT) / (before + SOFT))
    around = cv2.GaussianBlur(ratio, (0, 0), 0.3 * side)  # at half the size, as all of this
    if float(around.min()) < np.log(DARKEST) or float(around.max()) > np.log(BRIGHTEST):
        return False
    analysis = PictureAnalysis(picture, calibration)
    grain = 0.2 * analysis.noise / (channels_mean(now) + SOFT)  # what the blur has left of it
    edges = channels_max(np.abs(ratio - around)) > EDGE + NOISE * grain
    count, _, boxes, _ = cv2.connectedComponentsWithStats(edges.astype(np.uint8))
    largest = max((int(box[4]) for box in boxes[1:count]), default=0)
    return largest <= (LARGEST * side / 2) ** 2 and not analysis.has_pips


def _soft(picture: Picture) -> NDArray[np.float32]:
    """Return a picture at half its size, without the finest grain."""
    soft = cv2.GaussianBlur(picture, (0, 0), 1.5)[::2, ::2]
    return soft.astype(np.float32)
