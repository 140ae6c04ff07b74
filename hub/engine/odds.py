"""The goal of a roll, and its exact odds.

Odds are whole numbers and fractions, because floats differ between machines. In all functions `count` dice with `sides` sides
(1 to `sides`) are still to be rolled, and `stand` are the faces of dice of the roll that lie already.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import TypeAlias

from msgspec import Struct

from hub.engine.text import Text, say, say_count


class AtLeast(Struct, frozen=True):
    """The total must reach `total`; with `one`, a single die must.

    `short` is the largest shortfall that the roller can pay in `coins`, named for one and for several; 0 for none.
    """

    total: int
    one: bool = False
    short: int = 0
    coins: tuple[str, str] = ("", "")


class AtMost(Struct, frozen=True):
    """The total must not be above `total`."""

    total: int


class Beats(Struct, frozen=True):
    """The total must be above that of `count` other dice with as many sides, rolled later; with `ties`, or equal to it."""

    count: int
    ties: bool = False


Wants: TypeAlias = AtLeast | AtMost | Beats


@cache
def ways(count: int, sides: int) -> tuple[int, ...]:
    """Return for each total, from 0 to `count * sides`, the number of rolls with it, of `sides ** count` rolls."""
    if count == 0:
        return (1,)
    before = ways(count - 1, sides)
    return tuple(
        sum(before[total - face] for face in range(1, sides + 1) if 0 <= total - face < len(before))
        for total in range(count * sides + 1)
    )


def reach(count: int, sides: int, total: int) -> Fraction:
    """Return the chance that the total of the dice is `total` or more."""
    return Fraction(sum(ways(count, sides)[max(total, 0) :]), sides**count)


def beat(count: int, others: int, sides: int, *, ties: bool = False, ahead: int = 0) -> Fraction:
    """Return the chance that the total and `ahead` are above the total of `others` dice; with `ties`, or equal to it."""
    mine, least = ways(count, sides), (0 if ties else 1) - ahead
    wins = sum(many * sum(mine[max(total + least, 0) :]) for total, many in enumerate(ways(others, sides)))
    return Fraction(wins, sides ** (count + others))


def chance(count: int, sides: int, wants: Wants, stand: Sequence[int] = ()) -> Fraction:
    """Return the chance that a roll reaches its goal without payment."""
    match wants:
        case AtLeast(total, one=True):
            if any(face >= total for face in stand):
                return Fraction(1)
            too_low = min(max(total - 1, 0), sides)  # number of faces below the goal
            return 1 - Fraction(too_low, sides) ** count
        case AtLeast(total):
            return reach(count, sides, total - sum(stand))
        case AtMost(total):
            return 1 - reach(count, sides, total + 1 - sum(stand))
        case Beats(others, ties):
            return beat(count, others, sides, ties=ties, ahead=sum(stand))


def chance_with_payment(count: int, sides: int, wants: Wants, stand: Sequence[int] = ()) -> Fraction | None:
    """Return the chance of a roll whose shortfall may be paid; None if payment is not possible."""
    if isinstance(wants, AtLeast) and wants.short:
        return chance(count, sides, AtLeast(wants.total - wants.short, wants.one), stand)
    return None


def odds_text(odds: Fraction, sides: int = 6) -> Text:
    """Return odds in words: "sure", "never", "2 in 6", or for several dice "37 in 100", rounded."""
    if odds in (0, 1):
        return say("sure") if odds else say("never")
    if sides % odds.denominator == 0:
        return say("{count} in {of}", count=odds.numerator * sides // odds.denominator, of=sides)
    hundredths = (odds * 200 + 1) // 2
    if not 0 < hundredths < 100:
        return say("less than 1 in 100") if hundredths == 0 else say("more than 99 in 100")
    return say("{count} in {of}", count=hundredths, of=100)


def exact_text(odds: Fraction) -> Text:
    """Return odds as an exact count of rolls: "575 in 1,296"."""
    return say("{count} in {of}", count=f"{odds.numerator:,}", of=f"{odds.denominator:,}")


@lru_cache(1024)
def chances_text(count: int, sides: int, wants: Wants, stand: tuple[int, ...] = ()) -> Text:
    """Return the odds of a roll, and those with payment: "2 in 6, with 3 Baits 5 in 6"."""
    bare = chance(count, sides, wants, stand)
    more = chance_with_payment(count, sides, wants, stand)
    if more is None or more == bare or not isinstance(wants, AtLeast):
        return odds_text(bare, sides)
    # A payment above the shortfall of the worst roll gains nothing.
    worst = max((1, *stand)) if wants.one else count + sum(stand)
    paid = min(wants.short, wants.total - worst)
    coins = say_count(*wants.coins, count=paid)
    return say("{odds}, with {coins} {more}", odds=odds_text(bare, sides), coins=coins, more=odds_text(more, sides))


def goal_text(count: int, sides: int, wants: Wants, stand: tuple[int, ...] = ()) -> Text:
    """Return the goal of a roll and its odds, in one line: "5 or more: 2 in 6, with 3 Baits 5 in 6"."""
    goal: Text
    dice, have = count + len(stand), sum(stand)
    match wants:
        case AtLeast(total, one=True) if dice > 1:
            goal = say("one die with {total}", total=_or_more(total, sides))
        case AtLeast(total):
            goal = _or_more(total, sides * dice)
            if 0 < have < total and not wants.one:
                goal = say("{goal}, {more} to go", goal=goal, more=total - have)
        case AtMost(total):
            goal = say("no face") if total < dice else _up_to(dice, total)
        case Beats(others, ties):
            rivals = say_count("one die", "{count} dice", others)
            if ties:
                goal = say("against {rivals}, ties win", rivals=rivals)
            else:
                goal = say("against {rivals}, ties lose", rivals=rivals)
            if have:
                goal = say("{have} already, {goal}", have=have, goal=goal)
    return say("{goal}: {odds}", goal=goal, odds=chances_text(count, sides, wants, stand))


def _or_more(total: int, most: int) -> Text:
    return say("{total} or more", total=total) if total < most else say("{total}", total=total)


def _up_to(least: int, most: int) -> Text:
    return say("exactly {total}", total=least) if least == most else say("{least} to {most}", least=least, most=most)
