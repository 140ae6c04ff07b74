"""An owner's list of cards in the data of a game: which parts it replaces, and the line of what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hub.engine.cards import Source, load_data, shorten
from hub.engine.game import Rulebook
from hub.errors import BadCard, StartRefused
from tests.engine.ladder import deal, play

SHIPPED = Source(
    "ladder.toml",
    b"""\
title = "The ladder"
deck = '''
oak 3
elm 4
'''
[own]
deck = []
cards = ["art", "hue"]
rates = []
[cards]
oak = { steps = 3, art = "o.svg", hue = 20 }
elm = { steps = 4, art = "e.svg" }
[rates]
low = 1
[page]
of = "words"
""",
)


def rulebook(wrong: BadCard | None = None) -> Rulebook[Any]:
    def check(data: Mapping[str, object]) -> None:
        if wrong:
            raise wrong

    return Rulebook(deal=deal, play=play, explain=lambda s, action: None, check=check)


def owned(text: str, wrong: BadCard | None = None, shipped: Source = SHIPPED) -> dict[str, Any]:
    return load_data(shipped, rulebook(wrong), Source("mine.toml", text.encode()))


OWN = """\
[cards]
elm = { steps = 9, art = "mine.svg" }
fir = { steps = 1 }
oak = { steps = 2 }
ash = 7
[rates]
low = 2
"""
DECK = "deck = '''\nfir 1\n'''\n"


def test_a_list_replaces_its_parts_and_a_known_card_keeps_what_the_list_omits() -> None:
    shipped, data = SHIPPED.read(), owned(DECK + OWN)
    assert data["cards"] == {
        "elm": {"steps": 9, "art": "mine.svg"},
        "fir": {"steps": 1},
        "oak": {"steps": 2, "art": "o.svg", "hue": 20},
        "ash": 7,
    }
    assert (data["deck"], data["rates"]) == ("fir 1\n", {"low": 2})
    assert {part: data[part] for part in ("title", "own", "page")} == {
        part: shipped[part] for part in ("title", "own", "page")
    }


def test_the_same_cards_in_another_order_are_the_games_own() -> None:
    shipped = SHIPPED.read()
    same = (
        DECK.replace("fir 1", "oak 3\nelm 4") + "[rates]\nlow = 1\n[cards]\nelm = { steps = 4 }\noak = { steps = 3 }\n"
    )
    assert list(owned(same)["cards"]) == ["oak", "elm"]
    assert owned(same) == load_data(SHIPPED, rulebook(), None) == shipped


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (OWN, "mine.toml: a list for The ladder needs deck, written like the game's own."),
        (
            DECK + OWN + "high = 1\n[own]\n",
            "mine.toml, line 12: a list for The ladder has no own: it has deck and cards and rates.",
        ),
        (DECK + OWN + "[rate]\n", "mine.toml, line 11: a list for The ladder has no rate: did you mean rates?"),
        ("deck = 5\n" + OWN, "mine.toml, line 1: deck is a text of several lines."),
        (
            DECK + OWN.replace("[rates]\nlow = 2", "").replace("[cards]", "rates = 3\n[cards]"),
            "mine.toml, line 4: rates is a table: write [rates].",
        ),
        (DECK + OWN + "low = 2\n", "mine.toml: this is not TOML: "),
    ],
)
def test_a_list_with_other_parts_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(StartRefused) as refused:
        owned(text)
    assert str(refused.value).startswith(sentence)


def test_a_game_may_have_no_cards_that_a_list_replaces() -> None:
    with pytest.raises(StartRefused) as refused:
        owned(OWN, shipped=Source("dice.toml", b"title = 'Dice'\n"))
    assert str(refused.value) == "mine.toml: Dice has no cards that a list may replace."


@pytest.mark.parametrize(
    ("text", "at", "place"),
    [
        (DECK + OWN, "fir", "mine.toml, line 6"),
        (DECK + OWN, "yew", "mine.toml"),
        (DECK + OWN, ("rates", "low"), "mine.toml, line 10"),
        (DECK + OWN, ("rates", "high"), "mine.toml, line 9"),
        (DECK + OWN, ("prices", "low"), "mine.toml"),
        (DECK + OWN, 1, "mine.toml, line 2"),
        ("# mine\ndeck = '''fir 1\nfir 2'''\n", 1, "mine.toml, line 2"),
        ("# mine\ndeck = '''fir 1\nfir 2'''\n", 2, "mine.toml, line 3"),
        ('deck = """\nfir 1\nfir 2\n"""\n', 2, "mine.toml, line 3"),
        ('deck = """\\\nfir 1\nfir 2\n"""\n', 2, "mine.toml, line 3"),
        ("deck = 'fir 1'\n", 1, "mine.toml, line 1"),
        ('deck = "fir = 1"\n', 1, "mine.toml, line 1"),
        ('deck = "fir ="\n', 1, "mine.toml, line 1"),
        ('deck = "X"\n', 1, "mine.toml, line 1"),
        ("# mine\n# and yours\ndeck = 'fir 1'\n", 1, "mine.toml, line 3"),
    ],
)  # fmt: skip
def test_a_card_that_is_wrong_is_refused_with_its_line(text: str, at: str | int | tuple[str, str], place: str) -> None:
    assert Source("mine.toml", text.encode()).locate(at) == place


def test_a_wrong_card_is_looked_for_in_the_list_and_without_one_in_the_games_own() -> None:
    wrong = BadCard("'oak' must say copies.", "oak")
    with pytest.raises(StartRefused) as refused:
        owned(DECK + OWN, wrong)
    assert str(refused.value) == "mine.toml, line 7: 'oak' must say copies."
    with pytest.raises(StartRefused) as refused:
        load_data(SHIPPED, rulebook(wrong), None)
    assert str(refused.value) == "ladder.toml, line 11: 'oak' must say copies."


def test_a_long_word_is_cut_and_a_whole_one_is_not() -> None:
    sixty = "z" * 60
    assert shorten(f"{sixty} or {sixty}y or {sixty}xy") == f"{sixty} or {sixty}... or {sixty}..."
