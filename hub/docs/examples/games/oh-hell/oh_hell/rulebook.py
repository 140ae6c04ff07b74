"""Oh Hell, a game in the public domain: bid how many tricks you will take, and take exactly that many.

Read `play` first: it is the table of contents. Each function below it names its rules (OH-..), and OH-V.. if tables play
differently. A card is its rank and its suit, "QH". Which cards there are is in `game.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from hub.engine.decision import Action, OneOf, Won, ask, offer, reckoned, shuffle, starter, tell
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, listed, say, say_count, seats_words
from hub.errors import StartRefused

RANKS = "23456789TJQKA"  # OH-02: from the lowest
SUITS = (("C", say("clubs")), ("D", say("diamonds")), ("S", say("spades")), ("H", say("hearts")))
EXACT = 10  # OH-12: points for an exact bid, besides the bid itself


@dataclass(slots=True)
class Played:
    """A card of a trick, and the seat that played it."""

    seat: int
    card: str

    @property
    def cards(self) -> list[str]:
        """The card as a list, for screens."""
        return [self.card]


@dataclass(slots=True)
class Middle:
    """The middle of the table. OH-14: all of it is public except `deck`, the rest of the deck.

    `coming` are the sizes of later hands, `cards` is the size of this deal's hands. `order` are the seats as they act, `turn` is
    the one that is asked. `total` is the sum of the bids. `trick` stays until the next one is led, or until all have bid
    for the next deal; `best` is the card that is ahead in it.
    """

    deck: Pile[str]
    coming: list[int]
    cards: int = 0
    dealer: int = 0
    turn: int | None = None
    order: list[int] = field(default_factory=list)
    trump_card: str = ""
    total: int = 0
    trick: list[Played] = field(default_factory=list)
    best: Played | None = None


@dataclass(slots=True)
class Player:
    """A player. OH-14: only the hand is private."""

    hand: Secret[list[str]]
    points: int = 0
    bid: int | None = None
    tricks: int = 0

    @property
    def made(self) -> str:
        """The tricks taken and the tricks bid, for small screens: "1/3"."""
        return "" if self.bid is None else f"{self.tricks}/{self.bid}"


Table: TypeAlias = State[Player, Middle]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """OH-01, OH-03: deals of changing size, each with its bids, its tricks and its points."""
    s.table.dealer = await starter(s, "dealer", list(s.seats), "dealer")
    while s.table.coming:
        s.round += 1
        await deal_cards(s)
        await bidding(s)
        for _ in range(s.table.cards - 1):
            await trick(s)
        last_trick(s)
        score(s)
        s.table.dealer = clockwise(s.seats, s.table.dealer + 1)[0]
    most_points(s)


def deal(setup: Setup) -> Table:
    """OH-01, OH-02, OH-X08: return three to six players. OH-03, OH-V01, OH-V02: and the sizes of all deals."""
    most = setup.options["cards"] or setup.data["usual"][str(len(setup.seats))]
    deck, needed = list(setup.data["cards"]), most * len(setup.seats) + 1
    if needed > len(deck):
        text = say("There are {cards} cards: too few for {most} each and the trump card.", cards=len(deck), most=most)
        raise StartRefused(text)
    seats = {seat: Player(Secret([], (seat,))) for seat in setup.seats}
    return Table(setup, seats, Middle(Pile(deck), sizes(most, setup.options["deals"])), phase="setup")


def sizes(most: int, way: str) -> list[int]:
    """OH-03: return the number of cards in each deal, one fewer each time. OH-V02: or then one more each time, or first."""
    down, up = list(range(most, 0, -1)), list(range(1, most + 1))
    return {"down_and_up": down + up[1:], "up_and_down": up + down[1:]}.get(way, down)


async def deal_cards(s: Table) -> None:
    """OH-04: the deck is shuffled and dealt. OH-05: the next card is turned up, and its suit is trump."""
    t = s.table
    t.turn, t.total, t.cards, t.order = None, 0, t.coming.pop(0), clockwise(s.seats, t.dealer + 1)
    cards, dealt = list(s.setup.data["cards"]), t.cards * len(t.order)
    deck = await shuffle(s, cards, "deck")
    for place, seat in enumerate(t.order):
        player, hand = s.seats[seat], deck[place : dealt : len(t.order)]
        player.hand.value, player.bid, player.tricks = sorted(hand, key=cards.index), None, 0
    t.trump_card, *t.deck.cards = deck[dealt:]
    each = say_count("1 card", "{count} cards", t.cards)
    tell(s, say("Seat {seat} deals {each} each.", seat=t.dealer, each=each), rule="OH-04", kind="deal", seat=t.dealer)
    text = say("The {card} is turned up: {suit} are trump.", card=name(s, t.trump_card), suit=suit_words(t.trump_card))
    tell(s, text, rule="OH-05", kind="trump", card=t.trump_card)


async def bidding(s: Table) -> None:
    """OH-06: everybody bids in turn, the dealer last."""
    t = s.table
    s.phase = "bid"
    for seat in t.order:
        t.turn = seat
        numbers = [number for number in range(t.cards + 1) if not refuse_bid(s, seat, number)]
        want = say_count("Will you take the trick? Bid 1 or 0.", "How many of {count} tricks will you take?", t.cards)
        answer = await ask(s, seat, [offer("bid", number=OneOf(numbers))], want, say("Seat {seat} bids.", seat=seat))
        s.seats[seat].bid = answer["number"]
        t.total += answer["number"]
        tell(s, "Seat {seat} bids {number}.", rule="OH-06", kind="bid", seat=seat, number=answer["number"])
    t.trick, t.best = [], None


def refuse_bid(s: Table, seat: int, number: object) -> Refusal | None:
    """OH-X03: return why a bid is refused: it is no number of tricks. OH-07, OH-V03, OH-X02: or the hook forbids it."""
    t = s.table
    if type(number) is not int or not 0 <= number <= t.cards:
        return Refusal(say("Bid 0 to {most}.", most=t.cards), "OH-X03")
    if s.setup.options["hook"] and seat == t.dealer and t.total + number == t.cards:
        return Refusal(say("The bids may not add up to {count}.", count=t.cards), "OH-X02")
    return None


async def trick(s: Table) -> None:
    """OH-08: everybody plays a card, beginning with the leader."""
    t = s.table
    s.phase = "play"
    for seat in t.order:
        t.turn = seat
        cards = [card for card in s.seats[seat].hand.value if not refuse_card(s, seat, card)]
        want, others = say("Lead a card."), say("Seat {seat} leads.", seat=seat)
        if led := suit_led(s):
            want, others = say("Play any card."), say("Seat {seat} plays a card.", seat=seat)
            if cards[0][1] == led:
                want = say("Follow suit: play {suit}.", suit=suit_words(led))
        # Only this seat may know that it has no choice.
        answer = await ask(s, seat, [offer("play", card=OneOf(cards))], want, others, hidden=True)
        lay_down(s, seat, answer["card"])
        text = say("Seat {seat} plays the {card}.", seat=seat, card=name(s, answer["card"]))
        tell(s, text, rule="OH-08", kind="play", seat=seat, card=answer["card"])
    take(s)


def refuse_card(s: Table, seat: int, card: object) -> Refusal | None:
    """OH-X04: return why a card is refused: it is not held. OH-09, OH-X05: or it does not follow suit although the hand can."""
    hand, led = s.seats[seat].hand.value, suit_led(s)
    if card not in hand:
        return Refusal("Play a card you hold.", "OH-X04")
    if led and led != str(card)[1] and any(one[1] == led for one in hand):
        return Refusal(say("Follow suit: you hold {suit}.", suit=suit_words(led)), "OH-X05")
    return None


def last_trick(s: Table) -> None:
    """OH-11: everybody's last card is played automatically, and all are shown at once."""
    t = s.table
    s.phase, t.turn = "play", None
    for seat in t.order:
        lay_down(s, seat, s.seats[seat].hand.value[0])
    made = listed((say("the {card} from Seat {seat}", card=name(s, one.card), seat=one.seat) for one in t.trick), ",")
    text = say("The last cards: {cards}.", cards=made)
    faces = {f"{one.seat}": one.card for one in t.trick}
    cards = {f"{one.seat}": one.cards for one in t.trick}
    marks = {f"{one.seat}": "first" for one in t.trick if one == t.best}
    tell(s, text, rule="OH-11", kind="reveal", bids=faces, marks=marks, cards=cards)
    take(s)


def lay_down(s: Table, seat: int, card: str) -> None:
    """OH-10: a card joins the trick. It is ahead if it is the highest trump, or else the highest card of the suit led."""
    t = s.table
    s.seats[seat].hand.value.remove(card)
    t.trick = [*t.trick, Played(seat, card)] if suit_led(s) else [Played(seat, card)]
    t.best = max(t.trick, key=lambda one: strength(s, one.card))


def take(s: Table) -> None:
    """OH-10: the card that is ahead takes the trick. OH-08: its player leads to the next one."""
    t = s.table
    assert t.best
    seat, card = t.best.seat, t.best.card
    s.seats[seat].tricks += 1
    t.order = clockwise(s.seats, seat)
    text = say("Seat {seat} takes the trick with the {card}.", seat=seat, card=name(s, card))
    tell(s, text, rule="OH-10", kind="trick", seat=seat, card=card)


def score(s: Table) -> None:
    """OH-12: an exact bid scores 10 points and the bid, any other nothing. OH-V04: or a point for each trick."""
    for seat, player in s.seats.items():
        was, bid, tricks = player.points, player.bid or 0, say_count("1 trick", "{count} tricks", player.tricks)
        if player.bid == player.tricks:
            player.points += EXACT + bid
            won, how, rule, kind = points(EXACT + bid), f"{EXACT} + {bid}", "OH-12", "exact"
            text = say("Seat {seat} takes {tricks}, exactly as bid: {won}.", seat=seat, tricks=tricks, won=won)
        else:
            each = player.tricks if s.setup.options["score"] == "tricks" else 0
            player.points += each
            won, how, rule, kind = points(each), f"{each}", "OH-V04" if each else "OH-12", "missed"
            text = say("Seat {seat} bid {bid} and takes {tricks}: {won}.", seat=seat, bid=bid, tricks=tricks, won=won)
        data = reckoned(seat, "points", was, player.points, f"{was} + {how} = {player.points}")
        tell(s, text, rule=rule, kind=kind, **data)


def most_points(s: Table) -> None:
    """OH-13: the most points win; equal ones share it."""
    s.phase = "over"
    scores = {seat: player.points for seat, player in s.seats.items()}
    winners = [seat for seat, points in scores.items() if points == max(scores.values())]
    seats = seats_words(winners)
    why = say_count("{seats} has the most points.", "{seats} have the most points.", len(winners), seats=seats)
    raise Won(winners, scores, why, rule="OH-13")


# --- Cards -------------------------------------------------------------------------------------------


def suit_led(s: Table) -> str:
    """OH-09: return the suit that must be followed; "" if the next card leads."""
    trick = s.table.trick
    return trick[0].card[1] if 0 < len(trick) < len(s.seats) else ""


def strength(s: Table, card: str) -> tuple[bool, bool, int]:
    """OH-02, OH-10: return how high a card is in this trick."""
    trump, led = s.table.trump_card, s.table.trick[0].card
    return card[1] == trump[1], card[1] == led[1], RANKS.index(card[0])


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: OH-X01, OH-X06, OH-X07, or what is against that bid or card."""
    if s.phase == "over":
        return Refusal("The game has ended.", "OH-X07")
    if s.table.turn is None or action.move not in ("bid", "play"):
        return None
    if action.seat != s.table.turn:
        return Refusal(say("It is the turn of Seat {seat}.", seat=s.table.turn), "OH-X01")
    if action.move != s.phase:
        text = say("Everybody bids first.") if s.phase == "bid" else say("All bids are made: play a card.")
        return Refusal(text, "OH-X06")
    if action.move == "bid":
        return refuse_bid(s, action.seat, action.args.get("number"))
    return refuse_card(s, action.seat, action.args.get("card"))


# --- For screens -------------------------------------------------------------------------------------


def wished(s: Table, seat: int) -> list[Action]:
    """Return all bids, or all cards in hand."""
    if s.phase == "bid":
        return [Action(seat=seat, move="bid", args={"number": number}) for number in range(s.table.cards + 1)]
    return [Action(seat=seat, move="play", args={"card": card}) for card in s.seats[seat].hand.value]


def name(s: Table, card: str) -> str:
    """Return a card's name: "Queen of Hearts"."""
    text: str = s.setup.data["cards"][card]["name"]
    return text


def suit_words(card: str) -> Text:
    """Return the name of a card's suit."""
    return dict(SUITS)[card[-1]]


def points(count: int) -> Text:
    """Return points in words."""
    return say_count("1 point", "{count} points", count) if count else say("no points")
