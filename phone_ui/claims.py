"""Claims of seats over HTTP: decrypted, rate-limited, passed to the table, and answered encrypted."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hub.engine.text import message, say, say_count
from hub.errors import HubError
from hub.network import messages
from hub.network.encryption import NONCE_BYTES, DecryptionError, HubKey, SharedKey, from_base64, to_base64
from phone_ui.origin import network_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from hub.ports import ClaimDecided, ClaimRequest, LoginState

FREE_TRIES = 5
LONGEST_PAUSE = 60.0
FORGET_SECONDS = 900.0
MAX_NETWORKS = 4096
ASKS_EACH_ADDRESS = 20
CALLS_EACH_NETWORK = 3
WINDOW = 60.0
CLAIM_SECONDS = 120.0
MAX_CLAIMS = 256

TOO_MANY_CLAIMS = message(
    "This phone asked for a seat too often. Try again in {count} second.",
    "This phone asked for a seat too often. Try again in {count} seconds.",
)
TOO_MANY_CODES = message(
    "Too many wrong codes came from this network. Try again in {count} second.",
    "Too many wrong codes came from this network. Try again in {count} seconds.",
)
TOO_MANY_CALLS = message(
    "Somebody here has called staff already. Try again in {count} second.",
    "Somebody here has called staff already. Try again in {count} seconds.",
)


class ClaimRefused(HubError):
    """The request is answered with an HTTP status and one sentence."""

    def __init__(self, status: int, sentence: str, retry_after: int = 0) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after = retry_after  # seconds until another try makes sense


class ClaimedTable(Protocol):
    """The part of a table that a claim needs."""

    @property
    def id(self) -> str:
        """The table's name in addresses and topics."""

    def claim(self, asked: ClaimRequest) -> None:
        """Put the claim into the table's inbox."""

    def login(self, sid: str) -> LoginState:
        """Return the state of this login."""


class RateLimit:
    """Allow each key at most `most` tries in `WINDOW` seconds. At most `MAX_CLAIMS` keys are remembered."""

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


class WrongCodes:
    """Pauses after wrong codes, per network, so that a guesser delays nobody else.

    `FREE_TRIES` wrong codes cost nothing; then the pauses double from a second to `LONGEST_PAUSE`. In four hours, one address
    has about 250 tries: a chance of one in 256,000 for six letters out of twenty (64 million codes), or one in a thousand
    with 250 addresses. After `FORGET_SECONDS` without a wrong code, the count of the network starts at zero again.
    """

    def __init__(self) -> None:
        self._tried: OrderedDict[str, tuple[int, float, float]] = OrderedDict()  # how many, when, pause until

    def wait(self, network: str, now: float) -> float:
        """Return the seconds until the network may try again; 0 counts this try as a wrong one until `take_back`."""
        count, last, until = self._tried.get(network, (0, now, 0.0))
        if now < until:
            return until - now
        if now - last > FORGET_SECONDS:
            count = 0
        count += 1
        pause = min(LONGEST_PAUSE, 2.0 ** (count - FREE_TRIES)) if count >= FREE_TRIES else 0.0
        # Two claims at once may arrive here in the other order than they read the clock: without a pause, neither waits.
        self._tried[network] = count, now, now + pause if pause else 0.0
        self._tried.move_to_end(network)
        if len(self._tried) > MAX_NETWORKS:
            self._tried.popitem(last=False)
        return 0.0

    def take_back(self, network: str) -> None:
        """Stop counting the last try, because its code was right. Earlier wrong codes still count."""
        count, last, _ = self._tried.get(network, (1, 0.0, 0.0))
        if count > 1:
            self._tried[network] = count - 1, last, 0.0
        else:
            self._tried.pop(network, None)


@dataclass(slots=True)
class _Open:
    """One claim between its request and its end."""

    table: str
    seat: int
    pair: SharedKey = field(repr=False)
    since: float
    network: str = ""  # charged for a wrong code
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
        self._calls = RateLimit(CALLS_EACH_NETWORK)
        self._wrong_codes = WrongCodes()

    def submit(self, table: ClaimedTable, body: bytes, address: str) -> str:
        """Pass a claim to the table and return its name. Raise ClaimRefused."""
        now, network = self._now(), network_of(address)
        try:
            asked = messages.read_claim(body)
            phone_key = from_base64(asked.pk)
            nonce, box = from_base64(asked.nonce), from_base64(asked.box)
            pair = self._key.with_phone(phone_key)
            details = messages.read_claim_details(pair.decrypt(nonce + box))
        except messages.Malformed as error:
            raise ClaimRefused(400, str(error)) from None
        except DecryptionError:
            sentence = say("This request was not encrypted for this hub. Scan the table's code again.")
            raise ClaimRefused(400, sentence) from None
        if details.seat != asked.seat:
            raise ClaimRefused(400, "The claim names two seats.")
        name = secrets.token_urlsafe(16)
        with self._lock:
            if details.code is None:
                self._check(self._by_address.wait(network, now), TOO_MANY_CLAIMS)
            else:
                self._check(self._wrong_codes.wait(network, now), TOO_MANY_CODES)
            self._drop_old(now)
            self._open[name] = _Open(table.id, details.seat, pair, now, "" if details.code is None else network)
        proven_keys = [key for one in details.earlier if (key := self._proven_key(one, asked.pk, table.id))]
        table.claim(messages.claim_asked(name, phone_key, details, proven_keys, self._on_decided))
        return name

    def _proven_key(self, earlier: messages.EarlierKey, claim_key: str, table: str) -> bytes | None:
        """Return an earlier public key if the proof was made with its secret half for this claim, else None.

        A login proves nothing here, because its password can be overheard on plain http. The proof names the key of the
        claim, so a recorded proof is useless without the secret half of that key.
        """
        try:
            key = from_base64(earlier.pk)
            proof = messages.read_key_proof(self._key.with_phone(key).decrypt(from_base64(earlier.proof)))
        except (messages.Malformed, DecryptionError):
            return None
        return key if (proof.pk, proof.table) == (claim_key, table) else None

    def check_call(self, address: str) -> None:
        """Count a call for staff by a person without a seat. Raise ClaimRefused if that network calls too often."""
        with self._lock:
            self._check(self._calls.wait(network_of(address), self._now()), TOO_MANY_CALLS)

    def status(self, table: ClaimedTable, name: str) -> messages.ClaimReply:
        """Return the state of a claim. Raise ClaimRefused.

        The state is `held` only after the broker has made the login, so that the phone can connect at once.
        """
        with self._lock:
            self._drop_old(self._now())
            claim = self._open.get(name)
        if claim is None or claim.table != table.id:
            raise ClaimRefused(404, say("You waited too long. Ask for the seat again."))
        decided = claim.decided
        if decided is None:
            return messages.ClaimReply("asked", say("Do what the box at the seat says."))
        if not decided.held:
            return messages.ClaimReply("refused", decided.say)
        if table.login(decided.sid) != "made":
            return messages.ClaimReply("asked", say("The seat is yours. The hub is signing you in."))
        login = messages.Login(decided.sid, decided.sid, decided.password, self._hub, table.id, claim.seat)
        encrypted = claim.pair.encrypt(messages.to_bytes(login), messages.NOTE_SIZE)
        nonce, box = to_base64(encrypted[:NONCE_BYTES]), to_base64(encrypted[NONCE_BYTES:])
        return messages.ClaimReply("held", decided.say, nonce, box)

    def _on_decided(self, decided: ClaimDecided) -> None:
        with self._lock:
            claim = self._open.get(decided.claim)
            if claim is None or claim.decided is not None:  # a table with a fault may answer twice
                return
            claim.decided = decided
            if claim.network and not decided.wrong_code:
                self._wrong_codes.take_back(claim.network)

    def _drop_old(self, now: float) -> None:
        while self._open:
            name, oldest = next(iter(self._open.items()))
            if now - oldest.since < CLAIM_SECONDS and len(self._open) < MAX_CLAIMS:
                return
            del self._open[name]

    @staticmethod
    def _check(wait: float, sentence: tuple[str, str]) -> None:
        if wait:
            seconds = int(wait) + 1
            raise ClaimRefused(429, say_count(*sentence, seconds), seconds)
