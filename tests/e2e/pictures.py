"""Pictures of a match under way: `python -m tests.e2e.pictures FOLDER`. For a person's eyes, and for the README."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageOps
from playwright.sync_api import Browser, Page

from tests.e2e.running import Hub, PhoneAtSeat, choosing, chromium, rolling, sealed
from tests.e2e.test_a_whole_match import Players

PATIENCE = 60


class Album:
    """Phones, screen and bench of one running table, photographed together."""

    def __init__(self, folder: Path, hub: Hub, browser: Browser) -> None:
        self._folder, self._hub = folder, hub
        self.phones = {seat: PhoneAtSeat(hub, browser, seat) for seat in (1, 2)}
        self.kiosk = self._screen(browser, "kiosk", 1920, 1080)
        self.bench = self._screen(browser, "bench", 1440, 900)

    def _screen(self, browser: Browser, name: str, width: int, height: int) -> Page:
        page = browser.new_context(viewport={"width": width, "height": height}).new_page()
        page.goto(f"{self._hub.address}/t/1/{name}")
        page.get_by_text("Table 1").first.wait_for()
        return page

    def take(self, page: Page, name: str) -> None:
        page.wait_for_timeout(500)  # a picture of what stands, not of what moves
        page.screenshot(path=self._folder / f"{name}.png")

    def everything(self, name: str, seat: int = 1) -> None:
        self.take(self.phones[seat].page, f"phone-{name}")
        self.take(self.kiosk, f"kiosk-{name}")
        self.take(self.bench, f"bench-{name}")
        for size in ("2.9", "4.2", "7.5"):
            (self._folder / f"panel-{name}-{size}.png").write_bytes(self._hub.panel(size))


def photograph(folder: Path) -> None:
    """Play a match and take a picture wherever a table looks different."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as state, Hub(Path(state) / "state") as hub, chromium() as browser:
        album = Album(folder, hub, browser)
        players = Players(hub, album.phones)
        first = album.phones[1].page
        first.goto(f"{hub.address}/t/1#k={hub.key}")
        first.get_by_text("Where do you sit?").wait_for()
        album.take(first, "phone-seats")
        players.sit_down(lambda: album.everything("lobby"))
        album.everything("bid")
        players.bid(hub.public.now, 1)
        players.bid(hub.public.now, 3)
        album.everything("locked")
        seen: set[str] = set()
        for _ in range(400):
            now = hub.public.now
            if now["state"] == "over":
                break
            if sealed(now) and now["view"]["round"] == 3 and "bid-3" not in seen:
                seen.add("bid-3")
                album.everything("bid-3")
            elif rolling(now) and now["dice"]["seat"] == 1 and "roll" not in seen:
                seen.add("roll")
                album.everything("roll")
            elif rolling(now) and now["dice"]["seat"] == 4 and "waiting" not in seen:
                seen.add("waiting")
                album.take(first, "phone-waiting")
            elif choosing(now) and now["view"]["waiting"]["seats"] == ["1"] and now["want"] not in seen:
                seen.add(now["want"])
                album.everything(f"take-{len(seen)}")
            players.step(now)
        hub.until(lambda s: s["state"] == "over", "the match is over", PATIENCE)
        album.everything("over")


def beside(folder: Path, name: str) -> None:
    """The screen with a phone before it as one small picture, `table.png`."""
    screen = Image.open(folder / f"kiosk-{name}.png").convert("RGB").resize((1200, 675), Image.Resampling.LANCZOS)
    phone = Image.open(folder / f"phone-{name}.png").convert("RGB").resize((296, 641), Image.Resampling.LANCZOS)
    both = Image.new("RGB", (1564, 715), "#e9e2d3")
    both.paste(screen, (20, 20))
    both.paste(ImageOps.expand(phone, 4, "#3a352c"), (1240, 33))
    both.save(folder / "table.png", optimize=True)


if __name__ == "__main__":
    photograph(Path(sys.argv[1]))
    beside(Path(sys.argv[1]), "bid-3")
