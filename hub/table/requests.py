"""Handle the requests of phones: each is done, or refused with a sentence and without any change.

If the disk fails halfway, everything already written counts as done and is acknowledged (`hub.table.loop`).
"""

from __future__ import annotations

from msgspec import UNSET

from hub.engine.decision import MOVED_ON, Action
from hub.engine.text import say
from hub.errors import IllegalAction, NotAsked, Stale, StartRefused
from hub.network import verbs
from hub.network.verbs import read_args
from hub.ports import PhoneRequest
from hub.state import Plain, tidy_name
from hub.table.base.names import MISLEADING_NAME, NAME_IN_USE
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.people.people import People
from hub.table.seating.seat import Seat
from hub.table.views.hints import Hints
from hub.table.views.lessons import Lessons


class Requests:
    """The handler of all verbs of phones. It does not catch LogError: the loop stops the match."""

    def __init__(
        self, core: Core, rolls: Rolls, boxes: SeatBoxes, people: People, hints: Hints, lessons: Lessons
    ) -> None:
        self._play, self._seats, self._notices, self._names = core.play, core.seats, core.notices, core.ports.names
        self._calls = core.calls
        self._rolls, self._boxes, self._people, self._lobby = rolls, boxes, people, people.lobby
        self._hints, self._lessons = hints, lessons

    def handle(self, seat: Seat, request: PhoneRequest) -> None:
        """Handle a request of the phone at `seat`. Raise IllegalAction, or LogError."""
        if request.epoch != self._play.log.epoch:
            raise Stale(MOVED_ON)
        args = read_args(verbs.ARGS, request.verb, request.args)
        # The request may post a new refusal itself, as the last vote for a suspended match does; only older ones end.
        refused = self._notices.ended_by("answered")
        try:
            self._dispatch(seat, request, args)
            self._notices.end_all("answered", refused)
        except StartRefused as error:
            raise IllegalAction(error.sentence, "START") from error

    def _dispatch(self, seat: Seat, request: PhoneRequest, args: Plain) -> None:
        match request.verb, args:
            case "act", verbs.ActArgs(move=move):
                self._act(seat, request, move)
            case "roll", verbs.RollArgs(faces=faces):
                self._rolls.check(seat.number, request.number)
                self._rolls.type_faces(seat.number, faces)
            case "dice", verbs.DiceArgs(say="reread" | "stands" as say):
                self._rolls.vote(seat.number, yes=say == "reread")
            case "dice", verbs.DiceArgs(say="hub" | "accept" | "again" | "lies" as say):
                self._rolls.check(seat.number, request.number)
                self._rolls.answer(seat.number, say)
            case "undo", _:
                self._rolls.undo(seat.number)
            case "name", verbs.NameArgs(name=name):
                self._rename(seat, tidy_name(name))
            case "leave", _:
                self._seats.release(seat, playing=seat.number in self._play.seats, answered=request.id)
            case "code", verbs.SeatArgs(seat=number):
                self._show_code(seat, number)
            case "hand_over", verbs.HandOverArgs(show=True):
                self._seats.show_hand_over(seat)
            case "hand_over", _:
                seat.hand_over = ""
            case "claim", verbs.ClaimArgs(claim=claim, say=decided):
                self._answer_claim(seat, claim, give=decided == "give")
            case "hints", verbs.HintsArgs(on=bool(on)):
                self._hints.set_on(seat, on)
            case "lessons", verbs.LessonsArgs(on=bool(on)):
                self._lessons.set_on(seat, on)
            case "help", _:
                self._calls.toggle(seat.number)
            case verb, _:
                self._dispatch_for_table(seat, verb, args)

    def _dispatch_for_table(self, seat: Seat, verb: str, args: Plain) -> None:
        """Handle the verbs that concern the whole table: how a match starts, pauses, is put aside, ends."""
        match verb, args:
            case "start", verbs.StartArgs(game=game, options=options):
                self._lobby.request_start(seat, game, options)
            case "again", _:
                self._lobby.request_rematch(seat)
            case "ready", verbs.ReadyArgs(ready=ready):
                self._lobby.set_ready(seat, not seat.ready if ready is UNSET else ready)
            case "wait", _:
                self._lobby.delay_start(seat)
            case "hub_rolls", verbs.HubRollsArgs(on=on):
                self._let_hub_roll(seat, on)
            case "wish", verbs.WishArgs(game=game, preset=preset, options=wanted):
                self._people.choice.add_wish(seat, game, preset, wanted)
            case "free", verbs.SeatArgs(seat=number):
                self._lobby.free_seat(number)
            case "house", verbs.HouseArgs(seat=number, strength=strength):
                self._people.house.let_play(number, strength)
            case "ask", verbs.AskArgs(what=what):
                self._people.endings.ask_vote(seat, what)
            case "vote", verbs.VoteArgs(say=option):
                self._people.questions.vote(seat.number, option)
            case "pause", _:
                self._pause(seat)
            case "take_up", verbs.TakeUpArgs(match=kept):
                self._people.endings.take_up(seat, kept)
            case "hints", verbs.HintsArgs(allow=bool(allowed)):
                self._allow_hints(seat, allowed)
            case "lessons", verbs.LessonsArgs(explain=bool(explained)):
                self._explain(seat, explained)
            case "acknowledge", verbs.AcknowledgeArgs(key=key):
                self._acknowledge(seat, key)
            case _:
                raise TypeError(f"nothing does {verb!r} with {args!r}")

    def _act(self, seat: Seat, request: PhoneRequest, move: str) -> None:
        beside = {name: value for name, value in request.args.items() if name != "move"}
        action = Action(seat=seat.number, move=move, args=beside, number=request.number)
        if not self._people.agreement.ask_if_needed(action):
            self._boxes.answer_by_phone(action)

    def _pause(self, seat: Seat) -> None:
        if seat.number not in self._play.seats:
            raise NotAsked(say("Only players of a match can pause it."), "QUESTION")
        self._people.absence.pause(seat)

    def _rename(self, seat: Seat, name: str) -> None:
        if self._names.is_misleading(name):
            raise IllegalAction(MISLEADING_NAME, "NAME")
        if self._seats.has_similar_name(name, seat.number):
            raise IllegalAction(NAME_IN_USE, "NAME")
        if name != seat.name:
            with self._seats.changing(seat):
                seat.name = name

    def _allow_hints(self, seat: Seat, allowed: bool) -> None:
        if not seat.joined:
            raise NotAsked(say("Only players seated here can allow hints."), "HINTS")
        self._hints.allow(allowed)

    def _explain(self, seat: Seat, explained: bool) -> None:
        if not seat.joined:
            raise NotAsked(say("Only players seated here can choose whether the first round is explained."), "LESSONS")
        self._lessons.choose(explained)

    def _let_hub_roll(self, seat: Seat, on: bool) -> None:
        """Choose whether the hub rolls all dice of this table."""
        if not seat.joined or self._play.seats:
            raise NotAsked(say("Between matches, players seated here can choose who rolls the dice."), "DICE")
        self._rolls.set_hub_rolls(on)

    def _show_code(self, seat: Seat, number: int) -> None:
        """Show the code of a seat without a phone on the table's screens, so that its player can return."""
        wanted = next((one for one in self._seats if one.number == number), None)
        if wanted is None or wanted.sid or wanted is seat:
            raise IllegalAction(say("Only the code of a seat without a phone can be shown."), "CODE")
        self._seats.ask_for_code(wanted)

    def _answer_claim(self, seat: Seat, number: int, *, give: bool) -> None:
        """Grant or refuse the claim of another phone for this seat."""
        claim = self._seats.claim_for(seat.number)
        if claim is None or number != claim.number:
            raise NotAsked(say("Nobody asks for this seat any more."), "CLAIM")
        if give:
            self._seats.grant(seat.number)
        else:
            self._seats.refuse(seat.number, say("Seat {seat} said no.", seat=seat.number))

    def _acknowledge(self, seat: Seat, key: str) -> None:
        if not seat.joined:
            raise NotAsked(say("Only players seated here can dismiss a notice."), "NOTICE")
        self._notices.acknowledge(key)
