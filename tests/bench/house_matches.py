"""Matches of the steady house with itself, kept as lines of JSON in `build/house-matches/`: what two commands reckon with.

Match number so-and-so of a figure is always the same match; what is there is not played again. A change of a rulebook or of
a house player asks for `--again`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hub import games
from hub.authoring.players import LONGEST
from hub.chance import Chance
from hub.engine.decision import CHANCE
from hub.engine.event import Event
from hub.engine.house_player import play, sight_of
from hub.engine.match import Match

FOLDER = Path(__file__).parents[2] / "build/house-matches"
MAIN: dict[str, tuple[str, Mapping[str, Any]]] = {
    "bid-and-bait": ("advanced sides", {"sides": "advanced"}),
    "bid-it": ("all advanced rules", {"advanced": True}),
    "bidness": ("no Licence Deals", {"tech_cards": False}),
    "big-idea": ("large products", {"large_products": True}),
    "i-bid-you-not": ("no actions", {"actions": False}),
}
"""The option of a game that is most often asked for, beside the usual rules."""

# --- how long people take --------------------------------------------------------------------------------

SECONDS = {"ask": 18.0, "sealed": 25.0, "roll": 12.0}
"""Mean seconds of a person for a decision. In a sealed choice all think at once, and the slowest counts."""
THOUGHT = 0.8
"""Spread of one decision, as that of the logarithm: most are quick, some are thought about."""
GROUP = 0.3
"""Spread of the pace of one group of people, in the same way."""


class Figure(Struct, frozen=True):
    """A game, the people's seats, and the name of what is played: "" for the usual rules."""

    game: str
    seats: int
    kind: str = ""

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options of the match."""
        return MAIN[self.game][1] if self.kind else {}

    @property
    def file(self) -> Path:
        """Return where the matches are kept."""
        return FOLDER / f"{self.game}-{self.seats}{'-option' if self.kind else ''}.jsonl"


class Card(Struct, array_like=True):
    """What happened to a card, or another item of a list: how often it was to be had, taken, and by whom."""

    had: int = 0
    taken: int = 0
    takers: float = 0.0
    """Seats that took it at least once."""
    won: float = 0.0
    """Parts of wins of these seats."""


class Played(Struct):
    """One match.

    `entries` has a letter for each entry of the log: `c` chance, `a` asked, `r` rolled, `s` a lock in a sealed choice and
    `S` its last. `rounds` are the numbers of entries at which a round began.
    """

    number: int
    entries: str
    rounds: list[int]
    wins: dict[int, float]
    cards: dict[str, Card]

    @property
    def answers(self) -> int:
        """Return how many answers people gave."""
        return len(self.entries) - self.entries.count("c")


def play_match(figure: Figure, number: int) -> Played:
    """Play one match."""
    seed = f"{figure.game} {figure.seats} {figure.kind} {number}"
    random, chance = Random(seed), Chance(seed)
    match = Match(games.find(figure.game), range(1, figure.seats + 1), figure.options)
    letters: list[str] = []
    rounds: list[int] = []
    last = -1

    def note() -> None:
        nonlocal last
        letters.extend("c" for _ in range(len(match.log) - len(letters)))
        if match.state.round != last:
            last = match.state.round
            rounds.append(len(letters))

    chance.settle(match)
    note()
    while match.open:
        decision = match.open
        seat = next(seat for seat in match.state.seats if sight_of(match, seat))
        action = play(match, seat, "steady", random)
        assert action is not None
        match.act(action)
        if decision.kind == "sealed":
            letters.append("s" if match.open is decision else "S")
        else:
            letters.append("r" if action.seat == CHANCE else "a")
        chance.settle(match)
        note()
        assert len(match.log) < LONGEST, f"{seed} does not end"
    assert match.over
    wins = {seat: 1 / len(match.over.winners) for seat in match.over.winners}
    return Played(number, "".join(letters), rounds, wins, cards_of(match, wins))


def times(played: Played, random: Random) -> list[float]:
    """Return the minute of each entry, as one group of people would have played the match."""
    pace, now = random.lognormvariate(-GROUP * GROUP / 2, GROUP) / 60, 0.0
    found: list[float] = []

    def thought(kind: str) -> float:
        return pace * SECONDS[kind] * random.lognormvariate(-THOUGHT * THOUGHT / 2, THOUGHT)

    locks: list[float] = []
    for letter in played.entries:
        match letter:
            case "s":
                locks.append(thought("sealed"))
                found.append(now)
                continue
            case "S":
                locks.append(thought("sealed"))
                ordered = sorted(locks)
                start = len(found) - len(locks) + 1
                found[start:] = [now + one for one in ordered]
                now, locks = found[-1], []
                continue
            case "a":
                now += thought("ask")
            case "r":
                now += thought("roll")
        found.append(now)
    return found


def minutes(played: Played) -> float:
    """Return the minutes of a match, by a group of people that is the same for the same number."""
    return times(played, Random(f"people {played.number}"))[-1]


# --- what became of each card of a house list --------------------------------------------------------------


def cards_of(match: Match, wins: Mapping[int, float]) -> dict[str, Card]:
    """Return what became of each item of the game's house list."""
    found: dict[str, Card] = {}
    takers: dict[str, set[int]] = {}

    def had(name: str) -> Card:
        card = found.setdefault(name, Card())
        card.had += 1
        return card

    def took(name: str, seat: int, card: Card | None = None) -> None:
        (card or had(name)).taken += 1
        takers.setdefault(name, set()).add(seat)

    match match.game.name:
        case "bidness":
            for entry in match.log:
                if entry.move in ("play", "sell", "discard"):
                    card = had(entry.args["card"])
                    if entry.move == "play":
                        took(entry.args["card"], entry.seat, card)
        case "bid-and-bait":
            for number, _ in enumerate(match.state.setup.data["spots"], 1):
                found[f"Spot {number}"] = Card(had=1)
            for event in match.events:
                if event.kind == "fish":
                    took(event.data["fish"], event.data["seat"])
                elif event.kind == "spot":
                    name = f"Spot {event.data['spot']}"
                    took(name, event.data["seat"], found[name])
        case "big-idea":
            for entry in match.log:
                if entry.move in ("launch", "discard"):
                    for name in (*entry.args["cards"], *([entry.args["item"]] if "item" in entry.args else [])):
                        card = had(name)
                        if entry.move == "launch":
                            took(name, entry.seat, card)
        case "bid-it":
            return _bid_it_cards(match.events)
    for name, seats in takers.items():
        found[name].takers = len(seats)
        found[name].won = sum(wins.get(seat, 0.0) for seat in seats)
    return found


def _bid_it_cards(events: Sequence[Event]) -> dict[str, Card]:
    """Return for each face how often a hand with it was shown, and how often its seat lost nothing by that."""
    found: dict[str, Card] = {}
    hands: Mapping[str, list[str]] = {}
    losers: set[str] = set()

    def count() -> None:
        for seat, cards in hands.items():
            for name in set(cards):
                card = found.setdefault(name, Card())
                card.had, card.taken = card.had + 1, card.taken + 1
                card.takers, card.won = card.takers + 1, card.won + (seat not in losers)

    for event in events:
        if event.kind == "showdown":
            count()
            hands, losers = event.data["hands"], set()
        elif event.kind == "loss":
            losers.add(f"{event.data['seat']}")
    count()
    return found


# --- the matches that are kept ---------------------------------------------------------------------------


def figures(chosen: Sequence[str], kinds: Sequence[str] = ("", "option")) -> list[Figure]:
    """Return what there is to play: each game with each number of seats by the usual rules, then with its main option."""
    found = []
    for kind in kinds:
        for name in chosen:
            least, most = games.find(name).seats
            title = MAIN[name][0] if kind and name in MAIN else ""
            if title or not kind:
                found += [Figure(name, count, title) for count in range(least, most + 1)]
    return found


@cache
def kept(figure: Figure) -> list[Played]:
    """Return the matches of a figure that were played so far, in their order."""
    lines = figure.file.read_bytes().splitlines() if figure.file.exists() else []
    return [msgspec.json.decode(line, type=Played) for line in lines]


def play_missing(figures: Sequence[Figure], matches: int, *, again: bool = False) -> None:
    """Play what is missing of each figure, with a progress bar. It may be stopped at any time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if again:
        for figure in figures:
            figure.file.unlink(missing_ok=True)
    kept.cache_clear()
    have = {figure: len(kept(figure)) for figure in figures}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns) as progress:
        task = progress.add_task("", total=sum(max(0, matches - count) for count in have.values()))
        for figure, count in have.items():
            progress.update(task, description=f"{figure.game} {figure.seats} {figure.kind}")
            with figure.file.open("ab") as file:
                for number in range(count, matches):
                    file.write(msgspec.json.encode(play_match(figure, number)) + b"\n")
                    file.flush()
                    progress.advance(task)
    kept.cache_clear()
