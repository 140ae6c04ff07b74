"""Printed cards: people shuffle, deal and hold the cards of the box, and the hub keeps all the rest.

With the option `printed_cards` the hub knows how many cards a hand or a pile holds, and not which: each is `UNKNOWN`.
What it has to know of one it is told when the card is played, by the seat whose it is, and believes.
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
"""The option of a game that may be played with printed cards."""

UNKNOWN = "?"
"""A card of which the hub knows that it is there, and not which it is."""

LAY_OUT = "lay_out"
"""The phase in which people lay out the cards: screens show `[printed_cards]` of the data file, what lies where."""


def is_printed(setup: Setup) -> bool:
    """Return whether the cards of this match are printed ones."""
    return bool(setup.options.get(OPTION))


def face_down(setup: Setup, cards: Sequence[str]) -> list[str]:
    """Return cards as the hub knows them before anybody has played one: printed ones are all alike to it."""
    return [UNKNOWN] * len(cards) if is_printed(setup) else list(cards)


def possible(every: Iterable[str], seen: Iterable[str]) -> list[str]:
    """Return the faces that an unknown card may have, each once and in their order: those of `every` that are not `seen`."""
    left = Counter(every)
    left.subtract(seen)
    return [face for face, count in left.items() if count > 0]


async def shuffled(s: Course, cards: Sequence[T], pile: str) -> list[T]:
    """Return cards in an order that chance decides, as `shuffle` does; printed ones are shuffled by people, unseen."""
    return list(cards) if is_printed(s.setup) else await shuffle(s, cards, pile)


async def lay_out(s: Course, seat: int, want: str, others: str = "", /, **told: Param) -> Answer | None:
    """With printed cards, wait until `seat` says that all lies where it belongs. `want` is what is to be done.

    `others` is what everybody else reads, else `want` and who says when all is ready. `told` is what the seat tells with it, such as the one card that lies open; it stands in the answer.
    """
    if not is_printed(s.setup):
        return None
    before, s.phase = s.phase, LAY_OUT
    others = others or say("{want} Seat {seat} says when everything is ready.", want=want, seat=seat)
    answer = await ask(s, seat, [offer("laid_out", **told)], want, others, hidden=True)
    s.phase = before
    return answer
