"""One numbered seat of a table: what holds it, who plays there, and what of it survives a restart."""

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
"""The letters of all codes: no vowels, so that none spells a word."""
SEAT_CODE_LENGTH = 6


@dataclass(slots=True)
class Seat:
    """One numbered seat of the table: who holds it, with what.

    `sid` and `password` are the login of the phone that holds it, empty without one; `box` the id of the seat box that
    stands there. `joined`: somebody sits there. `house`: how well the house plays here, "" where it does not; with `stands_in`
    for somebody who is away, else because nobody sits there; `house_before` where somebody took the seat from it in
    this match. `left` is the `person` whose phone has left the seat with its hand. `wish`: the game it would like next. `earlier` are what the phone was
    known by at seats that it had before (`person`): it has proved that it still has their keys. `code` is the twin of pressing the box: shown on the
    table's own screens while nobody holds the seat, and to its holder only afterwards. `met`: the phone has connected since it was given the seat. `hand_over` is a code for one other
    phone, which the seat's own phone shows; it is never on the disk, so a restart ends it.

    A box that is plugged in is not a person. `on_box` is: somebody has touched a control of the box since the seat's phone was last
    connected, or left. `heard_at` is when a control was last touched, and `away_since` since when the phone that holds the seat is
    not connected, both in the clock's seconds.
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
    met: bool = False
    box_on: bool = False
    on_box: bool = False
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
        return house_name(self.number) if self.is_house else self.name

    def take_from_house(self) -> None:
        """Let nobody play here but the person who sits here, who is not ready as the house was."""
        if self.is_house:
            self.house_before, self.ready = self.house, False
        self.house, self.stands_in = "", False

    def give_back(self) -> None:
        """Let the house play on at a seat that was taken from it, as its player has left."""
        self.name, self.house, self.stands_in, self.house_before = "", self.house_before, False, ""
        self.ready, self.left = True, ""

    def empty(self) -> None:
        """Let nobody sit here, on no phone: nothing of who sat here stays. The code does, for no phone has had the seat."""
        self.name, self.ready, self.joined, self.earlier, self.wish = "", False, False, [], ""
        self.on_box, self.heard_at = False, -inf
        self.house, self.stands_in, self.house_before, self.left = "", False, "", ""

    @property
    def is_somebodys(self) -> bool:
        """Return whether a person has this seat: a phone holds it, or somebody plays on its box. Not once its phone has left."""
        return self.joined and not self.is_house and (bool(self.sid) or self.on_box)

    @property
    def presence(self) -> Presence:
        """Return whether a person answers from this seat, on its phone or on its box. The house always does."""
        if self.is_house or self.phone_on or (self.box_on and self.on_box):
            return "here"
        return "asleep" if self.box_on and self.sid else "away"

    @property
    def person(self) -> str:
        """Return what tells the phone that holds the seat from all others, and nothing else; "" without one."""
        return person_of(self.phone_key) if self.sid else ""

    def was(self, person: str) -> bool:
        """Return whether the phone that holds the seat now is that `person`: by its key or one that it has proved to have.

        A seat that nobody's phone holds is nobody, whoever sat there before. Nor is a phone that has not connected: its claim
        may be a recording, but only the phone of its key can read the login.
        """
        if not self.sid or not self.met or not person:
            return False
        # Hubs before November 24, 2026 knew a phone by its login. The login that holds the seat now belongs to this very key.
        before_keys = sha256(f"{self.sid}:{self.password}".encode()).hexdigest()
        return any(compare_digest(person, one) for one in (self.person, before_keys, *self.earlier))

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
    proven: list[str] = []  # not `earlier`: under that name, earlier hubs kept what a password had proved
    house: Strength | Literal[""] = ""
    house_before: Strength | Literal[""] = ""
    left: str = ""
    stand_in: Strength | Literal[""] = ""
    ready: bool = False
    wish: str = ""
    on_box: bool | None = None  # None in what an earlier version has kept
    met: bool = True


def house_name(seat: int) -> Text:
    """Return what screens call the house at one of its own seats."""
    return say("House {seat}", seat=seat)


def person_of(phone_key: bytes) -> str:
    """Return what a phone is known by, from the public key of its claim. It proves nothing: only the secret key does."""
    return sha256(b"table-hub person " + phone_key).hexdigest()


def new_code(random: Random, length: int) -> str:
    """Return a code of `length` letters, by chance. Six of twenty letters are one of 64 million."""
    return "".join(random.choice(CODE_LETTERS) for _ in range(length))


def new_token(random: Random, size: int) -> str:
    """Return `size` bytes by chance, as letters, digits, "-" and "_"."""
    return urlsafe_b64encode(random.randbytes(size)).rstrip(b"=").decode()
