"""The people of suspended matches, as stored on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from hub.engine.sight import Strength
from hub.engine.text import Text, person, say
from hub.table.seating.seat import Seat, house_name

SAME_PERSON = say("the same person")
"""What sentences call a person without a known name."""


class KeptPerson(msgspec.Struct):
    """The person at a seat when the match was suspended: the name, and the id of the phone (`Seat.person`).

    `house` is the strength of the house player if the seat was the house's own; else "".
    """

    name: str
    person: str
    house: Strength | Literal[""] = ""


KeptPeople = dict[str, dict[int, KeptPerson]]
"""People by match and seat."""


def was_house(kept: KeptPerson | None) -> bool:
    """Return whether the house played the seat as its own."""
    return kept is not None and bool(kept.house)


def person_name(kept: KeptPerson | None, seat: int, otherwise: Text) -> Text:
    """Return what sentences call the person who held a seat; `otherwise` if there is no name."""
    if was_house(kept):
        return house_name(seat)
    return person(kept.name) if kept and kept.name else otherwise


def name_for_staff(offer: Suspended, seat: int) -> str:
    """Return the name of the person who held a seat, for staff; "" if it is unknown."""
    kept = offer.people.get(seat)
    if was_house(kept):
        return house_name(seat)
    return kept.name if kept else ""


def missing_seats(at: Mapping[int, Seat], before: Mapping[int, KeptPerson]) -> list[int]:
    """Return the seats of a match that lack a person. Seats of the house do not count: they are filled on resume.

    `at` maps the seats of the match to the seats of the table that play them now.
    """
    return [one for one, seat in at.items() if not was_house(before.get(one)) and (not seat.joined or seat.is_house)]


class Suspended(NamedTuple):
    """A suspended match. `since` is the Unix time of the suspension; `people` are those who are known, by seat."""

    match: str
    game: str
    title: str
    since: int
    seats: Sequence[int]
    people: Mapping[int, KeptPerson]
