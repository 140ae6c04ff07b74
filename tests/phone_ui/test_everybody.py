"""The pages for everybody: what axe-core says of every state, sizes of targets, headings, order, focus, what is read aloud."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from hub import games
from tests.chromium import HEADLESS, NONE, headless
from tests.gallery.moments import Moment, every
from tests.gallery.pictures import KIOSKS, PHONES, TWO_FRAMES, Gallery
from tests.gallery.running import Photographer, of_the_program
from tests.phone_ui.axe import findings, small_targets

pytestmark = [pytest.mark.browser, pytest.mark.skipif(HEADLESS is None, reason=NONE)]
TABLE = ("lobby", "questions of the table", "dice", "notices", "demonstration")
LOOKS = (("dark", 100), ("light", 200))
"""Light and size of text, in per cent."""
DRESS = """([theme, size]) => {
  const { dataset, style } = document.documentElement;
  Object.assign(dataset, { theme, large: String(size >= 150) });
  style.setProperty("--text-size", `${size}%`);
}"""
WIDER = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Gallery]:
    with Gallery(Path(tmp_path_factory.mktemp("gallery")), browser, []) as opened:
        yield opened


def dressed(page: Page, theme: str, size: int) -> None:
    page.set_viewport_size({"width": PHONES[0][0], "height": PHONES[0][1]})
    page.evaluate(DRESS, [theme, size])
    page.evaluate(TWO_FRAMES)


def seats_of(moment: Moment) -> list[int]:
    return [seat for seat in (moment.asked, moment.other) if seat and seat in moment.hands]


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("section", [*TABLE, *(str(games.find(name).title) for name in games.names())])
def test_axe_finds_nothing_in_any_state_in_both_lights_and_with_large_text(gallery: Gallery, section: str) -> None:
    found: set[str] = set()
    for moment in every(section):
        gallery.show(moment, seats_of(moment))
        for seat in seats_of(moment):
            page = gallery.phone(seat)
            for theme, size in LOOKS:
                dressed(page, theme, size)
                found |= {f"{moment.name}, {theme} {size} %: {one}" for one in findings(page)}
                found |= {f"{moment.name}, {size} %: {one}" for one in small_targets(page)}
                if page.evaluate(WIDER):
                    found.add(f"{moment.name}, {size} %: scrolls sideways")
            dressed(page, *LOOKS[0])
            page.set_viewport_size({"width": PHONES[2][0], "height": PHONES[2][1]})
            page.evaluate(TWO_FRAMES)
            found |= {f"{moment.name}, on a high phone: {one}" for one in small_targets(page)}
        gallery.kiosk.set_viewport_size({"width": KIOSKS[1][0], "height": KIOSKS[1][1]})
        gallery.kiosk.evaluate(TWO_FRAMES)
        found |= {f"{moment.name}, screen: {one}" for one in findings(gallery.kiosk)}
    assert not found, "\n".join(sorted(found))


class Inspector(Photographer):
    """Looks at the program's own pages with axe instead of photographing them."""

    found: set[str]

    def take(self, page: Page, kind: str, name: str) -> None:
        page.wait_for_timeout(150)
        for theme in ("dark", "light"):
            page.evaluate(DRESS, [theme, 100])
            page.evaluate(TWO_FRAMES)
            self.found |= {f"{kind}, {name}, {theme}: {one}" for one in findings(page)}
        if kind != "bench":
            self.found |= {f"{kind}, {name}: {one}" for one in small_targets(page)}


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.wide
def test_axe_finds_nothing_on_the_pages_of_staff_till_bench_and_history(tmp_path: Path, browser: Browser) -> None:
    Inspector.found = set()
    of_the_program(tmp_path, browser, Inspector)
    assert not Inspector.found, "\n".join(sorted(Inspector.found))


@pytest.mark.slow
@pytest.mark.wide
def test_axe_finds_nothing_while_people_sit_down_and_in_the_tabs(gallery: Gallery, browser: Browser) -> None:
    found: set[str] = set()

    def look(page: Page, what: str) -> None:
        for theme, size in LOOKS:
            dressed(page, theme, size)
            found.update(f"{what}, {theme} {size} %: {one}" for one in [*findings(page), *small_targets(page)])
            if page.evaluate(WIDER):
                found.add(f"{what}, {size} %: scrolls sideways")
        dressed(page, *LOOKS[0])

    (lobby,) = [one for one in every("lobby") if one.name == "three sit"]
    (middle,) = [one for one in every(str(games.find("bidness").title)) if one.tabs]
    gallery.show(lobby, [])
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(f"{gallery.hub.address}/")
        page.get_by_label("Table code").wait_for()
        look(page, "which table")
        page.goto(f"{gallery.hub.address}/t/1#k={gallery.hub.k}")
        page.get_by_text("Where do you sit?").wait_for()
        look(page, "where do you sit")
        page.get_by_role("button", name="Just watch").click()
        page.locator(".lobby").wait_for()
        look(page, "a watcher's lobby")
        gallery.hub.press_at_once = False
        page.goto(f"{gallery.hub.address}/t/1?again")
        page.locator(".seat-button").first.click()
        page.get_by_label("letters").wait_for()
        look(page, "press the box")
        gallery.hub.press_at_once = True
    gallery.show(middle, [middle.asked])
    page = gallery.phone(middle.asked)
    for name in ("Rules", "Log", "Why", "Help", "Seat"):
        page.get_by_role("navigation", name="More").get_by_text(name).click()
        page.locator(".panel h1").wait_for()
        look(page, name)
        assert page.evaluate("() => document.querySelector('.body').contains(document.activeElement)")
        page.locator(".back").click()
        page.evaluate(TWO_FRAMES)
        assert page.evaluate("() => document.activeElement !== document.body"), (
            f"{name} is closed, and the focus is nowhere"
        )
    assert not found, "\n".join(sorted(found))
