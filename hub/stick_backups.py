"""Backups on USB sticks, as the staff of an installed hub see them. `hub/operations/stick_backup.py` makes them as root."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from hub.config import HubPart
from hub.engine.text import person, say
from hub.errors import HubError
from hub.network.staff_messages import BackupSeen
from hub.root_services import begin, is_installed
from hub.state import Count, Plain
from hub.version import ROOT

STATUS = Path("/run/table-hub-stick.json")
LONGEST_SECONDS = 900.0
"""After this time, a step that is still under way in `STATUS` has ended without a word."""
State: TypeAlias = Literal[
    "saving", "saved", "looking", "nowhere", "none", "damaged", "found", "restoring", "restored", "failed"
]
BUSY: Mapping[str, State] = {"save": "saving", "look": "looking", "restore": "restoring"}
"""By step, the state while it is under way."""
BEGIN_SECONDS = 60.0
"""So long a service may take until it has noted that it runs."""


class Status(Plain, frozen=True):
    """What was done last, and when (`at`, Unix time); when and by which hub the backup was made; why a step failed."""

    state: State
    at: Count
    made: Count = 0
    hub: str = ""
    why: str = ""


def read_status(file: Path) -> Status | None:
    """Return what was done last; None if nothing was."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Status)
    except (OSError, msgspec.DecodeError):
        return None


class StickBackups:
    """Save a backup, look for one and restore it, by a service that runs as root."""

    def __init__(self, *, root: Path = ROOT, status: Path = STATUS, wall: Callable[[], float] = time.time) -> None:
        """Create them. `root` is the folder of the program: only the one of the Debian package has that service."""
        self._possible, self._status, self._wall = is_installed(root), status, wall
        self._begun: Status | None = None  # what staff began last, which may not be noted yet

    def seen(self) -> BackupSeen | None:
        """Return what staff are told of backups; None for a hub that was not installed as a package."""
        if not self._possible:
            return None
        status = read_status(self._status)
        begun = self._begun
        if begun and (status is None or status.at < begun.at) and self._wall() - begun.at <= BEGIN_SECONDS:
            status = begun
        if status is None:
            return BackupSeen("save")
        if status.state in BUSY.values():
            if self._wall() - status.at <= LONGEST_SECONDS:
                return BackupSeen("", _sentence(status))
            status = Status("failed", status.at)
        return BackupSeen("restore" if status.state == "found" else "save", _sentence(status))

    def begin(self, step: Literal["save", "look", "restore"]) -> None:
        """Begin a step. Raise HubError if that is impossible."""
        seen = self.seen()
        if seen is None:
            raise HubError(say("This hub runs from a clone. Run `table-hub backup FILE` there."))
        if not seen.can:
            raise HubError(seen.text)
        if step == "restore" and seen.can != "restore":
            raise HubError(say("Look for a backup first."))
        if not begin(f"table-hub-stick@{step}.service"):
            raise HubError(
                say("The hub is not allowed to use a USB stick. Run `sudo apt install polkitd`, and restart the hub.")
            )
        found = read_status(self._status) if step == "restore" else None
        self._begun = Status(BUSY[step], int(self._wall()), found.made if found else 0)


def _sentence(status: Status) -> str:
    try:
        date = f"{datetime.fromtimestamp(status.made, UTC).astimezone():%Y-%m-%d %H:%M}"
    except (OverflowError, ValueError):  # a backup may say anything
        date = "?"
    match status.state:
        case "saving":
            return say("The backup is being saved. Leave the stick plugged in.")
        case "saved":
            return say("The backup is on the stick. You can unplug it now.")
        case "looking":
            return say("The hub looks for a backup…")
        case "nowhere":
            return say("Plug a USB stick into the hub first.")
        case "none":
            return say("There is no backup on the stick.")
        case "damaged":
            return say("The backup on the stick is damaged, or comes from a newer version of table-hub.")
        case "found" if status.hub == HubPart().id:
            return say("The stick has the backup of {date}.", date=date)
        case "found":  # one of several hubs of a venue
            return say("The stick has the backup of {date} of the hub “{hub}”.", date=date, hub=person(status.hub))
        case "restoring":
            return say("The backup of {date} is being restored. Leave the stick plugged in.", date=date)
        case "restored":
            return say("The backup of {date} was restored. Unplug the stick, and store it safely.", date=date)
        case "failed" if status.why:
            return say("The backup failed: {why}", why=person(status.why))
        case "failed":
            return say("The backup failed. The reason is in the journal: `journalctl -u 'table-hub-stick@*'`.")
