"""What has happened, and the ground on which a game's state stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from msgspec import Struct


class Setup(Struct, frozen=True):
    """What is fixed before the first action: people at the table, options by name, the game's data file."""

    seats: int
    options: Mapping[str, Any]
    data: Mapping[str, Any]


class Event(Struct, frozen=True):
    """Something the whole table may know: a sentence, the rule behind it, a kind and its facts."""

    text: str
    rule: str = ""
    kind: str = ""
    data: dict[str, Any] = {}


SeatT = TypeVar("SeatT")
TableT = TypeVar("TableT")


@dataclass
class State(Generic[SeatT, TableT]):
    """Everything the rules know of a match: `seats` by number, and `table`.

    Plain data only: numbers, texts, lists, dictionaries, dataclasses. What is secret stands in a
    `hub.engine.secret.Secret`. `round` counts from 1, `phase` is one word. A game says what a
    seat and the table are, and adds no fields beside them: these are what is masked, fingerprinted and
    shown. `setup` never changes; `told` is emptied by the match after each action.
    """

    setup: Setup
    seats: dict[int, SeatT]
    table: TableT
    round: int = 0
    phase: str = ""
    told: list[Event] = field(default_factory=list, repr=False)
