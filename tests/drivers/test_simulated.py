"""The simulated table: dice that keep the contract of their port, panels that never queue, hands at the bench."""

from __future__ import annotations

import json
import random
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from drivers import simulated
from drivers.simulated import SimulatedTable, connect
from drivers.simulated.dice import SimDice
from drivers.simulated.panel import SimPanel
from hub.errors import ConfigError, TemporaryError
from hub.ports import BoxBid, BoxDown, BoxLocked, BoxUp, DiceKit, DiceSeen, Key, SealedRound, Turn
from hub.state import PublicState
from tests.drivers.bench import Inbox, StillClock
from tests.drivers.contexts import context
from tests.patience import PATIENCE
from tests.states import numbered


class Tray:
    """Simulated dice on a still clock."""

    def __init__(self) -> None:
        self.clock = StillClock()
        self.inbox = Inbox()
        self.dice = SimDice("tray", self.inbox, self.clock, random.Random(1))
        self.clock.wakes.append(self.dice.wake)
        self.dice.start()

    def seen(self) -> DiceSeen:
        return self.inbox.next(DiceSeen)

    def throw(self, *faces: int) -> DiceSeen:
        """A throw until it is read."""
        assert self.dice.throw(faces=faces) is None
        assert self.seen().state == "rolling"
        self.clock.advance(SimDice.TUMBLE + SimDice.REST)
        return self.seen()


@pytest.fixture
def tray() -> Iterator[Tray]:
    tray = Tray()
    yield tray
    tray.dice.close()


def test_dice_are_settled_when_they_have_been_at_rest_for_700_milliseconds(tray: Tray) -> None:
    tray.dice.arm(1, 2, 3, 6)
    assert tray.seen() == DiceSeen("tray", 1, "armed")
    tray.dice.throw(faces=(1, 6, 3))
    assert tray.seen().state == "rolling"
    tray.clock.advance(SimDice.TUMBLE + 0.699)
    assert [seen.state for seen in tray.inbox.all(DiceSeen)] == ["armed", "rolling"]
    tray.clock.advance(0.002)
    assert tray.seen() == DiceSeen("tray", 1, "settled", (1, 6, 3))


def test_thrown_dice_show_faces_they_have(tray: Tray) -> None:
    for _ in range(50):
        tray.dice.arm(1, 1, 6, 4)
        tray.seen()
        settled = tray.throw()
        assert len(settled.faces) == 6
        assert set(settled.faces) <= {1, 2, 3, 4}


def test_dice_outside_an_armed_roll_are_ignored(tray: Tray) -> None:
    assert tray.dice.throw() == "Nobody is asked to roll: the reader ignores the dice."
    tray.dice.arm(1, 1, 1, 6)
    tray.seen()
    tray.dice.throw(faces=[3])
    tray.seen()
    tray.dice.disarm()
    tray.clock.advance(5.0)
    assert tray.dice.throw() is not None
    assert [seen.state for seen in tray.inbox.all(DiceSeen)] == ["armed", "rolling"]


def test_with_a_leaning_die_only_that_one_is_rolled_again(tray: Tray) -> None:
    tray.dice.arm(1, 1, 3, 6)
    tray.seen()
    tray.dice.cock()
    cocked = tray.throw(2, 5, 6)
    assert (cocked.state, cocked.faces) == ("cocked", (2, 5))
    assert cocked.say == "One die is leaning: roll only that one again."
    assert tray.throw(4) == DiceSeen("tray", 1, "settled", (2, 5, 4))


def test_with_a_wrong_count_no_die_is_kept(tray: Tray) -> None:
    tray.dice.arm(1, 1, 3, 6)
    tray.seen()
    tray.dice.miscount()
    assert tray.throw(6, 6, 6) == DiceSeen("tray", 1, "wrong_count", (), "I see 2 of 3 dice.")
    assert tray.throw(1) == DiceSeen("tray", 1, "wrong_count", (), "I see 1 of 3 dice.")
    assert tray.throw(1, 2, 3, 4) == DiceSeen("tray", 1, "wrong_count", (), "I see 4 of 3 dice.")
    assert tray.throw(1, 2, 3) == DiceSeen("tray", 1, "settled", (1, 2, 3))


def test_a_lost_reader_says_so_and_watches_again_when_it_is_back(tray: Tray) -> None:
    tray.dice.arm(1, 1, 1, 6)
    tray.seen()
    tray.dice.lose()
    assert tray.seen().state == "no_reader"
    assert "disconnected" in str(tray.dice.throw())
    tray.dice.arm(1, 2, 1, 6)
    assert tray.seen().state == "no_reader"
    tray.dice.restore()
    assert tray.seen().state == "armed"
    assert tray.throw(6).faces == (6,)


def test_a_roll_that_is_read_cannot_be_made_better(tray: Tray) -> None:
    tray.dice.arm(1, 1, 1, 6)
    tray.seen()
    tray.throw(1)
    assert tray.dice.throw(faces=[6]) == "The roll is read: nobody is asked to roll again."


def test_a_throw_belongs_to_the_arm_it_was_made_under(tray: Tray) -> None:
    tray.dice.arm(7, 1, 1, 6)
    tray.seen()
    assert tray.throw(2).arm == 7
    tray.dice.arm(8, 2, 1, 6)
    assert [seen.arm for seen in tray.inbox.all(DiceSeen)][-1] == 8


def test_dice_that_lie_there_are_read_again_without_a_throw(tray: Tray) -> None:
    tray.dice.arm(1, 1, 2, 6)
    tray.seen()
    tray.throw(2, 5)
    tray.dice.arm(2, 1, 2, 6, lying=True)
    assert tray.seen() == DiceSeen("tray", 2, "armed")
    tray.clock.advance(SimDice.REST)
    assert tray.seen() == DiceSeen("tray", 2, "settled", (2, 5))


def test_the_reader_says_what_there_is_to_throw_and_whose_battery_is_low(tray: Tray) -> None:
    tray.dice.drain()
    tray.dice.lose()
    tray.dice.restore()
    kits = [(kit.dice, kit.weak) for kit in tray.inbox.all(DiceKit)]
    assert kits == [(6, ()), (6, ("die 1",)), (0, ("die 1",)), (6, ())]


def test_a_die_has_only_its_own_faces(tray: Tray) -> None:
    tray.dice.arm(1, 1, 1, 6)
    tray.seen()
    assert tray.dice.throw(faces=[7]) == "A die here has the faces 1 to 6."


# --- panels ----------------------------------------------------------------------------------------


class Easel:
    """A way to draw that a test can hold up."""

    def __init__(self) -> None:
        self.drawn: list[int] = []
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)
        self.done = threading.Condition()

    def draw(self, public: PublicState) -> Image.Image:
        self.begun.release()
        assert self.go_on.acquire(timeout=PATIENCE)
        if public.seq < 0:
            raise ZeroDivisionError
        self.drawn.append(public.seq)
        return Image.new("1", (8, 8), public.seq % 2)

    def changed(self) -> None:
        with self.done:
            self.done.notify_all()


def test_a_slow_panel_skips_pictures_and_shows_the_newest() -> None:
    easel = Easel()
    panel = SimPanel({"2.9": easel.draw}, easel.changed)
    panel.start()
    panel.show(numbered(0), settled=False)
    assert easel.begun.acquire(timeout=PATIENCE)
    for seq in range(1, 50):
        panel.show(numbered(seq), settled=False)
    easel.go_on.release(2)
    with easel.done:
        assert easel.done.wait_for(lambda: panel.state() == {"2.9": 2}, PATIENCE)
    assert easel.drawn == [0, 49]
    assert (panel.png("2.9") or b"").startswith(b"\x89PNG")
    panel.close()


def test_a_picture_that_cannot_be_drawn_leaves_the_one_before(caplog: pytest.LogCaptureFixture) -> None:
    easel = Easel()
    easel.go_on.release(3)
    panel = SimPanel({"4.2": easel.draw}, easel.changed)
    assert panel.png("4.2") is None
    panel.start()
    with easel.done:
        panel.show(numbered(1), settled=True)
        assert easel.done.wait_for(lambda: panel.state() == {"4.2": 1}, PATIENCE)
    before = panel.png("4.2")
    assert easel.begun.acquire(timeout=PATIENCE)
    panel.show(numbered(-1), settled=True)
    assert easel.begun.acquire(timeout=PATIENCE)
    with easel.done:
        panel.show(numbered(2), settled=True)
        assert easel.done.wait_for(lambda: panel.state() == {"4.2": 2}, PATIENCE)
    assert before != panel.png("4.2")
    assert "4.2 cannot be drawn" in caplog.text
    panel.close()


# --- the bench -------------------------------------------------------------------------------------


class Bench:
    """A whole simulated table."""

    def __init__(self) -> None:
        self.clock = StillClock()
        self.inbox = Inbox()
        self.table = SimulatedTable(3, self.inbox, random.Random(2), clock=self.clock)
        self.clock.wakes.append(self.table.wake)
        self.table.start()
        for _ in range(3):
            self.inbox.next(BoxUp)

    def see(self, right: Any) -> None:
        with self.table.changed:
            assert self.table.changed.wait_for(lambda: right(self.table.snapshot()), PATIENCE), self.table.snapshot()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.table.close()


def test_hands_at_the_bench_move_the_boxes(bench: Bench) -> None:
    assert bench.table.do({"box": 2, "press": "k3"}) is None
    assert bench.inbox.next(Key) == Key("sim-2", "k3", "down")
    assert bench.table.do({"box": 2, "press": "bar", "hold": True}) is None
    assert bench.inbox.next(Key).edge == "hold"
    assert bench.table.do({"box": 3, "turn": -1}) is None
    assert bench.inbox.next(Turn) == Turn("sim-3", -1)
    assert bench.table.do({"box": 1, "unplug": True}) is None
    assert bench.inbox.next(BoxDown).box == "sim-1"
    bench.see(lambda seen: not seen["boxes"]["1"]["connected"])
    assert bench.table.do({"box": 1, "plug": True}) is None
    bench.see(lambda seen: seen["boxes"]["1"]["connected"])
    bench.clock.advance(0.5)
    boot = bench.inbox.next(BoxUp).boot
    assert bench.table.do({"box": 1, "power_cycle": True}) is None
    assert bench.inbox.next(BoxDown).box == "sim-1"
    bench.see(lambda seen: seen["boxes"]["1"]["connected"])
    bench.clock.advance(0.5)
    assert bench.inbox.next(BoxUp).boot != boot


def test_hands_at_the_bench_throw_dice(bench: Bench) -> None:
    assert bench.table.do({"dice": "throw"}) == "Nobody is asked to roll: the reader ignores the dice."
    bench.table.dice.arm(1, 1, 2, 6)
    assert bench.table.do({"dice": "cock"}) is None
    assert bench.table.do({"dice": "throw", "faces": [3, 4]}) is None
    bench.clock.advance(1.3)
    assert [bench.inbox.next(DiceSeen).state for _ in range(3)] == ["armed", "rolling", "cocked"]
    assert bench.table.do({"dice": "throw", "count": 1}) is None
    bench.clock.advance(1.3)
    assert [bench.inbox.next(DiceSeen).state for _ in range(2)] == ["rolling", "settled"]
    for deed in ("miscount", "lose", "restore"):
        assert bench.table.do({"dice": deed}) is None


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"box": 9, "press": "k1"},
        {"box": "2", "press": "k1"},
        {"box": 2},
        {"box": 2, "press": "k7"},
        {"box": 2, "press": "k1", "turn": 1},
        {"box": 2, "turn": 1000},
        {"box": 2, "explode": True},
        {"dice": "eat"},
        {"dice": "throw", "faces": ["3"]},
        {"dice": "throw", "faces": [1] * 101},
        {"dice": "throw", "count": -1},
    ],
)
def test_what_no_hand_can_do_is_refused_with_a_sentence(bench: Bench, command: dict[str, Any]) -> None:
    sentence = bench.table.do(command)
    assert sentence is not None
    assert sentence.endswith(".")


def test_the_bench_shows_everything_as_json_and_the_hood_to_its_owner(bench: Bench) -> None:
    bench.table.cables.open("sim-1", SealedRound(1, 5, 3))
    bench.see(lambda seen: seen["boxes"]["1"]["hood"] == "4")
    version = bench.table.version
    bench.table.do({"box": 1, "press": "k2"})
    assert bench.table.wait(version, PATIENCE) > version
    bench.see(lambda seen: seen["boxes"]["1"]["hood"] == "2")
    bench.table.do({"box": 1, "press": "push"})
    bench.inbox.next(BoxLocked)
    bench.see(lambda seen: seen["boxes"]["1"]["locked"])
    seen = bench.table.snapshot()
    assert json.loads(json.dumps(seen)) == seen
    assert seen["boxes"]["2"]["hood"] == ""
    bench.table.cables.reveal(["sim-1"], 1)
    assert bench.inbox.next(BoxBid).index == 1


def test_waiting_at_the_bench_ends_when_the_time_is_over(bench: Bench) -> None:
    version = bench.table.version
    assert bench.table.wait(version, 0.0) == version


@pytest.mark.real_time
def test_the_owners_settings_are_checked() -> None:
    with pytest.raises(ConfigError, match="has no key seat: did you mean seats"):
        simulated.connect({"seat": 3}, context())
    with pytest.raises(ConfigError, match="simulated"):
        simulated.connect({"seats": 7}, context())
    table = simulated.connect({"seats": 2}, context())
    assert table.names == {1: "sim-1", 2: "sim-2"}
    assert table.lamps is None
    table.close()


def test_a_full_disk_is_one_sentence_and_may_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with pytest.raises(TemporaryError, match=r"need a folder for their cables: No such file"):
        SimulatedTable(2, Inbox(), random.Random(1))


@pytest.mark.real_time
def test_a_table_without_boxes_has_dice_and_panels_alone() -> None:
    table = connect({"seats": 0}, context())
    table.start()
    assert table.boxes is None
    assert table.names == {}
    table.close()
