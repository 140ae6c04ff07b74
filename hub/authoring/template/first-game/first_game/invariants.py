"""What is true of First Game whenever people are asked: no coin and no card is lost."""

from __future__ import annotations

from hub.engine.match import Match


def check(match: Match) -> None:
    """Raise AssertionError if something does not hold."""
    table, bidders = match.state.table, match.state.seats.values()
    assert all(bidder.coins >= 0 for bidder in bidders), "nobody pays more than all coins"
    assert sum(bidder.points for bidder in bidders) + sum(table.pile.cards) + (table.card or 0) <= 36
    assert match.state.round + len(table.pile.cards) == 8, "each round takes a card"
