"""A game: a rulebook with its data, before anybody has sat down."""

from __future__ import annotations

from collections.abc import Coroutine, Hashable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from msgspec import Struct

from hub.engine.decision import Action, Answer, Move
from hub.engine.event import Setup, State
from hub.engine.guide import Guide
from hub.engine.labels import Labels
from hub.engine.options import Option
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
        """Carry out a standing offer, at once and without asking anything. Raise Won if that ends the match.

        Defined wherever `standing` is.
        """

    def notes(self, s: State[Any, Any], seat: int) -> dict[str, dict[str, str]]:
        """Return a few words beside the values of an asked seat's moves, by parameter and value.

        `{"number": {"6": "1 in 6, with 2 Baits 3 in 6"}}`. Nothing in them is secret from that seat. It must not change the
        state. Phones draw the notes under the cover of the hand if it reads a secret, such as the seat's own hand.
        """


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
    labels: Labels
    data: dict[str, Any]
    rulebook: Rulebook
    house: HousePlayer | None = None
    guide: Guide | None = None

    @property
    def counted(self) -> list[str]:
        """The facts of a seat that are money or points: each change of them has an event."""
        return [fact.called(key) for key, fact in self.labels.facts.items() if fact.counted]

    def hand_blocks(self, options: Mapping[str, Any]) -> int:
        """Return the size of the largest hand of a match, in blocks of an encrypted message."""
        # One size per match, so that the length of a hand says nothing. With compression it would. One size for all games
        # would be 22 kB.
        size = self.labels.hand_size
        more = [one.blocks for one in size.more if all(options.get(name) for name in one.options)]
        return max([size.blocks, *more])

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
