"""The USB drive of a Pico that waits for firmware: find it, and write a UF2 file to it."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hub.errors import Cause, DeviceLost
from hub.ports import Clock

BY_LABEL = Path("/dev/disk/by-label")  # links that udev makes
POLL_SECONDS = 0.25  # seconds between two checks of a condition
OFFSET = 1 << 20  # bytes: behind the drive's file system table, which a desktop may have mounted


class BootMode(NamedTuple):
    """A kind of Pico that waits for firmware."""

    product: int  # its USB product id; the vendor is Raspberry Pi
    label: str  # of its drive
    family: int  # of the UF2 blocks that it takes


# RP2040 datasheet, 2.8; RP2350 datasheet, 5.5; families from the UF2 format's list
PICO = BootMode(0x0003, "RPI-RP2", 0xE48BFF56)
PICO_2 = BootMode(0x000F, "RP2350", 0xE48BFF59)
MODES: Mapping[int, BootMode] = {mode.product: mode for mode in (PICO, PICO_2)}


def mode_of(uf2: bytes) -> BootMode:
    """Return the kind of Pico that a UF2 file is for. Raise DeviceLost for a file that is not for one."""
    families = {_family(uf2[start : start + 512]) for start in range(0, len(uf2), 512)}
    modes = [mode for mode in MODES.values() if mode.family in families]
    if len(uf2) % 512 or None in families or len(modes) != 1:
        raise DeviceLost("That is no UF2 file for a Pico, or not a whole one: build it again.", Cause.FAULT)
    return modes[0]


def _family(block: bytes) -> int | None:
    """Return the family of a UF2 block; None for anything else."""
    if len(block) != 512:
        return None
    begin, second, *_, family = struct.unpack_from("<8I", block)
    (end,) = struct.unpack_from("<I", block, 508)
    return family if (begin, second, end) == (0x0A324655, 0x9E5D5157, 0x0AB16F30) else None


def find(mode: BootMode, by_label: Path = BY_LABEL) -> Path | None:
    """Return the block device of the drive of that kind, if one is plugged in."""
    link = by_label / mode.label
    return link.resolve() if link.exists() else None


def wait_until(condition: Callable[[], object], seconds: float, clock: Clock, pause: Callable[[float], object]) -> bool:
    """Wait until a condition holds, for at most `seconds`; return whether it holds."""
    until = clock.now() + seconds
    while not condition():
        if clock.now() >= until:
            return False
        pause(POLL_SECONDS)
    return True


def copy(uf2: bytes, device: Path) -> None:
    """Write a UF2 file to the drive, and wait until it is written. Raise DeviceLost.

    The boot ROM takes UF2 blocks from any sector (`vd_write_block` does not look at its `lba`: pico-bootrom-rp2040,
    bootrom/virtual_disk.c; pico-bootrom-rp2350, src/nsboot/usb_virtual_disk.c). So nothing is mounted, and the hub's user needs
    no more than write access to the device. The board restarts after the last block. Errors from then on are ignored; the caller
    checks that the board is back.
    """
    try:
        drive = device.open("r+b", buffering=0)
    except PermissionError as error:
        raise DeviceLost(f"{device} may not be written: run this command with sudo.", Cause.of(error)) from error
    except OSError as error:
        raise DeviceLost(f"{device} cannot be written ({error.strerror}).", Cause.of(error)) from error
    try:
        drive.seek(OFFSET)
        drive.write(uf2)
    except OSError as error:
        raise DeviceLost(f"{device} cannot be written ({error.strerror}).", Cause.of(error)) from error
    finally:
        with suppress(OSError):  # the drive may vanish after the last block
            os.fsync(drive.fileno())
        with suppress(OSError):
            drive.close()
