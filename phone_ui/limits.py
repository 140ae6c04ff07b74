"""What the web port gives to one phone, to one network and to all: budgets that refill with time.

Everything that comes in is counted before it costs. A budget belongs to a login or an address and outlives a connection,
so that coming back brings no new one.
"""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = ("127.0.0.1", "::1")
"""Addresses without a budget of their own: a proxy on this machine speaks for many phones."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one phone, and all of them, may take."""

    frame_bytes: int = 8192
    first_packet_seconds: float = 5.0
    first_packet_bytes: int = 2048
    bytes_each_second: float = 65_536.0  # of one login
    packets_each_second: float = 60.0  # of one login: MQTT packets, and frames that hold none
    filters_each_second: float = 1.0  # of one login: topics that it subscribes to, or no longer
    filters_burst: float = 60.0
    requests_each_second: float = 10.0  # of one claim; what is more is dropped, and the phone asks again by itself
    controls_each_second: float = 20.0  # of one connection: pings, pongs and empty fragments of WebSocket
    burst_seconds: float = 4.0  # so much of the four above may come at once
    address_share: float = 8.0  # an address may have so many times a login's budget: some phones share one
    pages_each_second: float = 20.0  # of one network without a phone that has logged in; what comes sooner waits
    pages_burst: float = 200.0  # a first visit takes 60
    connects_each_second: float = 2.0  # of one address
    connects_burst: float = 60.0
    arrivals_each_second: float = 2.0  # connections of one network without a phone that has logged in; more wait
    arrivals_burst: float = 60.0
    strangers_each_second: float = 20.0  # of all such networks together
    strangers_burst: float = 80.0
    connections: int = 320
    connections_each_address: int = 64
    head_seconds: float = 10.0  # for a TLS handshake, then for the head of a request: half-open ones do not pile up
    phones: int = 96
    phones_each_address: int = 16
    streams: int = 48
    streams_each_address: int = 12
    own_streams: int = 24  # of the table's own screens, beside those
    beat_seconds: float = 5.0
    stuck_seconds: float = 20.0  # who takes nothing of what is sent for so long is let go


class TokenBucket:
    """A token bucket: `each_second` comes in, up to `full`."""

    def __init__(self, each_second: float, full: float, now: float) -> None:
        self._each_second = each_second
        self._full = full
        self._tokens = full
        self._updated = now

    def spend(self, amount: float, now: float) -> bool:
        """Take that much if it is there; return whether it was. What is refused costs nothing."""
        self._refill(now)
        if self._tokens < amount:
            return False
        self._tokens -= amount
        return True

    def has(self, amount: float, now: float) -> bool:
        """Return whether that much is there."""
        self._refill(now)
        return self._tokens >= amount

    def drain(self, now: float) -> None:
        """Take all that is there."""
        self._refill(now)
        self._tokens = 0.0

    def is_full(self, now: float) -> bool:
        """Return whether nothing is spent any more."""
        self._refill(now)
        return self._tokens >= self._full

    def _refill(self, now: float) -> None:
        self._tokens = min(self._full, self._tokens + (now - self._updated) * self._each_second)
        self._updated = now


class Budgets:
    """Token buckets by name. Used from the event loop only."""

    MOST = 512  # names; then those that have nothing spent are forgotten

    def __init__(self, each_second: float, full: float) -> None:
        self._each_second = each_second
        self._full = full
        self._buckets: dict[str, TokenBucket] = {}

    def spend(self, name: str, amount: float, now: float) -> bool:
        """Take that much of the budget of `name` if it is there; return whether it was."""
        return self._of(name, now).spend(amount, now)

    def drain(self, name: str, now: float) -> None:
        """Take all that `name` has."""
        self._of(name, now).drain(now)

    def _of(self, name: str, now: float) -> TokenBucket:
        bucket = self._buckets.get(name)
        if bucket is None:
            if len(self._buckets) >= self.MOST:
                self._buckets = {one: kept for one, kept in self._buckets.items() if not kept.is_full(now)}
            bucket = self._buckets[name] = TokenBucket(self._each_second, self._full, now)
        return bucket


class PacketCounter:
    """Counts MQTT packets in a stream of bytes, however it is cut into pieces, and the topic filters in them.

    MQTT 3.1.1 and 5, sections 2, 3.8 (SUBSCRIBE) and 3.10 (UNSUBSCRIBE).
    """

    MOST_FILTER_BYTES = 2048  # of one packet with topic filters: a page's takes 300

    def __init__(self) -> None:
        self._rest = 0  # bytes that are left of a packet whose length is known
        self._shift: int | None = None  # while the length is read: how far its next 7 bits are to be shifted
        self._length = 0
        self._kind = 0
        self._body: bytearray | None = None  # of a packet with topic filters
        self.version = 4  # of the protocol: 4 is MQTT 3.1.1

    def count(self, data: bytes) -> tuple[int, int]:
        """Return how many packets begin in `data`, and how many topic filters end in it. Raise ValueError where it is no MQTT."""
        begun = filters = place = 0
        while place < len(data):
            if self._rest:
                step = min(self._rest, len(data) - place)
                if self._body is not None:
                    self._body += data[place : place + step]
                self._rest -= step
                place += step
                if not self._rest and self._body is not None:
                    filters += count_filters(bytes(self._body), self._kind, self.version)
                    self._body = None
                continue
            byte = data[place]
            place += 1
            if self._shift is None:
                begun += 1
                self._kind, self._shift, self._length = byte, 0, 0
                continue
            if self._shift > 21:
                raise ValueError("not an mqtt packet")
            self._length |= (byte & 0x7F) << self._shift
            self._shift += 7
            if not byte & 0x80:
                self._rest, self._shift = self._length, None
                if self._kind & 0xF0 in (SUBSCRIBE, UNSUBSCRIBE):
                    if self._length > self.MOST_FILTER_BYTES:
                        raise ValueError("too many topics at once")
                    self._body = bytearray()
        return begun, filters


SUBSCRIBE, UNSUBSCRIBE = 0x80, 0xA0


def count_filters(body: bytes, kind: int, version: int) -> int:
    """Return how many topic filters stand in what follows the fixed header of a SUBSCRIBE or UNSUBSCRIBE."""
    place = 2  # after the packet id
    if version == 5:
        place = _after_properties(body, place)
    found, options = 0, 1 if kind & 0xF0 == SUBSCRIBE else 0
    while place < len(body):
        place += 2 + int.from_bytes(body[place : place + 2], "big") + options
        found += 1
    return found


def _after_properties(packet: bytes, place: int) -> int:
    """Return where the properties end whose length stands at `place` (MQTT 5, section 2.2.2)."""
    length = shift = 0
    while place < len(packet):
        byte = packet[place]
        place += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    return place + length


def protocol_version(connect: bytes) -> int:
    """Return the protocol level of a whole CONNECT packet: 4 is MQTT 3.1.1, 5 is MQTT 5; 0 where there is none to be read."""
    place = _after_length(connect) + 6  # behind the name of the protocol (3.1.2)
    return connect[place] if place < len(connect) else 0


def _after_length(packet: bytes) -> int:
    place = 1
    while packet[place : place + 1] and packet[place] & 0x80:
        place += 1
    return place + 1


def client_id(connect: bytes) -> str:
    """Return the client id of a whole CONNECT packet of MQTT 3.1.1 or 5, or "" where there is none to be read."""
    place = _after_length(connect) + 10  # protocol name, level, flags, keep alive (3.1.2)
    if protocol_version(connect) == 5:
        place = _after_properties(connect, place)
    size = int.from_bytes(connect[place : place + 2], "big")
    return connect[place + 2 : place + 2 + size].decode("utf-8", "replace")


class Arrivals:
    """How often networks without a phone that has logged in may open a connection: each by itself, and all together."""

    MOST_REFUSED = 128

    def __init__(self, limits: Limits) -> None:
        self._each = Budgets(limits.arrivals_each_second, limits.arrivals_burst)
        self._all = TokenBucket(limits.strangers_each_second, limits.strangers_burst, 0.0)
        self.refused = 0  # connections that are kept waiting for their end, so that who opens them waits, too

    def let_in(self, network: str, now: float) -> bool:
        """Return whether one more connection of this network may be served now."""
        return self._all.has(1, now) and self._each.spend(network, 1, now) and self._all.spend(1, now)

    def punish(self, network: str, now: float) -> None:
        """Let a network that has flooded wait for its next connection."""
        self._each.drain(network, now)
