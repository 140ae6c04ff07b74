"""The phones of one table over MQTT: encrypts hands, decrypts requests and limits their rate."""

from __future__ import annotations

import logging
import secrets
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from hub.engine.text import say
from hub.network import messages
from hub.network.encryption import DecryptionError, HubKey, SharedKey
from hub.ports import PhoneGarbled, PhoneLink, PhoneRequest
from hub.state import Ack
from phone_ui.direct import DirectPhone
from phone_ui.latest import Latest
from phone_ui.limits import Limits, TokenBucket
from phone_ui.mqtt_packets import publish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hub.ports import Broker, LoginState
    from hub.state import Hand, PublicState
    from phone_ui.direct import Wire

log = logging.getLogger(__name__)

MAX_ANSWERS = 16  # remembered per claim, for a phone that repeats a request because the answer was lost
MAX_UNANSWERED = 8  # requests of one claim that wait for the table; more are dropped, and the phone repeats them
MAX_GARBLED = 5  # reported in a row per claim; more are dropped until a valid request arrives


@dataclass(slots=True)
class _Claim:
    """The state that the hub keeps for one phone."""

    pair: SharedKey = field(repr=False)
    key: bytes  # the phone's
    requests: TokenBucket
    last: int = 0  # the highest request number so far
    garbled: int = 0
    answers: dict[str, bytes | None] = field(default_factory=dict, repr=False)  # oldest first; None: not answered yet
    hand: bytes = field(default=b"", repr=False)  # the newest, encrypted
    direct: list[DirectPhone] = field(default_factory=list)  # its connections: the present one, and ended ones


class PhonesOverMqtt:
    """The Phones port of one table. It calls `emit` with signals, on the thread of the broker or the web port.

    `token` returns a secret of so many random bytes as text.
    """

    def __init__(
        self,
        broker: Broker,
        key: HubKey,
        hub: str,
        table: str,
        emit: Callable[[PhoneRequest | PhoneGarbled | PhoneLink], None],
        limits: Limits | None = None,
        *,
        clock: Callable[[], float] = monotonic,
        token: Callable[[int], str] = secrets.token_urlsafe,
    ) -> None:
        self._limits, self._clock, self._token = limits or Limits(), clock, token
        self._broker = broker
        self._key = key
        self._emit = emit
        self.topics = messages.Topics(hub, table)
        self.public = Latest()  # the same JSON for pages that read it as server-sent events, without the broker
        self._lock = threading.Lock()  # the table's and the broker's thread use the claims
        self._claims: dict[str, _Claim] = {}
        self._seats = 0  # number of seats, each of which gets a login even if it is free
        self._spares: dict[str, str] = {}  # by sid: the password of an unused login that the broker has
        self._hand_blocks: tuple[str | None, int] = (None, 1)  # a match, and the size of its hands in blocks
        self._nested = 0  # depth of nested `together` blocks
        self._ended: list[str] = []  # claims that ended in this `together`; their logins are deleted at its end
        self._outgoing: dict[DirectPhone, list[tuple[str, bytes]]] = {}  # topics and packets for the direct path
        broker.subscribe(self.topics.act("+"), self._on_act)
        broker.subscribe(self.topics.online("+"), self._on_online)

    # --- from the table ---

    @contextmanager
    def together(self) -> Iterator[None]:
        """Send all messages of this block as one batch at its end, those of the direct path first. May nest."""
        with self._broker.hold():
            with self._lock:
                self._nested += 1
            try:
                yield
            finally:
                with self._lock:
                    self._nested -= 1
                    ended, self._ended = ([], self._ended) if self._nested else (self._ended, [])
                self._send_outgoing()
                for sid in ended:  # last, because the broker ends the connection at once
                    self._broker.logins.release(sid)

    def _send_outgoing(self) -> None:
        """Let the web port send the packets of the direct path, unless a `together` block is open."""
        with self._lock:
            if self._nested or not self._outgoing:
                return
            outgoing, self._outgoing = self._outgoing, {}

        def send() -> None:
            for phone, packets in outgoing.items():
                phone.send(packets)

        with suppress(RuntimeError):  # the web port has ended
            next(iter(outgoing)).loop.call_soon_threadsafe(send)

    def show_public(self, state: PublicState) -> None:
        """Publish the public state."""
        data, topic = messages.to_bytes(state), self.topics.state
        self.public.put(data)
        packet = publish(topic, data)
        with self._lock:
            for claim in self._claims.values():
                self._queue(claim, topic, packet)
        self._broker.publish(topic, data, retain=True)
        self._send_outgoing()

    def _queue(self, claim: _Claim, topic: str, packet: bytes) -> bool:
        """Queue a packet for the direct path. Return whether a phone gets it soon. The caller holds the lock."""
        followers = [phone for phone in claim.direct if phone.is_subscribed(topic)]
        for phone in followers:
            self._outgoing.setdefault(phone, []).append((topic, packet))
        return any(not phone.is_slow for phone in followers)

    def show_hands(self, hands: Mapping[str, Hand], blocks: int = 1) -> None:
        """Encrypt and publish the private states, by claim. Claims that are over get nothing.

        All have the same length: `blocks`, or the length of the largest one of this match so far.
        """
        texts = {sid: messages.to_bytes(hand) for sid, hand in hands.items()}
        size = self._hand_size(hands, texts, blocks)
        for sid, text in texts.items():
            with self._lock:
                claim = self._claims.get(sid)
                if claim is not None:  # under the lock: no hand may be published after its topic was cleared
                    topic, claim.hand = self.topics.hand(sid), claim.pair.encrypt(text, size)
                    self._queue(claim, topic, publish(topic, claim.hand))
                    self._broker.publish(topic, claim.hand, retain=True)
        self._send_outgoing()

    def _hand_size(self, hands: Mapping[str, Hand], texts: Mapping[str, bytes], blocks: int) -> int:
        """Return the size in bytes to which these hands are padded. It never shrinks within a match."""
        match = next((hand.match for hand in hands.values()), None)
        if match != self._hand_blocks[0]:
            self._hand_blocks = match, blocks
        needed = max((len(text) // messages.HAND_SIZE + 1 for text in texts.values()), default=1)
        self._hand_blocks = match, max(self._hand_blocks[1], needed, blocks)
        return self._hand_blocks[1] * messages.HAND_SIZE

    def answer(self, sid: str, answer: Ack) -> None:
        """Encrypt and publish the answer to a request, and remember it for a phone that repeats the request."""
        data = messages.to_bytes(answer)
        with self._lock:
            claim = self._claims.get(sid)
            if claim is None:
                return
            claim.answers[answer.re] = data
            while len(claim.answers) > MAX_ANSWERS:
                del claim.answers[next(iter(claim.answers))]
        self._send_answer(sid, claim, data)

    def keep_spares(self, seats: int) -> None:
        """Make a login at the broker for each free seat in advance, so that guests who arrive at once need not wait.

        Mosquitto writes its whole file for each new login: at 1,200 seats, 120 logins take 16 s.
        """
        self._seats = seats
        self._make_spares()

    def _make_spares(self) -> None:
        with self._lock:
            while len(self._claims) + len(self._spares) < self._seats:
                sid, password = self._token(12), self._token(24)
                self._spares[sid] = password
                self._broker.logins.admit(sid, password, self.topics.may_read(sid), self.topics.may_write(sid))

    def spare(self) -> tuple[str, str] | None:
        """Return name and password of an unused login that the broker has already, or None. `admit` uses it up."""
        with self._lock:
            return next(iter(self._spares.items()), None)

    def admit(self, sid: str, password: str, phone_key: bytes) -> None:
        """Make the login of a claim. `login` returns "made" when the phone can use it.

        A table that has restarted admits its phones again: their connections and counts stay, and its unanswered requests
        are forgotten.
        """
        pair = self._key.with_phone(phone_key)
        with self._lock:
            if (known := self._claims.get(sid)) and known.key == phone_key:
                known.answers = {one: answer for one, answer in known.answers.items() if answer is not None}
                return
            now, each_second = self._clock(), self._limits.requests_each_second
            requests = TokenBucket(each_second, each_second * self._limits.burst_seconds, now)
            self._claims[sid] = _Claim(pair, phone_key, requests)
            if self._spares.pop(sid, None) == password:
                return
        self._broker.logins.admit(sid, password, self.topics.may_read(sid), self.topics.may_write(sid))

    def login(self, sid: str) -> LoginState:
        """Return the state of a login, as far as this table knows."""
        with self._lock:
            if sid not in self._claims:
                return "unknown"
        return "made" if self._broker.logins.admitted(sid) else "awaited"

    def release(self, sid: str) -> None:
        """End a claim: delete its login, then clear its topics."""
        with self._lock:
            claim = self._claims.pop(sid, None)
            if claim is None:
                return
            for phone in claim.direct:
                phone.revoke()
            if self._nested:
                self._ended.append(sid)
            else:
                self._broker.logins.release(sid)
            for topic in (self.topics.hand(sid), self.topics.online(sid), self.topics.act(sid)):
                self._broker.publish(topic, b"", retain=True)
        self._make_spares()

    def direct(self, sid: str, wire: Wire) -> DirectPhone | None:
        """Return the direct path of a login that the broker has accepted, on its WebSocket. Called from the web port's loop."""
        with self._lock:
            claim = self._claims.get(sid)
            if claim is None:
                return None
            pictures = {self.topics.state: lambda: self.public.get()[1], self.topics.hand(sid): lambda: claim.hand}
            act = self.topics.act(sid)
            phone = DirectPhone(
                wire, pictures, self.topics.ack(sid), act, lambda payload: self._on_act(act, payload, False)
            )
            claim.direct = [*(one for one in claim.direct if not one.ended), phone]
            return phone

    # --- from the broker, and the direct path ---

    def _on_online(self, topic: str, payload: bytes, _retained: bool) -> None:
        # The will is empty, as is a cleared topic; any other payload means that the phone is online.
        sid = self.topics.sid_of(topic)
        with self._lock:
            claim = self._claims.get(sid or "")
        if sid is not None and claim is not None:
            self._emit(PhoneLink(sid, on=bool(payload)))

    def _on_act(self, topic: str, payload: bytes, retained: bool) -> None:
        sid = self.topics.sid_of(topic)
        with self._lock:
            claim = self._claims.get(sid or "")
        if sid is None or claim is None:
            return
        if not claim.requests.spend(1, self._clock()):
            return  # no person presses so fast; a phone that waits for an answer repeats its request
        if retained:
            # The broker would deliver a retained request again at every connection, so it is cleared and not used.
            if payload:
                self._broker.publish(topic, b"", retain=True)
                self._report_garbled(sid, claim, "A request came as a retained message; it was not used.")
            return
        if len(payload) > messages.MOST_BYTES:
            self._report_garbled(sid, claim, f"A request was larger than {messages.MOST_BYTES} bytes.")
            return
        try:
            act = messages.read_act(claim.pair.decrypt(payload))
        except (DecryptionError, messages.Malformed) as error:
            self._report_garbled(sid, claim, str(error))
            return
        self._accept(sid, claim, act)

    def _accept(self, sid: str, claim: _Claim, act: messages.Act) -> None:
        """Pass a new request to the table. A repeated one gets the same answer, and is never executed twice."""
        with self._lock:
            is_known = act.id in claim.answers
            old_answer = claim.answers.get(act.id)
            fresh = not is_known and act.n > claim.last
            if fresh and sum(answer is None for answer in claim.answers.values()) >= MAX_UNANSWERED:
                return
            if fresh:
                claim.last = act.n
                claim.garbled = 0
                claim.answers[act.id] = None
        if fresh:
            self._emit(messages.phone_said(sid, act))
        elif old_answer is not None:
            self._send_answer(sid, claim, old_answer)
        elif not is_known:
            sentence = say("An old request arrived again. The hub ignored it.")
            self._report_garbled(sid, claim, sentence)
            self._send_answer(sid, claim, messages.to_bytes(Ack(act.id, ok=False, error=sentence)))

    def _send_answer(self, sid: str, claim: _Claim, data: bytes) -> None:
        topic, letter = self.topics.ack(sid), claim.pair.encrypt(data, messages.NOTE_SIZE)
        with self._lock:
            is_sent = self._queue(claim, topic, publish(topic, letter))
        self._send_outgoing()
        if not is_sent:  # a phone on the direct path has no subscription at the broker, so it never gets both
            self._broker.publish(topic, letter, retain=False)

    def _report_garbled(self, sid: str, claim: _Claim, sentence: str) -> None:
        claim.garbled += 1
        if claim.garbled <= MAX_GARBLED:
            log.info("Phone %s: %s", sid, sentence)
            self._emit(PhoneGarbled(sid, sentence))
