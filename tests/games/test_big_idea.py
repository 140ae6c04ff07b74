"""The sums of The Big Idea that no single situation shows."""

from __future__ import annotations

from hub import games
from hub.games.big_idea import dollars, expected


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
