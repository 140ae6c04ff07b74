"""The match under way at one table: the one way by which an action reaches the log on disk, and is taken back.

Whoever acts (phone, box, die, chance) acts through `Play.act`. It knows nothing of seats, boxes or phones: who may ask
for what is decided above. Where the disk fails, the match stands still as the disk has it until the disk is back.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from hub.display.labels import NO_LABELS
from hub.engine.decision import CHANCE, Action, Decision
from hub.engine.game import Game
from hub.engine.labels import Labels
from hub.engine.match import Match
from hub.engine.text import say
from hub.errors import IllegalAction, LogError, NotAsked, RulesBug, StartRefused
from hub.state import Batch
from hub.table.base.chance import Chance
from hub.table.base.kept import KeptValues
from hub.table.match.match_log import KeptReading, MatchLog

log = logging.getLogger(__name__)


class Play:
    """The match that a table plays, or played last. Every method that changes it may raise LogError.

    `games` are those of the lobby, by name and in its order; `stopped` is the disk's error while nothing can be written.
    """

    def __init__(self, games: Sequence[Game], kept: KeptValues, chance: Chance) -> None:
        self.games = {game.name: game for game in games}
        self.log = MatchLog(kept)
        self.match: Match | None = None
        self.stopped = ""
        self.paused = False
        """Whether the open decision waits for what people do first, such as a pitch: nobody is asked meanwhile."""
        self._table, self._chance = kept.table, chance
        self._first: Match | None = None  # as the first reading of a roll made it, during the second one
        self._undo_known: tuple[tuple[int, int], bool] = ((0, 0), False)

    # --- what there is ---------------------------------------------------------------------------

    @property
    def decision(self) -> Decision | None:
        """Return the open decision; None in the lobby, after the end, and while the match stands still."""
        return self.match.open if self.match and not self.stopped else None

    @property
    def fault(self) -> RulesBug | None:
        """Return why the rules froze the match, if they did."""
        return self.match.fault if self.match else None

    @property
    def seats(self) -> list[int]:
        """Return the seats of the match under way; none when there is none."""
        return list(self.match.state.seats) if self.match and not self.match.over else []

    @property
    def labels(self) -> Labels:
        """Return the labels of the game that is played; empty in the lobby."""
        return self.match.game.labels if self.match else NO_LABELS

    @property
    def hand_blocks(self) -> int:
        """Return how many blocks a hand of the match takes, whatever is in it."""
        return self.match.game.hand_blocks(self.match.setup.options) if self.match else 1

    # --- a match ---------------------------------------------------------------------------------

    def resume(self) -> None:
        """Take up the match that the disk has last. Raise StartRefused where it is not over and cannot go on."""
        self.match = self.log.resume(self.games)

    def check(self, name: str, seats: Sequence[int], options: Mapping[str, object]) -> Match:
        """Return the match that would begin with these seats; nothing changes. Raise StartRefused where none can."""
        if self.stopped:
            raise StartRefused(say("The match is stopped: {reason}", reason=self.stopped))
        if self.match and not self.match.over and not self.match.fault:
            raise StartRefused(say("A match is under way at this table."))
        game = self.games.get(name)
        if game is None:
            raise StartRefused(say("There is no game {game} at this table.", game=name))
        return Match(game, seats, options)

    def begin(self, name: str, seats: Sequence[int], options: Mapping[str, object]) -> None:
        """Start a match of the game `name` with these seats. Raise StartRefused where it cannot begin."""
        match = self.check(name, seats, options)
        self.log.begin(match)
        self.match, self._first = match, None
        self.answer_chance()

    def put_aside(self) -> None:
        """Put the match under way aside: the table is in its lobby. Raise LogError, and then nothing has changed."""
        self.log.put_aside()
        self.match = None

    def end(self) -> None:
        """End the match under way as it is. Raise LogError, and then nothing has changed."""
        self.log.end()
        self.match = None

    def take_up(self, match: str) -> None:
        """Go on with a match that was put aside. Raise StartRefused where it cannot go on, or LogError."""
        if self.stopped:
            raise StartRefused(say("The match is stopped: {reason}", reason=self.stopped))
        if self.match and not self.match.over:
            raise StartRefused(say("A match is under way at this table."))
        self.match, self._first = self.log.take_up(match, self.games), None
        self.answer_chance()

    def refusal(self, action: Action) -> IllegalAction | None:
        """Return why `act` would refuse an action, or None. Nothing changes."""
        return self.standstill() or (self.match.refusal(action) if self.match else None)

    def act(self, action: Action) -> None:
        """Let the rules take one action, and write it to the disk with all that chance then decides.

        Raise IllegalAction, and then nothing has changed. A fault of the rules freezes the match (`fault`).
        """
        if refusal := self.standstill():
            raise refusal
        assert self.match is not None
        try:
            self.match.act(action)
        except RulesBug as error:
            self._report(error)
        self.answer_chance()

    def answer_chance(self) -> None:
        """Let chance answer what it is asked, and bring the disk up to the match."""
        match = self.match
        if match is None:
            return
        try:
            if self._first:
                _draw_again(match, self._first)
            self._chance.settle(match)
        except RulesBug as error:
            self._report(error)
        self.log.write(match, instead=self._first is not None)

    def standstill(self) -> IllegalAction | None:
        """Return why nothing can be done now, whatever it is: the disk has failed, or no match is under way."""
        if self.stopped:
            return NotAsked(say("The match is stopped: {reason}", reason=self.stopped), "RECORD")
        return None if self.match else NotAsked(say("No match is under way."), "LOBBY")

    def _report(self, error: RulesBug) -> None:
        log.error("table %s: %s", self._table, error, exc_info=error.__cause__)

    def clear_finished(self) -> None:
        """Show the match that is over no more, and wipe its hands. Nothing where there is none."""
        if self.match is not None and self.match.over and not self.stopped and self.log.match:
            self.log.wipe(self.log.match)
            self.match = self._first = None

    # --- taking back -----------------------------------------------------------------------------

    def undo(self, seat: int) -> None:
        """Take back the last input of a seat. Raise IllegalAction where that cannot be."""
        if refusal := self.standstill():
            raise refusal
        assert self.match is not None
        self.log.cut(len(self.match.before(1, seat).log))
        self.match.undo(1, seat)
        self.answer_chance()

    def may_undo(self, seat: int) -> bool:
        """Return whether a seat could take its last input back.

        The answer is kept by epoch and log length, for one action is shown more than once. A lock that the others still
        wait beside has shown nothing: that is known without playing.
        """
        match = self.match
        if match is None or not match.log or match.log[-1].seat != seat:
            return False
        if match.open and seat in match.open.answers:
            return True
        length = self.log.epoch, len(match.log)
        if self._undo_known[0] != length:
            self._undo_known = length, match.may_undo(seat)
        return self._undo_known[1]

    # --- the second reading of a roll ------------------------------------------------------------

    @property
    def in_second_reading(self) -> bool:
        """Return whether the match waits just before a roll for its second reading."""
        return self._first is not None

    def begin_second_reading(self, index: int, batches: Sequence[Batch]) -> None:
        """Go back to just before the roll that is entry `index` of the log and came in as `batches`.

        The log on disk does not go back before there is another reading.
        """
        assert self.match is not None
        earlier = self.match.until(index)
        self.log.store_reading(index, batches)
        self._rewind(earlier, index)

    def resume_second_reading(self) -> KeptReading | None:
        """Go on with a second reading that the power cut short; return its roll, if there is one."""
        kept, match = self.log.stored_reading, self.match
        if kept is None or match is None:
            return None
        roll = match.log[kept.number] if kept.match == self.log.match and kept.number < len(match.log) else None
        if roll is None or roll.move != "roll" or "first" in roll.args:
            self.log.forget_reading()
            return None
        self._rewind(match.until(kept.number), kept.number)
        return kept

    def _rewind(self, earlier: Match, index: int) -> None:
        self._first, self.match = self.match, earlier
        self.log.rewind(index)

    def correct(self, faces: list[int], read: str, first: Mapping[str, Any]) -> None:
        """Let a second reading take the place of the first one in the log, which keeps both."""
        assert self.decision is not None
        args = {"faces": faces, "read": read, "first": dict(first)}
        self.act(Action(seat=CHANCE, move="roll", args=args, number=self.decision.number))
        self._first = None
        self.log.forget_reading()

    def keep_first_reading(self) -> None:
        """Go on from the roll as it was read first."""
        if self._first:
            self.log.forget_reading()
            self.match, self._first = self._first, None
            self.log.mark_written(self.match)

    # --- the disk --------------------------------------------------------------------------------

    def stop(self, error: LogError) -> None:
        """Stand still, as the disk has it, until `retry` succeeds."""
        if error.sentence != self.stopped:  # it is tried again each second, and the journal may lie on the same disk
            log.error("table %s: %s", self._table, error)
        self.stopped = error.sentence
        self.match = self.match and self.log.as_written(self.match)

    def retry(self) -> None:
        """Write what is missing, and go on."""
        self.answer_chance()
        log.warning("table %s: The disk is back; play goes on.", self._table)
        self.stopped = ""


def _draw_again(match: Match, first: Match) -> None:
    """Let chance answer as it did after the first reading, as long as it is asked the same: no luck is tried twice."""
    for entry in first.log[len(match.log) :]:
        if match.open is None or not match.open.by_chance or match.open.fingerprint() != entry.asked:
            return
        match.act(Action(seat=entry.seat, move=entry.move, args=entry.args, number=match.open.number))
