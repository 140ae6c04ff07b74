"""What a phone's settings tell the hub: also when a request is refused or gets no answer, and at a seat taken again."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.chromium import PHONE
from tests.patience import PATIENCE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub

pytestmark = [pytest.mark.browser]

SETTINGS = [("hints", "Hints", True), ("lessons", "Rules in the first round", False)]
STALE = {"ok": False, "error": "The table has moved on: look again.", "code": "STALE"}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=PHONE) as context:
        context.set_default_timeout(PATIENCE * 1000)
        opened = context.new_page()
        faults: list[str] = []
        opened.on("pageerror", lambda fault: faults.append(str(fault)))
        yield opened
        assert faults == []


def sit(page: Page, hub: FakeHub) -> None:
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    take_seat(page)


def take_seat(page: Page) -> None:
    page.get_by_label("seat 2, orange triangle").click()
    expect(page.get_by_text("What shall we play?")).to_be_visible()


def show(page: Page, hub: FakeHub, seq: int, **change: Any) -> None:
    """Show a match that allows hints and tells rules, and wait until the page has it."""
    hub.public(
        scenes.BIDDING | {"hints": True, "teaching": {"lesson": "", "skips": []}, "seq": seq, "epoch": 3} | change
    )
    hub.hand(2, scenes.BID_HAND | {"seq": seq, "want": f"Bid {seq}."} | {"epoch": change.get("epoch", 3)})
    expect(page.get_by_text(f"Bid {seq}.", exact=True)).to_be_visible()


def switch(page: Page, hub: FakeHub, name: str) -> None:
    page.get_by_role("button", name="Seat", exact=True).click()
    page.get_by_role("checkbox", name=name).click()
    page.get_by_role("button", name="The table").click()


def asked(hub: FakeHub) -> tuple[str, dict[str, Any]]:
    request = hub.asks.get(timeout=PATIENCE)
    return request["verb"], request["args"]


@pytest.mark.parametrize(("verb", "name", "on"), SETTINGS)
def test_a_setting_that_came_too_late_is_told_again_in_the_next_epoch_and_not_before(
    page: Page, hub: FakeHub, verb: str, name: str, on: bool
) -> None:
    sit(page, hub)
    show(page, hub, 50)
    hub.answer = lambda act: STALE
    switch(page, hub, name)
    assert asked(hub) == (verb, {"on": on})
    for seq in (51, 52, 53):
        show(page, hub, seq)
    with pytest.raises(queue.Empty):
        hub.asks.get(timeout=0.5)
    show(page, hub, 54, epoch=4)
    assert asked(hub) == (verb, {"on": on})


@pytest.mark.parametrize(("verb", "name", "on"), SETTINGS)
def test_a_setting_without_an_answer_is_told_again_with_the_next_picture(
    page: Page, hub: FakeHub, verb: str, name: str, on: bool
) -> None:
    page.clock.install()
    sit(page, hub)
    show(page, hub, 50)
    hub.answer = lambda act: None
    switch(page, hub, name)
    first = hub.asks.get(timeout=PATIENCE)
    for _ in range(20):  # the page sends the same request again for 8 s
        page.clock.run_for(500)
    hub.answer = lambda act: {"ok": True}
    show(page, hub, 51)
    while (request := hub.asks.get(timeout=PATIENCE))["id"] == first["id"]:
        pass
    assert (request["verb"], request["args"]) == (verb, {"on": on})


def test_hints_are_asked_for_again_at_a_seat_that_was_left_and_taken_again(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    show(page, hub, 50)
    switch(page, hub, "Hints")
    assert asked(hub) == ("hints", {"on": True})
    hub.hand(2, scenes.BID_HAND | {"seq": 50, "hints": True})
    hub.release(2)
    hub.public(scenes.public(seats=scenes.seats(held=1), hints=True, seq=51))
    take_seat(page)
    show(page, hub, 52)
    assert asked(hub) == ("hints", {"on": True})


def test_a_part_of_the_page_that_could_not_be_fetched_comes_by_itself(page: Page, hub: FakeHub) -> None:
    failures = iter([503])

    def fail(route: Route) -> None:
        if status := next(failures, 0):
            route.fulfill(status=status)
        else:
            route.continue_()

    page.route("**/parts/hint.js", fail)
    sit(page, hub)
    advised = scenes.BID_HAND | {"hints": True, "hint": {"answer": {"move": "bid", "number": 6}, "say": "Be first."}}
    hub.public(scenes.BIDDING | {"hints": True, "seq": 50})
    hub.hand(2, advised | {"seq": 50})
    expect(page.get_by_role("alert")).to_have_text("The hub does not answer right now. The page keeps trying.")
    expect(page.locator(".hint")).to_be_visible(timeout=PATIENCE * 1000)
    expect(page.get_by_text("The hub does not answer")).to_have_count(0)
