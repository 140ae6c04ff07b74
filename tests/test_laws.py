"""Every game keeps the laws of games, found by name; and a law finds what it forbids."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

from hub import games
from hub.authoring.laws import LAWS, Law, ends, undoes
from hub.authoring.one_match import digests
from hub.authoring.quality import invariant_of
from hub.engine.game import Game
from tests.seeds import every_game, every_seed

pytestmark = pytest.mark.timeout(600)  # a law is a whole match, and a machine may be busy


@every_game
@pytest.mark.parametrize("law", [law for law in LAWS if law not in (ends, undoes)], ids=lambda law: law.__name__)
@every_seed
def test_a_game_keeps_a_law(name: str, law: Law, seed: int) -> None:
    law(name, seed)


@every_game
@every_seed
def test_a_match_ends_and_its_invariants_hold_after_every_action(name: str, seed: int) -> None:
    module = f"tests.games.invariants.{name.replace('-', '_')}"
    ends(name, seed, import_module(module).check if find_spec(module) else invariant_of(name))


@every_game
@every_seed
def test_undo_gives_the_very_state_before_or_is_refused(name: str, seed: int) -> None:
    undoes(name, seed, {"i-bid-you-not": "bid"}.get(name, ""))


@pytest.mark.slow
@every_game
def test_a_match_does_not_depend_on_the_order_of_hashes(name: str) -> None:
    found = digests(name)
    assert len(found) == 1
    assert found.pop().strip()


def test_there_are_games() -> None:
    found: list[Game] = [games.find(name) for name in games.names()]
    assert [game.name for game in found] == games.names()
