"""Panels: the public state as a sheet in black and white, for 2.13, 2.9, 4.2 and 7.5 inch e-ink.

Every sheet is complete in itself (round, whose turn, all public numbers as far as they fit), so that
the table can finish by hand with the power off. Its zones are a header, the main zone, the seats, and on the larger
two a foot. A seat that is waited for stands white on black.

`model` says what is written, `small`, `medium` and `large` where it stands, `parts` how its pieces are drawn.
"""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING

from hub.display.ink import Sheet
from hub.display.panels import large, medium, small
from hub.display.panels.layout import SIZES, PanelSize
from hub.display.panels.model import PanelModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PIL import Image

    from hub.display.language import Language
    from hub.engine.labels import Labels
    from hub.state import PublicState

__all__ = ["SIZES", "PanelSize", "panel", "png", "sheet"]

_DRAW: Mapping[PanelSize, Callable[[Sheet, PanelModel], None]] = {
    "2.13": partial(small.draw, "2.13"),
    "2.9": partial(small.draw, "2.9"),
    "4.2": medium.draw,
    "7.5": large.draw,
}


def panel(
    state: PublicState, labels: Labels | None, size: PanelSize, join: str = "", language: Language | None = None
) -> Image.Image:
    """Return the public state as a panel shows it, black on white in one bit.

    `join` is the address that the QR code opens; without it the QR code opens the hub's own address.
    `language` is what it is written in; English without one.
    """
    return sheet(state, labels, size, join, language).image


def sheet(
    state: PublicState, labels: Labels | None, size: PanelSize, join: str = "", language: Language | None = None
) -> Sheet:
    """Return the panel with the boxes of its texts."""
    paper = Sheet(SIZES[size].width, SIZES[size].height)
    _DRAW[size](paper, PanelModel(state, labels, join, language))
    return paper


def png(image: Image.Image) -> bytes:
    """Return an image as the bytes of a PNG file."""
    out = BytesIO()
    image.save(out, "png", optimize=True)
    return out.getvalue()
