"""The pages, claims, QR codes and labels of games: a Flask app."""

from __future__ import annotations

import functools
import gzip
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlencode

import msgspec
import segno
from flask import Flask, Response, abort, redirect, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from hub.engine.labels import Labels
from hub.engine.text import say, to_json
from hub.errors import HubError, NoReplay
from hub.network import messages
from hub.network.encryption import HubKey, to_base64
from hub.network.glance import at_a_glance
from hub.network.http_messages import AllCards, ClaimMade, FirstPin, PublicKey, Refused, StaffCalled, TableKey
from hub.state import Plain, PublicState, ScreenState, Till
from phone_ui import vendored
from phone_ui.captive_portal import PAGE
from phone_ui.claims import ClaimRefused, Claims
from phone_ui.latest import Latest
from phone_ui.origin import same_origin
from phone_ui.static_files import StaticFile, StaticFiles, static_file
from phone_ui.tls import HSTS_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hub.ports import ClaimRequest, LoginState
    from phone_ui.captive_portal import CaptivePortal
    from phone_ui.direct import DirectPhone, Wire

HERE = Path(__file__).parent
STATIC = HERE / "static"
VENDOR: Mapping[str, Path] = vendored.locate()
BODY_BYTES = 8192
ICONS = (180, 512)
DARK = "#17130f"
"""Background color of the pages when a phone opens them from its home screen."""

NOT_FOUND = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not here</title></head>
<body><h1>There is no such page on this hub.</h1><p><a href="/">Go to the table</a></p></body></html>
"""


class BenchFace(Protocol):
    """The simulated devices of a table."""

    @property
    def newest(self) -> Latest:
        """Return their latest complete state as JSON."""

    def command(self, command: Mapping[str, object]) -> Mapping[str, object]:
        """Execute an action of a person at the bench, such as a press, a turn or a roll. Raise HubError with a sentence."""

    def panel(self, size: str) -> bytes | None:
        """Return the image on the panel of this size ("2.9") as a PNG, or None if there is none."""


class TableFace(Protocol):
    """One table as the web port uses it."""

    @property
    def id(self) -> str:
        """The table's name in addresses and topics."""

    @property
    def code(self) -> str:
        """The four letters of the table's code, as on its screen."""

    @property
    def public(self) -> Latest:
        """The latest public state as JSON."""

    @property
    def screen(self) -> Latest:
        """The public state with the codes of seats, for the table's own screens."""

    @property
    def bench(self) -> BenchFace | None:
        """The simulated devices of the table, or None."""

    def events_before(self, number: int) -> bytes:
        """Return a page of the events before event `number`, as JSON."""

    def changes(self) -> bytes:
        """Return the changes of money and points in this round and the previous one, as JSON."""

    def history(self) -> bytes:
        """Return the statistics of the table's finished matches as JSON. Raise HubError with a sentence."""

    def replay(self, match: str) -> bytes:
        """Return a finished match as JSON, compressed by gzip. Raise NoReplay, or HubError if it cannot be read now."""

    def house(self, match: str, step: int) -> bytes:
        """Return the choices at a step of a finished match beside those of the house, as JSON. Raise like `replay`."""

    def claim(self, asked: ClaimRequest) -> None:
        """Put a claim into the table's inbox."""

    def call_staff(self) -> None:
        """Put a call for staff, by a person without a seat, into the table's inbox."""

    def login(self, sid: str) -> LoginState:
        """Return the state of a login. It is "unknown" only after this table has loaded all its logins."""

    def direct(self, sid: str, wire: Wire) -> DirectPhone | None:
        """Return the direct path of a login that the broker has accepted, on its WebSocket; None if another table has it."""


class Speech(Protocol):
    """The languages of the pages. English, the language of the sources, has no catalogue."""

    @property
    def names(self) -> Mapping[str, str]:
        """The name of each language in that language, by code."""

    @property
    def tables(self) -> Mapping[str, Sequence[str]]:
        """The languages of each table's screens."""

    def catalogue(self, language: str, game: str) -> bytes | None:
        """Return the catalogue of a game ("": of all games) as JSON, or None if there is none."""


def make_app(
    tables: Mapping[str, TableFace],
    key: HubKey,
    hub: str,
    address: Callable[[], str],
    games: Mapping[str, Labels],
    claims: Claims | None = None,
    static: Path = STATIC,
    vendor: Mapping[str, Path] = VENDOR,
    status: Callable[[], Mapping[str, object]] = dict,
    cards: Callable[[], AllCards] = lambda: AllCards({}),
    guides: Mapping[str, object] | None = None,
    speech: Speech | None = None,
    portal: CaptivePortal | None = None,
) -> Flask:
    """Return the Flask app. Raise HubError if the pages' libraries are missing, because every page would be blank.

    - `address`: returns the URL that phones can open now ("http://10.42.0.1:8080"), or "", for the QR code.
    - `games`, `guides`: the labels and the guides of games, by name.
    - `status`: returns the health of the hub's devices.
    - `cards`: returns the cards that staff may change.
    - `speech`: the languages; None: English only.
    - `portal`: the captive portal of the hub's own Wi-Fi, for phones that stay there.
    """
    missing = [name for name, file in vendor.items() if not file.is_file()]
    if missing:
        raise HubError(
            f"The pages' libraries are missing ({', '.join(missing)}): run `make setup` in the clone, or install a wheel "
            "that was built after it."
        )
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    app.url_map.merge_slashes = False
    files = StaticFiles(below=static)
    pages = _Tables(tables, files)
    joining = _Joining(pages, claims or Claims(key, hub), key, address)
    libraries = StaticFiles(named=vendor)
    labels, guide_files = _JsonFiles(games), _JsonFiles(guides or {})
    spoken = _Catalogues(speech)
    for rule, view in (
        ("/", lambda: _file_answer(files.get("pages/join.html"))),
        ("/staff", lambda: _file_answer(files.get("pages/staff.html"))),
        ("/staff/settings", lambda: _file_answer(files.get("pages/settings.html"))),
        ("/staff/evenings", lambda: _file_answer(files.get("pages/evenings.html"))),
        ("/till", lambda: _file_answer(files.get("pages/till.html"))),
        ("/till.json", pages.till),
        ("/staff/key.json", lambda: _json_answer(PublicKey(to_base64(key.public)))),
        ("/setup", lambda: _file_answer(files.get("pages/setup.html"))),
        (PAGE, lambda: _file_answer(files.get("pages/wifi.html"))),
        (f"{PAGE}/first.json", lambda: _json_answer(FirstPin(_first_pin(portal), to_base64(key.public)))),
        ("/favicon.ico", lambda: _file_answer(files.get("favicon.svg"))),
        ("/worker.js", lambda: _file_answer(files.get("worker.js"))),
        ("/static/<path:name>", lambda name: _file_answer(files.get(name))),
        ("/vendor/<name>", lambda name: _file_answer(libraries.get(name))),
        ("/games/<name>.json", lambda name: _file_answer(labels.get(name))),
        ("/cards.json", lambda: _json_answer(cards())),
        ("/games/<name>/guide.json", lambda name: _file_answer(guide_files.get(name))),
        ("/languages.json", spoken.all),
        ("/languages/<language>.json", spoken.catalogue),
        ("/languages/<language>/<game>.json", spoken.catalogue),
        ("/t/<name>", pages.phone),
        ("/t/<name>/app.webmanifest", pages.manifest),
        ("/t/<name>/kiosk", pages.kiosk),
        ("/t/<name>/events/<number>.json", pages.events),
        ("/t/<name>/changes.json", pages.changes),
        ("/t/<name>/history", pages.history),
        ("/t/<name>/history.json", pages.history_json),
        ("/t/<name>/replay", pages.replay),
        ("/t/<name>/replay/<match>.json", pages.replay_json),
        ("/t/<name>/replay/<match>/house/<step>.json", pages.house_json),
        ("/t/<name>/bench", pages.bench),
        ("/t/<name>/bench/panel/<size>.png", pages.panel),
        ("/t/<name>/bench/play", joining.play),
        ("/t/<name>/qr.svg", joining.qr),
        ("/code/<code>.json", joining.by_code),
        ("/status.json", lambda: _json_answer(status())),
        ("/up", _up),
        ("/t/<name>/claim/<number>", joining.state),
    ):
        app.add_url_rule(rule, rule, view, methods=["GET"])
    app.add_url_rule(f"{PAGE}/stay", "stay", lambda: _stay(portal), methods=["POST"])
    app.add_url_rule("/t/<name>/bench", "bench", pages.bench_command, methods=["POST"])
    app.add_url_rule("/t/<name>/claim", "claim", joining.claim, methods=["POST"])
    app.add_url_rule("/t/<name>/help", "help", joining.call_staff, methods=["POST"])
    app.extensions["scripts"] = functools.partial(_script, files, libraries)
    app.before_request(_refuse_foreign_posts)
    app.after_request(functools.partial(_with_security_headers, benched=any(table.bench for table in tables.values())))
    app.register_error_handler(ClaimRefused, _claim_refused)
    app.register_error_handler(HTTPException, _http_error)
    return app


class _JsonFiles:
    """Values as JSON files, each encoded at its first request, and again after the value was replaced."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values
        self._made: dict[str, tuple[object, StaticFile]] = {}

    def get(self, name: str) -> StaticFile | None:
        value = self._values.get(name)
        if value is None:
            return None
        made = self._made.get(name)
        if made is None or made[0] is not value:
            sent = msgspec.structs.replace(value, own_list={}) if isinstance(value, Labels) else value  # for staff only
            made = self._made[name] = value, static_file(msgspec.json.encode(sent), ".json")
        return made[1]


def _of_the_past(read: Callable[[], bytes]) -> bytes:
    """Return what `read` finds of a finished match, or answer with its sentence."""
    try:
        return read()
    except NoReplay as error:
        abort(404, error.sentence)
    except HubError as error:
        abort(503, error.sentence)


class _Tables:
    """The pages of the tables."""

    def __init__(self, tables: Mapping[str, TableFace], files: StaticFiles) -> None:
        self.all = tables
        self._files = files

    def one(self, name: str) -> TableFace:
        return self.all.get(name) or abort(404, say("This hub has no such table."))

    def till(self) -> Response:
        """Answer with a summary of all tables, made from their public states, without names of guests."""
        states = [state for table in self.all.values() if (state := _public_state(table))]
        return Response(messages.to_bytes(Till([at_a_glance(state) for state in states])), mimetype="application/json")

    def phone(self, name: str) -> Response:
        self.one(name)
        return _file_answer(self._files.get("pages/phone.html"))

    def manifest(self, name: str) -> Response:
        """Answer with the web app manifest, with which a phone puts the table on its home screen."""
        table = self.one(name)
        state = _public_state(table)
        called = state.name if state else f"Table {name}"
        icons = [{"src": f"/static/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in ICONS]
        about = {
            "id": f"/t/{table.id}", "name": called, "short_name": called, "start_url": f"/t/{table.id}", "scope": "/",
            "display": "standalone", "background_color": DARK, "theme_color": DARK, "icons": icons,
        }  # fmt: skip
        return Response(json.dumps(about), mimetype="application/manifest+json")

    def kiosk(self, name: str) -> Response:
        self.one(name)
        return _file_answer(self._files.get("pages/kiosk.html"))

    def history(self, name: str) -> Response:
        self.one(name)
        return _file_answer(self._files.get("pages/history.html"))

    def history_json(self, name: str) -> Response:
        try:
            return Response(self.one(name).history(), mimetype="application/json")
        except HubError as error:
            abort(503, error.sentence)

    def replay(self, name: str) -> Response:
        self.one(name)
        return _file_answer(self._files.get("pages/replay.html"))

    def replay_json(self, name: str, match: str) -> Response:
        table = self.one(name)
        data = _of_the_past(lambda: table.replay(match))
        if request.accept_encodings.quality("gzip") > 0:
            return Response(data, mimetype="application/json", headers={"Content-Encoding": "gzip"})
        return Response(gzip.decompress(data), mimetype="application/json")

    def house_json(self, name: str, match: str, step: str) -> Response:
        table = self.one(name)
        if not re.fullmatch("[0-9]{1,9}", step):
            abort(404, "Steps are asked for by their number, from 1.")
        return Response(_of_the_past(lambda: table.house(match, int(step))), mimetype="application/json")

    def events(self, name: str, number: str) -> Response:
        table = self.one(name)
        if not re.fullmatch("[0-9]{1,9}", number):
            abort(404, "Events are asked for by the number of the one that follows them.")
        return Response(table.events_before(int(number)), mimetype="application/json")

    def changes(self, name: str) -> Response:
        return Response(self.one(name).changes(), mimetype="application/json")

    def bench(self, name: str) -> Response:
        self.bench_of(name)
        return _file_answer(self._files.get("pages/bench.html"))

    def bench_command(self, name: str) -> Response:
        bench = self.bench_of(name)
        command = request.get_json(force=True, silent=True)
        if not isinstance(command, dict):
            abort(400, "A bench command is a JSON object.")
        try:
            return _json_answer(bench.command(command))
        except HubError as error:
            abort(400, error.sentence)

    def panel(self, name: str, size: str) -> Response:
        picture = self.bench_of(name).panel(size)
        if picture is None:
            abort(404, "There is no such panel, or nothing on it yet.")
        return Response(picture, mimetype="image/png", headers={"Cache-Control": "no-store"})

    def bench_of(self, name: str) -> BenchFace:
        return self.one(name).bench or abort(404, say("This table has real devices, so it has no bench page."))


def _public_state(table: TableFace) -> PublicState | None:
    _, data = table.public.get()
    return msgspec.json.decode(data, type=PublicState) if data else None


class _Catalogues:
    """The catalogues of other languages, each loaded at its first request."""

    def __init__(self, speech: Speech | None) -> None:
        self._speech = speech
        self._cache: dict[tuple[str, str], StaticFile | None] = {}

    def all(self) -> Response:
        if self._speech is None:
            return _json_answer({"languages": {"en": "English"}, "tables": {}})
        return _json_answer({"languages": {**self._speech.names}, "tables": {**self._speech.tables}})

    def catalogue(self, language: str, game: str = "") -> Response:
        if self._speech is None or language not in self._speech.names:
            abort(404, say("This hub does not speak that language."))
        if (language, game) not in self._cache:
            found = self._speech.catalogue(language, game)
            if found is None:
                abort(404, say("This hub does not speak that language."))
            self._cache[language, game] = static_file(found, ".json")
        return _file_answer(self._cache[language, game])


class _Joining:
    """Answers for phones that look for their table or claim a seat."""

    def __init__(self, tables: _Tables, claims: Claims, key: HubKey, address: Callable[[], str]) -> None:
        self._tables = tables
        self._claims = claims
        self._key = to_base64(key.public)
        self._address = address

    def qr(self, name: str) -> Response:
        table, address = self._tables.one(name), self._address()
        if not address:
            abort(404, say("There is no network yet."))
        return _file_answer(qr_picture(f"{address}/t/{table.id}#k={self._key}"))

    def play(self, name: str) -> BaseResponse:
        """Redirect to the phone page of a simulated table, with the code of the first seat that is free or the house's."""
        table = self._tables.one(name)
        self._tables.bench_of(name)
        _, data = table.screen.get()
        state = msgspec.json.decode(data, type=ScreenState) if data else None
        fragment = {"k": self._key}
        for seat in state.seats if state else ():
            code = state.claim_codes.get(f"{seat.seat}") if state else None
            if code and (not seat.held or seat.is_house):
                fragment |= {"seat": f"{seat.seat}", "code": code}
                break
        return redirect(f"/t/{table.id}#{urlencode(fragment)}")

    def by_code(self, code: str) -> Response:
        wanted = code.strip().upper()
        face = next((face for face in self._tables.all.values() if face.code.upper() == wanted), None)
        if face is None:
            abort(404, say("No table here has this code. Look at the table's screen again."))
        return _json_answer(TableKey(face.id, self._key))

    def call_staff(self, name: str) -> Response:
        table = self._tables.one(name)
        self._claims.check_call(request.remote_addr or "?")
        table.call_staff()
        return _json_answer(StaffCalled(True))

    def claim(self, name: str) -> Response:
        table = self._tables.one(name)
        asked = self._claims.submit(table, request.get_data(cache=False), request.remote_addr or "?")
        return _json_answer(ClaimMade(asked))

    def state(self, name: str, number: str) -> Response:
        reply = self._claims.status(self._tables.one(name), number)
        return Response(messages.to_bytes(reply), mimetype="application/json")


def _refuse_foreign_posts() -> None:
    if request.method == "POST" and not same_origin({"headers": _origin_and_host()}):
        abort(403, say("This request comes from another page."))


def _origin_and_host() -> list[tuple[bytes, bytes]]:
    headers = ((name, request.headers.get(name)) for name in ("origin", "host"))
    return [(name.encode(), value.encode()) for name, value in headers if value is not None]


@functools.lru_cache(maxsize=16)
def qr_picture(text: str) -> StaticFile:
    """Return a QR code as SVG, black on white, with its quiet zone."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(out, kind="svg", scale=8, border=4, light="white", xmldecl=False)
    return static_file(out.getvalue(), ".svg")


def _script(files: StaticFiles, libraries: StaticFiles, path: str) -> StaticFile | None:
    """Return the script or style sheet at this path, which the port sends without a worker thread; None for other files."""
    if not path.endswith((".js", ".css")):
        return None
    _, folder, *rest = path.split("/")
    folders = {"static": files, "vendor": libraries}
    return folders[folder].get("/".join(rest)) if folder in folders else None


def _file_answer(found: StaticFile | None) -> Response:
    if found is None:
        abort(404, say("There is no such file on this hub."))
    gzipped = found.gzipped if request.accept_encodings.quality("gzip") > 0 else None
    answer = Response(gzipped or found.plain, content_type=found.content_type)
    if gzipped:
        answer.headers["Content-Encoding"] = "gzip"
    answer.headers["Vary"] = "Accept-Encoding"
    answer.headers["Cache-Control"] = "no-cache"  # cached, but revalidated at each use: a new hub has new pages
    answer.set_etag(found.etag, weak=True)
    answer.make_conditional(request)
    answer.headers.pop("date", None)  # the server adds it
    return answer


def _first_pin(portal: CaptivePortal | None) -> str:
    return portal.pin_for(request.remote_addr or "?") if portal is not None else ""


def _stay(portal: CaptivePortal | None) -> Response:
    if portal is not None:
        portal.stay(request.remote_addr or "?")
    return Response(status=204)


def _up() -> Response:
    """Return an empty answer that a page of another origin may poll: the first page of the kiosk is a local file."""
    return Response(status=204, headers={"Cross-Origin-Resource-Policy": "cross-origin"})


def _json_answer(value: Plain | Mapping[str, object], status: int = 200) -> Response:
    return Response(to_json(value), status, mimetype="application/json")


def _refusal(sentence: str, status: int) -> Response:
    return Response(messages.to_bytes(Refused(sentence)), status, mimetype="application/json")


def _with_security_headers(answer: Response, *, benched: bool) -> Response:
    """Allow pages to load from their own hub only. With a bench, its page may show phones and the screen in frames.

    Modules and style sheets get no Content-Security-Policy, because it has no effect on them, and a first visit loads
    more than fifty.
    """
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    answer.headers.setdefault("Cache-Control", "no-store")
    if request.is_secure:
        answer.headers["Strict-Transport-Security"] = f"max-age={HSTS_SECONDS}"
    if request.path.startswith(("/static/", "/vendor/")) and answer.mimetype in ("text/javascript", "text/css"):
        return answer
    frames = "'self'" if benched else "'none'"
    host = request.host if re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", request.host) else "invalid"
    answer.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        # In older Safari, 'self' does not include ws: of the same host.
        f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; worker-src 'self' blob:; "
        f"frame-src {frames}; base-uri 'none'; form-action 'self'; frame-ancestors {frames}"
    )
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    return answer


def _claim_refused(refused: ClaimRefused) -> Response:
    answer = _refusal(refused.sentence, refused.status)
    if refused.retry_after:
        answer.headers["Retry-After"] = str(refused.retry_after)
    return answer


_SENTENCES = {
    404: say("There is no such page on this hub."),
    405: "This address does not take that method.",
    413: say("The request is too large."),
    500: say("Something went wrong on the hub. The details are in its journal."),
}


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    if status < 400:  # a redirect of the router
        return Response("", status, headers=list(error.get_headers()))
    if status == 404 and "text/html" in request.headers.get("Accept", ""):
        return Response(NOT_FOUND, 404, content_type="text/html; charset=utf-8")
    own = error.description if error.description != type(error).description else None
    sentence = own or _SENTENCES.get(status) or say("The hub does not understand this request.")
    answer = _refusal(sentence, status)
    if status == 405:
        answer.headers.extend({k: v for k, v in error.get_headers() if k == "Allow"})
    return answer
