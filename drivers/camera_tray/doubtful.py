"""Pictures of throws that could not be read, kept for an owner who asks for them (`doubtful = 100`): by default none.

A picture shows dice in a tray, and perhaps hands, but no cards, bids or phones. The folder is limited in number and size of
pictures; the oldest are removed first.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable
from pathlib import Path

import cv2

from drivers.camera_tray.vision import Picture

log = logging.getLogger(__name__)

MOST_BYTES = 100_000_000
QUALITY = 92


def _local_time() -> dt.datetime:
    return dt.datetime.fromtimestamp(time.time(), dt.UTC).astimezone()


class DoubtfulPictures:
    """A folder of at most `most` pictures, each with a text file of the same name about the throw and the doubt."""

    def __init__(self, folder: Path, most: int, now: Callable[[], dt.datetime] = _local_time) -> None:
        self.folder = folder
        self._most = most
        self._now = now

    def save(self, picture: Picture, throw: int, dice: int, sentence: str) -> None:
        """Save a picture of the throw with this number and count of dice. A failed write is only logged."""
        if not self._most:
            return
        name = f"{self._now():%Y%m%d-%H%M%S-%f}-throw-{throw}-of-{dice}"
        _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{name}.txt").write_text(f"Throw {throw}, {dice} dice: {sentence}\n", encoding="utf-8")
            (self.folder / f"{name}.jpg").write_bytes(packed.tobytes())
            self._remove_oldest()
        except OSError as error:
            log.warning("A doubtful picture of the dice cannot be kept in %s (%s).", self.folder, error.strerror)

    def _remove_oldest(self) -> None:
        """Remove the oldest pictures, by name, which begins with the time."""
        pictures = sorted(self.folder.glob("*-throw-*.jpg"))
        size = sum(file.stat().st_size for file in pictures)
        while len(pictures) > self._most or size > MOST_BYTES:
            oldest = pictures.pop(0)
            size -= oldest.stat().st_size
            oldest.unlink()
            oldest.with_suffix(".txt").unlink(missing_ok=True)
