"""What the small display of a seat box says."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hub.display.labels import Deck, Words, cents, deck_in, face_of, fill, found, part
from hub.engine.decision import Answer, Move, Roll
from hub.table.answer_line import MAX_ANSWERS, dial_line, line_and_rest, move_opened_by_bar, sealed_line
from hub.table.controls import KEY_NUMBERS, ON_THE_PHONE, Cursor, bar_answer, current_step, index_on_line

CAPTION_LENGTH = 40
"""Characters on a box's small display."""

View: TypeAlias = Mapping[str, Any]
"""What a seat may see, its own part (`you`) with it: the cards of an answer are looked up there."""


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
