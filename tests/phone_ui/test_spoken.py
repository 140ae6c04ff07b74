"""What is read aloud of a match, as it comes: the page's log region in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.chromium import PHONE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub

pytestmark = pytest.mark.browser

LISTEN = """addEventListener("DOMContentLoaded", () => {
  window.read = [];
  const note = () => {
    for (const line of document.querySelectorAll("[role=log] p:not([data-read])")) {
      line.dataset.read = "yes";
      window.read.push(line.textContent.trim());
    }
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
});"""


@pytest.fixture
def page(browser: Browser, hub: FakeHub) -> Iterator[Page]:
    with browser.new_context(viewport=PHONE) as context:
        context.set_default_timeout(15_000)
        opened = context.new_page()
        opened.add_init_script(LISTEN)
        opened.goto(f"{hub.address}/t/1#k={hub.k}")
        opened.get_by_role("button", name="Just watch").click()
        opened.locator(".lobby").wait_for()
        yield opened


def event(n: int, text: str) -> dict[str, Any]:
    return {"n": n, "text": text, "rule": "BB-12", "kind": "told", "data": {}}


def tell(hub: FakeHub, seq: int, events: list[dict[str, Any]], epoch: int = 3) -> None:
    hub.events = events
    hub.public(scenes.TAKE | {"seq": seq, "epoch": epoch, "events": events[-8:]})


def test_all_is_read_aloud_however_much_comes_at_once(page: Page, hub: FakeHub) -> None:
    events = [event(n, f"Line {n}.") for n in range(40)]
    tell(hub, 50, events[:3])
    page.wait_for_function("() => window.read.includes('Line 2.')")
    tell(hub, 51, events[:20])
    tell(hub, 52, events)
    page.wait_for_function("() => window.read.includes('Line 39.')")
    assert page.evaluate("() => window.read") == [one["text"] for one in events]


def test_what_takes_the_place_of_something_that_was_taken_back_is_read_too(page: Page, hub: FakeHub) -> None:
    tell(hub, 50, [event(0, "First."), event(1, "Wrong.")])
    page.wait_for_function("() => window.read.includes('Wrong.')")
    tell(hub, 51, [event(0, "First.")], epoch=4)
    tell(hub, 52, [event(0, "First."), event(1, "Right.")], epoch=4)
    page.wait_for_function("() => window.read.includes('Right.')")
    assert page.evaluate("() => window.read") == ["First.", "Wrong.", "Right."]
