"""A hub that plays what a test tells it: pages, labels, streams, claims and just enough MQTT for one table.

It stands on the real port of the pages (HTTP, server-sent events, MQTT over WebSocket) and seals with the
hub's own `hub.network.encryption`, so a page under test runs as it does at a table.
"""

from __future__ import annotations

import asyncio
import json
import logging
import queue
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from uvicorn.protocols.utils import ClientDisconnected

from hub import games
from hub.languages import Speech
from hub.network import encryption, messages
from hub.network.messages import to_bytes
from hub.state import Ack, Hand, PublicState, ScreenState
from phone_ui.gateway import SEAT_GIVEN_BACK
from phone_ui.static_files import StaticFile, StaticFiles
from tests.free_port import free_port
from tests.patience import PATIENCE

log = logging.getLogger(__name__)

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "phone_ui" / "static"
MODULES = ROOT / "phone_ui" / "node_modules"
VENDOR = {
    "htm-preact.js": MODULES / "htm/preact/standalone.module.js",
    "mqtt.js": MODULES / "mqtt/dist/mqtt.esm.js",
    "nacl.js": MODULES / "tweetnacl/nacl-fast.min.js",
    "qr.js": MODULES / "lean-qr/nano.mjs",
}
FILES, LIBRARIES = StaticFiles(below=STATIC), StaticFiles(named=VENDOR)
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self' ws: wss:; manifest-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'self'; "
    "frame-src 'self'; frame-ancestors 'self'"
)
PAGES = {"": "phone.html", "kiosk": "kiosk.html", "bench": "bench.html"}
HUB, TABLE = "hub", "1"

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def labels_of(game: str) -> dict[str, Any]:
    """The labels of a game of the house, as the hub sends them."""
    labels: dict[str, Any] = msgspec.to_builtins(games.find(game).labels)
    return labels


def guide_of(game: str) -> dict[str, Any]:
    """The guide of a game of the house, as the hub sends it."""
    guide: dict[str, Any] = msgspec.to_builtins(games.find(game).guide)
    return guide


@dataclass
class Claim:
    """One phone at one seat."""

    sid: str
    seat: int
    pair: encryption.SharedKey
    asked: dict[str, Any]
    pk: str
    held: bool = False
    refused: str = ""


@dataclass
class Wire:
    """One phone's MQTT connection."""

    send: Send
    user: str = ""
    topics: set[str] = field(default_factory=set)


class FakeHub:
    """Start it, put states and hands in, read what phones asked."""

    def __init__(self) -> None:
        self.key = encryption.HubKey.generate()
        self.k = encryption.to_base64(self.key.public)
        self.code = "FISH"
        self.speech = Speech({})
        self.labels: dict[str, dict[str, Any]] = {}
        self.guides: dict[str, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []  # all of the match, for a page that asks for earlier ones
        self.changes: list[dict[str, Any]] = []  # what "why?" is answered
        self.claims: dict[str, Claim] = {}
        self._claimed = threading.Condition()
        self.asks: queue.Queue[dict[str, Any]] = queue.Queue()
        self.calls = 0  # for staff, by people without a seat
        self.bench_asks: queue.Queue[dict[str, Any]] = queue.Queue()
        self._answers: dict[str, dict[str, Any]] = {}  # by request
        self._asked_ids: set[str] = set()
        self.sent: queue.Queue[dict[str, Any]] = queue.Queue()  # each request as often as it was sent
        self.answer: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda act: {"ok": True}
        self.press_at_once = True
        self.deaf = False  # hears and says nothing
        self.refuses_logins = False  # as a broker that does not know them yet
        self.mute = False  # lets phones in, and lets them listen to nothing
        self.connects = 0
        self.bytes_sent = 0
        self._retained: dict[str, bytes] = {}
        self._wires: list[Wire] = []
        self._streams: dict[str, list[asyncio.Queue[bytes]]] = {"events": [], "screen": [], "bench": []}
        self._last: dict[str, bytes] = {}
        self._match: dict[str, Any] = {"match": None, "epoch": 0}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.port = free_port()
        self._server = self._new_server()
        self._thread = threading.Thread(target=self._run, daemon=True)

    # --- what a test does ---------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """Where the pages are."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> FakeHub:
        """Listen; returns when pages can be had."""
        ready = threading.Event()
        self._ready = ready
        self._thread.start()
        assert ready.wait(10), "the fake hub did not start"
        return self

    def stop(self) -> None:
        """Stop listening and drop everybody."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)

    def restart(self) -> None:
        """As a hub that was switched off and on: same key, same claims, what is retained told anew."""
        self.stop()
        self._wires.clear()
        self._server = self._new_server()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.start()

    def public(self, state: Mapping[str, Any], **own: Any) -> None:
        """Tell the public state to everybody, and to the table's own screen what it has besides."""
        data = messages.to_bytes(msgspec.convert(state, PublicState))
        self._match = {"match": state.get("match"), "epoch": state["epoch"]}
        self._on_loop(self._tell, f"th/1/{HUB}/{TABLE}/pub/state", data, "events")
        codes = {
            str(seat["seat"]): f"BCDFG{'HJKLMN'[seat['seat'] - 1]}" for seat in state["seats"] if not seat.get("held")
        }
        shown = {"claim_codes": codes, "fingerprint": encryption.fingerprint(self.key.public)}
        screen = msgspec.convert({**state, **shown, **own}, ScreenState)
        self._on_loop(self._tell, "", to_bytes(screen), "screen")

    def bench(self, picture: Mapping[str, Any]) -> None:
        """Tell the simulated table's picture."""
        self._on_loop(self._tell, "", json.dumps(picture).encode(), "bench")

    def hand(self, seat: int, hand: Mapping[str, Any]) -> None:
        """Seal a hand for whoever holds `seat`."""
        text = messages.to_bytes(msgspec.convert(hand, Hand))
        for claim in self.claims.values():
            if claim.seat == seat and claim.held:
                self._on_loop(
                    self._tell, self._topic(claim.sid, "hand"), claim.pair.encrypt(text, messages.HAND_SIZE), ""
                )

    def release(self, seat: int) -> None:
        """End the claim of a seat: its login dies, its hand is wiped."""
        for sid, claim in list(self.claims.items()):
            if claim.seat == seat:
                del self.claims[sid]
                self._on_loop(self._tell, self._topic(sid, "hand"), b"", "")

    def press(self, seat: int, refuse: str = "") -> None:
        """The button at the seat is pressed (or the claim is refused), once a phone has asked for the seat."""

        def waiting() -> list[Claim]:
            return [one for one in list(self.claims.values()) if one.seat == seat and not one.held]

        # The page says "press the button" before its request has crossed the network.
        with self._claimed:
            assert self._claimed.wait_for(waiting, timeout=PATIENCE), f"Nobody has asked for seat {seat}."
        for claim in waiting():
            claim.held, claim.refused = not refuse, refuse

    def drop(self) -> None:
        """Cut every socket, as a Wi-Fi that blinks."""

        async def cut() -> None:
            for one in list(self._wires):
                await one.send({"type": "websocket.close"})

        assert self._loop
        asyncio.run_coroutine_threadsafe(cut(), self._loop).result(5)

    def is_clear_of(self, secret: str) -> bool:
        """Whether no retained message shows `secret` in clear."""
        return not any(secret.encode() in data for data in self._retained.values())

    # --- the port -----------------------------------------------------------------------------------

    def _new_server(self) -> uvicorn.Server:
        config = uvicorn.Config(
            self._app, host="127.0.0.1", port=self.port, log_level="critical", lifespan="off", interface="asgi3"
        )
        return uvicorn.Server(config)

    def _run(self) -> None:
        async def main() -> None:
            self._loop = asyncio.get_running_loop()
            serving = asyncio.create_task(self._server.serve())
            while not self._server.started:
                await asyncio.sleep(0.01)
            self._ready.set()
            await serving

        asyncio.run(main())

    def _on_loop(self, do: Callable[..., Awaitable[None]], *args: Any) -> None:
        async def run() -> None:
            await do(*args)

        assert self._loop
        asyncio.run_coroutine_threadsafe(run(), self._loop).result(5)

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._mqtt(scope, receive, send)
            return
        path: str = scope["path"]
        parts = path.strip("/").split("/")
        match parts:
            case [""]:
                await self._file(send, FILES.get("pages/join.html"))
            case ["static", *rest]:
                await self._file(send, FILES.get("/".join(rest)))
            case ["vendor", name]:
                await self._file(send, LIBRARIES.get(name))
            case ["games", name, "guide.json"]:
                guide = self.guides.get(name)
                await self._json(send, guide or {}, 200 if guide else 404)
            case ["games", name]:
                await self._json(send, self.labels.get(name.removesuffix(".json"), {}))
            case ["languages.json"]:
                await self._json(send, {"languages": dict(self.speech.names), "tables": dict(self.speech.tables)})
            case ["languages", *rest]:
                language, game = (*rest[-1:], "") if len(rest) == 1 else rest
                name, game = language.removesuffix(".json"), game.removesuffix(".json")
                found = self.speech.catalogue(name, game)
                await self._answer(send, found or b"{}", "application/json", 200 if found else 404)
            case ["code", name]:
                if name == f"{self.code}.json":
                    await self._json(send, {"table": TABLE, "k": self.k})
                else:
                    await self._json(send, {"error": "No table here has that code. Look at the screen again."}, 404)
            case ["t", _, "qr.svg"] | ["t", _, "bench", "panel", _]:
                await self._answer(send, QR.encode(), "image/svg+xml")
            case ["t", _, "events"]:
                await self._stream(receive, send, "events")
            case ["t", _, "screen", "events"]:
                await self._stream(receive, send, "screen")
            case ["t", _, "bench", "events"]:
                await self._stream(receive, send, "bench")
            case ["t", _, "events", _] | ["t", _, "changes.json"]:
                await self._json(send, self._happened(parts[-1].removesuffix(".json")))
            case ["t", _, "bench"] if scope["method"] == "POST":
                self.bench_asks.put(json.loads(await _body(receive)))
                await self._json(send, {})
            case ["t", _, "claim" | "help" as what]:
                await self._asked(send, what, await _body(receive))
            case ["t", _, "claim", sid]:
                await self._claim_state(send, self.claims.get(sid))
            case ["t", _, *rest] if "".join(rest) in PAGES:
                await self._file(send, FILES.get(f"pages/{PAGES[''.join(rest)]}"))
            case _:
                await self._json(send, {"error": "There is nothing here."}, 404)

    def _happened(self, what: str) -> dict[str, Any]:
        """Return the changes, else the events before that number."""
        if what == "changes":
            return {**self._match, "changes": self.changes}
        return {**self._match, "events": [one for one in self.events if one["n"] < int(what)][-100:], "stood_in": {}}

    async def _file(self, send: Send, file: StaticFile | None) -> None:
        if file is None:
            await self._json(send, {"error": "no such file"}, 404)
            return
        await self._answer(send, file.plain, file.content_type)

    async def _json(self, send: Send, what: Any, status: int = 200) -> None:
        await self._answer(send, json.dumps(what).encode(), "application/json", status)

    async def _answer(self, send: Send, body: bytes, kind: str, status: int = 200) -> None:
        headers = [
            (b"content-type", kind.encode()),
            (b"content-security-policy", CSP.encode()),
            (b"cache-control", b"no-cache"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _stream(self, receive: Receive, send: Send, name: str) -> None:
        events: asyncio.Queue[bytes] = asyncio.Queue()
        if name in self._last:
            events.put_nowait(self._last[name])
        self._streams[name].append(events)
        gone = asyncio.ensure_future(receive())
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        try:
            while True:
                got = asyncio.create_task(events.get())
                # The first receive() is the empty body, the second the disconnect.
                done, _ = await asyncio.wait({got, gone}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    beat = b"event: beat\ndata: 1\n\n"
                    await send({"type": "http.response.body", "body": beat, "more_body": True})
                if gone in done:
                    if gone.result()["type"] == "http.disconnect":
                        got.cancel()
                        return
                    gone = asyncio.ensure_future(receive())
                if got in done:
                    await send(
                        {"type": "http.response.body", "body": b"data: " + got.result() + b"\n\n", "more_body": True}
                    )
                else:
                    got.cancel()
        except asyncio.CancelledError:  # the hub stops
            return
        finally:
            gone.cancel()
            self._streams[name].remove(events)

    async def _asked(self, send: Send, what: str, body: bytes) -> None:
        """Take a claim, or a call for staff, of somebody without a seat."""
        if what == "claim":
            await self._claim(send, json.loads(body))
        else:
            self.calls += 1
            await self._json(send, {"called": True})

    async def _claim(self, send: Send, body: dict[str, Any]) -> None:
        pair = self.key.with_phone(encryption.from_base64(body["pk"]))
        asked = json.loads(pair.decrypt(encryption.from_base64(body["nonce"]) + encryption.from_base64(body["box"])))
        claim = Claim(f"sid{len(self.claims) + 1}", asked["seat"], pair, asked, body["pk"], held=self.press_at_once)
        with self._claimed:
            self.claims[claim.sid] = claim
            self._claimed.notify_all()
        await self._json(send, {"claim": claim.sid})

    async def _claim_state(self, send: Send, claim: Claim | None) -> None:
        if claim is None:
            await self._json(send, {"error": "That claim is over."}, 404)
        elif claim.refused:
            await self._json(send, {"state": "refused", "say": claim.refused})
        elif not claim.held:
            await self._json(send, {"state": "asked", "say": "Do what the box at the seat says."})
        else:
            login = {
                "sid": claim.sid,
                "user": claim.sid,
                "password": "pw",
                "hub": HUB,
                "table": TABLE,
                "seat": claim.seat,
            }
            letter = claim.pair.encrypt(json.dumps(login).encode(), messages.NOTE_SIZE)
            encrypted = {"nonce": encryption.to_base64(letter[:24]), "box": encryption.to_base64(letter[24:])}
            await self._json(send, {"state": "held", "say": "", **encrypted})

    # --- MQTT 3.1.1, as much of it as phones use --------------------------------------------------------

    def _topic(self, sid: str, what: str) -> str:
        return f"th/1/{HUB}/{TABLE}/seat/{sid}/{what}"

    async def _tell(self, topic: str, data: bytes, stream: str) -> None:
        if topic:
            self._retained[topic] = data
            for one in list(self._wires):
                if topic in one.topics:
                    await self._publish(one, topic, data)
            if not data:  # an empty message clears its topic
                self._retained.pop(topic, None)
        if stream:
            self._last[stream] = data
            for events in self._streams[stream]:
                events.put_nowait(data)

    async def _publish(self, one: Wire, topic: str, data: bytes, retained: bool = False) -> None:
        if self.deaf:
            return
        name = topic.encode()
        body = len(name).to_bytes(2, "big") + name + data
        await one.send({"type": "websocket.send", "bytes": bytes([0x30 | retained]) + _length(len(body)) + body})

    async def _mqtt(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept", "subprotocol": "mqtt"})
        one = Wire(_while_open(send))
        self._wires.append(one)
        self.connects += 1
        number = self.connects
        log.warning("Connection %d begins.", number)  # shown where a test fails
        buffer = b""
        while (said := await receive())["type"] == "websocket.receive":
            buffer += said.get("bytes") or b""
            while (frame := _frame(buffer)) is not None:
                head, body, buffer = frame
                if not self.deaf:
                    await self._packet(one, head, body)
        log.warning("Connection %d ends: %s", number, said)
        if one in self._wires:
            self._wires.remove(one)

    async def _packet(self, one: Wire, head: int, body: bytes) -> None:
        async def reply(data: bytes) -> None:
            await one.send({"type": "websocket.send", "bytes": data})

        match head >> 4:
            case 1:  # CONNECT: the client id is the user name
                size = int.from_bytes(body[10:12], "big")
                one.user = body[12 : 12 + size].decode()
                if one.user not in self.claims:
                    await one.send({"type": "websocket.close", "code": SEAT_GIVEN_BACK})
                else:
                    await reply(bytes([0x20, 2, 0, 5 if self.refuses_logins else 0]))
            case 3:  # PUBLISH
                size = int.from_bytes(body[:2], "big")
                topic, rest = body[2 : 2 + size].decode(), body[2 + size :]
                if head & 0x06:
                    await reply(bytes([0x40, 2]) + rest[:2])
                    rest = rest[2:]
                if topic.endswith("/act"):
                    await self._act(one, rest)
            case 8:  # SUBSCRIBE
                topics, at = [], 2
                while at < len(body):
                    size = int.from_bytes(body[at : at + 2], "big")
                    topics.append(body[at + 2 : at + 2 + size].decode())
                    at += 3 + size
                if self.mute:
                    await reply(bytes([0x90, 2 + len(topics)]) + body[:2] + bytes([0x80] * len(topics)))
                    return
                one.topics.update(topics)
                await reply(bytes([0x90, 2 + len(topics)]) + body[:2] + bytes([1] * len(topics)))
                for topic in topics:
                    if topic in self._retained:
                        await self._publish(one, topic, self._retained[topic], retained=True)
            case 12:
                await reply(bytes([0xD0, 0]))

    async def _act(self, one: Wire, letter: bytes) -> None:
        claim = self.claims[one.user]
        act = messages.read_act(claim.pair.decrypt(letter))
        said = {
            "sid": claim.sid,
            "seat": claim.seat,
            "id": act.id,
            "n": act.n,
            "epoch": act.epoch,
            "number": act.number,
        }
        said |= {"verb": act.verb, "args": act.args}
        self.sent.put(said)
        if act.id in self._answers:  # sent again before the answer had come, and done once, as by the hub
            answer: dict[str, Any] | None = self._answers[act.id]
        else:
            if act.id not in self._asked_ids:  # a page sends a request again until it is answered
                self._asked_ids.add(act.id)
                self.asks.put(said)
            answer = self.answer(said)
        if answer is not None:
            self._answers[act.id] = answer
            encrypted = claim.pair.encrypt(
                messages.to_bytes(msgspec.convert({"re": act.id, **answer}, Ack)), messages.NOTE_SIZE
            )
            await self._publish(one, self._topic(claim.sid, "ack"), encrypted)


def _length(size: int) -> bytes:
    out = b""
    while True:
        size, low = divmod(size, 128)
        out += bytes([low | (0x80 if size else 0)])
        if not size:
            return out


def _while_open(send: Send) -> Send:
    """Return what sends as long as the page is there: one that is closing hears no more."""

    async def sent(message: Any) -> None:
        with suppress(ClientDisconnected):
            await send(message)

    return sent


def _frame(buffer: bytes) -> tuple[int, bytes, bytes] | None:
    """The first whole packet: its head, its body, and what follows."""
    size, shift, at = 0, 0, 1
    while True:
        if at >= len(buffer):
            return None
        size |= (buffer[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not buffer[at - 1] & 0x80:
            break
    if len(buffer) < at + size:
        return None
    return buffer[0], buffer[at : at + size], buffer[at + size :]


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        part = await receive()
        body += part.get("body", b"")
        if not part.get("more_body"):
            return body


QR = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#fff"/>'
    '<path d="M1 1h2v2h-2zM5 1h2v2h-2zM1 5h2v2h-2zM4 4h1v1h-1zM6 6h1v1h-1z"/></svg>'
)
