"""The settings page of the real program in a real Chromium: what an owner reads, changes, adds and removes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from drivers.eink.panels import MODELS
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import PROGRAM, HubProcess
from tests.e2e.test_staff import StaffBrowser, pin_of
from tests.free_port import free_port
from tests.made_packages import ENTRY, GAME, wheel
from tests.patience import PATIENCE
from tests.phone_ui.axe import findings, small_targets

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

WIFI = "sesame-open"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    yield chromium
    for context in chromium.contexts:
        context.close()


class Venue:
    """A hub with a file, and the settings page of it."""

    def __init__(self, folder: Path, browser: Browser) -> None:
        self.file, self.port, self.browser = folder / "table-hub.toml", free_port(), browser
        self.file.write_text(
            f'# Our place.\n[hub]\nstate = "{folder / "state"}"\n[web]\nhost = "127.0.0.1"\nport = {self.port}  # the door\n'
            f'[wifi]\nname = "Cafe"\npassword = "{WIFI}"\n[[table]]\nid = "1"\n# The bench.\n[[device]]\ndriver = "simulated"\n',
            "utf-8",
        )
        self.hub = HubProcess(folder / "state", self.port, [str(PROGRAM), "run", "--config", str(self.file)])

    def open(self, viewport: Any = PHONE, language: str = "en-US") -> Page:
        page = self.browser.new_context(viewport=viewport, locale=language).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        self.staff = StaffBrowser(self.hub, page)
        self.staff.open()
        page.locator("#pin").fill(self.pin)
        page.keyboard.press("Enter")
        page.locator('a[href="/staff/settings"]').click()
        expect(page.locator(".settings-group").first).to_be_visible(timeout=PATIENCE * 1000)
        return page

    @property
    def pin(self) -> str:
        if not hasattr(self, "_pin"):
            self._pin = pin_of(self.hub)
        return self._pin

    @property
    def values(self) -> dict[str, Any]:
        return tomllib.loads(self.file.read_text("utf-8"))


@pytest.fixture
def venue(tmp_path: Path, browser: Browser) -> Iterator[Venue]:
    made = Venue(tmp_path, browser)
    yield made
    made.hub.close()


def group(page: Page, name: str) -> Any:
    """Open a group, and return it."""
    found = page.locator(".settings-group").filter(has=page.get_by_role("heading", name=name, exact=True, level=2))
    if found.get_attribute("open") is None:
        found.locator("> summary").click()
    return found


def saved(page: Page) -> None:
    """Save, and wait until the hub has done it."""
    page.get_by_role("button", name="Save ").click()
    expect(page.locator(".save-bar")).to_contain_text("Saved.", timeout=PATIENCE * 1000)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()


def test_an_owner_changes_the_configuration(venue: Venue) -> None:
    page = venue.open()
    network = group(page, "Network")
    network.get_by_label("The port; 0: any free one").fill("99999")
    group(page, "Tables").get_by_label("What screens call it").fill("Wind")
    page.keyboard.type("ow")  # the field keeps the keys while the page is drawn anew
    group(page, "Tables").get_by_label("Places at the table, 2 to 6").fill("5")
    page.get_by_role("button", name="Save 3 changes").click()
    expect(network.get_by_text("port = 99999 will not do; port is a whole number from 0 to 65535.")).to_be_visible()
    expect(network.get_by_label("The port; 0: any free one")).to_be_focused()
    assert "name" not in venue.values["table"][0]

    # One value is mended: both are written, and nothing else is.
    network.get_by_label("The port; 0: any free one").fill(str(venue.port))
    saved(page)
    assert venue.values["table"] == [{"id": "1", "name": "Window", "seats": 5}]
    expect(page.get_by_role("region", name="Restart")).to_contain_text("[table] 1 seats")
    expect(page.get_by_role("region", name="Restart")).not_to_contain_text("name")
    venue.hub.until(lambda state: state["name"] == "Window", "screens show it at once")
    text = venue.file.read_text("utf-8")
    assert f'# Our place.\n[hub]\nstate = "{venue.hub.state}"\n' in text
    assert f"port = {venue.port}  # the door" in text

    # Nothing of it can be read on the way, and a secret is not even sent.
    expect(network.get_by_text("set", exact=True)).to_be_visible()
    passed = "".join(venue.staff.passed)
    for word in (venue.pin, WIFI, "Window", "99999", "port is a whole number", '"seen"'):
        assert word not in passed
    assert WIFI not in page.content()
    network.get_by_role("button", name="Replace", exact=True).click()
    network.get_by_label("Its password, which guests may read; empty: none").fill("another-one")
    saved(page)
    assert venue.values["wifi"] == {"name": "Cafe", "password": "another-one"}
    venue.hub.until(lambda state: "another-one" in str(state["wifi"]), "screens show it at once")
    expect(page.get_by_role("region", name="Restart")).not_to_contain_text("wifi")
    assert venue.staff.errors == []


def test_a_device_is_added_with_its_driver_and_removed(venue: Venue) -> None:
    page = venue.open({"width": 1280, "height": 900})
    panels = group(page, "Panels and lamps")
    panels.get_by_role("button", name="Add led_strip").click()
    strip = panels.get_by_role("group", name="led_strip")
    strip.get_by_label("Seats, in the order in which the strip passes them").fill("1, 2")
    panels.get_by_role("button", name="Add call_lamp").click()
    lamp = panels.get_by_role("group", name="call_lamp")
    lamp.get_by_label("For a bell: seconds on at each new call").fill("2.5")
    lamp.get_by_label("How pins are opened; mock switches nothing, for tests").select_option("mock")
    strip.get_by_role("button", name="Leave out").click()
    expect(strip).to_have_count(0)
    expect(lamp.get_by_label("For a bell: seconds on at each new call")).to_have_value("2.5")
    saved(page)
    assert venue.values["device"] == [
        {"driver": "simulated"},
        {"driver": "call_lamp", "seconds": 2.5, "pins": "mock"},
    ]
    lamp.get_by_role("button", name="Remove call_lamp…").click()
    lamp.get_by_role("button", name="Remove", exact=True).click()
    expect(lamp).to_have_count(0)
    assert venue.values["device"] == [{"driver": "simulated"}]

    tables = group(page, "Tables")
    tables.get_by_role("button", name="Add one more [[table]]").click()
    saved(page)
    assert venue.values["table"][1] == {"id": "2", "name": "Table 2"}
    assert venue.staff.errors == []


def test_an_e_ink_panel_is_chosen_by_its_picture(venue: Venue) -> None:
    page = venue.open()
    panels = group(page, "Panels and lamps")
    panels.get_by_role("button", name="Add eink").click()
    panel = panels.get_by_role("group", name="eink")
    kinds = panel.get_by_role("radiogroup", name="The kind of panel")
    expect(kinds.get_by_role("radio")).to_have_count(len(MODELS))
    expect(kinds.get_by_role("radio", name="Waveshare 4.2inch e-Paper V2")).to_be_checked()
    widths = {name: kinds.locator("svg").nth(i).bounding_box()["width"] for i, name in enumerate(MODELS)}
    assert widths["waveshare-7.5"] > 1.7 * widths["waveshare-4.2"] > 1.7 * widths["waveshare-2.13"]
    kinds.get_by_text("Inky Impression 4.0").click()
    expect(kinds.get_by_role("radio", name="600 × 400, 6 colors")).to_be_checked()
    panel.get_by_label("How pins are opened; mock hears nothing, for tests").select_option("mock")
    assert [*findings(page), *small_targets(page)] == []
    assert not page.evaluate("document.body.scrollWidth > innerWidth")
    saved(page)
    assert venue.values["device"][1] == {"driver": "eink", "panel": "inky-impression-4.0", "pins": "mock"}
    assert venue.staff.errors == []


def test_a_change_by_hand_is_not_overwritten(venue: Venue) -> None:
    page = venue.open()
    hub = group(page, "The hub itself")
    hub.get_by_label("Days in which a suspended match can be resumed").fill("14")
    by_hand = venue.file.read_text("utf-8").replace("Our place", "My place")
    venue.file.write_text(by_hand, "utf-8")
    page.get_by_role("button", name="Save 1 change").click()
    expect(page.get_by_text("Somebody has changed the file since you opened this page.")).to_be_visible()
    assert venue.file.read_text("utf-8") == by_hand
    page.get_by_role("button", name="Load the settings again").click()
    expect(hub.get_by_label("Days in which a suspended match can be resumed")).to_have_value("7")
    hub.get_by_label("Days in which a suspended match can be resumed").fill("14")
    saved(page)
    assert venue.values["hub"]["aside_days"] == 14
    assert "# My place." in venue.file.read_text("utf-8")


def test_a_package_is_added_used_after_a_restart_and_removed(venue: Venue, tmp_path: Path) -> None:
    made = wheel(tmp_path / "made", GAME | {"oddspiel/long.py": f"# {'odd ' * 2000}\n"}, ENTRY)
    page = venue.open()
    part = page.get_by_role("region", name="Games and drivers of others")
    field = part.get_by_label("Add a package")
    field.set_input_files(made)
    expect(part.get_by_role("alert")).to_contain_text("A package is a program")
    part.get_by_role("button", name="Cancel").click()
    assert not (tmp_path / "state" / "packages").exists()
    field.set_input_files(Path(__file__))
    part.get_by_role("button", name="Add it").click()
    expect(page.get_by_text("This is no package that the hub can use")).to_be_visible()
    field.set_input_files(made)
    part.get_by_role("button", name="Add it").click()
    expect(page.get_by_text("oddspiel 1.0.0 is here. The hub uses it after a restart.")).to_be_visible()
    expect(part.get_by_text("The hub uses it after a restart.")).to_be_visible()
    expect(page.get_by_role("region", name="Restart").get_by_role("listitem")).to_have_text(["oddspiel 1.0.0"])
    assert [*findings(page), *small_targets(page)] == []
    assert made.stat().st_size > 3000, "it was sent in several pieces"

    venue.hub.switch_off()
    venue.hub.switch_on()
    venue.hub.until(lambda state: "oddspiel" in [game["name"] for game in state["games"]], "the game is offered")
    page = venue.open()
    part = page.get_by_role("region", name="Games and drivers of others")
    expect(part.get_by_role("listitem")).to_contain_text("oddspiel 1.0.0: Oddspiel")
    part.get_by_role("button", name="Remove oddspiel 1.0.0…").click()
    part.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("oddspiel 1.0.0 is removed. The hub uses it until a restart.")).to_be_visible()
    expect(part.get_by_text("It is removed at the next restart.")).to_be_visible()
    assert [*(tmp_path / "state" / "packages").iterdir()] == []
    assert venue.staff.errors == []


def test_the_page_is_for_staff_only_and_for_every_eye_and_hand(venue: Venue) -> None:
    stranger = venue.browser.new_page()
    stranger.goto(f"{venue.hub.address}/staff/settings")
    expect(stranger.get_by_text("You are signed out: sign in again.")).to_be_visible()
    assert stranger.locator(".settings-group").count() == 0

    page = venue.open()
    for one in page.locator(".settings-group > summary").all():
        one.click()
    found = []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {one}" for one in (*findings(page), *small_targets(page))]
    found += ["it sticks out"] if page.evaluate("document.body.scrollWidth > innerWidth") else []
    assert found == []
    german = venue.open({"width": 360, "height": 640}, "de-DE")
    expect(german.get_by_role("heading", name="Einstellungen")).to_be_visible()
    hours = group(german, "Öffnungszeiten")
    hours.get_by_label("Wann das Haus jeden Tag schließt; leer: keine Schließzeit").fill("25:00")
    german.get_by_role("button", name="1 Änderung speichern").click()
    expect(hours.get_by_text("geht nicht; möglich ist bei closes: eine Uhrzeit wie „23:00“")).to_be_visible()
    assert not german.evaluate("document.body.scrollWidth > innerWidth")
    assert venue.staff.errors == []
