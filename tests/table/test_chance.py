"""One source of chance: whatever a table leaves to chance depends on the source that it is handed, and on nothing else."""

from __future__ import annotations

from typing import Any

from hub import games
from hub.ports import Tick
from hub.table.people.house_seats import HouseSettings
from tests.table.fakes import TableRig
from tests.table.test_hints import think
from tests.table.test_people import bring_on


def whole_evening(seed: int) -> dict[str, Any]:
    """What a table says in a demonstration, and then in a match of a person with hints, a box, and two of the house's seats."""
    offered = [games.find("bid-and-bait"), games.find("goofspiel")]
    rig = TableRig(3, offered=offered, seed=seed, attract_seconds=60, house=HouseSettings(seats=2, seconds=1))
    rig.boxes_up()
    for _ in range(400):
        rig.clock.time += 0.25
        rig.take(Tick())
    codes = dict(rig.page.codes)
    rig.sit(1)
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start("bid-and-bait")
    starts = []
    for _ in range(60):
        think(rig)
        rig.clock.time += 1
        rig.take(Tick())
        starts += [sealed.at for sealed in rig.boxes.rounds.values()]
        bring_on(rig, 1)
    assert rig.match.events
    hints = [hand["hint"] for hand in rig.phones.hands[rig.sids[1]] if hand.get("hint")]
    assert starts
    assert hints
    return {
        "codes": codes, "logins": rig.phones.admitted, "states": rig.phones.public, "lamps": rig.lamps.shown,
        "starts": starts, "hints": hints,
    }  # fmt: skip


def test_two_tables_that_are_handed_the_same_chance_are_alike_to_the_letter() -> None:
    assert whole_evening(1) == whole_evening(1)


def test_other_chance_is_another_evening_in_each_of_its_parts() -> None:
    one, other = whole_evening(1), whole_evening(2)
    for part in ("codes", "logins", "states", "lamps", "starts", "hints"):
        assert one[part] != other[part], part
