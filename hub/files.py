"""Files of the hub itself: read where they are files, written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 1_000_000
"""So much of a file is read: what is larger is none of the hub's."""


_KINDS = ((stat.S_ISREG, ""), (stat.S_ISDIR, "folder"), (stat.S_ISFIFO, "pipe"), (stat.S_ISSOCK, "socket"))


def kind_of(path: Path) -> str:
    """Return what is at `path` instead of a file, such as "pipe"; "" for a file, and where nothing is. Raise OSError."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return ""
    return next((kind for is_one, kind in _KINDS if is_one(mode)), "device")


def check_file(path: Path) -> None:
    """Raise OSError where something else than a file is at `path`: who opens a pipe waits without end, a device may act."""
    if kind := kind_of(path):
        raise OSError(errno.EINVAL, f"it is a {kind}, not a file: move it away", str(path))


def read_file(path: Path) -> bytes:
    """Return what a file holds, at most `MOST_BYTES`. Raise OSError, also where it is no file."""
    check_file(path)
    with path.open("rb") as file:
        return file.read(MOST_BYTES)


def write_private(file: Path, secret: bytes) -> None:
    """Write a file that only its owner reads, whole or not at all: a power cut must not leave half a key. Raise OSError."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = file.with_name(file.name + ".new")
    partial.unlink(missing_ok=True)
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            _write_whole(out, secret)
        partial.rename(file)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)  # without this a power cut may take the name back: a first start's key would be gone


def _write_whole(out: BinaryIO, content: bytes) -> None:
    """Return when the content is on the disk. Raise OSError."""
    out.write(content)
    out.flush()
    os.fsync(out.fileno())


def replace_file(file: Path, content: bytes) -> None:
    """Give a file other content, whole or not at all, and keep its owner and mode. Raise OSError."""
    before = file.stat()
    partial = file.with_name(f".{file.name}.new")
    partial.unlink(missing_ok=True)
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            made = os.fstat(out.fileno())
            if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
                os.fchown(out.fileno(), before.st_uid, before.st_gid)
            os.fchmod(out.fileno(), stat.S_IMODE(before.st_mode))
            _write_whole(out, content)
        partial.rename(file)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk. Raise OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def set_aside(file: Path) -> Path:
    """Rename something unusable so that a new file can take its place. Return where it is now. Raise OSError."""
    at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    names = (file.with_name(f"{file.name}.unreadable-{at}{f'-{n}' if n else ''}") for n in range(1000))
    aside = next(name for name in names if not os.path.lexists(name))
    file.rename(aside)
    sync_folder(file.parent)
    return aside
