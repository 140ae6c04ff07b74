"""Evenings of fixed seeds: no promise is broken, and the same seed gives the same trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.simulation import found, shrink
from tests.simulation.defects import put_back
from tests.simulation.people import Intent
from tests.simulation.shrink import Evening, shortest, simulate
from tests.simulation.viewer import DATA, PAGE, write_page
from tests.simulation.world import World

pytestmark = [
    pytest.mark.real_chance,  # nonces of the encryption, which no trace has
    pytest.mark.real_time,  # the store measures how long it waits for its disk
]

MINUTES = 3.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
def test_an_evening_breaks_no_promise(seed: int) -> None:
    evening = simulate(seed, MINUTES, secrets=1)
    assert evening.broken == ""
    assert evening.script


@pytest.mark.slow
@pytest.mark.parametrize("path", found.evenings(), ids=lambda path: path.stem)
def test_an_evening_that_once_broke_a_promise_breaks_none(path: Path) -> None:
    seed, minutes, script = found.read(path)
    assert simulate(seed, minutes, script).broken == ""


@pytest.mark.slow
def test_the_same_seed_gives_the_same_evening_and_so_does_its_script() -> None:
    evening = simulate(5, MINUTES)
    assert simulate(5, MINUTES).lines == evening.lines
    end = next(number for number, line in enumerate(evening.lines) if line.endswith("from now on"))
    again = simulate(5, MINUTES, evening.script)
    assert again.script == evening.script
    assert again.lines[:end] == evening.lines[:end]


def test_the_shortest_script_has_what_a_failure_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    intents = [Intent(1000.0 + at, 0, "drop", {"n": at}) for at in range(40)]

    def needs_two(_seed: int, _minutes: float, script: list[Intent]) -> Evening:
        ats = {one.args["n"] for one in script}
        return Evening("broken" if {7, 31} <= ats else "", script, [])

    monkeypatch.setattr(shrink, "simulate", needs_two)
    assert [one.args["n"] for one in shortest(1, 1.0, intents)] == [7, 31]


def test_an_evening_that_is_kept_is_the_same_when_it_is_read(tmp_path: Path) -> None:
    bid = {"verb": "act", "args": {"move": "bid", "number": 3}}
    script = [Intent(1000.5, 0, "ask", bid), Intent(1001.0, -1, "restart", {"seconds": 1.0})]
    path = found.keep("a-name", 7, 3.0, script, "A promise.", tmp_path)
    assert found.read(path) == (7, 3.0, script)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("defect", "seed"),
    [
        ("shows what is not on disk", 1),
        ("a start never begins", 1),
        ("everybody is shown secret choices", 1),
        ("the choice in a box is ignored", 3),
        ("a seat goes to anybody who asks", 1),
        ("phones are sent the codes of all seats", 1),
    ],
)
def test_a_defect_is_found(defect: str, seed: int) -> None:
    """Many more are in `defects.py`, which takes half an hour."""
    with put_back(defect):
        assert simulate(seed, MINUTES, secrets=2).broken


def test_a_page_plays_an_evening_back(tmp_path: Path) -> None:
    with World(3) as world:
        world.run(0.5)
    write_page(world, "Seed 3", tmp_path / "evening.html")
    before, after = PAGE.read_text("utf-8").split(DATA)
    page = (tmp_path / "evening.html").read_text("utf-8")
    evening = json.loads(page[len(before) : -len(after)].replace("<\\/", "</"))
    assert evening["title"] == "Seed 3"
    assert any("asks for a seat" in text for _, text in evening["lines"])
    tables = evening["tables"]
    assert {*tables} == {place.name for place in world.places}
    assert [one["seat"] for one in tables["Table 1"][-1][1]["seats"]] == [*range(1, world.places[0].seats + 1)]
