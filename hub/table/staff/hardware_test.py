"""Test boxes, rings, dice and panels between two matches while the hub runs, started by staff.

During a test of boxes their controls have no other effect: each used control is ticked off, and the ring of a seat rotates
until all of its box was used. A census asks the reader for the dice in the tray. Panels show a test picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from hub.engine.text import say
from hub.errors import IllegalAction
from hub.network.staff_messages import BoxTest, HardwareTest
from hub.ports import CONTROLS, SEAT_MARKS, BoxUp, DiceSeen, Key, LampPicture, Turn
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.dice.rolls import Rolls

TEST_SECONDS = 180.0
CENSUS = 6
"""The number of dice that a census expects."""
NO_READER = say("This table has no dice reader: count the dice by hand.")
RIGHT, LEFT = say("dial right"), say("dial left")


class HardwareTests(Part):
    """The tests of one table: one at a time, and none during a match."""

    def __init__(self, core: Core, rolls: Rolls) -> None:
        self._play, self._seats, self._rolls, self._clock = core.play, core.seats, rolls, core.ports.clock
        self._controls: dict[str, int] = {}  # by box: the number of controls that it reported
        self._untested: dict[int, list[str]] | None = None  # by seat, during a test of boxes
        self._ports = core.ports
        self.shows_picture = False
        """Panels show a test picture."""
        self._dice_text = ""
        self._arm: int | None = None
        self._ends_at = 0.0

    @property
    def _running(self) -> bool:
        return self._untested is not None or self._arm is not None or self.shows_picture

    def begin(self, what: Literal["boxes", "dice", "panels", "stop"]) -> None:
        """Start a test of "boxes" or "panels" or a census of "dice", or "stop". Raise IllegalAction."""
        self.end()
        self._ends_at = self._clock.now() + TEST_SECONDS
        if what == "boxes":
            boxes = [seat for seat in self._seats if seat.box_on]
            if not boxes:
                raise IllegalAction(say("No box is connected at this table."), "TEST")
            self._untested = {seat.number: [*CONTROLS[: self._controls.get(seat.box)], RIGHT, LEFT] for seat in boxes}
        elif what == "panels":
            if not self._ports.panels:
                raise IllegalAction(say("This table has no panel."), "TEST")
            self.shows_picture = True
        elif what == "dice":
            self._arm = self._rolls.dice.open.arm_for_census(CENSUS)
            self._dice_text = say("Put all {count} dice into the tray.", count=CENSUS) if self._arm else NO_READER

    def end(self) -> None:
        """End the test."""
        if self._arm is not None:
            self._rolls.dice.open.disarm()
        self._untested, self._arm, self._dice_text, self.shows_picture = None, None, "", False

    def run_due(self) -> bool:
        """End a test after `TEST_SECONDS` or at the start of a match; return whether there was one."""
        if not self._running or (self._clock.now() < self._ends_at and not self._play.seats):
            return False
        self.end()
        return True

    def handle_signal(self, signal: object) -> bool:
        """Handle a report of a device; return whether it belongs to a test and has no other effect."""
        if isinstance(signal, BoxUp):
            self._controls[signal.box] = signal.controls
        if not self._running or self._play.seats:
            return False
        match signal:
            case Key(box, control, _):
                return self._tick_off(box, control)
            case Turn(box, detents):
                return self._tick_off(box, RIGHT if detents > 0 else LEFT)
            case DiceSeen(arm=arm, cup=0) if arm == self._arm:
                self._dice_text = _sentence(signal)
                return True
        return False

    def _tick_off(self, box: str, control: str) -> bool:
        seat = self._seats.of_box(box)
        if seat is None or self._untested is None or seat.number not in self._untested:
            return False
        self._untested[seat.number] = [one for one in self._untested[seat.number] if one != control]
        return True

    def rings(self) -> Mapping[int, LampPicture]:
        """Return the test's ring pictures by seat: rotating until all of a box was used, then lit."""
        return {
            seat: LampPicture("roll" if left else "locked", 0, SEAT_MARKS[seat].colour)
            for seat, left in (self._untested or {}).items()
        }

    def report(self) -> HardwareTest | None:
        """Return the progress of the test; None without one."""
        if not self._running and not self._dice_text:
            return None
        boxes = [BoxTest(seat, list(left)) for seat, left in (self._untested or {}).items()]
        seconds = max(0, int(self._ends_at - self._clock.now()))
        return HardwareTest(seconds, boxes, self._dice_text, self.shows_picture)


def _sentence(seen: DiceSeen) -> str:
    """Return a sentence about the dice that a reader sees in the tray."""
    faces = " ".join(map(str, seen.faces))
    match seen.state:
        case "settled":
            return say("All {count} dice are there: {faces}.", count=len(seen.faces), faces=faces)
        case "armed":
            return say("Put all {count} dice into the tray.", count=CENSUS)
        case "rolling":
            return say("The dice are moving.")
        case "cocked":
            if not faces:
                return _with(say("A die leans or is outside the tray. No die is flat."), seen.say)
            return _with(say("A die leans or is outside the tray. Flat dice: {faces}.", faces=faces), seen.say)
        case "wrong_count":
            return _with(say("These are not {count} dice.", count=CENSUS), seen.say)
        case _:
            return seen.say or say("The reader does not answer.")


def _with(text: str, more: str) -> str:
    return say("{text} {more}", text=text, more=more) if more else text
