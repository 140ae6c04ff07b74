"""The cards a game is played with: those of its data file, or an owner's list in their place.

Under `[own]` the data file names the parts that a list may replace, and for each the keys that a card known to the data
file keeps where the list does not give them (its drawing). A list is written like the data file: `[cards]`, or `deck`
with a card to a line. The rulebook's `check` raises BadCard where it is no deck.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hub.engine.game import Rulebook
from hub.errors import BadCard, StartRefused
from hub.toml_structs import Document, key_text, nearest

LONGEST_WORD = 60
"""Letters of one word in a sentence about a list."""


class Source(Struct, frozen=True):
    """A TOML file: `name` is its name in messages, `raw` its text."""

    name: str
    raw: bytes

    def read(self) -> dict[str, Any]:
        """Return its data. Raise StartRefused with the line that is wrong."""
        try:
            return tomllib.loads(self.raw.decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise StartRefused(f"{self.name}: this is not TOML: {error}.") from error

    def locate(self, at: str | int | tuple[str, str]) -> str:
        """Return the file and the line of a card: its name, its line in the text of `deck` from 1, or a part and a key.

        A key that is missing has its part's line; a card that is missing has none.
        """
        document = Document(self.name, self.raw.decode(), self.read())
        if isinstance(at, int):
            begin = document.line(("deck",)) or 1
            opening = self.raw.decode().splitlines()[begin - 1].partition("=")[2].strip()
            below = opening.strip("\"'") in ("", "\\")  # else the first card is on the line of the key
            line: int | None = begin + at - 1 + below
        else:
            path = (at,) if isinstance(at, str) else at
            line = document.line(("cards", *path)) if len(path) == 1 else document.line(path) or document.line(path[:1])
        return f"{self.name}{f', line {line}' if line else ''}"


def load_data(shipped: Source, rulebook: Rulebook[Any], own: Source | None) -> dict[str, Any]:
    """Return the data of a game, with an owner's cards if there are any. Raise StartRefused where they are no deck."""
    data, source = shipped.read(), own or shipped
    if own:
        data |= replaced_parts(data, own)
    try:
        rulebook.check(data)
    except BadCard as error:
        raise StartRefused(f"{source.locate(error.at)}: {shorten(str(error))}") from error
    # The same cards in another order would have another digest: a match that was begun with ours could not go on with them.
    ours = shipped.read()
    return ours if data == ours else data


def replaced_parts(data: Mapping[str, Any], own: Source) -> dict[str, Any]:
    """Return the parts that take the place of the data file's. Raise StartRefused where they cannot."""
    parts, given = data.get("own", {}), own.read()
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
        if isinstance(given[part], dict):
            given[part] = {
                name: complete_card(data[part].get(name, {}), kept_keys, card) for name, card in given[part].items()
            }
    return given


def complete_card(known: Mapping[str, Any], kept_keys: list[str], card: Any) -> Any:
    """Return a card as the list gives it, completed by the keys in `kept_keys` of the card that is known."""
    return {**{fact: known[fact] for fact in kept_keys if fact in known}, **card} if isinstance(card, dict) else card


def shorten(sentence: str) -> str:
    """Return a sentence with its longest words cut off: a name in a list may have thousands of letters."""
    return re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: f"{word[0][:LONGEST_WORD]}...", sentence)
