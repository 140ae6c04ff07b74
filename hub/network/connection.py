"""One MQTT connection of the hub, from CONNECT until it is lost.

It has its own select loop around paho's `loop_read`, `loop_write` and `loop_misc`. Other threads wake the thread that waits
for the network through a socket pair. If the connection is lost, `step` returns the reason.
"""

from __future__ import annotations

import json
import logging
import secrets
import select
import socket
import ssl
import time
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from hub.engine.text import Text, say
from hub.errors import BrokerError, ConfigError
from hub.files import check_file, read_file
from hub.network import messages
from hub.network.bounded import LARGEST_PACKET, BoundedClient
from hub.network.dynsec import COMMAND_TOPIC, RESPONSE_TOPIC, DynsecLogins

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

    from hub.config import BrokerPart, HomeAssistantPart, UpstreamPart

log = logging.getLogger(__name__)

RESPONSE_SECONDS = 5.0  # timeout for each answer of the broker during set-up
KEEPALIVE_SECONDS = 15
MISC_SECONDS = 1.0  # between two calls of paho's loop_misc, which handles pings
HEADER_BYTES = 16  # maximum overhead of a PUBLISH beyond topic and payload
ECHO_SECONDS = 2.0  # between two messages that the hub sends to itself, to check that the broker delivers
SILENT_SECONDS = 6.0  # without any data from the broker while such a message is under way: the broker hangs
STALLED_SECONDS = 20.0  # other data arrives, but not that message

OnMessage = Callable[[str, bytes, bool], None]
"""Called with topic, payload and whether the message was retained."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a broker: a Unix socket (`path`), or host and port, with or without TLS."""

    path: str = ""
    host: str = ""
    port: int = 0
    tls: ssl.SSLContext | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Return what staff read: a path in the hub's file system would mean nothing to them."""
        return say("this hub") if self.path else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A broker's address, with the hub's login and client id for it."""

    address: Address
    user: str
    password: str
    client_id: str


@dataclass(frozen=True, slots=True)
class Status:
    """The hub's retained status: the payload while it is connected, the payload of its will, and the topic of its echo."""

    topic: str
    online: bytes
    offline: bytes
    echo_topic: str

    @classmethod
    def of(cls, hub: str, tables: Sequence[str]) -> Status:
        """Return the status of a hub with these tables. A random session distinguishes it from a late will of an earlier start."""
        session = secrets.token_hex(4)
        online, offline = (messages.HubStatus(state, session, list(tables)) for state in ("online", "offline"))
        topics = messages.status_topic(hub), messages.echo_topic(hub)
        return cls(topics[0], messages.to_bytes(online), messages.to_bytes(offline), topics[1])


class Connection:
    """One MQTT 5 connection. Only the thread that owns it may call it. Data on the socket `wake` ends a wait in `step` early."""

    def __init__(
        self,
        endpoint: Endpoint,
        status: Status,
        subscriptions: Mapping[str, OnMessage],
        logins: DynsecLogins,
        wake: socket.socket,
    ) -> None:
        self.in_flight: set[str] = set()  # retained topics whose PUBLISH is not sent or not acknowledged yet
        self.acknowledged: list[str] = []  # retained topics acknowledged since the owner last cleared this list
        self._topics: dict[int, str] = {}  # by packet id in flight
        self._endpoint = endpoint
        self._status = status
        self._patterns = tuple(subscriptions)
        self._logins = logins
        self._wake = wake
        self._granted: set[int] = set()  # packet ids of acknowledged SUBSCRIBEs
        self._connack: ReasonCode | None = None
        self._lost = ""
        self.stalled = False  # whether it was closed because the broker delivered nothing
        self._next_misc = 0.0
        self._next_echo = 0.0
        self._listening = False  # all subscriptions are granted, the echo's included
        self._echo_awaited = False
        self._echo_late = 0.0  # seconds since it was sent; `_silent`: of these, seconds without data from the broker
        self._silent = 0.0
        self._largest = 0  # maximum packet size of the broker in bytes; 0: no limit
        path = endpoint.address.path
        client = BoundedClient(LARGEST_PACKET, endpoint.client_id, paho.MQTTv5, "unix" if path else "tcp")
        client.max_inflight_messages_set(65535)  # the owner limits it: one message in flight per retained topic
        if endpoint.user:
            client.username_pw_set(endpoint.user, endpoint.password or None)
        if endpoint.address.tls is not None:
            client.tls_set_context(endpoint.address.tls)
        client.will_set(status.topic, status.offline, qos=1, retain=True)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish
        client.message_callback_add(RESPONSE_TOPIC, self._on_dynsec_response)
        client.message_callback_add(status.echo_topic, self._on_echo)
        for pattern, on_message in subscriptions.items():
            client.message_callback_add(pattern, _paho_callback(on_message))
        self._client = client

    def open(self) -> None:
        """Connect, subscribe, and publish the status `online`. Raise BrokerError."""
        address = self._endpoint.address
        try:
            self._client.connect_bounded(address.path or address.host, address.port or 1, KEEPALIVE_SECONDS)
        except (OSError, ValueError) as error:
            raise BrokerError(unreachable(address, error)) from None
        sock = self._client.socket()
        if isinstance(sock, socket.socket) and not address.path:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.run_until(lambda: self._connack is not None)
        assert self._connack is not None
        if self._connack.is_failure:
            raise BrokerError(refuses(address, self._connack))
        # MQTT 5: `retainAsPublished` marks requests that were (wrongly) retained, `noLocal` skips the hub's own messages.
        # QoS 0: phones repeat requests themselves. And once mosquitto 2.0.11 has dropped QoS 1 messages for a subscriber,
        # they fill its window of 20 in flight for good, so it delivers nothing more (eclipse-mosquitto #2362).
        options = SubscribeOptions(qos=0, noLocal=True, retainAsPublished=True)
        for pattern in (*self._patterns, RESPONSE_TOPIC):
            self._subscribe(pattern, options)
        self._subscribe(self._status.echo_topic, SubscribeOptions(qos=0))
        self._listening = True
        self._client.publish(self._status.topic, self._status.online, qos=1, retain=True)

    def _subscribe(self, pattern: str, options: SubscribeOptions) -> None:
        packet_id = self._client.subscribe(pattern, options=options)[1]
        self.run_until(lambda: packet_id in self._granted)

    def run_until(self, done: Callable[[], bool]) -> None:
        """Serve the connection until `done`. Raise BrokerError if it is lost, or that takes longer than 5 seconds."""
        deadline = time.monotonic() + RESPONSE_SECONDS
        while not done():
            lost = self.step()
            if lost:
                raise BrokerError(lost)
            if time.monotonic() > deadline:
                raise BrokerError(does_not_answer(self._endpoint.address))

    def step(self, patience: float = 0.0) -> str:
        """Wait for input or a wake-up, at most `patience` seconds (0: 1 s), and handle it. Return why the connection was lost, or ""."""
        client, sock = self._client, self._client.socket()
        if sock is None:
            return self._lost_reason()
        # TLS may have read ahead: then there is input that poll does not see.
        buffered = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
        waiter = select.poll()  # select refuses the files that a crowd leaves, from the 1,024th on
        waiter.register(self._wake, select.POLLIN)
        waiter.register(sock, select.POLLIN | (select.POLLOUT if client.want_write() and not buffered else 0))
        found = dict(waiter.poll(0 if buffered else (patience or MISC_SECONDS) * 1000))
        events = found.get(sock.fileno(), 0)
        received = buffered or bool(events & ~select.POLLOUT)
        if events & select.POLLOUT:
            client.loop_write()
        if self._wake.fileno() in found:
            self._wake.recv(4096)
        if received:
            client.loop_read()
            self._silent = 0.0
        now = time.monotonic()
        if now >= self._next_misc:
            self._next_misc = now + MISC_SECONDS
            client.loop_misc()
            self._logins.retry(now)
            self._check_echo(now, quiet=not received)
        return self._lost_reason() if client.socket() is None else ""

    def _check_echo(self, now: float, *, quiet: bool) -> None:
        """Send a message to this hub itself regularly. Close the connection if a message does not come back.

        `quiet`: the broker sent nothing in this step. The method counts its calls, at most one per second, and
        not the clock: a hub that was suspended itself must not blame the broker.
        """
        if self._echo_awaited:
            self._echo_late += MISC_SECONDS
            self._silent += MISC_SECONDS if quiet else 0.0
            if self._silent >= SILENT_SECONDS or self._echo_late >= STALLED_SECONDS:
                self.stalled = True
                self._lost = say(
                    "The broker at {broker} accepts messages but delivers none.", broker=self._endpoint.address.name
                )
                self._client.disconnect()
        elif self._listening and now >= self._next_echo:
            self._next_echo = now + ECHO_SECONDS
            self._echo_awaited, self._echo_late, self._silent = True, 0.0, 0.0
            self._client.publish(self._status.echo_topic, b"echo", qos=0)

    def publish_retained(self, topic: str, payload: bytes) -> None:
        """Publish a retained message. The owner waits until its topic leaves `in_flight` before it publishes the next one.

        - State uses QoS 0: the socket keeps the order and slows down for a slow broker, and each new connection publishes
          all state again.
        - An empty payload, which clears a topic, uses QoS 1: the hub forgets the topic only when that is acknowledged.
        """
        if not self._fits(topic, payload):
            return
        message = self._client.publish(topic, payload, qos=0 if payload else 1, retain=True)
        if message.rc == MQTTErrorCode.MQTT_ERR_SUCCESS and not message.is_published():
            self.in_flight.add(topic)
            self._topics[message.mid] = topic

    def publish(self, topic: str, payload: bytes, qos: int) -> None:
        """Publish a message without retaining it."""
        if self._fits(topic, payload):
            self._client.publish(topic, payload, qos=qos)

    def _fits(self, topic: str, payload: bytes) -> bool:
        """Return whether the broker accepts a message of this size. It would end the connection over a larger one."""
        size = len(topic) + len(payload) + HEADER_BYTES
        if self._largest and size > self._largest:
            log.error(
                "A message of %d bytes is not sent: the broker at %s takes %d at most.",
                size, self._endpoint.address, self._largest,
            )  # fmt: skip
            return False
        return True

    def send_commands(self, commands: Sequence[Mapping[str, object]]) -> None:
        """Send commands to the dynamic-security plugin, if there are any."""
        if commands:
            self._client.publish(COMMAND_TOPIC, json.dumps({"commands": commands}).encode(), qos=1)

    def close(self) -> None:
        """Publish the status `offline` and disconnect. If the connection is already lost, the broker publishes the will."""
        if self._client.socket() is None:
            return
        self._client.publish(self._status.topic, self._status.offline, qos=0, retain=True)
        self._client.disconnect()

    def _lost_reason(self) -> str:
        return self._lost or was_lost(self._endpoint.address)

    # --- paho's callbacks, called inside `step` ---

    def _on_connect(self, _c: paho.Client, _u: object, _f: object, code: ReasonCode, properties: object) -> None:
        self._connack = code
        self._largest = getattr(properties, "MaximumPacketSize", 0)

    def _on_disconnect(self, _c: paho.Client, _u: object, _f: object, code: ReasonCode, _p: object) -> None:
        name = self._endpoint.address.name
        self._lost = self._lost or (
            say("The broker at {broker} sends a message of {count} bytes.", broker=name, count=self._client.refused)
            if self._client.refused
            else say("The connection to the broker at {broker} was lost ({code}).", broker=name, code=str(code))
        )

    def _on_subscribe(
        self, _c: paho.Client, _u: object, packet_id: int, codes: Sequence[ReasonCode], _p: object
    ) -> None:
        if any(code.is_failure for code in codes):
            self._lost = say(
                "The broker at {broker} does not let the hub listen ({code}).",
                broker=self._endpoint.address.name,
                code=str(codes[0]),
            )
            self._client.disconnect()
        self._granted.add(packet_id)

    def _on_publish(self, _c: paho.Client, _u: object, packet_id: int, code: ReasonCode, _p: object) -> None:
        topic = self._topics.pop(packet_id, None)
        if topic is not None:
            self.in_flight.discard(topic)
            self.acknowledged.append(topic)
        if code.is_failure:
            log.warning("The broker did not take a message of the hub (%s).", code)

    def _on_echo(self, _c: paho.Client, _u: object, _message: paho.MQTTMessage) -> None:
        self._echo_awaited = False

    def _on_dynsec_response(self, _c: paho.Client, _u: object, message: paho.MQTTMessage) -> None:
        self._logins.on_response(bytes(message.payload))


def _paho_callback(on_message: OnMessage) -> Callable[[paho.Client, object, paho.MQTTMessage], None]:
    def callback(_c: paho.Client, _u: object, message: paho.MQTTMessage) -> None:
        on_message(message.topic, bytes(message.payload), message.retain)

    return callback


def unreachable(address: Address, error: OSError | ValueError) -> Text:
    """Return a sentence that says why the broker at this address cannot be reached."""
    name = address.name
    if isinstance(error, ssl.SSLCertVerificationError):
        return _bad_certificate(name, error)
    if address.tls and isinstance(error, ssl.SSLEOFError | ConnectionResetError):
        return hung_up(address)
    if isinstance(error, ssl.SSLError):
        reason = error.reason or say("it hung up")
        return say("The hub and the broker at {broker} cannot agree on TLS ({reason}).", broker=name, reason=reason)
    return say("The broker at {broker} cannot be reached ({error}).", broker=name, error=str(error))


def _bad_certificate(broker: str, error: ssl.SSLCertVerificationError) -> Text:
    """Return what the owner can do about a certificate, by the error codes of OpenSSL's x509_vfy.h."""
    match error.verify_code:
        case 9:
            return say(
                "The certificate of the broker at {broker} is not valid yet: is the hub's clock right?", broker=broker
            )
        case 10:
            return say(
                "The certificate of the broker at {broker} has expired: it needs a new one, if the hub's clock is right.",
                broker=broker,
            )
        case 62:
            return say(
                "The certificate of the broker at {broker} is for another name than the one in `url`.", broker=broker
            )
        case 64:
            return say(
                "The certificate of the broker at {broker} is for another address than the one in `url`.", broker=broker
            )
        case 2 | 18 | 19 | 20 | 21:
            return say(
                "The certificate of the broker at {broker} was not signed by an authority that the hub trusts: "
                "check `ca_file`.",
                broker=broker,
            )
    return say(
        "The certificate of the broker at {broker} cannot be trusted ({error}).",
        broker=broker,
        error=error.verify_message,
    )


def hung_up(address: Address) -> Text:
    """Return a sentence about a broker that ends the connection instead of answering the login."""
    if address.tls:
        return say(
            "The broker at {broker} hangs up without an answer: does it use TLS on that port?", broker=address.name
        )
    return say("The broker at {broker} hangs up without an answer: does it need mqtts:// there?", broker=address.name)


def refuses(address: Address, code: ReasonCode) -> Text:
    """Return a sentence about a broker that does not know the hub's login."""
    return say("The broker at {broker} refuses the hub's login ({code}).", broker=address.name, code=str(code))


def does_not_answer(address: Address) -> Text:
    """Return a sentence about a broker that takes the connection and says nothing."""
    return say("The broker at {broker} does not answer.", broker=address.name)


def was_lost(address: Address) -> Text:
    """Return a sentence about a connection that ended."""
    return say("The connection to the broker at {broker} was lost.", broker=address.name)


def outside_endpoint(part: BrokerPart | HomeAssistantPart | UpstreamPart, section: str, client_id: str) -> Endpoint:
    """Return the endpoint of the broker at `part.url`. `section` is named in errors. Raise ConfigError."""
    url = urllib.parse.urlsplit(part.url)
    try:
        port = url.port
    except ValueError:
        port = -1
    if url.scheme not in ("mqtt", "mqtts") or not url.hostname or port == -1 or url.path.strip("/"):
        raise ConfigError(f"[{section}] url: '{part.url}' is not mqtt://host:1883 or mqtts://host:8883.")
    tls = None
    password = ""
    try:
        if url.scheme == "mqtts":
            if part.ca_file:
                check_file(Path(part.ca_file))
            tls = ssl.create_default_context(cafile=part.ca_file or None)
        if part.password_file:
            password = read_file(Path(part.password_file).expanduser()).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        file = part.password_file if tls is not None or url.scheme == "mqtt" else part.ca_file
        raise ConfigError(f"[{section}] {file}: cannot be used ({error.__class__.__name__}: {error}).") from None
    address = Address(host=url.hostname, port=port or (8883 if tls else 1883), tls=tls)
    return Endpoint(address, part.user, password, client_id)
