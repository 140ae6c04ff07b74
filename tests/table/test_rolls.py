"""Sentences about dice at a table, for whatever game asks for them: many of them, leaning, lost, doubted, typed."""

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
from hub.table.roll_states import ACCEPT_SECONDS, HINT_SECONDS, SILENT_SECONDS, STAFF_SECONDS
from tests.drivers.bench import Inbox, StillClock
from tests.engine.ladder import Climb
from tests.table.fakes import MemoryStore, Room
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


def at(count: int, **kind: Any) -> Room:
    """A table at which seat 1 is asked for so many dice."""
    room = Room(**{"boxes": False, "offered": [GAMES[count]], **kind})
    if room.ports.boxes:
        room.boxes_up()
    room.sit()
    room.start(f"trial-{count}")
    return room


def wait(room: Room, seconds: float) -> None:
    room.clock.time += seconds
    room.take(Tick())


def read(room: Room, *faces: int) -> None:
    """A batch is read, and stands."""
    room.see("rolling")
    room.see("settled", *faces)
    wait(room, ACCEPT_SECONDS)


def told(room: Room) -> list[dict[str, Any]]:
    """The rolls that the rules were told of."""
    return [event["data"] for event in room.state["events"] if event["kind"] == "roll"]


# --- many dice --------------------------------------------------------------------------------------------


def test_ten_dice_come_in_two_batches_with_a_running_total_and_are_one_roll() -> None:
    room = at(10)
    assert room.dice.armed == [(1, 6, 6)]
    read(room, 1, 2, 3, 4, 5, 6)
    dice = room.state["dice"]
    assert (dice["count"], dice["batch"], dice["total"], dice["state"]) == (10, 4, 21, "armed")
    assert dice["done"] == [{"faces": [1, 2, 3, 4, 5, 6], "read": "read"}]
    assert room.dice.armed[-1] == (1, 4, 6)
    room.see("settled", 6, 5, 4, 3)
    assert room.state["dice"]["total"] == 39
    assert told(room) == []
    wait(room, ACCEPT_SECONDS)
    (one,) = told(room)
    assert (one["faces"], one["read"]) == ([1, 2, 3, 4, 5, 6, 6, 5, 4, 3], "read")
    assert room.state["dice"]["done"] == [], "the next roll begins with nothing"


@pytest.mark.parametrize(("count", "batches"), [(1, [1]), (4, [4]), (10, [6, 4]), (13, [6, 6, 1])])
def test_no_batch_has_more_than_six_dice(count: int, batches: list[int]) -> None:
    room = at(count)
    for size in batches:
        assert (room.state["dice"]["batch"], room.hand(1)["faces"]["count"]) == (size, size)
        read(room, *[2] * size)
    assert told(room)[0]["faces"] == [2] * count


def test_a_reader_with_fewer_dice_is_asked_for_no_more_than_it_has() -> None:
    room = at(4)
    room.take(DiceKit("tray", 3))
    assert room.dice.armed[-1] == (1, 3, 6), "nobody has thrown yet: the batch is asked for anew"
    room.see("rolling")
    room.take(DiceKit("tray", 2))
    assert room.dice.armed[-1] == (1, 3, 6), "a throw in the air is not called back"
    read(room, 1, 2, 3)
    assert room.dice.armed[-1] == (1, 1, 6)


def test_a_low_battery_is_known_in_the_lobby() -> None:
    room = Room(boxes=False, offered=[GAMES[1]])
    assert room.state["kit"] is None
    room.take(DiceKit("tray", 6, ("red",)))
    assert room.state["state"] == "lobby"
    assert room.state["kit"] == {"dice": 6, "weak": ["red"]}


def test_batches_that_stand_survive_a_power_cut() -> None:
    room = at(10)
    read(room, 1, 2, 3, 4, 5, 6)
    again = Room(boxes=False, offered=[GAMES[10]], store=room.store)
    again.sids = room.sids
    assert (again.state["dice"]["total"], again.state["dice"]["batch"]) == (21, 4)
    read(again, 6, 6, 6, 6)
    assert told(again)[0]["faces"] == [1, 2, 3, 4, 5, 6, 6, 6, 6, 6]


def test_a_batch_is_on_disk_before_anybody_sees_that_it_stands() -> None:
    room = at(10)
    room.see("settled", 1, 2, 3, 4, 5, 6)
    start = len(room.order)
    wait(room, ACCEPT_SECONDS)
    assert room.order[start:][:2] == ["keep dice", "show"]


def test_a_batch_that_the_disk_does_not_take_does_not_stand() -> None:
    room = at(10)
    room.see("settled", 1, 2, 3, 4, 5, 6)
    room.store.broken = "The disk is full."
    wait(room, ACCEPT_SECONDS)
    assert room.state["state"] == "stopped"
    room.store.broken = ""
    room.take(Tick())
    assert (room.state["dice"]["done"], room.state["dice"]["state"]) == ([], "armed")


def test_the_last_batch_that_the_disk_does_not_take_is_asked_for_again_and_no_other() -> None:
    room = at(10)
    read(room, 1, 2, 3, 4, 5, 6)
    room.see("settled", 1, 1, 1, 1)
    room.store.broken = "The disk is full."
    wait(room, ACCEPT_SECONDS)
    room.store.broken = ""
    room.take(Tick())
    assert (room.state["dice"]["total"], room.state["dice"]["batch"]) == (21, 4)


def test_typed_batches_are_corrected_and_vouched_for_one_by_one() -> None:
    room = at(10, reader=False)
    assert not room.say(1, "roll", {"faces": [1] * 10})["ok"]
    room.roll(1, 2, 3, 4, 5, 6)
    assert room.state["dice"]["total"] == 21
    assert room.say(1, "roll", {"faces": [1, 1, 1, 1]})["ok"]
    assert room.say(1, "roll", {"faces": [1, 1, 1, 2]})["ok"]
    assert room.state["dice"]["total"] == 26
    assert room.say(2, "dice", {"say": "accept"})["ok"]
    assert told(room)[0] | {"faces": [1, 2, 3, 4, 5, 6, 1, 1, 1, 2], "read": "typed"} == told(room)[0]


def test_ten_dice_are_typed_on_the_keys_of_a_box_six_at_a_time() -> None:
    room = at(10, boxes=True, reader=False)
    room.press(1, *[f"k{n}" for n in (1, 2, 3, 4, 5, 6)], "push")
    assert room.state["dice"]["state"] == "typed"
    room.press(3, "push")
    assert room.boxes.texts["box-1"] == "Dice from 7 of 10: roll or K1-K6"
    room.press(1, "k1", "k1", "k1", "k1", "push")
    room.press(2, "push")
    assert told(room)[0]["faces"] == [1, 2, 3, 4, 5, 6, 1, 1, 1, 1]


def test_a_roll_is_as_little_read_as_its_least_batch() -> None:
    room = at(13)
    read(room, *[1] * 6)
    room.roll(*[2] * 6)
    for seat in (1, 2, 3):
        room.say(seat, "dice", {"say": "hub"})
    (one,) = told(room)
    assert one["faces"][:12] == [1] * 6 + [2] * 6, "the hub rolls what is missing, nothing else"
    assert one["read"] == "hub"


def test_the_hub_rolls_all_batches_that_are_missing() -> None:
    room = at(13)
    for seat in (1, 2, 3):
        room.say(seat, "dice", {"say": "hub"})
    assert len(told(room)[0]["faces"]) == 13
    assert room.state["dice"]["seat"] == 2


# --- what a reader tells -----------------------------------------------------------------------------------


def test_a_late_word_of_the_last_throw_does_not_count_for_the_next() -> None:
    room = at(2)
    first = room.dice.numbers[-1]
    read(room, 6, 6)
    room.see("settled", 6, 6, arm=first)
    assert room.state["dice"] | {"seat": 2, "state": "armed", "faces": []} == room.state["dice"]


def test_dice_that_are_picked_up_after_they_settled_were_rolled_all_the_same() -> None:
    room = at(2)
    room.see("settled", 1, 1)
    room.see("rolling")
    room.see("no_reader")
    room.see("settled", 6, 6)
    wait(room, ACCEPT_SECONDS)
    assert told(room)[0]["faces"] == [1, 1]


def test_of_a_cocked_throw_only_the_leaning_die_is_rolled_again() -> None:
    room = at(3)
    room.see("cocked", 2, 5)
    dice = room.state["dice"]
    assert (dice["state"], dice["faces"], dice["say"]) == (
        "cocked",
        [2, 5],
        "One die is leaning: roll only that one again.",
    )
    wait(room, 10)
    assert told(room) == []
    room.see("rolling")
    assert room.state["dice"]["faces"] == [2, 5], "those that lay flat stay in sight"
    room.see("settled", 5, 6, 2)
    wait(room, ACCEPT_SECONDS)
    assert told(room)[0]["faces"] == [5, 6, 2]


def test_who_rolls_the_flat_dice_too_keeps_them_as_they_lay() -> None:
    room = at(3)
    room.see("cocked", 1, 1)
    room.see("settled", 6, 6, 6)
    dice = room.state["dice"]
    assert (dice["faces"], room.dice.armed[-1]) == ([1, 1], (1, 1, 6))
    room.see("armed")
    assert room.state["dice"]["say"] == "1 1 stand: lay aside, and roll one die."
    read(room, 4)
    assert told(room)[0]["faces"] == [1, 1, 4]


def lies(room: Room, seat: int) -> dict[str, Any]:
    return room.say(seat, "dice", {"say": "lies"})


def test_a_leaning_die_is_typed_as_it_lies_where_the_table_would_have_it_so() -> None:
    room = at(3)
    room.see("cocked", 2, 5)
    assert (room.hand(1)["faces"]["count"], room.state["dice"]["enough"]) == (1, 2)
    assert room.say(1, "roll", {"faces": [6]})["error"] == (
        "A leaning die is rolled again, unless the table would read it as it lies."
    )
    assert lies(room, 1)["ok"]
    assert room.state["dice"] | {"state": "cocked", "as_it_lies": [1]} == room.state["dice"]
    assert lies(room, 3)["ok"]
    assert (
        room.state["dice"] | {"state": "no_reader", "faces": [2, 5], "say": "Read as it lies: type it."}
        == room.state["dice"]
    )
    room.see("settled", 2, 5, 1)
    assert room.state["dice"]["state"] == "no_reader", "now it is not thrown again"
    room.roll(6)
    assert told(room)[0] | {"faces": [2, 5, 6], "read": "typed"} == told(room)[0]


@pytest.mark.parametrize(("seats", "wanted"), [(2, 2), (3, 2), (4, 3), (5, 3), (6, 3)])
def test_three_votes_read_a_die_as_it_lies_and_at_a_small_table_a_majority(seats: int, wanted: int) -> None:
    room = Room(seats, offered=[GAMES[3]])
    room.boxes_up()
    room.sit()
    room.start("trial-3")
    room.see("cocked", 4)
    assert room.boxes.texts["box-2"] == "A die leans. Push: read as it lies"
    for seat in range(seats, seats - wanted, -1):
        assert room.state["dice"]["state"] == "cocked"
        room.press(seat, "push")
    assert (
        room.state["dice"] | {"state": "no_reader", "say": "Read as they lie: type the 2 leaning dice."}
        == room.state["dice"]
    )
    assert room.boxes.texts["box-1"] == "Type what lies there: K1-K6"
    room.press(1, "k2", "k6", "push")
    room.press(2, "push")
    assert told(room)[0]["faces"] == [4, 2, 6]


def test_a_vote_for_reading_a_die_as_it_lies_is_taken_back_or_ends_with_the_next_throw() -> None:
    room = at(3)
    room.see("cocked", 2, 5)
    lies(room, 2)
    lies(room, 2)
    assert room.state["dice"]["as_it_lies"] == []
    lies(room, 2)
    room.see("rolling")
    assert lies(room, 3)["error"] == "No die is leaning."
    room.see("cocked", 2, 5)
    assert room.state["dice"]["as_it_lies"] == [], "another throw, another vote"


def test_who_doubts_a_die_that_was_read_as_it_lies_has_the_reader_look_again() -> None:
    room = at(3)
    room.see("cocked", 2, 5)
    lies(room, 1)
    lies(room, 2)
    assert room.say(1, "roll", {"faces": [6]})["ok"]
    assert room.say(2, "dice", {"say": "again"})["ok"]
    room.see("cocked", 2, 5)
    assert room.state["dice"] | {"state": "cocked", "lying": False} == room.state["dice"]


def test_two_leaning_dice_are_told_as_two() -> None:
    room = at(3)
    room.see("cocked", 4)
    assert room.state["dice"]["say"] == "2 dice are leaning: roll only those again."
    room.see("cocked", 4, 4)
    room.see("cocked", 1, 4, 4, 6)
    assert room.state["dice"]["state"] == "wrong_count"


def test_after_a_wrong_count_nothing_is_kept() -> None:
    room = at(3)
    room.see("wrong_count", say="I see 2 of 3.")
    assert room.state["dice"] | {"state": "wrong_count", "faces": [], "say": "I see 2 of 3."} == room.state["dice"]
    read(room, 1, 2, 3)
    assert told(room)[0]["faces"] == [1, 2, 3]


def test_a_reader_that_goes_is_said_and_one_that_comes_back_watches_again() -> None:
    room = at(3)
    room.see("no_reader", say="The tray is dark: type what you see.")
    assert room.state["dice"]["state"] == "no_reader"
    room.see("armed")
    assert room.state["dice"] | {"state": "armed", "say": ""} == room.state["dice"]
    read(room, 1, 2, 3)
    assert told(room)[0]["read"] == "read"


def test_a_reader_that_was_away_while_a_die_leaned_watches_for_that_die() -> None:
    room = at(3)
    room.see("cocked", 2, 5)
    room.see("no_reader")
    room.see("armed")
    assert room.dice.armed[-1] == (1, 1, 6)
    read(room, 3)
    assert told(room)[0]["faces"] == [2, 5, 3]


def test_a_reader_that_does_not_answer_is_none() -> None:
    room = at(3)
    wait(room, SILENT_SECONDS)
    assert room.state["dice"] | {"state": "no_reader"} == room.state["dice"]
    assert room.state["dice"]["say"] == "The dice reader is silent: type what the dice show."
    room.see("settled", 1, 2, 3)
    assert room.state["dice"]["state"] == "settled", "better late than never"


def test_a_reader_that_answered_may_be_silent_until_somebody_throws() -> None:
    room = at(3)
    room.see("armed")
    wait(room, SILENT_SECONDS * 3)
    assert room.state["dice"]["state"] == "armed"


def test_who_doubts_what_was_read_has_it_read_again_not_rolled_again() -> None:
    room = at(2)
    room.see("settled", 6, 6)
    assert room.say(2, "dice", {"say": "again"})["ok"]
    assert room.dice.reread == [room.dice.numbers[-1]]
    wait(room, ACCEPT_SECONDS * 2)
    assert told(room) == []


# --- nobody gets a better roll ------------------------------------------------------------------------------


def test_while_dice_lie_there_their_roller_does_nothing_else_and_takes_nothing_back() -> None:
    room = Room(boxes=True, offered=[EARLY])
    room.boxes_up()
    room.sit()
    room.start("early")
    assert room.act(1, "climb")["ok"]
    assert room.hand(1)["undo"]
    assert [move["move"] for move in room.hand(1)["moves"]] == ["rest"]
    read(room, 1, 1, 1, 1, 1, 1)
    assert not room.hand(1)["undo"]
    assert room.hand(1)["moves"] == []
    assert room.act(1, "rest")["code"] == "DICE"
    assert room.say(1, "undo")["code"] == "UNDO"
    room.take(DiceSeen("tray", room.dice.numbers[-1], "armed"))
    room.press(1, "bar")
    assert room.state["dice"]["votes"] == [1], "on the box there is no rest any more"
    assert room.state["dice"]["done"], "what stands stands"


def test_the_hub_does_not_roll_dice_that_lie_there() -> None:
    room = at(2)
    room.see("settled", 1, 1)
    for seat in (1, 2, 3):
        assert room.say(seat, "dice", {"say": "hub"})["code"] == "DICE"


# --- who is asked, and what a roll wants ---------------------------------------------------------------------


def test_after_a_while_the_other_doors_are_pointed_out_and_then_staff_are_called() -> None:
    room = at(2)
    room.see("armed")
    wait(room, HINT_SECONDS)
    assert room.state["dice"]["say"] == "Roll; or type what the dice show; or let the hub roll."
    wait(room, STAFF_SECONDS)
    assert room.notice() == "Seat 1 has not rolled for two minutes."


def test_the_odds_stand_beside_a_roll_before_it_falls() -> None:
    room = at(2)
    assert room.state["dice"]["wants"] == {"say": "against 2 dice, a tie loses: 44 in 100", "exact": "575 in 1,296"}
    assert room.state["dice"]["for"] == "trial"
    room.see("settled", 1, 1)
    assert room.state["dice"]["wants"] is None, "what lies there needs no odds"
    wait(room, ACCEPT_SECONDS)
    assert room.state["dice"]["wants"] == {"say": "9 or more: 28 in 100", "exact": "5 in 18"}


def test_the_odds_follow_the_batches_that_stand() -> None:
    room = at(10)
    for batch in ([6] * 6, [6] * 4, [1] * 6):
        read(room, *batch)
    wants = room.state["dice"]["wants"]
    assert wants == {"say": "9 or more, 3 to go: sure", "exact": ""}


class Bench:
    """A table at which seat 1 throws the simulated dice."""

    def __init__(self, count: int) -> None:
        self.clock, self.inbox = StillClock(), Inbox()
        self.dice = SimDice("tray", self.inbox, self.clock, Random(4))
        self.clock.wakes.append(self.dice.wake)
        self.dice.start()
        self.room = at(count, reader=self.dice)
        self.told = 0
        self.hear("armed")

    def hear(self, state: str) -> dict[str, Any]:
        """Let the table hear what the dice do until they are in that state; the open roll then."""
        while self.inbox.next(DiceSeen).state != state:
            pass
        while self.told < len(self.inbox.signals):
            self.room.take(self.inbox.signals[self.told])
            self.told += 1
        return self.room.state["dice"]

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
    room = bench.room
    assert bench.throw("wrong_count", count=7)["say"] == "I see 7 of 6."
    bench.dice.cock()
    cocked = bench.throw("cocked")
    assert len(cocked["faces"]) == 5
    first = bench.throw("settled", faces=[4])["faces"]
    assert first[:5] == cocked["faces"]
    wait(room, ACCEPT_SECONDS)
    bench.hear("armed")
    bench.dice.lose()
    assert bench.hear("no_reader")["total"] == sum(first)
    room.roll(1, 2, 3, 4, 5, 6)
    assert bench.hear("no_reader")["batch"] == 1
    bench.dice.restore()
    bench.hear("armed")
    bench.throw("settled", faces=[6])
    assert room.say(2, "dice", {"say": "again"})["ok"]
    bench.hear("armed")
    bench.clock.advance(SimDice.REST)
    assert bench.hear("settled")["faces"] == [6], "read again as it lies"
    wait(room, ACCEPT_SECONDS)
    (one,) = told(room)
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
    room = at(13, store=MemoryStore())
    for (state, faces), _ in zip(tumbles(random, 6), range(600), strict=False):
        if random.random() < 0.3:
            faces = tuple(random.randint(1, 6) for _ in range(room.state["dice"]["batch"] if room.state["dice"] else 1))
        room.see(state, *faces, arm=random.choice((0, 0, 0, 1)))
        if room.state["over"]:
            break
        match random.random():
            case low if low < 0.1:
                room.say(random.randint(1, 3), "dice", {"say": random.choice(("again", "accept"))})
            case low if low < 0.15:
                room.say(1, "roll", {"faces": list(faces)})
            case low if low < 0.2:
                room.take(DiceKit("tray", random.randint(0, 6)))
            case low if low < 0.25:
                room.take(PhoneLink(room.sids[3], random.random() < 0.5))
        dice = room.state["dice"]
        if dice:
            assert len(dice["faces"]) <= dice["batch"] <= 6
            assert sum(len(batch["faces"]) for batch in dice["done"]) + dice["batch"] <= 13
        wait(room, 0.5)
    for one in told(room):
        assert len(one["faces"]) == 13
        assert set(one["faces"]) <= set(range(1, 7))
