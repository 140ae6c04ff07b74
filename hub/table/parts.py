"""Create the parts of one table, each with the parts below it and the ports that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hub.engine.game import Game
from hub.state import Preset
from hub.table.base.part import Group
from hub.table.base.ports import Ports
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.cups import Cups
from hub.table.dice.rolls import Rolls
from hub.table.open_decision import OpenDecision
from hub.table.people.house_seats import HouseSettings
from hub.table.people.people import Patience, People
from hub.table.presses import Presses
from hub.table.requests import Requests
from hub.table.resumption import Resumption
from hub.table.staff.desk import StaffDesk
from hub.table.views.demonstration import Demonstration
from hub.table.views.hints import Hints
from hub.table.views.lessons import Lessons
from hub.table.views.publisher import Publisher
from hub.table.views.reveal import Reveal
from hub.table.views.snapshot import Identity, Snapshots


@dataclass(frozen=True, slots=True)
class TableSettings:
    """The owner's settings of a table. As a signal, they restart the table with them once no match is being played.

    - `presets`: sets of options by game, which the lobby offers.
    - `evenings`: the closing times, see `hub.table.staff.opening_hours`.
    - `attract_seconds`: the idle time before a demonstration starts (0: never).
    - `reveal_seconds`: how long rings show a reveal.
    - `sound`: the volume in percent until staff change it.
    """

    name: str = ""
    patience: Patience = field(default_factory=Patience)
    house: HouseSettings = field(default_factory=HouseSettings)
    presets: Mapping[str, Sequence[Preset]] = field(default_factory=dict)
    evenings: Sequence[str] = ()
    attract_seconds: float = 0
    reveal_seconds: float = 0
    sound: int = 60


class Parts(Group):
    """The parts of one table. They call downwards only; the loop calls them, and they never call the loop.

    `parts` is the order of `restore`, `update` and `run_due`. Two places in it matter: rolls are accepted before the house
    plays (`people`), and boxes and dice are asked (`decision`) before hints and lessons read the decision.
    """

    def __init__(
        self, table: Identity, seats: int, games: Sequence[Game], ports: Ports, fingerprint: str,
        place_boxes: Mapping[str, int], settings: TableSettings,
    ) -> None:  # fmt: skip
        table = table._replace(name=settings.name)
        self.core = core = Core.make(table.id, seats, games, ports)
        self.rolls = rolls = Rolls(core)
        self.boxes = boxes = SeatBoxes(core, rolls)
        self.cups = cups = Cups(core, rolls, boxes)
        self.people = people = People(core, rolls, boxes, settings.patience, settings.house, settings.presets)
        self.presses = Presses(core, rolls, boxes, people)
        self.hints, self.lessons = Hints(core), Lessons(core)
        self.requests = Requests(core, rolls, boxes, people, self.hints, self.lessons)
        self.staff = StaffDesk(core, rolls, people, settings.evenings, settings.sound)
        self.reveal = Reveal(core, settings.reveal_seconds)
        self.demonstration = Demonstration(core, settings.attract_seconds)
        views = self.hints, self.lessons, self.reveal
        self.snapshots = Snapshots(core, rolls, boxes, cups, people, self.staff, *views, fingerprint)
        self.publisher = Publisher(core, self.snapshots, self.staff, self.demonstration, self.reveal)
        self.decision = OpenDecision(core, rolls, boxes, cups, people.absence, self.reveal)
        self.resumption = Resumption(core, table, rolls, people.choice, place_boxes)
        self.parts = (
            core.calls, rolls, cups, boxes, self.staff, people, self.decision, self.hints, self.lessons, self.demonstration, self.reveal,
        )  # fmt: skip
