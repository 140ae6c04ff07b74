"""The house player of Spoof: count the ways in which the fists that it cannot see add up to each total.

`easy` misjudges these chances. `steady` calls the likeliest total that is left. `sharp` also reads the calls before its own,
because they follow from their players' coins, and prefers calls from which the next players learn little. In a larger group,
`sharp` often hides no coin or all of them: then the total is far from where the others look for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hub.engine.decision import Answer
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import say, say_count

MISJUDGED = 3.0
"""By how much `easy` may misjudge the chance of a total, as a part of the best chance there is."""
LARGE = 4
"""From this number of players on, an empty or a full fist is good."""
EXTREME = 0.8
"""How often `sharp` hides no coin or all of them then, besides the times when it hides any number."""
TRUST = 16
"""How surely players call what is likely for them (`sharp`): chances are taken to this power."""
BLUFFS = 0.3
"""How often a call says nothing about its player's coins (`sharp`)."""
SECRECY = 0.02
"""What it is worth that nobody knows one's coins from one's call (`sharp`), as a chance to be right."""

Spread = tuple[float, ...]
"""How likely fists hold 0, 1, 2 .. coins together."""


class Round(NamedTuple):
    """What a player knows when it calls."""

    mine: int
    fewest: int
    """How few coins a fist may hold."""
    most: int
    """How many coins a fist may hold."""
    others: int
    """How many other players are in the game."""
    calls: tuple[int, ...]
    """The numbers that are gone, in the order in which they were called."""
    honest: bool
    """Whether nobody may bluff (SP-V01)."""


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return coins to hide (SP-03), or a number to call (SP-04)."""
    (move,) = sight.offers
    if move.name == "hide":
        return Answer("hide", {"coins": hidden(sight, move.values("coins", int), chance, strength)})
    now = round_of(sight)
    chances = unseen(now, reads=strength == "sharp")
    noise = MISJUDGED * max(chances) if strength == "easy" else 0.0
    numbers = move.values("number", int)
    able = [number for number in numbers if at(chances, number - now.mine) > 0.0]
    if strength == "easy" or not able:
        able = numbers
    secrecy = SECRECY if strength == "sharp" and len(now.calls) < now.others else 0.0

    def worth(number: int) -> float:
        """Return the chance that a number is right, less what it gives away."""
        given_away = secrecy * reading(now, now.calls, number)[now.mine] if secrecy else 0.0
        return at(chances, number - now.mine) - given_away

    return Answer("call", {"number": best(able, worth, chance, noise)})


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return what the call leaves for the other fists, or what hidden coins are good for."""
    if answer is None:
        return ""
    if answer.move == "hide":
        coins = sight.offers[0].values("coins", int)
        if playing(sight) >= LARGE and answer["coins"] in (coins[0], coins[-1]):
            return say("With very few or very many coins, the total is harder to guess for the others.")
        return say("No number is better than another. What counts is that nobody can guess yours.")
    now = round_of(sight)
    rest = answer["number"] - now.mine
    if not now.others * now.fewest <= rest <= now.others * now.most:
        return say("Every number that fits your coins is gone. This one can only mislead the others.")
    return say_count(
        "You hide {mine}. The other fist must hold {rest} then, of {most} at most.",
        "You hide {mine}. The other {count} fists must hold {rest} together then, of {most} at most.",
        now.others, mine=say_count("1 coin", "{count} coins", now.mine), rest=rest, most=now.others * now.most,
    )  # fmt: skip


def hidden(sight: Sight, coins: list[int], chance: Randomness, strength: Strength) -> int:
    """Return how many coins to hide: any number, but `sharp` often hides the fewest or the most."""
    if strength == "sharp" and playing(sight) >= LARGE and chance.random() < EXTREME:
        return chance.choice([coins[0], coins[-1]])
    return chance.choice(coins)


# --- What others may hide ------------------------------------------------------------------------------


def unseen(now: Round, *, reads: bool) -> Spread:
    """Return how likely each sum of the other fists is. With `reads`, calls tell about their players' coins."""
    fists = [even(now)] * now.others
    if reads:
        for place, number in enumerate(now.calls):
            fists[place] = reading(now, now.calls[:place], number)
    return total_of(tuple(fists))


def reading(now: Round, before: tuple[int, ...], number: int) -> Spread:
    """Return how likely a player who has called a number hides 0, 1, 2 .. coins.

    The player thinks of the other fists as of any, and probably calls what is likely with the player's own coins.
    """
    sums = total_of((even(now),) * now.others)
    last = (now.others + 1) * now.most
    weights = [0.0] * (now.most + 1)
    for coins in range(now.fewest, now.most + 1):
        able = [one for one in range(last + 1) if one not in before and at(sums, one - coins) > 0.0]
        likely = sum(at(sums, one - coins) ** TRUST for one in able)
        wanted = at(sums, number - coins) ** TRUST / likely if likely else 0.0
        if now.honest:
            weights[coins] = wanted
        else:
            weights[coins] = (1.0 - BLUFFS) * wanted + BLUFFS / (last + 1 - len(before))
    return tuple(weight / sum(weights) for weight in weights) if sum(weights) else even(now)


def even(now: Round) -> Spread:
    """Return a fist of which nothing is known."""
    return (0.0,) * now.fewest + (1.0 / (now.most - now.fewest + 1),) * (now.most - now.fewest + 1)


@lru_cache(maxsize=1024)
def total_of(fists: tuple[Spread, ...]) -> Spread:
    """Return how likely each sum of fists is."""
    found: Spread = (1.0,)
    for fist in fists:
        sums = [0.0] * (len(found) + len(fist) - 1)
        for coins, likely in enumerate(found):
            for more, too in enumerate(fist, coins):
                sums[more] += likely * too
        found = tuple(sums)
    return found


def at(spread: Spread, coins: int) -> float:
    """Return how likely there are exactly so many coins."""
    return spread[coins] if 0 <= coins < len(spread) else 0.0


# --- Reading the sight -------------------------------------------------------------------------------


def round_of(sight: Sight) -> Round:
    """Return what this seat knows when it calls."""
    table = sight.table
    count = len(table["order"])
    calls = tuple(call["number"] for call in table["calls"])
    fewest, most = table["least"] // count, table["most"] // count
    return Round(sight.you["fist"], fewest, most, count - 1, calls, sight.options["no_bluffing"])


def playing(sight: Sight) -> int:
    """Return how many players are still in the game."""
    return sum(not sight.of(seat)["safe"] for seat in sight.seats)
