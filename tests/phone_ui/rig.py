"""A whole transport for tests: real broker, real port, and phones that speak as the page does."""

from __future__ import annotations

import json
import queue
import secrets
import socket
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import paho.mqtt.client as paho
from nacl.public import Box, PrivateKey, PublicKey
from paho.mqtt.enums import CallbackAPIVersion

from hub.config import BrokerPart
from hub.engine.text import say
from hub.errors import NoReplay
from hub.network.encryption import HubKey, pad, unpad
from hub.network.mqtt import MqttBroker
from hub.ports import BrokerUp, ClaimRequest, LoginState
from hub.state import Hand, PublicState
from phone_ui.gateway import dial_tcp, dial_unix
from phone_ui.latest import Latest
from phone_ui.limits import Limits
from phone_ui.mqtt_phones import PhonesOverMqtt
from phone_ui.pages import make_app
from phone_ui.server import PortSettings, WebServer, serve
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from phone_ui.direct import DirectPhone, Wire

STATE = PublicState("1", "Table 1", "FISH", "http://127.0.0.1", 1, 1, "lobby", [])


def until(true: Callable[[], bool], what: str) -> None:
    """Wait until something has become true; fails after `PATIENCE`."""
    never, end = threading.Event(), time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"waited in vain for {what}"
        never.wait(0.005)


def hand(seq: int, **more: Any) -> Hand:
    return Hand(epoch=1, seq=seq, seat=1, **more)


def act(n: int, **more: Any) -> dict[str, Any]:
    return {"v": 1, "id": secrets.token_hex(8), "n": n, "epoch": 1, "verb": "ready", **more}


class FakeBench:
    """Simulated devices that echo."""

    def __init__(self) -> None:
        self.newest = Latest()

    def command(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"done": command}

    def panel(self, size: str) -> bytes | None:
        return b"\x89PNG" if size == "2.9" else None


@dataclass
class FakeTable:
    """A table that keeps the claims it is asked for."""

    id: str = "1"
    code: str = "FISH"
    public: Latest = field(default_factory=Latest)
    screen: Latest = field(default_factory=Latest)
    bench: FakeBench | None = None
    claims: queue.Queue[ClaimRequest] = field(default_factory=queue.Queue)
    calls: int = 0
    login_of: Callable[[str], LoginState] = lambda _sid: "made"
    direct_of: Callable[[str, Wire], DirectPhone | None] = lambda _sid, _wire: None

    def history(self) -> bytes:
        return b'{"played":0,"matches":[],"games":[],"seats":[],"dice":[]}'

    def replay(self, match: str) -> bytes:
        raise NoReplay(say("There is no finished match {match} at this table.", match=match))

    def house(self, match: str, step: int) -> bytes:
        return self.replay(match)

    def events_before(self, number: int) -> bytes:
        return json.dumps({"before": number}).encode()

    def changes(self) -> bytes:
        return json.dumps({"changes": []}).encode()

    def claim(self, asked: ClaimRequest) -> None:
        self.claims.put(asked)

    def call_staff(self) -> None:
        self.calls += 1

    def login(self, sid: str) -> LoginState:
        return self.login_of(sid)

    def direct(self, sid: str, wire: Wire) -> DirectPhone | None:
        return self.direct_of(sid, wire)


class FakeBroker:
    """Remembers what was published; the test plays the broker."""

    def __init__(self) -> None:
        self.published: list[tuple[str, bytes, bool]] = []
        self.heard: dict[str, Callable[[str, bytes, bool], None]] = {}
        self.logins = self
        self.log: list[str] = []

    def hold(self) -> AbstractContextManager[None]:
        return nullcontext()

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int = 1) -> None:
        self.published.append((topic, payload, retain))
        self.log.append(f"publish {topic.rpartition('/')[2]}")

    def subscribe(self, pattern: str, on_message: Callable[[str, bytes, bool], None]) -> None:
        self.heard[pattern.rpartition("/")[2]] = on_message

    def admit(self, sid: str, password: str, reads: object, writes: object) -> None:
        self.log.append(f"admit {sid}")

    def release(self, sid: str) -> None:
        self.log.append(f"release {sid}")

    def admitted(self, sid: str) -> bool:
        return True


class Keys:
    """A phone's half of the encryption."""

    def __init__(self, hub_key: bytes, own: bytes | None = None) -> None:
        secret = PrivateKey(own) if own else PrivateKey.generate()
        self.secret = bytes(secret)
        self.public = bytes(secret.public_key)
        self._box = Box(secret, PublicKey(hub_key))

    def encrypt(self, message: object, step: int = 512) -> bytes:
        return bytes(self._box.encrypt(pad(json.dumps(message).encode(), step)))

    def decrypt(self, letter: bytes) -> dict[str, Any]:
        opened: dict[str, Any] = json.loads(unpad(self._box.decrypt(letter)))
        return opened


class Phone:
    """An MQTT client over WebSocket; what it is told lies in `messages`, what happens to it in `events`."""

    def __init__(self, port: int, client: str, user: str, password: str, *, clean: bool = True) -> None:
        self.events: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self.messages: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
        self.client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=client,
            clean_session=clean,
            transport="websockets",
            reconnect_on_failure=False,
        )
        self.client.ws_set_options(path="/mqtt")
        self.client.username_pw_set(user, password)
        self.client.on_connect = lambda _c, _u, _f, code, _p: self.events.put(("connected", code.is_failure))
        self.client.on_disconnect = lambda *_: self.events.put(("closed",))
        self.client.on_subscribe = lambda _c, _u, _m, codes, _p: self.events.put(
            ("subscribed", [code.is_failure for code in codes])
        )
        self.client.on_publish = lambda _c, _u, mid, _code, _p: self.events.put(("published", mid))
        self.client.on_message = lambda _c, _u, m: self.messages.put((m.topic, bytes(m.payload), m.retain))
        self._port = port

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.disconnect()
        self.client.loop_stop()
        self.client._reset_sockets()  # paho leaves the pair that wakes its thread open

    def dial(self) -> bool:
        """Connect; whether the broker let it in."""
        self.client.connect("127.0.0.1", self._port, keepalive=20)
        self.client.loop_start()
        event = self.events.get(timeout=PATIENCE)
        return bool(event == ("connected", False))

    def vanish(self) -> None:
        """As a phone whose battery is empty: no goodbye."""
        live: Any = self.client.socket()
        live._socket.shutdown(socket.SHUT_RDWR)
        self.expect("closed")

    def expect(self, kind: str) -> tuple[Any, ...]:
        """The next event of that kind; others before it are dropped."""
        while True:
            event = self.events.get(timeout=PATIENCE)
            if event[0] == kind:
                return event

    def message(self) -> tuple[str, bytes, bool]:
        """The next message: topic, payload, retained."""
        return self.messages.get(timeout=PATIENCE)

    def messages_until(self, last: bytes) -> list[tuple[str, bytes]]:
        """All that came before the message `last`."""
        came: list[tuple[str, bytes]] = []
        while True:
            topic, payload, _ = self.message()
            if payload == last:
                return came
            came.append((topic, payload))

    def subscribe(self, topic: str, qos: int = 1) -> bool:
        """Whether the broker said yes."""
        self.client.subscribe(topic, qos)
        return not self.expect("subscribed")[1][0]

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish and wait for the broker's receipt (it gives one for what it drops, too)."""
        self.client.publish(topic, payload, qos=1, retain=retain)
        self.expect("published")


@dataclass
class Seat:
    """A claim with its phone's keys."""

    sid: str
    password: str
    keys: Keys


class Rig:
    """One hub's transport, whole."""

    def __init__(self, folder: Path, part: BrokerPart | None = None, limits: Limits | None = None) -> None:
        self.state_of_broker: queue.Queue[Any] = queue.Queue()
        self.heard: queue.Queue[Any] = queue.Queue()
        self.key = HubKey.generate()
        self.broker = MqttBroker(part or BrokerPart(), folder / "broker", "hub", ["1"], self.state_of_broker.put)
        self.link = PhonesOverMqtt(self.broker, self.key, "hub", "1", self.heard.put, limits)
        self.table = FakeTable(public=self.link.public, login_of=self.link.login, direct_of=self.link.direct)
        self.topics = self.link.topics
        self.web: WebServer | None = None
        try:
            self.broker.start()
            assert isinstance(self.state_of_broker.get(timeout=PATIENCE), BrokerUp)
            where = self.broker.address
            dial = dial_unix(lambda: where.path) if where.path else dial_tcp(where.host, where.port, where.tls)
            tables = {"1": self.table}
            app = make_app(tables, self.key, "hub", lambda: "http://10.42.0.1:8080", {})
            self.web = serve(app, tables, dial, PortSettings(limits=limits or Limits()))
            self.port = self.web.port
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self.web is not None:
            self.web.close()
        self.broker.close()

    def seat(self) -> Seat:
        """A held claim, its login known to the broker."""
        seat = Seat(secrets.token_hex(8), secrets.token_urlsafe(16), Keys(self.key.public))
        self.link.admit(seat.sid, seat.password, seat.keys.public)
        until(lambda: self.link.login(seat.sid) == "made", "the login")
        return seat

    def phone(self, seat: Seat, *, client: str | None = None, password: str | None = None, clean: bool = True) -> Phone:
        return Phone(self.port, client or seat.sid, seat.sid, password or seat.password, clean=clean)

    def next_heard(self, kind: type) -> Any:
        """The next signal, which must be of that kind."""
        signal = self.heard.get(timeout=PATIENCE)
        assert isinstance(signal, kind), signal
        return signal
