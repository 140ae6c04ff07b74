"""The real firmware of a dice tray at its own end of a cable: its keys are a test's, its clock, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.firmware.pico import FAKE_BOARD, FIRMWARE, ROOT, FirmwareEnd, Pico

TRAY = ROOT / "firmware" / "dice_tray"
TRAY_ID = "e661640843210a2c"


class TrayEnd(FirmwareEnd):
    """What `FirmwareEnd` is for a box; `reader` is a folder with a reader.py of one's own."""

    def __init__(self, name: str = TRAY_ID, reader: Path = TRAY) -> None:
        self._reader = reader
        super().__init__(name)

    def _start(self, ms: int = 0) -> Pico:
        paths = f"{FAKE_BOARD}:{self._reader}:{TRAY}:{FIRMWARE}:.frozen"
        return Pico(self.name, ms, program=FAKE_BOARD / "start_tray.py", MICROPYPATH=paths)

    def state(self) -> dict[str, Any]:
        return {"lamps": self.pico.shown["lamps"][:6]}
