"""The page of the evenings of a venue, from the real hub in a real browser, at the size of a phone and of a screen."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from hub import games
from hub.authoring.players import random_match
from hub.store import Store
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import HubProcess
from tests.e2e.test_history import SCREEN
from tests.e2e.test_staff import StaffBrowser, pin_of
from tests.phone_ui.axe import findings, small_targets
from tests.test_history import put

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A hub that has played in October and November, where somebody has called."""
    state = tmp_path_factory.mktemp("hub") / "state"
    with closing(Store(state / "table-hub.db")) as store:
        for seed, name in enumerate(("bid-and-bait", "bid-and-bait", "goofspiel", "bid-and-bait")):
            put(store, "1", random_match(games.find(name), (1, 2, 3), {}, Random(seed)))
        store.keep("1", "answered 2026-11", b"[[1795805000,50],[1795806000,130]]")
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET begun = '2026-11-27 20:00:00', ended = '2026-11-27 20:30:00'")
        db.execute("UPDATE matches SET begun = '2026-10-10 20:00:00', ended = '2026-10-10 20:45:00' WHERE id = 'm-4'")
    with HubProcess(state, seats=3) as running:
        yield running


@pytest.fixture(scope="module")
def pin(hub: HubProcess) -> str:
    """The first PIN, which screens show until somebody has signed in."""
    return pin_of(hub)


def opened(hub: HubProcess, page: Page, pin: str) -> StaffBrowser:
    """Sign in, and follow the link to the page."""
    staff = StaffBrowser(hub, page)
    staff.open()
    staff.sign_in(pin)
    page.get_by_role("link", name="Evenings").click()
    return staff


@pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
def test_staff_read_and_save_what_was_played_in_a_month(
    hub: HubProcess, browser: Browser, pin: str, tmp_path: Path, size: dict[str, int]
) -> None:
    with browser.new_context(viewport=size, locale="en-US") as context:  # type: ignore[arg-type]
        page = context.new_page()
        staff = opened(hub, page, pin)
        expect(page.get_by_role("heading", name="November 2026")).to_be_visible()

        def part(name: str) -> str:
            return page.locator("section", has=page.get_by_role("heading", name=name, exact=True)).inner_text()

        assert [text for text in ("3 matches", "9 seats, 1.5 h") if text not in part("Evenings")] == []
        assert part("Games").index("Bid & Bait!") < part("Games").index("Goofspiel"), "the most played game is first"
        assert "3 matches" in part("Tables")
        assert "90 s" in part("Calls for staff")
        assert "2 calls, longest 2 min" in part("Calls for staff")
        with page.expect_download() as saving:
            page.get_by_role("button", name="Save as CSV").click()
        assert saving.value.suggested_filename == "evenings-2026-11.csv"
        saving.value.save_as(tmp_path / "saved.csv")
        rows = list(csv.reader((tmp_path / "saved.csv").read_text("utf-8-sig").splitlines()))
        assert rows[0] == ["evening", "table", "game", "matches", "seats", "minutes"]
        assert [row[2:] for row in rows[1:]] == [["Bid & Bait!", "2", "6", "60"], ["Goofspiel", "1", "3", "30"]]
        found = []
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            found += [*findings(page), *small_targets(page)]
        assert found == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.get_by_role("button", name="October 2026").click()
        expect(page.get_by_role("heading", name="October 2026")).to_be_visible()
        expect(page.get_by_text("Nobody has called.")).to_be_visible()
        expect(page.get_by_role("button", name="September 2026")).to_have_count(0)
        page.get_by_role("button", name="November 2026").click()
        expect(page.get_by_role("heading", name="November 2026")).to_be_visible()
        assert staff.errors == []


def test_strangers_read_nothing(hub: HubProcess, browser: Browser) -> None:
    with browser.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(f"{hub.address}/staff/evenings")
        expect(page.get_by_text("You are signed out: sign in again.")).to_be_visible()
        assert page.locator("section").count() == 0
        page.get_by_role("link", name="Sign in").click()
        expect(page.get_by_label("PIN")).to_be_visible()
