"""Reject player names that could pass for a seat, staff or the hub, in any language of the hub."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property

from hub.display.language import Language
from hub.engine.text import say
from hub.state import BLANKS

MISLEADING_NAME = say("That name could pass for a seat, for staff or for the hub: choose another.")

NAME_IN_USE = say("Somebody at this table is called that already: choose another name.")

# Folded letters that look like Latin ones, from Unicode's confusables.txt (UTS 39). The complete table of 6,000 pairs
# needs a package; this part is enough for the dozen words that need protection.
_ALIKE = str.maketrans(
    "аеорсухіѕтнкмвһгԁԛԝӏјѵυοαερτικνβχγωηᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɑɡօսհոꓢꓰꓮꓔꓐꓳꓴꓲꓡꓧꓟꓠꓑꓣꓦꓪꓬꓖꓓꓛꓗ",
    "aeopcyxistnkmbhrdqwljvuoaeptiknbxywnabcdefghijklmnoprstuvwyziagouhnseatbouilhmnprvwygdck",
)
_ALIKE |= {
    first + n: ord("a") + n for first in (0x1F150, 0x1F170, 0x1F1E6) for n in range(26)
}  # letters in circles and squares, and of flags
_ALIKE |= str.maketrans("ьзбʒƨƽᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "b363s5abcdeghijklmprstvwz")
_CAPITALS = str.maketrans("НΗΖΜΥՏԼ", "hhzmysl")
"""Capitals that look like Latin ones, although their small letters do not."""
_INVISIBLE = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors, which are mostly invisible: they choose how the letter before them is drawn."""
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
"""Digits and signs that people write in place of a letter."""
_SIGNS = "$@+|!"
_ACCENTS = re.compile("[\u0300-\u036f]")


def _spellings(word: str) -> str:
    """Return a pattern that matches a word in Latin letters, also with digits and signs in place of letters."""
    return "".join(f"[{re.escape(_LIKE[letter])}]" if letter in _LIKE else re.escape(letter) for letter in word)


_DIGITS = "|".join(("[1-6]", *map(_spellings, ("one", "two", "three", "four", "five", "six"))))
_NUMBERED = ("seat", "player", "box", "place", "table", "house")
_SEAT = re.compile(rf"({'|'.join(map(_spellings, _NUMBERED))})({_DIGITS})")
_LONE = re.compile(rf"({'|'.join(map(_spellings, _NUMBERED))})\W+([il|!zsb]|ii|iii|iv|v|vi)")
"""A seat number written as a Roman numeral, or as a letter or sign that looks like a digit."""
_WORDS = (
    "staff", "house", "hub", "tablehub", "table", "bank", "dealer", "host", "owner", "chance", "seat", "bot", "computer", "admin",
    "system",
)  # fmt: skip
_ALONE = ("nobody", "noone", "everybody", "everyone", "somebody", "someone", "you", "yourseat")
_WHOLE = re.compile(
    rf"{_DIGITS}|({_spellings('the')})?({'|'.join(map(_spellings, _WORDS))})|{'|'.join(map(_spellings, _ALONE))}"
    rf"|({_spellings('the')})?({'|'.join(map(_spellings, ('staff', 'hub', 'dealer')))})({_DIGITS})"
)
_SEAT_PHRASES = (
    say("Seat {seat}", seat=0), say("seat {seat}", seat=0), say("Table {name}", name=0), say("House {seat}", seat=0),
    say("Box {name}", name=0),
)  # fmt: skip
_STAFF = say("Staff")
_OTHER_PHRASES = (_STAFF, say("the house"), say("Table"), say("Nobody"), say("Everybody"), say("you"))


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern that matches any of the words in any spelling. Without words, it matches nothing."""
    return "|".join(_spellings(word) for word in sorted(words) if word) or "(?!)"


class Names:
    """Judge player names. `languages` returns every UI language except English, loaded on first use."""

    def __init__(self, languages: Callable[[], Iterable[Language]] = tuple) -> None:
        self._languages = languages

    def is_misleading(self, name: str) -> bool:
        """Return whether a name reads like a seat, staff, the house or the hub in the sentences of a table."""
        return any(self._is_misleading(text) for text in (name, name.translate(_CAPITALS)))

    def _is_misleading(self, name: str) -> bool:
        words = name.split()
        for also in ("", _SIGNS):
            written = _letters(name, also)
            if written.isdecimal() and len(written) > 1:  # no seat has a number of two digits
                continue
            if _SEAT.search(written) or _WHOLE.fullmatch(written):
                return True
            if self._numbered_words.search(written) or self._whole_words.fullmatch(written):
                return True
            if words and self._first_words.fullmatch(_letters(words[0], also)):
                return True  # such as "Platz zwei": catalogs do not have numbers in words
            if any(self._staff_words.fullmatch(_letters(word, also)) for word in words):
                return True
        return bool(_LONE.fullmatch(_folded(name.strip())))

    @cached_property
    def _numbered(self) -> set[str]:
        """Return what other languages call a seat, table, box or house player, without the number."""
        said = (language.say(one) for language in self._languages() for one in _SEAT_PHRASES)
        return {_letters(one).replace("0", "") for one in said} - {""}

    @cached_property
    def _numbered_words(self) -> re.Pattern[str]:
        return re.compile(rf"({_any_of(self._numbered)})({_DIGITS})")

    @cached_property
    def _first_words(self) -> re.Pattern[str]:
        return re.compile(_any_of(self._numbered))

    @cached_property
    def _whole_words(self) -> re.Pattern[str]:
        return re.compile(
            _any_of(self._numbered | {_letters(one.say(text)) for one in self._languages() for text in _OTHER_PHRASES})
        )

    @cached_property
    def _staff_words(self) -> re.Pattern[str]:
        return re.compile(_any_of({"staff", *(_letters(one.say(_STAFF)) for one in self._languages())}))


def look_alike(one: str, other: str) -> bool:
    """Return whether two names look alike at a glance, ignoring case, accents, blanks, signs and alphabet."""
    if not one:
        return False
    pairs = ((one, other), (one.translate(_CAPITALS), other.translate(_CAPITALS)))
    return any(_shape(a) == _shape(b) or _shape(_lookalike(a)) == _shape(_lookalike(b)) for a, b in pairs)


def _shape(name: str) -> str:
    """Return the folded letters, marks, digits and symbols of a name, or the name itself if it has none."""
    letters = "".join(sign for sign in _folded(name) if unicodedata.category(sign)[0] in "LMNS")
    return _ACCENTS.sub("", letters) or name


def _lookalike(name: str) -> str:
    """Return a name with one form for similar signs: l, I, 1 and |; O and 0; S and 5; rn and m; vv and w."""
    text = unicodedata.normalize("NFKC", name).translate(str.maketrans("I1|0O5$8@432", "llloossbaaez"))
    return text.casefold().replace("rn", "m").replace("vv", "w")


def _folded(text: str) -> str:
    visible = _INVISIBLE.sub("", "".join(letter for letter in text if letter not in BLANKS))
    return unicodedata.normalize("NFKD", visible).casefold().translate(_ALIKE)


def _letters(text: str, also: str = "") -> str:
    """Return the folded letters and digits of a text, and the signs in `also`."""
    return "".join(letter for letter in _folded(text) if letter.isalnum() or letter in also)
