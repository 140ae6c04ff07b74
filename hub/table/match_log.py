"""The record of one table: which match it plays, how much of its log the disk has, and what a restart finds.

Nothing that a table shows or answers is true before it is written here. What was taken back is cut off; else nothing
is ever deleted: a match that cannot go on is set aside.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import msgspec

from hub.engine.game import Game
from hub.engine.match import Entry, Head, Match
from hub.errors import HubError, StartRefused
from hub.ports import LogEntry, LogStore
from hub.state import Batch
from hub.table.dispute import KeptDispute

log = logging.getLogger(__name__)


class Record:
    """What the disk has of a table. Every call may raise LogError; then the disk is as it was."""

    def __init__(self, table: str, store: LogStore) -> None:
        self.match: str | None = None  # the id of the match under way, or of the last one
        self.epoch = 0  # rises whenever what was shown before may be wrong: a restart, a match, an undo
        self._table, self._store = table, store
        self._written = 0

    @property
    def serial(self) -> int:
        """Which match this is of all that the hub has played; 0 before the first."""
        return int((self.match or "m-0").removeprefix("m-"))

    # --- a restart ---

    def recall(self) -> None:
        """Begin the epoch after the last one that was shown."""
        last = self._store.recall(self._table, "epoch")
        self.epoch = int(last) if last else 0
        self.next_epoch()

    def next_epoch(self) -> None:
        """What was asked before is asked no more."""
        self.epoch += 1
        self._store.keep(self._table, "epoch", str(self.epoch).encode())

    def resume(self, games: Mapping[str, Game]) -> Match | None:
        """The match under way, its log played again. Raises StartRefused: it cannot go on, and is set aside."""
        doubted = self.doubted
        running = self._store.running(self._table) or (doubted.match if doubted else None)
        if running is None:
            return None
        try:
            head_line, lines = self._store.load(running)
            head = msgspec.json.decode(head_line, type=Head)
            game = games.get(head.game)
            if game is None:
                raise StartRefused(f"This hub has no game {head.game}.")
            match = Match.replay(game, head, [msgspec.json.decode(line.line, type=Entry) for line in lines])
        except (HubError, msgspec.DecodeError) as why:
            log.error("table %s: match %s cannot go on: %s", self._table, running, why)
            self._store.end(running, msgspec.json.encode({"set_aside": str(why)}))
            self.forget_doubted()
            raise StartRefused(f"The last match cannot go on; its record is kept. {why}") from why
        self.match = running
        self.stand(match)
        return match

    # --- a match ---

    def begin(self, match: Match) -> None:
        """A new match with its head."""
        name = f"m-{self._store.count() + 1}"
        self.next_epoch()
        self._store.begin(name, self._table, msgspec.json.encode(match.head))
        self.match, self._written = name, 0

    def leave(self) -> None:
        """The match under way is given up for another one."""
        if self.match:
            self._store.end(self.match, msgspec.json.encode({"left": True}))

    def write(self, match: Match, *, instead: bool = False) -> None:
        """Bring the disk up to the match, `instead` of what it has beyond. The only way an action becomes true."""
        if self.match is None:
            return
        fresh = match.log[self._written :]
        if fresh:
            lines = [LogEntry(self._written + n, msgspec.json.encode(entry)) for n, entry in enumerate(fresh)]
            if instead:
                self._store.cut(self.match, self._written, lines)
            else:
                self._store.append(self.match, lines)
            self.stand(match)
        if match.over:
            self._store.end(self.match, msgspec.json.encode(match.over))

    def cut(self, length: int) -> None:
        """An undo: the disk keeps the first `length` entries."""
        assert self.match is not None
        self.next_epoch()
        self._store.cut(self.match, length)
        self._written = length

    def as_written(self, match: Match) -> Match:
        """The match as the disk has it: what could not be written, was not."""
        if len(match.log) <= self._written:
            return match
        return Match.replay(match.game, match.head, match.log[: self._written])

    def stand(self, match: Match) -> None:
        """The disk has all of the match."""
        self._written = len(match.log)

    # --- a roll that is read again ---

    @property
    def doubted(self) -> KeptDispute | None:
        """The roll that was being read again when the power went, if any."""
        kept = self._store.recall(self._table, "dispute")
        return msgspec.json.decode(kept, type=KeptDispute) if kept else None

    def doubt(self, number: int, batches: Sequence[Batch]) -> None:
        """The roll of decision `number` is read again; until it is, the disk keeps all that followed from it."""
        assert self.match is not None
        self.next_epoch()
        self._store.keep(self._table, "dispute", msgspec.json.encode(KeptDispute(self.match, number, list(batches))))

    def go_back(self, number: int) -> None:
        """What is written next follows the first `number` entries."""
        self._written = number

    def forget_doubted(self) -> None:
        """No roll is being read again any more."""
        if self._store.recall(self._table, "dispute"):
            self._store.keep(self._table, "dispute", b"")
