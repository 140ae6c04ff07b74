"""Pages on a slow phone, where effects come long after painting (tests/late.py): nothing that is pressed in between is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests import late
from tests.chromium import PHONE
from tests.patience import PATIENCE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub
from tests.phone_ui.test_pages import play, sit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    fake = FakeHub().start()
    fake.public(scenes.public(seq=40))
    yield fake
    fake.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=PHONE) as context:
        context.set_default_timeout(PATIENCE * 1000)
        context.add_init_script(late.SCRIPT)
        yield context.new_page()


def test_a_press_right_after_sitting_down_reaches_the_hub_for_the_state_that_was_shown(
    page: Page, hub: FakeHub
) -> None:
    sit(page, hub)
    page.get_by_role("radio", name="Bid & Bait!").check()
    asked = hub.asks.get(timeout=PATIENCE)
    assert (asked["verb"], asked["epoch"]) == ("wish", scenes.public()["epoch"])


def test_a_keypad_that_is_opened_as_soon_as_a_roll_is_shown_stays_open(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.ROLLING, scenes.ROLL_HAND)
    page.get_by_role("button", name="Type what you see").click()
    page.wait_for_timeout(2 * late.SECONDS * 1000)
    expect(page.get_by_role("button", name="die shows 3")).to_be_visible()


def test_the_title_belongs_to_what_is_drawn(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    page.evaluate("""() => {
        window.titles = [];
        const look = () => document.querySelector(".want.mine") && window.titles.push(document.title);
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    }""")
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    titles: list[str] = page.evaluate("titles")
    assert titles
    assert all(title.startswith("Your turn") for title in titles), titles
