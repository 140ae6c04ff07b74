"""How fast the rules run: `python -m tests.bench.engine`.

Random legal matches are recorded first; then the same actions are played again through `Match.act`, checked
and logged as at a table, once bare and once with the views encoded to JSON after each action: the public one
and that of the seat which acted, and once with those of all seats. CPU seconds (`process_time`), median.

boardgame.io does the same beside us (its reducer, its log, its player views): goofspiel of four to six seats, a
sealed bid, is written for both. All play in turn, run after run, so that a busy machine is as busy for one as for
the other; what each run gave is printed.
"""

from __future__ import annotations

import argparse
import statistics
import tracemalloc
from collections.abc import Callable
from contextlib import ExitStack
from random import Random
from time import process_time
from typing import Any, Protocol

import msgspec

from hub import games
from hub.engine.decision import Action
from hub.engine.game import Game
from hub.engine.match import Entry, Match
from tests.bench.peer import Absent, Peer
from tests.engine.ladder import LADDER
from tests.games.players import random_match, random_options

Recorded = tuple[Game, tuple[int, ...], dict[str, Any], list[Action]]
ENCODER = msgspec.json.Encoder()
PEER = "goofspiel, boardgame.io"
SAME = {"cards": 13, "tie": "discard", "order": "random", "points": "value"}
"""How Goofspiel is played in `peers/goofspiel.js`, with four to six seats."""


def record(game: Game, matches: int, seed: int, least: int = 0, given: dict[str, Any] | None = None) -> list[Recorded]:
    """Random matches of `game` over all its seat counts, `least` or more, and all options, if none are `given`."""
    random = Random(seed)
    least, most = max(least, game.seats[0]), game.seats[1]
    found: list[Recorded] = []
    while len(found) < matches:
        seats = tuple(range(1, random.randint(least, most) + 1))
        options = given or random_options(game, len(seats), random)
        match = random_match(game, seats, options, random)
        found.append((game, seats, options, [Action(seat=e.seat, move=e.move, args=e.args) for e in match.log]))
    return found


def play(recorded: list[Recorded], look: Callable[[Match, int], None] | None) -> tuple[int, float]:
    """How many actions were taken in how many CPU seconds."""
    actions, start = 0, process_time()
    for game, seats, options, taken in recorded:
        match = Match(game, seats, options)
        for action in taken:
            match.act(action)
            if look:
                look(match, action.seat)
        actions += len(taken)
    return actions, process_time() - start


def two_views(match: Match, seat: int) -> None:
    """What one action makes necessary: the public view, and that of the seat that acted."""
    ENCODER.encode(match.view(None))
    if seat in match.state.seats:
        ENCODER.encode(match.view(seat))


def all_views(match: Match, seat: int) -> None:
    """What a full table wants: the public view, and that of every seat."""
    ENCODER.encode(match.view(None))
    for viewer in match.state.seats:
        ENCODER.encode(match.view(viewer))


LOOKS: dict[str, Callable[[Match, int], None] | None] = {"none": None, "two": two_views, "all": all_views}
WHAT = {"none": "act and log", "two": "with the public and the own view", "all": "with the views of all"}


class Player(Protocol):
    """Whoever plays recorded matches over again: how many actions were taken in how many CPU seconds."""

    def __call__(self, look: str) -> tuple[int, float]: ...


def ours(game: Game, matches: int, seed: int, least: int = 0, given: dict[str, Any] | None = None) -> Player:
    """Our engine."""
    recorded = record(game, matches, seed, least, given)
    return lambda look: play(recorded, LOOKS[look])


def theirs(peer: Peer) -> Player:
    """boardgame.io's."""

    def played(look: str) -> tuple[int, float]:
        answer = peer.ask(look=look)
        return answer["actions"], answer["seconds"]

    return played


def race(players: dict[str, Player], look: str, runs: int) -> None:
    """All in turn, run after run; to each its median, how many times the peer's that is, and every run."""
    for player in players.values():
        player(look)
    rates: dict[str, list[float]] = {name: [] for name in players}
    for _ in range(runs):
        for name, player in players.items():
            actions, seconds = player(look)
            rates[name].append(actions / seconds)
    for name, some in rates.items():
        beside = [mine / its for mine, its in zip(some, rates.get(PEER, ()), strict=False)]
        ratio = f"{statistics.median(beside):5.1f}x" if beside else ""
        listed = " ".join(f"{rate:,.0f}" for rate in some)
        print(f"  {name:24} {statistics.median(some):>9,.0f} {ratio:6}   runs: {listed}", flush=True)


def resume(game: Game, seed: int, runs: int) -> str:
    """How long a match of 500 actions takes from its log: read, checked and played."""
    random, log, match = Random(seed), b"", None
    while match is None or len(match.log) < 500:
        longer = random_match(game, tuple(range(1, game.seats[1] + 1)), {}, random)
        if match is not None and len(longer.log) <= len(match.log):
            break
        match = longer
    log = b"\n".join(msgspec.json.encode(entry) for entry in match.log[:500])
    took, entries = [], match.log[:0]
    for _ in range(runs):
        start = process_time()
        entries = [msgspec.json.decode(line, type=Entry) for line in log.split(b"\n")]
        Match.replay(game, match.head, entries)
        took.append(process_time() - start)
    return f"{len(entries)} actions in {statistics.median(took) * 1000:.1f} ms"


def growth(actions: int) -> list[str]:
    """Cost of an action early and late in one long match of the ladder, views included: time, then memory."""
    window = actions // 10
    took, held = [], []
    match, start = Match(LADDER, (1, 2, 3), {"rungs": actions}), process_time()
    for number in range(1, actions + 1):
        climb(match)
        if number % window == 0:
            now = process_time()
            took.append((now - start) / window * 1e6)
            start = process_time()
    tracemalloc.start()
    match, before = Match(LADDER, (1, 2, 3), {"rungs": actions}), tracemalloc.get_traced_memory()[0]
    for number in range(1, actions + 1):
        climb(match)
        if number % window == 0:
            now_held = tracemalloc.get_traced_memory()[0]
            held.append((now_held - before) / window)
            before = now_held
    tracemalloc.stop()
    return [
        f"actions {n * window + 1:>5}-{(n + 1) * window:<5} {us:5.1f} us each, {size:4.0f} bytes each"
        for n, (us, size) in enumerate(zip(took, held, strict=True))
    ]


def climb(match: Match) -> None:
    """One rung of the ladder, with the views it makes necessary."""
    seat = next(iter(match.open.asked)) if match.open else 0
    match.act(Action(seat=seat, move="climb", args={"by": 1}))
    two_views(match, seat)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.engine")
    parser.add_argument("--game", action="append", help="only this game (may be repeated)")
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    named = [games.find(name) for name in args.game or games.names()]
    with ExitStack() as ending:
        players: dict[str, Player] = {}
        try:
            players[PEER] = theirs(ending.enter_context(Peer("engine.js", 5 * args.matches)))
        except Absent as why:
            print(why)
        players["goofspiel, ours"] = ours(games.find("goofspiel"), 5 * args.matches, args.seed, 4, SAME)
        players |= {game.name: ours(game, args.matches, args.seed) for game in named}
        for look, what in WHAT.items():
            print(f"checked actions per CPU second, {what} (median of {args.runs} runs; times the peer's)")
            race(players, look, args.runs)
    print("resume of a match from its log:")
    for game in named:
        print(f"  {game.name:24} {resume(game, args.seed, args.runs)}")
    print("one long match (the tests' ladder), views included:")
    for line in growth(5000):
        print(f"  {line}")


if __name__ == "__main__":
    main()
