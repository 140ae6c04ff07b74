"""Dice that have just been rolled fall where all can see them, lie still for a moment, and a word says what they mean."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.chromium import PHONE
from tests.patience import PATIENCE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub

pytestmark = [pytest.mark.browser]

LAST = scenes.EVENTS[-1]["n"]


def rolled(number: int, faces: list[int], read: str, **more: Any) -> dict[str, Any]:
    data = {"seat": 3, "faces": faces, "read": read, **more}
    return {"n": LAST + number, "text": "Seat 3 rolls.", "rule": "BB-12", "kind": "roll", "data": data}


def after(number: int, *events: dict[str, Any]) -> dict[str, Any]:
    return scenes.TAKE | {"seq": 50 + number, "events": [*scenes.EVENTS, *events]}


@pytest.fixture
def page(browser: Browser) -> Page:
    page = browser.new_context(viewport=PHONE).new_page()
    page.set_default_timeout(15_000)
    page.clock.install()
    return page


def kiosk(page: Page, hub: FakeHub) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{hub.address}/t/1/kiosk")
    hub.public(after(0))
    expect(page.get_by_role("region", name="The table")).to_be_visible()


def phone(page: Page, hub: FakeHub) -> None:
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    page.get_by_label("seat 2, orange triangle").click()
    expect(page.get_by_text("What shall we play?")).to_be_visible()
    hub.public(after(0))
    hub.hand(2, scenes.TAKE_HAND | {"seq": 50})
    expect(page.get_by_text("Take a Fish or the Spot.")).to_be_visible()
    expect(page.locator("template[data-coming]")).to_have_count(0)


def shown(page: Page, hub: FakeHub, *rolls: dict[str, Any]) -> Locator:
    """Let these rolls happen, and return what shows them. The page's clock stands still then: nothing passes by itself."""
    page.clock.pause_at(time.time() + 2)
    hub.public(after(1, *rolls))
    stage, end = page.get_by_role("region", name="Rolled"), time.monotonic() + PATIENCE
    while not stage.is_visible():
        assert time.monotonic() < end, "the rolls are not shown"
        page.clock.run_for(20)
    page.clock.run_for(200)  # until the page listens for keys
    return stage


@pytest.mark.parametrize("read", ["hub", "read"])
def test_the_room_sees_the_dice_and_what_they_mean(page: Page, hub: FakeHub, read: str) -> None:
    kiosk(page, hub)
    stage = shown(page, hub, rolled(1, [2, 6], read, verdict="2 too low"))
    expect(stage.get_by_role("img", name="die shows 2")).to_be_visible()
    expect(stage.get_by_role("img", name="die shows 6")).to_be_visible()
    expect(stage).to_contain_text("2 too low")
    page.clock.run_for(2_000)
    expect(stage).to_be_visible()
    page.clock.run_for(1_000)
    expect(stage).to_have_count(0)


def test_a_roll_from_before_the_page_was_opened_is_no_news(page: Page, hub: FakeHub) -> None:
    page.goto(f"{hub.address}/t/1/kiosk")
    hub.public(after(1, rolled(1, [2], "hub")))
    expect(page.get_by_role("region", name="The table")).to_be_visible()
    expect(page.get_by_role("region", name="Rolled")).to_have_count(0)


def test_several_rolls_of_one_moment_are_shown_together(page: Page, hub: FakeHub) -> None:
    kiosk(page, hub)
    both = rolled(1, [1], "hub", verdict="It stays"), rolled(2, [4], "hub", verdict="It goes public!")
    stage = shown(page, hub, *both)
    expect(stage.get_by_role("img", name="die shows 1")).to_be_visible()
    expect(stage.get_by_role("img", name="die shows 4")).to_be_visible()
    expect(stage).to_contain_text("It stays")
    expect(stage).to_contain_text("It goes public!")


def test_a_phone_shows_what_the_hub_has_rolled_until_a_tap(page: Page, hub: FakeHub) -> None:
    phone(page, hub)
    stage = shown(page, hub, rolled(1, [5], "hub", verdict="Success!"))
    expect(stage.get_by_role("img", name="die shows 5")).to_be_visible()
    expect(stage).to_contain_text("Success!")
    stage.click()
    expect(stage).to_have_count(0)


@pytest.mark.parametrize("read", ["read", "typed"])
def test_dice_that_all_have_seen_do_not_cover_a_phone(page: Page, hub: FakeHub, read: str) -> None:
    phone(page, hub)
    hub.public(after(1, rolled(1, [5], read)))
    hub.hand(2, scenes.TAKE_HAND | {"seq": 51, "want": "Take what you like."})
    expect(page.get_by_text("Take what you like.")).to_be_visible()
    expect(page.get_by_role("region", name="Rolled")).to_have_count(0)


def test_a_key_ends_the_moment_and_presses_nothing_below_it(page: Page, hub: FakeHub) -> None:
    phone(page, hub)
    page.get_by_role("button", name="Take the Spot").focus()
    stage = shown(page, hub, rolled(1, [5], "hub"))
    page.keyboard.press("Enter")
    expect(stage).to_have_count(0)
    page.clock.resume()
    assert hub.asks.empty()
    page.keyboard.press("Enter")
    assert hub.asks.get(timeout=PATIENCE)["args"]["move"] == "take_spot"


def test_a_page_that_has_slept_shows_the_last_roll_and_not_all_that_it_missed(page: Page, hub: FakeHub) -> None:
    kiosk(page, hub)
    missed = rolled(1, [1], "hub") | {"data": {"seat": 2, "faces": [1], "read": "hub"}}
    stage = shown(page, hub, missed, rolled(2, [4], "hub"))
    expect(stage.get_by_role("img", name="die shows 4")).to_be_visible()
    expect(stage.get_by_role("img", name="die shows 1")).to_have_count(0)


@pytest.mark.parametrize("size", [(320, 568), (360, 640), (1280, 720), (1920, 1080)])
def test_six_rolls_at_once_fit_a_small_phone_and_the_felt(page: Page, hub: FakeHub, size: tuple[int, int]) -> None:
    on_phone = size[0] < size[1]
    (phone if on_phone else kiosk)(page, hub)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    text = "Maximiliane Uberwald rolls 3 for Self-Cleaning Wallet: it goes public and pays $400 per share."
    six = [rolled(n, [3], "hub", verdict="It goes public!") | {"text": text} for n in range(1, 7)]
    stage = shown(page, hub, *six).bounding_box()
    throws = page.locator(".rolled-throw")
    boxes = [box for one in throws.all() if (box := one.bounding_box())]
    assert stage
    assert len(boxes) == 6
    assert min(box["y"] for box in boxes) >= stage["y"]
    assert max(box["y"] + box["height"] for box in boxes) <= stage["y"] + stage["height"] <= size[1]
