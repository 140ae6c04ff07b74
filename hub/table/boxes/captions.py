"""Write the captions of seat boxes, and name answers by the labels of the game.

A caption is at most `CAPTION_LENGTH` characters of ASCII, in the language of a `Lettering`. Moves, values and cards are
named by the labels of the game (`hub.display.labels`); cards are looked up in the view of the seat.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from hub.display.labels import NO_LABELS, Deck, beside, cents, deck_in, face_of, fill, value_at
from hub.engine.decision import Answer, Move, Roll
from hub.engine.labels import Labels, MoveLabels, ParameterLabels
from hub.engine.printed import UNKNOWN
from hub.engine.text import Text, listed, say
from hub.table.boxes.answer_line import MAX_ANSWERS, dial_line, line_and_rest, move_opened_by_bar, sealed_line
from hub.table.boxes.controls import (
    KEY_NUMBERS,
    ON_THE_PHONE,
    Cursor,
    bar_answer,
    current_step,
    index_on_line,
    position_at_roll,
)
from hub.table.boxes.lettering import CAPTION_LENGTH, ENGLISH, Lettering, cut, fits

View: TypeAlias = Mapping[str, object]
"""The view of a seat, with its own part (`you`)."""


# --- captions ------------------------------------------------------------------------------------------


def question_caption(
    want: str, moves: Sequence[Move], *, sealed: bool = False, labels: Labels = NO_LABELS, view: View | None = None,
    letters: Lettering = ENGLISH,
) -> str:  # fmt: skip
    """Return the caption of a seat that is asked: the question, or for a sealed choice what each key picks.

    Keys are named if all answers are on keys and their names fit.
    """
    line = sealed_line(moves) if sealed else []
    if len(line) <= len(KEY_NUMBERS):
        named = (_short_label(answer, labels, view, letters) for answer in line)
        keys = ", ".join(f"{number} {name}" for number, name in enumerate(named, 1))
        if keys and fits(keys):
            return keys
    return letters.shorten(want)


def picked_caption(
    cursor: Cursor, moves: Sequence[Move], labels: Labels = NO_LABELS, view: View | None = None,
    letters: Lettering = ENGLISH,
) -> str:  # fmt: skip
    """Return the caption of the picked answer, with the effect of the bar if there is room."""
    cursor, step = current_step(moves, cursor, labels)
    line, rest = line_and_rest(step, labels)
    if not line:
        return letters.shorten(ON_THE_PHONE.sentence)
    index = index_on_line(cursor, line, rest)
    picked = _fitting_label(line[index], labels, view, letters)
    if index == len(line) - 1 and len(line) == MAX_ANSWERS:
        return _with_hint(picked, letters, say("the rest: phone"))
    if cursor.partial is not None:
        return _with_hint(picked, letters, say("bar: back"))
    if opened := move_opened_by_bar(moves, labels):
        return _with_hint(picked, letters, say("bar: {answer}", answer=_short_name(opened, labels)))
    answer, at_once = bar_answer(step, line, labels)
    if answer is None or not at_once or answer == line[index]:
        return picked
    hints = (
        say("bar: {answer}", answer=label(answer, labels, view)),
        say("bar: {answer}", answer=_short_name(answer.move, labels)),
    )
    return _with_hint(picked, letters, *hints)


def typed_caption(
    cursor: Cursor, roll: Roll, moves: Sequence[Move] = (), labels: Labels = NO_LABELS, view: View | None = None,
    letters: Lettering = ENGLISH,
) -> str:  # fmt: skip
    """Return the caption of the roller: the dice typed so far, or the picked one of `moves` before the roll."""
    line = dial_line(moves)
    position = position_at_roll(cursor, line, roll)
    if position < 0:
        return _fitting_label(line[-position - 1], labels, view, letters)
    typed = [*map(str, cursor.faces), *"_" * (roll.count - len(cursor.faces))]
    written = letters.write(say("Dice: {dice}", dice=" ".join(typed)))
    return cut(written + (f"  <{position}>" if position else ""))


def dispute_caption(*, voting: bool) -> Text:
    """Return the caption while an accepted roll may be disputed, or while the table is `voting` on it."""
    return say("Read dice again? Push yes, bar no") if voting else say("Dice read wrong? Bar: read again")


def claim_caption(*, push: bool) -> Text:
    """Return the caption of a seat that a phone asks for. `push`: a push grants it."""
    if push:
        return say("Phone wants this seat: push yes, bar no")
    return say("Phone wants seat: hold bar, then push")


def claim_sentence(seat: int, *, push: bool) -> Text:
    """Return the sentence on screens about a seat that a phone asks for. `push`: a push grants it."""
    if push:
        return say("A phone asks for seat {seat}. To let it in, push the dial of its box.", seat=seat)
    return say(
        "Another phone asks for seat {seat}. To let it in, hold the bar of that seat's box, then hold the dial "
        "too, for a second.",
        seat=seat,
    )


def dice_caption(roll: Roll, standing: int, dice: str, *, mine: bool, lying: bool = False) -> str:
    """Return the caption of an open roll.

    - `standing`: the number of dice already accepted; `dice`: the state of the batch.
    - `mine`: the seat is the roller.
    - `lying`: the dice already lie there and are not thrown.
    """
    if dice == "typed":
        return say("Typed. Another player must confirm") if mine else say("Dice right? Push yes, bar no")
    if dice == "cocked":
        return say("Roll that die. Push: read as it lies") if mine else say("A die leans. Push: read as it lies")
    if not mine:
        return ""
    if dice == "settled":
        return say("Push: right. Bar: read again")
    if lying:
        return say("Type what lies there: K1-K6")
    if roll.count > 6:
        return say("Dice from {number} of {count}: roll or K1-K6", number=standing + 1, count=roll.count)
    return say("Roll, or type on K1-K6")


def sealed_captions(
    line: Sequence[Answer], labels: Labels = NO_LABELS, view: View | None = None, letters: Lettering = ENGLISH
) -> list[str]:
    """Return a caption for each answer of a sealed line. The box shows them itself: only it knows its dial."""
    deck = deck_in(labels, view)
    return [_fitting_label(answer, labels, view, letters, deck) for answer in line]


def explanation(
    answer: Answer, labels: Labels = NO_LABELS, view: View | None = None, letters: Lettering = ENGLISH
) -> list[str]:
    """Return an answer and the effect of its move and cards, as captions to be shown one after the other."""
    deck = deck_in(labels, view)
    sentences = [label(answer, labels, view), _of_move(answer.move, labels).effect]
    for name, value in answer.args.items():
        if _of_parameter(name, labels).card:
            faces = [face_of(labels, one, deck) for one in (value if isinstance(value, list) else [value])]
            sentences += [face.text for face in faces if face]
    text = ". ".join(letters.write(one).rstrip(".") for one in sentences if one)
    return textwrap.wrap(text, CAPTION_LENGTH) or [""]


# --- an answer by the labels of the game ----------------------------------------------------------------


def label(
    answer: Answer, labels: Labels = NO_LABELS, view: View | None = None, *, short: bool = False,
    deck: Deck | None = None,
) -> Text:  # fmt: skip
    """Return an answer by the labels of the game, or by the move's own name. `short` leaves out the names of cards.

    `deck`: `deck_in(labels, view)`, for callers that name many answers.
    """
    about, deck = _of_move(answer.move, labels), deck_in(labels, view) if deck is None else deck
    values = {}
    for name, value in answer.args.items():
        card = _card_at(view, about.lists.get(name), value)
        if not (text := _record_title(name, value, labels, view)):
            text = (
                _value_text(name, value, labels, view, deck, short=short)
                if card is None
                else _card_text(card, labels, deck, short=short)
            )
        values[name] = _with_unit(name, value, text, labels)
    if not about.label:
        return beside([answer.move.replace("_", " ").capitalize(), *values.values()])
    return fill(about.label, {**(view or {}), **values})


def _short_label(answer: Answer, labels: Labels, view: View | None, letters: Lettering) -> str:
    """Return the written values of an answer, else the short name of its move; for printed cards their number."""
    name = letters.write(_short_name(answer.move, labels)).lower()
    if printed := next(filter(None, map(_count_printed, answer.args.values())), 0):
        return f"{name} {printed}"
    deck = deck_in(labels, view)
    values = [_value_text(name, value, labels, view, deck, short=True) for name, value in answer.args.items()]
    return " ".join(map(letters.write, values)) or name


def _of_move(move: str, labels: Labels) -> MoveLabels:
    return labels.moves.get(move, MoveLabels())


def _of_parameter(parameter: str, labels: Labels) -> ParameterLabels:
    return labels.parameters.get(parameter, ParameterLabels())


def _short_name(move: str, labels: Labels) -> str:
    """Return the `short` name that the labels give a move, else its own."""
    return _of_move(move, labels).short or move.replace("_", " ")


def _record_title(parameter: str, value: object, labels: Labels, view: View | None) -> str:
    """Return the `title` of the record whose `id` is a value; "" if the labels name no such list."""
    about = _of_parameter(parameter, labels)
    records = value_at(view or {}, about.record) or ()
    meant = [record for record in records if record.get("id") == value]
    return fill(about.title, meant[0]) if meant else ""


def _card_at(view: View | None, path: str | None, number: object) -> object | None:
    """Return the card `number`, from 1, of the list at `path` of the view, or None."""
    cards = value_at(view or {}, path) if path else None
    if not isinstance(cards, list) or type(number) is not int or not 0 < number <= len(cards):
        return None
    card: object = cards[number - 1]
    return card


def _with_unit(parameter: str, value: object, text: str, labels: Labels) -> str:
    """Return a value's text with its unit by the labels (`said = "{} Baits"`, `one = "1 Bait"`)."""
    about = _of_parameter(parameter, labels)
    return about.one if value == 1 and about.one else say(about.said.replace("{}", "{value}"), value=text)


def _value_text(parameter: str, value: object, labels: Labels, view: View | None, deck: Deck, *, short: bool) -> str:
    """Return one value in words: cards by their faces, money as money, `target` as a seat, gaps by their neighbours."""
    about = _of_parameter(parameter, labels)
    if printed := _count_printed(value):
        cards = labels.printed_cards.many if labels.printed_cards else UNKNOWN
        return say("{count} {cards}", count=printed, cards=cards)
    if isinstance(value, list):
        return listed([_value_text(parameter, one, labels, view, deck, short=short) for one in value], ",")
    if about.card:
        return _card_text(value, labels, deck, short=short)
    if known := about.names.get(str(value)):
        return known
    if not isinstance(value, int):
        return str(value).replace("_", " ")
    if about.between:
        return _gap_text(value, value_at(view or {}, about.between), labels)
    if parameter == "target" or about.seat:
        return say("seat {seat}", seat=value)
    if about.money:
        return cents(value) if about.money == "cents" else cents(value * 100)
    return str(value)


def _count_printed(value: object) -> int:
    """Return the number of cards if a value is printed cards, which the hub does not know; else 0."""
    return len(value) if isinstance(value, list) and all(one == UNKNOWN for one in value) else 0


def _card_text(value: object, labels: Labels, deck: Deck, *, short: bool) -> str:
    """Return a card by its face, or as it is if it has none."""
    face = face_of(labels, value, deck)
    return str(value) if face is None else face.short if short else face.full


def _gap_text(gap: int, cards: object, labels: Labels) -> str:
    """Return a gap in a row of cards, counted from 0 at the left end, by the cards beside it."""
    faces = [face_of(labels, card) for card in cards] if isinstance(cards, list) else []
    titles = [face.title if face else "?" for face in faces]
    if not 0 <= gap <= len(titles):
        return str(gap)
    if not titles:
        return say("into the empty row")
    if gap == 0:
        return say("left of {card}", card=titles[0])
    if gap == len(titles):
        return say("right of {card}", card=titles[-1])
    return say("between {card} and {next}", card=titles[gap - 1], next=titles[gap])


# --- what fits on the display --------------------------------------------------------------------------


def _fitting_label(
    answer: Answer, labels: Labels, view: View | None, letters: Lettering, deck: Deck | None = None
) -> str:
    """Return an answer as a caption: in full if it fits, else without the names of cards."""
    whole = letters.write(label(answer, labels, view, deck=deck))
    return whole if fits(whole) else letters.shorten(label(answer, labels, view, short=True, deck=deck))


def _with_hint(caption: str, letters: Lettering, *hints: str) -> str:
    """Return a caption with the first hint that fits beside it."""
    both = (f"{caption} | {letters.write(hint)}" for hint in hints)
    return next((one for one in both if fits(one)), caption)
