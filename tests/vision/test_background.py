"""The empty tray is learned again in any light; dice, hands and what else lies there never are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from drivers.camera_tray.background import SURE, Background, is_empty
from drivers.camera_tray.vision import Calibration, Picture, read
from tests.vision.painter import (
    CAMERA,
    DICE,
    DIE,
    SCALE,
    TRAYS,
    PaintedDie,
    Scene,
    empty,
    leaning,
    paint,
    throw,
    upright,
)

SIDE = DIE * SCALE * CAMERA / (CAMERA - DIE)
LIGHTS: dict[str, dict[str, float]] = {
    "as it was": {},
    "one side 25 % brighter": {"side": 0.25},
    "one side 30 % darker": {"side": -0.3},
    "a lamp over a corner": {"spot": 0.3},
    "a lamp switched on": {"bright": 1.35},
    "dusk": {"bright": 0.6},
    "warmer": {"warm": 0.08},
    "more grain": {"noise": 7.0},
}


@cache
def calibrated(tray: str) -> Calibration:
    return Calibration(empty(Scene([], tray), np.random.default_rng(1)), SIDE, CAMERA / DIE)


def seen(tray: str, *dice: PaintedDie, **light: Any) -> Picture:
    return paint(Scene(list(dice), tray, **light), np.random.default_rng(2))


@pytest.mark.long  # all of them together
@pytest.mark.parametrize("tray", TRAYS)
@pytest.mark.parametrize("light", LIGHTS)
def test_the_empty_tray_is_known_in_any_light(tray: str, light: str) -> None:
    bright = {} if tray != "wood" else {"bright": 0.8}  # a wood that is lit more would be white
    assert is_empty(seen(tray, **bright | LIGHTS[light]), calibrated(tray))


@pytest.mark.parametrize("tray", TRAYS)
@pytest.mark.parametrize("kind", DICE)
def test_no_die_is_taken_for_the_empty_tray(tray: str, kind: str) -> None:
    face = 1 + list(DICE).index(kind) % 6
    assert not is_empty(seen(tray, PaintedDie((20, -10), upright(face, 0.4), kind), side=0.25), calibrated(tray))


def test_dice_that_lie_there_for_an_hour_are_not_learned() -> None:
    background = Background(calibrated("green"))
    flat, tilted = PaintedDie((0, 0), upright(1, 0.2), "green"), PaintedDie((30, 0), leaning(3, 0.3, 0.5), "green")
    for picture in (seen("green", flat), seen("green", tilted), seen("green", flat, spot=0.3)):
        for _ in range(SURE + 3):
            assert not background.update(picture)
    assert background.calibration is calibrated("green")


def test_a_hand_is_not_learned_and_leaves_nothing_behind() -> None:
    background = Background(calibrated("wood"))
    hand = seen("wood")
    hand[100:400, :250] = (120, 150, 190)  # of the tray's colour, and without its grain
    for _ in range(9):
        assert not background.update(hand)
    assert background.calibration is calibrated("wood")
    assert background.update(seen("wood"))


@pytest.mark.long
def test_a_new_light_is_learned_slowly_and_wholly() -> None:
    background = Background(calibrated("green"))
    lit = seen("green", spot=0.35)
    far = np.abs(lit.astype(int) - calibrated("green").empty).mean()
    for _ in range(SURE):
        background.update(lit)
    left = [float(np.abs(lit.astype(int) - background.calibration.empty).mean())]
    for _ in range(40):
        assert background.update(lit)
        left.append(float(np.abs(lit.astype(int) - background.calibration.empty).mean()))
    assert left[0] > 0.8 * far
    assert left[-1] < 1.0


def test_nothing_is_learned_while_something_moves_or_from_pictures_of_another_size() -> None:
    background = Background(calibrated("green"))
    for _ in range(9):
        assert not background.update(seen("green"), moving=True)
        assert not background.update(seen("green")[::2, ::2])
    assert background.calibration is calibrated("green")


@pytest.mark.long
def test_dice_are_read_under_a_lamp_that_was_off_at_the_calibration() -> None:
    asked = 0
    for n in range(3):
        chance = np.random.default_rng([1, n])
        thrown = throw("colours", chance)
        lit = replace(thrown.scene, bright=0.75, spot=0.35)
        background = Background(Calibration(empty(replace(lit, spot=0.0), chance), SIDE, CAMERA / DIE))
        bare = empty(lit, chance)
        for _ in range(30):
            background.update(bare)
        reading = read(paint(lit, chance), background.calibration)
        asked += bool(reading.doubt)
        assert reading.doubt or sorted(face.number for face in reading.faces) == sorted(thrown.faces or [])
    assert asked <= 1
