"""What matches of the steady house tell of the games: how long they take, how fair the seats are, what the house lists are worth.

`nice -n 15 python -m tests.bench.house_figures --matches 500` plays what is missing of each figure and writes the section
"What the house tells us" of `hub/docs/house.md`. It may be stopped and run again at any time.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from statistics import fmean, median, quantiles

from hub import games
from hub.authoring.arena import wilson
from hub.store.history import chi_square_tail
from tests.bench.arena import PAGE, TOLD, title
from tests.bench.house_matches import GROUP, SECONDS, THOUGHT, Card, Figure, figures, kept, minutes, play_missing

LATER = "### Minutes left, at half time"
"""The heading that follows, where `tests.bench.half_time` writes."""
LEVEL = 0.01
"""A test that finds less than this calls seats uneven: with some fifty figures, one in two runs of them would err."""
NEVER, ALWAYS = 0.05, 0.98
"""A card that is taken less, or more, of the times that it is to be had is no choice."""
SWINGS = 1.5
"""A card whose takers win so many times their part, or whose part is so many times theirs, decides matches."""


def fairness(figure: Figure) -> tuple[list[float], float]:
    """Return the wins of each seat, and how likely equal seats differ so much (chi-square test)."""
    played = kept(figure)
    won = [sum(one.wins.get(seat, 0.0) for one in played) for seat in range(1, figure.seats + 1)]
    fair = len(played) / figure.seats
    return won, chi_square_tail(sum((part - fair) ** 2 / fair for part in won), figure.seats - 1)


def share(won: float, of: int) -> str:
    """Return a share in per cent with its 95 % interval."""
    low, high = wilson(won, of)
    return f"{100 * won / of:.0f} ({100 * low:.0f}–{100 * high:.0f})"


def verdict(won: Sequence[float], of: int, chance: float) -> str:
    """Return in words whether seats are even."""
    if chance >= LEVEL:
        return "even"
    fair = of / len(won)
    seat = max(range(len(won)), key=lambda at: (round(abs(won[at] - fair), 6), won[at]))
    return f"seat {seat + 1} wins {'more' if won[seat] > fair else 'less'} than its part (p {max(chance, 0.0001):.4f})"


def lengths(chosen: Sequence[Figure]) -> list[str]:
    """Return the table of length and fairness."""
    lines = [
        "| game | rules | seats | matches | rounds | answers | minutes | 90th percentile | wins of each seat, % | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for figure in sorted(chosen, key=lambda one: (one.game, one.kind, one.seats)):
        played = kept(figure)
        if not played:
            continue
        took = [minutes(one) for one in played]
        won, chance = fairness(figure)
        lines.append(
            f"| {title(figure.game)} | {figure.kind or 'usual'} | {figure.seats} | {len(played)} "
            f"| {median(len(one.rounds) for one in played):.0f} | {median(one.answers for one in played):.0f} "
            f"| {median(took):.0f} | {quantiles(took, n=10)[8]:.0f} "
            f"| {' · '.join(share(part, len(played)) for part in won)} | {verdict(won, len(played), chance)} |"
        )
    return lines


class Tally:
    """A card over all figures: `expected` are the wins of its takers if it changed nothing."""

    def __init__(self) -> None:
        self.had = self.taken = 0
        self.takers = self.won = self.expected = 0.0

    def add(self, card: Card, fair: float) -> None:
        """Count a match."""
        self.had, self.taken = self.had + card.had, self.taken + card.taken
        self.takers, self.won, self.expected = (
            self.takers + card.takers,
            self.won + card.won,
            self.expected + card.takers * fair,
        )

    @property
    def times(self) -> tuple[float, float, float]:
        """Return how many times their part its takers win, with the 95 % interval."""
        low, high = wilson(self.won, max(1, round(self.takers)))
        part = max(self.expected / max(1.0, self.takers), 1e-9)
        return self.won / max(self.expected, 1e-9), low / part, high / part

    def flaws(self) -> str:
        """Return what is plainly off with the card; "" where nothing is."""
        found = []
        rate = self.taken / self.had
        if rate < NEVER:
            found.append("hardly ever taken")
        _, low, high = self.times
        if low > SWINGS:
            found.append("its takers win far more than their part")
        if self.taken and high < 1 / SWINGS:
            found.append("its takers win far less than their part")
        return ", ".join(found)


def tallies(game: str, kind: str = "") -> dict[str, Tally]:
    """Return what became of each card of a game, over all numbers of seats."""
    found: dict[str, Tally] = {}
    least, most = games.find(game).seats
    for seats in range(least, most + 1):
        played = kept(Figure(game, seats, kind))
        every = [card for one in played for card in one.cards.values()]
        fair = 1 / seats
        if game == "bid-it":  # a hand is won by not being the one that loses a Deal card
            fair = sum(card.won for card in every) / max(1.0, sum(card.takers for card in every))
        for one in played:
            for name, card in one.cards.items():
                found.setdefault(name, Tally()).add(card, fair)
    return found


def cards(game: str, kind: str = "") -> list[str]:
    """Return the table of a game's list."""
    lines = [
        "| card | available | taken | wins of its takers, times their fair share | unbalanced |",
        "| --- | --- | --- | --- | --- |",
    ]
    known = games.find(game).data.get("cards", {})
    for name, tally in sorted(tallies(game, kind).items(), key=lambda one: -one[1].times[0]):
        called = known.get(name, {}).get("name", name)
        if called.startswith("Spot") and not tally.taken:
            continue  # a Spot without an ability cannot be taken
        lines.append(
            f"| {called} | {tally.had} | {tally.taken / tally.had:.0%} | {interval(tally)} | {tally.flaws()} |"
        )
    return lines


BEFORE = {
    "MB1": (15, "7%", "0.33 (0.23–0.46)"),
    "MB2": (30, "89%", "0.92 (0.85–1.00)"),
    "TEC4": (25, "60%", "0.44 (0.38–0.50)"),
    "TEC6": (40, "72%", "0.48 (0.39–0.58)"),
}
"""Cards of Bidness as they were until 2026-11-23: the cost, how often they were played, what their takers won; 2500 matches."""


def mended() -> list[str]:
    """Return the table of the cards that cost less now."""
    lines = [
        "| card | earlier cost | taken | takers win | cost now | taken | takers win |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    found, known = tallies("bidness"), games.find("bidness").data["cards"]
    for name, (cost, taken, wins) in BEFORE.items():
        if name in found:
            lines.append(
                f"| {known[name]['name']} | ${cost} | {taken} | {wins} | ${known[name]['cost']} "
                f"| {found[name].taken / found[name].had:.0%} | {interval(found[name])} |"
            )
    return lines


def interval(tally: Tally) -> str:
    """Return how many times their part takers win, with its 95 % interval; a dash where nobody took it."""
    times, low, high = tally.times
    return f"{times:.2f} ({low:.2f}–{high:.2f})" if tally.taken else "–"


def ranks() -> str:
    """Return how even the cards of The Big Idea are, in a sentence: their words change nothing, so they should be."""
    found = tallies("big-idea")
    times = [one.times[0] for one in found.values()]
    takes = {rank: fmean(one.taken / one.had for name, one in found.items() if name.startswith(rank)) for rank in "ID"}
    return (
        f"The words on its {len(found)} cards change nothing, and the figures agree: players who launched a card win between "
        f"{min(times):.2f} and {max(times):.2f} times their fair share. Of the Items played, {takes['I']:.0%} are launched; "
        f"of the Descriptions, {takes['D']:.0%}. The rest are discarded."
    )


def section(chosen: Sequence[Figure]) -> str:
    """Return the section of the page."""
    have = [kept(figure) for figure in chosen]
    pace = ", ".join(f"{seconds:.0f} s for {kind}" for kind, seconds in
                     (("an answer", SECONDS["ask"]), ("a sealed choice", SECONDS["sealed"]), ("a roll", SECONDS["roll"])))  # fmt: skip
    return "\n".join([
        "", TOLD, "",
        "`nice -n 15 python -m tests.bench.house_figures --matches 500` wrote this section. The steady house plays all seats, so the",
        f"figures say nothing about people, who bluff, talk and err. There were {sum(map(len, have))} matches. Minutes assume that",
        f"people take {pace} on average (standard deviation of the logarithm: {THOUGHT} for one",
        f"answer, {GROUP} for the pace of a group). In a sealed choice, all think at the same time. Intervals are 95 % (Wilson).",
        f"Seats are called uneven if a chi-square test gives less than {LEVEL:.0%}.", "",
        *lengths(chosen), "",
        "### The house lists", "",
        "A card is *unbalanced* if it is taken in less than one of twenty cases, or if its takers win (beyond doubt)",
        f"{SWINGS} times their fair share, or less by the same factor. Good players take good cards, so a little over 1 is normal.", "",
        "#### Bidness: the deck of events", "",
        "*Taken* means played, not sold or discarded. By its own rules, the steady house never plays Bad Press, the Legal Intern or",
        "the lawyers' Headhunting, so its matches say nothing about these. Engineers, and the cards that hire them away, win too",
        "little: a match of the house ends in three or four rounds, before their tech points pay. Their salary is printed.", "",
        *cards("bidness"), "",
        "We fixed the costs of the unbalanced cards, and of the larger Campaign together with the smaller one.", "", *mended(), "",
        "#### Bid & Bait!: Fish and Spots", "",
        "A complete set wins the match, so every Fish is above 1. It only matters that all six are alike. Spots 9 and 10 are seldom",
        "taken, because most matches are over by then. Players who take one are still in the match. Both are printed, so we keep them.", "",
        *cards("bid-and-bait"), "",
        "With advanced sides:", "", *cards("bid-and-bait", "advanced sides"), "",
        "#### BID★IT!: the deck", "",
        "A card counts when the hand that holds it is shown. A win means that its player loses no Deal card then.", "",
        *cards("bid-it"), "",
        "#### The Big Idea: the cards", "", ranks(), "",
    ])  # fmt: skip


def main() -> None:
    """Play what is missing, and write the section."""
    parser = ArgumentParser(prog="python -m tests.bench.house_figures", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="play only these games")
    parser.add_argument("--matches", type=int, default=500, metavar="N", help="matches of each figure, with those kept")
    parser.add_argument("--again", action="store_true", help="play the matches of these games again")
    args = parser.parse_args()
    play_missing(figures(args.games or games.names()), args.matches, again=args.again)
    write(section(figures(games.names())))


def write(text: str) -> None:
    """Put the section into the page, in place of the one before; what stands below it stays."""
    above, _, below = PAGE.read_text("utf-8").partition(f"\n{TOLD}")
    _, later, rest = below.partition(f"\n{LATER}")
    PAGE.write_text(above + text + later + rest, "utf-8")


if __name__ == "__main__":
    main()
