"""Handle the requests of staff at a table, and keep a record of them. Staff see no hand, bid or code.

Each request is done, or refused with a sentence. The journal has all that was done; the table keeps the last
`MOST_KEPT`. The log of a match holds actions of seats only, so a record names the match and the length of its log.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import UnsetType

from hub.engine.decision import CHANCE, MOVED_ON
from hub.engine.text import Text, say, to_json
from hub.errors import IllegalAction, LogError, NotAsked, NotOffered, Stale
from hub.network import staff_verbs
from hub.network.staff_messages import Desk, Did
from hub.network.verbs import AcknowledgeArgs, SeatArgs, TakeUpArgs, read_args
from hub.ports import StaffRequest
from hub.table.base.kept import KeptText
from hub.table.base.part import Group
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.match import feed
from hub.table.people.people import People
from hub.table.seating.seat import SEAT_CODE_LENGTH, Seat, new_code
from hub.table.staff.hardware_test import HardwareTests
from hub.table.staff.session_limit import SessionLimit

log = logging.getLogger(__name__)

MOST_KEPT = 40
"""At most this many records are kept."""


class KeptDid(msgspec.Struct, frozen=True):
    """A record on disk: the fields of `Did`, with a text for all languages."""

    at: int
    text: KeptText
    match: str | None = None
    entries: int = 0


class StaffDesk(Group):
    """The staff's requests at one table. Called on the table's thread; any thread may read `desk`."""

    def __init__(self, core: Core, rolls: Rolls, people: People, evenings: Sequence[str], volume: int) -> None:
        self._play, self._seats, self._notices, self._rolls = core.play, core.seats, core.notices, rolls
        self._kept, self._wall, self._random = core.kept, core.ports.wall, core.ports.random
        self._endings, self._choice, self._house = people.endings, people.choice, people.house
        self.limit, self.tests = SessionLimit(core, evenings), HardwareTests(core, rolls)
        self.parts = (self.limit, self.tests)
        self._kept_records: list[KeptDid] = []
        self._records: list[Did] = []  # the same for the staff page
        self.light = 100
        """The brightness of rings and the table's screens in percent."""
        self.volume = volume
        """The volume of the table's sounds in percent; the owner's until staff change it."""
        self.desk = Desk(volume=volume)

    def restore(self) -> None:
        """Restore settings and records from before a restart. Raise LogError."""
        what = say("what staff did")
        before = self._kept.read("staff", list[Did], what) or []  # of hubs before November 26, 2026: in English
        english = [KeptDid(one.at, KeptText(one.text, {}), one.match, one.entries) for one in before]
        self._set_records(self._kept.read("did", list[KeptDid], what) or english)
        light = self._kept.read("light", int, say("how bright it is"))
        self.light = light if light in staff_verbs.LIGHTS else 100
        volume = self._kept.read("volume", int, say("how loud it is"))
        self.volume = self.volume if volume is None else min(max(volume, 0), staff_verbs.LOUDEST)
        super().restore()
        self._update_desk()

    def run_due(self) -> bool:
        """Run what is due and update `desk`; return whether anything has changed. Raise LogError."""
        changed = super().run_due()
        self._update_desk()
        return changed

    def _set_records(self, kept: Sequence[KeptDid]) -> None:
        self._kept_records = [*kept[-MOST_KEPT:]]
        self._records = [Did(one.at, one.text.text, one.match, one.entries) for one in self._kept_records]

    def _update_desk(self) -> None:
        limit = self.limit
        self.desk = Desk(
            list(self._records), limit.until, self.light, self.volume, self.tests.report(), by_hours=limit.by_hours,
            put_aside=self._endings.kept_matches,
        )  # fmt: skip

    # --- requests ------------------------------------------------------------------------------------

    def handle_request(self, asked: StaffRequest) -> None:
        """Do what staff ask and answer. Raise LogError if the disk fails, after the answer."""
        match, entries = (
            self._play.log.match if self._play.match else None,
            len(self._play.match.log if self._play.match else ()),
        )
        try:
            did = self._dispatch(asked.verb, asked.args)
        except IllegalAction as error:
            asked.answer(False, error.sentence)
            return
        except LogError as error:
            asked.answer(False, say("The disk fails: {reason}", reason=error.sentence))
            raise
        if did:
            log.info("table %s: staff: %s", self._kept.table, did)
            self._set_records([*self._kept_records, KeptDid(int(self._wall()), KeptText.of(did), match, entries)])
        self._update_desk()
        try:
            if did:
                self._kept.write("did", to_json(self._kept_records))
        finally:  # it is done, even if the record is lost
            asked.answer(True, did)

    def _dispatch(self, verb: str, args: Mapping[str, object]) -> Text | Literal[""]:
        """Do a request; return the sentence of its record, "" for none. Raise IllegalAction or LogError."""
        match verb, read_args(staff_verbs.TABLE_ARGS, verb, args):
            case "done", AcknowledgeArgs(key=key):
                self._notices.acknowledge(key)
                return ""
            case "free", SeatArgs(seat=number):
                return self._free(number)
            case "undo", staff_verbs.StaffUndoArgs(after=after):
                return self._undo(after)
            case "aside", _:
                self._endings.put_aside("staff")
                return say("The match was suspended.")
            case "end", _:
                self._endings.end("staff")
                return say("The match was ended.")
            case "again", TakeUpArgs(match=kept):
                self._endings.take_up_for_staff(kept)
                did = say("A suspended match continues with the people who sit here now.")
                self._notices.post("staff", say("Staff: {action}", action=did))
                return did
            case "reset", staff_verbs.ResetArgs(match=running):
                return self._reset(running)
            case "limit", staff_verbs.LimitArgs(minutes=minutes, at=at):
                self.limit.choose(minutes, at)
                return ""
            case "offer", staff_verbs.OfferArgs(game=game, preset=preset):
                self._choice.offer(game, preset)
                return ""
            case "light", staff_verbs.LightArgs(percent=percent):
                self._kept.write("light", str(percent).encode())
                self.light = percent
                return ""
            case "volume", staff_verbs.VolumeArgs(percent=percent):
                self._kept.write("volume", str(percent).encode())
                self.volume = percent
                return ""
            case "test", staff_verbs.HardwareTestArgs(what=what):
                self._test(what)
                return ""
        raise TypeError(f"nothing does {verb!r}")

    def _free(self, number: int) -> Text:
        seat = next((one for one in self._seats if one.number == number), None)
        if seat is None or not (seat.sid or seat.joined):
            raise NotAsked(say("Nobody sits there."), "SEAT")
        if seat.number in self._play.seats:
            if not seat.sid:
                raise NotAsked(say("That seat has no phone. Its hand waits for the next player there."), "SEAT")
            self._seats.release(seat, playing=True)
            return say("The phone at seat {seat} was signed out. The hand stays with the seat.", seat=seat.number)
        self._clear(seat)
        return say("Seat {seat} was freed.", seat=seat.number)

    def _clear(self, seat: Seat) -> None:
        """Let nobody sit there any more: login, name and code are new. Raise LogError."""
        self._seats.refuse(seat.number, say("The seat was just freed: ask once more."))
        if seat.sid:
            self._seats.release(seat, playing=False)
            return
        with self._seats.changing(seat):
            seat.clear()
            seat.code = new_code(self._random, SEAT_CODE_LENGTH)

    def _undo(self, after: int) -> Text:
        """Take back the last action of a person, with what the house has done since; `after` is the event that staff saw last.

        So nothing newer goes. What dice or shuffles have decided since stays, and what was done before it.
        """
        match = self._play.match
        if refusal := self._play.standstill():
            raise refusal
        assert match is not None
        shown = feed.events(match)
        if after != (shown[-1].n if shown else -1):
            raise Stale(MOVED_ON)
        if not match.log:
            raise NotOffered(say("There is nothing to take back."), "UNDO")
        seat = match.log[-1].seat
        self._rolls.undo(seat)
        has_more = False
        while seat and self._seats[seat].house and (entries := self._play.match.log if self._play.match else []):
            before = entries[-1].seat
            if before == CHANCE:
                break
            try:
                self._rolls.undo(before)
            except IllegalAction:
                break
            seat, has_more = before, True
        if has_more:
            did = say("The last action of Seat {seat} was taken back, with the house's actions after it.", seat=seat)
        elif seat:
            did = say("The last action of Seat {seat} was taken back.", seat=seat)
        else:
            did = say("The last action was taken back.")
        self._notices.post("staff", say("Staff: {action}", action=did))
        return did

    def _reset(self, running: Literal["aside", "end"] | UnsetType) -> Text:
        """Prepare the table for the next guests: free all seats, and put aside or end a match under way."""
        if self._play.stopped:
            raise NotAsked(say("The match is stopped: {reason}", reason=self._play.stopped), "RECORD")
        did = say("The table was reset for the next guests.")
        match = self._play.match
        if match is not None and not match.over:
            if running == "aside":
                self._endings.put_aside("staff")
                did = say("The match was suspended. {more}", more=did)
            elif running == "end":
                ended = self._play.log.match
                self._endings.end("staff")
                if ended:
                    self._play.log.wipe(ended)
                did = say("The match was ended. {more}", more=did)
            else:
                raise NotAsked(say("A match is under way: choose whether to suspend it or end it."), "RESET")
        self._rolls.dispute = None
        self._play.clear_finished()
        for seat in self._seats:
            self._clear(seat)
        self._house.take_free_seats()
        self.limit.set(None)
        self._notices.end_all("match")
        self._notices.end_all("answered")
        self._notices.end_all("reset")
        return did

    def _test(self, what: Literal["boxes", "dice", "panels", "stop"]) -> None:
        if self._play.match is not None and not self._play.match.over:
            raise NotAsked(say("A match is under way: boxes, dice and panels are tested between matches."), "TEST")
        if self._rolls.waits_for_dispute or self._rolls.voting:
            raise NotAsked(say("A roll of the last match is still disputed: wait a moment."), "TEST")
        self.tests.begin(what)
