"""A hub with one table in virtual time: the real table, phones' link, encryption and store over a simulated world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from hub import games
from hub.network.encryption import HubKey
from hub.ports import Tick
from hub.state import ScreenState
from hub.table.base.chance import Chance
from hub.table.base.ports import Ports
from hub.table.loop import Table
from hub.table.people.house_seats import HouseSettings
from phone_ui.mqtt_phones import PhonesOverMqtt
from tests.simulation.clock import Scheduler
from tests.simulation.disk import PowerCut, SimulatedDisk
from tests.simulation.network import SimulatedBroker

STEP_SECONDS = 0.002  # from a signal in the inbox until the table's thread takes it
DAY = 1_790_000_000.0  # seconds since 1970 at time 0 of the clock


class Screen:
    """The Page port: the big screen at the table."""

    def __init__(self, on_state: Callable[[ScreenState], None]) -> None:
        self._on_state = on_state

    def show(self, public: ScreenState, settled: bool) -> None:
        """Show a state."""
        self._on_state(public)


class SimulatedHub:
    """One run of the hub, from its start until it is stopped or its power is cut.

    `on_state` gets each state of the big screen, `on_cut` is called when the power is cut within a write.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        random: Random,
        folder: Path,
        key: HubKey,
        seats: int,
        on_state: Callable[[ScreenState], None],
        on_cut: Callable[[], None],
    ) -> None:
        self._scheduler, self._on_cut = scheduler, on_cut
        self.is_running = True
        self._waits = False  # the table's thread is about to take a signal
        self._ticks = 0  # the number of the newest tick, as each signal replaces it
        self.disk = SimulatedDisk(folder, Random(random.random()))
        self.broker = SimulatedBroker(scheduler, Random(random.random()))
        draw = Random(random.random())
        self.phones = PhonesOverMqtt(
            self.broker, key, "hub", "1", self.put, clock=scheduler.now, token=lambda size: draw.randbytes(size).hex()
        )
        self.phones.keep_spares(seats)
        ports = Ports(
            self.disk, self.phones, scheduler, Chance(random.random().hex()), lambda: DAY + scheduler.time,
            Random(random.random()), pages=[Screen(on_state)],
        )  # fmt: skip
        offered = [games.find(name) for name in games.names()]
        self.table = Table(
            "1", "Table 1", seats, offered, ports, address=lambda: "http://10.42.0.1", house=HouseSettings()
        )

    def start(self) -> None:
        """Resume from the disk."""
        self._guarded(self.table.start)
        self._wait()

    def put(self, signal: object) -> None:
        """Put a signal into the table's inbox."""
        self.table.put(signal)
        if not self._waits:
            self._waits = True
            self._scheduler.after(STEP_SECONDS, self._step)

    def stop(self) -> None:
        """End this run: whatever is under way is lost."""
        self.is_running = False
        self.broker.end()
        self.disk.close()

    def _step(self) -> None:
        self._waits = False
        if not self.is_running:
            return
        while self._has_signals():
            self._guarded(lambda: self.table.receive(self.table._inbox.get(0)))
        self._wait()

    def _has_signals(self) -> bool:
        return self.is_running and bool(self.table._inbox._waiting)

    def _wait(self) -> None:
        """Let the table wait as its own thread does: until a part is due, at most a second."""
        if not self.is_running:
            return
        self.table._hints._run = lambda think: self._scheduler.after(0.5, think)
        self._ticks += 1
        tick = self._ticks
        self._scheduler.after(max(self.table._wait_seconds(), STEP_SECONDS), lambda: self._tick(tick))

    def _tick(self, tick: int) -> None:
        if self.is_running and tick == self._ticks and not self._waits:
            self._guarded(lambda: self.table.receive(Tick()))
            self._wait()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except PowerCut:
            self.stop()
            self._on_cut()
