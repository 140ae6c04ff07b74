"""A lawsuit with eleven dice on the running hub: talks on two phones, batches in the tray, the verdict, the salaries.

The match comes from a scenario that ends in the middle of the negotiation, and is stored for the hub.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hub.authoring.scenarios import Play
from tests.chromium import HEADLESS, NONE, headless
from tests.e2e import hub_process
from tests.e2e.hub_process import HubProcess, SeatPhone, asked, store_match
from tests.games.test_scenarios import ALL

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
    pytest.mark.real_chance,
    pytest.mark.real_time,
]

SCENARIO = next(one for one in ALL if one.name == "A trial may take more dice than a tray holds")


def press(page: Page, label: str) -> None:
    page.get_by_role("group", name="Actions").get_by_role("button", name=label, exact=True).click()


def name_amount(page: Page, amount: int) -> None:
    page.get_by_role("textbox", name="Amount").fill(str(amount))
    page.get_by_role("textbox", name="Amount").press("Enter")


def test_a_lawsuit_is_talked_about_rolled_for_in_batches_and_paid_and_salaries_end_the_round(tmp_path: Path) -> None:
    play = Play(SCENARIO)
    for line in SCENARIO.play.strip().splitlines():
        play.line(line)
    store_match(tmp_path / "state", play.match)
    with headless() as browser, HubProcess(tmp_path / "state") as hub:
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2)}
        hub_process.take_seats({phone: hub_process.NAMES[seat] for seat, phone in phones.items()})
        ana, ben = phones[1].page, phones[2].page

        # The talks: a demand, a counter, and no agreement.
        expect(ana.locator(".now-line")).to_contain_text("$60")
        name_amount(ana, 45)
        press(ana, "Demand $45")
        hub.until(lambda s: asked(s) == [2], "Ben answers")
        expect(ben.get_by_role("button", name="Accept $45")).to_be_visible()
        name_amount(ben, 20)
        press(ben, "Counter $20")
        hub.until(lambda s: asked(s) == [1], "Ana answers")
        expect(ana.get_by_role("img", name="Ana: $45. Ben: $20")).to_be_visible()
        press(ana, "Go to trial")

        # Eleven dice, six and five; a roll that is half done keeps its total.
        dice = ana.get_by_role("region", name="Dice")
        expect(dice).to_contain_text("rolls 11 dice, first 6 dice")
        hub.throw()
        half = hub.until(lambda s: s["dice"] and s["dice"]["done"], "six dice stand")["dice"]
        assert (half["count"], half["batch"], len(half["done"][0]["faces"])) == (11, 5, 6)
        for page in (ana, ben):
            expect(page.get_by_role("region", name="Dice")).to_contain_text(
                f"6 of 11 dice rolled, total {half['total']}"
            )
        hub.throw()
        theirs = hub.until(lambda s: s["dice"] and s["dice"]["seat"] == 2, "the defendant rolls")
        total = theirs["view"]["table"]["rolls"]["1"]
        assert total >= half["total"] + 5
        expect(ben.locator(".want.mine")).to_have_text(f"Roll {total} or more: you win a tie.")
        hub.throw()

        # The verdict is held up though nobody can play another card, and the round ends.
        expect(ben.locator(".news")).to_contain_text(re.compile(rf"wins in court, {total} to \d+"))
        state = hub.until(lambda s: s["view"]["phase"] == "salaries", "salaries are due")
        assert state["view"]["seats"]["2"]["cash"] == 40
        assert asked(state) == [1], "seven lawyers are too dear"

        # Layoffs until they can be paid, then earnings, and the first dice of the next round.
        lay_off = ana.get_by_role("checkbox", name="Lawyer")
        for place in range(5):
            lay_off.nth(place).check(force=True)
        press(ana, "Lay off Lawyer, Lawyer, Lawyer, Lawyer, Lawyer")
        hub.until(lambda s: s["view"]["seats"]["1"]["lawyers"] == 2, "two lawyers are kept")
        press(ana, "Pay salaries")
        state = hub.until(lambda s: s["view"]["phase"] == "first_player", "the next round begins")
        assert [slip["seat"] for slip in state["view"]["table"]["receipts"]] == [1, 2, 3, 4]
        assert state["view"]["table"]["receipts"][0]["salary"] == 60
        expect(ana.get_by_role("region", name="Business")).to_contain_text("salaries $60")
        for phone in phones.values():
            assert phone.errors == []
