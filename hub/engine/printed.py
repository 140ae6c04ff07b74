"""Printed cards: people shuffle, deal and hold the cards of the box, and the hub manages the rest.

With the option `printed_cards` the hub knows the number of cards in a hand or pile, but not the cards: each is `UNKNOWN`. When a
card is played, its seat enters what the hub has to know, and the hub accepts that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from hub.engine.decision import Answer, Param, ask, offer, shuffle
from hub.engine.event import Course, Setup
from hub.engine.text import say

T = TypeVar("T")

OPTION = "printed_cards"
"""The option of games that can be played with printed cards."""

UNKNOWN = "?"
"""A card that is unknown to the hub."""

LAY_OUT = "lay_out"
"""The phase in which people lay out the cards. Screens show the layout in `[printed_cards]` of the data file."""


def is_printed(setup: Setup) -> bool:
    """Return whether this match uses printed cards."""
    return bool(setup.options.get(OPTION))


def face_down(setup: Setup, cards: Sequence[str]) -> list[str]:
    """Return cards as the hub knows them before they are played: printed ones are all `UNKNOWN`."""
    return [UNKNOWN] * len(cards) if is_printed(setup) else list(cards)


def possible(every: Iterable[str], seen: Iterable[str]) -> list[str]:
    """Return the faces that an unknown card may have, without repeats, in order: those in `every` but not in `seen`."""
    left = Counter(every)
    left.subtract(seen)
    return [face for face, count in left.items() if count > 0]


async def shuffled(s: Course, cards: Sequence[T], pile: str) -> list[T]:
    """Return cards in random order, like `shuffle`. People shuffle printed cards themselves."""
    return list(cards) if is_printed(s.setup) else await shuffle(s, cards, pile)


async def lay_out(s: Course, seat: int, want: str, others: str = "", /, **told: Param) -> Answer | None:
    """With printed cards, wait until `seat` confirms the layout that `want` asks for.

    `others` is the sentence for everybody else; the default is `want` and the seat that confirms. `told` are parameters of the
    answer that the seat enters, such as an open card.
    """
    if not is_printed(s.setup):
        return None
    before, s.phase = s.phase, LAY_OUT
    others = others or say("{want} Seat {seat} says when everything is ready.", want=want, seat=seat)
    answer = await ask(s, seat, [offer("laid_out", **told)], want, others, hidden=True)
    s.phase = before
    return answer
