"""What staff take away from their page, in a real Chromium: the file that the browser saves, and what passed by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Response, expect
from playwright.sync_api import Error as PlaywrightError

from hub.app import Hub
from hub.config import Config, HubPart, TablePart, WebPart, WifiPart
from hub.network.encryption import to_base64
from phone_ui.own_screens import link_of
from phone_ui.staff_pin import StaffPin
from tests.acceptance.screen import read_code
from tests.chromium import SMALL_PHONE
from tests.test_handouts import picture_in

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.slow]


@dataclass
class Staff:
    """The staff page of a hub, and the text of the hub's answers."""

    hub: Hub
    page: Page
    passed: list[str] = field(default_factory=list)

    def note(self, answer: Response) -> None:
        if answer.url.endswith("/staff/ask"):
            with suppress(PlaywrightError):  # the page is closed
                self.passed.append(answer.text())

    @property
    def table(self) -> Locator:
        return self.page.get_by_role("region", name="Table 1")

    def save(self, part: Locator, button: str) -> tuple[str, bytes]:
        """Press a button, and return the name and the content of the file that the browser saves."""
        with self.page.expect_download() as saving:
            part.get_by_role("button", name=button).click()
        return saving.value.suggested_filename, saving.value.path().read_bytes()


@contextmanager
def signed_in(browser: Browser, folder: Path, at: str = "") -> Iterator[Staff]:
    pin = StaffPin.renew(folder / "staff.json")
    config = Config(
        hub=HubPart(state=str(folder)),
        web=WebPart("127.0.0.1", 0, address="http://table.example"),
        wifi=WifiPart("Cafe", "dice-and-tea"),
        table=(TablePart(language=("de", "en")),),
    )
    with Hub(config) as hub, browser.new_context(viewport=SMALL_PHONE) as context:
        hub.start()
        assert hub.web
        staff = Staff(hub, context.new_page())
        errors: list[str] = []
        staff.page.on("pageerror", lambda error: errors.append(str(error)))
        staff.page.on("response", staff.note)
        staff.page.goto(f"http://127.0.0.1:{hub.web.port}/staff{at}")
        staff.page.get_by_label("PIN").fill(pin)
        staff.page.get_by_role("button", name="Sign in").click()
        yield staff
        assert errors == []


def test_the_card_of_a_table_is_saved_and_its_code_leads_there(browser: Browser, tmp_path: Path) -> None:
    with signed_in(browser, tmp_path) as staff:
        staff.table.get_by_text("Card to print, big screen on a tablet").click()
        name, card = staff.save(staff.table, "Save the card")
        expect(staff.page.get_by_text("The card is saved.")).to_be_visible()
        assert name == "card-1.pdf"
        assert card.startswith(b"%PDF-")
        code = read_code(picture_in(card))
        assert code in (
            f"{staff.hub.url()}/t/1#k={to_base64(staff.hub.key.public)}",
            "WIFI:T:WPA;S:Cafe;P:dice-and-tea;;",
        )
        assert not [text for text in staff.passed if "%PDF" in text or "card-1." in text]


def test_the_link_of_a_big_screen_is_shown_when_staff_ask_and_a_new_one_ends_it(
    browser: Browser, tmp_path: Path
) -> None:
    with signed_in(browser, tmp_path) as staff:
        staff.table.get_by_text("Card to print, big screen on a tablet").click()
        token = staff.hub.screen_token.value
        expect(staff.table.get_by_role("button", name="Show the link")).to_be_visible()
        assert token not in staff.page.content()
        staff.table.get_by_role("button", name="Show the link").click()
        link = staff.table.get_by_role("link", name="http://")
        expect(link).to_have_attribute("href", link_of(staff.hub.url(), "1", staff.hub.key.public, token))
        code = staff.table.get_by_role("img", name="Code for the camera of the tablet")
        assert read_code(code.screenshot()) == link.get_attribute("href")
        assert staff.page.evaluate("document.documentElement.scrollWidth") <= SMALL_PHONE["width"]
        staff.table.get_by_role("button", name="Hide the link").click()
        expect(link).to_have_count(0)
        assert token not in staff.page.content()

        staff.table.get_by_role("button", name="Make a new link…").click()
        expect(staff.table.get_by_text("The earlier links of all tables end at once.")).to_be_visible()
        assert staff.hub.screen_token.value == token, "nobody has answered the question yet"
        staff.table.get_by_role("button", name="Make a new link", exact=True).click()
        expect(staff.page.get_by_text("The earlier links are no longer valid.")).to_be_visible()
        assert staff.hub.screen_token.value != token
        expect(link).to_have_attribute("href", staff.hub.screens.link(staff.hub.url(), "1"))
        assert not [text for text in staff.passed if token in text or staff.hub.screen_token.value in text]
