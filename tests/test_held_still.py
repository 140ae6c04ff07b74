"""Tests say by a marker that they use the clock or the chance of the machine (`tests/held_still.py`)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.held_still_examples import CHANCE, TIME

ROOT = Path(__file__).parent.parent
TOLD = re.compile(r"^(PASSED|FAILED|ERROR) \S+?::(test_\w+(?:\[[^]]*\])?)", re.MULTILINE)


def test_an_unmarked_test_that_uses_the_machines_clock_or_chance_fails_and_a_marked_one_passes() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "-q", "tests/held_still_examples.py"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    told = TOLD.findall(run.stdout)
    failed = {name for outcome, name in told if outcome != "PASSED"}
    passed = {name for outcome, name in told if outcome == "PASSED"} - failed
    assert {name for name in failed if not name.startswith("test_unmarked")} == set()
    assert {name for name in passed if name.startswith("test_unmarked")} == set()
    assert len(failed) == len(TIME) + len(CHANCE) + 4, run.stdout
    assert len(passed) == len(TIME) + len(CHANCE) + 2, run.stdout
