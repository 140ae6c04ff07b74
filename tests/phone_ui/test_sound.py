"""What is heard of a table: pages in a real Chromium, their synthesiser listened to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub

pytestmark = pytest.mark.browser
expect.set_options(timeout=15_000)

LISTEN = """
window.heard = [];
window.contexts = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (at) {
  window.heard.push(this.frequency.value);
  return start.call(this, at);
};
// How long the synthesizer takes to open or to resume depends on the machine: the test says what sound.js measures.
let milliseconds = 0;
performance.now = () => milliseconds;
window.AudioContext = class extends AudioContext {
  constructor() { super(); window.contexts += 1; window.audio = this; }
  resume() {
    super.resume();
    if (window.late) milliseconds += 500;
    return Promise.resolve();
  }
};
"""
LOCK, REVEAL, DIE, ORDERS, WIN = [880], [523, 659, 784], [196, 247, 165], [988, 784], [523, 659, 784, 1047]
ROLL = {"n": 30, "text": "Seat 4 rolls 6.", "rule": "BB-12", "kind": "roll", "data": {}}
TIME = {"key": "time", "severity": "info", "text": "Last orders: the venue closes at 23:00.", "can_acknowledge": False}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser as `systemd/kiosk.sh` starts it: sound needs no touch."""
    if HEADLESS is None:
        pytest.skip(NONE)
    with headless("--autoplay-policy=no-user-gesture-required") as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=PHONE) as context:
        opened = context.new_page()
        faults: list[str] = []
        opened.on("pageerror", lambda fault: faults.append(str(fault)))
        opened.on("console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None)
        opened.add_init_script(LISTEN)
        yield opened
        assert faults == []


def heard(page: Page, *sounds: list[int]) -> None:
    """Wait until these sounds, and no others, have been heard since the last look."""
    wanted = [tone for sound in sounds for tone in sound]
    page.wait_for_function("(count) => window.heard.length >= count", arg=len(wanted))
    assert page.evaluate("window.heard.splice(0)") == wanted


def kiosk(page: Page, hub: FakeHub, **first: Any) -> None:
    hub.public(scenes.BIDDING | {"seq": 50, "locked": []} | first)
    page.goto(f"{hub.address}/t/1/kiosk")
    expect(page.locator(".now-phase")).to_be_visible()


def settled(page: Page) -> None:
    """Let the page take what it was sent: by then it has sounded, or never will."""
    page.wait_for_timeout(700)


def test_the_big_screen_sounds_at_each_thing_that_happens(page: Page, hub: FakeHub) -> None:
    kiosk(page, hub)
    hub.public(scenes.BIDDING | {"seq": 51, "locked": [1]})
    heard(page, LOCK)
    hub.public(scenes.TAKE | {"seq": 52, "revealed": 14, "events": scenes.BIDDING["events"]})
    heard(page, REVEAL)
    hub.public(scenes.TAKE | {"seq": 53, "revealed": 14, "events": [ROLL]})
    heard(page, DIE)
    hub.public(scenes.TAKE | {"seq": 54, "revealed": 14, "events": [ROLL], "notices": [TIME]})
    heard(page, ORDERS)
    over = {"winners": [4], "scores": {1: 1, 2: 2, 3: 3, 4: 4}, "why": "Seat 4 has the most Fish."}
    ended = {"revealed": 14, "events": [ROLL], "notices": [TIME], "state": "over", "over": over}
    hub.public(scenes.TAKE | {"seq": 55} | ended)
    heard(page, WIN)
    hub.public(scenes.TAKE | {"seq": 56} | ended)
    settled(page)
    heard(page)


def test_what_was_there_when_the_screen_came_is_silent(page: Page, hub: FakeHub) -> None:
    kiosk(page, hub, locked=[1, 2], revealed=3, events=[ROLL], notices=[TIME])
    settled(page)
    assert page.evaluate("window.contexts") == 0
    hub.public(scenes.BIDDING | {"seq": 51, "locked": [1, 2, 3], "revealed": 3, "events": [ROLL], "notices": [TIME]})
    heard(page, LOCK)


def test_a_sound_that_comes_too_late_for_its_picture_is_dropped(page: Page, hub: FakeHub) -> None:
    kiosk(page, hub)
    page.evaluate("window.late = true")
    hub.public(scenes.BIDDING | {"seq": 51, "locked": [1]})
    page.wait_for_function("() => window.contexts === 1")
    settled(page)
    heard(page)
    page.evaluate("window.late = false")
    hub.public(scenes.BIDDING | {"seq": 52, "locked": [1, 2]})
    heard(page, LOCK)


def test_a_quiet_table_is_silent_and_one_that_is_made_loud_again_is_not(page: Page, hub: FakeHub) -> None:
    kiosk(page, hub, volume=0)
    hub.public(scenes.BIDDING | {"seq": 51, "locked": [1], "volume": 0})
    settled(page)
    assert page.evaluate("window.contexts") == 0, "not even a synthesiser"
    hub.public(scenes.BIDDING | {"seq": 52, "locked": [1, 2], "volume": 30})
    heard(page, LOCK)


def test_tones_reach_the_speakers_and_the_synthesiser_rests_afterwards(page: Page, hub: FakeHub) -> None:
    kiosk(page, hub)
    hub.public(scenes.BIDDING | {"seq": 51, "locked": [1]})
    heard(page, LOCK)
    page.wait_for_function("() => window.audio.currentTime > 0.05")
    page.wait_for_function("() => window.audio.state === 'suspended'")


def test_a_phone_is_silent_until_its_owner_wants_sounds(page: Page, hub: FakeHub) -> None:
    wanted: list[str] = []
    page.on("request", lambda request: wanted.append(request.url))
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    page.get_by_label("seat 2, orange triangle").click()
    expect(page.get_by_text("What shall we play?")).to_be_visible()
    hub.public(scenes.BIDDING | {"seq": 50, "locked": []})
    hub.hand(2, scenes.BID_HAND | {"seq": 50})
    expect(page.get_by_text(scenes.BID_HAND["want"])).to_be_visible()
    hub.public(scenes.BIDDING | {"seq": 51, "locked": [1]})
    settled(page)
    heard(page)
    assert not any("sound.js" in url for url in wanted), "nobody fetches what nobody wants"

    page.get_by_role("button", name="Seat", exact=True).click()
    page.get_by_role("checkbox", name="Sounds").click()
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some((one) => one.name.endsWith('/lib/sound.js'))"
    )
    settled(page)
    heard(page)
    hub.public(scenes.BIDDING | {"seq": 52, "locked": [1, 3]})
    heard(page, LOCK)
    page.get_by_role("checkbox", name="Sounds").click()
    hub.public(scenes.BIDDING | {"seq": 53, "locked": [1, 3, 4]})
    settled(page)
    heard(page)
