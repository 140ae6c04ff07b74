"""The hub's MQTT client for the managed mosquitto, or for a broker of the venue that the owner names by its URL.

One thread owns the connection. It starts the managed broker, connects, creates the logins of all claims, and publishes
queued messages. Other threads only queue messages and wake it. After a connection is lost, the thread tries again with
increasing pauses; each new connection creates missing logins and publishes all retained messages again.
"""

from __future__ import annotations

import collections
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hub.engine.text import say
from hub.errors import BrokerError
from hub.network.connection import (
    Address,
    Connection,
    Endpoint,
    OnMessage,
    Status,
    outside_endpoint,
)
from hub.network.dynsec import DynsecLogins
from hub.network.mosquitto import USER, Mosquitto
from hub.ports import BrokerDown, BrokerUp

if TYPE_CHECKING:
    from hub.config import BrokerPart

log = logging.getLogger(__name__)

BACK_OFF = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)  # pause in seconds before each retry; the last value repeats
CHECK_SECONDS = 1.0  # between two checks that the managed broker's socket still exists
PICTURE_SECONDS = 0.05  # minimum time between two states: phones at the hub's own port get theirs directly
MAX_QUEUED = 256  # unsent messages without retain; the oldest ones are dropped


class MqttBroker:
    """The Broker port. `inbox` receives BrokerUp and BrokerDown, called from the thread of this broker."""

    def __init__(
        self,
        part: BrokerPart,
        folder: Path,
        hub: str,
        tables: Sequence[str],
        inbox: Callable[[BrokerUp | BrokerDown], None],
    ) -> None:
        self._inbox = inbox
        self._status = Status.of(hub, tables)
        self._mosquitto = None if part.url else Mosquitto(folder, part.program)
        self._venue = outside_endpoint(part, "broker", f"table-hub-{hub}") if part.url else None
        self._logins = DynsecLogins(self._wake_urgently)
        self._wake, self._waker = socket.socketpair()
        for end in (self._wake, self._waker):
            end.settimeout(0)
        self._lock = threading.Lock()  # guards the next six attributes, which any thread may change
        self._holding: set[int] = set()  # threads inside of `hold`
        self._is_woken = False  # whether the thread will check the queues without another wake-up
        self._urgent = False  # whether the queues hold more than states, which are sent at intervals
        self._retained: dict[str, bytes] = {}  # topic -> newest payload; an empty one clears the topic
        self._unsent: dict[str, None] = {}  # topics of `_retained` that still have to be published, in order
        self._queue: collections.deque[tuple[str, bytes, int]] = collections.deque(maxlen=MAX_QUEUED)  # not retained
        self._subscriptions: dict[str, OnMessage] = {}
        self._closing = threading.Event()
        self._reported = ""  # the last reason that a BrokerDown gave
        self._check_at, self._was_reachable = 0.0, True
        self._pictures_at = 0.0  # when states may be published again
        self.up = threading.Event()
        self.ticked = time.monotonic()  # when the loop of its thread last ran
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)

    @property
    def logins(self) -> DynsecLogins:
        """Return the store of logins."""
        return self._logins

    @property
    def address(self) -> Address:
        """Return the address of the broker, to which the gateway connects phones."""
        if self._venue is not None:
            return self._venue.address
        assert self._mosquitto is not None
        return Address(path=self._mosquitto.socket)

    @property
    def pid(self) -> int | None:
        """Return the process id of the managed broker while it runs, else None."""
        return self._mosquitto.pid if self._mosquitto is not None else None

    @property
    def running(self) -> bool:
        """Return whether its thread runs. It does not run if `start` found no usable broker."""
        return self._thread.is_alive()

    @property
    def ended(self) -> bool:
        """Return whether its thread has ended by itself, without `close`."""
        return self._thread.ident is not None and not self._thread.is_alive() and not self._closing.is_set()

    @property
    def queued(self) -> int:
        """Return the number of unsent messages: at most one per retained topic, and `MAX_QUEUED` others."""
        with self._lock:
            return len(self._unsent) + len(self._queue)

    def start(self) -> None:
        """Check the program and folder of the broker, then start the thread. Raise BrokerError, ConfigError or TemporaryError."""
        if self._mosquitto is not None:
            self._mosquitto.prepare()
        self._thread.start()

    def close(self) -> None:
        """Disconnect, then end the thread and the managed broker."""
        self._closing.set()
        self._wake_up()
        if self._thread.is_alive():
            self._thread.join(10)
        if self._mosquitto is not None:
            self._mosquitto.close()
        self._wake.close()
        self._waker.close()

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Wake the thread only once for everything that the caller publishes inside, such as a state and six hands."""
        me = threading.get_ident()
        with self._lock:
            is_inside = me in self._holding
            self._holding.add(me)
        if is_inside:  # the outer block wakes the thread
            yield
            return
        try:
            yield
        finally:
            with self._lock:
                self._holding.discard(me)
                wake = bool(self._unsent or self._queue) and (self._urgent or not self._is_woken)
                self._is_woken = self._is_woken or wake
            if wake:
                self._wake_up()

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: Literal[0, 1] = 1) -> None:
        """Queue a message. For a retained topic, it replaces an older one."""
        with self._lock:
            if retain:
                self._retained[topic] = payload
                self._unsent[topic] = None
            elif self.up.is_set():  # without a broker, nobody could receive it
                self._queue.append((topic, payload, qos))
            is_picture = retain and bool(payload)
            wake = not self._is_woken or not (is_picture or self._urgent)
            self._urgent = self._urgent or not is_picture
            if threading.get_ident() in self._holding:
                return
            self._is_woken = True
        if wake:
            self._wake_up()

    def subscribe(self, pattern: str, on_message: OnMessage) -> None:
        """Call `on_message` for messages of others on these topics. Subscribe before `start`."""
        self._subscriptions[pattern] = on_message

    # --- the broker's thread ---

    def _wake_urgently(self) -> None:
        with self._lock:
            self._urgent = self._is_woken = True
        self._wake_up()

    def _wake_up(self) -> None:
        with contextlib.suppress(OSError):  # full: the thread is awake already; closed: nothing is sent any more
            self._waker.send(b"!")

    def _run(self) -> None:
        failures = 0
        while not self._closing.wait(BACK_OFF[min(failures, len(BACK_OFF) - 1)]):
            self.ticked = time.monotonic()
            try:
                if self._mosquitto is not None and self._mosquitto.pid is None:
                    self._mosquitto.start(self._logins.all())
                reason = self._connect_and_serve()
                failures = 0
            except BrokerError as error:
                reason = error.sentence
                failures += 1
                self._stop_own()  # the broker may hang, so the next try starts a new one
            except Exception as error:  # a full disk, or no memory for a process: this thread must survive that
                kind = error.__class__.__name__
                reason = say("The hub could not serve its broker ({error}). It tries again.", error=kind)
                if reason != self._reported:  # one traceback per cause, regardless of the number of tries
                    log.exception("The thread of the broker's connection failed; it goes on.")
                failures += 1
                self._stop_own()
            if not self._closing.is_set():
                self._report_down(reason)
        self._stop_own()

    def _stop_own(self) -> None:
        if self._mosquitto is not None:
            self._mosquitto.stop()

    def _connect_and_serve(self) -> str:
        """Open one connection and serve it until it is lost. Return the reason. Raise BrokerError."""
        self._check_at = 0.0
        connection = Connection(self._endpoint(), self._status, self._subscriptions, self._logins, self._wake)
        try:
            self._set_up(connection)
            return self._serve(connection)
        finally:
            self.up.clear()
            self._logins.disconnected()
            connection.close()

    def _endpoint(self) -> Endpoint:
        if self._venue is not None:
            return self._venue
        assert self._mosquitto is not None
        return Endpoint(self.address, USER, self._mosquitto.password, USER)

    def _set_up(self, connection: Connection) -> None:
        """Connect, create the logins, then report BrokerUp. Raise BrokerError."""
        connection.open()
        self._logins.connected()
        settled = False
        while not settled and not self._logins.error and not self._closing.is_set():
            # The timeout starts anew with each answer, because the number of answers depends on the number of seats.
            self.ticked, before = time.monotonic(), self._logins.answered
            connection.run_until(
                lambda before=before: self._logins_settled(connection) or self._logins.answered != before  # type: ignore[misc]
            )
            settled = self._logins.settled
        if self._logins.error:
            raise BrokerError(self._logins.error)
        with self._lock:
            self._unsent = dict.fromkeys(self._retained)
            self._queue.clear()
            self.up.set()
        self._reported = ""
        log.info("The broker is up.")
        self._inbox(BrokerUp())

    def _logins_settled(self, connection: Connection) -> bool:
        """Send the due commands about logins. Return whether all commands have been answered."""
        connection.send_commands(self._logins.take_commands())
        return self._logins.settled

    def _serve(self, connection: Connection) -> str:
        """Publish queued messages until the connection is lost. Return the reason, or "" when the hub closes."""
        while not self._closing.is_set():
            self.ticked = time.monotonic()
            pause = self._pause()
            if not pause:
                self._publish_queued(connection)
            lost = connection.step(pause)
            if self._mosquitto is None:
                if lost:
                    return lost
            elif connection.stalled or not self._is_reachable(self._mosquitto):
                self._mosquitto.stop()
                problem = lost or say("The socket of the broker is gone.")
                return say("{problem} The hub starts its broker again.", problem=problem)
            elif lost and self._mosquitto.ended():
                end = self._mosquitto.end_reason()
                return say("The broker ended ({end}). The hub starts it again.", end=end)
            elif lost:
                return lost
        return ""

    def _is_reachable(self, mosquitto: Mosquitto) -> bool:
        """Return whether the broker's socket existed at the last check, at most one second ago."""
        if self.ticked >= self._check_at:
            self._check_at = self.ticked + CHECK_SECONDS
            self._was_reachable = mosquitto.reachable()
        return self._was_reachable

    def _pause(self) -> float:
        """Return how many seconds the queues may wait: until states are due if they hold nothing else, else 0."""
        with self._lock:
            return max(0.0, self._pictures_at - self.ticked) if self._unsent and not self._urgent else 0.0

    def _publish_queued(self, connection: Connection) -> None:
        # Messages come before commands about logins, so that a phone that leaves gets its answer before its login ends.
        # Cleared topics come last: the login of a released seat is deleted before its hand.
        commands, deleting = self._logins.take_commands(), self._logins.deleting
        with self._lock:
            self._is_woken = self._urgent = False
            for topic in connection.acknowledged:
                if topic not in self._unsent and self._retained.get(topic) == b"":
                    del self._retained[topic]  # the broker has acknowledged that it cleared the topic
            connection.acknowledged.clear()
            ready = [
                topic
                for topic in self._unsent
                if topic not in connection.in_flight and (self._retained[topic] or not deleting)
            ]
            retained = [(topic, self._retained[topic]) for topic in ready]
            for topic in ready:
                del self._unsent[topic]
            others = list(self._queue)
            self._queue.clear()
        if retained:
            self._pictures_at = self.ticked + PICTURE_SECONDS
        for topic, payload in retained:
            if payload:
                connection.publish_retained(topic, payload)
        for topic, payload, qos in others:
            connection.publish(topic, payload, qos)
        connection.send_commands(commands)
        for topic, payload in retained:
            if not payload:
                connection.publish_retained(topic, payload)

    def _report_down(self, reason: str) -> None:
        """Report BrokerDown, once per reason regardless of the number of tries."""
        if reason != self._reported:
            self._reported = reason
            log.warning("%s", reason)
            self._inbox(BrokerDown(reason))
