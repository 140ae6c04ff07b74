"""Restarting the hub and switching off its machine: `systemd` restarts the service, `logind` powers off.

Both are only possible if the hub runs as a service. A hub that a person started in a terminal is left to that person.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial

from hub.engine.text import say
from hub.errors import HubError

log = logging.getLogger(__name__)

LOGIND_SECONDS = 10.0
"""Timeout for one call to logind."""
DELAY_SECONDS = 1.0
"""Between accepting the request and acting on it: the reply has to reach the page of the staff first."""
LOGIND = (
    "busctl", "--system", "--timeout=5", "call", "org.freedesktop.login1", "/org/freedesktop/login1",
    "org.freedesktop.login1.Manager",
)  # fmt: skip


class PowerControl:
    """Restart the hub and switch off its machine.

    `stop` ends the hub's main loop. `environment` holds the process's environment variables, by which a systemd service is
    recognized.
    """

    def __init__(self, stop: Callable[[], None], environment: Mapping[str, str] = os.environ) -> None:
        self._stop = stop
        self._is_service = bool(environment.get("INVOCATION_ID") and environment.get("NOTIFY_SOCKET"))

    @property
    def why_no_restart(self) -> str:
        """Return the reason why the hub cannot restart itself, as a sentence for staff; "" if it can."""
        return "" if self._is_service else say("This hub was started by hand: end it there and start it again.")

    @cached_property
    def why_no_power_off(self) -> str:
        """Return the reason why the hub cannot switch off the machine, as a sentence for staff; "" if it can."""
        if not self._is_service:
            return say("This hub was started by hand, so it does not switch its computer off.")
        if self._call_logind("CanPowerOff") == 's "yes"':
            return ""
        return say(
            "The hub is not allowed to switch this system off. Run `sudo apt install polkitd` and restart the "
            "hub, or switch off by hand with `sudo poweroff`."
        )

    def restart_hub(self) -> None:
        """End the hub after `DELAY_SECONDS`; the service manager starts it again. Raise HubError if that is impossible."""
        if self.why_no_restart:
            raise HubError(self.why_no_restart)
        threading.Timer(DELAY_SECONDS, self._stop).start()

    def power_off(self) -> None:
        """Switch off the machine after `DELAY_SECONDS`. Raise HubError if that is impossible."""
        if self.why_no_power_off:
            raise HubError(self.why_no_power_off)
        threading.Timer(DELAY_SECONDS, partial(self._call_logind, "PowerOff", "b", "false")).start()

    def _call_logind(self, *call: str) -> str:
        """Return the answer to a method call in the notation of busctl; "" if logind fails, refuses or is missing."""
        try:
            done = subprocess.run(
                [*LOGIND, *call], capture_output=True, text=True, timeout=LOGIND_SECONDS, check=False
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            log.warning("logind does not answer: %s", error)
            return ""
        if done.returncode:
            log.warning("logind refuses %s: %s", call[0], done.stderr.strip())
        return done.stdout.strip()
