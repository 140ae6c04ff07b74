"""The plan of faults: what happens when, drawn from a seed. The same seed gives the same plan, whatever the machine does."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

KINDS = {
    "hub killed": 3,
    "hub killed while it starts": 2,
    "hub stopped": 2,  # SIGSTOP, and later SIGCONT
    "hub ended": 1,  # SIGTERM
    "broker killed": 3,
    "broker stopped": 2,
    "broker's socket removed": 1,
    "disk full": 3,
    "disk locked": 2,  # another program holds the database
    "disk slow": 3,
    "clock jumps": 2,
    "phones cut": 6,
    "box unplugged": 3,
    "box without power": 2,
    "dice lost": 2,
    "dice thrown": 3,
}
"""How often each comes, beside the others."""

JUMPS = (-86_400.0, 86_400.0, -1.7e9, 1.4e9, -30.0, 30.0)
"""Seconds by which the wall clock is wrong: a day, to 1973 or 2071, and as a time server corrects it."""


class Fault(NamedTuple):
    """One fault: seconds after the begin, what, at which table, how long (s), and a number whose meaning is the fault's."""

    at: float
    kind: str
    table: int
    seconds: float
    number: float

    def __str__(self) -> str:
        """Return it as a line of the plan."""
        return f"{self.at:7.1f} s  {self.kind}, table {self.table}, {self.seconds:.1f} s, {self.number:.2f}"


def plan(seed: int, seconds: float, tables: int, pause: float = 5.0) -> list[Fault]:
    """Return the faults of so many seconds, one after the other, `pause` seconds apart on average."""
    random = Random(f"chaos {seed}")
    kinds = [*KINDS]
    random.shuffle(kinds)  # each once first, so that a short run has seen what it has time for
    found: list[Fault] = []
    at = random.uniform(0.3, 1.0) * min(pause, 2.0)
    while at < seconds:
        kind = kinds.pop() if kinds else random.choices([*KINDS], weights=[*KINDS.values()])[0]
        lasts = min(random.uniform(0.2, 8.0), 0.3 * seconds)
        fault = Fault(at, kind, random.randint(1, tables), lasts, random.random())
        found.append(fault)
        at += random.uniform(0.2, 1.8) * pause
    return found
