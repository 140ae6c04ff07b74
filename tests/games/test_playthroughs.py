"""Finished matches, kept with all that was seen of them: a difference is a change of the rules.

`playthroughs/*.jsonl` are logs as `table-hub referee --log` writes them, and `playthroughs/seen/<game>.toml` holds a
digest of every view and event on the way. After a wanted change `python -m tests.games.test_playthroughs <game>` writes
both anew; it wants a line in CHANGELOG.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from hub import games
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.match import Match
from hub.engine.text import to_json
from hub.operations.referee import LogFile, read_log
from tests.games.players import random_action, random_options

HERE = Path(__file__).parent / "playthroughs"
SEEN = HERE / "seen"
EACH = 4
"""How many matches of each game are kept."""


def digest(path: Path) -> str:
    """A digest of everything that could be seen while this log was played."""
    head, entries, end = read_log(str(path))
    assert end is not None
    match, found = Match.replay(games.find(head.game), head, entries), sha256()
    assert match.fingerprint() == end.end
    again = Match(match.game, head.seats, head.options)
    for entry in entries:
        again.act(Action(seat=entry.seat, move=entry.move, args=entry.args))
        for viewer in (None, *again.state.seats):
            found.update(to_json(again.view(viewer)))
    found.update(to_json((again.events, again.over and again.over.wire())))
    return found.hexdigest()[:32]


def logs(name: str) -> list[Path]:
    """The kept matches of a game."""
    return sorted(HERE.glob(f"{name}-?.jsonl"))


def digests(name: str) -> str:
    """What the file of a game says: a digest for each kept match."""
    return "".join(f'{path.stem} = "{digest(path)}"\n' for path in logs(name))


@pytest.mark.parametrize("name", games.built_in())
def test_kept_matches_are_seen_as_they_were(name: str) -> None:
    assert digests(name) == (SEEN / f"{name}.toml").read_text("utf-8")
    assert len(logs(name)) == EACH


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "2"])
def test_kept_matches_are_seen_alike_under_any_hash_seed(seed: str) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "tests.games.test_playthroughs", "--tell"],
        env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    assert said == "".join((SEEN / f"{name}.toml").read_text("utf-8") for name in games.built_in())


def keep(name: str) -> None:
    """Play some matches of a game by chance and keep their logs: few seats and many, options as they come."""
    game = games.find(name)
    for seed in range(EACH):
        random = Random(f"{name} {seed}")
        count = game.seats[0] + seed * (game.seats[1] - game.seats[0]) // (EACH - 1)
        options = random_options(game, count, random) if seed else {}
        match, chance = Match(game, range(1, count + 1), options), Chance(seed)
        while match.open:
            match.act(random_action(match, random, chance))
        LogFile(str(HERE / f"{name}-{seed + 1}.jsonl"), match).close()


if __name__ == "__main__":
    if "--tell" in sys.argv:
        sys.stdout.write("".join(digests(game) for game in games.built_in()))
    else:
        for game in sys.argv[1:] or games.built_in():
            keep(game)
            (SEEN / f"{game}.toml").write_text(digests(game), "utf-8")
