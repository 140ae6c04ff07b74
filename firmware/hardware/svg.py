"""A sheet of paper in millimetres: lines, circles and words, written as SVG in black and white.

A sheet remembers its words and lines, so that tests can look for what would be unreadable in print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape

A4_LANDSCAPE = (297.0, 210.0)  # mm
LETTER = 3.6  # mm from line to line of the smallest words: capitals of 2.6 mm


class Area(NamedTuple):
    """A rectangle on a sheet, in mm; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Area) -> bool:
        """Return whether both have some area in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


@dataclass(frozen=True)
class Words:
    """A line of text: where it stands, and what it covers."""

    text: str
    area: Area
    size: float


class Stroke(NamedTuple):
    """A straight line, in mm."""

    x1: float
    y1: float
    x2: float
    y2: float

    def meets(self, area: Area) -> bool:
        """Return whether the line runs through an area (the boundaries of level and upright lines are enough)."""
        left, right = (self.x1, self.x2) if self.x1 < self.x2 else (self.x2, self.x1)
        top, bottom = (self.y1, self.y2) if self.y1 < self.y2 else (self.y2, self.y1)
        return left < area.right and area.left < right + 0.01 and top < area.bottom and area.top < bottom + 0.01


def number(value: float) -> str:
    """Return a length with at most three digits behind the point, and none that says nothing."""
    return f"{round(value, 3):.3f}".rstrip("0").rstrip(".").replace("-0", "-0") or "0"


class Sheet:
    """One drawing. Sizes are mm on paper."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.words: list[Words] = []
        self.strokes: list[Stroke] = []
        self._out: list[str] = []

    def line(self, *points: tuple[float, float], width: float = 0.35, dash: str = "", colour: str = "#000") -> None:
        """Draw a line through points."""
        for (x1, y1), (x2, y2) in pairwise(points):
            self.strokes.append(Stroke(x1, y1, x2, y2))
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def shape(self, points: list[tuple[float, float]], fill: str = "none", width: float = 0.35) -> None:
        """Draw a closed polygon."""
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "Z"
        self._out.append(f'<path d="{path}" fill="{fill}" stroke="#000" stroke-width="{width}"/>')

    def box(self, area: Area, fill: str = "none", width: float = 0.35, dash: str = "", radius: float = 0) -> None:
        """Draw a rectangle."""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        left, top, right, bottom = area
        self._out.append(
            f'<rect x="{number(left)}" y="{number(top)}" width="{number(right - left)}" height="{number(bottom - top)}"'
            f'{f" rx={chr(34)}{number(radius)}{chr(34)}" if radius else ""} fill="{fill}" stroke="#000" stroke-width="{width}"{dashes}/>'
        )
        for side in (
            (left, top, right, top),
            (left, bottom, right, bottom),
            (left, top, left, bottom),
            (right, top, right, bottom),
        ):
            self.strokes.append(Stroke(*side))

    def circle(
        self, x: float, y: float, radius: float, fill: str = "none", width: float = 0.35, dash: str = ""
    ) -> None:
        """Draw a circle."""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._out.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" stroke="#000" stroke-width="{width}"{dashes}/>'
        )

    def holes(self, middles: Sequence[tuple[float, float]], radius: float, width: float = 0.25) -> None:
        """Draw many white circles of one size: in one group, for a board has hundreds."""
        circles = "".join(f'<circle cx="{number(x)}" cy="{number(y)}" r="{radius}"/>' for x, y in middles)
        self._out.append(f'<g fill="#fff" stroke="#000" stroke-width="{width}">{circles}</g>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: str = "start",
        *,
        size: float = LETTER,
        bold: bool = False,
        halo: bool = False,
    ) -> None:
        """Write a line whose letters stand on y. With a halo it may lie over a drawing: its ground is made white."""
        wide = width_of(text, size, bold=bold)
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        self.words.append(Words(text, Area(left, y - 0.73 * size, left + wide, y + 0.2 * size), size))
        style = f' text-anchor="{anchor}"' if anchor != "start" else ""
        style += f' font-size="{number(size)}"' if size != LETTER else ""
        style += ' font-weight="bold"' if bold else ""
        style += ' stroke="#fff" stroke-width="0.9" paint-order="stroke"' if halo else ""
        self._out.append(f'<text x="{number(x)}" y="{number(y)}"{style}>{escape(text)}</text>')

    def finish(self) -> str:
        """Return the drawing."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(self.width)}mm" height="{number(self.height)}mm" '
            f'viewBox="0 0 {number(self.width)} {number(self.height)}" font-family="DejaVu Sans, Arial, sans-serif" '
            f'font-size="{LETTER}" stroke-linejoin="round">'
        )
        ground = f'<rect width="{number(self.width)}" height="{number(self.height)}" fill="#fff"/>'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", ground, *self._out, "</svg>"]) + "\n"


_NARROW, _WIDE = set("iljtfI1.,:;'|!()[]- "), set("mwMWGOQ@%+=→")


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how wide a text is, in mm, in DejaVu Sans, which is wider than most."""
    ems = sum(0.37 if letter in _NARROW else 0.95 if letter in _WIDE else 0.65 for letter in text)
    return ems * size * (1.1 if bold else 1.0)


def unreadable(sheet: Sheet) -> list[str]:
    """Return what cannot be read on paper: words over words, lines through words, words outside, letters too small."""
    found = []
    paper = Area(0, 0, sheet.width, sheet.height)
    for at, words in enumerate(sheet.words):
        area = words.area
        if not (
            paper.left <= area.left
            and area.right <= paper.right
            and paper.top <= area.top
            and area.bottom <= paper.bottom
        ):
            found.append(f"{words.text!r} runs out of the paper")
        if 0.73 * words.size < 2.5:
            found.append(f"{words.text!r} is written too small")
        found += [f"{words.text!r} lies over {other.text!r}" for other in sheet.words[:at] if area.meets(other.area)]
        found += [f"a line runs through {words.text!r}" for stroke in sheet.strokes if stroke.meets(area)]
    return found
