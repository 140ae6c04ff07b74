"""Twin worlds that differ in one secret: a choice, or two face-down cards that have changed places.

Everything that people can see is compared, with its time: public states, screens, what phones decrypt, and the length of
every message at the broker. The cables of boxes are compared without the commitments to locked choices. Nobody may notice a
choice until it is revealed, and only those whom the rules let see one of the cards may notice the cards.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from msgspec import structs

from hub.engine.secret import own, public_facts
from hub.state import ScreenState
from tests.simulation.auditor import Broken
from tests.simulation.people import Intent
from tests.simulation.place import Place
from tests.simulation.world import World

MOST_SECONDS = 120.0
CARDS = 40  # from the top of a pile: those that are dealt


class Choice(NamedTuple):
    """The number of an intent, and another choice that was possible."""

    number: int
    other: dict[str, Any]


class Exchange(NamedTuple):
    """The time and the number of a deal, and two of its cards."""

    at: float
    deal: int
    cards: tuple[int, int]


class Sight(NamedTuple):
    """What somebody or something has seen. `table` and `seat` say whose it is, if it is of one seat."""

    at: float
    what: str
    content: Any
    table: str = ""
    seat: int = 0
    rules: Any = None
    """What the rules let everybody see at that moment, and by seat what they let its person see."""


def some_secrets(world: World, script: Sequence[Intent], count: int) -> list[Choice | Exchange]:
    """Return so many secret choices of a script, and as many exchanges of cards that were dealt meanwhile."""
    random = Random(f"secrets {world.seed}")
    choices = [Choice(at, dict(other)) for at, other in world.secrets if at < len(script)]
    deals = [
        (at, number, cards)
        for number, (at, _, cards) in enumerate(world.deals)
        if script and at < script[-1].at and any(card != cards[0] for card in cards)
    ]
    exchanges: list[Exchange] = []
    for at, number, cards in random.sample(deals, min(count, len(deals))):
        one = random.randrange(min(len(cards), CARDS))
        two = random.choice([place for place, card in enumerate(cards) if card != cards[one]])
        exchanges.append(Exchange(at, number, (one, two)))
    return [*random.sample(choices, min(count, len(choices))), *exchanges]


def check_secret(seed: int, script: Sequence[Intent], secret: Choice | Exchange) -> None:
    """Replay a script twice, as it was and with another secret. Raise Broken if somebody notices who may not."""
    if isinstance(secret, Choice):
        check_choice(seed, script, secret.number, secret.other)
    else:
        check_deal(seed, script, secret)


# --- choices ---


def check_choice(seed: int, script: Sequence[Intent], at: int, other: dict[str, Any]) -> None:
    """Compare the choice number `at` with another one, until it is revealed."""
    instead = [*script]
    instead[at] = Intent(script[at].at, script[at].who, script[at].what, other)
    first, end = _seen_of_choice(seed, script, at, None)
    second, _ = _seen_of_choice(seed, instead, at, end)
    what = f"{script[at]}: others can tell it from {other}."
    for one, two in zip(first, second, strict=False):
        _compare(one, two, what)
    if len(first) != len(second):
        more = max(first, second, key=len)[min(len(first), len(second))]
        raise Broken(f"{what} {more} was seen in one world only.")


def _seen_of_choice(seed: int, script: Sequence[Intent], at: int, end: float | None) -> tuple[list[Sight], float]:
    """Return what others saw from a choice until its reveal, and when that was; or until `end`."""
    seen: list[Sight] = []
    reveals: list[float] = []  # of boxes, which are asked for their values just before everybody sees them
    chosen_at, who = script[at].at, script[at].who

    def on_seen(at: float, what: str, content: Any) -> None:
        if at >= chosen_at and what != f"person {who}":
            seen.append(_sight(world, at, what, content))
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
    return [one for one in seen if one.at < last and not _is_hand(one, place.number, {seat})], last


def _position(state: Any) -> tuple[object, ...]:
    """Return what changes with a reveal, and not while people lock their choices."""
    view, event = state.view, state.events[-1].n if state.events else 0
    return state.session, state.match, state.epoch, event, view and (view.round, view.phase, view.waiting.secret)


# --- cards ---


def check_deal(seed: int, script: Sequence[Intent], exchange: Exchange) -> None:
    """Compare a deal with one in which two cards have changed places, until the rules show a difference to everybody."""
    (first, table), (second, _) = (_seen_of_deal(seed, script, exchange, is_exchanged=other) for other in (False, True))
    may_notice: set[tuple[str, int]] = set()
    what = "Two face-down cards were exchanged, and somebody notices who may not."
    while first and second:
        one, two = first[0], second[0]
        if (one.table, one.seat) in may_notice:  # such a seat may also be shown more than in the other world
            first.popleft()
        elif (two.table, two.seat) in may_notice:
            second.popleft()
        elif one.rules is None or two.rules is None or one.rules[0] != two.rules[0]:
            return
        elif more := {(table, seat) for seat, view in one.rules[1].items() if view != two.rules[1][seat]} - may_notice:
            may_notice |= more
        else:
            _compare(first.popleft(), second.popleft(), what)
    for rest in (first, second):
        for one in rest:
            if (one.table, one.seat) not in may_notice:
                raise Broken(f"{what} {one} was seen in one world only.")


def _seen_of_deal(
    seed: int, script: Sequence[Intent], exchange: Exchange, *, is_exchanged: bool
) -> tuple[deque[Sight], str]:
    """Return what was seen in the time after a deal, with the rules of the table of the deal, and that table."""
    seen: deque[Sight] = deque()
    worlds: list[World] = []

    def on_seen(at: float, what: str, content: Any) -> None:
        for world in worlds:
            if len(world.deals) > exchange.deal:
                place = next(one for one in world.places if one.number == world.deals[exchange.deal][1])
                seen.append(_sight(world, at, what, content)._replace(rules=_rules(world, place)))

    with World(seed, script, on_seen, (exchange.deal, *exchange.cards) if is_exchanged else None) as world:
        worlds.append(world)
        world.run((exchange.at + MOST_SECONDS - world.scheduler.time) / 60)
    return seen, world.deals[exchange.deal][1]


def _rules(world: World, place: Place) -> Any:
    table = world.table_of(place)
    match = table.match if table else None
    if match is None:
        return None
    state, decision = match.state, match.open
    return (
        [
            state.round,
            state.phase,
            sorted(decision.answers)
            if decision
            else [],  # who has the card that a script plays can play it in one world only
            public_facts(state.table),
            {seat: public_facts(state.seats[seat]) for seat in state.seats},
        ],
        {seat: own(state, seat) for seat in state.seats},
    )


# --- both ---


def _sight(world: World, at: float, what: str, content: Any) -> Sight:
    if isinstance(content, dict):  # a hand
        place = world.people[int(what.removeprefix("person "))].place
        return Sight(at, what, content, place.number, content["seat"])
    for place in world.places:
        for seat, box in enumerate(place.boxes, 1):
            if what == f"the cable of {box}":
                return Sight(at, what, content, place.number, seat)
    return Sight(at, what, content)


def _is_hand(one: Sight, table: str, seats: set[int]) -> bool:
    return isinstance(one.content, dict) and one.table == table and one.seat in seats


def _compare(one: Sight, two: Sight, what: str) -> None:
    if one[:3] != two[:3]:
        raise Broken(
            f"{what} At {one.at - 1000:.3f} and {two.at - 1000:.3f}: {one.what}, {two.what}: "
            f"{_difference(one.content, two.content)}"
        )


def _difference(one: Any, two: Any) -> str:
    if isinstance(one, ScreenState) and isinstance(two, ScreenState):
        one, two = structs.asdict(one), structs.asdict(two)
    if isinstance(one, bytes) and isinstance(two, bytes) and one[:1] == two[:1] == b"{":
        one, two = json.loads(one), json.loads(two)
    if isinstance(one, dict) and isinstance(two, dict):
        keys = [key for key in one if one[key] != two.get(key)]
        return f"{[(key, one[key], two.get(key)) for key in keys]}"
    return f"{one} and {two}"
