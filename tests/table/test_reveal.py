"""A reveal stands for a moment on rings, rings every box once, and holds nothing up."""

from __future__ import annotations

import pytest

from hub.engine.decision import Amount, ask, ask_all, offer
from hub.ports import BoxBid, BoxDown, BoxLocked, BoxUnlocked, Tick
from tests.engine.ladder import Climb
from tests.table.fakes import TableRig
from tests.table.test_table import made_up

HELD = 0.7


def bidding(*, boxes: bool = True, seconds: float = HELD, reader: bool = False) -> TableRig:
    """Three phones in the first bids of a match, with boxes or without."""
    rig = TableRig(3, boxes=boxes, reader=reader, reveal_seconds=seconds)
    rig.sit()
    if boxes:
        rig.boxes_up()
    rig.start()
    return rig


def patterns(rig: TableRig) -> set[str]:
    return {picture.pattern for picture in rig.lamps.shown[-1].values()}


def bells(rig: TableRig) -> list[str]:
    return [what[1] for what in rig.boxes.sent if what[0] == "buzz" and what[2] == "reveal"]


def bid_on_phones(rig: TableRig) -> None:
    for seat in (1, 2, 3):
        assert rig.act(seat, "bid", number=seat)["ok"]


def wait(rig: TableRig, seconds: float) -> None:
    rig.clock.time += seconds
    rig.take(Tick())


@pytest.mark.parametrize("boxes", [True, False])
def test_choices_locked_on_phones_are_revealed_on_rings_for_a_while(boxes: bool) -> None:
    rig = bidding(boxes=boxes)
    bid_on_phones(rig)
    assert patterns(rig) == {"reveal"}
    wait(rig, HELD - 0.01)
    assert patterns(rig) == {"reveal"}
    wait(rig, 0.01)
    assert "reveal" not in patterns(rig)


def test_choices_locked_in_boxes_stay_revealed_as_long_as_those_on_phones() -> None:
    rig = bidding()
    round = rig.boxes.rounds["box-1"].round
    rig.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    assert patterns(rig) == {"reveal"}
    assert bells(rig) == [], "the values are still in the boxes"
    rig.clock.time += 0.009
    rig.take(*(BoxBid(f"box-{seat}", round, seat) for seat in (1, 2, 3)))
    assert rig.state["view"]["seats"]["1"]["bid"] == 2
    wait(rig, HELD - 0.01)
    assert patterns(rig) == {"reveal"}
    assert {picture.pattern for picture in rig.boxes.rings.values()} == {"reveal"}
    wait(rig, 0.01)
    assert "reveal" not in patterns(rig)
    assert "reveal" not in {picture.pattern for picture in rig.boxes.rings.values()}
    assert bells(rig) == ["box-1", "box-2", "box-3"]


def test_every_box_rings_once_at_a_reveal_wherever_the_choices_were_locked() -> None:
    rig = bidding()
    bid_on_phones(rig)
    wait(rig, 0.1)
    wait(rig, 5)
    assert bells(rig) == ["box-1", "box-2", "box-3"]


def test_the_match_is_held_up_by_nothing() -> None:
    rig = bidding(reader=True)
    bid_on_phones(rig)
    assert [rig.state["view"]["seats"][f"{seat}"]["bid"] for seat in (1, 2, 3)] == [1, 2, 3], "phones have it at once"
    assert rig.dice.on, "the dice are asked for"
    rig.see("rolling")
    rig.see("settled", 6)
    assert rig.state["dice"]["state"] == "settled"
    assert patterns(rig) == {"reveal"}, "rings alone are held"


def test_the_table_looks_at_its_rings_when_the_reveal_has_stood() -> None:
    rig = bidding()
    bid_on_phones(rig)
    assert rig.table._seconds_until_due() == pytest.approx(HELD)
    public, pages = len(rig.phones.public), len(rig.page.shown)
    rig.clock.time += HELD
    rig.table._reveal.refresh()
    rig.table._publisher.show_rings()
    assert (len(rig.phones.public), len(rig.page.shown)) == (public, pages), "phones and screens have it already"


def test_a_lock_that_was_taken_back_reveals_nothing() -> None:
    rig = bidding()
    round = rig.boxes.rounds["box-1"].round
    rig.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    rig.take(BoxUnlocked("box-2", round), BoxBid("box-1", round, 0), BoxBid("box-3", round, 1))
    assert "reveal" not in patterns(rig)
    assert bells(rig) == []
    assert rig.state["revealed"] is None


def test_a_table_of_an_owner_who_wants_no_pause_rings_all_the_same() -> None:
    rig = bidding(seconds=0)
    bid_on_phones(rig)
    assert "reveal" not in patterns(rig)
    assert bells(rig) == ["box-1", "box-2", "box-3"]


def test_screens_are_told_the_number_of_each_reveal_of_this_match() -> None:
    rig = bidding()
    number = rig.hand(1)["number"]
    assert rig.state["revealed"] is None
    bid_on_phones(rig)
    assert rig.state["revealed"] == number
    again = TableRig(3, store=rig.store, reveal_seconds=HELD)
    assert again.state["revealed"] is None, "this hub has seen none"
    assert "reveal" not in patterns(again)


def test_a_match_that_is_put_aside_is_no_reveal() -> None:
    rig = bidding()
    rig.act(1, "bid", number=1)
    rig.act(2, "bid", number=1)
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    assert rig.state["state"] == "lobby"
    wait(rig, 0)
    assert bells(rig) == []
    assert rig.state["revealed"] is None


def test_a_reveal_is_of_its_own_match_alone() -> None:
    rig = bidding()
    bid_on_phones(rig)
    assert rig.state["revealed"] is not None
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    assert rig.state["revealed"] is None, "the lobby has none"
    rig.start()
    assert rig.state["revealed"] is None, "nor has the next match, so far"


@pytest.mark.parametrize(("seats", "rings"), [(1, []), (2, ["box-1", "box-2"])])
def test_the_choice_of_a_single_seat_is_no_reveal(seats: int, rings: list[str]) -> None:
    async def sealed(s: Climb) -> None:
        await ask_all(
            s, {seat: [offer("bid", number=Amount(1, 6))] for seat in range(1, seats + 1)}, "Bid.", into="bid"
        )
        await ask(s, 1, [offer("rest")], "Rest.")

    rig = TableRig(2, offered=[made_up("sealed", sealed)], reveal_seconds=HELD)
    rig.boxes_up()
    rig.sit()
    rig.start("sealed")
    for seat in range(1, seats + 1):
        assert rig.act(seat, "bid", number=3)["ok"]
    assert bells(rig) == rings
    assert ("reveal" in patterns(rig)) is (seats == 2)


def test_only_boxes_that_are_there_and_play_ring_at_a_reveal() -> None:
    rig = TableRig(4, reveal_seconds=HELD)
    rig.boxes_up()
    rig.sit(1, 2, 3)
    rig.start()
    rig.take(BoxDown("box-2", "unplugged"))
    bid_on_phones(rig)
    assert bells(rig) == ["box-1", "box-3"]


def test_a_last_lock_that_the_disk_does_not_have_reveals_nothing() -> None:
    rig = bidding()
    rig.act(1, "bid", number=1)
    rig.act(2, "bid", number=2)
    rig.store.broken = "The disk is full."
    rig.act(3, "bid", number=3)
    assert (bells(rig), "reveal" in patterns(rig)) == ([], False)
    rig.store.broken = ""
    wait(rig, 1)
    assert (bells(rig), rig.state["locked"]) == ([], [1, 2])
    assert rig.act(3, "bid", number=3)["ok"]
    assert bells(rig) == ["box-1", "box-2", "box-3"]
