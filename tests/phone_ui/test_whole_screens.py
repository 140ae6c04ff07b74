"""Moments of all games on the smallest phones and on all big screens: what decides is in sight, and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hub import games
from tests.chromium import headless
from tests.gallery.moments import Moment, every, of_game
from tests.gallery.pictures import KIOSKS, PHONES, TWO_FRAMES, Gallery

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LOW_PHONES = PHONES[:2]
# What a person who is asked presses or turns: the first of it has to be in sight.
DECIDES = (
    ".question :is(.stepper, .choice, .choices .choice, .lid-button, .number-keys .choice, button), .dice-part button"
)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    with headless() as browser, Gallery(Path(tmp_path_factory.mktemp("gallery")), browser, []) as opened:
        yield opened


@cache
def moments_of(name: str) -> list[Moment]:
    return of_game(name)


def moment(name: str, called: str) -> Moment:
    return next(one for one in moments_of(name) if one.name == called)


def at(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(TWO_FRAMES)


@pytest.mark.long
@pytest.mark.parametrize("name", games.names())
def test_what_decides_stands_above_the_dock_of_the_lowest_phones(gallery: Gallery, name: str) -> None:
    hidden, looked = [], 0
    for one in moments_of(name):
        hand = one.hands.get(one.asked)
        if one.screen["state"] != "playing" or not hand or not (hand["moves"] or hand["faces"]) or one.before:
            continue
        gallery.show(one, [one.asked])
        page = gallery.phone(one.asked)
        for size in LOW_PHONES:
            at(page, size)
            place = page.evaluate(
                """(decides) => {
                  const first = document.querySelector(decides);
                  const under = document.querySelector('.dock:has(button)') ?? document.querySelector('.tabs');
                  return first && [first.getBoundingClientRect().bottom, under.getBoundingClientRect().top];
                }""",
                DECIDES,
            )
            if place is not None:
                looked += 1
                if place[0] > place[1]:
                    hidden.append((one.name, size, place))
    assert looked
    assert hidden == []


@pytest.mark.parametrize("size", LOW_PHONES)
@pytest.mark.parametrize(("name", "called"), [("bidness", "discard, sealed"), ("i-bid-you-not", "turn")])
def test_the_finger_that_holds_a_hand_open_scrolls_it_to_its_end(
    gallery: Gallery, name: str, called: str, size: tuple[int, int]
) -> None:
    one = moment(name, called)
    gallery.show(one, [one.asked])
    page = gallery.phone(one.asked)
    at(page, size)
    hand = page.locator(".secret")
    box = hand.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    expect(page.locator(".secret.open")).to_be_visible()
    page.evaluate(TWO_FRAMES)
    seen: set[str] = set()
    for step in range(12):
        seen |= set(page.evaluate(IN_SIGHT))
        page.mouse.move(x, max(2, y - (step + 1) * y / 12))
        page.evaluate(TWO_FRAMES)
    seen |= set(page.evaluate(IN_SIGHT))
    every_one = set(
        page.evaluate("[...document.querySelectorAll('.secret .card, .secret li')].map((one) => one.textContent)")
    )
    assert every_one
    assert every_one - seen == set()
    page.mouse.up()
    page.evaluate(TWO_FRAMES)
    expect(page.locator(".secret.open")).to_have_count(0)
    closed = hand.bounding_box()
    assert closed
    assert (closed["y"], closed["height"]) == (box["y"], box["height"]), "all stands where it stood"


IN_SIGHT = """() => {
  const top = document.querySelector('.strip').getBoundingClientRect().bottom - 1;
  const end = document.querySelector('.tabs').getBoundingClientRect().top + 1;
  return [...document.querySelectorAll('.secret .card, .secret li')]
    .filter((one) => one.getBoundingClientRect().top >= top && one.getBoundingClientRect().bottom <= end)
    .map((one) => one.textContent);
}"""


def test_what_a_card_does_stands_with_it_in_the_hand_in_the_choice_and_on_the_big_screen(gallery: Gallery) -> None:
    cards = gallery.hub.labels["bidness"]["cards"]
    discard = moment("bidness", "discard, sealed")
    gallery.show(discard, [discard.asked])
    page = gallery.phone(discard.asked)
    page.locator(".secret").focus()
    page.keyboard.down(" ")
    for card in set(discard.hands[discard.asked]["you"]["hand"]):
        expect(page.locator(".secret")).to_contain_text(cards[card]["text"])
    page.keyboard.up(" ")
    page.get_by_role("button", name="Show my hand to choose").click()
    first = discard.hands[discard.asked]["moves"][0]["card"]["one_of"][0]
    page.locator(".question .choice").first.click()
    expect(page.locator(".question .card-text")).to_contain_text(cards[first]["text"])
    auction = moment("bidness", "auction")
    gallery.show(auction, [])
    expect(gallery.kiosk.locator(".felt")).to_contain_text(
        cards[auction.screen["view"]["table"]["auction"]["card"]]["text"]
    )


def test_an_empty_hand_has_no_cover(gallery: Gallery) -> None:
    one = moment("bidness", "first_player, dice")
    assert one.hands[one.asked]["you"]["hand"] == []
    gallery.show(one, [one.asked])
    expect(gallery.phone(one.asked).locator(".dice-part")).to_be_visible()
    expect(gallery.phone(one.asked).locator(".secret")).to_have_count(0)


# Texts on a screen that reach beyond it, beyond what cuts them off, or below the foot.
CUT = """() => {
  const foot = document.querySelector('.foot, .invitation')?.getBoundingClientRect().top ?? innerHeight;
  const wanted = '.now-who, .now-main, .now-caption, .now-want, .now-order, .now-headline, .dice-say, .winner > *, ' +
    '.winner-scores li, .welcome-right > *, .welcome-seats li, .seat-place, .felt, .felt .tile, .felt .fact';
  const below = [...document.querySelectorAll(wanted)].filter((one) => one.getBoundingClientRect().bottom > foot + 1);
  const last = '.foot > *, .invitation > *, .invitation p, .welcome-right > *, .now > *, .winner-scores li';
  const out = [...document.querySelectorAll(last)].filter((one) => {
    const { right, bottom } = one.getBoundingClientRect();
    return right > innerWidth + 1 || bottom > innerHeight + 1;
  });
  return [...below, ...out].map((one) => `${one.className}: ${one.textContent.slice(0, 40)}`);
}"""


@pytest.mark.long
@pytest.mark.parametrize(
    "section", ["lobby", "demonstration", "notices", "dice", *(games.find(name).title for name in games.names())]
)
def test_nothing_of_a_big_screen_is_cut_by_its_foot_or_its_edge(gallery: Gallery, section: str) -> None:
    cut: list[Any] = []
    known = {games.find(name).title: name for name in games.names()}
    for one in moments_of(known[section]) if section in known else every(section):
        gallery.show(one, [])
        for size in KIOSKS:
            at(gallery.kiosk, size)
            if gallery.kiosk.evaluate(CUT):
                gallery.kiosk.wait_for_timeout(400)  # pictures of another size are laid out a moment later
            cut += [(one.name, size, what) for what in gallery.kiosk.evaluate(CUT)]
    assert cut == []


def test_an_upright_screen_has_the_moment_above_the_whole_table(gallery: Gallery) -> None:
    gallery.show(moment("bid-it", "bid"), [])
    at(gallery.kiosk, (1080, 1920))
    now, table = (gallery.kiosk.locator(part).bounding_box() for part in (".now", ".table-top"))
    assert now
    assert table
    assert now["width"] == table["width"] == 1080
    assert now["y"] + now["height"] <= table["y"]
