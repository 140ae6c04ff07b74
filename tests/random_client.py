"""A client that plays any game with nothing but what `waiting` says: `python -m tests.random_client GAME MATCHES`.

It knows no rule, reads no state and imports no engine: it answers JSON with JSON, as a bot in any language would.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from statistics import median
from typing import Any

Line = dict[str, Any]


def value(legal: Any, random: Random) -> Any:
    """Some value that the wire says is legal."""
    match legal:
        case {"min": least, "max": most}:
            step = legal.get("step", 1)
            return least + step * random.randint(0, (most - least) // step)
        case {"one_of": values}:
            return random.choice(values)
        case {"choose": {"min": least, "max": most}, "from": values}:
            return random.sample(values, random.randint(least, min(most, len(values))))
        case {"order": values}:
            return random.sample(values, len(values))
        case {"faces": {"count": count, "sides": sides}}:
            return [random.randint(1, sides) for _ in range(count)]
        case _:
            return legal


def answer(waiting: Line, random: Random, locked: set[str]) -> Line:
    """One line for the referee. `locked` are the seats that have answered this sealed question already."""
    seats: dict[str, list[Line]] = waiting.get("seats", {})
    asked = {seat: [move for move in moves if not move.get("standing")] for seat, moves in seats.items()}
    asked = {seat: moves for seat, moves in asked.items() if moves}
    roll = waiting.get("roll")
    standing = [(seat, move) for seat, moves in seats.items() for move in moves if move.get("standing")]
    if standing and random.random() < 0.05:
        seat, move = random.choice(standing)
    elif roll and (not asked or random.random() < 0.7):
        return {"roll": [random.randint(1, roll["sides"]) for _ in range(roll["count"])]}
    else:
        seat = random.choice([seat for seat in asked if seat not in locked] or list(asked))
        move = random.choice(asked[seat])
    given = {name: value(legal, random) for name, legal in move.items() if name not in ("move", "standing")}
    return {"seat": int(seat), "move": move["move"], **given}


def play(opening: str, line: Callable[[str], str], random: Random) -> tuple[int, Line]:
    """A whole match: how many lines it took, and how it ended. `line` is the referee's."""
    view, lines, locked = json.loads(opening), 0, set[str]()
    while "over" not in view:
        sent = answer(view["waiting"], random, locked)
        before = view["waiting"]
        view, lines = json.loads(line(json.dumps(sent))), lines + 1
        assert view["ok"], (sent, view, before)
        assert lines < 20_000, "the match does not end"
        if before.get("secret") and view["waiting"].get("secret") and not view["events"]:
            locked.add(str(sent["seat"]))
        else:
            locked.clear()
    return lines, view["over"]


def main() -> None:
    """Play many matches over all seat counts and options, and say how they went."""
    from hub import games
    from hub.authoring.players import random_options
    from hub.chance import Chance
    from hub.operations.referee import Referee

    name, matches = sys.argv[1], int(sys.argv[2])
    game = games.find(name)
    lengths: dict[int, list[int]] = {}
    why: Counter[str] = Counter()
    for seed in range(matches):
        random = Random(seed)
        seats = game.seats[0] + seed % (game.seats[1] - game.seats[0] + 1)
        referee = Referee(game, seats, random_options(game, seats, random), Chance(seed))
        lines, over = play(referee.opening(), referee.line, random)
        lengths.setdefault(seats, []).append(lines)
        why["".join(letter for letter in over["why"] if not letter.isdigit())] += 1
    for seats, took in sorted(lengths.items()):
        sys.stdout.write(
            f"{seats} seats: {len(took)} matches, lines min {min(took)}, median {median(took)}, max {max(took)}\n"
        )
    for reason, count in why.most_common(12):
        sys.stdout.write(f"{count:5} {reason}\n")


if __name__ == "__main__":
    main()
