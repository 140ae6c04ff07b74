"""The composition root: `Hub` builds every part from the configuration, starts the parts in order, and closes them.

`Hub.__init__` shows how the parts are connected, `Hub.start` in which order they start, and why. `hub/supervisor.py` watches
them while they run.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from math import inf
from pathlib import Path
from time import time
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace
from PIL import Image

from drivers.common.gpio_header import check_devices
from hub import games, package_folder
from hub.access import BenchAccess, PastMatches, ScreenFeed, TableAccess, wifi_of
from hub.chance import Chance
from hub.config import Config, DeckPart, DevicePart, PresetPart, TablePart
from hub.decks import CardLists
from hub.devices import DeviceHealth, header_wiring
from hub.display import SIZES, PanelSize, checkerboard, panel
from hub.engine.game import Game
from hub.engine.text import say
from hub.errors import BrokerError, ConfigError, TemporaryError
from hub.found_devices import FoundDevices
from hub.handouts import Handouts
from hub.hotspot import Hotspot
from hub.isolation import GuardedDevice, close_all
from hub.languages import WRITTEN_IN, Speech, check_language, language_of, languages
from hub.network.address import public_url
from hub.network.encryption import HubKey, fingerprint, to_base64
from hub.network.home_assistant import HomeAssistant
from hub.network.messages import fits_topic
from hub.network.mqtt import MqttBroker
from hub.network.staff_messages import Fault, VenueWifi
from hub.network.upstream import UpstreamLink
from hub.network.wifi import ADDRESS, NetworkManager, OwnWifi, own_wifi
from hub.package_folder import PackageFolder
from hub.ports import (
    AddressChanged,
    BrokerDown,
    DeviceDown,
    DeviceSimulated,
    DeviceUp,
    MonotonicClock,
    machine_chance,  # noqa: TID251 - a program makes it
)
from hub.power import PowerControl
from hub.presets import presets_by_game
from hub.settings.desk import SettingsDesk
from hub.state import PublicState, ScreenState, Wifi
from hub.store import KeyedStore, Store, lock_state
from hub.supervisor import ServiceManager, Supervisor
from hub.table.base.names import Names
from hub.table.base.ports import Ports
from hub.table.loop import Table
from hub.table.parts import TableSettings
from hub.table.people.house_seats import HouseSettings
from hub.table.people.people import Patience
from hub.table_devices import TableDevices
from hub.updates import Updates
from hub.venue import StaffFeed, VenueDesk, VenueTable
from hub.version import version
from phone_ui.captive_portal import CaptivePortal
from phone_ui.gateway import dial_tcp, dial_unix
from phone_ui.limits import LOOPBACK, Limits, raise_file_limit
from phone_ui.mqtt_phones import PhonesOverMqtt
from phone_ui.origin import Screens
from phone_ui.own_screens import OwnScreens, ScreenToken
from phone_ui.pages import make_app
from phone_ui.server import PortSettings, WebServer, serve
from phone_ui.staff_door import StaffDoor
from phone_ui.staff_pin import StaffPin

log = logging.getLogger(__name__)

LIVE_KEYS = (
    "name", "idle_minutes", "absent_seconds", "pitch_seconds", "house_seats", "house_strength", "house_seconds",
    "attract_seconds", "reveal_seconds", "sound",
)  # fmt: skip
"""The keys of a `[[table]]` that need no restart of the hub: those in `Hub._settings_of`."""


class Hub:
    """The whole hub, wired. Raise ConfigError or TemporaryError if it cannot be built. Use as a context manager."""

    def __init__(
        self,
        config: Config,
        service: ServiceManager | None = None,
        limits: Limits | None = None,
        *,
        demo: bool = False,
        examine: Callable[[], Sequence[Fault]] | None = None,
        file: str | None = None,
        check: Callable[[Config], object] = lambda _: None,
        network: Callable[[OwnWifi], NetworkManager] | None = None,
    ) -> None:
        """Build everything; start nothing.

        - `service`: the service manager that started this process, if any.
        - `limits`: the limits of the web port. By default they depend on the number of seats.
        - `demo`: simulated devices are intended, so no screen warns about them.
        - `examine`: examines the machine and the configuration when staff ask for it.
        - `file`: the file of the configuration, which staff can change; None: there is none.
        - `check`: tries a changed configuration. Raises HubError.
        - `network`: returns the NetworkManager for the hub's own Wi-Fi; None: the hub leaves the network alone.
        """
        _check_names(config)
        self.config = config
        self._random = machine_chance()
        self._limits = limits or Limits.for_tables([table.seats for table in config.table], raise_file_limit())
        self._demo = demo
        self._can_set_up = file is not None and not demo
        self._service = service
        self._stop = threading.Event()
        self._venue_changed = threading.Event()
        self._wifi_problem = ""
        self._player_names = Names(lambda: [language_of(one, None) for one in languages() if one != WRITTEN_IN])
        self._health = {part.id: DeviceHealth() for part in config.table}
        self.tables: dict[str, Table] = {}
        self.access: dict[str, TableAccess] = {}
        self._evenings = list(config.hours.evenings)  # the tables see changes of it
        self._phones: dict[str, PhonesOverMqtt] = {}
        self._devices: dict[str, TableDevices] = {}
        self.web: WebServer | None = None
        self.supervisor: Supervisor | None = None
        state, hub, tables = Path(config.hub.state), config.hub.id, [part.id for part in config.table]
        with ExitStack() as opened:
            opened.enter_context(lock_state(state))  # before anything in the folder is changed
            # First, because it refuses the folder of a newer hub, and nothing in that folder may change then.
            self.store = Store(state / "table-hub.db")
            opened.callback(self.store.close)
            self.key, key_notice = HubKey.load_or_replace(state / "hub.key")
            self.screen_token = ScreenToken(state / "kiosk.token")
            self.screens = OwnScreens(self.key, self.screen_token, self._local_requests().is_local)
            self._own_wifi = own_wifi(self.key)
            self.hotspot = None
            if network:
                own = self._own_wifi
                self.hotspot = Hotspot(network(own), own.name, self._count_phones, self._reached_at, self._report_wifi)
            self._pin = StaffPin(state / "staff.json")
            self.cards = CardLists(config.deck, self.store)
            self._presets = presets_by_game(config.preset, self.cards.all)
            self._past = PastMatches(state / "table-hub.db", lambda: self.cards.all)
            self._logs = KeyedStore(self.store, state / "log.key")
            self.speech = Speech({part.id: part.language for part in config.table})
            self.broker = MqttBroker(config.broker, state / "broker", hub, tables, self._put_to_all)
            opened.callback(self.broker.close)
            home = HomeAssistant(config.home_assistant, hub, self._random) if config.home_assistant.url else None
            self._upstream = None
            if config.upstream.url:
                kept, changed = state / "upstream.json", self._venue_changed.set
                self._upstream = UpstreamLink(config.upstream, hub, tables, self.store, kept, self._random, changed)
            self._links: list[HomeAssistant | UpstreamLink] = [link for link in (home, self._upstream) if link]
            self._checks: list[Callable[[], object]] = [self.screens.reload_token]
            check_devices(header_wiring(config.device))
            with ExitStack() as on_error:
                on_error.callback(self._close_devices)
                venue_tables = {part.id: self._add_table(part) for part in config.table}
                on_error.pop_all()
            settings = SettingsDesk(file, config, check, self._apply_settings)
            self.found = None
            if config.hub.find_devices and file is not None and not demo:
                self.found = FoundDevices(lambda: self.config, lambda: settings.planned, self._venue_changed.set)
            self.venue = VenueDesk(
                hub, PowerControl(self.stop), venue_tables, self._venue_changed, self.cards,
                examine=examine,
                upstream=self._upstream.snapshot if self._upstream else None,
                settings=settings,
                hotspot=self.hotspot,
                found=self.found,
                handouts=Handouts(self.key, self.screens, self._wifi, self.speech.tables, self._has_fixed_address),
                updates=Updates(daily=config.updates.daily),
                packages=PackageFolder(state, lambda: _named(self.config) | _named(settings.planned)),
                evenings=self._past.evenings,
                notices=[
                    *_faults_of_files(key_notice, self._pin.notice, self.screen_token.notice, self._logs.key_notice),
                    *_faults_of_packages(),
                ],
            )  # fmt: skip
            self.door = StaffDoor(self._pin, self.key, self.venue)
            self._opened = opened.pop_all()

    # --- wiring ----------------------------------------------------------------------------------

    def _put_to_all(self, signal: object) -> None:
        """Put a signal into the inbox of every table."""
        for name, table in self.tables.items():
            with table.guarded():
                self._put(name, signal)

    def _put(self, name: str, signal: object) -> None:
        """Put a signal into the inbox of a table, and show its DeviceHealth the signal."""
        self._health[name].update(signal)
        self._venue_changed.set()
        self.tables[name].put(signal)

    def _update_screen(self, name: str, screen: ScreenFeed) -> None:
        with self.tables[name].guarded():
            screen.update()

    def _count_phones(self) -> int:
        return self.web.phones if self.web else 0

    def _reached_at(self) -> float:
        """Return when a phone last reached the hub in a network of others, in seconds of `time.monotonic`."""
        if self.config.web.address or self.config.web.host in (
            *LOOPBACK,
            "localhost",
        ):  # behind a proxy, all look alike
            return inf
        return self.web.reached_at(other_than=ADDRESS) if self.web else -inf

    def _hotspot_address(self) -> str:
        return self.hotspot.address if self.hotspot else ""

    def _wifi(self) -> Wifi | None:
        """Return the Wi-Fi that guests join first: the hub's own while it is on, else the one of the configuration."""
        return wifi_of(self._own_wifi if self._hotspot_address() else self.config.wifi)

    def _has_fixed_address(self) -> bool:
        """Return whether the owner has given the hub its address, or it is the one in its own Wi-Fi."""
        return bool(self.config.web.address or self._hotspot_address())

    def _report_wifi(self, wifi: VenueWifi) -> None:
        """Show staff the Wi-Fi, and guests a failure of it, or that this has passed."""
        self._venue_changed.set()
        if wifi.problem == self._wifi_problem:
            return
        problem = self._wifi_problem = wifi.problem
        for name, table in self.tables.items():  # not by `_put`: no device of a table is broken
            with self.tables[name].guarded():
                table.put(DeviceDown("Wi-Fi", problem) if problem else DeviceUp("Wi-Fi"))

    def _add_table(self, part: TablePart) -> VenueTable:
        """Build one table with its phones and devices, and return it as staff see it. Raise ConfigError."""
        offered, inbox = self._games_for(part), partial(self._put, part.id)
        phones = PhonesOverMqtt(self.broker, self.key, self.config.hub.id, part.id, inbox, self._limits)
        screen = ScreenFeed(lambda: self._pin.shown, self._wifi, to_base64(self.key.public) if self._can_set_up else "")
        self._checks.append(partial(self._update_screen, part.id, screen))
        staff = StaffFeed(self._venue_changed.set)
        devices = self._devices[part.id] = self._connect_devices(part, inbox)
        simulated = devices.simulated
        if len(simulated) > 1:
            raise ConfigError(f"[[table]] {part.id}: one simulated device is enough; give it all the `seats`.")
        bench = BenchAccess(simulated[0]) if simulated else None
        ports = Ports(
            self._logs, phones, MonotonicClock(), Chance(self._random), time, self._random,
            pages=[screen, staff, *self._links],
            language=partial(language_of, part.language[0]),
            names=self._player_names,
        )  # fmt: skip
        devices.put_into(ports)
        table = Table(
            part.id, part.name, part.seats, offered, ports,
            place_boxes={box: seat for device in simulated for seat, box in device.names.items()},
            address=self.url,
            fingerprint=fingerprint(self.key.public),
            settings=self._settings_of(part),
        )  # fmt: skip
        if bench and not self._demo:
            table.put(DeviceSimulated())
        self.tables[part.id] = table
        self._phones[part.id] = phones
        self.access[part.id] = TableAccess(table, phones, bench, screen.newest, self._past)
        screens = partial(self.screens.last_seen, part.id)
        return VenueTable(table, staff, self._health[part.id], self.store, screens, devices)

    def _connect_devices(self, part: TablePart, inbox: Callable[[object], None]) -> TableDevices:
        """Connect the devices of a table. Raise ConfigError."""
        draws: dict[str, partial[Image.Image]] = {size: partial(self._draw, size=size) for size in SIZES}
        devices = TableDevices(_blocks_of(part.id, self.config), inbox, draws, self._random, self._health[part.id])
        self._checks.append(devices.check)
        return devices

    @property
    def devices(self) -> list[GuardedDevice]:
        """Return the devices of all tables."""
        return [device for devices in self._devices.values() for device in devices.devices]

    def _close_devices(self) -> None:
        close_all(list(self._devices.values()))

    def _settings_of(self, part: TablePart) -> TableSettings:
        """Return the settings that a table can change without a restart of the hub."""
        return TableSettings(
            part.name,
            Patience(part.absent_seconds, part.idle_minutes * 60, part.pitch_seconds),
            HouseSettings(part.house_seats, part.house_strength, part.house_seconds),
            self._presets,
            self._evenings,
            part.attract_seconds,
            part.reveal_seconds,
            part.sound,
        )

    def _apply_settings(self, changed: Config) -> Config:
        """Apply what needs no restart of a changed configuration. Return the configuration that the hub runs with now."""
        logging.getLogger().setLevel(changed.hub.log_level.upper())
        self._evenings[:] = changed.hours.evenings
        hub = replace(self.config.hub, log_level=changed.hub.log_level)
        wifi = replace(changed.wifi, hotspot=self.config.wifi.hotspot)
        self.config = replace(self.config, hub=hub, hours=changed.hours, wifi=wifi)
        if [table.id for table in changed.table] == [table.id for table in self.config.table]:
            self._change_tables(changed)
            self._change_devices(changed)
        return self.config

    def _change_tables(self, changed: Config) -> None:
        """Restart the tables whose settings have changed; the others play on. Each waits until its match is over."""
        presets = presets_by_game(changed.preset, self.cards.all)
        has_new_presets, self._presets = presets != self._presets, presets
        tables = []
        for before, after in zip(self.config.table, changed.table, strict=True):
            now = replace(before, **{key: getattr(after, key) for key in LIVE_KEYS})
            if now != before or has_new_presets:
                self.tables[now.id].put(self._settings_of(now))
            tables.append(now)
        self.config = replace(self.config, table=tuple(tables), preset=changed.preset)

    def _change_devices(self, changed: Config) -> None:
        """Replace the devices whose blocks have changed. A table that is being played gets them after its match."""
        if _moves(self.config.device, changed.device):
            return
        new = {}
        for table, devices in self._devices.items():
            before, after = _blocks_of(table, self.config), _blocks_of(table, changed)
            if before != after:
                try:
                    new[table] = devices.replace_by(after)
                except ConfigError as error:
                    log.warning("The devices of table %s wait for a restart: %s", table, error)
                    return
        for table, signal in new.items():
            self.tables[table].put(signal)
        self.config = replace(self.config, device=changed.device)

    def _games_for(self, part: TablePart) -> list[Game]:
        """Return all games, the game that the table names first. Raise ConfigError if there is no such game."""
        offered = sorted(self.cards.all, key=lambda game: game.name != part.game)
        if part.game and offered[0].name != part.game and not games.packaged().lacks(part.game):
            raise ConfigError(
                f"[[table]] {part.id}: there is no game {part.game!r}: there are {', '.join(games.names())}."
            )
        return offered

    def _draw(self, state: PublicState, size: PanelSize) -> Image.Image:
        """Return the picture for a panel of this size: a table's public state, its demonstration, or a test."""
        if isinstance(state, ScreenState) and state.test_picture:
            return checkerboard(size)
        if isinstance(state, ScreenState) and state.paper is not None:
            state = state.paper
        join = f"{state.url}/t/{state.table}#k={to_base64(self.key.public)}" if state.url else ""
        if self._hotspot_address() and state.state == "lobby" and (wifi := self._wifi()):
            join = wifi.code  # from its page at the table, a phone in this Wi-Fi gets on by itself
        language = language_of(self.speech.tables[state.table][0], state.game)
        return panel(state, self.cards.labels.get(state.game or ""), size, join, language)

    def url(self) -> str:
        """Return the URL at which phones reach this hub; "" until the web port is open and while there is no network."""
        return self.supervisor.url if self.supervisor else ""

    def _host_names(self) -> list[str]:
        """Return the host names that requests may name: `names`, `host`, and the one in `address` of the configuration."""
        address = self.config.web.address
        named = urlsplit(address if "//" in address else f"//{address}").hostname
        return [*self.config.web.names, named or "", self.config.web.host]

    def _local_requests(self) -> Screens:
        """Return the test for requests of this machine's own screens. Behind a proxy on this machine, no request passes it."""
        web = self.config.web
        return Screens(loopback=not (web.address and web.host in LOOPBACK))

    def local_url(self) -> str:
        """Return the URL for browsers on this machine, which works without a network."""
        assert self.web
        return public_url("", "127.0.0.1", self.web.port, secure=bool(self.config.web.tls_cert))

    def status(self) -> Mapping[str, Any]:
        """Return the state of this hub and its devices for `table-hub doctor`, without anything about a match."""
        tables = {
            name: {
                **health.snapshot(),
                "stopped": self.tables[name].stopped,
                "screens": [{"here": not one.address, "seconds": one.seconds} for one in self.screens.last_seen(name)],
                "fault": self.tables[name].fault,
                "silent": int(self.supervisor.stuck_seconds(name)) if self.supervisor else 0,
            }
            for name, health in self._health.items()
        }
        status = {"v": 1, "version": version(), "hub": self.config.hub.id, "url": self.url(), "tables": tables}
        return status | ({"upstream": self._upstream.status()} if self._upstream else {})

    # --- running ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Open the web port, restore the matches, start broker and devices, then the tables' threads.

        - The port comes first, because it is what fails most often.
        - Tables restore their matches before any signal can reach them.
        - Without a broker the hub starts all the same: only phones are missing, and every screen says so.
        - If the disk fails, tables stop play, and every screen says so.

        Raise ConfigError or TemporaryError.
        """
        web = self.config.web
        broker_address = self.broker.address
        dial = dial_unix(lambda: self.broker.address.path)
        if not broker_address.path:
            dial = dial_tcp(broker_address.host, broker_address.port, broker_address.tls)
        tls = (web.tls_cert, web.tls_key) if web.tls_cert else None
        portal = None
        if self.hotspot:
            portal = CaptivePortal(
                ADDRESS, lambda: bool(self._hotspot_address()), self.url,
                lambda: self._pin.shown if self._can_set_up else "",
            )  # fmt: skip
        app = make_app(
            self.access, self.key, self.config.hub.id, self.url, self.cards.labels, status=self.status, cards=self.cards.cards,
            guides={game.name: msgspec.to_builtins(game.guide) for game in self.cards.all if game.guide},
            speech=self.speech, portal=portal,
        )  # fmt: skip
        settings = PortSettings(
            web.host, web.port, tls, self._limits, self._local_requests(), self._host_names(), open_bench=web.open_bench
        )
        self.web = serve(app, self.access, dial, settings, self.door, self.screens, portal)
        checks = (self.web.renew_certificate, self.door.reload_pin, *self._checks)
        self.supervisor = Supervisor(
            self.config,
            self.tables,
            self.store,
            self.broker,
            self.web,
            checks,
            self._put_to_all,
            self._stop,
            self._service,
            self._hotspot_address,
        )
        self.venue.start()
        for table in self.tables.values():
            table.start()
        if not self.config.broker.url:  # a venue's broker would keep logins that nobody was given
            for part in self.config.table:
                self._phones[part.id].keep_spares(part.seats)
        if not self.url():
            self._put_to_all(AddressChanged(""))
        try:
            self.broker.start()
        except (BrokerError, TemporaryError) as error:  # the program is missing, or its folder is not writable
            log.error("%s", error)
            self._put_to_all(BrokerDown(error.sentence))
        for link in self._links:
            link.start()
        if self.hotspot:
            self.hotspot.start()
        for devices in self._devices.values():
            devices.start()
        if self.found:
            self.found.start()
        for access in self.access.values():
            if access.bench:
                access.bench.start()
        self.supervisor.start()

    def wait(self) -> int:
        """Watch the hub until `stop`. Return the exit code: 0, or 1 if a thread that every player needs has ended by itself."""
        assert self.supervisor, "start the hub first"
        return self.supervisor.wait()

    def stop(self) -> None:
        """End `wait`. Safe in a signal handler."""
        self._stop.set()

    def close(self) -> None:
        """Stop and close everything, tables first, the database last. What fails here does not keep the rest from closing."""
        with self._opened as closing:  # from its last line to its first
            for link in self._links:
                closing.callback(link.close)
            if self.hotspot:
                closing.callback(self.hotspot.close)
            if self.found:
                closing.callback(self.found.close)
            closing.callback(self.door.close)
            closing.callback(self.venue.close)
            if self.web:
                closing.callback(self.web.close)
            closing.callback(self._close_devices)
            for access in self.access.values():
                if access.bench:
                    closing.callback(access.bench.close)
            if self.supervisor:
                closing.callback(self.supervisor.close)
            if self._service:
                closing.callback(self._service.stopping)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_names(config: Config) -> None:
    """Raise ConfigError if an id does not fit into a topic, or a table has a language that does not exist."""
    for name in (config.hub.id, *(table.id for table in config.table)):
        if not fits_topic(name):
            raise ConfigError(f"The id {name!r} may hold letters, digits and hyphens only, 32 at most.")
    for table in config.table:
        for language in table.language:
            try:
                check_language(language)
            except ConfigError as error:
                raise ConfigError(f"[[table]] {table.id}: {error}") from None


def _blocks_of(table: str, config: Config) -> list[DevicePart]:
    """Return the `[[device]]` blocks of a table."""
    return [block for block in config.device if block.table == table]


def _moves(before: Sequence[DevicePart], after: Sequence[DevicePart]) -> bool:
    """Return whether a device gets another table. The tables do not change at the same time, and cannot both have it."""
    gone = [replace(block, table="") for block in before if block not in after]
    return any(replace(block, table="") in gone for block in after if block not in before)


def _faults_of_files(key: str, pin: str, token: str, log_key: str) -> list[Fault]:
    """Return a fault for each damaged file that was set aside. The arguments are the notices; "" stands for a good file."""
    keys = say(
        "All guests must scan the code on the big screen again. Print new table cards, and open the links of big screens "
        "on other devices again. If you have a backup, you can stop the hub and put hub.key back instead."
    )
    links = say("Open the new link on each of these devices. The staff page shows it with each table.")
    backup = say("If you have a backup of log.key, put it back to resume those matches. New matches are not affected.")
    shown = say("The table's screens show the new PIN until it is used once.")
    found = [(key, keys), (pin, shown), (token, links), (log_key, backup)]
    return [Fault(notice, do) for notice, do in found if notice]


def _named(config: Config) -> set[str]:
    """Return the names of the games and drivers in a configuration."""
    parts: list[TablePart | PresetPart | DeckPart] = [*config.table, *config.preset, *config.deck]
    return {part.game for part in parts} | {part.driver for part in config.device}


def _faults_of_packages() -> list[Fault]:
    """Return a fault for everything of packages that cannot be used, and write it to the journal."""
    do = say("Ask the author of the package, or remove it on the settings page.")
    sentences = package_folder.problems()
    for sentence in sentences:
        log.warning("%s", sentence)
    return [Fault(sentence, do) for sentence in sentences]
