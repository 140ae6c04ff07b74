"""Who sits where: the places of one table, what holds each (a phone, a box, both), and how a seat is claimed.

A place changes when the disk has it, or not at all. Everything here is called from the table's thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from secrets import randbelow, token_urlsafe
from typing import Any

import msgspec

from hub.errors import LogError
from hub.ports import ClaimAsked, ClaimDecided, Clock, LogStore, Phones
from hub.state import PublicSeat

CLAIM_SECONDS = 30.0
WRONG_CODES = 3  # tries of a seat's code, after which the code changes


@dataclass
class Place:
    """One numbered place at the table: who holds it, with what.

    `code` is the 4-digit twin of pressing the box: shown to all while nobody holds the seat, and to
    its holder only afterwards.
    """

    seat: int
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
    wrong_codes: int = 0

    def public(self) -> PublicSeat:
        """The place as everybody sees it."""
        return PublicSeat(
            seat=self.seat,
            name=self.name,
            held=self.joined,
            phone="none" if not self.sid else "on" if self.phone_on else "away",
            box="on" if self.box_on else "lost" if self.box else "none",
            ready=self.ready,
            # Who plays on a box alone holds the seat, too: with its code anybody could look into that hand.
            claim_code=None if self.sid or (self.joined and self.box_on) else self.code,
        )


class KeptPlace(msgspec.Struct):
    """What of a place survives a restart."""

    seat: int
    code: str
    sid: str
    password: str
    phone_key: bytes
    name: str
    box: str
    joined: bool


class Seating:
    """The places of one table by seat, and the one claim that may wait for a push of its seat's box."""

    def __init__(self, table: str, seats: int, store: LogStore, phones: Phones, clock: Clock) -> None:
        self._table, self._store, self._phones, self._clock = table, store, phones, clock
        self._places = {seat: Place(seat, _digits()) for seat in range(1, seats + 1)}
        self._claim: tuple[ClaimAsked, float] | None = None

    def __iter__(self) -> Iterator[Place]:
        """The places by rising seat."""
        return iter(self._places.values())

    def __getitem__(self, seat: int) -> Place:
        return self._places[seat]

    def held_by(self, sid: str) -> Place | None:
        """The place that a phone's claim holds."""
        return next((place for place in self if place.sid and place.sid == sid), None)

    def of_box(self, box: str) -> Place | None:
        """The place that a box stands at."""
        return next((place for place in self if place.box == box), None)

    def without_box(self) -> list[Place]:
        """The places that a new box may be put to: without a box; else, where one is broken, without its box now."""
        return [place for place in self if not place.box] or [place for place in self if not place.box_on]

    def bind(self, box: str, seat: int) -> None:
        """A box stands at this seat now, and at no other."""
        if seat not in self._places:
            return
        for place in self:
            if place.box == box and place.seat != seat:
                place.box, place.box_on = "", False
        self._places[seat].box = box

    # --- the record ---

    def recall(self) -> None:
        """Take up who sat where; the phones' logins are made again. Raises LogError."""
        kept = self._store.recall(self._table, "places")
        for one in msgspec.json.decode(kept, type=list[KeptPlace]) if kept else []:
            place = self._places.get(one.seat)
            if place:
                place.code, place.sid, place.password, place.phone_key = one.code, one.sid, one.password, one.phone_key
                place.name, place.box, place.joined = one.name, one.box, one.joined
                if place.sid:
                    self._phones.admit(place.sid, place.password, place.phone_key)

    def keep(self) -> None:
        """Write down who sits where. Raises LogError."""
        kept = [KeptPlace(p.seat, p.code, p.sid, p.password, p.phone_key, p.name, p.box, p.joined) for p in self]
        self._store.keep(self._table, "places", msgspec.json.encode(kept))

    def change(self, place: Place, **values: Any) -> None:
        """Change a place when the disk has it, or not at all. Raises LogError."""
        before = replace(place)
        vars(place).update(values)
        try:
            self.keep()
        except LogError:
            vars(place).update(vars(before))
            raise

    # --- claims ---

    @property
    def claimed(self) -> int | None:
        """The seat that somebody wants, while a push of its box is waited for."""
        return self._claim[0].seat if self._claim else None

    def ask(self, asked: ClaimAsked, *, choosing: bool) -> None:
        """Somebody asks for a seat. `choosing`: its box holds a sealed choice, and can say neither yes nor no."""
        place = self._places.get(asked.seat)
        if place is None:
            self._decide(asked, f"There is no seat {asked.seat} at this table.")
        elif asked.code is not None:
            if asked.code == place.code:
                self._hold(place, asked)
            else:
                place.wrong_codes += 1
                if place.wrong_codes >= WRONG_CODES:
                    place.code, place.wrong_codes = _digits(), 0
                    self.keep()
                self._decide(asked, f"That is not the code of seat {asked.seat}.")
        elif not place.box_on or choosing:
            why = "is choosing in its box" if place.box_on else "has no box"
            where = "that its phone shows under Seat" if place.sid else "from the big screen"
            self._decide(asked, f"Seat {asked.seat} {why}: type its 4-digit code {where}.")
        elif self._claim:
            self._decide(asked, "Somebody else is just sitting down: try again in a moment.")
        else:
            self._claim = (asked, self._clock.now() + CLAIM_SECONDS)

    def grant(self) -> None:
        """The box of the claimed seat said yes. Raises LogError."""
        if self._claim:
            self._hold(self._places[self._claim[0].seat], self._claim[0])

    def refuse(self, sentence: str) -> None:
        """The claim that waits ends with a no."""
        if self._claim:
            self._decide(self._claim[0], sentence)

    def due(self) -> bool:
        """Whether time has ended the claim that waited."""
        if self._claim is None or self._clock.now() < self._claim[1]:
            return False
        self.refuse("Nobody pressed the button on the box: try again.")
        return True

    def release(self, place: Place, *, playing: bool) -> None:
        """A phone gives its seat up. Who is `playing` keeps name and place for coming back. Raises LogError."""
        sid, gone = place.sid, {"sid": "", "password": "", "phone_key": b"", "code": _digits(), "phone_on": False}
        if not playing:
            gone |= {"name": "", "ready": False, "joined": False}
        self.change(place, **gone)
        self._phones.release(sid)

    def _decide(self, asked: ClaimAsked, refusal: str) -> None:
        self._forget(asked)
        asked.answer(ClaimDecided(asked.claim, False, refusal))

    def _forget(self, asked: ClaimAsked) -> None:
        if self._claim and self._claim[0].claim == asked.claim:
            self._claim = None

    def _hold(self, place: Place, asked: ClaimAsked) -> None:
        """The phone that asked holds the seat now; whoever held it before is out, at once."""
        self._forget(asked)
        before = place.sid
        try:
            self.change(
                place, sid=token_urlsafe(12), password=token_urlsafe(24), phone_key=asked.phone_key, code=_digits(),
                wrong_codes=0, name=asked.name or place.name, joined=True, phone_on=False,
            )  # fmt: skip
        except LogError:
            self._decide(asked, "The record cannot be written now: try again in a moment.")
            raise
        if before:
            self._phones.release(before)
        self._phones.admit(place.sid, place.password, place.phone_key)
        say = f"Seat {place.seat} is yours."
        asked.answer(ClaimDecided(asked.claim, True, say, place.sid, place.password))


def _digits() -> str:
    return f"{randbelow(10_000):04}"
