"""The house player of Oh Hell: deal the cards it cannot see many times over, and play each deal to its end.

In these deals, every seat follows a rule of thumb (`by_rule`): take a trick while the bid wants one, or else stay below. `easy`
bids what its cards are worth at a glance (`at_a_glance`), give or take, and sometimes plays any card. `steady` tries its bids in
such deals, and plays by the rule. `sharp` tries bids and cards, in deals in which each hand fits its bid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hub.engine.decision import Answer
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import say, say_count

RANKS, SUITS = "23456789TJQKA", "CDSH"
SUIT = len(RANKS)
"""A card is a number: 0 to 12 are clubs from the 2 to the Ace, then diamonds, and so on."""
JACK, KING = RANKS.index("J"), RANKS.index("K")
LOW = tuple(
    tuple(card % SUIT + SUIT * (card // SUIT == trump) for card in range(4 * SUIT)).__getitem__ for trump in range(4)
)
"""For each trump: how high a card is, trumps above all others."""
HIGH = tuple(
    tuple(2 * (card % SUIT) + (card // SUIT == trump) for card in range(4 * SUIT)).__getitem__ for trump in range(4)
)
"""For each trump: how high a card is, a trump above the others of its rank."""
EXACT = 10  # OH-12
EASY_BID, EASY_CARD = 1.2, 0.25
"""By how much `easy` may misjudge its hand, and how often it plays any card."""
PLAYOUTS = 60
"""How many deals are tried for a decision with one card left in each hand; with more cards, a part of that."""
FEWEST = 18
"""The fewest deals that are tried."""
FITS = 3
"""How many deals `sharp` makes for each one that it tries: the one whose hands fit the bids best."""
USUAL = 4.0
"""How many points the card of the rule of thumb gets in addition, over all deals: few deals err."""
OTHERS = 0.1
"""How much the points of the others count against one's own, on average."""

HIGH_TRUMP, LOW_TRUMP, SIDE = (1.0, 1.2, 1.3, 1.35, 1.45), (0.0, 0.2, 0.4, 0.5, 0.6), (0.3, 0.45, 0.6, 0.7, 0.8)
"""What cards take, by size of the hand up to 5: a trump that is the highest, any other trump, another card that is the highest.

These are means of many deals in which all seats followed the rule of thumb.
"""


class Known(NamedTuple):
    """What a seat knows of a deal. Seats are numbered clockwise from this seat, which is 0."""

    hand: list[int]
    trump: int
    """The trump suit."""
    bids: list[int | None]
    won: list[int]
    """The tricks that each seat has taken."""
    sizes: list[int]
    """The number of cards in each hand."""
    trick: list[tuple[int, int]]
    """The cards of the open trick, each with its seat."""
    leader: int
    """The seat that leads to the first trick, or has led to this one."""
    unseen: list[int]
    lacks: list[list[bool]]
    """For each seat, whether it is known to hold no card of each suit."""
    each: bool
    """Whether tricks count even if the bid is missed (OH-V04)."""


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return a bid (OH-06) or a card (OH-09)."""
    known = known_of(sight)
    (move,) = sight.offers
    if move.name == "bid":
        return Answer("bid", {"number": bid(known, move.values("number", int), chance, strength)})
    cards = [number(card) for card in move.values("card", str)]
    return Answer("play", {"card": text(card_to_play(known, cards, chance, strength))})


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return what the bid or the card is for, with counts of the own hand only."""
    if answer is None:
        return ""
    known = known_of(sight)
    if answer.move == "bid":
        trumps = sum(card // SUIT == known.trump for card in known.hand)
        high = sum(card // SUIT != known.trump and card % SUIT >= KING for card in known.hand)
        return say(
            "You hold {trumps} and {high}. Your other cards should stay below.",
            trumps=say_count("1 trump", "{count} trumps", trumps),
            high=say_count("1 other Ace or King", "{count} other Aces and Kings", high),
        )
    card, need = number(answer["card"]), (known.bids[0] or 0) - known.won[0]
    takes = card % SUIT >= JACK or card // SUIT == known.trump
    if known.trick:
        takes = beats(card, ahead(known.trick, known.trump)[1], known.trump)
    if not 0 <= need <= len(known.hand):
        return say("Your bid is lost. You can still take tricks that the others need.")
    if need == 0 and takes:
        return say("You have all the tricks you bid. This one is hard to avoid.")
    if need == 0:
        return say("You have all the tricks you bid: stay below.")
    if takes:
        return say_count(
            "You need 1 more trick: this card can take it.",
            "You need {count} more tricks: this card can take one.",
            need,
        )
    return say_count(
        "You need 1 more trick, but not this one.", "You need {count} more tricks, but not this one.", need
    )


def bid(known: Known, bids: list[int], chance: Randomness, strength: Strength) -> int:
    """Return the bid that is worth most."""
    glance = at_a_glance(known.hand, known.trump, len(known.sizes))
    if strength == "easy":
        glance += EASY_BID * (chance.random() + chance.random() - 1.0)
        return min(bids, key=lambda one: abs(one - glance))
    near = sorted(bids, key=lambda one: abs(one - glance))[:4]
    worth = dict.fromkeys(near, 0.0)
    for hands in deals(known, chance, strength):
        for one in near:
            worth[one] += outcome(known, hands, one)
    return best(near, worth.__getitem__, chance)


def card_to_play(known: Known, cards: list[int], chance: Randomness, strength: Strength) -> int:
    """Return the card that is worth most."""
    if len(cards) == 1:
        return cards[0]
    if strength == "easy" and chance.random() < EASY_CARD:
        return chance.choice(cards)
    need = aim((known.bids[0] or 0) - known.won[0], len(known.hand))
    usual = by_rule(cards, need, known.trick, known.trump, len(known.sizes))
    if strength != "sharp":
        return usual
    tried = apart(cards, known)
    worth = dict.fromkeys(tried, 0.0)
    worth[max(card for card in tried if card <= usual)] = USUAL
    if len(tried) > 1:
        for hands in deals(known, chance, strength):
            for card in tried:
                worth[card] += outcome(known, hands, None, card)
    return best(tried, worth.__getitem__, chance)


# --- Deals that may be ---------------------------------------------------------------------------------


def deals(known: Known, chance: Randomness, strength: Strength) -> list[list[list[int]]]:
    """Return hands of all seats, as they may be."""
    count = max(FEWEST, PLAYOUTS // len(known.hand))
    if strength != "sharp":
        return [dealt(known, chance) for _ in range(count)]
    return [
        min((dealt(known, chance) for _ in range(FITS)), key=lambda hands: misfit(known, hands)) for _ in range(count)
    ]


def dealt(known: Known, chance: Randomness) -> list[list[int]]:
    """Deal the unseen cards. A seat that did not follow a suit gets none of it, if there are enough other cards."""
    left = chance.sample(known.unseen, len(known.unseen))
    hands = [list(known.hand)] + [[] for _ in known.sizes[1:]]
    for seat in sorted(range(1, len(hands)), key=lambda seat: -sum(known.lacks[seat])):
        lacks, size = known.lacks[seat], known.sizes[seat]
        fit = [card for card in left if not lacks[card // SUIT]] if any(lacks) else left
        hands[seat] = fit[:size] if len(fit) >= size else left[:size]
        taken = hands[seat]
        left = [card for card in left if card not in taken]
    return hands


def misfit(known: Known, hands: list[list[int]]) -> float:
    """Return how far the hands are from what their seats have bid and still need."""
    off = 0.0
    for seat in range(1, len(hands)):
        made = known.bids[seat]
        if made is not None:
            off += abs(at_a_glance(hands[seat], known.trump, len(hands)) - max(0, made - known.won[seat]))
    return off


# --- A deal is played to its end -----------------------------------------------------------------------


def outcome(known: Known, hands: list[list[int]], made: int | None, card: int | None = None) -> float:
    """Return the points of this seat, less a part of the others', if it makes this bid or plays this card."""
    seats, trump = len(hands), known.trump
    hands, won, trick = [list(hand) for hand in hands], list(known.won), list(known.trick)
    bids = [
        round(at_a_glance(hand, trump, seats)) if one is None else one
        for one, hand in zip(known.bids, hands, strict=True)
    ]
    if made is not None:
        bids[0] = made
    turn = known.leader if made is not None else 0
    left = max(map(len, hands))
    while left:
        while len(trick) < seats:
            hand = hands[turn]
            if card is None:
                led = trick[0][1] // SUIT if trick else -1
                cards = [one for one in hand if one // SUIT == led] or hand
                played = cards[0]
                if len(cards) > 1:
                    played = by_rule(cards, aim(bids[turn] - won[turn], left), trick, trump, seats)
            else:
                played, card = card, None
            hand.remove(played)
            trick.append((turn, played))
            turn = (turn + 1) % seats
        turn = ahead(trick, trump)[0]
        won[turn] += 1
        trick = []
        left -= 1
    points = [
        float(EXACT + one if one == tricks else tricks if known.each else 0)
        for one, tricks in zip(bids, won, strict=True)
    ]
    return points[0] - OTHERS * sum(points[1:]) / (seats - 1)


def aim(need: int, left: int) -> int:
    """Return how many tricks a seat wants of those that are left. If its bid is lost, it takes what it can."""
    return need if 0 <= need <= left else 1


def by_rule(cards: Sequence[int], need: int, trick: list[tuple[int, int]], trump: int, seats: int) -> int:
    """Return the card of the rule of thumb: take the trick if one is needed, or else stay below with the highest card."""
    low, high = LOW[trump], HIGH[trump]
    if not trick:
        return max(cards, key=high) if need > 0 else min(cards, key=low)
    top = ahead(trick, trump)[1]
    over = [card for card in cards if beats(card, top, trump)]
    last = len(trick) == seats - 1
    if need > 0:
        if not over:
            return min(cards, key=low)
        return min(over) if last or over[0] // SUIT == trump else max(over)
    if len(over) < len(cards):
        return max([card for card in cards if card not in over], key=low)
    return max(over) if last else min(over)


def ahead(trick: list[tuple[int, int]], trump: int) -> tuple[int, int]:
    """Return the seat that is ahead in a trick, and its card (OH-10)."""
    top = trick[0]
    for one in trick[1:]:
        if beats(one[1], top[1], trump):
            top = one
    return top


def beats(card: int, other: int, trump: int) -> bool:
    """Return whether a card beats one that was played before it (OH-10)."""
    if card // SUIT == other // SUIT:
        return card > other
    return card // SUIT == trump


def at_a_glance(hand: Sequence[int], trump: int, seats: int) -> float:
    """Return how many tricks a hand may take."""
    size, known = len(hand), min(len(hand), len(SIDE)) - 1
    unseen = 4 * SUIT - 1 - size
    absent = max(0.0, 1.0 - size * (seats - 1) / unseen)
    lengths = [0, 0, 0, 0]
    for card in hand:
        lengths[card // SUIT] += 1
    tricks = 0.0
    for card in hand:
        suit = card // SUIT
        higher = SUIT - 1 - card % SUIT - sum(one > card and one // SUIT == suit for one in hand)
        high = absent**higher
        if suit == trump:
            tricks += HIGH_TRUMP[known] * high + LOW_TRUMP[known] * (1.0 - high)
        else:
            lack = (1.0 - (SUIT - lengths[suit]) / unseen) ** size
            ruffs = lack * (1.0 - (1.0 - (SUIT - 1 - lengths[trump]) / unseen) ** size)
            tricks += SIDE[known] * high * (1.0 - ruffs) ** (seats - 1)
    return tricks


# --- Reading the sight -------------------------------------------------------------------------------


def known_of(sight: Sight) -> Known:
    """Return what this seat knows."""
    table, seats = sight.table, sight.seats
    at = seats.index(sight.seat)
    order = [*seats[at:], *seats[:at]]
    place = {seat: number for number, seat in enumerate(order)}
    hand = [number(card) for card in sight.you["hand"]]
    trump_card = number(table["trump_card"])
    played, lacks = played_in(sight, place)
    seen = {*hand, trump_card, *(card for _, card in played)}
    trick = [(place[one["seat"]], number(one["card"])) for one in table["trick"]]
    trick = trick if len(trick) < len(order) else []
    count = [sum(seat == one for seat, _ in played) for one in range(len(order))]
    return Known(
        hand,
        trump_card // SUIT,
        [sight.of(seat)["bid"] for seat in order],
        [sight.of(seat)["tricks"] for seat in order],
        [table["cards"] - one for one in count],
        trick,
        place[table["order"][0]],
        [card for card in range(4 * SUIT) if card not in seen],
        lacks,
        sight.options["score"] == "tricks",
    )


def played_in(sight: Sight, place: dict[int, int]) -> tuple[list[tuple[int, int]], list[list[bool]]]:
    """Return the cards of this deal with their seats, and for each seat which suits it does not hold (OH-09)."""
    played: list[tuple[int, int]] = []
    lacks = [[False] * len(SUITS) for _ in place]
    for event in sight.events:
        if event.kind == "deal":
            played, lacks = [], [[False] * len(SUITS) for _ in place]
        elif event.kind == "play":
            seat, card = place[event.data["seat"]], number(event.data["card"])
            led = played[len(played) // len(place) * len(place)][1] if len(played) % len(place) else card
            if led // SUIT != card // SUIT:
                lacks[seat][led // SUIT] = True
            played.append((seat, card))
    return played, lacks


def apart(cards: list[int], known: Known) -> list[int]:
    """Return cards without those that are worth the same as the next lower one: no card between them can be played."""
    others = [*known.unseen, *(card for _, card in known.trick)]
    kept: list[int] = []
    before = -1
    for card in sorted(cards):
        if before // SUIT != card // SUIT or any(before < other < card for other in others):
            kept.append(card)
        before = card
    return kept


def number(card: str) -> int:
    """Return a card as a number."""
    return SUITS.index(card[1]) * SUIT + RANKS.index(card[0])


def text(card: int) -> str:
    """Return a card as its rank and its suit."""
    return RANKS[card % SUIT] + SUITS[card // SUIT]
