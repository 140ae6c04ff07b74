"""Which cards a game is played with: those of its data file, or an owner's own list in their place.

Where cards may be replaced, the data file says under `[own]` which parts, and which facts a card that is known
there keeps where the list says nothing of them (its drawing). A list is written like the data file: `[cards]`, or
`deck` with a card to a line. The rulebook's `check` says whether it is a deck.
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
    """A TOML file: what people call it, and its text."""

    called: str
    raw: bytes

    def read(self) -> dict[str, Any]:
        """Its data. Raises StartRefused with the line that is wrong."""
        try:
            return tomllib.loads(self.raw.decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as why:
            raise StartRefused(f"{self.called}: this is not TOML: {why}.") from why

    def where(self, at: str | int) -> str:
        """The file and the line of a card: that of its name, or so many lines into the text of `deck`."""
        name = (
            rf"""(\[?cards\.)?["']?{re.escape(at)}["']?\s*[=\]]"""
            if isinstance(at, str)
            else r"""deck\s*=\s*["']+\\?"""
        )
        for number, line in enumerate(self.raw.decode().splitlines(), 1):
            if found := re.match(name, line.strip()):
                begun = found.end() < len(line.strip())  # the first card stands beside the name
                return f"{self.called}, line {number if isinstance(at, str) else number + at - begun}"
        return self.called  # a card that is missing has no line


def played_with(shipped: Source, rulebook: Rulebook, own: Source | None) -> dict[str, Any]:
    """The data of a game, with an owner's cards if there are any. Raises StartRefused where they are no deck."""
    data, source = shipped.read(), own or shipped
    if own:
        data |= replacing(data, own)
    if hasattr(rulebook, "check"):
        try:
            rulebook.check(data)
        except BadCard as why:
            raise StartRefused(f"{source.where(why.at)}: {why}") from why
    return data


def replacing(data: Mapping[str, Any], own: Source) -> dict[str, Any]:
    """The parts that take the place of the data file's. Raises StartRefused where they cannot."""
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
            given[part] = {name: facts_of(data[part].get(name, {}), kept, card) for name, card in given[part].items()}
    return given


def facts_of(known: Mapping[str, Any], kept: list[str], card: Any) -> Any:
    """A card as the list gives it, with what it keeps of the known one."""
    return {**{fact: known[fact] for fact in kept if fact in known}, **card} if isinstance(card, dict) else card
