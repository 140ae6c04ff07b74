"""The house player of Penny Lots: find what a lot is worth in points, and what a point is worth in coins.

A lot is worth the points that its cards add now, and a part of those that later cards can add to it (`worth`). `easy` sees only the
points of today, and errs. `steady` shares its coins out among the lots that it can expect to buy. `sharp` tries out later lots
against what the others can pay for them, and bids no more than the lots are worth that it would lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hub.engine.decision import Answer
from hub.engine.sight import Randomness, Sight, Strength
from hub.engine.text import say, say_count

RANKS, SUITS = "6789TJQKA", "CDSH"
SUIT = len(RANKS)
"""A card is a number: 0 to 8 are clubs from the 6 to the Ace, then diamonds, and so on. A holding is one bit for each card."""
SET = (0, 0, 2, 5, 9)  # PL-14


def _runs(mask: int) -> int:
    """PL-15: return the points of the runs in one suit."""
    points = size = 0
    for rank in range(SUIT + 1):
        if mask >> rank & 1:
            size += 1
        else:
            points += size * (size + 1) // 2 - 1 if size > 1 else 0
            size = 0
    return points


RUN = tuple(_runs(mask) for mask in range(1 << SUIT))
"""The points of the runs in one suit, by its cards as bits."""
FULL = (1 << SUIT) - 1
LEFT_OVER = 0.2  # PL-17: the points of a coin at the end
EASY_OFF = 0.7
"""By which part of it `easy` may misjudge a lot."""
SHARE = 1.3
"""How many times its even share of later cards a player gets of those that it needs."""
CHOOSY = (0.8, 0.25)
"""How much more the lots are worth that a player buys than lots on average: a number, and one for each player."""
DEARER = 0.12
"""By which part each further player makes later lots dearer: somebody may need them for secret cards."""
SAMPLES = 12
"""How many pairs of cards are tried as later lots."""
STRENGTHS = ("easy", "steady", "sharp")
STEPS = (0.5, 0.4, 0.5)
"""Which part of the way to its limit a bid of each strength goes."""


class Bidder(NamedTuple):
    """A player, as the seat sees it."""

    coins: int
    held: int
    """The cards, as bits."""


class Sale(NamedTuple):
    """What a decision is weighed with. The first of `bidders` is this seat."""

    bidders: list[Bidder]
    against: list[int]
    """The other bidders who have not dropped out."""
    lot: list[int]
    later: list[int]
    """The next lot."""
    left: int
    """How many lots come after this one."""
    unseen: list[int]
    bid: int


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return a bid below the limit (PL-07), or drop out (PL-08)."""
    sale = sale_of(sight)
    pairs = pairs_of(sale, chance)
    most = limit(sale, pairs, chance, strength)
    if most <= sale.bid:
        return Answer("drop", {})
    goal = (
        min(most, max((even_limit(sale, one, pairs) for one in sale.against), default=0))
        if strength == "sharp"
        else most
    )
    bid = sale.bid + max(1, round((goal - sale.bid) * STEPS[STRENGTHS.index(strength)]))
    return Answer("bid", {"coins": min(bid, top_bid(sale, most))})


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return what the lot adds to the cards of this seat (PL-14, PL-15)."""
    if answer is None:
        return ""
    sale = sale_of(sight)
    added = added_by(sale.bidders[0].held, sale.lot)
    if answer.move == "drop":
        if not added:
            return say("These cards add no points to yours. Keep your coins.")
        points = say_count("1 point", "{count} points", added)
        return say("These cards add {points} to yours. Coins may buy more later.", points=points)
    if not added:
        return say("These cards add no points yet, but later cards can join them.")
    return say_count("These cards add 1 point to yours.", "These cards add {count} points to yours.", added)


def limit(sale: Sale, pairs: list[list[int]], chance: Randomness, strength: Strength) -> int:
    """Return the most coins that this seat pays for the lot."""
    me = sale.bidders[0]
    if strength == "easy":
        value = added_by(me.held, sale.lot) + 1.0
        price = me.coins / even_lots(sale) * value / 4.0 * (1.0 + EASY_OFF * (2.0 * chance.random() - 1.0))
        return min(me.coins, round(price))
    if strength == "steady":
        return even_limit(sale, 0, pairs)
    value = worth(sale, me.held, sale.lot)
    return shrewd_limit(sale, value, pairs)


def even_lots(sale: Sale) -> float:
    """Return how many lots a player can expect to buy, with this one."""
    return max(1.0, (sale.left + 1) / len(sale.bidders))


def even_limit(sale: Sale, place: int, pairs: list[list[int]]) -> int:
    """Return the most that a player pays who shares the coins out among an even part of the lots, by what they are worth."""
    bidder = sale.bidders[place]
    return round(even_price(sale, bidder, worth(sale, bidder.held, sale.lot), average(sale, bidder, pairs)))


def even_price(sale: Sale, bidder: Bidder, value: float, average: float) -> float:
    """Return what such a player pays for cards of this value."""
    most = value / LEFT_OVER
    if average:
        choosy = CHOOSY[0] + CHOOSY[1] * len(sale.bidders)
        most = min(most, bidder.coins * value / (even_lots(sale) * average * choosy))
    return min(float(bidder.coins), most)


def average(sale: Sale, bidder: Bidder, pairs: list[list[int]]) -> float:
    """Return what later lots are worth to a player on average."""
    return sum(worth(sale, bidder.held, pair) for pair in pairs) / len(pairs) if pairs else 0.0


def shrewd_limit(sale: Sale, value: float, pairs: list[list[int]]) -> int:
    """Return the most coins that buy no more points than `value` in later lots, at the prices that the others pay there."""
    me, others = sale.bidders[0], sale.bidders[1:]
    averages = [average(sale, other, pairs) for other in others]
    dearer, goods = 1.0 + DEARER * (len(others) - 1), []
    for pair in pairs:
        limits = [
            even_price(sale, other, worth(sale, other.held, pair), mean)
            for other, mean in zip(others, averages, strict=True)
        ]
        price = 1.0 + dearer * max(limits)
        points = worth(sale, me.held, pair)
        if points > price * LEFT_OVER:
            goods.append((points / price, price))
    goods.sort()
    part = sale.left / max(1, len(pairs))
    spare = me.coins - sum(price for _, price in goods) * part
    most, lost = max(0.0, spare), max(0.0, spare) * LEFT_OVER
    if lost >= value:
        return round(value / LEFT_OVER)
    skip = max(0.0, -spare)
    for rate, price in goods:  # first give up the lots that bring the fewest points for their price
        coins = price * part
        if skip >= coins:
            skip -= coins
            continue
        coins -= skip
        skip = 0.0
        if lost + rate * coins >= value:
            return min(me.coins, round(most + (value - lost) / rate))
        lost += rate * coins
        most += coins
    return me.coins


def top_bid(sale: Sale, most: int) -> int:
    """Return the highest bid that can be needed: one coin more than the richest player who is against this seat has."""
    richest = max((sale.bidders[one].coins for one in sale.against), default=0)
    return max(sale.bid + 1, min(most, richest))


# --- Points ------------------------------------------------------------------------------------------


def worth(sale: Sale, held: int, cards: Sequence[int]) -> float:
    """Return what cards are worth to a holding: the points that they add, and a part of those that later cards can add."""
    chance = min(1.0, 2.0 * sale.left / max(1, len(sale.unseen) + len(sale.later))) * SHARE / len(sale.bidders)
    more = held
    for card in cards:
        more |= 1 << card
    later = 0
    for card in (*sale.unseen, *sale.later):
        if not more >> card & 1:
            later += gain(more, card) - gain(held, card)
    return added_by(held, cards) + chance * later


def added_by(held: int, cards: Sequence[int]) -> int:
    """PL-14, PL-15: return the points that cards add to a holding."""
    added = 0
    for card in cards:
        added += gain(held, card)
        held |= 1 << card
    return added


def gain(held: int, card: int) -> int:
    """PL-14, PL-15: return the points that one card adds to a holding that does not have it."""
    rank, shift = card % SUIT, card // SUIT * SUIT
    same = (
        (held >> rank & 1) + (held >> rank + SUIT & 1) + (held >> rank + 2 * SUIT & 1) + (held >> rank + 3 * SUIT & 1)
    )
    suit = held >> shift & FULL
    return SET[same + 1] - SET[same] + RUN[suit | 1 << rank] - RUN[suit]


# --- Reading the sight -------------------------------------------------------------------------------


def pairs_of(sale: Sale, chance: Randomness) -> list[list[int]]:
    """Return pairs of cards as later lots may have them."""
    if not sale.left:
        return []
    count = min(SAMPLES, len(sale.unseen) // 2)
    drawn = chance.sample(sale.unseen, 2 * count)
    return [sale.later, *(drawn[2 * one : 2 * one + 2] for one in range(count))]


def sale_of(sight: Sight) -> Sale:
    """Return what this seat knows of the sale."""
    table = sight.table
    order = [sight.seat, *sight.others]
    bidders = [Bidder(sight.of(seat)["coins"], bits(sight.of(seat)["cards"])) for seat in order]
    mine = bits(sight.you["hand"])
    bidders[0] = Bidder(bidders[0].coins, bidders[0].held | mine)
    lot, later = numbers(table["lot"]), numbers(table["next"])
    seen = bits(table["lot"]) | bits(table["next"]) | bits(table["unsold"])
    for bidder in bidders:
        seen |= bidder.held
    unseen = [card for card in range(len(SUITS) * SUIT) if not seen >> card & 1]
    against = [place for place, seat in enumerate(order) if place and seat in table["inside"]]
    return Sale(bidders, against, lot, later, table["left"], unseen, table["bid"])


def numbers(cards: Sequence[str]) -> list[int]:
    """Return cards as numbers."""
    return [SUITS.index(card[1]) * SUIT + RANKS.index(card[0]) for card in cards]


def bits(cards: Sequence[str]) -> int:
    """Return cards as bits."""
    held = 0
    for card in numbers(cards):
        held |= 1 << card
    return held
