"""Sentences as data: an English template with named values, from which any language can be made.

Rulebooks and the table write `say("Seat {seat} bids {amount}.", seat=3, amount=money(25))` in place of an f-string. The
result is the English sentence, and it remembers template and values. Translators find the template in the catalog
(`hub/docs/translate.md`); `hub.display.language` and the pages' `lib/language.js` make the sentence of their language from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from string import Formatter
from typing import Annotated, Literal, TypeAlias

import msgspec

Value: TypeAlias = "int | float | str"
"""What stands in a placeholder: a number, a `Text`, or a plain string, which is a message without placeholders itself."""
Message: TypeAlias = Annotated[str, msgspec.Meta(extra={"message": True})]
"""A string of a data file that people read: translators find it by this type."""
Wire: TypeAlias = "int | float | str | list[Wire] | dict[str, Wire]"

Joint: TypeAlias = Literal["and", "or", "then", ","]


class Text(str):
    """An English sentence, or a part of one, with the `template` and the `values` that it was made from.

    A text with plural forms has the template of one, a line end, and the template of several; `count` among its values
    chooses. Every method of `str` returns a plain string, which only English readers can be shown: join texts by `say` and
    `listed`.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Value]

    def wire(self, templates: dict[str, int]) -> Wire:
        """Return the text as JSON has it: the number of its template, then its values in the order of `names`.

        `templates` has the numbers of the templates of a message, and gets those that it lacks.
        """
        number = templates.setdefault(self.template, len(templates))
        return [number, *(wire(self.values[name], templates) for name in names(self.template))]


class Money(Text):
    """An amount of dollars, written as each language writes it."""

    __slots__ = ()

    def wire(self, templates: dict[str, int]) -> Wire:  # noqa: ARG002 - as `Text.wire`
        """Return the amount as JSON has it."""
        return {"money": self.values["amount"]}


class PersonName(Text):
    """A person's name, or any other text that a person wrote: no language changes it, whatever it says."""

    __slots__ = ()

    def wire(self, templates: dict[str, int]) -> Wire:  # noqa: ARG002 - as `Text.wire`
        """Return the name as JSON has it."""
        return {"name": self.values["name"]}


class Clause(Text):
    """A sentence inside of another one: without its final period."""

    __slots__ = ()

    def wire(self, templates: dict[str, int]) -> Wire:
        """Return the sentence as JSON has it."""
        return {"clause": wire(self.values["text"], templates)}


class Listing(Text):
    """Several values in a row: "A, B and C". Its `template` is how they are joined."""

    __slots__ = ("items",)

    items: tuple[Value, ...]

    def wire(self, templates: dict[str, int]) -> Wire:
        """Return the values by how they are joined, as JSON has them. One alone stands for itself."""
        values = [wire(item, templates) for item in self.items]
        return values[0] if len(values) == 1 else {self.template: values}


def wire(value: Value, templates: dict[str, int]) -> Wire:
    """Return a value as JSON has it: numbers and plain strings as they are."""
    return value.wire(templates) if isinstance(value, Text) else value


def say(template: str, /, **values: object) -> Text:
    """Return a text: `template` with each {name} replaced by the value of that name; other values are ignored.

    Raise KeyError if one is missing.
    """
    text = Text(template.format_map(values) if "{" in template else template)
    text.template, text.values = template, {name: _value(values[name]) for name in names(template)}
    return text


def _value(value: object) -> Value:
    return value if isinstance(value, str | int | float) else str(value)


@cache
def names(template: str) -> tuple[str, ...]:
    """Return the names in a template's braces, each once, in order; with plural forms, `count` first."""
    found = [name for _, name, _, _ in Formatter().parse(template) if name]
    return tuple(dict.fromkeys((["count"] if "\n" in template else []) + found))


def say_count(one: str, several: str, /, count: int, **values: Value) -> Text:
    """Return `one` as a text if `count` is 1, else `several`: "{count} cards". Both may have {count} and further values."""
    values["count"] = count
    text = Text((one if count == 1 else several).format_map(values))
    text.template, text.values = f"{one}\n{several}", values
    return text


def message(one: str, several: str) -> tuple[str, str]:
    """Return both templates as they are, for `say_count` later: this is where translators find them."""
    return one, several


def money(amount: int | str) -> Money:
    """Return an amount of dollars, with at most two digits behind the point."""
    text = Money(f"${amount}")
    text.template, text.values = "", {"amount": amount}
    return text


THEN = say("then")
"""What stands between values in an order: each language has its own word."""


def listed(items: Iterable[Value], by: Joint = "and") -> Listing:
    """Return values in a row: "A, B and C", "A, B or C", "A, then B, then C", or "A, B, C"; one alone stands for itself."""
    values = tuple(items)
    if by in ("and", "or") and len(values) > 1:
        *others, last = map(str, values)
        text = Listing(f"{', '.join(others)} {by} {last}")
    else:
        text = Listing((f", {THEN} " if by == "then" else ", ").join(map(str, values)))
    text.template, text.values, text.items = by, {}, values
    return text


def seats_words(numbers: Iterable[int], by: Joint = "and") -> Listing:
    """Return seats in a row: "Seat 1 and Seat 4"."""
    return listed([say("Seat {seat}", seat=seat) for seat in numbers], by)


def clause(text: str) -> Clause:
    """Return a sentence as it stands inside of another one: without its final period."""
    made = Clause(text.removesuffix("."))
    made.template, made.values = "", {"text": text}
    return made


def person(name: str) -> PersonName:
    """Return a person's name, or a text that a person wrote, between Unicode's isolates, so that it turns no text round that is written the other way.

    Nobody's name holds an isolate (`hub.state.tidy_name`).
    """
    text = PersonName(f"\u2068{name}\u2069")
    text.template, text.values = "", {"name": name}
    return text


def english(value: object) -> str:
    """Return a text as a plain string, for encoders that know no `Text`. Raise NotImplementedError for anything else."""
    if isinstance(value, Text):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be encoded")


to_json = msgspec.json.Encoder(enc_hook=english).encode
"""Encode a value as JSON with every text in English."""
