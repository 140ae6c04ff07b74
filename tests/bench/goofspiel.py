"""Goofspiel, a sealed bid as short as can be: what our engine and its peers both play (`peers/goofspiel.js`).

Everybody holds the cards 1 to 13. Each round a prize of 1 to 13 lies open, all bid a card in secret, and the highest
takes it; of several highest nobody does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TypeAlias, cast

from hub.engine.decision import OneOf, Won, ask_all, offer, shuffle, tell
from hub.engine.event import Setup, State
from hub.engine.game import Game, Rulebook
from hub.engine.secret import Pile, Secret

CARDS = 13


@dataclass(slots=True)
class Bidder:
    """A player."""

    hand: Secret[list[int]]
    bid: Secret[int] | None = None
    locked: bool = False
    score: int = 0

    @property
    def held(self) -> int:
        """How many cards are held."""
        return len(self.hand.value)


@dataclass(slots=True)
class Prizes:
    """The middle of the table."""

    pile: Pile[int]
    prize: int | None = None
    revealed: list[int] = field(default_factory=list)


Table: TypeAlias = State[Bidder, Prizes]


def deal(setup: Setup) -> Table:
    """Everybody holds every card."""
    seats = {seat: Bidder(Secret(list(range(1, CARDS + 1)), (seat,))) for seat in setup.seats}
    return Table(setup, seats, Prizes(Pile([])), 0, "bid")


async def play(s: Table) -> None:
    """One prize after another."""
    t = s.table
    t.pile.cards = await shuffle(s, list(range(1, CARDS + 1)), "prizes")
    while t.pile.cards:
        s.round += 1
        t.prize = t.pile.cards.pop(0)
        offers = {seat: [offer("bid", card=OneOf(list(bidder.hand.value)))] for seat, bidder in s.seats.items()}
        answers = await ask_all(s, offers, "Bid a card for the prize.", into="bid")
        bids = {seat: answer["card"] for seat, answer in answers.items()}
        for seat, bidder in s.seats.items():
            bidder.hand.value.remove(bids[seat])
            bidder.bid = None
        t.revealed = list(bids.values())
        takers = [seat for seat, card in bids.items() if card == max(t.revealed)]
        if len(takers) == 1:
            s.seats[takers[0]].score += t.prize
            tell(s, f"Seat {takers[0]} takes {t.prize}.", kind="prize", seat=takers[0], prize=t.prize)
        else:
            tell(s, f"Nobody takes {t.prize}.", kind="tie", prize=t.prize)
    scores = {seat: bidder.score for seat, bidder in s.seats.items()}
    best = max(scores.values())
    raise Won([seat for seat, score in scores.items() if score == best], scores, f"The most is {best}.")


RULEBOOK = SimpleNamespace(deal=deal, play=play, explain=lambda s, action: None)
GOOFSPIEL = Game("goofspiel", "Goofspiel", (4, 6), 1, "0" * 16, {}, ["prizes"], {}, {}, cast(Rulebook, RULEBOOK))
