"""The house player of I Bid You Not: deal the cards it cannot see, play the auction out with each bid, and take the best.

What an auction brings is what its offer counts for whoever takes it, and less for the others (IB-17, IB-22). Who decides
first, and whether the order turns over (IB-11, IB-12), hangs on everybody's bids: these are sampled. `easy` misjudges what
an auction brings, `steady` tries few deals and looks at the prices only, `sharp` more, with the actions that change much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hub.engine.decision import Answer, Choose, Move
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import say, say_count

DEALS = 48
"""How often an auction is played out (`sharp`; the other strengths a quarter)."""
MISJUDGED = 15.0
"""Points by which `easy` may misjudge what an answer brings."""
KEEN = -1.0
"""Points that a declared auction must bring beyond what waiting does."""
STRONG = 4.0
"""Points that the highest number of a hand is worth as a bid to come."""
GIVEN = 0.2
"""What a point added to the offer costs: somebody may get it."""
CARD = 2.0
"""Points of an average card, which a skip costs whose score pile is not known."""


class Card(NamedTuple):
    """A card by number, price and action: "gamehat A"."""

    number: int
    price: int
    name: str


class Auction(NamedTuple):
    """An auction as it counts here: what its offer is worth, its range, what works, and who has how many scored cards."""

    worth: float
    low: int
    high: int
    works: tuple[str, ...]
    scored: dict[int, int]
    loss: float
    """Points that a skip costs this seat on average."""


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return what to do on a turn, to bid, to decide, or to add and strike (IB-05 to IB-18, IB-A33, IB-A34)."""
    misjudged = MISJUDGED if strength == "easy" else 0.0
    match sight.view["phase"]:
        case "turn":
            return turn(sight, chance, strength)
        case "bid" | "open_bid":
            return bid(sight, chance, strength)
        case "decide" | "put":
            options = [answer for move in sight.offers for answer in answers(sight, move)]
            return best(options, lambda answer: worth_of_decision(sight, answer, strength), chance, misjudged)
        case "extend" | "strike":
            return last_touch(sight)
    return Answer(sight.offers[0].name, sight.offers[0].first())


# --- A turn ------------------------------------------------------------------------------------------


def turn(sight: Sight, chance: Randomness, strength: Strength) -> Answer:
    """IB-05, IB-06: declare where the best bid brings enough now; else add what is of least use, best below zero."""
    mine = {card.number: card for card in hand_of(sight)}
    declared = 0.0
    if sight.offered("auction"):
        worth = worth_of_bids(sight, chance, strength, [[number] for number in mine])
        declared = max(worth.values()) - KEEN

    def value(answer: Answer) -> float:
        if answer.move == "auction":
            return declared
        numbers = numbers_of(answer)
        return sum(-GIVEN * mine[number].price - use_as_bid(mine, number) for number in numbers)

    options = [answer for move in sight.offers for answer in answers(sight, move)]
    return best(options, value, chance, MISJUDGED / 2 if strength == "easy" else 0.0)


def use_as_bid(mine: dict[int, Card], number: int) -> float:
    """Return what a card is worth as a bid to come: most if it is the highest of the hand, much if it is the lowest."""
    if len(mine) < 2:
        return 0.0
    low, high = min(mine), max(mine)
    return STRONG * abs(2 * (number - low) / max(1, high - low) - 1) ** 2


# --- A bid -------------------------------------------------------------------------------------------


def bid(sight: Sight, chance: Randomness, strength: Strength) -> Answer:
    """IB-10 to IB-12: the bid that brings most over the deals."""
    mine = {card.number: card for card in hand_of(sight)}
    (move,) = sight.offers
    if "card" in move.params:
        bids = [[number] for number in move.values("card", int)]
    else:
        param = move.params["cards"]
        assert isinstance(param, Choose)
        size, listed = param.min, sorted(move.values("cards", int))
        bids = [listed[:size], listed[-size:], chance.sample(listed, size)]
    worth = worth_of_bids(sight, chance, strength, bids)

    def value(numbers: list[int]) -> float:
        return worth[tuple(numbers)] - 0.3 * sum(use_as_bid(mine, number) for number in numbers)

    numbers = best(bids, value, chance, MISJUDGED if strength == "easy" else 0.0)
    return Answer("bid", {"card": numbers[0]} if "card" in move.params else {"cards": numbers})


def worth_of_bids(
    sight: Sight, chance: Randomness, strength: Strength, bids: Sequence[list[int]]
) -> dict[tuple[int, ...], float]:
    """Return what each bid brings on average, played out against the same deals of the hidden cards."""
    auction = auction_of(sight, strength)
    times = DEALS if strength == "sharp" else DEALS // 4
    pool = unseen(sight) if strength == "sharp" else whole_deck(sight)
    rivals = [seat for seat in sight.others if sight.of(seat)["hand_size"]]
    made = sight.table["laid"]  # IB-A39: bids that lie open already
    total = {tuple(numbers): 0.0 for numbers in bids}
    for _ in range(times):
        others = {seat: guess(sight, seat, pool, auction, chance) for seat in rivals}
        for card in made:
            if card["by"] in others:
                others[card["by"]] = card["card"]
        for numbers in total:
            total[numbers] += played_out(sight.seat, sum(numbers), others, auction) / times
    return total


def guess(sight: Sight, seat: int, pool: Sequence[int], auction: Auction, chance: Randomness) -> int:
    """Return a bid that a seat might make: of a few of its unknown cards, a high one if the offer is worth having."""
    held = chance.sample(pool, max(1, min(len(pool), sight.of(seat)["hand_size"], 6)))
    return max(held) if auction.worth > 0 and chance.random() < 0.5 else chance.choice(held)


def played_out(seat: int, mine: int, others: dict[int, int], auction: Auction) -> float:
    """Return what an auction with these bids brings a seat."""
    return outcome(seat, mine, others, auction)[0]


def outcome(seat: int, mine: int, others: dict[int, int], auction: Auction) -> tuple[float, bool]:
    """IB-11 to IB-16: return what an auction brings a seat: the offer, a skip, or what a rival gets; and whether it takes the offer."""
    made = {**others, seat: mine}
    inside = all(auction.low < number < auction.high for number in made.values())
    turned = "cashing_machine B" in auction.works or (inside and "cashing_machine A" not in auction.works)
    order = sorted(made, key=lambda one: made[one], reverse=not turned)
    worth, paid = auction.worth, 0.0
    for one in order:
        free = one != order[-1] and auction.scored[one] > 0 and "wrist_wash A" not in auction.works
        if one == seat:
            if not free or worth >= -auction.loss:
                return worth, True
            paid, worth = auction.loss, worth - CARD
        elif not free or worth >= -CARD:
            break
        else:
            worth -= CARD
    return -paid - worth / max(1, len(auction.scored) - 1), False


# --- Why ---------------------------------------------------------------------------------------------


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return how many unseen numbers are above a bid (IB-10, IB-11), or what the offer counts."""
    auction = auction_of(sight, "sharp")
    if answer is None:
        return ""
    worth = round(auction.worth)
    points = say_count("{points} point", "{points} points", abs(worth), points=f"{worth:+}")
    match answer.move:
        case "bid":
            numbers, pool = numbers_of(answer), unseen(sight)
            if len(numbers) != 1:  # IB-A38: a pair counts as its sum, and so do the others'
                return say("The row is worth {points}. Two cards count as their sum.", points=points)
            higher = sum(number > numbers[0] for number in pool)
            return say(
                "The row is worth {points}. Of the {count} numbers you haven't seen, {higher} are higher than this one.",
                points=points, count=len(pool), higher=higher,
            )  # fmt: skip
        case "auction":
            if auction.worth >= 0:
                return say("The row is worth {points} now: your best bid brings more than waiting.", points=points)
            return say("The row is worth {points} now: somebody else will probably have to take it.", points=points)
        case "accept":
            return say("The row is worth {points} to you.", points=points)
        case "skip":
            return say("The row is worth {points} to you. Skipping costs less.", points=points)
        case "add":
            return say("You'll miss this card least as a bid, and it helps the others least.")
        case "extend" | "strike":
            return say("That makes the row better if you take it, or worse if somebody else does.")
        case "done":
            return say("No card here helps you.")
    return ""


# --- To skip or to accept ----------------------------------------------------------------------------


def worth_of_decision(sight: Sight, answer: Answer, strength: Strength) -> float:
    """IB-13 to IB-17: return what it brings to accept, or to skip: a scored card is lost, and a rival gets what is left."""
    auction = auction_of(sight, strength)
    if answer.move == "accept":
        return auction.worth
    price = sum(card.price for card in hand_of(sight) if card.number == answer.args.get("card"))
    paid = auction.loss if answer.args.get("pay") != "card" else 0.0
    if "wrist_wash B" in auction.works:
        paid *= 3
    return -paid - (auction.worth + price) / max(1, len(auction.scored) - 1)


def last_touch(sight: Sight) -> Answer:
    """IB-A33, IB-A34: whoever takes the row adds and keeps what is dear; everybody else puts in what costs, and strikes."""
    table = sight.table
    if sight.offers[0].name == "done":
        return Answer("done", {})
    taker = next((seat for seat in table["order"] if seat not in table["skipped"]), None)
    prices = {card["card"]: card["price"] for card in (*table["offer"], *sight.you["hand"])}
    adds, mine = sight.view["phase"] == "extend", taker == sight.seat
    listed = sight.offers[0].values("card", int)
    pick = max if adds == mine else min
    card = pick(listed, key=lambda number: (prices[number], number))
    good = prices[card] > 0 if adds == mine else prices[card] < 0
    return Answer(sight.offers[0].name, {"card": card}) if good else Answer("done", {})


# --- Reading the sight -------------------------------------------------------------------------------


def auction_of(sight: Sight, strength: Strength) -> Auction:
    """Return the auction of the present offer; for `sharp` with the actions that change what it counts or who decides."""
    offer, pile = sight.table["offer"], sight.you["pile"]
    numbers = [card["card"] for card in offer]
    active = sight.table["active"] if strength == "sharp" else []
    works = tuple(named(card) for card in offer if card["card"] in active)
    counted = offer
    if "walkie_barkie A" in works:  # IB-A19: what lies left of it is lost
        last = max(place for place, card in enumerate(offer) if named(card) == "walkie_barkie A")
        counted = offer[last + 1 :]
    worth = float(sum(card["price"] for card in counted))
    if strength == "sharp" and sight.table["actions"]:
        names = [named(card) for card in counted]  # IB-A11, IB-A12: each changes all prices of a pile
        worth += (names.count("headgrowns A") - names.count("headgrowns B")) * (len(pile) + len(counted))
    scored = {seat: sight.of(seat)["pile_size"] for seat in sight.seats}
    loss = sum(card["price"] for card in pile) / len(pile) if pile else CARD
    return Auction(worth, min(numbers, default=0), max(numbers, default=0), works, scored, loss)


def answers(sight: Sight, move: Move) -> list[Answer]:
    """Return the answers of a move that are looked at: each card or pair, at its first place."""
    for name in ("card", "cards"):
        if name in move.params:
            return [Answer(move.name, {**move.first(), name: value}) for value in move.values(name, object)]
    return [Answer(move.name, move.first())]


def hand_of(sight: Sight) -> list[Card]:
    """Return the own hand."""
    return [Card(card["card"], card["price"], named(card)) for card in sight.you["hand"]]


def whole_deck(sight: Sight) -> list[int]:
    """IB-V06 to IB-V09: return the numbers of the deck, the fixed one or the one that chance has made."""
    used = {"base": True, "odd": sight.options["odd_inventions"], "double": sight.options["double_devices"]}
    lines = sight.table["made"] or sight.data["deck"].splitlines()
    cards = [words for line in lines if (words := line.split("#")[0].split())]
    numbers, out = (
        [int(number) for kind, number, *_ in cards if used[sight.data["cards"][kind]["set"]]],
        sight.options["trim"],
    )
    kept = sorted(numbers)[
        out // 2 : len(numbers) - (out + 1) // 2
    ]  # IB-V08: the highest, the lowest, and so on by turns
    return [number for number in numbers if kept[0] <= number <= kept[-1]]


def unseen(sight: Sight) -> list[int]:
    """Return the numbers that may be in other hands: those that neither lay open at any time nor are one's own."""
    seen = {card["card"] for card in (*sight.you["hand"], *sight.you["pile"])} | set(sight.table["discards"])
    for event in sight.events:
        if event.kind in ("open", "add", "put", "extend", "lose"):
            seen.add(event.data["card"])
    return [number for number in whole_deck(sight) if number not in seen] or whole_deck(sight)


def named(card: dict[str, object]) -> str:
    """Return a card's action by name: "gamehat A"."""
    return f"{card['kind']} {card['action']}" if card["action"] else ""


def numbers_of(answer: Answer) -> list[int]:
    """Return the cards that an answer names, as `cards` or as `card`."""
    given = answer.args.get("cards", [answer.args.get("card")])
    return [number for number in given if number is not None]
