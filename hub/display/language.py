"""Sentences in another language: the template of a text is looked up in the catalog, and its values are put in.

The hub writes English; so do its log, its messages and its recorded matches. A text is translated only where it is shown: by
`Language.say` on panels and displays, by `phone_ui/static/lib/translate.js` on pages. Both are tried with the same examples
(`tests/display/language.json`). A text whose template has no translation is shown in English as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
from babel import Locale
from babel.lists import format_list

from hub.engine.text import Clause, Listing, Money, PersonName, Text, Value

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"[^\W\d_]{2}")  # one letter alone is a sign


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of one language as pages get them, for all games or for one.

    `money` is how an amount is written, `point` its decimal sign. A message with plural forms has each by its category in
    Unicode's rules of the language (one, few, other, ...); "other" is always there.
    """

    language: str
    direction: str = "ltr"
    money: str = "${amount}"
    point: str = "."
    messages: dict[str, str | dict[str, str]] = {}


class Said(NamedTuple):
    """A text in the language, and the templates and messages of it that have no translation."""

    text: str
    unknown: tuple[str, ...] = ()


class Language:
    """One language, for the sentences of one game and of all. Threads may share one."""

    def __init__(self, *catalogues: Catalogue) -> None:
        """Take catalogs, the most special one first; without any, everything stays English."""
        self.name = catalogues[0].language if catalogues else "en"
        self.direction = catalogues[0].direction if catalogues else "ltr"
        self._catalogues = catalogues

    def say(self, text: str) -> str:
        """Return a text in the language; in English if it has no translation."""
        return self.said(text).text if self._catalogues else str(text)

    @cached_property
    def seat(self) -> re.Pattern[str]:
        """Return the pattern of "Seat 2" as sentences of the language have it."""
        said = self._form("Seat {seat}", 1) or "Seat {seat}"
        return re.compile(re.escape(said).replace(r"\{seat\}", "([1-9])"))

    def said(self, text: str) -> Said:
        """Return a text in the language, with what of it has no translation."""
        match text:
            case Money():
                return Said(self._catalogues[0].money.replace("{amount}", self._number(text.values["amount"])))
            case Clause():
                inner = self._value(text.values["text"])
                return Said(inner.text.removesuffix("."), inner.unknown)
            case PersonName():
                return Said(str(text))
            case Listing():
                parts = [self._value(item) for item in text.items]
                return Said(self._in_a_row([one.text for one in parts], text.template), _unknown(parts))
            case Text():
                return self._made(text)
        form = self._form(text, 1)
        return Said(text, (text,)) if form is None else Said(form)

    def _made(self, text: Text) -> Said:
        form = self._form(text.template, text.values.get("count", 1))
        if form is None:
            return Said(str(text), (text.template,))
        values = {name: self._value(value) for name, value in text.values.items()}
        # A translator's mistake costs a place: there is nothing in one of another name.
        filled = _PLACEHOLDER.sub(lambda place: values[place[1]].text if place[1] in values else "", form)
        return Said(filled, _unknown(values.values()))

    def _value(self, value: Value) -> Said:
        return self.said(value) if isinstance(value, str) else Said(self._number(value))

    def _form(self, message: str, count: Value) -> str | None:
        """Return a message in the language, in its form for this number; None if the catalogs lack it.

        One without words of its own is the same in all languages.
        """
        found = next((one.messages[message] for one in self._catalogues if message in one.messages), None)
        if found is None:
            return None if _WORD.search(_PLACEHOLDER.sub("", message)) else message
        if isinstance(found, str):
            return found
        return found.get(self._locale.plural_form(abs(int(count))), found["other"])

    @cached_property
    def _locale(self) -> Locale:
        return Locale.parse(self.name)

    def _in_a_row(self, parts: Sequence[str], by: str) -> str:
        if by not in ("and", "or"):
            return (f", {self.say('then')} " if by == "then" else ", ").join(parts)
        return format_list(parts, "standard" if by == "and" else "or", self._locale)

    def _number(self, number: Value) -> str:
        return str(number).replace(".", self._catalogues[0].point)


def _unknown(parts: Iterable[Said]) -> tuple[str, ...]:
    return tuple(unknown for part in parts for unknown in part.unknown)
