"""Players that know no game: they answer what is offered, by chance."""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Any

from hub.chance import Chance
from hub.engine.decision import CHANCE, Action, Amount, Choose, Faces, Fixed, Move, OneOf, Order, Param
from hub.engine.game import Game
from hub.engine.labels import MoveLabels
from hub.engine.match import Match
from hub.engine.options import Option
from hub.engine.printed import OPTION
from hub.errors import StartRefused

LONGEST = 20_000
"""No match of any game takes so many actions: one that does is going in circles."""


def value(param: Param, random: Random) -> Any:
    """Return some legal value."""
    match param:
        case Fixed(only):
            return only
        case OneOf(values):
            return random.choice(values)
        case Amount(least, most, step):
            return least + step * random.randint(0, (most - least) // step)
        case Choose(values, least, most):
            return random.sample(values, random.randint(least, min(most, len(values))))
        case Order(values):
            return random.sample(values, len(values))
        case Faces(count, sides):
            return [random.randint(1, sides) for _ in range(count)]


def args(move: Move, random: Random) -> dict[str, Any]:
    """Return some legal values for all parameters of a move."""
    return {name: value(param, random) for name, param in move.params.items()}


def offers(match: Match) -> list[tuple[int, Move]]:
    """Return everything that any person may do now, standing offers included."""
    if match.open is None:
        return []
    return [(seat, move) for seat in match.state.seats for move in (*match.open.offers(seat), *match.standing(seat))]


def safe_action(match: Match, seat: int) -> Action:
    """Return the no of an asked seat: the last of the moves that the labels give to the bar of a box, else its last move."""
    assert match.open
    labels, offered = match.game.labels.moves, match.open.offers(seat)
    bar = [move for move in offered if labels.get(move.name, MoveLabels()).box in ("bar", "ask")]
    move = (bar or offered)[-1]
    return Action(seat=seat, move=move.name, args=move.first(), number=match.open.number)


def random_action(match: Match, random: Random, chance: Chance) -> Action:
    """Return a legal action: dice where they are wanted (mostly), else one of the moves offered."""
    decision = match.open
    assert decision is not None
    if decision.by_chance:
        return chance.answer(decision)
    if decision.kind == "sealed":  # whoever has not locked comes first, so that the match goes on
        waiting = [seat for seat in decision.asked if seat not in decision.answers]
        seat = random.choice(waiting if random.random() < 0.9 else list(decision.asked))
        listed = [(seat, move) for move in decision.offers(seat)] or [
            (waiting[0], m) for m in decision.offers(waiting[0])
        ]
    else:
        listed = offers(match)
    asked = [(seat, move) for seat, move in listed if move in decision.offers(seat)]
    if decision.roll and (not listed or random.random() < 0.7):
        roll = decision.roll
        faces = [random.randint(1, roll.sides) for _ in range(roll.count)]
        return Action(seat=CHANCE, move="roll", args={"faces": faces, "read": random.choice(["read", "typed", "hub"])})
    printed = match.setup.options.get(OPTION)
    # Standing offers now and then only: some could be taken for ever.
    listed = asked if asked and random.random() < (0.97 if printed else 0.9) else listed
    if printed:  # any card may be named: a move is as likely as another, in however many ways it is listed
        name = random.choice(list(dict.fromkeys(move.name for _, move in listed)))
        listed = [(seat, move) for seat, move in listed if move.name == name]
    seat, move = random.choice(listed)
    return Action(seat=seat, move=move.name, args=args(move, random))


def random_match(game: Game, seats: tuple[int, ...], options: dict[str, Any], random: Random) -> Match:
    """Return a whole match, played by chance."""
    match, chance = Match(game, seats, options), Chance(random.randrange(2**32))
    while match.open:
        match.act(random_action(match, random, chance))
        assert len(match.log) < LONGEST, "the match goes in circles"
    return match


def random_value(option: Option, random: Random) -> bool | int | str:
    """Return a legal value of an option, the default often. Of a pattern, the choices only."""
    if random.random() < 0.5:
        return option.default
    if isinstance(option.default, bool):
        return random.random() < 0.5
    if isinstance(option.default, int):
        return random.randint(option.min, min(option.max, option.min + 15))
    return random.choice(option.choices or [option.default])


def random_options(game: Game, seats: int, random: Random, without: Collection[str] = ()) -> dict[str, Any]:
    """Return options that the game takes for so many seats, those in `without` as usual."""
    while True:
        options = {name: random_value(option, random) for name, option in game.options.items() if name not in without}
        try:
            Match(game, tuple(range(1, seats + 1)), options)
        except StartRefused:
            continue
        return options
