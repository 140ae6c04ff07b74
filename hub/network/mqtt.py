"""The letter carrier between hub and phones: our own mosquitto, or a venue's broker by its URL.

One thread owns the connection: it starts the broker, logs in, makes the logins of all claims, and sends
what the rooms laid out. Others only lay letters out and wake it. A broker that dies is started again
with back-off; then every login is made and every retained letter told once more.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import logging
import secrets
import select
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from hub.errors import BrokerError, ConfigError
from hub.network import messages
from hub.network.mosquitto import USER, Mosquitto
from hub.ports import BrokerDown, BrokerUp

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

    from hub.config import BrokerPart

log = logging.getLogger(__name__)

CONTROL = "$CONTROL/dynamic-security/v1"
ANSWERS = CONTROL + "/response"
ANSWER_SECONDS = 5.0
KEEPALIVE = 15
BACK_OFF = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds before each further try; the last one for ever
MOST_WAITING = 256  # passing letters laid out and not yet sent; older ones are dropped

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
        self._status = _Status.of(hub, tables)
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
        talk = _Talk(self._place(), self._status, self._listeners, self._logins)
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

    def _place(self) -> _Place:
        if self._outside is not None:
            return self._outside
        assert self._own is not None
        return _Place(self.address, USER, self._own.password, USER)

    def _talk_until_lost(self, talk: _Talk) -> str:
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

    def _send_laid_out(self, talk: _Talk) -> None:
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


# --- One connection ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Address and login of a broker."""

    address: Address
    user: str
    password: str
    client: str


@dataclass(frozen=True, slots=True)
class _Status:
    """What the hub says while it is there, and what the broker says for it once it is gone (the will)."""

    topic: str
    present: bytes
    gone: bytes

    @classmethod
    def of(cls, hub: str, tables: Sequence[str]) -> _Status:
        # The session tells a late will of an earlier start from the present one's.
        session = secrets.token_hex(4)
        here, gone = (messages.HubStatus(state, session, list(tables)) for state in ("online", "offline"))
        return cls(messages.status_topic(hub), messages.to_bytes(here), messages.to_bytes(gone))


class _Talk:
    """One MQTT connection; every call comes from the broker's thread."""

    def __init__(self, place: _Place, status: _Status, listeners: dict[str, Heard], logins: DynsecLogins) -> None:
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


def _outside(part: BrokerPart, hub: str) -> _Place:
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
    return _Place(address, part.user, password, f"table-hub-{hub}")


# --- Logins ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Login:
    password: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]


class DynsecLogins:
    """The CredentialStore of mosquitto's dynamic-security plugin, ours or a venue's.

    `admit` and `release` come from any thread; the rest from the broker's.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._claims: dict[str, _Login] = {}
        self._gone: set[str] = set()  # released, but the broker has not confirmed it yet
        self._known: set[str] = set()
        self._unsaid: list[dict[str, object]] = []  # commands for the broker
        self._asked: dict[str, str] = {}  # number of a command still unanswered -> sid; "" for the first question
        self._numbers = itertools.count(1)
        self.trouble = ""

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Make a login; returns at once."""
        with self._lock:
            self._claims[sid] = _Login(password, tuple(reads), tuple(writes))
            self._want(sid)
        self._wake()

    def release(self, sid: str) -> None:
        """End a login; returns at once."""
        with self._lock:
            if self._claims.pop(sid, None) is None:
                return
            self._known.discard(sid)
            self._gone.add(sid)
            self._want(sid)
        self._wake()

    def admitted(self, sid: str) -> bool:
        """Whether the broker has confirmed the login."""
        with self._lock:
            return sid in self._known

    def begin_again(self) -> None:
        """A new connection: the broker may know nothing, or things of yesterday."""
        with self._lock:
            self.trouble = ""
            self._asked = {"first": ""}
            self._unsaid = [{"command": "getDefaultACLAccess", "correlationData": "first"}]
            for sid in (*sorted(self._gone), *self._claims):
                self._want(sid)

    def forget_answers(self) -> None:
        """The connection is gone: no answers will come, and nobody is logged in."""
        with self._lock:
            self._asked.clear()
            self._unsaid.clear()
            self._known.clear()

    @property
    def settled(self) -> bool:
        """Nothing is waiting for an answer."""
        with self._lock:
            return not self._asked

    def commands(self) -> list[dict[str, object]]:
        """What the plugin is to be told now."""
        with self._lock:
            said, self._unsaid = self._unsaid, []
            return said

    def _want(self, sid: str) -> None:
        number = str(next(self._numbers))
        self._asked[number] = sid
        login = self._claims.get(sid)
        self._unsaid += _made(sid, login, number) if login is not None else _unmade(sid, number)

    def answered(self, payload: bytes) -> None:
        """The plugin's answers."""
        try:
            answers = json.loads(payload)["responses"]
        except (ValueError, KeyError, TypeError, RecursionError):
            log.warning("The broker's answer about logins was not understood.")
            return
        with self._lock:
            for answer in answers:
                self._one_answer(answer)

    def _one_answer(self, answer: dict[str, Any]) -> None:
        error = str(answer.get("error", ""))
        if error in ("Client already exists", "Role already exists", "Client not found", "Role not found"):
            error = ""  # names are random and never used twice: it is as it should be
        if error:
            self.trouble = f"The broker did not do '{answer.get('command')}' for the hub's logins: {error}."
            log.warning("%s", self.trouble)
        if answer.get("command") == "getDefaultACLAccess":
            self._check_default(answer)
        sid = self._asked.pop(str(answer.get("correlationData", "")), None)
        if not sid:
            return
        if sid in self._claims and not error:
            self._known.add(sid)
        self._gone.discard(sid)

    def _check_default(self, answer: dict[str, Any]) -> None:
        open_to_all = [
            str(acl.get("acltype"))
            for acl in answer.get("data", {}).get("acls", [])
            if acl.get("acltype") in ("publishClientSend", "subscribe") and acl.get("allow")
        ]
        if open_to_all:
            self.trouble = (
                f"The broker allows {' and '.join(open_to_all)} to everybody, so seats could be forged or overheard; "
                f"mend: mosquitto_ctrl dynsec setDefaultACLAccess {open_to_all[0]} deny"
            )


def _made(sid: str, login: _Login, number: str) -> list[dict[str, object]]:
    rights: list[dict[str, object]] = [
        {"acltype": "publishClientSend", "topic": topic, "allow": True} for topic in login.writes
    ]
    for topic in login.reads:
        kind = "subscribePattern" if topic.endswith("#") else "subscribeLiteral"
        rights.append({"acltype": kind, "topic": topic, "allow": True})
        rights.append({"acltype": "publishClientReceive", "topic": topic, "allow": True})
    return [
        {"command": "createRole", "rolename": f"seat-{sid}", "acls": rights},
        {
            "command": "createClient",
            "username": sid,
            "clientid": sid,  # own login with another's client id takes nothing over
            "password": login.password,
            "roles": [{"rolename": f"seat-{sid}"}],
            "correlationData": number,
        },
    ]


def _unmade(sid: str, number: str) -> list[dict[str, object]]:
    return [
        {"command": "deleteClient", "username": sid},
        {"command": "deleteRole", "rolename": f"seat-{sid}", "correlationData": number},
    ]
