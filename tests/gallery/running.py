"""Pages that need the program itself: the staff's, the till's, the history's, and the bench of simulated devices."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

from tests.chromium import PHONE
from tests.e2e.hub_process import HubProcess, SeatPhone, hub_with_tables
from tests.gallery.pictures import TWO_FRAMES, file_name

Taken = dict[tuple[str, str], dict[str, str]]
LAPTOP = (1280, 800)
SECTION = "Staff and bench"
SIZES = {
    "staff": ((360, 640), (390, 844), (820, 1180), LAPTOP),
    "till": (LAPTOP,),
    "bench": ((1440, 900), LAPTOP),
    "history": ((390, 844), LAPTOP),
}


class Photographer:
    """Pages of one running hub."""

    def __init__(self, folder: Path, hub: HubProcess, browser: Browser) -> None:
        self.folder, self.hub, self.browser = folder, hub, browser
        self.taken: Taken = {}

    def open(self, path: str) -> Page:
        page = self.browser.new_context(viewport=PHONE, reduced_motion="reduce").new_page()
        page.goto(f"{self.hub.address}{path}")
        return page

    def take(self, page: Page, kind: str, name: str) -> None:
        at = SECTION, f"{kind}, {name}"
        (self.folder / file_name(*at)).mkdir(parents=True, exist_ok=True)
        for width, height in SIZES[kind]:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(150)  # what the hub still tells
            page.evaluate(TWO_FRAMES)
            called = f"{kind} {width}x{height}"
            file = f"{file_name(*at, called)}.png"
            page.screenshot(path=self.folder / file, animations="disabled", full_page=kind != "bench")
            self.taken.setdefault(at, {})[called] = file


def of_the_program(folder: Path, browser: Browser, photographer: type[Photographer] = Photographer) -> Taken:
    """Photograph the pages of `table-hub demo` with two guests in the lobby, and the staff page of a hub with three tables."""
    with TemporaryDirectory() as state, HubProcess(Path(state) / "state") as hub:
        by = photographer(folder, hub, browser)
        staff, bench, till = by.open("/staff"), by.open("/t/1/bench"), by.open("/till")
        staff.get_by_label("PIN").wait_for()
        by.take(staff, "staff", "sign in")
        bench.get_by_text("Table 1").first.wait_for()
        by.take(bench, "bench", "lobby")
        sign_in(staff, hub)
        staff.get_by_role("region", name="Table 1").wait_for()
        by.take(staff, "staff", "lobby")
        phones = {seat: SeatPhone(hub, browser, seat) for seat in (1, 2)}
        for phone in phones.values():
            phone.sit()
        by.take(bench, "bench", "two sit")
        hub.until(lambda now: sum(seat["held"] for seat in now["seats"]) == 2, "two sit")
        phones[2].page.get_by_role("button", name="Help").first.click()
        phones[2].page.get_by_role("button", name="Call").first.click()
        hub.until(lambda now: now["notices"], "staff are called")
        by.take(staff, "staff", "a call")
        by.take(till, "till", "a call")
        by.take(by.open("/t/1/history"), "history", "none yet")
    with TemporaryDirectory() as state, hub_with_tables(Path(state), 3) as hub:
        by.hub = hub
        staff = by.open("/staff")
        sign_in(staff, hub)
        lines = staff.get_by_role("navigation", name="Tables")
        lines.get_by_text("Table 3").wait_for()
        by.take(staff, "staff", "three tables")
        hub.bench(box=2, unplug=True)
        hub.bench(box=1, press="bar", hold=True)
        staff.get_by_role("region", name="Calls").wait_for()
        by.take(staff, "staff", "three tables, a call")
        lines.get_by_text("Table 1").click()
        staff.get_by_role("region", name="Table 1").wait_for()
        by.take(staff, "staff", "one of three tables")
    return by.taken


def sign_in(staff: Page, hub: HubProcess) -> None:
    """Sign in with the PIN that the screens show."""
    pin = hub.until(lambda now: now["staff_pin"], "the screens show the PIN")["staff_pin"]
    staff.get_by_label("PIN").fill(pin)
    staff.get_by_role("button", name="Sign in").click()
