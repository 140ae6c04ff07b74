"""A phone's page, measured: `python -m tests.bench.phone_page [ROUNDS]`.

The demo with its simulated table and a phone in Chromium whose processor is slowed down four times: from the start of
the program until a phone can join, from the first visit until seats can be chosen, and from a reload in the middle of
a match until the hand can be held open. The bytes of a first visit are counted as they come, headers and all. Beside them stand the
clients' libraries of boardgame.io and Colyseus, compressed, without any page.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser

from tests.bench.figures import note
from tests.bench.peer import FOLDER
from tests.chromium import headless
from tests.e2e.hub_process import HubProcess, SeatPhone, sealed
from tests.e2e.random_players import PhonePlayers

SLOWED = 4  # times, for the phone's processor
LIBRARIES = {"boardgame.io": "boardgame.io/dist/boardgameio.min.js", "Colyseus": "@colyseus/sdk/dist/colyseus.js"}


def seconds(done: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    done()
    return time.perf_counter() - began


def first_visit(hub: HubProcess, browser: Browser) -> float:
    """A phone that was never here: from the scan of the code until its person can choose a seat."""
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})

        def visit() -> None:
            page.goto(f"{hub.address}/t/1#k={hub.key}", wait_until="commit")
            page.get_by_text("Where do you sit?").wait_for()

        return seconds(visit)


def weight(hub: HubProcess, browser: Browser) -> tuple[float, float, int]:
    """How many kB a first visit takes, how many of them are files without headers, and how many files."""
    came: list[float] = []
    bodies: list[float] = []

    def count(one: dict[str, Any]) -> None:
        came.append(one["encodedDataLength"] / 1000)

    def count_body(one: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in one["response"]["headers"].items()}
        bodies.append(int(headers.get("content-length", 0)) / 1000)

    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        wire = context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.loadingFinished", count)
        wire.on("Network.responseReceived", count_body)
        page.goto(f"{hub.address}/t/1#k={hub.key}")
        page.get_by_text("Where do you sit?").wait_for()
        page.wait_for_load_state("networkidle")
    return sum(came), sum(bodies), len(came)


def libraries() -> None:
    """Weigh the peers' libraries where they are installed."""
    for name, file in LIBRARIES.items():
        if (path := FOLDER / "node_modules" / file).exists():
            size = len(gzip.compress(path.read_bytes(), 9)) / 1000
            print(f"{name}'s library for a page, compressed {size:22.0f} kB")
            note("page weight", name, "kB", size)


def row(what: str, took: list[float]) -> str:
    """The median, the longest and how many."""
    return (
        f"{what:46} p50 {statistics.median(took) * 1000:5.0f} ms   longest {max(took) * 1000:5.0f} ms   n {len(took)}"
    )


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="th-page-") as folder, headless() as browser:
        began = time.perf_counter()
        with HubProcess(Path(folder) / "state") as hub:
            started = (time.perf_counter() - began) * 1000
            print(f"start of the program until a phone can join    {started:9.0f} ms   n 1")
            note("start", "ours", "ms", started)
            page, bodies, files = weight(hub, browser)
            print(f"first visit, all files with their headers      {page:9.0f} kB   n {files}")
            print(f"the same without headers, as the tests count   {bodies:9.0f} kB")
            note("page weight", "ours", "kB", page)
            libraries()
            first = [first_visit(hub, browser) for _ in range(rounds)]
            print(row("first visit until a seat can be chosen", first))
            phone = SeatPhone(hub, browser, 1)
            PhonePlayers(hub, {1: phone}, Random(1)).sit_down("bid-and-bait", {})
            hub.until(sealed, "all are asked for a bid")
            phone.context.new_cdp_session(phone.page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
            again = [seconds(phone.reload) for _ in range(rounds)]
            print(row("reload until the hand can be held open", again))
            note("first visit", "ours", "ms", *(1000 * one for one in first))
            note("hand", "ours", "ms", *(1000 * one for one in again))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
