"""Which control of which box means which answer to the open decision.

All answers of a decision are laid on one line, so that one dial serves every game:

- moves with one answer stand on the left in reverse order, moves that range over values follow in
  theirs: `drop | 45 50 55 ..`, `perfecto, challenge | 3 x 5 ..`, `reject, accept | counter 5, 10 ..`;
  where no move ranges, the listed order stands;
- the dial rests on the first answer of the first listed move (the least bid), or on the move that the words name
  (`[moves.accept] box = "rest"`): that one stands among the values where it is listed, as an offer to accept does
  between the lower and the higher counters. A detent is one answer, and the line has ends: turning never wraps;
- K1 to K6 pick the number printed on the key where a parameter ranges over numbers 1 to 6 (a rank, a
  seat, a place), and the dial then turns the rest of the answer (the quantity) until it leaves the move;
  else they pick the first to sixth listed answer; larger amounts are left to the dial;
- push sends what is picked. Where the words put a parameter off (`[moves.bid] then = ["expose"]`), the dial
  first goes through the rest of the answer; a push takes that half, and the dial goes through what is left;
  the bar goes back. Picking and sending are two presses, with one exception:
- the bar is the no. The words of a game name it (`[moves.drop] box = "bar"`): one press sends it. If
  there is more than one way to make that move (a skip with a card and a place), it does not lie on the
  line: the bar opens it as a half answer, of which everything is still to be picked. A move named
  `box = "ask"`, else the last one listed (the safe answer), is only picked by the bar; a push or a second
  bar sends it. Where there is no no, the bar goes back to rest;
- a held bar calls staff, which the table sees to before anything here is asked; a key held asks what it would pick, and held again reads on.

When dice are asked for, K1 to K6 type faces, the dial offers faces to the right and moves that may be
made before the roll to the left, the bar takes the last face back, push sends. At the other seats push says
yes to dice that were typed and the bar doubts what was typed or read. Where nothing lies there, the roller's bar
asks for a roll by the hub, and a push of everybody else agrees. While a die leans, a push would have it read as it lies.
For a few seconds after a roll a bar that means nothing else has it read again; where the table votes on that, push is
yes and the bar is no.

What does not fit on a line (an order, several cards of many) is left to the phone, and so is a move that the words
leave to it (`[moves.draw] box = "phone"`: cards of the hand are nobody else's business). A half-made answer
lives in a `Cursor`, which belongs to one seat and one decision and is thrown away with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from hub.display.labels import Words, part
from hub.engine.decision import Amount, Answer, Fixed, Move, OneOf, Roll
from hub.ports import Key, Turn
from hub.table.answer_line import (
    accepts_answer,
    current_moves,
    dial_line,
    line_and_rest,
    move_opened_by_bar,
    sealed_line,
    values_on_line,
)

KEY_NUMBERS = range(1, 7)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A seat's half-made answer: the place picked (None: at rest), and the dice typed so far.

    On a line the place counts from its left end; at a roll, faces count from 1 and moves from -1.
    `held_number` is the printed number that a key holds while the dial turns the rest; `partial` an answer of
    which a part is still to be picked.
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
    """The seat has typed the dice it sees."""

    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AcceptDice:
    """The seat says yes to the dice: the roller to what was read, another seat to what was typed."""


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """The seat doubts what was read or typed."""


@dataclass(frozen=True, slots=True)
class HubRolls:
    """The seat wants the hub to roll, or no longer."""


@dataclass(frozen=True, slots=True)
class AsItLies:
    """The seat would have a leaning die read as it lies, or no longer."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """The seat wants a roll that stands read again, or (`yes` is false) does not."""

    yes: bool


@dataclass(frozen=True, slots=True)
class WhatIsThis:
    """A key was held: what it would pick, if anything."""

    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing is decided; the cursor may have moved."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The control means nothing now; `sentence` says what does."""

    sentence: str


Meaning: TypeAlias = (
    Chosen | TypedFaces | AcceptDice | ReadAgain | HubRolls | AsItLies | Doubts | WhatIsThis | Nothing | Refused
)

ON_THE_PHONE = Refused("Answer this one on your phone.")


# --- pressing at a decision ----------------------------------------------------------------------------


def press(
    moves: Sequence[Move], cursor: Cursor, signal: Key | Turn, words: Words | None = None
) -> tuple[Cursor, Meaning]:
    """What a control means to an open decision that offers `moves`, and the cursor afterwards."""
    cursor, step = current_step(moves, cursor, words)
    line, rest = line_and_rest(step, words)
    at = index_on_line(cursor, line, rest)
    match signal:
        case Key(control="push" | "bar", edge="hold"):
            return cursor, Nothing()
        case Key(control=control, edge="hold"):
            picked = _index_for_key(step, line, at, int(control[1]))
            return cursor, WhatIsThis(None if picked is None else line[picked])
        case _ if not line:
            return cursor, ON_THE_PHONE
        case Turn(detents=detents):
            return _turn(step, line, replace(cursor, position=at), detents), Nothing()
        case Key(control="push"):
            return _send(moves, line[at], words)
        case Key(control="bar") if cursor.partial is not None:
            return _step_back(moves, cursor.partial, words), Nothing()
        case Key(control="bar") if opened := move_opened_by_bar(moves, words):
            return Cursor(partial=Answer(opened, {})), Nothing()
        case Key(control="bar"):
            cursor, meaning = _press_bar(step, cursor, line, words)
            return _send(moves, meaning.answer, words) if isinstance(meaning, Chosen) else (cursor, meaning)
        case Key(control=control):
            number = int(control[1])
            picked = _index_for_key(step, line, at, number)
            if picked is None:
                return cursor, Refused(f"There is no {number} here: turn, then push.")
            return replace(cursor, position=picked, held_number=number if _key_parameter(step) else None), Nothing()


def current_step(moves: Sequence[Move], cursor: Cursor, words: Words | None) -> tuple[Cursor, list[Move]]:
    """The cursor and the moves it goes through. A half answer that leads nowhere any more is dropped."""
    step = current_moves(moves, cursor.partial, words)
    return (cursor, step) if step else (Cursor(), current_moves(moves, None, words))


def index_on_line(cursor: Cursor, line: Sequence[Answer], rest: int) -> int:
    """Where the cursor stands; a line that has become shorter holds it at its end."""
    return rest if cursor.position is None else min(max(cursor.position, 0), max(len(line) - 1, 0))


def _turn(step: Sequence[Move], line: Sequence[Answer], cursor: Cursor, detents: int) -> Cursor:
    """The cursor some detents on. While a key holds its number, answers with another number are stepped over."""
    at, printed = cursor.position or 0, _key_parameter(step)
    places = list(range(len(line)))
    if printed and cursor.held_number is not None and line[at].move == printed[0]:
        name, parameter = printed
        places = [
            i for i in places if i == at or line[i].move != name or line[i].args.get(parameter) == cursor.held_number
        ]
    reached = places[min(max(places.index(at) + detents, 0), len(places) - 1)]
    return replace(
        cursor, position=reached, held_number=cursor.held_number if line[reached].move == line[at].move else None
    )


def _send(moves: Sequence[Move], answer: Answer, words: Words | None) -> tuple[Cursor, Meaning]:
    """A whole answer is sent; of a half one the rest is picked next, unless there is one way only to go on."""
    if any(accepts_answer(move, answer) for move in moves):
        return Cursor(), Chosen(answer)
    ends, _ = line_and_rest(current_moves(moves, answer, words), words)
    if not ends:
        return Cursor(), ON_THE_PHONE
    return _send(moves, ends[0], words) if len(ends) == 1 else (Cursor(partial=answer), Nothing())


def _step_back(moves: Sequence[Move], half: Answer, words: Words | None) -> Cursor:
    """The cursor at the half answer again, where it was picked."""
    before = Answer(half.move, {}) if half.move == move_opened_by_bar(moves, words) else None
    while half != before:
        line, _ = line_and_rest(current_moves(moves, before, words), words)
        if half in line:
            return Cursor(position=line.index(half), partial=before)
        leading = [one for one in line if one.move == half.move and one.args.items() <= half.args.items()]
        if not leading or leading[0] == before:
            break
        before = leading[0]
    return Cursor()


def _press_bar(
    moves: Sequence[Move], cursor: Cursor, line: Sequence[Answer], words: Words | None
) -> tuple[Cursor, Meaning]:
    refusal, at_once = bar_answer(moves, line, words)
    if refusal is None:
        if cursor.position is None:
            return cursor, Refused("No pass here: turn, then push.")
        return Cursor(), Nothing()
    place = line.index(refusal)
    if at_once or cursor.position == place:
        return Cursor(), Chosen(refusal)
    return Cursor(position=place), Nothing()


def bar_answer(moves: Sequence[Move], line: Sequence[Answer], words: Words | None) -> tuple[Answer | None, bool]:
    """The answer that the bar stands for, and whether one press sends it."""
    if any(part(words, "moves", move.name).get("box") == "bar" and not move.single() for move in moves):
        return None, False  # a no that only the phone can make: the bar must not stand for its opposite
    for wanted in ("bar", "ask"):
        for move in moves:
            if part(words, "moves", move.name).get("box") == wanted and move.single():
                return Answer(move.name, move.first()), wanted == "bar"
    if moves and moves[-1].single():
        return next((one for one in line if one == Answer(moves[-1].name, moves[-1].first())), None), False
    return None, False


def _index_for_key(moves: Sequence[Move], line: Sequence[Answer], at: int, number: int) -> int | None:
    """The place that a key picks, or None where it offers nothing."""
    printed = _key_parameter(moves)
    if printed is None:
        # An amount that goes on beyond the keys is for the dial.
        large = {
            move.name
            for move in moves
            if any(
                isinstance(param, Amount) and len(values_on_line(param, alone=True)) > len(KEY_NUMBERS)
                for param in move.params.values()
            )
        }
        listed = [answer for answer in sealed_line(moves) if answer.move not in large]
        return line.index(listed[number - 1]) if number <= len(listed) else None
    name, parameter = printed
    places = [i for i, one in enumerate(line) if one.move == name and one.args.get(parameter) == number]
    if not places:
        return None

    def beside(answer: Answer) -> dict[str, Any]:
        return {key: value for key, value in answer.args.items() if key != parameter}

    # The dial's other half stays as it is where that is legal; else the next legal one to the right.
    same = [i for i in places if line[at].move == name and beside(line[i]) == beside(line[at])]
    return next(iter([*same, *(i for i in places if i >= at)]), places[-1])


def _key_parameter(moves: Sequence[Move]) -> tuple[str, str] | None:
    """The move and parameter whose values are the numbers printed on the keys."""
    for move in moves:
        for name, param in reversed(move.params.items()):
            values = (
                values_on_line(param, alone=True)
                if isinstance(param, OneOf | Amount)
                else _differing_values(moves, move.name, name)
            )
            if values and all(type(value) is int and value in KEY_NUMBERS for value in values):
                return move.name, name
    return None


def _differing_values(moves: Sequence[Move], move: str, name: str) -> Sequence[Any]:
    """The values of a parameter of which each variant of a move has its own; none where all have the same."""
    params = [one.params.get(name) for one in moves if one.name == move]
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
    """What a control means to the roller of `roll.count` dice, which are in the state `dice`.

    `moves` are what the roller may do before the dice fall.
    """
    line = dial_line(moves) or []
    at = min(max(cursor.position or 0, -len(line)), roll.sides)
    match signal:
        case Key(edge="hold"):
            return cursor, Nothing()
        case Turn(detents=detents):
            return replace(cursor, position=min(max(at + detents, -len(line)), roll.sides) or None), Nothing()
        case Key(control="push"):
            return _push_at_roll(roll, line, replace(cursor, position=at or None), dice)
        case Key(control="bar"):
            return _bar_at_roll(cursor, dice)
        case Key(control=control):
            return _type_face(roll, replace(cursor, position=None), int(control[1]))


def press_beside_roll(signal: Key | Turn, *, dice: str, voting: bool) -> Meaning:
    """What a control means to a seat that looks on at a roll. `voting`: somebody wants the hub to roll."""
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
    """What a control means while the table votes on reading a roll again."""
    match signal:
        case Key(control="push", edge="down"):
            return Doubts(yes=True)
        case Key(control="bar", edge="down"):
            return Doubts(yes=False)
    return Nothing()


def is_bar(signal: Key | Turn) -> bool:
    """Whether this is a short press of the bar."""
    return isinstance(signal, Key) and (signal.control, signal.edge) == ("bar", "down")


def _push_at_roll(roll: Roll, line: Sequence[Answer], cursor: Cursor, dice: str) -> tuple[Cursor, Meaning]:
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
    return cursor, Refused(f"Roll, then type what you see: {len(cursor.faces)} of {roll.count} dice typed.")


def _bar_at_roll(cursor: Cursor, dice: str) -> tuple[Cursor, Meaning]:
    if cursor.position is not None:
        return replace(cursor, position=None), Nothing()
    if cursor.faces:
        return replace(cursor, faces=cursor.faces[:-1]), Nothing()
    return cursor, ReadAgain() if dice in ("settled", "typed") else HubRolls()


def _type_face(roll: Roll, cursor: Cursor, face: int) -> tuple[Cursor, Meaning]:
    if face > roll.sides:
        return cursor, Refused(f"A die of this roll shows 1 to {roll.sides}.")
    if len(cursor.faces) == roll.count:
        return cursor, Refused("All dice are typed: push sends them, the bar takes the last one back.")
    return replace(cursor, faces=(*cursor.faces, face)), Nothing()
