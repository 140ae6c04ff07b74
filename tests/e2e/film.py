"""The moving picture of README.md: a round of sealed bids at the demo, from the lobby to the reveal.

`python -m tests.e2e.film` plays it in the real hub and a headless Chromium, with a screen, two phones and four boxes,
and writes `hub/docs/round.webp`. What is played, in which order and how long each moment is shown stand in `play`; only
what chance deals, the table's codes and the moment at which a ring is seen differ from one run to the next.
"""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass, field
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageDraw, ImageFont, ImageOps
from playwright.sync_api import Browser, Page, expect

from tests.chromium import headless
from tests.e2e.hub_process import NAMES, HubProcess, SeatPhone, rolling
from tests.e2e.random_players import ready

DOCS = Path(__file__).parents[2] / "hub" / "docs"
GAME = "Bid & Bait!"
EDGE = 16  # pixels between the parts of a picture
HEIGHT = 468  # of the screen and the phones
SCREEN, PHONE = (832, HEIGHT), (216, HEIGHT)
WIDTH = 4 * EDGE + SCREEN[0] + 2 * PHONE[0]
CAPTION = 44
LETTERS = ImageFont.truetype(str(files("font_source_sans_pro") / "files" / "SourceSansPro-Semibold.ttf"), 24)
GROUND, INK = "#f5efe3", "#3a352c"
# Of the bench only the boxes are shown, without what a real box has not.
BOXES_ONLY = ".bench-page { padding: 0; max-width: none } .box-foot, .bench-link { display: none !important }"
QUALITY = 72  # of WebP: at less, the small print of the phones goes first
RING_MS = 220  # milliseconds from one look at the moving rings to the next


@dataclass
class Film:
    """The pages of one running table, and the pictures taken of them so far."""

    hub: HubProcess
    browser: Browser
    frames: list[Image.Image] = field(default_factory=list)
    milliseconds: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.phones = {seat: SeatPhone(self.hub, self.browser, seat) for seat in NAMES}
        self.screen = self._page("kiosk", 1664, 936)
        self.bench = self._page("bench", WIDTH - 2 * EDGE, 900)
        self.bench.add_style_tag(content=BOXES_ONLY)

    def _page(self, name: str, width: int, height: int) -> Page:
        page = self.browser.new_context(viewport={"width": width, "height": height}, bypass_csp=True).new_page()
        page.goto(f"{self.hub.address}/t/1/{name}")
        page.get_by_text("Table 1").first.wait_for()
        return page

    def scene(self, caption: str, seconds: float) -> None:
        """Show what stands on all pages for so long, while the rings of the boxes move."""
        self.bench.wait_for_timeout(500)  # what was pressed has reached every page
        still = self._still(caption)
        looks = max(1, round(seconds * 1000 / RING_MS))
        boxes = self._boxes()
        for _ in range(looks):
            frame = still.copy()
            frame.paste(boxes, (EDGE, CAPTION + HEIGHT + EDGE))
            self.frames.append(frame)
            self.milliseconds.append(round(seconds * 1000 / looks))
            self.bench.wait_for_timeout(RING_MS)
            boxes = self._boxes()

    def _still(self, caption: str) -> Image.Image:
        """Return a picture of all but the boxes."""
        picture = Image.new("RGB", (WIDTH, CAPTION + HEIGHT + 2 * EDGE + self._boxes().height), GROUND)
        ImageDraw.Draw(picture).text((EDGE, CAPTION // 2), caption, INK, LETTERS, anchor="lm")
        left = EDGE
        for page, size in ((self.screen, SCREEN), *((phone.page, PHONE) for phone in self.phones.values())):
            shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
            shown = ImageOps.fit(shot, (size[0] - 4, size[1] - 4), Image.Resampling.LANCZOS, centering=(0, 0))
            picture.paste(ImageOps.expand(shown, 2, INK), (left, CAPTION))
            left += size[0] + EDGE
        return picture

    def _boxes(self) -> Image.Image:
        shot = self.bench.locator(".bench-boxes").screenshot()
        return Image.open(BytesIO(shot)).convert("RGB")

    def save(self, folder: Path) -> None:
        """Write the moving picture."""
        first, *rest = self.frames
        first.save(
            folder / "round.webp",
            save_all=True,
            append_images=rest,
            duration=self.milliseconds,
            loop=0,
            quality=QUALITY,
            method=6,
            kmin=30,
            kmax=60,
        )


def play(film: Film) -> None:
    """Play one round: two people on phones, two on their boxes."""
    hub, (ana, ben) = film.hub, film.phones.values()
    for phone in film.phones.values():
        phone.page.goto(f"{hub.address}/t/1#k={hub.key}")
        phone.page.get_by_text("Where do you sit?").wait_for()
    film.scene("Two scan the code; two others sit down at their boxes", 2.2)
    for seat, phone in film.phones.items():
        phone.sit(NAMES[seat])
    for seat in (3, 4):
        hub.bench(box=seat, press="push")
        hub.until(ready(seat), f"seat {seat} is ready")
    ben.page.get_by_role("button", name="I am ready").click()
    ana.page.get_by_role("radio", name=GAME).check(force=True)
    film.scene(f"Everybody is ready, and Ana has chosen {GAME}", 2.2)
    ana.page.get_by_role("button", name=f"Start {GAME}").click()
    hub.until(lambda s: s["state"] == "playing", "the match begins")
    ben.page.get_by_text("Bid a number from 1 to 6.").first.wait_for()
    film.scene("All bid at the same time, in secret", 2.2)
    ana.bid(5)
    hub.until(lambda s: 1 in s["locked"], "seat 1 has locked")
    film.scene("Ana has locked a bid on her phone: that is all the others see", 2)
    box(film, 3, "k4")
    film.scene("Seat 3 has locked on the box: a key, then the dial's push", 2)
    box(film, 4, "k2")
    ben.page.get_by_role("radio", name="3", exact=True).check(force=True)
    film.scene("Ben is the last to choose, and may still change his mind", 2.2)
    ben.page.get_by_role("button", name="Bid 3").click()
    hub.until(rolling, "the bids are revealed and the highest bidder rolls")
    expect(film.screen.get_by_text("5").first).to_be_visible()
    film.scene("The last lock reveals all four, and the highest rolls a real die", 4)


def box(film: Film, seat: int, key: str) -> None:
    """Bid on a box: a key, and a push."""
    film.hub.boxes.until(lambda b: b["boxes"][str(seat)]["sealed"], f"box {seat} is open")
    film.hub.bench(box=seat, press=key)
    film.hub.bench(box=seat, press="push")
    film.hub.until(lambda s: seat in s["locked"], f"seat {seat} has locked")


def main() -> None:
    words = ArgumentParser()
    words.add_argument("folder", type=Path, nargs="?", default=DOCS)
    words.add_argument("--port", type=int, default=8080, help="what the screen shows as the hub's port")
    args = words.parse_args()
    with TemporaryDirectory() as state, HubProcess(Path(state) / "state", args.port) as hub, headless() as browser:
        film = Film(hub, browser)
        play(film)
        film.save(args.folder)


if __name__ == "__main__":
    main()
