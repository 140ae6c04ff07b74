"""What phones ask of the table: each request is done, or refused with a sentence, and then nothing has changed.

Where the disk fails in between, what it has already is done and answered so (`hub.table.loop`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.engine.decision import Action
from hub.errors import IllegalAction, NotAsked, Stale, StartRefused
from hub.ports import PhoneSaid
from hub.state import tidy_name
from hub.table.boxes import SeatBoxes
from hub.table.hints import Hints
from hub.table.lessons import Lessons
from hub.table.lobby import Lobby
from hub.table.names import SENTENCE, TWIN, Names
from hub.table.notices import Notices
from hub.table.people import People
from hub.table.play import Play
from hub.table.rolls import Rolls
from hub.table.seat import Seat
from hub.table.seats import Seats


class Requests:
    """What phones may ask, by verb. A LogError is not caught here: the loop stops the match on it."""

    def __init__(
        self, play: Play, seats: Seats, notices: Notices, rolls: Rolls, boxes: SeatBoxes, lobby: Lobby, people: People,
        hints: Hints, lessons: Lessons, names: Names,
    ) -> None:  # fmt: skip
        self._play, self._seats, self._notices, self._hints, self._lessons = play, seats, notices, hints, lessons
        self._names = names
        self._rolls, self._boxes, self._lobby, self._people = rolls, boxes, lobby, people

    def do(self, seat: Seat, request: PhoneSaid) -> None:
        """Do what the phone at `seat` asks. Raise IllegalAction where that cannot be."""
        if request.epoch != self._play.log.epoch:
            raise Stale
        try:
            self._do(seat, request, dict(request.args))
            self._notices.passed("answered")
        except StartRefused as error:
            raise IllegalAction(str(error), "START") from error

    def _do(self, seat: Seat, request: PhoneSaid, args: dict[str, Any]) -> None:
        match request.verb:
            case "act":
                self._act(seat, request.number, args)
            case "roll":
                self._rolls.check(seat.number, request.number)
                self._rolls.type(seat.number, args.get("faces"))
            case "dice" if args.get("say") in ("reread", "stands"):
                self._rolls.vote(seat.number, yes=args["say"] == "reread")
            case "dice":
                self._rolls.check(seat.number, request.number)
                self._rolls.answer(seat.number, args.get("say"))
            case "undo":
                self._rolls.undo(seat.number)
            case "name":
                self._rename(seat, args)
            case "leave":
                self._seats.release(seat, playing=seat.number in self._play.seats, answered=request.id)
            case "code":
                self._show_code(seat, args)
            case "hand_over":
                self._hand_over(seat, args)
            case "claim":
                self._answer_claim(seat, args)
            case "hints":
                self._set_hints(seat, args)
            case "lessons":
                self._set_lessons(seat, args)
            case "help" | "acknowledge":
                self._notice(seat, request.verb, args)
            case verb:
                self._do_together(seat, verb, args)

    def _do_together(self, seat: Seat, verb: str, args: Mapping[str, Any]) -> None:
        """Do what is about the match as a whole: how it begins, pauses, is put aside, ends."""
        match verb:
            case "start":
                self._start(seat, args)
            case "again":
                self._lobby.insist_again(seat)
            case "ready":
                self._ready(seat, args)
            case "wait":
                self._lobby.wait(seat)
            case "hub_rolls":
                self._let_hub_roll(seat, args)
            case "wish":
                self._lobby.wish(
                    seat, args.get("game"), {one: args[one] for one in ("preset", "options") if one in args}
                )
            case "free":
                self._lobby.free(args.get("seat"))
            case "house":
                self._people.house.let_play(args.get("seat"), args.get("strength"))
            case "ask":
                self._people.endings.ask(seat, args.get("what"))
            case "vote":
                self._people.questions.vote(seat.number, args.get("say"))
            case "pause":
                self._pause(seat)
            case "take_up":
                self._people.endings.take_up(seat, args.get("match"))
            case _:
                raise IllegalAction("That is no request.")

    def _act(self, seat: Seat, number: int | None, args: dict[str, Any]) -> None:
        move = args.pop("move", None)
        if type(move) is not str:
            raise IllegalAction("An action needs a move.")
        action = Action(seat=seat.number, move=move, args=args, number=number)
        if not self._people.agreement.is_asked_for(action):
            self._boxes.answer_by_phone(action)

    def _ready(self, seat: Seat, args: Mapping[str, Any]) -> None:
        is_ready = args.get("ready", not seat.ready)
        if not isinstance(is_ready, bool):
            raise IllegalAction("A seat is ready, or it is not.")
        self._lobby.ready(seat, is_ready)

    def _pause(self, seat: Seat) -> None:
        if seat.number not in self._play.seats:
            raise NotAsked("Only who plays a match pauses it.", "QUESTION")
        self._people.absence.pause(seat)

    def _start(self, seat: Seat, args: Mapping[str, Any]) -> None:
        options = args.get("options", {})
        if not isinstance(args.get("game"), str) or not isinstance(options, dict):
            raise IllegalAction("Name a game and its options.")
        self._lobby.insist(seat, args["game"], options)

    def _rename(self, seat: Seat, args: Mapping[str, Any]) -> None:
        if not isinstance(args.get("name"), str):
            raise IllegalAction("A name is a text.")
        name = tidy_name(args["name"])
        if self._names.mislead(name):
            raise IllegalAction(SENTENCE, "NAME")
        if self._seats.has_twin(name, seat.number):
            raise IllegalAction(TWIN, "NAME")
        if name != seat.name:
            with self._seats.changing(seat):
                seat.name = name

    def _set_hints(self, seat: Seat, args: Mapping[str, Any]) -> None:
        """Give hints to this phone or no longer; or allow them at the table, which who sits here does between matches."""
        if "allow" not in args:
            self._hints.switch(seat, args.get("on"))
        elif seat.joined:
            self._hints.allow(args["allow"])
        else:
            raise NotAsked("Only who sits at this table allows hints.", "HINTS")

    def _set_lessons(self, seat: Seat, args: Mapping[str, Any]) -> None:
        """Tell this phone the rules of a first round or no longer; or have the next match's explained, or not."""
        if "explain" not in args:
            self._lessons.skip(seat, args.get("on"))
        elif seat.joined:
            self._lessons.choose(args.get("explain"))
        else:
            raise NotAsked("Only who sits at this table says whether the first round is explained.", "LESSONS")

    def _let_hub_roll(self, seat: Seat, args: Mapping[str, Any]) -> None:
        """Let the hub roll all dice of this table, or people."""
        if not seat.joined or self._play.seats:
            raise NotAsked("Between matches, who sits at this table says who rolls the dice.", "DICE")
        self._rolls.let_hub_roll(args.get("on"))

    def _show_code(self, seat: Seat, args: Mapping[str, Any]) -> None:
        """Have the table's screens show the code of a seat that was left, so that its player comes back to the hand."""
        wanted = next((one for one in self._seats if one.number == args.get("seat")), None)
        if wanted is None or wanted.sid or wanted is seat:
            raise IllegalAction("Only of a seat without a phone can the code be shown.", "CODE")
        self._seats.ask_for_code(wanted)

    def _hand_over(self, seat: Seat, args: Mapping[str, Any]) -> None:
        """Let the phone show a code with which another phone takes its seat, or no longer."""
        if not isinstance(args.get("show", True), bool):
            raise IllegalAction("A code is shown, or it is not.")
        if args.get("show", True):
            self._seats.show_hand_over(seat)
        else:
            seat.hand_over = ""

    def _answer_claim(self, seat: Seat, args: Mapping[str, Any]) -> None:
        """Hand the seat over to the phone that asks for it, or keep it."""
        claim = self._seats.waiting(seat.number)
        if claim is None or args.get("claim") != claim.number:
            raise NotAsked("Nobody asks for this seat any more.", "CLAIM")
        match args.get("say"):
            case "keep":
                self._seats.refuse(seat.number, f"Seat {seat.number} said no.")
            case "give":
                self._seats.grant(seat.number)
            case _:
                raise IllegalAction("A seat is kept or given.")

    def _notice(self, seat: Seat, verb: str, args: Mapping[str, Any]) -> None:
        """Take a notice away; or call staff, as a held bar does, and asked once more take the call back."""
        if verb == "help":
            if not self._notices.end("help", str(seat.number)):
                self._notices.post("help", f"Seat {seat.number} calls for help.", str(seat.number))
            return
        if not seat.joined:
            raise NotAsked("Only who sits at this table takes a notice away.", "NOTICE")
        self._notices.acknowledge(args.get("key"))
