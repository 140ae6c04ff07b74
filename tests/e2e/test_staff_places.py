"""The staff page of a hub with three tables: calls first, a line per table, and one open part that stays open."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.chromium import HEADLESS, NONE, PHONE, SMALL_PHONE, headless
from tests.e2e.hub_process import HubProcess, hub_with_tables
from tests.e2e.test_many_hubs import found_by_axe
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

TABLET: Any = {"width": 820, "height": 1180}
LAPTOP: Any = {"width": 1280, "height": 800}
FITS = (
    "() => document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
)


@dataclass
class Venue:
    """A hub with three tables, and the PIN of its staff."""

    hub: HubProcess
    pin: str

    def bench(self, table: int, **command: Any) -> None:
        """Send a command to the simulated devices of a table."""
        request = urllib.request.Request(f"{self.hub.address}/t/{table}/bench", json.dumps(command).encode())
        with urllib.request.urlopen(request, timeout=10) as answer:
            answer.read()

    def call(self, table: int) -> None:
        """Call staff to a table, with the bar of a box."""
        self.bench(table, box=1, press="bar", hold=True)


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Venue]:
    with hub_with_tables(tmp_path_factory.mktemp("venue"), 3) as hub:
        yield Venue(hub, hub.until(lambda state: state["staff_pin"], "the screens show the PIN")["staff_pin"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@contextmanager
def staff_page(venue: Venue, browser: Browser, viewport: Any = PHONE, at: str = "", **more: Any) -> Iterator[Page]:
    """Open the staff page, sign in, and report the errors of its scripts."""
    with browser.new_context(viewport=viewport, reduced_motion="reduce", **more) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{venue.hub.address}/staff{at}")
        page.locator("#pin").fill(venue.pin)
        page.locator("form button").click()
        page.locator(".ways").wait_for()
        yield page
        assert errors == []


def table(page: Page, number: int) -> Locator:
    return page.get_by_role("region", name=f"Table {number}")


def line(page: Page, number: int) -> Locator:
    return page.get_by_role("navigation", name="Tables").get_by_role("link", name=f"Table {number}")


def calls(page: Page) -> Locator:
    return page.get_by_role("region", name="Calls")


def dismiss_calls(page: Page) -> None:
    calls(page).get_by_role("button", name="Done").click()
    expect(calls(page)).to_have_count(0)


def heading(page: Page, number: int) -> Locator:
    return page.get_by_role("heading", name=f"Table {number}", exact=True)


def printed_cost(page: Page) -> tuple[Locator, Locator]:
    """Open the cards of a game. Return the field with the cost of one of them, and the button that saves it."""
    cards = page.get_by_role("region", name="Your printed cards")
    cards.get_by_text("Bidness", exact=True).click()
    cost = cards.get_by_role("group", name="Campaign +1").get_by_label("Cost in $")
    return cost, cards.get_by_role("button", name="Save").locator("visible=true")


def top(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["y"]


@pytest.mark.parametrize("viewport", [SMALL_PHONE, PHONE, TABLET, LAPTOP], ids=["small", "phone", "tablet", "laptop"])
def test_three_tables_and_a_call_are_one_screen_and_the_call_is_first(
    venue: Venue, browser: Browser, viewport: Any
) -> None:
    with staff_page(venue, browser, viewport) as page:
        for number in (1, 2, 3):
            expect(line(page, number)).to_contain_text("0 of 4 seats taken")
            expect(table(page, number)).to_have_count(0)
        venue.call(3)
        expect(calls(page)).to_contain_text("Table 3: Seat 1 calls for help.")
        expect(page.get_by_role("status")).to_have_text("Table 3: Seat 1 calls for help.")
        expect(page).to_have_title("(1) Staff")
        expect(line(page, 3)).to_contain_text("Calls")
        expect(line(page, 2)).not_to_contain_text("Calls")
        assert top(calls(page)) < top(line(page, 1)), "the call is first"
        assert page.evaluate(FITS), "and everything is on one screen"
        calls(page).get_by_role("link", name="Table 3").click()
        expect(table(page, 3)).to_be_visible()
        expect(calls(page), "the call stays in sight").to_be_in_viewport()
        page.mouse.wheel(0, 2_000)
        expect(calls(page)).to_be_in_viewport()
        dismiss_calls(page)
        expect(page).to_have_title("Table 3, Staff")


def test_a_line_says_what_is_played_who_sits_there_and_what_to_look_at(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser) as page:
        expect(line(page, 2)).to_contain_text("Lobby")
        expect(line(page, 2)).to_contain_text("1 warning")
        for seat in (1, 2):
            venue.bench(2, box=seat, press="push")
        expect(line(page, 2)).to_contain_text("2 of 4 seats taken")
        venue.bench(2, box=1, press="push")
        expect(line(page, 2)).to_contain_text("Bid & Bait!, Bid, round 1", timeout=PATIENCE * 1000)
        venue.bench(2, box=4, unplug=True)
        expect(line(page, 2)).to_contain_text("2 warnings")
        line(page, 2).click()
        expect(table(page, 2)).to_contain_text("The box of seat 4 is disconnected.")
        table(page, 2).get_by_role("button", name="Reset for the next guests…").click()
        page.get_by_role("button", name="End the match and reset", exact=True).click()
        venue.bench(2, box=4, plug=True)
        page.go_back()
        expect(line(page, 2)).to_contain_text("0 of 4 seats taken")
        expect(line(page, 2)).to_contain_text("Lobby")
        expect(line(page, 2)).to_contain_text("1 warning")


def test_a_tap_opens_a_table_and_back_closes_it(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser) as page:
        line(page, 2).click()
        expect(table(page, 2)).to_be_visible()
        expect(line(page, 2), "on a phone, only the table").to_be_hidden()
        expect(heading(page, 2)).to_be_focused()
        expect(page).to_have_title("Table 2, Staff")
        page.reload()
        expect(table(page, 2), "the address names it").to_be_visible()
        page.go_back()
        expect(line(page, 2)).to_be_focused()
        expect(table(page, 2)).to_have_count(0)
        page.go_forward()
        expect(heading(page, 2)).to_be_focused()
        page.get_by_role("link", name="All tables").click()
        expect(line(page, 2)).to_be_focused()
        assert page.url.endswith("/staff")
        line(page, 1).press("Enter")
        expect(heading(page, 1)).to_be_focused()
        page.get_by_role("link", name="The hub").click()
        expect(page.get_by_role("heading", name="The hub")).to_be_focused()
        expect(table(page, 1), "one part at a time").to_have_count(0)
        page.go_back()
        expect(page.get_by_role("link", name="The hub"), "one step leads to the list").to_be_focused()
        expect(line(page, 1)).to_be_visible()


def test_another_tab_opens_a_table_of_its_own(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser) as page:
        with page.context.expect_page() as opening:
            line(page, 2).click(modifiers=["Control"])
        expect(opening.value).to_have_url(re.compile(r"/staff\?table=2$"))
        expect(line(page, 2), "and this tab keeps its list").to_be_visible()
        expect(table(page, 2)).to_have_count(0)


def test_a_link_leads_to_a_table_and_an_unknown_one_to_the_list(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser, at="?table=2") as page:
        expect(table(page, 2)).to_be_visible()
        page.get_by_role("link", name="All tables").click()
        expect(line(page, 1)).to_be_visible()
        expect(table(page, 2)).to_have_count(0)
        for unknown in ("?table=9", "?part=hubs", "?part=nothing"):
            page.goto(f"{venue.hub.address}/staff{unknown}")
            expect(line(page, 1)).to_be_visible()
            expect(page.get_by_role("link", name="All tables")).to_have_count(0)


def test_nothing_that_staff_type_or_confirm_is_lost_or_moves_when_states_arrive(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser, at="?table=1") as page:
        end = table(page, 1).get_by_label("End time")
        end.fill("23:15")
        table(page, 1).get_by_text("Light, sound, tests, recent actions").click()
        table(page, 1).get_by_role("button", name="Reset for the next guests…").click()
        question = page.get_by_role("group", name="All seats become free.")
        expect(question).to_be_focused()
        before = top(question)
        venue.call(3)
        expect(calls(page)).to_be_in_viewport()
        venue.bench(1, box=2, unplug=True)
        expect(table(page, 1).get_by_text("The box of seat 2 is disconnected.")).to_be_attached()
        expect(question).to_be_focused()
        assert top(question) == pytest.approx(before, abs=2), "and nothing moves under a finger"
        expect(end).to_have_value("23:15")
        expect(table(page, 1).get_by_role("button", name="Test boxes and rings")).to_be_visible()
        venue.bench(1, box=2, plug=True)
        expect(table(page, 1).get_by_text("The box of seat 2 is disconnected.")).to_have_count(0)
        assert top(question) == pytest.approx(before, abs=2)
        page.get_by_role("button", name="Cancel").click()
        expect(table(page, 1).get_by_role("button", name="Reset for the next guests…")).to_be_focused()
        table(page, 1).get_by_role("button", name="Reset for the next guests…").click()
        page.get_by_role("button", name="Reset the table").click()
        expect(page.get_by_text("The table was reset for the next guests.").first).to_be_visible()
        expect(table(page, 1).get_by_role("button", name="Reset for the next guests…")).to_be_focused()
        dismiss_calls(page)


def test_the_focus_returns_to_a_button_unless_staff_have_gone_on(venue: Venue, browser: Browser) -> None:
    held: list[Route] | None = []

    def hold(route: Route) -> None:
        if held is None:  # a request that was slow to come
            route.continue_()
        else:
            held.append(route)

    with staff_page(venue, browser, at="?table=1") as page:
        reset = table(page, 1).get_by_role("button", name="Reset for the next guests…")
        end = table(page, 1).get_by_label("End time")
        page.route("**/staff/ask", hold)
        for goes_on in (False, True):
            held = []
            reset.click()
            page.get_by_role("button", name="Reset the table").click()
            expect(reset).to_be_disabled()
            if goes_on:
                end.focus()
            waiting, held = held or [], None
            for route in waiting:
                route.continue_()
            expect(reset).to_be_enabled()
            expect(end if goes_on else reset).to_be_focused()


def test_what_the_hub_did_is_said_for_a_moment_and_a_refusal_stays(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser) as page:
        page.clock.install()
        page.reload()
        page.get_by_role("link", name="Your printed cards").click()
        cost, save = printed_cost(page)
        said = page.locator(".said")
        cost.fill("35")
        save.click()
        expect(said).to_have_text("Bidness is played with these cards from the next match on.")
        page.clock.fast_forward(8_000)
        expect(said).to_be_visible()
        page.clock.fast_forward(2_000)
        expect(said).to_have_count(0)
        cost.fill("-1")
        save.click()
        expect(said).to_contain_text("MB1: ")
        page.clock.fast_forward(20_000)
        expect(said).to_be_visible()
        cost.fill("36")
        save.click()
        expect(said).to_have_text("Bidness is played with these cards from the next match on.")


def test_what_is_typed_on_a_card_stays_while_staff_answer_a_call(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser) as page:
        page.get_by_role("link", name="Your printed cards").click()
        cost, _ = printed_cost(page)
        cost.fill("25")
        venue.call(2)
        calls(page).get_by_role("link", name="Table 2").click()
        expect(table(page, 2)).to_be_visible()
        expect(cost).to_be_hidden()
        dismiss_calls(page)
        page.get_by_role("link", name="Your printed cards").click()
        expect(cost).to_have_value("25")


def test_on_a_wide_screen_a_table_is_beside_the_list(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser, LAPTOP) as page:
        assert len({top(line(page, number)) for number in (1, 2, 3)}) == 1, "three tables in one row"
        line(page, 1).click()
        expect(heading(page, 1)).to_be_focused()
        list_box, table_box = line(page, 1).bounding_box(), table(page, 1).bounding_box()
        assert list_box
        assert table_box
        assert list_box["x"] + list_box["width"] < table_box["x"]
        assert list_box["y"] == pytest.approx(table_box["y"], abs=20)
        expect(line(page, 1)).to_have_attribute("aria-current", "page")
        line(page, 3).click()
        expect(heading(page, 3)).to_be_focused()
        expect(line(page, 1)).not_to_have_attribute("aria-current", re.compile(".*"))
        page.go_back()
        expect(line(page, 3), "back closes a table, and opens no earlier one").to_be_focused()
        expect(table(page, 1)).to_have_count(0)


def test_staff_till_and_history_link_to_each_other(venue: Venue, browser: Browser) -> None:
    with staff_page(venue, browser) as page:
        line(page, 2).click()
        page.get_by_role("link", name="What was played at this table").click()
        expect(page.get_by_role("heading", name="What was played here")).to_be_visible()
        page.get_by_role("link", name="The tables").click()
        expect(page.locator(".till-table")).to_have_count(3)
        page.get_by_role("link", name="What was played here Table 3").click()
        expect(page.get_by_role("heading", name="What was played here")).to_be_visible()
        page.get_by_role("link", name="Staff").click()
        expect(table(page, 3)).to_be_visible()
        page.get_by_role("link", name="Till").click()
        page.get_by_role("link", name="Staff").click()
        expect(line(page, 3)).to_be_visible()


def test_the_till_shows_three_tables_in_a_row(venue: Venue, browser: Browser) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page = context.new_page()
        page.goto(f"{venue.hub.address}/till")
        expect(page.locator(".till-table")).to_have_count(3)
        assert len({top(one) for one in page.locator(".till-table").all()}) == 1


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("viewport", [SMALL_PHONE, LAPTOP], ids=["small", "laptop"])
def test_axe_finds_nothing_in_any_part(venue: Venue, browser: Browser, viewport: Any, language: str) -> None:
    found = []
    with staff_page(venue, browser, viewport, locale=language) as page:
        venue.call(2)
        page.locator(".call").wait_for()
        for place in ("", "table=2", "part=hub", "part=cards"):
            if place:
                page.locator(f'a[data-place="{place}"]').last.click()
                page.locator(".place:not([hidden]) h2").first.wait_for()
            found += found_by_axe(page, place or "list")
            if place:
                page.go_back()
        page.locator(".call .do").click()
        page.locator(".call").wait_for(state="detached")
    assert not found, "\n".join(found)
