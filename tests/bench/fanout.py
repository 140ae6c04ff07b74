"""From a seat to the whole table, measured: `python -m tests.bench.fanout [actions]`.

A whole hub in a process of its own (real broker, record on disk, sealing, simulated boxes on ptys) plays Bid & Bait
with five phones, which speak MQTT over WebSocket as pages do. A round is over when the phone that acted has its
answer and all five have opened a hand at least as new. Then boxes lock, and their rings are watched.
"""

from __future__ import annotations

import asyncio
import base64
import json
import multiprocessing
import os
import sys
import tempfile
import time
import urllib.request
from multiprocessing.connection import Connection
from random import Random
from statistics import quantiles
from typing import Any

from tests.bench.transport import LightPhone, memory, packet, text
from tests.phone_ui.rig import Keys, Seat

SEATS, WARM, LOCKS = 5, 50, 100


# --- the hub's process -----------------------------------------------------------------------------------


def hub_process(folder: str, pipe: Connection) -> None:
    """Run a hub until the bench has seen enough; press its boxes when asked to."""
    from drivers.simulated import SimulatedTable
    from hub.app import Hub, quiet
    from hub.config import Config, DevicePart, TablePart

    quiet("error")
    config = Config()
    config.hub.state, config.web.host, config.web.port = folder, "127.0.0.1", 0
    config.table = [TablePart("1", "Bench", SEATS, "bid-and-bait")]
    config.device = [DevicePart("simulated", "1", "bench", {"seats": SEATS})]
    with Hub(config) as hub:
        hub.start()
        assert hub.web
        pipe.send((hub.web.port, hub.key.public))
        devices = hub._devices[0]
        assert isinstance(devices, SimulatedTable)
        while pipe.recv() == "locks":
            pipe.send(locks(devices))
        pipe.send((memory("self"), memory(hub.broker._own.pid or 0 if hub.broker._own else 0)))


def locks(devices: Any) -> list[float]:
    """Milliseconds from the push of a box in a sealed round to its own ring showing the lock."""
    took: list[float] = []
    box = devices.seat_boxes[1]

    def until(pattern: str) -> None:
        version, end = devices.version, time.monotonic() + 10
        while not ((lamps := box.state()["lamps"]) and lamps["pattern"] == pattern):
            assert time.monotonic() < end, f"the ring shows {lamps}, not {pattern}"
            version = devices.wait(version, 0.2)

    for _ in range(LOCKS):
        until("choosing")
        began = time.perf_counter()
        box.press("push")
        until("locked")
        took.append((time.perf_counter() - began) * 1000)
        box.press("bar")
    until("choosing")
    return took


# --- the phones ------------------------------------------------------------------------------------------


def fetch(port: int, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    data = json.dumps(body).encode() if body else None
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=5) as answer:
        told: dict[str, Any] = json.load(answer)
        return told


def public(port: int) -> dict[str, Any]:
    """The newest public state."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/t/1/events", timeout=5) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                told: dict[str, Any] = json.loads(line[6:])
                return told
    raise AssertionError("no state")


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def unb64(told: str) -> bytes:
    return base64.urlsafe_b64decode(told + "=" * (-len(told) % 4))


def sit(port: int, hub_key: bytes, seat: int, code: str) -> Seat:
    """Take a seat as a page does: a sealed claim, then the sealed login."""
    keys = Keys(hub_key)
    letter = keys.seal({"seat": seat, "code": code, "name": f"Guest {seat}"})
    claim = fetch(port, "/t/1/claim", {"seat": seat, "pk": b64(keys.public), "nonce": b64(letter[:24]), "box": b64(letter[24:])})
    for _ in range(100):
        told = fetch(port, f"/t/1/claim/{claim['claim']}")
        if told["state"] == "held":
            login = keys.open(unb64(told["nonce"]) + unb64(told["box"]))
            return Seat(login["sid"], login["password"], keys)
        assert told["state"] == "asked", told
    raise AssertionError("the seat was not given")


class Player:
    """A phone with the newest hand it has opened."""

    def __init__(self, phone: LightPhone, number: int) -> None:
        self.phone, self.number, self.n = phone, number, 0
        self.hand: dict[str, Any] = {}

    async def ask(self, verb: str, args: dict[str, Any]) -> str:
        self.n += 1
        name = f"{self.n:016x}"
        words = {
            "v": 1, "id": name, "n": self.n, "epoch": self.hand["epoch"], "number": self.hand.get("number"),
            "verb": verb, "args": args,
        }  # fmt: skip
        topic = text(f"th/1/hub/1/seat/{self.phone.seat.sid}/act".encode())
        letter = topic + (self.n % 65535 + 1).to_bytes(2, "big") + self.phone.seat.keys.seal(words)
        await self.phone.pipe.send(packet(0x32, letter))
        return name

    async def answer(self, name: str) -> int:
        """The picture that an accepted request led to."""
        while True:
            kind, told = await self.read()
            if kind == "ack" and told["re"] == name:
                assert told["ok"], told
                return int(told["seq"])

    async def read(self) -> tuple[str, dict[str, Any]]:
        kind, told = await self.phone.letter()
        if kind == "hand":
            self.hand = told
        return kind, told

    async def see(self, seq: int) -> None:
        """Until its hand is at least so new."""
        while self.hand.get("seq", -1) < seq:
            await self.read()


def choice(param: Any, random: Random) -> Any:
    match param:
        case {"one_of": values}:
            return random.choice(values)
        case {"min": least, "max": most}:
            return random.randrange(least, most + 1, param.get("step", 1))
        case {"choose": {"min": least}, "from": values}:
            return values[:least]
        case {"order": values}:
            return values
        case fixed:
            return fixed


def next_request(players: list[Player], random: Random) -> tuple[Player, str, dict[str, Any]]:
    """Somebody's legal request, told from the hands alone."""
    for player in players:
        if faces := player.hand.get("faces"):
            return player, "roll", {"faces": [random.randint(1, faces["sides"]) for _ in range(faces["count"])]}
    for player in players:
        if player.hand.get("moves") and not player.hand.get("locked"):
            move = random.choice(player.hand["moves"])
            args = {key: choice(param, random) for key, param in move.items() if key not in ("move", "standing")}
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


async def play(port: int, seats: list[Seat], actions: int, pipe: Connection) -> tuple[list[float], list[float]]:
    players = [Player((await LightPhone.log_in(port, seat))[0], n) for n, seat in enumerate(seats, 1)]
    for player in players:
        await player.see(0)
    newest = max(player.hand["seq"] for player in players)
    await asyncio.gather(*(player.see(newest) for player in players))
    random = Random(1)
    took: list[float] = []
    await step(players, (players[0], "start", {"game": "bid-and-bait", "options": {}}))
    pipe.send("locks")  # the first round is a sealed one, in which every box is asked too
    assert await asyncio.to_thread(pipe.poll, 30), "the boxes do not lock"
    pressed: list[float] = pipe.recv()
    newest = public(port)["seq"]
    await asyncio.gather(*(player.see(newest) for player in players))
    while len(took) < actions + WARM:
        request = next_request(players, random)
        milliseconds = await step(players, request)
        if request[1] != "again":
            took.append(milliseconds)
    return took[WARM:], pressed


def row(what: str, times: list[float]) -> str:
    cuts = quantiles(times, n=100)
    return f"{what:42} {cuts[49]:7.2f} ms p50 {cuts[98]:7.2f} ms p99   n={len(times)}"


def main(actions: int = 500) -> None:
    """Measure and print."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        here, there = context.Pipe()
        began = time.perf_counter()
        hub = context.Process(target=hub_process, args=(folder, there), daemon=True)
        hub.start()
        assert here.poll(30), "the hub has not started"
        port, key = here.recv()
        state = public(port)
        first = sit(port, key, 1, state["seats"][0]["claim_code"])
        started = time.perf_counter() - began
        codes = [seat["claim_code"] for seat in state["seats"]]
        seats = [first] + [sit(port, key, seat, codes[seat - 1]) for seat in range(2, SEATS + 1)]
        took, pressed = asyncio.run(play(port, seats, actions, here))
        here.send("end")
        rss, broker_rss = here.recv()
        hub.join(10)
    print(f"program started -> first phone has its seat {started * 1000:6.0f} ms   (pid {os.getpid()})")
    print(row("act -> answer and all five hands", took))
    print(row("push on a box -> its ring shows the lock", pressed))
    print(f"resident memory: hub {rss:.0f} MB, mosquitto {broker_rss:.1f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
