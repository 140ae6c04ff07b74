"""A short run of `python -m tests.bench.soak`, and whether it would notice what it looks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub import games
from tests.bench.soak import MOST_GROWTH, Sample, growth, programme, soak, soak_day


@pytest.mark.slow
@pytest.mark.broker
def test_a_hub_that_plays_against_itself_loses_nothing_and_takes_no_more(tmp_path: Path) -> None:
    said: list[str] = []
    assert soak(5.0, 2, tmp_path, said.append) == [], "\n".join(said)
    assert any("actions answered" in line for line in said)


@pytest.mark.slow
@pytest.mark.broker
def test_matches_are_played_one_after_the_other_at_one_table(tmp_path: Path) -> None:
    said: list[str] = []
    played = ["goofspiel", "bid-and-bait"]
    assert soak_day(played, tmp_path, said.append, most=MOST_GROWTH) == [], "\n".join(said)  # so few only warm it
    assert any(line.startswith("2 matches") for line in said)


def test_a_day_has_as_many_matches_of_each_game_as_people_play_in_it() -> None:
    day = programme(games.names())
    for name in games.names():
        minutes = games.find(name).labels.minutes
        assert abs(day.count(name) * minutes - 24 * 60) <= minutes / 2
        third = len(day) // 3
        parts = [day[n * third : (n + 1) * third].count(name) for n in range(3)]
        assert max(parts) - min(parts) <= 2, f"{name} is not mixed evenly: {parts}"
    assert programme(["bidness"], 1) == ["bidness"]


def test_what_grows_is_named() -> None:
    flat = [Sample(90.0, 9.0, 20, 60)] * 30
    assert growth(flat)[1] == []
    assert growth([Sample(60.0 + number, 9.0, 20, 60) for number in range(9)] + flat)[1] == [], "a start is no growth"
    for more, word in (((0, 1, 0), "threads"), ((0, 0, 1), "files"), ((2, 0, 0), "grown")):
        grows = [Sample(90.0 + n * more[0], 9.0, 20 + n * more[1], 60 + n * more[2]) for n in range(30)]
        found = growth(grows)[1]
        assert len(found) == 1
        assert word in found[0]
