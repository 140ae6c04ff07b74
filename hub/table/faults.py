"""Count the unforeseen errors of a table: it restarts from its log, and stops after repeated errors.

The journal gets the type of the error and where it came from. It never gets the error's text or a local variable, which may
hold a hand, a bid, a name or a token.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from hub.engine.text import say
from hub.ports import (
    AddressChanged,
    BrokerDown,
    BrokerUp,
    Clock,
    DeviceSimulated,
    DeviceSubject,
    DiceSeen,
    PhoneRequest,
    StaffRequest,
    subject_of,
)

log = logging.getLogger(__name__)

MOST_FAULTS, WITHIN_SECONDS = 3, 600.0  # this many faults within this time, and the table stays stopped
FRAMES = 12  # innermost frames of a traceback that the journal gets

RESTARTED = say(
    "Something went wrong at this table, so it restarted. Every confirmed action is saved: take a look, then play on."
)
STOPPED = say("This table has stopped after repeated errors. Its match is saved. Please call the staff.")
NOT_DONE = say("Something went wrong at this table: look at the big screen, then try again.")


class Faults:
    """The faults of one table in the last ten minutes."""

    def __init__(self, table: str, clock: Clock) -> None:
        self._table, self._clock = table, clock
        self._at: list[float] = []
        self.stopped = False

    def note(self, error: Exception, signal: object) -> None:
        """Count a fault and log its origin. `signal` is the one that the table was handling; None: the start."""
        now = self._clock.now()
        self._at = [at for at in self._at if now - at <= WITHIN_SECONDS] + [now]
        self.stopped = len(self._at) >= MOST_FAULTS
        log.error(
            "table %s: %s, which nobody foresaw, at %s (%s). %s",
            self._table, type(error).__name__, where(error), _kind(signal),
            "The table stays stopped until staff start it again." if self.stopped else "The table starts again from its log.",
        )  # fmt: skip

    def reset(self) -> None:
        """Reset the count: staff have asked for a restart."""
        self._at.clear()
        self.stopped = False


class Surroundings:
    """The last signal of each box, device, dice reader, broker and address: a table that restarts gets them again."""

    def __init__(self) -> None:
        self._known: dict[tuple[type, str], object] = {}

    def __iter__(self) -> Iterator[object]:
        return iter(list(self._known.values()))

    def note(self, signal: object) -> None:
        """Keep a signal; it replaces an older one about the same object."""
        key: tuple[type, str] | None
        match signal:
            case BrokerUp() | BrokerDown():
                key = BrokerUp, ""
            case AddressChanged():
                key = AddressChanged, ""
            case DeviceSimulated():
                key = DeviceSimulated, ""
            case DiceSeen():  # of a throw that is over
                return
            case _:
                key = subject_of(signal)
        if key:
            self._known[key] = signal

    def forget(self, gone: Iterable[DeviceSubject]) -> None:
        """Forget boxes, devices and dice readers that the table no longer has."""
        for one in gone:
            self._known.pop(one, None)


def where(error: BaseException) -> str:
    """Return where an error came from, innermost frame first, without its text, which may hold a secret."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return (
        " < ".join(f"{PurePath(one.filename).name}:{one.lineno} {one.name}" for one in reversed(frames))
        or "an unknown place"
    )


def _kind(signal: object) -> str:
    """Return the type of a signal and its verb, without its other content."""
    verb = f" {signal.verb}" if isinstance(signal, PhoneRequest | StaffRequest) else ""
    return f"{type(signal).__name__}{verb}" if signal is not None else "start"
