"""The matches of the house that two commands reckon with: the same each time, at a person's pace, and counted right."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from hub import games
from tests.bench import house_figures
from tests.bench.house_matches import SECONDS, Card, Figure, Played, play_match, times


@pytest.mark.parametrize("game", games.names())
def test_a_match_of_a_number_is_always_the_same_and_every_entry_has_its_time(game: str) -> None:
    figure = Figure(game, games.find(game).seats[0])
    played = play_match(figure, 3)
    assert played == play_match(figure, 3)
    assert played != play_match(figure, 4)
    assert abs(sum(played.wins.values()) - 1) < 1e-9
    when = times(played, Random(1))
    assert len(when) == len(played.entries)
    assert all(one <= other for one, other in pairwise(when))
    assert 1 < when[-1] < 600
    assert set(played.entries) <= set("carsS")
    assert all(0 <= at <= len(played.entries) for at in played.rounds)


def test_in_a_sealed_choice_all_think_at_once() -> None:
    sealed, one_by_one = (Played(0, entries, [0], {}, {}) for entries in ("sssS" * 60, "aaaa" * 60))
    together = sum(times(sealed, Random(seed))[-1] for seed in range(40)) / 40
    apart = sum(times(one_by_one, Random(seed))[-1] for seed in range(40)) / 40
    assert SECONDS["sealed"] < together < 4 * SECONDS["sealed"]
    assert abs(apart - 4 * SECONDS["ask"]) < 0.25 * apart


def test_a_card_that_loses_is_told_from_one_that_is_merely_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(figure: Figure) -> list[Played]:
        cards = {
            "ENG": Card(10, 0, 0, 0),
            "MKT": Card(1, 1, 1, 0.5),
            "LAW": Card(1, 1, 1, 0.0),
            "CON": Card(1, 1, 1, 1.0),
        }
        return [Played(number, "a", [0], {1: 0.5, 2: 0.5}, cards) for number in range(200)] if figure.seats == 2 else []

    monkeypatch.setattr(house_figures, "kept", kept)
    found = {name: one.flaws() for name, one in house_figures.tallies("bidness").items()}
    assert found == {
        "ENG": "hardly ever taken", "MKT": "", "LAW": "its takers win far less than their part",
        "CON": "its takers win far more than their part",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("won", "said"), [([50.0, 50.0], "even"), ([80.0, 20.0], "seat 1 wins more than its part (p 0.0001)")]
)
def test_seats_are_called_uneven_where_chance_hardly_makes_them_so(
    monkeypatch: pytest.MonkeyPatch, won: list[float], said: str
) -> None:
    lines = [Played(n, "a", [0], {1: won[0] / 100, 2: won[1] / 100}, {}) for n in range(100)]
    monkeypatch.setattr(house_figures, "kept", lambda figure: lines)
    found, chance = house_figures.fairness(Figure("bidness", 2))
    assert house_figures.verdict(found, 100, chance) == said
