"""A roll that was accepted, for as long as the table may still dispute it.

For a few seconds after a roll was accepted any seat may dispute it; then a majority of the seats decides, and
the game waits for them. A second reading corrects what was read and is no new throw: the match goes back to just
before the roll, what lies there is read or typed once more, and the log keeps both readings. Where nobody carries it
through, the roll stands as it was. `STAGES` tells which stage follows which, and why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from hub.engine.decision import Roll
from hub.engine.text import say
from hub.state import Batch, PublicDispute
from hub.table.dice.roll_states import least_physical

ASK_SECONDS = 5.0  # after a roll was accepted
VOTE_SECONDS = 20.0  # then the roll stands
READ_SECONDS = 60.0  # then it stands too: dice that nobody reads are gone
OUTCOME_SECONDS = 5.0  # the outcome is shown, and the game goes on

Stage: TypeAlias = Literal["open", "vote", "reading", "told"]
Cause: TypeAlias = Literal["asked", "carried", "rejected", "same", "corrected", "late", "played_on"]

STAGES: Mapping[Stage, Mapping[Cause, Stage | None]] = {
    "open": {"asked": "vote", "late": None, "played_on": None},
    "vote": {"carried": "reading", "rejected": "told", "late": "told"},
    "reading": {"same": "told", "corrected": None, "late": "told"},
    "told": {"late": None},
}
"""From each stage, what ends it and which stage follows; None: there is no dispute any more."""

_SECONDS: Mapping[Stage, float] = {
    "open": ASK_SECONDS, "vote": VOTE_SECONDS, "reading": READ_SECONDS, "told": OUTCOME_SECONDS,
}  # fmt: skip


class Dispute:
    """The roll that is entry `index` of the log and came in as `batches`. `now` is when it was accepted.

    Loans may stand between the decision that asked for it and its entry: the index is the entry's own.
    """

    def __init__(self, roll: Roll, index: int, batches: Sequence[Batch], now: float) -> None:
        self.roll, self.index, self.batches = roll, index, list(batches)
        self.stage: Stage = "open"
        self.until = now + ASK_SECONDS  # the clock's seconds at which the stage ends
        self._yes: list[int] = []
        self._no: list[int] = []
        self._text = ""

    @property
    def faces(self) -> list[int]:
        """Return the faces as they were read first, in their order."""
        return [face for batch in self.batches for face in batch.faces]

    @property
    def blocks_match(self) -> bool:
        """Return whether the game waits for it."""
        return self.stage in ("vote", "reading")

    def advance(self, cause: Cause, now: float, text: str = "") -> bool:
        """Go to the stage that follows; return whether there is one. A cause that this stage does not have is a KeyError."""
        after = STAGES[self.stage][cause]
        if after is None:
            return False
        self.stage, self.until, self._text = after, now + _SECONDS[after], text
        return True

    def vote(self, seat: int, now: float, *, yes: bool) -> None:
        """Note that a seat wants a second reading, or not. The first yes opens the vote; all may change their minds."""
        if self.stage == "open":
            self.advance("asked", now, say("Seat {seat} asks for it.", seat=seat))
        for side in (self._yes, self._no):
            if seat in side:
                side.remove(seat)
        (self._yes if yes else self._no).append(seat)

    def verdict(self, voters: Collection[int]) -> bool | None:
        """Return whether more than half of the voters, or of those who voted, want it; None while that is open."""
        count = len({*voters, *self._yes, *self._no})
        if 2 * len(self._yes) > count:
            return True
        return False if 2 * (count - len(self._no)) <= count else None

    def public(self, voters: Collection[int]) -> PublicDispute:
        """Return the dispute as everybody sees it."""
        return PublicDispute(
            stage=self.stage, seat=self.roll.seat, faces=self.faces, read=least_physical(self.batches),
            yes=list(self._yes), no=list(self._no), needs=len({*voters, *self._yes, *self._no}) // 2 + 1,
            say=self._text,
        )  # fmt: skip
