"""Many matches on one hub, measured: `python -m tests.bench.tables [tables] [rounds]`.

Each table has its thread, its six phones with encryption and a place in one record on disk, as in a hub; only broker and
web are left out. Every second somebody at each table acts. Timed from the encrypted request's arrival until the encrypted
answer, which goes out after all six hands. Nothing runs beside it.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any, Literal

from hub import games
from hub.authoring.players import random_action
from hub.chance import Chance
from hub.engine.game import Game
from hub.network.encryption import HubKey
from hub.ports import ClaimDecided, ClaimRequest, MonotonicClock, PhoneLink, machine_chance  # noqa: TID251 - a benchmark of the real thing
from hub.store import Store
from hub.table.base.ports import Ports
from hub.table.loop import Table
from phone_ui.mqtt_phones import PhonesOverMqtt
from tests.bench.figures import note
from tests.bench.installed import start_again_as_installed
from tests.bench.transport import UNLIMITED, cpu, memory
from tests.complete_states import read_state
from tests.phone_ui.rig import Keys, act

SEATS, PATIENCE = 6, 5.0
GAME = games.find("bid-it")  # six people, and no dice that a second person must confirm

CHOICES = Random(1)
"""What everybody here plays by: one for all, as it takes 2.5 kB."""


class NoLogins:
    """The logins of a broker that is not there."""

    def admit(self, sid: str, password: str, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Everybody may."""

    def release(self, sid: str) -> None:
        """Nobody has to."""

    def admitted(self, sid: str) -> bool:
        return True


class Carrier:
    """One table's letters: of a retained topic it holds the newest, as the real one does, and it notes each answer."""

    def __init__(self) -> None:
        self.logins = NoLogins()
        self.newest: dict[str, bytes] = {}
        self.heard: dict[str, Callable[[str, bytes, bool], None]] = {}
        self.answered, self.answered_at = threading.Event(), 0.0

    def hold(self) -> AbstractContextManager[None]:
        return nullcontext()

    def publish(self, topic: str, payload: bytes, *, retain: bool, qos: Literal[0, 1] = 1) -> None:
        if retain:
            self.newest[topic] = payload
        elif topic.endswith("/ack"):
            self.answered_at = time.perf_counter()
            self.answered.set()

    def subscribe(self, pattern: str, on_message: Callable[[str, bytes, bool], None]) -> None:
        self.heard[pattern] = on_message


class Playing:
    """A table at which six people play by chance."""

    def __init__(
        self, number: int, store: Store, key: HubKey, game: Game = GAME, seats: int = SEATS, seed: int | None = None
    ) -> None:
        self.carrier, self.random, self.n = Carrier(), CHOICES if seed is None else Random(seed), 0
        self.link = PhonesOverMqtt(self.carrier, key, "hub", str(number), self._tell, UNLIMITED)
        source = machine_chance() if seed is None else Random(f"table {seed}")
        chance = Chance(source if seed is None else seed)
        ports = Ports(store, self.link, MonotonicClock(), chance, time.time, source)
        self.table = Table(str(number), f"Table {number}", seats, [game], ports)
        self.phones: dict[int, tuple[str, Keys]] = {}
        self.table.start()
        for seat in range(1, seats + 1):
            self._sit(seat, Keys(key.public))
        self.thread = threading.Thread(target=self.table.run)
        self.thread.start()
        for sid, _ in self.phones.values():
            self.table.put(PhoneLink(sid, True))
        self._all_ready()
        self.ask(1, verb="start", args={"game": game.name, "options": {}})
        self.wait()

    def _tell(self, said: object) -> None:
        self.table.put(said)

    def _sit(self, seat: int, keys: Keys) -> None:
        def decided(answer: ClaimDecided) -> None:
            assert answer.held, answer.say
            self.phones[seat] = answer.sid, keys

        code = self.table._seats[seat].code
        self.table.handle_signal(ClaimRequest(f"claim {seat}", seat, keys.public, code, "", decided))

    def state(self) -> dict[str, Any]:
        """The newest public state."""
        return read_state(self.link.public.get()[1])

    def ask(self, seat: int, **request: object) -> float:
        """Send one encrypted request; when it arrived."""
        sid, keys = self.phones[seat]
        self.n += 1
        letter = keys.encrypt(act(self.n, **{"epoch": self.state()["epoch"], **request}))
        self.carrier.answered.clear()
        arrived = time.perf_counter()
        self.carrier.heard[self.link.topics.act("+")](self.link.topics.act(sid), letter, False)
        return arrived

    def move(self) -> float:
        """Somebody's legal action; when it arrived."""
        match = self.table.match
        if match is None or match.open is None:
            self._all_ready()
            return self.ask(1, verb="again")
        action = random_action(match, self.random, Chance(0))
        return self.ask(action.seat, verb="act", number=match.open.number, args={"move": action.move, **action.args})

    def _all_ready(self) -> None:
        for seat in self.phones:
            self.ask(seat, verb="ready", args={"ready": True})
            self.wait()

    def wait(self) -> float:
        """When the last request was answered."""
        assert self.carrier.answered.wait(PATIENCE), f"table {self.table.id} does not answer"
        return self.carrier.answered_at

    def close(self) -> None:
        self.table.stop()
        self.thread.join()


def main(tables: int = 200, rounds: int = 8) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        store, key = Store(Path(folder) / "record.db"), HubKey.generate()
        held = memory("self")
        playing = [Playing(number, store, key) for number in range(1, tables + 1)]
        connected, spent, began = memory("self"), cpu("self"), time.perf_counter()
        arrived, took = [0.0] * tables, []
        for turn in range(rounds * tables):
            place, table = turn % tables, playing[turn % tables]
            if turn >= tables:
                took.append((table.wait() - arrived[place]) * 1000)
            time.sleep(max(0.0, began + turn / tables - time.perf_counter()))
            arrived[place] = table.move()
        took += [(table.wait() - came) * 1000 for table, came in zip(playing, arrived, strict=True)]
        spent, lasted = cpu("self") - spent, time.perf_counter() - began
        ended = memory("self")
        for table in playing:
            table.close()
        store.close()
    cuts = quantiles(took, n=100)
    note(f"tables {tables}, p50", "ours", "ms", *took)
    note(f"tables {tables}, p99", "ours", "ms", *took, at=0.99)
    note(f"tables {tables}, memory", "ours", "MB", (ended - held) / tables)
    print(f"{tables} matches of {GAME.title}, six phones each, {len(took) / lasted:.0f} actions a second in all")
    print(f"request -> six hands and answer {cuts[49]:7.2f} ms p50 {cuts[98]:7.2f} ms p99   n={len(took)}")
    print(f"CPU an action, players included {spent / len(took) * 1000:7.2f} ms")
    print(
        f"memory a match {(connected - held) / tables:.3f} MB seated and started, {(ended - held) / tables:.3f} MB at the end"
    )


if __name__ == "__main__":
    start_again_as_installed()
    main(*map(int, sys.argv[1:]))
