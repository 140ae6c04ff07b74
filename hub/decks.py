"""The games of a hub, each with our own cards or with those of the owner's box.

An owner's list is a TOML file, written like the game's own data: one that the configuration names (`[[deck]]`), or one that
staff entered on their page, which the hub keeps in its database.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import tomlkit

from hub import games, toml
from hub.config import DeckPart
from hub.engine.cards import Source
from hub.engine.game import Game
from hub.errors import ConfigError, LogError, StartRefused, TemporaryError
from hub.games import DRAWN
from hub.network.http_messages import AllCards, CardParts, GameCards

log = logging.getLogger(__name__)


class Entered(Source, frozen=True):
    """A list that was entered on the staff page: nobody sees its file, so sentences name the card, or the line of text."""

    def locate(self, at: str | int | tuple[str, str]) -> str:
        """Return where a card is: its line in the text, or its name."""
        return f"Line {at}" if isinstance(at, int) else at if isinstance(at, str) else " ".join(at)


VENUE = ""
"""The table under which values of the whole venue are kept."""


class CardStore(Protocol):
    """Where entered lists are kept: a `LogStore` is one."""

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Keep a value. Raise LogError."""

    def recall(self, table: str, name: str) -> bytes | None:
        """Return a value that was kept, or None. Raise LogError."""


class CardLists:
    """The games of this hub, in alphabetical order of their names, and the lists that they are played with."""

    def __init__(self, decks: Sequence[DeckPart], store: CardStore | None = None) -> None:
        """Load all games. `store` keeps lists that are entered; None: there are none.

        Raise ConfigError on a list of the configuration, TemporaryError if the disk fails.
        """
        self._configured = {deck.game: Path(deck.cards) for deck in decks}
        self._store = store
        for name in self._configured:
            if name not in games.names() and not games.packaged().lacks(name):
                raise ConfigError(f"[[deck]]: there is no game {name!r}: there are {', '.join(games.names())}.")
        self._games = {name: self._load(name) for name in games.names()}
        self.labels = {name: game.labels for name, game in self._games.items()}
        """The labels of each game; changed in place when other cards are entered."""

    @property
    def all(self) -> list[Game]:
        """Return the games, in alphabetical order of their names."""
        return list(self._games.values())

    def _load(self, name: str) -> Game:
        if path := self._configured.get(name):
            check_list(path)
            try:
                return games.find(name, path)
            except StartRefused as error:
                raise ConfigError(f"{error}") from error
        try:
            entered = self._store.recall(VENUE, f"cards {name}") if self._store else None
        except LogError as error:  # without the list, a match that was played with it could not go on
            raise TemporaryError(str(error)) from error
        try:
            return games.find(name, Entered("Your list", entered) if entered else None)
        except StartRefused as error:  # entered with an earlier version: the hub starts all the same
            log.warning("The cards that were entered for %s are not used: %s", name, error)
            return games.find(name)

    def cards(self) -> AllCards:
        """Return the cards that an owner's list may change."""
        return AllCards(
            {
                name: GameCards(game.title, own_parts(game), game.labels.own_list, name in self._configured)
                for name, game in self._games.items()
                if game.data.get("own")
            }
        )

    def enter(self, name: str, changes: Mapping[str, object]) -> Game:
        """Keep changed cards of a game, and return the game that is played with them from now on.

        `changes` holds, by part, the new text or the changed values of cards. Raise StartRefused or LogError: then nothing has changed.
        """
        game = self._games.get(name)
        if game is None or not game.data.get("own"):
            raise StartRefused("There is no game with cards that can be changed.")
        if name in self._configured:
            raise StartRefused("These cards are in a file that the configuration names: change them there.")
        text = as_text(game, _changed(own_parts(game), changes))
        changed = games.find(name, Entered("Your list", text.encode()))
        assert self._store is not None
        self._store.keep(VENUE, f"cards {name}", text.encode())
        self._games[name], self.labels[name] = changed, changed.labels
        return changed


def _changed(parts: Mapping[str, CardParts], changes: Mapping[str, object]) -> dict[str, CardParts]:
    """Return the parts with the changed values in place of theirs. Raise StartRefused on what is not there."""
    if not changes.keys() <= parts.keys():
        raise StartRefused("That is no list of changed cards.")
    result: dict[str, CardParts] = {}
    for name, part in parts.items():
        change = changes.get(name, {} if isinstance(part, dict) else part)
        if isinstance(part, str):
            if not isinstance(change, str):
                raise StartRefused(f"{name} is a text.")
            result[name] = change
            continue
        if not isinstance(change, dict) or not change.keys() <= part.keys():
            raise StartRefused(f"{name} has no such card.")
        result[name] = {card: _merged(f"{name} {card}", about, change.get(card)) for card, about in part.items()}
    return result


def _merged(card: str, about: object, change: object) -> object:
    """Return a card with its changed values. Raise StartRefused where they are of another kind."""
    if change is None:
        return about
    if isinstance(about, dict):
        if not isinstance(change, dict) or not change.keys() <= about.keys():
            raise StartRefused(f"{card} has no such value.")
        return about | {key: _merged(f"{card} {key}", about[key], value) for key, value in change.items()}
    if type(change) is not type(about):
        wanted = {int: "a whole number", str: "a text"}.get(type(about), "a list")
        raise StartRefused(f"{card}: enter {wanted}.")
    return change


def check_list(path: Path) -> None:
    """Raise ConfigError where an owner's list is there and is no TOML file that can be read whole: a pipe, a disk, a trap."""
    if path.exists():
        toml.read(path, f"{path}")


def own_parts(game: Game) -> dict[str, CardParts]:
    """Return the parts of a game's data that an owner's list may replace, without what only screens draw."""
    parts: Mapping[str, list[str]] = game.data.get("own", {})
    return {part: _undrawn(game.data[part], [key for key in kept if key in DRAWN]) for part, kept in parts.items()}


def _undrawn(part: CardParts, drawn: Sequence[str]) -> CardParts:
    if isinstance(part, str):
        return part
    return {
        name: {key: fact for key, fact in card.items() if key not in drawn} if isinstance(card, dict) else card
        for name, card in part.items()
    }


def as_text(game: Game, parts: Mapping[str, CardParts] | None = None) -> str:
    """Return an owner's list for a game, with the game's own cards or with `parts`. Raise StartRefused if it can have none.

    What only screens draw is left out: a card that keeps its name keeps its drawing.
    """
    parts = own_parts(game) if parts is None else parts
    if not parts:
        raise StartRefused(f"{game.title} has no cards that a list may replace.")
    document = tomlkit.document()
    document.add(
        tomlkit.comment(f"{game.title}: all that a list of your own may change. It takes the whole place of ours.")
    )
    document.add(
        tomlkit.comment(
            f"Try it: table-hub cards {game.name} --check FILE. Play with it: [[deck]] of the configuration."
        )
    )
    document.add(tomlkit.nl())
    for name, part in parts.items():
        document.add(name, _item(part))
    return tomlkit.dumps(document)


def _item(part: CardParts) -> tomlkit.items.Item:
    """Return a part as TOML has it: a text over several lines, or a table with a line for each card."""
    if isinstance(part, str):
        return tomlkit.string(part, multiline=True)
    table = tomlkit.table()
    for name, card in part.items():
        if isinstance(card, dict):
            line = tomlkit.inline_table()
            line.update(card)
            table.add(name, line)
        else:
            table.add(name, card)
    return table
