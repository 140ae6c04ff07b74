"""What is true of BID*IT! whenever people are asked: no card is lost, and nobody plays on without a Deal card."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hub.engine.match import Match
from hub.engine.printed import UNKNOWN, is_printed
from hub.games.bid_it import covered, deck_of, living, parties


def check(match: Match) -> None:
    """Called after every action that leaves people, or nobody, to be asked."""
    s, t = match.state, match.state.table
    options, seats = s.setup.options, s.seats
    cards = Counter(t.deck.cards + t.discards)
    for player in seats.values():
        cards.update(player.hand.value)
        assert len(covered(player)) + len(player.exposed) == player.hand_size, "exposed cards are part of the hand"
        assert 0 <= player.deal_cards <= t.hand
        assert not (player.out and player.hand_size)
    if is_printed(s.setup):
        assert set(cards) <= {UNKNOWN}, "people hold the printed cards, and the hub knows none"
        assert not t.deck.cards
        assert not t.discards
    else:
        assert cards == Counter(deck_of(s.setup.data)), "every card is in one place"
    assert t.deck.cards or not t.discards or s.phase in ("give", "over"), "a used-up deck is made anew at once"
    assert t.stake in (1, 2, 3)
    assert living(s), "whoever wins a showdown loses no card"
    if match.over:
        assert match.over.winners
        assert options["match"] or set(match.over.winners) == set(living(s))
        return
    if s.phase in ("first", "again", "bid", "drawn", "called", "sides", "count"):
        assert len(parties(s)) > 1
        assert not seats[t.first].out
        due = {seat: t.hand if seats[seat].last_chance else seats[seat].deal_cards for seat in living(s)}
        assert {seat: seats[seat].hand_size for seat in living(s)} == due, "a hand is as large as it was dealt"
    sums = [(bid.quantity, bid.rank) for bid in (*t.former, *([t.bid] if t.bid else []))]
    assert all(low < high for low, high in pairwise(sums)), "nobody bids the same twice, whoever it is"
    if t.bid is None:
        assert (t.call, t.caller, t.stake, t.passed) == (None, None, 1, [])
    elif t.call is not None:
        assert t.caller != t.bid.seat
        if t.stake > 1 and options["teams"] == "none":
            assert min(seats[t.caller].deal_cards, seats[t.bid.seat].deal_cards) > t.stake or s.phase == "give", (
                "no stake eliminates"
            )
    points = [player.points for player in seats.values()]
    assert options["match"] or not any(points)
