"""A table's name is one word that is wider than a phone: no page becomes wider than its screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from hub.app import Hub
from hub.config import Config, HubPart, TablePart, WebPart
from phone_ui.staff_pin import StaffPin
from tests.chromium import SMALL_PHONE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub
from tests.phone_ui.test_pages import sit

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.slow]

NAME = "W" * 60


def assert_fits(page: Page) -> None:
    expect(page.get_by_text(NAME).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= SMALL_PHONE["width"]


@pytest.mark.parametrize("tables", [1, 2])
def test_join_staff_and_till_pages_fit_a_phone(browser: Browser, tmp_path: Path, tables: int) -> None:
    pin = StaffPin.renew(tmp_path / "staff.json")
    parts = tuple(TablePart(id=str(number + 1), name=NAME) for number in range(tables))
    config = Config(hub=HubPart(state=str(tmp_path)), web=WebPart("127.0.0.1", 0), table=parts)
    with Hub(config) as hub, browser.new_context(viewport=SMALL_PHONE) as context:
        hub.start()
        assert hub.web
        page, address = context.new_page(), f"http://127.0.0.1:{hub.web.port}"
        page.goto(f"{address}/t/1")
        assert_fits(page)
        page.goto(f"{address}/till")
        assert_fits(page)
        page.goto(f"{address}/staff")
        page.get_by_label("PIN").fill(pin)
        page.get_by_role("button", name="Sign in").click()
        assert_fits(page)
        hub.access["1"].call_staff()
        expect(page.get_by_role("region", name="Calls")).to_be_visible()
        page.goto(f"{address}/staff?table=1")
        expect(page.get_by_role("heading", name=NAME)).to_be_visible()
        assert_fits(page)


def test_the_phone_at_a_seat_fits(browser: Browser, hub: FakeHub) -> None:
    hub.public(scenes.public(seats=scenes.seats(held=1), name=NAME))
    with browser.new_context(viewport=SMALL_PHONE) as context:
        page = context.new_page()
        sit(page, hub)
        assert_fits(page)
