"""Who held the seats of a suspended match, as the table keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from hub.engine.sight import Strength
from hub.engine.text import Text, person, say
from hub.table.seating.seat import Seat, house_name

SAME_PERSON = say("the same person")
"""What a sentence calls a person whose name nobody knows."""


class KeptPerson(msgspec.Struct):
    """Who held a seat of a match when it was put aside: the name, and what tells the phone again (`Seat.person`).

    `house` is how well the house played there, where the seat was its own.
    """

    name: str
    person: str
    house: Strength | Literal[""] = ""


KeptPeople = dict[str, dict[int, KeptPerson]]
"""By match, by seat."""


def was_house(kept: KeptPerson | None) -> bool:
    """Return whether the seat was the house's own."""
    return kept is not None and bool(kept.house)


def person_name(kept: KeptPerson | None, seat: int, otherwise: Text) -> Text:
    """Return what a sentence calls the person who held a seat; the house's own name is the hub's."""
    if was_house(kept):
        return house_name(seat)
    return person(kept.name) if kept and kept.name else otherwise


def name_for_staff(offer: Suspended, seat: int) -> str:
    """Return the name of the person who had a seat, for staff; "" if it is not known."""
    kept = offer.people.get(seat)
    if was_house(kept):
        return house_name(seat)
    return kept.name if kept else ""


def missing_seats(at: Mapping[int, Seat], before: Mapping[int, KeptPerson]) -> list[int]:
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
