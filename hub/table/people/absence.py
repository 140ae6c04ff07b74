"""Seats that are waited for and nobody sits at: they are called, the others are asked, the house plays for them.

Nobody is ever put out. Whoever comes back finds the same hand.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from hub.engine.decision import Action, Decision
from hub.engine.printed import is_printed
from hub.engine.text import say
from hub.errors import IllegalAction, LogError
from hub.table.base.part import Part
from hub.table.boxes.answer_line import box_role
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.people.house_seats import HouseSeats
from hub.table.seating.questions import Asked
from hub.table.seating.seat import Seat

log = logging.getLogger(__name__)

CALL_SECONDS = 20.0
"""How long other people wait for a seat, one of the last, before it is called: ring, kiosk, phone."""
ASK_SECONDS = 60.0
"""How long a seat is waited for before the others are asked what to do, where its phone sleeps or is gone ..."""
ASK_HERE_SECONDS = 180.0
"""... and where its devices are there: somebody thinks, or has left them."""
MOST_DOUBLED = 1
"""How often a seat that is to be waited for is waited for twice as long as before, until its people are asked again."""
OPTIONS = {"wait": say("Wait"), "safe": say("Play safe for them"), "house": say("The house plays on")}


class Absence(Part):
    """The seats of one table that are waited for. `called` are those who have been called for the open decision."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes, house: HouseSeats, ask_seconds: float) -> None:
        self._play, self._seats, self._rolls, self._boxes = core.play, core.seats, rolls, boxes
        self._questions, self._kept, self._clock = core.questions, core.kept, core.ports.clock
        self._house, self._ask_seconds = house, ask_seconds
        self.stand_ins = house.stand_ins
        self.called: list[int] = []
        self.paused: int | None = None  # the seat that paused the match
        self._waits: dict[int, int] = {}  # how often the others have said, by silence too, to wait for a seat
        self._safe_for: set[int] = set()  # seats that the others let play safe, until somebody is back there
        self._match: str | None = None  # of which that was said
        self._waits_since = 0.0  # of the open decision, or since the others last said to wait
        self._last_since: float | None = None  # since when only the last ones are waited for

    def opened(self) -> None:
        """Begin to wait anew: another decision is open."""
        self.called, self._last_since = [], None
        if self._match != self._play.log.match:
            self._match, self._waits, self._safe_for = self._play.log.match, {}, set()
        self._waits_since = self._clock.now()
        self._house.opened()
        self._questions.close("absent")

    def came(self, seat: Seat) -> bool:
        """Take note that somebody at a seat does something; return whether that changes what is shown."""
        changed = seat.stands_in
        self._waits.pop(seat.number, None)
        self._safe_for.discard(seat.number)
        if seat.stands_in:
            seat.house, seat.stands_in = "", False
            with suppress(LogError):  # else the house stands in again after a power cut, until the next touch
                self._seats.keep()
        asked = self._questions.open
        if asked and asked.kind == "absent" and asked.seat == seat.number:
            self._questions.open = None
            self._waits_since = self._clock.now()  # else it is asked again at once, about somebody who is there
            changed = True
        return changed

    def pause(self, seat: Seat) -> None:
        """Pause the match for a seat, or go on: nobody is called, asked about or played for meanwhile. Raise LogError."""
        if self.paused:
            self.go_on()
            return
        self._kept.write("paused", str(seat.number).encode())
        self.paused = seat.number
        self._questions.close("absent")

    def go_on(self) -> None:
        """End a pause, if there is one."""
        if self.paused is None:
            return
        self.paused = None
        self._waits_since = self._clock.now()
        with suppress(LogError):  # then it is a pause again after a power cut, which anybody ends
            self._kept.forget("paused")

    def restore(self) -> None:
        """Take up after a restart a pause, and where the house has stood in. Raise LogError."""
        self.stand_ins.restore()
        paused = self._kept.read("paused", int, say("who paused the match"))
        self.paused = paused if paused in self._play.seats else None

    @property
    def due_at(self) -> float | None:
        """Return when the house plays, in the clock's seconds; None where it does not."""
        return self._house.due_at if self.paused is None else None

    def run_due(self) -> bool:
        """Do what time alone brings about; return whether anything has changed. Raise LogError."""
        if self._play.stopped or self.paused:
            return False
        changed, now, awaited = False, self._clock.now(), self._boxes.awaited()
        waited = now - self._waits_since
        last = self._last_of(awaited)
        if not last:
            self._last_since = None
        elif self._last_since is None:
            self._last_since = now
        if last and self._last_since is not None and now - max(self._last_since, self._waits_since) >= CALL_SECONDS:
            late = [seat for seat in last if seat not in self.called]
            self.called += late
            changed = bool(late)
        if self._house.run_due():
            return True
        return self._ask_about(awaited, waited) or changed

    def _last_of(self, awaited: list[int]) -> list[int]:
        """Return the people whom the table waits for, once at least as many other people wait for them; the house waits for nobody."""
        people = [one for one in self._play.seats if self._seats[one].is_somebodys and not self._seats[one].house]
        asked = [one for one in people if one in awaited]
        return asked if 2 * len(asked) <= len(people) else []

    def _ask_about(self, awaited: list[int], waited: float) -> bool:
        """Ask the others about one who has been waited for too long; return whether that is asked now."""
        if self._questions.open:
            return False
        for number in awaited:
            seat = self._seats[number]
            if seat.house or waited < self._patience(seat) or self._only_it_knows(number):
                continue
            if number in self._safe_for and seat.presence != "here":
                return self._do(seat, "safe")
            if self._others(number):
                self._ask_others(seat)
                return True
            if seat.presence != "here" and self._seats.present(self._play.seats):
                return self._do(seat, "safe")  # the others have locked in their boxes, which can ask them nothing now
        return False

    def _patience(self, seat: Seat) -> float:
        """Return for how many seconds a seat is waited for until something is done: twice as long after each "wait"."""
        if seat.number in self._safe_for and seat.presence != "here":
            return CALL_SECONDS
        first = self._ask_seconds if seat.presence != "here" else max(ASK_HERE_SECONDS, self._ask_seconds)
        return float(first * 2 ** min(self._waits.get(seat.number, 0), MOST_DOUBLED))

    def _ask_others(self, seat: Seat) -> None:
        if seat.presence == "here":
            text = say("Seat {seat} has not answered. What shall we do?", seat=seat.number)
        elif seat.presence == "asleep":
            text = say("Seat {seat} is asleep. What shall we do?", seat=seat.number)
        else:
            text = say("Seat {seat} is away. What shall we do?", seat=seat.number)
        others, do = partial(self._others, seat.number), partial(self._do, seat)
        asked = Asked("absent", text, self._options(), others, do, seat=seat.number)
        asked.stands_on = frozenset({seat.number})
        self._questions.ask(asked)

    def _options(self) -> Mapping[str, str]:
        """Return what the others may choose: cards that only people can hold, the house plays not on."""
        match = self._play.match
        printed = match is not None and is_printed(match.setup)
        return {key: text for key, text in OPTIONS.items() if not (printed and key == "house")}

    def _others(self, number: int) -> list[int]:
        """Return the seats of the match that can be asked now, but this one: on a phone, or on a box that is free for it.

        Where there are none, and the seat's own devices are there, so that nobody knows better, boxes that have locked are.
        """
        present = [self._seats[one] for one in self._seats.present(self._play.seats) if one != number]
        free = [seat.number for seat in present if seat.phone_on or self._boxes.is_idle(seat)]
        if free or self._seats[number].presence != "here":
            return free
        return [seat.number for seat in present if self._boxes.is_locked(seat)]

    def _do(self, seat: Seat, option: str) -> bool:
        self._waits_since = self._clock.now()
        if option == "wait":
            self._waits[seat.number] = self._waits.get(seat.number, 0) + 1
        if option == "wait" or seat.is_house:
            return False
        log.info("table %s: seat %d is %s: %s", self._kept.table, seat.number, seat.presence, OPTIONS[option])
        if option == "house":
            with self._seats.changing(seat):
                seat.house, seat.stands_in = self._house.strength, True
            return True
        if seat.presence != "here" and self._others(
            seat.number
        ):  # they have said so, and are not asked at every question
            self._safe_for.add(seat.number)
        return self._answer_for(seat.number)

    # --- the safe move --------------------------------------------------------------------------------

    def _answer_for(self, number: int) -> bool:
        """Answer the open decision for a seat, the safe way; return whether that could be. Raise LogError."""
        decision = self._rolls.decision
        if decision is None or number not in self._boxes.awaited() or self._only_it_knows(number):
            return False
        with (
            suppress(IllegalAction),
            self._house.standing_in(number),
        ):  # dice lie there, choices are opened: time goes on
            if decision.roll and decision.roll.seat == number:
                self._rolls.roll_by_hub()
            else:
                self._boxes.answer_by_phone(self._safe(decision, number))
            return True
        return False

    def _only_it_knows(self, number: int) -> bool:
        """Return whether a seat is asked to tell of printed cards (`told` in the labels of the move): nothing is made up for it."""
        match, decision = self._play.match, self._rolls.decision
        if match is None or decision is None or not is_printed(match.setup) or not decision.offers(number):
            return False
        about = self._play.labels.moves.get(self._safe(decision, number).move)
        return about is not None and about.told

    def _safe(self, decision: Decision, number: int) -> Action:
        """Return the no of an asked seat: the last of the moves that the labels give to the bar of a box, else its last."""
        offered, labels = decision.offers(number), self._play.labels
        no = [move for move in offered if box_role(move.name, labels) in ("bar", "ask")]
        move = (no or offered)[-1]
        return Action(seat=number, move=move.name, args=dict(move.first()), number=decision.number)
