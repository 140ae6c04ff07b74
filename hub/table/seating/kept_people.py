"""Who held the seats of a suspended match, as the table keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from hub.engine.sight import Strength
from hub.state import isolated
from hub.table.seating.seat import Seat


class KeptPerson(msgspec.Struct):
    """Who held a seat of a match when it was put aside: the name, and what tells the phone again (`Seat.person`).

    `house` is how well the house played there, where the seat was its own.
    """

    name: str
    person: str
    house: Strength | Literal[""] = ""


KeptPeople = dict[str, dict[int, KeptPerson]]
"""By match, by seat."""


def was_house(person: KeptPerson | None) -> bool:
    """Return whether the seat was the house's own."""
    return person is not None and bool(person.house)


def name_of(person: KeptPerson | None, otherwise: str) -> str:
    """Return what a sentence calls who held a seat; the house's own name is the hub's."""
    if person is None or not person.name:
        return otherwise
    return person.name if person.house else isolated(person.name)


def name_in(offer: Suspended, seat: int) -> str:
    """Return the name of who had a seat, for staff; "" where that is not known."""
    return offer.people[seat].name if seat in offer.people else ""


def missing(at: Mapping[int, Seat], before: Mapping[int, KeptPerson]) -> list[int]:
    """Return the seats of a match at which a person is missing; the house's own are filled when it goes on.

    `at` is who sits at its seats, or will.
    """
    return [one for one, seat in at.items() if not was_house(before.get(one)) and (not seat.joined or seat.is_house)]


class Suspended(NamedTuple):
    """A match that was put aside: its game, when that was (Unix time), its seats, and who had them, as far as that is kept."""

    match: str
    game: str
    title: str
    since: int
    seats: Sequence[int]
    people: Mapping[int, KeptPerson]
