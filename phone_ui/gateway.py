"""The two long-lived connections of the one web port: `/mqtt` on to the broker, and public state as SSE.

The gateway forwards bytes. It reads only the first byte of what a phone sends (it must be a CONNECT) and holds
everybody to limits, so that one bad phone is closed and nobody else notices. Payloads are never logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import urllib.parse
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

    from phone_ui.latest import Latest

log = logging.getLogger(__name__)

Scope = Mapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Dial = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]

CONNECT = 0x10  # MQTT 3.1.1 section 3.1: packet type 1, flags 0

# WebSocket close codes, RFC 6455 section 7.4.1
_NORMAL, _NOT_UNDERSTOOD, _POLICY, _TOO_BIG, _LATER = 1000, 1003, 1008, 1009, 1013


@dataclass(frozen=True, slots=True)
class Limits:
    """What one phone, and all of them, may take."""

    frame_bytes: int = 8192
    first_packet_seconds: float = 5.0
    first_packet_bytes: int = 2048
    bytes_each_second: float = 65_536.0
    frames_each_second: float = 250.0  # an acknowledgement of every message counts, too
    burst_seconds: float = 4.0  # so much of the two above may come at once
    connections: int = 320
    connections_each_address: int = 64
    head_seconds: float = 10.0  # for the head of a request, so that half-open ones do not pile up
    phones: int = 96
    phones_each_address: int = 16
    streams: int = 48
    streams_each_address: int = 12
    beat_seconds: float = 5.0
    stuck_seconds: float = 20.0  # a follower that takes nothing for so long is let go


class Quota:
    """How many of something are in use, in all and by each address. Used from the event loop only."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most = most
        self._most_each = most_each
        self._used: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Take one if one is free; return whether it was."""
        if self._used.total() >= self._most or self._used[address] >= self._most_each:
            return False
        self._used[address] += 1
        return True

    def release(self, address: str) -> None:
        """Give one back."""
        self._used[address] -= 1
        if not self._used[address]:
            del self._used[address]

    @property
    def used(self) -> int:
        """So many are in use."""
        return self._used.total()


class TokenBucket:
    """A token bucket: `each_second` comes in, up to `full`."""

    def __init__(self, each_second: float, full: float, now: float) -> None:
        self._each_second = each_second
        self._full = full
        self._tokens = full
        self._updated = now

    def spend(self, amount: float, now: float) -> bool:
        """Take that much; return whether it was there."""
        self._tokens = min(self._full, self._tokens + (now - self._updated) * self._each_second)
        self._updated = now
        self._tokens -= amount
        return self._tokens >= 0


class _Refused(Exception):
    """This phone is closed, with a close code and a reason for its own console."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class MqttGateway:
    """`WS /mqtt`: one connection from each phone to the broker."""

    def __init__(self, dial: Dial, limits: Limits, closing: asyncio.Event) -> None:
        self._dial = dial
        self._limits = limits
        self._closing = closing
        self._quota = Quota(limits.phones, limits.phones_each_address)

    @property
    def phones(self) -> int:
        """Phones that are connected."""
        return self._quota.used

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one phone, from its request to its end."""
        await receive()  # websocket.connect
        address = address_of(scope)
        refusal = self._refusal(scope)
        if refusal or not self._quota.take(address):
            log.info("A phone at %s was not let in: %s.", address, refusal or "too many connections")
            await send({"type": "websocket.close", "code": _POLICY})  # before accept: HTTP 403
            return
        try:
            await send({"type": "websocket.accept", "subprotocol": "mqtt"})
            code, reason = await self._serve(receive, send)
            with contextlib.suppress(OSError, RuntimeError):  # the phone may have gone first
                await send({"type": "websocket.close", "code": code, "reason": reason})
        finally:
            self._quota.release(address)

    def _refusal(self, scope: Scope) -> str:
        if "mqtt" not in scope.get("subprotocols", ()):
            return "it does not speak mqtt"
        if not same_origin(scope):
            return "its page comes from another place"
        return ""

    async def _serve(self, receive: Receive, send: Send) -> tuple[int, str]:
        phone = _Phone(receive, self._limits)
        try:
            try:
                async with asyncio.timeout(self._limits.first_packet_seconds):
                    first = await phone.first_packet()
                    reader, writer = await self._dial()
            except TimeoutError:
                raise _Refused(_POLICY, "no log-in within 5 seconds") from None
            except OSError:
                raise _Refused(_LATER, "the broker is away") from None
        except _Refused as refused:
            return refused.code, refused.reason
        except _Closed:
            return _NORMAL, ""
        try:
            writer.write(first)
            return await self._pipe(phone, send, reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _pipe(
        self, phone: _Phone, send: Send, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[int, str]:
        """Forward both ways until either end, a limit, or the hub's own end."""
        tasks = [
            asyncio.create_task(_from_phone(phone, writer)),
            asyncio.create_task(_to_phone(reader, send)),
            asyncio.create_task(_until(self._closing)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return next(iter(done)).result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class _Closed(Exception):
    """The phone closed the connection."""


class _Phone:
    """What comes from one phone, held to its limits."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        now = time.monotonic()
        self._bytes = TokenBucket(limits.bytes_each_second, limits.bytes_each_second * limits.burst_seconds, now)
        self._frames = TokenBucket(limits.frames_each_second, limits.frames_each_second * limits.burst_seconds, now)

    async def frame(self) -> bytes:
        """Return the next binary frame."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise _Closed
        data: bytes | None = message.get("bytes")
        if data is None:
            raise _Refused(_NOT_UNDERSTOOD, "text is not mqtt")
        if len(data) > self._limits.frame_bytes:
            raise _Refused(_TOO_BIG, "frame too large")
        now = time.monotonic()
        if not (self._frames.spend(1, now) and self._bytes.spend(len(data), now)):
            raise _Refused(_POLICY, "too fast")
        return data

    async def first_packet(self) -> bytes:
        """Return bytes that begin with one whole CONNECT packet."""
        data = b""
        while True:
            data += await self.frame()
            if data and data[0] != CONNECT:
                raise _Refused(_NOT_UNDERSTOOD, "the first packet must be CONNECT")
            size = packet_size(data)
            if size > self._limits.first_packet_bytes or len(data) > self._limits.frame_bytes:
                raise _Refused(_TOO_BIG, "log-in too large")
            if 0 < size <= len(data):
                return data


async def _from_phone(phone: _Phone, writer: asyncio.StreamWriter) -> tuple[int, str]:
    try:
        while True:
            writer.write(await phone.frame())
            await writer.drain()
    except _Refused as refused:
        return refused.code, refused.reason
    except (_Closed, OSError):
        return _NORMAL, ""


async def _to_phone(reader: asyncio.StreamReader, send: Send) -> tuple[int, str]:
    try:
        while data := await reader.read(16_384):
            await send({"type": "websocket.send", "bytes": data})
    except OSError:
        return _LATER, "the broker is away"
    return _NORMAL, "the broker ended the connection"


async def _until(closing: asyncio.Event) -> tuple[int, str]:
    await closing.wait()
    return _LATER, "the hub is stopping"


def packet_size(data: bytes) -> int:
    """Return the size of the MQTT packet that `data` begins with; 0 while its length is not there yet (3.1.1, 2.2.3)."""
    length = 0
    for index, byte in enumerate(data[1:5]):
        length |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            return 2 + index + length
    if len(data) >= 5:
        raise _Refused(_NOT_UNDERSTOOD, "not an mqtt packet")
    return 0


class Stream:
    """`GET .../events`: one picture as server-sent events; a slow reader skips to the latest."""

    def __init__(self, limits: Limits, closing: asyncio.Event) -> None:
        self._limits = limits
        self._closing = closing
        self._quota = Quota(limits.streams, limits.streams_each_address)

    @property
    def followers(self) -> int:
        """Open streams."""
        return self._quota.used

    async def __call__(self, scope: Scope, receive: Receive, send: Send, latest: Latest) -> None:
        """Serve one follower, from its request to its end."""
        address = address_of(scope)
        if not self._quota.take(address):
            await send_error(send, 503, "Too many screens follow this hub; close one and try again.")
            return
        loop = asyncio.get_running_loop()
        fresh = asyncio.Event()
        fresh.set()
        unfollow = latest.follow(lambda: _nudge(loop, fresh))
        feeding = asyncio.create_task(self._feed(send, latest, fresh))
        gone = asyncio.create_task(_gone(receive))
        stopping = asyncio.create_task(_until(self._closing))
        try:
            await asyncio.wait((feeding, gone, stopping), return_when=asyncio.FIRST_COMPLETED)
            if stopping.done() and not gone.done():
                with contextlib.suppress(OSError, RuntimeError):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            unfollow()
            for task in (feeding, gone, stopping):
                task.cancel()
            await asyncio.gather(feeding, gone, stopping, return_exceptions=True)
            self._quota.release(address)

    async def _feed(self, send: Send, latest: Latest, fresh: asyncio.Event) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),  # nginx in front must not hold events back
            (b"x-content-type-options", b"nosniff"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        sent = 0
        while True:
            chunk = b"event: beat\ndata: 1\n\n"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.beat_seconds):
                    await fresh.wait()
            if fresh.is_set():
                fresh.clear()
                version, value = latest.get()
                if version == sent:
                    continue
                sent = version
                chunk = b"id: %d\ndata: %s\n\n" % (version, value)
            async with asyncio.timeout(self._limits.stuck_seconds):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})


def _nudge(loop: asyncio.AbstractEventLoop, fresh: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # the web thread has ended: nobody follows any more
        loop.call_soon_threadsafe(fresh.set)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_error(send: Send, status: int, text: str) -> None:
    """Answer an HTTP request with one sentence as JSON (the text is ours: no escaping needed)."""
    body = b'{"error":"%s"}' % text.encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), (b"retry-after", b"10")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def address_of(scope: Scope) -> str:
    """Return the network address at the other end."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


def same_origin(scope: Scope) -> bool:
    """Return whether a request comes from our own pages. Browsers say where a page came from, programs say nothing."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    origin = headers.get(b"origin")
    if origin is None:
        return True
    netloc = urllib.parse.urlsplit(origin.decode("latin-1")).netloc.lower()
    return bool(netloc) and netloc == headers.get(b"host", b"").decode("latin-1").lower()


def dial_unix(path: Callable[[], str]) -> Dial:
    """Return what connects to the hub's own broker."""

    async def dial() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_unix_connection(path())

    return dial


def dial_tcp(host: str, port: int, tls: ssl.SSLContext | None) -> Dial:
    """Return what connects to a venue's broker."""

    async def dial() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(host, port, ssl=tls)

    return dial
