"""The ports of a table: signals that come in, pictures that go out, and protocols of devices, phones and storage.

A signal reports input of a device, a phone or a person, before the table interprets it. A picture is content for a device.
`drivers`, `phone_ui`, `hub.store` and `hub.network.mqtt` implement the protocols, and `hub.app` passes them to the table. The
method `show` takes the newest complete picture and returns at once: a slow device skips pictures and never delays the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from random import Random, SystemRandom  # noqa: TID251 - made here alone
from typing import Annotated, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from msgspec import Meta, Struct
from PIL import Image

from hub.engine.game import Game
from hub.engine.text import say
from hub.state import Ack, Hand, PublicState, ScreenState


class SeatMark(NamedTuple):
    """The mark of a seat: a symbol and its name, which identify it without color, and a color (rrggbb)."""

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
    """A box said hello. `boot` is new after each power-up; the same boot means that it was plugged in again."""

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
    """The device that staff know as `device` is lost; `why` is a sentence for them. Its driver keeps trying to open it.

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
    """Devices of this table are simulated, although the hub is not a demonstration."""


@dataclass(frozen=True, slots=True)
class Key:
    """A control was pressed, or held (bar 3 s, a key 2 s). One press gives one of the two signals, never both.

    A held push means that bar and push were held together for 1 s, the bar first; neither is reported as a press.
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
    """The player unlocked the choice before the reveal."""

    box: str
    round: int


@dataclass(frozen=True, slots=True)
class BoxBid:
    """The revealed choice, checked against the box's commitment: an index into the line of answers."""

    box: str
    round: int
    index: int


@dataclass(frozen=True, slots=True)
class BoxCheated:
    """The revealed value does not match the commitment: the table asks the seat again."""

    box: str
    round: int


DiceState = Literal["armed", "rolling", "settled", "cocked", "wrong_count", "no_reader"]


@dataclass(frozen=True, slots=True)
class DiceSeen:
    """The state of the throw with the number `arm`. A reader reports only the throw that it is armed for.

    `faces` are all dice if `state` is settled, or the flat ones if it is cocked; `say` is one sentence.
    """

    reader: str
    arm: int
    state: DiceState
    faces: tuple[int, ...] = field(default=(), repr=False)
    say: str = field(default="", repr=False)
    cup: int = 0
    """The seat under whose cup the reader is; 0: it reads the table's dice. The hub sets it, not the driver."""


@dataclass(frozen=True, slots=True)
class DiceKit:
    """The dice of a reader, sent at its start and after each change.

    `dice` is the number that it can read in one throw (0: none now), `weak` the names of dice with a low battery.
    """

    reader: str
    dice: Annotated[int, Meta(ge=0, le=100)]
    weak: tuple[str, ...] = ()
    cup: int = 0
    """As in `DiceSeen`."""


DeviceSubject: TypeAlias = tuple[type[BoxUp | DeviceUp | DiceKit], str]
"""What a device reports about: a box, a device or a dice reader, and its name."""


def subject_of(signal: object) -> DeviceSubject | None:
    """Return what a signal of a device is about; None for a press and for signals of others."""
    match signal:
        case BoxUp(box=one) | BoxDown(box=one):
            return BoxUp, one
        case DeviceUp(device=one) | DeviceDown(device=one):
            return DeviceUp, one
        case DiceKit(reader=one) | DiceSeen(reader=one):
            return DiceKit, one
    return None


@dataclass(frozen=True, slots=True)
class PhoneRequest:
    """A phone's decrypted request from the claim `sid`. The seat follows from the claim, never from the payload."""

    sid: str
    id: str
    n: int
    epoch: int
    number: int | None
    verb: str
    args: Mapping[str, object] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class PhoneGarbled:
    """A phone sent an invalid request; `sentence` says why."""

    sid: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PhoneLink:
    """A phone of claim `sid` connected (`on`) or disconnected."""

    sid: str
    on: bool


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """A person claims `seat` with a phone whose public key is `phone_key` (32 bytes).

    `code` is the seat's code if it was typed. `earlier_keys` are public keys that this phone used for earlier claims at this
    table, after it has proved that it has the secret keys. `answer` is called once, on the table's thread, with the decision.
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
    """The decision on a claim: `held` with a login, or refused with the sentence `say`."""

    claim: str
    held: bool
    say: str
    sid: str = ""
    password: str = field(default="", repr=False)
    wrong_code: bool = False


@dataclass(frozen=True)
class GameChanged:
    """A game has other cards from the next match on."""

    game: Game


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """A person without a seat calls for staff, from the page for taking a seat."""


@dataclass(frozen=True, slots=True)
class StaffRequest:
    """A request of staff. `answer` is called once, on the table's thread, with the success and a sentence."""

    verb: str
    args: Mapping[str, object]
    answer: Callable[[bool, str], None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tick:
    """A second has passed on the table's clock."""


@dataclass(frozen=True, slots=True)
class BrokerUp:
    """The broker is connected (again): everything retained must be published again."""


@dataclass(frozen=True, slots=True)
class BrokerDown:
    """The broker is disconnected; `why` is a sentence for staff."""

    why: str


@dataclass(frozen=True, slots=True)
class AddressChanged:
    """The URL of the hub for phones has changed; "" while this machine has no network."""

    url: str


# --- Pictures: out of the table --------------------------------------------------------------------

Pattern = Literal[
    "off", "attract", "claim", "waiting", "turn", "nudge", "choosing", "locked", "reveal",
    "number", "leader", "caller", "out", "roll", "rolling", "dice_trouble", "lost", "winner",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LampPicture:
    """The picture on one seat's ring of 16 lamps: a pattern by name, a number 0..16 and the seat's color."""

    pattern: Pattern
    n: int = 0
    colour: str = "ffffff"


@dataclass(frozen=True, slots=True)
class SealedRound:
    """A sealed choice opened on a box: answers 0..`high`, the dial starting at the secret place `at`.

    `names` are the answers in words, for the display under the hood: only the box knows the position of the dial.
    """

    round: int
    high: int
    at: int
    names: tuple[str, ...] = field(default=(), repr=False)


class Lamps(Protocol):
    """A ring of lamps at each seat."""

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        """Show the newest picture of every seat."""


class Page(Protocol):
    """A screen of the table, such as a panel. It draws the public state itself, with the codes of seats."""

    def show(self, public: ScreenState, settled: bool) -> None:
        """Show the newest state; `settled` marks the end of a round (a good moment for a full refresh)."""


class Boxes(Protocol):
    """The seat boxes on their cables."""

    def open(self, box: str, sealed: SealedRound) -> None:
        """Start a sealed choice on the box, which answers with BoxLocked. If this round is open already, nothing changes."""

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        """Ask the boxes with the choices of a round for their values, after every seat has locked.

        Boxes send BoxBid only after this. If BoxUnlocked arrives instead (the owner has just unlocked, or a box lost its
        power), the reveal is off: call again when every seat has locked.
        """

    def cancel(self, box: str, round: int) -> None:
        """End the sealed choice, because it is over or void. The box reports its keys again."""

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on the box's own ring."""

    def say(self, box: str, text: str) -> None:
        """Show one line, at most 40 characters, on the box's small display if it has one."""

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a short sound or tick."""


class Dice(Protocol):
    """A reader of physical dice. Once armed, it reports the state of the dice as `DiceSeen`; the table decides."""

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:
        """Watch for a throw of `count` dice, and report at once `armed`, or `no_reader` if they cannot be read.

        Every DiceSeen of this throw has this `number`; a newer arm, or `disarm`, ends the throw. The reader reports `rolling` as
        soon as a die moves, and `settled` when all have been at rest with a face for 700 ms. A die that lay there before counts
        only after it has moved. With `lying`, the dice that lie there are read (again) and nobody throws, even if another
        throw was requested meanwhile and not made.

        - `cocked`: a die is still but not flat, or off the tray. The flat ones are reported and stay. The reader continues under
          the same number, waits until the others are thrown again, and then settles all of them.
        - `wrong_count`: more or fewer dice than requested. None counts; all are thrown again under the same number.
        - `no_reader`: the link is lost, or the camera is dark. Later follows `armed`, or the present state if the dice can
          report it.
        """

    def disarm(self) -> None:
        """Ignore the dice."""


CalibrationStep: TypeAlias = Literal["again", "empty", "die"]
"""Begin again; the tray is empty now; one die lies flat in its middle now."""
NextStep: TypeAlias = Literal["empty", "die", "ready"]
"""What has to lie in the tray for the next step; `ready`: it is calibrated."""


class CameraView(NamedTuple):
    """What a camera over a dice tray shows staff: a JPEG (empty before the first), the next step, and what it reads, or a problem."""

    jpeg: bytes
    step: NextStep
    text: str


@runtime_checkable
class DiceCamera(Protocol):
    """A camera over a dice tray, which staff calibrate on their page. No method waits for the camera."""

    def look(self) -> CameraView:
        """Return what the camera shows. After the first look, pictures take some seconds."""

    def calibrate(self, step: CalibrationStep) -> None:
        """Do a step of the calibration soon; `look` shows what came of it."""


@runtime_checkable
class SearchedDice(Protocol):
    """Dice or a tray that the driver searches for: any that it finds, unless the setting `named_by` names them."""

    named_by: str


class Device(Protocol):
    """The device of a driver: the ports that it implements, None for the others."""

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
        """Start. A device that is not there is no error; keep looking for it."""

    def close(self) -> None:
        """Stop, and close everything that was opened."""


class DriverContext(NamedTuple):
    """What the hub passes to every driver."""

    inbox: Callable[[object], None]
    """Takes the device's signals, from any thread."""
    draws: Mapping[str, Callable[[PublicState], Image.Image]]
    """By size of panel, the function that draws the public state."""
    random: Random
    """The source of randomness for simulated dice and for the first frame numbers."""


class Driver(Protocol):
    """A module or package in `drivers`. It may also implement `WiredDriver` and `NeedyDriver` in `hub/devices.py`."""

    @property
    def Settings(self) -> type[Struct]:  # noqa: N802 - a class, which a module has under this name
        """Return the type of the driver's own keys in a `[[device]]` block."""

    def connect(self, settings: Mapping[str, object], context: DriverContext, /) -> Device:
        """Return the device of a `[[device]]` block, not started yet. Raise ConfigError."""


class Phones(Protocol):
    """The phones of one table, over the broker."""

    def together(self) -> AbstractContextManager[None]:
        """Hold back everything that this thread publishes inside, and send it at once at the end."""

    def show_public(self, state: PublicState) -> None:
        """Publish the newest public state (retained)."""

    def show_hands(self, hands: Mapping[str, Hand], blocks: int = 1) -> None:
        """Encrypt and publish the newest private states, by claim (retained), all of one length: `blocks` or more if needed."""

    def answer(self, sid: str, answer: Ack) -> None:
        """Encrypt and publish the answer to one request."""

    def spare(self) -> tuple[str, str] | None:
        """Return the name and password of a login that the broker already knows; None if there is none."""

    def admit(self, sid: str, password: str, phone_key: bytes) -> None:
        """Create the login of a claim. Its phone may only read its hand and write its requests."""

    def release(self, sid: str) -> None:
        """End a claim: delete its login, and wipe its hand from the broker."""


LoginState = Literal["made", "awaited", "unknown"]
"""State of a phone's login: the broker has made it, the hub waits for that, or no seat has it."""


class CredentialStore(Protocol):
    """The logins of a broker, one for each claimed seat. No method waits for the broker."""

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Create a login for these topics only, again whenever the broker comes back."""

    def release(self, sid: str) -> None:
        """Delete the login; the broker disconnects its clients."""

    def admitted(self, sid: str) -> bool:
        """Return whether the broker knows the login already."""


class Broker(Protocol):
    """The MQTT broker between hub and phones. No method waits for it."""

    @property
    def logins(self) -> CredentialStore:
        """Return the store of logins."""

    def hold(self) -> AbstractContextManager[None]:
        """Hold back everything that this thread publishes inside, and send it at once at the end."""

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: Literal[0, 1] = 1) -> None:
        """Queue a message. Only the newest one of a retained topic is kept, and published again when the broker is back."""

    def subscribe(self, pattern: str, on_message: Callable[[str, bytes, bool], None]) -> None:
        """Call `on_message(topic, payload, retained)` on the broker's thread for messages of others."""


class LogEntry(NamedTuple):
    """One line of a match's log: its number and the entry as JSON bytes."""

    number: int
    line: bytes


LEFT = b'{"left":true}'
"""The result of a match that was left before its end."""


class LastMatch(NamedTuple):
    """The match that a table plays, or played last.

    `result` is JSON once it has ended, `aside` why it cannot continue if it was set aside. `put_aside`: people have suspended it,
    and the table is free for others.
    """

    id: str
    result: bytes | None = None
    aside: str | None = None
    put_aside: bool = False


class MatchPutAside(NamedTuple):
    """A suspended match: its head, the Unix time of its suspension, and the number of entries in its log."""

    id: str
    head: bytes
    since: int
    entries: int


class Missing(NamedTuple):
    """Entries that the disk has lost of the match that a table played last: it `had` so many, and still `has` so many.

    `altered`: no entry is missing, but the log is not the one that was written.
    """

    match: str
    had: int
    has: int
    altered: bool = False


class Length(NamedTuple):
    """The length of a match: minutes from start to end, and entries of its log, 0 if that was wiped."""

    minutes: float
    entries: int


class LogStore(Protocol):
    """Matches and private values of tables on disk. Every method returns after the disk has written, or raises LogError."""

    @property
    def notice(self) -> str:
        """Return one sentence for people if a damaged file was set aside, else ""."""

    def begin(self, table: str, head: bytes) -> str:
        """Start a new match with its head. Return its id: `m-` and a number that rises with every match.

        In the same write, a running match of the table ends as left (`{"left":true}`).
        """

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Append to a match's log."""

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Keep the first `length` entries, and replace the others by `instead`, atomically.

        A match that was over is running again.
        """

    def end(self, match: str, result: bytes) -> None:
        """Note that the match is over, or was left."""

    def wipe(self, match: str) -> None:
        """Wipe the log of a match that is over, because it contains hands. The result stays."""

    def started_at(self, match: str) -> int | None:
        """Return the start of a match as Unix time by this machine's clock; None for an unknown match."""

    def set_aside(self, match: str, reason: str | None) -> None:
        """Set aside a match that cannot continue now, with the reason; None: it can continue."""

    def put_aside(self, match: str) -> None:
        """Suspend a match at the request of people."""

    def all_put_aside(self, table: str) -> list[MatchPutAside]:
        """Return the suspended matches of a table, the one that was played last first."""

    def take_up(self, match: str) -> None:
        """Resume a suspended match: it is the one that its table plays."""

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match."""

    def last(self, table: str) -> LastMatch | None:
        """Return the match that a table plays, or played last, in any state; None before the first."""

    def lengths(self, game: str, seats: int) -> list[Length]:
        """Return the lengths of the newest matches of a game with this number of seats, at any table, that were played to the end."""

    def missing(self, table: str) -> Missing | None:
        """Return the entries that the disk has lost since the table was last used; None: none as far as the hub can tell."""

    def settle(self, table: str) -> None:
        """Accept the present state of a table on disk as complete, after a loss was reported."""

    def keep(self, table: str, name: str, value: bytes) -> None:
        """Store one small private value of a table (seats, epoch)."""

    def recall(self, table: str, name: str) -> bytes | None:
        """Return the stored value, or None."""


class Clock(Protocol):
    """A clock, which tests can hold still."""

    def now(self) -> float:
        """Return seconds since any fixed moment; they never decrease."""


def machine_chance() -> Random:
    """Return the machine's source of randomness. Only a program calls this, and passes it to all of its parts."""
    return SystemRandom()


class MonotonicClock:
    """The Clock port on the machine's monotonic clock."""

    def now(self) -> float:
        """Return the seconds of `time.monotonic`."""
        return time.monotonic()
