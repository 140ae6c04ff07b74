"""Read and play scenarios: situations at the table, in a file of the game, each citing the rules that it proves.

A file names its `game`, its `tables` (seats, options, stack) and its scenarios; `data` changes lines of the game's
data file, as an owner may. A scenario's `play` is read line by line:

    {"seat":1,"move":"bid","number":5}            a line for the referee, which must be accepted
    {"seat":1,"move":"bid","number":7} ! BB-X01   ... which must be refused with that code, changing nothing
    1 bid number=7 ! BB-X01 "Bid 1 to 6."         ... and in those words
    1 bid number=5                                the same line in short; so is `1 bid number=7 ! BB-X01`
    bids 5 5 6 2                                  the seats' sealed bids, from seat 1 on: the move `bid` with its only parameter
    roll 4                                        the dice that are asked for
    idle 3                                        three rounds in which nobody gets anything
    until play                                    safe answers until that phase begins (again); seat 1 rolls sixes, all others ones
    away 3 6                                      three rounds in which all answers are the safe ones and all dice show 6
    table.order = [3, 4, 1, 2]                    a fact of the public view (`*` all of a list, not of `seats`; `#` how many)
    table.secret absent                           ... that is not there
    seat 2: you.bid = 5                           a fact of a seat's own view
    asked {"1": [...]}                            who is asked for what: exactly these moves
    asked roll {...}                              the dice that are asked for
    told "The order"                              something the last line made the table hear
    want "Bid a card"                             part of the sentence that the asked seats read
    data {"seat": 1, "to": 5}                     facts of an event that the last line made the table hear
    over [1,2] {"1": 3, "2": 3}                   how the match ended

A safe answer is the one that the hub gives for an absent player: the last move with its smallest values. Two spaces and `#` begin a comment. `told` and `data` are about the events of the last line only. A secret that is in the state, but
not for a viewer, is `null` in a field like `bid: Secret[...] | None`, and absent if the field is always secret. In `stack`, a
shuffle is given as a list of cards, a pick as a value, or, if the values are 0, 1, 2 and so on, as a list of positions.
"""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.resources.abc import Traversable
from typing import Any

from hub import games
from hub.authoring.players import safe_action
from hub.chance import Chance
from hub.engine.game import Game
from hub.errors import StartRefused
from hub.operations.referee import Referee

KEYS = {"name", "rules", "at", "seats", "options", "stack", "data", "play", "refused"}


@dataclass
class Scenario:
    """One situation, as its file tells it."""

    game: str
    name: str
    rules: list[str]
    seats: int
    options: dict[str, Any]
    stack: dict[str, Any]
    data: dict[str, str]
    play: str
    refused: str


def read(path: Traversable) -> list[Scenario]:
    """Return the scenarios of a file. Raise AssertionError if one has a key that scenarios do not have."""
    data = tomllib.loads(path.read_text("utf-8"))
    found = []
    for scenario in data["scenario"]:
        table = data.get("tables", {}).get(scenario.get("at", ""), {})
        assert not scenario.keys() - KEYS, f"{path.name}: {scenario['name']!r} has {scenario.keys() - KEYS}"
        found.append(
            Scenario(
                data["game"],
                scenario["name"],
                scenario["rules"],
                scenario.get("seats", table.get("seats", 0)),
                table.get("options", {}) | scenario.get("options", {}),
                table.get("stack", {}) | scenario.get("stack", {}),
                scenario.get("data", {}),
                scenario.get("play", ""),
                scenario.get("refused", ""),
            )
        )
    return found


def changed(name: str, lines: dict[str, str]) -> Game:
    """Return the game as an owner who has edited its data file has it."""
    text = games.files_of(name).data.read_text("utf-8")
    for old, new in lines.items():
        assert text.count(old) == 1, f"{old!r} is not one line of the data file"
        text = text.replace(old, new)
    return games.load(text.encode(), games.find(name).rulebook)


class Play:
    """A scenario as it is played, line by line, through the referee."""

    def __init__(self, scenario: Scenario) -> None:
        chance = Chance("scenario", scenario.stack)
        game = changed(scenario.game, scenario.data) if scenario.data else games.find(scenario.game)
        self.referee = Referee(game, scenario.seats, scenario.options, chance)
        self.match = self.referee.match
        self.last: dict[str, Any] = json.loads(self.referee.opening())

    def line(self, text: str) -> None:
        """Play one line. Raise AssertionError if it does not go as the line says."""
        match text.split(maxsplit=1):
            case ["bids", values]:
                for seat, value in enumerate(values.split(), 1):
                    self.accepted({"seat": seat, "move": "bid", **self.bid(seat, value)})
            case ["roll", faces]:
                self.accepted({"roll": [int(face) for face in faces.split()]})
            case ["idle", rounds]:
                for _ in range(int(rounds)):
                    self.idle()
            case ["until", phase]:
                self.until(phase)
            case ["away", given]:
                count, face = given.split()
                for _ in range(int(count)):
                    self.away(int(face))
            case ["asked", given]:
                self.asked(given)
            case ["told", given]:  # one sentence, or several that were told in this order
                texts = [event["text"] for event in self.last["events"]]
                wanted, left = json.loads(given), iter(texts)
                for part in [wanted] if isinstance(wanted, str) else wanted:
                    assert any(part in sentence for sentence in left), texts
            case ["want", given]:
                assert self.match.open, "nobody is asked"
                assert json.loads(given) in self.match.open.want, self.match.open.want
            case ["data", given]:
                told = [event["data"] for event in self.last["events"]]
                assert any(json.loads(given).items() <= data.items() for data in told), told
            case ["over", given]:
                winners, scores = given.split(maxsplit=1) if "{" in given else (given, "")
                assert self.last["over"]["winners"] == json.loads(winners), self.last["over"]
                assert not scores or self.last["over"]["scores"] == json.loads(scores), self.last["over"]
            case _ if text[0].isdigit():
                sent, mark, code = text.partition(" ! ")
                self.line(json.dumps(written_out(sent)) + mark + code)
            case _ if text.startswith("{"):
                sent, _, refusal = text.partition(" ! ")
                self.refused(sent, *refusal.strip().split(maxsplit=1)) if refusal else self.accepted(json.loads(sent))
            case _:
                self.fact(text)

    def accepted(self, line: dict[str, Any]) -> None:
        """Give the referee a line that must be accepted."""
        self.last = json.loads(self.referee.line(json.dumps(line)))
        assert self.last["ok"], self.last

    def refused(self, line: str, code: str, sentence: str = "") -> None:
        """Give the referee a line that must be refused, and change nothing."""
        before = self.everything()
        answer = json.loads(self.referee.line(line))
        assert not answer["ok"], "it is accepted"
        assert answer["code"] == code, answer
        assert answer["error"].endswith("."), answer["error"]
        assert not sentence or answer["error"] == json.loads(sentence), answer["error"]
        assert self.everything() == before, "the refusal changes something"

    def everything(self) -> Any:
        """Return all there is to see of a match, and its log."""
        views = [self.match.view(viewer) for viewer in (None, *self.match.state.seats)]
        return json.dumps(views), self.match.fingerprint(), len(self.match.log), len(self.match.events)

    def bid(self, seat: int, written: str) -> dict[str, Any]:
        """Return a value of `bids` under the name of the parameter that the move `bid` has; a word is written without quotes."""
        assert self.match.open, "nobody is asked"
        bids = [move for move in self.match.open.asked.get(seat, []) if move.name == "bid" and len(move.params) == 1]
        assert bids, f"seat {seat} is asked for no move bid with one parameter"
        [(name, param)] = bids[0].params.items()
        return {name: written if param.accepts(written) else read_value(written)}

    def idle(self) -> None:
        """Everybody bids 6, rolls 1 and lets it go."""
        now = self.match.state.round
        while self.match.state.round == now and self.match.open:
            waiting = self.last["waiting"]
            if "roll" in waiting:
                face = 6 if waiting["roll"]["for"] == "dummy" else 1
                self.accepted({"roll": [face]})
            else:
                asked = {
                    seat: [move["move"] for move in moves if "standing" not in move]
                    for seat, moves in waiting["seats"].items()
                    if not self.match.state.seats[int(seat)].locked
                }
                seat, last = next((seat, moves[-1]) for seat, moves in asked.items() if moves)
                number = {"number": 6} if last == "bid" else {}
                self.accepted({"seat": int(seat), "move": last, **number})

    def until(self, phase: str) -> None:
        """Nobody is there until that phase begins; seat 1 rolls sixes, all others ones."""
        now = before = ""
        while now != phase or before == phase:
            before = self.match.state.phase
            self.stand_in(lambda seat: 6 if seat == 1 else 1)
            now = self.match.state.phase

    def away(self, face: int) -> None:
        """Nobody is there for a round, and all dice show that face."""
        now = self.match.state.round
        while self.match.state.round == now and self.match.open:
            self.stand_in(lambda _: face)

    def stand_in(self, face: Callable[[int], int]) -> None:
        """Whoever is asked gives the answer that could be given in their absence."""
        decision = self.match.open
        assert decision, "the match has ended"
        if decision.roll:
            self.accepted({"roll": [face(decision.roll.seat)] * decision.roll.count})
        else:
            safe = safe_action(self.match, next(seat for seat in decision.asked if seat not in decision.answers))
            self.accepted({"seat": safe.seat, "move": safe.move, **safe.args})

    def asked(self, question: str) -> None:
        """Compare who is asked for what."""
        kind, _, rest = question.partition(" ")
        if kind == "roll":
            assert self.last["waiting"].get("roll") == json.loads(rest), self.last["waiting"]
        else:
            assert self.last["waiting"].get("seats") == json.loads(question), self.last["waiting"]

    def fact(self, text: str) -> None:
        """Compare a fact of a view."""
        who, colon, statement = text.partition(": ")
        viewer = int(who.removeprefix("seat ")) if colon and who.startswith("seat ") else None
        view = self.match.view(viewer)
        if viewer is None:
            statement = text
        if statement.endswith(" absent"):
            *path, last = statement.removesuffix(" absent").split(".")
            assert last not in look(view, path), "it is there"
            return
        where, equals, value = statement.partition(" = ")
        assert equals, f"no such line: {text!r}"
        found = look(view, where.split("."))
        assert found == json.loads(value), f"it is {json.dumps(found)}"


def written_out(short: str) -> dict[str, Any]:
    """Return `2 bid quantity=3 rank=5` as the line that it stands for."""
    seat, move, *given = short.split()
    action: dict[str, Any] = {"seat": int(seat), "move": move}
    for name, _, value in (one.partition("=") for one in given):
        action[name] = read_value(value)
    return action


def read_value(written: str) -> Any:
    """Return a value of a line in short: JSON, or a word without quotes."""
    return json.loads(written) if written.startswith(tuple('[{"-0123456789')) else written


def look(part: Any, path: list[str]) -> Any:
    """Return what is at a place of a view."""
    if not path:
        return part
    step, *rest = path
    if step == "*":
        return [look(item, rest) for item in part]
    if step == "#":
        return len(part)
    try:
        found = part[int(step)] if isinstance(part, list) else part[step]
    except (KeyError, IndexError, ValueError, TypeError):
        raise AssertionError(f"there is no {step!r} here: {part!r}") from None
    return look(found, rest)


def play(scenario: Scenario) -> None:
    """Play a scenario. Raise AssertionError with the line that does not go as it says."""
    if scenario.refused:
        try:
            Play(scenario)
        except StartRefused as why:
            if re.search(scenario.refused, str(why)):
                return
            raise AssertionError(f"the match is refused otherwise: {why}") from why
        raise AssertionError("the match starts")
    played = Play(scenario)
    for number, text in enumerate(scenario.play.strip().splitlines(), 1):
        line = text.split("  #")[0].strip()
        if line and not line.startswith("#"):
            try:
                played.line(line)
            except (AssertionError, ValueError) as why:
                raise AssertionError(f"line {number}, {line!r}: {why}") from why


def unproved(name: str, scenarios: Iterable[Scenario]) -> tuple[set[str], set[str]]:
    """Return the rules of a game that no scenario cites, and what scenarios cite that is no rule of the data file."""
    cited = {rule for scenario in scenarios if scenario.game == name for rule in scenario.rules}
    rules = {*games.find(name).labels.rules}
    return rules - cited, cited - rules


def unnamed(name: str) -> set[str]:
    """Return the rules of a game that its rulebook does not name where it carries them out."""
    source = inspect.getsource(import_module(games.files_of(name).rulebook))
    return {rule for rule in games.find(name).labels.rules if rule not in source}
