"""Build the public state and each hand. All data that leave the table are built here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from msgspec.structs import replace

from hub.engine.decision import Decision
from hub.engine.match import Match
from hub.state import Faces, GameOffer, Hand, PublicState, ScreenState, View, Waiting, WantedRoll
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.cups import Cups
from hub.table.dice.rolls import Rolls
from hub.table.match import feed
from hub.table.match.highlights import highlights
from hub.table.match.minutes_left import MinutesLeft
from hub.table.people.people import People
from hub.table.seating.seat import Seat
from hub.table.staff.desk import StaffDesk
from hub.table.views.hints import Hints
from hub.table.views.lessons import Lessons
from hub.table.views.reveal import Reveal


class Identity(NamedTuple):
    """The identity of a table: `id` in addresses and topics, `code` on its screens; `address` returns the URL for phones."""

    id: str
    name: str
    code: str
    address: Callable[[], str]


class Snapshots:
    """The builder of all states. `seq` counts the public ones; `fingerprint` is that of the hub's key."""

    def __init__(
        self, core: Core, rolls: Rolls, boxes: SeatBoxes, cups: Cups, people: People, staff: StaffDesk, hints: Hints,
        lessons: Lessons, reveal: Reveal, fingerprint: str,
    ) -> None:  # fmt: skip
        self._play, self._seats, self._notices = core.play, core.seats, core.notices
        self._rolls, self._boxes, self._cups, self._people, self._staff = rolls, boxes, cups, people, staff
        self._hints, self._lessons, self._reveal = hints, lessons, reveal
        self._minutes = MinutesLeft(core.disk, core.ports.clock)
        self.seq = 0
        # highlights, by epoch and number of events
        self._highlights_cache: tuple[tuple[int, int], list[str]] = ((0, 0), [])
        # names of players, by match and epoch
        self._names_cache: tuple[tuple[str | None, int], dict[str, str]] = ((None, 0), {})
        self.event_feed = feed.EventFeed()
        self._session = core.ports.random.randbytes(4).hex()
        self._fingerprint = fingerprint

    def public(self, table: Identity) -> PublicState:
        """Return the current public state, with a new `seq`."""
        self.seq += 1
        people = self._people
        play, match, decision = self._play, self._play.match, self._play.decision
        game = match.game if match else play.games.get(people.choice.chosen)
        stood_in = people.absence.stand_ins.by_event(play.log.match, match) if match else {}
        if match:
            self.event_feed.update(play.log.match, play.log.epoch, match.events, stood_in, match.state.round)
        else:
            self.event_feed.update(None, play.log.epoch, ())
        newest, stage = self.event_feed.newest(), "stopped" if play.stopped or play.fault else _stage(match)
        return PublicState(
            table=table.id,
            name=table.name,
            code=table.code,
            url=table.address(),
            session=self._session,
            epoch=play.log.epoch,
            seq=self.seq,
            match=play.log.match if match else None,
            game=game.name if game else None,
            title=game.title if game else "",
            state=stage,
            seats=[seat.public() for seat in self._seats],
            view=view(match, held=play.paused) if match else None,
            locked=self._boxes.locked_seats(decision) if decision and decision.kind == "sealed" else [],
            want=self._rolls.others(decision) if decision and not play.paused else "",
            events=newest.events,
            dice=self._rolls.public(),
            dispute=self._rolls.public_dispute(),
            kit=self._rolls.dice.public_kit(),
            notices=self._notices.public(),
            over=match.over if match else None,
            games=self._offers() if stage in ("lobby", "over") else [],
            nudged=list(people.absence.called_seats),
            claiming=list(self._seats.claimed_seats),
            question=people.questions.public(),
            paused=people.absence.paused_by,
            put_aside=[] if play.seats else people.endings.public_put_aside,
            starting=people.lobby.public_starting(),
            minutes_left=self._minutes_left(),
            highlights=self._highlights(match) if match and match.over else [],
            played=self._who_played(match) if match and match.over else {},
            until=self._staff.limit.until,
            preset=people.choice.preset,
            options=dict(people.choice.options),
            hints=self._hints.allowed,
            stood_in=newest.stood_in,
            revealed=self._reveal.number,
            teaching=self._lessons.public(),
            explain=self._lessons.chosen,
            hub_rolls=self._rolls.by_hub,
            volume=self._staff.volume,
        )

    def _offers(self) -> list[GameOffer]:
        return [replace(offer, known=self._lessons.is_known(offer.name)) for offer in self._people.choice.offers()]

    def _minutes_left(self) -> tuple[int, int] | None:
        play, match = self._play, self._play.match
        if match is None or match.over or match.fault or play.stopped:
            return self._minutes.update(None, "", 0, (), 0)
        usual = match.game.labels.minutes
        return self._minutes.update(play.log.match, match.game.name, len(play.seats), match.log, usual)

    def _who_played(self, match: Match) -> dict[str, str]:
        """Return the names at the seats of a match, by seat, as they were when it was first over."""
        key = self._play.log.match, self._play.log.epoch
        if self._names_cache[0] != key:
            self._names_cache = key, {f"{number}": self._seats[number].display_name for number in match.setup.seats}
        return self._names_cache[1]

    def _highlights(self, match: Match) -> list[str]:
        key = self._play.log.epoch, len(match.events)
        if self._highlights_cache[0] != key:
            self._highlights_cache = key, highlights(match.events, match.game.labels.screen.highlights)
        return self._highlights_cache[1]

    def screen(self, state: PublicState) -> ScreenState:
        """Return a public state for the table's own screens: with more events, seat codes and the key's fingerprint."""
        shown = {name: getattr(state, name) for name in PublicState.__struct_fields__}
        newest = self.event_feed.for_screens()
        shown |= {"events": newest.events, "stood_in": newest.stood_in}
        return ScreenState(
            **shown,
            claim_codes=self._seats.codes(self._play.seats),
            fingerprint=self._fingerprint,
            light=self._staff.light,
            test_picture=self._staff.tests.shows_picture,
        )

    def hand(self, seat: Seat) -> Hand:
        """Return the current private state of a seat."""
        play, match, number = self._play, self._play.match, seat.number
        claim = self._seats.claim_for(number)
        hand = Hand(
            session=self._session,
            epoch=play.log.epoch,
            seq=self.seq,
            seat=number,
            match=play.log.match if match else None,
            seat_code=seat.code,
            claim=claim.number if claim else None,
            hand_over=seat.hand_over or None,
            hand_over_seconds=self._seats.hand_over_seconds(seat),
            hints=self._hints.is_on(seat),
            you=match.own(number) if match and number in match.setup.seats else {},
        )
        if match is None or number not in match.setup.seats:
            return hand
        if play.decision is None:
            return replace(hand, undo=bool(match.log) if match.fault else bool(match.over) and play.may_undo(number))
        if self._rolls.voting or play.paused:
            return replace(hand, number=play.decision.number)
        hand = replace(hand, lesson=self._lessons.for_seat(seat))
        return self._asked(hand, match, play.decision)

    def _asked(self, hand: Hand, match: Match, decision: Decision) -> Hand:
        """Return the hand with the question to its seat and the possible answers."""
        seat, dice = hand.seat, self._rolls.dice
        roll = decision.roll if decision.roll and decision.roll.seat == seat else None
        answer, dial = decision.answers.get(seat), self._boxes.dial_start(seat)
        notes, covered = match.notes_and_covered(seat)
        return replace(
            hand,
            number=decision.number,
            secret=decision.kind == "sealed",
            want=self._rolls.want(decision) if seat in decision.asked or roll else "",
            moves=[] if roll and dice.has_fallen else match.moves(seat),
            barred=match.barred(seat),
            notes=notes,
            covered=covered,
            locked={"move": answer.move, **answer.args} if answer else None,
            undo=not dice.has_fallen and self._play.may_undo(seat),
            dial=dial[0] if dial else None,
            dial_at=dial[1] if dial else "",
            cup=self._cups.text(seat),
            faces=Faces(dice.open.missing, roll.sides) if roll else None,
            hint=None if dice.has_fallen else self._hints.for_seat(self._seats[seat]),
        )


def _stage(match: Match | None) -> Literal["lobby", "playing", "over"]:
    return "lobby" if match is None else "over" if match.over else "playing"


def view(match: Match, *, held: bool = False) -> View:
    """Return the public view of a match. `held`: its open decision waits, and no seat is asked."""
    shown = match.view(None)
    roll = match.open.roll if match.open and not match.open.by_chance else None
    waiting = shown["waiting"]
    return View(
        game=shown["game"],
        round=shown["round"],
        phase=shown["phase"],
        table=shown["table"],
        seats=shown["seats"],
        waiting=Waiting(
            roll=WantedRoll(roll.seat, roll.count, roll.sides, roll.why) if roll and not held else None,
            seats=[] if held else waiting["seats"],
            secret=None if held else waiting.get("secret"),
        ),
    )
