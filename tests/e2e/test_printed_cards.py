"""Rounds with printed cards on the running hub: phones name what people play, and nothing else is asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hub import games
from hub.engine.decision import CHANCE, Action
from hub.engine.match import Match
from hub.engine.printed import OPTION
from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hub_process import HubProcess, SeatPhone, State, asked, store_match

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]


def name_card(page: Page, number: int, label: str) -> None:
    """Two touches: the number, and what is done with it."""
    page.locator(".close-keys .choice").filter(has=page.get_by_text(re.compile(f"^{number}$"))).click()
    page.get_by_role("group", name="Actions").get_by_role("button", name=label, exact=True).click()


def locked(count: int) -> Callable[[State], bool]:
    """Whether so many seats have locked."""
    return lambda state: len(state["locked"]) == count


def test_a_round_is_played_by_naming_numbers_and_who_name_the_same_one_name_theirs_again(tmp_path: Path) -> None:
    match = Match(games.find("i-bid-you-not"), (1, 2, 3), {OPTION: True, "actions": False, "first": 1})
    store_match(tmp_path / "state", match)
    with headless() as browser, HubProcess(tmp_path / "state", seats=3) as hub:
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2, 3)}
        for phone in phones.values():
            phone.take_seat()
        pages = {seat: phone.page for seat, phone in phones.items()}

        hub.until(lambda s: asked(s) == [1], "the start player lays out")
        expect(pages[1].get_by_text("In front of everybody")).to_be_visible()
        name_card(pages[1], 20, "Cards dealt, 20 opens")
        hub.until(lambda s: asked(s) == [1] and s["view"]["phase"] == "turn", "the first turn")
        name_card(pages[1], 28, "Add 28")
        hub.until(lambda s: asked(s) == [2], "the second turn")
        pages[2].get_by_role("button", name="Declare an auction").click()

        hub.until(lambda s: s["view"]["phase"] == "bid", "all bid")
        for seat, number in {1: 41, 2: 25, 3: 25}.items():
            name_card(pages[seat], number, f"Bid {number}")
            if seat < 3:
                hub.until(locked(seat), "it is locked")
        state = hub.until(lambda s: s["view"]["phase"] == "again", "two have named one card")
        assert asked(state) == [2]
        assert state["view"]["seats"]["1"]["bid"] == 41
        name_card(pages[2], 25, "Bid 25")
        hub.until(lambda s: asked(s) == [3], "the other one")
        name_card(pages[3], 30, "Bid 30")
        state = hub.until(lambda s: s["view"]["round"] == 2, "the next offer")
        assert [card["card"] for card in state["view"]["table"]["offer"]] == [25]
        assert state["view"]["seats"]["1"]["pile_size"] == 2
        for phone in phones.values():
            assert phone.errors == []


class Taps:
    """The phones of a table, and how often they have been touched."""

    def __init__(self, phones: dict[int, SeatPhone]) -> None:
        self.pages = {seat: phone.page for seat, phone in phones.items()}
        self.count = 0

    def act(self, seat: int, name: str) -> None:
        """Touch one of the big buttons."""
        self.pages[seat].get_by_role("group", name="Actions").get_by_role("button", name=re.compile(name)).click()
        self.count += 1

    def choose(self, seat: int, text: str) -> None:
        """Touch what may be chosen."""
        self.pages[seat].locator(".choice").filter(has=self.pages[seat].get_by_text(re.compile(text))).first.click()
        self.count += 1


def test_a_card_of_bidness_is_named_with_two_touches_and_sold_with_one(tmp_path: Path) -> None:
    match = Match(games.find("bidness"), (1, 2, 3), {OPTION: True})
    match.act(Action(seat=1, move="laid_out"))
    for face in (6, 1, 1):
        match.act(Action(seat=CHANCE, move="roll", args={"faces": [face] * 3}))
    store_match(tmp_path / "state", match)
    with headless() as browser, HubProcess(tmp_path / "state", seats=3) as hub:
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2, 3)}
        for phone in phones.values():
            phone.take_seat()
        taps = Taps(phones)

        hub.until(lambda s: s["view"]["phase"] == "deal", "people deal")
        taps.act(1, "^Dealt")
        hub.until(lambda s: s["view"]["phase"] == "play", "the first turn")
        assert taps.count == 1, "one says it for all"
        assert phones[1].page.get_by_text("Hold to see your hand").count() == 0, "people hold it"
        taps.choose(1, "^Marketer$")
        taps.act(1, "Play Marketer")
        hub.until(lambda s: s["view"]["phase"] == "auction", "it is auctioned")
        assert taps.count == 3
        for seat, then in ((1, 2), (2, 3), (3, 2)):
            hub.until(lambda s, seat=seat: asked(s) == [seat], "a bid")  # type: ignore[misc]
            taps.act(seat, "^Drop")
            hub.until(lambda s, then=then: asked(s) == [then], "the next one")  # type: ignore[misc]
        taps.act(2, "^Sell")
        state = hub.until(lambda s: asked(s) == [3], "the next turn")
        assert taps.count == 7
        assert state["view"]["seats"]["2"]["cash"] == 110
        for phone in phones.values():
            assert phone.errors == []


def test_all_count_their_hands_of_bid_it_at_the_same_time(tmp_path: Path) -> None:
    match = Match(games.find("bid-it"), (1, 2, 3), {OPTION: True, "first": 1})
    played: list[tuple[int, str, dict[str, Any]]] = [
        (1, "laid_out", {}),
        (1, "bid", {"quantity": 3, "rank": 5}),
    ]
    for seat, move, given in played:
        match.act(Action(seat=seat, move=move, args=given))
    store_match(tmp_path / "state", match)
    with headless() as browser, HubProcess(tmp_path / "state", seats=3) as hub:
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2, 3)}
        for phone in phones.values():
            phone.take_seat()
        taps = Taps(phones)
        taps.choose(2, "Challenge")
        taps.act(2, "Challenge")
        hub.until(lambda s: asked(s) == [3], "a side is taken")
        phones[3].page.locator(".choice").first.click()
        taps.act(3, "right")
        hub.until(lambda s: s["view"]["phase"] == "count", "all count")
        before = taps.count
        taps.choose(1, "^2$")
        taps.act(1, "shows 2")
        taps.act(2, "shows none")
        taps.choose(3, "^1$")
        taps.act(3, "shows 1")
        state = hub.until(lambda s: s["view"]["phase"] == "again", "the next round")
        assert taps.count - before == 5
        assert state["view"]["table"]["count"]["total"] == 3
        assert state["view"]["seats"]["2"]["deal_cards"] == 5
        for phone in phones.values():
            assert phone.errors == []
