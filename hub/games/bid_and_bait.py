"""Bid & Bait! by Alexandros Kapidakis: bid in secret, then roll at least what you bid.

Read `play` first: it is the table of contents. Each function below it names its rules (BB-..). `refuse_...` gives the reason
against a move, or None, and `explain_...` the words for an action that is not offered. What the Spots can do and how many
Fish they hold is in `data/bid_and_bait.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias, TypeVar

from hub.engine.decision import (
    CHANCE,
    Action,
    Amount,
    Answer,
    Choose,
    Move,
    OneOf,
    Order,
    Reckoned,
    Won,
    ask,
    ask_all,
    offer,
    pick,
    reckoned,
    roll,
    roll_or,
    starter,
    tell,
)
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.odds import AtLeast, chances_text
from hub.engine.printed import UNKNOWN, face_down, is_printed, lay_out, shuffled
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, listed, message, say, say_count, seats_words
from hub.errors import BadCard, StartRefused

# The printed numbers
ROUNDS = 10  # BB-02: one for each Spot
ROW = 4  # BB-02: the current Spot and three more
SIDES = 6  # BB-12: sides of the Rod
NUMBERS = Amount(1, SIDES)  # BB-08: what may be bid
MOST = 99  # BB-V08: of a number in an owner's list
LAKE = ("copies", "baits_each", "consolation")
ABILITIES = frozenset(
    (
        "reroll",
        "baits",
        "duck",
        "release",
        "change",
        "rearrange",
        "borrow",
        "salvage",
        "two_dice",
        "cast",
        "release_two",
    )
)
"""BB-28 to BB-34: what Spots can do; which Spot does what is in the data."""
BAITS = message("1 Bait", "{count} Baits")
PLACES = 6  # BB-D01: seats of a table, among which the dummy gets a free one
FOUR = 4  # BB-19: so many Fish of a kind win
BAITS_OF_SPOT = 3  # BB-29
RELEASED = 2  # BB-34, Advanced 10: Fish that may be discarded
FISH_DRAWN = 3  # BB-34, Advanced 9
LAST_SET = "last set"  # BB-V09: the verdict while a seat says whether its Fish are a set


@dataclass(slots=True)
class Spot:
    """A fishing Spot in the row: its side in use, its ability ("" for none), Fish by slot."""

    number: int
    side: str
    ability: str
    text: str
    fish: list[str | None]
    taken: bool = False


@dataclass(slots=True)
class Lake:
    """The middle of the table. BB-02, BB-07: all of it is public but the face-down pile.

    `supply` is None when Baits never run out; `deck` the numbers of the Spots still to come; `rolled`
    the Rod, or both dice of Advanced 7 until one is kept; `needs` how many Baits the roller is short;
    `verdict` how the turn stands; `drawn` the Fish of Advanced 9 until one is kept.
    """

    spots: list[Spot]
    deck: list[int]
    sides: str
    pile: Pile[str]
    discards: list[str]
    drawn: list[str]
    supply: int | None
    duck: int = 0
    duck_taken: bool = False
    order: list[int] | None = None
    turn: int | None = None
    rolled: list[int] | None = None
    needs: int = 0
    verdict: str = ""


@dataclass(slots=True)
class Angler:
    """A player, or the dummy. `caught` tells whether this round gave it a Fish or an ability (BB-20)."""

    fish: list[str]
    secret_fish: Secret[str | None]
    baits: int
    spots: list[int]
    bid: Secret[int] | int | None = None
    locked: bool = False
    caught: bool = False
    dummy: bool = False

    @property
    def fish_count(self) -> int:
        """BB-03: the secret Fish counts for everything."""
        return len(self.fish) + (self.secret_fish.value is not None)


Table: TypeAlias = State[Angler, Lake]
T = TypeVar("T")


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """BB-08 to BB-25: ten rounds of bid, reveal, roll and a new Spot; a set of Fish ends it at once (BB-24)."""
    await set_up(s)
    for s.round in range(1, ROUNDS + 1):
        await bid(s)
        await reveal(s)
        for seat in list(s.table.order or ()):
            await turn(s, seat)
        await new_spot(s)
    await last_sets(s)
    fewest_fish(s)


def deal(setup: Setup) -> Table:
    """BB-01, BB-02, BB-05: return the players, each with 3 Baits, and the sides that lie up. Raise StartRefused (BB-X12)."""
    options, lake = setup.options, setup.data["lake"]
    if options["dummy"] and len(setup.seats) != 2:
        raise StartRefused(say("The dummy plays with two people only."))  # BB-X11, BB-V04
    if options["dummy"] and is_printed(setup):
        # BB-V09
        raise StartRefused(say("The dummy plays without printed cards: nobody may look at its secret Fish."))
    stock, needed = options["bait_supply"], lake["baits_each"] * len(setup.seats)
    if 0 < stock < needed:
        # BB-V06
        raise StartRefused(
            say(
                "The supply of Baits must be 0 or at least {count}: {baits} for each player.",
                count=needed,
                baits=lake["baits_each"],
            )
        )
    seats = {seat: Angler([], Secret(None), lake["baits_each"], []) for seat in setup.seats}
    if options["dummy"]:
        # BB-D01, BB-D05: the third of the circle; on a free place of a table for six.
        third = next(
            n for n in (*range(max(setup.seats) + 1, PLACES + 1), *range(1, PLACES + 1)) if n not in setup.seats
        )
        seats[third] = Angler([], Secret(None), 0, [], dummy=True)
    return Table(
        setup=setup,
        seats=dict(sorted(seats.items())),
        table=Lake(
            [], list(range(1, ROUNDS + 1)), options["sides"], Pile([]), [], [], stock - needed if stock else None
        ),
        round=1,
        phase="setup",
    )


def check(data: Mapping[str, Any]) -> None:
    """BB-V08: whether prizes, lake, Spots and abilities of the data file, or of an owner's list, make a game. Raise BadCard."""
    for key in LAKE:
        least = 1 if key == "copies" else 0  # without a Fish there is nothing to bid for
        if type(data["lake"].get(key)) is not int or not least <= data["lake"][key] <= MOST:
            raise BadCard(f"[lake] must say {key}, a number from {least} to {MOST}.", ("lake", key))
    for people in range(data["seats"][0], data["seats"][1] + 1):
        fish = data["prizes"].get(f"{people}")
        if not (
            isinstance(fish, list) and len(fish) == 2 and all(type(one) is int and 0 <= one <= SIDES for one in fish)
        ):
            text = (
                f"[prizes] must have two numbers from 0 to {SIDES} for {people} players: "
                "Fish of a Spot with an ability, and of one without."
            )
            raise BadCard(text, ("prizes", f"{people}"))
    if missing := sorted(ABILITIES - data["abilities"].keys()):
        raise BadCard(f"[abilities] must have words for {missing[0]}.", ("abilities", missing[0]))
    for what, words in data["abilities"].items():
        if what not in ABILITIES or not isinstance(words, str) or not words.strip():
            known = ", ".join(sorted(ABILITIES))
            raise BadCard(f"[abilities] gives words to {known}; {what!r} has none, or is unknown.", ("abilities", what))
    for number in range(1, ROUNDS + 1):
        spot = data["spots"].get(f"{number}")
        for side in ("basic", "advanced"):
            what = spot.get(side) if isinstance(spot, dict) else None
            if what != "" and what not in ABILITIES:
                known = ", ".join(sorted(ABILITIES))
                why = f'Spot {number} must say what its {side} side does: {known}, or "" for nothing; not {what!r}.'
                raise BadCard(why, ("spots", f"{number}"))


async def set_up(s: Table) -> None:
    """BB-02 to BB-06: sides, Spots filled from Spot 1 on, then a secret Fish each; the Duck. BB-V01, BB-V02, BB-V03."""
    lake = s.table
    match lake.sides:
        case "basic":
            lake.sides = "B" * ROUNDS
        case "advanced":
            lake.sides = "A" * ROUNDS
        case "random":
            lake.sides = "".join([await pick(s, ["A", "B"], "sides") for _ in range(ROUNDS)])
    every = [fish for fish in s.setup.data["cards"] for _ in range(s.setup.data["lake"]["copies"])]
    lake.pile = Pile(await shuffled(s, face_down(s.setup, every), "fish"))
    for _ in range(ROW):
        await lay_spot(s)
    for seat, angler in s.seats.items():
        angler.secret_fish = Secret(await next_fish(s), () if angler.dummy else (seat,))
    lake.duck = await starter(s, "duck", people(s), "duck")
    tell(s, "Seat {seat} has the Duck.", rule="BB-06", kind="duck", seat=lake.duck)
    await lay_out(s, lake.duck, row_to_lay(lake))


def row_to_lay(lake: Lake) -> str:
    """BB-V09: return how people lay out the first row: the sides that are up, the Fish on each Spot, and a secret one each."""
    counts, sides = [len(spot.fish) for spot in lake.spots], lake.sides[:ROW]
    fish = (
        say("{count} Fish each", count=counts[0])
        if len(distinct(counts)) == 1
        else say("{counts} Fish", counts=listed(counts, ","))
    )
    if sides == "B" * ROW:
        return say(
            "Lay out Spots 1 to {last}, basic side up, with {fish}. Deal everybody a secret Fish.", last=ROW, fish=fish
        )
    if sides == "A" * ROW:
        return say(
            "Lay out Spots 1 to {last}, advanced side up, with {fish}. Deal everybody a secret Fish.",
            last=ROW,
            fish=fish,
        )
    return say(
        "Lay out Spots 1 to {last}, sides {letters}, with {fish}. Deal everybody a secret Fish.", last=ROW,
        letters=sides, fish=fish,
    )  # fmt: skip


# --- Bid and reveal ----------------------------------------------------------------------------------


async def bid(s: Table) -> None:
    """BB-08: everybody sets a number, secretly and at once. BB-D02: then the Duck holder rolls the dummy's."""
    lake = s.table
    lake.order, lake.turn, lake.rolled, lake.needs, lake.verdict, lake.duck_taken = None, None, None, 0, "", False
    for angler in s.seats.values():
        angler.bid, angler.caught = None, False
    s.phase = "bid"
    tell(
        s, say("Spot {number}: everybody bids.", number=lake.spots[0].number), rule="BB-08", kind="round", round=s.round
    )
    bids = await ask_all(
        s,
        {seat: [offer("bid", number=NUMBERS)] for seat in people(s)},
        say("Bid a number from 1 to {sides}.", sides=SIDES),
        say("Everybody bids a number in secret."),
        into="bid",
        final=not s.setup.options["relock"],
    )
    faces: list[int] = []
    if s.setup.options["dummy"]:
        s.phase = "dummy"
        faces = await roll(
            s,
            lake.duck,
            1,
            SIDES,
            "dummy",
            say("Roll the dummy's bid."),
            others=say("Seat {seat} rolls the dummy's bid.", seat=lake.duck),
        )
    for seat, answer in bids.items():
        s.seats[seat].bid = answer["number"]
    for seat, face in zip(dummies(s), faces, strict=True):
        s.seats[seat].bid = face
    shown = listed((say("{bid} from Seat {seat}", bid=angler.bid, seat=seat) for seat, angler in s.seats.items()), ",")
    made = {str(seat): angler.bid for seat, angler in s.seats.items() if not isinstance(angler.bid, Secret)}
    tell(s, say("The bids: {bids}.", bids=shown), rule="BB-09", kind="reveal", bids=made, marks=standing_out(s))


def explain_bid(s: Table, angler: Angler) -> Refusal:
    """Return why a bid is refused: outside 1 to 6 (BB-X01), or too late (BB-X02)."""
    if s.phase != "bid" or (angler.locked and not s.setup.options["relock"]):
        return Refusal("Your bid is locked.", "BB-X02")
    if angler.locked:
        return Refusal(say("Bid 1 to {sides}; your locked bid stays.", sides=SIDES), "BB-X01")
    return Refusal(say("Bid 1 to {sides}.", sides=SIDES), "BB-X01")


async def reveal(s: Table) -> None:
    """BB-09 to BB-11: the order of the round; first Advanced 1 may change its owner's bid (BB-32)."""
    if not s.setup.options["late_change"]:
        for seat in people(s):
            for spot in holding(s, seat, "change"):
                s.phase = "change"
                answer = await ask(
                    s, seat, [*change(s, seat, spot), offer("done")], say("Change your bid or keep it."),
                    say("Seat {seat} may change its bid of {bid}.", seat=seat, bid=bid_of(s, seat)),
                )  # fmt: skip
                if answer.move == "use":
                    await use(s, seat, answer)
    s.table.order = turn_order(s)
    seats = seats_words(s.table.order, "then")
    tell(s, say("The order: {seats}.", seats=seats), rule="BB-10", kind="order", order=s.table.order)


def turn_order(s: Table) -> list[int]:
    """BB-10, BB-D03: return unique bids from the highest; then ties, the higher first, clockwise from the Duck."""
    made = [bid_of(s, seat) for seat in s.seats]

    def rank(seat: int) -> tuple[bool, int]:
        return made.count(bid_of(s, seat)) > 1, -bid_of(s, seat)

    return sorted(clockwise(s.seats, s.table.duck), key=rank)


def standing_out(s: Table) -> dict[str, str]:
    """BB-10: return who goes first as the bids are, and whose are tied: however high, they go after the others."""
    made = [bid_of(s, seat) for seat in s.seats]
    tied = {str(seat): "tied" for seat in s.seats if made.count(bid_of(s, seat)) > 1}
    return tied | {str(turn_order(s)[0]): "first"}


# --- A turn ------------------------------------------------------------------------------------------


async def turn(s: Table, seat: int) -> None:
    """BB-12 to BB-19: roll, succeed or pay or fail, take. Abilities in the three windows of BB-27."""
    lake = s.table
    lake.turn, lake.rolled, lake.needs, lake.verdict = seat, None, 0, ""
    if s.seats[seat].dummy:
        await dummy_takes(s, seat)
        return
    await roll_rod(s, seat)
    if await outcome(s, seat):
        s.phase = "take"
        while uses(s, seat, "after"):
            answer = await ask(
                s, seat, [*uses(s, seat, "after"), offer("done")], say("Use an ability, or end your turn."),
                say("Seat {seat} may use an ability.", seat=seat),
            )  # fmt: skip
            if answer.move == "done":
                break
            await use(s, seat, answer)


async def roll_rod(s: Table, seat: int) -> None:
    """BB-12: one die; BB-27 (a): abilities before it; Advanced 7 makes it two (BB-34)."""
    s.phase = "roll"
    dice = 1
    while True:
        needed = bid_of(s, seat)
        if dice == 1:
            want = say("Roll {bid} or more.", bid=needed)
            others = say("Seat {seat} needs {bid} or more.", seat=seat, bid=needed)
        else:
            want = say("Roll two dice: one must be {bid} or more.", bid=needed)
            others = say("Seat {seat} needs {bid} or more on one of two dice.", seat=seat, bid=needed)
        wants = AtLeast(needed, one=dice > 1, short=s.seats[seat].baits, coins=BAITS)
        missed = [offer("show_set")] if may_show_set(s, seat) else []
        got = await roll_or(s, seat, dice, SIDES, "rod", want, [*uses(s, seat, "before", dice), *missed], wants, others)
        if isinstance(got, list):
            s.table.rolled = got
            tell(
                s, say("Seat {seat} rolls {dice}.", seat=seat, dice=listed(got)), rule="BB-12", kind="roll", seat=seat,
                faces=got, **verdict_of(s, seat, got),
            )  # fmt: skip
            return
        if got.move == "show_set":
            show_set(s, seat)
        if ability(s, got["spot"]) == "two_dice":
            dice = 2
        await use(s, seat, got)


def verdict_of(s: Table, seat: int, rolled: list[int]) -> dict[str, Text]:
    """BB-13, BB-14: what a roll means in a word, for screens; nothing while one of two dice is still to be kept (BB-34)."""
    if rolled[1:]:
        return {}
    needs = bid_of(s, seat) - rolled[0]
    return {"verdict": say("{count} too low", count=needs) if needs > 0 else say("Success!")}


def explain_roll(s: Table, action: Action) -> Refusal:
    """Return why dice are refused: not asked for, of another seat (BB-X03), or with wrong faces (BB-X04)."""
    if s.phase not in ("roll", "dummy"):
        return Refusal("There's nothing to roll now.", "BB-X03")
    roller = s.table.duck if s.phase == "dummy" else s.table.turn
    if action.seat not in (CHANCE, roller):
        return Refusal(say("It is Seat {seat}'s turn to roll.", seat=roller), "BB-X03")
    return Refusal(say("Roll again or type 1 to {sides}.", sides=SIDES), "BB-X04")


async def outcome(s: Table, seat: int) -> bool:
    """BB-13 to BB-18, BB-27 (b): until the roll is settled. Whether the turn goes on to window (c)."""
    angler, lake = s.seats[seat], s.table
    while True:
        s.phase = "take"
        rolled = lake.rolled or []
        if len(rolled) == 2:
            lake.verdict = "keep one"
            moves = [*uses(s, seat, "open"), offer("keep_die", face=OneOf(distinct(rolled)))]
            answer = await ask(
                s, seat, moves, say("Keep one of your dice."), say("Seat {seat} keeps one of two dice.", seat=seat)
            )
            if answer.move == "keep_die":
                lake.rolled = [answer["face"]]
                tell(
                    s, say("Seat {seat} keeps the {face}.", seat=seat, face=answer["face"]), rule="BB-34", kind="keep",
                    seat=seat,
                )  # fmt: skip
            else:
                await use(s, seat, answer)
            continue
        lake.needs = max(0, bid_of(s, seat) - rolled[0])
        if lake.needs:
            needed = lake.needs
            lake.verdict = f"needs {needed}"
            pay = [] if refuse_pay(lake, angler) else [offer("pay", baits=needed)]
            if pay:
                baits = say_count(*BAITS, count=needed)
                want = say("Your roll is {needed} too low: spend {baits} or catch nothing.", needed=needed, baits=baits)
                others = say(
                    "Seat {seat} rolled {needed} too low and may spend {baits}.", seat=seat, needed=needed, baits=baits
                )
            else:
                want = say("Your roll is too low for your bid.")
                others = say("Seat {seat} rolled {needed} too low.", seat=seat, needed=needed)
            answer = await ask(s, seat, [*uses(s, seat, "open"), *pay, offer("fail")], want, others)
        else:
            lake.verdict = "success"
            left = prizes(lake.spots[0])
            open_uses = uses(s, seat, "open")
            if not left and not open_uses:
                tell(s, "Seat {seat} succeeds, but nothing is left.", rule="BB-17", kind="nothing", seat=seat)
                return False
            want = (
                say("Take a Fish or the Spot.")
                if left
                else say("Nothing is left to take: use an ability, or end your turn.")
            )
            others = (
                say("Seat {seat} takes a Fish or the Spot.", seat=seat)
                if left
                else say("Nothing is left for Seat {seat} to take.", seat=seat)
            )
            answer = await ask(s, seat, [*open_uses, *(left or [offer("done")])], want, others)
        match answer.move:
            case "use":
                await use(s, seat, answer)
            case "pay":
                give_back(s, seat, lake.needs)
                lake.needs, lake.verdict = 0, "paid"
                if left := prizes(lake.spots[0]):
                    others = say("Seat {seat} takes a Fish or the Spot.", seat=seat)
                    await take_prize(s, seat, await ask(s, seat, left, say("Take a Fish or the Spot."), others))
                else:
                    tell(s, "Seat {seat} succeeds, but nothing is left.", rule="BB-17", kind="nothing", seat=seat)
                return True
            case "fail":
                lake.verdict = "failed"
                tell(
                    s,
                    say(
                        "Seat {seat} fails: {rolled} against a bid of {bid}.",
                        seat=seat,
                        rolled=rolled[0],
                        bid=angler.bid,
                    ),
                    rule="BB-14",
                    kind="fail",
                    seat=seat,
                )
                return False
            case "done":
                tell(s, "Seat {seat} takes nothing: nothing is left.", rule="BB-17", kind="nothing", seat=seat)
                return False
            case _:
                await take_prize(s, seat, answer)
                return True


def prizes(spot: Spot) -> list[Move]:
    """BB-16, BB-18: return the Fish that are left, and the Spot itself if it has an ability and is still there.

    BB-V09: printed Fish are all alike to the hub, and the first one stands for any.
    """
    slots = [slot for slot, fish in enumerate(spot.fish, 1) if fish]
    if UNKNOWN in spot.fish:
        slots = slots[:1]
    moves = [offer("take_fish", slot=OneOf(slots))] if slots else []
    return moves if refuse_spot(spot) else [*moves, offer("take_spot")]


def refuse_spot(spot: Spot) -> Refusal | None:
    """BB-18: return why a Spot itself is no prize; or None."""
    if not spot.ability:
        return Refusal("This Spot has no ability and cannot be taken.", "BB-X07")
    return Refusal("This Spot is taken.", "BB-X07") if spot.taken else None


def refuse_pay(lake: Lake, angler: Angler) -> Refusal | None:
    """BB-14: return why the roller cannot pay for what the roll is short of; or None."""
    if not lake.needs:
        return Refusal("You don't need Baits now.", "BB-X05")
    if angler.baits < lake.needs:
        return Refusal(
            say("You need exactly {needed} and have {baits}.", needed=lake.needs, baits=angler.baits), "BB-X05"
        )
    return None


def explain_turn(lake: Lake, angler: Angler, action: Action) -> Refusal | None:
    """Return why a move of the roller does not fit the roll."""
    spot = lake.spots[0]
    must_take = lake.verdict in ("success", "paid")
    match action.move:
        case "pay":
            return refuse_pay(lake, angler) or Refusal(say("You need exactly {needed}.", needed=lake.needs), "BB-X05")
        case "take_spot" if (refused := refuse_spot(spot)) and (lake.verdict != "taken" or not spot.ability):
            return refused
        case "take_fish" if must_take:
            return Refusal("There is no Fish in that slot of this Spot.", "BB-X06")
        case "take_fish" | "take_spot":
            return Refusal(
                say("You can take only one prize per turn.")
                if lake.verdict == "taken"
                else say("You can't take anything without a success."),
                "BB-X06",
            )
        case "fail" | "done" if must_take and prizes(spot):
            return Refusal("You must take a Fish or the Spot.", "BB-X08")
        case "fail" | "done":
            return Refusal(say("You can't end your turn now.") if lake.rolled else say("Roll first."), "BB-X03")
        case "keep":
            return Refusal("Keep one of the Fish you draw with Advanced Spot 9.", "BB-X09")
        case "keep_die":
            return Refusal("Keep one of the two dice you roll with Advanced Spot 7.", "BB-X09")
    return None


def explain_early(action: Action) -> Refusal | None:
    """Return why a move of the turn is refused before anybody has rolled."""
    match action.move:
        case "pay":
            return Refusal("Spend Baits only after a roll that is too low.", "BB-X05")
        case "take_fish" | "take_spot":
            return Refusal("First bid, then roll, then take.", "BB-X06")
        case "fail" | "done" | "keep" | "keep_die":
            return Refusal("It is not your turn to roll yet.", "BB-X03")
    return None


async def take_prize(s: Table, seat: int, answer: Answer) -> None:
    """BB-16, BB-18: a Fish goes face up before the player; a Spot is kept for its ability."""
    spot, angler = s.table.spots[0], s.seats[seat]
    s.table.verdict = "taken"
    if answer.move == "take_spot":
        spot.taken = angler.caught = True
        angler.spots.append(spot.number)
        tell(s, "Seat {seat} takes Spot {spot}.", rule="BB-18", kind="spot", seat=seat, spot=spot.number)
        return
    slot = answer["slot"] - 1
    fish, spot.fish[slot] = spot.fish[slot], None
    if fish:
        await gain_fish(s, seat, fish, "BB-16")


async def dummy_takes(s: Table, seat: int) -> None:
    """BB-D03, BB-D04: the dummy succeeds without a roll and takes the first Fish there is, never a Spot."""
    for slot, fish in enumerate(s.table.spots[0].fish, 1):
        if fish:
            await take_prize(s, seat, Answer("take_fish", {"slot": slot}))
            return
    tell(s, "Seat {seat}, the dummy, finds no Fish.", rule="BB-D04", kind="nothing", seat=seat)


# --- Abilities ---------------------------------------------------------------------------------------


def uses(s: Table, seat: int, window: str, dice: int = 1) -> list[Move]:
    """BB-26, BB-27: return the abilities that `seat` may use in this window of its turn: before, open or after."""
    moves: list[Move] = []
    for spot in s.seats[seat].spots:
        match ability(s, spot):
            case "reroll":
                moves += reroll(s, spot) if window == "open" else []
            case "change":  # BB-V07
                moves += change(s, seat, spot) if window == "before" and s.setup.options["late_change"] else []
            case "two_dice":  # BB-34: said before rolling
                moves += [offer("use", spot=spot)] if window == "before" and dice == 1 else []
            case "rearrange":  # BB-33
                row = [later.number for later in s.table.spots[1:]]
                moves += [offer("use", spot=spot, order=Order(row))] if row else []
            case "salvage":  # BB-34: not while there are no discarded Fish
                discards = distinct(s.table.discards)
                moves += [offer("use", spot=spot, fish=OneOf(discards))] if discards else []
            case "release":  # BB-31
                moves += [offer("use", spot=spot, fish=OneOf(distinct(mine)))] if (mine := fish_of(s, seat)) else []
            case "release_two":  # BB-34
                mine = fish_of(s, seat)
                moves += [offer("use", spot=spot, fish=Choose(mine, 1, min(RELEASED, len(mine))))] if mine else []
            case "cast":  # BB-34
                moves += [offer("use", spot=spot)] if s.table.pile.cards or s.table.discards else []
            case _:  # BB-29, BB-30, BB-34: Baits and the Duck can always be had
                moves.append(offer("use", spot=spot))
    return moves


def reroll(s: Table, spot: int) -> list[Move]:
    """BB-28, BB-34: return the reroll after a roll; of two dice, of the one that is chosen."""
    rolled = s.table.rolled or []
    return [offer("use", spot=spot, die=OneOf(distinct(rolled))) if len(rolled) == 2 else offer("use", spot=spot)]


def change(s: Table, seat: int, spot: int) -> list[Move]:
    """BB-32: return another number from 1 to 6."""
    others = [number for number in range(1, SIDES + 1) if number != s.seats[seat].bid]
    return [offer("use", spot=spot, bid=OneOf(others))]


def explain_use(s: Table, seat: int, action: Action) -> Refusal:
    """Return why an ability is refused: not held or not now (BB-X09), or nothing to work on (BB-X10)."""
    spot = action.args.get("spot")
    if type(spot) is not int or spot not in s.seats[seat].spots:
        return Refusal("You don't have that Spot.", "BB-X09")
    what, lake = ability(s, spot), s.table
    if s.phase == "change" and what != "change":
        return Refusal("You can only change your bid now.", "BB-X09")
    if s.phase in ("bid", "dummy") or (s.phase in ("roll", "take") and seat != lake.turn):
        return Refusal("Use abilities only on your own turn to roll.", "BB-X09")
    if any(move.accepts(action.args) for move in uses(s, seat, "after")):
        return Refusal("You can't use that ability now.", "BB-X09")
    match what:
        case "change" if s.phase == "change" or (s.setup.options["late_change"] and not lake.rolled):
            return Refusal(say("Change your bid to another number from 1 to {sides}.", sides=SIDES), "BB-X01")
        case "salvage":
            return Refusal(
                say("That Fish is not among the discards.")
                if lake.discards
                else say("No Fish have been discarded yet."),
                "BB-X10",
            )
        case "release":
            return Refusal("Choose a Fish you have.", "BB-X10")
        case "release_two":
            return Refusal("Choose one or two Fish you have.", "BB-X10")
        case "rearrange":
            return Refusal("List each of the next Spots exactly once.", "BB-X10")
        case "cast":
            return Refusal("There are no Fish left to draw.", "BB-X10")
    return Refusal("You can't use that ability now.", "BB-X09")


async def use(s: Table, seat: int, answer: Answer) -> None:
    """BB-26: the ability works once; its Spot leaves the game."""
    spot: int = answer["spot"]
    what = ability(s, spot)
    lake, angler = s.table, s.seats[seat]
    angler.spots.remove(spot)
    words = s.setup.data["abilities"][what]
    tell(
        s, say("Seat {seat} uses Spot {spot}: {ability}.", seat=seat, spot=spot, ability=words), rule="BB-26",
        kind="use", seat=seat, spot=spot,
    )  # fmt: skip
    match what:
        case "reroll":
            await use_reroll(s, seat, answer)
        case "baits":
            gain_baits(s, seat, BAITS_OF_SPOT, "BB-29")
        case "duck":
            lake.duck, lake.duck_taken = seat, True
            tell(s, "Seat {seat} takes the Duck.", rule="BB-30", kind="duck", seat=seat)
        case "release":
            release(s, seat, answer["fish"])
        case "release_two":
            for fish in answer["fish"]:
                release(s, seat, fish)
        case "change":
            angler.bid = bid = answer["bid"]
            tell(s, "Seat {seat} changes its bid to {bid}.", rule="BB-32", kind="bid", seat=seat, bid=bid)
        case "rearrange":
            later = {other.number: other for other in lake.spots[1:]}
            lake.spots[1:] = [later[number] for number in answer["order"]]
            row = listed(answer["order"], ",")
            tell(s, say("The next Spots are now {spots}.", spots=row), rule="BB-33", kind="row", spots=answer["order"])
        case "borrow":
            borrow_baits(s, seat)
        case "salvage":
            lake.discards.remove(answer["fish"])
            await gain_fish(s, seat, answer["fish"], "BB-34")
        case "cast":
            await use_cast(s, seat)


async def use_reroll(s: Table, seat: int, answer: Answer) -> None:
    """BB-28: the new result replaces the old one, better or worse."""
    s.phase, s.table.needs, s.table.verdict = "roll", 0, ""
    wants = AtLeast(bid_of(s, seat), short=s.seats[seat].baits, coins=BAITS)
    others = say("Seat {seat} rolls again: the new result counts.", seat=seat)
    (face,) = await roll(s, seat, 1, SIDES, "reroll", say("Roll again: the new result counts."), wants, others)
    rolled = list(s.table.rolled or [])
    place = rolled.index(answer["die"]) if "die" in answer.args else 0
    rolled[place] = face
    s.table.rolled = rolled
    tell(
        s, say("Seat {seat} rerolls: {face}.", seat=seat, face=face), rule="BB-28", kind="roll", seat=seat, faces=[face],
        **verdict_of(s, seat, rolled),
    )  # fmt: skip


async def use_cast(s: Table, seat: int) -> None:
    """BB-34, Advanced 9: three Fish from the pile are seen by all; one is kept, the others are discarded."""
    lake = s.table
    for _ in range(FISH_DRAWN):
        fish = await next_fish(s)
        lake.drawn += [fish] if fish else []
    drawn = (
        say("{count} Fish", count=len(lake.drawn))
        if is_printed(s.setup)
        else listed(name_of(s, fish) for fish in lake.drawn)
    )
    tell(
        s, say("Seat {seat} draws {fish}.", seat=seat, fish=drawn), rule="BB-34", kind="draw", seat=seat,
        fish=list(lake.drawn),
    )  # fmt: skip
    kept = [offer("keep", fish=OneOf(distinct(lake.drawn)))]
    answer = await ask(
        s, seat, kept, say("Keep one of these Fish."), say("Seat {seat} keeps one of these Fish.", seat=seat)
    )
    lake.drawn.remove(answer["fish"])
    lake.discards += lake.drawn
    lake.drawn = []
    await gain_fish(s, seat, answer["fish"], "BB-34")


def borrow_baits(s: Table, seat: int) -> None:
    """BB-34, Advanced 3: one Bait from each other player who has one; BB-D05: nothing from the dummy."""
    given = 0
    for other, angler in s.seats.items():
        if other != seat and angler.baits:
            angler.baits -= 1
            given += 1
            tell(
                s, say("Seat {other} gives Seat {seat} a Bait.", other=other, seat=seat), rule="BB-34", kind="give",
                **baits(s, other, -1),
            )  # fmt: skip
    if given:
        s.seats[seat].baits += given
        tell(
            s, say("Seat {seat} gets {baits}.", seat=seat, baits=say_count(*BAITS, count=given)), rule="BB-34",
            kind="baits", **baits(s, seat, given),
        )  # fmt: skip


def release(s: Table, seat: int, fish: str) -> None:
    """BB-31: an open Fish of that type goes first; the secret one is shown as it goes."""
    angler = s.seats[seat]
    if fish in angler.fish:
        angler.fish.remove(fish)
    else:
        angler.secret_fish = Secret(None, (seat,))
    s.table.discards.append(fish)
    text = (
        say("Seat {seat} discards a Fish.", seat=seat)
        if fish == UNKNOWN
        else say("Seat {seat} discards a Fish: {fish}.", seat=seat, fish=name_of(s, fish))
    )
    tell(s, text, rule="BB-31", kind="release", fish=fish, **caught(s, seat, -1))


# --- The new Spot and the end ------------------------------------------------------------------------


async def new_spot(s: Table) -> None:
    """BB-20 to BB-23: consolation, leftovers, the Duck, the next Spot. Nothing is laid after the last round."""
    lake = s.table
    for seat in clockwise(people(s), lake.duck):
        if not s.seats[seat].caught:
            gain_baits(s, seat, s.setup.data["lake"]["consolation"], "BB-20")
    if s.round == ROUNDS:
        return
    lake.discards += [fish for fish in lake.spots.pop(0).fish if fish]  # BB-21
    if not lake.duck_taken:  # BB-22, BB-D05
        lake.duck = clockwise(people(s), lake.duck)[1]
        tell(s, "The Duck goes to Seat {seat}.", rule="BB-22", kind="duck", seat=lake.duck)
    if lake.deck:
        await lay_spot(s)


async def lay_spot(s: Table) -> None:
    """BB-04, BB-23: the next Spot of the deck at the right end, filled slot by slot by the data's table (BB-V08)."""
    lake, data = s.table, s.setup.data
    number = lake.deck.pop(0)
    side = "advanced" if lake.sides[number - 1] == "A" else "basic"
    what = data["spots"][str(number)][side]
    slots = data["prizes"][str(len(s.seats))][0 if what else 1]
    spot = Spot(number, side, what, data["abilities"].get(what, say("No ability, but one more Fish")), [])
    lake.spots.append(spot)
    for _ in range(slots):
        spot.fish.append(await next_fish(s))
    if is_printed(s.setup) and s.phase != "setup":
        fish = len(spot.fish) - spot.fish.count(None)
        text = (
            say("Lay out Spot {spot}, basic side up, with {count} Fish.", spot=number, count=fish)
            if side == "basic"
            else say("Lay out Spot {spot}, advanced side up, with {count} Fish.", spot=number, count=fish)
        )
        tell(s, text, rule="BB-V09", kind="lay", spot=number)


async def next_fish(s: Table) -> str | None:
    """BB-23: the top Fish; an empty pile is made anew of the discards; None when there are none at all."""
    lake = s.table
    if not lake.pile.cards and lake.discards:
        discards, lake.discards = lake.discards, []
        lake.pile.cards = await shuffled(s, discards, "fish")
        text = say("Shuffle the discarded Fish.") if is_printed(s.setup) else say("The discarded Fish are shuffled.")
        tell(s, text, rule="BB-23", kind="lay" if is_printed(s.setup) else "shuffle")
    return lake.pile.cards.pop(0) if lake.pile.cards else None


async def gain_fish(s: Table, seat: int, fish: str, rule: str) -> None:
    """BB-16, BB-34: a Fish is taken face up. BB-19, BB-24: a full set ends the game in that moment."""
    angler = s.seats[seat]
    angler.fish.append(fish)
    angler.caught = True
    text = (
        say("Seat {seat} takes a Fish.", seat=seat)
        if fish == UNKNOWN
        else say("Seat {seat} takes a Fish: {fish}.", seat=seat, fish=name_of(s, fish))
    )
    tell(s, text, rule=rule, kind="fish", fish=fish, **caught(s, seat, 1))
    if is_printed(s.setup):  # BB-V09: people see the Fish, and show a set
        return
    mine = fish_of(s, seat)
    if angler.dummy and not s.setup.options["dummy_can_win"]:  # BB-V05, BB-D06
        return
    if len(distinct(mine)) == len(s.setup.data["cards"]):
        win(s, seat, say("Seat {seat} has six different Fish.", seat=seat))
    if max(mine.count(kind) for kind in mine) == FOUR:
        win(s, seat, say("Seat {seat} has four of a kind.", seat=seat))


def standing(s: Table, seat: int) -> list[Move]:
    """BB-V09, BB-19: the hub does not see printed Fish: a seat with enough of them may show a set at any time."""
    lake = s.table
    asked = lake.turn == seat and ((s.phase == "roll" and lake.rolled is None) or lake.verdict == LAST_SET)
    return [offer("show_set")] if may_show_set(s, seat) and not asked else []


def stand(s: Table, seat: int, _answer: Answer) -> None:
    """BB-V09: carry out the one standing offer: a set is shown."""
    show_set(s, seat)


async def last_sets(s: Table) -> None:
    """BB-V09, BB-19: after the last roll, ask those who caught something in the last round before the Fish are counted.

    All others could show a set before their last roll. Whoever had the earlier turn is asked first.
    """
    for seat in s.table.order or ():
        if s.seats[seat].caught and may_show_set(s, seat):
            moves, others = (
                [offer("show_set"), offer("no_set")],
                say("Seat {seat} says whether it has a set.", seat=seat),
            )
            want = say("Do you have four Fish of a kind, or six different Fish?")
            s.table.turn, s.table.verdict = seat, LAST_SET
            if (await ask(s, seat, moves, want, others, hidden=True)).move == "show_set":
                show_set(s, seat)


def may_show_set(s: Table, seat: int) -> bool:
    """BB-V09: return whether a seat has enough printed Fish for a set."""
    return is_printed(s.setup) and s.seats[seat].fish_count >= FOUR


def show_set(s: Table, seat: int) -> NoReturn:
    """BB-V09, BB-19: printed Fish that are a set win."""
    win(s, seat, say("Seat {seat} shows a set of Fish.", seat=seat))


def win(s: Table, seat: int, reason: str) -> NoReturn:
    """BB-19: the winner's secret Fish is shown."""
    angler = s.seats[seat]
    if angler.secret_fish.value:
        angler.fish.append(angler.secret_fish.value)
        angler.secret_fish = Secret(None, (seat,))
    s.phase = "over"
    raise Won([seat], {other: rival.fish_count for other, rival in s.seats.items()}, reason, rule="BB-19")


def fewest_fish(s: Table) -> None:
    """BB-25, BB-D06: nobody has a set after ten rounds: the fewest Fish, then the most Baits, then shared."""
    s.phase = "over"
    scores = {seat: s.seats[seat].fish_count for seat in people(s)}
    best = min((count, -s.seats[seat].baits) for seat, count in scores.items())
    winners = [seat for seat, count in scores.items() if (count, -s.seats[seat].baits) == best]
    reason = say_count(
        "All ten Spots are done: {seats} has the fewest Fish.", "All ten Spots are done: {seats} have the fewest Fish.",
        len(winners), seats=seats_words(winners),
    )  # fmt: skip
    raise Won(winners, scores, reason, rule="BB-25")


# --- Baits and Fish ----------------------------------------------------------------------------------


def gain_baits(s: Table, seat: int, wanted: int, rule: str) -> None:
    """BB-20, BB-29: as many as the supply still has; BB-D05: the dummy never gets any."""
    angler, lake = s.seats[seat], s.table
    got = wanted if lake.supply is None else min(wanted, lake.supply)
    if angler.dummy or not got:
        return
    angler.baits += got
    if lake.supply is not None:
        lake.supply -= got
    tell(
        s, say("Seat {seat} gets {baits}.", seat=seat, baits=say_count(*BAITS, count=got)), rule=rule, kind="baits",
        **baits(s, seat, got),
    )  # fmt: skip


def give_back(s: Table, seat: int, spent: int) -> None:
    """BB-15: spent Baits go to the supply."""
    s.seats[seat].baits -= spent
    if s.table.supply is not None:
        s.table.supply += spent
    tell(
        s, say("Seat {seat} spends {baits} and succeeds.", seat=seat, baits=say_count(*BAITS, count=spent)),
        rule="BB-14", kind="pay", **baits(s, seat, -spent),
    )  # fmt: skip


def baits(s: Table, seat: int, got: int) -> Reckoned:
    """Return the data of Baits that have just come or gone."""
    now = s.seats[seat].baits
    return reckoned(seat, "baits", now - got, now, f"{now - got} {'+' if got > 0 else '-'} {abs(got)} = {now}")


def caught(s: Table, seat: int, got: int) -> Reckoned:
    """Return the data of a Fish that has just come or gone; the secret one counts (BB-03)."""
    now = s.seats[seat].fish_count
    return reckoned(seat, "fish_count", now - got, now, f"{now - got} {'+' if got > 0 else '-'} 1 = {now}")


def people(s: Table) -> list[int]:
    """Return the seats that are not the dummy."""
    return [seat for seat, angler in s.seats.items() if not angler.dummy]


def dummies(s: Table) -> list[int]:
    """Return the dummy's seat, if it plays (BB-V04)."""
    return [seat for seat, angler in s.seats.items() if angler.dummy]


def bid_of(s: Table, seat: int) -> int:
    """Return a bid that has been revealed."""
    number = s.seats[seat].bid
    assert isinstance(number, int)
    return number


def fish_of(s: Table, seat: int) -> list[str]:
    """BB-03: return all Fish of a seat, the secret one last."""
    angler = s.seats[seat]
    return angler.fish + ([angler.secret_fish.value] if angler.secret_fish.value else [])


def ability(s: Table, spot: int) -> str:
    """Return what a Spot can do with the side that lies up."""
    what: str = s.setup.data["spots"][str(spot)]["advanced" if s.table.sides[spot - 1] == "A" else "basic"]
    return what


def holding(s: Table, seat: int, what: str) -> list[int]:
    """Return the Spots with that ability before a seat."""
    return [spot for spot in s.seats[seat].spots if ability(s, spot) == what]


def distinct(values: Sequence[T]) -> list[T]:
    """Return each value once, in order of appearance."""
    return list(dict.fromkeys(values))


# --- Refusals ----------------------------------------------------------------------------------------


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: BB-X01 to BB-X13."""
    lake, seat = s.table, action.seat
    if s.phase == "over":
        return Refusal("The game has ended.", "BB-X13")
    if action.move == "roll":
        return explain_roll(s, action)
    if seat in dummies(s):
        return Refusal("Nobody decides for the dummy.", "BB-X11")
    if seat not in s.seats:
        return Refusal(say("There is no seat {seat} in this match.", seat=seat), "FORM")
    if action.move in ("laid_out", "show_set", "no_set"):
        return Refusal("That works only with printed cards, at the right time.", "BB-V09")
    if action.move == "bid":
        return explain_bid(s, s.seats[seat])
    if action.move == "use":
        return explain_use(s, seat, action)
    if s.phase in ("bid", "dummy", "change"):
        return explain_early(action)
    if lake.turn is None:
        return Refusal("There's nothing to decide now.", "BB-X03")
    if seat != lake.turn:
        return Refusal(say("It is Seat {seat}'s turn.", seat=lake.turn), "BB-X03")
    return explain_turn(lake, s.seats[seat], action)


# --- For screens -------------------------------------------------------------------------------------


def wished(s: Table, seat: int) -> list[Action]:
    """Return what a player may look for after the roll: Baits for what is missing, or the Spot as a prize."""
    lake = s.table
    if s.phase != "take" or seat != lake.turn:
        return []
    moves = ["pay"] if lake.needs else ["take_spot"] if lake.verdict in ("success", "paid") else []
    return [Action(seat=seat, move=move) for move in moves]


def notes(s: Table, seat: int) -> dict[str, dict[str, str]]:
    """BB-13, BB-14: return beside each number how likely one die reaches it, alone and with the Baits at hand."""
    baits = s.seats[seat].baits
    numbers = range(1, SIDES + 1)
    return {"number": {str(n): chances_text(1, SIDES, AtLeast(n, short=baits, coins=BAITS)) for n in numbers}}


def name_of(s: Table, fish: str) -> str:
    """Return what a Fish is called: "Carp"."""
    name: str = s.setup.data["cards"][fish]["name"]
    return name
