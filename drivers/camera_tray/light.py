"""The light on the tray: how it differs between two pictures.

Light changes slowly from place to place; a die, a hand, a coin end at an edge. So pictures that differ by a smooth factor
show the same tray in another light. Pictures are as in `vision.py`.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]

STEP = 8  # pixels of the picture per pixel of the fit
DARK, FULL = 8, 250  # levels of 0 to 255 below and above which a pixel is not used
DARKEST, BRIGHTEST = 0.55, 1.8  # largest factors that light explains
TINTED = 1.25  # factor by which one color may change more than the others
ROUNDS = 6


def light(picture: Floats, empty: Floats) -> Floats:
    """Return the factor of light of each pixel of `picture` relative to `empty`, height x width x 3.

    Fit a second-order surface per color to the logarithm of the ratio. Pixels far from the surface, such as dice, count less
    in the next round (Tukey's weights).
    """
    high, wide = picture.shape[:2]
    small = (wide // STEP, high // STEP)
    now = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)
    before = cv2.resize(empty, small, interpolation=cv2.INTER_AREA)
    good = (before.min(axis=2) > DARK) & (now.min(axis=2) > DARK / 2) & (now.max(axis=2) < FULL)
    if good.mean() < 0.1:
        return np.ones_like(picture)
    rows, columns = np.indices(good.shape)
    x, y = columns / small[0] - 0.5, rows / small[1] - 0.5
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2)
    ratio = np.log(np.maximum(now, 1) / np.maximum(before, 1)).astype(np.float64)
    surfaces = [terms @ _fit(terms[good], ratio[good][:, colour]) for colour in range(3)]
    surface = np.stack(surfaces, axis=2)
    middle = surface.mean(axis=2, keepdims=True)
    surface = middle + np.clip(surface - middle, -np.log(TINTED), np.log(TINTED))
    factor = np.exp(np.clip(surface, np.log(DARKEST), np.log(BRIGHTEST)))
    return np.asarray(cv2.resize(factor.astype(np.float32), (wide, high), interpolation=cv2.INTER_LINEAR), np.float32)


def _fit(terms: NDArray[np.float64], ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients of the surface that fits most pixels."""
    solved: NDArray[np.float64] = np.zeros(terms.shape[1])
    solved[0] = np.median(ratio)
    for _ in range(ROUNDS):
        rest = ratio - terms @ solved
        scale = 4.7 * max(0.01, 1.48 * float(np.median(np.abs(rest))))
        weights = np.clip(1 - (rest / scale) ** 2, 0, None) ** 2
        weighed = terms * weights[:, None]
        solved = np.asarray(
            np.linalg.solve(weighed.T @ terms + 1e-6 * np.eye(terms.shape[1]), weighed.T @ ratio), float
        )
    return solved
