"""The example packages: pip installs them as anybody would, a hub finds them, and they pass what games of ours pass."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

HERE = Path(__file__)
ROOT = HERE.parents[2]
EXAMPLES = sorted((ROOT / "hub" / "docs" / "examples" / "games").iterdir())
NAMES = [folder.name for folder in EXAMPLES]
LAWS = (
    "tests/test_laws.py",
    "tests/test_house_players.py",
    "tests/games",
    "tests/test_language_law.py",
    "tests/display/test_made_language.py",
)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip has installed all of them."""
    made, sources = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("sources")
    for folder in EXAMPLES:
        copytree(folder, sources / folder.name)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(made), *(str(sources / name) for name in NAMES)], check=True)
    return made


def run(target: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(target)}, input=given,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.real_chance
@pytest.mark.real_time
def test_a_hub_finds_the_examples_that_pip_has_installed(target: Path) -> None:
    listed = run(target, "-m", "hub", "games")
    assert listed.stderr == ""
    for name in NAMES:
        assert re.search(rf"^{name} .*, from the package {name} \d+\.\d+\.\d+$", listed.stdout, re.MULTILINE), (
            listed.stdout
        )
        house = [f"--house={seat}" for seat in (1, 2, 3)]
        played = run(target, "-m", "hub", "referee", name, "--seats", "3", "--seed", "1", *house)
        assert played.returncode == 0, played.stderr
        assert '"over":{' in played.stdout.splitlines()[-1]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_an_example_passes_the_laws_and_the_tests_of_a_game(target: Path, name: str) -> None:
    done = run(target, "-m", "pytest", "-q", "-p", "no:cacheprovider", *LAWS, f"--ignore={HERE}", "-k", name)
    assert done.returncode == 0, done.stdout[-6000:]
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) > 50


@pytest.mark.long
@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_an_example_is_platinum(folder: Path) -> None:
    done = run(folder, "-m", "hub", "check-game", f"{folder}", "--level", "platinum")
    assert done.returncode == 0, done.stdout
