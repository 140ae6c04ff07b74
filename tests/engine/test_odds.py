"""Odds against every roll there is, counted one by one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from hub.engine.odds import (
    AtLeast,
    AtMost,
    Beats,
    Wants,
    beat,
    chance,
    chance_with_payment,
    chances_text,
    exact_text,
    goal_text,
    odds_text,
    reach,
)


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
        (1, AtLeast(5, one=True), "5 or more: 2 in 6"),
        (2, AtLeast(6, one=True), "one die with 6: 31 in 100"),
        (1, AtLeast(6, one=True), "6: 1 in 6"),
        (2, AtLeast(12), "12: 3 in 100"),
        (2, AtLeast(11), "11 or more: 8 in 100"),
        (2, AtMost(1), "no face: never"),
        (2, AtMost(2), "exactly 2: 3 in 100"),
        (2, AtMost(3), "2 to 3: 8 in 100"),
        (2, AtLeast(9, short=20, coins=("1 Bait", "{count} Baits")), "9 or more: 28 in 100, with 7 Baits sure"),
        (2, AtLeast(5, one=True, short=9, coins=("1 Bait", "{count} Baits")),
         "one die with 5 or more: 56 in 100, with 4 Baits sure"),
        (1, AtLeast(6, short=1, coins=("1 Bait", "{count} Baits")), "6: 1 in 6, with 1 Bait 2 in 6"),
        (1, AtLeast(6, coins=("1 Bait", "{count} Baits")), "6: 1 in 6"),
    ],
)  # fmt: skip
def test_a_roll_is_told_in_one_line(count: int, wants: Wants, line: str) -> None:
    assert goal_text(count, 6, wants) == line


def test_dice_that_stand_are_counted_with_those_to_come() -> None:
    for wants in (AtLeast(9), AtMost(9), AtLeast(5, one=True), Beats(2), Beats(2, ties=True)):
        parts = [chance(2, 6, wants, (face,)) for face in range(1, 7)]
        assert sum(parts) / 6 == chance(3, 6, wants)
    assert goal_text(4, 6, AtLeast(31), (1, 2, 3, 4, 5, 6)) == "31 or more, 10 to go: 90 in 100"
    assert goal_text(1, 6, Beats(2), (5,)) == "5 already, against 2 dice, ties lose: 63 in 100"


@pytest.mark.parametrize(
    ("count", "wants", "stand", "line"),
    [
        (2, AtLeast(9), (1,), "9 or more, 8 to go: 42 in 100"),
        (1, AtLeast(9), (3, 5), "9 or more, 1 to go: sure"),
        (1, AtLeast(9), (4, 5), "9 or more: sure"),
        (1, AtLeast(9), (6, 5), "9 or more: sure"),
        (1, AtLeast(9), (1, 1), "9 or more, 7 to go: never"),
        (1, AtLeast(5, one=True), (3,), "one die with 5 or more: 2 in 6"),
        (1, AtLeast(5, one=True), (5,), "one die with 5 or more: sure"),
        (1, AtLeast(5, one=True, short=9, coins=("1 Bait", "{count} Baits")), (3,),
         "one die with 5 or more: 2 in 6, with 2 Baits sure"),
        (1, AtLeast(6, one=True, short=2, coins=("1 Bait", "{count} Baits")), (3,),
         "one die with 6: 1 in 6, with 2 Baits 3 in 6"),
        (1, AtLeast(5, one=True, short=9, coins=("1 Bait", "{count} Baits")), (1,),
         "one die with 5 or more: 2 in 6, with 4 Baits sure"),
        (0, AtLeast(5, one=True, short=9, coins=("1 Bait", "{count} Baits")), (4, 2),
         "one die with 5 or more: never, with 1 Bait sure"),
        (0, AtLeast(5, one=True), (3,), "5 or more: never"),
        (0, AtLeast(5, one=True), (5,), "5 or more: sure"),
        (0, AtLeast(5), (5,), "5 or more: sure"),
        (0, AtLeast(6), (5,), "6, 1 to go: never"),
        (1, AtMost(4), (2,), "2 to 4: 2 in 6"),
        (1, AtMost(4), (4,), "2 to 4: never"),
        (0, AtMost(5), (5,), "1 to 5: sure"),
        (0, AtMost(4), (5,), "1 to 4: never"),
        (0, Beats(1), (4,), "4 already, against one die, ties lose: 3 in 6"),
        (0, Beats(1, ties=True), (4,), "4 already, against one die, ties win: 4 in 6"),
        (0, Beats(1, ties=True), (1,), "1 already, against one die, ties win: 1 in 6"),
        (0, Beats(1), (1,), "1 already, against one die, ties lose: never"),
        (1, AtLeast(9, short=20, coins=("1 Bait", "{count} Baits")), (2,), "9 or more, 7 to go: never, with 6 Baits sure"),
        (1, AtLeast(9, short=2, coins=("1 Bait", "{count} Baits")), (2,), "9 or more, 7 to go: never, with 2 Baits 2 in 6"),
    ],
)  # fmt: skip
def test_a_roll_of_which_dice_lie_already_is_told_with_them(
    count: int, wants: Wants, stand: tuple[int, ...], line: str
) -> None:
    assert goal_text(count, 6, wants, stand) == line


def test_the_odds_of_no_dice_are_what_lies_there() -> None:
    assert [reach(0, 6, total) for total in (-1, 0, 1)] == [1, 1, 0]
    assert [beat(0, 0, 6, ties=ties, ahead=ahead) for ties, ahead in ((False, 0), (True, 0), (False, 1))] == [0, 1, 1]
    assert [beat(0, 1, 6, ahead=ahead) for ahead in (1, 2, 7, 8)] == [0, Fraction(1, 6), 1, 1]


@pytest.mark.parametrize(
    ("wants", "stand", "odds"),
    [
        (AtLeast(6), (), None),
        (AtLeast(6, short=0, coins=("1 Bait", "{count} Baits")), (), None),
        (AtMost(3), (), None),
        (Beats(1), (), None),
        (AtLeast(6, short=2, coins=("1 Bait", "{count} Baits")), (), Fraction(3, 6)),
        (AtLeast(9, short=2, coins=("1 Bait", "{count} Baits")), (4,), Fraction(4, 6)),
        (AtLeast(6, one=True, short=2, coins=("1 Bait", "{count} Baits")), (3,), Fraction(3, 6)),
    ],
)
def test_a_shortfall_is_paid_only_by_a_roller_with_coins(
    wants: Wants, stand: tuple[int, ...], odds: Fraction | None
) -> None:
    assert chance_with_payment(1, 6, wants, stand) == odds


@pytest.mark.parametrize(
    ("odds", "sides", "words"),
    [
        (Fraction(0), 6, "never"),
        (Fraction(1), 6, "sure"),
        (Fraction(1, 2), 6, "3 in 6"),
        (Fraction(1, 2), 8, "4 in 8"),
        (Fraction(1, 4), 6, "25 in 100"),
        (Fraction(1, 4), 4, "1 in 4"),
        (Fraction(1, 201), 6, "less than 1 in 100"),
        (Fraction(1, 200), 6, "1 in 100"),
        (Fraction(29, 2000), 6, "1 in 100"),
        (Fraction(3, 200), 6, "2 in 100"),
        (Fraction(1989, 2000), 6, "99 in 100"),
        (Fraction(199, 200), 6, "more than 99 in 100"),
    ],
)
def test_odds_are_rounded_to_hundredths_unless_one_die_shows_them(odds: Fraction, sides: int, words: str) -> None:
    assert odds_text(odds, sides) == words
    if sides == 6:
        assert odds_text(odds) == words


def test_odds_are_told_to_the_last_roll_where_hundredths_do_not_do() -> None:
    assert odds_text(Fraction(575, 1296)) == "44 in 100"
    assert exact_text(Fraction(575, 1296)) == "575 in 1,296"
    assert odds_text(Fraction(1, 46656)) == "less than 1 in 100"
    assert chances_text(4, 6, AtLeast(4)) == "sure"
