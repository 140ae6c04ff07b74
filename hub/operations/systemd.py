"""What the hub tells systemd: ready, how it is, still alive, stopping (sd_notify(3), without its library).

Away from systemd every call does nothing. Call `alive` only when the table's own threads have ticked: a watchdog
that is fed by a thread of its own watches nothing.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping

log = logging.getLogger(__name__)


class Notify:
    """The line to the service manager that started this process, if one did."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        name = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + name[1:] if name.startswith("@") else name  # an abstract name begins with NUL
        meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = environment.get("WATCHDOG_USEC", "") if meant else ""
        self.interval: float | None = int(microseconds) / 2e6 if microseconds.isdigit() else None
        """Seconds from one `alive` to the next, half of what systemd allows; None: nobody watches."""

    def ready(self, status: str = "") -> None:
        """The hub plays now: units that wait for it may start."""
        self._tell("READY=1", status)

    def status(self, status: str) -> None:
        """One line for `systemctl status`."""
        self._tell("", status)

    def alive(self) -> None:
        """The watchdog's tick."""
        self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """The hub ends on purpose."""
        self._tell("STOPPING=1")

    def _tell(self, state: str, status: str = "") -> None:
        if not self._address:
            return
        lines = [state] if state else []
        if status:
            lines.append("STATUS=" + " ".join(status.split()))  # a line break would begin another assignment
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
                line.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:  # systemd restarting itself must not end a game
            log.warning("systemd did not hear %s: %s", state or "the status", error.strerror)
