"""The thread that keeps the table reachable by Wi-Fi, and what screens and the web port ask about it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic

from hub.network.wifi import ADDRESS, NetworkManager, WifiRule

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0


class Hotspot:
    """Follow the rule of `hub/network/wifi.py` in a thread of its own, because NetworkManager may answer late.

    `phones` returns how many phones are connected. `report` gets the sentence about a failure, and "" when it has passed.
    """

    def __init__(self, manager: NetworkManager, phones: Callable[[], int], report: Callable[[str], None]) -> None:
        self._rule = WifiRule(manager, monotonic, phones)
        self._report = report
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="wifi", daemon=True)
        self.join = self._rule.join

    @property
    def address(self) -> str:
        """Return the hub's address in its own Wi-Fi while that is on, else ""."""
        return ADDRESS if self._rule.hotspot_is_up else ""

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread. The Wi-Fi stays on, because the hub may only be restarting."""
        self._closing.set()
        if self._thread.is_alive():  # a hub whose start failed is closed before this thread was started
            self._thread.join(2)

    def _run(self) -> None:
        reported = ""
        while not self._closing.wait(CHECK_SECONDS):
            try:
                self._rule.check()
            except Exception:  # one answer of NetworkManager that nobody expects must not end the Wi-Fi
                log.exception("The Wi-Fi could not be checked.")
            if self._rule.problem != reported:
                reported = self._rule.problem
                self._report(reported)
