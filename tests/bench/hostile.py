"""Honest phones while others do their worst, measured: `python -m tests.bench.hostile [seconds] [attack ...]`.

A whole hub in a process of its own (real broker, its own limits, a disk whose every write takes 20 ms longer, as an SD
card's). Five phones play I Bid You Not and ask; each answer is timed from the first sending of its request, which is sent
again after 1.5 s, as pages do. Beside them one phone that holds the sixth seat, or a hundred strangers, do their worst in
turn, from addresses and a process of their own; while strangers do, the sixth seat plays fairly. No phone here is on the hub's own machine, as far as the hub can see.

The program ends with 1 where fewer than 99 of 100 answers came within a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from multiprocessing.connection import Connection
from random import Random
from typing import Any, NamedTuple

from websockets.exceptions import ConnectionClosed

from hub.app import Hub
from hub.config import Config, DevicePart, HubPart, TablePart, WebPart
from hub.operations.diagnostics import configure_logging
from hub.store import Store
from tests.bench.fanout import b64, next_request, public, sit
from tests.bench.transport import LightPhone, memory, packet, text
from tests.phone_ui.rig import Keys, Seat

SEATS, GAME = 6, "i-bid-you-not"  # no dice: a match would wait for somebody to roll them
HONEST = [f"127.0.0.{20 + seat}" for seat in range(1, SEATS)]
SEATED = "127.0.0.66"
STRANGERS = [f"127.0.1.{number}" for number in range(1, 101)]
FLUSH = 0.02  # seconds that a write takes longer than this machine's
ASK_AGAIN, GIVE_UP = 1.5, 8.0  # seconds, as in phone_ui/static/lib/link.js
MOVE_EVERY, ASK_EVERY, PAGE_EVERY = 0.15, 0.25, 0.5
BOUND = 1.0


# --- the hub's process -----------------------------------------------------------------------------------


def hub_process(folder: str, pipe: Connection) -> None:
    """Run a hub until the bench has seen enough."""
    configure_logging("critical")
    written = Store._transaction

    @contextmanager
    def slow(self: Store) -> Iterator[Any]:
        with written(self) as db:
            yield db
            time.sleep(FLUSH)

    Store._transaction = slow  # type: ignore[method-assign]
    config = Config(
        hub=HubPart(state=folder),
        web=WebPart("127.0.0.1", 0),
        table=(TablePart("1", "Bench", SEATS, GAME),),
        device=(DevicePart("simulated", "1", "bench", {"seats": SEATS}),),
    )
    with Hub(config) as hub:
        hub.start()
        assert hub.web
        assert hub.broker.up.wait(30)
        pipe.send((hub.web.port, hub.key.public, hub.broker.pid or 0))
        pipe.recv()


# --- honest phones ---------------------------------------------------------------------------------------


class Figures:
    """What honest phones met with."""

    def __init__(self) -> None:
        self.answers: list[float] = []  # seconds
        self.pages: list[float] = []
        self.lost = 0  # connections


class Honest:
    """A phone that plays and asks, connects again when it was cut off, and times its answers."""

    def __init__(self, port: int, seat: Seat, number: int) -> None:
        self.port, self.seat, self.number = port, seat, number
        self.hand: dict[str, Any] = {}
        self.n = 0
        self.phone: LightPhone | None = None
        self.figures = Figures()
        self.waiting: dict[tuple[str, str], float] = {}  # what is under way, and since when
        self._open: dict[str, asyncio.Future[None]] = {}

    async def follow(self) -> None:
        """Stay connected, and read."""
        while True:
            with contextlib.suppress(OSError, ConnectionClosed, TimeoutError, AssertionError):
                async with asyncio.timeout(GIVE_UP):
                    self.phone, _ = await LightPhone.log_in(self.port, self.seat, HONEST[self.number - 1])
                while True:
                    kind, content = await self.phone.letter()
                    if kind == "hand":
                        self.hand = content
                    elif (waiting := self._open.get(content["re"])) and not waiting.done():
                        waiting.set_result(None)
            self.phone = None
            self.figures.lost += 1
            await asyncio.sleep(0.5)

    async def ask(self, verb: str, args: dict[str, Any]) -> None:
        """Ask for something and time the answer, whatever it says."""
        self.n += 1
        name = f"{self.n:016x}"
        request = {
            "v": 1, "id": name, "n": self.n, "epoch": self.hand["epoch"], "number": self.hand.get("number"),
            "verb": verb, "args": args,
        }  # fmt: skip
        topic = text(f"th/1/hub/1/seat/{self.seat.sid}/act".encode())
        answered = self._open[name] = asyncio.get_running_loop().create_future()
        began = self.waiting["answers", name] = time.perf_counter()
        while not answered.done() and time.perf_counter() - began < GIVE_UP:
            if self.phone is not None:
                with contextlib.suppress(ConnectionClosed, OSError):
                    await self.phone.pipe.send(packet(0x30, topic + self.seat.keys.encrypt(request)))
            await asyncio.wait([answered], timeout=ASK_AGAIN)
        self.figures.answers.append(time.perf_counter() - began)
        del self._open[name]
        del self.waiting["answers", name]

    async def keep_asking(self) -> None:
        """Ask for what is refused, again and again, at a quick person's pace."""
        await asyncio.sleep(self.number * ASK_EVERY / SEATS)
        while True:
            await self.ask("acknowledge", {"key": "none"})
            await asyncio.sleep(ASK_EVERY)

    async def keep_loading(self) -> None:
        """Load a page, again and again."""
        while True:
            began = self.waiting["pages", ""] = time.perf_counter()
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(GIVE_UP):
                    await get(self.port, HONEST[self.number - 1], "/t/1")
            self.figures.pages.append(time.perf_counter() - began)
            del self.waiting["pages", ""]
            await asyncio.sleep(PAGE_EVERY)


async def get(port: int, address: str, path: str) -> None:
    """Load a page from that address. Raise OSError where it does not come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        if not (await reader.read()).startswith(b"HTTP/1.1 200"):
            raise OSError("no page")
    finally:
        writer.close()


async def play(phones: list[Honest]) -> None:
    """Play, a move after the other."""
    random = Random(1)
    while True:
        player, verb, args = next_request(phones, random)  # type: ignore[arg-type]
        await player.ask(verb, args)
        await asyncio.sleep(MOVE_EVERY)


# --- what is done to them --------------------------------------------------------------------------------


def frame(head: int, payload: bytes = b"") -> bytes:
    """Return one masked WebSocket frame, its mask zero (RFC 6455, section 5.2)."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return bytes([head]) + length + b"\0\0\0\0" + payload


UPGRADE = (
    b"GET /mqtt HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
)


class Attacker:
    """One connection after the other from an address, and what is sent over each."""

    def __init__(self, port: int, hub_key: bytes, address: str, seat: Seat | None = None, epoch: int = 0) -> None:
        self.port, self.hub_key, self.address, self.seat, self.epoch = port, hub_key, address, seat, epoch
        self.n = 0

    async def again_and_again(self, attack: Attack) -> None:
        """Open a connection, attack, and come back at once when it is over."""
        while True:
            writer = None
            try:
                with contextlib.suppress(OSError, TimeoutError, ConnectionClosed):
                    async with asyncio.timeout(20):
                        reader, writer = await asyncio.open_connection(
                            "127.0.0.1", self.port, local_addr=(self.address, 0), limit=4096
                        )
                        await attack(self, reader, writer)
            finally:
                if writer is not None:
                    writer.transport.abort()
            await asyncio.sleep(0.02)

    async def upgrade(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Make it a WebSocket. Raise OSError where the hub does not."""
        writer.write(UPGRADE)
        if b" 101 " not in await reader.readline():
            raise OSError("no pipe")

    @asynccontextmanager
    async def logged_in(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> AsyncIterator[asyncio.Task[None]]:
        """Log in with the seat's login; what the hub sends inside is read and thrown away."""
        assert self.seat
        await self.upgrade(reader, writer)
        sid = self.seat.sid.encode()
        body = text(b"MQTT") + b"\x04\xc2\x00\x3c" + text(sid) + text(sid) + text(self.seat.password.encode())
        writer.write(frame(0x82, packet(0x10, body)))
        async with draining(reader) as reading:
            await asyncio.sleep(0.05)
            yield reading

    def topic(self, end: str) -> bytes:
        assert self.seat
        return text(f"th/1/hub/1/seat/{self.seat.sid}/{end}".encode())


async def _drain(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(OSError):
        while await reader.read(65536):
            pass


@asynccontextmanager
async def draining(reader: asyncio.StreamReader) -> AsyncIterator[asyncio.Task[None]]:
    """Read what comes inside, and throw it away. The task is done once the connection has ended."""
    reading = asyncio.create_task(_drain(reader))
    try:
        yield reading
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


Attack = Callable[[Attacker, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def seated(frames: Callable[[Attacker], bytes], pause: float = 0.0) -> Attack:
    """Return an attack over a logged-in pipe: these frames, as fast as they are taken or with a pause between."""

    async def attack(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with self.logged_in(reader, writer) as reading:
            while not reading.done():
                writer.write(frames(self))
                await writer.drain()
                await asyncio.sleep(pause)

    return attack


def small_messages(self: Attacker) -> bytes:
    packets = b""
    for number in range(1, 41):
        body = self.topic("act") + (number.to_bytes(2, "big") if number % 2 else b"") + b"x"
        packets += packet(0x32 if number % 2 else 0x30, body)
    return frame(0x82, packets)


def some_messages(self: Attacker) -> bytes:
    body = self.topic("act")
    return frame(0x82, packet(0x30, body + b"x") + packet(0x32, body + b"\0\1x"))


def pings(_self: Attacker) -> bytes:
    return frame(0x89) * 200 + frame(0x02) + frame(0x00) * 200


def some_pings(_self: Attacker) -> bytes:
    return frame(0x89)


def comings(self: Attacker) -> bytes:
    topic = self.topic("online")
    return frame(0x82, packet(0x31, topic + b"here")) + frame(0x82, packet(0x31, topic))


def names(self: Attacker) -> bytes:
    assert self.seat
    self.n += 1
    request = {
        "v": 1, "id": f"{self.n:016x}", "n": time.time_ns() // 1000, "epoch": self.epoch, "number": None,
        "verb": "name", "args": {"name": f"Name {self.n}"},
    }  # fmt: skip
    return frame(0x82, packet(0x30, self.topic("act") + self.seat.keys.encrypt(request)))


def subscriptions(self: Attacker) -> bytes:
    self.n += 1
    topics = b"".join(text(f"$share/{self.n}-{one}/th/1/hub/1/pub/state".encode()) + b"\0" for one in range(8))
    return frame(0x82, packet(0x82, b"\0\1" + text(b"th/1/hub/1/pub/state") + b"\0" + topics))


class Playing:
    """A seat that plays: each legal move as soon as it is asked, else one that is refused; each taken back, if wanted."""

    def __init__(self, pause: float, *, undoes: bool, only_legal: bool = False) -> None:
        self.pause, self.undoes, self.only_legal = pause, undoes, only_legal
        self.hand: dict[str, Any] = {}

    async def __call__(self, who: Attacker, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()  # a phone makes a connection of its own
        assert who.seat
        phone, _ = await LightPhone.log_in(who.port, who.seat, who.address)
        reading, random = asyncio.create_task(self._read(phone)), Random()
        topic = text(f"th/1/hub/1/seat/{who.seat.sid}/act".encode())
        try:
            while not reading.done():
                for verb, args in self._requests(random):
                    who.n += 1
                    request = {
                        "v": 1, "id": f"{who.n:016x}", "n": time.time_ns() // 1000, "epoch": self.hand.get("epoch", 0),
                        "number": self.hand.get("number"), "verb": verb, "args": args,
                    }  # fmt: skip
                    await phone.pipe.send(packet(0x30, topic + who.seat.keys.encrypt(request)))
                    await asyncio.sleep(self.pause)
                await asyncio.sleep(self.pause)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            phone.pipe.transport.abort()

    async def _read(self, phone: LightPhone) -> None:
        while True:
            kind, content = await phone.letter()
            if kind == "hand":
                # What is locked in may be chosen anew until the last seat has locked: each time the disk has it.
                self.hand = content if self.only_legal else {**content, "locked": None}

    def _requests(self, random: Random) -> list[tuple[str, dict[str, Any]]]:
        _, verb, args = next_request([self], random)  # type: ignore[list-item]
        if verb == "again":  # nothing is asked of this seat
            return [] if self.only_legal else [("act", {"move": "none"}), ("undo", {})]
        return [(verb, args), *([("undo", {})] if self.undoes else [])]


EVENING: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "asks": [("ask", {"what": "put_aside"}), ("ask", {"what": "end"})],
    "votes": [("ask", {"what": "end"}), ("vote", {"say": "yes"}), ("vote", {"say": "no"})],
    "pauses": [("pause", {})],
    "wishes": [("wish", {"game": GAME}), ("wish", {"game": "bid-it"})],
    "readies": [("ready", {"ready": True}), ("ready", {"ready": False})],
    "take-ups": [("take_up", {"match": "m-1"})],
    "frees": [("free", {"seat": 1}), ("free", {"seat": 2})],
}
"""What a seat may ask about the match as a whole, by the name of its run."""


class Deciding(Playing):
    """A seat that asks such things, and nothing else; only what some moments allow is ever done."""

    def __init__(self, pause: float, requests: list[tuple[str, dict[str, Any]]]) -> None:
        super().__init__(pause, undoes=False)
        self.requests = requests

    def _requests(self, random: Random) -> list[tuple[str, dict[str, Any]]]:
        return self.requests


async def captured_login(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Log in as the sixth phone, whose login somebody has recorded, and ask the evening's questions without its key."""
    assert self.seat
    keys, topic = Keys(self.hub_key), self.topic("act")
    async with self.logged_in(reader, writer) as reading:
        while not reading.done():
            for verb, args in (one for some in EVENING.values() for one in some):
                self.n += 1
                request = {
                    "v": 1, "id": f"{self.n:016x}", "n": time.time_ns() // 1000, "epoch": self.epoch, "number": None,
                    "verb": verb, "args": args,
                }  # fmt: skip
                writer.write(frame(0x82, packet(0x30, topic + keys.encrypt(request))))
                await writer.drain()
            await asyncio.sleep(0.05)


async def staff_log_ins(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    keys = Keys(self.hub_key)
    while True:
        letter = keys.encrypt({"pin": f"{Random().randrange(10**6):06}", "browser": ""})
        body = json.dumps({"pk": b64(keys.public), "nonce": b64(letter[:24]), "box": b64(letter[24:])})
        head = f"POST /staff/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write((head + body).encode())
        await writer.drain()
        answer = await reader.readline()
        if not answer:
            raise OSError("closed")
        assert b" 403 " in answer or b" 429 " in answer, (
            answer
        )  # a wrong PIN, or too many of them: never a broken request
        await reader.read(2000)


async def idle_streams(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"GET /t/1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    await _closed(reader)


async def half_open(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    if Random().random() < 0.5:
        await self.upgrade(reader, writer)
    else:
        writer.write(b"GET /t/1 HTTP/1.1\r\nHost: 127")
    await _closed(reader)


async def _closed(reader: asyncio.StreamReader) -> None:
    """Wait for the end of a connection whose words nobody reads."""
    while not reader.at_eof():
        await asyncio.sleep(0.1)


async def slow_bodies(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"POST /t/1/claim HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 400\r\n\r\n{")
    while not reader.at_eof():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.2)


async def wrong_codes(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    keys = Keys(self.hub_key)
    while True:
        letter = keys.encrypt({"seat": 1, "code": "".join(Random().choices("BCDFGH", k=6)), "name": "x"})
        parts = {"seat": 1, "pk": b64(keys.public), "nonce": b64(letter[:24]), "box": b64(letter[24:])}
        body = json.dumps(parts)
        head = f"POST /t/1/claim HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write((head + body).encode())
        await writer.drain()
        if not await reader.readline():
            raise OSError("closed")
        await reader.read(2000)


async def unseated_pings(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await self.upgrade(reader, writer)
    async with draining(reader) as reading:
        while not reading.done():
            writer.write(pings(self))
            await writer.drain()
            await asyncio.sleep(0)


async def empty_frames(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await self.upgrade(reader, writer)
    async with draining(reader) as reading:
        while not reading.done():
            writer.write(frame(0x82) * 5000)
            await writer.drain()
            await asyncio.sleep(0)


async def wrong_log_ins(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await self.upgrade(reader, writer)
    name = text(os.urandom(6).hex().encode())  # noqa: TID251 - any bytes do
    writer.write(frame(0x82, packet(0x10, text(b"MQTT") + b"\x04\xc2\x00\x3c" + name * 3)))
    await _drain(reader)


async def pages(self: Attacker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"GET /t/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 4)
        await writer.drain()
        if not await reader.read(65536):
            raise OSError("closed")


class Worst(NamedTuple):
    """What is done in one run: by the phone with the seat, and by each stranger in turn."""

    seated: tuple[Attack, ...] = ()
    strangers: tuple[Attack, ...] = ()


FAIR = Playing(0.3, undoes=False, only_legal=True)
BY_SEAT: dict[str, Attack] = {
    "acts": Playing(0.005, undoes=False),
    "just allowed acts": Playing(0.11, undoes=False),
    "acts and undos": Playing(0.005, undoes=True),
    "just allowed undos": Playing(0.11, undoes=True),
    "small messages": seated(small_messages),
    "just allowed messages": seated(some_messages, 0.04),
    "pings and fragments": seated(pings),
    "just allowed pings": seated(some_pings, 0.06),
    "coming and going": seated(comings, 0.04),
    "names": seated(names, 0.01),
    "subscriptions": seated(subscriptions, 0.02),
    **{name: Deciding(0.01, requests) for name, requests in EVENING.items()},
    "just allowed questions": Deciding(0.11, [one for some in EVENING.values() for one in some]),
}
BY_STRANGERS: dict[str, Attack] = {
    "idle streams": idle_streams,
    "half-open": half_open,
    "slow bodies": slow_bodies,
    "wrong codes": wrong_codes,
    "strangers' pings": unseated_pings,
    "empty frames": empty_frames,
    "wrong log-ins": wrong_log_ins,
    "pages": pages,
    "captured login": captured_login,
    "staff log-ins": staff_log_ins,
}
ATTACKS: dict[str, Worst] = {
    "quiet": Worst((FAIR,)),
    **{name: Worst((attack,)) for name, attack in BY_SEAT.items()},
    **{name: Worst((FAIR,), (attack,)) for name, attack in BY_STRANGERS.items()},
    "all at once": Worst((BY_SEAT["just allowed undos"],), tuple(BY_STRANGERS.values())),
}


def attackers_process(port: int, hub_key: bytes, seat: tuple[str, str, bytes], epoch: int, pipe: Connection) -> None:
    """Attack as told, until told otherwise."""
    os.nice(19)  # they have computers of their own: what they burn here is not the hub's
    holder = Seat(seat[0], seat[1], Keys(hub_key, seat[2]))

    async def run() -> None:
        while name := await asyncio.to_thread(pipe.recv):
            worst = ATTACKS[name]
            tasks = [
                asyncio.create_task(Attacker(port, hub_key, SEATED, holder, epoch).again_and_again(attack))
                for attack in worst.seated
            ]
            for number, address in enumerate(STRANGERS if worst.strangers else ()):
                attack = worst.strangers[number % len(worst.strangers)]
                stranger = Attacker(port, hub_key, address, holder if attack is captured_login else None, epoch)
                tasks += [asyncio.create_task(stranger.again_and_again(attack)) for _ in range(4)]
            pipe.send("")
            await asyncio.to_thread(pipe.recv)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            pipe.send("")

    asyncio.run(run())


# --- the bench -------------------------------------------------------------------------------------------


def at(values: list[float], share: float) -> float:
    """Return the value below which that share of sorted values lies."""
    return values[min(len(values) - 1, int(share * len(values)))]


def row(name: str, figures: Figures, growth: tuple[float, float]) -> tuple[str, bool]:
    """Return the line of one run, and whether its answers came in time."""
    answers, pages = sorted(figures.answers), sorted(figures.pages)
    in_time = at(answers, 0.99) < BOUND
    return (
        f"{name:24}{at(answers, 0.5) * 1000:9.0f}{at(answers, 0.99) * 1000:9.0f}{answers[-1] * 1000:9.0f}"
        f"{len(answers):6}{at(pages, 0.99) * 1000:9.0f}{figures.lost:6}{growth[0]:+8.1f}{growth[1]:+8.1f}"
        f"   {'yes' if in_time else 'NO'}"
    ), in_time


async def measure(
    port: int, seats: list[Seat], seconds: float, wanted: list[str], attackers: Connection, processes: tuple[int, int]
) -> bool:
    """Run the attacks one after the other; whether all honest phones were answered in time."""
    phones = [Honest(port, seat, number) for number, seat in enumerate(seats, 1)]
    tasks = [asyncio.create_task(phone.follow()) for phone in phones]
    while not all(phone.hand for phone in phones):
        await asyncio.sleep(0.05)
    for phone in phones[1:]:
        await phone.ask("ready", {"ready": True})
    await phones[0].ask("start", {"game": GAME, "options": {}})
    tasks += [asyncio.create_task(phone.keep_asking()) for phone in phones]
    tasks += [asyncio.create_task(phone.keep_loading()) for phone in phones[:1]]
    tasks.append(asyncio.create_task(play(phones)))
    fine = True
    print(
        f"{'honest answers, ms':24}{'p50':>9}{'p99':>9}{'max':>9}{'n':>6}{'page p99':>9}{'lost':>6}"
        f"{'hub MB':>8}{'broker':>8}   p99 < 1 s"
    )
    for name in wanted:
        before = [memory(pid) for pid in processes]
        attackers.send(name)
        await asyncio.to_thread(attackers.recv)
        figures = Figures()
        for phone in phones:
            phone.figures = figures
        await asyncio.sleep(seconds)
        growth = tuple(memory(pid) - was for pid, was in zip(processes, before, strict=True))
        for phone in phones:
            phone.figures = Figures()
            for (kind, _), since in phone.waiting.items():  # not answered yet: so long at least
                getattr(figures, kind).append(time.perf_counter() - since)
        line, in_time = row(name, figures, growth)  # type: ignore[arg-type]
        print(line, flush=True)
        fine = fine and in_time
        attackers.send("")
        await asyncio.to_thread(attackers.recv)
        await asyncio.sleep(1.0)
    attackers.send("")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return fine


def main(seconds: float = 8.0, *wanted: str) -> int:
    """Measure and print; 1 where honest phones waited too long."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        here, there = context.Pipe()
        hub = context.Process(target=hub_process, args=(folder, there), daemon=True)
        hub.start()
        assert here.poll(30), "the hub has not started"
        port, key, broker = here.recv()
        codes = public(port)["claim_codes"]
        seats = [sit(port, key, seat, codes[str(seat)]) for seat in range(1, SEATS)]
        evil = sit(port, key, SEATS, codes[str(SEATS)])
        ours, theirs = context.Pipe()
        holder = evil.sid, evil.password, evil.keys.secret
        attackers = context.Process(
            target=attackers_process, args=(port, key, holder, public(port)["epoch"] + 1, theirs), daemon=True
        )
        attackers.start()
        fine = asyncio.run(measure(port, seats, seconds, list(wanted) or list(ATTACKS), ours, (hub.pid or 0, broker)))
        attackers.join(10)
        here.send("end")
        hub.join(20)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 8.0, *sys.argv[2:]))
