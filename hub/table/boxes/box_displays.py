"""Write the small displays of the seat boxes and track their dials while a decision is open.

The box itself shows a sealed choice (`hub.table.boxes.sealed_choice`); this module only writes its question. A table without
boxes has these objects as well, without effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from hub.display.language import Language
from hub.engine.decision import Answer, Decision, Roll
from hub.engine.match import Match
from hub.ports import Boxes
from hub.table.boxes import answer_line, captions, controls
from hub.table.boxes.lettering import Lettering
from hub.table.dice.table_dice import TableDice
from hub.table.seating.seat import Seat


class BoxDisplays:
    """The captions of the boxes, at most 40 characters each, and what their dials and keys have picked.

    `language` returns the table's language with the texts of a game; `game` returns the current or last game, or "".
    """

    def __init__(self, boxes: Boxes | None, language: Callable[[str], Language], game: Callable[[], str]) -> None:
        self._boxes, self._language, self._game = boxes, language, game
        self._cursors: dict[int, controls.Cursor] = {}
        self._explained: dict[int, tuple[Answer, int]] = {}  # by seat: the answer of a held key, and the line shown
        self._write_counts: Counter[int] = Counter()  # by seat

    def cursor(self, seat: int) -> controls.Cursor:
        """Return the cursor of a seat: its dial and typed faces."""
        return self._cursors.get(seat, controls.Cursor())

    def reset(self) -> None:
        """Forget all cursors: another decision is open."""
        self._cursors.clear()
        self._explained.clear()

    def forget(self, seat: int) -> None:
        """Forget the cursor of a seat."""
        self._cursors.pop(seat, None)

    def move_cursor(
        self, seat: Seat, cursor: controls.Cursor, match: Match, decision: Decision, roll: Roll | None, *, silent: bool
    ) -> None:
        """Move the cursor of a seat; unless `silent`, show what is picked now. `roll`: the dice that it still types."""
        self._cursors[seat.number] = cursor
        if not silent:
            self._explained.pop(seat.number, None)
            self._write(seat, self._picked_caption(match, decision, seat.number, roll))

    # --- texts ---

    @property
    def letters(self) -> Lettering:
        """Return the lettering of the current language."""
        return Lettering(self._language(self._game()))

    def show_text(self, seat: Seat, text: str, game: str = "") -> None:
        """Show an English text, cut to fit, in the table's language with the texts of `game` (default: the current one)."""
        if self._boxes:
            self._write(seat, (Lettering(self._language(game)) if game else self.letters).shorten(text))

    def write_count(self, seat: Seat) -> int:
        """Return how often the display of a seat was written: while it is the same, the last text is shown."""
        return self._write_counts[seat.number]

    def _write(self, seat: Seat, caption: str) -> None:
        self._write_counts[seat.number] += 1
        if self._boxes:
            self._boxes.say(seat.box, caption)

    def refuse(self, seat: Seat, sentence: str) -> None:
        """Show why a press has no effect, with the error buzz."""
        if self._boxes:
            self._boxes.buzz(seat.box, "error")
            self.show_text(seat, sentence)

    def show_decision(self, match: Match | None, decision: Decision | None, seats: Sequence[Seat]) -> None:
        """Show each of `seats` what its dial picks, else its question; a seat that is not asked gets a blank display."""
        for seat in seats:
            if seat.box_on:
                self._write(seat, self._asked_caption(match, decision, seat.number) if match and decision else "")

    def show_dice(self, dice: TableDice, playing: Sequence[int], seats: Sequence[Seat]) -> None:
        """Show each of `seats` that is `playing` what the dice need; a display with typed faces stays."""
        roll, batch = dice.roll, dice.open
        for seat in seats if roll else ():
            mine = roll is not None and seat.number == roll.seat
            typing = mine and self.cursor(seat.number).faces
            if roll and seat.box_on and seat.number in playing and not typing:
                self.show_text(
                    seat, captions.dice_caption(roll, dice.accepted, batch.state, mine=mine, lying=batch.lying)
                )

    def show_dispute(self, seat: Seat, *, voting: bool) -> None:
        """Show a seat that it may dispute a roll, or how to vote on it."""
        self.show_text(seat, captions.dispute_caption(voting=voting))

    def show_claim(self, seat: Seat, *, push: bool) -> None:
        """Show a seat the claim of a phone and the gesture that grants it: a push, or bar and push held."""
        self.show_text(seat, captions.claim_caption(push=push))

    def explain(self, seat: Seat, answer: Answer, match: Match) -> None:
        """Show what a held key would pick; each further hold shows the next line of its effect."""
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

    def _picked_caption(self, match: Match, decision: Decision, seat: int, roll: Roll | None = None) -> str:
        """Return the typed dice of a `roll`, or what the dial picks."""
        cursor, moves, labels = self.cursor(seat), decision.offers(seat), match.game.labels
        if roll:
            return captions.typed_caption(cursor, roll, moves, labels, seen_by(match, seat), self.letters)
        return captions.picked_caption(cursor, moves, labels, seen_by(match, seat), self.letters)


def seen_by(match: Match, seat: int) -> Mapping[str, object]:
    """Return the view of a seat, which names its answers: only its player reads the box."""
    return match.view(seat) if seat in match.setup.seats else {}
