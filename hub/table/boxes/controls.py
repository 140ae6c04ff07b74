"""What each control of a seat box means to the open decision.

At a decision, whose answers lie on one line (`hub.table.boxes.answer_line`):

- **Dial**: a detent is one answer. The line has ends: turning never wraps.
- **K1 to K6** pick the number printed on the key where a parameter ranges over numbers 1 to 6 (a rank, a seat, a
  slot). The dial then turns the rest of the answer (the quantity) until it leaves the move. Elsewhere they pick the
  first to sixth listed answer; larger amounts are left to the dial. A key that is held asks what it would pick.
- **Push** sends what is picked. Of a partial answer the rest is picked next, and the bar goes back. Picking and sending
  are two presses, with one exception:
- **Bar** says no. The labels of the game name the move (`[moves.drop] box = "bar"`): one press sends it, or opens it
  where there is more than one way to make it. A move named `box = "ask"`, else the last one listed (the safe answer),
  is only picked by the bar; a push or a second bar sends it. Where nothing means no, the bar goes back to rest. A held
  bar calls staff, which the table sees to before it asks here.

When dice are asked for:

- **Roller**: K1 to K6 type faces. The dial offers faces to the right, and to the left the moves that may be made before
  the roll. The bar takes the last face back, push sends. Where no dice were read or typed, the bar asks for a roll by
  the hub. While a die leans, push would have it read as it lies.
- **Other seats**: push says yes to typed dice, the bar has typed or read ones read again. Push also agrees to a roll by the hub,
  or to a leaning die being read as it lies.
- For a few seconds after a roll, a bar that means nothing else disputes it. Where the table votes on a second reading,
  push is yes and the bar is no.

What a seat has picked or typed stays in a `Cursor`, which belongs to one seat and one decision and ends with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from hub.display.labels import NO_LABELS
from hub.engine.decision import Amount, Answer, Fixed, Move, OneOf, Param, Roll
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
    """What a seat has picked and typed, and not sent yet.

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
    """The seat says yes to the dice: the roller to what was read, another seat to what was typed."""


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """The seat objects to what was read or typed and is not accepted yet: the batch is read again."""


@dataclass(frozen=True, slots=True)
class HubRolls:
    """The seat wants the hub to roll, or no longer."""


@dataclass(frozen=True, slots=True)
class AsItLies:
    """The seat wants a leaning die read as it lies, or no longer."""


@dataclass(frozen=True, slots=True)
class DisputeVote:
    """The seat wants a second reading of a roll that was accepted, or (`yes` is false) does not."""

    yes: bool


@dataclass(frozen=True, slots=True)
class WhatIsThis:
    """The seat holds a key and asks what it would pick: `answer`, None where it picks nothing."""

    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Nothing:
    """The table has nothing to do; the cursor may have moved."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The control means nothing now; `sentence` says so, or what to do instead."""

    sentence: str


Meaning: TypeAlias = (
    Chosen | TypedFaces | AcceptDice | ReadAgain | HubRolls | AsItLies | DisputeVote | WhatIsThis | Nothing | Refused
)

ON_THE_PHONE = Refused(say("Answer this one on a phone."))


# --- pressing at a decision ----------------------------------------------------------------------------


def press(
    moves: Sequence[Move], cursor: Cursor, signal: Key | Turn, labels: Labels = NO_LABELS
) -> tuple[Cursor, Meaning]:
    """Return the cursor after a control was used at an open decision that offers `moves`, and what that means."""
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
            return replace(cursor, position=picked, held_number=number if _key_parameter(step) else None), Nothing()


def current_step(moves: Sequence[Move], cursor: Cursor, labels: Labels) -> tuple[Cursor, list[Move]]:
    """Return the cursor and the moves it goes through now. A partial answer that leads nowhere any more is dropped."""
    step = current_moves(moves, cursor.partial, labels)
    return (cursor, step) if step else (Cursor(), current_moves(moves, None, labels))


def index_on_line(cursor: Cursor, line: Sequence[Answer], rest: int) -> int:
    """Return the index at which the cursor stands; on a line that has become shorter, its end."""
    return rest if cursor.position is None else min(max(cursor.position, 0), max(len(line) - 1, 0))


def _turn(step: Sequence[Move], line: Sequence[Answer], cursor: Cursor, detents: int) -> Cursor:
    """Return the cursor some detents on. While a key holds its number, answers with another number are stepped over."""
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
    """Choose a complete answer; of a partial one have the rest picked next, unless there is one way only to go on."""
    if any(accepts_answer(move, answer) for move in moves):
        return Cursor(), Chosen(answer)
    ends, _ = line_and_rest(current_moves(moves, answer, labels), labels)
    if not ends:
        return Cursor(), ON_THE_PHONE
    return _send(moves, ends[0], labels) if len(ends) == 1 else (Cursor(partial=answer), Nothing())


def _step_back(moves: Sequence[Move], partial: Answer, labels: Labels) -> Cursor:
    """Return the cursor at the partial answer, where it was picked."""
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
    """Choose or pick the answer that means no, or go back to rest where there is none."""
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
    """Return the answer that the bar stands for, None where there is none, and whether one press sends it."""
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
    """Return the index that a key picks while the dial is at `index`, or None where the key offers nothing."""
    on_keys = _key_parameter(moves)
    if on_keys is None:
        large = {move.name for move in moves if any(map(_exceeds_keys, move.params.values()))}
        listed = [answer for answer in sealed_line(moves) if answer.move not in large]
        return line.index(listed[number - 1]) if number <= len(listed) else None
    move, parameter = on_keys
    found = [i for i, answer in enumerate(line) if answer.move == move and answer.args.get(parameter) == number]
    if not found:
        return None

    def other_args(answer: Answer) -> dict[str, Any]:
        return {name: value for name, value in answer.args.items() if name != parameter}

    # What the dial has picked beside the number stays where that is legal; else the next legal answer to the right.
    same = [i for i in found if line[index].move == move and other_args(line[i]) == other_args(line[index])]
    return next(iter([*same, *(i for i in found if i >= index)]), found[-1])


def _exceeds_keys(param: Param) -> bool:
    """Return whether a parameter is an amount that goes on beyond the keys: it is left to the dial."""
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


def _differing_values(moves: Sequence[Move], move: str, parameter: str) -> Sequence[Any]:
    """Return a parameter's fixed values where the variants of a move differ in them; none where all are the same."""
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
    """Return the roller's cursor after a control was used at a roll of `roll.count` dice, and what that means.

    `moves` are what the roller may do before the dice fall, `dice` is the state of the roll.
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
    """Return what a control means at a seat that watches a roll; `voting` says that somebody wants the hub to roll."""
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
    """Return what a control means while the table votes on a second reading."""
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
    """Send the picked move or the typed dice, type the face at the dial, or say yes to what was read."""
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
    """Take the last thing back: the dial, a typed face, the dice as they were read; with nothing there ask the hub."""
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
