"""The house player of Bid & Bait!: a bid is worth the Fish that are left when its turn comes, times the odds to get there.

`prospects` says how likely a seat is to win: by a set of Fish (BB-19), or by the fewest Fish after ten Spots (BB-25). A bid
is tried against sampled bids of the others; what happens on the turn is weighed with the six faces of the die. `easy`
misjudges all of it, `steady` looks at its own Fish only, `sharp` at everybody's, and remembers what each seat has bid.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hub.engine.decision import Answer, Move, OneOf, Order
from hub.engine.event import clockwise
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import say

SIDES = 6
ROUNDS = 10
FOUR = 4  # BB-19
CONSOLATION = 2  # BB-20: Baits for a round without a prize
MISJUDGED, MISJUDGED_STEADY = 0.25, 0.03
"""By how much `easy` and `steady` may misjudge a chance to win."""
BAIT = 0.006
"""What a Bait is worth beside a chance to win of 1."""
SAMPLES = 24
"""Bids of the others that a bid is tried against (`sharp`; the other strengths a quarter)."""
WANTED = 0.35
"""How likely a seat is to get a Fish of one certain kind in a round, as far as matches of the house tell."""
ANY_OF = 0.75
"""... and at most one of several kinds."""

LATE = 2
"""With more rounds left than this, somebody completes a set nearly always: the fewest Fish do not count yet."""

Fish = tuple[int, ...]
"""How many of each kind a seat has."""


class Angler(NamedTuple):
    """A seat as it counts here: its Fish by kind (of others without the secret one), how many, and its Baits."""

    fish: Fish
    caught: int
    baits: int

    def takes(self, kind: int) -> Angler:
        """Return the seat with one Fish more."""
        fish = (*self.fish[:kind], self.fish[kind] + 1, *self.fish[kind + 1 :])
        return self._replace(fish=fish, caught=self.caught + 1)


class Lake(NamedTuple):
    """What a decision is weighed with."""

    kinds: tuple[str, ...]
    anglers: dict[int, Angler]
    left: int
    """Rounds after this one."""
    prizes: tuple[int, ...]
    """The kinds that lie at the present Spot, as indices."""
    ability: str
    """What the present Spot can do, if it can still be taken; else nothing."""
    strength: Strength


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return a bid (BB-08), what to do with a roll (BB-13 to BB-18), or an ability (BB-26); None to roll (BB-12)."""
    lake = lake_of(sight, strength)
    names = {move.name for move in sight.offers}
    if "bid" in names:
        return bid(sight, lake, chance)
    if sight.roll:
        return before_roll(sight)
    if "keep_die" in names:
        (move,) = sight.offered("keep_die")
        return Answer("keep_die", {"face": max(move.values("face", int))})
    if "keep" in names:
        (move,) = sight.offered("keep")
        return Answer("keep", {"fish": best(move.values("fish", str), lambda fish: gain(lake, sight, fish), chance)})
    return after_roll(sight, lake, chance)


# --- The bid -----------------------------------------------------------------------------------------


def bid(sight: Sight, lake: Lake, chance: Randomness) -> Answer:
    """BB-08 to BB-10: the number that is worth most over samples of what the others may have bid."""
    samples = SAMPLES if lake.strength == "sharp" else SAMPLES // 4
    rivals = [seat for seat in lake.anglers if seat != sight.seat]
    habits = {seat: habit(sight, seat, lake.strength) for seat in rivals}
    worth = [0.0] * (SIDES + 1)
    base = prospects(lake, sight.seat, lake.anglers)
    for _ in range(samples):
        bids = {seat: chance.choice(habits[seat]) for seat in rivals}
        faces = {seat: chance.randrange(1, SIDES + 1) for seat in rivals}
        for number in range(1, SIDES + 1):
            worth[number] += worth_of_turn(sight, lake, {**bids, sight.seat: number}, faces) - base
    number = best(range(1, SIDES + 1), lambda n: worth[n] / samples, chance, misjudged(lake.strength))
    return Answer("bid", {"number": number})


def habit(sight: Sight, seat: int, strength: Strength) -> list[int]:
    """Return numbers among which a seat's bid is drawn: all alike, and for `sharp` what it has bid so far twice more."""
    seen = list(range(1, SIDES + 1))
    if strength == "sharp":
        made = [event.data["bids"].get(f"{seat}") for event in sight.events if event.kind == "reveal"]
        seen += [number for number in made if number] * 2
    return seen


def worth_of_turn(sight: Sight, lake: Lake, bids: dict[int, int], faces: dict[int, int]) -> float:
    """Return the chance to win after one's own turn, where the others bid and roll like that."""
    anglers, prizes, ability = when_it_is_my_turn(sight, lake, bids, faces)
    mine, number = anglers[sight.seat], bids[sight.seat]
    fail = prospects(lake, sight.seat, {**anglers, sight.seat: mine._replace(baits=mine.baits + CONSOLATION)})
    got = [prospects(lake, sight.seat, {**anglers, sight.seat: mine.takes(kind)}) for kind in dict.fromkeys(prizes)]
    if ability:
        got.append(prospects(lake, sight.seat, anglers) + worth_of_ability(lake, ability))
    success = max(got, default=fail)
    total = 0.0
    for face in range(1, SIDES + 1):
        short = max(0, number - face)
        if not short:
            total += success
        else:
            paid = success - BAIT * short if short <= mine.baits else fail
            total += max(paid, fail)
    return total / SIDES


def when_it_is_my_turn(
    sight: Sight, lake: Lake, bids: dict[int, int], faces: dict[int, int]
) -> tuple[dict[int, Angler], list[int], str]:
    """Return all seats, the Fish that are left, and the ability if it is, once those before this seat have rolled."""
    made = list(bids.values())
    # BB-10
    order = sorted(clockwise(bids, sight.table["duck"]), key=lambda seat: (made.count(bids[seat]) > 1, -bids[seat]))
    anglers, prizes, ability = dict(lake.anglers), list(lake.prizes), lake.ability
    for seat in order:
        if seat == sight.seat:
            break
        angler = anglers[seat]
        if faces[seat] + angler.baits >= bids[seat]:
            if prizes:
                kind = max(prizes, key=lambda one: chance_of_set(angler.takes(one).fish, lake.left))
                prizes.remove(kind)
                anglers[seat] = angler.takes(kind)
            else:
                ability = ""
    return anglers, prizes, ability


# --- Why ---------------------------------------------------------------------------------------------


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return how many faces of the die reach a bid (BB-13), or how near a prize brings this seat to a set (BB-19)."""
    lake = lake_of(sight, "sharp")
    if answer is None:
        return say("None of your abilities helps more before the roll.")
    match answer.move:
        case "bid":
            number, baits = answer["number"], lake.anglers[sight.seat].baits
            faces = sum(face + baits >= number for face in range(1, SIDES + 1))
            return say(
                "With your Baits, {faces} of 6 faces of the die reach {number}. Higher bids go first.",
                faces=faces,
                number=number,
            )
        case "take_fish":
            return better_set(lake, sight, sight.table["spots"][0]["fish"][answer["slot"] - 1])
        case "keep":
            return better_set(lake, sight, answer["fish"])
        case "pay":
            return say("The prize is worth more than the Baits it costs.")
        case "fail":
            return say("No prize here is worth its price. Two Baits are better.")
        case "take_spot":
            return say("This Spot's ability is worth more to you than any Fish here.")
        case "keep_die":
            return say("The higher die needs fewer Baits.")
        case "use":
            return say("This Spot helps you most if you use it now.")
    return ""


def better_set(lake: Lake, sight: Sight, fish: str) -> str:
    """BB-19: return what a Fish does for the set of this seat."""
    mine, kind = lake.anglers[sight.seat], lake.kinds.index(fish)
    before, after = (chance_of_set(one.fish, lake.left) for one in (mine, mine.takes(kind)))
    if after > before:
        counts = mine.takes(kind).fish
        alike, kinds = max(counts), sum(count > 0 for count in counts)
        return say("With it, you have {alike} of four of a kind and {kinds} of six kinds.", alike=alike, kinds=kinds)
    return say("No Fish here helps your set more.")


# --- How things stand ----------------------------------------------------------------------------------


def prospects(lake: Lake, seat: int, anglers: dict[int, Angler]) -> float:
    """Return the chance of a seat to win, with what its Baits are worth."""
    me = anglers[seat]
    mine = chance_of_set(me.fish, lake.left)
    if lake.strength != "sharp" or lake.left > LATE:
        return mine - 0.01 * me.caught / (lake.left + 1) + BAIT * me.baits
    nobody = 1.0
    for angler in anglers.values():
        nobody *= 1.0 - chance_of_set(angler.fish, lake.left)
    return mine + nobody * fewest(seat, anglers, lake.left) + BAIT * me.baits


def fewest(seat: int, anglers: dict[int, Angler], left: int) -> float:
    """BB-25: return how likely a seat has the fewest Fish after ten Spots, if nobody completes a set."""
    few: dict[int, float] = {
        other: 2.0 ** (-angler.caught * (0.3 + 2.0 / (left + 1))) for other, angler in anglers.items()
    }
    everybody: float = sum(few.values())
    return few[seat] / max(everybody, 1e-9)


@lru_cache(maxsize=8192)
def chance_of_set(fish: Fish, left: int) -> float:
    """BB-19: return how likely Fish like these become six different or four of a kind in the rounds that are left."""
    missing = 1.0
    for count in fish:
        missing *= 1.0 - at_least(FOUR - count, left, 1)
    kinds = fish.count(0)
    missing *= 1.0 - at_least(kinds, left, kinds)
    return 1.0 - missing


@lru_cache(maxsize=2048)
def at_least(needed: int, left: int, kinds: int) -> float:
    """Return how likely `needed` more Fish are caught in `left` rounds: of one kind each time, or each of other `kinds`."""
    if needed <= 0:
        return 1.0
    if needed > left:
        return 0.0
    rate = min(ANY_OF, 1.0 - (1.0 - WANTED) ** kinds)
    after = kinds - 1 if kinds > 1 else 1
    return rate * at_least(needed - 1, left - 1, after) + (1.0 - rate) * at_least(needed, left - 1, kinds)


def worth_of_ability(lake: Lake, ability: str) -> float:
    """BB-26 to BB-34: return what a Spot is worth as a prize; all but nothing when no round is left to use it in."""
    useful = min(1.0, lake.left / 3)
    match ability:
        case "baits":
            return BAIT * 3
        case "reroll" | "two_dice" | "change":
            return 0.05 * useful
        case "salvage" | "cast":
            return 0.10 * useful
        case "release" | "release_two":
            return 0.04
    return 0.01 * useful


def misjudged(strength: Strength) -> float:
    """Return by how much a chance to win may be misjudged."""
    return MISJUDGED if strength == "easy" else MISJUDGED_STEADY if strength == "steady" else 0.0


def gain(lake: Lake, sight: Sight, fish: str) -> float:
    """Return how much a Fish adds to the chance to win; for `sharp` also what it takes from those who still come."""
    kind, seat = lake.kinds.index(fish), sight.seat
    with_it = {**lake.anglers, seat: lake.anglers[seat].takes(kind)}
    value = prospects(lake, seat, with_it) - prospects(lake, seat, lake.anglers)
    if lake.strength == "sharp":
        order = sight.table["order"] or []
        for other in order[order.index(seat) + 1 :] if seat in order else []:
            angler = lake.anglers[other]
            value += 0.4 * (chance_of_set(angler.takes(kind).fish, lake.left) - chance_of_set(angler.fish, lake.left))
    return value


# --- The turn ----------------------------------------------------------------------------------------


def before_roll(sight: Sight) -> Answer | None:
    """BB-27 (a): take Baits or use Advanced 7 before the die falls; else let it fall."""
    for move in sight.offers:
        what = ability_of(sight, move)
        if what in ("baits", "borrow", "duck") or (what == "two_dice" and sight.me["bid"] > 2):
            return Answer("use", move.first())
    return None


def after_roll(sight: Sight, lake: Lake, chance: Randomness) -> Answer:
    """BB-13 to BB-18, BB-27 (b, c): take, pay, reroll, use what helps, or catch nothing."""

    def worth(answer: Answer) -> float:
        match answer.move:
            case "take_fish":
                kind = sight.table["spots"][0]["fish"][answer["slot"] - 1]
                return gain(lake, sight, kind)
            case "take_spot":
                return worth_of_ability(lake, lake.ability)
            case "pay":
                left = max((gain(lake, sight, lake.kinds[kind]) for kind in lake.prizes), default=0.0)
                left = max(left, worth_of_ability(lake, lake.ability)) if lake.ability else left
                return float(left - BAIT * answer["baits"])
            case "fail":
                return BAIT * CONSOLATION
            case "use":
                return worth_of_use(sight, lake, answer)
        return 0.0

    return best([answer for move in sight.offers for answer in answers(move)], worth, chance, misjudged(lake.strength))


def answers(move: Move) -> list[Answer]:
    """Return the answers that a move stands for: each value of its one open parameter, or its smallest."""
    for name in ("slot", "fish", "bid", "die"):
        param = move.params.get(name)
        if isinstance(param, OneOf | Order):
            return [Answer(move.name, {**move.first(), name: value}) for value in param.values]
    return [Answer(move.name, move.first())]


def worth_of_use(sight: Sight, lake: Lake, answer: Answer) -> float:
    """BB-26 to BB-34: return what an ability is worth now; below 0 where it is better kept."""
    what = sight.data["spots"][f"{answer['spot']}"][side(sight, answer["spot"])]
    short: int = sight.table["needs"]
    match what:
        case "reroll":  # BB-28
            odds: float = (SIDES + 1 - sight.me["bid"]) / SIDES
            prize: float = max((gain(lake, sight, lake.kinds[kind]) for kind in lake.prizes), default=0.0)
            return float(odds * prize) if short and prize > 0 else -1.0
        case "baits" | "borrow":  # BB-29
            return 10.0
        case "salvage":  # BB-34
            added = gain(lake, sight, answer["fish"])
            return added + (10.0 if added > 0.1 else -0.02)
        case "cast":  # BB-34: the best of three
            return (
                0.12
                if lake.left < ROUNDS // 2 and chance_of_set(lake.anglers[sight.seat].fish, lake.left) > 0.1
                else -1.0
            )
        case "release" | "release_two":  # BB-31: fewer Fish count when nobody completes a set
            return 10.0 if not lake.left and chance_of_set(lake.anglers[sight.seat].fish, 1) < 0.5 else -1.0
    return -1.0


# --- Reading the sight -------------------------------------------------------------------------------


def lake_of(sight: Sight, strength: Strength) -> Lake:
    """Return what is weighed, from what the seat sees: its own secret Fish counts (BB-03), those of others are unknown."""
    kinds = tuple(sight.data["cards"])
    anglers = {}
    for name, seen in sight.view["seats"].items():
        fish = list(seen["fish"])
        if int(name) == sight.seat and sight.you["secret_fish"]:
            fish.append(sight.you["secret_fish"])
        anglers[int(name)] = Angler(tuple(fish.count(kind) for kind in kinds), seen["fish_count"], seen["baits"])
    spot = sight.table["spots"][0]
    return Lake(
        kinds, anglers, ROUNDS - sight.view["round"], tuple(kinds.index(fish) for fish in spot["fish"] if fish),
        "" if spot["taken"] else spot["ability"], strength,
    )  # fmt: skip


def ability_of(sight: Sight, move: Move) -> str:
    """Return what the Spot of an offered use can do."""
    spot = move.params["spot"].first()
    assert isinstance(spot, int)
    what: str = sight.data["spots"][f"{spot}"][side(sight, spot)]
    return what


def side(sight: Sight, spot: int) -> str:
    """BB-V01: return which side of a Spot lies up."""
    return "advanced" if sight.table["sides"][spot - 1] == "A" else "basic"
