"""House players: they play free seats, with the information of those seats only.

The house player of a game is `hub/games/<game>_house.py`, found by name beside the rulebook, with a function `choose` and
optionally `reason`. `AnyGame`, which knows no rules, plays all other games. `play` returns the action for a match and a seat;
`advise` tells a person what the house would do.

House players cannot cheat by construction: `choose` gets a `hub.engine.sight.Sight`, not the match.
`hub/authoring/house_laws.py` changes everything else and expects the same choice.
"""

from __future__ import annotations

from hub.engine.decision import (
    CHANCE,
    Action,
    Amount,
    Answer,
    Choose,
    Faces,
    Fixed,
    Move,
    OneOf,
    Order,
    Param,
    Roll,
    Value,
)
from hub.engine.game import Game
from hub.engine.match import READ, Match
from hub.engine.sight import Advice, HousePlayer, Randomness, Reasons, Sight, Strength
from hub.errors import RulesBug

ROLLED_BY_HUB = READ[2]


def sight_of(match: Match, seat: int) -> Sight | None:
    """Return the knowledge of `seat` if the open decision asks it for a move or for dice, else None.

    A seat that has locked its sealed choice is not asked any more.
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
    """Return the action of the house for `seat`; None if `seat` is not asked. The match does not change.

    If `seat` shall roll dice, the action is one of CHANCE, with faces drawn from `chance`; at a table with real dice, people
    roll them instead. `player` replaces the game's own house player.

    Raise RulesBug if the house player fails or its answer is not offered; the match can continue with `ANY_GAME`.
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
    """Return the answer of a house player; None if it rolls the dice. Its secret dice are random. Raise RulesBug."""
    if told := next((move for move in sight.offers if move.tells_dice), None):
        return small_answer(told, chance)
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
    """Return what the sharp house would do with this sight, and why; None if there is nothing to choose.

    A game without a house player has no advice either, because random play is none. The reason is empty if the house player
    gives none. This function is thread-safe, because a `Sight` is independent of the match. Raise RulesBug like `play`.
    """
    player = game.house
    if player is None or not sight.offers or any(move.tells_dice for move in sight.offers):
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
"""Probability that `AnyGame` declines, so that auctions, trades and turns end soon."""
ROLL_CHANCE = 0.7
"""Probability that it rolls the dice although it could make a move first."""


class AnyGame:
    """The house player of a game that has none of its own. Every strength plays alike."""

    @staticmethod
    def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:  # noqa: ARG004 - as `HousePlayer.choose`
        """Decline every other time, else return another move with small numbers; None to roll the dice.

        It never accepts a standing offer: without knowledge of the rules, a loan is only a debt.
        """
        if sight.roll and (not sight.offers or chance.random() < ROLL_CHANCE):
            return None
        *others, no = sight.offers
        move = no if not others or chance.random() < DECLINE_CHANCE else chance.choice(others)
        return small_answer(move, chance)


ANY_GAME = AnyGame()


def small_answer(move: Move, chance: Randomness) -> Answer:
    """Return an answer whose values cost little (`small_value`)."""
    return Answer(move.name, {name: small_value(param, chance) for name, param in move.params.items()})


def small_value(param: Param, chance: Randomness) -> Value:
    """Return a legal value that costs little: the smaller of two random numbers, or few members of a subset. Dice are random."""
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
        case Faces(count, sides):
            return [chance.randrange(1, sides + 1) for _ in range(count)]
