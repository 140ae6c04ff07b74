"""The picture that shows whether a panel is whole and the right way up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hub.display.ink import Box, Sheet, fitting
from hub.display.panels.layout import SIZES, PanelSize

if TYPE_CHECKING:
    from PIL import Image


def checkerboard(size: PanelSize) -> Image.Image:
    """Return the picture for a panel of this size: a frame, three lines of text and a checkerboard."""
    form = SIZES[size]
    sheet = Sheet(form.width, form.height)
    whole = Box(0, 0, form.width, form.height)
    sheet.frame(whole, width=3)
    side = min(form.height // 8, form.width // 14)  # of a square of the checkerboard, in pixels
    for row in range(1, 7):
        for column in range(1, 7):
            if (row + column) % 2:
                left, top = column * side, row * side
                sheet.fill(Box(left, top, left + side, top + side))
    text = whole._replace(left=side * 8).inset(6, 6)
    lines = (f"{size} inch", "this way up", "black on white")
    font_size = min(fitting(line, text.width, (48, 40, 32, 26, 22, 18, 16, 13), bold=True) for line in lines)
    for row, line in enumerate(lines):
        sheet.line(text.row(row, text.height // 3), line, font_size, bold=row == 1)
    return sheet.image
