"""A roll that stands, for as long as the table may still doubt it.

For a few seconds after a roll was accepted any seat may say "read it again"; then a majority of the seats decides,
and the game waits for them. A second reading corrects what was read and is no new throw: the match goes back to just
before the roll, what lies there is read or typed once more, and the log keeps both readings. Where nobody carries it
through, the roll stands as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

from hub.engine.decision import Action, Roll
from hub.engine.match import Match
from hub.state import Batch, PublicDispute
from hub.table.rolls import least

ASK_SECONDS = 5.0  # after a roll was accepted
VOTE_SECONDS = 20.0  # then the roll stands
READ_SECONDS = 60.0  # then it stands too: dice that nobody reads are gone
TOLD_SECONDS = 5.0  # the outcome is told, and the game goes on

Stage = Literal["open", "vote", "reading", "told"]


class KeptDispute(msgspec.Struct, frozen=True):
    """What survives a power cut once the table has decided to read again."""

    match: str
    number: int
    batches: list[Batch]


class Dispute:
    """The roll that a decision `number` asked for and that came in as `batches`. `now` is when it was accepted."""

    def __init__(self, roll: Roll, number: int, batches: Sequence[Batch], now: float) -> None:
        self.roll, self.number, self.batches = roll, number, list(batches)
        self.stage: Stage = "open"
        self.until = now + ASK_SECONDS
        self.first: Match | None = None  # the match as the first reading made it, while there is a second one
        self._yes: list[int] = []
        self._no: list[int] = []
        self._say = ""

    @property
    def faces(self) -> list[int]:
        """The faces as they were read first, in their order."""
        return [face for batch in self.batches for face in batch.faces]

    @property
    def waits(self) -> bool:
        """Whether the game waits for it."""
        return self.stage in ("vote", "reading")

    @property
    def voted(self) -> list[int]:
        """Who has said yes or no."""
        return [*self._yes, *self._no]

    def vote(self, seat: int, now: float, *, yes: bool) -> None:
        """A seat wants the dice read again, or not. The first one that does opens the vote; all may change their minds."""
        if self.stage == "open":
            self.stage, self.until = "vote", now + VOTE_SECONDS
            self._say = f"Seat {seat} asks for it."
        for side in (self._yes, self._no):
            if seat in side:
                side.remove(seat)
        (self._yes if yes else self._no).append(seat)

    def carried(self, seated: Collection[int]) -> bool | None:
        """Whether more than half of those who sit there, or have voted, want it; None while that is open."""
        voters = len({*seated, *self.voted})
        if 2 * len(self._yes) > voters:
            return True
        return False if 2 * (voters - len(self._no)) <= voters else None

    def read(self, first: Match, now: float) -> None:
        """The dice are read again; `first` is the match as the first reading made it."""
        self.stage, self.first, self._say, self.until = "reading", first, "", now + READ_SECONDS

    def keep_chance(self, match: Match) -> None:
        """What chance drew after the first reading it draws again, as long as it is asked the same: no luck is tried twice."""
        for entry in self.first.log[self.number + 1 :] if self.first else ():
            if match.open is None or not match.open.by_chance or match.open.fingerprint() != entry.asked:
                return
            match.act(Action(seat=entry.seat, move=entry.move, args=entry.args, number=match.open.number))

    def tell(self, say: str, now: float) -> None:
        """How it ended, while the game goes on."""
        self.stage, self.first, self._say, self.until = "told", None, say, now + TOLD_SECONDS

    def public(self, seated: Collection[int]) -> PublicDispute:
        """The dispute as everybody sees it."""
        return PublicDispute(
            stage=self.stage,
            seat=self.roll.seat,
            faces=self.faces,
            read=least(self.batches),
            yes=list(self._yes),
            no=list(self._no),
            needs=len({*seated, *self.voted}) // 2 + 1,
            say=self._say,
        )
