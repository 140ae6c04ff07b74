"""The page about the engine from Python: its examples run, and they need nothing but msgspec."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "hub" / "docs" / "engine.md"
ALONE = """
import importlib.abc, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in ("hub", "msgspec"):
            raise ModuleNotFoundError(f"{name} is not the engine's")

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])
from hub import games
from hub.chance import Chance
from hub.engine import house_player
from hub.engine.match import Match
for name in games.names():
    match = Match(games.find(name), [1, 2, 3])
    Chance(1).settle(match)
    assert match.view(1)
"""


def test_every_example_of_the_page_runs() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 15
    assert done.failed == 0


def test_the_engine_and_all_games_need_the_standard_library_and_msgspec_only() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, str(ROOT)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_page_names_only_what_there_is() -> None:
    text = PAGE.read_text("utf-8")
    for path in (
        "hub/engine/secret.py",
        "hub/engine/house_player.py",
        "hub/engine/sight.py",
        "tests/bench/openspiel.py",
    ):
        assert path in text
        assert (ROOT / path).is_file()
