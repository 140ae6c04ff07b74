"""Who sits where: the seats of one table, what holds each (a phone, a box, both), and how a seat is claimed.

A seat changes when the disk has it, or not at all. Everything here is called from the table's thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from hmac import compare_digest
from math import ceil, inf
from secrets import token_urlsafe

import msgspec

from hub.errors import LogError
from hub.ports import ClaimAsked, ClaimDecided, Clock, Phones
from hub.state import Ack
from hub.table.kept import KeptValues
from hub.table.names import SENTENCE, Names
from hub.table.seat import SEAT_CODE_LENGTH, KeptSeat, Seat, new_code, person_of

CLAIM_SECONDS = 30.0
CODE_SECONDS = 60.0
"""How long the code of a hand in play stands on the table's own screens once it was asked for."""
SHOWN_SECONDS = 1.5
"""How long a claim is shown before its seat's box counts: longer than the gesture takes, so that none began before."""
PHONE_FIRST_SECONDS = 10.0
"""How long a claim of a seat whose phone is on is that phone's alone to decide."""
QUIET_SECONDS = 60.0
"""How long a seat that somebody sits at is had by its code only after a claim that was not agreed to; then twice that ..."""
HAND_OVER_LENGTH = 16
"""Letters of a code that is scanned and never typed."""
HAND_OVER_SECONDS = 120.0
"""How long a phone may be taken over by who scans the code that it shows."""
ALARM_AFTER = 10
"""So many wrong codes within `ALARM_SECONDS` are no slip of the fingers: everybody is told that somebody guesses."""
ALARM_SECONDS = 600.0
HEARD_SECONDS = 180.0
"""So long after a control was touched somebody counts as sitting at a box: it stays plugged in when its player has gone."""
MOST_EARLIER = 4
"""Logins that a phone had before and may prove with its claim: who was it in a match that was put aside?"""


@dataclass(frozen=True, slots=True)
class WaitingClaim:
    """A claim that waits for its seat's box, or for the phone that holds the seat.

    `number` tells it from every other claim of this table. The box counts from `counts_from` on, in seconds of the
    table's clock; at `ends` the claim is refused. `by_people`: the others at the table decide, no box.
    """

    number: int
    asked: ClaimAsked
    counts_from: float
    ends: float
    by_people: bool = False


class Seats:
    """The seats of one table by number, and of each seat the one claim that may wait to be agreed to."""

    def __init__(self, count: int, kept: KeptValues, phones: Phones, clock: Clock, names: Names) -> None:
        self._names = names
        self._kept, self._phones, self._clock = kept, phones, clock
        self._seats = {number: Seat(number, new_code(SEAT_CODE_LENGTH)) for number in range(1, count + 1)}
        self._claims: dict[int, WaitingClaim] = {}
        self._claims_asked = 0
        self._wrong_codes: deque[float] = deque(maxlen=ALARM_AFTER)  # when the last ones came

    def __iter__(self) -> Iterator[Seat]:
        """Return the seats by rising number."""
        return iter(self._seats.values())

    def __getitem__(self, number: int) -> Seat:
        return self._seats[number]

    def held_by(self, sid: str) -> Seat | None:
        """Return the seat that a phone's login holds."""
        return next((seat for seat in self if seat.sid and seat.sid == sid), None)

    def present(self, playing: Sequence[int]) -> list[int]:
        """Return those of the seats `playing` from which a person can be heard now."""
        return [s.number for s in self if s.number in playing and s.presence == "here" and not s.house]

    def hear(self, seat: Seat) -> None:
        """Take note that somebody at a seat does something, or that its box was just plugged in."""
        seat.heard_at = self._clock.now()

    def is_heard(self, number: int) -> bool:
        """Return whether somebody was heard of at a seat of late: its phone is on, or a control of its box was touched."""
        seat = self._seats[number]
        return seat.phone_on or self._clock.now() - seat.heard_at < HEARD_SECONDS

    def of_box(self, box: str) -> Seat | None:
        """Return the seat that a box stands at."""
        return next((seat for seat in self if seat.box == box), None)

    def without_box(self) -> list[Seat]:
        """Return the seats that a new box may be put to: those without one; else those whose box is lost."""
        return [seat for seat in self if not seat.box] or [seat for seat in self if not seat.box_on]

    def bind(self, box: str, number: int) -> None:
        """Put a box to this seat, and to no other."""
        if number not in self._seats:
            return
        for seat in self:
            if seat.box == box and seat.number != number:
                seat.box, seat.box_on = "", False
        self._seats[number].box = box

    # --- on disk ---

    def recall(self) -> None:
        """Take up who sat where, and make the phones' logins again. Raise LogError."""
        for one in self._kept.read("places", list[KeptSeat], "who sits where") or []:
            seat = self._seats.get(one.seat)
            if seat:
                seat.sid, seat.password, seat.phone_key = one.sid, one.password, one.phone_key
                if len(one.code) == SEAT_CODE_LENGTH:  # codes had four digits once
                    seat.code = one.code
                seat.name, seat.box, seat.joined, seat.earlier = one.name, one.box, one.joined, one.earlier
                seat.house, seat.stands_in = one.house or one.stand_in, bool(one.stand_in)
                seat.house_before, seat.left = one.house_before, one.left
                seat.ready, seat.wish = one.ready or seat.is_house, one.wish
                if seat.sid:
                    self._phones.admit(seat.sid, seat.password, seat.phone_key)

    def keep(self) -> None:
        """Write down who sits where. Raise LogError."""
        kept = [
            KeptSeat(
                s.number, s.code, s.sid, s.password, s.phone_key, s.name, s.box, s.joined, s.earlier,
                s.house if s.is_house else "", s.house_before, s.left, s.house if s.stands_in else "", s.ready, s.wish,
            )
            for s in self
        ]  # fmt: skip
        self._kept.write("places", msgspec.json.encode(kept))

    @contextmanager
    def changing(self, seat: Seat) -> Iterator[Seat]:
        """Keep what is changed inside, or change it back where the disk cannot. Raise LogError."""
        before = replace(seat)
        yield seat
        try:
            self.keep()
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
        alone = not any(seat.box_on or (seat.sid and seat.phone_on) for seat in self)
        for seat in self:
            free = seat.is_house or (not seat.sid and not (seat.joined and seat.box_on))
            if (free and (seat.number not in playing or alone or seat.is_house)) or now < seat.code_until:
                shown[str(seat.number)] = seat.code
        return shown

    def ask_for_code(self, seat: Seat) -> None:
        """Let the table's own screens show a seat's code for a minute."""
        seat.code_until = self._clock.now() + CODE_SECONDS

    def show_hand_over(self, seat: Seat) -> None:
        """Let one other phone take a seat for two minutes, by a new code that its own phone shows."""
        seat.hand_over = new_code(HAND_OVER_LENGTH)
        seat.hand_over_until = self._clock.now() + HAND_OVER_SECONDS

    def hand_over_seconds(self, seat: Seat) -> int:
        """Return for how many seconds more a seat may be taken by the code that its phone shows."""
        return max(0, ceil(seat.hand_over_until - self._clock.now())) if seat.hand_over else 0

    # --- claims ---

    @property
    def claimed(self) -> Sequence[int]:
        """Return the seats that somebody asks for and that nobody has agreed to yet."""
        return sorted(self._claims)

    def waiting(self, seat: int) -> WaitingClaim | None:
        """Return the claim that waits for this seat, if one does."""
        return self._claims.get(seat)

    def box_counts(self, seat: int) -> bool:
        """Return whether the box of a claimed seat may answer now: the claim was shown, and its phone asked before."""
        claim = self._claims.get(seat)
        return claim is not None and self._clock.now() >= claim.counts_from

    def ask(self, claim: ClaimAsked, *, choosing: bool, vouched: bool = False, away_seconds: float = 0.0) -> None:
        """Decide about a claim, or let it wait for the box. `choosing`: the box holds a sealed choice and cannot show it.

        `vouched`: others sit here who can be asked about a seat that nothing has been heard of for `away_seconds`; then it
        waits for them (`by_people`).
        """
        seat, now = self._seats.get(claim.seat), self._clock.now()
        if seat is None:
            self._refuse(claim, f"There is no seat {claim.seat} at this table.")
        elif self._names.mislead(claim.name):
            self._refuse(claim, SENTENCE)
        elif claim.code is not None:
            wanted = seat.hand_over if len(claim.code) == HAND_OVER_LENGTH else seat.code
            if wanted and compare_digest(claim.code.encode(), wanted.encode()):
                self._grant(seat, claim)
            elif len(claim.code) == HAND_OVER_LENGTH:
                sentence = (
                    "This code was scanned before, or its two minutes are over: let the other phone show a new one."
                )
                self._refuse(claim, sentence, wrong_code=True)
            else:
                self._wrong_codes.append(now)
                self._refuse(claim, f"That is not the code of seat {claim.seat}.", wrong_code=True)
        elif (not seat.box_on or choosing) and not (vouched and self._is_left(seat, claim, away_seconds)):
            cause = "is choosing in its box" if seat.box_on else "has no box"
            where = "that its phone shows under Seat" if seat.sid else "from the big screen"
            self._refuse(claim, f"Seat {claim.seat} {cause}: type its code {where}.")
        elif claim.seat in self._claims:
            self._refuse(claim, f"Somebody else asks for seat {claim.seat} just now: try again in a moment.")
        elif now < seat.quiet_until:
            self._refuse(claim, f"Seat {claim.seat} was asked for a moment ago, and nobody agreed: type its code.")
        else:
            self._claims_asked += 1
            if not seat.box_on:
                self._claims[claim.seat] = WaitingClaim(
                    self._claims_asked, claim, inf, now + CLAIM_SECONDS, by_people=True
                )
                return
            pause = PHONE_FIRST_SECONDS if seat.sid and seat.phone_on else SHOWN_SECONDS
            self._claims[claim.seat] = WaitingClaim(self._claims_asked, claim, now + pause, now + CLAIM_SECONDS)

    def _is_left(self, seat: Seat, claim: ClaimAsked, seconds: float) -> bool:
        """Return whether the others may be asked who it is: somebody's seat without a box, whose phone is long gone."""
        is_left = seat.joined and bool(seat.sid) and not seat.box_on and seat.away_since is not None
        return is_left and claim.code is None and self._clock.now() - (seat.away_since or 0.0) >= seconds

    def grant(self, seat: int) -> None:
        """Give the claimed seat away: its box, or the phone that holds it, said yes. Raise LogError."""
        if claim := self._claims.get(seat):
            self._grant(self._seats[seat], claim.asked)

    def refuse(self, seat: int, sentence: str) -> None:
        """Refuse the claim that waits for a seat, if one does; whoever sits there is left alone for a while."""
        if claim := self._claims.get(seat):
            asked = self._seats[seat]
            if asked.joined:
                asked.quiet_until = self._clock.now() + QUIET_SECONDS * 2 ** min(asked.not_agreed, 5)
                asked.not_agreed += 1
            self._refuse(claim.asked, sentence)

    def put_off(self, seat: int, sentence: str) -> None:
        """Refuse the claim that waits for a seat; whoever sits there was not asked, so the next one may come at once."""
        if claim := self._claims.get(seat):
            self._refuse(claim.asked, sentence)

    def due(self) -> bool:
        """Refuse the claims that have waited too long, hide codes again; return whether there was one."""
        for seat in self:
            if seat.phone_on or not seat.sid:
                seat.away_since = None
            elif seat.away_since is None:
                seat.away_since = self._clock.now()
        hidden = [seat for seat in self if seat.code_until and self._clock.now() >= seat.code_until]
        for seat in hidden:
            seat.code_until = 0.0
        over = [seat for seat in self if seat.hand_over and self._clock.now() >= seat.hand_over_until]
        for seat in over:
            seat.hand_over = ""
        late = [seat for seat, claim in self._claims.items() if self._clock.now() >= claim.ends]
        for number in late:
            self.refuse(number, "Nobody at the seat agreed in time: try again, or type its code.")
        return bool(late or hidden or over)

    def arrange(self, places: Mapping[int, int]) -> None:
        """Let who sits at seat `places[number]` sit at `number` from now on, with phone, name and code; boxes stay. Raise LogError.

        `places` is a permutation of all seats. Claims of seats that change are put off.
        """
        moved = [self._seats[number] for number, source in places.items() if number != source]
        for seat in moved:
            self.put_off(seat.number, "Somebody else sits there now: try again.")
        names = [one.name for one in fields(Seat) if one.name not in ("number", "box", "box_on")]
        before = {number: {name: getattr(seat, name) for name in names} for number, seat in self._seats.items()}

        def put(places: Mapping[int, int]) -> None:
            for number, source in places.items():
                for name, value in before[source].items():
                    setattr(self._seats[number], name, value)

        put(places)
        try:
            self.keep()
        except LogError:
            put({number: number for number in places})
            raise

    def release(self, seat: Seat, *, playing: bool, answered: str = "") -> None:
        """Take the seat from its phone. Who is `playing` keeps name and seat for coming back. Raise LogError.

        `answered`: the request by which the phone itself has left. It is answered before its login ends.
        """
        sid = seat.sid
        with self.changing(seat):
            seat.left = seat.person or seat.left
            seat.sid, seat.password, seat.phone_key, seat.code, seat.phone_on = (
                "",
                "",
                b"",
                new_code(SEAT_CODE_LENGTH),
                False,
            )
            seat.hand_over = ""
            seat.earlier = []  # what the phone could prove goes with it
            if not playing:
                seat.empty()
            elif seat.house_before:
                seat.give_back()
        if sid and answered:
            self._phones.answer(sid, Ack(answered, ok=True))
        if sid:
            self._phones.release(sid)

    @property
    def guessed_at(self) -> bool:
        """Return whether so many wrong codes came of late that somebody seems to guess."""
        codes = self._wrong_codes
        return len(codes) == ALARM_AFTER and self._clock.now() - codes[0] <= ALARM_SECONDS

    def _refuse(self, claim: ClaimAsked, sentence: str, *, wrong_code: bool = False) -> None:
        self._forget(claim)
        claim.answer(ClaimDecided(claim.claim, False, sentence, wrong_code=wrong_code))

    def _forget(self, claim: ClaimAsked) -> None:
        waiting = self._claims.get(claim.seat)
        if waiting and waiting.asked.claim == claim.claim:
            del self._claims[claim.seat]

    def _grant(self, seat: Seat, claim: ClaimAsked) -> None:
        """Give the seat to the phone that asked; whoever held it before is out, at once, and whoever asked beside it."""
        self._forget(claim)
        before = seat.sid
        try:
            with self.changing(seat):
                seat.sid, seat.password, seat.phone_key = token_urlsafe(12), token_urlsafe(24), claim.phone_key
                seat.take_from_house()
                seat.code, seat.name = new_code(SEAT_CODE_LENGTH), claim.name or seat.name
                seat.not_agreed, seat.code_until, seat.hand_over, seat.left = 0, 0.0, "", ""
                seat.earlier = [person_of(*one) for one in claim.earlier[:MOST_EARLIER]]
                seat.joined, seat.phone_on = True, False
        except LogError:
            self._refuse(claim, "The record cannot be written now: try again in a moment.")
            raise
        if before:
            self._phones.release(before)
        self._phones.admit(seat.sid, seat.password, seat.phone_key)
        if other := self._claims.get(seat.number):
            self._refuse(other.asked, f"Seat {seat.number} has just been taken.")
        claim.answer(ClaimDecided(claim.claim, True, f"Seat {seat.number} is yours.", seat.sid, seat.password))
