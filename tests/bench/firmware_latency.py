"""How long the real firmware takes: from a key's edge to the table, to its own lamp, and a sealed reveal.

    python -m tests.bench.firmware_latency [boxes] [presses]

The box is main.py in the real MicroPython with its real clock, on a pty; hub side and table thread are as in
`box_latency`. Only the pins and the processor are another: a Pico is slower than this machine, and USB polls it once
a millisecond. The edge is a line in a pipe, the lamp the moment at which the ring's bytes would leave the Pico.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from drivers.button_box import ButtonBoxes
from hub.ports import BoxBid, BoxLocked, BoxUp, Key, LampPicture, MonotonicClock, SealedRound
from tests.bench.figures import note
from tests.firmware.live import LiveBox, link

BOUNCE = 0.022  # seconds between two edges of one switch, a little more than the box takes for bouncing


def main(count: int, presses: int) -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        names = [f"e66164084321{number:04x}" for number in range(count)]
        boxes = {name: LiveBox(name) for name in names}
        ports = [link(box.port, Path(folder) / name) for name, box in boxes.items()]
        inbox: queue.Queue[object] = queue.Queue()
        hub = ButtonBoxes(inbox.put, ports, MonotonicClock(), Random(1))
        hub.start()
        try:
            for _ in names:
                assert isinstance(inbox.get(timeout=10), BoxUp)
            to_table, to_lamp = keys(hub, boxes, inbox, presses)
            report("key to table", to_table, to_lamp)
            note("key to lamp, p50", "ours", "ms", *to_lamp)
            note("key to lamp, p99", "ours", "ms", *to_lamp, at=0.99)
            report(f"reveal of all {count}", reveals(hub, boxes, inbox, presses // 8))
        finally:
            hub.close()
            for box in boxes.values():
                box.close()


def keys(
    hub: ButtonBoxes, boxes: dict[str, LiveBox], inbox: queue.Queue[object], presses: int
) -> tuple[list[float], list[float]]:
    """Milliseconds from an edge to the table's inbox, and to the lamp that the table lights for it."""
    heard: queue.Queue[float] = queue.Queue()
    wanted: queue.Queue[int] = queue.Queue()

    def play() -> None:
        while (n := wanted.get()) > 0:
            key = inbox.get(timeout=5)
            heard.put(time.perf_counter())
            assert isinstance(key, Key)
            hub.ring(key.box, LampPicture("number", n, "2f7de1"))

    table = threading.Thread(target=play)
    table.start()
    to_table, to_lamp = [], []
    for turn in range(presses * len(boxes)):
        name = list(boxes)[turn % len(boxes)]
        box = boxes[name]
        while box.lit(0):
            pass
        wanted.put(turn // len(boxes) % 15 + 2)
        started = time.perf_counter()
        box.put("push", closed=True)
        assert box.lit(5), "the ring stays as it was"
        to_lamp.append((time.perf_counter() - started) * 1000)
        to_table.append((heard.get(timeout=5) - started) * 1000)
        hub.ring(name, LampPicture("off"))
        time.sleep(BOUNCE)
        box.put("push", closed=False)
        time.sleep(BOUNCE)
    wanted.put(0)
    table.join()
    return to_table, to_lamp


def reveals(hub: ButtonBoxes, boxes: dict[str, LiveBox], inbox: queue.Queue[object], rounds: int) -> list[float]:
    """Milliseconds from asking every box for its value until the last one is known and checked."""
    times = []
    for round in range(1, rounds + 1):
        for name in boxes:
            hub.open(name, SealedRound(round, 5, 2))
        time.sleep(0.05)
        for box in boxes.values():
            box.put("push", closed=True)
        for _ in boxes:
            assert isinstance(inbox.get(timeout=5), BoxLocked)
        started = time.perf_counter()
        hub.reveal(list(boxes), round)
        for _ in boxes:
            assert isinstance(inbox.get(timeout=5), BoxBid)
        times.append((time.perf_counter() - started) * 1000)
        for box in boxes.values():
            box.put("push", closed=False)
        time.sleep(BOUNCE)
    return times


def report(what: str, times: list[float], lamps: list[float] | None = None) -> None:
    """A line of the table."""
    for name, these in ((what, times), ("key to its own lamp", lamps or [])):
        if these:
            tail = quantiles(these, n=100)[98]
            print(f"{name:24} median {median(these):6.2f} ms   99 % {tail:6.2f} ms   n {len(these)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4, int(sys.argv[2]) if len(sys.argv) > 2 else 100)
