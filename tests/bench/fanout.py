"""From a seat to the whole table, measured: `python -m tests.bench.fanout [actions]`.

A whole hub in a process of its own (real broker, record on disk, encryption, panels) plays Goofspiel with six phones, which
speak MQTT over WebSocket as pages do, and six seat boxes: the firmware in CPython in a process of its own, as boxes have computers
of their own, on ptys. An action is over when the phone that acted has its answer and all six have opened a hand at least as new.

The servers of boardgame.io and Colyseus do the same beside us, the same Goofspiel with six clients of their own kind: over when
all six hold the new state. They keep their matches in memory only and encrypt nothing. All take turns, a block of actions each;
all sides' clients are bare JavaScript, in one process each. Then the same seats are played by bare clients in Python, and alone:
what the language of a client costs. At the start boxes lock, and their rings are watched. At the end another hub plays The Big
Idea, the game of ours whose state is largest, alone.
"""

from __future__ import annotations

import asyncio
import base64
import json
import multiprocessing
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, NamedTuple

from drivers.simulated.seat_box import SimBox
from hub.app import Hub
from hub.config import Config, DevicePart, HubPart, TablePart, WebPart
from hub.operations.diagnostics import configure_logging
from hub.ports import MonotonicClock
from phone_ui import javascript
from tests.bench.figures import note
from tests.bench.peer import Absent, Peer, Program
from tests.bench.transport import UNLIMITED, LightPhone, cpu, memory, packet, text
from tests.complete_states import read_state
from tests.phone_ui.rig import Keys, Seat
from tests.random_client import value

SEATS, WARM, BLOCK, LOCKS = 6, 50, 50, 100
AFTER = 10**9  # numbers of requests of the phones in Python: higher than those in JavaScript have come to
GAME, OPTIONS, LARGEST = "goofspiel", {"tie": "discard"}, "big-idea"
PEERS = {"boardgame.io": "", "Colyseus": "colyseus/"}
"""Where the scripts of each are, in `tests/bench/peers`."""


# --- the hub's process -----------------------------------------------------------------------------------


@contextmanager
def a_hub(folder: str, pipe: Connection, *devices: DevicePart) -> Iterator[Hub]:
    """A hub with devices at a table of six. Its port, its public key and its broker's process go into the pipe."""
    configure_logging("error")
    config = Config(
        hub=HubPart(state=folder),
        web=WebPart("127.0.0.1", 0),
        table=(TablePart("1", "Bench", SEATS, GAME, pitch_seconds=0),),
        device=devices,
    )
    with Hub(config, limits=UNLIMITED) as hub:
        hub.start()
        assert hub.web
        assert hub.broker.up.wait(30), "the broker has not started"
        pipe.send((hub.web.port, hub.key.public, hub.broker.pid or 0))
        yield hub


def hub_process(folder: str, ports: Sequence[str], pipe: Connection) -> None:
    """Run a hub with boxes at these ports, dice and panels until the bench has seen enough."""
    boxes = DevicePart("button_box", "1", "boxes", {"ports": list(ports)})
    panels = DevicePart("simulated", "1", "panels", {"seats": 0})
    with a_hub(folder, pipe, boxes, panels) as hub:
        pipe.recv()
        pipe.send((memory("self"), memory(hub.broker.pid or 0)))


# --- the boxes' process ----------------------------------------------------------------------------------


class SeatBoxes:
    """Six seat boxes on ptys, and the hands that press them."""

    def __init__(self, folder: Path) -> None:
        self.changed = threading.Condition()
        self.boxes = [
            SimBox(f"bench-{seat}", folder / f"box-{seat}", MonotonicClock(), self._change)
            for seat in range(1, SEATS + 1)
        ]
        for box in self.boxes:
            box.start()

    @property
    def ports(self) -> list[str]:
        """Where the hub finds them."""
        return [str(box.port) for box in self.boxes]

    def _change(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def _until(self, pattern: str) -> None:
        """Wait until the ring of the first box shows a pattern."""

        def shown() -> bool:
            lamps = self.boxes[0].state()["lamps"]
            return bool(lamps) and lamps["pattern"] == pattern

        with self.changed:
            assert self.changed.wait_for(shown, 10), f"the ring does not show {pattern}"

    def locks(self) -> list[float]:
        """Milliseconds from the push of a box in a sealed round to its own ring showing the lock."""
        took = []
        for _ in range(LOCKS):
            self._until("choosing")
            began = time.perf_counter()
            self.boxes[0].press("push")
            self._until("locked")
            took.append((time.perf_counter() - began) * 1000)
            self.boxes[0].press("bar")
        self._until("choosing")
        return took


def boxes_process(folder: str, pipe: Connection) -> None:
    """Run the boxes: asked for a number, press the first key of that box; asked for "locks", measure them."""
    boxes = SeatBoxes(Path(folder))
    pipe.send(boxes.ports)
    while (asked := pipe.recv()) != "end":
        if asked == "locks":
            pipe.send(boxes.locks())
        else:
            boxes.boxes[asked - 1].press("k1")


# --- the phones ------------------------------------------------------------------------------------------


def fetch(port: int, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    data = json.dumps(body).encode() if body else None
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=5) as answer:
        stats: dict[str, Any] = json.load(answer)
        return stats


def public(port: int, table: str = "1") -> dict[str, Any]:
    """The newest public state."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/t/{table}/screen/events", timeout=5) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                return read_state(line[6:])
    raise AssertionError("no state")


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sit(port: int, hub_key: bytes, seat: int, code: str, table: str = "1") -> Seat:
    """Take a seat as a page does: an encrypted claim, then the encrypted login."""
    keys = Keys(hub_key)
    letter = keys.encrypt({"seat": seat, "code": code, "name": f"Guest {seat}"})
    claim = fetch(
        port,
        f"/t/{table}/claim",
        {"seat": seat, "pk": b64(keys.public), "nonce": b64(letter[:24]), "box": b64(letter[24:])},
    )
    for _ in range(100):
        claimed = fetch(port, f"/t/{table}/claim/{claim['claim']}")
        if claimed["state"] == "held":
            login = keys.decrypt(unb64(claimed["nonce"]) + unb64(claimed["box"]))
            return Seat(login["sid"], login["password"], keys)
        assert claimed["state"] == "asked", claimed
        time.sleep(0.05)
    raise AssertionError("the seat was not given")


class Player:
    """A phone with the newest hand it has opened."""

    def __init__(self, phone: LightPhone, number: int) -> None:
        self.phone, self.number = phone, number
        self.n = AFTER  # the same login has asked from elsewhere before
        self.hand: dict[str, Any] = {}

    async def ask(self, verb: str, args: dict[str, Any]) -> str:
        self.n += 1
        name = f"{self.n:016x}"
        act_request = {
            "v": 1, "id": name, "n": self.n, "epoch": self.hand["epoch"], "number": self.hand.get("number"),
            "verb": verb, "args": args,
        }  # fmt: skip
        topic = text(f"th/1/hub/1/seat/{self.phone.seat.sid}/act".encode())
        letter = topic + (self.n % 65535 + 1).to_bytes(2, "big") + self.phone.seat.keys.encrypt(act_request)
        await self.phone.pipe.send(packet(0x32, letter))
        return name

    async def answer(self, name: str) -> int:
        """The picture that an accepted request led to."""
        while True:
            kind, content = await self.read()
            if kind == "ack" and content["re"] == name:
                assert content["ok"], content
                return int(content["seq"])

    async def read(self) -> tuple[str, dict[str, Any]]:
        kind, content = await self.phone.letter()
        if kind == "hand":
            self.hand = content
        return kind, content

    async def see(self, seq: int) -> None:
        """Until its hand is at least so new."""
        while self.hand.get("seq", -1) < seq:
            await self.read()


def next_request(players: list[Player], random: Random) -> tuple[Player, str, dict[str, Any]]:
    """Somebody's legal request, told from the hands alone."""
    for player in players:
        if faces := player.hand.get("faces"):
            return player, "roll", {"faces": [random.randint(1, faces["sides"]) for _ in range(faces["count"])]}
    for player in players:
        if player.hand.get("moves") and not player.hand.get("locked"):
            move = random.choice(player.hand["moves"])
            args = {key: value(param, random) for key, param in move.items() if key not in ("move", "standing")}
            return player, "act", {"move": move["move"], **args}
    return players[0], "again", {}


async def step(players: list[Player], request: tuple[Player, str, dict[str, Any]]) -> float:
    """One request, until everybody has seen what came of it; milliseconds."""
    player, verb, args = request
    began = time.perf_counter()
    name = await player.ask(verb, args)
    seq = await player.answer(name)
    await asyncio.gather(*(one.see(seq) for one in players))
    return (time.perf_counter() - began) * 1000


class Phones:
    """Six phones at our hub."""

    def __init__(self, port: int, players: list[Player]) -> None:
        self.port, self.players, self.random = port, players, Random(1)

    @classmethod
    async def sit_down(cls, port: int, seats: list[Seat], seq: int) -> Phones:
        """Log in to a match that goes on, and see that state."""
        phones = cls(port, [Player((await LightPhone.log_in(port, seat))[0], n) for n, seat in enumerate(seats, 1)])
        await phones.see(seq)
        return phones

    async def see(self, seq: int) -> None:
        await asyncio.gather(*(player.see(seq) for player in self.players))

    async def move(self, count: int) -> list[float]:
        """So many legal actions, one after another; milliseconds."""
        took: list[float] = []
        while len(took) < count:
            request = next_request(self.players, self.random)
            if request[1] == "again":  # begins at once where all others are ready
                for player in self.players[1:]:
                    await step(self.players, (player, "ready", {"ready": True}))
                await step(self.players, request)
            else:
                took.append(await step(self.players, request))
        return took


class Running(NamedTuple):
    """A whole hub with six phones that have logged in, and its boxes: processes of their own."""

    port: int
    key: bytes
    seats: list[Seat]
    phones: Program
    hub: Connection
    boxes: Connection
    processes: dict[str, int]


@contextmanager
def running() -> Iterator[Running]:
    """Run a hub with everything, and let six people sit down."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:

        def run(program: Callable[..., None], *given: object) -> tuple[Connection, int]:
            here, there = context.Pipe()
            process = context.Process(target=program, args=(folder, *given, there), daemon=True)
            process.start()
            ending.callback(process.join, 10)
            assert here.poll(30), f"{program.__name__} has not started"
            return here, process.pid or 0

        boxes, boxes_pid = run(boxes_process)
        ending.callback(boxes.send, "end")
        hub, hub_pid = run(hub_process, boxes.recv())
        port, key, broker = hub.recv()
        for seat in range(1, SEATS + 1):  # "press the box for seat 1"
            time.sleep(0.3)
            boxes.send(seat)
            until_there(port, seat)
        codes = public(port)["claim_codes"]
        seats = [sit(port, key, seat, codes[str(seat)]) for seat in range(1, SEATS + 1)]
        phones = ending.enter_context(Program([javascript.node(), "phones.js"]))
        told = [{"sid": one.sid, "password": one.password, "secret": b64(one.keys.secret)} for one in seats]
        phones.ask(port=port, key=b64(key), table="1", seats=told)
        processes = {"our hub": hub_pid, "its broker": broker, "six boxes": boxes_pid, "six phones": phones.pid}
        yield Running(port, key, seats, phones, hub, boxes, processes)


def until_there(port: int, count: int) -> None:
    """Until so many boxes have a seat."""
    end = time.monotonic() + 20
    while sum(seat["box"] == "on" for seat in public(port)["seats"]) < count:
        assert time.monotonic() < end, f"the box of seat {count} is not there"
        time.sleep(0.05)


class Measured(NamedTuple):
    """Milliseconds: our moves, the peers' in the same blocks, moves by phones in Python, boxes' locks; CPU for a move."""

    ours: list[float]
    theirs: dict[str, list[float]]
    python: list[float]
    pressed: list[float]
    cpu: dict[str, float]
    rss: tuple[float, float]


def measure(actions: int) -> Measured:
    """Boxes first, then moves: ours and the peers' in turn; then ours alone, by phones in Python."""
    with running() as ours, ExitStack() as ending:
        processes = dict(ours.processes)
        peers = beside(ending, processes)
        ours.phones.ask(begin=GAME, options=OPTIONS)
        ours.boxes.send("locks")  # the first round is a sealed one, in which every box is asked too
        assert ours.boxes.poll(30), "the boxes do not lock"
        measured = Measured([], {name: [] for name in peers}, [], ours.boxes.recv(), {}, (0, 0))
        ours.phones.ask(moves=WARM, seq=public(ours.port)["seq"])
        for peer in peers.values():
            peer.ask(moves=WARM)
        before = {name: cpu(pid) for name, pid in processes.items()}
        while len(measured.ours) < actions:
            measured.ours.extend(ours.phones.ask(moves=BLOCK)["took"])
            for name, peer in peers.items():
                measured.theirs[name].extend(peer.ask(moves=BLOCK)["took"])
        for name, pid in processes.items():
            measured.cpu[name] = (cpu(pid) - before[name]) / len(measured.ours) * 1000
        measured.python.extend(asyncio.run(in_python(ours, actions // 2)))
        ours.hub.send("end")
        return measured._replace(rss=ours.hub.recv())


async def in_python(ours: Running, actions: int) -> list[float]:
    """The same seats by phones in Python."""
    phones = await Phones.sit_down(ours.port, ours.seats, public(ours.port)["seq"])
    await phones.move(WARM)
    return await phones.move(actions)


def measure_largest(actions: int) -> list[float]:
    """Milliseconds of moves of the game whose state is largest, alone."""
    with running() as ours:
        ours.phones.ask(begin=LARGEST)
        ours.phones.ask(moves=WARM, seq=public(ours.port)["seq"])
        took: list[float] = ours.phones.ask(moves=actions)["took"]
        ours.hub.send("end")
        ours.hub.recv()
        return took


def row(what: str, times: list[float]) -> str:
    cuts = quantiles(times, n=100)
    return f"{what:42} {cuts[49]:7.2f} ms p50 {cuts[98]:7.2f} ms p99   n={len(times)}"


def blocks(what: str, times: list[float]) -> str:
    """The median of each block, as it was measured."""
    return f"  {what:40} {' '.join(f'{median(times[n : n + BLOCK]):.2f}' for n in range(0, len(times), BLOCK))}"


def report(measured: Measured) -> None:
    """The moves of all, side by side, with the raw lines."""
    mine = "act -> answer and all six hands"
    for who, times in {"ours": measured.ours, **measured.theirs}.items():
        note("fanout, p50", who, "ms", *times)
        note("fanout, p99", who, "ms", *times, at=0.99)
        servers = ("our hub", "its broker") if who == "ours" else (f"{who}'s server",)
        note("fanout, CPU", who, "ms", sum(measured.cpu[server] for server in servers))
    note("lock, p50", "ours", "ms", *measured.pressed)
    print(row(mine, measured.ours))
    for name, times in measured.theirs.items():
        print(row(f"{name}: move -> all six states", times))
        us, them = (quantiles(each, n=100) for each in (measured.ours, times))
        print(f"{f'ours / {name}':42} {us[49] / them[49]:7.2f}  x p50 {us[98] / them[98]:7.2f}  x p99")
    print("CPU a move: " + ", ".join(f"{name} {spent:.2f} ms" for name, spent in measured.cpu.items()))
    print(f"median of each {BLOCK} in turn, ms:")
    print(blocks(mine, measured.ours))
    for name, times in measured.theirs.items():
        print(blocks(f"{name}: move -> all six states", times))
    print(row("the same by phones in Python, alone", measured.python))
    print(row("push on a box -> its ring shows the lock", measured.pressed))


def beside(ending: ExitStack, processes: dict[str, int]) -> dict[str, Peer]:
    """The peers' six clients, and their servers in processes of their own: all are ended with `ending`."""
    peers: dict[str, Peer] = {}
    for name, scripts in PEERS.items():
        try:
            server = ending.enter_context(Peer(f"{scripts}server.js"))
            peers[name] = ending.enter_context(Peer(f"{scripts}clients.js", server.ready["port"], SEATS))
        except Absent as why:
            print(why)
            continue
        processes |= {f"{name}'s server": server.pid, f"its six clients ({name})": peers[name].pid}
    return peers


def main(actions: int = 500) -> None:
    """Measure and print."""
    measured = measure(actions)
    report(measured)
    largest = measure_largest(actions // 2)
    note("fanout, largest", "ours", "ms", *largest)
    print(row("our game with the largest state, alone", largest))
    print("resident memory: hub {:.0f} MB, mosquitto {:.1f} MB".format(*measured.rss))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
