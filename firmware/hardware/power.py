"""What a seat box draws, and how many of them a Pi feeds from its own USB ports."""

from __future__ import annotations

from typing import NamedTuple

from firmware.button_box.pins import LAMPS, MILLIAMPERES

# Milliamperes. A Pico whose program runs all the time draws some 25 (Raspberry Pi Pico datasheet, power consumption); a
# 0.96 inch SSD1306 with every dot lit some 20; the electronics of a WS2812 that is dark just under 1 (measured by PJRC).
PICO, DISPLAY, DARK_LAMP = 30, 20, 1
BOX = {
    "Pico": PICO,
    "ring, as bright as the program lets it be (`MILLIAMPERES` in `firmware/button_box/pins.py`)": MILLIAMPERES,
    f"the {LAMPS} lamps' own electronics": LAMPS * DARK_LAMP,
    "display, all of it lit": DISPLAY,
}
ASKED = 250
"""What MicroPython asks USB for (USBD_MAX_POWER_MA): Linux counts with it, and a box may draw no more."""
ROUNDED = 10  # the sum is counted in steps of so many


class Hub(NamedTuple):
    """A Pi with its supply, and what all of its USB ports give together, in mA (Raspberry Pi documentation, "Power supply")."""

    name: str
    milliamperes: int


HUBS = (
    Hub("Pi 4, 5 V 3 A", 1200),
    Hub("Pi 5, 5 V 3 A", 600),
    Hub("Pi 5, 5 V 5 A", 1600),
)


def of_a_box() -> int:
    """Return what a box draws at most, in mA, rounded up."""
    return -(-sum(BOX.values()) // ROUNDED) * ROUNDED


def boxes(hub: Hub) -> int:
    """Return how many boxes a Pi feeds by itself."""
    return hub.milliamperes // of_a_box()


def table_of_a_box() -> str:
    """Return what a box draws as a table in Markdown."""
    rows = [("of a box", "mA at most"), ("---", "---")]
    rows += [(what, str(milliamperes)) for what, milliamperes in BOX.items()]
    rows.append(("**a box, rounded up**", f"**{of_a_box()}**"))
    return "\n".join(f"| {what} | {much} |" for what, much in rows)


def table_of_hubs() -> str:
    """Return how many boxes each Pi feeds as a table in Markdown."""
    rows = [("the hub and its supply", "all USB ports together", "boxes", "left"), ("---", "---", "---", "---")]
    for hub in HUBS:
        left = hub.milliamperes - boxes(hub) * of_a_box()
        rows.append((hub.name, f"{hub.milliamperes} mA", str(boxes(hub)), f"{left} mA"))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
