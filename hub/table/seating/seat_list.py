"""The seats of one table: what holds each (a phone, a box, both), who is present, what is kept on disk, and their codes.

A seat changes when the disk has it, or not at all. Everything here is called from the table's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from math import ceil, inf

from hub.engine.text import Text, say, to_json
from hub.errors import LogError
from hub.table.base.kept import KeptValues
from hub.table.base.names import look_alike
from hub.table.base.ports import Ports
from hub.table.seating.seat import SEAT_CODE_LENGTH, KeptSeat, Seat, new_code

CODE_SECONDS = 60.0
"""How long the code of a hand in play stands on the table's own screens once it was asked for."""
HAND_OVER_LENGTH = 16
"""Letters of a code that is scanned and never typed."""
HAND_OVER_SECONDS = 120.0
"""How long a phone may be taken over by who scans the code that it shows."""
ACTIVE_SECONDS = 180.0
"""So long after a control was touched somebody counts as sitting at a box: it stays plugged in when its player has gone."""


class SeatList:
    """The seats of one table by number, without the claims for them."""

    def __init__(self, count: int, kept: KeptValues, ports: Ports, playing: Callable[[], Sequence[int]]) -> None:
        """`playing` returns the seats of a running match."""
        self._playing = playing
        self._random, self._names = ports.random, ports.names
        self._kept, self._phones, self._clock = kept, ports.phones, ports.clock
        self._seats = {number: Seat(number, new_code(ports.random, SEAT_CODE_LENGTH)) for number in range(1, count + 1)}

    def __iter__(self) -> Iterator[Seat]:
        """Return the seats by rising number."""
        return iter(self._seats.values())

    def __getitem__(self, number: int) -> Seat:
        return self._seats[number]

    def held_by(self, sid: str) -> Seat | None:
        """Return the seat that a phone's login holds."""
        return next((seat for seat in self if seat.sid and seat.sid == sid), None)

    def present(self, playing: Sequence[int]) -> list[int]:
        """Return those of the seats `playing` at which a person is, on a phone or on a box (`Seat.presence`)."""
        return [s.number for s in self if s.number in playing and s.presence == "here" and not s.house]

    def on_touch(self, seat: Seat) -> None:
        """Take note that somebody has used a control of the seat's box: a person is there."""
        seat.touched_at = self._clock.now()
        if seat.on_box or seat.phone_on:
            return
        seat.on_box = True
        if seat.joined and not seat.sid:
            with suppress(LogError):  # after a power cut the next touch says so again
                self.save()

    def on_connection(self, seat: Seat, *, on: bool) -> None:
        """Take note that a seat's phone is connected, or is not."""
        seat.phone_on = on
        if on and not seat.has_connected:
            seat.has_connected = True
            with suppress(LogError):  # after a power cut its next connection says so again
                self.save()

    def is_active(self, number: int) -> bool:
        """Return whether a person was heard at a seat lately: its phone is connected, or a control of its box was touched."""
        seat = self._seats[number]
        return seat.phone_on or self._clock.now() - seat.touched_at < ACTIVE_SECONDS

    def dealt_in(self) -> list[int]:
        """Return the seats that a match begins with: somebody is there, or was a moment ago and has a box that asks again."""
        return [seat.number for seat in self if seat.joined and self._may_be_there(seat)]

    def _may_be_there(self, seat: Seat) -> bool:
        if seat.presence != "asleep":
            return seat.presence == "here"
        return self.silent_seconds(seat) < ACTIVE_SECONDS

    def silent_seconds(self, seat: Seat) -> float:
        """Return for how many seconds nobody was heard at a seat: no phone, no control of its box. Infinite once it was left."""
        if seat.phone_on:
            return 0.0
        phone = (seat.away_since if seat.away_since is not None else self._clock.now()) if seat.sid else -inf
        return self._clock.now() - max(phone, seat.touched_at)

    def of_box(self, box: str) -> Seat | None:
        """Return the seat that a box stands at."""
        return next((seat for seat in self if seat.box == box), None)

    def without_box(self) -> list[Seat]:
        """Return the seats that a new box may be put to: those without one; else those whose box is lost."""
        return [seat for seat in self if not seat.box] or [seat for seat in self if not seat.box_on]

    def has_similar_name(self, name: str, number: int) -> bool:
        """Return whether somebody at another seat than `number` has a name that looks like this one."""
        return any(seat.joined and seat.number != number and look_alike(name, seat.display_name) for seat in self)

    def bind(self, box: str, number: int) -> None:
        """Put a box to this seat, and to no other."""
        if number not in self._seats:
            return
        for seat in self:
            if seat.box == box and seat.number != number:
                seat.box, seat.box_on = "", False
        self._seats[number].box = box

    # --- on disk ---

    def restore(self) -> None:
        """Take up who sat where, and make the phones' logins again. Raise LogError."""
        for one in self._kept.read("places", list[KeptSeat], say("who sits where")) or []:
            seat = self._seats.get(one.seat)
            if seat:
                seat.sid, seat.password, seat.phone_key = one.sid, one.password, one.phone_key
                if len(one.code) == SEAT_CODE_LENGTH:  # codes had four digits once
                    seat.code = one.code
                seat.name, seat.box, seat.joined, seat.earlier_persons = one.name, one.box, one.joined, one.proven
                seat.house, seat.stands_in = one.house or one.stand_in, bool(one.stand_in)
                seat.house_before, seat.left_by = one.house_before, one.left
                seat.ready, seat.wish = one.ready or seat.is_house, one.wish
                was_on_box = not one.sid and not one.left if one.on_box is None else one.on_box
                seat.on_box, seat.has_connected = seat.joined and was_on_box and not seat.is_house, one.met
                if seat.sid:
                    self._phones.admit(seat.sid, seat.password, seat.phone_key)

    def set_silent(self, seat: Seat, seconds: float) -> None:
        """Let nobody have been heard at a seat for so long already, after a start of the hub."""
        since = self._clock.now() - seconds
        if seat.sid:
            seat.away_since = since
        elif seat.on_box:
            seat.touched_at = since

    def save(self) -> None:
        """Write down who sits where. Raise LogError."""
        kept = [
            KeptSeat(
                s.number, s.code, s.sid, s.password, s.phone_key, s.name, s.box, s.joined, s.earlier_persons,
                s.house if s.is_house else "", s.house_before, s.left_by, s.house if s.stands_in else "", s.ready, s.wish,
                s.on_box, s.has_connected,
            )
            for s in self
        ]  # fmt: skip
        self._kept.write("places", to_json(kept))

    @contextmanager
    def changing(self, seat: Seat) -> Iterator[Seat]:
        """Keep what is changed inside, or change it back where the disk cannot. Raise LogError."""
        before = replace(seat)
        yield seat
        try:
            self.save()
        except LogError:
            for one in fields(Seat):
                setattr(seat, one.name, getattr(before, one.name))
            raise

    # --- codes ---

    def codes(self, playing: Sequence[int]) -> dict[str, str]:
        """Return the codes that the table's own screens may show, by seat number; `playing` are seats of a running match.

        Of a seat that a phone holds, or that is played on its box, there is none unless the box asked for it; of a hand in
        play none until the table asks (`ask_for_code`), except where nobody is left who could.
        """
        shown, now = {}, self._clock.now()
        alone = not any(seat.is_somebodys and seat.presence == "here" for seat in self)
        for seat in self:
            free = seat.is_house or (not seat.sid and not (seat.is_somebodys and seat.box_on))
            if (free and (seat.number not in playing or alone or seat.is_house)) or now < seat.code_until:
                shown[str(seat.number)] = seat.code
        return shown

    def how_to_join(self, seat: Seat) -> Text:
        """Return what a person may do whose phone is not given a seat: only what is possible now."""
        if str(seat.number) in self.codes(self._playing()):
            return say("Type its code from the big screen.")
        if seat.sid and seat.phone_on:
            return say("Type the code that its phone shows under Seat.")
        if not seat.sid and not seat.box_on and any(one.phone_on for one in self):
            return say("Anybody with a phone here can show its code, under Seat.")
        return say("Try again later, or ask staff.")

    def ask_for_code(self, seat: Seat) -> None:
        """Let the table's own screens show a seat's code for a minute."""
        seat.code_until = self._clock.now() + CODE_SECONDS

    def show_hand_over(self, seat: Seat) -> None:
        """Let one other phone take a seat for two minutes, by a new code that its own phone shows."""
        seat.hand_over = new_code(self._random, HAND_OVER_LENGTH)
        seat.hand_over_until = self._clock.now() + HAND_OVER_SECONDS

    def hand_over_seconds(self, seat: Seat) -> int:
        """Return for how many seconds more a seat may be taken by the code that its phone shows."""
        return max(0, ceil(seat.hand_over_until - self._clock.now())) if seat.hand_over else 0

    # --- time ---

    def update_phones(self) -> bool:
        """Note which phones are gone, and who is on a box no more; return whether somebody is."""
        changed, now = False, self._clock.now()
        for seat in self:
            if seat.phone_on or not seat.sid:
                seat.away_since = None
            elif seat.away_since is None:
                seat.away_since = now
            # A seat without a phone has nothing but its box: somebody may think there for long.
            if seat.on_box and (seat.phone_on or (seat.sid and now - seat.touched_at >= ACTIVE_SECONDS)):
                seat.on_box, changed = False, changed or not seat.phone_on
        return changed
