"""The small displays of the boxes in the table's language: whole, in letters that they have, on three lines."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from typing import get_args

import pytest

from hub import games
from hub.display.language import Catalogue, Language
from hub.docs import catalogues
from hub.engine.decision import Amount, Answer, Move, Roll
from hub.engine.text import Text, money, say
from hub.languages import language_of, languages
from hub.state import QuestionKind, RollState
from hub.table.boxes.captions import (
    claim_caption,
    dice_caption,
    dispute_caption,
    explanation,
    picked_caption,
    sealed_captions,
    typed_caption,
)
from hub.table.boxes.controls import ON_THE_PHONE, Cursor
from hub.table.boxes.lettering import Lettering, cut, fits, lines
from hub.table.presses import MENU
from hub.table.seating.questions import caption
from tests.table.fakes import TableRig

TEN = Roll(1, 10, 6, "odds")
SAID = [
    *(claim_caption(push=push) for push in (True, False)),
    *(dispute_caption(voting=voting) for voting in (True, False)),
    *(caption(kind, 6, options) for kind in get_args(QuestionKind) for options in ("12", "123")),
    *(
        dice_caption(roll, 6, state, mine=mine, lying=lying)
        for roll, state, mine, lying in product(
            (TEN, Roll(1, 2, 6, "odds")), get_args(RollState), (True, False), (True, False)
        )
    ),
    *(text for _, text in MENU),
    ON_THE_PHONE.sentence,
    say("There is no {number} here: turn, then push.", number=6),
    "No pass here: turn, then push.",
    "Welcome: you play on here",
    "Its code is on the screen for a minute",
    "Its phone is asked first: wait 10 s",
    "Too soon: read, then hold",
]
"""Captions that no game has a part in."""
GERMAN = partial(language_of, "de")


@cache
def waiting(language: str) -> frozenset[str]:
    """The messages that a language's file lists without a translation: `make check` names them, and nothing fails."""
    files = (file for file in catalogues.files() if file.parent.parent.name == language)
    listed = (one for file in files for one in catalogues.read(file) if not one.string)
    return frozenset(one.id for one in listed if isinstance(one.id, str))


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("text", dict.fromkeys(SAID))
def test_what_the_table_says_is_whole_on_a_display_in_every_language(language: str, text: str) -> None:
    letters = Lettering(language_of(language, None))
    written = letters.write(text)
    assert fits(written), (len(written), lines(written))
    assert written.isascii()
    template = text.template if isinstance(text, Text) else text
    assert language == "en" or not text or written != text or template in waiting(language)


def test_german_is_spelt_without_umlauts() -> None:
    letters = Lettering(GERMAN(None))
    assert letters.write("Roll, or type on K1-K6") == "Wuerfle oder tippe mit K1-K6"
    assert Lettering(language_of("de", "bidness")).write(say("Bid {amount}", amount=money(45))) == "Biete 45 $"


def test_a_language_in_letters_that_the_display_lacks_stays_english() -> None:
    letters = Lettering(Language(Catalogue(language="el", messages={"Bid": "Προσφορά", "Pass": "Pasó", "No": "Na·ı"})))
    assert letters.write("Bid") == "Bid"
    assert letters.write("Pass") == "Paso"


def test_a_caption_of_many_lines_is_cut_to_three() -> None:
    text = "Donaudampfschiff Gesellschaften fahren so"
    assert lines(cut(text)) == ["Donaudampfschiff", "Gesellschaften", "fahren.."]


def test_answers_are_named_in_the_tables_language() -> None:
    labels, letters = games.find("bidness").labels, Lettering(GERMAN("bidness"))
    moves = [Move("bid", {"amount": Amount(45, 500, 5)}), Move("drop", {})]
    assert picked_caption(Cursor(), moves, labels, None, letters) == "Biete 45 $ | Leiste: Aussteigen"
    assert typed_caption(Cursor(faces=(4,)), Roll(1, 2, 6, ""), (), labels, None, letters) == "Wuerfel: 4 _"
    fish = games.find("bid-and-bait").labels
    assert sealed_captions([Answer("bid", {"number": 3})], fish, None, Lettering(GERMAN("bid-and-bait"))) == ["Biete 3"]
    dice = games.find("bid-it").labels
    raised = [Answer("bid", {"quantity": 3, "rank": 5}), Answer("bid", {"quantity": 3, "rank": 5, "expose": "5"})]
    assert sealed_captions(raised, dice, None, Lettering(GERMAN("bid-it"))) == [
        "Biete 3 x 5",
        "Biete 3 x 5 und zeige 5",
    ]
    told = explanation(Answer("bid", {"amount": 45}), labels, None, letters)
    assert told[0].startswith("Biete 45 $")


def test_the_boxes_of_a_german_table_speak_german() -> None:
    rig = TableRig(offered=[games.find("bidness")], language=GERMAN)
    rig.boxes_up()
    rig.sit(1, 2, 3)
    rig.start("bidness")
    roller = rig.state["dice"]["seat"]
    assert rig.boxes.texts[f"box-{roller}"] == "Wuerfle oder tippe mit K1-K6"
