"""Notifications to systemd: ready, status, watchdog, stopping (sd_notify(3), without its library).

Without systemd every call does nothing. Call `alive` only while the tables' own threads tick: a watchdog that is fed by a
thread of its own watches nothing.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping

log = logging.getLogger(__name__)


class ServiceNotifier:
    """The socket of the service manager that started this process, if one did."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        name = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + name[1:] if name.startswith("@") else name  # an abstract name begins with NUL
        for_us = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = environment.get("WATCHDOG_USEC", "") if for_us else ""
        self.interval: float | None = int(microseconds) / 2e6 if microseconds.isdigit() else None
        """Seconds from one `alive` to the next, half of WATCHDOG_USEC; None: there is no watchdog."""

    def ready(self, status: str = "") -> None:
        """Report that the hub has started: units that wait for it may start."""
        self._send("READY=1", status)

    def status(self, status: str) -> None:
        """Report one line for `systemctl status`."""
        self._send("", status)

    def alive(self) -> None:
        """Feed the watchdog."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Report that the hub stops on purpose."""
        self._send("STOPPING=1")

    def _send(self, state: str, status: str = "") -> None:
        if not self._address:
            return
        lines = [state] if state else []
        if status:
            lines.append("STATUS=" + " ".join(status.split()))  # a line break would begin another assignment
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:  # systemd restarting itself must not end a match
            log.warning("systemd did not receive %s: %s", state or "the status", error.strerror)
