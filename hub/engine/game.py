"""A game: a rulebook with its data, before anybody has sat down."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from msgspec import Struct

from hub.engine.decision import Action, Answer, Move
from hub.engine.event import Setup, State
from hub.errors import StartRefused


class Refusal(Struct, frozen=True):
    """Why an action is refused: one sentence, and the refusal id of the rulebook."""

    sentence: str
    code: str


class Rulebook(Protocol):
    """What a file in `hub/games` offers under these names."""

    def deal(self, setup: Setup) -> State[Any, Any]:
        """The state before anything has happened. Raises StartRefused."""

    def check(self, data: Mapping[str, Any]) -> None:
        """Where an owner's own list may replace the cards: whether they make a deck. Raises BadCard on the first that does not."""

    def play(self, s: State[Any, Any]) -> Coroutine[Any, Any, None]:
        """The rules, from set-up to `Won`."""

    def explain(self, s: State[Any, Any], action: Action) -> Refusal | None:
        """Why `action`, which is not offered, is refused; None where the rules know no better words."""

    def form(self, s: State[Any, Any], action: Action) -> Refusal | None:
        """Where the rules offer it: their words for an offered move that names too little or too much."""

    def wished(self, s: State[Any, Any], seat: int) -> list[Action]:
        """Where the rules offer it: what an asked seat may look for; `explain` says of what is not offered why.

        An action may name some parameters only: `draw` with one card is that card.
        """

    def standing(self, s: State[Any, Any], seat: int) -> Sequence[Move]:
        """What a seat may do at any time, beside whatever is asked."""

    def stand(self, s: State[Any, Any], seat: int, answer: Answer) -> None:
        """Take a standing offer: pure and at once, asking nothing."""

    def notes(self, s: State[Any, Any], seat: int) -> dict[str, dict[str, str]]:
        """Where the rules offer it: a few words beside the values of an asked seat's moves, by parameter and value.

        `{"number": {"6": "1 in 6, with 2 Baits 3 in 6"}}`. Only of what that seat may see.
        """


class Option(Struct, frozen=True):
    """One way to play: `default` gives the kind; `choices`, `min`/`max` or `pattern` the legal values."""

    default: bool | int | str
    effect: str
    choices: list[str] = []
    min: int = 0
    max: int = 1_000_000
    pattern: str = ""

    def check(self, name: str, value: object) -> bool | int | str:
        """`value` if it is legal; raises StartRefused with the legal values."""
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

    `seats` is the least and the most people; `version` rises when a rule changes; `digest` is of the
    data file; `stack` names the piles that a stack may fix; `words` is what screens draw it with.
    """

    name: str
    title: str
    seats: tuple[int, int]
    version: int
    digest: str
    options: dict[str, Option]
    stack: list[str]
    words: dict[str, Any]
    data: dict[str, Any]
    rulebook: Rulebook

    @property
    def counted(self) -> list[str]:
        """The facts of a seat that are money or points (`counted` in the words): each change of them is told."""
        facts: Mapping[str, Any] = self.words.get("facts", {})
        return [str(fact.get("name", key)) for key, fact in facts.items() if fact.get("counted")]

    def settle(self, seats: Sequence[int], given: Mapping[str, Any]) -> Setup:
        """The set-up of a match with every option filled in. Raises StartRefused."""
        least, most = self.seats
        if not least <= len(seats) <= most:
            raise StartRefused(f"{self.title} is for {least} to {most} players, not {len(seats)}.")
        for name in given:
            if name not in self.options:
                near = get_close_matches(name, self.options, 1)
                hint = f"do you mean {near[0]}?" if near else f"it has {', '.join(self.options) or 'none'}."
                raise StartRefused(f"{self.title} has no option {name}: {hint}")
        values = {name: option.check(name, given.get(name, option.default)) for name, option in self.options.items()}
        return Setup(tuple(sorted(seats)), values, self.data)
