"""Dice readers under the cups of seats: they read secret dice, which only the seat may see.

When the match asks for the faces of secret dice (`hub.engine.cups`), each reader waits for the throw of its own seat. What it has
read is that seat's sealed answer, without dispute and without a word to anybody else. Whatever the reader cannot read, the player
enters on the phone. A reader is asked once for each roll, so that nobody can take an answer back and throw again.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from msgspec import Struct

from hub.engine.decision import Action, Decision, Faces, Roll
from hub.engine.text import say, to_json
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


class Answered(Struct, frozen=True):
    """The seats whose readers have answered a roll, which survives a power cut."""

    key: str
    seats: list[int]


class Cups(Part):
    """The dice readers under the cups of one table's seats."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes) -> None:
        self._play, self._seats, self._kept = core.play, core.seats, core.kept
        self._rolls, self._boxes = rolls, boxes
        self._batches = {seat: OpenBatch(reader, core.ports.clock) for seat, reader in core.ports.cups.items()}
        self._open: dict[int, _Asked] = {}  # the seats whose readers wait for a throw, or read it
        self._key = ""  # of the roll that they were asked for
        self._kits: dict[int, int] = {}  # number of dice of each reader, once it has reported them

    def continue_numbering(self, before: Cups) -> None:
        """Continue the numbers of requests, as readers outlive a restarted table."""
        for seat, batch in self._batches.items():
            if earlier := before._batches.get(seat):
                batch.continue_numbering(earlier.arms)

    def open(self, decision: Decision | None) -> None:
        """Ask the readers of the seats that are asked for secret dice by a decision that has just opened. Raise LogError."""
        before, self._key = self._key, f"{self._play.log.match}/{decision.number}" if decision else ""
        for seat, batch in self._batches.items():
            asked = self._asked(decision, seat)
            goes_on = self._key == before and asked == self._open.get(seat) and batch.has_known_dice
            if asked is None or seat in self._answered():
                self._close(seat)
            elif not goes_on:
                self._arm(seat, asked)

    def _arm(self, seat: int, asked: _Asked) -> None:
        batch, count = self._batches[seat], asked.faces.count
        self._open[seat] = asked
        batch.begin(Roll(seat, count, asked.faces.sides, ""), count)
        if self._kits.get(seat, count) < count:
            batch.take_step("lost")
        else:
            batch.arm()

    def _close(self, seat: int) -> None:
        if self._open.pop(seat, None):
            self._batches[seat].begin(None, 0)
            self._batches[seat].disarm()

    def _asked(self, decision: Decision | None, seat: int) -> _Asked | None:
        """Return what a person who has not answered yet is asked for, if that is the faces of dice.

        The hub draws those of the house.
        """
        if decision is None or seat in decision.answers or self._seats[seat].house:
            return None
        for move in decision.offers(seat):
            for name, param in move.params.items():
                if isinstance(param, Faces):
                    return _Asked(move.name, name, param)
        return None

    def _answered(self) -> list[int]:
        """Return the seats whose readers have answered this roll, even if the answer was taken back. Raise LogError."""
        kept = self._kept.read("cups", Answered, say("which dice under cups were read"))
        return kept.seats if kept and kept.key == self._key else []

    def on_kit(self, kit: DiceKit) -> None:
        """Note how many dice the reader of a cup has, for the next roll."""
        self._kits[kit.cup] = kit.dice

    def on_reading(self, report: DiceSeen) -> bool:
        """Handle a report of the reader under a cup. Return whether it was expected."""
        return report.cup in self._open and self._batches[report.cup].on_reading(report)

    def run_due(self) -> bool:
        """Take what was read as the answers of the seats. Return whether anything has changed. Raise LogError."""
        changed = False
        for seat, asked in [] if self._play.stopped else list(self._open.items()):
            batch = self._batches[seat]
            before = batch.state
            if self._asked(self._rolls.decision, seat) is None:  # answered on the phone, or the house plays here now
                self._close(seat)
                changed = True
            elif batch.accept_is_due:
                self._answer(seat, asked, batch.faces)
                changed = True
            else:
                batch.check_silence()
                changed = changed or batch.state != before
        return changed

    def _answer(self, seat: int, asked: _Asked, faces: list[int]) -> None:
        """Answer for a seat. If that is refused, the player enters the faces. Raise LogError: then it is tried again."""
        answered = to_json(Answered(self._key, [*self._answered(), seat]))
        with suppress(IllegalAction):
            self._boxes.answer_by_phone(Action(seat=seat, move=asked.move, args={asked.parameter: faces}))
        self._kept.write("cups", answered)
        self._close(seat)

    @property
    def due_at(self) -> float | None:
        """Return when `run_due` must be called, in the clock's seconds."""
        if self._play.stopped:
            return None
        times = (self._batches[seat].due_at for seat in self._open)
        return min((at for at in times if at is not None), default=None)

    def text(self, seat: int) -> str:
        """Return what the player of a seat reads about its cup; "" if no reader is asked there."""
        if seat not in self._open:
            return ""
        batch = self._batches[seat]
        return OTHERS if batch.state == "armed" and batch.aside else TEXTS[batch.state]
