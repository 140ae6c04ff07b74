"""Ink on paper: text, seat symbols, cards and dice in one bit, the same on every machine.

The fonts come with the package `font-source-sans-pro`, so that a name with an accent is written
alike on a laptop and on a Pi. Seat symbols are drawn as polygons: no font is asked for them.
"""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from hub.ports import SEAT_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

BLACK, WHITE = 0, 1

Align = Literal["left", "centre", "right"]

_MARKS = {mark.symbol: seat for seat, mark in SEAT_MARKS.items()}
_ELLIPSIS = "…"
_CAP = 0.66  # height of a capital in Source Sans, as a part of the size
_LEAST_MODULE = 2  # pixels; a camera cannot tell smaller modules of a QR code apart
_FINE = 8  # symbols are drawn this many times larger and shrunk, for even edges


class Box(NamedTuple):
    """A rectangle of the sheet; right and bottom are just outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels across."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels down."""
        return self.bottom - self.top

    def inset(self, x: int, y: int = 0) -> Box:
        """The same box with a margin inside."""
        return Box(self.left + x, self.top + y, self.right - x, self.bottom - y)

    def row(self, number: int, height: int) -> Box:
        """The `number`th strip of `height` from the top."""
        top = self.top + number * height
        return Box(self.left, top, self.right, top + height)

    def column(self, number: int, count: int) -> Box:
        """The `number`th of `count` columns of equal width."""
        return Box(
            self.left + self.width * number // count,
            self.top,
            self.left + self.width * (number + 1) // count,
            self.bottom,
        )

    def holds(self, other: Box) -> bool:
        """Whether `other` lies wholly inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


@lru_cache(maxsize=64)
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    face = files("font_source_sans_pro") / "files" / f"SourceSansPro-{'Bold' if bold else 'Semibold'}.ttf"
    return ImageFont.truetype(str(face), size, layout_engine=ImageFont.Layout.BASIC)


def _clean(text: str) -> str:
    """One line without marks that would pile up over it."""
    whole = unicodedata.normalize("NFC", text)
    kept = (one if unicodedata.category(one)[0] not in "CZ" else " " for one in whole)
    return " ".join("".join(one for one in kept if unicodedata.category(one) not in ("Mn", "Me")).split())


def _runs(text: str) -> list[str]:
    """Text cut into plain runs and single seat symbols."""
    runs: list[str] = []
    for one in text:
        if one in _MARKS or not runs or runs[-1] in _MARKS:
            runs.append(one)
        else:
            runs[-1] += one
    return runs


def _side(size: int) -> int:
    return round(size * 0.74)


def _run_width(run: str, size: int, bold: bool) -> int:
    if run in _MARKS:
        return _side(size) + max(1, size // 12)
    return math.ceil(_font(size, bold).getlength(run, mode="1"))


def width_of(text: str, size: int, bold: bool = False) -> int:
    """How many pixels a text takes."""
    return sum(_run_width(run, size, bold) for run in _runs(_clean(text)))


def shortened(text: str, width: int, size: int, bold: bool = False) -> str:
    """The text, or as much of it as fits with an ellipsis; empty when not even that fits."""
    whole = _clean(text)
    if width_of(whole, size, bold) <= width:
        return whole
    short, long = 0, len(whole)
    while short < long:
        middle = (short + long + 1) // 2
        if width_of(whole[:middle].rstrip() + _ELLIPSIS, size, bold) <= width:
            short = middle
        else:
            long = middle - 1
    told = whole[:short].rstrip() + _ELLIPSIS
    return told if width_of(told, size, bold) <= width else ""


def fitting(text: str, width: int, sizes: Sequence[int], bold: bool = False) -> int:
    """The first of `sizes` (large to small) in which the text fits, else the last."""
    return next((size for size in sizes if width_of(text, size, bold) <= width), sizes[-1])


def wrapped(text: str, width: int, lines: int, size: int, bold: bool = False) -> list[str]:
    """The text on at most `lines` lines, broken between words; the last is shortened."""
    told: list[str] = []
    left = _clean(text).split(" ")
    while left and left[0] and len(told) < lines:
        if len(told) == lines - 1:
            told.append(shortened(" ".join(left), width, size, bold))
            break
        count = 1
        while count < len(left) and width_of(" ".join(left[: count + 1]), size, bold) <= width:
            count += 1
        told.append(shortened(" ".join(left[:count]), width, size, bold))
        left = left[count:]
    return told


@lru_cache(maxsize=128)
def mark(seat: int, side: int) -> Image.Image:
    """A seat's symbol as a mask of `side` pixels."""
    fine = side * _FINE
    image = Image.new("L", (fine, fine), 0)
    draw = ImageDraw.Draw(image)
    middle, reach = fine / 2, fine / 2 - 1

    def around(radii: Sequence[float], start: float) -> list[tuple[float, float]]:
        turn = 2 * math.pi / len(radii)
        return [
            (middle + r * reach * math.sin(start + i * turn), middle - r * reach * math.cos(start + i * turn))
            for i, r in enumerate(radii)
        ]

    match seat:
        case 1:
            draw.ellipse((fine * 0.03, fine * 0.03, fine * 0.97, fine * 0.97), fill=255)
        case 2:
            draw.polygon([(middle, fine * 0.04), (fine - 1, fine * 0.94), (0, fine * 0.94)], fill=255)
        case 3:
            draw.rectangle((fine * 0.07, fine * 0.07, fine * 0.93, fine * 0.93), fill=255)
        case 4:
            draw.polygon(around([1.0] * 4, 0), fill=255)
        case 5:
            draw.polygon(around([1.06, 0.46] * 5, 0), fill=255)
        case _:
            arm = fine * 0.33
            draw.rectangle((arm, 0, fine - arm, fine), fill=255)
            draw.rectangle((0, arm, fine, fine - arm), fill=255)
    small = image.resize((side, side), Image.Resampling.BOX)
    return small.point(lambda level: 255 if level > 127 else 0).convert("1")


class Sheet:
    """A sheet of paper in one bit, and where on it text was put."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("1", (width, height), WHITE)
        self.texts: list[tuple[Box, Box, str]] = []
        self._draw = ImageDraw.Draw(self.image)
        self._draw.fontmode = "1"

    def fill(self, box: Box, ink: int = BLACK) -> None:
        """A filled box."""
        self._draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=ink)

    def frame(self, box: Box, ink: int = BLACK, width: int = 1, radius: int = 0) -> None:
        """The outline of a box."""
        self._draw.rounded_rectangle(
            (box.left, box.top, box.right - 1, box.bottom - 1), radius=radius, outline=ink, width=width
        )

    def line(
        self, box: Box, text: str, size: int, *, bold: bool = False, align: Align = "left", ink: int = BLACK
    ) -> int:
        """One line in the middle of the box's height, shortened to its width. Returns where it ends."""
        told = shortened(text, box.width, size, bold)
        width = width_of(told, size, bold)
        if not told or width == 0:
            return box.left
        left = {"left": box.left, "centre": box.left + (box.width - width) // 2, "right": box.right - width}[align]
        base = box.top + (box.height + round(size * _CAP)) // 2
        # Drawn on a piece of paper of the box's own size: whatever a glyph does, it stays inside.
        piece = Image.new("1", (box.width, box.height), 0)
        draw = ImageDraw.Draw(piece)
        draw.fontmode = "1"
        at = left - box.left
        for run in _runs(told):
            if run in _MARKS:
                side = _side(size)
                top = base - box.top - (round(size * _CAP) + side) // 2
                piece.paste(1, (at, top), mark(_MARKS[run], side))
            else:
                draw.text((at, base - box.top), run, font=_font(size, bold), fill=1, anchor="ls")
            at += _run_width(run, size, bold)
        self.image.paste(ink, (box.left, box.top), piece)
        inked = piece.getbbox() or (0, 0, 0, 0)
        self.texts.append(
            (box, Box(box.left + inked[0], box.top + inked[1], box.left + inked[2], box.top + inked[3]), told)
        )
        return left + width

    def tile(self, box: Box, text: str | None, size: int, *, lit: bool = False) -> None:
        """A card as a letter in a frame, a `lit` one white on black; an empty place as a short stroke."""
        if text is None:
            middle = (box.top + box.bottom) // 2
            self.fill(Box(box.left + box.width // 3, middle - 1, box.right - box.width // 3, middle + 1))
            return
        self.frame(box, radius=3, width=2)
        if lit:
            self.fill(box.inset(2, 2))
        self.line(box.inset(2, 2), text, size, bold=True, align="centre", ink=WHITE if lit else BLACK)

    def die(self, box: Box, face: int, sides: int) -> None:
        """A die that shows `face`: pips for six sides, a number for others."""
        self.frame(box, width=max(2, box.width // 20), radius=box.width // 6)
        if sides != 6 or not 1 <= face <= 6:
            self.line(box.inset(4, 4), str(face), box.height // 2, bold=True, align="centre")
            return
        pip = box.width / 9
        for across, down in _PIPS[face]:
            x, y = box.left + (box.width - 1) * across / 4, box.top + (box.height - 1) * down / 4
            self._draw.ellipse((x - pip, y - pip, x + pip, y + pip), fill=BLACK)

    def code(self, box: Box, modules: Sequence[Sequence[int]]) -> None:
        """A QR code as large as the box allows, with four modules of quiet around it, or two where paper is short."""
        side, room = len(modules), min(box.width, box.height)
        scale = max(room // (side + 8), room // (side + 4) if room // (side + 8) < _LEAST_MODULE else 0)
        if scale < 1:
            return
        left = box.left + (box.width - side * scale) // 2
        top = box.top + (box.height - side * scale) // 2
        for down, row in enumerate(modules):
            for across, dark in enumerate(row):
                if dark:
                    x, y = left + across * scale, top + down * scale
                    self.fill(Box(x, y, x + scale, y + scale))


_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (1, 3), (3, 1), (3, 3)),
    5: ((1, 1), (1, 3), (2, 2), (3, 1), (3, 3)),
    6: ((1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)),
}
