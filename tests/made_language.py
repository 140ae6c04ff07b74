"""A language that nobody speaks: six plural forms, written from right to left, with a translation of every message.

It is made from the template, so it is always whole. What a test finds untranslated in it is a sentence that no translator can
reach, whatever German lacks today.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from hub import games
from hub.authoring.messages import of_packaged_game
from hub.authoring.translations import template as template_of
from hub.authoring.translations import written
from hub.display.language import Catalogue, Language
from hub.docs import catalogues
from hub.languages import FILE, read_catalogues

NAME = "ar"
FORMS = 6
ONE = 1
"""The number of the form for one: the first is for zero."""
PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
OTHER = "ÄḂČĐĘƑĢĤĮĴĶĻṂŇÖṖǪŘŠŤŲṼŴẊŸŽäḃčđęƒģĥįĵķļṃňöṗǫřšťųṽŵẋÿž"
LETTERS = str.maketrans(PLAIN, OTHER)


def translated(text: str) -> str:
    """Return a message with another sign for each letter; its placeholders stay."""
    return "".join(part if part.startswith("{") else part.translate(LETTERS) for part in re.split(r"(\{\w*\})", text))


def write(folder: Path) -> Path:
    """Write the language below a folder, as translators write theirs, and return its file."""
    with catalogues.TEMPLATE.open("rb") as opened:
        template = read_po(opened)
    made = Catalog(locale=NAME, charset="utf-8", fuzzy=False)
    packaged = [one for game in games.packaged().games for one in template_of(of_packaged_game(game))]
    for one in (*template, *packaged):
        if isinstance(one.id, str):
            made.add(one.id, translated(one.id), context=one.context)
        else:
            forms = [translated(one.id[1])] * FORMS
            forms[ONE] = translated(one.id[0])
            made.add(one.id, tuple(forms), context=one.context)
    file = folder / NAME / FILE
    file.parent.mkdir(parents=True)
    file.write_bytes(written(made))
    return file


@cache
def read() -> Mapping[str, Catalogue]:
    """Return its catalogs: of each game by name, and "" for all."""
    with tempfile.TemporaryDirectory() as folder:
        return read_catalogues(write(Path(folder)), NAME)


@cache
def language(game: str | None = None) -> Language:
    """Return the language for what one game says, or for what is said without one."""
    found = read()
    return Language(*(found[one] for one in dict.fromkeys((game or "", "")) if one in found))
