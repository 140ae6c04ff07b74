"""HTTP and WebSocket for crowds: uvicorn's protocols, held to limits before anything reaches the app."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from phone_ui.limits import LOOPBACK, Limits, Quota, TokenBucket

if TYPE_CHECKING:
    from websockets.frames import Frame


class LimitedHttp(H11Protocol):
    """HTTP for crowds: a few connections for each address, and a head that comes in time."""

    def __init__(self, quota: Quota, head_seconds: float, **given: Any) -> None:
        super().__init__(**given)
        self._quota = quota
        self._head_seconds = head_seconds
        self._counted: str | None = None
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, or end it where its address has too many."""
        super().connection_made(transport)
        address = self.client[0] if self.client else "?"
        if address not in LOOPBACK:  # a proxy on this machine speaks for many
            if not self._quota.take(address):
                transport.abort()
                return
            self._counted = address
        self._head_timer = self.loop.call_later(self._head_seconds, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Feed what came to the parser, and wait for the rest of a head only so long."""
        super().data_received(data)
        waiting = getattr(self.cycle, "response_complete", True)  # no request yet, or none under way
        if self.transport.get_protocol() is not self:  # a WebSocket now: the gateway counts those
            self._stop_head_timer()
            self._release()
        elif not waiting:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self._head_seconds, self.transport.abort)

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
        self._stop_head_timer()
        self._release()
        super().connection_lost(exc)

    def _release(self) -> None:
        if self._counted is not None:
            self._quota.release(self._counted)
            self._counted = None

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """WebSocket for crowds: what never reaches the gateway is counted here, before it costs.

    Pings are answered and empty fragments are kept by the library itself: 44,000 a second from one stranger would stop
    everybody else.
    """

    PIECE = 2048  # bytes that are parsed at once, so that a closed connection has cost little

    def __init__(self, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        each_second = limits.controls_each_second
        self._controls = TokenBucket(each_second, each_second * limits.burst_seconds, self.loop.time())

    def data_received(self, data: bytes) -> None:
        """Feed what came to the parser, a piece at a time."""
        for place in range(0, len(data), self.PIECE):
            if self.transport.is_closing():
                return
            super().data_received(data[place : place + self.PIECE])

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
            self.transport.abort()
