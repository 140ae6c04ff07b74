"""Make the script of a failed run short: what is left is needed for the failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.simulation.auditor import Broken
from tests.simulation.people import Intent
from tests.simulation.promises import check_all
from tests.simulation.twin import check_secret, some_secrets
from tests.simulation.world import World


@dataclass(frozen=True)
class Evening:
    """What came of an evening: the broken promise ("" if none), its script, its trace, and how many tables there were.

    `is_of_twins`: only a comparison with another choice broke it.
    """

    broken: str
    script: Sequence[Intent]
    lines: Sequence[str]
    tables: int = 1
    is_of_twins: bool = False


def simulate(
    seed: int,
    minutes: float,
    script: Sequence[Intent] | None = None,
    *,
    secrets: int = 0,
    on_end: Callable[[World, str], None] = lambda *_: None,
) -> Evening:
    """Simulate an evening, then compare so many of its secret choices and deals with others. `on_end` gets the world at its end."""
    with World(seed, script) as world:
        broken, evening = "", [*world.script]
        try:
            world.run(minutes)
            evening = [*world.script]
            check_all(world)
        except Broken as error:
            broken, evening = str(error), [one for one in world.script if one.at <= 1000 + minutes * 60]
        on_end(world, broken)
        chosen, lines, tables = some_secrets(world, evening, secrets), world.lines, len(world.places)
    if not broken:
        try:
            for secret in chosen:
                check_secret(seed, evening, secret)
        except Broken as error:
            return Evening(str(error), evening, lines, tables, is_of_twins=True)
    return Evening(broken, evening, lines, tables)


def shortest(
    seed: int, minutes: float, script: Sequence[Intent], on_step: Callable[[int], None] = lambda _: None
) -> list[Intent]:
    """Return a part of the script that still breaks a promise, by delta debugging (Zeller and Hildebrandt, 2002)."""
    left, size = [*script], max(1, len(script) // 2)
    while size:
        start = 0
        while start < len(left):
            shorter = left[:start] + left[start + size :]
            if simulate(seed, minutes, shorter).broken:
                left = shorter
                on_step(len(left))
            else:
                start += size
        size //= 2
    return left
