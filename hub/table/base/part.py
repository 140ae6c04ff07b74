"""What the loop asks of every part of a table."""

from __future__ import annotations

from collections.abc import Sequence


class Part:
    """A part of a table. It overrides what it needs; the order of all parts is that of `hub.table.parts.Parts`."""

    def restore(self) -> None:
        """Read what the disk has kept of this part, once after a start. Raise LogError."""

    def update(self) -> None:
        """Follow what has changed at the table, after each signal and before anybody is shown it. Raise LogError."""

    def run_due(self) -> bool:
        """Do what time alone brings about; return whether anything has changed that is shown. Raise LogError."""
        return False

    @property
    def due_at(self) -> float | None:
        """Return when something is due that cannot wait for the next tick, in the clock's seconds; None: nothing is."""
        return None


class Group(Part):
    """Several `parts` as one: whatever is asked of it is asked of each, in their order."""

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
