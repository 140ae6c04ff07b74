"""What a hub keeps in its state folder, and how to forget it without touching anything else there."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hub.errors import HubError, TemporaryError

KEY, LOG_KEY, KIOSK_TOKEN, DATABASE, BROKER = "hub.key", "log.key", "kiosk.token", "table-hub.db", "broker"
OWN_FILES = (
    KEY,
    LOG_KEY,
    KIOSK_TOKEN,
    *(f"{DATABASE}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")),  # SQLite's own, after a power cut
    *(f"{BROKER}/{name}" for name in ("lock", "logins.json", "mosquitto.conf", "mosquitto.pid", "mosquitto.sock")),
)


@contextmanager
def while_no_hub_runs(folder: Path) -> Iterator[None]:
    """Keep hubs out of the folder. Raise TemporaryError where one runs with it."""
    try:
        with (folder / BROKER / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except FileNotFoundError:  # no hub ever ran there
        yield
    except BlockingIOError:
        raise TemporaryError(f"{folder}: a hub runs with this state folder; stop it first.") from None


def forget(folder: Path) -> None:
    """Remove what a hub wrote into its state folder, and the folders that are empty then; whatever else is there stays.

    Raise TemporaryError where a hub runs with that folder, HubError where a file cannot be removed.
    """
    try:
        with suppress(FileNotFoundError), (folder / BROKER / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in OWN_FILES:
            (folder / name).unlink(missing_ok=True)
    except BlockingIOError:
        raise TemporaryError(f"{folder}: a hub runs with this state folder; stop it first.") from None
    except NotADirectoryError:
        raise HubError(f"{folder} is no folder.") from None
    except OSError as error:
        raise HubError(f"{error.filename}: cannot be removed ({error.strerror}).") from None
    for emptied in (folder / BROKER, folder):
        with suppress(OSError):  # not there, or somebody keeps something else in it
            emptied.rmdir()
