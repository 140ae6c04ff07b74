"""Draws `wiring.svg` from the box's table of pins: `python firmware/draw_wiring.py`, after a change of `pins.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
ROW, TOP, WIDTH, BOARD, MIDDLE = 24, 70, 1180, 190, 560
DARK, DIM, SIGNAL, POWER, GROUND = "#1d2730", "#9aa5ae", "#2f7de1", "#c0392b", "#1d2730"


def drawing() -> str:
    """Return the Pico from above, its USB socket at the top, and what hangs on each of its 40 pins."""
    table = runpy.run_path(str(HERE / "button_box" / "pins.py"))
    names: dict[int, tuple[str, str, str]] = {}  # pin -> what it is, where it goes, colour
    for _, gpio, pin, to in table["WIRES"]:
        names[pin] = (f"GP{gpio}", to, SIGNAL)
    for name, pins, to in table["SUPPLIES"]:
        colour = GROUND if name == "ground" else POWER
        for pin in pins:
            names[pin] = (name, "" if name == "ground" else to, colour)
    height = TOP + 20 * ROW + 70
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<rect x="{MIDDLE - BOARD / 2}" y="{TOP - 22}" width="{BOARD}" height="{20 * ROW + 32}" rx="10" fill="#12805c"/>',
        f'<rect x="{MIDDLE - 34}" y="{TOP - 40}" width="68" height="34" rx="4" fill="#c8ced3"/>',
        f'<text x="{MIDDLE}" y="{TOP - 18}" text-anchor="middle" fill="{DARK}">USB</text>',
        f'<text x="{MIDDLE}" y="{TOP + 10 * ROW}" text-anchor="middle" fill="#ffffff">Raspberry Pi Pico</text>',
    ]
    for pin in range(1, 41):
        left = pin <= 20
        y = TOP + ((pin - 1) if left else (40 - pin)) * ROW + 8
        side = -1 if left else 1
        edge = MIDDLE + side * BOARD / 2
        what, to, colour = names.get(pin, ("", "", DIM))
        anchor = "end" if left else "start"
        inside = "start" if left else "end"
        lines += [
            f'<circle cx="{edge}" cy="{y}" r="5" fill="#f2c81f" stroke="{DARK}"/>',
            f'<text x="{edge - side * 12}" y="{y + 4}" text-anchor="{inside}" fill="#ffffff">{pin}</text>',
        ]
        if what:
            lines += [
                f'<path d="M{edge + side * 6} {y}h{side * 40}" stroke="{colour}" stroke-width="2"/>',
                f'<text x="{edge + side * 52}" y="{y + 4}" text-anchor="{anchor}" fill="{colour}" font-weight="bold">{what}</text>',
                f'<text x="{edge + side * 108}" y="{y + 4}" text-anchor="{anchor}" fill="{DARK}">{escape(to)}</text>',
            ]
    ground = next(to for name, _, to in table["SUPPLIES"] if name == "ground")
    foot = f"Any ground: {escape(ground)}. Turned clockwise, the encoder closes A before B."
    lines += [
        f'<text x="{MIDDLE}" y="{height - 24}" text-anchor="middle" fill="{DARK}">{foot}</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "wiring.svg").write_text(drawing(), encoding="utf-8")
