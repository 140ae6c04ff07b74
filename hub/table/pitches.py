"""Pitches: who has launched something reads it aloud, one after the other, before the match asks anybody on.

Which events these are, and what is read, say the labels of the game (`[pitch]`). A pitch is no input of the match: the log
knows nothing of it. Nobody waits for the house, for who is not there, or has left; only a phone or box that goes silent in
the middle of its own pitch does not end it: who reads aloud touches nothing, and phones sleep. While the match is paused,
nobody's time runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from hub.engine.event import Event
from hub.engine.match import Match
from hub.table.kept import KeptValues
from hub.table.play import Play
from hub.table.questions import Asked, Questions, first_answer
from hub.table.seats import Seats

OPTIONS = {"done": "Done", "off": "No more pitches"}


class Pitch(NamedTuple):
    """What a seat reads aloud."""

    seat: int
    text: str


class Pitches:
    """The pitches of one table. Each ends with a press, or after `seconds`; 0: there are none."""

    def __init__(self, play: Play, seats: Seats, questions: Questions, kept: KeptValues, seconds: float) -> None:
        self._play, self._seats, self._questions, self._seconds = play, seats, questions, seconds
        self._kept = kept
        self._match: tuple[str | None, int] | None = None  # the match and the epoch that events were counted in
        self._seen = 0
        self._waiting: list[Pitch] = []
        self._begun: Pitch | None = None
        self._off: str | None = None  # the match that wants no more of them

    def recall(self) -> None:
        """Take up before anything is played that a match wants no more of them. Raise LogError."""
        self._off = self._kept.read("pitches", str, "which match wants no pitches")

    def follow(self, *, paused: bool = False) -> None:
        """Begin with what was just launched, go on to the next seat, and hold the match as long as anybody is left."""
        match, log = self._play.match, self._play.log
        events = match.events if match else []
        if self._match != (
            log.match,
            log.epoch,
        ):  # another match, one that was taken up, or taken back: nothing is new in it
            self._match, self._seen = (log.match, log.epoch), len(events)
            self._waiting = []
        if match and not match.over and self._seconds and self._off != log.match:
            self._waiting += self._of(match, events[self._seen :])
        self._seen = len(events)
        self._waiting = [one for one in self._waiting if self._can_pitch(one) and not self._play.stopped]
        self._play.held = bool(self._waiting)
        asked = self._questions.open
        if asked and asked.kind == "pitch" and (paused or not self._waiting or asked.seat != self._waiting[0].seat):
            self._questions.close("pitch")
        if self._waiting and self._questions.open is None and not paused:
            self._ask(self._waiting[0])

    def _can_pitch(self, pitch: Pitch) -> bool:
        seat = self._seats[pitch.seat]
        if pitch is self._begun and seat.joined and not seat.house and (seat.sid or seat.box):
            return True
        return seat.number in self._seats.present(self._play.seats)

    def _of(self, match: Match, events: Sequence[Event]) -> list[Pitch]:
        about: Mapping[str, Any] = match.game.labels.get("pitch", {})
        told = [event for event in events if event.kind == about.get("kind")]
        if not told or not match.open or match.open.by_chance:
            return []
        records = {one["id"]: one for one in match.view()["table"][about["records"]]}
        found = [(event.data["seat"], records.get(event.data[about["id"]])) for event in told]
        return [
            Pitch(seat, about["text"].format_map(one)) for seat, one in found if one and not self._seats[seat].is_house
        ]

    def _ask(self, pitch: Pitch) -> None:
        def done(option: str) -> None:
            if option == "off":
                self._kept.write("pitches", msgspec.json.encode(self._play.log.match))
                self._off, self._waiting = self._play.log.match, []
            else:
                self._waiting = self._waiting[1:]

        asked = Asked(
            "pitch",
            f"Seat {pitch.seat} reads aloud: {pitch.text}",
            OPTIONS,
            lambda: [pitch.seat],
            first_answer("done"),
            done,
        )
        asked.seat, asked.stands_on = pitch.seat, frozenset({pitch.seat})
        self._begun = pitch
        self._questions.ask(asked, self._seconds)
