"""Run a sealed choice in the seat boxes.

The value stays in the box until every seat has locked. Before the reveal the hub knows the line of answers of a seat and
whether its box has locked, but not which answer.
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
"""The longest line whose captions are sent to a box, which has little memory; a longer one shows numbers only."""


class SealedChoice:
    """One sealed decision in the boxes.

    `round` is its unique number for the boxes; `box_of` returns the box of a seat; `random` chooses where dials start.
    """

    def __init__(self, round: int, boxes: Boxes, box_of: Callable[[int], str], random: Random) -> None:
        self.round = round
        self.locked: list[int] = []
        self.revealing = False
        self._boxes, self._box_of, self._random = boxes, box_of, random
        self._lines: dict[int, list[Answer]] = {}
        self._dial_starts: dict[int, int] = {}
        self._dial_answers: dict[int, str] = {}
        self._unsent: dict[int, Callable[[], list[str]]] = {}  # by seat: returns the captions of its line

    def __contains__(self, seat: int) -> bool:
        """Return whether a seat is asked in its box and has not answered on its phone."""
        return seat in self._lines

    def dial_start(self, seat: int) -> int:
        """Return the index on the line at which the seat's dial starts; it is secret."""
        return self._dial_starts[seat]

    def dial_answer(self, seat: int) -> str:
        """Return the answer at which the seat's dial starts, in words."""
        return self._dial_answers[seat]

    def offer(
        self, seat: int, moves: Sequence[Move], labels: Labels, view: captions.View, letters: Lettering = ENGLISH
    ) -> None:
        """Let a seat choose in its box, unless only its phone can answer. `send_offers` asks the box."""
        line = answer_line.sealed_line(moves)
        if line:
            self._lines[seat] = line
            start = self._dial_starts.setdefault(seat, self._random.randrange(len(line)))
            self._dial_answers[seat] = captions.label(line[start], labels, view)
            self._unsent[seat] = partial(captions.sealed_captions, line, labels, view, letters)

    def send_offers(self) -> None:
        """Ask the boxes of the seats offered since the last call, with a caption for each answer."""
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
        """Remove the lock of a seat: it was taken back, or its box is gone. Return whether there was one.

        This may happen during a reveal, which then ends.
        """
        if seat not in self.locked:
            return False
        self.locked.remove(seat)
        self.revealing = False
        return True

    def void(self, seat: int) -> None:
        """Remove the lock of a box that revealed another value than it had locked, and end the reveal."""
        self.unlock(seat)
        self.revealing = False

    def cancel(self, seat: int) -> None:
        """Cancel the choice in a seat's box: its phone answers."""
        if seat in self._lines:
            del self._lines[seat]
            if seat in self.locked:
                self.locked.remove(seat)
            self._boxes.cancel(self._box_of(seat), self.round)

    def reveal(self) -> None:
        """Ask all locked boxes for their values in one step. Call it when every seat has locked."""
        if self.locked and not self.revealing:
            self.revealing = True
            self._boxes.reveal([self._box_of(seat) for seat in self.locked], self.round)

    def take_answer(self, seat: int, index: int) -> Answer | None:
        """Return the answer that a box has revealed, and end the round in that box; None if the line has no such index.

        The box needs the `cancel`: one that was away between reveal and bid was asked again before its bid was read.
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
        """End the decision in all boxes."""
        for seat in self._lines:
            self._boxes.cancel(self._box_of(seat), self.round)
