"""What a table may rely on with every kind of seat box: one class of tests, run on each real driver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import pytest

from drivers.simulated.seat_box import HOLDING
from hub.ports import CONTROLS, BoxBid, BoxLocked, BoxUnlocked, Key, LampPicture, SealedRound, Turn
from tests.drivers.bench import BOTH_INTERPRETERS, CabledTable, Seats, box_programs
from tests.drivers.wired import WiredTable

Table: TypeAlias = CabledTable | WiredTable


@pytest.fixture(params=[*BOTH_INTERPRETERS, "header"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """A box on a cable, simulated and with the real firmware, and one wired to the header."""
    if request.param == "header":
        wired = WiredTable()
        yield wired
        wired.close()
    else:
        with box_programs(request.param) as make:
            cabled = CabledTable(Seats(tmp_path), make())
            yield cabled
            cabled.close()


def test_a_box_says_who_it_is_and_what_it_has(table: Table) -> None:
    assert (table.up.box, table.up.controls) == (table.BOX, len(CONTROLS))
    assert table.up.boot


def test_every_control_reaches_the_table_once_and_in_order(table: Table) -> None:
    """One press is told as `down` or as `hold`, never as both: who calls staff with the bar has not passed."""
    for control in CONTROLS:
        table.press(control)
        table.press(control, hold=True)
    for control in CONTROLS:
        held: Literal["down", "hold"] = "hold" if control in HOLDING else "down"
        for edge in ("down", held):
            assert table.inbox.next(Key) == Key(table.BOX, control, edge)
    assert len(table.inbox.all(Key)) == 2 * len(CONTROLS)


def test_bar_and_push_held_together_are_neither_a_press_of_the_one_nor_of_the_other(table: Table) -> None:
    table.hold_both()
    assert table.inbox.next(Key) == Key(table.BOX, "push", "hold")
    table.press("push")
    assert table.inbox.next(Key) == Key(table.BOX, "push", "down")
    assert len(table.inbox.all(Key)) == 2


def test_bar_and_push_held_together_are_told_in_a_sealed_choice_and_change_nothing_in_it(table: Table) -> None:
    table.open()
    table.lock(choice="k3")
    table.hold_both()
    assert table.inbox.next(Key) == Key(table.BOX, "push", "hold")
    assert table.inbox.all(BoxUnlocked) == []
    assert table.bid() == 2


def test_the_dial_turns_both_ways(table: Table) -> None:
    table.turn(1)
    assert table.inbox.next(Turn) == Turn(table.BOX, 1)
    table.turn(-3)
    came = 0
    while came > -3:  # as fast as a cable takes them, so perhaps in one signal
        came += table.inbox.next(Turn).detents
    assert came == -3


@pytest.mark.parametrize("key", range(6))
def test_each_key_chooses_its_answer_in_a_sealed_choice(table: Table, key: int) -> None:
    table.open()
    table.lock(choice=CONTROLS[2 + key])
    assert table.bid() == key


def test_the_hidden_dial_starts_where_only_the_owner_knows(table: Table) -> None:
    table.open(high=39, at=17)
    table.turn(-2)
    table.press("push")
    table.inbox.next(BoxLocked)
    assert table.bid() == 15


def test_the_hidden_dial_stops_at_the_first_and_the_last_answer(table: Table) -> None:
    table.open(high=8, at=4)
    table.turn(50)
    table.press("push")
    table.inbox.next(BoxLocked)
    assert table.bid() == 8
    table.open(round=2, high=8, at=4)
    table.turn(50)
    table.turn(-7)
    table.turn(-50)
    table.press("push")
    table.inbox.next(BoxLocked)
    assert table.bid(round=2) == 0


def test_with_more_than_six_answers_the_keys_choose_nothing(table: Table) -> None:
    table.open(high=6, at=3)
    table.lock(choice="k1")
    assert table.bid() == 3


def test_a_sealed_choice_tells_the_table_nothing_but_the_lock(table: Table) -> None:
    table.open()
    table.press("k2")
    table.turn(2)
    table.lock()
    assert table.inbox.all(Key) == []
    assert table.inbox.all(Turn) == []
    assert table.inbox.all(BoxBid) == []


def test_a_lock_is_taken_back_with_the_bar_and_the_newer_choice_counts(table: Table) -> None:
    table.open()
    table.lock(choice="k1")
    assert table.take_back() == BoxUnlocked(table.BOX, 1)
    table.lock(choice="k6")
    assert table.bid() == 5
    assert len(table.inbox.all(BoxBid)) == 1


def test_staff_can_be_called_with_the_bar_in_a_sealed_choice_and_the_lock_holds(table: Table) -> None:
    table.open()
    table.lock(choice="k3")
    table.press("bar", hold=True)
    assert table.inbox.next(Key) == Key(table.BOX, "bar", "hold")
    assert table.inbox.all(BoxUnlocked) == []
    assert table.bid() == 2


def test_a_cancelled_round_gives_the_keys_back(table: Table) -> None:
    table.open()
    table.lock()
    table.cancel()
    table.press("k3")
    assert table.inbox.next(Key) == Key(table.BOX, "k3", "down")


def test_after_the_reveal_the_keys_are_ordinary_again(table: Table) -> None:
    table.open()
    table.lock()
    table.bid()
    table.cancel()
    table.press("push")
    assert table.inbox.next(Key) == Key(table.BOX, "push", "down")


def test_a_newer_round_takes_the_place_of_an_older_one(table: Table) -> None:
    table.open(round=1)
    table.lock(choice="k1")
    table.open(round=2, at=0)
    table.lock(choice="k3")
    assert table.bid(round=2) == 2
    assert [bid.round for bid in table.inbox.all(BoxBid)] == [2]


def test_the_round_that_is_open_goes_on_when_it_is_opened_again(table: Table) -> None:
    table.open()
    table.lock(choice="k4")
    table.hub.open(table.BOX, SealedRound(1, 5, 2))
    assert table.bid() == 3


def test_a_box_that_nobody_has_is_asked_in_vain_and_harms_none(table: Table) -> None:
    table.hub.open("nowhere", SealedRound(1, 5, 2))
    table.hub.ring("nowhere", LampPicture("turn"))
    table.hub.say("nowhere", "Hello")
    table.hub.buzz("nowhere", "error")
    table.press("k1")
    assert table.inbox.next(Key) == Key(table.BOX, "k1", "down")
