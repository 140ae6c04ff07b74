"""Requests, replies and topics: the messages of phones, their encoding, and the topics of a table.

Messages from outside are decoded strictly. A message that is too large, or that has an unknown field, a wrong type or a number
out of range, is rejected with one sentence. `hub.state` defines what the hub publishes about a table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from hub.engine.text import Listing, Text, Wire, english
from hub.errors import HubError
from hub.network.verbs import ARGS
from hub.ports import ClaimDecided, ClaimRequest, PhoneRequest
from hub.state import Count, Name, Plain, RequestId, SeatNumber, Texts, tidy_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_BYTES = 4096  # maximum size of a message from a phone, checked before it is parsed
HAND_SIZE = 2048  # size of a block of an encrypted hand; all hands of a match have the same number of blocks
NOTE_SIZE = 512  # requests, answers and claims are padded to multiples of this


class Malformed(HubError):
    """A message does not match its schema; the sentence names the field."""


# --- Types -------------------------------------------------------------------------------------------

SeatCode = Annotated[str, msgspec.Meta(pattern="^[A-Z]{6}([A-Z]{10})?$")]
"""The six letters of a seat, or the sixteen letters of a code that a phone shows for scanning."""
Key64 = Annotated[str, msgspec.Meta(min_length=43, max_length=43)]
if TYPE_CHECKING:
    Verb: TypeAlias = str
else:
    Verb = Literal[tuple(ARGS)]


class Act(Plain, frozen=True):
    """A request of a phone on its `act` topic. `n` increases with each request; `number` is that of the decision it answers."""

    v: Literal[1]
    id: RequestId
    n: Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
    epoch: Count
    verb: Verb
    number: Count | None = None
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class ClaimBody(Plain, frozen=True):
    """Body of `POST /t/<table>/claim`: the seat, the phone's public key, and the encrypted ClaimDetails with their nonce."""

    seat: SeatNumber
    pk: Key64
    nonce: Annotated[str, msgspec.Meta(min_length=32, max_length=32)]
    box: Annotated[str, msgspec.Meta(max_length=3072)]


class EarlierKey(Plain, frozen=True):
    """Proof that this phone held a seat at this table before, because it still has the key of that claim.

    `pk` is the public key of the earlier claim. `proof` is a `KeyProof`, encrypted with the earlier key: the nonce followed by
    the box, in base64url.
    """

    pk: Key64
    proof: Annotated[str, msgspec.Meta(max_length=256)]


class KeyProof(Plain, frozen=True):
    """Plain text of the proof of an earlier key. It is only valid for the claim with the key `pk` at `table`."""

    pk: Key64
    table: Annotated[str, msgspec.Meta(max_length=32)]


class ClaimDetails(Plain, frozen=True):
    """Plain text of the box of a claim."""

    seat: SeatNumber
    code: SeatCode | None = None
    name: Name = ""
    earlier: Annotated[list[EarlierKey], msgspec.Meta(max_length=4)] = msgspec.field(default_factory=list)


class ClaimReply(Plain, frozen=True, omit_defaults=True):
    """Reply to `GET /t/<table>/claim/<id>`: the state of the claim, and the encrypted login once the seat is held."""

    state: Literal["asked", "refused", "held"]
    say: str
    nonce: str | None = None
    box: str | None = None
    texts: Texts = msgspec.UNSET


class Login(Plain, frozen=True):
    """Plain text of the box of a held claim: the phone's MQTT login."""

    sid: str
    user: str
    password: str
    hub: str
    table: str
    seat: SeatNumber


class Online(Plain, frozen=True):
    """The message that a phone publishes on its `online` topic. The phone chooses a new `session` for each visit."""

    session: str


class HubStatus(Plain, frozen=True):
    """Retained on `th/1/<hub>/status`; `offline` is also the hub's will."""

    state: Literal["online", "offline"]
    session: str
    tables: list[str] = msgspec.field(default_factory=list)
    v: Literal[1] = 1


# --- Reading -----------------------------------------------------------------------------------------

T = TypeVar("T", bound=Plain)


def reader(kind: type[T], what: str, most: int = MOST_BYTES) -> Callable[[bytes], T]:
    """Return a decoder for a `kind` in JSON of at most `most` bytes. It raises Malformed with a sentence about `what`."""
    decoder = msgspec.json.Decoder(kind)

    def read(data: bytes) -> T:
        if len(data) > most:
            raise Malformed(f"{what} is larger than {most} bytes.")
        try:
            return decoder.decode(data)
        except msgspec.ValidationError as error:
            raise Malformed(f"{what} was not understood: {error}.") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise Malformed(f"{what} is not JSON.") from None

    return read


read_act = reader(Act, "The request")
read_claim = reader(ClaimBody, "The claim")
read_claim_details = reader(ClaimDetails, "The claim")
read_key_proof = reader(KeyProof, "The proof of an earlier key")


# --- Signals -----------------------------------------------------------------------------------------


def phone_said(sid: str, act: Act) -> PhoneRequest:
    """Return the signal of a request. The seat follows from the claim `sid`, never from the request."""
    return PhoneRequest(sid, act.id, act.n, act.epoch, act.number, act.verb, act.args)


def claim_asked(
    claim: str,
    phone_key: bytes,
    details: ClaimDetails,
    earlier_keys: Sequence[bytes],
    answer: Callable[[ClaimDecided], None],
) -> ClaimRequest:
    """Return the signal of a claim.

    - `earlier_keys`: the keys in `details` with a valid proof.
    - `answer`: is called with the table's decision.
    """
    return ClaimRequest(claim, details.seat, phone_key, details.code, tidy_name(details.name), answer, earlier_keys)


# --- Writing -----------------------------------------------------------------------------------------


def to_bytes(message: Plain) -> bytes:
    """Return the JSON of a state, a hand or one of the types here.

    One of a type with a field `texts` gets it as its last member if it has sentences with values, so that a client can say them in another language:
    `made` has what each was made from (`hub.engine.text: Text.wire`), with the numbers of `templates`. The English is not
    repeated: a client that fills the templates has it.
    """
    made: dict[str, Wire] = {}
    templates: dict[str, int] = {}

    def note(value: object) -> str:
        sentence = english(value)
        if isinstance(value, Listing) or (isinstance(value, Text) and value.values):
            wired = value.wire(templates)
            if not isinstance(wired, str):  # a row of one plain string, which is a message itself
                made[sentence] = wired
        return sentence

    data = msgspec.json.Encoder(enc_hook=note).encode(message)
    if not made or "texts" not in message.__struct_fields__:
        return data
    return b'%s,"texts":%s}' % (data[:-1], msgspec.json.encode({"templates": [*templates], "made": [*made.values()]}))


# --- Topics ------------------------------------------------------------------------------------------

_HUB = re.compile(r"[A-Za-z0-9-]{1,32}")
_SID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def fits_topic(word: str) -> bool:
    """Return whether the id of a hub or table is valid in a topic: 1 to 32 letters, digits and hyphens."""
    return _HUB.fullmatch(word) is not None


def status_topic(hub: str) -> str:
    """Return the topic of the HubStatus of a hub."""
    return f"th/1/{hub}/status"


def echo_topic(hub: str) -> str:
    """Return the topic on which a hub sends messages to itself, to check that its broker delivers."""
    return f"th/1/{hub}/echo"


def home_status_topic(hub: str) -> str:
    """Return the topic for Home Assistant that says whether a hub is available: `online` or `offline`."""
    return f"th/1/{hub}/home"


def home_topic(hub: str, table: str) -> str:
    """Return the topic for Home Assistant with the state of a table (retained)."""
    return f"th/1/{hub}/{table}/home"


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one table."""

    hub: str
    table: str

    @property
    def root(self) -> str:
        """Return the common prefix of these topics."""
        return f"th/1/{self.hub}/{self.table}"

    @property
    def state(self) -> str:
        """Return the topic of the public state (retained)."""
        return f"{self.root}/pub/state"

    def hand(self, sid: str) -> str:
        """Return the topic of a seat's hand (encrypted, retained)."""
        return f"{self.root}/seat/{sid}/hand"

    def ack(self, sid: str) -> str:
        """Return the topic of the answers to a seat's requests (encrypted)."""
        return f"{self.root}/seat/{sid}/ack"

    def act(self, sid: str) -> str:
        """Return the topic of a seat's requests (encrypted); `sid` "+" matches all."""
        return f"{self.root}/seat/{sid}/act"

    def online(self, sid: str) -> str:
        """Return the topic that shows a phone's presence (retained; its will clears it); `sid` "+" matches all."""
        return f"{self.root}/seat/{sid}/online"

    def may_read(self, sid: str) -> tuple[str, ...]:
        """Return the topics that the login of a claim may subscribe to; none of them is a pattern."""
        return (self.hand(sid), self.ack(sid), self.state, status_topic(self.hub))

    def may_write(self, sid: str) -> tuple[str, ...]:
        """Return the topics that the login of a claim may publish to."""
        return (self.act(sid), self.online(sid))

    def sid_of(self, topic: str) -> str | None:
        """Return the claim that the topic of a seat belongs to; None for other topics."""
        start = f"{self.root}/seat/"
        if not topic.startswith(start):
            return None
        sid = topic[len(start) :].partition("/")[0]
        return sid if _SID.fullmatch(sid) else None
