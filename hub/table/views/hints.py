"""Hints: what the sharp house would do at the open choice of a person who practises, and why, for that person's phone alone.

A hint is reckoned from what the seat may see (`hub/engine/house_player.py: advise`), on a thread of its own, and travels in
the seat's hand. Nobody else can learn from the traffic who has asked for hints: where a table allows them, every hand is
sent once more a fixed time after a decision was opened, whether there is a hint in it or not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from random import Random
from threading import Thread
from typing import TypeAlias

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
"""How long after a decision was opened the hands are sent with their hints: longer than any of them takes."""
AGAIN_SECONDS = 0.25
"""How long to wait for one that is not there by then."""
REFUSED = say("This table allows no hints now: between matches anybody here can allow them.")

Run: TypeAlias = Callable[[Callable[[], None]], None]


def in_thread(job: Callable[[], None]) -> None:
    """Do `job` on a thread of its own, which keeps no program from ending."""
    Thread(target=job, name="hint", daemon=True).start()


def _at_once(job: Callable[[], None]) -> None:
    job()


class Hints(Part):
    """The hints of one table. `run` does what takes a while, off the table's thread."""

    def __init__(self, core: Core, run: Run = in_thread) -> None:
        self._play, self._seats, self._kept = core.play, core.seats, core.kept
        self._clock, self._run = core.ports.clock, run
        # A source of its own, so that hints change nothing of what else is left to chance.
        self._random = Random(core.ports.random.getrandbits(64))  # noqa: S311 - advice is no secret
        self._chosen: bool | None = None  # what people have said; None: where one person plays against the house
        self._phones: dict[int, str] = {}  # by seat: the login of the phone that wants hints
        self._key: DecisionKey | None = None
        self._asked: set[int] = set()  # whose hint of this decision is reckoned, or was
        self._found: dict[int, Hint | None] = {}  # by seat; written by threads
        self._told: dict[int, Hint | None] = {}  # by seat: what hands show
        self._shown_at: float | None = None  # when the hands are sent with their hints

    @property
    def due_at(self) -> float | None:
        """Return when the hands are sent with their hints, in the clock's seconds; None where they were, or nobody is asked."""
        return self._shown_at

    # --- what is allowed, and who wants them -----------------------------------------------------------

    @property
    def allowed(self) -> bool:
        """Return whether this table allows hints: as people have said, else where one person is alone with the house.

        Of printed cards the house knows nothing that it could advise.
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
        """Take up what people have said before a restart. Raise LogError."""
        self._chosen = self._kept.read("hints", bool, say("whether hints are allowed"))

    def allow(self, allowed: bool) -> None:
        """Allow hints at this table, or not, until nobody sits here. Raise NotAsked, or LogError."""
        if self._play.seats:
            raise NotAsked(say("Choose between matches whether hints are allowed."), "HINTS")
        self._kept.write("hints", b"true" if allowed else b"false")
        self._chosen = allowed

    def switch(self, seat: Seat, on: bool) -> None:
        """Give hints to the phone at a seat, or no longer. Raise NotAsked."""
        if on and not self.allowed:
            raise NotAsked(REFUSED, "HINTS")
        if not on:
            self._phones.pop(seat.number, None)
            return
        self._phones[seat.number] = seat.sid
        if decision_key(self._play) == self._key and seat.number not in self._told:
            # At once, so that the answer to this request has it, and no later message tells the others what was asked.
            self._begin(seat.number, run=_at_once)
            self._told |= {seat.number: self._found[seat.number]} if seat.number in self._found else {}

    def wanted(self, seat: Seat) -> bool:
        """Return whether the phone that holds a seat has asked for hints."""
        return bool(seat.sid) and self._phones.get(seat.number) == seat.sid

    # --- the open decision --------------------------------------------------------------------------------

    def update(self) -> None:
        """Begin to think where another decision is open, or another phone wants to know. Raise LogError."""
        if self._play.stopped:
            return
        if self._chosen is not None and not self._people([]):
            self._kept.forget("hints")
            self._chosen = None
        decision = self._play.decision
        key = decision_key(self._play)
        if key != self._key:
            self._key, self._asked, self._found, self._told = key, set(), {}, {}
            self._shown_at = self._clock.now() + SECONDS if decision and self._anybody_asked(decision) else None
        if decision is None or not self.allowed:
            return
        for seat in self._seats:
            if self.wanted(seat) and not seat.house and seat.number not in self._asked:
                self._begin(seat.number, self._run)

    def _anybody_asked(self, decision: Decision) -> bool:
        return self.allowed and not decision.by_chance and any(not self._seats[seat].house for seat in decision.asked)

    def _begin(self, seat: int, run: Run) -> None:
        match = self._play.match
        sight = sight_of(match, seat) if match and seat in match.state.seats else None
        if match is None or sight is None:
            return
        self._asked.add(seat)
        # Seeded on this thread: hints that shared a source would draw in the order in which their threads happen to run.
        random = Random(self._random.getrandbits(64))  # noqa: S311 - advice is no secret
        run(partial(reckon, seat, sight, match.game, random, self._found))

    def refresh(self) -> bool:
        """Let the hands show what was found, if it is time; return whether they are to be sent."""
        now = self._clock.now()
        if self._shown_at is None or now < self._shown_at:
            return False
        if not self._asked <= self._found.keys():
            self._shown_at = now + AGAIN_SECONDS
            return False
        self._shown_at, self._told = None, self._told | self._found
        return True

    def of(self, seat: Seat) -> Hint | None:
        """Return the hint that the hand of a seat shows now; None where it shows none."""
        if not self.wanted(seat) or not self.allowed or decision_key(self._play) != self._key:
            return None
        return self._told.get(seat.number)


def reckon(seat: int, sight: Sight, game: Game, random: Random, found: dict[int, Hint | None]) -> None:
    """Put the hint for a sight into `found`, or None: a house player that fails advises nobody."""
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
