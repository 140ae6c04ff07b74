"""A device is unplugged and plugged in again in every phase of a match: nothing is lost, and nothing counts twice.

Boxes talk over ptys to the real driver, the table is the real one, and the match is played by its public state alone. The
log of a disturbed match must equal that of an undisturbed one.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, TypeAlias

import msgspec
import pytest
from PIL import Image

from drivers.common.gpio_header import Spi
from drivers.eink import Eink, Settings
from drivers.simulated import SimulatedTable
from hub.chance import Chance
from hub.engine.decision import Amount, Won, ask, ask_all, offer, roll, tell
from hub.engine.match import Entry
from hub.engine.text import say
from hub.errors import DeviceLost
from hub.ports import BoxBid, DeviceDown, DeviceUp, Key, Tick
from hub.state import PublicState
from hub.table.base.ports import Ports
from hub.table.loop import Table
from tests.drivers.bench import StillClock
from tests.drivers.paper import Paper
from tests.engine.ladder import Climb
from tests.patience import PATIENCE
from tests.table.fakes import FakePhones, MemoryStore
from tests.table.test_table import made_up

SEATS = (1, 2, 3)
STEP = 0.2  # seconds by which the clock advances
ROUNDS = 6  # through all threads without a signal: two for each frame and its answer


async def fair(s: Climb) -> None:
    """Sealed bids, a roll by the highest bidder, then an auction: every kind of question that a box is asked."""
    bids = await ask_all(s, {seat: [offer("bid", number=Amount(1, 6))] for seat in s.seats}, "Bid.", into="bid")
    best = max(bids, key=lambda seat: bids[seat]["number"])
    tell(s, f"Seat {best} bids most.", kind="bids", bids=[bid["number"] for bid in bids.values()])
    faces = await roll(s, best, 2, 6, "trial", "Roll two dice.")
    tell(s, f"Seat {best} rolls {sum(faces)}.", kind="roll", faces=faces)
    price, left = 0, list(s.seats)
    while len(left) > 1:
        seat = left.pop(0)
        answer = await ask(s, seat, [offer("raise", by=Amount(1, 3)), offer("drop")], "Raise or drop.")
        if answer.move == "raise":
            price += answer["by"]
            left.append(seat)
        tell(s, f"Seat {seat}: {answer.move}, {price}.", kind="auction", seat=seat, price=price)
    raise Won(left, {seat: price * (seat in left) for seat in s.seats}, "Sold.")


FAIR = made_up("fair", fair, (3, 3))
BIDS = {1: 2, 2: 5, 3: 3}
FACES = (4, 1)
RAISES = {1: [2, 0], 2: [1, 1, 0], 3: [3, 1, 1]}  # by how much, in the order in which a seat is asked; 0 drops

Logged: TypeAlias = tuple[int, str, dict[str, Any]]
Disturbance = Callable[["PlayedTable", int], None]


class PlayedTable:
    """A table with three players on boxes and one dice reader. `disturb` is called in each phase with its name and a seat."""

    def __init__(self, disturb: Callable[[PlayedTable, str, int], None] = lambda *_: None) -> None:
        self.clock = StillClock()
        self.signals: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.devices = SimulatedTable(len(SEATS), self.signals.put, Random(1), clock=self.clock)
        self.clock.wakes.append(self.devices.wake)
        self.phones, self.store = FakePhones(), MemoryStore()
        self.ports = Ports(self.store, self.phones, self.clock, Chance(1), self.clock.now, Random(1))
        self.ports.boxes, self.ports.dice = self.devices.boxes, self.devices.dice
        places = {box: seat for seat, box in self.devices.names.items()}
        self.table = Table("1", "Table 1", len(SEATS), [FAIR], self.ports, place_boxes=places, address=lambda: "")
        self.signals_seen: list[object] = []
        self._disturb = disturb
        self._answered: dict[int, int] = dict.fromkeys(SEATS, 0)
        self.table.start()
        self.devices.start()
        self.until(lambda: all(seat["box"] == "on" for seat in self.state["seats"]), "the boxes")

    def close(self) -> None:
        self.devices.close()

    # --- time ---

    @property
    def state(self) -> dict[str, Any]:
        return self.phones.public[-1]

    def handle(self, patience: float) -> bool:
        """Let the table handle all signals, waiting `patience` seconds for the first; return whether there were any."""
        handled = False
        while True:
            try:
                signal = self.signals.get(block=not handled and patience > 0, timeout=patience)
            except queue.Empty:
                return handled
            handled = True
            self.signals_seen.append(signal)
            self.table.handle_signal(signal)

    def settle(self) -> None:
        """Wait until the drivers' threads have nothing left to do at this time of the clock."""
        threads = [
            self.devices.cables._lines.call_soon,
            *(box._calls.call_soon for box in self.devices.seat_boxes.values()),
        ]
        quiet = 0
        while quiet < ROUNDS:
            for call in threads:
                turn = threading.Event()
                call(turn.set)
                assert turn.wait(PATIENCE), "a driver's thread hangs"
            quiet = 0 if self.handle(0.0) else quiet + 1

    def until(self, right: Callable[[], object], what: str) -> None:
        """Advance the clock until `right` holds."""
        for _ in range(300):
            while self.handle(0.001):
                pass
            self.settle()
            if right():
                return
            self.clock.advance(STEP)
            self.table.handle_signal(Tick())
        raise AssertionError(
            f"{what} did not come: {self.signals_seen[-6:]}, {self.state['want']}, {self.state['locked']}"
        )

    def wait(self, seconds: float) -> None:
        """Advance the clock by so many seconds."""
        end = self.clock.now() + seconds
        self.until(lambda: self.clock.now() >= end, "time")

    # --- plugs ---

    def box(self, seat: int) -> dict[str, Any]:
        return self.devices.seat_boxes[seat].state()

    def connected(self, seat: int) -> bool:
        return bool(self.state["seats"][seat - 1]["box"] == "on")

    def unplug(self, seat: int) -> None:
        self.devices.do({"box": seat, "unplug": True})
        self.until(lambda: not self.connected(seat), f"box {seat} gone")

    def plug_in(self, seat: int) -> None:
        self.devices.do({"box": seat, "plug": True})
        self.until(lambda: self.connected(seat), f"box {seat} back")
        self.wait(0.5)

    # --- players ---

    def sit_down_and_start(self) -> None:
        for seat in SEATS:
            self.devices.do({"box": seat, "press": "push"})
            self.until(lambda seat=seat: self.state["seats"][seat - 1]["ready"], f"seat {seat}")  # type: ignore[misc]
        self.devices.do({"box": 1, "press": "push"})
        self.until(lambda: self.state["state"] == "playing", "the match")

    def play(self) -> list[Logged]:
        """Play a whole match by the public state; return its log."""
        self.sit_down_and_start()
        for _ in range(60):
            if self.state["state"] != "playing":
                break
            waiting = self.state["view"]["waiting"]
            if self.state["dice"]:
                self.throw(self.state["dice"]["seat"])
            elif waiting.get("secret"):
                self.bid(self._next_to_lock())
            else:
                self.answer(int(waiting["seats"][0]))
        assert self.state["state"] == "over", self.state
        assert all(self.connected(seat) for seat in SEATS)
        return self.log()

    def log(self) -> list[Logged]:
        """Return the log. The bids of one reveal are sorted by seat, as they may arrive in any order."""
        _, lines = self.store.load("m-1")
        entries = [msgspec.json.decode(line.line, type=Entry) for line in lines]
        logged = [(entry.seat, entry.move, entry.args) for entry in entries]
        return sorted(logged[: len(SEATS)], key=lambda bid: bid[0]) + logged[len(SEATS) :]

    def _next_to_lock(self) -> int:
        return next(seat for seat in SEATS if seat not in self.state["locked"] and self.connected(seat))

    def number(self) -> int:
        """Return a number that changes with each decision: the last event's, as each answer of `fair` has its own."""
        return self.state["events"][-1]["n"] if self.state["events"] else -1

    def bid(self, seat: int) -> None:
        number = self.number()
        last = len(self.state["locked"]) == len(SEATS) - 1
        self._disturb(self, "before the lock", seat)
        self.until(lambda: self.box(seat)["sealed"], f"box {seat} open")
        self.devices.do({"box": seat, "press": f"k{BIDS[seat]}"})
        self.devices.do({"box": seat, "press": "push"})
        if last:
            self._disturb(self, "at the reveal", SEATS[0])
        else:
            self._disturb(self, "at the lock", seat)
        self.until(
            lambda: seat in self.state["locked"] or self.number() != number or not self.box(seat)["locked"],
            f"the lock of seat {seat}",
        )
        if not last and seat in self.state["locked"]:
            self._disturb(self, "after the lock", seat)
        elif last:
            self.until(lambda: self.number() != number or len(self.state["locked"]) < len(SEATS), "the reveal")

    def throw(self, seat: int) -> None:
        self._disturb(self, "before the throw", seat)
        number = self.number()
        self.until(lambda: self.devices.dice.state()["state"] == "armed", "an armed reader")
        self.devices.do({"dice": "throw", "faces": list(FACES)})
        self._disturb(self, "while they roll", seat)
        self.until(
            lambda: self.number() != number or self.devices.dice.state()["state"] in ("armed", "settled"),
            "dice at rest",
        )
        if self.devices.dice.state()["state"] == "settled":
            self._disturb(self, "after the throw", seat)
            self.until(lambda: self.number() != number, "the roll stands")

    def answer(self, seat: int) -> None:
        number = self.number()
        self._disturb(self, "when asked", seat)
        by = RAISES[seat][self._answered[seat]]
        for control in (f"k{by}", "push") if by else ("bar", "bar"):
            self.devices.do({"box": seat, "press": control})
        self._disturb(self, "while answering", seat)
        patience = self.clock.now() + 1.5  # nobody presses again at once
        self.until(lambda: self.number() != number or self.clock.now() >= patience, "an answer, or a second press")
        if self.number() != number:
            self._answered[seat] += 1


@pytest.fixture
def tables() -> Iterator[list[PlayedTable]]:
    tables: list[PlayedTable] = []
    yield tables
    for table in tables:
        table.close()


@cache
def undisturbed() -> tuple[Logged, ...]:
    table = PlayedTable()
    try:
        return tuple(table.play())
    finally:
        table.close()


def unplugged(table: PlayedTable, seat: int) -> None:
    """Unplug the box until the table has noticed, and plug it in again."""
    table.unplug(seat)
    table.plug_in(seat)


def loose_contact(table: PlayedTable, seat: int) -> None:
    """Unplug the box and plug it in before the table can notice."""
    table.devices.do({"box": seat, "unplug": True})
    table.devices.do({"box": seat, "plug": True})
    table.wait(1.0)
    table.until(lambda: table.connected(seat), f"box {seat} back")


def power_cut(table: PlayedTable, seat: int) -> None:
    """Cut the box's power: it loses its state."""
    table.devices.do({"box": seat, "power_cycle": True})
    table.wait(1.0)
    table.until(lambda: table.connected(seat), f"box {seat} back")


def all_unplugged(table: PlayedTable, _: int) -> None:
    """Unplug all boxes at once, as when the USB hub loses its power."""
    for seat in SEATS:
        table.devices.do({"box": seat, "unplug": True})
    table.until(lambda: not any(map(table.connected, SEATS)), "all boxes gone")
    for seat in SEATS:
        table.plug_in(seat)


PHASES = [
    "before the lock", "at the lock", "after the lock", "at the reveal", "before the throw", "while they roll",
    "after the throw", "when asked", "while answering",
]  # fmt: skip


@pytest.mark.parametrize("act", [unplugged, loose_contact, power_cut, all_unplugged], ids=lambda act: act.__name__)
@pytest.mark.parametrize("phase", PHASES)
def test_a_box_is_unplugged_and_plugged_in_again(tables: list[PlayedTable], phase: str, act: Disturbance) -> None:
    """Disturb the first two times that the phase comes."""
    left = [2]

    def disturb(table: PlayedTable, now: str, seat: int) -> None:
        if now == phase and left[0]:
            left[0] -= 1
            act(table, seat)

    tables.append(PlayedTable(disturb))
    assert tuple(tables[0].play()) == undisturbed()
    assert left[0] < 2, "the phase came"
    bids = [signal for signal in tables[0].signals_seen if isinstance(signal, BoxBid)]
    assert sorted((bid.box, bid.index) for bid in bids) == sorted((f"sim-{seat}", BIDS[seat] - 1) for seat in SEATS)


def test_a_box_that_stays_unplugged_keeps_its_lock_and_sends_its_bid_when_it_is_back(tables: list[PlayedTable]) -> None:
    def disturb(table: PlayedTable, now: str, seat: int) -> None:
        if now == "after the lock" and seat == 1:
            table.unplug(1)
        if now == "after the lock" and seat == 3:
            table.wait(6.0)
            assert table.state["locked"] == [2, 3]
            assert not [signal for signal in table.signals_seen if isinstance(signal, BoxBid)], (
                "no bid before the last lock"
            )
            table.plug_in(1)
            table.until(lambda: table.state["want"] != "Bid.", "the reveal")

    tables.append(PlayedTable(disturb))
    assert tuple(tables[0].play()) == undisturbed()


@pytest.mark.parametrize("phase", ["before the throw", "while they roll", "after the throw"])
def test_the_dice_reader_is_lost_and_comes_back(tables: list[PlayedTable], phase: str) -> None:
    left = [1]

    def disturb(table: PlayedTable, now: str, _: int) -> None:
        if now == phase and left[0]:
            left[0] -= 1
            table.devices.do({"dice": "lose"})
            table.wait(1.0)
            table.devices.do({"dice": "restore"})
            table.wait(0.2)

    tables.append(PlayedTable(disturb))
    assert tuple(tables[0].play()) == undisturbed()


def test_a_roll_whose_reader_stays_away_is_typed_on_the_box_and_counts_once(tables: list[PlayedTable]) -> None:
    def disturb(table: PlayedTable, now: str, seat: int) -> None:
        if now != "while they roll":
            return
        number = table.number()
        table.devices.do({"dice": "lose"})
        table.until(lambda: table.state["dice"]["state"] == "no_reader", "a table that types")
        for control in (*(f"k{face}" for face in FACES), "push"):
            table.devices.do({"box": seat, "press": control})
        table.until(lambda: table.state["dice"]["state"] == "typed", "typed dice")
        table.devices.do({"dice": "restore"})
        table.wait(2.0)
        table.devices.do({"box": seat % 3 + 1, "press": "push"})
        table.until(lambda: table.number() != number, "the roll stands")

    tables.append(PlayedTable(disturb))
    entries = tables[0].play()
    assert [str(FACES[0]) in str(entry) and "typed" in str(entry) for entry in entries].count(True) == 1
    assert len(entries) == len(undisturbed())


class UnpluggablePanel(Paper):
    """A panel that can be unplugged."""

    out = False

    def open_bus(self, place: Spi, hertz: int) -> Paper:
        if self.out:
            raise DeviceLost(say("There is no panel."))
        return super().open_bus(place, hertz)

    def write(self, data: bytes) -> None:
        if self.out:
            raise DeviceLost(say("There is no panel."))
        super().write(data)


def test_a_panel_that_is_gone_holds_nobody_up_and_shows_the_newest_when_it_is_back(tables: list[PlayedTable]) -> None:
    asked, time = Settings(panel="waveshare-2.13"), StillClock()
    paper = UnpluggablePanel(asked, time)
    drawn: list[int] = []

    def draw(public: PublicState) -> Image.Image:
        drawn.append(public.seq)
        image = Image.new("1", (250, 122), 1)
        image.paste(0, (0, 0, 1 + public.seq % 250, 60))
        return image

    def disturb(table: PlayedTable, now: str, seat: int) -> None:
        time.advance(5.0)
        if now == "before the lock" and seat == 1:
            table.until(lambda: drawn, "a first picture")
            paper.out = True
            time.advance(60.0)
        if now == "when asked" and paper.out:
            assert any(isinstance(signal, DeviceDown) for signal in table.signals_seen)
            assert [one["text"] for one in table.state["notices"]] == ["There is no panel."]
            paper.out = False
            time.advance(5.0)  # its rest between two tries is over
            table.until(lambda: any(isinstance(one, DeviceUp) for one in table.signals_seen), "the panel")
            assert table.state["notices"] == []

    table = PlayedTable(disturb)
    tables.append(table)
    panel = Eink(asked, draw, table.signals.put, time, paper.open_bus, paper.open_header, paper.pause)
    time.wakes.append(panel.wake)
    table.clock.wakes.append(lambda: time.advance(STEP))  # a panel that was refreshed late rests later
    table.ports.pages.append(panel)
    panel.start()
    try:
        assert tuple(table.play()) == undisturbed()
        time.advance(5.0)
        table.until(lambda: drawn[-1] == table.state["seq"], "the newest picture")
    finally:
        panel.close()


def test_a_key_that_was_pressed_as_the_box_was_unplugged_is_not_sent_later(tables: list[PlayedTable]) -> None:
    """Stale presses would answer a question that was not asked yet."""
    table = PlayedTable()
    tables.append(table)
    table.devices.do({"box": 1, "unplug": True})
    table.devices.do({"box": 1, "press": "k3"})
    table.until(lambda: not table.connected(1), "box 1 gone")
    table.plug_in(1)
    assert [signal for signal in table.signals_seen if isinstance(signal, Key)] == []
