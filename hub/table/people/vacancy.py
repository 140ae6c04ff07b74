"""When a table and its seats become free again for the next guests: presence decides, not the button *Leave*.

Between matches, a seat at which nobody was heard for a while is freed. A table at which nobody at all is heard is freed sooner
when somebody asks for it: its screens call first, and a connected phone or a touched box keeps everything as it is. A match
under way is put aside then, and its people can go on with it later.
"""

from __future__ import annotations

import logging
from contextlib import suppress

from hub.engine.text import say, to_json
from hub.errors import LogError
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.people.endings import Endings
from hub.table.seating.seat import Seat
from hub.table.seating.seat_list import HEARD_SECONDS
from hub.table.seating.seats import LEFT_SECONDS

log = logging.getLogger(__name__)

CALLED_SECONDS = 20.0
"""For how long a table at which nobody is heard is called before it is freed for people who ask for it."""
RETURN_SECONDS = 60.0
"""How long phones have to come back after a start of the hub, however long they had been gone before it."""
NOTED_SECONDS = 60
"""How often the disk is told for how long seats have been silent."""
CALL = say("Somebody asks for this table. If you are still here, wake your phone or push your dial.")
BACK = say("Somebody is at this table again: ask there.")


class Vacancy(Part):
    """Frees the seats of one table that nobody uses. `idle_seconds` is how long a silent seat is kept between matches."""

    def __init__(self, core: Core, endings: Endings, idle_seconds: float) -> None:
        self._play, self._seats, self._notices = core.play, core.seats, core.notices
        self._kept, self._clock, self._endings, self._idle_seconds = core.kept, core.ports.clock, endings, idle_seconds
        self._silent_since: float | None = None  # since when nobody of the table is heard
        self._asked_at: float | None = None  # since when somebody asks for it
        self._company: set[tuple[int, str]] = set()  # who had a seat beside the match when its players were heard last
        self._noted: dict[
            int, int
        ] = {}  # for how long seats have been silent, in steps of `NOTED_SECONDS`, on the disk

    def restore(self) -> None:
        """Let the silence of before a restart count, but leave phones the time to come back. Raise LogError."""
        self._noted = self._kept.read("silent", dict[int, int], say("how long seats have been silent")) or {}
        most = max(0.0, self._idle_seconds - RETURN_SECONDS)
        for seat in self._seats:
            self._seats.let_be_silent(seat, min(self._noted.get(seat.number, 0) * NOTED_SECONDS, most))
        self._company = self._beside()

    # --- who asks ------------------------------------------------------------------------------------

    def ask(self, seat: Seat | None = None) -> bool:
        """Take note that somebody asks for a seat; return whether the table is called, as nobody is heard at it.

        `seat`: the one that is asked for, if it is a certain one. The person who is heard there answers alone.
        """
        if not self._may_free() or not self._is_silent() or (seat and self._seats.is_heard(seat.number)):
            return False
        if self._asked_at is None:
            self._asked_at = self._clock.now()
            self._notices.post("wanted", CALL)
        return True

    def sat_down(self) -> None:
        """Take note that a phone was given a seat: somebody is here, and the phone connects in a moment."""
        self._silent_since = None
        self._stop_calling(BACK)

    def free_in(self, seat: Seat) -> float | None:
        """Return in how many seconds a person's seat is free if nobody returns; None if somebody is there or a match needs it."""
        if seat.number in self._play.seats or seat.presence == "here":
            return None
        return max(0.0, self._idle_seconds - self._seats.gone_seconds(seat))

    # --- time ----------------------------------------------------------------------------------------

    def run_due(self) -> bool:
        """Free what nobody uses, and call a table that somebody asks for; return whether anything has changed. Raise LogError."""
        if not self._may_free():
            self._silent_since = None
            return self._stop_calling()
        self._note()
        changed = self._update_call()
        return self._free_silent() or changed

    def _may_free(self) -> bool:
        """Return whether phones can be heard now, and the disk can take what is freed."""
        return not self._play.stopped and not self._notices.stands("broker")

    def _people(self) -> list[Seat]:
        """Return the seats whose people have the table: those of the match under way, else all."""
        playing = self._play.seats
        return [
            one for one in self._seats if one.joined and not one.is_house and (not playing or one.number in playing)
        ]

    def _is_silent(self) -> bool:
        """Return whether people have the table, and none of them is heard."""
        people = self._people()
        return bool(people) and not any(self._seats.is_heard(one.number) for one in people)

    def _beside(self) -> set[tuple[int, str]]:
        """Return the seats that people have beside the match under way, each with the login of its phone."""
        playing = self._play.seats
        return {(one.number, one.sid) for one in self._seats if one.number not in playing and one.is_somebodys}

    def _is_wanted(self, silent_seconds: float) -> bool:
        """Return whether the next guests sit beside a match that nobody plays. Friends of its players would not ask so soon."""
        company = self._company if silent_seconds < HEARD_SECONDS else set[tuple[int, str]]()
        return any(self._seats.is_heard(number) for number, _ in self._beside() - company)

    def _update_call(self) -> bool:
        now = self._clock.now()
        if not self._is_silent():
            self._silent_since, self._company = None, self._beside()
            return self._stop_calling(BACK)
        if self._silent_since is None:
            self._silent_since = now
        if self._is_wanted(now - self._silent_since):
            self.ask()
        if self._asked_at is None or now < max(self._asked_at + CALLED_SECONDS, self._silent_since + LEFT_SECONDS):
            return False
        self._free_all()
        return True

    def _free_all(self) -> None:
        """Free the table for the people who ask for it. Raise LogError."""
        gone = [one for one in self._seats if one.joined and not one.is_house and self._endings.is_gone(one)]
        log.info("table %s: nobody is heard here, and somebody asks for the table: it is free", self._kept.table)
        if self._play.seats:
            self._endings.put_aside("itself: nobody is heard, and somebody asks for the table")
        self._endings.put_result_away()
        for seat in gone:
            self._seats.release(seat, playing=False)
            text = say("Seat {seat} is free now: type its code from the big screen.", seat=seat.number)
            if seat.box_on:
                text = say("Seat {seat} is free now: ask once more, and push its dial.", seat=seat.number)
            self._seats.put_off(seat.number, text, by="time")
        self._stop_calling(BACK)

    def _stop_calling(self, sentence: str = "") -> bool:
        """Call the table no longer; claims that wait for it are refused with a sentence. Return whether it was called."""
        for number in self._seats.claimed:
            self._seats.put_off(number, sentence or self._seats.how_to_join(self._seats[number]), by="time")
        self._asked_at = None
        return self._notices.end("wanted")

    def _free_silent(self) -> bool:
        """Free the seats that no match needs and at which nobody was heard for long, or that their people have left."""
        free = [one for one in self._seats if one.joined and not one.is_house and one.number not in self._play.seats]
        silent = [one for one in free if self._seats.gone_seconds(one) >= self._idle_seconds]
        for seat in silent:
            self._seats.release(seat, playing=False)
        return bool(silent)

    def _note(self) -> None:
        """Keep for how long seats have been silent, so that a restart does not begin anew. Raise LogError."""
        steps: dict[int, int] = {}
        for seat in self._seats:
            gone = self._seats.gone_seconds(seat)
            if seat.is_somebodys and gone >= NOTED_SECONDS:
                steps[seat.number] = int(min(gone, self._idle_seconds) / NOTED_SECONDS)
        if steps != self._noted:
            self._noted = steps
            with suppress(LogError):  # it is told again in a minute; a match does not stand still for it
                self._kept.write("silent", to_json(steps))
