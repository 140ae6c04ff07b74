"""What people do in a round with the hub's cards and with printed ones: `python -m tests.bench.inputs`, of matches by chance.

An answer is one input of a match, without dice; a touch is each choice in it, and the press that sends it.
"""

from __future__ import annotations

from random import Random
from statistics import median

from hub import games
from hub.engine.decision import Action, Choose, Move, Order
from hub.engine.game import Game
from hub.engine.match import Match
from hub.engine.printed import OPTION
from hub.table.chance import Chance
from tests.games.players import random_action

MATCHES, SEATS = 80, (1, 2, 3, 4)


def touches(match: Match, action: Action) -> int:
    """How often a phone is touched for an action that is legal now."""
    assert match.open
    offers = (*match.open.offers(action.seat), *match.standing(action.seat))
    move = next(one for one in offers if one.name == action.move and one.accepts(action.args))
    open_ones = {name: param for name, param in move.params.items() if not Move("", {name: param}).single()}
    return 1 + sum(
        len(action.args[name]) if isinstance(param, Choose | Order) else 1 for name, param in open_ones.items()
    )


def of_a_round(game: Game, *, printed: bool) -> tuple[float, float]:
    """The answers and the touches of a round, in the middle of all matches."""
    answers, touched = list[float](), list[float]()
    for seed in range(MATCHES):
        random, match, chance = Random(seed), Match(game, SEATS, {OPTION: printed}), Chance(seed)
        made = 0
        while match.open:
            action = random_action(match, random, chance)
            made += touches(match, action) if action.seat else 0
            match.act(action)
        answers.append(sum(bool(entry.seat) for entry in match.log) / match.state.round)
        touched.append(made / match.state.round)
    return median(answers), median(touched)


def main() -> None:
    """Print the table of `hub/docs/games.md`."""
    for game in map(games.find, games.names()):
        if OPTION in game.options:
            (own, own_touches), (printed, printed_touches) = (
                of_a_round(game, printed=False),
                of_a_round(game, printed=True),
            )
            print(f"| {game.title} | {own:.0f} | {printed:.0f} | {own_touches:.0f} | {printed_touches:.0f} |")


if __name__ == "__main__":
    main()
