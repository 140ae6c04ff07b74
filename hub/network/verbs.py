"""The arguments of each request of a phone, by verb.

`ARGS` is the one table of verbs: the messages, the published contract and the pages' types are made from it, and
`hub/table/requests.py` does what is asked. `hub/network/staff_verbs.py` is the same for staff.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from hub.engine.sight import Strength
from hub.errors import IllegalAction
from hub.state import Count, Name, Plain, SeatNumber

NOT_UNDERSTOOD = "The hub does not understand this request. Reload the page."


def read_args(kinds: Mapping[str, type[Plain]], verb: str, args: Mapping[str, Any]) -> Plain:
    """Return the arguments of a request as the type of its verb. Raise IllegalAction if they do not fit, or the verb is unknown."""
    try:
        return msgspec.convert(args, kinds[verb], strict=True)
    except (KeyError, msgspec.ValidationError) as error:
        raise IllegalAction(NOT_UNDERSTOOD) from error


class OneOf(Plain, frozen=True):
    """Arguments of which exactly one is given. The published contract says so too (`hub/docs/contract.py`)."""

    def __post_init__(self) -> None:
        """Raise ValueError, which msgspec reports as a ValidationError, unless one field is given."""
        if sum(getattr(self, name) is not UNSET for name in self.__struct_fields__) != 1:
            raise ValueError("exactly one of these fields")


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
    """The game that this seat would like to play next, and how.

    `preset` names a preset of the game, "" the usual options. `options` are those that differ from the usual ones, and count
    if both are given. Without either, the options stay as they are.
    """

    game: str
    preset: str | UnsetType = UNSET
    options: dict[str, Any] | UnsetType = UNSET


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


class HintsArgs(OneOf, frozen=True):
    """Hints for this phone (`on`), or whether the table allows them at all (`allow`): one of both."""

    on: bool | UnsetType = UNSET
    allow: bool | UnsetType = UNSET


class LessonsArgs(OneOf, frozen=True):
    """Whether this phone is told the rules in a first round (`on`), or whether the next match's is explained at all (`explain`)."""

    on: bool | UnsetType = UNSET
    explain: bool | UnsetType = UNSET


class HubRollsArgs(Plain, frozen=True):
    """Whether the hub rolls all dice of this table."""

    on: bool


ARGS: Mapping[str, type[Plain]] = {
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
