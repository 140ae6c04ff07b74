"""`make flaky`: a test that does not give the same answer each time is found, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests import flaky, order

STEADY = "def test_one() -> None: ...\ndef test_two() -> None: ...\ndef test_three() -> None: ...\n"
NOW_AND_THEN = """
from pathlib import Path
seen = Path(__file__).with_suffix(".seen")
def test_now_and_then() -> None:
    if not seen.exists():
        seen.write_text("")
        raise AssertionError("the first time it fails")
"""
NEVER = "def test_never() -> None:\n    assert False\n"

pytestmark = pytest.mark.real_time  # how long a run took is printed


def run(folder: Path, capsys: pytest.CaptureFixture[str], *files: str) -> tuple[int, str]:
    """Run files of tests twice; the exit code, and what is printed."""
    for number, text in enumerate(files):
        (folder / f"test_{number}.py").write_text(text)
    code = flaky.main(["--runs", "2", "--load", "1", "-p", "no:cacheprovider", f"--rootdir={folder}", str(folder)])
    return code, capsys.readouterr().out


@pytest.fixture(autouse=True)
def without_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take a second each time


def test_tests_that_pass_each_time_are_no_news(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = run(tmp_path, capsys, STEADY)
    assert code == 0
    assert "Every test gave the same answer in 2 runs." in told
    assert "differed" not in told


def test_a_test_that_fails_now_and_then_is_listed_with_what_repeats_that_run_and_one_that_always_fails_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = run(tmp_path, capsys, STEADY, NOW_AND_THEN, NEVER)
    assert code == 1
    ((name, seeds),) = re.findall(r"^differed: (.*)\n    failed: (\S+ \S+) make test", told, re.MULTILINE)
    assert name == "test_1::test_now_and_then"
    assert re.fullmatch(r"TABLE_HUB_ORDER=\d+ PYTHONHASHSEED=\d+", seeds)
    assert seeds in re.findall(r"^run 1: .*", told, re.MULTILINE)[0]
    assert re.findall(r"^failed each time: (.*)", told, re.MULTILINE) == ["test_2::test_never"]


@dataclass(frozen=True)
class Item:
    path: Path
    name: int


def test_each_seed_is_an_order_of_its_own_in_which_the_tests_of_a_file_stay_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    items: list[Any] = [Item(Path(file), name) for file in "abcdef" for name in range(6)]

    def ordered(seed: int) -> list[Any]:
        monkeypatch.setenv(order.SEED, str(seed))
        order.pytest_collection_modifyitems(mine := list(items))
        return mine

    first, other = ordered(1), ordered(2)
    assert first == ordered(1)
    assert first != other
    assert first != items
    assert sorted(first, key=items.index) == items
    assert len(list(groupby(first, lambda item: item.path))) == 6


def test_the_load_ends_with_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(*args: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*args))
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    with flaky.busy(2):
        assert [one.poll() for one in started] == [None, None]
    assert None not in [one.returncode for one in started]


def test_what_hypothesis_draws_does_not_depend_on_the_modules_that_other_tests_have_loaded(tmp_path: Path) -> None:
    """Each run in a process of its own: one has loaded a module of this repository with thousands of words."""
    drawn = tmp_path / "test_drawn.py"
    drawn.write_text(
        "import tests.conftest\n"
        "from hypothesis import given, strategies as st\n"
        "@given(st.text())\n"
        "def test_text(text):\n"
        "    print('drawn', ascii(text))\n"
    )

    def run(*more: str) -> list[str]:
        command = [sys.executable, "-m", "pytest", "-s", "-q", "-p", "no:cacheprovider", *more, str(drawn)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=flaky.ROOT, check=True)
        return [line for line in done.stdout.splitlines() if line.startswith("drawn")]

    alone = run()
    assert len(alone) > 50
    assert alone == run("-p", "tests.phone_ui.scenes")
