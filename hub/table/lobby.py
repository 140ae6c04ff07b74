"""Between two matches: who is ready, which game is next, and how a match begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.errors import NotAsked, StartRefused
from hub.table.notices import Notices
from hub.table.play import Play
from hub.table.rolls import WAITS, Rolls
from hub.table.seats import Seat, Seats


class Lobby:
    """How a table comes to its next match. `chosen` names the game that a push on a box starts: the last, or a dial's."""

    def __init__(self, play: Play, seats: Seats, notices: Notices, rolls: Rolls) -> None:
        self._play, self._seats, self._notices, self._rolls = play, seats, notices, rolls
        self.chosen = ""

    def begin(self, name: str, options: Mapping[str, Any]) -> None:
        """Start a match with those who have joined. Raise StartRefused."""
        if self._rolls.waits:
            raise StartRefused(WAITS)
        # Who left during the last match is at the table no more, unless a box stands there for them.
        seats = [seat.number for seat in self._seats if seat.joined and (seat.sid or seat.box)]
        before = self._play.match
        try:
            self._play.begin(name, seats, options)
        finally:
            if self._play.match is not before:  # it has begun, even where the disk failed right afterwards
                self._clear(name)

    def _clear(self, name: str) -> None:
        """Clear what stood for the match that has now begun."""
        self._rolls.dispute = None
        self.chosen = name
        for seat in self._seats:
            seat.ready = False
        self._notices.passed("match")
        self._notices.passed("answered")

    def begin_again(self) -> None:
        """Start the game that was just finished, with its options. Raise IllegalAction or StartRefused."""
        match = self._play.match
        if match is None or not match.over:
            raise NotAsked("There is no finished match to play again.", "LOBBY")
        self.begin(match.game.name, match.setup.options)

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
        if seat.ready:
            try:
                self._start()
            except StartRefused as error:
                self._notices.post("not_started", str(error))
                raise
            return
        with self._seats.changing(seat):
            seat.joined = seat.ready = True

    def bar(self, seat: Seat) -> None:
        """Be ready no more; then get up, unless a phone holds the seat."""
        self._notices.passed("answered")
        with self._seats.changing(seat):
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
