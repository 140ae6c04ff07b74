"""Sentences in another language: find the template of a text in the catalog, and fill in its values.

The hub, its log, its messages and its recorded matches are in English. A text is translated where it is shown: by
`Language.say` on panels and displays, by `phone_ui/static/lib/translate.js` on pages. Both are tested with the same examples
(`tests/display/language.json`). A text whose template has no translation is shown entirely in English.
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
    """The messages of one language as pages get them, common ones or those of one game.

    - `money`: the format of an amount. `point`: the decimal sign.
    - `messages`: translations by English message. Plural forms are by their category in Unicode's rules of the language
      (one, few, other, ...); "other" is always present.
    """

    language: str
    direction: str = "ltr"
    money: str = "${amount}"
    point: str = "."
    messages: dict[str, str | dict[str, str]] = {}


class Translation(NamedTuple):
    """A translated text, and the templates and messages in it without a translation."""

    text: str
    unknown: tuple[str, ...] = ()


class Language:
    """One language: the sentences of one game, and the common ones. Thread-safe."""

    def __init__(self, *catalogues: Catalogue) -> None:
        """Use these catalogs, the most specific one first. Without a catalog, everything stays English."""
        self.name = catalogues[0].language if catalogues else "en"
        self.direction = catalogues[0].direction if catalogues else "ltr"
        self._catalogues = catalogues

    def say(self, text: str) -> str:
        """Translate a text. Without a translation it stays English."""
        return self.translate(text).text if self._catalogues else str(text)

    @cached_property
    def seat(self) -> re.Pattern[str]:
        """Return the pattern of "Seat 2" in sentences of the language."""
        said = self._form("Seat {seat}", 1) or "Seat {seat}"
        return re.compile(re.escape(said).replace(r"\{seat\}", "([1-9])"))

    def translate(self, text: str) -> Translation:
        """Translate a text. Return its parts without a translation, too."""
        match text:
            case Money():
                return Translation(self._catalogues[0].money.replace("{amount}", self._number(text.values["amount"])))
            case Clause():
                inner = self._value(text.values["text"])
                return Translation(inner.text.removesuffix("."), inner.unknown)
            case PersonName():
                return Translation(str(text))
            case Listing():
                parts = [self._value(item) for item in text.items]
                return Translation(self._join([one.text for one in parts], text.template), _unknown(parts))
            case Text():
                return self._translate_text(text)
        form = self._form(text, 1)
        return Translation(text, (text,)) if form is None else Translation(form)

    def _translate_text(self, text: Text) -> Translation:
        form = self._form(text.template, text.values.get("count", 1))
        if form is None:
            return Translation(str(text), (text.template,))
        values = {name: self._value(value) for name, value in text.values.items()}
        # A place that the translator has misspelled stays empty.
        filled = _PLACEHOLDER.sub(lambda place: values[place[1]].text if place[1] in values else "", form)
        return Translation(filled, _unknown(values.values()))

    def _value(self, value: Value) -> Translation:
        return self.translate(value) if isinstance(value, str) else Translation(self._number(value))

    def _form(self, message: str, count: Value) -> str | None:
        """Return the translation of a message in its form for this number, or None if the catalogs lack it.

        A message without words is the same in all languages.
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

    def _join(self, parts: Sequence[str], by: str) -> str:
        if by not in ("and", "or"):
            return (f", {self.say('then')} " if by == "then" else ", ").join(parts)
        return format_list(parts, "standard" if by == "and" else "or", self._locale)

    def _number(self, number: Value) -> str:
        return str(number).replace(".", self._catalogues[0].point)


def _unknown(parts: Iterable[Translation]) -> tuple[str, ...]:
    return tuple(unknown for part in parts for unknown in part.unknown)
