"""Sentences are said in other languages as the examples want it, which the pages follow, too."""

import json
from pathlib import Path

import msgspec
import pytest

from hub.display.language import Catalogue, Language

EXAMPLES = json.loads((Path(__file__).parent / "language.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def german() -> Language:
    return Language(*(msgspec.convert(EXAMPLES[name], Catalogue) for name in ("game", "common")))


@pytest.mark.parametrize(("text", "wanted"), EXAMPLES["said"], ids=lambda one: str(one)[:30])
def test_a_sentence_is_said_in_another_language_and_what_is_unknown_is_named(
    german: Language, text: str, wanted: str | list
) -> None:
    said, unknown = wanted if isinstance(wanted, list) else (wanted, [])

    assert german.said(text) == (said, tuple(unknown))
    assert german.said(text) == (said, tuple(unknown))  # remembered


def test_without_a_catalogue_everything_stays_as_it_is() -> None:
    assert Language().say("Seat 2 bids $40.") == "Seat 2 bids $40."
