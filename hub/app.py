"""The composition root: configuration in, everything wired, run until told to stop.

The one file that knows every part. Why something starts, and in which order, is told in `Hub.start`.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, Self

from msgspec import to_builtins
from PIL import Image

from drivers.header import check_devices
from hub import games
from hub.config import Config, DeckPart, TablePart
from hub.devices import DeviceHealth, EveryBox, Simulated, connect, wired
from hub.display import SIZES, PanelSize, panel
from hub.engine.game import Game
from hub.errors import BrokerError, ConfigError, HubError, StartRefused
from hub.network.address import reachable
from hub.network.encryption import HubKey, to_base64
from hub.network.messages import fits_topic
from hub.network.mqtt import MqttBroker
from hub.ports import BrokerDown, ClaimAsked, Device
from hub.state import PublicState
from hub.store import Store
from hub.table.chance import Chance
from hub.table.loop import Ports, Table
from phone_ui.gateway import dial_tcp, dial_unix
from phone_ui.link import PhonesOverMqtt
from phone_ui.newest import Newest
from phone_ui.server import WebServer, make_app, serve

log = logging.getLogger(__name__)

ALIVE_SECONDS = 5.0  # a table that has not ticked for so long is stuck


class Steady:
    """The machine's clock, as the `Clock` port."""

    def now(self) -> float:
        """Seconds, monotonic."""
        return monotonic()


class ServiceManager(Protocol):
    """What started this process and watches it: systemd, on an installed hub."""

    @property
    def interval(self) -> float | None:
        """Seconds from one `alive` to the next; None: nobody watches."""

    def ready(self, status: str = "") -> None:
        """Say that the hub plays now."""

    def alive(self) -> None:
        """Feed the watchdog."""

    def stopping(self) -> None:
        """Say that the hub ends on purpose."""


class Bench:
    """The bench of a simulated table: its newest picture for the page, and the page's commands."""

    def __init__(self, device: Simulated) -> None:
        self.newest = Newest()
        self._device = device
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="bench", daemon=True)

    def start(self) -> None:
        """Begin to follow the devices."""
        self._thread.start()

    def close(self) -> None:
        """Stop following them."""
        self._ended.set()
        if self._thread.is_alive():  # a hub that cannot be is closed before it was started
            self._thread.join(2)

    def _follow(self) -> None:
        version = -1
        while not self._ended.is_set():
            self.newest.put(json.dumps(self._device.snapshot()).encode())
            version = self._device.wait(version, 0.5)

    def command(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        """Press, turn, roll, unplug ... Raises HubError with a sentence."""
        refusal = self._device.do(command)
        if refusal:
            raise HubError(refusal)
        return {}

    def panel(self, size: str) -> bytes | None:
        """The panel of that size as a PNG, if there is one."""
        return self._device.png(size)


class Face:
    """What the web sees of one table."""

    def __init__(self, table: Table, link: PhonesOverMqtt, bench: Bench | None) -> None:
        self.id = table.id
        self.bench = bench
        self._table = table
        self._link = link

    @property
    def code(self) -> str:
        """The four letters on its screen."""
        return self._table.code

    @property
    def public(self) -> Newest:
        """Its newest public state as JSON."""
        return self._link.public

    def claim(self, asked: ClaimAsked) -> None:
        """Put a claim into the table's inbox."""
        self._table.put(asked)

    def admitted(self, sid: str) -> bool:
        """Whether the broker knows that login by now."""
        return self._link.admitted(sid)


class Hub:
    """Everything, wired. Raises ConfigError or LogError where it cannot be. Use as a context manager."""

    def __init__(self, config: Config, service: ServiceManager | None = None) -> None:
        self.config = config
        self._service = service
        state = Path(config.hub.state)
        for word in (config.hub.id, *(table.id for table in config.table)):
            if not fits_topic(word):
                raise ConfigError(f"The id {word!r} may hold letters, digits and hyphens only, 32 at most.")
        self.key = HubKey.kept(state / "hub.key")
        self.games = games_played(config.deck)
        self.store = Store(state / "table-hub.db")
        self.tables: dict[str, Table] = {}
        self.web: WebServer | None = None
        try:
            self.broker = MqttBroker(
                config.broker, state / "broker", config.hub.id, [table.id for table in config.table], self._tell_all
            )
        except BaseException:
            self.store.close()
            raise
        self._devices: list[Device] = []
        self._faces: dict[str, Face] = {}
        self._conditions: dict[str, DeviceHealth] = {}
        self._threads: list[threading.Thread] = []
        self._stop = threading.Event()
        self._ticked: dict[str, float] = {}
        self._address = ""
        try:
            check_devices(wired(config.device))
            for part in config.table:
                self._furnish(part)
        except BaseException:  # also a driver's own error: the database must not stay open
            self.close()
            raise

    # --- wiring ----------------------------------------------------------------------------------

    def _tell_all(self, signal: object) -> None:
        for name, table in self.tables.items():
            self._conditions[name].heard(signal)
            table.put(signal)

    def _furnish(self, part: TablePart) -> None:
        """One table with its link to phones and its devices."""
        first = [game for game in self.games if game.name == part.game]
        if part.game and not first:
            raise ConfigError(
                f"[[table]] {part.id}: there is no game {part.game!r}: there are {', '.join(games.names())}."
            )
        offered = first + [game for game in self.games if game.name != part.game]

        condition = self._conditions[part.id] = DeviceHealth()

        def inbox(signal: object) -> None:
            condition.heard(signal)
            self.tables[part.id].put(signal)

        link = PhonesOverMqtt(self.broker, self.key, self.config.hub.id, part.id, inbox)
        ports = Ports(self.store, link, Steady(), Chance())
        bench: Bench | None = None
        seated: dict[str, int] = {}
        for block in self.config.device:
            if block.table != part.id:
                continue
            device = connect(block, inbox, {size: partial(self._draw, size=size) for size in SIZES})
            self._devices.append(device)
            plug(ports, device)
            if isinstance(device, Simulated):
                bench = Bench(device)
                seated = {box: seat for seat, box in device.names.items()}
        table = Table(part.id, part.name, part.seats, offered, ports, place_boxes=seated, address=self.address)
        self.tables[part.id] = table
        self._faces[part.id] = Face(table, link, bench)

    def _draw(self, state: PublicState, size: PanelSize) -> Image.Image:
        """A panel of `size` for a table's public state."""
        public = to_builtins(state)
        join = (
            f"{public.get('url', '')}/t/{public['table']}#k={to_base64(self.key.public)}" if public.get("url") else ""
        )
        return panel(public, self._words().get(public.get("game") or ""), size, join)

    def _words(self) -> dict[str, Mapping[str, Any]]:
        return {game.name: game.words for game in self.games}

    def address(self) -> str:
        """Where phones find this hub: as configured, else the address that this machine has on its network."""
        return self._address

    def status(self) -> Mapping[str, Any]:
        """How this hub and its devices are, for `table-hub doctor`; nothing of a match."""
        tables = {name: condition.told() for name, condition in self._conditions.items()}
        return {"v": 1, "hub": self.config.hub.id, "url": self.address(), "tables": tables}

    # --- running ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Open the port, take up the record, start broker and devices, then let the tables run.

        The port comes first, for it is what fails most; tables take up their matches before anything
        can speak to them; a missing broker costs the phones only, and every screen says so.
        """
        web = self.config.web
        host_address = self.broker.address
        dial = dial_unix(lambda: self.broker.address.path)
        if not host_address.path:
            dial = dial_tcp(host_address.host, host_address.port, host_address.tls)
        tls = (web.tls_cert, web.tls_key) if web.tls_cert else None
        app = make_app(self._faces, self.key, self.config.hub.id, self.address, self._words(), status=self.status)
        self.web = serve(app, self._faces, dial, web.host, web.port, tls)
        self._address = reachable(web.address, web.host, self.web.port, secure=tls is not None)
        for table in self.tables.values():
            table.start()
        try:
            self.broker.start()
        except BrokerError as why:
            log.error("%s", why)
            self._tell_all(BrokerDown(str(why)))
        for device in self._devices:
            device.start()
        for face in self._faces.values():
            if face.bench:
                face.bench.start()
        for name, table in self.tables.items():
            thread = threading.Thread(target=self._run_table, args=(name, table), name=f"table-{name}", daemon=True)
            self._threads.append(thread)
            thread.start()
        if self._service:
            self._service.ready(f"{len(self.tables)} table(s) at {self._address}")

    def _run_table(self, name: str, table: Table) -> None:
        """A table's one thread. Should it ever end by itself, the whole hub ends and is started again."""
        try:
            table.run(lambda: self._ticked.__setitem__(name, monotonic()))
        finally:
            self._stop.set()

    def wait(self) -> int:
        """Until `stop`, feeding the watchdog while every table ticks; the exit code."""
        pause = (self._service and self._service.interval) or 60.0
        while not self._stop.wait(pause):
            now = monotonic()
            if self._service and all(now - self._ticked.get(name, 0.0) < ALIVE_SECONDS for name in self.tables):
                self._service.alive()
        return 0 if all(thread.is_alive() for thread in self._threads) else 1

    def stop(self) -> None:
        """End `wait`. Safe in a signal handler."""
        self._stop.set()

    def close(self) -> None:
        """Stop everything, in the reverse order of the start; the rest, too, where one of them fails."""
        with ExitStack() as closing:  # from its last line to its first
            closing.callback(self.store.close)
            closing.callback(self.broker.close)
            if self.web:
                closing.callback(self.web.close)
            for device in reversed(self._devices):
                closing.callback(device.close)
            for face in self._faces.values():
                if face.bench:
                    closing.callback(face.bench.close)
            for thread in self._threads:
                closing.callback(thread.join, 5)
            for table in self.tables.values():
                closing.callback(table.stop)
            if self._service:
                closing.callback(self._service.stopping)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def plug(ports: Ports, device: Device) -> None:
    """Give a device's ports to the table; what a device does not have is None."""
    if device.lamps:
        ports.lamps.append(device.lamps)
    if device.page:
        ports.pages.append(device.page)
    if device.boxes:
        ports.boxes = EveryBox([ports.boxes, device.boxes]) if ports.boxes else device.boxes
    ports.dice = device.dice or ports.dice


def games_played(decks: Sequence[DeckPart]) -> list[Game]:
    """All games, with the owner's own cards where there are some. Raises ConfigError where they are no deck."""
    lists = {deck.game: Path(deck.cards) for deck in decks}
    for name in lists:
        if name not in games.names():
            raise ConfigError(f"[[deck]]: there is no game {name!r}: there are {', '.join(games.names())}.")
    try:
        return [games.find(name, lists.get(name)) for name in games.names()]
    except StartRefused as why:
        raise ConfigError(f"{why}") from why


def quiet(level: str) -> None:
    """Diagnostics on standard error, for the journal; libraries that tell too much are kept at warnings."""
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    for name in ("websockets", "uvicorn", "paho", "PIL"):
        logging.getLogger(name).setLevel(logging.WARNING)
