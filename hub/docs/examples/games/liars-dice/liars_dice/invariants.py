"""What is true of Liar's Dice whenever people are asked: hands are as large as they look, and bids only rise."""

from __future__ import annotations

from hub.engine.match import Match


def check(match: Match) -> None:
    """Check a match after every action that leaves people, or nobody, to be asked."""
    table, seats, start = match.state.table, match.state.seats, match.setup.options["dice"]
    assert all(0 <= player.dice <= start for player in seats.values())
    living = [seat for seat, player in seats.items() if player.dice]
    if match.over:
        assert match.over.winners == living
        assert len(living) == 1
        assert not any(player.hand.value for player in seats.values()), "all dice are revealed"
        return
    assert table.in_play == sum(player.dice for player in seats.values())
    rolling = match.state.phase in ("roll", "roll_again")
    for seat, player in seats.items():
        assert player.hand.seen_by == (seat,)
        assert len(player.hand.value) == (0 if rolling and not player.locked else player.dice)
        assert set(player.hand.value) <= {1, 2, 3, 4, 5, 6}
    made = [(bid.quantity, bid.face) for bid in (*table.former, *([table.bid] if table.bid else []))]
    assert made == sorted(set(made)), "each bid is higher than the one before"
    assert not made or made[-1][0] <= table.in_play
    assert table.turn is None if rolling else table.turn in living
    assert table.bid is None or table.bid.seat != table.turn, "nobody beats or calls their own bid"
    if table.called:
        assert table.total == sum(shown.counted for shown in table.shown)
        assert all(len(shown.lit) == shown.counted for shown in table.shown)
