"""How well the house plays: many matches, a strength against random play and against another strength.

`nice -n 15 python -m tests.bench.arena --matches 1000` plays what is missing of each figure, keeps the counts in
`tests/bench/arena.csv`, and writes them as `hub/docs/house.md` with its picture. It may be stopped and run again at any
time: match number so-and-so of a figure is always the same match.
"""

from __future__ import annotations

import csv
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from html import escape
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hub import games
from hub.authoring import arena
from hub.authoring.arena import Figure, Played, wilson
from tests.bench.exploiters import EXPLOITERS, RuleOfThumb

ROOT = Path(__file__).parents[2]
COUNTS = Path(__file__).with_name("arena.csv")
PAGE = ROOT / "hub/docs/house.md"
PICTURE = ROOT / "hub/docs/house.svg"
TOLD = "## What the house tells us"
"""The heading below which `tests.bench.house_figures` writes; what stands there is left alone."""
PAIRS = (
    ("steady", "steady"), ("sharp", "sharp"), ("easy", "random"), ("steady", "random"), ("sharp", "random"), ("steady", "easy"), ("sharp", "steady"),
)  # fmt: skip
"""Who is alone, and who sits at all other seats. Steady among steady tells how fair and how long a game is."""
FIELDS = ("steady", "sharp")
"""Among whom each rule of thumb is tried."""
ALLOWED = 0.05
"""By how much a rule of thumb may win more than its part."""
CHUNK = 10


def play_match(figure: Figure, number: int) -> Played:
    """Play one match, with a rule of thumb as one of the players if the figure names it; the same number is the same match."""
    return arena.play_match(
        figure, number, {name: RuleOfThumb(rule) for name, rule in EXPLOITERS.get(figure.game, {}).items()}
    )


def play_some(figure: Figure, numbers: range) -> list[Played]:
    """Play several matches: what a process is given at once."""
    return [play_match(figure, number) for number in numbers]


class Counts(NamedTuple):
    """What is kept of a figure, as a line of the file of counts."""

    matches: int
    won: float
    by_seat: tuple[float, ...]
    lengths: tuple[int, ...]
    slowest: float
    mean: float

    def more(self, played: list[Played], seats: int) -> Counts:
        """Return the counts with more matches."""
        by_seat = list(self.by_seat or (0.0,) * seats)
        for one in played:
            for seat, part in one.wins.items():
                by_seat[seat - 1] += part
        n = self.matches + len(played)
        asked = sum(one.asked for one in played)
        mean = sum(one.total for one in played) / asked if asked else 0.0
        return Counts(
            n,
            self.won + sum(one.wins.get(one.hero, 0.0) for one in played),
            tuple(by_seat),
            (*self.lengths, *(one.answers for one in played)),
            max(self.slowest, *(one.slowest for one in played)),
            (self.mean * self.matches + mean * len(played)) / n,
        )


NOTHING = Counts(0, 0.0, (), (), 0.0, 0.0)


def load_counts() -> dict[Figure, Counts]:
    """Return what has been counted so far."""
    if not COUNTS.exists():
        return {}
    found = {}
    with COUNTS.open(newline="") as file:
        for game, seats, hero, field, matches, won, by_seat, lengths, slowest, mean in csv.reader(file):
            found[Figure(game, int(seats), hero, field)] = Counts(
                int(matches), float(won), tuple(map(float, by_seat.split())), tuple(map(int, lengths.split())),
                float(slowest), float(mean),
            )  # fmt: skip
    return found


def save_counts(counts: dict[Figure, Counts]) -> None:
    """Write the counts, each length in order, so that more matches can be added."""
    with COUNTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for figure, got in sorted(counts.items()):
            by_seat = " ".join(f"{part:.3f}" for part in got.by_seat)
            lengths = " ".join(map(str, got.lengths))
            writer.writerow(
                (*figure, got.matches, f"{got.won:.3f}", by_seat, lengths, f"{got.slowest:.1f}", f"{got.mean:.3f}")
            )


# --- The page and its picture --------------------------------------------------------------------------


OPENSPIEL = """
## Beside OpenSpiel

`nice -n 5 python -m tests.bench.openspiel` installs [OpenSpiel](https://github.com/google-deepmind/open_spiel) 2.0.2 in an
environment of its own. OpenSpiel and the sharp house play Goofspiel with two seats and `tie=discard`, each order of prizes
twice with the seats exchanged. The ratio is the house's points divided by OpenSpiel's. Its 95 % interval comes from the
pairs of matches: if the interval reaches 1, the house is not shown to be weaker. ISMCTS is OpenSpiel's search for hidden
information, in Python. Its C++ search makes 700 simulations in 20 ms here. CFR+ has solved the small game, so nobody can do
better against it than a ratio of 1.

<!-- openspiel -->
{table}
<!-- /openspiel -->
"""


def beside_openspiel(before: str) -> str:
    """Return the part of the page that `tests.bench.openspiel` fills, with the table that the page has had."""
    table = re.search(r"<!-- openspiel -->\n(.*?)\n<!-- /openspiel -->", before, re.DOTALL)
    return OPENSPIEL.format(table=table[1] if table else "")


def page(counts: dict[Figure, Counts], before: str = "") -> str:
    """Return the page: a table of strengths, and one of length and fairness; what others fill stays as it was `before`."""
    lines = [
        "# How well the house plays",
        "",
        "`nice -n 15 python -m tests.bench.arena --matches N` wrote this page. It plays the missing matches, and you may stop it.",
        f"{matches_played(counts)} Each row states its own number.",
        "One seat of a strength plays against others of another strength, and changes its seat from match to match. A shared win",
        "counts as a fraction. Intervals are 95 % (Wilson). Random play makes any offered move with any value.",
        "",
        "![Wins of one seat, as multiples of its fair share, by game, strength and opponents](house.svg)",
        "",
        "## Strengths",
        "",
        "| game | seats | one seat | the others | matches | wins | interval | fair share | mean time per decision | slowest |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    pairs = {figure: got for figure, got in counts.items() if (figure.hero, figure.field) in PAIRS}
    for figure, got in sorted(
        pairs.items(), key=lambda one: (one[0].game, PAIRS.index((one[0].hero, one[0].field)), one[0].seats)
    ):
        if figure.hero != figure.field:
            low, high = wilson(got.won, got.matches)
            lines.append(
                f"| {title(figure.game)} | {figure.seats} | {figure.hero} | {figure.field} | {got.matches} "
                f"| {got.won / got.matches:.0%} | {low:.0%} to {high:.0%} | {1 / figure.seats:.0%} "
                f"| {got.mean:.1f} ms | {got.slowest:.0f} ms |"
            )
    lines += [
        "", "## Rules of thumb", "",
        "One seat follows a rule that a guest could find within an evening (`tests/bench/exploiters.py`), and the house plays the others.",
        f"A rule may win its fair share and {100 * ALLOWED:.0f} percentage points more. Figures above that are in **bold**; brackets hold the interval.", "",
        "| game | rule | the others | matches | wins by number of seats |",
        "| --- | --- | --- | --- | --- |",
        *rules_of_thumb(counts),
        "", "## Length and fairness", "",
        "All seats have the same strength. The length of a match is the number of answers that people give, including rolls: the",
        "median and the 90th percentile. The last columns show the wins of the seats that won least and most often.", "",
        "| game | strength | seats | matches | median answers | 90th percentile | weakest seat | strongest seat | fair share |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for figure, got in sorted(pairs.items()):
        if figure.hero == figure.field:
            tenths = quantiles(got.lengths, n=10)
            ends = []
            for pick in (min, max):
                seat = got.by_seat.index(pick(got.by_seat))
                low, high = wilson(got.by_seat[seat], got.matches)
                ends.append(f"seat {seat + 1}: {got.by_seat[seat] / got.matches:.0%} ({low:.0%} to {high:.0%})")
            lines.append(
                f"| {title(figure.game)} | {figure.hero} | {figure.seats} | {got.matches} | {tenths[4]:.0f} | {tenths[8]:.0f} "
                f"| {ends[0]} | {ends[1]} | {1 / figure.seats:.0%} |"
            )
    return "\n".join(lines) + "\n" + beside_openspiel(before)


def matches_played(counts: dict[Figure, Counts]) -> str:
    """Return a sentence about how many matches the figures have: the fewest and the most."""
    played = [got.matches for got in counts.values()]
    fewest, most = min(played, default=0), max(played, default=0)
    return f"Each figure has {fewest} matches." if fewest == most else f"Each figure has {fewest} to {most} matches."


def rules_of_thumb(counts: dict[Figure, Counts]) -> list[str]:
    """Return a line for each rule of thumb and each strength of the others, with the wins for every number of seats."""
    lines = []
    for game, rules in EXPLOITERS.items():
        for rule in rules:
            for field in FIELDS:
                own = {
                    one.seats: got
                    for one, got in sorted(counts.items())
                    if (one.game, one.hero, one.field) == (game, rule, field)
                }
                if not own:
                    continue
                cells = []
                for seats, got in own.items():
                    low, high = wilson(got.won, got.matches)
                    bold = "**" if got.won / got.matches > 1 / seats + ALLOWED else ""
                    cells.append(f"{seats}: {bold}{got.won / got.matches:.0%}{bold} ({low:.0%} to {high:.0%})")
                matches = sorted({got.matches for got in own.values()})
                said = f"{matches[0]}" if len(matches) == 1 else f"{matches[0]} to {matches[-1]}"
                lines.append(f"| {title(game)} | {rule} | {field} | {said} | {' · '.join(cells)} |")
    return lines


def title(game: str) -> str:
    """Return a game's title."""
    return games.find(game).title


SCALE, LEFT, TOP, STEP, HEAD = 105, 250, 64, 19, 26
COLOURS = {"random": "#7a7a7a", "easy": "#2f66b5", "steady": "#b5562b"}


def picture(counts: dict[Figure, Counts]) -> str:
    """Return an SVG: for each figure its wins as a multiple of the fair share, with the interval as a line."""
    rows: list[tuple[str, Figure | None]] = []
    for game in games.names():
        own = [
            figure
            for figure in counts
            if figure.game == game and figure.hero != figure.field and (figure.hero, figure.field) in PAIRS
        ]
        if own:
            rows.append((title(game), None))
            order = sorted(own, key=lambda one: (PAIRS.index((one.hero, one.field)), one.seats))
            rows += [(f"{one.hero} among {one.field}, {one.seats} seats", one) for one in order]
    height, width = TOP + STEP * len(rows) + HEAD, LEFT + 6 * SCALE + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<text x="12" y="22" font-size="15" font-weight="bold">Wins of one seat, as a multiple of its fair share</text>',
    ]
    for times in range(7):
        x, dash = LEFT + SCALE * times, "" if times == 1 else ' stroke-dasharray="2 3"'
        parts.append(f'<line x1="{x}" y1="{TOP - 12}" x2="{x}" y2="{height - 12}" stroke="#999"{dash}/>')
        parts.append(f'<text x="{x}" y="{TOP - 18}" text-anchor="middle">{times}</text>')
    for place, (label, figure) in enumerate(rows):
        y = TOP + STEP * place + 4
        if figure is None:
            parts.append(f'<text x="12" y="{y + 4}" font-weight="bold">{escape(label)}</text>')
            continue
        got = counts[figure]
        low, high = (LEFT + SCALE * figure.seats * end for end in wilson(got.won, got.matches))
        dot, colour = LEFT + SCALE * figure.seats * got.won / got.matches, COLOURS[figure.field]
        parts += [
            f'<text x="24" y="{y + 4}">{label}</text>',
            f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" stroke="{colour}" stroke-width="2"/>',
            f'<circle cx="{dot:.1f}" cy="{y}" r="4" fill="{colour}"/>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


# --- The command -------------------------------------------------------------------------------------


def wanted(chosen: list[str], seats: list[int]) -> Iterator[Figure]:
    """Yield the figures that are asked for, those of few seats first."""
    for hero, field in PAIRS:
        for name in chosen:
            least, most = games.find(name).seats
            for count in range(least, most + 1):
                if not seats or count in seats:
                    yield Figure(name, count, hero, field)
    for name in chosen:
        least, most = games.find(name).seats
        for count in range(least, most + 1):
            if not seats or count in seats:
                yield from (Figure(name, count, rule, field) for rule in EXPLOITERS.get(name, {}) for field in FIELDS)


def main() -> None:
    """Play what is missing, and write counts, page and picture after each figure."""
    parser = ArgumentParser(prog="python -m tests.bench.arena", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    parser.add_argument(
        "--matches", type=int, default=1000, metavar="N", help="matches of each figure, with those kept"
    )
    parser.add_argument("--seats", type=int, nargs="*", default=[], metavar="N", help="only with so many seats")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--again", action="store_true", help="forget the counts of these games first")
    args = parser.parse_args()
    chosen = args.games or games.built_in()
    is_ours = {*chosen} <= {*games.built_in()}  # of the game of a package, the result is only printed
    counts = load_counts()
    if args.again:
        counts = {figure: got for figure, got in counts.items() if figure.game not in chosen}
    figures = [one for one in wanted(chosen, args.seats) if counts.get(one, NOTHING).matches < args.matches]
    missing = sum(args.matches - counts.get(one, NOTHING).matches for one in figures)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with ProcessPoolExecutor(args.workers) as pool, Progress(*columns) as progress:
        task = progress.add_task("", total=missing)
        for figure in figures:
            progress.update(task, description=f"{figure.game} {figure.seats}: {figure.hero} among {figure.field}")
            done = counts.get(figure, NOTHING)
            chunks = [range(at, min(at + CHUNK, args.matches)) for at in range(done.matches, args.matches, CHUNK)]
            for played in pool.map(play_some, [figure] * len(chunks), chunks):
                done = done.more(played, figure.seats)
                progress.advance(task, len(played))
            counts[figure] = done
            if is_ours:
                save_counts(counts)
    if not is_ours:
        for figure in wanted(chosen, args.seats):
            got = counts[figure]
            print(
                f"{figure.game} {figure.seats}: {figure.hero} among {figure.field} won {got.won:.0f} of {got.matches}"
            )
        return
    before = PAGE.read_text("utf-8")
    _, told, rest = before.partition(f"\n{TOLD}")
    PAGE.write_text(page(counts, before) + told + rest, "utf-8")
    PICTURE.write_text(picture(counts), "utf-8")


if __name__ == "__main__":
    main()
