"""Between two matches: who is ready, which game is next, and how a match begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import ceil
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from hub.errors import LogError, NotAsked, StartRefused
from hub.state import GameOffer, Preset, Starting
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.dice.rolls import WAITS, Rolls
from hub.table.match import feed
from hub.table.seating import needs
from hub.table.seating.seat import Seat
from hub.table.seating.seat_list import HEARD_SECONDS
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
    """How a table comes to its next match. `chosen` names the game that a push on a box starts: the last, or a dial's.

    `preset` names the owner's set of options for it, "" for the usual ones, or where somebody has chosen others by hand;
    `options` are those that are not as usual, as people have chosen them.
    """

    def __init__(self, core: Core, rolls: Rolls, presets: Mapping[str, Sequence[Preset]]) -> None:
        self._play, self._seats, self._notices, self._rolls = core.play, core.seats, core.notices, rolls
        self._clock, self._has_reader, self._presets = core.ports.clock, core.ports.dice is not None, presets
        self.chosen = ""
        self.preset = ""
        self.options: Mapping[str, object] = {}
        self._warned: tuple[str, float] = ("", 0.0)  # what a push was told that is missing, and until when
        self._starting: _Starting | None = None
        self._waits: dict[int, int] = {}  # by seat: how often it let the others wait
        self._all_waits = (
            0  # also of those who have left their seats since: nobody holds a start up by sitting down anew
        )

    # --- what there is to play -------------------------------------------------------------------------

    def offers(self) -> list[GameOffer]:
        """Return the games as the lobby offers them now."""
        return [feed.offer(game, self._lacks(name), self.presets(name)) for name, game in self._play.games.items()]

    def presets(self, name: str) -> Sequence[Preset]:
        """Return the owner's sets of options for a game."""
        return self._presets.get(name, ())

    def offer(self, name: str, preset: str) -> None:
        """Let a game be the chosen one, with a set of options. Raise NotAsked."""
        if self._play.seats or name not in self._play.games:
            raise NotAsked("Between matches, choose a game of this table.", "LOBBY")
        if preset and preset not in [one.name for one in self.presets(name)]:
            raise NotAsked("There is no such preset of this game.", "LOBBY")
        self._choose(name, preset)

    def _choose(self, name: str, preset: str = "", options: Mapping[str, object] | None = None) -> None:
        """Let a push on a box start a game with a preset, or with `options`."""
        self.chosen, self.preset = name, preset
        if options is None:
            options = next((one.options for one in self.presets(name) if one.name == preset), {})
        self.options = options

    def _unusual(self, name: str, options: Mapping[str, object]) -> dict[str, Any]:
        """Return the options that are not as usual."""
        usual = {one: option.default for one, option in self._play.games[name].options.items()}
        return {one: value for one, value in options.items() if value != usual.get(one)}

    def _lacks(self, name: str) -> list[str]:
        if self._play.seats:  # a match is under way: nobody reads it
            return []
        here = [self._seats[number] for number in self._dealt_in()]
        return needs.lacks(
            self._play.games[name], here, has_reader=self._has_reader, kit=self._rolls.dice.public_kit()
        )  # fmt: skip

    def _lacking_phones(self, name: str, options: Mapping[str, object] | None = None) -> str:
        """Return what keeps those who are dealt in from playing a game as it is meant; "" where nothing does."""
        game = self._play.games.get(name)
        here = [self._seats[number] for number in self._dealt_in()]
        return needs.lacking_phones(game, here, options) if game else ""

    def _check_house(self, options: Mapping[str, object]) -> None:
        """Raise StartRefused where the house would have to play what it cannot."""
        needs.check_house(options, [self._seats[number] for number in self._dealt_in()])

    # --- a start that somebody wants -----------------------------------------------------------------

    def insist(self, seat: Seat, name: str, options: Mapping[str, object]) -> None:
        """Start a match for a seat: at once where all who sit here are ready and nothing is missing, else soon.

        Meanwhile somebody may want to wait, and everybody sees what is missing.

        Raise StartRefused where it cannot begin.
        """
        dealt = self._dealt_in()
        self._play.check(name, dealt, options)
        self._check_house(options)
        if self._rolls.waits:
            raise StartRefused(WAITS)
        if self._starting and self._starting.seat != seat.number:
            if self._starting.game == name:
                self.ready(seat, is_ready=True)
                return
            raise StartRefused(f"Seat {self._starting.seat} has begun to start another game: let it wait first.")
        sleepers = [one for one in self._seats if one.sid and one.joined and one.number not in dealt]
        if self._all_ready(but=seat.number) and not sleepers and not self._lacking_phones(name, options):
            self.begin(name, options)
            return
        self._choose(name, self._named(name, options), self._unusual(name, options))
        at = (
            self._starting.at if self._starting else self._clock.now() + START_SECONDS
        )  # asked once more it is no later
        self._starting = _Starting(name, dict(options), seat.number, at)

    def insist_again(self, seat: Seat) -> None:
        """Start the game that was just finished, with its options. Raise IllegalAction or StartRefused."""
        match = self._play.match
        if match is None or not match.over:
            raise NotAsked("There is no finished match to play again.", "LOBBY")
        self.insist(seat, match.game.name, match.setup.options)

    def wish(
        self, seat: Seat, name: str, preset: str | UnsetType = UNSET, options: Mapping[str, Any] | UnsetType = UNSET
    ) -> None:
        """Let a seat say which game it would like; the one that most like is chosen. Raise NotAsked, StartRefused or LogError.

        The options are the newest wish of those who want that game: its `preset` or its `options`. Who names neither leaves
        them as they are.
        """
        before = self.chosen, self.preset, self.options
        self.offer(name, preset or "")
        if preset is UNSET and options is UNSET and name == before[0]:
            self._choose(*before)
        if options is not UNSET:
            try:
                self._wish_options(options)
            except (NotAsked, StartRefused):
                self._choose(*before)
                raise
        try:
            with self._seats.changing(seat):
                seat.wish = self.chosen
        except LogError:
            self._choose(*before)
            raise
        most = self._most_wished(seat.wish)
        if most != seat.wish:
            self._choose(most, *before[1:]) if before[0] == most else self._choose(most)

    def _wish_options(self, options: Mapping[str, Any]) -> None:
        """Let the chosen game be played with these options. Raise NotAsked or StartRefused where the game has not got one."""
        known = self._play.games[self.chosen].options
        if not set(options) <= set(known):
            raise NotAsked("Choose options that this game has.", "LOBBY")
        legal = {name: known[name].check(name, value) for name, value in options.items()}
        unusual = self._unusual(self.chosen, legal)
        self._choose(self.chosen, self._named(self.chosen, unusual), unusual)

    def _most_wished(self, first: str) -> str:
        """Return the game that most seats would like, of several `first` where it is one of them."""
        wishes = [one.wish for one in self._seats if one.wish in self._play.games]
        return max(dict.fromkeys([first, *wishes]), key=wishes.count)

    def choose_wished(self) -> None:
        """Choose the game that those who sit here wished for before a restart."""
        if not self._play.seats:
            most = self._most_wished(self.chosen)
            if most != self.chosen:
                self._choose(most)

    def moved(self, number: int) -> None:
        """Take note that somebody else, or nobody, sits at a seat now: how often it let the others wait was another person."""
        self._waits.pop(number, None)

    def _named(self, name: str, options: Mapping[str, object]) -> str:
        """Return the preset that has these options; "" where none does."""
        return next((one.name for one in self.presets(name) if one.options == options), "")

    def ready(self, seat: Seat, is_ready: bool) -> None:
        """Let a seat be ready, or not; the last one lets a match that somebody wants begin. Raise StartRefused or LogError."""
        with self._seats.changing(seat):
            seat.ready = is_ready
        if not is_ready and self._starting:
            with suppress(NotAsked):  # it has let the others wait often enough
                self.wait(seat)
        elif self._starting and self._all_ready(but=self._starting.seat):
            self.begin(self._starting.game, self._starting.options)

    def wait(self, seat: Seat) -> None:
        """Let the match that somebody wants begin later, twice at most for a seat. Raise NotAsked."""
        if self._starting is None:
            raise NotAsked("No match is about to begin.", "LOBBY")
        if self._waits.get(seat.number, 0) >= MOST_WAITS or self._all_waits >= MOST_WAITS * MOST_SEATS:
            raise NotAsked("You have let the others wait already: the match begins.", "LOBBY")
        self._waits[seat.number] = self._waits.get(seat.number, 0) + 1
        self._all_waits += 1
        self._starting = None

    def public_starting(self) -> Starting | None:
        """Return the match that is about to begin as everybody sees it."""
        starting = self._starting
        if starting is None:
            return None
        seconds = max(0, ceil(starting.at - self._clock.now()))
        return Starting(starting.game, starting.seat, seconds, self._named(starting.game, starting.options))

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
            self.begin(starting.game, starting.options)
        except StartRefused as error:
            self._notices.post("not_started", str(error))
        return True

    def _dealt_in(self) -> list[int]:
        """Return the seats that a match begins with: somebody is there, or was a moment ago and has a box that asks again."""
        return [seat.number for seat in self._seats if seat.joined and self._may_be_there(seat)]

    def _may_be_there(self, seat: Seat) -> bool:
        if seat.presence != "asleep":
            return seat.presence == "here"
        return self._seats.gone_seconds(seat) < HEARD_SECONDS

    def _all_ready(self, but: int) -> bool:
        return all(self._seats[number].ready for number in self._dealt_in() if number != but)

    def free(self, number: int) -> None:
        """Free a seat whose phone is gone, or whose box nobody touches, for whoever comes next. Raise NotAsked."""
        seat = next((one for one in self._seats if one.number == number), None)
        is_somebodys = seat is not None and seat.joined and not seat.is_house and seat.number not in self._play.seats
        if seat is None or not is_somebodys or seat.phone_on:
            raise NotAsked("Only a seat that nothing is heard from is freed, and only between matches.", "SEAT")
        if seat.presence != "away" and self._seats.is_heard(seat.number):
            raise NotAsked("Its box was touched in the last three minutes: somebody sits there.", "SEAT")
        if seat.sid and self._seats.gone_seconds(seat) < LEFT_SECONDS:
            raise NotAsked("Its phone was connected a moment ago: try again in half a minute.", "SEAT")
        self._seats.release(seat, playing=False)

    # --- a match begins ------------------------------------------------------------------------------

    def begin(self, name: str, options: Mapping[str, object]) -> None:
        """Start a match with those who have joined. Raise StartRefused."""
        if self._rolls.waits:
            raise StartRefused(WAITS)
        self._check_house(options)
        before = self._play.match
        try:
            self._play.begin(name, self._dealt_in(), options)
        finally:
            if self._play.match is not before:  # it has begun, even where the disk failed right afterwards
                self.begun(name)

    def begun(self, name: str) -> None:
        """Clear what stood for the match that has now begun."""
        self._rolls.dispute = None
        match = self._play.match
        options = match.setup.options if match else {}
        self.plays(name, options)
        self.clear()

    def plays(self, name: str, options: Mapping[str, object]) -> None:
        """Choose the game that is played now, with its options: the next match is the same, if nobody chooses another."""
        unusual = self._unusual(name, options) if name in self._play.games else {}
        self._choose(name, self._named(name, unusual), unusual)

    def clear(self) -> None:
        """Let nobody be ready, and end what stood for the match that was."""
        self._starting = None
        self._waits.clear()
        self._all_waits = 0
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

    def turn(self, detents: int) -> None:
        """Choose a game with a dial, and its preset: so many further on."""
        self._notices.passed("answered")
        places = [
            (name, preset) for name in self._play.games for preset in ("", *(one.name for one in self.presets(name)))
        ]
        chosen = (self.chosen, self.preset)
        at = places.index(chosen) if chosen in places else -1 if detents > 0 else 0
        self._choose(*places[(at + detents) % len(places)])
        game = self._play.games[self.chosen]
        least, most = game.seats
        effect = next((one.effect for one in self.presets(self.chosen) if one.name == self.preset), "")
        also = f" “{self.preset}”{f' ({effect})' if effect else ''}" if self.preset else ""
        missing = f" {lack}" if (lack := self._lacking_phones(self.chosen)) else ""
        text = (
            f"A push starts {game.title}{also}, for {least} to {most} players. Turn a dial for another game.{missing}"
        )
        self._notices.post("dial", text)

    @property
    def caption(self) -> str:
        """Return what a push starts, for the display of a box: what it lacks, else game and preset."""
        game = self._play.games[self.chosen]
        if self._lacking_phones(self.chosen):
            return f"{game.title}: no phone for {game.labels.needs.phone}"
        return f"{game.title}{f': {self.preset}' if self.preset else ''}"

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
                seat.empty()

    def _start(self) -> None:
        match = self._play.match
        if match and match.over:  # everybody still sits there, and phones ask nobody to be ready
            self._begin_by_push(self.chosen, self.options)
            return
        late = [number for number in self._dealt_in() if not self._seats[number].ready]
        if late:
            raise StartRefused(f"Not ready yet: {', '.join(f'Seat {number}' for number in late)}.")
        self._begin_by_push(self.chosen or next(iter(self._play.games)), self.options)

    def _begin_by_push(self, name: str, options: Mapping[str, object]) -> None:
        """Start a match; where something is missing, the second push does, after the first was told. Raise StartRefused."""
        lack, now = self._lacking_phones(name, options), self._clock.now()
        warned, until = self._warned
        if lack and (warned != lack or now >= until):
            self._play.check(name, self._dealt_in(), options)
            self._check_house(options)
            self._warned = lack, now + PUSH_AGAIN_SECONDS
            raise StartRefused(f"Push again to start all the same: {lack}")
        self._warned = ("", 0.0)
        self.begin(name, options)
