"""Known defects, put back one at a time: how many evenings it takes until a promise is broken.

`python -m tests.simulation.defects [DEFECT ...]` prints a table. A defect that no evening finds says what the simulation
lacks. Some have been real; the others are one method that does nothing, or too much.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

from msgspec.structs import replace

from hub.engine.secret import own
from hub.network.encryption import SharedKey
from hub.network.staff_messages import Did
from hub.ports import PhoneRequest, StaffRequest
from hub.store import Store, store
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.dice.dispute import Dispute
from hub.table.dice.rolls import Rolls
from hub.table.dice.table_dice import TableDice
from hub.table.inbox import Inbox
from hub.table.loop import Table
from hub.table.match.match_log import MatchLog
from hub.table.people import lobby
from hub.table.people.absence import Absence
from hub.table.people.endings import Endings
from hub.table.people.game_choice import GameChoice
from hub.table.people.house_seats import HouseSeats
from hub.table.people.lobby import Lobby
from hub.table.people.vacancy import Vacancy
from hub.table.seating.questions import Questions
from hub.table.seating.seat_list import SeatList
from hub.table.seating.seats import Seats
from hub.table.staff.desk import StaffDesk
from hub.table.views.snapshot import Snapshots
from phone_ui.direct import DirectPhone
from phone_ui.limits import TokenBucket
from phone_ui.mqtt_phones import PhonesOverMqtt
from tests.simulation.shrink import simulate

MOST_EVENINGS = 60
MINUTES = 6.0
JOBS = 2


class Defect(NamedTuple):
    """What is wrong: `name` of `owner` is replaced by what `change` makes of it."""

    owner: Any
    name: str
    change: Callable[[Any], Any]


def _never(_: Any) -> Any:
    return lambda *_, **__: False


def _nothing(_: Any) -> Any:
    return lambda *_, **__: None


def _always(_: Any) -> Any:
    return lambda *_, **__: True


def _written_nothing(right: Any) -> Any:
    return lambda self, match, entries, seal=None: right(self, match, entries[:0], seal)


def _ghosts(right: Any) -> Any:
    return lambda self, seat, on: right(self, seat, on=True) if on else None


def _twice(right: Any) -> Any:
    def accept(self: Any, sid: str, claim: Any, act: Any) -> None:
        claim.last, claim.answers = 0, {}
        right(self, sid, claim, act)

    return accept


def _not_synced(right: Any) -> Any:
    def connect(path: Any) -> Any:
        db = right(path)
        db.execute("PRAGMA synchronous=OFF")
        return db

    return connect


def _login_stays(_: Any) -> Any:
    return lambda self, sid: self._claims.pop(sid, None)


def _hand_stays(_: Any) -> Any:
    def release(self: Any, sid: str) -> None:
        if self._claims.pop(sid, None):
            self._broker.logins.release(sid)
            self._make_spares()

    return release


def _login_twice(right: Any) -> Any:
    def admit(self: Any, sid: str, password: str, phone_key: bytes) -> None:
        is_spare = sid in self._spares
        right(self, sid, password, phone_key)
        if is_spare:
            self._spares[sid] = password

    return admit


def _anybody_has_it(_: Any) -> Any:
    return lambda self, claim, **_: self._grant(self._seats[claim.seat], claim)


def _stalls_for_good(_: Any) -> Any:
    async def flush_later(self: Any) -> None:
        await self._wire.drain()

    return flush_later


def _few_requests(right: Any) -> Any:
    def put(self: Any, signal: object) -> bool:
        return bool(
            not (isinstance(signal, PhoneRequest) and signal.verb == "act" and signal.n % 7 == 0)
            and right(self, signal)
        )

    return put


def _shows_choices(right: Any) -> Any:
    def public(self: Any, table: Any) -> Any:
        decision = self._play.decision
        if decision is None or decision.kind != "sealed":
            return right(self, table)
        return replace(right(self, table), want=f"{[answer.args for answer in decision.answers.values()]}")

    return public


def _shows_cards(right: Any) -> Any:
    def public(self: Any, table: Any) -> Any:
        match = self._play.match
        return (
            replace(right(self, table), want=f"{own(match.state, min(match.state.seats))}")
            if match
            else right(self, table)
        )

    return public


def _shows_anothers_choice(right: Any) -> Any:
    def hand(self: Any, seat: Any) -> Any:
        decision = self._play.decision
        answers = [*decision.answers.values()] if decision and decision.kind == "sealed" else []
        return replace(right(self, seat), hint=None, dial_at=f"{answers[0].args}" if answers else "")

    return hand


def _fails(_: Any) -> Any:
    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError

    return fail


def _fails_sometimes(right: Any) -> Any:
    random = Random(1)

    def fail(*given: Any, **named: Any) -> Any:
        if random.random() < 0.02:
            raise ZeroDivisionError
        return right(*given, **named)

    return fail


def _not_padded(right: Any) -> Any:
    return lambda self, text, size: right(self, text, 1)


def _first_yes(right: Any) -> Any:
    def decide(self: Any, *, late: bool) -> Any:
        asked = self.open
        if asked is None or "yes" not in asked.votes.values():
            return right(self, late=late)
        self.open = None
        asked.on_decision("yes")
        return True

    return decide


def _any_code(right: Any) -> Any:
    def handle_claim(self: Any, claim: Any, **more: Any) -> None:
        if claim.code is None:
            right(self, claim, **more)
        else:
            self._grant(self._seats[claim.seat], claim)

    return handle_claim


def _no_answer(right: Any) -> Any:
    return lambda self, asked: right(self, StaffRequest(asked.verb, asked.args, lambda *_: None))


def _shows_codes(right: Any) -> Any:
    return lambda self, table: replace(right(self, table), preset=",".join(seat.code for seat in self._seats))


def _other_faces(right: Any) -> Any:
    def result(self: Any) -> Any:
        whole = right.fget(self)
        return whole and ([*whole[0][:-1], whole[0][-1] % self.roll.sides + 1], whole[1])

    return property(result)


def _shows_staff(right: Any) -> Any:
    def update_desk(self: Any) -> None:
        right(self)
        decision = self._play.decision
        if decision and decision.kind == "sealed":
            self.desk = replace(self.desk, did=[Did(0, f"{[one.args for one in decision.answers.values()]}")])

    return update_desk


def _at_once(_: Any) -> Any:
    return lambda *_: 5.0


def _silent(right: Any) -> Any:
    return lambda self, seat: max(right(self, seat), 1e6 if seat.number == 2 else 0.0)


DEFECTS: Mapping[str, Defect] = {
    "a die counts one more than it shows": Defect(TableDice, "result", _other_faces),
    "staff are shown secret choices": Defect(StaffDesk, "_update_desk", _shows_staff),
    "people are asked about an absent seat at once": Defect(Absence, "_patience_seconds", _at_once),
    "a match that is played counts as idle": Defect(Endings, "note_activity", _nothing),
    "the seat of somebody who is there is freed": Defect(SeatList, "silent_seconds", _silent),
    "one yes decides every vote": Defect(Questions, "_decide", _first_yes),
    "any code opens any seat": Defect(Seats, "handle_claim", _any_code),
    "a suspended match knows everybody": Defect(Endings, "_is_known", _always),
    "a match begins as soon as it is announced": Defect(lobby, "START_SECONDS", lambda _: 0.5),
    "staff are never answered": Defect(StaffDesk, "handle_request", _no_answer),
    "phones are sent the codes of all seats": Defect(Snapshots, "public", _shows_codes),
    "the bar fails between matches": Defect(Lobby, "on_bar", _fails),
    "a dispute fails": Defect(Dispute, "vote", _fails),
    "a second reading fails": Defect(Rolls, "_compare", _fails),
    "a wish fails": Defect(GameChoice, "add_wish", _fails),
    "no seat can be freed by others": Defect(Lobby, "free_seat", _fails),
    "no code can be shown": Defect(SeatList, "ask_for_code", _fails),
    "staff cannot resume": Defect(Endings, "take_up_for_staff", _fails),
    "staff cannot undo": Defect(StaffDesk, "_undo", _fails),
    "shows what is not on disk": Defect(Store, "append", _written_nothing),
    "an undo is not on disk": Defect(Store, "cut", _nothing),
    "the disk is not synced": Defect(store, "connect", _not_synced),
    "seats are not restored": Defect(SeatList, "restore", _never),
    "a failed disk is never tried again": Defect(Table, "_retry", _never),
    "a restart does not raise the epoch": Defect(MatchLog, "restore_epoch", _never),
    "phones in pockets keep their seats for good": Defect(Vacancy, "run_due", _never),
    "a phone that is gone counts as connected": Defect(SeatList, "on_connection", _ghosts),
    "a match that nobody plays is never suspended": Defect(Endings, "run_due", _never),
    "nobody is asked about an absent seat": Defect(Absence, "run_due", _never),
    "a vote about an absent seat changes nothing": Defect(Absence, "_apply_vote", _never),
    "a paused match never goes on": Defect(Absence, "end_pause", _nothing),
    "the house never moves": Defect(HouseSeats, "run_due", _never),
    "a start never begins": Defect(Lobby, "run_due", _never),
    "questions never end": Defect(Questions, "run_due", _never),
    "claims never expire": Defect(Seats, "run_due", _never),
    "a refused claim is not answered": Defect(Seats, "_refuse", _nothing),
    "a seat goes to anybody who asks": Defect(Seats, "handle_claim", _anybody_has_it),
    "strangers may resume a suspended match": Defect(Endings, "_has_played", _always),
    "a repeated request counts twice": Defect(PhonesOverMqtt, "_accept", _twice),
    "a request is lost in the inbox": Defect(Inbox, "put", _few_requests),
    "a phone that has asked a lot is never answered again": Defect(TokenBucket, "_refill", _nothing),
    "the direct path stays silent after a stall": Defect(DirectPhone, "_flush_later", _stalls_for_good),
    "the login of a guest who has left stays": Defect(PhonesOverMqtt, "release", _login_stays),
    "the hand of a guest who has left stays": Defect(PhonesOverMqtt, "release", _hand_stays),
    "two phones get one login": Defect(PhonesOverMqtt, "admit", _login_twice),
    "the length of a hand tells what is in it": Defect(SharedKey, "encrypt", _not_padded),
    "everybody is shown secret choices": Defect(Snapshots, "public", _shows_choices),
    "everybody is shown the cards of the first seat": Defect(Snapshots, "public", _shows_cards),
    "phones are sent the choice of another seat": Defect(Snapshots, "hand", _shows_anothers_choice),
    "the choice in a box is ignored": Defect(SeatBoxes, "handle_report", _never),
    "readings of dice are ignored": Defect(Rolls, "on_reading", _never),
    "a part fails when somebody asks for a table": Defect(Vacancy, "request_table", _fails),
    "a part fails now and then": Defect(Endings, "note_activity", _fails_sometimes),
}
"""By name, what is wrong."""


@contextmanager
def put_back(name: str) -> Iterator[None]:
    """Put a defect back while the block runs."""
    defect = DEFECTS[name]
    with patch.object(defect.owner, defect.name, defect.change(getattr(defect.owner, defect.name))):
        yield


def evenings_until_found(name: str, most: int = MOST_EVENINGS, minutes: float = MINUTES) -> tuple[int, str]:
    """Return the first seed that finds a defect, and the broken promise; 0 and "" if none does."""
    with put_back(name):
        for seed in range(1, most + 1):
            if broken := simulate(seed, minutes, secrets=2).broken:
                return seed, broken
    return 0, ""


def _timed(name: str) -> tuple[str, float, int, str]:
    logging.disable()
    began = time.process_time()
    seed, broken = evenings_until_found(name)
    return name, time.process_time() - began, seed, broken


def main(argv: Sequence[str]) -> int:
    """Print a line per defect. Return 1 if one was not found."""
    missed = 0
    with ProcessPoolExecutor(JOBS, max_tasks_per_child=1) as pool:
        for name, seconds, seed, broken in pool.map(_timed, argv or DEFECTS):
            missed += not seed
            found = f"evening {seed}: {broken[:90]}" if seed else "not found"
            sys.stdout.write(f"{name:55} {seconds:5.0f} s  {found}\n")
            sys.stdout.flush()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
