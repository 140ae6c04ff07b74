"""Dispute about an accepted roll.

For a few seconds after a roll was accepted, any seat may dispute it. Then the game waits while a majority of the seats
decides. A second reading corrects the first one without a new throw: the match goes back to just before the roll, the
dice are read or typed again as they lie, and the log records both readings. Without a majority, the roll counts
unchanged. `STAGES` defines the sequence of stages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from hub.engine.decision import Roll
from hub.engine.text import say
from hub.state import Batch, PublicDispute
from hub.table.dice.roll_states import least_physical

ASK_SECONDS = 5.0  # how long a roll may be disputed after it was accepted
VOTE_SECONDS = 20.0  # without a majority by then, the roll counts
READ_SECONDS = 60.0  # without a second reading by then, it counts too
OUTCOME_SECONDS = 5.0  # how long the outcome is shown while the game goes on

Stage: TypeAlias = Literal["open", "vote", "reading", "told"]
Cause: TypeAlias = Literal["asked", "carried", "rejected", "same", "corrected", "late", "played_on"]

STAGES: Mapping[Stage, Mapping[Cause, Stage | None]] = {
    "open": {"asked": "vote", "late": None, "played_on": None},
    "vote": {"carried": "reading", "rejected": "told", "late": "told"},
    "reading": {"same": "told", "corrected": None, "late": "told"},
    "told": {"late": None},
}
"""By stage: the next stage for each cause that ends it; None: the dispute is over."""

_SECONDS: Mapping[Stage, float] = {
    "open": ASK_SECONDS, "vote": VOTE_SECONDS, "reading": READ_SECONDS, "told": OUTCOME_SECONDS,
}  # fmt: skip


class Dispute:
    """A dispute about the roll in entry `index` of the log, read as `batches` and accepted at `now`.

    The index is that of the roll's own entry, as loans may come between it and the decision that asks for the roll.
    """

    def __init__(self, roll: Roll, index: int, batches: Sequence[Batch], now: float) -> None:
        self.roll, self.index, self.batches = roll, index, list(batches)
        self.stage: Stage = "open"
        self.until = now + ASK_SECONDS  # end of the stage, in the clock's seconds
        self._yes: list[int] = []
        self._no: list[int] = []
        self._text = ""

    @property
    def faces(self) -> list[int]:
        """Return the faces of the first reading, in order."""
        return [face for batch in self.batches for face in batch.faces]

    @property
    def blocks_match(self) -> bool:
        """Return whether the game waits for the dispute."""
        return self.stage in ("vote", "reading")

    def advance(self, cause: Cause, now: float, text: str = "") -> bool:
        """Go to the next stage. Return whether there is one. Raise KeyError for an impossible cause."""
        after = STAGES[self.stage][cause]
        if after is None:
            return False
        self.stage, self.until, self._text = after, now + _SECONDS[after], text
        return True

    def vote(self, seat: int, now: float, *, yes: bool) -> None:
        """Record whether a seat wants a second reading. The first yes opens the vote. Votes may change."""
        if self.stage == "open":
            self.advance("asked", now, say("Seat {seat} asks to read the dice again.", seat=seat))
        for side in (self._yes, self._no):
            if seat in side:
                side.remove(seat)
        (self._yes if yes else self._no).append(seat)

    def verdict(self, voters: Collection[int]) -> bool | None:
        """Return whether more than half of `voters` and other seats that voted want it; None while undecided."""
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
