"""Kept matches of the games of this repository are seen as they were (`hub/authoring/playthroughs.py`).

After a wanted change `python -m tests.games.test_playthroughs <game>` writes them anew; it wants a line in CHANGELOG.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hub import games
from hub.authoring.playthroughs import EACH, digests, keep, logs

HERE = Path(__file__).parent / "playthroughs"
SEEN = HERE / "seen"


@pytest.mark.parametrize("name", games.built_in())
def test_kept_matches_are_seen_as_they_were(name: str) -> None:
    assert digests(name, HERE) == (SEEN / f"{name}.toml").read_text("utf-8")
    assert len(logs(name, HERE)) == EACH


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "2"])
def test_kept_matches_are_seen_alike_under_any_hash_seed(seed: str) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "tests.games.test_playthroughs", "--tell"],
        env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    assert said == "".join((SEEN / f"{name}.toml").read_text("utf-8") for name in games.built_in())


if __name__ == "__main__":
    if "--tell" in sys.argv:
        sys.stdout.write("".join(digests(game, HERE) for game in games.built_in()))
    else:
        for game in sys.argv[1:] or games.built_in():
            keep(game, HERE)
            (SEEN / f"{game}.toml").write_text(digests(game, HERE), "utf-8")
