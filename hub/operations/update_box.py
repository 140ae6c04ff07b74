"""Give a seat box or dice tray its firmware: find its drive, copy the file, wait for the hello (`table-hub update-box`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from drivers.common import boot_drive
from drivers.common.boot_drive import BY_LABEL, wait_until
from drivers.common.probe import ask, choose_board, enter_bootloader, find_boards
from hub.errors import Cause, DeviceLost
from hub.ports import Clock

DRIVE_PATIENCE = 15.0  # seconds until the board is a drive that udev has named
HELLO_PATIENCE = 45.0  # seconds until the copied board says hello; it writes its flash first


def become_drive(named: str, ports: Sequence[str], clock: Clock) -> str:
    """Make the board of that id, or the only one, a drive; return its id. Raise DeviceLost."""
    board = choose_board(find_boards(ports, clock), named)
    enter_bootloader(board, clock)
    return board.id


def update(
    file: Path,
    named: str,
    ports: Callable[[], Sequence[str]],
    clock: Clock,
    report: Callable[[str], None],
    *,
    by_label: Path = BY_LABEL,
    pause: Callable[[float], object] = time.sleep,
) -> None:
    """Copy a UF2 file onto the drive of a Pico that waits for one, or of the board of that id. Raise DeviceLost.

    A drive that is there already is a new Pico, or one whose BOOTSEL button was held; it is taken unless an id is named.
    """
    try:
        uf2 = file.read_bytes()
    except OSError as error:
        raise DeviceLost(f"{file} cannot be read ({error.strerror}).", Cause.of(error)) from error
    mode = boot_drive.mode_of(uf2)
    device = boot_drive.find(mode, by_label)
    if device is not None and named:
        raise DeviceLost(
            f"{device} is a drive {mode.label} already, and whose it is cannot be seen: unplug it, or leave out {named}.",
            Cause.FAULT,
        )
    if device is None:
        named = become_drive(named, ports(), clock)
        report(f"{named} becomes the drive {mode.label}.")
        wait_until(lambda: boot_drive.find(mode, by_label), DRIVE_PATIENCE, clock, pause)
        device = boot_drive.find(mode, by_label)
        if device is None:
            other = next((other for other in boot_drive.MODES.values() if boot_drive.find(other, by_label)), None)
            seen = f"it is a drive {other.label}: that file is for another Pico" if other else "no such drive came"
            raise DeviceLost(f"{named} was to become the drive {mode.label}: {seen}.", Cause.MISSING)
    before = set(ports())
    report(f"{file.name} is written to {device}.")
    boot_drive.copy(uf2, device)
    report("The board starts.")
    said = _hello(named, before, ports, clock, pause)
    report(f"{said} It can be plugged in at the table.")


def _hello(
    named: str, before: set[str], ports: Callable[[], Sequence[str]], clock: Clock, pause: Callable[[float], object]
) -> str:
    """Return a sentence about the board that said hello: the one of that id, or a new one. Raise DeviceLost."""
    said: list[str] = []

    def heard() -> bool:
        for port in ports():
            if port in before and not named:
                continue
            try:
                answer = ask(port, clock)
            except DeviceLost:  # it is just coming, or another program has it
                continue
            if answer is not None and named in ("", answer.hello.id):
                version = getattr(answer.hello, "v", None) or getattr(answer.hello, "firmware", "")
                said.append(f"{answer.hello.id} says hello with firmware {version}.")
                return True
        return False

    if not wait_until(heard, HELLO_PATIENCE, clock, pause):
        who = named or "The board"
        raise DeviceLost(
            f"{who} does not say hello after the copy: plug it in with BOOTSEL held and try again.", Cause.SILENT
        )
    return said[0]
