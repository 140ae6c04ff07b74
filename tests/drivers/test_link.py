"""The conversation of hub and box over bad wires: both real ends, virtual time, no tty."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.button_box import Fleet
from drivers.common.frames import (
    HIGHEST,
    TO_HUB,
    Bid,
    Cancel,
    FrameReader,
    Garbled,
    Link,
    Open,
    Press,
    SeenFrames,
    mark,
)
from drivers.simulated.seat_box import BoxProgram, CPythonBox
from hub.ports import (
    BoxBid,
    BoxCheated,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    Control,
    DeviceDown,
    DeviceUp,
    Key,
    LampPicture,
    SealedRound,
    Turn,
)
from tests.drivers.bench import BOTH_INTERPRETERS, BOX, WAYS, Box, Way, Wire, box_programs, one_byte_at_a_time, whole
from tests.firmware.pico import MicroPythonBox, needs_micropython

EVERY_WAY = [("cpython", way, seed) for way in WAYS for seed in range(12)] + [
    pytest.param("micropython", way, seed, marks=needs_micropython) for way in WAYS for seed in range(2)
]
S = TypeVar("S")
Wires = Callable[..., Wire]


@pytest.fixture(params=BOTH_INTERPRETERS)
def wires(request: pytest.FixtureRequest) -> Iterator[Wires]:
    """Makes wires to boxes of one kind."""
    with box_programs(request.param) as make:
        yield lambda *args, **more: Wire(*args, **({"program": make()} | more))


@pytest.mark.parametrize(("wires", "way", "seed"), EVERY_WAY, indirect=["wires"])
def test_a_bid_arrives_once_and_is_the_last_one_that_was_locked(wires: Wires, way: Way, seed: int) -> None:
    wire = wires(way, seed)
    wire.until(lambda: wire.all(BoxUp))
    for round in (1, 2, 3):
        wire.fleet.open(BOX, SealedRound(round, 5, 2))
        wire.until(lambda: wire.box.state()["sealed"])
        wire.box.press("k6")
        wire.box.press("push")
        wire.until(lambda round=round: BoxLocked(BOX, round) in wire.signals)  # type: ignore[misc]
        wire.box.press("bar")
        wire.until(lambda round=round: BoxUnlocked(BOX, round) in wire.signals)  # type: ignore[misc]
        wire.until(lambda: not wire.box.state()["locked"])
        wire.box.press("k1")
        wire.box.turn(round)
        wire.box.press("push")
        before = len(wire.all(BoxLocked))
        wire.until(lambda before=before: len(wire.all(BoxLocked)) > before)  # type: ignore[misc]
        wire.fleet.reveal([BOX], round)
        wire.until(lambda round=round: [bid for bid in wire.all(BoxBid) if bid.round == round])  # type: ignore[misc]
    wire.wait(5.0)
    assert wire.all(BoxBid) == [BoxBid(BOX, round, round) for round in (1, 2, 3)]
    assert wire.all(BoxCheated) == []


@pytest.mark.parametrize(("wires", "way", "seed"), EVERY_WAY, indirect=["wires"])
def test_no_key_counts_twice_and_none_overtakes_another(wires: Wires, way: Way, seed: int) -> None:
    wire = wires(way, seed)
    wire.until(lambda: wire.all(BoxUp))
    pressed: list[Control] = ["k1", "k2", "push", "k1", "bar", "k6", "k5", "k4", "push", "push"]
    for control in pressed:
        wire.box.press(control)
    wire.wait(15.0)
    came = [key.control for key in wire.all(Key)]
    left = iter(pressed)
    assert all(control in left for control in came), f"{came} is not {pressed} in order"
    if way.__name__ != "lossy":
        assert came == pressed


@pytest.mark.parametrize("way", WAYS)
def test_the_newest_ring_is_on_the_box_in_the_end(wires: Wires, way: Way) -> None:
    wire = wires(way, seed=3)
    wire.until(lambda: wire.all(BoxUp))
    for n in range(17):
        wire.fleet.ring(BOX, LampPicture("number", n, "2f7de1"))
    if way.__name__ == "lossy":
        wire.way = whole  # a ring is told once: what the wire swallows waits for the next picture
    wire.until(lambda: wire.box.state()["lamps"] == {"pattern": "number", "n": 16, "colour": "2f7de1"})


def test_a_ring_the_box_could_not_read_is_told_again(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.way = lambda data, _: [(0.0, data.replace(b"number", b"nimber"))]
    wire.fleet.ring(BOX, LampPicture("number", 4, "2f7de1"))
    wire.wait(0.5)
    assert wire.box.state()["lamps"] is None
    wire.way = whole
    wire.until(lambda: wire.box.state()["lamps"] == {"pattern": "number", "n": 4, "colour": "2f7de1"}, limit=2.0)


def test_a_box_that_repeats_a_bid_with_a_new_number_does_not_bid_twice(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press("push")
    wire.until(lambda: wire.all(BoxLocked))
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxBid))
    bids = [frame for frame in FrameReader(TO_HUB).feed(wire.from_box) if isinstance(frame, Bid)]
    again = Link(first=5000)
    for _ in range(20):
        again.send(bids[-1])
    wire.session.on_data(again.outgoing(), wire.now)
    assert len(wire.all(BoxBid)) == 1


def test_a_box_does_not_tell_its_value_before_the_reveal_and_the_hub_would_not_take_it() -> None:
    class Hasty(Box):  # type: ignore[misc]
        def outgoing(self, now: int) -> bytes:
            sent = super().outgoing(now)
            if self._bid is not None:
                self._link.send(dict(self._bid))
            return bytes(sent)

    wire = Wire(program=CPythonBox(BOX, Hasty))
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press("push")
    wire.wait(2.0)
    assert wire.all(BoxBid) == []
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxBid))


def test_a_bar_pressed_after_the_last_lock_is_too_late(wires: Wires) -> None:
    """The bar is pressed while the reveal is on its way: the lock holds, the value is told."""
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press("k4")
    wire.box.press("push")
    wire.until(lambda: wire.all(BoxLocked))
    wire.way = lambda data, _: [(0.1, data)]
    wire.fleet.reveal([BOX], 1)
    wire.box.press("bar")
    wire.box.press("k1")
    wire.until(lambda: wire.all(BoxBid))
    wire.wait(3.0)
    assert wire.all(BoxBid) == [BoxBid(BOX, 1, 3)]
    assert wire.all(BoxUnlocked) == []


def test_a_bar_pressed_before_the_last_lock_takes_the_value_back_even_if_the_table_asks_for_it(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press("push")
    wire.until(lambda: wire.all(BoxLocked))
    wire.box.press("bar")
    wire.until(lambda: wire.all(BoxUnlocked))
    wire.fleet.reveal([BOX], 1)
    wire.wait(3.0)
    assert wire.all(BoxBid) == []
    wire.box.press("push")
    wire.until(lambda: len(wire.all(BoxLocked)) == 2)
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxBid))


# --- several boxes in one round --------------------------------------------------------------------


class TwoBoxes:
    """One driver, and a box on each of two cables."""

    NAMES = (BOX, "e661640843210a2c")

    def __init__(self, make: Callable[[str], BoxProgram]) -> None:
        self.signals: list[object] = []
        self.fleet = Fleet(self.signals.append, first_number=lambda: 1)
        self.boxes = {name: make(name) for name in self.NAMES}
        self.sessions = {name: self.fleet.session(name) for name in self.NAMES}
        self.plugged = set(self.NAMES)
        self.now = 0.0
        for session in self.sessions.values():
            session.on_open(self.now)
        self.until(lambda: len(self.all(BoxUp)) == 2)
        for name in self.NAMES:
            self.fleet.open(name, SealedRound(1, 5, 2))
        self.until(lambda: all(box.state()["sealed"] for box in self.boxes.values()))

    def step(self) -> None:
        self.now += 0.01
        for name, session in self.sessions.items():
            box = self.boxes[name]
            session.run_due(self.now)
            box.run_due(self.now)
            said, answered = session.outgoing(self.now), box.outgoing(self.now)
            if name in self.plugged:
                if said:
                    box.on_data(said)
                if answered:
                    session.on_data(answered, self.now)

    def until(self, right: Callable[[], object]) -> None:
        for _ in range(500):
            if right():
                return
            self.step()
        raise AssertionError(f"it did not come; what came: {self.signals}")

    def wait(self) -> None:
        for _ in range(100):
            self.step()

    def all(self, kind: type[S]) -> list[S]:
        return [signal for signal in self.signals if isinstance(signal, kind)]

    def lock(self, *names: str) -> None:
        for name in names:
            self.boxes[name].press("push")
            self.until(lambda name=name: BoxLocked(name, 1) in self.signals)  # type: ignore[misc]

    def opened(self) -> list[str]:
        return [self.boxes[name].state()["opened"] for name in self.NAMES]


@pytest.fixture(params=BOTH_INTERPRETERS)
def two(request: pytest.FixtureRequest) -> Iterator[TwoBoxes]:
    made: list[Any] = []

    def make(name: str) -> BoxProgram:
        made.append(CPythonBox(name) if request.param == "cpython" else MicroPythonBox(name))
        return made[-1]

    yield TwoBoxes(make)
    for box in made:
        if request.param != "cpython":
            box.close()


def test_boxes_that_are_opened_together_show_their_number_and_the_same_check(two: TwoBoxes) -> None:
    two.lock(*two.NAMES)
    assert two.opened() == ["", ""], "before the reveal there is nothing to compare"
    two.fleet.reveal(two.NAMES, 1)
    two.until(lambda: len(two.all(BoxBid)) == 2)
    one, other = two.opened()
    assert one == other
    assert re.fullmatch(r"2 [0-9a-f]{4} [0-9a-f]{4} [0-9a-f]{4}", one)
    two.fleet.open(BOX, SealedRound(2, 5, 2))
    two.until(lambda: two.opened() == ["", other])


def test_a_hub_that_opens_one_box_before_the_other_has_locked_is_betrayed_by_their_displays(two: TwoBoxes) -> None:
    """The first box is shown an invented lock in place of the second one, which has none yet."""
    two.lock(BOX)
    first = two.fleet.box(BOX)
    first.reveal_marks = sorted([mark(first.commitment or ""), "0" * 16])
    two.until(lambda: two.all(BoxBid))
    two.lock(two.NAMES[1])
    second = two.fleet.box(two.NAMES[1])
    for shown in ([mark(second.commitment or ""), "0" * 16], [mark(second.commitment or "")]):
        second.reveal_marks = shown
    two.until(lambda: len(two.all(BoxBid)) == 2)
    one, other = two.opened()
    assert one.startswith("2 ")
    assert one != other


def test_a_box_is_silent_if_its_own_lock_is_not_among_those_it_is_shown(two: TwoBoxes) -> None:
    two.lock(*two.NAMES)
    first, second = map(two.fleet.box, two.NAMES)
    first.reveal_marks = [mark(second.commitment or "")]
    two.wait()
    assert two.all(BoxBid) == []
    first.reveal_marks = [mark(first.commitment or "")]
    two.until(lambda: two.all(BoxBid))


def test_no_box_is_opened_while_another_of_the_round_has_lost_its_lock(two: TwoBoxes) -> None:
    two.lock(*two.NAMES)
    two.boxes[BOX].press("bar")
    two.until(lambda: two.all(BoxUnlocked))
    two.fleet.reveal(two.NAMES, 1)  # the table has not heard of it yet
    two.wait()
    assert two.all(BoxBid) == []
    two.until(lambda: not two.boxes[BOX].state()["locked"])
    two.signals.clear()
    two.lock(BOX)
    two.fleet.reveal(two.NAMES, 1)
    two.until(lambda: len(two.all(BoxBid)) == 2)


def test_a_box_of_another_driver_holds_up_no_reveal(two: TwoBoxes) -> None:
    two.lock(*two.NAMES)
    two.fleet.open("a box on the hub's own pins", SealedRound(1, 5, 2))
    two.fleet.reveal([*two.NAMES, "a box on the hub's own pins"], 1)
    two.until(lambda: len(two.all(BoxBid)) == 2)
    assert {text[:2] for text in two.opened()} == {"2 "}


def test_a_box_that_is_unplugged_at_the_reveal_is_opened_with_the_same_locks_later(two: TwoBoxes) -> None:
    two.lock(*two.NAMES)
    two.plugged.remove(BOX)
    two.fleet.reveal(two.NAMES, 1)
    two.until(lambda: two.all(BoxBid))
    two.plugged.add(BOX)
    two.until(lambda: len(two.all(BoxBid)) == 2)
    assert len(set(two.opened())) == 1


def test_a_box_that_loses_its_power_at_the_reveal_is_asked_anew(two: TwoBoxes) -> None:
    two.lock(*two.NAMES)
    two.plugged.remove(BOX)
    two.fleet.reveal(two.NAMES, 1)
    two.until(lambda: two.all(BoxBid))
    two.boxes[BOX].power_up()
    two.plugged.add(BOX)
    two.until(lambda: BoxUnlocked(BOX, 1) in two.signals)
    two.until(lambda: two.boxes[BOX].state()["sealed"])
    two.signals.clear()
    two.lock(BOX)
    assert two.all(BoxBid) == []
    two.fleet.reveal([BOX], 1)
    two.until(lambda: two.all(BoxBid))


def test_a_hub_that_has_opened_a_box_early_has_to_make_its_owner_lock_again(two: TwoBoxes) -> None:
    """It asks the same round again to clear the display: the box then holds no lock, and opens nothing until the next push."""
    two.lock(BOX)
    first = two.fleet.box(BOX)
    first.reveal_marks = [mark(first.commitment or "")]
    two.until(lambda: two.all(BoxBid))
    two.fleet.open(BOX, SealedRound(1, 5, 2))
    two.until(lambda: two.opened()[0] == "")
    assert not two.boxes[BOX].state()["locked"]
    two.lock(two.NAMES[1])
    two.fleet.reveal(two.NAMES, 1)
    two.wait()
    assert len(two.all(BoxBid)) == 1


class TwiceLocked(Box):  # type: ignore[misc]
    """A box that locks once more, another value, when it is told to."""

    def lock_again(self) -> None:
        self._bid = None
        self._turn(1)
        self._lock()


def test_a_value_that_is_locked_before_the_reveal_takes_the_place_of_the_one_before() -> None:
    cheat = TwiceLocked(BOX)
    wire = Wire(program=CPythonBox(BOX, lambda _: cheat))
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press("push")
    wire.until(lambda: wire.all(BoxLocked))
    cheat.lock_again()
    wire.until(lambda: len(wire.all(BoxLocked)) == 2)
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxBid))
    assert wire.all(BoxBid) == [BoxBid(BOX, 1, 3)]


def test_a_value_that_is_locked_after_the_others_are_opened_is_found_out() -> None:
    """The hub asks every box at once: from then on the commitment that the others were shown counts."""

    class Late(TwiceLocked):
        asked = 0

        def _reveal(self, round: int, marks: list[str]) -> bool:
            self.asked += 1
            if self.asked == 1:  # the others are opened; this box pretends that it has not heard
                self.lock_again()
                return False
            return bool(super()._reveal(round, [self._mark]))

    wire = Wire(program=CPythonBox(BOX, Late))
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press("push")
    wire.until(lambda: wire.all(BoxLocked))
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxCheated))
    wire.wait(2.0)
    assert wire.all(BoxBid) == []
    assert len(wire.all(BoxLocked)) == 1


def test_what_a_box_sends_in_a_sealed_choice_does_not_depend_on_the_value(wires: Wires) -> None:
    """Six owners, six values, the same cable traffic to the byte, save the box's boot, nonce and commitment."""
    assert len({_sealed_traffic(wires(), value) for value in range(6)}) == 1


def _sealed_traffic(wire: Wire, value: int) -> bytes:
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press(("k1", "k2", "k3", "k4", "k5", "k6")[5 - value])
    wire.wait(0.3)
    wire.box.turn(value - (5 - value))
    wire.wait(0.3)
    assert wire.box.state()["hood"] == str(value + 1)
    wire.box.press("push")
    wire.wait(2.0)
    assert wire.all(BoxLocked)
    return re.sub(rb'"(c|boot)":"[0-9a-f]*"|\*....', rb"", wire.from_box)


def test_what_the_hub_sends_before_the_reveal_does_not_depend_on_the_value(wires: Wires) -> None:
    def heard(value: int) -> bytes:
        wire = wires()
        wire.until(lambda: wire.all(BoxUp))
        wire.fleet.open(BOX, SealedRound(1, 5, 2))
        wire.until(lambda: wire.box.state()["sealed"])
        wire.box.turn(value - 2)
        wire.box.press("push")
        wire.wait(2.0)
        return wire.from_hub

    assert len({heard(value) for value in range(6)}) == 1


def test_the_same_value_is_never_committed_to_in_the_same_words(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    for lock in range(1, 5):
        wire.box.press("push")
        wire.until(lambda lock=lock: len(wire.all(BoxLocked)) == lock)  # type: ignore[misc]
        wire.box.press("bar")
        wire.until(lambda lock=lock: len(wire.all(BoxUnlocked)) == lock)  # type: ignore[misc]
        wire.until(lambda: not wire.box.state()["locked"])
    said = re.findall(rb'"c":"([0-9a-f]{32})"', wire.from_box)
    assert len(set(said)) == 4


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([whole, one_byte_at_a_time]),
    st.lists(st.sampled_from(["push", "bar", "k1", "k3", "k6", "open", "reveal", "cancel", "power", "wait"])),
)
def test_whatever_hands_and_table_do_a_round_gives_at_most_one_bid(way: Way, deeds: list[str]) -> None:
    wire = Wire(way)
    wire.until(lambda: wire.all(BoxUp))
    round = 0
    for deed in deeds:
        match deed:
            case "open":
                round += 1
                wire.fleet.open(BOX, SealedRound(round, 5, 2))
            case "reveal":
                wire.fleet.reveal([BOX], round)
            case "cancel":
                wire.fleet.cancel(BOX, round)
            case "power":
                wire.box.power_up()
            case "wait":
                wire.wait(0.5)
            case "push" | "bar" | "k1" | "k3" | "k6":
                wire.box.press(deed)
        wire.step()
    wire.wait(4.0)
    rounds = [bid.round for bid in wire.all(BoxBid)]
    assert len(rounds) == len(set(rounds))
    assert wire.all(BoxCheated) == []


def test_a_round_that_is_opened_twice_keeps_its_lock(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.box.press("k6")
    wire.box.press("push")
    wire.until(lambda: wire.all(BoxLocked))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.wait(1.0)
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxBid) == [BoxBid(BOX, 1, 5)], limit=1.0)


def test_a_lock_that_crosses_the_end_of_its_round_does_not_count_in_the_next_of_that_number(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.until(lambda: wire.box.state()["sealed"])
    wire.wait(0.5)
    wire.way = lambda data, _: [(0.05, data)]
    wire.box.press("push")
    wire.step()
    wire.fleet.cancel(BOX, 1)
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.wait(2.0)
    assert wire.all(BoxLocked) == []
    assert wire.box.state()["sealed"]
    wire.box.press("k1")
    wire.box.press("push")
    wire.until(lambda: wire.all(BoxLocked))
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxBid) == [BoxBid(BOX, 1, 0)], limit=1.0)


@pytest.mark.parametrize("end", ["cancelled", "told", "cheated"])
def test_a_round_that_is_over_can_be_opened_again_under_its_number(wires: Wires, end: str) -> None:
    """Undo comes back to the same decision; a cheated one is asked again."""
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    for choice in ("k2", "k5"):
        wire.fleet.open(BOX, SealedRound(1, 5, 2))
        wire.until(lambda: wire.box.state()["sealed"] and not wire.box.state()["locked"])
        locks = len(wire.all(BoxLocked))
        wire.box.press(choice)
        wire.box.press("push")
        wire.until(lambda locks=locks: len(wire.all(BoxLocked)) > locks)  # type: ignore[misc]
        if choice == "k5":
            break
        if end == "cancelled":
            wire.fleet.cancel(BOX, 1)
            continue
        wire.fleet.reveal([BOX], 1)
        if end == "cheated":
            wire.fleet.box(BOX).commitment = "0" * 32
        wire.until(lambda: wire.all(BoxBid) or wire.all(BoxCheated))
        wire.signals.remove((wire.all(BoxBid) + wire.all(BoxCheated))[0])
    wire.fleet.reveal([BOX], 1)
    wire.until(lambda: wire.all(BoxBid), limit=2.0)
    assert wire.all(BoxBid) == [BoxBid(BOX, 1, 4)]
    assert wire.all(BoxCheated) == []


def test_a_box_that_is_silent_for_three_seconds_is_down_and_up_again_when_it_speaks(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.wait(0.5)
    wire.way = lambda data, chance: []
    started = wire.now
    wire.until(lambda: wire.all(BoxDown), limit=4.2)
    assert wire.now - started >= 2.0
    assert "is silent" in wire.all(BoxDown)[0].why
    wire.wait(30.0)
    wire.way = whole
    wire.until(lambda: len(wire.all(BoxUp)) == 2, limit=1.1)


def test_a_box_that_answers_no_question_is_down_after_five_tries_a_fifth_of_a_second_apart() -> None:
    class Deaf(Box):  # type: ignore[misc]
        def _obey(self, kind: str, frame: dict[str, Any]) -> bool:
            return kind != "open"

    wire = Wire(program=CPythonBox(BOX, Deaf))
    wire.until(lambda: wire.all(BoxUp))
    wire.wait(0.5)
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    started = wire.now
    wire.until(lambda: wire.all(BoxDown))
    assert "does not answer" in wire.all(BoxDown)[0].why
    assert wire.now - started == pytest.approx(1.0, abs=0.1)
    assert wire.from_hub.count(b'"t":"open"') == 5


def test_a_box_that_answers_no_question_is_tried_less_and_less_often() -> None:
    class Deaf(Box):  # type: ignore[misc]
        def _obey(self, kind: str, frame: dict[str, Any]) -> bool:
            return kind != "open"

    wire = Wire(program=CPythonBox(BOX, Deaf))
    wire.fleet.open(BOX, SealedRound(1, 5, 2))
    wire.wait(60.0)
    assert 8 <= len(wire.all(BoxDown)) <= 16


def test_a_key_pressed_while_nobody_listened_does_not_act_later(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.way = lambda data, chance: []
    wire.box.press("push")
    wire.box.turn(3)
    wire.until(lambda: wire.all(BoxDown))
    wire.way = whole
    wire.until(lambda: len(wire.all(BoxUp)) == 2)
    wire.wait(2.0)
    assert wire.all(Key) == []
    assert wire.all(Turn) == []


def test_a_round_of_an_earlier_hub_is_closed_when_a_new_hub_meets_the_box(wires: Wires) -> None:
    before = wires()
    before.until(lambda: before.all(BoxUp))
    before.fleet.open(BOX, SealedRound(7, 5, 2))
    before.until(lambda: before.box.state()["sealed"])
    before.box.press("push")
    after = wires(seed=1, program=before.box)
    after.until(lambda: after.all(BoxUp))
    after.until(lambda: not after.box.state()["sealed"], limit=1.0)
    after.box.press("k2")
    after.until(lambda: after.all(Key))
    assert after.all(BoxLocked) == []


def test_a_round_ended_while_the_box_was_away_gives_the_keys_back_on_return(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    for round in (1, 2):
        wire.fleet.open(BOX, SealedRound(round, 5, 2))
        wire.until(lambda: wire.box.state()["sealed"])
        wire.way = lambda data, chance: []
        wire.until(lambda: wire.all(BoxDown))
        wire.fleet.cancel(BOX, round)
        wire.fleet.open(BOX, SealedRound(round + 10, 5, 2))
        wire.fleet.cancel(BOX, round + 10)
        wire.way = whole
        wire.until(lambda: not wire.box.state()["sealed"])


def test_a_board_without_the_boxs_firmware_is_named_once_and_asked_on() -> None:
    """MicroPython's bare prompt: it echoes what it hears and knows nothing of it."""

    class Prompt(CPythonBox):
        def outgoing(self, now: float) -> bytes:
            heard, self.echo = self.echo, b""
            return heard

        def on_data(self, data: bytes) -> None:
            self.echo += b">>> " + data + b"Traceback (most recent call last):\r\n"

        echo = b""

    wire = Wire(program=Prompt(BOX))
    wire.wait(60.0)
    (down,) = wire.signals
    assert down == DeviceDown(
        "wire", "The board at wire does not identify itself as a seat box. Is the box's firmware installed?"
    )
    assert wire.from_hub.count(b'"t":"who"') > 12
    wire.box = CPythonBox(BOX)
    wire.until(lambda: wire.all(BoxUp), limit=5.5)
    assert wire.all(DeviceUp) == [DeviceUp("wire")]


def test_a_cable_with_another_device_is_given_up() -> None:
    class Tray(Box):  # type: ignore[misc]
        def _greet(self, who: dict[str, Any]) -> None:
            self._link.greet(self.id, self.boot, "1", "tray", 0)

    wire = Wire(program=CPythonBox("tray-1", Tray))
    wire.until(lambda: wire.session.finished, limit=1.0)
    assert wire.signals == []


def test_turns_of_the_dial_add_up(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    for detents in (1, 1, 1, -1, 1, 50, 50, 50):
        wire.box.turn(detents)
    wire.wait(2.0)
    assert sum(turn.detents for turn in wire.all(Turn)) == 153
    assert len(wire.all(Turn)) < 8


def test_what_stands_on_the_display_is_cut_and_cleaned(wires: Wires) -> None:
    wire = wires()
    wire.until(lambda: wire.all(BoxUp))
    wire.fleet.say(BOX, "line\nbreak \x1b[2J" + "\N{DIE FACE-6}" * 60)
    wire.until(lambda: wire.box.state()["display"])
    assert wire.box.state()["display"] == "line break  [2J" + "\N{DIE FACE-6}" * 25


# --- the link alone --------------------------------------------------------------------------------


def test_a_link_numbers_on_and_begins_again_after_the_highest_number() -> None:
    link = Link(first=HIGHEST)
    assert [link.send(Cancel(r=1)).s for _ in range(3)] == [HIGHEST, 1, 2]


def test_a_link_asks_one_thing_at_a_time() -> None:
    link = Link(first=1)
    link.ask(Cancel(r=1), now=0.0)
    with pytest.raises(ValueError, match="open on this link"):
        link.ask(Cancel(r=2), now=0.0)


def test_an_answer_to_an_older_question_confirms_nothing() -> None:
    link = Link(first=1)
    link.ask(Open(r=1, lo=0, hi=1, at=0), now=0.0)
    assert link.confirm(99) is None
    assert link.confirm(1) is not None
    assert link.confirm(1) is None


def test_a_repeat_is_answered_again_and_not_acted_on_until_eight_others_came() -> None:
    link = Link(first=1)
    key = Press(s=1, k="k1", e="down")
    link.acknowledge(key, "boot-a")
    assert link.acknowledge_repeat(key, "boot-a")
    assert not link.acknowledge_repeat(key, "boot-b"), "after power-up a box counts from 1 again"
    for number in range(2, 10):
        link.acknowledge(Press(s=number, k="k1", e="down"), "boot-a")
    assert not link.acknowledge_repeat(key, "boot-a")
    assert link.outgoing().count(b'"re":1') == 2


def test_the_memory_holds_eight() -> None:
    memory = SeenFrames()
    for number in range(9):
        memory.add(("boot", number))
    assert [("boot", number) in memory for number in (0, 1, 8)] == [False, True, True]


def test_chatter_that_is_a_torn_bid_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    wire = Wire()
    wire.session.on_data(b'"t":"bid","r":7,"b":4321,"n":"1f0ecaf431e13a76"}*5B56\n', wire.now)
    wire.session.on_data(b'~{"t":"bid","r":7,"b":4321,"n":"1f0ecaf431e13a76"}*5B56\n', wire.now)
    wire.session.on_data(b"MPY: soft reboot\n", wire.now)
    assert "soft reboot" in caplog.text
    assert "4321" not in caplog.text
    assert any(isinstance(heard, Garbled) for heard in FrameReader(TO_HUB).feed(b"~*\n"))
