"""What is true of every guide: it speaks of the whole game, and each lesson comes at a moment that happens.

A law is a function of a game's name. It raises AssertionError where it does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

from hub import games
from hub.chance import Chance
from hub.engine import house_player
from hub.engine.decision import CHANCE, Action
from hub.engine.guide import PARTS, Guide, Lesson, Moment, To, moment_of, next_lesson
from hub.engine.labels import Labels, PhaseLabels
from hub.engine.match import Match

SEEDS = 6
LONGEST = 150
"""Letters of one lesson: so much is read from the side in eight seconds."""
Law = Callable[[str], None]
GUIDE_LAWS: list[Law] = []


def law(check: Law) -> Law:
    """Add a law to `GUIDE_LAWS`."""
    GUIDE_LAWS.append(check)
    return check


@cache
def guide_of(name: str) -> Guide:
    """Return the guide of a game. Raise AssertionError if it has none."""
    guide = games.find(name).guide
    assert guide, f"{name} has no guide"
    return guide


def labels_of(name: str) -> Labels:
    """Return the labels of a game."""
    return games.find(name).labels


# --- what it says ------------------------------------------------------------------------------------------


@law
def tells_every_rule(name: str) -> None:
    """Every rule is told once, and every rule id is one of the data file."""
    rules = labels_of(name).rules
    told = [one for chapter in guide_of(name).chapter for _, ids in chapter.lines for one in ids.split()]
    on_cards = {
        one for one, line in rules.items() if re.match(r"[A-Z][\w -]* [AB]: ", line)
    }  # the list of cards has them
    refusals = {one for one in rules if re.search(r"-X\d+$", one)}  # a greyed choice says them
    assert set(told) <= set(rules), set(told) - set(rules)
    left_out = set(rules) - on_cards - refusals - set(told)
    assert not left_out, f"rules that the guide leaves out: {left_out}"
    assert len(told) == len(set(told)), "no rule is told twice"


@law
def explains_every_move(name: str) -> None:
    """The guide says what follows from every move, and opens at every phase."""
    guide, labels = guide_of(name), labels_of(name)
    differing = set(guide.follows) ^ set(labels.moves)
    assert not differing, (
        f"[follows] of the guide and [moves] of the data file differ in {', '.join(sorted(differing))}"
    )
    opened = [phase for chapter in guide.chapter for phase in chapter.phases]
    assert sorted(opened) == sorted(set(opened)), "each phase opens one chapter"
    wanted = {"over", *(set(labels.phases) - {"dummy", "change"})}
    assert set(opened) <= set(labels.phases), f"no such phase: {set(opened) - set(labels.phases)}"
    assert wanted <= {*opened, "setup"}, f"phases without a chapter: {wanted - {*opened}}"
    assert len(re.findall(r"[.!?](?: |$)", guide.about)) == 2, "`about` has two sentences"


@law
def has_short_lessons(name: str) -> None:
    """A lesson is one short thing, and the room is never spoken to as "you"."""
    labels = labels_of(name)
    keys = [lesson.key for lesson in guide_of(name).lesson]
    assert len(keys) == len(set(keys))
    for lesson in guide_of(name).lesson:
        assert lesson.say or lesson.all
        for text in filter(None, (lesson.say, lesson.all)):
            assert len(text) <= LONGEST, text
            assert text.endswith("."), text
        assert not re.search(r"\byours?\b|\byou\b", lesson.all, re.IGNORECASE), lesson.all
        assert lesson.rule in labels.rules
        is_part = lesson.part in PARTS or lesson.part.removeprefix("fact.") in labels.facts
        assert is_part, f"lesson {lesson.key}: no screen has a part {lesson.part}"
        unknown = {*lesson.phase} - {*labels.phases} | {*lesson.asks} - {*labels.moves}
        assert not unknown, f"lesson {lesson.key}: the data file has no {', '.join(sorted(unknown))}"
        assert not (lesson.asks and lesson.all), (
            f"lesson {lesson.key}: with asks, it cannot have all, because the room does not see what a seat is offered"
        )


# --- its moments -------------------------------------------------------------------------------------------


def moments(name: str, seed: int) -> Iterator[tuple[Match, Moment]]:
    """Let the house play a match; yield each question that a person is asked."""
    game = games.find(name)
    least, most = game.seats
    random, chance = Random(seed), Chance(seed)
    match = Match(game, range(1, least + seed % (most - least + 1) + 1))
    known, number = 0, -1
    while not match.over:
        chance.settle(match)
        decision = match.open
        if decision is None:
            return
        if decision.number != number:
            number, events = decision.number, {event.kind for event in match.events[known:]}
            known = len(match.events)
            moment = moment_of(decision, match.state.round, match.view(None), events)
            assert moment
            yield match, moment
        action = next(filter(None, (house_player.play(match, seat, "easy", random) for seat in match.setup.seats)))
        if action.seat == CHANCE:
            roll = decision.roll
            assert roll
            faces = [random.randint(1, roll.sides) for _ in range(roll.count)]
            action = Action(seat=CHANCE, move="roll", args={"faces": faces, "read": "hub"}, number=decision.number)
        match.act(action)


@cache
def told_in(name: str) -> dict[tuple[str, To], list[tuple[bool, str]]]:
    """Return for each lesson, and to whom it is told, whether what it speaks of was on the screen, and where that was."""
    found: dict[tuple[str, To], list[tuple[bool, str]]] = {}
    for seed in range(SEEDS):
        told: dict[int | None, set[tuple[str, To]]] = {}
        for match, moment in moments(name, seed):
            for seat in (None, *match.setup.seats):
                moves = [] if seat is None or not match.open else [move.name for move in match.open.offers(seat)]
                known = told.setdefault(seat, set())
                if fresh := next_lesson(guide_of(name).lesson, moment, seat, moves, known):
                    lesson, to = fresh
                    known.add((lesson.key, to))
                    shown = _is_shown(lesson, to, match, moment, seat)
                    where = f"seed {seed}, round {moment.round}, {moment.phase}, seat {seat}"
                    found.setdefault((lesson.key, to), []).append((shown, where))
    return found


def _is_shown(lesson: Lesson, to: To, match: Match, moment: Moment, seat: int | None) -> bool:
    labels, view = match.game.labels, moment.view
    match lesson.part:
        case "hand" if to == "asked":
            return bool(match.view(seat)["you"])
        case "choices" | "actions" if to == "asked":
            return bool(match.open and seat and match.open.offers(seat))
        case "hand" | "choices" | "actions":
            return bool(moment.asked)
        case "dice":
            return moment.kind == "roll"
        case "main":
            return bool(labels.screen.phase.get(moment.phase, PhaseLabels()).main)
        case "order":
            return bool(labels.screen.order)
        case "seats" | "log":
            return True
    key = lesson.part.removeprefix("fact.")
    fact = labels.facts[key]
    name = fact.called(key)
    places = [view["table"]] if fact.where == "table" else list(view["seats"].values())
    values = [_found(place, name) for place in places]
    on = ["phone", "kiosk"] if fact.on is None else fact.on
    right_screen = "kiosk" in on if seat is None else "phone" in on
    there = any(value not in (None, "", [], {}, False) and value != fact.unless for value in values)
    return right_screen and there and (fact.phases is None or moment.phase in fact.phases)


def _found(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


@law
def has_lessons_that_come(name: str) -> None:
    """The moment of each lesson happens, and what it speaks of is on the screen then."""
    found = told_in(name)
    for lesson in guide_of(name).lesson:
        for to in ("asked", "all"):
            if getattr(lesson, "say" if to == "asked" else "all") and not (to == "all" and lesson.say == lesson.all):
                times = found.get((lesson.key, to), [])
                assert times, (
                    f"lesson {lesson.key} is never told to {'the seat that is asked' if to == 'asked' else 'the others'}"
                )
                missing = [where for shown, where in times if not shown]
                assert not missing, (
                    f"lesson {lesson.key} speaks to {to} of {lesson.part}, which is not there: {missing[:3]}"
                )
