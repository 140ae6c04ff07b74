"""A box or a tray that runs by itself: main.py in MicroPython, its USB line a pty, its clock the real one."""

from __future__ import annotations

import os
import select
import tty
from pathlib import Path
from typing import Any

from tests.firmware.pico import BOX, FIRMWARE, GPIO, micropython


class LiveBox:
    """The real firmware on the far end of a pty; `port` is what a hub opens."""

    def __init__(self, box: str = BOX, program: Path = FIRMWARE / "main.py", closed: str = "") -> None:
        far, self._near = os.openpty()
        tty.setraw(self._near)
        self.port = os.ttyname(self._near)
        orders, self._orders = os.pipe()
        self._lamps, lamps = os.pipe()
        self._begun = ""  # a picture whose line has not ended yet
        self._process: Any = micropython(
            program,
            stdin=far,
            stdout=far,
            pass_fds=(orders, lamps),
            env={"BOARD_IN": str(orders), "BOARD_LAMPS": str(lamps), "BOARD_ID": box, "BOARD_CLOSED": closed},
        )
        for number in (far, orders, lamps):
            os.close(number)

    def put(self, control: str, closed: bool) -> None:
        """Close or open a switch now."""
        os.write(self._orders, f"pin {GPIO[control]} {int(not closed)}\n".encode())

    def tap(self, *controls: str) -> None:
        """Press one control after another, as quickly as a hand does."""
        for control in controls:
            os.write(self._orders, f"tap {GPIO[control]}\n".encode())

    def lit(self, patience: float = 5.0) -> list[str]:
        """The next pictures of the ring, a line each; empty if none came."""
        if not select.select([self._lamps], [], [], patience)[0]:
            return []
        *lines, self._begun = (self._begun + os.read(self._lamps, 65536).decode()).split("\n")
        return lines

    def close(self) -> None:
        """Take the power away; for good."""
        self._process.kill()
        self._process.wait()
        for number in (self._near, self._orders, self._lamps):
            os.close(number)


def link(port: str, at: Path) -> str:
    """A name for a port that stays when the port is another one."""
    at.unlink(missing_ok=True)
    at.symlink_to(port)
    return str(at)
