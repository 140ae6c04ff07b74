"""The knowledge of one seat about a match, as data, and the protocols of house players.

A game's own house player is `hub/games/<game>_house.py`, with one function `choose`; `hub/engine/house_player.py` calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, MutableSequence, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, get_args, runtime_checkable

from msgspec import Struct

from hub.engine.decision import Answer, Kind, Move, Roll
from hub.engine.event import Event, MatchView
from hub.engine.labels import Labels

T = TypeVar("T")

Strength: TypeAlias = Literal["easy", "steady", "sharp"]
STRENGTHS: tuple[Strength, ...] = get_args(Strength)
"""Strengths of the house, from the weakest."""


class Randomness(Protocol):
    """The source of randomness of a house player, such as `random.Random`. It is passed in, so that a choice can be repeated."""

    def random(self) -> float:
        """Return a number from 0 up to, but not including, 1."""

    def randrange(self, start: int, stop: int, /) -> int:
        """Return a whole number from `start` up to, but not including, `stop`."""

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of `seq`, which is not empty."""

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """Return `k` different members of `population` in random order."""

    def shuffle(self, x: MutableSequence[T], /) -> None:
        """Put `x` into random order."""


class Sight(Struct, frozen=True):
    """The knowledge of one seat that is asked: the content of its phone and of the table's screens, as data.

    `view` is `Match.view(seat)`: the public part, and the seat's own secrets under ``you``. `events` are all events of the match,
    oldest first. `offers` are the moves that answer the open question, `standing` the standing offers. `roll` is the roll that
    this seat has to make, or None. `seats` are the numbers of all seats, rising; `options` and `data` belong to the match. The
    parts are shared: do not write to them.
    """

    seat: int
    seats: tuple[int, ...]
    kind: Kind
    offers: list[Move]
    standing: Sequence[Move]
    roll: Roll | None
    view: MatchView
    events: Sequence[Event]
    options: Mapping[str, Any]
    data: Mapping[str, Any]
    labels: Labels

    @property
    def you(self) -> dict[str, Any]:
        """Return the seat's own secrets."""
        return self.view["you"]

    @property
    def me(self) -> dict[str, Any]:
        """Return the public facts of this seat."""
        return self.of(self.seat)

    @property
    def table(self) -> dict[str, Any]:
        """Return the public facts of the table."""
        return self.view["table"]

    def of(self, seat: int) -> dict[str, Any]:
        """Return the public facts of any seat."""
        return self.view["seats"][f"{seat}"]

    @property
    def others(self) -> list[int]:
        """Return the seats of the other people, rising."""
        return [seat for seat in self.seats if seat != self.seat]

    def offered(self, name: str) -> list[Move]:
        """Return the offered moves with that name."""
        return [move for move in self.offers if move.name == name]


class HousePlayer(Hashable, Protocol):
    """The function that `hub/games/<game>_house.py` defines."""

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        """Return one of the offered moves with its parameters; None to roll the dice if a roll is open.

        It is called only if `sight.offers` has a move. It may take at most 20 ms on a small computer for ``sharp``.
        """


@runtime_checkable
class Reasons(Protocol):
    """The optional function of `hub/games/<game>_house.py` that gives the reason for an answer."""

    def reason(self, sight: Sight, chance: Randomness, answer: Answer | None) -> str:
        """Return one sentence for a guest, at most 140 letters, or "". An answer of None means to roll the dice.

        State counts and odds only if they are exact, such as those of dice; never guesses about hidden cards.
        """


class Advice(NamedTuple):
    """The answer of the sharp house for a seat, None to roll the dice, and the reason."""

    answer: Answer | None
    say: str


def best(choices: Iterable[T], value: Callable[[T], float], chance: Randomness, noise: float = 0.0) -> T:
    """Return the choice with the highest value, a random one of equals.

    `noise` is the largest error of each value; small errors are likelier than large ones. A weak player thus confuses choices of
    similar value, but rarely takes a much worse one.
    """

    def noisy_value(choice: T) -> tuple[float, float]:
        return value(choice) + noise * (chance.random() + chance.random() - 1.0), chance.random()

    return max(choices, key=noisy_value)
