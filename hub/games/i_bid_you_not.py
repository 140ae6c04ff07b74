"""I Bid You Not by Pandaqi: build a row of products, or declare an auction and bid for it with your cards.

Read `play` first: it is the table of contents. Each function below it names its rules (IB-..). `why_...` gives the reason
against a card or a move in words, or nothing, and `explain_...` the words for an action that is not offered. The cards are
`data/i_bid_you_not.toml`; what their actions do stands where the rule they change stands, under "product letter".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from hub.engine.decision import (
    Action,
    Amount,
    Answer,
    Choose,
    Json,
    Move,
    OneOf,
    Reckoned,
    Won,
    ask,
    ask_all,
    offer,
    pick,
    reckoned,
    shuffle,
    starter,
    tell,
)
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.printed import LAY_OUT, is_printed, lay_out
from hub.engine.secret import Secret, plain
from hub.engine.text import listed, say, say_count, seats_words
from hub.errors import BadCard, StartRefused

SETS = ("base", "odd", "double")  # IB-V06, IB-V07
LEAST_HAND = 2  # IB-X12: cards that the deck must leave everybody
QUIET_TURNS = 3  # IB-A18: turns in which nobody may declare
DEAR_SKIP = 3  # IB-A24: scored cards that a skip costs under Wrist Wash B
NUMBER = re.compile("[+-]?[0-9]{1,4}")

# Actions by when they count (IB-A01); all that are not named here work from the moment their card lies in the offer
SCORING = ("headgrowns A", "headgrowns B")
INSTANT = ("laptopple A", "laptopple B", "bear_dryer A", "smoak_alarm A", "smoak_alarm B")
OF_THE_CARD = ("telefishion A", "telefishion B", "digital_sock B")
IDLE = frozenset((*SCORING, *INSTANT, *OF_THE_CARD))
"""Actions that do nothing by lying in the offer."""

# Actions against each other (IB-A05)
OPPOSITES = ("flown_mower", "refrigergator", "thumb_hive", "remote_controll")
"""Products of whose actions A and B only the latest works."""
BEATEN = (("wrist_wash B", "wrist_wash A"), ("cashing_machine A", "cashing_machine B"))
"""Actions that do not work beside another one, and that other one."""
UNBROKEN = ("swatphone A", "cashing_machine B")
"""IB-A13: the actions that still work where Swatphone A does."""


@dataclass(slots=True)
class Card:
    """A card: its number, price, product, action ("A", "B" or none), and who added it to the offer."""

    card: int
    price: int
    kind: str
    action: str | None
    by: int | None = None


Facts: TypeAlias = tuple[int, int, str, str | None]
"""What is printed on a card: number, price, product, action."""
Bid: TypeAlias = int | list[int]


@dataclass(slots=True)
class Standing:
    """A bidder in the order of decision, and what the bid counts."""

    seat: int
    counts: int


@dataclass(slots=True)
class Market:
    """The middle of the table, all of it public (IB-04).

    `placed` are the numbers of the offer in the order of time; `laid` the cards that were bid, until they go their
    way; `bids`, `order` and `inverted` are those of the last auction; `void` and `skipped` name bidders; `quiet` is
    for how many turns nobody may declare. A deck that chance has made is as well known as the fixed one: `made` lists
    it, a card to a line as the data file does (IB-V09).
    """

    actions: bool
    made: list[str]
    offer: list[Card]
    placed: list[int]
    discards: list[int]
    laid: list[Card]
    bids: dict[int, Bid]
    order: list[int]
    void: list[int]
    skipped: list[int]
    inverted: bool | None = None
    turn: int | None = None
    deciding: int | None = None
    quiet: int = 0

    @property
    def active(self) -> list[int]:
        """IB-A05: the cards of the offer whose actions work now."""
        return [card.card for card in at_work(in_time(self))] if self.actions else []

    @property
    def last(self) -> int | None:
        """The card that the next one is compared with."""
        return self.offer[-1].card if self.offer else None

    @property
    def lowest(self) -> int | None:
        """The lower end of the offer's range."""
        return min((card.card for card in self.offer), default=None)

    @property
    def highest(self) -> int | None:
        """The upper end of the offer's range."""
        return max((card.card for card in self.offer), default=None)

    @property
    def worth(self) -> int:
        """The sum of the offer's prices."""
        return sum(card.price for card in self.offer)

    @property
    def turning(self) -> str:
        """IB-11, IB-A28, IB-A29: what it takes to turn the order over."""
        works = [named(card) for card in at_work(in_time(self))] if self.actions else []
        if "cashing_machine B" in works:
            return say("The order turns over no matter what.")
        if "cashing_machine A" in works or len(self.offer) < 2:
            return say("The order can't turn over.")
        return say(
            "If all bids lie between {lowest} and {highest}, the order turns over.",
            lowest=self.lowest,
            highest=self.highest,
        )

    @property
    def queue(self) -> list[Standing]:
        """IB-12: while an auction is decided, what each bid counts, in the order of decision."""
        return [Standing(seat, value_of(self, seat)[0]) for seat in self.order] if self.deciding and self.bids else []

    @property
    def way(self) -> str:
        """IB-12: which bid decides first, in words."""
        return (
            "" if self.inverted is None else say("turned over, lowest first") if self.inverted else say("highest first")
        )


@dataclass(slots=True)
class Buyer:
    """A player. IB-04: hand and score pile are private, their sizes public; the bid is secret until the reveal.

    At the end `scored` lays the score pile open, `totals` are what the products count, and `score` is their sum.
    IB-V12: of a printed hand `hand` holds the cards that have lain open before, and `unseen` is how many others there are.
    """

    hand: Secret[list[Card]]
    pile: Secret[list[Card]]
    unseen: int = 0
    bid: Secret[Bid] | int | list[int] | None = None
    locked: bool = False
    scored: list[Card] | None = None
    score: int | None = None
    totals: dict[str, int] | None = None

    @property
    def hand_size(self) -> int:
        """How many cards are held."""
        return len(self.hand.value) + self.unseen

    @property
    def pile_size(self) -> int:
        """How many cards are scored."""
        return len(self.pile.value)


Table: TypeAlias = State[Buyer, Market]


class Row(NamedTuple):
    """An offer as cards are judged by it: left to right, in the order of time, and the actions that work."""

    cards: list[Card]
    placed: list[Card]
    works: list[str]
    actions: bool
    products: Mapping[str, Mapping[str, object]]

    @property
    def traits(self) -> bool:
        """IB-A13: whether cards outside the offer have what is their own."""
        return self.actions and "swatphone A" not in self.works

    def then(self, card: Card) -> Row:
        """Return the offer with one card more."""
        return row([*self.cards, card], [*self.placed, card], self.products, actions=self.actions)


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """IB-05 to IB-09, IB-20: clockwise turns of adding or declaring, until all hands are empty."""
    seat = await set_up(s)
    while True:
        await turn(s, seat)
        if all(buyer.hand_size == 0 for buyer in s.seats.values()):
            highest_score(s)
        seat = clockwise(s.seats, seat)[1]


def deal(setup: Setup) -> Table:
    """IB-01: return three to six players. IB-X12: the deck, trimmed, must leave everybody two cards."""
    options, data = setup.options, setup.data
    if options["generated"] and is_printed(setup):
        raise StartRefused(say("Printed cards cannot be generated: switch off one of the two options."))  # IB-V12
    used = sets(options)
    left = sum(data["sets"][name]["least"] for name in used) if options["generated"] else len(deck_of(data, used))
    needed = LEAST_HAND * len(setup.seats) + 1
    if left < needed:
        raise StartRefused(
            say(
                "The deck has {cards} cards, and {players} players need {needed}.",
                cards=left,
                players=len(setup.seats),
                needed=needed,
            )
        )
    if left - options["trim"] < needed:
        raise StartRefused(
            say("At least {needed} cards must be left: set aside {most} at most.", needed=needed, most=left - needed)
        )
    seats = {seat: Buyer(Secret([], (seat,)), Secret([], (seat,))) for seat in setup.seats}
    market = Market(options["actions"], [], [], [], [], [], {}, [], [], [])
    return Table(setup=setup, seats=seats, table=market, round=1, phase="setup")


async def set_up(s: Table) -> int:
    """IB-01 to IB-03: start player, deck, first card, and all the others dealt. IB-V08 trims, IB-V09 generates."""
    first = await starter(s, "first", list(s.seats), "first")
    tell(s, "Seat {seat} starts.", rule="IB-01", kind="first", seat=first)
    if is_printed(s.setup):
        await dealt_by_people(s, first)
        return first
    cards = await generated(s) if s.setup.options["generated"] else deck_of(s.setup.data, sets(s.setup.options))
    cards = trimmed(cards, s.setup.options["trim"])
    by_number = {card.card: card for card in cards}
    order = await shuffle(s, list(by_number), "deck")
    while s.table.actions and named(by_number[order[0]]) == "telefishion A":  # IB-A53
        tell(s, "A Telefishion A can't open an offer, so it is shuffled back.", rule="IB-A53", kind="shuffle")
        order = await shuffle(s, order, "deck")
    open_offer(s, by_number[order[0]], "IB-02")
    dealt = clockwise(s.seats, first)
    for place, number in enumerate(order[1:]):
        hand(s, dealt[place % len(dealt)]).append(by_number[number])
    for seat in s.seats:
        sort_hand(s, seat)
    return first


async def dealt_by_people(s: Table, first: int) -> None:
    """IB-V12, IB-02, IB-03: people shuffle and deal, and the start player names the card that lies open.

    A Telefishion A is none: it is shuffled back before it is named (IB-A53).
    """
    cards = unseen(s)
    dealt = clockwise(s.seats, first)
    for place in range(len(cards) - 1):
        s.seats[dealt[place % len(dealt)]].unseen += 1
    opening = [card.card for card in cards if not s.table.actions or named(card) != "telefishion A"]
    which = say(
        "{count} cards ({lowest} to {highest})", count=len(cards), lowest=cards[0].card, highest=cards[-1].card,
    )  # fmt: skip
    most, fewest = s.seats[dealt[0]].unseen, s.seats[dealt[-1]].unseen
    each = (
        say("{most} each", most=most)
        if most == fewest
        else say("{most} or {fewest} each, starting with Seat {seat}", most=most, fewest=fewest, seat=first)
    )
    if len(opening) < len(cards):
        want = say(
            "Shuffle the {cards}. Name the first one (no Telefishion A) and deal the rest: {each}.", cards=which,
            each=each,
        )  # fmt: skip
    else:
        want = say("Shuffle the {cards}. Name the first one and deal the rest: {each}.", cards=which, each=each)
    others = say(
        "Shuffle and deal the {cards}: {each}. Seat {seat} names the first one.", cards=which, each=each, seat=first
    )
    answer = await lay_out(s, first, want, others, card=OneOf(opening))
    assert answer
    (card,) = [card for card in cards if card.card == answer["card"]]
    open_offer(s, card, "IB-02")


def trimmed(cards: list[Card], out: int) -> list[Card]:
    """IB-V08: return the cards without `out` of them, the highest, the lowest, and so on by turns."""
    kept = sorted(cards, key=number_of)
    for place in range(out):
        kept.pop(-1 if place % 2 == 0 else 0)
    return kept


async def generated(s: Table) -> list[Card]:
    """IB-V09: numbers set by set; then a supply of prices for each set, as often as needed, is shuffled and dealt to them."""
    cards = list[Card]()
    for name in sets(s.setup.options):
        unpriced = await stepped(s, name)
        supply = s.setup.data["generator"]["prices"]
        prices = await shuffle(s, supply * (1 + (len(unpriced) - 1) // len(supply)), "prices")
        cards += [replace(card, price=price) for card, price in zip(unpriced, prices, strict=False)]
    cards.sort(key=number_of)
    s.table.made = [f"{card.kind} {card.card} {card.price:+d} {card.action or ''}".strip() for card in cards]
    text = say(
        "Chance made a deck of {count} cards, from {lowest} to {highest}.", count=len(cards), lowest=cards[0].card,
        highest=cards[-1].card,
    )  # fmt: skip
    tell(s, text, rule="IB-V09", kind="made", cards=len(cards))
    return cards


async def stepped(s: Table, name: str) -> list[Card]:
    """IB-V09: each product steps on from its start by chance, and then to the next number that is free."""
    data, how = s.setup.data["sets"][name], s.setup.data["generator"]
    free, step, cards = list(range(data["low"], data["high"] + 1)), data["step"], list[Card]()
    products = [(kind, about) for kind, about in s.setup.data["cards"].items() if about["set"] == name]
    for kind, about in sorted(products, key=lambda pair: abs(pair[1]["start"])):
        number = about["start"]
        for (least, most), letter in zip(how["steps"], how["letters"], strict=True):
            number += step * (await pick(s, list(range(least, most + 1)), "steps") if most else 0)
            onward = [n for n in free if (n - number) * step >= 0]
            if onward or not data["drops"]:
                number = min(onward or free, key=lambda n: abs(n - number))
                free.remove(number)
                cards.append(Card(number, 0, kind, letter if "A" in about else None))
    return cards


# --- A turn ------------------------------------------------------------------------------------------


async def turn(s: Table, seat: int) -> None:
    """IB-05, IB-07, IB-08: add or declare; no passing, but where IB-A18 forbids to declare and nothing fits."""
    market, now = s.table, row_of(s)
    market.turn, s.phase = seat, "turn"
    free = not quiet_turns(s, now)
    want = say("Add a card or declare an auction.") if free else say("Add a card: nobody may declare now.")
    others = (
        say("Seat {seat} adds a card or declares an auction.", seat=seat)
        if free
        else say("Seat {seat} adds a card: nobody may declare now.", seat=seat)
    )
    hidden = not is_printed(s.setup) and len(hand(s, seat)) >= cards_to_add(now)
    answer = await ask(s, seat, lambda: turn_moves(s, seat), want, others, hidden=hidden)
    market.quiet = max(0, market.quiet - 1)  # IB-A18: one of the three turns is taken
    match answer.move:
        case "add":
            await add(s, seat, answer)
        case "auction":
            tell(s, "Seat {seat} declares an auction.", rule="IB-05", kind="auction", seat=seat)
            await auction(s, seat)
        case "pass":
            tell(s, "Seat {seat} passes.", rule="IB-A18", kind="pass", seat=seat)


def turn_moves(s: Table, seat: int) -> list[Move]:
    """IB-05, IB-A18: return the cards that may be added, and to declare or, in the quiet turns, to pass.

    IB-V12: a player who says that no printed card fits is believed.
    """
    now = row_of(s)
    moves = add_moves(s, seat, now)
    if not quiet_turns(s, now):
        return [*moves, offer("auction")]
    return [*moves, offer("pass")] if not moves or s.seats[seat].unseen else moves


def add_moves(s: Table, seat: int, now: Row) -> list[Move]:
    """IB-06: return the cards that may be added; IB-A37 Ceiling Van A: pairs of them, of printed cards the first ones."""
    if cards_to_add(now) == 1:
        fitting = fitting_cards(s, seat, now)
        return [offer("add", card=OneOf(fitting))] if fitting else []
    if s.seats[seat].hand_size < cards_to_add(now):
        return []
    mine, cards = hand(s, seat), may_hold(s, seat)
    if s.seats[seat].unseen:
        # Whose only unseen card comes first has just the known ones for the second.
        known_next = mine if s.seats[seat].unseen == 1 else cards
        firsts = [card.card for card in cards if any(following(now, mine, cards if card in mine else known_next, card))]
        return [offer("add", card=OneOf(firsts))] if firsts else []
    pairs = [[card.card, other.card] for card in mine for other in following(now, mine, mine, card)]
    return [offer("add", cards=OneOf(pairs))] if pairs else []


def fitting_cards(s: Table, seat: int, now: Row) -> list[int]:
    """IB-06: return the numbers of the cards that may be added to an offer."""
    return [card.card for card in may_hold(s, seat) if not why_not_added(now, hand(s, seat), card)]


def following(now: Row, mine: Sequence[Card], cards: Sequence[Card], card: Card) -> Iterator[Card]:
    """IB-A37: yield those of `cards` that may be added after that one; none where it may not be added itself."""
    if why_not_added(now, mine, card):
        return
    then, rest = now.then(card), [other for other in mine if other.card != card.card]
    for other in cards:
        if other.card != card.card and not why_not_added(then, rest, other):
            yield other


def why_not_added(now: Row, mine: Sequence[Card], card: Card) -> str:
    """IB-06, IB-A06: return why a card may not be added on a turn, or nothing. IB-A56 needs no number above."""
    last, works, kinds = now.cards[-1], now.works, [other.kind for other in now.cards]
    own = named(card) if now.traits else ""
    if reason := why_kept_out(now, card):
        return reason
    if card.kind == "digital_sock" and "digital_sock" in kinds and "digital_sock A" in (*works, own):  # IB-A55
        return say("Only one Digital Sock may be in this offer.")
    if "flown_mower A" in works and card.kind in kinds:  # IB-A15
        return say("Flown Mower A: the product must not be in the offer yet.")
    if "flown_mower B" in works and card.kind not in kinds:  # IB-A16
        return say("Flown Mower B: the product must already be in the offer.")
    if "thumb_hive A" in works and any(other.card > card.card for other in mine):  # IB-A41
        return say("Thumb Hive A: add only your highest card.")
    if "thumb_hive B" in works and any(other.card < card.card for other in mine):  # IB-A42
        return say("Thumb Hive B: add only your lowest card.")
    if reason := why_not_beside(now, card, [last]):
        return reason
    if own == "digital_sock B":  # IB-A56
        return ""
    if "refrigergator A" in works:  # IB-A21
        return "" if card.price > last.price else say("Refrigergator A: needs a price above {price}.", price=last.price)
    if "refrigergator B" in works:  # IB-A22
        return "" if card.card < last.card else say("Refrigergator B: needs a number below {number}.", number=last.card)
    return "" if card.card > last.card else say("Needs a number above {number}.", number=last.card)


def why_kept_out(now: Row, card: Card) -> str:
    """IB-A53, and what is barred: return why a card may not go into the offer at all, or nothing."""
    if now.traits and named(card) == "telefishion A":
        return say("A Telefishion A can't go into an offer.")
    return why_barred(now, card)


def why_barred(now: Row, card: Card) -> str:
    """IB-A14, IB-A59, IB-A60: return why a card is neither added, skipped with nor bid, or nothing."""
    if "swatphone B" in now.works and not card.action:
        return say("Swatphone B: needs a card with an action.")
    if "remote_controll A" in now.works and card.price < 0:
        return say("Remote Controll A: no negative prices.")
    if "remote_controll B" in now.works and card.price > 0:
        return say("Remote Controll B: no positive prices.")
    return ""


def why_not_beside(now: Row, card: Card, neighbours: Sequence[Card]) -> str:
    """IB-A61, IB-A62: return why a card may not lie directly beside a Gamehat that works, or nothing."""
    for hat in neighbours:
        if named(hat) not in now.works:
            continue
        price, hue = card.price == hat.price, now.products[card.kind]["hue"] == now.products[hat.kind]["hue"]
        if named(hat) == "gamehat A" and (price or hue):
            return say("Gamehat A: next to {card}, price and color must both differ.", card=hat.card)
        if named(hat) == "gamehat B" and not (price or hue):
            return say("Gamehat B: next to {card}, price or color must match.", card=hat.card)
    return ""


def explain_add(s: Table, action: Action) -> Refusal:
    """Return why no such card is added: not held (IB-X03), or it does not fit (IB-X02)."""
    seat, now, numbers = action.seat, row_of(s), numbers_of(action.args)
    mine, cards = hand(s, seat), may_hold(s, seat)
    if not numbers or not all(type(n) is int and any(card.card == n for card in cards) for n in numbers):
        return not_held(s, seat)
    at_once = 1 if s.phase == "second" or s.seats[seat].unseen else cards_to_add(now)
    if len(numbers) != at_once or len(set(numbers)) < len(numbers):
        return Refusal(say_count("Add 1 card.", "Add {count} cards.", at_once), "IB-X02")
    for number in numbers:
        (card,) = [card for card in cards if card.card == number]
        if reason := why_not_added(now, mine, card):
            return Refusal(reason, "IB-X02")
        now, mine = now.then(card), [other for other in mine if other is not card]
    return Refusal("Add a card that fits.", "IB-X02")


def not_held(s: Table, seat: int) -> Refusal:
    """IB-X03: return why a card is not played that is not held; IB-V12: or that no printed hand can hold."""
    if s.seats[seat].unseen:
        return Refusal("That card has been seen or is not in the deck.", "IB-X03")
    return Refusal("You don't have that card.", "IB-X03")


async def add(s: Table, seat: int, answer: Answer) -> None:
    """IB-06: the card goes to the right end. Then what it does at once (IB-A01), Laptopple A last (IB-A17)."""
    market, wanted = s.table, cards_to_add(row_of(s))
    cards = [put_last(s, seat, number) for number in numbers_of(answer.args)]
    if len(cards) < wanted:
        cards.append(await add_second(s, seat))
    doing = [named(card) for card in cards] if row_of(s).traits else []
    for what in doing:
        match what:
            case "laptopple B":  # IB-A18
                market.quiet = QUIET_TURNS
                tell(s, "Nobody may declare for {turns} turns.", rule="IB-A18", kind="quiet", turns=QUIET_TURNS)
            case "bear_dryer A":
                dry(s)
            case "smoak_alarm A":
                for other in clockwise(s.seats, seat)[1:]:
                    await take_scored(s, seat, other, "IB-A35")
            case "smoak_alarm B":
                for other in clockwise(s.seats, seat)[1:]:
                    await take_scored(s, other, seat, "IB-A36")
    if "laptopple A" in doing and any(buyer.hand_size for buyer in s.seats.values()):
        tell(s, "An auction starts at once.", rule="IB-A17", kind="auction", seat=seat)
        await auction(s, seat)


def put_last(s: Table, seat: int, number: int) -> Card:
    """IB-06: put a card of the hand to the right end, and return it."""
    card = take(s, seat, number)
    place_card(s, seat, card, len(s.table.offer))
    tell(
        s, say("Seat {seat} adds {card}.", seat=seat, card=shown(card)), rule="IB-06", kind="add", seat=seat,
        card=card.card,
    )  # fmt: skip
    return card


async def add_second(s: Table, seat: int) -> Card:
    """IB-A37, IB-V12: printed cards are named one after the other, for their pairs would be thousands."""
    s.phase = "second"
    moves, others = (
        [offer("add", card=OneOf(fitting_cards(s, seat, row_of(s))))],
        say("Seat {seat} adds a second card.", seat=seat),
    )
    answer = await ask(s, seat, moves, say("Add a second card."), others, hidden=True)
    return put_last(s, seat, answer["card"])


def dry(s: Table) -> None:
    """IB-A31: negative prices go to whoever added them. Opening cards stay, so an offer is never empty."""
    market = s.table
    for card in list(market.offer):
        if card.price < 0 and (owner := card.by):
            market.offer.remove(card)
            market.placed.remove(card.card)
            pile(s, owner).append(card)
            facts = scored(s, owner, 1, say("price {price}", price=card.price))
            tell(
                s, say("{card} goes to Seat {seat}.", card=shown(card), seat=owner), rule="IB-A31", kind="dry",
                card=card.card, **facts,
            )  # fmt: skip


async def take_scored(s: Table, taker: int, giver: int, rule: str) -> None:
    """IB-A35, IB-A36: a random scored card goes from pile to pile, face down."""
    if pile(s, giver):
        card = await random_scored(s, giver)
        pile(s, taker).append(card)
        text = say("Seat {taker} takes a scored card from Seat {giver}.", taker=taker, giver=giver)
        tell(s, text, rule=rule, kind="steal", source=giver, **scored(s, taker, 1, say("from Seat {seat}", seat=giver)))
        tell(
            s, say("Seat {seat} no longer has it.", seat=giver), rule=rule, kind="stolen",
            **scored(s, giver, -1, say("to Seat {seat}", seat=taker)),
        )  # fmt: skip
        if is_printed(s.setup):  # IB-V12: only its giver is told which
            s.phase, others = "hand_over", say("Seat {seat} hands over a scored card, face down.", seat=giver)
            move = offer("handed", card=card.card, target=taker)
            await ask(s, giver, [move], say("Hand over this scored card, face down."), others, hidden=True)


def quiet_turns(s: Table, now: Row) -> int:
    """IB-A18: return for how many turns nobody may declare; IB-A13 breaks that too."""
    return 0 if "swatphone A" in now.works else s.table.quiet


def cards_to_add(now: Row) -> int:
    """IB-A37: return two where Ceiling Van A works, else one."""
    return 2 if "ceiling_van A" in now.works else 1


# --- An auction --------------------------------------------------------------------------------------


async def auction(s: Table, declarer: int) -> None:
    """IB-10 to IB-19: bid, reveal, decide in order, take, and a new offer."""
    await bid(s, declarer)
    reveal(s)
    acceptor = await decide(s)
    await accept(s, acceptor)


async def bid(s: Table, declarer: int) -> None:
    """IB-10: whoever holds a card bids one, secretly and at once; IB-A39 Calculater A: openly, one by one."""
    market, now = s.table, row_of(s)
    market.void, market.skipped = [], []
    for buyer in s.seats.values():
        buyer.bid = None
    openly = "calculater A" in now.works
    s.phase = "open_bid" if openly else "bid"
    seats = bidders(s, declarer)
    if openly:
        for seat in clockwise(seats, declarer):
            market.deciding = seat
            forced = len(may_hold(s, seat)) == 1
            others = say("Seat {seat} openly bids a card.", seat=seat)
            answer = await ask(s, seat, bid_moves(s, seat, now), say("Bid a card openly."), others, hidden=not forced)
            lay(s, seat, answer)
            tell(
                s, say("Seat {seat} bids {cards}.", seat=seat, cards=spoken(s.seats[seat].bid)), rule="IB-A39",
                kind="bid", seat=seat,
            )  # fmt: skip
        market.deciding = None
        return
    choosing = [seat for seat in seats if len(may_hold(s, seat)) > 1]
    only = {seat: Answer("bid", bid_moves(s, seat, now)[0].first()) for seat in seats if seat not in choosing}
    for seat in seats:
        if seat in only:  # everybody sees that there is one card only
            s.seats[seat].bid = Secret(next(iter(only[seat].args.values())), (seat,))
            tell(s, "Seat {seat} bids its only card.", rule="IB-10", kind="forced", seat=seat)
    want = say("Bid two cards: their sum counts.") if cards_to_bid(now) == 2 else say("Bid a card.")
    two = cards_to_bid(now) == 2
    others = say("Everybody bids two cards in secret.") if two else say("Everybody bids a card in secret.")
    moves = {seat: bid_moves(s, seat, now) for seat in choosing}
    answers = await ask_all(s, moves, want, others, into="bid", laid=is_printed(s.setup))
    made = {seat: answers.get(seat) or only[seat] for seat in seats}
    twice = named_twice(made)
    for seat in [seat for seat in seats if seat not in twice]:
        lay(s, seat, made[seat])
    await name_again(s, twice, now)


def named_twice(made: Mapping[int, Answer]) -> list[int]:
    """IB-V12: return the seats whose bid names a card that another one names too; a card is there once."""
    numbers = [number for answer in made.values() for number in numbers_of(answer.args)]
    return [seat for seat, answer in made.items() if any(numbers.count(n) > 1 for n in numbers_of(answer.args))]


async def name_again(s: Table, seats: Sequence[int], now: Row) -> None:
    """IB-V12: where two have named one card, the bids are turned over as they lie, and each of the two names its own openly."""
    if not seats:
        return
    text = say("{seats} named the same card. Turn the bids over and name them again.", seats=seats_words(seats))
    tell(s, text, rule="IB-V12", kind="twice", seats=list(seats))
    for seat in seats:
        s.seats[seat].bid = None
    for seat in seats:
        s.phase, s.table.deciding = "again", seat
        others = say("Seat {seat} names the card it bid.", seat=seat)
        want = say("Another seat named that card, too. Name the card you bid.")
        lay(s, seat, await ask(s, seat, bid_moves(s, seat, now), want, others, hidden=True))
    s.table.deciding = None


def bidders(s: Table, declarer: int) -> list[int]:
    """IB-10, IB-A32, IB-A40, IB-A07: return who holds cards; a restriction that leaves nobody is ignored."""
    seats, works = [seat for seat in s.seats if s.seats[seat].hand_size], row_of(s).works
    sellers = [card.by for card in s.table.offer if card.price < 0]
    if "bear_dryer B" in works:
        seats = [seat for seat in seats if seat in sellers] or seats
    if "calculater B" in works:
        seats = [seat for seat in seats if seat != declarer] or seats
    return seats


def cards_to_bid(now: Row) -> int:
    """IB-A38: return two where Ceiling Van B works, else one."""
    return 2 if "ceiling_van B" in now.works else 1


def bid_moves(s: Table, seat: int, now: Row) -> list[Move]:
    """IB-A07, IB-A54: return the cards that may be bid, or any where none may. IB-A38: two, if two are held.

    IB-V12: who says of a printed hand that none may is believed.
    """
    mine = may_hold(s, seat)
    every, fitting = [card.card for card in mine], [card.card for card in mine if not why_not_bid(now, card)]
    size = min(cards_to_bid(now), s.seats[seat].hand_size)
    enough = len(fitting) >= size and (size < 2 or s.seats[seat].unseen != 1 or bool(pairs_of(s, seat, fitting)))
    moves = [bid_of(s, seat, now, "bid", fitting if enough else every)]
    if enough and s.seats[seat].unseen and len(fitting) < len(every):
        rest = every if cards_to_bid(now) == 2 else [number for number in every if number not in fitting]
        moves.append(bid_of(s, seat, now, "bid_any", rest))
    return moves


def bid_of(s: Table, seat: int, now: Row, name: str, numbers: list[int]) -> Move:
    """IB-A38: return the bid of one of these cards, or of two; IB-V12: no more of them unseen than are held."""
    if cards_to_bid(now) == 1:
        return offer(name, card=OneOf(numbers))
    size = min(2, s.seats[seat].hand_size)
    if size == 2 and s.seats[seat].unseen == 1:
        return offer(name, cards=OneOf(pairs_of(s, seat, numbers)))
    return offer(name, cards=Choose(numbers, size, size))


def pairs_of(s: Table, seat: int, numbers: list[int]) -> list[list[int]]:
    """IB-A38, IB-V12: return the pairs of these cards that a hand with one unseen card may hold: one at least is known."""
    known = [card.card for card in hand(s, seat)]
    return [[one, other] for one in numbers for other in numbers if one != other and (one in known or other in known)]


def why_not_bid(now: Row, card: Card) -> str:
    """IB-A14, IB-A54, IB-A59, IB-A60: return why a card may not be bid, or nothing."""
    if now.traits and named(card) == "telefishion B":
        return say("You can't bid a Telefishion B.")
    return why_barred(now, card)


def explain_bid(s: Table, action: Action) -> Refusal:
    """Return why a bid is refused: not wanted (IB-X04), of a card not held (IB-X03) or not to be bid (IB-X02)."""
    mine, seat = may_hold(s, action.seat), action.seat
    if s.phase not in ("bid", "open_bid", "again"):
        return Refusal("You can't bid now.", "IB-X04")
    if s.seats[seat].bid is None and not mine:
        return Refusal("You have no card to bid.", "IB-X04")
    if s.table.deciding and seat != s.table.deciding:
        return Refusal(say("It is Seat {seat}'s turn to bid.", seat=s.table.deciding), "IB-X04")
    if seat not in bidders(s, s.table.turn or 0):
        return Refusal("You can't bid in this auction.", "IB-X04")
    if s.phase == "bid" and len(mine) == 1:
        return Refusal("You have already bid your only card.", "IB-X04")
    numbers = numbers_of(action.args)
    held = [card for card in mine if card.card in [n for n in numbers if type(n) is int]]
    if len(held) < len(numbers):
        return not_held(s, seat)
    for card in held:
        if reason := why_not_bid(row_of(s), card):
            return Refusal(reason, "IB-X02")
    if action.move == "bid_any":
        return Refusal("You may bid that card normally.", "IB-A07")
    pairs = cards_to_bid(row_of(s)) == 2 and len(mine) > 1
    return Refusal(say("Bid two cards.") if pairs else say("Bid one card."), "IB-A38")


def lay(s: Table, seat: int, answer: Answer) -> None:
    """Move a bid from the hand to the table."""
    numbers = numbers_of(answer.args)
    s.seats[seat].bid = sorted(numbers) if "cards" in answer.args else answer["card"]
    for number in numbers:
        card = take(s, seat, number)
        card.by = seat
        s.table.laid.append(card)


def reveal(s: Table) -> None:
    """IB-11, IB-12: the bids, whether they turn the order over, and the order. IB-A51, IB-A52: what is void."""
    market, works = s.table, row_of(s).works
    market.bids = {seat: buyer.bid for seat, buyer in s.seats.items() if isinstance(buyer.bid, int | list)}
    low, high = ends(market.offer)
    valid = list(market.bids)
    if "computer_moose A" in works:
        valid = [seat for seat in valid if value_of(market, seat)[0] >= low] or valid
    if "computer_moose B" in works:
        valid = [seat for seat in valid if value_of(market, seat)[0] <= high] or valid
    market.void = [seat for seat in market.bids if seat not in valid]
    inside = all(low < value_of(market, seat)[0] < high for seat in valid)
    market.inverted = "cashing_machine B" in works or (inside and "cashing_machine A" not in works)  # IB-A28, IB-A29
    market.order = sorted(valid, key=lambda seat: value_of(market, seat), reverse=not market.inverted)
    bids = listed(
        (say("{cards} from Seat {seat}", cards=spoken(made), seat=seat) for seat, made in market.bids.items()), ","
    )
    made = {str(seat): bid for seat, bid in market.bids.items()}
    marks = {str(seat): "first" for seat in market.order[:1]} | {str(seat): "void" for seat in market.void}
    cards = {str(seat): [plain(card) for card in market.laid if card.by == seat] for seat in market.bids}
    places = [*market.order, *market.void]
    tell(
        s, say("The bids: {bids}.", bids=bids), rule="IB-10", kind="reveal", bids=made, marks=marks, cards=cards,
        order=places,
    )  # fmt: skip
    text = (
        say("The order turns over: the lowest bid goes first.")
        if market.inverted
        else say("The order does not turn over: the highest bid goes first.")
    )
    at = {str(seat): value_of(market, seat)[0] for seat in market.order}
    line: dict[str, Json] = {"low": low, "high": high, "at": at, "turned": market.inverted}
    tell(s, text, rule="IB-11", kind="order", order=market.order, line=line)


# --- To skip or to accept ----------------------------------------------------------------------------


async def decide(s: Table) -> int:
    """IB-13 to IB-16, IB-19: one after the other accepts or pays to skip, in the order of the reveal."""
    market = s.table
    for seat in market.order:
        s.phase, market.deciding, now = "decide", seat, row_of(s)
        if reason := why_must_accept(s, seat, now):
            tell(
                s, say("Seat {seat} must accept. {reason}", seat=seat, reason=reason), rule="IB-15", kind="must",
                seat=seat,
            )  # fmt: skip
        moves = [*([] if reason else skip_moves(s, seat, now)), offer("accept")]
        others = say("Seat {seat} takes the offer or pays to skip it.", seat=seat)
        answer = await ask(s, seat, moves, say("Take this offer or pay to skip it."), others, hidden=not reason)
        if answer.move == "accept":
            tell(s, "Seat {seat} takes the offer.", rule="IB-17", kind="accept", seat=seat)
            break
        await skip(s, seat, answer)
    assert market.deciding
    return market.deciding


def why_must_accept(s: Table, seat: int, now: Row) -> str:
    """IB-15, IB-16, IB-V03, IB-A23, IB-A24: return why a bidder must accept, as far as everybody can see; or nothing."""
    scored, held = len(pile(s, seat)), s.seats[seat].hand_size
    if seat == s.table.order[-1]:
        return say("The last bidder can't skip.")
    if "wrist_wash A" in now.works:
        return say("With Wrist Wash A, nobody can skip.")
    if "wrist_wash B" in now.works:
        return (
            say("With Wrist Wash B, a skip costs {count} scored cards.", count=DEAR_SKIP) if scored < DEAR_SKIP else ""
        )
    if s.setup.options["cheap_skip"]:
        return "" if scored or held else say("There is nothing to pay with.")
    if not scored:
        return say("The score pile is empty.")
    return "" if held else say("There is no hand card to add.")


def skip_moves(s: Table, seat: int, now: Row) -> list[Move]:
    """IB-14: return hand cards with their places. IB-V03 Cheaper skip: or a scored card. IB-A24: scored cards only."""
    cheap = s.setup.options["cheap_skip"]
    if "wrist_wash B" in now.works:
        return [offer("skip", pay="score")] if cheap else [offer("skip")]
    moves, pay = list[Move](), {"pay": "card"} if cheap else {}
    if s.setup.options["loss_first"] and not cheap:
        return [offer("skip")] if any(skip_places(s, now, card) for card in may_hold(s, seat)) else []
    moves += put_moves(s, seat, now, "skip", pay)
    if cheap and pile(s, seat):
        moves.append(offer("skip", pay="score"))
    return moves


def put_moves(s: Table, seat: int, now: Row, name: str, pay: Mapping[str, str]) -> list[Move]:
    """IB-14: return the hand cards that may be put into the row, with their places."""
    moves = list[Move]()
    by_places: dict[tuple[int, ...], list[int]] = {}
    for card in may_hold(s, seat):
        if places := skip_places(s, now, card):
            by_places.setdefault(tuple(places), []).append(card.card)
    for where_to, cards in by_places.items():
        whole = len(where_to) == len(s.table.offer) + 1
        where = Amount(0, len(s.table.offer)) if whole else OneOf(list(where_to))
        moves.append(offer(name, **pay, card=OneOf(cards), place=where))
    return moves


def skip_places(s: Table, now: Row, card: Card) -> list[int]:
    """IB-14: return the places of the row, if nothing that works forbids the card or the place (IB-A08)."""
    if why_kept_out(now, card):
        return []
    return [place for place in range(len(now.cards) + 1) if not why_not_there(s, now, card, place)]


def why_not_put(s: Table, now: Row, card: Card, place: int) -> str:
    """IB-A06, IB-A53: return why a card may not be put there by a skip, or nothing."""
    return why_kept_out(now, card) or why_not_there(s, now, card, place)


def why_not_there(s: Table, now: Row, card: Card, place: int) -> str:
    """IB-A61, IB-V04 Ordered skip: return why it may not be that place, or nothing."""
    if s.setup.options["ordered_skip"] and not fits_end(now.cards, card, place):
        low, high = ends(now.cards)
        return say("Left: below {low}; right: above {high}.", low=low, high=high)
    return why_not_beside(now, card, now.cards[max(0, place - 1) : place + 1])


def fits_end(cards: Sequence[Card], card: Card, place: int) -> bool:
    """IB-V04: return whether it is below the lowest at the left end, or above the highest at the right end."""
    low, high = ends(cards)
    return (place == 0 and card.card < low) or (place == len(cards) and card.card > high)


def explain_skip(s: Table, action: Action) -> Refusal:
    """IB-X06: return why a bidder must accept; IB-X03, IB-X07, IB-X08, IB-X02: or why not that card or place."""
    seat, now = action.seat, row_of(s)
    if reason := why_must_accept(s, seat, now):
        return Refusal(say("You must accept. {reason}", reason=reason), "IB-X06")
    if not skip_moves(s, seat, now):
        return Refusal("You must accept. You can't add any of your cards.", "IB-X06")
    return explain_put(s, action)


def explain_put(s: Table, action: Action) -> Refusal:
    """IB-X03, IB-X07, IB-X08, IB-X02: return why a card is not put into the offer, or not there."""
    args, now = action.args, row_of(s)
    cards = may_hold(s, action.seat)
    held = [card for card in cards if type(args.get("card")) is int and card.card == args["card"]]
    if "card" in args and not held:
        return not_held(s, action.seat)
    place = args.get("place", None if skip_places(s, now, held[0]) else len(s.table.offer)) if held else None
    if not held or type(place) is not int or not 0 <= place <= len(s.table.offer):
        return Refusal(say("Name a place from 0 to {count}.", count=len(s.table.offer)), "IB-X07")
    reason = why_not_put(s, now, held[0], place)
    ordered = s.setup.options["ordered_skip"] and not fits_end(s.table.offer, held[0], place)
    return Refusal(reason or say("You can't skip like that."), "IB-X08" if ordered else "IB-X02")


def form(s: Table, action: Action) -> Refusal | None:
    """Return the refusal of a skip that names too little (IB-X07), or the card to lose (IB-X13)."""
    if action.move != "skip" or s.phase != "decide":
        return None
    args = action.args
    wanted = (
        [move for move in skip_moves(s, action.seat, row_of(s)) if move.fits(args)] if action.seat in s.seats else []
    )
    if any(args.keys() - move.params.keys() for move in wanted):
        return Refusal("The lost card is drawn at random. Name only the card to add and its place.", "IB-X13")
    return Refusal("Name the card to add and its place.", "IB-X07")


async def skip(s: Table, seat: int, answer: Answer) -> None:
    """IB-14: first a random scored card is lost and shown, then the hand card goes into the row.

    Its card and place are named together with the skip; IB-V11, after the loss.
    """
    market, args = s.table, answer.args
    dear = "wrist_wash B" in row_of(s).works
    lost = DEAR_SKIP if dear else 0 if args.get("pay") == "card" else 1
    for _ in range(lost):
        card = await random_scored(s, seat)
        market.discards.append(card.card)
        text = say("Seat {seat} skips and loses {card}.", seat=seat, card=shown(card))
        tell(
            s, text, rule="IB-14", kind="lose", card=card.card,
            **scored(s, seat, -1, say("price {price}", price=card.price)),
        )  # fmt: skip
    if s.setup.options["loss_first"] and not dear and "pay" not in args:  # IB-V11
        s.phase, others = "put", say("Seat {seat} puts a hand card into the offer.", seat=seat)
        moves = put_moves(s, seat, row_of(s), "put", {})
        args = (await ask(s, seat, moves, say("Put a card into the offer."), others, hidden=True)).args
    if "card" in args:
        card = take(s, seat, args["card"])
        place_card(s, seat, card, args["place"])
        tell(
            s, say("Seat {seat} puts {card} into the offer.", seat=seat, card=shown(card)), rule="IB-14", kind="put",
            seat=seat, card=card.card,
        )  # fmt: skip
    market.skipped.append(seat)


# --- The offer is taken ------------------------------------------------------------------------------


async def accept(s: Table, seat: int) -> None:
    """IB-17, IB-A70: what is added and struck, what is cut, the row to the pile, bids, the next offer. IB-A04."""
    market, now = s.table, row_of(s)
    if "aquariumbrella A" in now.works:
        await extend(s, seat)
    if "aquariumbrella B" in now.works:
        await strike(s, seat)
    won = cut(s, now)
    # IB-A58: a sole bidder who wins nothing but Nightbulb B's scores them, for with two of them the game would never end.
    circling = len(market.bids) == 1 and all(named(card) == "nightbulb B" for card in won)
    market.offer, market.placed, market.quiet = [], [], 0
    prices: list[int] = []
    for card in won:
        if circling or not now.traits or not put_elsewhere(s, seat, card):
            pile(s, seat).append(card)
            prices.append(card.price)
    if prices:
        text = say_count("Seat {seat} scores 1 card.", "Seat {seat} scores {count} cards.", len(prices), seat=seat)
        facts = scored(s, seat, len(prices), say("prices {prices}", prices=added(prices)))
        tell(s, text, rule="IB-17", kind="score", **facts)
    await next_offer(s, seat, now)
    market.turn, market.deciding = None, None


def put_elsewhere(s: Table, seat: int, card: Card) -> bool:
    """IB-A57, IB-A58: return whether a won card is a Nightbulb, which is not scored: A is discarded, B goes to the hand."""
    match named(card):
        case "nightbulb A":
            s.table.discards.append(card.card)
            tell(
                s, say("Nightbulb A: {card} is discarded.", card=shown(card)), rule="IB-A57", kind="discard",
                cards=[card.card],
            )  # fmt: skip
        case "nightbulb B":
            card.by = None
            hand(s, seat).append(card)
            sort_hand(s, seat)
            text = say("Nightbulb B: {card} goes to Seat {seat}'s hand.", card=shown(card), seat=seat)
            tell(s, text, rule="IB-A58", kind="return", seat=seat, card=card.card)
        case _:
            return False
    return True


async def extend(s: Table, seat: int) -> None:
    """IB-A33: each may add a card to the right end of the won row, the acceptor last. IB-A53: never a Telefishion A."""
    for other in [*clockwise(s.seats, seat)[1:], seat]:
        if not s.seats[other].hand_size:
            continue
        s.phase, s.table.deciding = "extend", other
        cards = [card.card for card in may_hold(s, other) if named(card) != "telefishion A"]
        moves = [*([offer("extend", card=OneOf(cards))] if cards else []), offer("done")]
        others = say("Seat {seat} may add a card to the won row.", seat=other)
        answer = await ask(s, other, moves, say("Add a card to the won row?"), others, hidden=True)
        if answer.move == "extend":
            card = take(s, other, answer["card"])
            place_card(s, other, card, len(s.table.offer))
            tell(
                s, say("Seat {seat} adds {card}.", seat=other, card=shown(card)), rule="IB-A33", kind="extend",
                seat=other, card=card.card,
            )  # fmt: skip
        else:
            tell(s, "Seat {seat} adds nothing.", rule="IB-A33", kind="pass", seat=other)


async def strike(s: Table, seat: int) -> None:
    """IB-A34: each may discard a card of the won row, the acceptor last."""
    market = s.table
    for other in [*clockwise(s.seats, seat)[1:], seat]:
        if not market.offer:
            return
        s.phase, market.deciding = "strike", other
        cards = [card.card for card in market.offer]
        moves = [offer("strike", card=OneOf(cards)), offer("done")]
        others = say("Seat {seat} may discard a card from the won row.", seat=other)
        answer = await ask(s, other, moves, say("Discard a card from the won row?"), others)
        if answer.move == "strike":
            card = drawn_out(market.offer, answer["card"])
            market.placed.remove(card.card)
            market.discards.append(card.card)
            tell(
                s, say("Seat {seat} discards {card}.", seat=other, card=shown(card)), rule="IB-A34", kind="strike",
                seat=other, card=card.card,
            )  # fmt: skip
        else:
            tell(s, "Seat {seat} discards nothing.", rule="IB-A34", kind="pass", seat=other)


def cut(s: Table, now: Row) -> list[Card]:
    """IB-A19: discard what lies left of the rightmost Walkie-Barkie A, and it too; return the rest, to be scored."""
    cards = s.table.offer
    if "walkie_barkie A" not in now.works:
        return cards
    end = max((place for place, card in enumerate(cards, 1) if named(card) == "walkie_barkie A"), default=0)
    lost = [card.card for card in cards[:end]]
    if lost:
        s.table.discards += lost
        text = say_count(
            "Walkie-Barkie A: {cards} is discarded.", "Walkie-Barkie A: {cards} are discarded.", len(lost),
            cards=listed(lost, ","),
        )  # fmt: skip
        tell(s, text, rule="IB-A19", kind="discard", cards=lost)
    return cards[end:]


async def next_offer(s: Table, seat: int, now: Row) -> None:
    """IB-18: the lowest bid opens, the others are discarded. IB-A20: Walkie-Barkie B gives them to the acceptor.

    A Nightbulb among them is not scored (IB-A57, IB-A58).
    """
    market, works = s.table, now.works
    if "walkie_barkie B" in works:
        for card in [card for card in market.laid if card.by not in (seat, *market.void)]:
            market.laid.remove(card)
            if now.traits and put_elsewhere(s, seat, card):
                continue
            pile(s, seat).append(card)
            text = say("Seat {seat} also scores the bid {card}.", seat=seat, card=shown(card))
            tell(
                s, text, rule="IB-A20", kind="score", card=card.card,
                **scored(s, seat, 1, say("price {price}", price=card.price)),
            )  # fmt: skip
        opener = openers(s, [seat])[0]
    elif s.setup.options["winners_choice"]:
        s.phase, market.deciding = "open", seat
        cards = [card.card for card in openers(s, market.order)]
        others = say("Seat {seat} chooses the bid that opens the next offer.", seat=seat)
        answer = await ask(
            s, seat, [offer("open", card=OneOf(cards))], say("Choose the bid that opens the next offer."), others
        )
        (opener,) = [card for card in market.laid if card.card == answer["card"]]
    else:
        opener = openers(s, market.order)[0]
    market.laid.remove(opener)
    chosen = opener.by
    if s.setup.options["middle_returns"] and "walkie_barkie B" not in works:
        return_middle(s, [seat, *market.skipped, chosen])
    market.discards += [card.card for card in market.laid]
    market.laid = []
    s.round += 1
    open_offer(s, opener, "IB-V01" if s.setup.options["winners_choice"] else "IB-18")


def openers(s: Table, seats: Sequence[int]) -> list[Card]:
    """IB-18, IB-A38, IB-A53: return the lower card of each bid, lowest first; a Telefishion A only if it is alone."""
    market = s.table
    ranked = sorted(seats, key=lambda seat: value_of(market, seat))
    cards = [min((card for card in market.laid if card.by == seat), key=number_of) for seat in ranked]
    return [card for card in cards if not market.actions or named(card) != "telefishion A"] or cards


def return_middle(s: Table, unless: Sequence[int | None]) -> None:
    """IB-V02 Middle returns: the middle bid, or the middle two, if the owner neither skipped nor accepted."""
    market = s.table
    for seat in middle(sorted(market.order, key=lambda seat: value_of(market, seat))):
        if seat in unless:
            continue
        for card in [card for card in market.laid if card.by == seat]:
            market.laid.remove(card)
            card.by = None
            hand(s, seat).append(card)
            tell(s, "{card} goes back to Seat {seat}.", rule="IB-V02", kind="return", seat=seat, card=card.card)
        sort_hand(s, seat)


def middle(ranked: list[int]) -> list[int]:
    """IB-V02: return the middle one, of an even number the middle two; of fewer than three, none."""
    count = len(ranked)
    return ranked[(count - 1) // 2 : count // 2 + 1] if count >= 3 else []


def open_offer(s: Table, card: Card, rule: str) -> None:
    """IB-02, IB-18: a card opens an offer; nobody has added it (IB-A03)."""
    card.by = None
    s.table.offer, s.table.placed = [card], [card.card]
    tell(s, say("{card} opens the offer.", card=shown(card)), rule=rule, kind="open", card=card.card)


def explain_open(s: Table, seat: int) -> Refusal:
    """IB-X11: return why it is not chosen: the winner's choice is of a revealed bid."""
    if s.phase != "open":
        return Refusal("There's no bid to choose now.", "IB-X11")
    if seat != s.table.deciding:
        return Refusal(say("Seat {seat} chooses the bid that opens the next offer.", seat=s.table.deciding), "IB-X11")
    return Refusal("Choose one of the revealed bids.", "IB-X11")


# --- The end -----------------------------------------------------------------------------------------


def highest_score(s: Table) -> None:
    """IB-20, IB-21, IB-22: score piles count, the offer is nobody's; the highest, or all the highest, win."""
    s.phase, s.table.turn, s.table.deciding = "over", None, None
    prices = {seat: counting(s, pile(s, seat)) for seat in s.seats}
    scores = {seat: sum(map(sum, counted.values())) for seat, counted in prices.items()}
    for seat, buyer in s.seats.items():
        buyer.scored, buyer.score = pile(s, seat), scores[seat]
        buyer.totals = {kind: sum(some) for kind, some in prices[seat].items()}
        how = added([price for some in prices[seat].values() for price in some]) if prices[seat] else say("no cards")
        tell(
            s, say("Seat {seat} has {score}.", seat=seat, score=buyer.score), rule="IB-22", kind="score",
            **reckoned(seat, "score", None, buyer.score, how),
        )  # fmt: skip
    best = max(scores.values())
    winners = [seat for seat, points in scores.items() if points == best]
    raise Won(
        winners,
        scores,
        say_count(
            "All hands are empty: {seats} has the most points, {points}.",
            "All hands are empty: {seats} have the most points, {points}.",
            len(winners),
            seats=seats_words(winners),
            points=best,
        ),
        rule="IB-20",
    )


def counting(s: Table, cards: Sequence[Card]) -> dict[str, list[int]]:
    """IB-22, IB-A71: return by product the prices that count, changed by the Headgrowns of the pile (IB-A11, IB-A12)."""
    prices: dict[str, list[int]] = {}
    for card in cards:
        prices.setdefault(card.kind, []).append(card.price)
    if s.setup.options["extremes"]:  # IB-V05: the highest and the lowest of each product; a single card once
        prices = {kind: [min(some), max(some)] if len(some) > 1 else some for kind, some in prices.items()}
    names = [named(card) for card in cards] if s.table.actions else []
    grown = names.count("headgrowns A") - names.count("headgrowns B")
    return {kind: [price + grown for price in some] for kind, some in prices.items()}


# --- The deck ----------------------------------------------------------------------------------------


def check(data: Mapping[str, object]) -> None:
    """IB-X12: whether the deck is one, whatever sets are in use."""
    deck_of(data, SETS)


def deck_of(data: Mapping[str, Any], used: Sequence[str]) -> list[Card]:
    """IB-V06, IB-V07: return the fixed list of the sets in use. Raise BadCard where a number is there twice."""
    products = data["cards"]
    acting = frozenset(kind for kind in products if "A" in products[kind])
    printed = read_deck(data["deck"], frozenset(products), acting)
    return [Card(*facts) for facts in printed if products[facts[2]]["set"] in used]


@lru_cache(maxsize=8)  # with printed cards the list is asked for at each choice
def read_deck(deck: str, products: AbstractSet[str], acting: AbstractSet[str]) -> tuple[Facts, ...]:
    """Return the cards of a list of these products, some of which have actions. Raise BadCard where it is none."""
    found: dict[int, Facts] = {}
    for place, line in enumerate(deck.splitlines(), 1):
        if words := line.split("#")[0].split():
            card = read_card(products, acting, words, place)
            if card[0] in found:
                raise BadCard(f"{card[0]} is there twice: a number is there once.", place)
            found[card[0]] = card
    return tuple(found.values())


def read_card(products: AbstractSet[str], acting: AbstractSet[str], words: Sequence[str], place: int) -> Facts:
    """Return the card of one line of the deck: product, number, price, and the letter if the product has actions."""
    kind, *facts = words
    if kind not in products:
        raise BadCard(f"there is no product {kind!r}.", place)
    acts = kind in acting
    if len(facts) != 2 + acts:
        raise BadCard(f"{' '.join(words)!r} is not whole: it is product, number, price{', action' * acts}.", place)
    if not all(map(NUMBER.fullmatch, facts[:2])):
        raise BadCard(f"{' '.join(words)!r} needs whole numbers for number and price.", place)
    if acts and facts[2] not in ("A", "B"):
        raise BadCard(f"the action {facts[2]!r} of {kind} is unknown: it is A or B.", place)
    return int(facts[0]), int(facts[1]), kind, facts[2] if acts else None


def sets(options: Mapping[str, object]) -> list[str]:
    """IB-V06 Odd Inventions, IB-V07 Double Devices: return the sets in use."""
    return ["base"] + ["odd"] * bool(options["odd_inventions"]) + ["double"] * bool(options["double_devices"])


# --- What the cards do -------------------------------------------------------------------------------


def at_work(placed: Sequence[Card]) -> list[Card]:
    """IB-A01, IB-A02, IB-A03, IB-A05, IB-A13: return the cards whose action works, in the order of time."""
    lying = [(card, name) for card in placed if card.action and (name := named(card)) not in IDLE]
    names = [name for _, name in lying]
    if "swatphone A" in names:
        return [card for card, name in lying if name in UNBROKEN]
    latest = {card.kind: card.action for card, _ in lying}
    beaten = [weak for weak, strong in BEATEN if strong in names]
    return [
        card
        for card, name in lying
        if name not in beaten and (card.kind not in OPPOSITES or card.action == latest[card.kind])
    ]


def row(cards: list[Card], placed: list[Card], products: Mapping[str, Mapping[str, object]], *, actions: bool) -> Row:
    """Return an offer with the actions that work in it. IB-V10: none where actions are left out."""
    return Row(cards, placed, [named(card) for card in at_work(placed)] if actions else [], actions, products)


def row_of(s: Table) -> Row:
    """Return the offer as it lies."""
    return row(s.table.offer, in_time(s.table), s.setup.data["cards"], actions=s.table.actions)


def in_time(market: Market) -> list[Card]:
    """Return the cards of the offer in the order in which they were placed."""
    by_number = {card.card: card for card in market.offer}
    return [by_number[number] for number in market.placed]


def named(card: Card) -> str:
    """Return a card's action by name: "gamehat A"."""
    return f"{card.kind} {card.action}" if card.action else ""


def number_of(card: Card) -> int:
    """Return the number that cards are sorted by."""
    return card.card


def ends(cards: Sequence[Card]) -> tuple[int, int]:
    """Return the lowest and the highest number of an offer."""
    numbers = [card.card for card in cards]
    return min(numbers), max(numbers)


def value_of(market: Market, seat: int) -> tuple[int, int]:
    """Return what a bid counts; of a pair the sum, then the higher card (IB-A38)."""
    made = market.bids[seat]
    return (made, made) if isinstance(made, int) else (sum(made), max(made))


# --- Cards on the move -------------------------------------------------------------------------------


def hand(s: Table, seat: int) -> list[Card]:
    """Return a seat's hand, lowest number first."""
    return s.seats[seat].hand.value


def pile(s: Table, seat: int) -> list[Card]:
    """Return a seat's score pile, as it was gathered."""
    return s.seats[seat].pile.value


def unseen(s: Table) -> list[Card]:
    """IB-V12: return the cards of the deck that have not been seen yet, lowest number first: printed ones are still in hands."""
    market, deck = s.table, deck_of(s.setup.data, sets(s.setup.options))
    seen = {*(card.card for card in (*market.offer, *market.laid)), *market.discards}
    for buyer in s.seats.values():
        seen |= {card.card for card in (*buyer.hand.value, *buyer.pile.value)}
    return [card for card in trimmed(deck, s.setup.options["trim"]) if card.card not in seen]


def standing(s: Table, seat: int) -> list[Move]:
    """IB-V12: return the correction of a printed card that was named wrongly, at any turn to add or to declare."""
    if not is_printed(s.setup) or s.phase != "turn":
        return []
    wrong = [*(card.card for card in correctable(s, seat)), *s.table.discards]
    left = [card.card for card in unseen(s)]
    return [offer("correct", card=OneOf(wrong), true_card=OneOf(left))] if wrong and left else []


def correctable(s: Table, seat: int) -> list[Card]:
    """IB-V12: return the cards, besides discards, that a seat may correct: the offer, and what it holds or has scored itself."""
    return [*s.table.offer, *pile(s, seat), *hand(s, seat)]


def stand(s: Table, seat: int, answer: Answer) -> None:
    """IB-V12: a card that was named wrongly gets the number, price, product and action of the right one.

    Everything that is reckoned from now on is reckoned by it. What an action of the wrong card has done stays done.
    """
    market, wrong = s.table, answer["card"]
    (true,) = [other for other in unseen(s) if other.card == answer["true_card"]]
    (was,) = [shown(other) for other in deck_of(s.setup.data, sets(s.setup.options)) if other.card == wrong]
    market.placed = [true.card if number == wrong else number for number in market.placed]
    market.discards = [true.card if number == wrong else number for number in market.discards]
    for card in correctable(s, seat):
        if card.card == wrong:
            card.card, card.price, card.kind, card.action = true.card, true.price, true.kind, true.action
    sort_hand(s, seat)
    text = say("{wrong} was named wrongly. The card is {right}.", wrong=was, right=shown(true))
    tell(s, text, rule="IB-V12", kind="correct", seat=seat, card=true.card, first=wrong)


def may_hold(s: Table, seat: int) -> list[Card]:
    """Return the cards that a seat may play: its hand. IB-V12: of a printed one all that it may hold."""
    mine = hand(s, seat)
    return sorted([*mine, *unseen(s)], key=number_of) if s.seats[seat].unseen else mine


def scored(s: Table, seat: int, cards: int, how: str) -> Reckoned:
    """Return the data of cards that have just come to a score pile, or left it."""
    now = len(pile(s, seat))
    return reckoned(seat, "pile_size", now - cards, now, how)


def sort_hand(s: Table, seat: int) -> None:
    """Sort a hand by number."""
    hand(s, seat).sort(key=number_of)


def take(s: Table, seat: int, number: int) -> Card:
    """Take a card out of a hand. IB-V12: one that nobody has seen is believed to be in it."""
    if any(card.card == number for card in hand(s, seat)):
        return drawn_out(hand(s, seat), number)
    card = drawn_out(unseen(s), number)
    s.seats[seat].unseen -= 1
    return card


def drawn_out(cards: list[Card], number: int) -> Card:
    """Take the card of that number out of `cards`."""
    return cards.pop([card.card for card in cards].index(number))


def place_card(s: Table, seat: int, card: Card, place: int) -> None:
    """Put a card into the row, and note who put it there."""
    card.by = seat
    s.table.offer.insert(place, card)
    s.table.placed.append(card.card)


async def random_scored(s: Table, seat: int) -> Card:
    """Draw a card of the score pile by chance."""
    return pile(s, seat).pop(await pick(s, list(range(len(pile(s, seat)))), "picks"))


def numbers_of(args: Mapping[str, object]) -> list[Any]:
    """Return the cards that a move names, as `cards` or as `card`."""
    given = args.get("cards", [args.get("card")])
    return given if isinstance(given, list) else [given]


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: IB-X01 to IB-X13."""
    seat, move = action.seat, action.move
    if s.phase == "over":
        return Refusal("The game has ended.", "IB-20")
    if seat not in s.seats:
        return Refusal(say("There is no seat {seat} in this match.", seat=seat), "FORM")
    if s.phase == LAY_OUT:
        return Refusal("First deal the cards, and name the one that opens the offer.", "IB-V12")
    if s.phase == "hand_over":
        return Refusal("A scored card must be handed over first.", "IB-V12")
    match move:
        case "correct":
            return explain_correct(s)
        case "bid" | "bid_any":
            return explain_bid(s, action)
        case "open":
            return explain_open(s, seat)
        case "pass":
            return Refusal("Add a card or declare. You can't pass.", "IB-X10")
        case "add" | "auction" if s.phase not in ("turn", "second"):
            return Refusal("An auction is running.", "IB-X05")
        case "skip" if s.phase == "decide" and seat == s.table.deciding:
            return explain_skip(s, action)
    on_turn = s.phase in ("turn", "second")
    now = s.table.turn if on_turn else s.table.deciding
    if s.phase == "bid":
        return Refusal("The bids are not revealed yet.", "IB-X01")
    if now is None:
        return Refusal("There's nothing to decide now.", "IB-X01")
    if seat != now:
        return Refusal(
            say("It is Seat {seat}'s turn.", seat=now) if on_turn else say("It is Seat {seat}'s decision.", seat=now),
            "IB-X01",
        )
    return explain_own(s, action)


def explain_own(s: Table, action: Action) -> Refusal:
    """Return why a move is refused to the seat that is asked."""
    seat, move = action.seat, action.move
    match move:
        case "add":
            return explain_add(s, action)
        case "auction" if s.phase == "second":
            return Refusal("Add a second card.", "IB-A37")
        case "auction":
            text = say_count("No auctions for 1 more turn.", "No auctions for {count} more turns.", s.table.quiet)
            return Refusal(text, "IB-X09")
        case "put" if s.phase == "put":
            return explain_put(s, action)
        case "extend" if s.phase == "extend":
            cards = may_hold(s, seat)
            if any(named(card) == "telefishion A" for card in cards if card.card == action.args.get("card")):
                return Refusal("A Telefishion A can't go into an offer.", "IB-X02")
            return not_held(s, seat)
        case "strike" if s.phase == "strike":
            return Refusal("That card is not in the won row.", "IB-A34")
    return Refusal("You can't do that now.", "IB-X01")


def explain_correct(s: Table) -> Refusal:
    """IB-V12: return why a card is not corrected."""
    if not is_printed(s.setup):
        return Refusal("Only printed cards can be corrected.", "IB-V12")
    if s.phase != "turn":
        return Refusal("You can only correct a card while a player may add a card or declare an auction.", "IB-V12")
    text = say("Correct a card in the offer, a discard or one of your own cards to a number that nobody has named yet.")
    return Refusal(text, "IB-V12")


# --- For screens -------------------------------------------------------------------------------------


def wished(s: Table, seat: int) -> list[Action]:
    """Return what an asked player may look for: to declare, to skip, every card of the hand to add, bid or skip with."""
    match s.phase:
        case "turn":
            name, moves, by_card = "add", [Action(seat=seat, move="auction")], cards_to_add(row_of(s)) == 1
        case "bid" | "open_bid" | "again":
            name, moves, by_card = "bid", [], True
        case "decide":
            now = row_of(s)
            dear = "wrist_wash B" in now.works  # no card is added
            later = s.setup.options["loss_first"] and not s.setup.options["cheap_skip"]
            by_card = not (dear or later or why_must_accept(s, seat, now)) and bool(skip_moves(s, seat, now))
            name, moves = "skip", [Action(seat=seat, move="skip")] if not by_card else []
        case "put":
            name, moves, by_card = "put", [], True
        case _:
            return []
    pairs = name == "bid" and cards_to_bid(row_of(s)) == 2
    cards = [card.card for card in hand(s, seat)] if by_card else []
    args: list[dict[str, object]] = [{"cards": [card]} if pairs else {"card": card} for card in cards]
    return moves + [Action(seat=seat, move=name, args=one) for one in args]


def shown(card: Card) -> str:
    """Return a card in words: "33 (-7)"."""
    return f"{card.card} ({card.price:+d})"


def spoken(made: object) -> str:
    """Return a bid in words."""
    return listed(made) if isinstance(made, list) else f"{made}"


def added(prices: Sequence[int]) -> str:
    """Return prices as a sum: "7 - 2 + 5 = 10"."""
    text = f"{prices[0]}" + "".join(f" {'-' if price < 0 else '+'} {abs(price)}" for price in prices[1:])
    return text if len(prices) == 1 else f"{text} = {sum(prices)}"
