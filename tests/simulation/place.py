"""One wooden table, seen from outside: its screen, boxes and dice, and what was promised there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from hub import games
from hub.engine.game import Game
from hub.state import ScreenState
from hub.table.people.house_seats import HouseSettings
from hub.table.people.people import Patience
from tests.simulation.auditor import Auditor, Broken
from tests.simulation.devices import SimulatedBox, SimulatedDice

ANYBODY = -1
"""A player whose seat has another name than at first."""
LOCKED_SECONDS = 10.0
"""Until the table knows of a choice that a box has locked."""
SETTLED_SECONDS = 15.0
"""Until the table takes a roll: people may want it to be read again first."""


@dataclass(frozen=True)
class Settings:
    """What the owner has set for a table. `changed_rules` are games whose rules are other than those of earlier matches."""

    without: frozenset[str] = frozenset()
    changed_rules: Mapping[str, int] = field(default_factory=dict)
    patience: Patience = Patience()  # noqa: RUF009 - it cannot be changed
    house: HouseSettings = HouseSettings()  # noqa: RUF009 - neither can it

    def games(self) -> list[Game]:
        """Return the games that are offered."""
        offered = [games.find(name) for name in games.names() if name not in self.without]
        return [
            structs.replace(game, digest=f"{game.digest}+{self.changed_rules[game.name]}", earlier=())
            if game.name in self.changed_rules
            else game
            for game in offered
        ]


@dataclass
class Place:
    """A table with so many seats; `boxes` by their ids, one for each seat or none."""

    number: str
    seats: int
    boxes: dict[str, SimulatedBox]
    has_dice: bool
    on_shown: Callable[[Place, ScreenState], None]
    settings: Settings = field(default_factory=Settings)
    auditor: Auditor = field(default_factory=Auditor)
    asked_moves: dict[str, Counter[int]] = field(default_factory=dict)
    """By match, how many moves the phones of each seat have asked for."""
    faces: dict[str, list[tuple[str, tuple[int, ...]]]] = field(default_factory=dict)
    """By match, the faces that the reader has "read" and that phones have "typed", in order."""
    done_moves: dict[str, Counter[int]] = field(default_factory=dict)
    """By match, how many moves of each seat were acknowledged to its phones."""
    house_moved: set[str] = field(default_factory=set)
    """Matches in which the house has played a seat."""
    players: dict[str, set[int]] = field(default_factory=dict)
    """By match, the numbers of the people whose phones have had a seat or a hand of it."""
    suspended: dict[str, set[int]] = field(default_factory=dict)
    """By match that has left the table, the people who had played it then."""
    wiped: set[str] = field(default_factory=set)
    """Matches that staff may have ended for good."""
    patience: Patience = field(default_factory=Patience)
    """The shortest times that may be in force: a change waits for the end of a match."""
    moved_at: float = 0.0
    """When the match last went on."""
    acted_at: float = -1e9
    """When a phone was last told that its move or its roll counts."""
    given_at: dict[int, float] = field(default_factory=dict)
    """By seat, when somebody was last given it."""
    starting_since: float = 0.0
    """When the match that is announced was announced."""
    freed_at: float = -1e9
    """When staff last did something here."""
    delicate_at: float = -1e9
    """When somebody last asked for something that can cost a seat."""
    asked_at: float = -1e9
    """When a phone last asked what to do about somebody who has gone."""
    undone: set[str] = field(default_factory=set)
    """Matches in which somebody has asked to undo an action."""

    locked_since: dict[int, float] = field(default_factory=dict)
    """By seat, since when its box shows a locked choice."""
    settled_since: float | None = None
    """Since when the reader sees a whole roll."""

    @property
    def name(self) -> str:
        """Return its name on screens."""
        return f"Table {self.number}"

    @property
    def newest(self) -> ScreenState | None:
        """Return what its screen shows."""
        return self.auditor.newest

    def note_faces(self, read: str, faces: Sequence[int]) -> None:
        """Note faces of dice that the table was told, and how."""
        if self.newest and self.newest.match:
            self.faces.setdefault(self.newest.match, []).append((read, tuple(faces)))

    def check_boxes(self, now: float, *, is_well: bool) -> None:
        """Check that a choice that a box shows as locked is locked for the table, too."""
        for seat, box in enumerate(self.boxes.values(), 1):
            seen = box.program.state()
            if not (is_well and box.is_plugged and seen["sealed"] and seen["locked"]):
                self.locked_since.pop(seat, None)
                continue
            since = self.locked_since.setdefault(seat, now)
            if now - since > LOCKED_SECONDS and self.newest and seat not in self.newest.locked:
                raise Broken(f"The box of seat {seat} shows a locked choice, and the table knows of none.")

    def check_dice(self, now: float, dice: SimulatedDice, *, is_well: bool) -> None:
        """Check that dice that lie there are taken as the roll."""
        newest = self.newest
        if (
            not is_well
            or dice.state()["state"] != "settled"
            or not newest
            or newest.paused
            or newest.state != "playing"
        ):
            self.settled_since = None
        elif self.settled_since is None:
            self.settled_since = now
        elif now - self.settled_since > SETTLED_SECONDS:
            raise Broken(f"The dice show {dice.state()['faces']}, and the table does not take them.")

    def on_state(self, state: ScreenState) -> None:
        """Check what the screen shows now."""
        self.on_shown(self, state)
        self.auditor.on_state(state)
        if state.match and state.view:
            names = [seat.name for seat in state.seats if f"{seat.seat}" in state.view.seats and seat.held]
            found = [re.fullmatch(r"Guest (\d+)\.\d+", name) for name in names]
            self.players.setdefault(state.match, set()).update(int(one[1]) if one else ANYBODY for one in found)
        may_stand_in = state.question is not None and state.question.kind == "absent"  # and lock a safe choice
        if state.match and (state.stood_in or may_stand_in or any(seat.house for seat in state.seats)):
            self.house_moved.add(state.match)
