"""`table-hub cards GAME`: what an owner's list may replace, whole, as a file to begin with."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

import tomlkit

from hub import games
from hub.decks import check_list
from hub.engine.game import Game
from hub.errors import ConfigError, StartRefused
from hub.games import DRAWN


def print_cards(args: Namespace) -> int:
    """Print a game's cards as a list of the owner's own, or check such a list. Return 2, with one sentence, where it is wrong."""
    try:
        if args.check:
            check_list(args.check)
        game = games.find(args.game, args.check)
        text = as_list(game)
    except (ConfigError, StartRefused) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{args.check}: {game.title} can be played with it." if args.check else text, end="\n" if args.check else "")
    return 0


def as_list(game: Game) -> str:
    """Return the parts of a game's data that a list may replace, as such a list. Raise StartRefused where there are none.

    What only screens draw is left out: a card that keeps its name keeps its drawing.
    """
    parts: dict[str, list[str]] = game.data.get("own", {})
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
    for part, kept in parts.items():
        document.add(part, _item(game.data[part], [key for key in kept if key in DRAWN]))
    return tomlkit.dumps(document)


def _item(value: Any, drawn: list[str]) -> Any:
    """Return a part as TOML has it: a text over several lines, or a table with a line for each card."""
    if isinstance(value, str):
        return tomlkit.string(value, multiline=True)
    table = tomlkit.table()
    for name, card in value.items():
        if isinstance(card, dict):
            line = tomlkit.inline_table()
            line.update({key: fact for key, fact in card.items() if key not in drawn})
            table.add(name, line)
        else:
            table.add(name, card)
    return table
