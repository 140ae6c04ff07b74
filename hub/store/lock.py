"""The lock of the state folder, so that only one hub uses it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub.errors import TemporaryError, of_file


@contextmanager
def lock_state(folder: Path) -> Iterator[None]:
    """Lock a hub's state folder for this process. The folder is made if it is missing.

    The lock is on the folder itself (flock(2)): this leaves no file behind and works on a full or read-only disk. Earlier
    versions locked a file of their broker, so that lock is checked, too. Raise TemporaryError if another hub has the
    folder, ConfigError or TemporaryError if it cannot be made or opened.
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
    """Raise TemporaryError if an earlier version, which does not lock the folder, runs there."""
    try:
        lock = os.open(folder / "broker" / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:  # the file is missing, or the broker itself will report the problem
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
