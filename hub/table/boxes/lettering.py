"""Write texts for the small display of a seat box: in the table's language, in ASCII, on three lines.

Captions are English texts and are translated here. They stay English in a language whose letters the display lacks.
"""

from __future__ import annotations

import unicodedata

from hub.display.language import Language

CAPTION_LENGTH = 40
"""The most characters of a caption."""
LINES = 3
LINE_LENGTH = 16
"""Characters per line; the display breaks between words if it can (`firmware/button_box/oled.py`)."""
LEGIBLE = 0.9
"""A translation of which ASCII keeps a smaller share of letters stays English."""

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
"""What a language writes for an accent; other languages drop it."""


class Lettering:
    """The texts of small displays in one language (default: English)."""

    def __init__(self, language: Language | None = None) -> None:
        self._language = language or Language()

    def write(self, text: str) -> str:
        """Return an English text as displays show it, at any length."""
        whole = " ".join(self._language.say(text).split())  # without the blanks around a value that is empty
        said = unicodedata.normalize("NFKD", whole.translate(_ALIKE))
        said = said.translate(_SPELT.get(self._language.name, {}))
        letters = sum(map(str.isalnum, said))
        plain = _ascii(said)
        return plain if sum(map(str.isalnum, plain)) >= LEGIBLE * letters else _ascii(text)

    def shorten(self, text: str) -> str:
        """Return an English text as a caption, cut with ".." if it is too long."""
        return cut(self.write(text))


def cut(caption: str) -> str:
    """Return a written text, cut with ".." if it is too long for the display."""
    if fits(caption):
        return caption
    most = CAPTION_LENGTH - 2
    return next(f"{cut}.." for end in range(most, -1, -1) if fits(f"{(cut := caption[:end].rstrip())}.."))


def fits(caption: str) -> bool:
    """Return whether a written text fits on the display."""
    return len(caption) <= CAPTION_LENGTH and len(lines(caption)) <= LINES


def lines(caption: str) -> list[str]:
    """Return the lines in which the display shows a written text."""
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
