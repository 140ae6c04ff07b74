"""Odds against every roll there is, counted one by one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from hub.engine.odds import AtLeast, AtMost, Beats, Wants, beat, chance, chances_text, exact_text, goal_text, odds_text


def counted(count: int, sides: int, good: Callable[[tuple[int, ...]], bool]) -> Fraction:
    """The share of all rolls that are good."""
    rolls = list(product(range(1, sides + 1), repeat=count))
    return Fraction(sum(map(good, rolls)), len(rolls))


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("sides", [2, 4, 6])
def test_odds_of_a_total_are_the_share_of_all_rolls_that_show_it(count: int, sides: int) -> None:
    for total in range(-1, count * sides + 3):
        assert chance(count, sides, AtLeast(total)) == counted(count, sides, lambda dice, t=total: sum(dice) >= t)  # type: ignore[misc]
        assert chance(count, sides, AtMost(total)) == counted(count, sides, lambda dice, t=total: sum(dice) <= t)  # type: ignore[misc]
        one = counted(count, sides, lambda dice, t=total: max(dice) >= t)  # type: ignore[misc]
        assert chance(count, sides, AtLeast(total, one=True)) == one


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("mine", "others"), [(1, 1), (2, 1), (2, 3), (3, 2)])
def test_odds_of_two_sums_keep_the_tie_rule(mine: int, others: int, ties: bool) -> None:
    def wins(dice: tuple[int, ...]) -> bool:
        return sum(dice[:mine]) >= sum(dice[mine:]) + (not ties)

    assert chance(mine, 6, Beats(others, ties)) == counted(mine + others, 6, wins)


def test_who_has_the_tie_and_who_has_not_share_all_rolls() -> None:
    assert beat(10, 13, 6) + beat(13, 10, 6, ties=True) == 1


@pytest.mark.parametrize(
    ("count", "wants", "line"),
    [
        (1, AtLeast(6, short=2, coins=("1 Bait", "{count} Baits")), "6: 1 in 6, with 2 Baits 3 in 6"),
        (1, AtLeast(2, short=5, coins=("1 Bait", "{count} Baits")), "2 or more: 5 in 6, with 1 Bait sure"),
        (1, AtLeast(1, short=5, coins=("1 Bait", "{count} Baits")), "1 or more: sure"),
        (2, AtLeast(5, one=True), "one die with 5 or more: 56 in 100"),
        (1, AtMost(4), "1 to 4: 4 in 6"),
        (1, AtMost(1), "exactly 1: 1 in 6"),
        (1, AtMost(0), "no face: never"),
        (2, Beats(2), "against 2 dice, ties lose: 44 in 100"),
        (1, Beats(1, ties=True), "against one die, ties win: 58 in 100"),
        (5, Beats(1), "against one die, ties lose: more than 99 in 100"),
    ],
)
def test_a_roll_is_told_in_one_line(count: int, wants: Wants, line: str) -> None:
    assert goal_text(count, 6, wants) == line


def test_dice_that_stand_are_counted_with_those_to_come() -> None:
    for wants in (AtLeast(9), AtMost(9), AtLeast(5, one=True), Beats(2), Beats(2, ties=True)):
        parts = [chance(2, 6, wants, (face,)) for face in range(1, 7)]
        assert sum(parts) / 6 == chance(3, 6, wants)
    assert goal_text(4, 6, AtLeast(31), (1, 2, 3, 4, 5, 6)) == "31 or more, 10 to go: 90 in 100"
    assert goal_text(1, 6, Beats(2), (5,)) == "5 already, against 2 dice, ties lose: 63 in 100"


def test_odds_are_told_to_the_last_roll_where_hundredths_do_not_do() -> None:
    assert odds_text(Fraction(575, 1296)) == "44 in 100"
    assert exact_text(Fraction(575, 1296)) == "575 in 1,296"
    assert odds_text(Fraction(1, 46656)) == "less than 1 in 100"
    assert chances_text(4, 6, AtLeast(4)) == "sure"
