"""What a roll must show, and exactly how likely that is.

Odds are whole numbers and fractions: floats differ from machine to machine. In all functions `count` dice of `sides`
sides (1 to `sides`) are still to fall, and `stand` are the faces of those of the roll that lie already.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import TypeAlias

from msgspec import Struct


class AtLeast(Struct, frozen=True):
    """The total must reach `total`; with `one`, a single die must.

    `short` is by how much the total may fall short, because the roller can pay the rest in `coin` ("Bait"). 0: it may not.
    """

    total: int
    one: bool = False
    short: int = 0
    coin: str = ""


class AtMost(Struct, frozen=True):
    """The total must not be above `total`."""

    total: int


class Beats(Struct, frozen=True):
    """The total must be above that of `count` other dice of as many sides, which are rolled later; with `ties`, or equal."""

    count: int
    ties: bool = False


Wants: TypeAlias = AtLeast | AtMost | Beats


@cache
def ways(count: int, sides: int) -> tuple[int, ...]:
    """Return for each total, from 0 to `count * sides`, how many of all `sides ** count` rolls show it."""
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
    """Return the chance that a roll shows what is wanted, with nothing paid."""
    match wants:
        case AtLeast(total, one=True):
            if max(stand, default=0) >= total:
                return Fraction(1)
            too_low = min(max(total - 1, 0), sides)  # so many faces of a die
            return 1 - Fraction(too_low, sides) ** count
        case AtLeast(total):
            return reach(count, sides, total - sum(stand))
        case AtMost(total):
            return 1 - reach(count, sides, total + 1 - sum(stand))
        case Beats(others, ties):
            return beat(count, others, sides, ties=ties, ahead=sum(stand))


def chance_with_payment(count: int, sides: int, wants: Wants, stand: Sequence[int] = ()) -> Fraction | None:
    """Return the chance of a roll when what is missing may be paid; None where nothing may."""
    if isinstance(wants, AtLeast) and wants.short and wants.coin:
        return chance(count, sides, AtLeast(wants.total - wants.short, wants.one), stand)
    return None


def odds_text(odds: Fraction, sides: int = 6) -> str:
    """Return odds as people say them: "sure", "never", "2 in 6", and beyond one die "37 in 100", to the nearest."""
    if odds in (0, 1):
        return "sure" if odds else "never"
    if sides % odds.denominator == 0:
        return f"{odds.numerator * sides // odds.denominator} in {sides}"
    hundredths = (odds * 200 + 1) // 2
    if not 0 < hundredths < 100:
        return "less than 1 in 100" if hundredths == 0 else "more than 99 in 100"
    return f"{hundredths} in 100"


def exact_text(odds: Fraction) -> str:
    """Return odds as an exact count of rolls: "575 in 1,296"."""
    return f"{odds.numerator:,} in {odds.denominator:,}"


@lru_cache(1024)
def chances_text(count: int, sides: int, wants: Wants, stand: tuple[int, ...] = ()) -> str:
    """Return the odds of a roll, and those with what may be paid: "2 in 6, with 3 Baits 5 in 6"."""
    bare = chance(count, sides, wants, stand)
    more = chance_with_payment(count, sides, wants, stand)
    if more is None or more == bare or not isinstance(wants, AtLeast):
        return odds_text(bare, sides)
    # Paying more than what the worst roll is short of gains nothing.
    paid = min(wants.short, wants.total - (1 if wants.one else count + sum(stand)))
    return f"{odds_text(bare, sides)}, with {paid} {wants.coin}{'' if paid == 1 else 's'} {odds_text(more, sides)}"


def goal_text(count: int, sides: int, wants: Wants, stand: tuple[int, ...] = ()) -> str:
    """Return what a roll wants, and its odds, in one line: "5 or more: 2 in 6, with 3 Baits 5 in 6"."""
    goal, dice, have = "", count + len(stand), sum(stand)
    match wants:
        case AtLeast(total):
            goal = f"{'one die with ' if wants.one and dice > 1 else ''}{total}{' or more' if total < sides * dice else ''}"
            goal += f", {total - have} to go" if 0 < have < total and not wants.one else ""
        case AtMost(total):
            faces = "no face" if total < dice else f"a {dice}" if total == dice else f"{dice} to {total}"
            goal = f"{faces}"
        case Beats(others, ties):
            rivals = "one die" if others == 1 else f"{others} dice"
            goal = f"{f'{have} already, ' if have else ''}against {rivals}, equal totals {'win' if ties else 'lose'}"
    return f"{goal}: {chances_text(count, sides, wants, stand)}"
