"""The seat boxes of one table as their people use them: where each dial stands, and what each small display says.

Only of open questions: a sealed choice is the box's own business (`hub.table.sealed_round`). Called from the table's thread.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from hub.engine.decision import Answer
from hub.engine.match import Decision, Match
from hub.ports import Boxes
from hub.table import controls
from hub.table.rolls import Tray
from hub.table.seats import Place, Seating


class Consoles:
    """The boxes at the places of a table; a table without boxes has these, too, and nobody reads them."""

    def __init__(self, boxes: Boxes | None, seating: Seating) -> None:
        self._boxes, self._seating = boxes, seating
        self._cursors: dict[int, controls.Cursor] = {}
        self._explained: dict[int, tuple[Answer, int]] = {}  # by seat: what a held key asked about, and the line shown

    def cursor(self, seat: int) -> controls.Cursor:
        """Where the dial of a seat stands, and which faces were typed there."""
        return self._cursors.get(seat, controls.Cursor())

    def begin_anew(self) -> None:
        """Another question: no dial stands anywhere."""
        self._cursors.clear()
        self._explained.clear()

    def rest(self, seat: int) -> None:
        """What a seat has picked or typed is forgotten."""
        self._cursors.pop(seat, None)

    def turned(self, place: Place, cursor: controls.Cursor, match: Match, decision: Decision, *, silent: bool) -> None:
        """A control was used; unless it is `silent` the display says what is picked now."""
        self._cursors[place.seat] = cursor
        if not silent:
            self._explained.pop(place.seat, None)
            self.say(place, self._picked(match, decision, place.seat))

    # --- the small displays ---

    def say(self, place: Place, text: str) -> None:
        """These words, in at most 40 characters."""
        if self._boxes:
            self._boxes.say(place.box, text)

    def refuse(self, place: Place, sentence: str) -> None:
        """What was pressed cannot be."""
        if self._boxes:
            self._boxes.buzz(place.box, "error")
            self._boxes.say(place.box, controls.cut(sentence))

    def caption(self, match: Match | None, decision: Decision | None) -> None:
        """Each says what its dial picks, else what is wanted of its seat; the others go blank."""
        for place in self._seating:
            if place.box_on:
                self.say(place, self._caption(match, decision, place.seat) if match and decision else "")

    def caption_dice(self, tray: Tray, playing: Collection[int]) -> None:
        """Each says what the dice want of its seat; what is being typed stays."""
        roll = tray.roll
        for place in self._seating if roll else ():
            mine = roll is not None and place.seat == roll.seat
            typing = mine and self.cursor(place.seat).faces
            if roll and place.box_on and place.seat in playing and not typing:
                self.say(place, controls.oled_dice(roll, tray.standing, tray.state, mine=mine, lying=tray.lying))

    def explain(self, place: Place, answer: Answer, match: Match) -> None:
        """A key is held: what it would pick, and at each further hold the next line of what that does."""
        lines = controls.explained(answer, match.game.words, seen_by(match, place.seat))
        before, line = self._explained.get(place.seat, (None, -1))
        line = (line + 1) % len(lines) if before == answer else 0
        self._explained[place.seat] = (answer, line)
        self.say(place, lines[line])

    def _caption(self, match: Match, decision: Decision, seat: int) -> str:
        moves, sealed = decision.offers(seat), decision.kind == "sealed"
        if not (seat in decision.asked or (decision.roll and decision.roll.seat == seat)):
            return ""
        if decision.kind == "ask" and controls.line_of(moves):
            return self._picked(match, decision, seat)
        return controls.asks(decision.want, moves, sealed=sealed, words=match.game.words, view=seen_by(match, seat))

    def _picked(self, match: Match, decision: Decision, seat: int) -> str:
        """The dice typed so far, or what the dial picks."""
        cursor, moves, words = self.cursor(seat), decision.offers(seat), match.game.words
        if decision.roll and decision.roll.seat == seat:
            return controls.oled_roll(cursor, decision.roll, moves, words, seen_by(match, seat))
        return controls.oled(cursor, moves, words, seen_by(match, seat))


def seen_by(match: Match, seat: int) -> Mapping[str, Any]:
    """What a seat may see: its answers are named by it, for its box stands before its player alone."""
    return match.view(seat) if seat in match.state.seats else {}
