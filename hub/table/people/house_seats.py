"""The seats that the house plays: its own, and those where it stands in for somebody who is away.

The house sees what the seat sees (`hub/engine/house_player.py`), takes the time of a person, and rolls no die that people
can roll for it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Literal, NamedTuple

from hub.display.labels import value_at
from hub.engine import house_player
from hub.engine.decision import CHANCE, Action, Decision
from hub.engine.match import Match
from hub.engine.sight import Strength
from hub.engine.text import say
from hub.errors import IllegalAction, NotAsked, RulesBug
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.match.stand_ins import StandIns
from hub.table.seating.seat import Seat

logger = logging.getLogger(__name__)

SECONDS = 2.0
"""How long the house takes for a decision, about, so that people can follow."""
SEALED_SHARE = 0.25
"""The part of it that a further seat of the house takes in the same sealed choice."""
ALONE_SHARE = 0.4
"""The part of it where nobody but the house is still in an auction: the others only wait for its end."""
ROLL_SECONDS = 20.0
"""How long dice are left to people where the house's seat is to roll and there is a reader with dice."""


class HouseWay(NamedTuple):
    """How the house plays at a table that nobody has told otherwise: on how many seats, how well, in how many seconds."""

    seats: int = 0
    strength: Strength = "steady"
    seconds: float = SECONDS


class HouseSeats:
    """The house at one table. `strength` is how well it plays where people do not say."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes, way: HouseWay) -> None:
        self._play, self._seats, self._rolls, self._boxes = core.play, core.seats, rolls, boxes
        self._clock, self._random, self._way = core.ports.clock, core.ports.random, way
        self.stand_ins = StandIns(core.kept)
        self._plays_at = self._asked_at = 0.0

    @property
    def strength(self) -> Strength:
        """Return how well the house stands in for people."""
        return self._way.strength

    # --- its own seats -------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take the seats that the owner has given to the house, where nobody sits yet: those without a box first. Raise LogError."""
        if self._play.seats or any(seat.joined for seat in self._seats):
            return
        order = sorted(self._seats, key=lambda seat: (bool(seat.box), -seat.number))
        for seat in order[: min(self._way.seats, len(order) - 1)]:  # one is left for somebody
            self._take(seat, self._way.strength)

    def let_play(self, number: int, strength: Strength | Literal[""]) -> None:
        """Let the house play at a free seat, or better or worse at one of its own; with no strength, free that. Raise NotAsked."""
        seat = next((one for one in self._seats if one.number == number), None)
        if (
            self._play.seats
            or seat is None
            or (seat.joined and not seat.is_house)
            or seat.number in self._seats.claimed
            or not (strength or seat.is_house)
        ):
            raise NotAsked(say("The house plays at free seats, and takes them between matches."), "LOBBY")
        if strength:
            self._take(seat, strength)
        else:
            with self._seats.changing(seat):
                seat.empty()

    def _take(self, seat: Seat, strength: Strength) -> None:
        with self._seats.changing(seat):
            seat.house, seat.joined, seat.ready = strength, True, True

    # --- its turn --------------------------------------------------------------------------------------

    def opened(self) -> None:
        """Begin to think: another decision is open."""
        self._asked_at = self._clock.now()
        pace = self._way.seconds * (ALONE_SHARE if self._bids_alone() else 1.0)
        self._plays_at = self._asked_at + pace * (0.6 + 0.8 * self._random.random())

    def _bids_alone(self) -> bool:
        """Return whether those still in an auction, as the labels name them, are all the house's."""
        path, match = self._play.labels.screen.inside, self._play.match
        inside = value_at(match.view(None), path) if path and match else None
        return isinstance(inside, list) and bool(inside) and all(self._seats[number].house for number in inside)

    @property
    def awaited(self) -> Sequence[int]:
        """Return the seats of the house that the open decision waits for."""
        return [number for number in self._boxes.awaited() if self._seats[number].house]

    @property
    def due_at(self) -> float | None:
        """Return when the house plays, in the clock's seconds; None where it is not asked."""
        return self._plays_at if self.awaited else None

    def run_due(self) -> bool:
        """Play for one seat, if the time has come; return whether anything has changed. Raise LogError."""
        awaited, now = self.awaited, self._clock.now()
        if not awaited or now < self._plays_at:
            return False
        self._plays_at = now + self._way.seconds * SEALED_SHARE
        return self._play_seat(self._seats[awaited[0]])

    def _play_seat(self, seat: Seat) -> bool:
        decision, match = self._rolls.decision, self._play.match
        if decision is None or match is None or not seat.house:
            return False
        action = self._choice(match, seat.number, seat.house)
        if action is None:
            return False
        noted = self.standing_in(seat.number) if seat.stands_in else nullcontext()
        with suppress(IllegalAction), noted:  # the dice lie there, or the choices are being opened: time goes on
            if action.seat != CHANCE:
                self._boxes.answer_by_phone(action)
            elif self._people_roll(decision):
                return False
            else:
                self._rolls.roll_by_hub()
            return True
        return False

    @contextmanager
    def standing_in(self, seat: int) -> Iterator[None]:
        """Note what is done inside as the house's for a seat whose person is away, if it comes into the log."""
        entry = len(self._play.match.log) if self._play.match else 0
        yield
        if self._play.match and len(self._play.match.log) > entry:
            self.stand_ins.add(self._play.log.match, entry, seat)

    def _choice(self, match: Match, seat: int, strength: Strength) -> Action | None:
        try:
            return house_player.play(match, seat, strength, self._random)
        except RulesBug:
            logger.exception("the house plays without its rules at seat %d", seat)
            return house_player.play(match, seat, strength, self._random, player=house_player.ANY_GAME)

    def _people_roll(self, decision: Decision) -> bool:
        """Return whether the dice of a house's seat are still left to people: there are dice, and several to throw them.

        One person alone would throw for everybody.
        """
        if not self._rolls.has_dice or len(self._seats.present(self._play.seats)) < 2:
            return False
        return decision.roll is not None and self._clock.now() - self._asked_at < ROLL_SECONDS
