"""The house player of The Big Idea: chips go where other chips are, and where the roll pays more than the fees.

A product with more shares goes public more often and pays more a share (BI-22, BI-23), so all that is decided here is
where one chip is worth most. `easy` misjudges it by dollars; `steady` reckons what the chip brings its own seat;
`sharp` also what it brings the others, and who may still follow it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hub.engine.decision import Answer, Choose, Move, OneOf
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import money, say

SIDES = 6
MISJUDGED = 600.0
"""Cents by which `easy` may misjudge a value."""
PATIENCE = 0.75
"""What a share that stays on the table is worth beside one that is rolled for now: its chip is not free meanwhile."""
PATIENCE_SHARP = 0.9
"""The same for `sharp`, which takes its chips out where it is better elsewhere."""
RIVALS = 2.0
"""How much of what a move brings the others on average `sharp` counts against it."""
CHIP = 60.0
"""Cents that a chip in reserve is worth, as long as there is another round to use it in."""
FOLLOW = 0.2
"""How many more chips each seat that is still to come puts on a product that it has a share of (`sharp`)."""


class Stake(NamedTuple):
    """A product as it counts here: its shares by seat, and cents for each pip and as fee of a share."""

    id: str
    shares: dict[int, int]
    pip: int
    fee: int

    @property
    def size(self) -> int:
        """Return all shares."""
        return sum(self.shares.values())

    def with_chip(self, seat: int, chips: int) -> Stake:
        """Return it with so many chips of a seat more, or fewer."""
        return self._replace(shares={**self.shares, seat: self.shares.get(seat, 0) + chips})


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return what to launch, to back or to invest in (BI-07 to BI-20); None where a die is to fall."""
    match sight.view["phase"]:
        case "seed":
            return seed(sight, chance, strength)
        case "venture":
            return venture(sight, chance, strength)
        case "mezzanine":
            return mezzanine(sight, chance, strength)
    return None  # BI-A12: the products as they lie


# --- Why ---------------------------------------------------------------------------------------------


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return the rule of thumb; of a product also which rolls would take it public, and for how much (BI-22, BI-23).

    How often it goes public depends on the chips of those who come later, so no hint states odds.
    """
    if answer is None:
        return ""
    match answer.move:
        case "launch" | "discard" if not sight.me["chips"]:
            return say("You have no chip to put on a product now.")
        case "launch":
            return say("A large product pays the most per chip and attracts other players' chips.")
        case "discard":
            return say("Other cards may make a better product.")
        case "venture":
            chance_to_sell = rolls_of(sight, answer["product"], 1)
            return say("{chance} Each further chip on it adds one more number.", chance=chance_to_sell)
        case "abstain":
            return say("You can keep the chip for something better.")
        case "invest":
            return rolls_of(sight, answer["product"], 1)
        case "divest":
            chance_to_sell = rolls_of(sight, answer["product"], -1)
            return say("Your chip is more useful elsewhere. {chance}", chance=chance_to_sell)
        case "skip":
            return say("Moving a chip wouldn't gain you anything.")
    return ""


def rolls_of(sight: Sight, product: str, more: int) -> str:
    """BI-22, BI-23: return which rolls take a product public with a chip more or fewer of this seat, and what a share then brings."""
    stake = stakes_of(sight)[product].with_chip(sight.seat, more)
    reach = max(0, min(stake.size, SIDES))
    if not reach:
        return say("Without your chip, it can't go public.")
    amount = money(round(stake.pip * (reach + 1) / 200))
    roll = say("a roll of 1") if reach == 1 else say("a roll of 1 to {highest}", highest=reach)
    if more > 0:
        return say("With your chip, {roll} takes it public, for about {amount} per share.", roll=roll, amount=amount)
    return say("Without it, {roll} takes it public, for about {amount} per share.", roll=roll, amount=amount)


# --- Seed --------------------------------------------------------------------------------------------


def seed(sight: Sight, chance: Randomness, strength: Strength) -> Answer:
    """BI-08, BI-V1: launch as large a product as may be, for it pays most on the same chip; without a chip, launch none."""
    chips = sight.me["chips"]

    def value(move: Move) -> float:
        if move.name != "launch":
            return 0.0 if chips else 2.0
        return 1.0 + len(largest(move)["cards"]) if chips else 1.0

    move = best(sight.offers, value, chance, noise=3.0 if strength == "easy" else 0.0)
    return Answer(move.name, largest(move))


def largest(move: Move) -> dict[str, Any]:
    """Return a move's parameters with as many cards as it takes."""
    args = move.first()
    if "cards" in args:
        cards = move.params["cards"]
        assert isinstance(cards, Choose)
        args["cards"] = cards.values[: cards.max]
    return args


# --- Venture -----------------------------------------------------------------------------------------


def venture(sight: Sight, chance: Randomness, strength: Strength) -> Answer:
    """BI-12: back a new product of somebody else: the chip is free, and others choose at the same time.

    All meet on one product where they look for the same: the most for a pip, then the first that was launched. To meet is
    worth more than to keep a rival small. `easy` backs any, or none.
    """
    (move, *_) = sight.offered("venture")
    wanted = move.values("product", str)
    if strength == "easy":
        product = chance.choice(wanted)
        return Answer("venture", {"product": product}) if chance.random() < 0.8 else Answer("abstain", {})
    new = [product for product in sight.table["products"] if product["id"] in wanted]
    return Answer("venture", {"product": max(new, key=lambda product: int(product["pip"]))["id"]})


# --- Mezzanine ---------------------------------------------------------------------------------------


def mezzanine(sight: Sight, chance: Randomness, strength: Strength) -> Answer:
    """BI-15 to BI-18: invest a chip, take one back, or leave all as it is: whichever leaves the seat richest."""
    stakes = stakes_of(sight)
    options: list[tuple[str, str]] = [
        (move.name, str(product))
        for move in sight.offers
        for param in [move.params.get("product")]
        for product in (param.values if isinstance(param, OneOf) else [""])
    ]

    def value(option: tuple[str, str]) -> float:
        kind, product = option
        after = dict(stakes)
        cost: dict[int, float] = {}
        if kind == "invest":
            for seat, shares in stakes[product].shares.items():
                if seat != sight.seat:  # BI-16: each share of somebody else is paid its fee
                    cost[seat] = -float(shares * stakes[product].fee)
            cost[sight.seat] = -sum(cost.values())
            after[product] = stakes[product].with_chip(sight.seat, 1)
        elif kind == "divest":
            after[product] = stakes[product].with_chip(sight.seat, -1)
        mine = fortune(sight, after, sight.seat, strength) - cost.get(sight.seat, 0.0)
        if strength != "sharp":
            return mine
        others = [fortune(sight, after, seat, strength) - cost.get(seat, 0.0) for seat in sight.others]
        return mine - RIVALS * sum(others) / (len(others) + 1)

    kind, product = best(options, value, chance, MISJUDGED if strength == "easy" else 0.0)
    return Answer(kind, {"product": product} if product else {})


def fortune(sight: Sight, stakes: dict[str, Stake], seat: int, strength: Strength) -> float:
    """Return the cents that all shares of a seat and its chips in reserve may be expected to bring."""
    last = sight.view["round"] >= sight.table["rounds"]
    shares = sum(
        stake.shares.get(seat, 0) * share_worth(sight, stake, strength, last=last) for stake in stakes.values()
    )
    out = sum(stake.shares.get(seat, 0) for stake in stakes.values())
    chips = sight.of(seat)["chips"] + sum(stake.shares.get(seat, 0) for stake in stakes_of(sight).values()) - out
    return float(shares) + (0.0 if last else CHIP * chips)


def share_worth(sight: Sight, stake: Stake, strength: Strength, *, last: bool) -> float:
    """BI-22, BI-23: return what a share may expect: of the coming roll, and of those after it if it stays."""
    count = float(stake.size)
    if strength == "sharp":
        order = sight.table["order"]
        to_come = order[order.index(sight.seat) + 1 :]
        count += FOLLOW * sum(1 for seat in to_come if stake.shares.get(seat) and sight.of(seat)["chips"])
    reach = min(count, float(SIDES))
    public, pays = reach / SIDES, stake.pip * (reach + 1) / 2
    again = 0.0 if last else PATIENCE_SHARP if strength == "sharp" else PATIENCE
    return public * pays / (1 - (1 - public) * again)


def stakes_of(sight: Sight) -> dict[str, Stake]:
    """Return the products on the table by name."""
    return {
        product["id"]: Stake(
            product["id"],
            {int(seat): shares for seat, shares in product["shares"].items()},
            product["pip"],
            product["fee"],
        )
        for product in sight.table["products"]
    }
