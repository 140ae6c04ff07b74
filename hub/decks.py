"""The games that a configuration offers, with the owner's own decks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hub import games, toml
from hub.config import DeckPart
from hub.engine.game import Game
from hub.errors import ConfigError, StartRefused


def load_games(decks: Sequence[DeckPart]) -> list[Game]:
    """Return all games, with the owner's cards where there are some. Raise ConfigError where they are no deck."""
    lists = {deck.game: Path(deck.cards) for deck in decks}
    for name in lists:
        if name not in games.names():
            raise ConfigError(f"[[deck]]: there is no game {name!r}: there are {', '.join(games.names())}.")
    for path in lists.values():
        check_list(path)
    try:
        return [games.find(name, lists.get(name)) for name in games.names()]
    except StartRefused as error:
        raise ConfigError(f"{error}") from error


def check_list(path: Path) -> None:
    """Raise ConfigError where an owner's list is there and is no TOML file that can be read whole: a pipe, a disk, a trap."""
    if path.exists():
        toml.read(path, f"{path}")
