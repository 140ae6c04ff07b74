"""The simulated table: seat boxes, a dice reader and a panel made of software, for `demo`, the bench page and tests.

A simulated box runs the real firmware on a pty, so that the hub's side is `button_box`, as with real boxes.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

import msgspec

from drivers.button_box import ButtonBoxes
from drivers.common import settings as block
from drivers.common.worker import Inbox
from drivers.simulated.dice import MOST_DICE, SimDice
from drivers.simulated.panel import Draw, SimPanel
from drivers.simulated.seat_box import SimBox
from hub.errors import TemporaryError
from hub.ports import Clock, Control, DriverContext, MonotonicClock


class SimulatedTable:
    """A simulated device with boxes, dice and panels, and methods that operate them."""

    lamps = None

    def __init__(
        self,
        seats: int,
        inbox: Inbox,
        chance: Random,
        draws: Mapping[str, Draw] | None = None,
        clock: Clock | None = None,
    ) -> None:
        clock = clock if clock is not None else MonotonicClock()
        self.changed = threading.Condition()
        self.version = 0
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="table-hub-", ignore_cleanup_errors=True)
        except OSError as error:  # the disk is full
            raise TemporaryError(f"The simulated boxes need a folder for their cables: {error.strerror}.") from error
        folder = Path(self._folder.name)
        self.seat_boxes = {
            seat: SimBox(f"sim-{seat}", folder / f"box-{seat}", clock, self._change) for seat in range(1, seats + 1)
        }
        frames = Random(chance.getrandbits(64))  # noqa: S311 - on a thread of its own, it must not shift the dice
        self.cables = ButtonBoxes(inbox, [str(box.port) for box in self.seat_boxes.values()], clock, frames)
        self.dice = SimDice("sim-dice", inbox, clock, chance, self._change)
        self.page = SimPanel(draws or {}, self._change)

    @property
    def boxes(self) -> ButtonBoxes | None:
        """The hub's end of the boxes' cables; None if there are no boxes."""
        return self.cables if self.seat_boxes else None

    @property
    def names(self) -> dict[int, str]:
        """The id of the box at each seat."""
        return {seat: box.name for seat, box in self.seat_boxes.items()}

    def start(self) -> None:
        """Start all devices."""
        for box in self.seat_boxes.values():
            box.start()
        self.cables.start()
        self.dice.start()
        self.page.start()

    def close(self) -> None:
        """Close all devices."""
        self.cables.close()
        for box in self.seat_boxes.values():
            box.close()
        self.dice.close()
        self.page.close()
        self._folder.cleanup()

    def wake(self) -> None:
        """Check the clock now, after a test has advanced it."""
        for box in self.seat_boxes.values():
            box.wake()
        self.cables.wake()
        self.dice.wake()

    def snapshot(self) -> dict[str, Any]:
        """Return the state of all devices, sealed values included, ready for JSON. For the bench page only."""
        with self.changed:
            version = self.version
        return {
            "version": version,
            "boxes": {str(seat): box.state() for seat, box in self.seat_boxes.items()},
            "dice": self.dice.state(),
            "panels": self.page.state(),
        }

    def png(self, size: str) -> bytes | None:
        """Return the picture of the panel of this size as a PNG; None if there is no such panel or picture."""
        return self.page.png(size)

    def wait(self, version: int, timeout: float) -> int:
        """Wait for at most `timeout` seconds for a version other than `version`; return the present version."""
        with self.changed:
            self.changed.wait_for(lambda: self.version != version, timeout)
            return self.version

    def do(self, command: Mapping[str, object]) -> str | None:
        """Execute a command of the bench page. Return a sentence if that is impossible, else None.

        `{"box": 2, "press": "k3"}` (with `"hold": true`), `{"box": 2, "both": true}` (bar and push held together),
        `{"box": 2, "turn": -1}`, `{"box": 2, "unplug": true}`, `plug`, `power_cycle`; `{"dice": "throw", "faces": [3]}` or `"count": 2`, and `cock`, `miscount`, `lose`,
        `restore`, `drain` (a battery).
        """
        try:
            if "box" in command:
                return self._do_box(msgspec.convert(dict(command), _BoxOrder))
            return self._do_dice(msgspec.convert(dict(command), _DiceOrder))
        except msgspec.ValidationError as error:
            return f"The bench does not know this: {error}."

    def _do_box(self, order: _BoxOrder) -> str | None:
        box = self.seat_boxes.get(order.box)
        if box is None:
            return f"There is no box {order.box}: seats 1 to {len(self.seat_boxes)} have one."
        asked = [order.press is not None, order.both, order.turn != 0, order.unplug, order.plug, order.power_cycle]
        if asked.count(True) != 1:
            return "Say one thing for a box: press, both, turn, unplug, plug or power_cycle."
        if order.press is not None:
            box.press(order.press, order.hold)
        elif order.both:
            box.hold_both()
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
    both: bool = False
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
    """`[[device]] driver = "simulated"`."""

    seats: Annotated[
        int,
        msgspec.Meta(
            ge=0, le=6, description="boxes of the simulated table; 0: only dice and panels, beside real boxes"
        ),
    ] = 4


def connect(settings: Mapping[str, object], context: DriverContext) -> SimulatedTable:
    """Return the device of a `[[device]]` block."""
    return SimulatedTable(
        block.read(Settings, settings, "simulated").seats, context.inbox, context.random, context.draws
    )
