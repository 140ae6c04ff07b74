"""What `tests/bench/openspiel.py` does here: who is told what, and how the ratio is reckoned. OpenSpiel itself is not asked."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests.bench.openspiel import FIGURES, Both, kept, play_both, ratio
from tests.bench.peer import Program


class Highest:
    """Another player, who bids the highest card, as it knows it from what it is told."""

    def __init__(self, cards: int) -> None:
        self.cards, self.asked = cards, list[dict[str, Any]]()

    def ask(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        gone = [one[1 + asked["seat"]] for one in asked["played"]]
        bid = max(card for card in range(1, self.cards + 1) if card not in gone)
        return {"bid": bid, "ms": 0.0, "searched": 0}


@pytest.mark.real_time
def test_both_sides_play_the_same_prizes_from_either_seat() -> None:
    figure = next(one for one in FIGURES if one.order == "random" and one.cards == 4)
    other = Highest(figure.cards)
    both = play_both(figure, cast(Program, other), 3)
    first, second = other.asked[: len(other.asked) // 2], other.asked[len(other.asked) // 2 :]
    assert [one["seat"] for one in first] == [1, 1, 1]
    assert [one["seat"] for one in second] == [0, 0, 0]
    assert [one["prize"] for one in first] == [one["prize"] for one in second]
    assert [len(one["played"]) for one in first] == [0, 1, 2], (
        "it is told what is over, and not the bid that it is to meet"
    )
    assert both.house + both.other <= 2 * 10
    assert both.house > both.other, "the house sees through whoever bids high first"


def test_the_ratio_is_of_means_and_its_interval_narrows() -> None:
    def pairs(count: int) -> list[Both]:
        return [Both(12 + 4 * (number % 2), 10, 1.0, [], [], []) for number in range(count)]

    times, low, high = ratio(pairs(100))
    assert times == pytest.approx(1.4)
    assert low < 1.4 < high
    assert high - low == pytest.approx(2 * 1.96 * 0.2 / 10, rel=0.02)
    assert ratio(pairs(400))[2] - ratio(pairs(400))[1] < high - low


def test_a_table_goes_between_its_markers_only() -> None:
    assert (
        kept("a\n<!-- openspiel -->\n\n<!-- /openspiel -->\nb", "| 1 |")
        == "a\n<!-- openspiel -->\n| 1 |\n<!-- /openspiel -->\nb"
    )
    with pytest.raises(SystemExit, match="no place"):
        kept("a", "| 1 |")
