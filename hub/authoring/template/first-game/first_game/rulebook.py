"""First Game: everybody has the same coins, and bids some of them in secret for one card after another.

Read `play` first: it is the table of contents. Each function below it names its rules (FG-..).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hub.engine.decision import Action, Amount, Won, ask_all, offer, reckoned, shuffle, tell
from hub.engine.event import Setup, State
from hub.engine.game import Refusal
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, listed, say, say_count, seats_words

CARDS = (1, 2, 3, 4, 5, 6, 7, 8)  # FG-03


@dataclass(slots=True)
class Middle:
    """The middle of the table. FG-03: nobody knows the order of `pile`. `card` is the one that is bid for."""

    pile: Pile[int]
    card: int | None = None

    @property
    def coming(self) -> list[int]:
        """FG-03: everybody knows which cards are still to come, but not in which order."""
        return sorted(self.pile.cards)


@dataclass(slots=True)
class Bidder:
    """A player. FG-05: only the bid is secret, until the last player has locked. `last` is the bid before."""

    coins: int
    points: int = 0
    bid: Secret[int] | None = None
    locked: bool = False
    last: int | None = None


Table: TypeAlias = State[Bidder, Middle]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """FG-03 to FG-10: the cards are shuffled, and everybody bids for one after another."""
    s.table.pile.cards = await shuffle(s, list(CARDS), "cards")
    while s.table.pile.cards:
        s.round += 1
        card = turn_up(s)
        bids = await sealed_bids(s, card)
        reveal(s, bids)
        award(s, card, bids)
    most_points(s)


def deal(setup: Setup) -> Table:
    """FG-01, FG-02: return two to six players with the same number of coins."""
    coins: int = setup.options["coins"]
    return Table(setup, {seat: Bidder(coins) for seat in setup.seats}, Middle(Pile(list(CARDS))), phase="setup")


def turn_up(s: Table) -> int:
    """FG-04: the next card is turned up."""
    card = s.table.pile.cards.pop(0)
    s.table.card, s.phase = card, "bid"
    tell(s, say("The card is worth {points}.", points=points(card)), rule="FG-04", kind="card", card=card)
    return card


async def sealed_bids(s: Table, card: int) -> dict[int, int]:
    """FG-05: everybody bids coins, secretly and at once."""
    asked = {seat: [offer("bid", coins=Amount(0, bidder.coins))] for seat, bidder in s.seats.items()}
    want = say("Bid coins for the card of {points}.", points=points(card))
    answers = await ask_all(s, asked, want, say("Everybody bids coins in secret."), into="bid")
    return {seat: answer["coins"] for seat, answer in answers.items()}


def reveal(s: Table, bids: dict[int, int]) -> None:
    """FG-06: all bids are shown at once."""
    for seat, bid in bids.items():
        s.seats[seat].bid, s.seats[seat].last = None, bid
    highest = [seat for seat, bid in bids.items() if bid == max(bids.values())]
    marks = {f"{seat}": "first" if len(highest) == 1 else "tied" for seat in highest}
    made = listed((say("{coins} from Seat {seat}", coins=bid, seat=seat) for seat, bid in bids.items()), ",")
    shown = {f"{seat}": bid for seat, bid in bids.items()}
    tell(s, say("The bids: {bids}.", bids=made), rule="FG-06", kind="reveal", bids=shown, marks=marks)


def award(s: Table, card: int, bids: dict[int, int]) -> None:
    """FG-07, FG-09: the highest bid pays and takes the card. FG-08: if it ties, nobody does."""
    highest = [seat for seat, bid in bids.items() if bid == max(bids.values())]
    s.table.card = None
    if len(highest) > 1:
        tell(s, "The highest bids tie: nobody pays, and the card is out of the game.", rule="FG-08", kind="tie")
        return
    (seat,) = highest
    bidder, paid = s.seats[seat], bids[seat]
    was, bidder.coins = bidder.coins, bidder.coins - paid
    text = say("Seat {seat} pays {coins}.", seat=seat, coins=coins(paid))
    how = f"{was} - {paid} = {bidder.coins}"
    tell(s, text, rule="FG-07", kind="pay", **reckoned(seat, "coins", was, bidder.coins, how))
    was, bidder.points = bidder.points, bidder.points + card
    text = say("Seat {seat} takes the card: {points}.", seat=seat, points=points(card))
    how = f"{was} + {card} = {bidder.points}"
    tell(s, text, rule="FG-09", kind="take", worth=card, **reckoned(seat, "points", was, bidder.points, how))


def most_points(s: Table) -> None:
    """FG-10: the most points win; equal ones share it."""
    s.phase = "over"
    scores = {seat: bidder.points for seat, bidder in s.seats.items()}
    winners = [seat for seat, score in scores.items() if score == max(scores.values())]
    why = say_count(
        "{seats} has the most points.", "{seats} have the most points.", len(winners), seats=seats_words(winners)
    )
    raise Won(winners, scores, why, rule="FG-10")


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: FG-X01, FG-X02."""
    if s.phase == "over":
        return Refusal("The game has ended.", "FG-X02")
    if action.move == "bid" and action.seat in s.seats:
        most = s.seats[action.seat].coins
        return Refusal(say("Bid from 0 to {coins}, all that you have.", coins=coins(most)), "FG-X01")
    return None


# --- For screens -------------------------------------------------------------------------------------


def coins(count: int) -> Text:
    """Return coins in words."""
    return say_count("1 coin", "{count} coins", count)


def points(count: int) -> Text:
    """Return points in words."""
    return say_count("1 point", "{count} points", count)
