"""Mutants as a measure of the tests: `make mutants`, or `python -m tests.mutants hub/table/people/endings.py ...`.

mutmut changes the code in many small ways. mypy or a test has to notice each change: of the tests of a package, those that
reach it are run. A change that nothing notices is shown. `mutants.toml` lists accepted changes, which make no difference.
The work is done in a copy below `build`, which keeps the results of unchanged functions.
"""

from __future__ import annotations

import argparse
import json
import re
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
DIGITS = "1470369258"
"""The order in which tenths of the mutants are tried: by the last digit of their number in their function."""
TABLE = "tests/table/test_"
TESTS: Mapping[str, Sequence[str]] = {
    "hub/engine": ("tests/engine", "tests/games"),
    "hub/store": (
        "tests/test_marks.py", "tests/test_earlier_database.py", "tests/test_history.py", "tests/test_keyed_log.py",
        "tests/test_power_cuts.py", "tests/test_queries.py", "tests/test_schema.py",
        "tests/test_store.py", "tests/test_wiping.py",
    ),
    "hub/table/base": ("names", "notices", "kept", "parts", "faults", "table"),
    "hub/table/boxes": ("captions", "controls", "rolls", "dispute", "table"),
    "hub/table/dice": ("rolls", "dispute", "hub_rolls", "faults", "table"),
    "hub/table/match": ("match_log", "feed", "play", "minutes_left", "highlights", "faults", "dispute", "after_a_match", "table"),
    "hub/table/people": (
        "absence", "endings", "suspended", "new_phone", "lobby", "vacancy", "house_seats", "pitches", "after_a_match",
        "worst_luck", "printed_cards",
    ),
    "hub/table/seating": (
        "seat_list", "conditions", "claims", "questions", "notices", "lobby", "new_phone", "suspended", "endings", "absence",
        "vacancy", "house_seats", "worst_luck", "after_a_match", "table",
    ),
    "hub/table/staff": ("staff", "opening_hours", "endings", "suspended", "table"),
    "hub/table/views": (
        "snapshots", "publisher", "demonstration", "hints", "lessons", "reveal", "pitches", "printed_cards", "absence",
        "endings", "suspended", "table",
    ),
    "hub/table": (
        "loop", "presses", "captions", "rolls", "requests", "requests_law", "parts", "inbox", "faults", "staff", "lobby",
        "pitches", "dispute", "absence", "endings", "suspended", "table",
    ),
}  # fmt: skip
"""By folder, the tests that are to notice changes in its files; of the table, only the ends of their names.

The laws in `test_people.py` and `test_vacancy_law.py` are left out: they would take most of the time.
"""
TYPES = (
    "--config-file=", "--explicit-package-bases", "--check-untyped-defs", "--ignore-missing-imports",
    "--follow-imports=silent", "--output=json",
    "--disable-error-code=no-redef",  # mutmut writes all versions of a constructor into one class
    "--disable-error-code=no-overload-impl",  # it writes them between the signatures and the function
)  # fmt: skip
SENTENCES = (r"\bsay(_count)?\(", r'^\s*"[^"]* [^"]* [^"]*",?$', r"\blog\.")
"""Lines that are left as they are: no test is better for repeating what people read."""
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|ALTER|DROP|PRAGMA|BEGIN|COMMIT|ROLLBACK)\b")
CONFIG = """
[tool.mutmut]
source_paths = ["hub"]
only_mutate = {files}
also_copy = ["drivers", "firmware", "phone_ui"]
do_not_mutate_patterns = {sentences}
type_check_command = {types}
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
    """Return the innermost folder of `TESTS` that a file is in, or ""."""
    return max((folder for folder in TESTS if file.startswith(f"{folder}/")), key=len, default="")


def _tests(folder: str) -> list[str]:
    return [name if "/" in name else f"{TABLE}{name}.py" for name in TESTS[folder]]


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [file for file in listed.stdout.splitlines() if (ROOT / file).is_file()]


def copy_sources(files: Sequence[str], tests: Sequence[str]) -> None:
    """Bring the copy up to date, and say there what is measured. The time of a file that has not changed stays."""
    settings = COPY / "pyproject.toml"
    before = settings.read_text("utf-8") if settings.exists() else ""
    same = [(COPY / file).exists() and (COPY / file).read_bytes() == (ROOT / file).read_bytes() for file in files]
    for file in _tracked():
        there = COPY / file
        if not there.exists() or there.read_bytes() != (ROOT / file).read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, there)
    types = [sys.executable, "-m", "mypy", *TYPES, *files]
    config = CONFIG.format(
        files=json.dumps(files), tests=json.dumps(tests), sentences=json.dumps(SENTENCES), types=json.dumps(types)
    )
    settings.write_text((ROOT / "pyproject.toml").read_text("utf-8") + config, "utf-8")
    if not all(same) or settings.read_text("utf-8") != before:
        # mutmut asks only new tests what they reach: it would know no older test for other files and functions
        (COPY / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
        for file in files:  # mutmut copies files that are not measured, and takes the copy for mutants later
            (COPY / "mutants" / file).unlink(missing_ok=True)


def _mutmut(*arguments: str, quiet: bool = False) -> str:
    tool = Path(sys.executable).with_name("mutmut")
    done = subprocess.run(
        [str(tool), *arguments], cwd=COPY, stdout=subprocess.PIPE if quiet else None, text=True, check=False
    )
    return done.stdout or ""


def _codes(file: str) -> Mapping[str, int | None]:
    """Return the exit code of each mutant of a file."""
    made = COPY / "mutants" / f"{file}.meta"
    codes: Mapping[str, int | None] = json.loads(made.read_text("utf-8"))["exit_code_by_key"] if made.exists() else {}
    return codes


def _retry_unnoticed(file: str) -> None:
    """Forget what no test has noticed: today's tests may."""
    made = COPY / "mutants" / f"{file}.meta"
    if made.exists():
        known = json.loads(made.read_text("utf-8"))
        for name, code in known["exit_code_by_key"].items():
            if code in (*SURVIVED, *NO_TESTS):
                known["exit_code_by_key"][name] = None
        made.write_text(json.dumps(known), "utf-8")


def score(file: str, accepted: Mapping[str, str]) -> Score:
    """Return the results of a file. An accepted mutant counts as if it had not been made."""
    codes = _codes(file)
    tried = {name: code for name, code in codes.items() if code is not None and code not in NO_TESTS}
    unnoticed = [name for name, code in codes.items() if code in (*SURVIVED, *NO_TESTS)]
    changes = {name: _lines(name) for name in unnoticed}
    survived = [name for name, lines in changes.items() if lines[1] not in accepted and not _is_same_sql(*lines)]
    waived = len(unnoticed) - len(survived)
    return Score(file, len(tried) + sum(codes[name] in NO_TESTS for name in unnoticed) - waived, survived)


def _module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def change(name: str) -> str:
    """Return the changed lines of a mutant."""
    return _lines(name)[1]


def _lines(name: str) -> tuple[str, str]:
    """Return the lines that a mutant changes, before and after."""
    lines = [line for line in _mutmut("show", name, quiet=True).splitlines() if line[:3] not in ("---", "+++")]
    before, after = (" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return before, after


def _is_same_sql(before: str, after: str) -> bool:
    """Return whether a change makes other letters of SQL capital, which it does not distinguish."""
    return before.lower() == after.lower() and SQL.search(before) is not None


def main(arguments: Sequence[str]) -> int:
    """Try the mutants of some files, and print what no test notices. Return 1 if a file is below the goal."""
    parser = argparse.ArgumentParser(prog="make mutants ARGS=...", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("files", nargs="*", help="which files (default: all that are measured)")
    parser.add_argument("--jobs", type=int, default=2, help="tests at the same time (default: 2)")
    parser.add_argument("--tenths", type=int, default=10, help="try so many tenths of the mutants (default: 10)")
    parser.add_argument("--report", action="store_true", help="print what is known, and try nothing")
    given = parser.parse_args(arguments)
    files = given.files or measured()
    if unknown := sorted({*files} - {*measured()}):
        parser.error(f"not measured: {', '.join(unknown)}. It can be a file of {', '.join(TESTS)}.")
    ends = [f"*{digit}" for digit in DIGITS[: given.tenths]]
    for folder in TESTS:
        if given.report or not (here := [file for file in files if _folder(file) == folder]):
            continue
        copy_sources(here, _tests(folder))
        for file in here:
            _retry_unnoticed(file)
        _mutmut("run", "--max-children", f"{given.jobs}", *(f"{_module(file)}.{end}" for file in here for end in ends))
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
