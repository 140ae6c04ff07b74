"""What is true of I Bid You Not whenever people are asked: no card is lost or doubled, and the row is in order."""

from __future__ import annotations

from hub.engine.match import Match
from hub.engine.printed import LAY_OUT, is_printed
from hub.games.i_bid_you_not import Card, bidders, deck_of, sets, trimmed, unseen


def check(match: Match) -> None:
    """Called after every action that leaves people, or nobody, to be asked."""
    market, seats = match.state.table, match.state.seats
    cards: list[Card] = [*market.offer, *market.laid]
    for buyer in seats.values():
        cards += buyer.hand.value + buyer.pile.value
        assert [card.card for card in buyer.hand.value] == sorted(card.card for card in buyer.hand.value)
        assert all(card.by is None for card in buyer.hand.value), "nobody has added a card that is held"
    hidden = [card.card for card in unseen(match.state)] if is_printed(match.setup) else []
    numbers = sorted([card.card for card in cards] + market.discards + hidden)
    assert numbers == sorted(deck(match)), "every card of the deck is in one place"
    held = sum(buyer.unseen for buyer in seats.values())
    assert len(hidden) == held + (match.state.phase == LAY_OUT), "every card that nobody has seen is in a hand"
    assert all(buyer.unseen >= 0 for buyer in seats.values())
    assert sorted(market.placed) == sorted(card.card for card in market.offer)
    assert 0 <= market.quiet <= 3
    if match.state.phase not in ("open", "bid", "open_bid", "again", "decide", "put", "extend", "strike"):
        assert market.laid == []
    if match.state.phase == "turn" and not match.over:
        assert any(buyer.hand_size for buyer in seats.values()), "the game ends when all hands are empty"
        assert bidders(match.state, market.turn or 0)
    if match.over:
        assert not any(buyer.hand_size for buyer in seats.values())
        assert match.over.scores == {seat: buyer.score for seat, buyer in seats.items()}


def deck(match: Match) -> list[int]:
    """The numbers of all cards in play: as they were shuffled, or of printed ones those of the list."""
    if is_printed(match.setup):
        options = match.setup.options
        return [card.card for card in trimmed(deck_of(match.setup.data, sets(options)), options["trim"])]
    return next(entry.args["order"] for entry in match.log if entry.move == "shuffle" and unique(entry.args["order"]))


def unique(order: list[int]) -> bool:
    """Whether this shuffle was of the deck: its numbers are there once, prices are not."""
    return len(set(order)) == len(order)
