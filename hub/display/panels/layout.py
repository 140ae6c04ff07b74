"""The sizes of panels and the zones of each, in pixels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from hub.display.ink import Box

PanelSize = Literal["2.13", "2.9", "4.2", "7.5"]
"""The diagonal in inches."""


class Format(NamedTuple):
    """The zones of a panel and its smallest text, in pixels."""

    width: int
    height: int
    least: int
    zones: Mapping[str, Box]


SIZES: Mapping[PanelSize, Format] = {
    "2.13": Format(250, 122, 13, {
        "head": Box(0, 0, 250, 20), "main": Box(0, 20, 250, 94), "seats": Box(0, 94, 250, 122),
    }),
    "2.9": Format(296, 128, 16, {
        "head": Box(0, 0, 296, 20), "main": Box(0, 20, 296, 98), "seats": Box(0, 98, 296, 128),
    }),
    "4.2": Format(400, 300, 18, {
        "head": Box(0, 0, 400, 32), "main": Box(0, 32, 400, 172), "seats": Box(0, 172, 400, 272),
        "foot": Box(0, 272, 400, 300),
    }),
    "7.5": Format(800, 480, 22, {
        "head": Box(0, 0, 800, 48), "main": Box(0, 48, 520, 392), "seats": Box(520, 48, 800, 392),
        "foot": Box(0, 392, 800, 480),
    }),
}  # fmt: skip
