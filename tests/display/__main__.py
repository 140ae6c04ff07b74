"""Draw the reference pictures again: `python -m tests.display`. Look at them before they are kept."""

from __future__ import annotations

from pathlib import Path

from hub.display import SIZES, panel, png
from tests.display.states import SCENES
from tests.display.test_pictures import JOIN

KEPT = {
    "2.13": ("bait-roll",),
    "2.9": ("bait-roll", "auction", "market"),
    "4.2": ("lobby", "bait-take", "ladder", "market"),
    "7.5": ("bait-roll", "bait-over", "market"),
}

for size in SIZES:
    for scene in KEPT[size]:
        (Path(__file__).parent / f"{scene}-{size}.png").write_bytes(png(panel(*SCENES[scene], size, JOIN)))
