"""Seat boxes on ptys with the real driver: what a table may rely on, whatever is done to the cables."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from drivers import button_box
from drivers.button_box import name_frames
from drivers.common.frames import HIGHEST, LONGEST, PROTOCOL, encode
from drivers.simulated.seat_box import CPythonBox
from hub.errors import ConfigError
from hub.ports import (
    CONTROLS,
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
)
from tests.drivers.bench import BOTH_INTERPRETERS, BOX, Box, Programs, Seats, box_programs, let_pass
from tests.drivers.bench import CabledTable as Table
from tests.drivers.contexts import context
from tests.patience import PATIENCE


@pytest.fixture
def seats(tmp_path: Path) -> Iterator[Seats]:
    seats = Seats(tmp_path)
    yield seats
    seats.close()


@pytest.fixture(params=BOTH_INTERPRETERS)
def programs(request: pytest.FixtureRequest) -> Iterator[Programs]:
    with box_programs(request.param) as make:
        yield make


@pytest.fixture
def table(programs: Programs, seats: Seats) -> Table:
    return Table(seats, programs())


def test_a_box_that_is_plugged_in_says_who_it_is(table: Table) -> None:
    assert (table.up.box, table.up.controls) == (BOX, len(CONTROLS))
    assert table.up.firmware


def test_rings_words_and_sounds_reach_the_box(table: Table) -> None:
    table.hub.ring(BOX, LampPicture("number", 5, "f28c28"))
    table.hub.say(BOX, "Bid 1 to 6")
    table.hub.buzz(BOX, "reveal")
    table.seats.see(table.sim, lambda state: state["lamps"] == {"pattern": "number", "n": 5, "colour": "f28c28"})
    table.seats.see(table.sim, lambda state: state["display"] == "Bid 1 to 6")
    table.seats.see(table.sim, lambda state: state["buzz"] == {"kind": "reveal", "count": 1})


def test_the_display_names_what_the_dial_of_a_sealed_choice_is_at(table: Table) -> None:
    table.hub.say(BOX, "Bid a card.")
    table.hub.open(BOX, SealedRound(1, 2, 1, ("Bid 5 (+5)", "Bid 33 (-7)", "Bid 40 (0)")))
    table.seats.see(table.sim, lambda state: state["display"] == "Bid 33 (-7)")
    table.turn(1)
    table.seats.see(table.sim, lambda state: state["display"] == "Bid 40 (0)")
    table.press("k1")
    table.seats.see(table.sim, lambda state: state["display"] == "Bid 5 (+5)")
    table.hub.cancel(BOX, 1)
    table.seats.see(table.sim, lambda state: state["display"] == "Bid a card.")


@pytest.mark.parametrize(
    ("names", "at", "places"),
    [
        ([f"Bid {n}" for n in range(1, 14)], 6, [(0, 13)]),
        (["x" * 60] * 7, 4, [(3, 3), (0, 3), (6, 1)]),
        (['"' * 40] * 3, 2, [(2, 1), (1, 1), (0, 1)]),
        ([], 0, []),
    ],
)
def test_as_many_names_go_in_a_frame_as_fit_and_those_where_the_dial_starts_first(
    names: list[str], at: int, places: list[tuple[int, int]]
) -> None:
    sealed = SealedRound(2**30 - 1, max(0, len(names) - 1), at, tuple(names))
    frames = name_frames(sealed)
    assert [(frame.i, len(frame.x)) for frame in frames] == places
    assert all(len(encode(structs.replace(frame, s=HIGHEST))) <= LONGEST for frame in frames)


def test_a_line_of_300_names_is_told_in_a_tenth_as_many_frames_and_none_is_left_out() -> None:
    sealed = SealedRound(1, 299, 150, tuple(f"Bid {n}" for n in range(300)))
    told = {frame.i + place: name for frame in name_frames(sealed) for place, name in enumerate(frame.x)}
    assert told == dict(enumerate(sealed.names))
    assert len(name_frames(sealed)) <= 30


def test_a_box_that_lost_its_power_is_told_the_names_again(table: Table) -> None:
    table.hub.open(BOX, SealedRound(1, 1, 0, ("Bid 5", "Bid 33")))
    table.seats.see(table.sim, lambda state: state["display"] == "Bid 5")
    table.sim.power_cycle()
    table.inbox.next(BoxDown)
    table.seats.see(table.sim, lambda state: state["connected"])
    table.seats.clock.advance(0.5)
    table.seats.see(table.sim, lambda state: state["sealed"] and state["display"] == "Bid 5")


# --- cables and power ------------------------------------------------------------------------------

PHASES = ["idle", "open", "locked", "taken back", "revealed"]


def play_to(table: Table, phase: str) -> None:
    """Bring the table into a phase in which the cable is pulled."""
    if phase == "idle":
        return
    table.open()
    if phase == "open":
        return
    table.lock(choice="k2")
    if phase == "taken back":
        table.sim.press("bar")
        table.inbox.next(BoxUnlocked)
        table.seats.see(table.sim, lambda state: not state["locked"])
    if phase == "revealed":
        table.bid()


@pytest.mark.parametrize("phase", PHASES)
def test_a_box_unplugged_and_plugged_in_again_goes_on_where_it_was(table: Table, phase: str) -> None:
    play_to(table, phase)
    table.sim.unplug()
    assert "is gone" in table.inbox.next(BoxDown).why
    table.seats.replug(table.sim)
    assert table.inbox.next(BoxUp).boot == table.up.boot
    match phase:
        case "idle" | "revealed":
            table.sim.press("k4")
            assert table.inbox.next(Key) == Key(BOX, "k4", "down")
            table.open(round=2)
            table.lock(choice="k2")
            assert table.bid(round=2) == 1
        case "open" | "taken back":
            table.lock(choice="k2")
            assert table.bid() == 1
        case "locked":
            assert table.inbox.next(BoxLocked) == BoxLocked(BOX, 1), "the box tells its lock again"
            assert table.bid() == 1
    rounds = [bid.round for bid in table.inbox.all(BoxBid)]
    assert len(rounds) == len(set(rounds))


@pytest.mark.parametrize("phase", PHASES)
def test_a_box_that_lost_its_power_is_asked_again_from_the_start(table: Table, phase: str) -> None:
    play_to(table, phase)
    table.sim.power_cycle()
    table.inbox.next(BoxDown)
    table.seats.see(table.sim, lambda state: state["connected"])
    table.seats.clock.advance(0.5)
    assert table.inbox.next(BoxUp).boot != table.up.boot
    if phase in {"idle", "revealed"}:
        table.open(round=2)
        table.lock(choice="k3")
        assert table.bid(round=2) == 2
        return
    if phase == "locked":
        assert table.inbox.next(BoxUnlocked) == BoxUnlocked(BOX, 1), "its lock is void"
    table.seats.see(table.sim, lambda state: state["sealed"] and not state["locked"] and state["hood"] == "3")
    table.lock(choice="k3")
    assert table.bid() == 2
    assert len(table.inbox.all(BoxBid)) == 1


def test_a_reveal_asked_while_the_box_is_away_is_answered_when_it_is_back(table: Table) -> None:
    table.open()
    table.lock(choice="k6")
    table.sim.unplug()
    table.inbox.next(BoxDown)
    table.hub.reveal([BOX], 1)
    table.seats.replug(table.sim)
    assert table.inbox.next(BoxBid) == BoxBid(BOX, 1, 5)


def test_a_lock_made_while_the_cable_was_out_counts_when_it_is_in_again(table: Table) -> None:
    table.open()
    table.sim.unplug()
    table.inbox.next(BoxDown)
    table.sim.press("k4")
    table.sim.press("push")
    table.seats.replug(table.sim)
    table.inbox.next(BoxUp)
    table.seats.clock.advance(0.2)  # the hub may have to ask again before it hears the lock
    table.inbox.next(BoxLocked)
    assert table.bid() == 3


def test_a_round_cancelled_while_the_box_was_away_is_over_when_it_is_back(table: Table) -> None:
    table.open()
    table.lock()
    table.sim.unplug()
    table.inbox.next(BoxDown)
    table.hub.cancel(BOX, 1)  # the phone of this seat has bid instead
    table.seats.replug(table.sim)
    table.inbox.next(BoxUp)
    table.seats.see(table.sim, lambda state: not state["sealed"])
    assert table.inbox.all(BoxBid) == []


def test_what_a_box_should_show_is_told_when_it_is_plugged_in(seats: Seats) -> None:
    hub = seats.hub()
    hub.ring(BOX, LampPicture("turn", 0, "2f7de1"))
    hub.say(BOX, "Your turn")
    hub.open(BOX, SealedRound(1, 5, 2))
    sim = seats.box()
    seats.clock.advance(0.5)
    seats.inbox.next(BoxUp)
    right = {"pattern": "turn", "n": 0, "colour": "2f7de1"}
    seats.see(sim, lambda state: state["lamps"] == right and state["display"] == "Your turn" and state["sealed"])
    sim.power_cycle()
    seats.inbox.next(BoxDown)
    seats.see(sim, lambda state: state["connected"] and state["lamps"] is None)
    seats.clock.advance(0.5)
    seats.see(sim, lambda state: state["lamps"] == right and state["display"] == "Your turn" and state["sealed"])


def test_a_box_is_known_by_its_id_and_not_by_its_port(seats: Seats) -> None:
    program = CPythonBox(BOX)
    sim = seats.box(program, port="port-1")
    hub = seats.hub("port-1", "port-2")
    boot = seats.inbox.next(BoxUp).boot
    hub.open(BOX, SealedRound(1, 5, 2))
    seats.see(sim, lambda state: state["sealed"])
    sim.unplug()
    seats.inbox.next(BoxDown)
    other = seats.box(program, port="port-2")
    seats.clock.advance(0.5)
    assert seats.inbox.next(BoxUp).boot == boot
    other.press("push")
    seats.inbox.next(BoxLocked)
    hub.reveal([BOX], 1)
    assert seats.inbox.next(BoxBid).index == 2


class Noted(CPythonBox):
    """A box that lets a test know when its key is down."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.pressed = threading.Event()

    def press(self, control: Control, hold: bool = False) -> None:
        super().press(control, hold)
        self.pressed.set()


def test_two_boxes_with_one_id_are_named_and_only_one_is_used(seats: Seats) -> None:
    first = seats.box(CPythonBox(BOX), port="port-1")
    seats.hub("port-1", "port-2")
    seats.inbox.next(BoxUp)
    program = Noted(BOX)
    second = seats.box(program, port="port-2")
    seats.clock.advance(0.5)
    down = seats.inbox.next(DeviceDown)
    assert "port-1" in down.why
    assert "port-2" in down.why
    second.press("k1")
    assert program.pressed.wait(PATIENCE)
    first.press("k2")
    assert seats.inbox.next(Key).control == "k2"
    assert len(seats.inbox.all(BoxUp)) == 1
    first.unplug()
    seats.inbox.next(BoxDown)
    assert seats.inbox.next(BoxUp).box == BOX
    second.press("k3")
    assert seats.inbox.all(DeviceUp) == [DeviceUp(down.device)]
    assert seats.inbox.next(Key).control == "k3"


class Other(Box):  # type: ignore[misc]
    """A box of another protocol."""

    def __init__(self, protocol: int, name: str) -> None:
        super().__init__(name)
        self.protocol = protocol

    def _greet(self, who: dict[str, Any]) -> None:
        hello = {
            "t": "hello",
            "id": self.id,
            "boot": self.boot,
            "p": self.protocol,
            "v": "1.0.0",
            "k": "buttons",
            "n": 8,
        }
        self._link.send(hello)


class Tray(Box):  # type: ignore[misc]
    """A board that is no seat box."""

    def _greet(self, who: dict[str, Any]) -> None:
        self._link.greet(self.id, self.boot, "1", "tray", 0)


@pytest.mark.real_time
def test_another_board_at_a_port_meant_for_a_box_is_told_until_it_is_gone(seats: Seats) -> None:
    tray = seats.box(CPythonBox("tray-1", Tray))
    seats.hub("port-1")
    down = seats.inbox.next(DeviceDown)
    assert down.device.endswith("port-1")
    assert down.why == f"The board at {down.device} says that it is a tray. A seat box is expected there."
    tray.unplug()
    tray.port.unlink(missing_ok=True)
    let_pass(seats.clock, seats.inbox, lambda: seats.inbox.all(DeviceUp), "the port is told to work again")
    assert seats.inbox.next(DeviceUp) == DeviceUp(down.device)


@pytest.mark.parametrize(
    ("protocol", "why"),
    [
        (PROTOCOL - 1, "older firmware"),
        (PROTOCOL + 1, "newer firmware .*: update the hub, or install this hub's firmware"),
    ],
)
def test_a_box_of_another_protocol_is_named_and_otherwise_ignored(seats: Seats, protocol: int, why: str) -> None:
    sim = seats.box(CPythonBox(BOX, partial(Other, protocol)))
    hub = seats.hub()
    down = seats.inbox.next(DeviceDown)
    assert down.device.endswith("port-1")
    assert BOX in down.why
    assert re.search(why, down.why)
    sim.press("k1")
    hub.ring(BOX, LampPicture("turn"))
    good = seats.box(CPythonBox("box-2"), port="port-2")
    seats.hub("port-2")
    seats.inbox.next(BoxUp)
    good.press("k2")
    assert seats.inbox.next(Key).box == "box-2"
    assert sim.state()["lamps"] is None
    assert seats.inbox.all(Key) == [Key("box-2", "k2", "down")]


class Quiet(CPythonBox):
    """A box whose program may hang: the cable is in, nothing comes."""

    hangs = False

    def outgoing(self, now: float) -> bytes:
        said = super().outgoing(now)
        return b"" if self.hangs else said


def test_a_box_that_says_nothing_for_three_seconds_is_down(seats: Seats) -> None:
    program = Quiet(BOX)
    table = Table(seats, program)
    table.hub.buzz(BOX, "lock")
    seats.see(table.sim, lambda state: state["buzz"] == {"kind": "lock", "count": 1})
    table.sim.press("k1")
    table.inbox.next(Key)  # whatever it said before this is heard now
    program.hangs = True
    seats.clock.advance(3.1)
    assert "silent" in table.inbox.next(BoxDown).why
    program.hangs = False
    seats.clock.advance(1.0)
    assert table.inbox.next(BoxUp).boot == table.up.boot


class Deaf(Box):  # type: ignore[misc]
    """A box that lives and does not do what it is asked."""

    def __init__(self, asked: threading.Semaphore, name: str) -> None:
        super().__init__(name)
        self.asked = asked

    def _obey(self, kind: str, frame: dict[str, Any]) -> bool:
        if kind == "open":
            self.asked.release()
            return False
        return bool(super()._obey(kind, frame))


def test_a_box_that_does_not_answer_is_down_after_five_tries(seats: Seats) -> None:
    asked = threading.Semaphore(0)
    table = Table(seats, CPythonBox(BOX, partial(Deaf, asked)))
    table.hub.open(BOX, SealedRound(1, 5, 2))
    for _ in range(5):
        assert asked.acquire(timeout=PATIENCE)
        assert table.inbox.all(BoxDown) == []
        seats.clock.advance(0.2)
    assert "does not answer" in table.inbox.next(BoxDown).why


class Cheat(Box):  # type: ignore[misc]
    """A box that tells another value than it has locked."""

    def _reveal(self, round: int, marks: list[str]) -> bool:
        if self._bid is not None:
            self._bid["b"] += 1
        return bool(super()._reveal(round, marks))


def test_a_box_that_changes_its_bid_at_the_reveal_is_found_out(seats: Seats) -> None:
    table = Table(seats, CPythonBox(BOX, Cheat))
    table.open()
    table.lock(choice="k1")
    table.hub.reveal([BOX], 1)
    assert table.inbox.next(BoxCheated) == BoxCheated(BOX, 1)
    assert table.inbox.all(BoxBid) == []


def test_a_hub_that_starts_anew_finds_the_boxes_as_they_are(table: Table) -> None:
    table.open()
    table.lock()
    table.seats.shut(table.hub)
    hub = table.seats.hub()
    assert table.inbox.next(BoxUp).boot == table.up.boot
    table.seats.see(table.sim, lambda state: not state["sealed"])
    hub.open(BOX, SealedRound(2, 5, 1))
    table.seats.see(table.sim, lambda state: state["sealed"])
    table.sim.press("push")
    assert table.inbox.next(BoxLocked) == BoxLocked(BOX, 2)


def test_a_port_that_somebody_else_has_open_is_taken_when_it_is_free(table: Table) -> None:
    other = table.seats.hub()
    table.seats.shut(table.hub)
    for _ in range(20):
        table.seats.clock.advance(0.5)
    assert table.inbox.next(BoxUp).box == BOX
    other.ring(BOX, LampPicture("leader", 0, "f2c81f"))
    table.seats.see(table.sim, lambda state: state["lamps"] is not None)


@pytest.mark.real_time
def test_the_owners_settings_are_checked() -> None:
    with pytest.raises(ConfigError, match="has no key port: did you mean ports"):
        button_box.connect({"port": ["/dev/ttyACM0"]}, context())
    with pytest.raises(ConfigError, match="button_box"):
        button_box.connect({"ports": "/dev/ttyACM0"}, context())
    device = button_box.connect({"ports": []}, context())
    assert (device.boxes, device.lamps, device.page, device.dice) == (device, None, None, None)
    device.close()
