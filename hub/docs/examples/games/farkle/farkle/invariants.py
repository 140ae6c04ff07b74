"""What is true of Farkle whenever people are asked: six dice, and every point is one that dice have scored."""

from __future__ import annotations

from hub.engine.match import Match


def check(match: Match) -> None:
    """Check this after every action that leaves people, or nobody, to be asked."""
    tray, seats, options = match.state.table, match.state.seats, match.setup.options
    assert tray.points >= 0
    assert tray.points % 50 == 0
    for player in seats.values():
        assert player.points % 50 == 0
        assert player.points == 0 or player.points >= options["entry"], "the first points are enough"
    reached = [seat for seat, player in seats.items() if player.points >= tray.target]
    assert (tray.last in reached) if reached else tray.last is None
    if match.over:
        assert tray.last is not None, "a match ends only with the last round"
        assert tray.points == 0
        assert not tray.rolled
        assert not tray.aside
        return
    assert tray.turn in seats
    assert tray.turn != tray.last, "who starts the last round has no turn in it"
    assert 1 <= tray.dice <= 6
    assert tray.dice + len(tray.aside) == 6, "no die is lost"
    if match.state.phase == "keep":
        assert len(tray.rolled) == tray.dice
        assert len(tray.choices) > 1, "nobody is asked without a choice"
        assert len({choice.id for choice in tray.choices}) == len(tray.choices)
        for choice in tray.choices:
            assert choice.points > 0
            assert all(choice.faces.count(face) <= tray.rolled.count(face) for face in choice.faces)
    else:
        assert not tray.rolled
        assert not tray.choices
        assert tray.points or not tray.aside
