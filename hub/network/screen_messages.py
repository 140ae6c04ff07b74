"""Messages between the hub and the big screens of a table on other machines.

Such a screen gets the hub's public key and a token from its link. It sends the token encrypted for the hub's key. The answer
holds the name of a stream, and the stream holds states; both are encrypted for this page.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from hub.network.messages import Key64, reader
from hub.state import Count, Plain

STATE_SIZE = 1024  # states are padded to multiples of this
ANSWER_SIZE = 128

Nonce = Annotated[str, msgspec.Meta(min_length=32, max_length=32)]
Sealed = Annotated[str, msgspec.Meta(max_length=2048)]
ScreenId = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]


class ScreenOpening(Plain, frozen=True):
    """Body of `POST /t/<table>/screen/open`: the page's public key, and the encrypted ScreenSecret with its nonce."""

    pk: Key64
    nonce: Nonce
    box: Sealed


class ScreenSecret(Plain, frozen=True):
    """Plain text of an opening: the token of the screen's link."""

    token: Annotated[str, msgspec.Meta(max_length=64)]


class ScreenBox(Plain, frozen=True):
    """An encrypted ScreenSession with its nonce."""

    nonce: str
    box: str


class ScreenSession(Plain, frozen=True):
    """Plain text of the answer: the session with which the page may open its stream, once."""

    session: str


class ScreenAlive(Plain, frozen=True):
    """Body of `POST /t/<table>/screen/alive`: the page `screen` has just received a beat of its stream.

    A screen on another machine has to prove this: `session` is that of its stream, `nonce` and `box` are an encrypted ScreenBeat.
    """

    screen: ScreenId
    session: Annotated[str, msgspec.Meta(max_length=64)] = ""
    nonce: Annotated[str, msgspec.Meta(max_length=32)] = ""
    box: Sealed = ""


class ScreenBeat(Plain, frozen=True):
    """Plain text of a beat: `n` increases with each beat of a session."""

    n: Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]


class ScreenHeard(Plain, frozen=True):
    """Answer to `GET /t/<table>/screen/alive?screen=ID`: `seconds` since the last beat of the page; None before the first one.

    `here`: the request comes from the hub's own machine, whose screen needs no proof.
    """

    seconds: float | None
    here: bool


class ScreenSeen(Plain, frozen=True):
    """A big screen of a table, last seen `seconds` ago. `address` is "" for the hub's own machine."""

    address: str
    seconds: Count


read_opening = reader(ScreenOpening, "The request")
read_secret = reader(ScreenSecret, "The request")
read_alive = reader(ScreenAlive, "The request")
read_beat = reader(ScreenBeat, "The request")
