"""The parts of one table, each made with those below it and with what it needs of the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hub.engine.game import Game
from hub.state import Preset
from hub.table.boxes import SeatBoxes
from hub.table.demonstration import Demonstration
from hub.table.hardware_test import HardwareTests
from hub.table.hints import Hints
from hub.table.house_seats import HouseSeats, HouseWay
from hub.table.kept import KeptValues
from hub.table.lessons import Lessons
from hub.table.lobby import Lobby
from hub.table.minutes_left import MinutesLeft
from hub.table.notices import Notices
from hub.table.people import Patience, People
from hub.table.play import Play
from hub.table.ports import Ports
from hub.table.presses import Presses
from hub.table.publisher import Publisher
from hub.table.requests import Requests
from hub.table.resumption import Resumption
from hub.table.reveal import Reveal
from hub.table.rolls import Rolls
from hub.table.seats import Seats
from hub.table.session_limit import SessionLimit
from hub.table.slow_disk import TimedStore
from hub.table.snapshot import Identity, Snapshots
from hub.table.staff import Staff
from hub.table.stand_ins import StandIns


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


class Parts:
    """The parts of one table. They call downwards only; the loop calls them, and nobody calls the loop."""

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
        self.staff = Staff(
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
        self.resumption = Resumption(
            table, self.disk, kept, play, self.seats, rolls, lobby, notices, place_boxes, random
        )
