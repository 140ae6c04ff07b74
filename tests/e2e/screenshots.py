"""Pictures of a match under way, for a person's eyes and for hub/docs/try.md.

`python -m tests.e2e.screenshots FOLDER GAME [--seats N] [--option NAME=VALUE].. [--seed S] [--most M]` plays a match in
the demo and takes a picture wherever a table looks different: phones, screen, bench and panels, and all of them on
one sheet. `--table MOMENT` makes `table.png` of one of them.
"""

from __future__ import annotations

import re
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from PIL import Image, ImageOps
from playwright.sync_api import Browser, Page

from hub.operations.referee import given_options
from tests.chromium import PHONE, headless
from tests.e2e.hub_process import NAMES, HubProcess, SeatPhone, State, asked, rolling, sealed
from tests.e2e.random_players import PhonePlayers

MINUTES = 20
PANELS = ("2.9", "4.2", "7.5")
WHOLE = 1240  # a phone so high that all of its page is seen


class Screenshots:
    """Phones, screen and bench of one running table, photographed together."""

    def __init__(self, folder: Path, hub: HubProcess, browser: Browser) -> None:
        self._folder, self._hub = folder, hub
        self.phones = {seat: SeatPhone(hub, browser, seat) for seat in NAMES}
        self.kiosk = self._screen(browser, "kiosk", 1920, 1080)
        self.bench = self._screen(browser, "bench", 1440, 900)
        self.seen: set[str] = set()

    def _screen(self, browser: Browser, name: str, width: int, height: int) -> Page:
        page = browser.new_context(viewport={"width": width, "height": height}).new_page()
        page.goto(f"{self._hub.address}/t/1/{name}")
        page.get_by_text("Table 1").first.wait_for()
        return page

    def take(self, page: Page, name: str, *, whole: bool = False) -> None:
        if whole:
            page.set_viewport_size({"width": PHONE["width"], "height": WHOLE})
        page.wait_for_timeout(400)  # a picture of what stands, not of what moves
        page.screenshot(path=self._folder / f"{name}.png")
        if whole:
            page.set_viewport_size(PHONE)

    def everything(self, name: str, seat: int = 1) -> None:
        phone = self.phones[seat].page
        phone.wait_for_timeout(400)  # it may still be at the question before
        moves = phone.locator(".pick-move input")
        for place in reversed(range(max(1, moves.count()))):
            if moves.count():
                moves.nth(place).check(force=True)
            for lid in phone.get_by_role("button", name="Show my hand to choose").all():
                lid.click()
            self.take(phone, f"whole-{name}{f'-{place}' if place else ''}", whole=True)
        self.take(phone, f"phone-{name}")
        self.take(self.kiosk, f"kiosk-{name}")
        self.take(self.bench, f"bench-{name}")
        for size in PANELS:
            (self._folder / f"panel-{name}-{size}.png").write_bytes(self._hub.panel(size))
        self._sheet(name)

    def _sheet(self, name: str) -> None:
        """All of a moment side by side."""
        kiosk = self._open(f"kiosk-{name}").resize((1280, 720), Image.Resampling.LANCZOS)
        phones = [self._open(f"phone-{name}"), self._open(f"whole-{name}")]
        panels = [self._open(f"panel-{name}-{size}") for size in PANELS]
        sheet = Image.new("RGB", (2120, WHOLE), "#888888")
        sheet.paste(kiosk, (0, 0))
        left = 0
        for panel in panels:
            sheet.paste(panel, (left, 740))
            left += panel.width + 10
        for place, phone in enumerate(phones):
            sheet.paste(phone, (1300 + place * 410, 0))
        sheet.save(self._folder / f"sheet-{name}.png", optimize=True)

    def _open(self, name: str) -> Image.Image:
        return Image.open(self._folder / f"{name}.png").convert("RGB")

    def moment(self, state: State) -> None:
        """Photograph a moment that looks like none before it."""
        name = moment(state)
        if name not in self.seen:
            self.seen.add(name)
            self.everything(
                f"{len(self.seen):02}-{name}", next((seat for seat in asked(state) if seat in self.phones), 1)
            )


def moment(state: State) -> str:
    """What tells a moment from others: phase, what happened last, what those with a phone do."""
    last = state["events"][-1]["kind"] if state["events"] else ""
    mine = [seat for seat in asked(state) if seat in NAMES]
    does = "locked" if any(seat in state["locked"] for seat in mine) else "act" if mine else "look"
    how = "roll" if rolling(state) else "sealed" if sealed(state) else ""
    return re.sub("[^a-z0-9]+", "-", f"{state['view']['phase']} {how} {does} {last}".lower()).strip("-")


def photograph(args: Namespace) -> None:
    """Play a match and take a picture wherever a table looks different."""
    folder: Path = args.folder
    folder.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as state,
        HubProcess(Path(state) / "state", seats=args.seats) as hub,
        headless() as browser,
    ):
        screenshots = Screenshots(folder, hub, browser)
        players = PhonePlayers(hub, screenshots.phones, Random(args.seed))
        first = screenshots.phones[1].page
        first.goto(f"{hub.address}/t/1#k={hub.key}")
        first.get_by_text("Where do you sit?").wait_for()
        screenshots.take(first, "phone-00-seats")
        players.sit_down(args.game, given_options(args.option), lambda: screenshots.everything("00-lobby"))
        enough = time.monotonic() + MINUTES * 60
        while hub.public.now["state"] == "playing" and len(screenshots.seen) < args.most:
            screenshots.moment(hub.public.now)
            assert time.monotonic() < enough, "too slow"
            players.step(hub.public.now)
        if hub.public.now["state"] != "playing":
            screenshots.everything("99-over")


def beside(folder: Path, name: str) -> None:
    """The screen with a phone before it as one small picture, `table.png`."""
    screen = Image.open(folder / f"kiosk-{name}.png").convert("RGB").resize((1200, 675), Image.Resampling.LANCZOS)
    phone = Image.open(folder / f"phone-{name}.png").convert("RGB").resize((296, 641), Image.Resampling.LANCZOS)
    both = Image.new("RGB", (1564, 715), "#e9e2d3")
    both.paste(screen, (20, 20))
    both.paste(ImageOps.expand(phone, 4, "#3a352c"), (1240, 33))
    both.save(folder / "table.png", optimize=True)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("game", nargs="?", default="bid-and-bait")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=40, help="moments")
    parser.add_argument("--table", metavar="MOMENT")
    args = parser.parse_args()
    photograph(args)
    if args.table:
        beside(args.folder, args.table)


if __name__ == "__main__":
    main()
