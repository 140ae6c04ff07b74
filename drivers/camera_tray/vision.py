"""Read the faces of pipped dice in a picture of a tray, or say why a person has to.

A bad picture (shine, a leaning die, a hand, two dice that touch) must lead to a question, never to a wrong number. So three
independent checks must agree: all pips form legal faces, each pip used once; each face is evenly colored where no pip belongs,
with nothing that a glare may have hidden; and flat dice explain all differences from the empty tray.

Pictures are arrays of height x width x 3, uint8, the colours in the order blue, green, red. Coordinates are pixels, x to
the right and y downwards from the upper left corner; angles are radians from x towards y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera_tray.light import light
from hub.engine.text import say

Picture = NDArray[np.uint8]  # height x width x 3 (blue, green, red); a mask is height x width
Floats = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)

SPOTS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
"""Where the pips of a face sit on a grid of three by three."""

GRID = [(column, row) for row in (-1, 0, 1) for column in (-1, 0, 1)]
SPREAD = (0.215, 0.305)  # of a corner pip from the middle, in sides of a die, in products on the market
REACH = 0.065  # how far from its spot a pip may sit, in sides
MOST = 24  # dice in one picture


def channels_mean(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of each pixel's three colours, height x width. `numpy.mean` along an axis of three takes ten times as long."""
    return (pixels[:, :, 0] + pixels[:, :, 1] + pixels[:, :, 2]) / np.float32(3)


def channels_max(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest of each pixel's three colours, height x width; as quick as `channels_mean`."""
    largest: NDArray[np.float32] = np.maximum(np.maximum(pixels[:, :, 0], pixels[:, :, 1]), pixels[:, :, 2])
    return largest


@dataclass(frozen=True)
class Calibration:
    """The empty tray, the side of a die's top face in pixels, and the camera's height in such sides."""

    empty: Picture
    side: float
    height: float


@dataclass(frozen=True)
class DieFace:
    """One die that was read: its number, its center in pixels, and its angle in radians."""

    number: int
    x: float
    y: float
    angle: float


@dataclass(frozen=True)
class Reading:
    """The dice of a picture. If there is a `doubt` (one sentence for the table), do not trust the faces."""

    faces: tuple[DieFace, ...]
    doubt: str = ""


@dataclass(frozen=True)
class Pip:
    """A round spot, brighter or darker than its surroundings by `contrast` levels. Coordinates in pixels."""

    x: float
    y: float
    bright: bool
    contrast: float


LEANS = say("One die is leaning or half hidden: lay it flat, or type what it shows.")
SHINES = say("A light shines on a die: shade it, or type what the dice show.")
CROWDED = say("The dice are too close together: move them apart, or type what they show.")
STRANGE = say("Something other than flat dice is in the tray: take it out, or type what the dice show.")
CHANGED = say(
    "The tray looks different from its calibration picture: take your hands away, or calibrate the tray again."
)


def read(picture: Picture, calibration: Calibration) -> Reading:
    """Return the faces in `picture`. Raise ValueError if its size is not the calibrated one."""
    if picture.shape != calibration.empty.shape:
        raise ValueError(
            say(
                "The camera sends {size} pixels, but the tray was calibrated with {earlier}: calibrate it again.",
                size=f"{picture.shape[1]}x{picture.shape[0]}",
                earlier=f"{calibration.empty.shape[1]}x{calibration.empty.shape[0]}",
            )
        )
    analysis = PictureAnalysis(picture, calibration)
    if analysis.share > 0.4:
        return Reading((), CHANGED)
    pips = analysis.pips
    if len(pips) > 6 * MOST:
        return Reading((), STRANGE)
    guesses = [guess for guess in _guesses(pips, calibration.side) if analysis.is_face(guess)]
    chosen = _cover(guesses, calibration.side)
    if chosen is None:
        return Reading((), CROWDED)
    faces = tuple(DieFace(one.number, one.x, one.y, one.angle) for one in sorted(chosen, key=lambda one: one.x))
    return Reading(faces, analysis.doubt(chosen))


# --- guesses -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guess:
    """A face that some pips may form: its center, angle, the spread of its pips in sides, and the pips."""

    number: int
    x: float
    y: float
    angle: float
    spread: float
    pips: frozenset[int]

    def spot(self, column: float, row: float, side: float) -> tuple[float, float]:
        """Return the position of a spot of this face's grid in the picture: x and y in pixels."""
        u, v = column * self.spread * side, row * self.spread * side
        c, s = np.cos(self.angle), np.sin(self.angle)
        return float(self.x + c * u - s * v), float(self.y + s * u + c * v)


def _legal() -> dict[frozenset[tuple[int, int]], int]:
    """Return the number of every set of spots that a face can show, at any quarter turn."""
    known = {}
    for number, spots in SPOTS.items():
        turned = set(spots)
        for _ in range(4):
            known[frozenset(turned)] = number
            turned = {(-row, column) for column, row in turned}
    return known


_LEGAL = _legal()


def _guesses(pips: Sequence[Pip], side: float) -> list[Guess]:
    """Return all legal faces that the pips can form: two to six pips with two opposite corners, or one isolated pip."""
    if not pips:
        return []
    at = np.array([(pip.x, pip.y) for pip in pips])
    found: dict[frozenset[int], Guess] = {}
    for a, b in combinations(range(len(pips)), 2):
        far = float(np.hypot(*(at[b] - at[a])))
        spread = far / (2 * np.sqrt(2) * side)
        if SPREAD[0] <= spread <= SPREAD[1] and pips[a].bright == pips[b].bright:
            angle = (float(np.arctan2(*(at[b] - at[a])[::-1])) - np.pi / 4) % (np.pi / 2)
            guess = _face_at((at[a] + at[b]) / 2, angle, spread, pips, at, side)
            if guess and {a, b} <= guess.pips:
                found.setdefault(guess.pips, guess)
    for n, pip in enumerate(pips):
        if np.sum(np.hypot(*(at - at[n]).T) < 0.46 * side) == 1:
            found[frozenset((n,))] = Guess(1, pip.x, pip.y, np.nan, 0.26, frozenset((n,)))
    return list(found.values())


def _face_at(middle: Floats, angle: float, spread: float, pips: Sequence[Pip], at: Floats, side: float) -> Guess | None:
    """Return the face of this pose if all pips inside it are on legal spots."""
    c, s = np.cos(angle), np.sin(angle)
    across = (at - middle) @ np.array([[c, -s], [s, c]]) / side  # in the die's own frame, in sides
    inside = np.flatnonzero(np.all(np.abs(across) < 0.42, axis=1))
    spots: dict[tuple[int, int], int] = {}
    for n in inside:
        column, row = np.clip(np.round(across[n] / spread), -1, 1)
        spot = int(column), int(row)
        if np.hypot(*(across[n] - np.array(spot) * spread)) > REACH or spot in spots:
            return None
        spots[spot] = int(n)
    number = _LEGAL.get(frozenset(spots))
    if number is None or len({pips[n].bright for n in spots.values()}) != 1:
        return None
    return Guess(number, float(middle[0]), float(middle[1]), angle, spread, frozenset(spots.values()))


def _cover(guesses: Sequence[Guess], side: float) -> list[Guess] | None:
    """Return the set of faces that do not overlap and use the most pips; None if several sets with other numbers do."""
    clash = [
        {m for m, other in enumerate(guesses) if m != n and (one.pips & other.pips or _overlap(one, other, side))}
        for n, one in enumerate(guesses)
    ]
    best: list[list[int]] = []
    most = 0

    def search(left: list[int], taken: list[int], used: int) -> None:
        nonlocal best, most
        if used + len({pip for n in left for pip in guesses[n].pips}) < most or len(best) > 64:
            return
        if not left:
            if used > most:
                best, most = [], used
            if used == most:
                best.append(taken)
            return
        first = max(left, key=lambda n: len(guesses[n].pips))
        rest = [n for n in left if n != first]
        search([n for n in rest if n not in clash[first]], [*taken, first], used + len(guesses[first].pips))
        if clash[first] & set(rest):
            search(rest, taken, used)

    search(list(range(len(guesses))), [], 0)
    numbers = {tuple(sorted(guesses[n].number for n in taken)) for taken in best}
    fewest = min(best, key=len, default=[])
    if len(numbers) > 1:
        return None
    return [guesses[n] for n in fewest]


def _overlap(a: Guess, b: Guess, side: float) -> bool:
    """Return whether two faces cannot both be there."""
    far = np.hypot(a.x - b.x, a.y - b.y) / side
    if far >= 1.38 or far < 0.9:
        return bool(far < 0.9)
    if np.isnan(a.angle) or np.isnan(b.angle):
        return False  # the angle of a face with one pip is not known yet
    area, _ = cv2.intersectConvexConvex(_square(a, side * 0.94), _square(b, side * 0.94))
    return bool(area > 0.03 * side * side)


def _square(guess: Guess, side: float) -> NDArray[np.float32]:
    return np.asarray(cv2.boxPoints(((guess.x, guess.y), (side, side), float(np.degrees(guess.angle)))), np.float32)


# --- what the picture shows --------------------------------------------------------------------------


class PictureAnalysis:
    """Measurements of one picture in comparison with the empty tray."""

    def __init__(self, picture: Picture, calibration: Calibration) -> None:
        self.side = calibration.side
        self._height = calibration.height
        self._raw = picture
        self._picture = cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float32)
        self._empty = cv2.GaussianBlur(calibration.empty, (0, 0), 1.2).astype(np.float32)
        self._size = picture.shape[1], picture.shape[0]

    @cached_property
    def _strange(self) -> Picture:
        """A mask, height x width: 1 for neither tray nor shadow, 2 for a possible shadow, else 0."""
        floor = self._empty * light(self._picture, self._empty)
        change = self._picture - floor
        brighter = channels_mean(change)
        level = np.maximum(channels_mean(floor), 12)
        share = np.clip(channels_mean(self._picture) / level, 0.0, 4.0)
        colour = channels_max(np.abs(self._picture - floor * share[:, :, None]))  # a shadow changes no colors
        noise = self.noise
        strong = (
            (colour > 9 + 1.3 * noise)
            | (brighter > 10 + 1.5 * noise)
            | ((share < 0.3) & (brighter < -10 - 1.5 * noise))
        )
        weak = brighter < -6 - noise
        mask: Picture = np.where(strong, 1, np.where(weak, 2, 0)).astype(np.uint8)
        return mask

    @cached_property
    def noise(self) -> float:
        """The grain of the picture: its standard deviation in levels of 0 to 255."""
        fine = self._raw.astype(np.float32) - cv2.GaussianBlur(self._raw, (0, 0), 1.0).astype(np.float32)
        return float(np.median(np.abs(fine)) * 1.48)

    def largest(self) -> tuple[float, float]:
        """Return the sides in pixels of the largest object in the tray, the short one first, without its shadow; 0 for none."""
        edges, _ = cv2.findContours((self._strange == 1).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        if not edges:
            return 0.0, 0.0
        _, sides, _ = cv2.minAreaRect(max(edges, key=cv2.contourArea))
        return float(min(sides)), float(max(sides))

    @property
    def share(self) -> float:
        """The part of the picture, 0 to 1, that is not the empty tray."""
        return float(np.mean(self._strange == 1))

    @property
    def has_pips(self) -> bool:
        """Whether there are pips. The search is skipped if no object is large enough for them."""
        found = cv2.morphologyEx((self._strange > 0).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        count, _, boxes, _ = cv2.connectedComponentsWithStats(found)
        large = any(int(box[4]) > (0.25 * self.side) ** 2 for box in boxes[1:count])
        return large and bool(self.pips)

    @cached_property
    def pips(self) -> list[Pip]:
        """Round spots of a pip's size on objects that are not the tray."""
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(0.17 * self.side) + 1,) * 2)
        found = []
        for bright, how in ((True, cv2.MORPH_TOPHAT), (False, cv2.MORPH_BLACKHAT)):
            relief = channels_max(np.asarray(cv2.morphologyEx(self._picture, how, kernel), np.float32))
            found += self._round_spots(relief, bright)
        strongest = sorted(found, key=lambda pip: -pip.contrast)
        kept: list[Pip] = []
        for pip in strongest:  # the rim of a spot must not be a second one
            if self._stands_out(pip) and all(
                np.hypot(pip.x - other.x, pip.y - other.y) > 0.14 * self.side for other in kept
            ):
                kept.append(pip)
        return kept

    def _stands_out(self, pip: Pip) -> bool:
        """Return whether a spot differs from its surroundings in nearly every direction, and is not on the bare tray."""
        x, y = _around(pip, 0.15 * self.side)
        inside = (x >= 0) & (x < self._size[0] - 1) & (y >= 0) & (y < self._size[1] - 1)
        if not inside.all():
            return False
        columns, rows = np.round(x).astype(int), np.round(y).astype(int)
        middle = self._picture[round(pip.y), round(pip.x)]
        apart = (middle - self._picture[rows, columns]) * (1 if pip.bright else -1)
        clear = int(np.sum(apart.max(axis=1) > 0.4 * pip.contrast))
        return clear >= 12 and int(np.sum(self._strange[rows, columns] > 0)) >= 14

    def _round_spots(self, relief: NDArray[np.float32], bright: bool) -> list[Pip]:
        found = []
        floor = 16 + 3 * self.noise
        count, _, boxes, _ = cv2.connectedComponentsWithStats((relief > floor).astype(np.uint8))
        for box in boxes[1:count]:
            x, y, wide, high = (int(v) for v in box[:4])
            if wide * high < (0.08 * self.side) ** 2:
                continue
            part = relief[y : y + high, x : x + wide]
            found += self._spots_in(part, x, y, bright, floor)
        return found

    def _spots_in(self, part: NDArray[np.float32], x: int, y: int, bright: bool, floor: float) -> list[Pip]:
        """Return the spots of one connected patch, which is cut at rising levels until each spot is round."""
        least, most = 3.14 * (0.055 * self.side) ** 2, 3.14 * (0.165 * self.side) ** 2
        found: list[Pip] = []
        for level in np.linspace(floor, max(floor, float(part.max()) * 0.7), 6):
            count, labels, boxes, _ = cv2.connectedComponentsWithStats((part > level).astype(np.uint8))
            for n in range(1, count):
                area = int(boxes[n][4])
                if not least <= area <= most:
                    continue
                spot = labels == n
                peak = float(part[spot].max())
                if peak < level * 1.25 or not _round(spot.astype(np.uint8)):
                    continue
                weights = part * spot
                rows, columns = np.nonzero(spot)
                total = float(weights.sum())
                middle = (float((columns * weights[spot]).sum()) / total, float((rows * weights[spot]).sum()) / total)
                place = Pip(x + middle[0], y + middle[1], bright, peak)
                if all(np.hypot(place.x - one.x, place.y - one.y) > 0.12 * self.side for one in found):
                    found.append(place)
        return found

    # --- one face ----------------------------------------------------------------------------------

    def _flat(
        self, guess: Guess, angle: float | None = None, of: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """Return the face in the picture (or in `of`), turned upright and scaled to 64 x 64."""
        turn = guess.angle if angle is None else angle
        turn = 0.0 if np.isnan(turn) else turn
        c, s, k = np.cos(turn), np.sin(turn), self.side / 64
        lay = np.array([[c * k, -s * k, guess.x - 31.5 * k * (c - s)], [s * k, c * k, guess.y - 31.5 * k * (s + c)]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        source = self._picture if of is None else of
        return np.asarray(
            cv2.warpAffine(source, lay, (64, 64), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )

    def is_face(self, guess: Guess) -> bool:
        """Return whether there is a face: evenly colored between its pips, up to a slope of light."""
        rest = self._evenness(guess)
        return rest <= 16 + 3 * self.noise

    def _between(self, guess: Guess) -> NDArray[np.bool_]:
        """Return the part of an upright face (64 by 64) in which no pip belongs, without its rim."""
        keep = np.zeros((64, 64), np.uint8)
        if guess.number == 1:
            cv2.circle(keep, (32, 32), 27, 1, -1)
        else:
            cv2.rectangle(keep, (7, 7), (56, 56), 1, -1)
        for column, row in GRID:
            at = (round(31.5 + column * guess.spread * 64), round(31.5 + row * guess.spread * 64))
            cv2.circle(keep, at, 13 if guess.number == 1 and (column, row) == (0, 0) else 10, 0, -1)
        return keep > 0

    def _evenness(self, guess: Guess) -> float:
        """Return the 90th percentile of the distance from a plane of color where no pip belongs, in levels."""
        flat, keep = self._flat(guess), self._between(guess)
        return float(np.percentile(np.abs(self._rest(flat, keep))[keep], 90))

    @staticmethod
    def _rest(flat: NDArray[np.float32], keep: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the face without its slope of light, fitted inside the mask `keep`; of the colors, the strongest deviation."""
        rows, columns = np.indices((64, 64))
        terms = np.stack([np.ones((64, 64)), columns / 32 - 1, rows / 32 - 1], axis=2)
        solved, *_ = np.linalg.lstsq(terms[keep], flat[keep].astype(np.float64), rcond=None)
        rest = flat - (terms @ solved).astype(np.float32)
        strongest = np.abs(rest).argmax(axis=2)
        picked: NDArray[np.float32] = np.take_along_axis(rest, strongest[:, :, None], axis=2)[:, :, 0]
        return picked

    # --- doubts ------------------------------------------------------------------------------------

    def doubt(self, chosen: Sequence[Guess]) -> str:
        """Return why these faces cannot be trusted; empty if all checks agree."""
        explained = np.zeros(self._size[::-1], np.uint8)
        for guess in chosen:
            angle = self._turn(guess) if guess.number == 1 else guess.angle
            doubt = self._shine(guess, angle) or self._not_flat(guess, angle)
            if doubt:
                return doubt
            cv2.fillConvexPoly(explained, self._silhouette(guess, angle, 1.10), 1)
        return self._unexplained(explained)

    def _turn(self, guess: Guess) -> float:
        """Return the angle of a face with one pip, in radians: that of the square with the least tray in it."""
        mask = (self._strange == 1).astype(np.float32)
        best, most = 0.0, -1.0
        for step in range(18):
            angle = step * np.pi / 36
            square = np.zeros(self._size[::-1], np.uint8)
            cv2.fillConvexPoly(square, np.round(_turned(guess, self.side * 0.96, angle)).astype(np.int32), 1)
            share = float(mask[square > 0].mean())
            if share > most:
                best, most = angle, share
        return best

    def _silhouette(self, guess: Guess, angle: float, larger: float = 1.0) -> NDArray[np.int32]:
        """Return the corners, n x 2, of the outline of a flat die: its top, and its foot, which is nearer to the picture's center."""
        top = _turned(guess, self.side * larger, angle)
        middle = np.array(self._size) / 2
        foot = middle + (top - middle) * (self._height - 1) / self._height
        hull: NDArray[np.int32] = np.round(cv2.convexHull(np.vstack([top, foot]).astype(np.float32))).astype(np.int32)
        return hull

    def _shine(self, guess: Guess, angle: float) -> str:
        """Return SHINES if light may hide a pip or make one (a spot is neither clearly a pip nor clearly none), else ""."""
        flat = self._flat(guess, angle)
        keep = self._between(guess)
        rest = self._rest(flat, keep)
        spots = {spot for spot in GRID if self._holds(guess, spot)}
        levels = {spot: float(np.median(_disc(rest, spot, guess.spread, 3.5))) for spot in spots}
        edges = {spot: float(np.mean(np.abs(_disc(rest, spot, guess.spread, 4.6)))) for spot in spots}
        strength = float(np.median(np.abs(list(levels.values()))))
        rim = float(np.median(list(edges.values())))
        quiet = 7 + 2 * self.noise
        for spot in GRID:
            if spot in spots:
                if not (0.88 <= abs(levels[spot]) / strength <= 1.13 and 0.88 <= edges[spot] / rim <= 1.14):
                    return SHINES  # the pips of one face look alike; a spot of light does not
            elif guess.number == 1 and max(map(abs, spot)) == 1:
                if float(np.percentile(np.abs(_disc(rest, spot, guess.spread, 6)), 85)) > max(0.25 * strength, quiet):
                    return SHINES
            elif float(np.percentile(np.abs(_disc(rest, spot, guess.spread, 6)), 85)) > max(0.2 * strength, quiet):
                return SHINES
        blown = np.all(flat >= 247, axis=2)
        white = {spot for spot in spots if float(_disc(blown, spot, guess.spread, 2.0).mean()) > 0.4}
        if white != spots and any(abs(levels[spot]) > 1.05 * strength for spot in white):
            return SHINES
        body = float(np.median(flat[keep]))
        if body > 244 or (body < 236 and float(blown[8:56, 8:56].mean()) > 0.01 and not self._bright_pips(flat, keep)):
            return SHINES
        return ""

    @staticmethod
    def _bright_pips(flat: NDArray[np.float32], keep: NDArray[np.bool_]) -> bool:
        """Return whether the pips, not the face, are overexposed."""
        return not bool(np.any(np.all(flat >= 247, axis=2) & keep))

    def _holds(self, guess: Guess, spot: tuple[int, int]) -> bool:
        """Return whether the face has a pip at this spot of its grid."""
        if guess.number == 1:
            return spot == (0, 0)
        x, y = guess.spot(*spot, self.side)
        return any(np.hypot(self.pips[n].x - x, self.pips[n].y - y) <= REACH * self.side for n in guess.pips)

    def _not_flat(self, guess: Guess, angle: float) -> str:
        """Return LEANS if the die's top is not at the place of a flat die's top (it leans, or is half hidden), else ""."""
        covered = self._flat(guess, angle, (self._strange > 0).astype(np.float32))
        if float(covered[self._between(guess)].mean()) < 0.95:
            return LEANS
        return LEANS if guess.number >= 4 and self._squeezed(guess) > 0.03 else ""

    def _squeezed(self, guess: Guess) -> float:
        """Return the relative compression of the pips of a four, five or six along one axis; 0 seen from above."""
        pips = np.array([(self.pips[n].x, self.pips[n].y) for n in sorted(guess.pips)])
        grid = []
        c, s, k = np.cos(guess.angle), np.sin(guess.angle), guess.spread * self.side
        for x, y in pips - (guess.x, guess.y):
            grid.append((round((c * x + s * y) / k), round((c * y - s * x) / k), 1))
        solved, *_ = np.linalg.lstsq(np.array(grid, float), pips, rcond=None)
        long, short = np.linalg.svd(solved[:2], compute_uv=False)
        return float(1 - short / long)

    def _unexplained(self, explained: Picture) -> str:
        """Return a sentence if something is neither tray nor shadow nor a die that was read, else ""."""
        left = ((self._strange == 1) & (explained == 0)).astype(np.uint8)
        left = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        count, _, boxes, _ = cv2.connectedComponentsWithStats(left)
        largest = max((int(box[4]) for box in boxes[1:count]), default=0)
        if largest > 0.5 * self.side**2:
            return STRANGE
        return LEANS if largest > 0.025 * self.side**2 else ""


def _around(pip: Pip, radius: float) -> tuple[Floats, Floats]:
    """Return the x and y of sixteen points on a circle of `radius` pixels around a pip."""
    turns = np.arange(16) * np.pi / 8
    return pip.x + radius * np.cos(turns), pip.y + radius * np.sin(turns)


def _turned(guess: Guess, side: float, angle: float) -> Floats:
    box: Floats = cv2.boxPoints(((guess.x, guess.y), (side, side), float(np.degrees(angle)))).astype(np.float64)
    return box


def _round(spot: Picture) -> bool:
    """Return whether a patch is as round as a pip seen from above."""
    edges, _ = cv2.findContours(spot, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(edges[0])
    area, solid = float(spot.sum()), float(cv2.contourArea(hull))
    if len(hull) < 5 or solid <= 0:
        return False
    (_, axes, _) = cv2.minAreaRect(hull)
    short, long = sorted(float(v) + 1 for v in axes)
    return short / long > 0.68 and area / (solid + long * 1.6) > 0.62 and area / (short * long) > 0.58


def _disc(flat: NDArray[Number], spot: tuple[int, int], spread: float, radius: float) -> NDArray[Number]:
    rows, columns = np.ogrid[:64, :64]
    x, y = 31.5 + spot[0] * spread * 64, 31.5 + spot[1] * spread * 64
    inside: NDArray[Number] = flat[(columns - x) ** 2 + (rows - y) ** 2 <= radius**2]
    return inside
