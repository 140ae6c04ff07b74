"""Watching a running hub: the threads of its tables, stuck threads, the machine's address, and matches to be forgotten."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic, time
from typing import Protocol

from hub.config import Config
from hub.errors import HubError
from hub.network.address import public_url
from hub.network.mqtt import MqttBroker
from hub.ports import AddressChanged
from hub.store import Store, wipe_logs
from hub.table.loop import Table
from phone_ui.server import WebServer

log = logging.getLogger(__name__)

CHECK_SECONDS = 2.0  # between two checks, or less if the watchdog has to be fed more often
ALIVE_SECONDS = 5.0  # a table, or the loop of the web port, that has not moved for this long is stuck
DISK_SECONDS = 60.0  # but a table may wait this long for the disk: cards stall, and a backup may hold the file
BROKER_SECONDS = 30.0  # the broker's thread may stand still longer: it starts a program and connects
FIRST_WIPE_SECONDS = 60.0  # from the start to the first search for matches whose hands have to be wiped
WIPE_SECONDS = 3600.0  # between two such searches
STEADY_SECONDS = 600.0  # a search wipes nothing if the wall clock was set by more than this since the last one
JOIN_SECONDS = 2.0  # for the threads of all tables to end


class ServiceManager(Protocol):
    """The service manager that started this process and watches it: systemd, on an installed hub."""

    @property
    def interval(self) -> float | None:
        """Return the seconds between two calls of `alive`; None if there is no watchdog."""

    def ready(self, status: str = "") -> None:
        """Report that the hub has started."""

    def status(self, status: str) -> None:
        """Report one line for the people who look after the service."""

    def alive(self) -> None:
        """Feed the watchdog."""

    def stopping(self) -> None:
        """Report that the hub stops on purpose."""


class Supervisor:
    """Run each table in a thread of its own, and watch the hub until `stop` is set.

    - `web`: the open web port. `url` is the address at which phones reach it; "" while there is no network.
    - `checks`: functions that `wait` calls every `CHECK_SECONDS`. They must return at once.
    - `put_to_all`: puts a signal into the inbox of every table.
    - `stop`: ends `wait`. It is also set if the thread of a table ends by itself.
    - `hotspot`: returns the hub's address in its own Wi-Fi while that is on, else "".
    - `service`: gets reports and watchdog signals; None if the hub was not started by a service manager.
    """

    def __init__(
        self,
        config: Config,
        tables: Mapping[str, Table],
        store: Store,
        broker: MqttBroker,
        web: WebServer,
        checks: Sequence[Callable[[], object]],
        put_to_all: Callable[[object], None],
        stop: threading.Event,
        service: ServiceManager | None,
        hotspot: Callable[[], str] = str,
    ) -> None:
        self._config, self._tables, self._store, self._broker, self._web = config, tables, store, broker, web
        self._checks, self._put_to_all, self._stop, self._service = checks, put_to_all, stop, service
        self._hotspot = hotspot
        self._threads = {
            name: threading.Thread(target=self._run_table, args=(name, table), name=f"table-{name}", daemon=True)
            for name, table in tables.items()
        }
        self._moved_at: dict[str, float] = {}  # by table: when its loop last came round
        self._has_failed = False
        self._stuck = ""  # the last report of stuck threads
        self._wipe_at, self._clock_offset = monotonic() + FIRST_WIPE_SECONDS, time() - monotonic()
        self.url = self._find_url()

    def start(self) -> None:
        """Start the threads of the tables, and report to the service manager that the hub is ready."""
        for name, thread in self._threads.items():
            self._moved_at[name] = monotonic()
            thread.start()
        if self._service:
            self._service.ready(self._status_line())

    def close(self) -> None:
        """Stop the tables, and wait until their threads end, for at most `JOIN_SECONDS`."""
        for table in self._tables.values():
            table.stop()
        deadline = monotonic() + JOIN_SECONDS
        for thread in self._threads.values():
            if thread.is_alive():  # a hub whose start failed is closed before its threads were started
                thread.join(max(0.0, deadline - monotonic()))
            if thread.is_alive():
                log.error("The thread %s does not end, so it is left alone.", thread.name)

    def wait(self) -> int:
        """Check the hub regularly until `stop` is set, and feed the watchdog as long as nothing is stuck.

        Return the exit code: 0, or 1 if a thread that every player needs has ended by itself.
        """
        interval = self._service.interval if self._service else None
        while not self._stop.wait(min(CHECK_SECONDS, interval or CHECK_SECONDS)):
            self._wipe_if_due()
            self._check_address()
            for check in self._checks:
                check()
            for table in self._tables.values():
                with table.guarded():
                    table.show_waiting()
            if self._broker.ended or self._web.ended:
                log.error(
                    "The thread of the %s has ended; the hub ends.", "broker" if self._broker.ended else "web port"
                )
                return 1
            self._feed_watchdog()
        return 1 if self._has_failed else 0

    def stuck_seconds(self, table: str) -> float:
        """Return how many seconds a table has been stuck; 0 if it is not, or if it only waits for its disk."""
        now = monotonic()
        disk = self._store.waiting_since(self._threads[table].ident or 0)
        seconds = now - self._moved_at.get(table, now)
        is_stuck = seconds >= ALIVE_SECONDS and (disk is None or now - disk >= DISK_SECONDS)
        return seconds if is_stuck else 0.0

    def find_stuck(self) -> list[str]:
        """Return the names of everything that is stuck, for the journal."""
        stuck = [f"table {name}" for name in self._tables if self.stuck_seconds(name)]
        if self._broker.running and monotonic() - self._broker.ticked >= BROKER_SECONDS:
            stuck.append("the broker's thread")
        if self._web.silent_seconds() >= ALIVE_SECONDS:
            stuck.append("the web port's loop")
        return stuck

    def _run_table(self, name: str, table: Table) -> None:
        """Run a table in its own thread. If the thread ends before `close`, the hub ends and is started again."""
        try:
            table.run(lambda: self._moved_at.__setitem__(name, monotonic()))
        finally:
            self._has_failed = True
            self._stop.set()

    def _feed_watchdog(self) -> None:
        stuck = ", ".join(self.find_stuck())
        if stuck and stuck != self._stuck:
            log.error("Stuck: %s. The watchdog is not fed until that moves again.", stuck)
        self._stuck = stuck
        if self._service and not stuck:
            self._service.alive()

    def _find_url(self) -> str:
        """Return the URL at which phones reach the open web port now; "" without a network."""
        web = self._config.web
        return public_url(self._hotspot() or web.address, web.host, self._web.port, secure=bool(web.tls_cert))

    def _check_address(self) -> None:
        """Make every table show the new URL if the machine's address has changed."""
        url = self._find_url()
        if url == self.url:
            return
        self.url = url
        log.info("Phones reach this hub at %s.", url or "no address: there is no network")
        self._put_to_all(AddressChanged(url))
        if self._service:
            self._service.status(self._status_line())

    def _status_line(self) -> str:
        return (
            f"{len(self._tables)} table(s) at {self.url}" if self.url else f"{len(self._tables)} table(s), no network"
        )

    def _wipe_if_due(self) -> None:
        """Wipe old hands once an hour, unless the wall clock was set: a Pi without a network may show any date."""
        if monotonic() < self._wipe_at:
            return
        before, self._clock_offset = self._clock_offset, time() - monotonic()
        self._wipe_at = monotonic() + WIPE_SECONDS
        if abs(self._clock_offset - before) <= STEADY_SECONDS:  # in a thread, because it may wait for the disk
            threading.Thread(target=self._wipe, name="forget", daemon=True).start()

    def _wipe(self) -> None:
        """Wipe the hands of matches that ended more days ago than the owner wants to keep them."""
        hub = self._config.hub
        try:
            wiped = wipe_logs(Path(hub.state) / "table-hub.db", hub.keep_days, aside_days=hub.aside_days)
        except HubError as error:
            log.warning("%s", error)
        else:
            if wiped:
                log.info("The hands of %d finished match(es) are wiped; who won what stays.", wiped)
