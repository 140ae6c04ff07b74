"""Dice readers under the cups of seats: they read secret dice, which only the seat may see.

When the match asks for the faces of secret dice (`hub.engine.cups`), each reader waits for the throw of its own seat. What it has
read is that seat's sealed answer, without dispute and without a word to anybody else. Whatever the reader cannot read, the player
enters on the phone.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from hub.engine.decision import Action, Decision, Faces, Roll
from hub.engine.text import say
from hub.errors import IllegalAction
from hub.ports import DiceKit, DiceSeen
from hub.state import RollState
from hub.table.base.part import Part
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.open_batch import OpenBatch
from hub.table.dice.rolls import Rolls

TEXTS: Mapping[RollState, str] = {
    "armed": say("Roll under your cup: the dice are read there."),
    "rolling": say("Your dice are being read."),
    "settled": say("Your dice are being read."),
    "cocked": say("A die under your cup is leaning: roll only that one again."),
    "wrong_count": say("Not all dice under your cup were read: enter what they show."),
    "no_reader": say("The dice under your cup are not read: enter what they show."),
}
"""What a seat reads about its cup. A phone shows it beside the cover of the hand, so it names no face."""
OTHERS = say("The dice that lay flat count: put them aside, and roll the others.")
"""The same while only dice that were leaning are rolled again."""


class _Asked(NamedTuple):
    """The move with which a seat tells its dice, and the parameter for the faces."""

    move: str
    parameter: str
    faces: Faces


class Cups(Part):
    """The dice readers under the cups of one table's seats."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes) -> None:
        self._rolls, self._boxes = rolls, boxes
        self._batches = {seat: OpenBatch(reader, core.ports.clock) for seat, reader in core.ports.cups.items()}
        self._open: dict[int, _Asked] = {}  # the seats whose readers wait for a throw, or read it
        self._kits: dict[int, int] = {}  # number of dice of each reader, once it has reported them

    def continue_numbering(self, before: Cups) -> None:
        """Continue the numbers of requests, as readers outlive a restarted table."""
        for seat, batch in self._batches.items():
            if earlier := before._batches.get(seat):
                batch.continue_numbering(earlier.arms)

    def open(self, decision: Decision | None) -> None:
        """Ask the readers of the seats that are asked for secret dice by a decision that has just opened."""
        for seat, batch in self._batches.items():
            asked = _asked(decision, seat)
            if asked is None:
                self._close(seat)
                continue
            self._open[seat] = asked
            count, sides = asked.faces.count, asked.faces.sides
            batch.begin(Roll(seat, count, sides, ""), count)
            if self._kits.get(seat, count) < count:
                batch.take_step("lost")
            else:
                batch.arm()

    def _close(self, seat: int) -> None:
        if self._open.pop(seat, None):
            self._batches[seat].begin(None, 0)
            self._batches[seat].disarm()

    def on_kit(self, kit: DiceKit) -> None:
        """Note how many dice the reader of a cup has, for the next roll."""
        self._kits[kit.cup] = kit.dice

    def on_reading(self, report: DiceSeen) -> bool:
        """Handle a report of the reader under a cup. Return whether it was expected."""
        return report.cup in self._open and self._batches[report.cup].on_reading(report)

    def run_due(self) -> bool:
        """Take what was read as the answers of the seats. Return whether anything has changed. Raise LogError."""
        changed = False
        for seat, asked in list(self._open.items()):
            batch = self._batches[seat]
            if _asked(self._rolls.decision, seat) is None:  # the faces were entered on the phone meanwhile
                self._close(seat)
                changed = True
            elif batch.accept_is_due:
                action = Action(seat=seat, move=asked.move, args={asked.parameter: batch.faces})
                self._close(seat)
                with suppress(IllegalAction):  # the player enters the faces
                    self._boxes.answer_by_phone(action)
                changed = True
            else:
                before = batch.state
                batch.check_silence()
                changed = changed or batch.state != before
        return changed

    @property
    def due_at(self) -> float | None:
        """Return when `run_due` must be called, in the clock's seconds."""
        times = (self._batches[seat].due_at for seat in self._open)
        return min((at for at in times if at is not None), default=None)

    def text(self, seat: int) -> str:
        """Return what the player of a seat reads about its cup; "" if no reader is asked there."""
        if seat not in self._open:
            return ""
        batch = self._batches[seat]
        return OTHERS if batch.state == "armed" and batch.aside else TEXTS[batch.state]


def _asked(decision: Decision | None, seat: int) -> _Asked | None:
    """Return what a seat that has not answered yet is asked for, if that is the faces of its dice."""
    if decision is None or seat in decision.answers:
        return None
    for move in decision.offers(seat):
        for name, param in move.params.items():
            if isinstance(param, Faces):
                return _Asked(move.name, name, param)
    return None
