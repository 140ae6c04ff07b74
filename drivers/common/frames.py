"""Bytes to frames and back, between hub and box, and the link that repeats them: no port, no clock, no thread.

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

from hub.engine.text import to_json
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
    """What every frame has: the sender's number. A repeat has the same number."""

    s: Number = UNNUMBERED


# --- from the hub to a box -------------------------------------------------------------------------


class Who(Frame, frozen=True, tag="who"):
    """Who is there? The box answers with Hello; if it is no repeat, the key presses it could not deliver are void."""


class Ack(Frame, frozen=True, tag="ack"):
    """The hub has frame `re` of the box."""

    re: Number


class Open(Frame, frozen=True, tag="open"):
    """Open the sealed round `r`: a choice from `lo` to `hi`, the dial starting at the secret place `at`.

    The `r` that is open already changes nothing in the box; any other takes its place.
    """

    r: Annotated[int, Meta(ge=1, le=HIGHEST)]
    lo: Number
    hi: Number
    at: Number
    kind: Literal["sealed"] = "sealed"


class Reveal(Frame, frozen=True, tag="reveal"):
    """Tell the bid of round `r`: all have locked. Answered by Bid.

    `c` proves it to the box: the marks (see `mark`) of all commitments of the round, its own among them.
    """

    r: Number
    c: Annotated[list[Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]], Meta(min_length=1, max_length=6)]


class Cancel(Frame, frozen=True, tag="cancel"):
    """Round `r` is over; 0 means whichever is open. Another round than the open one changes nothing."""

    r: Number


class Ring(Frame, frozen=True, tag="ring"):
    """The ring of 16 lamps: a pattern by name, a number, a colour."""

    p: Pattern
    n: Annotated[int, Meta(ge=0, le=16)]
    c: Annotated[str, Meta(pattern=r"^[0-9a-f]{6}\Z")]


class Say(Frame, frozen=True, tag="say"):
    """One line on the small display under the hood."""

    x: Annotated[str, Meta(max_length=40)]


class Name(Frame, frozen=True, tag="name"):
    """Places `i`, `i + 1` and so on of the sealed round `r` in words: the display under the hood shows the dial's."""

    r: Number
    i: Number
    x: Annotated[list[Annotated[str, Meta(pattern=r"^[ -~]{0,40}\Z")]], Meta(min_length=1)]


class Buzz(Frame, frozen=True, tag="buzz"):
    """A short sound or tick."""

    k: Literal["lock", "error", "reveal"]


class Boot(Frame, frozen=True, tag="boot"):
    """Go into the mode in which new firmware can be dropped on the box."""


class Arm(Frame, frozen=True, tag="arm"):
    """To a dice tray: watch for throw `a` of `n` dice with `f` faces; with `l` 1 what lies there is read (again).

    The `a` that is watched for already begins nothing anew. Either way the tray then tells how the throw stands.
    """

    a: Number
    n: Annotated[int, Meta(ge=1, le=20)]
    f: Annotated[int, Meta(ge=2, le=100)]
    l: Annotated[int, Meta(ge=0, le=1)]  # noqa: E741 - one letter, as everywhere on the line


class Disarm(Frame, frozen=True, tag="disarm"):
    """To a dice tray: whatever the dice do is nobody's business."""


# --- from a box to the hub -------------------------------------------------------------------------


class Hello(Frame, frozen=True, tag="hello"):
    """Who the box is. `boot` is new after every power-up."""

    id: Word
    boot: ShortWord
    p: Literal[3]
    v: ShortWord
    k: ShortWord
    n: Annotated[int, Meta(ge=0, le=64)]


class Beat(Frame, frozen=True, tag="beat"):
    """Once a second: seconds since power-up, and the firmware's own word for its state (not read by the hub)."""

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
    """The owner wants the lock of round `r` back. It is open again when the hub has acknowledged this."""

    r: Number


class Bid(Frame, frozen=True, tag="bid"):
    """The revealed value of round `r` and the nonce of its commitment."""

    r: Number
    b: Number
    n: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]


class Thrown(Frame, frozen=True, tag="dice"):
    """From a dice tray: how throw `a` stands, with the faces that lie flat (all of them once it is settled)."""

    a: Number
    st: DiceState
    f: Annotated[list[Annotated[int, Meta(ge=1, le=100)]], Meta(max_length=20)]


class Ok(Frame, frozen=True, tag="ok"):
    """The box has done frame `re` of the hub."""

    re: Number


class Nak(Frame, frozen=True, tag="nak"):
    """The box heard something that is not a frame it knows: the sender repeats."""


HubFrame = Who | Ack | Open | Name | Reveal | Cancel | Ring | Say | Buzz | Boot | Arm | Disarm
BoxFrame = Hello | Beat | Press | Detents | Locked | Unlocked | Bid | Thrown | Ok | Nak

TO_HUB: msgspec.json.Decoder[Frame] = msgspec.json.Decoder(BoxFrame)
TO_BOX: msgspec.json.Decoder[Frame] = msgspec.json.Decoder(HubFrame)


@dataclass(frozen=True, slots=True)
class Chatter:
    """A line that is no frame and does not claim to be one."""

    text: str


@dataclass(frozen=True, slots=True)
class Garbled:
    """A line that starts like a frame and is none; the sentence never holds what was in it."""

    sentence: str


@dataclass(frozen=True, slots=True)
class OtherProtocol:
    """A hello of a firmware that this hub does not speak with."""

    protocol: int
    id: str
    firmware: str


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
    """Return what a box says when it locks: the first 16 bytes, in hex, of SHA-256 over id, round, value and nonce."""
    return hashlib.sha256(f"{box}|{round}|{index}|{nonce}".encode()).hexdigest()[:32]


def mark(commitment: str) -> str:
    """Return the part of a commitment that tells it apart in a reveal: its first 8 bytes, in hex."""
    return commitment[:16]


def encode(frame: Frame) -> bytes:
    """Return the line of a numbered frame. Raise ValueError where it has no number or is too long."""
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
    """Bytes in, frames and other lines out, whatever the cuts between the bytes."""

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
    """The last 8 (boot, number) that were acted on, so that a repeat is answered and not done again."""

    SIZE = 8

    def __init__(self) -> None:
        self._last: deque[tuple[str, int]] = deque(maxlen=self.SIZE)

    def __contains__(self, frame: tuple[str, int]) -> bool:
        return frame in self._last

    def add(self, frame: tuple[str, int]) -> None:
        """Remember one more; the ninth last is forgotten."""
        self._last.append(frame)


@dataclass(slots=True)
class Link:
    """The hub's end of a cable: numbers what it sends, keeps one question open at a time, repeats it until answered.

    One at a time keeps the order: a lock and its taking back cannot overtake each other. `first`, the next number,
    should be random at the start, so that after a restart the hub's numbers are none that a box remembers. Times are
    seconds.
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
        """Give a frame its number and send it once, whether it arrives or not; return it with the number."""
        numbered = msgspec.structs.replace(frame, s=self.first)
        self.first = self.first % HIGHEST + 1
        self._out.append(encode(numbered))
        return numbered

    def resend(self, numbered: Frame) -> None:
        """Send a frame that `send` has numbered once more, as the repeat that it is."""
        self._out.append(encode(numbered))

    def ask(self, frame: Frame, now: float) -> None:
        """Send, and repeat until confirmed or dropped, TRIES times in all. Raise ValueError while a question is open."""
        if self.question is not None:
            raise ValueError("a question is open on this link already")
        self.question = self.send(frame)
        self.deadline = now + self.REPEAT
        self._tries_left = self.TRIES - 1

    def confirm(self, re: int) -> Frame | None:
        """Close the question of number `re`, which was answered, and return it; None for an old answer."""
        question = self.question
        if question is None or question.s != re:
            return None
        self.drop_question()
        return question

    def drop_question(self) -> None:
        """Close the open question, if there is one: it needs no answer any more."""
        self.question = self.deadline = None

    def run_due(self, now: float) -> Frame | None:
        """Repeat what is due. Return the question that is given up after its last try, else None."""
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
        """Answer again a frame that was acted on before, and return True: it must not be acted on."""
        if (boot, frame.s) not in self.seen:
            return False
        self.send(Ack(re=frame.s))
        return True

    def acknowledge(self, frame: Frame, boot: str = "") -> None:
        """Say that the frame was acted on, now and at every repeat."""
        self.seen.add((boot, frame.s))
        self.send(Ack(re=frame.s))

    def outgoing(self) -> bytes:
        """Return what is to be written now."""
        data = b"".join(self._out)
        self._out.clear()
        return data
