"""The world around one table, as ports (`hub.ports`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hub.display.language import Language
from hub.ports import Boxes, Clock, Dice, Lamps, LogStore, Page, Phones
from hub.table.chance import Chance
from hub.table.names import Names


@dataclass
class Ports:
    """The world around a table, as `hub.app` connects it."""

    store: LogStore
    phones: Phones
    clock: Clock
    chance: Chance
    lamps: list[Lamps] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    boxes: Boxes | None = None
    dice: Dice | None = None
    language: Callable[[str], Language] = lambda _: Language()
    """Of the displays of boxes: the table's, for what a game says ("": for what none says)."""
    names: Names = field(default_factory=Names)
