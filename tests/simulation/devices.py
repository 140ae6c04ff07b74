"""The devices of a simulated table: boxes that run the firmware's own files on cables with delay, and a dice reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from types import ModuleType
from typing import Literal

from drivers.button_box import Fleet, SeatBoxSession
from drivers.simulated.dice import SimDice
from drivers.simulated.firmware import load
from drivers.simulated.seat_box import CPythonBox
from hub.errors import DeviceLost
from hub.ports import DiceSeen, LampPicture, SealedRound
from tests.simulation.clock import Scheduler

CABLE_SECONDS = 0.004


class SimulatedBox:
    """A seat box: the program that it runs, and whether its cable is in. It outlives runs of the hub."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.program = CPythonBox(name, _firmware().Box)
        self.is_plugged = True


@cache
def _firmware() -> ModuleType:
    return load("box")


def seed_firmware(random: Random) -> None:
    """Let all boxes draw their boots and nonces from this source."""
    vars(_firmware()).update(VERSION="sim", urandom=random.randbytes)


class _Line:
    """The cable of one box while a run of the hub has it open."""

    def __init__(self, box: SimulatedBox, session: SeatBoxSession) -> None:
        self.box, self.session = box, session
        self.is_open = True
        self.pumps = 0  # the number of the newest plan to look after this line


class Cables:
    """The Boxes port: the real protocol of the driver, without its thread and ttys.

    `noise` is the probability that a chunk of bytes arrives damaged. `on_seen` gets the bytes on each cable.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        random: Random,
        put: Callable[[object], None],
        boxes: Sequence[SimulatedBox],
        on_seen: Callable[[str, bytes], None],
    ) -> None:
        self._scheduler, self._random, self._on_seen = scheduler, random, on_seen
        self._fleet = Fleet(put, lambda: random.randrange(2**29))
        self._lines: dict[str, _Line] = {}
        self.noise = 0.0
        for box in boxes:
            if box.is_plugged:
                self.plug(box)

    # --- people and cables ---

    def plug(self, box: SimulatedBox) -> None:
        """Put a cable in."""
        box.is_plugged = True
        if box.name not in self._lines:
            box.program.on_plug_in()
            line = self._lines[box.name] = _Line(box, self._fleet.session(f"the cable of {box.name}"))
            line.session.on_open(self._scheduler.time)
            self._pump(line)

    def unplug(self, box: SimulatedBox) -> None:
        """Pull a cable out."""
        box.is_plugged = False
        if line := self._lines.pop(box.name, None):
            line.is_open = False
            line.session.on_close(DeviceLost("unplugged"))

    def end(self) -> None:
        """End with the hub: the boxes keep their power and their cables."""
        for line in self._lines.values():
            line.is_open = False
        self._lines.clear()

    def look(self) -> None:
        """Let bytes flow, after something has happened at a box or in the hub."""
        for line in [*self._lines.values()]:
            self._pump(line)

    # --- the port ---

    def open(self, box: str, sealed: SealedRound) -> None:
        """Start a sealed choice."""
        self._fleet.open(box, sealed)
        self.look()

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        """Ask for the values."""
        self._fleet.reveal(boxes, round)
        self.look()

    def cancel(self, box: str, round: int) -> None:
        """End a sealed choice."""
        self._fleet.cancel(box, round)
        self.look()

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on a ring."""
        self._fleet.ring(box, picture)
        self.look()

    def say(self, box: str, text: str) -> None:
        """Show a line."""
        self._fleet.say(box, text)
        self.look()

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a sound."""
        self._fleet.buzz(box, kind)
        self.look()

    # --- bytes ---

    def _pump(self, line: _Line) -> None:
        if not line.is_open:
            return
        now, program, session = self._scheduler.time, line.box.program, line.session
        session.run_due(now)
        program.run_due(now)
        if data := session.outgoing(now):
            self._send(line, data, program.on_data)
        if data := program.outgoing(now):
            self._send(line, data, lambda data: session.on_data(data, self._scheduler.time))
        deadlines = [at for at in (session.deadline(), program.deadline()) if at is not None]
        line.pumps += 1
        number = line.pumps
        self._scheduler.after(
            max(0.001, min(deadlines) - now), lambda: self._pump(line) if line.pumps == number else None
        )

    def _send(self, line: _Line, data: bytes, on_data: Callable[[bytes], object]) -> None:
        self._on_seen(f"the cable of {line.box.name}", data)
        if self._random.random() < self.noise:
            at = self._random.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ 1 << self._random.randrange(8)]) + data[at + 1 :]

        def arrive() -> None:
            if line.is_open:
                on_data(data)
                self._pump(line)

        self._scheduler.after(CABLE_SECONDS, arrive)


class SimulatedDice(SimDice):
    """A dice reader on the clock of the simulation instead of a thread."""

    def __init__(
        self,
        scheduler: Scheduler,
        random: Random,
        put: Callable[[object], None],
        on_faces: Callable[[tuple[int, ...]], None],
    ) -> None:
        """Create it. `on_faces` gets the faces that it reports: of all dice, or of the flat ones if one leans."""

        def report(signal: object) -> None:
            if isinstance(signal, DiceSeen) and signal.faces:
                on_faces(signal.faces)
            put(signal)

        super().__init__("tray", report, scheduler, random)
        self._scheduler = scheduler
        self.is_open = True

    def start(self) -> None:
        """Report the dice."""
        self.restore()

    def wake(self) -> None:
        """Do what is due, now and later."""
        due_at = self.step(self._scheduler.time) if self.is_open else None
        if due_at is not None:
            self._scheduler.after(max(0.0, due_at - self._scheduler.time), self._step)

    def _step(self) -> None:
        if self.is_open:
            self.step(self._scheduler.time)
