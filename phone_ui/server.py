"""The one web port: pages, claims, QR and labels of games as a Flask app, `/mqtt` and events beside it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import hmac
import io
import ipaddress
import json
import logging
import re
import socket
import threading
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

import h11
import segno
import uvicorn
from a2wsgi import WSGIMiddleware
from flask import Flask, Response, abort, request
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from werkzeug.exceptions import HTTPException

from hub.errors import ConfigError, HubError, TemporaryError
from hub.network import messages
from hub.network.encryption import HubKey, to_base64
from phone_ui import vendored
from phone_ui.claims import ClaimRefused, Claims
from phone_ui.gateway import Dial, MqttGateway, Stream, address_of, same_origin, send_error
from phone_ui.latest import Latest
from phone_ui.limits import LOOPBACK, Limits, Quota, TokenBucket
from phone_ui.static_files import StaticFile, StaticFiles, static_file
from phone_ui.tls import HSTS_SECONDS, Certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from websockets.frames import Frame

    from hub.ports import ClaimAsked
    from phone_ui.gateway import Message, Receive, Scope, Send

log = logging.getLogger(__name__)

HERE = Path(__file__).parent
STATIC = HERE / "static"
VENDOR: Mapping[str, Path] = vendored.located()
BODY_BYTES = 8192
BODY_SECONDS = 5.0
WORKERS = 6

WRONG_HOST = "This hub does not go by that name: open the address on the table's screen, or let the owner add the name to [web] names."
NO_BENCH = (
    "The bench shows what every seat picks in secret: it is for the hub's own machine, unless the owner opens it."
)

NOT_FOUND = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not here</title></head>
<body><h1>There is no such page on this hub.</h1><p><a href="/">Go to the table</a></p></body></html>
"""


class BenchFace(Protocol):
    """The simulated devices of a table."""

    @property
    def newest(self) -> Latest:
        """Their newest complete picture as JSON."""

    def command(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        """Press, turn, roll, unplug ... as a person at the bench. Raise HubError with a sentence."""

    def panel(self, size: str) -> bytes | None:
        """Return what the panel of that size ("2.9") shows, as a PNG; None where there is none."""


class TableFace(Protocol):
    """What the web sees of one table."""

    @property
    def id(self) -> str:
        """The table's name in addresses and topics."""

    @property
    def code(self) -> str:
        """The four letters on its screen."""

    @property
    def public(self) -> Latest:
        """Its newest public state as JSON."""

    @property
    def screen(self) -> Latest:
        """The same with the codes of seats, for the table's own screens."""

    @property
    def bench(self) -> BenchFace | None:
        """Its simulated devices, if it has such."""

    def claim(self, asked: ClaimAsked) -> None:
        """Put a claim into the table's inbox."""

    def admitted(self, sid: str) -> bool:
        """Whether the broker knows that login by now."""


# --- Pages -------------------------------------------------------------------------------------------


def make_app(
    tables: Mapping[str, TableFace],
    key: HubKey,
    hub: str,
    address: Callable[[], str],
    games: Mapping[str, Mapping[str, Any]],
    claims: Claims | None = None,
    static: Path = STATIC,
    vendor: Mapping[str, Path] = VENDOR,
    status: Callable[[], Mapping[str, Any]] = dict,
) -> Flask:
    """Return the Flask app. `address` says what phones can open now ("http://10.42.0.1:8080", or ""), for the QR.

    `status` is how the hub's devices are. Raise HubError where the pages' libraries are missing: every page would be blank.
    """
    lost = [name for name, file in vendor.items() if not file.is_file()]
    if lost:
        raise HubError(
            f"The pages' libraries are missing ({', '.join(lost)}): run `make setup` in the clone, or install a wheel "
            "that was built after it."
        )
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    app.url_map.merge_slashes = False
    files = StaticFiles(below=static)
    pages = _Tables(tables, files)
    joining = _Joining(pages, claims or Claims(key, hub), key, address)
    libraries = StaticFiles(named=vendor)
    labels = {name: static_file(json.dumps(game, ensure_ascii=False).encode(), ".json") for name, game in games.items()}
    for rule, view in (
        ("/", lambda: _file_answer(files.get("pages/join.html"))),
        ("/favicon.ico", lambda: _file_answer(files.get("favicon.svg"))),
        ("/static/<path:name>", lambda name: _file_answer(files.get(name))),
        ("/vendor/<name>", lambda name: _file_answer(libraries.get(name))),
        ("/games/<name>.json", lambda name: _file_answer(labels.get(name))),
        ("/t/<name>", pages.phone),
        ("/t/<name>/kiosk", pages.kiosk),
        ("/t/<name>/bench", pages.bench),
        ("/t/<name>/bench/panel/<size>.png", pages.panel),
        ("/t/<name>/qr.svg", joining.qr),
        ("/code/<code>.json", joining.by_code),
        ("/status.json", lambda: _json_answer(status())),
        ("/up", _up),
        ("/t/<name>/claim/<number>", joining.state),
    ):
        app.add_url_rule(rule, rule, view, methods=["GET"])
    app.add_url_rule("/t/<name>/bench", "bench", pages.bench_command, methods=["POST"])
    app.add_url_rule("/t/<name>/claim", "claim", joining.claim, methods=["POST"])
    app.before_request(_refuse_foreign_posts)
    app.after_request(_with_security_headers)
    app.register_error_handler(ClaimRefused, _claim_refused)
    app.register_error_handler(HTTPException, _http_error)
    return app


class _Tables:
    """Pages of the tables."""

    def __init__(self, tables: Mapping[str, TableFace], files: StaticFiles) -> None:
        self.all = tables
        self._files = files

    def one(self, name: str) -> TableFace:
        return self.all.get(name) or abort(404, "This hub has no such table.")

    def phone(self, name: str) -> Response:
        self.one(name)
        return _file_answer(self._files.get("pages/phone.html"))

    def kiosk(self, name: str) -> Response:
        self.one(name)
        return _file_answer(self._files.get("pages/kiosk.html"))

    def bench(self, name: str) -> Response:
        self._bench_of(name)
        return _file_answer(self._files.get("pages/bench.html"))

    def bench_command(self, name: str) -> Response:
        bench = self._bench_of(name)
        command = request.get_json(force=True, silent=True)
        if not isinstance(command, dict):
            abort(400, "A bench command is a JSON object.")
        try:
            return _json_answer(bench.command(command))
        except HubError as error:
            abort(400, str(error))

    def panel(self, name: str, size: str) -> Response:
        picture = self._bench_of(name).panel(size)
        if picture is None:
            abort(404, "There is no such panel, or nothing on it yet.")
        return Response(picture, mimetype="image/png", headers={"Cache-Control": "no-store"})

    def _bench_of(self, name: str) -> BenchFace:
        return self.one(name).bench or abort(404, "This table has real devices, so there is no bench.")


class _Joining:
    """How a phone finds its table and gets its seat."""

    def __init__(self, tables: _Tables, claims: Claims, key: HubKey, address: Callable[[], str]) -> None:
        self._tables = tables
        self._claims = claims
        self._key = to_base64(key.public)
        self._address = address

    def qr(self, name: str) -> Response:
        table, address = self._tables.one(name), self._address()
        if not address:
            abort(404, "There is no network yet.")
        return _file_answer(qr_picture(f"{address}/t/{table.id}#k={self._key}"))

    def by_code(self, code: str) -> Response:
        wanted = code.strip().upper()
        face = next((face for face in self._tables.all.values() if face.code.upper() == wanted), None)
        if face is None:
            abort(404, "No table here has this code; look at the table's screen again.")
        return _json_answer({"table": face.id, "k": self._key})

    def claim(self, name: str) -> Response:
        table = self._tables.one(name)
        return _json_answer(
            {"claim": self._claims.ask(table, request.get_data(cache=False), request.remote_addr or "?")}
        )

    def state(self, name: str, number: str) -> Response:
        reply = self._claims.look(self._tables.one(name), number)
        return Response(messages.to_bytes(reply), mimetype="application/json")


def _refuse_foreign_posts() -> None:
    if request.method == "POST" and not same_origin({"headers": _origin_and_host()}):
        abort(403, "This request comes from another page.")


def _origin_and_host() -> list[tuple[bytes, bytes]]:
    headers = ((name, request.headers.get(name)) for name in ("origin", "host"))
    return [(name.encode(), value.encode()) for name, value in headers if value is not None]


@functools.lru_cache(maxsize=16)
def qr_picture(text: str) -> StaticFile:
    """Return a QR code as SVG, black on white with its quiet zone."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(out, kind="svg", scale=8, border=4, light="white", xmldecl=False)
    return static_file(out.getvalue(), ".svg")


def _file_answer(found: StaticFile | None) -> Response:
    if found is None:
        abort(404, "There is no such file on this hub.")
    gzipped = found.gzipped if request.accept_encodings.quality("gzip") > 0 else None
    answer = Response(gzipped or found.plain, content_type=found.content_type)
    if gzipped:
        answer.headers["Content-Encoding"] = "gzip"
    answer.headers["Vary"] = "Accept-Encoding"
    answer.headers["Cache-Control"] = "no-cache"  # kept, but asked for each time: a new hub has new pages
    answer.set_etag(found.etag, weak=True)
    answer.make_conditional(request)
    return answer


def _up() -> Response:
    """Return an empty answer that a page of another origin may wait for: the kiosk's first page is a local file."""
    return Response(status=204, headers={"Cross-Origin-Resource-Policy": "cross-origin"})


def _json_answer(value: Mapping[str, Any]) -> Response:
    return Response(json.dumps(value), mimetype="application/json")


def _with_security_headers(answer: Response) -> Response:
    host = request.host if re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", request.host) else "invalid"
    answer.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        # Older Safari does not count ws: of the same host as 'self'.
        f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; worker-src 'self' blob:; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    answer.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    answer.headers.setdefault("Cache-Control", "no-store")
    if request.is_secure:
        answer.headers["Strict-Transport-Security"] = f"max-age={HSTS_SECONDS}"
    return answer


def _claim_refused(refused: ClaimRefused) -> Response:
    answer = Response(json.dumps({"error": str(refused)}), refused.status, mimetype="application/json")
    if refused.retry_after:
        answer.headers["Retry-After"] = str(refused.retry_after)
    return answer


_SENTENCES = {
    404: "There is no such page on this hub.",
    405: "This address does not take that method.",
    413: f"The request is larger than {BODY_BYTES} bytes.",
    500: "The hub failed at this request; its journal says more.",
}


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    if status < 400:  # a redirect of the router
        return Response("", status, headers=list(error.get_headers()))
    if status == 404 and "text/html" in request.headers.get("Accept", ""):
        return Response(NOT_FOUND, 404, content_type="text/html; charset=utf-8")
    own = error.description if error.description != type(error).description else None
    sentence = own or _SENTENCES.get(status) or "The hub does not understand this request."
    answer = Response(json.dumps({"error": sentence}), status, mimetype="application/json")
    if status == 405:
        answer.headers.extend({k: v for k, v in error.get_headers() if k == "Allow"})
    return answer


# --- The port ------------------------------------------------------------------------------------------


_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?")


def is_known_host(host: str, names: Collection[str]) -> bool:
    """Return whether a request's Host is an address, `localhost`, a name in `.local`, or one of the hub's `names`.

    Any other name may be a stranger's whose page has its own name point here: then browsers take the hub's answers for that
    page's own (DNS rebinding), and an Origin that fits says nothing.
    """
    found = _HOST.fullmatch(host.strip().lower())
    if found is None:
        return False
    name = found[1] or found[2].removesuffix(".")
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return name == "localhost" or name.endswith((".localhost", ".local")) or name in names


def own_names(given: Iterable[str] = ()) -> frozenset[str]:
    """Return the names of this machine, and the `given` ones, in lower case."""
    return frozenset(name.lower().removesuffix(".") for name in (socket.gethostname(), *given) if name)


@dataclass(frozen=True, slots=True)
class Screens:
    """Which screens are the table's own and show the codes of seats.

    One has the `token`, as a cookie of the name `screen`, or (with `loopback`) is on this machine itself, and no proxy
    speaks for it.
    """

    token: str = field(default="", repr=False)
    loopback: bool = True

    def is_here(self, scope: Scope) -> bool:
        """Return whether a request comes from this machine itself."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        forwarded = any(name in headers for name in (b"x-forwarded-for", b"forwarded", b"via"))
        address, served = address_of(scope), scope.get("server") or ("", 0)
        # From one of its own addresses to the same one: only this machine itself connects so.
        return self.loopback and not forwarded and (address in LOOPBACK or address == served[0])

    def is_own(self, scope: Scope) -> bool:
        """Return whether a request comes from a screen of the table's own."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if self.is_here(scope):
            return True
        cookies = SimpleCookie()
        with contextlib.suppress(CookieError):
            cookies.load(headers.get(b"cookie", b"").decode("latin-1"))
        given = cookies["screen"].value if "screen" in cookies else ""
        return bool(self.token) and hmac.compare_digest(given.encode(), self.token.encode())


class _Router:
    """Who gets what comes in: the gateway, the streams, or the pages."""

    _BENCH = re.compile(r"/t/[^/]+/bench(/.*)?")
    _EVENTS = re.compile(r"/t/([^/]+)/(bench/|screen/)?events")

    def __init__(
        self,
        app: Flask,
        tables: Mapping[str, TableFace],
        dial: Dial,
        limits: Limits,
        screens: Screens,
        names: Collection[str],
        *,
        open_bench: bool,
    ) -> None:
        self._screens, self._names, self._open_bench = screens, names, open_bench
        self.closing = asyncio.Event()
        self.gateway = MqttGateway(dial, limits, self.closing)
        self.stream = Stream(limits, self.closing)
        self._tables = tables
        self._pages: Any = WSGIMiddleware(app.wsgi_app, workers=WORKERS)  # type: ignore[arg-type]

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
        if self._BENCH.fullmatch(scope["path"]) and not (self._open_bench or self._screens.is_here(scope)):
            await send_error(send, 403, NO_BENCH)
            return
        events = self._EVENTS.fullmatch(scope["path"])
        if events is not None:
            if scope["method"] != "GET":
                await send_error(send, 405, "This address does not take that method.")
                return
            newest = self._followed(scope, events[1], events[2] or "")
            if newest is None:
                await send_error(send, 404, "There is nothing to follow here.")
            else:
                await self.stream(scope, receive, send, newest)
            return
        # A page's worker must not wait for a slow phone's body: it is taken in first.
        body = await _body(scope, receive)
        if isinstance(body, int):
            await send_error(send, body, _BODY_SENTENCES[body])
        else:
            await self._pages(scope, _replayed(body, receive), send)

    def _followed(self, scope: Scope, name: str, kind: str) -> Latest | None:
        face = self._tables.get(name)
        if face is None:
            return None
        if kind == "screen/" and self._screens.is_own(scope):
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


_BODY_SENTENCES = {408: "The request came too slowly.", 413: f"The request is larger than {BODY_BYTES} bytes."}


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


class _LimitedHttp(H11Protocol):
    """HTTP for crowds: a few connections for each address, and a head that comes in time."""

    def __init__(self, quota: Quota, head_seconds: float, **given: Any) -> None:
        super().__init__(**given)
        self._quota = quota
        self._head_seconds = head_seconds
        self._counted: str | None = None
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else "?"
        if address not in LOOPBACK:  # a proxy on this machine speaks for many
            if not self._quota.take(address):
                transport.abort()
                return
            self._counted = address
        self._head_timer = self.loop.call_later(self._head_seconds, transport.abort)

    def data_received(self, data: bytes) -> None:
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


class _LimitedWebSocket(WebSocketsSansIOProtocol):
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
        for place in range(0, len(data), self.PIECE):
            if self.transport.is_closing():
                return
            super().data_received(data[place : place + self.PIECE])

    def handle_ping(self) -> None:
        self._count()
        super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        self._count()
        super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        self._count()
        super().handle_cont(event)

    def handle_text(self, event: Frame) -> None:
        if not event.fin:
            self._count()
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        if not event.fin:
            self._count()
        super().handle_bytes(event)

    def _count(self) -> None:
        if not self._controls.spend(1, self.loop.time()):
            self.transport.abort()


class _Uvicorn(uvicorn.Server):
    """Tells when it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.serving = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.loop = asyncio.get_running_loop()
        self.serving.set()


class WebServer:
    """The port while it is open."""

    def __init__(
        self, router: _Router, config: uvicorn.Config, listening: socket.socket, certificate: Certificate | None = None
    ) -> None:
        self._router = router
        self._certificate = certificate
        self._server = _Uvicorn(config)
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
    host: str,
    port: int,
    tls: tuple[str, str] | None = None,
    limits: Limits | None = None,
    screens: Screens | None = None,
    names: Iterable[str] = (),
    *,
    open_bench: bool = False,
) -> WebServer:
    """Open the port (0: any free one) and serve in a thread. `tls`: certificate and key files.

    `names` are what the hub is called beside its addresses and this machine's own name; with `open_bench` not this machine
    alone works simulated devices.

    Raise ConfigError, or TemporaryError where the port is taken or the address not there yet.
    """
    certificate = Certificate(*tls) if tls else None
    limits = limits or Limits()
    router = _Router(app, tables, dial, limits, screens or Screens(), own_names(names), open_bench=open_bench)
    quota = Quota(limits.connections, limits.connections_each_address)
    config = uvicorn.Config(
        router,
        http=functools.partial(_LimitedHttp, quota, limits.head_seconds),  # type: ignore[arg-type]
        ws=functools.partial(_LimitedWebSocket, limits),  # type: ignore[arg-type]
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
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
        ssl_context_factory=(lambda *_: certificate.context) if certificate else None,
    )
    return WebServer(router, config, listen(host, port), certificate)


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
