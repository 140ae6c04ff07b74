"""A game: a rulebook with its data, before anybody has sat down."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from difflib import get_close_matches
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
    """Why an action is refused: one sentence, and the refusal id of the rulebook."""

    sentence: str
    code: str


def _check_nothing(data: Mapping[str, Any]) -> None:
    pass


def _no_refusal(s: object, action: Action) -> Refusal | None:  # noqa: ARG001
    return None


def _no_wishes(s: object, seat: int) -> Sequence[Action]:  # noqa: ARG001
    return ()


def _no_offers(s: object, seat: int) -> Sequence[Move]:  # noqa: ARG001
    return ()


def _do_nothing(s: object, seat: int, answer: Answer) -> None:
    pass


class Rulebook(NamedTuple, Generic[S]):
    """The functions that a file in `hub/games` defines. Only `deal`, `play` and `explain` must be there."""

    deal: Callable[[Setup], S]
    """Return the state before anything has happened. Raise StartRefused where it cannot begin."""
    play: Callable[[S], Coroutine[Question, Any, None]]
    """Play the match, from set-up until it raises `Won`."""
    explain: Callable[[S, Action], Refusal | None]
    """Return why an action, which is not offered, is refused; None where the engine's own words are good enough."""
    check: Callable[[Mapping[str, Any]], None] = _check_nothing
    """Raise BadCard on the first card of the game's data, or of an owner's list, that makes it no deck."""
    form: Callable[[S, Action], Refusal | None] = _no_refusal
    """Return the refusal of an offered move that names too few parameters or too many; None as in `explain`."""
    wished: Callable[[S, int], Sequence[Action]] = _no_wishes
    """Return what the player at a seat, who is asked, may look for, as actions.

    Screens show what of it is not offered greyed, with the sentence of `explain`. An action may name some
    parameters only: `draw` with one card stands for that card.
    """
    standing: Callable[[S, int], Sequence[Move]] = _no_offers
    """Return the standing offers: what a seat may do at any time, beside whatever is asked."""
    stand: Callable[[S, int, Answer], None] = _do_nothing
    """Carry out a standing offer, at once and without asking anything. Raise Won if that ends the match.

    Defined wherever `standing` is.
    """
    notes: Callable[[S, int], dict[str, dict[str, str]]] | None = None
    """Return a few words beside the values of an asked seat's moves, by parameter and value.

    `{"number": {"6": "1 in 6, with 2 Baits 3 in 6"}}`. Nothing in them is secret from that seat. It must not change the
    state. Phones draw the notes under the cover of the hand if it reads a secret, such as the seat's own hand.
    """

    @classmethod
    def of(cls, module: ModuleType) -> Rulebook[S]:
        """Return the rulebook that a file is: its functions of these names."""
        return cls(**{name: found for name, found in vars(module).items() if name in cls._fields})


class Game(Struct, frozen=True):
    """A rulebook and its data, found by name.

    `seats` are the least and the most people; `version` rises when a rule changes; `digest` is a hash of those parts of
    the data file that rules read, and `earlier` are those of earlier files with the same rules, whose matches go on; `stack` names the piles whose order a test may fix; `labels` are the parts that
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
    labels: Labels
    data: dict[str, Any]
    rulebook: Rulebook[Any]
    house: HousePlayer | None = None
    guide: Guide | None = None
    earlier: Sequence[str] = ()

    @property
    def counted(self) -> list[str]:
        """The facts of a seat that are money or points: each change of them has an event."""
        return [fact.called(key) for key, fact in self.labels.facts.items() if fact.counted]

    def has_same_rules(self, digest: str) -> bool:
        """Return whether a match that began with data of this hash has the same rules."""
        return digest in (self.digest, *self.earlier)

    def hand_blocks(self, options: Mapping[str, object]) -> int:
        """Return the size of the largest hand of a match, in blocks of an encrypted message."""
        # One size per match, so that the length of a hand says nothing. With compression it would. One size for all games
        # would be 22 kB.
        size = self.labels.hand_size
        more = [one.blocks for one in size.more if all(options.get(name) for name in one.options)]
        return max([size.blocks, *more])

    def settle(self, seats: Sequence[int], given: Mapping[str, object]) -> Setup:
        """Return the set-up of a match with every option filled in.

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
                near = get_close_matches(name, self.options, 1)
                hint = f"do you mean {near[0]}?" if near else f"it has {', '.join(self.options) or 'none'}."
                raise StartRefused(f"{self.title} has no option {name}: {hint}")
        return {name: option.check(name, given.get(name, option.default)) for name, option in self.options.items()}
