"""I Bid You Not with printed cards: what is offered to a hand of which one card has not been seen yet can be done."""

from __future__ import annotations

from typing import Any

from hub import games
from hub.engine.decision import Choose, OneOf
from hub.engine.match import Match
from hub.engine.printed import OPTION
from hub.games import i_bid_you_not as ib

UNSEEN = [-5, 31, 43, 51]  # one is of seat 1, the others of seat 2


def table(offer: list[int], known: int) -> Any:
    """A table at which that offer lies; seat 1 holds a known card, and one that nobody has seen."""
    match = Match(games.find("i-bid-you-not"), (1, 2, 3), {OPTION: True, "odd_inventions": True, "first": 1})
    s = match.state
    deck = {card.card: card for card in ib.deck_of(s.setup.data, ib.sets(s.setup.options))}
    s.table.offer, s.table.placed = [deck[number] for number in offer], list(offer)
    s.table.discards[:] = sorted(deck.keys() - {*offer, known, *UNSEEN})
    for seat, unseen in {1: 1, 2: len(UNSEEN) - 1, 3: 0}.items():
        s.seats[seat].unseen = unseen
    s.seats[1].hand.value[:] = [deck[known]]
    return s


def test_an_only_unseen_card_is_added_first_where_a_known_one_may_follow() -> None:
    s = table([-26, -23], 2)  # -23: two cards are added
    (move,) = ib.add_moves(s, 1, ib.row_of(s))
    first = move.params["card"]
    assert isinstance(first, OneOf)
    assert 31 not in first.values
    for number in first.values:
        now = table([-26, -23], 2)
        assert isinstance(number, int)
        ib.put_last(now, 1, number)
        assert ib.fitting_cards(now, 1, ib.row_of(now))


def test_two_of_the_hand_are_bid_where_the_known_one_may_be_bid_only_if_none_may() -> None:
    s = table([-19, -9, 5], -26)  # -19: two cards are bid
    for move in ib.bid_moves(s, 1, ib.row_of(s)):
        cards = move.params["cards"]
        assert isinstance(cards, OneOf | Choose)
        assert cards.accepts(move.first()["cards"])
