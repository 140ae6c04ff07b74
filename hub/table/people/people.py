"""The people at a table as the loop sees them: who has done something, who is waited for, what they decide together."""

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
from hub.table.people.house_seats import HouseSeats, HouseWay
from hub.table.people.lobby import Lobby
from hub.table.people.pitches import Pitches
from hub.table.people.vacancy import Vacancy
from hub.table.seating.kept_people import SAME_PERSON
from hub.table.seating.questions import Asked
from hub.table.seating.seat import Seat
from hub.table.seating.seats import CLAIM_SECONDS

BUSY = say("The table is asked something else just now: try again in a moment.")


class Patience(NamedTuple):
    """Seconds: `ask` before the others are asked about an absent seat, `idle` before a match nobody plays is put aside.

    A pitch takes `pitch` seconds at most; 0: nobody pitches.
    """

    ask: float = ASK_SECONDS
    idle: float = IDLE_SECONDS
    pitch: float = 0.0


class People(Group):
    """The parts that follow what people do and leave undone: `questions`, `choice`, `lobby`, `house`, `absence`, `endings`, `vacancy`."""

    def __init__(
        self, core: Core, rolls: Rolls, boxes: SeatBoxes, patience: Patience, way: HouseWay,
        presets: Mapping[str, Sequence[Preset]],
    ) -> None:  # fmt: skip
        self._play, self._seats, self._notices, self.questions = core.play, core.seats, core.notices, core.questions
        self._ask_seconds = patience.ask
        self.choice = GameChoice(core, rolls, presets)
        self.lobby = Lobby(core, rolls, self.choice)
        self.house = HouseSeats(core, rolls, boxes, way)
        self.absence = Absence(core, rolls, boxes, self.house, patience.ask)
        self.endings = Endings(core, rolls, self.lobby, self.absence, patience.idle)
        self.vacancy = Vacancy(core, self.endings, patience.idle)
        self.agreement = Agreement(core, boxes)
        pitches = Pitches(core, self.absence, patience.pitch)
        self.parts = (core.notices, self.questions, self.absence, self.endings, self.vacancy, self.lobby, pitches)
        self._position = core.play.log.position
        self._holders = self._who_sits()

    def restore(self) -> None:
        """Let the house take its seats, and restore each part. Raise LogError."""
        self.house.begin()
        self._position = self._play.log.position  # the log that was read again is nothing that anybody did now
        super().restore()

    def came(self, seat: Seat | None) -> bool:
        """Take note that somebody at a seat does something; return whether that changes what is shown."""
        if seat is None or not self._play.seats or seat.number in self._play.seats:  # who watches plays nothing on
            self.endings.acted()
        return self.absence.came(seat) if seat else False

    def touched(self, seat: Seat | None) -> bool:
        """Take note that somebody uses a control of a seat's box; return whether that changes what is shown."""
        if seat is None:
            return self.came(None)
        before = seat.presence
        self._seats.touched(seat)
        return self.came(seat) or seat.presence != before

    def locked(self, seat: Seat | None) -> None:
        """Take note that a seat has locked a choice in its box: it plays, so a pause is over."""
        self.touched(seat)
        self.absence.go_on()

    def ask_for_seat(self, claim: ClaimRequest, *, choosing: bool) -> None:
        """Decide about a claim; where nobody at the seat can, ask the others who it is. Raise LogError."""
        others = [one for one in self._seats.present(self._at_table()) if one != claim.seat]
        wanted = next((seat for seat in self._seats if seat.number == claim.seat), None)
        called, free_in = False, None
        if wanted and claim.code is None and wanted.joined and not wanted.is_house:
            called, free_in = self.vacancy.ask(wanted), self.vacancy.free_in(wanted)
        self._seats.ask(
            claim,
            choosing=choosing,
            vouched=len(others) > 1,
            away_seconds=self._ask_seconds,
            called=called,
            free_in=free_in,
        )
        waiting = self._seats.waiting(claim.seat)
        if waiting and waiting.asked is claim and waiting.by == "people":
            self._ask_who(claim)
        if self._seats.guessed_at:
            self._notices.post(
                "guessing", say("Somebody on this network is guessing the codes of seats. Please tell staff.")
            )

    def _at_table(self) -> list[int]:
        return self._play.seats or [seat.number for seat in self._seats if seat.joined]

    def _ask_who(self, claim: ClaimRequest) -> None:
        number = claim.seat
        seat = self._seats[number]
        player = person(seat.name) if seat.name else SAME_PERSON
        text = say("A new phone asks for seat {seat}. Is it {player}?", seat=number, player=player)
        if claim.name:
            text = say(
                "A new phone asks for seat {seat}, and says {name}. Is it {player}?", seat=number,
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
            self.questions.ask(Asked("new_phone", text, options, others, decide, seat=number), CLAIM_SECONDS)
        except NotAsked:
            self._seats.put_off(number, BUSY)

    def _update_new_phones(self) -> None:
        """End the question who comes with a new phone when the old one is back, and claims about which nobody is asked."""
        asked = self.questions.open
        if asked and asked.kind == "new_phone" and self._seats[asked.seat].phone_on:
            self._seats.put_off(asked.seat, say("The seat's own phone is back: ask there."))
        if asked and asked.kind == "new_phone" and self._seats.waiting(asked.seat) is None:
            self.questions.close("new_phone")
            asked = None
        for number in self._seats.claimed:
            claim = self._seats.waiting(number)
            if claim and claim.by == "people" and not (asked and asked.kind == "new_phone" and asked.seat == number):
                self._seats.put_off(number, BUSY)

    def _who_sits(self) -> dict[int, tuple[str, bool, bool]]:
        return {seat.number: (seat.sid, seat.joined, seat.is_house) for seat in self._seats}

    def update_holders(self) -> None:
        """Let votes and questions end whose people have left their seats: before anything is decided by them."""
        before, self._holders = self._holders, self._who_sits()
        known = {sid for sid, _, _ in before.values()}
        for number, holder in self._holders.items():
            if holder != before[number]:
                self.questions.moved(number)
                self.lobby.moved(number)
                if holder[0] and holder[0] not in known and (not self._play.seats or number in self._play.seats):
                    self.vacancy.sat_down()

    def update(self) -> None:
        """Let a pause end with the next action, questions with the match they are about, and pitches begin."""
        self.update_holders()
        self._update_new_phones()
        if self._play.log.position != self._position:
            self._position = self._play.log.position
            self.absence.go_on()
            self.endings.acted()
        if not self._play.seats:
            self.absence.go_on()
        super().update()

    def run_due(self) -> bool:
        """Do what time alone brings about; return whether anything has changed. Raise LogError."""
        self.update_holders()
        return super().run_due()
