"""How a text stands on the small display of a seat box: in the table's language, in ASCII, on three lines.

Captions are written in English, as everything is, and said in the language of the table's screens here. A language whose
letters the display lacks is not written in others': its captions stay English.
"""

from __future__ import annotations

import unicodedata

from hub.display.language import Language

CAPTION_LENGTH = 40
"""The most characters of a caption."""
LINES = 3
LINE_LENGTH = 16
"""How the display breaks a caption, between words where it can (`firmware/button_box/oled.py`)."""
LEGIBLE = 0.9
"""A text of which the display's letters show less is not written."""

_ALIKE = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "—": "-",
        "×": "x",
        "„": '"',
        "“": '"',
        "”": '"',
        "‚": "'",
        "‘": "'",
        "’": "'",
        "…": "...",
        "ß": "ss",
    }
)
_DOTS = "\N{COMBINING DIAERESIS}"
_SPELT = {"de": {ord(_DOTS): "e"}}
"""What a language writes for an accent; others leave it out."""


class Lettering:
    """The texts of small displays in one language; English without one."""

    def __init__(self, language: Language | None = None) -> None:
        self._language = language or Language()

    def write(self, text: str) -> str:
        """Return an English text as displays show it, at whatever length."""
        whole = " ".join(self._language.say(text).split())  # without the blanks around a value that is empty
        said = unicodedata.normalize("NFKD", whole.translate(_ALIKE))
        said = said.translate(_SPELT.get(self._language.name, {}))
        letters = sum(map(str.isalnum, said))
        plain = _ascii(said)
        return plain if sum(map(str.isalnum, plain)) >= LEGIBLE * letters else _ascii(text)

    def shorten(self, text: str) -> str:
        """Return an English text as a caption: cut off with ".." where it is too long."""
        return cut(self.write(text))


def cut(caption: str) -> str:
    """Return a written text, cut off with ".." where it is too long for the display."""
    if fits(caption):
        return caption
    most = CAPTION_LENGTH - 2
    return next(f"{cut}.." for end in range(most, -1, -1) if fits(f"{(cut := caption[:end].rstrip())}.."))


def fits(caption: str) -> bool:
    """Return whether a written text is short enough for the display."""
    return len(caption) <= CAPTION_LENGTH and len(lines(caption)) <= LINES


def lines(caption: str) -> list[str]:
    """Return a written text in the lines in which the display shows it."""
    found: list[str] = []
    for word in caption.split(" "):
        if found and len(found[-1]) + 1 + len(word) <= LINE_LENGTH:
            found[-1] = f"{found[-1]} {word}"
        else:
            found += [word[at : at + LINE_LENGTH] for at in range(0, max(len(word), 1), LINE_LENGTH)]
    return found


def _ascii(text: str) -> str:
    """Return a text without accents and other characters that the display's font lacks."""
    return unicodedata.normalize("NFKD", text.translate(_ALIKE)).encode("ascii", "ignore").decode()


ENGLISH = Lettering()
