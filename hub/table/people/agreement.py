"""Ask all players before a move that needs their agreement enters the log.

The labels of the game name these moves (`agreed`), such as the correction of a wrongly named printed card.
"""

from __future__ import annotations

from contextlib import suppress

from hub.engine.decision import Action, Answer
from hub.engine.text import say
from hub.errors import IllegalAction, NotAsked
from hub.table.boxes.captions import label
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.seating.questions import OpenQuestion


class Agreement:
    """The moves of one table that need agreement."""

    def __init__(self, core: Core, boxes: SeatBoxes) -> None:
        self._play, self._seats, self._questions, self._boxes = core.play, core.seats, core.questions, boxes

    def ask_if_needed(self, action: Action) -> bool:
        """Ask the table if a legal move needs agreement; return whether it is asked. Raise NotAsked."""
        match, about = self._play.match, self._play.labels.moves.get(action.move)
        if match is None or about is None or not about.agreed or match.refusal(action):
            return False
        if len(self._present()) < 2:
            raise NotAsked(say("All players decide this together: wait until somebody else is here."), "QUESTION")
        named = label(Answer(action.move, dict(action.args)), match.game.labels, match.view())
        self._ask(action, named)
        return True

    def _ask(self, action: Action, named: str) -> None:
        def do(option: str) -> None:
            if option == "yes":
                with suppress(IllegalAction):  # the match has gone on, and the move is no longer legal
                    self._boxes.answer_by_phone(Action(seat=action.seat, move=action.move, args=action.args))

        text = say("Seat {seat} asks all players: {action}?", seat=action.seat, action=named)
        asked = OpenQuestion("agree", text, {"yes": say("Yes"), "no": say("No")}, self._present, do)
        asked.by, asked.votes, asked.depends_on = action.seat, {action.seat: "yes"}, frozenset({action.seat})
        self._questions.ask(asked)

    def _present(self) -> list[int]:
        return self._seats.present(self._play.seats)
