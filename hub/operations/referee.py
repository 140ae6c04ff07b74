"""The referee: one match, JSON lines in, JSON lines out.

``table-hub referee GAME --seats N [--option NAME=VALUE]... [--house SEAT[=STRENGTH]]... [--seed S] [--stack FILE]
[--deck FILE] [--log FILE]`` plays a match; GAME is a name, or the folder of a package. ``table-hub replay FILE``
plays a log again; ``table-hub games [GAME]`` lists games and options. Nothing here knows a game, a clock or a screen.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import IO

import msgspec

from hub import games, packages
from hub.chance import Chance
from hub.decks import check_list
from hub.engine import house_player
from hub.engine.decision import CHANCE, Action
from hub.engine.event import Event
from hub.engine.game import Game
from hub.engine.match import Entry, Head, Match, roll_wire
from hub.engine.sight import STRENGTHS, Strength
from hub.engine.text import to_json
from hub.errors import HubError, IllegalAction, LogError, NotOffered, ReplayDiverged, RulesBug, StartRefused
from hub.operations.game_folder import game_in, place
from hub.ports import machine_chance  # noqa: TID251 - a program makes it

MAX_LINE = 65_536  # characters


class End(msgspec.Struct, frozen=True):
    """The last line of a log: how many entries there are, and the fingerprint of the state."""

    entries: int
    end: str


def option_value(text: str) -> bool | int | str:
    """Return the value of an option as typed: ``true``, ``false``, a number, or a word."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch("-?[0-9]{1,18}", text) else text


def given_options(pairs: Iterable[str]) -> dict[str, bool | int | str]:
    """Return ``NAME=VALUE`` pairs as a mapping. Raise StartRefused."""
    options: dict[str, bool | int | str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name in options:
            raise StartRefused(f"--option wants NAME=VALUE, each name once; not {pair!r}.")
        options[name] = option_value(value)
    return options


def given_house(pairs: Iterable[str], seats: int) -> dict[int, Strength]:
    """Return ``SEAT`` or ``SEAT=STRENGTH`` as seats of the house by number, from 1 to `seats`. Raise StartRefused."""
    house: dict[int, Strength] = {}
    for pair in pairs:
        seat, equals, word = pair.partition("=")
        strength = next((one for one in STRENGTHS if one == (word if equals else "steady")), None)
        number = int(seat) if re.fullmatch("[0-9]", seat) else 0
        if strength is None or not 1 <= number <= seats or number in house:
            raise StartRefused(
                f"--house wants a seat from 1 to {seats}, each once, and perhaps ={', ='.join(STRENGTHS)}; not {pair!r}."
            )
        house[number] = strength
    return house


def read_stack(game: Game, path: str | None) -> dict[str, object]:
    """Return the stack in a file: the order of piles that the game lets be stacked. Raise StartRefused."""
    if path is None:
        return {}
    try:
        stack = json.loads(Path(path).read_bytes(), object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except OSError as error:
        raise StartRefused(f"The stack {path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise StartRefused(f"The stack {path} is not JSON: {error}.") from error
    if not isinstance(stack, dict):
        raise StartRefused(f"The stack {path} must be a JSON object.")
    for pile in stack:
        if pile not in game.stack:
            raise StartRefused(f"{game.title} has no pile {pile!r} to stack: it has {', '.join(game.stack)}.")
    return stack


class Referee:
    """One match over lines of JSON: `line` takes one line of input and returns the line to print.

    The house plays the seats of `house`, each as soon as it is asked, by what that seat may see and by `luck`.
    """

    def __init__(
        self, game: Game, seats: int, options: Mapping[str, object], chance: Chance,
        house: Mapping[int, Strength] | None = None, luck: Random | None = None,
    ) -> None:  # fmt: skip
        self.match = Match(game, range(1, seats + 1), options)
        self.failure: RulesBug | None = None
        """The last failure of the rules or of a house player."""
        self._chance, self._house, self._luck = chance, house or {}, luck or Random(0)  # noqa: S311 - there is no house to draw from it
        self._settle()

    def opening(self) -> str:
        """Return the first line: what happened at set-up, and who is asked."""
        return self._accepted(self.match.events)

    def line(self, text: str) -> str:
        """Return the answer to one line; a line that is refused changes nothing.

        Raise StartRefused where the stack turns out to be wrong only now that its pile is drawn from.
        """
        try:
            request = self._read(text)
            if "show" in request:
                return self._show(request)
            before = len(self.match.events)
            if "undo" in request:
                return self._accepted(self._undo(request))
            self.match.act(self._action(request))
            self._settle()
            return self._accepted(self.match.events[before:])
        except IllegalAction as error:
            return _dump({"ok": False, "error": error.sentence, "code": error.code})
        except RulesBug as error:
            self.failure = error
            return _dump({"ok": False, "error": str(error), "code": "FAULT"})

    @staticmethod
    def _read(text: str) -> dict[str, object]:
        if len(text) > MAX_LINE:
            raise IllegalAction(f"A line has at most {MAX_LINE} characters.")
        try:
            request = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise IllegalAction("That line is not a JSON object.") from error
        if not isinstance(request, dict):
            raise IllegalAction("That line is not a JSON object.")
        return request

    def _action(self, request: dict[str, object]) -> Action:
        if "roll" in request:
            return self._roll(request)
        args = dict(request)
        seat, move = args.pop("seat", None), args.pop("move", None)
        if type(seat) is not int or type(move) is not str:
            raise IllegalAction("A move needs a seat (a number) and a move (a word), or give a roll, show or undo.")
        if seat not in self.match.state.seats:
            raise IllegalAction(f"There is no seat {seat} at this table.")
        return Action(seat=seat, move=move, args=args)

    def _roll(self, request: dict[str, object]) -> Action:
        unknown = sorted(request.keys() - {"roll", "read", "seat"})
        if unknown:
            raise IllegalAction(f"A roll has no {unknown[0]!r}: it has roll, read and seat.")
        asked = self.match.open.roll if self.match.open else None
        roll = {"faces": request["roll"], "read": request.get("read", "typed")}
        if "seat" in request:
            seat = request["seat"]
            if type(seat) is not int:
                raise IllegalAction("The seat of a roll is a number.")
            if asked and seat != asked.seat:
                return Action(seat=seat, move="roll", args=roll)  # refused by the match, in the rulebook's words
        return Action(seat=CHANCE, move="roll", args=roll)

    def _undo(self, request: dict[str, object]) -> list[Event]:
        count = request["undo"]
        if len(request) > 1 or type(count) is not int or count < 1:
            raise IllegalAction("Undo wants a number of inputs, 1 or more, and nothing else.")
        if self.match.log and self.match.log[-1].seat in self._house:
            raise NotOffered("The house has acted since, so the move cannot be taken back.", "UNDO")
        events = self.match.undo(count)
        self._settle()
        return events

    def _settle(self) -> None:
        """Let chance answer and the house play, until somebody else is asked."""
        self._chance.settle(self.match)
        while action := self._house_action():
            self.match.act(action)
            self._chance.settle(self.match)

    def _house_action(self) -> Action | None:
        """Return what one seat of the house does now; None where none is asked."""
        plays = (house_player.play(self.match, seat, how, self._luck) for seat, how in self._house.items())
        return next((action for action in plays if action), None)

    def _show(self, request: dict[str, object]) -> str:
        viewer = request["show"]
        if len(request) > 1 or not (viewer == "table" or type(viewer) is int):
            raise IllegalAction('Show wants "table" or the number of a seat, and nothing else.')
        if viewer == "table":
            return _dump({"ok": True, "view": msgspec.Raw(self.match.view_json())})
        if viewer not in self.match.state.seats:
            raise IllegalAction(f"There is no seat {viewer} at this table.")
        return _dump({"ok": True, "view": msgspec.Raw(self.match.view_json(viewer))})

    def _accepted(self, events: list[Event]) -> str:
        answer: dict[str, object] = {
            "ok": True,
            "events": [event_wire(event) for event in events],
            "waiting": self._waiting(),
        }
        if self.match.over:
            answer["over"] = self.match.over.wire()
        return _dump(answer)

    def _waiting(self) -> dict[str, object]:
        """Return all that is asked, of everybody: enough to answer without knowing the game."""
        decision = self.match.open
        if decision is None:
            return {"seats": {}}
        waiting: dict[str, object] = {}
        if decision.roll:
            waiting["roll"] = roll_wire(decision.roll)
        moves = {str(seat): self.match.moves(seat) for seat in self.match.state.seats}
        listed = {seat: offers for seat, offers in moves.items() if offers}
        if listed or not decision.roll:
            waiting["seats"] = listed
            waiting["secret"] = decision.kind == "sealed"
        return waiting


def event_wire(event: Event) -> dict[str, object]:
    """Return an event ready for JSON: its sentence, kind and rule, and its data."""
    return {"text": event.text, "kind": event.kind, "rule": event.rule, "data": event.data}


def _dump(answer: Mapping[str, object]) -> str:
    return to_json(answer).decode()


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key twice")
    return result


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class LogFile:
    """A log as JSON lines: head, entries, and an End with their count and the fingerprint of the state."""

    def __init__(self, path: str, match: Match) -> None:
        try:
            self._file: IO[bytes] = Path(path).open("wb")  # noqa: SIM115 - it is open as long as the match
        except OSError as error:
            raise StartRefused(f"The log {path} cannot be written: {error.strerror}.") from error
        self._match = match
        self._written: list[Entry] = []
        self._write(match.head)
        self.follow()

    def follow(self) -> None:
        """Write what the match's log has beyond the file; after an undo, write the file anew."""
        log = self._match.log
        if self._written != log[: len(self._written)]:
            self._file.seek(0)
            self._file.truncate()
            self._write(self._match.head)
            self._written = []
        for entry in log[len(self._written) :]:
            self._write(entry)
            self._written.append(msgspec.structs.replace(entry))
        self._file.flush()

    def close(self) -> None:
        """Write the last line and close the file."""
        self._write(End(len(self._written), self._match.fingerprint()))
        self._file.close()

    def _write(self, part: msgspec.Struct) -> None:
        self._file.write(to_json(part) + b"\n")


def referee(args: Namespace) -> int:
    """Play one match over standard input and output. Return 2, with one sentence, where it cannot begin."""
    name = ""
    try:
        if args.deck:
            check_list(args.deck)
        # A name is never looked for in a folder: the output for it does not depend on where the program runs.
        name = args.game if args.game in games.names() else game_in(args.game) or args.game
        game = games.find(name, args.deck)
        options = given_options(args.option)
        house = given_house(args.house, args.seats)
        # A stream of its own: with and without a house the same seed deals the same cards.
        machine = machine_chance()
        luck = machine if args.seed is None else Random(f"house {args.seed}")  # noqa: S311 - a seed is asked for
        chance = Chance(machine if args.seed is None else args.seed, read_stack(game, args.stack))
        match_referee = Referee(game, args.seats, options, chance, house, luck)
        if match_referee.match.fault:
            raise match_referee.match.fault
        log = LogFile(args.log, match_referee.match) if args.log else None
    except StartRefused as error:
        print(error, file=sys.stderr)
        return 2
    except RulesBug as bug:
        print(_where_and_why(bug, name), file=sys.stderr)
        return 2
    # Bytes, so that a line that is not UTF-8 is refused like any other and the program goes on.
    _print(match_referee.opening())
    told: RulesBug | None = None
    for raw in sys.stdin.buffer:
        try:
            answer = match_referee.line(raw.decode(errors="replace"))
        except StartRefused as error:  # a stack that turns out wrong only when its pile is drawn from
            print(error, file=sys.stderr)
            return 2
        if log:
            log.follow()
        _print(answer)
        fault = match_referee.failure
        if fault and fault is not told:
            print(_where_and_why(fault, name), file=sys.stderr, flush=True)
        told = fault
    if log:
        log.close()
    return 0


def _where_and_why(fault: RulesBug, name: str) -> str:
    """Return why the rules of a game failed, with the place in the files of a package, for its author."""
    cause, folder = fault.__cause__ or fault, games.files_of(name).folder
    where = place(cause, folder) if isinstance(folder, Path) else ""
    return f"{where}: {packages.why(cause)}" if where else packages.why(cause)


def _print(line: str) -> None:
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


def read_log(path: str) -> tuple[Head, list[Entry], End | None]:
    """Return head, entries and end of a log file; a torn last line is dropped. Raise LogError."""
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise LogError(f"The log {path} is no file.")
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise LogError(f"The log {path} cannot be read: {error.strerror}.") from error
    del lines[-1]  # what is left after the last whole line
    if not lines:
        raise LogError(f"The log {path} has no whole line.")
    end: End | None = None
    entries: list[Entry] = []
    try:
        head = msgspec.json.decode(lines[0], type=Head, strict=True)
        for line in lines[1:]:
            if line.startswith(b'{"entries"'):
                end = msgspec.json.decode(line, type=End)
            else:
                entries.append(msgspec.json.decode(line, type=Entry))
    except (ValueError, TypeError, RecursionError) as error:  # no JSON, no UTF-8, another schema, brackets without end
        raise LogError(f"The log {path} is broken at entry {len(entries)}: {error}.") from error
    return head, entries, end


def replay(args: Namespace) -> int:
    """Play a log again and print the state it leads to. Return 1, with one sentence, where that is another one."""
    try:
        head, entries, end = read_log(args.file)
        if args.deck:
            check_list(args.deck)
        match = Match.replay(games.find(head.game, args.deck), head, entries)
        if end and (end.entries, end.end) != (len(entries), match.fingerprint()):
            raise ReplayDiverged("The log's last line tells of another state than the one it leads to.")
    except HubError as error:
        print(error, file=sys.stderr)
        return 1
    over = match.over.wire() if match.over else None
    print(_dump({"ok": True, "game": head.game, "entries": len(entries), "state": match.fingerprint(), "over": over}))
    return 0


def list_games(args: Namespace) -> int:
    """Print all games, a line each, or one game's options with their defaults and effects."""
    try:
        if not args.game:
            for game in map(games.find, games.names()):
                package = games.files_of(game.name).package
                print(
                    f"{game.name:16} {game.title}  {game.seats[0]}-{game.seats[1]} players, {game.labels.minutes} min"
                    f"{f', from the package {package}' if package else ''}"
                )
            for sentence in (*games.packaged().left_out.values(), *packages.problems()):
                print(sentence, file=sys.stderr)
            return 0
        game = games.find(args.game)
    except StartRefused as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{game.title}  {game.seats[0]}-{game.seats[1]} players, rules version {game.version}")
    for name, option in game.options.items():
        default = msgspec.json.encode(option.default).decode().strip('"')
        print(f"  {name}={default}  {option.effect}")
    return 0
