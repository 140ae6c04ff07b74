"""`table-hub cards GAME`: what an owner's list may replace, whole, as a file to begin with."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from hub import games
from hub.decks import as_text, check_list
from hub.errors import ConfigError, StartRefused


def print_cards(args: Namespace) -> int:
    """Print a game's cards as a list of the owner's own, or check such a list. Return 2, with one sentence, where it is wrong."""
    try:
        if args.check:
            check_list(args.check)
        game = games.find(args.game, args.check)
        text = as_text(game)
    except (ConfigError, StartRefused) as error:
        print(error, file=sys.stderr)
        return 2
    if args.check:
        print(f"{args.check}: {game.title} can be played with it by {_listed(games.playable(game))} players.")
    else:
        print(text, end="")
    return 0


def _listed(counts: Sequence[int]) -> str:
    """Return numbers of people as text: "2 to 4", or "2 and 4"."""
    if len(counts) > 1 and counts[-1] - counts[0] == len(counts) - 1:
        return f"{counts[0]} to {counts[-1]}"
    return " and ".join(map(str, counts))
