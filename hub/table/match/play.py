"""The match under way at one table: all actions and undos, from memory to the log on disk.

Every action (of a phone, box, die or chance) goes through `Play.act`. It does not know seats, boxes or phones: the
callers decide who may do what. If the disk fails, the match stops at the state on disk until the disk works again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from hub.chance import Chance
from hub.display.labels import NO_LABELS
from hub.engine.decision import CHANCE, Action, Decision
from hub.engine.game import Game
from hub.engine.labels import Labels
from hub.engine.match import Match
from hub.engine.text import say
from hub.errors import IllegalAction, LogError, NotAsked, RulesBug, StartRefused
from hub.state import Batch
from hub.table.base.kept import KeptValues
from hub.table.faults import where
from hub.table.match.match_log import KeptReading, MatchLog

log = logging.getLogger(__name__)


class Play:
    """The current or last match of a table. Every method that changes it may raise LogError.

    `games` are the games of the lobby by name, in its order; `seats`: how many the table has. `stopped` is the disk error
    while nothing can be written; else "".
    """

    def __init__(self, games: Sequence[Game], kept: KeptValues, chance: Chance, seats: int) -> None:
        self.games = {game.name: game for game in games}
        self.log = MatchLog(kept, seats)
        self.match: Match | None = None
        self.stopped = ""
        self.paused = False
        """Whether the open decision waits, for example for the end of a pitch. Nobody is asked meanwhile."""
        self._table, self._chance = kept.table, chance
        self._first: Match | None = None  # during a second reading: the match after the first reading
        self._undo_known: tuple[tuple[int, int], bool] = ((0, 0), False)

    # --- state -----------------------------------------------------------------------------------

    @property
    def decision(self) -> Decision | None:
        """Return the open decision; None in the lobby, after the end, and while the disk fails."""
        return self.match.open if self.match and not self.stopped else None

    @property
    def fault(self) -> RulesBug | None:
        """Return why the rules froze the match, if they did."""
        return self.match.fault if self.match else None

    @property
    def seats(self) -> list[int]:
        """Return the seats of the match under way, without a dummy's (BB-D01); empty if there is none."""
        return list(self.match.setup.seats) if self.match and not self.match.over else []

    @property
    def labels(self) -> Labels:
        """Return the labels of the current game; empty in the lobby."""
        return self.match.game.labels if self.match else NO_LABELS

    @property
    def hand_blocks(self) -> int:
        """Return how many blocks a hand of the match takes, whatever its contents."""
        return self.match.game.hand_blocks(self.match.setup.options) if self.match else 1

    # --- a match ---------------------------------------------------------------------------------

    def resume(self) -> None:
        """Resume the last match on disk. Raise StartRefused if it is not over and cannot go on."""
        self.match = self.log.resume(self.games)

    def check(self, name: str, seats: Sequence[int], options: Mapping[str, object]) -> Match:
        """Return a match with these seats without starting it. Raise StartRefused if it cannot start."""
        if self.stopped:
            raise StartRefused(say("The match is stopped: {reason}", reason=self.stopped))
        if self.match and not self.match.over and not self.match.fault:
            raise StartRefused(say("A match is under way at this table."))
        game = self.games.get(name)
        if game is None:
            raise StartRefused(say("There is no game {game} at this table.", game=name))
        return Match(game, seats, options)

    def begin(self, name: str, seats: Sequence[int], options: Mapping[str, object]) -> None:
        """Start a match of the game `name` with these seats. Raise StartRefused if it cannot start."""
        match = self.check(name, seats, options)
        self.log.begin(match)
        self.match, self._first = match, None
        self.answer_chance()

    def put_aside(self) -> None:
        """Suspend the match and return to the lobby. Raise LogError, and then nothing has changed."""
        self.log.put_aside()
        self.match = None

    def end(self) -> None:
        """End the match without a winner. Raise LogError, and then nothing has changed."""
        self.log.end()
        self.match = None

    def take_up(self, match: str) -> None:
        """Resume a suspended match. Raise StartRefused if it cannot go on, or LogError."""
        if self.stopped:
            raise StartRefused(say("The match is stopped: {reason}", reason=self.stopped))
        if self.match and not self.match.over:
            raise StartRefused(say("A match is under way at this table."))
        self.match, self._first = self.log.take_up(match, self.games), None
        self.answer_chance()

    def refusal(self, action: Action) -> IllegalAction | None:
        """Return why `act` would refuse an action, or None, without changing anything."""
        return self.standstill() or (self.match.refusal(action) if self.match else None)

    def act(self, action: Action) -> None:
        """Apply one action and the decisions of chance that follow, and write them to disk.

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
        """Answer all open decisions of chance, and write the match to disk."""
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
        """Return why every action is refused now (the disk has failed, or no match is under way), or None."""
        if self.stopped:
            return NotAsked(say("The match is stopped: {reason}", reason=self.stopped), "RECORD")
        return None if self.match else NotAsked(say("No match is under way."), "LOBBY")

    def _report(self, error: RulesBug) -> None:
        log.error("table %s: %s It came from %s.", self._table, error, where(error.__cause__ or error))

    def clear_finished(self) -> None:
        """Stop showing a finished match, and wipe its hands. Do nothing if there is none."""
        if self.match is not None and self.match.over and not self.stopped and self.log.match:
            self.log.wipe(self.log.match)
            self.match = self._first = None

    # --- undo ------------------------------------------------------------------------------------

    def undo(self, seat: int) -> None:
        """Undo the last input of a seat. Raise IllegalAction if that is not possible."""
        if refusal := self.standstill():
            raise refusal
        assert self.match is not None
        self.log.cut(len(self.match.before(1, seat).log))
        self.match.undo(1, seat)
        self.answer_chance()

    def may_undo(self, seat: int) -> bool:
        """Return whether a seat can undo its last input.

        The answer is cached by epoch and log length, because one state is shown several times. While a sealed choice
        is open, the seat's own choice has revealed nothing, so no replay is needed.
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
        """Return whether the match is back before a roll, waiting for its second reading."""
        return self._first is not None

    def begin_second_reading(self, index: int, batches: Sequence[Batch]) -> None:
        """Return to just before the roll in entry `index` of the log, which was read as `batches`.

        The log on disk stays as it is until there is another reading.
        """
        assert self.match is not None
        earlier = self.match.until(index)
        self.log.store_reading(index, batches)
        self._rewind(earlier, index)

    def resume_second_reading(self) -> KeptReading | None:
        """Resume a second reading that a power cut has interrupted. Return its roll, or None."""
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

    def correct(self, faces: list[int], read: str, first: Mapping[str, object]) -> None:
        """Replace the first reading by the second one in the log, which records both."""
        self.act(Action(seat=CHANCE, move="roll", args={"faces": faces, "read": read, "first": dict(first)}))
        self._first = None
        self.log.forget_reading()

    def keep_first_reading(self) -> None:
        """Continue with the first reading of the roll."""
        if self._first:
            self.log.forget_reading()
            self.match, self._first = self._first, None
            self.log.mark_written(self.match)

    # --- the disk --------------------------------------------------------------------------------

    def stop(self, error: LogError) -> None:
        """Stop at the state on disk until `retry` succeeds."""
        # once only: retries run every second, and the journal may be on the same disk
        if error.sentence != self.stopped:
            log.error("table %s: %s", self._table, error)
        self.stopped = error.sentence
        self.match = self.match and self.log.as_written(self.match)

    def retry(self) -> None:
        """Write what is missing, and continue."""
        self.answer_chance()
        log.warning("table %s: The disk is back; play goes on.", self._table)
        self.stopped = ""


def _draw_again(match: Match, first: Match) -> None:
    """Repeat the answers of chance from the first reading as long as its decisions are the same: no second chance."""
    for entry in first.log[len(match.log) :]:
        if match.open is None or not match.open.by_chance or match.open.fingerprint() != entry.asked:
            return
        match.act(Action(seat=entry.seat, move=entry.move, args=entry.args))
