"""New devices on the staff page, in a real Chromium, with a hub in this process: what is offered, and what a press does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from drivers.common.found import Found
from hub.app import Hub
from hub.config import load
from phone_ui.staff_pin import StaffPin
from tests.operations.test_update_box import PAGE, taken, uf2_for
from tests.phone_ui.axe import findings
from tests.phone_ui.staff_page import signed_in

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.slow]
TRAY = Found("tray /dev/ttyACM0 e661", "e661", "dice_tray", {"tray": "e661"})
CONFIG = '[hub]\nstate = "{state}"\nfind_devices = true\n[web]\nhost = "127.0.0.1"\nport = 0\n[[table]]\nid = "1"\nname = "Window"\n[[table]]\nid = "2"\n'


@contextmanager
def opened(browser: Browser, folder: Path, *plugged: Found) -> Iterator[tuple[Page, Locator, Path]]:
    """Open the staff page of a hub to which devices are plugged in. Yield it, its part about new devices, and the hub's file."""
    state, file = folder / "state", folder / "table-hub.toml"
    state.mkdir()
    pin = StaffPin.renew(state / "staff.json")
    file.write_text(CONFIG.format(state=state), "utf-8")
    with Hub(load(file), file=str(file)) as hub:
        found = hub.found
        assert found
        found._trays, found._cameras = lambda: plugged, lambda _: []
        found._by_label, found._firmware = folder / "by-label", folder
        with signed_in(browser, hub, pin) as page:
            yield page, page.get_by_role("region", name="New devices"), file


def test_a_tray_is_used_at_a_table_with_one_press(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, TRAY) as (page, new, file):
        expect(new.get_by_text("The dice tray e661 is plugged in.")).to_be_visible()
        assert findings(page) == []
        new.get_by_role("button", name="Use it at Window").click()
        expect(page.get_by_text("The table uses the device now.")).to_be_visible()
        assert [(one.driver, one.table) for one in load(file).device] == [("dice_tray", "1")]
        expect(new).to_have_count(0)


def test_a_tray_that_nobody_wants_now_is_not_shown_again(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, TRAY) as (_, new, file):
        new.get_by_role("button", name="Not now: The dice tray e661 is plugged in.").click()
        expect(new).to_have_count(0)
        assert load(file).device == ()


def test_a_pico_becomes_a_seat_box(browser: Browser, tmp_path: Path) -> None:
    drive = tmp_path / "drive"
    drive.write_bytes(bytes(2 << 20))
    (tmp_path / "by-label").mkdir()
    (tmp_path / "by-label" / "RPI-RP2").symlink_to(drive)
    (tmp_path / "table-hub-box-1.0-RPI_PICO.uf2").write_bytes(uf2_for(0xE48BFF56))
    with opened(browser, tmp_path) as (page, new, _):
        expect(new.get_by_text("A Pico waits for its firmware.")).to_be_visible()
        new.get_by_role("button", name="Make a seat box of it").click()
        expect(page.get_by_text("The hub is writing the firmware. This takes half a minute")).to_be_visible()
        page.wait_for_function("() => document.body.textContent.includes('being written')")
        (tmp_path / "by-label" / "RPI-RP2").unlink()  # the boot ROM restarts
        expect(new.get_by_text("The Pico is a seat box now.")).to_be_visible()
    assert taken(drive) == PAGE


def test_without_new_devices_nothing_is_said_of_them(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as (page, new, _):
        expect(page.get_by_text("Window").first).to_be_visible()
        expect(new).to_have_count(0)
