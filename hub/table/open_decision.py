"""The open decision: when it changes, dice and boxes are asked for the new one."""

from __future__ import annotations

from hub.engine.decision import Decision
from hub.engine.text import say
from hub.table.base.part import Part
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.people.absence import Absence
from hub.table.views.reveal import Reveal


class OpenDecision(Part):
    """The decision for which dice and boxes of one table were asked last."""

    def __init__(self, core: Core, rolls: Rolls, boxes: SeatBoxes, absence: Absence, reveal: Reveal) -> None:
        self._play, self._notices, self._rolls, self._boxes = core.play, core.notices, rolls, boxes
        self._absence, self._reveal = absence, reveal
        self._decision: Decision | None = None
        self._match: str | None = None  # the match of that decision
        self._must_ask = False  # ask once more, even if the decision is the same
        self._settled = False

    def ask_again(self) -> None:
        """Let the next update ask dice and boxes once more, even if the decision is the same."""
        self._must_ask = True

    def pop_settled(self) -> bool:
        """Return whether a round has ended since the last call: a good moment for a panel's full refresh."""
        settled, self._settled = self._settled, False
        return settled

    def update(self) -> None:
        """Ask dice and boxes if another decision is open, and update the displays of boxes. Raise LogError."""
        if self._play.stopped:
            return
        decision = self._rolls.decision
        if decision is not self._decision and not self._must_ask and self._is_asked_already(decision):
            self._decision = decision  # after an undo within it: what the others have locked in their boxes stays
            self._boxes.ask_again()
        elif decision is not self._decision or self._must_ask:
            self._reveal.begin_after(self._decision, self._match)
            self._decision, self._must_ask, self._match = decision, False, self._play.log.match
            self._absence.on_decision_opened()
            self._settled = self._play.decision is None or (decision is not None and decision.kind == "sealed")
            self._notices.passed("decision")
            self._rolls.open(decision)
            self._boxes.open(decision)
        self._boxes.update_displays()
        if self._play.fault:
            self._notices.post(
                "rules", say("{fault} Take back the last action, or start anew.", fault=self._play.fault.sentence)
            )
        else:
            self._notices.end("rules")

    def _is_asked_already(self, decision: Decision | None) -> bool:
        """Return whether dice and boxes were asked this very question, of the same match and under the same number."""
        before = self._decision
        if decision is None or before is None or self._play.log.match != self._match:
            return False
        return decision.number == before.number and decision.fingerprint() == before.fingerprint()
