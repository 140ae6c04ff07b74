"""From a key's edge to six phones, measured in one piece: `python -m tests.bench.press_to_phones [presses]`.

Six seat boxes with the real firmware in the real MicroPython, their pins a pipe, their USB lines ptys; a whole hub in a
process of its own (real broker, record on disk, encryption); six phones that speak MQTT over WebSocket as pages do. In the
lobby a push says "ready": it is over when all six phones have opened the hand that follows.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from multiprocessing.connection import Connection
from pathlib import Path

from hub.config import DevicePart
from tests.bench.fanout import SEATS, Player, a_hub, public, row, sit, until_there
from tests.bench.figures import note
from tests.bench.firmware_latency import BOUNCE
from tests.bench.transport import LightPhone
from tests.firmware.live import LiveBox, link
from tests.phone_ui.rig import Seat


def hub_process(folder: str, ports: Sequence[str], pipe: Connection) -> None:
    """Run a hub with boxes at these ports until the bench has seen enough."""
    with a_hub(folder, pipe, DevicePart("button_box", "1", "boxes", {"ports": list(ports)})):
        pipe.recv()


async def measure(port: int, seats: Sequence[Seat], boxes: Sequence[LiveBox], presses: int) -> list[float]:
    """Milliseconds from each edge to the last of the six hands."""
    players = [Player((await LightPhone.log_in(port, seat))[0], n) for n, seat in enumerate(seats, 1)]

    async def all_see(seq: int) -> None:
        async with asyncio.timeout(10):
            await asyncio.gather(*(player.see(seq) for player in players))

    await all_see(0)
    seq = max(player.hand["seq"] for player in players)
    await all_see(seq)
    took = []
    for turn in range(presses):
        box = boxes[turn % len(boxes)]
        began = time.perf_counter()
        box.put("push", closed=True)
        await all_see(seq + 1)
        took.append((time.perf_counter() - began) * 1000)
        for control, closed in (
            ("push", False),
            ("bar", True),
            ("bar", False),
        ):  # not ready again: the bar acts as it is let go
            await asyncio.sleep(BOUNCE)
            box.put(control, closed=closed)
        await all_see(seq + 2)
        seq = max(player.hand["seq"] for player in players)
        await asyncio.sleep(BOUNCE)
    return took


def main(presses: int = 120) -> None:
    """Measure and print."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        boxes = [ending.enter_context(closing(LiveBox(f"e66164084321{n:04x}"))) for n in range(SEATS)]
        ports = [link(box.port, Path(folder) / f"port-{n}") for n, box in enumerate(boxes)]
        here, there = context.Pipe()
        hub = context.Process(target=hub_process, args=(folder, ports, there), daemon=True)
        hub.start()
        assert here.poll(30), "the hub has not started"
        port, key, _ = here.recv()
        for n, box in enumerate(boxes, 1):  # "press the box for seat 1"
            time.sleep(0.3)
            box.tap("k1")
            until_there(port, n)
        codes = [public(port)["claim_codes"].get(str(seat), "") for seat in range(1, SEATS + 1)]
        seats = [sit(port, key, seat, codes[seat - 1]) for seat in range(1, SEATS + 1)]
        took = asyncio.run(measure(port, seats, boxes, presses))
        here.send("end")
        hub.join(10)
    note("key to phones, p50", "ours", "ms", *took)
    print(row("edge of a key -> all six phones know", took))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
