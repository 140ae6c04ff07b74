"""Promises that are checked while an evening goes on: who gets a seat or a match, and who is back after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hub.state import ScreenState
from tests.simulation.auditor import Broken
from tests.simulation.place import ANYBODY, Place

if TYPE_CHECKING:
    from tests.simulation.hub import SimulatedHub
    from tests.simulation.phone import SimulatedPhone
    from tests.simulation.world import Person, World

BACK_SECONDS = 30.0  # until a phone is connected again
STAFF_SECONDS = 60.0  # until staff have an answer; a slow disk takes some time
GONE_SECONDS = 29.0  # a phone that is gone for less keeps its seat in any case
HERE_SECONDS = 180.0  # at least, until the others are asked about a seat whose phone or box is connected
ANSWERED_SECONDS = 15.0  # until a request is answered, on a slow network
START_SECONDS = 3.0  # at least, from the announcement of a match until it begins, unless everybody is ready


def check_given(world: World, person: Person, seat: int) -> None:
    """A seat changes hands only if its person gave it, was away, or staff freed it (SECURITY.md)."""
    now = world.scheduler.time
    for other in world.people:
        phone = other.phone
        if other is person or other.place is not person.place or not phone or not phone.hand or not phone.has_seat:
            continue
        is_there = phone.hand["seat"] == seat and phone.is_connected and now - phone.connected_at > 5.0
        if is_there and now - max(other.gave_at, other.place.freed_at) > 60.0 and world.is_well(60.0):
            raise Broken(f"Person {person.number} has taken seat {seat} from person {other.number}, who is there.")


def check_lost(world: World, person: Person, phone: SimulatedPhone) -> None:
    """Nobody who is there, or was there a moment ago, loses a seat without having asked for something that can cost it (run.md)."""
    now, place = world.scheduler.time, person.place
    seat = phone.hand["seat"] if phone.hand else 0
    is_there = now - phone.connected_at > 5.0 if phone.is_connected else now - phone.dropped_at < GONE_SECONDS
    asked_at = max(person.gave_at, place.freed_at, place.delicate_at, place.given_at.get(seat, 0.0), world.ended_at)

    def judge() -> None:
        given_at = max(place.given_at.get(seat, 0.0), place.freed_at)
        if given_at < now and world.hub:
            raise Broken(f"Person {person.number} has lost seat {seat} without a reason.")

    if is_there and person.phone is phone and 0 < seat <= place.seats and now - asked_at > 10.0 and world.is_well(30.0):
        world.scheduler.after(1.0, judge)


def check_asked(world: World, place: Place, before: ScreenState, state: ScreenState) -> None:
    """The others are asked about a seat once it was awaited for as long as the owner wants, or a player asks (run.md)."""
    asked, known = state.question, before.question
    if asked is None or asked.kind != "absent" or (known and (known.kind, known.seat) == ("absent", asked.seat)):
        return
    is_here = state.seats[asked.seat - 1].presence == "here"
    if not is_here and world.scheduler.time - place.asked_at < ANSWERED_SECONDS:
        return
    patience = max(place.patience.ask, HERE_SECONDS if is_here else 0.0)
    if (waited := world.scheduler.time - place.moved_at) < patience - 1.0:
        raise Broken(f"After {waited:.0f} s already, people are asked about seat {asked.seat}: {asked.text}")


def check_seats(world: World) -> None:
    """A restart costs nobody their seat, unless somebody has just asked for something that does."""
    for person in world.people:
        phone, table = person.phone, world.table_of(person.place)
        if not (phone and phone.has_seat and table and table.table.knows_seats):
            continue
        was_there = phone.is_awake and world.ended_at - phone.connected_at > 5.0 and phone.dropped_at >= world.ended_at
        if person.seat > person.place.seats:
            continue  # the owner has taken the seat away
        is_calm = world.ended_at - person.place.delicate_at > 10.0
        if was_there and is_calm and table.phones.login(phone.sid) == "unknown":
            raise Broken(f"A restart has cost person {person.number} the seat.")


def check_is_back(world: World, person: Person, phone: SimulatedPhone, hub: SimulatedHub) -> None:
    """Whoever has a seat is let in again after a restart."""
    is_same = world.hub is hub and person.phone is phone and phone.is_awake and phone.has_seat
    is_away = not phone.is_connected and phone.dropped_at < world.scheduler.time - 10.0
    if is_same and is_away and world.is_well(BACK_SECONDS - 1.0):
        raise Broken(f"Person {person.number} is not let in again after the hub has started.")


def check_offers(world: World, place: Place) -> None:
    """A suspended match is offered only to people whose phones have played it (SECURITY.md)."""
    newest = place.newest
    for person in world.people:
        phone = person.phone
        if person.place is not place or not newest or not phone or not phone.is_whole or not phone.has_seat:
            continue
        assert phone.state
        assert phone.hand
        if phone.is_connected and (phone.state["session"], phone.state["seq"]) == (newest.session, newest.seq):
            for offer in newest.put_aside:
                players = place.players.get(offer.match, set())
                if phone.hand["seat"] in offer.people and not players & {person.number, ANYBODY}:
                    raise Broken(f"Person {person.number} is offered {offer.match}, which others have played.")


def check_left(world: World, place: Place, before: ScreenState, state: ScreenState) -> None:
    """A match leaves the table only by a vote of those who play, by staff, or because nobody plays it (run.md)."""
    if before.state != "playing" or before.match is None or state.match == before.match or state.state == "stopped":
        return
    question, notices = before.question, {one.key for one in before.notices}
    playing = [one for one in before.seats if before.view and f"{one.seat}" in before.view.seats]
    people = [
        one for one in playing if one.held and not one.house and one.phone != "none"
    ]  # who is left alone needs no vote
    is_decided = False
    if question and question.kind in ("put_aside", "end"):
        yes = sum(vote == "yes" for vote in question.votes.values()) + 1  # the last one was never shown
        is_late = place.auditor.has_ended("question", world.scheduler.time)
        needed = len(question.voters) if question.kind == "end" else len(question.voters) // 2 + 1
        is_decided = yes >= needed or (is_late and question.kind == "put_aside")
    by_staff = world.scheduler.time - place.freed_at < STAFF_SECONDS
    is_idle = "idle" in notices and world.scheduler.time - place.acted_at >= place.patience.idle - 1.0
    if not (is_decided or by_staff or len(people) < 2 or is_idle or "wanted" in notices):
        raise Broken(f"{before.match} has left the table, and nobody knows why: {question}, {sorted(notices)}.")
    if not by_staff and not (question and question.kind == "end"):
        place.suspended[before.match] = set(place.players.get(before.match, ()))


def check_resumed(world: World, place: Place, before: ScreenState, state: ScreenState) -> None:
    """Only people of a suspended match get its hands, unless all of them who are there say that somebody is one (SECURITY.md)."""
    if state.match is None or before.match == state.match or state.match not in place.suspended:
        return
    known = place.suspended.pop(state.match)
    seats = state.view.seats if state.view else {}
    strangers = [
        person.number for person in world.people
        if person.place is place and person.phone and person.phone.has_seat and f"{world.seat_of(person)}" in seats
        and person.number not in known
    ]  # fmt: skip
    question = before.question
    is_agreed = question is not None and question.kind == "same_person" and "no" not in question.votes.values()
    if is_agreed and question:
        is_agreed = len(question.votes) + 1 >= max(2, len(question.voters))  # the last one was never shown
    by_staff = world.scheduler.time - place.freed_at < STAFF_SECONDS
    if strangers and not (is_agreed or by_staff or ANYBODY in known or len(known) == 1):
        raise Broken(f"{state.match} was resumed with {strangers}, and its people are {sorted(known)}: {question}.")


def check_started(world: World, place: Place, before: ScreenState, state: ScreenState) -> None:
    """A match begins when everybody is ready, or some seconds after somebody has started it (run.md)."""
    if not before.starting or before.state not in ("lobby", "over") or state.state != "playing":
        return
    waited = world.scheduler.time - place.starting_since
    there = [one for one in before.seats if one.held and not one.house and "on" in (one.phone, one.box)]
    missing = sum(not one.ready for one in there) - 1  # the last one to be ready was never shown so
    if waited < START_SECONDS and missing > 0 and not place.boxes:  # a second push on a box starts at once
        raise Broken(f"A match has begun {waited:.1f} s after it was announced, and not everybody is ready.")


def check_codes(world: World, number: str, data: bytes) -> None:
    """Only the big screen shows codes of seats, and a hand that of its own seat, which `data` lacks."""
    table = world.hub.tables[number].table if world.hub else None
    for one in table._seats if table else ():
        for code in (one.code, one.hand_over):
            if code and code.encode() in data:
                raise Broken(f"The code of seat {one.number} was sent to phones.")
