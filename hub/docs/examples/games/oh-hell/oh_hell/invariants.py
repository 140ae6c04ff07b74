"""What is true of Oh Hell whenever people are asked: no card is lost or in two places, and tricks and points add up."""

from __future__ import annotations

from hub.engine.match import Match

EXACT = 10


def check(match: Match) -> None:
    """Check a match after an action that leaves people, or nobody, to be asked."""
    middle, seats, options = match.state.table, match.state.seats, match.setup.options
    players, taken = len(seats), sum(player.tricks for player in seats.values())
    hands = [card for player in seats.values() for card in player.hand.value]
    trick = [] if match.state.phase == "bid" else [one.card for one in middle.trick]
    known = [*hands, *middle.deck.cards, middle.trump_card, *trick]
    assert len(known) == len(set(known)), "no card is in two places"
    assert set(known) <= set(match.setup.data["cards"])
    open_trick = len(trick) % players
    assert len(hands) + open_trick + taken * players == middle.cards * players, "each trick is a card of each hand"
    assert len(middle.deck.cards) == len(match.setup.data["cards"]) - middle.cards * players - 1
    sizes = [len(player.hand.value) for player in seats.values()]
    assert max(sizes) - min(sizes) <= 1
    for player in seats.values():
        assert player.bid is None or 0 <= player.bid <= middle.cards
        if options["score"] == "exact":
            assert player.points == 0 or player.points >= EXACT
    bids = [player.bid for player in seats.values() if player.bid is not None]
    assert middle.total == sum(bids)
    if match.state.phase != "bid":
        assert len(bids) == players
        assert not options["hook"] or middle.total != middle.cards, "somebody must fail"
    if match.over:
        assert not middle.coming
        assert not hands
