"""A page that plays an evening back: what happened, and what the screen of each table showed meanwhile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hub.state import ScreenState
from tests.simulation.world import World

PAGE = Path(__file__).with_name("viewer.html")
DATA = "/* the evening */ null"


def write_page(world: World, title: str, into: Path) -> None:
    """Write the page of an evening: one file that needs no server."""
    evening = {"title": title, "start": 1000.0, "lines": _lines(world.lines), "tables": _tables(world.history)}
    text = json.dumps(evening, separators=(",", ":")).replace("</", "<\\/")
    into.write_text(PAGE.read_text("utf-8").replace(DATA, text), "utf-8")


def _lines(lines: Sequence[str]) -> list[tuple[float, str]]:
    """Return what happened and when, without the states, which are shown by themselves."""
    split = (line.split(" ", 1) for line in lines)
    return [(float(at), text) for at, text in split if ": state " not in text]


def _tables(history: Sequence[tuple[float, ScreenState]]) -> dict[str, list[tuple[float, dict[str, Any]]]]:
    tables: dict[str, list[tuple[float, dict[str, Any]]]] = {}
    for at, state in history:
        tables.setdefault(state.name, []).append((at, _summary(state)))
    return tables


def _summary(state: ScreenState) -> dict[str, Any]:
    """Return what a table shows, in words."""
    said = [state.question.text if state.question else "", state.dice.say if state.dice else "", state.want or ""]
    return {
        "title": f"{state.title or 'Lobby'} ({state.state})",
        "says": [f"{text}" for text in said if text],
        "events": [f"{event.text}" for event in state.events[-4:]],
        "notices": [f"{notice.text}" for notice in state.notices],
        "seats": [
            {
                "seat": seat.seat,
                "name": seat.name or ("house" if seat.house else "free"),
                "is": " · ".join(
                    word for word in (
                        f"phone {seat.phone}" if seat.phone != "none" else "", f"box {seat.box}" if seat.box != "none" else "",
                        seat.presence if seat.held else "", "ready" if seat.ready else "",
                        "locked" if seat.seat in state.locked else "", "stood in for" if seat.stands_in else "",
                        "asked for" if seat.seat in state.claiming else "",
                    ) if word
                ),
            }
            for seat in state.seats
        ],
    }  # fmt: skip
