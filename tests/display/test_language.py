"""Sentences are said in other languages as the examples want it, which the pages follow, too."""

import json
from pathlib import Path

import msgspec
import pytest

from hub.display.language import Catalogue, Language
from hub.engine.text import clause, listed, money, person, say, say_count, seats_words
from hub.network.messages import to_bytes
from hub.state import Ack

EXAMPLES = json.loads((Path(__file__).parent / "language.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def german() -> Language:
    return Language(*(msgspec.convert(EXAMPLES[name], Catalogue) for name in ("game", "common")))


@pytest.mark.parametrize(("text", "wanted"), EXAMPLES["said"], ids=lambda one: str(one)[:30])
def test_a_sentence_is_said_in_another_language_and_what_is_unknown_is_named(
    german: Language, text: str, wanted: str | list
) -> None:
    said, unknown = wanted if isinstance(wanted, list) else (wanted, [])

    assert german.translate(text) == (said, tuple(unknown))
    assert german.translate(text) == (said, tuple(unknown))  # remembered


def test_without_a_catalogue_everything_stays_as_it_is() -> None:
    assert Language().say("Seat 2 bids $40.") == "Seat 2 bids $40."


MADE = {
    "order": say("The order: {order}.", order=seats_words([2, 1, 3], "then")),
    "bid": say("Seat {seat} bids {amount}.", seat=2, amount=money(40)),
    "prize": say(
        "The {card} is the prize: {points}.", card="King", points=say_count("{count} point", "{count} points", 3)
    ),
    "name": say("{name} is here.", name=person("Pass")),
    "list": say("Deal {cards}.", cards=listed([say("a {card}", card="Hat"), say("the {card}", card="King"), "ten"])),
    "or": say("Deal {cards}.", cards=listed([1, 2, 3], "or")),
    "clause": say("Best: {what}, twice.", what=clause(say("Seat {seat} bids {amount}.", seat=1, amount=money("1.50")))),
    "unknown": say("Nobody translated {what}.", what="King"),
    "misnamed": say("{name} waits for {whom}.", name="King", whom="Seat 2"),
    "negative": say_count("{count} point", "{count} points", -250),
}
"""Texts that both make from their values; tests/display/language.json has what they are on the wire, and in German."""


@pytest.mark.parametrize("name", MADE)
def test_a_text_is_made_in_another_language_from_its_values(german: Language, name: str) -> None:
    text, example = MADE[name], EXAMPLES["made"][name]
    assert json.loads(to_bytes(Ack("0" * 16, False, error=text)))["texts"] == example["texts"]
    assert example["english"] == text
    assert german.say(text) == example["said"]
    assert Language().say(text) == str(text)
