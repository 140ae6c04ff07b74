"""Bidness by Maldens Universe: found a company on borrowed money, and be the first to pay all of it back.

Read `play` first: it is the table of contents. Each function below it names its rules (BN-..). What may be done stands next
to the act: `..._moves` lists it, `refuse_...` gives the reason against it, or None, and `explain_...` the words for an
action that is not offered. A card is named by its face (ENG, LIB2, PAYBACK); which event cards there are, and what they
cost and do, is in `data/bidness.toml`. Money is whole dollars.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from typing import Any, Required, TypeAlias, TypedDict

from hub.engine.decision import (
    CHANCE,
    Action,
    Amount,
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
    tell,
)
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.odds import AtLeast, Beats, Wants, beat, odds_text
from hub.engine.printed import LAY_OUT, UNKNOWN, face_down, is_printed, lay_out, possible, shuffled
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, clause, listed, message, money, say, say_count, seats_words
from hub.errors import BadCard

# The printed numbers
START_CASH, START_IOUS, START_TECH = 100, 3, 20  # BN-01, in dollars, IOUs and tech points
LOAN = 100  # BN-07: dollars for each IOU
MOST_IOUS = 6  # BN-08: the debt limit
DEBT_LIMIT = LOAN * MOST_IOUS
HAND = 6  # BN-13: cards of a full hand
KEPT = 2  # BN-16: with so many cards or fewer a player must pass
SOLD = 10  # BN-17: dollars for a card
STEP = 5  # BN-25, BN-37, BN-39: bids, stakes and settlements are multiples of $5
RETURNS = ((1, 100), (2, 300))  # BN-23: IOUs that a Payback card returns, and the dollars that they cost
DICE = 2  # BN-41: dice of each side of a trial, before lawyers and interns
SIDES = 6  # BN-06
LEADER_UNITS = 2  # BN-33: units that the Market Leader sells beside
LEADER_TECH = 10  # BN-34: tech points that the Tech Leader counts beside, for the price
PRICE_STEP = 10  # BN-48: the unit price is rounded down to it
WAGE = 10  # BN-44: dollars for a marketer or an engineer; for lawyers times their square (BN-A23)
CONTRACT = 25  # BN-48: dollars that a contract earns
TECH_GAIN = 2  # BN-49: tech points of an engineer
MOST_COST = 100  # BN-H12: printed on a card, in dollars
MOST_NUMBER = 999  # BN-H01: of copies, costs and stakes in an owner's list

# The cards
PAYBACK = "PAYBACK"
INTERN = "INT"
EMPLOYEES = ("LAW", "ENG", "MKT")
AUCTIONED = (*EMPLOYEES, "CON")
STARTERS = ("ENG", "MKT")  # BN-01: one of each in every company; they are not of the deck
CARD_MOVES = ("play", "sell", "pay_back", "sell_payback")  # BN-15; the last two BN-H11
FIRST_ROUND_OUT = ("suit", "headhunting")  # BN-22
AT_SOMEBODY = ("suit", "headhunting", "press")  # BN-30, BN-31, BN-36: kinds that name another player
KINDS = (
    ("auctioned", ("copies",)),
    ("suit", ("copies",)),
    ("headhunting", ("copies", "cost")),
    ("campaign", ("copies", "cost", "points")),
    ("press", ("copies", "cost", "points")),
    ("intern", ("copies", "cost")),
    ("licence", ("copies", "cost", "tech")),
    ("payback", ()),
)
"""BN-H01: the kinds of cards, and the numbers that each must give."""
COUNTED = (
    ("IOU", message("1 IOU", "{count} IOUs")),
    ("marketer", message("1 marketer", "{count} marketers")),
    ("engineer", message("1 engineer", "{count} engineers")),
    ("lawyer", message("1 lawyer", "{count} lawyers")),
    ("card", message("1 card", "{count} cards")),
    ("round", message("1 round", "{count} rounds")),
    ("tech point", message("1 tech point", "{count} tech points")),
    ("marketing point", message("1 marketing point", "{count} marketing points")),
)
"""What is counted in sentences."""

LOANS = ((), *((offer("borrow", amount=Amount(LOAN, LOAN * ious, LOAN)),) for ious in range(1, MOST_IOUS + 1)))
"""BN-07: the standing offers by how many more IOUs may be taken; made once, for they are wanted after every action."""


class CardFacts(TypedDict, total=False):
    """The facts of a card in the data file; `KINDS` says which numbers each kind has."""

    kind: Required[str]
    name: Required[str]
    of: str
    takes: str
    stake: int
    cost: int
    points: int
    tech: int


@dataclass(slots=True)
class Auction:
    """BN-24: the card, who sells it, who is still in, each player's last bid, and the standing one."""

    card: str
    seller: int
    in_: list[int]
    bids: dict[int, int] = field(default_factory=dict)
    bid: int | None = None
    by: int | None = None


@dataclass(slots=True)
class Lawsuit:
    """BN-36: who sues whom for what; the dice and the chance of a trial; the offers so far, the plaintiff's first."""

    card: str
    plaintiff: int
    defendant: int
    of: str
    stake: int
    claim: str
    dice: dict[int, int]
    odds: str
    offers: list[int] = field(default_factory=list)

    @property
    def damages(self) -> str:
        """What is at stake, in words."""
        return damages_words(self.of, self.stake)

    @property
    def offer(self) -> int | None:
        """BN-39: the amount that is talked about."""
        return self.offers[-1] if self.offers else None

    @property
    def by(self) -> int | None:
        """Who made that offer."""
        return None if not self.offers else self.plaintiff if len(self.offers) % 2 else self.defendant


@dataclass(slots=True)
class Receipt:
    """What a Business Phase brings a player: salaries, then earnings (None until all have paid), then tech points."""

    seat: int
    salary: int
    price: int = 0
    units: int = 0
    contracts: int = 0
    earnings: int | None = None
    tech: int | None = None

    @property
    def sum(self) -> str:
        """BN-48: how earnings were reckoned: "$30 x 6 = $180, contracts $50"."""
        if self.earnings is None:
            return ""
        price, sales = money(self.price), money(self.price * self.units)
        if not self.contracts:
            return say("{price} x {units} = {sales}", price=price, units=self.units, sales=sales)
        return say(
            "{price} x {units} = {sales}, contracts {contracts}", price=price, units=self.units, sales=sales,
            contracts=money(self.contracts),
        )  # fmt: skip


@dataclass(slots=True)
class Bank:
    """The middle of the table. BN-05: all of it is public but the deck and what was discarded face down.

    `rolls` are the totals of the first player roll or the trial, `receipts` those of the last Business Phase;
    `passes` counts those in unbroken succession.
    """

    deck: Pile[str]
    face_down: Pile[str]
    discards: list[str] = field(default_factory=list)
    rolls: dict[int, int] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    first_player: int | None = None
    turn: int | None = None
    passes: int = 0
    auction: Auction | None = None
    lawsuit: Lawsuit | None = None
    market_leader: int | None = None
    tech_leader: int | None = None


@dataclass(slots=True)
class PrintedBank(Bank):
    """BN-H11: the middle of a table with printed cards.

    `dealt` are the Event cards to deal to each seat in this round, `costs` what people have read on cards, in dollars.
    """

    dealt: dict[int, int] = field(default_factory=dict)
    costs: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Company:
    """A player's workplace, which is public, and the hand, which is not (BN-05).

    `marketing`, `price` and `units` are as the present workplaces and awards make them: `judge` keeps them.
    """

    hand: Secret[list[str]]
    cash: int = START_CASH
    ious: int = START_IOUS
    tech: int = START_TECH
    engineers: int = 1
    marketers: int = 1
    lawyers: int = 0
    contracts: int = 0
    bonus: list[str] = field(default_factory=list)
    marketing: int = 1
    price: int = 20
    units: int = 1
    discard: Secret[str] | None = None
    locked: bool = False

    @property
    def power(self) -> int:
        """What can be spent: cash, and loans up to the debt limit. Borrowing never changes it."""
        return self.cash + LOAN * (MOST_IOUS - self.ious)

    @property
    def salary(self) -> int:
        """BN-44, BN-A23: $10 for each marketer and engineer, and $10 times the square of the lawyers."""
        return WAGE * (self.marketers + self.engineers + self.lawyers * self.lawyers)

    @property
    def earnings(self) -> int:
        """BN-48: unit price times units sold, and $25 for each contract."""
        return self.price * self.units + CONTRACT * self.contracts

    @property
    def dice(self) -> int:
        """BN-41: the dice of a trial."""
        return DICE + self.lawyers + self.bonus.count(INTERN)

    @property
    def hand_size(self) -> int:
        """BN-05: how many cards a hand has is public."""
        return len(self.hand.value)

    @property
    def paybacks(self) -> int:
        """BN-05: and how many of them have the back of a Payback card."""
        return self.hand.value.count(PAYBACK)


Table: TypeAlias = State[Company, Bank]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """BN-04: rounds of set-up, card play and business, until somebody has paid back the last IOU (BN-02)."""
    s.table.deck.cards = await shuffled(s, face_down(s.setup, event_deck(s.setup)), "event_deck")
    want = say("Lay out the two decks, and put an Engineer and a Marketer in front of each player.")
    await lay_out(s, next(iter(s.seats)), want)
    while True:
        await set_up(s)
        await card_play(s)
        await business(s)
        round_limit(s)


def deal(setup: Setup) -> Table:
    """BN-01, BN-35: return two to six companies alike, with their awards in the bank."""
    seats = {seat: Company(Secret([], (seat,))) for seat in setup.seats}
    bank = PrintedBank if is_printed(setup) else Bank
    return Table(setup=setup, seats=seats, table=bank(Pile([]), Pile([])), phase="setup")


def event_deck(setup: Setup) -> list[str]:
    """BN-H01: return the event cards, each as often as its line says. BN-H09: with or without the tech cards."""
    cards, left_out = setup.data["cards"], () if setup.options["tech_cards"] else ("licence",)
    return [
        face
        for face in cards
        if face != PAYBACK and cards[face]["kind"] not in left_out
        for _ in range(cards[face]["copies"])
    ]


def check(data: Mapping[str, Any]) -> None:
    """BN-H01: whether the cards of the data file, or of an owner's list, make a deck."""
    cards = data["cards"]
    for face in (*AUCTIONED, PAYBACK):
        if face not in cards:
            raise BadCard(f"{face} is missing: the rules speak of it, so it is listed even with no copies.", face)
    for face, card in cards.items():
        if missing := card_lacks(face, card):
            raise BadCard(f"{face!r} {missing}.", face)


def card_lacks(face: str, card: object) -> str:
    """BN-H01: return what a card of the data file must still say, or nothing."""
    kinds = dict(KINDS)
    if not isinstance(card, dict) or card.get("kind") not in kinds or not isinstance(card.get("name"), str):
        return f"must say its name, and its kind: {', '.join(kinds)}"
    kind, of = card["kind"], card.get("of")
    if (kind == "payback") != (face == PAYBACK) or (kind == "auctioned") != (face in AUCTIONED):
        return f"cannot be of the kind {kind}: only PAYBACK is payback, and auctioned are ENG, MKT, LAW and CON"
    if kind == "suit" and of not in ("cash", "marketers", "tech"):
        return "must say what it is a suit of: cash, marketers or tech"
    if kind == "headhunting" and card.get("takes") not in EMPLOYEES:
        return "must say whom it takes: ENG, MKT or LAW"
    for number in (*kinds[kind], *(("stake",) if of in ("marketers", "tech") else ())):
        if type(card.get(number)) is not int or not 0 <= card[number] <= MOST_NUMBER:
            return f"must say {number}, a number from 0 to {MOST_NUMBER}"
    return ""


# --- Set-up ------------------------------------------------------------------------------------------


async def set_up(s: Table) -> None:
    """BN-10 to BN-14: the first player, Payback cards, the deal, and one card away."""
    s.round += 1
    await first_player(s)
    payback_cards(s)
    await deal_events(s)
    if is_printed(s.setup):
        await people_deal(s)
    else:
        await discard_one(s)


async def first_player(s: Table) -> None:
    """BN-10, BN-A15: a die for each IOU, the highest total is first; those who tie roll again, as many dice."""
    t = s.table
    s.phase, t.rolls = "first_player", {}
    rollers = clockwise(s.seats, t.first_player or 0)
    while len(rollers) > 1:
        for seat in rollers:
            await throw(
                s, seat, partial(ious_of, s, seat), "BN-10", say("Roll a die for each IOU: the highest total goes first."),
                say("Seat {seat} rolls a die for each IOU: the highest total goes first.", seat=seat),
            )  # fmt: skip
        best = max(t.rolls[seat] for seat in rollers)
        rollers = [seat for seat in rollers if t.rolls[seat] == best]
        if rollers[1:]:
            tell(
                s, say("{seats} tie at {total} and roll again.", seats=seats_words(rollers), total=best), rule="BN-10",
                kind="tie", seats=rollers,
            )  # fmt: skip
    t.first_player, t.turn = rollers[0], None
    tell(
        s, say("Seat {seat} is the first player of round {round}.", seat=rollers[0], round=s.round), rule="BN-10",
        kind="first", seat=rollers[0],
    )  # fmt: skip


async def throw(
    s: Table, seat: int, dice: int | Callable[[], int], rule: str, want: str, others: str, wants: Wants | None = None
) -> None:
    """BN-06, BN-H02: so many six-sided dice, real ones or the hub's; the total stands on the table."""
    t = s.table
    t.turn = seat
    faces = await roll(s, seat, dice, SIDES, s.phase, want, wants, others)
    total = t.rolls[seat] = sum(faces)
    tell(
        s,
        say("Seat {seat} rolls {total}: {faces}.", seat=seat, total=total, faces=" + ".join(map(str, faces)))
        if faces[1:]
        else say("Seat {seat} rolls {total}.", seat=seat, total=total),
        rule=rule,
        kind="roll",
        seat=seat,
        faces=faces,
        total=total,
    )


def explain_roll(s: Table, seat: int) -> Refusal | None:
    """BN-06, BN-10, BN-41: return why dice are refused: faces that cannot be, or somebody else's dice."""
    t = s.table
    if s.phase not in ("first_player", "trial") or t.turn is None:
        return None
    if seat != CHANCE:
        return Refusal(say("It is Seat {seat}'s turn to roll.", seat=t.turn), "BN-X04")
    dice = t.lawsuit.dice[t.turn] if t.lawsuit else s.seats[t.turn].ious
    text = say_count(
        "1 die gives from 1 to {most}: enter its face.", "{count} dice give from {count} to {most}: enter each face.",
        dice, most=SIDES * dice,
    )  # fmt: skip
    return Refusal(text, "BN-X17")


def payback_cards(s: Table) -> None:
    """BN-11, BN-A20: from round 2 on everybody gets a Payback card; they never run out."""
    if s.round == 1:
        return
    for company in s.seats.values():
        company.hand.value.append(PAYBACK)
    tell(s, "Everybody gets a Payback card.", rule="BN-11", kind="payback_cards")


async def deal_events(s: Table) -> None:
    """BN-12, BN-13, BN-A22: all that was discarded is shuffled in; a card at a time until hands are six, or none is left."""
    t = s.table
    if s.round > 1:
        back = [*t.deck.cards, *t.face_down.cards, *t.discards]
        t.deck.cards, t.face_down.cards, t.discards = [], [], []
        t.deck.cards = await shuffled(s, face_down(s.setup, back), "event_deck")
    dealt = dict.fromkeys(clockwise(s.seats, t.first_player or 0), 0)
    for _ in range(HAND):
        for seat in dealt:
            if s.seats[seat].hand_size < HAND and t.deck.cards:
                hand(s, seat).append(t.deck.cards.pop(0))
                dealt[seat] += 1
    cards = shared_words(s, {seat: str(count) for seat, count in dealt.items() if count}, "to") or say("none")
    text = say("Event cards are dealt: {cards}.", cards=cards)
    if is_printed(s.setup):
        text = say("Shuffle the Event cards and deal: {cards}.", cards=cards)
    tell(s, text, rule="BN-13", kind="deal", dealt={str(seat): count for seat, count in dealt.items()})
    if isinstance(t, PrintedBank):
        t.dealt = dealt


async def people_deal(s: Table) -> None:
    """BN-H11, BN-14: people shuffle, deal and discard; the first player says when all have, and whose was a Payback card.

    Its back shows that it is one. Whoever holds nothing else has discarded one.
    """
    t = s.table
    s.phase, t.turn = "deal", t.first_player or 0
    want = say("Deal as the screen says; everybody discards a card face down. Say when you're done.")
    if s.round > 1:
        want = say(
            "Deal as the screen says; everybody discards a card face down. Say who discarded a Payback, then when you're "
            "done."
        )
    others = say("Deal the cards and discard one each. Seat {seat} says when everybody is done.", seat=t.turn)
    away = {seat: UNKNOWN for seat in s.seats if hand(s, seat)}
    while True:
        either = [seat for seat, card in away.items() if card != PAYBACK and {UNKNOWN, PAYBACK} <= {*hand(s, seat)}]
        paybacks = [offer("payback_away", owner=OneOf(either))] if either else []
        answer = await ask(s, t.turn, [*paybacks, offer("dealt")], want, others, hidden=True)
        if answer.move == "dealt":
            break
        away[answer["owner"]] = PAYBACK
    put_away(s, away)


async def discard_one(s: Table) -> None:
    """BN-14, BN-A17, BN-A19: everybody secretly discards one card, face down; its back shows which deck it is of."""
    s.phase = "discard"
    moves = {seat: [offer("discard", card=OneOf(distinct(hand(s, seat))))] for seat in s.seats if hand(s, seat)}
    answers = await ask_all(
        s, moves, say("Discard one card from your hand."), say("Everybody discards a card in secret."), into="discard"
    )
    for seat in answers:
        s.seats[seat].discard = None
    put_away(s, {seat: answer["card"] for seat, answer in answers.items()})


def put_away(s: Table, cards: Mapping[int, str]) -> None:
    """BN-14: cards leave their hands, face down."""
    backs: dict[int, str] = {}
    for seat, card in cards.items():
        face = take_out(s, seat, card)
        if face != PAYBACK:
            s.table.face_down.cards.append(face)
        backs[seat] = say("a Payback card") if face == PAYBACK else say("an Event card")
    if backs:
        text = say("Discarded face down: {cards}.", cards=shared_words(s, backs, "by"))
        tell(s, text, rule="BN-14", kind="discard")


def explain_discard(s: Table, seat: int, face: object) -> Refusal:
    """BN-14: return why a discard is refused: not now, or not such a card."""
    if s.phase != "discard":
        return Refusal("You discard one card during setup, and can't change it later.", "BN-X18")
    if isinstance(face, str) and face not in hand(s, seat):
        return Refusal("That card is not in your hand.", "BN-X07")
    return Refusal("Discard exactly one card from your hand.", "BN-X18")


def form(s: Table, action: Action) -> Refusal | None:
    """BN-X18: return the refusal of a discard of no card, or of several."""
    return Refusal("Discard exactly one card.", "BN-X18") if action.move == "discard" else None


# --- Card play ---------------------------------------------------------------------------------------


async def card_play(s: Table) -> None:
    """BN-15, BN-18, BN-19, BN-20: clockwise turns from the first player, until all have passed in a row; the rest is kept."""
    t = s.table
    t.passes, t.rolls, t.receipts = 0, {}, []
    for seat in clockwise(s.seats, t.first_player or 0):
        out_of_cards(s, seat)
    for seat in cycle(clockwise(s.seats, t.first_player or 0)):
        s.phase, t.turn = "play", seat
        await turn(s, seat)
        if t.passes == len(s.seats):
            break
    t.turn = None


async def turn(s: Table, seat: int) -> None:
    """BN-15 to BN-18: play a card, sell one, or pass; with two cards or fewer the pass is forced."""
    t = s.table
    if s.seats[seat].hand_size <= KEPT:
        t.passes += 1
        return
    want = say("Play a card, sell one for {amount}, or pass.", amount=money(SOLD))
    others = say("Seat {seat} plays a card, sells one, or passes.", seat=seat)
    answer = await ask(s, seat, partial(turn_moves, s, seat), want, others, hidden=True)
    if answer.move == "pass":
        t.passes += 1
        tell(s, "Seat {seat} passes.", rule="BN-18", kind="pass", seat=seat)
        return
    t.passes = 0
    printed_payback = answer.move in ("pay_back", "sell_payback")
    taken = take_out(s, seat, PAYBACK if printed_payback else answer.args.get("card", UNKNOWN))
    match answer.move:
        case "play":
            await play_card(s, seat, answer)
        case "pay_back":
            pay_back(s, seat, answer["ious"])
        case _:
            sell(s, seat, taken)
    out_of_cards(s, seat)


def out_of_cards(s: Table, seat: int) -> None:
    """BN-16: told when a hand has come down to two cards; its passes are not told one by one."""
    if s.seats[seat].hand_size <= KEPT:
        left = some(s.seats[seat].hand_size, "card")
        text = say("Seat {seat} has {cards} left and passes from now on.", seat=seat, cards=left)
        tell(s, text, rule="BN-16", kind="out", seat=seat)


def sell(s: Table, seat: int, face: str) -> None:
    """BN-17, BN-A24: $10 from the bank for any card, face up. BN-H06: or face down, where only its back is seen.

    BN-H11: which printed card it is, all see, or nobody; the hub need not know.
    """
    amount, seen = money(SOLD), face
    text = say("Seat {seat} sells {card} for {amount}.", seat=seat, card=a_card(s, face), amount=amount)
    if face == UNKNOWN:
        s.table.face_down.cards.append(face)
        seen = ""
    elif s.setup.options["sold_cards"] == "down" and face != PAYBACK:
        s.table.face_down.cards.append(face)
        text, seen = say("Seat {seat} sells a card face down for {amount}.", seat=seat, amount=amount), ""
    else:
        throw_away(s, face)
    collect(s, seat, SOLD, "BN-17", text, say("{amount} for a card", amount=amount), card=seen)


async def play_card(s: Table, seat: int, answer: Answer) -> None:
    """BN-21, BN-24, BN-36: a card is a Payback, is auctioned, goes to court, or costs its price and does what it says."""
    face = answer["card"]
    match about(s, face)["kind"]:
        case "payback":
            pay_back(s, seat, answer["ious"])
        case "auctioned":
            await auction(s, seat, face)
        case "suit":
            await lawsuit(s, seat, face, answer["target"], answer.args.get("amount") or about(s, face)["stake"])
        case kind:
            cost = about(s, face)["cost"]
            pay(
                s, seat, cost, "BN-21",
                say("Seat {seat} plays {card} for {cost}.", seat=seat, card=a_card(s, face), cost=money(cost)),
                say("{cost} for the card", cost=money(cost)), card=face,
            )  # fmt: skip
            match kind:
                case "headhunting":
                    headhunt(s, seat, face, answer["target"])
                case "licence":
                    licence_deal(s, seat, face)
                case _:
                    place_bonus(s, face, answer.args.get("target", seat))


def turn_moves(s: Table, seat: int) -> list[Move]:
    """BN-15 to BN-18: return what may be played, any card to sell, and the pass."""
    plain: list[str] = []
    others: list[Move] = []
    for face in faces_of(s, seat):
        card = about(s, face)
        if refuse_any_target(s, seat, card):
            continue
        if card["kind"] == "payback":
            ious = OneOf(returns(s.seats[seat]))
            others.append(offer("pay_back", ious=ious) if is_printed(s.setup) else offer("play", card=face, ious=ious))
        elif card["kind"] not in AT_SOMEBODY:
            plain.append(face)
        elif whom := targets(s, seat, card):
            if card.get("of") == "cash":
                others += [offer("play", card=face, target=other, amount=stakes(s, seat, other)) for other in whom]
            else:
                others.append(offer("play", card=face, target=OneOf(whom)))
    plays = [offer("play", card=OneOf(plain))] if plain else []
    return [*plays, *others, *sales(s, seat), offer("pass")]


def sales(s: Table, seat: int) -> list[Move]:
    """BN-17: return any card of the hand to sell. BN-H11: of a printed one, only its back is told."""
    faces = distinct(hand(s, seat))
    if not is_printed(s.setup):
        return [offer("sell", card=OneOf(faces))]
    event = [offer("sell")] if UNKNOWN in faces else []
    return [*event, offer("sell_payback")] if PAYBACK in faces else event


def refuse_card(s: Table, seat: int, face: str) -> Refusal | None:
    """BN-21 to BN-23, BN-30, BN-36, BN-A26: return why a card of the hand may not be played now; or None."""
    card = about(s, face)
    if refused := refuse_any_target(s, seat, card):
        return refused
    if card["kind"] in AT_SOMEBODY and not targets(s, seat, card):
        code = "BN-X20" if card["kind"] == "headhunting" else "BN-X14"
        return Refusal(say("You can't play the {card} on anybody.", card=name(s, face)), code)
    return None


def refuse_any_target(s: Table, seat: int, card: CardFacts) -> Refusal | None:
    """BN-21 to BN-23, BN-36: return why a card may not be played now, at whomever; None if that depends on whom."""
    company, kind, cost = s.seats[seat], card["kind"], card.get("cost", 0)
    if s.round == 1 and kind in FIRST_ROUND_OUT:
        return Refusal("You can't play this card in the first round.", "BN-X06")
    if kind == "payback" and not returns(company):
        text = say(
            "You need {needed} in cash to return an IOU; you have {cash}.", needed=money(RETURNS[0][1]),
            cash=money(company.cash),
        )  # fmt: skip
        return Refusal(text, "BN-X08")
    if cost > company.power:
        text = say("That costs {cost}, but you can raise only {most}.", cost=money(cost), most=money(company.power))
        return Refusal(text, "BN-X09")
    return refuse_plaintiff(s, seat, card) if kind == "suit" else None


def targets(s: Table, seat: int, card: CardFacts) -> list[int]:
    """BN-30, BN-31, BN-36, BN-A26: return the players at whom a card may be played."""
    return [other for other in s.seats if other != seat and not refuse_target(s, seat, card, other)]


def refuse_target(s: Table, seat: int, card: CardFacts, target: int) -> Refusal | None:
    """BN-30, BN-31, BN-36 to BN-38: return why a card may not be played at that player; None if it may."""
    somebody_else = target != seat and target in s.seats
    match card["kind"]:
        case "suit":
            return refuse_defendant(s, target, card) if somebody_else else Refusal("Sue another player.", "BN-X14")
        case "headhunting":
            if not somebody_else or card["takes"] not in employees(s.seats[target]):
                return Refusal(say("Name another player who has {card}.", card=a_card(s, card["takes"])), "BN-X20")
        case _ if not somebody_else:
            return Refusal("Place Bad Press on a rival.", "BN-X22")
    return None


def explain_card(s: Table, seat: int, action: Action) -> Refusal | None:
    """BN-21 to BN-23, BN-30, BN-31, BN-36 to BN-38: return why a card is not played, or not like that."""
    face = action.args.get("card")
    if action.move in ("pay_back", "sell_payback") or (action.move == "sell" and is_printed(s.setup)):
        return explain_printed(s, seat, action)
    if not isinstance(face, str) or face not in faces_of(s, seat):
        if is_printed(s.setup):
            return explain_unlisted(s, face)
        return Refusal("That card is not yours to play.", "BN-X07")
    if action.move == "sell":
        return None
    if refused := refuse_card(s, seat, face):
        return refused
    card, given = about(s, face), action.args
    wants = {
        "target": card["kind"] in AT_SOMEBODY,
        "amount": card.get("of") == "cash",
        "ious": card["kind"] == "payback",
    }
    if ("target" in given) != wants["target"]:
        text = say("The {card} has no target.", card=card["name"])
        if wants["target"]:
            text = say("Choose an opponent as the target of the {card}.", card=card["name"])
        return Refusal(text, "BN-X22")
    for beside, wanted in wants.items():
        if (beside in given) != wanted or (wanted and type(given[beside]) is not int):
            return Refusal(say("Play the {card} with the choices that it offers.", card=card["name"]), "FORM")
    if wants["ious"]:
        return refuse_ious(given["ious"])
    if wants["target"] and (refused := refuse_target(s, seat, card, given["target"])):
        return refused
    if wants["amount"]:
        text = say(
            "Sue for {step} to {most}, in steps of {step}: no more than the defendant has and you could pay.",
            step=money(STEP), most=money(stakes(s, seat, given["target"]).max),
        )  # fmt: skip
        return Refusal(text, "BN-X14")
    return None


def explain_unlisted(s: Table, face: object) -> Refusal:
    """BN-H11: return why a printed card cannot be in a hand: the list has none, or none that does not lie open."""
    if not isinstance(face, str) or face not in s.setup.data["cards"]:
        return Refusal("The hub's list has no such card. Staff can enter the cards of your box.", "BN-X07")
    text = say(
        "By the hub's list, every {card} is already face up. Staff can enter the cards of your box.", card=name(s, face)
    )
    return Refusal(text, "BN-X07")


def explain_printed(s: Table, seat: int, action: Action) -> Refusal:
    """BN-H11, BN-23: return why a printed card is not sold, or a printed Payback not played: for want of it, or of cash."""
    if not is_printed(s.setup):
        return Refusal("That works only with printed cards.", "BN-H11")
    if (PAYBACK if action.move != "sell" else UNKNOWN) not in hand(s, seat):
        return Refusal("That card is not in your hand.", "BN-X07")
    if action.move != "pay_back":
        return Refusal("Don't name the card that you sell.", "FORM")
    return refuse_card(s, seat, PAYBACK) or refuse_ious(action.args.get("ious"))


def refuse_ious(ious: object) -> Refusal:
    """BN-23: return why so many IOUs cannot be returned."""
    (_, one), (most, two) = RETURNS
    if ious == most:
        return Refusal(say("You need {amount} and two IOUs.", amount=money(two)), "BN-X08")
    return Refusal(say("Return one IOU for {one}, or two for {two}.", one=money(one), two=money(two)), "BN-X08")


def pay_back(s: Table, seat: int, ious: int) -> None:
    """BN-23, BN-03: one IOU for $100, two for $300, with cash that is there (BN-A07). BN-02: the last one wins at once."""
    company, price = s.seats[seat], dict(RETURNS)[ious]
    pay(
        s, seat, price, "BN-23", say("Seat {seat} pays back {amount}.", seat=seat, amount=money(price)),
        say("{amount} for {ious}", amount=money(price), ious=some(ious, "IOU")), card=PAYBACK,
    )  # fmt: skip
    was, company.ious = company.ious, company.ious - ious
    left = say(
        "Seat {seat} returns {ious} and has {left} left.", seat=seat, ious=some(ious, "IOU"),
        left=some(company.ious, "IOU"),
    )  # fmt: skip
    changed(s, seat, "ious", was, "BN-23", left, f"{was} - {ious} = {company.ious}")
    if not company.ious:
        win(s, [seat], "BN-02", say("Seat {seat} has paid back the last IOU.", seat=seat))


def returns(company: Company) -> list[int]:
    """BN-23, BN-A07, BN-A08: return how many IOUs may be returned with the cash that is there."""
    return [ious for ious, price in RETURNS if company.ious >= ious and company.cash >= price]


def headhunt(s: Table, seat: int, face: str, target: int) -> None:
    """BN-30, BN-A18: an employee of that kind moves over; nobody is asked."""
    throw_away(s, face)
    employee = about(s, face)["takes"]
    staff(s.seats[target], employee, -1)
    staff(s.seats[seat], employee, 1)
    text = say("Seat {seat} hires {card} away from Seat {target}.", seat=seat, card=a_card(s, employee), target=target)
    tell(s, text, rule="BN-30", kind="headhunt", seat=seat, target=target, card=employee)
    judge(s)


def licence_deal(s: Table, seat: int, face: str) -> None:
    """BN-32: tech points at once."""
    throw_away(s, face)
    add_tech(s, seat, about(s, face)["tech"], "BN-32", name(s, face), face)
    judge(s)


def place_bonus(s: Table, face: str, target: int) -> None:
    """BN-31: a bonus card lies in one's own workplace, Bad Press in a rival's, until the round ends; they stack."""
    s.seats[target].bonus.append(face)
    text = say("{card} is now in Seat {seat}'s workplace.", card=name(s, face), seat=target)
    tell(s, text, rule="BN-31", kind="bonus", seat=target, card=face)
    judge(s)


# --- Auctions ----------------------------------------------------------------------------------------


async def auction(s: Table, seller: int, face: str) -> None:
    """BN-24 to BN-29: open ascending bids, clockwise from the seller (BN-A03); the last one in pays."""
    t = s.table
    lot = t.auction = Auction(face, seller, clockwise(s.seats, seller))
    s.phase = "auction"
    text = say("Seat {seat} auctions {card}.", seat=seller, card=a_card(s, face))
    tell(s, text, rule="BN-24", kind="auction", seat=seller, card=face)
    seat = seller
    # BN-27, BN-A06: a last player who has not bid is still asked once.
    while lot.in_ and lot.in_ != [lot.by]:
        t.turn = seat
        card = name(s, lot.card)
        others = say("Seat {seat} may open the bidding for the {card}.", seat=seat, card=card)
        if lot.bid:
            others = say("Seat {seat} may beat {bid} for the {card}.", seat=seat, bid=money(lot.bid), card=card)
        answer = await ask(s, seat, bids(lot, s.seats[seat].power), partial(bidding_words, s, seat), others)
        if answer.move == "bid":
            lot.bid = lot.bids[seat] = answer["amount"]
            lot.by = seat
            tell(s, "Seat {seat} bids {amount}.", rule="BN-25", kind="bid", seat=seat, amount=money(lot.bid))
        else:
            lot.in_.remove(seat)
            tell(s, "Seat {seat} drops out.", rule="BN-25", kind="drop", seat=seat)
        seat = clockwise(lot.in_ or [seat], seat + 1)[0]
    hammer(s, lot)
    t.auction = None


def bids(lot: Auction, power: int) -> list[Move]:
    """BN-25, BN-26, BN-A01, BN-A05, BN-A28: return the bids up to all that can be raised, and the drop."""
    least = least_bid(lot)
    raises = [offer("bid", amount=Amount(least, fives(power), STEP))] if power >= least else []
    return [*raises, offer("drop")]


def least_bid(lot: Auction) -> int:
    """BN-25: return $5, or $5 above the standing bid."""
    return (lot.bid or 0) + STEP


def explain_bid(s: Table, seat: int, action: Action) -> Refusal:
    """BN-25, BN-26: return why a bid is refused: no such amount, or somebody else's turn to bid."""
    lot, amount, power = s.table.auction, action.args.get("amount"), s.seats[seat].power
    if lot is None:
        return Refusal("There is no auction now.", "BN-X04")
    if seat not in lot.in_:
        return Refusal("You have dropped out of this auction.", "BN-X13")
    if seat != s.table.turn:
        return Refusal(say("It is Seat {seat}'s turn to bid.", seat=s.table.turn), "BN-X13")
    if type(amount) is not int:
        return Refusal("Enter the amount in whole dollars.", "FORM")
    if amount % STEP or amount <= 0:
        return Refusal(say("Bids must be multiples of {step}.", step=money(STEP)), "BN-X10")
    if amount < least_bid(lot):
        text = say("Beat {bid}: bid at least {least}.", bid=money(lot.bid or 0), least=money(least_bid(lot)))
        return Refusal(text, "BN-X11")
    text = say(
        "That would break the {limit} debt limit: you can raise only {most}.", limit=money(DEBT_LIMIT),
        most=money(power),
    )  # fmt: skip
    return Refusal(text, "BN-X12")


def hammer(s: Table, lot: Auction) -> None:
    """BN-28, BN-29, BN-A04: the winner pays the seller, a winning seller the bank; the card works at once. No bid: it is discarded."""
    card = name(s, lot.card)
    if lot.by is None or lot.bid is None:
        throw_away(s, lot.card)
        text = say("Nobody bids, so the {card} is discarded.", card=card)
        tell(s, text, rule="BN-29", kind="no_bid", card=lot.card)
        return
    to = None if lot.by == lot.seller else lot.seller
    bid, what = money(lot.bid), a_card(s, lot.card)
    text = say("Seat {seat} pays the bank {bid} for {card}.", seat=lot.by, bid=bid, card=what)
    if to:
        text = say("Seat {seat} pays Seat {seller} {bid} for {card}.", seat=lot.by, seller=to, bid=bid, card=what)
    pay(s, lot.by, lot.bid, "BN-28", text, say("{bid} for the {card}", bid=bid, card=card), to, lot.card)
    staff(s.seats[lot.by], lot.card, 1)
    text = say("The {card} goes to Seat {seat}.", card=card, seat=lot.by)
    tell(s, text, rule="BN-29", kind="joins", seat=lot.by, card=lot.card)
    judge(s)


# --- Lawsuits ----------------------------------------------------------------------------------------


async def lawsuit(s: Table, plaintiff: int, face: str, defendant: int, stake: int) -> None:
    """BN-36 to BN-43: it is filed, it is talked about, it goes to trial; its card is discarded whatever comes of it."""
    t, dice = s.table, {seat: s.seats[seat].dice for seat in (plaintiff, defendant)}
    of = about(s, face)["of"]
    text = say(
        "Seat {plaintiff} sues Seat {defendant} for {damages}.", plaintiff=plaintiff, defendant=defendant,
        damages=damages_words(of, stake),
    )  # fmt: skip
    odds = odds_text(beat(dice[plaintiff], dice[defendant], SIDES))
    suit = t.lawsuit = Lawsuit(face, plaintiff, defendant, of, stake, clause(text), dice, odds)
    tell(s, text, rule="BN-36", kind="lawsuit", seat=plaintiff, target=defendant, card=face, stake=stake)
    if not await settled(s, suit):
        await trial(s, suit)
    throw_away(s, face)
    t.lawsuit = None


def refuse_plaintiff(s: Table, plaintiff: int, card: CardFacts) -> Refusal | None:
    """BN-37, BN-38, BN-A09, BN-A10: return why a player could not pay the damages of such a suit; None if they could.

    BN-H03, capped: for marketers and tech points nothing is needed, for the loser pays as much of it as there is.
    """
    company, of = s.seats[plaintiff], card["of"]
    if of == "cash":
        if company.power < STEP:
            text = say(
                "You couldn't pay {amount} if you lost: you can raise only {most}.", amount=money(STEP),
                most=money(company.power),
            )  # fmt: skip
            return Refusal(text, "BN-X14")
    elif strict(s) and holding(company, of) < card["stake"]:
        text = say("You couldn't pay {damages} if you lost.", damages=damages_words(of, card["stake"]))
        return Refusal(text, "BN-X14")
    return None


def refuse_defendant(s: Table, defendant: int, card: CardFacts) -> Refusal | None:
    """BN-37, BN-38, BN-A09, BN-A26: return why there is nothing to win of a player; None if there is.

    BN-H03, capped: one marketer or tech point is enough.
    """
    company, of = s.seats[defendant], card["of"]
    if of == "cash":
        return Refusal("That player doesn't have enough cash to sue for.", "BN-X14") if company.cash < STEP else None
    least = card["stake"] if strict(s) else 1
    if holding(company, of) < least:
        text = say("Seat {seat} doesn't have {damages}.", seat=defendant, damages=damages_words(of, least))
        return Refusal(text, "BN-X14")
    return None


def strict(s: Table) -> bool:
    """BN-H03: return whether both sides of a Libel or Patent suit must have all that is at stake."""
    return bool(s.setup.options["suit_shortfall"] == "strict")


def stakes(s: Table, plaintiff: int, defendant: int) -> Amount:
    """BN-37, BN-A10: return the stakes up to the cash of the defendant and what the plaintiff can raise."""
    return Amount(STEP, fives(min(s.seats[defendant].cash, s.seats[plaintiff].power)), STEP)


def holding(company: Company, of: str) -> int:
    """BN-38: return how much a side has of what a suit is of: dollars, marketers or tech points."""
    return company.cash if of == "cash" else company.marketers if of == "marketers" else company.tech


async def settled(s: Table, suit: Lawsuit) -> bool:
    """BN-39, BN-40, BN-A11, BN-A12: a demand and counters by turns, until one is accepted, or one side wants the trial."""
    t = s.table
    s.phase, t.turn = "settlement", suit.plaintiff
    others = say("Seat {seat} demands an amount to settle, or goes to trial.", seat=suit.plaintiff)
    answer = await ask(s, suit.plaintiff, demands(s, suit), say("Demand an amount to settle, or go to trial."), others)
    while answer.move in ("demand", "counter"):
        suit.offers.append(answer["amount"])
        amount = money(answer["amount"])
        if suit.by == suit.plaintiff:
            t.turn = suit.defendant
            text = say("Seat {seat} demands {amount} to settle.", seat=suit.by, amount=amount)
            want = say("Accept the demand of {amount}, counter it, or reject it and go to trial.", amount=amount)
            others = say("Seat {seat} answers the demand of {amount}.", seat=t.turn, amount=amount)
        else:
            t.turn = suit.plaintiff
            text = say("Seat {seat} offers {amount} to settle.", seat=suit.by, amount=amount)
            want = say("Accept the offer of {amount}, counter it, or reject it and go to trial.", amount=amount)
            others = say("Seat {seat} answers the offer of {amount}.", seat=t.turn, amount=amount)
        tell(s, text, rule="BN-39", kind="offer", seat=suit.by, amount=suit.offer)
        answer = await ask(s, t.turn, replies(s, suit), want, others)
    if answer.move != "accept":
        tell(s, "Seat {seat} wants a trial.", rule="BN-39", kind="trial", seat=t.turn)
        return False
    paid = suit.offers[-1]
    text = say(
        "Seat {defendant} pays Seat {plaintiff} {amount} to settle.", defendant=suit.defendant,
        plaintiff=suit.plaintiff, amount=money(paid),
    )  # fmt: skip
    pay(s, suit.defendant, paid, "BN-39", text, say("{amount} agreed", amount=money(paid)), suit.plaintiff)
    return True


def demands(s: Table, suit: Lawsuit) -> list[Move]:
    """BN-39, BN-40, BN-A12: return any amount that the defendant could pay, and the trial."""
    step, most = settlement_step(s), most_settled(s, suit)
    amounts = [offer("demand", amount=Amount(step, most, step))] if most >= step else []
    return [*amounts, offer("trial")]


def replies(s: Table, suit: Lawsuit) -> list[Move]:
    """BN-39, BN-40: return to accept, to counter with another amount, to reject. BN-H04: the last offer has no counter."""
    limit, step = s.setup.options["settlement_max_exchanges"], settlement_step(s)
    most, now = most_settled(s, suit), suit.offers[-1]
    if 0 < limit <= len(suit.offers):
        return [offer("accept"), offer("reject")]
    less = [offer("counter", amount=Amount(step, now - step, step))] if now > step else []
    more = [offer("counter", amount=Amount(now + step, most, step))] if now < most else []
    return [*less, offer("accept"), *more, offer("reject")]


def most_settled(s: Table, suit: Lawsuit) -> int:
    """BN-40: return the most that the defendant could pay, in $5 steps. BN-H10: or to the dollar."""
    power = s.seats[suit.defendant].power
    return power - power % settlement_step(s)


def settlement_step(s: Table) -> int:
    """BN-40: return the step of offers, $5. BN-H10: print lets both sides agree on any sum: $1."""
    return 1 if s.setup.options["settlement_by"] == "dollar" else STEP


def explain_talk(s: Table, seat: int, action: Action) -> Refusal:
    """BN-39, BN-40: return why an answer is refused: the wrong side, the wrong answer, or no such amount."""
    suit, amount = s.table.lawsuit, action.args.get("amount")
    if suit is None or s.phase != "settlement":
        return Refusal("There is no lawsuit to settle now.", "BN-X16")
    if seat != s.table.turn:
        return Refusal(say("It is Seat {seat}'s turn to answer.", seat=s.table.turn), "BN-X16")
    if action.move not in (["demand", "trial"] if not suit.offers else ["accept", "counter", "reject"]):
        text = (
            say("Accept the offer, counter it, or reject it.")
            if suit.offers
            else say("Demand an amount, or go to trial.")
        )
        return Refusal(text, "BN-X16")
    if action.move == "counter" and not any(move.name == "counter" for move in replies(s, suit)):
        return Refusal("No more counteroffers: accept or reject.", "BN-X16")
    if type(amount) is not int:
        return Refusal("Enter the amount in whole dollars.", "BN-X16")
    if amount == suit.offer:
        text = say("A counteroffer must differ from {amount}. To agree, accept it.", amount=money(amount))
        return Refusal(text, "BN-X16")
    text = say(
        "Settle for {step} to {most}, in steps of {step}: Seat {seat} can't raise more.",
        step=money(settlement_step(s)), most=money(most_settled(s, suit)), seat=suit.defendant,
    )  # fmt: skip
    return Refusal(text, "BN-X16")


async def trial(s: Table, suit: Lawsuit) -> None:
    """BN-41, BN-42, BN-A25: the plaintiff rolls, then the defendant, who wins a tie; the loser pays the damages."""
    t = s.table
    s.phase, t.rolls = "trial", {}
    plaintiff, defendant = suit.plaintiff, suit.defendant
    mine, theirs = suit.dice[plaintiff], suit.dice[defendant]
    others = say(
        "Seat {plaintiff} must roll more than Seat {defendant}, who wins a tie.",
        plaintiff=plaintiff,
        defendant=defendant,
    )
    want = say("Roll more than the defendant, who wins a tie.")
    await throw(s, plaintiff, mine, "BN-41", want, others, Beats(theirs))
    total = t.rolls[plaintiff]
    want = say("Roll {total} or more: you win a tie.", total=total)
    others = say("Seat {seat} needs {total} or more.", seat=defendant, total=total)
    await throw(s, defendant, theirs, "BN-41", want, others, AtLeast(total))
    won = total > t.rolls[defendant]
    winner, loser = (plaintiff, defendant) if won else (defendant, plaintiff)
    text = say(
        "Seat {seat} wins in court, {total} to {other}.", seat=winner, total=t.rolls[winner], other=t.rolls[loser]
    )
    tell(s, text, rule="BN-41", kind="verdict", seat=winner, score=f"{total} : {t.rolls[defendant]}")
    if won:
        pay_damages(s, suit, defendant, plaintiff)
    else:
        pay_damages(s, suit, plaintiff, None)


def pay_damages(s: Table, suit: Lawsuit, loser: int, to: int | None) -> None:
    """BN-42, BN-A27: to the plaintiff, or to the bank. BN-H03, capped: as much of it as there is."""
    stake = suit.stake if suit.of == "cash" else min(suit.stake, holding(s.seats[loser], suit.of))
    damages = damages_words(suit.of, stake)
    how = say("damages of {damages}", damages=damages)
    text = say("Seat {seat} pays the bank damages of {damages}.", seat=loser, damages=damages)
    if to:
        text = say("Seat {seat} pays Seat {plaintiff} damages of {damages}.", seat=loser, plaintiff=to, damages=damages)
    if not stake:
        tell(s, "Seat {seat} has nothing to pay damages with.", rule="BN-42", kind="damages", seat=loser)
        return
    match suit.of:
        case "cash":
            pay(s, loser, stake, "BN-42", text, how, to)
        case "marketers":
            staff(s.seats[loser], "MKT", -stake)
            if to:
                staff(s.seats[to], "MKT", stake)
            else:
                s.table.discards += ["MKT"] * stake
            tell(s, text, rule="BN-42", kind="damages", seat=loser, marketers=stake)
        case "tech":
            add_tech(s, loser, -stake, "BN-42", how)
            if to:
                add_tech(s, to, stake, "BN-42", how)
    judge(s)


# --- Leadership awards -------------------------------------------------------------------------------


def judge(s: Table) -> None:
    """BN-33 to BN-35: after every change marketing points are counted, both awards judged, and what is sold with them."""
    t = s.table
    for seat, company in s.seats.items():
        was, company.marketing = company.marketing, marketing_points(s, company)
        if company.marketing != was:
            text = say("Seat {seat} has {points}.", seat=seat, points=some(company.marketing, "marketing point"))
            changed(s, seat, "marketing", was, "BN-33", text, marketing_words(s, company))
    selling = {seat: company.marketing if by_points(s) else company.marketers for seat, company in s.seats.items()}
    unit = "marketing point" if by_points(s) else "marketer"
    t.market_leader = award(s, say("Market Leader"), unit, "BN-33", t.market_leader, selling)
    tech = {seat: company.tech for seat, company in s.seats.items()}
    t.tech_leader = award(s, say("Tech Leader"), "tech point", "BN-34", t.tech_leader, tech)
    for seat, company in s.seats.items():
        company.price = unit_price(company.tech, leads=seat == t.tech_leader)
        company.units = company.marketing + (LEADER_UNITS if seat == t.market_leader else 0)


def award(s: Table, title: str, unit: str, rule: str, holder: int | None, counted: Mapping[int, int]) -> int | None:
    """BN-33, BN-34, BN-A16: return who alone has the most, and holds it; a tie sends it back to the bank."""
    most, leader = some(max(counted.values()), unit), sole(counted)
    if leader != holder:
        text = say("The {award} award goes back to the bank: a tie at {points}.", award=title, points=most)
        if leader:
            text = say("Seat {seat} takes the {award} award with {points}.", seat=leader, award=title, points=most)
        tell(s, text, rule=rule, kind="award", award=title, seat=leader)
    return leader


def sole(counted: Mapping[int, int]) -> int | None:
    """Return who alone has the most."""
    most = max(counted.values())
    leaders = [seat for seat, count in counted.items() if count == most]
    return None if leaders[1:] else leaders[0]


def by_points(s: Table) -> bool:
    """BN-H05, BN-A13: return whether bonus and penalty cards count for the Market Leader."""
    return bool(s.setup.options["market_award"] == "points")


def marketing_points(s: Table, company: Company) -> int:
    """BN-33, BN-A14: return marketers and bonus cards less penalties, at least 0; the award does not count."""
    if not company.bonus:
        return company.marketers
    return max(0, company.marketers + sum(bonus_points(s, face) for face in company.bonus))


def bonus_points(s: Table, face: str) -> int:
    """BN-31: return the marketing points that a campaign adds, or Bad Press takes."""
    points: int = about(s, face).get("points", 0)
    return -points if about(s, face)["kind"] == "press" else points


def unit_price(tech: int, *, leads: bool) -> int:
    """BN-48, BN-34: return the price of tech points, ten more for the Tech Leader, rounded down to tens."""
    return (tech + (LEADER_TECH if leads else 0)) // PRICE_STEP * PRICE_STEP


# --- Business ----------------------------------------------------------------------------------------


async def business(s: Table) -> None:
    """BN-44 to BN-50: four steps, each done by everybody before the next."""
    t = s.table
    t.rolls = {}
    for seat in clockwise(s.seats, t.first_player or 0):
        await salaries(s, seat)
    t.turn = None
    earn(s)
    gain_tech(s)
    return_bonus(s)


async def salaries(s: Table, seat: int) -> None:
    """BN-44 to BN-47: paid before any income. Who was short of cash may lay off and borrow first (BN-46a, BN-A21)."""
    company = s.seats[seat]
    s.phase, s.table.turn = "salaries", seat
    if company.cash < company.salary:
        while True:
            salary = money(company.salary)
            others = say("Seat {seat} is short of cash for {salary} in salaries.", seat=seat, salary=salary)
            answer = await ask(s, seat, partial(salary_moves, company), partial(paying_words, company), others)
            if answer.move == "pay":
                break
            lay_off(s, seat, answer["employees"])
    s.table.receipts.append(Receipt(seat, company.salary))
    if company.salary:
        pay(
            s, seat, company.salary, "BN-44",
            say("Seat {seat} pays {salary} in salaries.", seat=seat, salary=money(company.salary)),
            salary_words(company),
        )  # fmt: skip


def salary_moves(company: Company) -> list[Move]:
    """BN-46: return to lay off any employees, and to pay those who are kept."""
    staffed = employees(company)
    offs = [offer("lay_off", employees=Choose(staffed, 1, len(staffed)))] if staffed else []
    return offs if refuse_pay(company) else [*offs, offer("pay")]


def refuse_pay(company: Company) -> Refusal | None:
    """BN-46a: return why salaries cannot be paid within the debt limit; None if they can."""
    if company.salary <= company.power:
        return None
    return Refusal(paying_words(company), "BN-X19")


def explain_salary(s: Table, seat: int, move: str) -> Refusal:
    """BN-45, BN-46, BN-46a: return why nobody is laid off now, or nobody paid."""
    company = s.seats[seat]
    if s.phase != "salaries" or seat != s.table.turn:
        return Refusal("You can lay people off only when salaries are due and you are short of cash.", "BN-X19")
    if move == "pay" and (refused := refuse_pay(company)):
        return refused
    return Refusal("Choose from your own employees, each card once.", "BN-X19")


def employees(company: Company) -> list[str]:
    """BN-46: return all who could be laid off, the dearest first."""
    return ["LAW"] * company.lawyers + ["ENG"] * company.engineers + ["MKT"] * company.marketers


def lay_off(s: Table, seat: int, faces: list[str]) -> None:
    """BN-46: the cards go to the deck."""
    for face in faces:
        staff(s.seats[seat], face, -1)
        s.table.discards.append(face)
    text = say("Seat {seat} lays off: {cards}.", seat=seat, cards=listed((name(s, face) for face in faces), ","))
    tell(s, text, rule="BN-46", kind="lay_off", seat=seat, employees=faces)
    judge(s)


def earn(s: Table) -> None:
    """BN-48, BN-A14: everybody's product sales and contracts, from the bank, of one and the same moment."""
    for slip in s.table.receipts:
        company = s.seats[slip.seat]
        slip.price, slip.units, slip.contracts = company.price, company.units, CONTRACT * company.contracts
        slip.earnings = earned = company.earnings
        collect(
            s, slip.seat, earned, "BN-48",
            say("Seat {seat} earns {amount}: {sum}.", seat=slip.seat, amount=money(earned), sum=slip.sum), slip.sum,
        )  # fmt: skip


def gain_tech(s: Table) -> None:
    """BN-49: two tech points for each engineer that is left."""
    for slip in s.table.receipts:
        engineers = s.seats[slip.seat].engineers
        slip.tech = TECH_GAIN * engineers
        if engineers:
            add_tech(
                s, slip.seat, slip.tech, "BN-49",
                say("{points} x {engineers}", points=TECH_GAIN, engineers=some(engineers, "engineer")),
            )  # fmt: skip
    judge(s)


def return_bonus(s: Table) -> None:
    """BN-50: bonus and penalty cards go back to the deck, and the awards are judged without them."""
    for company in s.seats.values():
        s.table.discards += company.bonus
        company.bonus = []
    judge(s)


def round_limit(s: Table) -> None:
    """BN-H08, BN-51: the next round, or at an agreed last one the fewest IOUs win, then the most cash."""
    if s.round != s.setup.options["round_limit"]:
        return
    best = min((company.ious, -company.cash) for company in s.seats.values())
    winners = [seat for seat, company in s.seats.items() if (company.ious, -company.cash) == best]
    level = [seat for seat, company in s.seats.items() if company.ious == best[0]]
    rounds, seats, ious = some(s.round, "round"), seats_words(winners), some(best[0], "IOU")
    reason = say_count(
        "After {rounds}, {seats} has the fewest IOUs: {ious}.", "After {rounds}, {seats} have the fewest IOUs: {ious}.",
        len(winners), rounds=rounds, seats=seats, ious=best[0],
    )  # fmt: skip
    if level[1:]:
        reason = say_count(
            "After {rounds}, {seats} wins the tie at {ious} with the most cash, {cash}.",
            "After {rounds}, {seats} win the tie at {ious} with the most cash, {cash}.",
            len(winners), rounds=rounds, seats=seats, ious=ious, cash=money(-best[1]),
        )  # fmt: skip
    win(s, winners, "BN-H08", reason)


def win(s: Table, winners: list[int], rule: str, reason: str) -> None:
    """BN-02: the game stops here, in the middle of whatever it was; the IOUs left are what is compared."""
    s.phase, s.table.turn = "over", None
    raise Won(winners, {seat: company.ious for seat, company in s.seats.items()}, reason, rule=rule)


# --- Loans, money and points -------------------------------------------------------------------------


def standing(s: Table, seat: int) -> Sequence[Move]:
    """BN-07, BN-08, BN-A02: return loans of $100 up to six IOUs, at any time but in a freeze, on turn or not.

    BN-H12: whoever is to play a printed card may also say what is printed as its cost.
    """
    loans = LOANS[0 if frozen(s) else MOST_IOUS - s.seats[seat].ious]
    return (*loans, *printed_cost(s)) if is_printed(s.setup) and on_turn(s, seat) else loans


def on_turn(s: Table, seat: int) -> bool:
    """BN-15: return whether a player may play a card now."""
    return s.phase == "play" and s.table.turn == seat


def printed_cost(s: Table) -> list[Move]:
    """BN-H12: return the move that says what is printed as the cost of a card."""
    priced = [face for face, card in s.setup.data["cards"].items() if "cost" in card]
    return [offer("printed_cost", card=OneOf(priced), cost=Amount(0, MOST_COST, 5))] if priced else []


def frozen(s: Table) -> bool:
    """BN-A02: return whether the first player roll has begun, or the first trial roll is made (unless BN-H07 is off)."""
    return bool(s.table.rolls) and (
        s.phase == "first_player" or (s.phase == "trial" and s.setup.options["trial_borrow_freeze"])
    )


def explain_cost(s: Table, seat: int) -> Refusal:
    """BN-H12: return why a printed cost is not taken."""
    if not is_printed(s.setup):
        return Refusal("That works only with printed cards.", "BN-H12")
    if not on_turn(s, seat):
        return Refusal("The player whose turn it is enters the cost.", "BN-H12")
    text = say(
        "Name a card that has a cost, and a cost of up to {most} in steps of {step}.", most=money(MOST_COST),
        step=money(STEP),
    )  # fmt: skip
    return Refusal(text, "BN-H12")


def explain_loan(s: Table, seat: int, amount: object) -> Refusal:
    """BN-07, BN-08, BN-A02: return why a loan cannot be had."""
    if type(amount) is not int:
        return Refusal("Enter the amount in whole dollars.", "FORM")
    if amount <= 0 or amount % LOAN:
        return Refusal(say("Loans come in steps of {step}.", step=money(LOAN)), "BN-X02")
    if frozen(s):
        return Refusal("Wait until the roll is complete.", "BN-X03")
    more = money(LOAN * (MOST_IOUS - s.seats[seat].ious))
    text = say("The debt limit is {limit}: you can borrow {more} more.", limit=money(DEBT_LIMIT), more=more)
    return Refusal(text, "BN-X01")


def stand(s: Table, seat: int, answer: Answer) -> None:
    """BN-07: the loan is taken. BN-H12: the printed cost counts from now on."""
    if answer.move == "borrow":
        borrow(s, seat, answer["amount"], "BN-07")
    elif isinstance(s.table, PrintedBank):
        face, cost = answer["card"], answer["cost"]
        s.table.costs[face] = cost
        text = say(
            "Seat {seat} enters a printed cost: {card} costs {cost}.", seat=seat, card=a_card(s, face),
            cost=money(cost),
        )  # fmt: skip
        tell(s, text, rule="BN-H12", kind="cost", seat=seat, card=face, cost=cost)


def borrow(s: Table, seat: int, amount: int, rule: str) -> None:
    """BN-07, BN-08: cash from the bank, and as many IOUs of $100."""
    company, ious = s.seats[seat], amount // LOAN
    collect(
        s, seat, amount, rule, say("Seat {seat} borrows {amount}.", seat=seat, amount=money(amount)),
        say("{amount} x {ious}", amount=money(LOAN), ious=some(ious, "IOU")),
    )  # fmt: skip
    was, company.ious = company.ious, company.ious + ious
    changed(
        s, seat, "ious", was, rule, say("Seat {seat} has {ious}.", seat=seat, ious=some(company.ious, "IOU")),
        f"{was} + {ious} = {company.ious}",
    )  # fmt: skip


def pay(
    s: Table, seat: int, amount: int, rule: str, text: str, how: str, to: int | None = None, card: str = ""
) -> None:
    """BN-09, BN-28: at once and in full, borrowing the least that covers it; to another player, or to the bank.

    `card` is what it is paid for, where everybody sees it.
    """
    company = s.seats[seat]
    if (short := amount - company.cash) > 0:
        borrow(s, seat, -(-short // LOAN) * LOAN, "BN-09")
    company.cash -= amount
    changed(s, seat, "cash", company.cash + amount, rule, text, how, to, card)
    if to:
        collect(
            s, to, amount, rule,
            say("Seat {seat} gets {amount} from Seat {payer}.", seat=to, amount=money(amount), payer=seat), how, seat,
            card,
        )  # fmt: skip


def collect(
    s: Table, seat: int, amount: int, rule: str, text: str, how: str, of: int | None = None, card: str = ""
) -> None:
    """Give cash to a player, from another player or the bank; `card` as in `pay`."""
    company = s.seats[seat]
    company.cash += amount
    changed(s, seat, "cash", company.cash - amount, rule, text, how, of, card)


def add_tech(s: Table, seat: int, points: int, rule: str, how: str, card: str = "") -> None:
    """Give tech points to a player, or take them; `card` is what they come of."""
    company = s.seats[seat]
    company.tech += points
    text = say("Seat {seat} gains {points}.", seat=seat, points=some(points, "tech point"))
    if points < 0:
        text = say("Seat {seat} loses {points}.", seat=seat, points=some(-points, "tech point"))
    changed(s, seat, "tech", company.tech - points, rule, text, how, None, card)


def changed(
    s: Table, seat: int, what: str, was: int, rule: str, text: str, how: str, other: int | None = None, card: str = ""
) -> None:
    """Tell a change of money or points with its sum, with whom it was, if not with the bank, and for which card."""
    data = reckoned(seat, what, was, getattr(s.seats[seat], what), how)
    beside = {"other": other} if other else {}
    tell(s, text, rule=rule, kind=what, **data, **beside, **({"card": card} if card else {}))


def fives(amount: int) -> int:
    """Round down to a multiple of $5."""
    return amount - amount % STEP


# --- Cards and employees -----------------------------------------------------------------------------


def hand(s: Table, seat: int) -> list[str]:
    """Return the cards of a hand."""
    return s.seats[seat].hand.value


def faces_of(s: Table, seat: int) -> list[str]:
    """Return what may be named of a hand, each face once.

    BN-H11: an unknown card may be any of which not all lie open, in the workplaces and among the discards.
    """
    faces = distinct(hand(s, seat))
    if UNKNOWN not in faces:
        return faces
    every = [*event_deck(s.setup), *(face for face in STARTERS for _ in s.seats)]
    seen = list(s.table.discards)
    for company in s.seats.values():
        seen += [*employees(company), *["CON"] * company.contracts, *company.bonus]
    return [*possible(every, seen), *(face for face in faces if face != UNKNOWN)]


def take_out(s: Table, seat: int, face: str) -> str:
    """Take a card from a hand, and return it as it lies there. BN-H11: a printed one that is no Payback is unknown."""
    cards = hand(s, seat)
    taken = face if face in cards else UNKNOWN if UNKNOWN in cards else PAYBACK
    cards.remove(taken)
    return taken


def ious_of(s: Table, seat: int) -> int:
    """BN-10: return the dice of the first player roll."""
    return s.seats[seat].ious


def about(s: Table, face: str) -> CardFacts:
    """Return what the data file says of a card. BN-H12: with the printed cost, if somebody has said it."""
    card: CardFacts = s.setup.data["cards"][face]
    if isinstance(s.table, PrintedBank) and face in s.table.costs:
        return {**card, "cost": s.table.costs[face]}
    return card


def distinct(faces: Sequence[str]) -> list[str]:
    """Return each face once, in order of appearance."""
    return list(dict.fromkeys(faces))


def staff(company: Company, face: str, by: int) -> None:
    """BN-29: an auction card comes to a workplace, or leaves it."""
    match face:
        case "ENG":
            company.engineers += by
        case "MKT":
            company.marketers += by
        case "LAW":
            company.lawyers += by
        case "CON":
            company.contracts += by


def throw_away(s: Table, face: str) -> None:
    """BN-12, BN-23: a card is discarded, face up; a Payback card goes to its own deck."""
    if face != PAYBACK:
        s.table.discards.append(face)


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: BN-X01 to BN-X22."""
    seat, move, t = action.seat, action.move, s.table
    if s.phase == "over":
        winner = next((seat for seat, one in s.seats.items() if not one.ious), None)
        text = say("Game over: the last round has been played.")
        if winner:
            text = say("Game over: Seat {seat} has no IOUs.", seat=winner)
        return Refusal(text, "BN-X21")
    if move == "roll":
        return explain_roll(s, seat)
    if seat == CHANCE:
        return None
    if s.phase == LAY_OUT:
        return Refusal("The cards must be laid out first.", "BN-X04")
    if seat not in s.seats:
        return Refusal(say("There is no seat {seat} in this match.", seat=seat), "FORM")
    match move:
        case "borrow":
            return explain_loan(s, seat, action.args.get("amount"))
        case "printed_cost":
            return explain_cost(s, seat)
        case "discard":
            return explain_discard(s, seat, action.args.get("card"))
        case "bid" | "drop":
            return explain_bid(s, seat, action)
        case "demand" | "trial" | "accept" | "counter" | "reject":
            return explain_talk(s, seat, action)
        case "lay_off" | "pay":
            return explain_salary(s, seat, move)
        case "laid_out" | "dealt" | "payback_away" if s.phase != "deal":
            return Refusal("The cards have already been dealt.", "BN-H11")
    if t.lawsuit and seat == t.lawsuit.plaintiff and "amount" in action.args:
        return Refusal("The stake is fixed.", "BN-X15")
    if s.phase == "play" and s.seats[seat].hand_size <= KEPT:
        return Refusal("With two cards or fewer, you must pass.", "BN-X05")
    if seat != t.turn:
        return Refusal(
            say("It is Seat {seat}'s turn.", seat=t.turn) if t.turn else say("Everybody discards one card now."),
            "BN-X04",
        )
    if s.phase != "play":
        return Refusal("Answer the open question first.", "BN-X04")
    return explain_card(s, seat, action) if move in CARD_MOVES else None


# --- For screens -------------------------------------------------------------------------------------


def wished(s: Table, seat: int) -> list[Action]:
    """Return what a player may look for in vain: each card to be played, a counter, the pay that cannot be raised."""
    match s.phase:
        case "play":
            return [play_of(s, seat, face) for face in faces_of(s, seat)]
        case "settlement" if s.table.lawsuit and s.table.lawsuit.offers:
            return [Action(seat=seat, move="counter")]
        case "salaries":
            return [Action(seat=seat, move="pay")]
    return []


def play_of(s: Table, seat: int, face: str) -> Action:
    """Return the play of a card, whatever else it wants; BN-H11: a printed Payback is a move of its own."""
    if face == PAYBACK and is_printed(s.setup):
        return Action(seat=seat, move="pay_back")
    return Action(seat=seat, move="play", args={"card": face})


def notes(s: Table, seat: int) -> dict[str, dict[str, str]]:
    """Return what stands beside a value.

    BN-21: beside a card what it costs to play. BN-46, BN-48: beside each employee who could be laid off what that saves now,
    and costs in earnings.
    """
    company = s.seats[seat]
    if s.phase == "play" and seat == s.table.turn:
        costs = {face: about(s, face).get("cost") for face in faces_of(s, seat)}
        return {"card": {face: say("{cost} to play", cost=money(cost)) for face, cost in costs.items() if cost}}
    if s.phase != "salaries" or seat != s.table.turn:
        return {}
    return {"employees": {face: layoff_words(s, seat, face) for face in distinct(employees(company))}}


def layoff_words(s: Table, seat: int, face: str) -> Text:
    """Return what one layoff does: "saves $10, earns $20 less", awards that are lost by it counted."""
    company = s.seats[seat]
    kept = replace(company)
    staff(kept, face, -1)
    kept.marketing = marketing_points(s, kept)
    rivals = {other: one.marketing if by_points(s) else one.marketers for other, one in s.seats.items()}
    rivals[seat] = kept.marketing if by_points(s) else kept.marketers
    kept.units = kept.marketing + (LEADER_UNITS if sole(rivals) == seat else 0)
    salary = money(company.salary - kept.salary)
    if face == "ENG":
        return say("saves {salary}, gains {count} fewer tech points", salary=salary, count=TECH_GAIN)
    if face == "LAW":
        return say("saves {salary}, rolls one die less in court", salary=salary)
    if less := company.earnings - kept.earnings:
        return say("saves {salary}, earns {less} less", salary=salary, less=money(less))
    return say("saves {salary}, earns the same", salary=salary)


def damages_words(of: str, stake: int) -> Text:
    """Return what is at stake: "$80", "2 marketers", "8 tech points"."""
    return money(stake) if of == "cash" else some(stake, "marketer" if of == "marketers" else "tech point")


def marketing_words(s: Table, company: Company) -> Text:
    """Return how marketing points were counted: "2 marketers + 2 - 1"."""
    points = [bonus_points(s, face) for face in company.bonus]
    signed = [f"{'-' if point < 0 else '+'} {abs(point)}" for point in points if point]
    counted = some(company.marketers, "marketer")
    return say("{marketers} {points}", marketers=counted, points=" ".join(signed)) if signed else counted


def salary_words(company: Company) -> Text:
    """Return how salaries were reckoned: "2 marketers $20, 1 engineer $10, 2 lawyers $40"."""
    text = [
        (company.marketers, "marketer", WAGE * company.marketers),
        (company.engineers, "engineer", WAGE * company.engineers),
        (company.lawyers, "lawyer", WAGE * company.lawyers**2),
    ]
    paid = [
        say("{employees} {wages}", employees=some(count, what), wages=money(wages))
        for count, what, wages in text
        if count
    ]
    return listed(paid, ",") if paid else say("no employees")


def paying_words(company: Company) -> Text:
    """Return what a player is asked who is short of cash for salaries."""
    salary, cash, most = money(company.salary), money(company.cash), money(company.power)
    if company.salary <= company.cash:
        return say("Salaries are {salary} and you have {cash}: pay, or lay off more people.", salary=salary, cash=cash)
    if company.salary <= company.power:
        return say(
            "Salaries are {salary} and you have {cash}: pay with a loan, or lay people off.", salary=salary, cash=cash
        )
    return say("Salaries are {salary}, but you can raise only {most}: lay people off.", salary=salary, most=most)


def bidding_words(s: Table, seat: int) -> Text:
    """Return what a bidder is asked."""
    lot = s.table.auction
    assert lot is not None
    card = name(s, lot.card)
    whom = say("Seat {seat}", seat=lot.seller) if seat != lot.seller else say("the bank")
    want = say("Open the bidding for the {card}, or drop out. You'd pay {whom}.", card=card, whom=whom)
    if lot.bid:
        bid = money(lot.bid)
        want = say("Beat {bid} for the {card}, or drop out. You'd pay {whom}.", bid=bid, card=card, whom=whom)
    power, due = s.seats[seat].power, salary_with(s.seats[seat], lot.card)
    if not least_bid(lot) <= power < least_bid(lot) + due + LOAN:
        return want
    warning = say(
        "Above {most}, you couldn't pay your salaries of {salary}.", most=money(max(0, power - due)), salary=money(due)
    )
    return say("{question} {warning}", question=want, warning=warning)


def salary_with(company: Company, face: str) -> int:
    """BN-44: return the salaries of a workplace that has won this card."""
    won = replace(company)
    staff(won, face, 1)
    return won.salary


def name(s: Table, face: str) -> str:
    """Return a card in words."""
    return str(about(s, face)["name"])


def a_card(s: Table, face: str) -> Text:
    """Return a card in words with its article: "a Marketer", "an Engineer"; "an Event card" where only people see which."""
    if face == UNKNOWN:
        return say("an Event card")
    card = name(s, face)
    return say("an {card}", card=card) if card[0] in "AEIO" else say("a {card}", card=card)


def some(number: int, what: str) -> Text:
    """Return a number of things: "1 IOU", "2 IOUs"."""
    return say_count(*dict(COUNTED)[what], number)


def shared_words(s: Table, by_seat: Mapping[int, str], between: str) -> Text:
    """Return what seats have in common, said once: "6 each", "2 for Seat 1, 3 for the others", "3 by all the others"."""
    alike: dict[str, list[int]] = {}
    for seat, one in by_seat.items():
        alike.setdefault(one, []).append(seat)
    whose: dict[str, Text] = {
        one: seats_words(seats) for one, seats in sorted(alike.items(), key=lambda item: len(item[1]))
    }
    if len(by_seat) == len(s.seats):
        if len(whose) == 1:
            return say("{cards} each", cards=next(iter(whose)))
        if len(alike[last := next(reversed(whose))]) > 1:
            # Languages decline the two differently.
            whose[last] = say("the others") if between == "to" else say("all the others")
    if between == "to":
        return listed((say("{cards} for {seats}", cards=one, seats=seats) for one, seats in whose.items()), ",")
    return listed((say("{cards} by {seats}", cards=one, seats=seats) for one, seats in whose.items()), ",")
