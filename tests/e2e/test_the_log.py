"""The whole log of a match on a phone that has just come, page by page from the real hub."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hub import games
from hub.authoring.players import random_match
from hub.engine.match import Match
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import HOST, TRIES, HubProcess, SeatPhone, store_match

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.skipif(HEADLESS is None, reason=NONE)]


ENTRIES = 300
"""Entries of the log, with several pages of events. The next question is in turn: while people choose in secret on their boxes, a phone takes no seat without its code."""


def fetch(hub: HubProcess, path: str) -> dict[str, Any]:
    connection = http.client.HTTPConnection(HOST, hub.port, timeout=10)
    connection.request("GET", path)
    told: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return told


@pytest.fixture
def match() -> Match:
    game = games.find("bidness")
    whole = random_match(game, (1, 2, 3, 4), {}, Random(5))
    return Match.replay(game, whole.head, whole.log[:ENTRIES])


def watching(hub: HubProcess, browser: Browser) -> Page:
    """A phone without a seat at the match that is played."""
    page = browser.new_context(viewport=PHONE).new_page()
    page.goto(f"{hub.address}/t/1#k={hub.key}")
    page.get_by_role("button", name="watch").click()
    return page


def show_earlier(page: Page, held: int) -> None:
    """Show earlier lines, up to `held`. On a busy computer the hub may answer too late: then try once more, as the page says."""
    lines, late = page.locator(".log-line"), page.get_by_role("alert").filter(has_text="Try once more")
    for _ in range(TRIES):
        page.get_by_role("button", name="Earlier").click()
        expect(late.or_(lines.nth(held - 1)).first).to_be_attached()
        if not late.count():
            break
    expect(lines).to_have_count(held)


def test_a_phone_reads_the_log_back_to_the_first_event(tmp_path: Path, match: Match) -> None:
    store_match(tmp_path / "state", match)
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        SeatPhone(hub, browser, 1).take_seat()  # a match that everybody has left is put aside after half a minute
        page = watching(hub, browser)
        page.get_by_role("button", name="Log", exact=True).click()
        lines = page.locator(".log-line")
        expect(lines).to_have_count(30)
        assert 230 < len(match.events) < 600, "a page is asked for more than twice"
        held = 30
        while held < len(match.events):
            held = min(held + 100, len(match.events))
            show_earlier(page, held)
        expect(page.get_by_role("button", name="Earlier")).to_have_count(0)
        first, last = lines.last.inner_text(), lines.first.inner_text()
        assert first.split("\n")[-1] == match.events[0].rule or match.events[0].rule in first
        assert match.events[-1].rule in last

        # What it reads is what everybody may know: no field of it is one that a state has not shown.
        told = fetch(hub, "/t/1/events/1000000.json")
        assert set(told) == {"match", "epoch", "events", "stood_in", "texts"}
        assert {key for event in told["events"] for key in event} == {"n", "text", "rule", "kind", "data"}


def test_a_phone_asks_the_hub_why_money_has_changed(tmp_path: Path, match: Match) -> None:
    store_match(tmp_path / "state", match)
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        page = watching(hub, browser)
        page.get_by_role("button", name="Why did money and points change?").click()
        told = fetch(hub, "/t/1/changes.json")
        assert told["match"] == hub.public.now["match"]
        assert len(told["changes"]) > 5
        expect(page.locator(".why-change")).to_have_count(len(told["changes"]))
        assert {change["round"] for change in told["changes"]} <= {match.state.round - 1, match.state.round}
