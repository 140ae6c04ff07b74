"""What the web port answers in JSON beside states and claims: keys, claims' names, refusals, and how the devices are."""

from __future__ import annotations

from hub.state import Count, Plain


class Refused(Plain, frozen=True):
    """Any answer that is no success: one sentence for a person."""

    error: str


class TableKey(Plain, frozen=True):
    """Answer to `GET /code/<code>.json`: the table's name in addresses, and the hub's public key in base64url."""

    table: str
    k: str


class PublicKey(Plain, frozen=True):
    """Answer to `GET /staff/key.json`: the hub's public key in base64url."""

    k: str


class ClaimMade(Plain, frozen=True):
    """Answer to `POST /t/<table>/claim`: under which name the claim is asked after."""

    claim: str


class BoxHealth(Plain, frozen=True):
    """A seat box: whether it answers, its firmware, how many controls it has, and a sentence where it does not answer."""

    on: bool
    firmware: str
    controls: int
    why: str


class ReaderHealth(Plain, frozen=True):
    """A dice reader: how many dice it has, the names of those whose battery is low, and why it reads none ("": it does)."""

    dice: int
    weak: list[str]
    why: str


class TableHealth(Plain, frozen=True):
    """The devices of one table by name; a sentence is empty where all is well. `stopped` says why its match stands still, "" where it does not."""

    boxes: dict[str, BoxHealth]
    devices: dict[str, str]
    dice: dict[str, ReaderHealth]
    broker: str
    stopped: str


class UpstreamHealth(Plain, frozen=True):
    """The link to the broker above the hubs of a venue: finished matches that wait, another hub of this name.

    Where that broker is stands in no answer for everybody: staff see it.
    """

    up: bool
    waiting: Count
    twin: bool


class HubHealth(Plain, frozen=True, omit_defaults=True):
    """Answer to `GET /status.json`; nothing of a match is in it. `upstream` is there where the owner has named such a broker."""

    v: int
    version: str
    hub: str
    url: str
    tables: dict[str, TableHealth]
    upstream: UpstreamHealth | None = None
