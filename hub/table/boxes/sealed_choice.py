"""A sealed choice as the boxes hold it.

The value stays in the box until every seat has locked. The hub knows the line of answers that it made for a seat, and that
a box has locked; which of the answers, it learns with the reveal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from hub.engine.decision import Answer, Move
from hub.engine.labels import Labels
from hub.ports import Boxes, SealedRound
from hub.table.boxes import answer_line, captions
from hub.table.boxes.lettering import ENGLISH, Lettering

MAX_NAMED = 300
"""The longest line whose answers are told to a box, whose memory is small: a longer one is counted, or read on the phone."""


class SealedChoice:
    """One sealed decision in the boxes of those who choose there.

    `round` tells it from every other one to the boxes; `box_of` names the box of a seat; `random` says where dials start.
    """

    def __init__(self, round: int, boxes: Boxes, box_of: Callable[[int], str], random: Random) -> None:
        self.round = round
        self.locked: list[int] = []
        self.revealing = False
        self._boxes, self._box_of, self._random = boxes, box_of, random
        self._lines: dict[int, list[Answer]] = {}
        self._dial_starts: dict[int, int] = {}
        self._dial_answers: dict[int, str] = {}
        self._unsent: dict[int, Callable[[], list[str]]] = {}  # by seat, what names its line

    def __contains__(self, seat: int) -> bool:
        """Return whether a seat was asked in its box, and has not answered elsewhere."""
        return seat in self._lines

    def dial_start(self, seat: int) -> int:
        """Return the secret index on the line at which the seat's dial starts."""
        return self._dial_starts[seat]

    def dial_answer(self, seat: int) -> str:
        """Return the answer at which the seat's dial starts, in words."""
        return self._dial_answers[seat]

    def offer(
        self, seat: int, moves: Sequence[Move], labels: Labels, view: captions.View, letters: Lettering = ENGLISH
    ) -> None:
        """Let a seat choose in its box, by the labels of the game; where there is no such line, it is left to the phone.

        Its box hears of it with `tell`.
        """
        line = answer_line.sealed_line(moves)
        if line:
            self._lines[seat] = line
            start = self._dial_starts.setdefault(seat, self._random.randrange(len(line)))
            self._dial_answers[seat] = captions.label(line[start], labels, view)
            self._unsent[seat] = partial(captions.sealed_captions, line, labels, view, letters)

    def send_offers(self) -> None:
        """Ask the boxes of those to whom the choice was offered since, with a name for each answer."""
        untold, self._unsent = self._unsent, {}
        for seat, names in untold.items():
            if line := self._lines.get(seat):
                named = tuple(names()) if len(line) <= MAX_NAMED else ()
                self._boxes.open(
                    self._box_of(seat), SealedRound(self.round, len(line) - 1, self._dial_starts[seat], named)
                )

    def lock(self, seat: int) -> None:
        """Note that the box of a seat has locked."""
        if seat not in self.locked:
            self.locked.append(seat)

    def unlock(self, seat: int) -> bool:
        """Note that a lock is gone: its owner took it back, or the box went with it. Return whether there was one.

        The bar, or a power cut, may have been faster than the reveal: then nothing is being opened any more.
        """
        if seat not in self.locked:
            return False
        self.locked.remove(seat)
        self.revealing = False
        return True

    def void(self, seat: int) -> None:
        """Forget the lock of a box that opened another value than it had locked."""
        self.unlock(seat)
        self.revealing = False

    def cancel(self, seat: int) -> None:
        """Ask a seat's box no longer: its phone answers."""
        if seat in self._lines:
            del self._lines[seat]
            if seat in self.locked:
                self.locked.remove(seat)
            self._boxes.cancel(self._box_of(seat), self.round)

    def reveal(self) -> None:
        """Ask every box with a lock for its value, all in one step. To be called when every seat has locked."""
        if self.locked and not self.revealing:
            self.revealing = True
            self._boxes.reveal([self._box_of(seat) for seat in self.locked], self.round)

    def take_answer(self, seat: int, index: int) -> Answer | None:
        """Return the answer that a box has revealed; None where the line has no such index, and then nothing is taken.

        The round is over in that box, and it is told so: a box that was away between reveal and bid has been asked
        anew before its bid was read here.
        """
        line = self._lines[seat]
        if not 0 <= index < len(line):
            return None
        self._boxes.cancel(self._box_of(seat), self.round)
        del self._lines[seat]
        if seat in self.locked:
            self.locked.remove(seat)
        return line[index]

    def close(self) -> None:
        """End the decision: the boxes get their keys back."""
        for seat in self._lines:
            self._boxes.cancel(self._box_of(seat), self.round)
