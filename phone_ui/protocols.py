"""HTTP and WebSocket for crowds: uvicorn's protocols, with limits that apply before the app."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from phone_ui.limits import LOOPBACK, Arrivals, Limits, TokenBucket
from phone_ui.origin import network_of, plain_address

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from uvicorn._types import ASGIReceiveEvent
    from websockets.frames import Frame

    from phone_ui.places import Place, Places


WAIT_SECONDS = 0.3
"""Until a connection that is too early is checked again."""

UNSENT_BYTES = 16_384
"""Maximum unsent bytes per phone, in the system's buffer and in the port's: one state and one hand each."""


_BUSY = b"""<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5"><title>One moment</title>
<p lang="en">Too many phones are coming at once. This page tries again in 5 seconds.</p>
<p lang="de">Zu viele Handys kommen gleichzeitig. Diese Seite versucht es in 5 Sekunden noch einmal.</p>
"""
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html; charset=utf-8\r\ncache-control: no-store\r\n"
    b"retry-after: 5\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(_BUSY), _BUSY)
)
"""The answer if there is no place for a connection. The request is not parsed, so the answer is in two languages."""


class LimitedHttp(H11Protocol):
    """HTTP for crowds: fair shares of the connections, and timeouts for request heads and for answers that are not read."""

    REFUSED_SECONDS = 2.0

    def __init__(self, places: Places, arrivals: Arrivals, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        self._places, self._arrivals, self._limits = places, arrivals, limits
        self._place: Place | None = None
        self._waits = self._is_overloaded = False  # this connection waits for a place; too many others do already
        self._until = 0.0
        self._buffered: bytearray | None = bytearray()  # input before the connection was accepted; None after that
        self._head_timer: asyncio.TimerHandle | None = None
        self._writing_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place for the connection, or wait for one."""
        super().connection_made(transport)
        # With this the app ends the request, or its WebSocket, when another network gets the place.
        self.app_state = {**self.app_state, "abort": transport.abort}
        set_user_timeout(transport, self._limits.stuck_seconds)
        address = plain_address(self.client[0]) if self.client else "?"
        if address not in LOOPBACK:  # a proxy on this machine forwards for many
            self._place = self._places.take(network_of(address), transport.abort)
            if self._place is None:
                self._wait_for_place()
                return
            self._start_reading()
        else:
            self._buffered = None
        self._head_timer = self.loop.call_later(self._limits.head_seconds, self._reject)

    def _reject(self) -> None:
        """End a connection that was not accepted, with an answer if it has sent a request."""
        if self._buffered and not self.transport.is_closing():
            self.transport.write(BUSY)
            self.transport.close()
        else:
            self.transport.abort()

    def _wait_for_place(self) -> None:
        """Let a connection wait for a place, then reject it. The wait is long, because a new connection costs more.

        If too many wait already, reject it as soon as it sends a request.
        """
        self._is_overloaded = self._arrivals.refused >= self._arrivals.MOST_REFUSED
        if not self._is_overloaded:
            self._waits = True
            self._arrivals.refused += 1
        self._until = self.loop.time() + self.REFUSED_SECONDS
        self.loop.call_later(WAIT_SECONDS, self._retry_place)

    def _retry_place(self) -> None:
        if self.transport.is_closing():
            return
        if self._is_overloaded or self.loop.time() >= self._until:
            self._reject()
            return
        assert self.client
        self._place = self._places.take(network_of(plain_address(self.client[0])), self.transport.abort)
        if self._place is None:
            self.loop.call_later(WAIT_SECONDS, self._retry_place)
            return
        self._waits = False
        self._arrivals.refused -= 1
        self._head_timer = self.loop.call_later(self._limits.head_seconds, self._reject)
        self._start_reading()

    def _start_reading(self) -> None:
        """Start reading if the network may open one more connection now, else check again later."""
        if self._place is None or self.transport.is_closing():
            return
        network = self._place.network
        is_counted = self.transport.get_extra_info("ssl_object") is not None  # https was counted before its handshake
        if is_counted or self._places.is_seated(network) or self._arrivals.admit(network, self.loop.time()):
            buffered, self._buffered = self._buffered, None
            self.transport.resume_reading()
            if buffered:
                self.data_received(bytes(buffered))
        else:
            self.loop.call_later(WAIT_SECONDS, self._start_reading)

    def data_received(self, data: bytes) -> None:
        """Pass data to the parser, and limit the wait for the rest of a head."""
        if self._buffered is not None:  # paused here, because uvloop starts to read after `connection_made`
            self._buffered += data
            self.transport.pause_reading()
            if self._is_overloaded:
                self._reject()
            return
        super().data_received(data)
        waiting = getattr(self.cycle, "response_complete", True)  # no request in progress
        if self._place is not None:
            self._place.busy = not waiting
        if self.transport.get_protocol() is not self:  # a WebSocket now, which the gateway counts
            self._stop_timers()
            self._release()
        elif not waiting:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self._limits.head_seconds, self.transport.abort)

    def on_response_complete(self) -> None:
        """Note that the connection is idle again."""
        if self._place is not None:
            self._place.busy = False
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Start the timeout of a client that does not read the answer."""
        super().pause_writing()
        self._writing_timer = self.loop.call_later(self._limits.stuck_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue, because the client reads again."""
        super().resume_writing()
        self._stop_writing_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse input that is not HTTP. If a request broke off within its body, drop the app's answer to it."""
        with contextlib.suppress(h11.LocalProtocolError):  # an answer has started already
            super().send_400_response(msg)
        self.transport.close()
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the connection's place back."""
        self._stop_timers()
        self._release()
        super().connection_lost(exc)

    def _release(self) -> None:
        if self._waits:
            self._waits = False
            self._arrivals.refused -= 1
        if self._place is not None:
            self._places.release(self._place)
            self._place = None

    def _stop_timers(self) -> None:
        self._stop_head_timer()
        self._stop_writing_timer()

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_writing_timer(self) -> None:
        if self._writing_timer is not None:
            self._writing_timer.cancel()
            self._writing_timer = None


class TlsConnections:
    """Accept https connections. Each takes a place and has a timeout during its handshake.

    With asyncio's own server, a connection takes a place only after the handshake, whose timeout is a minute. But a
    handshake costs more than a page, so the rate of networks that are not seated is limited before it. `start_tls` on an
    accepted connection does not help: it may start to read before the handshake, and loses the first bytes.
    """

    def __init__(self, places: Places, arrivals: Arrivals, context: ssl.SSLContext, limits: Limits) -> None:
        self._places, self._arrivals, self._context, self._limits = places, arrivals, context, limits
        self._handshakes: set[asyncio.Task[None]] = set()

    async def accept(self, listening: socket.socket, make: Callable[[], asyncio.Protocol]) -> None:
        """Accept connections until cancelled. `make` returns the protocol of a connection after its handshake."""
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, peer = await loop.sock_accept(listening)
            except (OSError, RuntimeError):  # disconnected in the meantime, or no free file
                await asyncio.sleep(0.1)
                continue
            task = loop.create_task(self._handshake(accepted, plain_address(str(peer[0])), make))
            self._handshakes.add(task)
            task.add_done_callback(self._handshakes.discard)

    async def _handshake(self, accepted: socket.socket, address: str, make: Callable[[], asyncio.Protocol]) -> None:
        def end() -> None:
            with contextlib.suppress(OSError):  # ended already
                accepted.shutdown(socket.SHUT_RDWR)

        place, refused = None, False
        if address not in LOOPBACK:
            place = self._places.take(network_of(address), end)
            refused = place is None
        if refused and self._arrivals.refused >= self._arrivals.MOST_REFUSED:
            accepted.close()
            return
        self._arrivals.refused += refused  # it needs the handshake before it can get the answer
        try:
            if address not in LOOPBACK and not await self._wait_for_turn(network_of(address)):
                end()
                accepted.close()
                return
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().connect_accepted_socket(
                make, accepted, ssl=self._context, ssl_handshake_timeout=self._limits.head_seconds
            )
        except (OSError, RuntimeError):  # not TLS, too slow, or disconnected (RuntimeError in uvloop)
            end()
        finally:
            self._arrivals.refused -= refused
            if place is not None:
                self._places.release(place)

    async def _wait_for_turn(self, network: str) -> bool:
        """Wait until the network may open one more connection. Return False after a timeout."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._limits.head_seconds
        while not self._places.is_seated(network) and not self._arrivals.admit(network, loop.time(), handshake=True):
            if loop.time() >= until:
                return False
            await asyncio.sleep(WAIT_SECONDS)
        return True


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """WebSocket for crowds: count the frames that never reach the gateway.

    The library itself answers pings and collects empty fragments. 44,000 of them per second from one client would block
    everybody else.
    """

    CHUNK_BYTES = 1024  # parsed at once, so that little is parsed of a connection that is closed
    END_SECONDS = 1.0  # until a connection that still sends after a close frame is aborted

    def __init__(self, arrivals: Arrivals, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        self._arrivals = arrivals
        each_second = limits.controls_each_second
        self._controls = TokenBucket(each_second, each_second * limits.burst_seconds, self.loop.time())
        self._stuck_seconds = limits.stuck_seconds
        self._writing_timer: asyncio.TimerHandle | None = None
        self._unparsed = bytearray()
        self.app_state = {**self.app_state, "wire": self}  # the direct path writes here, past ASGI

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Keep buffers small, so that a slow phone skips to the latest state."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=UNSENT_BYTES)
        limit_unsent(transport)

    def push(self, data: bytes) -> bool:
        """Send a binary message at once and return True, or return False if the peer has not taken the earlier ones yet."""
        if not self.writable.is_set():
            return False
        if not (self.disconnected or self.close_sent or self.transport.is_closing()):
            self.conn.send_binary(data)
            self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    async def drain(self) -> None:
        """Wait until the peer has taken everything that was sent, or has disconnected."""
        await self.writable.wait()

    def data_received(self, data: bytes) -> None:
        """Pass data to the parser in chunks, and only while the gateway keeps up."""
        self._unparsed += data
        if self.close_sent and len(self._unparsed) > self.CHUNK_BYTES:  # more than the answer to our close
            self._unparsed.clear()
            self.transport.pause_reading()
            self.loop.call_later(self.END_SECONDS, self.transport.abort)
        self._parse()

    async def receive(self) -> ASGIReceiveEvent:
        """Return the next message, and parse the data after it."""
        message = await super().receive()
        self._parse()
        return message

    def _parse(self) -> None:
        # One read may return 40,000 frames, which would block everybody for half a second if parsed at once.
        while self._unparsed and not self.read_paused and not self.transport.is_closing():
            chunk = bytes(self._unparsed[: self.CHUNK_BYTES])
            del self._unparsed[: self.CHUNK_BYTES]
            super().data_received(chunk)

    def pause_writing(self) -> None:
        """Start the timeout of a phone that takes nothing."""
        super().pause_writing()
        self._writing_timer = self.loop.call_later(self._stuck_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue, because the phone reads again."""
        super().resume_writing()
        self._stop_writing_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the connection's timer."""
        self._stop_writing_timer()
        super().connection_lost(exc)

    def _stop_writing_timer(self) -> None:
        if self._writing_timer is not None:
            self._writing_timer.cancel()
            self._writing_timer = None

    def handle_ping(self) -> None:
        """Count and answer a ping."""
        self._count()
        super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Count a pong."""
        self._count()
        super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Count and handle a further fragment."""
        self._count()
        super().handle_cont(event)

    def handle_text(self, event: Frame) -> None:
        """Handle a text message, and count the first fragment of a fragmented one."""
        if not event.fin:
            self._count()
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Handle a binary message, and count the first fragment of a fragmented one."""
        if not event.fin:
            self._count()
        super().handle_bytes(event)

    def _count(self) -> None:
        if not self._controls.spend(1, self.loop.time()):
            if not self.transport.is_closing() and self.client:
                self._arrivals.punish(network_of(plain_address(self.client[0])), self.loop.time())
            self.transport.abort()


def set_user_timeout(transport: asyncio.Transport, seconds: float) -> None:
    """Let the system end a connection whose peer has acknowledged nothing for `seconds` (tcp(7), TCP_USER_TIMEOUT)."""
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))


def limit_unsent(transport: asyncio.Transport) -> None:
    """Limit the data that the system buffers before it can send it (tcp(7), TCP_NOTSENT_LOWAT).

    Otherwise it buffers megabytes of old states for a slow phone, which gets the latest one only after them.
    """
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
