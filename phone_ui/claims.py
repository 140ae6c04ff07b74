"""Claims on seats as they come over HTTP: decrypted, counted, handed to the table, answered encrypted."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hub.errors import HubError
from hub.network import messages
from hub.network.encryption import NONCE_BYTES, DecryptionError, HubKey, SharedKey, from_base64, to_base64

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from hub.ports import ClaimAsked, ClaimDecided

CODE_TRIES = 3  # for one seat's code in `WINDOW`: ten thousand codes then last for weeks
ASKS_EACH_ADDRESS = 20
WINDOW = 60.0
CLAIM_SECONDS = 120.0
MAX_CLAIMS = 256


class ClaimRefused(HubError):
    """The request is answered with an HTTP status and one sentence."""

    def __init__(self, status: int, sentence: str, retry_after: int = 0) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after = retry_after  # seconds until another try makes sense


class ClaimedTable(Protocol):
    """What a claim needs of its table."""

    @property
    def id(self) -> str:
        """The table's name in addresses and topics."""

    def claim(self, asked: ClaimAsked) -> None:
        """Put the claim into the table's inbox."""

    def admitted(self, sid: str) -> bool:
        """Return whether the broker knows that login by now."""


class RateLimit:
    """At most `most` times in `WINDOW` seconds for each key; no more than `MAX_CLAIMS` keys are remembered."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until the key may try again; 0 counts this try."""
        times = self._times.setdefault(key, deque(maxlen=self._most))
        self._times.move_to_end(key)
        if len(self._times) > MAX_CLAIMS:
            self._times.popitem(last=False)
        if len(times) == self._most and now - times[0] < WINDOW:
            return WINDOW - (now - times[0])
        times.append(now)
        return 0.0

    def clear(self, key: Hashable) -> None:
        """Begin anew: the right code was given."""
        self._times.pop(key, None)


@dataclass(slots=True)
class _Open:
    """One claim between its request and its end."""

    table: str
    seat: int
    pair: SharedKey = field(repr=False)
    since: float
    decided: ClaimDecided | None = field(default=None, repr=False)


class Claims:
    """All claims of the last two minutes."""

    def __init__(self, key: HubKey, hub: str, now: Callable[[], float] = time.monotonic) -> None:
        self._key = key
        self._hub = hub
        self._now = now
        self._lock = threading.Lock()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._by_address = RateLimit(ASKS_EACH_ADDRESS)
        self._by_seat = RateLimit(CODE_TRIES)

    def ask(self, table: ClaimedTable, body: bytes, address: str) -> str:
        """Hand a claim to the table; return its name. Raise ClaimRefused."""
        now = self._now()
        with self._lock:
            self._check_rate(self._by_address, address, now, "Too many claims came from this phone")
        try:
            asked = messages.read_claim(body)
            phone_key = from_base64(asked.pk)
            nonce, box = from_base64(asked.nonce), from_base64(asked.box)
            pair = self._key.with_phone(phone_key)
            details = messages.read_claim_details(pair.decrypt(nonce + box))
        except messages.Malformed as error:
            raise ClaimRefused(400, str(error)) from None
        except DecryptionError:
            raise ClaimRefused(400, "This claim was not encrypted for this hub; scan the table's code again.") from None
        if details.seat != asked.seat:
            raise ClaimRefused(400, "The claim names two seats.")
        name = secrets.token_urlsafe(16)
        with self._lock:
            if details.code is not None:
                self._check_rate(self._by_seat, (table.id, details.seat), now, "This seat's code was tried three times")
            self._drop_old(now)
            self._open[name] = _Open(table.id, details.seat, pair, now)
        table.claim(messages.claim_asked(name, phone_key, details, self._decided))
        return name

    def look(self, table: ClaimedTable, name: str) -> messages.ClaimReply:
        """Return how the claim stands. Raise ClaimRefused.

        Held only once the login really works, so that the phone may connect at once.
        """
        with self._lock:
            self._drop_old(self._now())
            claim = self._open.get(name)
        if claim is None or claim.table != table.id:
            raise ClaimRefused(404, "This claim is over; ask for the seat once more.")
        decided = claim.decided
        if decided is None:
            return messages.ClaimReply("asked", "Do what the box at the seat says, or type the seat's code.")
        if not decided.held:
            return messages.ClaimReply("refused", decided.say)
        if not table.admitted(decided.sid):
            return messages.ClaimReply("asked", "The seat is yours; the hub is making your login.")
        login = messages.Login(decided.sid, decided.sid, decided.password, self._hub, table.id, claim.seat)
        encrypted = claim.pair.encrypt(messages.to_bytes(login), messages.NOTE_SIZE)
        nonce, box = to_base64(encrypted[:NONCE_BYTES]), to_base64(encrypted[NONCE_BYTES:])
        return messages.ClaimReply("held", decided.say, nonce, box)

    def _decided(self, decided: ClaimDecided) -> None:
        with self._lock:
            claim = self._open.get(decided.claim)
            if claim is None:
                return
            claim.decided = decided
            if decided.held:
                self._by_seat.clear((claim.table, claim.seat))

    def _drop_old(self, now: float) -> None:
        while self._open:
            name, oldest = next(iter(self._open.items()))
            if now - oldest.since < CLAIM_SECONDS and len(self._open) < MAX_CLAIMS:
                return
            del self._open[name]

    @staticmethod
    def _check_rate(limit: RateLimit, key: Hashable, now: float, sentence: str) -> None:
        wait = limit.wait(key, now)
        if wait:
            seconds = int(wait) + 1
            raise ClaimRefused(429, f"{sentence}; try again in {seconds} seconds.", seconds)
