"""USB sticks: find those that are plugged in, and mount them.

`hub/operations/update.py` starts this with the system's Python, so it imports only the standard library.
"""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager, suppress
from pathlib import Path

from hub.operations.update import UpdateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hub.operations.update import Machine

log = logging.getLogger(__name__)

MOUNT_POINT = Path("/run/table-hub-stick")
OPTIONS = "nosuid,nodev,noexec,nosymfollow"
"""How a stranger's file system is mounted (mount(8)): nothing on it runs, and no link leads away from it."""
BOOT_DRIVES = ("RPI-RP2", "RP2350")
"""Labels of a Pico that waits for firmware: it looks like a stick, and keeps nothing (drivers/common/boot_drive.py)."""
FOR_STICKS = (Path("/media"), Path("/run/media"), Path("/mnt"))
"""Where a desktop or a person mounts sticks. A drive with a file system elsewhere belongs to this machine."""


@contextmanager
def mounted(machine: Machine, *, writable: bool = False) -> Iterator[list[Path]]:
    """Mount the file systems of all sticks until the end of the block, and return their folders. They are read-only if not `writable`."""
    own: list[Path] = []
    try:
        folders = []
        for number, (device, place) in enumerate(_file_systems(machine)):
            if place.startswith(str(MOUNT_POINT)):  # a program that was ended has left it
                machine.ask("umount", place)
                place = ""
            folder = Path(place or f"{MOUNT_POINT}-{number}")
            if not place:
                folder.mkdir(parents=True, exist_ok=True)
                own.append(folder)
                try:
                    machine.run("mount", f"--options={'rw' if writable else 'ro'},{OPTIONS}", device, str(folder))
                except UpdateError as error:  # a stick that cannot be read is no stick
                    log.warning("%s cannot be mounted: %s", device, error.output)
                    continue
            folders.append(folder)
        yield folders
    finally:
        for folder in own:
            machine.ask("umount", str(folder))
            with suppress(OSError):  # it could not be unmounted
                folder.rmdir()


def _file_systems(machine: Machine) -> list[tuple[str, str]]:
    # With NAME, lsblk nests the parts of a drive in it; without, each is a drive of its own.
    printed = machine.ask("lsblk", "--json", "--paths", "--output=NAME,PATH,TRAN,FSTYPE,LABEL,MOUNTPOINTS")
    drives = json.loads(printed or '{"blockdevices": []}')["blockdevices"]
    return [found for drive in drives for found in file_systems_of(drive)]


def file_systems_of(drive: dict[str, object]) -> list[tuple[str, str]]:
    """Return device and mount point ("" without one) of each file system on a drive, as lsblk prints it; none if it is no stick.

    HOTPLUG of lsblk is no help: it is true for the SD card as well (util-linux, lib/sysfs.c). A Pi may also start from a USB drive.
    """
    parts = [*_with_children([drive])]
    if drive["tran"] != "usb" or any(not _is_for_sticks(place) for part in parts for place in _places(part)):
        return []
    parts = [part for part in parts if part["fstype"] and part.get("label") not in BOOT_DRIVES]
    return [(str(part["path"]), (_places(part) or [""])[0]) for part in parts]


def _with_children(devices: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    for device in devices:
        yield device
        children = device.get("children", [])
        if isinstance(children, list):
            yield from _with_children(children)


def _places(device: dict[str, object]) -> list[str]:
    places = device["mountpoints"]
    return [str(place) for place in places if place] if isinstance(places, list) else []


def _is_for_sticks(place: str) -> bool:
    return any(Path(place).is_relative_to(folder) for folder in FOR_STICKS) or place.startswith(str(MOUNT_POINT))
