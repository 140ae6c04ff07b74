"""A dice tray on a serial cable: keys, or a maker's own reader, that tell faces in frames (`firmware/dice_tray`).

`Tray` is what the table wants and what was told, `Cable` the conversation on one line; neither has a thread, port or
clock. A tray is known by its id and found by its hello. One that was pulled out tells when it is back what it has read
meanwhile: it numbers throws as the hub does, so that nothing is lost and nothing counts twice.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from drivers.common import settings as block
from drivers.common.backoff import rests
from drivers.common.board_session import Conversation
from drivers.common.frames import (
    HIGHEST,
    PROTOCOL,
    Arm,
    Disarm,
    Frame,
    Hello,
    Memory,
    Ok,
    OtherProtocol,
    Thrown,
)
from drivers.common.requirements import Need
from drivers.common.serial_lines import Lines, SteadyClock, named_ports, usb_ports
from drivers.common.worker import Inbox
from hub.errors import DeviceLost
from hub.ports import Clock, DeviceDown, DeviceUp, DiceKit, DiceSeen, DiceState

log = logging.getLogger(__name__)

NAME = "the dice tray"
SILENT = "The dice tray is silent: type what the dice show."


class Tray:
    """The tray of one table, on whichever cable. Everything here happens on one thread."""

    def __init__(self, put: Inbox, wanted: str | None = None, first: int | None = None) -> None:
        """With `wanted` None the first tray that is met is the one. `first` is the number of throw 0 on the cable."""
        self.put = put
        self.wanted = wanted
        # A tray that outlives the hub may still hold a throw of that number: the next hub counts from elsewhere.
        self._first = secrets.randbelow(HIGHEST // 2) if first is None else first
        self.wish: Arm | Disarm = Disarm()
        self.cable: Cable | None = None
        self._number = 0
        self._sides = 0
        self._count = 0
        self._said: tuple[DiceState, tuple[int, ...]] | None = None
        self._trouble = ""

    # --- the table ---

    def arm(self, number: int, count: int, sides: int, *, lying: bool) -> None:
        """Wanted from now on: this throw."""
        self._number, self._count, self._sides, self._said = number, count, sides, None
        self._wish(Arm(a=(self._first + number) % HIGHEST, n=count, f=sides, l=int(lying)))
        if self.cable is None:
            self._say("no_reader", say=SILENT)
        else:
            self._say("armed")

    def disarm(self) -> None:
        """Wanted from now on: nothing."""
        self._wish(Disarm())

    def _wish(self, wish: Arm | Disarm) -> None:
        self.wish = wish
        if self.cable is not None:
            self.cable.link.settle()

    # --- the tray ---

    def met(self, cable: Cable, hello: Hello) -> bool:
        """A tray said hello; whether it is ours. It may have moved to another port before the old one was missed."""
        if self.wanted not in (None, hello.id):
            return False
        self.wanted = hello.id
        if self.cable is not None and self.cable is not cable:
            self.cable.finished = True
        self.cable = cable
        if self._trouble:
            self._trouble = ""
            self.put(DeviceUp(NAME))
        self.put(DiceKit(NAME, hello.n))
        return True

    def lost(self, cable: Cable, why: str) -> None:
        """Its cable is silent or gone."""
        if self.cable is not cable:
            return
        self.cable = None
        self.mourn(why)
        self.put(DiceKit(NAME, 0))
        if isinstance(self.wish, Arm) and (self._said is None or self._said[0] != "settled"):
            self._say("no_reader", say=SILENT)

    def mourn(self, why: str) -> None:
        """Something is wrong with it, for staff."""
        if why != self._trouble:
            self._trouble = why
            log.warning("%s", why)
            self.put(DeviceDown(NAME, why))

    def told(self, thrown: Thrown) -> None:
        """How a throw stands; only the one that is asked for counts."""
        if not isinstance(self.wish, Arm) or thrown.a != self.wish.a:
            return
        say = ""
        if thrown.st == "wrong_count":
            say = f"The tray has {len(thrown.f)} of {self._count}: throw them all again, or type what they show."
        elif thrown.st == "no_reader":
            say = f"The tray cannot read dice with {self._sides} sides: type what they show."
        self._say(thrown.st, tuple(thrown.f), say)

    def _say(self, state: DiceState, faces: tuple[int, ...] = (), say: str = "") -> None:
        if (state, faces) != self._said:
            self._said = (state, faces)
            self.put(DiceSeen(NAME, self._number, state, () if state == "wrong_count" else faces, say))


class Cable(Conversation):
    """The conversation with whatever tray is on one open line."""

    _name = "The dice tray"

    def __init__(self, tray: Tray, port: str) -> None:
        super().__init__(port, secrets.randbelow(2**29) + 1)
        self._tray = tray
        self._done: Frame | None = None  # the wish that the tray has confirmed

    def outgoing(self, now: float) -> bytes:
        """The newest wish until it is confirmed, and answers."""
        wish = self._tray.wish
        if self.state == "up" and self.link.asked is None and self._done is not wish:
            self.link.ask(wish, now)
        return self.link.outgoing()

    def lost(self, why: DeviceLost) -> None:
        """The line is gone."""
        self._tray.lost(self, f"{self._name} is gone: {why}")

    # --- what the tray says ---

    def _greet(self, hello: Hello) -> None:
        if hello.k != "tray" or not self._tray.met(self, hello):
            self._give_up(f"{self.port} is the {hello.k} {hello.id}, not the dice tray of this table: it is given up.")
            return
        self._meet(hello, Memory())
        self._done, self._rests = None, rests()

    def _refuse(self, other: OtherProtocol) -> None:
        if other.id != self._tray.wanted:
            return  # whose it is cannot be known
        cure = "put the firmware of this hub on it" if other.protocol < PROTOCOL else "update the hub"
        self._tray.mourn(f"The dice tray speaks protocol {other.protocol}, this hub {PROTOCOL}: {cure} ({self.port}).")
        self.state = "ignored"

    def _obey(self, frame: Frame) -> None:
        match frame:
            case Ok(re=re):
                asked = self.link.confirm(re)
                if asked is not None and asked == msgspec.structs.replace(self._tray.wish, s=asked.s):
                    self._done = self._tray.wish
            case Thrown():
                if not self.link.repeated(frame, self._known[1]):
                    self._tray.told(frame)
                    self.link.answer(frame, self._known[1])

    def _lose(self, why: str) -> None:
        self._tray.lost(self, why)


class DiceTray:
    """The `Dice` port over a serial cable, and the device of a `[[device]]` block. Nothing here blocks."""

    lamps = page = boxes = None

    def __init__(self, asked: Settings, inbox: Inbox, clock: Clock) -> None:
        self._tray = Tray(inbox, asked.tray)
        find: Callable[[], Any] = usb_ports if asked.ports is None else named_ports(asked.ports)
        self._lines = Lines(partial(Cable, self._tray), clock, find)

    @property
    def dice(self) -> DiceTray:
        """The port this device fulfils."""
        return self

    def start(self) -> None:
        """Look for the tray from now on."""
        self._tray.put(DiceKit(NAME, 0))
        self._lines.start()

    def close(self) -> None:
        """Give the cable back."""
        self._lines.close()

    def wake(self) -> None:
        """Look at the clock now (a test has put it forward)."""
        self._lines.wake()

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:  # noqa: ARG002 - a tray does not know who throws
        """Watch for a throw."""
        self._lines.tell(partial(self._tray.arm, number, count, sides, lying=lying))

    def disarm(self) -> None:
        """Ignore whatever the dice do."""
        self._lines.tell(self._tray.disarm)


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "dice_tray"`: which tray, where there are several, and ports by name, else found by USB id."""

    tray: str | None = None
    ports: list[str] | None = None


def needs(settings: Mapping[str, Any]) -> list[Need]:
    """What the machine must have for a `[[device]]` block: its cable."""
    plug = "plug the tray in with a cable that carries data; a new Pico needs its firmware first: firmware/README.md"
    return [Need("cable", name, plug) for name in block.read(Settings, settings, "dice_tray").ports or [""]]


def connect(settings: Mapping[str, Any], inbox: Inbox, _draws: Mapping[str, Any] | None = None) -> DiceTray:
    """The device of a `[[device]]` block; a tray draws nothing."""
    return DiceTray(block.read(Settings, settings, "dice_tray"), inbox, SteadyClock())
