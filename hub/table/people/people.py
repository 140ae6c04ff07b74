"""The people at a table: their activity, absence, votes, and the start and end of matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hub.engine.text import person, say
from hub.errors import NotAsked
from hub.ports import ClaimRequest
from hub.state import Preset
from hub.table.base.part import Group
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.people.absence import ASK_SECONDS, Absence
from hub.table.people.agreement import Agreement
from hub.table.people.endings import IDLE_SECONDS, Endings
from hub.table.people.game_choice import GameChoice
from hub.table.people.house_seats import HouseSeats, HouseSettings
from hub.table.people.lobby import Lobby
from hub.table.people.pitches import Pitches
from hub.table.people.vacancy import Vacancy
from hub.table.seating.kept_people import SAME_PERSON
from hub.table.seating.questions import OpenQuestion
from hub.table.seating.seat import Seat
from hub.table.seating.seats import CLAIM_SECONDS

BUSY = say("The table is answering another question: try again in a moment.")


class Patience(NamedTuple):
    """Times in seconds.

    - `ask`: before the others are asked about an absent seat.
    - `idle`: before a match without any action is put aside.
    - `pitch`: the longest time of a pitch; 0: there are no pitches.
    """

    ask: float = ASK_SECONDS
    idle: float = IDLE_SECONDS
    pitch: float = 0.0


class People(Group):
    """The parts of one table that deal with its people."""

    def __init__(
        self, core: Core, rolls: Rolls, boxes: SeatBoxes, patience: Patience, settings: HouseSettings,
        presets: Mapping[str, Sequence[Preset]],
    ) -> None:  # fmt: skip
        self._play, self._seats, self._notices, self.questions = core.play, core.seats, core.notices, core.questions
        self._ask_seconds = patience.ask
        self.choice = GameChoice(core, rolls, presets)
        self.lobby = Lobby(core, rolls, self.choice)
        self.house = HouseSeats(core, rolls, boxes, settings)
        self.absence = Absence(core, rolls, boxes, self.house, patience.ask)
        self.endings = Endings(core, rolls, self.lobby, self.absence, patience.idle)
        self.vacancy = Vacancy(core, self.endings, patience.idle)
        self.agreement = Agreement(core, boxes)
        pitches = Pitches(core, self.absence, patience.pitch)
        self.parts = (core.notices, self.questions, self.absence, self.endings, self.vacancy, self.lobby, pitches)
        self._position = core.play.log.position
        self._holders = self._current_holders()

    def restore(self) -> None:
        """Let the house take its seats and restore each part. Raise LogError."""
        self.house.take_free_seats()
        self._position = self._play.log.position  # reading the log is no activity
        super().restore()

    def note_activity(self, seat: Seat | None) -> bool:
        """Note that the player of a seat is active; return whether that changes what is shown."""
        # spectators do not keep the match alive
        if seat is None or not self._play.seats or seat.number in self._play.seats:
            self.endings.note_activity()
        return self.absence.note_activity(seat) if seat else False

    def on_box_used(self, seat: Seat | None) -> bool:
        """Note that a control of a seat's box is used; return whether that changes what is shown."""
        if seat is None:
            return self.note_activity(None)
        before = seat.presence
        self._seats.on_touch(seat)
        return self.note_activity(seat) or seat.presence != before

    def on_box_locked(self, seat: Seat | None) -> None:
        """Note that a seat has locked a choice in its box: a pause is over."""
        self.on_box_used(seat)
        self.absence.end_pause()

    def ask_for_seat(self, claim: ClaimRequest, *, choosing: bool) -> None:
        """Start a claim; if nobody at the seat can answer it, ask the others. Raise LogError."""
        others = [one for one in self._seats.present(self._at_table()) if one != claim.seat]
        wanted = next((seat for seat in self._seats if seat.number == claim.seat), None)
        called, free_in = False, None
        if wanted and claim.code is None and wanted.joined and not wanted.is_house:
            called, free_in = self.vacancy.request_table(wanted), self.vacancy.seconds_until_free(wanted)
        self._seats.handle_claim(
            claim,
            choosing=choosing,
            vouched=len(others) > 1,
            away_seconds=self._ask_seconds,
            called=called,
            free_in=free_in,
        )
        waiting = self._seats.claim_for(claim.seat)
        if waiting and waiting.request is claim and waiting.by == "people":
            self._ask_about_claim(claim)
        if self._seats.guessing_suspected:
            self._notices.post(
                "guessing", say("Somebody on this network is guessing the codes of seats. Please tell staff.")
            )

    def _at_table(self) -> list[int]:
        return self._play.seats or [seat.number for seat in self._seats if seat.joined]

    def _ask_about_claim(self, claim: ClaimRequest) -> None:
        number = claim.seat
        seat = self._seats[number]
        player = person(seat.name) if seat.name else SAME_PERSON
        text = say("A new phone asks for seat {seat}. Is it {player}?", seat=number, player=player)
        if claim.name:
            text = say(
                "A new phone, named {name}, asks for seat {seat}. Is it {player}?", seat=number,
                name=person(claim.name), player=player,
            )  # fmt: skip

        def decide(option: str) -> None:
            if option == "yes":
                self._seats.grant(number)
            else:
                self._seats.refuse(
                    number,
                    say("The others did not all say yes. {advice}", advice=self._seats.how_to_join(seat)),
                )

        def others() -> list[int]:
            return [one for one in self._seats.present(self._at_table()) if one != number]

        options = {"yes": say("Yes, let it in"), "no": say("No")}
        try:
            self.questions.ask(OpenQuestion("new_phone", text, options, others, decide, seat=number), CLAIM_SECONDS)
        except NotAsked:
            self._seats.cancel_claim(number, BUSY)

    def _update_new_phones(self) -> None:
        """End the question about a new phone when the old phone is back, and claims that have no open question."""
        asked = self.questions.open
        if asked and asked.kind == "new_phone" and self._seats[asked.seat].phone_on:
            self._seats.cancel_claim(asked.seat, say("The seat's own phone is back: ask there."))
        if asked and asked.kind == "new_phone" and self._seats.claim_for(asked.seat) is None:
            self.questions.close("new_phone")
            asked = None
        for number in self._seats.claimed_seats:
            claim = self._seats.claim_for(number)
            if claim and claim.by == "people" and not (asked and asked.kind == "new_phone" and asked.seat == number):
                self._seats.cancel_claim(number, BUSY)

    def _current_holders(self) -> dict[int, tuple[str, bool, bool]]:
        return {seat.number: (seat.sid, seat.joined, seat.is_house) for seat in self._seats}

    def update_holders(self) -> None:
        """Remove the votes and delays of seats whose holder has changed, before they decide anything."""
        before, self._holders = self._holders, self._current_holders()
        for number, holder in self._holders.items():
            if holder != before[number]:
                self.questions.on_seat_changed(number)
                self.lobby.on_holder_changed(number)
                if holder[0] and (not self._play.seats or number in self._play.seats):
                    self.vacancy.on_seat_given()

    def update(self) -> None:
        """End a pause after an action or the end of the match, and update each part. Raise LogError."""
        self.update_holders()
        self._update_new_phones()
        if self._play.log.position != self._position:
            self._position = self._play.log.position
            self.absence.end_pause()
            self.endings.note_activity()
        if not self._play.seats:
            self.absence.end_pause()
        super().update()

    def run_due(self) -> bool:
        """Run what is due; return whether anything has changed. Raise LogError."""
        self.update_holders()
        return super().run_due()
