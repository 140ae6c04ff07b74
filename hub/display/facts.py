"""The public state in the words of a game: what panels and rings tell.

How a template is filled and a card is told stands in `hub.display.labels`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hub.display.labels import Words, by_seat, counted, fill, part, plain
from hub.ports import SEAT_MARKS

_SEAT = re.compile(r"\bSeat (\d+)")


def valued(value: Any, fact: Mapping[str, Any], words: Words | None) -> str:
    """A fact's value in words: seats as symbols, records by the fact's `title`, the rest counted or named."""
    if fact.get("seat") or fact.get("seats"):
        seats = value if isinstance(value, list) else [value]
        return " ".join(SEAT_MARKS[seat].symbol for seat in seats if seat in SEAT_MARKS)
    if isinstance(value, list):
        newest = value[-fact["last"] :] if fact.get("last") else value
        between = " · " if fact.get("title") else " "
        return between.join(told for told in (valued(one, fact, words) for one in newest) if told)
    if isinstance(value, Mapping):
        if fact.get("title"):
            seat = value.get(str(fact.get("by")))
            mark = SEAT_MARKS[seat].symbol if isinstance(seat, int) and seat in SEAT_MARKS else ""
            return f"{fill(str(fact['title']), value, words=words)} {mark}".strip()
        return by_seat(value, fact)
    known = part(fact, "names").get(str(value))
    return str(known) if known else plain(value, words) if isinstance(value, str) else counted(value, fact)


def phase(public: Mapping[str, Any], words: Words | None) -> str:
    """The phase in the game's words."""
    name = str(public.get("phase") or "")
    return str(part(words, "phases").get(name) or name.replace("_", " ").capitalize())


def named(text: str, state: Mapping[str, Any]) -> str:
    """`Seat 2` becomes the seat's symbol and its player's name; "Seat" without a number goes."""
    names = {one.get("seat"): one.get("name") or "" for one in state.get("seats") or ()}

    def told(match: re.Match[str]) -> str:
        seat = int(match[1])
        if seat not in SEAT_MARKS:
            return match[0]
        return f"{SEAT_MARKS[seat].symbol} {names.get(seat, '')}".strip()

    return re.sub(r"\bSeat(?: +|$)(?=\D|$)", "", _SEAT.sub(told, text)).strip()


def scope(state: Mapping[str, Any]) -> dict[str, Any]:
    """The public view with what a phase's templates may name beside it: `{locked}` of `{seated}` seats, `{players}`."""
    view = state.get("view") or {}
    asked = asked_seats(state)
    players = len(view.get("seats") or ())
    return {**view, "locked": len(state.get("locked") or ()), "seated": len(asked) or players, "players": players}


def asked_seats(state: Mapping[str, Any]) -> list[int]:
    """The seats that are waited for, in order; a roller is one of them."""
    waiting = (state.get("view") or {}).get("waiting") or {}
    seats = {int(seat) for seat in waiting.get("seats") or ()}
    roll = waiting.get("roll")
    if roll:
        seats.add(int(roll["seat"]))
    return sorted(seats)


def spoken_seat(state: Mapping[str, Any]) -> int | None:
    """The `seat` of the templates: the roller, or the first seat asked."""
    roll = ((state.get("view") or {}).get("waiting") or {}).get("roll")
    if roll:
        return int(roll["seat"])
    asked = asked_seats(state)
    return asked[0] if asked else None
