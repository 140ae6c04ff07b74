"""The composition root: configuration in, everything wired, run until `stop`.

`Hub.__init__` says what is connected to what, `Hub.start` in which order it starts, and why.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from time import monotonic, time
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

import msgspec
from PIL import Image

from drivers.common.gpio_header import check_devices
from hub import games
from hub.access import BenchAccess, PastMatches, ScreenFeed, TableAccess, wifi_of
from hub.config import Config, TablePart
from hub.decks import CardLists
from hub.devices import AllBoxes, DeviceHealth, Simulated, connect, wired
from hub.display import SIZES, PanelSize, panel
from hub.engine.game import Game
from hub.errors import BrokerError, ConfigError, LogError, TemporaryError
from hub.isolation import DeviceGuard, GuardedDevice, close_all
from hub.languages import WRITTEN_IN, Speech, check_language, language_of, languages
from hub.network.address import public_url
from hub.network.encryption import HubKey, fingerprint, to_base64
from hub.network.home_assistant import HomeAssistant
from hub.network.messages import fits_topic
from hub.network.mqtt import MqttBroker
from hub.network.staff_messages import Fault
from hub.network.upstream import UpstreamLink
from hub.ports import AddressChanged, BrokerDown, Device, DeviceSimulated, DriverContext, MonotonicClock, machine_chance  # noqa: TID251 - a program makes it
from hub.power import PowerControl
from hub.presets import presets_by_game
from hub.state import PublicState, ScreenState
from hub.store import KeyedStore, Store, lock_state, wipe_logs
from hub.table.base.chance import Chance
from hub.table.base.names import Names
from hub.table.base.ports import Ports
from hub.table.loop import Table
from hub.table.people.house_seats import HouseWay
from hub.table.people.people import Patience
from hub.venue import StaffFeed, VenueDesk, VenueTable
from hub.version import version
from phone_ui.gateway import dial_tcp, dial_unix
from phone_ui.limits import LOOPBACK, Limits
from phone_ui.mqtt_phones import PhonesOverMqtt
from phone_ui.origin import Screens
from phone_ui.own_screens import OwnScreens, ScreenToken
from phone_ui.pages import make_app
from phone_ui.server import PortSettings, WebServer, serve
from phone_ui.staff_door import StaffDoor
from phone_ui.staff_pin import StaffPin

log = logging.getLogger(__name__)

LOCALHOST = "127.0.0.1"
ALIVE_SECONDS = 5.0  # a table or the web's loop that has not ticked for so long is stuck
DISK_SECONDS = 60.0  # but a table may wait so long for the disk: cards stall, and a backup may hold the file
BROKER_SECONDS = 30.0  # the broker's thread starts a program and connects: that may take a while
FIRST_FORGET_SECONDS = 60.0  # from the start to the first look for matches that are to lose their hands
FORGET_SECONDS = 3600.0  # between two looks for matches that are to lose their hands
STEADY_SECONDS = 600.0  # that the wall clock may be set by in that time
JOIN_SECONDS = 2.0  # for the tables' threads to end
LOOK_SECONDS = 2.0  # between two looks of `wait` at the machine's address


class ServiceManager(Protocol):
    """The service manager that started this process and watches it: systemd, on an installed hub."""

    @property
    def interval(self) -> float | None:
        """Return the seconds from one `alive` to the next; None: there is no watchdog."""

    def ready(self, status: str = "") -> None:
        """Report that the hub has started."""

    def status(self, status: str) -> None:
        """Report one line for whoever looks after the service."""

    def alive(self) -> None:
        """Feed the watchdog."""

    def stopping(self) -> None:
        """Report that the hub stops on purpose."""


class Hub:
    """The whole hub, wired. Raise ConfigError or TemporaryError where it cannot be. Use as a context manager."""

    def __init__(
        self,
        config: Config,
        service: ServiceManager | None = None,
        limits: Limits | None = None,
        *,
        demo: bool = False,
        examine: Callable[[], Sequence[Fault]] | None = None,
    ) -> None:
        """`demo`: simulated devices are what is wanted, so no screen has to tell of them. `examine` looks the machine over."""
        self.config = config
        self._random = machine_chance()
        self._limits = limits or Limits.for_tables([table.seats for table in config.table])
        self._demo = demo
        self._service = service
        state = Path(config.hub.state)
        for name in (config.hub.id, *(table.id for table in config.table)):
            if not fits_topic(name):
                raise ConfigError(f"The id {name!r} may hold letters, digits and hyphens only, 32 at most.")
        for table in config.table:
            for language in table.language:
                try:
                    check_language(language)
                except ConfigError as error:
                    raise ConfigError(f"[[table]] {table.id}: {error}") from None
        self._player_names = Names(lambda: [language_of(one, None) for one in languages() if one != WRITTEN_IN])
        self.tables: dict[str, Table] = {}
        self.access: dict[str, TableAccess] = {}
        self.devices: list[GuardedDevice] = []
        self.web: WebServer | None = None
        self._health: dict[str, DeviceHealth] = {}
        self._threads: list[threading.Thread] = []
        self._stop = threading.Event()
        self._thread_ended = threading.Event()
        self._ticked: dict[str, float] = {}  # when each table last took a signal
        self._stuck = ""  # who was found stuck last
        self._url = ""
        with ExitStack() as on_error:
            self._lock = on_error.enter_context(ExitStack())
            self._lock.enter_context(lock_state(state))  # before anything in the folder is changed
            self.store = Store(state / "table-hub.db")  # first: one of a newer hub is left alone with all beside it
            on_error.callback(self.store.close)
            self.key, self._key_notice = HubKey.mended(state / "hub.key")
            self.screen_token = ScreenToken(state / "kiosk.token")
            self.screens = OwnScreens(self.key, self.screen_token, self._here().is_here)
            self._pin = StaffPin(state / "staff.json")
            self.cards = CardLists(config.deck, self.store)
            self.venue = VenueDesk(config.hub.id, PowerControl(self.stop), self.cards, examine)
            self._screens_of_tables: list[ScreenFeed] = []
            self.door = StaffDoor(self._pin, self.key, self.venue)
            self._presets = presets_by_game(config.preset, self.games)
            titles = {game.name: game.title for game in self.games}
            self._past = PastMatches(state / "table-hub.db", titles)
            self._logs = KeyedStore(self.store, state / "log.key")
            self.speech = Speech({table.id: table.language for table in config.table})
            self.venue.notices = [Fault(text, do) for text, do in self._set_aside() if text]
            tables = [table.id for table in config.table]
            self.broker = MqttBroker(config.broker, state / "broker", config.hub.id, tables, self._put_to_all)
            asked = config.home_assistant
            self._home = HomeAssistant(asked, config.hub.id, self._random) if asked.url else None
            self._upstream = None
            if config.upstream.url:
                progress, changed = state / "upstream.json", self.venue.changed
                self._upstream = UpstreamLink(
                    config.upstream, config.hub.id, tables, self.store, progress, self._random, changed
                )
                self.venue.upstream = self._upstream.seen
            on_error.pop_all()
            on_error.callback(self.close)
            check_devices(wired(config.device))
            for part in config.table:
                self._add_table(part)
            on_error.pop_all()

    # --- wiring ----------------------------------------------------------------------------------

    def _set_aside(self) -> list[tuple[str, str]]:
        """Return what staff should know of files that were damaged and are set aside, each with what to do."""
        backup = "Put log.key back from a backup if you have one: then they can go on. New matches are not affected."
        link = "Run `table-hub screen-link`, and open the link that it prints on each of these devices."
        pin = "The table's screens show the new PIN until it is used once."
        key = (
            "Guests scan the code on the big screen again. Print new table cards, and open the links of `table-hub "
            "screen-link` again. If you have a backup, you can also stop the hub and put hub.key back."
        )
        return [
            (self._key_notice, key),
            (self._pin.notice, pin),
            (self.screen_token.notice, link),
            (self._logs.key_notice, backup),
        ]

    def _put_to_all(self, signal: object) -> None:
        """Put a signal into every table's inbox."""
        for name in self.tables:
            self._put(name, signal)

    def _put(self, name: str, signal: object) -> None:
        """Put a signal into a table's inbox, beside which its DeviceHealth listens."""
        self._health[name].take(signal)
        self.venue.changed()
        self.tables[name].put(signal)

    def _add_table(self, part: TablePart) -> None:
        """Make one table, its phones and its devices. Raise ConfigError."""
        self._health[part.id] = DeviceHealth()
        inbox = partial(self._put, part.id)
        phones = PhonesOverMqtt(self.broker, self.key, self.config.hub.id, part.id, inbox, self._limits)
        ports = Ports(self._logs, phones, MonotonicClock(), Chance(self._random), time, self._random)
        ports.language = partial(language_of, part.language[0])
        ports.names = self._player_names
        screen = ScreenFeed(lambda: self._pin.shown, wifi_of(self.config.wifi))
        self._screens_of_tables.append(screen)
        staff = StaffFeed(self.venue.changed)
        ports.pages += [screen, staff, *(link for link in (self._home, self._upstream) if link)]
        bench: BenchAccess | None = None
        boxes: dict[str, int] = {}  # the seat of each box that has a fixed one
        draw: dict[str, Callable[[PublicState], Image.Image]] = {size: partial(self._draw, size=size) for size in SIZES}
        offered = self._games_for(part)
        for block in self.config.device:
            if block.table != part.id:
                continue
            guard = DeviceGuard(block.name or block.driver, inbox)
            device = connect(block, DriverContext(guard.put, draw, self._random))
            guarded = GuardedDevice(device, guard)
            self.devices.append(guarded)
            plug(ports, guarded)
            if isinstance(device, Simulated):
                if bench:
                    raise ConfigError(f"[[table]] {part.id}: one simulated device is enough; give it all the `seats`.")
                bench = BenchAccess(device)
                boxes = {box: seat for seat, box in device.names.items()}
        shown = fingerprint(self.key.public)
        table = Table(
            part.id,
            part.name,
            part.seats,
            offered,
            ports,
            place_boxes=boxes,
            address=self.url,
            patience=Patience(part.absent_seconds, part.idle_minutes * 60, part.pitch_seconds),
            house=HouseWay(part.house_seats, part.house_strength, part.house_seconds),
            fingerprint=shown,
            presets=self._presets,
            evenings=self.config.hours.evenings,
            attract_seconds=part.attract_seconds,
            reveal_seconds=part.reveal_seconds,
            sound=part.sound,
        )
        if bench and not self._demo:
            table.put(DeviceSimulated())
        self.tables[part.id] = table
        self.venue.tables[part.id] = VenueTable(
            table, staff, self._health[part.id], self.store, partial(self.screens.seen, part.id)
        )
        self.access[part.id] = TableAccess(table, phones, bench, screen.newest, self._past)

    def _games_for(self, part: TablePart) -> list[Game]:
        """Return all games, the table's own first. Raise ConfigError where it names none of them."""
        first = [game for game in self.games if game.name == part.game]
        if part.game and not first:
            raise ConfigError(
                f"[[table]] {part.id}: there is no game {part.game!r}: there are {', '.join(games.names())}."
            )
        return first + [game for game in self.games if game.name != part.game]

    def _draw(self, state: PublicState, size: PanelSize) -> Image.Image:
        """Return a panel of `size` for a table's public state, or for the demonstration there."""
        if isinstance(state, ScreenState) and state.paper is not None:
            state = state.paper
        join = f"{state.url}/t/{state.table}#k={to_base64(self.key.public)}" if state.url else ""
        language = language_of(self.speech.tables[state.table][0], state.game)
        return panel(state, self.cards.labels.get(state.game or ""), size, join, language)

    @property
    def games(self) -> list[Game]:
        """Return the games of this hub, with the owner's cards."""
        return self.cards.all

    def url(self) -> str:
        """Return the URL at which phones reach this hub; "" until the web port is open and while there is no network."""
        return self._url

    def _names(self) -> list[str]:
        """Return the names that the owner gives the hub: `names`, and the one in `address`."""
        address = self.config.web.address
        named = urlsplit(address if "//" in address else f"//{address}").hostname
        return [*self.config.web.names, named or "", self.config.web.host]

    def _here(self) -> Screens:
        """Return what tells this machine's own requests, unless a proxy on it speaks for everybody."""
        web = self.config.web
        return Screens(loopback=not (web.address and web.host in LOOPBACK))

    def local_url(self) -> str:
        """Return the URL that this machine itself may open while it has no network."""
        assert self.web
        return public_url("", LOCALHOST, self.web.port, secure=bool(self.config.web.tls_cert))

    def status(self) -> Mapping[str, Any]:
        """Return the state of this hub and its devices for `table-hub doctor`; nothing of a match."""
        tables = {
            name: {
                **health.snapshot(),
                "stopped": self.tables[name].stopped,
                "screens": [{"here": not one.address, "seconds": one.seconds} for one in self.screens.seen(name)],
                "fault": self.tables[name].fault,
                "silent": int(silent) if (silent := self._silent_seconds(name)) >= ALIVE_SECONDS else 0,
            }
            for name, health in self._health.items()
        }
        status = {"v": 1, "version": version(), "hub": self.config.hub.id, "url": self.url(), "tables": tables}
        return status | ({"upstream": self._upstream.status()} if self._upstream else {})

    def _silent_seconds(self, table: str) -> float:
        """Return for how many seconds a table has not come round; 0 while it waits for its disk, which takes its time."""
        now, ticked = monotonic(), self._ticked.get(table)
        thread = next((one for one in list(self._threads) if one.name == f"table-{table}"), None)
        if thread is None or ticked is None:
            return 0.0
        disk = self.store.waiting_since(thread.ident or 0)
        return now - ticked if disk is None or now - disk >= DISK_SECONDS else 0.0

    # --- running ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Open the web port, restore the matches, start broker and devices, then the tables' threads.

        The port comes first, as it is what fails most; tables restore their matches before any signal can reach them; a
        missing broker stops the phones only, a failing disk lets tables stand still, and every screen says so. Raise
        ConfigError or TemporaryError.
        """
        web = self.config.web
        broker_address = self.broker.address
        dial = dial_unix(lambda: self.broker.address.path)
        if not broker_address.path:
            dial = dial_tcp(broker_address.host, broker_address.port, broker_address.tls)
        tls = (web.tls_cert, web.tls_key) if web.tls_cert else None
        app = make_app(
            self.access, self.key, self.config.hub.id, self.url, self.cards.labels, status=self.status, cards=self.cards.cards,
            guides={game.name: msgspec.to_builtins(game.guide) for game in self.games if game.guide},
            speech=self.speech,
        )  # fmt: skip
        settings = PortSettings(
            web.host, web.port, tls, self._limits, self._here(), self._names(), open_bench=web.open_bench
        )
        self.web = serve(app, self.access, dial, settings, self.door, self.screens)
        self.venue.start()
        self._url = self._find_url()
        for table in self.tables.values():
            table.start()
        if not self._url:
            self._put_to_all(AddressChanged(""))
        try:
            self.broker.start()
        except (BrokerError, TemporaryError) as error:  # no program; its folder cannot be written
            log.error("%s", error)
            self._put_to_all(BrokerDown(str(error)))
        for link in (self._home, self._upstream):
            if link:
                link.start()
        for device in self.devices:
            device.start()
        for access in self.access.values():
            if access.bench:
                access.bench.start()
        for name, table in self.tables.items():
            thread = threading.Thread(target=self._run_table, args=(name, table), name=f"table-{name}", daemon=True)
            self._threads.append(thread)
            self._ticked[name] = monotonic()
            thread.start()
        if self._service:
            self._service.ready(self._status_line())

    def _run_table(self, name: str, table: Table) -> None:
        """Run a table in its own thread. Should it end before `close`, the whole hub ends and is started again."""
        try:
            table.run(lambda: self._ticked.__setitem__(name, monotonic()))
        finally:
            self._thread_ended.set()
            self._stop.set()

    def _find_url(self) -> str:
        """Return the URL at which phones reach the open web port now, or ""."""
        assert self.web
        web = self.config.web
        return public_url(web.address, web.host, self.web.port, secure=bool(web.tls_cert))

    def _follow_address(self) -> None:
        """Look for the machine's address; let every table show a new one."""
        url = self._find_url()
        if url == self._url:
            return
        self._url = url
        log.info("Phones reach this hub at %s.", url or "no address: there is no network")
        self._put_to_all(AddressChanged(url))
        if self._service:
            self._service.status(self._status_line())

    def _status_line(self) -> str:
        return (
            f"{len(self.tables)} table(s) at {self._url}" if self._url else f"{len(self.tables)} table(s), no network"
        )

    def wait(self) -> int:
        """Wait until `stop`, following the machine's address and feeding the watchdog while nothing is stuck.

        Return the exit code: 0, or 1 where a thread without which nobody can play has ended by itself.
        """
        pause = min(LOOK_SECONDS, (self._service and self._service.interval) or LOOK_SECONDS)
        forget_at, ahead = monotonic() + FIRST_FORGET_SECONDS, time() - monotonic()
        while not self._stop.wait(pause):
            if monotonic() >= forget_at:
                # A Pi has no clock of its own: days are counted only while its time goes as it should.
                is_steady = abs(time() - monotonic() - ahead) <= STEADY_SECONDS
                forget_at, ahead = monotonic() + FORGET_SECONDS, time() - monotonic()
                if is_steady:  # in a thread, as it may wait for the disk
                    threading.Thread(target=self._forget, name="forget", daemon=True).start()
            self._follow_address()
            if self.web:
                self.web.renew_certificate()
            self.door.renewed()
            self.screens.renewed()
            for screen in self._screens_of_tables:
                screen.renew()
            for table in self.tables.values():
                table.tell_waiting()
            for device in self.devices:
                device.look()
            if self.broker.ended or (self.web and self.web.ended):
                log.error(
                    "The thread of the %s has ended; the hub ends.", "broker" if self.broker.ended else "web port"
                )
                self._thread_ended.set()
                break
            stuck = ", ".join(self._find_stuck())
            if stuck and stuck != self._stuck:
                log.error("Stuck: %s. The watchdog is not fed until that moves again.", stuck)
            self._stuck = stuck
            if self._service and not stuck:
                self._service.alive()
        return 1 if self._thread_ended.is_set() else 0

    def _forget(self) -> None:
        """Wipe the hands of matches that ended long enough ago, as the owner has said."""
        try:
            hub = self.config.hub
            wiped = wipe_logs(Path(hub.state) / "table-hub.db", hub.keep_days, aside_days=hub.aside_days)
        except LogError as error:
            log.warning("%s", error)
        else:
            if wiped:
                log.info("The hands of %d finished match(es) are wiped; who won what stays.", wiped)

    def _find_stuck(self) -> list[str]:
        """Return what does not move any more, in words for the journal."""
        now = monotonic()
        stuck = [f"table {name}" for name in self.tables if self._silent_seconds(name) >= ALIVE_SECONDS]
        if self.broker.running and now - self.broker.ticked >= BROKER_SECONDS:
            stuck.append("the broker's thread")
        if self.web and self.web.silent_seconds() >= ALIVE_SECONDS:
            stuck.append("the web port's loop")
        return stuck

    def stop(self) -> None:
        """End `wait`. Safe in a signal handler."""
        self._stop.set()

    def close(self) -> None:
        """Stop everything, in the reverse order of the start; the rest, too, where one of them fails."""
        with ExitStack() as closing:  # from its last line to its first
            closing.callback(self._lock.close)
            closing.callback(self.store.close)
            closing.callback(self.broker.close)
            for link in (self._home, self._upstream):
                if link:
                    closing.callback(link.close)
            closing.callback(self.door.close)
            closing.callback(self.venue.close)
            if self.web:
                closing.callback(self.web.close)
            closing.callback(close_all, self.devices)
            for access in self.access.values():
                if access.bench:
                    closing.callback(access.bench.close)
            closing.callback(self._join_tables)
            for table in self.tables.values():
                closing.callback(table.stop)
            if self._service:
                closing.callback(self._service.stopping)

    def _join_tables(self) -> None:
        """Wait until the tables' threads have ended; not for one that hangs."""
        until = monotonic() + JOIN_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
            if thread.is_alive():
                log.error("The thread %s does not end, so it is left alone.", thread.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def plug(ports: Ports, device: Device) -> None:
    """Add a device's ports to those of the table; what a device does not have is None."""
    if device.lamps:
        ports.lamps.append(device.lamps)
    if device.page:
        ports.pages.append(device.page)
    if device.boxes:
        ports.boxes = AllBoxes([ports.boxes, device.boxes]) if ports.boxes else device.boxes
    ports.dice = device.dice or ports.dice
