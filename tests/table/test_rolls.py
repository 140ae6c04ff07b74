"""Sentences about dice at a table, for whatever game asks for them: many of them, leaning, lost, read again, typed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from drivers.simulated.dice import SimDice
from hub import games
from hub.engine.decision import Won, ask, offer, roll, roll_or, tell
from hub.engine.game import Game
from hub.engine.odds import AtLeast, Beats
from hub.ports import DiceKit, DiceSeen, PhoneLink, Tick
from hub.state import Batch
from hub.table.dice.roll_states import ACCEPT_SECONDS, HINT_SECONDS, SILENT_SECONDS, STAFF_SECONDS, TYPED_SECONDS
from hub.table.dice.rolls import HUB_CHOICE_SECONDS, HUB_SECONDS
from hub.table.dice.table_dice import KeptRoll
from hub.table.people.house_seats import HouseSettings
from tests.drivers.bench import Inbox, StillClock
from tests.engine.ladder import Climb
from tests.table.fakes import MemoryStore, TableRig
from tests.table.guests import staff
from tests.table.test_table import made_up


def trial(count: int) -> Game:
    """A game in which seat 1 throws so many dice, and seat 2 the same afterwards."""

    async def play(s: Climb) -> None:
        for seat in (1, 2):
            faces = await roll(s, seat, count, 6, "trial", f"Roll {count} dice.", Beats(2) if seat == 1 else AtLeast(9))
            s.seats[seat].height = sum(faces)
            tell(s, f"Seat {seat} rolls {sum(faces)}.", kind="roll", seat=seat, faces=faces)
        raise Won([1], {seat: rungs.height for seat, rungs in s.seats.items()}, "Judged.")

    return made_up(f"trial-{count}", play)


async def before_the_roll(s: Climb) -> None:
    """Seat 1 chooses, then may rest instead of throwing seven dice."""
    await ask(s, 1, [offer("climb"), offer("rest")], "Climb or rest.")
    got = await roll_or(s, 1, 7, 6, "trial", "Roll seven, or rest.", [offer("rest")])
    raise Won([1], dict.fromkeys(s.seats, 0), "Rolled." if isinstance(got, list) else "Rested.")


GAMES = {count: trial(count) for count in (1, 2, 3, 4, 10, 13)}
EARLY = made_up("early", before_the_roll)


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {game.name: game for game in (*GAMES.values(), EARLY)}
    monkeypatch.setattr(games, "find", known.__getitem__)


def at(count: int, **kind: Any) -> TableRig:
    """A table at which seat 1 is asked for so many dice."""
    rig = TableRig(**{"boxes": False, "offered": [GAMES[count]], **kind})
    if rig.ports.boxes:
        rig.boxes_up()
    rig.sit()
    rig.start(f"trial-{count}")
    return rig


def wait(rig: TableRig, seconds: float) -> None:
    rig.clock.time += seconds
    rig.take(Tick())


def read(rig: TableRig, *faces: int) -> None:
    """A batch is read, and stands."""
    rig.see("rolling")
    rig.see("settled", *faces)
    wait(rig, ACCEPT_SECONDS)


def rolls_heard(rig: TableRig) -> list[dict[str, Any]]:
    """The rolls that the rules were told of."""
    return [event["data"] for event in rig.state["events"] if event["kind"] == "roll"]


# --- many dice --------------------------------------------------------------------------------------------


def test_ten_dice_come_in_two_batches_with_a_running_total_and_are_one_roll() -> None:
    rig = at(10)
    assert rig.dice.armed == [(1, 6, 6)]
    read(rig, 1, 2, 3, 4, 5, 6)
    dice = rig.state["dice"]
    assert (dice["count"], dice["batch"], dice["total"], dice["state"]) == (10, 4, 21, "armed")
    assert dice["done"] == [{"faces": [1, 2, 3, 4, 5, 6], "read": "read"}]
    assert rig.dice.armed[-1] == (1, 4, 6)
    rig.see("settled", 6, 5, 4, 3)
    assert rig.state["dice"]["total"] == 39
    assert rolls_heard(rig) == []
    wait(rig, ACCEPT_SECONDS)
    (one,) = rolls_heard(rig)
    assert (one["faces"], one["read"]) == ([1, 2, 3, 4, 5, 6, 6, 5, 4, 3], "read")
    assert rig.state["dice"]["done"] == [], "the next roll begins with nothing"


@pytest.mark.parametrize(("count", "batches"), [(1, [1]), (4, [4]), (10, [6, 4]), (13, [6, 6, 1])])
def test_no_batch_has_more_than_six_dice(count: int, batches: list[int]) -> None:
    rig = at(count)
    for size in batches:
        assert (rig.state["dice"]["batch"], rig.hand(1)["faces"]["count"]) == (size, size)
        read(rig, *[2] * size)
    assert rolls_heard(rig)[0]["faces"] == [2] * count


def test_a_reader_with_fewer_dice_is_asked_for_no_more_than_it_has() -> None:
    rig = at(4)
    rig.take(DiceKit("tray", 3))
    assert rig.dice.armed[-1] == (1, 3, 6), "nobody has thrown yet: the batch is asked for anew"
    rig.see("rolling")
    rig.take(DiceKit("tray", 2))
    assert rig.dice.armed[-1] == (1, 3, 6), "a throw in the air is not called back"
    read(rig, 1, 2, 3)
    assert rig.dice.armed[-1] == (1, 1, 6)


def test_a_low_battery_is_known_in_the_lobby() -> None:
    rig = TableRig(boxes=False, offered=[GAMES[1]])
    assert rig.state["kit"] is None
    rig.take(DiceKit("tray", 6, ("red",)))
    assert rig.state["state"] == "lobby"
    assert rig.state["kit"] == {"dice": 6, "weak": ["red"]}


def test_batches_that_stand_survive_a_power_cut() -> None:
    rig = at(10)
    read(rig, 1, 2, 3, 4, 5, 6)
    again = TableRig(boxes=False, offered=[GAMES[10]], store=rig.store)
    again.sids = rig.sids
    assert (again.state["dice"]["total"], again.state["dice"]["batch"]) == (21, 4)
    read(again, 6, 6, 6, 6)
    assert rolls_heard(again)[0]["faces"] == [1, 2, 3, 4, 5, 6, 6, 6, 6, 6]


def test_a_batch_is_on_disk_before_anybody_sees_that_it_stands() -> None:
    rig = at(10)
    rig.see("settled", 1, 2, 3, 4, 5, 6)
    start = len(rig.order)
    wait(rig, ACCEPT_SECONDS)
    assert rig.order[start:][:2] == ["keep dice", "show"]


def test_a_batch_that_the_disk_does_not_take_does_not_stand() -> None:
    rig = at(10)
    rig.see("settled", 1, 2, 3, 4, 5, 6)
    rig.store.broken = "The disk is full."
    wait(rig, ACCEPT_SECONDS)
    assert rig.state["state"] == "stopped"
    rig.store.broken = ""
    rig.take(Tick())
    assert (rig.state["dice"]["done"], rig.state["dice"]["state"]) == ([], "armed")


def test_the_last_batch_that_the_disk_does_not_take_is_asked_for_again_and_no_other() -> None:
    rig = at(10)
    read(rig, 1, 2, 3, 4, 5, 6)
    rig.see("settled", 1, 1, 1, 1)
    rig.store.broken = "The disk is full."
    wait(rig, ACCEPT_SECONDS)
    rig.store.broken = ""
    rig.take(Tick())
    assert (rig.state["dice"]["total"], rig.state["dice"]["batch"]) == (21, 4)


def test_typed_batches_are_corrected_and_vouched_for_one_by_one() -> None:
    rig = at(10, reader=False)
    assert not rig.say(1, "roll", {"faces": [1] * 10})["ok"]
    rig.roll(1, 2, 3, 4, 5, 6)
    assert rig.state["dice"]["total"] == 21
    assert rig.say(1, "roll", {"faces": [1, 1, 1, 1]})["ok"]
    assert rig.say(1, "roll", {"faces": [1, 1, 1, 2]})["ok"]
    assert rig.state["dice"]["total"] == 26
    assert rig.say(2, "dice", {"say": "accept"})["ok"]
    assert rolls_heard(rig)[0] | {"faces": [1, 2, 3, 4, 5, 6, 1, 1, 1, 2], "read": "typed"} == rolls_heard(rig)[0]


def test_ten_dice_are_typed_on_the_keys_of_a_box_six_at_a_time() -> None:
    rig = at(10, boxes=True, reader=False)
    rig.press(1, "k1")
    assert rig.boxes.texts["box-1"] == "Dice: 1 _ _ _ _ _"
    rig.press(1, *[f"k{n}" for n in (2, 3, 4, 5, 6)], "push")
    assert rig.state["dice"]["state"] == "typed"
    rig.press(3, "push")
    assert rig.boxes.texts["box-1"] == "Dice from 7 of 10: roll or K1-K6"
    rig.press(1, "k1", "k1", "k1", "k1", "push")
    rig.press(2, "push")
    assert rolls_heard(rig)[0]["faces"] == [1, 2, 3, 4, 5, 6, 1, 1, 1, 1]


def test_a_roll_is_as_little_read_as_its_least_batch() -> None:
    rig = at(13)
    read(rig, *[1] * 6)
    rig.roll(*[2] * 6)
    for seat in (1, 2, 3):
        rig.say(seat, "dice", {"say": "hub"})
    (one,) = rolls_heard(rig)
    assert one["faces"][:12] == [1] * 6 + [2] * 6, "the hub rolls what is missing, nothing else"
    assert one["read"] == "hub"


def test_the_hub_rolls_all_batches_that_are_missing() -> None:
    rig = at(13)
    for seat in (1, 2, 3):
        rig.say(seat, "dice", {"say": "hub"})
    assert len(rolls_heard(rig)[0]["faces"]) == 13
    assert rig.state["dice"]["seat"] == 2


# --- what a reader tells -----------------------------------------------------------------------------------


def test_a_late_word_of_the_last_throw_does_not_count_for_the_next() -> None:
    rig = at(2)
    first = rig.dice.numbers[-1]
    read(rig, 6, 6)
    rig.see("settled", 6, 6, arm=first)
    assert rig.state["dice"] | {"seat": 2, "state": "armed", "faces": []} == rig.state["dice"]


def test_dice_that_are_picked_up_after_they_settled_were_rolled_all_the_same() -> None:
    rig = at(2)
    rig.see("settled", 1, 1)
    rig.see("rolling")
    rig.see("no_reader")
    rig.see("settled", 6, 6)
    wait(rig, ACCEPT_SECONDS)
    assert rolls_heard(rig)[0]["faces"] == [1, 1]


def test_of_a_cocked_throw_only_the_leaning_die_is_rolled_again() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    dice = rig.state["dice"]
    assert (dice["state"], dice["faces"], dice["say"]) == (
        "cocked",
        [2, 5],
        "One die is leaning: roll only that one again.",
    )
    wait(rig, 10)
    assert rolls_heard(rig) == []
    rig.see("rolling")
    assert rig.state["dice"]["faces"] == [2, 5], "those that lay flat stay in sight"
    rig.see("settled", 5, 6, 2)
    wait(rig, ACCEPT_SECONDS)
    assert rolls_heard(rig)[0]["faces"] == [5, 6, 2]


def test_who_rolls_the_flat_dice_too_keeps_them_as_they_lay() -> None:
    rig = at(3)
    rig.see("cocked", 1, 1)
    rig.see("settled", 6, 6, 6)
    dice = rig.state["dice"]
    assert (dice["faces"], rig.dice.armed[-1]) == ([1, 1], (1, 1, 6))
    rig.see("armed")
    assert rig.state["dice"]["say"] == "1 1 count: put those dice aside, and roll one die."
    read(rig, 4)
    assert rolls_heard(rig)[0]["faces"] == [1, 1, 4]


def lies(rig: TableRig, seat: int) -> dict[str, Any]:
    return rig.say(seat, "dice", {"say": "lies"})


def test_a_leaning_die_is_typed_as_it_lies_where_the_table_would_have_it_so() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    assert (rig.hand(1)["faces"]["count"], rig.state["dice"]["enough"]) == (1, 2)
    assert rig.say(1, "roll", {"faces": [6]})["error"] == (
        "A leaning die is rolled again, unless the table votes to read it as it lies."
    )
    assert lies(rig, 1)["ok"]
    assert rig.state["dice"] | {"state": "cocked", "as_it_lies": [1]} == rig.state["dice"]
    assert lies(rig, 3)["ok"]
    assert (
        rig.state["dice"] | {"state": "no_reader", "faces": [2, 5], "say": "The die is read as it lies: type it."}
        == rig.state["dice"]
    )
    rig.see("settled", 2, 5, 1)
    assert rig.state["dice"]["state"] == "no_reader", "now it is not thrown again"
    rig.roll(6)
    assert rolls_heard(rig)[0] | {"faces": [2, 5, 6], "read": "typed"} == rolls_heard(rig)[0]


@pytest.mark.parametrize(("seats", "wanted"), [(2, 2), (3, 2), (4, 3), (5, 3), (6, 3)])
def test_three_votes_read_a_die_as_it_lies_and_at_a_small_table_a_majority(seats: int, wanted: int) -> None:
    rig = TableRig(seats, offered=[GAMES[3]])
    rig.boxes_up()
    rig.sit()
    rig.start("trial-3")
    rig.see("cocked", 4)
    assert rig.boxes.texts["box-2"] == "A die leans. Push: read as it lies"
    for seat in range(seats, seats - wanted, -1):
        assert rig.state["dice"]["state"] == "cocked"
        rig.press(seat, "push")
    assert (
        rig.state["dice"] | {"state": "no_reader", "say": "The dice are read as they lie: type the 2 leaning ones."}
        == rig.state["dice"]
    )
    assert rig.boxes.texts["box-1"] == "Type what lies there: K1-K6"
    rig.press(1, "k2")
    assert rig.boxes.texts["box-1"] == "Dice: 2 _", "only the leaning ones are typed"
    rig.press(1, "k6", "push")
    rig.press(2, "push")
    assert rolls_heard(rig)[0]["faces"] == [4, 2, 6]


def test_a_vote_for_reading_a_die_as_it_lies_is_taken_back_or_ends_with_the_next_throw() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    lies(rig, 2)
    lies(rig, 2)
    assert rig.state["dice"]["as_it_lies"] == []
    lies(rig, 2)
    rig.see("rolling")
    assert lies(rig, 3)["error"] == "No die is leaning."
    rig.see("cocked", 2, 5)
    assert rig.state["dice"]["as_it_lies"] == [], "another throw, another vote"


def test_who_objects_to_a_die_that_was_read_as_it_lies_has_the_reader_look_again() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    lies(rig, 1)
    lies(rig, 2)
    assert rig.say(1, "roll", {"faces": [6]})["ok"]
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    rig.see("cocked", 2, 5)
    assert rig.state["dice"] | {"state": "cocked", "lying": False} == rig.state["dice"]


def test_two_leaning_dice_are_told_as_two() -> None:
    rig = at(3)
    rig.see("cocked", 4)
    assert rig.state["dice"]["say"] == "2 dice are leaning: roll only those again."
    rig.see("cocked", 4, 4)
    rig.see("cocked", 1, 4, 4, 6)
    assert rig.state["dice"]["state"] == "wrong_count"


def test_after_a_wrong_count_nothing_is_kept() -> None:
    rig = at(3)
    rig.see("wrong_count", say="I see 2 of 3.")
    assert rig.state["dice"] | {"state": "wrong_count", "faces": [], "say": "I see 2 of 3."} == rig.state["dice"]
    read(rig, 1, 2, 3)
    assert rolls_heard(rig)[0]["faces"] == [1, 2, 3]


def test_a_reader_that_goes_is_said_and_one_that_comes_back_watches_again() -> None:
    rig = at(3)
    rig.see("no_reader", say="The tray is dark: type what you see.")
    assert rig.state["dice"]["state"] == "no_reader"
    rig.see("armed")
    assert rig.state["dice"] | {"state": "armed", "say": ""} == rig.state["dice"]
    read(rig, 1, 2, 3)
    assert rolls_heard(rig)[0]["read"] == "read"


def test_a_reader_that_was_away_while_a_die_leaned_watches_for_that_die() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    rig.see("no_reader")
    rig.see("armed")
    assert rig.dice.armed[-1] == (1, 1, 6)
    read(rig, 3)
    assert rolls_heard(rig)[0]["faces"] == [2, 5, 3]


def test_a_reader_that_does_not_answer_is_none() -> None:
    rig = at(3)
    wait(rig, SILENT_SECONDS)
    assert rig.state["dice"] | {"state": "no_reader"} == rig.state["dice"]
    assert rig.state["dice"]["say"] == "The dice reader is silent: type what the dice show."
    rig.see("settled", 1, 2, 3)
    assert rig.state["dice"]["state"] == "settled", "better late than never"


def test_a_reader_that_answered_may_be_silent_until_somebody_throws() -> None:
    rig = at(3)
    rig.see("armed")
    wait(rig, SILENT_SECONDS * 3)
    assert rig.state["dice"]["state"] == "armed"


def test_who_objects_to_what_was_read_has_it_read_again_not_rolled_again() -> None:
    rig = at(2)
    rig.see("settled", 6, 6)
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    assert rig.dice.lying_arms == [rig.dice.numbers[-1]]
    wait(rig, ACCEPT_SECONDS * 2)
    assert rolls_heard(rig) == []


# --- nobody gets a better roll ------------------------------------------------------------------------------


def test_while_dice_lie_there_their_roller_does_nothing_else_and_takes_nothing_back() -> None:
    rig = TableRig(boxes=True, offered=[EARLY])
    rig.boxes_up()
    rig.sit()
    rig.start("early")
    assert rig.act(1, "climb")["ok"]
    assert rig.hand(1)["undo"]
    assert [move["move"] for move in rig.hand(1)["moves"]] == ["rest"]
    read(rig, 1, 1, 1, 1, 1, 1)
    assert not rig.hand(1)["undo"]
    assert rig.hand(1)["moves"] == []
    assert rig.act(1, "rest")["code"] == "DICE"
    assert rig.say(1, "undo")["code"] == "UNDO"
    rig.take(DiceSeen("tray", rig.dice.numbers[-1], "armed"))
    rig.press(1, "bar")
    assert rig.state["dice"]["votes"] == [1], "on the box there is no rest any more"
    assert rig.state["dice"]["done"], "what stands stands"


def test_the_hub_does_not_roll_dice_that_lie_there() -> None:
    rig = at(2)
    rig.see("settled", 1, 1)
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["code"] == "DICE"


@pytest.mark.parametrize("how", ["settled", "typed", "cocked"])
def test_a_roller_gains_nothing_by_having_the_dice_read_again(how: Any) -> None:
    rig = TableRig(boxes=False, offered=[EARLY])
    rig.sit()
    rig.start("early")
    assert rig.act(1, "climb")["ok"]
    if how == "typed":
        assert rig.say(1, "roll", {"faces": [1] * 6})["ok"]
    else:
        rig.see(how, *[1] * (6 if how == "settled" else 5))
    assert rig.say(1, "dice", {"say": "again"})["ok"]
    for said in ("armed", "no_reader"):
        rig.see(said)
        assert (rig.hand(1)["moves"], rig.hand(1)["undo"]) == ([], False)
        assert (rig.act(1, "rest")["code"], rig.say(1, "undo")["code"]) == ("DICE", "UNDO")
        for seat in (1, 2, 3):
            assert rig.say(seat, "dice", {"say": "hub"})["error"].startswith("The dice are still there")
    rig.take(DiceKit("tray", 2))
    assert rig.state["dice"]["batch"] == 6, "the reader still looks at these dice"
    read(rig, *[1] * 6)
    assert rig.state["dice"]["batch"] == 1
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["ok"], "the next die may be the hub's"


def test_the_hub_may_roll_what_leans_even_after_an_objection() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    rig.see("cocked", 2, 5)
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["ok"]
    assert rolls_heard(rig)[0]["faces"][:2] == [2, 5]


# --- who is asked, and what a roll wants ---------------------------------------------------------------------


def test_after_a_while_the_other_doors_are_pointed_out_and_then_staff_are_called() -> None:
    rig = at(2)
    rig.see("armed")
    wait(rig, HINT_SECONDS)
    assert rig.state["dice"]["say"] == "Roll, type what the dice show, or let the hub roll."
    wait(rig, STAFF_SECONDS)
    assert rig.notice() == "Seat 1 has not rolled for two minutes."


def test_the_odds_stand_beside_a_roll_before_it_falls() -> None:
    rig = at(2)
    assert rig.state["dice"]["wants"] == {
        "say": "against 2 dice, ties lose: 44 in 100",
        "exact": "575 in 1,296",
    }
    assert rig.state["dice"]["for"] == "trial"
    rig.see("settled", 1, 1)
    assert rig.state["dice"]["wants"] is None, "what lies there needs no odds"
    wait(rig, ACCEPT_SECONDS)
    assert rig.state["dice"]["wants"] == {"say": "9 or more: 28 in 100", "exact": "5 in 18"}


def test_the_odds_follow_the_batches_that_stand() -> None:
    rig = at(10)
    for batch in ([6] * 6, [6] * 4, [1] * 6):
        read(rig, *batch)
    wants = rig.state["dice"]["wants"]
    assert wants == {"say": "9 or more, 3 to go: sure", "exact": ""}


class Bench:
    """A table at which seat 1 throws the simulated dice."""

    def __init__(self, count: int) -> None:
        self.clock, self.inbox = StillClock(), Inbox()
        self.dice = SimDice("tray", self.inbox, self.clock, Random(4))
        self.clock.wakes.append(self.dice.wake)
        self.dice.start()
        self.rig = at(count, reader=self.dice)
        self.heard = 0
        self.hear("armed")

    def hear(self, state: str) -> dict[str, Any]:
        """Let the table hear what the dice do until they are in that state; the open roll then."""
        while self.inbox.next(DiceSeen).state != state:
            pass
        while self.heard < len(self.inbox.signals):
            self.rig.take(self.inbox.signals[self.heard])
            self.heard += 1
        return self.rig.state["dice"]

    def throw(self, state: str, **how: Any) -> dict[str, Any]:
        assert self.dice.throw(**how) is None
        self.hear("rolling")
        self.clock.advance(SimDice.TUMBLE + SimDice.REST)
        return self.hear(state)


@pytest.fixture
def trial_of_thirteen() -> Iterator[Bench]:
    bench = Bench(13)
    yield bench
    bench.dice.close()


def test_thirteen_simulated_dice_are_thrown_with_every_fault_on_the_way(trial_of_thirteen: Bench) -> None:
    bench = trial_of_thirteen
    rig = bench.rig
    assert bench.throw("wrong_count", count=7)["say"] == "I see 7 of 6 dice."
    bench.dice.cock()
    cocked = bench.throw("cocked")
    assert len(cocked["faces"]) == 5
    first = bench.throw("settled", faces=[4])["faces"]
    assert first[:5] == cocked["faces"]
    wait(rig, ACCEPT_SECONDS)
    bench.hear("armed")
    bench.dice.lose()
    assert bench.hear("no_reader")["total"] == sum(first)
    rig.roll(1, 2, 3, 4, 5, 6)
    assert bench.hear("no_reader")["batch"] == 1
    bench.dice.restore()
    bench.hear("armed")
    bench.throw("settled", faces=[6])
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    bench.hear("armed")
    bench.clock.advance(SimDice.REST)
    assert bench.hear("settled")["faces"] == [6], "read again as it lies"
    wait(rig, ACCEPT_SECONDS)
    (one,) = rolls_heard(rig)
    assert one["faces"] == [*first, 1, 2, 3, 4, 5, 6, 6]
    assert one["read"] == "typed"


def tumbles(random: Random, count: int) -> Iterator[tuple[Any, ...]]:
    """Whatever a reader may say, in any order."""
    while True:
        faces = tuple(random.randint(0, 7) for _ in range(random.randint(0, count + 1)))
        yield random.choice(("armed", "rolling", "settled", "settled", "cocked", "wrong_count", "no_reader")), faces


@pytest.mark.parametrize("seed", range(8))
def test_whatever_a_reader_says_only_whole_rolls_of_real_faces_count(seed: int) -> None:
    random = Random(seed)
    rig = at(13, store=MemoryStore())
    for (state, faces), _ in zip(tumbles(random, 6), range(600), strict=False):
        if random.random() < 0.3:
            faces = tuple(random.randint(1, 6) for _ in range(rig.state["dice"]["batch"] if rig.state["dice"] else 1))
        rig.see(state, *faces, arm=random.choice((0, 0, 0, 1)))
        if rig.state["over"]:
            break
        match random.random():
            case low if low < 0.1:
                rig.say(random.randint(1, 3), "dice", {"say": random.choice(("again", "accept"))})
            case low if low < 0.15:
                rig.say(1, "roll", {"faces": list(faces)})
            case low if low < 0.2:
                rig.take(DiceKit("tray", random.randint(0, 6)))
            case low if low < 0.25:
                rig.take(PhoneLink(rig.sids[3], random.random() < 0.5))
        dice = rig.state["dice"]
        if dice:
            assert len(dice["faces"]) <= dice["batch"] <= 6
            assert sum(len(batch["faces"]) for batch in dice["done"]) + dice["batch"] <= 13
        wait(rig, 0.5)
    for one in rolls_heard(rig):
        assert len(one["faces"]) == 13
        assert set(one["faces"]) <= set(range(1, 7))


# --- the moment at which something happens -----------------------------------------------------------------


def wakes(rig: TableRig) -> float:
    """The seconds until the table looks at its clock again by itself."""
    return round(rig.table.wait_seconds(), 6)


def state(rig: TableRig) -> tuple[str, list[int]]:
    """The state of the open roll, and the faces that it shows."""
    dice = rig.state["dice"]
    return dice["state"], dice["faces"]


def test_the_table_wakes_when_a_reader_has_been_silent_and_when_a_roll_counts() -> None:
    rig = at(2)
    wait(rig, SILENT_SECONDS - 0.5)
    assert (wakes(rig), state(rig)) == (0.5, ("armed", []))
    wait(rig, 0.5)
    assert state(rig) == ("no_reader", [])
    rig.see("settled", 3, 4)
    wait(rig, 0.25)
    assert (wakes(rig), state(rig)) == (ACCEPT_SECONDS - 0.25, ("settled", [3, 4]))
    rig.store.broken = "The disk is full."
    wait(rig, ACCEPT_SECONDS)
    assert (rig.state["state"], wakes(rig)) == ("stopped", 1)


@pytest.mark.parametrize("said", ["armed", "rolling", "cocked", "wrong_count", "no_reader"])
def test_a_reader_that_has_said_anything_is_not_called_silent(said: Any) -> None:
    rig = at(2)
    rig.see(said, say="It says so.")
    wait(rig, SILENT_SECONDS)
    assert (rig.state["dice"]["state"], rig.state["dice"]["say"]) == (said, "" if said == "rolling" else "It says so.")


def test_dice_typed_before_the_reader_has_answered_stay_typed() -> None:
    rig = at(2)
    assert rig.say(1, "roll", {"faces": [3, 4]})["ok"]
    assert not rig.dice.on, "the reader need not look any more"
    wait(rig, SILENT_SECONDS)
    assert state(rig) == ("typed", [3, 4])
    assert rig.state["dice"]["say"] == "Seat 1 typed this. Another player must confirm it within a minute."


def test_dice_typed_instead_of_what_was_read_wait_for_another_seat() -> None:
    rig = at(2)
    rig.see("settled", 6, 6)
    assert rig.say(1, "roll", {"faces": [1, 2]})["ok"]
    wait(rig, ACCEPT_SECONDS)
    assert (state(rig), rig.state["dice"]["read"]) == (("typed", [1, 2]), "typed")
    assert rig.say(2, "dice", {"say": "accept"})["ok"]
    assert (rolls_heard(rig)[0]["faces"], rolls_heard(rig)[0]["read"]) == ([1, 2], "typed")


def test_typed_dice_count_after_a_minute_in_which_nobody_has_objected() -> None:
    rig = at(2)
    wait(rig, SILENT_SECONDS)
    assert rig.say(1, "roll", {"faces": [3, 4]})["ok"]
    wait(rig, TYPED_SECONDS - 0.1)
    assert state(rig) == ("typed", [3, 4])
    wait(rig, 0.1)
    assert (rolls_heard(rig)[0]["faces"], rolls_heard(rig)[0]["read"]) == ([3, 4], "typed")


def test_typed_dice_count_once_everybody_else_has_gone() -> None:
    rig = at(2)
    assert rig.say(1, "roll", {"faces": [3, 4]})["ok"]
    rig.take(PhoneLink(rig.sids[2], False))
    assert state(rig) == ("typed", [3, 4])
    rig.take(PhoneLink(rig.sids[3], False))
    assert rolls_heard(rig)[0]["faces"] == [3, 4]


def test_read_dice_do_not_count_sooner_because_everybody_else_has_gone() -> None:
    rig = at(2)
    rig.see("settled", 3, 4)
    rig.take(*(PhoneLink(rig.sids[seat], False) for seat in (2, 3)))
    assert state(rig) == ("settled", [3, 4])


def test_an_objection_stops_the_second_after_which_a_roll_counts() -> None:
    rig = at(2)
    rig.see("settled", 6, 6)
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    rig.see("armed")
    wait(rig, ACCEPT_SECONDS)
    assert (state(rig), rig.state["dice"]["read"], rig.state["dice"]["say"]) == (("armed", []), None, "")


@pytest.mark.parametrize(
    ("said", "faces"), [("rolling", ()), ("settled", (1, 2, 3)), ("cocked", (1, 2)), ("wrong_count", ())]
)
def test_staff_are_called_two_minutes_after_the_dice_last_moved(said: Any, faces: tuple[int, ...]) -> None:
    rig = at(3)
    rig.see("armed")
    wait(rig, STAFF_SECONDS - 0.1)
    assert rig.notice() == ""
    rig.see(said, *faces)
    if said == "settled":
        rig.see("settled", *faces)
        assert rig.say(2, "dice", {"say": "again"})["ok"]
        rig.see("armed")
    wait(rig, STAFF_SECONDS - 0.1)
    assert rig.notice() == ""
    wait(rig, 0.1)
    assert rig.notice() == "Seat 1 has not rolled for two minutes."
    read(rig, 1, 2, 3)
    assert rig.notice() == ""


@pytest.mark.parametrize("said", ["armed", "no_reader"])
def test_a_reader_that_waits_or_is_lost_does_not_put_off_the_call_for_staff(said: Any) -> None:
    rig = at(3)
    wait(rig, STAFF_SECONDS - 0.1)
    rig.see(said)
    wait(rig, 0.1)
    assert rig.notice() == "Seat 1 has not rolled for two minutes."


def test_staff_are_not_called_while_dice_have_only_to_be_accepted() -> None:
    rig = at(10)
    assert rig.say(1, "roll", {"faces": [1] * 6})["ok"]
    wait(rig, STAFF_SECONDS - 0.1)
    assert state(rig) == ("armed", []), "the batch has counted after a minute"
    assert rig.say(1, "roll", {"faces": [1] * 4})["ok"]
    rig.clock.time += STAFF_SECONDS
    assert rig.say(1, "roll", {"faces": [2] * 4})["ok"]
    assert (state(rig), rig.notice()) == (("typed", [2] * 4), "")


def test_each_batch_has_its_own_two_minutes() -> None:
    rig = at(10)
    wait(rig, STAFF_SECONDS - 10)
    assert rig.say(1, "roll", {"faces": [1] * 6})["ok"]
    wait(rig, 20)
    assert rig.say(2, "dice", {"say": "accept"})["ok"]
    wait(rig, STAFF_SECONDS - 0.1)
    assert rig.notice() == ""
    wait(rig, 0.1)
    assert rig.notice() == "Seat 1 has not rolled for two minutes."


def test_the_other_ways_to_roll_are_pointed_out_after_45_seconds_and_hide_no_other_sentence() -> None:
    rig = at(2)
    rig.see("armed")
    wait(rig, HINT_SECONDS - 0.1)
    assert rig.state["dice"]["say"] == ""
    wait(rig, 0.1)
    assert rig.state["dice"]["say"] == "Roll, type what the dice show, or let the hub roll."
    rig.see("rolling")
    wait(rig, HINT_SECONDS)
    assert rig.state["dice"]["say"] == "", "dice are in the air"
    rig.see("armed", say="Two dice, please.")
    wait(rig, HINT_SECONDS)
    assert rig.state["dice"]["say"] == "Two dice, please."


def test_a_reminder_alone_is_shown_at_once() -> None:
    rig = at(2)
    rig.see("armed")
    shown = rig.state["seq"]
    wait(rig, HINT_SECONDS)
    wait(rig, 1)
    assert rig.state["seq"] == shown + 1


# --- how many dice a reader watches for --------------------------------------------------------------------


@pytest.mark.parametrize(("dice", "batch"), [(0, 6), (1, 1), (5, 5), (6, 6), (8, 6)])
def test_a_batch_is_as_large_as_the_readers_kit_and_at_most_six(dice: int, batch: int) -> None:
    rig = TableRig(boxes=False, offered=[GAMES[10]])
    rig.take(DiceKit("tray", dice))
    rig.sit()
    rig.start("trial-10")
    assert (rig.state["dice"]["batch"], rig.dice.armed[-1]) == (batch, (1, batch, 6))


def test_the_size_of_an_untouched_batch_follows_the_kit_even_while_the_reader_is_lost() -> None:
    rig = at(4)
    arms = len(rig.dice.numbers)
    rig.take(DiceKit("tray", 6))
    assert len(rig.dice.numbers) == arms, "the size is the same: nothing is asked again"
    rig.see("no_reader")
    rig.take(DiceKit("tray", 3))
    assert (rig.state["dice"]["batch"], rig.dice.armed[-1]) == (3, (1, 3, 6))


@pytest.mark.parametrize("how", ["put aside", "flat", "read again"])
def test_the_size_of_a_batch_of_which_dice_lie_there_does_not_follow_the_kit(how: str) -> None:
    rig = at(4)
    match how:
        case "put aside":
            rig.see("cocked", 1, 1)
            rig.see("settled", 6, 6, 6, 6)
        case "flat":
            rig.see("cocked", 1, 1)
            rig.see("no_reader")
        case "read again":
            read(rig, 1, 2, 3, 4)
            for seat in (1, 2):
                rig.say(seat, "dice", {"say": "reread"})
    arms = len(rig.dice.numbers)
    rig.take(DiceKit("tray", 2))
    assert (rig.state["dice"]["batch"], len(rig.dice.numbers)) == (4, arms)


# --- what the reader and the table say ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "faces", "sentence"),
    [
        ("settled", (1, 2), "I see 2 of 3: roll again, or type what they show."),
        ("settled", (1, 2, 3, 4), "I see 4 of 3: roll again, or type what they show."),
        ("settled", (1, 0, 7), "I see a 0, which no die here has: roll again, or type what they show."),
        ("settled", (1, 7, 6), "I see a 7, which no die here has: roll again, or type what they show."),
        ("cocked", (1, 2, 3), "I see 4 of 3: roll again, or type what they show."),
        ("cocked", (1, 2, 3, 4), "I see 5 of 3: roll again, or type what they show."),
        ("cocked", (1, 7), "I see a 7, which no die here has: roll again, or type what they show."),
        ("wrong_count", (), "Too many."),
    ],
)
def test_what_cannot_be_a_roll_is_said_and_none_of_it_is_kept(said: Any, faces: tuple[int, ...], sentence: str) -> None:
    rig = at(3)
    rig.see("cocked", 1, 6)
    rig.see(said, *faces, say="Too many." if said == "wrong_count" else "")
    assert (state(rig), rig.state["dice"]["say"]) == (("wrong_count", []), sentence)
    read(rig, 4, 4, 4)
    assert rolls_heard(rig)[0]["faces"] == [4, 4, 4]


def test_one_and_six_are_faces_of_a_die_and_all_dice_but_one_may_lean() -> None:
    rig = at(3)
    rig.see("cocked", 1, 6)
    assert state(rig) == ("cocked", [1, 6])
    rig.see("cocked", 1, 6, say="The blue die leans.")
    assert rig.state["dice"]["say"] == "The blue die leans."


def test_the_reader_says_what_it_waits_for() -> None:
    rig = at(3)
    rig.see("armed", say="Three dice into the tray.")
    assert rig.state["dice"]["say"] == "Three dice into the tray."
    rig.see("rolling", say="not said")
    assert rig.state["dice"]["say"] == ""
    rig.see("no_reader")
    assert rig.state["dice"]["say"] == "Type what the dice show."
    rig.see("armed")
    assert rig.state["dice"]["say"] == ""


def test_flat_dice_that_changed_while_others_lean_are_put_aside_as_they_lay() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    rig.see("cocked", 5, 2)
    assert state(rig) == ("cocked", [5, 2]), "the order makes no difference"
    rig.see("cocked", 5, 6)
    assert (state(rig), rig.dice.armed[-1]) == (("armed", [5, 2]), (1, 1, 6))
    assert rig.state["dice"]["say"] == "5 2 count: put those dice aside, and roll one die."
    rig.see("settled", 3)
    assert state(rig) == ("settled", [5, 2, 3])
    assert rig.state["dice"]["total"] == 10


def test_one_flat_die_is_put_aside_and_two_are_rolled_again() -> None:
    rig = at(3)
    rig.see("cocked", 2)
    rig.see("no_reader")
    rig.see("armed")
    assert rig.state["dice"]["say"] == "2 counts: put that die aside, and roll 2 dice."
    assert (rig.hand(1)["faces"]["count"], rig.dice.lying_arms) == (2, [])
    rig.see("settled", 1)
    assert rig.state["dice"]["say"] == "I see 1 of 2: roll again, or type what they show."
    rig.see("cocked", 6)
    assert (state(rig), rig.state["dice"]["say"]) == (
        ("cocked", [2, 6]),
        "One die is leaning: roll only that one again.",
    )
    read(rig, 6, 4)
    assert rolls_heard(rig)[0]["faces"] == [2, 6, 4]


def test_dice_put_aside_count_beside_typed_ones() -> None:
    rig = at(3)
    rig.see("cocked", 2)
    rig.see("settled", 6, 6, 6)
    for faces in ([1], [1, 2, 3], [0, 1], [1, 7]):
        assert rig.say(1, "roll", {"faces": faces})["error"] == "Type 2 dice, each 1 to 6."
    assert rig.say(1, "roll", {"faces": [1, 6]})["ok"]
    assert state(rig) == ("typed", [2, 1, 6])


def test_the_votes_on_a_leaning_die_stay_while_it_is_seen_to_lean() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    lies(rig, 2)
    rig.see("cocked", 2, 5)
    assert rig.state["dice"]["as_it_lies"] == [2]
    rig.see("settled", 2, 5, 6)
    assert rig.state["dice"]["as_it_lies"] == []


def test_the_votes_on_a_leaning_die_end_when_it_is_read_again() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    lies(rig, 2)
    assert rig.say(3, "dice", {"say": "again"})["ok"]
    assert (state(rig), rig.state["dice"]["as_it_lies"], rig.dice.lying_arms) == (
        ("armed", []),
        [],
        rig.dice.numbers[-1:],
    )


def test_after_a_wrong_count_the_reader_waits_for_a_new_throw() -> None:
    rig = at(3)
    rig.see("wrong_count")
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    assert (state(rig), rig.dice.lying_arms, rig.dice.armed[-1]) == (("armed", []), [], (1, 3, 6))


def test_of_dice_read_as_they_lie_all_are_said_to_lie_there() -> None:
    rig = at(3)
    rig.see("cocked", 2, 5)
    assert not rig.state["dice"]["lying"]
    lies(rig, 1)
    lies(rig, 2)
    assert rig.state["dice"] | {"lying": True, "again": False, "as_it_lies": [1, 2]} == rig.state["dice"]
    assert not rig.dice.on
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["code"] == "DICE"


def test_a_reading_and_an_objection_need_no_sentence() -> None:
    rig = at(2)
    rig.see("armed", say="Two dice, please.")
    rig.see("settled", 1, 6)
    assert (state(rig), rig.state["dice"]["read"], rig.state["dice"]["say"]) == (("settled", [1, 6]), "read", "")
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    assert (rig.state["dice"]["read"], rig.state["dice"]["say"]) == (None, "")
    rig = at(2, reader=False)
    assert rig.say(1, "roll", {"faces": [1, 6]})["ok"]
    assert rig.say(2, "dice", {"say": "again"})["ok"]
    assert (state(rig), rig.state["dice"]["say"]) == (("no_reader", []), "Type what the dice show.")


def test_a_reader_is_asked_once_for_each_batch_and_only_unfinished_rolls_are_kept() -> None:
    rig = at(10)
    read(rig, 1, 2, 3, 4, 5, 6)
    assert rig.order.count("keep dice") == 1
    read(rig, 1, 2, 3, 4)
    assert rig.dice.armed == [(1, 6, 6), (1, 4, 6), (2, 6, 6)]
    assert rig.order.count("keep dice") == 2, "the finished roll was forgotten"
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["ok"]
    assert len(rig.dice.armed) == 3, "the hub needs no reader"


def test_what_the_reader_says_of_no_roll_shows_nothing_new() -> None:
    rig = TableRig(boxes=False, offered=[EARLY])
    rig.sit()
    rig.start("early")
    shown = len(rig.phones.public)
    rig.see("settled", 6, 6)
    assert len(rig.phones.public) == shown
    assert rig.act(1, "climb")["ok"]
    shown = len(rig.phones.public)
    rig.see("rolling", arm=rig.dice.numbers[-1] + 1)
    assert len(rig.phones.public) == shown, "it is about another throw"


# --- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "faces", "seat", "verb", "args", "error"),
    [
        ("armed", (), 2, "roll", {"faces": [1, 1]}, "Only Seat 1 rolls now."),
        ("armed", (), 1, "roll", {"faces": [1]}, "Type 2 dice, each 1 to 6."),
        ("cocked", (3,), 1, "roll", {"faces": [1]}, "A leaning die is rolled again, unless the table votes to read it"),
        ("armed", (), 1, "dice", {"say": "accept"}, "No roll has been read yet."),
        ("armed", (), 2, "dice", {"say": "accept"}, "No roll has been read yet."),
        ("settled", (1, 1), 2, "dice", {"say": "accept"}, "Only Seat 1 accepts this roll."),
        ("armed", (), 2, "dice", {"say": "again"}, "There is no roll to read again."),
        ("armed", (), 2, "dice", {"say": "lies"}, "No die is leaning."),
        ("settled", (1, 1), 2, "dice", {"say": "hub"}, "The dice are still there: say whether they were read"),
    ],
)
def test_what_does_not_go_with_the_dice_is_refused_in_a_sentence(
    said: Any, faces: tuple[int, ...], seat: int, verb: str, args: dict[str, Any], error: str
) -> None:
    rig = at(2)
    rig.see(said, *faces)
    answer = rig.say(seat, verb, args)
    assert (answer["ok"], answer["code"]) == (False, "DICE")
    assert answer["error"].startswith(error)


def test_the_roller_does_not_confirm_typed_dice() -> None:
    rig = at(2)
    assert rig.say(1, "roll", {"faces": [1, 1]})["ok"]
    assert rig.say(1, "dice", {"say": "accept"})["error"] == "Another player must confirm typed dice."


def test_dice_are_not_answered_for_while_no_roll_is_needed() -> None:
    rig = TableRig(boxes=False, offered=[EARLY])
    rig.sit()
    rig.start("early")
    for seat, verb, args in ((1, "roll", {"faces": [1]}), (2, "dice", {"say": "hub"}), (1, "dice", {"say": "accept"})):
        answer = rig.say(seat, verb, args)
        assert (answer["code"], answer["error"]) == ("DICE", "No roll is needed now.")


def test_an_answer_about_the_open_roll_may_name_it_and_one_about_an_older_roll_is_late() -> None:
    rig = at(2)
    read(rig, 1, 1)
    number = rig.hand(2)["number"]
    assert rig.say(2, "roll", {"faces": [2, 2]}, number=number - 1)["code"] == "STALE"
    assert rig.say(2, "roll", {"faces": [2, 2]}, number=number)["ok"]


def test_a_roller_whose_dice_have_fallen_is_told_to_finish_the_roll() -> None:
    rig = TableRig(boxes=False, offered=[EARLY])
    rig.sit()
    rig.start("early")
    assert rig.act(1, "climb")["ok"]
    rig.see("cocked", 1)
    answer = rig.act(1, "rest")
    assert (answer["code"], answer["error"]) == ("DICE", "Your dice have begun to fall: finish the roll first.")
    assert rig.say(1, "undo")["error"] == "Dice have been read since, so the move cannot be taken back."


@pytest.mark.parametrize("said", ["armed", "rolling", "wrong_count", "no_reader"])
def test_a_roller_of_whose_dice_none_is_known_may_do_something_else(said: Any) -> None:
    rig = TableRig(boxes=False, offered=[EARLY])
    rig.sit()
    rig.start("early")
    assert rig.act(1, "climb")["ok"]
    rig.see(said)
    assert rig.hand(1)["undo"]
    assert [move["move"] for move in rig.hand(1)["moves"]] == ["rest"]
    assert rig.say(1, "undo")["ok"]


# --- the hub rolls -----------------------------------------------------------------------------------------


def test_the_hub_rolls_only_what_leans_and_keeps_what_lies_flat_or_was_put_aside() -> None:
    rig = at(4)
    rig.see("cocked", 2, 2)
    rig.see("settled", 5, 5, 5, 5)
    rig.see("cocked", 3)
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["ok"]
    (one,) = rolls_heard(rig)
    assert (one["faces"][:3], len(one["faces"]), one["read"]) == ([2, 2, 3], 4, "hub")
    assert one["faces"][3] in range(1, 7)


def test_votes_for_the_hub_end_with_their_batch() -> None:
    rig = at(10)
    assert rig.say(2, "dice", {"say": "hub"})["ok"]
    assert rig.state["dice"]["votes"] == [2]
    read(rig, 1, 1, 1, 1, 1, 1)
    assert (rig.state["dice"]["batch"], rig.state["dice"]["votes"]) == (4, [])
    assert rig.say(2, "dice", {"say": "hub"})["ok"]
    read(rig, 1, 1, 1, 1)
    assert (rig.state["dice"]["seat"], rig.state["dice"]["votes"]) == (2, [])


def test_only_those_who_are_there_decide_that_the_hub_rolls() -> None:
    rig = at(2)
    rig.take(PhoneLink(rig.sids[3], False))
    assert rig.say(1, "dice", {"say": "hub"})["ok"]
    assert rolls_heard(rig) == []
    assert rig.say(2, "dice", {"say": "hub"})["ok"]
    assert rolls_heard(rig)[0]["read"] == "hub"


def test_a_player_whose_phone_sleeps_is_there_by_the_box_for_a_while_after_touching_it() -> None:
    rig = at(2, boxes=True)
    rig.press(3, "k1")
    rig.take(PhoneLink(rig.sids[3], False))
    for seat in (1, 2):
        assert rig.say(seat, "dice", {"say": "hub"})["ok"]
    assert rolls_heard(rig) == []
    rig.press(3, "push")
    assert rolls_heard(rig)[0]["read"] == "hub"


# --- a table at which the hub rolls all dice ---------------------------------------------------------------


def hub_rolls_at(count: int, **kind: Any) -> TableRig:
    """A table whose people let the hub roll; seat 1 is asked for so many dice."""
    rig = TableRig(**{"boxes": False, "offered": [GAMES[count]], **kind})
    if rig.ports.boxes:
        rig.boxes_up()
    rig.sit()
    assert rig.say(1, "hub_rolls", {"on": True})["ok"]
    rig.start(f"trial-{count}")
    return rig


@pytest.mark.parametrize("said", ["armed", "no_reader"])
def test_the_hub_rolls_untouched_dice_by_itself_for_one_seat_after_the_other(said: Any) -> None:
    rig = hub_rolls_at(10)
    rig.see(said, say="not said")
    for seat in (1, 2):
        dice = rig.state["dice"]
        assert (dice["state"], dice["seat"], dice["say"]) == ("armed", seat, f"The hub rolls for Seat {seat}.")
        assert len(rolls_heard(rig)) == seat - 1
        wait(rig, HUB_SECONDS - 0.25)
        assert (wakes(rig), len(rolls_heard(rig))) == (0.25, seat - 1)
        wait(rig, 0.25)
    assert [(len(one["faces"]), one["read"]) for one in rolls_heard(rig)] == [(10, "hub"), (10, "hub")]
    assert (rig.state["over"]["winners"], rig.state["dice"]) == ([1], None)


@pytest.mark.parametrize(
    ("said", "faces"), [("rolling", ()), ("cocked", (1,)), ("wrong_count", ()), ("settled", (1, 1))]
)
def test_dice_that_people_have_thrown_are_not_the_hubs(said: Any, faces: tuple[int, ...]) -> None:
    rig = hub_rolls_at(2)
    rig.see(said, *faces)
    if said == "settled":
        assert rig.say(2, "dice", {"say": "again"})["ok"]
    wait(rig, HUB_CHOICE_SECONDS)
    assert rolls_heard(rig) == []
    assert rig.state["dice"]["say"] != "The hub rolls for Seat 1."


def test_the_next_batch_of_a_throw_is_not_the_hubs_until_its_roller_says_so() -> None:
    rig = hub_rolls_at(10)
    read(rig, 1, 2, 3, 4, 5, 6)
    wait(rig, HUB_CHOICE_SECONDS)
    assert (rig.state["dice"]["batch"], rolls_heard(rig)) == (4, [])
    assert rig.say(2, "dice", {"say": "hub"})["ok"]
    assert rig.state["dice"]["votes"] == [2], "another seat has only a vote"
    assert rig.say(1, "dice", {"say": "hub"})["ok"]
    assert rolls_heard(rig)[0]["faces"][:6] == [1, 2, 3, 4, 5, 6]


def test_where_people_roll_the_rollers_word_for_the_hub_is_a_vote() -> None:
    rig = at(2)
    assert rig.say(1, "dice", {"say": "hub"})["ok"]
    assert (rig.state["dice"]["votes"], rolls_heard(rig)) == ([1], [])


def test_who_could_do_something_else_has_fifteen_seconds_before_the_hub_rolls() -> None:
    rig = TableRig(boxes=False, offered=[EARLY])
    rig.sit()
    assert rig.say(1, "hub_rolls", {"on": True})["ok"]
    rig.start("early")
    assert rig.act(1, "climb")["ok"]
    wait(rig, HUB_CHOICE_SECONDS - 0.25)
    assert (rig.state["over"], wakes(rig)) == (None, 0.25)
    wait(rig, 0.25)
    assert rig.state["over"]


def test_the_hub_rolls_nothing_while_the_table_votes_on_dice_or_reads_them_again() -> None:
    rig = hub_rolls_at(1)
    assert rig.say(1, "roll", {"faces": [3]})["ok"]
    assert rig.say(2, "dice", {"say": "accept"})["ok"]
    assert rig.state["dice"]["say"] == "The hub rolls for Seat 2."
    for seat, held in ((1, None), (2, "The dice are read again as they lie.")):
        assert rig.say(seat, "dice", {"say": "reread"})["ok"]
        wait(rig, HUB_SECONDS)
        assert len(rig.match.log) == 1
        assert (rig.state["dice"] or {}).get("say") == held
    assert rig.say(1, "dice", {"say": "hub"})["code"] == "DICE", "not even if the roller wants it"


def test_the_hub_rolls_nothing_while_the_disk_is_full() -> None:
    rig = hub_rolls_at(1)
    rig.store.broken = "The disk is full."
    wait(rig, HUB_SECONDS)
    assert (rig.state["state"], wakes(rig)) == ("stopped", 1)
    wait(rig, HUB_SECONDS)
    rig.store.broken = ""
    rig.take(Tick())
    assert (rig.state["state"], len(rolls_heard(rig))) == ("playing", 1)


def test_who_rolls_is_not_known_while_the_disk_cannot_be_read() -> None:
    store = MemoryStore()
    store.unreadable = "The disk is broken."
    assert not TableRig(boxes=False, offered=[GAMES[1]], store=store).state["hub_rolls"]


def test_the_choice_that_people_roll_survives_a_restart_as_well() -> None:
    rig = TableRig(boxes=False, offered=[GAMES[1]])
    rig.sit()
    assert not rig.state["hub_rolls"]
    for on in (True, False):
        assert rig.say(1, "hub_rolls", {"on": on})["ok"]
        assert rig.state["hub_rolls"] == on
        assert TableRig(boxes=False, offered=[GAMES[1]], store=rig.store).state["hub_rolls"] == on


@pytest.mark.parametrize("stays", [True, False])
def test_the_house_alone_is_no_party_for_which_the_hub_goes_on_rolling(stays: bool) -> None:
    rig = TableRig(boxes=False, offered=[GAMES[1]], house=HouseSettings())
    rig.sit(1, 2)
    assert rig.say(1, "house", {"seat": 3, "strength": "easy"})["ok"]
    assert rig.say(1, "hub_rolls", {"on": True})["ok"]
    rig.say_leave(1)
    if not stays:
        rig.say_leave(2)
    rig.take(Tick())
    assert rig.state["hub_rolls"] == stays


# --- dice between matches ----------------------------------------------------------------------------------


def test_staff_have_the_lying_dice_counted_between_matches_if_there_is_a_reader() -> None:
    rig = TableRig(boxes=False, offered=[GAMES[1]])
    for times in (1, 2):
        assert staff(rig, "test", what="dice")[0]
        assert (rig.dice.armed, rig.dice.lying_arms) == ([(1, 6, 6)] * times, rig.dice.numbers)
    rig = TableRig(boxes=False, offered=[GAMES[1]], reader=False)
    assert staff(rig, "test", what="dice")[0]
    assert rig.dice.armed == []


# --- after a power cut -------------------------------------------------------------------------------------


def test_batches_of_another_roll_do_not_count() -> None:
    rig = at(10)
    read(rig, 1, 2, 3, 4, 5, 6)
    kept = rig.store.kept["1", "dice"]
    read(rig, 1, 1, 1, 1)
    assert not rig.store.kept["1", "dice"]
    rig.store.kept["1", "dice"] = kept  # the power cut came between the roll and this
    again = TableRig(boxes=False, offered=[GAMES[10]], store=rig.store)
    assert (again.state["dice"]["seat"], again.state["dice"]["done"]) == (2, [])


def test_a_roll_that_was_kept_whole_waits_for_its_last_batch_again() -> None:
    rig = at(10)
    read(rig, 1, 2, 3, 4, 5, 6)
    kept = msgspec.json.decode(rig.store.kept["1", "dice"], type=KeptRoll)
    whole = KeptRoll(kept.key, [*kept.batches, Batch([1, 1, 1, 1], "read")])
    rig.store.kept["1", "dice"] = msgspec.json.encode(whole)
    again = TableRig(boxes=False, offered=[GAMES[10]], store=rig.store)
    assert (again.state["dice"]["total"], again.state["dice"]["batch"]) == (21, 4)


# --- the odds ----------------------------------------------------------------------------------------------


def test_the_exact_odds_are_left_out_if_the_sentence_has_them() -> None:
    rig = at(2)
    rig.take(DiceKit("tray", 1))
    for face in (1, 1, 5):
        assert rig.state["dice"]["wants"]["exact"] != ""
        read(rig, face)
    assert rig.state["dice"]["wants"] == {"say": "9 or more, 4 to go: 3 in 6", "exact": ""}
    rig.see("settled", 4)
    assert (rig.state["dice"]["wants"], rig.state["dice"]["total"]) == (None, 9)
    assert rig.say(1, "dice", {"say": "again"})["ok"]
    assert rig.say(2, "roll", {"faces": [3]})["ok"]
    assert (rig.state["dice"]["wants"], rig.state["dice"]["total"]) == (None, 8)
