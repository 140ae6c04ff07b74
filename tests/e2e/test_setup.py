"""A new hub, set up with a phone: the codes on the big screen, the steps, and what the hub is afterwards."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import PROGRAM, HubProcess
from tests.free_port import free_port
from tests.patience import PATIENCE
from tests.phone_ui.axe import findings, small_targets

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

NEW: dict[str, Any] = {"name": "By the window", "seats": 3, "language": ["de"]}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    yield chromium
    for context in chromium.contexts:
        context.close()


class NewHub:
    """A hub that nobody has set up yet, with its file."""

    def __init__(self, folder: Path, browser: Browser, *, with_wifi: bool, radio: str = "") -> None:
        (folder / "radio").write_text(radio, "utf-8")
        self.file, self.browser, port = folder / "table-hub.toml", browser, free_port()
        self.file.write_text(
            f'[hub]\nstate = "{folder / "state"}"\n[web]\nhost = "127.0.0.1"\nport = {port}\n'
            f'[wifi]\nhotspot = {"true" if with_wifi else "false"}  # our own\n[[table]]\nid = "1"\n'
            '[[device]]\ndriver = "simulated"\n',
            "utf-8",
        )
        run = ["run", "--config", str(self.file)]
        service = [sys.executable, "-m", "tests.e2e.simulated_wifi", str(folder), *run]
        self.process = HubProcess(folder / "state", port, service if with_wifi else [str(PROGRAM), *run])

    @property
    def table(self) -> dict[str, Any]:
        table: dict[str, Any] = tomllib.loads(self.file.read_text("utf-8"))["table"][0]
        return table

    def until(self, true: Callable[[dict[str, Any]], Any], what: str) -> dict[str, Any]:
        return self.process.until(true, what)

    def open(self, address: str = "", viewport: Any = PHONE, language: str = "en-US") -> Page:
        page = self.browser.new_context(viewport=viewport, locale=language).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(f"{self.process.address}{address}")
        return page

    def scan(self, language: str = "en-US") -> Page:
        """Open what the second code on the screen says, with a phone that is where the hub is."""
        code = self.until(lambda state: state["setup"], "the screen shows the code")["setup"]
        return self.open(f"/setup{code.partition('/setup')[2]}", language=language)


@pytest.fixture
def hub(tmp_path: Path, browser: Browser) -> Iterator[NewHub]:
    made = NewHub(tmp_path, browser, with_wifi=True)
    yield made
    made.process.close()


@pytest.fixture
def plain_hub(tmp_path: Path, browser: Browser) -> Iterator[NewHub]:
    """A hub without a radio, which a person has started by hand."""
    made = NewHub(tmp_path, browser, with_wifi=False)
    yield made
    made.process.close()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1, name=text, exact=True)).to_be_visible(timeout=PATIENCE * 1000)


def fill_in(page: Page) -> str:
    """Answer the first two steps. Return the PIN that the page proposes."""
    heading(page, "Your table")
    page.get_by_label("Its name on the screens").fill(NEW["name"])
    page.get_by_label("3", exact=True).check()
    page.get_by_label("Language of the big screen").select_option("de")
    press(page, "Continue")
    heading(page, "A PIN for staff")
    pin = page.locator(".pin").input_value()
    press(page, "Continue")
    return pin


def test_a_new_hub_is_set_up_by_scanning_and_joins_the_wifi(hub: NewHub) -> None:
    kiosk = hub.open("/t/1/kiosk", {"width": 1920, "height": 1080})
    heading(kiosk, "Set up this hub with your phone")
    before = hub.until(lambda state: state["wifi"] and state["setup"], "both codes")
    expect(kiosk.locator(".first-steps svg.drawn-code")).to_have_count(2)
    expect(kiosk.get_by_text(before["staff_pin"])).to_be_visible()
    assert before["setup"] == f"{before['url']}/setup#k={hub.process.key}&pin={before['staff_pin']}"

    page = hub.scan()
    pin = fill_in(page)
    assert len(pin) == 6
    assert pin != before["staff_pin"]
    heading(page, "Wi-Fi")
    expect(page.get_by_label("The hub's own Wi-Fi", exact=False)).to_be_checked()
    page.get_by_label("Cafe").check()
    page.get_by_label("Its password").fill("short")
    press(page, "Finish")
    expect(page.get_by_role("alert")).to_have_text("A Wi-Fi password has 8 to 63 characters.")
    assert hub.table == {"id": "1"}, "nothing is saved before the end"
    page.get_by_label("Its password").fill("dice-and-tea")
    press(page, "Finish")
    heading(page, "Your table is ready")
    assert hub.table == {"id": "1", **NEW}
    assert "# our own" in hub.file.read_text("utf-8")
    after = hub.until(lambda state: state["name"] == NEW["name"], "the table is as it was wanted")
    assert (len(after["seats"]), after["setup"], after["staff_pin"]) == (3, "", "")
    hub.until(lambda state: state["wifi"] is None, "the hub is in the cafe's Wi-Fi")
    heading(kiosk, "Bidness")
    kiosk.locator('html[lang="de"]').wait_for()

    page.get_by_role("link", name="Play now").click()
    expect(page.get_by_text("Choose your seat").or_(page.get_by_role("heading").first)).to_be_visible()
    staff = hub.open("/staff")
    staff.get_by_label("PIN").fill(before["staff_pin"])
    press(staff, "Sign in")
    expect(staff.get_by_text("That is not the staff PIN.")).to_be_visible()
    staff.get_by_label("PIN").fill(pin)
    press(staff, "Sign in")
    expect(staff.get_by_text("Nobody is playing.")).to_be_visible()


def test_a_wrong_password_is_said_and_the_own_wifi_comes_back(hub: NewHub) -> None:
    page = hub.scan()
    fill_in(page)
    page.get_by_label("Cafe").check()
    page.get_by_label("Its password").fill("wrong-password")
    press(page, "Finish")
    heading(page, "Your table is ready")
    expect(page.get_by_role("alert")).to_contain_text("does not accept this password")
    press(page, "Try again")
    heading(page, "Wi-Fi")
    page.get_by_label("Its password").fill("dice-and-tea")
    press(page, "Finish")
    heading(page, "Your table is ready")
    hub.until(lambda state: state["wifi"] is None, "the hub is in the cafe's Wi-Fi")


def test_a_wrong_password_leaves_the_own_wifi(hub: NewHub) -> None:
    page = hub.scan()
    fill_in(page)
    page.get_by_label("Cafe").check()
    page.get_by_label("Its password").fill("wrong-password")
    press(page, "Finish")
    heading(page, "Your table is ready")
    expect(page.get_by_role("alert")).to_contain_text("does not accept this password")
    hub.until(lambda state: state["wifi"] and state["wifi"]["name"].startswith("table-hub-"), "the own Wi-Fi is back")


def test_an_open_wifi_asks_for_no_password_and_another_one_for_its_name(hub: NewHub) -> None:
    page = hub.scan()
    fill_in(page)
    page.get_by_label("Another Wi-Fi").check()
    press(page, "Finish")
    expect(page.get_by_role("alert")).to_have_text("Type the name of the Wi-Fi.")
    page.get_by_label("Bar").check()
    expect(page.get_by_label("Its password")).to_have_count(0)
    press(page, "Finish")
    heading(page, "Your table is ready")
    hub.until(lambda state: state["wifi"] is None, "the hub is in the bar's Wi-Fi")


def test_a_field_with_an_error_is_marked_until_it_is_changed(hub: NewHub) -> None:
    page = hub.scan()
    name, pin = page.get_by_label("Its name on the screens"), page.locator(".pin")

    def refused(field: Locator, sentence: str, button: str = "Continue") -> None:
        press(page, button)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_accessible_description(sentence)
        expect(field, "to type it anew").to_be_focused()

    def is_well(field: Locator) -> None:
        expect(field).not_to_have_attribute("aria-invalid", "true")
        expect(field).to_have_accessible_description("")

    is_well(name)
    name.fill(" ")
    refused(name, "Type the name of the table.")
    name.fill("Window")
    is_well(name)
    press(page, "Continue")
    pin.fill("12345")
    refused(pin, "Type six digits.")
    pin.fill("111111")
    is_well(pin)
    refused(pin, "That PIN is easy to guess. Choose another one.")
    pin.fill("281734")
    press(page, "Continue")
    page.get_by_label("Another Wi-Fi").check()
    its_name, password = page.get_by_label("Its name"), page.get_by_label("Its password")
    refused(its_name, "Type the name of the Wi-Fi.", "Finish")
    is_well(password)
    its_name.fill("Bar")
    password.fill("short")
    refused(password, "A Wi-Fi password has 8 to 63 characters.", "Finish")
    is_well(its_name)


def test_a_hub_without_a_radio_says_what_needs_a_restart(plain_hub: NewHub) -> None:
    page = plain_hub.scan(language="de-DE")
    page.get_by_role("heading", level=1, name="Dein Tisch").wait_for()
    assert page.locator("select").input_value() == "de", "the language of the phone that sets up the hub"
    page.locator("form button.primary").click()
    page.locator("form button.primary").click()
    expect(page.get_by_text("von Hand gestartet")).to_be_visible()
    assert plain_hub.table == {"id": "1", "name": "Tisch 1", "language": ["de"]}


def test_a_reload_asks_for_a_new_pin_all_the_same(hub: NewHub) -> None:
    page = hub.scan()
    heading(page, "Your table")
    page.reload()
    fill_in(page)
    press(page, "Back")
    page.locator(".pin").fill("")
    press(page, "Continue")
    expect(page.get_by_role("alert")).to_have_text("Type six digits.")
    assert hub.process.public.now["setup"], "the screen still leads here"


def test_a_step_has_the_focus_before_anything_can_be_typed(hub: NewHub) -> None:
    page = hub.scan()
    heading(page, "Your table")
    focused = page.evaluate("""async () => {
      document.querySelector("form .primary").click();
      for (let turn = 0; turn < 9; turn++) await null; // the page draws the next step before the next event
      return document.activeElement.textContent;
    }""")
    assert focused == "A PIN for staff"


def test_the_pin_can_be_typed_in_place_of_the_code(hub: NewHub) -> None:
    pin = hub.until(lambda state: state["staff_pin"], "the screen shows the PIN")["staff_pin"]
    page = hub.open("/setup")
    page.get_by_label("PIN").fill(pin)
    press(page, "Sign in")
    chosen = fill_in(page)
    assert chosen != pin
    assert hub.process.public.now["staff_pin"] == pin, "a phone that dies now locks nobody out"
    press(page, "Finish")
    heading(page, "Your table is ready")
    expect(page.get_by_text(chosen)).to_be_visible()
    hub.until(lambda state: len(state["seats"]) == 3 and not state["setup"], "the hub has restarted")


def test_nobody_is_set_up_out_of_a_match(hub: NewHub) -> None:
    page = hub.scan()
    fill_in(page)
    for seat in (1, 2):
        hub.process.bench(box=seat, press="push")
    hub.until(lambda state: state["seats"][1]["ready"], "two sit on boxes")
    hub.process.bench(box=1, press="push")
    hub.until(lambda state: state["state"] == "playing", "a match")
    press(page, "Finish")
    expect(page.get_by_role("alert")).to_contain_text("A match is being played.")
    assert hub.table == {"id": "1"}


def test_a_fresh_code_wins_over_what_the_tab_remembers(hub: NewHub) -> None:
    page = hub.scan()
    heading(page, "Your table")
    before = hub.process.public.now["setup"]
    hub.process.cut()
    code = hub.until(lambda state: state["setup"] not in ("", before), "a new code")["setup"]
    page.goto(f"{hub.process.address}/setup{code.partition('/setup')[2]}")
    page.reload()
    heading(page, "Your table")


def test_a_hub_whose_radio_is_off_is_not_asked_for_a_wifi(tmp_path: Path, browser: Browser) -> None:
    hub = NewHub(tmp_path, browser, with_wifi=True, radio="off")
    try:
        page = hub.scan()
        expect(page.get_by_text("Step 1 of 2")).to_be_visible()
    finally:
        hub.process.close()


def test_a_code_that_was_used_leads_to_the_pin(plain_hub: NewHub) -> None:
    code = plain_hub.until(lambda state: state["setup"], "the screen shows the code")["setup"]
    first = plain_hub.scan()
    press(first, "Continue")
    first.locator(".pin").fill("111111")
    press(first, "Finish")
    expect(first.get_by_role("alert")).to_have_text("That PIN is easy to guess. Choose another one.")
    first.locator(".pin").fill("281734")
    press(first, "Finish")
    heading(first, "Your table is ready")

    second = plain_hub.open(f"/setup{code.partition('/setup')[2]}")
    expect(second.get_by_text("That is not the staff PIN.")).to_be_visible()
    assert "pin" not in second.evaluate("location.href")
    second.get_by_label("PIN").fill("281734")
    press(second, "Sign in")
    heading(second, "Your table")
    press(second, "Continue")
    assert second.locator(".pin").input_value() == "", "the PIN stays as it is"
    press(second, "Finish")
    heading(second, "Your table is ready")
    again = plain_hub.open("/staff")
    again.get_by_label("PIN").fill("281734")
    press(again, "Sign in")
    expect(again.get_by_text("Nobody is playing.")).to_be_visible()


@pytest.mark.parametrize("language", ["en-US", "de-DE"])
def test_every_step_can_be_read_and_touched(hub: NewHub, language: str) -> None:
    page = hub.scan(language)
    for _ in range(3):
        page.locator("form button.primary").wait_for()
        assert findings(page) == []
        assert small_targets(page) == []
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        page.locator("form button.primary").click()
    page.locator('a[href="/staff"]').wait_for()
    assert findings(page) == []


def test_in_the_phones_small_window_of_the_wifi_the_last_step_leads_to_the_screen(hub: NewHub) -> None:
    pin = hub.until(lambda state: state["staff_pin"], "the screen shows the PIN")["staff_pin"]
    page = hub.open(f"/setup#pin={pin}&portal=1")
    fill_in(page)
    press(page, "Finish")
    heading(page, "Your table is ready")
    expect(page.get_by_role("link", name="Play now")).to_have_count(0)
    with page.expect_response(lambda answer: answer.url.endswith("/wifi/stay")) as stays:
        press(page, "Stay in this Wi-Fi")
    assert stays.value.status == 204
