"""The Big Idea by James Ernest: launch products that nobody needs, and be in those that everybody backs.

Read `play` first: it is the table of contents. Each function below it names its rules (BI-..), and BI-A.. where the
printed rules leave something open. `refuse_...` gives the reason against a move, or None, and `explain_...` the words for an
action that is not offered. Money is whole cents. Cards, prices and counts are `data/big_idea.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

from hub.engine.decision import (
    CHANCE,
    Action,
    Answer,
    Choose,
    Move,
    OneOf,
    Won,
    ask,
    ask_all,
    offer,
    reckoned,
    roll,
    roll_or,
    starter,
    tell,
)
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.odds import AtMost
from hub.engine.printed import UNKNOWN, face_down, is_printed, lay_out, shuffled
from hub.engine.secret import Pile, Secret
from hub.engine.text import clause, listed, money, say, say_count, seats_words
from hub.errors import BadCard, StartRefused

ITEM, DESCRIPTION = 1, 2  # BI-08: the ranks of cards
PAIR = 2  # BI-08: cards that are played, or discarded
FEW = 4
"""Descriptions of a hand of which every set is listed; of more the Item is named apart."""
SIDES = 6  # BI-21
LANES = 6  # BI-H07: dice that are rolled at once, at most
CENTS = 100  # of a dollar
LINES = (say("no roll"), say("1"), say("1 to 2"), say("1 to 3"), say("1 to 4"), say("1 to 5"), say("any roll"))


@dataclass(slots=True)
class Product:
    """A product on the table: `cards` are its Item and its Descriptions, `shares` the chips on it by seat.

    `fee` is what an invested chip pays to each share of somebody else, `pip` what a share gets for each pip rolled;
    `price` is what a chip costs whoever is on turn in Mezzanine.
    """

    id: str
    name: str
    pitch: str
    by: int
    round: int
    cards: list[str]
    fee: int
    pip: int
    shares: dict[int, int] = field(default_factory=dict)
    price: int | None = None

    @property
    def count(self) -> int:
        """All shares."""
        return sum(self.shares.values())

    @property
    def line(self) -> int:
        """BI-22, BI-23: the line to beat: it goes public on a roll of 1 to this."""
        return min(self.count, SIDES)

    @property
    def on(self) -> str:
        """What must be rolled, in words."""
        return LINES[self.line]

    @property
    def worth(self) -> int:
        """BI-S19: what a share may expect of the roll."""
        return expected(self.count, self.pip)


@dataclass(slots=True)
class Rolled:
    """The last roll of this Offering: for what, and what each share got if it went public."""

    product: str
    name: str
    count: int
    face: int
    pays: int | None

    @property
    def outcome(self) -> str:
        """What came of it, in words."""
        return say("it stays") if self.pays is None else say("pays {amount} per share", amount=dollars(self.pays))


@dataclass(slots=True)
class Market:
    """The middle of the table. BI-06: all of it is public but the order of the draw pile.

    `order` are the seats from the dealer on; `launched` counts products; `due` are those still to be rolled for,
    `rolling` the one whose die is wanted.
    """

    draw_pile: Pile[str]
    discards: list[str]
    products: list[Product]
    rounds: int
    dealer: int | None = None
    order: list[int] = field(default_factory=list)
    turn: int | None = None
    launched: int = 0
    due: list[str] = field(default_factory=list)
    rolling: str | None = None
    rolled: Rolled | None = None

    @property
    def offered(self) -> Product | None:
        """The product that is rolled for now, with its line to beat."""
        return on_table(self, self.rolling)


@dataclass(slots=True)
class Investor:
    """A player. BI-06: the hand is private, and so is a choice until all are revealed.

    `cash` is public (BI-A10) unless BI-H03 hides it.
    """

    hand: Secret[list[str]]
    cash: Secret[int] | int
    chips: int
    choice: Secret[object] | None = None
    locked: bool = False

    @property
    def hand_size(self) -> int:
        """How many cards are held."""
        return len(self.hand.value)


Table: TypeAlias = State[Investor, Market]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """BI-01, BI-05, BI-RL: rounds of Seed, Venture, Mezzanine and Offering; BI-27: the last one to its end."""
    await set_up(s)
    while s.round < s.table.rounds:
        s.round += 1
        await seed(s)
        await venture(s)
        await mezzanine(s)
        await offering(s)
        pass_the_deal(s)
    richest(s)


def deal(setup: Setup) -> Table:
    """BI-01, BI-02, BI-V2, BI-X20: return three to six players, each with chips and cash. BI-H04: and the number of rounds."""
    options, data = setup.options, setup.data
    needed = len(setup.seats) * (data["start"]["hand"] + data["start"]["draw"])
    if len(data["cards"]) < needed:
        raise StartRefused(
            say(
                "The deck has {cards} cards, and {players} players need {needed}.",
                cards=len(data["cards"]),
                players=len(setup.seats),
                needed=needed,
            )
        )
    chips = data["start"]["tight_chips" if options["tight_game"] else "chips"]
    seats = {seat: Investor(Secret([], (seat,)), data["start"]["cash"], chips) for seat in setup.seats}
    if options["hidden_cash"]:
        for seat, investor in seats.items():
            investor.cash = Secret(data["start"]["cash"], (seat,))
    rounds = options["rounds"] or data["rounds"][str(len(setup.seats))]
    return Table(setup=setup, seats=seats, table=Market(Pile([]), [], [], rounds), phase="setup")


def check(data: Mapping[str, Any]) -> None:
    """BI-H05, BI-X20: a deck is Items and Descriptions, each with a name and its line of the pitch."""
    for face, card in data["cards"].items():
        about = card if isinstance(card, dict) else {}
        if type(about.get("rank")) is not int or about["rank"] not in (ITEM, DESCRIPTION):
            raise BadCard(f"{face!r} must have rank {ITEM} (Item) or {DESCRIPTION} (Description).", face)
        for part in ("name", "line"):
            if not isinstance(about.get(part), str) or not about[part]:
                raise BadCard(f"{face!r} must have a {part}.", face)


async def set_up(s: Table) -> None:
    """BI-03, BI-04, BI-A09: chance says who deals first; the deck is shuffled, and the first hands are dealt."""
    t = s.table
    t.dealer = await starter(s, "dealer", list(s.seats), "dealer")
    t.order = clockwise(s.seats, t.dealer)
    tell(s, "Seat {seat} deals first.", rule="BI-04", kind="dealer", seat=t.dealer)
    t.draw_pile.cards = await shuffled(s, face_down(s.setup, list(s.setup.data["cards"])), "deck")
    start = s.setup.data["start"]
    await lay_out(
        s, t.dealer, say("Shuffle the cards and deal {count} to everybody.", count=start["hand"] + start["draw"])
    )
    await deal_cards(s, s.setup.data["start"]["hand"], "BI-03")


def pass_the_deal(s: Table) -> None:
    """BI-04, BI-25: the deal passes one seat left; BI-A16: some may have it once more than others."""
    t = s.table
    t.order = [*t.order[1:], t.order[0]]
    t.dealer, t.rolled = t.order[0], None


# --- Phase 1: Seed -----------------------------------------------------------------------------------


async def seed(s: Table) -> None:
    """BI-07 to BI-11, BI-A01: two cards each; all choose in secret what they play, and launch it in the dealer's order."""
    await deal_cards(s, s.setup.data["start"]["draw"], "BI-07")
    s.phase = "seed"
    choosing = {seat: seed_moves(s, seat) for seat in s.seats if plays_cards(s, seat)}
    answers = await ask_all(
        s,
        choosing,
        seed_wanted(s),
        say("Everybody secretly makes a product or discards two cards."),
        into="choice",
    )
    forget_choices(s)
    for seat in s.table.order:
        if seat not in answers:
            tell(s, "Seat {seat} has too few cards to play and keeps them.", rule="BI-A11", kind="keep", seat=seat)
            continue
        match answers[seat].move:
            case "launch":
                launch(s, seat, named_cards(answers[seat].args))
            case "discard":
                discard(s, seat, answers[seat]["cards"])
            case "skip":
                text = say_count(
                    "Seat {seat} launches nothing and keeps its card.",
                    "Seat {seat} launches nothing and keeps its cards.", s.seats[seat].hand_size, seat=seat,
                )  # fmt: skip
                tell(s, text, rule="BI-A11", kind="keep", seat=seat)


def plays_cards(s: Table, seat: int) -> bool:
    """BI-A11: return whether a hand has two cards or more; with small products, one."""
    return s.seats[seat].hand_size >= (1 if s.setup.options["small_products"] else PAIR)


def seed_moves(s: Table, seat: int) -> list[Move]:
    """BI-08, BI-09, BI-A15: return the launches, and the pairs of one rank.

    Everyone has the option to launch: who has no two of a kind to discard may keep the cards (BI-A11).
    """
    hand = s.seats[seat].hand.value
    if is_printed(s.setup):
        return printed_seed_moves(s, len(hand))
    pairs = [
        pair for of_a_kind in (items_of(s, hand), descriptions_of(s, hand)) for pair in combinations(of_a_kind, PAIR)
    ]
    keep = [] if pairs else [offer("skip")]
    return [*launches(s, hand), *(offer("discard", cards=Choose(list(pair), PAIR, PAIR)) for pair in pairs), *keep]


def printed_seed_moves(s: Table, held: int) -> list[Move]:
    """BI-H08: return a launch of so many cards as a product may have, the discard of two, and to keep two that may be unlike."""
    options = s.setup.options
    sizes = range(
        1 if options["small_products"] else PAIR, (held if options["large_products"] else min(held, PAIR)) + 1
    )
    products = [[UNKNOWN] * size for size in sizes]
    discard = [offer("discard", cards=[UNKNOWN] * PAIR)] if held >= PAIR else []
    keep = [offer("skip")] if held <= PAIR else []
    return [offer("launch", cards=products[0] if len(products) == 1 else OneOf(products)), *discard, *keep]


def launches(s: Table, hand: Sequence[str]) -> list[Move]:
    """BI-08: return an Item with one Description. BI-V1a: with more; BI-V1b: with none.

    Each product is listed by itself, so that the order in which cards are named does not matter. With both variants a
    hand can grow, and has too many sets to list: then the Item is one parameter and its Descriptions another.
    """
    items, descriptions, options = items_of(s, hand), descriptions_of(s, hand), s.setup.options
    least = 0 if options["small_products"] else 1
    most = len(descriptions) if options["large_products"] else min(1, len(descriptions))
    if apart(s, hand):
        return [offer("launch", item=item, cards=Choose(descriptions, least, most)) for item in items]
    parts = [some for size in range(least, most + 1) for some in combinations(descriptions, size)]
    products = [[*some, item] for item in items for some in parts]
    return [offer("launch", cards=Choose(cards, len(cards), len(cards))) for cards in products]


def apart(s: Table, hand: Sequence[str]) -> bool:
    """Return whether a launch names its Item apart from its Descriptions."""
    return bool(s.setup.options["large_products"]) and len(descriptions_of(s, hand)) > FEW


def named_cards(args: Mapping[str, Any]) -> list[str]:
    """Return the cards that a move names, the Item apart or not."""
    return [*args["cards"], *([args["item"]] if "item" in args else [])]


def launch(s: Table, seat: int, cards: list[str]) -> None:
    """BI-08, BI-11, BI-A02: a new product, its pitch to be read aloud, and on it a chip of its owner if there is one."""
    t, money = s.table, s.setup.data["money"]
    lay_down(s, seat, cards)
    t.launched += 1
    if is_printed(s.setup):  # BI-H08
        name: str = printed_name(s, seat, len(cards))
        pitch: str = say("Read the cards aloud.")
    else:
        cards = sorted(cards, key=lambda card: rank(s, card))
        name, pitch = name_of(s, cards), pitch_of(s, cards)
    fee, pip = money["price"] * len(cards), money["payout"] * len(cards)
    product = Product(f"P{t.launched}", name, pitch, seat, s.round, cards, fee, pip)
    t.products.append(product)
    text = say("Seat {seat} launches {product}: “{pitch}”", seat=seat, product=name, pitch=pitch)
    if is_printed(s.setup):
        text = say_count(
            "Seat {seat} launches a product of 1 card.", "Seat {seat} launches a product of {count} cards.", len(cards),
            seat=seat,
        )  # fmt: skip
    if s.seats[seat].chips:
        put_chip(s, seat, product)
    else:
        text = say("{launch} There is no chip to put on it.", launch=text)
    tell(s, text, rule="BI-11", kind="launch", seat=seat, product=product.id)


def printed_name(s: Table, seat: int, cards: int) -> str:
    """BI-H08: return whose product it is, and of which kind; nobody launches two in one round. BI-V1a, BI-V1b: or its size."""
    if cards < PAIR:
        return say("Seat {seat}'s small product from round {round}", seat=seat, round=s.round)
    if cards > PAIR:
        return say("Seat {seat}'s large product from round {round}", seat=seat, round=s.round)
    return say("Seat {seat}'s product from round {round}", seat=seat, round=s.round)


def discard(s: Table, seat: int, cards: list[str]) -> None:
    """BI-08, BI-09, BI-10: two of one rank are no product; they are discarded, and no chip is placed."""
    lay_down(s, seat, cards)
    s.table.discards += cards
    known = s.setup.data["cards"]
    which = say("two of a kind") if is_printed(s.setup) else listed(known[card]["name"] for card in cards)
    tell(
        s, say("Seat {seat} launches nothing and discards {cards}.", seat=seat, cards=which), rule="BI-08",
        kind="discard", seat=seat, cards=list(cards),
    )  # fmt: skip


def explain_seed(s: Table, action: Action) -> Refusal:
    """BI-X01, BI-X02, BI-X03, BI-X09: return why cards are refused: too many, too few, not held, no product and no pair."""
    seat, hand, options = action.seat, s.seats[action.seat].hand.value, s.setup.options
    if action.move not in ("launch", "discard"):
        return Refusal("Everybody is choosing cards now.", "BI-08")
    if is_printed(s.setup):
        return Refusal("Just say whether you launch or discard. Your cards are on the table.", "BI-H08")
    if not plays_cards(s, seat):
        return Refusal("You have too few cards to play, so you keep them.", "BI-A11")
    if not isinstance(action.args.get("cards"), list):
        return Refusal("Choose two cards.", "BI-X01")
    cards = named_cards(action.args)
    if not all(isinstance(card, str) for card in cards):
        return Refusal("Choose two cards.", "BI-X01")
    if any(card not in hand for card in cards) or any(cards.count(card) > hand.count(card) for card in cards):
        return Refusal("You don't have that card.", "BI-X02")
    items = len(items_of(s, cards))
    if not options["large_products"] and not options["small_products"] and len(cards) != PAIR:
        return Refusal("Choose two cards.", "BI-X01")
    if action.move == "discard":
        if not items and len(cards) != PAIR:
            return Refusal("A product needs exactly one Item. You can only discard two Descriptions.", "BI-X03")
        return Refusal("Discard two Items or two Descriptions.", "BI-X01" if len(cards) != PAIR else "BI-08")
    if items != 1:
        return Refusal("A product needs exactly one Item.", "BI-X03")
    if apart(s, hand) != ("item" in action.args):
        return Refusal(
            say("Name the Item separately.") if apart(s, hand) else say("Name the Item with the other cards."), "FORM"
        )
    return Refusal("You can't launch a product of that size.", "BI-X01")


# --- Phase 2: Venture --------------------------------------------------------------------------------


async def venture(s: Table) -> None:
    """BI-12, BI-13, BI-14, BI-A18: all choose in secret a new product of somebody else, or none; a chip goes on each choice."""
    new = [product for product in s.table.products if product.round == s.round]
    if not new:
        return
    s.phase = "venture"
    choosing = {seat: venture_moves(s, seat) for seat in s.seats if s.seats[seat].chips and backable(s, seat)}
    want = say("Back somebody else's new product, or hold your chip.")
    others = say("Everybody secretly backs somebody else's new product or holds the chip.")
    answers = await ask_all(s, choosing, want, others, into="choice")
    forget_choices(s)
    for seat in s.table.order:
        if seat not in answers:
            text = (
                say("Seat {seat} has no other new product to back.", seat=seat)
                if s.seats[seat].chips
                else say("Seat {seat} has no chip to venture.", seat=seat)
            )
            tell(s, text, rule="BI-12", kind="abstain", seat=seat)
        elif answers[seat].move == "abstain":
            tell(s, "Seat {seat} holds the chip.", rule="BI-12", kind="abstain", seat=seat)
        else:
            product = product_of(s, answers[seat]["product"])
            put_chip(s, seat, product)
            tell(
                s, say("Seat {seat} backs {product}.", seat=seat, product=product.name), rule="BI-13", kind="venture",
                seat=seat, product=product.id,
            )  # fmt: skip


def backable(s: Table, seat: int) -> list[Product]:
    """BI-12: return what a seat may back in Venture: products of this round that are of others."""
    return [product for product in s.table.products if not refuse_venture(s, seat, product)]


def refuse_venture(s: Table, seat: int, product: Product) -> Refusal | None:
    """BI-12: return why a seat may not back that product in Venture; or None."""
    if product.by == seat:
        return Refusal("You can't back your own product here.", "BI-X05")
    if product.round != s.round:
        return Refusal("You can only back products from this round here.", "BI-X06")
    return None


def venture_moves(s: Table, seat: int) -> list[Move]:
    """BI-12: return the new products of others, and to hold the chip."""
    return [offer("venture", product=OneOf([product.id for product in backable(s, seat)])), offer("abstain")]


def explain_venture(s: Table, action: Action) -> Refusal:
    """BI-X04 to BI-X08, BI-X15: return why a chip must stay, or may not go on that product."""
    seat, wanted = action.seat, action.args.get("product")
    product = on_table(s.table, wanted)
    if action.move not in ("venture", "abstain"):
        if action.move == "divest" and product and product.by == seat and product.round == s.round:
            return Refusal("Your product needs your chip.", "BI-X04")
        return Refusal("You can only move chips in Mezzanine.", "BI-15")
    if not s.seats[seat].chips:
        return Refusal("You have no chip in reserve.", "BI-X07")
    if isinstance(wanted, list):
        return Refusal("Choose only one product.", "BI-X08")
    if not backable(s, seat):
        return Refusal("Nobody else has a new product to back.", "BI-A18")
    if product is None:
        return Refusal("That product is not on the table.", "BI-X15")
    return refuse_venture(s, seat, product) or Refusal("Choose only one product.", "BI-X08")


# --- Phase 3: Mezzanine ------------------------------------------------------------------------------


async def mezzanine(s: Table) -> None:
    """BI-15, BI-19, BI-A03: once round from the dealer, each moves one chip at most, and all see it."""
    t = s.table
    if not t.products:
        return
    s.phase = "mezzanine"
    for seat in t.order:
        t.turn = seat
        for product in t.products:
            product.price = price(product, seat)
        answer = await ask(
            s, seat, mezzanine_moves(s, seat), say("Buy a share with a chip, take a chip back, or do nothing."),
            say("Seat {seat} buys a share, takes a chip back, or does nothing.", seat=seat),
            hidden=s.setup.options["hidden_cash"],
        )  # fmt: skip
        match answer.move:
            case "invest":
                invest(s, seat, product_of(s, answer["product"]))
            case "divest":
                divest(s, seat, product_of(s, answer["product"]))
            case "skip":
                tell(s, "Seat {seat} moves no chip.", rule="BI-15", kind="skip", seat=seat)
    t.turn = None
    for product in t.products:
        product.price = None


def mezzanine_moves(s: Table, seat: int) -> list[Move]:
    """BI-15 to BI-18: return to invest where chip and cash reach, to take a chip back, and to do neither."""
    products = s.table.products
    into = [product.id for product in products if not refuse_invest(s, seat, product)]
    out_of = [product.id for product in products if seat in product.shares]
    return [
        *([offer("invest", product=OneOf(into))] if into else []),
        *([offer("divest", product=OneOf(out_of))] if out_of else []),
        offer("skip"),
    ]


def refuse_invest(s: Table, seat: int, product: Product) -> Refusal | None:
    """BI-16, BI-17, BI-A06: return why a seat may not invest there: no chip, or not the whole price; or None."""
    if not s.seats[seat].chips:
        return Refusal("You have no chip in reserve.", "BI-X12")
    cost, cash = price(product, seat), cash_of(s, seat)
    return (
        Refusal(say("It costs {price}, and you have {cash}.", price=dollars(cost), cash=dollars(cash)), "BI-X13")
        if cost > cash
        else None
    )


def invest(s: Table, seat: int, product: Product) -> None:
    """BI-16, BI-A05, BI-A17: a chip onto any product; each share of somebody else is paid for, as they lay before it."""
    cost, fee = price(product, seat), product.fee
    if cost:
        others = shares_words(product.count - product.shares.get(seat, 0))
        change_cash(
            s,
            seat,
            -cost,
            say(
                "Seat {seat} invests in {product} for {amount}.", seat=seat, product=product.name, amount=dollars(cost)
            ),
            "BI-16",
            say("{shares} of others x {fee} = {sum}", shares=others, fee=dollars(fee), sum=dollars(cost)),
            product.id,
        )
        for owner in clockwise(product.shares, seat):
            if owner != seat:
                got = product.shares[owner] * fee
                how = say(
                    "{shares} x {fee} = {sum}", shares=shares_words(product.shares[owner]), fee=dollars(fee),
                    sum=dollars(got),
                )  # fmt: skip
                change_cash(
                    s, owner, got,
                    say("Seat {owner} gets {amount} from Seat {seat}.", owner=owner, amount=dollars(got), seat=seat),
                    "BI-16", how, product.id,
                )  # fmt: skip
    else:
        tell(
            s, say("Seat {seat} invests in {product} for free.", seat=seat, product=product.name), rule="BI-16",
            kind="invest", seat=seat, product=product.id,
        )  # fmt: skip
    put_chip(s, seat, product)


def price(product: Product, seat: int) -> int:
    """BI-16, BI-V1: return what a chip on a product costs: a fee for each share there that is somebody else's."""
    return product.fee * (product.count - product.shares.get(seat, 0))


def divest(s: Table, seat: int, product: Product) -> None:
    """BI-18, BI-A04: one own chip comes back, free, from any product, even one of this round."""
    take_chips(s, seat, product, 1)
    tell(
        s, say("Seat {seat} takes a chip back from {product}.", seat=seat, product=product.name), rule="BI-18",
        kind="divest", seat=seat, product=product.id,
    )  # fmt: skip


def explain_mezzanine(s: Table, action: Action) -> Refusal:
    """BI-X10 to BI-X15: return why no chip moves: out of turn, a second one, no chip, cash, share or product."""
    t, seat, wanted = s.table, action.seat, action.args.get("product")
    if action.move == "offer":
        return Refusal("Products go public after everybody's turn in Mezzanine.", "BI-21")
    if seat != t.turn:
        assert t.turn is not None
        if t.order.index(seat) < t.order.index(t.turn):
            return Refusal("You've had your turn. You can move one chip per round.", "BI-X11")
        return Refusal(say("Waiting for Seat {seat}.", seat=t.turn), "BI-X10")
    if isinstance(wanted, list):
        return Refusal("You can move one chip, on one product.", "BI-X11")
    if action.move == "invest" and not s.seats[seat].chips:
        return Refusal("You have no chip in reserve.", "BI-X12")
    product = on_table(t, wanted)
    if product is None:
        return Refusal("That product is not on the table.", "BI-X15")
    if action.move == "invest" and (reason := refuse_invest(s, seat, product)):
        return reason
    return Refusal(say("You have no chip on {product}.", product=product.name), "BI-X14")


# --- Phase 4: Offering -------------------------------------------------------------------------------


async def offering(s: Table) -> None:
    """BI-20 to BI-24, BI-A12: dead products go, then the dealer rolls a die for each of the others, in any order."""
    bury(s)
    s.table.due = [product.id for product in s.table.products]
    while s.table.due:
        fallen = await roll_for_all(s) if s.setup.options["fast_offering"] else [await roll_for_next(s)]
        for product, face in fallen:
            s.table.due.remove(product.id)
            settle(s, product, face)


async def roll_for_all(s: Table) -> list[tuple[Product, int]]:
    """BI-H07, BI-21: return up to six products with a die each, rolled at once: they stand from left to right as products lie."""
    t = s.table
    assert t.dealer is not None
    lanes = [product_of(s, name) for name in t.due[:LANES]]
    s.phase, t.rolling = "lanes", None
    for product in lanes:
        tell_offer(s, product)
    want = say_count(
        "Roll a die for the only product.", "Roll {count} dice: from left to right, as the products lie.", len(lanes),
    )  # fmt: skip
    others = say_count(
        "Seat {seat} rolls a die for the only product.",
        "Seat {seat} rolls {count} dice: from left to right, as the products lie.", len(lanes), seat=t.dealer,
    )  # fmt: skip
    faces = await roll(s, t.dealer, len(lanes), SIDES, "offering", want, others=others)
    return list(zip(lanes, faces, strict=True))


def bury(s: Table) -> None:
    """BI-20, BI-A07: at the start of the phase, and then only, products without shares are discarded."""
    for product in [product for product in s.table.products if not product.shares]:
        remove(s, product)
        tell(
            s, say("Nobody has a share in {product}: it is discarded.", product=product.name), rule="BI-20",
            kind="dead", product=product.id,
        )  # fmt: skip


def tell_offer(s: Table, product: Product) -> None:
    """BI-21, BI-22: tell which rolls take a product public."""
    text = say(
        "{product} has {shares}: it goes public on {roll}.", product=product.name, shares=shares_words(product.count),
        roll=product.on,
    )  # fmt: skip
    tell(s, text, rule="BI-21", kind="offer", product=product.id, count=product.count)


async def roll_for_next(s: Table) -> tuple[Product, int]:
    """BI-21, BI-H01: return a product and its die, of the table or of the hub.

    The products go as they lie, each after one roll; BI-A12, the dealer may name another one before the die falls.
    """
    t = s.table
    product, others_due = product_of(s, t.due[0]), t.due[1:]
    assert t.dealer is not None
    while True:
        s.phase, t.rolling = "offering" if others_due else "roll", product.id
        tell_offer(s, product)
        want, others = (
            say("Roll for {product}.", product=product.name),
            say("Seat {seat} rolls for {product}.", seat=t.dealer, product=product.name),
        )
        moves = [offer("offer", product=OneOf(list(t.due)))] if others_due else []
        got = await roll_or(s, t.dealer, 1, SIDES, product.id, want, moves, AtMost(product.line), others)
        if not isinstance(got, Answer):
            t.rolling = None
            return product, got[0]
        product, others_due = product_of(s, got["product"]), []


def explain_roll(s: Table, seat: int) -> Refusal:
    """BI-X16, BI-X17, BI-X18: return why a roll is refused: not asked for, of somebody else, or of no die."""
    t = s.table
    if s.phase not in ("offering", "roll", "lanes"):
        return Refusal("You can only roll dice in the Offering.", "BI-X16")
    if seat not in (CHANCE, t.dealer):
        return Refusal(say("Only the dealer, Seat {seat}, rolls.", seat=t.dealer), "BI-X18")
    if s.phase == "lanes":
        text = say_count(
            "Enter 1 die, from 1 to {sides}.", "Enter {count} dice, each from 1 to {sides}.", min(len(t.due), LANES),
            sides=SIDES,
        )  # fmt: skip
        return Refusal(text, "BI-X16")
    return Refusal(say("Enter a number from 1 to {sides}.", sides=SIDES), "BI-X16")


def settle(s: Table, product: Product, face: int) -> None:
    """BI-22: above the shares it stays. BI-23, BI-24, BI-A13: else each share is paid, chips go home, cards are discarded."""
    t, dealer, pays = s.table, s.table.dealer, product.pip * face
    about: dict[str, Any] = {"rule": "BI-22", "kind": "roll", "seat": dealer, "faces": [face], "product": product.id}
    t.rolled = Rolled(product.id, product.name, product.count, face, pays if face <= product.count else None)
    about["verdict"] = t.rolled.outcome
    if face > product.count:
        text = say("Seat {seat} rolls {roll} for {product}: it stays.", seat=dealer, roll=face, product=product.name)
        tell(s, text, **about)
        return
    text = say(
        "Seat {seat} rolls {roll} for {product}: it goes public and pays {amount} per share.", seat=dealer, roll=face,
        product=product.name, amount=dollars(pays),
    )  # fmt: skip
    tell(s, text, **about | {"rule": "BI-23"})
    for seat in [seat for seat in t.order if seat in product.shares]:
        shares = product.shares[seat]
        got = pays * shares
        how = say(
            "{shares} x {roll} x {amount} = {sum}", shares=shares_words(shares), roll=face,
            amount=dollars(product.pip), sum=dollars(got),
        )  # fmt: skip
        change_cash(
            s,
            seat,
            got,
            say(
                "Seat {seat} gets {amount} for {shares}.",
                seat=seat,
                amount=dollars(got),
                shares=shares_words(shares),
            ),
            "BI-23",
            how,
            product.id,
        )
        take_chips(s, seat, product, shares)
    remove(s, product)


def explain_offering(s: Table, action: Action) -> Refusal:
    """BI-X17, BI-X18: return why it is refused: the dealer offers each product once, and nobody moves a chip."""
    t = s.table
    if s.phase == "setup":
        return Refusal("There's nothing to decide now.", "BI-X10")
    if action.seat != t.dealer:
        return Refusal(say("Waiting for the dealer, Seat {seat}.", seat=t.dealer), "BI-X18")
    if action.move in ("invest", "divest"):
        return Refusal("You can only move chips in Mezzanine.", "BI-15")
    if t.offered and s.phase == "roll":
        return Refusal(say("Roll for {product} first.", product=t.offered.name), "BI-X17")
    return Refusal("Each product with shares gets one roll.", "BI-X17")


# --- The end -----------------------------------------------------------------------------------------


def richest(s: Table) -> None:
    """BI-27, BI-A08: the most cash wins, a tie is shared; BI-H02: by option the most chips in reserve decide it first."""
    s.phase = "over"
    cash = {seat: cash_of(s, seat) for seat in s.seats}
    if s.setup.options["hidden_cash"]:
        for seat, investor in s.seats.items():
            investor.cash = cash[seat]
            about = reckoned(seat, "cash", None, cash[seat], say("hidden until now"))
            tell(
                s, say("Seat {seat} has {amount}.", seat=seat, amount=dollars(cash[seat])), rule="BI-H03", kind="cash",
                **about,
            )  # fmt: skip
    most = max(cash.values())
    winners = [seat for seat in cash if cash[seat] == most]
    amount = dollars(most)
    reason = say_count(
        "{seats} has the most cash, {amount}.", "{seats} have the most cash, {amount}.", len(winners),
        seats=seats_words(winners), amount=amount,
    )  # fmt: skip
    if winners[1:] and s.setup.options["tie_break"] == "chips":
        most_chips = max(s.seats[seat].chips for seat in winners)
        winners = [seat for seat in winners if s.seats[seat].chips == most_chips]
        reason = say_count(
            "{seats} has the most cash, {amount}, and the most chips in reserve, {chips}.",
            "{seats} have the most cash, {amount}, and the most chips in reserve, {chips}.", len(winners),
            seats=seats_words(winners), amount=amount, chips=most_chips,
        )  # fmt: skip
    raise Won(winners, cash, reason, rule="BI-27")


# --- Cards -------------------------------------------------------------------------------------------


async def deal_cards(s: Table, each: int, rule: str) -> None:
    """BI-03, BI-07: one card at a time from the dealer's left. BI-A11: until none is left at all; later seats get fewer."""
    t = s.table
    due = [seat for _ in range(each) for seat in (*t.order[1:], t.order[0])]
    for place, seat in enumerate(due):
        if not t.draw_pile.cards:
            await reshuffle(s)
        if not t.draw_pile.cards:
            short = len(due) - place
            tell(
                s, say("There are no more cards: {missing} of {count} are not dealt.", missing=short, count=len(due)),
                rule="BI-A11", kind="short", cards=short,
            )  # fmt: skip
            break
        s.seats[seat].hand.value.append(t.draw_pile.cards.pop(0))
    else:
        text = (
            say("Deal {count} cards to everybody.", count=each)
            if is_printed(s.setup)
            else say("Everybody is dealt {count} cards.", count=each)
        )
        tell(s, text, rule=rule, kind="lay" if is_printed(s.setup) else "deal", round=s.round, cards=each)
    for investor in s.seats.values():
        investor.hand.value.sort()


async def reshuffle(s: Table) -> None:
    """BI-26: when a card is wanted and none is left, the discards are the new draw pile, in the middle of a deal too."""
    t = s.table
    if t.discards:
        discards, t.discards = t.discards, []
        t.draw_pile.cards = await shuffled(s, discards, "deck")
        text = (
            say("The draw pile is empty: shuffle the discards.")
            if is_printed(s.setup)
            else say("The draw pile is empty: {count} discards are shuffled.", count=len(discards))
        )
        tell(s, text, rule="BI-26", kind="shuffle", cards=len(discards))


def items_of(s: Table, hand: Sequence[str]) -> list[str]:
    """Return the Items of a hand."""
    return [card for card in hand if rank(s, card) == ITEM]


def descriptions_of(s: Table, hand: Sequence[str]) -> list[str]:
    """Return the Descriptions of a hand."""
    return [card for card in hand if rank(s, card) == DESCRIPTION]


def lay_down(s: Table, seat: int, cards: Sequence[str]) -> None:
    """Take cards out of a hand."""
    for card in cards:
        s.seats[seat].hand.value.remove(card)


def rank(s: Table, card: str) -> int:
    """BI-08: return 1 for an Item, 2 for a Description."""
    found: int = s.setup.data["cards"][card]["rank"]
    return found


# --- Chips, shares and money -------------------------------------------------------------------------


def put_chip(s: Table, seat: int, product: Product) -> None:
    """Put a chip of the reserve on a product, as a share."""
    s.seats[seat].chips -= 1
    product.shares[seat] = product.shares.get(seat, 0) + 1


def take_chips(s: Table, seat: int, product: Product, chips: int) -> None:
    """Take so many shares of a product back into the reserve."""
    s.seats[seat].chips += chips
    product.shares[seat] -= chips
    if not product.shares[seat]:
        del product.shares[seat]


def remove(s: Table, product: Product) -> None:
    """Take a product off the table and discard its cards."""
    s.table.products.remove(product)
    s.table.discards += product.cards


def expected(shares: int, pip: int) -> int:
    """BI-S19, BI-A19, BI-A21: return what a share may expect of the roll, to the nearest cent; six shares always succeed."""
    most = min(shares, SIDES)
    return (pip * most * (most + 1) + SIDES) // (2 * SIDES)


def cash_of(s: Table, seat: int) -> int:
    """Return a seat's money, hidden or not."""
    cash = s.seats[seat].cash
    return cash.value if isinstance(cash, Secret) else cash


def change_cash(s: Table, seat: int, cents: int, text: str, rule: str, how: str, product: str) -> None:
    """Money is paid or got for a product, and told with how it was reckoned; BI-H03: of a hidden total neither before nor after."""
    before = cash_of(s, seat)
    if s.setup.options["hidden_cash"]:
        s.seats[seat].cash = Secret(before + cents, (seat,))
        tell(s, text, rule=rule, kind="cash", seat=seat, what="cash", sum=how, product=product)
    else:
        s.seats[seat].cash = before + cents
        tell(s, text, rule=rule, kind="cash", product=product, **reckoned(seat, "cash", before, before + cents, how))


def on_table(t: Market, name: object) -> Product | None:
    """Return the product of that id, if it is there."""
    return next((product for product in t.products if product.id == name), None)


def product_of(s: Table, name: str) -> Product:
    """Return the product of that id, which was offered and so is there."""
    product = on_table(s.table, name)
    assert product
    return product


def forget_choices(s: Table) -> None:
    """BI-A20: once revealed, a choice is what lies on the table."""
    for investor in s.seats.values():
        investor.choice = None


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: BI-X01 to BI-X19."""
    seat, move = action.seat, action.move
    if s.phase == "over":
        return Refusal("Game over.", "BI-X19")
    if move == "roll":
        return explain_roll(s, seat)
    if seat not in s.seats:
        return Refusal(say("There is no seat {seat} in this match.", seat=seat), "FORM")
    if s.phase == "seed":
        return explain_seed(s, action)
    if move in ("launch", "discard"):
        return Refusal("The cards are revealed, and that's final.", "BI-X09")
    if s.phase == "venture":
        return explain_venture(s, action)
    if move in ("venture", "abstain"):
        return Refusal("The choices are revealed, and that's final.", "BI-X09")
    return explain_mezzanine(s, action) if s.phase == "mezzanine" else explain_offering(s, action)


# --- For screens -------------------------------------------------------------------------------------


def wished(s: Table, seat: int) -> list[Action]:
    """Return what a player may look for: the own product in Venture, in Mezzanine each product to invest in."""
    products = s.table.products
    if s.phase == "venture":
        return [
            Action(seat=seat, move="venture", args={"product": mine.id})
            for mine in products
            if mine.by == seat and mine.round == s.round
        ]
    if s.phase != "mezzanine":
        return []
    if not s.seats[seat].chips:
        return [Action(seat=seat, move="invest")]
    return [Action(seat=seat, move="invest", args={"product": product.id}) for product in products]


def notes(s: Table, seat: int) -> dict[str, dict[str, str]]:
    """Return beside each product what helps to decide on it."""
    return {"product": {product.id: note(s, seat, product) for product in s.table.products}}


def note(s: Table, seat: int, product: Product) -> str:
    """Return of a product its pitch in Venture, worth and price in Mezzanine, the line to beat in the Offering."""
    match s.phase:
        case "venture":
            return product.pitch
        case "mezzanine":
            worth = dollars(expected(product.count + 1, product.pip))
            if not product.count:
                return say("No shares yet. The first one is free and worth {worth} on average.", worth=worth)
            return say(
                "{shares}, worth {now} each on average. One more costs {price} and makes them {worth} each.",
                shares=shares_words(product.count), now=dollars(product.worth), price=dollars(price(product, seat)),
                worth=worth,
            )  # fmt: skip
    return say(
        "{shares}: sold on {roll}, worth {worth} each on average", shares=shares_words(product.count),
        roll=product.on, worth=dollars(product.worth),
    )  # fmt: skip


def seed_wanted(s: Table) -> str:
    """Return what everybody is asked in Seed."""
    large, small = s.setup.options["large_products"], s.setup.options["small_products"]
    if large:
        return (
            say("Play an Item with any number of Descriptions, or discard two of a kind.")
            if small
            else say("Play an Item with one or more Descriptions, or discard two of a kind.")
        )
    if small:
        return say("Play an Item with or without a Description, or discard two of a kind.")
    return say("Play an Item with a Description, or discard two of a kind.")


def name_of(s: Table, cards: Sequence[str]) -> str:
    """Return a product's name: its Descriptions, then its Item. BI-A14: no two are alike, for no two cards are."""
    name, *descriptions = (s.setup.data["cards"][card]["name"] for card in cards)
    product: str = name
    for description in reversed(descriptions):
        product = say("{description} {product}", description=description, product=product)
    return product


def pitch_of(s: Table, cards: Sequence[str]) -> str:
    """Return a product's pitch: the Item's line opens the sentence, those of its Descriptions end it."""
    opening, *endings = (clause(s.setup.data["cards"][card]["line"]) for card in cards)
    if not endings:
        return say("{opening}. That's all.", opening=opening)
    return say("{opening} {ending}.", opening=opening, ending=listed(endings))


def dollars(cents: int) -> str:
    """Return cents in words: "$3", "$1.50"."""
    whole, rest = divmod(cents, CENTS)
    return money(f"{whole}.{rest:02}" if rest else f"{whole}")


def shares_words(shares: int) -> str:
    """Return a number of shares in words: "1 share", "2 shares"."""
    return say_count("{count} share", "{count} shares", shares)
