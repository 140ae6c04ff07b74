"""The page at home on a phone: without the hub it says where the hub is, it has a place on the home screen; a late guest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hub_process import HubProcess, SeatPhone

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]
STORED = """async (names) => {
  for (;;) {
    const cache = await caches.open("pages");
    const stored = await Promise.all(names.map((name) => cache.match(name)));
    if (stored.every(Boolean)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""
NEEDED = ["/t/1", "/static/pages/phone.js", "/static/pages/phone.css", "/vendor/mqtt.js"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


def test_after_the_first_visit_the_page_opens_without_the_hub_says_where_it_is_and_goes_on(
    tmp_path: Path, browser: Browser
) -> None:
    with HubProcess(tmp_path / "state") as hub:
        phone = SeatPhone(hub, browser, 1)
        phone.sit("Ana")
        page = phone.page
        page.evaluate(STORED, NEEDED)
        page.wait_for_function("() => document.querySelector('link[rel=manifest]')")  # fetched when all else is there
        about = page.evaluate("async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json()")
        assert (about["start_url"], about["display"]) == ("/t/1", "standalone")
        for icon in about["icons"]:
            width = page.evaluate(
                "async (src) => { const i = new Image(); i.src = src; await i.decode(); return `${i.width}x${i.height}`; }",
                icon["src"],
            )
            assert width == icon["sizes"]
        hub.switch_off()
        page.reload()
        expect(page.get_by_role("heading", name="Waiting for the hub")).to_be_visible()
        expect(page.get_by_text(f"127.0.0.1:{hub.port}")).to_be_visible()
        hub.switch_on()
        expect(page.get_by_text("What shall we play?")).to_be_visible()


def test_who_sits_down_while_others_play_is_told_that_the_next_match_is_theirs(
    tmp_path: Path, browser: Browser
) -> None:
    with HubProcess(tmp_path / "state") as hub:
        first = SeatPhone(hub, browser, 1)
        first.sit("Ana")
        hub.bench(box=2, press="push")
        first.page.get_by_role("radio", name="Bid & Bait!").check(force=True)
        first.page.get_by_role("button", name="Start Bid & Bait!").click()
        hub.until(lambda s: s["state"] == "playing", "a match begins")
        late = SeatPhone(hub, browser, 4)
        late.take_seat("Zoë")
        expect(late.page.get_by_text("You play in the next one")).to_be_visible()
        expect(first.page.get_by_text("You play in the next one")).to_have_count(0)
