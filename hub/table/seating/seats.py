"""Claims for seats: deciding, granting and refusing them.

A change that cannot be written to disk is undone. Everything here runs on the table's thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from hmac import compare_digest
from math import ceil, inf
from typing import Literal, TypeAlias

from hub.engine.text import say
from hub.errors import LogError
from hub.ports import ClaimDecided, ClaimRequest
from hub.state import Ack
from hub.table.base.kept import KeptValues
from hub.table.base.names import MISLEADING_NAME, NAME_IN_USE
from hub.table.base.ports import Ports
from hub.table.seating.seat import SEAT_CODE_LENGTH, Seat, new_code, new_token, person_of
from hub.table.seating.seat_list import HAND_OVER_LENGTH, SeatList

CLAIM_SECONDS = 30.0
SHOWN_SECONDS = 1.5
"""How long a claim is shown before the box may answer: longer than a press, so that no earlier press counts."""
PHONE_FIRST_SECONDS = 10.0
"""How long only the connected phone of the seat may answer a claim."""
QUIET_SECONDS = 60.0
"""How long, after a refusal, an occupied seat can be claimed by code only. Each further refusal doubles it."""
ALARM_AFTER = 10
"""This many wrong codes within `ALARM_SECONDS` post a notice that somebody is guessing."""
ALARM_SECONDS = 600.0
LEFT_SECONDS = 30.0
"""Grace period for an absence by mistake, such as a lost network or a seat left too soon."""
MOST_EARLIER = 4
"""Maximum number of earlier keys that a phone may prove with a claim, to be recognized in suspended matches."""


Decider: TypeAlias = Literal["box", "people", "time"]


@dataclass(frozen=True, slots=True)
class WaitingClaim:
    """A claim that waits for a decision. Times are in the clock's seconds.

    `number` is unique at this table. The box may answer from `counts_from` on; at `ends` the claim is refused. `by` is
    who decides: the box or phone of the seat, the other people at the table, or time (if nobody there answers).
    """

    number: int
    request: ClaimRequest
    counts_from: float
    ends: float
    by: Decider = "box"


class Seats(SeatList):
    """The seats of one table, with at most one pending claim each."""

    def __init__(self, count: int, kept: KeptValues, ports: Ports, playing: Callable[[], Sequence[int]]) -> None:
        """`playing` returns the seats of a running match."""
        super().__init__(count, kept, ports, playing)
        self._claims: dict[int, WaitingClaim] = {}
        self._claim_count = 0
        self._wrong_codes: deque[float] = deque(maxlen=ALARM_AFTER)  # times of the latest ones

    # --- claims ---

    @property
    def claimed_seats(self) -> Sequence[int]:
        """Return the seats with a pending claim, in order."""
        return sorted(self._claims)

    def claim_for(self, seat: int) -> WaitingClaim | None:
        """Return the pending claim for a seat, or None."""
        return self._claims.get(seat)

    def box_may_answer(self, seat: int) -> bool:
        """Return whether the box of a claimed seat may answer now (`WaitingClaim.counts_from`)."""
        claim = self._claims.get(seat)
        return claim is not None and self._clock.now() >= claim.counts_from

    def handle_claim(
        self, claim: ClaimRequest, *, choosing: bool, vouched: bool, away_seconds: float, called: bool,
        free_in: float | None,
    ) -> None:  # fmt: skip
        """Grant or refuse a claim, or let it wait. Raise LogError.

        - `choosing`: the box holds a sealed choice, so it cannot show the claim.
        - `vouched`: other people can vouch for the seat once its phone has been away for `away_seconds`.
        - `called`: nobody at the table is active, and its screens call the person of this seat; the claim waits for the result.
        - `free_in`: seconds until the seat becomes free if its person stays away.
        """
        seat, now = self._seats.get(claim.seat), self._clock.now()
        if seat is None:
            self._refuse(claim, say("There is no seat {seat} at this table.", seat=claim.seat))
        elif self._names.is_misleading(claim.name):
            self._refuse(claim, MISLEADING_NAME)
        elif self.has_similar_name(claim.name, claim.seat):
            self._refuse(claim, NAME_IN_USE)
        elif claim.code is not None:
            wanted = seat.hand_over if len(claim.code) == HAND_OVER_LENGTH else seat.code
            if wanted and compare_digest(claim.code.encode(), wanted.encode()):
                self._grant(seat, claim)
            elif len(claim.code) == HAND_OVER_LENGTH:
                sentence = say(
                    "This code was scanned before, or its two minutes are over: let the other phone show a new one."
                )
                self._refuse(claim, sentence, wrong_code=True)
            else:
                self._wrong_codes.append(now)
                self._refuse(claim, say("That is not the code of seat {seat}.", seat=claim.seat), wrong_code=True)
        elif (not seat.box_on or choosing) and called:
            self._wait(claim, inf, by="time")
        elif (not seat.box_on or choosing) and not (vouched and self._is_left(seat, away_seconds)):
            if free_in is not None:
                sentence = say(
                    "Seat {seat} is kept for a phone that is away, for at most {minutes} min. "
                    "The people at the table, or staff, can free it now.",
                    seat=seat.number,
                    minutes=max(1, ceil(free_in / 60)),
                )
            elif seat.box_on:
                sentence = say(
                    "Seat {seat} is choosing on its box. {advice}", seat=claim.seat, advice=self.how_to_join(seat)
                )
            else:
                sentence = say("Seat {seat} has no box. {advice}", seat=claim.seat, advice=self.how_to_join(seat))
            self._refuse(claim, sentence)
        elif claim.seat not in self._claims and now < seat.quiet_until:
            sentence = say(
                "Seat {seat} was asked for a moment ago, and nobody agreed. {advice}",
                seat=claim.seat,
                advice=self.how_to_join(seat),
            )
            self._refuse(claim, sentence)
        elif not seat.box_on:
            self._wait(claim, inf, by="people")
        else:
            self._wait(claim, now + (PHONE_FIRST_SECONDS if seat.sid and seat.phone_on else SHOWN_SECONDS))

    def _wait(self, claim: ClaimRequest, counts_from: float, by: Decider = "box") -> None:
        """Let a claim wait. Refuse it if another one for the same seat is waiting."""
        if claim.seat in self._claims:
            self._refuse(claim, say("Somebody else is asking for seat {seat}: try again in a moment.", seat=claim.seat))
            return
        self._claim_count += 1
        ends = self._clock.now() + CLAIM_SECONDS
        self._claims[claim.seat] = WaitingClaim(self._claim_count, claim, counts_from, ends, by)

    def _is_left(self, seat: Seat, seconds: float) -> bool:
        """Return whether others may decide: the phone has been away for `seconds`, and there is no box."""
        if not seat.sid or seat.box_on or seat.away_since is None:
            return False
        return self._clock.now() - seat.away_since >= seconds

    def grant(self, seat: int) -> None:
        """Grant the pending claim for a seat. Raise LogError."""
        if claim := self._claims.get(seat):
            self._grant(self._seats[seat], claim.request)

    def refuse(self, seat: int, sentence: str) -> None:
        """Refuse the pending claim for a seat, if any. An occupied seat is then protected for a while."""
        if claim := self._claims.get(seat):
            asked = self._seats[seat]
            if asked.joined:
                asked.quiet_until = self._clock.now() + QUIET_SECONDS * 2 ** min(asked.not_agreed, 5)
                asked.not_agreed += 1
            self._refuse(claim.request, sentence)

    def cancel_claim(self, seat: int, sentence: str, by: Decider | None = None) -> None:
        """Refuse the pending claim for a seat, without a waiting time for the next one.

        With `by`, only a claim that is decided in this way.
        """
        claim = self._claims.get(seat)
        if claim and by in (None, claim.by):
            self._refuse(claim.request, sentence)

    def run_due(self) -> bool:
        """Refuse claims that have expired, and hide codes. Return whether anything has changed."""
        changed = self.update_phones()
        hidden = [seat for seat in self if seat.code_until and self._clock.now() >= seat.code_until]
        for seat in hidden:
            seat.code_until = 0.0
        over = [seat for seat in self if seat.hand_over and self._clock.now() >= seat.hand_over_until]
        for seat in over:
            seat.hand_over = ""
        late = [one for one, claim in self._claims.items() if self._clock.now() >= claim.ends and claim.by != "time"]
        for number in late:
            self.refuse(
                number,
                say("Nobody at the seat agreed in time. {advice}", advice=self.how_to_join(self._seats[number])),
            )
        return bool(late or hidden or over) or changed

    def arrange(self, places: Mapping[int, int]) -> None:
        """Move the person at seat `places[number]` to `number`, with phone, name and code. Boxes stay. Raise LogError.

        `places` is a permutation of all seats. Pending claims for seats that change are canceled.
        """
        moved = [self._seats[number] for number, source in places.items() if number != source]
        for seat in moved:
            self.cancel_claim(seat.number, say("Somebody else sits there now: try again."))
        names = [one.name for one in fields(Seat) if one.name not in ("number", "box", "box_on")]
        before = {number: {name: getattr(seat, name) for name in names} for number, seat in self._seats.items()}

        def put(places: Mapping[int, int]) -> None:
            for number, source in places.items():
                for name, value in before[source].items():
                    setattr(self._seats[number], name, value)

        put(places)
        try:
            self.save()
        except LogError:
            put({number: number for number in places})
            raise

    def release(self, seat: Seat, *, playing: bool, answered: str = "") -> None:
        """Take the seat from its phone. With `playing`, the person keeps seat and name, to come back. Raise LogError.

        `answered`: the id of the phone's own request to leave, which is acknowledged before the login ends.
        """
        sid = seat.sid
        with self.changing(seat):
            seat.left_by = seat.person or seat.left_by
            seat.sid, seat.password, seat.phone_key, seat.code, seat.phone_on = (
                "",
                "",
                b"",
                new_code(self._random, SEAT_CODE_LENGTH),
                False,
            )
            seat.hand_over = ""
            seat.on_box, seat.touched_at = False, -inf
            seat.earlier_persons = []  # these belong to the phone
            if not playing:
                seat.clear()
            elif seat.house_before:
                seat.return_to_house()
        if answered:
            self._phones.answer(sid, Ack(answered, ok=True))
        if sid:
            self._phones.release(sid)

    @property
    def guessing_suspected(self) -> bool:
        """Return whether the number of recent wrong codes suggests that somebody is guessing."""
        codes = self._wrong_codes
        return len(codes) == ALARM_AFTER and self._clock.now() - codes[0] <= ALARM_SECONDS

    def _refuse(self, claim: ClaimRequest, sentence: str, *, wrong_code: bool = False) -> None:
        self._forget(claim)
        claim.answer(ClaimDecided(claim.claim, False, sentence, wrong_code=wrong_code))

    def _forget(self, claim: ClaimRequest) -> None:
        waiting = self._claims.get(claim.seat)
        if waiting and waiting.request.claim == claim.claim:
            del self._claims[claim.seat]

    def _grant(self, seat: Seat, claim: ClaimRequest) -> None:
        """Give the seat to the claiming phone. End the login of the previous phone and refuse any other claim."""
        self._forget(claim)
        before = seat.sid
        try:
            with self.changing(seat):
                login = self._phones.spare() or (new_token(self._random, 12), new_token(self._random, 24))
                seat.sid, seat.password, seat.phone_key = *login, claim.phone_key
                seat.take_from_house()
                seat.ready = seat.ready and not before  # a new phone has to confirm again
                seat.code, seat.name = new_code(self._random, SEAT_CODE_LENGTH), claim.name or seat.name
                seat.not_agreed, seat.code_until, seat.hand_over, seat.left_by = 0, 0.0, "", ""
                seat.earlier_persons = [person_of(one) for one in claim.earlier_keys[:MOST_EARLIER]]
                seat.joined, seat.phone_on, seat.has_connected, seat.away_since = True, False, False, None
                seat.on_box, seat.touched_at = False, -inf
        except LogError:
            self._refuse(claim, say("The hub cannot save anything right now: try again in a moment."))
            raise
        if before:
            self._phones.release(before)
        self._phones.admit(seat.sid, seat.password, seat.phone_key)
        if other := self._claims.get(seat.number):
            self._refuse(other.request, say("Seat {seat} has just been taken.", seat=seat.number))
        claim.answer(
            ClaimDecided(claim.claim, True, say("Seat {seat} is yours.", seat=seat.number), seat.sid, seat.password)
        )
