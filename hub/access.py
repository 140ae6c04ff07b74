"""The access of the web port to one table, and to the simulated devices of that table."""

from __future__ import annotations

import gzip
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, time

from msgspec.structs import replace
from segno.helpers import make_wifi_data

from hub.config import WifiPart
from hub.devices import Simulated
from hub.engine.game import Game
from hub.engine.text import say
from hub.errors import HubError
from hub.network.messages import to_bytes
from hub.network.staff_messages import Evenings
from hub.network.wifi import OwnWifi
from hub.ports import ClaimRequest, HelpRequest, LoginState
from hub.replays import Choices, Kept, choices, house_choices, kept, replay
from hub.state import ScreenState, Wifi
from hub.store.evenings import evenings
from hub.store.history import history
from hub.table.loop import Table
from phone_ui.direct import DirectPhone, Wire
from phone_ui.latest import Latest
from phone_ui.limits import TokenBucket
from phone_ui.mqtt_phones import PhonesOverMqtt

BENCH_SECONDS = 0.5  # between two states of the simulated devices while no bench page is open
HISTORY_SECONDS = 60.0
"""Maximum age of the history that pages show: reading many logs takes a second, and anybody may request it."""
KEPT_REPLAYS, REPLAYS_EACH_SECOND = 16, 0.5
"""Replays that are kept in memory, 10 to 100 kB each, and how often another one is made."""
HOUSE_EACH_SECOND, HOUSE_BURST = 10.0, 200.0
"""How many choices of the house are computed for replays, each in up to 20 ms."""
HOUSE_WAIT_SECONDS = 0.5
"""How long somebody waits for the house while it chooses for somebody else."""
KEPT_CHOICES = 2
"""Matches whose choices are kept in memory; a long one takes some 20 MB."""
MANY_REPLAYS = say("Many replays are wanted just now. Try again in a few seconds.")


class BenchAccess:
    """The data behind the bench page of a simulated table: the state of its devices as JSON, and the page's commands."""

    def __init__(self, device: Simulated) -> None:
        self.newest = Latest()
        self._device = device
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="bench", daemon=True)

    def start(self) -> None:
        """Start the thread that publishes the state of the devices."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        if self._thread.is_alive():  # a hub whose start failed is closed before this thread was started
            self._thread.join(2)

    def _run(self) -> None:
        version, put_at = -1, -BENCH_SECONDS
        while not self._closing.is_set():
            if self.newest.has_followers or monotonic() >= put_at + BENCH_SECONDS:
                put_at = monotonic()
                self.newest.put(json.dumps(self._device.snapshot()).encode())
            version = self._device.wait(version, BENCH_SECONDS)

    def command(self, command: Mapping[str, object]) -> Mapping[str, object]:
        """Operate the devices as a person would: press, turn, roll, unplug, and so on. Raise HubError if that is impossible."""
        refusal = self._device.do(command)
        if refusal:
            raise HubError(refusal)
        return {}

    def panel(self, size: str) -> bytes | None:
        """Return the content of the panel of this size as a PNG; None if there is no such panel."""
        return self._device.png(size)


def wifi_of(part: WifiPart | OwnWifi) -> Wifi | None:
    """Return the Wi-Fi for guests as screens and table cards show it; None if the configuration names none."""
    if not part.name:
        return None
    code = make_wifi_data(part.name, part.password or None, "WPA" if part.password else "nopass")
    return Wifi(part.name, code, part.password)


class ScreenFeed:
    """The Page port of the big screen: the newest state as JSON, with the codes of the seats."""

    def __init__(
        self, pin: Callable[[], str] = str, wifi: Callable[[], Wifi | None] = lambda: None, setup_key: str = ""
    ) -> None:
        """Create the feed.

        - `pin`: returns the staff PIN while screens show it, else "".
        - `wifi`: returns the network for guests now.
        - `setup_key`: the hub's public key in base64url if the hub can be set up by web, else "".
        """
        self.newest = Latest()
        self._pin, self._wifi, self._setup_key = pin, wifi, setup_key
        self._lock = threading.Lock()
        self._state: ScreenState | None = None
        self._shown: tuple[str, Wifi | None] = "", None

    def show(self, public: ScreenState, settled: bool) -> None:  # noqa: ARG002 (the port's)
        """Publish the newest state."""
        with self._lock:
            self._state, self._shown = public, (self._pin(), self._wifi())
            pin, wifi = self._shown
            setup = (
                f"{public.url}/setup#k={self._setup_key}&pin={pin}" if public.url and pin and self._setup_key else ""
            )
            self.newest.put(to_bytes(replace(public, staff_pin=pin, setup=setup, wifi=wifi, paper=None)))

    def update(self) -> None:
        """Publish the state again if the PIN or the Wi-Fi that screens show is another one now."""
        if self._state is not None and self._shown != (self._pin(), self._wifi()):
            self.show(self._state, False)


class PastMatches:
    """The finished matches of a hub, read from the database without the tables, through a separate connection.

    `games` returns all games, with the cards that they are played with now.
    """

    def __init__(
        self, database: Path, games: Callable[[], Sequence[Game]], clock: Callable[[], float] = monotonic
    ) -> None:
        self._database, self._games, self._clock = database, games, clock
        self._lock = threading.Lock()
        self._cache: dict[str, tuple[float, bytes]] = {}
        self._making = threading.Lock()
        self._replays: Mapping[Kept, bytes] = {}
        self._budget = TokenBucket(REPLAYS_EACH_SECOND, KEPT_REPLAYS, clock())
        self._choices: Mapping[Kept, Choices] = {}
        self._choices_budget = TokenBucket(REPLAYS_EACH_SECOND, KEPT_REPLAYS, clock())
        self._house_budget = TokenBucket(HOUSE_EACH_SECOND, HOUSE_BURST, clock())

    def read(self, table: str) -> bytes:
        """Return the `History` of a table as JSON, at most `HISTORY_SECONDS` old. Raise HubError if the database fails."""
        with self._lock:
            read_at, data = self._cache.get(table, (0.0, b""))
            if not data or self._clock() - read_at >= HISTORY_SECONDS:
                titles = {game.name: game.title for game in self._games()}
                with self._reading() as db:
                    data = to_bytes(history(db, titles, table))
                self._cache[table] = self._clock(), data
        return data

    def evenings(self, tables: Mapping[str, str], month: str) -> Evenings:
        """Return what was played in the evenings of a month, "" for the newest; `tables` are the names of the tables.

        Raise HubError if the database fails.
        """
        with self._reading() as db:
            db.text_factory = lambda text: text.decode("utf-8", "replace")  # one damaged row must not hide the others
            return evenings(db, {game.name: game.title for game in self._games()}, tables, time(), month)

    def replay(self, table: str, match: str) -> bytes:
        """Return the `Replay` of a match as JSON, compressed by gzip.

        Raise NoReplay, or HubError if the database fails, or if others want too many replays just now.
        """
        with self._reading() as db:
            found = kept(db, table, match)
            if made := self._replays.get(found):
                return made
            with self._alone():
                self._spend(self._budget, 1)
                made = gzip.compress(to_bytes(replay(db, found, self._games())), mtime=0)
                self._replays = dict([*self._replays.items(), (found, made)][-KEPT_REPLAYS:])
            return made

    def house(self, table: str, match: str, step: int) -> bytes:
        """Return the `HouseChoices` of a step of a match, counted from 1, as JSON.

        Raise the same as `replay`; also NoReplay if the hands may not be shown, or if there is no such step.
        """
        with self._reading() as db:
            found = kept(db, table, match, with_hands=True)
            with self._alone(HOUSE_WAIT_SECONDS):
                known = self._choices.get(found)
                if known is None:
                    self._spend(self._choices_budget, 1)
                    known = choices(db, found, self._games())
                    self._choices = dict([*self._choices.items(), (found, known)][-KEPT_CHOICES:])
                made = known.at(step)
                self._spend(self._house_budget, len(made))
                return to_bytes(house_choices(known.game, step, made))

    @contextmanager
    def _alone(self, seconds: float = 0.0) -> Iterator[None]:
        if not self._making.acquire(timeout=seconds):  # the pages of others must not wait for this one
            raise HubError(MANY_REPLAYS)
        try:
            yield
        finally:
            self._making.release()

    def _spend(self, budget: TokenBucket, amount: int) -> None:
        if not budget.spend(amount, self._clock()):
            raise HubError(MANY_REPLAYS)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(f"{self._database.absolute().as_uri()}?mode=ro", uri=True)) as db:
                yield db
        except sqlite3.Error as error:
            raise HubError(say("The past matches cannot be read now ({error}).", error=str(error))) from error


class TableAccess:
    """One table for the web port. `screen` holds its state for the big screens of the table."""

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
        return to_bytes(self._table.event_feed.page_before(number))

    def changes(self) -> bytes:
        """Return the changes of money and points in this round and the last as JSON: a `ChangesPage`."""
        return to_bytes(self._table.event_feed.changes())

    def history(self) -> bytes:
        """Return the finished matches of this table as JSON: a `History`. Raise HubError if the database fails."""
        return self._past.read(self.id)

    def replay(self, match: str) -> bytes:
        """Return a finished match of this table, step by step, as JSON compressed by gzip. Raise NoReplay or HubError."""
        return self._past.replay(self.id, match)

    def house(self, match: str, step: int) -> bytes:
        """Return the choices at a step of a match beside those of the house, as JSON. Raise NoReplay or HubError."""
        return self._past.house(self.id, match, step)

    def claim(self, asked: ClaimRequest) -> None:
        """Put a claim into the table's inbox."""
        self._table.put(asked)

    def call_staff(self) -> None:
        """Put a call for staff, from somebody without a seat, into the table's inbox."""
        self._table.put(HelpRequest())

    def login(self, sid: str) -> LoginState:
        """Return the state of a login. An unknown one is "awaited" until the table has read its seats from the disk."""
        knows_all = self._table.knows_seats  # first: the table may read its seats while the login is looked up
        state = self._phones.login(sid)
        return "awaited" if state == "unknown" and not knows_all else state

    def direct(self, sid: str, wire: Wire) -> DirectPhone | None:
        """Return the direct connection of an accepted login over its WebSocket; None if the login belongs to another table."""
        return self._phones.direct(sid, wire)
