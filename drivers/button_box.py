"""The seat boxes: dial, bar, six keys and a ring of lamps on a serial cable each (protocol: `frames.py`).

`Fleet` and `Cable` are what the hub says and understands, without thread, port or clock of their own.
`ButtonBoxes` puts them on cables and is the `Boxes` port. A box is known by its id, never by its port.
A sealed value stays in its box until the reveal; what comes then must fit the commitment that came before.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import msgspec

from drivers.common import settings as block
from drivers.common.backoff import rests
from drivers.common.board_session import Conversation
from drivers.common.frames import (
    PROTOCOL,
    Bid,
    Buzz,
    Cancel,
    Detents,
    Frame,
    Hello,
    Locked,
    Memory,
    Nak,
    Name,
    Ok,
    Open,
    OtherProtocol,
    Press,
    Reveal,
    Ring,
    Say,
    Unlocked,
    commitment,
)
from drivers.common.requirements import Need
from drivers.common.serial_lines import Lines, SteadyClock, named_ports, usb_ports
from drivers.common.worker import Inbox
from hub.errors import DeviceLost, WrongFirmware
from hub.ports import (
    BoxBid,
    BoxCheated,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    Clock,
    Key,
    LampPicture,
    SealedRound,
    Turn,
)

log = logging.getLogger(__name__)

ASKS = 5  # after so many, about eight seconds, a board that never said hello is named; it is asked on
NAK_REST = 1.0  # a ring that the box could not read is told again at most this often
WIDEST = 40  # characters of the small display


@dataclass(slots=True)
class Box:
    """One box as the hub knows it, on whichever cable: what it was asked to do and what it said."""

    id: str
    boot: str = ""
    cable: Cable | None = None
    memory: Memory = field(default_factory=Memory)
    sealed: SealedRound | None = None
    opened: bool = False  # in this boot of the box
    named: int = 0  # so many of its answers, in this boot
    commitment: str | None = field(default=None, repr=False)
    revealing: bool = False
    cancelling: int | None = None
    told: int | None = None  # the last round whose value came
    ring: LampPicture | None = None
    text: str | None = field(default=None, repr=False)

    def wanted(self) -> Frame | None:
        """The next question to the box; None when it has done all that was asked."""
        if self.cancelling is not None:
            return Cancel(r=self.cancelling)
        if self.sealed is None:
            return None
        if self.revealing:
            return Reveal(r=self.sealed.round)
        if not self.opened:
            return Open(r=self.sealed.round, lo=0, hi=self.sealed.high, at=self.sealed.at)
        return self._next_name(self.sealed)

    def _next_name(self, sealed: SealedRound) -> Frame | None:
        """The name to tell next: from where the dial starts outwards, so that it is there before it is looked at."""
        if self.named == len(sealed.names):
            return None
        places = sorted(range(len(sealed.names)), key=lambda place: abs(place - sealed.at))
        place = places[self.named]
        return Name(r=sealed.round, i=place, x=shown(sealed.names[place], ascii_only=True))

    def forget_round(self) -> None:
        """The sealed round is over here."""
        self.sealed = self.commitment = None
        self.opened = self.revealing = False
        self.named = 0


def shown(text: str, *, ascii_only: bool = False) -> str:
    """A text as the small display takes it."""
    fits = (lambda letter: " " <= letter <= "~") if ascii_only else str.isprintable
    return "".join(letter if fits(letter) else " " for letter in text)[:WIDEST]


class Fleet:
    """All boxes and all cables of the hub. Everything here happens on one thread."""

    def __init__(self, inbox: Inbox, first_number: Callable[[], int] = lambda: secrets.randbelow(2**29)) -> None:
        self.put = inbox
        self.first_number = first_number
        self.cables: list[Cable] = []
        self._boxes: dict[str, Box] = {}

    def cable(self, port: str) -> Cable:
        """A new cable at `port`."""
        cable = Cable(self, port)
        self.cables.append(cable)
        return cable

    def box(self, name: str) -> Box:
        """The box of that id; a box may be asked for something before it is plugged in."""
        return self._boxes.setdefault(name, Box(name))

    def open(self, name: str, sealed: SealedRound) -> None:
        """Wanted from now on: this sealed round; the box's earlier round is void. The same round again is no news."""
        box = self.box(name)
        if box.sealed is not None and box.sealed.round == sealed.round:
            return
        box.forget_round()
        box.told = None
        box.sealed = sealed
        self._drop_question(box)

    def reveal(self, name: str, round: int) -> None:
        """Wanted from now on: the value. Without a lock there is none: then BoxUnlocked is on its way already."""
        box = self.box(name)
        if box.sealed is not None and box.sealed.round == round and box.commitment is not None:
            box.revealing = True

    def cancel(self, name: str, round: int) -> None:
        """Wanted from now on: nothing of this round."""
        box = self.box(name)
        if box.sealed is not None and box.sealed.round == round:
            box.forget_round()
            self._drop_question(box)
        elif box.told != round:
            return
        box.cancelling = round if box.cancelling in {None, round} else 0  # two rounds at once: whichever is open

    def ring(self, name: str, picture: LampPicture) -> None:
        """The newest picture of a box's ring."""
        self.box(name).ring = picture

    def say(self, name: str, text: str) -> None:
        """The newest line on a box's small display."""
        self.box(name).text = shown(text)

    def buzz(self, name: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """A sound now, or never if the box is not there."""
        if (cable := self.box(name).cable) is not None:
            cable.buzz = kind

    def met(self, cable: Cable, hello: Hello) -> Box | None:
        """A box said hello on a cable: its record, or None if another cable has it."""
        box = self.box(hello.id)
        if box.cable is not None and box.cable is not cable:
            return None
        fresh = hello.boot != box.boot
        had_lock = box.commitment is not None
        box.cable, box.boot = cable, hello.boot
        self.put(BoxUp(box.id, hello.boot, hello.v, hello.n))
        if fresh:
            box.commitment = None
            box.opened = box.revealing = False
            box.named = 0
            box.cancelling = 0  # a boot that this hub has not met may hold a round of an earlier hub
        if box.sealed is not None and had_lock:
            # The same boot still holds its lock; with the power went the lock.
            self.put((BoxUnlocked if fresh else BoxLocked)(box.id, box.sealed.round))
        return box

    def lost(self, box: Box, why: str) -> None:
        """The cable of a box is silent or gone. A second cable with the same id may have it now."""
        box.cable = None
        self.put(BoxDown(box.id, why))
        for other in self.cables:
            other.try_again(box.id)

    def _drop_question(self, box: Box) -> None:
        if box.cable is not None and isinstance(box.cable.link.asked, Open | Name | Reveal):
            box.cable.link.settle()


class Cable(Conversation):
    """The conversation with whatever box is on one open line."""

    def __init__(self, fleet: Fleet, port: str) -> None:
        super().__init__(port, fleet.first_number() + 1)
        self.buzz: Literal["lock", "error", "reveal"] | None = None
        self._fleet = fleet
        self._box: Box | None = None
        self._twin = ""  # the id that another cable has too
        self._asks = 0
        self._ring: LampPicture | None = None  # as told on this cable
        self._text: str | None = None
        self._ring_again_at = 0.0

    def outgoing(self, now: float) -> bytes:
        """Questions and answers first, then the newest ring, words and sound."""
        box = self._box
        if self.state == "up" and box is not None:
            if self.link.asked is None and (frame := box.wanted()) is not None:
                self.link.ask(frame, now)
            if box.ring is not None and box.ring != self._ring and now >= self._ring_again_at:
                self._ring = box.ring
                self.link.tell(Ring(p=box.ring.pattern, n=box.ring.n, c=box.ring.colour))
            if box.text is not None and box.text != self._text:
                self._text = box.text
                self.link.tell(Say(x=box.text))
            if self.buzz is not None:
                self.link.tell(Buzz(k=self.buzz))
                self.buzz = None
        return self.link.outgoing()

    def lost(self, why: DeviceLost) -> None:
        """The line is gone."""
        self._fleet.cables.remove(self)
        if self._box is not None:
            self._let_go(f"{self._name} is gone: {why}")

    # --- what the box says ---

    @property
    def _name(self) -> str:
        return f"Box {self._known[0]}"

    def _greet(self, hello: Hello) -> None:
        if hello.k != "buttons":
            self._give_up(f"{self.port} is a {hello.k}, not a button box: the port is given up.")
            return
        if self._box is not None:
            self._let_go(f"{self._name} was restarted.")
        box = self._fleet.met(self, hello)
        if box is None:
            self._be_twin(hello.id)
            return
        self._box = box
        self._meet(hello, box.memory)
        self._ring = self._text = self.buzz = None
        self._ring_again_at = 0.0

    def _be_twin(self, name: str) -> None:
        if self.state != "twin":
            other = self._fleet.box(name).cable
            place = other.port if other is not None else "another port"
            why = f"Two boxes say they are {name}: the one at {self.port} is not used, the one at {place} is."
            log.warning("%s", why)
            self._fleet.put(BoxDown(f"{name} at {self.port}", why))
        self.state, self._twin = "twin", name

    def _refuse(self, other: OtherProtocol) -> None:
        name = other.id or self.port
        age, cure = ("older", "") if other.protocol < PROTOCOL else ("newer", "update the hub, or ")
        wrong = WrongFirmware(
            f"Box {name} has {age} firmware ({other.firmware or 'nameless'}, protocol {other.protocol}) than this hub "
            f"(protocol {PROTOCOL}): {cure}put the firmware of this hub on the box ({self.port})."
        )
        log.warning("%s", wrong)
        if self._box is not None:
            self._let_go(str(wrong))
        else:
            self._fleet.put(BoxDown(name, str(wrong)))
        self.state = "ignored"

    def _obey(self, frame: Frame) -> None:
        box = self._box
        assert box is not None
        match frame:
            case Ok(re=re):
                if not isinstance(self.link.asked, Reveal):  # only the bid answers that
                    self._done(box, self.link.confirm(re))
            case Nak():
                if self._ring is not None:
                    self._ring, self._ring_again_at = None, self._heard_at + NAK_REST
            case Press() | Detents() | Locked() | Unlocked() | Bid():
                if not self.link.repeated(frame, box.boot) and self._act(box, frame):
                    self.link.answer(frame, box.boot)

    def _done(self, box: Box, asked: Frame | None) -> None:
        if asked is None:
            return
        self._rests = rests()
        match asked:
            case Cancel(r=round) if box.cancelling == round:
                box.cancelling = None
            case Open(r=round) if box.sealed is not None and box.sealed.round == round:
                box.opened = True
            case Name(r=round) if box.sealed is not None and box.sealed.round == round:
                box.named += 1

    def _act(self, box: Box, frame: Frame) -> bool:
        """Act on what the box did. False: it must not be acknowledged, the box shall repeat it."""
        put = self._fleet.put
        match frame:
            case Press(k=control, e=edge):
                put(Key(box.id, control, edge))
            case Detents(d=detents):
                put(Turn(box.id, detents))
            case Locked(r=round, c=said):
                return self._locked(box, round, said)
            case Unlocked(r=round):
                if box.sealed is not None and box.sealed.round == round:
                    if box.revealing:
                        # Too late: all have locked. A box opens its lock only when this is acknowledged.
                        return False
                    if box.commitment is not None:
                        box.commitment = None
                        put(BoxUnlocked(box.id, round))
            case Bid():
                self._told(box, frame)
        return True

    def _locked(self, box: Box, round: int, said: str) -> bool:
        if box.sealed is None or box.sealed.round != round:
            # A lock of a round that is over: the box has missed its end.
            if box.cancelling is None:
                box.cancelling = round
            return True
        asked = isinstance(self.link.asked, Open) and self.link.asked.r == round
        if not asked and not box.opened:
            # A lock of the same number from before a cancel, or the hub has still to ask: the box repeats it.
            return False
        box.opened = True
        if asked:
            self.link.settle()
        if not box.revealing:  # after that the first commitment counts
            box.commitment = said
            self._fleet.put(BoxLocked(box.id, round))
        return True

    def _told(self, box: Box, bid: Bid) -> None:
        sealed = box.sealed
        if sealed is None or sealed.round != bid.r or not box.revealing:
            return
        true = bid.b <= sealed.high and commitment(box.id, bid.r, bid.b, bid.n) == box.commitment
        if isinstance(self.link.asked, Reveal):
            self.link.settle()
        self._rests = rests()
        box.forget_round()
        box.told = bid.r
        self._fleet.put(BoxBid(box.id, bid.r, bid.b) if true else BoxCheated(box.id, bid.r))

    # --- states ---

    def try_again(self, name: str) -> None:
        """The cable that had the box of that id lost it: perhaps it is ours now."""
        if self.state == "twin" and self._twin == name:
            self.state, self._who, self._who_at, self._rests = "asking", None, 0.0, rests()

    def _ask(self, now: float) -> None:
        super()._ask(now)
        self._asks += 1
        if self._asks == ASKS and not self.fine:
            self._wonder()

    def _wonder(self) -> None:
        why = f"The board at {self.port} does not say that it is a seat box: is the box's firmware on it?"
        log.warning("%s", why)
        self._fleet.put(BoxDown(self.port, why))

    def _lose(self, why: str) -> None:
        box, self._box = self._box, None
        assert box is not None
        self._fleet.lost(box, why)


class ButtonBoxes:
    """The `Boxes` port over serial cables, and the device of a `[[device]]` block. Nothing here blocks."""

    lamps = page = dice = None

    def __init__(self, inbox: Inbox, ports: Sequence[str] | None, clock: Clock) -> None:
        """With `ports` None every board with the right USB id is looked at; else these ports and no others."""
        self._fleet = Fleet(inbox)
        self._lines = Lines(self._fleet.cable, clock, usb_ports if ports is None else named_ports(ports))

    @property
    def boxes(self) -> ButtonBoxes:
        """The port this device fulfils."""
        return self

    def start(self) -> None:
        """Look for boxes from now on."""
        self._lines.start()

    def close(self) -> None:
        """Give the cables back."""
        self._lines.close()

    def wake(self) -> None:
        """Look at the clock now (a test has put it forward)."""
        self._lines.wake()

    def open(self, box: str, sealed: SealedRound) -> None:
        """Ask for a sealed choice. The round that is open already goes on; any other takes its place."""
        self._lines.tell(partial(self._fleet.open, box, sealed))

    def reveal(self, box: str, round: int) -> None:
        """Ask for the value. If the owner was faster with the bar, BoxUnlocked is in the inbox already."""
        self._lines.tell(partial(self._fleet.reveal, box, round))

    def cancel(self, box: str, round: int) -> None:
        """The sealed choice is over or void."""
        self._lines.tell(partial(self._fleet.cancel, box, round))

    def ring(self, box: str, picture: LampPicture) -> None:
        """Draw on the box's ring; told again after a replug."""
        self._lines.tell(partial(self._fleet.ring, box, picture))

    def say(self, box: str, text: str) -> None:
        """One line on the small display; told again after a replug."""
        self._lines.tell(partial(self._fleet.say, box, text))

    def buzz(self, box: str, kind: Literal["lock", "error", "reveal"]) -> None:
        """A short sound, if the box is there now."""
        self._lines.tell(partial(self._fleet.buzz, box, kind))


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "button_box"`: ports by name, or none to find the boxes by their USB id."""

    ports: list[str] | None = None


def needs(settings: Mapping[str, Any]) -> list[Need]:
    """What the machine must have for a `[[device]]` block: the cables. Boxes come and go."""
    plug = "plug a box in with a cable that carries data; a new Pico needs its firmware first: firmware/README.md"
    return [Need("cable", name, plug) for name in block.read(Settings, settings, "button_box").ports or [""]]


def connect(settings: Mapping[str, Any], inbox: Inbox, _draws: Mapping[str, Any] | None = None) -> ButtonBoxes:
    """The device of a `[[device]]` block; boxes draw nothing."""
    return ButtonBoxes(inbox, block.read(Settings, settings, "button_box").ports, SteadyClock())
