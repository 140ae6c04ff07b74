"""Text from the labels of a game and the values of a view: templates, numbers, cards.

A card is written by its face. Where a card is a key of `[cards]` ("perch"), its face is what stands there. Where it
is a record of the state (a number, a price, a product), the labels say in `[face]` how it is read:

- `key`: the field by which moves and facts name the card; `kind`: the field that names its part of `[cards]`;
- `title` and `tag`: templates over the record, for the large number and the tag beside it;
- `action`: the field that names the text in that part which says what the card does.

The same few rules stand in `phone_ui/static/lib/labels.js`; whoever changes one changes both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hub.engine.labels import Labels, Money
from hub.ports import SEAT_MARKS

Deck = Mapping[str, Mapping[str, Any]]
NO_LABELS = Labels()

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_EMPTY: Mapping[str, Any] = {}
_TABLE = (dict, Mapping)  # a dict is recognised at once, any other Mapping takes ten times as long


# --- templates -----------------------------------------------------------------------------------------


def fill(
    template: str, public: Mapping[str, Any], seat: int | None = None, labels: Labels = NO_LABELS,
) -> str:  # fmt: skip
    """Return the template with each `{a.b.0.c}` replaced by the value at that path; missing or null is left out.

    `{seat.bid}` is that fact of `seat`. `{cash:cents}` and `{cash:dollars}` write money, `{price:+}` a number with
    its sign, `{needs:some}` nothing for 0. A card is written by its name, or by the title of its face. A seat's own part (`you`) is never looked
    into. Of several parts with dots (" · ") between them, one whose placeholders are all empty is left out whole.
    """

    def text_of(match: re.Match[str]) -> str:
        path, _, form = match[1].partition(":")
        value = found(public, path, seat)
        if form == "+":
            return signed(value)
        if form == "some":
            return "" if value == 0 else value_text(value, labels)
        if form and type(value) is int:
            return number_text(value, money="cents" if form == "cents" else "dollars")
        return value_text(value, labels)

    parts = template.split(" · ")
    filled = [_PLACEHOLDER.sub(text_of, one) for one in parts]
    kept = [
        text for one, text in zip(parts, filled, strict=True)
        if len(parts) == 1 or not _PLACEHOLDER.search(one) or text != _PLACEHOLDER.sub("", one)
    ]  # fmt: skip
    return re.sub(r" {2,}", " ", " · ".join(kept)).strip(" ·")


def found(public: Mapping[str, Any], path: str, seat: int | None = None) -> Any:
    """Return the value at the path `a.b.0.c`, or None."""
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
    if isinstance(value, _TABLE):
        return value.get(step)
    if isinstance(value, Sequence) and not isinstance(value, str) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None


def value_text(value: Any, labels: Labels = NO_LABELS) -> str:
    """Return a value as text: cards by name or title, maps by seat with symbols, nothing for null and false."""
    match value:
        case None | False:
            return ""
        case Mapping():
            face = face_of(labels, value)
            return face.title if face else seat_numbers(value)
        case True:
            return "yes"
        case str():
            return str(card(labels, value).get("name", value))
        case list() | tuple():
            return " ".join(filter(None, (value_text(one, labels) for one in value)))
        case _:
            return str(value)


def seat_numbers(value: Mapping[str, Any], *, ranked: bool = False, money: Money = "", sign: bool = False) -> str:
    """Return a map by seat as symbols with numbers, from the highest if they are `ranked`; "" for other records."""
    if not all(key.isdecimal() and int(key) in SEAT_MARKS and type(one) is int for key, one in value.items()):
        return ""
    items = sorted(value.items(), key=lambda item: -item[1]) if ranked else value.items()
    return " ".join(
        f"{SEAT_MARKS[int(key)].symbol}{number_text(one, money=money, sign=sign)}" for key, one in items if one
    )


def cents(value: Any) -> str:
    """Return cents as money: 2250 is $22.50, 2200 is $22."""
    if type(value) is not int:
        return ""
    whole, rest = divmod(abs(value), 100)
    return f"{'-' if value < 0 else ''}${whole}{f'.{rest:02}' if rest else ''}"


def score_text(value: Any, labels: Labels) -> str:
    """Return a score as the game counts it: money, or by name ("1 IOU", "2 IOUs")."""
    if names := labels.screen.scored:
        return f"{value} {names[0] if value == 1 else names[-1]}"
    return number_text(value, money=labels.screen.score)


def signed(value: Any) -> str:
    """Return a number with its sign: +7, -3, 0."""
    return (f"{value:+d}" if value else "0") if type(value) is int else ""


def number_text(value: Any, *, money: Money = "", sign: bool = False) -> str:
    """Return a number as the game counts it: plain, with its sign, in whole dollars, or in cents."""
    if type(value) is int and sign:
        return signed(value)
    if type(value) is not int or not money:
        return value_text(value)
    return cents(value) if money == "cents" else cents(value * 100)


# --- cards ---------------------------------------------------------------------------------------------


class Face(NamedTuple):
    """What is printed on a card."""

    title: str
    tag: str = ""
    name: str = ""
    letter: str = ""
    text: str = ""

    @property
    def short(self) -> str:
        """Return the card in a few characters: "33 (-7)"."""
        return f"{self.title} ({self.tag})" if self.tag else self.title

    @property
    def full(self) -> str:
        """Return the card with its name: "33 (-7) Flown Mower B"."""
        return self.short if self.name == self.title else f"{self.short} {self.name}".strip()


def card(labels: Labels, key: Any) -> Mapping[str, Any]:
    """Return what the labels say of a card, or of a kind of card."""
    return labels.cards.get(str(key), _EMPTY)


def card_letter(labels: Labels, key: Any) -> str:
    """Return a card in one or two letters."""
    return str(card(labels, key).get("letter") or str(key)[:2].upper())


def deck_in(labels: Labels, *parts: Any) -> Deck:
    """Return every card that lies as a record in these parts of a view, by its key."""
    if labels.face is None:
        return {}
    key = labels.face.key
    return {str(record[key]): record for record in _records(parts, key)}


def _records(value: Any, field: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if field in value:
            yield value
        for one in value.values():
            yield from _records(one, field)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _records(one, field)


def face_of(labels: Labels, value: Any, deck: Deck = _EMPTY) -> Face | None:
    """Return the face of a card: a record, a key in the deck, or a key of `[cards]`; None if it is no card."""
    about = labels.face
    record = value if isinstance(value, Mapping) else deck.get(str(value))
    if record is None:
        known = card(labels, value)
        name = str(known.get("name", value))
        return Face(name, "", name, card_letter(labels, value)) if known else None
    if about is None or about.key not in record:
        return None
    kind, action = card(labels, record.get(about.kind)), record.get(about.action)
    return Face(
        fill(about.title, record),
        fill(about.tag, record),
        " ".join(str(one) for one in (kind.get("name"), action) if one),
        str(kind.get("letter", "")),
        str(kind.get(str(action), "")) if action else "",
    )
