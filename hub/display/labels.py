"""Text from the labels of a game and the values of a view: templates, numbers, cards.

A card is written by its face. If the card is a key of `[cards]` ("perch"), that part is its face. If it is a record of the
state (a number, a price, a product), `[face]` in the labels says how to read it:

- `key`: the field by which moves and facts name the card; `kind`: the field that names its part of `[cards]`;
- `title` and `tag`: templates over the record, for the large number and the tag beside it;
- `action`: the field that names the text about the card's effect in that part.

`phone_ui/static/lib/labels.js` has the same rules: change both together.

Texts for people are `Text`, so that a panel or a box can translate them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hub.engine.labels import Labels, Money
from hub.engine.text import Text, Value, names, say
from hub.engine.text import money as dollars
from hub.ports import SEAT_MARKS

Deck = Mapping[str, Mapping[str, Any]]
NO_LABELS = Labels()

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}|[{}]")
_EMPTY: Deck = {}
BETWEEN = " · "
"""Separates the parts of a template that screens show side by side."""
_TABLE = (dict, Mapping)  # isinstance is ten times as fast for dict as for Mapping


# --- templates -----------------------------------------------------------------------------------------


def name_places(template: str) -> tuple[str, Mapping[str, str]]:
    """Return a template with a name for each path, as translators see it, and the original placeholders by these names."""
    paths: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        if match[1] is None:
            return ""  # a single brace
        words = [word for word in match[1].partition(":")[0].split(".") if not word.isdecimal()]
        path = "_".join(words[1:] if words[:1] == ["table"] and len(words) > 2 else words[-2:])
        wanted = re.sub(r"\W|^\d+", "", path).lower() or "value"  # a number would be a place of `str.format`
        again = sum(re.fullmatch(rf"{wanted}\d*", one) is not None for one in paths)
        paths[wanted := f"{wanted}{again + 1}" if again else wanted] = match[1]
        return f"{{{wanted}}}"

    return " ".join(_PLACEHOLDER.sub(name, template).split()), paths


def fill(
    template: str, public: Mapping[str, object], seat: int | None = None, labels: Labels = NO_LABELS,
) -> Text:  # fmt: skip
    """Return the template with each `{a.b.0.c}` replaced by the value at that path. Missing or null values are left out.

    - `{seat.bid}` is that fact of `seat`. A seat's private part (`you`) is never read.
    - `{cash:cents}` and `{cash:dollars}` write money, `{price:+}` a number with its sign, `{needs:some}` nothing for 0.
    - A card is written by its name, or by the title of its face.
    - Of several parts separated by " · ", those with only empty placeholders are left out.
    """
    written, paths = name_places(template)
    values = {name: _place_text(path, public, seat, labels) for name, path in paths.items()}
    parts = written.split(BETWEEN)
    kept = [
        _trimmed(say(one, **values)) for one in parts
        if len(parts) == 1 or not names(one) or any(str(values[name]) for name in names(one))
    ]  # fmt: skip
    return beside(kept, BETWEEN)


def _place_text(place: str, public: Mapping[str, object], seat: int | None, labels: Labels) -> Value:
    """Return the value of a placeholder: a path, with an optional form after a colon."""
    path, _, form = place.partition(":")
    value = value_at(public, path, seat)
    if form == "+":
        return signed(value)
    if form == "some" and value == 0:
        return ""
    if form in ("cents", "dollars") and type(value) is int:
        return number_text(value, money="cents" if form == "cents" else "dollars")
    return value_text(value, labels)


def _trimmed(text: Text) -> Text:
    """Return a text without the extra blanks that an empty value leaves."""
    made = Text(re.sub(r" {2,}", " ", text).strip(" ·"))
    made.template, made.values = text.template, text.values
    return made


def beside(parts: Iterable[Value], between: str = " ") -> Text:
    """Join the non-empty parts, with the same separator `between` in all languages."""
    kept = {f"part{number}": one for number, one in enumerate(one for one in parts if str(one))}
    if len(kept) == 1 and isinstance(only := kept["part0"], Text):
        return only
    return say(between.join(f"{{{name}}}" for name in kept), **kept)


def value_at(public: Mapping[str, object], path: str, seat: int | None = None) -> Any:
    """Return the value at the path `a.b.0.c`, or None."""
    steps = path.split(".")
    value: object = public
    if steps[0] == "you":
        return None
    if steps == ["seat"] and seat is not None:
        return seat
    if steps[0] == "seat" and seat is not None:
        value, steps = _step(_step(public, "seats"), str(seat)), steps[1:]
    for step in steps:
        value = _step(value, step)
    return value


def _step(value: object, step: str) -> object:
    if isinstance(value, _TABLE):
        return value.get(step)
    if isinstance(value, Sequence) and not isinstance(value, str) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None


def value_text(value: object, labels: Labels = NO_LABELS) -> str:
    """Return a value as text: cards by name or title, maps by seat with symbols, nothing for null and false."""
    match value:
        case None | False:
            return ""
        case Mapping():
            face = face_of(labels, value)
            return face.title if face else seat_numbers(value)
        case True:
            return say("yes")
        case str():
            known: str = card(labels, value).get("name", value)
            return known
        case list() | tuple():
            return beside(value_text(one, labels) for one in value)
        case _:
            return str(value)


def readable(name: str) -> str:
    """Return the default label of an identifier: `take_fish` is "Take fish"."""
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def seat_numbers(value: Mapping[str, object], *, ranked: bool = False, money: Money = "", sign: bool = False) -> str:
    """Return a map by seat as symbols with numbers, from the highest if they are `ranked`; "" for other records."""
    numbers = {int(key): one for key, one in value.items() if key.isdecimal() and type(one) is int}
    if len(numbers) < len(value) or not SEAT_MARKS.keys() >= numbers.keys():
        return ""
    items = sorted(numbers.items(), key=lambda item: -item[1]) if ranked else numbers.items()
    return beside(
        beside((SEAT_MARKS[seat].symbol, number_text(one, money=money, sign=sign)), "") for seat, one in items if one
    )


def cents(value: object) -> str:
    """Return cents as money: 2250 is $22.50, 2200 is $22."""
    if type(value) is not int:
        return ""
    whole, rest = divmod(abs(value), 100)
    amount = dollars(f"{whole}.{rest:02}" if rest else whole)
    return beside(("-", amount), "") if value < 0 else amount


def score_text(value: int, labels: Labels) -> str:
    """Return a score as the game counts it: as money, or with a unit ("1 IOU", "2 IOUs")."""
    if scored := labels.screen.scored:
        return beside((value, scored[0] if value == 1 else scored[-1]))
    return number_text(value, money=labels.screen.score)


def signed(value: object) -> str:
    """Return a number with its sign: +7, -3, 0."""
    return (f"{value:+d}" if value else "0") if type(value) is int else ""


def number_text(value: object, *, money: Money = "", sign: bool = False) -> str:
    """Return a number as the game counts it: plain, with its sign, in whole dollars, or in cents."""
    if type(value) is int and sign:
        return signed(value)
    if type(value) is not int or not money:
        return value_text(value)
    return cents(value) if money == "cents" else cents(value * 100)


# --- cards ---------------------------------------------------------------------------------------------


class Face(NamedTuple):
    """The text on a card."""

    title: str
    tag: str = ""
    name: str = ""
    letter: str = ""
    text: str = ""

    @property
    def short(self) -> str:
        """Return the card in a few characters: "33 (-7)"."""
        return beside((self.title, beside(("(", self.tag, ")"), ""))) if self.tag else self.title

    @property
    def full(self) -> str:
        """Return the card with its name: "33 (-7) Flown Mower B"."""
        return self.short if self.name == self.title else beside((self.short, self.name))


def card(labels: Labels, key: object) -> Mapping[str, Any]:
    """Return the labels of a card, or of a kind of card."""
    return labels.cards.get(str(key), _EMPTY)


def card_letter(labels: Labels, key: object) -> str:
    """Return a card in one or two letters."""
    return str(card(labels, key).get("letter") or str(key)[:2].upper())


def deck_in(labels: Labels, *parts: object) -> Deck:
    """Return the card records in these parts of a view, by their key."""
    if labels.face is None:
        return {}
    key = labels.face.key
    return {str(record[key]): record for record in _records(parts, key)}


def _records(value: object, field: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if field in value:
            yield value
        for one in value.values():
            yield from _records(one, field)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _records(one, field)


def face_of(labels: Labels, value: object, deck: Deck = _EMPTY) -> Face | None:
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
        beside(one for one in (kind.get("name"), action) if one),
        str(kind.get("letter", "")),
        str(kind.get(str(action), "")) if action else "",
    )
