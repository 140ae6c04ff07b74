"""One match of a game: actions in, events and views out.

The match drives the rulebook's coroutine by hand. It checks each action against the offers, logs it, and lets the rules
continue to their next question. It uses no clock, file or thread. The log is the single source of truth: to save, resume, undo
or verify a match means to play its log again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hub.engine.decision import (
    CHANCE,
    MOVED_ON,
    Action,
    Answer,
    Args,
    Decision,
    Json,
    Move,
    Question,
    Roll,
    Won,
    tell,
)
from hub.engine.event import Event, MatchView, State
from hub.engine.game import Game
from hub.engine.options import OptionValue
from hub.engine.secret import Secret, Watch, hidden, own, public, public_facts
from hub.engine.text import say, say_count, to_json
from hub.errors import HubError, IllegalAction, NotAsked, NotOffered, ReplayDiverged, RulesBug, Stale

STATE_EVERY = 16
"""Number of log entries from one fingerprint of the whole state to the next."""

LOG_FORM = 1
"""Version of the log format. Newer formats are refused."""

READ = ("read", "typed", "hub")
"""The source of a roll: a dice reader, a person who typed it, or the hub."""

_NO_MOVES: list[dict[str, Json]] = []


class Head(Struct, frozen=True):
    """The first line of a log: game, rules, seats and options."""

    game: str
    version: int
    digest: str
    seats: list[int]
    options: dict[str, OptionValue]
    v: int = LOG_FORM


class Entry(Struct, omit_defaults=True, gc=False):
    """One action in a log.

    `asked` is the fingerprint of the answered question, `state` that of the whole state afterwards (every `STATE_EVERY` entries,
    and at the end).
    """

    seat: int
    move: str
    args: dict[str, Any]
    asked: int
    state: str = ""


class Over(Struct, frozen=True):
    """The result of a match."""

    winners: list[int]
    scores: dict[int, int]
    why: str

    def wire(self) -> dict[str, Json]:
        """Return the result ready for JSON."""
        return {"winners": self.winners, "scores": {str(k): v for k, v in self.scores.items()}, "why": self.why}


class Match:
    """One match of `game` by the people at `seats` (numbers as printed on the boxes).

    Raise StartRefused if it cannot start.

    `state` belongs to the rules; read it through `view`. `open` is the open decision (None if the match is `over` or frozen by a
    `fault`), `log` the entries and `events` the events so far.
    """

    def __init__(self, game: Game, seats: Sequence[int], options: Mapping[str, object] | None = None) -> None:
        self.game = game
        self.setup = game.settle(seats, options or {})
        self.log: list[Entry] = []
        self.events_before: list[int] = []  # number of events before each entry of the log
        self.events: list[Event] = []
        self.open: Decision | None = None
        self.over: Over | None = None
        self.fault: RulesBug | None = None
        self.state: State[Any, Any] = game.rulebook.deal(self.setup)
        self._question = Question("ask", "", {})  # the last question; this one has no answer
        self._public: MatchView | None = None
        self._text: tuple[MatchView | None, bytes, bytes] = (None, b"", b"")
        self._delayed: Match | None = None
        self._rules = game.rulebook
        self._script = self._rules.play(self.state)
        self._resume(None)

    # --- actions in ------------------------------------------------------------------------------

    def act(self, action: Action) -> list[Event]:
        """Execute an action and return its events. Raise IllegalAction if it is refused; then nothing has changed.

        Raise RulesBug if the rules fail on it: the match is frozen, and the action stays in the log.
        """
        decision, answer, standing = self._check(action)
        known = len(self.events)
        entry = Entry(action.seat, action.move, dict(action.args), decision.fingerprint())
        self.log.append(entry)
        self.events_before.append(known)
        if action.seat == CHANCE and (first := action.args.get("first")):
            self._announce_reread(decision, answer, first["faces"])
        if standing:
            self._accept_standing(action.seat, answer)
        elif decision.kind == "sealed":
            self._lock(decision, action.seat, answer)
        else:
            self._resume(answer)
        if len(self.log) % STATE_EVERY == 0 or self.over:
            entry.state = self.fingerprint()
        if self.fault:
            raise self.fault
        if decision.roll and action.seat == CHANCE:
            self._mark_read(known, str(action.args.get("read", READ[1])), again="first" in action.args)
        return self.events[known:]

    def refusal(self, action: Action) -> IllegalAction | None:
        """Return why `act` would refuse an action, or None if it is legal. Nothing changes."""
        try:
            self._check(action)
        except IllegalAction as error:
            return error
        return None

    def answers(self, action: Action) -> bool:
        """Return whether an action is legal and answers the open decision, so does not accept a standing offer."""
        try:
            _, _, standing = self._check(action)
        except IllegalAction:
            return False
        return not standing

    def _check(self, action: Action) -> tuple[Decision, Any, bool]:
        """Return the open decision, the answer for the rules, and whether `action` accepts a standing offer.

        Raise IllegalAction. All checks of actions are here, and change nothing.
        """
        decision = self.open
        if decision is None:
            if self.fault:
                raise NotAsked(
                    say("The match has stopped because of an error in its rules: take the last move back, or end it."),
                    "FAULT",
                )
            raise self._refuse(NotAsked, action, say("The game has ended."), "OVER")
        if action.number is not None and action.number != decision.number:
            raise Stale(MOVED_ON)
        if action.seat == CHANCE:
            return decision, self._by_chance(decision, action), False
        answer, standing = self._by_seat(decision, action)
        return decision, answer, standing

    def _mark_read(self, known: int, read: str, *, again: bool) -> None:
        """Mark all roll events after the first `known` ones with the source of the roll, which rules do not know."""
        for event in self.events[known:]:
            if event.kind == "roll":
                event.data["read"] = read
                if again:
                    event.data["again"] = True

    def _announce_reread(self, decision: Decision, faces: list[int], first: list[int]) -> None:
        """Announce both readings of dice that were read twice. The second one counts."""
        assert decision.roll is not None
        now, was = (" ".join(map(str, some)) for some in (faces, first))
        tell(
            self.state, say("The dice were read again: {now}, not {was}.", now=now, was=was), kind="reread",
            seat=decision.roll.seat, faces=faces[:], first=first[:],
        )  # fmt: skip

    def _refuse(self, kind: type[IllegalAction], action: Action, sentence: str, code: str) -> IllegalAction:
        """Return the refusal, in the rulebook's words if it has any."""
        known = self._rules.explain(self.state, action)
        return kind(known.sentence, known.code) if known else kind(sentence, code)

    def _by_seat(self, decision: Decision, action: Action) -> tuple[Answer, bool]:
        """Return the answer of a seat, and whether it accepts a standing offer. Raise IllegalAction."""
        seat, name, args = action.seat, action.move, action.args
        offered = decision.offers(seat)
        for move in offered:
            if move.name == name and move.accepts(args):
                return _answer(name, args), False
        standing = self.standing(seat)
        for move in standing:
            if move.name == name and move.accepts(args):
                return _answer(name, args), True
        known = self.game.labels.moves
        if known and name not in known and name != "roll":
            raise NotOffered(f"{self.game.title} has no such move.")
        meant = [move for move in (*offered, *standing) if move.name == name and move.fits(args)]
        # The rules refuse optional parameters (`sometimes` in the labels) in their own words.
        sometimes = set(known[name].sometimes) if name in known else set()
        if meant and all((move.params.keys() ^ args.keys()) - sometimes for move in meant):
            if better := self._rules.form(self.state, action):
                raise NotOffered(better.sentence, better.code)
            wanted = ", ".join(meant[0].params) or "nothing"
            raise NotOffered(f"The move {name} wants {wanted} beside it, and nothing else.")
        if seat not in decision.asked:
            raise self._refuse(NotAsked, action, say("There is nothing for you to do now."), "FORM")
        raise self._refuse(NotOffered, action, say("You can't do that now."), "FORM")

    def _by_chance(self, decision: Decision, action: Action) -> object:
        """Return the faces, the order or the value of a chance action. Raise IllegalAction."""
        args = action.args
        if decision.roll is not None and action.move == "roll":
            faces, read, roll = args.get("faces"), args.get("read", "typed"), decision.roll
            if len(args) - ("read" in args) - ("first" in args) != 1 or not isinstance(faces, list) or read not in READ:
                raise NotOffered("A roll is a list of faces, read, typed or hub-rolled.")
            if "first" in args and not _is_first_reading(args["first"], roll):
                raise NotOffered("The first reading of a roll is its faces, and whether they were read or typed.")
            if not _are_faces(faces, roll):
                dice = say_count("one die", "{count} dice", roll.count)
                text = say("Enter {dice} with faces from 1 to {sides}.", dice=dice, sides=roll.sides)
                raise self._refuse(NotOffered, action, text, "FORM")
            return faces[:]
        if decision.kind == "shuffle" and action.move == "shuffle":
            order = args.get("order")
            if not isinstance(order, list) or sorted(map(repr, order)) != sorted(map(repr, decision.cards)):
                raise NotOffered(f"A shuffle of {decision.pile} must hold the same cards.")
            return list(order)
        if decision.kind == "pick" and action.move == "pick":
            index = args.get("index")
            if type(index) is not int or not 0 <= index < len(decision.cards):
                raise NotOffered(f"A pick of {decision.pile} is an index below {len(decision.cards)}.")
            return decision.cards[index]
        raise self._refuse(NotAsked, action, "Nothing is asked of chance now.", "FORM")

    def _lock(self, decision: Decision, seat: int, answer: Answer) -> None:
        """Lock the sealed choice of a seat. Continue the rules when the last seat has locked."""
        decision.answers[seat] = answer
        self._seal(seat, answer)
        if len(decision.answers) < len(decision.asked):
            if shown := self._public:  # update only what changed: a table for six locks five times before the reveal
                record = self.state.seats[seat]
                seats = {**shown["seats"], f"{seat}": public_facts(record)}
                waiting = self.waiting() if decision.final else shown["waiting"]
                self._public = {**shown, "seats": seats, "waiting": waiting}
            return
        for other in decision.asked:
            self.state.seats[other].locked = False
        self._resume({other: decision.answers[other] for other in decision.asked})

    def _seal(self, seat: int, answer: Answer) -> None:
        """Store a sealed choice as a secret in the state of its seat: its only parameter, or the move's name, or both."""
        args = answer.args
        value = next(iter(args.values())) if len(args) == 1 else {"move": answer.move, **args} if args else answer.move
        record = self.state.seats[seat]
        question = self._question
        setattr(record, question.into, Secret(value, tuple(self.state.seats) if question.known else (seat,)))
        record.locked = True

    def _accept_standing(self, seat: int, answer: Answer) -> None:
        """Execute a standing offer, and update the offers of the open decision."""
        self._public = None
        try:
            self._rules.stand(self.state, seat, answer)
        except Won as won:
            self._end(won)
        except Exception as error:  # noqa: BLE001 - as in `_resume`
            self._freeze(error)
            return
        self._drain()
        if self.open is not None:
            self.open.asked, self.open.want = self._current_moves(), self._want_text()
            self.open.checksum = 0
            dice = self._question.dice
            if self.open.roll and dice and (count := dice()) != self.open.roll.count:
                # A new object under the same number, so that code that waits for the dice sees the change.
                self.open = replace(self.open, roll=replace(self.open.roll, count=count))

    # --- the script ------------------------------------------------------------------------------

    def _resume(self, answer: object) -> None:
        """Send the rules an answer and let them continue to their next question or to the end."""
        self._public = None
        try:
            question = self._script.send(answer)
        except Won as won:
            self._end(won)
        except StopIteration:
            self._freeze(RulesBug("The rules ended without a winner."))
        except Exception as error:  # noqa: BLE001 - a rulebook may fail in any way; the match keeps its log and can be undone
            self._freeze(error)
        else:
            self._question = question
            self.open = Decision(
                len(self.log), question.kind, self._want_text(), self._current_moves(), question.roll,
                question.pile, question.cards, {}, question.final, question.wants, others=question.others,
            )  # fmt: skip
        self._drain()

    def _end(self, won: Won) -> None:
        """Close the open question, because the match is won."""
        self.open = None
        self.over = Over(won.winners, won.scores, won.why)
        tell(self.state, won.why, rule=won.rule, kind="over", winners=won.winners)

    def _want_text(self) -> str:
        want = self._question.want
        return want() if callable(want) else want

    def _current_moves(self) -> dict[int, list[Move]]:
        asked = self._question.asked
        return {seat: moves() if callable(moves) else moves for seat, moves in asked.items()}

    def _freeze(self, error: Exception) -> None:
        self.open = None
        self.fault = RulesBug(
            say(
                "The rules of {game} failed at entry {number}: {error}.",
                game=self.game.title,
                number=len(self.log),
                error=type(error).__name__,
            )
        )
        self.fault.__cause__ = error

    def _drain(self) -> None:
        if self.state.new_events:
            self.events += self.state.new_events
            self.state.new_events = []

    # --- views out -------------------------------------------------------------------------------

    def view(self, viewer: int | None = None) -> MatchView:
        """Return the view of one seat, or of the public (None), ready for JSON.

        The parts are shared: do not write to them.
        """
        shown = self._public
        if shown is None:
            shown = self._public = public(self.state, self.game.name, self.waiting())
        if viewer is None:
            return shown
        return {**shown, "you": self.own(viewer), "waiting": self._waiting_for(viewer, shown["waiting"])}

    def view_json(self, viewer: int | None = None) -> bytes:
        """Return `view(viewer)` as JSON. The public part is encoded once for all viewers."""
        shown = self.view(None)
        if self._text[0] is not shown:
            text = to_json(shown)
            before = len(text) - len(to_json({"waiting": shown["waiting"]})) + 1  # `waiting` is the last key
            self._text = shown, text, text[:before]
        _, text, common = self._text
        if viewer is None:
            return text
        mine = {"waiting": self._waiting_for(viewer, shown["waiting"]), "you": self.own(viewer)}
        return common + to_json(mine)[1:]

    def own(self, seat: int) -> dict[str, object]:
        """Return the part `you` of a seat's view, which only that seat may see."""
        return own(self.state, seat)

    def waiting(self) -> dict[str, object]:
        """Return who is asked for what, as everybody may know it: of seats only that they are asked."""
        decision = self.open
        waiting: dict[str, object] = {}
        if decision is None or decision.by_chance:
            waiting["seats"] = []
        else:
            if decision.roll:
                waiting["roll"] = roll_wire(decision.roll)
            final = decision.answers if decision.final else ()
            waiting["seats"] = [f"{seat}" for seat in decision.asked if seat not in final]
            waiting["secret"] = decision.kind == "sealed"
        return waiting

    def _waiting_for(self, viewer: int, waiting: Mapping[str, Any]) -> dict[str, object]:
        """Return the public `waiting` with the viewer's own moves."""
        listed: dict[str, list[dict[str, Json]]] = dict.fromkeys(waiting["seats"], _NO_MOVES)
        if mine := self.moves(viewer):
            listed[f"{viewer}"] = mine
        return {**waiting, "seats": listed}

    def moves(self, seat: int) -> list[dict[str, Json]]:
        """Return the moves of a seat for JSON, with standing offers marked. They are shared: do not write to them."""
        if self.open is None:
            return []
        listed = self.open.offers_on_wire(seat)
        if seat in self.state.seats and (standing := self._rules.standing(self.state, seat)):
            return [*listed, *({**move.wire(), "standing": True} for move in standing)]
        return listed

    def barred(self, seat: int) -> list[dict[str, Any]]:
        """Return moves that an asked seat may expect but is not offered, for JSON, with the refusal as `why`."""
        offered = self.open.offers(seat) if self.open else []
        if not offered:
            return []
        barred = []
        for action in self._rules.wished(self.state, seat):
            name, args = action.move, action.args
            if any(move.name == name and move.leads_to(args) for move in offered):
                continue
            if known := self._rules.explain(self.state, action):
                barred.append({"move": name, **args, "why": known.sentence})
        return barred

    def notes(self, seat: int) -> dict[str, dict[str, str]]:
        """Return the rules' notes on the values of a seat's moves, by parameter and value, such as odds or a price."""
        return self.notes_and_covered(seat)[0]

    def notes_and_covered(self, seat: int) -> tuple[dict[str, dict[str, str]], list[str]]:
        """Return `notes`, and the parameters whose notes follow from a secret: phones show them under the cover of the hand.

        Games do not declare that. The match detects whether their rules read a secret for the notes.
        """
        notes_of = self._rules.notes
        if notes_of is None or self.open is None or not self.open.offers(seat):
            return {}, []
        watch = Watch(self.state)
        notes = notes_of(watch.state, seat)
        return notes, list(notes) if watch.is_read else []

    def standing(self, seat: int) -> Sequence[Move]:
        """Return the standing offers: moves of a seat besides the open decision."""
        if self.open is None or seat not in self.state.seats:
            return ()
        return self._rules.standing(self.state, seat)

    # --- the log ---------------------------------------------------------------------------------

    @property
    def head(self) -> Head:
        """Return the head of this match's log."""
        return Head(
            self.game.name, self.game.version, self.game.digest, list(self.setup.seats), dict(self.setup.options)
        )  # fmt: skip

    def fingerprint(self) -> str:
        """Return a digest of the whole state, secrets included: 16 hexadecimal digits."""
        s = self.state
        return sha256(to_json((s.seats, s.table, s.round, s.phase))).hexdigest()[:16]

    @classmethod
    def replay(cls, game: Game, head: Head, entries: Iterable[Entry]) -> Match:
        """Return the match of a log. Raise ReplayDiverged if the present rules do not lead to it."""
        if (head.game, head.version) != (game.name, game.version) or not game.has_same_rules(head.digest):
            diverged = ReplayDiverged(
                say(
                    "The match began with other rules or cards: the program or its list of cards has changed "
                    "since then. The match can continue when those are back. Until then, you can start a new "
                    "match."
                )
            )
            diverged.add_note(  # for the journal
                f"It began with {head.game} rules {head.version}, data {head.digest}; "
                f"here are {game.name} rules {game.version}, data {game.digest}."
            )
            raise diverged
        if head.v != LOG_FORM:
            raise ReplayDiverged(
                say("Its log has format {format}, but this hub reads format {known}.", format=head.v, known=LOG_FORM)
            )
        match = cls(game, head.seats, head.options)
        match.apply_entries(entries)
        return match

    def apply_entries(self, entries: Iterable[Entry]) -> None:
        """Play logged entries in this match. Raise ReplayDiverged."""
        for number, entry in enumerate(entries, len(self.log)):
            asked = self.open.fingerprint() if self.open else 0
            if asked != entry.asked:
                raise ReplayDiverged(
                    say("Entry {number} answers a question that the rules now ask differently.", number=number)
                )
            try:
                self.act(Action(seat=entry.seat, move=entry.move, args=entry.args))
            except RulesBug:
                continue  # a frozen match's log ends with the action that froze it; a further one would be refused
            except HubError as error:
                raise ReplayDiverged(
                    say("The current rules refuse entry {number}: {reason}", number=number, reason=error.sentence)
                ) from error
            if entry.state and entry.state != self.log[-1].state:
                raise ReplayDiverged(say("The state after entry {number} is not the one in the log.", number=number))

    # --- undo ------------------------------------------------------------------------------------

    def undo(self, count: int = 1, seat: int | None = None) -> list[Event]:
        """Undo the last `count` inputs: drop them, and play the rest again. Return the new events.

        Raise NotOffered if a secret was revealed, a die was read, cards were shuffled, or another seat has acted since. `seat` is
        the seat that asks; None means the seat that acted last.
        """
        earlier = self.before(count, seat)
        self.__dict__.update(earlier.__dict__)
        tell(self.state, "The last move was taken back.", kind="undo", count=count)
        start = len(self.events)
        self._drain()
        return self.events[start:]

    def before(self, count: int = 1, seat: int | None = None) -> Match:
        """Return the match as it was `count` inputs ago. Raise NotOffered if undo is not allowed."""
        self._check_inputs_of_one_seat(count, seat)
        if self.fault:
            return self.until(len(self.log) - self._fault_length())
        earlier = self.until(len(self.log) - count)
        self._check_nothing_revealed_since(earlier)
        return earlier

    def may_undo(self, seat: int) -> bool:
        """Return whether `seat` may undo the last input. The cost is that of one action, even in a long match."""
        try:
            self._check_inputs_of_one_seat(1, seat)
            if not self.fault:
                self._check_nothing_revealed_since(self._before_last_entry())
        except NotOffered:
            return False
        return True

    def _check_inputs_of_one_seat(self, count: int, seat: int | None) -> None:
        """Raise NotOffered unless one seat, and `seat` if given, has made the last `count` inputs."""
        if not 1 <= count <= len(self.log):
            raise NotOffered(say("There is nothing to take back."), "UNDO")
        if self.fault:
            if count > 1:
                raise NotOffered(
                    say("First take back the move that stopped the match, then continue from there."), "UNDO"
                )
            return
        last = self.log[-count:]
        if any(entry.seat == CHANCE for entry in last):
            raise NotOffered(say("A roll or a shuffle cannot be taken back."), "UNDO")
        if any(entry.seat != last[-1].seat for entry in last) or seat not in (None, last[-1].seat):
            raise NotOffered(say("Another seat has acted since, so the move cannot be taken back."), "UNDO")

    def _check_nothing_revealed_since(self, earlier: Match) -> None:
        """Raise NotOffered if a secret of `earlier` was revealed to anybody since."""
        # While a sealed decision stays open, changing a choice reveals nothing. If players turned over printed cards, the hub has
        # revealed nothing.
        same = self.open and earlier.open and self.open.number == earlier.open.number
        opened = earlier.open and earlier.open.kind == "sealed" and len(earlier.open.asked) > 1 and not same
        # printed cards hide no more which choices were made
        if opened and not (earlier._question.laid or earlier._question.known):
            raise NotOffered(say("The others' choices were shown, so the move cannot be taken back."), "UNDO")
        question = earlier._question
        sealed = self._question.into if same else question.into if question.laid else ""
        if self.has_revealed(earlier.hidden(sealed), sealed):
            raise NotOffered(say("Something secret was shown, so the move cannot be taken back."), "UNDO")

    def _before_last_entry(self) -> Match:
        """Return a second match, one entry behind this one, which is kept and advanced for its state."""
        delayed = self._delayed = self._delayed or self.until(0)
        known = len(delayed.log)
        missing = self.log[known:-1]
        delayed.apply_entries(missing)
        delayed.log[known:] = missing  # share the entries and drop the events, to save memory
        delayed.events.clear()
        return delayed

    def hidden(self, sealed: str = "") -> dict[int, Counter[str]]:
        """Return the values that each seat may not see now, without choices in the field `sealed`, for `has_revealed`."""
        return hidden(self.state, sealed)

    def has_revealed(self, hidden: Mapping[int, Counter[str]], sealed: str = "") -> bool:
        """Return whether a value in `hidden` has been revealed to anybody since."""
        now = self.hidden(sealed)
        return any(was - now[viewer] for viewer, was in hidden.items())

    def until(self, length: int) -> Match:
        """Return this match as it was when its log had `length` entries."""
        return Match.replay(self.game, self.head, self.log[:length])

    def _fault_length(self) -> int:
        """Return the number of entries to undo after a fault: the last input and its shuffles and picks."""
        for count, entry in enumerate(reversed(self.log), 1):
            if entry.seat != CHANCE or entry.move == "roll":
                return count
        return len(self.log)


def _are_faces(faces: Sequence[object], roll: Roll) -> bool:
    return len(faces) == roll.count and all(type(face) is int and 1 <= face <= roll.sides for face in faces)


def _is_first_reading(first: object, roll: Roll) -> bool:
    """Return whether `first` is a valid first reading of a roll that was read again."""
    if not isinstance(first, dict) or first.keys() != {"faces", "read"} or first["read"] not in READ:
        return False
    return isinstance(first["faces"], list) and _are_faces(first["faces"], roll)


def _answer(name: str, args: Args) -> Answer:
    """Return the answer for the rules, with copied lists: the rules may change theirs, but not those of the log."""
    return Answer(name, {key: value[:] if value.__class__ is list else value for key, value in args.items()})


def roll_wire(roll: Roll) -> dict[str, int | str]:
    """Return a roll ready for JSON."""
    return {"seat": roll.seat, "count": roll.count, "sides": roll.sides, "for": roll.why}
