"""The other hubs of a venue, known from the broker above them. Messages are checked and limited; only staff see the result."""

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
"""Limits for hubs, and for tables per hub, so that nobody can fill the memory of this hub through that broker."""
SILENT_SECONDS = 180.0
"""A hub without messages for this long is away, whatever its presence says: hubs send HubInfo every minute."""


@dataclass
class Known:
    """The messages of one hub. `info_at` is when its last HubInfo was sent (Unix time, this hub's clock); 0: never."""

    presence: HubPresence | None = None
    info: HubInfo | None = None
    tables: dict[str, TableSummary] = field(default_factory=dict)
    info_at: float = 0.0


class OtherHubs:
    """All hubs of a venue, this one included, with their latest messages. Thread-safe."""

    def __init__(self, venue: str, wall: Callable[[], float] = time.time) -> None:
        self._start, self._wall = f"{ROOT}/{venue}/", wall
        self._lock = threading.Lock()
        self._known: dict[str, Known] = {}

    def on_message(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """Note a message. A malformed one is ignored."""
        hub, _, rest = topic.removeprefix(self._start).partition("/")
        if not topic.startswith(self._start) or not fits_topic(hub):
            return
        with self._lock:
            if hub not in self._known and len(self._known) >= MOST_HUBS:
                return
            known = self._known.get(hub) or Known()
            try:
                if self._update(known, rest, payload, retained=retained):
                    self._known[hub] = known
            except Malformed as error:
                log.debug("%s: %s", topic, error)

    def _update(self, known: Known, rest: str, payload: bytes, *, retained: bool) -> bool:
        """Note a message, and return whether its topic is known. Raise Malformed."""
        kind, _, table = rest.partition("/")
        if rest == "presence":
            known.presence = read_presence(payload)
        elif rest == "info":
            known.info = read_info(payload)
            known.info_at = min(known.info.at, self._wall()) if retained else self._wall()
        elif kind == "table" and fits_topic(table):
            if not payload:
                known.tables.pop(table, None)
            elif table in known.tables or len(known.tables) < MOST_TABLES:
                new, before = read_summary(payload), known.tables.get(table)
                # An older one comes from a broker that was killed.
                if not (before and before.session == new.session and new.n < before.n):
                    known.tables[table] = new
        else:
            return False
        return True

    def snapshot(self, own: str, *, connected: bool) -> list[HubSeen]:
        """Return the hubs, sorted by name, for the staff of hub `own`. If it is not `connected`, their state is unknown."""
        now = self._wall()
        with self._lock:
            return [self._hub_seen(hub, known, now, own, connected) for hub, known in sorted(self._known.items())]

    def _hub_seen(self, hub: str, known: Known, now: float, own: str, connected: bool) -> HubSeen:
        is_here = known.presence is not None and known.presence.state == "online"
        silent = now - known.info_at > SILENT_SECONDS
        tables = [
            TableSeen(
                table, one.name, one.state, one.game, one.round, one.seats, one.people, one.calls, one.minutes_left
            )
            for table, one in sorted(known.tables.items())
        ]
        return HubSeen(
            hub,
            "own" if hub == own else "unknown" if not connected else "here" if is_here and not silent else "away",
            int(known.info_at) or None,
            known.info.version if known.info else "",
            tables,
        )
