"""The link to the broker above the hubs of a venue: summaries and finished matches go up, summaries of other hubs come down.

Messages that come down never reach a table: `OtherHubs` reads them, and staff see them. Finished matches come from the database,
numbered and in order. A file next to the database stores which of them the broker has acknowledged. After a crash, a number
may therefore be sent twice, but none is lost.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec.structs import replace

from hub.engine.text import say
from hub.errors import LogError
from hub.files import read_file, write_private
from hub.network.connection import outside_endpoint
from hub.network.messages import Malformed, to_bytes
from hub.network.other_hubs import OtherHubs
from hub.network.outside_link import OutsideLink
from hub.network.staff_messages import Upstream
from hub.network.upstream_messages import (
    KEPT_MATCHES,
    HubInfo,
    HubPresence,
    HubTopics,
    TableSummary,
    read_info,
    read_presence,
    read_summary,
    summary,
)
from hub.state import Plain, PublicState
from hub.version import version

if TYPE_CHECKING:
    import paho.mqtt.client as paho
    from paho.mqtt.reasoncodes import ReasonCode

    from hub.config import UpstreamPart

log = logging.getLogger(__name__)

INFO_SECONDS = 60.0
"""Interval of HubInfo. Other hubs consider a hub away if they get none for three times as long."""
RETAINED_SECONDS = 1.0
"""Wait after a subscription is granted for the retained messages of this hub."""
GRANT_SECONDS = 10.0
"""Wait for a subscription to be granted."""
FINISHED_SECONDS = 5.0
"""Between two checks of the database, unless a table reports the end of a match."""
WINDOW = 20
"""Maximum number of finished matches that are sent but not acknowledged."""
TWIN_SECONDS = 300.0
"""How long staff see a warning after another hub with the same id was detected."""


class FinishedMatches(Protocol):
    """The source of finished matches. Every method may raise LogError."""

    def finished_after(self, number: int, most: int = 100) -> list[tuple[int, bytes]]:
        """Return number and JSON of at most `most` matches after `number`, in order."""

    def finished(self) -> int:
        """Return the number of the newest match; 0 before the first one."""


class Progress(Plain, frozen=True):
    """The number of the last match that the broker has acknowledged, and the numbering to which it belongs."""

    series: str
    sent: int


class UpstreamLink(OutsideLink):
    """The link of one hub to the broker above. It is a Page port of every table. Raise ConfigError.

    - `tables`: the ids of this hub's tables.
    - `file`: stores the `Progress`.
    - `changed`: is called when something has changed that staff see.
    - `wall`: returns the time of day, in seconds since 1970.
    """

    def __init__(
        self, part: UpstreamPart, hub: str, tables: Collection[str], store: FinishedMatches, file: Path, random: Random,
        changed: Callable[[], None] = lambda: None, wall: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self._session = secrets.token_hex(4)
        self._topics = HubTopics(part.venue, hub)
        will = self._topics.presence, to_bytes(HubPresence("offline", self._session))
        endpoint = outside_endpoint(part, "upstream", f"table-hub-{part.venue}-{hub}-up")
        super().__init__(endpoint, "Upstream", will, random)
        self._part, self._hub, self._tables = part, hub, list(tables)
        self._store, self._file, self._changed, self._wall = store, file, changed, wall
        self._others = OtherHubs(part.venue, wall)
        self._drawing = threading.Lock()
        self._summaries: dict[str, TableSummary] = {}
        self._since = int(wall())
        self._twin_at = 0.0
        # Only the link's thread uses the following attributes.
        self._progress: Progress | None = None  # None: not loaded yet
        self._next = 0  # the newest number that this connection has sent
        self._in_flight: dict[int, int] = {}  # numbers by packet id
        self._joined_at = self._granted_at = 0.0
        self._is_caught_up = False  # it is known which retained messages the broker has of this hub
        self._broker_info: HubInfo | None = None
        self._info_at = self._finished_at = 0.0  # when HubInfo, and a check for finished matches, are due
        self._has_sent_info = False  # HubInfo was sent since the hub was started
        self._is_denied = False  # another client has overwritten the hub's presence
        self._overwritten: set[str] = set()  # topics of this hub that another client has overwritten

    # --- from any thread ---

    def show(self, public: PublicState, settled: bool) -> None:  # noqa: ARG002 - the port's
        """Queue the summary of the newest state of a table; return at once."""
        with self._drawing:
            before = self._summaries.get(public.table)
            shown = summary(public, self._session, before.n if before else 0)
            if shown != before:
                shown = replace(shown, n=shown.n + 1)
                self._summaries[public.table] = shown
                payload = to_bytes(shown)
                self.put(self._topics.table(public.table), payload)
                self._others.on_message(self._topics.table(public.table), payload, retained=False)
        if public.state == "over":
            self._finished_at = 0.0
        if self._part.whole_state:
            everybodys = PublicState(**{name: getattr(public, name) for name in PublicState.__struct_fields__})
            self.put(self._topics.state(public.table), to_bytes(everybodys))

    def snapshot(self) -> Upstream:
        """Return the broker above and its hubs, as staff see them."""
        up = self._is_logged_in
        return Upstream(
            str(self._endpoint.address),
            self._part.venue,
            up,
            self._since,
            "" if up else self._reported,
            0 if up else self._count_waiting(),
            self._wall() - self._twin_at < TWIN_SECONDS,
            self._others.snapshot(self._hub, connected=up),
        )

    def status(self) -> dict[str, Any]:
        """Return the state of the link for `table-hub doctor` and the network, without the address of the broker."""
        seen = self.snapshot()
        return {"up": seen.up, "waiting": seen.waiting, "twin": seen.twin, "too_large": self._was_too_large}

    def _count_waiting(self) -> int:
        try:
            return max(0, self._store.finished() - (self._progress.sent if self._progress else 0))
        except LogError:
            return 0

    # --- its thread: one connection ---

    def _on_login(self, client: paho.Client) -> None:
        self._since = int(self._wall())
        self._joined_at, self._granted_at = time.monotonic(), 0.0
        self._info_at = self._finished_at = 0.0
        self._is_caught_up, self._broker_info = False, None
        self._in_flight.clear()
        client.on_message = self._on_message
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish
        self._publish_presence(client)
        all_hubs = HubTopics(self._part.venue, "+")
        patterns = [all_hubs.presence, all_hubs.info, all_hubs.table("+")]
        patterns += [] if self._part.whole_state else [self._topics.state("+")]
        client.subscribe([(pattern, 1) for pattern in patterns])
        log.info("The broker above, at %s, is told of the tables.", self._endpoint.address)
        self._changed()

    def _on_disconnected(self) -> None:
        self._since = int(self._wall())
        self._changed()

    def _on_interval(self, client: paho.Client) -> None:
        now = time.monotonic()
        try:
            if not self._is_caught_up:
                self._catch_up(now)
            else:
                self._note_acknowledged()
                self._send_finished(client, now)
        except (LogError, OSError) as error:  # the disk fails: the next turn tries again
            self._report(say("Finished matches wait for the disk ({error}).", error=str(error)))
        if self._is_denied:
            self._publish_presence(client)
        if self._is_caught_up and now >= self._info_at:
            self._info_at = now + INFO_SECONDS
            self._publish_info(client)
            with self._lock:
                self._unsent |= dict.fromkeys(topic for topic in self._overwritten if topic in self._newest)
            self._overwritten.clear()

    def _publish_presence(self, client: paho.Client) -> None:
        self._is_denied = False
        client.publish(self._topics.presence, to_bytes(HubPresence("online", self._session)), qos=1, retain=True)

    def _publish_info(self, client: paho.Client) -> None:
        assert self._progress
        known = self._progress
        info = HubInfo(self._session, int(self._wall()), version(), self._tables, known.series, known.sent)
        client.publish(self._topics.info, to_bytes(info), qos=1, retain=True)
        self._has_sent_info = True

    # --- finished matches ---

    def _catch_up(self, now: float) -> None:
        """Find the number to continue after: the stored one, or an earlier one if the broker lost matches. Raise LogError or OSError."""
        waited = (
            now - self._granted_at >= RETAINED_SECONDS if self._granted_at else now - self._joined_at >= GRANT_SECONDS
        )
        if not waited:
            return
        progress, broker_info = self._load_progress(), self._broker_info
        kept = max(0, progress.sent - KEPT_MATCHES)
        broker_has = broker_info.finished if broker_info and broker_info.series == progress.series else 0
        self._next = min(progress.sent, max(kept, broker_has))
        self._is_caught_up = True

    def _load_progress(self) -> Progress:
        """Load the progress, once. Raise LogError or OSError.

        A new numbering begins if the file is missing or damaged, or if it is ahead of the database, which was then replaced.
        The new numbering starts with the newest matches in the database.
        """
        if self._progress is None:
            newest = self._store.finished()
            try:
                found = msgspec.json.decode(read_file(self._file), type=Progress)
            except (FileNotFoundError, ValueError):
                found = None
            if found is None or found.sent > newest:
                found = Progress(secrets.token_hex(8), max(0, newest - KEPT_MATCHES))
                write_private(self._file, to_bytes(found))
            self._progress = found
        return self._progress

    def _send_finished(self, client: paho.Client, now: float) -> None:
        """Send the next finished matches in order, with at most `WINDOW` unacknowledged ones. Raise LogError."""
        assert self._progress
        most = WINDOW - len(self._in_flight)
        if most <= 0 or now < self._finished_at:
            return
        self._finished_at = now + FINISHED_SECONDS
        found = self._store.finished_after(self._next, most)
        if len(found) == most:
            self._finished_at = 0.0  # there may be more matches
        for number, line in found:
            payload = b'{"v":1,"series":"%s","number":%d,%s' % (self._progress.series.encode(), number, line[1:])
            sent = client.publish(self._topics.finished(number % KEPT_MATCHES), payload, qos=1, retain=True)
            self._in_flight[sent.mid] = number
            self._next = number

    def _note_acknowledged(self) -> None:
        """Store the progress if the broker has acknowledged more matches, and send HubInfo soon. Raise OSError."""
        assert self._progress
        sent = min(self._in_flight.values()) - 1 if self._in_flight else self._next
        if sent > self._progress.sent:
            progress = replace(self._progress, sent=sent)
            write_private(self._file, to_bytes(progress))
            self._progress = progress
            self._info_at = 0.0

    # --- paho's callbacks, called inside `loop` ---

    def _on_subscribe(self, _c: paho.Client, _u: object, _packet: int, codes: Sequence[ReasonCode], _p: object) -> None:
        self._granted_at = time.monotonic()
        if any(code.is_failure for code in codes):
            name = self._endpoint.address.name
            self._report(say("The broker at {broker} does not let the hub read about other hubs.", broker=name))

    def _on_publish(self, _c: paho.Client, _u: object, packet: int, _code: ReasonCode, _p: object) -> None:
        self._in_flight.pop(packet, None)

    def _on_message(self, client: paho.Client, _u: object, message: paho.MQTTMessage) -> None:
        topic, payload = message.topic, bytes(message.payload)
        own = topic.removeprefix(f"{self._topics.root}/")
        if own == topic:
            self._others.on_message(topic, payload, retained=message.retain)
            self._changed()
            return
        try:
            self._check_own_topic(client, own, payload, retained=message.retain)
        except Malformed:
            self._overwritten.add(topic)
            self._is_denied = self._is_denied or own == "presence"

    def _check_own_topic(self, client: paho.Client, own: str, payload: bytes, *, retained: bool) -> None:
        """Check a message below this hub's own topics: from this start, from an earlier one, or from another client.

        Raise Malformed.
        """
        kind, _, table = own.partition("/")
        if kind == "state" or (kind == "table" and table not in self._tables):
            if payload:  # from an earlier configuration
                client.publish(self._topics.state(table), b"", qos=1, retain=True)
                if table not in self._tables:
                    client.publish(self._topics.table(table), b"", qos=1, retain=True)
        elif kind == "table":
            if not retained and (not payload or read_summary(payload).session != self._session):
                self._overwritten.add(self._topics.table(table))
        elif own == "info":
            info = read_info(payload)
            self._broker_info = info if retained else self._broker_info
            if self._has_sent_info and self._progress and info.series != self._progress.series:
                self._twin_at = self._wall()
                self._report(
                    say(
                        "Another hub of the venue {venue} has the same id, {hub}.",
                        venue=self._part.venue,
                        hub=self._hub,
                    )
                )
        elif own == "presence":
            self._is_denied = not retained and read_presence(payload).session != self._session
