"""Panels: the public state as a one-bit sheet for e-ink of 2.13, 2.9, 4.2 and 7.5 inches.

Every sheet is complete (round, turn, all public numbers as far as they fit), so that the table can finish by hand without
power. Its zones are a header, the main zone, the seats, and on the larger two sizes a foot. Seats that the table waits for
are white on black.

`model` has the texts, `small`, `medium` and `large` the layouts, `parts` the pieces.
"""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING

from hub.display.ink import Sheet
from hub.display.panels import large, medium, small
from hub.display.panels.checkerboard import checkerboard
from hub.display.panels.layout import SIZES, PanelSize
from hub.display.panels.model import PanelModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PIL import Image

    from hub.display.language import Language
    from hub.engine.labels import Labels
    from hub.state import PublicState

__all__ = ["SIZES", "PanelSize", "checkerboard", "panel", "png", "sheet"]

_DRAW: Mapping[PanelSize, Callable[[Sheet, PanelModel], None]] = {
    "2.13": partial(small.draw, "2.13"),
    "2.9": partial(small.draw, "2.9"),
    "4.2": medium.draw,
    "7.5": large.draw,
}


def panel(
    state: PublicState, labels: Labels | None, size: PanelSize, join: str = "", language: Language | None = None
) -> Image.Image:
    """Draw the public state as a one-bit panel.

    - `join`: the address in the QR code; by default the hub's own address.
    - `language`: the language of the texts; by default English.
    """
    return sheet(state, labels, size, join, language).image


def sheet(
    state: PublicState, labels: Labels | None, size: PanelSize, join: str = "", language: Language | None = None
) -> Sheet:
    """Return the panel and the boxes of its texts."""
    paper = Sheet(SIZES[size].width, SIZES[size].height)
    _DRAW[size](paper, PanelModel(state, labels, join, language))
    return paper


def png(image: Image.Image) -> bytes:
    """Return an image as the bytes of a PNG file."""
    out = BytesIO()
    image.save(out, "png", optimize=True)
    return out.getvalue()
