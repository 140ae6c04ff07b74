"""A link to a broker that the owner names. It has its own thread, so tables and phones never wait for that broker.

It stores the newest payload of each retained topic and publishes changes. A new connection publishes all payloads again.
"""

from __future__ import annotations

import logging
import threading
import time
from random import Random
from typing import TYPE_CHECKING

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode

from hub.engine.text import say
from hub.network.bounded import BoundedClient
from hub.network.connection import does_not_answer, hung_up, refuses, unreachable, was_lost

if TYPE_CHECKING:
    from paho.mqtt.enums import MQTTProtocolVersion
    from paho.mqtt.reasoncodes import ReasonCode

    from hub.network.connection import Endpoint

log = logging.getLogger(__name__)

KEEPALIVE_SECONDS = 10  # a broken connection is detected within twice this time
ANSWER_SECONDS = 5.0
POLL_SECONDS = 0.5  # between two checks for changes
BACK_OFF = (0.0, 1.0, 5.0, 15.0, 60.0)  # pause in seconds before each retry; the last value repeats
STEADY_SECONDS = 10.0  # after a connection that lasted this long, the first retry comes at once
MOST_BYTES = 65_536  # maximum packet from an outside broker; messages of hubs have a few hundred bytes
OLDER = "Unsupported protocol version"  # the answer of an MQTT 3.1.1 broker to MQTT 5


def login_error(endpoint: Endpoint) -> str:
    """Return a sentence that says why the broker rejects this hub; "" if it accepts the login. Each try takes at most 5 s."""
    answers: list[ReasonCode] = []
    for protocol in (paho.MQTTv5, paho.MQTTv311):
        answers.clear()
        client = _client(endpoint, f"{endpoint.client_id}-doctor", protocol)
        client.on_connect = lambda _c, _u, _f, code, _p: answers.append(code)
        try:
            client.connect_bounded(endpoint.address.host, endpoint.address.port, KEEPALIVE_SECONDS)
            until = time.monotonic() + ANSWER_SECONDS
            while not answers and time.monotonic() < until and not client.loop(POLL_SECONDS):
                pass
        except (OSError, ValueError) as error:
            return unreachable(endpoint.address, error)
        is_lost = client.socket() is None
        client.disconnect()
        if protocol == paho.MQTTv5 and (answers[0] == OLDER if answers else is_lost):
            continue
        if not answers:
            return hung_up(endpoint.address) if is_lost else does_not_answer(endpoint.address)
        break
    return refuses(endpoint.address, answers[0]) if answers[0].is_failure else ""


def _client(endpoint: Endpoint, client_id: str, protocol: MQTTProtocolVersion) -> BoundedClient:
    """Return a client with the hub's login for this broker. It accepts packets of at most 64 kB."""
    client = BoundedClient(MOST_BYTES, client_id, protocol)
    if endpoint.user:
        client.username_pw_set(endpoint.user, endpoint.password or None)
    if endpoint.address.tls is not None:
        client.tls_set_context(endpoint.address.tls)
    return client


class OutsideLink:
    """A permanent connection to an outside broker, with retries. `name` stands for its purpose in the journal."""

    def __init__(self, endpoint: Endpoint, name: str, will: tuple[str, bytes], random: Random) -> None:
        """`will` is the retained topic of the hub's presence, and its payload when the hub is gone. `random` varies the pauses."""
        self._endpoint, self._name, self._will = endpoint, name, will
        self._random = random  # so that hubs that lost the same broker do not all come back at once
        self._lock = threading.Lock()
        self._newest: dict[str, bytes] = {}  # topic -> payload, all of them retained
        self._unsent: dict[str, None] = {}
        self._closing = threading.Event()
        self._reported = ""
        self._logged = ""  # the last report in the journal
        self._protocol = paho.MQTTv5  # only this version lets a client limit packets; the alternative is MQTT 3.1.1
        self._was_too_large = False  # the last connection ended because of a message over the limit
        self._is_logged_in = False
        self._is_answered = False  # the broker has accepted or rejected the login
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def put(self, topic: str, payload: bytes) -> None:
        """Queue a retained payload if it differs from the last one; return at once. Thread-safe."""
        with self._lock:
            if self._newest.get(topic) != payload:
                self._newest[topic] = payload
                self._unsent[topic] = None

    def start(self) -> None:
        """Start the thread, which retries until `close`."""
        self._thread.start()

    def close(self) -> None:
        """Publish that the hub is gone, and end the thread."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(5)

    # --- hooks for subclasses, called on the link's thread ---

    def _on_login(self, client: paho.Client) -> None:
        """Run after each successful login, before anything is published."""

    def _on_interval(self, client: paho.Client) -> None:
        """Run every `POLL_SECONDS` while the hub is logged in, before changes are published."""

    def _on_disconnected(self) -> None:
        """Run after each connection has ended."""

    # --- its thread ---

    def _run(self) -> None:
        failures = 0
        while not self._closing.wait(BACK_OFF[min(failures, len(BACK_OFF) - 1)] * self._random.uniform(0.5, 1.0)):
            client, began = self._make_client(), time.monotonic()
            try:
                client.connect_bounded(self._endpoint.address.host, self._endpoint.address.port, KEEPALIVE_SECONDS)
                served = self._serve(client)
            except (OSError, ValueError) as error:
                served = False
                self._report(unreachable(self._endpoint.address, error))
            # A connection that is accepted and lost at once, repeatedly, is taken over by another client with the same id.
            is_steady = served and time.monotonic() - began >= STEADY_SECONDS
            failures = 0 if is_steady else failures + 1
            if client.refused:  # the broker would send the same message again at once
                failures = len(BACK_OFF)
            elif is_steady:
                self._logged = ""
            self._was_too_large = bool(client.refused) or (self._was_too_large and not is_steady)

    def _make_client(self) -> BoundedClient:
        client = _client(self._endpoint, self._endpoint.client_id, self._protocol)
        topic, payload = self._will
        client.will_set(topic, payload, qos=1, retain=True)
        client.on_connect = self._on_connect
        return client

    def _serve(self, client: BoundedClient) -> bool:
        """Serve one connection until it is lost. Return whether the broker accepted the login."""
        self._is_logged_in = self._is_answered = False
        try:
            while not self._closing.is_set():
                if client.loop(POLL_SECONDS) != MQTTErrorCode.MQTT_ERR_SUCCESS:
                    if client.refused:
                        self._report(
                            say(
                                "The broker at {broker} sends a message of more than {size} kB, which is too "
                                "large for the hub: delete that message there. The hub tries again every minute.",
                                broker=self._endpoint.address.name,
                                size=MOST_BYTES // 1024,
                            )
                        )
                    elif self._is_logged_in:
                        self._report(was_lost(self._endpoint.address))
                    elif not self._is_answered:
                        self._report(hung_up(self._endpoint.address))
                        self._change_protocol()
                    return self._is_logged_in
                if self._is_logged_in:
                    self._on_interval(client)
                    self._publish(client)
            if self._is_logged_in:
                topic, payload = self._will
                client.publish(topic, payload, qos=0, retain=True)
            client.disconnect()
            return self._is_logged_in
        finally:
            self._is_logged_in = False
            self._on_disconnected()

    def _publish(self, client: paho.Client) -> None:
        """Publish changes. QoS 0 is enough: TCP keeps the order, and a new connection publishes everything again."""
        with self._lock:
            changed = [(topic, self._newest[topic]) for topic in self._unsent]
            self._unsent.clear()
        for topic, payload in changed:
            client.publish(topic, payload, qos=0, retain=True)

    def _on_connect(self, client: paho.Client, _u: object, _f: object, code: ReasonCode, _p: object) -> None:
        self._is_answered = True
        if code == OLDER and self._protocol == paho.MQTTv5:
            self._change_protocol()
            client.disconnect()
            return
        if code.is_failure:
            self._report(refuses(self._endpoint.address, code))
            client.disconnect()
            return
        self._is_logged_in = True
        self._reported = ""
        with self._lock:
            self._unsent = dict.fromkeys(self._newest)
        self._on_login(client)

    def _change_protocol(self) -> None:
        """Switch between MQTT 5 and MQTT 3.1.1 for the next try: some older brokers hang up without an answer."""
        self._protocol = paho.MQTTv311 if self._protocol == paho.MQTTv5 else paho.MQTTv5

    def _report(self, reason: str) -> None:
        """Write a problem to the journal, once per problem regardless of the number of tries."""
        if self._closing.is_set():
            return
        self._reported = reason
        if reason != self._logged:
            self._logged = reason
            log.warning("%s: %s", self._name, reason)
