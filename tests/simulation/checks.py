"""Promises that are checked while an evening goes on: who gets a seat or a match, and who is back after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.auditor import Broken
from tests.simulation.place import ANYBODY, Place

if TYPE_CHECKING:
    from tests.simulation.hub import SimulatedHub
    from tests.simulation.phone import SimulatedPhone
    from tests.simulation.world import Person, World

BACK_SECONDS = 30.0  # until a phone is connected again


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
