"""HTTP and WebSocket for crowds: uvicorn's protocols, held to limits before anything reaches the app."""

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
"""Until a connection that came too soon is looked at again."""

UNSENT_BYTES = 16_384
"""Of a phone, that wait in the system and in the port each: a state and a hand."""


_BUSY = b"""<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5"><title>One moment</title>
<p lang="en">Too many phones are coming at once. This page tries again in 5 seconds.</p>
<p lang="de">Zu viele Handys kommen gleichzeitig. Diese Seite versucht es in 5 Sekunden noch einmal.</p>
"""
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html; charset=utf-8\r\ncache-control: no-store\r\n"
    b"retry-after: 5\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(_BUSY), _BUSY)
)
"""The answer to a connection for which there is no place: nothing of its request is parsed, so it is in two languages."""


class LimitedHttp(H11Protocol):
    """HTTP for crowds: a fair share of the connections, a head that comes in time, and an answer that is taken."""

    REFUSED_SECONDS = 2.0

    def __init__(self, places: Places, arrivals: Arrivals, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        self._places, self._arrivals, self._limits = places, arrivals, limits
        self._place: Place | None = None
        self._refused = self._is_crowd = False  # whether it waits for a place, and whether too many do that already
        self._until = 0.0
        self._held: bytearray | None = bytearray()  # what came before the connection was let in
        self._head_timer: asyncio.TimerHandle | None = None
        self._writing_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place for the connection, or wait a little for one."""
        super().connection_made(transport)
        # Whoever serves the request, or the WebSocket that it becomes, ends it so for another.
        self.app_state = {**self.app_state, "abort": transport.abort}
        end_unread(transport, self._limits.stuck_seconds)
        address = plain_address(self.client[0]) if self.client else "?"
        if address not in LOOPBACK:  # a proxy on this machine speaks for many
            self._place = self._places.take(network_of(address), transport.abort)
            if self._place is None:
                self._refuse()
                return
            self._let_in()
        else:
            self._held = None
        self._head_timer = self.loop.call_later(self._limits.head_seconds, self._turn_away)

    def _turn_away(self) -> None:
        """End a connection that was not let in, with an answer if it has asked for something."""
        if self._held and not self.transport.is_closing():
            self.transport.write(BUSY)
            self.transport.close()
        else:
            self.transport.abort()

    def _refuse(self) -> None:
        """Have a connection wait for a place, then turn it away, not too soon: a new one costs more than one that waits.

        If too many wait already, it is turned away as soon as it has asked for something.
        """
        self._is_crowd = self._arrivals.refused >= self._arrivals.MOST_REFUSED
        if not self._is_crowd:
            self._refused = True
            self._arrivals.refused += 1
        self._until = self.loop.time() + self.REFUSED_SECONDS
        self.loop.call_later(WAIT_SECONDS, self._look_for_place)

    def _look_for_place(self) -> None:
        if self.transport.is_closing():
            return
        if self._is_crowd or self.loop.time() >= self._until:
            self._turn_away()
            return
        assert self.client
        self._place = self._places.take(network_of(plain_address(self.client[0])), self.transport.abort)
        if self._place is None:
            self.loop.call_later(WAIT_SECONDS, self._look_for_place)
            return
        self._refused = False
        self._arrivals.refused -= 1
        self._head_timer = self.loop.call_later(self._limits.head_seconds, self._turn_away)
        self._let_in()

    def _let_in(self) -> None:
        """Read what comes, if the network may open one more connection by now; else look again later."""
        if self._place is None or self.transport.is_closing():
            return
        network = self._place.network
        is_counted = self.transport.get_extra_info("ssl_object") is not None  # before its handshake
        if is_counted or self._places.is_seated(network) or self._arrivals.let_in(network, self.loop.time()):
            held, self._held = self._held, None
            self.transport.resume_reading()
            if held:
                self.data_received(bytes(held))
        else:
            self.loop.call_later(WAIT_SECONDS, self._let_in)

    def data_received(self, data: bytes) -> None:
        """Feed what came to the parser, and wait for the rest of a head only so long."""
        if self._held is not None:  # not when it is made: uvloop begins to read after that
            self._held += data
            self.transport.pause_reading()
            if self._is_crowd:
                self._turn_away()
            return
        super().data_received(data)
        waiting = getattr(self.cycle, "response_complete", True)  # no request yet, or none under way
        if self._place is not None:
            self._place.busy = not waiting
        if self.transport.get_protocol() is not self:  # a WebSocket now: the gateway counts those
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
        """Wait only so long for who does not take the answer."""
        super().pause_writing()
        self._writing_timer = self.loop.call_later(self._limits.stuck_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the answer is taken."""
        super().resume_writing()
        self._stop_writing_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP. A request that broke in the middle of its body may still be answered: nobody hears that."""
        with contextlib.suppress(h11.LocalProtocolError):  # an answer has begun already
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
        if self._refused:
            self._refused = False
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
    """Accepts connections for https: each has a place until its handshake is over, and only so long for it.

    asyncio's own server takes a place only after the handshake, and waits a minute for it. A handshake costs more than a
    page: networks that are not the table's come at their pace before it, not after. `start_tls` on an accepted connection is
    no way out: it may begin to read before the handshake does, and loses the first bytes.
    """

    def __init__(self, places: Places, arrivals: Arrivals, context: ssl.SSLContext, limits: Limits) -> None:
        self._places, self._arrivals, self._context, self._limits = places, arrivals, context, limits
        self._shaking: set[asyncio.Task[None]] = set()

    async def accept(self, listening: socket.socket, make: Callable[[], asyncio.Protocol]) -> None:
        """Accept connections without end; `make` makes what serves one after its handshake."""
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, peer = await loop.sock_accept(listening)
            except (OSError, RuntimeError):  # gone meanwhile, or no file is free
                await asyncio.sleep(0.1)
                continue
            task = loop.create_task(self._shake(accepted, plain_address(str(peer[0])), make))
            self._shaking.add(task)
            task.add_done_callback(self._shaking.discard)

    async def _shake(self, accepted: socket.socket, address: str, make: Callable[[], asyncio.Protocol]) -> None:
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
        self._arrivals.refused += refused  # only after a handshake can it be told that there is no place
        try:
            if address not in LOOPBACK and not await self._comes_in_time(network_of(address)):
                end()
                accepted.close()
                return
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().connect_accepted_socket(
                make, accepted, ssl=self._context, ssl_handshake_timeout=self._limits.head_seconds
            )
        except (OSError, RuntimeError):  # no TLS, too slow, or gone; uvloop's for the last is RuntimeError
            end()
        finally:
            self._arrivals.refused -= refused
            if place is not None:
                self._places.release(place)

    async def _comes_in_time(self, network: str) -> bool:
        """Wait until the network may open one more connection; return whether that was soon enough."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._limits.head_seconds
        while not self._places.is_seated(network) and not self._arrivals.let_in(network, loop.time(), handshake=True):
            if loop.time() >= until:
                return False
            await asyncio.sleep(WAIT_SECONDS)
        return True


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """WebSocket for crowds: what never reaches the gateway is counted here, before it costs.

    Pings are answered and empty fragments are kept by the library itself: 44,000 a second from one stranger would stop
    everybody else.
    """

    PIECE = 1024  # bytes that are parsed at once, so that a closed connection has cost little
    END_SECONDS = 1.0  # for the end of a connection that still sends

    def __init__(self, arrivals: Arrivals, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        self._arrivals = arrivals
        each_second = limits.controls_each_second
        self._controls = TokenBucket(each_second, each_second * limits.burst_seconds, self.loop.time())
        self._stuck_seconds = limits.stuck_seconds
        self._writing_timer: asyncio.TimerHandle | None = None
        self._unparsed = bytearray()
        self.app_state = {**self.app_state, "wire": self}  # what the gateway serves writes past ASGI's coroutines

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Have little wait for a phone that is slow: it shall skip to the newest picture."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=UNSENT_BYTES)
        hold_little(transport)

    def push(self, data: bytes) -> bool:
        """Send a binary message at once; return whether it was: a peer that is slow is sent nothing more for now."""
        if not self.writable.is_set():
            return False
        if not (self.disconnected or self.close_sent or self.transport.is_closing()):
            self.conn.send_binary(data)
            self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    async def taken(self) -> None:
        """Wait until the peer has taken what it was sent, or is gone."""
        await self.writable.wait()

    def data_received(self, data: bytes) -> None:
        """Feed what came to the parser, a piece at a time and no further than the gateway has followed."""
        self._unparsed += data
        if self.close_sent and len(self._unparsed) > self.PIECE:  # no mere answer to our close
            self._unparsed.clear()
            self.transport.pause_reading()
            self.loop.call_later(self.END_SECONDS, self.transport.abort)
        self._parse()

    async def receive(self) -> ASGIReceiveEvent:
        """Return the next message, and parse what came behind it."""
        message = await super().receive()
        self._parse()
        return message

    def _parse(self) -> None:
        # One reading may bring 40,000 frames: parsed at once they would stop everybody for half a second.
        while self._unparsed and not self.read_paused and not self.transport.is_closing():
            piece = bytes(self._unparsed[: self.PIECE])
            del self._unparsed[: self.PIECE]
            super().data_received(piece)

    def pause_writing(self) -> None:
        """Wait only so long for a phone that takes nothing."""
        super().pause_writing()
        self._writing_timer = self.loop.call_later(self._stuck_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the phone takes what it is sent."""
        super().resume_writing()
        self._stop_writing_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection's own timer."""
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
        """Count and take a further fragment."""
        self._count()
        super().handle_cont(event)

    def handle_text(self, event: Frame) -> None:
        """Take a text message, or count its first fragment."""
        if not event.fin:
            self._count()
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Take a binary message, or count its first fragment."""
        if not event.fin:
            self._count()
        super().handle_bytes(event)

    def _count(self) -> None:
        if not self._controls.spend(1, self.loop.time()):
            if not self.transport.is_closing() and self.client:
                self._arrivals.punish(network_of(plain_address(self.client[0])), self.loop.time())
            self.transport.abort()


def end_unread(transport: asyncio.Transport, seconds: float) -> None:
    """Have the system end a connection whose peer takes nothing, or is gone, for so long (tcp(7), TCP_USER_TIMEOUT)."""
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))


def hold_little(transport: asyncio.Transport) -> None:
    """Have the system take little that it cannot send yet (tcp(7), TCP_NOTSENT_LOWAT).

    It would take megabytes of old pictures for a phone that is slow, which skips to the newest only after them.
    """
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
