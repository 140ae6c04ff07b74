"""Rolls of a table: an accepted roll becomes an action, and can be disputed for a few seconds.

A dispute returns the match to just before the roll. So all actions of people go through `Rolls.act`, which checks
whether the dice, or a vote about them, come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from hub.engine.decision import CHANCE, MOVED_ON, Action, Decision, Roll
from hub.engine.text import say, to_json
from hub.errors import IllegalAction, NotAsked, NotOffered, Stale
from hub.ports import DiceSeen
from hub.state import Batch, PublicDice, PublicDispute
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.dice.dispute import Cause, Dispute
from hub.table.dice.roll_states import least_physical
from hub.table.dice.table_dice import TableDice

PITCH = say("Wait for the end of the pitch.")
WAITS = say("The table decides whether the dice are read again.")
READ_AGAIN = say("Do not roll: the dice are read again.")
NOT_YOURS = say("Only players of this match decide about its dice.")

HUB_SECONDS = 1.6
"""Delay of a roll by the hub, so that people see whose roll it is and what it must show."""
HUB_CHOICE_SECONDS = 15.0
"""The same if the seat has other options first. Its own phone can roll at once."""


class Rolls(Part):
    """The dice of a table, and the dispute about its last roll, if any."""

    def __init__(self, core: Core) -> None:
        ports, self._kept = core.ports, core.kept
        self.dice = TableDice(ports.dice, core.kept, ports.clock, ports.chance)
        self.dispute: Dispute | None = None
        self._play, self._seats, self._notices, self._clock = core.play, core.seats, core.notices, ports.clock
        self.by_hub = False
        """Whether the hub rolls all dice of this table, chosen by its people."""

    def restore(self) -> None:
        """Restore from disk whether the hub rolls. Raise LogError."""
        self.by_hub = bool(self._kept.read("hub rolls", bool, say("who rolls the dice")))

    def set_hub_rolls(self, on: bool) -> None:
        """Choose whether the hub or people roll the dice, until nobody sits here. Raise LogError."""
        self._kept.write("hub rolls", to_json(on))
        self.by_hub = on

    # --- the decision and its roll -----------------------------------------------------------------

    @property
    def decision(self) -> Decision | None:
        """Return the open decision; None also during a vote about the dice or a pitch, when nobody is asked."""
        return None if self.voting or self._play.paused else self._play.decision

    @property
    def voting(self) -> bool:
        """Return whether a vote on a second reading is open."""
        return self.dispute is not None and self.dispute.stage == "vote"

    @property
    def waits_for_dispute(self) -> bool:
        """Return whether the match waits for a dispute to end."""
        return self.dispute is not None and self.dispute.blocks_match

    def open(self, decision: Decision | None) -> None:
        """Request the roll of a decision that has just opened, if it needs one."""
        if decision is None or decision.roll is None:
            self.dice.close()
            return
        roll, key = decision.roll, self._key(decision, decision.roll)
        if self.dispute and self._play.in_second_reading:
            self.dice.request_second_reading(key, roll, self.dispute.batches)
        else:
            self.dice.request_roll(key, roll, decision.wants)

    def _key(self, decision: Decision, roll: Roll) -> str:
        """Return a unique key of a roll, which stays the same across power cuts and loans."""
        return f"{self._play.log.match}/{decision.number}/{roll.seat}/{roll.sides}/{roll.why}"

    def want(self, decision: Decision) -> str:
        """Return the prompt for the seats that are asked."""
        return READ_AGAIN if self._play.in_second_reading else decision.want

    def others(self, decision: Decision) -> str:
        """Return the sentence for everybody else about what others are asked."""
        return READ_AGAIN if self._play.in_second_reading else decision.others

    # --- acting --------------------------------------------------------------------------------------

    def refusal(self, action: Action) -> IllegalAction | None:
        """Return why `act` would refuse an action, or None, without changing anything."""
        return self._blocked_by(action.seat) or self._play.refusal(action)

    def act(self, action: Action) -> None:
        """Apply an action to the match. Raise IllegalAction, and then nothing has changed."""
        if refusal := self._blocked_by(action.seat):
            raise refusal
        self._play.act(action)
        self.close_dispute_window()

    def _blocked_by(self, seat: int) -> IllegalAction | None:
        """Return the refusal of any action of a seat due to the disk, its dice, a pitch or a vote; else None."""
        if refusal := self._play.standstill():
            return refusal
        decision = self._play.decision
        if decision and decision.roll and decision.roll.seat == seat and self.dice.has_fallen:
            return NotOffered(say("Your dice have begun to fall: finish the roll first."), "DICE")
        if self._play.paused and seat != CHANCE:
            return NotAsked(PITCH, "PITCH")
        return NotAsked(WAITS, "DICE") if self.waits_for_dispute and seat != CHANCE else None

    def undo(self, seat: int) -> None:
        """Undo the last input of a seat. Raise IllegalAction if that is not possible."""
        if refusal := self._play.standstill():
            raise refusal
        if self.waits_for_dispute:
            raise NotAsked(WAITS, "DICE")
        if self.dice.has_fallen:
            raise NotOffered(say("Dice have been read since, so the move cannot be taken back."), "UNDO")
        self._play.undo(seat)
        self.dispute = None

    def close_dispute_window(self) -> None:
        """End the time for disputing a roll, because play goes on. A dispute that has begun stays."""
        if self.dispute and self.dispute.stage == "open":
            self._end("played_on")

    # --- the reader ------------------------------------------------------------------------------------

    def on_reading(self, report: DiceSeen) -> bool:
        """Handle a report of the dice reader. Return whether it was expected."""
        if self.decision is None or not self.dice.on_reading(report):
            return False
        if self.dice.is_touched:
            self.close_dispute_window()
        return True

    # --- people ------------------------------------------------------------------------------------------

    def check(self, seat: int, number: int | None) -> None:
        """Raise IllegalAction unless the request comes from a player and is about the open roll."""
        decision = self.decision
        if decision is None or decision.roll is None:
            raise NotAsked(say("No roll is needed now."), "DICE")
        if number is not None and number != decision.number:
            raise Stale(MOVED_ON)
        if seat not in self._play.seats:
            raise NotAsked(NOT_YOURS, "DICE")

    def type_faces(self, seat: int, faces: list[int]) -> None:
        """Take the faces that the roller types; `run_due` accepts them if nobody else is present. Raise IllegalAction."""
        self.dice.open.type_faces(seat, faces)
        self.close_dispute_window()

    def roll_by_hub(self) -> None:
        """Let the hub roll for an absent seat. Raise IllegalAction if dice lie there or are read again."""
        self.dice.roll_by_hub()
        self._finish()

    def give_up_dispute(self) -> None:
        """Continue with the first reading of a disputed roll, before the match leaves the table."""
        self._keep_first_reading("late", "")
        self.dispute = None

    def answer(self, seat: int, answer: Literal["accept", "again", "hub", "lies"]) -> None:
        """Handle the answer of a seat about the dice. Raise IllegalAction."""
        match answer:
            case "accept":
                self.dice.accept(seat)
            case "again":
                self.dice.open.read_again()
            case "hub":
                alone = self.by_hub and self.dice.roll and seat == self.dice.roll.seat
                self.dice.vote_hub(seat, [seat] if alone else self._present())
            case "lies":
                self.dice.open.vote_as_it_lies(seat, len(self.voters()))
        self._finish()

    def _present(self) -> list[int]:
        """Return the active seats of the match that have a connected phone or box."""
        there = [s for s in self._seats if s.number in self._play.seats and (s.phone_on or s.box_on) and not s.is_house]
        return [s.number for s in there if self._seats.is_active(s.number)]

    @property
    def has_dice(self) -> bool:
        """Return whether there are dice that a reader can read."""
        return self.dice.has_dice

    def voters(self) -> list[int]:
        """Return the seats that may vote: in the current or last match, with a person and a phone or box."""
        playing = self._play.match.setup.seats if self._play.match else ()
        return [s.number for s in self._seats if s.number in playing and s.is_somebodys and (s.sid or s.box_on)]

    def _finish(self) -> None:
        """Turn a complete roll into one action of chance."""
        match, decision, whole = self._play.match, self.decision, self.dice.result
        if match is None or decision is None or decision.roll is None or whole is None:
            return
        if self.dice.key != self._key(decision, decision.roll):
            return  # the dice belong to another roll
        faces, read = whole
        if self.dispute and self._play.in_second_reading:
            self._compare(self.dispute, faces, read)
            return
        batches, hidden, index = self.dice.batches, match.hidden(), len(match.log)
        self._play.act(Action(seat=CHANCE, move="roll", args={"faces": faces, "read": read}))
        self.close_dispute_window()
        self._allow_dispute(decision.roll, index, batches, hidden)

    # --- disputes ------------------------------------------------------------------------------------------

    def _allow_dispute(
        self, roll: Roll, index: int, batches: Sequence[Batch], hidden: Mapping[int, Counter[str]]
    ) -> None:  # fmt: skip
        """Let any seat dispute an accepted roll for a few seconds.

        Rolls by the hub, and rolls that have revealed hidden information, cannot be disputed.
        """
        match = self._play.match
        if match is None or match.fault or batches[-1].read == "hub" or match.has_revealed(hidden):
            return
        self.dispute = Dispute(roll, index, batches, self._clock.now())

    def vote(self, seat: int, *, yes: bool) -> None:
        """Record the vote of a seat on a second reading. The first yes opens the vote. Raise IllegalAction."""
        dispute, match = self.dispute, self._play.match
        if dispute is None or match is None or not (dispute.stage == "vote" or (dispute.stage == "open" and yes)):
            raise NotAsked(say("There is no roll to read again now."), "DICE")
        if seat not in match.setup.seats:
            raise NotAsked(NOT_YOURS, "DICE")
        dispute.vote(seat, self._clock.now(), yes=yes)
        self._count(dispute)

    def bar_is_free(self, seat: int) -> bool:
        """Return whether the bar of a seat's box has no other meaning now."""
        decision = self._play.decision
        return decision is None or (seat not in decision.asked and not (decision.roll and decision.roll.seat == seat))

    def _count(self, dispute: Dispute) -> bool:
        """Carry out the result of the vote, if it is decided. Return whether it is."""
        carried = dispute.verdict(self.voters())
        if carried:
            self._play.begin_second_reading(dispute.index, dispute.batches)
            dispute.advance("carried", self._clock.now())
        elif carried is False:
            self._keep_first_reading("rejected", say("Not read again: the roll counts."))
        return carried is not None

    def _compare(self, dispute: Dispute, faces: list[int], read: str) -> None:
        """Compare the second reading with the first. A different one replaces it in the log."""
        if sorted(faces) == sorted(dispute.faces):
            self._keep_first_reading("same", say("The dice show the same: the roll counts."))
            return
        first = {"faces": dispute.faces, "read": least_physical(dispute.batches)}
        self._play.correct(faces, read, first)
        self._end("corrected")

    def _keep_first_reading(self, cause: Cause, text: str) -> None:
        """Continue with the first reading of the roll."""
        self._play.keep_first_reading()
        self._end(cause, text)

    def _end(self, cause: Cause, text: str = "") -> None:
        if self.dispute and not self.dispute.advance(cause, self._clock.now(), text):
            self.dispute = None

    # --- the disk and time -----------------------------------------------------------------------------------

    def resume(self) -> None:
        """Resume after a restart, with an interrupted second reading if there is one."""
        kept = self._play.resume_second_reading()
        if kept is None:
            self._play.answer_chance()
            return
        decision = self._play.decision
        assert decision is not None
        assert decision.roll is not None
        self.dispute = Dispute(decision.roll, kept.number, kept.batches, self._clock.now())
        self.dispute.advance("asked", self._clock.now())
        self.dispute.advance("carried", self._clock.now())

    def stop(self) -> None:
        """End a dispute before its second reading, as the disk has failed."""
        if not self._play.in_second_reading:
            self.dispute = None

    @property
    def due_at(self) -> float | None:
        """Return when `run_due` must be called, in the clock's seconds."""
        if self._play.stopped:
            return None
        times = (self.dice.open.due_at, self.dispute.until if self.dispute else None, self._hub_due_at)
        return min((at for at in times if at is not None), default=None)

    def run_due(self) -> bool:
        """Do everything that is due, also after people have come or left. Return whether anything has changed."""
        if self._play.stopped:
            return False
        changed = self.decision is not None and self.dice.run_due()
        roll = self.dice.roll
        alone = roll is not None and not [one for one in self._present() if one != roll.seat]
        if self.dice.open.state == "typed" and (alone or self.dice.typed_timed_out) and roll:
            self.dice.accept_typed()
            changed = True
        if changed:
            self._finish()
        if self._hub_due_at is not None and self._clock.now() >= self._hub_due_at:
            self.roll_by_hub()
            changed = True
        if self.by_hub and not any(seat.joined and not seat.is_house for seat in self._seats):
            self.set_hub_rolls(False)
            changed = True
        changed = self._dispute_due() or changed
        return self._call_staff() or changed

    @property
    def _hub_due_at(self) -> float | None:
        """Return when the hub makes the open roll; None if people roll or have touched the dice."""
        decision, roll = self.decision, self.dice.roll
        if not self.by_hub or self._play.stopped or decision is None or roll is None or self.dice.is_touched:
            return None
        if self.dice.open.lying or not self.dice.open.allows("hub"):
            return None
        return self.dice.open.moved_at + (HUB_CHOICE_SECONDS if decision.offers(roll.seat) else HUB_SECONDS)

    def _dispute_due(self) -> bool:
        dispute = self.dispute
        if dispute is None:
            return False
        if dispute.stage == "vote" and self._count(dispute):
            return True
        late = self._clock.now() >= dispute.until
        if late and dispute.blocks_match:
            self._keep_first_reading("late", say("Not read again in time: the roll counts."))
        elif late:
            self._end("late")
        return late

    def _call_staff(self) -> bool:
        """Post or end the notice that nobody rolls. Return whether it has changed."""
        if not self.dice.unattended:
            return self._notices.end("not_rolled")
        assert self.dice.roll is not None
        return self._notices.post(
            "not_rolled", say("Seat {seat} has not rolled for two minutes.", seat=self.dice.roll.seat)
        )

    # --- public state ------------------------------------------------------------------------------------------

    def public(self) -> PublicDice | None:
        """Return the public state of the open roll."""
        shown = self.dice.public(len(self.voters())) if self._play.decision else None
        if shown and self._hub_due_at is not None:
            return replace(shown, state="armed", say=say("The hub rolls for Seat {seat}.", seat=shown.seat))
        return shown

    def public_dispute(self) -> PublicDispute | None:
        """Return the public state of the dispute."""
        return self.dispute.public(self.voters()) if self.dispute else None
