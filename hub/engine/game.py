"""A game: a rulebook with its data, independent of a match."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from difflib import get_close_matches
from inspect import signature
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct

from hub.engine.decision import Action, Answer, Move, Question
from hub.engine.event import Setup, State
from hub.engine.guide import Guide
from hub.engine.labels import Labels
from hub.engine.options import Option, OptionValue
from hub.engine.sight import HousePlayer
from hub.engine.text import say
from hub.errors import StartRefused

S = TypeVar("S", bound=State[Any, Any])
"""The state of one game."""


class Refusal(Struct, frozen=True):
    """The refusal of an action: one sentence, and the refusal id of the rulebook."""

    sentence: str
    code: str


def _check_nothing(data: Mapping[str, object]) -> None:
    pass


def _no_refusal(s: object, action: Action) -> Refusal | None:  # noqa: ARG001
    return None


def _no_wishes(s: object, seat: int) -> Sequence[Action]:  # noqa: ARG001
    return ()


def _no_offers(s: object, seat: int) -> Sequence[Move]:  # noqa: ARG001
    return ()


def _do_nothing(s: object, seat: int, answer: Answer) -> None:
    pass


_ARGUMENTS = {
    "deal": 1, "play": 1, "explain": 2, "check": 1, "form": 2, "wished": 2, "standing": 2, "stand": 3, "notes": 2,
}  # fmt: skip
"""How many arguments the functions of a rulebook take: one with such a name and other arguments is a helper by mistake."""


class Rulebook(NamedTuple, Generic[S]):
    """The functions that a file in `hub/games` defines. Only `deal`, `play` and `explain` are required."""

    deal: Callable[[Setup], S]
    """Return the initial state. Raise StartRefused if the match cannot start."""
    play: Callable[[S], Coroutine[Question, object, None]]
    """Play the match from its setup until `Won` is raised."""
    explain: Callable[[S, Action], Refusal | None]
    """Return the refusal of an action that is not offered; None to use the engine's words."""
    check: Callable[[Mapping[str, object]], None] = _check_nothing
    """Raise BadCard for the first invalid card of the game's data or of an owner's list."""
    form: Callable[[S, Action], Refusal | None] = _no_refusal
    """Return the refusal of an offered move with missing or unknown parameters; None as in `explain`."""
    wished: Callable[[S, int], Sequence[Action]] = _no_wishes
    """Return actions that the player at an asked seat may expect.

    Screens show those that are not offered in gray, with the sentence of `explain`. An action may have only some
    parameters: `draw` with one card stands for that card.
    """
    standing: Callable[[S, int], Sequence[Move]] = _no_offers
    """Return the standing offers: moves that a seat may make at any time, besides the open question."""
    stand: Callable[[S, int, Answer], None] = _do_nothing
    """Execute a standing offer at once, without questions. Raise Won if that ends the match.

    Required if `standing` is defined.
    """
    notes: Callable[[S, int], dict[str, dict[str, str]]] | None = None
    """Return short notes on the values of an asked seat's moves, by parameter and value.

    `{"number": {"6": "1 in 6, with 2 Baits 3 in 6"}}`. That seat may know all of them. The function must not change
    the state. Phones show the notes under the cover of the hand if it reads a secret, such as the seat's own hand.
    """

    @classmethod
    def of(cls, module: ModuleType) -> Rulebook[S]:
        """Return the rulebook of a module: its functions with these names. Raise StartRefused if one takes other arguments."""
        found = {name: function for name, function in vars(module).items() if name in cls._fields}
        for name, function in found.items():
            if not callable(function) or len(signature(function).parameters) != _ARGUMENTS[name]:
                raise StartRefused(f"The rulebook's {name} must be a function with {_ARGUMENTS[name]} argument(s).")
        if missing := [name for name in cls._fields if name not in found and name not in cls._field_defaults]:
            raise StartRefused(f"The rulebook has no function {missing[0]}.")
        return cls(**found)


class Game(Struct, frozen=True):
    """A rulebook and its data, found by name.

    - `seats`: least and most number of people.
    - `version`: rises when a rule changes.
    - `digest`: hash of the parts of the data file that rules read. `earlier`: hashes of earlier files with the same rules.
    - `stack`: names of the piles whose order a test may fix.
    - `labels`: parts of the data file that screens use.
    - `house`: plays free seats; None if only `AnyGame` can. `guide`: explains the rules to people; None if there is none.
    """

    name: str
    title: str
    seats: tuple[int, int]
    version: int
    digest: str
    options: dict[str, Option]
    stack: list[str]
    labels: Labels
    data: dict[str, Any]
    rulebook: Rulebook[Any]
    house: HousePlayer | None = None
    guide: Guide | None = None
    earlier: Sequence[str] = ()

    @property
    def counted(self) -> list[str]:
        """The names of a seat's facts that are money or points; each change of them has an event."""
        return [fact.called(key) for key, fact in self.labels.facts.items() if fact.counted]

    def has_same_rules(self, digest: str) -> bool:
        """Return whether data with this hash have the same rules."""
        return digest in (self.digest, *self.earlier)

    def hand_blocks(self, options: Mapping[str, object]) -> int:
        """Return the size of the largest hand of a match, in blocks of an encrypted message."""
        # One size per match, without compression, so that the length of a hand reveals nothing. One size for all games would be
        # 22 kB.
        size = self.labels.hand_size
        more = [one.blocks for one in size.more if all(options.get(name) for name in one.options)]
        return max([size.blocks, *more])

    def settle(self, seats: Sequence[int], given: Mapping[str, object]) -> Setup:
        """Return the setup of a match with the values of all options.

        Raise StartRefused on a wrong number of seats, an unknown option (with the nearest name) or an illegal value.
        """
        least, most = self.seats
        if not least <= len(seats) <= most:
            raise StartRefused(
                say(
                    "{game} is for {least} to {most} players, not {count}.",
                    game=self.title,
                    least=least,
                    most=most,
                    count=len(seats),
                )
            )
        return Setup(tuple(sorted(seats)), self._values(given), self.data)

    def check_options(self, given: Mapping[str, object]) -> None:
        """Raise StartRefused on an unknown option (with the nearest name) or an illegal value."""
        self._values(given)

    def _values(self, given: Mapping[str, object]) -> dict[str, OptionValue]:
        """Return the values of all options: those given, else the defaults. Raise StartRefused."""
        for name in given:
            if name not in self.options:
                near = get_close_matches(name, self.options)
                hint = f"do you mean {near[0]}?" if near else f"it has {', '.join(self.options) or 'none'}."
                raise StartRefused(f"{self.title} has no option {name}: {hint}")
        return {name: option.check(name, given.get(name, option.default)) for name, option in self.options.items()}
