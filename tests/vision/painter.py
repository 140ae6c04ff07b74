"""Pictures of dice in a tray, painted to look like a camera's: the reader's tests and measurements play on them.

A small pinhole camera looks down on cubes that lie, touch or lean, on felt or wood, under a lamp with shadows, shine,
blur, noise and JPEG. Lengths are millimetres; the tray's middle is the origin, z points to the camera.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera_tray.vision import SPOTS

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Canvas = NDArray[np.float32]  # height x width x 3, in fine pixels

DIE = 16.0  # side of a common die
CAMERA = 320.0  # height of the camera above the tray
SCALE = 3.6  # pixels a millimetre on the floor
WIDE, HIGH = 640, 480
FINE = 2  # painted so much larger, then made smaller: smooth edges
TEXTURE = 120

TRAYS = {
    "green": (52, 92, 40),
    "blue": (110, 62, 38),
    "grey": (96, 98, 100),
    "wood": (86, 124, 168),
    "black": (38, 36, 36),
}
DICE = {  # body, pips (blue, green, red)
    "white": ((222, 226, 228), (24, 22, 22)),
    "ivory": ((190, 214, 226), (40, 34, 60)),
    "red": ((42, 36, 176), (228, 230, 232)),
    "blue": ((168, 82, 30), (230, 232, 232)),
    "green": ((70, 140, 36), (232, 232, 228)),
    "yellow": ((52, 196, 226), (26, 26, 30)),
    "black": ((34, 32, 32), (226, 228, 230)),
    "purple": ((128, 44, 96), (220, 222, 226)),
}

# The six faces of a cube: outward normal, and the axes of its texture. Opposite faces add up to seven.
_FACES = {
    1: ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    6: ((0, 0, -1), (1, 0, 0), (0, -1, 0)),
    2: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    5: ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    3: ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    4: ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
}


@dataclass
class PaintedDie:
    """One die: where its middle lies, how it is turned (rotation matrix), and what it is made of."""

    at: tuple[float, float]
    turn: Floats
    kind: str = "white"
    lifted: float = 0.0
    shine: list[tuple[float, float, float, float]] = field(default_factory=list)  # x, y, radius, strength (mm)
    spread: float = 0.26  # of a pip from the middle, in sides
    pip: float = 0.095  # radius of a pip, in sides


@dataclass
class Scene:
    """A tray with dice and its light."""

    dice: list[PaintedDie]
    tray: str = "green"
    lamp: tuple[float, float, float] = (0.35, -0.25, 0.9)
    bright: float = 1.0
    blur: float = 0.6
    noise: float = 3.0
    jpeg: int = 88
    shadow: float = 0.45
    side: float = 0.0  # by which part the right edge is lit more than the left one: daylight, a lamp
    spot: float = 0.0  # by which part a lamp lights a place of its own more than the rest
    warm: float = 0.0  # by which part red is stronger and blue weaker


def upright(face: int, yaw: float) -> Floats:
    """The rotation that lays a die flat with `face` up, turned by `yaw` radians."""
    tilts = {1: np.eye(3), 6: _about(0, np.pi), 2: _about(1, -np.pi / 2), 5: _about(1, np.pi / 2),
             3: _about(0, np.pi / 2), 4: _about(0, -np.pi / 2)}  # fmt: skip
    turned: Floats = _about(2, yaw) @ tilts[face]
    return turned


def leaning(face: int, yaw: float, lean: float) -> Floats:
    """As `upright`, then tipped by `lean` radians over an edge."""
    tipped: Floats = _about(2, yaw) @ _about(0, lean) @ upright(face, 0.0)
    return tipped


def paint(scene: Scene, chance: np.random.Generator) -> Picture:
    """The picture that the camera takes."""
    canvas = _floor(scene.tray).copy()
    for die in scene.dice:
        _shade_floor(canvas, die, scene)
    for die in sorted(
        scene.dice, key=lambda one: -float(np.hypot(*one.at))
    ):  # the nearer to the middle, the less is hidden
        _draw(canvas, die, scene)
    return _photograph(canvas, scene, chance)


def empty(scene: Scene, chance: np.random.Generator) -> Picture:
    """The same tray and light without dice."""
    return paint(replace(scene, dice=[]), chance)


def _about(axis: int, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    turn = np.eye(3)
    turn[a, a], turn[a, b], turn[b, a], turn[b, b] = c, -s, s, c
    return turn


def _project(points: Floats) -> Floats:
    """Millimetres to fine pixels, through a pinhole above the middle."""
    scale = SCALE * FINE * CAMERA / (CAMERA - points[:, 2])
    seen: Floats = np.stack([WIDE * FINE / 2 + points[:, 0] * scale, HIGH * FINE / 2 + points[:, 1] * scale], axis=1)
    return seen


@cache
def _floor(tray: str) -> Canvas:
    chance = np.random.default_rng(7)  # the same felt in every picture of one tray
    coarse = chance.normal(0, 1, (HIGH // 8, WIDE // 8)).astype(np.float32)
    felt = cv2.resize(coarse, (WIDE * FINE, HIGH * FINE), interpolation=cv2.INTER_CUBIC)
    fine = chance.normal(0, 1, (HIGH, WIDE)).astype(np.float32)
    felt = felt * 3 + cv2.resize(fine, (WIDE * FINE, HIGH * FINE), interpolation=cv2.INTER_LINEAR) * 4
    if tray == "wood":
        rows = chance.normal(0, 1, (HIGH // 6, 1)).astype(np.float32)
        felt = felt + cv2.resize(rows, (WIDE * FINE, HIGH * FINE), interpolation=cv2.INTER_CUBIC) * 9
    canvas: Canvas = np.array(TRAYS[tray], np.float32)[None, None] + felt[:, :, None]
    return canvas


def _corners(die: PaintedDie) -> Floats:
    half = DIE / 2
    cube = np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (-half, half)])
    turned = cube @ die.turn.T
    turned[:, 2] += die.lifted - turned[:, 2].min()
    turned[:, :2] += die.at
    return turned


def _shade_floor(canvas: Canvas, die: PaintedDie, scene: Scene) -> None:
    corners = _corners(die)
    lamp = np.array(scene.lamp)
    shadow = corners[:, :2] - corners[:, 2:] * (lamp[:2] / lamp[2])
    hull = cv2.convexHull(_project(np.column_stack([shadow, np.zeros(8)])).astype(np.float32)).astype(np.int32)
    least = np.maximum(hull.min(axis=(0, 1)) - 30 * FINE, 0)
    most = hull.max(axis=(0, 1)) + 30 * FINE
    part = canvas[least[1] : most[1], least[0] : most[0]]
    dark = np.zeros(part.shape[:2], np.float32)
    cv2.fillConvexPoly(dark, hull - least, 1.0)
    part *= (1 - scene.shadow * cv2.GaussianBlur(dark, (0, 0), 5 * FINE))[:, :, None]


def _texture(face: int, die: PaintedDie) -> Picture:
    body, pips = DICE[die.kind]
    tile = np.full((TEXTURE, TEXTURE, 3), body, np.uint8)
    for column, row in SPOTS[face]:
        middle = (TEXTURE * (0.5 + column * die.spread), TEXTURE * (0.5 + row * die.spread))
        radius = die.pip * TEXTURE * (1.35 if face == 1 else 1.0)
        at, size = (round(middle[0] * 16), round(middle[1] * 16)), round(radius * 16)
        cv2.circle(tile, at, size, pips, -1, cv2.LINE_AA, 4)
    edge = np.zeros((TEXTURE, TEXTURE), np.float32)
    cv2.rectangle(edge, (0, 0), (TEXTURE - 1, TEXTURE - 1), 1.0, 5)
    tint = cv2.GaussianBlur(edge, (0, 0), 3)[:, :, None]
    return np.clip(tile * (1 - 0.15 * tint) + 20 * tint, 0, 255).astype(np.uint8)


def _draw(canvas: Canvas, die: PaintedDie, scene: Scene) -> None:
    corners = _corners(die)
    seen = _project(corners)
    least = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 8, 0)
    most = np.ceil(seen.max(axis=0)).astype(int) + 8
    part = canvas[least[1] : most[1], least[0] : most[0]]  # all that this die can touch
    painted, body = part.copy(), np.zeros(part.shape[:2], np.uint8)
    lamp = np.array(scene.lamp) / np.linalg.norm(scene.lamp)
    for face, axes in _FACES.items():
        n, a, d = (die.turn @ np.array(axis, float) for axis in axes)
        centre = corners.mean(axis=0) + n * DIE / 2
        if float(n @ (np.array([0, 0, CAMERA]) - centre)) <= 0:
            continue
        square = np.array([centre + DIE / 2 * (i * a + j * d) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        at = (_project(square) - least).astype(np.float32)
        flat = np.array([[0, 0], [TEXTURE, 0], [TEXTURE, TEXTURE], [0, TEXTURE]], np.float32)
        size = (part.shape[1], part.shape[0])
        tile = cv2.warpPerspective(_texture(face, die), cv2.getPerspectiveTransform(flat, at), size)
        mask = np.zeros(part.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, at.astype(np.int32), 255)
        painted[mask > 0] = tile[mask > 0] * (0.42 + 0.62 * max(0.0, float(n @ lamp)))
        body |= mask
    for x, y, radius, strength in die.shine:
        spot = _project(np.array([[die.at[0] + x, die.at[1] + y, DIE]]))[0] - least
        rows, columns = np.ogrid[: part.shape[0], : part.shape[1]]
        far = (columns - spot[0]) ** 2 + (rows - spot[1]) ** 2
        painted += (strength * np.exp(-far / (2 * (radius * SCALE * FINE) ** 2)))[:, :, None] * (body > 0)[:, :, None]
    rounded = _rounded(body, round(0.11 * DIE * SCALE * FINE))
    part[:] = painted * rounded + part * (1 - rounded)


def _rounded(body: Picture, radius: int) -> Floats:
    """The silhouette with its corners taken off, soft at the edge."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    opened = cv2.morphologyEx(body, cv2.MORPH_OPEN, disc)
    return np.asarray(cv2.GaussianBlur(opened.astype(np.float64) / 255, (0, 0), 1.0)[:, :, None], np.float64)


def _photograph(canvas: Canvas, scene: Scene, chance: np.random.Generator) -> Picture:
    small = cv2.resize(canvas, (WIDE, HIGH), interpolation=cv2.INTER_AREA)
    rows, columns = np.ogrid[:HIGH, :WIDE]
    x, y = columns / WIDE, rows / HIGH
    light = scene.bright * (1 - 0.35 * ((x - 0.5) ** 2 + (y - 0.5) ** 2))
    if scene.side or scene.spot or scene.warm:
        light = light * (1 + scene.side * x + scene.spot * np.exp(-((x - 0.25) ** 2 + (y - 0.3) ** 2) / (2 * 0.22**2)))
    lit = small * (light[:, :, None] * np.array([1 - scene.warm, 1.0, 1 + scene.warm])).astype(np.float32)
    lit = cv2.GaussianBlur(lit, (0, 0), scene.blur) if scene.blur > 0 else lit
    lit = lit + chance.normal(0, scene.noise, lit.shape)
    taken = np.clip(lit, 0, 255).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", taken, [cv2.IMWRITE_JPEG_QUALITY, scene.jpeg])
    picture = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture, np.uint8)


# --- throws ------------------------------------------------------------------------------------------

CONDITIONS = ("plain", "colours", "dim", "blurred", "touching", "glare", "shine", "crowded", "leaning")


@dataclass
class Throw:
    """A painted throw: the picture, the empty tray as it was calibrated, and what truly lies there.

    `faces` is None where a die leans: the only right answer is to ask.
    """

    picture: Picture
    empty: Picture
    faces: list[int] | None
    scene: Scene


def throw(condition: str, chance: np.random.Generator) -> Throw:
    """A throw of one to six dice under `condition` (one of CONDITIONS)."""
    count = 6 if condition == "crowded" else int(chance.integers(1, 7))
    tray = str(chance.choice([name for name in TRAYS if name != "black"] if condition == "dim" else list(TRAYS)))
    kinds = ["white", "ivory"] if condition == "plain" else list(DICE)
    if tray == "black":
        kinds = [kind for kind in kinds if kind != "black"]
    kind = str(chance.choice(kinds))
    faces = [int(face) for face in chance.integers(1, 7, count)]
    spread, pip = float(chance.uniform(0.24, 0.28)), float(chance.uniform(0.08, 0.105))
    places = _touching(count, chance) if condition in ("touching", "crowded") else _apart(count, chance)
    mixed = condition in ("colours", "crowded") and chance.random() < 0.5
    dice = [
        PaintedDie(at, upright(face, yaw), str(chance.choice(kinds)) if mixed else kind, 0.0, [], spread, pip)
        for (at, yaw), face in zip(places, faces, strict=True)
    ]
    scene = Scene(dice, tray, _lamp(chance), float(chance.uniform(0.9, 1.08)), float(chance.uniform(0.4, 0.9)),
                  float(chance.uniform(1.5, 4)), int(chance.integers(80, 95)))  # fmt: skip
    before = Scene([], tray, scene.lamp, scene.bright * float(chance.uniform(0.93, 1.07)), 0.6, 2.5, 90)
    readable: list[int] | None = faces
    if condition == "dim":
        scene.bright, scene.noise, before.bright = 0.45, 7.0, 0.47
    if condition == "blurred":
        scene.blur = float(chance.uniform(1.4, 2.6))
    if condition == "glare":
        for die in dice:
            for _ in range(int(chance.choice(3, p=[0.6, 0.3, 0.1]))):
                x, y = chance.uniform(-7, 7, 2)
                die.shine.append((float(x), float(y), float(chance.uniform(0.8, 2.6)), float(chance.uniform(90, 420))))
    if condition == "shine":  # a broad sheen of a lamp over part of the tray's dice
        for die in dice:
            x, y = chance.uniform(-8, 8, 2)
            die.shine.append((float(x), float(y), float(chance.uniform(4, 8)), float(chance.uniform(15, 70))))
    if condition == "leaning":
        lean = float(chance.uniform(np.radians(18), np.radians(45)))  # less than that still shows one face only
        dice[0].turn = leaning(faces[0], float(chance.uniform(0, 2 * np.pi)), lean)
        readable = None
    return Throw(paint(scene, chance), empty(before, chance), readable, scene)


def _lamp(chance: np.random.Generator) -> tuple[float, float, float]:
    angle, low = chance.uniform(0, 2 * np.pi), chance.uniform(0.1, 0.55)
    return float(low * np.cos(angle)), float(low * np.sin(angle)), 0.9


def _apart(count: int, chance: np.random.Generator) -> list[tuple[tuple[float, float], float]]:
    """Places with room between them."""
    while True:
        at = [(float(chance.uniform(-72, 72)), float(chance.uniform(-50, 50))) for _ in range(count)]
        if all(np.hypot(a[0] - b[0], a[1] - b[1]) > DIE * 1.65 for n, a in enumerate(at) for b in at[:n]):
            return [(one, float(chance.uniform(0, np.pi / 2))) for one in at]


def _touching(count: int, chance: np.random.Generator) -> list[tuple[tuple[float, float], float]]:
    """A chain in which each die touches the one before: flush, shifted or corner to side."""
    while True:
        at = [(float(chance.uniform(-30, 30)), float(chance.uniform(-20, 20)))]
        yaws = [float(chance.uniform(0, np.pi / 2))]
        for _ in range(count - 1):
            flush = chance.random() < 0.5
            yaw = yaws[-1] if flush else float(chance.uniform(0, np.pi / 2))
            side = yaws[-1] + int(chance.integers(0, 4)) * np.pi / 2
            reach = DIE / 2 + (DIE / 2 if flush else DIE / 2 * (abs(np.cos(yaw - side)) + abs(np.sin(yaw - side))))
            slide = float(chance.uniform(-6, 6))
            x = at[-1][0] + reach * np.cos(side) - slide * np.sin(side)
            y = at[-1][1] + reach * np.sin(side) + slide * np.cos(side)
            at.append((float(x), float(y)))
            yaws.append(yaw)
        inside = all(abs(x) < 74 and abs(y) < 52 for x, y in at)
        clear = all(not _overlap(at[n], yaws[n], at[m], yaws[m]) for n in range(count) for m in range(n))
        if inside and clear:
            return list(zip(at, yaws, strict=True))


def _overlap(a: tuple[float, float], yaw_a: float, b: tuple[float, float], yaw_b: float) -> bool:
    squares = [
        cv2.boxPoints(((x, y), (DIE * 0.985, DIE * 0.985), float(np.degrees(yaw))))
        for (x, y), yaw in ((a, yaw_a), (b, yaw_b))
    ]
    area, _ = cv2.intersectConvexConvex(squares[0], squares[1])
    return area > 0.2
