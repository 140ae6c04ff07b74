"""The small displays of the seat boxes and where each dial stands, while a decision is open.

A sealed choice is the box's own business (`hub.table.boxes.sealed_choice`): here its seat is only told what is asked. A table
without boxes has these, too, and nobody reads them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hub.display.language import Language
from hub.engine.decision import Answer, Decision
from hub.engine.match import Match
from hub.ports import Boxes
from hub.table.boxes import answer_line, captions, controls
from hub.table.boxes.lettering import Lettering
from hub.table.dice.table_dice import TableDice
from hub.table.seating.seat import Seat


class BoxDisplays:
    """What each box shows in at most 40 characters, and the half-made answer that its dial and keys have picked.

    `language` is the table's for what a game says; `game` is the one that is played, or was last, "" before.
    """

    def __init__(self, boxes: Boxes | None, language: Callable[[str], Language], game: Callable[[], str]) -> None:
        self._boxes, self._language, self._game = boxes, language, game
        self._cursors: dict[int, controls.Cursor] = {}
        self._explained: dict[int, tuple[Answer, int]] = {}  # by seat: what a held key asked about, and the line shown
        self._write_counts: Counter[int] = Counter()  # by seat

    def cursor(self, seat: int) -> controls.Cursor:
        """Return where the dial of a seat stands, and which faces were typed there."""
        return self._cursors.get(seat, controls.Cursor())

    def reset(self) -> None:
        """Forget what every seat has picked: another decision is open."""
        self._cursors.clear()
        self._explained.clear()

    def forget(self, seat: int) -> None:
        """Forget what a seat has picked or typed."""
        self._cursors.pop(seat, None)

    def move_cursor(
        self, seat: Seat, cursor: controls.Cursor, match: Match, decision: Decision, *, silent: bool
    ) -> None:
        """Move the cursor of a seat; unless `silent`, its display says what is picked now."""
        self._cursors[seat.number] = cursor
        if not silent:
            self._explained.pop(seat.number, None)
            self._write(seat, self._picked_caption(match, decision, seat.number))

    # --- texts ---

    @property
    def letters(self) -> Lettering:
        """Return how texts are written now."""
        return Lettering(self._language(self._game()))

    def show_text(self, seat: Seat, text: str, game: str = "") -> None:
        """Show an English text in the table's language, cut where it is too long; of another `game` than is played."""
        if self._boxes:
            self._write(seat, (Lettering(self._language(game)) if game else self.letters).shorten(text))

    def write_count(self, seat: Seat) -> int:
        """Return how often a line was written on a seat's display: as long as that is the same, the last one stands there."""
        return self._write_counts[seat.number]

    def _write(self, seat: Seat, caption: str) -> None:
        self._write_counts[seat.number] += 1
        if self._boxes:
            self._boxes.say(seat.box, caption)

    def refuse(self, seat: Seat, sentence: str) -> None:
        """Show why what was pressed cannot be."""
        if self._boxes:
            self._boxes.buzz(seat.box, "error")
            self.show_text(seat, sentence)

    def show_decision(self, match: Match | None, decision: Decision | None, seats: Sequence[Seat]) -> None:
        """Show each of `seats` what its dial picks, else what is wanted of it; the others go blank."""
        for seat in seats:
            if seat.box_on:
                self._write(seat, self._asked_caption(match, decision, seat.number) if match and decision else "")

    def show_dice(self, dice: TableDice, playing: Sequence[int], seats: Sequence[Seat]) -> None:
        """Show each of `seats` that is `playing` what the dice want of it; what is being typed stays."""
        roll, batch = dice.roll, dice.open
        for seat in seats if roll else ():
            mine = roll is not None and seat.number == roll.seat
            typing = mine and self.cursor(seat.number).faces
            if roll and seat.box_on and seat.number in playing and not typing:
                self.show_text(
                    seat, captions.dice_caption(roll, dice.accepted, batch.state, mine=mine, lying=batch.lying)
                )

    def show_dispute(self, seat: Seat, *, voting: bool) -> None:
        """Show a seat that it may dispute a roll, or what push and bar mean while the table votes."""
        self.show_text(seat, captions.dispute_caption(voting=voting))

    def show_claim(self, seat: Seat, *, push: bool) -> None:
        """Show a seat that a phone asks for it, and which gesture lets it in: a push, or bar and push held."""
        self.show_text(seat, captions.claim_caption(push=push))

    def explain(self, seat: Seat, answer: Answer, match: Match) -> None:
        """Show what a held key would pick, and at each further hold the next line of what that does."""
        lines = captions.explanation(answer, match.game.labels, seen_by(match, seat.number), self.letters)
        before, line = self._explained.get(seat.number, (None, -1))
        line = (line + 1) % len(lines) if before == answer else 0
        self._explained[seat.number] = (answer, line)
        self._write(seat, lines[line])

    def _asked_caption(self, match: Match, decision: Decision, seat: int) -> str:
        moves, sealed = decision.offers(seat), decision.kind == "sealed"
        if not (seat in decision.asked or (decision.roll and decision.roll.seat == seat)):
            return ""
        if decision.kind == "ask" and answer_line.dial_line(moves):
            return self._picked_caption(match, decision, seat)
        view = seen_by(match, seat)
        return captions.question_caption(
            decision.want, moves, sealed=sealed, labels=match.game.labels, view=view, letters=self.letters
        )

    def _picked_caption(self, match: Match, decision: Decision, seat: int) -> str:
        """Return the dice typed so far, or what the dial picks."""
        cursor, moves, labels = self.cursor(seat), decision.offers(seat), match.game.labels
        if decision.roll and decision.roll.seat == seat:
            return captions.typed_caption(cursor, decision.roll, moves, labels, seen_by(match, seat), self.letters)
        return captions.picked_caption(cursor, moves, labels, seen_by(match, seat), self.letters)


def seen_by(match: Match, seat: int) -> Mapping[str, Any]:
    """Return what a seat may see: its answers are named by it, for its box stands before its player alone."""
    return match.view(seat) if seat in match.state.seats else {}
