"""How a match leaves its table before its end, and comes back: put aside and taken up again, or ended.

The people who sit there decide by a vote, staff at once, and the table itself where everybody has left or nobody plays.
A match that was put aside is kept whole, with who held which seat; it goes on with the same people at the same seats.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

from hub.engine.text import listed, say, say_count, to_json
from hub.errors import LogError, NotAsked, StartRefused
from hub.network.staff_messages import KeptMatch
from hub.state import PutAside
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.dice.rolls import WAITS, Rolls
from hub.table.people.absence import Absence
from hub.table.people.lobby import Lobby
from hub.table.seating.kept_people import (
    SAME_PERSON,
    KeptPeople,
    KeptPerson,
    Suspended,
    missing,
    name_in,
    name_of,
    was_house,
)
from hub.table.seating.questions import Asked, first_answer
from hub.table.seating.seat import Seat
from hub.table.seating.seats import LEFT_SECONDS

log = logging.getLogger(__name__)

IDLE_SECONDS = 900.0
"""How long nobody does anything before the table puts a match aside ..."""
WARNED_SECONDS = 60.0
"""... and how long before that it says so."""
BREAK_LASTS = 4
"""A paused match may stand this many times as long, as long as a person of it is there."""
MOST_KEPT = 20
"""Matches that the lobby offers, the newest; older ones are kept all the same."""
READ_SECONDS = 3600.0
"""How often the table looks which of its matches are too old to go on, and forgets the names of their people."""
NOT_YOURS = say("This match is for the people who played it. Staff can let it go on.")
STRANGERS = say("Too few people here are known from this match: staff can let it go on.")
GONE = say("This match is not put aside here any more.")


class Endings(Part):
    """What ends a match at a table, and the matches that were put aside there."""

    def __init__(self, core: Core, rolls: Rolls, lobby: Lobby, absence: Absence, idle_seconds: float) -> None:
        self._play, self._seats, self._notices, self._questions = core.play, core.seats, core.notices, core.questions
        self._kept, self._clock, self._rolls, self._lobby = core.kept, core.ports.clock, rolls, lobby
        self._absence, self._idle_seconds = absence, idle_seconds
        self._acted_at = self._read_at = self._clock.now()
        self._left_at: float | None = None  # since when nobody is at the match
        self._all_offered: list[Suspended] | None = None  # as the disk has it; None: not read yet

    # --- by those who sit there ----------------------------------------------------------------------

    def ask(self, seat: Seat, what: Literal["put_aside", "end"]) -> None:
        """Ask the table for a seat whether the match is put aside (`put_aside`) or ended (`end`). Raise IllegalAction.

        A person who plays with nobody but the house, or whom all others have left, puts it aside alone, and is asked once more
        before it is ended.
        """
        self._must_play(seat)
        if what == "put_aside":
            text = say(
                "Seat {seat} wants to put this match aside: it is kept, and can go on another time.", seat=seat.number
            )
            options = {"yes": say("Put it aside"), "no": say("Play on")}
            asked = Asked("put_aside", text, options, self._present, self._put)
        else:
            text = say("Seat {seat} wants to end this match for good. Nobody wins.", seat=seat.number)
            options = {"yes": say("End it"), "no": say("Play on")}
            asked = Asked("end", text, options, self._present, self._end)
        if not any(self._seats[number].is_somebodys for number in self._play.seats if number != seat.number):
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
            raise NotAsked(say("No match is under way."), "LOBBY")
        if seat.number not in self._play.seats:
            raise NotAsked(say("Only players of this match decide about it."), "QUESTION")

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
        if match is None:
            return
        people = self._people()  # of matches that are too old as well: they go when it is read again
        seats = [self._seats[number] for number in self._play.seats]
        people[match] = {
            seat.number: KeptPerson(seat.called, seat.person or seat.left, seat.house if seat.is_house else "")
            for seat in seats
        }
        self._kept.write("people", to_json(people))
        self._play.put_aside()
        self._left()

    def end(self, by: str) -> None:
        """End the match under way: nobody wins, its log stays. `by`: by whom. Raise NotAsked or LogError."""
        if self._leave(by) is None:
            return
        self._play.end()
        self._left()

    def _leave(self, by: str) -> str | None:
        """Settle what is open about the match, and return it; None if it is over then: its last roll stands."""
        if not self._play.seats:
            raise NotAsked(say("No match is under way."), "LOBBY")
        if refusal := self._play.standstill():
            raise refusal
        if self._rolls.waits:
            self._rolls.give_up_dispute()
        if not self._play.seats:
            return None
        log.info("table %s: the match leaves the table by %s", self._kept.table, by)
        assert self._play.log.match is not None
        return self._play.log.match

    def _left(self) -> None:
        """Clear what stood for the match. Seats at which nobody is are free; people who play on a box push it again."""
        self._rolls.dispute = None
        self._all_offered = None
        self._questions.open = None
        self._lobby.clear()
        for seat in self._seats:
            if not seat.is_house and seat.joined and (not seat.sid or self.is_gone(seat)):
                self._seats.release(seat, playing=False)

    def is_gone(self, seat: Seat) -> bool:
        """Return whether a phone is gone for longer than a moment without network, and nobody uses the box in its place."""
        return not self._seats.is_heard(seat.number) and self._seats.gone_seconds(seat) >= LEFT_SECONDS

    # --- again -----------------------------------------------------------------------------------------

    @property
    def offered(self) -> list[PutAside]:
        """Return the matches that can go on with people who sit here now, the newest first; none while the disk cannot be read."""
        here = {
            one.match: [seat.number for seat in self._seats if self._has_played(seat, one)] for one in self._offers()
        }
        return [
            PutAside(one.match, one.game, one.title, one.since, list(one.seats), here[one.match])
            for one in self._offers()
            if here[one.match]
        ]

    @property
    def kept_matches(self) -> list[KeptMatch]:
        """Return all matches that can go on at this table, with the names of their people: for staff alone."""
        if self._play.seats:
            return []
        return [
            KeptMatch(one.match, one.title, one.since, {f"{number}": name_in(one, number) for number in one.seats})
            for one in self._offers()
        ]

    def _has_played(self, seat: Seat, offer: Suspended) -> bool:
        """Return whether the phone that holds a seat proves that its person has played a match."""
        return any(seat.was(one.person) for one in offer.people.values())

    def _offers(self) -> Sequence[Suspended]:
        if self._all_offered is None:
            self._read_at = self._clock.now()
            with suppress(LogError):
                self._all_offered = self._read_offers()
        return self._all_offered or []

    def _find(self, match: str) -> Suspended | None:
        return next((one for one in self._offers() if one.match == match), None)

    def _read_offers(self) -> list[Suspended]:
        people, kept = self._people(), self._play.log.all_put_aside()
        if not people.keys() <= {one.id for one, _ in kept}:  # their matches are too old to go on
            people = {one.id: people[one.id] for one, _ in kept if one.id in people}
            with suppress(LogError):
                self._kept.write("people", to_json(people))
        return [
            Suspended(
                one.id, head.game, self._play.games[head.game].title, one.since, head.seats, people.get(one.id, {})
            )
            for one, head in kept[:MOST_KEPT]
            if head.game in self._play.games
        ]

    def take_up(self, seat: Seat, match: str) -> None:
        """Go on with a match that was put aside, once its people are known again. Raise StartRefused or LogError.

        No hand is dealt a second time: a seat whose phone is another one than before is known when all others say so, who
        are most of those who played and have proved it.
        """
        offer = self._find(match)
        if offer is None:
            raise StartRefused(GONE)
        if not self._has_played(seat, offer):
            raise StartRefused(NOT_YOURS)
        self._must_be_free()
        numbers, before = list(offer.seats), offer.people
        places = self._places(numbers, before)
        at = {number: self._seats[places[number]] for number in numbers}  # who sits there, or will
        free = missing(at, before)
        if free:
            names = [
                say("{name} at seat {seat}", name=name_of(before.get(number), number, say("somebody")), seat=number)
                for number in free
            ]
            text = say_count(
                "Not everybody is here: {names} is missing.",
                "Not everybody is here: {names} are missing.",
                len(names),
                names=listed(names),
            )
            raise StartRefused(text)
        strangers = [number for number in numbers if not self._is_known(at[number], before.get(number))]
        if not strangers:
            self._go_on(offer.match, places)
            return
        # A seat that was played on its box alone knows nobody: whoever pushes that box now may be anybody. Less than most
        # of the match is one guest with phones of friends who are not there.
        proven = [at[number].number for number, one in before.items() if one.person and number not in strangers]
        known = self._seats.present(proven)
        people = [number for number in numbers if not was_house(before.get(number))]
        if 2 * len(known) <= len(people):
            raise StartRefused(STRANGERS)
        named = [
            say("{name} (seat {seat})", name=name_of(before.get(number), number, SAME_PERSON), seat=number)
            for number in strangers
        ]
        text = say("Another phone than in that match: is it {names}?", names=listed(named))
        asked = Asked(
            "same_person", text, {"yes": say("Yes, go on"), "no": say("No")}, lambda: known,
            lambda option: self._go_on_together(offer.match, places) if option == "yes" else None,
            seat=strangers[0], by=seat.number,
            stands_on=frozenset({*numbers, *(one.number for one in at.values())}),
        )  # fmt: skip
        try:
            self._questions.ask(asked)
        except NotAsked as error:
            raise StartRefused(error.sentence) from error

    def vouch(self, match: str) -> None:
        """Go on with a match that was put aside, with whoever sits at its seats: staff know them. Raise NotAsked or LogError."""
        offer = self._find(match)
        if offer is None:
            raise NotAsked(GONE, "LOBBY")
        free = missing({number: self._seats[number] for number in offer.seats}, offer.people)
        if free:
            raise NotAsked(say("Nobody sits at seat {seats} yet.", seats=listed(free, "or")), "LOBBY")
        try:
            self._go_on(offer.match)
        except StartRefused as error:
            raise NotAsked(error.sentence, "START") from error

    def _is_known(self, seat: Seat, before: KeptPerson | None) -> bool:
        if before is None:
            return False
        if before.house:  # nobody has seen its hand but the house
            return seat.is_house or not seat.joined
        if not before.person:  # it was played on its box alone, and is again: no phone gets a hand
            return not seat.sid
        return seat.was(before.person)

    def _places(self, numbers: Sequence[int], before: Mapping[int, KeptPerson]) -> dict[int, int]:
        """Return by seat of the table where those sit now that shall sit there: phones that are known go to their old seats.

        Raise StartRefused where a box stands at a seat that would change: its player would have to change places, too.
        """
        places = {seat.number: seat.number for seat in self._seats}
        for number in numbers:
            person = before.get(number)
            here = next((seat.number for seat in self._seats if person and seat.was(person.person)), None)
            if here is not None:
                now = next(place for place, source in places.items() if source == here)
                places[now], places[number] = places[number], places[now]
        for number in numbers:
            changed = number != places[number]
            if changed and (self._seats[number].box_on or self._seats[places[number]].box_on):
                name = name_of(before.get(number), number, say("Somebody"))
                raise StartRefused(
                    say("{name} had seat {seat}: sit down there again, where its box is.", name=name, seat=number)
                )
        return places

    def _go_on_together(self, match: str, places: Mapping[int, int]) -> None:
        try:
            self._go_on(match, places)
        except StartRefused as error:
            self._notices.post("not_started", error.sentence)

    def _must_be_free(self) -> None:
        """Raise StartRefused where the table has no room for a match now: before anybody changes places for it."""
        if self._play.seats:
            raise StartRefused(say("A match is under way at this table."))
        if self._play.stopped:
            raise StartRefused(say("The table is stopped: {reason}", reason=self._play.stopped))
        if self._rolls.waits:
            raise StartRefused(WAITS)

    def _go_on(self, match: str, places: Mapping[int, int] | None = None) -> None:
        self._must_be_free()
        if places:
            self._seats.arrange(places)  # first: a match that went on without it would give hands to others
        self._play.take_up(match)
        before = self._people().get(match, {})
        for number, person in before.items():
            seat = self._seats[number]
            if person.house and not seat.joined:
                with self._seats.changing(seat):
                    seat.house, seat.joined = person.house, True
        self._all_offered = None  # who played it is forgotten when that is read again
        self._lobby.begun(self._play.match.game.name if self._play.match else "")
        if lost := self._play.log.lost():
            self._notices.post("lost", lost)  # after `begun`, which ends what was said of the match before
            self._play.log.settle()
        for number, person in before.items():
            seat = self._seats[number]
            if person.person and not seat.sid:  # played on a box now, and no box's hand all the same
                with self._seats.changing(seat):
                    seat.left = person.person

    def _people(self) -> KeptPeople:
        return self._kept.read("people", KeptPeople, say("who played the matches that were put aside")) or {}

    # --- by the table itself -----------------------------------------------------------------------------

    def acted(self) -> None:
        """Take note that somebody did something."""
        self._acted_at = self._clock.now()
        self._notices.end("idle")

    def _put_old_result_away(self, now: float) -> bool:
        """Show no longer the result of a match that nobody looks at; return whether there was one."""
        if now - self._acted_at < self._idle_seconds or any(seat.phone_on for seat in self._seats):
            return False
        return self.put_result_away()

    def put_result_away(self) -> bool:
        """Show no longer the result of a finished match, so that the next guests find the lobby. Return whether there was one."""
        before = self._play.match
        self._play.put_away()
        if self._play.match is before:
            return False
        self._rolls.dispute = None
        self._lobby.clear()
        return True

    def run_due(self) -> bool:
        """Put the match aside where everybody has left it, or nobody plays; return whether anything has changed."""
        now = self._clock.now()
        if now - self._read_at >= READ_SECONDS:
            self._all_offered = None
        if not self._play.seats or self._play.stopped:
            return self._notices.end("idle") or (not self._play.stopped and self._put_old_result_away(now))
        seats = [self._seats[number] for number in self._play.seats]
        if any(seat.is_somebodys and (seat.sid or seat.box_on) for seat in seats):
            self._left_at = None
        elif self._left_at is None:
            self._left_at = now
        if self._left_at is not None and now - self._left_at >= LEFT_SECONDS:
            self.put_aside("itself: everybody has left")
            return True
        idle = now - self._acted_at
        if self._absence.paused is not None:  # a break lasts longer, but only while somebody of the match is there
            gone = min((self._seats.gone_seconds(seat) for seat in seats if seat.is_somebodys), default=idle)
            idle = max(min(idle, gone), idle - (BREAK_LASTS - 1) * self._idle_seconds)
        if idle >= self._idle_seconds:
            self.put_aside("itself: nobody plays")
            return True
        if idle >= self._idle_seconds - WARNED_SECONDS:
            return self._notices.post(
                "idle", say("Nobody has played for a while: this match is put aside in a minute, and kept.")
            )
        return False
