"""The frames between hub and boards, their encoding, and the link that repeats them. No port, clock or thread.

A frame is one line: `~` + compact JSON + `*` + CRC-16/CCITT-FALSE of the JSON as four hex digits + newline,
200 bytes at most. Every frame has its type `t` and its number `s`. A line that does not start with `~` is
chatter (a boot banner, a traceback). `firmware/frames.toml` holds the golden frames of both directions.
"""

from __future__ import annotations

import binascii
import hashlib
from collections import deque
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from hub.engine.text import Text, say, to_json
from hub.errors import GarbledFrame
from hub.ports import Control, DiceState, Pattern

PROTOCOL: Literal[3] = 3
LONGEST = 200  # bytes of a line, `~` and newline included
HIGHEST = 2**30 - 1  # of a number: the largest small integer of MicroPython
UNNUMBERED = -1  # a frame that no link has sent yet

Number = Annotated[int, Meta(ge=0, le=HIGHEST)]
Word = Annotated[str, Meta(pattern=r"^[0-9A-Za-z_.-]{1,32}\Z")]
ShortWord = Annotated[str, Meta(pattern=r"^[0-9A-Za-z_.+-]{1,16}\Z")]


class Frame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="t"):
    """The sender's number of a frame. A repeat has the same number."""

    s: Number = UNNUMBERED


# --- from the hub to a box -------------------------------------------------------------------------


class Who(Frame, frozen=True, tag="who"):
    """Ask the box for Hello. A new `who`, not a repeat, voids key presses that the box could not deliver."""


class Ack(Frame, frozen=True, tag="ack"):
    """The hub has received frame `re` of the box."""

    re: Number


class Open(Frame, frozen=True, tag="open"):
    """Open the sealed round `r`: a choice from `lo` to `hi`, the dial starting at the secret place `at`.

    A repeat of the open `r` changes nothing; any other `r` replaces it.
    """

    r: Annotated[int, Meta(ge=1, le=HIGHEST)]
    lo: Number
    hi: Number
    at: Number
    kind: Literal["sealed"] = "sealed"


class Reveal(Frame, frozen=True, tag="reveal"):
    """Ask for the bid of round `r`, after all seats have locked. The answer is Bid.

    `c` proves that to the box: the marks (see `mark`) of all commitments of the round, its own included.
    """

    r: Number
    c: Annotated[list[Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]], Meta(min_length=1, max_length=6)]


class Cancel(Frame, frozen=True, tag="cancel"):
    """Cancel round `r`, or with 0 any open round. If another round is open, nothing changes."""

    r: Number


class Ring(Frame, frozen=True, tag="ring"):
    """Draw on the ring of 16 lamps: a pattern by name, a number, a color."""

    p: Pattern
    n: Annotated[int, Meta(ge=0, le=16)]
    c: Annotated[str, Meta(pattern=r"^[0-9a-f]{6}\Z")]


class Say(Frame, frozen=True, tag="say"):
    """Show one line on the small display under the hood."""

    x: Annotated[str, Meta(max_length=40)]


class Name(Frame, frozen=True, tag="name"):
    """Name places `i`, `i + 1` and so on of the sealed round `r`: the display under the hood shows the name at the dial."""

    r: Number
    i: Number
    x: Annotated[list[Annotated[str, Meta(pattern=r"^[ -~]{0,40}\Z")]], Meta(min_length=1)]


class Buzz(Frame, frozen=True, tag="buzz"):
    """Make a short sound or tick."""

    k: Literal["lock", "error", "reveal"]


class Boot(Frame, frozen=True, tag="boot"):
    """Restart as the USB drive that takes new firmware."""


class Arm(Frame, frozen=True, tag="arm"):
    """To a dice tray: watch for throw `a` of `n` dice with `f` faces; with `l` = 1 read the dice that lie there (again).

    A repeat of the present `a` restarts nothing. In both cases the tray reports the state of the throw.
    """

    a: Number
    n: Annotated[int, Meta(ge=1, le=20)]
    f: Annotated[int, Meta(ge=2, le=100)]
    l: Annotated[int, Meta(ge=0, le=1)]  # noqa: E741 - one letter, as everywhere on the line


class Disarm(Frame, frozen=True, tag="disarm"):
    """To a dice tray: ignore the dice."""


# --- from a box to the hub -------------------------------------------------------------------------


class Hello(Frame, frozen=True, tag="hello"):
    """Identify the board. `boot` is new after every power-up."""

    id: Word
    boot: ShortWord
    p: Literal[3]
    v: ShortWord
    k: ShortWord
    n: Annotated[int, Meta(ge=0, le=64)]


class Beat(Frame, frozen=True, tag="beat"):
    """Heartbeat, once per second: seconds since power-up, and a state of the firmware that the hub does not read."""

    up: Number
    st: Number | ShortWord


class Press(Frame, frozen=True, tag="key"):
    """A control went down or was held."""

    k: Control
    e: Literal["down", "hold"]


class Detents(Frame, frozen=True, tag="turn"):
    """The dial was turned since the last such frame."""

    d: Annotated[int, Meta(ge=-127, le=127)]


class Locked(Frame, frozen=True, tag="locked"):
    """The choice of round `r` is locked; `c` commits the box to it."""

    r: Number
    c: Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]


class Unlocked(Frame, frozen=True, tag="unlocked"):
    """The owner unlocks round `r`. It is open again when the hub has acknowledged this frame."""

    r: Number


class Bid(Frame, frozen=True, tag="bid"):
    """The revealed value of round `r` and the nonce of its commitment."""

    r: Number
    b: Number
    n: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]


class Thrown(Frame, frozen=True, tag="dice"):
    """From a dice tray: the state of throw `a`, with the faces of flat dice (all dice once it is settled)."""

    a: Number
    st: DiceState
    f: Annotated[list[Annotated[int, Meta(ge=1, le=100)]], Meta(max_length=20)]


class Ok(Frame, frozen=True, tag="ok"):
    """The box has executed frame `re` of the hub."""

    re: Number


class Nak(Frame, frozen=True, tag="nak"):
    """The box received no known frame: the sender repeats."""


HubFrame = Who | Ack | Open | Name | Reveal | Cancel | Ring | Say | Buzz | Boot | Arm | Disarm
BoxFrame = Hello | Beat | Press | Detents | Locked | Unlocked | Bid | Thrown | Ok | Nak

TO_HUB: msgspec.json.Decoder[Frame] = msgspec.json.Decoder(BoxFrame)
TO_BOX: msgspec.json.Decoder[Frame] = msgspec.json.Decoder(HubFrame)


@dataclass(frozen=True, slots=True)
class Chatter:
    """A line that does not start like a frame, such as a boot banner."""

    text: str


@dataclass(frozen=True, slots=True)
class Garbled:
    """An invalid line that starts like a frame; the sentence never contains its content."""

    sentence: str


@dataclass(frozen=True, slots=True)
class OtherProtocol:
    """The hello of firmware with another protocol."""

    protocol: int
    id: str
    firmware: str

    def refusal(self, port: str) -> Text:
        """Return why the box at a port cannot be used, and what to do."""
        name = self.id or port
        if self.protocol < PROTOCOL:
            return say("Box {box} has older firmware than this hub: install this hub's firmware on it.", box=name)
        return say(
            "Box {box} has newer firmware than this hub: update the hub, or install this hub's firmware on the box.",
            box=name,
        )


Incoming = Frame | Chatter | Garbled | OtherProtocol


class _AnyHello(msgspec.Struct):
    """The part of a hello that every protocol has."""

    t: Literal["hello"]
    p: int
    id: str = ""
    v: str = ""


_ANY_HELLO = msgspec.json.Decoder(_AnyHello)


def checksum(payload: bytes) -> str:
    """Return the CRC-16/CCITT-FALSE as four hex digits: 29B1 for 123456789."""
    return f"{binascii.crc_hqx(payload, 0xFFFF):04X}"


def commitment(box: str, round: int, index: int, nonce: str) -> str:
    """Return a box's commitment: the first 16 bytes, in hex, of SHA-256 over id, round, value and nonce."""
    return hashlib.sha256(f"{box}|{round}|{index}|{nonce}".encode()).hexdigest()[:32]


def mark(commitment: str) -> str:
    """Return the part of a commitment that identifies it in a reveal: its first 8 bytes, in hex."""
    return commitment[:16]


def encode(frame: Frame) -> bytes:
    """Return the line of a numbered frame. Raise ValueError if it has no number or is too long."""
    payload = to_json(frame)
    line = b"~" + payload + b"*" + checksum(payload).encode() + b"\n"
    if frame.s < 0 or len(line) > LONGEST:
        raise ValueError(f"a {type(frame).__name__} frame of {len(line)} bytes numbered {frame.s} cannot be sent")
    return line


def decode(line: bytes, decoder: msgspec.json.Decoder[Frame]) -> Frame | OtherProtocol:
    """Return the frame of one line, given without its newline. Raise GarbledFrame."""
    if len(line) >= LONGEST:
        raise GarbledFrame(f"A frame is longer than {LONGEST} bytes.")
    payload, star, crc = line[1:].rpartition(b"*")
    if line[:1] != b"~" or not star or len(crc) != 4:
        raise GarbledFrame("A frame does not end with its checksum: it was torn.")
    if crc.upper() != checksum(payload).encode():
        raise GarbledFrame("A frame's checksum is wrong: it was garbled on the cable.")
    try:
        frame = decoder.decode(payload)
    except (msgspec.DecodeError, RecursionError) as error:  # a ValidationError is a DecodeError
        other = _other_protocol(payload) if decoder is TO_HUB else None
        if other is not None:
            return other
        raise GarbledFrame(f"A frame is whole but not of protocol {PROTOCOL}: {error}.") from None
    if frame.s == UNNUMBERED:
        raise GarbledFrame("A frame has no number.")
    return frame


def _other_protocol(payload: bytes) -> OtherProtocol | None:
    try:
        hello = _ANY_HELLO.decode(payload)
    except (msgspec.DecodeError, RecursionError):
        return None
    return None if hello.p == PROTOCOL else OtherProtocol(hello.p, hello.id[:32], hello.v[:16])


class FrameReader:
    """Splits received bytes into frames and other lines."""

    def __init__(self, decoder: msgspec.json.Decoder[Frame]) -> None:
        self._decoder = decoder
        self._line = bytearray()
        self._skipping = False  # inside a line that is too long already

    def feed(self, data: bytes) -> list[Incoming]:
        """Return everything that these bytes complete, in order."""
        found: list[Incoming] = []
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._add(part, found)
            line = bytes(self._line).rstrip(b"\r")
            if line and not self._skipping:
                found.append(self._read(line))
            self._line.clear()
            self._skipping = False
        self._add(rest, found)
        return found

    def _add(self, part: bytes, found: list[Incoming]) -> None:
        if self._skipping:
            return
        self._line += part
        if len(self._line) > LONGEST:
            found.append(self._read(bytes(self._line[:LONGEST])))
            self._line.clear()
            self._skipping = True

    def _read(self, line: bytes) -> Incoming:
        if not line.startswith(b"~"):
            return Chatter(line.decode("ascii", "replace"))
        try:
            return decode(line, self._decoder)
        except GarbledFrame as error:
            return Garbled(str(error))


# --- the link: numbers, answers, repeats -----------------------------------------------------------


class SeenFrames:
    """The last 8 handled frames as (boot, number), so that a repeat is acknowledged but not handled again."""

    SIZE = 8

    def __init__(self) -> None:
        self._last: deque[tuple[str, int]] = deque(maxlen=self.SIZE)

    def __contains__(self, frame: tuple[str, int]) -> bool:
        return frame in self._last

    def add(self, frame: tuple[str, int]) -> None:
        """Remember a frame, and forget the oldest of more than 8."""
        self._last.append(frame)


@dataclass(slots=True)
class Link:
    """The hub's end of a cable: numbers frames, keeps one question open at a time, and repeats it until it is answered.

    One question at a time keeps the order of a lock and its unlock. `first`, the next number, should be random at the
    start: after a restart of the hub, a box must not take a new frame for a repeat. Times are in seconds.
    """

    REPEAT: ClassVar[float] = 0.2
    TRIES: ClassVar[int] = 5

    first: int
    seen: SeenFrames = field(default_factory=SeenFrames)
    question: Frame | None = None
    deadline: float | None = None
    _tries_left: int = 0
    _out: list[bytes] = field(default_factory=list)

    def send(self, frame: Frame) -> Frame:
        """Send a frame once with the next number, without confirmation. Return the numbered frame."""
        numbered = msgspec.structs.replace(frame, s=self.first)
        self.first = self.first % HIGHEST + 1
        self._out.append(encode(numbered))
        return numbered

    def resend(self, numbered: Frame) -> None:
        """Send a frame of `send` again, with the same number."""
        self._out.append(encode(numbered))

    def ask(self, frame: Frame, now: float) -> None:
        """Send a question, and repeat it until it is confirmed or dropped, at most TRIES times. Raise ValueError if one is open."""
        if self.question is not None:
            raise ValueError("a question is open on this link already")
        self.question = self.send(frame)
        self.deadline = now + self.REPEAT
        self._tries_left = self.TRIES - 1

    def confirm(self, re: int) -> Frame | None:
        """Close the answered question with number `re` and return it; None for an outdated answer."""
        question = self.question
        if question is None or question.s != re:
            return None
        self.drop_question()
        return question

    def drop_question(self) -> None:
        """Drop the open question, if any, without an answer."""
        self.question = self.deadline = None

    def run_due(self, now: float) -> Frame | None:
        """Repeat the question if that is due. Return it after its last attempt has failed, else None."""
        question = self.question
        if question is None or self.deadline is None or now < self.deadline:
            return None
        if self._tries_left == 0:
            self.drop_question()
            return question
        self._tries_left -= 1
        self.resend(question)
        self.deadline = now + self.REPEAT
        return None

    def acknowledge_repeat(self, frame: Frame, boot: str = "") -> bool:
        """Acknowledge a frame again and return True if it was handled before: do not handle it again."""
        if (boot, frame.s) not in self.seen:
            return False
        self.send(Ack(re=frame.s))
        return True

    def acknowledge(self, frame: Frame, boot: str = "") -> None:
        """Acknowledge a handled frame, now and at every repeat."""
        self.seen.add((boot, frame.s))
        self.send(Ack(re=frame.s))

    def outgoing(self) -> bytes:
        """Return the bytes to write now."""
        data = b"".join(self._out)
        self._out.clear()
        return data
