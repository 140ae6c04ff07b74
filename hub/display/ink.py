"""Drawing in one bit: text, seat symbols, cards, dice and QR codes, the same on every machine.

The fonts are in the package `font-source-sans-pro`, so that names with accents look the same on a laptop and on a Pi. Seat
symbols are polygons and need no font. All sizes, widths and positions are in pixels.

Widths, rendered lines and QR codes are cached, because a table draws nearly the same panel after each change.
"""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

import segno
from PIL import Image, ImageDraw, ImageFont

from hub.ports import SEAT_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

BLACK, WHITE = 0, 1

Align = Literal["left", "centre", "right"]

_SYMBOLS = {mark.symbol: seat for seat, mark in SEAT_MARKS.items()}
_ELLIPSIS = "…"
_CAPITAL = 0.66  # height of a capital in Source Sans, as a part of the size
_LEAST_MODULE = 2  # a camera cannot tell smaller modules of a QR code apart
_FINE = 8  # symbols are drawn this many times larger and shrunk, for even edges


class Box(NamedTuple):
    """A rectangle on the sheet. `right` and `bottom` are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Return the width in pixels."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Return the height in pixels."""
        return self.bottom - self.top

    def inset(self, x: int, y: int = 0) -> Box:
        """Return the box without a margin of `x` at the left and right and of `y` at the top and bottom."""
        return Box(self.left + x, self.top + y, self.right - x, self.bottom - y)

    def row(self, number: int, height: int) -> Box:
        """Return the `number`th strip (from 0) of `height` from the top."""
        top = self.top + number * height
        return Box(self.left, top, self.right, top + height)

    def column(self, number: int, count: int) -> Box:
        """Return the `number`th (from 0) of `count` columns of equal width."""
        return Box(
            self.left + self.width * number // count,
            self.top,
            self.left + self.width * (number + 1) // count,
            self.bottom,
        )

    def holds(self, other: Box) -> bool:
        """Return whether `other` is completely inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


# --- text ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    file = files("font_source_sans_pro") / "files" / f"SourceSansPro-{'Bold' if bold else 'Semibold'}.ttf"
    return ImageFont.truetype(str(file), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=2048)
def _clean(text: str) -> str:
    """Return the text as one line, without combining marks, which could pile up over it."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    whole = unicodedata.normalize("NFC", text)
    kept = (one if unicodedata.category(one)[0] not in "CZ" else " " for one in whole)
    return " ".join("".join(one for one in kept if unicodedata.category(one) not in ("Mn", "Me")).split())


def _runs(text: str) -> list[str]:
    """Split a text into plain runs and single seat symbols."""
    runs: list[str] = []
    for one in text:
        if one in _SYMBOLS or not runs or runs[-1] in _SYMBOLS:
            runs.append(one)
        else:
            runs[-1] += one
    return runs


def _symbol_side(size: int) -> int:
    """Return the side of a seat's symbol in text of this size."""
    return round(size * 0.74)


def _run_width(run: str, size: int, bold: bool) -> int:
    if run in _SYMBOLS:
        return _symbol_side(size) + max(1, size // 12)
    return math.ceil(_font(size, bold).getlength(run, mode="1"))


@lru_cache(maxsize=8192)
def width_of(text: str, size: int, bold: bool = False) -> int:
    """Return the width of a text in pixels."""
    return sum(_run_width(run, size, bold) for run in _runs(_clean(text)))


@lru_cache(maxsize=2048)
def shortened(text: str, width: int, size: int, bold: bool = False) -> str:
    """Return the text, shortened with an ellipsis if it does not fit; "" if not even the ellipsis fits."""
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
    cut = whole[:short].rstrip() + _ELLIPSIS
    return cut if width_of(cut, size, bold) <= width else ""


def fitting(text: str, width: int, sizes: Sequence[int], bold: bool = False) -> int:
    """Return the first of `sizes` (large to small) in which the text fits, else the last."""
    return next((size for size in sizes if width_of(text, size, bold) <= width), sizes[-1])


def wrapped(text: str, width: int, lines: int, size: int, bold: bool = False) -> list[str]:
    """Return the text on at most `lines` lines, broken between words. Lines that are too long are shortened."""
    broken: list[str] = []
    left = _clean(text).split(" ")
    while left and left[0] and len(broken) < lines:
        if len(broken) == lines - 1:
            broken.append(shortened(" ".join(left), width, size, bold))
            break
        count = 1
        while count < len(left) and width_of(" ".join(left[: count + 1]), size, bold) <= width:
            count += 1
        broken.append(shortened(" ".join(left[:count]), width, size, bold))
        left = left[count:]
    return broken


class _Line(NamedTuple):
    """A rendered line: a mask, the inked part of it, and the x coordinate of the line's end in it."""

    mask: Image.Image
    inked: Box
    end: int


@lru_cache(maxsize=512)
def _rendered(text: str, size: int, bold: bool, align: Align, width: int, height: int) -> _Line:
    """Render a line that fits, vertically centered in a mask of this width and height, which clips all glyphs."""
    mask = Image.new("1", (width, height), 0)
    draw = ImageDraw.Draw(mask)
    draw.fontmode = "1"
    taken = width_of(text, size, bold)
    x = {"left": 0, "centre": (width - taken) // 2, "right": width - taken}[align]
    capital = round(size * _CAPITAL)
    base = (height + capital) // 2
    for run in _runs(text):
        if run in _SYMBOLS:
            side = _symbol_side(size)
            mask.paste(1, (x, base - (capital + side) // 2), symbol(_SYMBOLS[run], side))
        else:
            draw.text((x, base), run, font=_font(size, bold), fill=1, anchor="ls")
        x += _run_width(run, size, bold)
    return _Line(mask, Box(*(mask.getbbox() or (0, 0, 0, 0))), x)


# --- symbols and codes -----------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def symbol(seat: int, side: int) -> Image.Image:
    """Return a seat's symbol as a square mask of `side` pixels."""
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


@lru_cache(maxsize=16)
def _qr_modules(text: str) -> Image.Image:
    """Return a QR code as a mask with one pixel per module, without a margin."""
    rows = [bytes(row) for row in segno.make(text, error="l", boost_error=False, micro=False).matrix]
    levels = Image.frombytes("L", (len(rows[0]), len(rows)), b"".join(rows))
    return levels.point(lambda level: 255 if level else 0).convert("1")


# --- the sheet -------------------------------------------------------------------------------------------


class Sheet:
    """A one-bit sheet of paper.

    `texts` lists the texts on it: for each its box, the inked part of the box, and the text as drawn.
    """

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("1", (width, height), WHITE)
        self.texts: list[tuple[Box, Box, str]] = []
        self._draw = ImageDraw.Draw(self.image)
        self._draw.fontmode = "1"

    def fill(self, box: Box, ink: int = BLACK) -> None:
        """Fill a box."""
        self._draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=ink)

    def frame(self, box: Box, ink: int = BLACK, width: int = 1, radius: int = 0) -> None:
        """Draw the outline of a box."""
        self._draw.rounded_rectangle(
            (box.left, box.top, box.right - 1, box.bottom - 1), radius=radius, outline=ink, width=width
        )

    def line(
        self, box: Box, text: str, size: int, *, bold: bool = False, align: Align = "left", ink: int = BLACK
    ) -> int:
        """Write one line, vertically centered in the box and shortened to its width. Return the x coordinate of its end."""
        text = shortened(text, box.width, size, bold)
        if not text or width_of(text, size, bold) == 0:
            return box.left
        line = _rendered(text, size, bold, align, box.width, box.height)
        self.image.paste(ink, (box.left, box.top), line.mask)
        left, top, right, bottom = line.inked
        inked = Box(box.left + left, box.top + top, box.left + right, box.top + bottom)
        self.texts.append((box, inked, text))
        return box.left + line.end

    def tile(self, box: Box, text: str | None, size: int, *, lit: bool = False) -> None:
        """Draw a card as a letter in a frame, white on black if `lit`. No card (None) is a short stroke."""
        if text is None:
            middle = (box.top + box.bottom) // 2
            self.fill(Box(box.left + box.width // 3, middle - 1, box.right - box.width // 3, middle + 1))
            return
        self.frame(box, radius=3, width=2)
        if lit:
            self.fill(box.inset(2, 2))
        self.line(box.inset(2, 2), text, size, bold=True, align="centre", ink=WHITE if lit else BLACK)

    def die(self, box: Box, face: int, sides: int) -> None:
        """Draw a die that shows `face`: pips for six sides, a number for others."""
        self.frame(box, width=max(2, box.width // 20), radius=box.width // 6)
        if sides != 6 or not 1 <= face <= 6:
            self.line(box.inset(4, 4), str(face), box.height // 2, bold=True, align="centre")
            return
        pip = box.width / 9
        for across, down in _PIPS[face]:
            x, y = box.left + (box.width - 1) * across / 4, box.top + (box.height - 1) * down / 4
            self._draw.ellipse((x - pip, y - pip, x + pip, y + pip), fill=BLACK)

    def qr(self, box: Box, text: str) -> None:
        """Draw a QR code as large as possible, with a margin of four modules, or two if its modules became too small."""
        mask, shorter = _qr_modules(text), min(box.width, box.height)
        modules = mask.width
        scale = shorter // (modules + 8)
        if scale < _LEAST_MODULE:
            scale = max(scale, shorter // (modules + 4))
        if scale < 1:
            return
        side = modules * scale
        left, top = box.left + (box.width - side) // 2, box.top + (box.height - side) // 2
        self.image.paste(BLACK, (left, top), mask.resize((side, side), Image.Resampling.NEAREST))


_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (1, 3), (3, 1), (3, 3)),
    5: ((1, 1), (1, 3), (2, 2), (3, 1), (3, 3)),
    6: ((1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)),
}
