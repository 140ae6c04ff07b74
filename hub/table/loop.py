"""The table: one inbox, one writer.

Whatever happens (a key, a phone, a die, the clock) is put into the inbox as a Signal and read by one
thread: signal, action, match, log on disk, views, pictures. Drivers and web threads never touch the
match. Nothing is shown, and nobody is answered, before the disk has it.

This file knows what is asked of whom. What the disk has is told by `hub.table.match_log`, who sits where by `hub.table.seats`, what
boxes hold sealed by `hub.table.sealed_round`, where a dial stands and what its display says by `hub.table.box_displays`, whether a roll is doubted
by `hub.table.dispute`, what a control means by `hub.table.controls`, how a ring or a panel looks by `hub.display`, what everybody is
told of a match by `hub.table.feed`, how a phone is spoken to by `hub.network.messages`.
"""

from __future__ import annotations

import logging
import queue
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import choice
from typing import Any

from msgspec import structs, to_builtins

from hub.display import rings
from hub.engine.decision import CHANCE, Action, Roll
from hub.engine.game import Game
from hub.engine.match import Decision, Match
from hub.errors import IllegalAction, LogError, NotAsked, NotOffered, RulesBug, Stale, StartRefused
from hub.ports import (
    BoxBid,
    BoxCheated,
    BoxDown,
    Boxes,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    BrokerDown,
    BrokerUp,
    ClaimAsked,
    Clock,
    DeviceDown,
    DeviceUp,
    Dice,
    DiceKit,
    DiceSeen,
    Key,
    Lamps,
    LogStore,
    Page,
    PhoneGarbled,
    PhoneLink,
    Phones,
    PhoneSaid,
    Tick,
    Turn,
)
from hub.state import Ack, Batch, Faces, Hand, Notice, PublicState, View, Waiting, WantedRoll, tidy_name
from hub.table import controls, feed
from hub.table.box_displays import Consoles, seen_by
from hub.table.chance import Chance
from hub.table.dispute import Dispute, KeptDispute
from hub.table.match_log import Record
from hub.table.rolls import Tray, least
from hub.table.sealed_round import SealedChoice
from hub.table.seats import Place, Seating

log = logging.getLogger(__name__)

CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: a table's code never spells a word
NUDGE_SECONDS = 20.0
WAITS = "The table decides whether the dice are read again."


@dataclass
class Ports:
    """The world around a table, as `hub.app` wires it."""

    store: LogStore
    phones: Phones
    clock: Clock
    chance: Chance
    lamps: list[Lamps] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    boxes: Boxes | None = None
    dice: Dice | None = None


class _Stop:
    """The last signal."""


class Table:
    """One wooden table while the hub runs. Fulfils what the web needs to know of it.

    `seats` is the number of places, 2 to 6; `games` are offered in the lobby in that order; `address` tells
    what phones can open; `place_boxes` binds seat boxes (by id) to seats. Call `start` once, then `put` signals from any thread.
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
        place_boxes: Mapping[str, int] | None = None,
    ) -> None:
        self.id = number
        self.name = name
        self._address = address
        self.code = ""
        self._games = {game.name: game for game in games}
        self._ports = ports
        self._place_boxes = dict(place_boxes or {})
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._seating = Seating(number, seats, ports.store, ports.phones, ports.clock)
        self._boxes_up: dict[str, str] = {}
        self._match: Match | None = None
        self._record = Record(number, ports.store)
        self._stopped = ""
        self._notice = ""
        self._without_broker = ""
        self._lost_devices: dict[str, str] = {}
        self._seq = 0
        self._tray = Tray(number, ports.dice, ports.store, ports.clock, ports.chance, self._call_staff)
        self._dispute: Dispute | None = None
        self._sealed: SealedChoice | None = None
        self._consoles = Consoles(ports.boxes, self._seating)
        self._asked_at = 0.0
        self._nudged: list[int] = []
        self._settled = False
        self._chosen_game = ""  # the game that a push on a box starts: the last one, or what a dial says
        self._undo_known: tuple[tuple[int, int], bool] = ((0, 0), False)

    # --- from any thread -------------------------------------------------------------------------

    def put(self, signal: object) -> None:
        """Put a signal into the inbox."""
        self._inbox.put(signal)

    def claim(self, asked: ClaimAsked) -> None:
        """Somebody asks for a seat."""
        self.put(asked)

    # --- the one thread --------------------------------------------------------------------------

    def start(self) -> None:
        """Take up what the record holds: who sat where, and the match under way. Raises LogError."""
        self._recall()
        self._resume()
        self._open_decision()
        self._show()

    def run(self, ticked: Callable[[], None] = lambda: None) -> None:
        """Read the inbox until `stop`. `ticked` is called at least once a second: it feeds the watchdog."""
        while True:
            try:
                signal = self._inbox.get(timeout=self._patience())
            except queue.Empty:
                signal = Tick()
            if isinstance(signal, _Stop):
                return
            self.take(signal)
            ticked()

    def stop(self) -> None:
        """End `run` after what is already in the inbox."""
        self._inbox.put(_Stop())

    def _patience(self) -> float:
        """Seconds until something is due by itself, one at most."""
        if self._stopped:
            return 1.0
        dues = (self._tray.next, self._dispute.until if self._dispute else None)
        return min([1.0, *(max(0.0, due - self._ports.clock.now()) for due in dues if due is not None)])

    def take(self, signal: object) -> None:
        """Let one signal have its effect, and show what came of it."""
        try:
            changed = self._take(signal)
            changed = self._due() or changed
        except LogError as why:
            self._halt(why)
            changed = True
        if changed:
            self._show()

    def _take(self, signal: object) -> bool:
        match signal:
            case PhoneSaid():
                return self._phone_said(signal)
            case PhoneLink(sid, on):
                place = self._seating.held_by(sid)
                if place is None or place.phone_on == on:
                    return False
                place.phone_on = on
            case PhoneGarbled(sid, sentence):
                log.info("table %s: a phone was not understood: %s", self.id, sentence)
                return False
            case ClaimAsked():
                self._seating.ask(signal, choosing=self._sealed is not None and signal.seat in self._sealed)
            case BoxUp():
                self._box_up(signal)
            case BoxDown(box, why):
                self._box_down(box, why)
            case DeviceDown(device, why):
                self._lost_devices[device] = why
            case DeviceUp(device):
                self._lost_devices.pop(device, None)
            case Key() | Turn():
                return self._control(signal)
            case BoxLocked() | BoxUnlocked() | BoxBid() | BoxCheated():
                return self._box_chooses(signal)
            case DiceSeen():
                return self._decision() is not None and self._dice_seen(signal)
            case DiceKit():
                self._tray.kit(signal)
            case BrokerUp():
                self._without_broker = ""
            case BrokerDown(why):
                self._without_broker = why
                for place in self._seating:
                    place.phone_on = False
            case Tick():
                return self._retry_record()
            case _:
                raise TypeError(f"no signal: {signal!r}")
        return True

    def _due(self) -> bool:
        """What time alone brings about: claims run out, silent seats are called, a read roll stands."""
        now, changed = self._ports.clock.now(), self._seating.due()
        if self._decision() is not None and self._tray.due():
            self._rolled()
            changed = True
        if self._dispute and not self._stopped:
            changed = self._dispute_due(self._dispute) or changed
        if now - self._asked_at >= NUDGE_SECONDS:
            waited = [seat for seat in self._awaited() if seat not in self._nudged]
            if waited:
                self._nudged += waited
                changed = True
        return changed

    # --- the record ------------------------------------------------------------------------------

    def _recall(self) -> None:
        store = self._ports.store
        code = store.recall(self.id, "code")
        self.code = code.decode() if code else "".join(choice(CODE_LETTERS) for _ in range(4))
        store.keep(self.id, "code", self.code.encode())
        self._record.recall()
        self._seating.recall()
        for box, seat in self._place_boxes.items():
            self._seating.bind(box, seat)

    def _resume(self) -> None:
        """Play the running match's log again."""
        try:
            self._match = self._record.resume(self._games)
        except StartRefused as why:
            self._notice = str(why)
            return
        if self._match is None:
            return
        self._chosen_game = self._match.game.name
        doubted = self._record.doubted
        if not (doubted and self._resume_reading(self._match, doubted)):
            self._settle_chance()

    def _resume_reading(self, match: Match, kept: KeptDispute) -> bool:
        """Go on reading the roll again that was being read again; whether it still is to be."""
        roll = match.log[kept.number] if kept.match == self._record.match and kept.number < len(match.log) else None
        if roll is None or roll.move != "roll" or "first" in roll.args:
            self._record.forget_doubted()
            return False
        earlier = match.until(kept.number)
        assert earlier.open is not None
        assert earlier.open.roll is not None
        self._dispute = Dispute(earlier.open.roll, kept.number, kept.batches, self._ports.clock.now())
        self._dispute.read(match, self._ports.clock.now())
        self._match = earlier
        self._record.go_back(kept.number)
        return True

    def _write(self) -> None:
        """Bring the record up to the match. What followed from the first reading of a roll that is read again never was."""
        if self._match:
            self._record.write(self._match, instead=self._reading is not None)

    def _halt(self, why: LogError) -> None:
        """The record cannot be written: the match stands still until it can. What the disk has not, was not."""
        log.error("table %s: %s", self.id, why)
        self._stopped = str(why)
        if not self._reading:
            self._dispute = None
        self._match = self._match and self._record.as_written(self._match)

    def _retry_record(self) -> bool:
        if not self._stopped:
            return False
        self._seating.keep()  # the smallest thing that shows whether the disk is back
        self._write()
        self._settle_chance()
        self._stopped = ""
        self._open_decision()
        return True

    # --- a match ---------------------------------------------------------------------------------

    def _begin(self, name: str, options: Mapping[str, Any]) -> None:
        """Start a match with those who have joined. Raises StartRefused."""
        if self._match and not self._match.over and not self._match.fault:
            raise StartRefused("A match is under way at this table.")
        if self._dispute and self._dispute.waits:
            raise StartRefused(WAITS)
        game = self._games.get(name)
        if game is None:
            raise StartRefused(f"There is no game {name!r} at this table.")
        # Who left during the last match is at the table no more, unless a box sits there for them.
        match = Match(game, [p.seat for p in self._seating if p.joined and (p.sid or p.box)], options)
        if self._match and not self._match.over:
            self._record.leave()
        self._record.begin(match)
        self._match, self._chosen_game, self._notice = match, name, ""
        self._dispute = None
        for place in self._seating:
            place.ready = False
        self._settle_chance()
        self._open_decision()

    def _act(self, action: Action) -> None:
        """One action: checked, logged on disk, and only then the table goes on. Raises IllegalAction."""
        if self._stopped:
            raise NotAsked(f"The match stands still: {self._stopped}", "RECORD")
        match = self._match
        if match is None:
            raise NotAsked("No match is under way.", "LOBBY")
        before = match.open
        if before and before.roll and before.roll.seat == action.seat and self._tray.fallen:
            raise NotOffered("Your dice have begun to fall: finish the roll first.", "DICE")
        self._not_in_dispute(action.seat)
        try:
            match.act(action)
        except RulesBug as why:
            log.error("table %s: %s", self.id, why, exc_info=why.__cause__)
            self._notice = f"{why} Take back the last action, or start anew."
        self._settle_chance()
        self._play_on()
        if match.open is not before or match.over:
            self._open_decision()

    def _not_in_dispute(self, seat: int) -> None:
        """The game waits while the table decides about its dice."""
        if self._dispute and self._dispute.waits and seat != CHANCE:
            raise NotAsked(WAITS, "DICE")

    def _settle_chance(self) -> None:
        if self._match:
            try:
                if self._reading:
                    self._reading.keep_chance(self._match)
                self._ports.chance.settle(self._match)
            except RulesBug as why:
                log.error("table %s: %s", self.id, why, exc_info=why.__cause__)
                self._notice = f"{why} Take back the last action, or start anew."
            self._write()

    def _open_decision(self) -> None:
        """A new question: boxes, dice and the clock of patience begin anew."""
        self._asked_at, self._nudged = self._ports.clock.now(), []
        self._consoles.begin_anew()
        self._close_sealed()
        decision = self._decision()
        if decision is None or decision.roll is None:
            self._tray.close()
        self._consoles.caption(self._match, decision)
        if decision is None:
            self._settled = True
            return
        self._settled = decision.kind == "sealed"
        if decision.kind == "sealed":
            self._open_sealed(decision)
        if decision.roll:
            key, doubted = self._roll_key(decision), self._reading
            if doubted and doubted.number == decision.number:
                self._tray.reread(key, decision.roll, doubted.batches)
            else:
                self._tray.call(key, decision.roll, decision.wants)
            self._consoles.caption_dice(self._tray, self._playing())

    def _decision(self) -> Decision | None:
        return self._match.open if self._match and not self._stopped else None

    def _want(self, decision: Decision) -> str:
        """What is wanted, in a sentence."""
        return "Do not roll: the dice are read again." if self._reading else decision.want

    def _awaited(self) -> list[int]:
        """The seats that the table waits for."""
        decision = self._decision()
        if decision is None or (self._dispute and self._dispute.stage == "vote"):
            return []
        if decision.roll:
            return [decision.roll.seat]
        return [seat for seat in decision.asked if seat not in self._locked(decision)]

    def _locked(self, decision: Decision) -> list[int]:
        """Who has locked a sealed choice, on a phone or in a box."""
        boxed = self._sealed.locked if self._sealed else []
        return [seat for seat in decision.asked if seat in decision.answers or seat in boxed]

    def _undo(self, seat: int) -> None:
        if self._match is None:
            raise NotOffered("No match is under way.", "LOBBY")
        if self._stopped:
            raise NotAsked(f"The match stands still: {self._stopped}", "RECORD")
        self._not_in_dispute(seat)
        if self._tray.fallen:
            raise NotOffered("Dice have been read since: it cannot be taken back.", "UNDO")
        length = len(self._match.before(1, seat).log)
        self._record.cut(length)
        self._match.undo(1, seat)
        self._notice, self._dispute = "", None
        self._settle_chance()
        self._open_decision()

    # --- phones ----------------------------------------------------------------------------------

    def _phone_said(self, said: PhoneSaid) -> bool:
        place = self._seating.held_by(said.sid)
        if place is None:
            return False
        refusal: IllegalAction | None = None
        place.phone_on = True
        try:
            if said.epoch != self._record.epoch:
                raise Stale
            self._verb(place, said)
        except IllegalAction as why:
            refusal = why
        except StartRefused as why:
            refusal = IllegalAction(str(why), "START")
        except LogError as why:
            self._halt(why)
            self._show()
            refusal = NotAsked(f"The match stands still: {why}", "RECORD")
        # What was taken is shown first, so that the answer never runs ahead of the view.
        shown = None if refusal else self._show_phones()
        if place.sid == said.sid:
            error, code = (refusal.sentence, refusal.code) if refusal else (None, None)
            self._ports.phones.answer(said.sid, Ack(said.id, refusal is None, error, code, self._seq))
        if shown:
            self._show_around(shown)
        return False

    def _verb(self, place: Place, said: PhoneSaid) -> None:
        args = dict(said.args)
        match said.verb:
            case "act":
                move = args.pop("move", None)
                if type(move) is not str:
                    raise IllegalAction("An action needs a move.")
                self._phone_acts(Action(seat=place.seat, move=move, args=args, number=said.number))
            case "roll":
                self._same_roll(place.seat, said.number)
                self._type(place.seat, args.get("faces"))
            case "dice" if args.get("say") in ("reread", "stands"):
                self._doubt(place.seat, yes=args["say"] == "reread")
            case "dice":
                self._same_roll(place.seat, said.number)
                self._say_to_dice(place.seat, args.get("say"))
            case "undo":
                self._undo(place.seat)
            case "start":
                options = args.get("options", {})
                if not isinstance(args.get("game"), str) or not isinstance(options, dict):
                    raise IllegalAction("Name a game and its options.")
                self._begin(args["game"], options)
            case "again":
                self._again()
            case "ready":
                place.ready = not place.ready
            case "name":
                if not isinstance(args.get("name"), str):
                    raise IllegalAction("A name is a text.")
                self._seating.change(place, name=tidy_name(args["name"]))
            case "leave":
                self._seating.release(place, playing=place.seat in self._playing())
            case _:
                raise IllegalAction("That is no request.")

    def _phone_acts(self, action: Action) -> None:
        sealed = self._sealed
        if sealed and action.seat in sealed and self._decision() is not None:
            if sealed.revealing and self._seating[action.seat].box_on:
                raise NotOffered("Everybody has locked: the choices are being opened.", "LOCKED")
            self._match_check(action)
            sealed.give_way(action.seat)
        self._act(action)
        self._reveal_when_locked()

    def _match_check(self, action: Action) -> None:
        """Refuse an illegal choice before the box's lock is given up for it."""
        decision = self._decision()
        if decision and not any(m.name == action.move and m.accepts(action.args) for m in decision.offers(action.seat)):
            self._act(action)  # refuses it in the rulebook's words

    def _again(self) -> None:
        match = self._match
        if match is None or not match.over:
            raise NotAsked("There is no finished match to play again.", "LOBBY")
        self._begin(match.game.name, match.setup.options)

    def _playing(self) -> list[int]:
        """The seats of the match under way."""
        return list(self._match.state.seats) if self._match and not self._match.over else []

    # --- boxes -----------------------------------------------------------------------------------

    def _box_up(self, up: BoxUp) -> None:
        self._boxes_up[up.box] = up.boot
        place = self._seating.of_box(up.box)
        if place is None:
            if free := self._seating.without_box():
                self._notice = f"A new seat box: press any button on the box for seat {free[0].seat}."
            return
        self._box_is_there(place)

    def _box_is_there(self, place: Place) -> None:
        place.box_on = True
        decision = self._decision()
        if decision and self._sealed and place.seat in decision.asked and place.seat not in decision.answers:
            self._offer_sealed(self._sealed, decision, place.seat)

    def _box_down(self, box: str, why: str) -> None:
        self._boxes_up.pop(box, None)
        place = self._seating.of_box(box)
        log.warning("table %s: box %s: %s", self.id, box, why)
        if place:
            place.box_on = False
            if self._sealed:
                # A box that still holds its lock tells it again when it is back; until then its phone may choose.
                self._sealed.unlock(place.seat)
            if self._seating.claimed == place.seat:
                self._seating.refuse(f"The box of seat {place.seat} is gone: type the seat's code.")

    def _control(self, signal: Key | Turn) -> bool:
        place = self._seating.of_box(signal.box)
        if place is None:
            return self._place_box(signal)
        if isinstance(signal, Key) and signal.control == "bar" and signal.edge == "hold":
            self._notice = f"Seat {place.seat} calls for help."
            return True
        if self._seating.claimed == place.seat and isinstance(signal, Key):
            if signal.control == "push" and signal.edge == "down":
                self._seating.grant()
            elif signal.control == "bar":
                self._seating.refuse(f"Seat {place.seat} said no.")
            return True
        if self._stopped:
            return False
        if self._dispute and (meaning := self._doubted(self._dispute, place.seat, signal)):
            self._mean(place, meaning)
            return not isinstance(meaning, controls.Nothing)
        if self._decision() is not None:
            return self._control_in_match(place, signal)
        return self._pick_game(signal.detents) if isinstance(signal, Turn) else self._control_in_lobby(place, signal)

    def _place_box(self, signal: Key | Turn) -> bool:
        """A box that belongs to no seat yet: its first key binds it to the first free seat, or in a lost box's place."""
        free = self._seating.without_box()
        if not isinstance(signal, Key) or not free:
            return False
        self._seating.bind(signal.box, free[0].seat)
        self._box_is_there(free[0])
        self._seating.keep()
        unbound = [box for box in self._boxes_up if self._seating.of_box(box) is None]
        self._notice = f"Now press the box for seat {free[1].seat}." if unbound and free[1:] else ""
        return True

    def _pick_game(self, detents: int) -> bool:
        """Whose table has no phone turns a dial until the game stands there that a push is to start."""
        names = list(self._games)
        first = -1 if detents > 0 else 0
        self._chosen_game = names[
            ((names.index(self._chosen_game) if self._chosen_game else first) + detents) % len(names)
        ]
        game = self._games[self._chosen_game]
        least, most = game.seats
        self._notice = f"A push starts {game.title}, for {least} to {most} players. Turn a dial for another game."
        return True

    def _control_in_lobby(self, place: Place, key: Key) -> bool:
        """Push: sit down and be ready; once all are, push starts. Bar: not ready, then up again."""
        if key.edge != "down":
            return False
        if key.control == "bar":
            if place.ready:
                place.ready = False
            elif not place.sid:
                place.joined = False
            self._seating.keep()
            return True
        if key.control != "push":
            return False
        if not place.ready:
            place.joined = place.ready = True
            self._seating.keep()
            return True
        try:
            self._start_by_box()
        except StartRefused as why:
            self._notice = str(why)
            self._consoles.refuse(place, str(why))
        return True

    def _start_by_box(self) -> None:
        if self._match and self._match.over:  # everybody still sits there, and phones ask nobody to be ready
            same = self._match.game.name == self._chosen_game
            self._begin(self._chosen_game, self._match.setup.options if same else {})
            return
        late = [place.seat for place in self._seating if place.joined and not place.ready]
        if late:
            raise StartRefused(f"Not ready yet: {', '.join(f'Seat {seat}' for seat in late)}.")
        self._begin(self._chosen_game or next(iter(self._games)), {})

    def _control_in_match(self, place: Place, signal: Key | Turn) -> bool:
        """An open decision is answered on the box; a sealed one is the box's own business (`BoxLocked`)."""
        match, decision = self._match, self._decision()
        if match is None or decision is None or (decision.kind == "sealed" and place.seat in decision.asked):
            return False
        cursor, moves = self._consoles.cursor(place.seat), decision.offers(place.seat)
        if decision.roll and decision.roll.seat == place.seat:
            roll = structs.replace(decision.roll, count=self._tray.missing)
            moves = [] if self._tray.fallen else moves
            cursor, meaning = controls.press_roll(roll, moves, cursor, signal, dice=self._tray.state)
        elif decision.roll and not moves:
            meaning = controls.press_beside_roll(signal, dice=self._tray.state, voting=self._tray.voting)
            self._mean(place, meaning)
            return not isinstance(meaning, controls.Nothing)
        elif moves:
            cursor, meaning = controls.press(moves, cursor, signal, self._words())
        else:
            return False
        explains = isinstance(meaning, controls.WhatIsThis) and meaning.answer is not None
        self._consoles.turned(place, cursor, match, decision, silent=explains)
        self._mean(place, meaning)
        return True

    def _mean(self, place: Place, meaning: controls.Meaning) -> None:
        """What a control of an asked seat's box has come to mean."""
        match meaning:
            case controls.Chosen(answer):
                action = Action(seat=place.seat, move=answer.move, args=dict(answer.args))
                self._by_box(place, lambda: self._act(action))
            case controls.TypedFaces(faces):
                self._by_box(place, lambda: self._type(place.seat, list(faces)))
            case controls.AcceptDice():
                self._by_box(place, lambda: self._say_to_dice(place.seat, "accept"))
            case controls.ReadAgain():
                self._by_box(place, lambda: self._say_to_dice(place.seat, "again"))
            case controls.HubRolls():
                self._by_box(place, lambda: self._say_to_dice(place.seat, "hub"))
            case controls.Doubts(yes):
                self._by_box(place, lambda: self._doubt(place.seat, yes=yes))
            case controls.AsItLies():
                self._by_box(place, lambda: self._say_to_dice(place.seat, "lies"))
            case controls.WhatIsThis(answer) if answer and self._match:
                self._consoles.explain(place, answer, self._match)
            case controls.Refused(sentence):
                self._consoles.refuse(place, sentence)

    def _words(self) -> Mapping[str, Any]:
        return self._match.game.words if self._match else {}

    def _by_box(self, place: Place, do: Callable[[], None]) -> None:
        """What a box wants, or why it cannot be on its display."""
        try:
            do()
        except IllegalAction as why:
            self._consoles.refuse(place, why.sentence)

    # --- sealed choices in boxes -------------------------------------------------------------------

    def _offer_sealed(self, sealed: SealedChoice, decision: Decision, seat: int) -> None:
        if self._match:
            sealed.offer(seat, decision.offers(seat), self._match.game.words, seen_by(self._match, seat))

    def _open_sealed(self, decision: Decision) -> None:
        if self._ports.boxes is None:
            return
        serial = self._record.serial
        number = serial % 100_000 * 10_000 + decision.number
        self._sealed = SealedChoice(number, self._ports.boxes, lambda seat: self._seating[seat].box)
        for place in self._seating:
            if place.box_on and place.seat in decision.asked and place.seat not in decision.answers:
                self._offer_sealed(self._sealed, decision, place.seat)

    def _close_sealed(self) -> None:
        if self._sealed:
            self._sealed.close()
        self._sealed = None

    def _boxed(self, box: str, round: int) -> tuple[Place, SealedChoice] | None:
        """Who speaks of the sealed choice that is open, out of a box that was asked for it."""
        place, sealed = self._seating.of_box(box), self._sealed
        return (place, sealed) if place and sealed and sealed.round == round and place.seat in sealed else None

    def _box_chooses(self, signal: BoxLocked | BoxUnlocked | BoxBid | BoxCheated) -> bool:
        match signal:
            case BoxLocked(box, round):
                return self._box_locked(box, round)
            case BoxUnlocked(box, round):
                return self._box_unlocked(box, round)
            case BoxBid(box, round, index):
                return self._box_bid(box, round, index)
            case BoxCheated(box, round):
                return self._box_cheated(box, round)

    def _box_locked(self, box: str, round: int) -> bool:
        found = self._boxed(box, round)
        if not found:
            return False
        place, sealed = found
        sealed.lock(place.seat)
        self._play_on()
        self._reveal_when_locked()
        return True

    def _box_unlocked(self, box: str, round: int) -> bool:
        found = self._boxed(box, round)
        return found is not None and found[1].unlock(found[0].seat)

    def _reveal_when_locked(self) -> None:
        """The last seat has locked: the boxes open what they hold."""
        decision = self._decision()
        if decision and self._sealed and len(self._locked(decision)) == len(decision.asked):
            self._sealed.reveal()

    def _box_bid(self, box: str, round: int, index: int) -> bool:
        found = self._boxed(box, round)
        if not found:
            return False
        place, sealed = found
        answer = sealed.take(place.seat, index)
        if answer is None:
            return self._box_cheated(box, round)
        self._by_box(place, lambda: self._act(Action(seat=place.seat, move=answer.move, args=dict(answer.args))))
        return True

    def _box_cheated(self, box: str, round: int) -> bool:
        """A box that reveals another value than it locked: that seat is asked again, and all see it."""
        found = self._boxed(box, round)
        if not found:
            return False
        place, sealed = found
        sealed.void(place.seat)
        self._notice = f"The box of seat {place.seat} opened another choice than it had locked: it chooses again."
        decision = self._decision()
        if decision and place.box_on:
            self._offer_sealed(sealed, decision, place.seat)
        return True

    # --- dice ------------------------------------------------------------------------------------

    def _roll_key(self, decision: Decision) -> str:
        """What tells this roll from every other one, across a power cut and whatever loans are taken meanwhile."""
        assert decision.roll is not None
        return f"{self._record.match}/{decision.number}/{decision.roll.seat}/{decision.roll.sides}/{decision.roll.why}"

    def _same_roll(self, seat: int, number: int | None) -> None:
        """Whether a request is about the roll that is open, by somebody who plays."""
        decision = self._decision()
        if decision is None or decision.roll is None:
            raise NotAsked("No roll is wanted now.", "DICE")
        if number is not None and number != decision.number:
            raise Stale
        if seat not in self._playing():
            raise NotAsked("Only who plays this match has a say in its dice.", "DICE")

    def _type(self, seat: int, faces: object) -> None:
        others = [place.seat for place in self._at_hand() if place.seat != seat]
        self._tray.type(seat, faces, others)
        self._play_on()
        self._rolled()

    def _dice_seen(self, seen: DiceSeen) -> bool:
        before = self._tray.state
        if not self._tray.seen(seen):
            return False
        if self._tray.stirred:
            self._play_on()
        if self._tray.state != before:
            self._consoles.caption_dice(self._tray, self._playing())
        return True

    def _say_to_dice(self, seat: int, say: object) -> None:
        match say:
            case "accept":
                self._tray.accept(seat)
            case "again":
                self._tray.again()
            case "hub":
                self._tray.vote(seat, [place.seat for place in self._at_hand()])
            case "lies":
                self._tray.as_it_lies(seat, len(self._voters()))
            case _:
                raise NotOffered("Say hub, accept, again or lies to a roll.", "DICE")
        self._rolled()

    def _at_hand(self) -> list[Place]:
        """Who plays and can be heard now, on a phone or a box."""
        return [place for place in self._seating if place.seat in self._playing() and (place.phone_on or place.box_on)]

    def _voters(self) -> list[int]:
        """Whose votes on the dice are counted: who plays, or has just played, and holds a phone, asleep or not, or a box."""
        seats = self._match.state.seats if self._match else ()
        return [place.seat for place in self._seating if place.seat in seats and (place.sid or place.box_on)]

    def _rolled(self) -> None:
        """The dice have come further: once all of them stand they are one action of chance."""
        match, decision, whole = self._match, self._decision(), self._tray.whole
        if match is None or decision is None or decision.roll is None:
            return
        self._consoles.rest(decision.roll.seat)
        if whole is None:
            self._consoles.caption_dice(self._tray, self._playing())
            return
        faces, read = whole
        if self._reading:
            self._read_again(self._reading, faces, read)
            return
        batches, hidden = self._tray.batches, match.hidden()
        self._act(Action(seat=CHANCE, move="roll", args={"faces": faces, "read": read}, number=decision.number))
        self._let_doubt(decision, decision.roll, batches, hidden)

    # --- dice that are doubted ---------------------------------------------------------------------

    @property
    def _reading(self) -> Dispute | None:
        """The dispute whose dice are being read again, if any."""
        return self._dispute if self._dispute and self._dispute.stage == "reading" else None

    def _let_doubt(
        self, decision: Decision, roll: Roll, batches: list[Batch], hidden: Mapping[int, Counter[str]]
    ) -> None:
        """A roll was accepted: for a few seconds any seat may ask for it to be read again.

        Not what the hub itself rolled, and not where the roll has shown what nobody can forget again.
        """
        match = self._match
        if match is None or match.fault or batches[-1].read == "hub" or match.has_shown(hidden):
            return
        self._dispute = Dispute(roll, decision.number, batches, self._ports.clock.now())
        self._caption_doubt(self._dispute)

    def _doubted(self, dispute: Dispute, seat: int, signal: Key | Turn) -> controls.Meaning | None:
        """What a control of a box means to a roll that may be doubted; None where it means what it always does."""
        if self._match is None or seat not in self._match.state.seats:
            return None
        if dispute.stage == "vote":
            return controls.press_vote(signal)
        if dispute.stage == "open" and self._bar_is_free(seat) and controls.is_bar(signal):
            return controls.Doubts(yes=True)
        return None

    def _bar_is_free(self, seat: int) -> bool:
        """Whether the bar of this seat's box means nothing else now."""
        decision = self._decision()
        return decision is None or (seat not in decision.asked and not (decision.roll and decision.roll.seat == seat))

    def _doubt(self, seat: int, *, yes: bool) -> None:
        """A seat wants the dice read again or, once the table votes on it, does not."""
        dispute, match = self._dispute, self._match
        if dispute is None or match is None or not (dispute.stage == "vote" or (dispute.stage == "open" and yes)):
            raise NotAsked("There is no roll that could be read again now.", "DICE")
        if seat not in match.state.seats:
            raise NotAsked("Only who plays this match has a say in its dice.", "DICE")
        if dispute.stage == "open":  # boxes and dice leave the next question be, until the table has decided
            self._close_sealed()
            self._tray.close()
            self._consoles.begin_anew()
        dispute.vote(seat, self._ports.clock.now(), yes=yes)
        self._caption_doubt(dispute)
        self._count_votes(dispute)

    def _count_votes(self, dispute: Dispute) -> bool:
        """Whether the table has decided, with those who sit there now."""
        carried = dispute.carried(self._voters())
        if carried:
            self._begin_reading(dispute)
        elif carried is False:
            self._let_stand(dispute, "Not read again: the roll stands.")
        return carried is not None

    def _begin_reading(self, dispute: Dispute) -> None:
        """The match goes back to just before the roll. The record does not, before there is another reading."""
        match = self._match
        assert match is not None
        earlier = match.until(dispute.number)
        self._record.doubt(dispute.number, dispute.batches)
        dispute.read(match, self._ports.clock.now())
        self._match = earlier
        self._record.go_back(dispute.number)
        self._open_decision()

    def _read_again(self, dispute: Dispute, faces: list[int], read: str) -> None:
        """The second reading: it takes the place of the first one in the log, which keeps both."""
        if sorted(faces) == sorted(dispute.faces):
            self._let_stand(dispute, "The dice show the same: the roll stands.")
            return
        first = {"faces": dispute.faces, "read": least(dispute.batches)}
        self._act(
            Action(seat=CHANCE, move="roll", args={"faces": faces, "read": read, "first": first}, number=dispute.number)
        )
        self._dispute = None
        self._record.forget_doubted()

    def _let_stand(self, dispute: Dispute, say: str) -> None:
        """The roll stands as it was read first, and the game goes on."""
        if dispute.first:
            self._record.forget_doubted()
            self._match = dispute.first
            self._record.stand(self._match)
        dispute.tell(say, self._ports.clock.now())
        self._open_decision()

    def _dispute_due(self, dispute: Dispute) -> bool:
        """What time, and whoever comes and goes, makes of the doubt; whether anything has changed."""
        if dispute.stage == "vote" and self._count_votes(dispute):
            return True
        late = self._ports.clock.now() >= dispute.until
        if dispute.waits and late:
            self._let_stand(dispute, "Not read again in time: the roll stands.")
            return True
        if late:
            self._play_on()
            self._dispute = None
        return late

    def _play_on(self) -> None:
        """Somebody plays on: a roll that nobody has doubted yet is not doubted any more."""
        if self._dispute is None or self._dispute.stage != "open":
            return
        self._dispute = None
        self._consoles.caption(self._match, self._decision())
        self._consoles.caption_dice(self._tray, self._playing())

    def _caption_doubt(self, dispute: Dispute) -> None:
        """The small displays say who may doubt the roll, and what push and bar mean while the table votes."""
        voting = dispute.stage == "vote"
        for place in self._seating:
            if place.box_on and place.seat in self._voters() and (voting or self._bar_is_free(place.seat)):
                self._consoles.say(place, controls.oled_doubt(voting=voting))

    def _call_staff(self, sentence: str) -> None:
        self._notice = sentence

    # --- pictures --------------------------------------------------------------------------------

    def _show(self) -> None:
        """Everybody gets the newest complete picture: phones, kiosk, rings, panels."""
        self._show_around(self._show_phones())

    def _show_phones(self) -> PublicState:
        """Phones and kiosk, which come first: theirs is the longest way. Returns the public state they were shown."""
        self._seq += 1
        state = self._public_state()
        self._ports.phones.show_public(state)
        for place in self._seating:
            if place.sid:
                self._ports.phones.show_hand(place.sid, self._hand(place))
        return state

    def _show_around(self, state: PublicState) -> None:
        """What stands around the table: rings and panels."""
        pictures = rings(to_builtins(state), self._words() or None)
        for lamps in self._ports.lamps:
            lamps.show(pictures)
        if self._ports.boxes:
            for place in self._seating:
                if place.box and place.seat in pictures:
                    self._ports.boxes.ring(place.box, pictures[place.seat])
        for page in self._ports.pages:
            page.show(state, self._settled)
        self._settled = False

    @property
    def _lost_device(self) -> str:
        """What is wrong with the first device that is lost."""
        return next(iter(self._lost_devices.values()), "")

    def _public_state(self) -> PublicState:
        match, decision = self._match, self._decision()
        fault = match.fault if match else None
        game = match.game if match else self._games.get(self._chosen_game)
        notice = self._stopped or self._without_broker or self._notice or self._lost_device
        return PublicState(
            table=self.id,
            name=self.name,
            code=self.code,
            url=self._address(),
            epoch=self._record.epoch,
            seq=self._seq,
            match=self._record.match if match else None,
            game=game.name if game else None,
            title=game.title if game else "",
            state="stopped"
            if self._stopped or fault
            else "lobby"
            if match is None
            else "over"
            if match.over
            else "playing",
            seats=[place.public() for place in self._seating],
            view=_view(match) if match else None,
            locked=self._locked(decision) if decision and decision.kind == "sealed" else [],
            want=self._want(decision) if decision else "",
            events=feed.events(match) if match else [],
            why=feed.changes(match) if match else [],
            dice=self._tray.public(len(self._voters())) if decision else None,
            dispute=self._dispute.public(self._voters()) if self._dispute else None,
            kit=self._tray.public_kit(),
            notices=[Notice("notice", "warning", notice)] if notice else [],
            over=match.over if match else None,
            games=[feed.offer(game) for game in self._games.values()],
            nudged=list(self._nudged),
            claiming=[seat] if (seat := self._seating.claimed) else [],
        )

    def _hand(self, place: Place) -> Hand:
        match, decision, seat = self._match, self._decision(), place.seat
        if match is None or seat not in match.state.seats:
            number = self._record.match if match else None
            return Hand(self._record.epoch, self._seq, seat, match=number, seat_code=place.code)
        hand = Hand(
            self._record.epoch,
            self._seq,
            seat,
            match=self._record.match,
            seat_code=place.code,
            you=match.view(seat)["you"],
        )
        if decision is None:
            return structs.replace(hand, undo=bool(match.fault and match.log))
        if self._dispute and self._dispute.stage == "vote":
            return structs.replace(hand, number=decision.number)
        roller = decision.roll is not None and decision.roll.seat == seat
        answer, sealed = decision.answers.get(seat), self._sealed if self._sealed and seat in self._sealed else None
        return structs.replace(
            hand,
            number=decision.number,
            secret=decision.kind == "sealed",
            want=self._want(decision) if seat in decision.asked or roller else "",
            moves=[] if roller and self._tray.fallen else match.moves(seat),
            barred=match.barred(seat),
            notes=match.notes(seat),
            locked={"move": answer.move, **answer.args} if answer else None,
            undo=self._may_undo(seat),
            dial=sealed.start(seat) + 1 if sealed else None,
            dial_at=controls.label(sealed.first(seat), match.game.words, seen_by(match, seat)) if sealed else "",
            faces=Faces(self._tray.missing, decision.roll.sides) if roller and decision.roll else None,
        )

    def _may_undo(self, seat: int) -> bool:
        """Whether the seat could take its last input back. Kept by log length: one action is shown more than once.

        A lock that the others still wait beside has shown nothing: that is known without playing.
        """
        match = self._match
        if match is None or not match.log or match.log[-1].seat != seat or self._tray.fallen:
            return False
        if match.open and seat in match.open.answers:
            return True
        length = self._record.epoch, len(match.log)
        if self._undo_known[0] != length:
            self._undo_known = length, match.may_undo(seat)
        return self._undo_known[1]


def _view(match: Match) -> View:
    """Return what everybody may see of a match."""
    view = match.view(None)
    roll = match.open.roll if match.open else None
    waiting = view["waiting"]
    return View(
        game=view["game"],
        round=view["round"],
        phase=view["phase"],
        table=view["table"],
        seats=view["seats"],
        waiting=Waiting(
            roll=WantedRoll(roll.seat, roll.count, roll.sides, roll.why) if roll else None,
            seats=waiting["seats"],
            secret=waiting.get("secret"),
        ),
    )
