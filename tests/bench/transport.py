"""The phones' whole way, measured: `python -m tests.bench.transport`.

A hub (real broker, encryption, web port) in this process; six phones in another, speaking MQTT over
WebSocket as pages do. Each round one phone acts; it is over when that phone has its answer and all six
have opened their new hands.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from hub.ports import PhoneRequest
from hub.state import Ack
from phone_ui.limits import Limits
from tests.phone_ui.rig import Keys, Rig, Seat, act, hand

PHONES, ROUNDS, WARM = 6, 400, 50


UNLIMITED = Limits(bytes_each_second=1e9, packets_each_second=1e6, requests_each_second=1e6)
"""Phones of a bench act in a closed loop, faster than a phone may: here, and only here, they may."""


def text(words: bytes) -> bytes:
    return len(words).to_bytes(2, "big") + words


def packet(kind: int, body: bytes) -> bytes:
    size, head = len(body), bytearray([kind])
    while size > 127:
        head.append(size & 127 | 128)
        size >>= 7
    head.append(size)
    return bytes(head) + body


class LightPhone:
    """Just enough MQTT 3.1.1 to act and to read."""

    def __init__(self, pipe: ClientConnection, seat: Seat) -> None:
        self.pipe, self.seat, self.rest = pipe, seat, b""

    @classmethod
    async def log_in(cls, port: int, seat: Seat, address: str = "127.0.0.1") -> tuple[LightPhone, float]:
        began = time.perf_counter()
        pipe = await connect(
            f"ws://127.0.0.1:{port}/mqtt", subprotocols=[Subprotocol("mqtt")], compression=None, local_addr=(address, 0)
        )
        phone = cls(pipe, seat)
        sid = seat.sid.encode()
        body = text(b"MQTT") + b"\x04\xc2\x00\x3c" + text(sid) + text(sid) + text(seat.password.encode())
        await pipe.send(packet(0x10, body))
        assert await phone.next_packet() == (0x20, b"\0\0")
        took = time.perf_counter() - began
        root = b"th/1/hub/1/seat/" + sid
        topics = (b"th/1/hub/1/pub/state", root + b"/hand", root + b"/ack")  # as the page does, at QoS 0
        await pipe.send(packet(0x82, b"\0\1" + b"".join(text(topic) + b"\0" for topic in topics)))
        return phone, took

    async def next_packet(self) -> tuple[int, bytes]:
        while True:
            size = place = 0
            for place, byte in enumerate(self.rest[1:5]):
                size |= (byte & 127) << 7 * place
                if byte < 128:
                    break
            else:
                place = -1
            if place >= 0 and len(self.rest) >= 2 and len(self.rest) >= 2 + place + size:
                whole, self.rest = self.rest[: 2 + place + size], self.rest[2 + place + size :]
                return whole[0], whole[2 + place :]
            self.rest += await self.pipe.recv()  # type: ignore[operator]

    async def letter(self) -> tuple[str, dict[str, Any]]:
        while True:
            kind, body = await self.next_packet()
            if kind & 0xF0 == 0x30:
                size = int.from_bytes(body[:2], "big")
                topic, rest = body[2 : 2 + size].decode(), body[2 + size :]
                if kind & 6:
                    await self.pipe.send(packet(0x40, rest[:2]))
                    rest = rest[2:]
                kind_of = topic.rpartition("/")[2]
                if kind_of == "state":
                    json.loads(rest)  # a page reads it, too; what is waited for is the hand, which comes after it
                    continue
                return kind_of, self.seat.keys.decrypt(rest)

    async def act(self, n: int) -> None:
        topic = text(f"th/1/hub/1/seat/{self.seat.sid}/act".encode())
        await self.pipe.send(packet(0x32, topic + (n % 65535 + 1).to_bytes(2, "big") + self.seat.keys.encrypt(act(n))))

    async def until(self, seq: int, *, acted: bool) -> None:
        answered, seen = not acted, False
        while not (answered and seen):
            kind, content = await self.letter()
            answered = answered or kind == "ack"
            seen = seen or (kind == "hand" and content["seq"] >= seq)


async def play(port: int, seats: list[Seat]) -> dict[str, list[float]]:
    phones, logins = [], []
    for seat in seats:
        phone, took = await LightPhone.log_in(port, seat)
        phones.append(phone)
        logins.append(took)
        await phone.until(0, acted=False)
    rounds = []
    for number in range(1, ROUNDS + 1):
        began = time.perf_counter()
        actor = number % PHONES
        await phones[actor].act(number)
        await asyncio.gather(*(p.until(number, acted=place == actor) for place, p in enumerate(phones)))
        rounds.append(time.perf_counter() - began)
    for _ in range(30):
        phone, took = await LightPhone.log_in(port, seats[0])
        logins.append(took)
        await phone.pipe.close()
    return {"logins": logins, "rounds": rounds[WARM:]}


def memory(pid: int | str) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def cpu(pid: int | str) -> float:
    """The CPU seconds that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def table(rig: Rig, seats: list[Seat]) -> None:
    """A table's thread: each request moves the match on; answer and six hands go out."""
    seq = 0
    while isinstance(said := rig.heard.get(), PhoneRequest):
        seq += 1
        rig.link.answer(said.sid, Ack(said.id, ok=True, seq=seq))
        for seat in seats:
            rig.link.show_hands({seat.sid: hand(seq, you={"fish": ["perch"] * 20}, want="Bid a number from 1 to 6.")})


def main() -> None:
    if len(sys.argv) > 1:
        given = json.loads(sys.stdin.read())
        seats = [Seat(sid, password, Keys(bytes.fromhex(key), bytes.fromhex(own))) for sid, password, key, own in given]
        print(json.dumps(asyncio.run(play(int(sys.argv[1]), seats))))
        return
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        rig = Rig(Path(folder), limits=UNLIMITED)
        started = time.perf_counter() - began
        seats = [rig.seat() for _ in range(PHONES)]
        for seat in seats:
            rig.link.show_hands({seat.sid: hand(0)})
        thread = threading.Thread(target=table, args=(rig, seats))
        thread.start()
        seats_known = [(s.sid, s.password, rig.key.public.hex(), s.keys.secret.hex()) for s in seats]
        phones = subprocess.run(
            [sys.executable, "-m", "tests.bench.transport", str(rig.port)],
            input=json.dumps(seats_known),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=120,
        )
        rss, broker_rss = memory("self"), memory(rig.broker.pid or 0)
        rig.heard.put(None)
        thread.join()
        rig.close()
    measured = json.loads(phones.stdout)
    print(f"broker and port ready        {started * 1000:8.1f} ms")
    for name in ("logins", "rounds"):
        cuts = statistics.quantiles(measured[name], n=100)
        what = {"logins": "log-in through the gateway", "rounds": "act -> answer + six hands"}[name]
        print(f"{what:28} {cuts[49] * 1000:8.2f} ms p50 {cuts[98] * 1000:8.2f} ms p99   n={len(measured[name])}")
    print(f"memory: hub's transport {rss:.0f} MB, mosquitto {broker_rss:.1f} MB")


if __name__ == "__main__":
    main()
