"""Make the script of a failed run short: what is left is needed for the failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.simulation.auditor import Broken
from tests.simulation.people import Intent
from tests.simulation.promises import check_all
from tests.simulation.world import World


def failure(seed: int, minutes: float, script: Sequence[Intent] | None = None) -> tuple[str, list[Intent], list[str]]:
    """Simulate an evening. Return the broken promise ("" if none), the script of the evening, and the trace."""
    with World(seed, script) as world:
        try:
            world.run(minutes)
            evening = [*world.script]
            check_all(world)
        except Broken as broken:
            return str(broken), [one for one in world.script if one.at <= 1000 + minutes * 60], world.lines
        return "", evening, world.lines


def shortest(
    seed: int, minutes: float, script: Sequence[Intent], on_step: Callable[[int], None] = lambda _: None
) -> list[Intent]:
    """Return a part of the script that still breaks a promise, by delta debugging (Zeller and Hildebrandt, 2002)."""
    left, size = [*script], max(1, len(script) // 2)
    while size:
        start = 0
        while start < len(left):
            shorter = left[:start] + left[start + size :]
            if failure(seed, minutes, shorter)[0]:
                left = shorter
                on_step(len(left))
            else:
                start += size
        size //= 2
    return left
