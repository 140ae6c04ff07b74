"""The parts of one table, each made with those below it and with what it needs of the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hub.engine.game import Game
from hub.state import Preset
from hub.table.base.kept import KeptValues
from hub.table.base.notices import Notices
from hub.table.base.part import Group
from hub.table.base.ports import Ports
from hub.table.base.slow_disk import TimedStore
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.dice.rolls import Rolls
from hub.table.match.minutes_left import MinutesLeft
from hub.table.match.play import Play
from hub.table.match.stand_ins import StandIns
from hub.table.open_decision import OpenDecision
from hub.table.people.house_seats import HouseSeats, HouseWay
from hub.table.people.lobby import Lobby
from hub.table.people.people import Patience, People
from hub.table.presses import Presses
from hub.table.requests import Requests
from hub.table.resumption import Resumption
from hub.table.seating.seats import Seats
from hub.table.staff.desk import StaffDesk
from hub.table.staff.hardware_test import HardwareTests
from hub.table.staff.session_limit import SessionLimit
from hub.table.views.demonstration import Demonstration
from hub.table.views.hints import Hints
from hub.table.views.lessons import Lessons
from hub.table.views.publisher import Publisher
from hub.table.views.reveal import Reveal
from hub.table.views.snapshot import Identity, Snapshots


@dataclass(frozen=True, slots=True)
class Limits:
    """What the owner has set of a table: see `hub.table.loop.Table`."""

    patience: Patience
    house: HouseWay
    presets: Mapping[str, Sequence[Preset]]
    evenings: Sequence[str]
    attract_seconds: float
    reveal_seconds: float
    sound: int


class Parts(Group):
    """The parts of one table. They call downwards only; the loop calls them, and nobody calls the loop.

    `parts` is the order in which they are restored, updated and do what is due: dice are accepted before staff's limits and
    the house's moves are looked at, and dice and boxes are asked before hints and lessons are sought.
    """

    def __init__(
        self, table: Identity, seats: int, games: Sequence[Game], ports: Ports, limits: Limits, fingerprint: str,
        place_boxes: Mapping[str, int],
    ) -> None:  # fmt: skip
        clock, random = ports.clock, ports.random
        self.notices = notices = Notices(clock)
        self.disk = TimedStore(ports.store, clock)
        kept = KeptValues(table.id, self.disk)
        self.play = play = Play(games, kept, ports.chance)
        self.seats = Seats(seats, kept, ports.phones, clock, ports.names, random, lambda: play.seats)
        self.rolls = rolls = Rolls(play, self.seats, notices, ports.dice, kept, clock, ports.chance)
        self.boxes = SeatBoxes(ports.boxes, play, self.seats, notices, rolls, ports.language, random)
        has_reader = ports.dice is not None
        lobby = Lobby(play, self.seats, notices, rolls, clock, limits.presets, has_reader=has_reader)
        below = play, self.seats, notices, rolls, self.boxes, lobby
        self.house = HouseSeats(play, self.seats, rolls, self.boxes, clock, limits.house, StandIns(kept), random)
        self.people = People(*below, self.house, kept, clock, limits.patience)
        asked = *below, self.people
        self.presses = Presses(table.id, *asked)
        self.hints = Hints(play, self.seats, kept, clock, random)
        self.lessons = Lessons(play, self.seats, kept, clock)
        self.requests = Requests(*asked, self.hints, self.lessons, ports.names)
        session = SessionLimit(kept, notices, clock, ports.wall, limits.evenings)
        self.reveal = Reveal(play, self.seats, ports.boxes, clock, limits.reveal_seconds)
        minutes = MinutesLeft(self.disk, clock)
        self.snapshots = Snapshots(*asked, self.hints, self.lessons, minutes, session, self.reveal, random, fingerprint)
        self.demonstration = Demonstration(play, self.seats, clock, limits.attract_seconds, random)
        tests = HardwareTests(play, self.seats, rolls, clock)
        self.staff = StaffDesk(
            play,
            self.seats,
            notices,
            rolls,
            self.people.endings,
            tests,
            kept,
            session,
            lobby,
            self.house,
            limits.sound,
            ports.wall,
            random,
        )
        around = ports.phones, ports.lamps, ports.pages, ports.boxes
        self.publisher = Publisher(self.snapshots, play, self.seats, *around, self.demonstration, self.reveal)
        self.publisher.rings_under_test = tests.rings
        self.publisher.volume = limits.sound
        self.decision = OpenDecision(play, notices, self.rolls, self.boxes, self.people, self.reveal)
        self.parts = (
            self.rolls, self.boxes, self.staff, self.people, self.decision, self.hints, self.lessons, self.demonstration,
            self.reveal,
        )  # fmt: skip
        self.resumption = Resumption(
            table, self.disk, kept, play, self.seats, rolls, lobby, notices, place_boxes, random
        )
