"""The arithmetic of Bidness: odds in court, salaries, prices. Everything else is told by its scenarios."""

from __future__ import annotations

import pytest

from hub.engine.odds import beat
from hub.engine.secret import Secret
from hub.games.bidness import SIDES, Company, unit_price


@pytest.mark.parametrize(
    ("plaintiff", "defendant", "percent"),
    [(2, 2, 44.37), (3, 2, 77.85), (4, 2, 93.92), (2, 3, 15.20), (3, 3, 45.36), (4, 3, 74.28), (2, 4, 3.59)],
)
def test_the_odds_of_a_trial_are_exact_and_a_tie_is_the_defendants(
    plaintiff: int, defendant: int, percent: float
) -> None:
    assert round(float(beat(plaintiff, defendant, SIDES)) * 100, 2) == percent


def test_lawyers_cost_ten_times_their_square() -> None:
    paid = [Company(Secret([]), engineers=0, marketers=0, lawyers=lawyers).salary for lawyers in range(1, 9)]
    assert paid == [10, 40, 90, 160, 250, 360, 490, 640]
    assert Company(Secret([]), marketers=3, engineers=2, lawyers=2).salary == 90
    assert Company(Secret([]), marketers=0, engineers=0, lawyers=12).salary == 1440, "and so on"


@pytest.mark.parametrize(("tech", "price"), [(14, 10), (16, 10), (18, 10), (20, 20), (9, 0), (0, 0)])
def test_a_price_is_the_tech_points_rounded_down_to_tens(tech: int, price: int) -> None:
    assert unit_price(tech, leads=False) == price
    assert unit_price(tech, leads=True) == price + 10
