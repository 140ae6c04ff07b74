"""Give hints to phones: the choice of the sharp house at the open decision, and its reason.

A hint is computed from the view of the seat (`hub/engine/house_player.py: advise`) on its own thread, and is sent in the
seat's hand. Traffic does not reveal who has hints: if a table allows them, every hand is sent again a fixed time after a
decision was opened, with or without a hint.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from random import Random

from hub.engine.decision import Decision
from hub.engine.game import Game
from hub.engine.house_player import advise, sight_of
from hub.engine.printed import is_printed
from hub.engine.sight import Sight
from hub.engine.text import say
from hub.errors import NotAsked, RulesBug
from hub.state import Hint
from hub.table.base.part import Part
from hub.table.core import Core, DecisionKey, decision_key
from hub.table.seating.seat import Seat

log = logging.getLogger(__name__)

SECONDS = 0.6
"""When hands are sent with their hints, in seconds after a decision was opened: longer than any hint takes."""
AGAIN_SECONDS = 0.25
"""How long to wait for a late hint."""
REFUSED = say("Hints are not allowed at this table now. Between matches, anybody here can allow them.")


class Hints(Part):
    """The hints of one table."""

    def __init__(self, core: Core) -> None:
        self._play, self._seats, self._kept = core.play, core.seats, core.kept
        self._clock, self._background = core.ports.clock, core.ports.background
        # Its own source, so that hints do not change other random results.
        self._random = Random(core.ports.random.getrandbits(64))  # noqa: S311 - advice is no secret
        self._chosen: bool | None = None  # what people chose; None: the default of `allowed`
        self._phones: dict[int, str] = {}  # by seat: the login of the phone that has hints on
        self._key: DecisionKey | None = None
        self._started: set[int] = set()  # seats whose hint for this decision was started
        self._results: dict[int, Hint | None] = {}  # by seat; written by threads
        self._shown: dict[int, Hint | None] = {}  # by seat: what hands show
        self._shown_at: float | None = None  # when the hands are sent with their hints

    @property
    def due_at(self) -> float | None:
        """Return when the hands are sent with their hints, in the clock's seconds; None if they were, or if nobody is asked."""
        return self._shown_at

    # --- what is allowed, and who wants them -----------------------------------------------------------

    @property
    def allowed(self) -> bool:
        """Return whether this table allows hints: as people chose, else if one person plays against the house.

        With printed cards there are none: the house does not know the cards.
        """
        if self._play.match and is_printed(self._play.match.setup):
            return False
        if self._chosen is not None:
            return self._chosen
        return len(self._people(self._play.seats)) == 1

    def _people(self, playing: list[int]) -> list[Seat]:
        return [
            seat
            for seat in self._seats
            if seat.joined and not seat.is_house and (not playing or seat.number in playing)
        ]

    def restore(self) -> None:
        """Restore the choice of people from before a restart. Raise LogError."""
        self._chosen = self._kept.read("hints", bool, say("whether hints are allowed"))

    def allow(self, allowed: bool) -> None:
        """Choose whether hints are allowed, until all people have left. Raise NotAsked or LogError."""
        if self._play.seats:
            raise NotAsked(say("Choose between matches whether hints are allowed."), "HINTS")
        self._kept.write("hints", b"true" if allowed else b"false")
        self._chosen = allowed

    def set_on(self, seat: Seat, on: bool) -> None:
        """Turn hints on or off for the phone at a seat. Raise NotAsked."""
        if on and not self.allowed:
            raise NotAsked(REFUSED, "HINTS")
        if not on:
            self._phones.pop(seat.number, None)
            return
        self._phones[seat.number] = seat.sid
        if decision_key(self._play) == self._key and seat.number not in self._shown:
            # At once: the answer to this request has the hint, and no later message reveals the request to others.
            if job := self._new_job(seat.number):
                job()
            self._shown |= {seat.number: self._results[seat.number]} if seat.number in self._results else {}

    def is_on(self, seat: Seat) -> bool:
        """Return whether the phone that holds a seat has hints on."""
        return bool(seat.sid) and self._phones.get(seat.number) == seat.sid

    # --- the open decision --------------------------------------------------------------------------------

    def update(self) -> None:
        """Start the hints that a new decision or phone needs. Raise LogError."""
        if self._play.stopped:
            return
        if self._chosen is not None and not self._people([]):
            self._kept.forget("hints")
            self._chosen = None
        decision = self._play.decision
        key = decision_key(self._play)
        if key != self._key:
            self._key, self._started, self._results, self._shown = key, set(), {}, {}
            self._shown_at = self._clock.now() + SECONDS if decision and self._anybody_asked(decision) else None
        if decision is None or not self.allowed:
            return
        for seat in self._seats:
            is_new = self.is_on(seat) and not seat.house and seat.number not in self._started
            if is_new and (job := self._new_job(seat.number)):
                self._background(job)

    def _anybody_asked(self, decision: Decision) -> bool:
        return self.allowed and not decision.by_chance and any(not self._seats[seat].house for seat in decision.asked)

    def _new_job(self, seat: int) -> Callable[[], None] | None:
        """Return the job that computes the hint of a seat; None if its player sees nothing."""
        match = self._play.match
        sight = sight_of(match, seat) if match and seat in match.setup.seats else None
        if match is None or sight is None:
            return None
        self._started.add(seat)
        # Seeded on this thread: draws from a shared source would depend on the order of threads.
        random = Random(self._random.getrandbits(64))  # noqa: S311 - advice is no secret
        return partial(reckon, seat, sight, match.game, random, self._results)

    def refresh(self) -> bool:
        """Put the computed hints into the hands if due; return whether the hands must be sent."""
        now = self._clock.now()
        if self._shown_at is None or now < self._shown_at:
            return False
        if not self._started <= self._results.keys():
            self._shown_at = now + AGAIN_SECONDS
            return False
        self._shown_at, self._shown = None, self._shown | self._results
        return True

    def for_seat(self, seat: Seat) -> Hint | None:
        """Return the hint in the hand of a seat, or None."""
        if not self.is_on(seat) or not self.allowed or decision_key(self._play) != self._key:
            return None
        return self._shown.get(seat.number)


def reckon(seat: int, sight: Sight, game: Game, random: Random, found: dict[int, Hint | None]) -> None:
    """Put the hint for a sight into `found`; None if the house player has none or fails."""
    hint: Hint | None = None
    try:
        advice = advise(sight, game, random)
        if advice:
            answer = advice.answer
            hint = Hint({"move": answer.move, **answer.args} if answer else None, advice.say)
    except RulesBug as error:
        log.error("no hint: %s", str(error).partition(":")[0])  # what follows may name a card
    finally:
        found[seat] = hint
