"""The cards of a game: those of its data file, or an owner's list instead.

Under `[own]` the data file lists the parts that a list may replace. For each part it names the keys, such as the drawing, that a
known card keeps if the list omits them. A list has the form of the data file: `[cards]`, or `deck` with one card per line. The
rulebook's `check` raises BadCard if the deck is invalid.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hub.engine.game import Rulebook, S
from hub.errors import BadCard, StartRefused
from hub.toml_structs import Document, key_text, nearest

LONGEST_WORD = 60
"""Maximum number of letters per word in a sentence about a list."""


class Source(Struct, frozen=True):
    """A TOML file: `name` is its name in messages, `raw` its text."""

    name: str
    raw: bytes

    def read(self) -> dict[str, object]:
        """Return its data. Raise StartRefused with the invalid line."""
        try:
            return tomllib.loads(self.raw.decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise StartRefused(f"{self.name}: this is not TOML: {error}.") from error

    def locate(self, at: str | int | tuple[str, str]) -> str:
        """Return the file and the line of a card: its name, its line in the text of `deck` from 1, or a part and a key.

        A missing key has the line of its part; a missing card has no line.
        """
        document = Document(self.name, self.raw.decode(), self.read())
        if isinstance(at, int):
            begin = document.line(("deck",))
            assert begin
            opening = self.raw.decode().splitlines()[begin - 1].partition("=")[2].strip()
            below = opening.strip("\"'") in ("", "\\")  # if not, the first card is on the line of the key
            line: int | None = begin + at - 1 + below
        else:
            path = (at,) if isinstance(at, str) else at
            line = document.line(("cards", *path)) if len(path) == 1 else document.line(path) or document.line(path[:1])
        return f"{self.name}{f', line {line}' if line else ''}"


def load_data(shipped: Source, rulebook: Rulebook[S], own: Source | None) -> dict[str, Any]:
    """Return the data of a game, with an owner's cards if given. Raise StartRefused if the deck is invalid."""
    data, source = shipped.read(), own or shipped
    if own:
        data |= replaced_parts(data, own)
    try:
        rulebook.check(data)
    except BadCard as error:
        raise StartRefused(f"{source.locate(error.at)}: {shorten(str(error))}") from error
    # Use our own order for the same cards: with another digest, running matches could not continue.
    ours = shipped.read()
    return ours if data == ours else data


def replaced_parts(data: Mapping[str, Any], own: Source) -> dict[str, object]:
    """Return the parts that replace those of the data file. Raise StartRefused if they are invalid."""
    parts, given = data.get("own"), own.read()
    if not parts:
        raise StartRefused(f"{own.name}: {data['title']} has no cards that a list may replace.")
    document = Document(own.name, own.raw.decode(), given)
    for name in given:
        if name not in parts:
            near = nearest(name, parts)
            hint = f"did you mean {near}?" if near else f"it has {' and '.join(parts)}."
            line = document.line((name,))
            raise StartRefused(f"{own.name}, line {line}: a list for {data['title']} has no {key_text(name)}: {hint}")
    for part in parts:
        if part not in given:
            raise StartRefused(f"{own.name}: a list for {data['title']} needs {part}, written like the game's own.")
        if type(given[part]) is not type(data[part]):
            kind = "a text of several lines" if isinstance(data[part], str) else f"a table: write [{part}]"
            raise StartRefused(f"{own.name}, line {document.line((part,))}: {part} is {kind}.")
    for part, kept_keys in parts.items():
        if isinstance(cards := given[part], dict):
            known = data[part]
            given[part] = {name: complete_card(known.get(name, {}), kept_keys, card) for name, card in cards.items()}
    return given


def complete_card(known: Mapping[str, object], kept_keys: list[str], card: object) -> object:
    """Return a card of the list, completed by the `kept_keys` of the known card."""
    return {**{fact: known[fact] for fact in kept_keys if fact in known}, **card} if isinstance(card, dict) else card


def shorten(sentence: str) -> str:
    """Return a sentence with long words cut, because a name in a list may have thousands of letters."""
    return re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: f"{word[0][:LONGEST_WORD]}...", sentence)
