"""The hubs of a venue as they tell of themselves at the broker above them: read strictly, bounded, and shown to staff only."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hub.network.messages import Malformed, fits_topic
from hub.network.staff_messages import HubSeen, TableSeen
from hub.network.upstream_messages import (
    ROOT,
    HubInfo,
    HubPresence,
    TableSummary,
    read_info,
    read_presence,
    read_summary,
)

log = logging.getLogger(__name__)

MOST_HUBS = 64
MOST_TABLES = 64
"""So many hubs, and tables of each, are kept in mind: whoever writes at that broker fills no memory here."""
SILENT_SECONDS = 180.0
"""A hub that says nothing for so long is away, whatever its presence says: it tells each minute what it is."""


@dataclass
class Known:
    """What is known of one hub; `heard_at` is when it said something itself, by this hub's own clock, 0 for never."""

    presence: HubPresence | None = None
    info: HubInfo | None = None
    tables: dict[str, TableSummary] = field(default_factory=dict)
    heard_at: float = 0.0


class OtherHubs:
    """What the hubs of a venue have said, this one among them. Any thread may call it."""

    def __init__(self, venue: str, wall: Callable[[], float] = time.time) -> None:
        self._start, self._wall = f"{ROOT}/{venue}/", wall
        self._lock = threading.Lock()
        self._known: dict[str, Known] = {}

    def take(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """Take in a message; what is not as it should be changes nothing."""
        hub, _, rest = topic.removeprefix(self._start).partition("/")
        if not topic.startswith(self._start) or not fits_topic(hub):
            return
        with self._lock:
            if hub not in self._known and len(self._known) >= MOST_HUBS:
                return
            known = self._known.get(hub) or Known()
            try:
                if self._understood(known, rest, payload, retained=retained):
                    self._known[hub] = known
            except Malformed as error:
                log.debug("%s: %s", topic, error)

    def _understood(self, known: Known, rest: str, payload: bytes, *, retained: bool) -> bool:
        """Note a message of a hub, and return whether it is one. Raise Malformed."""
        kind, _, table = rest.partition("/")
        if rest == "presence":
            known.presence = read_presence(payload)
        elif rest == "info":
            known.info = read_info(payload)
            known.heard_at = min(known.info.at, self._wall()) if retained else self._wall()
        elif kind == "table" and fits_topic(table):
            if not payload:
                known.tables.pop(table, None)
            elif table in known.tables or len(known.tables) < MOST_TABLES:
                told, before = read_summary(payload), known.tables.get(table)
                if not (before and before.session == told.session and told.n < before.n):  # a broker that was killed
                    known.tables[table] = told
        else:
            return False
        return True

    def seen(self, own: str, *, connected: bool) -> list[HubSeen]:
        """Return the hubs by name. Without a connection it is not known who is away."""
        now = self._wall()
        with self._lock:
            return [self._seen(hub, known, now, own, connected) for hub, known in sorted(self._known.items())]

    def _seen(self, hub: str, known: Known, now: float, own: str, connected: bool) -> HubSeen:
        is_here = known.presence is not None and known.presence.state == "online"
        silent = now - known.heard_at > SILENT_SECONDS
        tables = [
            TableSeen(
                table, one.name, one.state, one.game, one.round, one.seats, one.people, one.calls, one.minutes_left
            )
            for table, one in sorted(known.tables.items())
        ]
        return HubSeen(
            hub,
            "own" if hub == own else "unknown" if not connected else "here" if is_here and not silent else "away",
            int(known.heard_at) or None,
            known.info.version if known.info else "",
            tables,
        )
