"""What one seat knows of a match, as data, and what answers from it: the types of a house player.

A game's own house player is `hub/games/<game>_house.py`, with one function `choose`; `hub/engine/house_player.py` asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, MutableSequence, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, get_args, runtime_checkable

from msgspec import Struct

from hub.engine.decision import Answer, Kind, Move, Roll
from hub.engine.event import Event
from hub.engine.labels import Labels

T = TypeVar("T")

Strength: TypeAlias = Literal["easy", "steady", "sharp"]
STRENGTHS: tuple[Strength, ...] = get_args(Strength)
"""How well the house plays, from the weakest."""


class Randomness(Protocol):
    """What a house player draws from: `random.Random` is one. It is handed in, so that a choice can be repeated."""

    def random(self) -> float:
        """Return a number from 0 up to, but not including, 1."""

    def randrange(self, start: int, stop: int, /) -> int:
        """Return a whole number from `start` up to, but not including, `stop`."""

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of `seq`, which is not empty."""

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """Return `k` different members of `population` in an order of chance."""

    def shuffle(self, x: MutableSequence[T], /) -> None:
        """Put `x` into an order of chance."""


class Sight(Struct, frozen=True):
    """What one seat knows when it is asked: what its phone and the screens of the table show, as data.

    `view` is `Match.view(seat)`: the public part, and the seat's own secrets under ``you``. `events` is all that the table
    was told, oldest first. `offers` are the moves that answer the open question, `standing` those beside it. `roll` is the
    dice that are wanted of this seat, or None. `seats` are the numbers of the people's seats, rising; `options` and `data`
    what the match is played with. The parts are shared: do not write to them.
    """

    seat: int
    seats: tuple[int, ...]
    kind: Kind
    offers: list[Move]
    standing: Sequence[Move]
    roll: Roll | None
    view: dict[str, Any]
    events: Sequence[Event]
    options: Mapping[str, Any]
    data: Mapping[str, Any]
    labels: Labels

    @property
    def you(self) -> dict[str, Any]:
        """Return the seat's own secrets."""
        mine: dict[str, Any] = self.view["you"]
        return mine

    @property
    def me(self) -> dict[str, Any]:
        """Return what everybody sees of the seat."""
        return self.of(self.seat)

    @property
    def table(self) -> dict[str, Any]:
        """Return what everybody sees of the table."""
        facts: dict[str, Any] = self.view["table"]
        return facts

    def of(self, seat: int) -> dict[str, Any]:
        """Return what everybody sees of any seat."""
        facts: dict[str, Any] = self.view["seats"][f"{seat}"]
        return facts

    @property
    def others(self) -> list[int]:
        """Return the seats of the other people, rising."""
        return [seat for seat in self.seats if seat != self.seat]

    def offered(self, name: str) -> list[Move]:
        """Return the offered moves of that name."""
        return [move for move in self.offers if move.name == name]


class HousePlayer(Hashable, Protocol):
    """The name that `hub/games/<game>_house.py` defines."""

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        """Return one of the offered moves with its parameters; None where dice are wanted, and they shall fall now.

        It is called only where `sight.offers` holds a move. At most 20 ms on a small computer for ``sharp``.
        """


@runtime_checkable
class Reasons(Protocol):
    """What `hub/games/<game>_house.py` may define besides: why an answer is the one to give."""

    def reason(self, sight: Sight, chance: Randomness, answer: Answer | None) -> str:
        """Return one sentence for a guest, at most 140 letters; "" where there is nothing to say. None: the dice shall fall.

        It states counts and odds only if they are exact, such as those of dice. A guess about hidden cards is no odds.
        """


class Advice(NamedTuple):
    """What the sharp house would do with a seat, None where it lets the dice fall, and why."""

    answer: Answer | None
    say: str


def best(choices: Iterable[T], value: Callable[[T], float], chance: Randomness, noise: float = 0.0) -> T:
    """Return the choice of the highest value; equal ones as `chance` has it.

    With `noise` each value is off by up to so much, small errors being likelier than large ones: who plays easily
    mistakes what is about as good, and seldom what is far worse.
    """

    def noisy_value(choice: T) -> tuple[float, float]:
        return value(choice) + noise * (chance.random() + chance.random() - 1.0), chance.random()

    listed = list(choices)
    return max(zip(map(noisy_value, listed), range(len(listed)), listed, strict=True), key=lambda one: one[:2])[2]
