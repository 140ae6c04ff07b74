"""What is true of Goofspiel whenever people are asked: all hold as many cards as there are rounds left, and points are prizes."""

from __future__ import annotations

from hub.engine.match import Match


def check(match: Match) -> None:
    """Called after every action that leaves people, or nobody, to be asked."""
    middle, seats, options = match.state.table, match.state.seats, match.setup.options
    count = options["cards"]
    assert len(middle.suit) == count
    left = 0 if match.over else count - match.state.round + 1
    for bidder in seats.values():
        assert len(bidder.hand) == len(set(bidder.hand)) == left
        assert set(bidder.hand) <= set(middle.suit)
    assert len(middle.pile.cards) == max(0, left - 1)
    assert not {*middle.pile.cards} & {*middle.prizes}, "no prize is in two places"
    all_of = count if options["points"] == "one" else count * (count + 1) // 2
    given = sum(bidder.points for bidder in seats.values())
    assert (
        given
        + middle.worth
        + sum(1 if options["points"] == "one" else middle.suit.index(one) + 1 for one in middle.pile.cards)
        <= all_of
    )
    assert match.over is None or not middle.prizes
    if options["tie"] == "carry" and not match.over:
        due = sum(1 if options["points"] == "one" else middle.suit.index(one) + 1 for one in middle.pile.cards)
        assert given + middle.worth + due == all_of, "every point is somebody's, or still to be won"
