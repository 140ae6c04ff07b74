"""What the phone's page really sends: its keys are pressed at many moments of a table, and each request fits its verb.

It presses for a minute or two, and which keys it reaches depends on the machine's speed: so `make wide` runs it.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from hub import games
from hub.network.verbs import ARGS, read_args
from hub.ports import PhoneLink
from tests.chromium import HEADLESS, NONE, headless
from tests.gallery.moments import ALL, Moment, Sitting, every
from tests.gallery.pictures import Gallery, seats_of

pytestmark = [pytest.mark.browser, pytest.mark.wide, pytest.mark.skipif(HEADLESS is None, reason=NONE)]

PRESS_ALL = """async ([tab, names]) => {
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const AWAY = /^(Language|Leave)/;  // what ends the page
  const pressed = new Map();
  const set = (input, value) => {
    const kind = input.tagName === "SELECT" ? HTMLSelectElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(input, value);
    for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
  };
  const open = () => {
    const opener = [...document.querySelectorAll("nav button")].find((one) => one.textContent.trim().startsWith(tab));
    if (tab && opener && opener.ariaExpanded === "false") opener.click();
  };
  for (let turn = 0; turn < 120; turn += 1) {
    open();
    await pause(5);
    for (const one of document.querySelectorAll("details:not([open])")) one.open = true;
    const all = [...document.querySelectorAll("button:not(:disabled), input:not(:disabled), select:not(:disabled)")];
    const next = all.filter((one) => !one.closest("nav") && !AWAY.test((one.closest("fieldset") ?? one).textContent.trim())).map((one) => {
      const key = [one.tagName, one.type, one.name, one.value, one.textContent, one.ariaLabel].join("|");
      return { one, key, times: pressed.get(key) ?? 0 };
    }).filter(({ times }) => times < 2).sort((a, b) => a.times - b.times)[0];
    if (!next) break;
    pressed.set(next.key, next.times + 1);
    const { one } = next;
    if (one.tagName === "SELECT") {
      for (const value of [...one.options].map((option) => option.value)) {
        set(one, value);
        await pause(10);
      }
    } else if (["text", "search", ""].includes(one.type) && one.tagName === "INPUT") set(one, names[next.times]);
    else one.click();
    await pause(10);
  }
  await pause(450);  // options of a game are told once nobody has changed them for a while
}"""
DRIVEN = frozenset(
    {
        "act", "roll", "dice", "start", "ready", "wait", "wish", "name", "claim", "acknowledge", "vote", "pause", "take_up",
        "free", "help", "hand_over", "house",
    }
)  # fmt: skip
"""Verbs that keys of these moments send. The types of the pages' calls of all others are checked by tsc all the same."""
NAMES = ["Ana", "x" * 20]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Gallery]:
    with Gallery(Path(tmp_path_factory.mktemp("gallery")), browser, []) as opened:
        yield opened


def more() -> Iterator[Moment]:
    """Moments in which a seat can ask for what no picture of the gallery shows."""
    rig = Sitting(*ALL, guests=3)
    rig.say(2, "help")
    rig.take(PhoneLink(rig.sids[3], False))
    rig.wait(200)
    yield rig.moment("more", "a seat that nothing is heard from", asked=1)
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    rig.claim(2)
    yield rig.moment("more", "another phone asks for a seat", asked=2)
    rig = Sitting(games.find("bid-and-bait"), guests=3)
    rig.start("bid-and-bait")
    rig.say_leave(3)
    yield rig.moment("more", "somebody has left a match", asked=1, other=None)


def sent(gallery: Gallery) -> list[dict[str, Any]]:
    found = []
    while True:
        try:
            found.append(gallery.hub.asks.get_nowait())
        except queue.Empty:
            return found


def press_all(gallery: Gallery, moment: Moment) -> list[dict[str, Any]]:
    """Press all that stands on the phones of a moment, in every tab; return what they sent."""
    for seat in seats_of(moment):
        for tab in ("", "Seat", "Help") if moment.section == "more" else ("",):
            gallery.show(moment, [seat])
            page: Page = gallery.phone(seat)
            page.evaluate(PRESS_ALL, [tab, NAMES])
    return sent(gallery)


def moments() -> Iterator[Moment]:
    yield from more()
    yield from every("questions", "dice")
    yield from every("lobby")[3:7:3]


def test_every_request_that_the_keys_of_a_phone_send_fits_its_verb(gallery: Gallery) -> None:
    asked = [one for moment in moments() for one in press_all(gallery, moment)]
    for one in asked:
        read_args(ARGS, one["verb"], one["args"])
    assert "options" in {name for one in asked if one["verb"] == "wish" for name in one["args"]}
    missing = DRIVEN - {one["verb"] for one in asked}
    assert missing == set()
