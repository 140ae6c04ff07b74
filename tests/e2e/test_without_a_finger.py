"""A whole match of every game by keys alone and by ear alone: nothing is lost on the way, and all is said.

The keys press nothing that the accessibility tree does not name; what a screen reader would read of others is written down.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from hub import games
from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hands import Keys
from tests.e2e.hub_process import State
from tests.e2e.one_guest import SEAT, OneGuest, hub_with_house

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.wide,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]
MINUTES = 4.0
LOW: Any = {"width": 360, "height": 640}
CONTROLS = {"button", "radio", "checkbox", "combobox", "textbox", "link", "spinbutton", "slider", "DisclosureTriangle"}
# What is read aloud as it comes, in the order of the document.
LISTEN = """() => {
  window.read = [];
  const note = () => {
    for (const line of document.querySelectorAll("[role=log] p"))
      if (!line.dataset.read) {
        line.dataset.read = "yes";
        window.read.push(line.textContent.replace(/\\s+/g, " ").trim());
      }
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
}"""
# Parts of the table page that stand higher in the picture than one before them in the document.
OUT_OF_ORDER = """() => {
  const parts = [...document.querySelectorAll(".play > *, .play-now > *")].filter((one) => one.getBoundingClientRect().height > 1);
  return parts.filter((one, i) => i > 0 && one.getBoundingClientRect().top < parts[i - 1].getBoundingClientRect().top - 1)
    .map((one) => one.className || one.tagName);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


class Ear:
    """What a screen reader has of a page: its tree, and what is read aloud."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.looked: set[tuple[Any, ...]] = set()
        self.faults: list[str] = []

    def at_question(self, state: State) -> None:
        """Look the tree over, once for each kind of question."""
        view = state["view"]
        kind = view["phase"], view["waiting"].get("secret")
        if kind in self.looked or not self._is_asked():
            return
        self.looked.add(kind)
        nodes = [one for one in self.session.send("Accessibility.getFullAXTree")["nodes"] if not one.get("ignored")]
        for node in nodes:
            role, name = (node.get(part, {}).get("value") or "" for part in ("role", "name"))
            if role in CONTROLS and not name.strip():
                self.faults.append(f"{kind}: a {role} without a name")
        headings = [one for one in nodes if one["role"]["value"] == "heading"]
        if not headings:
            self.faults.append(f"{kind}: no heading")
        wanted = self.page.locator(".want-block").inner_text().strip()
        if not re.search(r"[.?!…]$", wanted):
            self.faults.append(f"{kind}: what is wanted is no sentence: {wanted!r}")
        if wrong := self.page.evaluate(OUT_OF_ORDER):
            self.faults.append(f"{kind}: seen in another order than read: {wrong}")

    def _is_asked(self) -> bool:
        with suppress(PlaywrightTimeoutError):
            self.page.locator(".dock button.act").first.wait_for(timeout=5_000)
            return True
        return False


def as_read(state: State, text: str) -> str:
    """Return a sentence of the hub as phones read it: with the names of seats."""
    names = {str(one["seat"]): one["name"] or f"Seat {one['seat']}" for one in state["seats"]}
    return re.sub(r"\s+", " ", re.sub(r"\b[Ss]eat (\d)\b", lambda found: names[found[1]], text)).strip()


@pytest.mark.parametrize("game", games.names())
def test_a_whole_match_by_keys_and_by_ear(tmp_path: Path, browser: Browser, game: str) -> None:
    with hub_with_house(tmp_path) as hub, browser.new_context(viewport=LOW, reduced_motion="reduce") as context:
        page = context.new_page()
        page.add_init_script(f"addEventListener('DOMContentLoaded', {LISTEN})")
        ear, keys = Ear(page), Keys(page)
        guest = OneGuest(hub, keys, Random(4), ear.at_question)
        guest.sit_down()
        guest.start(game)
        told: dict[tuple[str, int], str] = {}

        def note(state: State) -> None:
            for event in state["events"]:
                told[state["match"], event["n"]] = as_read(state, event["text"])

        state = guest.play(time.monotonic() + MINUTES * 60, note)
        note(state)
        page.locator(".result h1").wait_for()
        assert not keys.lost(), "after the last answer the focus is nowhere"
        assert ear.faults == []
        assert ear.looked
        read = " / ".join(page.evaluate("() => window.read"))
        plain = [text for text in told.values() if not re.search("[●▲■◆★✚]", text)]
        unread = [text for text in plain if _letters(text) not in _letters(read)]
        assert len(plain) > 5
        assert unread == []
        assert page.evaluate("() => window.faults") == []
        assert state["seats"][SEAT - 1]["phone"] == "on"


def _letters(text: str) -> str:
    return re.sub(r"[^\w]", "", text)
