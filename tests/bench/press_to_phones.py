"""From a key's edge to six phones, measured in one piece: `python -m tests.bench.press_to_phones [presses]`.

Six seat boxes with the real firmware in the real MicroPython, their pins a pipe, their USB lines ptys; a whole hub in a
process of its own (real broker, record on disk, sealing); six phones that speak MQTT over WebSocket as pages do. In the
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
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from unittest.mock import patch

from tests.bench.fanout import GAME, SEATS, Player, public, row, sit
from tests.bench.transport import LightPhone
from tests.firmware.live import LiveBox, link
from tests.phone_ui.rig import Seat

BOUNCE = 0.022  # seconds between two edges of one switch, a little more than the box takes for bouncing


def hub_process(folder: str, ports: Sequence[str], pipe: Connection) -> None:
    """Run a hub with boxes at these ports until the bench has seen enough."""
    from hub.app import Hub, quiet
    from hub.config import Config, DevicePart, TablePart
    from phone_ui import server
    from phone_ui.gateway import Limits

    quiet("error")
    config = Config()
    config.hub.state, config.web.host, config.web.port = folder, "127.0.0.1", 0
    config.table = [TablePart("1", "Bench", SEATS, GAME)]
    config.device = [DevicePart("button_box", "1", "boxes", {"ports": list(ports)})]
    unhurried = patch.object(server, "Limits", partial(Limits, bytes_each_second=1e9, frames_each_second=1e6))
    with unhurried, Hub(config) as hub:
        hub.start()
        assert hub.web
        pipe.send((hub.web.port, hub.key.public))
        pipe.recv()


def until_seats(port: int, what: str, count: int) -> None:
    """Until so many seats have that."""
    end = time.monotonic() + 20
    while sum(seat["box"] == "on" for seat in public(port)["seats"]) < count:
        assert time.monotonic() < end, what
        time.sleep(0.05)


def press(box: LiveBox, control: str) -> float:
    """A short press; when its first edge was."""
    began = time.perf_counter()
    box.put(control, closed=True)
    return began


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
        began = press(box, "push")
        await all_see(seq + 1)
        took.append((time.perf_counter() - began) * 1000)
        for control, closed in (("push", False), ("bar", True), ("bar", False)):  # not ready again: the bar acts as it is let go
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
        port, key = here.recv()
        for n, box in enumerate(boxes, 1):  # "press the box for seat 1"
            time.sleep(0.3)
            box.tap("k1")
            until_seats(port, f"the box of seat {n} is not there", n)
        codes = [seat["claim_code"] for seat in public(port)["seats"]]
        seats = [sit(port, key, seat, codes[seat - 1]) for seat in range(1, SEATS + 1)]
        took = asyncio.run(measure(port, seats, boxes, presses))
        here.send("end")
        hub.join(10)
    print(row("edge of a key -> all six phones know", took))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
