"""The house player of BID*IT!: deal the cards it cannot see many times over, and count.

Every answer is weighed by how often a bid is true in those deals (BT-14, BT-18, BT-31). A call also gives credit to the bidder,
who has seen a hand: bids are true more often than the deals say (`CREDIT`). A bid is good if it is true and does not look it,
for then somebody calls; a call is good if the bid is seldom true. `easy` misjudges all of it, `steady` deals at random. `sharp`
gives full credit, believes that a seat which bids 5's is likelier to hold some, and changes cards (BT-21).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from hub.engine.decision import Amount, Answer, Move
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import say

RANKS = (1, 2, 3, 4, 5, 6)
STAR = "*"
DEALS = 120
"""How often the hidden cards are dealt (`sharp`; the other strengths a third)."""
MISJUDGED = 1.2
"""By how much `easy` may misjudge a value; a Deal card lost is -1."""
BELIEF = 0.8
"""How much likelier a hand is for each symbol of the rank that its seat has bid (`sharp`)."""
CREDIT = (("easy", 0.4), ("steady", 0.4), ("sharp", 0.7))
"""How far a standing bid is believed beyond what the deals say before it is called, 0 to 1."""
PRESSURE = 0.25
"""What it is worth that the next player must beat a bid which looks high."""
TOLD = 0.05
"""What a change of cards costs by what it tells."""
BIDS_UP = 2
"""How far above the standing quantity a bid is looked for."""
STAKES = (("double", 2), ("redouble", 3))  # BT-44, BT-46


class Bid(NamedTuple):
    """At least so many symbols of a rank."""

    quantity: int
    rank: int


Odds = tuple[tuple[float, ...], ...]
"""By rank and then by number: the part of all deals in which the others hold at least so many of its symbols."""


class Round(NamedTuple):
    """What a decision is weighed with."""

    hand: tuple[int, ...]
    """The own symbols of each rank."""
    odds: Odds
    average: float
    """Symbols of one rank that a hand like this one holds on average."""
    gain: float
    """What it is worth that somebody else loses a Deal card: of two players as much as one's own."""
    credit: float
    """`CREDIT` of the strength that plays."""


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return a bid, a call, cards to change, a side or who gives up a card (BT-20 to BT-28, BT-41 to BT-47, BT-66)."""
    if given := sight.offered("give"):
        targets = given[0].values("target", int)
        return Answer("give", {"target": max(targets, key=lambda seat: int(sight.of(seat)["deal_cards"]))})
    rivals = sum(1 for seat in sight.others if not sight.of(seat)["out"])
    now = deal_often(sight, chance, strength, (1.0 + 1.0 / max(1, rivals)) / 2)
    misjudged = MISJUDGED if strength == "easy" else 0.0
    if sight.offered("side"):
        right = bidder_right(sight, now)
        side = best(("bidder", "caller"), lambda one: right if one == "bidder" else 1 - right, chance, misjudged)
        return Answer("side", {"with": side})
    every = list(chain.from_iterable(candidates(sight, move) for move in sight.offers if move.name != "draw"))
    bids, answers = [one for one in every if one.move == "bid"], [one for one in every if one.move != "bid"]
    if bids:  # one bid only is weighed against the calls: who errs a little on each of twenty would nearly always bid
        answers.append(best(bids, lambda answer: worth(sight, now, answer), chance, misjudged / 4))
    if strength == "sharp" and (move := next(iter(sight.offered("draw")), None)):
        cards = move.values("cards", str)
        after = deal_often(sight, chance, strength, now.gain, change=cards)
        drawn = max(worth_of_bid(after, bid) for bid in next_bids(standing(sight))) - TOLD
        if drawn > max(worth(sight, now, answer) for answer in answers):
            return Answer("draw", {"cards": cards})
    return best(answers, lambda answer: worth(sight, now, answer), chance, misjudged)


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return how many symbols of the bid's rank this hand holds, and how many the others should hold by the cards alone (BT-18).

    How likely a bid is true depends on why it was made, so no hint states odds.
    """
    if answer is None or answer.move == "give":
        return say("That teammate has the most Deal cards left.") if answer else ""
    if answer.move == "draw":
        return say("New cards are more likely to support a bid.")
    bid = Bid(answer["quantity"], answer["rank"]) if answer.move == "bid" else standing(sight)
    mine = symbols(sight.you["hand"])[bid.rank - 1]
    cards, average = by_the_cards(sight, bid.rank)
    return say(
        "You hold {mine} of the {needed}. By the cards alone, the other players' {cards} cards hold about {average}.",
        mine=mine, needed=bid.quantity, cards=cards, average=average,
    )  # fmt: skip


def by_the_cards(sight: Sight, rank: int) -> tuple[int, int]:
    """Return how many cards the others hold, and the mean of their symbols of a rank over all deals, rounded (BT-08, BT-18)."""
    seats = [seat for seat in sight.others if not sight.of(seat)["out"]]
    exposed = list(chain.from_iterable(sight.of(seat)["exposed"] for seat in seats))
    cards, pool = sum(sight.of(seat)["hand_size"] for seat in seats), unseen(sight, seats)
    covered = cards - len(exposed)
    mean = symbols(exposed)[rank - 1] + covered * symbols(pool)[rank - 1] / max(1, len(pool))
    return cards, round(mean)


# --- What may be answered ----------------------------------------------------------------------------


def candidates(sight: Sight, move: Move) -> list[Answer]:
    """Return the answers of a move that are looked at: of all bids, those a little above what must be bid."""
    if move.name != "bid":
        return [Answer(move.name, move.first())]
    quantity = move.params["quantity"]
    least = quantity.first()
    assert isinstance(least, int)
    most = quantity.max if isinstance(quantity, Amount) else least
    reach = 2 + sight.table["in_play"] // 2 if sight.table["bid"] is None else least + BIDS_UP
    show = {"expose": weakest(move.values("expose", str))} if "expose" in move.params else {}
    return [
        Answer("bid", {"quantity": count, "rank": rank, **show})
        for count in range(least, min(most, reach) + 1)
        for rank in move.values("rank", int)
    ]


def next_bids(bid: Bid) -> list[Bid]:
    """BT-15: return the lowest bids over a bid."""
    return [Bid(bid.quantity, rank) for rank in RANKS[bid.rank :]] + [Bid(bid.quantity + 1, rank) for rank in RANKS]


def weakest(cards: Sequence[str]) -> str:
    """BT-55: return the card to show with a sidestep: the one that tells least, without a star and with one symbol."""
    return min(cards, key=lambda card: (STAR in card, len(card), card))


# --- What an answer is worth ---------------------------------------------------------------------------


def worth(sight: Sight, now: Round, answer: Answer) -> float:
    """Return what an answer may be expected to bring, in Deal cards (BT-33)."""
    table = sight.table
    match answer.move:
        case "bid":
            return worth_of_bid(now, Bid(answer["quantity"], answer["rank"]))
        case "challenge":
            true = credited(now, standing(sight))
            return (1.0 - true) * now.gain - true
        case "perfecto":  # BT-32
            exact = exactly(now, standing(sight))
            return exact * now.gain - (1.0 - exact)
        case "double" | "redouble":  # BT-44, BT-46
            return float(dict(STAKES)[answer.move]) * party(sight, now, opening=table["call"] is None)
        case "surrender":  # BT-47
            return -1.0
    return float(table["stake"]) * party(sight, now, opening=False)  # a pass


def worth_of_bid(now: Round, bid: Bid) -> float:
    """BT-14: return what a bid is worth: called, it is won or lost; not called, the next player has to beat it.

    It is called the more often, the less it looks true to who does not see this hand.
    """
    true, looks = truth(now, bid), looks_true(now, bid)
    called: float = max(0.0, 1.0 - looks) ** 0.7
    return called * (true * now.gain - (1.0 - true)) + (1.0 - called) * PRESSURE * (1.0 - looks)


def party(sight: Sight, now: Round, *, opening: bool) -> float:
    """BT-31, BT-32, BT-43: return what the showdown brings now, for one card at stake: as bidder, as caller, or as neither."""
    right, table = bidder_right(sight, now), sight.table
    if table["bid"]["seat"] == sight.seat:
        return right * now.gain - (1.0 - right)
    if opening or table["caller"] == sight.seat:
        return (1.0 - right) * now.gain - right
    return 0.0


def bidder_right(sight: Sight, now: Round) -> float:
    """BT-31, BT-32: return how likely the bidder is right, after a Challenge or a Perfecto."""
    bid = standing(sight)
    return 1.0 - exactly(now, bid) if sight.table["perfecto"] else truth(now, bid)


def truth(now: Round, bid: Bid) -> float:
    """BT-14, BT-18: return how likely a bid is true."""
    return others_hold(now, bid.rank, bid.quantity - now.hand[bid.rank - 1])


def credited(now: Round, bid: Bid) -> float:
    """Return how likely a bid of somebody else is true: that player has seen a hand and bids what it carries."""
    return now.credit + (1.0 - now.credit) * truth(now, bid)


def exactly(now: Round, bid: Bid) -> float:
    """BT-32: return how likely a bid is true to the symbol."""
    return truth(now, bid) - truth(now, bid._replace(quantity=bid.quantity + 1))


def looks_true(now: Round, bid: Bid) -> float:
    """Return how likely a bid is true to somebody who takes this hand for an average one of as many cards."""
    return others_hold(now, bid.rank, round(bid.quantity - now.average))


def others_hold(now: Round, rank: int, count: int) -> float:
    """Return how likely the others hold at least so many symbols of a rank."""
    tail = now.odds[rank - 1]
    return 1.0 if count <= 0 else tail[count] if count < len(tail) else 0.0


# --- Dealing what is hidden --------------------------------------------------------------------------


def deal_often(sight: Sight, chance: Randomness, strength: Strength, gain: float, change: Sequence[str] = ()) -> Round:
    """Return how a round stands over many deals of the cards that this seat does not see (BT-08, BT-56).

    `change` are cards of the own hand that are discarded first: what is drawn for them counts with the others' (BT-21).
    """
    seats = [seat for seat in sight.others if not sight.of(seat)["out"]]
    covered = [sight.of(seat)["hand_size"] - len(sight.of(seat)["exposed"]) for seat in seats]
    exposed = list(chain.from_iterable(sight.of(seat)["exposed"] for seat in seats))
    known, pool, count = symbols(exposed), unseen(sight, seats), sum(covered)
    believed = last_bids(sight) if strength == "sharp" else {}
    weights = [[0.0] * (2 * (count + len(change) + len(exposed)) + 2) for _ in RANKS]
    total = 0.0
    for _ in range(DEALS if strength == "sharp" else DEALS // 3):
        cards, weight, at = chance.sample(pool, min(len(pool), count + len(change))), 1.0, 0
        for seat, size in zip(seats, covered, strict=True):
            if ranks := believed.get(seat):
                held = symbols(cards[at : at + size])
                for rank in ranks:
                    weight *= 1.0 + BELIEF * held[rank - 1]
            at += size
        total += weight
        for place, number in enumerate(symbols(cards)):
            weights[place][known[place] + number] += weight
    hand = list(sight.you["hand"])
    for card in change:
        hand.remove(card)
    average = sum(symbols(pool)) / len(RANKS) / max(1, len(pool)) * len(hand)
    odds = tuple(tuple(sum(line[at:]) / total for at in range(len(line))) for line in weights)
    return Round(tuple(symbols(hand)), odds, average, gain, dict(CREDIT)[strength])


def unseen(sight: Sight, seats: Sequence[int]) -> list[str]:
    """Return the cards of the whole deck, the game's or an owner's, that this seat does not see."""
    pool = [card for card, about in sight.data["cards"].items() for _ in range(about["copies"])]
    for card in chain(sight.you["hand"], sight.table["discards"], *(sight.of(seat)["exposed"] for seat in seats)):
        if card in pool:
            pool.remove(card)
    return pool


def last_bids(sight: Sight) -> dict[int, list[int]]:
    """Return the ranks that each other seat has bid in this round."""
    made: dict[int, list[int]] = {}
    for bid in (*sight.table["former"], sight.table["bid"]):
        if bid and bid["seat"] != sight.seat and bid["rank"] not in made.setdefault(bid["seat"], []):
            made[bid["seat"]].append(bid["rank"])
    return made


def symbols(cards: Sequence[str]) -> list[int]:
    """BT-18: return how many symbols of each rank are on cards; a star counts for every rank."""
    text = "".join(cards)
    stars = text.count(STAR)
    return [text.count(f"{rank}") + stars for rank in RANKS]


def standing(sight: Sight) -> Bid:
    """Return the bid that stands."""
    bid = sight.table["bid"]
    return Bid(bid["quantity"], bid["rank"])
