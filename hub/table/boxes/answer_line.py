"""Arrange the answers of a decision on one line, so that one dial serves every game.

- Moves with one answer stand on the left in reverse order; the answers of moves that range over values follow in the
  order in which they are listed: `drop | 45 50 55 ..`, `perfecto, challenge | 3 x 5 ..`,
  `reject, accept | counter 5, 10 ..`. If no move ranges over values, the listed order stays.
- The dial rests on the first answer of the first listed move (the least bid), or on the move that the labels of the
  game name (`[moves.accept] box = "rest"`). Such a move keeps its listed place among the values: an offer to accept
  stands between the lower and the higher counters.
- If the labels put a parameter off (`[moves.bid] then = ["expose"]`), the line first holds answers without it. Once
  such a partial answer is picked, the line holds the ways to complete it.
- A move named `box = "bar"` that can be made in more than one way (a skip with a card and a place in the row) is not on the
  line: the bar opens it as a partial answer of which everything is still to be picked.
- What does not fit on a line (an order, several cards of many) is left to the phone, and so is a move that the labels
  leave to it (`[moves.draw] box = "phone"`: the cards of a hand are nobody else's business).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product, takewhile
from math import comb

from hub.display.labels import NO_LABELS
from hub.engine.decision import Amount, Answer, Choose, Faces, Fixed, Move, OneOf, Order, Param, Value
from hub.engine.labels import Labels, ParameterLabels

MAX_ANSWERS = 500
"""The most answers on one line; the phone has all of them."""

MAX_SUBSETS = 1000
"""The most ways to choose several cards that still go on a line (of which `MAX_ANSWERS` are kept)."""


def dial_line(moves: Sequence[Move], labels: Labels = NO_LABELS) -> list[Answer]:
    """Return the answers of an open decision from left to right; none if only the phone can answer."""
    return line_and_rest(current_moves(moves, None, labels), labels)[0]


def sealed_line(moves: Sequence[Move]) -> list[Answer]:
    """Return the answers of a sealed decision as a box counts them, from 0; none if only the phone can answer.

    The order is the listed one, the safe answer last. In a sealed round the box itself reads its keys: K1 to K6 are the
    first six answers, and the bar takes a lock back.
    """
    return [answer for answers in _answers_by_move(moves).values() for answer in answers]


def line_and_rest(moves: Sequence[Move], labels: Labels) -> tuple[list[Answer], int]:
    """Return the line of `moves` as `current_moves` gives them, and the index on it where the dial rests."""
    by_move = _answers_by_move(moves)
    if not by_move:
        return [], 0
    single = [answers[0] for answers in by_move.values() if len(answers) == 1]
    values = [answer for answers in by_move.values() if len(answers) > 1 for answer in answers]
    rest = next((answer for answer in single if box_role(answer.move, labels) == "rest"), None)
    if not values:
        return single, single.index(rest) if rest else 0
    if rest:
        listed_before = list(takewhile(lambda move: move.name != rest.move, moves))
        single.remove(rest)
        values.insert(sum(1 for answer in values if any(accepts_answer(move, answer) for move in listed_before)), rest)
    line = [*reversed(single), *values]
    return line, line.index(rest or next(iter(by_move.values()))[0])


def current_moves(moves: Sequence[Move], partial: Answer | None, labels: Labels) -> list[Move]:
    """Return the moves on the dial now, with the parameters that are picked in this step.

    Without a partial answer, leave out parameters that the labels put off, and moves for the phone or the bar. With one,
    return the ways to complete it; none if there are none.
    """
    if partial is None:
        opened = move_opened_by_bar(moves, labels)
        on_dial = [move for move in moves if box_role(move.name, labels) != "phone" and move.name != opened]
        return [_with_current_parameters(move, {}, labels) for move in on_dial]
    return [
        _with_current_parameters(move, partial.args, labels)
        for move in moves
        if move.name == partial.move and move.leads_to(partial.args)
    ]


def move_opened_by_bar(moves: Sequence[Move], labels: Labels) -> str:
    """Return the name of the move that the bar opens, or "".

    It is named `box = "bar"` by the labels and can be made in more than one way, always at a box.
    """
    for name in dict.fromkeys(move.name for move in moves):
        if box_role(name, labels) == "bar":
            ways = [move for move in moves if move.name == name]
            at_box = all(values_on_line(param, alone=False) for move in ways for param in move.params.values())
            several = len({repr(answer) for move in ways for answer in islice(_answers_of(move), 2)}) > 1
            if at_box and several and len(ways) < len(moves):
                return name
    return ""


def box_role(move: str, labels: Labels) -> str:
    """Return the role of a move at a box by the labels of the game: "rest", "bar", "ask", "phone" or ""."""
    about = labels.moves.get(move)
    return about.box if about else ""


def accepts_answer(move: Move, answer: Answer) -> bool:
    """Return whether `answer` is a complete and legal way to make `move`."""
    return move.name == answer.move and move.accepts(answer.args)


def values_on_line(param: Param, *, alone: bool) -> Sequence[Value]:
    """Return the values of a parameter that go on a line; none if it needs the phone.

    `alone`: the move has no other parameter.
    """
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
            none: list[Value] = [[]] if least == 0 else []
            return none + [[value] for value in values if least <= 1 <= most]
        case Order(values):
            return [values] if len(values) < 2 else []
        case Faces():
            return []


def _answers_by_move(moves: Sequence[Move]) -> dict[str, list[Answer]]:
    """Return the answers as listed, by the name of their move.

    More than `MAX_ANSWERS` are cut at their ends, later moves first; each move keeps at least one answer.
    """
    by_move: dict[str, list[Answer]] = {}
    for name in dict.fromkeys(move.name for move in moves):
        every = (answer for move in moves if move.name == name for answer in _answers_of(move))
        if answers := list(islice(_without_repeats(every), MAX_ANSWERS)):
            by_move[name] = answers
    room = MAX_ANSWERS - len(by_move)  # one for each move, so that no long list pushes another move off the line
    for name, answers in by_move.items():
        by_move[name] = answers[: room + 1]
        room -= len(by_move[name]) - 1
    return by_move


def _answers_of(move: Move) -> Iterator[Answer]:
    """Yield the answers of one move, its last parameter fastest; none if it needs the phone."""
    values = [values_on_line(param, alone=len(move.params) == 1) for param in move.params.values()]
    if all(values):
        for chosen in product(*values):
            yield Answer(move.name, dict(zip(move.params, chosen, strict=True)))


def _without_repeats(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Yield equal answers once: two cards of one face are interchangeable."""
    known: set[str] = set()
    for answer in answers:
        key = repr(answer)
        if key not in known:
            known.add(key)
            yield answer


def _with_current_parameters(move: Move, picked: Mapping[str, Value], labels: Labels) -> Move:
    """Return a move with the parameters picked so far, fixed, and those to be picked now.

    Parameters that the labels put off follow one by one after all others.
    """
    about = labels.moves.get(move.name)
    later = about.then if about else ()
    left = [name for name in move.params if name not in picked]
    now = [name for name in left if name not in later] or sorted(left, key=later.index)[:1]
    params = {
        name: Fixed(picked[name]) if name in picked else _coarse(param, labels.parameters.get(name))
        for name, param in move.params.items()
        if name in picked or name in now
    }
    return Move(move.name, params)


def _coarse(param: Param, about: ParameterLabels | None) -> Param:
    """Return an amount in the coarser steps that the labels give the dial; other parameters unchanged."""
    if about is None or not isinstance(param, Amount) or param.step >= about.dial:
        return param
    least = -(-param.min // about.dial) * about.dial
    return Amount(least, param.max, about.dial) if least <= param.max else param
