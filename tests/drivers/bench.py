"""What the driver tests share: a clock held still, an inbox to wait at, and wires between the two real ends."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

from drivers.button_box import ButtonBoxes, Fleet, SeatBoxSession
from drivers.simulated.firmware import box_module
from drivers.simulated.seat_box import BoxProgram, CPythonBox, SimBox
from hub.ports import BoxBid, BoxLocked, BoxUnlocked, BoxUp, Control, SealedRound
from tests.firmware.pico import MicroPythonBox, needs_micropython
from tests.patience import PATIENCE

S = TypeVar("S")
BOX = "e661640843210a2b"
Box: Any = box_module().Box  # the firmware's, for boxes that misbehave


class StillClock:
    """Time passes only when a test says so; whoever waits for it is woken."""

    def __init__(self) -> None:
        self._now = 100.0
        self.wakes: list[Callable[[], None]] = []

    def now(self) -> float:
        return self._now

    def skip(self, seconds: float) -> None:
        """Let time pass without waking anybody: for whoever holds the one thread that waits."""
        self._now += seconds

    def advance(self, seconds: float) -> None:
        self.skip(seconds)
        for wake in self.wakes:
            wake()


class Inbox:
    """The table's inbox in a test: every signal in order, and a way to wait for one."""

    def __init__(self) -> None:
        self.signals: list[object] = []
        self._came = threading.Condition()
        self._read = 0

    def __call__(self, signal: object) -> None:
        with self._came:
            self.signals.append(signal)
            self._came.notify_all()

    def next(self, kind: type[S]) -> S:
        """The next signal of that kind after the last one that was waited for."""

        def found() -> S | None:
            while self._read < len(self.signals):
                signal = self.signals[self._read]
                self._read += 1
                if isinstance(signal, kind):
                    return signal
            return None

        with self._came:
            signal = self._came.wait_for(found, PATIENCE)
            assert signal, f"no {kind.__name__} came; what came: {self.signals}"
            return signal

    def glance(self, patience: float = 0.02) -> None:
        """Let the other threads have their turn: until something comes, or for a moment."""
        with self._came:
            before = len(self.signals)
            self._came.wait_for(lambda: len(self.signals) > before, patience)

    def all(self, kind: type[S]) -> list[S]:
        with self._came:
            return [signal for signal in self.signals if isinstance(signal, kind)]


def let_pass(clock: StillClock, inbox: Inbox, right: Callable[[], object], what: str, step: float = 0.05) -> None:
    """Put the clock forward, step by step, until something is so.

    It fails after 400 steps, and never before PATIENCE real seconds: the threads of a busy machine need their time.
    """
    give_up_at = time.monotonic() + PATIENCE
    steps = 0
    while not right():
        assert steps < 400 or time.monotonic() < give_up_at, f"{what} did not come; what came: {inbox.signals[-6:]}"
        clock.advance(step)
        inbox.glance()
        steps += 1


class Seats:
    """Simulated boxes on ptys, the real driver on their other ends, one clock."""

    def __init__(self, folder: Path) -> None:
        self.clock = StillClock()
        self.inbox = Inbox()
        self.folder = folder
        self._changed = threading.Condition()
        self.sims: list[SimBox] = []
        self.hubs: list[ButtonBoxes] = []
        self.random = Random(1)

    def box(self, program: BoxProgram | None = None, name: str = BOX, port: str = "port-1") -> SimBox:
        """A box that is plugged in."""
        sim = SimBox(name, self.folder / port, self.clock, self._change, program)
        self.sims.append(sim)
        self.clock.wakes.append(sim.wake)
        sim.start()
        self.see(sim, lambda state: state["connected"])
        return sim

    def hub(self, *ports: str) -> ButtonBoxes:
        """The driver at those ports."""
        hub = ButtonBoxes(
            self.inbox, [str(self.folder / port) for port in ports or ("port-1",)], self.clock, self.random
        )
        self.hubs.append(hub)
        self.clock.wakes.append(hub.wake)
        hub.start()
        return hub

    def see(self, sim: SimBox, right: Callable[[dict[str, object]], object]) -> None:
        """Wait until what a person sees at the box is right."""
        with self._changed:
            assert self._changed.wait_for(lambda: right(sim.state()), PATIENCE), f"the box shows {sim.state()}"

    def replug(self, sim: SimBox) -> None:
        """Put the cable in again, and let the driver look."""
        sim.plug()
        self.see(sim, lambda state: state["connected"])
        self.clock.advance(0.5)

    def shut(self, hub: ButtonBoxes) -> None:
        self.hubs.remove(hub)
        self.clock.wakes.remove(hub.wake)
        hub.close()

    def close(self) -> None:
        for hub in list(self.hubs):
            self.shut(hub)
        for sim in self.sims:
            self.clock.wakes.remove(sim.wake)
            sim.close()

    def _change(self) -> None:
        with self._changed:
            self._changed.notify_all()


class CabledTable:
    """One box on a cable, its driver, and the words a test of boxes needs."""

    BOX = BOX

    def __init__(self, seats: Seats, program: BoxProgram | None = None) -> None:
        self.seats = seats
        self.inbox = seats.inbox
        self.sim: SimBox = seats.box(program)
        self.hub = seats.hub()
        self.up = self.inbox.next(BoxUp)

    def open(self, round: int = 1, high: int = 5, at: int = 2) -> None:
        self.hub.open(self.BOX, SealedRound(round, high, at))
        self.seats.see(self.sim, lambda state: state["sealed"] and not state["locked"])

    def press(self, control: Control, hold: bool = False) -> None:
        self.sim.press(control, hold)

    def hold_both(self) -> None:
        self.sim.hold_both()

    def turn(self, detents: int) -> None:
        self.sim.turn(detents)

    def lock(self, *, choice: Control = "k5") -> None:
        self.press(choice)
        self.press("push")
        self.inbox.next(BoxLocked)

    def take_back(self) -> BoxUnlocked:
        self.press("bar")
        unlocked = self.inbox.next(BoxUnlocked)
        self.seats.see(self.sim, lambda state: not state["locked"])
        return unlocked

    def bid(self, round: int = 1) -> int:
        self.hub.reveal([self.BOX], round)
        return self.inbox.next(BoxBid).index

    def cancel(self, round: int = 1) -> None:
        self.hub.cancel(self.BOX, round)
        self.seats.see(self.sim, lambda state: not state["sealed"])

    def close(self) -> None:
        self.seats.close()


# --- wires, in virtual time ------------------------------------------------------------------------

Delivery = tuple[float, bytes]  # after how many seconds, what
Way = Callable[[bytes, random.Random], list[Delivery]]


def whole(data: bytes, _: random.Random) -> list[Delivery]:
    """Everything as it was written."""
    return [(0.0, data)]


def one_byte_at_a_time(data: bytes, _: random.Random) -> list[Delivery]:
    """Every byte comes alone."""
    return [(0.0, data[i : i + 1]) for i in range(len(data))]


def lossy(data: bytes, chance: random.Random) -> list[Delivery]:
    """A quarter of the lines never come, some bytes neither."""
    kept = [line for line in data.splitlines(keepends=True) if chance.random() > 0.25]
    return [(0.0, bytes(byte for byte in line if chance.random() > 0.002)) for line in kept]


def delayed(data: bytes, chance: random.Random) -> list[Delivery]:
    """Every line takes its time, some longer than the deadline of an answer."""
    return [(chance.uniform(0.0, 0.35), line) for line in data.splitlines(keepends=True)]


def doubled(data: bytes, chance: random.Random) -> list[Delivery]:
    """Every line comes twice, the second time perhaps later than the lines after it."""
    lines = data.splitlines(keepends=True)
    return [(0.0, line) for line in lines] + [(chance.choice([0.0, 0.02, 0.05]), line) for line in lines]


def among_garbage(data: bytes, chance: random.Random) -> list[Delivery]:
    """Noise and half frames between the lines."""
    noise = [b"\x00\xff\xfe\n", b'~{"t":"bid","s":1,"r":7\n', b"MPY: soft reboot\r\n", b"~" * 300 + b"\n", b"~*\n"]
    return [(0.0, part) for line in data.splitlines(keepends=True) for part in (chance.choice(noise), line)]


WAYS = [whole, one_byte_at_a_time, lossy, delayed, doubled, among_garbage]


class Wire:
    """The hub's real end and the box's real end with a wire between them, in virtual time: no thread, no tty."""

    STEP = 0.01

    def __init__(self, way: Way = whole, seed: int = 0, program: BoxProgram | None = None) -> None:
        self.chance = random.Random(seed)
        self.way = way
        self.now = 0.0
        self.signals: list[object] = []
        self.box: BoxProgram = program if program is not None else CPythonBox(BOX)
        self.fleet = Fleet(self.signals.append, first_number=lambda: self.chance.randrange(1000))
        self.session: SeatBoxSession = self.fleet.session("wire")
        self.to_box: list[Delivery] = []
        self.to_hub: list[Delivery] = []
        self.from_box = b""
        self.from_hub = b""
        self.session.on_open(self.now)

    def step(self) -> None:
        self.now += self.STEP
        self._deliver(self.to_hub, lambda data: self.session.on_data(data, self.now))
        self._deliver(self.to_box, self.box.on_data)
        self.session.run_due(self.now)
        self.box.run_due(self.now)
        said = self.session.outgoing(self.now)
        self.from_hub += said
        self._send(self.to_box, said)
        answered = self.box.outgoing(self.now)
        self.from_box += answered
        self._send(self.to_hub, answered)

    def until(self, right: Callable[[], object], limit: float = 60.0) -> None:
        """Let time pass until something is so."""
        end = self.now + limit
        while not right():
            assert self.now < end, f"not within {limit} s; what came: {self.signals}"
            self.step()

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.step()

    def all(self, kind: type[S]) -> list[S]:
        return [signal for signal in self.signals if isinstance(signal, kind)]

    def _send(self, queue: list[Delivery], data: bytes) -> None:
        for after, part in self.way(data, self.chance) if data else ():
            at = self.now + after
            if self.way is delayed and queue:  # a cable does not change the order of what it delays
                at = max(at, queue[-1][0])
            queue.append((at, part))

    def _deliver(self, queue: list[Delivery], hear: Callable[[bytes], None]) -> None:
        ready = [part for at, part in queue if at <= self.now]
        queue[:] = [delivery for delivery in queue if delivery[0] > self.now]
        for part in ready:
            hear(part)


Programs = Callable[[], BoxProgram]


@contextmanager
def box_programs(kind: str) -> Iterator[Programs]:
    """A maker of boxes whose firmware runs in `cpython`, or in the real `micropython` with its power on."""
    made: list[MicroPythonBox] = []

    def make() -> BoxProgram:
        if kind == "cpython":
            return CPythonBox(BOX)
        made.append(MicroPythonBox(BOX))
        return made[-1]

    yield make
    for box in made:
        box.close()


BOTH_INTERPRETERS = ["cpython", pytest.param("micropython", marks=needs_micropython)]
