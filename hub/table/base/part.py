"""The interface of all parts of a table, as the loop calls them."""

from __future__ import annotations

from collections.abc import Sequence


class Part:
    """A part of a table. A subclass overrides what it needs. `hub.table.parts.Parts` defines the order of all parts."""

    def restore(self) -> None:
        """Restore the state of this part from disk. Called after a start, and again if the disk failed in it. Raise LogError."""

    def update(self) -> None:
        """React to changes at the table. Called after each signal, before anything is shown. Raise LogError."""

    def run_due(self) -> bool:
        """Do everything that is due. Return whether anything visible has changed. Raise LogError."""
        return False

    @property
    def due_at(self) -> float | None:
        """Return when to call `run_due`, in the clock's seconds; None if the next tick is soon enough."""
        return None


class Group(Part):
    """Several `parts` that act as one: each call goes to all of them, in order."""

    parts: Sequence[Part] = ()

    def restore(self) -> None:
        """Restore each part."""
        for part in self.parts:
            part.restore()

    def update(self) -> None:
        """Update each part."""
        for part in self.parts:
            part.update()

    def run_due(self) -> bool:
        """Run what is due in each part."""
        changed = [part.run_due() for part in self.parts]
        return any(changed)

    @property
    def due_at(self) -> float | None:
        """Return the earliest time at which a part is due."""
        return min((at for part in self.parts if (at := part.due_at) is not None), default=None)
