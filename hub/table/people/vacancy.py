"""Free a table and its seats for the next guests, by presence and not only by the button *Leave*.

Between matches a seat is freed after a while of silence. A table where all seats are silent is freed sooner if somebody
asks for it: its screens call first, and a connected phone or a touched box keeps everything as it is. A match under way is
put aside, and its people can take it up later.
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
from hub.table.seating.seat_list import ACTIVE_SECONDS
from hub.table.seating.seats import LEFT_SECONDS

log = logging.getLogger(__name__)

CALLED_SECONDS = 20.0
"""How long a silent table is called before it is freed for people who ask for it."""
RETURN_SECONDS = 60.0
"""How long phones have to reconnect after a start of the hub, however long they were gone before."""
NOTED_SECONDS = 60
"""The steps in seconds in which the silence of seats is kept on disk."""
CALL = say("Somebody wants this table. If you are still here, wake your phone or push your dial.")
BACK = say("Somebody is at this table again: ask there.")


class Vacancy(Part):
    """Frees the seats of one table that nobody uses. `idle_seconds` is how long a silent seat is kept between matches."""

    def __init__(self, core: Core, endings: Endings, idle_seconds: float) -> None:
        self._play, self._seats, self._notices = core.play, core.seats, core.notices
        self._kept, self._clock, self._endings, self._idle_seconds = core.kept, core.ports.clock, endings, idle_seconds
        self._silent_since: float | None = None  # since when all seats are silent
        self._requested_at: float | None = None  # since when the table is called
        self._company: set[tuple[int, str]] = set()  # seats beside the match when its players were last heard
        self._kept_silence: dict[
            int, int
        ] = {}  # for how long seats have been silent, in steps of `NOTED_SECONDS`, on the disk

    def restore(self) -> None:
        """Restore the silence from before a restart, but give phones time to reconnect. Raise LogError."""
        self._kept_silence = self._kept.read("silent", dict[int, int], say("how long seats have been silent")) or {}
        most = max(0.0, self._idle_seconds - RETURN_SECONDS)
        for seat in self._seats:
            self._seats.set_silent(seat, min(self._kept_silence.get(seat.number, 0) * NOTED_SECONDS, most))
        self._company = self._beside()

    # --- who asks ------------------------------------------------------------------------------------

    def request_table(self, seat: Seat | None = None) -> bool:
        """Call the table if it is silent and somebody asks for a seat; return whether it is called.

        `seat`: the seat asked for, if any. If its person is heard, that person answers and the table is not called.
        """
        if not self._may_free() or not self._is_silent() or (seat and self._seats.is_active(seat.number)):
            return False
        if self._requested_at is None:
            self._requested_at = self._clock.now()
            self._notices.post("wanted", CALL)
        return True

    def on_seat_given(self) -> None:
        """Stop the call: a phone was given a seat and will connect in a moment."""
        self._silent_since = None
        self._stop_calling(BACK)

    def seconds_until_free(self, seat: Seat) -> float | None:
        """Return in how many seconds a silent seat is freed; None if its person is there or a match needs it."""
        if seat.number in self._play.seats or seat.presence == "here":
            return None
        return self._idle_seconds - self._seats.silent_seconds(seat)

    # --- time ----------------------------------------------------------------------------------------

    def run_due(self) -> bool:
        """Free silent seats, and call a silent table if asked for; return whether anything has changed. Raise LogError."""
        if not self._may_free():
            self._silent_since = None
            return self._stop_calling()
        self._keep_silence()
        changed = self._update_call()
        return self._free_silent() or changed

    def _may_free(self) -> bool:
        """Return whether broker and disk work: without them silence proves nothing, and seats cannot be freed."""
        return not self._play.stopped and not self._notices.is_posted("broker")

    def _people(self) -> list[Seat]:
        """Return the seats of the people who have the table: of the match under way, else all."""
        playing = self._play.seats
        return [
            one for one in self._seats if one.joined and not one.is_house and (not playing or one.number in playing)
        ]

    def _is_silent(self) -> bool:
        """Return whether people have the table and none of them is heard."""
        people = self._people()
        return bool(people) and not any(self._seats.is_active(one.number) for one in people)

    def _beside(self) -> set[tuple[int, str]]:
        """Return the seats of people outside the match under way, each with the login of its phone."""
        playing = self._play.seats
        return {(one.number, one.sid) for one in self._seats if one.number not in playing and one.is_somebodys}

    def _is_wanted(self, silent_seconds: float) -> bool:
        """Return whether new guests sit beside a silent match; friends of its players do not count at first."""
        company = self._company if silent_seconds < ACTIVE_SECONDS else set[tuple[int, str]]()
        return any(self._seats.is_active(number) for number, _ in self._beside() - company)

    def _update_call(self) -> bool:
        now = self._clock.now()
        if not self._is_silent():
            self._silent_since, self._company = None, self._beside()
            return self._stop_calling(BACK)
        if self._silent_since is None:
            self._silent_since = now
        is_called = self._requested_at is None and self._is_wanted(now - self._silent_since) and self.request_table()
        if self._requested_at is None or now < max(
            self._requested_at + CALLED_SECONDS, self._silent_since + LEFT_SECONDS
        ):
            return is_called
        self._free_all()
        return True

    def _free_all(self) -> None:
        """Free all silent seats for the people who ask. Raise LogError."""
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
            self._seats.cancel_claim(seat.number, text, by="time")
        self._stop_calling(BACK)

    def _stop_calling(self, sentence: str = "") -> bool:
        """Stop the call and refuse the claims that wait for it. Return whether the table was called."""
        for number in self._seats.claimed_seats:
            self._seats.cancel_claim(number, sentence or self._seats.how_to_join(self._seats[number]), by="time")
        self._requested_at = None
        return self._notices.end("wanted")

    def _free_silent(self) -> bool:
        """Free the seats outside a match that were silent for `idle_seconds`; return whether there were any."""
        free = [one for one in self._seats if one.joined and not one.is_house and one.number not in self._play.seats]
        silent = [one for one in free if self._seats.silent_seconds(one) >= self._idle_seconds]
        for seat in silent:
            self._seats.release(seat, playing=False)
        return bool(silent)

    def _keep_silence(self) -> None:
        """Keep the silence of each seat on disk, so that it survives a restart."""
        steps: dict[int, int] = {}
        for seat in self._seats:
            gone = self._seats.silent_seconds(seat)
            if seat.is_somebodys and gone >= NOTED_SECONDS:
                steps[seat.number] = int(min(gone, self._idle_seconds) / NOTED_SECONDS)
        if steps != self._kept_silence:
            self._kept_silence = steps
            with suppress(LogError):  # written again in a minute; a match does not stop for it
                self._kept.write("silent", to_json(steps))
