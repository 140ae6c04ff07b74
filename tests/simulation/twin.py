"""Twin worlds that differ in one secret choice: until it is revealed, nobody else can tell which of them is theirs.

Everything that others can see is compared, with its time: public states, screens, what the other phones decrypt, and the
length of every message at the broker. The cables of boxes are compared without the commitments to locked choices.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec import structs

from hub.state import ScreenState
from tests.simulation.auditor import Broken
from tests.simulation.people import Intent
from tests.simulation.world import World

MOST_SECONDS = 120.0

Seen = list[tuple[float, str, Any]]


def check_secret(seed: int, script: Sequence[Intent], at: int, other: dict[str, Any]) -> None:
    """Replay a script twice, with the choice number `at` and with another one, until it is revealed. Raise Broken."""
    instead = [*script]
    instead[at] = Intent(script[at].at, script[at].who, script[at].what, other)
    first, end = _seen(seed, script, at, None)
    second, _ = _seen(seed, instead, at, end)
    for one, two in zip(first, second, strict=False):
        if one != two:
            raise Broken(
                f"{script[at]}: others can tell it from {other}. At {one[0] - 1000:.3f}: {one[1]}, {two[1]}: "
                f"{_difference(one[2], two[2])}"
            )
    if len(first) != len(second):
        more = max(first, second, key=len)[min(len(first), len(second))]
        raise Broken(f"{script[at]}: others can tell it from {other}: {more} was seen in one world only.")


def some_secrets(world: World, length: int, count: int) -> list[tuple[int, dict[str, Any]]]:
    """Return some secret choices in the first `length` steps of a script."""
    random = Random(f"secrets {world.seed}")
    known = [(at, dict(other)) for at, other in world.secrets if at < length]
    return random.sample(known, min(count, len(known)))


def _seen(seed: int, script: Sequence[Intent], at: int, end: float | None) -> tuple[Seen, float]:
    """Return what others saw from a choice until its reveal, and when that was; or until `end`."""
    seen: Seen = []
    reveals: list[float] = []  # of boxes, which are asked for their values just before everybody sees them
    chosen_at, who = script[at].at, script[at].who

    def on_seen(at: float, what: str, content: Any) -> None:
        if at >= chosen_at and what != f"person {who}":
            seen.append((at, what, content))
            if isinstance(content, bytes) and b'"t":"reveal"' in content:
                reveals.append(at)

    with World(seed, script, on_seen) as world:
        world.run((chosen_at - world.scheduler.time) / 60)
        place = world.people[who].place
        seat = world.seat_of(world.people[who])
        before = next(
            _position(state) for at, state in reversed(world.history) if at <= chosen_at and state.table == place.number
        )
        last = end if end is not None else chosen_at + MOST_SECONDS
        while world.scheduler.time < last:
            world.pass_time(0.05)
            later = (one for one in world.history if one[0] > chosen_at and one[1].table == place.number)
            if end is None and (reveals := [*reveals, *(at for at, state in later if _position(state) != before)]):
                last = min(reveals)
    # whoever takes the seat over sees its choice
    return [one for one in seen if one[0] < last and not (isinstance(one[2], dict) and one[2]["seat"] == seat)], last


def _position(state: Any) -> tuple[object, ...]:
    """Return what changes with a reveal, and not while people lock their choices."""
    view, event = state.view, state.events[-1].n if state.events else 0
    return state.session, state.match, state.epoch, event, view and (view.round, view.phase, view.waiting.secret)


def _difference(one: Any, two: Any) -> str:
    if isinstance(one, ScreenState) and isinstance(two, ScreenState):
        one, two = structs.asdict(one), structs.asdict(two)
    if isinstance(one, bytes) and isinstance(two, bytes) and one[:1] == two[:1] == b"{":
        one, two = json.loads(one), json.loads(two)
    if isinstance(one, dict) and isinstance(two, dict):
        keys = [key for key in one if one[key] != two.get(key)]
        return f"{[(key, one[key], two.get(key)) for key in keys]}"
    return f"{one} and {two}"
