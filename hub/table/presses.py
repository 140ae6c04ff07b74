"""What a control of a seat box does: press, hold or turn, wherever the table is.

In this order a control answers whoever asks for help, a vote about dice, the open decision, the lobby. A claim of the
seat has a gesture of its own, bar and push held together, that means nothing else: only at a free seat between matches
is a push enough.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Literal

from msgspec.structs import replace

from hub.engine.decision import Action
from hub.engine.text import Text, say
from hub.errors import IllegalAction, StartRefused
from hub.ports import BoxDown, BoxUp, Key, Turn
from hub.table.boxes import controls
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.people.people import People
from hub.table.seating.seat import Seat

log = logging.getLogger(__name__)


MENU: tuple[tuple[Literal["pause", "put_aside", "end"], Text], ...] = (
    ("pause", say("Pause or go on? Push")),
    ("put_aside", say("Put the match aside? Push asks all")),
    ("end", say("End the match? Push asks all")),
)
"""What the dial of a seat picks that the match asks nothing."""


class Presses:
    """The cables and controls of a table's boxes. Every method returns whether anything has changed that is shown."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes, people: People) -> None:
        self._table, self._play, self._seats, self._notices = core.kept.table, core.play, core.seats, core.notices
        self._rolls, self._boxes, self._people = rolls, boxes, people
        self._lobby, self._choice = people.lobby, people.choice
        self._menu: dict[int, tuple[int, object]] = {}  # by seat: what its dial has picked of `MENU`, and when
        self._connected: set[str] = set()  # ids of boxes

    # --- cables --------------------------------------------------------------------------------------

    def connect(self, up: BoxUp) -> bool:
        """Take up a box that said hello: at its seat, or unbound until a press tells which seat it stands at."""
        self._connected.add(up.box)
        if seat := self._seats.of_box(up.box):
            self._boxes.connect(seat)
        self._ask_for_seat()
        return True

    def disconnect(self, down: BoxDown) -> bool:
        """Take note that a box was unplugged, or is silent."""
        log.warning("table %s: box %s: %s", self._table, down.box, down.why)
        self._connected.discard(down.box)
        if seat := self._seats.of_box(down.box):
            self._boxes.disconnect(seat)
            self._notices.end("help", str(seat.number))  # nobody could take the call back any more
        self._ask_for_seat()
        return True

    def _ask_for_seat(self, *, is_next: bool = False) -> None:
        """Keep the notice that a box is to be pressed at a seat for as long as there are both.

        `is_next`: another box was pressed just now.
        """
        free = self._seats.without_box()
        if not free or all(self._seats.of_box(box) for box in self._connected):
            self._notices.end("new_box")
        elif is_next:
            self._notices.post("new_box", say("Now press the box for seat {seat}.", seat=free[0].number))
        else:
            self._notices.post(
                "new_box",
                say("A new seat box: press any button on the box for seat {seat}.", seat=free[0].number),
            )

    def _bind(self, signal: Key | Turn) -> bool:
        """Bind a box that belongs to no seat yet: to the first free seat, or in a lost box's place."""
        free = self._seats.without_box()
        if not isinstance(signal, Key) or not free:
            return False
        with self._seats.changing(free[0]) as seat:
            seat.box = signal.box
        self._boxes.connect(seat)
        self._ask_for_seat(is_next=True)
        return True

    # --- controls --------------------------------------------------------------------------------------

    def use(self, signal: Key | Turn) -> bool:
        """Let a control do what it means now."""
        seat = self._seats.of_box(signal.box)
        if seat is None:
            return self._bind(signal)
        if isinstance(signal, Key) and (signal.control, signal.edge) == ("bar", "hold"):
            return self._call_help(seat)
        if isinstance(signal, Key) and (signal.control, signal.edge) == ("push", "hold"):
            return self._agree(seat)
        if self._play.stopped:
            return False
        if self._answer_question(seat, signal):
            return True
        if (meaning := self._in_dispute(seat.number, signal)) is not None:
            return self._do(seat, meaning)
        if self._rolls.decision is not None:
            return self._in_match(seat, signal)
        if self._rolls.voting:
            return False
        if self._play.held:  # a match is under way, though it asks nobody just now: this is no lobby
            return self._beside_a_pitch(seat, signal)
        if isinstance(signal, Key) and self._boxes.is_push_enough(seat) and self._seats.box_counts(seat.number):
            return self._answer_claim(seat, signal)
        return self._in_lobby(seat, signal)

    def _answer_question(self, seat: Seat, signal: Key | Turn) -> bool:
        """Let a seat that the match asks nothing answer a question to the table; return whether it did."""
        asked = self._people.questions.open
        if (
            asked is None
            or not isinstance(signal, Key)
            or signal.edge != "down"
            or not self._boxes.answers(seat, asked)
        ):
            return False
        if not asked.controls:
            self._boxes.displays.refuse(seat, asked.caption)
            return True
        if signal.control not in asked.controls:
            return False
        self._try(seat, partial(self._people.questions.vote, seat.number, asked.controls[signal.control]))
        return True

    def _choose_from_menu(self, seat: Seat, signal: Key | Turn) -> bool:
        """Let a seat that the match asks nothing pause it, or ask that it is put aside or ended."""
        if seat.number not in self._play.seats:
            return False
        if isinstance(signal, Turn):
            before = self._picked(seat)
            at = (before if before is not None else 0 if signal.detents < 0 else -1) + signal.detents
            at = min(max(at, 0), len(MENU) - 1)
            self._boxes.displays.tell(seat, MENU[at][1])
            self._menu[seat.number] = at, self._moment(seat)
            return True
        picked = self._picked(seat)
        self._menu.pop(seat.number, None)
        if picked is None or (signal.control, signal.edge) != ("push", "down"):
            return False
        what = MENU[picked][0]
        if what == "pause":
            self._people.absence.pause(seat)
        else:
            self._try(seat, partial(self._people.endings.ask, seat, what))
        return True

    def _moment(self, seat: Seat) -> object:
        """Return what is wanted now: a push means what the dial picked for as long as that is the same, and is shown."""
        decision, dice = self._rolls.decision, self._rolls.dice
        return decision and decision.number, dice.open.state, dice.accepted, self._boxes.displays.written(seat)

    def _picked(self, seat: Seat) -> int | None:
        """Return what the dial of a seat has picked of `MENU`."""
        at, moment = self._menu.get(seat.number, (None, None))
        return at if moment == self._moment(seat) else None

    def _call_help(self, seat: Seat) -> bool:
        """Call for help; a second hold takes the call back."""
        about = str(seat.number)
        if not self._notices.end("help", about):
            self._notices.post("help", say("Seat {seat} calls for help.", seat=seat.number), about)
        return True

    def _agree(self, seat: Seat) -> bool:
        """Give the seat to the phone that asks for it; where none does, show the code of a seat without a phone that is on."""
        claim = self._seats.waiting(seat.number)
        if claim is None:
            if not seat.joined or (seat.sid and seat.phone_on):
                return False
            self._seats.ask_for_code(seat)
            self._boxes.displays.tell(seat, say("Its code is on the screen for a minute"))
            return True
        if self._seats.box_counts(seat.number):
            self._seats.grant(seat.number)
        elif seat.sid and seat.phone_on:
            self._boxes.displays.refuse(seat, say("Its phone is asked first: wait 10 s"))
        else:
            self._boxes.displays.refuse(seat, say("Too soon: read, then hold"))
        return True

    def _answer_claim(self, seat: Seat, key: Key) -> bool:
        """Let a push at a free seat say yes to who asks for it, and the bar no."""
        if (key.control, key.edge) == ("push", "down"):
            self._seats.grant(seat.number)
        elif (key.control, key.edge) == ("bar", "down"):
            self._seats.refuse(seat.number, say("Seat {seat} said no.", seat=seat.number))
        return True

    def _in_dispute(self, seat: int, signal: Key | Turn) -> controls.Meaning | None:
        """Return what a control means to a roll that may be disputed; None where it means what it always does."""
        dispute, match = self._rolls.dispute, self._play.match
        if dispute is None or match is None or seat not in match.state.seats:
            return None
        if dispute.stage == "vote":
            return controls.press_vote(signal)
        if dispute.stage == "open" and self._rolls.bar_is_free(seat) and controls.is_bar(signal):
            return controls.DisputeVote(yes=True)
        return None

    def _in_lobby(self, seat: Seat, signal: Key | Turn) -> bool:
        """Use a control between matches. Turn: another game. Push: sit down, be ready, start. Bar: not ready, then get up."""
        if isinstance(signal, Turn):
            self._choice.turn(signal.detents)
            self._boxes.displays.tell(seat, self._choice.caption, self._choice.chosen)
            return True
        if signal.edge != "down" or signal.control not in ("push", "bar"):
            return False
        if signal.control == "bar":
            self._lobby.bar(seat)
            return True
        try:
            self._lobby.push(seat)
        except StartRefused as error:
            self._boxes.displays.refuse(seat, error.sentence)
        return True

    def _take_from_house(self, seat: Seat, signal: Key | Turn) -> bool:
        if isinstance(signal, Turn) or (signal.control, signal.edge) != ("push", "down"):
            return False
        with self._seats.changing(seat):
            seat.take_from_house()
        self._boxes.displays.refuse(seat, say("Welcome: you play on here"))
        return True

    def _beside_a_pitch(self, seat: Seat, signal: Key | Turn) -> bool:
        """Let a seat use the menu while another one pitches, or take its seat from the house. Who pitches has one key."""
        asked = self._people.questions.open
        if seat.is_house:
            return self._take_from_house(seat, signal)
        return not (asked and seat.number in asked.may_vote()) and self._choose_from_menu(seat, signal)

    def _in_match(self, seat: Seat, signal: Key | Turn) -> bool:
        """Answer an open decision on the box; a sealed one is the box's own business (`BoxLocked`).

        A push at a seat of the house takes it: somebody has come to play on.
        """
        if seat.is_house:
            return self._take_from_house(seat, signal)
        match, decision, number = self._play.match, self._rolls.decision, seat.number
        if match is None or decision is None:
            return False
        if decision.kind == "sealed" and number in decision.asked:  # who has chosen on a phone may use the menu
            return self._boxes.is_idle(seat) and self._choose_from_menu(seat, signal)
        displays, dice = self._boxes.displays, self._rolls.dice
        cursor, moves = displays.cursor(number), decision.offers(number)
        if decision.roll and decision.roll.seat == number:
            roll = replace(decision.roll, count=dice.open.missing)
            moves = [] if dice.fallen else moves
            cursor, meaning = controls.press_roll(roll, moves, cursor, signal, dice=dice.open.state)
        elif decision.roll and not moves:
            if isinstance(signal, Turn) or self._picked(seat) is not None:
                return self._choose_from_menu(seat, signal)
            return self._do(seat, controls.press_beside_roll(signal, dice=dice.open.state, voting=dice.voting))
        elif moves:
            cursor, meaning = controls.press(moves, cursor, signal, self._play.labels)
        else:
            return self._choose_from_menu(seat, signal)
        explains = isinstance(meaning, controls.WhatIsThis) and meaning.answer is not None
        displays.turn(seat, cursor, match, decision, silent=explains)
        self._do(seat, meaning)
        return True

    # --- what it means -----------------------------------------------------------------------------------

    def _do(self, seat: Seat, meaning: controls.Meaning) -> bool:
        """Do what a control has come to mean; return whether it meant anything."""
        rolls, number = self._rolls, seat.number
        match meaning:
            case controls.Chosen(answer):
                action = Action(seat=number, move=answer.move, args=dict(answer.args))
                self._try(seat, partial(rolls.act, action))
            case controls.TypedFaces(faces):
                self._try(seat, partial(rolls.type, number, list(faces)))
            case controls.AcceptDice():
                self._try(seat, partial(rolls.answer, number, "accept"))
            case controls.ReadAgain():
                self._try(seat, partial(rolls.answer, number, "again"))
            case controls.HubRolls():
                self._try(seat, partial(rolls.answer, number, "hub"))
            case controls.AsItLies():
                self._try(seat, partial(rolls.answer, number, "lies"))
            case controls.DisputeVote(yes):
                self._try(seat, partial(rolls.vote, number, yes=yes))
            case controls.WhatIsThis(answer) if answer and self._play.match:
                self._boxes.displays.explain(seat, answer, self._play.match)
            case controls.Refused(sentence):
                self._boxes.displays.refuse(seat, sentence)
            case controls.Nothing():
                return False
        return True

    def _try(self, seat: Seat, do: Callable[[], None]) -> None:
        """Do what a box wants, or show on its display why it cannot be."""
        try:
            do()
        except IllegalAction as error:
            self._boxes.displays.refuse(seat, error.sentence)
