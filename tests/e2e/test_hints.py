"""Practice on a real phone: one person against the house has hints where she wants them, and only there."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import HubProcess, SeatPhone, sealed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

SMALLEST: Any = {"width": 320, "height": 568}
PICTURES = os.environ.get("TABLE_HUB_PICTURES")
"""A folder for what the phone showed, for somebody who wants to look at it."""


def tap_switch(phone: SeatPhone, name: str) -> None:
    phone.page.get_by_role("checkbox", name=re.compile(f"^{name}(?! allowed)")).click()


def open_tab(phone: SeatPhone, name: str) -> None:
    phone.page.get_by_role("navigation").get_by_role("button", name=name).click()


def throw_until(hub: HubProcess, phone: SeatPhone, wanted: Locator) -> None:
    """Throw dice until something is on the phone: Bidness asks first who starts, the house too, and a tie is rolled again."""
    for _ in range(240):
        if wanted.count():
            return
        with suppress(AssertionError):  # nobody is asked to roll just now
            hub.bench(dice="throw")
        phone.page.wait_for_timeout(500)


def picture(phone: SeatPhone, name: str) -> None:
    if PICTURES:
        phone.page.screenshot(path=Path(PICTURES, f"{name}.png"))


@pytest.mark.parametrize(
    ("game", "size"),
    [
        ("Bid & Bait!", SMALLEST),
        *(
            pytest.param(game, size, marks=pytest.mark.long, id=f"{size['width']}-{game}")
            for game in ("Bid & Bait!", "BID★IT!", "Bidness", "The Big Idea", "I Bid You Not")
            for size in (PHONE, SMALLEST)
            if (game, size) != ("Bid & Bait!", SMALLEST)
        ),
    ],
)
def test_who_plays_alone_has_hints_that_she_switches_on(tmp_path: Path, game: str, size: Any) -> None:
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        ana = SeatPhone(hub, browser, 1)
        ana.page.set_viewport_size(size)
        ana.sit("Ana")
        for seat in (2, 3):
            ana.page.get_by_label(f"Who plays at seat {seat}?").select_option("easy")
        expect(ana.page.get_by_role("checkbox", name="Hints allowed")).to_be_checked()
        picture(ana, f"lobby-{size['width']}")
        ana.page.get_by_role("radio", name=game).check(force=True)
        ana.page.get_by_role("button", name=f"Start {game}").click()
        throw_until(hub, ana, ana.page.get_by_role("group", name="Actions").get_by_role("button"))
        hint = ana.page.locator(".hint-line")
        expect(hint).to_have_count(0)
        open_tab(ana, "Seat")
        tap_switch(ana, "Hints")
        picture(ana, f"seat-{size['width']}")
        ana.page.get_by_role("button", name="The table").click()

        throw_until(hub, ana, hint)
        expect(hint).to_contain_text("Hint", timeout=60_000)
        expect(ana.page.locator(".hint[role=status]")).to_be_visible()
        picture(ana, f"{game.replace(' ', '-')}-{size['width']}")
        hint.evaluate("one => one.scrollIntoView({ block: 'center' })")
        line, dock = hint.bounding_box(), ana.page.get_by_role("group", name="Actions").bounding_box()
        assert line
        assert dock
        assert line["y"] + line["height"] <= dock["y"] + 1, "the hint does not lie under the actions"
        assert line["x"] + line["width"] <= size["width"]
        assert line["height"] < size["height"] / 4
        picture(ana, f"{game.replace(' ', '-')}-{size['width']}-hint")
        assert ana.errors == []


def test_hints_are_allowed_or_not_outlive_a_restart_and_end_when_they_are_switched_off(tmp_path: Path) -> None:
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        ana = SeatPhone(hub, browser, 1)
        ana.sit("Ana")
        tap_switch(ana, "Hints allowed")
        hub.until(lambda state: not state["hints"], "hints are not allowed")
        open_tab(ana, "Seat")
        expect(ana.page.get_by_text("Not available at this table now")).to_be_visible()
        ana.page.get_by_role("button", name="The table").click()
        tap_switch(ana, "Hints allowed")
        hub.until(lambda state: state["hints"], "hints are allowed again")
        open_tab(ana, "Seat")
        tap_switch(ana, "Hints")
        ana.page.get_by_role("button", name="The table").click()
        for seat in (2, 3):
            ana.page.get_by_label(f"Who plays at seat {seat}?").select_option("easy")
        ana.page.get_by_role("radio", name="Bid & Bait!").check(force=True)
        ana.page.get_by_role("button", name="Start Bid & Bait!").click()
        hub.until(sealed, "all are asked for a bid")
        hint = ana.page.locator(".hint-line")
        bids = ana.page.locator(".question")
        ana.page.get_by_role(
            "button", name="No more rules"
        ).click()  # what a first round tells comes and goes by itself
        expect(ana.page.locator(".lesson")).to_have_count(0)
        before = bids.bounding_box()
        expect(hint).to_contain_text("faces of the die reach")
        assert bids.bounding_box() == before, "what can be pressed stays where it is"

        hub.cut()
        expect(hint).to_contain_text("faces of the die reach", timeout=60_000)

        open_tab(ana, "Seat")
        tap_switch(ana, "Hints")
        ana.page.get_by_role("button", name="The table").click()
        expect(bids).to_be_visible()
        expect(hint).to_have_count(0)
        assert ana.errors == []
