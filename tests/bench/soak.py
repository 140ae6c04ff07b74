"""A hub that plays for long, watched: `python -m tests.bench.soak [--minutes 10] [--tables 20] [--think 0]`, two hours at most.

`python -m tests.bench.soak --day [GAME ...]`: one table plays as many matches of each game, mixed, as people play in 24 hours
of it without a pause, by the minutes of its data file: of all games that is six days of a table.

The real program with its own broker; at each table one phone, by chance, and the house at all other seats. What grows is said: memory,
threads and open files of the hub, memory of the broker, in the last third against the middle one. At the end every
answered action is in its log once, each log replays, and no hand was another than its log makes (`tests/chaos/verdict.py`).

Each table has simulated boxes and panels up to MOST_SIMULATED tables; beyond that there are phones only, as simulated hardware has
ten threads a table, which no real table has. `--think` is how many seconds the house takes: 0 is as fast as the machine can.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, quantiles
from typing import Any, NamedTuple

from hub import games
from tests.bench.transport import cpu, memory
from tests.chaos.hub import ChaosHub
from tests.chaos.players import Guests, send_home
from tests.chaos.verdict import troubles

MOST_MINUTES, MOST_TABLES, MOST_SIMULATED = 120.0, 200, 50
SEATS = 4
ALONE = 'house_seats = 3\nhouse_strength = "easy"\nreveal_seconds = 0\npitch_seconds = 0\nattract_seconds = 0'
MOST_THREADS_MORE, MOST_FILES_MORE = 2, 4
MOST_GROWTH = 16.0  # MB of the hub from one third to the next
MOST_GROWTH_DAY = 3.0  # the same of a hub with one table
DAY = 24 * 60  # minutes


class Sample(NamedTuple):
    """What the hub takes at one moment."""

    hub: float
    broker: float
    threads: int
    files: int


class Patron(Guests):
    """One phone against the house, whose requests are timed."""

    def __init__(self, table: str, game: str, url: str, seed: int) -> None:
        super().__init__(table, game, url, seed, most=1)
        self.took: list[float] = []
        player = self.players[0]
        ask = player.ask

        def timed(verb: str, args: dict[str, Any]) -> dict[str, Any]:
            began = time.perf_counter()
            answer = ask(verb, args)
            self.took.append((time.perf_counter() - began) * 1000)
            return answer

        player.ask = timed  # type: ignore[method-assign]


class Regular(Patron):
    """One phone against the house that plays one match of each game of a list, and then ends."""

    def __init__(self, table: str, programme: Sequence[str], url: str, seed: int) -> None:
        super().__init__(table, programme[0], url, seed)
        self._programme = programme

    def _begin(self) -> None:
        if self.promised.begun == len(self._programme):
            self.end()
        else:
            self.game = self._programme[self.promised.begun]
            super()._begin()


def programme(names: Sequence[str], minutes: float = DAY) -> list[str]:
    """Return as many matches of each game as people play in so many minutes, one at least, mixed evenly."""
    counts = {name: max(1, round(minutes / games.find(name).labels.minutes)) for name in names}
    places = sorted(((n + 0.5) / count, name) for name, count in counts.items() for n in range(count))
    return [name for _, name in places]


def sample(hub: ChaosHub) -> Sample:
    """Look at the hub."""
    process = Path(f"/proc/{hub.pid}")
    threads, files = (sum(1 for _ in (process / what).iterdir()) for what in ("task", "fd"))
    return Sample(memory(hub.pid), memory(hub.broker_pid()), threads, files)


def growth(samples: Sequence[Sample], most: float = MOST_GROWTH) -> tuple[Sample, list[str]]:
    """Return the last third less the middle one, and what of it is no more than noise can be, in sentences.

    `most`: MB that the hub may take more.
    """
    third = len(samples) // 3
    middle, last = samples[third : 2 * third], samples[2 * third :]
    grown = Sample(
        mean(one.hub for one in last) - mean(one.hub for one in middle),
        mean(one.broker for one in last) - mean(one.broker for one in middle),
        max(one.threads for one in last) - max(one.threads for one in middle),
        max(one.files for one in last) - max(one.files for one in middle),
    )
    found = [f"The hub has {grown.threads} threads more."] if grown.threads > MOST_THREADS_MORE else []
    found += [f"The hub has {grown.files} files more open."] if grown.files > MOST_FILES_MORE else []
    found += [f"The hub has grown by {grown.hub:.0f} MB."] if grown.hub > most else []
    return grown, found


def soak(
    seconds: float, tables: int, folder: Path, say: Callable[[str], None], seed: int = 1, think: float = 0
) -> list[str]:
    """Play for so long; return what is wrong, in sentences."""
    each = f"{ALONE}\nhouse_seconds = {think}"
    with ChaosHub(folder, tables, seats=SEATS, each=each, simulated=tables <= MOST_SIMULATED) as hub:
        guests = [Patron(table, hub.games[table], hub.address_of(table), seed) for table in hub.tables]
        watched = _watch(hub, guests, seconds, max(0.2, seconds / 300), say)
    return _judge(hub, guests, watched, MOST_GROWTH, say)


def soak_day(
    matches: Sequence[str], folder: Path, say: Callable[[str], None], seed: int = 1, most: float = MOST_GROWTH_DAY
) -> list[str]:
    """Play matches of these games at one table, one after the other; return what is wrong, in sentences."""
    with ChaosHub(folder, 1, seats=SEATS, each=f"{ALONE}\nhouse_seconds = 0") as hub:
        guest = Regular("1", matches, hub.address_of("1"), seed)
        watched = _watch(hub, [guest], MOST_MINUTES * 60, min(5.0, 0.1 * len(matches)), say)
    found = _judge(hub, [guest], watched, most, say)
    missing = len(matches) - guest.promised.begun
    return found + ([f"{missing} of {len(matches)} matches were not played in time."] if missing else [])


class Watched(NamedTuple):
    """What was seen of a hub while it played."""

    samples: list[Sample]
    seconds: float
    cpu: float
    ended: bool


def _watch(
    hub: ChaosHub, guests: Sequence[Patron], seconds: float, pause: float, say: Callable[[str], None]
) -> Watched:
    """Let the guests play for so long, or until they have ended by themselves; look at the hub after each pause."""
    for one in guests:
        one.start()
    samples, spent, began = [], cpu(hub.pid), time.monotonic()
    while (past := time.monotonic() - began) < seconds and any(one.is_alive() for one in guests):
        samples.append(sample(hub))
        if len(samples) % 30 == 1:
            begun = sum(one.promised.begun for one in guests)
            say(
                f"{past:6.0f} s, {begun} matches: hub {samples[-1].hub:.0f} MB, broker {samples[-1].broker:.0f} MB, "
                f"{samples[-1].threads} threads, {samples[-1].files} files"
            )
        time.sleep(pause)
    spent = cpu(hub.pid) - spent
    send_home(guests)
    return Watched(samples, past, spent, bool(hub.endings))


def _judge(
    hub: ChaosHub, guests: Sequence[Patron], watched: Watched, most: float, say: Callable[[str], None]
) -> list[str]:
    """Say what a hub that has ended took and answered; return what is wrong, in sentences."""
    grown, found = growth(watched.samples, most)
    found += ["The hub ended by itself."] if watched.ended else []
    found += [f"Table {one.table}: {type(one.trouble).__name__}: {one.trouble}" for one in guests if one.trouble]
    found += [f"The hub's journal: {line.strip()}" for line in hub.output if "Traceback" in line]
    wrong, counted = troubles(hub.state, {one.table: one.promised for one in guests}, seats=[1])
    found += ["A connection was lost."] if any(one.promised.lost for one in guests) else []
    took = [one for guest in guests for one in guest.took]
    cuts = quantiles(took, n=100)
    say(f"{counted['matches']} matches, {counted['entries']} entries, {counted['acknowledged']} actions answered")
    say(
        f"a request until its answer: {cuts[49]:.1f} ms p50, {cuts[98]:.1f} ms p99, {max(took):.0f} ms at most; "
        f"hub {100 * watched.cpu / watched.seconds:.0f} % of a core"
    )
    say(
        f"last third less the middle one: hub {grown.hub:+.1f} MB, broker {grown.broker:+.1f} MB, "
        f"{grown.threads:+} threads, {grown.files:+} files"
    )
    return found + wrong


def main() -> int:
    """Play as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--think", type=float, default=0)
    parser.add_argument("--day", nargs="*", metavar="GAME", choices=games.names(), help="all games without one")
    args = parser.parse_args()
    if not (0 < args.minutes <= MOST_MINUTES and 0 < args.tables <= MOST_TABLES):
        parser.error(f"{MOST_MINUTES:.0f} minutes and {MOST_TABLES} tables at most")
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    if args.day is None:
        found = soak(args.minutes * 60, args.tables, folder, print, think=args.think)
    else:
        found = soak_day(programme(args.day or games.names()), folder, print)
    for one in found:
        print(f"WRONG: {one}")
    if not found:
        shutil.rmtree(folder)
        print("nothing is wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
