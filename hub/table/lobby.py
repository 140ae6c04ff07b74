"""Between two matches: who is ready, which game is next, and how a match begins."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple

from hub.errors import NotAsked, StartRefused
from hub.ports import Clock
from hub.state import Starting
from hub.table.notices import Notices
from hub.table.play import Play
from hub.table.rolls import WAITS, Rolls
from hub.table.seats import Seat, Seats

MOST_WAITS = 2
START_SECONDS = 5.0
"""How long a match that one seat wants waits for those who are not ready."""


class _Starting(NamedTuple):
    """A match that `seat` wants and that begins `at`, in the clock's seconds."""

    game: str
    options: Mapping[str, Any]
    seat: int
    at: float


class Lobby:
    """How a table comes to its next match. `chosen` names the game that a push on a box starts: the last, or a dial's."""

    def __init__(self, play: Play, seats: Seats, notices: Notices, rolls: Rolls, clock: Clock) -> None:
        self._play, self._seats, self._notices, self._rolls, self._clock = play, seats, notices, rolls, clock
        self.chosen = ""
        self._starting: _Starting | None = None
        self._waits: dict[int, int] = {}  # by seat: how often it let the others wait

    # --- a start that somebody wants -----------------------------------------------------------------

    def insist(self, seat: Seat, name: str, options: Mapping[str, Any]) -> None:
        """Start a match for a seat: at once where all who are here are ready, else soon, unless somebody would wait.

        Raise StartRefused where it cannot begin.
        """
        dealt = self._dealt_in()
        self._play.check(name, dealt, options)
        if self._rolls.waits:
            raise StartRefused(WAITS)
        if self._all_ready(but=seat.number):
            self.begin(name, options)
            return
        self.chosen = name
        self._starting = _Starting(name, dict(options), seat.number, self._clock.now() + START_SECONDS)

    def insist_again(self, seat: Seat) -> None:
        """Start the game that was just finished, with its options. Raise IllegalAction or StartRefused."""
        match = self._play.match
        if match is None or not match.over:
            raise NotAsked("There is no finished match to play again.", "LOBBY")
        self.insist(seat, match.game.name, match.setup.options)

    def wish(self, seat: Seat, name: object) -> None:
        """Let a seat say which game it would like; the one that most like is chosen. Raise NotAsked."""
        if self._play.seats or not isinstance(name, str) or name not in self._play.games:
            raise NotAsked("Between matches, wish for a game of this table.", "LOBBY")
        seat.wish = name
        wishes = [one.wish for one in self._seats if one.wish]
        self.chosen = max(dict.fromkeys([seat.wish, *wishes]), key=wishes.count)

    def ready(self, seat: Seat, is_ready: bool) -> None:
        """Let a seat be ready, or not; the last one lets a match that somebody wants begin. Raise StartRefused."""
        seat.ready = is_ready
        if not is_ready:
            self._starting = None
        elif self._starting and self._all_ready(but=self._starting.seat):
            self.begin(self._starting.game, self._starting.options)

    def wait(self, seat: Seat) -> None:
        """Let the match that somebody wants begin later, twice at most for a seat. Raise NotAsked."""
        if self._starting is None:
            raise NotAsked("No match is about to begin.", "LOBBY")
        if self._waits.get(seat.number, 0) >= MOST_WAITS:
            raise NotAsked("You have let the others wait already: the match begins.", "LOBBY")
        self._waits[seat.number] = self._waits.get(seat.number, 0) + 1
        self._starting = None

    def public_starting(self) -> Starting | None:
        """Return the match that is about to begin as everybody sees it."""
        starting = self._starting
        if starting is None:
            return None
        return Starting(starting.game, starting.seat, max(0, ceil(starting.at - self._clock.now())))

    @property
    def due_at(self) -> float | None:
        """Return when a match begins by itself, in the clock's seconds."""
        return self._starting.at if self._starting else None

    def due(self) -> bool:
        """Begin the match that somebody wants, once its time has come; return whether anything has changed."""
        starting = self._starting
        if starting is None or self._clock.now() < starting.at:
            return False
        self._starting = None
        try:
            self.begin(starting.game, starting.options)
        except StartRefused as error:
            self._notices.post("not_started", str(error))
        return True

    def _dealt_in(self) -> list[int]:
        """Return the seats that a match begins with: somebody sits there and can be heard, if only by a box."""
        return [seat.number for seat in self._seats if seat.joined and seat.presence != "away"]

    def _all_ready(self, but: int) -> bool:
        return all(self._seats[number].ready for number in self._dealt_in() if number != but)

    def free(self, number: object) -> None:
        """Free a seat whose phone is gone, for whoever comes next. Raise NotAsked."""
        seat = next((one for one in self._seats if one.number == number), None)
        if seat is None or not seat.joined or seat.presence != "away" or seat.number in self._play.seats:
            raise NotAsked("Only a seat that nothing is heard from is freed, and only between matches.", "SEAT")
        self._seats.release(seat, playing=False)

    # --- a match begins ------------------------------------------------------------------------------

    def begin(self, name: str, options: Mapping[str, Any]) -> None:
        """Start a match with those who have joined. Raise StartRefused."""
        if self._rolls.waits:
            raise StartRefused(WAITS)
        before = self._play.match
        try:
            self._play.begin(name, self._dealt_in(), options)
        finally:
            if self._play.match is not before:  # it has begun, even where the disk failed right afterwards
                self.begun(name)

    def begun(self, name: str) -> None:
        """Clear what stood for the match that has now begun."""
        self._rolls.dispute = None
        self.chosen = name
        self.clear()

    def clear(self) -> None:
        """Let nobody be ready, and end what stood for the match that was."""
        self._starting = None
        self._waits.clear()
        for seat in self._seats:
            if seat.stands_in:
                seat.house, seat.stands_in = "", False
            seat.ready, seat.wish = seat.is_house, ""
        self._notices.passed("match")
        self._notices.passed("answered")

    # --- at a table without phones -------------------------------------------------------------------

    def turn(self, detents: int) -> None:
        """Choose a game with a dial: so many games further on."""
        self._notices.passed("answered")
        names = list(self._play.games)
        at = names.index(self.chosen) if self.chosen else -1 if detents > 0 else 0
        self.chosen = names[(at + detents) % len(names)]
        game = self._play.games[self.chosen]
        least, most = game.seats
        text = f"A push starts {game.title}, for {least} to {most} players. Turn a dial for another game."
        self._notices.post("dial", text)

    def push(self, seat: Seat) -> None:
        """Sit down and be ready; whoever is ready starts the match. Raise StartRefused where it cannot begin."""
        self._notices.passed("answered")
        if seat.ready and not seat.is_house:
            try:
                self._start()
            except StartRefused as error:
                self._notices.post("not_started", str(error))
                raise
            return
        with self._seats.changing(seat):
            seat.take_from_house()
            seat.joined = seat.ready = True

    def bar(self, seat: Seat) -> None:
        """Be ready no more; then get up, unless a phone holds the seat."""
        self._notices.passed("answered")
        with self._seats.changing(seat):
            if seat.is_house:
                return
            if seat.ready:
                seat.ready = False
            elif not seat.sid:
                seat.joined = False

    def _start(self) -> None:
        match = self._play.match
        if match and match.over:  # everybody still sits there, and phones ask nobody to be ready
            same = match.game.name == self.chosen
            self.begin(self.chosen, match.setup.options if same else {})
            return
        late = [seat.number for seat in self._seats if seat.joined and not seat.ready]
        if late:
            raise StartRefused(f"Not ready yet: {', '.join(f'Seat {number}' for number in late)}.")
        self.begin(self.chosen or next(iter(self._play.games)), {})
