"""What a hub keeps in its state folder, and how to forget it without touching anything else there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from hub.errors import HubError, TemporaryError
from hub.store import lock_state

KEY, LOG_KEY, KIOSK_TOKEN, STAFF, UPSTREAM, DATABASE, BROKER, MARKS = (
    "hub.key",
    "log.key",
    "kiosk.token",
    "staff.json",
    "upstream.json",
    "table-hub.db",
    "broker",
    "marks",
)
ASIDE = "before-restore-"
"""How the folder begins, inside the state folder, into which a restore puts what was there; the date follows."""
RESTORED = ".restored"
"""The folder, inside the state folder, in which a restore gets ready what it brings back."""
OWN_FILES = (
    KEY,
    LOG_KEY,
    KIOSK_TOKEN,
    STAFF,
    UPSTREAM,
    *(f"{DATABASE}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")),  # SQLite's own, after a power cut
    *(f"{name}.unreadable-*" for name in (KEY, LOG_KEY, KIOSK_TOKEN, STAFF, DATABASE)),
    f"{MARKS}/*.mark",
    f"{RESTORED}/*",
    f"{ASIDE}*/*",
    f"{ASIDE}*/{MARKS}/*.mark",
    f"{ASIDE}*/{BROKER}/*",
    *(f"{BROKER}/{name}" for name in ("lock", "logins.json", "mosquitto.conf", "mosquitto.pid", "mosquitto.sock")),
)


@contextmanager
def while_no_hub_runs(folder: Path) -> Iterator[None]:
    """Keep hubs out of the folder. Raise TemporaryError where one runs with it."""
    try:
        with lock_state(folder) if folder.is_dir() else nullcontext():
            yield
    except TemporaryError:
        raise TemporaryError(f"{folder}: a hub runs with this state folder; stop it first.") from None


def forget(folder: Path) -> None:
    """Remove what a hub wrote into its state folder, and the folders that are empty then; whatever else is there stays.

    Raise TemporaryError where a hub runs with that folder, HubError where a file cannot be removed.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise HubError(f"{folder} is no folder.")
    try:
        with lock_state(folder):
            for pattern in OWN_FILES:
                for file in folder.glob(pattern):
                    if not file.is_dir():
                        file.unlink(missing_ok=True)
            asides = [one for aside in folder.glob(f"{ASIDE}*") for one in (aside / BROKER, aside / MARKS, aside)]
            for emptied in (*asides, folder / RESTORED, folder / BROKER, folder / MARKS, folder):
                with suppress(OSError):  # not there, or somebody keeps something else in it
                    emptied.rmdir()
    except TemporaryError:
        raise TemporaryError(f"{folder}: a hub runs with this state folder; stop it first.") from None
    except OSError as error:
        raise HubError(f"{error.filename}: cannot be removed ({error.strerror}).") from None
