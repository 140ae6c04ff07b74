"""Finished matches, kept with a digest of all that was seen of them: a difference is a change of the rules.

A folder holds logs as `table-hub referee --log` writes them, and a file with the digest of every view and event on the way.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from random import Random

from hub import games
from hub.authoring.players import LONGEST, random_action, random_options
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.match import Match
from hub.engine.text import to_json
from hub.errors import ReplayDiverged
from hub.operations.referee import LogFile, read_log

EACH = 4
"""How many matches of each game are kept."""


def logs(name: str, folder: Path) -> list[Path]:
    """Return the kept matches of a game."""
    return sorted(folder.glob(f"{name}-?.jsonl"))


def digest(path: Path) -> str:
    """Return a digest of everything that could be seen while this log was played. Raise ReplayDiverged."""
    head, entries, end = read_log(str(path))
    assert end is not None
    match, found = Match.replay(games.find(head.game), head, entries), sha256()
    if match.fingerprint() != end.end:
        raise ReplayDiverged(f"{path.name} ends otherwise.")
    again = Match(match.game, head.seats, head.options)
    for entry in entries:
        again.act(Action(seat=entry.seat, move=entry.move, args=entry.args))
        for viewer in (None, *again.state.seats):
            found.update(to_json(again.view(viewer)))
    found.update(to_json((again.events, again.over and again.over.wire())))
    return found.hexdigest()[:32]


def version(name: str, folder: Path) -> int:
    """Return the newest version of the rules in the kept matches; 0 if there are none."""
    return max((read_log(str(path))[0].version for path in logs(name, folder)), default=0)


def still_replay(name: str, folder: Path) -> bool:
    """Return whether the rules lead to the same states in the kept matches, whatever people see of them."""
    try:
        for path in logs(name, folder):
            digest(path)
    except ReplayDiverged:
        return False
    return True


def digests(name: str, folder: Path) -> str:
    """Return the text of a game's file of digests: a line for each kept match."""
    return "".join(f'{path.stem} = "{digest(path)}"\n' for path in logs(name, folder))


def keep(name: str, folder: Path) -> None:
    """Play some matches of a game by chance and keep their logs: few seats and many, options as they come."""
    game = games.find(name)
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(EACH):
        random = Random(f"{name} {seed}")
        count = game.seats[0] + seed * (game.seats[1] - game.seats[0]) // (EACH - 1)
        options = random_options(game, count, random) if seed else {}
        match, chance = Match(game, range(1, count + 1), options), Chance(seed)
        while match.open:
            assert len(match.log) < LONGEST, "the match does not end"
            match.act(random_action(match, random, chance))
        LogFile(str(folder / f"{name}-{seed + 1}.jsonl"), match).close()
