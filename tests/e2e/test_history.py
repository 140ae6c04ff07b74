"""The page of what was played, from the real hub in a real browser, at the size of a phone and of a screen."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import ViewportSize, expect

from hub import games
from hub.authoring.players import random_match
from hub.store import Store
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import HubProcess
from tests.test_history import put

SCREEN: ViewportSize = {"width": 1280, "height": 720}
pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.skipif(HEADLESS is None, reason=NONE)]


def test_people_at_the_table_read_what_was_played_there(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "state" / "table-hub.db")) as store:
        for seed in range(4):
            put(store, "1", random_match(games.find("bid-and-bait"), (1, 2, 3), {}, Random(seed)))
    with closing(sqlite3.connect(tmp_path / "state" / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET begun = '2026-11-22 20:00:00', ended = '2026-11-22 20:30:00'")
    with headless() as browser, HubProcess(tmp_path / "state", seats=3) as hub:
        faults: list[str] = []
        for size in (PHONE, SCREEN):
            page = browser.new_context(viewport=size).new_page()
            page.on("pageerror", lambda fault: faults.append(str(fault)))
            page.on("console", lambda said: faults.append(said.text))
            page.goto(f"{hub.address}/t/1/history")
            expect(page.get_by_text("4 matches played to the end.")).to_be_visible()
            games_part = page.locator("section", has=page.get_by_role("heading", name="Minutes per game"))
            expect(games_part).to_contain_text("Bid & Bait!")
            expect(games_part).to_contain_text("30 min")
            expect(
                page.locator("section", has=page.get_by_role("heading", name="Wins by seat")).locator("li")
            ).to_have_count(3)
            expect(page.get_by_role("heading", name=re.compile("^Dice (read|rolled|typed)"))).not_to_have_count(0)
            expect(page.locator(".newest li")).to_have_count(4)
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            assert faults == []
            page.get_by_role("link", name="← The table").click()
            page.get_by_role("button", name="watch").click()
            page.get_by_role("button", name="Help").click()
            expect(page.get_by_role("link", name="What was played at this table")).to_be_visible()
