"""A dice tray on a serial cable: keys, or a maker's own reader, that report faces in frames (`firmware/dice_tray`).

`TrayState` holds the requested throw and the last report, `TraySession` the protocol on one line; neither has a thread, port
or clock. A tray is identified by the id in its hello. After it was unplugged it reports what it has read meanwhile. Hub and tray
number throws alike, so that no throw is lost or counts twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Annotated

import msgspec

from drivers.common import settings as block
from drivers.common.backoff import backoff
from drivers.common.board_session import BoardSession
from drivers.common.frames import (
    HIGHEST,
    PROTOCOL,
    Arm,
    Disarm,
    Frame,
    Hello,
    Ok,
    OtherProtocol,
    SeenFrames,
    Thrown,
)
from drivers.common.requirements import Need
from drivers.common.serial_lines import Lines, named_ports, usb_ports
from drivers.common.worker import Inbox
from hub.engine.text import say
from hub.errors import DeviceLost
from hub.ports import Clock, DeviceDown, DeviceUp, DiceKit, DiceSeen, DiceState, DriverContext, MonotonicClock

log = logging.getLogger(__name__)

NAME = say("the dice tray")
SILENT = say("The dice tray is silent: type what the dice show.")


class TrayState:
    """The tray of one table, on any line. Use it on one thread only."""

    def __init__(self, put: Inbox, random: Random, tray_id: str | None = None) -> None:
        """If `tray_id` is None, use the first tray that says hello. `random` chooses the first numbers of throws and frames."""
        self.put, self.random = put, random
        self.id = tray_id
        # Random, because a tray may still hold a throw of an earlier hub with a low number.
        self._first = random.randrange(HIGHEST // 2)
        self.target: Arm | Disarm = Disarm()
        self.session: TraySession | None = None
        self._number = 0
        self._sides = 0
        self._count = 0
        self._last_report: tuple[DiceState, tuple[int, ...]] | None = None
        self._reported = ""

    # --- the table ---

    def arm(self, number: int, count: int, sides: int, *, lying: bool) -> None:
        """Request this throw, in place of any other."""
        self._number, self._count, self._sides, self._last_report = number, count, sides, None
        self._set_target(Arm(a=(self._first + number) % HIGHEST, n=count, f=sides, l=int(lying)))
        if self.session is None:
            self._report("no_reader", sentence=SILENT)
        else:
            self._report("armed")

    def disarm(self) -> None:
        """Request no throw."""
        self._set_target(Disarm())

    def _set_target(self, target: Arm | Disarm) -> None:
        self.target = target
        if self.session is not None:
            self.session.link.drop_question()

    # --- the tray ---

    def on_hello(self, session: TraySession, hello: Hello) -> bool:
        """Register a tray that says hello; return whether it belongs to this table.

        It may have moved to another port before the old line was found silent.
        """
        if self.id not in (None, hello.id):
            return False
        self.id = hello.id
        if self.session is not None and self.session is not session:
            self.session.finished = True
        self.session = session
        if self._reported:
            self._reported = ""
            self.put(DeviceUp(NAME))
        self.put(DiceKit(NAME, hello.n))
        return True

    def on_lost(self, session: TraySession, sentence: str) -> None:
        """Report that the line of the tray is silent or lost."""
        if self.session is not session:
            return
        self.session = None
        self.report_down(sentence)
        self.put(DiceKit(NAME, 0))
        if isinstance(self.target, Arm) and (self._last_report is None or self._last_report[0] != "settled"):
            self._report("no_reader", sentence=SILENT)

    def report_down(self, sentence: str) -> None:
        """Report a failure to staff, once."""
        if sentence != self._reported:
            self._reported = sentence
            log.warning("%s", sentence)
            self.put(DeviceDown(NAME, sentence))

    def on_throw(self, thrown: Thrown) -> None:
        """Report the state of the requested throw; ignore others."""
        if not isinstance(self.target, Arm) or thrown.a != self.target.a:
            return
        sentence = ""
        if thrown.st == "wrong_count":
            sentence = say(
                "The tray sees {seen} of {count} dice: throw them all again, or type what they show.",
                seen=len(thrown.f),
                count=self._count,
            )
        elif thrown.st == "no_reader":
            sentence = say("The tray cannot read dice with {sides} sides: type what they show.", sides=self._sides)
        self._report(thrown.st, tuple(thrown.f), sentence)

    def _report(self, state: DiceState, faces: tuple[int, ...] = (), sentence: str = "") -> None:
        if (state, faces) != self._last_report:
            self._last_report = (state, faces)
            self.put(DiceSeen(NAME, self._number, state, () if state == "wrong_count" else faces, sentence))


class TraySession(BoardSession):
    """The session with the tray on one open line."""

    _name = say("The dice tray")

    def __init__(self, tray: TrayState, port: str) -> None:
        super().__init__(port, tray.random.randrange(2**29) + 1)
        self._tray = tray
        self._confirmed: Frame | None = None  # the target that the tray has confirmed

    def outgoing(self, now: float) -> bytes:
        """Return the newest target until it is confirmed, and answers."""
        target = self._tray.target
        if self.state == "up" and self.link.question is None and self._confirmed is not target:
            self.link.ask(target, now)
        return self.link.outgoing()

    def on_close(self, error: DeviceLost) -> None:
        """Report that the line is lost."""
        log.info("%s", error)
        self._tray.on_lost(self, say("{device} is gone. Check its cable.", device=self._name))

    # --- the tray ---

    def _on_hello(self, hello: Hello) -> None:
        if hello.k != "tray" or not self._tray.on_hello(self, hello):
            self._reject_board(
                f"{self.port} is the {hello.k} {hello.id}, not the dice tray of this table: it is given up."
            )
            return
        self._accept(hello, SeenFrames())
        self._confirmed, self._backoff = None, backoff()

    def _on_other_protocol(self, other: OtherProtocol) -> None:
        if other.id != self._tray.id:
            return  # the tray may belong to another table
        log.info("%s: protocol %d, and this hub speaks %d.", self.port, other.protocol, PROTOCOL)
        self._tray.report_down(
            say("The dice tray has older firmware than this hub: install this hub's firmware on it.")
            if other.protocol < PROTOCOL
            else say("The dice tray has newer firmware than this hub: update the hub.")
        )
        self.state = "ignored"

    def _on_frame(self, frame: Frame) -> None:
        match frame:
            case Ok(re=re):
                asked = self.link.confirm(re)
                if asked is not None and asked == msgspec.structs.replace(self._tray.target, s=asked.s):
                    self._confirmed = self._tray.target
            case Thrown():
                if not self.link.acknowledge_repeat(frame, self._board[1]):
                    self._tray.on_throw(frame)
                    self.link.acknowledge(frame, self._board[1])

    def _on_board_lost(self, sentence: str) -> None:
        self._tray.on_lost(self, sentence)


class DiceTray:
    """The `Dice` port over a serial cable, and the device of a `[[device]]` block. No method blocks."""

    lamps = page = boxes = None
    named_by = "tray"

    def __init__(self, asked: Settings, inbox: Inbox, clock: Clock, random: Random) -> None:
        self._tray = TrayState(inbox, random, asked.tray)
        find: Callable[[], Sequence[str]] = usb_ports if asked.ports is None else named_ports(asked.ports)
        self._lines = Lines(partial(TraySession, self._tray), clock, find)

    @property
    def dice(self) -> DiceTray:
        """The device implements its port itself."""
        return self

    def start(self) -> None:
        """Start to look for the tray."""
        self._tray.put(DiceKit(NAME, 0))
        self._lines.start()

    def close(self) -> None:
        """Close the line."""
        self._lines.close()

    def wake(self) -> None:
        """Check the clock now, after a test has advanced it."""
        self._lines.wake()

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:  # noqa: ARG002 - a tray does not know who throws
        """Watch for a throw."""
        self._lines.call_soon(partial(self._tray.arm, number, count, sides, lying=lying))

    def disarm(self) -> None:
        """Ignore the dice."""
        self._lines.call_soon(self._tray.disarm)


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "dice_tray"`."""

    tray: Annotated[
        str | None,
        msgspec.Meta(description="the tray's id, if several are plugged in; left out: the first one found"),
    ] = None
    ports: Annotated[
        list[str] | None,
        msgspec.Meta(description="the tray's serial ports, such as /dev/ttyACM0; left out: found by USB id"),
    ] = None


def needs(settings: Mapping[str, object]) -> list[Need]:
    """Return the requirements of a `[[device]]` block: the cable."""
    plug = "plug the tray in with a cable that carries data; a new Pico needs its firmware first: firmware/README.md"
    return [Need("cable", name, plug, "tray") for name in block.read(Settings, settings, "dice_tray").ports or [""]]


def connect(settings: Mapping[str, object], context: DriverContext) -> DiceTray:
    """Return the device of a `[[device]]` block."""
    return DiceTray(block.read(Settings, settings, "dice_tray"), context.inbox, MonotonicClock(), context.random)
