"""A device is pulled and put back in every phase of a match: nothing is lost, and nothing counts twice.

Boxes speak their frames over ptys with the real driver, the table is the real one, and a match is played from what
can be seen at the table. However a match was disturbed, its record is that of the match that nobody disturbed.
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

from drivers.eink import Eink, Settings
from drivers.header import Spi
from drivers.simulated import SimulatedTable
from hub.engine.decision import Amount, Won, ask, ask_all, offer, roll, tell
from hub.engine.match import Decision, Entry
from hub.errors import DeviceLost
from hub.ports import BoxBid, DeviceDown, DeviceUp, Key, Tick
from hub.state import PublicState
from hub.table.chance import Chance
from hub.table.loop import Ports, Table
from tests.drivers.bench import PATIENCE, StillClock
from tests.drivers.paper import Paper
from tests.engine.ladder import Climb
from tests.table.fakes import FakePhones, MemoryStore
from tests.table.test_table import made_up

SEATS = (1, 2, 3)
STEP = 0.2  # seconds of the table's clock between two looks
ROUNDS = 6  # through all threads in which nothing came of it: two a word and its answer


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

Told: TypeAlias = tuple[int, str, dict[str, Any]]
Act = Callable[["Hall", int], None]


class Hall:
    """Three people with a box each, one dice reader, and whoever pulls cables."""

    def __init__(self, disturb: Callable[[Hall, str, int], None] = lambda *_: None) -> None:
        self.clock = StillClock()
        self.signals: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.devices = SimulatedTable(len(SEATS), self.signals.put, {}, self.clock, Random(1))
        self.clock.wakes.append(self.devices.wake)
        self.phones, self.store = FakePhones(), MemoryStore()
        self.ports = Ports(self.store, self.phones, self.clock, Chance(1))
        self.ports.boxes, self.ports.dice = self.devices.boxes, self.devices.dice
        places = {box: seat for seat, box in self.devices.names.items()}
        self.table = Table("1", "Table 1", len(SEATS), [FAIR], self.ports, place_boxes=places, address=lambda: "")
        self.heard: list[object] = []
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

    def look(self, patience: float) -> bool:
        """Let the table take what came, waiting for the first of it; whether anything came."""
        came = False
        while True:
            try:
                signal = self.signals.get(block=not came and patience > 0, timeout=patience)
            except queue.Empty:
                return came
            came = True
            self.heard.append(signal)
            self.table.take(signal)

    def settle(self) -> None:
        """Everybody at the cables says what is to be said now: no time passes while a thread waits for its turn."""
        threads = [self.devices.boxes._lines.tell, *(box._calls.tell for box in self.devices.seat_boxes.values())]
        quiet = 0
        while quiet < ROUNDS:
            for call in threads:
                turn = threading.Event()
                call(turn.set)
                assert turn.wait(PATIENCE), "a thread of the cables stands still"
            quiet = 0 if self.look(0.0) else quiet + 1

    def until(self, right: Callable[[], object], what: str) -> None:
        """Let time pass until something is so."""
        for _ in range(300):
            while self.look(0.001):
                pass
            self.settle()
            if right():
                return
            self.clock.advance(STEP)
            self.table.take(Tick())
        raise AssertionError(f"{what} did not come: {self.heard[-6:]}, {self.state['want']}, {self.state['locked']}")

    def wait(self, seconds: float) -> None:
        """Let that much time pass."""
        end = self.clock.now() + seconds
        self.until(lambda: self.clock.now() >= end, "time")

    # --- cables ---

    def box(self, seat: int) -> dict[str, Any]:
        return self.devices.seat_boxes[seat].state()

    def there(self, seat: int) -> bool:
        return bool(self.state["seats"][seat - 1]["box"] == "on")

    def pull(self, seat: int) -> None:
        self.devices.do({"box": seat, "unplug": True})
        self.until(lambda: not self.there(seat), f"box {seat} gone")

    def put_back(self, seat: int) -> None:
        self.devices.do({"box": seat, "plug": True})
        self.until(lambda: self.there(seat), f"box {seat} back")
        self.wait(0.5)

    # --- people ---

    def sit_down_and_start(self) -> None:
        for seat in SEATS:
            self.devices.do({"box": seat, "press": "push"})
            self.until(lambda seat=seat: self.state["seats"][seat - 1]["ready"], f"seat {seat}")  # type: ignore[misc]
        self.devices.do({"box": 1, "press": "push"})
        self.until(lambda: self.state["state"] == "playing", "the match")

    def play(self) -> list[Told]:
        """A whole match, from what can be seen; the record of it."""
        self.sit_down_and_start()
        for _ in range(60):
            decision = self._decision()
            if decision is None:
                break
            if decision.kind == "sealed":
                self.bid(self._next_to_lock(), decision.number)
            elif decision.roll:
                self.throw(decision.roll.seat)
            else:
                self.answer(next(iter(decision.asked)), decision.number)
        assert self.state["state"] == "over", self.state
        assert all(self.there(seat) for seat in SEATS)
        return self.record()

    def record(self) -> list[Told]:
        """What the record holds. The bids of one reveal come in any order: each over its own cable."""
        _, lines = self.store.load("m-1")
        entries = [msgspec.json.decode(line.line, type=Entry) for line in lines]
        told = [(entry.seat, entry.move, entry.args) for entry in entries]
        return sorted(told[: len(SEATS)], key=lambda bid: bid[0]) + told[len(SEATS) :]

    def _decision(self) -> Decision | None:
        return self.table.match.open if self.table.match else None

    def _next_to_lock(self) -> int:
        return next(seat for seat in SEATS if seat not in self.state["locked"] and self.there(seat))

    def _number(self) -> int | None:
        decision = self._decision()
        return decision.number if decision else None

    def bid(self, seat: int, number: int) -> None:
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
            lambda: seat in self.state["locked"] or self._number() != number or not self.box(seat)["locked"],
            f"the lock of seat {seat}",
        )
        if not last and seat in self.state["locked"]:
            self._disturb(self, "after the lock", seat)
        elif last:
            self.until(lambda: self._number() != number or len(self.state["locked"]) < len(SEATS), "the reveal")

    def throw(self, seat: int) -> None:
        self._disturb(self, "before the throw", seat)
        number = self._number()
        self.until(lambda: self.devices.dice.state()["state"] == "armed", "an armed reader")
        self.devices.do({"dice": "throw", "faces": list(FACES)})
        self._disturb(self, "while they roll", seat)
        self.until(
            lambda: self._number() != number or self.devices.dice.state()["state"] in ("armed", "settled"),
            "dice at rest",
        )
        if self.devices.dice.state()["state"] == "settled":
            self._disturb(self, "after the throw", seat)
            self.until(lambda: self._number() != number, "the roll stands")

    def answer(self, seat: int, number: int) -> None:
        self._disturb(self, "when asked", seat)
        by = RAISES[seat][self._answered[seat]]
        for control in (f"k{by}", "push") if by else ("bar", "bar"):
            self.devices.do({"box": seat, "press": control})
        self._disturb(self, "while answering", seat)
        patience = self.clock.now() + 1.5  # nobody presses again at once
        self.until(lambda: self._number() != number or self.clock.now() >= patience, "an answer, or a second press")
        if self._number() != number:
            self._answered[seat] += 1


@pytest.fixture
def halls() -> Iterator[list[Hall]]:
    halls: list[Hall] = []
    yield halls
    for hall in halls:
        hall.close()


@cache
def undisturbed() -> tuple[Told, ...]:
    hall = Hall()
    try:
        return tuple(hall.play())
    finally:
        hall.close()


def cable(hall: Hall, seat: int) -> None:
    """Pulled until everybody has seen it, and put back."""
    hall.pull(seat)
    hall.put_back(seat)


def twitch(hall: Hall, seat: int) -> None:
    """Out and in before anybody could see it."""
    hall.devices.do({"box": seat, "unplug": True})
    hall.devices.do({"box": seat, "plug": True})
    hall.wait(1.0)
    hall.until(lambda: hall.there(seat), f"box {seat} back")


def power(hall: Hall, seat: int) -> None:
    """The box forgets everything."""
    hall.devices.do({"box": seat, "power_cycle": True})
    hall.wait(1.0)
    hall.until(lambda: hall.there(seat), f"box {seat} back")


def everything(hall: Hall, _: int) -> None:
    """All cables at once, as when somebody trips over the hub's supply of USB."""
    for seat in SEATS:
        hall.devices.do({"box": seat, "unplug": True})
    hall.until(lambda: not any(map(hall.there, SEATS)), "all boxes gone")
    for seat in SEATS:
        hall.put_back(seat)


PHASES = [
    "before the lock", "at the lock", "after the lock", "at the reveal", "before the throw", "while they roll",
    "after the throw", "when asked", "while answering",
]  # fmt: skip


@pytest.mark.parametrize("act", [cable, twitch, power, everything], ids=lambda act: act.__name__)
@pytest.mark.parametrize("phase", PHASES)
def test_a_box_is_pulled_and_put_back(halls: list[Hall], phase: str, act: Act) -> None:
    """At the first two chances of that phase: then they let it be."""
    left = [2]

    def disturb(hall: Hall, now: str, seat: int) -> None:
        if now == phase and left[0]:
            left[0] -= 1
            act(hall, seat)

    halls.append(Hall(disturb))
    assert tuple(halls[0].play()) == undisturbed()
    assert left[0] < 2, "the phase came"
    bids = [signal for signal in halls[0].heard if isinstance(signal, BoxBid)]
    assert sorted((bid.box, bid.index) for bid in bids) == sorted((f"sim-{seat}", BIDS[seat] - 1) for seat in SEATS)


def test_a_box_that_stays_away_keeps_its_lock_and_tells_its_bid_when_it_is_back(halls: list[Hall]) -> None:
    def disturb(hall: Hall, now: str, seat: int) -> None:
        if now == "after the lock" and seat == 1:
            hall.pull(1)
        if now == "after the lock" and seat == 3:
            hall.wait(6.0)
            assert hall.state["locked"] == [2, 3]
            assert not [signal for signal in hall.heard if isinstance(signal, BoxBid)], "no bid before the last lock"
            hall.put_back(1)
            hall.until(lambda: hall.state["want"] != "Bid.", "the reveal")

    halls.append(Hall(disturb))
    assert tuple(halls[0].play()) == undisturbed()


@pytest.mark.parametrize("phase", ["before the throw", "while they roll", "after the throw"])
def test_the_dice_reader_is_lost_and_comes_back(halls: list[Hall], phase: str) -> None:
    left = [1]

    def disturb(hall: Hall, now: str, _: int) -> None:
        if now == phase and left[0]:
            left[0] -= 1
            hall.devices.do({"dice": "lose"})
            hall.wait(1.0)
            hall.devices.do({"dice": "restore"})
            hall.wait(0.2)

    halls.append(Hall(disturb))
    assert tuple(halls[0].play()) == undisturbed()


def test_a_roll_whose_reader_stays_away_is_typed_on_the_box_and_counts_once(halls: list[Hall]) -> None:
    def disturb(hall: Hall, now: str, seat: int) -> None:
        if now != "while they roll":
            return
        number = hall._number()
        hall.devices.do({"dice": "lose"})
        hall.until(lambda: hall.state["dice"]["state"] == "no_reader", "a table that types")
        for control in (*(f"k{face}" for face in FACES), "push"):
            hall.devices.do({"box": seat, "press": control})
        hall.until(lambda: hall.state["dice"]["state"] == "typed", "typed dice")
        hall.devices.do({"dice": "restore"})
        hall.wait(2.0)
        hall.devices.do({"box": seat % 3 + 1, "press": "push"})
        hall.until(lambda: hall._number() != number, "the roll stands")

    halls.append(Hall(disturb))
    entries = halls[0].play()
    assert [str(FACES[0]) in str(entry) and "typed" in str(entry) for entry in entries].count(True) == 1
    assert len(entries) == len(undisturbed())


class Glass(Paper):
    """A panel whose cable can be out."""

    out = False

    def open_bus(self, place: Spi, hertz: int) -> Paper:
        if self.out:
            raise DeviceLost("There is no panel.")
        return super().open_bus(place, hertz)

    def write(self, data: bytes) -> None:
        if self.out:
            raise DeviceLost("There is no panel.")
        super().write(data)


def test_a_panel_that_is_gone_holds_nobody_up_and_shows_the_newest_when_it_is_back(halls: list[Hall]) -> None:
    asked, time = Settings(panel="waveshare-2.13"), StillClock()
    glass = Glass(asked, time)
    drawn: list[int] = []

    def draw(public: PublicState) -> Image.Image:
        drawn.append(public.seq)
        image = Image.new("1", (250, 122), 1)
        image.paste(0, (0, 0, 1 + public.seq % 250, 60))
        return image

    def disturb(hall: Hall, now: str, seat: int) -> None:
        time.advance(5.0)
        if now == "before the lock" and seat == 1:
            hall.until(lambda: drawn, "a first picture")
            glass.out = True
            time.advance(60.0)
        if now == "when asked" and glass.out:
            assert any(isinstance(signal, DeviceDown) for signal in hall.heard)
            assert [one["text"] for one in hall.state["notices"]] == ["There is no panel."]
            glass.out = False
            time.advance(5.0)  # its rest between two tries is over
            hall.until(lambda: any(isinstance(one, DeviceUp) for one in hall.heard), "the panel")
            assert hall.state["notices"] == []

    hall = Hall(disturb)
    halls.append(hall)
    panel = Eink(asked, draw, hall.signals.put, time, glass.open_bus, glass.open_header, glass.pause)
    time.wakes.append(panel.wake)
    hall.ports.pages.append(panel)
    panel.start()
    try:
        assert tuple(hall.play()) == undisturbed()
        time.advance(5.0)
        hall.until(lambda: drawn[-1] == hall.state["seq"], "the newest picture")
    finally:
        panel.close()


def test_a_key_that_was_pressed_as_the_cable_came_out_is_not_told_later(halls: list[Hall]) -> None:
    """Stale presses would answer a question that was not asked yet."""
    hall = Hall()
    halls.append(hall)
    hall.devices.do({"box": 1, "unplug": True})
    hall.devices.do({"box": 1, "press": "k3"})
    hall.until(lambda: not hall.there(1), "box 1 gone")
    hall.put_back(1)
    assert [signal for signal in hall.heard if isinstance(signal, Key)] == []
