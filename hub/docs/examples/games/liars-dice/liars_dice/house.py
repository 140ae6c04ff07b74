"""The house player of Liar's Dice: weigh every answer by how many of the dice that it cannot see show a face.

A call is good if the bid is seldom true. A bid is good if it is true when somebody calls it. `easy` misjudges both. `steady`
counts on dice alone. `sharp` also believes that players hold what they bid, and asks which hands of the next player would call.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, exp
from typing import NamedTuple

from hub.engine.decision import Amount, Answer
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import say

FACES = (1, 2, 3, 4, 5, 6)
WILD = 1
MISJUDGED = 0.9
"""By how much `easy` may misjudge a value; a die lost is -1."""
BELIEF = 1.5
"""How much likelier a hand is for each die of a face that its player has bid (`sharp`)."""
DOUBTS = 0.45
"""Below this probability, as the next player sees it, a bid is called rather than raised."""
SHARPNESS = 0.12
"""How gradually players begin to doubt a bid around `DOUBTS`."""
RAISED = 0.3
"""What it is worth that the next player raises the bid, as a part of what the die of another player is worth."""
REACH = 2
"""How far above the lowest bid quantities are looked at."""

Spread = tuple[float, ...]
"""How likely dice show a face 0, 1, 2 .. times."""


class Bid(NamedTuple):
    """At least so many dice of a face."""

    quantity: int
    face: int


class Round(NamedTuple):
    """What a decision is weighed with. The spreads are by face."""

    mine: tuple[int, ...]
    """How many of this hand's dice count for each face."""
    here: tuple[Spread, ...]
    """This hand, as others see it who don't know it."""
    next: tuple[Spread, ...]
    """The dice of the next player."""
    rest: tuple[Spread, ...]
    """The dice of all other players."""
    worth: float
    """What it is worth that another player loses a die; a die of one's own is worth 1."""


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return a bid or a call (LD-08, LD-V02)."""
    now = weigh(sight, believes=strength == "sharp")
    misjudged = MISJUDGED if strength == "easy" else 0.0
    bids = candidates(sight)
    answers = [Answer(move.name, {}) for move in sight.offers if move.name != "bid"]
    if bids:  # one bid only competes with the calls: of many that are misjudged, one would nearly always look good
        bid = best(bids, lambda one: worth_of_bid(now, one, strength), chance, misjudged / 3)
        answers.append(Answer("bid", {"quantity": bid.quantity, "face": bid.face}))
    return best(answers, lambda answer: worth(sight, now, answer, strength), chance, misjudged)


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return how many dice of the bid this hand has, and how many the others have on average (LD-06)."""
    bid = last_bid(sight)
    if answer and answer.move == "bid":
        bid = Bid(answer["quantity"], answer["face"])
    if bid is None:
        return ""
    unseen = sight.table["in_play"] - sight.me["dice"]
    average = round(unseen * part(bid.face, wild=sight.options["wild_ones"]))
    return say(
        "Your dice have {mine} of the {needed}. On average, the other players' {unseen} dice have about {average}.",
        mine=held(sight)[bid.face - 1], needed=bid.quantity, unseen=unseen, average=average,
    )  # fmt: skip


# --- What may be answered ----------------------------------------------------------------------------


def candidates(sight: Sight) -> list[Bid]:
    """Return the bids that are looked at: those a little above the lowest, or above what is likely."""
    found = []
    for move in sight.offered("bid"):
        quantity = move.params["quantity"]
        least = quantity.first()
        assert isinstance(least, int)
        most = quantity.max if isinstance(quantity, Amount) else least
        reach = least + REACH if sight.table["bid"] else 1 + sight.table["in_play"] // 2
        found += [Bid(count, face) for count in range(least, min(most, reach) + 1) for face in move.values("face", int)]
    return found


def last_bid(sight: Sight) -> Bid | None:
    """Return the bid to beat."""
    bid = sight.table["bid"]
    return Bid(bid["quantity"], bid["face"]) if bid else None


# --- What an answer is worth -------------------------------------------------------------------------


def worth(sight: Sight, now: Round, answer: Answer, strength: Strength) -> float:
    """Return what an answer is worth, in dice of one's own."""
    if answer.move == "bid":
        return worth_of_bid(now, Bid(answer["quantity"], answer["face"]), strength)
    bid = last_bid(sight)
    assert bid
    true = truth(now, bid)
    if answer.move == "call":  # LD-13
        return (1.0 - true) * now.worth - true
    exact = true - truth(now, bid._replace(quantity=bid.quantity + 1))
    rewards = {"others_lose": 1.0, "regain": float(sight.me["dice"] < sight.options["dice"])}  # LD-V02, LD-V03
    return exact * rewards[sight.options["spot_on"]] - (1.0 - exact)


def worth_of_bid(now: Round, bid: Bid, strength: Strength) -> float:
    """Return what a bid is worth: called, it is won or lost (LD-13); else the next player has raised it."""
    rest, here, at = now.rest[bid.face - 1], now.here[bid.face - 1], bid.face - 1
    if strength != "sharp":
        looks = at_least(together(together(rest, now.next[at]), here), bid.quantity)
        return outcome(now, truth(now, bid), doubt(looks))
    value, seen = 0.0, together(rest, here)
    for count, likely in enumerate(
        now.next[at]
    ):  # a next player with few dice of the face calls, and the bid is less true
        called = doubt(at_least(seen, bid.quantity - count))
        value += likely * outcome(now, at_least(rest, bid.quantity - count - now.mine[at]), called)
    return value


def outcome(now: Round, true: float, called: float) -> float:
    """Return what a bid is worth that is true and is called with these probabilities."""
    return called * (true * now.worth - (1.0 - true)) + (1.0 - called) * RAISED * now.worth


def doubt(looks: float) -> float:
    """Return how likely a player calls a bid that is true with the probability `looks`, as that player sees it."""
    return 1.0 / (1.0 + exp((looks - DOUBTS) / SHARPNESS))


def truth(now: Round, bid: Bid) -> float:
    """LD-06: return how likely a bid is true."""
    at = bid.face - 1
    return at_least(together(now.rest[at], now.next[at]), bid.quantity - now.mine[at])


# --- Dice that this seat does not see ----------------------------------------------------------------


def weigh(sight: Sight, *, believes: bool) -> Round:
    """Return how a round stands for this seat. With `believes`, players probably hold the faces that they have bid."""
    wild = sight.options["wild_ones"]
    alive = [seat for seat in (*sight.seats, *sight.seats) if not sight.of(seat)["out"]]
    order = alive[alive.index(sight.seat) + 1 :][: len(alive) // 2 - 1]
    made = [(bid["seat"], bid["face"]) for bid in (*sight.table["former"], sight.table["bid"]) if bid]
    believed = made if believes else []

    def spreads(seat: int) -> tuple[Spread, ...]:
        """Return how likely the dice of a seat show each face."""
        dice = sight.of(seat)["dice"]
        return tuple(spread_of(dice, part(face, wild=wild), BELIEF * ((seat, face) in believed)) for face in FACES)

    rest: list[Spread] = [(1.0,)] * len(FACES)
    for seat in order[1:]:
        rest = [together(one, other) for one, other in zip(rest, spreads(seat), strict=True)]
    here = tuple(spread_of(sight.me["dice"], part(face, wild=wild), BELIEF * believes) for face in FACES)
    return Round(tuple(held(sight)), here, spreads(order[0]), tuple(rest), 1.0 / len(order))


def held(sight: Sight) -> list[int]:
    """LD-12, LD-V01: return how many dice of this hand count for each face."""
    hand = sight.you["hand"]
    wild = hand.count(WILD) if sight.options["wild_ones"] else 0
    return [hand.count(face) + (wild if face != WILD else 0) for face in FACES]


def part(face: int, *, wild: bool) -> float:
    """LD-V01: return how likely a die counts for a face."""
    return (2 if wild and face != WILD else 1) / len(FACES)


@lru_cache(maxsize=1024)
def spread_of(dice: int, likely: float, belief: float) -> Spread:
    """Return how likely so many dice count 0, 1, 2 .. times; each one that does makes the hand likelier by `belief`."""
    weights = [
        comb(dice, count) * likely**count * (1.0 - likely) ** (dice - count) * (1.0 + belief * count)
        for count in range(dice + 1)
    ]
    return tuple(weight / sum(weights) for weight in weights)


@lru_cache(maxsize=4096)
def together(one: Spread, other: Spread) -> Spread:
    """Return the spread of the dice of both."""
    found = [0.0] * (len(one) + len(other) - 1)
    for at, likely in enumerate(one):
        for more, too in enumerate(other, at):
            found[more] += likely * too
    return tuple(found)


def at_least(spread: Spread, count: int) -> float:
    """Return how likely there are at least so many."""
    return sum(spread[max(0, count) :])
