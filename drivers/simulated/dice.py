"""A simulated dice reader, with the failures of real dice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from drivers.common.worker import Inbox, ThreadedDevice
from hub.engine.text import say
from hub.ports import Clock, DiceKit, DiceSeen, DiceState

MOST_DICE = 100


@dataclass(frozen=True, slots=True)
class _Arm:
    """The requested throw."""

    number: int
    seat: int
    count: int
    sides: int


class SimDice(ThreadedDevice):
    """Six simulated dice and their reader.

    Actions of the person and the table take effect at once, under a lock; only thrown dice wait for the clock.
    """

    KIT = 6
    TUMBLE = 0.5  # seconds until thrown dice lie still
    REST = 0.7  # seconds at rest until they count as settled

    def __init__(
        self,
        reader: str,
        inbox: Inbox,
        clock: Clock,
        chance: Random,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(reader, inbox, clock)
        self._reader = reader
        self._inbox = inbox
        self._clock = clock
        self._chance = chance
        self._changed = changed
        self._lock = threading.RLock()
        self._armed: _Arm | None = None
        self._seen = DiceSeen(reader, 0, "armed")
        self._lost = self._weak = False
        self._leaning = self._missing = False  # how the next throw goes wrong
        self._kept: tuple[int, ...] = ()  # dice that stay while a leaning one is rolled again
        self._rolling: tuple[int, ...] = ()
        self._lying: tuple[int, ...] = ()  # all dice in the tray, to read them again
        self._still_at: float | None = None

    def start(self) -> None:
        """Report the kit, and start the thread."""
        self._report_kit()
        super().start()

    # --- the thread's work ---

    def acquire(self) -> None:
        """Do nothing: simulated dice are always present."""

    def step(self, now: float) -> float | None:
        """Report dice that have been at rest for long enough; return when that will be due."""
        with self._lock:
            if self._still_at is not None and now >= self._still_at:
                self._settle()
            return self._still_at

    def release(self) -> None:
        """Do nothing: nothing is open."""

    # --- the port ---

    def arm(self, number: int, seat: int, count: int, sides: int, *, lying: bool = False) -> None:
        """Watch for a throw, or read the dice in the tray again."""
        with self._lock:
            self._armed = _Arm(number, seat, count, sides)
            self._kept = self._rolling = ()
            self._still_at = None
            self._report("no_reader" if self._lost else "armed", sentence=self._silent() if self._lost else "")
            if lying and self._lying and not self._lost:
                self._rolling = self._lying
                self._still_at = self._clock.now() + self.REST
            self.wake()

    def disarm(self) -> None:
        """Ignore the dice."""
        with self._lock:
            self._armed = self._still_at = None
            self._kept = self._rolling = ()
            self._changed()

    # --- the person ---

    def throw(self, count: int | None = None, faces: Sequence[int] = ()) -> str | None:
        """Throw dice, with given faces or at random; return why that is impossible, or None."""
        with self._lock:
            arm = self._armed
            if self._lost:
                return say("The dice reader is disconnected: reconnect it, or type the roll.")
            if arm is None:
                return say("Nobody is asked to roll: the reader ignores the dice.")
            if self._still_at is not None:
                return say("The dice are still rolling.")
            if self._seen.state == "settled":
                return say("The roll is read: nobody is asked to roll again.")
            missing = arm.count - len(self._kept)
            number = len(faces) or (missing if count is None else count)
            if any(not 1 <= face <= arm.sides for face in faces):
                return say("A die here has the faces 1 to {sides}.", sides=arm.sides)
            if self._kept and number != missing:
                self._kept = ()  # all dice were picked up
            self._rolling = tuple(faces) or tuple(self._chance.randint(1, arm.sides) for _ in range(number))
            self._still_at = self._clock.now() + self.TUMBLE + self.REST
            self._report("rolling")
            self.wake()
            return None

    def cock(self) -> None:
        """Let the last die of this or the next throw lean."""
        with self._lock:
            self._leaning = True
            self._changed()

    def miscount(self) -> None:
        """Let the reader miss one die of this or the next throw."""
        with self._lock:
            self._missing = True
            self._changed()

    def lose(self) -> None:
        """Lose the reader's link."""
        with self._lock:
            self._lost = True
            self._still_at = None
            self._kept = self._rolling = ()
            if self._armed is not None:
                self._report("no_reader", sentence=self._silent())
            self._report_kit()

    def drain(self) -> None:
        """Let the battery of a die run low."""
        with self._lock:
            self._weak = True
            self._report_kit()

    def restore(self) -> None:
        """Restore the reader, which then watches an open roll again."""
        with self._lock:
            was_lost, self._lost = self._lost, False
            self._leaning = self._missing = self._weak = False
            self._report_kit()
            if was_lost and self._armed is not None:
                self._report("armed")

    def state(self) -> dict[str, object]:
        """Return what the bench page shows, ready for JSON."""
        with self._lock:
            arm = self._armed
            return {
                "armed": {"seat": arm.seat, "count": arm.count, "sides": arm.sides} if arm else None,
                "wanted": arm.count - len(self._kept) if arm else 0,
                "state": "no_reader" if self._lost else self._seen.state if arm else "idle",
                "faces": list(self._seen.faces) if arm else [],
                "say": self._seen.say if arm else "",
                "lost": self._lost,
                "weak": self._weak,
                "leaning": self._leaning,
                "missing": self._missing,
            }

    @staticmethod
    def _silent() -> str:
        return say("The dice reader is silent: type what you see.")

    def _report_kit(self) -> None:
        self._inbox(
            DiceKit(self._reader, 0 if self._lost else self.KIT, (say("die {number}", number=1),) if self._weak else ())
        )
        self._changed()

    def _report(self, state: DiceState, faces: tuple[int, ...] = (), sentence: str = "") -> None:
        if self._armed is not None:
            self._seen = DiceSeen(self._reader, self._armed.number, state, faces, sentence)
            self._inbox(self._seen)
        self._changed()

    def _settle(self) -> None:
        """Report the dice, which have been at rest for long enough."""
        self._still_at = None
        if self._armed is None:
            return
        wanted = self._armed.count
        lying = self._lying = self._kept + self._rolling
        leaning, missing = self._leaning, self._missing
        self._leaning = self._missing = False
        seen = len(lying) - 1 if missing else len(lying)
        if seen != wanted:
            self._kept = ()
            self._report("wrong_count", sentence=say("I see {seen} of {count} dice.", seen=seen, count=wanted))
        elif leaning:
            self._kept = lying[:-1]
            self._report("cocked", self._kept, say("One die is leaning: roll only that one again."))
        else:
            self._kept = ()
            self._report("settled", lying)
