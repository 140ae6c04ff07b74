"""Play the seats of the house: its own, and those where it stands in for an absent person.

The house sees what the seat sees (`hub/engine/house_player.py`), takes about as long as a person, and leaves dice to
people who can roll them.
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
from hub.table.faults import where
from hub.table.match.stand_ins import StandIns
from hub.table.seating.seat import Seat

log = logging.getLogger(__name__)

SECONDS = 2.0
"""About how many seconds the house takes for a decision, so that people can follow."""
SEALED_SHARE = 0.25
"""The share of it that each further seat of the house takes in the same sealed choice."""
ALONE_SHARE = 0.4
"""The share of it when only the house is still in an auction: the others wait for its end."""
ROLL_SECONDS = 20.0
"""How long dice are left to people when a seat of the house must roll and there is a reader with dice.

Each throw, and each reading, starts this time again.
"""


class HouseSettings(NamedTuple):
    """Default house settings of a table: number of seats, strength, and seconds per decision."""

    seats: int = 0
    strength: Strength = "steady"
    seconds: float = SECONDS


class HouseSeats:
    """The house at one table."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes, settings: HouseSettings) -> None:
        self._play, self._seats, self._rolls, self._boxes = core.play, core.seats, rolls, boxes
        self._clock, self._random, self._settings = core.ports.clock, core.ports.random, settings
        self.stand_ins = StandIns(core.kept)
        self._plays_at = self._clock.now()

    @property
    def strength(self) -> Strength:
        """Return how strongly the house plays when it stands in for people."""
        return self._settings.strength

    # --- its own seats -------------------------------------------------------------------------------

    def take_free_seats(self) -> None:
        """Take the owner's number of house seats if all seats are free, those without a box first. Raise LogError."""
        if self._play.seats or any(seat.joined for seat in self._seats):
            return
        order = sorted(self._seats, key=lambda seat: (bool(seat.box), -seat.number))
        for seat in order[: min(self._settings.seats, len(order) - 1)]:  # leave one for a person
            self._take_seat(seat, self._settings.strength)

    def let_play(self, number: int, strength: Strength | Literal[""]) -> None:
        """Give a free seat to the house, or set the strength at one of its own; "" frees it. Raise NotAsked."""
        seat = next((one for one in self._seats if one.number == number), None)
        if (
            self._play.seats
            or seat is None
            or (seat.joined and not seat.is_house)
            or seat.number in self._seats.claimed_seats
            or not (strength or seat.is_house)
        ):
            raise NotAsked(say("The house plays at free seats, and takes them between matches."), "LOBBY")
        if strength:
            self._take_seat(seat, strength)
        else:
            with self._seats.changing(seat):
                seat.clear()

    def _take_seat(self, seat: Seat, strength: Strength) -> None:
        with self._seats.changing(seat):
            seat.house, seat.joined, seat.ready = strength, True, True

    # --- its turn --------------------------------------------------------------------------------------

    def on_decision_opened(self) -> None:
        """Choose when the house plays: another decision is open."""
        pace = self._settings.seconds * (ALONE_SHARE if self._bids_alone() else 1.0)
        self._plays_at = self._clock.now() + pace * (0.6 + 0.8 * self._random.random())

    def _bids_alone(self) -> bool:
        """Return whether all seats still in an auction (`screen.inside` in the labels) are the house's."""
        path, match = self._play.labels.screen.inside, self._play.match
        inside = value_at(match.view(None), path) if path and match else None
        return isinstance(inside, list) and bool(inside) and all(self._seats[number].house for number in inside)

    @property
    def awaited_seats(self) -> Sequence[int]:
        """Return the awaited seats of the house."""
        return [number for number in self._boxes.awaited_seats() if self._seats[number].house]

    @property
    def due_at(self) -> float | None:
        """Return when the house plays, in the clock's seconds; None if it is not asked."""
        return self._plays_at if self.awaited_seats else None

    def run_due(self) -> bool:
        """Play for one seat if it is due; return whether anything has changed. Raise LogError."""
        awaited, now = self.awaited_seats, self._clock.now()
        if not awaited or now < self._plays_at:
            return False
        self._plays_at = now + self._settings.seconds * SEALED_SHARE
        return self._play_seat(self._seats[awaited[0]])

    def _play_seat(self, seat: Seat) -> bool:
        decision, match = self._rolls.decision, self._play.match
        if decision is None or match is None or not seat.house:
            return False
        action = self._choice(match, seat.number, seat.house)
        if action is None:
            return False
        noted = self.standing_in(seat.number) if seat.stands_in else nullcontext()
        with suppress(IllegalAction), noted:  # dice lie there or choices are being opened: try later
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
        """Record a log entry made inside this context as the house's, for a seat whose person is away."""
        entry = len(self._play.match.log) if self._play.match else 0
        yield
        if self._play.match and len(self._play.match.log) > entry:
            self.stand_ins.add(self._play.log.match, entry, seat)

    def _choice(self, match: Match, seat: int, strength: Strength) -> Action | None:
        try:
            return house_player.play(match, seat, strength, self._random)
        except RulesBug as error:
            log.error(
                "the house plays without its rules at seat %d: it failed at %s", seat, where(error.__cause__ or error)
            )
            return house_player.play(match, seat, strength, self._random, player=house_player.ANY_GAME)

    def _people_roll(self, decision: Decision) -> bool:
        """Return whether the dice of a house's seat are still left to people.

        With fewer than two people present, one person would roll for the whole table.
        """
        if not self._rolls.has_dice or len(self._seats.present(self._play.seats)) < 2:
            return False
        return decision.roll is not None and self._clock.now() - self._rolls.dice.open.moved_at < ROLL_SECONDS
