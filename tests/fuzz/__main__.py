"""Fuzz everything that reads bytes from outside: `python -m tests.fuzz [TARGET ...] --seconds 60 --seed 7`.

Without --seconds it goes on until Ctrl-C, target after target. Where atheris is installed (x86-64) it looks for inputs
that reach new lines of code (`--engine atheris`, a process a target); else inputs are right ones that were changed by
chance. What fails is written into a file of build/fuzz, and `--again FILE` tries it once more.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import Random

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import FOUND, TARGETS, close

ROUND_SECONDS = 60.0


def mutate(name: str, seconds: float, seed: int) -> int:
    """Try changed inputs for so long; return how many. Raise what a target raises, its input kept in a file."""
    target = TARGETS[name]
    seeds, random = target.seeds(), Random(f"{name} {seed}")
    end, tried = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutated(seeds, random)
        try:
            target.run(data)
        except BaseException:
            FOUND.mkdir(parents=True, exist_ok=True)
            kept = FOUND / f"{name}-{seed}-{tried}"
            kept.write_bytes(data)
            print(f"{name}: {kept} fails", flush=True)
            raise
        tried += 1
    return tried


def main() -> int:
    """Run it as the command line says."""
    asked = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    asked.add_argument("target", nargs="*", help=f"{', '.join(TARGETS)}; all without one")
    asked.add_argument("--seconds", type=float, help="in all; without it until Ctrl-C")
    asked.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    asked.add_argument(
        "--engine", choices=("mutate", "atheris"), default="atheris" if find_spec("atheris") else "mutate"
    )
    asked.add_argument("--again", type=Path, metavar="FILE", help="try one input with one target, and end")
    given = asked.parse_args()
    names = given.target or [*TARGETS]
    if unknown := [name for name in names if name not in TARGETS]:
        asked.error(f"there is no target {unknown[0]}: there are {', '.join(TARGETS)}")
    if given.again:
        TARGETS[names[0]].run(given.again.read_bytes())
        return 0
    each = given.seconds / len(names) if given.seconds else ROUND_SECONDS
    print(f"seed {given.seed}, {given.engine}, {each:.0f} s for each of {', '.join(names)}", flush=True)
    for seed in count(given.seed):
        for name in names:
            if given.engine == "atheris":
                one = [sys.executable, "-m", "tests.fuzz.with_atheris", name, f"{max(1, each):.0f}", f"{seed % 2**31}"]
                if subprocess.run(one, check=False).returncode:
                    return 1
            else:
                print(f"{name}: {mutate(name, each, seed)} inputs, all read or refused", flush=True)
        if given.seconds:
            return 0
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(0)
    finally:
        close()
