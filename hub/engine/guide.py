"""The guide of a game: its rules in words for people, and the sentences of a guided first round.

A lesson is one rule in one sentence, said at the moment it is needed. It is bound to that moment by what everybody may see
(phase, kind of question, what just happened, a fact) and, for the seat that is asked, by the moves that it is offered. So what
a whole room is told follows from nothing that is secret.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from hub.engine.decision import Decision
from hub.engine.text import Message

To: TypeAlias = Literal["asked", "all"]
Asks: TypeAlias = Literal["turn", "sealed", "roll"]

HANDLED = ("hand", "choices", "actions")
"""Parts of a phone that no other screen has: there the seats that are asked are lit instead."""
PARTS = (*HANDLED, "main", "dice", "order", "seats", "log", "reveal")
"""Parts of a screen that every game has. A fact is a part, too: `fact.baits`."""


class Lesson(Struct, frozen=True, forbid_unknown_fields=True):
    """One rule at its moment: `say` to the seat that is asked, `all` to everybody else and to the room.

    `part` is what it speaks of, one of `PARTS` or `fact.` with the key of a fact; `rule` its id. The moment: the match is in
    one of `phase`, is asked in this `kind`, one of the moves `asks` is offered, one of the kinds of `event` has just happened,
    and the path `when` in the view says something; what is left out may be anything. It is told up to round `until`.
    """

    key: str
    part: str
    rule: str
    say: Message = ""
    all: Message = ""
    phase: list[str] = []
    kind: Asks | None = None
    asks: list[str] = []
    event: list[str] = []
    when: str = ""
    until: int = 1


class Chapter(Struct, frozen=True, forbid_unknown_fields=True):
    """Rules that belong together, in the printed order: each of `lines` is a sentence or two and the rule ids behind it.

    `phases` are those in which the page of rules opens here.
    """

    title: Message
    lines: list[tuple[Message, str]]
    phases: list[str] = []


class Symbol(Struct, frozen=True, forbid_unknown_fields=True):
    """Something on a screen that is not a word, or a word that needs one: how it looks or is called, and what it means."""

    name: Message
    say: Message


class Guide(Struct, frozen=True, forbid_unknown_fields=True):
    """What a game tells people of its rules. `about` is two sentences; `follows` says of each move what comes of it."""

    about: Message
    follows: dict[str, Message]
    chapter: list[Chapter]
    symbol: list[Symbol] = []
    lesson: list[Lesson] = []


class Moment(Struct, frozen=True):
    """What everybody knows of an open question: `events` are the kinds of what has happened since the last one."""

    round: int
    phase: str
    kind: Asks
    asked: Sequence[int]
    view: Mapping[str, Any]
    events: Collection[str]


def moment_of(decision: Decision, round: int, view: Mapping[str, Any], events: Collection[str]) -> Moment | None:
    """Return the moment of an open decision with the public `view`; None where only chance decides."""
    if decision.by_chance:
        return None
    kind: Asks = "roll" if decision.roll else "sealed" if decision.kind == "sealed" else "turn"
    asked = list(decision.asked) or ([decision.roll.seat] if decision.roll else [])
    return Moment(round, str(view["phase"]), kind, asked, view, events)


def next_lesson(
    lessons: Sequence[Lesson], moment: Moment, seat: int | None, moves: Collection[str],
    told: Collection[tuple[str, To]],
) -> tuple[Lesson, To] | None:  # fmt: skip
    """Return the first lesson of this moment that a seat, which is offered `moves`, or the room (None) was not `told` yet.

    What is said to the seat that is asked comes first, and it is not told the same rule once more as one of all.
    """
    known = {one.rule for one in lessons if (one.key, "asked") in told}
    here = [lesson for lesson in lessons if _is_moment(lesson, moment)]
    if seat is not None and seat in moment.asked:
        for one in here:
            if one.say and (one.key, "asked") not in told and (not one.asks or set(one.asks) & set(moves)):
                return one, "asked"
        here = [one for one in here if not one.say]
    for one in here:
        if one.all and not one.asks and one.rule not in known and (one.key, "all") not in told:
            return one, "all"
    return None


def _is_moment(lesson: Lesson, moment: Moment) -> bool:
    return (
        moment.round <= lesson.until
        and (not lesson.phase or moment.phase in lesson.phase)
        and lesson.kind in (None, moment.kind)
        and (not lesson.event or any(kind in moment.events for kind in lesson.event))
        and (not lesson.when or bool(_value_at(moment.view, lesson.when)))
    )


def _value_at(value: object, path: str) -> object:
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
