"""The thread that keeps the table reachable by Wi-Fi, and what screens and the web port ask about it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic

from hub.network.staff_messages import VenueWifi, WifiNetwork
from hub.network.wifi import ADDRESS, NetworkManager, WifiRule

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0


class Hotspot:
    """Follow the rule of `hub/network/wifi.py` in a thread of its own, because NetworkManager may answer late.

    - `own`: the name of the hub's own Wi-Fi.
    - `phones`: returns how many phones are connected.
    - `reached_at`: returns when a phone last reached the hub other than through its own Wi-Fi, in seconds of `time.monotonic`.
    - `report`: gets each new status.
    """

    def __init__(
        self,
        manager: NetworkManager,
        own: str,
        phones: Callable[[], int],
        reached_at: Callable[[], float],
        report: Callable[[VenueWifi], None],
    ) -> None:
        self._rule = WifiRule(manager, monotonic, phones, reached_at)
        self._own, self._report = own, report
        self.status = VenueWifi("waiting", "", own, [], "")  # until the first look, which may find no radio
        """The Wi-Fi as staff see it."""
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
        while not self._closing.wait(CHECK_SECONDS):
            try:
                self._rule.check()
            except Exception:  # one answer of NetworkManager that nobody expects must not end the Wi-Fi
                log.exception("The Wi-Fi could not be checked.")
            status = self._look()
            if status != self.status:
                self.status = status
                self._report(status)

    def _look(self) -> VenueWifi:
        rule = self._rule
        networks = [WifiNetwork(one.name, one.is_open) for one in rule.networks]
        return VenueWifi(rule.state, rule.name, self._own, networks, rule.problem)
