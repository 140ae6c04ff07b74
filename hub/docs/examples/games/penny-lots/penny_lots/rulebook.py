"""Penny Lots: lots of two playing cards are auctioned one after another, and sets and runs score at the end.

Read `play` first: it is the table of contents. Each function below it names its rules (PL-..), and PL-V.. if tables play
differently. A card is its rank and its suit, "QH". Which cards there are is in `game.toml`, suit by suit from the lowest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from hub.engine.decision import Action, Amount, Won, ask, offer, reckoned, shuffle, starter, tell
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.secret import Pile, Secret
from hub.engine.text import Listing, Text, listed, say, say_count, seats_words

RANKS = "6789TJQKA"  # PL-02: from the lowest
HAND = 2  # PL-04
LOT = 2  # PL-05
LEAST = 2  # PL-14, PL-15: the cards of the smallest set or run
COINS_PER_POINT = 5  # PL-17


@dataclass(slots=True)
class Middle:
    """The middle of the table. PL-19: all of it is public except `deck`, the cards of later lots and those that stay out.

    `lot` is auctioned now and `next` after it; `left` lots come later, including `next`. `inside` are the seats that have not
    dropped out, `turn` is the one that is asked. `bidder` has bid the most so far, `bid`. Nobody wanted the cards in `unsold`.
    """

    deck: Pile[str]
    left: int
    opener: int = 0
    turn: int | None = None
    lot: list[str] = field(default_factory=list)
    next: list[str] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)
    bid: int = 0
    bidder: int | None = None
    unsold: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Player:
    """A player, who has bought `lots` lots. PL-19: only `hand` is secret, and `total`, what it scores with the other `cards`."""

    coins: int
    hand: Secret[list[str]]
    total: Secret[int]
    cards: list[str] = field(default_factory=list)
    lots: int = 0
    points: int = 0

    @property
    def worth(self) -> int:
        """PL-14, PL-15: the points of the cards that everybody sees."""
        return points_of(self.cards)


Table: TypeAlias = State[Player, Middle]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """PL-01, PL-12: all lots are auctioned, and the opener changes each time. Then the cards are scored."""
    s.table.opener = await starter(s, "opener", list(s.seats), "opener")
    await deal_cards(s)
    while s.table.next:
        turn_up(s)
        await auction(s)
        hammer(s)
        s.table.opener = clockwise(s.seats, s.table.opener + 1)[0]
    reveal(s)
    score(s)
    most_points(s)


def deal(setup: Setup) -> Table:
    """PL-01, PL-03, PL-V01: return two to six players with the same coins. PL-05, PL-V02: and the number of lots."""
    coins: int = setup.options["coins"]
    seats = {seat: Player(coins, Secret([], (seat,)), Secret(0, (seat,))) for seat in setup.seats}
    return Table(setup, seats, Middle(Pile(list(setup.data["cards"])), setup.options["lots"]), phase="setup")


async def deal_cards(s: Table) -> None:
    """PL-02, PL-04: the deck is shuffled, and everybody gets two secret cards. PL-06: the first lot is known."""
    t, cards = s.table, list(s.setup.data["cards"])
    deck = await shuffle(s, cards, "deck")
    for seat in clockwise(s.seats, t.opener):
        s.seats[seat].hand.value, deck = sorted(deck[:HAND], key=cards.index), deck[HAND:]
        count_total(s, seat)
    t.next, t.deck.cards = deck[:LOT], deck[LOT:]
    tell(s, "Everybody gets 2 secret cards.", rule="PL-04", kind="deal")


def turn_up(s: Table) -> None:
    """PL-06: the next lot is for sale, and the one after it is turned up, if there is one."""
    t = s.table
    s.round += 1
    t.lot, t.next, t.left = t.next, [], t.left - 1
    if t.left:
        t.next, t.deck.cards = t.deck.cards[:LOT], t.deck.cards[LOT:]
    text = say("Lot {number}: {cards}.", number=s.round, cards=names(s, t.lot))
    tell(s, text, rule="PL-06", kind="lot", cards=t.lot)


async def auction(s: Table) -> None:
    """PL-07: beginning with the opener, all bid more or drop out in turn, until nobody is against the highest bid."""
    t, seat = s.table, s.table.opener
    s.phase = "auction"
    t.inside, t.bid, t.bidder = clockwise(s.seats, seat), 0, None
    while t.inside and t.inside != [t.bidder]:
        t.turn, following = seat, clockwise(t.inside, seat + 1)[0]
        if s.seats[seat].coins <= t.bid:
            drop_out(s, seat, say("Seat {seat} can't bid more and drops out.", seat=seat), "PL-09")
        else:
            await bid_or_drop(s, seat)
        seat = following
    t.turn = None


async def bid_or_drop(s: Table, seat: int) -> None:
    """PL-07: a player bids more coins than the highest bid. PL-08: or drops out of this auction."""
    t = s.table
    moves = [offer("bid", coins=Amount(t.bid + 1, s.seats[seat].coins)), offer("drop")]
    answer = await ask(s, seat, moves, *wanted(s, seat))
    if answer.move == "drop":
        drop_out(s, seat, say("Seat {seat} drops out.", seat=seat), "PL-08")
        return
    t.bid, t.bidder = answer["coins"], seat
    tell(
        s,
        say("Seat {seat} bids {coins}.", seat=seat, coins=coins(t.bid)),
        rule="PL-07",
        kind="bid",
        seat=seat,
        bid=t.bid,
    )


def drop_out(s: Table, seat: int, text: Text, rule: str) -> None:
    """PL-08, PL-09: a player bids no more for this lot."""
    s.table.inside = [one for one in s.table.inside if one != seat]
    tell(s, text, rule=rule, kind="drop", seat=seat)


def hammer(s: Table) -> None:
    """PL-10: the highest bid pays, and takes the lot. PL-11: without a bid, the lot is out of the game."""
    t, lot = s.table, s.table.lot
    t.lot = []
    if t.bidder is None:
        t.unsold = [*t.unsold, *lot]
        tell(s, "Nobody bids: the lot is out of the game.", rule="PL-11", kind="unsold", cards=lot)
        return
    player, order = s.seats[t.bidder], list(s.setup.data["cards"])
    was, player.coins = player.coins, player.coins - t.bid
    player.cards, player.lots = sorted([*player.cards, *lot], key=order.index), player.lots + 1
    count_total(s, t.bidder)
    text = say("Seat {seat} buys {cards} for {coins}.", seat=t.bidder, cards=names(s, lot), coins=coins(t.bid))
    how = reckoned(t.bidder, "coins", was, player.coins, f"{was} - {t.bid} = {player.coins}")
    tell(s, text, rule="PL-10", kind="sold", cards=lot, price=t.bid, **how)


def reveal(s: Table) -> None:
    """PL-13: all secret cards are shown, and join those that were bought."""
    s.phase, order = "over", list(s.setup.data["cards"])
    for seat, player in s.seats.items():
        hand, player.hand.value = player.hand.value, []
        player.cards = sorted([*player.cards, *hand], key=order.index)
        text = say("Seat {seat} shows {cards}.", seat=seat, cards=names(s, hand))
        tell(s, text, rule="PL-13", kind="shown", seat=seat, cards=hand)


def score(s: Table) -> None:
    """PL-14, PL-15, PL-16: each player's sets score, and then the runs of the same cards. PL-17: so do coins."""
    for seat, player in s.seats.items():
        of_sets, of_runs = map(worths, (sets(player.cards), runs(player.cards)))
        if of_sets:
            add(
                s,
                seat,
                of_sets,
                say("Seat {seat} scores {points} for sets.", seat=seat, points=points(sum(of_sets))),
                "PL-14",
            )
        if of_runs:
            add(
                s,
                seat,
                of_runs,
                say("Seat {seat} scores {points} for runs.", seat=seat, points=points(sum(of_runs))),
                "PL-15",
            )
        if kept := player.coins // COINS_PER_POINT:
            left = coins(player.coins)
            text = say("Seat {seat} scores {points} for {coins}.", seat=seat, points=points(kept), coins=left)
            add(s, seat, [kept], text, "PL-17")


def add(s: Table, seat: int, parts: list[int], text: Text, rule: str) -> None:
    """PL-14, PL-15, PL-17: a player's points grow by these parts."""
    player, gain = s.seats[seat], sum(parts)
    was, player.points = player.points, player.points + gain
    how = f"{was} + {' + '.join(map(str, parts))} = {player.points}"
    tell(s, text, rule=rule, kind="score", gain=gain, **reckoned(seat, "points", was, player.points, how))


def most_points(s: Table) -> None:
    """PL-18: the most points win; equal ones share it."""
    scores = {seat: player.points for seat, player in s.seats.items()}
    winners = [seat for seat, points in scores.items() if points == max(scores.values())]
    seats = seats_words(winners)
    why = say_count("{seats} has the most points.", "{seats} have the most points.", len(winners), seats=seats)
    raise Won(winners, scores, why, rule="PL-18")


# --- Cards -------------------------------------------------------------------------------------------


def sets(cards: list[str]) -> list[int]:
    """PL-14: return the sizes of all sets, cards of one rank."""
    return [size for rank in RANKS if (size := sum(card[0] == rank for card in cards)) >= LEAST]


def runs(cards: list[str]) -> list[int]:
    """PL-15: return the sizes of all runs, cards of one suit that follow each other."""
    sizes = []
    for suit in "CDSH":
        size = 0
        for rank in (*RANKS, ""):
            if rank and rank + suit in cards:
                size += 1
                continue
            sizes += [size] if size >= LEAST else []
            size = 0
    return sizes


def worths(sizes: list[int]) -> list[int]:
    """PL-14, PL-15: return the points of sets or runs: 2 for two cards, then 3 more for the third, 4 for the fourth, and so on."""
    return [size * (size + 1) // 2 - 1 for size in sizes]


def points_of(cards: list[str]) -> int:
    """PL-16: return what cards score: the same card may count in a set and in a run."""
    return sum(worths(sets(cards))) + sum(worths(runs(cards)))


def count_total(s: Table, seat: int) -> None:
    """PL-16, PL-19: count again what a player's cards score, with those that only the player sees."""
    player = s.seats[seat]
    player.total.value = points_of([*player.hand.value, *player.cards])


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: PL-X01 to PL-X05."""
    t, amount = s.table, action.args.get("coins")
    if s.phase == "over":
        return Refusal("The game has ended.", "PL-X05")
    if t.turn is None or action.seat not in s.seats or action.move not in ("bid", "drop"):
        return None
    if action.seat not in t.inside:
        return Refusal("You have dropped out. You can bid again for the next lot.", "PL-X04")
    if action.seat != t.turn:
        return Refusal(say("It is the turn of Seat {seat}.", seat=t.turn), "PL-X01")
    if action.move == "drop":
        return None
    if type(amount) is not int or amount <= t.bid:
        return Refusal(say("Bid at least {coins}.", coins=coins(t.bid + 1)), "PL-X02")
    return Refusal(say("You have only {coins}.", coins=coins(s.seats[action.seat].coins)), "PL-X03")


# --- For screens -------------------------------------------------------------------------------------


def wanted(s: Table, seat: int) -> tuple[Text, Text]:
    """Return what the player on turn is asked, and what everybody else reads about it."""
    bid = coins(s.table.bid)
    if s.table.bidder is None:
        return say("Make a bid for this lot, or drop out."), say(
            "Seat {seat} bids or drops out. No bid yet.", seat=seat
        )
    text = say("Seat {seat} bids more than {bid}, or drops out.", seat=seat, bid=bid)
    return say("Bid more than {bid}, or drop out.", bid=bid), text


def names(s: Table, cards: list[str]) -> Listing:
    """Return the names of cards: "Queen of Hearts and 7 of Clubs"."""
    return listed(s.setup.data["cards"][card]["name"] for card in cards)


def coins(count: int) -> Text:
    """Return coins in words."""
    return say_count("1 coin", "{count} coins", count)


def points(count: int) -> Text:
    """Return points in words."""
    return say_count("1 point", "{count} points", count)
