"""The arguments of each request of staff, by verb: `STAFF_ARGS` is for staff what `hub/network/verbs.py` is for phones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from msgspec import UNSET, Meta, UnsetType

from hub.network.verbs import AcknowledgeArgs, Nothing, SeatArgs, TakeUpArgs
from hub.state import Count, Plain

LOUDEST = 100
Light: TypeAlias = Literal[100, 60, 30, 10]
"""How bright rings and the table's screens may be, in per cent."""
LIGHTS: tuple[int, ...] = get_args(Light)


class LookArgs(Plain, frozen=True):
    """The number of the picture that the page has: the answer waits for a newer one."""

    since: Count = 0


class StaffUndoArgs(Plain, frozen=True):
    """The number of the event that staff saw last, -1 if there is none: nothing newer is taken back."""

    after: Annotated[int, Meta(ge=-1, le=2**53 - 1)]


class ResetArgs(Plain, frozen=True):
    """What becomes of the match under way, if there is one."""

    match: Literal["aside", "end"] | UnsetType = UNSET


class LimitArgs(Plain, frozen=True):
    """When the table's time ends: in `minutes`, or else at the next time `at` ("22:30"). Without either there is no limit."""

    minutes: Annotated[int, Meta(ge=1, le=24 * 60)] | UnsetType = UNSET
    at: Annotated[str, Meta(pattern="^([01]?[0-9]|2[0-3]):[0-5][0-9]$")] | UnsetType = UNSET


class OfferArgs(Plain, frozen=True):
    """The game that the lobby offers first, and a preset of it; "" for the usual options."""

    game: str
    preset: str = ""


class LightArgs(Plain, frozen=True):
    """How bright rings and the table's screens are, in per cent."""

    percent: Light


class VolumeArgs(Plain, frozen=True):
    """How loud the table's sounds are, in per cent."""

    percent: Annotated[int, Meta(ge=0, le=LOUDEST)]


class HardwareTestArgs(Plain, frozen=True):
    """What is tried between matches; `stop` ends a test."""

    what: Literal["boxes", "dice", "stop"]


class CardsArgs(Plain, frozen=True):
    """Changed cards of a game: by part of its data, the new text or the changed values of cards."""

    game: str
    changes: dict[str, Any]


TABLE_ARGS: Mapping[str, type[Plain]] = {
    "done": AcknowledgeArgs,
    "free": SeatArgs,
    "undo": StaffUndoArgs,
    "aside": Nothing,
    "again": TakeUpArgs,
    "end": Nothing,
    "reset": ResetArgs,
    "limit": LimitArgs,
    "offer": OfferArgs,
    "light": LightArgs,
    "volume": VolumeArgs,
    "test": HardwareTestArgs,
}
"""What a table does (`hub/table/staff/desk.py`)."""
STAFF_ARGS: Mapping[str, type[Plain]] = {
    **TABLE_ARGS,
    "look": LookArgs,
    "out": Nothing,
    "cards": CardsArgs,
    "doctor": Nothing,
    "restart": Nothing,
    "off": Nothing,
}
"""And with it what the staff door (`phone_ui/staff_door.py`) and the hub (`hub/venue.py`) do."""
