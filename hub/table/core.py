"""The objects that nearly all parts of a table share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hub.engine.game import Game
from hub.table.base.calls import Calls
from hub.table.base.kept import KeptValues
from hub.table.base.notices import Notices
from hub.table.base.ports import Ports
from hub.table.base.slow_disk import TimedStore
from hub.table.match.play import Play
from hub.table.seating.questions import Questions
from hub.table.seating.seats import Seats

DecisionKey: TypeAlias = tuple[int, int, int]
"""Epoch, number and fingerprint of a decision."""


@dataclass(frozen=True, slots=True)
class Core:
    """The match, seats, questions and notices of one table, its values on disk, and the world around it.

    Each table has one, and every part receives it.
    """

    ports: Ports
    disk: TimedStore
    kept: KeptValues
    notices: Notices
    play: Play
    seats: Seats
    questions: Questions
    calls: Calls

    @classmethod
    def make(cls, table: str, seats: int, games: Sequence[Game], ports: Ports) -> Core:
        """Return the core of a table with `seats` seats, before its start."""
        disk = TimedStore(ports.store, ports.clock)
        kept = KeptValues(table, disk)
        play = Play(games, kept, ports.chance, seats)
        around = Seats(seats, kept, ports, lambda: play.seats)
        questions = Questions(ports.clock, around.is_active, lambda: bool(play.seats), lambda: bool(play.stopped))
        notices = Notices(ports.clock)
        return cls(ports, disk, kept, notices, play, around, questions, Calls(kept, notices, ports.wall))


def decision_key(play: Play) -> DecisionKey | None:
    """Return the key of the open decision; None if no person is asked."""
    decision = play.decision
    if decision is None or decision.by_chance:
        return None
    return play.log.epoch, decision.number, decision.fingerprint()
