"""What is true of Bid & Bait! whenever people are asked: nothing in the box is lost, and nobody plays on with a set."""

from __future__ import annotations

from collections import Counter

from hub.engine.match import Match
from hub.engine.printed import LAY_OUT, UNKNOWN, is_printed


def check(match: Match) -> None:
    """Called after every action that leaves people, or nobody, to be asked."""
    lake, seats, data = match.state.table, match.state.seats, match.setup.data
    fish = Counter(fish for spot in lake.spots for fish in spot.fish if fish)
    fish.update(lake.pile.cards + lake.discards + lake.drawn)
    for angler in seats.values():
        fish.update(angler.fish)
        fish.update([angler.secret_fish.value] if angler.secret_fish.value else [])
    every = Counter(dict.fromkeys(data["cards"], data["lake"]["copies"]))
    assert fish == (Counter({UNKNOWN: every.total()}) if is_printed(match.setup) else every), (
        "six of each are in the game"
    )
    baits = [angler.baits for angler in seats.values()]
    assert min(baits) >= 0
    if lake.supply is not None:
        assert lake.supply >= 0
        assert sum(baits) + lake.supply == match.setup.options["bait_supply"], "all Baits are in the game"
    row, held = [spot.number for spot in lake.spots], [spot for angler in seats.values() for spot in angler.spots]
    in_row = [spot.number for spot in lake.spots if not spot.taken]
    assert len(set(in_row + held + lake.deck)) == len(in_row + held + lake.deck), "no Spot is in two places"
    assert match.state.phase != LAY_OUT or is_printed(match.setup)
    assert len(row) == min(4, 11 - match.state.round), "the row shows the current Spot and up to three next ones"
    assert lake.duck in seats
    assert not seats[lake.duck].dummy
    if lake.order is not None:
        assert sorted(lake.order) == sorted(seats)
    if not match.over and not is_printed(match.setup):
        for angler in seats.values():
            mine = Counter([*angler.fish, angler.secret_fish.value])
            assert angler.dummy or (len(mine) < 6 and max(mine.values()) < 4), "a set ends the game at once"
