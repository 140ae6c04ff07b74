"""The phones of `make acceptance`, at a hub in a process of this computer: a match without a browser."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from tests.acceptance.phones import Hub, Party, Player
from tests.e2e.hub_process import HubProcess

pytestmark = [pytest.mark.broker, pytest.mark.slow]


def test_phones_come_back_to_the_same_hands_after_the_power_was_cut_under_their_requests(tmp_path: Path) -> None:
    with HubProcess(tmp_path / "state") as process:
        hub = Hub(f"{process.address}/t/1#k={process.key}")
        party = Party(hub, [Player.sit(hub, seat, code) for seat, code in hub.codes().items()], Random(7))
        party.connect()
        party.start("big-idea")
        with ThreadPoolExecutor() as pool:
            playing = pool.submit(party.play, 60)
            process.until(lambda state: state["events"] and state["events"][-1]["n"] >= 10, "the match is under way")
            process.cut()
            assert playing.result(90) >= 1, "nobody noticed the power cut"
        assert party.known()["match"] == "m-1"
        for player in party.players:
            player.close()
