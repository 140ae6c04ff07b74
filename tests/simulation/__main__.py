"""Simulate evenings until a promise is broken: `make simulate`, or `python -m tests.simulation --seeds 1000`.

Each seed is one evening at one table, followed by the check that people can go on and that the next guests can play. The
same seed and commit give the same trace. A failed seed is made short and printed as sentences.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Sequence

from tests.simulation.shrink import failure, shortest

MINUTES = 15.0


def main(argv: Sequence[str]) -> int:
    """Run the seeds. Return 1 if one broke a promise."""
    parser = argparse.ArgumentParser(prog="make simulate ARGS=...", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: 1)")
    parser.add_argument("--seeds", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of an evening (default: 15)")
    parser.add_argument("--trace", action="store_true", help="print what happens")
    given = parser.parse_args(argv)
    logging.disable()  # a full disk is no news here
    started, failed = time.monotonic(), 0
    for seed in range(given.seed, given.seed + given.seeds):
        broken, script, lines = failure(seed, given.minutes)
        if given.trace:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
        if broken:
            failed += 1
            sys.stdout.write(f"\nseed {seed}: {broken}\n{len(script)} steps, made shorter:\n")
            sys.stdout.write("".join(f"{one}\n" for one in shortest(seed, given.minutes, script)))
            sys.stdout.flush()
        elif sys.stderr.isatty():
            passed = time.monotonic() - started
            hours = (seed - given.seed + 1) * (given.minutes + 22) / 60
            sys.stderr.write(
                f"\rseed {seed}: {hours:.0f} hours, {hours * 3600 / passed:.0f} times as fast as real time "
            )
    passed = time.monotonic() - started
    sys.stdout.write(f"{given.seeds} evenings, {failed} with a broken promise, {passed:.0f} s\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
