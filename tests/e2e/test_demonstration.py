"""The demonstration of the real program: on the big screen alone, ended by a claim, without a trace on the disk."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from phone_ui.staff_pin import StaffPin
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e import hub_process
from tests.e2e.hub_process import EventStream, HubProcess, SeatPhone, State
from tests.free_port import free_port

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]


def attracting_hub(folder: Path, port: int) -> list[str]:
    """A hub that is set up, with a simulated table that shows a demonstration after two seconds."""
    (folder / "state").mkdir()
    StaffPin.renew(folder / "state" / "staff.json")
    config = folder / "table-hub.toml"
    config.write_text(
        f'[hub]\nstate = "{folder / "state"}"\n[web]\nhost = "127.0.0.1"\nport = {port}\n'
        f'[[table]]\nseats = 4\nattract_seconds = 2\n[[device]]\ndriver = "simulated"\nseats = 4\n'
    )
    return [str(hub_process.PROGRAM), "run", "--config", str(config)]


def demonstrates(state: State) -> bool:
    return bool(state["demonstration"]) and len(state["demonstration"]["events"]) > 3


def kept(folder: Path) -> tuple[list[object], dict[str, bytes]]:
    """What the database has of matches, and all values that it keeps."""
    with closing(sqlite3.connect(f"file:{folder / 'state' / 'table-hub.db'}?mode=ro", uri=True)) as db:
        matches = [*db.execute("SELECT * FROM matches"), *db.execute("SELECT * FROM entries")]
        return matches, {f"{table} {name}": value for table, name, value in db.execute("SELECT * FROM kept")}


def test_a_claim_in_the_middle_of_a_demonstration_leads_to_the_lobby_and_nothing_is_left_of_it(tmp_path: Path) -> None:
    port = free_port()
    with HubProcess(tmp_path / "state", port, attracting_hub(tmp_path, port)) as hub, headless() as browser:
        before = kept(tmp_path)
        public = EventStream(port, "/t/1/events")
        try:
            screen = browser.new_page(viewport={"width": 1280, "height": 720})
            screen.goto(f"{hub.address}/t/1/kiosk")
            invitation = screen.get_by_role("contentinfo", name="Demonstration")
            expect(invitation).to_contain_text("Demonstration. Scan to play")
            hub.until(demonstrates, "the house plays")
            assert kept(tmp_path) == before

            watcher = browser.new_page(viewport=PHONE)
            watcher.goto(f"{hub.address}/t/1#k={hub.key}")
            expect(watcher.get_by_label("seat 1, ")).to_be_visible()
            assert hub.public.now["demonstration"], "who scans has touched nothing"

            ana = SeatPhone(hub, browser, 1)
            ana.sit("Ana")
            assert hub.public.now["demonstration"] is None
            expect(screen.get_by_role("region", name="Join")).to_contain_text("Ana")
            expect(invitation).to_have_count(0)
            public.until(lambda s: s["seats"][0]["held"], "the seat is taken")
            told = "".join(public.received)
            assert '"demonstration' not in told
            assert "House 1" not in told
        finally:
            public.close()
        matches, values = kept(tmp_path)
        assert matches == []
        assert not [key for key, value in values.items() if b"House" in value or b"demonstration" in value]
        assert {key for key in values if values[key] != before[1].get(key)} <= {"1 places"}
        hub.cut()
        hub.until(lambda s: s["seats"][0]["name"] == "Ana", "the seat is held after a power cut")
        assert kept(tmp_path)[0] == []
    assert not [line for line in hub.output if "demonstration" in line or "Traceback" in line]
