"""The guide of a game: its rules in words for people, and the sentences of a guided first round.

A lesson is one rule in one sentence, shown when it is needed. Its moment depends on public facts (phase, kind of question, last
events, a fact of the view) and, for the asked seat, on the offered moves. So lessons for the whole room reveal no secrets.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from hub.engine.decision import Decision
from hub.engine.event import MatchView
from hub.engine.text import Message

To: TypeAlias = Literal["asked", "all"]
Asks: TypeAlias = Literal["turn", "sealed", "roll"]

HANDLED = ("hand", "choices", "actions")
"""Parts of a phone. Other screens highlight the asked seats instead."""
PARTS = (*HANDLED, "main", "dice", "order", "seats", "log", "reveal")
"""Parts of the screens of all games. A fact is a part too: `fact.baits`."""


class Lesson(Struct, frozen=True, forbid_unknown_fields=True):
    """One rule at its moment: `say` for the asked seat, `all` for everybody else and the room.

    `part` is its topic, one of `PARTS` or `fact.` with the key of a fact; `rule` is its id. The moment: the match is in one of
    `phase`, the question is of this `kind`, one of the moves `asks` is offered, an event of a kind in `event` has just happened,
    and the value at the path `when` of the view is true. Omitted conditions always hold. The last round is `until`.
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
    """Related rules, in the printed order. Each of `lines` has one or two sentences and their rule ids.

    The page of rules opens here during `phases`.
    """

    title: Message
    lines: list[tuple[Message, str]]
    phases: list[str] = []


class Symbol(Struct, frozen=True, forbid_unknown_fields=True):
    """A symbol or technical term on a screen: its look or name, and its meaning."""

    name: Message
    say: Message


class Guide(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of a game for people. `about` is two sentences; `follows` explains the effect of each move."""

    about: Message
    follows: dict[str, Message]
    chapter: list[Chapter]
    symbol: list[Symbol] = []
    lesson: list[Lesson] = []


class Moment(Struct, frozen=True):
    """The public facts of an open question. `events` are the kinds of events since the last one."""

    round: int
    phase: str
    kind: Asks
    asked: Sequence[int]
    view: MatchView
    events: Collection[str]


def moment_of(decision: Decision, round: int, view: MatchView, events: Collection[str]) -> Moment | None:
    """Return the moment of an open decision with the public `view`; None if only chance decides."""
    if decision.by_chance:
        return None
    kind: Asks = "roll" if decision.roll else "sealed" if decision.kind == "sealed" else "turn"
    asked = list(decision.asked) or ([decision.roll.seat] if decision.roll else [])
    return Moment(round, view["phase"], kind, asked, view, events)


def next_lesson(
    lessons: Sequence[Lesson], moment: Moment, seat: int | None, moves: Collection[str],
    told: Collection[tuple[str, To]],
) -> tuple[Lesson, To] | None:  # fmt: skip
    """Return the first new lesson of this moment for a seat with the offered `moves`, or for the room (None).

    `told` are the earlier lessons. Lessons for the asked seat come first, and exclude those for all with the same rule.
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
