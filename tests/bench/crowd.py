"""Matches of six beside each other, an action a second each, with everything: `python -m tests.bench.crowd [matches ...]`.

Goofspiel on three servers, each in a process of its own, one after the other: a whole hub (broker, log on disk, encryption; no
boxes and panels), boardgame.io's server, and Colyseus'. Each match has six real clients over loopback, all in one process of bare JavaScript.
For each number of matches: an action until all six hold what came of it, CPU an action, and memory a match, from before the first
match. Then bids of six in the same instant. Without arguments 1 and 20 matches; 100 and 200 take a few minutes.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from hub.app import Hub
from hub.config import Config, HubPart, TablePart, WebPart
from hub.operations.diagnostics import configure_logging
from phone_ui import javascript
from phone_ui.limits import Limits
from tests.bench.fanout import PEERS, b64, public, row, sit
from tests.bench.figures import note
from tests.bench.installed import as_installed
from tests.bench.peer import Absent, Peer, Program
from tests.bench.transport import cpu, memory

SEATS, GAME, ROUNDS, SECONDS = 6, "goofspiel", 30, 10
OPEN = Limits(
    bytes_each_second=1e9, packets_each_second=1e6, requests_each_second=1e6, pages_each_second=1e6, pages_burst=1e6,
    connects_each_second=1e6, connects_burst=1e6, arrivals_each_second=1e6, arrivals_burst=1e6, strangers_each_second=1e6,
    strangers_burst=1e6, connections=5000, connections_each_address=5000, phones=5000, phones_each_address=5000,
    streams=5000, streams_each_address=5000,
)  # fmt: skip
"""All phones of a bench come from one address: here, and only here, they may."""


class Server(NamedTuple):
    """One of those that are compared: its clients, how to have so many matches open, and its processes."""

    clients: Program
    open: Callable[[int], object]
    pids: list[int]


def hub_process(folder: str, tables: int, pipe: Connection) -> None:
    """Run a hub with so many tables of six until the bench has seen enough."""
    configure_logging("error")
    config = Config(
        hub=HubPart(state=folder),
        web=WebPart("127.0.0.1", 0),
        table=tuple(TablePart(str(n), f"Bench {n}", SEATS, GAME, pitch_seconds=0) for n in range(1, tables + 1)),
    )
    with Hub(config, limits=OPEN) as hub:
        hub.start()
        assert hub.web
        assert hub.broker.up.wait(30), "the broker has not started"
        pipe.send((hub.web.port, hub.key.public, hub.broker.pid or 0))
        pipe.recv()


@contextmanager
def our_hub(most: int) -> Iterator[Server]:
    """Run our hub, with so many tables at most."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        here, there = context.Pipe()
        hub = context.Process(target=hub_process, args=(folder, most, there), daemon=True)
        with as_installed():
            hub.start()
        assert here.poll(90), "the hub has not started"
        port, key, broker = here.recv()
        has = 0

        def seated(table: int) -> dict[str, Any]:
            codes = public(port, str(table))["claim_codes"]
            seats = [sit(port, key, seat, codes.get(str(seat), ""), str(table)) for seat in range(1, SEATS + 1)]
            told = [{"sid": one.sid, "password": one.password, "secret": b64(one.keys.secret)} for one in seats]
            return {"port": port, "key": b64(key), "table": str(table), "seats": told}

        def until(count: int) -> None:
            nonlocal has
            with ThreadPoolExecutor(3) as several:  # with more at once a network has claimed too often
                for told in several.map(seated, range(has + 1, count + 1)):
                    clients.ask(**told)
                    clients.ask(begin=GAME)
            has = count

        try:
            with Program([javascript.node(), "phones.js"]) as clients:
                yield Server(clients, until, [hub.pid or 0, broker])
        finally:
            here.send("end")
            hub.join(30)


@contextmanager
def a_peer(name: str, scripts: str) -> Iterator[Server]:
    """Run a peer's server. Raise Absent."""
    began = time.perf_counter()
    with Peer(f"{scripts}server.js") as server:
        note("start", name, "ms", (time.perf_counter() - began) * 1000)
        with Peer(f"{scripts}clients.js", server.ready["port"], SEATS) as clients:
            yield Server(clients, lambda count: clients.ask(open=count), [server.pid])


def measure(name: str, server: Server, numbers: list[int], seconds: int) -> None:
    """Open matches, play, and print."""
    before, had = sum(map(memory, server.pids)), int(server.clients.ready["matches"])
    for count in numbers:
        began = time.perf_counter()
        server.open(count)
        opened, held = time.perf_counter() - began, sum(map(memory, server.pids))
        server.clients.ask(seconds=2)
        spent = [cpu(pid) for pid in server.pids]
        played = server.clients.ask(seconds=seconds)
        used = [cpu(pid) - so_far for pid, so_far in zip(server.pids, spent, strict=True)]
        took, ended = played["took"], sum(map(memory, server.pids))
        each = (ended - before) / max(1, count - had)
        print(row(f"{name}, {count} {'match' if count == 1 else 'matches'}", took), end="   ")
        print(
            f"CPU an action {' + '.join(f'{1000 * one / len(took):.2f}' for one in used)} ms, "
            f"opened in {opened:.1f} s, {held:.0f} MB, at the end {ended:.0f}, late {played['late']}",
            flush=True,
        )
        note(f"crowd {count}, p50", name, "ms", *took)
        note(f"crowd {count}, p99", name, "ms", *took, at=0.99)
        note(f"crowd {count}, CPU", name, "ms", 1000 * sum(used) / len(took))
        if count > 1:
            note(f"crowd {count}, memory", name, "MB", each)
    taken = server.clients.ask(rounds=ROUNDS)["taken"]
    told(name, taken)
    if name == "ours":  # there is but one way
        note("six at once by default", name, "of 6", *taken, at=0.0)


def told(name: str, taken: list[int], moves: str = "") -> None:
    """Say how many bids of six in the same instant were taken."""
    print(
        f"{name}, six bids in the same instant{moves}: {min(taken)} to {max(taken)} of 6 taken, in {len(taken)} rounds"
    )
    note(f"six at once{moves}", name, "of 6", *taken, at=0.0)


def main(numbers: list[int], seconds: int = SECONDS) -> None:
    """Measure one server after the other, and print."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with ExitStack() as ending:
        try:
            for name, scripts in PEERS.items():
                with a_peer(name, scripts) as peer:
                    measure(name, peer, numbers, seconds)
                    if not scripts:
                        told(name, peer.clients.ask(strict=ROUNDS)["taken"], " by default")
        except Absent as why:
            print(why)
        measure("ours", ending.enter_context(our_hub(max(numbers))), numbers, seconds)


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or [1, 20])
