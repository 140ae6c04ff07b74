"""How the camera tray reads painted throws: right, asked and WRONG, by condition.

    python -m tests.bench.vision [throws]

A throw is WRONG when the reader gives as many faces as there are dice and one is not what lies there, or gives a
face to a leaning die. Fewer faces than dice are "short": the table says that a die is missing. The pictures are
painted (`tests/vision/painter.py`): a real tray will be worse.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from statistics import median

import numpy as np

from drivers.camera_tray.vision import Calibration, read
from tests.vision.painter import CAMERA, CONDITIONS, DIE, SCALE, Throw, throw


def main(throws: int) -> None:
    """Read, and print a line for each condition."""
    total: Counter[str] = Counter()
    side = DIE * SCALE * CAMERA / (CAMERA - DIE)
    for number, condition in enumerate(CONDITIONS):
        counted: Counter[str] = Counter()
        spent = []
        for n in range(throws // len(CONDITIONS) + (number < throws % len(CONDITIONS))):
            thrown = throw(condition, np.random.default_rng([number, n]))
            tray = Calibration(thrown.empty, side, CAMERA / DIE)
            began = time.perf_counter()
            reading = read(thrown.picture, tray)
            spent.append(time.perf_counter() - began)
            counted[judge(thrown, [face.number for face in reading.faces], reading.doubt)] += 1
        total += counted
        print(f"{condition:9} {_line(counted)}   {median(spent) * 1000:.0f} ms a picture", flush=True)
    print(f"{'all':9} {_line(total)}")


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
