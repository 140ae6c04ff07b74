"""What the web port answers in JSON beside states and claims: keys, claims' names, refusals, and how the devices are."""

from __future__ import annotations

from typing import Any

from hub.engine.labels import ListLabels
from hub.state import Count, Plain

CardParts = str | dict[str, Any]
"""A part of a list of cards: lines of text, or cards by name."""


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


class GameCards(Plain, frozen=True):
    """The cards of a game as an owner's list has them.

    `parts` are what such a list may replace, `labels` what people call their entries. `fixed`: the list is a file that the configuration names, so the hub does not
    change it.
    """

    title: str
    parts: dict[str, CardParts]
    labels: dict[str, ListLabels]
    fixed: bool


class AllCards(Plain, frozen=True):
    """Answer to `GET /cards.json`: by name, the games whose cards staff may enter."""

    games: dict[str, GameCards]


class StaffCalled(Plain, frozen=True):
    """Answer to `POST /t/<table>/help`: the screens of table and staff show the call."""

    called: bool


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


class ScreenHealth(Plain, frozen=True):
    """A big screen: whether it is on the hub's own machine, and how many seconds ago it was seen last."""

    here: bool
    seconds: Count


class TableHealth(Plain, frozen=True):
    """The devices of one table by name; a sentence is empty if all is well.

    `stopped` says why its match stands still, `fault` that the table stays stopped after repeated errors. `silent` is for how
    many seconds the table has not moved, 0 while it does. `screens` are the big screens that were seen within a day.
    """

    boxes: dict[str, BoxHealth]
    devices: dict[str, str]
    dice: dict[str, ReaderHealth]
    broker: str
    stopped: str
    screens: list[ScreenHealth]
    fault: str
    silent: Count


class UpstreamHealth(Plain, frozen=True):
    """The link to the broker above the hubs of a venue: finished matches that wait, another hub of this name.

    `too_large`: that broker sent a message larger than the hub takes, so the hub ended the connection.

    Where that broker is stands in no answer for everybody: staff see it.
    """

    up: bool
    waiting: Count
    twin: bool
    too_large: bool


class HubHealth(Plain, frozen=True, omit_defaults=True):
    """Answer to `GET /status.json`; nothing of a match is in it. `upstream` is there where the owner has named such a broker."""

    v: int
    version: str
    hub: str
    url: str
    tables: dict[str, TableHealth]
    upstream: UpstreamHealth | None = None
