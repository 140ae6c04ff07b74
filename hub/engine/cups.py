"""Dice that the others may not see: each player rolls under a cup and looks at its own dice only.

With the option `dice_cups`, people roll real dice, and the match asks all of them at once for their faces: they enter them on
their phones, or a dice reader under the cup of a seat reads them (`cup` in its `[[device]]` block). Without it, the hub rolls. In
both cases the faces are a secret of the seat from then on.
"""

from __future__ import annotations

from collections.abc import Mapping

from hub.engine.decision import Faces, ask_all, offer, pick
from hub.engine.event import SeatT, Setup, State, TableT
from hub.engine.secret import Secret

OPTION = "dice_cups"
"""The option of games that can be played with dice cups."""

MOVE = "rolled"
"""The move with which a seat tells its dice, with the parameter `faces`: `[moves.rolled]` of the data file is its label."""


def with_cups(setup: Setup) -> bool:
    """Return whether people roll this match's secret dice."""
    return bool(setup.options.get(OPTION))


async def roll_hidden(
    s: State[SeatT, TableT], dice: Mapping[int, int], sides: int, want: str, others: str, *, into: str, pile: str = "dice",
) -> dict[int, list[int]]:  # fmt: skip
    """Let the seats in `dice` roll so many dice of `sides` sides each, in secret; return the faces by seat, sorted.

    They are a secret of the seat in its field `into` from then on, until the rules change it. `want` and `others` are what the
    seats and everybody else read while people roll; a seat may correct its faces until the last one has told them. `pile` names
    the dice of the hub for stacks, in the order of `dice`.
    """
    rolled: dict[int, list[int]] = {}
    if with_cups(s.setup):
        moves = {seat: [offer(MOVE, faces=Faces(count, sides))] for seat, count in dice.items()}
        told = await ask_all(s, moves, want, others, into=into)
        for seat, answer in told.items():
            rolled[seat] = _kept(s, seat, into, answer["faces"])
        return rolled
    for seat, count in dice.items():
        rolled[seat] = []
        for _ in range(count):  # each die is a secret at once, so that laws know what becomes of it
            face = 1 + await pick(s, list(range(sides)), pile)
            rolled[seat] = _kept(s, seat, into, [*rolled[seat], face])
    return rolled


def _kept(s: State[SeatT, TableT], seat: int, into: str, faces: list[int]) -> list[int]:
    """Keep faces as a secret of their seat, and return them sorted."""
    setattr(s.seats[seat], into, Secret(sorted(faces), (seat,)))
    return sorted(faces)
