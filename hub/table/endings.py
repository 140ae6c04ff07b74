"""How a match leaves its table before its end, and comes back: put aside and taken up again, or ended.

The people who sit there decide by a vote, staff at once, and the table itself where everybody has left or nobody plays.
A match that was put aside is kept whole, with who held which seat; it goes on with the same people at the same seats.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hmac import compare_digest
from typing import Literal

import msgspec

from hub.engine.sight import Strength
from hub.errors import LogError, NotAsked, StartRefused
from hub.ports import Clock
from hub.state import PutAside, isolated
from hub.table.kept import KeptValues
from hub.table.lobby import Lobby
from hub.table.notices import Notices
from hub.table.play import Play
from hub.table.questions import Asked, Questions, all_of_them, first_answer, most_of_them
from hub.table.rolls import WAITS, Rolls
from hub.table.seat import Seat
from hub.table.seats import Seats
from hub.table.stand_ins import StandIns

logger = logging.getLogger(__name__)

IDLE_SECONDS = 900.0
"""How long nobody does anything before the table puts a match aside ..."""
WARNED_SECONDS = 60.0
"""... and how long before that it says so."""
LEFT_SECONDS = 30.0
"""How long a match stands from which everybody has gone: somebody may have pressed `leave` by mistake."""
MOST_KEPT = 20
"""Matches that the lobby offers, the newest; older ones are kept all the same."""
STRANGERS = "Too few here are known from this match: staff can let it go on."


class KeptPerson(msgspec.Struct):
    """Who held a seat of a match when it was put aside: the name, and what tells the phone again (`Seat.person`).

    `house` is how well the house played there, where the seat was its own.
    """

    name: str
    person: str
    house: Strength | Literal[""] = ""


KeptPeople = dict[str, dict[int, KeptPerson]]
"""By match, by seat."""


def _was_house(person: KeptPerson | None) -> bool:
    return person is not None and bool(person.house)


def _name_of(person: KeptPerson | None, otherwise: str) -> str:
    """Return what a sentence calls who held a seat; the house's own name is the hub's."""
    if person is None or not person.name:
        return otherwise
    return person.name if person.house else isolated(person.name)


def _missing(at: Mapping[int, Seat], before: Mapping[int, KeptPerson]) -> list[int]:
    """Return the seats of a match at which a person is missing; the house's own are filled when it goes on.

    `at` is who sits at its seats, or will.
    """
    return [one for one, seat in at.items() if not _was_house(before.get(one)) and (not seat.joined or seat.is_house)]


class Endings:
    """What ends a match at a table, and the matches that were put aside there."""

    def __init__(
        self, play: Play, seats: Seats, rolls: Rolls, lobby: Lobby, notices: Notices, questions: Questions,
        stand_ins: StandIns, kept: KeptValues, clock: Clock, idle_seconds: float = IDLE_SECONDS,
    ) -> None:  # fmt: skip
        self._play, self._seats, self._rolls, self._lobby = play, seats, rolls, lobby
        self._notices, self._questions, self._kept, self._clock = notices, questions, kept, clock
        self._stand_ins, self._idle_seconds = stand_ins, idle_seconds
        self._acted_at = clock.now()
        self._left_at: float | None = None  # since when nobody is at the match
        self._offered: list[PutAside] | None = None  # as the disk has it; None: not read yet

    # --- by those who sit there ----------------------------------------------------------------------

    def ask(self, seat: Seat, what: object) -> None:
        """Ask the table for a seat whether the match is put aside (`put_aside`) or ended (`end`). Raise IllegalAction.

        Whoever plays with nobody but the house puts it aside alone, and is asked once more before it is ended.
        """
        self._must_play(seat)
        who = f"Seat {seat.number}"
        if what == "put_aside":
            text = f"{who} would put this match aside: it is kept, and can go on another time."
            options = {"yes": "Put it aside", "no": "Play on"}
            asked = Asked("put_aside", text, options, self._present, most_of_them, self._put)
        elif what == "end":
            text = f"{who} would end this match for good. Nobody wins."
            options = {"yes": "End it", "no": "Play on"}
            asked = Asked("end", text, options, self._present, all_of_them, self._end)
        else:
            raise NotAsked("A match is put aside, or ended.", "QUESTION")
        if all(self._seats[number].is_house for number in self._play.seats if number != seat.number):
            if what == "put_aside":
                asked.do("yes")
            else:
                asked.decide, asked.voters = first_answer("no"), lambda: [seat.number]
                self._questions.ask(asked)
            return
        asked.by, asked.votes = seat.number, {seat.number: "yes"}
        self._questions.ask(asked)

    def _must_play(self, seat: Seat) -> None:
        if not self._play.seats:
            raise NotAsked("No match is under way.", "LOBBY")
        if seat.number not in self._play.seats:
            raise NotAsked("Only who plays this match decides about it.", "QUESTION")

    def _present(self) -> list[int]:
        return self._seats.present(self._play.seats)

    def _put(self, option: str) -> None:
        if option == "yes":
            self.put_aside("a vote of those who play")

    def _end(self, option: str) -> None:
        if option == "yes":
            self.end("a vote of those who play")

    # --- at once ---------------------------------------------------------------------------------------

    def put_aside(self, by: str) -> None:
        """Put the match under way aside. `by`: by whom, for the journal. Raise NotAsked or LogError."""
        match = self._leave(by)
        kept = {one.id for one, _ in self._play.log.all_put_aside()}
        people = {one: people for one, people in self._people().items() if one in kept}
        seats = [self._seats[number] for number in self._play.seats]
        people[match] = {
            seat.number: KeptPerson(seat.called, seat.person or seat.left, seat.house if seat.is_house else "")
            for seat in seats
        }
        self._kept.write("people", msgspec.json.encode(people))
        self._play.put_aside()
        self._left()

    def end(self, by: str) -> None:
        """End the match under way: nobody wins, its log stays. `by`: by whom. Raise NotAsked or LogError."""
        self._leave(by)
        self._play.end()
        self._left()

    def _leave(self, by: str) -> str:
        if not self._play.seats:
            raise NotAsked("No match is under way.", "LOBBY")
        if refusal := self._play.standstill():
            raise refusal
        if self._rolls.waits:
            self._rolls.give_up_dispute()
        logger.info("table %s: the match leaves the table by %s", self._kept.table, by)
        assert self._play.log.match is not None
        return self._play.log.match

    def _left(self) -> None:
        """Clear what stood for the match. Seats whose phones are gone for long are free; who plays on a box pushes it again."""
        self._rolls.dispute = None
        self._offered = None
        self._questions.open = None
        self._lobby.clear()
        for seat in self._seats:
            if not seat.is_house and seat.joined and (not seat.sid or self._is_gone(seat)):
                self._seats.release(seat, playing=False)

    def _is_gone(self, seat: Seat) -> bool:
        """Return whether a phone is gone for longer than a moment without network."""
        since = seat.away_since
        return seat.presence == "away" and since is not None and self._clock.now() - since >= LEFT_SECONDS

    # --- again -----------------------------------------------------------------------------------------

    @property
    def offered(self) -> Sequence[PutAside]:
        """Return the matches that can go on at this table, the newest first; none while the disk cannot be read."""
        if self._offered is None:
            with suppress(LogError):
                self._offered = self._read_offered()
        return self._offered or []

    def _read_offered(self) -> list[PutAside]:
        people = self._people()
        return [
            PutAside(
                match=one.id,
                game=head.game,
                title=self._play.games[head.game].title,
                since=one.since,
                seats={
                    f"{number}": people[one.id][number].name if number in people.get(one.id, {}) else ""
                    for number in head.seats
                },
            )
            for one, head in self._play.log.all_put_aside()[:MOST_KEPT]
            if head.game in self._play.games
        ]

    def take_up(self, seat: Seat, match: object) -> None:
        """Go on with a match that was put aside, once its people are known again. Raise StartRefused or LogError.

        No hand is dealt a second time: a seat whose phone is another one than before is known when all others say so, who
        are most of those who played and have proved it.
        """
        offer = next((one for one in self.offered if one.match == match), None)
        if offer is None:
            raise StartRefused("This match is not put aside here any more.")
        if not seat.joined:
            raise StartRefused("Only who sits here takes a match up again.")
        self._must_be_free()
        numbers = [int(number) for number in offer.seats]
        before = self._people().get(offer.match, {})
        places = self._places(numbers, before)
        at = {number: self._seats[places[number]] for number in numbers}  # who sits there, or will
        free = _missing(at, before)
        if free:
            names = [f"{_name_of(before.get(number), 'somebody')} at seat {number}" for number in free]
            raise StartRefused(
                f"Not everybody is here: {' and '.join(names)} {'is' if len(free) == 1 else 'are'} missing."
            )
        strangers = [number for number in numbers if not self._is_known(at[number], before.get(number))]
        if not strangers:
            self._go_on(offer.match, places)
            return
        # A seat that was played on its box alone knows nobody: whoever pushes that box now may be anybody. Less than most
        # of the match is one guest with phones of friends who are not there.
        proven = [at[number].number for number, one in before.items() if one.person and number not in strangers]
        known = self._seats.present(proven)
        people = [number for number in numbers if not _was_house(before.get(number))]
        if 2 * len(known) <= len(people):
            raise StartRefused(STRANGERS)
        named = [f"{_name_of(before.get(number), 'the same person')} ({number})" for number in strangers]
        text = f"Another phone than in that match: is it {' and '.join(named)}?"
        asked = Asked(
            "same_person", text, {"yes": "Yes, go on", "no": "No"}, lambda: known, all_of_them,
            lambda option: self._go_on_together(offer.match, places) if option == "yes" else None,
            seat=strangers[0], by=seat.number,
            stands_on=frozenset(place for place, source in places.items() if place in numbers or place != source)
            | {one.number for one in at.values()},
        )  # fmt: skip
        try:
            self._questions.ask(asked)
        except NotAsked as error:
            raise StartRefused(error.sentence) from error

    def vouch(self, match: object) -> None:
        """Go on with a match that was put aside, with whoever sits at its seats: staff know them. Raise NotAsked or LogError."""
        offer = next((one for one in self.offered if one.match == match), None)
        if offer is None:
            raise NotAsked("This match is not put aside here any more.", "LOBBY")
        before = self._people().get(offer.match, {})
        free = _missing({int(number): self._seats[int(number)] for number in offer.seats}, before)
        if free:
            raise NotAsked(f"Nobody sits at seat {' or '.join(map(str, free))} yet.", "LOBBY")
        try:
            self._go_on(offer.match)
        except StartRefused as error:
            raise NotAsked(str(error), "START") from error

    def _is_known(self, seat: Seat, before: KeptPerson | None) -> bool:
        if before is None:
            return False
        if before.house:  # nobody has seen its hand but the house
            return seat.is_house or not seat.joined
        if not before.person:  # it was played on its box alone, and is again: no phone gets a hand
            return not seat.sid
        proofs = (seat.person, *seat.earlier) if seat.sid else ()  # a box proves nothing, whoever sat there before
        return any(compare_digest(before.person, person) for person in proofs)

    def _places(self, numbers: Sequence[int], before: Mapping[int, KeptPerson]) -> dict[int, int]:
        """Return by seat of the table where those sit now that shall sit there: phones that are known go to their old seats.

        Raise StartRefused where a box stands at a seat that would change: its player would have to change places, too.
        """
        places = {seat.number: seat.number for seat in self._seats}
        for number in numbers:
            person = before.get(number)
            if person is None or not person.person:
                continue
            here = next((seat.number for seat in self._seats if seat.sid and self._is_known(seat, person)), None)
            if here is None:
                continue
            now = next(place for place, source in places.items() if source == here)
            places[now], places[number] = places[number], places[now]
        for number in numbers:
            changed = number != places[number]
            if changed and (self._seats[number].box_on or self._seats[places[number]].box_on) and number in before:
                name = _name_of(before[number], "Who played there")
                raise StartRefused(f"{name} had seat {number}: sit down there again, where its box is.")
        return places

    def _go_on_together(self, match: str, places: Mapping[int, int]) -> None:
        try:
            self._go_on(match, places)
        except StartRefused as error:
            self._notices.post("not_started", str(error))

    def _must_be_free(self) -> None:
        """Raise StartRefused where the table has no room for a match now: before anybody changes places for it."""
        if self._play.seats:
            raise StartRefused("A match is under way at this table.")
        if self._play.stopped:
            raise StartRefused(f"The table is stopped: {self._play.stopped}")
        if self._rolls.waits:
            raise StartRefused(WAITS)

    def _go_on(self, match: str, places: Mapping[int, int] | None = None) -> None:
        self._must_be_free()
        if places and any(number != source for number, source in places.items()):
            self._seats.arrange(places)  # first: a match that went on without it would give hands to others
        self._play.take_up(match)
        self._stand_ins.taken_up(match, self._play.log.match)
        people = self._people()
        before = people.pop(match, None)
        for number, person in (before or {}).items():
            seat = self._seats[number]
            if person.house and not seat.joined:
                with self._seats.changing(seat):
                    seat.house, seat.joined = person.house, True
        if before:
            self._kept.write("people", msgspec.json.encode(people))
        self._offered = None
        self._lobby.begun(self._play.match.game.name if self._play.match else "")
        for number, person in (before or {}).items():
            seat = self._seats[number]
            if person.person and not seat.sid:  # played on a box now, and no box's hand all the same
                with self._seats.changing(seat):
                    seat.left = person.person
        self.acted()

    def _people(self) -> KeptPeople:
        return self._kept.read("people", KeptPeople, "who played the matches that were put aside") or {}

    # --- by the table itself -----------------------------------------------------------------------------

    def acted(self) -> None:
        """Take note that somebody did something."""
        self._acted_at = self._clock.now()
        self._notices.end("idle")

    def _put_result_away(self, now: float) -> bool:
        """Show the result of a match no more that nobody looks at: the next guests find the lobby. Return whether that was so."""
        match = self._play.match
        if match is None or now - self._acted_at < self._idle_seconds or any(seat.phone_on for seat in self._seats):
            return False
        self._play.put_away()
        if self._play.match is not None:
            return False
        self._rolls.dispute = None
        self._lobby.clear()
        return True

    def due(self, *, paused: bool) -> bool:
        """Put the match aside where everybody has left it, or nobody plays; return whether anything has changed."""
        now = self._clock.now()
        if not self._play.seats or self._play.stopped:
            self._left_at = None
            return self._notices.end("idle") or self._put_result_away(now)
        seats = [self._seats[number] for number in self._play.seats]
        anybody_left = any((seat.sid or seat.box_on) and not seat.is_house for seat in seats)
        if anybody_left:
            self._left_at = None
        elif self._left_at is None:
            self._left_at = now
        if self._left_at is not None and now - self._left_at >= LEFT_SECONDS:
            self.put_aside("itself: everybody has left")
            return True
        idle = now - self._acted_at
        if paused and idle < 4 * self._idle_seconds:
            return False
        if idle >= self._idle_seconds:
            self.put_aside("itself: nobody plays")
            return True
        if idle >= self._idle_seconds - WARNED_SECONDS:
            return self._notices.post(
                "idle", "Nobody has played for a while: this match is put aside in a minute, and kept."
            )
        return False
