"""The arguments of each request of staff, by verb. `hub/network/verbs.py` has the same for phones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hub.network.verbs import AcknowledgeArgs, Nothing, SeatArgs, TakeUpArgs
from hub.state import Count, Plain

LOUDEST = 100
Light: TypeAlias = Literal[100, 60, 30, 10]
"""Possible brightness of rings and screens of a table, in percent."""
LIGHTS: tuple[int, ...] = get_args(Light)


class LookArgs(Plain, frozen=True):
    """The number of the picture that the page shows. The answer waits for a newer one."""

    since: Count = 0


class StaffUndoArgs(Plain, frozen=True):
    """The number of the last event that staff saw, or -1. The action is only undone if there is no newer event."""

    after: Annotated[int, Meta(ge=-1, le=2**53 - 1)]


class ResetArgs(Plain, frozen=True):
    """What happens to the match that is being played, if there is one."""

    match: Literal["aside", "end"] | UnsetType = UNSET


class LimitArgs(Plain, frozen=True):
    """When the table's time ends: in `minutes`, or at the time of day `at` ("22:30"). Without both there is no limit."""

    minutes: Annotated[int, Meta(ge=1, le=24 * 60)] | UnsetType = UNSET
    at: Annotated[str, Meta(pattern="^([01]?[0-9]|2[0-3]):[0-5][0-9]$", examples=["7:05", "23:59"])] | UnsetType = UNSET


class OfferArgs(Plain, frozen=True):
    """The game that the lobby offers first, and its preset; "" for the usual options."""

    game: str
    preset: str = ""


class LightArgs(Plain, frozen=True):
    """The brightness of the rings and screens of a table, in percent."""

    percent: Light


class VolumeArgs(Plain, frozen=True):
    """The volume of the sounds of a table, in percent."""

    percent: Annotated[int, Meta(ge=0, le=LOUDEST)]


class HardwareTestArgs(Plain, frozen=True):
    """The hardware to test between matches; `stop` ends a test."""

    what: Literal["boxes", "dice", "panels", "stop"]


class CardsArgs(Plain, frozen=True):
    """Changed cards of a game. `changes` maps each part of its data to a new text, or to the changed values of cards."""

    game: str
    changes: dict[str, Any]


class PinArgs(Plain, frozen=True):
    """The new PIN of staff."""

    pin: Annotated[str, Meta(pattern=r"^[0-9]{6}\Z", extra_json_schema={"examples": ["281734"]})]


class UpdateArgs(Plain, frozen=True):
    """Look for a newer version of table-hub, or install the one that was found."""

    what: Literal["look", "install"]


class BackupArgs(Plain, frozen=True):
    """Save a backup on a USB stick, look for one there, or restore the one that was found."""

    step: Literal["save", "look", "restore"]


class RestartArgs(Plain, frozen=True):
    """When the hub restarts: `now`, or when no match is played (`idle`)."""

    when: Literal["now", "idle"] = "now"


class SettingsArgs(Plain, frozen=True):
    """Read the configuration. `drivers` are drivers whose forms are wanted, too, so that staff can add their devices."""

    drivers: list[str] = msgspec.field(default_factory=list)


class SettingChange(Plain, frozen=True):
    """One change of the configuration.

    - `at`: the keys that lead to the value, with numbers from 0 in lists of blocks.
    - `to`: the new value; None removes a key or a block. A block is added behind the last one of its list.
    """

    at: Annotated[list[str | Count], Meta(min_length=1, max_length=6)]
    to: Any


class ChangeSettingsArgs(Plain, frozen=True):
    """Change the configuration, all or nothing. `seen` is the `Settings.seen` that the page shows; `drivers`: see `SettingsArgs`."""

    seen: str
    changes: Annotated[list[SettingChange], Meta(min_length=1, max_length=200)]
    drivers: list[str] = msgspec.field(default_factory=list)


class AddPackageArgs(Plain, frozen=True):
    """A piece of a package's file. The pieces come in order; the hub checks and keeps the file after the last one.

    - `file`: the name of the wheel. `size`: its size in bytes.
    - `at`: where the piece begins. `piece`: its bytes in base64.
    """

    file: Annotated[str, Meta(min_length=1, max_length=150)]
    size: Annotated[int, Meta(ge=1, le=1_000_000)]
    at: Count
    piece: Annotated[str, Meta(min_length=4, max_length=4096)]


class RemovePackageArgs(Plain, frozen=True):
    """Remove a package (`PackageSeen.file`)."""

    file: Annotated[str, Meta(min_length=1, max_length=150)]


class JoinWifiArgs(Plain, frozen=True):
    """The Wi-Fi that the hub joins; without a password an open one."""

    name: Annotated[str, Meta(min_length=1, max_length=32)]
    password: Annotated[str, Meta(max_length=64)] = ""


class UseDeviceArgs(Plain, frozen=True):
    """Let the table of the request use a device that was found (`FoundDevice.device`)."""

    device: Annotated[str, Meta(max_length=500)]


class LeaveDeviceArgs(Plain, frozen=True):
    """Do not show a device that was found until it is plugged in again."""

    device: Annotated[str, Meta(max_length=500)]


class CameraArgs(Plain, frozen=True):
    """Look through the camera of a table's dice tray, or calibrate it: see `CalibrationStep` in `hub/ports.py`."""

    step: Literal["look", "again", "empty", "die"]


class FirmwareArgs(Plain, frozen=True):
    """Give a Pico that waits for it the firmware of a seat box or of a dice tray."""

    device: Annotated[str, Meta(max_length=500)]
    program: Literal["box", "tray"]


class ScreenLinkArgs(Plain, frozen=True):
    """The link that makes another device a big screen of the table; `new`: a new one, which ends all earlier links."""

    new: bool = False


class EveningsArgs(Plain, frozen=True):
    """The month whose evenings are wanted ("2026-11"); "" for the newest one with a finished match."""

    month: Annotated[
        str, Meta(pattern=r"^([0-9]{4}-(0[1-9]|1[0-2]))?\Z", extra_json_schema={"examples": ["2026-11", ""]})
    ] = ""


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
"""Requests that a table executes (`hub/table/staff/desk.py`)."""
SettingsRequest: TypeAlias = SettingsArgs | ChangeSettingsArgs | AddPackageArgs | RemovePackageArgs
"""Requests about the configuration and the packages, which are answered with both."""
HANDOUT_ARGS: Mapping[str, type[Plain]] = {"card": Nothing, "screen_link": ScreenLinkArgs}
"""Requests for what staff take away from their page (`hub/handouts.py`)."""
STAFF_ARGS: Mapping[str, type[Plain]] = {
    **TABLE_ARGS,
    "look": LookArgs,
    "out": Nothing,
    "pin": PinArgs,
    "cards": CardsArgs,
    "doctor": Nothing,
    "restart": RestartArgs,
    "settings": SettingsArgs,
    "change_settings": ChangeSettingsArgs,
    "add_package": AddPackageArgs,
    "remove_package": RemovePackageArgs,
    "wifi": JoinWifiArgs,
    "off": Nothing,
    "update": UpdateArgs,
    "backup": BackupArgs,
    "camera": CameraArgs,
    "evenings": EveningsArgs,
    "use_device": UseDeviceArgs,
    "leave_device": LeaveDeviceArgs,
    "firmware": FirmwareArgs,
    **HANDOUT_ARGS,
}
"""All requests, including those that the staff door (`phone_ui/staff_door.py`) and the hub (`hub/venue.py`) execute."""
