"""Limits of the web port for one phone, one network and all together: budgets that refill with time.

All input is counted before it is processed. A budget belongs to a login or an address and outlives a connection, so a client
does not get a new one by reconnecting.
"""

from __future__ import annotations

import resource
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

LOOPBACK = ("127.0.0.1", "::1")
"""Addresses without limits, because a proxy on this machine forwards for many phones."""

DEFAULT_FILES = 1024
MOST_FILES = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per phone and in total. An address counts as its network (`phone_ui/origin.py: network_of`)."""

    frame_bytes: int = 8192
    first_packet_seconds: float = 5.0
    first_packet_bytes: int = 2048
    bytes_each_second: float = 65_536.0  # of one login
    packets_each_second: float = 60.0  # of one login: MQTT packets, and frames without a whole one
    filters_each_second: float = 1.0  # of one login: topic filters in SUBSCRIBE and UNSUBSCRIBE
    filters_burst: float = 60.0
    requests_each_second: float = 10.0  # of one claim; more are dropped, and the phone repeats them
    controls_each_second: float = 20.0  # of one connection: pings, pongs and empty fragments of WebSocket
    burst_seconds: float = 4.0  # of bytes, packets, requests and controls: the burst is this many seconds' worth
    address_share: float = 8.0  # the budget of an address, in budgets of a login, because phones may share an address
    pages_each_second: float = 20.0  # of one network without a logged-in phone; faster requests wait
    pages_burst: float = 200.0  # a first visit takes 60
    connects_each_second: float = 2.0  # of one address
    connects_burst: float = 60.0
    arrivals_each_second: float = 2.0  # connections of one network without a logged-in phone; more wait
    arrivals_burst: float = 60.0
    strangers_each_second: float = 20.0  # of all such networks together
    strangers_burst: float = 80.0
    connections: int = 320
    connections_each_address: int = 64
    head_seconds: float = 10.0  # for a TLS handshake, and again for the head of a request
    phones: int = 96
    phones_each_address: int = 16
    streams: int = 48
    streams_each_address: int = 12
    own_streams: int = 24  # of the table's own screens, not counted in `streams`
    beat_seconds: float = 1.0  # a screen considers the hub away after 3 s of silence
    stuck_seconds: float = 20.0  # a connection that takes no data for this long is closed

    @classmethod
    def for_tables(cls, seats: Sequence[int], files: int = DEFAULT_FILES) -> Self:
        """Return the limits of a hub whose tables have these numbers of seats, and that may open this many `files`.

        There may be two phones per seat, at most 200. Each connection is a file; a phone has a second one, to the broker.
        A browser opens six connections for a page, and all guests may arrive at once.
        """
        usual = cls()
        guests = min(sum(seats), 200)
        phones = min(max(usual.phones, 2 * sum(seats)), 200)
        return cls(
            phones=phones,
            connections=max(usual.connections, min(6 * guests, files - 2 * phones - 124)),
            own_streams=min(max(usual.own_streams, 2 * len(seats)), 100),
            strangers_each_second=max(usual.strangers_each_second, guests),
            strangers_burst=max(usual.strangers_burst, 4.0 * guests),
        )


def raise_file_limit() -> int:
    """Raise this process's limit of open files to `MOST_FILES` if the system allows it. Return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < MOST_FILES:
        soft = min(MOST_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft


class TokenBucket:
    """A token bucket that gains `each_second` tokens per second, up to `full`."""

    __slots__ = ("_each_second", "_full", "_tokens", "_updated")

    def __init__(self, each_second: float, full: float, now: float) -> None:
        self._each_second = each_second
        self._full = full
        self._tokens = full
        self._updated = now

    def spend(self, amount: float, now: float) -> bool:
        """Take `amount` tokens if there are enough, else none. Return whether there were."""
        self._refill(now)
        if self._tokens < amount:
            return False
        self._tokens -= amount
        return True

    def has(self, amount: float, now: float) -> bool:
        """Return whether there are at least `amount` tokens."""
        self._refill(now)
        return self._tokens >= amount

    def drain(self, now: float) -> None:
        """Take all tokens."""
        self._refill(now)
        self._tokens = 0.0

    def is_full(self, now: float) -> bool:
        """Return whether the bucket is full again."""
        self._refill(now)
        return self._tokens >= self._full

    def _refill(self, now: float) -> None:
        self._tokens = min(self._full, self._tokens + (now - self._updated) * self._each_second)
        self._updated = now


class Budgets:
    """Token buckets by name. Use it from the event loop only."""

    MOST = 512  # beyond this number of names, full buckets are dropped

    def __init__(self, each_second: float, full: float) -> None:
        self._each_second = each_second
        self._full = full
        self._buckets: dict[str, TokenBucket] = {}

    def spend(self, name: str, amount: float, now: float) -> bool:
        """Take `amount` tokens from the bucket of `name` if there are enough. Return whether there were."""
        return self._of(name, now).spend(amount, now)

    def drain(self, name: str, now: float) -> None:
        """Take all tokens of `name`."""
        self._of(name, now).drain(now)

    def _of(self, name: str, now: float) -> TokenBucket:
        bucket = self._buckets.get(name)
        if bucket is None:
            if len(self._buckets) >= self.MOST:
                self._buckets = {one: kept for one, kept in self._buckets.items() if not kept.is_full(now)}
            bucket = self._buckets[name] = TokenBucket(self._each_second, self._full, now)
        return bucket


class Arrivals:
    """Limit how often networks without a logged-in phone may open a connection, each and all together."""

    MOST_REFUSED = 128

    def __init__(self, limits: Limits) -> None:
        self._each = Budgets(limits.arrivals_each_second, limits.arrivals_burst)
        self._all = TokenBucket(limits.strangers_each_second, limits.strangers_burst, 0.0)
        # A TLS handshake costs as much as many pages, so more tables do not allow more handshakes per second.
        self._handshake = max(1.0, limits.strangers_each_second / Limits().strangers_each_second)
        self.refused = 0  # refused connections that are still open: closing them late slows down their clients

    def admit(self, network: str, now: float, *, handshake: bool = False) -> bool:
        """Return whether to serve one more connection of this network now, and count it if so."""
        cost = self._handshake if handshake else 1.0
        return self._all.has(cost, now) and self._each.spend(network, 1, now) and self._all.spend(cost, now)

    def punish(self, network: str, now: float) -> None:
        """Make a network that has flooded the hub wait for its next connection."""
        self._each.drain(network, now)
