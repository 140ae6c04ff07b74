"""Dice that the others may not see: each player rolls under a cup and looks at its own dice only.

With the option `dice_cups`, people roll real dice, and the match asks all of them at once for their faces: they enter them on
their phones, or a dice reader under the cup of a seat reads them (`seat` in its `[[device]]` block). Without it, the hub rolls. In
both cases the faces are a secret of the seat from then on.
"""

from __future__ import annotations

from collections.abc import Mapping

from hub.engine.decision import Faces, ask_all, offer, pick
from hub.engine.event import Course, Setup

OPTION = "dice_cups"
"""The option of games that can be played with dice cups."""

MOVE = "rolled"
"""The move with which a seat tells its dice, with the parameter `faces`: `[moves.rolled]` of the data file is its label."""


def with_cups(setup: Setup) -> bool:
    """Return whether people roll this match's secret dice."""
    return bool(setup.options.get(OPTION))


async def roll_hidden(
    s: Course, dice: Mapping[int, int], sides: int, want: str, others: str, *, into: str, pile: str = "dice",
) -> dict[int, list[int]]:  # fmt: skip
    """Let the seats in `dice` roll so many dice of `sides` sides each, in secret; return the faces by seat, sorted.

    `want` and `others` are what the seats and everybody else read while people roll. `into` names the field of a seat that holds
    the faces as a secret until the rules change it; a seat may correct its faces until the last one has told them. `pile` names
    the dice of the hub for stacks.
    """
    if with_cups(s.setup):
        moves = {seat: [offer(MOVE, faces=Faces(count, sides))] for seat, count in dice.items()}
        told = await ask_all(s, moves, want, others, into=into)
        return {seat: sorted(answer["faces"]) for seat, answer in told.items()}
    rolled = {}
    for seat, count in dice.items():
        rolled[seat] = sorted([1 + await pick(s, list(range(sides)), pile) for _ in range(count)])
    return rolled
