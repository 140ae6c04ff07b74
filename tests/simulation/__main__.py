"""Simulate evenings until a promise is broken: `make simulate`, or `python -m tests.simulation --seeds 1000`.

Each seed is one evening at the tables of one hub, followed by the checks of `promises.py` and `twin.py`. The same seed and
commit give the same trace. A failed seed is made short and printed as sentences; `--keep NAME` makes it a regression test.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.simulation.found import keep
from tests.simulation.shrink import Evening, shortest, simulate
from tests.simulation.viewer import write_page
from tests.simulation.world import World

MINUTES = 15.0
CHECKED_MINUTES = 24.0  # how long the checks after an evening take


def _quiet() -> None:
    logging.disable()  # a full disk is no news here


def _run(seed: int, minutes: float, secrets: int) -> tuple[int, Evening]:
    return seed, simulate(seed, minutes, secrets=secrets)


def _evenings(seeds: range, minutes: float, secrets: int, jobs: int) -> Iterator[tuple[int, Evening]]:
    run = partial(_run, minutes=minutes, secrets=secrets)
    if jobs == 1:
        yield from map(run, seeds)
        return
    with ProcessPoolExecutor(jobs, initializer=_quiet) as pool:
        yield from pool.map(run, seeds)


def _write_page(seed: int, minutes: float, into: Path) -> None:
    def on_end(world: World, broken: str) -> None:
        write_page(world, f"Seed {seed}: {broken or 'no promise was broken'}", into)

    simulate(seed, minutes, on_end=on_end)


def main(argv: Sequence[str]) -> int:
    """Run the seeds. Return 1 if one broke a promise."""
    parser = argparse.ArgumentParser(prog="make simulate ARGS=...", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: 1)")
    parser.add_argument("--seeds", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of an evening (default: 15)")
    parser.add_argument(
        "--secrets", type=int, default=1, help="choices and deals that are compared with others (default: 1)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="evenings at the same time (default: 1)")
    parser.add_argument("--trace", action="store_true", help="print what happens")
    parser.add_argument("--keep", metavar="NAME", help="keep the first failed evening as a regression test")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write a page that plays the first seed back")
    given = parser.parse_args(argv)
    _quiet()
    if given.page:
        _write_page(given.seed, given.minutes, given.page)
        sys.stdout.write(f"Open {given.page} in a browser.\n")
        return 0
    started, failed, minutes = time.monotonic(), 0, 0.0
    seeds = range(given.seed, given.seed + given.seeds)
    for done, (seed, evening) in enumerate(_evenings(seeds, given.minutes, given.secrets, given.jobs), 1):
        minutes += evening.tables * (given.minutes + CHECKED_MINUTES)
        if given.trace:
            sys.stdout.write("".join(f"{line}\n" for line in evening.lines))
        if evening.broken:
            failed += 1
            sys.stdout.write(f"\nseed {seed}: {evening.broken}\n")
            sys.stdout.flush()
            if evening.is_of_twins:  # they are compared at one step of the whole script
                continue
            sys.stdout.write(f"{len(evening.script)} steps, made shorter:\n")
            short = shortest(seed, given.minutes, evening.script)
            sys.stdout.write("".join(f"{one}\n" for one in short))
            if given.keep and failed == 1:
                sys.stdout.write(f"kept as {keep(given.keep, seed, given.minutes, short, evening.broken)}\n")
            sys.stdout.flush()
        elif sys.stderr.isatty():
            passed = time.monotonic() - started
            bar = f"{'#' * (30 * done // given.seeds):30}"
            sys.stderr.write(f"\r[{bar}] {minutes / 60:.0f} hours at a table, {minutes / passed:.0f} hours per minute ")
    passed = time.monotonic() - started
    sys.stdout.write(
        f"{given.seeds} evenings, {failed} with a broken promise: {minutes / 60:.0f} hours at a table in {passed / 60:.1f} min, "
        f"{minutes * 60 / passed:.0f} times as fast as real time\n"
    )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
