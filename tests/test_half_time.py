"""What the measurement of the minutes left counts."""

from __future__ import annotations

import pytest

from tests.bench import half_time, house_matches
from tests.bench.house_matches import Figure, Played


def test_at_half_time_the_estimate_is_near_where_all_matches_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = [Played(number, "a" * 400, [0], {1: 1.0}, {}) for number in range(30)]
    monkeypatch.setattr(half_time, "kept", lambda figure: alike)
    monkeypatch.setattr(house_matches, "THOUGHT", 0.1)
    monkeypatch.setattr(half_time, "DRAWS", 2)
    said = half_time.at_half_time(Figure("bidness", 4))
    assert half_time.near([(one.middle, one.left) for one in said]) > 0.9
    assert half_time.near([(one.known, one.left) for one in said]) > 0.9
