"""What a roll must show, and exactly how likely that is. Whole numbers and fractions: no float comes near a state."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import TypeAlias

from msgspec import Struct


class AtLeast(Struct, frozen=True):
    """The total must reach `total`; with `one`, a single die must.

    `short` is by how much the total may fall short, because the roller can pay the rest in `coin` ("Bait").
    """

    total: int
    one: bool = False
    short: int = 0
    coin: str = ""


class AtMost(Struct, frozen=True):
    """The total must not be above `total`."""

    total: int


class Beats(Struct, frozen=True):
    """The total must beat that of `count` other dice of as many sides, which are rolled later. With `ties`, equal will do."""

    count: int
    ties: bool = False


Wants: TypeAlias = AtLeast | AtMost | Beats


@cache
def ways(count: int, sides: int) -> tuple[int, ...]:
    """In how many of all rolls of `count` dice each total from 0 on comes up."""
    if count == 0:
        return (1,)
    before = ways(count - 1, sides)
    return tuple(
        sum(before[total - face] for face in range(1, sides + 1) if 0 <= total - face < len(before))
        for total in range(count * sides + 1)
    )


def reach(count: int, sides: int, total: int) -> Fraction:
    """The chance that `count` dice together show `total` or more."""
    return Fraction(sum(ways(count, sides)[max(total, 0) :]), sides**count)


def beat(count: int, others: int, sides: int, *, ties: bool = False, ahead: int = 0) -> Fraction:
    """The chance that `count` dice and `ahead` beside them show more than `others` dice; with `ties`, or as much."""
    mine, least = ways(count, sides), (0 if ties else 1) - ahead
    wins = sum(many * sum(mine[max(total + least, 0) :]) for total, many in enumerate(ways(others, sides)))
    return Fraction(wins, sides ** (count + others))


def chance(count: int, sides: int, wants: Wants, stand: Sequence[int] = ()) -> Fraction:
    """The chance that a roll shows what is wanted, nothing paid, when these dice of it `stand` and `count` are to come."""
    match wants:
        case AtLeast(total, one=True):
            return (
                Fraction(1)
                if max(stand, default=0) >= total
                else 1 - Fraction(min(max(total - 1, 0), sides), sides) ** count
            )
        case AtLeast(total):
            return reach(count, sides, total - sum(stand))
        case AtMost(total):
            return 1 - reach(count, sides, total + 1 - sum(stand))
        case Beats(others, ties):
            return beat(count, others, sides, ties=ties, ahead=sum(stand))


def helped(count: int, sides: int, wants: Wants, stand: Sequence[int] = ()) -> Fraction | None:
    """The same where what is missing may be paid; None where nothing can be."""
    if isinstance(wants, AtLeast) and wants.short and wants.coin:
        return chance(count, sides, AtLeast(wants.total - wants.short, wants.one), stand)
    return None


def spoken(odds: Fraction, sides: int = 6) -> str:
    """Odds as people say them: "sure", "never", "2 in 6", and beyond one die "37 in 100" to the nearest."""
    if odds in (0, 1):
        return "sure" if odds else "never"
    if sides % odds.denominator == 0:
        return f"{odds.numerator * sides // odds.denominator} in {sides}"
    hundredths = (odds * 200 + 1) // 2
    if not 0 < hundredths < 100:
        return "less than 1 in 100" if hundredths == 0 else "more than 99 in 100"
    return f"{hundredths} in 100"


def exact(odds: Fraction) -> str:
    """The same odds to the last roll: "575 in 1,296"."""
    return f"{odds.numerator:,} in {odds.denominator:,}"


@lru_cache(1024)
def chances(count: int, sides: int, wants: Wants, stand: tuple[int, ...] = ()) -> str:
    """The odds of a roll, and with what may be paid: "2 in 6, with 3 Baits 5 in 6"."""
    bare = chance(count, sides, wants, stand)
    more = helped(count, sides, wants, stand)
    if more is None or more == bare or not isinstance(wants, AtLeast):
        return spoken(bare, sides)
    # More than what lifts the worst roll over the line helps nobody.
    paid = min(wants.short, wants.total - (1 if wants.one else count + sum(stand)))
    return f"{spoken(bare, sides)}, with {paid} {wants.coin}{'' if paid == 1 else 's'} {spoken(more, sides)}"


def told(count: int, sides: int, wants: Wants, stand: tuple[int, ...] = ()) -> str:
    """What a roll wants, and its odds, in one line: "5 or more: 2 in 6, with 3 Baits 5 in 6"."""
    goal, dice, have = "", count + len(stand), sum(stand)
    match wants:
        case AtLeast(total):
            goal = f"{'one die with ' if wants.one and dice > 1 else ''}{total}{' or more' if total < sides * dice else ''}"
            goal += f", {total - have} to go" if 0 < have < total and not wants.one else ""
        case AtMost(total):
            goal = (
                "no face will do"
                if total < dice
                else f"{dice} will do"
                if total == dice
                else f"{dice} to {total} will do"
            )
        case Beats(others, ties):
            rivals = "one die" if others == 1 else f"{others} dice"
            goal = f"{f'{have} already, ' if have else ''}against {rivals}, a tie {'wins' if ties else 'loses'}"
    return f"{goal}: {chances(count, sides, wants, stand)}"
