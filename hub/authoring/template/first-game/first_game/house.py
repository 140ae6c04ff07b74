"""The house player of First Game: it shares its coins out among the cards that are still to come, by what they are worth."""

from __future__ import annotations

from hub.engine.decision import Answer
from hub.engine.sight import Randomness, Sight, Strength
from hub.engine.text import say

STRENGTHS = ("easy", "steady", "sharp")
OFF = (1.0, 0.4, 0.2)
"""By which part of it a bid of each strength may be off, so that nobody can be sure of it."""


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Bid the card's share of the coins. More is never needed than one coin above what the richest other player has."""
    most = sight.me["coins"]
    bid = fair_price(sight) * (1.0 + OFF[STRENGTHS.index(strength)] * (chance.random() - 0.5))
    richest = max(sight.of(seat)["coins"] for seat in sight.others)
    return Answer("bid", {"coins": min(round(bid), most, richest + 1)})


def fair_price(sight: Sight) -> float:
    """Return the coins that this card is worth. A player needs about two cards in as many as there are players."""
    card, coming = sight.table["card"], sight.table["coming"]
    part = card / (card + sum(coming))
    return float(sight.me["coins"] * min(1.0, part * len(sight.seats) / 1.5))


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return what the bid follows from."""
    left = sight.table["card"] + sum(sight.table["coming"])
    return say("{card} of the {left} points that are still in the game.", card=sight.table["card"], left=left)
