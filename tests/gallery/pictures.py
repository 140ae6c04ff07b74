"""The real pages in one headless Chromium, shown one moment after the other; e-ink panels as the hub draws them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgspec
from nacl.public import PrivateKey
from playwright.sync_api import Browser, Locator, Page
from playwright.sync_api import Error as PlaywrightError

from hub import games
from hub.display import PanelSize, panel, png
from hub.display.language import Language
from hub.languages import Speech, language_of, languages
from hub.network import encryption
from hub.state import ScreenState
from tests.gallery.moments import NAMES, Moment, seen_by_all
from tests.patience import PATIENCE
from tests.phone_ui.fake_hub import FakeHub, guide_of, labels_of

PHONES = ((320, 568), (360, 640), (390, 844))
KIOSKS = ((1280, 720), (1920, 1080), (1080, 1920))
SMALL = PHONES[0]
STATIC = Path(__file__).parents[2] / "phone_ui" / "static"
PANELS: tuple[PanelSize, ...] = ("2.9", "4.2", "7.5")
SOON = 100
"""Milliseconds; what a page does later than that, it does not do for the picture."""
TALLEST = 3000
"""Pixels of a phone's page that are shown whole."""


def milliseconds(part: str) -> list[int]:
    """Return the times that a part of the pages names as constants."""
    text = (STATIC / "parts" / part).read_text("utf-8")
    return [int(time.replace("_", "")) for time in re.findall(r"^const [A-Z_]+ = ([\d_]+);", text, re.MULTILINE)]


# What a page has read is what its pictures show two frames later. Time does not pass meanwhile, for how much of it would
# depends on the machine: news stands until the next moment (`passTime`), a line of bids is turned at once, seconds that are
# counted down stay what they were, and the games of the lobby do not take turns.
NOTE_WHAT_IS_READ = f"""
const read = JSON.parse;
window.readLast = {{}};
const news = new Set({milliseconds("news.js")}), turns = new Set({milliseconds("number_line.js")});
const later = window.setTimeout, never = window.clearTimeout, every = window.setInterval;
const frame = window.requestAnimationFrame, noFrame = window.cancelAnimationFrame;
const held = new Map();
window.soon = new Set(); // what a page does next: effects of what it has drawn, turns of its loop
const once = (ask, kind, run, ...rest) => {{
  const id = ask((...given) => {{
    window.soon.delete(kind + id);
    run(...given);
  }}, ...rest);
  window.soon.add(kind + id);
  return id;
}};
window.requestAnimationFrame = (run) => once(frame, "frame ", run);
window.cancelAnimationFrame = (id) => {{
  window.soon.delete("frame " + id);
  noFrame(id);
}};
window.setTimeout = (run, time = 0, ...rest) => {{
  const wait = turns.has(time) ? 0 : time;
  if (!news.has(time)) return wait > {SOON} ? later(run, wait, ...rest) : once(later, "timer ", run, wait, ...rest);
  const id = -1 - held.size;
  held.set(id, {{ time, run: () => run(...rest) }});
  return id;
}};
window.clearTimeout = (id) => {{
  if (held.has(id)) held.set(id, null);
  window.soon.delete("timer " + id);
  never(id);
}};
// End all news that stands for up to so many milliseconds; return for how many each piece would have stood.
window.passTime = (most = Infinity) => {{
  const due = [...held].filter(([, timer]) => timer && timer.time <= most);
  for (const [id, timer] of due) {{
    held.set(id, null);
    timer.run();
  }}
  return due.map(([, timer]) => timer.time);
}};
window.setInterval = (run, time, ...rest) => (time >= 500 ? 0 : every(run, time, ...rest));
JSON.parse = (text, reviver) => {{
  const found = read(text, reviver);
  if (found && found.epoch && found.seq) window.readLast[found.seats ? "state" : "hand"] = found.seq;
  return found;
}};
window.awaited = 0; // answers of the hub: labels, a language, earlier events
const counted = (asked) => {{
  window.awaited += 1;
  return asked.finally(() => later(() => (window.awaited -= 1)));
}};
const get = window.fetch, body = Response.prototype.json;
window.fetch = (...what) => counted(get(...what));
Response.prototype.json = function () {{
  return counted(body.call(this));
}};
"""
READY = """() => document.querySelector('main') && !document.querySelector('main[aria-busy=true], [data-coming]')
  && !window.awaited && !window.soon.size"""
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def settle(page: Page) -> None:
    """Wait until a page has drawn all that it has asked for, parts that are loaded when they are first shown among it."""
    page.wait_for_function(READY)
    page.evaluate(TWO_FRAMES)


def file_name(*parts: str) -> str:
    """Return a name of a file for words of any kind."""
    return "/".join(re.sub("[^a-z0-9.]+", "-", part.lower()).strip("-") for part in parts)


def seats_of(moment: Moment) -> list[int]:
    """Return the seats whose phones are shown."""
    return [seat for seat in (moment.asked, moment.other) if seat is not None and seat in moment.hands]


class Gallery:
    """Pages open at a hub that plays what it is told; `taken` are the files of each moment, by section and name.

    Without a big screen (`kiosk`), phones show a moment in half the time.
    """

    def __init__(
        self, folder: Path, browser: Browser, moments: list[Moment], language: str = "en", speech: Any = None, *,
        kiosk: bool = True,
    ) -> None:  # fmt: skip
        self.folder, self.moments, self.language = folder, moments, language
        self._browser, self._seq, self._has_kiosk = browser, 0, kiosk
        self.taken: dict[tuple[str, str], dict[str, str]] = {}
        self.hub = FakeHub()
        self.hub.speech = speech or Speech({"1": [language]})
        self.hub.key = encryption.HubKey(PrivateKey(bytes(32)[:-1] + b"\1"))  # digits of a key are in the pictures
        self.hub.k = encryption.to_base64(self.hub.key.public)
        self.hub.labels = {name: labels_of(name) for name in games.names()}
        self.hub.guides = {name: guide_of(name) for name in games.names()}
        self._phones: dict[int, Page] = {}

    def __enter__(self) -> Self:
        self.hub.start()
        seats = [{"seat": seat, "name": name, "held": True} for seat, name in NAMES.items()]
        lobby = {
            "state": "lobby",
            "seats": seats,
            "table": "1",
            "name": "Table 1",
            "code": "FISH",
            "url": "http://10.42.0.1",
        }
        self._lobby = lobby | {"session": "gallery", "epoch": 1, "seq": 1}
        self.hub.public(self._lobby)
        if self._has_kiosk:
            self.kiosk = self._page(f"{self.hub.address}/t/1/kiosk", KIOSKS[0])
        return self

    def __exit__(self, *_: object) -> None:
        for page in (*self._kiosks, *self._phones.values()):
            page.context.close()
        self.hub.stop()

    @property
    def _kiosks(self) -> list[Page]:
        return [self.kiosk] if self._has_kiosk else []

    def _page(self, address: str, size: tuple[int, int]) -> Page:
        context = self._browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark", reduced_motion="reduce",
            locale=self.language,
        )  # fmt: skip
        context.set_default_timeout(PATIENCE * 1000)
        context.add_init_script(NOTE_WHAT_IS_READ)
        page = context.new_page()
        page.goto(address)
        return page

    def phone(self, seat: int) -> Page:
        """Return the phone at a seat."""
        if seat not in self._phones:
            page = self._page(f"{self.hub.address}/t/1#k={self.hub.k}&seat={seat}&code=BCDFGH", SMALL)
            page.locator(".page").wait_for()
            self._phones[seat] = page
        return self._phones[seat]

    # --- showing -----------------------------------------------------------------------------------------

    def show(self, moment: Moment, seats: list[int]) -> None:
        """Bring all pages to a moment, by way of the lobby: what a page holds up for a while is of this moment alone."""
        for seat in seats:
            self.phone(seat)
        for page in (*self._kiosks, *map(self.phone, seats)):
            page.evaluate("passTime()")
        self._tell(self._lobby, {}, {}, seats)
        if moment.before:
            self._tell(seen_by_all(moment.before), moment.before.hands, {}, seats)
        screen_only = {"fingerprint": "12345 67890 12345 67890", "demonstration": moment.screen.get("demonstration")}
        self._tell(seen_by_all(moment), moment.hands, screen_only | dict(moment.own), seats)

    def _tell(
        self, state: Mapping[str, Any], hands: Mapping[int, Any], own: Mapping[str, Any], seats: list[int]
    ) -> None:
        self._seq += 1
        number = {"epoch": 9, "seq": self._seq, "session": "gallery"}
        self.hub.public({**state, **number}, **own)
        for page in self._kiosks:
            page.wait_for_function("(seq) => window.readLast.state >= seq", arg=self._seq)
        for seat in seats:
            page = self.phone(seat)
            page.wait_for_function("(seq) => window.readLast.state >= seq", arg=self._seq)
            if seat in hands:
                self.hub.hand(seat, {**hands[seat], **number})
                page.wait_for_function("(seq) => window.readLast.hand >= seq", arg=self._seq)
            settle(page)
        for page in self._kiosks:
            settle(page)

    # --- taking ------------------------------------------------------------------------------------------

    def take(self, moment: Moment) -> None:
        """Photograph a moment on every screen."""
        at = moment.section, moment.name
        self.taken[at] = {}
        (self.folder / file_name(*at)).mkdir(parents=True, exist_ok=True)
        self.show(moment, seats_of(moment))
        for size in KIOSKS:
            self._picture(at, self.kiosk, f"kiosk {size[0]}x{size[1]}", size)
        if moment.asked in moment.hands:
            self._phone_pictures(at, self.phone(moment.asked), moment.tabs)
        if moment.other in moment.hands and moment.other:
            self._picture(at, self.phone(moment.other), "phone that looks on 360x640", PHONES[1])
        self._panels(at, moment)

    def _phone_pictures(self, at: tuple[str, str], page: Page, tabs: tuple[str, ...]) -> None:
        for size in PHONES:
            self._picture(at, page, f"phone {size[0]}x{size[1]}", size)
        for lid in page.get_by_role("button", name=self._said(None).say("Show my hand to choose")).all():
            lid.click()
        hand = page.locator("section.secret:not(.kept)").first
        if hand.count():
            for size in PHONES[:2]:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                with held(page, hand):
                    self._picture(at, page, f"phone hand open {size[0]}x{size[1]}", size)
        with whole(page, hand):
            self._shot(at, page, "phone whole 320")
        for tab in tabs:
            page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
            opener = page.get_by_role("navigation").get_by_role("button", name=self._said(None).say(tab))
            if not opener.count():
                continue  # as games without money have no sums to explain
            opener.click()
            with whole(page, None):
                self._shot(at, page, f"phone tab {tab.split()[0]} 320")
            page.locator(".back").click()

    def _picture(self, at: tuple[str, str], page: Page, name: str, size: tuple[int, int]) -> None:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("scrollTo(0, 0); document.querySelector('.body')?.scrollTo(0, 0)")
        settle(page)
        self._shot(at, page, name)

    def _shot(self, at: tuple[str, str], page: Page, name: str) -> None:
        file = f"{file_name(*at, name)}.png"
        page.screenshot(path=self.folder / file, animations="disabled")
        self.taken[at][name] = file

    def _said(self, game: str | None) -> Language:
        return language_of(self.language, game) if self.language in languages() else Language()

    def _panels(self, at: tuple[str, str], moment: Moment) -> None:
        state = msgspec.convert(moment.screen | {"claim_codes": {}, "fingerprint": ""} | dict(moment.own), ScreenState)
        shown = state.demonstration or state
        labels = games.find(shown.game).labels if shown.game else None
        for size in PANELS:
            name = f"panel {size}"
            file = f"{file_name(*at, name)}.png"
            (self.folder / file).write_bytes(
                png(panel(shown, labels, size, f"{state.url}/t/1#k={self.hub.k}", self._said(shown.game)))
            )
            self.taken[at][name] = file


@contextmanager
def held(page: Page, hand: Locator) -> Iterator[None]:
    """Hold a finger on the covered hand."""
    hand.scroll_into_view_if_needed()
    box = hand.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 24))
    page.mouse.down()
    try:
        yield
    finally:
        page.mouse.up()


@contextmanager
def whole(page: Page, hand: Locator | None) -> Iterator[None]:
    """Make a small phone so high that all of its page is seen, its hand open."""
    high = "Math.max(document.documentElement.scrollHeight, (document.querySelector('.body')?.scrollHeight ?? 0) + 260)"
    page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    opened = bool(hand and hand.count())
    if opened and hand:
        hand.focus()
        page.keyboard.down(" ")
    try:
        settle(page)
        page.set_viewport_size({"width": SMALL[0], "height": min(TALLEST, page.evaluate(high))})
        settle(page)
        yield
    finally:
        with suppress(PlaywrightError):
            page.keyboard.up(" ")
        page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
