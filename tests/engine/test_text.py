"""Texts keep the template and the values that they were made from, and read as English."""

from __future__ import annotations

import copy
from fractions import Fraction

import pytest

from hub.engine.text import (
    Text,
    clause,
    english,
    listed,
    message,
    money,
    names,
    person,
    say,
    say_count,
    seats_words,
    to_json,
    wire,
)
from hub.errors import HubError


def test_a_text_is_its_english_sentence_and_keeps_what_it_was_made_from() -> None:
    text = say("Seat {seat} bids {amount}.", seat=2, amount=money(25), unused=1)
    assert text == "Seat 2 bids $25."
    assert (text.template, dict(text.values)) == ("Seat {seat} bids {amount}.", {"seat": 2, "amount": "$25"})


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="amount"):
        say("Seat {seat} bids {amount}.", seat=2)


@pytest.mark.parametrize(("count", "wanted"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards")])
def test_the_count_chooses_the_form(count: int, wanted: str) -> None:
    assert say_count("1 card", "{count} cards", count) == wanted
    assert say_count(*message("1 card", "{count} cards"), count=count) == wanted


@pytest.mark.parametrize(
    ("items", "by", "wanted"),
    [
        ([], "and", ""),
        (["A"], "and", "A"),
        (["A", 2], "and", "A and 2"),
        (["A", "B", "C"], "or", "A, B or C"),
        (["A", "B", "C"], "then", "A, then B, then C"),
        (["A", "B", "C"], ",", "A, B, C"),
    ],
)
def test_values_stand_in_a_row(items: list[str | int], by: str, wanted: str) -> None:
    assert listed(items, by) == wanted  # type: ignore[arg-type]


def test_seats_names_and_clauses_read_as_english() -> None:
    assert seats_words([1, 3]) == "Seat 1 and Seat 3"
    assert person("Bo") == "\u2068Bo\u2069"
    assert clause(say("Seat {seat} passes.", seat=1)) == "Seat 1 passes"


def test_every_text_keeps_its_template_and_values() -> None:
    cards = "{who}: 1 card", "{who}: {count} cards"
    made: list[tuple[Text, str, dict[str, object]]] = [
        (say("It rains."), "It rains.", {}),
        (say("{a}{b}{a}{c}", a=Fraction(1, 2), b=2.5, c=None), "{a}{b}{a}{c}", {"a": "1/2", "b": 2.5, "c": "None"}),
        (say_count(*cards, 1, who="Bo"), "{who}: 1 card\n{who}: {count} cards", {"who": "Bo", "count": 1}),
        (say_count("1 card", "{count} cards", 0), "1 card\n{count} cards", {"count": 0}),
        (money(5), "", {"amount": 5}),
        (money("0.50"), "", {"amount": "0.50"}),
        (person("Bo"), "", {"name": "Bo"}),
        (clause("It rains."), "", {"text": "It rains."}),
        (listed([1, 2], "then"), "then", {}),
        (seats_words([1], ","), ",", {}),
    ]
    for text, template, values in made:
        assert (text.template, dict(text.values)) == (template, values)


def test_a_part_of_a_text_keeps_its_own_parts() -> None:
    sentence = say("Seat {seat} passes.", seat=1)
    assert say("{a}", a=sentence).values["a"] is sentence
    assert listed([sentence, 2]).items == (sentence, 2)
    assert listed(iter([sentence])).items == (sentence,)


def test_seats_stand_in_a_row_as_other_values_do() -> None:
    assert seats_words([1, 3, 4], "or") == "Seat 1, Seat 3 or Seat 4"
    assert seats_words([2, 1], "then") == "Seat 2, then Seat 1"


def test_braces_in_plain_forms_are_written_as_in_any_template() -> None:
    assert say("{{{a}}}", a=1) == "{1}"
    assert say("{{}}") == "{}"


def test_parts_of_every_kind_go_out_as_each_language_needs_them() -> None:
    templates = {"known": 0}
    sentence = say("Seat {seat} passes.", seat=2)
    assert wire(7, templates) == 7
    assert wire("as it is", templates) == "as it is"
    assert wire(clause(sentence), templates) == {"clause": [1, 2]}
    assert wire(clause("It rains."), templates) == {"clause": "It rains."}
    assert wire(listed([sentence]), templates) == [1, 2]
    assert wire(listed([]), templates) == {"and": []}
    assert wire(listed([1, sentence, money(3)], "or"), templates) == {"or": [1, [1, 2], {"money": 3}]}
    assert wire(say("{a} {b}", b=person("Bo"), a=sentence), templates) == [2, [1, 2], {"name": "Bo"}]
    assert wire(say("known"), templates) == [0]
    assert templates == {"known": 0, "Seat {seat} passes.": 1, "{a} {b}": 2}


def test_on_the_wire_a_template_is_a_number_and_stands_once() -> None:
    templates: dict[str, int] = {}
    text = say("{who} gets {cards}.", who=seats_words([1, 3]), cards=say_count("1 card", "{count} cards", 2))
    assert text.wire(templates) == [0, {"and": [[1, 1], [1, 3]]}, [2, 2]]
    assert list(templates) == ["{who} gets {cards}.", "Seat {seat}", "1 card\n{count} cards"]
    assert say("{a}{b}{a}", a=money(5), b=person("Bo")).wire({}) == [0, {"money": 5}, {"name": "Bo"}]


def test_names_stand_once_in_order_and_with_plural_forms_the_count_comes_first() -> None:
    assert names("{b} {a} {b}") == ("b", "a")
    assert names("{seat} has {count} card\n{seat} has {count} cards") == ("count", "seat")


def test_an_error_gives_its_text_back_whole() -> None:
    text = say("Seat {seat} passes.", seat=1)
    error = HubError(text)
    assert error.sentence is text
    assert type(str(error)) is str
    assert HubError().sentence == ""


def test_a_text_is_copied_whole_and_encoded_as_english() -> None:
    text = say("Seat {seat} passes.", seat=1)
    copied = copy.deepcopy(text)
    assert (copied, copied.template, type(copied)) == (text, text.template, Text)
    assert to_json({"text": text}) == b'{"text":"Seat 1 passes."}'
    with pytest.raises(NotImplementedError, match=r"^object cannot be encoded$"):
        english(object())
    assert type(english(text)) is str
