"""Keep a match going when an awaited seat does not answer: call it, ask the others, or let the house play for it.

No player loses a seat this way: a player who returns finds the same hand.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from math import ceil

from hub.engine.decision import Action, Decision
from hub.engine.house_player import small_answer
from hub.engine.printed import is_printed
from hub.engine.text import say
from hub.errors import IllegalAction, LogError, NotAsked
from hub.table.base.part import Part
from hub.table.boxes.answer_line import box_role
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.people.house_seats import HouseSeats
from hub.table.seating.questions import BUSY, OpenQuestion
from hub.table.seating.seat import Seat

log = logging.getLogger(__name__)

CALL_SECONDS = 20.0
"""How long others wait for one of the last seats before it is called by ring, kiosk and phone."""
ASK_SECONDS = 60.0
"""How long a seat is awaited before the others are asked what to do, if its phone is asleep or away ..."""
ASK_HERE_SECONDS = 180.0
"""... and if its devices are connected: the player may be thinking, or have left them there."""
OPTIONS = {"wait": say("Wait"), "safe": say("Play safe for them"), "house": say("The house plays on")}


class Absence(Part):
    """The awaited seats of one table. `called_seats` were called for the open decision, `paused_by` has paused the match."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes, house: HouseSeats, ask_seconds: float) -> None:
        self._play, self._seats, self._rolls, self._boxes = core.play, core.seats, rolls, boxes
        self._questions, self._kept, self._clock = core.questions, core.kept, core.ports.clock
        self._house, self._ask_seconds, self._random = house, ask_seconds, core.ports.random
        self.stand_ins = house.stand_ins
        self.called_seats: list[int] = []
        self.paused_by: int | None = None  # a seat
        self._waited_for: set[int] = set()  # seats with a vote "wait", silence included: their time is doubled
        self._safe_for: set[int] = set()  # seats that play safe by a vote, until their player is back
        self._match = self._play.log.match  # the match of those votes
        self._waits_since = self._clock.now()  # start of the open decision, or of the last vote "wait"
        self._last_since: float | None = None  # since when only the last seats are awaited

    def on_decision_opened(self) -> None:
        """Restart the waiting time: another decision is open."""
        self.called_seats, self._last_since = [], None
        if self._match != self._play.log.match:
            self._match, self._waited_for, self._safe_for = self._play.log.match, set(), set()
        self._waits_since = self._clock.now()
        self._house.on_decision_opened()
        self._questions.close("absent")

    def note_activity(self, seat: Seat) -> bool:
        """Note that the player of a seat is active; return whether that changes what is shown."""
        changed = seat.stands_in
        self._waited_for.discard(seat.number)
        self._safe_for.discard(seat.number)
        if seat.stands_in:
            seat.house, seat.stands_in = "", False
            with suppress(LogError):  # then the house stands in again after a power cut, until the next touch
                self._seats.save()
        asked = self._questions.open
        if asked and asked.kind == "absent" and asked.seat == seat.number:
            self._questions.open = None
            self._waits_since = self._clock.now()  # else the same question is asked again at once
            changed = True
        return changed

    def pause(self, seat: Seat) -> None:
        """Pause the match for a seat, or end a pause. A pause stops calls, questions and the house. Raise LogError."""
        if self.paused_by:
            self.end_pause()
            return
        self._kept.write("paused", str(seat.number).encode())
        self.paused_by = seat.number
        self._questions.close("absent")

    def end_pause(self) -> None:
        """End a pause, if there is one."""
        if self.paused_by is None:
            return
        self.paused_by = None
        self._waits_since = self._clock.now()
        with suppress(LogError):  # then the pause returns after a power cut, and any player ends it
            self._kept.forget("paused")

    def restore(self) -> None:
        """Restore a pause, and the moves of stand-ins, after a restart. Raise LogError."""
        self.stand_ins.restore()
        paused = self._kept.read("paused", int, say("who paused the match"))
        self.paused_by = paused if paused in self._play.seats else None

    @property
    def due_at(self) -> float | None:
        """Return when the house plays, in the clock's seconds; None if it does not."""
        return self._house.due_at if self.paused_by is None else None

    def run_due(self) -> bool:
        """Call seats, let the house play, ask the others; return whether anything has changed. Raise LogError."""
        if self._play.stopped or self.paused_by:
            return False
        changed, now, awaited = False, self._clock.now(), self._boxes.awaited_seats()
        waited = now - self._waits_since
        last = self._last_awaited(awaited)
        if not last:
            self._last_since = None
        elif self._last_since is None:
            self._last_since = now
        if last and self._last_since is not None and now - max(self._last_since, self._waits_since) >= CALL_SECONDS:
            late = [seat for seat in last if seat not in self.called_seats]
            self.called_seats += late
            changed = bool(late)
        if self._house.run_due():
            return True
        return self._ask_about_absent(awaited, waited) or changed

    def _last_awaited(self, awaited: list[int]) -> list[int]:
        """Return the awaited seats of people, once at least as many other people wait for them; else none."""
        people = [one for one in self._play.seats if self._seats[one].is_somebodys and not self._seats[one].house]
        asked = [one for one in people if one in awaited]
        return asked if 2 * len(asked) <= len(people) else []

    def _ask_about_absent(self, awaited: list[int], waited: float) -> bool:
        """Ask the others about a seat awaited for too long; return whether anything has changed. Raise LogError."""
        if self._questions.open:
            return False
        for number in awaited:
            seat = self._seats[number]
            if seat.house or waited < self._patience_seconds(seat) or self._must_tell_cards(number):
                continue
            if number in self._safe_for and seat.presence != "here":
                return self._play_safe(seat)
            if self._voters_without(number):
                self._ask_others(seat)
                return True
            if seat.presence != "here" and self._seats.present(self._play.seats):
                # the others have locked in their boxes, which cannot ask them now
                return self._play_safe(seat)
        return False

    def _patience_seconds(self, seat: Seat) -> float:
        """Return for how many seconds a seat is awaited: twice as long after a vote "wait"."""
        if seat.number in self._safe_for and seat.presence != "here":
            return CALL_SECONDS
        first = self._ask_seconds if seat.presence != "here" else max(ASK_HERE_SECONDS, self._ask_seconds)
        return first * 2 if seat.number in self._waited_for else first

    def ask_now(self, by: int) -> None:
        """Ask the others, for a player at seat `by`, about an awaited seat whose player has gone. Raise NotAsked.

        That player has CALL_SECONDS to come back: a phone may lose its Wi-Fi for a moment, and a safe move cannot be taken back.
        """
        if self._questions.open:
            raise NotAsked(BUSY, "QUESTION")
        awaited = [] if self._play.stopped or self.paused_by else self._boxes.awaited_seats()
        seats = [self._seats[number] for number in awaited if number != by]
        gone = [seat for seat in seats if not seat.house and seat.presence != "here"]
        if not gone:
            raise NotAsked(say("The table is not waiting for anybody who has gone."), "QUESTION")
        found = [seat for seat in gone if not self._must_tell_cards(seat.number)]
        if not found:
            raise NotAsked(
                say("Only the player who has gone knows these cards: nobody can answer instead."), "QUESTION"
            )
        if (left := ceil(self._waits_since + CALL_SECONDS - self._clock.now())) > 0:
            raise NotAsked(say("They may be back in a moment: ask again in {seconds} s.", seconds=left), "QUESTION")
        self._ask_others(found[0], by)

    def _ask_others(self, seat: Seat, by: int = 0) -> None:
        if seat.presence == "here":
            text = say("Seat {seat} has not answered. What shall we do?", seat=seat.number)
        elif seat.presence == "asleep":
            text = say("Seat {seat} is asleep. What shall we do?", seat=seat.number)
        else:
            text = say("Seat {seat} is away. What shall we do?", seat=seat.number)
        others, do = partial(self._voters_without, seat.number), partial(self._apply_vote, seat, by)
        asked = OpenQuestion("absent", text, self._options(), others, do, seat=seat.number, by=by)
        asked.depends_on = frozenset({seat.number})
        self._questions.ask(asked)

    def _options(self) -> Mapping[str, str]:
        """Return the options of the others: with printed cards the house cannot play on."""
        match = self._play.match
        printed = match is not None and is_printed(match.setup)
        return {key: text for key, text in OPTIONS.items() if not (printed and key == "house")}

    def _voters_without(self, number: int) -> list[int]:
        """Return the other seats of the match that can be asked now: on a phone, or on a box that is idle.

        If there are none and the seat's own devices are connected, locked boxes are asked.
        """
        present = [self._seats[one] for one in self._seats.present(self._play.seats) if one != number]
        free = [seat.number for seat in present if seat.phone_on or self._boxes.is_idle(seat)]
        if free or self._seats[number].presence != "here":
            return free
        return [seat.number for seat in present if self._boxes.is_locked(seat)]

    def _apply_vote(self, seat: Seat, by: int, option: str) -> None:
        """Do what the others have chosen. `by`: the player who has asked; 0: the table, whose next question then comes later."""
        if seat.is_house or (by and option == "wait"):
            return
        if option == "safe":
            self._play_safe(seat)
            return
        self._waits_since = self._clock.now()
        if option == "wait":
            self._waited_for.add(seat.number)
            return
        log.info("table %s: the house stands in at seat %d, which is %s", self._kept.table, seat.number, seat.presence)
        with self._seats.changing(seat):
            seat.house, seat.stands_in = self._house.strength, True

    def _play_safe(self, seat: Seat) -> bool:
        """Answer the open decision for a seat with the safe move; return whether that was possible. Raise LogError."""
        self._waits_since = self._clock.now()
        log.info("table %s: a safe move for seat %d, which is %s", self._kept.table, seat.number, seat.presence)
        # they have said so, and are not asked at every question
        if seat.presence != "here" and self._voters_without(seat.number):
            self._safe_for.add(seat.number)
        return self._answer_safely(seat.number)

    # --- the safe move --------------------------------------------------------------------------------

    def _answer_safely(self, number: int) -> bool:
        decision = self._rolls.decision
        if decision is None or number not in self._boxes.awaited_seats():
            return False
        # dice lie there, choices are opened: time goes on
        with suppress(IllegalAction), self._house.standing_in(number):
            if decision.roll and decision.roll.seat == number:
                self._rolls.roll_by_hub()
            else:
                self._boxes.answer_by_phone(self._safe_action(decision, number))
            return True
        return False

    def _must_tell_cards(self, number: int) -> bool:
        """Return whether only the player can answer: the move names printed cards (`told` in its labels)."""
        match, decision = self._play.match, self._rolls.decision
        if match is None or decision is None or not is_printed(match.setup) or not decision.offers(number):
            return False
        about = self._play.labels.moves.get(self._safe_action(decision, number).move)
        return about is not None and about.told

    def _safe_action(self, decision: Decision, number: int) -> Action:
        """Return the safe move of an asked seat: the last one that the labels give to the bar of a box, else its last.

        Secret dice of a seat are rolled by the hub.
        """
        offered, labels = decision.offers(number), self._play.labels
        no = [move for move in offered if box_role(move.name, labels) in ("bar", "ask")]
        move = (no or offered)[-1]
        args = small_answer(move, self._random).args if move.tells_dice else move.first()
        return Action(seat=number, move=move.name, args=dict(args))
