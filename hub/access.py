"""What the web port may see and do of one table, and of the simulated devices at it."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from msgspec.structs import replace
from segno.helpers import make_wifi_data

from hub.config import WifiPart
from hub.devices import Simulated
from hub.errors import HubError
from hub.ports import ClaimAsked, HelpAsked, LoginState
from hub.state import ScreenState, Wifi
from hub.store.history import history
from hub.table.loop import Table
from phone_ui.direct import DirectPhone, Wire
from phone_ui.latest import Latest
from phone_ui.mqtt_phones import PhonesOverMqtt

BENCH_SECONDS = 0.5  # between two pictures of simulated devices at which nobody looks
PAST_SECONDS = 60.0
"""How old the past that pages show may be: reading many logs takes a second, and anybody may ask."""


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
        version, put_at = -1, -BENCH_SECONDS
        while not self._closing.is_set():
            if self.newest.is_followed or monotonic() >= put_at + BENCH_SECONDS:
                put_at = monotonic()
                self.newest.put(json.dumps(self._device.snapshot()).encode())
            version = self._device.wait(version, BENCH_SECONDS)

    def command(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what a person at the devices would: press, turn, roll, unplug ... Raise HubError with a sentence."""
        refusal = self._device.do(command)
        if refusal:
            raise HubError(refusal)
        return {}

    def panel(self, size: str) -> bytes | None:
        """Return the panel of that size as a PNG, or None."""
        return self._device.png(size)


def wifi_of(part: WifiPart) -> Wifi | None:
    """Return the network that guests join first as screens and table cards show it, None without one."""
    if not part.name:
        return None
    return Wifi(part.name, make_wifi_data(part.name, part.password or None, "WPA" if part.password else "nopass"))


class ScreenFeed:
    """The Page port of the kiosk: the newest state with the codes of seats as JSON."""

    def __init__(self, pin: Callable[[], str] = str, wifi: Wifi | None = None) -> None:
        """`pin` returns the staff's PIN while screens show it, else ""; `wifi` is the network of the venue's guests."""
        self.newest = Latest()
        self._pin, self._wifi = pin, wifi
        self._lock = threading.Lock()
        self._state: ScreenState | None = None
        self._shown = ""

    def show(self, public: ScreenState, settled: bool) -> None:  # noqa: ARG002 (the port's)
        """Take the newest state."""
        with self._lock:
            self._state, self._shown = public, self._pin()
            self.newest.put(msgspec.json.encode(replace(public, staff_pin=self._shown, wifi=self._wifi, paper=None)))

    def renew(self) -> None:
        """Show the state again where the PIN is not shown any more."""
        if self._state is not None and self._shown != self._pin():
            self.show(self._state, False)


class PastMatches:
    """The finished matches of a hub, read beside its tables: by a connection of its own, and at most once in a while.

    `titles` names the games for people.
    """

    def __init__(self, database: Path, titles: Mapping[str, str], clock: Callable[[], float] = monotonic) -> None:
        self._database, self._titles, self._clock = database, titles, clock
        self._lock = threading.Lock()
        self._read: dict[str, tuple[float, bytes]] = {}

    def of(self, table: str) -> bytes:
        """Return the `History` of a table as JSON, at most `PAST_SECONDS` old. Raise HubError."""
        with self._lock:
            when, data = self._read.get(table, (0.0, b""))
            if not data or self._clock() - when >= PAST_SECONDS:
                try:
                    with closing(sqlite3.connect(f"{self._database.absolute().as_uri()}?mode=ro", uri=True)) as db:
                        data = msgspec.json.encode(history(db, self._titles, table))
                except sqlite3.Error as error:
                    raise HubError(f"The past matches cannot be read now ({error}).") from error
                self._read[table] = self._clock(), data
        return data


class TableAccess:
    """One table as the web port knows it; `screen` is its state for the table's own screens."""

    def __init__(
        self, table: Table, phones: PhonesOverMqtt, bench: BenchAccess | None, screen: Latest, past: PastMatches
    ) -> None:
        self.id = table.id
        self.bench = bench
        self.screen = screen
        self._table = table
        self._phones = phones
        self._past = past

    @property
    def code(self) -> str:
        """Return the table's four-letter code."""
        return self._table.code

    @property
    def public(self) -> Latest:
        """Return the table's newest public state as JSON."""
        return self._phones.public

    def events_before(self, number: int) -> bytes:
        """Return a page of earlier events as JSON: an `EventsPage`."""
        return msgspec.json.encode(self._table.happened.before(number))

    def changes(self) -> bytes:
        """Return the changes of money and points in this round and the last as JSON: a `ChangesPage`."""
        return msgspec.json.encode(self._table.happened.changes())

    def history(self) -> bytes:
        """Return what is known of this table's finished matches as JSON: a `History`. Raise HubError."""
        return self._past.of(self.id)

    def claim(self, asked: ClaimAsked) -> None:
        """Put a claim into the table's inbox."""
        self._table.put(asked)

    def call_staff(self) -> None:
        """Put the call of somebody without a seat into the table's inbox."""
        self._table.put(HelpAsked())

    def login(self, sid: str) -> LoginState:
        """Return how that login stands; until the disk has said who sits here, all of them are awaited."""
        knows_all = self._table.knows_seats  # asked first: they may be read meanwhile
        state = self._phones.login(sid)
        return "awaited" if state == "unknown" and not knows_all else state

    def direct(self, sid: str, wire: Wire) -> DirectPhone | None:
        """Return the short way of a login that the broker has let in, on its WebSocket; None where it is not this table's."""
        return self._phones.direct(sid, wire)
