"""One wooden table, seen from outside: its screen, boxes and dice, and what was promised there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from hub.state import ScreenState
from tests.simulation.auditor import Auditor
from tests.simulation.devices import SimulatedBox


@dataclass
class Place:
    """A table with so many seats; `boxes` by their ids, one for each seat or none."""

    number: str
    seats: int
    boxes: dict[str, SimulatedBox]
    has_dice: bool
    on_shown: Callable[[Place, ScreenState], None]
    auditor: Auditor = field(default_factory=Auditor)
    asked_moves: dict[str, Counter[int]] = field(default_factory=dict)
    """By match, how many moves the phones of each seat have asked for."""
    done_moves: dict[str, Counter[int]] = field(default_factory=dict)
    """By match, how many moves of each seat were acknowledged to its phones."""
    house_moved: set[str] = field(default_factory=set)
    """Matches in which the house has played a seat."""
    players: dict[str, set[int]] = field(default_factory=dict)
    """By match, the numbers of the people whose phones have had a hand of it."""
    freed_at: float = -1e9
    """When staff last did something here."""
    undone: set[str] = field(default_factory=set)
    """Matches in which somebody has asked to undo an action."""

    @property
    def name(self) -> str:
        """Return its name on screens."""
        return f"Table {self.number}"

    @property
    def newest(self) -> ScreenState | None:
        """Return what its screen shows."""
        return self.auditor.newest

    def on_state(self, state: ScreenState) -> None:
        """Check what the screen shows now."""
        self.on_shown(self, state)
        self.auditor.on_state(state)
        if state.match and (state.stood_in or any(seat.house for seat in state.seats)):
            self.house_moved.add(state.match)
