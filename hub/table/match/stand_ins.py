"""Records of the log entries that the house made for absent people, stored apart from the log."""

from __future__ import annotations

from contextlib import suppress
from typing import TypeAlias

from hub.engine.match import Match
from hub.engine.text import say, to_json
from hub.errors import LogError
from hub.table.base.kept import KeptValues

MOST = 16
"""Maximum number of matches with records: suspended ones and the current one."""

Entries: TypeAlias = dict[int, int]
"""Seats by number of the log entry."""


class StandIns:
    """The entries that the house made for absent people, by match."""

    def __init__(self, kept: KeptValues) -> None:
        self._kept = kept
        self._by_match: dict[str, Entries] = {}

    def restore(self) -> None:
        """Restore the records from disk. Raise LogError."""
        known = self._kept.read("stood_in", dict[str, Entries], say("where the house stood in for people"))
        self._by_match = known or {}

    def add(self, match: str | None, entry: int, seat: int) -> None:
        """Record that the house made an entry of the log for a seat."""
        if match is None:
            return
        before = self._by_match.pop(match, {})
        self._by_match[match] = {number: one for number, one in before.items() if number < entry} | {entry: seat}
        self._keep()

    def _keep(self) -> None:
        self._by_match = dict(list(self._by_match.items())[-MOST:])
        with suppress(LogError):  # then the records last until the next restart
            self._kept.write("stood_in", to_json(self._by_match))

    def by_event(self, name: str | None, match: Match) -> dict[str, list[int]]:
        """Return the seats for which the house acted just before an event, by the event's number.

        A sealed choice has no event of its own: it counts for the reveal. Records of undone entries are deleted.
        """
        entries = self._by_match.get(name or "")
        if name is None or not entries:
            return {}
        found: dict[str, list[int]] = {}
        self._by_match[name] = {number: seat for number, seat in entries.items() if number < len(match.log)}
        for number, seat in self._by_match[name].items():
            seats = found.setdefault(f"{match.events_before[number]}", [])
            if seat not in seats:
                seats.append(seat)
        return found
