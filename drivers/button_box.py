"""The seat boxes: dial, bar, six keys and a ring of lamps on a serial cable each (protocol: `common/frames.py`).

`Fleet` holds the state of all boxes, `SeatBoxSession` the protocol on one line; neither has a thread, port or clock.
`ButtonBoxes` puts them on serial lines and is the `Boxes` port. A box is identified by its id, never by its port.
A sealed value stays in its box until the reveal, and must then match the commitment that the box sent before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from random import Random
from typing import Annotated, Literal

import msgspec

from drivers.common import settings as block
from drivers.common.backoff import backoff
from drivers.common.board_session import BoardSession
from drivers.common.frames import (
    HIGHEST,
    LONGEST,
    PROTOCOL,
    Bid,
    Buzz,
    Cancel,
    Detents,
    Frame,
    Hello,
    Locked,
    Nak,
    Name,
    Ok,
    Open,
    OtherProtocol,
    Press,
    Reveal,
    Ring,
    Say,
    SeenFrames,
    Unlocked,
    commitment,
    encode,
    mark,
)
from drivers.common.requirements import Need
from drivers.common.serial_lines import Lines, named_ports, usb_ports
from drivers.common.worker import Inbox
from hub.engine.text import say, to_json
from hub.errors import DeviceLost
from hub.ports import (
    BoxBid,
    BoxCheated,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    Clock,
    DeviceDown,
    DeviceUp,
    DriverContext,
    Key,
    LampPicture,
    MonotonicClock,
    SealedRound,
    Turn,
)

log = logging.getLogger(__name__)

ASKS = 5  # requests without a hello, about eight seconds, until an unknown board is reported; requests go on
NAK_REST = 1.0  # seconds until a ring that the box could not read is sent again
WIDEST = 40  # characters of the small display


@dataclass(slots=True)
class SeatBox:
    """One box as the hub knows it, on any line: its tasks and its answers."""

    id: str
    boot: str = ""
    session: SeatBoxSession | None = None
    seen: SeenFrames = field(default_factory=SeenFrames)
    sealed: SealedRound | None = None
    is_open: bool = False  # confirmed by the box since its power-up
    names: list[Name] = field(default_factory=list, repr=False)  # of the round, in the order of sending
    names_sent: int = 0  # number of confirmed `names` since its power-up
    commitment: str | None = field(default=None, repr=False)
    # the marks of all locks of the round; empty before the reveal
    reveal_marks: list[str] = field(default_factory=list)
    cancelling: int | None = None
    last_revealed: int | None = None  # the last round whose value arrived
    ring: LampPicture | None = None
    text: str | None = field(default=None, repr=False)

    def next_question(self) -> Frame | None:
        """Return the next question to the box; None if there is nothing to do."""
        if self.cancelling is not None:
            return Cancel(r=self.cancelling)
        if self.sealed is None:
            return None
        if self.reveal_marks:
            return Reveal(r=self.sealed.round, c=self.reveal_marks)
        if not self.is_open:
            return Open(r=self.sealed.round, lo=0, hi=self.sealed.high, at=self.sealed.at)
        return self.names[self.names_sent] if self.names_sent < len(self.names) else None

    def forget_round(self) -> None:
        """Forget the sealed round, because it is over."""
        self.sealed = self.commitment = None
        self.is_open = False
        self.names_sent = 0
        self.names, self.reveal_marks = [], []


def name_frames(sealed: SealedRound) -> list[Name]:
    """Return frames with the names of all places of a round, as many as fit in each, those near the dial's start first."""
    texts, frames = [display_text(name, ascii_only=True) for name in sealed.names], list[Name]()
    while (first := sum(len(frame.x) for frame in frames)) < len(texts):
        room = LONGEST - len(encode(Name(s=HIGHEST, r=sealed.round, i=first, x=[])))
        sizes = accumulate(len(to_json(text)) for text in texts[first:])
        count = sum(size + commas <= room for commas, size in enumerate(sizes))
        frames.append(Name(r=sealed.round, i=first, x=texts[first : first + count]))
    return sorted(frames, key=lambda frame: max(frame.i - sealed.at, sealed.at - frame.i - len(frame.x) + 1, 0))


def display_text(text: str, *, ascii_only: bool = False) -> str:
    """Return a text for the small display: printable, at most WIDEST characters."""
    fits = (lambda letter: " " <= letter <= "~") if ascii_only else str.isprintable
    return "".join(letter if fits(letter) else " " for letter in text)[:WIDEST]


class Fleet:
    """All boxes and all lines of the driver. Use it on one thread only."""

    def __init__(
        self,
        inbox: Inbox,
        first_number: Callable[[], int],
        *,
        ports_are_named: bool = False,
    ) -> None:
        """`ports_are_named`: the owner has listed the ports, so each must have a seat box."""
        self.put = inbox
        self.first_number = first_number
        self.ports_are_named = ports_are_named
        self.sessions: list[SeatBoxSession] = []
        self._boxes: dict[str, SeatBox] = {}
        self._reported_ports: set[str] = set()  # ports that were reported as without a seat box

    def session(self, port: str) -> SeatBoxSession:
        """Return a new session for the line at `port`."""
        session = SeatBoxSession(self, port)
        self.sessions.append(session)
        return session

    def box(self, name: str) -> SeatBox:
        """Return the box with that id; it need not be plugged in yet."""
        return self._boxes.setdefault(name, SeatBox(name))

    def report_no_box(self, port: str, sentence: str) -> None:
        """Report that the board at a port cannot be used as a seat box."""
        log.warning("%s", sentence)
        self._reported_ports.add(port)
        self.put(DeviceDown(port, sentence))

    def clear_report(self, port: str) -> None:
        """Withdraw the report about a port, because the board there is a seat box."""
        if port in self._reported_ports:
            self._reported_ports.remove(port)
            self.put(DeviceUp(port))

    def on_scan(self, present: Collection[str]) -> None:
        """Withdraw the reports about ports that have vanished."""
        for port in self._reported_ports - set(present):
            self.clear_report(port)

    def open(self, name: str, sealed: SealedRound) -> None:
        """Start this sealed round on a box, in place of any other. If it is open already, nothing changes."""
        box = self.box(name)
        if box.sealed is not None and box.sealed.round == sealed.round:
            return
        box.forget_round()
        box.last_revealed = None
        box.sealed, box.names = sealed, name_frames(sealed)
        self._drop_question(box)

    def reveal(self, names: Sequence[str], round: int) -> None:
        """Ask all these boxes for their values, and send each the commitments of all.

        Ask none of them if one has lost its lock: its BoxUnlocked is in the inbox already. Boxes that were never on a
        line of this driver belong to another driver.
        """
        asked = [
            box for box in map(self.box, names) if box.boot and box.sealed is not None and box.sealed.round == round
        ]
        locks = [box.commitment for box in asked if box.commitment is not None]
        if len(locks) == len(asked):
            for box in asked:
                box.reveal_marks = box.reveal_marks or sorted(map(mark, locks))

    def cancel(self, name: str, round: int) -> None:
        """Cancel this round on a box."""
        box = self.box(name)
        if box.sealed is not None and box.sealed.round == round:
            box.forget_round()
            self._drop_question(box)
        elif box.last_revealed != round:
            return
        box.cancelling = round if box.cancelling in {None, round} else 0  # two rounds to cancel: 0 cancels any

    def ring(self, name: str, picture: LampPicture) -> None:
        """Show this picture on a box's ring, now or when the box connects."""
        self.box(name).ring = picture

    def say(self, name: str, text: str) -> None:
        """Show this line on a box's small display, now or when the box connects."""
        self.box(name).text = display_text(text)

    def buzz(self, name: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a sound if the box is connected."""
        if (session := self.box(name).session) is not None:
            session.buzz = kind

    def on_hello(self, session: SeatBoxSession, hello: Hello) -> SeatBox | None:
        """Register a box that says hello on a line. Return it, or None if another line has it."""
        box = self.box(hello.id)
        if box.session is not None and box.session is not session:
            return None
        fresh = hello.boot != box.boot
        had_lock = box.commitment is not None
        box.session, box.boot = session, hello.boot
        self.put(BoxUp(box.id, hello.boot, hello.v, hello.n))
        if fresh:
            box.commitment = None
            box.is_open = False
            box.reveal_marks = []
            box.names_sent = 0
            box.cancelling = 0  # after an unknown boot the box may hold a round of an earlier hub
        if box.sealed is not None and had_lock:
            # A box keeps its lock until it loses power.
            self.put((BoxUnlocked if fresh else BoxLocked)(box.id, box.sealed.round))
        return box

    def on_lost(self, box: SeatBox, sentence: str) -> None:
        """Report a box whose line is silent or lost. A second line with the same id may take it over."""
        box.session = None
        self.put(BoxDown(box.id, sentence))
        for other in self.sessions:
            other.retry(box.id)

    def _drop_question(self, box: SeatBox) -> None:
        if box.session is not None and isinstance(box.session.link.question, Open | Name | Reveal):
            box.session.link.drop_question()


class SeatBoxSession(BoardSession):
    """The session with the box on one open line."""

    def __init__(self, fleet: Fleet, port: str) -> None:
        super().__init__(port, fleet.first_number() + 1)
        self.buzz: Literal["lock", "error", "reveal"] | None = None
        self._fleet = fleet
        self._box: SeatBox | None = None
        self._duplicate_id = ""  # the id that another line has too
        self._ask_count = 0
        self._ring: LampPicture | None = None  # as sent on this line
        self._text: str | None = None
        self._ring_again_at = 0.0

    def outgoing(self, now: float) -> bytes:
        """Return questions and answers, then the newest ring, text and sound."""
        box = self._box
        if self.state == "up" and box is not None:
            if self.link.question is None and (frame := box.next_question()) is not None:
                self.link.ask(frame, now)
            if box.ring is not None and box.ring != self._ring and now >= self._ring_again_at:
                self._ring = box.ring
                self.link.send(Ring(p=box.ring.pattern, n=box.ring.n, c=box.ring.colour))
            if box.text is not None and box.text != self._text:
                self._text = box.text
                self.link.send(Say(x=box.text))
            if self.buzz is not None:
                self.link.send(Buzz(k=self.buzz))
                self.buzz = None
        return self.link.outgoing()

    def on_close(self, error: DeviceLost) -> None:
        """Report that the line is lost."""
        self._fleet.sessions.remove(self)
        if self._box is not None:
            log.info("%s", error)
            self._lose_board(say("{device} is gone. Check its cable.", device=self._name))

    # --- the box ---

    @property
    def _name(self) -> str:
        return say("Box {box}", box=self._board[0])

    def _on_hello(self, hello: Hello) -> None:
        if hello.k != "buttons":
            if self._fleet.ports_are_named:  # else the board may belong to another driver
                self._fleet.report_no_box(
                    self.port,
                    say(
                        "The board at {path} says that it is a {kind}. A seat box is expected there.",
                        path=self.port,
                        kind=hello.k,
                    ),
                )
            self._reject_board(f"{self.port} is a {hello.k}, not a button box: the port is given up.")
            return
        if self._box is not None:
            self._lose_board(say("{device} was restarted.", device=self._name))
        box = self._fleet.on_hello(self, hello)
        if box is None:
            self._mark_duplicate(hello.id)
            return
        self._box = box
        self._fleet.clear_report(self.port)
        self._accept(hello, box.seen)
        self._ring = self._text = self.buzz = None
        self._ring_again_at = 0.0

    def _mark_duplicate(self, name: str) -> None:
        if self.state != "duplicate":
            used = self._fleet.box(name).session
            assert used is not None
            sentence = say(
                "Two boxes have the id {box}. The one at {path} is used, the one at {other} is not.",
                box=name,
                path=used.port,
                other=self.port,
            )
            self._fleet.report_no_box(self.port, sentence)
        self.state, self._duplicate_id = "duplicate", name

    def _on_other_protocol(self, other: OtherProtocol) -> None:
        log.info(
            "%s: firmware %r, protocol %d, and this hub speaks %d.",
            other.id or self.port, other.firmware, other.protocol, PROTOCOL,
        )  # fmt: skip
        sentence = other.refusal(self.port)
        if self._box is not None:
            self._lose_board(sentence)
        self._fleet.report_no_box(self.port, sentence)
        self.state = "ignored"

    def _on_frame(self, frame: Frame) -> None:
        box = self._box
        assert box is not None
        match frame:
            case Ok(re=re):
                if not isinstance(self.link.question, Reveal):  # only Bid answers Reveal
                    self._on_confirmed(box, self.link.confirm(re))
            case Nak():
                if self._ring is not None:
                    self._ring, self._ring_again_at = None, self._last_frame_at + NAK_REST
            case Press() | Detents() | Locked() | Unlocked() | Bid():
                if not self.link.acknowledge_repeat(frame, box.boot) and self._handle(box, frame):
                    self.link.acknowledge(frame, box.boot)

    def _on_confirmed(self, box: SeatBox, asked: Frame | None) -> None:
        if asked is None:
            return
        self._backoff = backoff()
        match asked:
            case Cancel(r=round) if box.cancelling == round:
                box.cancelling = None
            case Open(r=round) if box.sealed is not None and box.sealed.round == round:
                box.is_open = True
            case Name(r=round) if box.sealed is not None and box.sealed.round == round:
                box.names_sent += 1

    def _handle(self, box: SeatBox, frame: Frame) -> bool:
        """Handle a frame. Return False if the box must repeat it, so that it is not acknowledged."""
        put = self._fleet.put
        match frame:
            case Press(k=control, e=edge):
                put(Key(box.id, control, edge))
            case Detents(d=detents):
                put(Turn(box.id, detents))
            case Locked(r=round, c=commitment):
                return self._on_locked(box, round, commitment)
            case Unlocked(r=round):
                if box.sealed is not None and box.sealed.round == round:
                    if box.reveal_marks:
                        # Too late, all seats have locked. The box unlocks only after an acknowledgment.
                        return False
                    if box.commitment is not None:
                        box.commitment = None
                        put(BoxUnlocked(box.id, round))
            case Bid():
                self._on_bid(box, frame)
        return True

    def _on_locked(self, box: SeatBox, round: int, commitment: str) -> bool:
        if box.sealed is None or box.sealed.round != round:
            # The box has missed the end of this round.
            if box.cancelling is None:
                box.cancelling = round
            return True
        asked = isinstance(self.link.question, Open) and self.link.question.r == round
        if not asked and not box.is_open:
            # A lock from before a cancel, or before the hub has sent Open: the box repeats it.
            return False
        box.is_open = True
        if asked:
            self.link.drop_question()
        if not box.reveal_marks:  # during a reveal the commitment that the others have received counts
            box.commitment = commitment
            self._fleet.put(BoxLocked(box.id, round))
        return True

    def _on_bid(self, box: SeatBox, bid: Bid) -> None:
        sealed = box.sealed
        if sealed is None or sealed.round != bid.r or not box.reveal_marks:
            return
        is_valid = bid.b <= sealed.high and commitment(box.id, bid.r, bid.b, bid.n) == box.commitment
        if isinstance(self.link.question, Reveal):
            self.link.drop_question()
        self._backoff = backoff()
        box.forget_round()
        box.last_revealed = bid.r
        self._fleet.put(BoxBid(box.id, bid.r, bid.b) if is_valid else BoxCheated(box.id, bid.r))

    # --- states ---

    def retry(self, name: str) -> None:
        """Ask again if this line has a duplicate of a box that its other line has lost."""
        if self.state == "duplicate" and self._duplicate_id == name:
            self.state, self._who, self._ask_at, self._backoff = "asking", None, 0.0, backoff()

    def _ask(self, now: float) -> None:
        super()._ask(now)
        self._ask_count += 1
        if self._ask_count == ASKS and not self.accepted:
            self._name_unknown_board()

    def _name_unknown_board(self) -> None:
        self._fleet.report_no_box(
            self.port,
            say(
                "The board at {path} does not identify itself as a seat box. Is the box's firmware installed?",
                path=self.port,
            ),
        )

    def _on_board_lost(self, sentence: str) -> None:
        box, self._box = self._box, None
        assert box is not None
        self._fleet.on_lost(box, sentence)


class ButtonBoxes:
    """The `Boxes` port over serial cables, and the device of a `[[device]]` block. No method blocks."""

    lamps = page = dice = None

    def __init__(self, inbox: Inbox, ports: Sequence[str] | None, clock: Clock, random: Random) -> None:
        """Use these ports only; if `ports` is None, all boards with the USB id of a Pico.

        `random` chooses the first frame numbers.
        """
        self._fleet = Fleet(inbox, lambda: random.randrange(2**29), ports_are_named=ports is not None)
        self._find = usb_ports if ports is None else named_ports(ports)
        self._lines = Lines(self._fleet.session, clock, self._scan)

    @property
    def boxes(self) -> ButtonBoxes:
        """The device implements its port itself."""
        return self

    def _scan(self) -> Sequence[str]:
        present = self._find()
        self._fleet.on_scan(present)
        return present

    def start(self) -> None:
        """Start to look for boxes."""
        self._lines.start()

    def close(self) -> None:
        """Close the lines."""
        self._lines.close()

    def wake(self) -> None:
        """Check the clock now, after a test has advanced it."""
        self._lines.wake()

    def open(self, box: str, sealed: SealedRound) -> None:
        """Start a sealed choice in place of any other. If this round is open already, nothing changes."""
        self._lines.call_soon(partial(self._fleet.open, box, sealed))

    def reveal(self, boxes: Sequence[str], round: int) -> None:
        """Ask these boxes for their values. If an owner has just unlocked, BoxUnlocked is in the inbox instead."""
        self._lines.call_soon(partial(self._fleet.reveal, boxes, round))

    def cancel(self, box: str, round: int) -> None:
        """End the sealed choice, because it is over or void."""
        self._lines.call_soon(partial(self._fleet.cancel, box, round))

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on the box's ring, also after it is plugged in again."""
        self._lines.call_soon(partial(self._fleet.ring, box, picture))

    def say(self, box: str, text: str) -> None:
        """Show one line on the small display, also after the box is plugged in again."""
        self._lines.call_soon(partial(self._fleet.say, box, text))

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """Make a short sound if the box is connected."""
        self._lines.call_soon(partial(self._fleet.buzz, box, kind))


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "button_box"`."""

    ports: Annotated[
        list[str] | None,
        msgspec.Meta(description="the boxes' serial ports, such as /dev/ttyACM0; left out: found by USB id"),
    ] = None


def needs(settings: Mapping[str, object]) -> list[Need]:
    """Return the requirements of a `[[device]]` block: the cables."""
    plug = "plug a box in with a cable that carries data; a new Pico needs its firmware first: firmware/README.md"
    return [Need("cable", name, plug, "buttons") for name in block.read(Settings, settings, "button_box").ports or [""]]


def connect(settings: Mapping[str, object], context: DriverContext) -> ButtonBoxes:
    """Return the device of a `[[device]]` block."""
    return ButtonBoxes(
        context.inbox, block.read(Settings, settings, "button_box").ports, MonotonicClock(), context.random
    )
