"""How right the minutes left are that a table says when half of a match has passed.

`nice -n 15 python -m tests.bench.half_time --matches 500` lets groups of people take their time over matches of the steady
house (`tests.bench.house_matches`: how long they take), and asks `hub.table.match.minutes_left` at half time, after so many
matches of that game as a venue has had. It prints the table that stands in `hub/docs/house.md`, and writes it there.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from math import exp, log
from random import Random
from statistics import fmean
from typing import NamedTuple

from hub import games
from hub.ports import Length
from hub.table.match.minutes_left import likely, minutes_left
from tests.bench.arena import PAGE, title
from tests.bench.house_figures import LATER
from tests.bench.house_matches import GROUP, Figure, Played, kept, play_missing, times

SEATS = 4
PAST = 25
"""Matches of the game that a venue has had."""
NEAR = 0.25
"""An estimate may be off by this part of the truth."""
ASKED = 0.8
"""So many estimates should be near."""
DRAWS = 12
"""Groups over whom the mean time of an answer is taken, for who knows the answers that follow."""


class Said(NamedTuple):
    """What was said at half time of a match: minutes that are left, the range, and what who knows the answers says."""

    whole: float
    left: float
    middle: float
    shown: tuple[int, int] | None
    known: float


def at_half_time(figure: Figure) -> list[Said]:
    """Return what is said in each match of a figure."""
    played, usual = kept(figure), games.find(figure.game).labels.minutes
    minutes = [times(one, Random(f"people {one.number}")) for one in played]
    lengths = [Length(one[-1], len(one)) for one in minutes]
    random, found = Random(f"past {figure}"), []
    for number, (one, when) in enumerate(zip(played, minutes, strict=True)):
        others = lengths[:number] + lengths[number + 1 :]
        half = when[-1] / 2
        entries = max(1, sum(at <= half for at in when))
        told = random.sample(others, min(PAST, len(others))), usual, entries, when[entries - 1], entries
        every, shown = likely(*told), minutes_left(*told)
        middle = every[len(every) // 2] if every else 0.0  # which is never near
        found.append(Said(when[-1], when[-1] - when[entries - 1], middle, shown, known_left(one, when, entries)))
    return found


def known_left(played: Played, when: Sequence[float], entries: int) -> float:
    """Return the minutes left to who knows which answers follow, but not how long these people will think: nobody can do better."""
    drawn = [times(played, Random(f"draw {number}")) for number in range(DRAWS)]
    before, after = (fmean(one[at] for one in drawn) for at in (entries - 1, -1))
    variance = 1.0 / entries
    weight = GROUP * GROUP / (GROUP * GROUP + variance)
    pace = exp(weight * log(when[entries - 1] / before)) if before and when[entries - 1] else 1.0
    return (after - before) * pace


def near(pairs: Sequence[tuple[float, float]]) -> float:
    """Return in what part of (estimate, truth) the first is near."""
    return sum(abs(estimate - truth) <= NEAR * truth for estimate, truth in pairs) / len(pairs)


def table() -> list[str]:
    """Return the table."""
    lines = [
        "| game | matches | length within 25 % | minutes left within 25 % | best possible | in the range | no range |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in games.names():
        least, most = games.find(name).seats
        said = at_half_time(figure) if kept(figure := Figure(name, min(max(SEATS, least), most))) else []
        if not said:
            continue
        length = near([(one.whole - one.left + one.middle, one.whole) for one in said])
        held = [(one.shown, one.left) for one in said if one.shown]
        inside = sum(low <= left <= high for (low, high), left in held)
        lines.append(
            f"| {title(name)} | {len(said)} | {length:.0%} | {near([(one.middle, one.left) for one in said]):.0%} "
            f"| {near([(one.known, one.left) for one in said]):.0%} | {inside / max(1, len(held)):.0%} | {1 - len(held) / len(said):.0%} |"
        )
    return lines


def section() -> str:
    """Return the section of the page."""
    return "\n".join([
        "", LATER, "",
        "`nice -n 15 python -m tests.bench.half_time --matches 500` wrote this section, from matches of the steady house with four seats",
        f"and people as above. The table has seen {PAST} matches of the game. The estimate is the median of the shown range. *Length*",
        "compares the estimate with the whole match. *Minutes left* compares it with the second half only: the same error in minutes,",
        "twice the error in percent. The next column is the best possible estimate under these assumptions: one that knows which",
        "answers are still to come, but not how long people will take for each. In the short games, that alone is wrong by more than",
        "a quarter of the second half in more than one case of five. In Bidness and The Big Idea, more could be known in principle. But",
        "in Bidness, neither the round nor the fewest IOUs of any player says how many answers follow (60 matches, correlation with",
        "the length at mid-match 0.0).", "",
        *table(), "",
    ])  # fmt: skip


def main() -> None:
    """Play what is missing, print the table, and put it into the page."""
    parser = ArgumentParser(prog="python -m tests.bench.half_time", description=__doc__)
    parser.add_argument("--matches", type=int, default=500, metavar="N", help="matches of each game, with those kept")
    args = parser.parse_args()
    found = [(name, games.find(name).seats) for name in games.names()]
    play_missing([Figure(name, min(max(SEATS, least), most)) for name, (least, most) in found], args.matches)
    text = section()
    print(text)
    PAGE.write_text(PAGE.read_text("utf-8").partition(f"\n{LATER}")[0] + text, "utf-8")


if __name__ == "__main__":
    main()
