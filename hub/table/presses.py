"""Give each press, hold or turn of a seat box its effect.

A control first calls help, then answers a question to the table, a vote about dice, the open decision, the lobby. A claim
of the seat has its own gesture, bar and push held together. At a free seat between matches a push is enough.
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
    ("put_aside", say("Suspend the match? Push asks all")),
    ("end", say("End the match? Push asks all")),
)
"""The dial's menu at a seat that the match does not ask."""


class Presses:
    """The cables and controls of a table's boxes. Public methods return whether anything shown has changed."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes, people: People) -> None:
        self._table, self._play, self._seats, self._notices = core.kept.table, core.play, core.seats, core.notices
        self._rolls, self._boxes, self._people, self._calls = rolls, boxes, people, core.calls
        self._lobby, self._choice = people.lobby, people.choice
        self._menu: dict[int, tuple[int, object]] = {}  # by seat: picked index in `MENU`, key of that moment
        self._connected: set[str] = set()  # ids of boxes

    # --- cables --------------------------------------------------------------------------------------

    def connect(self, up: BoxUp) -> bool:
        """Connect a box: to its seat, or to none until a press binds it."""
        self._connected.add(up.box)
        if seat := self._seats.of_box(up.box):
            self._boxes.connect(seat)
        self._update_box_notice()
        return True

    def disconnect(self, down: BoxDown) -> bool:
        """Disconnect a box that was unplugged or is silent."""
        log.warning("table %s: box %s: %s", self._table, down.box, down.why)
        self._connected.discard(down.box)
        if seat := self._seats.of_box(down.box):
            self._boxes.disconnect(seat)
        self._update_box_notice()
        return True

    def _update_box_notice(self, *, is_next: bool = False) -> None:
        """Show the notice that asks for a press while there is an unbound box and a seat without one.

        `is_next`: another box was bound just now.
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
        """Bind a box without a seat to the first seat without a box."""
        free = self._seats.without_box()
        if not isinstance(signal, Key) or not free:
            return False
        with self._seats.changing(free[0]) as seat:
            seat.box = signal.box
        self._boxes.connect(seat)
        self._update_box_notice(is_next=True)
        return True

    # --- controls --------------------------------------------------------------------------------------

    def handle_control(self, signal: Key | Turn) -> bool:
        """Handle a control by the state of the table."""
        seat = self._seats.of_box(signal.box)
        if seat is None:
            return self._bind(signal)
        if isinstance(signal, Key) and (signal.control, signal.edge) == ("bar", "hold"):
            self._calls.toggle(seat.number)
            return True
        if isinstance(signal, Key) and (signal.control, signal.edge) == ("push", "hold"):
            return self._grant_or_show_code(seat)
        if self._play.stopped:
            return False
        if self._answer_question(seat, signal):
            return True
        if (meaning := self._dispute_meaning(seat.number, signal)) is not None:
            return self._perform(seat, meaning)
        if self._play.seats and not self._play.fault and self._asks_for_table(seat, signal):
            return True
        if self._rolls.decision is not None:
            return self._handle_in_match(seat, signal)
        if self._rolls.voting:
            return False
        if self._play.paused:  # a match is under way, although it asks nobody now
            return self._handle_during_pitch(seat, signal)
        if isinstance(signal, Key) and self._boxes.is_push_enough(seat) and self._seats.box_may_answer(seat.number):
            return self._answer_claim(seat, signal)
        return self._handle_in_lobby(seat, signal)

    def _answer_question(self, seat: Seat, signal: Key | Turn) -> bool:
        """Let a seat that the match does not ask answer a question to the table; return whether it did."""
        asked = self._people.questions.open
        if (
            asked is None
            or not isinstance(signal, Key)
            or signal.edge != "down"
            or not self._boxes.can_answer(seat, asked)
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
        """Let a seat that the match does not ask pause it, or ask to put it aside or end it."""
        if seat.number not in self._play.seats:
            return False
        if isinstance(signal, Turn):
            before = self._menu_choice(seat)
            at = (before if before is not None else -1) + signal.detents
            at = min(max(at, 0), len(MENU) - 1)
            self._boxes.displays.show_text(seat, MENU[at][1])
            self._menu[seat.number] = at, self._menu_key(seat)
            return False  # only its own display
        picked = self._menu_choice(seat)
        self._menu.pop(seat.number, None)
        if picked is None or not _is_push(signal):
            return False
        what = MENU[picked][0]
        if what == "pause":
            self._people.absence.pause(seat)
        else:
            self._try(seat, partial(self._people.endings.ask_vote, seat, what))
        return True

    def _menu_key(self, seat: Seat) -> object:
        """Return the key of the moment: the menu's choice is valid while it is the same and on the display."""
        decision, dice = self._rolls.decision, self._rolls.dice
        return decision and decision.number, dice.open.state, dice.accepted, self._boxes.displays.write_count(seat)

    def _menu_choice(self, seat: Seat) -> int | None:
        """Return the index in `MENU` that the dial of a seat has picked, or None."""
        at, moment = self._menu.get(seat.number, (None, None))
        return at if moment == self._menu_key(seat) else None

    def _grant_or_show_code(self, seat: Seat) -> bool:
        """Give the seat to the phone that asks for it. Without a claim, show the code of a seat whose phone is off."""
        claim = self._seats.claim_for(seat.number)
        if claim is None:
            if not seat.joined or (seat.sid and seat.phone_on):
                return False
            self._seats.ask_for_code(seat)
            self._boxes.displays.show_text(seat, say("Its code is on the screen for a minute"))
            return True
        if self._seats.box_may_answer(seat.number):
            self._seats.grant(seat.number)
        elif seat.sid and seat.phone_on:
            self._boxes.displays.refuse(seat, say("Its phone is asked first: wait 10 s"))
        else:
            self._boxes.displays.refuse(seat, say("Too soon: read, then hold"))
        return True

    def _answer_claim(self, seat: Seat, key: Key) -> bool:
        """Answer a claim of a free seat: push grants, bar refuses."""
        if _is_push(key):
            self._seats.grant(seat.number)
        elif (key.control, key.edge) == ("bar", "down"):
            self._seats.refuse(seat.number, say("Seat {seat} said no.", seat=seat.number))
        return True

    def _dispute_meaning(self, seat: int, signal: Key | Turn) -> controls.Meaning | None:
        """Return what a control means to a roll that may be disputed; None if it has its usual meaning."""
        dispute, match = self._rolls.dispute, self._play.match
        if dispute is None or match is None or seat not in match.setup.seats:
            return None
        if dispute.stage == "vote":
            return controls.press_vote(signal)
        if dispute.stage == "open" and self._rolls.bar_is_free(seat) and controls.is_bar(signal):
            return controls.DisputeVote(yes=True)
        return None

    def _handle_in_lobby(self, seat: Seat, signal: Key | Turn) -> bool:
        """Handle a control between matches. Turn: next game. Push: sit down, be ready, start. Bar: not ready, get up."""
        if isinstance(signal, Turn):
            self._choice.turn_dial(signal.detents)
            self._boxes.displays.show_text(seat, self._choice.caption, self._choice.chosen)
            return True
        if signal.edge != "down" or signal.control not in ("push", "bar"):
            return False
        if signal.control == "bar":
            self._lobby.on_bar(seat)
            return True
        try:
            self._lobby.on_push(seat)
        except StartRefused as error:
            self._boxes.displays.refuse(seat, error.sentence)
        return True

    def _asks_for_table(self, seat: Seat, signal: Key | Turn) -> bool:
        """Let a push at a free seat ask for the table of a match whose players are all silent; return whether it is called."""
        return _is_push(signal) and not seat.joined and self._people.vacancy.request_table()

    def _take_from_house(self, seat: Seat, signal: Key | Turn) -> bool:
        if not _is_push(signal):
            return False
        with self._seats.changing(seat):
            seat.take_from_house()
        self._boxes.displays.refuse(seat, say("Welcome: you play on here"))
        return True

    def _handle_during_pitch(self, seat: Seat, signal: Key | Turn) -> bool:
        """Open the menu, or take a seat from the house, while another seat pitches. The pitching seat has one key."""
        asked = self._people.questions.open
        if seat.is_house:
            return self._take_from_house(seat, signal)
        return not (asked and seat.number in asked.current_voters()) and self._choose_from_menu(seat, signal)

    def _handle_in_match(self, seat: Seat, signal: Key | Turn) -> bool:
        """Answer an open decision on the box. A sealed one is answered inside the box (`BoxLocked`).

        A push at a seat of the house takes it over.
        """
        if seat.is_house:
            return self._take_from_house(seat, signal)
        match, decision, number = self._play.match, self._rolls.decision, seat.number
        if match is None or decision is None:
            return False
        if decision.kind == "sealed" and number in decision.asked:  # a seat that chose on its phone may use the menu
            return self._boxes.is_idle(seat) and self._choose_from_menu(seat, signal)
        displays, dice = self._boxes.displays, self._rolls.dice
        cursor, moves = displays.cursor(number), decision.offers(number)
        roll = None
        if decision.roll and decision.roll.seat == number:
            roll = replace(decision.roll, count=dice.open.missing)
            moves = [] if dice.has_fallen else moves
            cursor, meaning = controls.press_roll(roll, moves, cursor, signal, dice=dice.open.state)
        elif moves:
            cursor, meaning = controls.press(moves, cursor, signal, self._play.labels)
        elif decision.roll and isinstance(signal, Key) and self._menu_choice(seat) is None:
            return self._perform(seat, controls.press_beside_roll(signal, dice=dice.open.state, voting=dice.voting))
        else:
            return self._choose_from_menu(seat, signal)
        explains = isinstance(meaning, controls.WhatIsThis) and meaning.answer is not None
        displays.move_cursor(seat, cursor, match, decision, roll, silent=explains)
        self._perform(seat, meaning)
        return True

    # --- what it means -----------------------------------------------------------------------------------

    def _perform(self, seat: Seat, meaning: controls.Meaning) -> bool:
        """Do what a control means; return whether it means anything."""
        rolls, number = self._rolls, seat.number
        match meaning:
            case controls.Chosen(answer):
                action = Action(seat=number, move=answer.move, args=dict(answer.args))
                self._try(seat, partial(rolls.act, action))
            case controls.TypedFaces(faces):
                self._try(seat, partial(rolls.type_faces, number, list(faces)))
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
        """Call `do`; show a refusal on the display of the box."""
        try:
            do()
        except IllegalAction as error:
            self._boxes.displays.refuse(seat, error.sentence)


def _is_push(signal: Key | Turn) -> bool:
    return isinstance(signal, Key) and (signal.control, signal.edge) == ("push", "down")
