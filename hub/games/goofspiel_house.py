"""The house player of Goofspiel: each prize is a small game of its own, weighed with what the cards left are still worth.

Cards left are worth the prizes to come that they are likely to take, the highest card for the highest prize, and so on. Equals
who see the same would tie if each bid its best card, so `steady` and `sharp` draw their bids from a mixture: against one
other player from one that nobody can make use of (`mixture`), among several from one in which all reckon alike (`settled`).
Among several, `sharp` answers a table of which half bid like `steady`. Against one other player, `sharp` also learns what that
player tends to bid (`habits_of`) and solves the last cards (`endgame`). `easy` bids near the card that ranks as the prize does
among those left.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp, factorial
from typing import NamedTuple

from hub.engine.decision import Answer
from hub.engine.sight import Randomness, Sight, Strength
from hub.engine.text import say

CARDS = 13
"""The most cards of a hand (GS-V01)."""
EASY = 1.2
"""By which part of a hand a bid of `easy` may be off the rank of its prize."""
OFF = 0.1
"""By which part of an average prize a bid among several others is worth less if it is made e times less often."""
LATER = 0.85
"""What cards that are kept against two others take in the end, as a part of what they should: who waits for low bids is outbid.

Against more, bids cancel one another more often, and high cards that are kept take what they should.
"""
LATER_SHARP = 1.3
"""The same for `sharp` against four others or more.

Bids that tie take nothing at once, and `steady` spends its high cards too early: "always the lowest card" wins against it.
Against two or three others, or if a tie shares the prize (GS-V03), this factor would lose to players who bid some places
above the prize.
"""
BY_STEADY = 0.5
"""How often `sharp` expects each of several others to bid like `steady`. Otherwise it expects them to bid like `sharp`."""
ANSWERS, SLOWER = 16, 0.7
"""How often the mixtures of several players answer one another, and how much less each time."""
HABITS = tuple((width, above) for width in (0.06, 0.15, 0.4, 9.0) for above in (0.0, 0.12))
"""How others may bid: how near the rank of the prize (9 is anywhere), and how much above, as parts of a hand."""
PRIOR = (0.05, 0.03, 0.2, 0.12, 0.2, 0.1, 0.3, 0.0)
"""How likely each of `HABITS` is of somebody who has bid nothing yet."""
WIDE = (0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.0)
"""... and of anybody, later: cards are spent, and ways are changed. It keeps high cards from being spent too early."""
COMING = (0.0, 0.2, 0.4, 0.2, 0.1, 0.1, 0.0, 0.0)
"""The habits that each of several others is expected to have in rounds to come: most bid near the rank of the prize."""
SAME = 0.2
"""How far others are taken to go on as before in rounds to come; the rest is `WIDE`."""
TRUSTED = 0.75
"""How often, in this round, one other player is taken to go on as before; else to answer as well as can be."""
ROUNDS = 40
"""How often for each card two players answer one another until their mixtures are taken as settled."""
EXACT = 3
"""With so many cards left each, or fewer, what is to come is solved and not estimated."""
Hand = tuple[int, ...]
"""Ranks, rising."""


class Prize(NamedTuple):
    """What is bid for, and the rules of it that the options settle."""

    worth: int
    coming: Hand
    tie: str
    order: str
    one: bool

    def counts(self, rank: int) -> int:
        """GS-10, GS-V06: return the points of a prize."""
        return 1 if self.one else rank


class Rival(NamedTuple):
    """Another player: the cards held, and how likely each of `HABITS` is."""

    hand: Hand
    habits: Sequence[float]

    @property
    def later(self) -> list[float]:
        """Return the habits to be expected of rounds to come."""
        return [SAME * seen + (1.0 - SAME) * wide for seen, wide in zip(self.habits, WIDE, strict=True)]


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return a bid (GS-05)."""
    ranks = {card: place for place, card in enumerate(sight.table["suit"], 1)}
    hands = {seat: hand_of(sight, seat, ranks) for seat in sight.seats}
    mine = hands.pop(sight.seat)
    options = sight.options
    prize = Prize(
        sight.table["worth"], hand(ranks[card] for card in sight.table["coming"]), options["tie"], options["order"],
        options["points"] == "one",
    )  # fmt: skip
    sharp = strength == "sharp"
    if strength == "easy":
        rank = by_rank(prize, mine, chance)
    elif len(hands) == 1:
        (seat, held) = hands.popitem()
        habits = habits_of(sight, prize, len(ranks))[seat] if sharp else PRIOR
        rank = against_one(prize, mine, Rival(held, habits), chance, sharp=sharp)
    else:
        rank = against_several(prize, mine, list(hands.values()), chance, sharp=sharp)
    return Answer("bid", {"card": sight.table["suit"][rank - 1]})


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return why a bid is drawn from a mixture."""
    if answer is None:
        return ""
    return say("If the others can predict your bid, they can beat it: this one is worth making now and then.")


# --- A rule of thumb ---------------------------------------------------------------------------------


def by_rank(prize: Prize, mine: Hand, chance: Randomness) -> int:
    """Return the card that stands among those held where the prize stands among those that are left, give or take."""
    part = EASY * (chance.random() + chance.random() - 1.0)
    place = middle(prize, len(mine)) + len(mine) * part
    return mine[min(max(round(place), 0), len(mine) - 1)]


def middle(prize: Prize, cards: int) -> float:
    """Return the place in a hand, from 0, that is the prize's among those that are left."""
    below = sum(prize.counts(rank) < prize.worth for rank in prize.coming)
    above = sum(prize.counts(rank) > prize.worth for rank in prize.coming)
    return (below + (cards - 1 - above)) / 2


# --- What the others do --------------------------------------------------------------------------------


def habits_of(sight: Sight, prize: Prize, cards: int) -> dict[int, Sequence[float]]:
    """Return for each seat how well each of `HABITS` has foretold what it bid, as parts of one."""
    held = {seat: tuple(range(1, cards + 1)) for seat in sight.seats}
    left = tuple(range(1, cards + 1))
    likely = {seat: list(PRIOR) for seat in sight.seats}
    now = prize
    for event in sight.events:
        if event.kind == "prize":
            newest = sight.table["suit"].index(event.data["prizes"][-1]) + 1
            left = without(left, newest)
            now = prize._replace(worth=event.data["worth"], coming=left)
        elif event.kind == "reveal":
            for seat in sight.seats:
                bid, place = event.data["bids"][f"{seat}"], middle(now, len(held[seat]))
                at = held[seat].index(bid)
                for number, (width, above) in enumerate(HABITS):
                    likely[seat][number] *= bell(len(held[seat]), place, width, above)[at]
                held[seat] = without(held[seat], bid)
    return {seat: shares(weights) for seat, weights in likely.items()}


def forecast(cards: int, place: float, habits: Sequence[float]) -> list[float]:
    """Return how likely each card of a hand is bid for a prize of that place."""
    bells = [bell(cards, place, width, above) for width, above in HABITS]
    return [sum(map(float.__mul__, habits, at)) for at in zip(*bells, strict=True)]


def below(cards: int, places: int, habits: Sequence[float]) -> list[list[float]]:
    """Return for each prize to come, by rising rank, how likely the bid is one of the first 0, 1, 2 .. cards of a hand."""
    step = (cards - 1) / max(places - 1, 1)
    return [
        [0.0, *accumulate(forecast(cards, place * step if places > 1 else (cards - 1) / 2, habits))]
        for place in range(places)
    ]


@lru_cache(maxsize=4096)
def bell(cards: int, place: float, width: float, above: float) -> tuple[float, ...]:
    """Return how likely each card of a hand is bid by who aims at a place in it, and misses by a part of the hand."""
    aim = min(place + above * cards, cards - 1.0)
    weights = [exp(-abs(at - aim) / (width * cards)) + 0.01 for at in range(cards)]
    return tuple(shares(weights))


# --- Two players -------------------------------------------------------------------------------------


def against_one(prize: Prize, mine: Hand, other: Rival, chance: Randomness, *, sharp: bool) -> int:
    """Return a bid, drawn from a mixture that nobody can make use of.

    `sharp` mostly answers what the other player is likely to bid, and solves the last cards.
    """
    guess = forecast(len(mine), middle(prize, len(mine)), other.habits) if sharp else []
    if sharp and len(mine) <= EXACT:
        gains = [[exactly(prize, mine, other.hand, a, b) for b in other.hand] for a in mine]
    else:
        bids = below(len(mine) - 1, len(prize.coming), other.later)
        gains = [[about(prize, bids, without(mine, a), other.hand, a, b) for b in other.hand] for a in mine]
    part = mixture(gains, guess)[0]
    return drawn(mine, part, chance) if part else max(zip(map(min, gains), mine, strict=True))[1]


def drawn(mine: Hand, part: Sequence[float], chance: Randomness) -> int:
    """Return one card of a hand, each as often as its part says."""
    left = chance.random()
    for rank, share in zip(mine, part, strict=True):
        left -= share
        if left < 0:
            return rank
    return mine[max(range(len(mine)), key=part.__getitem__)]


def exactly(prize: Prize, mine: Hand, other: Hand, a: int, b: int) -> float:
    """Return how far ahead of the other side a bid of `a` against `b` leads in the end, both going on as well as can be."""
    carried = prize.worth if a == b and prize.tie == "carry" else 0
    now = prize.worth * ((a > b) - (a < b))
    return now + endgame(prize._replace(worth=carried), without(mine, a), without(other, b))


def about(prize: Prize, bids: Sequence[Sequence[float]], mine: Hand, other: Hand, a: int, b: int) -> float:
    """Return how far ahead a bid of `a` against `b` leads, the other side bidding like that for the prizes to come."""
    left, ahead, all_in = without(other, b), 0.0, 0.0
    for prize_rank, rank, bid in zip(prize.coming, mine, bids, strict=True):
        place = bisect_left(left, rank)
        behind = bid[place + 1] if place < len(left) and left[place] == rank else bid[place]
        edge = bid[place] + behind - 1.0
        ahead += prize.counts(prize_rank) * edge
        all_in += edge
    if a == b:
        return ahead + (prize.worth * all_in / len(mine) if prize.tie == "carry" else 0.0)
    return ahead + (prize.worth if a > b else -prize.worth)


def mixture(gains: Sequence[Sequence[float]], guess: Sequence[float] = ()) -> tuple[list[float], float]:
    """Return how often to make each bid of a table of gains, and what that gains: each side answers the other's past.

    This is fictitious play (G. W. Brown, 1951). With a `guess` the other side keeps to it so often as `TRUSTED` says
    (M. Johanson and others, "Computing robust counter-strategies", 2007).
    """
    across, rounds = list(zip(*gains, strict=True)), ROUNDS * len(gains)
    if not guess and (sure := max(map(min, gains))) == min(map(max, across)):
        return [], sure  # no mixture is better
    base = [TRUSTED * sum(map(float.__mul__, row, guess)) for row in gains] if guess else [0.0] * len(gains)
    free = 1.0 - TRUSTED if guess else 1.0
    mine, other = [0.0] * len(gains), [0.0] * len(across)
    made = [0] * len(gains)
    for number in range(1, rounds + 1):
        worth = [number * sure + free * won for sure, won in zip(base, mine, strict=True)]
        row = worth.index(max(worth))
        made[row] += 1
        other = list(map(float.__add__, other, gains[row]))
        mine = list(map(float.__add__, mine, across[other.index(min(other))]))
    part = shares(made)
    return part, (max(mine) + min(other)) / 2 / rounds


def shares(weights: Sequence[float]) -> list[float]:
    """Return weights as parts of one, all alike where there are none."""
    whole = sum(weights)
    return [weight / whole for weight in weights] if whole > 0 else [1.0 / len(weights)] * len(weights)


@lru_cache(maxsize=20_000)
def endgame(prize: Prize, mine: Hand, other: Hand) -> float:
    """Return how far ahead the rest of a match leads, both sides playing as well as can be; `worth` is what a tie left."""
    if not mine:
        return 0.0
    worth = 0.0
    nexts = {"random": prize.coming, "rising": prize.coming[:1], "falling": prize.coming[-1:]}[prize.order]
    for rank in nexts:
        now = prize._replace(worth=prize.worth + prize.counts(rank), coming=without(prize.coming, rank))
        gains = [[exactly(now, mine, other, a, b) for b in other] for a in mine]
        worth += gains[0][0] if len(mine) == 1 else mixture(gains)[1]
    return worth / len(nexts)


# --- Several players ---------------------------------------------------------------------------------


class Side(NamedTuple):
    """A player of one round among several."""

    hand: Hand
    kept: list[float]
    """The points that the cards left are worth after each bid."""
    guess: Sequence[float]
    """How likely each card is bid by `steady`."""
    by_guess: float
    """How often the others expect this player to bid by `guess`."""


def against_several(prize: Prize, mine: Hand, others: Sequence[Hand], chance: Randomness, *, sharp: bool) -> int:
    """Return a bid, drawn from a mixture: what is worth more is bid more often, and everybody is taken to reckon so.

    Equals who see the same would otherwise bid the same card every time, and take nothing.
    """
    hands, later = [mine, *others], LATER if len(others) == 2 else 1.0
    coming = below(len(mine), len(prize.coming), COMING)
    worth = [kept(prize, held, [*hands[:at], *hands[at + 1 :]], coming) for at, held in enumerate(hands)]
    sides = [
        Side(held, [later * points for points in left], [0.0] * len(held), 0.0)
        for held, left in zip(hands, worth, strict=True)
    ]
    parts = settled(prize, sides)
    if sharp and prize.tie != "next":  # GS-V04: the bids that cancel one another decide, not what others tend to bid
        later = LATER_SHARP if len(others) > 3 and prize.tie != "split" else later
        parts = settled(prize, [
            Side(held, [later * points for points in left], guess, BY_STEADY)
            for held, left, guess in zip(hands, worth, parts, strict=True)
        ])  # fmt: skip
    return drawn(mine, parts[0], chance)


def kept(prize: Prize, held: Hand, rivals: Sequence[Hand], bids: Sequence[Sequence[float]]) -> list[float]:
    """Return for each card of a hand what the rest of it will take of the prizes to come: the lowest for the lowest, and so on.

    `bids` is what `below` says of every rival.
    """
    as_is, one_up = [0.0], [0.0]
    for place, rank in enumerate(prize.coming):
        then, others = prize._replace(worth=prize.counts(rank)), [(rival, bids[place]) for rival in rivals]
        low, high = gains_now(then, held[place : place + 2], others)
        as_is.append(as_is[-1] + low)
        one_up.append(one_up[-1] + high)
    return [as_is[place] + one_up[-1] - one_up[place] for place in range(len(held))]


def settled(prize: Prize, sides: Sequence[Side]) -> list[list[float]]:
    """Return how often each side makes each bid, once all have answered one another's mixtures for some rounds.

    A bid that is worth `OFF` less is made e times less often (R. McKelvey, T. Palfrey, "Quantal response equilibria", 1995).
    """
    scale = OFF * (prize.worth + sum(map(prize.counts, prize.coming))) / (len(prize.coming) + 1)
    parts = [[1.0 / len(side.hand)] * len(side.hand) for side in sides]
    for number in range(ANSWERS):
        bids = [
            [0.0, *accumulate(
                side.by_guess * guessed + (1.0 - side.by_guess) * share
                for guessed, share in zip(side.guess, part, strict=True)
            )]
            for side, part in zip(sides, parts, strict=True)
        ]  # fmt: skip
        for place, side in enumerate(sides):
            others = [(other.hand, bid) for at, (other, bid) in enumerate(zip(sides, bids, strict=True)) if at != place]
            worth = list(map(float.__add__, side.kept, gains_now(prize, side.hand, others)))
            most = max(worth)
            answer = shares([exp((one - most) / scale) for one in worth])
            step = 1.0 / (number + 1) ** SLOWER
            parts[place] = [old + step * (new - old) for old, new in zip(parts[place], answer, strict=True)]
    return parts


def gains_now(prize: Prize, held: Hand, others: Sequence[tuple[Hand, Sequence[float]]]) -> list[float]:
    """Return the points that each card of a hand may expect of this prize."""
    if prize.tie == "next":
        alone = alone_or_cancelled(others)
        return [prize.worth * alone[rank] for rank in held]
    return [taken(prize, rank, [chances(hand, bid, rank) for hand, bid in others]) for rank in held]


def alone_or_cancelled(others: Sequence[tuple[Hand, Sequence[float]]]) -> list[float]:
    """GS-V04: return for each rank how likely nobody else bids it, and no higher rank is bid by exactly one.

    The others are taken for equals who bid as they do on average. How so many bids may fall on the ranks is counted with
    exponential generating functions: `above` holds the factors of those ranks above that are bid by none or by several.
    """
    count, most = len(others), max(hand[-1] for hand, _ in others) + 1
    share = [0.0] * (max(most, CARDS) + 1)
    for hand, bid in others:
        for place, rank in enumerate(hand):
            share[rank] += (bid[place + 1] - bid[place]) / count
    above, lower, found = [1.0] + [0.0] * count, 1.0, [0.0] * len(share)
    for rank in range(len(share) - 1, 0, -1):
        lower = max(0.0, lower - share[rank])
        found[rank] = factorial(count) * sum(
            above[used] * lower ** (count - used) / factorial(count - used) for used in range(count + 1)
        )
        if share[rank]:
            several = [1.0, 0.0, *(share[rank] ** bids / factorial(bids) for bids in range(2, count + 1))]
            above = [sum(above[at] * several[used - at] for at in range(used + 1)) for used in range(count + 1)]
    return found


def chances(held: Hand, bid: Sequence[float], rank: int) -> tuple[float, float]:
    """Return how likely a bid from that hand is lower than `rank`, and how likely it is the same."""
    place = bisect_left(held, rank)
    same = bid[place + 1] - bid[place] if place < len(held) and held[place] == rank else 0.0
    return bid[place], same


def taken(prize: Prize, rank: int, against: Sequence[tuple[float, float]]) -> float:
    """GS-07, GS-08, GS-V03: return the points that a bid may expect of this prize."""
    alone = equal = 1.0
    for lower, same in against:
        alone *= lower
        equal *= lower + same
    tied = equal - alone
    match prize.tie:
        case "split":
            return prize.worth * alone + prize.worth // 2 * tied
        case "carry":
            return prize.worth * (alone + tied / (len(against) + 1))
    return prize.worth * alone


# --- Reading the sight -------------------------------------------------------------------------------


def hand(ranks: Iterable[int]) -> Hand:
    """Return ranks as they are weighed here, rising."""
    return tuple(sorted(ranks))


def hand_of(sight: Sight, seat: int, ranks: Mapping[str, int]) -> Hand:
    """GS-13: return the cards that a seat holds: everybody knows them."""
    return hand(ranks[card] for card in sight.of(seat)["hand"])


def without(held: Hand, rank: int) -> Hand:
    """Return a hand without one card."""
    place = held.index(rank)
    return held[:place] + held[place + 1 :]
