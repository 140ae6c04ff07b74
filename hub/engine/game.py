"""A game: a rulebook with its data, before anybody has sat down."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Hashable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from msgspec import Struct

from hub.engine.decision import Action, Answer, Move
from hub.engine.event import Setup, State
from hub.engine.guide import Guide
from hub.engine.sight import HousePlayer
from hub.errors import StartRefused


class Refusal(Struct, frozen=True):
    """Why an action is refused: one sentence, and the refusal id of the rulebook."""

    sentence: str
    code: str


class Rulebook(Hashable, Protocol):
    """The names that a file in `hub/games` defines. Only `deal`, `play` and `explain` must be there."""

    def deal(self, setup: Setup) -> State[Any, Any]:
        """Return the state before anything has happened. Raise StartRefused where it cannot begin."""

    def check(self, data: Mapping[str, Any]) -> None:
        """Raise BadCard on the first card of `data`, or of an owner's list, that makes it no deck."""

    def play(self, s: State[Any, Any]) -> Coroutine[Any, Any, None]:
        """Play the match, from set-up until it raises `Won`."""

    def explain(self, s: State[Any, Any], action: Action) -> Refusal | None:
        """Return why `action`, which is not offered, is refused; None where the engine's own words are good enough."""

    def form(self, s: State[Any, Any], action: Action) -> Refusal | None:
        """Return the refusal of an offered move that names too few parameters or too many; None as in `explain`."""

    def wished(self, s: State[Any, Any], seat: int) -> list[Action]:
        """Return what the player at `seat`, who is asked, may look for, as actions.

        Screens show what of it is not offered greyed, with the sentence of `explain`. An action may name some
        parameters only: `draw` with one card stands for that card.
        """

    def standing(self, s: State[Any, Any], seat: int) -> Sequence[Move]:
        """Return the standing offers: what a seat may do at any time, beside whatever is asked."""

    def stand(self, s: State[Any, Any], seat: int, answer: Answer) -> None:
        """Carry out a standing offer, at once and without asking anything. Defined wherever `standing` is."""

    def notes(self, s: State[Any, Any], seat: int) -> dict[str, dict[str, str]]:
        """Return a few words beside the values of an asked seat's moves, by parameter and value.

        `{"number": {"6": "1 in 6, with 2 Baits 3 in 6"}}`. Nothing in them is secret from that seat.
        """


class Option(Struct, frozen=True):
    """One way to play, to be chosen before the match.

    The type of `default` is the type of its values; `choices` and `pattern` limit a text, `min` and `max` a number.
    `seat`: the number is a seat's, and 0 is nobody's; screens let choose among those who sit.
    """

    default: bool | int | str
    effect: str
    choices: list[str] = []
    min: int = 0
    max: int = 1_000_000
    pattern: str = ""
    seat: bool = False

    def check(self, name: str, value: object) -> bool | int | str:
        """Return `value` if it is legal for the option `name`. Raise StartRefused with the legal values."""
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise StartRefused(f"Option {name} is true or false, not {value!r}.")
        if isinstance(self.default, int):
            if type(value) is int and self.min <= value <= self.max:
                return value
            raise StartRefused(f"Option {name} is a whole number from {self.min} to {self.max}, not {value!r}.")
        if isinstance(value, str) and (value in self.choices or (self.pattern and re.fullmatch(self.pattern, value))):
            return value
        legal = ", ".join(self.choices) + (f", or text of the form {self.pattern}" if self.pattern else "")
        raise StartRefused(f"Option {name} is one of {legal}; not {value!r}.")


class Game(Struct, frozen=True):
    """A rulebook and its data, found by name.

    `seats` are the least and the most people; `version` rises when a rule changes; `digest` is a hash of those parts of
    the data file that rules read; `stack` names the piles whose order a test may fix; `labels` are the parts that
    screens draw the game with; `house` plays for seats that nobody sits at, None where any legal answer has to do;
    `guide` tells people the rules, None where nobody has written one.
    """

    name: str
    title: str
    seats: tuple[int, int]
    version: int
    digest: str
    options: dict[str, Option]
    stack: list[str]
    labels: dict[str, Any]
    data: dict[str, Any]
    rulebook: Rulebook
    house: HousePlayer | None = None
    guide: Guide | None = None

    @property
    def counted(self) -> list[str]:
        """The facts of a seat that are money or points (`counted = true` in the data file): each change of them has an event."""
        facts: Mapping[str, Any] = self.labels.get("facts", {})
        return [str(fact.get("name", key)) for key, fact in facts.items() if fact.get("counted")]

    def hand_blocks(self, options: Mapping[str, Any]) -> int:
        """Return how many blocks of a sealed message the largest hand of a match takes (`[hand_size]` of the data file).

        `more` names options that need more, where all that it names are chosen.
        """
        sizes: Mapping[str, Any] = self.labels.get("hand_size", {})
        more = [one["blocks"] for one in sizes.get("more", ()) if all(options.get(name) for name in one["options"])]
        return int(max([sizes.get("blocks", 1), *more]))

    def settle(self, seats: Sequence[int], given: Mapping[str, Any]) -> Setup:
        """Return the set-up of a match with every option filled in.

        Raise StartRefused on a wrong number of seats, an unknown option (with the nearest name) or an illegal value.
        """
        least, most = self.seats
        if not least <= len(seats) <= most:
            raise StartRefused(f"{self.title} is for {least} to {most} players, not {len(seats)}.")
        return Setup(tuple(sorted(seats)), self._values(given), self.data)

    def check_options(self, given: Mapping[str, Any]) -> None:
        """Raise StartRefused on an unknown option (with the nearest name) or an illegal value."""
        self._values(given)

    def _values(self, given: Mapping[str, Any]) -> dict[str, bool | int | str]:
        """Return the values of all options: those given, else the defaults. Raise StartRefused."""
        for name in given:
            if name not in self.options:
                near = get_close_matches(name, self.options, 1)
                hint = f"do you mean {near[0]}?" if near else f"it has {', '.join(self.options) or 'none'}."
                raise StartRefused(f"{self.title} has no option {name}: {hint}")
        return {name: option.check(name, given.get(name, option.default)) for name, option in self.options.items()}
