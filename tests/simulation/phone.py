"""A phone that follows the documented protocol (`hub/docs/own_player.md`): as the page does, without drawing anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from hub.network.messages import Topics
from tests.complete_states import read_state
from tests.phone_ui.rig import Keys
from tests.simulation.clock import Scheduler
from tests.simulation.network import Connection, SimulatedBroker

State = dict[str, Any]
DIAL_SECONDS = 2.0  # between two tries to connect
ASK_AGAIN_SECONDS = 3.0  # until an unanswered request is sent again
GIVE_UP_SECONDS = 20.0


@dataclass
class Request:
    """A request without an answer yet."""

    letter: bytes
    asked_at: float
    sent_at: float
    on_answer: Callable[[State], None]


class SimulatedPhone:
    """One claim of a seat on one phone, from its login until the seat is lost.

    - `find_broker` returns the broker of the running hub, or None while there is none.
    - `keys` are the phone's, `sid` and `password` its login.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        find_broker: Callable[[], SimulatedBroker | None],
        topics: Topics,
        keys: Keys,
        sid: str,
        password: str,
        random: Random,
    ) -> None:
        self._scheduler, self._find_broker, self._topics, self._random = scheduler, find_broker, topics, random
        self.keys, self.sid, self._password = keys, sid, password
        self.state: State | None = None
        self.hand: State | None = None
        self.is_awake = self.has_seat = True
        self._connection: Connection | None = None
        self._open: dict[str, Request] = {}
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
        if self._connection and (broker := self._find_broker()):
            broker.close(self._connection)
        self._connection = None
        self._scheduler.after(DIAL_SECONDS, self._dial)

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
        self._open[request] = Request(self.keys.encrypt(act | other), now, now, on_answer)
        self._send(request)

    def _send(self, request: str) -> None:
        if self._connection and (broker := self._find_broker()):
            self._open[request].sent_at = self._scheduler.time
            broker.write(self._connection, self._topics.act(self.sid), self._open[request].letter)

    def _tick(self) -> None:
        now = self._scheduler.time
        for request, one in [*self._open.items()]:
            if now - one.asked_at > GIVE_UP_SECONDS:
                del self._open[request]
            elif now - one.sent_at > ASK_AGAIN_SECONDS:
                self._send(request)
        if self.has_seat:
            self._scheduler.after(1.0, self._tick)

    def _dial(self) -> None:
        if not (self.is_awake and self.has_seat) or self._connection:
            return
        broker, topics = self._find_broker(), self._topics
        made = Connection(self.sid, topics.online(self.sid), self._receive, lambda _: None)
        made.on_close = partial(self._on_close, made)
        if broker is None or not broker.connect(made, self._password):
            self._scheduler.after(DIAL_SECONDS, self._dial)
            return
        self._connection = made
        broker.follow(made, [topics.state, topics.hand(self.sid), topics.ack(self.sid)])
        broker.write(made, topics.online(self.sid), b'{"session":"1"}', retain=True)
        for request in self._open:
            self._send(request)

    def _on_close(self, connection: Connection, is_lost: bool) -> None:
        if self._connection in (connection, None) and is_lost:
            self.has_seat = False
        if self._connection is connection:
            self._connection = None
            self._scheduler.after(DIAL_SECONDS, self._dial)

    def _receive(self, topic: str, payload: bytes) -> None:
        if topic == self._topics.state:
            self.state = _newer(self.state, read_state(payload))
        elif topic == self._topics.ack(self.sid):
            ack = self.keys.decrypt(payload)
            if known := self._open.pop(ack["re"], None):
                known.on_answer(ack)
        elif not payload:
            self.has_seat = False
        else:
            self.hand = _newer(self.hand, self.keys.decrypt(payload))


def _newer(known: State | None, found: State) -> State:
    """Return the newer one of two states."""
    if known and known["session"] == found["session"] and known["seq"] > found["seq"]:
        return known
    return found


def shown(answer: State) -> str:
    """Return an answer as one line."""
    return "ok" if answer["ok"] else json.dumps(answer["error"])
