"""`python -m tests.games.one_match GAME COUNT`: a digest of so many random matches, all views and events included."""

from __future__ import annotations

import sys
from hashlib import sha256
from random import Random

from hub import games
from hub.chance import Chance
from hub.engine.match import Match
from hub.engine.text import to_json
from tests.games.players import random_action, random_options


def digest(name: str, matches: int) -> str:
    """One digest for all that was to be seen."""
    game, found = games.find(name), sha256()
    for seed in range(matches):
        random = Random(seed)
        count = game.seats[0] + seed % (game.seats[1] - game.seats[0] + 1)
        match, chance = Match(game, range(1, count + 1), random_options(game, count, random)), Chance(seed)
        while match.open:
            match.act(random_action(match, random, chance))
            for viewer in (None, *match.state.seats):
                found.update(to_json(match.view(viewer)))
        found.update(to_json((match.events, match.log, match.fingerprint())))
    return found.hexdigest()


if __name__ == "__main__":
    sys.stdout.write(digest(sys.argv[1], int(sys.argv[2])) + "\n")
