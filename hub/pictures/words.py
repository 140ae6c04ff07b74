"""The words of a game, filled from the public view: what generic screens write.

The same few rules stand in `phone_ui/static/words.js`; whoever changes one changes both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hub.ports import SEAT_MARKS

Words = Mapping[str, Any]

_PLACE = re.compile(r"\{([^{}]*)\}")
_SEAT = re.compile(r"\bSeat (\d+)")


def fill(template: str, public: Mapping[str, Any], seat: int | None = None, words: Words | None = None) -> str:
    """The template with each `{a.b.0.c}` replaced by what lies there; missing or null is left out.

    `{seat.bid}` is that fact of `seat`. `{cash:cents}` and `{cash:dollars}` write money. A value that is a card
    of the game is written by the card's name. A seat's own part (`you`) is never looked into. Of several parts with
    dots (" · ") between them, one whose places are all empty is left out whole.
    """

    def told(match: re.Match[str]) -> str:
        path, _, form = match[1].partition(":")
        value = found(public, path, seat)
        return counted(value, {"money": form}) if form and type(value) is int else plain(value, words)

    parts = template.split(" · ")
    filled = [_PLACE.sub(told, part) for part in parts]
    kept = [
        said for part, said in zip(parts, filled, strict=True)
        if len(parts) == 1 or not _PLACE.search(part) or said != _PLACE.sub("", part)
    ]  # fmt: skip
    return re.sub(r" {2,}", " ", " · ".join(kept)).strip(" ·")


def found(public: Mapping[str, Any], path: str, seat: int | None = None) -> Any:
    """What lies at `a.b.0.c`, or None."""
    steps = path.split(".")
    value: Any = public
    if steps[0] == "you":
        return None
    if steps == ["seat"] and seat is not None:
        return seat
    if steps[0] == "seat" and seat is not None:
        value, steps = _step(_step(public, "seats"), str(seat)), steps[1:]
    for step in steps:
        value = _step(value, step)
    return value


def _step(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, Sequence) and not isinstance(value, str) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None


def plain(value: Any, words: Words | None = None) -> str:
    """A value in words: cards by name, maps by seat with symbols, nothing for null and false."""
    match value:
        case None | False:
            return ""
        case Mapping():
            return _by_seat(value, {})
        case True:
            return "yes"
        case str():
            return str(card(words, value).get("name", value))
        case list() | tuple():
            return " ".join(told for told in (plain(one, words) for one in value) if told)
        case _:
            return str(value)


def _by_seat(value: Mapping[str, Any], fact: Mapping[str, Any]) -> str:
    """A map by seat as symbols with their numbers; any other record is left out."""
    if not all(key.isdecimal() and int(key) in SEAT_MARKS and type(one) is int for key, one in value.items()):
        return ""
    return " ".join(f"{SEAT_MARKS[int(key)].symbol}{counted(one, fact)}" for key, one in value.items() if one)


def cents(value: Any) -> str:
    """Cents as money: 2250 is $22.50, 2200 is $22."""
    if type(value) is not int:
        return ""
    whole, rest = divmod(abs(value), 100)
    return f"{'-' if value < 0 else ''}${whole}{f'.{rest:02}' if rest else ''}"


def counted(value: Any, fact: Mapping[str, Any]) -> str:
    """A number as the game counts it: plain, whole dollars, or cents (`money = "cents"`)."""
    if type(value) is not int or not fact.get("money"):
        return plain(value)
    return cents(value) if fact["money"] == "cents" else cents(value * 100)


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
        return _by_seat(value, fact)
    known = part(fact, "names").get(str(value))
    return str(known) if known else plain(value, words) if isinstance(value, str) else counted(value, fact)


def part(words: Words | None, *path: str) -> Mapping[str, Any]:
    """A table of the words, empty when it is not there."""
    value: Any = words or {}
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def card(words: Words | None, face: Any) -> Mapping[str, Any]:
    """What the words say of a card."""
    return part(words, "cards", str(face))


def letter(words: Words | None, face: Any) -> str:
    """A card in one or two letters."""
    return str(card(words, face).get("letter") or str(face)[:2].upper())


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
    """The public view with what a phase's templates may name beside it: `{locked}` of `{seated}` seats."""
    view = state.get("view") or {}
    asked = asked_seats(state)
    return {**view, "locked": len(state.get("locked") or ()), "seated": len(asked) or len(view.get("seats") or ())}


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
