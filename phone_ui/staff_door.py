"""The staff's way in: `POST /staff/login` and `POST /staff/ask`, boxes in and boxes out.

A log-in is a PIN encrypted for the hub's key, like a claim of a seat. It begins a session whose key is the browser's; every
request of it has a number that was not used before, and every answer names the request: who listens on the Wi-Fi reads
nothing, repeats nothing and answers nothing in the hub's place.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import threading
import time
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hub.engine.text import say, say_count
from hub.errors import HubError
from hub.network import http_messages
from hub.network.encryption import NONCE_BYTES, DecryptionError, HubKey, SharedKey, from_base64, to_base64
from hub.network.messages import Malformed, to_bytes
from hub.network.staff_messages import (
    ANSWER_SIZE,
    StaffAnswer,
    StaffAsk,
    StaffBox,
    StaffSession,
    Venue,
    read_ask,
    read_body,
    read_login,
    read_secret,
)
from hub.network.staff_verbs import STAFF_ARGS, LookArgs
from hub.network.verbs import read_args
from phone_ui.origin import address_of, network_of, same_origin
from phone_ui.staff_pin import Guesses, StaffPin

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from hub.network.staff_messages import Fault
    from phone_ui.asgi import Scope, Send

log = logging.getLogger(__name__)

SESSION_SECONDS = 8 * 3600.0
MAX_SESSIONS = 16
WINDOW = 64
"""A request may come so many numbers later than the newest one, as two connections may overtake each other; once."""
LOOK_SECONDS = 20.0
"""So long a request to look waits for a newer picture before it is answered without one."""
MAX_LOOKS = 4
"""So many of them of one session may wait."""
WORKERS = 2


class StaffFace(Protocol):
    """The venue as staff see it and work it."""

    @property
    def picture(self) -> tuple[int, Venue | None]:
        """Return the newest picture and its number; 0 before the first."""

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after each new picture, from any thread. Return a function that ends this."""

    def do(self, ask: StaffAsk) -> tuple[str, list[Fault] | None]:
        """Execute a request of staff. Return a sentence, and the faults that an examination of the machine found. Raise HubError."""

    def note_wrong_pins(self, wrong: int) -> None:
        """Note how many wrong PINs were entered within a day."""


class Refused(HubError):
    """The request is answered with an HTTP status and one sentence in the clear."""

    def __init__(self, status: int, sentence: str, retry_after: int = 0) -> None:
        super().__init__(sentence)
        self.status, self.retry_after = status, retry_after


@dataclass
class Session:
    """One browser that has signed in. `numbers` are those of its newest requests."""

    pair: SharedKey = field(repr=False)
    ends: float
    highest: int = 0
    numbers: set[int] = field(default_factory=set)
    looks: int = 0

    def use(self, number: int) -> None:
        """Use a number up. Raise Refused where it was used, or is too old to know."""
        if number in self.numbers or number <= self.highest - WINDOW:
            raise Refused(409, say("This request was made before."))
        self.highest = max(self.highest, number)
        self.numbers = {one for one in self.numbers if one > self.highest - WINDOW} | {number}


class Turns:
    """Let one network after another do something, one at a time. Called from one loop.

    A network that asks for many turns waits behind itself: whoever else comes is next after one turn of each other network.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # whose turn is next stands first
        self._is_busy = False

    @asynccontextmanager
    async def turn(self, network: str) -> AsyncIterator[None]:
        """Wait for a turn of this network, and hold it."""
        if self._is_busy:
            await self._wait(network)
        self._is_busy = True
        try:
            yield
        finally:
            self._next()

    async def _wait(self, network: str) -> None:
        mine = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(network, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # the turn had just come: it is the next one's
                self._next()
            raise

    def _next(self) -> None:
        self._is_busy = False
        while self._waiting and not self._is_busy:
            network, line = self._waiting.popitem(last=False)
            first = line.popleft()
            if line:
                self._waiting[network] = line  # behind all others
            if not first.done():
                self._is_busy = True  # nobody comes between
                first.set_result(None)


class StaffDoor:
    """Log-ins and sessions of the staff. `closing` ends what waits. Called from the web port's loop."""

    def __init__(
        self, pin: StaffPin, key: HubKey, face: StaffFace, now: Callable[[], float] = time.monotonic
    ) -> None:  # fmt: skip
        self._pin, self._key, self._face, self._now = pin, key, face, now
        self._guesses = Guesses()
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        # One PIN at a time of all strangers, their networks in turn, and one of those who stand in no line with them.
        self._turns = Turns()
        self._hashing = {
            True: ThreadPoolExecutor(1, "staff-pin"),
            False: ThreadPoolExecutor(1, "staff-pin", initializer=_give_way),
        }
        self._doing = ThreadPoolExecutor(WORKERS, "staff")

    def close(self) -> None:
        """End its threads; what is under way is not waited for."""
        for pool in (*self._hashing.values(), self._doing):
            pool.shutdown(wait=False, cancel_futures=True)

    def renewed(self) -> bool:
        """Take up a PIN that was made in a terminal: every session ends. Return whether there is one. From any thread."""
        if not self._pin.take_up():
            return False
        with self._lock:
            self._sessions.clear()
        return True

    async def __call__(self, scope: Scope, send: Send, body: bytes, closing: asyncio.Event, *, here: bool) -> None:
        """Answer one request. `here`: it comes from this machine itself."""
        try:
            answer, status, retry = await self._answer(scope, body, closing, here=here), 200, 0
        except Refused as error:
            answer, status, retry = to_bytes(http_messages.Refused(error.sentence)), error.status, error.retry_after
        except Malformed as error:
            answer, status, retry = to_bytes(http_messages.Refused(error.sentence)), 400, 0
        headers = [
            (b"content-type", b"application/json"),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
        ]
        if retry:
            headers.append((b"retry-after", str(retry).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _answer(self, scope: Scope, body: bytes, closing: asyncio.Event, *, here: bool) -> bytes:
        """Return nonce and box of the answer. Raise Refused or Malformed."""
        if scope["method"] != "POST":
            raise Refused(405, "This address does not take that method.")
        if not same_origin(scope):
            raise Refused(403, say("This request comes from another page."))
        if scope["path"] == "/staff/login":
            return await self._login(body, "here" if here else network_of(address_of(scope)), here=here)
        return await self._ask(body, closing)

    # --- log-in --------------------------------------------------------------------------------------

    async def _login(self, body: bytes, who: str, *, here: bool) -> bytes:
        asked = read_login(body)
        try:
            pair = self._key.with_phone(from_base64(asked.pk))
            secret = read_secret(pair.decrypt(from_base64(asked.nonce) + from_base64(asked.box)))
        except DecryptionError:
            raise Refused(400, say("This hub has another key than the one that this browser knows.")) from None
        self.renewed()
        known = self._pin.knows(secret.browser)
        guesser = f"browser {secret.browser}" if known else who
        if wait := self._guesses.wait(guesser, self._now(), known=known or here):
            seconds = int(wait) + 1
            raise Refused(
                429,
                say_count(
                    "Too many wrong PINs came from this network. Try again in {count} second, or with another device.",
                    "Too many wrong PINs came from this network. Try again in {count} seconds, or with another device.",
                    seconds,
                ),
                seconds,
            )
        async with nullcontext() if known or here else self._turns.turn(who):
            hashing = self._hashing[known or here]
            fits = await asyncio.get_running_loop().run_in_executor(hashing, self._pin.fits, secret.pin)
        if not fits:
            log.warning("staff: a wrong PIN came from %s.", who)
            self._face.note_wrong_pins(self._guesses.wrong_today(self._now()))
            raise Refused(403, say("That is not the staff's PIN."))
        self._guesses.take_back(guesser)
        browser = self._pin.admit(secret.browser)
        log.info("staff: somebody has signed in from %s.", who)
        name = secrets.token_urlsafe(16)
        with self._lock:
            self._drop_old()
            while len(self._sessions) >= MAX_SESSIONS:
                self._sessions.popitem(last=False)
            self._sessions[name] = Session(pair, self._now() + SESSION_SECONDS)
        return _sealed(pair, to_bytes(StaffSession(name, int(SESSION_SECONDS), browser)))

    def _drop_old(self) -> None:
        for name in [name for name, one in self._sessions.items() if one.ends <= self._now()]:
            del self._sessions[name]

    # --- a session -----------------------------------------------------------------------------------

    async def _ask(self, body: bytes, closing: asyncio.Event) -> bytes:
        asked = read_body(body)
        self.renewed()
        with self._lock:
            self._drop_old()
            session = self._sessions.get(asked.session)
        if session is None:
            raise Refused(401, say("You are signed out: sign in again."))
        try:
            ask = read_ask(session.pair.decrypt(from_base64(asked.nonce) + from_base64(asked.box)))
        except DecryptionError:
            raise Refused(400, say("This request was not made in this session.")) from None
        session.use(ask.n)
        try:
            answer = await self._do(asked.session, session, ask, closing)
        except HubError as error:
            answer = StaffAnswer(ask.n, False, error.sentence, self._face.picture[0])
        return _sealed(session.pair, to_bytes(answer))

    async def _look(self, session: Session, n: int, since: int, closing: asyncio.Event) -> StaffAnswer:
        """Answer with the newest picture of the venue, once it is another one than the page has."""
        loop, fresh = asyncio.get_running_loop(), asyncio.Event()
        leave = self._face.on_change(lambda: _set(loop, fresh))
        session.looks += 1
        try:
            number, venue = self._face.picture
            if number == since and session.looks <= MAX_LOOKS:
                waits = [asyncio.create_task(fresh.wait()), asyncio.create_task(closing.wait())]
                await asyncio.wait(waits, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                for one in waits:
                    one.cancel()
                number, venue = self._face.picture
        finally:
            session.looks -= 1
            leave()
        return StaffAnswer(n, True, picture=number, venue=None if number == since else venue)

    async def _do(self, name: str, session: Session, ask: StaffAsk, closing: asyncio.Event) -> StaffAnswer:
        """Do what staff ask, here or at the venue. Raise HubError."""
        match ask.verb, read_args(STAFF_ARGS, ask.verb, ask.args):
            case "look", LookArgs(since=since):
                return await self._look(session, ask.n, since, closing)
            case "out", _:
                with self._lock:
                    self._sessions.pop(name, None)
                return StaffAnswer(ask.n, True, say("You are signed out."))
        sentence, findings = await asyncio.get_running_loop().run_in_executor(self._doing, self._face.do, ask)
        return StaffAnswer(ask.n, True, sentence, self._face.picture[0], findings=findings)


def _give_way() -> None:
    """Let this thread have what others leave of the processor: a hash is what strangers make the hub work most with."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)  # a thread's own, on Linux: sched(7)


def _set(loop: asyncio.AbstractEventLoop, fresh: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(fresh.set)
    except RuntimeError:  # the loop has ended
        return


def _sealed(pair: SharedKey, text: bytes) -> bytes:
    whole = pair.encrypt(text, ANSWER_SIZE)
    return to_bytes(StaffBox(to_base64(whole[:NONCE_BYTES]), to_base64(whole[NONCE_BYTES:])))
