"""The phones of one table over the broker: encrypts hands, decrypts requests and counts them."""

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

MAX_ANSWERS = 16  # of one claim, for a phone that asks again because the answer was lost
MAX_UNANSWERED = 8  # requests of one claim that wait for the table; what is more is dropped, and the phone asks again
MAX_GARBLED = 5  # in a row from one claim; what follows is dropped until it makes sense again


@dataclass(slots=True)
class _Claim:
    """What the hub shares with one phone."""

    pair: SharedKey = field(repr=False)
    key: bytes  # the phone's
    requests: TokenBucket
    last: int = 0  # the highest request number heard
    garbled: int = 0
    answers: dict[str, bytes | None] = field(default_factory=dict, repr=False)  # oldest first; None: not answered yet
    hand: bytes = field(default=b"", repr=False)  # the newest, encrypted
    direct: list[DirectPhone] = field(default_factory=list)  # connections: one, and such as the broker has ended


class PhonesOverMqtt:
    """The Phones port of one table. Signals go to `emit`, from the broker's thread."""

    def __init__(
        self,
        broker: Broker,
        key: HubKey,
        hub: str,
        table: str,
        emit: Callable[[PhoneRequest | PhoneGarbled | PhoneLink], None],
        limits: Limits | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._broker = broker
        self._key = key
        self._emit = emit
        self.topics = messages.Topics(hub, table)
        self.public = Latest()  # the same JSON for pages that follow by SSE, broker or not
        self._lock = threading.Lock()  # table's thread and broker's thread both know the claims
        self._claims: dict[str, _Claim] = {}
        self._seats = 0  # for how many there is to be a login, whether somebody sits there or not
        self._spares: dict[
            str, str
        ] = {}  # by sid: the password of a login that the broker has and nobody was given yet
        self._sized: tuple[str | None, int] = (None, 1)  # a match, and the blocks that its hands take
        self._held = 0  # how many are in `together`
        self._ended: list[str] = []  # claims that ended in the present `together`: their logins die once it has left
        self._leaving: dict[DirectPhone, list[tuple[str, bytes]]] = {}  # topics and packets that take the short way
        broker.subscribe(self.topics.act("+"), self._on_act)
        broker.subscribe(self.topics.online("+"), self._on_online)

    # --- from the table ---

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let a state, the hands of its moment and an answer leave at once: first those that take the short way. May nest."""
        with self._broker.hold():
            with self._lock:
                self._held += 1
            try:
                yield
            finally:
                with self._lock:
                    self._held -= 1
                    ended, self._ended = ([], self._ended) if self._held else (self._ended, [])
                self._leave()
                for sid in ended:  # the broker ends the connection at once: the last answer leaves first
                    self._broker.logins.release(sid)

    def _leave(self) -> None:
        """Have the web port send what takes the short way, unless more is to leave with it."""
        with self._lock:
            if self._held or not self._leaving:
                return
            leaving, self._leaving = self._leaving, {}

        def send() -> None:
            for phone, packets in leaving.items():
                phone.send(packets)

        with suppress(RuntimeError):  # the web port has ended
            next(iter(leaving)).loop.call_soon_threadsafe(send)

    def show_public(self, state: PublicState) -> None:
        """Publish the newest public state."""
        data, topic = messages.to_bytes(state), self.topics.state
        self.public.put(data)
        packet = publish(topic, data)
        with self._lock:
            for claim in self._claims.values():
                self._put(claim, topic, packet)
        self._broker.publish(topic, data, retain=True)
        self._leave()

    def _put(self, claim: _Claim, topic: str, packet: bytes) -> bool:
        """Have a packet take the short way, under the lock; return whether it does, and comes soon."""
        followers = [phone for phone in claim.direct if phone.follows(topic)]
        for phone in followers:
            self._leaving.setdefault(phone, []).append((topic, packet))
        return any(not phone.is_slow for phone in followers)

    def show_hands(self, hands: Mapping[str, Hand], blocks: int = 1) -> None:
        """Encrypt and publish the newest private states, by claim; nothing for a claim that is over.

        All get one length, whatever is in them: `blocks`, or what the largest of this match has needed so far.
        """
        texts = {sid: messages.to_bytes(hand) for sid, hand in hands.items()}
        size = self._hand_size(hands, texts, blocks)
        for sid, text in texts.items():
            with self._lock:
                claim = self._claims.get(sid)
                if claim is not None:  # under the lock: a hand must not follow the wiping of its topic
                    topic, claim.hand = self.topics.hand(sid), claim.pair.encrypt(text, size)
                    self._put(claim, topic, publish(topic, claim.hand))
                    self._broker.publish(topic, claim.hand, retain=True)
        self._leave()

    def _hand_size(self, hands: Mapping[str, Hand], texts: Mapping[str, bytes], blocks: int) -> int:
        """Return the bytes that all of these hands are padded to. It never shrinks within a match."""
        match = next((hand.match for hand in hands.values()), None)
        if match != self._sized[0]:
            self._sized = match, blocks
        needed = max((len(text) // messages.HAND_SIZE + 1 for text in texts.values()), default=1)
        self._sized = match, max(self._sized[1], needed, blocks)
        return self._sized[1] * messages.HAND_SIZE

    def answer(self, sid: str, answer: Ack) -> None:
        """Encrypt and publish the answer to one request, and remember it for a phone that asks again."""
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
        """Have the broker know a login for each free seat of so many, so that guests who come at once wait for none.

        Mosquitto writes its whole file for each new login: at 1,200 seats, 120 of them take 16 s.
        """
        self._seats = seats
        self._make_spares()

    def _make_spares(self) -> None:
        with self._lock:
            while len(self._claims) + len(self._spares) < self._seats:
                sid, password = secrets.token_urlsafe(12), secrets.token_urlsafe(24)
                self._spares[sid] = password
                self._broker.logins.admit(sid, password, self.topics.may_read(sid), self.topics.may_write(sid))

    def spare(self) -> tuple[str, str] | None:
        """Return name and password of a login that the broker has already; it is one until it is admitted."""
        with self._lock:
            return next(iter(self._spares.items()), None)

    def admit(self, sid: str, password: str, phone_key: bytes) -> None:
        """Make the login of a claim. `login` tells when the phone can use it.

        A table that has started again admits its phones again: their connections and counts stay, and what it did not
        answer it has forgotten.
        """
        pair = self._key.with_phone(phone_key)
        with self._lock:
            if (known := self._claims.get(sid)) and known.key == phone_key:
                known.answers = {one: answer for one, answer in known.answers.items() if answer is not None}
                return
            now, each_second = monotonic(), self._limits.requests_each_second
            requests = TokenBucket(each_second, each_second * self._limits.burst_seconds, now)
            self._claims[sid] = _Claim(pair, phone_key, requests)
            if self._spares.pop(sid, None) == password:
                return
        self._broker.logins.admit(sid, password, self.topics.may_read(sid), self.topics.may_write(sid))

    def login(self, sid: str) -> LoginState:
        """Return how a login stands, as far as this table knows."""
        with self._lock:
            if sid not in self._claims:
                return "unknown"
        return "made" if self._broker.logins.admitted(sid) else "awaited"

    def release(self, sid: str) -> None:
        """End a claim: first its login dies, then all that its topics held is wiped."""
        with self._lock:
            claim = self._claims.pop(sid, None)
            if claim is None:
                return
            for phone in claim.direct:
                phone.give_back()
            if self._held:
                self._ended.append(sid)
            else:
                self._broker.logins.release(sid)
            for topic in (self.topics.hand(sid), self.topics.online(sid), self.topics.act(sid)):
                self._broker.publish(topic, b"", retain=True)
        self._make_spares()

    def direct(self, sid: str, wire: Wire) -> DirectPhone | None:
        """Return the short way of a login that the broker has let in, on its WebSocket. Called from the web port's loop."""
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

    # --- from the broker, and the short way ---

    def _on_online(self, topic: str, payload: bytes, _retained: bool) -> None:
        # The will is empty, so is what the hub wipes: a phone that is there says anything else.
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
        if not claim.requests.spend(1, monotonic()):
            return  # nobody presses so fast; a phone that does wait for this answer asks again by itself
        if retained:
            # A retained request would be data again to every later hub: never used, and wiped.
            if payload:
                self._broker.publish(topic, b"", retain=True)
                self._garbled(sid, claim, "A request came as a retained message; it was not used.")
            return
        if len(payload) > messages.MOST_BYTES:
            self._garbled(sid, claim, f"A request was larger than {messages.MOST_BYTES} bytes.")
            return
        try:
            act = messages.read_act(claim.pair.decrypt(payload))
        except (DecryptionError, messages.Malformed) as error:
            self._garbled(sid, claim, str(error))
            return
        self._accept(sid, claim, act)

    def _accept(self, sid: str, claim: _Claim, act: messages.Act) -> None:
        """Hand a new request to the table; answer one that came before as then, and never do it twice."""
        with self._lock:
            asked_before = act.id in claim.answers
            old_answer = claim.answers.get(act.id)
            fresh = not asked_before and act.n > claim.last
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
        elif not asked_before:
            sentence = say("An old request came again. It was not used.")
            self._garbled(sid, claim, sentence)
            self._send_answer(sid, claim, messages.to_bytes(Ack(act.id, ok=False, error=sentence)))

    def _send_answer(self, sid: str, claim: _Claim, data: bytes) -> None:
        topic, letter = self.topics.ack(sid), claim.pair.encrypt(data, messages.NOTE_SIZE)
        with self._lock:
            is_sent = self._put(claim, topic, publish(topic, letter))
        self._leave()
        if not is_sent:  # whoever follows the short way follows nothing at the broker: nobody gets it twice
            self._broker.publish(topic, letter, retain=False)

    def _garbled(self, sid: str, claim: _Claim, sentence: str) -> None:
        claim.garbled += 1
        if claim.garbled <= MAX_GARBLED:
            log.info("Phone %s: %s", sid, sentence)
            self._emit(PhoneGarbled(sid, sentence))
