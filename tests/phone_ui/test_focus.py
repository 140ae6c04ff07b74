"""Where the keyboard's focus goes on when what has it goes: pages in a real Chromium, worked by keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.chromium import PHONE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub

pytestmark = pytest.mark.browser
expect.set_options(timeout=15_000)

PITCH: dict[str, Any] = {
    "kind": "pitch", "seat": 2, "text": "Seat 2 reads aloud: Vegan Hat.", "seconds": 45,
    "options": {"done": "Done", "never": "No more pitches"}, "votes": {}, "voters": [2],
}  # fmt: skip
ALONE = scenes.playing("take", {"seats": ["2"], "secret": False}, question=PITCH)
"""Seat 2 reads aloud, and nothing else is wanted of anybody."""
FOCUSED = "() => document.activeElement !== document.body"


@pytest.fixture
def page(browser: Browser, hub: FakeHub) -> Iterator[Page]:
    """A phone at seat 2 that is asked to take something."""
    with browser.new_context(viewport=PHONE) as context:
        context.set_default_timeout(15_000)
        opened = context.new_page()
        opened.goto(f"{hub.address}/t/1#k={hub.k}")
        opened.get_by_label("seat 2, orange triangle").click()
        opened.locator(".lobby").wait_for()
        hub.public(scenes.TAKE | {"seq": 50})
        hub.hand(2, scenes.TAKE_HAND | {"seq": 50})
        yield opened


def answer(page: Page) -> None:
    button = page.get_by_role("button", name="Take the Spot")
    button.focus()
    button.press("Enter")


def test_an_answer_after_which_nothing_is_wanted_leads_to_the_question_that_is_open(page: Page, hub: FakeHub) -> None:
    answer(page)
    hub.public(ALONE | {"seq": 51})
    hub.hand(2, scenes.hand(seq=51))
    expect(page.get_by_role("alertdialog")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Done")).to_be_focused()


def test_an_answer_after_which_nothing_stands_there_leads_to_the_heading(page: Page, hub: FakeHub) -> None:
    answer(page)
    hub.public(ALONE | {"seq": 51, "question": None})
    hub.hand(2, scenes.hand(seq=51))
    page.wait_for_function(FOCUSED)
    expect(page.locator("h1.strip-game")).to_be_focused()


def test_an_answer_leads_to_what_is_wanted_next(page: Page, hub: FakeHub) -> None:
    answer(page)
    hub.public(scenes.TAKE | {"seq": 51, "question": PITCH})
    hub.hand(2, scenes.PAY_HAND | {"seq": 51})
    expect(page.locator(".want-block")).to_be_focused()
