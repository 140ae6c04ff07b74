"""A seat goes from one phone to another: the camera of the new one reads the code that the old one shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.acceptance.screen import read_code
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import HubProcess, SeatPhone, sealed, sit
from tests.e2e.random_players import ready
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]


def test_a_new_phone_scans_the_old_one_and_has_its_hand_and_the_old_one_is_told(tmp_path: Path) -> None:
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        ana, ben = SeatPhone(hub, browser, 1), SeatPhone(hub, browser, 2)
        sit({ana: "Ana", ben: "Ben"})
        hub.bench(box=3, press="push")
        hub.until(ready(3), "seat 3 is ready on its box")
        ben.page.get_by_role("button", name="I am ready").click()
        ana.page.get_by_role("radio", name="Bid & Bait!").check(force=True)
        ana.page.get_by_role("button", name="Start Bid & Bait!").click()
        hub.until(sealed, "all are asked for a bid")
        fish = ben.secret_fish()

        ben.page.get_by_role("navigation").get_by_role("button", name="Seat").click()
        ben.page.get_by_role("button", name="Show a code to scan").click()
        code = ben.page.get_by_role("img", name="Code for the camera of the other phone")
        expect(code).to_be_visible()
        address = read_code(code.screenshot())
        assert f"/t/1#k={hub.key}&seat=2&code=" in address
        secret = address.rpartition("=")[2]

        new = browser.new_context(viewport=PHONE).new_page()
        new.set_default_timeout(PATIENCE * 1000)
        new.goto(address)
        hub.until(lambda s: any(one["key"] == "taken:2" for one in s["notices"]), "everybody is told")
        expect(ben.page.get_by_text("Seat 2 is on the other phone now.")).to_be_visible()
        hub.until(lambda s: s["seats"][1]["phone"] == "on", "the new phone is there")
        assert "#" not in new.url
        there = SeatPhone(hub, browser, 2)
        there.page = new
        assert there.secret_fish() == fish
        expect(new.locator(".strip-seat")).to_contain_text("Ben")

        # A second phone that has seen the code comes too late.
        late = browser.new_context(viewport=PHONE).new_page()
        late.goto(address)
        expect(late.get_by_role("alert")).to_contain_text("This code was scanned before")
        hub.close()
        assert secret not in "".join(hub.output)
        assert secret.encode() not in b"".join(file.read_bytes() for file in hub.state.rglob("*") if file.is_file())
        hub.close = lambda: None  # type: ignore[method-assign] # it has ended
        assert [*ana.errors, *ben.errors] == []
