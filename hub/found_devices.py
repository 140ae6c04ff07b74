"""Devices that are plugged in and not in use, as staff see them, and what staff can make of each with one press.

A dice tray or a camera gets a `[[device]]` block in the owner's file. A Pico that waits for firmware becomes a seat box or a
tray.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import sleep
from typing import Literal

from drivers.common import boot_drive, found
from drivers.common.boot_drive import BY_LABEL, BootMode, wait_until
from drivers.common.found import Found, TrayFinder
from hub.config import Config, DevicePart
from hub.engine.text import Text, say
from hub.errors import DeviceLost, HubError
from hub.network.staff_messages import FoundDevice
from hub.ports import Clock, MonotonicClock
from hub.version import ROOT

log = logging.getLogger(__name__)

SCAN_SECONDS = 5.0
RESTART_SECONDS = 15.0
"""A Pico with new firmware starts within this time, and its drive is gone."""
DONE_SECONDS = 120.0
"""For so long, staff read that a Pico has its firmware."""
DONE = "done"
READERS = ("dice_tray", "camera_tray", "ble_dice", "simulated")
"""Drivers whose devices may read dice. A table listens to one of them, and to one under the cup of each seat."""
BOARD_OF = {boot_drive.PICO: "RPI_PICO", boot_drive.PICO_2: "RPI_PICO2"}
"""MicroPython's name for a board, as it is in the name of a firmware file."""
IN_USE = say("A table of this hub has it already.")
IS_PLANNED = say("The hub uses it after a restart.")
NO_TABLE = say("Each table has a dice reader already. Remove one under “Settings” first.")
NOT_TAKEN = say("It did not take the firmware. Unplug it, hold its BOOTSEL button, and plug it in again.")
NOT_WRITTEN = say("The firmware could not be written. The hub's log says why.")
Program = Literal["box", "tray"]
PROGRAMS: tuple[Program, ...] = ("box", "tray")


class FoundDevices:
    """Look for devices in a thread of its own, because a board may take seconds to answer.

    - `running`, `planned`: return the configuration with which the hub runs, and that of its next start.
    - `firmware`: the folder with firmware files, as `make firmware` names them.
    - `changed`: is called after each change of `seen`.
    """

    def __init__(
        self,
        running: Callable[[], Config],
        planned: Callable[[], Config],
        changed: Callable[[], None],
        *,
        firmware: Path = ROOT,
        clock: Clock | None = None,
        trays: Callable[[], Sequence[Found]] | None = None,
        cameras: Callable[[Sequence[str]], Sequence[Found]] = found.cameras,
        by_label: Path = BY_LABEL,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._running, self._planned, self._changed, self._firmware = running, planned, changed, firmware
        self._clock = clock or MonotonicClock()
        self._finder = TrayFinder(self._clock)
        self._trays, self._cameras = trays or self._finder.trays, cameras
        self._tray_blocks: Sequence[DevicePart] = []  # those that ran at the last look
        self._by_label, self._pause = by_label, pause
        self.seen: list[FoundDevice] = []
        """The devices as staff see them."""
        self._found: Mapping[str, Found] = {}
        self._left: set[str] = set()  # devices that staff do not want to see until they are plugged in again
        self._written: dict[Path, Text] = {}  # by the drive of a Pico: what becomes of its firmware
        self._done: tuple[FoundDevice, float] | None = (
            None  # what the last Pico has become, and until when staff read it
        )
        self._writing = threading.Lock()  # one Pico gets its firmware at a time
        self._lock = threading.Lock()  # staff, the scan and the firmware's thread change what is above
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="found devices", daemon=True)

    def start(self) -> None:
        """Start to look."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self.look()
            except Exception:  # one strange device must not hide the others for good
                log.exception("The hub could not look for new devices.")
            self._closing.wait(SCAN_SECONDS)

    def look(self) -> None:
        """Look once."""
        running = self._running().device
        trays = [block for block in running if block.driver == "dice_tray"]
        if trays != self._tray_blocks:
            self._tray_blocks = trays
            self._finder.forget()
        blocks = [block for block in running if block.driver == "camera_tray"]
        sources = [str(block.settings.get("source", "v4l2:0")) for block in blocks]
        self._found = {one.id: one for one in [*self._trays(), *self._cameras(sources)]}
        self.update()

    def update(self) -> None:
        """Update `seen` after a change of the configuration, or of what is being done to a device."""
        picos, running, planned = found.waiting_picos(self._by_label), self._running(), self._planned()
        with self._lock:
            self._written = {drive: text for drive, text in self._written.items() if drive in picos.values()}
            readers = [self._reader(one, planned) for one in self._found.values() if not _has_block(one, running)]
            seen = [*readers, *(self._pico(mode, drive) for mode, drive in picos.items())]
            self._left &= {one.device for one in seen}
            seen = [one for one in seen if one.device not in self._left]
            if self._done and self._clock.now() < self._done[1]:
                seen.append(self._done[0])
            if seen == self.seen:
                return
            self.seen = seen
        self._changed()

    def _reader(self, one: Found, planned: Config) -> FoundDevice:
        text = _reader_text(one)
        if _has_block(one, planned):
            return FoundDevice(one.id, text, note=IS_PLANNED)
        tables = _without_reader(planned)
        return FoundDevice(one.id, text, tables=tables, note="" if tables else NO_TABLE)

    def _pico(self, mode: BootMode, drive: Path) -> FoundDevice:
        text = say("A {board} waits for its firmware.", board=_board_name(mode))
        if written := self._written.get(drive):
            return FoundDevice(mode.label, text, note=written)
        programs = [program for program in PROGRAMS if self._file(mode, program)]
        note = "" if programs else say("This hub has no firmware file for it: firmware/README.md says how to get one.")
        return FoundDevice(mode.label, text, programs=programs, note=note)

    def _file(self, mode: BootMode, program: Program) -> Path | None:
        """Return the newest firmware file for this kind of Pico."""
        files = self._firmware.glob(f"table-hub-{program}-*-{BOARD_OF[mode]}.uf2")
        return max(files, key=lambda file: file.stat().st_mtime, default=None)

    # --- requests of staff ---------------------------------------------------------------------------

    def block_for(self, device: str, table: str) -> DevicePart:
        """Return the `[[device]]` block for a device at a table. Raise HubError."""
        one, running, planned = self._found.get(device), self._running(), self._planned()
        if one is None:
            raise HubError(say("That device is no longer plugged in."))
        if _has_block(one, running):
            raise HubError(IN_USE)
        if _has_block(one, planned):
            raise HubError(IS_PLANNED)
        if table not in _without_reader(planned):
            raise HubError(NO_TABLE)
        settings = dict(one.settings)
        if one.driver == "camera_tray":  # the calibration of another camera would count as this one's
            name = hashlib.sha256(f"{table} {settings['source']}".encode()).hexdigest()[:8]
            settings["calibration"] = f"~/.local/state/table-hub/dice-tray-{name}.npz"
        return DevicePart(one.driver, table, settings=settings)

    def leave(self, device: str) -> None:
        """Do not show a device until it is plugged in again, or the hub was restarted."""
        with self._lock:
            if device == DONE:
                self._done = None
            else:
                self._left.add(device)
        self.update()

    def write_firmware(self, device: str, program: Program) -> None:
        """Begin to write the firmware of a Pico that waits for it. Raise HubError."""
        picos = found.waiting_picos(self._by_label)
        mode = next((one for one in picos if one.label == device), None)
        file = self._file(mode, program) if mode else None
        if mode is None or file is None:
            raise HubError(say("That device is no longer plugged in."))
        if not self._writing.acquire(blocking=False):
            raise HubError(say("A Pico is just getting its firmware. Wait half a minute."))
        self._done = None
        self._note(picos[mode], say("Its firmware is being written…"))
        work = (mode, picos[mode], file, program)
        threading.Thread(target=self._write, args=work, name="firmware", daemon=True).start()

    def _write(self, mode: BootMode, drive: Path, file: Path, program: Program) -> None:
        """Write the firmware, and wait until the drive of the Pico is gone. Runs in a thread of its own."""
        try:
            _copy(file, mode, drive)
            if wait_until(lambda: self._is_gone(mode, drive), RESTART_SECONDS, self._clock, self._pause):
                log.info("staff: a %s has the firmware %s.", _board_name(mode), file.name)
                self._done = _finished(program), self._clock.now() + DONE_SECONDS
                self.update()
            else:
                self._note(drive, NOT_TAKEN)
        except (DeviceLost, OSError) as error:
            log.warning("A %s gets no firmware: %s", _board_name(mode), error)
            self._note(drive, NOT_WRITTEN)
        finally:
            self._writing.release()

    def _is_gone(self, mode: BootMode, drive: Path) -> bool:
        """Return whether this drive is gone; another Pico of its kind may wait by now."""
        return boot_drive.find(mode, self._by_label) != drive

    def _note(self, drive: Path, text: Text) -> None:
        with self._lock:
            self._written[drive] = text
        self.update()


def _finished(program: Program) -> FoundDevice:
    """Return what staff read about a Pico that has its firmware. A dice tray then introduces itself."""
    if program == "tray":
        return FoundDevice(DONE, say("The Pico is a dice tray now."))
    return FoundDevice(
        DONE, say("The Pico is a seat box now."), note=say("Build it into its box, or press a button of it.")
    )


def _copy(file: Path, mode: BootMode, drive: Path) -> None:
    """Write a firmware file to the drive of a Pico of that kind. Raise DeviceLost or OSError."""
    uf2 = file.read_bytes()
    if boot_drive.mode_of(uf2) is not mode:
        raise DeviceLost(f"{file.name} is for another board.")
    boot_drive.copy(uf2, drive)


def _without_reader(planned: Config) -> list[str]:
    """Return the ids of the tables whose dice no device reads."""
    taken = {block.table for block in planned.device if block.driver in READERS and not block.cup}
    return [table.id for table in planned.table if table.id not in taken]


def _has_block(one: Found, planned: Config) -> bool:
    return any(
        block.driver == one.driver and one.settings.items() <= block.settings.items() for block in planned.device
    )


def _reader_text(one: Found) -> Text:
    if one.driver == "dice_tray":
        return say("The dice tray {name} is plugged in.", name=one.name)
    if not one.name:
        return say("A camera is on the Pi's own connector.")
    return say("The camera {name} is plugged in.", name=one.name)


def _board_name(mode: BootMode) -> str:
    return "Pico 2" if mode is boot_drive.PICO_2 else "Pico"
