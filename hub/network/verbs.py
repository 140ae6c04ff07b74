"""What stands in `args` of a phone's request, by verb. `hub/table/requests.py` does them, and refuses all else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType, field

from hub.engine.sight import Strength
from hub.network.messages import Verb
from hub.state import Count, Name, Plain, SeatNumber


class Nothing(Plain, frozen=True):
    """No arguments."""


class ActArgs(Plain, frozen=True, forbid_unknown_fields=False):
    """An answer to the open decision, or to a standing offer: the move, and beside it each of its parameters by name."""

    move: str


class RollArgs(Plain, frozen=True):
    """Dice as somebody reads them, of the batch that is wanted."""

    faces: list[int]


class DiceArgs(Plain, frozen=True):
    """What this seat says about dice.

    `hub` votes for a roll by the hub, and takes that back. `accept` takes a batch as it was read or typed, `again` wants it
    read again, `lies` votes for reading a leaning die as it lies. `reread` disputes a roll that was accepted, or votes for
    that; `stands` votes against it.
    """

    say: Literal["hub", "accept", "again", "lies", "reread", "stands"]


class StartArgs(Plain, frozen=True):
    """The game, and the options that differ from its own; the match begins unless somebody would rather wait."""

    game: str
    options: dict[str, Any] = field(default_factory=dict)


class ReadyArgs(Plain, frozen=True):
    """Whether this seat is ready; without it, the other way round."""

    ready: bool | UnsetType = UNSET


class WishArgs(Plain, frozen=True):
    """The game that this seat would like to play next, and the preset of it, "" for the usual options."""

    game: str
    preset: str = ""


class NameArgs(Plain, frozen=True):
    """The player's name."""

    name: Name


class ClaimArgs(Plain, frozen=True):
    """Whether the seat is given to the phone that claims it; `claim` is the hand's."""

    claim: Count
    say: Literal["keep", "give"]


class SeatArgs(Plain, frozen=True):
    """The seat that it is about."""

    seat: SeatNumber


class AcknowledgeArgs(Plain, frozen=True):
    """The key of a notice that can be acknowledged."""

    key: str


class AskArgs(Plain, frozen=True):
    """A question to everybody at the table: whether the match is put aside, or ended."""

    what: Literal["put_aside", "end"]


class VoteArgs(Plain, frozen=True):
    """The key of an option of the open question."""

    say: str


class TakeUpArgs(Plain, frozen=True):
    """The match that was put aside."""

    match: str


class HandOverArgs(Plain, frozen=True):
    """Whether a code is shown with which another phone takes this seat."""

    show: bool = True


class HouseArgs(Plain, frozen=True):
    """How well the house plays a seat that nobody has; "" takes it away."""

    seat: SeatNumber
    strength: Strength | Literal[""]


class HintsArgs(Plain, frozen=True):
    """Hints for this phone (`on`), or whether the table allows them at all (`allow`): one of both."""

    on: bool | UnsetType = UNSET
    allow: bool | UnsetType = UNSET


class LessonsArgs(Plain, frozen=True):
    """Whether this phone is told the rules in a first round (`on`), or whether the next match's is explained at all (`explain`)."""

    on: bool | UnsetType = UNSET
    explain: bool | UnsetType = UNSET


class HubRollsArgs(Plain, frozen=True):
    """Whether the hub rolls all dice of this table."""

    on: bool


ARGS: Mapping[Verb, type[Plain]] = {
    "act": ActArgs,
    "roll": RollArgs,
    "dice": DiceArgs,
    "undo": Nothing,
    "start": StartArgs,
    "ready": ReadyArgs,
    "wait": Nothing,
    "wish": WishArgs,
    "name": NameArgs,
    "leave": Nothing,
    "again": Nothing,
    "claim": ClaimArgs,
    "code": SeatArgs,
    "acknowledge": AcknowledgeArgs,
    "ask": AskArgs,
    "vote": VoteArgs,
    "pause": Nothing,
    "take_up": TakeUpArgs,
    "free": SeatArgs,
    "help": Nothing,
    "hand_over": HandOverArgs,
    "house": HouseArgs,
    "hints": HintsArgs,
    "lessons": LessonsArgs,
    "hub_rolls": HubRollsArgs,
}
