"""Dice readers under the cups of seats: what they read is the seat's own answer, and nobody else hears of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hub.engine.decision import Faces, Won, ask_all, offer
from hub.engine.secret import Secret
from hub.ports import DiceKit, DiceSeen, DiceState, Tick
from hub.table.dice.roll_states import ACCEPT_SECONDS, SILENT_SECONDS
from tests.table.fakes import TableRig
from tests.table.test_table import made_up


async def cups(s: Any) -> None:
    """Everybody rolls three dice under a cup, again and again."""
    while s.round < 3:
        rolled = [offer("rolled", faces=Faces(3, 6))]
        told = await ask_all(s, dict.fromkeys(s.seats, rolled), "Roll.", "They roll.", into="bid", final=s.round == 2)
        for seat, answer in told.items():
            s.seats[seat].bid = Secret(sorted(answer["faces"]), (seat,))
        s.round += 1
    raise Won([1], dict.fromkeys(s.seats, 0), "All have rolled.")


GAME = made_up("cups", cups, (2, 3))


@pytest.fixture
def rig() -> TableRig:
    made = TableRig(3, boxes=False, offered=[GAME], cups=(1, 2))
    made.sit()
    made.start("cups")
    return made


def see(rig: TableRig, cup: int, state: DiceState, *faces: int, say: str = "", arm: int = 0) -> None:
    rig.take(DiceSeen("cup", arm or rig.cups[cup].numbers[-1], state, faces, say, cup))


def later(rig: TableRig, seconds: float) -> None:
    rig.clock.time += seconds
    rig.take(Tick())


def test_the_readers_of_all_cups_wait_at_once_and_each_one_for_its_own_seat(rig: TableRig) -> None:
    assert rig.cups[1].armed == [(1, 3, 6)]
    assert rig.cups[2].armed == [(2, 3, 6)]
    assert not rig.dice.armed, "the tray in the middle reads nothing secret"
    assert rig.hand(1)["cup"] == "Roll under your cup: the dice are read there."
    assert rig.hand(3)["cup"] == "", "this seat has no reader"
    assert rig.state["dice"] is None


def test_what_a_reader_has_read_is_the_answer_of_its_seat(rig: TableRig) -> None:
    see(rig, 1, "rolling")
    assert rig.hand(1)["cup"] == "Your dice are being read."
    see(rig, 1, "settled", 5, 1, 4)
    later(rig, ACCEPT_SECONDS - 0.1)
    assert rig.hand(1)["locked"] is None
    later(rig, 0.2)
    assert rig.hand(1)["locked"] == {"move": "rolled", "faces": [5, 1, 4]}
    assert rig.hand(1)["cup"] == ""
    assert rig.hand(2)["locked"] is None
    assert not rig.cups[1].on
    assert rig.cups[2].on
    assert rig.state["dispute"] is None, "secret dice are not disputed"


def test_nobody_else_can_tell_what_was_read(rig: TableRig) -> None:
    told = []
    for faces in ((5, 1, 4), (2, 2, 6)):
        other = TableRig(3, boxes=False, offered=[GAME], cups=(1, 2))
        other.sit()
        other.start("cups")
        see(other, 1, "cocked", *faces[:2], say="A die leans.")
        see(other, 1, "settled", *faces)
        later(other, 2 * ACCEPT_SECONDS)
        public, hands = other.phones.public, [other.phones.hands[other.sids[seat]] for seat in (2, 3)]
        lamps = other.lamps.shown
        told.append(json.dumps([public, hands], sort_keys=True) + repr(lamps))
    assert told[0] == told[1]


def test_a_player_may_enter_the_dice_instead_and_the_reader_is_not_heard_any_more(rig: TableRig) -> None:
    see(rig, 1, "settled", 5, 1, 4)
    assert rig.act(1, "rolled", faces=[5, 1, 3])["ok"]
    assert not rig.cups[1].on
    assert rig.hand(1)["cup"] == ""
    see(rig, 1, "settled", 6, 6, 6)
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.hand(1)["locked"] == {"move": "rolled", "faces": [5, 1, 3]}


def test_settled_dice_are_not_rolled_again_for_a_better_result(rig: TableRig) -> None:
    see(rig, 1, "settled", 1, 1, 2)
    see(rig, 1, "rolling")
    see(rig, 1, "settled", 6, 6, 6)
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.hand(1)["locked"]["faces"] == [1, 1, 2]


def test_what_a_reader_cannot_read_is_said_to_its_seat_alone_and_without_a_face(rig: TableRig) -> None:
    see(rig, 1, "cocked", 4, 2)
    assert rig.hand(1)["cup"] == "A die under your cup is leaning: roll only that one again."
    see(rig, 1, "cocked", 5, 2)
    assert rig.hand(1)["cup"] == "The dice that lay flat count: put them aside, and roll the others."
    see(rig, 1, "rolling")
    see(rig, 1, "wrong_count")
    assert rig.hand(1)["cup"] == "Not all dice under your cup were read: enter what they show."
    see(rig, 1, "settled", 9)
    assert rig.hand(1)["cup"] == "Not all dice under your cup were read: enter what they show."
    see(rig, 1, "no_reader")
    assert rig.hand(1)["cup"] == "The dice under your cup are not read: enter what they show."
    assert "under your cup" not in json.dumps(rig.phones.public)
    see(rig, 1, "armed")
    see(rig, 1, "settled", 6)
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.hand(1)["locked"]["faces"] == [4, 2, 6], "dice that lay flat stay"


def test_a_reader_that_does_not_answer_is_given_up(rig: TableRig) -> None:
    later(rig, SILENT_SECONDS - 0.1)
    assert rig.hand(1)["cup"] == "Roll under your cup: the dice are read there."
    later(rig, 0.2)
    assert rig.hand(1)["cup"] == "The dice under your cup are not read: enter what they show."


@pytest.mark.parametrize(("dice", "is_asked"), [(2, False), (3, True), (6, True)])
def test_a_reader_with_too_few_dice_is_not_asked(dice: int, is_asked: bool) -> None:
    rig = TableRig(3, boxes=False, offered=[GAME], cups=(1, 2))
    rig.take(DiceKit("cup", dice, (), 1))
    rig.sit()
    rig.start("cups")
    assert bool(rig.cups[1].armed) is is_asked
    if not is_asked:
        assert rig.hand(1)["cup"] == "The dice under your cup are not read: enter what they show."
    assert rig.state["kit"] is None, "the dice in the middle are others"
    assert rig.cups[2].armed


def test_reports_from_a_cup_that_is_not_asked_change_nothing(rig: TableRig) -> None:
    see(rig, 1, "settled", 5, 1, 4)
    later(rig, 2 * ACCEPT_SECONDS)
    rig.take(DiceSeen("cup", 1, "settled", (6, 6, 6), "", 1), DiceSeen("cup", 1, "settled", (6, 6, 6), "", 3))
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.hand(1)["locked"]["faces"] == [5, 1, 4]
    assert rig.hand(3)["locked"] is None


def test_the_next_roll_is_asked_of_all_readers_again(rig: TableRig) -> None:
    for seat, faces in ((1, [5, 1, 4]), (2, [2, 2, 2]), (3, [3, 3, 3])):
        assert rig.act(seat, "rolled", faces=faces)["ok"]
    assert rig.state["view"]["round"] == 2
    assert len(rig.cups[1].armed) == len(rig.cups[2].armed) == 2
    assert rig.cups[1].numbers == [1, 2]
    see(rig, 1, "settled", 6, 6, 6, arm=1)
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.hand(1)["locked"] is None, "that was the throw before"


def test_after_a_restart_the_readers_are_asked_again(rig: TableRig) -> None:
    assert rig.act(2, "rolled", faces=[1, 2, 3])["ok"]
    again = TableRig(3, boxes=False, offered=[GAME], cups=(1, 2), store=rig.store)
    assert again.cups[1].armed == [(1, 3, 6)]
    assert not again.cups[2].armed, "what was entered is not asked again"


def taken_back(rig: TableRig) -> None:
    see(rig, 1, "settled", 1, 1, 2)
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.say(1, "undo")["ok"]


def test_a_lock_that_is_taken_back_is_entered_by_hand(rig: TableRig) -> None:
    taken_back(rig)
    assert not rig.cups[1].on, "a second throw could be a better one"
    assert rig.hand(1)["locked"] is None
    assert rig.hand(1)["cup"] == ""
    assert rig.act(1, "rolled", faces=[1, 1, 3])["ok"]


def test_a_lock_that_was_taken_back_is_not_thrown_again_after_a_restart(rig: TableRig) -> None:
    taken_back(rig)
    again = TableRig(3, boxes=False, offered=[GAME], cups=(1, 2), store=rig.store)
    assert not again.cups[1].armed
    assert again.cups[2].armed


def test_in_the_next_roll_its_reader_is_asked_again(rig: TableRig) -> None:
    taken_back(rig)
    for seat in (1, 2, 3):
        assert rig.act(seat, "rolled", faces=[1, 1, 3])["ok"]
    assert rig.cups[1].on


def test_the_reader_of_a_seat_that_the_house_plays_is_not_asked(rig: TableRig) -> None:
    seat = rig.table._seats[1]
    see(rig, 1, "rolling")
    with rig.table._seats.changing(seat):
        seat.house, seat.stands_in = "easy", True
    later(rig, 0.1)
    assert not rig.cups[1].on, "nobody else rolls for the house"
    see(rig, 1, "settled", 6, 6, 6)
    later(rig, 2 * ACCEPT_SECONDS)
    locked = rig.table._play.decision
    assert locked
    assert 1 not in locked.answers or locked.answers[1]["faces"] != [6, 6, 6]


def test_dice_that_were_read_are_not_thrown_again_when_everything_is_asked_again(rig: TableRig) -> None:
    see(rig, 1, "cocked", 1, 1)
    see(rig, 2, "rolling")
    rig.table._parts.decision.ask_again()
    later(rig, 0.1)
    assert len(rig.cups[1].armed) == 1, "its flat dice are known"
    assert len(rig.cups[2].armed) == 2
    see(rig, 1, "settled", 1, 1, 6)
    rig.table._parts.decision.ask_again()
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.hand(1)["locked"]["faces"] == [1, 1, 6]


def test_what_was_read_counts_once_the_disk_is_back(rig: TableRig) -> None:
    see(rig, 1, "settled", 1, 2, 6)
    rig.store.broken = "The disk is full."
    later(rig, 2 * ACCEPT_SECONDS)
    assert rig.hand(1)["locked"] is None
    rig.store.broken = ""
    later(rig, 1.0)
    later(rig, 1.0)
    assert rig.hand(1)["locked"]["faces"] == [1, 2, 6]


@pytest.mark.parametrize(("cup", "counts"), [(0, True), (1, False)])
def test_staff_who_count_the_dice_of_the_table_read_nothing_of_a_cup(cup: int, counts: bool) -> None:
    tests = TableRig(3, boxes=False, cups=(1,)).table._parts.staff.tests
    tests.begin("dice")
    assert tests.handle_signal(DiceSeen("cup", 1, "settled", (4, 2, 6), "", cup)) is counts


def test_the_hub_rolls_for_a_seat_that_plays_safe(rig: TableRig) -> None:
    decision = rig.table._play.decision
    assert decision
    absence = rig.table._parts.people.absence
    drawn = {tuple(absence._safe_action(decision, 1).args["faces"]) for _ in range(20)}
    assert len(drawn) > 10
    assert all(len(faces) == 3 and set(faces) <= {1, 2, 3, 4, 5, 6} for faces in drawn)
