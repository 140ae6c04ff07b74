"""The arguments of each request of a phone, by verb.

`ARGS` is the only list of verbs: messages, the published contract and the types of the pages are generated from it.
`hub/table/requests.py` executes the requests. `hub/network/staff_verbs.py` has the same for staff.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from hub.engine.sight import Strength
from hub.engine.text import say
from hub.errors import IllegalAction
from hub.state import AskedByPlayers, Count, Name, Plain, SeatNumber

NOT_UNDERSTOOD = say("The hub does not understand this request. Reload the page.")


def read_args(kinds: Mapping[str, type[Plain]], verb: str, args: Mapping[str, object]) -> Plain:
    """Convert the arguments of a request to the type of its verb. Raise IllegalAction if they or the verb are invalid."""
    try:
        return msgspec.convert(args, kinds[verb], strict=True)
    except (KeyError, msgspec.ValidationError) as error:
        raise IllegalAction(NOT_UNDERSTOOD) from error


class OneOf(Plain, frozen=True):
    """Arguments with exactly one field. The published contract says so too (`hub/docs/contract.py`)."""

    def __post_init__(self) -> None:
        """Raise ValueError, which msgspec reports as a ValidationError, unless exactly one field is given."""
        if sum(getattr(self, name) is not UNSET for name in self.__struct_fields__) != 1:
            raise ValueError("exactly one of these fields")


class Nothing(Plain, frozen=True):
    """No arguments."""


class ActArgs(Plain, frozen=True, forbid_unknown_fields=False):
    """An answer to the open decision, or to a standing offer: the move, and each of its parameters by name."""

    move: str


class RollArgs(Plain, frozen=True):
    """The faces of the requested dice, as a person reads them."""

    faces: list[int]


class DiceArgs(Plain, frozen=True):
    """The opinion of this seat about dice.

    - `hub`: vote for a roll by the hub, or withdraw that vote.
    - `accept`: accept the dice as they were read or typed.
    - `again`: have the dice read again.
    - `lies`: vote for reading a leaning die as it lies.
    - `reread`: dispute an accepted roll, or vote for the dispute.
    - `stands`: vote against the dispute.
    """

    say: Literal["hub", "accept", "again", "lies", "reread", "stands"]


class StartArgs(Plain, frozen=True):
    """The game, and the options that differ from its defaults. The match begins unless somebody asks to wait."""

    game: str
    options: dict[str, Any] = field(default_factory=dict)


class ReadyArgs(Plain, frozen=True):
    """Whether this seat is ready. Without the field, the state is toggled."""

    ready: bool | UnsetType = UNSET


class WishArgs(Plain, frozen=True):
    """The game that this seat would like to play next, with its options.

    - `preset`: a preset of the game; "" for the usual options.
    - `options`: the options that differ from the usual ones. They win over a preset.

    Without both, the options stay as they are.
    """

    game: str
    preset: str | UnsetType = UNSET
    options: dict[str, Any] | UnsetType = UNSET


class NameArgs(Plain, frozen=True):
    """The player's name."""

    name: Name


class ClaimArgs(Plain, frozen=True):
    """Whether the phone that claims this seat may have it. `claim` is the number of the claim in the hand."""

    claim: Count
    say: Literal["keep", "give"]


class SeatArgs(Plain, frozen=True):
    """The seat that the request is about."""

    seat: SeatNumber


class AcknowledgeArgs(Plain, frozen=True):
    """The key of a notice to acknowledge."""

    key: str


class AskArgs(Plain, frozen=True):
    """A question to everybody at the table."""

    what: AskedByPlayers


class VoteArgs(Plain, frozen=True):
    """The key of an option of the open question."""

    say: str


class TakeUpArgs(Plain, frozen=True):
    """The suspended match to resume."""

    match: str


class HandOverArgs(Plain, frozen=True):
    """Whether to show a code with which another phone can take over this seat."""

    show: bool = True


class HouseArgs(Plain, frozen=True):
    """How well the house plays a free seat; "" removes the house from the seat."""

    seat: SeatNumber
    strength: Strength | Literal[""]


class HintsArgs(OneOf, frozen=True):
    """Whether this phone gets hints (`on`), or whether the table allows hints at all (`allow`): one of the two."""

    on: bool | UnsetType = UNSET
    allow: bool | UnsetType = UNSET


class LessonsArgs(OneOf, frozen=True):
    """Whether this phone shows lessons in the first round (`on`), or whether the next match has lessons at all (`explain`): one of the two."""

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
