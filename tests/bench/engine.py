"""How fast the rules run: `python -m tests.bench.engine`.

Random legal matches are recorded first; then the same actions are played again through `Match.act`, checked
and logged as at a table, once bare and once with the views encoded to JSON after each action: the public one
and that of the seat which acted, and once with those of all seats. CPU seconds (`process_time`), median.

boardgame.io does the same beside us (its reducer, its log, its player views): goofspiel of four to six seats, a
sealed bid, is written for both. So does OpenSpiel with its Goofspiel, and RLCard with its hold'em (`peers/engines.py` says what of it is
alike). All play in turn, run after run, so that a busy machine is as busy for one as for the other; what each run gave is printed.
"""

from __future__ import annotations

import argparse
import statistics
import tracemalloc
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from random import Random
from time import process_time
from typing import Any, Protocol

import msgspec

from hub import games
from hub.authoring.players import random_match, random_options
from hub.engine.decision import Action
from hub.engine.game import Game
from hub.engine.match import Entry, Match
from tests.bench.figures import note
from tests.bench.peer import FOLDER, PYTHON, Absent, Peer, Program, install
from tests.engine.ladder import LADDER

Recorded = tuple[Game, tuple[int, ...], dict[str, Any], list[Action]]
PEER = "goofspiel, boardgame.io"
OURS = "goofspiel, ours"
IN_PYTHON = {
    "goofspiel, OpenSpiel": ("openspiel", 20),
    "leduc hold'em, RLCard": ("leduc-holdem", 20),
    "limit hold'em, RLCard": ("limit-holdem", 5),
}
"""What `peers/engines.py` calls it, and for how many times as many matches."""
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
    match.view_json(None)
    if seat in match.state.seats:
        match.view_json(seat)


def all_views(match: Match, seat: int) -> None:
    """What a full table wants: the public view, and that of every seat."""
    match.view_json(None)
    for viewer in match.state.seats:
        match.view_json(viewer)


LOOKS: dict[str, Callable[[Match, int], None] | None] = {"none": None, "two": two_views, "all": all_views}
WHAT = {"none": "act and log", "two": "with the public and the own view", "all": "with the views of all"}


class Player(Protocol):
    """Whoever plays recorded matches over again: how many actions were taken in how many CPU seconds."""

    def __call__(self, look: str) -> tuple[int, float]: ...


def ours(game: Game, matches: int, seed: int, least: int = 0, given: dict[str, Any] | None = None) -> Player:
    """Our engine."""
    recorded = record(game, matches, seed, least, given)
    return lambda look: play(recorded, LOOKS[look])


def theirs(peer: Program) -> Player:
    """A peer's."""

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
        note(f"engine, {look}", name, "/s", *some)


def resume(game: Game, seed: int, runs: int) -> tuple[int, list[float]]:
    """How many actions a match has and how many milliseconds it takes from its log: one of 500 actions, read, checked and played."""
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
        took.append((process_time() - start) * 1000)
    return len(entries), took


def growth(actions: int) -> tuple[list[float], list[float]]:
    """Cost of an action in each tenth of one long match of the ladder, views included: microseconds, and bytes."""
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
    return took, held


def grown(name: str, us: list[float], sizes: list[float]) -> None:
    """Say how an action's cost has grown: the last three tenths as a multiple of the first three."""
    for what, costs, unit in (("time", us, "us"), ("memory", sizes, "bytes")):
        if costs:
            times = sum(costs[-3:]) / sum(costs[:3])
            tenths = " ".join(f"{one:.1f}" for one in costs)
            print(f"  {name:24} {what:6} x{times:4.2f}   tenths: {tenths} {unit} an action")
            note(f"growth, {what}", name, "x", times)


def least(some: Sequence[Sequence[float]]) -> list[float]:
    """The least of each place: whatever else the machine does comes on top."""
    return [min(each) for each in zip(*some, strict=True)]


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
        peers: dict[str, Program] = {}
        try:
            peers[PEER] = ending.enter_context(Peer("engine.js", 5 * args.matches))
        except Absent as why:
            print(why)
        try:
            install()
            for name, (engine, times) in IN_PYTHON.items():
                command = [str(PYTHON), str(FOLDER / "engines.py"), engine, str(times * args.matches)]
                peers[name] = ending.enter_context(Program(command))
        except Absent as why:
            print(why)
        players = {name: theirs(peer) for name, peer in peers.items()}
        players[OURS] = ours(games.find("goofspiel"), 5 * args.matches, args.seed, 4, SAME)
        players |= {game.name: ours(game, args.matches, args.seed) for game in named}
        for look, what in WHAT.items():
            print(f"checked actions per CPU second, {what} (median of {args.runs} runs; times boardgame.io's)")
            race(players, look, args.runs)
        print("resume of a match from its log, CPU:")
        slowest: list[float] = []
        for game in named:
            actions, took = resume(game, args.seed, args.runs)
            print(f"  {game.name:24} {actions} actions in {statistics.median(took):.1f} ms")
            slowest = max(slowest, took, key=lambda some: statistics.median(some or [0.0]))
        note("resume", "ours", "ms", *slowest)
        print("one long match of 5,000 actions, views included:")
        again = [growth(5000) for _ in range(args.runs)]
        grown("ours", least([took for took, _ in again]), again[0][1])
        for name, peer in peers.items():
            if resumed := peer.ask(resume=500).get("ms"):
                who = name.rpartition(", ")[2]
                note("resume", who, "ms", *resumed)
                print(f"  {who} resumes 500 actions of a simpler game in {statistics.median(resumed):.1f} ms CPU")
                long = [peer.ask(grow=5000) for _ in range(args.runs)]
                grown(who, least([one["us"] for one in long]), least([one.get("bytes", []) for one in long]))


if __name__ == "__main__":
    main()
