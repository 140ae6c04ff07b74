"""Names of players that could pass for something else: a seat, staff, the hub, in any language that the hub speaks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property

from hub.display.language import Language

SENTENCE = "That name could pass for a seat, for staff or for the hub: choose another."

# Letters of other alphabets that look like those of the words below (Unicode's confusables.txt, UTS 39).
_ALIKE = str.maketrans("аеорсухіѕтнкмвһυοαερτικνβ", "aeopcyxistnkmbhuoaeptiknb")
_DIGITS = "[1-6]|one|two|three|four|five|six"
_NUMBERED = ("seat", "player", "box", "place", "table", "house")
_SEAT = re.compile(rf"({'|'.join(_NUMBERED)})({_DIGITS})")
_WHOLE = re.compile(
    rf"{_DIGITS}"
    r"|(the)?(staff|house|hub|tablehub|table|bank|dealer|host|owner|chance|seat|bot|computer|admin|system)"
    r"|nobody|noone|everybody|everyone|somebody|someone|you|yourseat"
)
_SAID_OF_SEATS = ("Seat", "seat", "Table", "House", "Box")
_SAID = ("Staff", "the house", "Table", "dealer", "Nobody", "Everybody", "you")


class Names:
    """Judge names of players. `languages` are those that the hub's screens may speak beside English; they are asked for late."""

    def __init__(self, languages: Callable[[], Iterable[Language]] = tuple) -> None:
        self._languages = languages

    def mislead(self, name: str) -> bool:
        """Return whether a name reads like what the table's sentences call a seat, staff, the house or the hub."""
        letters = _letters(name)
        if _SEAT.search(letters) or _WHOLE.fullmatch(letters):
            return True
        numbered, whole = self._words
        first, *others = name.split() or [""]
        return (
            letters in whole
            or any(re.search(rf"{re.escape(word)}({_DIGITS})", letters) for word in numbered)
            or bool(others and _letters(first) in numbered)  # "Platz zwei": no catalogue has the numbers in words
        )

    @cached_property
    def _words(self) -> tuple[set[str], set[str]]:
        """Return how other languages call what is numbered, and all that no name may be."""
        numbered, whole = set(), set()
        for language in self._languages():
            numbered |= {_letters(language.say(f"{one} 0")).replace("0", "") for one in _SAID_OF_SEATS}
            whole |= {_letters(language.say(one)) for one in _SAID}
        return numbered - {""}, numbered | whole - {""}


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_ALIKE)
    return "".join(letter for letter in plain if letter.isalnum())
