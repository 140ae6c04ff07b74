"""No sentence of a page escapes the catalogues: in a language that has another sign for each letter, none is left plain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hub import games
from hub.engine.text import person, say
from hub.languages import Speech
from tests import made_language
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.gallery.moments import NAMES, Moment, every
from tests.gallery.pictures import TWO_FRAMES, Gallery, held, seats_of
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub, labels_of

NAMED = {word for name in NAMES.values() for word in re.findall("[A-Za-z]+", name)}
"""Words of the guests' names."""
TABLE = ("Lobby", "Notices", "Dice", "Questions", "Demonstration")
"""Sections of the gallery that are of no game."""

SIGNS = re.compile(
    r"https?://\S+|[\w.]+:\d+(/\S*)?|\b[A-Z]{2}-[A-Z]*\d*\w*|\bh[ELM]\b|\bFISH\b|\b[BCDFGHJKLMNPQRSTVWXYZ]{6}\b|staff-pin --new|/staff\b|\b(Pseudo|English|Table 1)\b|US\$|\bred\b|\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"
    r"|Café Zum Grünen Würfel Gäste|The rules met something new. Undo one step to go on."
)
"""Addresses, ids of rules, and codes."""

ALL_TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.parentElement.closest("script, style, noscript, [translate=no]")) found.push(node.data);
    } else {
      for (const name of ["aria-label", "title", "placeholder", "alt"]) found.push(node.getAttribute(name) ?? "");
    }
  }
  return found.filter((text) => text.trim());
}"""


# Texts that leave the screen or their own box, and two that lie over each other; what is scrolled under the dock is not one.
MISPLACED = """() => {
  const found = [];
  const bars = ".dock, .tabs, .strip, .notices";
  const texts = [];
  // What of a rectangle is seen: rows scroll sideways, and long names end in an ellipsis.
  const seen = (rect, one) => {
    let { left, right, top, bottom } = rect;
    for (let part = one; part && part !== document.body; part = part.parentElement) {
      if (getComputedStyle(part).overflowX === "visible") continue;
      const box = part.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the screen");
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const one = text.parentElement;
    if (!text.data.trim() || one.closest(".unseen, script, style, svg") || !one.checkVisibility()) continue;
    if (one.getBoundingClientRect().width < 2) continue;
    const range = new Range();
    range.selectNodeContents(text);
    const said = `${one.className || one.tagName} ${text.data.trim().slice(0, 30)}`;
    for (const drawn of range.getClientRects()) {
      const rect = seen(drawn, one);
      if (rect.right - rect.left < 1 || rect.bottom - rect.top < 1) continue;
      if (rect.left < -1 || rect.right > innerWidth + 1) found.push(`off the screen: ${said}`);
      texts.push({ one, said, rect, bar: one.closest(bars) });
    }
    const box = one.closest("button, .card, .choice-body, .notice, p, td, dd");
    if (box && getComputedStyle(box).overflowX === "hidden" && box.scrollWidth > box.clientWidth + 1)
      found.push(`cut: ${said}`);
  }
  for (const name of document.querySelectorAll(".who-name"))
    if (name.scrollWidth > name.clientWidth && getComputedStyle(name).direction === "rtl")
      found.push(`cut at its beginning: ${name.textContent}`);
  for (const [i, a] of texts.entries())
    for (const b of texts.slice(i + 1)) {
      const wide = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const high = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      if (a.one !== b.one && a.bar === b.bar && wide > 3 && high > 6) found.push(`${a.said} over ${b.said}`);
    }
  return [...new Set(found)];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if HEADLESS is None:
        pytest.skip(NONE)
    with headless() as opened:
        yield opened


class MadeSpeech:
    """The made language, from right to left as it is, or the other way."""

    names: ClassVar = {"en": "English", made_language.NAME: "Pseudo"}
    tables: ClassVar = {"1": [made_language.NAME]}

    def __init__(self, direction: str = "rtl") -> None:
        self.direction = direction

    @cache  # noqa: B019 - one for all tests
    def catalogue(self, language: str, game: str) -> bytes | None:
        found = made_language.read().get(game) if language == made_language.NAME else None
        return msgspec.json.encode(msgspec.structs.replace(found, direction=self.direction)) if found else None


def plain(texts: list[str]) -> Iterator[str]:
    """What is left in plain letters, names of people aside."""
    for text in texts:
        words = re.findall(r"[A-Za-z]{2,}", SIGNS.sub(" ", text))
        lost = [word for word in words if not any(word in name for name in NAMED)]
        if lost:
            yield f"{text.strip()!r}: {', '.join(lost)}"


def on_page(page: Page) -> set[str]:
    return set(plain(page.evaluate(ALL_TEXTS)))


def left_plain(gallery: Gallery, moment: Moment) -> set[str]:
    """What all screens leave plain at a moment; a phone's tabs with it."""
    seats = seats_of(moment)
    gallery.show(moment, seats)
    found = on_page(gallery.kiosk)
    for seat in seats:
        page = gallery.phone(seat)
        found |= on_page(page)
        hand = page.locator("section.secret:not(.kept)").first
        if hand.count():
            with held(page, hand):
                found |= on_page(page)
        for tab in page.locator("nav button").all() if moment.tabs else []:
            tab.click()
            page.evaluate(TWO_FRAMES)
            found |= on_page(page)
            page.locator(".back").click()
    return found


@pytest.mark.slow
@pytest.mark.wide
@pytest.mark.browser
@pytest.mark.parametrize("section", [*TABLE, *(games.find(name).title for name in games.names())])
def test_no_text_of_a_screen_escapes_the_catalogues(section: str, browser: Browser, tmp_path: Path) -> None:
    moments = every(section)
    assert moments
    with Gallery(tmp_path, browser, moments, made_language.NAME, MadeSpeech("ltr")) as gallery:
        found = {text: moment.name for moment in moments for text in left_plain(gallery, moment)}

    assert not found, "\n".join(f"{name}: {text}" for text, name in found.items())


@pytest.mark.slow
@pytest.mark.wide
@pytest.mark.browser
@pytest.mark.parametrize("section", [*TABLE, *(games.find(name).title for name in games.names())])
def test_a_phone_that_reads_from_right_to_left_shows_all_and_nothing_twice(
    section: str, browser: Browser, tmp_path: Path
) -> None:
    found: dict[str, str] = {}
    with Gallery(tmp_path, browser, [], made_language.NAME, MadeSpeech()) as gallery:
        for moment in every(section):
            gallery.show(moment, seats_of(moment))
            for seat in seats_of(moment):
                page = gallery.phone(seat)
                assert page.evaluate("() => document.documentElement.dir") == "rtl"
                found |= dict.fromkeys(page.evaluate(MISPLACED), moment.name)
                for tab in page.locator("nav button").all() if moment.tabs else []:
                    tab.click()
                    page.evaluate(TWO_FRAMES)
                    found |= dict.fromkeys(page.evaluate(MISPLACED), f"{moment.name}, a tab")
                    page.locator(".back").click()

    assert not found, "\n".join(f"{name}: {text}" for text, name in found.items())


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_of_a_match_is_seen_in_english_before_its_sentences_have_come(browser: Browser, hub: FakeHub) -> None:
    context = browser.new_context(viewport=PHONE, locale="de", reduced_motion="reduce")
    phone, screen = context.new_page(), context.new_page()
    phone.goto(f"{hub.address}/t/1#k={hub.k}")
    phone.get_by_role("button", name="Nur zusehen").click()
    held: list[Route] = []
    context.route("**/languages/de/bid-and-bait.json", lambda route: held.append(route))  # noqa: PLW0108 - Playwright writes into it
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.get_by_text("und tippe")).to_be_visible()
    hub.public(scenes.TAKE | {"seq": 50})
    for page in (phone, screen):
        expect(page.locator("main[aria-busy=true]")).to_have_count(1)
        assert "prize" not in page.locator("body").inner_text()
    while len(held) < 2:
        phone.evaluate("1")
    for route in held:
        route.continue_()
    for page in (phone, screen):
        expect(page.locator("main")).to_contain_text("Barsch")
        expect(page.locator("main[aria-busy=true]")).to_have_count(0)
    expect(phone.locator("[role=log] p").last).to_have_text(re.compile("Forelle"))
    context.close()


# --- who speaks which language -------------------------------------------------------------------------


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    fake = FakeHub().start()
    fake.labels = {"bid-and-bait": labels_of("bid-and-bait")}
    fake.speech = Speech({"1": ["de", "en"]})
    fake.public(scenes.public(state="lobby"))
    yield fake
    fake.stop()


@pytest.mark.slow
@pytest.mark.browser
def test_a_phone_speaks_its_browsers_language_and_keeps_another_choice(browser: Browser, hub: FakeHub) -> None:
    page = browser.new_context(viewport=PHONE, locale="de-AT").new_page()
    page.goto(f"{hub.address}/t/1#k={hub.k}")

    expect(page.get_by_text("Wo sitzt du?")).to_be_visible()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["de", "ltr"]

    page.get_by_role("button", name="Nur zusehen").click()
    page.get_by_role("navigation").get_by_role("button", name="Platz").click()
    page.get_by_role("radio", name="English").dispatch_event("click")
    page.get_by_role("button", name="Just watch").click()
    page.reload()
    expect(page.get_by_text("Where do you sit?")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.slow
@pytest.mark.browser
def test_a_phone_whose_language_the_hub_has_not_speaks_english(browser: Browser, hub: FakeHub) -> None:
    page = browser.new_context(viewport=PHONE, locale="eo").new_page()
    page.goto(f"{hub.address}/t/1#k={hub.k}")

    expect(page.get_by_text("Where do you sit?")).to_be_visible()


WORDS = {1: "Pass", 2: "{seat} King %s $&", 3: "Hecht and Seat 1 bids $5", 4: "<b>Done</b>"}
"""Names that are words, sentences and templates. "Seat 1" is refused as one: here the pages are tried alone."""
ASKED = say(
    "A new phone, named {name}, asks for seat {seat}. Is it {player}?",
    seat=2, name=person("Platz 1. Is it Done"), player=person("Pass"),
)  # fmt: skip


def renamed(state: dict[str, Any]) -> dict[str, Any]:
    seats = [place | {"name": WORDS[place["seat"]]} for place in state["seats"]]
    return state | {"seats": seats}


@pytest.mark.slow
@pytest.mark.browser
def test_a_name_is_no_part_of_a_sentence_whatever_it_says(browser: Browser, hub: FakeHub) -> None:
    context = browser.new_context(viewport=PHONE, locale="de", reduced_motion="reduce")
    phone, screen = context.new_page(), context.new_page()
    phone.goto(f"{hub.address}/t/1#k={hub.k}")
    phone.get_by_role("button", name="Nur zusehen").click()
    screen.goto(f"{hub.address}/t/1/kiosk")
    asked = {
        "kind": "new_phone",
        "text": ASKED,
        "options": {"no": "No"},
        "voters": [1],
        "votes": {},
        "seat": 2,
        "seconds": 9,
    }
    hub.public(renamed(scenes.TAKE | {"seq": 50, "question": asked}))
    for page in (phone, screen):
        question = page.locator(".table-question-text")
        expect(question).to_contain_text(
            "namens \u2068Platz 1. Is it Done\u2069 fragt nach {seat} King %s $&. Ist das \u2068Pass\u2069?"
        )
        expect(question.locator(".who")).to_have_count(1)  # seat 2's alone
    for name in WORDS.values():
        expect(screen.locator(".seat-called", has_text=name)).to_have_count(1)
    hub.public(renamed(scenes.OVER | {"seq": 51, "over": scenes.OVER["over"] | {"winners": [1, 3]}}))
    expect(screen.locator(".winner h1")).to_have_text(f"\u2068{WORDS[1]}\u2069 und \u2068{WORDS[3]}\u2069 gewinnen")
    context.close()


@pytest.mark.slow
@pytest.mark.browser
def test_the_screen_of_a_table_with_two_languages_shows_each_in_turn(browser: Browser, hub: FakeHub) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.clock.install()
    page.goto(f"{hub.address}/t/1/kiosk")

    expect(page.get_by_text("und tippe")).to_be_visible()
    for text in ("and type", "und tippe"):
        page.clock.run_for(21_000)
        expect(page.get_by_text(text)).to_be_visible()
    expect(page.get_by_text(hub.code, exact=True)).to_be_visible()
