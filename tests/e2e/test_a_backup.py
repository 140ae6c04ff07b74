"""A hub is backed up while it plays, dies, and another machine goes on from the backup: the same match, the same phones."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hub_process import PROGRAM, HubProcess, SeatPhone, sealed
from tests.e2e.random_players import PhonePlayers
from tests.free_port import free_port

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]


def configuration(folder: Path, port: int) -> Path:
    """A machine with a simulated table of its own."""
    folder.mkdir()
    file = folder / "hub.toml"
    file.write_text(
        f'[hub]\nstate = "state"\n[web]\nhost = "127.0.0.1"\nport = {port}\n[[table]]\nseats = 4\n'
        '[[device]]\ndriver = "simulated"\nseats = 4\n'
    )
    return file


def table_hub(*arguments: object) -> str:
    done = subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_phones_go_on_at_a_hub_that_was_restored_on_another_machine(tmp_path: Path) -> None:
    port, file = free_port(), tmp_path / "evening.backup"
    old, new = configuration(tmp_path / "old", port), tmp_path / "new" / "hub.toml"
    with headless() as browser:
        with HubProcess(tmp_path / "old/state", port, [str(PROGRAM), "run", "--config", str(old)]) as hub:
            phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2)}
            PhonePlayers(hub, phones, Random(1)).sit_down("bid-and-bait", {})
            hub.until(sealed, "all are asked for a bid")
            fish = {seat: phone.secret_fish() for seat, phone in phones.items()}
            phones[1].bid(5)
            hub.until(lambda s: s["locked"] == [1], "seat 1 has locked")
            match, key = hub.public.now["match"], hub.key
            table_hub("backup", "--config", old, file)
            phones[2].bid(3)  # after the backup: it is lost with the old machine
            hub.until(lambda s: s["locked"] == [1, 2], "seat 2 has locked")
            before = hub.public.now["epoch"]
        (tmp_path / "new").mkdir()
        table_hub("restore", "--config", new, file)
        with HubProcess(tmp_path / "new/state", port, [str(PROGRAM), "run", "--config", str(new)]) as hub:
            assert hub.key == key
            state = hub.until(lambda s: all(s["seats"][n]["phone"] == "on" for n in (0, 1)), "both phones are back")
            assert state["match"] == match
            assert state["locked"] == [1]
            assert state["epoch"] > before
            earlier = [notice["text"] for notice in state["notices"] if notice["key"] == "lost"]
            assert earlier == [
                (
                    "This match may continue from an earlier state, such as a backup: check that everything is as "
                    "you left it."
                )
            ], "seat 2's bid is gone, and people are told"
            for phone in phones.values():
                phone.hub = hub
                assert phone.secret_fish() == fish[phone.seat]
            assert "You locked: Bid 5" in phones[1].hand()
            phones[2].bid(4)
            hub.until(lambda s: s["locked"] == [1, 2], "seat 2 bids anew")
            assert [phone.errors for phone in phones.values()] == [[], []]
