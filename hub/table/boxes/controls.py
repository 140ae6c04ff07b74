"""Interpret the controls of a seat box at the open decision.

At a decision, whose answers lie on one line (`hub.table.boxes.answer_line`):

- **Dial**: a detent is one answer. The line has ends: turning never wraps.
- **K1 to K6** pick the number printed on the key if a parameter ranges over numbers 1 to 6 (a rank, a seat, a
  slot). The dial then turns the rest of the answer (the quantity) until it leaves the move. Elsewhere they pick the
  first to sixth listed answer; larger amounts are left to the dial. A key that is held asks what it would pick.
- **Push** sends what is picked. After a partial answer the rest is picked next, and the bar goes back. Picking and sending
  are two presses, with one exception:
- **Bar** says no. The labels of the game name the move (`[moves.drop] box = "bar"`): one press sends it, or opens it
  if there is more than one way to make it. A move named `box = "ask"`, else the last one listed (the safe answer),
  is only picked by the bar; a push or a second bar sends it. If nothing means no, the bar goes back to rest. A held
  bar calls staff, which `hub.table.presses` handles first.

When dice are asked for:

- **Roller**: K1 to K6 type faces. The dial offers faces to the right, and to the left the moves that may be made before
  the roll. The bar takes the last face back, push sends. If no dice were read or typed, the bar asks for a roll by
  the hub. While a die leans, push has it read as it lies.
- **Other seats**: push says yes to typed dice, the bar has typed or read ones read again. Push also agrees to a roll by the hub,
  or to a leaning die being read as it lies.
- For a few seconds after a roll, a bar that means nothing else disputes it. When the table votes on a second reading,
  push is yes and the bar is no.

A `Cursor` holds what a seat has picked or typed at one decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from hub.display.labels import NO_LABELS
from hub.engine.decision import Amount, Answer, Fixed, Move, OneOf, Param, Roll, Value
from hub.engine.labels import Labels
from hub.engine.text import say
from hub.ports import Key, Turn
from hub.table.boxes.answer_line import (
    accepts_answer,
    box_role,
    current_moves,
    dial_line,
    line_and_rest,
    move_opened_by_bar,
    sealed_line,
    values_on_line,
)

KEY_NUMBERS = range(1, 7)
"""The numbers printed on K1 to K6."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """What a seat has picked and typed but not sent.

    `position` is None at rest. On a line it is an index from its left end; at a roll 1, 2 .. are faces and -1, -2 ..
    the moves that may be made before the roll. `faces` are the dice typed so far, `held_number` the printed number that
    a key holds while the dial turns the rest, `partial` an answer of which a part is still to be picked.
    """

    position: int | None = None
    faces: tuple[int, ...] = ()
    held_number: int | None = None
    partial: Answer | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The seat has answered."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class TypedFaces:
    """The seat has typed all the dice it sees."""

    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AcceptDice:
    """The seat accepts the dice: the roller those that were read, another seat those that were typed."""


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """The seat rejects dice that were read or typed but not accepted: the batch is read again."""


@dataclass(frozen=True, slots=True)
class HubRolls:
    """The seat asks for a roll by the hub, or takes that back."""


@dataclass(frozen=True, slots=True)
class AsItLies:
    """The seat asks to read a leaning die as it lies, or takes that back."""


@dataclass(frozen=True, slots=True)
class DisputeVote:
    """The seat votes for (`yes`) or against a second reading of an accepted roll."""

    yes: bool


@dataclass(frozen=True, slots=True)
class WhatIsThis:
    """The seat holds a key to ask what it picks: `answer`, None for nothing."""

    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Nothing:
    """The control has no effect beyond the cursor."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The control has no meaning now; `sentence` says why, or what to do instead."""

    sentence: str


Meaning: TypeAlias = (
    Chosen | TypedFaces | AcceptDice | ReadAgain | HubRolls | AsItLies | DisputeVote | WhatIsThis | Nothing | Refused
)

ON_THE_PHONE = Refused(say("Answer this question on a phone."))


# --- pressing at a decision ----------------------------------------------------------------------------


def press(
    moves: Sequence[Move], cursor: Cursor, signal: Key | Turn, labels: Labels = NO_LABELS
) -> tuple[Cursor, Meaning]:
    """Return the new cursor and the meaning of a control at an open decision that offers `moves`."""
    cursor, step = current_step(moves, cursor, labels)
    line, rest = line_and_rest(step, labels)
    index = index_on_line(cursor, line, rest)
    match signal:
        case Key(control="push" | "bar", edge="hold"):
            return cursor, Nothing()
        case Key(control=control, edge="hold"):
            picked = _index_for_key(step, line, index, int(control[1]))
            return cursor, WhatIsThis(None if picked is None else line[picked])
        case _ if not line:
            return cursor, ON_THE_PHONE
        case Turn(detents=detents):
            return _turn(step, line, replace(cursor, position=index), detents), Nothing()
        case Key(control="push"):
            return _send(moves, line[index], labels)
        case Key(control="bar") if cursor.partial is not None:
            return _step_back(moves, cursor.partial, labels), Nothing()
        case Key(control="bar") if opened := move_opened_by_bar(moves, labels):
            return Cursor(partial=Answer(opened, {})), Nothing()
        case Key(control="bar"):
            cursor, meaning = _press_bar(step, cursor, line, labels)
            return _send(moves, meaning.answer, labels) if isinstance(meaning, Chosen) else (cursor, meaning)
        case Key(control=control):
            number = int(control[1])
            picked = _index_for_key(step, line, index, number)
            if picked is None:
                return cursor, Refused(say("There is no {number} here: turn, then push.", number=number))
            return replace(cursor, position=picked, held_number=number), Nothing()


def current_step(moves: Sequence[Move], cursor: Cursor, labels: Labels) -> tuple[Cursor, list[Move]]:
    """Return the cursor and the moves on its dial. Drop a partial answer that cannot be completed any more."""
    step = current_moves(moves, cursor.partial, labels)
    return (cursor, step) if step else (Cursor(), current_moves(moves, None, labels))


def index_on_line(cursor: Cursor, line: Sequence[Answer], rest: int) -> int:
    """Return the index of the cursor, limited to the line."""
    return rest if cursor.position is None else min(max(cursor.position, 0), max(len(line) - 1, 0))


def _turn(step: Sequence[Move], line: Sequence[Answer], cursor: Cursor, detents: int) -> Cursor:
    """Return the cursor after some detents. While a key holds its number, skip answers with other numbers."""
    start, on_keys = cursor.position or 0, _key_parameter(step)
    stops = list(range(len(line)))
    if on_keys and cursor.held_number is not None and line[start].move == on_keys[0]:
        move, parameter = on_keys
        stops = [
            index
            for index, answer in enumerate(line)
            if index == start or answer.move != move or answer.args.get(parameter) == cursor.held_number
        ]
    end = stops[min(max(stops.index(start) + detents, 0), len(stops) - 1)]
    return replace(cursor, position=end, held_number=cursor.held_number if line[end].move == line[start].move else None)


def _send(moves: Sequence[Move], answer: Answer, labels: Labels) -> tuple[Cursor, Meaning]:
    """Choose a complete answer. After a partial one the rest is picked next, unless there is only one way to complete it."""
    if any(accepts_answer(move, answer) for move in moves):
        return Cursor(), Chosen(answer)
    ends, _ = line_and_rest(current_moves(moves, answer, labels), labels)
    if not ends:
        return Cursor(), ON_THE_PHONE
    return _send(moves, ends[0], labels) if len(ends) == 1 else (Cursor(partial=answer), Nothing())


def _step_back(moves: Sequence[Move], partial: Answer, labels: Labels) -> Cursor:
    """Return the cursor at which the partial answer was picked."""
    before = Answer(partial.move, {}) if partial.move == move_opened_by_bar(moves, labels) else None
    while partial != before:
        line, _ = line_and_rest(current_moves(moves, before, labels), labels)
        if partial in line:
            return Cursor(position=line.index(partial), partial=before)
        leading = [one for one in line if one.move == partial.move and one.args.items() <= partial.args.items()]
        if not leading or leading[0] == before:
            break
        before = leading[0]
    return Cursor()


def _press_bar(step: Sequence[Move], cursor: Cursor, line: Sequence[Answer], labels: Labels) -> tuple[Cursor, Meaning]:
    """Choose or pick the answer that means no; without one go back to rest."""
    answer, at_once = bar_answer(step, line, labels)
    if answer is None:
        if cursor.position is None:
            return cursor, Refused(say("No pass here: turn, then push."))
        return Cursor(), Nothing()
    index = line.index(answer)
    if at_once or cursor.position == index:
        return Cursor(), Chosen(answer)
    return Cursor(position=index), Nothing()


def bar_answer(moves: Sequence[Move], line: Sequence[Answer], labels: Labels) -> tuple[Answer | None, bool]:
    """Return the answer of the bar, or None, and whether one press sends it."""
    if any(box_role(move.name, labels) == "bar" and not move.single() for move in moves):
        return None, False  # only the phone can say no here: the bar must not stand for its opposite
    for role in ("bar", "ask"):
        for move in moves:
            if box_role(move.name, labels) == role and move.single():
                return Answer(move.name, move.first()), role == "bar"
    if moves and moves[-1].single():
        last = Answer(moves[-1].name, moves[-1].first())
        return (last if last in line else None), False
    return None, False


def _index_for_key(moves: Sequence[Move], line: Sequence[Answer], index: int, number: int) -> int | None:
    """Return the index that a key picks while the dial is at `index`, or None."""
    on_keys = _key_parameter(moves)
    if on_keys is None:
        large = {move.name for move in moves if any(map(_exceeds_keys, move.params.values()))}
        listed = [answer for answer in sealed_line(moves) if answer.move not in large]
        return line.index(listed[number - 1]) if number <= len(listed) else None
    move, parameter = on_keys
    found = [i for i, answer in enumerate(line) if answer.move == move and answer.args.get(parameter) == number]
    if not found:
        return None

    def other_args(answer: Answer) -> dict[str, object]:
        return {name: value for name, value in answer.args.items() if name != parameter}

    # The dial's other arguments stay if that is legal; else take the next legal answer to the right.
    same = [i for i in found if line[index].move == move and other_args(line[i]) == other_args(line[index])]
    return next(iter([*same, *(i for i in found if i >= index)]), found[-1])


def _exceeds_keys(param: Param) -> bool:
    """Return whether a parameter is an amount with more values than keys, which is left to the dial."""
    return isinstance(param, Amount) and len(values_on_line(param, alone=True)) > len(KEY_NUMBERS)


def _key_parameter(moves: Sequence[Move]) -> tuple[str, str] | None:
    """Return the move and the parameter whose values are numbers printed on the keys, or None."""
    for move in moves:
        for name, param in reversed(move.params.items()):
            ranges = isinstance(param, OneOf | Amount)
            values = values_on_line(param, alone=True) if ranges else _differing_values(moves, move.name, name)
            if values and all(type(value) is int and value in KEY_NUMBERS for value in values):
                return move.name, name
    return None


def _differing_values(moves: Sequence[Move], move: str, parameter: str) -> Sequence[Value]:
    """Return a parameter's fixed values if the variants of a move differ in them; else none."""
    params = [variant.params.get(parameter) for variant in moves if variant.name == move]
    values = [param.value for param in params if isinstance(param, Fixed)]
    return values if any(value != values[0] for value in values) else []


# --- pressing at a roll ----------------------------------------------------------------------------------


def press_roll(
    roll: Roll,
    moves: Sequence[Move],
    cursor: Cursor,
    signal: Key | Turn,
    *,
    dice: str = "armed",
) -> tuple[Cursor, Meaning]:
    """Return the roller's new cursor and the meaning of a control at a roll of `roll.count` dice.

    `moves` are those of the roller before the roll, `dice` is the state of the batch.
    """
    line = dial_line(moves)
    position = position_at_roll(cursor, line, roll)
    match signal:
        case Key(edge="hold"):
            return cursor, Nothing()
        case Turn(detents=detents):
            turned = replace(cursor, position=position + detents)
            return replace(turned, position=position_at_roll(turned, line, roll) or None), Nothing()
        case Key(control="push"):
            return _push_at_roll(roll, line, replace(cursor, position=position or None), dice)
        case Key(control="bar"):
            return _bar_at_roll(cursor, dice)
        case Key(control=control):
            return _type_face(roll, replace(cursor, position=None), int(control[1]))


def position_at_roll(cursor: Cursor, line: Sequence[Answer], roll: Roll) -> int:
    """Return the position of the roller's dial from -len(line), the last move, to `roll.sides`; 0 is rest."""
    return min(max(cursor.position or 0, -len(line)), roll.sides)


def press_beside_roll(signal: Key | Turn, *, dice: str, voting: bool) -> Meaning:
    """Return the meaning of a control at another seat than the roller's. `voting`: a seat asks for a roll by the hub."""
    match signal:
        case Key(control="push", edge="down") if dice == "typed":
            return AcceptDice()
        case Key(control="bar", edge="down") if dice in ("typed", "settled"):
            return ReadAgain()
        case Key(control="push", edge="down") if voting and dice != "settled":
            return HubRolls()
        case Key(control="push", edge="down") if dice == "cocked":
            return AsItLies()
    return Nothing()


def press_vote(signal: Key | Turn) -> Meaning:
    """Return the meaning of a control while the table votes on a second reading."""
    match signal:
        case Key(control="push", edge="down"):
            return DisputeVote(yes=True)
        case Key(control="bar", edge="down"):
            return DisputeVote(yes=False)
    return Nothing()


def is_bar(signal: Key | Turn) -> bool:
    """Return whether this is a short press of the bar."""
    return isinstance(signal, Key) and (signal.control, signal.edge) == ("bar", "down")


def _push_at_roll(roll: Roll, line: Sequence[Answer], cursor: Cursor, dice: str) -> tuple[Cursor, Meaning]:
    """Send the picked move or the typed dice, type the face at the dial, or accept the dice."""
    if cursor.position is not None and cursor.position < 0:
        return Cursor(), Chosen(line[-cursor.position - 1])
    if roll.count and len(cursor.faces) == roll.count:
        return Cursor(), TypedFaces(cursor.faces)
    if cursor.position is not None:
        return _type_face(roll, cursor, cursor.position)
    if dice in ("settled", "typed") and not cursor.faces:
        return Cursor(), AcceptDice()
    if dice == "cocked" and not cursor.faces:
        return Cursor(), AsItLies()
    return cursor, Refused(
        say("Roll, then type what you see: {count} of {total} dice typed.", count=len(cursor.faces), total=roll.count)
    )


def _bar_at_roll(cursor: Cursor, dice: str) -> tuple[Cursor, Meaning]:
    """Take back the dial, a typed face or the dice that were read; without any of them ask the hub to roll."""
    if cursor.position is not None:
        return replace(cursor, position=None), Nothing()
    if cursor.faces:
        return replace(cursor, faces=cursor.faces[:-1]), Nothing()
    return cursor, ReadAgain() if dice in ("settled", "typed") else HubRolls()


def _type_face(roll: Roll, cursor: Cursor, face: int) -> tuple[Cursor, Meaning]:
    """Add a face to the typed ones."""
    if face > roll.sides:
        return cursor, Refused(say("A die of this roll shows 1 to {sides}.", sides=roll.sides))
    if len(cursor.faces) == roll.count:
        return cursor, Refused(say("All dice are typed: push sends them, the bar takes the last one back."))
    return replace(cursor, faces=(*cursor.faces, face)), Nothing()
