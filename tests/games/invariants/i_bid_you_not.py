"""What is true of I Bid You Not whenever people are asked: no card is lost or doubled, and the row is in order."""

from __future__ import annotations

from hub.engine.match import Match
from hub.games.i_bid_you_not import Card, bidders


def check(match: Match) -> None:
    """Called after every action that leaves people, or nobody, to be asked."""
    market, seats = match.state.table, match.state.seats
    cards: list[Card] = [*market.offer, *market.laid]
    for buyer in seats.values():
        cards += buyer.hand.value + buyer.pile.value
        assert [card.card for card in buyer.hand.value] == sorted(card.card for card in buyer.hand.value)
        assert all(card.by is None for card in buyer.hand.value), "nobody has added a card that is held"
    numbers = sorted([card.card for card in cards] + market.discards)
    dealt = next(entry.args["order"] for entry in match.log if entry.move == "shuffle" and unique(entry.args["order"]))
    assert numbers == sorted(dealt), "every card of the deck is in one place"
    assert sorted(market.placed) == sorted(card.card for card in market.offer)
    assert 0 <= market.quiet <= 3
    if match.state.phase not in ("open", "bid", "open_bid", "decide", "extend", "strike"):
        assert market.laid == []
    if match.state.phase == "turn" and not match.over:
        assert any(buyer.hand.value for buyer in seats.values()), "the game ends when all hands are empty"
        assert bidders(match.state, market.turn or 0)
    if match.over:
        assert not any(buyer.hand.value for buyer in seats.values())
        assert match.over.scores == {seat: buyer.score for seat, buyer in seats.items()}


def unique(order: list[int]) -> bool:
    """Whether this shuffle was of the deck: its numbers are there once, prices are not."""
    return len(set(order)) == len(order)
