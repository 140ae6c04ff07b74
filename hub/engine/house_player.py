"""The house player: what plays a seat that nobody sits at, from what that seat may see and nothing else.

A game brings its own in `hub/games/<game>_house.py`, found by name beside the rulebook: one function `choose`, and perhaps
one `reason`. A game without one is played by `AnyGame`, which knows no rules. `play` is the entry for whoever has a match
and a seat; `advise` tells a person what the house would do.

That a house player cannot cheat lies in its type: `choose` gets a `hub.engine.sight.Sight` and no match.
`tests/test_house_players.py` changes everything else, and the choice stays the same.
"""

from __future__ import annotations

from hub.engine.decision import CHANCE, Action, Amount, Answer, Choose, Fixed, OneOf, Order, Param, Roll, Value
from hub.engine.game import Game
from hub.engine.match import READ, Match
from hub.engine.sight import Advice, HousePlayer, Randomness, Reasons, Sight, Strength
from hub.errors import RulesBug

ROLLED_BY_HUB = READ[2]


def sight_of(match: Match, seat: int) -> Sight | None:
    """Return what `seat` knows, if the open decision asks it for a move or for dice; else None.

    A seat that has locked its sealed choice is asked no longer.
    """
    decision = match.open
    if decision is None or decision.by_chance or seat in decision.answers:
        return None
    roll = decision.roll if decision.roll and decision.roll.seat == seat else None
    offers = decision.offers(seat)
    if not offers and roll is None:
        return None
    setup = match.setup
    return Sight(
        seat, setup.seats, decision.kind, offers, match.standing(seat), roll, match.view(seat), match.events,
        setup.options, setup.data, match.game.labels,
    )  # fmt: skip


def play(
    match: Match, seat: int, strength: Strength, chance: Randomness, *, player: HousePlayer | None = None,
) -> Action | None:  # fmt: skip
    """Return what the house does now for `seat`; None where `seat` is not asked. Nothing changes.

    Where dice are wanted of `seat` and shall fall, the action is one of CHANCE, with faces drawn from `chance`: a table
    whose dice are real lets somebody roll them instead. `player` plays in place of the game's own.

    Raise RulesBug where the house player fails, or answers what is not offered: with `ANY_GAME` the match can go on.
    """
    sight = sight_of(match, seat)
    if sight is None or match.open is None:
        return None
    answer = _choose(sight, match.game, player or match.game.house or ANY_GAME, strength, chance)
    if answer is None and sight.roll:
        dice = {"faces": faces(sight.roll, chance), "read": ROLLED_BY_HUB}
        return Action(seat=CHANCE, move="roll", args=dice, number=match.open.number)
    assert answer is not None
    return Action(seat=seat, move=answer.move, args=answer.args, number=match.open.number)


def _choose(
    sight: Sight, game: Game, player: HousePlayer, strength: Strength, chance: Randomness,
) -> Answer | None:  # fmt: skip
    """Return the answer of a house player; None where the dice shall fall. Raise RulesBug."""
    try:
        answer = player.choose(sight, chance, strength) if sight.offers else None
    except Exception as error:
        raise RulesBug(f"The house player of {game.title} failed: {type(error).__name__}.") from error
    if answer is None and sight.roll:
        return None
    listed = (*sight.offers, *sight.standing)
    if answer is None or not any(move.name == answer.move and move.accepts(answer.args) for move in listed):
        raise RulesBug(f"The house player of {game.title} answers what is not offered: {answer}.")
    return answer


def advise(sight: Sight, game: Game, chance: Randomness) -> Advice | None:
    """Return what the sharp house would do with this sight, and why; None where there is nothing to choose.

    So it is for a game without a house player: legal play by chance is no advice. One that gives no reasons advises
    without. A `Sight` is no part of a match: this may be asked from any thread. Raise RulesBug as `play` does.
    """
    player = game.house
    if player is None or not sight.offers:
        return None
    answer = _choose(sight, game, player, "sharp", chance)
    try:
        say = player.reason(sight, chance, answer) if isinstance(player, Reasons) else ""
    except Exception as error:
        raise RulesBug(f"The house player of {game.title} gives no reason: {type(error).__name__}.") from error
    return Advice(answer, say)


def faces(roll: Roll, chance: Randomness) -> list[int]:
    """Return the faces of dice that the hub rolls."""
    return [1 + int(chance.random() * roll.sides) for _ in range(roll.count)]


# --- A player that knows no rules ----------------------------------------------------------------------

DECLINE_CHANCE = 0.5
"""How often `AnyGame` says no: an auction, a trade or a turn ends soon, whatever the others do."""
ROLL_CHANCE = 0.7
"""How often it lets the dice fall where it could do something else first."""


class AnyGame:
    """The house player of a game that has none of its own. Every strength plays alike."""

    @staticmethod
    def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:  # noqa: ARG004 - as `HousePlayer.choose`
        """Return the no every other time, else another move with small numbers; None where the dice shall fall.

        No standing offer is taken: to who knows no rules, a loan is only a debt.
        """
        if sight.roll and (not sight.offers or chance.random() < ROLL_CHANCE):
            return None
        *others, no = sight.offers
        move = no if not others or chance.random() < DECLINE_CHANCE else chance.choice(others)
        return Answer(move.name, {name: small_value(param, chance) for name, param in move.params.items()})


ANY_GAME = AnyGame()


def small_value(param: Param, chance: Randomness) -> Value:
    """Return a legal value; of a number the smaller of two, of a subset few members: what costs little."""
    match param:
        case Fixed(only):
            return only
        case OneOf(values):
            return chance.choice(values)
        case Amount(least, most, step):
            steps = (most - least) // step + 1
            return least + step * min(chance.randrange(0, steps), chance.randrange(0, steps))
        case Choose(values, least, most):
            return chance.sample(values, chance.randrange(least, min(most, least + 1, len(values)) + 1))
        case Order(values):
            return chance.sample(values, len(values))
