"""Start the next match: readiness, delays and starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from math import ceil, inf
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
"""How long a requested start waits for seats that are not ready."""
PUSH_AGAIN_SECONDS = 30.0
"""How long a second push starts a match that lacks something, after the first push has said so."""


class _Starting(NamedTuple):
    """A match requested by `seat` that starts `at`, in the clock's seconds."""

    game: str
    options: Mapping[str, object]
    seat: int
    at: float


class Lobby(Part):
    """The start of the next match of a table. `hub.table.people.game_choice` chooses its game."""

    def __init__(self, core: Core, rolls: Rolls, choice: GameChoice) -> None:
        self._play, self._seats, self._notices, self._rolls = core.play, core.seats, core.notices, rolls
        self._clock, self._choice = core.ports.clock, choice
        # by the lack that the last push showed: until when a second push starts
        self._push_again_until: dict[str, float] = {}
        self._starting: _Starting | None = None
        self._delays: Counter[int] = Counter()  # by seat: delays of a start
        # Also of people who have left since: sitting down again gives nobody further delays.
        self._all_delays = 0
        self._had_guests = False

    # --- a start that somebody wants -----------------------------------------------------------------

    def request_start(self, seat: Seat, name: str, options: Mapping[str, object]) -> None:
        """Start a match for a seat: at once if all others are ready and nothing is missing, else in `START_SECONDS`.

        Until then any seat may delay it. Raise StartRefused if it cannot start.
        """
        dealt = self._seats.dealt_in()
        self._play.check(name, dealt, options)
        self._choice.check_house(options)
        if self._rolls.waits_for_dispute:
            raise StartRefused(WAITS)
        if self._starting and self._starting.seat != seat.number:
            if self._starting.game == name:
                self.set_ready(seat, is_ready=True)
                return
            text = say("Seat {seat} is starting another game: make that match wait first.", seat=self._starting.seat)
            raise StartRefused(text)
        sleepers = [one for one in self._seats if one.sid and one.joined and one.number not in dealt]
        if self._all_ready(but=seat.number) and not sleepers and not self._choice.lacking_phones(name, options):
            self.start_match(name, options)
            return
        self._choice.choose_starting(name, options)
        # asked once more it is no later
        at = self._starting.at if self._starting else self._clock.now() + START_SECONDS
        self._starting = _Starting(name, dict(options), seat.number, at)

    def request_rematch(self, seat: Seat) -> None:
        """Request the finished game again, with its options. Raise IllegalAction or StartRefused."""
        match = self._play.match
        if match is None or not match.over:
            raise NotAsked(say("There is no finished match to play again."), "LOBBY")
        self.request_start(seat, match.game.name, match.setup.options)

    def on_holder_changed(self, number: int) -> None:
        """Reset the delays of a seat that has another person now, or none."""
        self._delays.pop(number, None)

    def set_ready(self, seat: Seat, is_ready: bool) -> None:
        """Set whether a seat is ready. The last ready seat starts a requested match. Raise StartRefused or LogError."""
        with self._seats.changing(seat):
            seat.ready = is_ready
        if not is_ready and self._starting:
            with suppress(NotAsked):  # it has no delays left
                self.delay_start(seat)
        elif self._starting and self._all_ready(but=self._starting.seat):
            self.start_match(self._starting.game, self._starting.options)

    def delay_start(self, seat: Seat) -> None:
        """Delay a requested start until it is requested again, at most `MOST_WAITS` times per seat. Raise NotAsked."""
        if self._starting is None:
            raise NotAsked(say("No match is about to begin."), "LOBBY")
        if self._delays[seat.number] >= MOST_WAITS or self._all_delays >= MOST_WAITS * MOST_SEATS:
            raise NotAsked(say("You have already made the others wait: the match begins."), "LOBBY")
        self._delays[seat.number] += 1
        self._all_delays += 1
        self._starting = None

    def public_starting(self) -> Starting | None:
        """Return the match that is about to start as everybody sees it."""
        starting = self._starting
        if starting is None:
            return None
        seconds = max(0, ceil(starting.at - self._clock.now()))
        return Starting(
            starting.game, starting.seat, seconds, self._choice.preset_with(starting.game, starting.options)
        )

    @property
    def due_at(self) -> float | None:
        """Return when a requested match starts, in the clock's seconds."""
        return self._starting.at if self._starting else None

    def run_due(self) -> bool:
        """Start a requested match when it is due; return whether anything has changed."""
        changed = self._forget_guests()
        starting = self._starting
        if starting is None or self._clock.now() < starting.at:
            return changed
        self._starting = None
        try:
            self.start_match(starting.game, starting.options)
        except StartRefused as error:
            self._notices.post("not_started", error.sentence)
        return True

    def _forget_guests(self) -> bool:
        """Forget the chosen game and options once all guests have gone; return whether anything has changed."""
        if self._play.seats:
            return False
        had_guests, self._had_guests = self._had_guests, any(one.joined and not one.is_house for one in self._seats)
        return had_guests and not self._had_guests and self._choice.forget_guests()

    def _all_ready(self, but: int) -> bool:
        return all(self._seats[number].ready for number in self._seats.dealt_in() if number != but)

    def free_seat(self, number: int) -> None:
        """Free a seat whose phone is gone or whose box is not used. Raise NotAsked."""
        seat = next((one for one in self._seats if one.number == number), None)
        is_somebodys = seat is not None and seat.joined and not seat.is_house and seat.number not in self._play.seats
        if seat is None or not is_somebodys or seat.phone_on:
            raise NotAsked(say("Only the seat of a player who is gone can be freed, and only between matches."), "SEAT")
        if seat.presence != "away" and self._seats.is_active(seat.number):
            raise NotAsked(say("Its box was touched in the last three minutes: somebody sits there."), "SEAT")
        if seat.sid and self._seats.silent_seconds(seat) < LEFT_SECONDS:
            raise NotAsked(say("Its phone was connected a moment ago: try again in half a minute."), "SEAT")
        self._seats.release(seat, playing=False)

    # --- a match begins ------------------------------------------------------------------------------

    def start_match(self, name: str, options: Mapping[str, object]) -> None:
        """Start a match with the seats that are dealt in. Raise StartRefused."""
        if self._rolls.waits_for_dispute:
            raise StartRefused(WAITS)
        self._choice.check_house(options)
        before = self._play.match
        try:
            self._play.begin(name, self._seats.dealt_in(), options)
        finally:
            if self._play.match is not before:  # started, even if the disk failed right afterwards
                self.on_match_started()

    def on_match_started(self) -> None:
        """Keep the choice of the match that has just started, and clear the lobby."""
        self._rolls.dispute = None
        if match := self._play.match:
            self._choice.choose_played(match.game.name, match.setup.options)
        self.clear()

    def clear(self) -> None:
        """Clear readiness, wishes, delays and stand-ins of the match before."""
        self._starting = None
        self._delays.clear()
        self._all_delays = 0
        for seat in self._seats:
            if seat.stands_in:
                seat.house, seat.stands_in = "", False
            seat.ready, seat.wish = seat.is_house, ""
        for seat in self._seats:  # of the match before
            seat.house_before = seat.left_by = ""
        with suppress(LogError):  # the next change of a seat writes all seats
            self._seats.save()
        self._notices.end_all("match")
        self._notices.end_all("answered")

    # --- at a table without phones -------------------------------------------------------------------

    def on_push(self, seat: Seat) -> None:
        """Sit down and be ready; at a ready seat start the match. Raise StartRefused if it cannot start."""
        self._notices.end_all("answered")
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
        """Clear readiness; if the seat was not ready, get up, unless a phone holds the seat."""
        self._notices.end_all("answered")
        with self._seats.changing(seat):
            if seat.is_house:
                return
            if seat.ready:
                seat.ready = False
            elif not seat.sid:
                seat.clear()

    def _start_by_push(self) -> None:
        match = self._play.match
        if match and match.over:  # all still sit there, and phones do not ask for readiness
            self._start_or_warn(self._choice.chosen, self._choice.options)
            return
        late = [number for number in self._seats.dealt_in() if not self._seats[number].ready]
        if late:
            raise StartRefused(say("Not ready yet: {seats}.", seats=seats_words(late, ",")))
        self._start_or_warn(self._choice.chosen or next(iter(self._play.games)), self._choice.options)

    def _start_or_warn(self, name: str, options: Mapping[str, object]) -> None:
        """Start a match; if phones are missing, only the second push does. Raise StartRefused."""
        lack, now = self._choice.lacking_phones(name, options), self._clock.now()
        if lack and now >= self._push_again_until.get(lack, -inf):
            self._play.check(name, self._seats.dealt_in(), options)
            self._choice.check_house(options)
            self._push_again_until = {lack: now + PUSH_AGAIN_SECONDS}
            raise StartRefused(say("Push again to start all the same: {reason}", reason=lack))
        self._push_again_until = {}
        self.start_match(name, options)
