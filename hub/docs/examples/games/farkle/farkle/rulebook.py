"""Farkle, a dice game in the public domain: set aside dice that score, and bank the points before a roll scores nothing.

Read `play` first: it is the table of contents. Each function below it names its rules (FK-..), and FK-V.. where tables
play differently.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial, prod
from typing import TypeAlias

from hub.engine.decision import Action, Answer, OneOf, Won, ask, offer, reckoned, roll_or, starter, tell
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal
from hub.engine.odds import odds_text
from hub.engine.text import Text, listed, say, say_count, seats_words

DICE, SIDES = 6, 6  # FK-01
ONE, FIVE = 100, 50  # FK-09
THREE_ONES, TIMES_FACE = 1000, 100  # FK-10: three of a kind
KIND = 3  # FK-10, FK-11
STRAIGHT = 1500  # FK-13
THREE_PAIRS = 1500  # FK-14

Counts: TypeAlias = tuple[int, ...]
"""How many dice show each face, from 1 to 6."""


@dataclass(slots=True)
class Choice:
    """FK-04: dice that may be set aside together: `id` is their faces as one word, `points` what they score."""

    id: str
    faces: list[int]
    points: int


@dataclass(slots=True)
class Tray:
    """The middle of the table, and the turn that is played there. FK-18: all of it is public.

    `dice` are still to be rolled, and `odds` is how often they score; `rolled` is the last roll until some of it is set aside,
    and `choices` what may be, the most points first; `aside` are the dice set aside, and `points` what they score this turn.
    `last` is the seat that has started the last round.
    """

    target: int
    turn: int | None = None
    dice: int = DICE
    odds: str = ""
    rolled: list[int] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    aside: list[int] = field(default_factory=list)
    points: int = 0
    last: int | None = None


@dataclass(slots=True)
class Player:
    """A player. FK-08: `points` are banked, and safe."""

    points: int = 0


Table: TypeAlias = State[Player, Tray]


# --- The game ----------------------------------------------------------------------------------------


async def play(s: Table) -> None:
    """FK-01, FK-02, FK-16: turns clockwise, until it would be the turn of the player who started the last round."""
    first = seat = await starter(s, "first", list(s.seats), "first")
    while seat != s.table.last:
        s.round += seat == first
        await turn(s, seat)
        seat = clockwise(s.seats, seat + 1)[0]
    most_points(s)


def deal(setup: Setup) -> Table:
    """FK-01, FK-V01, FK-X05: return two to six players without points, and the six dice."""
    return Table(setup, {seat: Player() for seat in setup.seats}, Tray(setup.options["target"]), phase="setup")


async def turn(s: Table, seat: int) -> None:
    """FK-03 to FK-07: roll and set aside, until the player banks or a roll scores nothing."""
    t = s.table
    t.turn, t.dice, t.points, t.aside = seat, DICE, 0, []
    while await rolls(s, seat):
        if not t.choices:
            farkle(s, seat)
            return
        await set_aside(s, seat)
    bank(s, seat)


async def rolls(s: Table, seat: int) -> bool:
    """FK-03, FK-05: all six dice first, then those that are left, or the points are banked. Return whether dice were rolled."""
    t, s.phase = s.table, "roll"
    t.odds = odds_text(chance_to_score(t.dice, pairs=s.setup.options["three_pairs"]))
    moves = [] if refuse_bank(s, seat) else [offer("bank")]
    dice = say_count("one die", "{count} dice", t.dice)
    want, others = say("Roll {dice}.", dice=dice), say("Seat {seat} rolls {dice}.", seat=seat, dice=dice)
    if moves:
        want = say("Roll {dice}, or bank {points} points.", dice=dice, points=t.points)
        others = say("Seat {seat} rolls {dice} or banks {points} points.", seat=seat, dice=dice, points=t.points)
    elif t.points:
        entry = s.setup.options["entry"]
        want = say("Roll {dice}: your first points must be {entry} or more in one turn.", dice=dice, entry=entry)
    got = await roll_or(s, seat, t.dice, SIDES, "farkle", want, moves, others=others)
    if isinstance(got, Answer):
        return False
    t.rolled, t.choices = sorted(got), choices_of(s, got)
    text = say("Seat {seat} rolls {faces}.", seat=seat, faces=listed(t.rolled))
    tell(s, text, rule="FK-03", kind="roll", seat=seat, faces=got, verdict=verdict(t))
    return True


async def set_aside(s: Table, seat: int) -> None:
    """FK-04: at least one die that scores. FK-07: once all six are set aside, they are hot, and all can be rolled again."""
    t, s.phase = s.table, "keep"
    moves = [offer("keep", dice=OneOf([choice.id for choice in t.choices]))]
    others = say("Seat {seat} sets aside dice that score.", seat=seat)
    answer = await ask(s, seat, moves, say("Set aside dice that score."), others)
    (chosen,) = (choice for choice in t.choices if choice.id == answer["dice"])
    t.points += chosen.points
    t.dice -= len(chosen.faces)
    t.aside += chosen.faces
    t.rolled, t.choices = [], []
    faces, points = listed(chosen.faces), chosen.points
    text = say("Seat {seat} sets aside {faces}: {points} points.", seat=seat, faces=faces, points=points)
    tell(s, text, rule="FK-04", kind="keep", seat=seat, faces=chosen.faces, points=points)
    if not t.dice:
        t.dice, t.aside = DICE, []
        tell(s, "Hot dice! Seat {seat} can roll all six again.", rule="FK-07", kind="hot", seat=seat)


def farkle(s: Table, seat: int) -> None:
    """FK-06: the points of this turn are lost."""
    t = s.table
    lost, t.points, t.rolled = t.points, 0, []
    tell(
        s, "Farkle! Seat {seat} loses {lost} points." if lost else "Farkle! Seat {seat} scores nothing.", rule="FK-06",
        kind="farkle", seat=seat, lost=lost,
    )  # fmt: skip


def bank(s: Table, seat: int) -> None:
    """FK-08: the points of the turn are safe. FK-16: with the target in hand, everybody else has one more turn."""
    t, player = s.table, s.seats[seat]
    was, won, player.points, t.points = player.points, t.points, player.points + t.points, 0
    how = f"{was} + {won} = {player.points}"
    made = reckoned(seat, "points", was, player.points, how)
    tell(s, "Seat {seat} banks {won} points.", rule="FK-08", kind="bank", won=won, **made)
    if t.last is None and player.points >= t.target:
        t.last = seat
        text = say("Seat {seat} starts the last round: everybody else has one more turn.", seat=seat)
        tell(s, text, rule="FK-16", kind="last", seat=seat)


def most_points(s: Table) -> None:
    """FK-17: the most points win; equal ones share it."""
    s.phase, s.table.turn, s.table.aside = "over", None, []
    scores = {seat: player.points for seat, player in s.seats.items()}
    best = max(scores.values())
    winners = [seat for seat, score in scores.items() if score == best]
    why = say_count(
        "{seats} has the most points.", "{seats} have the most points.", len(winners), seats=seats_words(winners)
    )
    raise Won(winners, scores, why, rule="FK-17")


# --- What dice score ---------------------------------------------------------------------------------


def choices_of(s: Table, rolled: list[int]) -> list[Choice]:
    """FK-04, FK-12: return the dice of one roll that may be set aside together, those with the most points first."""
    found = []
    for counts in product(*(range(rolled.count(face) + 1) for face in range(1, SIDES + 1))):
        if points := worth(s, counts):
            faces = [face for face, count in enumerate(counts, 1) for _ in range(count)]
            found.append(Choice("".join(map(str, faces)), faces, points))
    return sorted(found, key=lambda choice: (-choice.points, len(choice.faces)))


def worth(s: Table, counts: Counts) -> int:
    """FK-12: return what dice score together; 0 if one of them scores nothing. FK-13, FK-14: all six may score as one."""
    kinds = [of_a_kind(face, count) for face, count in enumerate(counts, 1) if count]
    points = sum(kinds) if all(kinds) else 0
    if s.setup.options["straight"] and counts == (1,) * SIDES:  # FK-13, FK-V03
        points = max(points, STRAIGHT)
    if s.setup.options["three_pairs"] and sum(counts) == DICE and not any(count % 2 for count in counts):
        points = max(points, THREE_PAIRS)  # FK-14, FK-V04
    return points


def of_a_kind(face: int, count: int) -> int:
    """FK-09, FK-10, FK-11: return what so many dice with the same face score."""
    if count < KIND:
        return count * {1: ONE, 5: FIVE}.get(face, 0)
    three = THREE_ONES if face == 1 else TIMES_FACE * face
    return three << (count - KIND)


@cache
def chance_to_score(dice: int, *, pairs: bool) -> Fraction:
    """FK-06, FK-14: return how likely a roll scores: not with 2s, 3s, 4s and 6s only, two of each at most."""
    dull = [counts for counts in product(range(KIND), repeat=4) if sum(counts) == dice]
    if pairs and dice == DICE:
        dull = [counts for counts in dull if 1 in counts]
    return 1 - Fraction(sum(factorial(dice) // prod(map(factorial, counts)) for counts in dull), SIDES**dice)


# --- Refusals ----------------------------------------------------------------------------------------


def refuse_bank(s: Table, seat: int) -> Refusal | None:
    """FK-05, FK-15, FK-X02: return why the points of this turn cannot be banked; or None."""
    t, entry = s.table, s.setup.options["entry"]
    if s.phase != "roll" or not t.points:
        return Refusal("Set aside dice that score first.", "FK-X02")
    if not s.seats[seat].points and t.points < entry:  # FK-V02
        return Refusal(say("Your first points must be {entry} or more in one turn.", entry=entry), "FK-X02")
    return None


def explain(s: Table, action: Action) -> Refusal | None:
    """Return why an action that is not offered is refused: FK-X01 to FK-X04."""
    t = s.table
    if s.phase == "over":
        return Refusal("The game has ended.", "FK-X04")
    if action.seat not in s.seats or t.turn is None or action.move not in ("keep", "bank"):
        return None
    if action.seat != t.turn:
        return Refusal(say("It is Seat {seat}'s turn.", seat=t.turn), "FK-X03")
    if action.move == "bank":
        return refuse_bank(s, action.seat)
    if s.phase == "roll":
        return Refusal("Roll first.", "FK-X03")
    return Refusal("Set aside only dice of this roll that score.", "FK-X01")


# --- For screens -------------------------------------------------------------------------------------


def verdict(t: Tray) -> Text:
    """Return what a roll means in a word or two."""
    if not t.choices:
        return say("Farkle!")
    if any(len(choice.faces) == len(t.rolled) for choice in t.choices):
        return say("Hot dice!")
    return say("Up to {points}", points=t.choices[0].points)
