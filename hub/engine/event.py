"""Events, the set-up of a match, and the state that every game has."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NotRequired, TypedDict, TypeVar

from msgspec import Struct


class Setup(Struct, frozen=True):
    """The facts that are fixed before the first action.

    `seats` are the numbers of the people's seats, clockwise and rising, as printed on their boxes: an
    empty chair leaves a gap. `options` holds every option's value by name, `data` the game's data file.
    """

    seats: tuple[int, ...]
    options: Mapping[str, Any]
    data: Mapping[str, Any]


class Event(Struct, frozen=True, gc=False):
    """A public event of a match.

    `text` is one sentence, `rule` the rule id behind it, `kind` one word; `data` holds the facts (JSON-ready), `round`
    the round it happened in.
    """

    text: str
    rule: str = ""
    kind: str = ""
    data: dict[str, Any] = {}
    round: int = 0


# --- Kinds of events that table-hub itself reads ----------------------------------------------------------
# The page for authors of games lists them (`hub/docs/rulebook_api.py`).


class RollData(TypedDict):
    """Dice on the table. Screens show them and the verdict for a moment, with a sound, and highlights count them.

    Tell it after each roll. Do not tell it of dice that only one player may see.
    """

    seat: int
    """The seat that rolled."""
    faces: list[int]
    """The faces of all dice."""
    verdict: NotRequired[str]
    """What they mean, in one or two words: `say("Success!")`."""


class RevealData(TypedDict):
    """Choices that are shown at the same time. Screens and rings draw the reveal from it.

    Tell it after a sealed choice. A game may also tell it of cards that are shown without a choice.
    """

    bids: dict[str, Any]
    """The value of each seat."""
    marks: NotRequired[dict[str, str]]
    """By seat, what stands out: `first`, `tied`, or a key of `[screen.reveal]`."""
    cards: NotRequired[dict[str, list[Any]]]
    """By seat, the cards that were bid."""
    order: NotRequired[list[int]]
    """The seats, in the order in which screens list them."""


class BidData(TypedDict):
    """A bid in turn. The highlights of a match name the highest bid, and who bid most often."""

    seat: int
    """The seat that bids."""
    amount: NotRequired[int]
    """The size of the bid."""
    quantity: NotRequired[int]
    """The same, if there is no `amount`."""


class OverData(TypedDict):
    """The end of the match. The match tells it when the rules raise `Won`."""

    winners: list[int]
    """The seats that win."""


class UndoData(TypedDict):
    """Moves that were taken back. The match tells it."""

    count: int
    """How many inputs were taken back."""


class RereadData(TypedDict):
    """Dice that were read a second time after a dispute. The match tells it; the second reading counts."""

    seat: int
    """The seat that rolled."""
    faces: list[int]
    """The faces of the second reading."""
    first: list[int]
    """The faces of the first reading."""


EVENT_DATA: Mapping[str, type] = {
    "roll": RollData, "reveal": RevealData, "bid": BidData, "over": OverData, "undo": UndoData, "reread": RereadData,
}  # fmt: skip
"""The data of an event by its kind. All other kinds are a game's own."""


class MatchView(TypedDict):
    """The view of one seat or of the public, ready for JSON. `table`, `seats` and `you` hold facts of the game.

    Only the view of a seat has the part `you`.
    """

    game: str
    round: int
    phase: str
    table: dict[str, Any]
    seats: dict[str, dict[str, Any]]
    waiting: dict[str, Any]
    you: NotRequired[dict[str, Any]]


SeatT = TypeVar("SeatT")
TableT = TypeVar("TableT")


@dataclass(slots=True)
class Course:
    """The progress of a match: the part of a state that is the same for all games.

    `round` counts from 1, `phase` is one word. `setup` never changes; `new_events` is emptied by the match after each action.
    """

    setup: Setup
    round: int = field(default=0, kw_only=True)
    phase: str = field(default="", kw_only=True)
    new_events: list[Event] = field(default_factory=list, repr=False, kw_only=True)


@dataclass(slots=True)
class State(Course, Generic[SeatT, TableT]):
    """The whole state of a match: `seats` by number, and `table`.

    Plain data only: numbers, texts, lists, dictionaries, dataclasses. Secret values are in a `hub.engine.secret.Secret`. A game
    defines the types of a seat and of the table and adds no other fields, because only these are masked, fingerprinted and
    shown.
    """

    seats: dict[int, SeatT]
    table: TableT


def clockwise(seats: Iterable[int], first: int) -> list[int]:
    """Return `seats` in clockwise order from `first`, or from the next seat if `first` is not among them."""
    rising = sorted(seats)
    start = bisect_left(rising, first)
    return rising[start:] + rising[:start]
