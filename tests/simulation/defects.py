"""Known defects, put back one at a time: how many evenings it takes until a promise is broken.

`python -m tests.simulation.defects` prints a table. A defect that no evening finds says what the simulation lacks.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

from hub.store import Store
from hub.table.loop import Table
from hub.table.match.match_log import MatchLog
from hub.table.people.absence import Absence
from hub.table.people.endings import Endings
from hub.table.people.house_seats import HouseSeats
from hub.table.people.lobby import Lobby
from hub.table.people.vacancy import Vacancy
from hub.table.seating.questions import Questions
from hub.table.seating.seat_list import SeatList
from hub.table.seating.seats import Seats
from phone_ui.mqtt_phones import PhonesOverMqtt
from tests.simulation.__main__ import MINUTES
from tests.simulation.shrink import failure

MOST_EVENINGS = 40

Change = Callable[[Any], Any]
"""Makes the faulty method from the right one."""


def never(_: Any) -> Any:
    """Return a method that does nothing and says that nothing is due."""
    return lambda *_: False


def _written_nothing(right: Any) -> Any:
    return lambda self, match, entries, seal=None: right(self, match, entries[:0], seal)


def _ghosts(right: Any) -> Any:
    return lambda self, seat, on: right(self, seat, on=True) if on else None


def _twice(right: Any) -> Any:
    def accept(self: Any, sid: str, claim: Any, act: Any) -> None:
        claim.last, claim.answers = 0, {}
        right(self, sid, claim, act)

    return accept


DEFECTS: Mapping[str, tuple[type, str, Change]] = {
    "shows what is not on disk": (Store, "append", _written_nothing),
    "an undo is not on disk": (Store, "cut", lambda _: lambda *_: None),
    "phones in pockets keep their seats for good": (Vacancy, "run_due", never),
    "a phone that is gone counts as connected": (SeatList, "on_connection", _ghosts),
    "a match that nobody plays is never suspended": (Endings, "run_due", never),
    "nobody is asked about an absent seat": (Absence, "run_due", never),
    "the house never moves": (HouseSeats, "run_due", never),
    "a start never begins": (Lobby, "run_due", never),
    "questions never end": (Questions, "run_due", never),
    "claims never expire": (Seats, "run_due", never),
    "seats are not restored": (SeatList, "restore", never),
    "a failed disk is never tried again": (Table, "_retry", never),
    "a repeated request counts twice": (PhonesOverMqtt, "_accept", _twice),
    "a restart does not raise the epoch": (MatchLog, "restore_epoch", never),
}
"""By name: a class, the method that is wrong, and how."""


def evenings_until_found(defect: str, most: int = MOST_EVENINGS) -> tuple[int, str]:
    """Return the first seed that finds a defect, and the broken promise; 0 and "" if none does."""
    kind, name, change = DEFECTS[defect]
    with patch.object(kind, name, change(getattr(kind, name))):
        for seed in range(1, most + 1):
            if broken := failure(seed, MINUTES)[0]:
                return seed, broken
    return 0, ""


def main() -> int:
    """Print a line per defect. Return 1 if one was not found."""
    logging.disable()
    missed = 0
    for defect in sys.argv[1:] or DEFECTS:
        began = time.monotonic()
        seed, broken = evenings_until_found(defect)
        missed += not seed
        found = f"evening {seed}: {broken[:90]}" if seed else "not found"
        sys.stdout.write(f"{defect:50} {time.monotonic() - began:5.0f} s  {found}\n")
        sys.stdout.flush()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
