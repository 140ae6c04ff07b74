"""One MQTT connection of the hub, from log-in until it is lost."""

from __future__ import annotations

import json
import logging
import secrets
import select
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from hub.errors import BrokerError
from hub.network import messages
from hub.network.dynsec import DynsecLogins

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

log = logging.getLogger(__name__)

CONTROL = "$CONTROL/dynamic-security/v1"
ANSWERS = CONTROL + "/response"
ANSWER_SECONDS = 5.0
KEEPALIVE = 15

Heard = Callable[[str, bytes, bool], None]


@dataclass(frozen=True, slots=True)
class Address:
    """Where the broker listens: a Unix socket (`path`), or host and port, with TLS or without."""

    path: str = ""
    host: str = ""
    port: int = 0
    tls: ssl.SSLContext | None = None

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Place:
    """Address and login of a broker."""

    address: Address
    user: str
    password: str
    client: str


@dataclass(frozen=True, slots=True)
class Status:
    """What the hub says while it is there, and what the broker says for it once it is gone (the will)."""

    topic: str
    present: bytes
    gone: bytes

    @classmethod
    def of(cls, hub: str, tables: Sequence[str]) -> Status:
        # The session tells a late will of an earlier start from the present one's.
        session = secrets.token_hex(4)
        here, gone = (messages.HubStatus(state, session, list(tables)) for state in ("online", "offline"))
        return cls(messages.status_topic(hub), messages.to_bytes(here), messages.to_bytes(gone))


class Talk:
    """One MQTT connection; every call comes from the broker's thread."""

    def __init__(self, place: Place, status: Status, listeners: dict[str, Heard], logins: DynsecLogins) -> None:
        self.under_way: set[str] = set()  # retained topics whose letter is not yet acknowledged
        self.delivered: list[str] = []  # those that were, since somebody looked
        self._mids: dict[int, str] = {}
        self._place = place
        self._status = status
        self._listeners = listeners
        self._logins = logins
        self._granted: set[int] = set()
        self._connected: ReasonCode | None = None
        self._lost = ""
        self._next_care = 0.0
        # MQTT 5: `retainAsPublished` shows a request that was (wrongly) retained, `noLocal` spares our own.
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=place.client,
            protocol=paho.MQTTv5,
            transport="unix" if place.address.path else "tcp",
            reconnect_on_failure=False,
        )
        client.max_inflight_messages_set(65535)  # bounded by us: one a topic
        if place.user:
            client.username_pw_set(place.user, place.password or None)
        if place.address.tls is not None:
            client.tls_set_context(place.address.tls)
        client.will_set(status.topic, status.gone, qos=1, retain=True)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish
        client.message_callback_add(ANSWERS, self._on_answer)
        for pattern, heard in listeners.items():
            client.message_callback_add(pattern, _to_listener(heard))
        self._client = client

    def log_in(self, wake: socket.socket) -> None:
        """Connect, subscribe; raises BrokerError."""
        where = self._place.address
        try:
            self._client.connect(where.path or where.host, where.port or 1, keepalive=KEEPALIVE)
        except (OSError, ValueError) as trouble:
            raise BrokerError(f"The broker at {where} cannot be reached ({trouble}).") from None
        live = self._client.socket()
        if isinstance(live, socket.socket) and not where.path:
            live.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.go_on_until(lambda: self._connected is not None, wake, "its answer to the log-in")
        assert self._connected is not None
        if self._connected.is_failure:
            raise BrokerError(f"The broker at {where} refuses the hub's login ({self._connected}).")
        for pattern in (*self._listeners, ANSWERS):
            options = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True)
            mid = self._client.subscribe(pattern, options=options)[1]
            self.go_on_until(lambda mid=mid: mid in self._granted, wake, "its leave to listen")  # type: ignore[misc]
        self._client.publish(self._status.topic, self._status.present, qos=1, retain=True)

    def go_on_until(self, done: Callable[[], bool], wake: socket.socket, what: str) -> None:
        """Serve the connection until `done`; raises BrokerError when it is lost or too slow."""
        until = time.monotonic() + ANSWER_SECONDS
        while not done():
            lost = self.step(wake)
            if lost:
                raise BrokerError(lost)
            if time.monotonic() > until:
                raise BrokerError(f"The broker at {self._place.address} did not give {what} within 5 s.")

    def step(self, wake: socket.socket) -> str:
        """Wait for something to do and do it; returns why the connection was lost, or nothing."""
        client, live = self._client, self._client.socket()
        if live is None:
            return self._lost_words()
        hidden = isinstance(live, ssl.SSLSocket) and live.pending() > 0  # read by TLS, invisible to select
        ready, _, _ = select.select([wake, live], [], [], 0) if hidden else ([], [], [])
        if not hidden:
            wants = [live] if client.want_write() else []
            ready, able, _ = select.select([wake, live], wants, [], 1.0)
            if able:
                client.loop_write()
        if wake in ready:
            wake.recv(4096)
        if hidden or live in ready:
            client.loop_read()
        now = time.monotonic()
        if now >= self._next_care:
            self._next_care = now + 1.0
            client.loop_misc()
        return self._lost_words() if client.socket() is None else ""

    def publish_retained(self, topic: str, payload: bytes) -> None:
        """One letter a topic is under way at a time; the next newest waits for its acknowledgement."""
        sent = self._client.publish(topic, payload, qos=1, retain=True)
        if sent.rc == MQTTErrorCode.MQTT_ERR_SUCCESS:
            self.under_way.add(topic)
            self._mids[sent.mid] = topic

    def publish(self, topic: str, payload: bytes, qos: int) -> None:
        """A passing letter."""
        self._client.publish(topic, payload, qos=qos)

    def send(self, commands: Sequence[dict[str, object]]) -> None:
        """Commands to the broker's plugin."""
        if commands:
            self._client.publish(CONTROL, json.dumps({"commands": commands}).encode(), qos=1)

    def end(self) -> None:
        """Leave; the broker tells the will unless we said goodbye ourselves."""
        if self._client.socket() is None:
            return
        self._client.publish(self._status.topic, self._status.gone, qos=0, retain=True)
        self._client.disconnect()

    def _lost_words(self) -> str:
        return self._lost or f"The connection to the broker at {self._place.address} was lost."

    def _on_connect(self, _c: paho.Client, _u: object, _f: object, code: ReasonCode, _p: object) -> None:
        self._connected = code

    def _on_disconnect(self, _c: paho.Client, _u: object, _f: object, code: ReasonCode, _p: object) -> None:
        self._lost = self._lost or f"The connection to the broker at {self._place.address} was lost ({code})."

    def _on_subscribe(self, _c: paho.Client, _u: object, mid: int, codes: Sequence[ReasonCode], _p: object) -> None:
        if any(code.is_failure for code in codes):
            self._lost = f"The broker at {self._place.address} does not let the hub listen ({codes[0]})."
            self._client.disconnect()
        self._granted.add(mid)

    def _on_publish(self, _c: paho.Client, _u: object, mid: int, code: ReasonCode, _p: object) -> None:
        topic = self._mids.pop(mid, None)
        if topic is not None:
            self.under_way.discard(topic)
            self.delivered.append(topic)
        if code.is_failure:
            log.warning("The broker did not take a letter of the hub (%s).", code)

    def _on_answer(self, _c: paho.Client, _u: object, message: paho.MQTTMessage) -> None:
        self._logins.answered(bytes(message.payload))


def _to_listener(heard: Heard) -> Callable[[paho.Client, object, paho.MQTTMessage], None]:
    def on_message(_c: paho.Client, _u: object, message: paho.MQTTMessage) -> None:
        heard(message.topic, bytes(message.payload), message.retain)

    return on_message
