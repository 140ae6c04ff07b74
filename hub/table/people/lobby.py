"""Between two matches: who is ready, and how a match begins."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import ceil
from typing import NamedTuple

from hub.engine.text import say, seats_words
from hub.errors import LogError, NotAsked, StartRefused
from hub.state import Starting
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.dice.rolls import WAITS, Rolls
from hub.table.people.game_choice import GameChoice
from hub.table.seating.seat import Seat
from hub.table.seating.seats import LEFT_SECONDS

MOST_WAITS = 2
MOST_SEATS = 6
START_SECONDS = 5.0
"""How long a match that one seat wants waits for those who are not ready."""
PUSH_AGAIN_SECONDS = 30.0
"""How long a second push starts a match that a first one did not, as something is missing."""


class _Starting(NamedTuple):
    """A match that `seat` wants and that begins `at`, in the clock's seconds."""

    game: str
    options: Mapping[str, object]
    seat: int
    at: float


class Lobby(Part):
    """How the next match of a table begins. `hub.table.people.game_choice` knows which game that is."""

    def __init__(self, core: Core, rolls: Rolls, choice: GameChoice) -> None:
        self._play, self._seats, self._notices, self._rolls = core.play, core.seats, core.notices, rolls
        self._clock, self._choice = core.ports.clock, choice
        self._warned: tuple[str, float] = ("", 0.0)  # what a push was told that is missing, and until when
        self._starting: _Starting | None = None
        self._delays: dict[int, int] = {}  # by seat: how often it let the others wait
        # Also of those who have left their seats since: nobody holds a start up by sitting down anew.
        self._all_delays = 0

    # --- a start that somebody wants -----------------------------------------------------------------

    def request_start(self, seat: Seat, name: str, options: Mapping[str, object]) -> None:
        """Start a match for a seat: at once where all who sit here are ready and nothing is missing, else soon.

        Meanwhile somebody may want to wait, and everybody sees what is missing.

        Raise StartRefused where it cannot begin.
        """
        dealt = self._seats.dealt_in()
        self._play.check(name, dealt, options)
        self._choice.check_house(options)
        if self._rolls.waits:
            raise StartRefused(WAITS)
        if self._starting and self._starting.seat != seat.number:
            if self._starting.game == name:
                self.set_ready(seat, is_ready=True)
                return
            text = say("Seat {seat} is starting another game: let it wait first.", seat=self._starting.seat)
            raise StartRefused(text)
        sleepers = [one for one in self._seats if one.sid and one.joined and one.number not in dealt]
        if self._all_ready(but=seat.number) and not sleepers and not self._choice.lacking_phones(name, options):
            self.start_match(name, options)
            return
        self._choice.choose_starting(name, options)
        at = (
            self._starting.at if self._starting else self._clock.now() + START_SECONDS
        )  # asked once more it is no later
        self._starting = _Starting(name, dict(options), seat.number, at)

    def request_rematch(self, seat: Seat) -> None:
        """Start the game that was just finished, with its options. Raise IllegalAction or StartRefused."""
        match = self._play.match
        if match is None or not match.over:
            raise NotAsked(say("There is no finished match to play again."), "LOBBY")
        self.request_start(seat, match.game.name, match.setup.options)

    def on_holder_changed(self, number: int) -> None:
        """Take note that somebody else, or nobody, sits at a seat now: how often it let the others wait was another person."""
        self._delays.pop(number, None)

    def set_ready(self, seat: Seat, is_ready: bool) -> None:
        """Let a seat be ready, or not; the last one lets a match that somebody wants begin. Raise StartRefused or LogError."""
        with self._seats.changing(seat):
            seat.ready = is_ready
        if not is_ready and self._starting:
            with suppress(NotAsked):  # it has let the others wait often enough
                self.delay_start(seat)
        elif self._starting and self._all_ready(but=self._starting.seat):
            self.start_match(self._starting.game, self._starting.options)

    def delay_start(self, seat: Seat) -> None:
        """Let the match that somebody wants begin later, twice at most for a seat. Raise NotAsked."""
        if self._starting is None:
            raise NotAsked(say("No match is about to begin."), "LOBBY")
        if self._delays.get(seat.number, 0) >= MOST_WAITS or self._all_delays >= MOST_WAITS * MOST_SEATS:
            raise NotAsked(say("You have let the others wait already: the match begins."), "LOBBY")
        self._delays[seat.number] = self._delays.get(seat.number, 0) + 1
        self._all_delays += 1
        self._starting = None

    def public_starting(self) -> Starting | None:
        """Return the match that is about to begin as everybody sees it."""
        starting = self._starting
        if starting is None:
            return None
        seconds = max(0, ceil(starting.at - self._clock.now()))
        return Starting(
            starting.game, starting.seat, seconds, self._choice.preset_with(starting.game, starting.options)
        )

    @property
    def due_at(self) -> float | None:
        """Return when a match begins by itself, in the clock's seconds."""
        return self._starting.at if self._starting else None

    def run_due(self) -> bool:
        """Begin the match that somebody wants, once its time has come; return whether anything has changed."""
        starting = self._starting
        if starting is None or self._clock.now() < starting.at:
            return False
        self._starting = None
        try:
            self.start_match(starting.game, starting.options)
        except StartRefused as error:
            self._notices.post("not_started", error.sentence)
        return True

    def _all_ready(self, but: int) -> bool:
        return all(self._seats[number].ready for number in self._seats.dealt_in() if number != but)

    def free_seat(self, number: int) -> None:
        """Free a seat whose phone is gone, or whose box nobody touches, for whoever comes next. Raise NotAsked."""
        seat = next((one for one in self._seats if one.number == number), None)
        is_somebodys = seat is not None and seat.joined and not seat.is_house and seat.number not in self._play.seats
        if seat is None or not is_somebodys or seat.phone_on:
            raise NotAsked(say("Only the seat of a player who is gone can be freed, and only between matches."), "SEAT")
        if seat.presence != "away" and self._seats.is_heard(seat.number):
            raise NotAsked(say("Its box was touched in the last three minutes: somebody sits there."), "SEAT")
        if seat.sid and self._seats.gone_seconds(seat) < LEFT_SECONDS:
            raise NotAsked(say("Its phone was connected a moment ago: try again in half a minute."), "SEAT")
        self._seats.release(seat, playing=False)

    # --- a match begins ------------------------------------------------------------------------------

    def start_match(self, name: str, options: Mapping[str, object]) -> None:
        """Start a match with those who have joined. Raise StartRefused."""
        if self._rolls.waits:
            raise StartRefused(WAITS)
        self._choice.check_house(options)
        before = self._play.match
        try:
            self._play.begin(name, self._seats.dealt_in(), options)
        finally:
            if self._play.match is not before:  # it has begun, even where the disk failed right afterwards
                self.on_match_started(name)

    def on_match_started(self, name: str) -> None:
        """Clear what stood for the match that has now begun."""
        self._rolls.dispute = None
        match = self._play.match
        options = match.setup.options if match else {}
        self._choice.choose_played(name, options)
        self.clear()

    def clear(self) -> None:
        """Let nobody be ready, and end what stood for the match that was."""
        self._starting = None
        self._delays.clear()
        self._all_delays = 0
        for seat in self._seats:
            if seat.stands_in:
                seat.house, seat.stands_in = "", False
            seat.ready, seat.wish = seat.is_house, ""
        for seat in self._seats:  # of the match that was
            seat.house_before = seat.left = ""
        with suppress(LogError):  # the next change of a seat writes them all
            self._seats.keep()
        self._notices.passed("match")
        self._notices.passed("answered")

    # --- at a table without phones -------------------------------------------------------------------

    def on_push(self, seat: Seat) -> None:
        """Sit down and be ready; whoever is ready starts the match. Raise StartRefused where it cannot begin."""
        self._notices.passed("answered")
        if seat.ready and not seat.is_house:
            try:
                self._start_by_push()
            except StartRefused as error:
                self._notices.post("not_started", error.sentence)
                raise
            return
        with self._seats.changing(seat):
            seat.take_from_house()
            seat.joined = seat.ready = True

    def on_bar(self, seat: Seat) -> None:
        """Be ready no more; then get up, unless a phone holds the seat."""
        self._notices.passed("answered")
        with self._seats.changing(seat):
            if seat.is_house:
                return
            if seat.ready:
                seat.ready = False
            elif not seat.sid:
                seat.empty()

    def _start_by_push(self) -> None:
        match = self._play.match
        if match and match.over:  # everybody still sits there, and phones ask nobody to be ready
            self._start_or_warn(self._choice.chosen, self._choice.options)
            return
        late = [number for number in self._seats.dealt_in() if not self._seats[number].ready]
        if late:
            raise StartRefused(say("Not ready yet: {seats}.", seats=seats_words(late, ",")))
        self._start_or_warn(self._choice.chosen or next(iter(self._play.games)), self._choice.options)

    def _start_or_warn(self, name: str, options: Mapping[str, object]) -> None:
        """Start a match; where something is missing, the second push does, after the first was told. Raise StartRefused."""
        lack, now = self._choice.lacking_phones(name, options), self._clock.now()
        warned, until = self._warned
        if lack and (warned != lack or now >= until):
            self._play.check(name, self._seats.dealt_in(), options)
            self._choice.check_house(options)
            self._warned = lack, now + PUSH_AGAIN_SECONDS
            raise StartRefused(say("Push again to start all the same: {reason}", reason=lack))
        self._warned = ("", 0.0)
        self.start_match(name, options)
