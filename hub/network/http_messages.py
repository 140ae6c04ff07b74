"""JSON answers of the web port except states and claims: keys, names of claims, errors, cards, health of devices."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from hub.engine.labels import ListLabels
from hub.state import Count, Plain, Texts

CardParts = str | dict[str, Any]
"""Part of a list of cards: a text with several lines, or cards by name."""


class Refused(Plain, frozen=True):
    """Answer to any request that fails: one sentence for people."""

    error: str
    texts: Texts = UNSET


class TableKey(Plain, frozen=True):
    """Answer to `GET /code/<code>.json`: the table's name in addresses, and the hub's public key in base64url."""

    table: str
    k: str


class PublicKey(Plain, frozen=True):
    """Answer to `GET /staff/key.json`: the hub's public key in base64url."""

    k: str


class FirstPin(Plain, frozen=True):
    """Answer to `GET /wifi/first.json`: in the hub's own Wi-Fi, the staff PIN that the screens show; "" elsewhere and later.

    `k` is the hub's public key in base64url.
    """

    pin: str
    k: str


class ClaimMade(Plain, frozen=True):
    """Answer to `POST /t/<table>/claim`: the id of the claim, for requests about its state."""

    claim: str


class GameCards(Plain, frozen=True):
    """The cards of a game, in the form of an owner's list.

    - `parts`: the parts that such a list may replace.
    - `labels`: what people call the entries of these parts.
    - `fixed`: the list is a file that the configuration names, so the hub does not change it.
    """

    title: str
    parts: dict[str, CardParts]
    labels: dict[str, ListLabels]
    fixed: bool


class AllCards(Plain, frozen=True):
    """Answer to `GET /cards.json`: the games whose cards staff may change, by name."""

    games: dict[str, GameCards]


class StaffCalled(Plain, frozen=True):
    """Answer to `POST /t/<table>/help`: the screens of the table and of staff show the call."""

    called: bool


class BoxHealth(Plain, frozen=True):
    """A seat box: whether it answers, its firmware, its number of controls, and a sentence if it does not answer."""

    on: bool
    firmware: str
    controls: int
    why: str


class ReaderHealth(Plain, frozen=True):
    """A dice reader: its number of dice, the names of dice with a low battery, and why it cannot read dice ("" if it can)."""

    dice: int
    weak: list[str]
    why: str


class ScreenHealth(Plain, frozen=True):
    """A big screen: whether it runs on the hub's own machine, and how many seconds ago it was last seen."""

    here: bool
    seconds: Count


class TableHealth(Plain, frozen=True):
    """The health of one table and of its devices by name. Sentences are empty if everything works.

    - `stopped`: why play stands still.
    - `fault`: a sentence if the table stays stopped after repeated errors.
    - `silent`: how many seconds the table has been stuck; 0 if it is not.
    - `screens`: the big screens that were seen within the last day.
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
    """The link to the broker above the hubs of a venue, without its address, which only staff see.

    - `waiting`: the number of finished matches that are not sent yet.
    - `twin`: another hub there uses the same id.
    - `too_large`: the broker sent a message over the size limit of the hub, so the hub ended the connection.
    """

    up: bool
    waiting: Count
    twin: bool
    too_large: bool


class HubHealth(Plain, frozen=True, omit_defaults=True):
    """Answer to `GET /status.json`, without anything about a match. `upstream` is present if the owner configured such a broker."""

    v: int
    version: str
    hub: str
    url: str
    tables: dict[str, TableHealth]
    upstream: UpstreamHealth | None = None
