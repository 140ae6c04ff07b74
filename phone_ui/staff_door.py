"""Encrypted requests of staff: `POST /staff/login` and `POST /staff/ask`.

A log-in is a PIN encrypted for the hub's key, like a claim of a seat. It starts a session with a key shared with the browser.
Every request of a session has a new number, and every answer names that number. So an attacker on the Wi-Fi can neither
read requests, nor repeat them, nor forge answers.
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
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from msgspec.structs import replace

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
from hub.network.staff_verbs import (
    HANDOUT_ARGS,
    STAFF_ARGS,
    AddPackageArgs,
    CameraArgs,
    ChangeSettingsArgs,
    EveningsArgs,
    LookArgs,
    PinArgs,
    RemovePackageArgs,
    SettingsArgs,
    SettingsRequest,
)
from hub.network.verbs import read_args
from phone_ui.origin import address_of, network_of, same_origin
from phone_ui.staff_pin import Guesses, StaffPin

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hub.network.staff_messages import CameraSeen, Evenings, Fault, Settings, StaffFile
    from phone_ui.asgi import Scope, Send

log = logging.getLogger(__name__)

T = TypeVar("T")

SESSION_SECONDS = 8 * 3600.0
MAX_SESSIONS = 16
WINDOW = 64
"""How far the number of a request may be below the highest one, because two connections may overtake each other."""
POLL_SECONDS = 20.0
"""How long a request `look` waits for a newer picture before it is answered without one."""
MAX_POLLS = 4
"""Maximum number of requests `look` of one session that may wait."""
WORKERS = 2


class StaffFace(Protocol):
    """The venue as staff see and operate it."""

    @property
    def picture(self) -> tuple[int, Venue | None]:
        """Return the newest picture and its number; 0 before the first."""

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after each new picture, from any thread. Return a function that ends this."""

    def do(self, ask: StaffAsk) -> tuple[str, list[Fault] | None]:
        """Execute a request of staff. Return a sentence, and the faults that an examination of the machine found. Raise HubError."""

    def settings(self, asked: SettingsRequest) -> tuple[str, Settings]:
        """Read or change the configuration, or the packages. Return a sentence, and both. Raise HubError."""

    def camera(self, table: str, step: Literal["look", "again", "empty", "die"]) -> CameraSeen:
        """Return what the camera of a table's dice tray shows, after beginning a step of its calibration. Raise HubError."""

    def evenings(self, month: str) -> Evenings:
        """Return what was played in the evenings of a month, "" for the newest. Raise HubError."""

    def hand_out(self, ask: StaffAsk) -> tuple[str, StaffFile | str]:
        """Return a sentence, and what staff take away: a file or a link. Raise HubError."""

    def note_wrong_pins(self, wrong: int) -> None:
        """Note the number of wrong PINs within the last 24 hours."""


class Refused(HubError):
    """The request is answered with an HTTP status and one unencrypted sentence."""

    def __init__(self, status: int, sentence: str, retry_after: int = 0) -> None:
        super().__init__(sentence)
        self.status, self.retry_after = status, retry_after


@dataclass
class Session:
    """A browser that has signed in. `numbers` are the recent request numbers."""

    pair: SharedKey = field(repr=False)
    ends: float
    highest: int = 0
    numbers: set[int] = field(default_factory=set)
    polls: int = 0

    def use(self, number: int) -> None:
        """Use up a request number. Raise Refused if it was used before, or is too old to tell."""
        if number in self.numbers or number <= self.highest - WINDOW:
            raise Refused(409, say("The hub already has this request."))
        self.highest = max(self.highest, number)
        self.numbers = {one for one in self.numbers if one > self.highest - WINDOW} | {number}


class Turns:
    """Let networks do something in turn, one at a time. Use it from one event loop.

    Many requests of one network delay only that network: another network waits for at most one turn of each network.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # the next network first
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
            if mine.done() and not mine.cancelled():  # cancelled just as its turn came: pass it on
                self._next()
            raise

    def _next(self) -> None:
        self._is_busy = False
        while self._waiting and not self._is_busy:
            network, line = self._waiting.popitem(last=False)
            first = line.popleft()
            if line:
                self._waiting[network] = line  # after all others
            if not first.done():
                self._is_busy = True  # already now, so that no other turn starts before this one
                first.set_result(None)


class StaffDoor:
    """Log-ins and sessions of staff. Call it from the web port's loop."""

    def __init__(
        self, pin: StaffPin, key: HubKey, face: StaffFace, now: Callable[[], float] = time.monotonic
    ) -> None:  # fmt: skip
        self._pin, self._key, self._face, self._now = pin, key, face, now
        self._guesses = Guesses()
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        # Two threads hash PINs: one for known browsers and this machine, and one, by turns, for all other networks.
        self._turns = Turns()
        self._hashing = {
            True: ThreadPoolExecutor(1, "staff-pin"),
            False: ThreadPoolExecutor(1, "staff-pin", initializer=_lower_priority),
        }
        self._workers = ThreadPoolExecutor(WORKERS, "staff")

    def close(self) -> None:
        """End the threads without waiting for running requests."""
        for pool in (*self._hashing.values(), self._workers):
            pool.shutdown(wait=False, cancel_futures=True)

    def reload_pin(self) -> bool:
        """Load a PIN that was renewed in a terminal, and end all sessions. Return whether there was one. Thread-safe."""
        if not self._pin.reload():
            return False
        with self._lock:
            self._sessions.clear()
        return True

    async def __call__(self, scope: Scope, send: Send, body: bytes, closing: asyncio.Event, *, here: bool) -> None:
        """Answer one request. `here`: it comes from this machine. `closing` ends waiting requests."""
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
        """Return the encrypted answer as JSON. Raise Refused or Malformed."""
        if scope["method"] != "POST":
            raise Refused(405, "This address does not take that method.")
        if not same_origin(scope):
            raise Refused(403, say("This request comes from another page."))
        if scope["path"] == "/staff/login":
            return await self._login(body, "here" if here else network_of(address_of(scope)), here=here)
        return await self._ask(body, closing)

    # --- log-in --------------------------------------------------------------------------------------

    async def _login(self, body: bytes, source: str, *, here: bool) -> bytes:
        asked = read_login(body)
        try:
            pair = self._key.with_phone(from_base64(asked.pk))
            secret = read_secret(pair.decrypt(from_base64(asked.nonce) + from_base64(asked.box)))
        except DecryptionError:
            raise Refused(400, say("This hub's key is not the one that this browser knows.")) from None
        self.reload_pin()
        known = self._pin.knows(secret.browser)
        guesser = f"browser {secret.browser}" if known else source
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
        async with nullcontext() if known or here else self._turns.turn(source):
            hashing = self._hashing[known or here]
            is_right = await asyncio.get_running_loop().run_in_executor(hashing, self._pin.matches, secret.pin)
        if not is_right:
            log.warning("staff: a wrong PIN came from %s.", source)
            self._face.note_wrong_pins(self._guesses.wrong_today(self._now()))
            raise Refused(403, say("That is not the staff PIN."))
        self._guesses.take_back(guesser)
        is_first = secret.setup and self._pin.shown != ""
        browser = secret.browser if is_first else self._pin.admit(secret.browser)
        log.info("staff: somebody has signed in from %s.", source)
        name = secrets.token_urlsafe(16)
        with self._lock:
            self._drop_old()
            while len(self._sessions) >= MAX_SESSIONS:
                self._sessions.popitem(last=False)
            self._sessions[name] = Session(pair, self._now() + SESSION_SECONDS)
        return _encrypted(pair, to_bytes(StaffSession(name, int(SESSION_SECONDS), browser, is_first)))

    def _drop_old(self) -> None:
        for name in [name for name, one in self._sessions.items() if one.ends <= self._now()]:
            del self._sessions[name]

    # --- a session -----------------------------------------------------------------------------------

    async def _ask(self, body: bytes, closing: asyncio.Event) -> bytes:
        asked = read_body(body)
        self.reload_pin()
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
        if answer.file is None:
            return _encrypted(session.pair, to_bytes(answer))
        # A file takes too long for the loop, which serves everybody's phones.
        work = asyncio.get_running_loop().run_in_executor
        return await work(self._workers, lambda: _encrypted(session.pair, to_bytes(answer)))

    async def _wait_for_picture(self, session: Session, n: int, since: int, closing: asyncio.Event) -> StaffAnswer:
        """Answer with the latest picture of the venue, as soon as it differs from the page's."""
        loop, fresh = asyncio.get_running_loop(), asyncio.Event()
        unsubscribe = self._face.on_change(lambda: _notify(loop, fresh))
        session.polls += 1
        try:
            number, venue = self._face.picture
            if number == since and session.polls <= MAX_POLLS:
                waits = [asyncio.create_task(fresh.wait()), asyncio.create_task(closing.wait())]
                await asyncio.wait(waits, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                for one in waits:
                    one.cancel()
                number, venue = self._face.picture
        finally:
            session.polls -= 1
            unsubscribe()
        return StaffAnswer(n, True, picture=number, venue=None if number == since else venue)

    def _in_background(self, call: Callable[..., T], *given: object) -> Awaitable[T]:
        """Call something on a thread of the staff's, so that phones are served meanwhile."""
        return asyncio.get_running_loop().run_in_executor(self._workers, partial(_surviving, call, *given))

    async def _change_pin(self, name: str, n: int, pin: str) -> StaffAnswer:
        """Change the PIN, and end all other sessions. Raise HubError."""
        await self._in_background(self._pin.change, pin)
        with self._lock:
            for other in self._sessions.keys() - {name}:
                del self._sessions[other]
        log.info("staff: the PIN was changed; whoever else was signed in is signed out.")
        return StaffAnswer(n, True, say("The PIN is changed. Everybody else has to sign in again."))

    async def _do(self, name: str, session: Session, ask: StaffAsk, closing: asyncio.Event) -> StaffAnswer:
        """Execute a request of staff. Raise HubError."""
        match ask.verb, read_args(STAFF_ARGS, ask.verb, ask.args):
            case "look", LookArgs(since=since):
                return await self._wait_for_picture(session, ask.n, since, closing)
            case "out", _:
                with self._lock:
                    self._sessions.pop(name, None)
                return StaffAnswer(ask.n, True, say("You are signed out."))
            case "pin", PinArgs(pin=pin):
                return await self._change_pin(name, ask.n, pin)
            case _, SettingsArgs() | ChangeSettingsArgs() | AddPackageArgs() | RemovePackageArgs() as asked:
                work = self._in_background(self._face.settings, asked)
                sentence, settings = await work
                return StaffAnswer(ask.n, True, sentence, self._face.picture[0], settings=settings)
            case _, CameraArgs(step=step):
                camera = await self._in_background(self._face.camera, ask.table, step)
                return StaffAnswer(ask.n, True, picture=self._face.picture[0], camera=camera)
            case _, EveningsArgs(month=month):
                reading = self._in_background(self._face.evenings, month)
                return StaffAnswer(ask.n, True, picture=self._face.picture[0], evenings=await reading)
            case verb, _ if verb in HANDOUT_ARGS:
                making = self._in_background(self._face.hand_out, ask)
                sentence, made = await making
                answer = StaffAnswer(ask.n, True, sentence, self._face.picture[0])
                return replace(answer, link=made) if isinstance(made, str) else replace(answer, file=made)
        sentence, findings = await self._in_background(self._face.do, ask)
        return StaffAnswer(ask.n, True, sentence, self._face.picture[0], findings=findings)


def _surviving(call: Callable[..., T], *given: object) -> T:
    """Call something. Raise HubError in place of an error that would end the event loop, such as a driver's SystemExit."""
    try:
        return call(*given)
    except Exception:
        raise
    except BaseException as error:
        log.exception("A request of staff was ended.")
        raise HubError(say("This has failed: the journal says why.")) from error


def _lower_priority() -> None:
    """Give this thread the lowest priority, because hashing is the most expensive work that strangers can cause."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)  # per thread on Linux: sched(7)


def _notify(loop: asyncio.AbstractEventLoop, fresh: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(fresh.set)
    except RuntimeError:  # the loop has ended
        return


def _encrypted(pair: SharedKey, text: bytes) -> bytes:
    whole = pair.encrypt(text, ANSWER_SIZE)
    return to_bytes(StaffBox(to_base64(whole[:NONCE_BYTES]), to_base64(whole[NONCE_BYTES:])))
