"""Goofspiel, a game in the public domain: everybody holds the same cards and bids one of them in secret for each prize.

Read `play` first: it is the table of contents. Each function below it names its rules (GS-..), and GS-V.. where tables
play differently. Cards and what they count are `data/goofspiel.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from hub.engine.decision import Action, OneOf, Won, ask_all, offer, reckoned, shuffle, tell
from hub.engine.event import Setup, State
from hub.engine.game import Refusal
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, listed, say, say_count, seats_words


@dataclass(slots=True)
class Middle:
    """The middle of the table. GS-13: all of it is public but the order of the prizes to come.

    `suit` is every card by rising rank; `prizes` are those that are bid for now, the newest last; `worth` what they count.
    """

    suit: list[str]
    pile: Pile[str]
    prizes: list[str] = field(default_factory=list)
    worth: int = 0

    @property
    def coming(self) -> list[str]:
        """GS-13: the prizes to come, by rising rank: their order is nobody's to know."""
        return sorted(self.pile.cards, key=self.suit.index)


@dataclass(slots=True)
class Bidder:
    """A player. GS-13: bids are laid open, so that everybody knows what each still holds. `last` is the rank last bid."""

    hand: list[str]
    points: int = 0
    bid: Secret[str] | None = None
    locked: bool = False
    last: int | None = None


Table: TypeAlias = State[Bidder, Middle]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """GS-03, GS-04, GS-06: a prize is turned up, all bid, the bids are compared; as many rounds as there are cards."""
    await set_up(s)
    while s.table.pile.cards:
        s.round += 1
        turn_up(s)
        bids = await sealed_bids(s)
        lay_open(s, bids)
        award(s, bids)
    most_points(s)


def deal(setup: Setup) -> Table:
    """GS-01, GS-02, GS-V01, GS-X03: return two to six players who hold the same cards, from the lowest up."""
    suit = sorted(setup.data["cards"], key=lambda card: rank_in(setup, card))[: setup.options["cards"]]
    return Table(
        setup, {seat: Bidder(list(suit)) for seat in setup.seats}, Middle(suit, Pile(list(suit))), phase="setup"
    )


async def set_up(s: Table) -> None:
    """GS-03: the prizes are shuffled. GS-V05: or they come up by rank."""
    t = s.table
    match s.setup.options["order"]:
        case "random":
            t.pile.cards = await shuffle(s, t.suit, "prizes")
        case "falling":
            t.pile.cards = t.suit[::-1]


def turn_up(s: Table) -> None:
    """GS-04, GS-08: the next prize joins what was left lying by a tie."""
    t = s.table
    s.phase = "bid"
    t.prizes.append(t.pile.cards.pop(0))
    t.worth = sum(counts(s, prize) for prize in t.prizes)
    card, worth = name(s, t.prizes[-1]), points(t.worth)
    text = say("The {card} is the prize: {points}.", card=card, points=worth)
    if t.prizes[1:]:
        text = say("The {card} joins the prize that nobody won: {points} in all.", card=card, points=worth)
    tell(s, text, rule="GS-04", kind="prize", prizes=list(t.prizes), worth=t.worth)


async def sealed_bids(s: Table) -> dict[int, str]:
    """GS-05: everybody bids a card, secretly and at once. GS-11: the last one goes by itself, for all know it."""
    if len(s.table.pile.cards) == 0:
        return {seat: bidder.hand[0] for seat, bidder in s.seats.items()}
    asked = {seat: [offer("bid", card=OneOf(list(bidder.hand)))] for seat, bidder in s.seats.items()}
    want = say("Bid a card for {cards}.", cards=cards_words(s, s.table.prizes))
    answers = await ask_all(s, asked, want, say("Everybody bids a card in secret."), into="bid")
    return {seat: answer["card"] for seat, answer in answers.items()}


def lay_open(s: Table, bids: dict[int, str]) -> None:
    """GS-06: all bids are shown, and are out of the game."""
    for seat, card in bids.items():
        bidder = s.seats[seat]
        bidder.hand.remove(card)
        bidder.bid, bidder.last = None, rank(s, card)
    made = listed((say("{card} from Seat {seat}", card=the(s, card), seat=seat) for seat, card in bids.items()), ",")
    ranks = {f"{seat}": rank(s, card) for seat, card in bids.items()}
    takers, highest = takers_of(s, bids), max(ranks.values())
    high = [seat for seat, card in bids.items() if rank(s, card) == highest]
    marks = {f"{seat}": "tied" for seat in high if len(high) > 1} | {f"{seat}": "first" for seat in takers}
    cards = {f"{seat}": [card] for seat, card in bids.items()}
    tell(s, say("The bids: {bids}.", bids=made), rule="GS-06", kind="reveal", bids=ranks, marks=marks, cards=cards)


def award(s: Table, bids: dict[int, str]) -> None:
    """GS-07: the highest bid takes what lies there. GS-08, GS-09, GS-V02, GS-V03: what a tie does."""
    t = s.table
    takers, last = takers_of(s, bids), not t.pile.cards
    share = t.worth // len(takers) if takers else 0
    for seat in takers:
        rule = "GS-07" if len(takers) == 1 else "GS-V03"
        gain(s, seat, share, rule)
    if takers:
        t.prizes, t.worth = [], 0
        return
    way, cards = s.setup.options["tie"], cards_words(s, t.prizes)
    if way == "carry" and not last:
        tell(s, "The highest bids tie: the prize stays for the next round.", rule="GS-08", kind="tie")
        return
    text = say("The highest bids tie: nobody takes {cards}.", cards=cards)
    if way == "next":
        text = say("Every bid is matched by another: nobody takes {cards}.", cards=cards)
    tell(s, text, rule={"carry": "GS-09", "next": "GS-V04"}.get(way, "GS-V02"), kind="tie")
    t.prizes, t.worth = [], 0


def takers_of(s: Table, bids: dict[int, str]) -> list[int]:
    """GS-07: return who bid highest. GS-V03: all of them; GS-V04: who bid the highest card that nobody else bid."""
    made = list(bids.values())
    alone = [card for card in made if made.count(card) == 1]
    highest = max(made, key=lambda card: rank(s, card))
    match s.setup.options["tie"]:
        case "split":
            return [seat for seat, card in bids.items() if card == highest]
        case "next":
            highest = max(alone, key=lambda card: rank(s, card), default="")
    return [seat for seat, card in bids.items() if card == highest and card in alone]


def gain(s: Table, seat: int, share: int, rule: str) -> None:
    """GS-10: points for what was taken. GS-V03: of a shared prize the whole points that are the same for all."""
    bidder, t = s.seats[seat], s.table
    was, bidder.points = bidder.points, bidder.points + share
    how = f"{was} + {share} = {bidder.points}"
    cards = cards_words(s, t.prizes)
    text = say("Seat {seat} takes {cards}: {points}.", seat=seat, cards=cards, points=points(share))
    if rule == "GS-V03":
        text = say("Seat {seat} gets a share of {cards}: {points}.", seat=seat, cards=cards, points=points(share))
    tell(s, text, rule=rule, kind="take", worth=t.worth, **reckoned(seat, "points", was, bidder.points, how))


def most_points(s: Table) -> None:
    """GS-12: the most points win; equal ones share it."""
    s.phase = "over"
    scores = {seat: bidder.points for seat, bidder in s.seats.items()}
    best = max(scores.values())
    winners = [seat for seat, score in scores.items() if score == best]
    why = say_count(
        "{seats} has the most points.", "{seats} have the most points.", len(winners), seats=seats_words(winners)
    )
    raise Won(winners, scores, why, rule="GS-12")


# --- Cards -------------------------------------------------------------------------------------------


def rank_in(setup: Setup, card: str) -> int:
    """GS-02: return what a card bids, from 1 for the Ace."""
    number: int = setup.data["cards"][card]["rank"]
    return number


def rank(s: Table, card: str) -> int:
    """GS-02: return what a card bids."""
    return rank_in(s.setup, card)


def counts(s: Table, prize: str) -> int:
    """GS-10: return the points of a prize: its rank. GS-V06: or one."""
    return 1 if s.setup.options["points"] == "one" else rank(s, prize)


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: GS-X01, GS-X02."""
    if s.phase == "over":
        return Refusal("The game has ended.", "GS-X02")
    if action.move == "bid" and action.seat in s.seats:
        return Refusal("Bid one of the cards you hold.", "GS-X01")
    return None


# --- For screens -------------------------------------------------------------------------------------


def name(s: Table, card: str) -> str:
    """Return a card's name."""
    text: str = s.setup.data["cards"][card]["name"]
    return text


def the(s: Table, card: str) -> Text:
    """Return a card in a sentence: "the 4", "the King"."""
    return say("the {card}", card=name(s, card))


def cards_words(s: Table, cards: list[str]) -> Text:
    """Return cards in a sentence: "the 4, the 9 and the King"."""
    return listed(the(s, card) for card in cards)


def points(count: int) -> Text:
    """Return points in words."""
    return say_count("1 point", "{count} points", count)
