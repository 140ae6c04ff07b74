"""A phone that follows the documented protocol (`hub/docs/own_player.md`): as the page does, without drawing anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from nacl.exceptions import CryptoError

from hub.network.messages import Topics
from tests.complete_states import read_state
from tests.phone_ui.rig import Keys
from tests.simulation.auditor import Broken, State
from tests.simulation.clock import Scheduler
from tests.simulation.direct import DirectPath
from tests.simulation.hub import SimulatedHub
from tests.simulation.network import Connection

DIAL_SECONDS = 2.0  # between two tries to connect
ASK_AGAIN_SECONDS = 3.0  # until an unanswered request is sent again
GIVE_UP_SECONDS = 20.0


@dataclass
class Request:
    """A request without an answer yet."""

    letter: bytes
    asked_at: float
    sent_at: float
    verb: str
    on_answer: Callable[[State], None]


class SimulatedPhone:
    """One claim of a seat on one phone, from its login until the seat is lost.

    - `find_hub` returns the running hub, or None while there is none. `table` is the number of the phone's table.
    - `keys` are the phone's, `sid` and `password` its login.
    - `is_direct`: it is a page at the hub's own port, and no program that speaks to the broker alone.
    - `on_state` gets each public state, `on_hand` each hand; `on_silence` the verb of a request that nobody has answered.
    - `on_lost` is called with this phone when its seat is lost, `is_awake` and `connected_at` being those of before.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        find_hub: Callable[[], SimulatedHub | None],
        table: str,
        keys: Keys,
        sid: str,
        password: str,
        random: Random,
        *,
        is_direct: bool,
        on_state: Callable[[State], None],
        on_hand: Callable[[State], None],
        on_silence: Callable[[str], None],
        on_lost: Callable[[SimulatedPhone], object],
    ) -> None:
        self._scheduler, self._find_hub, self._table, self._random = scheduler, find_hub, table, random
        self._topics, self._is_direct = Topics("hub", table), is_direct
        self._on_state, self._on_hand, self._on_silence, self._on_lost = on_state, on_hand, on_silence, on_lost
        self.keys, self.sid, self._password = keys, sid, password
        self.state: State | None = None
        self.hand: State | None = None
        self.is_awake = self.has_seat = True
        self._connection: Connection | None = None
        self._path: DirectPath | None = None
        self.connected_at = self.dropped_at = 0.0
        self._open: dict[str, Request] = {}
        self._answers: dict[str, tuple[bool, str | None]] = {}
        self._n = 0
        self._dial()
        self._tick()

    @property
    def is_connected(self) -> bool:
        """Return whether the phone is connected to the broker."""
        return self._connection is not None

    @property
    def is_whole(self) -> bool:
        """Return whether state and hand are of the same moment."""
        keys = ("session", "seq")
        return bool(self.state and self.hand) and all(self.state[key] == self.hand[key] for key in keys)  # type: ignore[index]

    def sleep(self) -> None:
        """Lose the connection without a goodbye, as a phone in a pocket."""
        self.is_awake = False
        self.drop()

    def wake(self) -> None:
        """Connect again."""
        self.is_awake = True
        self._dial()

    def drop(self) -> None:
        """Lose the connection; an awake phone connects again by itself."""
        if self._connection and (hub := self._find_hub()):
            hub.broker.close(self._connection)
        self._disconnect()
        self._scheduler.after(DIAL_SECONDS, self._dial)

    def stall(self, seconds: float) -> None:
        """Take nothing for so long, on the direct path."""
        if self._path and not self._path.is_stalled:
            self._path.stall(seconds)

    def _disconnect(self) -> None:
        self._connection, self.dropped_at = None, self._scheduler.time
        if self._path:
            self._path.close()
        self._path = None

    def ask(
        self,
        verb: str,
        args: Mapping[str, Any],
        on_answer: Callable[[State], None] = lambda _: None,
        **other: Any,
    ) -> None:
        """Send a request about the current decision; `other` replaces fields of it."""
        self._n += 1
        hand = self.hand or {}
        request = self._random.randbytes(8).hex()
        act = {
            "v": 1, "id": request, "n": self._n, "epoch": hand.get("epoch", 0), "number": hand.get("number"),
            "verb": verb, "args": args,
        }  # fmt: skip
        now = self._scheduler.time
        self._open[request] = Request(self.keys.encrypt(act | other), now, now, verb, on_answer)
        self._send(request)

    def _send(self, request: str) -> None:
        connection, path, hub = self._connection, self._path, self._find_hub()
        if connection and hub:
            topic, letter = self._topics.act(self.sid), self._open[request].letter
            self._open[request].sent_at = self._scheduler.time
            if path:
                hub.broker.bring_up(connection, lambda: path.publish(topic, letter))
            else:
                hub.broker.write(connection, topic, letter)

    def _tick(self) -> None:
        now = self._scheduler.time
        for request, one in [*self._open.items()]:
            if now - one.asked_at > GIVE_UP_SECONDS:
                del self._open[request]
                if self._connection and self.connected_at < one.asked_at:
                    self._on_silence(one.verb)
            elif now - one.sent_at > ASK_AGAIN_SECONDS:
                self._send(request)
        if self.has_seat:
            self._scheduler.after(1.0, self._tick)

    def _dial(self) -> None:
        if not (self.is_awake and self.has_seat) or self._connection:
            return
        hub, topics = self._find_hub(), self._topics
        if hub and hub.tables[self._table].has_forgotten(self.sid):
            self._lose_seat()  # as the page learns from the hub
            return
        made = Connection(self.sid, topics.online(self.sid), self._receive, lambda _: None)
        made.on_close = partial(self._on_close, made)
        if hub is None or not hub.broker.connect(made, self._password):
            self._scheduler.after(DIAL_SECONDS, self._dial)
            return
        self._connection, self.connected_at = made, self._scheduler.time
        broker, subscribed = hub.broker, [topics.state, topics.hand(self.sid), topics.ack(self.sid)]
        if self._is_direct:
            path = self._path = DirectPath(
                hub.loop, hub.tables[self._table].phones, self.sid, partial(broker.bring_down, made), self._receive
            )
            if not path.subscribe(subscribed):
                broker.follow(made, subscribed)
        else:
            broker.follow(made, subscribed)
        broker.write(made, topics.online(self.sid), b'{"session":"1"}', retain=True)
        for request in self._open:
            self._send(request)

    def _on_close(self, connection: Connection, is_lost: bool) -> None:
        if self._connection in (connection, None) and is_lost:
            self._lose_seat()
        if self._connection is connection:
            self._disconnect()
            self._scheduler.after(DIAL_SECONDS, self._dial)

    def _lose_seat(self) -> None:
        if self.has_seat:
            self._on_lost(self)
        self.has_seat = False

    def _receive(self, topic: str, payload: bytes) -> None:
        if topic == self._topics.state:
            state = read_state(payload)
            self._on_state(state)
            self.state = _newer(self.state, state)
        elif topic == self._topics.ack(self.sid):
            ack = self._decrypt(payload)
            answer = ack["ok"], ack["error"]
            if self._answers.setdefault(ack["re"], answer) != answer:
                raise Broken(f"A request got two answers: {self._answers[ack['re']]} and {answer}.")
            if known := self._open.pop(ack["re"], None):
                known.on_answer(ack)
        elif not payload:
            self._lose_seat()
        else:
            hand = self._decrypt(payload)
            self._on_hand(hand)
            self.hand = _newer(self.hand, hand)

    def _decrypt(self, letter: bytes) -> State:
        try:
            return self.keys.decrypt(letter)
        except CryptoError as error:
            raise Broken(f"The phone of {self.sid} was sent what it cannot read.") from error


def _newer(known: State | None, found: State) -> State:
    """Return the newer one of two states."""
    if known and known["session"] == found["session"] and known["seq"] > found["seq"]:
        return known
    return found


def shown(answer: State) -> str:
    """Return an answer as one line."""
    return "ok" if answer["ok"] else json.dumps(answer["error"])
