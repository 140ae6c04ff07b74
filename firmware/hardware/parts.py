"""The parts list: read from parts.toml, and written as tables."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

FILE = Path(__file__).parent / "parts.toml"
Place = Literal["box", "tray", "table", "ring", "other"]
BOXES = 4  # of a table for four


class Part(msgspec.Struct, forbid_unknown_fields=True, rename={"needed": "for"}):
    """A part: what it is called, how many of it are needed where, what to order, and its sizes in mm where a drawing asks."""

    key: str
    name: str
    needed: dict[Place, int]
    equal: str
    price: tuple[float, float]  # euros, for all of it that one box, one tray or one table needs
    order: str = ""
    thread: float = 0.0  # diameter of what goes through the wood
    bushing: float = 0.0  # length of its thread
    nut: float = 0.0  # what nut and washer need of that length
    face: float = 0.0  # across what covers the wood, on either side of it
    below: float = 0.0  # how far it reaches into the box, its wires bent
    outside: float = 0.0  # of the ring
    inside: float = 0.0  # of the ring
    across: float = 0.0  # of the circle of lamps
    window: tuple[float, float] = (0.0, 0.0)
    plug: tuple[float, float] = (0.0, 0.0)
    width: float = 0.0


class _File(msgspec.Struct, forbid_unknown_fields=True):
    prices_of: str
    part: list[Part]


def load() -> dict[str, Part]:
    """Return every part by its key, in the order of the list."""
    return {part.key: part for part in _read().part}


@cache
def _read() -> _File:
    return msgspec.convert(tomllib.loads(FILE.read_text("utf-8")), _File, strict=False)


def euros(low: float, high: float) -> str:
    """Return a range of prices, in whole euros where they are not cents."""
    return " to ".join(f"{price:.2f}".removesuffix(".00") for price in (low, high))


def table(place: Place) -> str:
    """Return the parts of one place as a table in Markdown; of a box also what four of them need, and the sum."""
    found = [part for part in load().values() if place in part.needed]
    several = place == "box"
    head = ["part", "one box", f"{BOXES} boxes"] if several else ["part", "pieces"]
    rows = [[*head, "order number, or what an equal one must have", "euros"], ["---"] * (len(head) + 2)]
    low = high = 0.0
    for part in found:
        count = part.needed[place]
        what = "; ".join(filter(None, (f"**{part.order}**" if part.order else "", part.equal)))
        counts = [str(count), str(count * BOXES)] if several else [str(count)]
        rows.append([part.name, *counts, what, euros(*part.price)])
        low, high = low + part.price[0], high + part.price[1]
    if place == "other":  # choices, not a shopping list
        return _markdown(rows)
    each = "**sum**" if not several else "**sum of one box**"
    rows.append(
        [
            each,
            *[""] * (len(head) - 1),
            f"prices of {_read().prices_of}, expected, not looked up",
            f"**{low:.0f} to {high:.0f}**",
        ]
    )
    return _markdown(rows)


def _markdown(rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
