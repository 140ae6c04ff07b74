"""The letter carrier between hub and phones: our own mosquitto, or a venue's broker by its URL.

One thread owns the connection: it starts the broker, logs in, makes the logins of all claims, and sends
what the rooms laid out. Others only lay letters out and wake it. A broker that dies is started again
with back-off; then every login is made and every retained letter told once more.
"""

from __future__ import annotations

import collections
import contextlib
import logging
import socket
import ssl
import threading
import urllib.parse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hub.errors import BrokerError, ConfigError
from hub.network.connection import Address, Heard, Place, Status, Talk
from hub.network.dynsec import DynsecLogins
from hub.network.mosquitto import USER, Mosquitto
from hub.ports import BrokerDown, BrokerUp

if TYPE_CHECKING:
    from hub.config import BrokerPart

log = logging.getLogger(__name__)

BACK_OFF = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds before each further try; the last one for ever
MOST_WAITING = 256  # passing letters laid out and not yet sent; older ones are dropped


class MqttBroker:
    """The Broker port. `tell` gets BrokerUp and BrokerDown, from this broker's thread."""

    def __init__(
        self,
        part: BrokerPart,
        folder: Path,
        hub: str,
        tables: Sequence[str],
        tell: Callable[[BrokerUp | BrokerDown], None],
    ) -> None:
        self._tell = tell
        self._status = Status.of(hub, tables)
        self._own = None if part.url else Mosquitto(folder, part.program)
        self._outside = _outside(part, hub) if part.url else None
        self._logins = DynsecLogins(self._wake_up)
        self._wake, self._waker = socket.socketpair()
        for end in (self._wake, self._waker):
            end.settimeout(0)
        self._laid = threading.Lock()  # guards the next four, which any thread may fill
        self._awake = False  # whether the thread will look at what is laid out without another wake-up
        self._newest: dict[str, bytes] = {}  # retained: topic -> payload; an empty one clears the topic
        self._fresh: dict[str, None] = {}  # topics of `_newest` still to be sent, in order
        self._passing: collections.deque[tuple[str, bytes, int]] = collections.deque(maxlen=MOST_WAITING)
        self._listeners: dict[str, Heard] = {}
        self._closing = threading.Event()
        self._told_down = ""
        self.up = threading.Event()
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)

    @property
    def logins(self) -> DynsecLogins:
        """Who may log in."""
        return self._logins

    @property
    def address(self) -> Address:
        """Where phones' bytes are to be piped to."""
        if self._outside is not None:
            return self._outside.address
        assert self._own is not None
        return Address(path=self._own.socket)

    @property
    def pid(self) -> int | None:
        """The managed broker's process, while it runs."""
        return self._own.pid if self._own is not None else None

    def start(self) -> None:
        """Check what can be checked now (raises BrokerError or ConfigError), then go on in the background."""
        if self._own is not None:
            self._own.prepare()
        self._thread.start()

    def close(self) -> None:
        """Say goodbye and end."""
        self._closing.set()
        self._wake_up()
        if self._thread.is_alive():
            self._thread.join(10)
        if self._own is not None:
            self._own.close()
        self._wake.close()
        self._waker.close()

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: Literal[0, 1] = 1) -> None:
        """Lay a letter out; of a retained topic only the newest is kept."""
        with self._laid:
            if retain:
                self._newest[topic] = payload
                self._fresh[topic] = None
            elif self.up.is_set():  # a passing letter to a broker that is away has no reader
                self._passing.append((topic, payload, qos))
            awake, self._awake = self._awake, True
        if not awake:  # six hands in a row wake the thread once
            self._wake_up()

    def listen(self, pattern: str, heard: Heard) -> None:
        """Hear a topic pattern; to be called before `start`."""
        self._listeners[pattern] = heard

    # --- the broker's thread ---

    def _wake_up(self) -> None:
        with contextlib.suppress(OSError):  # full: it is awake already; closed: nothing is to be sent any more
            self._waker.send(b"!")

    def _run(self) -> None:
        failures = 0
        while not self._closing.wait(BACK_OFF[min(failures, len(BACK_OFF) - 1)]):
            try:
                self._start_own()
                why = self._one_connection()
                failures = 0
            except BrokerError as trouble:
                why = str(trouble)
                failures += 1
            if not self._closing.is_set():
                self._tell_down(why)
        if self._own is not None:
            self._own.stop()

    def _one_connection(self) -> str:
        talk = Talk(self._place(), self._status, self._listeners, self._logins)
        try:
            return self._talk_until_lost(talk)
        finally:
            self.up.clear()
            self._logins.forget_answers()
            talk.end()

    def _tell_down(self, why: str) -> None:
        """Once for each reason, however often it is tried."""
        if why != self._told_down:
            self._told_down = why
            log.warning("%s", why)
            self._tell(BrokerDown(why))

    def _start_own(self) -> None:
        if self._own is not None and self._own.pid is None:
            self._own.start()

    def _place(self) -> Place:
        if self._outside is not None:
            return self._outside
        assert self._own is not None
        return Place(self.address, USER, self._own.password, USER)

    def _talk_until_lost(self, talk: Talk) -> str:
        """One connection, from log-in until it is lost; returns why."""
        talk.log_in(self._wake)
        self._logins.begin_again()
        talk.send(self._logins.commands())
        talk.go_on_until(lambda: self._logins.settled, self._wake, "the answer about the logins")
        if self._logins.trouble:
            raise BrokerError(self._logins.trouble)
        with self._laid:
            self._fresh = dict.fromkeys(self._newest)
            self._passing.clear()
            self.up.set()
        self._told_down = ""
        log.info("The broker is up.")
        self._tell(BrokerUp())
        while not self._closing.is_set():
            self._send_laid_out(talk)
            lost = talk.step(self._wake)
            if lost:
                if self._own is not None and self._own.ended():
                    return f"The broker ended ({self._own.why()}); it is started again."
                return lost
        return ""

    def _send_laid_out(self, talk: Talk) -> None:
        # Logins first: a released seat's login is dead before its hand is cleared.
        talk.send(self._logins.commands())
        with self._laid:
            self._awake = False
            for topic in talk.delivered:
                if topic not in self._fresh and self._newest.get(topic) == b"":
                    del self._newest[topic]  # cleared, and the broker has said so: nothing to remember
            talk.delivered.clear()
            ready = [topic for topic in self._fresh if topic not in talk.under_way]
            letters = [(topic, self._newest[topic]) for topic in ready]
            for topic in ready:
                del self._fresh[topic]
            passing = list(self._passing)
            self._passing.clear()
        for topic, payload in letters:
            talk.publish_retained(topic, payload)
        for topic, payload, qos in passing:
            talk.publish(topic, payload, qos)


def _outside(part: BrokerPart, hub: str) -> Place:
    """The venue's broker; raises ConfigError."""
    url = urllib.parse.urlsplit(part.url)
    try:
        port = url.port
    except ValueError:
        port = -1
    if url.scheme not in ("mqtt", "mqtts") or not url.hostname or port == -1 or url.path.strip("/"):
        raise ConfigError(f"[broker] url: '{part.url}' is not mqtt://host:1883 or mqtts://host:8883.")
    tls = None
    password = ""
    try:
        if url.scheme == "mqtts":
            tls = ssl.create_default_context(cafile=part.ca_file or None)
        if part.password_file:
            password = Path(part.password_file).expanduser().read_text().strip()
    except (OSError, UnicodeDecodeError) as trouble:
        file = part.password_file if tls is not None or url.scheme == "mqtt" else part.ca_file
        raise ConfigError(f"[broker] {file}: cannot be used ({trouble.__class__.__name__}: {trouble}).") from None
    address = Address(host=url.hostname, port=port or (8883 if tls else 1883), tls=tls)
    return Place(address, part.user, password, f"table-hub-{hub}")
