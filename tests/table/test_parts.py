"""The parts of a table: one list, in whose order the loop restores, updates and times them."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, current_thread, main_thread

import pytest

from hub.errors import LogError
from hub.ports import DiceKit, StaffRequest, Tick
from hub.table.base.part import Group, Part
from hub.table.base.ports import in_thread
from hub.table.people.house_seats import HouseSettings
from tests.table.fakes import MemoryStore, TableRig
from tests.table.guests import pass_time
from tests.table.test_dispute import GAMES as FISHING
from tests.table.test_house_seats import alone
from tests.table.test_table import SIX


def within(group: Group) -> Iterator[Part]:
    for part in group.parts:
        yield part
        if isinstance(part, Group):
            yield from within(part)


def test_no_part_of_a_table_is_forgotten_by_its_loop() -> None:
    parts = TableRig().table._parts
    known = list(within(parts))
    held = [
        one for group in (parts, parts.people, parts.staff) for one in vars(group).values() if isinstance(one, Part)
    ]
    assert len(held) > len(parts.parts)
    assert [type(one).__name__ for one in held if one not in known] == []


def test_no_part_is_asked_twice() -> None:
    known = list(within(TableRig().table._parts))
    assert len(set(known)) == len(known)


class Told(Part):
    """A part that notes what it is asked, and says that something is due `at`, and has changed."""

    def __init__(self, told: list[str], name: str, at: float | None, changed: bool) -> None:
        self.told, self.name, self.at, self.changed = told, name, at, changed

    def restore(self) -> None:
        self.told.append(f"restore {self.name}")

    def update(self) -> None:
        self.told.append(f"update {self.name}")

    def run_due(self) -> bool:
        self.told.append(f"run {self.name}")
        return self.changed

    @property
    def due_at(self) -> float | None:
        return self.at


def test_a_group_asks_each_of_its_parts_in_their_order() -> None:
    told: list[str] = []
    group = Group()
    group.parts = (Told(told, "a", None, True), Told(told, "b", 7.0, False), Told(told, "c", 5.0, False))
    group.restore()
    group.update()
    assert group.run_due(), "one has changed, and the others are asked all the same"
    assert told == [f"{what} {name}" for what in ("restore", "update", "run") for name in "abc"]
    assert group.due_at == 5.0, "the first of them"


def test_a_group_of_parts_for_which_nothing_is_due_has_nothing_due() -> None:
    group = Group()
    group.parts = (Part(), Told([], "a", None, False))
    assert (group.due_at, group.run_due()) == (None, False)


def test_a_slow_job_runs_beside_the_table_and_does_not_keep_the_hub_from_ending() -> None:
    told, done = list[tuple[bool, bool, str]](), Event()

    def job() -> None:
        told.append((current_thread() is not main_thread(), current_thread().daemon, current_thread().name))
        done.set()

    in_thread(job)
    assert done.wait(10)
    assert told == [(True, True, "job")]


# --- while the disk fails -------------------------------------------------------------------------------


def stop(rig: TableRig) -> None:
    rig.store.broken = "The disk is full."
    assert rig.say(2, "ready", {"ready": True})["ok"] is False
    assert rig.state["state"] == "stopped"


def go_on(rig: TableRig) -> None:
    rig.store.broken = ""
    rig.take(Tick())
    assert rig.state["state"] == "playing"


def bidding(*, boxes: bool = True) -> TableRig:
    rig = TableRig(3, boxes=boxes)
    rig.boxes_up()
    rig.sit()
    rig.start()
    return rig


@pytest.mark.parametrize("stopped", [False, True])
def test_dice_that_are_due_wake_a_table_unless_its_disk_fails(stopped: bool) -> None:
    rig = bidding(boxes=False)
    for seat in (1, 2, 3):
        rig.act(seat, "bid", number=seat)
    rig.see("settled", 6)
    if stopped:
        stop(rig)
    rig.clock.time += 30
    assert rig.table.wait_seconds() == (1.0 if stopped else 0.0), "nothing can be done before the next tick"


def test_a_move_that_is_refused_leaves_the_choice_in_the_box_as_it_is() -> None:
    rig = bidding()
    rig.boxes.sent.clear()
    assert not rig.act(1, "bid", number=999)["ok"]
    assert rig.boxes.sent == []
    assert rig.act(1, "bid", number=2)["ok"]
    assert ("cancel", "box-1") in [one[:2] for one in rig.boxes.sent]


@pytest.mark.parametrize("stopped", [False, True])
def test_boxes_keep_what_they_were_asked_while_the_disk_fails(stopped: bool) -> None:
    rig = bidding()
    rig.boxes.sent.clear()
    if stopped:
        stop(rig)
        rig.take(Tick())
    else:
        rig.act(1, "bid", number=1)
    assert [what for what, *_ in rig.boxes.sent] == ([] if stopped else ["cancel"])


def test_a_lesson_for_the_room_outlives_a_failing_disk() -> None:
    rig = bidding(boxes=False)
    assert rig.state["teaching"]["lesson"] == "bid"
    stop(rig)
    go_on(rig)
    assert rig.state["teaching"]["lesson"] == "bid", "it was told once, and nobody is told it again"


def test_a_hint_outlives_a_failing_disk() -> None:
    rig = alone()
    rig.start()
    assert rig.say(1, "hints", {"on": True})["ok"]
    hint = rig.hand(1)["hint"]
    assert hint
    rig.store.broken = "The disk is full."
    rig.act(1, "bid", number=1)
    assert rig.state["state"] == "stopped"
    rig.store.broken = ""
    rig.take(Tick())
    assert rig.hand(1)["hint"] == hint, "nobody has to think again"


@pytest.mark.parametrize("left", range(12))
def test_a_disk_that_fails_halfway_through_a_start_costs_nothing_that_it_has(
    left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()
    for verb, args in (("hints", {"allow": True}), ("hub_rolls", {"on": True})):
        assert rig.say(1, verb, args)["ok"]
    rig.take(StaffRequest("light", {"percent": 30}, lambda *_: None))
    again, reads = TableRig(3, boxes=False, store=rig.store, start=False), iter(range(left))
    recall = MemoryStore.recall

    def fails_soon(self: MemoryStore, table: str, name: str) -> bytes | None:
        if next(reads, None) is None:
            raise LogError("The disk is away.")
        return recall(self, table, name)

    with monkeypatch.context() as broken:
        broken.setattr(MemoryStore, "recall", fails_soon)
        again.table.start()
        assert again.state["state"] == "stopped"
    again.take(Tick())
    assert again.page.newest
    assert (again.state["state"], again.state["hints"], again.state["hub_rolls"]) == ("lobby", True, True)
    assert again.page.newest.light == 30
    assert [seat["held"] for seat in again.state["seats"]] == [True] * 3


# --- what is due ------------------------------------------------------------------------------------------


def test_the_house_takes_its_time_for_a_question_that_comes_with_dice_that_time_accepts() -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seconds=4.0), seed=7)  # the house bids what any die reaches
    rig.sit(1, 2)
    assert rig.say(1, "house", {"seat": 3, "strength": "easy"})["ok"]
    rig.take(DiceKit("tray", 6))
    rig.start()
    for seat in (1, 2):
        rig.act(seat, "bid", number=1)
    pass_time(rig, 10)
    assert rig.state["dice"]["seat"] == 3
    rig.see("settled", 6)
    rig.clock.time += 3
    rig.take(Tick())
    assert rig.state["dice"] is None, "the dice are accepted"
    before = len(rig.match.log)
    rig.clock.time += 1
    rig.take(Tick())
    assert len(rig.match.log) == before, "it has seen the question for a second"
    pass_time(rig, 7)
    assert len(rig.match.log) > before


# --- what is asked of boxes, dice and panels ----------------------------------------------------------------


def settled(rig: TableRig) -> list[bool]:
    """Whether each picture since the last call may stay on a panel for a while."""
    found = [one for _, one in rig.page.shown]
    rig.page.shown.clear()
    return found


def test_a_panel_refreshes_fully_once_when_a_round_has_ended_or_a_sealed_choice_begins() -> None:
    rig = TableRig(3, boxes=False, offered=[FISHING["hooks"], FISHING["rolls"]])
    assert settled(rig) == [True], "the lobby"
    rig.sit()
    assert not any(settled(rig))
    rig.start("hooks")
    assert not any(settled(rig)), "a roll goes on soon"
    rig.see("settled", 4)
    rig.clock.time += 30
    rig.take(Tick())
    assert settled(rig).count(True) == 1, "all choose in secret"
    rig.act(1, "hook")
    rig.act(2, "hook")
    assert not any(settled(rig))
    rig.act(3, "hook")
    assert not any(settled(rig)), "a seat is asked"


def test_dice_and_boxes_are_asked_once_for_each_question_and_again_when_the_disk_is_back() -> None:
    rig = TableRig(3, offered=[FISHING["hooks"]])
    rig.boxes_up()
    rig.sit()
    rig.start("hooks")
    assert len(rig.dice.numbers) == 1
    rig.take(Tick(), Tick())
    assert len(rig.dice.numbers) == 1
    rig.store.broken = "The disk is full."
    assert not rig.say(1, "ready", {"ready": True})["ok"]
    rig.store.broken = ""
    rig.take(Tick())
    assert len(rig.dice.numbers) == 2
    rig.see("settled", 4)
    rig.clock.time += 30
    rig.take(Tick())
    assert not rig.dice.on
    assert [what[:2] for what in rig.boxes.sent if what[0] == "open"] == [("open", f"box-{seat}") for seat in (1, 2, 3)]
    rig.boxes.sent.clear()
    rig.act(1, "hook")
    assert rig.say(1, "undo")["ok"]
    opened = [what[1] for what in rig.boxes.sent if what[0] == "open"]
    assert opened == ["box-1"], "the others still have the question"


def test_the_next_match_asks_the_same_question_anew() -> None:
    rig = TableRig(2, offered=[SIX])
    rig.boxes_up()
    rig.sit()
    rig.start("six")
    rig.act(1, "bid", number=1)
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    rig.boxes.sent.clear()
    rig.start("six")
    assert [what[:2] for what in rig.boxes.sent if what[0] == "open"] == [("open", "box-1"), ("open", "box-2")]
