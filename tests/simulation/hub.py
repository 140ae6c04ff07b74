"""A hub in virtual time: the real tables, phones' links, drivers, encryption and store over a simulated world."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import structs

from hub.chance import Chance
from hub.engine.decision import Action, Decision
from hub.engine.match import Match
from hub.network.encryption import HubKey
from hub.ports import BrokerDown, BrokerUp, Dice, Page
from hub.state import ScreenState
from hub.table.base.ports import Ports
from hub.table.loop import Table
from hub.table.parts import TableSettings
from phone_ui.mqtt_phones import PhonesOverMqtt
from tests.simulation.auditor import Broken
from tests.simulation.clock import Scheduler
from tests.simulation.devices import Cables, SimulatedDice
from tests.simulation.direct import VirtualLoop
from tests.simulation.disk import Files, PowerCut, SimulatedDisk
from tests.simulation.network import SimulatedBroker

if TYPE_CHECKING:
    from tests.simulation.place import Place

STEP_SECONDS = 0.002  # from a signal in the inbox until the table's thread takes it
THINK_SECONDS = 0.5  # of a job beside the table's thread
DAY = 1_790_000_000.0  # seconds since 1970 at time 0 of the clock


class Screen:
    """The Page port: the big screen at the table."""

    def __init__(self, on_state: Callable[[ScreenState], None]) -> None:
        self._on_state = on_state

    def show(self, public: ScreenState, settled: bool) -> None:
        """Show a state."""
        self._on_state(public)


class Dealer(Chance):
    """The chance of a table. `on_deal` gets each shuffled pile, top card first, and returns what is dealt."""

    def __init__(self, seed: str, on_deal: Callable[[list[Any]], list[Any]]) -> None:
        super().__init__(seed)
        self._on_deal = on_deal

    def answer(self, decision: Decision) -> Action:
        """Answer a shuffle or a pick."""
        answer = super().answer(decision)
        if decision.kind == "pick":
            return answer
        return structs.replace(answer, args={"order": self._on_deal(answer.args["order"])})


def _on_fault(error: Exception, _: object) -> None:
    """An error that nobody foresaw breaks a promise, though the table restarts."""
    raise Broken(f"The table has failed: {error!r} at {traceback.extract_tb(error.__traceback__)[-1]}.")


class HubTable:
    """One table in one run of the hub, and its thread."""

    def __init__(self, hub: SimulatedHub, place: Place, random: Random, key: HubKey) -> None:
        self._hub, self._scheduler = hub, hub.scheduler
        self._is_busy = False  # the thread handles a signal, or waits for the disk
        self._is_woken = False  # it is about to take a signal
        self._ticks = 0  # the number of the newest plan to tick
        draw = Random(random.random())
        self.phones = PhonesOverMqtt(
            hub.broker, key, "hub", place.number, self.put, clock=self._scheduler.now,
            token=lambda size: draw.randbytes(size).hex(),
        )  # fmt: skip
        self.phones.keep_spares(place.seats)
        self.cables = Cables(self._scheduler, Random(random.random()), self.put, [*place.boxes.values()], hub.on_seen)
        self.dice = (
            SimulatedDice(self._scheduler, Random(random.random()), self.put, partial(place.note_faces, "read"))
            if place.has_dice
            else None
        )
        dice: Dice | None = self.dice
        screen: Page = Screen(place.on_state)
        ports = Ports(
            hub.disk, self.phones, self._scheduler, Dealer(random.random().hex(), partial(hub.on_deal, place.number)), hub.wall,
            Random(random.random()), pages=[screen], boxes=self.cables if place.boxes else None, dice=dice,
            background=lambda job: self._scheduler.after(THINK_SECONDS, job),
        )  # fmt: skip
        self.table = Table(
            place.number, place.name, place.seats, place.settings.games(), ports, address=lambda: "http://10.42.0.1",
            place_boxes={name: seat for seat, name in enumerate(place.boxes, 1)},
            settings=TableSettings(patience=place.settings.patience, house=place.settings.house),
        )  # fmt: skip
        setattr(self.table._faults, "note", _on_fault)  # noqa: B010 - a method

    @property
    def match(self) -> Match | None:
        """Return the match that is played."""
        return self.table.match

    @property
    def is_idle(self) -> bool:
        """Return whether this table has nothing to do."""
        return not (self._is_busy or self._is_woken)

    def has_forgotten(self, sid: str) -> bool:
        """Return whether this table knows its seats, and a login is none of them."""
        return self.table.knows_seats and self.phones.login(sid) == "unknown"

    def start(self) -> None:
        """Resume from the disk."""
        self._work(self.table.start)
        if self.dice:
            self.dice.start()

    def put(self, signal: object) -> None:
        """Put a signal into the table's inbox."""
        self.table.put(signal)
        if not self._is_woken and not self._is_busy:
            self._is_woken = True
            self._scheduler.after(STEP_SECONDS, self._step)

    def end(self) -> None:
        """End with the hub."""
        self.cables.end()
        if self.dice:
            self.dice.is_open = False

    def _step(self) -> None:
        self._is_woken = False
        if not self._is_busy:
            self._work(self._empty_inbox)

    def _empty_inbox(self) -> None:
        while self.table.waiting:
            self.table.step(0)

    def _tick(self, tick: int) -> None:
        if tick == self._ticks and not self._is_woken and not self._is_busy:
            self._work(lambda: self.table.step(0))

    def _work(self, work: Callable[[], object]) -> None:
        """Work on the table's thread, then wait as it does: until a part is due, at most a second."""
        if not self._hub.is_running:
            return
        self._is_busy = True
        try:
            work()
            self._empty_inbox()
        except PowerCut:
            self._hub.lose_power()
            return
        self._is_busy = False
        self._ticks += 1
        tick = self._ticks
        self._scheduler.after(max(self.table.wait_seconds(), STEP_SECONDS), lambda: self._tick(tick))


class SimulatedHub:
    """One run of the hub, from its start until it is stopped or its power is cut.

    `on_end` is called when the power is cut within a write, `on_seen` with what is published by topic, and what is on cables.
    `on_deal` gets the number of a table and each pile that is shuffled there, and returns what is dealt.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        random: Random,
        files: Files,
        key: HubKey,
        places: Sequence[Place],
        on_end: Callable[[], None],
        on_seen: Callable[[str, bytes], None],
        on_deal: Callable[[str, list[Any]], list[Any]],
    ) -> None:
        self.scheduler, self._on_end, self.on_seen, self.on_deal = scheduler, on_end, on_seen, on_deal
        self.is_running = True
        self.disk = SimulatedDisk(files, Random(random.random()), self._wait_for_disk, self.wall)
        self.broker = SimulatedBroker(scheduler, Random(random.random()), on_seen)
        self.loop = VirtualLoop(scheduler)  # type: ignore[abstract]  # it has what the direct path uses
        self.tables = {place.number: HubTable(self, place, Random(random.random()), key) for place in places}

    def wall(self) -> float:
        """Return the Unix time in seconds."""
        return DAY + self.scheduler.time

    def start(self) -> None:
        """Start all tables."""
        for one in self.tables.values():
            one.start()

    def lose_broker(self, seconds: float) -> None:
        """Let the broker be down for so long. The tables are told, as by hub/network/mqtt.py."""

        def come_back() -> None:
            if self.is_running:
                self.broker.come_back()
                for one in self.tables.values():
                    one.put(BrokerUp())

        self.broker.go_down()
        for one in self.tables.values():
            one.put(BrokerDown("The broker ended."))
        self.scheduler.after(seconds, come_back)

    def stop(self) -> None:
        """End this run: whatever is under way is lost."""
        self.is_running = False
        self.broker.end()
        for one in self.tables.values():
            one.end()
        self.disk.close()

    def lose_power(self) -> None:
        """End this run, unless it has ended already."""
        if self.is_running:
            self.stop()
            self._on_end()

    def _wait_for_disk(self, seconds: float) -> None:
        self.scheduler.run_until(self.scheduler.time + seconds)
        if not self.is_running:
            raise PowerCut
