"""The log of the match that a table plays, as the disk has it: how much is written, and what a restart finds.

Nothing that a table shows or answers is true before it is written here. What was taken back is cut off; nothing else is
ever deleted: a match that cannot go on is set aside.
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

logger = logging.getLogger(__name__)


class KeptReading(msgspec.Struct, frozen=True):
    """A roll whose second reading has begun and may outlast a power cut: entry `number` of a match's log, and its first reading."""

    match: str
    number: int
    batches: list[Batch]


class MatchLog:
    """What the disk has of a table's match. Every call may raise LogError; then the disk is as it was."""

    def __init__(self, table: str, store: LogStore) -> None:
        self.match: str | None = None  # the id of the match under way, or of the last one
        self.epoch = 0  # rises whenever what was shown before may be wrong: a restart, a match, an undo
        self._table, self._store = table, store
        self._written = 0

    @property
    def serial(self) -> int:
        """Return which match this is of all that the hub has played; 0 before the first."""
        return int((self.match or "m-0").removeprefix("m-"))

    @property
    def position(self) -> tuple[str | None, int]:
        """Return the match that the disk has last, and how many entries of it: it changes with whatever is written."""
        return self.match, self._written

    # --- a restart ---

    def recall(self) -> None:
        """Begin the epoch after the last one that was shown."""
        last = self._store.recall(self._table, "epoch")
        self.epoch = int(last) if last else 0
        self.next_epoch()

    def next_epoch(self) -> None:
        """Make every request that is under way stale."""
        self.epoch += 1
        self._store.keep(self._table, "epoch", str(self.epoch).encode())

    def resume(self, games: Mapping[str, Game]) -> Match | None:
        """Return the match under way, its log played again. Raise StartRefused where it cannot go on: it is set aside."""
        reading = self.kept_reading
        running = self._store.running(self._table) or (reading.match if reading else None)
        if running is None:
            return None
        try:
            head_line, lines = self._store.load(running)
            head = msgspec.json.decode(head_line, type=Head)
            game = games.get(head.game)
            if game is None:
                raise StartRefused(f"This hub has no game {head.game}.")
            match = Match.replay(game, head, [msgspec.json.decode(line.line, type=Entry) for line in lines])
        except (HubError, msgspec.DecodeError) as error:
            logger.error("table %s: match %s cannot go on: %s", self._table, running, error)
            self._store.end(running, msgspec.json.encode({"set_aside": str(error)}))
            self.forget_reading()
            raise StartRefused(f"The last match cannot go on; its record is kept. {error}") from error
        self.match = running
        self.has_all_of(match)
        return match

    # --- a match ---

    def begin(self, match: Match) -> None:
        """Write the head of a new match; one that is under way is left for it, in the same write."""
        name = f"m-{self._store.count() + 1}"
        self.next_epoch()
        self._store.begin(name, self._table, msgspec.json.encode(match.head))
        self.match, self._written = name, 0

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
            self.has_all_of(match)
        if match.over:
            self._store.end(self.match, msgspec.json.encode(match.over))

    def cut(self, length: int) -> None:
        """Keep the first `length` entries only: an undo."""
        assert self.match is not None
        self.next_epoch()
        self._store.cut(self.match, length)
        self._written = length

    def as_written(self, match: Match) -> Match:
        """Return the match as the disk has it: what could not be written never happened."""
        if len(match.log) <= self._written:
            return match
        return Match.replay(match.game, match.head, match.log[: self._written])

    def has_all_of(self, match: Match) -> None:
        """Note that the disk has all of the match."""
        self._written = len(match.log)

    # --- the second reading of a roll ---

    @property
    def kept_reading(self) -> KeptReading | None:
        """Return the roll whose second reading the power cut short, if any."""
        kept = self._store.recall(self._table, "dispute")
        return msgspec.json.decode(kept, type=KeptReading) if kept else None

    def keep_reading(self, number: int, batches: Sequence[Batch]) -> None:
        """Keep that the roll of entry `number` gets a second reading; until then the disk has all that followed from it."""
        assert self.match is not None
        self.next_epoch()
        self._store.keep(self._table, "dispute", msgspec.json.encode(KeptReading(self.match, number, list(batches))))

    def go_back(self, number: int) -> None:
        """Let what is written next follow the first `number` entries."""
        self._written = number

    def forget_reading(self) -> None:
        """Keep no longer that a roll gets a second reading."""
        if self._store.recall(self._table, "dispute"):
            self._store.keep(self._table, "dispute", b"")
