"""The two long-lived connections of the one web port: `/mqtt` on to the broker, and public state as SSE.

The gateway forwards packets, and holds everybody to limits, so that one bad phone is closed and nobody else notices. It reads
what a phone sends first, a CONNECT with its login's name: the broker hears of a phone only when it knows the login. What
follows it forwards in whole packets and counts them, as eighty small ones in one frame cost the hub as much as eighty frames;
those of pages take the short way (`phone_ui/direct.py`). Payloads are never logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hub.engine.text import say
from phone_ui.journal import Seldom
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
log.addFilter(Seldom())  # whoever is not let in may try again and again

Dial = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
Logins = Callable[[str], "LoginState"]
"""Returns how the login of that name stands at this hub."""
Direct = Callable[[str, "Wire"], "DirectPhone | None"]
"""Returns the short way of a login that the broker has let in, on its WebSocket; None where no table knows it."""

CONNECT = 0x10  # MQTT 3.1.1 section 3.1: packet type 1, flags 0
PING, PONG = b"\xc0\x00", b"\xd0\x00"  # 3.12, 3.13

# WebSocket close codes, RFC 6455 section 7.4.1
_NORMAL, _NOT_UNDERSTOOD, _POLICY, _TOO_BIG, _LATER = 1000, 1003, 1008, 1009, 1013
SEAT_GIVEN_BACK = 4001  # our own (7.4.2): the one word by which a page gives its seat up

LOGIN_SECONDS = 3.0  # so long a phone waits for its login; a page lets a connection go after 4 s
LOOK_SECONDS = 0.1  # from one look at a login to the next


class _Refused(Exception):
    """This phone is closed, with a close code and a reason for its own console."""

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
        # Who has not logged in waits in places of their own, and so takes none from who holds a seat.
        self._waiting = Places(limits.phones, limits.phones_each_address, seated)
        self._logged_in = Places(limits.phones, limits.phones, seated)
        self._budgets = _PhoneBudgets(limits)

    @property
    def phones(self) -> int:
        """Phones that are connected."""
        return self._waiting.used + self._logged_in.used

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one phone, from its request to its end."""
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
                await _tell_busy(send, status or 503)
            return
        try:
            await send({"type": "websocket.accept", "subprotocol": "mqtt"})
            phone = _Phone(receive, self._limits, self._budgets, address, scope["state"].get("wire"))
            code, reason = await self._serve(phone, send, place)
            with contextlib.suppress(OSError, RuntimeError):  # the phone may have gone first
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
            await self._login_made(client_id(first))
            try:
                async with asyncio.timeout(self._limits.first_packet_seconds):
                    reader, writer = await self._dial()
            except (TimeoutError, OSError):
                raise _Refused(_LATER, "the broker is away") from None
        except _Refused as refused:
            return refused.code, refused.reason
        except _Closed:
            return _NORMAL, ""
        try:
            try:
                async with asyncio.timeout(self._limits.first_packet_seconds):
                    writer.write(first)
                    answer = await first_answer(reader)
            except (TimeoutError, OSError, RuntimeError):  # uvloop's for a broker that has just gone
                return _LATER, "the broker is away"
            with contextlib.suppress(OSError, RuntimeError):
                await send({"type": "websocket.send", "bytes": answer})
            if not lets_in(answer):
                return await self._pipe(_Pipe(phone, send, reader, writer))
            return await self._seat(_Pipe(phone, send, reader, writer), place)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _login_made(self, name: str) -> None:
        """Wait until the broker knows the login. Raise _Refused where it takes long, or no seat of this hub has it.

        A broker that has just been started refuses every login until the hub has made it there: a phone would take that
        for the end of its seat.
        """
        until = time.monotonic() + LOGIN_SECONDS
        while (state := self._logins(name)) != "made":
            if state == "unknown":
                raise _Refused(SEAT_GIVEN_BACK, "no seat of this hub has this login")
            if time.monotonic() >= until or self._closing.is_set():
                raise _Refused(_LATER, "the login is not made yet")
            await asyncio.sleep(LOOK_SECONDS)

    async def _seat(self, pipe: _Pipe, place: Place) -> tuple[int, str]:
        """Serve a phone that the broker has let in: it waits no longer, and its network is one of the table's."""
        login, wire = pipe.phone.proved_login, pipe.phone.wire
        if login and wire:
            pipe.direct = self._direct(login, wire)
        self._waiting.release(place)
        self._seated.arrive(place.network)
        held = self._logged_in.take(place.network, place.end, busy=True)
        try:
            if held is None:
                return _LATER, "too many phones"
            return await self._pipe(pipe)
        finally:
            if pipe.direct:
                pipe.direct.end()
            self._seated.leave(place.network)
            if held is not None:
                self._logged_in.release(held)

    async def _pipe(self, pipe: _Pipe) -> tuple[int, str]:
        """Forward both ways until either end, a limit, or the hub's own end."""
        tasks = [
            asyncio.create_task(pipe.from_phone()),
            asyncio.create_task(pipe.to_phone()),
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


class _PhoneBudgets:
    """What logins and addresses may send, over all their connections."""

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
        """Return whether so many packets, topic filters and bytes may come.

        A login counts at its network: its name proves nothing.
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
    """What comes from one phone, held to its limits."""

    def __init__(
        self, receive: Receive, limits: Limits, budgets: _PhoneBudgets, address: str, wire: Wire | None
    ) -> None:
        self.wire = wire
        self.proved_login = ""  # of which the broker's CONNACK says that its password was right
        self.keep_alive = 0
        self._receive = receive
        self._limits = limits
        self._budgets = budgets
        self._address = address
        self._login = ""
        self._version = 0  # of MQTT; 0 while the log-in is not there yet
        self._reader = PacketReader(limits.frame_bytes)
        self._behind: list[bytes] = []  # what came in one frame with the log-in

    async def packets(self) -> list[bytes]:
        """Return the packets that are whole with the next frame: none where it brings but a part of one."""
        if self._behind:
            packets, self._behind = self._behind, []
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
        """Return the CONNECT packet with which a phone begins. What came behind it waits for the broker's answer."""
        while True:
            packets = await self.packets()
            begun = packets[0] if packets else self._reader.rest
            if begun and begun[0] != CONNECT:
                raise _Refused(_NOT_UNDERSTOOD, "the first packet must be CONNECT")
            if packet_size(begun[:5]) > self._limits.first_packet_bytes:
                raise _Refused(_TOO_BIG, "log-in too large")
            if packets:
                first, *self._behind = packets
                self._login, self.keep_alive = client_id(first), keep_alive(first)
                # A session that the broker keeps outlives the connection: it must know what the phone follows.
                if user_name(first) == self._login and not keeps_session(first):
                    self.proved_login = self._login
                return first


class _Pipe:
    """A phone that the broker has answered, between the two; `direct` is its short way past the broker, if it has one."""

    def __init__(self, phone: _Phone, send: Send, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.phone = phone
        self.direct: DirectPhone | None = None
        self._send, self._reader, self._writer = send, reader, writer
        self._wrote_at = time.monotonic()
        self._pings = 0  # of the gateway's own that the broker has not answered yet

    async def from_phone(self) -> tuple[int, str]:
        """Forward what comes from the phone until it ends."""
        try:
            while True:
                packets = await self.phone.packets()
                if self.direct:
                    packets = [one for one in packets if not self.direct.take(one)]
                self._write(b"".join(packets))
                await self._writer.drain()
        except _Refused as refused:
            return refused.code, refused.reason
        except (_Closed, OSError, RuntimeError):  # uvloop's word for a broker that has just gone is RuntimeError
            return _NORMAL, ""

    def _write(self, data: bytes) -> None:
        """Forward to the broker; if nothing is left for it, let it hear now and then that the phone is there.

        A phone may be silent for a keep-alive afterwards, and the broker ends its connection after one and a half.
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
        """Forward what comes from the broker until it ends."""
        packets = PacketReader()
        while True:
            try:
                data = await self._reader.read(16_384)
            except OSError:
                return _LATER, "the broker is away"
            if not data:
                return _NORMAL, "the broker ended the connection"
            if self.direct:  # which sends, too: between whole packets only
                data = b"".join(one for one in packets.read(data) if not self._is_own(one))
                if not data:
                    continue
            try:
                await self._send({"type": "websocket.send", "bytes": data})
            except (OSError, RuntimeError):  # the phone has gone, or uvicorn has closed it for a bad frame
                return _NORMAL, ""

    def _is_own(self, packet: bytes) -> bool:
        """Return whether a packet answers a ping of the gateway's own."""
        if packet != PONG or not self._pings:
            return False
        self._pings -= 1
        return True


async def _until(closing: asyncio.Event) -> tuple[int, str]:
    await closing.wait()
    return _LATER, "the hub is stopping"


async def first_answer(reader: asyncio.StreamReader) -> bytes:
    """Return what the broker says first, with a whole CONNACK in it; less where it ends the connection instead."""
    answer = b""
    while len(answer) < 4:
        data = await reader.read(16_384)
        if not data:
            break
        answer += data
    return answer


def lets_in(answer: bytes) -> bool:
    """Return whether a broker's first answer is a CONNACK that lets a phone in (3.1.1 and 5, section 3.2)."""
    place = 1
    while answer[place : place + 1] and answer[place] & 0x80:  # the length of an MQTT 5 CONNACK may have two bytes
        place += 1
    return answer[:1] == b"\x20" and answer[place + 2 : place + 3] == b"\0"


class Stream:
    """`GET .../events`: one picture as server-sent events; a slow reader skips to the latest."""

    def __init__(self, limits: Limits, closing: asyncio.Event, seated: Seated) -> None:
        self._limits = limits
        self._closing = closing
        self._seated = seated
        self._places = Places(limits.streams, limits.streams_each_address, seated)
        self._own = Places(limits.own_streams, limits.own_streams)

    @property
    def followers(self) -> int:
        """Open streams."""
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
        """Serve one follower, from its request to its end. `own`: a screen of the table, which has places of its own.

        What a `paired` screen gets is encrypted for it, and ends when its token is renewed.
        """
        network, places = network_of(address_of(scope)), self._own if own else self._places
        place = places.take(network, scope["state"]["abort"], busy=True)
        if place is None:
            await send_error(send, 503, say("Too many screens follow this hub. Close one, then try again."))
            return
        if own:
            self._seated.arrive(network)
        loop = asyncio.get_running_loop()
        fresh = asyncio.Event()
        fresh.set()
        unfollow = latest.follow(lambda: _nudge(loop, fresh))
        feeding = asyncio.create_task(self._feed(send, latest, fresh, paired))
        gone = asyncio.create_task(_gone(receive))
        stopping = asyncio.create_task(_until(self._closing))
        try:
            await asyncio.wait((feeding, gone, stopping), return_when=asyncio.FIRST_COMPLETED)
            if (stopping.done() or (paired and not paired.holds)) and not gone.done():
                with contextlib.suppress(OSError, RuntimeError):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            unfollow()
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
        while paired is None or paired.holds:
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


async def _tell_busy(send: Send, status: int) -> None:
    """Refuse a WebSocket for now: its phone tries again by itself."""
    headers = [(b"content-type", b"application/json"), (b"retry-after", b"5")]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    body = b'{"error":"Too many phones are coming at once. Try again in 5 seconds."}'
    await send({"type": "websocket.http.response.body", "body": body})


def dial_unix(path: Callable[[], str]) -> Dial:
    """Return what connects to the hub's own broker. It waits while more phones come in one instant than the broker takes in."""

    async def dial() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while True:
            try:
                return await asyncio.open_unix_connection(path())
            except BlockingIOError:  # a hundred wait for the broker to accept them
                await asyncio.sleep(LOOK_SECONDS)

    return dial


def dial_tcp(host: str, port: int, tls: ssl.SSLContext | None) -> Dial:
    """Return what connects to a venue's broker."""

    async def dial() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(host, port, ssl=tls)

    return dial
