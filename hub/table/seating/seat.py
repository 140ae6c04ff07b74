"""One numbered seat of a table: its phone, its box, its player, and what survives a restart."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from math import inf
from random import Random
from typing import Literal

import msgspec

from hub.engine.sight import Strength
from hub.engine.text import Text, say
from hub.state import Presence, PublicSeat

CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""The letters of all codes, without vowels so that no code spells a word."""
SEAT_CODE_LENGTH = 6


@dataclass(slots=True)
class Seat:
    """One numbered seat of the table, with its phone, its box and its player. Times are in the clock's seconds."""

    number: int
    code: str  # entering it has the same effect as pressing the box; screens show it only while nobody holds the seat
    sid: str = ""  # the login of the phone that holds the seat; empty if none does
    password: str = field(default="", repr=False)
    phone_key: bytes = field(default=b"", repr=False)
    name: str = ""
    box: str = ""  # the id of the seat box
    joined: bool = False  # somebody sits here, a person or the house
    ready: bool = False
    phone_on: bool = False  # the phone is connected
    has_connected: bool = False  # the phone has connected since it was granted the seat
    box_on: bool = False  # the box is connected; that alone does not mean that a person is there
    on_box: bool = False  # somebody has touched the box since the phone was last connected, or left
    quiet_until: float = 0.0  # until then, claims without a code are refused
    code_until: float = 0.0  # until then, the table's screens show the code
    not_agreed: int = 0  # claims that were not agreed to
    away_since: float | None = None  # when the connection of the phone was lost
    house: Strength | Literal[""] = ""  # how well the house plays here; "" if it does not
    stands_in: bool = False  # the house plays for an absent person; else the seat is its own
    house_before: Strength | Literal[""] = ""  # the same if a person took the seat from the house in this match
    left_by: str = field(default="", repr=False)  # the `person` whose phone has left the seat and its hand
    wish: str = ""  # the game that the seat would like next
    earlier_persons: list[str] = field(default_factory=list, repr=False)  # proved earlier ids of its phone
    touched_at: float = -inf  # when somebody last touched a control of the box
    hand_over: str = field(default="", repr=False)  # a code for one other phone; not on disk, so a restart ends it
    hand_over_until: float = 0.0

    @property
    def is_house(self) -> bool:
        """Return whether the house plays here for nobody, so that anybody may take the seat."""
        return bool(self.house) and not self.stands_in

    @property
    def display_name(self) -> str:
        """Return the name of the player on screens; "" for a person without a name."""
        return house_name(self.number) if self.is_house else self.name

    def take_from_house(self) -> None:
        """Replace the house by the person at the seat, who is not ready yet."""
        if self.is_house:
            self.house_before, self.ready = self.house, False
        self.house, self.stands_in = "", False

    def return_to_house(self) -> None:
        """Return the seat to the house after the person who took it has left."""
        self.name, self.house, self.stands_in, self.house_before = "", self.house_before, False, ""
        self.ready, self.left_by = True, ""

    def clear(self) -> None:
        """Remove the player and everything about them. The login is already empty; the code stays."""
        self.name, self.ready, self.joined, self.earlier_persons, self.wish = "", False, False, [], ""
        self.on_box, self.touched_at = False, -inf
        self.house, self.stands_in, self.house_before, self.left_by = "", False, "", ""

    @property
    def is_somebodys(self) -> bool:
        """Return whether a person has this seat, by a phone or on its box. False once the phone has left."""
        return self.joined and not self.is_house and (bool(self.sid) or self.on_box)

    @property
    def presence(self) -> Presence:
        """Return whether somebody answers here, on the phone or on the box. The house always does."""
        if self.is_house or self.phone_on or (self.box_on and self.on_box):
            return "here"
        return "asleep" if self.box_on and self.sid else "away"

    @property
    def person(self) -> str:
        """Return an id of the phone that holds the seat; "" if none does."""
        return person_of(self.phone_key) if self.sid else ""

    def is_person(self, person: str) -> bool:
        """Return whether the phone that holds the seat is this `person`, by its key or a proved earlier one.

        False without a phone, and for a phone that has not connected yet: its claim may be a replay, but only the phone
        with the key can read the login.
        """
        if not self.sid or not self.has_connected or not person:
            return False
        # Hubs before November 24, 2026 identified a phone by its login. The current login belongs to this key.
        before_keys = sha256(f"{self.sid}:{self.password}".encode()).hexdigest()
        return any(compare_digest(person, one) for one in (self.person, before_keys, *self.earlier_persons))

    def public(self) -> PublicSeat:
        """Return the seat as everybody sees it."""
        return PublicSeat(
            seat=self.number,
            name=self.display_name,
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
    """The part of a seat that survives a restart. `stand_in` in place of `house` if it plays for a person."""

    seat: int
    code: str
    sid: str
    password: str
    phone_key: bytes
    name: str
    box: str
    joined: bool
    proven: list[str] = []  # not named `earlier`: older hubs stored under that name what a password had proved
    house: Strength | Literal[""] = ""
    house_before: Strength | Literal[""] = ""
    left: str = ""
    stand_in: Strength | Literal[""] = ""
    ready: bool = False
    wish: str = ""
    on_box: bool | None = None  # None in data of older versions
    met: bool = True


def house_name(seat: int) -> Text:
    """Return the name of the house on screens at one of its own seats."""
    return say("House {seat}", seat=seat)


def person_of(phone_key: bytes) -> str:
    """Return the id of a phone, from the public key of its claim. The id proves nothing: only the secret key does."""
    return sha256(b"table-hub person " + phone_key).hexdigest()


def new_code(random: Random, length: int) -> str:
    """Return a random code of `length` letters. With 20 letters, six give 64 million codes."""
    return "".join(random.choice(CODE_LETTERS) for _ in range(length))


def new_token(random: Random, size: int) -> str:
    """Return `size` random bytes in URL-safe base64. A multiple of three needs no padding."""
    return urlsafe_b64encode(random.randbytes(size)).decode()
