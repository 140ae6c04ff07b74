"""What is true of The Big Idea whenever people are asked: no chip, card or cent is lost, and dead products go."""

from __future__ import annotations

from hub.engine.match import Match
from hub.engine.printed import face_down, is_printed
from hub.games.big_idea import ITEM, cash_of, expected, price, rank


def check(match: Match) -> None:
    """Called after every action that leaves people, or nobody, to be asked."""
    s, t, data, options = match.state, match.state.table, match.setup.data, match.setup.options
    start = data["start"]
    chips = start["tight_chips" if options["tight_game"] else "chips"]
    for seat, investor in s.seats.items():
        assert investor.chips + sum(product.shares.get(seat, 0) for product in t.products) == chips, "no chip is lost"
        assert investor.chips >= 0
        assert cash_of(s, seat) >= 0, "there are no debts"
    cards = [*t.draw_pile.cards, *t.discards]
    for investor in s.seats.values():
        cards += investor.hand.value
    for product in t.products:
        cards += product.cards
    assert sorted(cards) == sorted(face_down(match.setup, list(data["cards"]))), "every card is in one place"

    paid = sum(cash_of(s, seat) for seat in s.seats) - start["cash"] * len(s.seats)
    assert paid == sum(
        event.data["to"] - event.data["from"] for event in match.events if event.rule == "BI-23" and "to" in event.data
    ) or (options["hidden_cash"] and paid >= 0), "money comes from Offerings only: Mezzanine is neutral"

    large, small = options["large_products"], options["small_products"]
    for product in t.products:
        assert all(shares > 0 for shares in product.shares.values())
        assert is_printed(match.setup) or [rank(s, card) == ITEM for card in product.cards] == [True] + [False] * (
            len(product.cards) - 1
        )
        assert len(product.cards) == 2 or (large and len(product.cards) > 2) or (small and len(product.cards) == 1)
        assert product.price == (None if t.turn is None else price(product, t.turn))
        assert product.worth == expected(product.count, product.pip)
        if s.phase in ("offering", "roll", "seed", "over"):
            assert product.count >= 1, "no product without a share is left when the Offering has begun"
    if s.phase in ("seed", "over"):
        items = sum(card["rank"] == ITEM for card in data["cards"].values())
        assert len(t.products) <= (
            chips * len(s.seats) if is_printed(match.setup) else min(chips * len(s.seats), items)
        )
    assert len({product.id for product in t.products}) == len(t.products) <= t.launched
    assert sorted(t.order) == sorted(s.seats)
    assert t.order[0] == t.dealer
    assert set(t.due) <= {product.id for product in t.products}
    assert s.round <= t.rounds
    if match.over:
        assert match.over.scores == {seat: cash_of(s, seat) for seat in s.seats}
        assert max(match.over.scores.values()) == match.over.scores[match.over.winners[0]]
