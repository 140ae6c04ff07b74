"""The simulated table: seat boxes, a dice reader and a panel made of software, for `demo`, the bench page and tests.

A simulated box speaks real frames over a pty, so the hub's side is `button_box` on `line`, as with real boxes.
What happens inside such a box is `box_end.py`.
"""

from __future__ import annotations

import io
import logging
import os
import random
import select
import tempfile
import threading
import tty
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from PIL import Image

from drivers.button_box import ButtonBoxes
from drivers.common import settings as block
from drivers.common.serial_lines import Calls, SteadyClock
from drivers.common.worker import Inbox
from drivers.simulated.dice import MOST_DICE, SimDice
from drivers.simulated.seat_box import BoxEnd, End
from hub.ports import Clock, Control
from hub.state import PublicState

log = logging.getLogger(__name__)

Draw = Callable[[PublicState], Image.Image]


def _nothing() -> None:
    """Nobody wants to know."""


class SimBox:
    """A `BoxEnd` on a pty. The hub opens `port`, a link to the pty that is there while the box is plugged in."""

    def __init__(
        self, name: str, port: Path, clock: Clock, changed: Callable[[], None] = _nothing, end: End | None = None
    ) -> None:
        self.name = name
        self.port = port
        self._end: End = end if end is not None else BoxEnd(name)
        self._clock = clock
        self._changed = changed
        self._calls = Calls()
        self._lock = threading.Lock()
        self._pty: tuple[int, int] | None = None  # box end, hub end
        self._shown: dict[str, Any] = {}
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Plug in and begin."""
        self._plug()  # before its thread runs: the cable is in when this returns
        self._thread.start()

    def close(self) -> None:
        """Unplug for good."""
        self._calls.tell(self._stop)
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._calls.close()

    def wake(self) -> None:
        """Look at the clock now."""
        self._calls.wake()

    def press(self, control: Control, hold: bool = False) -> None:
        """Press a control."""
        self._calls.tell(partial(self._end.press, control, hold))

    def turn(self, detents: int) -> None:
        """Turn the dial; right is positive."""
        self._calls.tell(partial(self._end.turn, detents))

    def plug(self) -> None:
        """Put the cable in."""
        self._calls.tell(self._plug)

    def unplug(self) -> None:
        """Pull the cable; the box keeps its power and its memory."""
        self._calls.tell(self._unplug)

    def power_cycle(self) -> None:
        """Take the power away for a moment: the box forgets everything."""
        self._calls.tell(self._power_cycle)

    def state(self) -> dict[str, Any]:
        """What a person at this seat sees, and whether the cable is in."""
        with self._lock:
            return {"connected": self._pty is not None, **self._end.state()}

    def _stop(self) -> None:
        self._unplug()
        self._stopping = True

    def _plug(self) -> None:
        if self._pty is None:
            box_end, hub_end = os.openpty()
            tty.setraw(hub_end)
            os.set_blocking(box_end, False)
            self._pty = (box_end, hub_end)
            self.port.unlink(missing_ok=True)
            self.port.symlink_to(os.ttyname(hub_end))
            self._end.plugged_in()

    def _unplug(self) -> None:
        if self._pty is not None:
            self.port.unlink(missing_ok=True)
            for number in self._pty:
                os.close(number)
            self._pty = None

    def _power_cycle(self) -> None:
        plugged = self._pty is not None
        self._unplug()
        self._end.power_up()
        if plugged:
            self._plug()

    def _run(self) -> None:
        while not self._stopping:
            try:
                with self._lock:
                    self._calls.run()
                    self._talk()
                self._report()
                if not self._stopping:
                    self._wait()
            except Exception:  # a driver's thread lives on (design, section 6)
                log.exception("The simulated box %s failed and is unplugged.", self.name)
                self._unplug()

    def _talk(self) -> None:
        if self._pty is None:
            return
        now = self._clock.now()
        self._end.due(now)
        data = self._end.outgoing(now)
        if data:
            try:
                os.write(self._pty[0], data)
            except BlockingIOError:
                return  # nobody reads: a box's words are lost while no hub has opened its port
        if self._end.wants_firmware:  # it comes back as a drive, not as a box
            self._unplug()

    def _report(self) -> None:
        state = self.state()
        if state != self._shown:
            self._shown = state
            self._changed()

    def _wait(self) -> None:
        waiter = select.poll()
        waiter.register(self._calls, select.POLLIN)
        patience: float | None = None
        if self._pty is not None:
            waiter.register(self._pty[0], select.POLLIN)
            patience = max(0.0, self._end.deadline() - self._clock.now()) * 1000
        ready = dict(waiter.poll(patience))
        if self._pty is not None and self._pty[0] in ready:
            data = os.read(self._pty[0], 4096)
            with self._lock:
                self._end.heard(data)


PAPER_SECONDS = 0.15


class SimPanel:
    """Panels without e-ink: the newest picture of each size as PNG. Slow drawing skips pictures, never queues."""

    def __init__(self, draws: Mapping[str, Draw], changed: Callable[[], None] = _nothing) -> None:
        self._draws = dict(draws)
        self._changed = changed
        self._turn = threading.Condition()
        self._newest: PublicState | None = None
        self._pngs: dict[str, bytes] = {}
        self._versions: dict[str, int] = dict.fromkeys(draws, 0)
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="sim-panel", daemon=True)

    def start(self) -> None:
        """Begin to draw."""
        self._thread.start()

    def close(self) -> None:
        """Stop drawing."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def show(self, public: PublicState, settled: bool) -> None:  # noqa: ARG002 - a window never needs the full refresh
        """The newest public state; drawn as soon as the one before it is done."""
        with self._turn:
            self._newest = public
            self._turn.notify_all()

    def png(self, size: str) -> bytes | None:
        """The newest picture of that size, or None before the first."""
        with self._turn:
            return self._pngs.get(size)

    def state(self) -> dict[str, int]:
        """Each size with a number that rises when its picture changes."""
        with self._turn:
            return dict(self._versions)

    def _run(self) -> None:
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._closing or self._newest is not None)
                # Paper is slow: rings and phones go first, and what comes in quick succession is drawn once.
                self._turn.wait_for(lambda: self._closing, timeout=PAPER_SECONDS)
                public, self._newest = self._newest, None
                if self._closing or public is None:
                    return
            for size, draw in self._draws.items():
                self._draw(size, draw, public)

    def _draw(self, size: str, draw: Draw, public: PublicState) -> None:
        try:
            image = draw(public)
        except Exception:  # a driver's thread lives on (design, section 6); the last good picture stays
            log.exception("The panel of size %s cannot be drawn.", size)
            return
        data = io.BytesIO()
        image.save(data, "PNG")
        with self._turn:
            if self._pngs.get(size) == data.getvalue():
                return
            self._pngs[size] = data.getvalue()
            self._versions[size] += 1
        self._changed()


class SimulatedTable:
    """Everything a table has, made of software: a device with boxes, dice and panels, and hands to use them."""

    lamps = None

    def __init__(
        self,
        seats: int,
        inbox: Inbox,
        draws: Mapping[str, Draw] | None = None,
        clock: Clock | None = None,
        chance: random.Random | None = None,
    ) -> None:
        clock = clock if clock is not None else SteadyClock()
        self.changed = threading.Condition()
        self.version = 0
        self._folder = tempfile.TemporaryDirectory(prefix="table-hub-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self.seat_boxes = {
            seat: SimBox(f"sim-{seat}", folder / f"box-{seat}", clock, self._change) for seat in range(1, seats + 1)
        }
        self.boxes = ButtonBoxes(inbox, [str(box.port) for box in self.seat_boxes.values()], clock)
        self.dice = SimDice("sim-dice", inbox, clock, chance, self._change)
        self.page = SimPanel(draws or {}, self._change)

    @property
    def names(self) -> dict[int, str]:
        """The id of the box at each seat."""
        return {seat: box.name for seat, box in self.seat_boxes.items()}

    def start(self) -> None:
        """Plug everything in."""
        for box in self.seat_boxes.values():
            box.start()
        self.boxes.start()
        self.dice.start()
        self.page.start()

    def close(self) -> None:
        """Put everything away."""
        self.boxes.close()
        for box in self.seat_boxes.values():
            box.close()
        self.dice.close()
        self.page.close()
        self._folder.cleanup()

    def wake(self) -> None:
        """Look at the clock now."""
        for box in self.seat_boxes.values():
            box.wake()
        self.boxes.wake()
        self.dice.wake()

    def snapshot(self) -> dict[str, Any]:
        """All that can be seen at the table, hoods lifted, ready for JSON: for the bench page only."""
        with self.changed:
            version = self.version
        return {
            "version": version,
            "boxes": {str(seat): box.state() for seat, box in self.seat_boxes.items()},
            "dice": self.dice.state(),
            "panels": self.page.state(),
        }

    def png(self, size: str) -> bytes | None:
        """What the panel of that size shows; None where there is none, or nothing on it yet."""
        return self.page.png(size)

    def wait(self, version: int, timeout: float) -> int:
        """Wait until something is newer than `version`, or the time is over; returns the version now."""
        with self.changed:
            self.changed.wait_for(lambda: self.version != version, timeout)
            return self.version

    def do(self, command: Mapping[str, Any]) -> str | None:
        """What a hand does at the bench. Returns one sentence if it cannot be done, else None.

        `{"box": 2, "press": "k3"}` (with `"hold": true`), `{"box": 2, "turn": -1}`, `{"box": 2, "unplug": true}`,
        `plug`, `power_cycle`; `{"dice": "throw", "faces": [3]}` or `"count": 2`, and `cock`, `miscount`, `lose`,
        `restore`, `drain` (a battery).
        """
        try:
            if "box" in command:
                return self._do_box(msgspec.convert(dict(command), _BoxOrder))
            return self._do_dice(msgspec.convert(dict(command), _DiceOrder))
        except msgspec.ValidationError as wrong:
            return f"The bench does not know this: {wrong}."

    def _do_box(self, order: _BoxOrder) -> str | None:
        box = self.seat_boxes.get(order.box)
        if box is None:
            return f"There is no box {order.box}: seats 1 to {len(self.seat_boxes)} have one."
        asked = [order.press is not None, order.turn != 0, order.unplug, order.plug, order.power_cycle]
        if asked.count(True) != 1:
            return "Say one thing for a box: press, turn, unplug, plug or power_cycle."
        if order.press is not None:
            box.press(order.press, order.hold)
        elif order.turn:
            box.turn(order.turn)
        elif order.unplug:
            box.unplug()
        elif order.plug:
            box.plug()
        else:
            box.power_cycle()
        return None

    def _do_dice(self, order: _DiceOrder) -> str | None:
        match order.dice:
            case "throw":
                return self.dice.throw(order.count, order.faces)
            case "cock":
                self.dice.cock()
            case "miscount":
                self.dice.miscount()
            case "lose":
                self.dice.lose()
            case "drain":
                self.dice.drain()
            case "restore":
                self.dice.restore()
        return None

    def _change(self) -> None:
        with self.changed:
            self.version += 1
            self.changed.notify_all()


class _BoxOrder(msgspec.Struct, forbid_unknown_fields=True):
    """A bench command for a box."""

    box: int
    press: Control | None = None
    hold: bool = False
    turn: Annotated[int, msgspec.Meta(ge=-50, le=50)] = 0
    unplug: bool = False
    plug: bool = False
    power_cycle: bool = False


class _DiceOrder(msgspec.Struct, forbid_unknown_fields=True):
    """A bench command for the dice."""

    dice: Literal["throw", "cock", "miscount", "lose", "drain", "restore"]
    faces: Annotated[list[int], msgspec.Meta(max_length=MOST_DICE)] = []
    count: Annotated[int, msgspec.Meta(ge=0, le=MOST_DICE)] | None = None


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "simulated"`: how many boxes the table has."""

    seats: Annotated[int, msgspec.Meta(ge=1, le=6)] = 4


def connect(settings: Mapping[str, Any], inbox: Inbox, draws: Mapping[str, Draw] | None = None) -> SimulatedTable:
    """The device of a `[[device]]` block; `draws` gives each panel size a way to draw the public state."""
    return SimulatedTable(block.read(Settings, settings, "simulated").seats, inbox, draws)
