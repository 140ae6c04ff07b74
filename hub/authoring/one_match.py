"""`python -m hub.authoring.one_match GAME COUNT`: a digest of so many random matches, all views and events included.

`GAME` is a name, or a folder of a package. Two processes with different `PYTHONHASHSEED` must give the same digest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from random import Random

from hub import games
from hub.authoring.find import find_game
from hub.authoring.players import LONGEST, random_action, random_options
from hub.authoring.time_limit import Endless, limited
from hub.chance import Chance
from hub.engine.match import Match
from hub.engine.text import to_json


def digest(name: str, matches: int) -> str:
    """Return one digest for all that was to be seen."""
    game, found = games.find(name), sha256()
    for seed in range(matches):
        random = Random(seed)
        count = game.seats[0] + seed % (game.seats[1] - game.seats[0] + 1)
        match, chance = Match(game, range(1, count + 1), random_options(game, count, random)), Chance(seed)
        while match.open:
            assert len(match.log) < LONGEST, "the match does not end"
            match.act(random_action(match, random, chance))
            for viewer in (None, *match.state.seats):
                found.update(to_json(match.view(viewer)))
        found.update(to_json((match.events, match.log, match.fingerprint())))
    return found.hexdigest()


def digests(given: str, matches: int = 5) -> set[str]:
    """Return what other processes find, with two orders of hashes: one digest if a game does not depend on it."""
    command = [sys.executable, "-m", __name__, given, f"{matches}"]
    return {
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    }  # fmt: skip


if __name__ == "__main__":
    given = sys.argv[1]
    try:
        with limited("A match in another process"):
            sys.stdout.write(digest(given if given in games.names() else find_game(given), int(sys.argv[2])) + "\n")
    except Endless as error:
        sys.exit(f"{error}")
