"""The web port: pages, `/mqtt`, which is forwarded to the broker, and event streams."""

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
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

import uvicorn
from a2wsgi import WSGIMiddleware

from hub.engine.text import say
from hub.errors import ConfigError, TemporaryError
from hub.network.messages import Malformed
from phone_ui.gateway import Dial, MqttGateway, Stream, send_error
from phone_ui.journal import RepeatFilter
from phone_ui.limits import LOOPBACK, Arrivals, Budgets, Limits
from phone_ui.origin import Screens, address_of, is_known_host, network_of, own_names, plain_address
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
    from phone_ui.captive_portal import CaptivePortal
    from phone_ui.direct import DirectPhone, Wire
    from phone_ui.latest import Latest
    from phone_ui.own_screens import OwnScreens
    from phone_ui.pages import TableFace
    from phone_ui.staff_door import StaffDoor
    from phone_ui.static_files import StaticFile

log = logging.getLogger(__name__)
_UVICORN_LOG = logging.getLogger("uvicorn.error")  # everything that it logs about connections

BODY_SECONDS = 5.0
RECEIVED_BYTES = 16_384
WORKERS = 6
STRANGER_WORKERS = 2  # how many of them serve networks without a logged-in phone
IP_FREEBIND = 15  # ip(7); Python has no name for it
PACE_SECONDS = 0.2  # until a request that is too early is checked again

WRONG_HOST = "This hub does not go by that name: open the address on the table's screen, or let the owner add the name to [web] names."
NO_BENCH = (
    "The bench shows what every seat picks in secret: it is for the hub's own machine, unless the owner opens it."
)


@dataclass(frozen=True, slots=True)
class PortSettings:
    """The settings of the web port.

    - `port`: 0 for any free port.
    - `tls`: the files of a certificate and its key; None for http.
    - `names`: names of the hub besides its addresses and this machine's name.
    - `open_bench`: whether other machines may use the simulated devices.
    """

    host: str = "127.0.0.1"
    port: int = 0
    tls: tuple[str, str] | None = None
    limits: Limits = field(default_factory=Limits)
    screens: Screens = field(default_factory=Screens)
    names: Collection[str] = ()
    open_bench: bool = False


class _Router:
    """Dispatch requests to the gateway, the streams, staff, screens and pages."""

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
        portal: CaptivePortal | None = None,
    ) -> None:
        self._staff = staff
        self._own_screens = own_screens
        self._portal = portal
        self._settings, self._names = settings, own_names(settings.names)
        self.reached_at: dict[str, float] = {}
        """By address of this hub: when another machine last sent a request to it, in seconds of `time.monotonic`."""
        self.closing = asyncio.Event()
        self.seated = Seated()
        self.connections = Places(settings.limits.connections, settings.limits.connections_each_address, self.seated)
        self.arrivals = Arrivals(settings.limits)
        self.gateway = MqttGateway(dial, self._login, self._direct, settings.limits, self.closing, self.seated)
        self.stream = Stream(settings.limits, self.closing, self.seated)
        self._page_budgets = Budgets(settings.limits.pages_each_second, settings.limits.pages_burst)
        self._stranger_workers = asyncio.Semaphore(STRANGER_WORKERS)
        self._tables = tables
        self._pages: Any = WSGIMiddleware(app.wsgi_app, workers=WORKERS)  # type: ignore[arg-type]
        self._scripts: Callable[[str], StaticFile | None] = app.extensions.get("scripts", lambda _: None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = dict(scope["headers"]).get(b"host")
        is_hub = host is None or is_known_host(host.decode("latin-1"), self._names)
        if self._portal is not None and self._portal.takes(scope, is_hub=is_hub):
            await self._portal(scope, receive, send, seated=network_of(address_of(scope)) in self.seated)
            return
        if not is_hub:
            await _refuse_host(scope, receive, send)
            return
        own = plain_address(str((scope.get("server") or ["?"])[0]))
        if address_of(scope) not in (own, *LOOPBACK):
            self.reached_at[own] = monotonic()
        if scope["type"] == "websocket":
            if scope["path"] == "/mqtt":
                await self.gateway(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            return
        if self._BENCH.fullmatch(scope["path"]) and not (
            self._settings.open_bench or self._settings.screens.is_local(scope)
        ):
            await send_error(send, 403, NO_BENCH)
            return
        events = self._EVENTS.fullmatch(scope["path"])
        if events is not None:
            if scope["method"] != "GET":
                await send_error(send, 405, "This address does not take that method.")
                return
            await self._serve_stream(scope, receive, send, events[1], events[2] or "")
            return
        # Read the body first, so that no worker thread waits for a slow phone.
        body = await _read_body(scope, receive)
        if isinstance(body, int):
            await send_error(send, body, _BODY_SENTENCES[body])
        elif self._staff is not None and scope["path"] in ("/staff/login", "/staff/ask"):
            await self._serve_staff(self._staff, scope, send, body)
        elif self._own_screens is not None and (asked := self._SCREEN.fullmatch(scope["path"])):
            await self._serve_screen(self._own_screens, scope, send, body, asked[1], asked[2])
        else:
            await self._page(scope, _replay(body, receive), send)

    async def _serve_stream(self, scope: Scope, receive: Receive, send: Send, name: str, kind: str) -> None:
        """Serve a stream of public state, with the codes of seats for one of the table's own screens."""
        here = self._settings.screens.is_local(scope)
        newest = self._find_stream(name, kind, own=here)
        if newest is None:
            await send_error(send, 404, "There is nothing to follow here.")
            return
        paired = None
        if kind == "screen/" and self._own_screens is not None:
            try:
                paired = self._own_screens.start_stream(name, scope)
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
            self._own_screens.end_stream(session)

    async def _serve_screen(
        self, screens: OwnScreens, scope: Scope, send: Send, body: bytes, table: str, what: str
    ) -> None:
        """Answer a big screen, within the page budget of its network."""
        network = network_of(address_of(scope))
        known = network in LOOPBACK or network in self.seated
        while not known and not self._page_budgets.spend(network, 1, monotonic()):
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
                return screens.beat_age(table, scope)
        raise ScreenRefused(405, "This address does not take that method.")

    async def _serve_staff(self, staff: StaffDoor, scope: Scope, send: Send, body: bytes) -> None:
        """Let the staff door answer, within the page budget of the network. It may wait, because it uses no worker."""
        network, here = network_of(address_of(scope)), self._settings.screens.is_local(scope)
        while not here and not self._page_budgets.spend(network, 1, monotonic()):
            await asyncio.sleep(PACE_SECONDS)
        await staff(scope, send, body, self.closing, here=here)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a worker answer: at once for seated networks, in turn and within the page budget for all others."""
        address = address_of(scope)
        network = network_of(address)
        if address in LOOPBACK or network in self.seated:
            await self._answer(scope, receive, send)
            return
        while not self._page_budgets.spend(network, 1, monotonic()):
            await asyncio.sleep(PACE_SECONDS)
        async with self._stranger_workers:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a script or style sheet from memory, because a first visit loads fifty; a worker sends everything else."""
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
            (b"cache-control", b"no-cache"),  # cached, but revalidated at each use: a new hub has new pages
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
        """Return the state of a login at this hub. It is unknown only if every table says so."""
        states = {face.login(name) for face in self._tables.values()}
        return "made" if "made" in states else "awaited" if "awaited" in states else "unknown"

    def _direct(self, name: str, wire: Wire) -> DirectPhone | None:
        """Return the direct path of a login to its table, or None if no table has it."""
        return next((phone for face in self._tables.values() if (phone := face.direct(name, wire))), None)

    def _find_stream(self, name: str, kind: str, *, own: bool) -> Latest | None:
        face = self._tables.get(name)
        if face is None:
            return None
        if kind == "screen/" and own:
            return face.screen
        if kind != "bench/":
            return face.public
        return face.bench.newest if face.bench is not None else None


async def _refuse_host(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request whose Host is not the hub with 421, Misdirected Request (RFC 9110, section 15.5.20)."""
    if scope["type"] != "websocket":
        await send_error(send, 421, WRONG_HOST)
        return
    await receive()  # websocket.connect
    headers = [(b"content-type", b"application/json")]
    await send({"type": "websocket.http.response.start", "status": 421, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b'{"error":"%s"}' % WRONG_HOST.encode()})


_BODY_SENTENCES = {408: say("The request took too long to arrive."), 413: say("The request is too large.")}


async def _read_body(scope: Scope, receive: Receive) -> bytes | int:
    """Return the whole body, or the HTTP status of a refusal."""
    if scope["method"] in ("GET", "HEAD"):
        return b""
    received = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                received += message.get("body", b"")
                if len(received) > BODY_BYTES:
                    return 413
                if not message.get("more_body"):
                    return bytes(received)
    except TimeoutError:
        return 408


def _replay(body: bytes, receive: Receive) -> Receive:
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_replayed() -> Message:
        return parts.pop() if parts else await receive()

    return receive_replayed


class _Uvicorn(uvicorn.Server):
    """A uvicorn server that sets `serving` after it has started, and accepts https itself."""

    def __init__(self, config: uvicorn.Config, https: TlsConnections | None, portal: socket.socket | None) -> None:
        super().__init__(config)
        self._plain = [portal] if portal else []  # always plain http
        self.serving = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None
        self._https = https
        self._accepting: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        if self._https is None:
            await super().startup([*(sockets or ()), *self._plain])
        else:
            await super().startup(self._plain)
            self._accepting = [self.loop.create_task(self._https.accept(one, self._protocol)) for one in sockets or ()]
        self.serving.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        """Return the protocol for one connection, as uvicorn's own `startup` makes it."""
        make: Callable[..., asyncio.Protocol] = self.config.http_protocol_class
        return make(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


class WebServer:
    """The open web port, with its thread."""

    def __init__(
        self,
        router: _Router,
        config: uvicorn.Config,
        listening: socket.socket,
        certificate: Certificate | None = None,
        https: TlsConnections | None = None,
        portal: socket.socket | None = None,
    ) -> None:
        self._router = router
        self._certificate = certificate
        self._server = _Uvicorn(config, https, portal)
        self.port: int = listening.getsockname()[1]
        self._pinged_at: float | None = None  # when its loop got a call that it has not run yet
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="web", daemon=True
        )
        self._thread.start()
        self._server.serving.wait(10)

    @property
    def phones(self) -> int:
        """Return the number of connected phones."""
        return self._router.gateway.phones

    def reached_at(self, *, other_than: str) -> float:
        """Return when another machine last reached an address of this hub but one, in seconds of `time.monotonic`."""
        reached = self._router.reached_at.copy()
        return max((at for address, at in reached.items() if address != other_than), default=-inf)

    @property
    def streams(self) -> int:
        """Return the number of open event streams."""
        return self._router.stream.followers

    @property
    def connections(self) -> int:
        """Return the number of open connections of other machines, without WebSockets."""
        return self._router.connections.used

    @property
    def ended(self) -> bool:
        """Return whether the thread has ended without `close`."""
        return not self._thread.is_alive() and not self._server.should_exit

    def silent_seconds(self) -> float:
        """Return for how many seconds the loop has not run a call of this method. If it has, give it another one."""
        now, loop = monotonic(), self._server.loop
        if self._pinged_at is None and loop is not None and self._thread.is_alive():
            self._pinged_at = now
            with contextlib.suppress(RuntimeError):  # closed in the meantime
                loop.call_soon_threadsafe(setattr, self, "_pinged_at", None)
        return now - self._pinged_at if self._pinged_at is not None else 0.0

    def renew_certificate(self) -> None:
        """Load the owner's certificate again if its files have changed."""
        if self._certificate:
            self._certificate.renew()

    def close(self) -> None:
        """Close all phones and streams, then end the thread."""
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
    portal: CaptivePortal | None = None,
) -> WebServer:
    """Open the port and serve in a thread.

    - `staff` answers the requests of staff, `own_screens` those of big screens.
    - `portal` answers at port 80 of the hub's own Wi-Fi. Without the right to open that port there is none.

    Raise ConfigError, or TemporaryError if the port is in use or the machine does not have the address yet.
    """
    certificate = Certificate(*settings.tls) if settings.tls else None
    limits = settings.limits
    if not any(isinstance(one, RepeatFilter) for one in _UVICORN_LOG.filters):
        _UVICORN_LOG.addFilter(RepeatFilter())
    router = _Router(app, tables, dial, settings, staff, own_screens, portal)
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
    listening = listen(settings.host, settings.port)
    return WebServer(router, config, listening, certificate, https, _listen_for(portal, listening) if portal else None)


def _listen_for(portal: CaptivePortal, listening: socket.socket) -> socket.socket | None:
    """Return the socket of the portal; None if the hub's pages have that port, or it cannot be opened."""
    portal.shares_port = listening.getsockname()[1] == portal.port
    if portal.shares_port:
        return None
    try:
        return listen(portal.host, portal.port, may_lack_address=True)
    except (ConfigError, TemporaryError) as error:
        log.warning("Phones in the hub's own Wi-Fi do not open its page by themselves: %s", error)
        return None


# Errors that may disappear without a change of the configuration: the port is in use, or the network is not up yet.
_TEMPORARY = (errno.EADDRINUSE, errno.EADDRNOTAVAIL, socket.EAI_AGAIN)


def listen(host: str, port: int, *, may_lack_address: bool = False) -> socket.socket:
    """Return the listening socket. Raise ConfigError, or TemporaryError if port or address may be available later.

    `may_lack_address`: this machine may get the address later. Until then nothing arrives.
    """
    # asyncio sets TCP_NODELAY only if the protocol is given. Without it, every answer to a phone waits 40 ms for the
    # acknowledgement of the previous one.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # The receive buffer bounds how much is read at once; a phone never sends more.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED_BYTES)
        if may_lack_address:
            listening.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        reason = {
            errno.EADDRINUSE: f"another program uses it; stop that one or choose another, for example {port + 1}",
            errno.EACCES: "ports below 1024 need a right of their own; choose 8080",
            errno.EADDRNOTAVAIL: f"this machine has no address {host} now; wait for its network, or set [web] host",
        }.get(error.errno or 0, error.strerror or str(error))
        kind = TemporaryError if error.errno in _TEMPORARY else ConfigError
        raise kind(f"[web] port {port}: {reason}.") from None
    except OverflowError:
        listening.close()
        raise ConfigError(f"[web] port {port}: a port is a number from 1 to 65535.") from None
    return listening
