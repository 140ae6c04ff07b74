"""Updates of an installed hub, as its staff see them.

Only root may change packages: systemd starts `hub/operations/update.py` as root (table-hub-update@.service), which notes in
`status.json` what it does and what came of it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from datetime import time as time_of_day
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from hub.engine.text import say
from hub.errors import HubError
from hub.network.staff_messages import UpdateSeen
from hub.root_services import begin, is_installed
from hub.state import Plain
from hub.table.staff.opening_hours import CLOCK_SET
from hub.version import ROOT

log = logging.getLogger(__name__)

STATUS = Path("/var/lib/table-hub-update/status.json")
WINDOW_SECONDS = 2 * 3600.0
"""For this long after the time of the daily update, the hub waits for the end of the last match."""
LONGEST_SECONDS = 900.0
"""After this time, an update that is still under way in `status.json` has ended without a word."""
State: TypeAlias = Literal[
    "looking", "newest", "found", "nowhere", "unsigned", "failed", "installing", "installed", "returned"
]


class Status(Plain, frozen=True):
    """Content of `status.json`: what was done last, with which version, and when (Unix time)."""

    state: State
    version: str
    at: int


class Updates:
    """Look for a newer version and install it, by services that run as root."""

    def __init__(
        self, *, daily: str = "", root: Path = ROOT, status: Path = STATUS, wall: Callable[[], float] = time.time
    ) -> None:
        """Create them.

        - `daily`: when to look for a newer version each day, such as "04:00"; "": never.
        - `root`: the folder of the program: only the one of the Debian package can be updated.
        """
        self._possible, self._status, self._wall = is_installed(root), status, wall
        self._daily, self._asked = time_of_day.fromisoformat(daily) if daily else None, ("", 0.0)

    def seen(self) -> UpdateSeen | None:
        """Return what staff are told of updates; None for a hub that was not installed as a package."""
        if not self._possible:
            return None
        status = self._read()
        if status is None:
            return UpdateSeen("look")
        under_way = status.state in ("looking", "installing")
        if under_way and self._wall() - status.at > LONGEST_SECONDS:
            status, under_way = Status("failed", status.version, status.at), False
        can: Literal["", "look", "install"] = "" if under_way else "install" if status.state == "found" else "look"
        return UpdateSeen(can, _sentence(status), status.at)

    def look(self) -> None:
        """Begin to look for a newer version. Raise HubError if that is impossible."""
        self._start("look")

    def install(self) -> None:
        """Begin to install the version that was found; the hub restarts. Raise HubError if that is impossible."""
        seen = self.seen()
        if seen is not None and seen.can != "install":
            raise HubError(say("Look for a newer version first."))
        self._start("install")

    def run_daily(self, *, is_playing: bool) -> None:
        """Look for a newer version once a day, and install it when nobody plays. Call this every few seconds.

        After `WINDOW_SECONDS` an update waits for the next day. After one that did not run, the hub waits for staff.
        """
        if self._daily is None or not self._possible:
            return
        now = self._wall()
        begins = datetime.fromtimestamp(now, UTC).astimezone()
        begin = begins.replace(hour=self._daily.hour, minute=self._daily.minute, second=0, microsecond=0).timestamp()
        if now < CLOCK_SET or not begin <= now < begin + WINDOW_SECONDS:
            return
        status = self._read()
        if status is None or (status.at < begin and not (status.version and status.state in ("failed", "returned"))):
            self._start_once("look", begin)
        elif status.state == "found" and status.at >= begin and not is_playing:
            self._start_once("install", begin)

    def _start_once(self, what: str, begin: float) -> None:
        """Start this unless it was started today already, whatever came of it."""
        if self._asked == (what, begin):
            return
        self._asked = what, begin
        log.info("The daily update begins to %s.", what)
        try:
            self._start(what)
        except HubError as error:
            log.warning("%s", error)

    def _start(self, what: str) -> None:
        if not self._possible:
            raise HubError(say("This hub runs from a clone: update it there."))
        if not begin(f"table-hub-update@{what}.service"):
            raise HubError(
                say(
                    "The hub is not allowed to update itself. Run `sudo apt install polkitd`, or update with "
                    "`sudo table-hub update`."
                )
            )

    def _read(self) -> Status | None:
        try:
            return msgspec.json.decode(self._status.read_bytes(), type=Status)
        except (OSError, msgspec.DecodeError):
            return None


def _sentence(status: Status) -> str:
    match status.state:
        case "looking":
            return say("The hub looks for a newer version…")
        case "newest":
            return say("There is no newer version.")
        case "found":
            return say("Version {version} is there.", version=status.version)
        case "nowhere":
            return say(
                "Plug in a USB stick with the folder `table-hub`, or set the address of updates ([updates] url)."
            )
        case "unsigned":
            return say(
                "This update is damaged, or was not made by the makers of your table-hub. Get it again from where you "
                "got table-hub."
            )
        case "installing":
            return say("Version {version} is being installed. This takes a few minutes.", version=status.version)
        case "installed":
            return say("Version {version} was installed.", version=status.version)
        case "returned":
            return say("The new version did not run on this machine. The previous version runs again.")
        case "failed":
            return say("The update failed. The reason is in the journal: `journalctl -u 'table-hub-update@*'`.")
