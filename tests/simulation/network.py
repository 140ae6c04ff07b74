"""A broker with delays, drops and wills: what the hub and the phones of a simulation talk over.

It follows MQTT 3.1.1 as far as both need it: the messages of one connection keep their order, retained messages are sent
at a subscription, a will is published when a connection ends without a goodbye, and each login has its own topics. The
hub's own side has the queues of hub/network/mqtt.py: of a retained topic only the newest is sent, states wait for a moment,
and other messages and new logins overtake them. test_network.py compares all of it with mosquitto.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from hub.network.mqtt import PICTURE_SECONDS
from tests.simulation.clock import Scheduler

OnMessage = Callable[[str, bytes, bool], None]


@dataclass
class Connection:
    """The connection of one phone. `on_message` gets topic and payload, `on_close` whether the login is gone."""

    sid: str
    will: str
    on_message: Callable[[str, bytes], None]
    on_close: Callable[[bool], None]
    topics: set[str] = field(default_factory=set)
    is_open: bool = True
    is_lost: bool = False  # lost by the phone: what is on its way does not arrive
    down_at: float = 0.0  # when the last message to the phone arrives: no message overtakes another
    up_at: float = 0.0  # when the last message of the phone arrives


class SimulatedBroker:
    """The Broker port. It lives as long as one run of the hub."""

    def __init__(self, scheduler: Scheduler, random: Random, on_publish: Callable[[str, bytes], None]) -> None:
        """`on_publish` is called with each message of the hub, for those who compare what others could see."""
        self._scheduler, self._random, self._on_publish = scheduler, random, on_publish
        self._logins: dict[str, tuple[str, set[str], set[str]]] = {}
        self._made: set[str] = set()
        self._unsent: dict[str, bytes] = {}  # by retained topic
        self._queue: list[tuple[str, bytes]] = []
        self._commands: list[Callable[[], None]] = []
        self._flush_at: float | None = None
        self._pictures_at = 0.0  # when states may be sent again
        self._retained: dict[str, bytes] = {}
        self._hub: list[tuple[str, OnMessage]] = []
        self.connections: list[Connection] = []
        self.is_up = True
        self.slowness = 0.05  # mean delay of a message, in seconds

    # --- the port ---

    @property
    def logins(self) -> SimulatedBroker:
        """Return the logins, which are kept here."""
        return self

    def hold(self) -> AbstractContextManager[None]:
        """Do nothing: a simulated step is atomic."""
        return nullcontext()

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: Literal[0, 1] = 1) -> None:
        """Queue a message of the hub."""
        self._on_publish(topic, payload)
        if retain:
            self._unsent[topic] = payload
        else:
            self._queue.append((topic, payload))
        self._flush_later(self._pictures_at if retain and payload else 0.0)

    def _flush_later(self, at: float = 0.0) -> None:
        at = max(at, self._scheduler.time)
        if self._flush_at is None or at < self._flush_at:
            self._flush_at = at
            self._scheduler.after(at - self._scheduler.time, lambda: self._flush() if self._flush_at == at else None)

    def _flush(self) -> None:
        """Send states and hands, then other messages, then logins; and clear topics last."""
        self._flush_at = None
        if not self.is_up:
            return
        unsent, queue, commands = self._unsent, self._queue, self._commands
        self._unsent, self._queue, self._commands = {}, [], []
        if unsent:
            self._pictures_at = self._scheduler.time + PICTURE_SECONDS
        for topic, payload in (*((topic, payload) for topic, payload in unsent.items() if payload), *queue):
            if topic in unsent:
                self._retain(topic, payload)
            self._route(topic, payload)
        for command in commands:
            command()
        for topic, payload in unsent.items():
            if not payload:
                self._retain(topic, payload)
                self._route(topic, payload)

    def _route(self, topic: str, payload: bytes) -> None:
        for one in self.connections:
            if topic in one.topics:
                self._send(one, topic, payload)

    def subscribe(self, pattern: str, on_message: OnMessage) -> None:
        """Subscribe the hub; `pattern` has one "+"."""
        self._hub.append((pattern, on_message))

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Make a login, which takes a moment."""
        self._logins[sid] = password, set(reads), set(writes)
        self._command(lambda: self._made.add(sid) if sid in self._logins else None)

    def release(self, sid: str) -> None:
        """Delete a login, and end its connections."""
        self._logins.pop(sid, None)

        def delete() -> None:
            self._made.discard(sid)
            for one in [one for one in self.connections if one.sid == sid]:
                self._send_away(one, is_lost=True)

        self._command(delete)

    def _command(self, command: Callable[[], object]) -> None:
        self._commands.append(lambda: self._scheduler.after(self._delay(), command))
        self._flush_later()

    def admitted(self, sid: str) -> bool:
        """Return whether a login is made."""
        return sid in self._made

    def retained(self) -> list[str]:
        """Return the topics with a retained message."""
        return sorted(self._retained)

    def known_logins(self) -> list[str]:
        """Return the names of all logins."""
        return sorted(self._logins)

    # --- phones ---

    def connect(self, connection: Connection, password: str) -> bool:
        """Connect a phone. Return False if its login is not known."""
        known = self._logins.get(connection.sid)
        if not self.is_up or connection.sid not in self._made or known is None or known[0] != password:
            return False
        for other in [one for one in self.connections if one.sid == connection.sid]:
            self._send_away(other)  # MQTT 3.1.1, 3.1.4-2: the older connection of a client ends
        self.connections.append(connection)
        return True

    def follow(self, connection: Connection, topics: Sequence[str]) -> None:
        """Subscribe a phone to the topics that its login may read, and send what is retained there."""
        _, reads, _ = self._logins[connection.sid]
        for topic in topics:
            if topic in reads:
                connection.topics.add(topic)
                if topic in self._retained:
                    self._send(connection, topic, self._retained[topic])

    def write(self, connection: Connection, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish a message of a phone, if its login may write there."""
        known = self._logins.get(connection.sid)
        if connection.is_open and known and topic in known[2]:
            self._to_hub(connection, topic, payload, retain=retain)

    def close(self, connection: Connection) -> None:
        """Let a phone lose its connection, without a goodbye."""
        if connection.is_open:
            connection.is_lost = True
            self._send_away(connection)

    def _send_away(self, connection: Connection, *, is_lost: bool = False) -> None:
        connection.is_open = False
        self.connections.remove(connection)
        if connection.sid in self._made:  # a login that is gone may write nothing, not even a will
            self._to_hub(connection, connection.will, b"", retain=True)
        self._scheduler.after(self._delay(), lambda: connection.on_close(is_lost))

    def go_down(self) -> None:
        """Let the broker's program end: it forgets logins, connections and what was retained."""
        for one in [*self.connections]:
            self.close(one)
        self.is_up = False
        self._made.clear()
        self._unsent = {
            topic: text for topic, text in self._retained.items() if not topic.endswith("/online")
        } | self._unsent
        self._retained.clear()

    def come_back(self) -> None:
        """Start the broker's program again. As the hub does, make all logins and send again what is retained."""
        self.is_up = True
        self._made = {*self._logins}
        self._queue.clear()
        self._flush_later()

    def end(self) -> None:
        """End with the hub: all connections close, and nothing arrives any more."""
        for one in [*self.connections]:
            self.close(one)
        self.is_up = False

    def _delay(self) -> float:
        return self._random.expovariate(1 / self.slowness)

    def _send(self, connection: Connection, topic: str, payload: bytes) -> None:
        self.bring_down(connection, lambda: connection.on_message(topic, payload))

    def bring_down(self, connection: Connection, arrive: Callable[[], object]) -> None:
        """Let something arrive at a phone, after everything that is on its way there."""
        connection.down_at = max(connection.down_at, self._scheduler.time + self._delay())
        self._scheduler.after(
            connection.down_at - self._scheduler.time, lambda: None if connection.is_lost else arrive()
        )

    def bring_up(self, connection: Connection, arrive: Callable[[], object]) -> None:
        """Let something of a phone arrive at the hub, after everything that is on its way there."""
        connection.up_at = max(connection.up_at, self._scheduler.time + self._delay())
        self._scheduler.after(connection.up_at - self._scheduler.time, lambda: arrive() if self.is_up else None)

    def _to_hub(self, connection: Connection, topic: str, payload: bytes, *, retain: bool) -> None:
        def arrive() -> None:
            if retain:
                self._retain(topic, payload)
            for pattern, on_message in self._hub:
                before, _, after = pattern.partition("+")
                if topic.startswith(before) and topic.endswith(after):
                    on_message(topic, payload, False)

        self.bring_up(connection, arrive)

    def _retain(self, topic: str, payload: bytes) -> None:
        if payload:
            self._retained[topic] = payload
        else:
            self._retained.pop(topic, None)
