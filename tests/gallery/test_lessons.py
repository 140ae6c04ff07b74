"""What a lesson speaks of is outlined on the real pages, on phones and on the kiosk, at the moment it is told."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Page, expect

from hub import games
from hub.table.views.lessons import READ_SECONDS
from tests.chromium import HEADLESS, NONE, headless
from tests.gallery.moments import Moment, Sitting
from tests.gallery.pictures import KIOSKS, PHONES, Gallery

pytestmark = [pytest.mark.browser, pytest.mark.long]

STEPS = 120
GUESTS = 3


def taught(name: str) -> list[Moment]:
    """Return the moments of a match at which something new is told, to a seat or to the room."""
    rig, random = Sitting(games.find(name), seed=5, guests=GUESTS), Random(5)
    rig.start(name)
    found: list[Moment] = []
    told: set[tuple[object, ...]] = set()
    for step in range(STEPS):
        if rig.state["state"] != "playing":
            break
        hands = [(seat, rig.hand(seat)["lesson"]) for seat in rig.sids]
        now: set[tuple[object, ...]] = {(seat, lesson["key"], lesson["to"]) for seat, lesson in hands if lesson}
        now |= {(0, (rig.state["teaching"] or {}).get("lesson") or None)}
        if not now <= told:
            told |= now
            found.append(rig.moment(name, f"{step}"))
        rig.clock.time += READ_SECONDS
        if not rig.step(random):
            break
    return found


def is_lit(page: Page, lesson: bool, what: str) -> None:
    if lesson:
        expect(page.get_by_role("complementary", name="A rule for this moment")).to_be_visible()
        # It is outlined once the sentence was painted, which a slow machine does later than it draws.
        expect(page.locator("[data-lit]"), f"{what}: nothing is outlined").not_to_have_count(0)
    else:
        expect(page.locator("[data-lit]")).to_have_count(0)


@pytest.mark.parametrize("name", games.names())
def test_what_a_lesson_speaks_of_is_outlined(name: str, tmp_path: Path) -> None:
    if HEADLESS is None:
        pytest.skip(NONE)
    moments = taught(name)
    assert len(moments) >= 4, "a first round has lessons"
    with headless() as browser, Gallery(tmp_path, browser, moments) as gallery:
        gallery.kiosk.set_viewport_size({"width": KIOSKS[0][0], "height": KIOSKS[0][1]})
        for moment in moments:
            seats = sorted(moment.hands)
            gallery.show(moment, seats)
            for seat in seats:
                page = gallery.phone(seat)
                page.set_viewport_size({"width": PHONES[2][0], "height": PHONES[2][1]})
                lesson = moment.hands[seat]["lesson"]
                is_lit(page, lesson is not None, f"{moment.name}, seat {seat}: {lesson}")
            room = (moment.screen["teaching"] or {}).get("lesson", "")
            is_lit(gallery.kiosk, bool(room), f"{moment.name}, kiosk: {room}")
