"""What the web port may see and do of one table, and of the simulated devices at it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from hub.devices import Simulated
from hub.errors import HubError
from hub.ports import ClaimAsked
from hub.table.loop import Table
from phone_ui.latest import Latest
from phone_ui.mqtt_phones import PhonesOverMqtt


class BenchAccess:
    """The bench page of a simulated table: the newest state of its devices as JSON, and the page's commands."""

    def __init__(self, device: Simulated) -> None:
        self.newest = Latest()
        self._device = device
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="bench", daemon=True)

    def start(self) -> None:
        """Start the thread that follows the devices."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        if self._thread.is_alive():  # a hub that fails in its constructor is closed before it was started
            self._thread.join(2)

    def _follow(self) -> None:
        version = -1
        while not self._closing.is_set():
            self.newest.put(json.dumps(self._device.snapshot()).encode())
            version = self._device.wait(version, 0.5)

    def command(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what a person at the devices would: press, turn, roll, unplug ... Raise HubError with a sentence."""
        refusal = self._device.do(command)
        if refusal:
            raise HubError(refusal)
        return {}

    def panel(self, size: str) -> bytes | None:
        """Return the panel of that size as a PNG, or None."""
        return self._device.png(size)


class TableAccess:
    """One table as the web port knows it."""

    def __init__(self, table: Table, phones: PhonesOverMqtt, bench: BenchAccess | None) -> None:
        self.id = table.id
        self.bench = bench
        self._table = table
        self._phones = phones

    @property
    def code(self) -> str:
        """Return the table's four-letter code."""
        return self._table.code

    @property
    def public(self) -> Latest:
        """Return the table's newest public state as JSON."""
        return self._phones.public

    def claim(self, asked: ClaimAsked) -> None:
        """Put a claim into the table's inbox."""
        self._table.put(asked)

    def admitted(self, sid: str) -> bool:
        """Return whether the broker has confirmed that login."""
        return self._phones.admitted(sid)
