"""When a throw may be believed: when consecutive pictures agree about dice at rest."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from drivers.camera_tray.vision import Picture, Reading
from hub.engine.text import say
from hub.ports import DiceState

AGREE = 3  # consecutive pictures
REST = 0.7  # seconds that dice must lie still
DOUBTFUL = 2.0  # seconds of doubt, or of pictures that differ, before a person is asked
STILL = 4.0  # pixels by which the center of a still die may vary
STIRRED = 0.002  # share of a picture that changes when a die moves
UNSURE = say("I cannot read these dice: lay them flat and apart, or type what they show.")


class ThrowWatch:
    """Evaluates pictures one by one, from the request for a throw of `count` dice.

    Dice that lie there already belong to the last throw: nothing is read until something moves, unless `lying`.
    """

    def __init__(self, count: int, now: float, *, lying: bool = False) -> None:
        self._count = count
        self._stirred = lying
        self._still_since = now
        self._last: Reading | None = None
        self._run: deque[Reading] = deque(maxlen=AGREE)
        self._unsure_since: float | None = None

    def update(self, reading: Reading | None, now: float) -> tuple[DiceState, tuple[int, ...], str]:
        """Return state, faces and sentence after a picture; `reading` is None while something moves."""
        if reading is None or (self._last is not None and not same_dice(self._last, reading)):
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
            return "armed", (), ""  # the dice were picked up
        if len(faces) != self._count:
            sentence = say(
                "I see {seen} of {count} dice: throw them all again, or type what they show.",
                seen=len(faces),
                count=self._count,
            )
            return "wrong_count", (), sentence
        return "settled", faces, ""


def same_dice(a: Reading, b: Reading) -> bool:
    """Return whether two pictures show the same dice in the same places."""
    if len(a.faces) != len(b.faces) or bool(a.doubt) != bool(b.doubt):
        return False
    return all(
        any(one.number == two.number and np.hypot(one.x - two.x, one.y - two.y) < STILL for two in b.faces)
        for one in a.faces
    )


def has_moved(before: Picture, after: Picture) -> bool:
    """Return whether something moved between two pictures: more pixels changed than grain and flicker change."""
    small = [cv2.GaussianBlur(one, (0, 0), 1.5)[::2, ::2].astype(np.int16) for one in (before, after)]
    return float(np.mean(np.abs(small[1] - small[0]).max(axis=2) > 18)) > STIRRED
