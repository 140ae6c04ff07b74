"""Which games and which matches a law is tried on."""

from __future__ import annotations

import os

import pytest

from hub import games

SEEDS = range(int(os.environ.get("LAWS", "6")))
"""The matches, the same in every run; LAWS=300 pytest tests/test_laws.py -k bidness tries more."""

every_game = pytest.mark.parametrize("name", games.names())
every_seed = pytest.mark.parametrize("seed", SEEDS)
