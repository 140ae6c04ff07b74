"""The world around one table, as ports (`hub.ports`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from hub.display.language import Language
from hub.ports import Boxes, Clock, Dice, Lamps, LogStore, Page, Phones
from hub.table.base.chance import Chance
from hub.table.base.names import Names


@dataclass
class Ports:
    """The world around a table, as `hub.app` connects it."""

    store: LogStore
    phones: Phones
    clock: Clock
    chance: Chance
    """Answers for the seat CHANCE of a match: what it draws depends on nothing that else is drawn at the table."""
    wall: Callable[[], float]
    """Return the time of day, in seconds since 1970."""
    random: Random
    """The source of everything else that is left to chance: the house, hints, demonstrations, codes and log-ins."""
    lamps: list[Lamps] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    boxes: Boxes | None = None
    dice: Dice | None = None
    language: Callable[[str], Language] = lambda _: Language()
    """Of the displays of boxes: the table's, for what a game says ("": for what none says)."""
    names: Names = field(default_factory=Names)
