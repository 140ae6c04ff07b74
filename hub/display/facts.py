"""Texts from the public state and the labels of its game, shared by panels and rings.

`hub.display.labels` fills templates and names cards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hub.display.labels import BETWEEN, beside, fill, number_text, readable, seat_numbers, value_text
from hub.display.language import Language
from hub.engine.labels import FactLabels, Labels
from hub.ports import SEAT_MARKS
from hub.state import PublicState, View

_ISOLATES = re.compile("[\u2068\u2069]")
_SEAT = re.compile(r"\bSeat (\d+)")


def fact_text(value: Any, fact: FactLabels, labels: Labels) -> str:
    """Return a fact's value as text: seats as symbols, records by the fact's `title`, the rest counted or named."""
    if fact.seat or fact.seats:
        seats = value if isinstance(value, list) else [value]
        return " ".join(SEAT_MARKS[seat].symbol for seat in seats if seat in SEAT_MARKS)
    if isinstance(value, list):
        newest = value[-fact.last :]
        separator = BETWEEN if fact.title else " "
        return beside((fact_text(one, fact, labels) for one in newest), separator)
    if isinstance(value, Mapping):
        if fact.title:
            seat = value.get(fact.by)
            symbol = SEAT_MARKS[seat].symbol if isinstance(seat, int) and seat in SEAT_MARKS else ""
            return beside((fill(fact.title, value, labels=labels), symbol))
        return seat_numbers(value, ranked=fact.ranked, money=fact.money, sign=fact.signed)
    if known := fact.names.get(str(value)):
        return known
    if isinstance(value, str):
        return value_text(value, labels)
    return number_text(value, money=fact.money, sign=fact.signed)


def phase_name(phase: str, labels: Labels) -> str:
    """Return the name of a phase by the game's labels, by default made from its key: `take_fish` is "Take fish"."""
    return labels.phases.get(phase) or readable(phase)


def with_names(text: str, state: PublicState, language: Language | None = None) -> str:
    """Return `text` with each "Seat 2" as the seat's symbol and its player's name.

    With a `language`, the text is translated first, and seats have the names of that language.
    """
    language = language or Language()
    names = {one.seat: one.name for one in state.seats}

    def symbol_and_name(match: re.Match[str]) -> str:
        seat = int(match[1])
        if seat not in SEAT_MARKS:
            return match[0]
        return f"{SEAT_MARKS[seat].symbol} {names.get(seat, '')}".strip()

    said = " ".join(language.say(text).split())
    named = language.seat.sub(symbol_and_name, _SEAT.sub(symbol_and_name, said))
    return _ISOLATES.sub("", named)  # panels cannot draw the isolates around people's names


def view_values(view: View) -> dict[str, Any]:
    """Return the part of a view that paths in labels can name: `game`, `round`, `phase`, `table.*` and `seats.*`."""
    return {"game": view.game, "round": view.round, "phase": view.phase, "table": view.table, "seats": view.seats}


def template_values(state: PublicState) -> dict[str, object]:
    """Return the values for a phase's templates: the view, `{locked}` of `{seated}` asked seats, and `{players}`."""
    values = view_values(state.view) if state.view else {}
    players = len(state.view.seats) if state.view else 0
    return {
        **values,
        "locked": len(state.locked),
        "seated": len(asked_seats(state)) or players,
        "players": players,
    }


def asked_seats(state: PublicState) -> list[int]:
    """Return the seats that the table waits for, in order, including a roller."""
    if state.view is None:
        return []
    waiting = state.view.waiting
    seats = {int(seat) for seat in waiting.seats}
    if waiting.roll:
        seats.add(waiting.roll.seat)
    return sorted(seats)


def template_seat(state: PublicState) -> int | None:
    """Return the seat that `{seat}` in templates stands for: the roller, or the first asked seat."""
    if state.view and state.view.waiting.roll:
        return state.view.waiting.roll.seat
    return next(iter(asked_seats(state)), None)
