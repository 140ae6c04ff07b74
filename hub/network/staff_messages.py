"""What the staff page and the hub send each other: all of it in boxes for the key of one session.

A browser makes a pair of keys, encrypts the PIN for the hub's key, and gets a session. From then on each request is a box
with a number that was not used before, and each answer a box that names the request which it answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from hub.network.messages import Key64, reader
from hub.network.screen_messages import ScreenSeen
from hub.network.staff_verbs import STAFF_ARGS
from hub.state import Count, Plain, PublicState, SeatNumber

ANSWER_SIZE = 2048  # answers are padded to multiples of this

Nonce = Annotated[str, msgspec.Meta(min_length=32, max_length=32)]
Sealed = Annotated[str, msgspec.Meta(max_length=7168)]  # the deck of I Bid You Not, encrypted, takes 5 kB
if TYPE_CHECKING:
    StaffVerb: TypeAlias = str
else:
    StaffVerb = Literal[tuple(STAFF_ARGS)]


class StaffLogin(Plain, frozen=True):
    """Body of `POST /staff/login`: the browser's public key and the encrypted StaffSecret with its nonce."""

    pk: Key64
    nonce: Nonce
    box: Sealed


class StaffSecret(Plain, frozen=True):
    """Plain text of a log-in: the PIN, and what the browser was given at its last one; empty at the first."""

    pin: Annotated[str, msgspec.Meta(pattern="^[0-9]{6}$")]
    browser: Annotated[str, msgspec.Meta(max_length=64)] = ""


class StaffSession(Plain, frozen=True):
    """Plain text of the answer to a log-in: the session, for how many seconds, and what the browser keeps for the next one."""

    session: str
    seconds: int
    browser: str


class StaffBody(Plain, frozen=True):
    """Body of `POST /staff/ask`: the session, and the encrypted StaffAsk with its nonce."""

    session: Annotated[str, msgspec.Meta(max_length=64)]
    nonce: Nonce
    box: Sealed


class StaffAsk(Plain, frozen=True):
    """A request: `n` is used once in a session. `look` waits for a picture of the venue newer than `args.since`."""

    n: Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
    verb: StaffVerb
    table: Annotated[str, msgspec.Meta(max_length=32)] = ""
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class StaffBox(Plain, frozen=True):
    """An encrypted answer with its nonce."""

    nonce: str
    box: str


# --- the venue -----------------------------------------------------------------------------------------------


class Fault(Plain, frozen=True):
    """Something that is not as it should be, in plain words, and what to do about it."""

    what: str
    do: str = ""
    severity: Literal["error", "warning"] = "warning"


class Did(Plain, frozen=True):
    """Something that staff did at a table: when, in seconds since 1970, and to which match."""

    at: int
    text: str
    match: str | None = None
    entries: int = 0


class BoxTest(Plain, frozen=True):
    """The box at a seat under test: what was not pressed or turned yet."""

    seat: SeatNumber
    left: list[str]


class HardwareTest(Plain, frozen=True):
    """A test of boxes, rings and dice at a table; `dice` is a sentence, `seconds` how long it still runs."""

    seconds: int
    boxes: list[BoxTest]
    dice: str = ""


class KeptMatch(Plain, frozen=True):
    """A match that was put aside at this table: when (Unix time), and the names of the people by the seats that they had."""

    match: str
    title: str
    since: int
    seats: dict[str, str]


class Desk(Plain, frozen=True):
    """What a table tells staff beside its public state. `until` is when its time is over, in seconds since 1970.

    `by_hours`: the venue's own hours say so, not staff. `put_aside` are all matches that can go on here, the newest first.
    """

    did: list[Did] = msgspec.field(default_factory=list)
    until: int | None = None
    light: int = 100
    volume: int = 60
    test: HardwareTest | None = None
    by_hours: bool = False
    put_aside: list[KeptMatch] = msgspec.field(default_factory=list)


class StaffTable(Plain, frozen=True):
    """One table as staff see it: the public state without its long lists, and nothing that only a seat may see.

    `begun` is when the match began, in seconds since 1970. `screens` are the big screens that were seen within a day.
    """

    public: PublicState
    desk: Desk
    begun: int | None = None
    faults: list[Fault] = msgspec.field(default_factory=list)
    screens: list[ScreenSeen] = msgspec.field(default_factory=list)


class TableSeen(Plain, frozen=True):
    """A table of a hub of this venue, as it tells the broker above them; no name of a guest."""

    table: str
    name: str
    state: Literal["lobby", "playing", "over", "stopped"]
    game: str
    round: Count | None
    seats: Count
    people: Count
    calls: Count
    minutes_left: Count | None


class HubSeen(Plain, frozen=True):
    """A hub of this venue, as it tells the broker above them. `heard` is when it said something last, in seconds since 1970.

    `unknown`: this hub itself is cut off from that broker.
    """

    hub: str
    state: Literal["own", "here", "away", "unknown"]
    heard: Count | None
    version: str
    tables: list[TableSeen]


class Upstream(Plain, frozen=True):
    """The broker above the hubs of a venue: whether this hub reaches it, `since` when, and `why` not.

    `waiting` are finished matches of which it has not been told yet; `twin`: another hub there calls itself as this one.
    """

    broker: str
    venue: str
    up: bool
    since: Count
    why: str
    waiting: Count
    twin: bool
    hubs: list[HubSeen]


class Venue(Plain, frozen=True):
    """All tables of this hub. `now` is the hub's clock, in seconds since 1970; `restart` and `off` say why they cannot be.

    `upstream` is what stands at the broker above the hubs of this venue, where the owner has named one.
    """

    now: int
    hub: str
    version: str
    tables: list[StaffTable]
    faults: list[Fault] = msgspec.field(default_factory=list)
    restart: str = ""
    off: str = ""
    upstream: Upstream | None = None


class StaffAnswer(Plain, frozen=True):
    """The answer to the request number `re`. `picture` counts the pictures of the venue; `venue` is the newest, for `look`."""

    re: Count
    ok: bool
    say: str = ""
    picture: Count = 0
    venue: Venue | None = None
    findings: list[Fault] | None = None


read_login = reader(StaffLogin, "The log-in")
read_secret = reader(StaffSecret, "The log-in")
read_body = reader(StaffBody, "The request")
read_ask = reader(StaffAsk, "The request")
