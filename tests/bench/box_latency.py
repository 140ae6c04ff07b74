"""How long a seat box takes: from its key to the table, and from its key to the ring the table lights for it.

    python -m tests.bench.box_latency [boxes] [presses]

Everything is real but the box: frames, two threads, a pty, the driver. The table here is a thread that lights a
ring for every key, so that what is measured is the cable's share of "lock feedback within 100 ms".
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from random import Random
from statistics import median, quantiles

from drivers.simulated import SimulatedTable
from hub.ports import BoxBid, BoxLocked, BoxUp, Key, LampPicture, SealedRound


def main(boxes: int, presses: int) -> None:
    """Measure and print."""
    inbox: queue.Queue[object] = queue.Queue()

    def hear(said: object) -> None:
        if isinstance(said, BoxUp | Key | BoxLocked | BoxBid):  # not the table's dice
            inbox.put(said)

    table = SimulatedTable(boxes, hear, Random(1))
    table.start()
    for _ in range(boxes):
        assert isinstance(inbox.get(timeout=5), BoxUp)
    heard: dict[str, float] = {}

    def play() -> None:
        for n in range(presses * boxes):
            key = inbox.get(timeout=5)
            assert isinstance(key, Key)
            heard[key.box] = time.perf_counter()
            table.cables.ring(key.box, LampPicture("number", n % 16 + 1, "2f7de1"))

    player = threading.Thread(target=play)
    player.start()
    to_table, to_ring = [], []
    for n in range(presses * boxes):
        box = table.seat_boxes[n % boxes + 1]
        right = n % 16 + 1
        started = time.perf_counter()
        version = table.version
        box.press("k1")
        while not ((lamps := box.state()["lamps"]) and lamps["n"] == right):
            version = table.wait(version, 5)
        to_ring.append((time.perf_counter() - started) * 1000)
        to_table.append((heard[box.name] - started) * 1000)
    player.join()
    reveals = []
    for round in range(1, presses // 4 + 1):
        for seat, name in table.names.items():
            table.cables.open(name, SealedRound(round, 5, 2))
            while not table.seat_boxes[seat].state()["sealed"]:
                table.wait(table.version, 0.001)
            table.seat_boxes[seat].press("push")
        for _ in range(boxes):
            assert isinstance(inbox.get(timeout=5), BoxLocked)
        started = time.perf_counter()
        table.cables.reveal(list(table.names.values()), round)
        for _ in range(boxes):
            assert isinstance(inbox.get(timeout=5), BoxBid)
        reveals.append((time.perf_counter() - started) * 1000)
    table.close()
    for what, times in (
        ("key to table", to_table),
        ("key to ring", to_ring),
        (f"reveal to all {boxes} bids", reveals),
    ):
        print(f"{what:24} median {median(times):6.2f} ms   99 % {quantiles(times, n=100)[98]:6.2f} ms   n {len(times)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4, int(sys.argv[2]) if len(sys.argv) > 2 else 200)
