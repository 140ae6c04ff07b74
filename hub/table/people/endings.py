"""Put a match aside, take it up again, or end it early.

Players decide by a vote, staff at once, and the table itself when all have left or nobody plays. A match that was put aside
is kept whole, with the person of each seat, and goes on with the same people at the same seats.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hub.engine.text import listed, say, say_count, to_json
from hub.errors import LogError, NotAsked, StartRefused
from hub.network.staff_messages import KeptMatch
from hub.state import AskedByPlayers, PutAside
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
    missing_seats,
    name_for_staff,
    person_name,
    was_house,
)
from hub.table.seating.questions import OpenQuestion, first_answer
from hub.table.seating.seat import Seat
from hub.table.seating.seats import LEFT_SECONDS

log = logging.getLogger(__name__)

IDLE_SECONDS, WARNED_SECONDS = 900.0, 60.0
"""Seconds without any action before the table puts a match aside, and how long before that it warns."""
BREAK_LASTS = 4
"""A paused match is kept this many times as long while one of its people is there."""
MOST_KEPT = 20
"""The lobby offers at most this many of the newest matches; older ones are kept on disk."""
READ_SECONDS = 3600.0
"""How often the list of matches is read again, and the people of those that are too old are forgotten."""
NOT_YOURS = say("This match is for the people who played it. Staff can resume it.")
STRANGERS = say("Too few people here are known from this match: staff can resume it.")
GONE = say("This match is no longer suspended here.")


class Endings(Part):
    """The early endings of matches at one table, and the matches put aside there."""

    def __init__(self, core: Core, rolls: Rolls, lobby: Lobby, absence: Absence, idle_seconds: float) -> None:
        self._play, self._seats, self._notices, self._questions = core.play, core.seats, core.notices, core.questions
        self._kept, self._clock, self._rolls, self._lobby = core.kept, core.ports.clock, rolls, lobby
        self._absence, self._idle_seconds = absence, idle_seconds
        self._active_at = self._read_at = self._clock.now()
        self._deserted_since: float | None = None  # since when no player is at the match
        self._read_suspended: list[Suspended] | None = None  # as on disk; None: must be read

    # --- by those who sit there ----------------------------------------------------------------------

    def ask_vote(self, seat: Seat, what: AskedByPlayers) -> None:
        """Let a seat call a vote on suspending the match, on ending it, or about a player who has gone. Raise IllegalAction.

        A person who plays against the house only, or is left alone, puts it aside without a vote and confirms an end.
        """
        self._check_plays(seat)
        number = seat.number
        if what == "absent":
            self._absence.ask_now(number)
            return
        if what == "put_aside":
            text = say(
                "Seat {seat} wants to suspend this match. It is saved, and you can resume it later.", seat=number
            )
            yes, effect = say("Suspend it"), self.put_aside
        else:
            text = say("Seat {seat} wants to end this match for good. Nobody wins.", seat=number)
            yes, effect = say("End it"), self.end

        def on_decision(option: str) -> None:
            if option == "yes":
                effect("a vote of those who play")

        asked = OpenQuestion(what, text, {"yes": yes, "no": say("Play on")}, self._present, on_decision)
        if any(self._seats[one].is_somebodys for one in self._play.seats if one != number):
            asked.by, asked.votes = number, {number: "yes"}
        elif what == "put_aside":
            asked.on_decision("yes")
            return
        else:
            asked.decide, asked.voters = first_answer("no"), lambda: [number]
        self._questions.ask(asked)

    def _check_plays(self, seat: Seat) -> None:
        if not self._play.seats:
            raise NotAsked(say("No match is under way."), "LOBBY")
        if seat.number not in self._play.seats:
            raise NotAsked(say("Only players of this match decide about it."), "QUESTION")

    def _present(self) -> list[int]:
        return self._seats.present(self._play.seats)

    # --- at once ---------------------------------------------------------------------------------------

    def put_aside(self, by: str) -> None:
        """Put the match under way aside. `by` names the reason for the journal. Raise NotAsked or LogError."""
        match = self._prepare_to_leave(by)
        if match is None:
            return
        people = self._kept_people()  # matches that are too old go at the next `_load_suspended`
        seats = [self._seats[number] for number in self._play.seats]
        people[match] = {
            seat.number: KeptPerson(seat.display_name, seat.person or seat.left_by, seat.house if seat.is_house else "")
            for seat in seats
        }
        self._kept.write("people", to_json(people))
        self._play.put_aside()
        self._clear_match()

    def end(self, by: str) -> None:
        """End the match under way without a winner; its log stays. `by`: as for `put_aside`. Raise NotAsked or LogError."""
        if self._prepare_to_leave(by) is None:
            return
        self._play.end()
        self._clear_match()

    def _prepare_to_leave(self, by: str) -> str | None:
        """Settle an open dispute and return the match's id; None if the settled last roll has ended the match."""
        if not self._play.seats:
            raise NotAsked(say("No match is under way."), "LOBBY")
        if refusal := self._play.standstill():
            raise refusal
        if self._rolls.waits_for_dispute:
            self._rolls.give_up_dispute()
        if not self._play.seats:
            return None
        log.info("table %s: the match leaves the table by %s", self._kept.table, by)
        assert self._play.log.match is not None
        return self._play.log.match

    def _clear_match(self) -> None:
        """Clear the state of the match, and free the seats whose phone is gone or that have a box only."""
        self._rolls.dispute = None
        self._read_suspended = None
        self._questions.open = None
        self._lobby.clear()
        for seat in self._seats:
            if not seat.is_house and seat.joined and (not seat.sid or self.is_gone(seat)):
                self._seats.release(seat, playing=False)

    def is_gone(self, seat: Seat) -> bool:
        """Return whether the phone of a seat could be reached, is gone for `LEFT_SECONDS`, and its box is not used either."""
        is_silent = not self._seats.is_active(seat.number) and self._seats.silent_seconds(seat) >= LEFT_SECONDS
        return is_silent and not self._notices.is_posted("broker")

    # --- again -----------------------------------------------------------------------------------------

    @property
    def public_put_aside(self) -> list[PutAside]:
        """Return the matches that people seated here have played, newest first; none if the disk cannot be read."""
        here = {
            one.match: [seat.number for seat in self._seats if self._has_played(seat, one)] for one in self._suspended()
        }
        return [
            PutAside(one.match, one.game, one.title, one.since, list(one.seats), here[one.match])
            for one in self._suspended()
            if here[one.match]
        ]

    @property
    def kept_matches(self) -> list[KeptMatch]:
        """Return all matches that can go on at this table, with the names of their people: for staff only."""
        if self._play.seats:
            return []
        return [
            KeptMatch(
                one.match, one.title, one.since, {f"{number}": name_for_staff(one, number) for number in one.seats}
            )
            for one in self._suspended()
        ]

    def _has_played(self, seat: Seat, offer: Suspended) -> bool:
        """Return whether the phone that holds a seat proves that its person has played a match."""
        return any(seat.is_person(one.person) for one in offer.people.values())

    def _suspended(self) -> Sequence[Suspended]:
        if self._read_suspended is None:
            self._read_at = self._clock.now()
            with suppress(LogError):
                self._read_suspended = self._load_suspended()
        return self._read_suspended or []

    def _find(self, match: str) -> Suspended | None:
        return next((one for one in self._suspended() if one.match == match), None)

    def _load_suspended(self) -> list[Suspended]:
        people, kept = self._kept_people(), self._play.log.all_put_aside()
        if not people.keys() <= {one.id for one, _ in kept}:  # their matches are too old to go on
            people = {one.id: people[one.id] for one, _ in kept if one.id in people}
            with suppress(LogError):
                self._kept.write("people", to_json(people))
        return [
            Suspended(
                one.id, head.game, self._play.games[head.game].title, one.since, head.seats, people.get(one.id, {})
            )
            for one, head in kept[:MOST_KEPT]
            if head.game in self._play.games and self._play.log.has_seats_of(head)
        ]

    def take_up(self, seat: Seat, match: str) -> None:
        """Take up a match that was put aside, for the phone at a seat that has played it. Raise StartRefused or LogError.

        It goes on at once if every seat has its phone of that match. If not, the others vote whether the people at the
        remaining seats are the same. Those who vote must be more than half of the people of the match, with their phones.
        """
        offer = self._find(match)
        if offer is None:
            raise StartRefused(GONE)
        if not self._has_played(seat, offer):
            raise StartRefused(NOT_YOURS)
        self._check_table_is_free()
        numbers, before = list(offer.seats), offer.people
        places = self._places(numbers, before)
        at = {number: self._seats[places[number]] for number in numbers}  # who sits there, or will
        free = missing_seats(at, before)
        if free:
            names = [
                say("{name} at seat {seat}", name=person_name(before.get(number), number, say("somebody")), seat=number)
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
        people = [number for number in numbers if not was_house(before.get(number))]
        if not strangers or len(people) == 1:  # who has played against the house alone has nobody to ask
            self._resume(offer.match, places)
            return
        # A seat played on its box alone proves nothing: anybody can push that box. Half of the match or fewer could be one
        # guest with the phones of absent friends.
        proven = [at[number].number for number, one in before.items() if one.person and number not in strangers]
        known = self._seats.present(proven)
        if 2 * len(known) <= len(people):
            raise StartRefused(STRANGERS)
        named = [
            say("{name} (seat {seat})", name=person_name(before.get(number), number, SAME_PERSON), seat=number)
            for number in strangers
        ]
        text = say("This phone was not in that match. Is it {names}?", names=listed(named))
        asked = OpenQuestion(
            "same_person", text, {"yes": say("Yes, continue"), "no": say("No")}, lambda: known,
            lambda option: self._resume_after_vote(offer.match, places) if option == "yes" else None,
            seat=strangers[0], by=seat.number,
            depends_on=frozenset({*numbers, *(one.number for one in at.values())}),
        )  # fmt: skip
        try:
            self._questions.ask(asked)
        except NotAsked as error:
            raise StartRefused(error.sentence) from error

    def take_up_for_staff(self, match: str) -> None:
        """Take up a match with the people who sit at its seats now: staff know them. Raise NotAsked or LogError."""
        offer = self._find(match)
        if offer is None:
            raise NotAsked(GONE)
        free = missing_seats({number: self._seats[number] for number in offer.seats}, offer.people)
        if free:
            raise NotAsked(say("Nobody sits at seat {seats} yet.", seats=listed(free, "or")))
        try:
            self._resume(offer.match)
        except StartRefused as error:
            raise NotAsked(error.sentence) from error

    def _is_known(self, seat: Seat, before: KeptPerson | None) -> bool:
        if before is None:
            return False
        if before.house:  # only the house has seen its hand
            return seat.is_house or not seat.joined
        if not before.person:  # played on its box alone then and now: no phone gets the hand
            return not seat.sid
        return seat.is_person(before.person)

    def _places(self, numbers: Sequence[int], before: Mapping[int, KeptPerson]) -> dict[int, int]:
        """Return by seat of the table the seat from which its player moves there: known phones go to their old seats.

        Raise StartRefused if a seat that would change has a box, as its player would have to change places, too.
        """
        places = {seat.number: seat.number for seat in self._seats}
        for number in numbers:
            person = before.get(number)
            here = next((seat.number for seat in self._seats if person and seat.is_person(person.person)), None)
            if here is not None:
                now = next(place for place, source in places.items() if source == here)
                places[now], places[number] = places[number], places[now]
        for number in numbers:
            changed = number != places[number]
            if changed and (self._seats[number].box_on or self._seats[places[number]].box_on):
                name = person_name(before.get(number), number, say("Somebody"))
                raise StartRefused(
                    say("{name} had seat {seat}: sit down there again, where its box is.", name=name, seat=number)
                )
        return places

    def _resume_after_vote(self, match: str, places: Mapping[int, int]) -> None:
        try:
            self._resume(match, places)
        except StartRefused as error:
            self._notices.post("not_started", error.sentence)

    def _check_table_is_free(self) -> None:
        """Raise StartRefused if no match can go on at this table now. Called before anybody changes places for it."""
        if self._play.seats:
            raise StartRefused(say("A match is under way at this table."))
        if self._play.stopped:
            raise StartRefused(say("The table is stopped: {reason}", reason=self._play.stopped))
        if self._rolls.waits_for_dispute:
            raise StartRefused(WAITS)

    def _resume(self, match: str, places: Mapping[int, int] | None = None) -> None:
        self._check_table_is_free()
        if places:
            self._seats.arrange(places)  # first: else the match would give hands to other people
        self._play.take_up(match)
        before = self._kept_people().get(match, {})
        for number, person in before.items():
            seat = self._seats[number]
            if person.house and not seat.joined:
                with self._seats.changing(seat):
                    seat.house, seat.joined = person.house, True
        self._read_suspended = None  # read again, which forgets who played it
        self._lobby.on_match_started()
        if lost := self._play.log.describe_loss():
            self._notices.post("lost", lost)  # after `on_match_started`, which ends notices of the match before
            self._play.log.settle()
        for number, person in before.items():
            seat = self._seats[number]
            if not seat.sid:  # played on a box now, but the hand may belong to a phone
                with self._seats.changing(seat):
                    seat.left_by = person.person

    def _kept_people(self) -> KeptPeople:
        return self._kept.read("people", KeptPeople, say("who played the suspended matches")) or {}

    # --- by the table itself -----------------------------------------------------------------------------

    def note_activity(self) -> None:
        """Note an action: the idle time starts again."""
        self._active_at = self._clock.now()
        self._notices.end("idle")

    def _put_old_result_away(self, now: float) -> bool:
        """Hide the result of a match after the idle time without phones; return whether there was one."""
        if now - self._active_at < self._idle_seconds or any(seat.phone_on for seat in self._seats):
            return False
        return self.put_result_away()

    def put_result_away(self) -> bool:
        """Hide the result of a finished match: the next guests find the lobby. Return whether there was one."""
        before = self._play.match
        self._play.clear_finished()
        if self._play.match is before:
            return False
        self._rolls.dispute = None
        self._lobby.clear()
        return True

    def run_due(self) -> bool:
        """Put the match aside if all have left it or nobody plays; return whether anything has changed. Raise LogError."""
        now = self._clock.now()
        if now - self._read_at >= READ_SECONDS:
            self._read_suspended = None
        if not self._play.seats or self._play.stopped:
            return self._notices.end("idle") or (not self._play.stopped and self._put_old_result_away(now))
        seats = [self._seats[number] for number in self._play.seats]
        if any(seat.is_somebodys and (seat.sid or seat.box_on) for seat in seats):
            self._deserted_since = None
        elif self._deserted_since is None:
            self._deserted_since = now
        if self._deserted_since is not None and now - self._deserted_since >= LEFT_SECONDS:
            self.put_aside("itself: everybody has left")
            return True
        idle = now - self._active_at
        if self._absence.paused_by is not None:  # a break may be longer while one of the match's people is there
            gone = min((self._seats.silent_seconds(seat) for seat in seats if seat.is_somebodys), default=idle)
            idle = max(min(idle, gone), idle - (BREAK_LASTS - 1) * self._idle_seconds)
        if idle >= self._idle_seconds:
            self.put_aside("itself: nobody plays")
            return True
        if idle >= self._idle_seconds - WARNED_SECONDS:
            return self._notices.post(
                "idle", say("Nobody has played for a while. In a minute, this match is suspended and saved.")
            )
        return False
