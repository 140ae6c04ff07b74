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


class Source(Struct, frozen=True):
    """A TOML file: `called` is its name in messages, `raw` its text."""

    called: str
    raw: bytes

    def read(self) -> dict[str, Any]:
        """Return its data. Raise StartRefused with the line that is wrong."""
        try:
            return tomllib.loads(self.raw.decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise StartRefused(f"{self.called}: this is not TOML: {error}.") from error

    def where(self, card: str | int | tuple[str, str]) -> str:
        """Return the file and the line of a card: its name, its line within the text of `deck`, from 1, or a part and a key."""
        if isinstance(card, tuple):
            return self._where_in(*card)
        of_card = rf"""(\[?cards\.)?["']?{re.escape(f"{card}")}["']?\s*[=\]]"""
        key = r"""deck\s*=\s*["']+\\?""" if isinstance(card, int) else of_card
        for number, line in enumerate(self.raw.decode().splitlines(), 1):
            if found := re.match(key, line.strip()):
                beside = found.end() < len(line.strip())  # the first card of the deck stands on the line of the key
                return f"{self.called}, line {number + card - beside if isinstance(card, int) else number}"
        return self.called  # a card that is missing has no line

    def _where_in(self, part: str, key: str) -> str:
        within, of_part = "", ""
        for number, line in enumerate(self.raw.decode().splitlines(), 1):
            if header := re.match(r"\[([^\]]+)\]", line.strip()):
                within = re.sub(r"[\s\"']", "", header[1])
                of_part = f", line {number}" if within == part else of_part
                if within == f"{part}.{key}":
                    return f"{self.called}, line {number}"
            elif within == part and re.match(rf"""["']?{re.escape(key)}["']?\s*=""", line.strip()):
                return f"{self.called}, line {number}"
        return f"{self.called}{of_part}"  # a key that is missing has its part's line


def played_with(shipped: Source, rulebook: Rulebook, own: Source | None) -> dict[str, Any]:
    """Return the data of a game, with an owner's cards if there are any. Raise StartRefused where they are no deck."""
    data, source = shipped.read(), own or shipped
    if own:
        data |= replaced_parts(data, own)
    if hasattr(rulebook, "check"):
        try:
            rulebook.check(data)
        except BadCard as error:
            raise StartRefused(f"{source.where(error.at)}: {error}") from error
    return data


def replaced_parts(data: Mapping[str, Any], own: Source) -> dict[str, Any]:
    """Return the parts that take the place of the data file's. Raise StartRefused where they cannot."""
    parts, given = data.get("own", {}), own.read()
    if not parts:
        raise StartRefused(f"{own.called}: {data['title']} has no cards that a list may replace.")
    wanted = " and ".join(parts)
    if given.keys() != parts.keys() or any(type(given[part]) is not type(data[part]) for part in parts):
        raise StartRefused(
            f"{own.called}: a list for {data['title']} holds {wanted}, written like the game's own, and nothing else."
        )
    for part, kept in parts.items():
        if isinstance(given[part], dict):
            given[part] = {
                name: completed_card(data[part].get(name, {}), kept, card) for name, card in given[part].items()
            }
    return given


def completed_card(known: Mapping[str, Any], kept: list[str], card: Any) -> Any:
    """Return a card as the list gives it, completed by the keys in `kept` of the card that is known."""
    return {**{fact: known[fact] for fact in kept if fact in known}, **card} if isinstance(card, dict) else card
