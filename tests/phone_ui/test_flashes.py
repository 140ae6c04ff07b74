"""Nothing on a page flashes more than three times a second (WCAG 2.2, 2.3.1), computed from the style sheets."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tests.phone_ui.fake_hub import STATIC, FakeHub

MOST_HERTZ = 3.0
SEEN = {"opacity", "visibility", "background", "background-color", "color", "fill", "filter", "box-shadow"}
"""Properties that change how bright something is; what moves or turns does not flash."""
SHEETS = sorted(STATIC.rglob("*.css"))
PLAIN = re.sub(r"/\*.*?\*/", "", "\n".join(sheet.read_text() for sheet in SHEETS), flags=re.DOTALL)


def keyframes(css: str) -> dict[str, list[tuple[float, dict[str, str]]]]:
    """Return each animation's steps: the share of its time at which they stand, and what they set."""
    found: dict[str, list[tuple[float, dict[str, str]]]] = {}
    for name, body in re.findall(r"@keyframes ([\w-]+) \{((?:[^{}]*\{[^{}]*\})*)\s*\}", css):
        steps: list[tuple[float, dict[str, str]]] = []
        for places, declared in re.findall(r"([^{}]+)\{([^{}]*)\}", body):
            values = {
                key.strip(): value.strip() for key, _, value in (one.partition(":") for one in declared.split(";"))
            }
            for place in places.split(","):
                at = {"from": "0", "to": "100"}.get(place.strip(), place.strip().rstrip("%"))
                steps.append((float(at) / 100, {key: value for key, value in values.items() if key in SEEN}))
        found[name] = sorted(steps, key=lambda step: step[0])
    return found


def changes(steps: list[tuple[float, dict[str, str]]]) -> int:
    """Return how often what is seen changes while the steps are gone through once, from and to what is there without."""
    whole = [*([] if steps[0][0] == 0 else [(0.0, {})]), *steps, *([] if steps[-1][0] == 1 else [(1.0, {})])]
    return sum(before != after for (_, before), (_, after) in pairwise(whole))


def used(css: str) -> list[tuple[str, float, float]]:
    """Return each use of an animation: its name, its seconds, and how often it runs."""
    found = []
    for said in re.findall(r"animation: ([^;]+);", css):
        seconds = re.search(r"\b([\d.]+)(ms|s)\b", said)
        assert seconds, said
        length = float(seconds[1]) / (1000 if seconds[2] == "ms" else 1)
        found.append((said.split()[0], length, float("inf") if "infinite" in said else 1.0))
    return found


def hertz(css: str, name: str, seconds: float, runs: float) -> float:
    """Return how often a second it flashes: a flash is two changes. What comes once and stays is none."""
    count = changes(keyframes(css)[name])
    if runs == 1:
        return count // 2 / max(seconds, 1.0)
    return (count + 1) / 2 / seconds  # and perhaps once more where it begins again


@pytest.mark.parametrize("use", sorted(set(used(PLAIN))), ids=lambda use: f"{use[0]} in {use[1]} s")
def test_no_animation_flashes_faster_than_three_times_a_second(use: tuple[str, float, float]) -> None:
    assert hertz(PLAIN, *use) <= MOST_HERTZ


def test_every_animation_of_the_pages_is_looked_at() -> None:
    assert {name for name, *_ in used(PLAIN)} == set(keyframes(PLAIN))


def test_one_that_flashes_would_be_noticed() -> None:
    fast = "@keyframes blink { 0% { opacity: 0; } 50% { opacity: 1; } 100% { opacity: 0; } } .x { animation: blink 200ms infinite; }"
    assert hertz(fast, *used(fast)[0]) > MOST_HERTZ
    slow = fast.replace("200ms", "2s")
    assert hertz(slow, *used(slow)[0]) <= MOST_HERTZ


DIE_ROLLS = """() => {
  document.body.innerHTML = '<p class="dice-row rolling"><span class="die"></span></p>';
  return document.getAnimations().length;
}"""


@pytest.mark.browser
@pytest.mark.parametrize(("wanted", "animations"), [("no-preference", 1), ("reduce", 0)])
def test_who_wants_no_motion_sees_no_first_picture_of_one_either(
    browser: Browser, hub: FakeHub, wanted: Literal["no-preference", "reduce"], animations: int
) -> None:
    with browser.new_context(reduced_motion=wanted) as context:
        page = context.new_page()
        page.goto(f"{hub.address}/t/1/kiosk")
        assert page.evaluate(DIE_ROLLS) == animations
