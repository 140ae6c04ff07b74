"""What is true of Penny Lots whenever people are asked: no card and no coin is lost, and totals add up."""

from __future__ import annotations

from hub.engine.match import Match

LOT, HAND = 2, 2


def check(match: Match) -> None:
    """Raise AssertionError if something does not hold."""
    table, seats, options = match.state.table, match.state.seats, match.setup.options
    held = [card for player in seats.values() for card in (*player.hand.value, *player.cards)]
    known = sorted([*held, *table.deck.cards, *table.lot, *table.next, *table.unsold])
    assert known == sorted(match.setup.data["cards"]), "each card is in one place"
    assert all(0 <= player.coins <= options["coins"] for player in seats.values()), "nobody pays more than all coins"
    sold = len(held) - HAND * len(seats)
    assert sum(player.lots for player in seats.values()) * LOT == sold, "each buyer has both cards of each lot"
    if match.over:
        assert sold + len(table.unsold) == LOT * options["lots"], "every lot is sold, or nobody wanted it"
        assert all(not player.hand.value for player in seats.values())
        return
    if match.state.phase == "auction":
        assert sold + len(table.unsold) + len(table.lot) + LOT * table.left == LOT * options["lots"]
        assert len(table.lot) == LOT
        assert (table.bidder is None) == (table.bid == 0)
        assert table.bidder is None or table.bidder in table.inside
        assert table.bidder is None or seats[table.bidder].coins >= table.bid, "the highest bid can be paid"
        assert table.turn in table.inside
        assert table.turn != table.bidder, "nobody bids against oneself"
