"""BID*IT! by Andy and Sara Ellen Daniel: bid on how many 5's are in all hands together.

Read `play` first: it is the table of contents. Each function below it names its rules (BT-..). What may be done stands next
to the act: `refuse_...` gives the reason against it, or None, and `explain_...` the words for an action that is not offered.
A card is named by its one or two symbols, a star is "*"; which cards there are is in `data/bid_it.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from hub.engine.decision import (
    CHANCE,
    Action,
    Amount,
    Answer,
    Choose,
    Move,
    OneOf,
    Param,
    Reckoned,
    Won,
    ask,
    ask_all,
    offer,
    reckoned,
    shuffle,
    starter,
    tell,
)
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.printed import LAY_OUT, UNKNOWN, is_printed, lay_out
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, listed, say, say_count, seats_words
from hub.errors import BadCard, StartRefused

RANKS = (1, 2, 3, 4, 5, 6)
STAR = "*"  # BT-18: it counts as any rank
SYMBOLS = "123456*"  # in the order in which they are written on a card
HIGHEST = 99  # BT-17: the largest quantity that can be bid
MOST_COPIES = 99  # BT-V06: of one card in an owner's list
ONE_CARD = (
    1  # BT-33: Deal cards at stake before any Double; also after a Surrender (BT-47) and for a wrong side (BT-51)
)
DOUBLED, REDOUBLED = 2, 3  # BT-44, BT-46: Deal cards at stake after a Double and a Redouble
CALLS = ("challenge", "perfecto", "double", "redouble", "surrender", "pass")
CALL_NAMES = (
    ("challenge", say("Challenge")),
    ("perfecto", say("Perfecto")),
    ("double", say("Double")),
    ("redouble", say("Redouble")),
    ("surrender", say("Surrender")),
)
SIDES = (("bidder", say("bidder")), ("caller", say("caller")))  # BT-04
ADVANCED_CALLS = ("double", "redouble", "surrender")
NEEDS = (
    ("redouble", "double"),
    ("surrender", "double"),
    ("redouble", "open_calls"),
    ("surrender", "open_calls"),
    ("sidesteps", "open_calls"),
)
"""BT-V02: parts of the advanced rules, and the part that each cannot be played without."""
NUMBERS = (
    say("one"), say("two"), say("three"), say("four"), say("five"), say("six"), say("seven"), say("eight"), say("nine"),
    say("ten"), say("eleven"), say("twelve"),
)  # fmt: skip


@dataclass(slots=True)
class Bid:
    """BT-14: at least `quantity` symbols of `rank` among all hands in play, says `seat`."""

    quantity: int
    rank: int
    seat: int


@dataclass(slots=True)
class Call:
    """The last call on the bid: challenge, perfecto, double, redouble or surrender."""

    kind: str
    seat: int

    @property
    def name(self) -> str:
        """What it is called."""
        return dict(CALL_NAMES)[self.kind]


@dataclass(slots=True)
class Count:
    """What the last showdown counted: public until the next bid."""

    rank: int
    quantity: int
    total: int
    by_seat: dict[int, int]
    winner: int


@dataclass(slots=True)
class Shown:
    """A hand as it was shown at the last showdown: how many of its symbols counted, and the cards that are on."""

    seat: int
    cards: list[str]
    counted: int
    lit: list[str]


@dataclass(slots=True)
class Gone:
    """How often a symbol lies among the discards."""

    symbol: str
    count: int


@dataclass(slots=True)
class Middle:
    """The middle of the table. BT-08: all of it is public but the deck's order.

    `first` bids first in this round; `former` are the bids before the standing one; `caller` called the standing bid;
    `call` is the last call of the chain, and `passed` who has passed since; `against` is the party that the last Double
    or Redouble was made against; `stake` is in Deal cards.
    """

    deck: Pile[str]
    discards: list[str]
    hand: int
    game: int = 0
    first: int | None = None
    turn: int | None = None
    in_play: int = 0
    bid: Bid | None = None
    former: list[Bid] = field(default_factory=list)
    drawn: bool = False
    call: Call | None = None
    caller: int | None = None
    perfecto: bool = False
    stake: int = ONE_CARD
    against: int | None = None
    surrendered: int | None = None
    passed: list[int] = field(default_factory=list)
    count: Count | None = None
    shown: list[Shown] = field(default_factory=list)

    @property
    def gone(self) -> list[Gone]:
        """BT-08: what is discarded is public: symbol by symbol."""
        symbols = "".join(self.discards)
        return [Gone(symbol.replace(STAR, "★"), often) for symbol in SYMBOLS if (often := symbols.count(symbol))]


class NoTally(Middle):
    """BT-V08: the middle of a table that remembers for itself what was discarded."""

    __slots__ = ()

    @property
    def gone(self) -> list[Gone]:
        """BT-V08: no tally is shown."""
        return []


@dataclass(slots=True)
class Player:
    """A player: Deal cards face up, the hand, which nobody else sees (BT-65), and what of it lies exposed."""

    deal_cards: int
    hand: Secret[list[str]]
    exposed: list[str]
    team: str = ""
    points: int = 0
    side: Secret[str] | str | None = None
    locked: bool = False

    @property
    def hand_size(self) -> int:
        """BT-08: how many cards a hand has is public; exposed cards are part of it (BT-56)."""
        return len(self.hand.value)

    @property
    def out(self) -> bool:
        """BT-35: no Deal card is left."""
        return not self.deal_cards

    @property
    def last_chance(self) -> bool:
        """BT-36: one Deal card is left."""
        return self.deal_cards == 1


@dataclass(slots=True)
class PrintedPlayer(Player):
    """BT-V10: a player who holds printed cards, and says how many symbols of them count; sealed until all have."""

    symbols: Secret[int] | None = None


Table: TypeAlias = State[Player, Middle]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """BT-05 to BT-38: rounds of dealing, bidding, taking sides and a showdown. BT-63: game after game of a match."""
    await first_bidder(s)
    while True:
        await new_game(s)
        while len(parties(s)) > 1:
            await deal_hands(s)
            await bidding(s)
            await take_sides(s)
            losses = showdown(s, await count_hands(s))
            await lose_cards(s, losses)


def deal(setup: Setup) -> Table:
    """BT-01, BT-02, BT-04, BT-V01: return the players, each with their Deal cards. BT-V02: check the advanced parts.

    BT-13: with cards enough. Refuse what cannot be (BT-X14, BT-X16).
    """
    options, people = setup.options, len(setup.seats)
    for part, needed in NEEDS:
        if options[part] and not (options[needed] or options["advanced"]):
            option, other = (name.replace("_", " ").capitalize() for name in (part, needed))  # as the lobby calls them
            raise StartRefused(say("{option} works only together with {needed}.", option=option, needed=other))
    teams, size = (0, people) if options["teams"] == "none" else map(int, options["teams"].split("x"))
    if teams and people != teams * size:
        text = say(
            "Teams of {teams} need {needed} players, not {count}.", teams=options["teams"], needed=teams * size,
            count=people,
        )  # fmt: skip
        raise StartRefused(text)
    hand = setup.data["hand"][str(people)]
    if (cards := len(deck_of(setup.data))) < hand * people:
        text = say(
            "The deck has {cards} cards, and {count} players need {needed}.", cards=cards, count=people,
            needed=hand * people,
        )  # fmt: skip
        raise StartRefused(text)
    player = PrintedPlayer if is_printed(setup) else Player
    seats = {
        # BT-64, BT-V04: teams by turns round the table, so that teammates never sit side by side
        seat: player(hand, Secret([], (seat,)), [], "ABC"[place % teams] if teams else "")
        for place, seat in enumerate(setup.seats)
    }
    middle = Middle if options["tally"] and not is_printed(setup) else NoTally
    return Table(setup=setup, seats=seats, table=middle(Pile([]), [], hand), phase="setup")


def check(data: Mapping[str, Any]) -> None:
    """BT-X16: whether the deck is one."""
    deck_of(data)


def deck_of(data: Mapping[str, Any]) -> list[str]:
    """BT-V06: return the cards of the data file or of an owner's list, with their copies. Raise BadCard."""
    deck: list[str] = []
    for card, about in data["cards"].items():
        if not 1 <= len(card) <= 2:
            raise BadCard(f"{card!r} has {len(card)} symbols: a card has one or two.", card)
        for symbol in card:
            if symbol not in (*map(str, RANKS), STAR):
                raise BadCard(f"{card!r} has the symbol {symbol!r}: there are 1 to 6 and {STAR}.", card)
        if card != (usual := "".join(sorted(card, key=SYMBOLS.index))):
            raise BadCard(f"{card!r} is written {usual!r}: the lower number first, a star last.", card)
        copies = about.get("copies") if isinstance(about, dict) else None
        if type(copies) is not int or not 0 <= copies <= MOST_COPIES:
            raise BadCard(f"{card!r} must say copies, a number from 0 to {MOST_COPIES}.", card)
        deck += [card] * copies
    return deck


async def first_bidder(s: Table) -> None:
    """BT-09, BT-V07: chance says who bids first in round 1, unless the table has."""
    s.table.first = await starter(s, "first", list(s.seats), "first")


async def new_game(s: Table) -> None:
    """BT-02, BT-03, BT-05, BT-63, BT-V03: all are back with their Deal cards face up, and all cards are shuffled."""
    t = s.table
    t.game += 1
    before = {seat: player.deal_cards for seat, player in s.seats.items()}
    for player in s.seats.values():
        player.deal_cards = t.hand
    if s.setup.options["match"]:
        again = is_printed(s.setup) and t.game > 1
        text = (
            say("Game {game} begins: shuffle all cards.", game=t.game)
            if again
            else say("Game {game} begins.", game=t.game)
        )
        tell(s, text, rule="BT-63", kind="game", game=t.game)
    for seat, had in before.items():
        if t.game > 1:
            text = say("Seat {seat} has {count} Deal cards again.", seat=seat, count=t.hand)
            tell(
                s, text, rule="BT-63", kind="deal_cards", **reckoned(seat, "deal_cards", had, t.hand, say("a new game"))
            )
    t.discards, t.deck.cards = [], []
    if not is_printed(s.setup):
        t.deck.cards = await shuffle(s, deck_of(s.setup.data), "deck")
    elif t.game == 1:
        want = say("Shuffle the cards, and put {count} Deal cards in front of each player.", count=t.hand)
        await lay_out(s, first_of(s), want)


# --- Dealing -----------------------------------------------------------------------------------------


async def deal_hands(s: Table) -> None:
    """BT-06, BT-07, BT-36: one card at a time, from the first bidder on; at Last Chance a full hand."""
    t = s.table
    s.round, s.phase = s.round + 1, "again" if t.count else "first"
    t.bid, t.former, t.drawn = None, [], False
    cancel_calls(s)
    order = clockwise(living(s), first_of(s))
    due = {seat: t.hand if s.seats[seat].last_chance else s.seats[seat].deal_cards for seat in order}
    for card in range(t.hand):
        for seat in order:
            if card < due[seat]:
                s.seats[seat].hand.value.append(await next_card(s))
    t.in_play = sum(due.values())
    t.turn = order[0]
    text = say("{count} cards are dealt. Seat {seat} bids first.", count=t.in_play, seat=order[0])
    if is_printed(s.setup):
        text = say("Deal: {cards}. Seat {seat} bids first.", cards=deal_words(due), seat=order[0])
    kind = "lay" if is_printed(s.setup) else "deal"
    tell(s, text, rule="BT-06", kind=kind, round=s.round, first=order[0])


async def next_card(s: Table) -> str:
    """BT-10, BT-11: the top card. The moment the deck is used up, all discards make a new one. BT-V10: people see to it."""
    t = s.table
    if is_printed(s.setup):
        return UNKNOWN
    await reshuffle(s)  # the deck may have run out when there were no discards yet
    card = t.deck.cards.pop(0)
    await reshuffle(s)
    return card


async def reshuffle(s: Table) -> None:
    """BT-10: never early; a player's own discards of this draw are among them (BT-11)."""
    t = s.table
    if not t.deck.cards and t.discards:
        discards, t.discards = t.discards, []
        t.deck.cards = await shuffle(s, discards, "deck")
        tell(
            s, "The deck has run out, so the discards are shuffled.", rule="BT-10", kind="shuffle", cards=len(discards)
        )


# --- Bidding -----------------------------------------------------------------------------------------


async def bidding(s: Table) -> None:
    """BT-24, BT-42: turn by turn, clockwise; until a call ends it, or all others have passed after one."""
    t = s.table
    seat = first_of(s)
    while not bidding_ended(s):
        t.turn = seat
        await turn(s, seat)
        seat = clockwise(living(s), seat + 1)[0]
    t.turn = None


def bidding_ended(s: Table) -> bool:
    """BT-22, BT-23: return whether a call was made. BT-41, BT-42: with open calls, whether all others have passed."""
    t = s.table
    return t.call is not None and (not has(s, "open_calls") or len(t.passed) == len(living(s)) - 1)


async def turn(s: Table, seat: int) -> None:
    """BT-20 to BT-23, BT-40, BT-41, BT-59: one action: a bid, a draw and a bid, a call, or a pass."""
    answer = await ask(s, seat, turn_moves(s, seat), wanted(s, seat), wanted_of(s, seat))
    match answer.move:
        case "draw" | "swap":
            await draw(s, seat, answer.args.get("cards", []))
            want = say("Bid higher than {bid}.", bid=bid_text(s))
            others = say("Seat {seat} drew cards and must bid higher than {bid}.", seat=seat, bid=bid_text(s))
            make_bid(s, seat, await ask(s, seat, bids(s, seat), want, others))
        case "bid":
            make_bid(s, seat, answer)
        case "pass":
            s.table.passed.append(seat)
            tell(s, "Seat {seat} passes.", rule="BT-52", kind="pass", seat=seat)
        case kind:
            make_call(s, seat, kind)


def turn_moves(s: Table, seat: int) -> list[Move]:
    """BT-20 to BT-23, BT-40, BT-41: return what the player on turn may do: bid, call, draw or pass."""
    *calls, last = [[] if refuse_call(s, seat, call) else [offer(call)] for call in CALLS]
    return [*bids(s, seat), *chain.from_iterable(calls), *draws(s, seat), *last]


def must_bid(s: Table) -> Refusal | None:
    """BT-20, BT-21: return why only a bid is in order: it is the first of the round, or cards were drawn; or None."""
    if s.table.bid is None:
        return Refusal("The first player must bid.", "BT-X04")
    return Refusal("After drawing, you must bid higher.", "BT-X06") if s.table.drawn else None


# --- A bid, and a sidestep ---------------------------------------------------------------------------


def make_bid(s: Table, seat: int, answer: Answer) -> None:
    """BT-14, BT-43: a bid cancels the former bid and every call on it. BT-55, BT-72: a sidestep shows a card."""
    t = s.table
    if is_sidestep(s, seat):
        card = answer.args.get("expose", UNKNOWN)
        s.seats[seat].exposed.append(card)
        text = say("Seat {seat} sidesteps and shows a card.", seat=seat)
        if card != UNKNOWN:
            text = say("Seat {seat} sidesteps and shows a {card}.", seat=seat, card=face(s, card))
        tell(s, text, rule="BT-55", kind="expose", seat=seat, card=card)
    t.former += [t.bid] if t.bid else []
    t.bid, t.drawn, t.count, t.shown = Bid(answer["quantity"], answer["rank"], seat), False, None, []
    for player in s.seats.values():
        player.side = None
    cancel_calls(s)
    s.phase = "bid"
    tell(
        s, say("Seat {seat} bids {bid}.", seat=seat, bid=bid_text(s)), rule="BT-20", kind="bid", seat=seat,
        quantity=t.bid.quantity, rank=t.bid.rank,
    )  # fmt: skip


def bids(s: Table, seat: int) -> list[Move]:
    """BT-15, BT-16, BT-17: return the next ranks up, and larger quantities. BT-55: on a sidestep, with a card to show."""
    bid, ranks = s.table.bid, list(RANKS)
    if bid is None:
        return [offer("bid", quantity=Amount(1, HIGHEST), rank=OneOf(ranks))]
    if refuse_sidestep(s, seat):
        return []
    show: dict[str, Param] = {}
    if is_sidestep(s, seat) and not is_printed(s.setup):  # BT-V10: a printed card is shown, not named
        show["expose"] = OneOf(list(dict.fromkeys(covered(s.seats[seat]))))
    moves = []
    if higher := ranks[bid.rank :]:
        moves.append(offer("bid", quantity=bid.quantity, rank=OneOf(higher), **show))
    if bid.quantity < HIGHEST:
        moves.append(offer("bid", quantity=Amount(bid.quantity + 1, HIGHEST), rank=OneOf(ranks), **show))
    return moves


def is_sidestep(s: Table, seat: int) -> bool:
    """BT-55, BT-57: return whether a bid would be over one's own. BT-72: or a teammate's, or one that a teammate called."""
    t = s.table
    if t.bid is None or t.call is None or not has(s, "sidesteps"):
        return False
    return allies(s, seat, t.bid.seat) or (seat != caller_of(s) and allies(s, seat, caller_of(s)))


def refuse_sidestep(s: Table, seat: int) -> Refusal | None:
    """BT-55: return why a player cannot bid over that bid: a card must be shown, and none is left; or None."""
    if is_sidestep(s, seat) and not covered(s.seats[seat]):
        return Refusal("All your cards are exposed, so you can't sidestep.", "BT-X11")
    return None


def explain_bid(s: Table, seat: int, action: Action) -> Refusal:
    """BT-14, BT-15, BT-55: return why a bid is refused: no such numbers, too low, or a sidestep that shows no card."""
    quantity, rank, bid = action.args.get("quantity"), action.args.get("rank"), s.table.bid
    if refused := refuse_sidestep(s, seat):
        return refused
    if type(quantity) is not int or type(rank) is not int or not 1 <= quantity <= HIGHEST or rank not in RANKS:
        return Refusal(say("Bid a quantity from 1 to {most} and a rank from 1 to 6.", most=HIGHEST), "BT-X03")
    if bid and (quantity, rank) <= (bid.quantity, bid.rank):
        text = say("You must beat {bid}: bid more cards.", bid=bid_text(s))
        if bid.rank < RANKS[-1]:
            higher = count_text(bid.quantity, bid.rank + 1)
            text = say("You must beat {bid}: bid more cards, or {higher}.", bid=bid_text(s), higher=higher)
        return Refusal(text, "BT-X02")
    if is_printed(s.setup):
        return Refusal("Don't name a card with a bid. For a sidestep, show a card at the table.", "FORM")
    if not is_sidestep(s, seat):
        return Refusal("This bid is not a sidestep, so don't show a card with it.", "FORM")
    card = action.args.get("expose")
    if card is None:
        return Refusal("This bid is a sidestep: show one of your cards with it.", "BT-X11")
    exposed = card in s.seats[seat].exposed
    return Refusal(say("That card is already exposed.") if exposed else say("You don't have that card."), "BT-X11")


# --- A change of cards -------------------------------------------------------------------------------


async def draw(s: Table, seat: int, cards: list[str]) -> None:
    """BT-21, BT-11: cards are discarded face up, as many are drawn; now there must be a bid. BT-V10: by people."""
    t, hand = s.table, s.seats[seat].hand.value
    for card in cards:
        hand.remove(card)
        t.discards.append(card)
    text = say_count(
        "Seat {seat} swaps 1 card: {cards}.", "Seat {seat} swaps {count} cards: {cards}.", len(cards), seat=seat,
        cards=listed((face(s, card) for card in cards), ","),
    )  # fmt: skip
    if is_printed(s.setup):
        text = say("Seat {seat} swaps cards.", seat=seat)
    tell(s, text, rule="BT-21", kind="draw", seat=seat, cards=list(cards))
    t.drawn, s.phase = True, "drawn"
    for _ in cards:
        hand.append(await next_card(s))


def draws(s: Table, seat: int) -> list[Move]:
    """BT-21, BT-56: return the cards of the hand that may be changed, one or more of them."""
    if refuse_draw(s, seat):
        return []
    if is_printed(s.setup):  # BT-V10: people see which, and how many
        return [offer("swap")] if covered(s.seats[seat]) else []
    cards = [card for card in covered(s.seats[seat]) if not refuse_discard(s, card)]
    return [offer("draw", cards=Choose(cards, 1, len(cards)))] if cards else []


def refuse_draw(s: Table, seat: int) -> Refusal | None:
    """BT-16, BT-17, BT-21, BT-55, BT-58: return why no cards may be changed now, whatever is in the hand; or None."""
    if (refused := must_bid(s)) or s.table.bid is None:
        return refused
    if is_sidestep(s, seat):
        return Refusal("Your bid would be a sidestep, so you can't swap cards first.", "BT-X11")
    if (s.table.bid.quantity, s.table.bid.rank) == (HIGHEST, RANKS[-1]):
        return Refusal("No higher bid is possible, so you can't swap cards.", "BT-X02")
    return None


def refuse_discard(s: Table, card: str) -> Refusal | None:
    """BT-21: return why a card stays: a star, or the rank of the bid, on either half of it; or None."""
    if STAR in card:
        return Refusal(say("You can't swap {card}: stars stay.", card=face(s, card)), "BT-X05")
    if s.table.bid and str(rank := s.table.bid.rank) in card:
        text = say("You can't swap {card}: {rank} is the rank of the bid.", card=face(s, card), rank=rank)
        return Refusal(text, "BT-X05")
    return None


def explain_draw(s: Table, seat: int, action: Action) -> Refusal:
    """BT-21, BT-56: return which card may not be changed, and why."""
    cards, left = action.args.get("cards"), covered(s.seats[seat])
    if action.move == "swap":
        return Refusal("That works only with printed cards.", "BT-V10")
    if is_printed(s.setup):
        return Refusal("Swap printed cards without naming them.", "BT-X05")
    if not isinstance(cards, list) or not cards:
        return Refusal("Name at least one card to swap.", "BT-X05")
    for card in cards:
        if card in left and isinstance(card, str):
            left.remove(card)
            if refused := refuse_discard(s, card):
                return refused
        elif card in s.seats[seat].exposed:
            return Refusal(say("You can't swap {card}: it is exposed.", card=face(s, card)), "BT-X05")
        elif card in s.seats[seat].hand.value:
            return Refusal("You don't have that many of that card.", "BT-X05")
        else:
            return Refusal("You don't have that card.", "BT-X05")
    return Refusal("Name cards from your hand.", "BT-X05")


# --- Calls -------------------------------------------------------------------------------------------


def make_call(s: Table, seat: int, kind: str) -> None:
    """BT-22, BT-23, BT-41, BT-44 to BT-48, BT-70: a call, what it puts at stake and whom it is made against."""
    t = s.table
    bidder = bidder_of(s)
    if t.caller is None:
        t.caller = seat
        t.perfecto = kind == "perfecto"
    match kind:
        case "double":
            t.stake = DOUBLED
            t.against = t.caller if allies(s, seat, bidder) else bidder
        case "redouble":
            t.stake = REDOUBLED
            t.against = t.caller if t.against == bidder else bidder
        case "surrender":
            t.surrendered = seat
    t.call, t.passed, s.phase = Call(kind, seat), [], "called"
    rule = {"challenge": "BT-22", "perfecto": "BT-23", "redouble": "BT-46", "surrender": "BT-47"}.get(kind, "BT-44")
    tell(
        s, say("Seat {seat} calls {call}.", seat=seat, call=t.call.name), rule=rule, kind="call", seat=seat, call=kind,
        stake=t.stake,
    )  # fmt: skip


def cancel_calls(s: Table) -> None:
    """BT-43: nothing is called on the bid, and one card is at stake."""
    t = s.table
    t.call, t.caller, t.perfecto, t.stake, t.against, t.surrendered, t.passed = (
        None,
        None,
        False,
        ONE_CARD,
        None,
        None,
        [],
    )


def refuse_call(s: Table, seat: int, call: str) -> Refusal | None:
    """BT-16, BT-21, BT-40, BT-52: return why the player on turn may not make that call, or may not pass; or None."""
    if call in ADVANCED_CALLS and not has(s, call):
        text = say("Advanced rules are off.")
        if has(s, "double") or has(s, "open_calls"):
            text = say("The rule for {call} is off.", call=dict(CALL_NAMES)[call])
        return Refusal(text, "BT-X08")
    if refused := must_bid(s):
        return refused
    match call:
        case "challenge" | "perfecto":
            return refuse_opening_call(s, seat)
        case "double":
            return refuse_double(s, seat)
        case "redouble":
            return refuse_redouble(s, seat)
        case "surrender":
            return refuse_surrender(s, seat)
    return None if s.table.call else Refusal("You must bid or call.", "BT-X07")


def refuse_opening_call(s: Table, seat: int) -> Refusal | None:
    """BT-40, BT-54, BT-73: return why that bid may not be challenged or called a Perfecto; or None."""
    bidder = bidder_of(s)
    if allies(s, seat, bidder):
        return Refusal(
            say("That is your own bid.") if seat == bidder else say("That is your team's own bid."), "BT-X15"
        )
    return Refusal("This bid has already been called: bid or pass.", "BT-X10") if s.table.call else None


def refuse_double(s: Table, seat: int) -> Refusal | None:
    """Return why nobody may double like that; or None.

    BT-44: it may be the opening call. BT-45, BT-70: or of the bidder's side, on a Challenge; BT-53, BT-V05: by option on
    a Perfecto.
    """
    t = s.table
    bidder = bidder_of(s)
    if t.call is None:
        return refuse_stake(s, seat, bidder, DOUBLED)
    if t.call.kind != "challenge" and not (t.call.kind == "perfecto" and s.setup.options["double_perfecto"]):
        text = (
            say("A Perfecto can't be doubled.")
            if t.call.kind == "perfecto"
            else say("There is no Challenge to double.")
        )
        return Refusal(text, "BT-X10")
    if not allies(s, seat, bidder):
        return Refusal("Only the bidder may double a call.", "BT-X10")
    return refuse_stake(s, bidder, caller_of(s), DOUBLED)


def refuse_redouble(s: Table, seat: int) -> Refusal | None:
    """BT-46, BT-70: return why a player is not of the side that was doubled, or cannot afford it; or None."""
    t = s.table
    if t.call is None or t.call.kind != "double" or t.against is None:
        return Refusal("There is no Double to redouble.", "BT-X10")
    if not allies(s, seat, t.against):
        return Refusal("Only players who were doubled may redouble.", "BT-X10")
    return refuse_stake(s, bidder_of(s), caller_of(s), REDOUBLED)


def refuse_surrender(s: Table, seat: int) -> Refusal | None:
    """BT-47, BT-71: return why a player is not the doubled bidder or caller in person; or None."""
    t = s.table
    if t.call is None or t.call.kind not in ("double", "redouble") or t.against != seat:
        return Refusal("Nobody has doubled against you.", "BT-X10")
    return None


def refuse_stake(s: Table, one: int, other: int, stake: int) -> Refusal | None:
    """BT-44 to BT-46, BT-50: return why two players have too few Deal cards for that stake; or None.

    Both need one more than is at stake. BT-69: of teams, that many to spare.
    """
    if min(spare(s, one), spare(s, other)) >= stake:
        return None
    call = dict(CALL_NAMES)["double" if stake == DOUBLED else "redouble"]
    text = say(
        "For a {call}, both sides need {needed} Deal cards: Seat {seat} has {cards}, Seat {other} has {other_cards}.",
        call=call, needed=stake + 1, seat=one, cards=s.seats[one].deal_cards, other=other,
        other_cards=s.seats[other].deal_cards,
    )  # fmt: skip
    if s.seats[one].team:
        text = say(
            "For a {call}, both teams need {needed} spare cards: Team {team} has {spare}, Team {other} has {other_spare}.",
            call=call, needed=stake, team=s.seats[one].team, spare=spare(s, one), other=s.seats[other].team,
            other_spare=spare(s, other),
        )  # fmt: skip
    return Refusal(text, "BT-X09")


# --- Taking sides ------------------------------------------------------------------------------------


async def take_sides(s: Table) -> None:
    """BT-25 to BT-29: all others say who is right: one alone openly, two or more secretly and at once."""
    deciders = side_takers(s)
    if not deciders:
        return
    s.phase = "sides"
    choice, bid = [offer("side", **{"with": OneOf([*dict(SIDES)])})], bid_text(s)
    want = say("Bidder or caller: who is right about {bid}?", bid=bid)
    if len(deciders) == 1:
        (seat,) = deciders
        others = say("Seat {seat} says who is right about {bid}: the bidder or the caller.", seat=seat, bid=bid)
        answers = {seat: await ask(s, seat, choice, want, others)}
    else:
        others = say("All other players secretly say who is right about {bid}: the bidder or the caller.", bid=bid)
        answers = await ask_all(s, dict.fromkeys(deciders, choice), want, others, into="side")
    for seat in deciders:
        s.seats[seat].side = answers[seat]["with"]
    taken = {seat: str(answers[seat]["with"]) for seat in deciders}
    sides = listed(
        (say("Seat {seat} for the {side}", seat=seat, side=dict(SIDES)[one]) for seat, one in taken.items()), ","
    )
    tell(
        s, say("Sides are taken: {sides}.", sides=sides), rule="BT-26", kind="sides",
        sides={str(seat): side for seat, side in taken.items()},
    )  # fmt: skip


def side_takers(s: Table) -> list[int]:
    """BT-25, BT-27: return the living but bidder and caller. BT-68: of three teams the third's member who passed last."""
    t = s.table
    others = [seat for seat in living(s) if not any(allies(s, seat, party) for party in (bidder_of(s), caller_of(s)))]
    if s.setup.options["teams"] == "none" or not others:
        return others
    in_order = [seat for seat in t.passed if seat in others]
    return [in_order[-1] if in_order else clockwise(others, caller_of(s))[0]]


def explain_side(s: Table, seat: int) -> Refusal:
    """BT-25 to BT-28: return why a side is refused: nobody asked for it, or sides are fixed."""
    t = s.table
    if s.phase != "sides":
        text = say("You can take a side when the bidding has ended.")
        if s.seats[seat].side:
            text = say("Sides can't be changed now.")
        return Refusal(text, "BT-X12")
    if seat in (t.caller, bidder_of(s)):
        return Refusal("The bidder and the caller don't take sides.", "BT-X12")
    if seat in side_takers(s):
        return Refusal("Take the bidder's side or the caller's side.", "BT-X12")
    return Refusal("You don't take a side in this round.", "BT-X12")


# --- Showdown and losses -----------------------------------------------------------------------------


async def count_hands(s: Table) -> dict[int, int]:
    """BT-18, BT-19, BT-30: return how many symbols of each hand count.

    BT-V10: printed hands lie open, and all say at the same time how many of theirs do.
    """
    bid = s.table.bid
    assert bid is not None
    if not is_printed(s.setup):
        return {seat: counted(s.seats[seat].hand.value, bid.rank) for seat in living(s)}
    s.phase = "count"
    moves = {seat: show_moves(s.seats[seat]) for seat in living(s)}
    want = say("Show your hand. How many {rank}'s and stars are in it?", rank=bid.rank)
    others = say("Everybody shows their hand and says how many {rank}'s and stars are in it.", rank=bid.rank)
    answers = await ask_all(s, moves, want, others, into="symbols", known=True)
    for player in s.seats.values():
        if isinstance(player, PrintedPlayer):
            player.symbols = None
    return {seat: answer.args.get("count", 0) for seat, answer in answers.items()}


def show_moves(player: Player) -> list[Move]:
    """BT-V10, BT-18: return the numbers of symbols that a hand may show, two a card at most, and none."""
    return [offer("show", count=OneOf(list(range(1, 2 * player.hand_size + 1)))), offer("show_none")]


def showdown(s: Table, by_seat: dict[int, int]) -> list[tuple[int, int]]:
    """BT-30 to BT-34, BT-38: show the hands, of which so many symbols count; return who loses how many Deal cards.

    BT-31: after a Challenge the bidder is right with enough; BT-32: after a Perfecto with any other number.
    BT-49 to BT-51: the stake falls on the loser; a Surrender costs 1; a wrong side costs 1.
    """
    t, bid, bidder, caller = s.table, s.table.bid, bidder_of(s), caller_of(s)
    assert bid is not None
    total = sum(by_seat.values())
    bidder_right = total != bid.quantity if t.perfecto else total >= bid.quantity
    loser, cards = (caller if bidder_right else bidder), t.stake
    if t.surrendered is not None:
        loser, cards = t.surrendered, ONE_CARD
    t.first = caller if loser == bidder else bidder
    t.count = Count(bid.rank, bid.quantity, total, by_seat, t.first)
    t.shown = [shown(s, seat, by_seat[seat], bid.rank) for seat in living(s)]
    hands = {str(hand.seat): hand.cards for hand in t.shown}
    text = say(
        "All hands are shown: {total}. Seat {seat} wins the showdown.", total=count_text(total, bid.rank), seat=t.first
    )
    tell(
        s, text, rule="BT-30", kind="showdown", rank=bid.rank, total=total, hands=hands, winner=t.first,
    )  # fmt: skip
    discard_hands(s)
    truth = "bidder" if bidder_right else "caller"
    return [(loser, cards), *((seat, ONE_CARD) for seat in living(s) if s.seats[seat].side not in (None, truth))]


def counted(cards: list[str], rank: int) -> int:
    """BT-18, BT-19: return how many symbols are of that rank, or a star, which takes the rank of the last bid."""
    symbols = "".join(cards)
    return symbols.count(f"{rank}") + symbols.count(STAR)


def shown(s: Table, seat: int, symbols: int, rank: int) -> Shown:
    """BT-30: return a hand face up, with the cards that count; BT-V10: printed ones lie on the table, not on the screens."""
    cards = [] if is_printed(s.setup) else s.seats[seat].hand.value
    return Shown(seat, cards, symbols, [card for card in cards if counted([card], rank)])


def discard_hands(s: Table) -> None:
    """BT-12: all hands go to the discards, exposed cards too."""
    for seat, player in s.seats.items():
        if not is_printed(s.setup):
            s.table.discards += player.hand.value
        player.hand, player.exposed = Secret([], (seat,)), []


async def lose_cards(s: Table, losses: list[tuple[int, int]]) -> None:
    """BT-33 to BT-37, BT-39: the losses of a round count together: who is out, what it scores, and whether it is over."""
    before, teams = living(s), parties(s)
    for seat, cards in losses:
        for _ in range(cards):
            await lose_card(s, seat)
    for seat in before:
        if s.seats[seat].out:
            tell(s, "Seat {seat} is out of the game.", rule="BT-35", kind="out", seat=seat)
    if s.setup.options["match"]:
        by_players = s.setup.options["score"] == "players"
        score(s, len(before) - len(living(s)) if by_players else len(teams) - len(parties(s)))
    elif len(parties(s)) == 1:
        left = living(s)
        win(
            s,
            left,
            {seat: int(seat in left) for seat in s.seats},
            say_count(
                "{seats} is the last one left.", "{seats} are the last ones left.", len(left), seats=seats_words(left)
            ),
        )


async def lose_card(s: Table, seat: int) -> None:
    """BT-33, BT-35. BT-66: at Last Chance a teammate gives one up instead; BT-67: if none can, the team is out."""
    loser = s.seats[seat]
    mates = [mate for mate in living(s) if mate != seat and allies(s, mate, seat)]
    able = [mate for mate in mates if s.seats[mate].deal_cards > 1]
    if not loser.last_chance or not mates:
        loser.deal_cards -= 1
        text = say("Seat {seat} loses a Deal card.", seat=seat)
        if loser.last_chance:
            text = say("Seat {seat} loses a Deal card: Last Chance.", seat=seat)
        tell(s, text, rule="BT-33", kind="loss", deal_cards=loser.deal_cards, **lost(seat, loser.deal_cards, 1))
    elif able:
        s.phase, s.table.turn = "give", seat
        others = say("Seat {seat} chooses which teammate gives up a Deal card.", seat=seat)
        answer = await ask(
            s, seat, [offer("give", target=OneOf(able))], say("Which teammate gives up a Deal card for you?"), others
        )
        giver = s.seats[answer["target"]]
        giver.deal_cards -= 1
        s.table.turn = None
        text = say("Seat {target} gives up a Deal card for Seat {seat}.", target=answer["target"], seat=seat)
        data = lost(answer["target"], giver.deal_cards, 1)
        tell(s, text, rule="BT-66", kind="loss", deal_cards=giver.deal_cards, **data)
    else:
        for member in (seat, *mates):
            had, s.seats[member].deal_cards = s.seats[member].deal_cards, 0
            text = say("Seat {seat} loses its last Deal card together with its team.", seat=member)
            tell(s, text, rule="BT-67", kind="loss", deal_cards=0, **lost(member, 0, had))
        tell(s, "Team {team} had only Last Chances left and is out.", rule="BT-67", kind="team_out", team=loser.team)


def lost(seat: int, left: int, cards: int) -> Reckoned:
    """BT-33: return the data of the event that tells a loss of Deal cards."""
    return reckoned(seat, "deal_cards", left + cards, left, f"{left + cards} - {cards} = {left}")


def score(s: Table, fallen: int) -> None:
    """BT-60 to BT-62, BT-74: a point to all who are left for each one eliminated; the match ends at the target, untied.

    Of teams each eliminated team counts one; BT-V09, by option each player of it, as print has it without teams.
    """
    if not fallen:
        return
    for seat in living(s):
        had = s.seats[seat].points
        s.seats[seat].points = now = had + fallen
        text = say_count("Seat {seat} gets a point.", "Seat {seat} gets {count} points.", fallen, seat=seat)
        tell(
            s, text, rule="BT-61", kind="point",
            **reckoned(seat, "points", had, now, say("{count} eliminated", count=fallen)),
        )  # fmt: skip
    points = {seat: player.points for seat, player in s.seats.items()}
    text = listed((say("Seat {seat} has {points}", seat=seat, points=has) for seat, has in points.items()), ",")
    tell(
        s, say("Points: {points}.", points=text), rule="BT-61", kind="points",
        points={str(k): v for k, v in points.items()},
    )  # fmt: skip
    most = max(points.values())
    best = [seat for seat in points if points[seat] == most]
    if most >= s.setup.options["match"] and all(allies(s, seat, best[0]) for seat in best):
        why = say_count(
            "{seats} wins the match with {points}.", "{seats} win the match with {points}.", len(best),
            seats=seats_words(best), points=say_count("1 point", "{count} points", most),
        )  # fmt: skip
        win(s, best, points, why)


def win(s: Table, winners: list[int], scores: dict[int, int], why: Text) -> None:
    """BT-37, BT-62, BT-67: the end."""
    s.phase, s.table.turn = "over", None
    raise Won(winners, scores, why)


# --- Who is who --------------------------------------------------------------------------------------


def has(s: Table, part: str) -> bool:
    """BT-V02: return whether a part of the advanced rules is played."""
    return bool(s.setup.options["advanced"] or s.setup.options[part])


def living(s: Table) -> list[int]:
    """Return who is in the game, clockwise."""
    return [seat for seat, player in s.seats.items() if player.deal_cards]


def allies(s: Table, seat: int, other: int) -> bool:
    """Return whether two seats are the same player, or of the same team."""
    return seat == other or (s.seats[seat].team == s.seats[other].team != "")


def parties(s: Table) -> list[str]:
    """Return the players, or the teams, that are left."""
    return list(dict.fromkeys(s.seats[seat].team or str(seat) for seat in living(s)))


def spare(s: Table, seat: int) -> int:
    """BT-69: return the Deal cards above Last Chance, of a team all members' together."""
    return sum(s.seats[one].deal_cards - 1 for one in living(s) if allies(s, one, seat))


def first_of(s: Table) -> int:
    """Return who bids first in this round (BT-09, BT-38)."""
    assert s.table.first is not None
    return s.table.first


def bidder_of(s: Table) -> int:
    """Return who made the standing bid."""
    assert s.table.bid is not None
    return s.table.bid.seat


def caller_of(s: Table) -> int:
    """Return who called the standing bid."""
    assert s.table.caller is not None
    return s.table.caller


def covered(player: Player) -> list[str]:
    """BT-56: return the cards of a hand that do not lie exposed."""
    left = list(player.hand.value)
    for card in player.exposed:
        left.remove(card)
    return left


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: BT-X01 to BT-X15."""
    t, seat, move = s.table, action.seat, action.move
    if s.phase == "over" or seat == CHANCE or move == "roll":
        return None
    if seat not in s.seats:
        return Refusal(say("There is no seat {seat} in this match.", seat=seat), "FORM")
    if s.phase == LAY_OUT:
        return Refusal("The cards must be laid out first.", "BT-X01")
    if move == "laid_out":
        return Refusal("The cards have already been dealt.", "BT-V10")
    if s.seats[seat].out:
        return Refusal("You are out of this game.", "BT-X12" if move == "side" else "BT-X13")
    if move == "side":
        return explain_side(s, seat)
    if s.phase == "sides":
        return Refusal("The bidding is over: players are taking sides.", "BT-X01")
    if move in ("show", "show_none") and s.phase != "count":
        return Refusal("Hands are counted only at a showdown.", "BT-V10")
    if s.phase == "count":
        if move in ("show", "show_none"):
            return Refusal(
                say("Your hand can show from 0 to {most} symbols.", most=2 * s.seats[seat].hand_size), "BT-V10"
            )
        return Refusal("The bidding is over: hands are being counted.", "BT-X01")
    if move in ("challenge", "perfecto") and t.bid and allies(s, seat, t.bid.seat) and not t.drawn:
        return refuse_call(s, seat, move)
    if t.turn is None:
        return Refusal("There is nothing to decide now.", "BT-X01")
    if seat != t.turn:
        return Refusal(say("It is Seat {seat}'s turn.", seat=t.turn), "BT-X01")
    if s.phase == "give":
        return Refusal("Name a teammate with at least two Deal cards.", "BT-66")
    match move:
        case "bid":
            return explain_bid(s, seat, action)
        case "draw" | "swap":
            return refuse_draw(s, seat) or explain_draw(s, seat, action)
        case "give":
            return Refusal("Nobody has to give up a Deal card now.", "BT-66")
    return refuse_call(s, seat, move) if move in CALLS else None


# --- For screens -------------------------------------------------------------------------------------


def wished(s: Table, seat: int) -> list[Action]:
    """Return what the player on turn may look for: the calls of the moment, a sidestep, each card of the hand to change."""
    t = s.table
    if t.bid is None or t.drawn or s.phase not in ("bid", "called"):
        return []
    moves = []
    if t.call is None:
        moves = [call for call, part in (("double", "double"), ("pass", "open_calls")) if has(s, part)]
    elif t.call.kind in ("challenge", "perfecto") and allies(s, seat, t.bid.seat):
        moves = ["double"] if has(s, "double") else []
    elif t.call.kind == "double" and t.against and allies(s, seat, t.against):
        moves = [call for call in ("redouble", "surrender") if has(s, call)]
    if refuse_sidestep(s, seat):
        moves.append("bid")
    known = [card for card in dict.fromkeys(s.seats[seat].hand.value) if card != UNKNOWN]
    cards = [{}] if refuse_draw(s, seat) else [{"cards": [card]} for card in known]
    return [
        *(Action(seat=seat, move=move) for move in moves),
        *(Action(seat=seat, move="swap" if is_printed(s.setup) else "draw", args=args) for args in cards),
    ]


def wanted(s: Table, seat: int) -> Text:
    """Return what the player on turn is asked, in a sentence."""
    t = s.table
    if t.bid is None:
        return say("You bid first: as many as you like of any number.")
    if t.call is None:
        return say("Bid higher than {bid}, or call it.", bid=bid_text(s))
    if is_sidestep(s, seat):
        return say("{call} on {bid}: pass, or sidestep.", call=t.call.name, bid=bid_text(s))
    return say("{call} on {bid}: pass, or bid.", call=t.call.name, bid=bid_text(s))


def wanted_of(s: Table, seat: int) -> Text:
    """Return what everybody else reads about the player on turn."""
    t = s.table
    if t.bid is None:
        return say("Seat {seat} bids first.", seat=seat)
    if t.call is None:
        return say("Seat {seat} bids higher than {bid}, or calls it.", seat=seat, bid=bid_text(s))
    return say("{call} on {bid}: Seat {seat} passes, or bids.", call=t.call.name, bid=bid_text(s), seat=seat)


def bid_text(s: Table) -> Text:
    """Return the standing bid: "three 5's"."""
    bid = s.table.bid
    assert bid is not None
    return count_text(bid.quantity, bid.rank)


def face(s: Table, card: str) -> str:
    """Return a card as people say it: "5", "3-4", "5-star"."""
    return str(s.setup.data["cards"][card].get("name", card))


def count_text(quantity: int, rank: int) -> Text:
    """Return a number of one rank in words: "no 5's", "one 5", "three 5's"."""
    if not quantity:
        return say("no {rank}'s", rank=rank)
    number = NUMBERS[quantity - 1] if quantity <= len(NUMBERS) else quantity
    return say_count("{number} {rank}", "{number} {rank}'s", quantity, number=number, rank=rank)


def deal_words(due: Mapping[int, int]) -> Text:
    """BT-V10: return how many cards people deal to whom: "6 each", or "6 to Seat 1, 4 to Seat 2"."""
    if len(numbers := {*due.values()}) == 1:
        return say("{count} each", count=numbers.pop())
    return listed((say("{count} to Seat {seat}", count=count, seat=seat) for seat, count in due.items()), ",")
