"""The gallery's own parts: moments of every kind, one of them on every screen, and what two runs show differently."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from tests.chromium import HEADLESS, NONE, headless
from tests.gallery.difference import compare
from tests.gallery.moments import every, repeated
from tests.gallery.page import page
from tests.gallery.pictures import KIOSKS, NOTE_WHAT_IS_READ, PANELS, PHONES, Gallery, milliseconds, settle


def size_of(file: Path) -> tuple[int, int]:
    with Image.open(file) as picture:
        return picture.size


@pytest.mark.slow
def test_the_house_plays_to_the_result_through_every_phase_that_asks_somebody() -> None:
    bait = every("bid & bait")
    assert repeated(bait) == []
    phases = {moment.screen["view"]["phase"] for moment in bait}
    assert phases >= {"bid", "roll", "take", "over"}, "the others are for two seats, or nobody is asked in them"
    assert bait[-1].screen["over"] or any(moment.screen["over"] for moment in bait)
    assert all(len(seat["name"]) <= 20 for moment in bait for seat in moment.screen["seats"])


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(HEADLESS is None, reason=NONE)
def test_a_moment_is_photographed_on_every_screen_and_a_change_of_it_is_found(tmp_path: Path) -> None:
    moment = next(one for one in every("dice") if one.name == "rolling")
    files: dict[str, str] = {}
    html = ""
    with headless() as browser:
        for folder, want in (("now", moment.screen["want"]), ("changed", "Something else is wanted.")):
            shown = replace(moment, screen=moment.screen | {"title": want})
            with Gallery(tmp_path / folder, browser, [shown]) as gallery:
                gallery.take(shown)
            (files,) = gallery.taken.values()
            html = page(gallery.taken, None, "")
    for width, height in KIOSKS:
        assert size_of(tmp_path / "now" / files[f"kiosk {width}x{height}"]) == (width, height)
    for width, height in PHONES:
        assert size_of(tmp_path / "now" / files[f"phone {width}x{height}"]) == (width, height)
    assert {f"panel {size}" for size in PANELS} < set(files)
    changes = compare(tmp_path / "now", tmp_path / "changed", tmp_path / "marks")
    differing = {change.file for change in changes}
    assert files["kiosk 1280x720"] in differing, "the title stands on the big screen"
    assert files["phone 320x568"] not in differing, "and on no phone: the same state gives the same picture"
    assert all(file in html for file in files.values())


FRAME = "await new Promise(requestAnimationFrame);"
A_WHILE = "await new Promise((done) => setTimeout(done, 300));"  # a timer of this length is not waited for
IS_DRAWN_AFTER = {
    "answers that make it ask for more": f"for (let asked = 0; asked < 10; asked += 1) {{ await fetch('/more'); {FRAME} }}",
    "an answer whose body is late": "await (await fetch('/more')).json();",
    "frames and turns of its loop": f"for (let n = 0; n < 10; n += 1) {{ {FRAME} await new Promise(setTimeout); }}",
    "a part that is to come": f"main.innerHTML = '<template data-coming>'; {A_WHILE} main.innerHTML = '';",
    "what it waits for itself": f"main.ariaBusy = 'true'; {A_WHILE} main.ariaBusy = 'false';",
}
BODIES_ARE_LATE = """
Response.prototype.json = async function () {
  await new Promise((done) => setTimeout(done, 300));
};
"""


@pytest.mark.browser
@pytest.mark.skipif(HEADLESS is None, reason=NONE)
def test_a_page_is_waited_for_until_it_is_drawn_and_no_longer() -> None:
    with headless() as browser:
        for what, draws in IS_DRAWN_AFTER.items():
            page = browser.new_page()
            page.add_init_script(BODIES_ARE_LATE)
            page.add_init_script(NOTE_WHAT_IS_READ)
            page.route("**/*", lambda route: route.fulfill(body="<main></main>", content_type="text/html"))
            page.goto("http://hub.invalid/page")
            page.evaluate("setTimeout(() => (document.title = 'an hour later'), 3600_000)")
            page.evaluate(
                f"""void (async () => {{
                    const main = document.querySelector("main");
                    {draws}
                    document.title = "drawn";
                }})()"""
            )
            settle(page)
            assert page.title() == "drawn", f"after {what}"
            page.close()


@pytest.mark.browser
@pytest.mark.skipif(HEADLESS is None, reason=NONE)
def test_news_stands_however_long_pictures_take_until_the_next_moment() -> None:
    times = milliseconds("news.js")
    assert len(times) >= 3
    with headless() as browser:
        page = browser.new_page()
        page.clock.install()
        page.add_init_script(NOTE_WHAT_IS_READ)
        page.goto("about:blank")
        page.evaluate("gone = [], times => times.map((time) => setTimeout(() => gone.push(time), time))", times)
        page.evaluate("setTimeout(() => gone.push('other'), 5)")
        page.clock.run_for(3600_000)
        assert page.evaluate("gone") == ["other"]
        page.evaluate("passTime()")
        assert page.evaluate("gone") == ["other", *times]
        page.evaluate("passTime()")
        assert page.evaluate("gone") == ["other", *times]


def test_of_two_pictures_the_share_of_pixels_that_changed_is_told(tmp_path: Path) -> None:
    for folder, colour in (("before", "white"), ("now", "black")):
        (tmp_path / folder).mkdir()
        picture = Image.new("RGB", (10, 10), "white")
        picture.paste(colour, (0, 0, 5, 5))
        picture.save(tmp_path / folder / "one.png")
        Image.new("RGB", (4, 4), "red").save(tmp_path / folder / "same.png")
    Image.new("RGB", (4, 4)).save(tmp_path / "now" / "new.png")
    found = compare(tmp_path / "before", tmp_path / "now", tmp_path / "marks")
    assert [(change.file, change.share) for change in found] == [("new.png", 1.0), ("one.png", 0.25)]
    assert (tmp_path / "marks" / "one.png").is_file()
