"""Views and requests as JSON and topic names: the only room that knows them.

Everything read from outside is strict: too large, unknown field, wrong type or a number out of range is
refused with one sentence. What the hub sends goes through the same types, so that nothing leaves the
house that has no place in them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec

from hub.errors import HubError, RulesBug
from hub.ports import ClaimAsked, ClaimDecided, PhoneSaid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_BYTES = 4096  # of anything a phone may send, before it is parsed
HAND_SIZE = 2048  # sealed hands are padded to multiples of this
NOTE_SIZE = 512  # and requests, answers and claims to multiples of this
MOST_NAME = 20


class Malformed(HubError):
    """What came is not in the language of the phones; the sentence says where."""


# --- Types -------------------------------------------------------------------------------------------

SeatNumber = Annotated[int, msgspec.Meta(ge=1, le=6)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
RequestId = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]
Code4 = Annotated[str, msgspec.Meta(pattern="^[0-9]{4}$")]
Name = Annotated[str, msgspec.Meta(max_length=MOST_NAME)]
Key64 = Annotated[str, msgspec.Meta(min_length=43, max_length=43)]
Verb = Literal["act", "roll", "dice", "undo", "start", "ready", "name", "leave", "again"]


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Plain data with known fields only."""


class PublicSeat(_Strict, frozen=True):
    """One place of the table as everybody sees it."""

    seat: SeatNumber
    name: str = ""
    held: bool = False
    phone: Literal["on", "away", "none"] = "none"
    box: Literal["on", "lost", "none"] = "none"
    ready: bool = False
    claim_code: str | None = None


class PublicEvent(_Strict, frozen=True):
    """Something that happened and that everybody may know."""

    n: int
    text: str
    rule: str | None = None
    kind: str = ""
    data: dict[str, Any] = {}


class Change(_Strict, frozen=True, rename={"was": "from"}):
    """A change of money or points, with the rule behind it and how it was reckoned; a secret total has no numbers."""

    n: int
    round: int
    seat: SeatNumber
    what: str
    text: str
    rule: str
    sum: str
    was: int | None = None
    to: int | None = None


Read = Literal["read", "typed", "hub"]


class Batch(_Strict, frozen=True):
    """Dice of an open roll that stand."""

    faces: list[int]
    read: Read


class Wanted(_Strict, frozen=True):
    """What a roll must show with its odds in a line, and the odds exactly where the line rounds them."""

    say: str
    exact: str = ""


class PublicDice(_Strict, frozen=True, rename={"why": "for"}):
    """The open roll: `faces` of the present batch of so many dice, `done` those before it, `total` of all of them.

    `votes` are for a roll by the hub, `as_it_lies` for reading a leaning die so, which takes `enough` of them. `lying`:
    nobody throws; `again`: what was read already is read once more.
    """

    state: Literal["armed", "rolling", "settled", "typed", "cocked", "wrong_count", "no_reader"]
    seat: int
    count: int
    sides: int
    why: str = ""
    batch: int = 0
    faces: list[int] = []
    read: Read | None = None
    done: list[Batch] = []
    total: int = 0
    say: str = ""
    votes: list[int] = []
    again: bool = False
    lying: bool = False
    as_it_lies: list[int] = []
    enough: int = 0
    wants: Wanted | None = None


class PublicDispute(_Strict, frozen=True):
    """A roll of `seat` that stands and may be doubted, is voted on (`needs` times yes), is read again, or was."""

    stage: Literal["open", "vote", "reading", "told"]
    seat: SeatNumber
    faces: list[int]
    read: Read
    yes: list[int] = []
    no: list[int] = []
    needs: int = 0
    say: str = ""


class Kit(_Strict, frozen=True):
    """What a dice reader has to be thrown, and which of it has a low battery."""

    dice: int
    weak: list[str] = []


class GameOffer(_Strict, frozen=True):
    """A game that the lobby offers."""

    name: str
    title: str
    seats: tuple[int, int]
    minutes: int
    blurb: str = ""


class PublicState(_Strict, frozen=True):
    """The newest complete public state of one table."""

    table: str
    name: str
    code: str
    url: str
    epoch: Count
    seq: Count
    state: Literal["lobby", "playing", "over", "stopped"]
    seats: list[PublicSeat]
    v: Literal[1] = 1
    match: str | None = None
    game: str | None = None
    title: str = ""
    view: dict[str, Any] | None = None
    locked: list[int] = []
    want: str = ""
    events: list[PublicEvent] = []
    why: list[Change] = []
    dice: PublicDice | None = None
    dispute: PublicDispute | None = None
    kit: Kit | None = None
    notice: str | None = None
    over: dict[str, Any] | None = None
    games: list[GameOffer] = []
    nudged: list[int] = []
    claiming: list[int] = []


class Faces(_Strict, frozen=True):
    """Dice that this seat may type."""

    count: int
    sides: int


class Hand(_Strict, frozen=True):
    """The newest complete private state of one seat; only ever sent sealed."""

    epoch: Count
    seq: Count
    seat: SeatNumber
    v: Literal[1] = 1
    match: str | None = None
    you: dict[str, Any] = {}
    number: Count | None = None
    secret: bool = False
    want: str = ""
    moves: list[dict[str, Any]] = []
    barred: list[dict[str, Any]] = []
    notes: dict[str, dict[str, str]] = {}
    locked: dict[str, Any] | None = None
    undo: bool = False
    dial: int | None = None
    dial_at: str = ""
    faces: Faces | None = None
    seat_code: str | None = None


class Act(_Strict, frozen=True):
    """A phone's request."""

    v: Literal[1]
    id: RequestId
    n: Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
    epoch: Count
    verb: Verb
    number: Count | None = None
    args: dict[str, Any] = {}


class Ack(_Strict, frozen=True):
    """The answer to one request."""

    re: RequestId
    ok: bool
    error: str | None = None
    code: str | None = None
    seq: Count = 0


class ClaimBody(_Strict, frozen=True):
    """`POST /t/<table>/claim`: who asks for which seat, and the sealed rest."""

    seat: SeatNumber
    pk: Key64
    nonce: Annotated[str, msgspec.Meta(min_length=32, max_length=32)]
    box: Annotated[str, msgspec.Meta(max_length=2048)]


class ClaimWords(_Strict, frozen=True):
    """What the box of a claim opens to."""

    seat: SeatNumber
    code: Code4 | None = None
    name: Name = ""


class ClaimReply(_Strict, frozen=True, omit_defaults=True):
    """`GET /t/<table>/claim/<id>`: how the claim stands; when held, the sealed login."""

    state: Literal["asked", "refused", "held"]
    say: str
    nonce: str | None = None
    box: str | None = None


class Login(_Strict, frozen=True):
    """What the box of a held claim opens to."""

    sid: str
    user: str
    password: str
    hub: str
    table: str
    seat: SeatNumber


class HubStatus(_Strict, frozen=True):
    """`th/1/<hub>/status`, retained; the broker says `offline` for a hub that is gone."""

    state: Literal["online", "offline"]
    session: str
    tables: list[str] = []
    v: Literal[1] = 1


# --- Reading -----------------------------------------------------------------------------------------

T = TypeVar("T", bound=_Strict)


def _reader(kind: type[T], what: str) -> Callable[[bytes], T]:
    decoder = msgspec.json.Decoder(kind)

    def read(data: bytes) -> T:
        if len(data) > MOST_BYTES:
            raise Malformed(f"{what} is larger than {MOST_BYTES} bytes.")
        try:
            return decoder.decode(data)
        except msgspec.ValidationError as trouble:
            raise Malformed(f"{what} was not understood: {trouble}.") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise Malformed(f"{what} is not JSON.") from None

    return read


read_act = _reader(Act, "The request")
read_claim = _reader(ClaimBody, "The claim")
read_claim_words = _reader(ClaimWords, "The claim")


def tidy_name(name: str) -> str:
    """A player's name as it may be shown anywhere: no control characters, no outer blanks."""
    return "".join(letter for letter in name if letter.isprintable()).strip()[:MOST_NAME]


# --- To and from Signals -----------------------------------------------------------------------------


def said(sid: str, act: Act) -> PhoneSaid:
    """A request as the table hears it; whose it is comes from the claim, never from the request."""
    return PhoneSaid(sid, act.id, act.n, act.epoch, act.number, act.verb, act.args)


def claim_asked(claim: str, phone_key: bytes, words: ClaimWords, answer: Callable[[ClaimDecided], None]) -> ClaimAsked:
    """A claim as the table hears it."""
    return ClaimAsked(claim, words.seat, phone_key, words.code, tidy_name(words.name), answer)


# --- Writing -----------------------------------------------------------------------------------------

_encode = msgspec.json.Encoder().encode


def _written(kind: type[T], told: Mapping[str, Any]) -> bytes:
    """JSON of `told`, checked: a field without a place here would be a leak or a slip of ours."""
    try:
        return _encode(msgspec.convert(told, kind))
    except (msgspec.ValidationError, TypeError) as trouble:
        raise RulesBug(f"The hub wanted to send a {kind.__name__} that is none: {trouble}.") from None


def public_bytes(state: Mapping[str, Any]) -> bytes:
    """`pub/state`."""
    return _written(PublicState, state)


def event_bytes(event: Mapping[str, Any]) -> bytes:
    """`pub/event`."""
    return _written(PublicEvent, event)


def hand_bytes(hand: Mapping[str, Any]) -> bytes:
    """`hand`, before it is sealed."""
    return _written(Hand, hand)


def ack_bytes(answer: Mapping[str, Any]) -> bytes:
    """`ack`, before it is sealed."""
    return _written(Ack, answer)


def to_bytes(said: _Strict) -> bytes:
    """JSON of one of the types here."""
    return _encode(said)


# --- Topics ------------------------------------------------------------------------------------------

_HUB = re.compile(r"[A-Za-z0-9-]{1,32}")
_SID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def fits_topic(word: str) -> bool:
    """Whether a hub's or table's name may stand in a topic: letters, digits and hyphens."""
    return _HUB.fullmatch(word) is not None


def status_topic(hub: str) -> str:
    """Where a hub says that it is there."""
    return f"th/1/{hub}/status"


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one table."""

    hub: str
    table: str

    @property
    def root(self) -> str:
        """What they all begin with."""
        return f"th/1/{self.hub}/{self.table}"

    @property
    def state(self) -> str:
        """Public, retained."""
        return f"{self.root}/pub/state"

    @property
    def event(self) -> str:
        """Public, passing."""
        return f"{self.root}/pub/event"

    def hand(self, sid: str) -> str:
        """Sealed to one phone, retained."""
        return f"{self.root}/seat/{sid}/hand"

    def ack(self, sid: str) -> str:
        """Sealed answers to one phone."""
        return f"{self.root}/seat/{sid}/ack"

    def act(self, sid: str) -> str:
        """Sealed requests of one phone ("+": of all)."""
        return f"{self.root}/seat/{sid}/act"

    def online(self, sid: str) -> str:
        """Whether a phone is there ("+": any); cleared by its will."""
        return f"{self.root}/seat/{sid}/online"

    def may_read(self, sid: str) -> tuple[str, ...]:
        """All that a claim's login may subscribe to."""
        return (self.hand(sid), self.ack(sid), f"{self.root}/pub/#", status_topic(self.hub))

    def may_write(self, sid: str) -> tuple[str, ...]:
        """All that a claim's login may publish to."""
        return (self.act(sid), self.online(sid))

    def sid_of(self, topic: str) -> str | None:
        """Whose topic it is."""
        start = f"{self.root}/seat/"
        if not topic.startswith(start):
            return None
        sid = topic[len(start) :].partition("/")[0]
        return sid if _SID.fullmatch(sid) else None
