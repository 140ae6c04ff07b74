"""Random decisions without physical dice: shuffles, picks, and rolls by the hub.

A match sees only the outcome, as an action of the seat CHANCE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from hub.engine.decision import CHANCE, Action, Decision
from hub.engine.match import Match
from hub.errors import StartRefused


class Chance:
    """Answer the shuffles and picks of a match, and roll dice for the hub.

    `source` is a random generator or the seed of a new one. `stack` fixes the first shuffle of or pick from each pile:
    a list of the top cards, or the value to pick. If a pick chooses a position (0, 1, 2 ..), a list holds the
    positions of successive picks.
    """

    def __init__(self, source: Random | int | str, stack: Mapping[str, object] | None = None) -> None:
        self._random = source if isinstance(source, Random) else Random(source)  # noqa: S311 - a seed is asked for
        self._stack = dict(stack or {})

    def settle(self, match: Match) -> None:
        """Answer all open decisions of chance. Raise StartRefused if the stack is impossible."""
        while match.open and match.open.by_chance:
            match.act(self.answer(match.open))

    def answer(self, decision: Decision) -> Action:
        """Return the action that answers a shuffle or a pick. Raise StartRefused."""
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
        # Not shuffle(): across versions of Python, only random() is guaranteed to return the same sequence.
        rest = [card for _, card in sorted(((self._random.random(), card) for card in rest), key=lambda pair: pair[0])]
        return Action(seat=CHANCE, move="shuffle", args={"order": top + rest}, number=decision.number)

    def faces(self, count: int, sides: int) -> list[int]:
        """Return the faces of a roll by the hub."""
        return [1 + int(self._random.random() * sides) for _ in range(count)]


def top_cards(pile: str, named: object, cards: Sequence[object]) -> list[object]:
    """Return the top cards that a stack names. Raise StartRefused if the pile lacks one of them."""
    if not isinstance(named, list):
        raise StartRefused(f"The stack's {pile} must be a list, top card first.")
    left = list(cards)
    for card in named:
        if type(card) not in {type(other) for other in cards} or card not in left:
            often = "is there too often" if card in cards else "does not exist"
            raise StartRefused(f"The stack's {pile} names {card!r}, which {often}.")
        left.remove(card)
    return named


def pick_index(pile: str, named: object, cards: Sequence[object]) -> int:
    """Return the index of the value that a stack names. Raise StartRefused if it is not among `cards`."""
    for index, card in enumerate(cards):
        if type(card) is type(named) and card == named:
            return index
    raise StartRefused(f"The stack's {pile} is {named!r}, which is none of {list(cards)!r}.")
