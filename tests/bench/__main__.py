"""All measurements, one after another and in brief: `python -m tests.bench`, which is `make bench`.

At the end one table shows ours beside the peers, each with its budget. `--write` keeps it with its picture and the raw lines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from tests.bench.figures import FILE, circumstances, table, write
from tests.bench.peer import Absent, install

ALL: dict[str, list[str]] = {
    "engine": ["--matches", "8", "--runs", "5"],
    "box_latency": ["4", "100"],
    "firmware_latency": ["4", "50"],
    "press_to_phones": ["60"],
    "vision": ["90"],
    "transport": [],
    "fanout": ["500"],
    "crowd": ["1", "20"],
    "tables": ["200", "8"],
    "phone_page": ["8"],
    "hostile": ["3"],
}
PATIENCE = 600


def arguments(words: Sequence[str] | None = None) -> Namespace:
    """Return what the command line asks for: `wanted` measurements, numbers of `matches`, whether to `write`."""
    parser = ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("wanted", nargs="*", metavar="MEASUREMENT", help=f"one of {', '.join(ALL)}; all without one")
    parser.add_argument(
        "--matches", nargs="+", default=[], metavar="N", help="of `crowd`: 1 20 100 200 takes five minutes"
    )
    parser.add_argument("--write", action="store_true", help="keep table, picture and raw lines in tests/bench")
    args = parser.parse_args(words)
    args.wanted += [word for word in args.matches if not word.isdigit()]  # a measurement may stand behind the numbers
    args.matches = [int(word) for word in args.matches if word.isdigit()]
    return args


def main() -> int:
    """Run the named measurements, all without a name; 1 if one of them failed."""
    args = arguments()
    for name in args.wanted:
        if name not in ALL:
            print(f"There is no measurement {name}: there are {', '.join(ALL)}.", file=sys.stderr)
            return 2
    try:
        install()
    except Absent as why:
        print(why)
    failed, before, began = 0, os.getloadavg()[0], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "figures"
        kept.touch()
        for name in args.wanted or ALL:
            print(f"--- {name}", flush=True)
            more = map(str, args.matches) if name == "crowd" and args.matches else ALL[name]
            patience = PATIENCE + 5 * sum(args.matches)
            command = [sys.executable, "-m", f"tests.bench.{name}", *more]
            try:
                subprocess.run(command, check=True, timeout=patience, env={**os.environ, FILE: str(kept)})
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as why:
                print(f"{name} failed: {why}", file=sys.stderr)
                failed = 1
        lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    given = " ".join(sys.argv[1:])
    command_line = f'make bench ARGS="{given}"' if given else "make bench"
    run = circumstances(before, time.monotonic() - began, command_line) | {"figures": lines}
    print("--- beside the peers (in brackets: ours as a multiple of theirs)")
    print("\n".join(table(lines)))
    print(f"{run['seconds']} s; load {run['load before']} before, {run['load after']} after; {run['cores']} cores")
    if args.write:
        write(run)
    return failed


if __name__ == "__main__":
    sys.exit(main())
