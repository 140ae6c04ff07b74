"""The seats of one table: their phones and boxes, who is present, their data on disk, and their codes.

A change that cannot be written to disk is undone. Everything here runs on the table's thread.
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
"""How long the table's screens show the code of a seat in play after it was requested."""
HAND_OVER_LENGTH = 16
"""Letters of a code that is only scanned, never typed."""
HAND_OVER_SECONDS = 120.0
"""How long a hand-over code is valid."""
ACTIVE_SECONDS = 180.0
"""How long a player counts as present after touching the box, which stays plugged in when its player leaves."""


class SeatList:
    """The seats of one table by number, without claims."""

    def __init__(self, count: int, kept: KeptValues, ports: Ports, playing: Callable[[], Sequence[int]]) -> None:
        """`playing` returns the seats of a running match."""
        self._playing = playing
        self._random, self._names = ports.random, ports.names
        self._kept, self._phones, self._clock = kept, ports.phones, ports.clock
        self._seats = {number: Seat(number, new_code(ports.random, SEAT_CODE_LENGTH)) for number in range(1, count + 1)}

    def __iter__(self) -> Iterator[Seat]:
        """Iterate over the seats in order of number."""
        return iter(self._seats.values())

    def __getitem__(self, number: int) -> Seat:
        return self._seats[number]

    def held_by(self, sid: str) -> Seat | None:
        """Return the seat that the phone with this login holds."""
        return next((seat for seat in self if seat.sid and seat.sid == sid), None)

    def present(self, playing: Sequence[int]) -> list[int]:
        """Return those of the seats `playing` at which a person is present (`Seat.presence`)."""
        return [s.number for s in self if s.number in playing and s.presence == "here" and not s.house]

    def on_touch(self, seat: Seat) -> None:
        """Note that somebody has touched a control of the seat's box."""
        seat.touched_at = self._clock.now()
        if seat.on_box or seat.phone_on:
            return
        seat.on_box = True
        if seat.joined and not seat.sid:
            with suppress(LogError):  # harmless: after a power cut, the next touch restores it
                self.save()

    def on_connection(self, seat: Seat, *, on: bool) -> None:
        """Note that a seat's phone has connected or disconnected."""
        seat.phone_on = on
        if on and not seat.has_connected:
            seat.has_connected = True
            with suppress(LogError):  # harmless: after a power cut, the next connection restores it
                self.save()

    def is_active(self, number: int) -> bool:
        """Return whether a seat is active: its phone is connected, or its box was touched lately."""
        seat = self._seats[number]
        return seat.phone_on or self._clock.now() - seat.touched_at < ACTIVE_SECONDS

    def dealt_in(self) -> list[int]:
        """Return the seats that take part in a new match: somebody is there, or was lately and has a box."""
        return [seat.number for seat in self if seat.joined and self._may_be_there(seat)]

    def _may_be_there(self, seat: Seat) -> bool:
        if seat.presence != "asleep":
            return seat.presence == "here"
        return self.silent_seconds(seat) < ACTIVE_SECONDS

    def silent_seconds(self, seat: Seat) -> float:
        """Return the seconds without a connected phone or a touch of the box; infinite after the seat was left."""
        if seat.phone_on:
            return 0.0
        phone = (seat.away_since if seat.away_since is not None else self._clock.now()) if seat.sid else -inf
        return self._clock.now() - max(phone, seat.touched_at)

    def of_box(self, box: str) -> Seat | None:
        """Return the seat of a box."""
        return next((seat for seat in self if seat.box == box), None)

    def without_box(self) -> list[Seat]:
        """Return the seats that may get a new box: those without one, or else those whose box is lost."""
        return [seat for seat in self if not seat.box] or [seat for seat in self if not seat.box_on]

    def has_similar_name(self, name: str, number: int) -> bool:
        """Return whether somebody at another seat than `number` has a name that looks alike."""
        return any(seat.joined and seat.number != number and look_alike(name, seat.display_name) for seat in self)

    def bind(self, box: str, number: int) -> None:
        """Assign a box to this seat only."""
        if number not in self._seats:
            return
        for seat in self:
            if seat.box == box and seat.number != number:
                seat.box, seat.box_on = "", False
        self._seats[number].box = box

    # --- on disk ---

    def restore(self) -> None:
        """Restore the seats from disk, and the logins of their phones. Raise LogError."""
        for one in self._kept.read("places", list[KeptSeat], say("who sits where")) or []:
            seat = self._seats.get(one.seat)
            if seat:
                seat.sid, seat.password, seat.phone_key = one.sid, one.password, one.phone_key
                if len(one.code) == SEAT_CODE_LENGTH:  # older versions had codes of four digits
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
        """Mark a seat as silent for this many seconds already, after a start of the hub."""
        since = self._clock.now() - seconds
        if seat.sid:
            seat.away_since = since
        elif seat.on_box:
            seat.touched_at = since

    def save(self) -> None:
        """Write the seats to disk. Raise LogError."""
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
        """Save the changes made in this context, or undo them if the disk fails. Raise LogError."""
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
        """Return the codes for the table's screens by seat number. `playing` are the seats of a running match.

        The code of an occupied seat, or of a seat in play, appears only on request (`ask_for_code`). If nobody is left
        to request it, the codes of unoccupied seats in play are shown.
        """
        shown, now = {}, self._clock.now()
        alone = not any(seat.is_somebodys and seat.presence == "here" for seat in self)
        for seat in self:
            free = seat.is_house or (not seat.sid and not (seat.is_somebodys and seat.box_on))
            if (free and (seat.number not in playing or alone or seat.is_house)) or now < seat.code_until:
                shown[str(seat.number)] = seat.code
        return shown

    def how_to_join(self, seat: Seat) -> Text:
        """Return advice, possible right now, for a person whose phone was refused a seat."""
        if str(seat.number) in self.codes(self._playing()):
            return say("Type its code from the big screen.")
        if seat.sid and seat.phone_on:
            return say("Type the code that its phone shows under Seat.")
        if not seat.sid and not seat.box_on and any(one.phone_on for one in self):
            return say("Anybody with a phone here can show its code, under Seat.")
        return say("Try again later, or ask staff.")

    def ask_for_code(self, seat: Seat) -> None:
        """Show the code of a seat on the table's screens for a minute."""
        seat.code_until = self._clock.now() + CODE_SECONDS

    def show_hand_over(self, seat: Seat) -> None:
        """Create a hand-over code, which lets one other phone take the seat within two minutes."""
        seat.hand_over = new_code(self._random, HAND_OVER_LENGTH)
        seat.hand_over_until = self._clock.now() + HAND_OVER_SECONDS

    def hand_over_seconds(self, seat: Seat) -> int:
        """Return for how many more seconds the hand-over code is valid."""
        return max(0, ceil(seat.hand_over_until - self._clock.now())) if seat.hand_over else 0

    # --- time ---

    def update_phones(self) -> bool:
        """Note which phones are disconnected and which players have left their box. Return whether there is one."""
        changed, now = False, self._clock.now()
        for seat in self:
            if seat.phone_on or not seat.sid:
                seat.away_since = None
            elif seat.away_since is None:
                seat.away_since = now
            # Without a phone, the box is the only sign of its player, who may think for a long time.
            if seat.on_box and (seat.phone_on or (seat.sid and now - seat.touched_at >= ACTIVE_SECONDS)):
                seat.on_box, changed = False, changed or not seat.phone_on
        return changed
