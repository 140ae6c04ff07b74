"""The real firmware of a dice tray at its own end of a cable: its keys are a test's, its clock, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from drivers.dice_tray import DiceTray, Settings
from drivers.simulated.seat_box import SimBox
from hub.ports import Control, DiceKit, DiceSeen
from tests.drivers.bench import Inbox, StillClock, let_pass
from tests.firmware.pico import FAKE_BOARD, FIRMWARE, ROOT, TAP, MicroPythonBox, Pico

TRAY = ROOT / "firmware" / "dice_tray"
TRAY_ID = "e661640843210a2c"


class MicroPythonTray(MicroPythonBox):
    """What `MicroPythonBox` is for a box; `reader` is a folder with a reader.py of one's own."""

    def __init__(self, name: str = TRAY_ID, reader: Path = TRAY) -> None:
        self._reader = reader
        super().__init__(name)

    def _start(self, ms: int = 0) -> Pico:
        paths = f"{FAKE_BOARD}:{self._reader}:{TRAY}:{FIRMWARE}:.frozen"
        return Pico(self.name, ms, program=FAKE_BOARD / "start_tray.py", MICROPYPATH=paths)

    def state(self) -> dict[str, Any]:
        return {"lamps": self.pico.shown["lamps"][:6]}


class TrayBench:
    """A tray on a pty with somebody at its keys, the driver, and one clock."""

    def __init__(
        self, folder: Path, reader: Path = TRAY, inbox: Inbox | None = None, clock: StillClock | None = None
    ) -> None:
        self.clock = clock or StillClock()
        self.inbox = inbox or Inbox()
        self._program = MicroPythonTray(reader=reader)
        self.keys = SimBox(TRAY_ID, folder / "tray", self.clock, program=self._program)
        self.tray = DiceTray(Settings(ports=[str(folder / "tray")]), self.inbox, self.clock, Random(1))
        self.clock.wakes += [self.keys.wake, self.tray.wake]
        self.keys.start()
        self.tray.start()
        self.pass_until(lambda: any(kit.dice for kit in self.inbox.all(DiceKit)))

    def pass_until(self, right: Callable[[], object], step: float = 0.05) -> None:
        """Let time pass, step by step, until something is so."""
        let_pass(self.clock, self.inbox, right, "it", step)

    def seen(self, number: int, state: str) -> DiceSeen:
        """What the table hears of a throw in that state."""

        def found() -> list[DiceSeen]:
            return [one for one in self.inbox.all(DiceSeen) if (one.arm, one.state) == (number, state)]

        self.pass_until(found)
        return found()[-1]

    def watching(self) -> bool:
        """Whether the tray has the newest throw: its lamps may still be those of the throw before."""
        session = self.tray._tray.session
        confirmed = session is not None and session._confirmed is self.tray._tray.target
        return confirmed and self.keys.state()["lamps"] == "080808"

    def arm(self, number: int, count: int, sides: int = 6, *, lying: bool = False) -> None:
        """Ask for a throw, and wait until the tray says that it may be typed."""
        self.tray.arm(number, 1, count, sides, lying=lying)
        self.seen(number, "armed")
        self.pass_until(self.watching)

    def press(self, *controls: Control) -> None:
        """Press, each until the finger is off the key again."""
        for control in controls:
            off = self._program.pico.ms + 2 * TAP
            self.keys.press(control)
            self.pass_until(lambda off=off: self._program.pico.ms >= off, step=0)  # type: ignore[misc]

    def close(self) -> None:
        self.tray.close()
        self.keys.close()
        self._program.close()
