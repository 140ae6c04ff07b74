"""What the web port gives to one phone, to one network and to all: budgets that refill with time.

Everything that comes in is counted before it costs. A budget belongs to a login or an address and outlives a connection,
so that coming back brings no new one.
"""

from __future__ import annotations

import resource
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

LOOPBACK = ("127.0.0.1", "::1")
"""Addresses without a budget of their own: a proxy on this machine speaks for many phones."""

FILES_WITHOUT_ASKING = 1024
CROWD_FILES = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """What one phone, and all of them, may take. An address counts with its network (`phone_ui/origin.py: network_of`)."""

    frame_bytes: int = 8192
    first_packet_seconds: float = 5.0
    first_packet_bytes: int = 2048
    bytes_each_second: float = 65_536.0  # of one login
    packets_each_second: float = 60.0  # of one login: MQTT packets, and frames that hold none
    filters_each_second: float = 1.0  # of one login: topics that it subscribes to, or no longer
    filters_burst: float = 60.0
    requests_each_second: float = 10.0  # of one claim; what is more is dropped, and the phone asks again by itself
    controls_each_second: float = 20.0  # of one connection: pings, pongs and empty fragments of WebSocket
    burst_seconds: float = 4.0  # of bytes, packets, requests and controls: so much may come at once
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
    beat_seconds: float = 1.0  # a screen believes no hub that is silent for three
    stuck_seconds: float = 20.0  # who takes nothing of what is sent for so long is let go

    @classmethod
    def for_tables(cls, seats: Sequence[int], files: int = FILES_WITHOUT_ASKING) -> Self:
        """Return the limits of a hub whose tables have so many seats each, and that may have so many `files` open.

        Two phones a seat may come, and 200 are the most. Each connection is a file, and who logs in, or is about to, has two.
        A browser opens six connections for a page, and guests come all at once.
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


def allow_files() -> int:
    """Let this process have as many files open as a crowd takes; return how many that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < CROWD_FILES:
        soft = min(CROWD_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft


class TokenBucket:
    """A token bucket: `each_second` comes in, up to `full`."""

    __slots__ = ("_each_second", "_full", "_tokens", "_updated")

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


class Arrivals:
    """How often networks without a phone that has logged in may open a connection: each by itself, and all together."""

    MOST_REFUSED = 128

    def __init__(self, limits: Limits) -> None:
        self._each = Budgets(limits.arrivals_each_second, limits.arrivals_burst)
        self._all = TokenBucket(limits.strangers_each_second, limits.strangers_burst, 0.0)
        # A TLS handshake costs as much as many pages: a hub of many tables takes no more of them than any other.
        self._handshake = max(1.0, limits.strangers_each_second / Limits().strangers_each_second)
        self.refused = 0  # connections that are kept waiting for their end, so that who opens them waits, too

    def let_in(self, network: str, now: float, *, handshake: bool = False) -> bool:
        """Return whether one more connection of this network may be served now."""
        cost = self._handshake if handshake else 1.0
        return self._all.has(cost, now) and self._each.spend(network, 1, now) and self._all.spend(cost, now)

    def punish(self, network: str, now: float) -> None:
        """Let a network that has flooded wait for its next connection."""
        self._each.drain(network, now)
