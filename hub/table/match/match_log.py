"""The log on disk of the match at a table.

A table shows or acknowledges nothing before it is written here. An undo cuts the log; nothing else is deleted from a
match under way. A match that cannot go on is set aside.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

import msgspec

from hub.engine.game import Game
from hub.engine.match import Entry, Head, Match, Over
from hub.engine.text import Text, say, say_count, to_json
from hub.errors import DamagedLog, HubError, ReplayDiverged, StartRefused
from hub.ports import LEFT, LastMatch, LogEntry, MatchPutAside
from hub.state import Batch
from hub.table.base.kept import KeptValues
from hub.table.faults import where

log = logging.getLogger(__name__)


class KeptReading(msgspec.Struct, frozen=True):
    """A roll whose second reading has begun: entry `number` of a match's log, with the batches of the first reading."""

    match: str
    number: int
    batches: list[Batch]


class MatchLog:
    """The log of a table's match on disk. Every method may raise LogError, and then the disk is unchanged.

    `seats`: how many the table has. A match may have begun when it had more.
    """

    def __init__(self, kept: KeptValues, seats: int = 6) -> None:
        self._seats = seats
        self.match: str | None = None  # the id of the match that is played or shown
        self.epoch = 0  # increases when earlier states become invalid: restart, new match, undo
        self._kept, self._table, self._store = kept, kept.table, kept.store
        self._written = 0
        self._over_written = False  # the disk has the result of the match

    @property
    def serial(self) -> int:
        """Return the serial number of the match among all matches of the hub; 0 before the first."""
        return int((self.match or "m-0").removeprefix("m-"))

    @property
    def position(self) -> tuple[str | None, int]:
        """Return the match and the number of its entries on disk, which change with every write."""
        return self.match, self._written

    # --- a restart ---

    def restore_epoch(self) -> None:
        """Read the last epoch that was shown. `next_epoch` must follow."""
        self.epoch = self._kept.read("epoch", int, say("the number of its last picture")) or 0

    def next_epoch(self) -> None:
        """Make all pending requests stale. The new epoch is on disk before it is shown."""
        self._kept.write("epoch", str(self.epoch + 1).encode())
        self.epoch += 1

    def describe_loss(self) -> Text | Literal[""]:
        """Return a sentence about what the disk has lost since its last use; "" if nothing."""
        missing = self._store.missing(self._table)
        if missing is None:
            return ""
        gone = missing.had - missing.has
        if missing.altered:
            sentence = say(
                "This match may continue from an earlier state, such as a backup: check that everything is as "
                "you left it."
            )
        elif missing.has == 0 and self.match != missing.match:
            sentence = say("The disk has lost the last match, with {actions}.", actions=_actions(missing.had))
        elif gone <= 0:
            sentence = say("The disk has lost the latest actions. The table continues from an earlier state.")
        else:
            sentence = say_count(
                "The disk has lost the last action. The table continues from the one before.",
                "The disk has lost the last {count} actions. The table continues from the one before.",
                gone,
            )
        log.error("table %s: match %s: %s", self._table, missing.match, sentence)
        return sentence

    def settle(self) -> None:
        """Accept the data on disk as complete."""
        self._store.settle(self._table)

    def resume(self, games: Mapping[str, Game]) -> Match | None:
        """Return the table's last match, replayed from its log; None if there is none or it was suspended or ended.

        Raise StartRefused if it cannot go on. Then it is set aside, and each start tries again.
        """
        last = self._store.last(self._table)
        if last is None or last.put_aside or (last.result and not _is_over(last.result)):
            return None
        try:
            match = self._replay(last.id, games)
        except (DamagedLog, ReplayDiverged, StartRefused) as error:
            self._refuse(last, error.sentence, error)
            return None
        if last.result and not match.over:  # the log of a finished match was wiped
            return None
        self.match, self._over_written = last.id, bool(last.result)
        self.mark_written(match)
        if last.aside:
            self._store.set_aside(last.id, None)
        log.info("table %s: match %s (%s) goes on, %d entries", self._table, last.id, match.game.name, len(match.log))
        return match

    def _replay(self, match: str, games: Mapping[str, Game]) -> Match:
        """Replay a match from disk. Raise DamagedLog, ReplayDiverged, StartRefused or LogError."""
        head_line, lines = self._store.load(match)
        try:
            head = msgspec.json.decode(head_line, type=Head)
            entries = [msgspec.json.decode(line.line, type=Entry) for line in lines]
        except (ValueError, TypeError, RecursionError) as error:  # RecursionError: deeply nested brackets
            raise DamagedLog(say("Its log cannot be read.")) from error
        game = games.get(head.game)
        if game is None:
            raise StartRefused(say("This hub has no game {game}.", game=head.game))
        if not self.has_seats_of(head):
            raise StartRefused(
                say(
                    "Seat {seat} plays in this match, but the table now has only {count} seats.",
                    seat=max(head.seats),
                    count=self._seats,
                )
            )
        try:
            return Match.replay(game, head, entries)
        except HubError:
            raise
        except Exception as error:  # rules may raise anything for a log that they cannot have written
            log.error(
                "table %s: match %s cannot be played again: %s at %s.",
                self._table,
                match,
                type(error).__name__,
                where(error),
            )
            raise DamagedLog(say("Its log cannot be played again.")) from error

    def has_seats_of(self, head: Head) -> bool:
        """Return whether the table has all seats of a match. It may have had more seats when the match began."""
        return max(head.seats) <= self._seats

    def _refuse(self, last: LastMatch, reason: str, error: Exception) -> None:
        """Set a match aside and raise StartRefused, unless it is over."""
        details = " ".join([reason, *getattr(error, "__notes__", ())])
        log.error("table %s: match %s cannot go on: %s", self._table, last.id, details)
        if last.result:
            return
        if last.aside != reason:
            self._store.set_aside(last.id, reason)
        self._kept.forget("dispute")
        raise StartRefused(
            say("The last match cannot continue now. Its log is saved. {reason}", reason=reason)
        ) from error

    # --- a match ---

    def begin(self, match: Match) -> None:
        """Write the head of a new match. The same write ends a match under way."""
        self.next_epoch()
        self.match, self._written = self._store.begin(self._table, to_json(match.head)), 0
        self._over_written = False
        seats = ", ".join(map(str, match.head.seats))
        log.info("table %s: match %s (%s) begins, seats %s", self._table, self.match, match.game.name, seats)

    def write(self, match: Match, *, instead: bool = False) -> None:
        """Write all new entries; only written actions count. With `instead`, they replace the rest on disk."""
        if self.match is None:
            return
        fresh = match.log[self._written :]
        if fresh:
            lines = [LogEntry(self._written + n, to_json(entry)) for n, entry in enumerate(fresh)]
            if instead:
                self._store.cut(self.match, self._written, lines)
                self._over_written = False
            else:
                self._store.append(self.match, lines)
            self.mark_written(match)
        if match.over and (fresh or not self._over_written):
            self._store.end(self.match, to_json(match.over))
            self._over_written = True
            winners = ", ".join(map(str, match.over.winners)) or "nobody"
            log.info(
                "table %s: match %s is over after %d entries, won by %s",
                self._table,
                self.match,
                len(match.log),
                winners,
            )

    def cut(self, length: int) -> None:
        """Cut the log to its first `length` entries, for an undo."""
        assert self.match is not None
        self.next_epoch()
        self._store.cut(self.match, length)
        log.info("table %s: match %s goes back from %d entries to %d", self._table, self.match, self._written, length)
        self._written, self._over_written = length, False

    def wipe(self, match: str) -> None:
        """Wipe the log of a finished match, so that a restart does not show it again."""
        self.next_epoch()
        self._store.wipe(match)
        log.info("table %s: match %s is shown no more; its hands are wiped", self._table, match)

    def as_written(self, match: Match) -> Match:
        """Return the match without the entries that could not be written."""
        if len(match.log) <= self._written:
            return match
        return Match.replay(match.game, match.head, match.log[: self._written])

    def mark_written(self, match: Match) -> None:
        """Note that all entries of the match are on disk."""
        self._written = len(match.log)

    # --- suspending, resuming and ending a match ---

    def put_aside(self) -> None:
        """Suspend the match under way. Its log stays, and the table is free."""
        assert self.match is not None
        self.next_epoch()
        self._store.put_aside(self.match)
        log.info("table %s: match %s is put aside, %d entries", self._table, self.match, self._written)
        self.match, self._written = None, 0

    def end(self) -> None:
        """End the match under way without a winner. Its log stays."""
        assert self.match is not None
        self.next_epoch()
        self._store.end(self.match, LEFT)
        log.info("table %s: match %s is ended, %d entries", self._table, self.match, self._written)
        self.match, self._written = None, 0

    def all_put_aside(self) -> list[tuple[MatchPutAside, Head]]:
        """Return the suspended matches of this table with their heads, newest first."""
        found = []
        for one in self._store.all_put_aside(self._table):
            with suppress(ValueError, TypeError, RecursionError):  # an unreadable head: the match cannot be resumed
                found.append((one, msgspec.json.decode(one.head, type=Head)))
        return found

    def take_up(self, match: str, games: Mapping[str, Game]) -> Match:
        """Resume a suspended match. Raise StartRefused if it cannot go on, and then it stays suspended."""
        try:
            played = self._replay(match, games)
        except (DamagedLog, ReplayDiverged) as error:
            raise StartRefused(
                say("This match cannot continue now. Its log is saved. {reason}", reason=error.sentence)
            ) from error
        self.next_epoch()
        self._store.take_up(match)
        self.match, self._over_written = match, False
        self.mark_written(played)
        log.info("table %s: match %s goes on, %d entries", self._table, match, len(played.log))
        return played

    # --- the second reading of a roll ---

    @property
    def stored_reading(self) -> KeptReading | None:
        """Return the roll whose second reading a power cut has interrupted, if any."""
        return self._kept.read("dispute", KeptReading, say("the second reading of a roll"))

    def store_reading(self, number: int, batches: Sequence[Batch]) -> None:
        """Store that the roll in entry `number` gets a second reading.

        The later entries stay on disk until the second reading is complete.
        """
        assert self.match is not None
        self.next_epoch()
        self._kept.write("dispute", to_json(KeptReading(self.match, number, list(batches))))

    def rewind(self, number: int) -> None:
        """Let the next write start after the first `number` entries. The disk does not change yet."""
        self._written = number

    def forget_reading(self) -> None:
        """Delete the stored second reading."""
        self._kept.forget("dispute")


def _is_over(result: bytes) -> bool:
    """Return whether a result is that of a finished match, not of one that was ended early."""
    try:
        msgspec.json.decode(result, type=Over)
    except ValueError:
        return False
    return True


def _actions(count: int) -> Text:
    return say_count("1 action", "{count} actions", count)
