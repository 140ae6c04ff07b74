"""The loop of one table: one inbox, one thread, one writer.

Every input (key, phone, die, clock) enters the inbox as a signal, which the table's thread handles in three steps:

1. The part that is responsible for the signal handles it.
2. All parts update. If another decision is open, dice and boxes are asked for it.
3. The new state is published.

Drivers and web threads never touch the match. Changes are on disk before they are shown or acknowledged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from hub.state import Ack, PublicState
from hub.table.base.ports import Ports
from hub.table.base.slow_disk import update_slow_disk
from hub.table.match.feed import EventFeed
from hub.table.parts import Parts, TableSettings
from hub.table.restarts import Restarts
from hub.table.seating.conditions import post_moved_seats, update_notices
from hub.table.views.snapshot import Identity

log = logging.getLogger(__name__)

TOO_MANY_CLAIMS = say("Too many people are asking for a seat at once: try again in a moment.")


class Table(Restarts):
    """One wooden table while the hub runs.

    Call `start` once, then `put` signals from any thread.

    - `number`: its id; `seats`: the number of places, 2 to 6; `games`: the games in the order of the lobby.
    - `address` returns the address for phones; `fingerprint` is that of the hub's key.
    - `place_boxes` maps ids of seat boxes to seats; `settings` are the owner's settings.
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
        settings: TableSettings | None = None,
    ) -> None:
        identity = Identity(number, name, "", address)
        make_parts = partial(Parts, identity, seats, games, ports, fingerprint, place_boxes or {})
        super().__init__(number, ports, make_parts, replace(settings or TableSettings(), name=name))

    @property
    def id(self) -> str:
        """Return the id of this table in addresses and topics."""
        return self._resumption.table.id

    @property
    def name(self) -> str:
        """Return the name that people see."""
        return self._resumption.table.name

    @property
    def code(self) -> str:
        """Return the four letters on its screens."""
        return self._resumption.table.code

    @property
    def stopped(self) -> str:
        """Return why the match is stopped (its disk fails), as a sentence; "" if it is not."""
        return self._play.stopped

    @property
    def knows_seats(self) -> bool:
        """Return whether the seats were read from the disk, so that the logins of their phones are known."""
        return self._resumption.knows_seats

    @property
    def match(self) -> Match | None:
        """Return the current or last match. Use it on the table's own thread only."""
        return self._play.match

    @property
    def desk(self) -> Desk:
        """Return what staff see beside the public state."""
        return self._staff.desk

    @property
    def event_feed(self) -> EventFeed:
        """Return the events of the match that were published."""
        return self._snapshots.event_feed

    def seat_with(self, box: str) -> int | None:
        """Return the seat of a box, or None. Thread-safe."""
        return seat.number if (seat := self._seats.of_box(box)) else None

    def put(self, signal: object) -> None:
        """Put a signal into the inbox. Thread-safe. If a flood leaves no room, a claim is refused at once."""
        if not self._inbox.put(signal) and isinstance(signal, ClaimRequest):
            signal.answer(ClaimDecided(signal.claim, False, TOO_MANY_CLAIMS))

    def show_waiting(self) -> None:
        """Show that the table waits for its disk, if it does. For another thread: the table's own is blocked meanwhile."""
        self._publisher.show_waiting()

    def _start(self) -> None:
        try:
            self._resume()
        except LogError as error:
            self._stop_play(error)
        self._show()

    def _resume(self) -> None:
        self._resumption.resume()
        self._parts.restore()
        self._resumption.finish()
        self._parts.decision.ask_again()
        self._parts.update()
        self._resumption.report_damaged()

    def _seconds_until_due(self) -> float:
        """Return the seconds until the next part is due, at most 1."""
        if self._play.stopped:
            return 1.0  # nothing that is due can be done before the disk is well
        times = self._parts.due_at, self._renames.due_at, self._links.due_at
        due = [at for at in times if at is not None]
        return min(1.0, max(0.0, min(due) - self._ports.clock.now())) if due else 1.0

    def handle_signal(self, signal: object) -> None:
        """Handle one signal and publish what has changed."""
        ended, changed = self._demonstration.handle_signal(signal), False
        before = {seat.number: (seat.sid, seat.joined) for seat in self._seats}
        try:
            if isinstance(signal, PhoneRequest):
                now = self._ports.clock.now()
                if signal.verb != "name" or not self._renames.defer(signal.sid, signal, now):
                    self._answer(signal)
            else:
                changed = self._handle(signal)
            changed = self._run_due() or changed
            changed = post_moved_seats(before, self._seats, self._play.seats, self._notices) or changed
            self._parts.update()
            self._resumption.update_loss()
            changed = self._resumption.report_damaged() or changed
        except LogError as error:
            self._stop_play(error)
            changed = True
        hinted = self._hints.refresh()
        if update_slow_disk(self._disk, self._notices) or changed or ended:
            self._show()
        elif hinted:
            self._publisher.show_hands()
        self._boxes.send()
        if self._demonstration.refresh():
            self._publisher.show_demonstration()
        if self._reveal.refresh():
            self._publisher.show_rings()

    def _handle(self, signal: object) -> bool:
        """Hand a signal to the responsible part; return whether anything shown has changed."""
        if self._staff.tests.handle_signal(signal):
            return True
        match signal:
            case Key() | Turn():
                came = self._people.on_box_used(self._seats.of_box(signal.box))
                return self._presses.handle_control(signal) or came
            case BoxLocked() | BoxUnlocked() | BoxBid() | BoxCheated():
                if isinstance(signal, BoxLocked):
                    self._people.on_box_locked(self._seats.of_box(signal.box))
                came = isinstance(signal, BoxUnlocked) and self._people.on_box_used(self._seats.of_box(signal.box))
                return self._boxes.handle_report(signal) or came
            case BoxUp():
                return self._presses.connect(signal)
            case BoxDown():
                return self._presses.disconnect(signal)
            case DiceSeen(cup=cup) if cup:
                return self._parts.cups.on_reading(signal)
            case DiceKit(cup=cup) if cup:
                self._parts.cups.on_kit(signal)
            case DiceSeen():
                return self._rolls.on_reading(signal)
            case DiceKit():
                self._rolls.dice.on_kit(signal)
            case ClaimRequest():
                self._people.ask_for_seat(signal, choosing=self._boxes.is_choosing(signal.seat))
            case HelpRequest():
                return self._parts.core.calls.call_guest()
            case PhoneLink(sid, on):
                now = self._ports.clock.now()
                return not self._links.defer(sid, signal, now) and self._set_link(sid, on=on)
            case PhoneGarbled(sid, sentence):
                log.info("table %s: a phone was not understood: %s", self.id, sentence)
                return False
            case DeviceDown() | DeviceUp() | DeviceSimulated() | BrokerDown() | BrokerUp() | AddressChanged():
                update_notices(signal, self._notices, self._seats)
            case StaffRequest():
                self._staff.handle_request(signal)
            case GameChanged(game):
                self._play.games[game.name] = game
            case Tick():
                return self._retry()
            case _:
                raise TypeError(f"no signal: {signal!r}")
        return True

    def _set_link(self, sid: str, *, on: bool) -> bool:
        seat = self._seats.held_by(sid)
        if seat is None or seat.phone_on == on:
            return False
        self._seats.on_connection(seat, on=on)
        if on:
            self._people.note_activity(seat)
        return True

    def _answer(self, request: PhoneRequest, before: Sequence[PhoneRequest] = ()) -> None:
        """Do or refuse what a phone asks. The new state is sent before the answer.

        Requests `before`, which this one replaces, get the same answer.
        """
        seat = self._seats.held_by(request.sid)
        if seat is None:
            return
        woke = not seat.phone_on
        self._seats.on_connection(seat, on=True)
        woke = self._people.note_activity(seat) or woke
        refusal: IllegalAction | None = None
        written = self._play.log.position
        self._current_request = request, written
        try:
            self._requests.handle(seat, request)
        except IllegalAction as error:
            refusal = error
        except LogError as error:
            self._stop_play(error)
            # else the request itself is on disk, and only its consequences failed
            if self._play.log.position == written:
                refusal = NotAsked(say("The match is stopped: {reason}", reason=error.sentence), "RECORD")
            woke = True
        if refusal and woke:
            self._show()
        if refusal is None:
            try:
                self._parts.update()
            except LogError as error:  # the request itself is on disk
                self._stop_play(error)
            update_slow_disk(self._disk, self._notices)
        with self._ports.phones.together():
            shown = None if refusal else self._publisher.show_phones(self._resumption.table)
            if self._seats.held_by(request.sid):  # perhaps another seat by now
                text, code = (refusal.sentence, refusal.code) if refusal else (None, None)
                for one in (*before, request):
                    self._ports.phones.answer(one.sid, Ack(one.id, refusal is None, text, code, self._snapshots.seq))
        self._current_request = None
        if shown:
            self._show_around(shown)

    def _run_due(self) -> bool:
        """Run what is due: claims expire, rolls are accepted, late seats are called. Return whether anything has changed."""
        changed = self._seats.run_due()
        for *before, last in self._renames.pop_due(self._ports.clock.now()):
            self._answer(last, before)
        for *_, link in self._links.pop_due(self._ports.clock.now()):
            changed = self._set_link(link.sid, on=link.on) or changed
        self._parts.update()
        for part in self._parts.parts:
            if part.run_due():
                changed = True
                self._parts.update()  # if the match went on, dice and boxes are asked before the next part plays
        return changed

    def _stop_play(self, error: LogError) -> None:
        """Stop the match as it is on disk, until the failed disk is back."""
        self._play.stop(error)
        self._rolls.stop()
        self._notices.post("disk", self._play.stopped)
        self._notices.end("slow_disk")

    def _retry(self) -> bool:
        """Try a failed disk again; return whether it is back. Raise LogError."""
        if not self._play.stopped:
            return False
        if self._resumption.is_done:
            self._seats.save()  # the smallest write that proves the disk works
        else:
            self._resume()
        self._play.retry()
        self._notices.end("disk")
        self._parts.decision.ask_again()  # before `run_due`: unaccepted dice are asked for again
        return True

    def _show(self) -> None:
        """Publish the latest complete state."""
        self._show_around(self._publisher.show_phones(self._resumption.table))

    def _show_around(self, state: PublicState) -> None:
        self._boxes.send()
        self._publisher.show_around(state, settled=self._parts.decision.pop_settled())
