"""The one web port: pages, `/mqtt` on to the broker, and events."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import logging
import re
import socket
import threading
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

import uvicorn
from a2wsgi import WSGIMiddleware

from hub.engine.text import say
from hub.errors import ConfigError, TemporaryError
from hub.network.messages import Malformed
from phone_ui.gateway import Dial, MqttGateway, Stream, send_error
from phone_ui.journal import Seldom
from phone_ui.limits import LOOPBACK, Arrivals, Budgets, Limits
from phone_ui.origin import Screens, address_of, is_known_host, network_of, own_names
from phone_ui.own_screens import ScreenRefused, error_of
from phone_ui.pages import BODY_BYTES
from phone_ui.places import Places, Seated
from phone_ui.protocols import LimitedHttp, LimitedWebSocket, TlsConnections
from phone_ui.tls import HSTS_SECONDS, Certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from flask import Flask

    from hub.ports import LoginState
    from phone_ui.asgi import Message, Receive, Scope, Send
    from phone_ui.direct import DirectPhone, Wire
    from phone_ui.latest import Latest
    from phone_ui.own_screens import OwnScreens
    from phone_ui.pages import TableFace
    from phone_ui.staff_door import StaffDoor
    from phone_ui.static_files import StaticFile

log = logging.getLogger(__name__)
_UVICORN_LOG = logging.getLogger("uvicorn.error")  # all that it says of a connection

BODY_SECONDS = 5.0
RECEIVED_BYTES = 16_384
WORKERS = 6
WORKERS_OF_OTHERS = 2  # so many of them work for networks without a phone that has logged in
PACE_SECONDS = 0.2  # until a request that came too soon is looked at again

WRONG_HOST = "This hub does not go by that name: open the address on the table's screen, or let the owner add the name to [web] names."
NO_BENCH = (
    "The bench shows what every seat picks in secret: it is for the hub's own machine, unless the owner opens it."
)


@dataclass(frozen=True, slots=True)
class PortSettings:
    """What the port is to be.

    `port` 0 is any free one; `tls` a certificate's file and its key's; `names` what the hub is called beside its addresses
    and this machine's own name. With `open_bench` not this machine alone works simulated devices.
    """

    host: str = "127.0.0.1"
    port: int = 0
    tls: tuple[str, str] | None = None
    limits: Limits = field(default_factory=Limits)
    screens: Screens = field(default_factory=Screens)
    names: Collection[str] = ()
    open_bench: bool = False


class _Router:
    """Who gets what comes in: the gateway, the streams, or the pages."""

    _BENCH = re.compile(r"/t/[^/]+/bench(/.*)?")
    _EVENTS = re.compile(r"/t/([^/]+)/(bench/|screen/)?events")
    _SCREEN = re.compile(r"/t/([^/]+)/screen/(open|alive)")

    def __init__(
        self,
        app: Flask,
        tables: Mapping[str, TableFace],
        dial: Dial,
        settings: PortSettings,
        staff: StaffDoor | None = None,
        own_screens: OwnScreens | None = None,
    ) -> None:
        self._staff = staff
        self._own_screens = own_screens
        self._settings, self._names = settings, own_names(settings.names)
        self.closing = asyncio.Event()
        self.seated = Seated()
        self.connections = Places(settings.limits.connections, settings.limits.connections_each_address, self.seated)
        self.arrivals = Arrivals(settings.limits)
        self.gateway = MqttGateway(dial, self._login, self._direct, settings.limits, self.closing, self.seated)
        self.stream = Stream(settings.limits, self.closing, self.seated)
        self._asked = Budgets(settings.limits.pages_each_second, settings.limits.pages_burst)
        self._others = asyncio.Semaphore(WORKERS_OF_OTHERS)
        self._tables = tables
        self._pages: Any = WSGIMiddleware(app.wsgi_app, workers=WORKERS)  # type: ignore[arg-type]
        self._scripts: Callable[[str], StaticFile | None] = app.extensions.get("scripts", lambda _: None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = dict(scope["headers"]).get(b"host")
        if host is not None and not is_known_host(host.decode("latin-1"), self._names):
            await _refuse_host(scope, receive, send)
            return
        if scope["type"] == "websocket":
            if scope["path"] == "/mqtt":
                await self.gateway(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            return
        if self._BENCH.fullmatch(scope["path"]) and not (
            self._settings.open_bench or self._settings.screens.is_here(scope)
        ):
            await send_error(send, 403, NO_BENCH)
            return
        events = self._EVENTS.fullmatch(scope["path"])
        if events is not None:
            if scope["method"] != "GET":
                await send_error(send, 405, "This address does not take that method.")
                return
            await self._follow(scope, receive, send, events[1], events[2] or "")
            return
        # A page's worker must not wait for a slow phone's body: it is taken in first.
        body = await _body(scope, receive)
        if isinstance(body, int):
            await send_error(send, body, _BODY_SENTENCES[body])
        elif self._staff is not None and scope["path"] in ("/staff/login", "/staff/ask"):
            await self._ask_staff(self._staff, scope, send, body)
        elif self._own_screens is not None and (asked := self._SCREEN.fullmatch(scope["path"])):
            await self._ask_screen(self._own_screens, scope, send, body, asked[1], asked[2])
        else:
            await self._page(scope, _replayed(body, receive), send)

    async def _follow(self, scope: Scope, receive: Receive, send: Send, name: str, kind: str) -> None:
        """Serve a stream: what everybody may see, or with the codes of seats for one of the table's own screens."""
        here = self._settings.screens.is_here(scope)
        newest = self._followed(name, kind, own=here)
        if newest is None:
            await send_error(send, 404, "There is nothing to follow here.")
            return
        paired = None
        if kind == "screen/" and self._own_screens is not None:
            try:
                paired = self._own_screens.begin(name, scope)
            except ScreenRefused as error:
                await send_error(send, error.status, str(error))
                return
        if paired is None:
            await self.stream(scope, receive, send, newest, own=here)
            return
        session, screen = paired
        try:
            await self.stream(scope, receive, send, self._tables[name].screen, own=True, paired=screen)
        finally:
            assert self._own_screens is not None
            self._own_screens.end(session)

    async def _ask_screen(
        self, screens: OwnScreens, scope: Scope, send: Send, body: bytes, table: str, what: str
    ) -> None:
        """Answer a big screen, no quicker than a page needs."""
        network = network_of(address_of(scope))
        known = network in LOOPBACK or network in self.seated
        while not known and not self._asked.spend(network, 1, monotonic()):
            await asyncio.sleep(PACE_SECONDS)
        status = 200
        try:
            answer = self._screen_answer(screens, scope, body, table, what)
        except (ScreenRefused, Malformed) as error:
            status, answer = error_of(error)
        headers = [
            (b"content-type", b"application/json"),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    def _screen_answer(self, screens: OwnScreens, scope: Scope, body: bytes, table: str, what: str) -> bytes:
        """Return the answer to a big screen as JSON. Raise ScreenRefused or Malformed."""
        if table not in self._tables:
            raise ScreenRefused(404, say("This hub has no such table."))
        match scope["method"], what:
            case "POST", "open":
                return screens.open(table, scope, body)
            case "POST", _:
                screens.beat(table, scope, body)
                return b"{}"
            case "GET", "alive":
                return screens.heard(table, scope)
        raise ScreenRefused(405, "This address does not take that method.")

    async def _ask_staff(self, staff: StaffDoor, scope: Scope, send: Send, body: bytes) -> None:
        """Let the staff's door answer, no quicker than a page needs; it may wait without a worker."""
        network, here = network_of(address_of(scope)), self._settings.screens.is_here(scope)
        while not here and not self._asked.spend(network, 1, monotonic()):
            await asyncio.sleep(PACE_SECONDS)
        await staff(scope, send, body, self.closing, here=here)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a worker answer: at once for the table's own, in turn and no quicker than a page needs for everybody else."""
        address = address_of(scope)
        network = network_of(address)
        if address in LOOPBACK or network in self.seated:
            await self._answer(scope, receive, send)
            return
        while not self._asked.spend(network, 1, monotonic()):
            await asyncio.sleep(PACE_SECONDS)
        async with self._others:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a script or a style sheet from memory, fifty of which a first visit brings; a worker sends everything else."""
        asked = dict(scope["headers"])
        packings = asked.get(b"accept-encoding", b"")
        found = self._scripts(scope["path"]) if scope["method"] == "GET" and b";" not in packings else None
        if found is None:
            await self._pages(scope, receive, send)
            return
        packed = found.gzipped if b"gzip" in packings else None
        etag = b'W/"%s"' % found.etag.encode()
        headers = [
            (b"vary", b"Accept-Encoding"),
            (b"cache-control", b"no-cache"),  # kept, but asked for each time: a new hub has new pages
            (b"etag", etag),
            (b"x-content-type-options", b"nosniff"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]
        if scope["scheme"] == "https":
            headers.append((b"strict-transport-security", b"max-age=%d" % HSTS_SECONDS))
        if asked.get(b"if-none-match") == etag:
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        body = packed or found.plain
        headers += [(b"content-type", found.content_type.encode()), (b"content-length", b"%d" % len(body))]
        headers += [(b"content-encoding", b"gzip")] if packed else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _login(self, name: str) -> LoginState:
        """Return how a login stands at this hub: unknown only where every table says so."""
        states = {face.login(name) for face in self._tables.values()}
        return "made" if "made" in states else "awaited" if "awaited" in states else "unknown"

    def _direct(self, name: str, wire: Wire) -> DirectPhone | None:
        """Return the short way of a login to its table, or None where no table has it."""
        return next((way for face in self._tables.values() if (way := face.direct(name, wire))), None)

    def _followed(self, name: str, kind: str, *, own: bool) -> Latest | None:
        face = self._tables.get(name)
        if face is None:
            return None
        if kind == "screen/" and own:
            return face.screen
        if kind != "bench/":
            return face.public
        return face.bench.newest if face.bench is not None else None


async def _refuse_host(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for a name that is not the hub's: 421, Misdirected Request (RFC 9110, section 15.5.20)."""
    if scope["type"] != "websocket":
        await send_error(send, 421, WRONG_HOST)
        return
    await receive()  # websocket.connect
    headers = [(b"content-type", b"application/json")]
    await send({"type": "websocket.http.response.start", "status": 421, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b'{"error":"%s"}' % WRONG_HOST.encode()})


_BODY_SENTENCES = {408: say("The request came too slowly."), 413: say("The request is too large.")}


async def _body(scope: Scope, receive: Receive) -> bytes | int:
    """Return the whole body, or the status that refuses it."""
    if scope["method"] in ("GET", "HEAD"):
        return b""
    taken = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                taken += message.get("body", b"")
                if len(taken) > BODY_BYTES:
                    return 413
                if not message.get("more_body"):
                    return bytes(taken)
    except TimeoutError:
        return 408


def _replayed(body: bytes, receive: Receive) -> Receive:
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return parts.pop() if parts else await receive()

    return again


class _Uvicorn(uvicorn.Server):
    """Tells when it serves."""

    def __init__(self, config: uvicorn.Config, https: TlsConnections | None) -> None:
        super().__init__(config)
        self.serving = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None
        self._https = https
        self._accepting: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        if self._https is None:
            await super().startup(sockets)
        else:
            await super().startup([])
            self._accepting = [self.loop.create_task(self._https.accept(one, self._protocol)) for one in sockets or ()]
        self.serving.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        """Return what serves one connection, made as `startup` makes it."""
        make: Any = self.config.http_protocol_class
        protocol: asyncio.Protocol = make(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol


class WebServer:
    """The port while it is open."""

    def __init__(
        self,
        router: _Router,
        config: uvicorn.Config,
        listening: socket.socket,
        certificate: Certificate | None = None,
        https: TlsConnections | None = None,
    ) -> None:
        self._router = router
        self._certificate = certificate
        self._server = _Uvicorn(config, https)
        self.port: int = listening.getsockname()[1]
        self._asked_at: float | None = None  # when its loop was asked something that it has not done yet
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="web", daemon=True
        )
        self._thread.start()
        self._server.serving.wait(10)

    @property
    def phones(self) -> int:
        """Open pipes to the broker."""
        return self._router.gateway.phones

    @property
    def streams(self) -> int:
        """Open streams of events."""
        return self._router.stream.followers

    @property
    def connections(self) -> int:
        """Open connections of other machines that are no WebSocket."""
        return self._router.connections.used

    @property
    def ended(self) -> bool:
        """Return whether its thread has ended without `close`."""
        return not self._thread.is_alive() and not self._server.should_exit

    def silent_seconds(self) -> float:
        """Return for how many seconds its loop has not answered, and ask it once more where it has."""
        now, loop = monotonic(), self._server.loop
        if self._asked_at is None and loop is not None and self._thread.is_alive():
            self._asked_at = now
            with contextlib.suppress(RuntimeError):  # closed meanwhile
                loop.call_soon_threadsafe(setattr, self, "_asked_at", None)
        return now - self._asked_at if self._asked_at is not None else 0.0

    def renew_certificate(self) -> None:
        """Use the owner's certificate for new connections where its files have changed."""
        if self._certificate:
            self._certificate.renew()

    def close(self) -> None:
        """Tell followers and phones, then end."""
        loop = self._server.loop
        if loop is not None and self._thread.is_alive():
            loop.call_soon_threadsafe(self._router.closing.set)
        self._server.should_exit = True
        self._thread.join(10)


def serve(
    app: Flask,
    tables: Mapping[str, TableFace],
    dial: Dial,
    settings: PortSettings,
    staff: StaffDoor | None = None,
    own_screens: OwnScreens | None = None,
) -> WebServer:
    """Open the port and serve in a thread. `staff` answers the staff's requests, `own_screens` those of big screens.

    Raise ConfigError, or TemporaryError where the port is taken or the address not there yet.
    """
    certificate = Certificate(*settings.tls) if settings.tls else None
    limits = settings.limits
    if not any(isinstance(one, Seldom) for one in _UVICORN_LOG.filters):
        _UVICORN_LOG.addFilter(Seldom())
    router = _Router(app, tables, dial, settings, staff, own_screens)
    arrivals = router.arrivals
    config = uvicorn.Config(
        router,
        http=functools.partial(LimitedHttp, router.connections, arrivals, limits),  # type: ignore[arg-type]
        ws=functools.partial(LimitedWebSocket, arrivals, limits),  # type: ignore[arg-type]
        ws_max_size=limits.frame_bytes,
        ws_per_message_deflate=False,  # encrypted messages do not shrink
        ws_ping_interval=10.0,
        ws_ping_timeout=10.0,
        lifespan="off",
        log_config=None,
        log_level="warning",  # never lower: the WebSocket library logs frames, and so passwords, at DEBUG
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=8192,
        timeout_graceful_shutdown=2,
    )
    https = TlsConnections(router.connections, arrivals, certificate.context, limits) if certificate else None
    return WebServer(router, config, listen(settings.host, settings.port), certificate, https)


# The same configuration may be right a minute later: the port was taken, the network is not there yet.
_PASSING = (errno.EADDRINUSE, errno.EADDRNOTAVAIL, socket.EAI_AGAIN)


def listen(host: str, port: int) -> socket.socket:
    """Return the listening socket. Raise ConfigError, or TemporaryError where port or address may be free or there later."""
    # The protocol is named because asyncio sets TCP_NODELAY only where it is: without, every answer to
    # a phone waits 40 ms for the acknowledgement of the one before.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # What the system holds of a connection is what is read of it at once: more is more than a phone ever sends.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED_BYTES)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        reason = {
            errno.EADDRINUSE: f"another program uses it; stop that one or choose another, for example {port + 1}",
            errno.EACCES: "ports below 1024 need a right of their own; choose 8080",
            errno.EADDRNOTAVAIL: f"this machine has no address {host} now; wait for its network, or set [web] host",
        }.get(error.errno or 0, error.strerror or str(error))
        kind = TemporaryError if error.errno in _PASSING else ConfigError
        raise kind(f"[web] port {port}: {reason}.") from None
    except OverflowError:
        listening.close()
        raise ConfigError(f"[web] port {port}: a port is a number from 1 to 65535.") from None
    return listening
