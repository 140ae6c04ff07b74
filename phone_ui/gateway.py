"""The long-lived connections of the web port: `/mqtt`, forwarded to the broker, and public state as server-sent events.

The gateway forwards packets and enforces limits per phone, so that a bad phone is closed without an effect on others. The
first packet of a phone, CONNECT, names its login; the gateway connects to the broker only after the broker has that login.
It counts and forwards whole packets, because eighty small packets in one frame cost as much as eighty frames. Packets of
pages use the direct path (`phone_ui/direct.py`). Payloads are never logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hub.engine.text import say
from phone_ui.journal import RepeatFilter
from phone_ui.limits import LOOPBACK, Budgets
from phone_ui.mqtt_packets import (
    PacketReader,
    PacketTooLarge,
    client_id,
    count_filters,
    keep_alive,
    keeps_session,
    packet_size,
    protocol_version,
    user_name,
)
from phone_ui.origin import address_of, network_of, same_origin
from phone_ui.places import Place, Places, Seated

if TYPE_CHECKING:
    import ssl

    from hub.ports import LoginState
    from phone_ui.asgi import Receive, Scope, Send
    from phone_ui.direct import DirectPhone, Wire
    from phone_ui.latest import Latest
    from phone_ui.limits import Limits
    from phone_ui.own_screens import PairedScreen

log = logging.getLogger(__name__)
log.addFilter(RepeatFilter())  # a refused client may try again and again

Dial = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
Logins = Callable[[str], "LoginState"]
"""Return the state of the login of that name at this hub."""
Direct = Callable[[str, "Wire"], "DirectPhone | None"]
"""Return the direct path of a login that the broker has accepted, on its WebSocket; None if no table knows the login."""

CONNECT = 0x10  # MQTT 3.1.1 section 3.1: packet type 1, flags 0
PING, PONG = b"\xc0\x00", b"\xd0\x00"  # 3.12, 3.13

# WebSocket close codes, RFC 6455 section 7.4.1
_NORMAL, _NOT_UNDERSTOOD, _POLICY, _TOO_BIG, _TRY_LATER = 1000, 1003, 1008, 1009, 1013
SEAT_GIVEN_BACK = 4001  # a private code (7.4.2): only this one makes a page give up its seat

LOGIN_SECONDS = 3.0  # how long a phone waits for its login; a page gives up a connection after 4 s
POLL_SECONDS = 0.1  # between two checks of a login


class _Refused(Exception):
    """The connection is closed with a WebSocket close code and a reason for the browser's console."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class MqttGateway:
    """`WS /mqtt`: one connection from each phone to the broker."""

    def __init__(
        self, dial: Dial, logins: Logins, direct: Direct, limits: Limits, closing: asyncio.Event, seated: Seated
    ) -> None:
        self._dial = dial
        self._logins = logins
        self._direct = direct
        self._limits = limits
        self._closing = closing
        self._seated = seated
        # Phones that have not logged in yet have separate places, so they cannot use up those of seated phones.
        self._waiting = Places(limits.phones, limits.phones_each_address, seated)
        self._logged_in = Places(limits.phones, limits.phones, seated)
        self._budgets = _PhoneBudgets(limits)

    @property
    def phones(self) -> int:
        """Return the number of connected phones."""
        return self._waiting.used + self._logged_in.used

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one phone until its connection ends."""
        await receive()  # websocket.connect
        address = address_of(scope)
        refusal, status = self._refusal(scope), 0
        if not refusal and not self._budgets.connect(address):
            refusal, status = "it connects too often", 429
        abort = scope["state"]["abort"]
        place = None if refusal else self._waiting.take(network_of(address), abort)
        if place is None:
            log.info("A phone at %s was not let in: %s.", address, refusal or "too many connections")
            if refusal and not status:
                await send({"type": "websocket.close", "code": _POLICY})  # before accept: HTTP 403
            else:
                await _send_busy(send, status or 503)
            return
        try:
            await send({"type": "websocket.accept", "subprotocol": "mqtt"})
            phone = _Phone(receive, self._limits, self._budgets, address, scope["state"].get("wire"))
            code, reason = await self._serve(phone, send, place)
            with contextlib.suppress(OSError, RuntimeError):  # the phone may have disconnected first
                await send({"type": "websocket.close", "code": code, "reason": reason})
        finally:
            self._waiting.release(place)

    def _refusal(self, scope: Scope) -> str:
        if "mqtt" not in scope.get("subprotocols", ()):
            return "it does not speak mqtt"
        if not same_origin(scope):
            return "its page comes from another place"
        return ""

    async def _serve(self, phone: _Phone, send: Send, place: Place) -> tuple[int, str]:
        try:
            try:
                async with asyncio.timeout(self._limits.first_packet_seconds):
                    first = await phone.first_packet()
            except TimeoutError:
                raise _Refused(_POLICY, "no log-in within 5 seconds") from None
            await self._wait_for_login(client_id(first))
            try:
                async with asyncio.timeout(self._limits.first_packet_seconds):
                    reader, writer = await self._dial()
            except (TimeoutError, OSError):
                raise _Refused(_TRY_LATER, "the broker is away") from None
        except _Refused as refused:
            return refused.code, refused.reason
        except _Closed:
            return _NORMAL, ""
        try:
            try:
                async with asyncio.timeout(self._limits.first_packet_seconds):
                    writer.write(first)
                    answer = await first_answer(reader)
            except (TimeoutError, OSError, RuntimeError):  # uvloop raises RuntimeError if the broker has just gone
                return _TRY_LATER, "the broker is away"
            with contextlib.suppress(OSError, RuntimeError):
                await send({"type": "websocket.send", "bytes": answer})
            if not is_accepted(answer):
                return await self._pipe(_Pipe(phone, send, reader, writer))
            return await self._serve_seat(_Pipe(phone, send, reader, writer), place)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _wait_for_login(self, name: str) -> None:
        """Wait until the broker has the login. Raise _Refused if this takes too long, or no seat of this hub has the login.

        A broker that has just started refuses every login until the hub has made it there, and a phone would take that
        refusal for the end of its seat.
        """
        until = time.monotonic() + LOGIN_SECONDS
        while (state := self._logins(name)) != "made":
            if state == "unknown":
                raise _Refused(SEAT_GIVEN_BACK, "no seat of this hub has this login")
            if time.monotonic() >= until or self._closing.is_set():
                raise _Refused(_TRY_LATER, "the login is not made yet")
            await asyncio.sleep(POLL_SECONDS)

    async def _serve_seat(self, pipe: _Pipe, place: Place) -> tuple[int, str]:
        """Serve a phone that the broker has accepted. Its network now counts as seated."""
        login, wire = pipe.phone.proved_login, pipe.phone.wire
        if login and wire:
            pipe.direct = self._direct(login, wire)
        self._waiting.release(place)
        self._seated.arrive(place.network)
        held = self._logged_in.take(place.network, place.end, busy=True)
        try:
            if held is None:
                return _TRY_LATER, "too many phones"
            return await self._pipe(pipe)
        finally:
            if pipe.direct:
                pipe.direct.end()
            self._seated.leave(place.network)
            if held is not None:
                self._logged_in.release(held)

    async def _pipe(self, pipe: _Pipe) -> tuple[int, str]:
        """Forward in both directions until either side ends, a limit is exceeded, or the hub stops."""
        tasks = [
            asyncio.create_task(pipe.from_phone()),
            asyncio.create_task(pipe.to_phone()),
            asyncio.create_task(_wait_closing(self._closing)),
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


class _PhoneBudgets:
    """The budgets of logins and addresses over all their connections."""

    def __init__(self, limits: Limits) -> None:
        burst, share = limits.burst_seconds, limits.address_share
        packets, size = limits.packets_each_second, limits.bytes_each_second
        self._connects = Budgets(limits.connects_each_second, limits.connects_burst)
        self._packets = Budgets(packets, packets * burst)
        self._bytes = Budgets(size, size * burst)
        self._filters = Budgets(limits.filters_each_second, limits.filters_burst)
        self._packets_of_address = Budgets(packets * share, packets * share * burst)
        self._bytes_of_address = Budgets(size * share, size * share * burst)

    def connect(self, address: str) -> bool:
        """Return whether the network of this address may open one more connection."""
        return address in LOOPBACK or self._connects.spend(network_of(address), 1, time.monotonic())

    def send(self, login: str, address: str, packets: int, filters: int, size: int) -> bool:
        """Return whether this many packets, topic filters and bytes may arrive, and count them.

        A login is counted together with its network, because its name alone proves nothing.
        """
        now, network = time.monotonic(), network_of(address)
        name = f"{login} at {network}"
        if not (self._packets.spend(name, packets, now) and self._bytes.spend(name, size, now)):
            return False
        if filters and not self._filters.spend(name, filters, now):
            return False
        return address in LOOPBACK or (
            self._packets_of_address.spend(network, packets, now) and self._bytes_of_address.spend(network, size, now)
        )


class _Phone:
    """The input of one phone, with its limits."""

    def __init__(
        self, receive: Receive, limits: Limits, budgets: _PhoneBudgets, address: str, wire: Wire | None
    ) -> None:
        self.wire = wire
        self.proved_login = ""  # the login, proved when the broker accepts its password in CONNACK
        self.keep_alive = 0
        self._receive = receive
        self._limits = limits
        self._budgets = budgets
        self._address = address
        self._login = ""
        self._version = 0  # of MQTT; 0 before CONNECT
        self._reader = PacketReader(limits.frame_bytes)
        self._buffered: list[bytes] = []  # packets in the same frame after CONNECT

    async def packets(self) -> list[bytes]:
        """Return the packets that the next frame completes, possibly none."""
        if self._buffered:
            packets, self._buffered = self._buffered, []
            return packets
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise _Closed
        data: bytes | None = message.get("bytes")
        if data is None:
            raise _Refused(_NOT_UNDERSTOOD, "text is not mqtt")
        if len(data) > self._limits.frame_bytes:
            raise _Refused(_TOO_BIG, "frame too large")
        try:
            packets = self._reader.read(data)
        except PacketTooLarge as error:
            raise _Refused(_TOO_BIG, str(error)) from None
        except ValueError as error:
            raise _Refused(_NOT_UNDERSTOOD, str(error)) from None
        if packets and not self._version:
            self._version = protocol_version(packets[0])
        filters = sum(count_filters(packet, self._version) for packet in packets)
        if not self._budgets.send(self._login, self._address, max(1, len(packets)), filters, len(data)):
            raise _Refused(_POLICY, "too fast")
        return packets

    async def first_packet(self) -> bytes:
        """Return the CONNECT packet, the first of a phone. Packets after it wait for the broker's answer."""
        while True:
            packets = await self.packets()
            start = packets[0] if packets else self._reader.rest
            if start and start[0] != CONNECT:
                raise _Refused(_NOT_UNDERSTOOD, "the first packet must be CONNECT")
            if packet_size(start[:5]) > self._limits.first_packet_bytes:
                raise _Refused(_TOO_BIG, "log-in too large")
            if packets:
                first, *self._buffered = packets
                self._login, self.keep_alive = client_id(first), keep_alive(first)
                # A persistent session outlives the connection, so the broker must have its subscriptions.
                if user_name(first) == self._login and not keeps_session(first):
                    self.proved_login = self._login
                return first


class _Pipe:
    """The connection between a phone and the broker, after CONNACK. `direct` is the direct path past the broker, if any."""

    def __init__(self, phone: _Phone, send: Send, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.phone = phone
        self.direct: DirectPhone | None = None
        self._send, self._reader, self._writer = send, reader, writer
        self._wrote_at = time.monotonic()
        self._pings = 0  # unanswered pings of the gateway itself

    async def from_phone(self) -> tuple[int, str]:
        """Forward packets of the phone until it disconnects."""
        try:
            while True:
                packets = await self.phone.packets()
                if self.direct:
                    packets = [one for one in packets if not self.direct.handle(one)]
                self._write(b"".join(packets))
                await self._writer.drain()
        except _Refused as refused:
            return refused.code, refused.reason
        except (_Closed, OSError, RuntimeError):  # uvloop raises RuntimeError if the broker has just gone
            return _NORMAL, ""

    def _write(self, data: bytes) -> None:
        """Forward data to the broker. If all of it took the direct path, send a ping instead from time to time.

        The broker closes a connection after one and a half keep-alives of silence, and the phone itself may be silent for one.
        """
        now = time.monotonic()
        if not data:
            if not (self.direct and self.phone.keep_alive) or now - self._wrote_at < self.phone.keep_alive / 4:
                return
            data = PING
            self._pings += 1
        self._wrote_at = now
        self._writer.write(data)

    async def to_phone(self) -> tuple[int, str]:
        """Forward packets of the broker until it ends the connection."""
        packets = PacketReader()
        while True:
            try:
                data = await self._reader.read(16_384)
            except OSError:
                return _TRY_LATER, "the broker is away"
            if not data:
                return _NORMAL, "the broker ended the connection"
            if self.direct:  # it sends, too, so forward whole packets only
                data = b"".join(one for one in packets.read(data) if not self._is_own(one))
                if not data:
                    continue
            try:
                await self._send({"type": "websocket.send", "bytes": data})
            except (OSError, RuntimeError):  # the phone has disconnected, or uvicorn has closed it for a bad frame
                return _NORMAL, ""

    def _is_own(self, packet: bytes) -> bool:
        """Return whether a packet answers a ping of the gateway itself."""
        if packet != PONG or not self._pings:
            return False
        self._pings -= 1
        return True


async def _wait_closing(closing: asyncio.Event) -> tuple[int, str]:
    await closing.wait()
    return _TRY_LATER, "the hub is stopping"


async def first_answer(reader: asyncio.StreamReader) -> bytes:
    """Return the first data of the broker, with a whole CONNACK; less if the broker ends the connection."""
    answer = b""
    while len(answer) < 4:
        data = await reader.read(16_384)
        if not data:
            break
        answer += data
    return answer


def is_accepted(answer: bytes) -> bool:
    """Return whether a broker's first answer is a CONNACK with code 0, success (3.1.1 and 5, section 3.2)."""
    place = 1
    while answer[place : place + 1] and answer[place] & 0x80:  # the length of an MQTT 5 CONNACK may have two bytes
        place += 1
    return answer[:1] == b"\x20" and answer[place + 2 : place + 3] == b"\0"


class Stream:
    """`GET .../events`: a state as server-sent events. A slow reader skips to the latest."""

    def __init__(self, limits: Limits, closing: asyncio.Event, seated: Seated) -> None:
        self._limits = limits
        self._closing = closing
        self._seated = seated
        self._places = Places(limits.streams, limits.streams_each_address, seated)
        self._own = Places(limits.own_streams, limits.own_streams)

    @property
    def followers(self) -> int:
        """Return the number of open streams."""
        return self._places.used + self._own.used

    async def __call__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        latest: Latest,
        *,
        own: bool,
        paired: PairedScreen | None = None,
    ) -> None:
        """Serve one reader until its connection ends. `own`: a screen of the table, which has separate places.

        The stream of a `paired` screen is encrypted for it, and ends when its token is renewed.
        """
        network, places = network_of(address_of(scope)), self._own if own else self._places
        place = places.take(network, scope["state"]["abort"], busy=True)
        if place is None:
            await send_error(send, 503, say("Too many screens are connected to this hub. Close one, then try again."))
            return
        if own:
            self._seated.arrive(network)
        loop = asyncio.get_running_loop()
        fresh = asyncio.Event()
        fresh.set()
        unsubscribe = latest.subscribe(lambda: _notify(loop, fresh))
        feeding = asyncio.create_task(self._feed(send, latest, fresh, paired))
        gone = asyncio.create_task(_wait_disconnected(receive))
        stopping = asyncio.create_task(_wait_closing(self._closing))
        try:
            await asyncio.wait((feeding, gone, stopping), return_when=asyncio.FIRST_COMPLETED)
            if (stopping.done() or (paired and not paired.is_valid)) and not gone.done():
                with contextlib.suppress(OSError, RuntimeError):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            unsubscribe()
            for task in (feeding, gone, stopping):
                task.cancel()
            await asyncio.gather(feeding, gone, stopping, return_exceptions=True)
            places.release(place)
            if own:
                self._seated.leave(network)

    async def _feed(self, send: Send, latest: Latest, fresh: asyncio.Event, paired: PairedScreen | None) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),  # nginx in front must not hold events back
            (b"x-content-type-options", b"nosniff"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        sent = 0
        while paired is None or paired.is_valid:
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
                chunk = b"id: %d\ndata: %s\n\n" % (version, paired.seal(value) if paired else value)
            async with asyncio.timeout(self._limits.stuck_seconds):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})


def _notify(loop: asyncio.AbstractEventLoop, fresh: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # the web thread has ended, so there are no readers
        loop.call_soon_threadsafe(fresh.set)


async def _wait_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_error(send: Send, status: int, text: str) -> None:
    """Answer an HTTP request with one sentence as JSON. It is not escaped, so `text` must not come from a client."""
    body = b'{"error":"%s"}' % text.encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), (b"retry-after", b"10")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _send_busy(send: Send, status: int) -> None:
    """Refuse a WebSocket for now. The phone tries again by itself."""
    headers = [(b"content-type", b"application/json"), (b"retry-after", b"5")]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    body = b'{"error":"Too many phones are coming at once. Try again in 5 seconds."}'
    await send({"type": "websocket.http.response.body", "body": body})


def dial_unix(path: Callable[[], str]) -> Dial:
    """Return a function that connects to the hub's own broker. It waits while the broker's queue of connections is full."""

    async def dial() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while True:
            try:
                return await asyncio.open_unix_connection(path())
            except BlockingIOError:  # the listen queue of the broker is full
                await asyncio.sleep(POLL_SECONDS)

    return dial


def dial_tcp(host: str, port: int, tls: ssl.SSLContext | None) -> Dial:
    """Return a function that connects to a venue's broker."""

    async def dial() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(host, port, ssl=tls)

    return dial
