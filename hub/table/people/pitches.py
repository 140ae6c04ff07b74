"""Hold the match while seats read aloud what they have launched, one after the other.

The labels of the game name these events and the text (`[pitch]`). A pitch is no input of the match and not in its log.
Seats of the house and absent seats do not pitch. A phone or box that goes silent during its own pitch does not end it, as
a reader touches nothing and phones fall asleep. A pause of the match stops the time of a pitch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from hub.engine.event import Event
from hub.engine.match import Match
from hub.engine.printed import is_printed
from hub.engine.text import say, to_json
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.people.absence import Absence
from hub.table.seating.questions import OpenQuestion

OPTIONS = {"done": say("Done"), "off": say("No more pitches for me")}


class Pitch(NamedTuple):
    """A text that a seat reads aloud."""

    seat: int
    text: str


class Quiet(msgspec.Struct):
    """The seats without pitches in `match`: by seat the login that chose so, "" for a box alone."""

    match: str = ""
    seats: dict[int, str] = {}


class Pitches(Part):
    """The pitches of one table. Each ends with a press or after `seconds`; 0: there are none.

    A seat can turn off its own pitches for the rest of the match.
    """

    def __init__(self, core: Core, absence: Absence, seconds: float) -> None:
        self._play, self._seats, self._questions, self._kept = core.play, core.seats, core.questions, core.kept
        self._absence, self._seconds = absence, seconds
        self._counted_for: tuple[str | None, int] | None = None  # match and epoch of `_event_count`
        self._event_count = 0
        self._waiting: list[Pitch] = []
        self._current: Pitch | None = None
        self._quiet = Quiet()

    def restore(self) -> None:
        """Restore which seats have turned off their pitches. Raise LogError."""
        self._quiet = self._kept.read("quiet_pitches", Quiet, say("who wants no pitches")) or Quiet()

    def update(self) -> None:
        """Queue new pitches, ask for the next one, and hold the match while any is left. Raise LogError."""
        match, log, paused = self._play.match, self._play.log, self._absence.paused_by is not None
        events = match.events if match else []
        # another match, one that was taken up, or taken back: nothing is new in it
        if self._counted_for != (log.match, log.epoch):
            self._counted_for, self._event_count = (log.match, log.epoch), len(events)
            self._waiting = []
        if match and not match.over and self._seconds:
            self._waiting += self._pitches_in(match, events[self._event_count :])
        self._event_count = len(events)
        self._waiting = [one for one in self._waiting if self._can_pitch(one) and not self._play.stopped]
        self._play.paused = bool(self._waiting)
        asked = self._questions.open
        if asked and asked.kind == "pitch" and (paused or not self._waiting or asked.seat != self._waiting[0].seat):
            self._questions.close("pitch")
        if self._waiting and self._questions.open is None and not paused:
            self._ask(self._waiting[0])

    def _can_pitch(self, pitch: Pitch) -> bool:
        seat = self._seats[pitch.seat]
        if self._quiet.match == self._play.log.match and self._quiet.seats.get(seat.number) == seat.sid:
            return False
        if pitch is self._current and not seat.house and seat.is_somebodys:
            return True
        return seat.number in self._seats.present(self._play.seats)

    def _pitches_in(self, match: Match, events: Sequence[Event]) -> list[Pitch]:
        about = match.game.labels.pitch
        told = [event for event in events if about and event.kind == about.kind]
        if about is None or not told or not match.open or match.open.by_chance:
            return []
        records = {one["id"]: one for one in match.view()["table"][about.records]}
        found = [(event.data["seat"], records.get(event.data[about.id])) for event in told]
        return [Pitch(seat, say(about.text, **one)) for seat, one in found if one and not self._seats[seat].is_house]

    def _ask(self, pitch: Pitch) -> None:
        def done(option: str) -> None:
            self._waiting = self._waiting[1:]
            if option == "off":
                self._be_quiet(pitch.seat)

        asked = OpenQuestion(
            "pitch", say("Seat {seat} reads aloud: {text}", seat=pitch.seat, text=pitch.text), OPTIONS,
            lambda: [pitch.seat], done,
        )  # fmt: skip
        asked.seat, asked.depends_on = pitch.seat, frozenset({pitch.seat})
        if self._play.match and not is_printed(self._play.match.setup):  # else it stands on the cards
            asked.reads = pitch.text
        self._current = pitch
        self._questions.ask(asked, self._seconds)

    def _be_quiet(self, seat: int) -> None:
        """Turn off the pitches of a seat in this match, while the same person sits there. Raise LogError."""
        match = self._play.log.match or ""
        others = self._quiet.seats if self._quiet.match == match else {}
        quiet = Quiet(match, {**others, seat: self._seats[seat].sid})
        self._kept.write("quiet_pitches", to_json(quiet))
        self._quiet = quiet
