"""Files that a command writes for whoever called it, and acting as the hub's user where root calls."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES
from pathlib import Path
from typing import BinaryIO

from hub.errors import HubError


@contextmanager
def new_private_file(file: Path) -> Iterator[BinaryIO]:
    """Make a file that only the caller may read (0600), whole or not at all; after `sudo` it is the caller's own.

    Raise HubError where there is one of that name already, or it cannot be written.
    """
    partial = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        if file.exists() or file.is_symlink():
            raise HubError(f"{file} is there already: give another name.")
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as out:
                yield out
                out.flush()
                if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdigit():
                    with suppress(OSError):  # a USB stick's file system may know no owners
                        os.fchown(out.fileno(), int(os.environ["SUDO_UID"]), -1)
                os.fsync(out.fileno())
            partial.rename(file)
            sync(file.parent)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        with_sudo = ": run this command with sudo, or name another place" if error.errno == EACCES else ""
        raise HubError(f"{file} cannot be written ({error.strerror}){with_sudo}.") from None


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """Act as the owner of a folder where root calls: what is written there is that user's, and no link leads root away."""
    if os.geteuid() != 0:
        yield
        return
    owner = folder
    while not owner.exists():
        owner = owner.parent
    found, group = owner.stat(), os.getegid()
    os.setegid(found.st_gid)
    os.seteuid(found.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)


def sync(folder: Path) -> None:
    """Wait until the disk has the names in a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
