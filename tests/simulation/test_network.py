"""The simulated broker beside a real mosquitto: the same logins, messages and lost connections, and everybody gets the same."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Protocol

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from hub.config import BrokerPart
from hub.network.mqtt import MqttBroker
from hub.ports import Broker
from tests.patience import PATIENCE
from tests.simulation.clock import Scheduler
from tests.simulation.network import Connection, SimulatedBroker

pytestmark = pytest.mark.broker
STATE, OTHER, FOREIGN, HAND = (
    f"th/1/hub/1/{name}" for name in ("pub/state", "pub/other", "pub/foreign", "seat/a/hand")
)
ACT, ONLINE, FENCE, OF_OTHERS = (f"th/1/hub/1/seat/{name}" for name in ("a/act", "a/online", "a/fence", "b/act"))
FENCE_B = "th/1/hub/1/seat/b/fence"
PATTERNS = [f"th/1/hub/1/seat/+/{name}" for name in ("act", "online")]


class Venue(Protocol):
    """A broker, its hub and its phones. `heard` is what each of them got, in its order."""

    heard: dict[str, list[tuple[str, bytes]]]

    @property
    def broker(self) -> Broker:
        """Return the port of the hub."""

    def connect(self, phone: str, sid: str, password: str) -> None:
        """Connect a phone; "refused" is heard if the broker does not want it, and "closed" if it is sent away later."""

    def subscribe(self, phone: str, *topics: str) -> None:
        """Subscribe a phone."""

    def write(self, phone: str, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish a message of a phone."""

    def vanish(self, phone: str) -> None:
        """End the connection of a phone without a goodbye."""

    def settle(self) -> None:
        """Wait until nothing is on its way."""


class Simulated:
    """A venue with the simulated broker."""

    def __init__(self) -> None:
        self._scheduler = Scheduler()
        self.broker = SimulatedBroker(self._scheduler, Random(1), lambda _topic, _payload: None)
        self.heard: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
        self._phones: dict[str, Connection] = {}
        for pattern in PATTERNS:
            self.broker.subscribe(pattern, lambda topic, payload, _: self.heard["hub"].append((topic, payload)))

    def connect(self, phone: str, sid: str, password: str) -> None:
        def heard(topic: str, payload: bytes = b"") -> None:
            if self._phones.get(phone) is made:
                self.heard[phone].append((topic, payload))

        made = self._phones[phone] = Connection(sid, ONLINE, heard, lambda _: heard("closed"))
        if not self.broker.connect(made, password):
            heard("refused")

    def subscribe(self, phone: str, *topics: str) -> None:
        self.broker.follow(self._phones[phone], topics)

    def write(self, phone: str, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.broker.write(self._phones[phone], topic, payload, retain=retain)

    def vanish(self, phone: str) -> None:
        self.broker.close(self._phones.pop(phone))

    def settle(self) -> None:
        self._scheduler.run_until(self._scheduler.time + 60)


class Real:
    """A venue with the hub's own mosquitto, and phones that paho connects."""

    def __init__(self, folder: Path) -> None:
        self.broker = MqttBroker(BrokerPart(), folder, "hub", ["1"], lambda _: None)
        self.heard: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
        self._phones: dict[str, paho.Client] = {}
        self._known: dict[str, set[str]] = {}
        self._fences: set[bytes] = set()
        self._numbers = count()
        for pattern in PATTERNS:
            self.broker.subscribe(pattern, self._on_message)
        self.broker.subscribe("th/1/hub/1/seat/+/fence", self._on_message)
        self.broker.start()
        self.broker.logins.admit("b", "secret", [STATE, FENCE_B], [FENCE_B])
        self._until(lambda: self.broker.logins.admitted("b"))
        self.connect("fence", "b", "secret")

    def _on_message(self, topic: str, payload: bytes, _retained: bool) -> None:
        if topic.endswith("fence"):
            self._fences.add(payload)
        else:
            self.heard["hub"].append((topic, payload))

    def _until(self, done: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def _dial(self, phone: str, sid: str, password: str) -> bool:
        answered: list[bool] = []
        client = paho.Client(CallbackAPIVersion.VERSION2, client_id=sid, transport="unix", reconnect_on_failure=False)
        client.username_pw_set(sid, password)
        if sid == "a":
            client.will_set(ONLINE, b"", qos=1, retain=True)

        def heard(topic: str, payload: bytes = b"") -> None:
            if topic.endswith("fence"):
                self._fences.add(payload)
            elif self._phones.get(phone) is client:
                self.heard[phone].append((topic, payload))

        def on_connect(_c: object, _u: object, _f: object, reason: ReasonCode, _p: object) -> None:
            if reason.is_failure:
                heard("refused")
            answered.append(not reason.is_failure)

        client.on_connect = on_connect
        client.on_disconnect = lambda *_: heard("closed") if answered[0] else None
        client.on_message = lambda _c, _u, message: heard(message.topic, bytes(message.payload))
        self._phones[phone] = client
        client.connect(self.broker.address.path, 1)
        client.loop_start()
        self._until(lambda: answered)
        return answered[0]

    def connect(self, phone: str, sid: str, password: str) -> None:
        if self._dial(phone, sid, password):
            self.subscribe(phone, FENCE_B if phone == "fence" else FENCE)

    def subscribe(self, phone: str, *topics: str) -> None:
        done: list[int | None] = []
        client = self._phones[phone]
        client.on_subscribe = lambda _c, _u, mid, *_: done.append(mid)
        client.subscribe([(topic, 1) for topic in topics])
        self._until(lambda: done)

    def write(self, phone: str, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self._phones[phone].publish(topic, payload, qos=1, retain=retain)

    def vanish(self, phone: str) -> None:
        self._end(self._phones.pop(phone))

    def _end(self, client: paho.Client) -> None:
        if known := client.socket():
            known.close()
        client.loop_stop()
        client._reset_sockets()

    def settle(self) -> None:
        """Pass a message around three times: mosquitto has one thread, and reads what came first."""
        self._until(lambda: not self.broker.queued and self.broker.logins.settled)
        for phone, topic in (("fence", FENCE_B), ("a", FENCE), ("other", FENCE), ("fence", FENCE_B)):
            if client := self._phones.get(phone):
                self._pass(client, lambda payload, topic=topic: self.broker.publish(topic, payload, retain=False))  # type: ignore[misc]
                self._pass(client, lambda payload, client=client, topic=topic: client.publish(topic, payload))  # type: ignore[misc]

    def _pass(self, client: paho.Client, publish: Callable[[bytes], object]) -> None:
        payload = b"%d" % next(self._numbers)
        if client.is_connected():
            publish(payload)
        self._until(lambda: payload in self._fences or not client.is_connected())

    def close(self) -> None:
        for client in [*self._phones.values()]:
            self._end(client)
        self.broker.close()


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Real]:
    made = Real(tmp_path / "broker")
    yield made
    made.close()


def evening(venue: Venue) -> Iterator[str]:
    """Do everything that the simulation relies on, step by step."""
    broker = venue.broker
    broker.publish(STATE, b"before anybody", retain=True)
    broker.publish(OTHER, b"for nobody", retain=False)
    venue.settle()
    venue.connect("stranger", "a", "secret")
    yield "a phone without a login"
    broker.logins.admit("a", "secret", [STATE, OTHER, HAND, FENCE], [ACT, ONLINE, FENCE])
    venue.settle()
    venue.connect("stranger", "a", "wrong")
    yield "a wrong password"
    venue.connect("a", "a", "secret")
    venue.subscribe("a", STATE, OTHER, HAND)
    yield "what was retained, and nothing else"
    venue.write("a", ONLINE, b"here", retain=True)
    venue.write("a", ACT, b"one")
    venue.write("a", ACT, b"two")
    yield "messages of a phone keep their order"
    venue.write("a", OF_OTHERS, b"in another's name")
    venue.write("a", STATE, b"in the hub's name", retain=True)
    yield "a phone writes on its own topics only"
    venue.subscribe("a", FOREIGN)
    broker.publish(FOREIGN, b"not for this phone", retain=True)
    yield "a phone reads its own topics only"
    with broker.hold():
        for number in range(20):
            broker.publish(OTHER, b"%d" % number, retain=False)
        broker.publish(HAND, b"cards", retain=True)
    yield "messages of the hub keep their order"
    venue.vanish("a")
    yield "the will of a phone that vanished"
    broker.publish(STATE, b"meanwhile", retain=True)
    broker.publish(HAND, b"", retain=True)
    venue.settle()
    venue.connect("a", "a", "secret")
    venue.subscribe("a", STATE, OTHER, HAND)
    yield "a phone that is back gets the newest, and nothing that was cleared"
    venue.write("a", ONLINE, b"here", retain=True)
    venue.settle()
    venue.connect("other", "a", "secret")
    yield "a second page with the same login: the first one is sent away"
    venue.write("other", ACT, b"three")
    venue.subscribe("other", STATE)
    yield "the second page goes on"
    broker.logins.release("a")
    yield "a login that is gone: its page is sent away"
    venue.connect("stranger", "a", "secret")
    yield "a login that is gone is refused"


def test_phones_and_hub_get_from_the_simulated_broker_what_mosquitto_sends(real: Real) -> None:
    """A step may bring the messages of different senders in another order; those of one sender keep theirs."""
    simulated = Simulated()
    for what, _ in zip(evening(simulated), evening(real), strict=True):
        for venue in (simulated, real):
            venue.settle()
        assert {**simulated.heard} == {**real.heard}, what
        simulated.heard.clear()
        real.heard.clear()
