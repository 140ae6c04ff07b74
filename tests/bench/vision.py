"""How the camera tray reads painted throws: right, asked and WRONG, by condition.

    python -m tests.bench.vision [throws]

Then the same for light that has changed since the calibration: before the tray was seen empty in it, and after.

A throw is WRONG when the reader gives as many faces as there are dice and one is not what lies there, or gives a
face to a leaning die. Fewer faces than dice are "short": the table says that a die is missing. The pictures are
painted (`tests/vision/painter.py`): a real tray will be worse.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

from drivers.camera_tray.background import Background
from drivers.camera_tray.vision import Calibration, read
from tests.vision.painter import CAMERA, CONDITIONS, DIE, SCALE, Throw, empty, paint, throw

SIDE = DIE * SCALE * CAMERA / (CAMERA - DIE)
LIGHTS: dict[str, dict[str, Any]] = {
    "side": {"side": 0.25},  # one side is 25 % brighter than at the calibration
    "sides": {"side": 0.45, "warm": 0.04},
    "lamp": {"spot": 0.35},
}
EXPOSED = 0.75  # white dice are not white as can be: else it is their shine that is asked about
SEEN = 30  # pictures of the empty tray, a minute


def main(throws: int) -> None:
    """Read, and print a line for each condition."""
    total: Counter[str] = Counter()
    for number, condition in enumerate(CONDITIONS):
        counted: Counter[str] = Counter()
        spent = []
        for n in range(throws // len(CONDITIONS) + (number < throws % len(CONDITIONS))):
            thrown = throw(condition, np.random.default_rng([number, n]))
            tray = Calibration(thrown.empty, SIDE, CAMERA / DIE)
            began = time.perf_counter()
            reading = read(thrown.picture, tray)
            spent.append(time.perf_counter() - began)
            counted[judge(thrown, [face.number for face in reading.faces], reading.doubt)] += 1
        total += counted
        print(f"{condition:9} {_line(counted)}   {median(spent) * 1000:.0f} ms a picture", flush=True)
    print(f"{'all':9} {_line(total)}")
    for name in LIGHTS:
        _light(name, max(3, throws // 44))


def _light(name: str, throws: int) -> None:
    """Read throws in a light that is not the calibration's, before the empty tray was seen in it and after."""
    before, after = Counter[str](), Counter[str]()
    for n in range(throws):
        chance = np.random.default_rng([n % 3, n // 3])
        thrown = throw(("plain", "colours", "touching")[n % 3], chance)
        then = replace(thrown.scene, bright=EXPOSED)
        now = replace(then, **LIGHTS[name])
        background = Background(Calibration(empty(then, chance), SIDE, CAMERA / DIE))
        picture, bare = paint(now, chance), empty(now, chance)
        for counted, seen in ((before, 0), (after, SEEN)):
            for _ in range(seen):
                background.update(bare)
            reading = read(picture, background.calibration)
            counted[judge(thrown, [face.number for face in reading.faces], reading.doubt)] += 1
    print(f"{name:9} {_line(before)}   at once", flush=True)
    print(f"{'':9} {_line(after)}   after a minute of the empty tray", flush=True)


def judge(thrown: Throw, numbers: list[int], doubt: str) -> str:
    """What one reading was."""
    if doubt:
        return "asked"
    if thrown.faces is not None and sorted(numbers) == sorted(thrown.faces):
        return "right"
    return "WRONG" if len(numbers) >= len(thrown.scene.dice) else "short"


def _line(counted: Counter[str]) -> str:
    total = sum(counted.values())
    return "   ".join(
        f"{word} {counted[word]:4} ({counted[word] / total:6.1%})" for word in ("right", "asked", "short", "WRONG")
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
