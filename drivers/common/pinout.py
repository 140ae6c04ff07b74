"""The wiring of all devices drawn on the 40-pin header, as text and as SVG. No device is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from drivers.common.gpio_header import PLACES, Rail, Wire

Devices = Sequence[tuple[str, Sequence[Wire]]]

_BY_PLACE: Mapping[int, int | Rail] = {place: pin for pin, places in PLACES.items() for place in places}
_EEPROM = (0, 1)  # GPIO0 and GPIO1, which stay free for a board's own description


class Joint(NamedTuple):
    """One wire at its place on the header: 1 to 40, odd ones on the left, 1 at the end with the corner marked."""

    place: int
    device: str
    wire: Wire


def joints(devices: Devices) -> list[Joint]:
    """Return each wire with its place. A rail is used at the free place nearest to the device's other wires."""
    taken: set[int] = set()
    found = []
    for device, wires in devices:
        own = [PLACES[wire.pin][0] for wire in wires if isinstance(wire.pin, int) and not wire.idle]
        middle = sum(own) / len(own) if own else 20
        for wire in wires:
            places = PLACES[wire.pin]
            place = min(places, key=lambda at: (at in taken and len(places) > 1, abs(at - middle)))
            taken.add(place)
            found.append(Joint(place, device, wire))
    return sorted(found, key=lambda joint: joint.place)


def named(place: int) -> str:
    """Return the name of a place of the header."""
    pin = _BY_PLACE[place]
    return "(EEPROM)" if pin in _EEPROM else f"GPIO{pin}" if isinstance(pin, int) else pin


def _place_texts(found: Sequence[Joint]) -> Mapping[int, str]:
    texts: dict[int, str] = {}
    for place, device, wire in found:
        said = f"{device}: {wire.to}{' (nothing connected)' if wire.idle else ''}"
        texts[place] = f"{texts[place]}; {said}" if place in texts else said
    return texts


def as_text(devices: Devices) -> str:
    """Return the header as text, pin 1 at the upper left, with all wires."""
    texts = _place_texts(joints(devices))
    width = max((len(text) for place, text in texts.items() if place % 2), default=0)
    lines = []
    for left in range(1, 40, 2):
        right = left + 1
        line = (
            f"{texts.get(left, ''):>{width}}  {named(left):>8} ({left:2}) ({right:2}) {named(right):8}  "
            f"{texts.get(right, '')}"
        )
        lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


# --- SVG -----------------------------------------------------------------------------------------------------

_ROW, _TOP, _LETTER = 26, 60, 7.5  # pixels; a letter is that wide at most, on the average
_RAILS: Mapping[int | Rail, str] = {"5V": "#c62828", "3V3": "#ef6c00", "GND": "#222222"}
_FONT = 'font-family="sans-serif" font-size="14"'
# One for each device, told apart by lightness, too; the name stands beside each wire.
_INKS = ("#1f5fa8", "#12805c", "#9c2f78", "#7a5a00", "#4b4fae", "#a33b1f")


def as_svg(devices: Devices) -> str:
    """Return the header with all wires as SVG."""
    found = joints(devices)
    longest = max(map(len, _place_texts(found).values()), default=0)
    middle = 160 + round(longest * _LETTER)
    width, height = 2 * middle, _TOP + 20 * _ROW + 30
    size = f'width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} {_FONT}>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{middle}" y="24" text-anchor="middle" font-size="18">Raspberry Pi, 40-pin header</text>',
        f'<text x="{middle}" y="44" text-anchor="middle" fill="#555555">pin 1 is at the upper left</text>',
        f'<g transform="translate({middle} {_TOP})">',
        f'<rect x="-30" y="-4" width="60" height="{20 * _ROW + 8}" rx="6" fill="#333333"/>',
        *_pins(),
        *_wires(found, {device: _INKS[number % len(_INKS)] for number, (device, _) in enumerate(devices)}),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _pins() -> Iterator[str]:
    for place in range(1, 41):
        way, anchor, y = _side(place)
        x = way * 14
        shape = (
            f'rect x="{x - 8}" y="{y - 8}" width="16" height="16"' if place == 1 else f'circle cx="{x}" cy="{y}" r="8"'
        )
        yield f'<{shape} fill="{_RAILS.get(_BY_PLACE[place], "#d9b44a")}" stroke="#f5f5f5"/>'
        label = f"{named(place)}  {place}" if way < 0 else f"{place}  {named(place)}"
        yield f'<text x="{way * 34}" y="{y + 5}" text-anchor="{anchor}" fill="#555555" font-size="12">{label}</text>'


def _wires(found: Sequence[Joint], inks: Mapping[str, str]) -> Iterator[str]:
    for place, text in _place_texts(found).items():
        joint = next(one for one in found if one.place == place)
        ink = _RAILS.get(joint.wire.pin, inks[joint.device])
        way, anchor, y = _side(place)
        dashes = ' stroke-dasharray="3 4"' if joint.wire.idle else ""
        yield f'<line x1="{way * 110}" y1="{y}" x2="{way * 140}" y2="{y}" stroke="{ink}" stroke-width="4"{dashes}/>'
        yield f'<text x="{way * 146}" y="{y + 5}" text-anchor="{anchor}" fill="{ink}">{escape(text)}</text>'


def _side(place: int) -> tuple[int, str, int]:
    """Return the side of a place (-1 left, 1 right), the text anchor there, and the distance from the top in pixels."""
    y = (place - 1) // 2 * _ROW + _ROW // 2
    return (-1, "end", y) if place % 2 else (1, "start", y)
