"""One numbered seat of a table: what holds it, who plays there, and what of it survives a restart."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from secrets import choice
from typing import Literal

import msgspec

from hub.engine.sight import Strength
from hub.state import Presence, PublicSeat

CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""The letters of all codes: no vowels, so that none spells a word."""
SEAT_CODE_LENGTH = 6


@dataclass(slots=True)
class Seat:
    """One numbered seat of the table: who holds it, with what.

    `sid` and `password` are the login of the phone that holds it, empty without one; `box` the id of the seat box that
    stands there. `joined`: somebody sits there. `house`: how well the house plays here, "" where it does not; with `stands_in`
    for somebody who is away, else because nobody sits there; `house_before` where somebody took the seat from it in
    this match. `left` is the `person` whose phone has left the seat with its hand. `wish`: the game it would like next. `earlier` are what the phone was known by
    at seats it had before (`person`), as far as it could prove them. `code` is the twin of pressing the box: shown on the
    table's own screens while nobody holds the seat, and to its holder only afterwards. `hand_over` is a code for one other
    phone, which the seat's own phone shows; it is never on the disk, so a restart ends it.
    """

    number: int
    code: str
    sid: str = ""
    password: str = field(default="", repr=False)
    phone_key: bytes = field(default=b"", repr=False)
    name: str = ""
    box: str = ""
    joined: bool = False
    ready: bool = False
    phone_on: bool = False
    box_on: bool = False
    quiet_until: float = 0.0
    code_until: float = 0.0
    not_agreed: int = 0
    away_since: float | None = None
    house: Strength | Literal[""] = ""
    stands_in: bool = False
    house_before: Strength | Literal[""] = ""
    left: str = field(default="", repr=False)
    wish: str = ""
    earlier: list[str] = field(default_factory=list, repr=False)
    heard_at: float = -inf
    hand_over: str = field(default="", repr=False)
    hand_over_until: float = 0.0

    @property
    def is_house(self) -> bool:
        """Return whether this seat is the house's own: nobody sits there, and anybody may take it."""
        return bool(self.house) and not self.stands_in

    @property
    def called(self) -> str:
        """Return what screens call who plays here; "" where a person has given no name."""
        return f"House {self.number}" if self.is_house else self.name

    def take_from_house(self) -> None:
        """Let nobody play here but whoever sits here."""
        if self.is_house:
            self.house_before = self.house
        self.house, self.stands_in = "", False

    def give_back(self) -> None:
        """Let the house play on at a seat that was taken from it, as its player has left."""
        self.name, self.house, self.stands_in, self.house_before = "", self.house_before, False, ""
        self.ready, self.left = True, ""

    def empty(self) -> None:
        """Let nobody sit here, on no phone: nothing of who sat here stays. The code does, for no phone has had the seat."""
        self.name, self.ready, self.joined, self.earlier, self.wish = "", False, False, [], ""
        self.house, self.stands_in, self.house_before, self.left = "", False, "", ""

    @property
    def presence(self) -> Presence:
        """Return whether somebody can be heard from this seat: on its phone, or on its box. The house always can."""
        if self.is_house or self.phone_on or (self.box_on and not self.sid):
            return "here"
        return "asleep" if self.box_on else "away"

    @property
    def person(self) -> str:
        """Return what tells the phone that holds the seat from all others, and nothing else; "" without one."""
        return person_of(self.sid, self.password) if self.sid else ""

    def public(self) -> PublicSeat:
        """Return the seat as everybody sees it."""
        return PublicSeat(
            seat=self.number,
            name=self.called,
            held=self.joined,
            phone="none" if not self.sid else "on" if self.phone_on else "away",
            box="on" if self.box_on else "lost" if self.box else "none",
            ready=self.ready,
            presence=self.presence,
            house=self.house,
            stands_in=self.stands_in,
            wish=self.wish,
        )


class KeptSeat(msgspec.Struct):
    """What of a seat survives a restart; `house` where it is the house's own, `stand_in` where it stands in for somebody."""

    seat: int
    code: str
    sid: str
    password: str
    phone_key: bytes
    name: str
    box: str
    joined: bool
    earlier: list[str] = []
    house: Strength | Literal[""] = ""
    house_before: Strength | Literal[""] = ""
    left: str = ""
    stand_in: Strength | Literal[""] = ""
    ready: bool = False
    wish: str = ""


def person_of(sid: str, password: str) -> str:
    """Return what a login is known by after its end: nobody makes a login of it."""
    return sha256(f"{sid}:{password}".encode()).hexdigest()


def new_code(length: int) -> str:
    """Return a code of so many letters, by chance. Six of twenty letters are one of 64 million."""
    return "".join(choice(CODE_LETTERS) for _ in range(length))
