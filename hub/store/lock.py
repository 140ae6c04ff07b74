"""The lock of the state folder: one hub at a time has it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub.errors import TemporaryError, of_file


@contextmanager
def lock_state(folder: Path) -> Iterator[None]:
    """Hold a hub's state folder for this process alone. It is made where it is not there.

    The folder itself is locked (flock(2)): that leaves no file behind and works on a disk that is full or read-only. Hubs of
    earlier have locked a file of their broker only, so that is tried as well. Raise
    TemporaryError where another hub has it, ConfigError or TemporaryError where it cannot be made or opened.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise of_file(error, f"{folder}: the state folder cannot be used ({error.strerror}).") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _taken(folder) from None
        _check_earlier(folder)
        yield
    finally:
        os.close(handle)


def _check_earlier(folder: Path) -> None:
    """Raise TemporaryError where a hub runs there that does not know the lock of the folder."""
    try:
        lock = os.open(folder / "broker" / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:  # none has been there, or the broker itself will say what is wrong
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _taken(folder) from None
    finally:
        os.close(lock)


def _taken(folder: Path) -> TemporaryError:
    return TemporaryError(
        f"{folder}: another hub runs with this state folder; stop it, or give this one another `state` in [hub]."
    )
