"""The hub's MQTT client, with the managed mosquitto or a venue's broker by its URL.

One thread owns the connection: it starts the managed broker, connects, creates the logins of all claims, and publishes
what other threads have queued; those only queue a message and wake it. A broker that is lost is tried again with
back-off; after each new connection every login is created and every retained message is published again.
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

BACK_OFF = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds before each further try; the last one for ever
LOOK_SECONDS = 1.0  # between two looks whether the managed broker's socket is still there
PICTURE_SECONDS = 0.05  # between two pictures of a topic: phones at the hub's own port have theirs already
MAX_QUEUED = 256  # messages that are not retained and not yet sent; older ones are dropped


class MqttBroker:
    """The Broker port. `inbox` gets BrokerUp and BrokerDown, from this broker's thread."""

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
        self._logins = DynsecLogins(self._hurry)
        self._wake, self._waker = socket.socketpair()
        for end in (self._wake, self._waker):
            end.settimeout(0)
        self._lock = threading.Lock()  # guards the next six, which any thread may change
        self._holding: set[int] = set()  # threads that publish more before the thread is to look
        self._will_look = False  # whether the thread looks at the queues without another wake-up
        self._urgent = False  # whether more is queued than pictures, which come at their pace
        self._retained: dict[str, bytes] = {}  # topic -> newest payload; an empty one clears the topic
        self._unsent: dict[str, None] = {}  # topics of `_retained` still to be published, in order
        self._queue: collections.deque[tuple[str, bytes, int]] = collections.deque(maxlen=MAX_QUEUED)  # not retained
        self._subscriptions: dict[str, OnMessage] = {}
        self._closing = threading.Event()
        self._reported = ""  # the last reason that a BrokerDown gave
        self._look_at, self._was_reachable = 0.0, True
        self._pictures_at = 0.0  # when pictures may be published again
        self.up = threading.Event()
        self.ticked = time.monotonic()  # when its thread last came round
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)

    @property
    def logins(self) -> DynsecLogins:
        """Return the store of logins."""
        return self._logins

    @property
    def address(self) -> Address:
        """Return the address to which the gateway pipes the phones' bytes."""
        if self._venue is not None:
            return self._venue.address
        assert self._mosquitto is not None
        return Address(path=self._mosquitto.socket)

    @property
    def pid(self) -> int | None:
        """Return the managed broker's process id while it runs."""
        return self._mosquitto.pid if self._mosquitto is not None else None

    @property
    def running(self) -> bool:
        """Return whether its thread runs: it does not where `start` found no broker to be had."""
        return self._thread.is_alive()

    @property
    def ended(self) -> bool:
        """Return whether its thread has ended without `close`."""
        return self._thread.ident is not None and not self._thread.is_alive() and not self._closing.is_set()

    @property
    def queued(self) -> int:
        """Return how many messages wait to be sent: one at most for each retained topic, and MAX_QUEUED others."""
        with self._lock:
            return len(self._unsent) + len(self._queue)

    def start(self) -> None:
        """Check the broker's program and folder, and start the thread. Raise BrokerError or ConfigError."""
        if self._mosquitto is not None:
            self._mosquitto.prepare()
        self._thread.start()

    def close(self) -> None:
        """Disconnect, end the thread and the managed broker."""
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
        """Wake the thread once for all that the caller publishes inside: six phones read a state and a hand at one go."""
        me = threading.get_ident()
        with self._lock:
            is_inside = me in self._holding
            self._holding.add(me)
        if is_inside:  # the outer one lets it go
            yield
            return
        try:
            yield
        finally:
            with self._lock:
                self._holding.discard(me)
                wake = bool(self._unsent or self._queue) and (self._urgent or not self._will_look)
                self._will_look = self._will_look or wake
            if wake:
                self._wake_up()

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: Literal[0, 1] = 1) -> None:
        """Queue a message; of a retained topic only the newest is kept."""
        with self._lock:
            if retain:
                self._retained[topic] = payload
                self._unsent[topic] = None
            elif self.up.is_set():  # without a broker there is no subscriber for it
                self._queue.append((topic, payload, qos))
            is_picture = retain and bool(payload)
            wake = not self._will_look or not (is_picture or self._urgent)
            self._urgent = self._urgent or not is_picture
            if threading.get_ident() in self._holding:
                return
            self._will_look = True
        if wake:
            self._wake_up()

    def subscribe(self, pattern: str, on_message: OnMessage) -> None:
        """Call `on_message` for what others publish there; to be called before `start`."""
        self._subscriptions[pattern] = on_message

    # --- the broker's thread ---

    def _hurry(self) -> None:
        with self._lock:
            self._urgent = self._will_look = True
        self._wake_up()

    def _wake_up(self) -> None:
        with contextlib.suppress(OSError):  # full: it is awake already; closed: nothing is to be sent any more
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
                reason = str(error)
                failures += 1
                self._stop_own()  # it may hang: the next try starts a new one
            except Exception as error:  # a full disk, no memory for a child: this thread must outlive it
                reason = f"The hub could not serve its broker ({error.__class__.__name__}); it tries again."
                if reason != self._reported:  # one trace for each cause, however often it is tried
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
        """Open one connection and serve it until it is lost; return why. Raise BrokerError."""
        self._look_at = 0.0
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
        """Connect, create the logins, and report BrokerUp. Raise BrokerError."""
        connection.open()
        self._logins.connected()
        settled = False
        while not settled and not self._logins.error and not self._closing.is_set():
            # Each answer gives the next one its time: how long all take depends on the number of seats.
            self.ticked, before = time.monotonic(), self._logins.answered
            connection.run_until(
                lambda before=before: self._logins_settled(connection) or self._logins.answered != before,  # type: ignore[misc]
                "the answer about the logins",
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
        """Send what is to be asked about logins, once more what was not answered; return whether all is answered."""
        connection.send_commands(self._logins.take_commands())
        return self._logins.settled

    def _serve(self, connection: Connection) -> str:
        """Publish what is queued until the connection is lost; return why, or "" when the hub closes."""
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
                return f"{lost or 'The socket of the broker is gone.'} The broker is started again."
            elif lost and self._mosquitto.ended():
                return f"The broker ended ({self._mosquitto.end_reason()}); it is started again."
            elif lost:
                return lost
        return ""

    def _is_reachable(self, mosquitto: Mosquitto) -> bool:
        """Return whether the broker's socket was there when it was looked for last, at most a second ago."""
        if self.ticked >= self._look_at:
            self._look_at = self.ticked + LOOK_SECONDS
            self._was_reachable = mosquitto.reachable()
        return self._was_reachable

    def _pause(self) -> float:
        """Return for how many seconds what is queued may wait: pictures alone, until it is their turn."""
        with self._lock:
            return max(0.0, self._pictures_at - self.ticked) if self._unsent and not self._urgent else 0.0

    def _publish_queued(self, connection: Connection) -> None:
        # What is said comes before the logins, so that a phone that leaves has its answer before its login ends; what is
        # cleared comes after them: a released seat's login is deleted before its hand is.
        commands, deleting = self._logins.take_commands(), self._logins.deleting
        with self._lock:
            self._will_look = self._urgent = False
            for topic in connection.acknowledged:
                if topic not in self._unsent and self._retained.get(topic) == b"":
                    del self._retained[topic]  # cleared, and acknowledged: nothing to publish again
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
        """Report BrokerDown, once for each reason however often it is tried."""
        if reason != self._reported:
            self._reported = reason
            log.warning("%s", reason)
            self._inbox(BrokerDown(reason))
