"""Watch the open decision: when it changes, ask dice and boxes for the new one."""

from __future__ import annotations

from hub.engine.decision import Decision
from hub.engine.text import say
from hub.table.base.part import Part
from hub.table.boxes.seat_boxes import SeatBoxes
from hub.table.core import Core
from hub.table.cups import Cups
from hub.table.dice.rolls import Rolls
from hub.table.people.absence import Absence
from hub.table.views.reveal import Reveal


class OpenDecision(Part):
    """The decision that dice and boxes of one table were asked for last."""

    def __init__(
        self, core: Core, rolls: Rolls, boxes: SeatBoxes, cups: Cups, absence: Absence, reveal: Reveal
    ) -> None:  # fmt: skip
        self._play, self._notices, self._rolls, self._boxes = core.play, core.notices, rolls, boxes
        self._cups, self._absence, self._reveal = cups, absence, reveal
        self._decision: Decision | None = None
        self._match: str | None = None  # the match of that decision
        self._must_ask = False  # ask at the next update, even for the same decision
        self._settled = False

    def ask_again(self) -> None:
        """Make the next update ask dice and boxes again, even for the same decision."""
        self._must_ask = True

    def pop_settled(self) -> bool:
        """Return whether a round has ended since the last call: the time for a panel's full refresh."""
        settled, self._settled = self._settled, False
        return settled

    def update(self) -> None:
        """Ask dice and boxes if another decision is open, and update the displays of boxes. Raise LogError."""
        if self._play.stopped:
            return
        decision = self._rolls.decision
        if decision is not self._decision and not self._must_ask and self._is_asked_already(decision):
            self._decision = decision  # after an undo within it: the locks in other boxes stay
            self._boxes.ask_again()
        elif decision is not self._decision or self._must_ask:
            self._reveal.begin_after(self._decision, self._match)
            self._decision, self._must_ask, self._match = decision, False, self._play.log.match
            self._absence.on_decision_opened()
            self._settled = self._play.decision is None or (decision is not None and decision.kind == "sealed")
            self._notices.end_all("decision")
            self._rolls.open(decision)
            self._cups.open(decision)
            self._boxes.open(decision)
        self._boxes.update_displays()
        if self._play.fault:
            self._notices.post(
                "rules", say("{fault} Take back the last action, or start over.", fault=self._play.fault.sentence)
            )
        else:
            self._notices.end("rules")

    def _is_asked_already(self, decision: Decision | None) -> bool:
        """Return whether dice and boxes were asked for this decision: same match, number and fingerprint."""
        before = self._decision
        if decision is None or before is None or self._play.log.match != self._match:
            return False
        return decision.number == before.number and decision.fingerprint() == before.fingerprint()
