"""A whole match of every game in German, on the smallest phone with text at 150 %: nothing is cut, nothing stays English."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser

from hub import games
from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hands import Finger
from tests.e2e.hub_process import State
from tests.e2e.one_guest import OneGuest, hub_with_house

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.wide,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]
MINUTES = 4.0
SMALLEST: Any = {"width": 320, "height": 568}
LARGE = """localStorage.setItem("th/settings", JSON.stringify({ size: 150 }));"""
FIELDS = """() => [...document.querySelectorAll("main input")].map((one) => one.value)"""
CUT = """() => [...document.querySelectorAll("main input")].some((one) => one.scrollWidth > one.clientWidth + 1)"""
SIDEWAYS = "() => document.documentElement.scrollWidth > innerWidth"
# Words of buttons and choices that stand on two lines; what is there for the ear alone has no room.
BROKEN = """() => [...document.querySelectorAll(".dock button, .choice-body")].flatMap((one) => {
  const found = [];
  const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const word of text.data.matchAll(/[\\p{L}]+/gu)) {
      const range = new Range();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const isSeen = text.parentElement.getBoundingClientRect().width > 2;
      if (isSeen && range.getClientRects().length > 1) found.push(word[0]);
    }
  return found;
})"""
ENGLISH = re.compile(r"\b(the|you|your|or|and|for|with|has|is|of)\b")
"""Words that stand in nearly every English sentence of the hub, and in no German one."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.mark.parametrize("game", games.names())
def test_a_whole_match_in_german_with_large_text(tmp_path: Path, browser: Browser, game: str) -> None:
    with hub_with_house(tmp_path) as hub, browser.new_context(viewport=SMALLEST, locale="de-DE") as context:
        page = context.new_page()
        page.add_init_script(LARGE)
        faults: set[str] = set()

        def look(state: State) -> None:
            phase = state["view"]["phase"]
            if page.evaluate(SIDEWAYS):
                faults.add(f"{phase}: wider than the screen")
            faults.update(f"{phase}: {word} is broken" for word in page.evaluate(BROKEN))
            if page.evaluate(CUT):
                faults.add(f"{phase}: an amount is cut")
            if re.search(r"\$\d", " ".join(page.evaluate(FIELDS))):
                faults.add(f"{phase}: an amount in English")
            shown = page.locator(".want-block")
            if shown.count() and ENGLISH.search(text := shown.first.inner_text()):
                faults.add(f"{phase}: {text}")

        guest = OneGuest(hub, Finger(page), Random(4), look)
        guest.sit_down()
        assert page.evaluate("() => [document.documentElement.lang, document.documentElement.dataset.large]") == [
            "de",
            "true",
        ]
        guest.start(game)
        guest.play(time.monotonic() + MINUTES * 60)
        page.locator(".result h1").wait_for()
        assert faults == set()
        assert page.evaluate("() => window.faults") == []
