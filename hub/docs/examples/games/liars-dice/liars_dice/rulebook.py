"""Liar's Dice, a game in the public domain: bid on how often a face is among all dice, and see only your own.

Read `play` first: it is the table of contents. Each function below it names its rules (LD-..), and LD-V.. where tables
play differently. `refuse_...` returns the reason against a move, or None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from hub.engine.cups import roll_hidden, with_cups
from hub.engine.decision import Action, Amount, Answer, Faces, Move, OneOf, Won, ask, offer, pick, reckoned, tell
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.secret import Secret
from hub.engine.text import Text, message, say, say_count

FACES = (1, 2, 3, 4, 5, 6)
WILD = 1  # LD-V01
CALLS = ("spot_on", "call")
COUNTED = (
    message("{count} one", "{count} ones"), message("{count} two", "{count} twos"), message("{count} three", "{count} threes"),
    message("{count} four", "{count} fours"), message("{count} five", "{count} fives"), message("{count} six", "{count} sixes"),
)  # fmt: skip
"""Dice of each face in words."""


@dataclass(slots=True)
class Bid:
    """LD-06: all dice together show `face` at least `quantity` times, says `seat`."""

    quantity: int
    face: int
    seat: int


@dataclass(slots=True)
class Shown:
    """The revealed dice of a seat: `counted` of them count for the bid, and have the faces in `lit`."""

    seat: int
    dice: list[int]
    counted: int
    lit: list[int]


@dataclass(slots=True)
class Middle:
    """The middle of the table. LD-05: all of it is public.

    `first` bids first in this round; `former` are the bids before the standing one. Until the next bid, `called`, `total`
    and `shown` are about the last reveal: the bid, the number of dice of its face, and all dice.
    """

    in_play: int
    first: int = 0
    turn: int | None = None
    bid: Bid | None = None
    former: list[Bid] = field(default_factory=list)
    called: Bid | None = None
    total: int = 0
    shown: list[Shown] = field(default_factory=list)


@dataclass(slots=True)
class Player:
    """A player. LD-05: everybody sees how many dice a player has, but only the player sees what they show."""

    dice: int
    hand: Secret[list[int]]
    locked: bool = False

    @property
    def out(self) -> bool:
        """LD-14: no die is left."""
        return not self.dice


Table: TypeAlias = State[Player, Middle]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """LD-03 to LD-16: chance decides who begins. Then all roll, bid in turn and reveal, until one has dice."""
    s.table.first = await pick(s, list(s.seats), "first")
    while len(living(s)) > 1:
        await roll_hands(s)
        bid, call, caller = await bidding(s)
        reveal(s, bid, call, caller)
        s.table.first = judge(s, bid, call, caller)
    last_one(s)


def deal(setup: Setup) -> Table:
    """LD-01, LD-02, LD-V04, LD-X08: return two to six players with the same number of dice, none rolled yet."""
    dice: int = setup.options["dice"]
    seats = {seat: Player(dice, Secret([], (seat,))) for seat in setup.seats}
    return Table(setup, seats, Middle(dice * len(seats)), phase="setup")


async def roll_hands(s: Table) -> None:
    """LD-04, LD-V05: all dice are rolled, in secret. The first bidder is the one of LD-15, or the next who is not out."""
    t, players = s.table, living(s)
    s.round += 1
    order = clockwise(players, t.first)
    t.first, t.in_play = order[0], sum(s.seats[seat].dice for seat in players)
    t.bid, t.former = None, []
    if with_cups(s.setup):
        s.phase = "roll_again" if t.called else "roll"
    want = say("Roll under your cup, look secretly, and enter what your dice show.")
    others = say("Everybody rolls under a cup and enters what the dice show.")
    dice = {seat: s.seats[seat].dice for seat in order}
    await roll_hidden(s, dice, len(FACES), want, others, into="hand")
    s.phase = "again" if t.called else "first"
    text = say("{count} dice are rolled. Seat {seat} bids first.", count=t.in_play, seat=t.first)
    tell(s, text, rule="LD-04", kind="shake", first=t.first, dice=t.in_play)


# --- Bidding -----------------------------------------------------------------------------------------


async def bidding(s: Table) -> tuple[Bid, str, int]:
    """LD-07, LD-08: clockwise, all raise the bid, until a player calls it. Return the bid, the call, and its seat."""
    t = s.table
    t.turn = t.first
    while True:
        seat = t.turn
        answer = await ask(s, seat, turn_moves(s), *wanted(s, seat))
        if answer.move != "bid" and t.bid:
            t.turn = None
            return t.bid, answer.move, seat
        make_bid(s, seat, answer)
        t.turn = clockwise(living(s), seat + 1)[0]


def turn_moves(s: Table) -> list[Move]:
    """LD-07, LD-08, LD-V02: return the higher bids and the calls. LD-11: one call alone is made automatically."""
    return [*bids(s), *(offer(call) for call in CALLS if not refuse_call(s, call))]


def bids(s: Table) -> list[Move]:
    """LD-09: return as many dice of a higher face, and more dice of any face. LD-10: not more than are in play."""
    bid, most = s.table.bid, s.table.in_play
    if bid is None:
        return [offer("bid", quantity=Amount(1, most), face=OneOf(FACES))]
    moves = []
    if bid.face < FACES[-1]:
        moves.append(offer("bid", quantity=bid.quantity, face=OneOf(FACES[bid.face :])))
    if bid.quantity < most:
        moves.append(offer("bid", quantity=Amount(bid.quantity + 1, most), face=OneOf(FACES)))
    return moves


def make_bid(s: Table, seat: int, answer: Answer) -> None:
    """LD-06: this bid stands now. What was revealed in the last round is cleared away."""
    t = s.table
    t.former += [t.bid] if t.bid else []
    t.bid, t.called, t.shown = Bid(answer["quantity"], answer["face"], seat), None, []
    s.phase = "bid"
    text = say("Seat {seat} bids {bid}.", seat=seat, bid=words(t.bid.quantity, t.bid.face))
    tell(s, text, rule="LD-08", kind="bid", seat=seat, quantity=t.bid.quantity, face=t.bid.face)


def refuse_call(s: Table, call: str) -> Refusal | None:
    """LD-07: return why there is nothing to call yet, or (LD-V02) why nobody may say "spot on"; or None."""
    if call == "spot_on" and s.setup.options["spot_on"] == "off":
        return Refusal("The option Spot on is off.", "LD-X06")
    return None if s.table.bid else Refusal("Nobody has bid yet: make the first bid.", "LD-X03")


def standing(s: Table, seat: int) -> list[Move]:
    """LD-V05: return the correction of dice that were entered wrongly, until the bid is called."""
    if not with_cups(s.setup) or s.table.turn is None or s.seats[seat].out:
        return []
    return [offer("correct", faces=Faces(s.seats[seat].dice, len(FACES)))]


def stand(s: Table, seat: int, answer: Answer) -> None:
    """LD-V05: the dice of a seat are corrected. Everybody is told, so that it cannot be done unnoticed."""
    s.seats[seat].hand = Secret(sorted(answer["faces"]), (seat,))
    text = say("Seat {seat} has corrected what its dice show.", seat=seat)
    tell(s, text, rule="LD-V05", kind="correct", seat=seat)


# --- The reveal --------------------------------------------------------------------------------------


def reveal(s: Table, bid: Bid, call: str, caller: int) -> None:
    """LD-08, LD-12, LD-V02: after a call, all dice are shown, and those with the face of the bid are counted."""
    t, said = s.table, words(bid.quantity, bid.face)
    text = say("Seat {seat} calls the bid of {bid} a lie.", seat=caller, bid=said)
    if call == "spot_on":
        text = say("Seat {seat} calls the bid of {bid} spot on.", seat=caller, bid=said)
    tell(s, text, rule="LD-V02" if call == "spot_on" else "LD-08", kind="call", seat=caller, call=call)
    for seat in living(s):
        hand, s.seats[seat].hand = s.seats[seat].hand.value, Secret([], (seat,))
        lit = [face for face in hand if counts(s, face, bid.face)]
        t.shown.append(Shown(seat, hand, len(lit), lit))
    t.called, t.total = bid, sum(shown.counted for shown in t.shown)
    total, hands = words(t.total, bid.face), {f"{shown.seat}": shown.dice for shown in t.shown}
    text = say("The dice are revealed: {total}. The bid was {bid}.", total=total, bid=said)
    tell(s, text, rule="LD-12", kind="showdown", total=t.total, face=bid.face, quantity=bid.quantity, hands=hands)


def counts(s: Table, face: int, wanted: int) -> bool:
    """LD-12: return whether a die counts for a bid on the face `wanted`. LD-V01: ones may count for every face."""
    return face == wanted or (face == WILD and bool(s.setup.options["wild_ones"]))


def judge(s: Table, bid: Bid, call: str, caller: int) -> int:
    """LD-13: a lie costs the bidder a die, a true bid the caller. LD-15: return who lost it, to bid first now.

    LD-V02: after a wrong spot on, that is the caller. LD-V02, LD-V03: who called right bids first, too.
    """
    total = s.table.total
    if call == "call":
        loser = bid.seat if total < bid.quantity else caller
        change_dice(s, loser, -1, "LD-13")
        return loser
    if total != bid.quantity:
        change_dice(s, caller, -1, "LD-V02")
    elif s.setup.options["spot_on"] == "others_lose":
        for seat in clockwise(living(s), caller)[1:]:
            change_dice(s, seat, -1, "LD-V03")
    elif s.seats[caller].dice < s.setup.options["dice"]:
        change_dice(s, caller, 1, "LD-V02")
    else:
        text = say("Spot on! But Seat {seat} has lost no die that it could get back.", seat=caller)
        tell(s, text, rule="LD-V02", kind="spot_on", seat=caller)
    return caller


def change_dice(s: Table, seat: int, by: int, rule: str) -> None:
    """LD-13, LD-V02, LD-V03: a die is lost, or comes back. LD-14: without dice, a player is out."""
    player = s.seats[seat]
    was, player.dice = player.dice, player.dice + by
    text = say("Seat {seat} loses a die and has {count} left.", seat=seat, count=player.dice)
    if by > 0:
        text = say("Spot on! Seat {seat} gets a die back and has {count}.", seat=seat, count=player.dice)
    if player.out:
        text = say("Seat {seat} loses its last die and is out.", seat=seat)
    how = f"{was} + 1 = {player.dice}" if by > 0 else f"{was} - 1 = {player.dice}"
    tell(s, text, rule=rule, kind="gain" if by > 0 else "loss", **reckoned(seat, "dice", was, player.dice, how))


def last_one(s: Table) -> None:
    """LD-16: the last player with dice wins."""
    s.phase = "over"
    winners = living(s)
    dice = {seat: player.dice for seat, player in s.seats.items()}
    raise Won(winners, dice, say("Seat {seat} is the last player with dice.", seat=winners[0]), rule="LD-16")


# --- Who is left ------------------------------------------------------------------------------------


def living(s: Table) -> list[int]:
    """LD-14: return who still has dice, clockwise (LD-01)."""
    return [seat for seat, player in s.seats.items() if not player.out]


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: LD-X01 to LD-X09. A bid must be one (LD-10) and higher (LD-09)."""
    seat, turn = action.seat, s.table.turn
    if s.phase == "over":
        return Refusal("The game has ended.", "LD-X07")
    if seat not in s.seats:
        return None
    if s.seats[seat].out:
        return Refusal("You have no dice left: you are out.", "LD-X05")
    if action.move in ("rolled", "correct"):
        return refuse_faces(s, seat, action.move)
    if turn is None:
        return Refusal("First everybody rolls.", "LD-X04")
    if seat != turn:
        return Refusal(say("It is Seat {seat}'s turn.", seat=turn), "LD-X04")
    if action.move != "bid":
        return refuse_call(s, action.move) if action.move in CALLS else None
    quantity, face, bid, most = action.args.get("quantity"), action.args.get("face"), s.table.bid, s.table.in_play
    if bid is None or not Amount(1, most).accepts(quantity) or not OneOf(FACES).accepts(face):
        return Refusal(say("Bid 1 to {most} dice, and a face from 1 to 6.", most=most), "LD-X01")
    text = say(
        "You must beat {bid}: bid more dice, or the same number of a higher face.", bid=words(bid.quantity, bid.face)
    )
    return Refusal(text, "LD-X02")


def refuse_faces(s: Table, seat: int, move: str) -> Refusal:
    """LD-X09: return why faces of dice are not taken now, or these are not."""
    if not with_cups(s.setup):
        return Refusal("The hub rolls the dice in this match.", "LD-X09")
    if (move == "rolled") != (s.table.turn is None):
        return Refusal("Enter your dice when you roll, and correct them until the bid is called.", "LD-X09")
    text = say_count("Enter your die, 1 to 6.", "Enter your {count} dice, each 1 to 6.", s.seats[seat].dice)
    return Refusal(text, "LD-X09")


# --- For screens -------------------------------------------------------------------------------------


def notes(s: Table, seat: int) -> dict[str, dict[str, str]]:
    """Return beside each face how many of the seat's own dice count for it. Phones cover them: they follow from the hand."""
    hand = s.seats[seat].hand.value
    held = {face: sum(counts(s, die, face) for die in hand) for face in FACES}
    return {"face": {f"{face}": say("you have {count}", count=count) for face, count in held.items()}}


def wanted(s: Table, seat: int) -> tuple[Text, Text]:
    """Return what the player on turn is asked, and what everybody else reads about it."""
    if s.table.bid is None:
        want = say("You bid first: how many dice of one face are there?")
        return want, say("Seat {seat} bids first.", seat=seat)
    bid = words(s.table.bid.quantity, s.table.bid.face)
    want = say("Beat {bid}, or call it a lie.", bid=bid)
    return want, say("Seat {seat} must beat {bid}, or call it a lie.", seat=seat, bid=bid)


def words(count: int, face: int) -> Text:
    """Return a bid or a count in words: "1 five", "3 fives"."""
    return say_count(*COUNTED[face - 1], count)
