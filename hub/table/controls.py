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

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product, takewhile
from math import comb
from typing import Any, TypeAlias

from hub.display.labels import Deck, Words, cents, deck_in, face_of, fill, found, part
from hub.engine.decision import Amount, Answer, Choose, Fixed, Move, OneOf, Order, Param, Roll
from hub.ports import Key, Turn

MAX_ANSWERS = 500
"""Answers on one line; what lies beyond is left to the phone."""

MAX_SUBSETS = 1000
"""Ways to choose several of some cards that are still laid on a line, which may cut off their far end."""

CAPTION_LENGTH = 40
"""Characters on a box's small display."""

KEY_NUMBERS = range(1, 7)

View: TypeAlias = Mapping[str, Any]
"""What a seat may see, its own part (`you`) with it: the cards of an answer are looked up there."""


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


# --- the line ------------------------------------------------------------------------------------------


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


# --- what the box tells ----------------------------------------------------------------------------------


def question_caption(
    want: str, moves: Sequence[Move], *, sealed: bool = False, words: Words | None = None, view: View | None = None
) -> str:
    """What the small display says when a seat is asked: in a sealed choice what each key picks, if there is room."""
    line = sealed_line(moves) if sealed else []
    keys = [f"{n} {_short_label(answer, words, view)}" for n, answer in enumerate(line[: len(KEY_NUMBERS)], 1)]
    told = ", ".join(keys)
    return told if keys and len(line) <= len(KEY_NUMBERS) and len(_ascii(told)) <= CAPTION_LENGTH else shorten(want)


def picked_caption(cursor: Cursor, moves: Sequence[Move], words: Words | None = None, view: View | None = None) -> str:
    """What the box's small display says of the picked answer, in at most 40 plain characters."""
    cursor, step = current_step(moves, cursor, words)
    line, rest = line_and_rest(step, words)
    if not line:
        return shorten(ON_THE_PHONE.sentence)
    at = index_on_line(cursor, line, rest)
    told = _fitting_label(line[at], words, view)
    if at == len(line) - 1 and len(line) == MAX_ANSWERS:
        return _with_hint(told, "the rest: phone")
    if cursor.partial is not None:
        return _with_hint(told, "bar: back")
    if opened := move_opened_by_bar(moves, words):
        return _with_hint(told, f"bar: {_short_name(opened, words)}")
    refusal, at_once = bar_answer(step, line, words)
    if refusal is None or not at_once or refusal == line[at]:
        return told
    return _with_hint(told, f"bar: {label(refusal, words, view)}", f"bar: {_short_name(refusal.move, words)}")


def typed_caption(
    cursor: Cursor, roll: Roll, moves: Sequence[Move] = (), words: Words | None = None, view: View | None = None
) -> str:
    """What the small display says to the roller."""
    line = dial_line(moves) or []
    at = min(max(cursor.position or 0, -len(line)), roll.sides)
    if at < 0:
        return _fitting_label(line[-at - 1], words, view)
    typed = [*map(str, cursor.faces), *"_" * (roll.count - len(cursor.faces))]
    return shorten(f"Dice: {' '.join(typed)}" + (f"  <{at}>" if at else ""))


def dispute_caption(*, voting: bool) -> str:
    """What the small display says while a roll that stands may be doubted, or the table votes on it."""
    return "Read dice again? Push yes, bar no" if voting else "Dice read wrong? Bar: read again"


def dice_caption(roll: Roll, standing: int, dice: str, *, mine: bool, lying: bool = False) -> str:
    """What the small display says of an open roll of which `standing` dice stand already; `lying`: nobody throws."""
    if dice == "typed":
        return "Typed. Another seat says yes." if mine else "Dice right? Push yes, bar no"
    if dice == "cocked":
        return "Roll that die. Push: read as it lies" if mine else "A die leans. Push: read as it lies"
    if not mine:
        return ""
    if dice == "settled":
        return "Push: right. Bar: read again"
    if lying:
        return "Type what lies there: K1-K6"
    if roll.count > 6:
        return f"Dice from {standing + 1} of {roll.count}: roll or K1-K6"
    return "Roll, or type on K1-K6"


def sealed_captions(line: Sequence[Answer], words: Words | None = None, view: View | None = None) -> list[str]:
    """The answers of a sealed line as a box names them under its hood: it alone knows where its dial stands."""
    return [_fitting_label(answer, words, view) for answer in line]


def explanation(answer: Answer, words: Words | None = None, view: View | None = None) -> list[str]:
    """What an answer is, with what its cards do: so many lines of the small display, one after the other."""
    deck = deck_in(words, view)
    told = [label(answer, words, view), str(part(words, "moves", answer.move).get("effect", ""))]
    for name, value in answer.args.items():
        if part(words, "parameters", name).get("card"):
            faces = [face_of(words, one, deck) for one in (value if isinstance(value, list) else [value])]
            told += [face.text for face in faces if face]
    return textwrap.wrap(_ascii(". ".join(one.rstrip(".") for one in told if one)), CAPTION_LENGTH) or [""]


def label(answer: Answer, words: Words | None = None, view: View | None = None, *, short: bool = False) -> str:
    """An answer in the words of the game; without words by the move's own name. `short`: cards without their names."""
    about, deck = part(words, "moves", answer.move), deck_in(words, view)
    values = {}
    for name, value in answer.args.items():
        lies = _card_at(view, part(about, "from").get(name), value)
        said = _record_title(name, value, words, view) or (
            _value_text(name, value, words, view, deck, short=short)
            if lies is None
            else _card_text(lies, words, deck, short=short)
        )
        values[name] = _with_unit(name, value, said, words)
    if not about.get("label"):
        return " ".join([answer.move.replace("_", " ").capitalize(), *filter(None, values.values())])
    return " ".join(fill(str(about["label"]), {**(view or {}), **values}).split())


def _short_label(answer: Answer, words: Words | None, view: View | None) -> str:
    """An answer in as few words as tell it from the others: its values, else the move's short name."""
    deck = deck_in(words, view)
    values = [_value_text(name, value, words, view, deck, short=True) for name, value in answer.args.items()]
    return " ".join(values) or _short_name(answer.move, words).lower()


def _short_name(move: str, words: Words | None) -> str:
    return str(part(words, "moves", move).get("short", move.replace("_", " ")))


def _record_title(parameter: str, value: object, words: Words | None, view: View | None) -> str:
    """By its `title` the record that a value stands for, where the parameter says in which list it is found by its `id`."""
    about = part(words, "parameters", parameter)
    records = found(view or {}, str(about.get("record", ""))) or ()
    meant = [one for one in records if one.get("id") == value]
    return fill(str(about.get("title", "")), meant[0]) if meant else ""


def _card_at(view: View | None, path: object, number: object) -> object | None:
    """What lies in that place of a list of the view; places count from 1."""
    row = found(view or {}, path) if isinstance(path, str) else None
    return row[number - 1] if isinstance(row, list) and type(number) is int and 0 < number <= len(row) else None


def _with_unit(parameter: str, value: object, said: str, words: Words | None) -> str:
    """A value inside a label: where the parameter says how (`said = "{} Baits"`, `one = "1 Bait"`), in these words."""
    about = part(words, "parameters", parameter)
    return str(about["one"]) if value == 1 and "one" in about else str(about.get("said", "{}")).replace("{}", said)


def _value_text(
    parameter: str, value: object, words: Words | None, view: View | None, deck: Deck, *, short: bool
) -> str:
    """One value of a parameter in words: cards by their faces, money as money, `target` as a seat, gaps in a row."""
    about = part(words, "parameters", parameter)
    if isinstance(value, list):
        return ", ".join(_value_text(parameter, one, words, view, deck, short=short) for one in value)
    if about.get("card"):
        return _card_text(value, words, deck, short=short)
    if known := part(about, "names").get(str(value)):
        return str(known)
    if not isinstance(value, int):
        return str(value).replace("_", " ")
    if about.get("between"):
        return _gap_text(value, found(view or {}, str(about["between"])), words)
    if parameter == "target" or about.get("seat"):
        return f"seat {value}"
    if about.get("money"):
        return cents(value) if about["money"] == "cents" else cents(value * 100)
    return str(value)


def _card_text(value: object, words: Words | None, deck: Deck, *, short: bool) -> str:
    face = face_of(words, value, deck)
    return str(value) if face is None else face.short if short else face.full


def _gap_text(place: int, row: Any, words: Words | None) -> str:
    """A place in a row of cards by the cards beside it, counted from 0 at the left end."""
    faces = [face_of(words, one) for one in row] if isinstance(row, list) else []
    titles = [face.title if face else "?" for face in faces]
    if not 0 <= place <= len(titles):
        return str(place)
    if not titles:
        return "into the empty row"
    if place == 0:
        return f"left of {titles[0]}"
    return f"right of {titles[-1]}" if place == len(titles) else f"between {titles[place - 1]} and {titles[place]}"


def _fitting_label(answer: Answer, words: Words | None, view: View | None) -> str:
    """An answer on the small display: in full where it fits, else with short cards."""
    whole = _ascii(label(answer, words, view))
    return whole if len(whole) <= CAPTION_LENGTH else shorten(label(answer, words, view, short=True))


def _ascii(text: str) -> str:
    """Plain letters, for the display's own font."""
    return unicodedata.normalize("NFKD", text.replace("−", "-").replace("×", "x")).encode("ascii", "ignore").decode()


def shorten(text: str) -> str:
    """A text for the small display: plain letters, at most 40."""
    plain = _ascii(text)
    return plain if len(plain) <= CAPTION_LENGTH else plain[: CAPTION_LENGTH - 2].rstrip() + ".."


def _with_hint(told: str, *hints: str) -> str:
    """The pick, with the first hint beside it for which there is room."""
    both = (_ascii(f"{told} | {hint}") for hint in hints)
    return next((one for one in both if len(one) <= CAPTION_LENGTH), shorten(told))
