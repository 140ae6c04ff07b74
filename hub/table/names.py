"""Names of players that could pass for something else: a seat, staff, the hub, in any language that the hub speaks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property

from hub.display.language import Language
from hub.state import BLANKS

SENTENCE = "That name could pass for a seat, for staff or for the hub: choose another."

TWIN = "Somebody at this table is called that already: choose another name."

# Letters that look like those of the Latin alphabet once they are folded (from Unicode's confusables.txt, UTS 39).
_ALIKE = str.maketrans(
    "аеорсухіѕтнкмвһгԁԛԝӏјѵυοαερτικνβχγωηᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɑɡօսհոꓢꓰꓮꓔꓐꓳꓴꓲꓡꓧꓟꓠꓑꓣꓦꓪꓬꓖꓓꓛꓗ",
    "aeopcyxistnkmbhrdqwljvuoaeptiknbxywnabcdefghijklmnoprstuvwyziagouhnseatbouilhmnprvwygdck",
)
_ALIKE |= {
    first + n: ord("a") + n for first in (0x1F150, 0x1F170, 0x1F1E6) for n in range(26)
}  # letters in shapes, flags
_LIKE = {
    "s": "s5$",
    "e": "e3",
    "a": "a4@",
    "t": "t7+",
    "l": "l1i|!",
    "o": "o0",
    "i": "i1l|!",
    "b": "b8",
    "g": "g9",
    "z": "z2",
}
"""Digits and signs that people write for a letter."""
_SIGNS = "$@+|!"
_ACCENTS = re.compile("[\u0300-\u036f]")
_DIGITS = "[1-6]|one|two|three|four|five|six"


def _written(word: str) -> str:
    """Return a pattern of a word in Latin letters, however it is written with digits and signs."""
    return "".join(f"[{re.escape(_LIKE[letter])}]" if letter in _LIKE else re.escape(letter) for letter in word)


_NUMBERED = ("seat", "player", "box", "place", "table", "house")
_SEAT = re.compile(rf"({'|'.join(map(_written, _NUMBERED))})({_DIGITS})")
_LONE = re.compile(rf"({'|'.join(map(_written, _NUMBERED))})\W+[iIl|!zZsSb]")
"""A seat whose number is a letter or a sign that looks like one."""
_WORDS = (
    "staff", "house", "hub", "tablehub", "table", "bank", "dealer", "host", "owner", "chance", "seat", "bot", "computer", "admin",
    "system",
)  # fmt: skip
_ALONE = ("nobody", "noone", "everybody", "everyone", "somebody", "someone", "you", "yourseat")
_WHOLE = re.compile(
    rf"{_DIGITS}|({_written('the')})?({'|'.join(map(_written, _WORDS))})|{'|'.join(map(_written, _ALONE))}"
    rf"|({_written('the')})?({'|'.join(map(_written, ('staff', 'hub', 'dealer')))})({_DIGITS})"
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
        for written in (letters, _letters(name, _SIGNS)):
            found = _SEAT.search(written) or _WHOLE.fullmatch(written)
            if found and (
                written.isdecimal() is (len(written) == 1)
            ):  # a word, or the number of a seat: no long number
                return True
        if _LONE.fullmatch(_folded(name.strip())):
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


def alike(one: str, other: str) -> bool:
    """Return whether two names look the same to a glance: in case, accents, blanks, signs, or letters of other alphabets."""
    if not one or not other:
        return False
    return _shape(one) == _shape(other) or _shape(_drawn(one)) == _shape(_drawn(other))


def _shape(name: str) -> str:
    """Return the letters, marks, digits and symbols of a name, folded; the name itself if it has none."""
    kept = "".join(sign for sign in _folded(name) if unicodedata.category(sign)[0] in "LMNS")
    return _ACCENTS.sub("", kept) or name


def _drawn(name: str) -> str:
    """Return a name with what is drawn alike in one form: l, I, 1 and |, O and 0, rn and m, vv and w."""
    text = unicodedata.normalize("NFKC", name).translate(str.maketrans("I1|0O", "lllOO"))
    return text.casefold().replace("rn", "m").replace("vv", "w")


def _folded(text: str) -> str:
    seen = "".join(letter for letter in text if letter not in BLANKS)
    return unicodedata.normalize("NFKD", seen).casefold().translate(_ALIKE)


def _letters(text: str, also: str = "") -> str:
    """Return the letters and digits of a text, folded, and the signs in `also`."""
    return "".join(letter for letter in _folded(text) if letter.isalnum() or letter in also)
