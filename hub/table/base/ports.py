"""The ports (`hub.ports`) of one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from threading import Thread

from hub.chance import Chance
from hub.display.language import Language
from hub.ports import Boxes, Clock, DeviceSubject, Dice, Lamps, LogStore, Page, Phones
from hub.table.base.names import Names


def in_thread(job: Callable[[], None]) -> None:
    """Run `job` on its own daemon thread."""
    Thread(target=job, name="job", daemon=True).start()


@dataclass
class Ports:
    """The ports of a table, as `hub.app` connects them."""

    store: LogStore
    phones: Phones
    clock: Clock
    chance: Chance
    """Answers for the seat CHANCE of a match. It has its own random source, independent of `random`."""
    wall: Callable[[], float]
    """Return the Unix time in seconds."""
    random: Random
    """Random source of the house, hints, demonstrations, codes and logins."""
    lamps: list[Lamps] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    panels: list[Page] = field(default_factory=list)
    """Pages that are panels, such as e-ink."""
    boxes: Boxes | None = None
    dice: Dice | None = None
    cups: dict[int, Dice] = field(default_factory=dict)
    """The readers under the cups of seats, by seat."""
    language: Callable[[str], Language] = lambda _: Language()
    """Return the table's language for box displays, given the name of the game ("": texts that belong to no game)."""
    names: Names = field(default_factory=Names)
    background: Callable[[Callable[[], None]], None] = in_thread
    """Run a slow job off the table's thread."""


@dataclass(frozen=True)
class NewDevices:
    """Other devices of a table. As a signal, it restarts the table with them once no match is being played.

    `put_into` sets their ports, on the table's thread, and returns what is gone.
    """

    put_into: Callable[[Ports], set[DeviceSubject]]
