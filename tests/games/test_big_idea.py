"""The sums of The Big Idea that no single situation shows, and what its cards read together."""

from __future__ import annotations

from hub import games
from hub.display.language import Catalogue, Language
from hub.engine.match import Match
from hub.games.big_idea import dollars, expected, name_of, pitch_of


def test_a_share_may_expect_what_the_die_pays_on_average() -> None:
    """The worked table of the rulebook: each roll up to the shares pays twice itself, one time in six."""
    assert [expected(shares, 200) for shares in range(8)] == [0, 33, 100, 200, 333, 500, 700, 700]
    for shares in range(1, 9):
        for cards in (1, 2, 3, 4):
            rolls = [100 * cards * roll for roll in range(1, 7) if roll <= shares]
            assert abs(expected(shares, 100 * cards) - sum(rolls) / 6) <= 0.5


def test_the_help_page_says_the_same() -> None:
    (table,) = games.find("big-idea").labels.help
    assert [row[-1] for row in table.rows] == [dollars(expected(shares, 200)) for shares in range(1, 7)]
    assert [row[2] for row in table.rows] == [f"{shares} in 6" for shares in range(1, 7)]


def test_a_language_may_write_the_name_of_a_product_as_one_word() -> None:
    german: dict[str, str | dict[str, str]] = {
        "{description} {product}": "{description}{product}",
        "Gigantic": "Riesen-",
        "Haunted": "Spuk-",
        "Hat": "Hut",
    }
    language = Language(Catalogue(language="de", messages=german))
    match = Match(games.find("big-idea"), [1, 2, 3], {"large_products": True, "small_products": True})
    names = [name_of(match.state, cards) for cards in (["I01"], ["I01", "D05"], ["I01", "D05", "D11"])]
    assert names == ["Hat", "Gigantic Hat", "Gigantic Haunted Hat"]
    assert [language.say(name) for name in names] == ["Hut", "Riesen-Hut", "Riesen-Spuk-Hut"]


def test_a_pitch_is_said_by_its_lines() -> None:
    german: dict[str, str | dict[str, str]] = {
        "{opening}. That's all.": "{opening} sonst nichts.", "{opening} {ending}.": "{opening} {ending}.",
        "Picture headwear": "Stell dir eine Kopfbedeckung vor:", "that smells of pine.": "riecht nach Kiefern.",
        "that nobody can find.": "ist nicht zu finden.",
    }  # fmt: skip
    language = Language(Catalogue(language="de", messages=german))
    match = Match(games.find("big-idea"), [1, 2, 3], {"large_products": True, "small_products": True})
    pitches = [pitch_of(match.state, cards) for cards in (["I01"], ["I01", "D21"], ["I01", "D21", "D07"])]
    assert pitches == [
        "Picture headwear. That's all.", "Picture headwear that smells of pine.",
        "Picture headwear that smells of pine and that nobody can find.",
    ]  # fmt: skip
    assert [language.say(pitch) for pitch in pitches] == [
        "Stell dir eine Kopfbedeckung vor: sonst nichts.", "Stell dir eine Kopfbedeckung vor: riecht nach Kiefern.",
        "Stell dir eine Kopfbedeckung vor: riecht nach Kiefern und ist nicht zu finden.",
    ]  # fmt: skip
