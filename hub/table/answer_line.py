"""The answers of an open decision on one line, so that one dial serves every game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product, takewhile
from math import comb
from typing import Any

from hub.display.labels import Words, part
from hub.engine.decision import Amount, Answer, Choose, Fixed, Move, OneOf, Order, Param

MAX_ANSWERS = 500
"""Answers on one line; what lies beyond is left to the phone."""

MAX_SUBSETS = 1000
"""Ways to choose several of some cards that are still laid on a line, which may cut off their far end."""


def dial_line(moves: Sequence[Move], words: Words | None = None) -> list[Answer] | None:
    """The answers of an open decision from left to right; None when all of them are left to the phone."""
    return line_and_rest(current_moves(moves, None, words), words)[0] or None


def sealed_line(moves: Sequence[Move]) -> list[Answer]:
    """The answers of a sealed decision as a box counts them, from 0; empty: left to the phone.

    They stand as listed, the safe one last: in a sealed round the box alone reads its keys, and there
    K1 to K6 are the first six answers and the bar takes a lock back.
    """
    return [answer for answers in _answers_by_move(moves).values() for answer in answers]


def _answers_by_move(moves: Sequence[Move]) -> dict[str, list[Answer]]:
    """The answers by move, as listed. Where they are too many, the far ends of those that range are cut off."""
    laid: dict[str, list[Answer]] = {}
    for name in dict.fromkeys(move.name for move in moves):
        every = (answer for move in moves if move.name == name for answer in _answers_of(move))
        if answers := list(islice(_distinct(every), MAX_ANSWERS)):
            laid[name] = answers
    room = MAX_ANSWERS - len(laid)  # one for each move, so that no long list pushes another move off the line
    for name, answers in laid.items():
        laid[name] = answers[: room + 1]
        room -= len(laid[name]) - 1
    return laid


def line_and_rest(moves: Sequence[Move], words: Words | None) -> tuple[list[Answer], int]:
    """The line, and where on it the dial rests."""
    laid = _answers_by_move(moves)
    if not laid:
        return [], 0
    single = [answers[0] for answers in laid.values() if len(answers) == 1]
    values = [answer for answers in laid.values() if len(answers) > 1 for answer in answers]
    rest = next((one for one in single if part(words, "moves", one.move).get("box") == "rest"), None)
    if not values:
        return single, single.index(rest) if rest else 0
    if rest:
        before = [
            move for move in takewhile(lambda move: move.name != rest.move, moves) if len(laid.get(move.name, ())) > 1
        ]
        single.remove(rest)
        values.insert(sum(1 for one in values if any(accepts_answer(move, one) for move in before)), rest)
    line = [*reversed(single), *values]
    return line, line.index(rest or next(iter(laid.values()))[0])


def accepts_answer(move: Move, answer: Answer) -> bool:
    """Return whether `answer` is a whole and legal way to make `move`."""
    return move.name == answer.move and move.accepts(answer.args)


def current_moves(moves: Sequence[Move], half: Answer | None, words: Words | None) -> list[Move]:
    """The moves as the dial goes through them now: without what the words put off, or what is left of a half answer."""
    if half is None:
        opened = move_opened_by_bar(moves, words)
        laid = [move for move in moves if part(words, "moves", move.name).get("box") != "phone"]
        return [_current_parameters(move, {}, words) for move in laid if move.name != opened]
    return [
        _current_parameters(move, half.args, words)
        for move in moves
        if move.name == half.move and move.leads_to(half.args)
    ]


def _current_parameters(move: Move, done: Mapping[str, Any], words: Words | None) -> Move:
    """A move as it stands when some parts are done: what is put off waits, one after the other, until the rest is done."""
    later = part(words, "moves", move.name).get("then") or ()
    left = [name for name in move.params if name not in done]
    now = [name for name in left if name not in later] or sorted(left, key=later.index)[:1]
    return Move(
        move.name,
        {
            name: Fixed(done[name]) if name in done else param
            for name, param in move.params.items()
            if name in (*done, *now)
        },
    )


def move_opened_by_bar(moves: Sequence[Move], words: Words | None) -> str:
    """The move that the bar opens: the no of the words, where there is more than one way to make it, and a box can."""
    for name in dict.fromkeys(move.name for move in moves):
        if part(words, "moves", name).get("box") == "bar":
            ways = [move for move in moves if move.name == name]
            listed = all(values_on_line(param, alone=False) for move in ways for param in move.params.values())
            several = len({repr(one) for move in ways for one in islice(_answers_of(move), 2)}) > 1
            if listed and several and len(ways) < len(moves):
                return name
    return ""


def _distinct(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Equal answers once: two cards of one face are interchangeable."""
    known: set[str] = set()
    for answer in answers:
        told = repr(answer)
        if told not in known:
            known.add(told)
            yield answer


def _answers_of(move: Move) -> Iterator[Answer]:
    """The answers of one move, its last parameter fastest; none when it needs the phone."""
    values = [values_on_line(param, alone=len(move.params) == 1) for param in move.params.values()]
    if all(values):
        for chosen in product(*values):
            yield Answer(move.name, dict(zip(move.params, chosen, strict=True)))


def values_on_line(param: Param, *, alone: bool) -> Sequence[Any]:
    """Return the values of a parameter that a line holds, none where it needs the phone; `alone`: the move has no other."""
    match param:
        case Fixed(value):
            return [value]
        case OneOf(values):
            return values
        case Amount(least, most, step):
            return range(least, most + 1, step)[:MAX_ANSWERS]
        case Choose(values, least, most):
            if least == len(values):
                return [values]
            if least == 0 and not alone:
                return [[]]  # an optional subset would put every other answer out of the dial's reach
            if least == most and comb(len(values), least) <= MAX_SUBSETS:
                return [list(some) for some in combinations(values, least)]
            none: list[Any] = [[]] if least == 0 else []
            return none + [[value] for value in values if least <= 1 <= most]
        case Order(values):
            return [values] if len(values) < 2 else []
