"""What is true of Spoof whenever people are asked: fists hold few coins, no number is called twice, and points add up."""

from __future__ import annotations

from hub.engine.match import Match


def check(match: Match) -> None:
    """Raise AssertionError if something does not hold."""
    table, seats, options = match.state.table, match.state.seats, match.setup.options
    playing = [seat for seat, player in seats.items() if not player.safe]
    fewest = 1 if options["first_not_empty"] and match.state.round == 1 else 0
    gone = len(seats) - len(playing)
    given = sum(range(len(playing), len(seats)))
    assert sum(player.points for player in seats.values()) == given, "each safe player left fewer players behind"
    assert all(player.points > 0 for player in seats.values() if player.safe)
    assert len({player.points for player in seats.values() if player.safe}) == gone
    assert len(set(table.called)) == len(table.calls), "no number is called twice"
    if match.over:
        assert len(playing) == 1
        assert seats[playing[0]].points == 0
        assert match.over.winners == [max(seats, key=lambda seat: seats[seat].points)]
        return
    assert len(playing) > 1
    assert all(player.hits < options["final"] for player in seats.values())
    assert len(playing) == 2 or not any(player.hits for player in seats.values()), "the final is for the last two"
    for seat, player in seats.items():
        if player.fist:
            assert player.fist.seen_by == (seat,)
            assert fewest <= player.fist.value <= options["coins"]
            assert not player.safe, "safe players hide nothing"
    if match.state.phase == "call":
        assert all(seats[seat].fist for seat in playing)
        assert sorted(table.order) == playing
        assert [call.seat for call in table.calls] == table.order[: len(table.calls)], "all call once, in order"
        assert table.turn == table.order[len(table.calls)]
        assert table.total is None
        assert not any(call.right for call in table.calls)
        if options["no_bluffing"]:
            rest = len(playing) - 1
            for call in table.calls:
                fist = seats[call.seat].fist.value
                assert fist + rest * fewest <= call.number <= fist + rest * options["coins"]
    elif table.calls:
        opened = [player.opened for player in seats.values() if player.opened is not None]
        assert table.total == sum(opened)
        assert sum(call.right for call in table.calls) <= 1
        assert all(call.right == (call.number == table.total) for call in table.calls)
