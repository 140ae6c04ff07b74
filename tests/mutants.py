"""Mutants as a measure of the tests: `make mutants`, or `python -m tests.mutants hub/table/people/endings.py ...`.

mutmut changes the code in many small ways, and runs for each change the tests that reach it. A change that no test notices
is shown. `mutants.toml` lists accepted changes, which make no difference. The work is done in a copy below `build`, which
keeps the results of unchanged functions.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
COPY = ROOT / "build" / "mutants"
ACCEPTED = Path(__file__).with_name("mutants.toml")
GOAL = 90
"""How many percent of the mutants of a file are to be killed."""
SURVIVED, NO_TESTS = (0,), (5, 33)
"""Exit codes of mutmut's tests: they pass, and so do not notice; there are none."""
TESTS: Mapping[str, Sequence[str]] = {
    "hub/engine": ("tests/engine", "tests/games"),
    "hub/store": (
        "tests/test_earlier_database.py", "tests/test_history.py", "tests/test_keyed_log.py", "tests/test_power_cuts.py",
        "tests/test_store.py", "tests/test_wiping.py",
    ),
    "hub/table": ("tests/table",),
}  # fmt: skip
"""By folder, the tests that are to notice changes in its files."""
SENTENCES = (r"\bsay(_count)?\(", r'^\s*"[^"]* [^"]* [^"]*",?$', r"\blog\.")
"""Lines that are left as they are: no test is better for repeating what people read."""
CONFIG = """
[tool.mutmut]
source_paths = ["hub"]
only_mutate = {files}
also_copy = ["drivers", "firmware", "phone_ui"]
do_not_mutate_patterns = {sentences}
pytest_add_cli_args = ["-p", "no:xdist", "-m", "not slow and not long and not wide and not browser and not broker"]
pytest_add_cli_args_test_selection = {tests}
"""


class Score(NamedTuple):
    """The mutants of one file: how many were tried, and those that no test has noticed, by their names."""

    file: str
    tried: int
    survived: list[str]

    @property
    def percent(self) -> float:
        """Return how many percent were killed."""
        return 100 * (self.tried - len(self.survived)) / self.tried if self.tried else 100.0


def measured() -> list[str]:
    """Return the files that are measured."""
    return [file for file in _tracked() if file.endswith(".py") and _folder(file) and not file.endswith("__init__.py")]


def _folder(file: str) -> str:
    """Return the folder of `TESTS` that a file is in, or ""."""
    return next((folder for folder in TESTS if file.startswith(f"{folder}/")), "")


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [file for file in listed.stdout.splitlines() if (ROOT / file).is_file()]


def copy_sources(files: Sequence[str], tests: Sequence[str]) -> None:
    """Bring the copy up to date, and say there what is measured. The time of a file that has not changed stays."""
    for file in _tracked():
        there = COPY / file
        if not there.exists() or there.read_bytes() != (ROOT / file).read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, there)
    config = CONFIG.format(files=json.dumps(files), tests=json.dumps(tests), sentences=json.dumps(SENTENCES))
    (COPY / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8") + config, "utf-8")


def _mutmut(*arguments: str, quiet: bool = False) -> str:
    tool = Path(sys.executable).with_name("mutmut")
    done = subprocess.run(
        [str(tool), *arguments], cwd=COPY, stdout=subprocess.PIPE if quiet else None, text=True, check=False
    )
    return done.stdout or ""


def score(file: str, accepted: Mapping[str, str]) -> Score:
    """Return the results of a file. An accepted mutant counts as if it had not been made."""
    made = COPY / "mutants" / f"{file}.meta"
    codes: Mapping[str, int | None] = json.loads(made.read_text("utf-8"))["exit_code_by_key"] if made.exists() else {}
    tried = {name: code for name, code in codes.items() if code is not None and code not in NO_TESTS}
    unnoticed = [name for name, code in codes.items() if code in (*SURVIVED, *NO_TESTS)]
    changes = {name: change(name) for name in unnoticed}
    survived = [name for name, text in changes.items() if text not in accepted]
    waived = len(unnoticed) - len(survived)
    return Score(file, len(tried) + sum(codes[name] in NO_TESTS for name in unnoticed) - waived, survived)


def _module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def change(name: str) -> str:
    """Return the changed lines of a mutant."""
    lines = _mutmut("show", name, quiet=True).splitlines()
    return " ".join(line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++"))


def main(arguments: Sequence[str]) -> int:
    """Try the mutants of some files, and print what no test notices. Return 1 if a file is below the goal."""
    parser = argparse.ArgumentParser(prog="make mutants ARGS=...", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("files", nargs="*", help="which files (default: all that are measured)")
    parser.add_argument("--jobs", type=int, default=2, help="tests at the same time (default: 2)")
    parser.add_argument("--report", action="store_true", help="print what is known, and try nothing")
    given = parser.parse_args(arguments)
    files = given.files or measured()
    if unknown := sorted({*files} - {*measured()}):
        parser.error(f"not measured: {', '.join(unknown)}. It can be a file of {', '.join(TESTS)}.")
    for folder, tests in TESTS.items():
        if given.report or not (here := [file for file in files if _folder(file) == folder]):
            continue
        copy_sources(here, tests)
        _mutmut("run", "--max-children", f"{given.jobs}", *(_module(file) + ".*" for file in here))
    accepted = tomllib.loads(ACCEPTED.read_text("utf-8"))
    below = 0
    for file in files:
        found = score(file, accepted.get(file, {}))
        below += found.percent < GOAL
        killed = found.tried - len(found.survived)
        sys.stdout.write(f"{found.percent:5.1f} %  {killed:4} of {found.tried:4}  {file}\n")
        for name in found.survived:
            sys.stdout.write(f"          {change(name)}\n")
        sys.stdout.flush()
    return int(below > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
