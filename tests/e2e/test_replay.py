"""The replay page, from the real hub in a real browser: step by step, with hands, from a file, and for everybody."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from hub import games
from hub.authoring.players import random_match
from hub.engine.match import Match
from hub.replays import choices, house_choices, kept, replay
from hub.store import Store
from tests.chromium import HEADLESS, NONE, SMALL_PHONE, headless
from tests.e2e.hub_process import HubProcess
from tests.phone_ui.axe import findings, small_targets
from tests.test_history import put

DESKTOP: Any = {"width": 1280, "height": 720}
pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.skipif(HEADLESS is None, reason=NONE)]


SPOILED: list[dict[str, Any]] = [
    {"steps": "many"}, {"steps": [None]}, {"steps": [{"view": {}, "events": []}]}, {"title": 5}, {"seats": 3},
    {"steps": [{"view": {"table": {}, "seats": {"1": None}, "phase": "__proto__", "round": []}, "events": [{"text": "a", "data": {}}], "over": {}}]},
]  # fmt: skip
"""Parts of files that only look like a replay."""


def where(page: Page) -> str:
    return page.locator(".replay-where").inner_text()


def test_a_match_is_replayed_step_by_step_and_from_a_file(tmp_path: Path) -> None:
    game = games.find("goofspiel")
    first, second = (random_match(game, (1, 2), {}, Random(seed)) for seed in (1, 2))
    with closing(Store(tmp_path / "state" / "table-hub.db")) as store:
        old, last = put(store, "1", first), put(store, "1", second)
    with HubProcess(tmp_path / "state", seats=2) as hub, headless() as browser:
        faults: list[str] = []
        page = browser.new_context(viewport=SMALL_PHONE).new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text))
        page.goto(f"{hub.address}/t/1/history")
        page.get_by_role("link", name="Replay: Goofspiel").last.click()
        expect(page.get_by_role("heading", name="Replay: Goofspiel")).to_be_visible()
        steps = int(page.get_by_role("slider", name="Step").get_attribute("max") or 0) + 1
        assert where(page) == f"Step 1 of {steps} · Round 1 · Bid"
        expect(page.get_by_role("button", name="Back")).to_be_disabled()

        page.get_by_label("Show the hand of").select_option("2")
        expect(page.get_by_role("heading", name="What Seat 2 saw")).to_be_visible()
        for _ in range(2):
            page.get_by_role("button", name="Next step").click()
        assert where(page).startswith(f"Step 3 of {steps} · Round 3")
        told = page.get_by_role("list", name="What happened")
        expect(told).to_contain_text("The bids:")
        expect(told).to_contain_text("GS-06: All bids are revealed at once")
        page.get_by_role("button", name="Back").click()
        assert where(page).startswith("Step 2 of")

        page.get_by_role("slider", name="Step").fill(f"{steps - 1}")
        assert first.over
        winner = f"Seat {first.over.winners[0]} wins" if len(first.over.winners) == 1 else "win"
        expect(page.get_by_role("heading", name=winner)).to_be_visible()
        page.get_by_role("button", name="Again").click()
        assert where(page).startswith("Step 1 of")
        assert page.evaluate("document.documentElement.scrollWidth") <= SMALL_PHONE["width"]
        assert [*findings(page), *small_targets(page)] == []

        with page.expect_download() as download:
            page.get_by_role("button", name="Save this replay").click()
        kept = tmp_path / "kept.json"
        download.value.save_as(kept)
        assert json.loads(kept.read_text("utf-8"))["match"] == old

        page.goto(f"{hub.address}/t/1/replay?match={last}")
        expect(page.get_by_text("Hands are shown once this table plays another match.")).to_be_visible()
        expect(page.get_by_label("Show the hand of")).to_have_count(0)
        assert faults == []

        elsewhere = browser.new_context(viewport=DESKTOP).new_page()
        elsewhere.goto(f"{hub.address}/t/1/replay")
        (tmp_path / "no.json").write_text('{"steps": 3}', "utf-8")
        elsewhere.get_by_label("Open a saved replay").set_input_files(tmp_path / "no.json")
        expect(elsewhere.get_by_role("alert")).to_have_text(
            "This file is no replay. Choose one that was saved on this page."
        )
        elsewhere.get_by_label("Open a saved replay").set_input_files(kept)
        expect(elsewhere.get_by_role("heading", name="From a file: Goofspiel")).to_be_visible()
        assert where(elsewhere) == f"Step 1 of {steps} · Round 1 · Bid"
        assert [*findings(elsewhere), *small_targets(elsewhere)] == []

        elsewhere.get_by_role("slider", name="Step").fill(f"{steps - 1}")
        whole = json.loads(kept.read_text("utf-8"))
        (tmp_path / "short.json").write_text(json.dumps(whole | {"steps": whole["steps"][:2]}), "utf-8")
        elsewhere.get_by_label("Open a saved replay").set_input_files(tmp_path / "short.json")
        expect(elsewhere.locator(".replay-where")).to_contain_text("Step 1 of 2")  # another match of the same name
        for number, spoiled in enumerate(SPOILED):
            file = tmp_path / f"spoiled {number}.json"
            file.write_text(json.dumps(whole | spoiled), "utf-8")
            elsewhere.get_by_label("Open a saved replay").set_input_files(file)
            expect(elsewhere.get_by_role("alert")).to_contain_text("This file is no replay.")
            elsewhere.get_by_label("Open a saved replay").set_input_files(kept)
            expect(elsewhere.locator(".replay-where")).to_contain_text(f"Step 1 of {steps}")
            expect(elsewhere.get_by_role("alert")).to_have_count(0)

        elsewhere.goto(f"{hub.address}/t/1/replay?match=m-99")
        expect(elsewhere.get_by_role("alert")).to_have_text("There is no finished match m-99 at this table.")


def test_a_match_plays_by_itself_to_its_end_and_a_number_says_how_it_came_about(tmp_path: Path) -> None:
    game = games.find("goofspiel")
    played: Match = random_match(game, (1, 2), {"cards": 3}, Random(1))
    with closing(Store(tmp_path / "state" / "table-hub.db")) as store:
        id_ = put(store, "1", played)
    with HubProcess(tmp_path / "state", seats=2) as hub, headless() as browser:
        page = browser.new_context(viewport=SMALL_PHONE).new_page()
        page.clock.install()
        page.goto(f"{hub.address}/t/1/replay?match={id_}")
        page.get_by_role("button", name="Play it").click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        steps = int(page.get_by_role("slider", name="Step").get_attribute("max") or 0) + 1
        for number in range(2, steps + 1):
            page.clock.run_for(2_000)
            expect(page.locator(".replay-where")).to_contain_text(f"Step {number} of {steps}")
        page.clock.run_for(2_000)
        expect(page.get_by_role("button", name="Again")).to_be_visible()
        page.locator(".result .score-tap").first.click()
        page.clock.run_for(500)
        sums = page.get_by_role("list", name="How it came about")
        expect(sums.first).to_contain_text("0 + ")


SCRUB = """(slider, to) => {
  for (const at of [...Array(Number(slider.max)).keys(), to]) {
    slider.value = at;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""
"""Move the slider through all steps at once, and then to one."""


def watched(page: Page) -> tuple[list[str], list[str]]:
    """Return the steps that a page asks about, and its faults, as they come."""
    asked: list[str] = []
    faults: list[str] = []

    def on_request(request: Request) -> None:
        if "/house/" in request.url:
            asked.append(request.url.rpartition("/")[2])

    page.on("request", on_request)
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    return asked, faults


def test_a_step_says_the_odds_of_a_roll_and_on_demand_what_the_house_would_have_done(tmp_path: Path) -> None:
    game = games.find("bid-and-bait")
    first, second = (random_match(game, (1, 2, 3), {}, Random(seed)) for seed in (1, 2))
    database = tmp_path / "state" / "table-hub.db"
    with closing(Store(database)) as store:
        old, last = put(store, "1", first), put(store, "1", second)
    with closing(sqlite3.connect(database)) as db:
        steps, hidden = (replay(db, kept(db, "1", match), [game]).steps for match in (old, last))
        found = choices(db, kept(db, "1", old), [game]).steps
    at_roll = next(n for n, step in enumerate(steps) if step.wants)
    other = next(n for n, step in enumerate(steps) if not step.wants)
    goal = steps[at_roll].wants
    assert goal
    same = {n: {one.same for one in house_choices(game, n + 1, made).choices} for n, made in enumerate(found) if made}
    alike, unlike = (next(n for n, known in same.items() if known == {wanted}) for wanted in (True, False))
    closed = next(n for n, step in enumerate(hidden) if step.view.waiting.seats)
    with headless() as browser, HubProcess(tmp_path / "state", seats=3) as hub:
        for size in (SMALL_PHONE, DESKTOP):
            page = browser.new_context(viewport=size).new_page()
            asked, faults = watched(page)
            page.goto(f"{hub.address}/t/1/replay?match={old}")
            slider = page.get_by_role("slider", name="Step")
            slider.fill(f"{at_roll}")
            expect(page.locator(".dice-wants")).to_contain_text(goal.say)
            slider.fill(f"{other}")
            expect(page.locator(".dice-wants")).to_have_count(0)
            page.wait_for_timeout(500)
            assert asked == [], "nobody wants to know"

            slider.fill(f"{unlike}")
            page.get_by_text("What would the house have done?").click()
            told = page.locator(".replay-house").get_by_role("status")
            expect(told).to_contain_text("The house would have chosen: ")
            slider.evaluate(SCRUB, alike)
            expect(told).to_contain_text("The house would have done the same.")
            assert asked == [f"{unlike + 1}.json", f"{alike + 1}.json"]
            slider.fill(f"{unlike}")
            expect(told).to_contain_text("The house would have chosen: ")
            assert len(asked) == 2, "it is known already"
            slider.fill(f"{len(steps) - 1}")
            expect(told).to_have_text("The house has nothing to choose here.")
            slider.fill(f"{alike}")
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            assert [*findings(page), *small_targets(page)] == []

            with page.expect_download() as download:
                page.get_by_role("button", name="Save this replay").click()
            download.value.save_as(tmp_path / "kept.json")
            page.get_by_label("Open a saved replay").set_input_files(tmp_path / "kept.json")
            expect(page.get_by_role("heading", name="From a file: Bid & Bait!")).to_be_visible()
            slider.fill(f"{at_roll}")
            expect(page.locator(".dice-wants")).to_contain_text(goal.say)
            page.get_by_text("What would the house have done?").click()
            expect(told).to_have_text("Only the hub that keeps this match can say what the house would have done.")

            page.goto(f"{hub.address}/t/1/replay?match={last}")
            slider.fill(f"{closed}")
            page.get_by_text("What would the house have done?").click()
            expect(told).to_have_text("What the house would have done is shown once this table plays another match.")
            assert faults == []
