"""Texts keep the template and the values that they were made from, and read as English."""

from __future__ import annotations

import copy

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
    with pytest.raises(NotImplementedError, match="object"):
        english(object())
