"""The house player of Farkle: it banks once one more roll risks more than it brings.

`easy` goes by feeling. `steady` knows what a turn is worth on average with so many dice and so many points at stake (`VALUE`).
`sharp` reckons with the chance to win (`Race`): it risks more if it is behind, and less if it is ahead.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, inf, prod
from typing import TypeAlias

from hub.engine.decision import Answer
from hub.engine.event import clockwise
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import say, say_count

DICE = 6
STEP = 50
"""Points come in steps of so many."""
ENOUGH, MORE = 250, 350
"""The points with which `easy` banks: the first number, and up to the second more, as it feels."""

AT_STAKE = (0, 250, 500, 1000, 2000, 4000)
VALUE: tuple[tuple[int, ...], ...] = (
    (),
    (217, 288, 362, 515, 829, 1474),
    (185, 249, 384, 657, 1207, 2311),
    (197, 296, 475, 834, 1553, 2995),
    (241, 383, 584, 1004, 1844, 3527),
    (337, 517, 725, 1162, 2083, 3927),
    (591, 799, 1019, 1475, 2417, 4349),
)
"""What a turn brings on average if so many dice are rolled with so many points at stake (`AT_STAKE`), and played on best."""
NEEDED = (0, 50, 100, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000)
REACHED: tuple[tuple[float, ...], ...] = (
    (),
    (1.0, 0.333, 0.329, 0.321, 0.307, 0.271, 0.221, 0.154, 0.116, 0.065, 0.040, 0.012, 0.001),
    (1.0, 0.556, 0.407, 0.254, 0.248, 0.233, 0.202, 0.131, 0.096, 0.053, 0.034, 0.010, 0.001),
    (1.0, 0.722, 0.623, 0.322, 0.239, 0.233, 0.216, 0.142, 0.104, 0.056, 0.037, 0.011, 0.001),
    (1.0, 0.843, 0.791, 0.577, 0.324, 0.275, 0.261, 0.184, 0.136, 0.070, 0.043, 0.014, 0.002),
    (1.0, 0.923, 0.902, 0.799, 0.593, 0.403, 0.356, 0.255, 0.195, 0.096, 0.056, 0.018, 0.002),
    (1.0, 0.977, 0.971, 0.939, 0.850, 0.704, 0.570, 0.413, 0.330, 0.186, 0.108, 0.034, 0.004),
)
"""How likely so many dice bring so many points more (`NEEDED`) before a Farkle, if that is all that matters."""
MISSING = (50, 250, 500, 1000, 1500, 2000, 3000, 4000, 5000)
WINS = (
    (0.436, 0.501, 0.559, 0.683, 0.780, 0.855, 0.941, 0.978, 0.992),
    (0.371, 0.435, 0.493, 0.627, 0.734, 0.825, 0.927, 0.972, 0.990),
    (0.308, 0.367, 0.428, 0.557, 0.670, 0.767, 0.891, 0.953, 0.981),
    (0.186, 0.231, 0.295, 0.424, 0.546, 0.655, 0.816, 0.910, 0.958),
    (0.118, 0.146, 0.202, 0.316, 0.432, 0.543, 0.728, 0.851, 0.924),
    (0.067, 0.084, 0.130, 0.224, 0.331, 0.437, 0.633, 0.781, 0.878),
    (0.023, 0.029, 0.053, 0.108, 0.180, 0.263, 0.446, 0.618, 0.755),
    (0.008, 0.010, 0.020, 0.048, 0.091, 0.146, 0.289, 0.452, 0.607),
    (0.003, 0.003, 0.008, 0.021, 0.043, 0.076, 0.175, 0.307, 0.456),
)
"""How likely a player wins against one other, who has the next turn, by the points that each of them misses (`MISSING`): first
the player's own, then the other's. Both play best: this is the solution of a match to 5,000 points.
"""
AHEAD = 800
"""So many points more are weighed roll by roll; above that, only one roll more."""
GAINED = (0, 422, 160, 147, 186, 255, 452)
"""What one roll more of so many dice brings on average, if it scores."""

Ways: TypeAlias = tuple[tuple[int, int], ...]
"""What can be set aside of a roll: the dice that are left then, and the most points."""


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return dice to set aside (FK-04), or bank (FK-05); None to roll."""
    stake, dice = sight.table["points"], sight.table["dice"]
    if sight.roll:
        return Answer("bank", {}) if banks(sight, stake, dice, chance, strength) else None
    worth = {choice["id"]: (stake + choice["points"], left(dice, choice)) for choice in sight.table["choices"]}
    if strength == "easy":
        chosen = max(worth, key=lambda one: worth[one][0])
    elif strength == "steady":
        chosen = best(worth, lambda one: average(sight, *worth[one]), chance)
    else:
        race = Race(sight, stake)
        chosen = best(worth, lambda one: race.best(*worth[one]), chance)
    return Answer("keep", {"dice": chosen})


def banks(sight: Sight, stake: int, dice: int, chance: Randomness, strength: Strength) -> bool:
    """FK-05: whether to bank. FK-16: in the last round only points win that are more than anybody has."""
    if sight.table["last"] is not None and sight.me["points"] + stake < leading(sight):
        return False
    match strength:
        case "easy":
            return bool(stake >= ENOUGH + MORE * chance.random())
        case "steady":
            return stake >= average(sight, stake, dice, bank=False)
    race = Race(sight, stake)
    return race.banked(stake) >= race.rolled(stake, dice)


def average(sight: Sight, stake: int, dice: int, *, bank: bool = True) -> float:
    """Return what a turn brings on average with so much at stake. FK-15: as long as it cannot be banked, what is likely."""
    entry: int = sight.options["entry"]
    if not sight.me["points"] and stake < entry:
        return entry * between(NEEDED, REACHED[dice], entry - stake)
    value = between(AT_STAKE, VALUE[dice], stake)
    return max(stake, value) if bank else value


def left(dice: int, choice: dict[str, Sequence[int]]) -> int:
    """FK-07: return how many dice can be rolled after a choice: all six if none is left."""
    return dice - len(choice["faces"]) or DICE


def leading(sight: Sight) -> int:
    """Return the most points that another player has."""
    points: int = max(sight.of(seat)["points"] for seat in sight.others)
    return points


# --- The chance to win -------------------------------------------------------------------------------


class Race:
    """The chance to win from one turn on: what banking is worth, and what rolling is, for each stake and number of dice."""

    def __init__(self, sight: Sight, stake: int) -> None:
        self.mine: int = sight.me["points"]
        self.target: int = sight.table["target"]
        self.last: int | None = sight.table["last"]
        self.entry: int = 0 if self.mine else sight.options["entry"]
        turns = clockwise(sight.seats, sight.seat)[1:]
        if self.last is not None:
            turns = turns[: turns.index(self.last)]
        self.to_come = [sight.of(seat)["points"] for seat in turns]
        self.done = [sight.of(seat)["points"] for seat in sight.others if seat not in turns]
        self.rivals = [self.race_with(other) for other in self.to_come]
        self.outcomes = outcomes(straight=sight.options["straight"], pairs=sight.options["three_pairs"])
        self.most = max(stake, self.entry) + AHEAD
        self.totals: dict[int, float] = {}
        self.known: dict[tuple[int, int], float] = {}

    def race_with(self, other: int) -> tuple[int, list[float]]:
        """Return the points to reach and, by the points missing to them, how likely this seat wins against one other.

        If more points are missing than in `WINS`, it is as likely as with as many less on both sides.
        """
        goal = min(self.target, min(self.mine, other) + MISSING[-1])
        return goal, [between(MISSING, row, goal - other) for row in WINS]

    def best(self, stake: int, dice: int) -> float:
        """Return the chance to win with so much at stake and so many dice left: what is better, to bank or to roll."""
        if (known := self.known.get((stake, dice))) is None:
            roll = self.rolled(stake, dice) if stake <= self.most else self.rolled_once(stake, dice)
            known = self.known[stake, dice] = max(self.banked(stake), roll)
        return known

    def banked(self, stake: int) -> float:
        """FK-15: return the chance to win with so much banked; none if it cannot be."""
        return self.after(self.mine + stake) if stake >= self.entry else -inf

    def rolled(self, stake: int, dice: int) -> float:
        """FK-04 to FK-07: return the chance to win with one more roll, and the best of each."""
        found, lost = 0.0, 1.0
        for likely, ways in self.outcomes[dice]:
            found += likely * max([self.best(stake + points, left) for left, points in ways])
            lost -= likely
        return found + lost * self.after(self.mine)

    def rolled_once(self, stake: int, dice: int) -> float:
        """Return the chance to win with one more roll, about; in the last round, with as many as it takes."""
        if self.last is not None:
            return between(NEEDED, REACHED[dice], max([*self.to_come, *self.done]) + STEP - self.mine - stake)
        scores = REACHED[dice][1]
        return scores * self.after(self.mine + stake + GAINED[dice]) + (1.0 - scores) * self.after(self.mine)

    def after(self, total: int) -> float:
        """Return the chance to win with so many points at the end of the turn."""
        if (known := self.totals.get(total)) is None:
            known = self.totals[total] = self.in_the_end(total)
        return known

    def in_the_end(self, total: int) -> float:
        """FK-16, FK-17: return how likely nobody who has a turn left gets past `total`, or gets to the target first."""
        if self.last is None and total < self.target:
            wins = [between(MISSING, chances, goal - total) for goal, chances in self.rivals]
            return 1.0 / (1.0 + sum(1.0 / one - 1.0 for one in wins))
        alone = 1.0
        for other in self.done:
            alone *= 1.0 if total > other else 0.5 if total == other else 0.0
        for other in self.to_come:
            alone *= 1.0 - between(NEEDED, REACHED[DICE], total + STEP - other)
        return alone


@lru_cache(maxsize=4)
def outcomes(*, straight: bool, pairs: bool) -> tuple[tuple[tuple[float, Ways], ...], ...]:
    """Return for each number of dice the rolls that score, those alike as one (FK-09 to FK-14)."""
    found = []
    for dice in range(DICE + 1):
        alike: dict[Ways, float] = {}
        for roll in combinations_with_replacement(range(1, DICE + 1), dice):
            counts = tuple(roll.count(face) for face in range(1, DICE + 1))
            if ways := ways_of(counts, straight=straight, pairs=pairs):
                alike[ways] = alike.get(ways, 0.0) + factorial(dice) / prod(map(factorial, counts)) / DICE**dice
        found.append(tuple((likely, ways) for ways, likely in alike.items()))
    return tuple(found)


def ways_of(counts: tuple[int, ...], *, straight: bool, pairs: bool) -> Ways:
    """Return what may be worth setting aside of a roll: the dice that are left, and the most points for that."""
    most: dict[int, int] = {}
    dice = sum(counts)
    for ways in product(*(ways_of_a_kind(face, count) for face, count in enumerate(counts, 1))):
        points, taken = sum(one for one, _ in ways), sum(one for _, one in ways)
        if points:
            most[dice - taken or DICE] = max(most.get(dice - taken or DICE, 0), points)
    if (straight and counts == (1,) * DICE) or (pairs and dice == DICE and not any(count % 2 for count in counts)):
        most[DICE] = max(most.get(DICE, 0), 1500)
    worse = [dice for dice in most if any(other > dice and most[other] >= most[dice] for other in most)]
    return tuple((dice, points) for dice, points in sorted(most.items()) if dice not in worse)


def ways_of_a_kind(face: int, count: int) -> list[tuple[int, int]]:
    """FK-09 to FK-11: return the points of some of these dice, and how many dice that takes."""
    one, three = {1: (100, 1000), 5: (50, 500)}.get(face, (0, 100 * face))
    several = [(three * 2 ** (taken - 3), taken) for taken in range(3, count + 1)]
    return [(0, 0), *((one * taken, taken) for taken in range(1, min(count, 2) + 1) if one), *several]


def between(places: Sequence[int], values: Sequence[float], place: int) -> float:
    """Return the value at a place, between two that are known; beyond the last, what goes on like that, but not below 0."""
    if place <= places[0]:
        return values[0]
    at = min(bisect_left(places, place), len(places) - 1)
    share = (place - places[at - 1]) / (places[at] - places[at - 1])
    return max(0.0, values[at - 1] + share * (values[at] - values[at - 1]))


# --- Reasons -----------------------------------------------------------------------------------------


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return why to bank, to roll, or to set these dice aside; counts only, for how likely is on the screen."""
    stake, dice = sight.table["points"], sight.table["dice"]
    missing = leading(sight) + STEP - sight.me["points"] - stake
    last = sight.table["last"] is not None
    if answer is None:
        if last and missing > 0:
            return say("Banking now would not win: you need {points} more points.", points=missing)
        if dice == DICE:
            return say("With all six dice, a Farkle is rare.")
        words = say_count("one die", "{count} dice", dice)
        return say("With {dice}, another roll brings more than it risks.", dice=words)
    if answer.move == "bank":
        if last:
            return say("This puts you ahead in the last round.")
        if sight.me["points"] + stake >= sight.table["target"]:
            return say("This is enough to start the last round.")
        return say(
            "A Farkle would lose {points} points: that is more than another roll is likely to bring.", points=stake
        )
    (kept,) = (choice for choice in sight.table["choices"] if choice["id"] == answer["dice"])
    if len(kept["faces"]) == dice:
        return say("All six dice are aside then, and you can roll all of them again.")
    if kept["points"] < sight.table["choices"][0]["points"]:
        return say("Fewer points now leave more dice to roll, and those are worth more.")
    return say("Nothing in this roll scores more.")
