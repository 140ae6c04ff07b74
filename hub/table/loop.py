"""The loop of one table: one inbox, one thread, one writer.

Whatever happens (a key, a phone, a die, the clock) is put into the inbox as a signal and read by one thread. Each signal
is handed to the one part that it is for; then the loop looks once whether another decision is open, and lets dice and
boxes follow; then everybody is shown what came of it. Drivers and web threads never touch the match. Nothing is shown,
and nobody is answered, before the disk has it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hub.engine.game import Game
from hub.engine.match import Match
from hub.engine.text import say
from hub.errors import IllegalAction, LogError, NotAsked
from hub.network.staff_messages import Desk
from hub.ports import (
    AddressChanged,
    BoxBid,
    BoxCheated,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    BrokerDown,
    BrokerUp,
    ClaimDecided,
    ClaimRequest,
    DeviceDown,
    DeviceSimulated,
    DeviceUp,
    DiceKit,
    DiceSeen,
    GameChanged,
    HelpRequest,
    Key,
    PhoneGarbled,
    PhoneLink,
    PhoneRequest,
    StaffRequest,
    Tick,
    Turn,
)
from hub.state import Ack, Preset, PublicState
from hub.table.base.ports import Ports
from hub.table.base.slow_disk import note_disk
from hub.table.match.feed import Happened
from hub.table.parts import Limits, Parts
from hub.table.people.house_seats import HouseWay
from hub.table.people.people import Patience
from hub.table.restarts import Restarts
from hub.table.seating.conditions import note, note_moved
from hub.table.views.snapshot import Identity

log = logging.getLogger(__name__)

TOO_MANY_CLAIMS = say("Too many people ask for a seat at once: try again in a moment.")


class Table(Restarts):
    """One wooden table while the hub runs.

    `number` is its id and `seats` the number of places, 2 to 6. The lobby offers `games` in their order. `address` returns
    the address for phones; `fingerprint` belongs to the hub's key; `place_boxes` maps seat boxes, by id, to seats; `presets`
    are the owner's sets of options by game; `evenings` are the opening hours. A demonstration starts after `attract_seconds`
    without anybody (0: never). Rings show a reveal for `reveal_seconds`. `sound` is the volume in percent until staff change
    it. Call `start` once, then `put` signals from any thread.
    """

    def __init__(
        self,
        number: str,
        name: str,
        seats: int,
        games: Sequence[Game],
        ports: Ports,
        *,
        address: Callable[[], str] = str,
        fingerprint: str = "",
        place_boxes: Mapping[str, int] | None = None,
        patience: Patience | None = None,
        house: HouseWay | None = None,
        presets: Mapping[str, Sequence[Preset]] | None = None,
        evenings: Sequence[str] = (),
        attract_seconds: float = 0,
        reveal_seconds: float = 0,
        sound: int = 60,
    ) -> None:
        limits = Limits(
            patience or Patience(), house or HouseWay(), presets or {}, evenings, attract_seconds, reveal_seconds, sound
        )
        identity = Identity(number, name, "", address)
        make_parts = partial(Parts, identity, seats, games, ports, limits, fingerprint, place_boxes or {})
        super().__init__(number, ports, make_parts)

    @property
    def id(self) -> str:
        """Return what stands for this table in addresses and topics."""
        return self._resumption.table.id

    @property
    def name(self) -> str:
        """Return what people call this table."""
        return self._resumption.table.name

    @property
    def code(self) -> str:
        """Return the four letters on its screens."""
        return self._resumption.table.code

    @property
    def stopped(self) -> str:
        """Return why the table stands still, as a sentence: its disk fails; "" where it does not."""
        return self._play.stopped

    @property
    def knows_seats(self) -> bool:
        """Return whether the disk has said who sits here, and the logins of their phones are asked for."""
        return self._resumption.knows_seats

    @property
    def match(self) -> Match | None:
        """Return the match that is played, or was played last. Look at it from the table's own thread only."""
        return self._play.match

    @property
    def desk(self) -> Desk:
        """Return what the table tells staff beside its public state."""
        return self._staff.desk

    @property
    def happened(self) -> Happened:
        """Return what everybody was shown of the match's events."""
        return self._snapshots.happened

    def seat_with(self, box: str) -> int | None:
        """Return the seat that a box stands at. Any thread may ask."""
        return seat.number if (seat := self._seats.of_box(box)) else None

    def put(self, signal: object) -> None:
        """Put a signal into the inbox. What a flood leaves no room for is refused at once, or asked again by its phone."""
        if not self._inbox.put(signal) and isinstance(signal, ClaimRequest):
            signal.answer(ClaimDecided(signal.claim, False, TOO_MANY_CLAIMS))

    def tell_waiting(self) -> None:
        """Show everybody that the table waits for its disk, if it does: its own thread cannot say so meanwhile."""
        self._publisher.tell_waiting()

    def _start(self) -> None:
        try:
            self._take_up()
        except LogError as error:
            self._stop_play(error)
        self._show()

    def _take_up(self) -> None:
        if self._resumption.take_up():
            self._parts.restore()
            self._parts.decision.ask_again()
            self._parts.update()
            self._resumption.tell_damaged()

    def _patience(self) -> float:
        """Return the seconds until something is due by itself, one at most."""
        times = self._parts.due_at, self._renames.due_at, self._links.due_at
        due = [at for at in times if at is not None]
        return min(1.0, max(0.0, min(due) - self._ports.clock.now())) if due else 1.0

    def take(self, signal: object) -> None:
        """Let one signal have its effect, and show what came of it."""
        ended, changed = self._demonstration.heard(signal), False
        before = {seat.number: (seat.sid, seat.joined) for seat in self._seats}
        try:
            if isinstance(signal, PhoneRequest):
                now = self._ports.clock.now()
                if signal.verb != "name" or not self._renames.waits(signal.sid, signal, now):
                    self._answer(signal)
            else:
                changed = self._handle(signal)
            changed = self._run_due() or changed
            changed = note_moved(before, self._seats, self._play.seats, self._notices) or changed
            self._parts.update()
            self._resumption.update_loss()
            changed = self._resumption.tell_damaged() or changed
        except LogError as error:
            self._stop_play(error)
            changed = True
        hinted = self._hints.refresh()
        if note_disk(self._disk, self._notices) or changed or ended:
            self._show()
        elif hinted:
            self._publisher.show_hands()
        self._boxes.tell()
        if self._demonstration.refresh():
            self._publisher.show_demonstration()
        if self._reveal.refresh():
            self._publisher.show_rings()

    def _handle(self, signal: object) -> bool:
        """Hand a signal to the part that it is for; return whether anything has changed that is shown."""
        if self._staff.tests.heard(signal):
            return True
        match signal:
            case Key() | Turn():
                came = self._people.touched(self._seats.of_box(signal.box))
                return self._presses.use(signal) or came
            case BoxLocked() | BoxUnlocked() | BoxBid() | BoxCheated():
                if isinstance(signal, BoxLocked):
                    self._people.locked(self._seats.of_box(signal.box))
                came = isinstance(signal, BoxUnlocked) and self._people.touched(self._seats.of_box(signal.box))
                return self._boxes.answer(signal) or came
            case BoxUp():
                return self._presses.connect(signal)
            case BoxDown():
                return self._presses.disconnect(signal)
            case DiceSeen():
                return self._rolls.seen(signal)
            case DiceKit():
                self._rolls.dice.kit(signal)
            case ClaimRequest():
                self._people.ask_for_seat(signal, choosing=self._boxes.is_choosing(signal.seat))
            case HelpRequest():
                return self._notices.post("help", say("Somebody without a seat calls for staff."), "guest")
            case PhoneLink(sid, on):
                now = self._ports.clock.now()
                return not self._links.waits(sid, signal, now) and self._link(sid, on=on)
            case PhoneGarbled(sid, sentence):
                log.info("table %s: a phone was not understood: %s", self.id, sentence)
                return False
            case DeviceDown() | DeviceUp() | DeviceSimulated() | BrokerDown() | BrokerUp() | AddressChanged():
                note(signal, self._notices, self._seats)
            case StaffRequest():
                self._staff.take(signal)
            case GameChanged(game):
                self._play.games[game.name] = game
            case Tick():
                return self._retry()
            case _:
                raise TypeError(f"no signal: {signal!r}")
        return True

    def _link(self, sid: str, *, on: bool) -> bool:
        seat = self._seats.held_by(sid)
        if seat is None or seat.phone_on == on:
            return False
        self._seats.linked(seat, on=on)
        if on:
            self._people.came(seat)
        return True

    def _answer(self, request: PhoneRequest, before: Sequence[PhoneRequest] = ()) -> None:
        """Do what a phone asks, or refuse it. What was done is shown first: the answer never runs ahead of the view.

        Requests `before` are answered with it: this one has taken their place.
        """
        seat = self._seats.held_by(request.sid)
        if seat is None:
            return
        woke = not seat.phone_on
        self._seats.linked(seat, on=True)
        woke = self._people.came(seat) or woke
        refusal: IllegalAction | None = None
        written = self._play.log.position
        self._asked = request, written
        try:
            self._requests.do(seat, request)
        except IllegalAction as error:
            refusal = error
        except LogError as error:
            self._stop_play(error)
            if self._play.log.position == written:  # else what was asked is on the disk: only what follows is not
                refusal = NotAsked(say("The match is stopped: {reason}", reason=error.sentence), "RECORD")
            woke = True
        if refusal and woke:
            self._show()
        if refusal is None:
            try:
                self._parts.update()
            except LogError as error:  # what the phone asked is on the disk all the same
                self._stop_play(error)
            note_disk(self._disk, self._notices)
        with self._ports.phones.together():
            shown = None if refusal else self._publisher.show_phones(self._resumption.table)
            if self._seats.held_by(request.sid):  # perhaps at another seat now
                text, code = (refusal.sentence, refusal.code) if refusal else (None, None)
                for one in (*before, request):
                    self._ports.phones.answer(one.sid, Ack(one.id, refusal is None, text, code, self._snapshots.seq))
        self._asked = None
        if shown:
            self._show_around(shown)

    def _run_due(self) -> bool:
        """Do what time alone brings about: claims end, rolls are accepted, seats that are waited for are nudged."""
        changed = self._seats.run_due()
        for *before, last in self._renames.due(self._ports.clock.now()):
            self._answer(last, before)
        for *_, link in self._links.due(self._ports.clock.now()):
            changed = self._link(link.sid, on=link.on) or changed
        self._parts.update()
        for part in self._parts.parts:
            if part.run_due():
                changed = True
                self._parts.update()  # where the match went on, dice and boxes are asked before anybody plays
        return changed

    def _stop_play(self, error: LogError) -> None:
        """Let the match stand still, as the disk has it, until the disk that failed is back."""
        self._play.stop(error)
        self._rolls.stop()
        self._notices.post("disk", self._play.stopped)
        self._notices.end("slow_disk")

    def _retry(self) -> bool:
        """Try the disk again, if it has failed; return whether it is back. Raise LogError."""
        if not self._play.stopped:
            return False
        if self._resumption.done:
            self._seats.keep()  # the smallest thing that shows whether the disk is back
        else:
            self._take_up()
        self._play.retry()
        self._notices.end("disk")
        self._parts.decision.ask_again()  # before time goes on: dice that were not accepted are asked for anew
        return True

    def _show(self) -> None:
        """Give everybody the newest complete picture."""
        self._show_around(self._publisher.show_phones(self._resumption.table))

    def _show_around(self, state: PublicState) -> None:
        self._boxes.tell()
        self._publisher.show_around(state, settled=self._parts.decision.take_settled())
