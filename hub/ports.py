"""What the table needs of the world, and what the world may tell the table.

Signals are what a device, a phone or a person said before it means anything. Pictures are what a
device shall show. The Protocols are fulfilled by `drivers`, `phone_ui`, `hub.store` and `hub.network.mqtt`;
`hub.app` hands them to the table. A port's `show` takes the newest complete picture and returns at
once: a slow device skips pictures and never holds the table up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from random import Random, SystemRandom  # noqa: TID251 - made here alone
from typing import Any, Literal, NamedTuple, Protocol

from msgspec import Struct
from PIL import Image

from hub.engine.game import Game
from hub.engine.text import say
from hub.state import Ack, Hand, PublicState, ScreenState


class SeatMark(NamedTuple):
    """How a seat is told apart without colour: a symbol, its name, and a colour beside them (rrggbb)."""

    symbol: str
    name: str
    colour: str


SEAT_MARKS: Mapping[int, SeatMark] = {
    1: SeatMark("●", say("blue circle"), "2f7de1"),
    2: SeatMark("▲", say("orange triangle"), "f28c28"),
    3: SeatMark("■", say("green square"), "12a389"),
    4: SeatMark("◆", say("magenta diamond"), "d6409f"),
    5: SeatMark("★", say("yellow star"), "f2c81f"),
    6: SeatMark("✚", say("white cross"), "f4f4f4"),
}

Control = Literal["push", "bar", "k1", "k2", "k3", "k4", "k5", "k6"]
CONTROLS: tuple[Control, ...] = ("push", "bar", "k1", "k2", "k3", "k4", "k5", "k6")

# --- Signals: into the table's inbox -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoxUp:
    """A box said hello. `boot` is new after each power-up; the same boot again is a replug."""

    box: str
    boot: str
    firmware: str
    controls: int


@dataclass(frozen=True, slots=True)
class BoxDown:
    """A box was unplugged or is silent; `why` is a sentence for staff."""

    box: str
    why: str


@dataclass(frozen=True, slots=True)
class DeviceDown:
    """A device that staff know as `device` is lost; `why` is a sentence for them. It is tried again for ever.

    Guests read it too if it is a `Text` (hub/engine/text.py) without a value called `path`.
    """

    device: str
    why: str


@dataclass(frozen=True, slots=True)
class DeviceUp:
    """A device that was lost works again."""

    device: str


@dataclass(frozen=True, slots=True)
class DeviceSimulated:
    """Devices of this table are simulated, in a hub that is no demonstration."""


@dataclass(frozen=True, slots=True)
class Key:
    """A control was pressed, or held (bar 3 s, a key 2 s): of one press one of the two, never both.

    A held push is bar and push held together for 1 s, the bar first; neither is told as a press then.
    """

    box: str
    control: Control
    edge: Literal["down", "hold"]


@dataclass(frozen=True, slots=True)
class Turn:
    """The dial was turned by `detents` since the last such signal; right is positive."""

    box: str
    detents: int


@dataclass(frozen=True, slots=True)
class BoxLocked:
    """A box locked a sealed choice in round `round`; the value is still in the box."""

    box: str
    round: int


@dataclass(frozen=True, slots=True)
class BoxUnlocked:
    """The player took the lock back before the reveal."""

    box: str
    round: int


@dataclass(frozen=True, slots=True)
class BoxBid:
    """The revealed choice, checked against the box's commitment: index into the laid line of answers."""

    box: str
    round: int
    index: int


@dataclass(frozen=True, slots=True)
class BoxCheated:
    """The revealed value does not fit the commitment: the seat is asked again."""

    box: str
    round: int


DiceState = Literal["armed", "rolling", "settled", "cocked", "wrong_count", "no_reader"]


@dataclass(frozen=True, slots=True)
class DiceSeen:
    """What a dice reader sees of the throw that it was armed for by that number; of any other the table hears nothing.

    `faces` are all dice when `state` is settled, those that lie flat when it is cocked; `say` is one sentence.
    """

    reader: str
    arm: int
    state: DiceState
    faces: tuple[int, ...] = ()
    say: str = ""


@dataclass(frozen=True, slots=True)
class DiceKit:
    """What a reader has to be thrown: told when it begins, and whenever that changes.

    `dice` is how many it can read in one throw (0: none now), `weak` names those whose battery is low.
    """

    reader: str
    dice: int
    weak: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhoneRequest:
    """A phone's decrypted request from the claim `sid` (the seat comes from the claim, never the payload)."""

    sid: str
    id: str
    n: int
    epoch: int
    number: int | None
    verb: str
    args: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class PhoneGarbled:
    """A phone sent something that is not a request; `sentence` says what was wrong."""

    sid: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PhoneLink:
    """A phone of claim `sid` came (`on`) or went."""

    sid: str
    on: bool


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """Somebody wants `seat` with a phone whose public key is `phone_key` (32 bytes).

    `code` is the seat's code if it was typed. `earlier_keys` are public keys that this phone used for earlier claims at this
    table; the phone has proved that it has their secret halves. `answer` is called once, from the table's thread, when the
    claim is decided.
    """

    claim: str
    seat: int
    phone_key: bytes = field(repr=False)
    code: str | None = field(repr=False)
    name: str
    answer: Callable[[ClaimDecided], None] = field(repr=False)
    earlier_keys: Sequence[bytes] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ClaimDecided:
    """The end of a claim: held with its login, or refused with a sentence."""

    claim: str
    held: bool
    say: str
    sid: str = ""
    password: str = field(default="", repr=False)
    wrong_code: bool = False


@dataclass(frozen=True)
class GameChanged:
    """A game is played with other cards from the next match on."""

    game: Game


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """Somebody who has no seat calls for staff, from the page on which one sits down."""


@dataclass(frozen=True, slots=True)
class StaffRequest:
    """Staff want something of the table. `answer` is called once, from the table's thread: whether it is done, and a sentence."""

    verb: str
    args: Mapping[str, Any]
    answer: Callable[[bool, str], None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tick:
    """A second has passed on the table's clock."""


@dataclass(frozen=True, slots=True)
class BrokerUp:
    """The broker is there (again): everything retained must be told once more."""


@dataclass(frozen=True, slots=True)
class BrokerDown:
    """The broker is gone; `why` is a sentence for staff."""

    why: str


@dataclass(frozen=True, slots=True)
class AddressChanged:
    """Phones reach the hub at another URL from now on; "" while this machine has no network."""

    url: str


# --- Pictures: out of the table --------------------------------------------------------------------

Pattern = Literal[
    "off", "attract", "claim", "waiting", "turn", "nudge", "choosing", "locked", "reveal",
    "number", "leader", "caller", "out", "roll", "rolling", "dice_trouble", "lost", "winner",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LampPicture:
    """What one seat's ring of 16 lamps shows: a pattern by name, a number 0..16 and the seat's colour."""

    pattern: Pattern
    n: int = 0
    colour: str = "ffffff"


@dataclass(frozen=True, slots=True)
class SealedRound:
    """A sealed choice opened on a box: answers 0..`high`, the dial starting at the secret place `at`.

    `names` are the answers in words, for the display under the hood: nobody else knows where the dial stands.
    """

    round: int
    high: int
    at: int
    names: tuple[str, ...] = field(default=(), repr=False)


class Lamps(Protocol):
    """Anything with a ring of lamps at each seat."""

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        """Show the newest picture of every seat."""


class Page(Protocol):
    """A screen of the table's own, such as a panel. Draws from the public state, with the codes of seats, itself."""

    def show(self, public: ScreenState, settled: bool) -> None:
        """Take the newest state; `settled` marks a round end (a good moment for a full refresh)."""


class Boxes(Protocol):
    """The seat boxes on their cables."""

    def open(self, box: str, sealed: SealedRound) -> None:
        """Ask the box for a sealed choice; it answers with BoxLocked. The round that is open already goes on."""

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        """Ask the boxes that hold the choices of a round for their values: every seat has locked.

        BoxBid comes only after this. If BoxUnlocked comes instead (an owner's bar was faster, or a box lost its
        power), nothing is asked any more: call again when every seat has locked.
        """

    def cancel(self, box: str, round: int) -> None:
        """End the sealed choice, over or void; the box gives its keys back."""

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on the box's own ring."""

    def say(self, box: str, text: str) -> None:
        """Show one line, at most 40 characters, on the box's small display if it has one."""

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a short sound or tick."""


class Dice(Protocol):
    """A reader of physical dice. It tells what dice do, as `DiceSeen`, from the moment it is armed; the table decides."""

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:
        """Watch for a throw of `count` dice, and answer at once: `armed`, or `no_reader` where they cannot be read.

        Every DiceSeen of this throw carries `number`; a newer arm, or `disarm`, ends it. Then `rolling` as soon as a
        die moves, and once all have been at rest for 700 ms with a face, `settled`. A die that lay there before
        the arm counts when it has moved, unless `lying`: then what lies there is read (again), and nobody throws,
        even if another throw was asked for meanwhile and nobody has made it.

        - `cocked`: a die is still but not flat, or off the tray. The flat ones are told and stay: the reader goes on
          under the same number, waits for the others alone to be thrown again, and then settles all of them.
        - `wrong_count`: more or fewer dice than asked. None is kept; all are thrown again under the same number.
        - `no_reader`: the link is lost, the camera is dark. `armed` again when it is back, or, where the dice can
          be asked what they showed meanwhile, that.
        """

    def disarm(self) -> None:
        """Ignore whatever the dice do."""


class Device(Protocol):
    """What a driver connects: the ports that the device fulfills, None for the others."""

    @property
    def lamps(self) -> Lamps | None:
        """Return the rings of lamps at the seats."""

    @property
    def page(self) -> Page | None:
        """Return the panel."""

    @property
    def boxes(self) -> Boxes | None:
        """Return the seat boxes."""

    @property
    def dice(self) -> Dice | None:
        """Return the dice reader."""

    def start(self) -> None:
        """Begin; a device that is not there is looked for, never an error."""

    def close(self) -> None:
        """Stop, and give back what was opened."""


class DriverContext(NamedTuple):
    """What the hub hands to every driver."""

    inbox: Callable[[object], None]
    """Takes the device's signals, from any thread."""
    draws: Mapping[str, Callable[[PublicState], Image.Image]]
    """By size of panel, the function that draws the public state."""
    random: Random
    """The source of the faces of simulated dice, and of the numbers at which frames begin to count."""


class Driver(Protocol):
    """A module or package in `drivers`. It may also define what `WiredDriver` and `NeedyDriver` in `hub/devices.py` say."""

    @property
    def Settings(self) -> type[Struct]:  # noqa: N802 - a class, which a module has under this name
        """Return the keys of a `[[device]]` block that are the driver's own."""

    def connect(self, settings: Mapping[str, object], context: DriverContext, /) -> Device:
        """Return the device of a `[[device]]` block, made but not started. Raise ConfigError."""


class Phones(Protocol):
    """The phones of one table, over the broker."""

    def together(self) -> AbstractContextManager[None]:
        """Let what this thread shows inside leave at once, as its end."""

    def show_public(self, state: PublicState) -> None:
        """Publish the newest public state (retained)."""

    def show_hands(self, hands: Mapping[str, Hand], blocks: int = 1) -> None:
        """Encrypt and publish the newest private states, by claim (retained), all of one length: `blocks`, or what they need."""

    def answer(self, sid: str, answer: Ack) -> None:
        """Encrypt and publish the answer to one request."""

    def spare(self) -> tuple[str, str] | None:
        """Return name and password of a login that is made already; None where there is none."""

    def admit(self, sid: str, password: str, phone_key: bytes) -> None:
        """Make the login of a claim; its phone may read its hand and write its requests, nothing else."""

    def release(self, sid: str) -> None:
        """End a claim: its login dies, its hand is wiped from the broker."""


LoginState = Literal["made", "awaited", "unknown"]
"""Whether the broker has made a phone's login, the hub waits for that, or the hub knows of no seat that has it."""


class CredentialStore(Protocol):
    """The logins of a broker: one for each claimed seat. Both calls return at once."""

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Make a login that reads and writes these topics and nothing else, and again whenever the broker comes back."""

    def release(self, sid: str) -> None:
        """End the login; whoever is logged in with it is dropped."""

    def admitted(self, sid: str) -> bool:
        """Return whether the broker knows the login by now."""


class Broker(Protocol):
    """The MQTT broker between hub and phones. No method waits for it."""

    @property
    def logins(self) -> CredentialStore:
        """Return the store of logins."""

    def hold(self) -> AbstractContextManager[None]:
        """Hold what this thread publishes inside back until its end: then all of it is sent at once."""

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: Literal[0, 1] = 1) -> None:
        """Queue a message. Of a retained topic only the newest is kept; it is published again when the broker is back."""

    def subscribe(self, pattern: str, on_message: Callable[[str, bytes, bool], None]) -> None:
        """Call `on_message(topic, payload, retained)` for what others publish there, from the broker's thread."""


class LogEntry(NamedTuple):
    """One line of a match's log as it is kept: its number and the entry as JSON bytes."""

    number: int
    line: bytes


LEFT = b'{"left":true}'
"""The result of a match that has ended without an end."""


class LastMatch(NamedTuple):
    """The match that a table plays, or played last: its result as JSON once it has ended, and why it cannot go on, if it was set aside.

    `put_aside`: people have put it aside, and the table is free for others.
    """

    id: str
    result: bytes | None = None
    aside: str | None = None
    put_aside: bool = False


class MatchPutAside(NamedTuple):
    """A match that people have put aside: its head, when (Unix time), and how many entries its log has."""

    id: str
    head: bytes
    since: int
    entries: int


class Missing(NamedTuple):
    """What the disk had of the match that a table played last and has no more: `had` entries, of which it `has` these.

    `altered`: none is missing, but the log is not the one that was written.
    """

    match: str
    had: int
    has: int
    altered: bool = False


class Length(NamedTuple):
    """How long a match took: minutes from its beginning to its end, and entries of its log, 0 where that was wiped."""

    minutes: float
    entries: int


class LogStore(Protocol):
    """Where matches and sittings live on disk. Every method returns when the disk has it; raises LogError."""

    @property
    def notice(self) -> str:
        """Return one sentence for people where a damaged file was set aside; else ""."""

    def begin(self, table: str, head: bytes) -> str:
        """Begin a new match with its head, and return its id, `m-` and a number that rises with every match.

        In the same write a running one of the table ends as left (`{"left":true}`).
        """

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Append to a match's log."""

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Keep the first `length` entries, with others `instead` of those cut off, all of it or nothing.

        A match that was over runs again.
        """

    def end(self, match: str, result: bytes) -> None:
        """Note that the match is over, or was left."""

    def wipe(self, match: str) -> None:
        """Wipe the log of a match that is over, which is where hands are; who won what stays."""

    def started_at(self, match: str) -> int | None:
        """Return when a match began, in seconds since 1970 by this machine's clock; None for an unknown one."""

    def set_aside(self, match: str, reason: str | None) -> None:
        """Note why a match cannot go on for now; None: it goes on."""

    def put_aside(self, match: str) -> None:
        """Note that people have put a match aside."""

    def all_put_aside(self, table: str) -> list[MatchPutAside]:
        """Return the matches of a table that people have put aside, the one that was played last first."""

    def take_up(self, match: str) -> None:
        """Make a match that was put aside the one that its table plays."""

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match."""

    def last(self, table: str) -> LastMatch | None:
        """Return the match that a table plays, or played last, whatever has become of it; None before the first."""

    def lengths(self, game: str, seats: int) -> list[Length]:
        """Return how long the newest matches of a game with so many seats took, at whichever table, that came to an end."""

    def missing(self, table: str) -> Missing | None:
        """Return what the disk has lost of a table since it was last used; None: nothing, as far as can be known."""

    def settle(self, table: str) -> None:
        """Take what the disk has of a table for whole from now on: what is missing was told."""

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Keep one small private value of a table (seats, epoch)."""

    def recall(self, table: str, name: str) -> bytes | None:
        """Return what was kept, or None."""


class Clock(Protocol):
    """Time that a test can hold still."""

    def now(self) -> float:
        """Return seconds from any fixed moment; they never go back."""


def machine_chance() -> Random:
    """Return the machine's own randomness, for a program to hand to all of its parts. Nothing else may make one."""
    return SystemRandom()


class MonotonicClock:
    """The Clock port on the machine's monotonic clock."""

    def now(self) -> float:
        """Return seconds since some moment, as `time.monotonic`."""
        return time.monotonic()
