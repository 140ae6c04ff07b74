"""The staff page of the real program in a real Chromium: signing in, a call that arrives, what is done about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Request, Response, Route, expect
from playwright.sync_api import Error as PlaywrightError

from hub.display import checkerboard
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import PROGRAM, HubProcess, SeatPhone, sit
from tests.patience import PATIENCE
from tests.phone_ui.rig import until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]


@dataclass
class StaffBrowser:
    """A browser of the staff, and all that passes between it and the hub's door."""

    hub: HubProcess
    page: Page
    passed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self) -> None:
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._asked)
        self.page.on("response", self._answered)
        self.page.goto(f"{self.hub.address}/staff")

    def _asked(self, request: Request) -> None:
        if "/staff/" in request.url:
            self.passed.append(request.post_data or "")

    def _answered(self, response: Response) -> None:
        if response.url.endswith(("/staff/ask", "/staff/login")):
            with suppress(PlaywrightError):  # the page was reloaded, or is closed
                self.passed.append(response.text())

    def sign_in(self, pin: str) -> None:
        self.page.get_by_label("PIN").fill(pin)
        self.page.get_by_role("button", name="Sign in").click()

    @property
    def table(self) -> Any:
        return self.page.get_by_role("region", name="Table 1")

    @property
    def calls(self) -> Any:
        return self.page.get_by_role("region", name="Calls")

    def do(self, name: str, sure: str = "") -> None:
        """Press a button of the table, and its question's answer."""
        self.table.get_by_role("button", name=name).first.click()
        if sure:
            self.table.get_by_role("button", name=sure, exact=True).click()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    yield chromium
    for context in chromium.contexts:  # pages that look for a hub that has ended
        context.close()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubProcess]:
    with HubProcess(tmp_path / "state") as running:
        yield running


def pin_of(hub: HubProcess) -> str:
    """The PIN as the table's own screens show it."""
    pin: str = hub.until(lambda state: state["staff_pin"], "the screens show the PIN")["staff_pin"]
    return pin


def staff_at(hub: HubProcess, browser: Browser, viewport: Any = PHONE) -> StaffBrowser:
    page = browser.new_context(viewport=viewport).new_page()
    page.set_default_timeout(PATIENCE * 1000)
    staff = StaffBrowser(hub, page)
    staff.open()
    return staff


def test_an_evening_of_the_staff(hub: HubProcess, browser: Browser) -> None:
    pin = pin_of(hub)
    assert pin not in str(hub.get("/status.json"))
    kiosk = browser.new_page()
    kiosk.goto(f"{hub.address}/t/1/kiosk")
    expect(kiosk.get_by_text(pin)).to_be_visible()

    staff = staff_at(hub, browser)
    staff.sign_in(f"{(int(pin) + 1) % 10**6:06}")
    expect(staff.page.get_by_text("That is not the staff PIN.")).to_be_visible()
    staff.sign_in(pin)
    expect(staff.table.get_by_text("Nobody is playing.")).to_be_visible()
    hub.until(lambda state: not state["staff_pin"], "the PIN was used")
    expect(kiosk.get_by_text(pin)).to_have_count(0)

    ana, ben = SeatPhone(hub, browser, 1), SeatPhone(hub, browser, 2)
    sit({ana: "Ana", ben: "Ben"})
    expect(staff.table.get_by_text("Ana")).to_be_visible()
    ana.page.get_by_role("radio", name="Bid & Bait!").check(force=True)
    ana.page.get_by_role("button", name="Start").first.click()
    hub.until(lambda state: state["state"] == "playing", "a match")
    expect(staff.table.get_by_text("Bid & Bait!, Bid, round 1")).to_be_visible()

    # A call from the phone arrives, and goes when staff have come.
    ben.page.get_by_role("button", name="Help").click()
    ben.page.get_by_role("button", name="Call staff").click()
    expect(staff.calls.get_by_text("Table 1: Ben calls for help.")).to_be_visible()
    expect(staff.page).to_have_title("(1) Staff")
    expect(ben.page.get_by_role("button", name="Take the call back")).to_be_visible()
    staff.calls.get_by_role("button", name="Done: Seat 2 calls for help.").click()
    expect(staff.calls).to_have_count(0)
    hub.until(lambda state: not state["notices"], "the call is over")
    expect(ben.page.get_by_role("button", name="Call staff")).to_be_visible()

    # An action is taken back; what was locked stays secret to the staff.
    hand = ana.hand()
    fish = next(word for word in hand.split() if word.isalpha())
    ana.bid(3)
    hub.until(lambda state: state["locked"] == [1], "a bid")
    staff.do("Undo…", "Take it back")
    hub.until(lambda state: state["locked"] == [], "it is taken back")
    expect(staff.table.get_by_text("Staff: The last action of")).to_be_visible()

    # The time of the table is told to everybody.
    staff.do("30 min from now")
    expect(staff.table.get_by_text("30 min left.")).to_be_visible()

    # A reload keeps the session of this tab; nothing of what passed by can be read.
    staff.page.reload()
    expect(staff.table.get_by_text("Bid & Bait!, Bid, round 1")).to_be_visible()
    passed = "".join(staff.passed)
    assert len(staff.passed) > 10
    for word in (pin, '"verb"', '"undo"', '"Ana"', '"help"', '"public"', f'"{fish}"'):  # in quotes: boxes are base64
        assert word not in passed, word

    staff.page.get_by_role("button", name="Sign out").click()
    expect(staff.page.get_by_label("PIN")).to_be_visible()
    assert [*staff.errors, *ana.errors, *ben.errors] == []


def test_another_pin_ends_every_session_and_a_known_browser_signs_in_again(
    hub: HubProcess, browser: Browser, tmp_path: Path
) -> None:
    import subprocess

    staff = staff_at(hub, browser, {"width": 1280, "height": 800})
    staff.sign_in(pin_of(hub))
    expect(staff.table).to_be_visible()
    config = tmp_path / "hub.toml"
    config.write_text(f'[hub]\nstate = "{hub.state}"\n')
    made = subprocess.run(
        [str(PROGRAM), "staff-pin", "--new", "--config", str(config)], capture_output=True, text=True, check=True
    )
    pin = made.stdout.split()[4].rstrip(".")
    expect(staff.page.get_by_text("You are signed out.")).to_be_visible(timeout=60_000)
    assert hub.public.now["staff_pin"] == ""
    staff.sign_in(pin)
    expect(staff.table).to_be_visible()


def test_the_table_is_made_ready_for_the_next_guests(hub: HubProcess, browser: Browser) -> None:
    staff = staff_at(hub, browser)
    staff.sign_in(pin_of(hub))
    ana = SeatPhone(hub, browser, 1)
    ana.sit("Ana")
    expect(staff.table.get_by_text("Ana")).to_be_visible()
    staff.do("Reset for the next guests… Table 1")
    staff.table.get_by_role("button", name="Cancel").click()
    assert hub.public.now["seats"][0]["name"] == "Ana"
    staff.do("Reset for the next guests… Table 1", "Reset the table")
    hub.until(lambda state: not any(seat["held"] or seat["name"] for seat in state["seats"]), "nobody sits there")
    expect(ana.page.get_by_text("This seat was freed.")).to_be_visible()
    staff.table.get_by_text("Light, sound, tests, recent actions").click()
    expect(staff.table.get_by_text("The table was reset for the next guests.").last).to_be_visible()

    # Rings and the big screen are dimmed.
    kiosk = browser.new_page()
    kiosk.goto(f"{hub.address}/t/1/kiosk")
    expect(kiosk.get_by_text("Table 1")).to_be_visible()
    assert kiosk.locator(".night").count() == 0
    full = hub.box(1)["lamps"]["colour"]
    staff.do("Night")
    expect(kiosk.locator(".night")).to_have_count(1)
    hub.boxes.until(lambda boxes: boxes["boxes"]["1"]["lamps"]["colour"] != full, "the ring is dimmed")
    staff.do("100 %")
    expect(kiosk.locator(".night")).to_have_count(0)

    # Boxes are tried while the hub runs.
    staff.do("Test boxes and rings")
    expect(staff.table.get_by_text("still: push, bar")).to_have_count(4)
    hub.bench(box=2, press="bar")
    expect(staff.table.get_by_text("still: push, bar")).to_have_count(3)
    staff.do("End the test")
    expect(staff.table.get_by_text("still: push, bar")).to_have_count(0)

    # So are panels.
    staff.do("Test the panels")
    expect(staff.table.get_by_text("Each panel shows a frame, three lines of text and a checkerboard.")).to_be_visible()
    wanted = checkerboard("4.2").convert("1").tobytes()
    until(lambda: Image.open(BytesIO(hub.panel("4.2"))).convert("1").tobytes() == wanted, "the test picture")
    staff.do("End the test")
    expect(staff.table.get_by_text("Each panel shows a frame")).to_have_count(0)
    assert staff.errors == []


def test_a_single_table_needs_no_list(hub: HubProcess, browser: Browser) -> None:
    staff = staff_at(hub, browser)
    staff.sign_in(pin_of(hub))
    expect(staff.table).to_be_visible()
    expect(staff.page.get_by_role("navigation", name="Tables")).to_have_count(0)
    staff.page.get_by_role("link", name="The hub").click()
    expect(staff.page.get_by_role("button", name="Check the machine")).to_be_visible()
    expect(staff.table).to_have_count(0)
    staff.page.get_by_role("link", name="← The table").click()
    expect(staff.table).to_be_visible()
    staff.page.goto(f"{hub.address}/staff?table=1")
    expect(staff.table).to_be_visible()
    expect(staff.page.get_by_role("link", name="← The table")).to_have_count(0)
    hub.bench(box=1, press="bar", hold=True)
    staff.calls.get_by_role("link", name="Table 1").click()
    expect(staff.table).to_be_visible()
    assert staff.page.evaluate("() => history.length") <= 4, "a link to what is open adds no step"
    assert staff.errors == []


def test_staff_enter_the_cost_that_is_printed_on_a_card(hub: HubProcess, browser: Browser) -> None:
    """It holds for the next guests, too: the hub keeps it over a restart."""
    staff = staff_at(hub, browser)
    staff.sign_in(pin_of(hub))
    part = staff.page.get_by_role("region", name="Your printed cards")
    staff.page.get_by_role("link", name="Your printed cards").click()
    part.get_by_text("Bidness", exact=True).click()
    card = part.get_by_role("group", name="Campaign +1")
    card.get_by_label("Cost in $").fill("15")
    save = part.get_by_role("button", name="Save").locator("visible=true")
    held: list[Route] = []
    staff.page.route("**/cards.json", lambda route: held.append(route))  # noqa: PLW0108 - the browser library marks functions, and no built-in ones
    save.click()
    expect(staff.page.get_by_text("Bidness is played with these cards from the next match on.")).to_be_visible()
    assert hub.get("/cards.json")["games"]["bidness"]["parts"]["cards"]["MB1"]["cost"] == 15
    card.get_by_label("Cost in $").fill("-1")  # while the page still loads what was saved
    while not held:
        staff.page.wait_for_timeout(10)
    held[0].continue_()
    staff.page.unroute("**/cards.json")
    expect(save).to_be_enabled()
    save.click()
    expect(staff.page.get_by_text("MB1: ")).to_be_visible()
    expect(save).to_be_enabled()
    hub.cut()
    assert hub.get("/cards.json")["games"]["bidness"]["parts"]["cards"]["MB1"]["cost"] == 15
    assert "differs" not in hub.get("/games/bidness.json")["printed_cards"]
    assert staff.errors == []
