"""The sharp house beside OpenSpiel's players of Goofspiel: `nice -n 5 python -m tests.bench.openspiel`.

Two seats, ties discarded, as OpenSpiel plays it (`tie=discard`). Each order of prizes is played twice, with seats changed;
our engine keeps the match. OpenSpiel's information set search is given 20 ms a decision, as the house is, and besides as many
simulations as its search in C++ makes in that time; on small instances it has solved the game by CFR+, and says how far the
solution is from the best. The ratio of points has its 95 % interval from the pairs (of a ratio of means).

The first run installs OpenSpiel in a Python of its own beside its program (`tests/bench/peers/python.txt` pins it); no
test and no hub ever does. The table is kept in `hub/docs/house.md`.
"""

from __future__ import annotations

import json
import math
import re
from argparse import ArgumentParser
from random import Random
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple

from hub import games
from hub.authoring.arena import Z
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.house_player import play
from hub.engine.match import Match
from hub.engine.sight import Strength
from tests.bench.arena import PAGE
from tests.bench.peer import FOLDER, PYTHON, Absent, Program, install

LEARNING = 120.0  # seconds that CFR+ may take
CONSTANT = 5.0
"""Of the search's formula (UCT), in points; of 5, 20 and 60 the one that did best against the house."""


class Figure(NamedTuple):
    """Whom the house plays against, how often, and at which game: `effort` is simulations, or iterations of CFR+."""

    matches: int
    name: str
    player: str
    cards: int
    order: str
    effort: int
    milliseconds: float


FIGURES = (
    Figure(300, "ISMCTS, 20 ms", "ismcts", 13, "random", 0, 20.0),
    Figure(60, "ISMCTS, 700 simulations", "ismcts", 13, "random", 700, 0.0),
    Figure(400, "ISMCTS, 20 ms", "ismcts", 5, "falling", 0, 20.0),
    Figure(2000, "CFR+, 200 iterations", "cfr", 4, "random", 200, 0.0),
    Figure(2000, "CFR+, 200 iterations", "cfr", 5, "falling", 200, 0.0),
)


class Both(NamedTuple):
    """What two matches of the same prizes gave: points and wins of the house and of the other, and its milliseconds."""

    house: int
    other: int
    won: float
    house_ms: list[float]
    other_ms: list[float]
    searched: list[int]


def beside(figure: Figure, seed: int = 1) -> Program:
    """Start OpenSpiel's player."""
    told = {
        "cards": figure.cards, "order": figure.order, "player": figure.player, "seed": seed, "constant": CONSTANT,
        "simulations": figure.effort, "milliseconds": figure.milliseconds,
    }  # fmt: skip
    return Program([str(PYTHON), str(FOLDER / "openspiel.py"), json.dumps(told)], LEARNING)


def play_both(figure: Figure, other: Program, number: int, strength: Strength = "sharp") -> Both:
    """Play two matches with the same prizes, the house first at seat 1 and then at seat 2."""
    points, won = [0, 0], 0.0
    ours, theirs, searched = list[float](), list[float](), list[int]()
    for mine in (1, 2):
        random, chance = Random(f"{number} {mine}"), Chance(f"openspiel {number}")
        options = {"cards": figure.cards, "tie": "discard", "order": figure.order}
        match = Match(games.find("goofspiel"), (1, 2), options)
        chance.settle(match)
        while match.open:
            view = match.view(None)
            began = perf_counter()
            action = play(match, mine, strength, random)
            ours.append(1000 * (perf_counter() - began))
            assert action
            suit: list[str] = view["table"]["suit"]
            asked = {"played": played(match), "prize": suit.index(view["table"]["prizes"][-1]) + 1, "seat": 2 - mine}
            answer = other.ask(**asked)
            theirs.append(answer["ms"])
            searched.append(answer["searched"])
            match.act(action)
            match.act(Action(seat=3 - mine, move="bid", args={"card": suit[answer["bid"] - 1]}))
            chance.settle(match)
        assert match.over
        points[0] += match.over.scores[mine]
        points[1] += match.over.scores[3 - mine]
        won += (mine in match.over.winners) / len(match.over.winners)
    return Both(points[0], points[1], won, ours, theirs, searched)


def played(match: Match) -> list[list[int]]:
    """Return the rounds that are over: the prize, and the bids of seats 1 and 2."""
    suit, rounds = match.state.table.suit, list[list[int]]()
    for event in match.events:
        if event.kind == "prize":
            rounds.append([suit.index(event.data["prizes"][-1]) + 1])
        elif event.kind == "reveal":
            rounds[-1] += [event.data["bids"]["1"], event.data["bids"]["2"]]
    return [one for one in rounds if len(one) == 3]


def ratio(pairs: list[Both]) -> tuple[float, float, float]:
    """Return the house's points as a multiple of the other's, with its 95 % interval (linearised, over the pairs)."""
    ours, theirs = fmean(one.house for one in pairs), fmean(one.other for one in pairs)
    times = ours / theirs
    spread = sum((one.house - times * one.other) ** 2 for one in pairs) / (len(pairs) - 1)
    half = Z * math.sqrt(spread / len(pairs)) / theirs
    return times, times - half, times + half


def row(figure: Figure, pairs: list[Both], about: dict[str, Any]) -> str:
    """Return a line of the table."""
    times, low, high = ratio(pairs)
    count = 2 * len(pairs)
    name = figure.name
    if "exploitability" in about:
        name += f" (loses {about['exploitability']:.3f} points a match to the best answer)"
    searched = [number for one in pairs for number in one.searched]
    work = f"{fmean(searched):.0f}" if any(searched) else ""
    return (
        f"| {name} | {figure.cards}, {figure.order} | {count} | {sum(one.house for one in pairs) / count:.1f} "
        f"| {sum(one.other for one in pairs) / count:.1f} | {times:.2f} | {low:.2f} to {high:.2f} "
        f"| {sum(one.won for one in pairs) / count:.0%} | {fmean(ms for one in pairs for ms in one.house_ms):.1f} ms "
        f"| {fmean(ms for one in pairs for ms in one.other_ms):.1f} ms | {work} |"
    )


HEAD = """\
| OpenSpiel's | cards, prizes | matches | house | OpenSpiel | ratio | interval | wins | a bid, house | a bid, OpenSpiel | simulations |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def kept(page: str, table: str) -> str:
    """Return the page with the table between its markers."""
    new, count = re.subn(
        r"(<!-- openspiel -->\n).*?(\n<!-- /openspiel -->)", lambda m: m[1] + table + m[2], page, flags=re.DOTALL
    )
    if count != 1:
        raise SystemExit(f"{PAGE.name} has no place for the table.")
    return new


def main() -> None:
    """Play, print the table, and keep it in the page."""
    parser = ArgumentParser(prog="python -m tests.bench.openspiel", description=__doc__)
    parser.add_argument("--part", type=float, default=1.0, metavar="X", help="so much of the matches only; prints only")
    parser.add_argument(
        "--only", type=int, nargs="*", default=[], metavar="N", help="only these lines, from 1; prints only"
    )
    parser.add_argument("--strength", choices=("easy", "steady", "sharp"), default="sharp")
    args = parser.parse_args()
    try:
        install()
    except Absent as why:
        raise SystemExit(str(why)) from None
    rows = [HEAD]
    print(HEAD, flush=True)
    for place, figure in enumerate(FIGURES, 1):
        if args.only and place not in args.only:
            continue
        with beside(figure) as other:
            pairs = [
                play_both(figure, other, number, args.strength)
                for number in range(int(args.part * figure.matches) // 2)
            ]
            rows.append(row(figure, pairs, other.ready))
            print(rows[-1], flush=True)
    if not args.only and args.part == 1.0 and args.strength == "sharp":
        PAGE.write_text(kept(PAGE.read_text("utf-8"), "\n".join(rows)), "utf-8")


if __name__ == "__main__":
    main()
