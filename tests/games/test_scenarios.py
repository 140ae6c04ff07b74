"""The scenarios of every game play as the rules say, and every rule has one. `hub/authoring/scenarios.py` says how to write them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hub import games
from hub.authoring.scenarios import Scenario, play, read, unnamed, unproved

FILES = [
    *sorted((Path(__file__).parent / "scenarios").glob("*.toml")),
    *(parts.folder / "scenarios.toml" for parts in games.packaged().games.values() if parts.folder),
]
ALL = [scenario for path in FILES for scenario in read(path)]
WORKED = {rule for path in FILES for rule in tomllib.loads(path.read_text("utf-8")).get("worked", [])}


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: f"{scenario.game}: {scenario.name}")
def test_a_scenario_plays_as_the_rules_say(scenario: Scenario) -> None:
    play(scenario)


@pytest.mark.parametrize("name", games.names())
def test_every_rule_of_a_game_has_a_scenario(name: str) -> None:
    without, unknown = unproved(name, ALL)
    assert without == set(), "rules without a scenario"
    assert unknown - WORKED == set(), "scenarios cite rules that are not in the data file"


def test_every_worked_scenario_of_a_rulebook_is_played() -> None:
    assert WORKED - {rule for scenario in ALL for rule in scenario.rules} == set()


@pytest.mark.parametrize("name", games.names())
def test_every_rule_is_named_where_it_is_carried_out(name: str) -> None:
    assert unnamed(name) == set()
