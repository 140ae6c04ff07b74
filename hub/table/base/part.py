"""What the loop asks of every part of a table."""

from __future__ import annotations

from collections.abc import Sequence


class Part:
    """A part of a table. A subclass overrides what it needs. `hub.table.parts.Parts` defines the order of all parts."""

    def restore(self) -> None:
        """Read what the disk has kept of this part. Called once after a start. Raise LogError."""

    def update(self) -> None:
        """React to what has changed at the table. Called after each signal, before anything is shown. Raise LogError."""

    def run_due(self) -> bool:
        """Do what is due by now; return whether anything has changed that is shown. Raise LogError."""
        return False

    @property
    def due_at(self) -> float | None:
        """Return when `run_due` must be called, in the clock's seconds; None if the next tick is soon enough."""
        return None


class Group(Part):
    """Several `parts` that act as one. Each call goes to all of them, in their order."""

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
        """Let each part do what is due."""
        changed = [part.run_due() for part in self.parts]
        return any(changed)

    @property
    def due_at(self) -> float | None:
        """Return when the first of them is due."""
        return min((at for part in self.parts if (at := part.due_at) is not None), default=None)
