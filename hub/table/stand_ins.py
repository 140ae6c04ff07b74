"""Which entries of a match's log the house made for somebody who was away: kept beside the log, which stays as it is."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from hub.engine.match import Match
from hub.errors import LogError
from hub.table.kept import KeptValues


class KeptStandIns(msgspec.Struct):
    """What the house did for others in one match: the seat, by the number of the log's entry."""

    match: str
    entries: dict[int, int]


class StandIns:
    """What the house did for others in the match that is shown."""

    def __init__(self, kept: KeptValues) -> None:
        self._kept = kept
        self._match: str | None = None
        self._entries: dict[int, int] = {}

    def recall(self) -> None:
        """Take up what was so before a restart. Raise LogError."""
        if known := self._kept.read("stand_ins", KeptStandIns, "where the house stood in for people"):
            self._match, self._entries = known.match, known.entries

    def add(self, match: str | None, entry: int, seat: int) -> None:
        """Note that the house made an entry of a match's log for a seat."""
        if match is None:
            return
        if match != self._match:
            self._match, self._entries = match, {}
        self._entries = {number: one for number, one in self._entries.items() if number < entry} | {entry: seat}
        with suppress(LogError):  # then it is told until the next restart
            self._kept.write("stand_ins", msgspec.json.encode(KeptStandIns(match, self._entries)))

    def by_event(self, name: str | None, match: Match) -> dict[str, list[int]]:
        """Return the seats that the house moved for just before an event, by the event's number.

        A sealed choice has no event of its own: it stands before the reveal. What was taken back is forgotten.
        """
        if name is None or name != self._match:
            return {}
        found: dict[str, list[int]] = {}
        self._entries = {number: seat for number, seat in self._entries.items() if number < len(match.log)}
        for number, seat in self._entries.items():
            seats = found.setdefault(f"{match.told_before[number]}", [])
            if seat not in seats:
                seats.append(seat)
        return found
