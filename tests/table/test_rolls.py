"""Sentences about dice at a table, for whatever game asks for them: many of them, leaning, lost, read again, typed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from drivers.simulated.dice import SimDice
from hub import games
from hub.engine.decision import Won, ask, offer, roll, roll_or, tell
from hub.engine.game import Game
from hub.engine.odds import AtLeast, Beats
from hub.ports import DiceKit, DiceSeen, PhoneLink, Tick
from hub.table.dice.roll_states import ACCEPT_SECONDS, HINT_SECONDS, SILENT_SECONDS, STAFF_SECONDS
from tests.drivers.bench import Inbox, StillClock
from tests.engine.ladder import Climb
from tests.table.fakes import MemoryStore, TableRig
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
    raise Won([1], dict.fromkeys(s.seats, 0), f"{got}")


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
    rig.press(1, *[f"k{n}" for n in (1, 2, 3, 4, 5, 6)], "push")
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
    rig.press(1, "k2", "k6", "push")
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
