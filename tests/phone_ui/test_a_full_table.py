"""The game with the most to tell, at six seats, in a real Chromium: all of it is seen, and nothing lies on anything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import pytest
from playwright.sync_api import Browser, FloatRect, Page, expect

from hub import games
from tests.chromium import PHONE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub, labels_of
from tests.phone_ui.test_pages import browser, dock, sit
from tests.table.fakes import TableRig

__all__ = ["browser"]
pytestmark = pytest.mark.browser

Moment = tuple[dict[str, Any], dict[str, Any]]
AUCTIONED = ("ENG", "MKT", "LAW", "CON")


@lru_cache
def table_of_six(wanted: str) -> Moment:
    """The table and the hand of seat 2, when seat 2 is first asked in that phase with `wanted` on the table."""
    rig = TableRig(6, offered=[games.find("bidness")])
    rig.boxes_up()
    rig.sit()
    rig.start("bidness")
    while not (seat_two_is_asked(rig.state) and WANTED[wanted](rig.state["view"]["table"])):
        go_on(rig)
    later = {"epoch": 9}  # than the hub's lobby
    return rig.state | later, rig.hand(2) | later


WANTED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "auction": lambda table: table["auction"] and len(table["auction"]["bids"]) > 2,
    "settlement": lambda table: table["lawsuit"] and len(table["lawsuit"]["offers"]) > 1,
    "receipts": lambda table: len(table["receipts"]) == 6,
}


def seat_two_is_asked(state: dict[str, Any]) -> bool:
    waiting = state["view"]["waiting"]
    return "2" in waiting.get("seats", {}) or bool(state["dice"] and state["dice"]["seat"] == 2)


def go_on(rig: TableRig) -> None:
    """All bid and haggle a little; seat 1 sues seat 2 as soon as it can; nobody borrows."""
    state = rig.state
    if state["dice"]:
        rig.roll(*[1 + state["dice"]["seat"] % 6] * state["dice"]["count"])
        return
    seat = next(int(one) for one in state["view"]["waiting"]["seats"] if int(one) not in state["locked"])
    moves = {one["move"]: one for one in rig.hand(seat)["moves"] if not one.get("standing")}
    plays = [one for one in rig.hand(seat)["moves"] if one["move"] == "play"]
    suits = [one for one in plays if seat == 1 and "amount" in one and one["target"] == 2]
    cards = [
        card for one in plays if isinstance(one["card"], dict) for card in one["card"]["one_of"] if card in AUCTIONED
    ]
    match state["view"]["phase"]:
        case "discard":
            done = rig.act(seat, "discard", card=moves["discard"]["card"]["one_of"][-1])
        case "play" if suits:
            done = rig.act(1, "play", card="NEG", target=2, amount=suits[0]["amount"]["max"])
        case "play" if cards:
            done = rig.act(seat, "play", card=cards[0])
        case "auction" if moves.get("bid", {}).get("amount", {}).get("min", 99) < 30:
            done = rig.act(seat, "bid", amount=moves["bid"]["amount"]["min"])
        case "settlement" if len(offers := state["view"]["table"]["lawsuit"]["offers"]) < 3:
            done = rig.act(seat, "counter" if offers else "demand", amount=(60, 30, 45)[len(offers)])
        case _:
            last = list(moves.values())[-1]
            done = rig.act(seat, last["move"])
    assert done["ok"], done


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    fake = FakeHub().start()
    fake.labels = {"bidness": labels_of("bidness")}
    fake.public(scenes.public(seats=scenes.seats(held=1)))
    yield fake
    fake.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=PHONE, color_scheme="dark", reduced_motion="reduce") as context:
        context.set_default_timeout(15_000)
        yield context.new_page()


def box(page: Page, selector: str) -> FloatRect:
    found = page.locator(selector).first.bounding_box()
    assert found
    return found


def bring(page: Page, hub: FakeHub, state: dict[str, Any], hand: dict[str, Any]) -> None:
    """A phone at seat 2 in that moment."""
    sit(page, hub)
    hub.public(state)
    hub.hand(2, hand)
    expect(page.locator(".stepper")).to_be_visible()


@pytest.mark.parametrize("wanted", ["auction", "settlement", "receipts"])
@pytest.mark.parametrize("size", [(1920, 1080), (1280, 800)])
def test_at_six_seats_nothing_on_the_screen_lies_upon_another(
    page: Page, hub: FakeHub, wanted: str, size: tuple[int, int]
) -> None:
    state, _ = table_of_six(wanted)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{hub.address}/t/1/kiosk")
    hub.public(state)
    expect(page.locator(".seat-place")).to_have_count(6)
    upon = page.evaluate(
        """() => {
          const boxes = [...document.querySelectorAll('.seat-place, .felt, .now, .foot')].map((one) => [one.className, one.getBoundingClientRect()]);
          const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
          return boxes.flatMap(([name, a], i) => boxes.slice(i + 1).filter(([, b]) => hit(a, b)).map(([other]) => `${name} ${other}`));
        }"""
    )
    assert upon == []
    outside = page.evaluate(
        """() => {
          const out = (one, of) => one.bottom > of.bottom + 1 || one.top < of.top - 1 || one.right > of.right + 1;
          return [...document.querySelectorAll('.seat-place, .felt')].flatMap((place) =>
            [...place.querySelectorAll('.fact, .tile, .tile-text')].filter((one) => out(one.getBoundingClientRect(), place.getBoundingClientRect()))
              .map((one) => one.textContent));
        }"""
    )
    assert outside == []


def test_a_bidder_has_the_amount_the_means_and_the_loan_in_sight(page: Page, hub: FakeHub) -> None:
    state, hand = table_of_six("auction")
    bring(page, hub, state, hand)
    expect(page.get_by_role("region", name="Yours")).to_have_text(re.compile(r"Cash\$\d+IOUs\dCan raise\$\d+"))
    top = box(page, ".dock")["y"]
    for part in (".stepper", ".standing"):
        assert box(page, part)["y"] + box(page, part)["height"] <= top, part
    assert box(page, "[aria-label=Yours]")["y"] > 0
    expect(dock(page).get_by_role("button")).to_have_text([re.compile(r"Bid \$\d+"), "Drop out"])


def test_a_counter_begins_beside_the_offer_and_both_sides_are_read_out(page: Page, hub: FakeHub) -> None:
    state, hand = table_of_six("settlement")
    offer = state["view"]["table"]["lawsuit"]["offers"][-1]
    bring(page, hub, state, hand)
    expect(dock(page).get_by_role("button", name=f"Accept ${offer}")).to_be_visible()
    expect(page.get_by_label("Amount", exact=True).last).to_have_value(f"${offer - 5}")
    expect(page.get_by_role("img", name=re.compile(r"Guest 1: \$\d+.*Guest 2: \$\d+"))).to_be_visible()
    page.get_by_role("button", name="more").click()
    expect(page.locator(".stepper [aria-live]")).to_have_text(f"${offer + 5}")
