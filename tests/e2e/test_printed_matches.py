"""Whole matches with printed cards on the running hub: two phones in a browser and two boxes, by players who know no game."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hub.engine.printed import OPTION
from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hub_process import HubProcess, SeatPhone, asked
from tests.e2e.random_players import PhonePlayers

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.wide,
    pytest.mark.timeout(400),
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

MINUTES = 5.0


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("bid-and-bait", {}),
        ("bid-it", {}),
        ("bidness", {"round_limit": 1}),
        ("big-idea", {"rounds": 4}),
        ("i-bid-you-not", {"trim": 20}),
    ],
)
def test_a_match_with_printed_cards_goes_to_its_end_on_phones_and_boxes(
    tmp_path: Path, game: str, options: dict[str, Any]
) -> None:
    enough = time.monotonic() + MINUTES * 60
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2)}
        players = PhonePlayers(hub, phones, Random(1))
        players.sit_down(game, options | {OPTION: True})
        waited: set[int] = set()
        state = players.play(enough, lambda s: waited.update(asked(s)))
        assert state["over"]["winners"]
        assert waited == {1, 2, 3, 4}
        for phone in phones.values():
            phone.page.get_by_role("region", name="Result").wait_for()
            assert phone.errors == []
