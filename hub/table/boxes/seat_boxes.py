"""Run the seat boxes of one table: their sealed choices, locks and displays.

A seat with a box and a phone answers with either. The first answer counts, and the other device is canceled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from hub.engine.decision import Action, Decision
from hub.engine.text import say
from hub.errors import NotOffered
from hub.ports import BoxBid, BoxCheated, BoxLocked, BoxUnlocked
from hub.state import RollState
from hub.table.base.part import Part
from hub.table.boxes import captions
from hub.table.boxes.box_displays import BoxDisplays, seen_by
from hub.table.boxes.sealed_choice import SealedChoice
from hub.table.core import Core
from hub.table.dice.dispute import Stage
from hub.table.dice.rolls import Rolls
from hub.table.seating.questions import OpenQuestion
from hub.table.seating.seat import Seat

_Dice: TypeAlias = tuple[int, RollState, bool]  # accepted dice, state of the batch, `lying`


class SeatBoxes(Part):
    """The boxes at the seats of a table, which may have none."""

    def __init__(self, core: Core, rolls: Rolls) -> None:
        play = self._play = core.play
        self._seats, self._notices, self._rolls = core.seats, core.notices, rolls
        self._port, self._random, self._questions = core.ports.boxes, core.ports.random, core.questions
        self.displays = BoxDisplays(self._port, core.ports.language, lambda: play.match.game.name if play.match else "")
        self._sealed: SealedChoice | None = None
        self._last_round = (-1, 0)  # match and decision of the last round, and its reopenings
        self._is_shown = True  # the open decision is on the displays
        self._shown_dice: _Dice | None = None
        self._shown_dispute: Stage | None = None
        self._shown_question: dict[int, str] = {}  # by seat: kind of the question on its display
        self._question: OpenQuestion | None = None  # that question
        self._shown_claims: dict[int, tuple[int, bool]] = {}  # by seat: number of the claim, and `is_push_enough`

    # --- the decision ------------------------------------------------------------------------------

    def open(self, decision: Decision | None) -> None:
        """Reset all dials and prepare the questions of a decision that has just opened; `send` sends them."""
        self.displays.reset()
        if self._sealed:
            self._sealed.close()
        self._sealed = None
        if decision and decision.kind == "sealed" and self._port:
            boxes = self._port, lambda seat: self._seats[seat].box
            self._sealed = SealedChoice(self._round(decision.number), *boxes, self._random)
            for seat in self._seats:
                self._ask_sealed(seat, decision)
        self._is_shown = False

    def send(self) -> None:
        """Send an opened decision to the boxes.

        Call it after everything that may have opened one, and after the phones, because it takes a while.
        """
        if self._sealed:
            self._sealed.send_offers()
        if not self._is_shown:
            self._is_shown = True
            self._show(self._rolls.decision, list(self._seats))

    def _round(self, number: int) -> int:
        """Return the unique number of this round for the boxes, below 2**30 (small integers of their firmware).

        It is the same after a restart of the hub, so that a box keeps its lock. A decision that is reopened while the hub
        runs gets another number, which makes earlier reports of boxes stale.
        """
        place = self._play.log.serial % 10_000 * 10_000 + number % 10_000
        self._last_round = (place, self._last_round[1] + 1) if self._last_round[0] == place else (place, 0)
        return place * 10 + self._last_round[1] % 10

    def ask_again(self) -> None:
        """Ask the boxes of seats that are not asked there and have not chosen: their phone took its choice back."""
        decision = self._rolls.decision
        for seat in self._seats if decision else ():
            if decision and not self.is_choosing(seat.number):
                self._ask_sealed(seat, decision)

    def _ask_sealed(self, seat: Seat, decision: Decision) -> None:
        """Ask a seat for its sealed choice in its box, if it has not made it."""
        match, number = self._play.match, seat.number
        if match and self._sealed and seat.box_on and number in decision.asked and number not in decision.answers:
            view, letters = seen_by(match, number), self.displays.letters
            self._sealed.offer(number, decision.offers(number), match.game.labels, view, letters)

    def update_displays(self) -> None:
        """Reveal the choices when every seat has locked, and update displays for dice, dispute and question."""
        decision = self._rolls.decision
        if decision and self._sealed and len(self.locked_seats(decision)) == len(decision.asked):
            self._sealed.reveal()
        dice, dispute = self._dice_key(), self._dispute_stage()
        if dispute != self._shown_dispute:
            self._show(decision, list(self._seats))
        elif dice != self._shown_dice:
            self._show_dice(decision, list(self._seats))
        self._update_question()

    def _show(self, decision: Decision | None, seats: Sequence[Seat]) -> None:
        """Show on each display, by rising priority: the decision, the dice, a claim, a dispute, a question.

        A display always shows what the keys answer. Ring, phones and screens show a claim meanwhile.
        """
        self.displays.show_decision(self._play.match, decision, seats)
        self._show_dice(decision, seats)
        self._shown_dispute = self._dispute_stage()
        voting, voters = self._rolls.voting, self._rolls.voters()
        for seat in seats:
            if self._question and seat.number in self._shown_question:
                self.displays.show_text(seat, self._question.caption)
            elif self._shown_dispute in ("open", "vote") and (
                seat.box_on and seat.number in voters and (voting or self._rolls.bar_is_free(seat.number))
            ):
                self.displays.show_dispute(seat, voting=voting)
            elif seat.number in self._shown_claims and self.is_idle(seat):
                self.displays.show_claim(seat, push=self.is_push_enough(seat))

    def is_push_enough(self, seat: Seat) -> bool:
        """Return whether a push grants a claim of this seat: no person has it, and no decision is open."""
        return (not seat.joined or seat.is_house) and self._rolls.decision is None

    def update(self) -> None:
        """Show every waiting claim in a notice and on the display, and remove those that are over."""
        before, claims = self._shown_claims, {}
        for number in self._seats.claimed_seats:
            claim = self._seats.claim_for(number)
            if claim and claim.by == "box":
                claims[number] = claim.number, self.is_push_enough(self._seats[number])
        self._shown_claims = claims
        for seat in (seat for seat in self._seats if before.get(seat.number) != claims.get(seat.number)):
            about = str(seat.number)
            if seat.number in claims:
                push = self.is_push_enough(seat)
                self._notices.post("claim", captions.claim_sentence(seat.number, push=push), about)
            else:
                self._notices.end("claim", about)
            self._show(self._rolls.decision, [seat])

    def _show_dice(self, decision: Decision | None, seats: Sequence[Seat]) -> None:
        dice, before = self._dice_key(), self._shown_dice
        self._shown_dice = dice
        if decision is None or decision.roll is None:
            return
        if before and (before[0] != dice[0] or dice[1] == "typed"):  # the faces typed in the box are known now
            self.displays.forget(decision.roll.seat)
        self.displays.show_dice(self._rolls.dice, self._play.seats, seats)

    def _dice_key(self) -> _Dice:
        dice = self._rolls.dice
        return dice.accepted, dice.open.state, dice.open.lying

    def _dispute_stage(self) -> Stage | None:
        return self._rolls.dispute.stage if self._rolls.dispute else None

    def locked_seats(self, decision: Decision) -> list[int]:
        """Return the seats that have locked a sealed choice, on a phone or in a box."""
        boxed = self._sealed.locked if self._sealed else []
        return [seat for seat in decision.asked if seat in decision.answers or seat in boxed]

    def awaited_seats(self) -> list[int]:
        """Return the seats that the table waits for."""
        decision = self._rolls.decision
        if decision is None:
            return []
        if decision.roll:
            return [decision.roll.seat]
        return [seat for seat in decision.asked if seat not in self.locked_seats(decision)]

    def is_choosing(self, seat: int) -> bool:
        """Return whether a seat is asked for a sealed choice in its box and has not answered on its phone."""
        return self._sealed is not None and seat in self._sealed

    def dial_start(self, seat: int) -> tuple[int, str] | None:
        """Return where the dial of a seat that chooses in its box starts, from 1, and the name of that answer; else None."""
        sealed = self._sealed
        return (sealed.dial_start(seat) + 1, sealed.dial_answer(seat)) if sealed and seat in sealed else None

    # --- questions to the table ---------------------------------------------------------------------

    def can_answer(self, seat: Seat, asked: OpenQuestion) -> bool:
        """Return whether the box of a seat can answer a question to the table: the match does not ask it there.

        A locked box answers by its keys only, as the bar would take the lock back.
        """
        free = self.is_idle(seat) or (self.is_locked(seat) and "k1" in asked.controls)
        return free and seat.number in asked.voters() and seat.number not in asked.votes

    def is_idle(self, seat: Seat) -> bool:
        """Return whether a seat has a connected box that the match does not ask; a locked box is still asked."""
        decision, number = self._rolls.decision, seat.number
        if decision is None or not seat.box_on:
            return seat.box_on
        # A seat that chose on its phone is not asked, even if the phone is gone now.
        elsewhere = decision.kind == "sealed" and number in decision.answers and not self.is_choosing(number)
        busy = number in decision.asked and not elsewhere
        return not busy and not (decision.roll and decision.roll.seat == number)

    def is_locked(self, seat: Seat) -> bool:
        """Return whether a seat's box has locked a sealed choice that is not being revealed."""
        sealed = self._sealed
        return sealed is not None and seat.box_on and seat.number in sealed.locked and not sealed.revealing

    def _update_question(self) -> None:
        """Show the question to the table on the displays that can answer it, and remove it afterwards."""
        asked = self._questions.open
        shown: dict[int, str] = {
            seat.number: asked.kind for seat in self._seats if asked and self.can_answer(seat, asked)
        }
        if shown == self._shown_question:
            return
        before, self._shown_question, self._question = self._shown_question, shown, asked
        for seat in self._seats:
            if seat.number in shown and asked:
                self.displays.show_text(seat, asked.caption)
            elif seat.number in before:
                self._show(self._rolls.decision, [seat])

    # --- cables --------------------------------------------------------------------------------------

    def connect(self, seat: Seat) -> None:
        """Connect the box of a seat and ask it."""
        seat.box_on = True
        decision = self._rolls.decision
        if decision:
            self._ask_sealed(seat, decision)
        self._show(decision, [seat])

    def disconnect(self, seat: Seat) -> None:
        """Disconnect the box of a seat. If it keeps its lock, it reports that on return; until then the phone may choose."""
        seat.box_on = False
        if self._sealed:
            self._sealed.unlock(seat.number)
        self._seats.refuse(
            seat.number,
            say(
                "The box of seat {seat} is disconnected. {advice}",
                seat=seat.number,
                advice=self._seats.how_to_join(seat),
            ),
        )

    # --- answers ---------------------------------------------------------------------------------------

    def answer_by_phone(self, action: Action) -> None:
        """Let a seat act on its phone. Raise IllegalAction without any change, or LogError.

        An answer to the decision cancels the choice in the box; taking a standing offer does not.
        """
        sealed, seat, match = self._sealed, action.seat, self._play.match
        if refusal := self._rolls.refusal(action):
            raise refusal
        if match and sealed and seat in sealed and match.answers(action):
            if sealed.revealing and self._seats[seat].box_on:
                raise NotOffered(say("Everybody has locked: the choices are being revealed."), "LOCKED")
            sealed.cancel(seat)
        self._rolls.act(action)

    def handle_report(self, signal: BoxLocked | BoxUnlocked | BoxBid | BoxCheated) -> bool:
        """Handle a box's report about the open sealed choice; return whether anything has changed."""
        seat, sealed = self._seats.of_box(signal.box), self._sealed
        if seat is None or sealed is None or sealed.round != signal.round or seat.number not in sealed:
            return False
        match signal:
            case BoxLocked():
                sealed.lock(seat.number)
                self._rolls.close_dispute_window()
            case BoxUnlocked():
                return sealed.unlock(seat.number)
            case BoxBid(index=index):
                self._reveal(seat, sealed, index)
            case BoxCheated():
                self._void(seat, sealed)
        return True

    def _reveal(self, seat: Seat, sealed: SealedChoice, index: int) -> None:
        answer = sealed.take_answer(seat.number, index)
        if answer is None:
            self._void(seat, sealed)
            return
        action = Action(seat=seat.number, move=answer.move, args=dict(answer.args))
        if refusal := self._rolls.refusal(action):
            self.displays.refuse(seat, refusal.sentence)
        else:
            self._rolls.act(action)

    def _void(self, seat: Seat, sealed: SealedChoice) -> None:
        """Ask a seat again after its box revealed another value than it had locked, with a notice for everybody."""
        sealed.void(seat.number)
        text = say(
            "The box of seat {seat} revealed a different choice from the one it locked. That seat chooses again.",
            seat=seat.number,
        )
        self._notices.post("other_value", text, str(seat.number))
        if decision := self._rolls.decision:
            self._ask_sealed(seat, decision)
