"""Look for tests that do not give the same answer each time: `make flaky`, or `python -m tests.flaky`.

The tests are run several times, each time in another order, with another hash seed, and beside programs that use the
processor. Tests whose outcome differed are listed with the seeds of the runs in which they failed. Everything that is not
an option of this program goes to pytest: a selection, `-m`, `-k`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple
from xml.etree import ElementTree as ET

from tests.order import SEED

ROOT = Path(__file__).parent.parent
BURN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100_000))\n"
"""A program that uses a processor until the program that started it has ended."""
NICE = "5"


class Run(NamedTuple):
    """One run of the tests."""

    order: int
    hash_seed: int
    outcomes: dict[str, str]
    """By test: passed, failed, error or skipped."""

    @property
    def again(self) -> str:
        """What repeats its order and hash seed."""
        return f'{SEED}={self.order} PYTHONHASHSEED={self.hash_seed} make test ARGS="-p tests.order"'


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep `processes` programs running that use a processor each, a little more politely than the tests."""
    started = [subprocess.Popen(["nice", "-n", NICE, sys.executable, "-c", BURN]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def run_once(order: int, hash_seed: int, arguments: Sequence[str]) -> Run:
    """Run the tests once. Raise SystemExit if pytest cannot run them at all."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "tests.order", f"--junitxml={report}", *arguments],
            cwd=ROOT, env=os.environ | {SEED: f"{order}", "PYTHONHASHSEED": f"{hash_seed}"}, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode not in (0, 1) or not report.exists():
            print(done.stdout, done.stderr, sep="\n")
            raise SystemExit(2)
        if done.returncode:
            print(done.stdout)
        return Run(order, hash_seed, outcomes_in(report))


def outcomes_in(report: Path) -> dict[str, str]:
    """Return the outcome of each test of a JUnit file; the worst one if a test has several, for its set-up and itself."""
    found: dict[str, str] = {}
    ranks = ("passed", "skipped", "error", "failed")
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        tags = {child.tag for child in case}
        outcome = (
            "failed"
            if "failure" in tags
            else "error"
            if "error" in tags
            else "skipped"
            if "skipped" in tags
            else "passed"
        )
        found[name] = max(outcome, found.get(name, "passed"), key=ranks.index)
    return found


def differing(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return the tests whose outcome was not the same in all runs, with their outcomes; "missing" if one was not run."""
    names = {name: None for run in runs for name in run.outcomes}
    found = {name: [run.outcomes.get(name, "missing") for run in runs] for name in names}
    return {name: outcomes for name, outcomes in found.items() if len(set(outcomes)) > 1}


def failing(runs: Sequence[Run]) -> list[str]:
    """Return the tests that failed in every run."""
    return [name for name in runs[0].outcomes if all(run.outcomes.get(name) in ("failed", "error") for run in runs)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if every test passed in every run, else 1."""
    asked = argparse.ArgumentParser(prog="make flaky", description=__doc__.partition("\n")[0] if __doc__ else "")
    asked.add_argument("--runs", type=int, default=10, help="how often the tests are run (10)")
    asked.add_argument(
        "--load", type=int, default=os.cpu_count() or 1, help="programs that use a processor each meanwhile"
    )
    asked.add_argument("--seed", type=int, default=1, help="where the seeds of the runs come from (1)")
    given, rest = asked.parse_known_args(arguments)
    random, runs = Random(given.seed), list[Run]()
    with busy(given.load):
        for number in range(1, given.runs + 1):
            began = time.monotonic()
            run = run_once(random.randrange(2**16), random.randrange(2**16), rest)
            runs.append(run)
            bad = sum(outcome in ("failed", "error") for outcome in run.outcomes.values())
            print(f"run {number}: {len(run.outcomes)} tests, {bad} failed, {time.monotonic() - began:.0f} s: {run.again}", flush=True)  # fmt: skip
    for name in failing(runs):
        print(f"failed each time: {name}")
    for name, outcomes in differing(runs).items():
        print(f"differed: {name}")
        for run, outcome in zip(runs, outcomes, strict=True):
            if outcome != "passed":
                print(f"    {outcome}: {run.again}")
    good = not failing(runs) and not differing(runs)
    if good:
        print(f"Every test gave the same answer in {len(runs)} runs.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
