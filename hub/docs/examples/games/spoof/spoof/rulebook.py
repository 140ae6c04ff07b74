"""Spoof, a game in the public domain: hide a few coins in your fist, and call how many there are in all fists together.

Read `play` first: it is the table of contents. Each function below it names its rules (SP-..), and SP-V.. where tables
play differently. `refuse_...` returns the reason against a move, or None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from hub.engine.decision import Action, Amount, OneOf, Won, ask, ask_all, offer, pick, reckoned, tell
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.secret import Secret
from hub.engine.text import Text, listed, say, say_count

FINAL = 2  # SP-16: so many players are left


@dataclass(slots=True)
class Call:
    """SP-04: a number that was called in this round. SP-08: `right` once all fists are open and it is the exact total."""

    seat: int
    number: int
    right: bool = False


@dataclass(slots=True)
class Middle:
    """The middle of the table. SP-15: all of it is public.

    `first` calls first in this round, `turn` is the player who is asked for a call. A call can be from `least` to `most`.
    Until the first call of the next round, `calls` and `total` are about the last fists that were opened.
    """

    first: int = 0
    turn: int | None = None
    order: list[int] = field(default_factory=list)
    least: int = 0
    most: int = 0
    calls: list[Call] = field(default_factory=list)
    total: int | None = None

    @property
    def last(self) -> Call | None:
        """The last call."""
        return self.calls[-1] if self.calls else None

    @property
    def called(self) -> list[int]:
        """SP-05: the numbers that are gone, from the lowest."""
        return sorted(call.number for call in self.calls)


@dataclass(slots=True)
class Player:
    """A player. SP-15: only the coins in a closed fist are secret. `opened` are those of the last fists.

    SP-16: `hits` are the right calls in the final.
    """

    points: int = 0
    hits: int = 0
    safe: bool = False
    fist: Secret[int] | None = None
    locked: bool = False
    opened: int | None = None


Table: TypeAlias = State[Player, Middle]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """SP-02 to SP-16: chance decides who calls first. Then all hide coins, call and open, until one player is left."""
    s.table.first = await pick(s, list(s.seats), "first")
    while len(players(s)) > 1:
        await hide_coins(s)
        await calling(s)
        open_fists(s)
        right_call(s)
        s.table.first = clockwise(players(s), s.table.first + 1)[0]  # SP-12
    last_one(s)


def deal(setup: Setup) -> Table:
    """SP-01, SP-X09: return two to six players with empty fists."""
    return Table(setup, {seat: Player() for seat in setup.seats}, Middle(), phase="setup")


def players(s: Table) -> list[int]:
    """SP-09: return the players who are still in the game, clockwise (SP-01)."""
    return [seat for seat, player in s.seats.items() if not player.safe]


# --- Coins -------------------------------------------------------------------------------------------


async def hide_coins(s: Table) -> None:
    """SP-03: everybody who is still in the game secretly hides coins in a fist."""
    s.round += 1
    s.phase = "again" if s.table.calls else "hide"
    few, many = fewest(s), most(s)
    asked = {seat: [offer("hide", coins=OneOf(list(range(few, many + 1))))] for seat in players(s)}
    want = say("How many coins do you hide in your fist?")
    await ask_all(s, asked, want, say("Everybody is hiding coins."), into="fist")


def fewest(s: Table) -> int:
    """SP-03: return how few coins a fist may hold: none. SP-V02: or one in the first round."""
    return 1 if s.round == 1 and s.setup.options["first_not_empty"] else 0


def most(s: Table) -> int:
    """SP-03: return how many coins a fist may hold: three. SP-V03: or another number."""
    coins: int = s.setup.options["coins"]
    return coins


# --- Calls -------------------------------------------------------------------------------------------


async def calling(s: Table) -> None:
    """SP-04: clockwise, everybody calls a total once. What was opened in the last round is cleared away."""
    t, left = s.table, players(s)
    t.order, t.calls, t.total = clockwise(left, t.first), [], None
    t.least, t.most = fewest(s) * len(left), most(s) * len(left)
    for player in s.seats.values():
        player.opened = None
    s.phase = "call"
    tell(s, "All fists are closed. Seat {seat} calls first.", rule="SP-04", kind="closed", seat=t.first)
    for seat in t.order:
        t.turn = seat
        numbers = [number for number in range(t.least, t.most + 1) if not refuse_call(s, seat, number)]
        want = say("How many coins are there in all fists together?")
        others = say("Seat {seat} calls a number.", seat=seat)
        # With no bluffing, only this seat may know what it can call.
        secret: bool = s.setup.options["no_bluffing"]
        answer = await ask(s, seat, [offer("call", number=OneOf(numbers))], want, others, hidden=secret)
        t.calls = [*t.calls, Call(seat, answer["number"])]
        tell(s, "Seat {seat} calls {number}.", rule="SP-04", kind="call", seat=seat, number=answer["number"])
    t.turn = None


def refuse_call(s: Table, seat: int, number: object) -> Refusal | None:
    """Return why a number can't be called, or None.

    SP-06, SP-X03: no total is so low or so high. SP-05, SP-X02: it is taken. SP-V01, SP-X06: or it can't be true, with these
    coins in the fist. SP-07: without that option, a call may be a bluff.
    """
    t = s.table
    if not isinstance(number, int) or not Amount(t.least, t.most).accepts(number):
        return Refusal(say("Call a number from {least} to {most}.", least=t.least, most=t.most), "SP-X03")
    for call in t.calls:
        if call.number == number:
            return Refusal(say("Seat {seat} has already called {number}.", seat=call.seat, number=number), "SP-X02")
    if s.setup.options["no_bluffing"]:
        low, high = possible(s, seat)
        if not low <= number <= high:
            text = say("No bluffing: with your coins, the total is from {low} to {high}.", low=low, high=high)
            return Refusal(text, "SP-X06")
    return None


def possible(s: Table, seat: int) -> tuple[int, int]:
    """SP-V01: return the lowest and the highest total that this player can believe in."""
    fist, others = s.seats[seat].fist, len(players(s)) - 1
    assert fist
    return fist.value + others * fewest(s), fist.value + others * most(s)


# --- Open fists --------------------------------------------------------------------------------------


def open_fists(s: Table) -> None:
    """SP-08: all fists are opened at once, and the coins are counted."""
    t, opened = s.table, {}
    for seat in t.order:
        player = s.seats[seat]
        assert player.fist
        opened[seat] = player.opened = player.fist.value
        player.fist = None
    t.total = sum(opened.values())
    t.calls = [Call(call.seat, call.number, call.number == t.total) for call in t.calls]
    made = listed((say("{coins} from Seat {seat}", coins=coins, seat=seat) for seat, coins in opened.items()), ",")
    text = say("The fists are open: {coins}. Together: {total}.", coins=made, total=coins_words(t.total))
    marks = {f"{call.seat}": "first" for call in t.calls if call.right}
    shown = {f"{seat}": coins for seat, coins in opened.items()}
    tell(s, text, rule="SP-08", kind="reveal", bids=shown, marks=marks, total=t.total)


def right_call(s: Table) -> None:
    """SP-11: without a right call, all stay. SP-16, SP-V04: in the final, one right call may not be enough."""
    right = [call for call in s.table.calls if call.right]
    if not right:
        tell(s, "Nobody called {total}: everybody stays in the game.", rule="SP-11", kind="nobody", total=s.table.total)
        return
    (call,) = right
    if len(players(s)) == FINAL:
        player, needed = s.seats[call.seat], s.setup.options["final"]
        player.hits += 1
        if player.hits < needed:
            text = say(
                "Seat {seat} called {number}: right call {hits} of {needed} in the final.",
                seat=call.seat, number=call.number, hits=player.hits, needed=needed,
            )  # fmt: skip
            tell(s, text, rule="SP-16", kind="hit", seat=call.seat)
            return
    leave(s, call)


def leave(s: Table, call: Call) -> None:
    """SP-09, SP-10: the player who called the exact total is safe, with a point for each player who stays."""
    player = s.seats[call.seat]
    player.safe = True
    was, stay = player.points, len(players(s))
    player.points += stay
    text = say(
        "Seat {seat} called {number} and is safe: {points}.", seat=call.seat, number=call.number, points=points(stay)
    )
    how = f"{was} + {stay} = {player.points}"
    tell(s, text, rule="SP-10", kind="safe", **reckoned(call.seat, "points", was, player.points, how))


def last_one(s: Table) -> None:
    """SP-13: the last player left loses. SP-14: the most points win; the first player who was safe has them."""
    s.phase = "over"
    (loser,) = players(s)
    tell(s, "Seat {seat} is the last one left and loses.", rule="SP-13", kind="loser", seat=loser)
    scores = {seat: player.points for seat, player in s.seats.items()}
    winner = max(scores, key=scores.__getitem__)
    why = say("Seat {seat} was safe first and wins. Seat {loser} loses.", seat=winner, loser=loser)
    raise Won([winner], scores, why, rule="SP-14")


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: SP-X01, SP-X04, SP-X05, SP-X07, SP-X08, or what is against a call."""
    seat, turn = action.seat, s.table.turn
    if s.phase == "over":
        return Refusal("The game has ended.", "SP-X08")
    if seat not in s.seats or s.phase == "setup" or action.move not in ("hide", "call"):
        return None
    if s.seats[seat].safe:
        return Refusal("You are safe: you don't play any more.", "SP-X05")
    if turn is None:
        if action.move == "call":
            return Refusal("First, everybody hides coins.", "SP-X07")
        few, many = fewest(s), most(s)
        return Refusal(say("Hide {fewest} to {most} coins.", fewest=few, most=many), "SP-X01")
    if action.move == "hide":
        return Refusal("All fists are closed: your coins stay as they are.", "SP-X07")
    if seat != turn:
        return Refusal(say("It is Seat {seat}'s turn.", seat=turn), "SP-X04")
    return refuse_call(s, seat, action.args.get("number"))


# --- For screens -------------------------------------------------------------------------------------


def wished(s: Table, seat: int) -> list[Action]:
    """Return all numbers while a seat calls: those that it can't call are gray, with the reason."""
    if seat != s.table.turn:
        return []
    numbers = range(s.table.least, s.table.most + 1)
    return [Action(seat=seat, move="call", args={"number": number}) for number in numbers]


def coins_words(count: int) -> Text:
    """Return coins in words."""
    return say_count("1 coin", "{count} coins", count)


def points(count: int) -> Text:
    """Return points in words."""
    return say_count("1 point", "{count} points", count)
