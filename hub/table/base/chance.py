"""What chance decides where no physical die does: shuffles, picks, and rolls by the hub.

A match only ever sees the outcome, as an action of the seat CHANCE; where it comes from is told here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hub.engine.decision import CHANCE, Action, Decision
from hub.engine.match import Match
from hub.errors import StartRefused


class Chance:
    """Answers shuffles and picks of a match. It draws from `source`, which may also be the seed of a source of its own.

    `stack` fixes piles for the first time they are shuffled or picked from: by pile, the top cards first,
    or the one value picked. Where places are picked (0, 1, 2 ..), a list holds those of the picks one after another.
    """

    def __init__(self, source: Random | int | str, stack: Mapping[str, Any] | None = None) -> None:
        self._random = source if isinstance(source, Random) else Random(source)  # noqa: S311 - a seed is asked for
        self._stack = dict(stack or {})

    def settle(self, match: Match) -> None:
        """Answer until people are asked. Raise StartRefused on a stack that cannot be."""
        while match.open and match.open.by_chance:
            match.act(self.answer(match.open))

    def answer(self, decision: Decision) -> Action:
        """Return the answer of chance to a shuffle or a pick."""
        cards, pile = decision.cards, decision.pile
        named = self._stack.pop(pile, None)
        if decision.kind == "pick":
            if isinstance(named, list) and cards == list(range(len(cards))):
                named, *later = named or [None]
                if later:
                    self._stack[pile] = later
            index = self._random.randrange(len(cards)) if named is None else pick_index(pile, named, cards)
            return Action(seat=CHANCE, move="pick", args={"index": index}, number=decision.number)
        top = [] if named is None else top_cards(pile, named, cards)
        rest = list(cards)
        for card in top:
            rest.remove(card)
        # Sorting by random() rather than shuffle(): only random() is promised to stay the same.
        rest = [card for _, card in sorted(((self._random.random(), card) for card in rest), key=lambda pair: pair[0])]
        return Action(seat=CHANCE, move="shuffle", args={"order": top + rest}, number=decision.number)

    def faces(self, count: int, sides: int) -> list[int]:
        """Return the faces of a roll by the hub."""
        return [1 + int(self._random.random() * sides) for _ in range(count)]


def top_cards(pile: str, named: object, cards: Sequence[Any]) -> list[Any]:
    """Return the top cards that a stack wants. Raise StartRefused unless all of them are there."""
    if not isinstance(named, list):
        raise StartRefused(f"The stack's {pile} must be a list, top card first.")
    left = list(cards)
    for card in named:
        if type(card) not in {type(other) for other in cards} or card not in left:
            often = "is there too often" if card in cards else "does not exist"
            raise StartRefused(f"The stack's {pile} names {card!r}, which {often}.")
        left.remove(card)
    return named


def pick_index(pile: str, named: object, cards: Sequence[Any]) -> int:
    """Return the index of the value that a stack wants picked. Raise StartRefused where it is not there."""
    for index, card in enumerate(cards):
        if type(card) is type(named) and card == named:
            return index
    raise StartRefused(f"The stack's {pile} is {named!r}, which is none of {list(cards)!r}.")
